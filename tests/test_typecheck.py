"What a type checker says about programs, in Python and in three commands: apart from the tests, in few calls, and without a run"
import json, subprocess

import pytest

from chained_adv import typecheck
from chained_adv.judge.program import ready_names
from chained_adv.typecheck import check_types
from calling import call, refused

PROBLEM = dict(id="half", description="Return half of n.", function_signature="def half(n: int) -> int:", baseline_tests=[[4, 2], [0, 0]],
               reference_solution="def half(n):\n    return n // 2")
RIGHT, LOOSE, WRONG = ("def half(n: int) -> int:\n    return n // 2", "def half(n: int) -> int:\n    if n % 2 == 0: return n // 2",
                       "def half(n: int) -> int:\n    return n")

def test_every_name_that_the_judge_provides_is_known():
    "But those that speak to the checker"
    names = sorted(ready_names().keys() - {"assert_type", "reveal_type"})
    assert not [(o, v.errors) for o, v in zip(names, check_types([f"def f():\n    return {o}" for o in names])) if not v.passed]

def test_a_batch_takes_two_calls(monkeypatch):
    calls, real = [], subprocess.run
    monkeypatch.setattr(typecheck.subprocess, "run", lambda *a, **k: calls.append(a) or real(*a, **k))
    said = check_types([RIGHT, LOOSE, WRONG, "def f(xs: List[int]) -> int:\n    return xs", "def f(head: Optional[ListNode]):\n    return head.next"] * 20)
    assert len(calls) == 2 and [o.passed for o in said] == [True, False, True, False, False] * 20
    assert said[3].errors == ("line 2: Returned type `list[int]` is not assignable to declared return type `int`",)

def test_nothing_of_a_program_runs(tmp_path):
    "Nor does a name of a module of ours or of the checker's help"
    evil = f"open({str(tmp_path / 'owned')!r}, 'w').write('x')"
    assert check_types([evil, f"import pyrefly, ready, json\n{evil}"])[0].passed
    assert not (tmp_path / "owned").exists()

@pytest.mark.parametrize("odd", ["", "\x00", "\ud800 = 1", "x = " + "(" * 10000, "def f(:\n" * 50, "# coding: utf-16\nx = 1", "\u202e = 1"])
def test_odd_programs_harm_no_other(odd):
    assert [o.passed for o in check_types([RIGHT, odd, LOOSE])][::2] == [True, False]

def test_a_checker_that_hangs_gives_no_verdict(monkeypatch):
    def hang(*a, **k): raise subprocess.TimeoutExpired("pyrefly", 1)
    monkeypatch.setattr(typecheck.subprocess, "run", hang)
    assert [o.passed for o in check_types([RIGHT, LOOSE])] == [None, None]

def test_judge_counts_types_apart(tmp_path):
    (tmp_path / "p.json").write_text(json.dumps([PROBLEM]))
    samples = tmp_path / "s.jsonl"
    samples.write_text("".join(json.dumps(dict(task_id="half", solution=o)) + "\n" for o in (RIGHT, LOOSE, WRONG)))
    asked = "judge", samples, "--problems", tmp_path / "p.json"
    shown = json.loads(call(*asked, "--typecheck", "--json").stdout)
    assert shown["passed"] == 2 and shown["types"] == dict(passed=2, failed=1, unchecked=0)
    lines = [json.loads(o) for o in (tmp_path / "s_results.jsonl").read_text().splitlines()]
    assert [(o["passed"], o["types"]["passed"]) for o in lines] == [(True, True), (True, False), (False, True)]
    assert "2 of 3 programs pass the type checker" in call(*asked, "--typecheck").stdout
    refused(call(*asked), "--overwrite")

def test_solve_and_evaluate_count_types_apart(tmp_path):
    (tmp_path / "p.json").write_text(json.dumps([PROBLEM, PROBLEM | dict(id="again", description="Halve n.")]))
    asked = "--problems", tmp_path / "p.json", "--device", "cpu", "--typecheck"
    r = call("solve", "half", "--model", "tiny", "--test-lists", 0, *asked)
    assert "of 1 programs pass the type checker" in r.stdout
    r = json.loads(call("evaluate", "tiny", "--n-mutants", 0, *asked, "--json").stdout)
    assert 0 <= r[0]["types_pass"]["value"] <= 1

def test_a_missing_checker_is_named_before_anything_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(typecheck, "find_spec", lambda name: None)
    for words in (("solve", "--model", "tiny"), ("evaluate", "tiny")): refused(call(*words, "--typecheck"), "chained_adv[typecheck]")
