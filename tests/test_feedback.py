"Repair rounds and critiques with the shipped model: who is asked again, with what, and what it costs"
import json
from dataclasses import replace

import pytest

from chained_adv import inference
from chained_adv.core import Chain, ExecutionResult, Problem, TestCase, Verdict
from chained_adv.feedback import TOLD, describe_failed, failed_tests, generate_critique, with_feedback
from chained_adv.inference import InferenceEngine
from chained_adv.models import ModelConfig, Players
from chained_adv.stages import PROMPT_SETS, critique_prompt
from chained_adv.tiny.world import tiny_problems
from calling import call, refused

DOUBLE = Problem("double", "Return twice n.", "def double(n):", ([2, 4],), "def double(n): return 2 * n")

@pytest.fixture(scope="module")
def players(): return Players(ModelConfig(device="cpu"))

@pytest.fixture(scope="module")
def engine(players):
    with InferenceEngine(players) as engine: yield engine

def verdict(n, passed): return Verdict(passed, "passed" if passed else "wrong_value", "" if passed else f"got {n * n}\nexpected {2 * n}", TestCase((n,), 2 * n))

def chain(baseline, generated, valid, problem=DOUBLE):
    rows = lambda pairs: ExecutionResult(tuple(verdict(*o) for o in pairs))
    return Chain(problem, code="def double(n): return n * n", baseline=rows(baseline), result=rows(generated), validation=rows(valid))

def test_only_tests_that_may_be_right_are_told():
    about = chain([(2, True), (5, False)], [(3, False), (4, False), (5, False), (2, True)], [(3, True), (4, False), (5, True), (2, True)])
    assert [v.test.args[0] for v in failed_tests(about)] == [5, 3] # once each, those of the problem first, no invalid one
    assert [v.test.args[0] for v in failed_tests(replace(about, problem=replace(DOUBLE, reference_solution="")))] == [5, 3, 4]
    assert describe_failed(about) == "double(5) == 10 fails: got 25 expected 10\ndouble(3) == 6 fails: got 9 expected 6"
    assert describe_failed(chain([], [(2, True)], [(2, True)])) == ""
    many = chain([], [(n, False) for n in range(3, 20)], [(n, True) for n in range(3, 20)])
    assert len(describe_failed(many).splitlines()) == TOLD

@pytest.mark.parametrize("name", PROMPT_SETS)
def test_program_and_remarks_reach_the_prompt(name):
    from chained_adv.stages import generator_prompt
    asked = with_feedback(PROMPT_SETS[name], DOUBLE, "def double(n): return n * n", "double(3) == 6 fails")
    for stage in range(1, 6):
        prompt = generator_prompt(PROMPT_SETS[name], asked, stage, ["x"] * (stage - 1))
        assert "return n * n" in prompt and "double(3) == 6 fails" in prompt and "Return twice n." in prompt

def test_a_repair_adds_programs_where_tests_fail_and_nowhere_else(engine, monkeypatch):
    problems, asked, real = tiny_problems("held_out", 12), [], inference.sample_chains
    first = engine.solve_batch(problems, seed=3)
    def spy(players, problems, *args, **kwargs):
        asked.append(problems)
        return real(players, problems, *args, **kwargs)
    monkeypatch.setattr(inference, "sample_chains", spy)
    again = engine.solve_batch(problems, seed=3, repair=2)
    fails = [bool(describe_failed(r.chain)) for r in first]
    assert any(fails) and not all(fails) and len(asked) == 3 # the candidates, and two rounds
    assert [p.id for p in asked[1]] == [p.id for p, f in zip(problems, fails) if f]
    assert all(a.description.startswith(p.description) and "fails:" in a.description for a, p in zip(asked[1], (p for p, f in zip(problems, fails) if f)))
    for a, b, failed in zip(first, again, fails):
        assert b.candidates[0].outputs == a.chain.outputs and len(b.candidates) == 1 + 0 * failed if not failed else 2 <= len(b.candidates) <= 3
        assert all(c.problem is b.chain.problem for c in b.candidates) and b.tokens >= a.tokens
        assert all(len(c.result.verdicts) == len(a.chain.result.verdicts) for c in b.candidates) # the same tests
    asked.clear()
    assert [r.code for r in engine.solve_batch(problems, seed=3, repair=2)] == [r.code for r in again]

def test_a_given_example_that_fails_is_told(engine, monkeypatch):
    told = []
    monkeypatch.setattr(inference, "with_feedback", lambda prompts, problem, code, remarks: told.append(remarks) or with_feedback(prompts, problem, code, remarks))
    whole = tiny_problems("held_out", 1)[0]
    example = f"{whole.entry_point}({'[1], 2'[:3 + 3 * ('k' in whole.function_signature)]}) == 'no value'"
    problem = replace(whole, baseline_tests=(example,), reference_solution="")
    result = engine.solve_problem(problem, n_test_lists=0, repair=1)
    assert len(result.candidates) == 2 and "== 'no value' fails: got" in told[0]

def test_the_critique_joins_the_failed_tests(players, engine, monkeypatch):
    told = []
    monkeypatch.setattr(inference, "generate_critique", lambda players, problems, stage, codes, seed: [f"critique of {p.id} at {stage}" for p in problems])
    monkeypatch.setattr(inference, "with_feedback", lambda prompts, problem, code, remarks: told.append((problem.id, remarks)) or problem)
    engine.solve_batch(tiny_problems("held_out", 6), seed=3, repair=1, critique=True)
    assert told and all("fails:" in remarks and remarks.endswith(f"critique of {id} at 5") for id, remarks in told)

def test_a_critique_reads_the_stage_and_is_bounded():
    plain = Players(ModelConfig(device="cpu", prompts="plain", max_test_tokens=6))
    about = critique_prompt(plain.discriminator.prompts, DOUBLE, 3, "multiply n by n")
    assert "multiply n by n" in about and "Pseudocode" in about and about.rstrip().endswith(")")
    first, second = generate_critique(plain, [DOUBLE, DOUBLE], 3, ["multiply n by n", "add n to n"])
    assert all(len(plain.discriminator.base.tokenizer.encode(o)) <= 8 for o in (first, second))
    assert generate_critique(plain, [], 3, []) == []

def test_the_command(tmp_path):
    refused(call("solve", "--model", "tiny", "--critique"), "--repair")
    got = json.loads(call("solve", tiny_problems("held_out", 2)[1].id, "--model", "tiny", "--repair", 2, "--device", "cpu", "--json").stdout)
    assert 1 <= len(got["candidates"]) <= 3
