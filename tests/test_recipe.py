"""The recipe's machinery on the tiny model: killed while it probes, trains and measures, it ends as if it had not been."""
import json, os, random, shutil, signal, subprocess, sys, time
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
import mbpp
from chained_adv.checkpoints import CheckpointManager
from chained_adv.command import make_config, read_toml
from chained_adv.looking import read_episodes
from chained_adv.models import ModelConfig, Players
from chained_adv.rollout import play
from chained_adv.sandbox import Sandbox
from chained_adv.stages import PROMPT_SETS
from chained_adv.tiny.world import tiny_problems
from chained_adv.tracking import read_lines, read_metrics
from chained_adv.trainer import AdversarialTrainer, is_mixed, stage_phases
from research.controls import RandomRewards, StopAfter

RECIPE, TINY = ROOT / "recipes/qwen05_mbpp.toml", ROOT / "tests/tiny_recipe.toml"

def steady(rows): return [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in rows]
def read(path): return [json.loads(o) for o in path.read_text().splitlines()]

def start(*words, cwd):
    "A command in a process of its own"
    env = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=str(ROOT))
    return subprocess.Popen([sys.executable, *map(str, words)], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

def finish(*words, cwd):
    child = start(*words, cwd=cwd)
    out = child.communicate()[0]
    assert child.returncode == 0, out[-3000:]
    return out

def kill_when(reached, wait, *words, cwd):
    "Start a command, and kill it `wait` seconds after something is reached; True if it was killed in time"
    child = start(*words, cwd=cwd)
    while child.poll() is None and not reached(): time.sleep(.02)
    time.sleep(wait)
    if child.poll() is None: os.killpg(child.pid, signal.SIGKILL)
    out = child.communicate()[0]
    assert child.returncode in (-signal.SIGKILL, 0), out[-3000:]
    return child.returncode != 0

def count(path): return len(path.read_text().splitlines()) if path.exists() else 0

@pytest.fixture(scope="module")
def problem_file(tmp_path_factory):
    "A few problems of the tiny world; the last twelve are held out"
    path = tmp_path_factory.mktemp("problems") / "problems.json"
    path.write_text(json.dumps([asdict(p) for p in tiny_problems("train", 28) + tiny_problems("held_out", 12)]))
    return path

@pytest.fixture(scope="module")
def train(problem_file):
    "The words of `chained-adv train`"
    return "-c", "from chained_adv.cli import main; main()", "train", "--config", TINY, "--problems", problem_file

@pytest.fixture(scope="module")
def whole(tmp_path_factory, train):
    "A run of `chained-adv train` that nobody stopped"
    folder = tmp_path_factory.mktemp("whole")
    finish(*train, "--out", "run", cwd=folder)
    return folder / "run"

def test_a_run_that_is_killed_while_it_probes_and_trains_ends_as_if_it_had_not_been(whole, train, tmp_path):
    seed = random.randrange(10**6)
    chosen, total = random.Random(seed), count(whole / "metrics.jsonl")
    run = tmp_path / "run"
    command = *train, "--out", "run", "--resume"
    assert kill_when(lambda: count(run / "probe.jsonl") >= 8, chosen.uniform(0, .3), *command, cwd=tmp_path)
    probed = read(run / "probe.jsonl")
    saved = run / "checkpoints/unfinished/manifest.json"
    killed = [kill_when(saved.exists, chosen.uniform(0, .2), *command, cwd=tmp_path)]
    assert saved.exists(), f"seed {seed}"
    for _ in range(2):
        n = chosen.randint(1, total - 1)
        killed.append(kill_when(lambda n=n: count(run / "metrics.jsonl") >= n, chosen.uniform(0, 2), *command, cwd=tmp_path))
    finish(*command, cwd=tmp_path)
    assert any(killed), f"seed {seed}: every run ended before it was killed"
    assert read(run / "probe.jsonl") == read(whole / "probe.jsonl") and probed == read(whole / "probe.jsonl")[:len(probed)], f"seed {seed}"
    assert steady(read_metrics(run)) == steady(read_metrics(whole)), f"seed {seed}, killed {killed}"
    assert steady(read(run / "evaluation.jsonl")) == steady(read(whole / "evaluation.jsonl")), f"seed {seed}"
    weights = [CheckpointManager(o / "checkpoints").load_checkpoint("stage_5").tensors for o in (whole, run)]
    assert all(torch.equal(weights[0][k][n], weights[1][k][n]) for k in weights[0] for n in weights[0][k])
    assert sorted(o.name for o in (run / "checkpoints").iterdir() if o.is_dir()) == ["best", "stage_0", "stage_5"]

def test_the_problems_of_a_run_are_those_solved_now_and_then(whole, problem_file):
    rows = read(whole / "probe.jsonl")
    assert all(o["samples"] == 4 and 0 <= o["solved"] <= 4 for o in rows) and 8 <= len(rows) <= 30
    kept = {o["id"] for o in rows if 0 < o["solved"] < 4}
    assert 0 < len(kept) < len(rows)
    config = replace(make_config(read_toml(TINY)), out=str(whole), problems=str(problem_file))
    with AdversarialTrainer(config, *mbpp.problems_of(SimpleNamespace(held_out=0), config), progress=False) as t:
        t._probe()
        assert {p.id for p in t.problems} == kept == {p.id for p in t.sampler.problems}
        assert not kept & {p.id for p in t.held_out} and len(t.held_out) == 12

@pytest.mark.parametrize("every", [2])
def test_a_stop_after_any_step_changes_no_line(tmp_path, every):
    "Stage by stage, with a phase of each kind: in the middle of turns, at the end of phases and of stages"
    more = dict(stages=(4, 5), joint=False, n_generator_steps=1, k_alternating_steps=2, problems_per_step=2, n_samples=2, n_lists=2, n_programs=2,
                first_discriminator_steps=0, eval_samples=2, n_mutants=0, save_every=every, model=ModelConfig(device="cpu", adapters="stage"))
    def run(name, stop=None):
        config = replace(make_config({}), out=str(tmp_path / name), **more)
        with AdversarialTrainer(config, tiny_problems("train", 6), tiny_problems("held_out", 2), progress=False) as t:
            train_one = t.train_one
            def stopping(*words):
                if t.step == stop: raise KeyboardInterrupt
                return train_one(*words)
            t.train_one = stopping
            try: t.train_full_pipeline(resume=True)
            except KeyboardInterrupt: return t.step
    run("whole")
    lines = steady(read_metrics(tmp_path / "whole"))
    for stop in (1, len(lines) // 3 + every, len(lines) - 1): assert run("parts", stop) == stop
    run("parts")
    assert steady(read_metrics(tmp_path / "parts")) == lines
    assert steady(read(tmp_path / "parts/evaluation.jsonl")) == steady(read(tmp_path / "whole/evaluation.jsonl"))
    assert not (tmp_path / "parts/checkpoints/unfinished").exists()

def test_a_probe_counts_for_its_own_settings_only(tmp_path):
    "Another temperature makes other lines; a file of another run is taken as it is"
    config = make_config(read_toml(TINY))
    problems = tiny_problems("train", 9)
    def probed(**more):
        c = replace(config, out=str(tmp_path), model=replace(config.model, **more))
        with AdversarialTrainer(c, problems, tiny_problems("held_out", 2), progress=False, selection=[]) as t: t._probe()
        return read(tmp_path / "probe.jsonl")
    first = probed()
    assert len(first) == 9 and probed() == first
    both = probed(temperature=.3)
    assert both[:9] == first and len({o["key"] for o in both}) == 18

def test_temperature_divides_the_logits_of_sampler_and_update():
    problems, hot = tiny_problems("train", 4), Players(ModelConfig(device="cpu", chain_stages=(5,), test_stages=(5,)))
    cold = Players(replace(hot.config, temperature=.5))
    samples = [c.answers[5] for c in _chains(cold, problems)]
    own = cold.generator.logprobs(samples, 5)[0]
    said = torch.tensor([p for s in samples for p in s.logprobs])
    mask = cold.generator.logprobs(samples, 5)[2].bool()
    assert torch.allclose(own[mask], said, atol=1e-4)
    assert torch.allclose(hot.generator.logprobs(samples, 5, temperature=.5)[0][mask], said, atol=1e-4)
    assert not torch.allclose(hot.generator.logprobs(samples, 5)[0][mask], said, atol=1e-2)

def _chains(players, problems):
    with Sandbox() as box: return play(players, problems, box, 2, stages=(), seed=3).chains


# Controls and arms

@pytest.fixture
def trainer_of(tmp_path, problem_file):
    return lambda arm, callbacks=(), **more: make_trainer(tmp_path, problem_file, arm, callbacks, **more)

def make_trainer(tmp_path, problem_file, arm, callbacks, **more):
    a = SimpleNamespace(set=[f"problems={problem_file}"], config=str(TINY), out=tmp_path, held_out=4)
    config = replace(mbpp.config_of(a, arm, 1), probe_samples=0, **more)
    return AdversarialTrainer(config, *mbpp.problems_of(a, config), progress=False, callbacks=callbacks)

def test_random_rewards_are_a_coin_that_says_nothing_about_the_programs(trainer_of):
    with trainer_of("random", problems_per_step=12, n_samples=6) as t:
        assert t.callbacks.find(RandomRewards)
        t.step = 1
        generator, tester = t.sample_rollout("generator", 5), t.sample_rollout("discriminator", 5)
        rewards = [c.generator_reward for c in generator.chains]
        assert set(rewards) == {0., 1.} and .3 < sum(rewards) / len(rewards) < .7
        solved = [c.solved for c in generator.chains]
        of = lambda flag: [r for r, s in zip(rewards, solved) if s == flag]
        assert min(len(of(True)), len(of(False))) > 5 and abs(sum(of(True)) / len(of(True)) - sum(of(False)) / len(of(False))) < .4
        lists = [l for c in tester.chains for l in c.lists]
        assert {l.reward for l in lists} == {0., 1.} and all(l.credits is None for l in lists)
        samples, _, batch = t.step_batch(tester, "discriminator", 5)
        assert batch.credit is None and batch.rewards == [l.reward for l in lists]
        again = t.sample_rollout("generator", 5)
        assert len(again.chains) == len(rewards) # the same step tosses the same coins
        assert t.callbacks.find(RandomRewards).toss(again) and [c.generator_reward for c in again.chains] == rewards

def test_each_arm_learns_from_what_it_says(trainer_of):
    seen = {}
    for arm in mbpp.ARMS:
        with trainer_of(arm) as t:
            roles = {r for o in stage_phases(t.config, 5) for r in o.roles}
            rollout = t.sample_rollout("generator", 5)
            seen[arm] = (sorted(roles), t.config.reward, bool(rollout.lists), any(v.test for c in rollout.chains for v in c.result.verdicts))
            assert t.config.token_budget == 2400
    both = ["discriminator", "generator"]
    assert seen["learning"][:3] == seen["random"][:3] == (both, "per_test", True)
    assert seen["baseline"] == (["generator"], "baseline", False, False)
    assert seen["frozen"][:3] == (["generator"], "per_test", True)
    assert seen["fuzz"] == (["generator"], "per_test", True, True)

def test_a_run_stops_when_its_time_is_over_but_not_before_a_step_is_saved(trainer_of):
    steps = []
    for _ in range(2):
        with trainer_of("learning", [StopAfter(0.)]) as t, pytest.raises(KeyboardInterrupt, match="stopped after step"):
            t.train_full_pipeline(resume=True)
        steps.append(t.step)
    assert 0 < steps[0] < steps[1] # it goes on, step by step


# The benchmark

@pytest.fixture(scope="module")
def options(problem_file):
    "The words of an arm behind its name"
    return lambda out, seed: ["--seed", str(seed), "--out", str(out), "--config", str(TINY), "--set", f"problems={problem_file}", "--samples", "4", "--lists", "2"]

@pytest.fixture(scope="module")
def measured(tmp_path_factory, options):
    "Two seeds of an arm, one control, and one arm with stages"
    out = tmp_path_factory.mktemp("mbpp")
    for arm, seed in (("learning", 1), ("learning", 2), ("random", 1), ("stages", 1)): mbpp.main(["arm", arm, *options(out, seed)])
    return out

def test_budgets_are_equal_and_problems_are_the_same(measured):
    arms = [measured / o for o in ("learning_1", "learning_2", "random_1")]
    tokens = [json.loads((o / "summary.json").read_text())["generated_tokens"] for o in arms]
    assert all(.7 * 2400 < n <= 1.15 * 2400 for n in tokens), tokens
    kept = {o["id"] for o in read(measured / "probe.jsonl") if is_mixed(o)}
    for o in arms:
        trained = {e["problem"] for e in read_episodes(o) if e["split"] == "step"}
        assert trained and trained <= kept
    assert not [o for folder in arms for o in (folder / "checkpoints").glob("unfinished/manifest.json")]

def test_the_report_says_what_the_lines_say(measured, capsys):
    mbpp.main(["table", "--out", str(measured)])
    report = capsys.readouterr().out
    assert report.strip() == (measured / "report.md").read_text().strip()
    before = mbpp.by_problem(measured / "before/mbpp.jsonl")
    assert len(before["solved"]) == 12 and all(len(v) == 4 for v in before["solved"].values()) and set(before) <= set(mbpp.SHOWN)
    mean = lambda found: sum(sum(v) for v in found["solved"].values()) / 48
    seeds = [mbpp.by_problem(measured / f"learning_{s}/after/mbpp.jsonl") for s in (1, 2)]
    row = next(o for o in report.split("### learning, mbpp")[1].splitlines() if o.startswith("| solved, sampled"))
    cells = [o.strip() for o in row.strip("|").split("|")]
    assert cells[1].startswith(f"{mean(before):.1%}") and cells[2].startswith(f"{sum(map(mean, seeds)) / 2:.1%}")
    assert cells[3].startswith(f"{100 * (sum(map(mean, seeds)) / 2 - mean(before)):+.1f}") and len(cells) == 6
    assert "### untrained, mbpp, 12 problems" in report and "beyond random rewards" in report and "seeds 1, 2" in report and "### Training" in report

def test_an_arm_with_stages_trains_explanations_and_has_an_untrained_model_of_its_own(measured):
    learned = {e["stage"] for e in read_episodes(measured / "stages_1") if e["split"] == "step"}
    assert learned == {1, 5}
    headers = [read(measured / o)[0]["settings"]["stages"] for o in ("before/mbpp.jsonl", "before_stages/mbpp.jsonl", "stages_1/after/mbpp.jsonl")]
    assert headers == [[5], [1, 5], [1, 5]]
    before = [mbpp.by_problem(measured / o / "mbpp.jsonl") for o in ("before", "before_stages")]
    row = next(o for o in (measured / "report.md").read_text().split("### stages, mbpp")[1].splitlines() if o.startswith("| solved, sampled"))
    assert f"{sum(sum(v) for v in before[1]['solved'].values()) / 48:.1%}" in row.split("|")[2]

@pytest.mark.parametrize("name", ["qwen05", "qwen05_twice", "qwen05_longer"])
def test_the_report_on_record_says_what_its_lines_say(name, capsys, tmp_path):
    record = ROOT / "research/data" / name
    shutil.copytree(record, tmp_path / "copy")
    mbpp.main(["table", "--out", str(tmp_path / "copy")])
    assert capsys.readouterr().out.strip() == (record / "report.md").read_text().strip()

def test_an_arm_that_is_killed_while_it_measures_has_the_same_lines(measured, options, tmp_path):
    script = ROOT / "benchmarks/mbpp.py", "arm", "learning", *options(tmp_path / "out", 1)
    seed = random.randrange(10**6)
    chosen, out = random.Random(seed), tmp_path / "out"
    places = out / "probe.jsonl", out / "before/mbpp.jsonl", out / "learning_1/after/mbpp.jsonl"
    killed = [kill_when(lambda o=o: count(o) >= 9, chosen.uniform(0, .1), *script, cwd=tmp_path) for o in places]
    assert killed[0] and any(killed[1:]), f"seed {seed}"
    finish(*script, cwd=tmp_path)
    for name in ("probe.jsonl", "before/mbpp.jsonl", "learning_1/after/mbpp.jsonl"):
        assert (out / name).read_text() == (measured / name).read_text(), f"seed {seed}, {name}"
    assert steady(read_metrics(out / "learning_1")) == steady(read_metrics(measured / "learning_1")), f"seed {seed}"

def test_a_call_ends_with_its_time_and_the_next_one_goes_on(measured, options, tmp_path):
    out = tmp_path / "out"
    for _ in range(40):
        try: mbpp.main(["arm", "learning", "--seconds", ".01", *options(out, 1)])
        except SystemExit as e: assert "time is over" in str(e)
        else: break
    assert (out / "learning_1/after/mbpp.jsonl").read_text() == (measured / "learning_1/after/mbpp.jsonl").read_text()

def test_other_options_are_refused(measured, options):
    with pytest.raises(SystemExit, match="other settings"):
        mbpp.main(["arm", "learning", *options(measured, 1)[:-1], "3"])
    for words, why in (["generator_lr=1e-3"], "generator_lr"), (["prompts=plain"], "other settings"), (["colour"], "write NAME=VALUE"):
        with pytest.raises(SystemExit, match=why): mbpp.main(["arm", "learning", *options(measured, 1), "--set", *words])


# The recipe itself

def test_the_recipe_is_what_it_says():
    config = make_config(read_toml(RECIPE))
    assert config.stages == config.model.chain_stages == config.model.test_stages == (5,) and config.model.adapters == "role"
    assert [o.name for o in stage_phases(config, 5)] == ["discriminator", "generator"]
    assert config.save_every and config.probe_samples == 8 and config.model.prompts in PROMPT_SETS

def test_the_held_out_problems_are_those_above_413():
    config = make_config(read_toml(RECIPE))
    path = ROOT / config.problems.partition(" + ")[2]
    if not path.exists(): pytest.skip(f"no MBPP at {config.problems}")
    config = replace(config, problems=f"easy + {path}")
    train, held_out = mbpp.problems_of(SimpleNamespace(held_out=0), config)
    number = lambda p: int(p.id.partition("/")[2])
    assert {number(p) > 413 for p in held_out} == {True} and len(held_out) == 116
    assert {number(p) > 413 for p in train if p.id.startswith("mbpp/")} == {False}

def test_quick_wins_over_the_recipe_and_predicts_the_whole_run(train, tmp_path):
    for _ in range(2): out = finish(*train, "--quick", cwd=tmp_path) # the second try empties the folder of the first
    assert "whole run   about" in out and "on this machine (probe " in out
    record = json.loads((tmp_path / "runs/default_quick/config.json").read_text())
    assert (record["settings"]["problems_per_step"], record["settings"]["token_budget"]) == (8, 0)
    assert record["problems"]["held_out"] == "12" and count(tmp_path / "runs/default_quick/metrics.jsonl") == 4
