"`chained-adv judge`: sample files that people have, resumed runs, cheats, wrong files"
import gzip, json, subprocess, sys, time
from pathlib import Path

import pytest

from calling import call
from chained_adv.core import Problem
from chained_adv.problems import save_problems
from chained_adv.samples import ProgramSample, SampleError, judge_samples, pass_rates, read_results, read_samples, whole_program
from chained_adv.sandbox import Sandbox
import chained_adv.samples as module

PROMPT = '\n\ndef add(a, b):\n    """ The sum. """\n'
ROWS = [dict(task_id=f"Mini/{n}", prompt=PROMPT.replace("add", f"add{n}"), entry_point=f"add{n}", canonical_solution=f"    return a + b + {n}\n",
             test=f"def check(candidate):\n    assert candidate(1, 2) == {3 + n}\n    assert candidate(0, 0) == {n}\n    assert candidate(-5, 1) == {n - 4}\n") for n in range(6)]

# What a reward that runs program and tests in one process calls right (notes of many projects); our own texts
CHEATS = {
    "leaves at import": "raise SystemExit(0)", "leaves in the call": "import os\n    os._exit(0)",
    "always equal": "class Any(int):\n        __eq__ = lambda *_: True\n        __ne__ = lambda *_: False\n        __hash__ = int.__hash__\n    return Any(7)",
    "patches builtins": "import builtins\n    builtins.AssertionError = type('E', (Exception,), {'__init__': lambda *_: __import__('os')._exit(0)})\n    builtins.all = builtins.any = lambda *_: True\n    return None",
    "a daemon thread": "import threading, os, time\n    threading.Thread(target=lambda: (time.sleep(.05), os._exit(0)), daemon=True).start()\n    while True: time.sleep(.01)",
    "reads frames": "import sys, re\n    frame = sys._getframe()\n    while frame:\n        for o in frame.f_locals.values():\n            if re.search('== (-?[0-9]+)', str(o)): return int(re.search('== (-?[0-9]+)', str(o))[1])\n        frame = frame.f_back",
    "excepthook": "import sys, os\n    sys.excepthook = lambda *_: os._exit(0)\n    raise ValueError",
    "atexit": "import atexit, os\n    atexit.register(lambda: os._exit(0))\n    raise ValueError",
    "replaces the check": "import sys\n    for m in [*sys.modules.values()]:\n        if hasattr(m, 'check'): m.check = lambda *_: None\n    return None"}

@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("problems.jsonl", ROWS)
    return tmp_path

def write(name, rows):
    text = "".join(json.dumps(o) + "\n" for o in rows)
    (gzip.open if name.endswith(".gz") else open)(name, "wt").write(text)

def right(n): return dict(task_id=f"Mini/{n}", completion=ROWS[n]["canonical_solution"])

def whole(n, right=True): return dict(task_id=f"Mini/{n}", solution=f"def add{n}(a, b): return a + b + {n if right else n + 1}")

def judged(*words, status=0):
    done = call("judge", *words, "--problems", "problems.jsonl", "--json")
    assert done.exit_code == status, done.stderr
    return json.loads(done.stdout)

def lines(name): return [json.loads(o) for o in Path(name).read_text().splitlines()]


def test_samples_of_humaneval_and_evalplus(here):
    write("s.jsonl", [right(0), whole(0), whole(0, False), right(1), whole(1, False), dict(whole(1), completion="no")])
    got = judged("s.jsonl", "--k", "1,2,3,4")
    assert (got["samples"], got["passed"], got["problems"], got["plain"], got["without_problem"]) == (6, 4, 2, 0, [])
    assert got["without_samples"] == [f"Mini/{n}" for n in range(2, 6)] and got["out"] == "s_results.jsonl"
    assert {k: o["value"] for k, o in got["pass_at_k"].items()} == {"1": pytest.approx(2 / 3, abs=1e-4), "2": 1., "3": 1.}
    rows = lines("s_results.jsonl")
    assert [o["passed"] for o in rows] == [True, True, False, True, False, True] and [o["sample"] for o in rows] == list(range(6))
    bad = rows[2]
    assert (bad["num_passed"], bad["num_total"], bad["guarded"], bad["reason"]) == (0, 3, True, "got 4, expected 3")
    assert [(v["outcome"], v["reason"]) for v in bad["verdicts"]] == [("wrong_value", o) for o in ("got 4, expected 3", "got 1, expected 0", "got -3, expected -4")]
    assert all("add0" in v["test"] for v in bad["verdicts"])

@pytest.mark.parametrize("kind", ["gz", "folder", "blank lines"])
def test_other_forms(here, kind):
    if kind == "gz": write("s.jsonl.gz", [right(0), whole(1)])
    elif kind == "blank lines": Path("s.jsonl").write_text("\n" + json.dumps(right(0)) + "\n\n" + json.dumps(whole(1)) + "\n\n")
    else:
        for n in (0, 1): (here / f"s/Mini_{n}").mkdir(parents=True); (here / f"s/Mini_{n}/0.py").write_text(whole(n)["solution"])
    got = judged({"gz": "s.jsonl.gz", "folder": "s", "blank lines": "s.jsonl"}[kind])
    assert (got["samples"], got["passed"], got["out"]) == (2, 2, "s_results.jsonl")

def test_what_a_completion_continues():
    p = Problem("p", "d", "def f(x):", ([1, 1],), "def f(x): return x")
    of = lambda text, prompts={}, whole=False: whole_program(ProgramSample("p", text, whole), p, prompts)
    assert of("    return x") == "def f(x):\n    return x" and of("\n\n\treturn x") == "def f(x):\n\n\n\treturn x"
    assert of("def f(x): return x") == "def f(x): return x" and of("    return x", {"p": "HEAD\n"}) == "HEAD\n    return x"
    assert of("    return x", {"p": "HEAD\n"}, True) == "    return x"

@pytest.mark.parametrize("name", CHEATS)
def test_cheats_are_never_right(here, name):
    first = "" if name == "leaves at import" else "def add0(a, b):\n    "
    write("s.jsonl", [dict(task_id="Mini/0", solution=first + CHEATS[name]), dict(task_id="Mini/0", completion="    " + CHEATS[name])])
    got = judged("s.jsonl", "--timeout", "0.5", "--problems", "problems.jsonl")
    assert (got["samples"], got["passed"]) == (2, 0) and all(o["reason"] for o in lines("s_results.jsonl"))

def test_a_run_goes_on_where_it_was_stopped(here, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 2)
    write("s.jsonl", [o for n in range(6) for o in (right(n), whole(n, False))])
    asked, run_many = [], Sandbox.run_many
    def stopping(self, jobs, progress=None):
        if len(asked) == 2: raise KeyboardInterrupt
        asked.append(len(jobs)); return run_many(self, jobs, progress)
    monkeypatch.setattr(Sandbox, "run_many", stopping)
    done = call("judge", "s.jsonl", "--problems", "problems.jsonl")
    assert done.exit_code == 130 and "goes on from there" in done.stderr and len(lines("s_results.jsonl")) == 4
    with open("s_results.jsonl", "a") as f: f.write('{"sample": 4, "task_id": "Mi')
    monkeypatch.setattr(Sandbox, "run_many", lambda self, jobs, progress=None: asked.append(len(jobs)) or run_many(self, jobs, progress))
    got = judged("s.jsonl")
    assert asked == [2] * 6 and (got["samples"], got["passed"]) == (12, 6) and [o["sample"] for o in lines("s_results.jsonl")] == list(range(12))
    assert judged("s.jsonl") == got and asked == [2] * 6
    assert judged("s.jsonl", "--overwrite") == got and len(asked) == 12

def test_a_killed_run_loses_no_line(here):
    "kill -9 in the middle, three times; nothing is judged twice or lost"
    write("s.jsonl", [whole(n % 6, bool(n % 4)) | dict(solution=f"k = {n}\n" + whole(n % 6, bool(n % 4))["solution"]) for n in range(240)])
    command = [sys.executable, "-c", "from chained_adv.cli import main\nimport chained_adv.samples as s\ns.BATCH = 4\nmain()", "judge", "s.jsonl", "--problems", "problems.jsonl"]
    for least in (4, 40, 90):
        p, end = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL), time.monotonic() + 120
        while time.monotonic() < end and p.poll() is None and not (Path("s_results.jsonl").exists() and Path("s_results.jsonl").read_bytes().count(b"\n") >= least):
            time.sleep(.01)
        p.kill(); p.wait()
        assert Path("s_results.jsonl").read_bytes().count(b"\n") >= least
    got = judged("s.jsonl")
    assert (got["samples"], got["passed"]) == (240, 180) and [o["sample"] for o in lines("s_results.jsonl")] == list(range(240))

def test_results_of_other_samples_are_refused(here):
    write("s.jsonl", [right(0), right(1)]); judged("s.jsonl", "--out", "r.jsonl")
    for change in ([right(1), right(0)], [right(0)], [right(0), whole(1, False)]):
        write("s.jsonl", change)
        done = call("judge", "s.jsonl", "--problems", "problems.jsonl", "--out", "r.jsonl")
        assert done.exit_code == 2 and "r.jsonl, line" in done.stderr and "--overwrite" in done.stderr
    write("s.jsonl", [right(0), right(1)])
    assert call("judge", "s.jsonl", "--problems", "problems.jsonl", "--out", "r.jsonl", "--timeout", "1").exit_code == 2
    assert judged("s.jsonl", "--out", "r.jsonl")["passed"] == 2

@pytest.mark.parametrize("text, words", [
    ("", "holds no samples"), ("{", "line 1: not JSON"), ('{"task_id": "Mini/0", "completion": "x"}\nno', "line 2: not JSON"), ("[1]", "line 1: a JSON list"),
    ('{"completion": "x"}', "line 1: no `task_id`"), ('{"task_id": "Mini/0", "code": "x"}', "the line has task_id, code"),
    ('{"task_id": "Mini/0", "completion": 3}', "neither `solution`"), ('{"task_id": "Other/1", "completion": "x"}', "the samples name 'Other/1'")])
def test_wrong_files(here, text, words):
    Path("s.jsonl").write_text(text)
    done = call("judge", "s.jsonl", "--problems", "problems.jsonl")
    assert done.exit_code == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1 and not Path("s_results.jsonl").exists()

def test_files_that_cannot_be_read(here):
    for name, words in (("none.jsonl", "No such file"), ("s.jsonl", "UTF-8"), ("s.jsonl.gz", "check the path")):
        if name != "none.jsonl": Path(name).write_bytes(b"\xff\xfe\x00")
        done = call("judge", name, "--problems", "problems.jsonl")
        assert done.exit_code == 2 and words in done.stderr, done.stderr
    write("s.jsonl", [right(0)])
    assert call("judge", "s.jsonl").exit_code == 2 and call("judge", "s.jsonl", "--problems", "none.jsonl").exit_code == 2

def test_samples_without_a_problem_are_named(here):
    write("s.jsonl", [right(0), dict(task_id="Else/7", completion="x")])
    done = call("judge", "s.jsonl", "--problems", "problems.jsonl")
    assert done.exit_code == 1 and "1 samples have no problem in problems.jsonl: Else/7" in done.stderr
    assert "1 of 1 samples passed" in done.stdout and "5 of 6 problems" in done.stdout and "k = 1" in done.stdout

def test_our_own_format_and_pass_at_k(here):
    p = Problem("twice", "Twice n.", "def twice(n):", ([1, 2], [3, 6]), "def twice(n): return 2 * n")
    save_problems([p], "problems.json")
    write("s.jsonl", [dict(task_id="twice", completion=f"    return n {o}") for o in ("* 2", "+ n", "+ 1", "** 2", "- 1")])
    done = call("judge", "s.jsonl", "--problems", "problems.json", "--json", "--k", "1,2,5,9")
    assert {k: o["value"] for k, o in json.loads(done.stdout)["pass_at_k"].items()} == {"1": .4, "2": pytest.approx(.7), "5": 1.}
    assert pass_rates([]) == {} and [*pass_rates([dict(task_id="a", passed=True)] * 12)] == [1, 10]

def test_a_result_is_read_only_where_it_fits(tmp_path):
    path = tmp_path / "r.jsonl"
    assert read_results(path, ["a"]) == {}
    for text in ('{"sample": 0}\n', '[]\n', '{"sample": 5, "key": "a"}\n', '{"sample": 0, "key": "b"}\n', "?\n"):
        path.write_text(text)
        with pytest.raises(SampleError, match="line 1"): read_results(path, ["a"])
    path.write_text('{"sample": 0, "key": "a"}\n{"sam')
    assert read_results(path, ["a"]) == {0: {"sample": 0, "key": "a"}} and path.read_text() == '{"sample": 0, "key": "a"}\n'

def test_rules_setup_and_references_of_a_problem_count(tmp_path):
    "The same judge as in training: what a problem says of comparing answers holds for samples too"
    common = dict(description="d", difficulty="easy")
    problems = [dict(common, id="any", function_signature="def f(xs: list) -> list:", baseline_tests=[[[2, 1], [2, 1]]], reference_solution="def f(xs): return xs", rules={"unordered": True}),
                dict(common, id="near", function_signature="def g(x: float) -> float:", baseline_tests=[[2.0, 1.4142]], reference_solution="def g(x): return x ** .5", rules={"float": 1e-3}),
                dict(common, id="set-up", function_signature="def h(x: int) -> int:", baseline_tests=[[1, 2]], reference_solution="def h(x): return ONE + x", setup="ONE = 1\n")]
    (tmp_path / "p.json").write_text(json.dumps(problems))
    programs = [("any", "def f(xs): return sorted(xs)", True), ("any", "def f(xs): return xs[:1]", False), ("near", "def g(x): return round(x ** .5, 3)", True), ("near", "def g(x): return x", False), ("set-up", "def h(x): return x + ONE", True)]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(dict(task_id=id, solution=code)) + "\n" for id, code, _ in programs))
    assert call("judge", tmp_path / "s.jsonl", "--problems", tmp_path / "p.json", "--out", tmp_path / "r.jsonl").exit_code == 0
    rows = sorted((json.loads(o) for o in (tmp_path / "r.jsonl").read_text().splitlines()), key=lambda o: o["sample"])
    assert [o["passed"] for o in rows] == [passed for *_, passed in programs]

# What a newcomer lost: verdicts of tests since corrected, files, samples with other spellings

def test_corrected_problems_are_judged_anew(here):
    write("s.jsonl", [whole(0)])
    assert judged("s.jsonl")["passed"] == 1
    write("problems.jsonl", [dict(ROWS[0], test=ROWS[0]["test"].replace("== 3", "== 4").replace("    return a + b + 0", "")), *ROWS[1:]])
    done = call("judge", "s.jsonl", "--problems", "problems.jsonl")
    assert done.exit_code == 2 and "not a result of these samples, problems and limits" in done.stderr

@pytest.mark.parametrize("text", ["my diary", "first line\nand the second", json.dumps(ROWS)], ids=["a line", "two lines", "problems"])
def test_a_file_of_something_else_is_not_touched(here, text):
    write("s.jsonl", [whole(0)])
    Path("mine.txt").write_text(text)
    done = call("judge", "s.jsonl", "--problems", "problems.jsonl", "--out", "mine.txt")
    assert done.exit_code == 2 and "not a result of these samples" in done.stderr and Path("mine.txt").read_text() == text

@pytest.mark.parametrize("name", ["s.jsonl", "problems.jsonl"])
def test_a_file_that_is_read_is_not_written(here, name):
    write("s.jsonl", [whole(0)])
    before = Path(name).read_text()
    for more in ((), ("--overwrite",)):
        done = call("judge", "s.jsonl", "--problems", "problems.jsonl", "--out", name, *more)
        assert done.exit_code == 2 and "is a file that is read" in done.stderr and Path(name).read_text() == before

def test_a_first_line_that_was_cut_is_judged_again(here):
    write("s.jsonl", [whole(0)])
    Path("r.jsonl").write_text('{"sample": 0, "task')
    assert judged("s.jsonl", "--out", "r.jsonl")["passed"] == 1 and len(lines("r.jsonl")) == 1

def test_an_answer_that_breaks_off_is_no_program(here):
    write("s.jsonl", [dict(task_id="Mini/0", solution="def add0(a, b):\n    return a + b\n\ndef g(")])
    assert judged("s.jsonl")["passed"] == 0

def test_ids_in_other_spellings(here):
    write("s.jsonl", [dict(whole(0), task_id="mini/0"), dict(whole(1), task_id=1), dict(whole(2), task_id="2")])
    assert judged("s.jsonl")["passed"] == 3

def test_words_around_a_program(here):
    text = "Here is the function:\n\ndef add0(a, b):\n    return a + b\n\nIt adds."
    write("s.jsonl", [dict(task_id="Mini/0", solution=text)])
    assert judged("s.jsonl")["passed"] == 1

def test_programs_that_print_with_another_fence_behind(here):
    save_problems([Problem("p", "Doubles.", "def main():", ({"input": "21\n", "output": "42\n"},), "print(int(input()) * 2)")], "problems.jsonl")
    for more in ("Output:\n```\n42\n```", "Here\n```\nint(x) * 2\n```\ndoubles."):
        write("s.jsonl", [dict(task_id="p", solution=f"```python\nx = input()\nprint(int(x) * 2)\n```\n{more}")])
        assert judged("s.jsonl", "--overwrite")["passed"] == 1

@pytest.mark.parametrize("text, words", [("[{}]", "a JSON list"), ('{"task_id": "Mini/0", "solution": null}', 'An empty answer is ""')])
def test_what_a_line_lacks(here, text, words):
    Path("s.jsonl").write_text(text)
    done = call("judge", "s.jsonl", "--problems", "problems.jsonl")
    assert done.exit_code == 2 and words in done.stderr

def test_folders_in_other_encodings(here):
    Path("out/Mini_0").mkdir(parents=True)
    Path("out/Mini_0/0.py").write_bytes(b"\xff\xfe")
    assert "no text in UTF-8" in call("judge", "out", "--problems", "problems.jsonl").stderr
    Path("out/Mini_0/0.py").write_text("\ufeff" + whole(0)["solution"], encoding="utf-8")
    assert judged("out")["passed"] == 1
