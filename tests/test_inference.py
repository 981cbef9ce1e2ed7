"""The engine: what it chooses by, what it never looks at, and what it does with odd problems."""
import json
from dataclasses import asdict, replace

import pytest
import torch

from chained_adv.checkpoints import CheckpointError, CheckpointManager
from chained_adv.core import Chain, ChainedAdvError, ConfigError, ExecutionResult, Problem, ProblemError, Verdict
from chained_adv.inference import InferenceEngine, InferenceResult, describe_chain, find_checkpoint, load_players
from chained_adv.models import ModelConfig, Player, Players
from chained_adv.sandbox import Sandbox
from chained_adv.tiny.world import tiny_problems

DOUBLE = Problem("double", "Return twice n.", "def double(n):", ([2, 4], [3, 6]), "def double(n):\n    return 2 * n")
SAMPLE = Player.sample
RIGHT, WRONG = "def double(n):\n    return n + n", "def double(n):\n    return n * n"

@pytest.fixture(scope="module")
def players(): return Players(ModelConfig(device="cpu", max_stage_tokens=6, max_test_tokens=6))

@pytest.fixture(scope="module")
def box():
    with Sandbox() as o: yield o

@pytest.fixture
def engine(players, box): return InferenceEngine(players, box)

def script(monkeypatch, programs, tests):
    "Let the generator's candidates be these programs, in order, and the discriminator write these tests at each stage"
    left = list(programs)
    def play(self, prompts, stage, *args, **kwargs):
        out = SAMPLE(self, prompts, stage, *args, **kwargs)
        for o in out:
            if self.role == "discriminator": o.text = tests
            elif stage == 5: o.text = left.pop(0)
        return out
    monkeypatch.setattr(Player, "sample", play)

# Choosing

def result(*passed): return ExecutionResult(tuple(Verdict(bool(o), "passed" if o else "wrong_value") for o in passed))

def test_the_choice_follows_tests_not_baseline_or_reference(monkeypatch, engine):
    "Two wrong programs agree with the wrong tests, one right program does not: the engine is misled, as it must be when it does not peek"
    script(monkeypatch, [RIGHT, WRONG, WRONG], "(3, 9)\n(1, 1)")
    r = engine.solve_problem(DOUBLE, n_candidates=3)
    assert r.code == WRONG and r.solved is False and [c.solved for c in r.candidates] == [True, False, False]
    assert r.valid_verdicts() == []

def test_the_best_of_several_by_good_tests(monkeypatch, engine):
    script(monkeypatch, [WRONG, RIGHT, RIGHT], "(3, 6)\n(1, 2)\n(2, 5)")
    r = engine.solve_problem(DOUBLE, n_candidates=3)
    assert r.code == RIGHT and r.solved is True and r.scores == [0, 4, 4]
    assert [v.passed for v in r.valid_verdicts()] == [True, True] and r.chain.result.num_total == 3
    d = r.as_dict()
    assert [c["chosen"] for c in d["candidates"]] == [False, True, False] and [t["valid"] for t in d["tests"]] == [True, True, False]

def test_no_look_at_the_reference_while_solving(monkeypatch, engine):
    "With and without reference and baseline tests the same candidate is chosen"
    for code in (RIGHT, WRONG):
        script(monkeypatch, [code, RIGHT, WRONG], "(3, 6)\n(3, 9)\n(4, 8)")
        with_all = engine.solve_problem(DOUBLE, n_candidates=3)
        script(monkeypatch, [code, RIGHT, WRONG], "(3, 6)\n(3, 9)\n(4, 8)")
        bare = engine.solve_problem(replace(DOUBLE, reference_solution="", baseline_tests=()), n_candidates=3)
        assert (with_all.code, with_all.scores) == (bare.code, bare.scores) and bare.solved is None and with_all.solved is not None

# Odd problems and programs

@pytest.mark.parametrize("program", ["", "no code", "def double(n): return (", "while True: pass", "def double(n):\n    return [n] * 10**9", "import os; os._exit(0)", "def other(n): return n"])
def test_hopeless_programs_are_not_solved(monkeypatch, players, program):
    script(monkeypatch, [program], "(1, 2)")
    with InferenceEngine(players, timeout=.5) as e: r = e.solve_problem(DOUBLE)
    assert r.solved is False and r.chain.baseline.num_passed == 0 and json.dumps(r.as_dict())

@pytest.mark.parametrize("tests", ["", "nonsense", "(1, 2", "[" * 500, "(1, 2)\n" * 50])
def test_hopeless_tests_do_not_matter(monkeypatch, engine, tests):
    script(monkeypatch, [RIGHT], tests)
    r = engine.solve_problem(DOUBLE)
    assert r.solved is True and r._repr_html_()

def test_solved_without_baseline_tests_needs_valid_tests(monkeypatch, engine):
    p = replace(DOUBLE, baseline_tests=())
    for code, tests, solved in ((RIGHT, "(1, 2)\n(1, 5)", True), (WRONG, "(1, 2)", False), (WRONG, "(2, 4)", True), (RIGHT, "(1, 5)", None), (RIGHT, "", None)):
        script(monkeypatch, [code], tests)
        assert engine.solve_problem(p).solved is solved

def test_a_wrong_reference_is_refused(engine):
    with pytest.raises(ProblemError, match="'double'.*baseline test 1"): engine.solve_problem(replace(DOUBLE, reference_solution="def double(n): return n + 2"))

def test_a_method_and_nodes(monkeypatch, engine):
    p = Problem("rev", "Reverse a list.", "def rev(self, head: ListNode) -> ListNode:", ([[1, 2], [2, 1]], [[], []]),
                "class Solution:\n    def rev(self, head):\n        back = None\n        while head: head.next, back, head = back, head, head.next\n        return back")
    script(monkeypatch, [p.reference_solution], "([1, 2, 3], [3, 2, 1])")
    r = engine.solve_problem(p)
    assert r.solved and [v.passed for v in r.valid_verdicts()] == [True]

def test_html_is_escaped(monkeypatch, engine):
    script(monkeypatch, ["<script>alert(1)</script>"], "(<script>, 1)")
    assert "<script>" not in engine.solve_problem(replace(DOUBLE, description="<script>x</script>"))._repr_html_()

# Batches and arguments

def test_a_batch_is_its_problems_one_by_one(engine):
    problems = tiny_problems("held_out", 25)[:3]
    batch = engine.solve_batch(problems)
    assert [r.chain.outputs for r in batch] == [engine.solve_problem(p).chain.outputs for p in problems]
    assert all(r.tokens <= 5 * 6 + 5 * 6 for r in batch) and len({id(r.chain) for r in batch}) == 3

def test_seconds_name_every_stage(engine):
    seconds = engine.solve_problem(DOUBLE).seconds
    assert set(seconds) == {f"{role}_{i}" for role in ("generator", "discriminator") for i in range(1, 6)} | {"execute"} and all(o >= 0 for o in seconds.values())

def test_seeds_and_temperature(engine):
    p = tiny_problems("held_out", 25)[0]
    texts = lambda **kw: [c.outputs for c in engine.solve_problem(p, n_candidates=3, n_test_lists=0, **kw).candidates]
    assert texts(seed=1) == texts(seed=1) and texts(seed=1)[0] == texts(seed=2)[0] # the first is greedy
    assert texts(temperature=5., seed=1) == texts(temperature=5., seed=1) != texts(temperature=5., seed=2)
    same = texts(temperature=0.)
    assert same[0] == same[1] == same[2]

@pytest.mark.parametrize("kw", [dict(n_candidates=0), dict(n_candidates=-1), dict(n_test_lists=-1)])
def test_impossible_numbers_are_refused(engine, kw):
    with pytest.raises(ConfigError, match="at least 1 candidate"): engine.solve_problem(DOUBLE, **kw)

def test_only_its_own_sandbox_is_closed(players):
    with Sandbox() as mine:
        with InferenceEngine(players, mine): pass
        assert mine.execute_tests(RIGHT, "(1, 2)", "double").passed
    with InferenceEngine(players) as e: pass
    assert e.sandbox.closed

# Checkpoints

def save(players, folder, name="stage_1", **state): return CheckpointManager(folder / "checkpoints").save_checkpoint(players.state(), dict(step=1, stage=1, model=asdict(players.config)) | state, dict(generator_reward=.5, validity=.5), name)

@pytest.mark.parametrize("adapters", ["stage", "role", "unified", "full"])
def test_weights_come_back_whatever_learns(tmp_path, box, adapters):
    p = Players(ModelConfig(device="cpu", adapters=adapters, max_stage_tokens=4, max_test_tokens=4))
    with torch.no_grad():
        for t in p.generator.parameters(3).values(): t.add_(.02)
    save(p, tmp_path)
    for path in (tmp_path, tmp_path / "checkpoints", tmp_path / "checkpoints/stage_1"):
        with InferenceEngine.from_checkpoint(path, "stage_1", "cpu", box) as e: found = e.players.state()
        assert found.keys() == p.state().keys() and all(torch.equal(found[k][n], t) for k, o in p.state().items() for n, t in o.items())
    assert e.players.config == p.config

def test_best_without_a_score_and_unknown_names(tmp_path, players):
    CheckpointManager(tmp_path / "checkpoints").save_checkpoint(players.state(), dict(step=1, stage=1, model=asdict(players.config)), {}, "stage_1")
    with pytest.raises(ChainedAdvError, match="no checkpoint 'best'.*stage_1"): find_checkpoint(tmp_path)
    assert find_checkpoint(tmp_path, "latest").name == "stage_1"

def test_damaged_checkpoints_are_said(tmp_path, players):
    manager = CheckpointManager(tmp_path / "checkpoints")
    for name in ("stage_1", "best"):
        manager.save_checkpoint(players.state(), dict(step=1, stage=1, model=asdict(players.config)), dict(generator_reward=.5, validity=.5), name)
    (tmp_path / "checkpoints/best/manifest.json").write_text("{")
    with pytest.warns(UserWarning, match="we use stage_1, because best is damaged"): assert find_checkpoint(tmp_path).name == "stage_1"
    (tmp_path / "checkpoints/stage_1/manifest.json").write_text("{")
    for name in ("best", "latest"):
        with pytest.raises(CheckpointError, match="manifest"): find_checkpoint(tmp_path, name)

@pytest.mark.parametrize("state", [dict(model=None), dict(model="tiny"), dict(model={"model": "tiny", "unheard_of": 1})])
def test_a_strange_state_is_refused(tmp_path, players, state):
    save(players, tmp_path, **state)
    with pytest.raises(ConfigError, match="names no model that this version knows"): load_players(find_checkpoint(tmp_path))

def test_weights_for_other_adapters_are_refused(tmp_path, players):
    save(players, tmp_path, model=asdict(replace(players.config, adapters="stage")))
    with pytest.raises(ConfigError, match="other adapters"): load_players(find_checkpoint(tmp_path), "cpu")

def test_a_damaged_checkpoint_is_refused(tmp_path, players):
    path = save(players, tmp_path)
    file = next(path.glob("*.safetensors"))
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ChainedAdvError, match=file.name): InferenceEngine.from_checkpoint(tmp_path, "stage_1")

def test_describe_chain_without_a_reference():
    c = Chain(DOUBLE, ["x"] * 5, RIGHT, result=result(1, 0), baseline=result())
    d = describe_chain(c)
    assert [t["valid"] for t in d["tests"]] == [None, None] and d["baseline"] == [] and InferenceResult(c, [c], [0], {}, 0).solved is None
