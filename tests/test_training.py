"""Small real runs: the same seed gives the same numbers, every estimator trains, and what is broken stops with its name."""
import json, math, subprocess, sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest, torch
from accelerate.tracking import LOGGER_TYPE_TO_CLASS, GeneralTracker

from chained_adv.callbacks import Alarm, Callback, FuzzInputs, Guard, read_alarms
from chained_adv.checkpoints import CheckpointManager
from chained_adv.core import ConfigError, Problem, ProblemError, TrainingError
from chained_adv.models import ModelConfig, Player
from chained_adv.mutants import find_live_mutants
from chained_adv.ppo import PPOConfig
from chained_adv.rewards import REWARD_SCHEMES, RewardScheme
from chained_adv.config import TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.tracking import read_evaluations, read_metrics
from chained_adv.trainer import AdversarialTrainer

TRAIN, HELD_OUT = tiny_problems("train", 25)[:8], tiny_problems("held_out", 25)[:1]

@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)

def small(**kw):
    kw["ppo"] = PPOConfig(**kw.pop("ppo", {}))
    short = dict(chain_stages=(1, 2, 5)) # three answers of a chain, not five
    model = ModelConfig(device="cpu", adapters=kw.pop("adapters", "stage"), max_stage_tokens=60, max_test_tokens=48, **short)
    few = dict(problems_per_step=3, n_samples=4, n_lists=3, n_programs=3, n_discriminator_steps=1, first_discriminator_steps=0,
               n_generator_steps=1, k_alternating_steps=1, eval_samples=1, n_mutants=0)
    return TrainingConfig(**{"model": model, "stages": (1, 2), "order": "uniform", **few, **kw})

def trainer(more=(), **kw):
    return AdversarialTrainer(small(**kw), TRAIN, HELD_OUT, progress=False, callbacks=[make() for make in more],
                              selection=TRAIN[:1])

def run(folder, more=(), **kw):
    with trainer(more, out=str(folder), **kw) as t: t.train_full_pipeline()
    return metrics(folder)

def metrics(folder): return [{k: v for k, v in o.items() if not k.startswith("seconds")} for o in read_metrics(folder)]

def moved(before, after): return {k for k in before for n in before[k] if not torch.equal(before[k][n], after[k][n])}

def scheme(monkeypatch, name, generator, discriminator, **kw):
    monkeypatch.setitem(REWARD_SCHEMES, name, RewardScheme(name, generator, discriminator, **kw))
    return name

GAE = dict(advantage="gae")


def steps(*roles, stage=1, **kw):
    "(lines without seconds, weights) after a step of each role"
    with trainer(**kw) as t:
        lines = [o for role in roles for o in (t.train_generator_epoch if role == "generator" else t.train_discriminator_epoch)(stage, 1)]
        return [{k: v for k, v in o.items() if not k.startswith("seconds")} for o in lines], t.players.state()

@pytest.mark.parametrize("ppo, joint", [({}, True), ({}, False), (GAE, True)], ids=["group", "one by one", "gae"])
def test_same_seed_same_metrics(ppo, joint):
    first, again, other = (steps("discriminator", "generator", ppo=ppo, joint=joint, seed=seed) for seed in (0, 0, 1))
    assert first[0] == again[0] and not moved(first[1], again[1])
    assert first[0] != other[0] and moved(first[1], other[1])

class Stopped(Exception): pass

class StopInStage2(Callback):
    def after_step(self, line, rollout, samples):
        if line["role"] == "generator" and line["stage"] == 2: raise Stopped

def run_in_parts(folder, more=(), **settings):
    "A run that is stopped within stage 2, and then resumed"
    with trainer([*more, StopInStage2], out=str(folder), **settings) as t:
        with pytest.raises(Stopped): t.train_full_pipeline()
    with trainer(more, out=str(folder), **settings) as t: t.train_full_pipeline(resume=True)

def model(**kw):
    return ModelConfig(**dict(device="cpu", adapters="stage", max_stage_tokens=60, max_test_tokens=48, chain_stages=(1, 2, 5)) | kw)

VARIANTS = {
    "default": {}, "tests at the last stage": dict(model=model(test_stages=(5,))), "all weights": dict(adapters="full"),
    "a discriminator that does not learn": dict(n_discriminator_steps=0), "a fuzzer": dict(model=model(discriminator_model="fuzz:8:wide")),
    "inputs, and a fuzzer beside": dict(model=model(tests="inputs"), callbacks=("fuzz:8",)),
    "direct code": dict(model=model(chain_stages=(5,)), stages=(5,), n_generator_steps=2)}

@pytest.mark.parametrize("name", ["all weights", "a fuzzer"]) # more of them in test_oracle
def test_a_resumed_run_is_the_same(tmp_path, name):
    "The same lines, and the same weights to the last bit. The eight runs of test_oracle.py are resumed, too"
    run_in_parts(tmp_path / "parts", **VARIANTS[name])
    assert metrics(tmp_path / "parts") == run(tmp_path / "whole", **VARIANTS[name])
    parts, whole = (CheckpointManager(tmp_path / o / "checkpoints").load_checkpoint("stage_2") for o in ("parts", "whole"))
    assert parts.tensors and not moved(parts.tensors, whole.tensors)
    assert parts.metrics == whole.metrics and parts.state["sampler"] == whole.state["sampler"]

def test_a_resume_that_computes_in_another_way_says_so(tmp_path, recwarn):
    "And one that computes as before says nothing; the way of the first is forged here"
    run(tmp_path / "run", stages=(1,))
    for forged in ({}, dict(merged=False, precision="bfloat16")):
        facts = json.loads((tmp_path / "run" / "config.json").read_text())
        facts["computing"]["shared"] |= forged
        (tmp_path / "run" / "config.json").write_text(json.dumps(facts))
        recwarn.clear()
        with trainer(out=str(tmp_path / "run"), stages=(1,)) as t: t.train_full_pipeline(resume=True)
        said = [str(o.message) for o in recwarn if "goes on in another way" in str(o.message)]
        assert len(said) == bool(forged)
    assert "(precision of shared: bfloat16, now float32; merged of shared: False, now True), so it won't be exactly" in said[0]
    assert json.loads((tmp_path / "run" / "config.json").read_text())["computing"]["shared"]["merged"] is True

@pytest.mark.parametrize("name", ["default", "inputs, and a fuzzer beside", "direct code"])
def test_tokens_are_those_that_the_sampler_wrote(tmp_path, monkeypatch, name):
    "Of all calls of the sampler, whatever became of the answers: training and evaluation, none left out"
    from chained_adv import sampling as rows
    sampled, sample_tokens = [], rows.sample_tokens
    def counting(*args, **kw):
        answers = sample_tokens(*args, **kw)
        sampled.append(sum(len(ids) for ids, *_ in answers))
        return answers
    monkeypatch.setattr(rows, "sample_tokens", counting)
    with trainer(out=str(tmp_path / "run"), **VARIANTS[name] | dict(order="difficulty")) as t:
        summary = t.train_full_pipeline()
        assert summary["generated_tokens"] + summary["evaluation_tokens"] == sum(sampled)
        before = sum(sampled)
        line, = t.train_generator_epoch(t.config.stages[-1], 1)
        assert line["generated_tokens"] == sum(sampled) - before
    assert summary["generated_tokens"] == sum(o["generated_tokens"] for o in read_metrics(tmp_path / "run"))

@pytest.mark.parametrize("settings", [{}, dict(stages=(4, 5)), dict(reward="baseline")], ids=["one stage", "together", "baseline"])
def test_a_budget_holds(tmp_path, settings):
    "Within three per cent, by whole problems; a problem costs less than that here"
    budget = 8_000
    run(tmp_path, token_budget=budget, n_samples=2, model=model(chain_stages=(4, 5)), **{"stages": (5,), **settings})
    assert abs(sum(o["generated_tokens"] for o in read_metrics(tmp_path)) - budget) <= .03 * budget

def test_values_are_logged(plain):
    lines, _ = steps("generator", "discriminator", "generator", "discriminator", ppo=GAE, joint=False)
    assert all(math.isfinite(o["value_loss"]) for o in lines)
    assert all(o["explained_variance"] is None for o in lines[:2]) # a fit to the batch itself is no prediction
    assert all(o["explained_variance"] <= 1 for o in lines[2:])
    assert not any(k in plain[0][0] for k in ("value_loss", "explained_variance", "sampler_gap"))

@pytest.mark.parametrize("adapters", ["unified", "full"])
def test_values_with_other_adapters(adapters):
    line, = steps("discriminator", adapters=adapters, ppo=GAE)[0]
    assert math.isfinite(line["value_loss"]) and line["rows_kept"] == 1

SETTINGS = [dict(scale="none"), dict(scale="group"), dict(advantage="gae")]

@pytest.fixture(scope="module")
def plain():
    torch.set_num_threads(1)
    return steps("discriminator")

@pytest.mark.parametrize("ppo", SETTINGS, ids=lambda o: "-".join(o))
def test_settings_act(ppo, plain):
    "Each setting changes what a step does to the weights"
    (line,), after = steps("discriminator", ppo=ppo)
    assert moved(plain[1], after) == {"shared.discriminator_1"}

@pytest.mark.parametrize("ppo", [{}, GAE], ids=["group", "gae"])
@pytest.mark.parametrize("role, joint", [("generator", True), ("generator", False), ("discriminator", True)])
def test_equal_rewards_change_no_weight(monkeypatch, ppo, role, joint):
    flat = scheme(monkeypatch, "flat", lambda *_: .5, lambda *_: .5)
    with trainer(reward=flat, ppo=ppo, joint=joint) as t:
        before = t.players.state()
        line, = (t.train_generator_epoch if role == "generator" else t.train_discriminator_epoch)(1)
        assert not moved(before, t.players.state()) and line["rows_kept"] == 0

def spoil(weights): weights[0].data[0, 0] = math.nan

def test_nan_in_the_weights_stops_the_run():
    with trainer() as t:
        t.train_discriminator_epoch(1)
        before = t.players.state()
        spoil(list(t.players.discriminator.parameters(1).values()))
        with pytest.raises(TrainingError, match=r"step 2, stage 1, discriminator: .*sampler's log-probability of row \d+, token \d+ is nan.*Likely cause: half precision overflowed while sampling"):
            t.train_discriminator_epoch(1)
        assert {k for k in moved(before, t.players.state())} == {"shared.discriminator_1"} # the NaN put there by hand, and no other adapter
        assert sum(torch.isnan(o).sum().item() for o in t.players.state()["shared.discriminator_1"].values()) == 1

def test_nan_in_a_gradient_stops_the_run_before_the_weights():
    with trainer() as t:
        before = t.players.state()
        weights = list(t.players.discriminator.parameters(1).values())
        weights[1].requires_grad_(True).register_hook(lambda grad: grad * math.nan)
        with pytest.raises(TrainingError, match=r"step 1, stage 1, discriminator: update 1 .*: the gradient of parameter 1 of \d+ .* is nan.*Likely cause: learning rate too high"):
            t.train_discriminator_epoch(1)
        assert not moved(before, t.players.state())

def test_nan_in_a_hidden_state_stops_the_run():
    with trainer(ppo=GAE, adapters="stage") as t:
        features, player = t.players.generator.features, t.players.generator
        player.features = lambda *args: features(*args).index_fill_(1, torch.tensor([3]), math.nan)
        with pytest.raises(TrainingError, match=r"step 1, stage 1, generator: .*the hidden state of row 0, channel 3 is nan.*Likely cause: half precision overflowed"):
            t.train_generator_epoch(1)

def test_nan_in_a_reward_stops_the_run(monkeypatch):
    name = scheme(monkeypatch, "broken", lambda *_: math.nan, lambda *_: .5)
    with trainer(reward=name) as t:
        with pytest.raises(TrainingError, match="reward scheme broken gave the generator nan"): t.train_generator_epoch(1)

@pytest.mark.parametrize("wrong, words", [
    (dict(n_samples=1), "n_samples is 1; it must be at least 2"),
    (dict(timeout=0.), "timeout is 0.0; it must be above 0"),
    (dict(callbacks=("bnak:8",)), "callback 'bnak:8': choose one of fuzz, stop_on_alarm"),
    (dict(callbacks=("fuzz:0",)), "fuzz:0:near: write fuzz:NUMBER"),
    (dict(callbacks=("stop_on_alarm:3",)), "callback 'stop_on_alarm:3' cannot be made"),
    (dict(callbacks=("no_such_package.x:Y",)), "no_such_package.x cannot be imported"),
    (dict(callbacks=("chained_adv.core:Problem",)), "chained_adv.core has no class Problem that derives"),
])
def test_bad_settings_are_refused(wrong, words):
    with pytest.raises(ConfigError, match=words): trainer(**wrong)

def test_a_callback_of_the_users_own_is_named_by_its_path():
    "With a number behind it, as the callbacks of the package"
    with trainer(callbacks=("chained_adv.callbacks:FuzzInputs:3", "fuzz")) as t:
        assert [o.n for o in t.callbacks if isinstance(o, FuzzInputs)] == [3, 8]

class Hooks(Callback):
    "Writes down what it is called with"
    def __init__(self): self.seen = []
    def attach(self, trainer): self.trainer = trainer; self.seen.append("attach")
    def before_run(self): self.seen.append("before_run")
    def before_stage(self, stage): self.seen.append(f"before_stage {stage}")
    def after_step(self, line, rollout, samples): self.seen.append(f"after_step {line['role']}")
    def after_phase(self, phase): self.seen.append(f"after_phase {phase.name}")
    def after_stage(self, stage): self.seen.append(f"after_stage {stage}")
    def evaluating(self, stage, split, part): self.seen += [f"evaluating {stage} {split}"] if part == "samples" else []
    def after_evaluation(self, stage, evaluations): self.seen.append(f"after_evaluation {stage} {'+'.join(evaluations)}")
    def after_run(self, summary): self.seen.append("after_run" if summary else "after_run, failed")

EVALUATED = ["evaluating 0 train", "evaluating 0 held_out"]

def test_hooks_are_called_in_order(tmp_path):
    with trainer([Hooks], out=str(tmp_path / "run"), stages=(1,), n_generator_steps=2) as t: t.train_full_pipeline()
    assert t.callbacks.find(Hooks).seen == [
        "attach", "before_run", *EVALUATED, "after_evaluation 0 train+held_out", "before_stage 1",
        "after_step discriminator", "after_phase discriminator", "after_step generator", "after_step generator", "after_phase generator",
        "after_step generator", "after_step discriminator", "after_phase alternating", "after_stage 1",
        *[o.replace("0", "1") for o in EVALUATED], "after_evaluation 1 train+held_out", "after_run"]

class Remember(GeneralTracker):
    "A tracker that keeps everything in a list"
    name, requires_logging_directory, tracker, lines = "json", False, None, [] # named as a package that is there
    def __init__(self, project): super().__init__()
    def log(self, values, step=None): self.lines.append((step, values))
    def finish(self): self.lines.append("finished")

def test_a_tracker_gets_every_step_and_evaluation_of_a_run(tmp_path, monkeypatch):
    monkeypatch.setitem(LOGGER_TYPE_TO_CLASS, "json", Remember)
    monkeypatch.setattr(Remember, "lines", [])
    rows = run(tmp_path / "run", stages=(1,), trackers=("json",))
    *logged, last = Remember.lines
    assert last == "finished" and [step for step, o in logged if "role" in o] == [o["step"] for o in rows]
    evaluated = [o for _, o in logged if "held_out/solved" in o]
    assert len(evaluated) == 2 and any(k.startswith("held_out/by_tag/") for k in evaluated[0])
    assert all(isinstance(v, (int, float, str)) for _, o in logged for v in o.values())

def test_evaluations_of_a_run_have_equal_samples_of_a_problem():
    "Catch rates are by problem, whose tests add up: they can only be compared at as many samples"
    held_out = tiny_problems("held_out", 25)[:3]
    with AdversarialTrainer(small(eval_samples=6), TRAIN, held_out, progress=False, selection=TRAIN[:1]) as t:
        at = [*t.evaluate(0).values(), t.evaluate(1, ("held_out",), samples=3)["held_out"]]
        assert [(o.n, len(o.problems)) for o in at] == [(2, 1), (6, 3), (4, 2)]
    with AdversarialTrainer(small(eval_samples=4), TRAIN, held_out, progress=False, selection=TRAIN[:1]) as t:
        assert (t.each, len(t._evaluated("held_out", 0)), len(t._evaluated("held_out", 1)), len(t._evaluated("train", 0))) == (2, 3, 1, 1)

def test_an_evaluation_of_fewer_samples_uses_the_same_mutants():
    held_out = tiny_problems("held_out", 25)[:4]
    with AdversarialTrainer(small(eval_samples=4, n_mutants=2), TRAIN, held_out, progress=False, selection=TRAIN[:1]) as t:
        half = t.evaluate(1, ("held_out",), tested=.5, samples=2)["held_out"]
        assert len(half.problems) == half.n == 2 and len(t.mutants["held_out"]) == 1 # only the problem that got tests needs mutants
        whole = t.evaluate(2, ("held_out",))["held_out"]
        assert t.mutants["held_out"] == find_live_mutants(held_out, t.sandbox, 2, t.config.seed)
        assert len(whole.problems) == whole.n == 4 and len(half.values["mutation_score"]) < len(whole.values["mutation_score"])

def test_a_failed_run_is_over_for_its_callbacks_too(tmp_path):
    with trainer([Hooks, StopInStage2], out=str(tmp_path / "run")) as t:
        with pytest.raises(Stopped): t.train_full_pipeline()
    assert t.callbacks.find(Hooks).seen[-2:] == ["after_step generator", "after_run, failed"] and not t.in_run

HOLD = """import sys
from pathlib import Path
from chained_adv.checkpoints import hold_folder
lock = hold_folder(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()"""

def test_two_processes_cannot_train_in_one_folder(tmp_path):
    run(tmp_path, stages=(1,))
    before = {o: o.read_bytes() for o in tmp_path.rglob("*") if o.is_file()}
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "held\n"
    for how in ("resume", "overwrite"):
        with trainer(out=str(tmp_path), stages=(1,)) as t, pytest.raises(ConfigError, match="another process trains in"): t.train_full_pipeline(**{how: True})
    assert before == {o: o.read_bytes() for o in tmp_path.rglob("*") if o.is_file()}
    other.communicate("", timeout=60)
    with trainer(out=str(tmp_path), stages=(1,)) as t: t.train_full_pipeline(overwrite=True)

def test_a_run_is_not_resumed_without_the_callback_that_it_used(tmp_path):
    with trainer([lambda: FuzzInputs(2)], out=str(tmp_path / "run"), stages=(1,)) as t: t.train_full_pipeline()
    before = (tmp_path / "run" / "config.json").read_bytes()
    with trainer(out=str(tmp_path / "run"), stages=(1,)) as t:
        with pytest.raises(ConfigError, match="used the callback FuzzInputs"): t.train_full_pipeline(resume=True)
    assert (tmp_path / "run" / "config.json").read_bytes() == before


# The guard

def test_a_reward_for_the_number_of_tests_trips_the_guard(tmp_path, monkeypatch):
    "A reward that pays for writing many tests, right or wrong: within 10 steps the guard says so and stops the run"
    name = scheme(monkeypatch, "many", lambda *_: .5, lambda scheme, programs, *_: min(1., len(programs[0].verdicts) / 12))
    config = small(out=str(tmp_path / "run"), stages=(1,), reward=name, discriminator_lr=4e-3, n_discriminator_steps=10, n_generator_steps=0, k_alternating_steps=0, problems_per_step=8, n_lists=4, seed=2, callbacks=("stop_on_alarm",))
    with AdversarialTrainer(replace(config, model=ModelConfig(device="cpu", max_test_tokens=100, max_stage_tokens=60)), tiny_problems("train", 25)[:16], progress=False) as t:
        with pytest.raises(TrainingError, match=r"stage 1, discriminator, alarm '\w+': .*stop_on_alarm is set"): t.train_full_pipeline()
    first = read_alarms(tmp_path / "run")[0]
    assert first.kind == "hacking" and first.step <= 10 and "the reward rose" in first.saw and "fix the reward scheme" in first.advice
    assert [o["step"] for o in read_metrics(tmp_path / "run")] == list(range(1, first.step + 1)) # the step that showed it is logged

def test_alarms_go_with_the_checkpoint_when_a_run_is_resumed(tmp_path):
    with trainer(out=str(tmp_path / "run"), stages=(1,)) as t: t.train_full_pipeline()
    alarms = [asdict(Alarm(step, 1, "generator", "tame", "saw", "advice")) for step in (2, 99)]
    (tmp_path / "run/alarms.jsonl").write_text("".join(json.dumps(o) + "\n" for o in alarms))
    with trainer(out=str(tmp_path / "run"), stages=(1,)) as t: t.train_full_pipeline(resume=True)
    assert [o.step for o in read_alarms(tmp_path / "run")] == [2]

def test_the_guard_leaves_the_run_as_it_is(plain):
    with trainer() as t:
        t.callbacks.remove(t.callbacks.find(Guard))
        line, = t.train_discriminator_epoch(1, 1)
        without = t.players.state()
    assert plain[0] == [{k: v for k, v in line.items() if not k.startswith("seconds")}] and not moved(plain[1], without)

def test_alarms_about_a_generator_whose_stages_learn_together_span_the_rounds(tmp_path):
    "Its steps at all stages are one series; one after the other each stage has a series of its own"
    for joint, series in ((True, {1: 8}), (False, {1: 4, 2: 4})):
        with trainer(out=str(tmp_path / str(joint)), n_generator_steps=3, n_discriminator_steps=0, joint=joint) as t:
            t.train_full_pipeline()
            rows = t.callbacks.find(Guard).rows
            assert {stage: len(o) for (role, stage), o in rows.items() if role == "generator"} == series


# Verdicts that a program could forge, and programs that take too long

OWN_CLASS = "class Square:\n    def __init__(self, side): self.side = side\n    def area(self): return self.side ** 2\n"
ADD_AREAS = "def f(shapes): return sum(s.area() for s in shapes)"

def areas(id): return Problem(id, f"Add areas ({id}).", "def f(shapes):", (f"{OWN_CLASS}assert f([Square(2), Square(3)]) == 13 # {id}",), f"{ADD_AREAS} # {id}")

def written(monkeypatch, program, tests):
    "Let the generator write this program, and the discriminator these tests"
    sample = Player.sample
    def write(self, prompts, stage, *args, **kw):
        out = sample(self, prompts, stage, *args, **kw)
        for o in out: o.text = tests if self.role == "discriminator" else program if stage == 5 else o.text
        return out
    monkeypatch.setattr(Player, "sample", write)

def test_a_problem_that_needs_plain_verdicts_is_set_aside(tmp_path):
    "The run goes on without it, says so, and still evaluates a held-out problem of the kind"
    config = small(out=str(tmp_path / "run"), stages=(1,))
    with pytest.warns(UserWarning, match=r"^1 problem set aside .*'train'.*Square of the test cannot be passed.*`--unguarded trusted`"):
        t = AdversarialTrainer(config, [*TRAIN, areas("train")], [areas("held out")], progress=False, selection=[*TRAIN[:1], areas("train")])
    with t: summary = t.train_full_pipeline()
    assert t.problems == TRAIN and t.to_select == TRAIN[:1]
    assert not any("plain_verdicts" in o for o in metrics(config.out))
    counts = {(o["stage"], o["split"]): o.get("plain_verdicts") for o in read_evaluations(config.out)}
    assert counts == {(stage, split): 2 * (split == "held_out") or None for stage in (0, 1) for split in ("train", "held_out")} # sampled and greedy
    assert summary["plain_verdicts"] == dict(training=0, evaluation=4) and summary["set_aside"] == ["train"]
    assert json.loads(Path(config.out, "config.json").read_text())["set_aside"].keys() == {"train"}

def test_no_problem_is_left(tmp_path):
    with pytest.raises(ProblemError, match=r"no problem is left to train on: 2 problems set aside.*--unguarded trusted"):
        AdversarialTrainer(small(out=str(tmp_path / "run")), [areas("a"), areas("b")], progress=False)
    wrong = replace(areas("a"), reference_solution="def f(shapes): return 0")
    with pytest.raises(ProblemError, match="'a': the reference solution fails"): AdversarialTrainer(small(out=str(tmp_path / "run")), [wrong], progress=False)
    assert not any(tmp_path.iterdir())

def test_trusted_tests_reward_and_a_models_tests_never_run_plain(monkeypatch, tmp_path):
    written(monkeypatch, f"{ADD_AREAS} # written", f"{OWN_CLASS}assert f([Square(1)]) == 1")
    config = small(out=str(tmp_path / "run"), unguarded="trusted", reward="baseline", n_mutants=2)
    with AdversarialTrainer(config, [areas("a")], progress=False) as t:
        line, = t.train_generator_epoch(1, 1)
        assert (line["plain_verdicts"], line["solved"], line["generator_reward"]) == (config.n_samples, 1, 1)
        rollout = t.sample_rollout("discriminator", 1)
        assert t.evaluate(0)["train"].rate("mutation_score").value == 0 # there are mutants, and the model's tests judge none
    assert [v.passed for c in rollout.chains for v in c.baseline.verdicts if not v.guarded] == [True] * config.n_programs
    models = [v for o in rollout.lists for r in (o.result, o.validation) for v in r.verdicts]
    assert models and all(v.guarded and not v.passed for v in models)

def test_a_step_gives_a_slow_program_up_and_an_evaluation_does_not(monkeypatch, tmp_path):
    written(monkeypatch, "def f(n):\n    while n == 1: pass\n    return n", "(2, 2)")
    problem = Problem("same", "Return n.", "def f(n):", ([1, 1], [2, 2]), "def f(n): return n")
    with AdversarialTrainer(small(out=str(tmp_path / "run"), timeout=.2), [problem], progress=False) as t:
        rollout, measured = t.sample_rollout("discriminator", 1), t.evaluate(0)["train"]
    assert [[v.passed for v in c.baseline.verdicts] for c in rollout.chains] == [[False, False]] * 3
    assert measured.rate("baseline_pass_rate").value == .5 and measured.rate("bug_catch_rate").value == 0
