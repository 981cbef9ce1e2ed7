"The sandbox under attack, innocent code, recovery and cleanliness"
import gc, os, signal, socket, subprocess, sys, textwrap, threading, time
from pathlib import Path
import pytest
from chained_adv.core import Problem, ProblemError, TestCase
from chained_adv.jail import ISOLATION, probe_isolation
from chained_adv.judge.host import reader
from chained_adv.judge.wire import write
from chained_adv.judge.zygote import STATUS, watch
from chained_adv.sandbox import Job, Sandbox, SandboxError, check_problem
from chained_adv.testcases import parse_tests

LINUX = sys.platform == "linux"

@pytest.fixture(scope="module", params=ISOLATION)
def box(request):
    found = {o.level: o for o in probe_isolation()}[request.param]
    if not found.available: pytest.skip(f"no isolation level {found.level!r} here: {found.reason}")
    with Sandbox(timeout=.5, isolation=request.param) as b: yield b

@pytest.fixture
def unfiltered():
    with Sandbox(timeout=.5, isolation="process") as b: yield b

def outcomes(result): return [v.outcome for v in result.verdicts]
def run(box, code, tests="(1, 2)", entry="f", **kw): return box.execute_tests(textwrap.dedent(code), tests, entry, **kw)

# ---- programs that must not pass ----

ATTACKS = {
    "always_equal": "class A:\n    def __eq__(self, o): return True\n    def __hash__(self): return 0\ndef f(x): return A()",
    "always_equal_int": "class A(int):\n    def __eq__(self, o): return True\ndef f(x): return A(7)",
    "always_equal_list": "class A(list):\n    def __eq__(self, o): return True\n    def __iter__(self): return iter([2])\ndef f(x): return A([9])",
    "os_exit_on_import": "import os\nos._exit(0)\ndef f(x): return 2",
    "os_exit": "import os\ndef f(x): os._exit(0)",
    "sys_exit": "import sys\ndef f(x): sys.exit(0)",
    "sys_exit_on_import": "import sys\nsys.exit(0)\ndef f(x): ...",
    "print_passed": "def f(x): print('passed'); print('1 passed in 0.01s'); return None",
    "excepthook": "import sys\nsys.excepthook = lambda *a: None\ndef f(x): raise ValueError",
    "frames": """
        import sys
        def f(x):
            fr, found = sys._getframe(), None
            while fr:
                for v in list(fr.f_locals.values()) + list(fr.f_globals.values()):
                    if hasattr(v, 'expected'): found = v.expected
                    if isinstance(v, dict) and 'expected' in v: found = v['expected']
                fr = fr.f_back
            return found""",
    "gc_search": """
        import gc
        def f(x):
            for o in gc.get_objects():
                if type(o).__name__ in ('TestCase', 'Verdict', 'Job', '_Run', 'Sandbox'): return o.expected
            for o in gc.get_objects():
                if isinstance(o, (list, tuple)) and any(type(i) is int and str(i) == '42' * int('3') for i in o): return int('42' * int('3'))""",
    "cmdline": """
        def f(x):
            import os, re
            for pid in ('self', str(os.getppid())):
                try:
                    t = open(f'/proc/{pid}/cmdline').read() + open(f'/proc/{pid}/environ').read()
                    if '42' * int('3') in t: return int('42' * int('3'))
                except OSError: pass""",
    "forged_frames": """
        import os, struct
        def f(x):
            for fd in range(64):
                for body in (b'Vtrue\\nnull', b'RP', b'P', b'V"passed"\\nnull'):
                    try: os.write(fd, struct.pack('!I', len(body)) + body)
                    except OSError: pass
            os._exit(0)""",
    "spray_garbage": """
        import os
        def f(x):
            for fd in range(64):
                try: os.write(fd, b'passed' * 1000)
                except OSError: pass
            return 0""",
    "endless_frame": "import os\ndef f(x):\n    os.write(3, b'\\xff' * 4 + b'V' * 1000)\n    return 0",
    "json_bomb": "import os\ndef f(x):\n    d = b'V' + b'[' * 900000 + b'\\nnull'\n    os.write(3, len(d).to_bytes(4, 'big') + d)\n    os._exit(0)",
    "bad_tag": "import os\ndef f(x):\n    d = b'V{\"s\":[[1]]}\\nnull'\n    os.write(3, len(d).to_bytes(4, 'big') + d)\n    os._exit(0)",
    "colliding_keys": "def f(x): return {i * (2**61 - 1) for i in range(3000)}",
    "patched_builtins": "import builtins\nbuiltins.len = lambda *a: 2\nbuiltins.isinstance = lambda *a: True\nbuiltins.type = lambda *a: int\ndef f(x): return 3",
    "patched_json": "import json\njson.dumps = lambda *a, **k: '[2, \"passed\"]'\ndef f(x): return 3",
    "generator": "def f(x): yield 2",
    "function": "def f(x): return f",
    "none": "def f(x): pass",
    "wrong": "def f(x): return 3",
    "bool": "def f(x): return True",
}

@pytest.mark.parametrize("name", ATTACKS)
def test_attack_does_not_pass(box, name):
    r = run(box, ATTACKS[name], "(1, 424242)\n(2, 424243)")
    assert r.num_passed == 0 and r.num_total == 2 and not r.passed
    assert all(v.reason for v in r.verdicts)

def test_innocent_runs_after_every_attack(box):
    jobs = [Job(textwrap.dedent(c), "(1, 424242)", "f") for c in ATTACKS.values()] + [Job(f"def f(x): return x + {i}", f"(1, {i + 1})") for i in range(20)]
    assert [r.num_passed for r in box.run_many(jobs)] == [0] * len(ATTACKS) + [1] * 20

def test_answers_forged_ahead_are_only_claims(box):
    "a program may answer for later calls, but it does not know what is expected there, and who answers unasked is out"
    code = f"import os\ndef f(x):\n    d = {write(['value', 5, None, []])!r}\n    for _ in range(3): os.write(3, len(d).to_bytes(4, 'big') + d)\n    os._exit(0)"
    r = run(box, code, "(1, 5)\n(2, 6)\n(3, 7)")
    assert outcomes(r)[0] == "passed" and not any(v.passed for v in r.verdicts[1:]) # the first is the value it would have returned

def test_an_object_is_true_and_nothing_else(box):
    code = "class A:\n    def __bool__(self): return True\n    def __eq__(self, other): return True\ndef f(x): return A()"
    assert outcomes(run(box, code, "assert f(1)\nassert f(1) == 1\nassert 1 == f(1) + 0\nassert f(1) is True")) == ["passed", "wrong_value", "wrong_value", "wrong_value"]

def test_raises_is_not_fulfilled_by_a_broken_program(box):
    errors = ("SyntaxError", "NameError", "ValueError", "Exception", "(SyntaxError, NameError)")
    tests = "".join(f"with pytest.raises({e}):\n    f(1)\n" for e in errors) + "def test_a():\n    with pytest.raises(Exception) as e:\n        f([1])\n    assert str(e.value)"
    for broken in ("def f(x: return", "def g(x): return", "raise ValueError('at the top')\ndef f(x): return x", "1 / 0", ""):
        assert run(box, broken, tests).num_passed == 0, broken
        assert run(box, broken, tests, signature="def f(x):").num_passed == 0, broken
    assert outcomes(run(box, "def f(x): raise UnicodeError('u')", tests)) == ["exception", "exception", "passed", "passed", "exception", "passed"]

# ---- limits ----

def test_one_loop_costs_one_test(box):
    start = time.monotonic()
    r = run(box, "def f(x):\n    while x == 2: pass\n    return x + 1", "(1, 2)\n(2, 3)\n(3, 4)\n(4, 0)")
    assert outcomes(r) == ["passed", "timeout", "passed", "wrong_value"] and r.timed_out
    assert time.monotonic() - start < 20

@pytest.mark.parametrize("body", ["import time\n    time.sleep(100)", "try:\n        while True: pass\n    except BaseException: return 2",
    "import signal\n    [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 15)]\n    while True: pass", "import sys\n    sys.stdin.read(); open(0).read()\n    while True: pass",
    "import re\n    return re.match('(a+)+$', 'a' * 40 + 'b')", "return 9 ** 9 ** 9"])
def test_hangs_time_out(box, body):
    assert outcomes(run(box, f"def f(x):\n    {body}", "(1, 2)")) == ["timeout"]

def test_a_stopped_program_times_out(unfiltered):
    assert outcomes(run(unfiltered, "import os\ndef f(x): os.kill(os.getpid(), 19)")) == ["timeout"]

def test_loop_on_import_costs_one_time_limit(box):
    start = time.monotonic()
    r = run(box, "while True: pass\ndef f(x): return 2", "(1, 2)\n(2, 2)\n(3, 2)\n(4, 2)")
    assert outcomes(r) == ["timeout"] * 4 and time.monotonic() - start < 20

def test_budget_ends_a_suite_of_loops():
    with Sandbox(timeout=.2, budget=.5) as b:
        start = time.monotonic()
        r = b.execute_tests("def f(x):\n    while True: pass", "\n".join(f"({i}, 0)" for i in range(50)))
        assert outcomes(r) == ["timeout"] * 50 and time.monotonic() - start < 5 and all(v.reason for v in r.verdicts)

@pytest.mark.parametrize("body", ["return 'a' * 10**11", "x = []\n    while True: x.append('a' * 10**6 + str(len(x)))", "return bytearray(10**12)", "return [0] * 10**10"])
@pytest.mark.skipif(not LINUX, reason="address space limit")
def test_memory(body):
    with Sandbox(timeout=2, memory_mb=128) as b:
        assert outcomes(run(b, f"def f(x):\n    if x == 3: return 2\n    {body}", "(1, 2)\n(3, 2)")) == ["memory", "passed"]

def test_output_bomb_is_capped(box):
    r = run(box, "def f(x):\n    for i in range(200000): print('y' * 100)\n    return 2", "(1, 2)")
    assert len(r.stdout) <= 65536 and r.stdout.startswith("yyy") and outcomes(r)[0] in ("passed", "timeout")
    assert len(run(box, "import sys\ndef f(x):\n    sys.stderr.write('e' * 10**7)\n    return 2").stderr) <= 65536

def test_big_answers(box):
    "On a slow machine the largest ones take longer than the limit of the test"
    assert outcomes(run(box, "def f(x): return 'a' * 10**7")) in (["wrong_value"], ["timeout"])
    assert outcomes(run(box, "def f(x): return list(range(10**6))")) in (["wrong_value"], ["timeout"])
    assert outcomes(run(box, "def f(x): return list(range(x))", [TestCase((20_000,), list(range(20_000)))])) == ["passed"]
    assert outcomes(run(box, "def f(x):\n    a = []\n    a.append(a)\n    return a")) == ["wrong_value"]
    assert outcomes(run(box, "def f(x):\n    a = []\n    for _ in range(60): a = [a, a]\n    return a"))[0] in ("wrong_value", "timeout")
    assert outcomes(run(box, "def f(x): return 10 ** 20000")) == ["wrong_value"]

def test_deep_recursion(box):
    assert outcomes(run(box, "def f(x): return f(x)")) == ["exception"]
    assert outcomes(run(box, "import sys\nsys.setrecursionlimit(10**9)\ndef f(x): return f(x) if x == 1 else 2", "(1, 2)\n(5, 2)"))[1] == "passed"
    assert run(box, "def f(x):\n    return 0 if x == 0 else 1 + f(x - 1)", "(500, 500)").passed

def test_crash(box):
    r = run(box, "import ctypes\ndef f(x):\n    if x == 1: ctypes.string_at(0)\n    return 2", "(1, 2)\n(2, 2)")
    assert outcomes(r) == ["crash", "passed"] and "SIGSEGV" in r.verdicts[0].reason
    assert outcomes(run(box, "import os\ndef f(x): os.kill(os.getpid(), 9)")) == ["crash" if box.level == "process" else "exception"]

# ---- reaching out ----

REACH = {
    "parent": "import os\ndef f(x):\n    os.kill(os.getppid(), 9)\n    return 2",
    "group": "import os\ndef f(x):\n    os.killpg(0, 9)\n    return 2",
    "fork": "import os\ndef f(x):\n    while True: os.fork()",
    "threads": "import threading\ndef f(x):\n    while True: threading.Thread(target=lambda: None).start()",
    "subprocess": "import subprocess\ndef f(x):\n    subprocess.Popen(['sleep', '1000'])\n    raise ValueError",
}
@pytest.mark.parametrize("name", REACH)
def test_reach_leaves_the_host_alone(box, name):
    run(box, REACH[name])
    assert run(box, "def f(x): return x + 1", "(1, 2)\n(10, 11)").passed

@pytest.mark.skipif(not LINUX or os.geteuid() != 0, reason="needs root, to give it up")
def test_as_root_nothing_of_root_is_left(box):
    code = "import os\ndef f(x):\n    if x == 0: return os.geteuid() == 0 or os.getuid() == 0\n    if x == 1: os.kill(%d, 0)\n    if x == 2: return open('/etc/shadow').read()\n    if x == 3: os.setuid(0)\n    if x == 4: return open(f'/proc/{os.getppid()}/mem', 'rb')\n    if x == 5: os.kill(-1, 9)" % os.getpid()
    r = run(box, code, "(0, False)\n(1, 0)\n(2, 0)\n(3, 0)\n(4, 0)\n(5, None)")
    assert outcomes(r) == ["passed"] + ["exception"] * 4 + ["passed" if box.level == "process" else "exception"], r.errors

def test_environment_is_empty(box):
    os.environ["CHAINED_ADV_SECRET"] = "424242"
    try: assert run(box, "import os\ndef f(x): return dict(os.environ)", [TestCase((1,), {})]).passed
    finally: del os.environ["CHAINED_ADV_SECRET"]

def test_nothing_can_be_written(box):
    r = run(box, "import os\ndef f(x):\n    p = f'/tmp/chained_adv_{x}_{os.getpid()}'\n    try:\n        with open(p, 'w') as o: o.write('x' * 100)\n    finally: os.path.exists(p) and os.remove(p)")
    assert outcomes(r) == ["exception"]

def test_no_state_is_carried_over():
    with Sandbox(cache_size=0) as b:
        spoil = "import builtins, math, json, sys, os\nmath.sqrt = lambda x: 2\nbuiltins.sum = lambda x: 2\nsys.modules['collections'].MARK = 1\nos.environ['A'] = 'b'\nbuiltins.mark = 1\ndef f(x): return 2"
        probe = "import builtins, math, collections, os\ndef f(x): return [math.sqrt(x), sum([x, x]), hasattr(collections, 'MARK'), len(os.environ), hasattr(builtins, 'mark')]"
        assert [r.passed for r in b.run_many([Job(spoil, "(1, 2)"), Job(probe, "(16, [4.0, 32, False, 0, False])")] * 3)] == [True] * 6

def test_descriptors_of_others_are_closed(box):
    code = "import os\ndef f(x):\n    out = []\n    for fd in range(64):\n        try: os.fstat(fd); out.append(fd)\n        except OSError: pass\n    return out"
    assert run(box, code, [TestCase((1,), [0, 1, 2, 3])]).passed

def test_reference_source_is_not_in_a_candidates_memory(box):
    ref, cand = "def f(x):\n    secret_marker_424 = 2\n    return secret_marker_424", "import gc\ndef f(x): return any(''.join(['secret_', 'marker_424']) in str(o) for o in gc.get_objects() if isinstance(o, (str, bytes, list, dict, tuple)))"
    r = box.run_many([Job(ref, "(1, 2)"), Job(cand, "(1, False)")])
    assert [o.passed for o in r] == [True, True]

# ---- innocent code ----

INNOCENT = [
    ("def f(xs: List[int]) -> Optional[int]: return max(xs) if xs else None", "([1, 5, 2], 5)\n([], None)"),
    ("class Solution:\n    def f(self, a: int, b: int) -> int:\n        return self.g(a) + b\n    def g(self, a): return a", "(1, 2, 3)"),
    ("from collections import Counter\ndef f(s): return Counter(s)", "('aab', {'a': 2, 'b': 1})"),
    ("def f(s): return defaultdict(int, {1: 2})", "('', {1: 2})"),
    ("def f(n): return tuple(range(n))", "(3, [0, 1, 2])\n(0, ())"),
    ("def f(n): return {n, n + 1}", "(1, {2, 1})"),
    ("def f(a, b=3, *, c=0): return a + b + c", "assert f(1) == 4\nassert f(1, b=1) == 2\nassert f(1, c=5) == 9"),
    ("import math\ndef f(x): return math.sqrt(x)", "assert abs(f(2) - 1.41421) < 1e-4\nassert f(4) == 2\nassert f(2) == pytest.approx(1.4142135)"),
    ("def f(x): return float('nan') if x else float('inf')", "(1, float('nan'))\n(0, float('inf'))"),
    ("def f(x):\n    if x < 0: raise ValueError('negative')\n    return x", "def test_it():\n    with pytest.raises(ValueError):\n        f(-1)\n    assert f(2) == 2"),
    ("def f(xs):\n    xs.sort()\n    return xs", "([3, 1], [1, 3])\n([3, 1], [1, 3])"),
    ("seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen) > 0", "(1, True)\n(2, True)"),
    ("def f(x): return 2 ** x", "(300, 2 ** 300)"),
    ("def helper(x): return x + 1\ndef f(x): return helper(x)", "(1, 2)"),
    ("from functools import lru_cache\n@lru_cache(None)\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)", "(80, 23416728348467685)"),
    ("import heapq, itertools, statistics, fractions, decimal, datetime, hashlib\ndef f(x): return [str(fractions.Fraction(1, x)), str(decimal.Decimal(x)), statistics.mean([x, x]), datetime.date(2024, 1, x).isoformat(), hashlib.md5(b'').hexdigest()[:4]]", "(3, ['1/3', '3', 3, '2024-01-03', 'd41d'])"),
    ("def f(s): return s[::-1]", "('héé \\u4e2d', '\\u4e2d ééh')\n('\\ud800', '\\ud800')"),
    ("f = lambda x: x + 1", "(1, 2)"),
    ("def f(x): return x\nif __name__ == '__main__':\n    while True: pass", "(1, 1)"),
    ("\ufeffdef f(x): return x", "(1, 1)"),
    ("Here is the code:\n```python\ndef f(x):\n    return x\n```\nIt works.", "(1, 1)"),
    ("def f(x):\n\treturn x\r\n", "(1, 1)"),
    ("class Node:\n    def __init__(self, v): self.v = v\ndef f(x): return Node(x).v", "(1, 1)"),
    ("from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\ndef f(x): return P(x).x", "(1, 1)"),
    ("def f(x):\n    print('noise', x)\n    return x", "(1, 1)"),
    ("def f(b): return b'a' + b", "(b'b', b'ab')"),
    ("def f(d): return {(k, 1): v for k, v in d.items()}", "({1: 'a'}, {(1, 1): 'a'})"),
]
@pytest.mark.parametrize("i", range(len(INNOCENT)))
def test_innocent(box, i):
    code, tests = INNOCENT[i]
    r = box.execute_tests(code, tests, "f")
    assert r.passed and r.num_rejected == 0, r.errors

LINKED = "class Solution:\n    def rev(self, head: Optional[ListNode]) -> Optional[ListNode]:\n        prev = None\n        while head: head.next, prev, head = prev, head, head.next\n        return prev"
def test_nodes(box):
    assert box.execute_tests(LINKED, "([1, 2, 3], [3, 2, 1])\n([], [])").passed
    plain = "def rev(head):\n    prev = None\n    while head: head.next, prev, head = prev, head, head.next\n    return prev"
    assert box.execute_tests(plain, "([1, 2], [2, 1])\n([], [])", signature="def rev(self, head: Optional[ListNode]) -> Optional[ListNode]:").passed
    own = "class TreeNode:\n    def __init__(self, x): self.val, self.left, self.right = x, None, None\ndef mirror(root: 'TreeNode') -> 'TreeNode':\n    if root: root.left, root.right = mirror(root.right), mirror(root.left)\n    return root"
    assert box.execute_tests(own, "([1, 2, 3, None, 4], [1, 3, 2, None, None, 4])\n([], [])").passed
    depth = "def depth(root: Optional[TreeNode]) -> int: return 0 if root is None else 1 + max(depth(root.left), depth(root.right))"
    assert box.execute_tests(depth, "([3, 9, 20, None, None, 15, 7], 3)\n([], 0)").passed
    merge = "def merge(lists: List[Optional[ListNode]]) -> Optional[ListNode]:\n    vals = []\n    for l in lists:\n        while l: vals.append(l.val); l = l.next\n    head = None\n    for v in sorted(vals, reverse=True): head = ListNode(v, head)\n    return head"
    assert box.execute_tests(merge, "([[1, 4], [2], []], [1, 2, 4])\n([], [])").passed
    loop = "def f(head: ListNode):\n    head.next = head\n    return head"
    assert outcomes(box.execute_tests(loop, "([1], [1])")) == ["wrong_value"]

def test_entry_point_is_found(box):
    assert box.execute_tests("def a(x): return b(x)\ndef b(x): return x", "assert a(1) == 1").passed
    r = box.execute_tests("def a(x): return 1\ndef b(x): return x", "(1, 1)")
    assert outcomes(r) == ["rejected"] and "no function to call" in r.verdicts[0].reason
    r = box.execute_tests("def a(x): return 1\ndef b(x): return x", [TestCase((1,), 1)])
    assert outcomes(r)[0] in ("exception", "rejected") and "function" in r.verdicts[0].reason
    assert outcomes(box.execute_tests("", "(1, 1)")) in (["exception"], ["rejected"])
    assert "does not define `g`" in box.execute_tests("def f(x): return 1", "assert g(1) == 1", "g").errors[0]
    assert outcomes(box.execute_tests("def f(x): return 1", "assert g(1) == 1")) == ["exception"]
    assert outcomes(box.execute_tests("from math import gcd", "(4, 6, 2)", "Counter")) == ["exception"]

def test_reasons(box):
    r = run(box, "def f(x):\n    y = 1\n    return y / x", "(0, 1)\n(1, 4)\n(1,2,3)", signature="def f(x):")
    assert [v.reason for v in r.verdicts] == ["ZeroDivisionError: division by zero", "got 1.0, expected 4", r.verdicts[2].reason] and outcomes(r)[2] == "rejected"
    r = run(box, "def f(x)\n    return 1", "(0, 1)\n(1, 4)")
    assert outcomes(r) == ["exception"] * 2 and "SyntaxError" in r.errors[0] and "line 1" in r.errors[0]

def test_rejected_keep_their_place(box):
    r = run(box, "def f(x): return x", "(1, 1)\nassert True\n(2, 3)\nassert f(")
    assert outcomes(r) == ["passed", "rejected", "wrong_value", "rejected"] and (r.num_total, r.num_passed) == (2, 1)

def test_argument_that_is_no_data(box):
    r = run(box, "def f(x): return x", [TestCase((object(),), 1), TestCase((1,), 1)])
    assert outcomes(r) == ["rejected", "passed"]
    with pytest.raises(SandboxError, match="not a test"): run(box, "def f(x): return x", [3])

def test_parsed_tests_are_tests(box): assert run(box, "def f(x): return x", parse_tests("(1, 1)", "f")).passed
def test_no_tests(box):
    r = run(box, "def f(x): return x", [])
    assert r.verdicts == () and not r.passed

# ---- cache ----

def test_cache_keeps_programs_and_calls_apart():
    with Sandbox() as b:
        assert b.execute_tests("def f(x): return x", "(1, 1)\n(True, True)\n(1.0, 1)").passed
        assert [outcomes(b.execute_tests("def f(x): return type(x).__name__", t)) for t in ("(1, 'int')", "(True, 'bool')", "(1.0, 'float')", "((1,), 'int')", "([1], 'list')")] == [["passed"]] * 5
        assert not b.execute_tests("def f(x): return x + 1", "(1, 1)").passed
        assert b.execute_tests("def f(x): return x\ndef g(x): return -x", "(1, -1)", "g").passed

def test_cache_runs_once_and_gives_the_same():
    with Sandbox() as b:
        flip = "import os\ndef f(x): return os.urandom(8).hex()"
        first = b.execute_tests(flip, "(1, '')").verdicts[0].reason
        assert b.execute_tests(flip, "(1, '')\n(1, 'x')").verdicts[0].reason == first
    with Sandbox(cache_size=0) as b:
        assert b.execute_tests(flip, "(1, '')").verdicts[0].reason != b.execute_tests(flip, "(1, '')").verdicts[0].reason

def test_cache_is_bounded():
    with Sandbox(cache_size=5) as b:
        for i in range(12): assert b.execute_tests("def f(x): return x", f"({i}, {i})").passed
        assert len(b.known.data) == 5
        b.known.size = 3000
        b.execute_tests("def f(x): print('a' * 20000)", "(1, '')")
        assert b.known.held <= 3000

def test_time_outs_are_not_cached_as_they_may_depend_on_other_rows():
    with Sandbox(timeout=.3) as b:
        code = "def f(x):\n    print('before')\n    while x: pass\n    return 0"
        for _ in range(2):
            r = b.execute_tests(code, "(0, 0)\n(1, 1)")
            assert r.timed_out and r.stdout.strip() == "before" and outcomes(r) == ["passed", "timeout"]

# ---- many jobs ----

@pytest.mark.parametrize("workers", [1, 3])
def test_many_jobs_in_order(workers):
    seen = []
    with Sandbox(timeout=.4, workers=workers) as b:
        jobs = [Job("def f(x):\n    while True: pass" if i == 7 else "import os\nos._exit(3)" if i == 9 else f"def f(x): return x * {i}", f"(1, {i})\n(2, {2 * i})", "f") for i in range(40)]
        r = b.run_many(jobs, progress=lambda done, n: seen.append((done, n)))
    assert [o.num_passed for o in r] == [0 if i in (7, 9) else 2 for i in range(40)]
    assert seen == [(i + 1, 40) for i in range(40)]

def test_large_request(box):
    big = list(range(60_000))
    assert run(box, "def f(xs): return sum(xs)", [TestCase((big,), sum(big)), TestCase((big + [1],), sum(big) + 1), TestCase((["é" * 200_000],), 0)]).num_passed == 2

# ---- recovery and cleanliness ----

def pids(b): return [z.process.pid for z in b.zygotes.values()]
def alive(pid):
    try: os.kill(pid, 0); return True
    except ProcessLookupError: return False

def test_dead_zygote_is_replaced():
    with Sandbox() as b:
        assert b.execute_tests("def f(x): return x", "(1, 1)").passed
        old = pids(b)
        os.kill(old[0], signal.SIGKILL); time.sleep(.1)
        assert b.execute_tests("def f(x): return x", "(2, 2)").passed and pids(b) != old

def test_zygote_dying_again_and_again_costs_no_innocent_verdict():
    import threading
    with Sandbox(timeout=2, cache_size=0) as b:
        b.execute_tests("def f(x): return x", "(1, 1)")
        stop = threading.Event()
        def killer():
            while not stop.wait(.4):
                for p in pids(b): alive(p) and os.kill(p, signal.SIGKILL)
        t = threading.Thread(target=killer); t.start()
        try: r = b.run_many([Job(f"import time\ndef f(x):\n    time.sleep(.02)\n    return x + {i}", f"(1, {i + 1})") for i in range(60)])
        finally: stop.set(); t.join()
    assert all(o.passed for o in r), [o.errors for o in r if not o.passed]

@pytest.mark.skipif(not LINUX or os.geteuid() == 0, reason="as root a program cannot kill its zygote")
def test_program_that_kills_its_zygote_pays_alone(unfiltered):
    r = unfiltered.run_many([Job("import os, time\ndef f(x):\n    if x == 2: os.kill(os.getppid(), 9); time.sleep(9)\n    return x", "(1, 1)\n(2, 2)\n(3, 3)"), Job("def f(x): return x", "(1, 1)")])
    assert outcomes(r[0]) == ["passed", "crash", "passed"] and r[1].passed, r[0].errors

def test_stopped_zygote_is_replaced():
    with Sandbox(timeout=.3) as b:
        b.execute_tests("def f(x): return x", "(1, 1)")
        os.kill(pids(b)[0], signal.SIGSTOP)
        assert b.execute_tests("def f(x): return x", "(2, 2)").verdicts[0].outcome in ("passed", "timeout")
        assert b.execute_tests("def f(x): return x", "(3, 3)").passed

def test_broken_interpreter_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with Sandbox() as b, pytest.raises(SandboxError, match="cannot be started"): b.execute_tests("def f(x): return x", "(1, 1)")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Sandbox() as b, pytest.raises(SandboxError, match="did not come up"): b.execute_tests("def f(x): return x", "(1, 1)")

def descriptors(): return len(os.listdir("/proc/self/fd"))

@pytest.mark.skipif(not LINUX, reason="/proc")
def test_nothing_is_left_behind():
    gc.collect(); before = descriptors()
    with Sandbox(timeout=.2, workers=2) as b:
        b.run_many([Job("def f(x):\n    while True: pass", "(1, 1)"), Job("import os\nos._exit(1)", "(1, 1)", "f"), Job("def f(x): return x", "(1, 1)")] * 3)
        mine = pids(b)
    assert not any(map(alive, mine)) and descriptors() == before

@pytest.mark.skipif(not LINUX, reason="/proc")
@pytest.mark.parametrize("end", ["pass", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "raise SystemExit(3)"])
def test_no_process_survives_the_host(end):
    code = f"from chained_adv.sandbox import *\nb = Sandbox(); assert b.execute_tests('def f(x): return x', '(1, 1)').passed\nprint(*[z.process.pid for z in b.zygotes.values()], flush=True)\n{end}"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    pids = [int(o) for o in out.stdout.split()]
    for _ in range(300): # they need a turn of the processor to end, which a busy machine gives late
        if not any(map(alive, pids)): break
        time.sleep(.05)
    assert len(pids) == 2 and not any(map(alive, pids)), out.stderr

def test_interrupt_leaves_a_usable_sandbox():
    with Sandbox() as b:
        def stop(done, n): raise KeyboardInterrupt
        with pytest.raises(KeyboardInterrupt): b.run_many([Job(f"def f(x): return {i}", f"(1, {i})") for i in range(5)], progress=stop)
        assert b.execute_tests("def f(x): return 3", "(1, 3)").passed

@pytest.mark.skipif(not LINUX, reason="fork")
def test_forked_host_has_its_own_workers():
    with Sandbox() as b:
        b.execute_tests("def f(x): return x", "(1, 1)")
        child = os.fork()
        if not child:
            ok = b.execute_tests("def f(x): return x", "(2, 2)").passed
            b.close(); os._exit(0 if ok else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert b.execute_tests("def f(x): return x", "(3, 3)").passed

def test_import_is_light():
    out = subprocess.run([sys.executable, "-c", "import sys, chained_adv.sandbox; print([m for m in ('torch', 'transformers', 'numpy', 'rich') if m in sys.modules])"], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr

def test_check_problem(box):
    make = lambda *tests: Problem("p", "", "def f(self, n: int):", tests, "class Solution:\n    def f(self, n): return 2 * n")
    assert check_problem(make([1, 2], "assert f(2) == 4", "assert Solution().f(3) == 6"), box).num_passed == 3
    with pytest.raises(ProblemError, match=r"problem 'p'.*test 1, f\(2\) == 5: got 4, expected 5"): check_problem(make([1, 2], [2, 5]), box)
    with pytest.raises(ProblemError, match="no baseline tests"): check_problem(make(), box)

def test_a_refused_fork_is_reported():
    "The zygote says so at once, and goes on"
    ours, theirs = socket.socketpair()
    for number in (7, 8): socket.send_fds(ours, [b"F" + number.to_bytes(4, "big")], [ours.fileno()])
    ours.shutdown(socket.SHUT_WR)
    handler, wake = signal.getsignal(signal.SIGCHLD), signal.set_wakeup_fd(-1)
    try: watch(theirs, lambda fd: -1)
    finally: signal.set_wakeup_fd(wake); signal.signal(signal.SIGCHLD, handler)
    assert list(STATUS.iter_unpack(ours.recv(1000))) == [(0, 0), (7, -1), (8, -1)]
    ours.close(); theirs.close()

def test_a_zygote_killed_a_moment_ago_is_replaced():
    "Nobody has noticed yet that it is dead"
    with Sandbox(cache_size=0) as b:
        for i in range(5):
            assert b.execute_tests(f"def f(x): return x # {i}", "(1, 1)\nassert [f(2)] == [2]").passed
            for pid in pids(b): os.kill(pid, signal.SIGKILL)

def test_the_reader_is_replaced():
    "Texts and answers are read by a process that may be killed, too"
    with Sandbox(cache_size=0) as b:
        for i in range(5):
            assert b.execute_tests(f"def f(x): return (x, {i})", f"([1], ([1], {i}))", "f").passed
            reader.zygote.process.kill() # which may have ended by now

def test_a_slow_comparison_costs_no_other_program_its_verdict():
    "While the reader looks at an answer that is hard to compare, the answers of others wait, and their time does not run"
    bomb = "import os\nd = b'V[' + b'9' * 900000 + b']\\nnull'\ndef f(x):\n    os.write(3, len(d).to_bytes(4, 'big') + d)\n    os._exit(0)"
    with Sandbox(timeout=.1, workers=2, cache_size=0) as b:
        for i in range(4):
            rs = b.run_many([Job(bomb, "(1, [2])", "f"), *[Job(f"def f(x): return x # {i} {k}", "(1, 1)\n([2], [2])", "f") for k in range(3)], Job(bomb + "#", "(1, [2])", "f")])
            assert [outcomes(r) for r in rs[1:4]] == [["passed", "passed"]] * 3, [r.errors for r in rs]

def test_a_text_that_is_hard_to_read_is_the_same_for_all_jobs():
    "It is read once, so that no two programs get different tests of it, however near the reader's limit it is"
    sys.path.insert(0, str(Path(__file__).parent / "judge_data"))
    from attacks import TEST_ATTACKS
    text = next(a.text for a in TEST_ATTACKS if a.name == "bomb_f_string_many")
    with Sandbox(timeout=.1, budget=.2) as b:
        began = time.process_time()
        rs = b.run_many([Job(f"def f(xs): return sorted(xs) # {i}", text, "f", "def f(xs):") for i in range(6)])
        assert time.process_time() - began < 1
    assert len({tuple(v.outcome == "rejected" for v in r.verdicts) for r in rs}) == 1

# ---- records ----

def test_a_candidate_that_answers_as_the_reference_has_its_verdict():
    "Also where the test reads the clock, random numbers or its own process, and where it is wrong about the reference"
    text = "import random, time, os\ndef test_a():\n    x = random.randrange(10 ** 6)\n    assert f(x) == x + 1 and os.getpid() and time.time() > 0\ndef test_b():\n    assert sorted([f(1), f(0)]) == [7]\ndef test_c():\n    assert f(os.getpid() % 7) > 0 or hash('a') % 2\ndef test_d():\n    with pytest.raises(TypeError):\n        f('a')\n    assert f(2) == 3"
    with Sandbox(cache_size=0) as b:
        a, *rest = b.run_many([Job(c, text, "f", "def f(x):", "def f(x): return x + 1") for c in ("def f(x): return x + 1", "def f(x): return 1 + x if isinstance(x, int) else x + 1", "def f(x):\n    y = x\n    y += 1\n    return y")])
    assert outcomes(a)[:2] == ["passed", "wrong_value"] and all(outcomes(r) == outcomes(a) for r in rest), (a.verdicts, rest)

def test_a_valid_alternative_passes():
    "Candidates whose answers differ from the reference's, where the test allows them"
    text = "def test_a():\n    assert sorted(f(3)) == [0, 1, 2]\nassert set(f(2)) == {0, 1}\nassert len(list(f(4))) == 4"
    codes = ["def f(n): return list(range(n))", "def f(n): return list(range(n))[::-1]", "def f(n): return tuple(range(n))", "def f(n): return set(range(n))", "def f(n): return range(n)", "def f(n): yield from range(n)", "def f(n): return iter(range(n))", "def f(n): return map(int, range(n))", "def f(n): return {i: 0 for i in range(n)}", "def f(n): return {i: 0 for i in range(n)}.keys()"]
    with Sandbox() as b:
        results = b.run_many([Job(c, text, "f", "def f(n):", r) for c in codes for r in (codes[0], None)])
        wrong = b.run_many([Job(c, text, "f", "def f(n):", codes[0]) for c in ("def f(n): return [0] * n", "def f(n): yield from range(n + 1)", "def f(n): return None")])
    assert not [(codes[i // 2], r.errors) for i, r in enumerate(results) if not r.passed]
    assert not [r for r in wrong if r.passed]

def test_calls_before_an_assert_count():
    "A program that an earlier call of the same test spoils fails it"
    stale = "seen = []\ndef f(x):\n    seen.append(x)\n    return x + 1 if 9 not in seen else 0"
    with Sandbox() as b:
        for text in ("def test_a():\n    f(9)\n    assert f(1) == 2", "def test_a():\n    f(9)\n    r = f(1)\n    assert r == 2"):
            for r in (None, "def f(x): return x + 1"): assert outcomes(b.execute_tests(stale, text, "f")) == ["wrong_value"] if r is None else outcomes(b.run_many([Job(stale, text, "f", "def f(x):", r)])[0]) == ["wrong_value"], text

def test_validation_says_what_is_weak_and_what_cannot_fail():
    with Sandbox() as b:
        r = b.validate_tests_against_solution("assert f(1) == 2\nassert f(1) is not None\nassert f(1) == f(1)\nassert f(1) in (2, f(1))\n(1, 3)\nassert True", "def f(x): return x + 1", "f", "def f(x):")
    assert [v.passed for v in r.verdicts] == [True, True, False, False, False, False], r.verdicts
    assert [v.weak for v in r.verdicts][:2] == [False, True] and all(v.reason for v in r.verdicts[1:])

def test_calls_for_their_values():
    with Sandbox(timeout=.3) as b:
        tests = [TestCase((x,), None) for x in (1, 2, 3, 4)]
        got, = b.call_many([Job("def f(x):\n    while x == 3: pass\n    return [x, (x,), {x}] if x != 2 else 1 / 0 if x < 3 else f", tests, "f")])
    assert [g.outcome for g in got] == ["returned", "exception", "timeout", "returned"] and got[0].value == [1, (1,), {1}]

def test_the_rehearsal_leaves_no_trace_in_a_program(box):
    names = "def f(x):\n    import sys\n    return [sorted(k for k in globals() if k[:2] != '__'), sorted(vars(sys.modules['solution'])) == sorted(globals())]"
    assert run(box, names, [TestCase((1,), [["f"], True])]).passed
    draw = "import random\ndef f(x): return random.random()"
    drawn = [box.validate_tests_against_solution(f"(1, {e})", draw).verdicts[0].reason.split(",")[0] for e in (.5, .25)]
    assert len(set(drawn)) == 2 # random numbers are fresh in each process

@pytest.mark.parametrize("text", [
    "import pytest\n@pytest.mark.skip\ndef test_a():\n    assert f(1) == 2\n",
    "@pytest.mark.skip(reason='x')\ndef test_a():\n    assert f(1) == 2\n",
    "@pytest.mark.xfail\ndef test_a():\n    assert f(1) == 2\n",
    "import unittest\nclass T(unittest.TestCase):\n    @unittest.skip('x')\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n",
    "import unittest\nclass T(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n"])
def test_what_is_marked_to_be_skipped_is_not_valid(text):
    with Sandbox() as b: assert not b.validate_tests_against_solution(text, "def f(x): return x + 1", "f").passed
