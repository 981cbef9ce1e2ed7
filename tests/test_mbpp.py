"Real problems with loose tests: every reference of the shared half of MBPP passes all its asserts, but those that are named here"
import json
from pathlib import Path
import pytest
from chained_adv.sandbox import Job, Sandbox

# Half of MBPP's sanitized problems (CC-BY 4.0), kept beside the checkout and not in it
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "mbpp" / "sanitized_mbpp_even.jsonl"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="MBPP is not there (../shared/data/mbpp/sanitized_mbpp_even.jsonl beside the checkout); nothing of it is copied here")

EXCEPTIONS = {} # task id -> why its reference does not pass all its asserts

@pytest.fixture(scope="module")
def problems(): return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=4, workers=2) as b: yield b

def asserts(p): return "\n".join(p.get("test_imports", []) + p["test_list"])

def test_references_pass(problems, box):
    results = box.run_many([Job(p["code"], asserts(p), reference=r) for p in problems for r in (None, p["code"] + "\n# the reference")])
    failed = {}
    for p, pair in zip(problems, zip(results[::2], results[1::2])):
        for how, r in zip(("live", "recorded"), pair):
            if r.num_passed != len(p["test_list"]): failed.setdefault(p["task_id"], (how, r.errors))
    print(f"\n{len(problems) - len(failed)} of {len(problems)} references pass all their asserts ({sum(r.num_total for r in results[::2])}); not: {failed}")
    assert {k: v for k, v in failed.items() if k not in EXCEPTIONS} == {}
    assert set(EXCEPTIONS) == set(failed), f"no longer exceptions: {set(EXCEPTIONS) - set(failed)}"

def test_wrong_programs_fail(problems, box):
    "Another problem's reference, and a program that returns nothing, pass no suite"
    nothing = box.run_many([Job(p["code"] + "\n_keep = dict(globals())\nfor _n, _o in _keep.items():\n    if getattr(_o, '__module__', None) == __name__ and not isinstance(_o, type): globals()[_n] = lambda *a, **k: None\n", asserts(p)) for p in problems])
    others = box.run_many([Job(q["code"], asserts(p)) for p, q in zip(problems, problems[1:] + problems[:1])])
    assert [p["task_id"] for p, r in zip(problems, nothing) if r.passed] == []
    assert [p["task_id"] for p, r in zip(problems, others) if r.passed] == []

def test_most_tests_are_valid(problems, box):
    results = [box.validate_tests_against_solution(asserts(p), p["code"]) for p in problems]
    total, valid = sum(r.num_total for r in results), sum(r.num_passed for r in results)
    print(f"\n{valid} of {total} asserts valid; not: {[(p['task_id'], v.reason[:60]) for p, r in zip(problems, results) for v in r.verdicts if v.test and not v.passed]}")
    assert valid / total > .98
