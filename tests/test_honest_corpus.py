"""Honest programs and tests, by kind: what plain Python and pytest accept, the judge accepts, and what they refuse, it refuses.

The corpora are `judge_data/{innocent,kinds}.py`. Each entry is first run natively, by real pytest in a process of its own, so no entry claims what
isn't so. Tests that came with a problem may run plain; what is judged guarded, plain or not at all is in lists here, by name, and exactly that.
"""
import ast, re, subprocess, sys
from dataclasses import replace
from pathlib import Path
import pytest
from chained_adv.judge.program import READY
from chained_adv.judge.suites import FROM, MODULES
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests

sys.path.insert(0, str(Path(__file__).parent / "judge_data"))
from innocent import INNOCENT
from kinds import KINDS

ENTRIES = [(name, program, tests, entry, signature, None) for name, program, tests, entry, signature in INNOCENT]
ENTRIES += [(name, good, tests, entry, signature, bad) for name, entry, signature, good, bad, tests in KINDS]

# Not judged guarded, but plain: name -> what can't cross between two processes
PLAIN = {
    "str_subclass": "an object that is a text, too",
    "dict_subclass_missing": "an object that is a dict, too",
    "class_vector": "an object is compared with a number",
    "array_returned": "an array of the standard library is compared with data",
    "simple_namespace": "a read-only view of a dict",
    "tests_make_objects": "objects of a class of the test",
    "pytest_own_class_in_test": "objects of a class of the test",
    "pytest_warns": "warnings",
    "class_context_manager": "a list that the program keeps is the test's list",
}
# Not judged at all, with a reason that the user sees
REFUSED = {
    "list_subclass": "a list with methods of its own is an object, and rows of data are not run plain",
    "check_loops": "one of its asserts is of a constant, which asks nothing",
}

NODES = """
class ListNode:
    def __init__(self, val=0, next=None): self.val, self.next = val, next
class TreeNode:
    def __init__(self, val=0, left=None, right=None): self.val, self.left, self.right = val, left, right
"""
SILENT = {"check_not_called", "check_loops", "tuples_named"} # plain Python runs nothing of these; the judge does
HEAD = READY + "\n" + "\n".join([f"import {m}" for m in MODULES] + [f"from {m} import {n}" for n, m in FROM.items()]) + "\ntrue, false, null = True, False, None\nunittest.main = pytest.main = lambda *a, **k: None # they run anyway\n"


def is_python(text):
    "Rows, JSON and doctests are no Python files; what they mean is said in `judge/compare` and by `doctest`"
    try: tree = ast.parse(text)
    except SyntaxError: return False
    return not (">>>" in text and "def test" not in text) and any(not isinstance(o, ast.Expr) or isinstance(o.value, (ast.Call, ast.Compare)) for o in tree.body)


def run_natively(folder, entries):
    "The names of entries whose tests fail under real pytest, or can't be run"
    (folder / "conftest.py").write_text(f"import builtins\nnames = {{}}\nexec({READY + NODES!r}, names)\nfor k, o in names.items(): vars(builtins).setdefault(k, o)\n", encoding="utf-8")
    for i, (name, program, tests, entry, *_) in enumerate(entries):
        if "class Solution" in program and entry and f"def {entry}" in program: own = f"\ntry: {entry} = Solution().{entry}\nexcept Exception: pass\n"
        else: own = "" if "class Solution" in program else "\nSolution = type('Solution', (), {k: staticmethod(o) for k, o in vars(m).items() if type(o).__name__ == 'function'})\n"
        (folder / f"program_{i}.py").write_text(program, encoding="utf-8")
        modules = {"solution", *re.findall(r"^\s*(?:from|import) (\w+)", tests, re.M)} - sys.stdlib_module_names - {"pytest", "numpy"}
        tests = tests.replace("from __main__ import", "from solution import")
        names = f"import sys, program_{i} as m\nsys.modules |= dict.fromkeys({modules!r}, m)\nglobals().update({{k: o for k, o in vars(m).items() if k[:2] != '__'}})\n{own}"
        candidate = f"candidate = {entry}\n" if entry and entry.isidentifier() else ""
        (folder / f"test_{i}.py").write_text(HEAD + names + candidate + tests, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-ra", "--continue-on-collection-errors", "-W", "ignore", "."], cwd=folder, capture_output=True, text=True, timeout=600)
    failed = {int(line.split("test_")[1].split(".py")[0]) for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR", "SUBFAIL"))}
    return {entries[i][0] for i in failed}, done.stdout


PYTHON = [e for e in ENTRIES if is_python(e[2])]


def test_plain_python_and_pytest_say_the_same(tmp_path):
    "Right programs pass natively; wrong ones fail"
    (tmp_path / "good").mkdir()
    (tmp_path / "bad").mkdir()
    failed, out = run_natively(tmp_path / "good", PYTHON)
    assert len(PYTHON) >= 270 and failed == set(), (sorted(failed), out[-2000:])
    wrong = [(name, bad, *rest, bad) for name, _, *rest, bad in PYTHON if bad and name not in SILENT]
    failed, out = run_natively(tmp_path / "bad", wrong)
    passed = {e[0] for e in wrong} - failed
    assert passed == set(), (passed, out[-2000:])


def own_tests(entry):
    "The tests as those of a problem: they may run plain"
    _, _, text, name, signature, _ = entry
    return [replace(o, trusted=True) if hasattr(o, "trusted") else o for o in parse_tests(text, name, signature).items]


def troubles(result):
    "Why a result is not what an honest program should have; empty where it is"
    return [(v.outcome, v.reason) for v in result.verdicts if not v.passed] if result.verdicts else ["no test was read"]


@pytest.fixture(scope="module")
def judged():
    "Entry -> its result with itself as the reference, and that of the wrong program"
    jobs = []
    for e in ENTRIES:
        _, program, _, name, signature, bad = e
        jobs += [Job(code, own_tests(e), name, signature, program, unguarded=True) for code in (program + "\n# the same", bad or program)]
    with Sandbox(timeout=3) as box: results = box.run_many(jobs)
    return {e[0]: (good, bad if e[5] else None) for e, good, bad in zip(ENTRIES, results[::2], results[1::2])}


def test_honest_programs_are_judged_right(judged):
    wrong = {name: troubles(good) for name, (good, _) in judged.items() if troubles(good)}
    plain = {name for name, (good, _) in judged.items() if name not in wrong and not all(v.guarded for v in good.verdicts)}
    right = len(judged) - len(wrong)
    print(f"\n{right} of {len(judged)} right ({right / len(judged):.1%}), {len(plain)} of them plain")
    assert all(reason for found in wrong.values() for _, reason in found)
    assert wrong.keys() == REFUSED.keys(), wrong
    assert plain == PLAIN.keys()
    assert right >= .97 * len(judged) and right - len(plain) >= .85 * len(judged)


def test_wrong_programs_are_caught(judged):
    assert [name for name, (_, bad) in judged.items() if bad and bad.passed] == []


def test_untrusted_tests_never_run_plain():
    "The same texts as a model's: what can't be judged guarded is not valid"
    chosen = [e for e in ENTRIES if e[0] in PLAIN]
    with Sandbox(timeout=3) as box:
        results = box.run_many([Job(e[1], e[2], e[3], e[4], runs=2, unguarded=True) for e in chosen])
    assert all(v.guarded for r in results for v in r.verdicts)
    assert [e[0] for e, r in zip(chosen, results) if r.passed] == []
