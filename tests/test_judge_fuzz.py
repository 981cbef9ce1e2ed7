"""Random test texts and random answers: this process raises nothing, and none costs it more than some work (`judge_data/host_work.py`).

In CI some hundreds of each. `python tests/test_judge_fuzz.py 20000` runs that many texts and that many streams of answers and prints counts.
"""
import argparse, os, random, struct, sys, time
from collections import Counter
from pathlib import Path
import pytest
from hypothesis import HealthCheck, given, seed, settings, strategies as st
from chained_adv.core import OUTCOMES, ExecutionResult, TestCase
from chained_adv.judge.wire import Packer, write
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import REJECTIONS, ParsedTests, Rejected, parse_tests

sys.path.insert(0, str(Path(__file__).parent / "judge_data"))
from host_work import Work

# ---- texts: a grammar of tests as people write them, and of what goes wrong in them ----

names = st.sampled_from("x y z xs got result candidate s sol expected case TestF check helper f f f f Solution math".split())
numbers = st.integers(-9, 99).map(str) | st.sampled_from(["0.1", "1e9", "10**20", "float('inf')", "2**70", "-0.0", "1j", "0x1f", "1_000", "9" * 60])
texts = st.sampled_from(["''", "'a'", '"it\'s"', "'''b\nc'''", "b'\\x00'", "f'{1}'", "r'\\d'", "'\\ud800'", "“a”", "'\\N{DIGIT ONE}'"])
atoms = numbers | texts | names | st.sampled_from(["None", "True", "False", "[]", "{}", "()", "set()", "...", "true", "null"])

def larger(o):
    many = st.lists(o, max_size=4).map(", ".join)
    return st.one_of(
        many.map(lambda t: f"[{t}]"), many.map(lambda t: f"({t},)" if t else "()"), many.map(lambda t: f"{{{t}}}"), st.tuples(o, o).map(lambda t: f"{{{t[0]}: {t[1]}}}"), many.map(lambda t: f"f({t})"), many.map(lambda t: f"f(*[{t}])"),
        st.tuples(st.sampled_from(["sorted", "len", "list", "set", "sum", "max", "abs", "str", "tuple", "any", "all", "isinstance", "range", "pytest.approx", "Solution().f", "math.sqrt", "f.g", "TestCase", "eval", "open"]), many).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(o, st.sampled_from(["==", "!=", "<", ">=", "in", "is", "is not", "not in", "+", "-", "*", "//", "%", "**", "and", "or", "<<", "@", ":="]), o).map(lambda t: f"{t[0]} {t[1]} {t[2]}"),
        st.tuples(o, o).map(lambda t: f"{t[0]}[{t[1]}]"), o.map(lambda t: f"({t})[::-1]"), o.map(lambda t: f"not {t}"), o.map(lambda t: f"-{t}"), o.map(lambda t: f"({t}).real"), st.tuples(o, names, o).map(lambda t: f"[{t[0]} for {t[1]} in {t[2]}]"), st.tuples(o, o, o).map(lambda t: f"{t[0]} if {t[1]} else {t[2]}"),
        o.map(lambda t: f"lambda x: {t}"), o.map(lambda t: f"*{t}"), o.map(lambda t: f"f'{{{t}}}'"), o.map(lambda t: f"await {t}"), o.map(lambda t: f"(yield {t})"))
values = st.recursive(atoms, larger, max_leaves=7)
simple = st.one_of(
    st.tuples(values, values).map(lambda t: f"assert f({t[0]}) == {t[1]}"), values.map(lambda t: f"assert {t}"), st.tuples(values, values).map(lambda t: f"({t[0]}, {t[1]})"), st.tuples(names, values).map(lambda t: f"{t[0]} = {t[1]}"), values, st.tuples(values, values).map(lambda t: f"[[{t[0]}], {t[1]}]"),
    st.tuples(values, values).map(lambda t: f"assert {t[0]}, {t[1]}"), st.tuples(values, values).map(lambda t: f">>> f({t[0]})\n{t[1]}"), st.tuples(values, values).map(lambda t: f"Input: {t[0]}\nOutput: {t[1]}"), st.tuples(values, values).map(lambda t: f"f({t[0]}) -> {t[1]}"), values.map(lambda t: f"self.assertEqual(f({t}), {t})"),
    st.tuples(values, values).map(lambda t: f"{t[0]} += {t[1]}"), st.sampled_from(["pass", "return", "break", "continue", "import os", "from solution import *", "import numpy as np", "global f", "del f", "raise ValueError", "global x", "x: int", "nonlocal y", "f = 3", "check(f)", "unittest.main()", "pytest.skip()", "os._exit(0)", "while True: pass", "exit()"]))

def indented(t): return "\n".join("    " + line for line in t.split("\n"))
def blocks(o):
    body = st.lists(o, min_size=1, max_size=3).map(lambda t: indented("\n".join(t)))
    head = st.one_of(st.sampled_from(["def test_a():", "def test_b(x, y=1):", "class TestF:", "class T(unittest.TestCase):", "def test_m(self):", "def check(candidate):", "for x in [1, 2]:", "for i in range(3):", "if x:", "else:", "try:", "except ValueError:", "with pytest.raises(ValueError):", "with self.assertRaises(KeyError) as e:", "while x:", "async def test_c():", "@pytest.fixture\ndef x():", "@pytest.mark.parametrize('x, y', [(1, 2), (3, 4)])\ndef test_p(x, y):", "def f(x):", "match x:", "finally:", "with open('a') as x:", "if __name__ == '__main__':"]), values.map(lambda t: f"for x in {t}:"), values.map(lambda t: f"@pytest.mark.parametrize('x', {t})\ndef test_q(x):"))
    return st.tuples(head, body).map("\n".join)
statements = st.recursive(simple, blocks, max_leaves=6)
prose = st.sampled_from(["Here are the tests:", "```python", "```", "# Test 1", "1. ", "- ", "Explanation: f(1) is 2", "", "\t", "…", "\ufeff", "---", "**Test 2**", "<think>", "</think>", "Test case 3:", "\"\"\"", "'''", "\\", "\0", "\x0c", "\r", "and so on", "(", ")]}", "assert f("])
documents = st.lists(statements | prose, min_size=1, max_size=6).map("\n".join)

def spoiled(text, rng):
    "A text with some characters dropped, doubled, swapped, or its end cut, or a piece of it repeated"
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        text = rng.choice((text[:i], text[:i] + text[i + 1:], text[:i] + rng.choice("()[]{}'\",:=#\\\n `*\u00e9\u2028\ud83d") + text[i:], text[:j] + text[i:j] * rng.choice((1, 2, 30)) + text[j:], text[:i] + text[j:], text.replace("    ", "\t", 1)))[:20_000]
    return text

SIGNATURES = [None, "def f(x):", "def f(x, y=0):", "def f(self, xs: List[int]) -> int:", "def f(*a, **k):", "def f():", "def f(xs: list) -> None:"]
PROGRAMS = ["def f(x=0, *a, **k): return x", "def f(*a): return sorted(a)", "class Solution:\n    def f(self, x=0, *a): return [x]", "class f:\n    def __init__(self, *a): self.x = a\n    def __eq__(self, o): return True", "def f(xs=(), *a):\n    if isinstance(xs, list): xs.clear()", "def f(*a): yield from a", "def f(*a): raise ValueError('no')"]

class Costly(AssertionError): "One case cost this process too much"

def bounded(do, *about):
    "Do it within the work allowed"
    with Work() as work: got = do()
    if found := work.too_much(): raise Costly(f"{found} for {about!r}")
    return got

def try_text(text, signature, box=None, program=None, mode=0):
    "Read a text and, with a sandbox, run it; what was seen"
    got = bounded(lambda: parse_tests(text, "f", signature), text)
    assert isinstance(got, ParsedTests)
    for o in got.items:
        assert isinstance(o, TestCase) or isinstance(o, Rejected) and o.why in REJECTIONS and o.reason, o
        assert o.span and 0 <= o.span[0] <= o.span[1] <= len(text), (o, len(text))
        assert isinstance(o.text, str) and (not isinstance(o, TestCase) or o.key and o.call_key)
    assert len(got.items) <= 2_000
    if box is None or not got.cases: return Counter(["tests" if got.cases else "nothing"])
    job = Job(program, text, "f", signature, *((None,), (PROGRAMS[0],), (None, 2))[mode])
    result = bounded(lambda: box.run_many([job])[0], text, program, mode) if len(got.items) < 50 else box.run_many([job])[0]
    assert isinstance(result, ExecutionResult) and len(result.verdicts) == len(got.items)
    assert all(v.outcome in OUTCOMES and v.passed == (v.outcome == "passed") for v in result.verdicts)
    return Counter(v.outcome for v in result.verdicts)

# ---- answers: frames of right and of spoiled bytes ----

def encode(value): return write(Packer().pack(value)).decode("utf-8", "surrogatepass")
plain = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=4) | st.complex_numbers(), lambda o: st.lists(o, max_size=4) | st.tuples(o, o) | st.dictionaries(st.integers() | st.text(max_size=3), o, max_size=3) | st.sets(st.integers(), max_size=4) | st.frozensets(st.text(max_size=2), max_size=3), max_leaves=10)
TAGS = "t s z d i f b B c q e C O D n N K h I y k x S @ range slice Fraction date time datetime timedelta".split()
BODIES = ["[]", "[1]", "[[1]]", "[[1,2]]", "[[[],1]]", "1", '"x"', '"1e999999999"', "null", "{}", '{"t":[]}', '["a",["b","b"],[1]]', '["a",["1"],[1]]', '["<i8",[[1],[2,3]]]', '["O",[1]]', '["date",[0,0,0]]', '["x",[1]]', '[0,9223372036854775808,0]', '"nan"', '"ff"', '"zz"', "-1", "1e999", '[{"i":"zz"},1]', "[[{\"t\":[[1]]},2]]"]
odd = st.tuples(st.sampled_from(TAGS + ["", "tt", "\u20ac"]), st.sampled_from(BODIES)).map(lambda t: f'{{"{t[0]}":{t[1]}}}')
trees = st.recursive(odd | plain.map(encode), lambda o: st.lists(o, max_size=4).map(lambda t: f"[{','.join(t)}]") | st.tuples(st.sampled_from(TAGS), st.lists(o, max_size=3)).map(lambda t: f'{{"{t[0]}":[{",".join(t[1])}]}}'), max_leaves=6)
errors = st.sampled_from(['{"x":[["ValueError","Exception","BaseException"],"no",["no"],{},null,3]}', '{"x":[[".Mine","KeyError"],"x",[],{"a":1},null,0]}', '{"x":[]}', '{"x":[["ValueError"]]}', '{"x":[[],3,{}]}', "null", "5"])
changes = st.sampled_from(["null", "{}", '{"0":[1]}', '{"0":{"d":[[1,2]]},"1":[]}', '{"9":[1]}', '{"-1":[1]}', '{"0":5}', "[]", "7"])
printed = st.sampled_from(["[]", '["a","b"]', '["a"]', "[1,2]", "[[],{}]", "null", '"ab"'])
statuses = st.sampled_from(["value", "value", "value", "raise", "back", "refused", "unloaded", "passed", "", "V"])
bodies = st.tuples(statuses, trees | errors, changes, printed).map(lambda t: f'["{t[0]}",{t[1]},{t[2]},{t[3]}]') | trees

def streams(rng, body):
    "A frame's bytes, or what is left of them: flipped, cut, joined, lengths that lie"
    data = body.encode("utf-8", "surrogatepass")
    whole = struct.pack("!I", len(data)) + data
    for _ in range(rng.choice((0, 0, 1, 1, 2, 5))):
        i = rng.randrange(len(whole) + 1)
        whole = rng.choice((whole[:i] + bytes([rng.randrange(256)]) + whole[i + 1:], whole[:i], whole[i:], whole + whole, whole[:i] + rng.randbytes(rng.randrange(9)) + whole[i:], struct.pack("!I", rng.choice((0, 1, 5, len(data), 2**31, 2**32 - 1))) + whole[4:], struct.pack("!I", 6) + b"1" + rng.randbytes(5) + whole))
    return whole

SAY = "import os\nDATA = {data!r}\ndef f(x):\n    for d in DATA:\n        try: os.write(3, d)\n        except OSError: pass\n    {end}"
ENDS = ["os._exit(0)", "return x", "return 424242 if x == 5 else None", "raise ValueError"]
KINDS = ["equal", "exact", "is", "truthy", "falsy", "raises", "io"]
ASKS = ["assert [f(1)] == [424242]", "def test_a():\n    got = f(1)\n    assert got[0] == 424242\n    assert len(got) == 424242", "with pytest.raises(KeyError):\n    f(1)\nassert sorted(f(2)) == [424242]", "xs = [3]\nf(xs)\nassert xs == [424242]"]

def try_answer(body, rng, box):
    "Let a program write spoiled bytes; what was seen"
    seen = Counter()
    code = SAY.format(data=[streams(rng, body) for _ in range(rng.choice((1, 1, 2, 5)))], end=rng.choice(ENDS))
    plain = [TestCase((i,), 424243, kind=k) for i, k in enumerate(("equal", "exact"))] + [TestCase((3,), "KeyError", kind="raises")]
    jobs = [Job(code, plain, "f", "def f(x):"), Job(code, rng.choice(ASKS), "f", "def f(x):", rng.choice([None, "def f(x): return [424242]"]))]
    results = bounded(lambda: box.run_many(jobs), code)
    for r in results:
        assert isinstance(r, ExecutionResult) and r.verdicts
        for v in r.verdicts:
            assert v.outcome in OUTCOMES
            assert not v.passed or "424242" in code or "Error" in body, (code, v)
            seen[v.outcome] += 1
    return seen

# ---- in CI ----

def some(n): return settings(max_examples=n, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=.1, memory_mb=256, cache_size=0) as b:
        b.run_many([Job(PROGRAMS[0], t, "f", "def f(x):", r) for t in (*ASKS, "import numpy\nassert f(1) == 1", "import os\nassert f(1) == 1") for r in (None, PROGRAMS[0])]) # starts what is started once
        yield b

@some(400)
@given(documents, st.integers(0, 2**32), st.sampled_from(SIGNATURES))
def test_texts_are_read(text, n, signature): try_text(spoiled(text, random.Random(n)), signature)

@some(250)
@given(documents, st.integers(0, 2**32), st.sampled_from(SIGNATURES), st.sampled_from(PROGRAMS), st.sampled_from((0, 1, 2)))
def test_texts_are_run(box, text, n, signature, program, mode): try_text(spoiled(text, random.Random(n)), signature, box, program, mode)

@some(120)
@given(bodies, st.integers(1, 2**32))
def test_answers_are_taken(box, body, n): try_answer(body, random.Random(n), box)

def test_the_fuzzer_reaches_what_it_should(box):
    "Texts that are tests and texts that are none; answers that are right, wrong and refused"
    rng, seen = random.Random(1), Counter()
    for text in ("assert f(1) == 1", "(1, 1)", "assert f(2) == 3", "def test_a():\n    assert sorted([f(2), f(1)]) == [1, 2]", "nothing", "assert True"): seen += try_text(text, "def f(x):", box, PROGRAMS[0])
    for body in ('["value",1,null,[]]', '["value",[1,2],null,[]]', '["value",{"s":[[1]]},null,[]]', "RP"): seen += try_answer(body, rng, box)
    assert {"passed", "wrong_value", "nothing", "crash"} <= set(seen), seen

# ---- by hand ----

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("count", type=int, nargs="?", default=20_000)
    p.add_argument("--seed", type=int, default=0)
    a = p.parse_args()
    shared = dict(max_examples=a.count, database=None, suppress_health_check=list(HealthCheck))
    start, seen, done = time.perf_counter(), {"texts": Counter(), "answers": Counter()}, Counter()
    with Sandbox(timeout=.1, memory_mb=256) as box:
        @seed(a.seed)
        @settings(**shared)
        @given(documents, st.integers(0, 2**32), st.sampled_from(SIGNATURES), st.sampled_from(PROGRAMS), st.sampled_from((0, 1, 2)))
        def some_texts(text, n, signature, program, mode):
            done["texts"] += 1 # each is read, every fourth is also run
            seen["texts"].update(try_text(spoiled(text, random.Random(n)), signature, None if n % 4 else box, program, mode))
        @seed(a.seed)
        @settings(**shared)
        @given(bodies, st.integers(0, 2**32))
        def some_answers(body, n):
            done["answers"] += 1
            seen["answers"].update(try_answer(body, random.Random(n), box))
        for name, run in (("texts", some_texts), ("answers", some_answers)):
            run()
            print(f"{done[name]} {name} in {time.perf_counter() - start:.0f} s, none raised, none cost too much: {dict(seen[name].most_common())}", flush=True)

if __name__ == "__main__": main()
