"""The verdict equals direct evaluation: random plain values, random programs over them, random tests that are code, recorded and live.

`equal` below is written from the docs (notebook `judge/02_wire`), apart from the judge's own code.
PROPERTY_EXAMPLES sets the number of examples of each property (then drawn at random); without it a fixed selection runs.
"""
import math, os
import pytest
from hypothesis import given, settings, strategies as st
from chained_adv.core import TestCase
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning") # random programs say `2.5[1]`
MANY = int(os.environ.get("PROPERTY_EXAMPLES", 0))
def examples(n): return settings(max_examples=MANY or n, derandomize=not MANY, database=None)

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=5, cache_size=0) as b: yield b

# ---- the documented comparison, written once more ----

def number(v): return type(v) in (int, float, complex)

def close(a, b):
    if a != a or b != b: return a != a and b != b
    if a == b: return True
    if math.isinf(a) or math.isinf(b): return False
    rounding = 1e-12 if not b or max(abs(a), abs(b)) > 1e-18 else 0 # a wanted 1e-30 is meant
    try: return math.isclose(a, b, rel_tol=1e-9, abs_tol=rounding)
    except OverflowError: return False # an integer that no float can hold

def equal(got, want, loose=True):
    "Python's own, but floats by their last digits, each by itself, where a float is expected; `loose`: data that may come from JSON"
    if type(want) is float and type(got) in (int, float): return close(got, want)
    if type(want) is type(got) is complex: return close(got.real, want.real) and close(got.imag, want.imag)
    if isinstance(got, (list, tuple)) and isinstance(want, (list, tuple)):
        return (loose or type(got) is type(want)) and len(got) == len(want) and all(equal(x, y, loose) for x, y in zip(got, want))
    if type(got) is type(want) is dict: return got.keys() == want.keys() and all(equal(got[k], want[k], loose) for k in want)
    if loose and (type(got) is bool or type(want) is bool): return type(got) is type(want) and got == want
    return got == want

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
    if result.num_rejected: return # `nan` and `inf` are no names of a test
    assert result.num_total == 1
    if "nan" in repr(pair) or "inf" in repr(pair): assert not result.passed or equal(got, want, False) or "'" in repr(pair)
    else: assert result.passed is equal(got, want, False), (got, want, result.errors)

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

# ---- tests that are code ----

looks = st.recursive(st.sampled_from(["_", "_", "1", "'a'", "[3, 1]", "2.5", "None"]), grow, max_leaves=5).filter(lambda v: "_" in v)
as_seen = st.sampled_from(["assert {} == {}", "assert {1} == {0}", "assert [{}] == [{}]", "def test_a():\n    got = {}\n    assert got == {}", "for _i in range(2):\n    assert {} == {}", "x = {}\nassert (x, 1) == ({}, 1)"])

@examples(400)
@given(looks, small, st.booleans(), as_seen)
def test_conditions_are_judged_as_evaluated(box, look, value, honest, form):
    "From the text of an assert to its verdict: what is read at all is judged as Python would"
    seen, error = directly(look, _=value)
    want = seen if error is None and honest else 7
    text = form.format(look.replace("_", f"f({value!r})"), repr(want))
    tests = parse_tests(text, "f")
    if not tests.cases: assert tests.rejected; return
    result = box.execute_tests("def f(x): return x", tests, "f")
    if "asks the program nothing" in "".join(result.errors): return # `1 if 1 else f(x)`
    assert result.passed is (error is None and (equal(seen, want, False) or seen == want)), (text, seen, want, tests.items, result.errors)

@examples(300)
@given(expressions, expressions, looks, small, small, st.booleans(), as_seen)
def test_a_record_changes_no_verdict(box, body, other, look, x, y, honest, form):
    "With a reference that passes, and answers alike or not, a program has the verdict that it has live, and that Python gives"
    value, error = directly(body, x=x, y=y)
    seen, trouble = directly(look, _=value) if error is None else (None, error)
    model, broken = directly(other, x=x, y=y)
    shown, _ = directly(look, _=model) if broken is None else (None, broken)
    want = (seen if honest else shown) if trouble is None else 7
    text = form.format(look.replace("_", f"f({x!r}, {y!r})"), repr(want))
    tests = parse_tests(text, "f", "def f(x, y):")
    if not tests.cases: assert tests.rejected; return
    program, reference = f"def f(x, y):\n    return {body}", f"def f(x, y):\n    return {other}"
    right = box.execute_tests(reference, tests, "f", "def f(x, y):").passed # if not, its verdict is that of all
    references = (None, reference if right else None, program + " # the same")
    results = box.run_many([Job(program, tests, "f", "def f(x, y):", r) for r in references])
    assert len({r.passed for r in results}) == 1, (program, reference, text, [r.errors for r in results])
    if "asks the program nothing" in "".join(results[0].errors): return
    try: right = trouble is None and (equal(seen, want, False) or seen == want)
    except ERRORS: return
    assert results[0].passed is bool(right), (program, text, seen, want, results[0].errors)

def test_the_properties_can_fail(box):
    "The comparison of this file tells apart what the docs tell apart"
    for a, b in ((1, True), (1, "1"), ([1], {1}), (1.0, 1.0001), (None, 0), (b"a", "a"), ({1}, {2}), (1.0000000001, 1), ([1e9, 1.5], [1e9, 1.0]), ({1: True}, {1: 1})): assert not equal(a, b)
    for a, b in ((1, 1.0), ((1,), [1]), (float("nan"), float("nan")), (0.0, -0.0), (.1 + .2, .3), ({1}, frozenset([1.0])), (1j, 1j), (2.0, 2)): assert equal(a, b)
    assert not equal((1,), [1], False) and equal(True, 1, False)
