"""The verdict equals direct evaluation: random plain values, random programs over them, random views.

`equal` below is written from the table in the docs, apart from the sandbox's own code.
PROPERTY_EXAMPLES sets the number of examples of each property (then drawn at random); without it a fixed selection runs.
"""
import math, os
import pytest
from hypothesis import given, settings, strategies as st
from chained_adv.core import TestCase
from chained_adv.sandbox import Sandbox
from chained_adv.testcases import parse_tests, view_value

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning") # random programs say `2.5[1]`
MANY = int(os.environ.get("PROPERTY_EXAMPLES", 0))
def examples(n): return settings(max_examples=MANY or n, deadline=None, derandomize=not MANY, database=None)

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=5, cache_size=0) as b: yield b

# ---- the documented comparison, written once more ----

def number(v): return type(v) in (int, float, complex)

def close(a, b):
    if a != a or b != b: return a != a and b != b
    if a == b: return True
    if math.isinf(a) or math.isinf(b): return False
    try: return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    except OverflowError: return False # an integer that no float can hold

def key(v):
    if type(v) is tuple: return ("tuple", *map(key, v))
    if type(v) is frozenset: return ("set", frozenset(map(key, v)))
    if number(v): return "nan" if v != v else ("number", v)
    return (type(v).__name__, v)

def equal(a, b):
    if number(a) and number(b):
        if type(a) is type(b) is int: return a == b
        return close(a.real, b.real) and close(a.imag, b.imag)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)): return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)): return {key(x) for x in a} == {key(x) for x in b}
    if type(a) is type(b) is dict:
        mine, other = {key(k): v for k, v in a.items()}, {key(k): v for k, v in b.items()}
        return len(a) == len(b) and mine.keys() == other.keys() and all(equal(mine[k], other[k]) for k in mine)
    return type(a) is type(b) and a == b

# ---- values ----

text = st.text(max_size=6)
numbers = st.integers(-5, 5) | st.integers() | st.sampled_from([2**62, -2**62, 2**63, 10**30]) | st.floats(allow_nan=True)
atoms = st.none() | st.booleans() | numbers | text | st.binary(max_size=4) | st.complex_numbers(allow_nan=False, allow_infinity=False)
keys = st.recursive(st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | text, lambda o: st.tuples(o, o) | st.frozensets(o, max_size=2), max_leaves=4)
values = st.recursive(atoms, lambda o: st.lists(o, max_size=4) | st.lists(o, max_size=3).map(tuple) | st.dictionaries(keys, o, max_size=3) | st.sets(keys, max_size=3) | st.frozensets(keys, max_size=3), max_leaves=12)

def near(v):
    "Values that resemble `v` but need not be equal to it"
    options = [v, [v], (v,), {"a": v}, repr(v), not v]
    if number(v) and not isinstance(v, complex): options += [v + 1, v * (1 + 1e-12), v * (1 + 1e-6), float(v) if abs(v) < 1e300 else v, bool(v)]
    if isinstance(v, (list, tuple)): options += [list(v), tuple(v), list(v)[::-1], list(v)[1:]]
    if isinstance(v, dict): options += [dict(reversed(v.items())), dict(list(v.items())[1:]), list(v)]
    if isinstance(v, (set, frozenset)): options += [set(v), frozenset(v), list(v)]
    return st.sampled_from(options)

pairs = st.one_of(st.tuples(values, values), values.flatmap(lambda v: st.tuples(st.just(v), near(v))))

@examples(600)
@given(pairs)
def test_values_cross_and_compare_as_documented(box, pair):
    got, want = pair
    result = box.execute_tests("def f(x): return x", [TestCase((got,), want)], "f")
    assert result.passed is equal(got, want), (got, want, result.errors)

@examples(300)
@given(pairs)
def test_the_same_from_text(box, pair):
    got, want = pair
    result = box.execute_tests("def f(x): return x", f"assert f({got!r}) == {want!r}", "f")
    assert result.num_total == 1 and result.passed is equal(got, want), (got, want, result.errors)

# ---- programs ----

small = st.integers(-4, 9) | st.sampled_from(["", "ab", "b a", "10"]) | st.lists(st.integers(-4, 9), max_size=4) | st.lists(st.sampled_from(["", "ab", "c"]), max_size=3) | st.booleans() | st.floats(-3, 3) | st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), max_size=3) | st.none() | st.tuples(st.integers(0, 3), st.integers(0, 3))
leaves = st.sampled_from(["x", "x", "y", "1", "2", "'a'", "[3, 1]", "()", "2.5", "None", "{'a': 1}"])
def grow(o):
    return st.one_of(
        st.tuples(o, st.sampled_from(["+", "-", "*", "//", "%", "/", "<", ">=", "and", "or"]), o).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["len", "sorted", "list", "tuple", "str", "abs", "sum", "max", "min", "bool", "int", "float", "round"]), o).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(o, o).map(lambda t: f"({t[0]})[{t[1]}]"), o.map(lambda t: f"({t})[::-1]"), o.map(lambda t: f"({t})[1:]"), o.map(lambda t: f"(not {t})"), o.map(lambda t: f"(-({t}))"),
        st.tuples(o, o).map(lambda t: f"[{t[0]}, {t[1]}]"), st.tuples(o, o, o).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"), st.tuples(o, o).map(lambda t: f"[{t[0]} for v in {t[1]}]"),
        o.map(lambda t: f"all(v for v in {t})"), o.map(lambda t: f"isinstance({t}, (int, str))"), o.map(lambda t: f"({t}).split()"), o.map(lambda t: f"({t}).count(1)"))
expressions = st.recursive(leaves, grow, max_leaves=6)
ERRORS = (TypeError, ValueError, ZeroDivisionError, IndexError, KeyError, AttributeError, OverflowError)

def directly(expression, **names):
    "The value of an expression by Python itself, or the exception"
    try: return eval(expression, names), None
    except ERRORS as e: return None, e

@examples(300)
@given(expressions, small, small, values, st.booleans())
def test_programs_are_judged_as_evaluated(box, body, x, y, other, honest):
    value, error = directly(body, x=x, y=y)
    want = other if error or not honest else value
    program = f"def f(x, y):\n    return {body}"
    result = box.execute_tests(program, [TestCase((x, y), want), TestCase((x, y), "ArithmeticError", kind="raises"), TestCase((x, y), kind="truthy"), TestCase((x, y), kind="falsy")], "f")
    truth = [equal(value, want), False, bool(value), not value] if error is None else [False, isinstance(error, ArithmeticError), False, False]
    assert [v.passed for v in result.verdicts] == truth, (program, x, y, want, value, error, result.errors)
    if error is not None: assert {v.outcome for v in result.verdicts} <= {"exception", "passed"} and all(type(error).__name__ in v.reason for v in result.verdicts if not v.passed)

# ---- views ----

views = st.recursive(st.sampled_from(["_", "_", "1", "'a'", "[3, 1]", "2.5", "None"]), grow, max_leaves=5).filter(lambda v: "_" in v)

@examples(1000)
@given(views, small)
def test_views_are_evaluated_as_python_does(view, value):
    want, error = directly(view, _=value)
    got, trouble = view_value(view, value)
    if "formats text with `%`" in trouble: return # the one operation of `grow` that the language leaves out
    if error is None: assert not trouble and repr(got) == repr(want), (view, value, trouble)
    else: assert got is None and type(error).__name__ in trouble, (view, value, got, trouble)

@examples(300)
@given(views, small, st.booleans())
def test_conditions_are_judged_as_evaluated(box, view, value, honest):
    "From the text of an assert to its verdict: what is read at all is judged as Python would"
    seen, error = directly(view, _=value)
    want = seen if error is None and honest else 7
    tests = parse_tests(f"assert {view.replace('_', 'f(x)')} == {want!r}".replace("f(x)", f"f({value!r})"), "f")
    if not tests.cases: assert tests.rejected; return
    result = box.execute_tests("def f(x): return x", tests, "f")
    if "formats text with `%`" in "".join(result.errors): return
    assert result.passed is (error is None and equal(seen, want)), (view, value, want, tests.items, result.errors)

def test_the_properties_can_fail(box):
    "The comparison of this file tells apart what the table tells apart"
    for a, b in ((1, True), (1, "1"), ([1], {1}), ({1: 2}, {True: 2}), (1.0, 1.0001), (None, 0), (b"a", "a"), ({1}, {2})): assert not equal(a, b)
    for a, b in ((1, 1.0), ((1,), [1]), (float("nan"), float("nan")), (0.0, -0.0), (.1 + .2, .3), ({1}, frozenset([1.0])), (1j, 1j)): assert equal(a, b)
