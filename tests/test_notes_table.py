"""What a review broke in the first sandbox, row by row, at every isolation level, with 200 descriptors held open in this process.

Whatever a program or a test text does: no `SandboxError`, no `None`, no changed verdict of another item, no more than .1 s of this process's
processor time for a suite, no more than 20 MB of growth. Each hostile job stands between innocent ones.
"""
import gc, os, pkgutil, sys, time
from pathlib import Path
import pytest
from ordinary_user import run_as_ordinary_user
from chained_adv.core import TestCase
from chained_adv.jail import ISOLATION, probe_isolation
from chained_adv.judge.host import reader
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests

LINUX = sys.platform == "linux"
pytestmark = pytest.mark.skipif(not LINUX, reason="looks into /proc")
SIGNATURE, REFERENCE = "def f(x):", "def f(x): return x + 1"
CODE = "def test_a():\n    assert sorted([f(1), f(0)]) == [1, 2]\n(4, 5)"
INNOCENT = [Job("def f(x): return 1 + x", CODE, "f", SIGNATURE, REFERENCE), Job("def f(x): return x - -1", CODE, "f", SIGNATURE)]

@pytest.fixture(scope="module")
def held():
    "200 more descriptors, and a reader that is started with them there"
    if reader.zygote: reader.zygote.close(0)
    reader.zygote = reader.child = None
    found = [os.open("/dev/null", os.O_RDONLY) for _ in range(200)]
    assert max(found) >= 200
    yield found
    for fd in found: os.close(fd)

@pytest.fixture(scope="module", params=(ISOLATION[0], ISOLATION[-1])) # these rows are about the host; test_attacks takes every level
def box(request, held):
    found = {o.level: o for o in probe_isolation()}[request.param]
    if not found.available: pytest.skip(f"no isolation level {found.level!r} here: {found.reason}")
    with Sandbox(timeout=.2, memory_mb=256, isolation=request.param, cache_size=0) as b:
        b.run_many(INNOCENT + [Job(f"import {m}\n{REFERENCE}", CODE, "f", SIGNATURE) for m in ("threading", "numpy")]) # starts what is started once
        yield b

def memory():
    "Resident megabytes: now, and at most since the last call"
    lines = Path("/proc/self/status").read_text().splitlines()
    now, most = (int(next(o for o in lines if o.startswith(name)).split()[1]) / 1024 for name in ("VmRSS", "VmHWM"))
    try: Path("/proc/self/clear_refs").write_text("5") # the peak starts anew
    except OSError: most = now
    return now, most

def outcomes(result): return [v.outcome for v in result.verdicts]

def judged(box, *jobs, host=.3, wall=30.):
    "Run hostile jobs among innocent ones; the hostile ones' results. `host`: processor seconds of this process for each suite"
    gc.collect()
    before = memory()[0]
    start, began = time.process_time(), time.monotonic()
    results = box.run_many([o for j in jobs for o in (j, *INNOCENT)])
    spent, took = time.process_time() - start, time.monotonic() - began
    now, most = memory()
    assert all(r is not None and None not in r.verdicts for r in results)
    assert [outcomes(r) for i, r in enumerate(results) if i % 3] == [["passed"] * 2] * (2 * len(jobs)), "an innocent program's verdict"
    assert spent < host * len(jobs) + .003 * len(results), f"{spent:.3f} s of this process for {len(jobs)} suites"
    assert now - before < 20 and most - before < 20, f"grew by {now - before:.0f} MB, {most - before:.0f} MB at its peak"
    assert took < wall * len(jobs), f"{took:.1f} s on the clock"
    return results[::3]

def program(code, tests="(1, 424242)\n(2, 424243)", reference=None): return Job(code, tests, "f", SIGNATURE, reference)
def text(tests, code="def f(x): return x + 1"): return Job(code, tests, "f", SIGNATURE, "def f(x): return 1 + x")
def as_test(body): return "def test_a():\n" + "".join(f"    {line}\n" for line in body.splitlines()) + "    assert f(1) == 2\n"

# ---- 1: descriptors above 63 ----
PROBE = """import os, socket, struct
def probe():
    found = []
    for fd in range(4, 4096):
        try: os.fstat(fd)
        except OSError: continue
        found.append(fd)
    for fd in [*range(4096)]:
        for data in [struct.pack('!Ii', n, s) for n in range(40) for s in (0, 9)] + [b'KS' + struct.pack('!I', n) for n in range(40)] if fd > 3 else []:
            try: os.write(fd, data)
            except OSError: break
    return found
"""
def test_row_1_no_descriptor_but_the_wanted(box):
    with Sandbox(timeout=2., isolation=box.level, cache_size=0) as patient: # the probe is no attack; a busy machine may need a while
        seen, = judged(patient, Job(PROBE + "def f(x): return probe()", [TestCase((1,), []), TestCase((2,), [])], "f", SIGNATURE))
        assert outcomes(seen) == ["passed"] * 2, seen.errors
        told, = judged(patient, text(PROBE + "def test_a():\n    assert probe() == [] and f(1) == 2"))
        assert outcomes(told) == ["passed"], told.errors

# ---- 2, 3: modules that run on import ----
def test_row_2_modules_that_leave(box):
    names = ("unittest.__main__", "lib2to3.__main__", "unittest.__main__, venv.__main__", "idlelib.__main__", "this, antigravity")
    rs = judged(box, *[program(f"import {n}\ndef f(x): return 0") for n in names], *[text(f"import {n}\nassert f(1) == 5") for n in names])
    assert not [r for r in rs if r.num_passed]

def test_row_2_every_module_that_can_be_run(box):
    found = sorted({m.name for m in pkgutil.iter_modules([os.path.dirname(os.__file__)]) if m.ispkg and os.path.exists(os.path.join(os.path.dirname(os.__file__), m.name, "__main__.py"))} - {"test", "idlelib", "turtledemo"})
    assert "venv" in found and "unittest" in found
    assert not [r for r in judged(box, *[program(f"import {n}.__main__\ndef f(x): return 0", "(1, 424242)") for n in found]) if r.num_passed]

def test_row_3_nothing_runs_as_root_or_writes(box, tmp_path):
    os.chmod(tmp_path, 0o777)
    code = f"import os, sys\nsys.argv = ['venv', {str(tmp_path / 'made')!r}]\ntry: import venv.__main__\nexcept BaseException: pass\nwho = [os.getuid() == 0, os.geteuid() == 0, os.path.exists({str(tmp_path / 'made')!r})]\ndef f(x): return who"
    want = [False, False, False]
    if os.geteuid() == 0: assert outcomes(judged(box, Job(code, [TestCase((1,), want)], "f", SIGNATURE))[0]) == ["passed"]
    judged(box, program(code), text(code.replace("def f(x): return who", "") + "assert who[:2] == [False, False] and f(1) == 2"))
    assert os.listdir(tmp_path) == [] or os.listdir(tmp_path / "made") == [] # below seccomp an empty folder may be made

# ---- 4: valid frames in a loop ----
LOOP = "import os, struct\ndef say(d): os.write(3, struct.pack('!I', len(d)) + d)\ndef f(x):\n    while True: say(%r)\n"
@pytest.mark.parametrize("frame", [b"V424241\nnull", b"O1passed", b"E[[\"E\"],0,[]]\nx", b"", b"K[0,[],{}]", b"V" + b"1" * 10**6 + b"\nnull"], ids=["value", "output", "error", "empty", "callback", "long"])
def test_row_4_frames_without_end(box, frame):
    r, s = judged(box, program(LOOP % frame), program(LOOP % frame, "def test_a():\n    assert [f(1)] == [424242]", SECRET), wall=5)
    assert r.num_passed == s.num_passed == 0
SECRET = "def f(x): return x + 424241"

# ---- 5: depth ----
def deep(n):
    v = []
    for _ in range(n): v = [v]
    return v

def test_row_5_deep_values(box):
    for n in (90, 150, 1200, 60_000):
        tests = [TestCase((1,), deep(n)), TestCase((deep(n),), 1), TestCase((1,), {"a": (deep(n),)}), TestCase((1,), 2)]
        for _ in range(2):
            r, = judged(box, Job(REFERENCE, tests, "f", SIGNATURE))
            assert outcomes(r)[-1] == "passed" and r.num_passed == 1
        assert all(t.key and t.call_key for t in tests) and len({t.key for t in tests}) == 4
    nest = lambda n: "[" * n + "]" * n
    for n in (90, 150, 1200, 60_000):
        r, = judged(box, text(f"(1, {nest(n)})\nassert f(1) == {nest(n)}\nassert f({nest(n)}) == 1\nassert f(1) == 2"))
        assert r is not None and r.num_passed <= 1

# ---- 6, 7, 13: texts that are hard to read ----
HARD = {
    "additions": "assert f(" + "+".join(["1"] * 900) + ") == 901", "attributes": "assert f(1)" + ".real" * 2000 + " == 2", "not": "assert " + "not " * 5000 + "f(1)",
    "subscripts": "assert f(1)" + "[0]" * 2000 + " == 2", "calls": "assert " + "f(" * 900 + "1" + ")" * 900 + " == 901", "comparisons": "assert f(1) " + "== 2 " * 3000, "lambdas": "x = " + "lambda: " * 900 + "0\nassert f(1) == 2",
    "f_strings": "a0 = 'ab'\n" + "".join(f"a{i + 1} = f'{{a{i}}}{{a{i}}}{{a{i}}}{{a{i}}}{{a{i}}}'\n" for i in range(30)) + "assert f(a30) == 1",
    "starred": "a0 = [1, 2]\n" + "".join(f"a{i + 1} = [*a{i}, *a{i}, *a{i}, *a{i}, *a{i}]\n" for i in range(30)) + "assert f(a30) == 1",
    "nested_f_strings": "assert f(" + "f'{" * 4 + "1" + "}'" * 4 + ") == 1", "products": "assert f([0] * 10**9) == 1\nassert f('a' * 10**10) == 1\nassert f(9**9**9) == 1",
    "loops": "def test_a():\n" + "".join("    " * (i + 1) + f"for i{i} in range(99):\n" for i in range(12)) + "    " * 13 + "assert f(i0) == 1",
}
LONG = { # ten to thirty kilobytes that took two to twelve seconds, quadratically
    "parentheses": "(" * 20_000, "brackets": "[1, " * 6_000, "quotes": "'" * 20_001, "backticks": "`" * 20_000, "open_lines": "(1, 2\n" * 4_000, "prose": "so f(1) is 2, as it says above\n" * 900,
    "almost": "assert f(1) == 2 = 3\n" * 1_200, "asserts": "assert f(" * 2_500, "strings": "assert f('''" * 2_000, "defs": "def test_a(\n" * 2_200, "names": "".join(f"x{i} = x{i - 1}\n" for i in range(1, 1900)), "comments": "# (1, 2)\n" * 3_000,
    "dots": "f(1) . . . == 2\n" * 1_500, "colons": "Input: 1 Output: 2\n" * 1_500, "commas": "," * 30_000, "mixed": "([{'" * 6_000, "fences": "```python\n(1, 2)\n" * 1_200, "cut": "[(1, 2), " * 3_000, "unicode": "assert f(“1”) == ‘2’\n" * 1_000, "indents": "".join(" " * (i % 97) + "assert f(1) == 2\n" for i in range(900)),
}
@pytest.mark.parametrize("name", HARD)
def test_rows_6_and_7_hard_to_read(box, name):
    got = parse_tests(HARD[name], "f", SIGNATURE)
    assert got.items or got.notes
    r, s, v = judged(box, text(HARD[name]), text(HARD[name], "def f(x): return 0"), Job(REFERENCE, HARD[name], "f", SIGNATURE, runs=2), wall=10)
    assert all(o.num_total + o.num_rejected == len(got.items) for o in (r, s, v))

@pytest.mark.parametrize("name", LONG)
def test_row_13_long_texts(held, name):
    "Here, and at three times the length, which is what may be read"
    for body in (LONG[name], (LONG[name] * 8)[:100_000]):
        before, start, began = memory()[0], time.process_time(), time.monotonic()
        got = parse_tests(body, "f", SIGNATURE)
        spent, took = time.process_time() - start, time.monotonic() - began
        assert got.items or got.notes
        assert spent < .1, f"{spent:.2f} s of this process"
        assert took < 8, f"{took:.1f} s on the clock" # one second of the reader's processor time
        assert memory()[1] - before < 20

# ---- 8: answers that are hard to take ----
HEAVY = {
    "half_colliding": "{(i if i % 2 else i * (2**61 - 1)) for i in range(20000)}", "colliding": "{i * (2**61 - 1) for i in range(5000)}", "colliding_tuples": "{(i * (2**61 - 1),): 0 for i in range(5000)}", "colliding_floats": "{float(2**61 * i): 0 for i in range(5000)}",
    "empty_sets": "[set() for _ in range(105000)]", "empty_lists": "[[] for _ in range(190000)]", "empty_dicts": "[{} for _ in range(190000)]", "digits": "10 ** 400000", "text": "'\\u20ac' * 300000", "floats": "[i / 7 for i in range(90000)]",
    "decimals": "__import__('decimal').Decimal('1e999999')", "fractions": "__import__('fractions').Fraction(10 ** 100001, 3)", "deep_shared": "__import__('functools').reduce(lambda a, _: [a, a], range(60), 1)", "bytes": "bytes(900000)", "nan": "[float('nan')] * 100000", "arrays": "__import__('numpy').zeros((300, 300))",
}
@pytest.mark.parametrize("name", HEAVY)
def test_row_8_answers_that_are_hard_to_take(box, name):
    code = f"def f(x): return {HEAVY[name]}"
    r, s, t = judged(box, program(code, "(1, 424242)"), program(code, "def test_a():\n    assert [f(1)] == [424242]", SECRET), program(code, f"(1, {{1}})\nassert f(2) == [0] * 3\nassert f(1) == [set()] * 10"), wall=12)
    assert r.num_passed == s.num_passed == t.num_passed == 0

# ---- 9: budgets and blame ----
def test_row_9_naps_under_the_limit(held):
    for level in (o.level for o in probe_isolation() if o.available):
        with Sandbox(timeout=.2, budget=.8, isolation=level, cache_size=0) as b:
            began = time.monotonic()
            r = b.execute_tests("import time\ndef f(x):\n    time.sleep(.7)\n    return x", "\n".join(f"({i}, {i})" for i in range(60)), "f")
            assert time.monotonic() - began < 15 and "timeout" in outcomes(r) and "used up" in r.verdicts[-1].reason
            r = b.execute_tests("def f(x):\n    t = sum(range(3_000_000))\n    return x", "\n".join(f"({i}, {i})" for i in range(200)), "f")
            assert outcomes(r)[0] == "passed" and outcomes(r)[-1] == "timeout" and "used up" in r.verdicts[-1].reason

IGNORE = "import signal\nfor s in (24, 25, 1, 2, 3, 10, 12, 14, 15):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\ndef f(x):\n    while x > 1: pass\n    return x + 1"
def test_row_9_ignored_signals_and_blame(held):
    with Sandbox(timeout=.15) as b: # with its cache
        r = b.execute_tests(IGNORE, "\n".join(f"({x}, {x + 1})" for x in (1, 2, 0, 3, -1, 4, -2)), "f")
        assert outcomes(r) == ["passed", "timeout"] * 3 + ["passed"]
        burn = "def f(x):\n    n = 0\n    while n < x: n += 1\n    return x"
        long = b.execute_tests(burn, "\n".join(f"({300_000 + i}, {300_000 + i})" for i in range(2000)), "f")
        assert "timeout" in outcomes(long)
        late = next(v.test for v in long.verdicts if v.outcome == "timeout")
        alone = b.execute_tests(burn, [late], "f")
        assert outcomes(alone) == ["passed"], "what the suite had no time for was kept as a verdict on the call"

# ---- 10: loose comparisons ----
LOOSE = [ # program, test: none passes
    ("def f(x): return 1e16", "(1, 10**16 + 1)"), ("def f(x): return float(2**53)", "(1, 2**53 + 1)"), ("def f(x): return 3.0000000001", "(1, 3)"), ("def f(x): return 1.0000000001", "assert f(1) == 1"), ("def f(x): return True", "(1, 1)"), ("def f(x): return 1", "(1, True)"),
    ("def f(x): return [1e6, 1.5]", "assert f(1) == pytest.approx([1e6, 1.0])"), ("def f(x): return [1e9, 0.0]", "assert f(1) == pytest.approx([1e9, 100.0], rel=1e-6)"), ("def f(x): return {'a': 1e9, 'b': 2.0}", "assert f(1) == pytest.approx({'a': 1e9, 'b': 1.0})"),
    ("def f(x): return {1, 2}", "assert sorted(f(1)) == [1, 1, 2]"), ("def f(x): return {1, 2}", "(1, [1, 2])"), ("def f(x): return (1, 2)", "assert f(1) == [1, 2]"), ("def f(x): return [1, [2, 3.0000000001]]", "(1, [1, [2, 3]])"), ("def f(x): return [[1, 2]]", "assert f(1) == [(1, 2)]"),
    ("def f(x): return '1'", "(1, 1)"), ("def f(x): return 2.5", "assert f(1) == 2"), ("def f(x): return float('nan')", "(1, 0.0)"), ("def f(x): return 0.1 + 0.2", "assert f(1) == 0.30001"), ("def f(x): return {True: 1}", "(1, {1: 2})"), ("def f(x): return [0.1 + 0.2]", "assert f(1) == [3]"),
]
def test_row_10_exact_comparisons(box):
    for job, r in zip(LOOSE, judged(box, *[Job(c, t, "f", SIGNATURE) for c, t in LOOSE])): assert r.num_total == 1 and r.num_passed == 0, job

# ---- 11: status flags ----
FLAGS = "import fcntl, os\ndef flags(): return [fcntl.fcntl(fd, 3) & os.O_NONBLOCK for fd in (0, 1, 2)]\n"
def test_row_11_status_flags(box):
    change = FLAGS + "for fd in range(4):\n    try: fcntl.fcntl(fd, 4, fcntl.fcntl(fd, 3) | os.O_NONBLOCK | os.O_APPEND)\n    except OSError: pass\ndef f(x): return 0"
    look = Job(FLAGS + "def f(x): return flags()", [TestCase((1,), [0, 0, 0])], "f", SIGNATURE)
    rs = judged(box, program(change), look, text(change.replace("def f(x): return 0", "assert f(1) == 2")), look)
    assert outcomes(rs[1]) == outcomes(rs[3]) == ["passed"], (rs[1].errors, rs[3].errors)

# ---- 12: frames ----
WALK = """import gc, sys
def secrets(own):
    seen, frame = set(), sys._getframe(1)
    def look(o, depth=0):
        if type(o) is int and 770000 <= o < 770100 and o != own: seen.add(o)
        if type(o) in (str, bytes, bytearray) and len(o) < 10 ** 6:
            text = o if type(o) is str else bytes(o).decode('latin-1')
            for i in range(100):
                if '7700%02d' % i in text and 770000 + i != own: seen.add(i)
        if depth < 4 and type(o) in (list, tuple, set, dict) and len(o) < 10 ** 4:
            for v in (o.values() if type(o) is dict else o): look(v, depth + 1)
    while frame:
        if frame.f_globals.get('__name__') != 'solution':
            for v in [*frame.f_locals.values(), *frame.f_globals.values()]: look(v)
        frame = frame.f_back
    for o in gc.get_objects():
        if type(o).__name__ in ('Channel', 'Line', 'Program'): look(list(vars(o).values()))
    return len(seen)
def f(x): return secrets(x)
"""
def test_row_12_walking_frames(box):
    "No argument of a call that is still to come is there to be found"
    r, s = judged(box, Job(WALK, "\n".join(f"({770000 + i}, 0)" for i in range(20)), "f", SIGNATURE), Job(WALK, "def test_a():\n    assert [f(770000 + i) for i in range(20)][0] == 0", "f", SIGNATURE))
    assert outcomes(r)[0] == "passed" and r.num_passed >= 1 and s.passed, (r.errors, s.errors)
    assert all(v.passed or v.reason.startswith("got ") and int(v.reason[4:].split(",")[0]) <= i for i, v in enumerate(r.verdicts)), r.errors

# ---- 14: exceptions that are not what they say ----
SPOOF = ["class ValueError(Exception): pass", "class E(Exception): pass\nE.__name__ = E.__qualname__ = 'ValueError'\nE.__module__ = 'builtins'\nValueError = E", "class M(type):\n    def __instancecheck__(c, o): return True\n    def __subclasscheck__(c, o): return True\n    __eq__ = lambda s, o: True\n    __hash__ = lambda s: hash(ValueError)\nclass ValueError(Exception, metaclass=M): pass",
    "class E(Exception):\n    @property\n    def __class__(self): return __builtins__.ValueError if hasattr(__builtins__, 'ValueError') else Exception\nValueError = E", "class E(Exception):\n    __mro__ = (ValueError,)\n    args = ('ValueError',)\n    def __str__(self): return 'ValueError'\n    __repr__ = __str__\nValueError = E", "import builtins\nclass E(Exception): pass\nbuiltins.ValueError = E\nbuiltins.Exception = E\nValueError = E"]
RAISES = "with pytest.raises(ValueError):\n    f(1)\ndef test_a():\n    with pytest.raises(ValueError) as e:\n        f(1)\n    assert e.type is ValueError\ntry:\n    f(1)\n    assert False\nexcept ValueError: pass"
def test_row_14_spoofed_exceptions(box):
    reference = "def f(x): raise ValueError('no')"
    jobs = [Job(f"{s}\ndef f(x): raise ValueError('no')", RAISES, "f", SIGNATURE, r) for s in SPOOF for r in (reference, None)]
    rs = judged(box, *jobs, Job(reference + " # right", RAISES, "f", SIGNATURE, reference))
    assert rs[-1].passed and rs[-1].num_total >= 2, rs[-1].errors
    assert not [(j.code, r.verdicts) for j, r in zip(jobs, rs) if r.num_passed]

@pytest.mark.skipif(os.geteuid() != 0, reason="already an ordinary user")
def test_as_an_ordinary_user():
    "The whole file once more, when root starts it as somebody else"
    run_as_ordinary_user(__file__)
