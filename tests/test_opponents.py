"Inputs alone, the fuzzer as a player and beside one, and a tester's own values: by hand-made cases"
import json
from dataclasses import replace
from functools import partial

import pytest
import torch
from hypothesis import given, settings, strategies as st
from chained_adv.batches import discriminator_batch
from chained_adv.callbacks import Callback, FuzzInputs, make_callback
from chained_adv.core import Chain, ConfigError, Problem, TestCase
from chained_adv.models import ModelConfig, Players
from chained_adv.opponents import (Fuzzer, can_fill, counted_tokens, fill_inputs, fill_lists, fuzz_inputs, fuzz_tests,
                                   fuzz_text, read_fuzz, write_lists)
from chained_adv.problems import load_problems
from chained_adv.matches import Match, TestList
from chained_adv.rollout import Rollout, judge, play, rollout_metrics
from chained_adv.sampling import Sample
from chained_adv.sandbox import Job, Sandbox
from chained_adv.trainer import CALLBACKS, check_config, stage_phases
from chained_adv.config import TrainingConfig
from chained_adv.testcases import REJECTIONS, Rejected, baseline_cases, parse_tests
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

parse_inputs = partial(parse_tests, calls=True)

ONE, TWO, IO = "def f(xs):", "def f(xs, k):", "def main():"
DOUBLE = Problem("double", "Return twice n.", "def double(n: int):", ([2, 4],), "def double(n): return 2 * n")


@pytest.fixture(scope="module")
def box():
    with Sandbox() as b: yield b


# text, signature, arguments of the calls, what of the text each call takes up
READ = [
    ("f([1, 2])\nf([])", ONE, [([1, 2],), ([],)], ["f([1, 2])", "f([])"]),
    ("assert f([1]) == [1]\nassert [2] == f([2])", ONE, [([1],), ([2],)], ["assert f([1])", "assert [2] == f([2])"]),
    ("([4,4,7],3,# 16 9\n1)\n([],1,#\n[4])", TWO, [([4, 4, 7], 3), ([], 1)], ["([4,4,7],3", "([],1"]),
    ("([4, 4], 3)\n([5], 1, 8)", TWO, [([4, 4], 3), ([5], 1)], ["([4, 4], 3)", "([5], 1"]),
    ("(([4, 4], 3), 8)", TWO, [([4, 4], 3)], ["(([4, 4], 3)"]),
    ("((1, 2), 3)", TWO, [(1, 2)], ["((1, 2)"]),
    ("([1, 2],)\n([3], 4)", ONE, [([1, 2],), ([3],)], ["([1, 2],)", "([3]"]),
    ("1. `f([1])`\n- f([2])\nprint(f([3]))", ONE, [([1],), ([2],), ([3],)], ["f([1])", "f([2])", "print(f([3]))"]),
    ("```python\nf([1], k=2)\n```", TWO, [([1],)], ["f([1], k=2)"]),
    ("with pytest.raises(ValueError):\n    f(-1)", ONE, [(-1,)], None),
    ("assert Solution().f([1])\nassert f([2]) is None", "def f(self, xs):", [([1],), ([2],)], None),
]

@pytest.mark.parametrize("i", range(len(READ)))
def test_calls_are_read(i):
    text, signature, args, pieces = READ[i]
    read = parse_inputs(text, "f", signature)
    assert [t.args for t in read.cases] == args and not read.rejected and read.format == "inputs"
    assert {(t.kind, t.expected) for t in read.cases} == {("equal", None)}
    if pieces: assert [text[slice(*t.span)] for t in read.cases] == pieces

@pytest.mark.parametrize("text, why", [
    ("assert sorted(f([1])) == [1]", "not one call"), ("f(g(1))", "not one call"), ("f(1, 2, 3)", "wrong arguments"),
    ("f([1", "unreadable"), ("I have none.", "unreadable"), ("f(10**10**10)", "too large")])
def test_what_is_no_call_is_refused(text, why):
    read = parse_inputs(text, "f", ONE)
    assert not read.cases and [o.why for o in read.rejected] == [why] and why in REJECTIONS

def test_a_program_that_reads_gets_texts():
    assert [(t.kind, t.args, t.expected) for t in parse_inputs("('3 4\\n', '7')", "", IO).cases] == [("io", ("3 4\n",), "")]

def test_full_tests_are_read_as_before():
    text = "f([1])\nassert f([2]) == 2"
    assert [t.args for t in parse_tests(text, "f", ONE).cases] == [([2],)]
    parse_inputs(text, "f", ONE)
    assert [t.span for t in parse_tests(text, "f", ONE).cases] == [(7, len(text))]

@settings(max_examples=40)
@given(st.text("f([1,2]) =\nassert\"'#é", max_size=60))
def test_any_text_is_read_or_refused(text):
    for o in parse_inputs(text, "f", ONE).items:
        assert isinstance(o, TestCase) or o.why in REJECTIONS
        assert 0 <= o.span[0] <= o.span[1] <= len(text)


def test_the_reference_says_the_value(box):
    read = parse_inputs("double(3)\nassert double(2) == 5\ndouble(None)\ndouble(3)", "double", "def double(n):")
    filled, = fill_inputs([(DOUBLE, read.items)], box)
    assert [getattr(o, "expected", None) for o in filled] == [6, 4, None, 6]
    assert isinstance(filled[2], Rejected) and filled[2].why == "no answer" and "TypeError" in filled[2].reason
    assert [o.span for o in filled] == [o.span for o in read.items]
    result = box.validate_tests_against_solution([o for o in filled if isinstance(o, TestCase)], DOUBLE.reference_solution, "double")
    assert result.passed and result.num_total == 3

def test_a_value_that_is_not_the_same_twice_is_none(box):
    p = replace(DOUBLE, reference_solution="import random\ndef double(n): return random.random()")
    filled, = fill_inputs([(p, parse_inputs("double(1)", "double").items)], box)
    assert "not the same" in filled[0].reason

def test_what_is_no_number_is_a_value(box):
    "nan is not equal to itself, and yet the same in two runs"
    mean = Problem("mean", "The mean of xs.", "def mean(xs):", (([2], 2.),), "def mean(xs): return sum(xs) / len(xs) if xs else float('nan')")
    test, = fill_inputs([(mean, parse_inputs("mean([])", "mean", "def mean(xs):").items)], box)[0]
    assert test.expected != test.expected
    right, wrong = box.run_many([Job(code, [test], "mean", "def mean(xs):") for code in (mean.reference_solution, "def mean(xs): return 0.")])
    assert right.pass_rate == 1 and wrong.pass_rate == 0

def test_answers_are_remembered(box, monkeypatch):
    items = [(DOUBLE, parse_inputs("double(77)", "double").items)]
    first = fill_inputs(items, box)
    monkeypatch.setattr(box, "call_many", lambda jobs, **_: [() for o in jobs if pytest.fail("asked again")])
    assert fill_inputs(items, box) == first

def test_a_number_too_long_to_be_shown_is_no_value(box):
    power = replace(DOUBLE, reference_solution="def double(n): return 10 ** n")
    long, short = fill_inputs([(power, parse_inputs("double(5000)\ndouble(3)", "double").items)], box)[0]
    assert isinstance(long, Rejected) and "4300 digits" in long.reason and short.expected == 1000

def test_a_value_whose_text_fails_is_no_value(box):
    odd = replace(DOUBLE, reference_solution="from collections import Counter\nfrom decimal import Decimal\ndef double(n): return Counter({'a': Decimal('nan'), 'b': Decimal(1)}) if n else 0")
    bad, good = fill_inputs([(odd, parse_inputs("double(1)\ndouble(0)", "double").items)], box)[0]
    assert isinstance(bad, Rejected) and good.expected == 0

def test_no_cache_and_no_items():
    with Sandbox(cache_size=0) as box:
        assert fill_inputs([], box) == [] and fill_inputs([(DOUBLE, [])], box) == [[]]
        assert fill_inputs([(DOUBLE, parse_inputs("double(4)", "double").items)], box)[0][0].expected == 8

@pytest.mark.parametrize("change, can", [({}, True), (dict(reference_solution=""), False),
                                         (dict(function_signature="def double(xs: list) -> None:"), False),
                                         (dict(function_signature="def double(xs: list)->None:"), False), (dict(function_signature="class LRU:\n    def get(self, k): ..."), False)])
def test_where_values_can_be_filled_in(change, can): assert can_fill(replace(DOUBLE, **change)) is can


def one_list(box, text, codes=("def double(n): return n + 2",), reward="per_test", read=parse_inputs):
    chains = [Chain(DOUBLE, outputs=[""] * 5, code=c) for c in codes]
    chains[0].lists = [TestList(5, Sample([], [], [], True, text), read(text, "double", DOUBLE.function_signature))]
    rollout = Rollout([Match(DOUBLE, chains)])
    judge(rollout, box, reward)
    return rollout

def test_credits_by_hand(box):
    "n + 2 is right for 2 only: caught by 3, which alone pays; an input costs .05; what the reference refuses costs more"
    t = one_list(box, "double(2)\ndouble(3)\nassert double(3) == 99\ndouble(None)").lists[0]
    assert t.credits == pytest.approx([-.05 / 4, (.8 + .2 - .05) / 4, -.05 / 4, -.28 / 4])
    assert t.reward == pytest.approx(sum(t.credits)) and t.validation.num_passed == 3

def test_the_same_list_in_full(box):
    "Read as full tests, the wrong value is invalid"
    t = one_list(box, "assert double(2) == 4\nassert double(3) == 99", read=parse_tests).lists[0]
    assert [v.passed for v in t.validation.verdicts] == [True, False]

def test_judging_twice_changes_nothing(box):
    rollout = one_list(box, "double(3)")
    before, items = rollout.lists[0].credits, rollout.lists[0].parsed.items
    fill_lists(rollout, box)
    judge(rollout, box)
    assert (rollout.lists[0].credits, rollout.lists[0].parsed.items) == (before, items)

def test_tokens_that_count():
    assert counted_tokens(7, [(0, 2), None, (4, 5)]) == [True, True, False, True, True, False, True]
    assert counted_tokens(0, []) == [] and counted_tokens(2, [(0, 9)]) == [True, True]

def test_only_calls_are_trained(box):
    players, problems = Players(ModelConfig(device="cpu", tests="inputs")), tiny_problems("train", 25)[:4]
    rollout = play(players, problems, box, stages=(5,), n_lists=3, seed=1)
    samples, batch = discriminator_batch(rollout, players.discriminator.base.tokenizer)
    decode = players.discriminator.base.tokenizer.decode
    for t, s in zip(rollout.lists, samples):
        assert len(s.counted) == len(s.ids) and s.counted[-1]
        kept = decode([i for i, c in zip(s.ids[:-1], s.counted) if c])
        for o in t.parsed.cases: assert s.text[slice(*o.span)] in kept
    full = Players(ModelConfig(device="cpu"))
    plain, _ = discriminator_batch(play(full, problems, box, stages=(5,), n_lists=3, seed=1), full.discriminator.base.tokenizer)
    assert all(s.counted is None for s in plain) and [s.ids for s in plain] == [s.ids for s in samples]
    masks = [players.discriminator.logprobs(o, 5)[2] for o in (samples, plain)]
    assert masks[0].sum() == sum(sum(s.counted) for s in samples) < masks[1].sum() == sum(batch.lengths)
    assert torch.equal(players.discriminator.logprobs(samples, 5)[0], players.discriminator.logprobs(plain, 5)[0])

def test_no_gradient_from_values(box):
    "A loss over the tokens that count has no gradient with respect to a value's log-probability"
    from chained_adv.ppo import compute_policy_loss
    logp = torch.zeros(1, 4, requires_grad=True)
    mask = torch.tensor([counted_tokens(4, [(0, 1)])])
    loss, _ = compute_policy_loss(logp, torch.zeros(1, 4), torch.ones(1), mask)
    loss.backward()
    assert (logp.grad != 0).tolist() == [[True, False, False, True]]


def test_prompts_ask_for_calls_only_where_a_reference_is():
    d = Players(ModelConfig(device="cpu", tests="inputs", prompts="plain", max_test_tokens=60)).discriminator
    assert "Only calls" in d.prompt(DOUBLE, 5, "x") and "Only calls" not in d.prompt(replace(DOUBLE, reference_solution=""), 5, "x")
    blind = Players(ModelConfig(device="cpu", prompts="auto-blind")).discriminator
    assert blind.prompts.name == "tags" and blind.prompt(DOUBLE, 2, "secret") == "def double(n: int):\nReturn twice n.<t2>"
    with pytest.raises(ConfigError, match="full, inputs"): Players(ModelConfig(tests="calls"))


BUILTIN = load_problems("builtin")

@pytest.mark.parametrize("wide", [False, True])
def test_what_the_fuzzer_writes_is_read_back(wide):
    for p in BUILTIN[::3]:
        drawn = fuzz_inputs(p, 6, 1, wide)
        read = parse_inputs(fuzz_text(p, drawn), p.entry_point, p.function_signature)
        assert drawn and [t.call_key for t in read.cases] == [t.call_key for t in drawn], p.id

def test_the_fuzzer_is_deterministic():
    for p in BUILTIN[:20]:
        keys = lambda *seed: [t.call_key for t in fuzz_inputs(p, 8, *seed)]
        assert keys((0, 1)) == keys((0, 1)) and len(set(keys((0, 1)))) == len(keys((0, 1)))
    assert sum([t.call_key for t in fuzz_inputs(p, 8, 1)] == [t.call_key for t in fuzz_inputs(p, 8, 2)] for p in BUILTIN[:20]) < 3

def test_constants_of_the_description_are_tried_near_and_not_wide():
    p = Problem("above", "Count those above 4711.", "def f(xs: list[int]):", (), "def f(xs): return sum(x > 4711 for x in xs)")
    found = lambda wide: {n for seed in range(5) for t in fuzz_inputs(p, 8, seed, wide) for n in t.args[0]}
    assert found(False) & {4710, 4711, 4712} and not found(True) & {4710, 4711, 4712}
    assert max(map(abs, found(True))) > 100

def test_annotations_stand_in_for_baselines():
    p = Problem("p", "", "def f(a: dict[str, int], b: float | None, c: tuple[int, str], d: bool):", (), "def f(a, b, c, d): return 1")
    for a, b, c, d in (t.args for t in fuzz_inputs(p, 12)):
        assert isinstance(a, dict) and all(isinstance(k, str) for k in a) and (b is None or isinstance(b, (int, float)))
        assert isinstance(c, tuple) and isinstance(d, bool)

def test_programs_that_read_are_fuzzed(box):
    p = Problem("sum", "Read two numbers, print the sum.", "def main():", ({"input": "3 4\n", "output": "7"},),
                "def main():\n    print(sum(map(int, input().split())))")
    drawn = fuzz_inputs(p, 4)
    assert {t.kind for t in drawn} == {"io"} and fuzz_text(p, drawn).startswith("('")

def test_what_the_reference_refuses_is_counted(box):
    p = Problem("inv", "Return 12 over n.", "def f(n: int):", ([3, 4], [4, 3]), "def f(n): return 12 // n")
    for seed in range(6):
        made, = fuzz_tests([p], box, 8, seed)
        zero = any(t.args == (0,) for t in fuzz_inputs(p, 8, seed))
        assert len(made.rejected) == zero and len(made.cases) == 8 - zero

@pytest.mark.parametrize("name", ["fuzz:0", "fuzz:x", "fuzz:8:narrow", "fuzzy:8"])
def test_wrong_names(name):
    with pytest.raises(ConfigError, match="like fuzz:8"): read_fuzz(name)


def test_the_fuzzer_plays_without_a_model(box):
    players, problems = Players(ModelConfig(device="cpu", discriminator_model="fuzz:5")), tiny_problems("held_out", 25)[:6]
    assert isinstance(players.discriminator, Fuzzer) and players.test_stages == (5,)
    assert set(players.state()) == {"shared.generator"}
    a, b = (play(players, problems, box, n_samples=2, seed=3) for _ in range(2))
    assert [t.answer.text for t in a.lists] == [t.answer.text for t in b.lists]
    assert len({t.answer.text for t in a.lists}) == len(a.lists) == 12
    metrics = rollout_metrics(a)
    assert metrics["generated_tokens"] == sum(len(s.ids) for c in a.chains for s in c.answers.values())
    assert 4.5 < metrics["num_tests"] <= 5 and metrics["validity"] > .7

def test_without_a_reference_the_fuzzer_writes_nothing():
    chain = Chain(replace(DOUBLE, reference_solution=""), outputs=[""] * 5)
    (answer, read), = write_lists(Fuzzer("fuzz", None, None), [chain], 5)
    assert (answer.text, read.items) == ("", [])

def test_nobody_learns_from_the_fuzzers_side():
    config = TrainingConfig(model=ModelConfig(discriminator_model="fuzz:8"))
    assert {r for s in config.stages for o in stage_phases(config, s) for r in o.roles} == {"generator"}

def test_callbacks_by_name():
    assert (make_callback("fuzz:8", CALLBACKS).n, make_callback("fuzz:8:wide", CALLBACKS).wide) == (8, True)
    assert not make_callback("fuzz:4", CALLBACKS).wide
    for wrong in ("fuzz:8:far", "fuzz:0", "fuzz:1.5", "bank:8", "fuzz:wide"):
        with pytest.raises(ConfigError): check_config(TrainingConfig(callbacks=(wrong,)))

SMALL = dict(n_discriminator_steps=1, first_discriminator_steps=0, n_generator_steps=1, k_alternating_steps=0,
             problems_per_step=3, n_samples=3, n_lists=2, eval_samples=2, n_mutants=0, stages=(1,))

class Earlier(Callback):
    "A test of earlier steps for each problem"
    def attach(self, trainer): trainer.earlier_tests = self.tests
    def tests(self, problem): return baseline_cases(problem)[:1]
    def __init__(self): self.seen = []
    def after_step(self, line, rollout, samples): self.seen.append(rollout)

@pytest.mark.parametrize("name", ["fuzz:3", "fuzz:3:wide"])
def test_training_beside_a_learned_tester_and_earlier_tests(box, tmp_path, name):
    config = TrainingConfig(out=str(tmp_path / "run"), model=ModelConfig(device="cpu", tests="inputs"), callbacks=(name,), **SMALL)
    earlier = Earlier()
    with AdversarialTrainer(config, tiny_problems("train", 25)[:6], sandbox=box, progress=False, callbacks=[earlier]) as trainer:
        lines = trainer.train_stage(1)
        added = trainer.callbacks.find(FuzzInputs)
        assert trainer.earlier_tests == earlier.tests and added.made > 3 * 3 and len(lines) == 2
    for rollout in earlier.seen:
        for c in rollout.chains: # the suite holds the earlier test and the fuzzer's, which no stage wrote
            valid = [v.test for v in c.validation.verdicts if v.passed]
            assert sum(t.stage is None for t in valid) >= 2 and earlier.tests(c.problem)[0].key in {t.key for t in valid}

def test_training_against_the_fuzzer_alone(box, tmp_path):
    config = TrainingConfig(out=str(tmp_path / "run"), model=ModelConfig(device="cpu", discriminator_model="fuzz:4"), **SMALL)
    with AdversarialTrainer(config, tiny_problems("train", 25)[:6], sandbox=box, progress=False) as trainer:
        summary = trainer.train_full_pipeline()
    lines = [json.loads(o) for o in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert {o["role"] for o in lines} == {"generator"} and all(o["num_tests"] > 3 for o in lines)
    assert summary["after"]


def test_commands_take_the_fuzzer(capsys):
    from calling import call as run
    done = run("evaluate", "tiny", "--discriminator", "fuzz:4", "--limit", "3", "--n-mutants", "0", "--json")
    found, = json.loads(done.stdout)
    assert done.exit_code == 0 and found["validity"]["value"] > .5
    wrong = run("solve", "--model", "tiny", "--discriminator", "fuzz:none")
    assert wrong.exit_code == 2
    solved = run("solve", "--model", "tiny", "--discriminator", "fuzz:4", "--json")
    tests = json.loads(solved.stdout)["tests"]
    assert len(tests) <= 4 and {t["stage"] for t in tests} <= {5, None}
