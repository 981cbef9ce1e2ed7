"Real problems: every canonical solution passes its `check`, programs that return nothing fail it"
import ast, json
from collections import Counter
from pathlib import Path
import pytest
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests

# 82 problems of HumanEval (MIT), kept beside the checkout and not in it: the file named here, or none
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "humaneval" / "HumanEval_even.jsonl"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="HumanEval is not there (../shared/data/humaneval/HumanEval_even.jsonl beside the checkout); nothing of it is copied here")

@pytest.fixture(scope="module")
def problems(): return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]

@pytest.fixture(scope="module")
def readings(problems): return [parse_tests(p["test"], p["entry_point"], signature(p)) for p in problems]

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=4, workers=2) as b: yield b

def signature(p):
    node = next(n for n in ast.parse(p["prompt"] + p["canonical_solution"]).body if isinstance(n, ast.FunctionDef) and n.name == p["entry_point"])
    node.body = [ast.Pass()]
    return ast.unparse(node).rsplit("pass", 1)[0].strip()

def code(p, body=None): return p["prompt"] + (p["canonical_solution"] if body is None else body)

def asserts(p): return [n for n in ast.walk(ast.parse(p["test"])) if isinstance(n, ast.Assert)]

def test_every_assert_is_in_a_test_or_asks_nothing(problems, readings):
    "What is refused is `assert True` and the like; all else stands in some test"
    total = read = empty = 0
    for p, got in zip(problems, readings):
        held = "\n".join(f"{t.text}\n{t.source}" for t in got.cases)
        for node in asserts(p):
            total += 1
            if isinstance(node.test, ast.Constant): empty += 1
            elif ast.get_source_segment(p["test"], node.test) in held or ast.unparse(node.test) in held: read += 1
    refused = Counter(o.why for read in readings for o in read.rejected)
    print(f"\n{total} asserts in {len(problems)} problems: {read} read, {empty} ask nothing; refused: {dict(refused)}")
    assert (total, empty) == (602, 29) and read + empty == total
    assert set(refused) <= {"calls nothing"}

def test_canonical_solutions_pass(problems, readings, box):
    "82 of 82, with all their tests, live and by record"
    jobs = [Job(code(p), got, p["entry_point"], signature(p), r) for p, got in zip(problems, readings) for r in (None, code(p) + "\n# the reference")]
    results = box.run_many(jobs)
    failed = {(p["task_id"], how): r.errors for p, pair in zip(problems, zip(results[::2], results[1::2])) for how, r in zip(("live", "recorded"), pair) if not r.num_total or r.num_passed != r.num_total}
    print(f"\n{len(problems)} references, {sum(r.num_total for r in results[::2])} tests each way; not all passed: {len(failed)}")
    assert failed == {}

def test_the_tests_are_valid(problems, readings, box):
    "All but a few by name: an assert that no wrong answer of ours fails tells nothing"
    results = [box.validate_tests_against_solution(got, code(p), p["entry_point"], signature(p)) for p, got in zip(problems, readings)]
    total, valid = sum(r.num_total for r in results), sum(r.num_passed for r in results)
    print(f"\n{valid} of {total} tests valid; not: {[(p['task_id'], v.reason[:60]) for p, r in zip(problems, results) for v in r.verdicts if v.test and not v.passed]}")
    assert valid / total > .99 and all(r.num_passed for r in results)

def test_wrong_solutions_fail(problems, readings, box):
    "`return None` passes no suite, and only tests that expect a false value"
    wrong = [code(p, "    return None\n") for p in problems]
    results = box.run_many([Job(w, got, p["entry_point"], signature(p), code(p)) for p, w, got in zip(problems, wrong, readings)])
    assert not [p["task_id"] for p, r in zip(problems, results) if r.passed]
    passed = Counter((v.test.kind, repr(v.test.expected)) for r in results for v in r.verdicts if v.passed)
    print(f"\n{sum(passed.values())} of {sum(r.num_total for r in results)} tests passed by `return None`: {dict(passed)}")
    assert set(passed) <= {("falsy", "False"), ("falsy", "None"), ("equal", "None"), ("exact", "None"), ("is", "None")}, passed
