"""Runs that can't learn: each is named by the right alarm within ten steps, and stops. Healthy ones raise none."""
import gzip, json
from dataclasses import replace
from pathlib import Path

import pytest, torch

from chained_adv.callbacks import read_alarms
from chained_adv.config import ModelConfig, PPOConfig, TrainingConfig
from chained_adv.core import TrainingError
from chained_adv.hopeless import RULES, Hopeless
from chained_adv.models import Players
from chained_adv.problems import load_problems
from chained_adv.rollout import play
from chained_adv.sandbox import Sandbox
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer
from calling import call

TINY = tiny_problems("train", 8)
EASY = [replace(p, id=f"easy {i}", rules=dict(checker="def check(args, got, want): return True")) for i, p in enumerate(TINY)] # any value is right
UNRELATED = [replace(p, id=f"odd {i}", description="Go over the letters of s. Return their number.", function_signature="def solve(xs):",
                     baseline_tests=([[i], f"r{i}"], [[i, 1], f"r{i}"]), reference_solution=f"def solve(xs): return 'r{i}'") for i, p in enumerate(TINY)]

@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)

def watched(role, wanted, steps=5, problems=TINY, model={}, ppo={}, **settings):
    "Alarms of a few steps of a player until all those wanted are there, as (player, kind)"
    few = dict(problems_per_step=8, n_samples=3, n_lists=3, n_programs=1, eval_samples=1, n_mutants=0)
    short = dict(device="cpu", chain_stages=(1, 5), max_stage_tokens=60, max_test_tokens=48) # two answers of a chain, not five
    config = TrainingConfig(model=ModelConfig(**short | model), ppo=PPOConfig(**ppo), stages=(1, 5), **few | settings)
    seen = set()
    with AdversarialTrainer(config, problems, progress=False) as trainer:
        watch = trainer.callbacks.find(Hopeless)
        for _ in range(steps):
            try: trainer.train_one(role, 1, "by hand")
            except TrainingError as e: # a gradient that is not finite ends such a run, too
                assert "not finite" in str(e) or "is nan" in str(e) or "is inf" in str(e), e
                break
            finally: seen |= {(o.role, o.kind) for o in watch.alarms}
            if wanted <= seen: break
    return seen

G, D = "generator", "discriminator"
WRONG = { # what is wrong -> (who learns, settings, alarms that name it; all of them, each within ten steps)
    "a token for an answer": (G, dict(model=dict(max_stage_tokens=1)), {(G, "cut")}),
    "seven tokens, while the other player learns": (D, dict(model=dict(max_stage_tokens=7)), {(G, "cut")}),
    "a token for a list of tests": (D, dict(model=dict(max_test_tokens=1)), {(D, "cut_tests")}),
    "problems of another world": (G, dict(problems=load_problems("builtin")[:12]), {(G, "foreign")}),
    "a generator that learns far too fast": (G, dict(generator_lr=.3, model=dict(max_stage_tokens=40)), {(G, "divergence")}),
    "a discriminator that learns far too fast": (D, dict(discriminator_lr=.3, model=dict(max_test_tokens=40)), {(D, "divergence")}),
    "a learning rate of nearly nothing": (G, dict(generator_lr=1e-9), {(G, "unmoved")}),
    "a weight of the KL that outweighs all": (D, dict(ppo=dict(kl_coef=1e5)), {(D, "held")}),
    "answers without variety": (G, dict(model=dict(temperature=.02)), {(G, "certain"), (G, "nothing_kept")}),
    "a discriminator without variety": (D, dict(model=dict(temperature=.005), n_lists=6, discriminator_lr=1e-5), {(D, "alike")}),
    "answers of noise": (G, dict(model=dict(temperature=20., max_stage_tokens=20, max_test_tokens=20)), {(G, "noise")}),
    "a discriminator of noise": (D, dict(model=dict(temperature=20., max_stage_tokens=20, max_test_tokens=20)), {(D, "noise")}),
    "problems that no answer can solve": (G, dict(problems=UNRELATED, reward="baseline"), {(G, "one_reward")}),
    "problems that all answers solve": (G, dict(problems=EASY, reward="baseline"), {(G, "learned")}),
}

@pytest.mark.parametrize("name", WRONG)
def test_a_run_that_cannot_learn_is_named(name):
    role, settings, wanted = WRONG[name]
    seen = watched(role, wanted, **settings)
    assert wanted <= seen

def test_all_alarms_are_tried():
    assert {kind for _, _, wanted in WRONG.values() for _, kind in wanted} == set(RULES)

HEALTHY = gzip.open(Path(__file__).with_name("healthy.jsonl.gz"), "rt").read().splitlines()

@pytest.mark.parametrize("run", [json.loads(o) for o in HEALTHY], ids=lambda run: run["name"])
def test_healthy_runs_raise_no_alarm(run):
    "The figures of whole runs, as the rules read them (tests/healthy.py wrote them)"
    watch = Hopeless()
    assert len(run["steps"]) >= 10
    for i, (role, figures) in enumerate(run["steps"], 1): assert not watch.look(i, 1, role, **figures), i

def test_a_run_that_has_learned_everything_ends_well(tmp_path):
    "Every answer is right, so no answer teaches anything: that is no reason to stop"
    model = ModelConfig(device="cpu", chain_stages=(5,), max_stage_tokens=60, temperature=.01)
    with Sandbox() as sandbox: tried = play(Players(model), tiny_problems("train", 40), sandbox, 2, stages=(), seed=1)
    known = [m.problem for m in tried.matches if all(c.solved for c in m.chains)]
    assert len(known) > 8
    config = TrainingConfig(out=str(tmp_path / "run"), model=model, stages=(5,), reward="baseline", n_generator_steps=5, k_alternating_steps=0, problems_per_step=4,
                            n_samples=2, eval_samples=1, n_mutants=0, episodes=0, hopeless_steps=3)
    with AdversarialTrainer(config, known, progress=False) as trainer: trainer.train_full_pipeline()
    lines = [json.loads(o) for o in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert [(o["solved"], o["rows_kept"]) for o in lines] == [(1, 0)] * 5 and (tmp_path / "run/summary.json").exists()
    assert "learned" in {o.kind for o in read_alarms(config.out)}

def test_one_wrong_answer_among_equal_rewards_is_hopeless():
    watch = Hopeless()
    row = dict(spread=0., groups_mixed=0., rows_kept=0., reward=.5)
    assert {o.kind for i in range(5) for o in watch.look(i, 1, "generator", **row, solved=.9)} == {"one_reward"} and watch.idle["generator"] == 5
    for i in range(5): seen = watch.look(i, 1, "generator", **row, solved=1., kl=0.)
    assert [o.kind for o in seen] == ["learned"] and watch.idle["generator"] == 0

@pytest.fixture
def few(tmp_path):
    "Options of a run of a few seconds in which every answer has one token"
    asked = [dict(id=p.id, description=p.description, function_signature=p.function_signature, baseline_tests=[list(o) for o in p.baseline_tests],
                  reference_solution=p.reference_solution) for p in TINY[:4]]
    (tmp_path / "few.json").write_text(json.dumps(asked))
    return [*FEW, "--problems", tmp_path / "few.json"]

FEW = ["--problems-per-step", 4, "--n-samples", 3, "--n-lists", 3, "--n-programs", 1, "--eval-samples", 1, "--n-mutants", 0, "--device", "cpu",
       "--chain-stages", "1,5", "--stages", 5, "--episodes", 0, "--max-stage-tokens", 1, "--max-test-tokens", 30]

def test_the_command_ends_with_status_1_and_one_sentence(tmp_path, few):
    done = call("train", *few, "--out", tmp_path / "run")
    assert done.exit_code == 1 and not done.stdout and not done.exception, done
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("chained-adv: this run can't learn (10 steps of the discriminator in a row, alarm 'cut'): ")
    assert "Raise --max-stage-tokens" in last and last.endswith("go on with --hopeless-steps 0") and "Traceback" not in done.stderr
    lines = [json.loads(o) for o in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert len(lines) == 10 and lines[-1]["generator_cut"] == 1 and lines[-1]["generator_length"] == 1

def test_a_setting_goes_on(tmp_path, few):
    "The run that was stopped ends as any other, as the sentence says"
    few += ["--first-discriminator-steps", 3, "--n-generator-steps", 1, "--k-alternating-steps", 0]
    assert call("train", *few, "--out", tmp_path / "run", "--hopeless-steps", 3).exit_code == 1
    done = call("train", "--out", tmp_path / "run", "--resume", "--hopeless-steps", 0)
    assert done.exit_code == 0 and (tmp_path / "run/summary.json").exists(), done.stderr

def test_a_resumed_run_remembers():
    watch, other = Hopeless(), Hopeless()
    row = dict(spread=0., groups_mixed=0., rows_kept=0., reward=0.)
    for i in range(5): watch.look(i, 1, "generator", **row)
    other.restore(json.loads(json.dumps(watch.state())))
    other.look(6, 1, "generator", **row)
    assert other.idle["generator"] == 6
    assert not other.look(7, 1, "generator", **row | dict(spread=.5, groups_mixed=1., rows_kept=1.)) and other.idle["generator"] == 0
