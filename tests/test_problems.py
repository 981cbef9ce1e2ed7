"Dense suites for problem files: every fault with its place and remedy, round trips, and proofs about the built-in set"
import json, random, re, warnings
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from dataclasses import replace
from chained_adv.core import ExecutionResult, Problem, ProblemError, Verdict, DIFFICULTIES
from chained_adv.problem_files import convert_problems
from chained_adv.problems import (BUILTIN_SETS, ProblemSampler, _judge_reference, find_leaks, load_problems, save_problems,
                                  split_problems, validate_problem)
from chained_adv.sandbox import Sandbox, check_problem
from chained_adv.testcases import baseline_cases

BUILTIN = load_problems("builtin")
GOOD = dict(id="add", description="Return a + b.", function_signature="def add(a, b):", baseline_tests=[[1, 2, 3], [[0, 0], 0], "assert add(2, 2) == 4"],
            reference_solution="def add(a, b):\n    return a + b\n", difficulty="easy", tags=["math"])
METHOD = dict(GOOD, function_signature="def add(self, a, b):", reference_solution="class Solution:\n    def add(self, a, b): return a + b")

@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(timeout=5) as s: yield s

def write(folder, data, name="set.json"):
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path

def test_the_example_of_the_readme_is_a_problem(tmp_path, sandbox):
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    example = re.search("```json\\n(.*?)```", readme, re.S)[1]
    problem, = load_problems(write(tmp_path, f"[{example}]"), strict=True)
    check_problem(problem, sandbox)
    assert len(baseline_cases(problem)) == 3

# ---------------------------------------------------------------- faults
FAULTS = [
    ("id", None, "is missing"), ("id", 3, "must be a text"), ("id", "", "is empty"), ("id", ["a"], "must be a text"),
    ("description", None, "is missing"), ("description", {}, "must be a text"), ("description", "  \n", "is empty"),
    ("function_signature", None, "is missing"), ("function_signature", "add(a, b)", "write it like 'def name(a, b):'"), ("function_signature", "def add(a,", "write it like"),
    ("function_signature", "lambda a, b: a", "def"), ("function_signature", "class add:", "def"), ("function_signature", "def add(a, b): return a", "write it like"),
    ("function_signature", "def add(a, b)\0:", ""),
    ("baseline_tests", None, "is missing"), ("baseline_tests", [], "is empty"), ("baseline_tests", "assert add(1, 1) == 2", "must be a list"), ("baseline_tests", {"1": 2}, "must be a list"),
    ("baseline_tests", ["assert add(1, 1 ="], "cannot be used"), ("baseline_tests", ["assert sub(1, 1) == 2"], "the program is not called"), ("baseline_tests", ["add(1, 1) == 2"], None),
    ("baseline_tests", ["assert addition(1, 1) == 2"], "not called"), ("baseline_tests", [""], "holds no test"), ("baseline_tests", ["assert add(1) == 2"], "cannot be called like this"),
    ("baseline_tests", ["assert 1 == 1; add(1, 2)"], "not called"), ("baseline_tests", ["def test_add():\n    assert add(1, 2) == 3"], None), ("baseline_tests", ["def check(candidate):\n    assert candidate(1, 2) == 3"], None),
    ("baseline_tests", [[1, 2]], "has 2 items"), ("baseline_tests", [[1, 2, 3, 4]], "write [a, b, expected] or [[a, b], expected]"), ("baseline_tests", [[[1], 2]], "has 2 items"), ("baseline_tests", [[]], "has 0 items"),
    ("baseline_tests", [{"input": [1, 2], "output": 3}], "neither a text nor a list"), ("baseline_tests", [{"input": "1 2", "output": "3"}], None), ("baseline_tests", [None], "neither"), ("baseline_tests", [7], "neither"),
    ("reference_solution", ["def add(a, b): return 3"], "must be a text"),
    ("reference_solution", "def add(a, b) return a", "does not parse"), ("reference_solution", "def plus(a, b): return a + b", "top-level function add"), ("reference_solution", "return 1", "does not parse"),
    ("reference_solution", "class Solution:\n    def add(self, a, b): return a + b", "top-level function add"), ("reference_solution", "def outer():\n    def add(a, b): return a", "top-level function add"),
    ("reference_solution", "add(1, 2)", "top-level function add"), ("reference_solution", "# def add(a, b): pass", "top-level function add"), ("reference_solution", "def add(a, b): return 1\0", "does not parse"),
    ("reference_solution", "x = " + "(" * 5000 + ")" * 5000, "does not parse"),
    ("difficulty", "Easy", "easy, medium, hard"), ("difficulty", 2, "must be a text"), ("difficulty", "", "is empty"), ("difficulty", None, None),
    ("tags", "math", "must be a list"), ("tags", [1], "every tag must be a text"), ("tags", None, None),
]

@pytest.mark.parametrize("suffix", ["json", "jsonl"])
@pytest.mark.parametrize("field,value,says", FAULTS)
def test_fault_names_file_place_id_field_and_remedy(tmp_path, field, value, says, suffix):
    "None as the value removes the field; None as the message means that this is allowed"
    bad = {**GOOD, "id": "bad", field: value}
    if value is None: del bad[field]
    path = write(tmp_path, [GOOD, bad] if suffix == "json" else json.dumps(GOOD) + "\n" + json.dumps(bad), f"set.{suffix}")
    if says is None:
        assert len(load_problems(path)) == 2
        return
    with pytest.raises(ProblemError) as e: load_problems(path, strict=True)
    message = str(e.value)
    assert message.startswith(f"{path}: 1 fault:") and (", problem 1" if suffix == "json" else ", line 2") in message
    assert f"field {field!r}" in message and says in message
    if field != "id": assert "id 'bad'" in message

@pytest.mark.parametrize("reference", ["def add(a, b): return a + b", "class Other:\n    def add(self, a, b): return 1", "class Solution:\n    def sub(self, a, b): return 1",
                                       "class Solution: pass\ndef add(self, a, b): return 1", "class A:\n    class Solution:\n        def add(self, a, b): return 1"])
def test_method_needs_class_solution(reference):
    assert validate_problem(METHOD) == []
    assert "class Solution with the method add" in validate_problem(dict(METHOD, reference_solution=reference))[0]

@pytest.mark.parametrize("reference", ["add = lambda a, b: a + b", "from operator import add", "import operator\nadd = operator.add", "try:\n    from fast import add\nexcept ImportError:\n    def add(a, b): return a + b",
                                       "async def add(a, b): return a + b", "def make():\n    return lambda a, b: a + b\nadd = make()", "re = '\\d'\ndef add(a, b): return a + b"])
def test_ways_to_define_the_entry_point(reference):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert validate_problem(dict(GOOD, reference_solution=reference)) == []

def test_all_faults_of_a_file_are_found_and_ten_are_shown(tmp_path):
    bad = [dict(GOOD, id=f"p{i}", difficulty="?", tags="x", description="") for i in range(5)] + ["not an object", dict(GOOD), dict(GOOD)]
    with pytest.raises(ProblemError) as e: load_problems(write(tmp_path, bad), strict=True)
    lines = str(e.value).split("\n")
    assert "17 faults, the first 10" in lines[0] and len(lines) == 11
    with pytest.raises(ProblemError) as e: load_problems(write(tmp_path, bad[5:]), strict=True)
    assert "2 faults:" in str(e.value) and "problem 0, found 'not an object'" in str(e.value) and "is used before, at" in str(e.value)

@pytest.mark.parametrize("text,says", [("", "line 1, column 1"), ("[", "line 1, column 2"), ('[{"id": "a",}]', "line 1, column"), ("\n\n{]", "line 3, column 2"), ("nonsense", "Expecting value"),
                                       ("[]", "holds no problems"), ('{"problems": []}', "holds no problems"), ('{"problems": {}}', "must be a list of problems"), ("3", "must be a list of problems"), ("null", "must be a list"),
                                       ("[" * 100000, "set.json"), ("[1" + "0" * 5000 + "]", "set.json"), (json.dumps(GOOD), "must be a list of problems")])
def test_files_that_hold_no_set(tmp_path, text, says):
    with pytest.raises(ProblemError) as e: load_problems(write(tmp_path, text))
    assert says in str(e.value) and "set.json" in str(e.value)

def test_unreadable_files(tmp_path):
    with pytest.raises(ProblemError, match="save_problems"): load_problems(tmp_path / "absent.json")
    with pytest.raises(ProblemError, match="this folder holds no problems"): load_problems(tmp_path)
    (tmp_path / "latin.json").write_bytes('[{"id": "é"}]'.encode("latin-1"))
    with pytest.raises(ProblemError, match="byte 9 is not UTF-8"): load_problems(tmp_path / "latin.json")
    with pytest.raises(ProblemError, match="holds no problems"): load_problems(write(tmp_path, "\n", "blank.jsonl"))

def test_readings(tmp_path):
    one = load_problems(write(tmp_path, [GOOD]))
    assert one == load_problems(write(tmp_path, {"problems": [GOOD]})) == load_problems(str(write(tmp_path, "\ufeff" + json.dumps([GOOD])))) == load_problems(write(tmp_path, json.dumps(GOOD), "one.jsonl"))
    assert one[0].baseline_tests == ([1, 2, 3], [[0, 0], 0], "assert add(2, 2) == 4") and one[0].tags == ("math",)
    short = load_problems(write(tmp_path, [{k: GOOD[k] for k in GOOD if k not in ("difficulty", "tags")}]))[0]
    assert (short.difficulty, short.tags) == ("medium", ())
    lines = load_problems(write(tmp_path, json.dumps(dict(GOOD, description="a\u2028b")) + "\r\n" + json.dumps(dict(GOOD, id="b")), "two.jsonl"))
    assert [p.id for p in lines] == ["add", "b"] and lines[0].description == "a\u2028b"

def test_unknown_keys_are_named_in_one_warning(tmp_path):
    path = write(tmp_path, [dict(GOOD, hint="x"), dict(GOOD, id="b", hint="y", tag=["z"])])
    with pytest.warns(UserWarning) as w: assert len(load_problems(path)) == 2
    assert len(w) == 1 and "'hint' (in 2), 'tag' (in 1)" in str(w[0].message) and str(path) in str(w[0].message) and w[0].filename == __file__

# ---------------------------------------------------------------- writing
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8")),
                    lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), c, max_size=3), max_leaves=8)

@settings(max_examples=60)
@given(st.lists(st.tuples(JSON, JSON), min_size=1, max_size=4), st.text(st.characters(codec="utf-8")).filter(str.strip), st.sampled_from(["json", "jsonl"]))
def test_round_trip(tmp_path_factory, tests, text, suffix):
    path = tmp_path_factory.mktemp("set") / f"set.{suffix}"
    problem = Problem(text, text, "def f(a):", tuple(map(list, tests)), "def f(a): pass", "hard", (text,))
    assert repr(load_problems(save_problems([problem], path))) == repr([problem])

@pytest.mark.parametrize("test", [[(1, 2), 3], [{1: 2}, 3], [{1, 2}, 3], [float("nan"), 1], [float("inf"), 1], ["\ud800", 1], [b"x", 1], [object, 1]])
def test_what_json_cannot_keep_is_refused(tmp_path, test):
    with pytest.raises(ProblemError, match="cannot be kept in JSON"): save_problems([Problem("p", "d", "def f(a):", (test,), "def f(a): pass")], tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()

def test_faulty_problems_are_not_written(tmp_path):
    with pytest.raises(ProblemError, match="not written"): save_problems([Problem("p", "d", "def f(a):", (), "def f(a): pass")], tmp_path / "x.json")
    with pytest.raises(ProblemError, match="is used before"): save_problems([BUILTIN[0], BUILTIN[0]], tmp_path / "x.json")
    with pytest.raises(ProblemError, match="holds no problems"): save_problems([], tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()

# ---------------------------------------------------------------- the built-in set
@pytest.mark.parametrize("problem", BUILTIN, ids=lambda p: p.id)
def test_reference_passes_its_own_baseline_tests(problem, sandbox):
    result = check_problem(problem, sandbox)
    assert result.num_total == len(problem.baseline_tests) and result.num_passed == result.num_total and result.num_rejected == 0, result.errors

@pytest.mark.parametrize("problem", BUILTIN, ids=lambda p: p.id)
def test_no_trivial_program_passes(problem):
    "Neither one constant nor giving back an argument answers all baseline tests"
    cases = baseline_cases(problem)
    assert len(cases) == len(problem.baseline_tests) and 5 <= len(cases) <= 8
    data = [c for c in cases if c.kind != "code"] # tests within a tolerance are code
    assert not data or len({(c.kind, repr(c.expected)) for c in data}) > 1
    assert not data or not any(all(c.args[k] == c.expected for c in data) for k in range(len(problem.parameters)))
    assert len({c.call_key for c in cases}) == len(cases), "a call is tested twice"

def test_the_set_is_broad():
    tags = {t for p in BUILTIN for t in p.tags}
    assert len(BUILTIN) >= 64 and {p.difficulty for p in BUILTIN} == set(DIFFICULTIES)
    assert {"arrays", "strings", "hash maps", "math", "recursion", "intervals", "matrices", "linked lists", "trees"} <= tags
    tests = [(p, t) for p in BUILTIN for t in p.baseline_tests]
    pairs = sum(isinstance(t, list) and len(t) == 2 and len(p.parameters) != 1 for p, t in tests)
    asserts = sum(isinstance(t, str) for _, t in tests)
    assert pairs > 50 and asserts >= 40 and len(tests) - pairs - asserts > 300
    for kind in ("ListNode", "TreeNode"): assert {p.is_method for p in BUILTIN if kind in p.function_signature} == {True, False}

def test_no_problem_is_there_twice():
    assert [o for o in find_leaks(BUILTIN, BUILTIN) if o[0] != o[1]] == []

def test_the_file_is_what_save_problems_writes(tmp_path):
    assert save_problems(BUILTIN, tmp_path / "again.json").read_text(encoding="utf-8") == BUILTIN_SETS["builtin"].read_text(encoding="utf-8")

# ---------------------------------------------------------------- splits and sampling
def many(n): return [Problem(f"p{i}", f"problem {i}", "def f(a):", ([1, 1],), f"def f(a): return a * {i}", DIFFICULTIES[i % 3]) for i in range(n)]

@settings(max_examples=100)
@given(st.integers(2, 60), st.floats(0, .95), st.integers(0, 5), st.randoms())
def test_split_is_a_partition_that_ignores_the_order(n, share, seed, rng):
    problems = many(n)
    if 0 < share and max(1, round(n * share)) >= n: return
    train, held = split_problems(problems, share, seed)
    assert sorted(p.id for p in train + held) == sorted(p.id for p in problems) and len(held) == (max(1, round(n * share)) if share else 0)
    rng.shuffle(problems)
    assert split_problems(problems, share, seed) == (train, held)

@settings(max_examples=100)
@given(st.integers(1, 12), st.lists(st.integers(0, 9), max_size=8), st.integers(0, 20), st.sampled_from(["uniform", "difficulty"]), st.integers(0, 3))
def test_sampler_rounds_and_resumes(n, draws, tail, order, seed):
    problems, sampler, drawn = many(n), None, []
    sampler = ProblemSampler(problems, seed, order)
    for k in draws:
        got = sampler.next(k)
        assert len(got) == k
        drawn += got
    state = json.loads(json.dumps(sampler.state()))
    drawn += sampler.next(tail)
    assert ProblemSampler(random.sample(problems, n)).restore(state).next(tail) == drawn[len(drawn) - tail:]
    assert ProblemSampler(problems, seed, order).next(len(drawn)) == drawn
    for i in range(0, len(drawn) - n + 1, n):
        part = drawn[i:i + n]
        assert len({p.id for p in part}) == n
        if order == "difficulty": assert [p.difficulty for p in part] == sorted((p.difficulty for p in part), key=DIFFICULTIES.index)


def test_a_program_nested_too_deeply_is_known_by_its_text():
    from chained_adv.problems import program_key
    chain = lambda n: "def f(x):\n" + "".join(f"    {'el' if i else ''}if x == {i}: return {i}\n" for i in range(n))
    assert program_key(chain(900)) == program_key(chain(900)) != program_key(chain(899))
    assert program_key(chain(3)) == program_key(chain(3) + "# a comment")

@pytest.mark.parametrize("field", ["id", "description", "function_signature", "reference_solution"])
def test_half_a_character_is_a_fault(field):
    good = dict(id="a", description="Double n.", function_signature="def f(n):", baseline_tests=[[1, 2]], reference_solution="def f(n): return 2 * n", difficulty="easy", tags=[])
    assert validate_problem(good) == [] and any("half a character" in o for o in validate_problem({**good, field: good[field] + "\ud83d"}))

# ---------------------------------------------------------------- what a file says is not lost
def test_a_fault_costs_no_other_field(tmp_path):
    "An entry of our format with a wrong level is converted, and keeps what is good"
    rows = [GOOD | dict(difficulty="Easy", timeout=900), GOOD | dict(id="b", difficulty="Easy", timeout=.5), GOOD | dict(id="c", references=["def add(a:"])]
    done = convert_problems(write(tmp_path, rows))
    assert [(o.timeout, o.difficulty, o.tags) for o in done.problems] == [(900, "easy", ("math",)), (.5, "easy", ("math",)), (None, "easy", ("math",))]
    assert done.entries[2].status == "repaired" and "field 'references', ['def add(a:'], left out" in done.entries[2].reasons

def test_what_would_be_dropped_is_refused(tmp_path):
    two, = convert_problems(write(tmp_path, dict(problems=[GOOD], test=[GOOD]))).entries
    assert two.status == "refused" and "several names (problems, test)" in two.reasons[0]
    assert len(convert_problems(write(tmp_path, dict(train=[GOOD], test=[GOOD | dict(id="b")]))).problems) == 2
    table = write(tmp_path, "id,prompt,code,tests\n1,do, it,def f(): pass,assert f() is None\n", "table.csv")
    assert "more cells than the table has columns" in convert_problems(table).entries[0].reasons[0]

def test_a_mapped_field_may_hold_null(tmp_path):
    rows = [dict(q="Double n.", sol="def f(n): return 2 * n", t=["assert f(2) == 4"], level=None)]
    mapping = dict(description="q", reference_solution="sol", tests="t", difficulty="level")
    assert len(load_problems(write(tmp_path, rows), mapping=mapping)) == 1
    assert "has no column 'lvl'" in convert_problems(write(tmp_path, rows), mapping | dict(difficulty="lvl")).entries[0].reasons[0]

def test_a_test_whose_rest_cannot_be_read_goes_as_a_whole():
    "Adjacent doctests: without the second, the first would expect the words in its place"
    problem = Problem(**GOOD | dict(baseline_tests=(">>> add(1, 2)\n3\n>>> add(2, 2)\n4\n", "assert add(2, 2) == 4"), tags=()))
    first, second, third = baseline_cases(problem)
    unstable = Verdict(False, "wrong_value", "not the same in two runs", second)
    seen = ExecutionResult((Verdict(True, "passed", "", first), unstable, Verdict(True, "passed", "", third)))
    kept, reasons = _judge_reference(problem, seen)
    assert kept.baseline_tests == ("assert add(2, 2) == 4",) and reasons[0].startswith("left out test 0, ") and "as a whole" in reasons[1]
    kept, reasons = _judge_reference(replace(problem, baseline_tests=("assert add(1, 2) == 3\nassert add(2, 2) == 4", "assert add(2, 2) == 4")), seen)
    assert len(baseline_cases(kept)) == 2 and len(reasons) == 1 # statements don't need their neighbours
