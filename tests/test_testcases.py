"A corpus of what models write, and properties of the reader"
import subprocess, sys, time
import pytest
from hypothesis import given, settings, strategies as st
from chained_adv.core import Problem, ProblemError, TestCase, describe_test
from chained_adv.testcases import MAX_CASES, ParsedTests, Rejected, baseline_cases, parse_tests

TWO, ONE, NONE = "def f(a, b):", "def f(self, xs: list) -> int:", "def f():"
def read(text, signature=TWO): return parse_tests(text, "f", signature)
def shown(text, signature=TWO): return [describe_test(t) for t in read(text, signature).cases]

GOOD = [
    # tuples
    ("([1, 2], 3, True)", TWO, ["f([1, 2], 3) == True"]),
    ("[([1, 2], 3, True), ([], 0, False)]", TWO, ["f([1, 2], 3) == True", "f([], 0) == False"]),
    ("# 25 64\n(3, 4, 25)\n# and\n(8, 0, 64) # eight", TWO, ["f(3, 4) == 25", "f(8, 0) == 64"]),
    ("(1, 2, 3),\n(4, 5, 6),\n", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(1, 2, 3), (4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[1, 2, 3]\n[4, 5, 6]", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[[1, 2, 3], [4, 5, 6]]", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[[2, 7], 9, [0, 1]]", TWO, ["f([2, 7], 9) == [0, 1]"]),
    ("[[[2, 7], 9], [0, 1]]", TWO, ["f([2, 7], 9) == [0, 1]"]),
    ("(([2, 7], 9), [0, 1])", TWO, ["f([2, 7], 9) == [0, 1]"]),
    ("([5], 25)", ONE, ["f([5]) == 25"]),
    ("5, 25\n6, 36", ONE, ["f(5) == 25", "f(6) == 36"]),
    ("((1, 2), (3, 4))", ONE, ["f((1, 2)) == (3, 4)"]),
    ("[[1, 2], [2, 1]]", ONE, ["f([1, 2]) == [2, 1]"]),
    ("((1, 2), 3)", None, ["f((1, 2)) == 3"]),
    ("(3,)", NONE, ["f() == 3"]),
    ("tests = [\n    (1, 2, 3),\n    (4, 5, 6),\n]", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(-1, +2, -3.5)\n('a', \"b\", 'a\\'b')\n({'k': [1]}, {1, 2}, None)", TWO, ["f(-1, 2) == -3.5", "f('a', 'b') == \"a'b\"", "f({'k': [1]}, {1, 2}) == None"]),
    ("(set(), float('inf'), [0] * 3)\n('a' * 3, 10**9, 2**10 - 1)", TWO, ["f(set(), inf) == [0, 0, 0]", "f('aaa', 1000000000) == 1023"]),
    ("(list(range(3)), [i * i for i in range(3)], true)", TWO, ["f([0, 1, 2], [0, 1, 4]) == True"]),
    ("([1,\n  2],\n 3,\n True)", TWO, ["f([1, 2], 3) == True"]),
    ("('(', ')', '# no comment')", TWO, ["f('(', ')') == '# no comment'"]),
    # asserts
    ("assert f(1, 2) == 3", TWO, ["f(1, 2) == 3"]),
    ("assert 3 == f(1, b=2), 'msg'", TWO, ["f(1, b=2) == 3"]),
    ("assert Solution().f([1]) == 1\ns = Solution()\nassert s.f([2]) == 2\nassert solution.f([3]) == 3", ONE, ["f([1]) == 1", "f([2]) == 2", "f([3]) == 3"]),
    ("assert f(1, 2)\nassert not f(1, 2)\nassert f(1, 2) is None\nassert f(1, 2) is False", TWO, ["f(1, 2)", "not f(1, 2)", "f(1, 2) == None", "f(1, 2) == False"]),
    ("assert f(1, 2) == 3 and f(2, 3) == 5", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("assert abs(f(1, 2) - 3) < 1e-6\nassert 0.1 >= abs(3 - f(1, 2))\nassert math.isclose(f(1, 2), 3.0, rel_tol=1e-3)\nassert f(1, 2) == pytest.approx(3.0)\nassert round(f(1, 2), 1) == 3.0", TWO, ["f(1, 2) ~ 3", "f(1, 2) ~ 3", "f(1, 2) ~ 3.0", "f(1, 2) ~ 3.0", "f(1, 2) ~ 3.0"]),
    ("x = [1, 2]\nassert f(x, 2) == x", TWO, ["f([1, 2], 2) == [1, 2]"]),
    ("assert f(*[1, 2]) == 3\nassert f(**{'a': 1, 'b': 2}) == 3", TWO, ["f(1, 2) == 3", "f(a=1, b=2) == 3"]),
    ("f(1, 2) == 3", TWO, ["f(1, 2) == 3"]),
    # pytest
    ("def test_a():\n    '''doc'''\n    a, b = 1, 2\n    r = f(a, b)\n    assert r == 3\n    assert r is not None", TWO, ["f(1, 2) == 3"]),
    ("def test_a():\n    for a, b, e in [(1, 2, 3), (2, 3, 5)]:\n        assert f(a, b) == e", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("cases = [(1, 2, 3)]\ndef test_a():\n    for a, b, e in cases:\n        assert f(a, b) == e", TWO, ["f(1, 2) == 3"]),
    ("@pytest.mark.parametrize('a,b,e', [(1, 2, 3), pytest.param(2, 3, 5, id='x')])\ndef test_a(a, b, e):\n    assert f(a, b) == e", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("class TestF:\n    def test_a(self):\n        assert f(1, 2) == 3", TWO, ["f(1, 2) == 3"]),
    ("def test_a():\n    with pytest.raises(ValueError, match='no'):\n        f(1, 2)", TWO, ["f(1, 2) raises ValueError"]),
    ("def test_a():\n    pytest.raises(ValueError, f, 1, 2)", TWO, ["f(1, 2) raises ValueError"]),
    ("def test_a():\n    assert f(1, 2) == 3\ndef test_b():\n    assert f(2, 3) ==", TWO, ["f(1, 2) == 3"]),
    # mixed and malformed
    ("(1, 2, 3)\nassert f(2, 3) == 5", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("```python\n(1, 2, 3)\n```", TWO, ["f(1, 2) == 3"]),
    ("```\n(1, 2, 3)", TWO, ["f(1, 2) == 3"]),
    ("Here are the tests:\n\n(1, 2, 3)\n(4, 5, 6)\n\nThese cover everything.", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(1, 2, 3\n(4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(1, 2, 3))\n(4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[(1, 2, 3), (4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[\n(1, 2, 3),\n(4, 5, 6),\n(7, 8", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("- (1, 2, 3)\n* (4, 5, 6)\n3. (7, 8, 9)\nTest 4: (1, 1, 1)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6", "f(7, 8) == 9", "f(1, 1) == 1"]),
    ("(1, 2, 3) because 1 + 2 = 3\n`(4, 5, 6)`", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("f(1, 2) -> 3\nf(4, 5) = 6", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("([1], [2]) -> 3", ONE, ["f(([1], [2])) == 3"]),
    ("1. assert f(1, 2) == 3 (simple case)\nassert f(4, 5) == 6, because.", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(“a”, ‘b’, 3)", TWO, ["f('a', 'b') == 3"]),
    ("\ufeff(1, 2, 3)\r\n(4, 5, 6)\r\n", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("    (1, 2, 3)\n    (4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(1, 2, 3)\nassert f(4,", TWO, ["f(1, 2) == 3"]),
]
@pytest.mark.parametrize("i", range(len(GOOD)))
def test_good(i):
    text, signature, want = GOOD[i]
    assert shown(text, signature) == want, read(text, signature)

BAD = [
    ("assert True", "calls nothing"), ("assert 1 == 1", "calls nothing"), ("assert (f(1, 2) == 3, 'm')", "cannot fail"), ("assert f(1, 2) == f(1, 2)", "with itself"),
    ("assert f(1, 2) or True", "not one call"), ("assert f(1, 2) != 3", "which value"), ("assert f(1, 2) > 0", "which value"), ("assert f(1, 2) in (1, 2)", "which value"),
    ("assert len(f(1, 2)) == 3", "not one call"), ("assert isinstance(f(1, 2), int)", "not one call"), ("assert f(1, 2) is 3", "identity"), ("assert 1 < f(1, 2) < 3", "chain"),
    ("f(1, 2)", "asserts nothing"), ("def test_a():\n    f(1, 2)", "asserts nothing"), ("def test_a():\n    pass", "calls nothing"), ("def test_a():\n    try:\n        assert f(1, 2) == 3\n    except: pass", "outside the grammar"),
    ("def test_a():\n    if f(1, 2): assert f(1, 2) == 3", "outside the grammar"), ("assert f(1) == 2", "`b` is missing"), ("assert f(1, 2, 3) == 2", "takes 2"), ("assert f(1, c=3) == 2", "no parameter `c`"),
    ("assert f(1, a=3, b=2) == 2", "given twice"), ("(1, 2)", "takes 2 arguments"), ("(1, 2, 3, 4)", "takes 2 arguments"), ("5", "single value"), ("assert f(x, 2) == 3", "no literal value"),
    ("assert f(open('a'), 2) == 3", "not a literal"), ("assert f(1, 2) == 9**9**9", "13,000 bits"), ("([0] * 10**9, 1, 2)", "100,000"), ("def f(a, b): return 3", "cannot replace"),
    ("data = [3]\ndata.append(4)\nassert f(data, 1) == 2", "outside the grammar"), ("assert abs(f(1, 2) - 3) < float('inf')", "cannot fail"), ("assert abs(f(1, 2) - 3) < -1", "cannot pass"),
    ("def test_a(x):\n    assert f(x, 2) == 3", "no literal value"), ("assert f(1, 2) ==", "cannot be read"), ("hello", "no test found"), ("", None), ("   \n", None),
    ("assert f(lambda x: x, 2) == 3", "not a literal"), ("assert f(1, 2) == {[1]: 2}", "unhashable"), ("with open('x'): f(1, 2)", "pytest.raises"), ("assert g(1, 2) == 3", "`f` is not called"),
    ("assert [].f(1, 2) == 3", "`f` is not called"), ("import os; os.system('rm')", "outside the grammar"), ("while True: pass", "outside the grammar"), ("assert f(1, 2) == 1/0", "ZeroDivisionError"),
]
@pytest.mark.parametrize("i", range(len(BAD)))
def test_bad(i):
    text, reason = BAD[i]
    got = read(text)
    assert got.cases == []
    if reason is None: assert got.rejected == [] and got.items == []
    else: assert any(reason in o.reason for o in got.rejected), got

def test_changed_names_lose_their_value():
    got = read("data = [3]\nalias = data\ndata.append(4)\nassert f(data, 1) == 2\nassert f(alias, 1) == 2\nassert f([3], 1) == 2")
    assert [t.args for t in got.cases] == [([3], 1)] and len(got.rejected) == 3

def test_order_texts_and_formats():
    got = read("(1, 2, 3)\nassert True\nassert f(4, 5) == 6\ndef test_x():\n    assert f(7, 8) == 9")
    assert [type(o) for o in got.items] == [TestCase, Rejected, TestCase, TestCase] and got.format == "mixed"
    assert [o.text for o in got.items] == ["(1, 2, 3)", "assert True", "assert f(4, 5) == 6", "assert f(7, 8) == 9"]
    assert [read(t).format for t in ("(1, 2, 3)", "assert f(1, 2) == 3", "def test_a():\n    assert f(1, 2) == 3", "", "nothing")] == ["tuples", "asserts", "pytest", "none", "none"]

def test_text_is_cut_by_bytes_not_characters(): assert read("('é', '中文', 1), ('ü', '', 2)").cases[1].text == "('ü', '', 2)"

def test_tolerances():
    tol = lambda t: read(t).cases[0].tolerance
    assert tol("assert abs(f(1, 2) - 3) < 1e-6") == 1e-6
    assert tol("assert math.isclose(f(1, 2), 200.0)") == pytest.approx(2e-7)
    assert tol("assert math.isclose(f(1, 2), 0.0, abs_tol=1e-3)") == 1e-3
    assert tol("assert f(1, 2) == pytest.approx(2.0)") == pytest.approx(2e-6)
    assert tol("assert f(1, 2) == pytest.approx([1.0, -3.0], abs=.5)") == .5
    assert tol("assert round(f(1, 2), 2) == 0.33") == pytest.approx(.005)

def test_results_are_not_shared():
    read("(1, 2, 3)").items.clear(); read("(1, 2, 3)").notes.append("x")
    assert len(read("(1, 2, 3)").cases) == 1 and read("(1, 2, 3)").notes == []

def test_too_many_tests_are_noted():
    got = read("\n".join(f"({i}, 1, 2)" for i in range(MAX_CASES + 50)))
    assert len(got.cases) == MAX_CASES and "stopped" in got.notes[-1]

def test_baselines_of_humaneval_style():
    p = Problem("p", "", "def f(a: list, b: int = 0) -> int:", ("assert f([1]) == 1", [[1], 1], [[1], 2, 3], [[[1], 2], 3]), "")
    assert [(t.args, t.expected) for t in baseline_cases(p)] == [(([1],), 1), (([1],), 1), (([1], 2), 3), (([[1], 2],), 3)]
    for bad in ([], 5, [1], "assert f(", "nothing", [1, 2, 3, 4]):
        with pytest.raises(ProblemError, match=r"problem 'p', baseline_tests\[0\]"): baseline_cases(Problem("p", "", "def f(a, b):", (bad,), ""))
    with pytest.raises(ProblemError, match="not a Python `def` line"): baseline_cases(Problem("p", "", "f(a", ([1, 2],), ""))

# ---- properties ----

values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(), lambda o: st.lists(o, max_size=4) | st.tuples(o, o) | st.dictionaries(st.text(max_size=3) | st.integers(), o, max_size=3), max_leaves=12)

@settings(max_examples=300, deadline=None)
@given(values, values, values)
def test_what_repr_writes_is_read(a, b, e):
    for text in (f"({a!r}, {b!r}, {e!r})", f"assert f({a!r}, {b!r}) == {e!r}", f"def test_a():\n    x = {a!r}\n    assert {e!r} == f(x, b={b!r})"):
        got = read(text)
        assert len(got.cases) == 1 and not got.rejected, (text, got)
        assert repr(got.cases[0].expected) == repr(e) and repr(got.cases[0].args[0]) == repr(a)

pieces = st.sampled_from(["(1, 2, 3)", "([1], 'a', None)", "assert f(1, 2) == 3", "def test_a():\n    assert f(1, 2) == 3", "[", "]", "(", ")", "'", '"', "\\", "#", "\n", "    ", "```", "assert", "def ", "f(", "==", ",", "1", "é", "\0", "\t", "lambda: 0", "Here:", "{", "}", "*", "-", "9**9", "with pytest.raises(ValueError):\n    f(1, 2)", "for i in range(3):\n    assert f(i, 1) == i", "@", ":", "\ud800", "1" * 5000, "0x" + "f" * 5000])
@settings(max_examples=500, deadline=None)
@given(st.lists(pieces, max_size=12).map(" ".join) | st.lists(pieces, max_size=12).map("\n".join) | st.text(max_size=200))
def test_nothing_raises_and_nothing_vanishes(text):
    got = read(text)
    assert got.items or not text.replace("\ufeff", "").strip() or got.notes
    assert all(o.reason for o in got.rejected)
    got._repr_html_(); [describe_test(t) for t in got.cases]

HOSTILE = ["(" * 50_000, "[" * 50_000, "-" * 50_000 + "1", "(1, 2, 3)\n" * 20_000, "'" * 50_000, "a." * 30_000 + "b", "1+" * 30_000 + "1", "f(" * 1000 + "1" + ")" * 1000, "not " * 30_000 + "f(1, 2)",
    "x = [1] * 1000\ny = [x] * 90\nz = [y] * 90\nassert f(z, 1) == 2", "a = [1, 1]\n" + "".join(f"{chr(97 + i + 1)} = [{chr(97 + i)}, {chr(97 + i)}]\n" for i in range(24)) + "assert f(y, y) == 1",
    "def test_a():\n" + "".join("    " * (i + 1) + f"for i{i} in range(50):\n" for i in range(8)) + "    " * 9 + "assert f(1, 2) == 3", "(" + "[[1,2],3],\n" * 5000, "assert " + " ".join("f(1," for _ in range(5000)), "(1, 2, 3\n" * 5000, "`" * 50_000, "Test 1: " * 10_000,
    "([sum([i for i in range(10**5)]) for j in range(10**5)], 1, 2)", "([[0] * 90000 for j in range(10**5)], 1, 2)", "(sorted(range(10**5)) * 10**5, 1, 2)"]
@pytest.mark.parametrize("i", range(len(HOSTILE)))
def test_hostile_text_costs_little(i):
    start = time.process_time()
    read(HOSTILE[i])
    assert time.process_time() - start < 3

def test_import_is_light():
    out = subprocess.run([sys.executable, "-c", "import sys, chained_adv.testcases; print([m for m in ('torch', 'transformers', 'numpy', 'rich') if m in sys.modules])"], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr
