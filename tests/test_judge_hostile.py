"What a hostile reader of the judge found: right programs that failed, wrong ones that passed, tests that know nothing, and crashes"
import numpy as np
import pytest
from chained_adv.core import Problem, TestCase, describe_test
from chained_adv.episodes import _test_rows
from chained_adv.sandbox import Job, Sandbox, SandboxError
from chained_adv.testcases import baseline_cases, parse_tests
from chained_adv.core import ProblemError

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=2, workers=1) as box: yield box

def verdicts(box, code, tests, entry="f", signature=None, **more): return box.run_many([Job(code, tests, entry, signature, **more)])[0].verdicts
def passes(*given, **more): return [v.passed for v in verdicts(*given, **more)]
def prints(*pairs): return [TestCase((given,), wanted, kind="io") for given, wanted in pairs]

FAST_IO = """
import os, sys
from io import BytesIO, IOBase
class FastIO(IOBase):
    newlines = 0
    def __init__(self, file):
        self._fd = file.fileno()
        self.buffer = BytesIO()
        self.writable = "x" in file.mode or "r" not in file.mode
        self.write = self.buffer.write if self.writable else None
    def readline(self):
        while self.newlines == 0:
            b = os.read(self._fd, max(os.fstat(self._fd).st_size, 8192))
            self.newlines = b.count(b"\\n") + (not b)
            ptr = self.buffer.tell()
            self.buffer.seek(0, 2), self.buffer.write(b), self.buffer.seek(ptr)
        self.newlines -= 1
        return self.buffer.readline()
    def flush(self):
        if self.writable:
            os.write(self._fd, self.buffer.getvalue())
            self.buffer.truncate(0), self.buffer.seek(0)
class IOWrapper(IOBase):
    def __init__(self, file):
        self.buffer = FastIO(file)
        self.flush = self.buffer.flush
        self.writable = self.buffer.writable
        self.write = lambda s: self.buffer.write(s.encode("ascii"))
        self.readline = lambda: self.buffer.readline().decode("ascii")
sys.stdin, sys.stdout = IOWrapper(sys.stdin), IOWrapper(sys.stdout)
input = lambda: sys.stdin.readline().rstrip("\\r\\n")
print(int(input()) * 2)
"""
SCRIPTS = {
    "open(0)": "print(int(open(0).read()) * 2)",
    "a file named as argument, or none": "import sys\nif len(sys.argv) > 1: sys.stdin = open(sys.argv[1])\nprint(int(input()) * 2)",
    "argparse": "import argparse\nargparse.ArgumentParser().parse_args()\nprint(int(input()) * 2)",
    "fileinput": "import fileinput\nfor o in fileinput.input(): print(int(o) * 2)",
    "a thread nobody waits for": "import threading\nthreading.Thread(target=lambda: print(int(input()) * 2)).start()",
    "atexit": "import atexit\natexit.register(print, int(input()) * 2)",
    "descriptors": "import os, sys\nos.write(sys.stdout.fileno(), b'%d' % (2 * int(os.read(sys.stdin.fileno(), 99))))",
    "open(1)": "f = open(1, 'w')\nf.write(str(int(input()) * 2))",
    "another wrapper": "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\nprint(int(input()) * 2)",
    "a contest's fast input and output": FAST_IO,
    "a pool without an end": "from concurrent.futures import ThreadPoolExecutor\nn = int(input())\nprint(sum(ThreadPoolExecutor(2).map(int, [n, n])))",
    "an output of its own": "import sys\nclass Out:\n    def __init__(s, f): s.write = f.write\nsys.stdout = Out(sys.stdout)\nprint(int(input()) * 2)",
    "a detached output": "import sys\nout = sys.stdout.detach()\nout.write(b'%d' % (int(input()) * 2))",
    "a copy of a descriptor": "import os, sys\nsys.stdout = os.fdopen(os.dup(1), 'w')\nprint(int(input()) * 2)",
    "a large stack": "import threading\nthreading.stack_size(1 << 28)\nt = threading.Thread(target=lambda: print(int(input()) * 2))\nt.start()",
    "logging": "import logging, sys\nlogging.basicConfig(stream=sys.stdout, format='%(message)s')\nlogging.warning(int(input()) * 2)",
    "a handler": "import logging, sys\nlogging.getLogger('x').addHandler(logging.StreamHandler(sys.stdout))\nlogging.getLogger('x').warning(int(input()) * 2)",
    "the size of the input": "import io, os\ninput = io.BytesIO(os.read(0, os.fstat(0).st_size)).readline\nprint(int(input()) * 2)",
    "standard input replaced": "import sys\nsys.stdin = open(0)\nprint(int(input()) * 2)",
    "finalizers": "import weakref\nclass A:\n    def __del__(s): pass\na = A()\nweakref.finalize(a, print, int(input()) * 2)",
    "the end of an object": "class A:\n    def __del__(s): print(n * 2)\nn = int(input())\na = A()",
    "a larger stack": "import resource\nresource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY,) * 2)\nprint(int(input()) * 2)",
    "a fence in a text, and a bare list": "print('~~~~' and int(input()) * 2)\n[o for o in '```']"}

@pytest.mark.parametrize("code", SCRIPTS.values(), ids=SCRIPTS)
def test_scripts_read_and_print_as_on_a_command_line(box, code):
    assert passes(box, code, prints(("21\n", "42"), ("4\n", "8"), ("5\n", "11")), "") == [True, True, False]

def test_scripts_without_threads():
    "The jail's level `process` allows no threads"
    with Sandbox(timeout=2, workers=1, isolation="process") as box:
        assert passes(box, "print(int(input()) * 2)", prints(("21\n", "42"), ("4\n", "8")), "") == [True, True]
        assert passes(box, "print(len(input()))", prints(("x" * 9000, "9000")), "") == [True]

def test_nothing_of_an_output_arrives_in_the_next(box):
    code = "import gc, sys\nclass IO: out = sys.stdout\nn = int(input())\nIO.out.write(f'{n * 2}\\n')\nif n == 21: raise ValueError\ngc.collect()"
    found = verdicts(box, code, prints(("21\n", "42"), ("4\n", "8"), ("5\n", "10")), "")
    assert [v.outcome for v in found] == ["exception", "passed", "passed"]
    late = "import threading, time\nn = int(input())\nthreading.Thread(target=lambda: (time.sleep(.1), print('late')), daemon=True).start()\nprint(n * 2)\ntime.sleep(.15 * (n == 4))"
    assert passes(box, late, prints(("21\n", "42"), ("5\n", "10")), "") == [True, True]

def test_what_was_printed_is_kept_for_people(box):
    assert box.run_many([Job("print(int(input()) * 2)\nraise ValueError", prints(("21\n", "42")), "")])[0].stdout == "42\n"

def test_large_inputs_leave_no_descriptors(box):
    assert all(passes(box, "print(len(input()))", prints(*(("x" * (100_000 + i), str(100_000 + i)) for i in range(70))), ""))

def test_what_was_printed_before_an_error_is_no_answer(box):
    assert [v.outcome for v in verdicts(box, "print(1)\nraise ValueError", prints(("", "1")), "")] == ["exception"]

@pytest.mark.parametrize("got, wanted, same", [("1000000.0", "1000001", False), ("3.0", "3", True), ("3.14159265", "3.1415927", True), ("0.0", "1e-13", False), ("1_0.5", "10.5", False),
    ("1000000000000000000.0", "1000000000000000001", False)])
def test_numbers_that_are_printed(box, got, wanted, same): assert passes(box, f"print('{got}')", prints(("", wanted)), "") == [same]

def test_tiny_numbers_are_not_zero(box):
    assert passes(box, "def f(x): return 0", "assert f(1) == 6.62607015e-34\n(1, 1.6e-19)\n(1, 2e-16)") == [False, False, True]
    assert passes(box, "def f(x): return 0", "(1, 2e-16)", rules={"float": 0}) == [False]
    assert passes(box, "def f(xs): m = sum(xs) / len(xs); return sum((x - m)**2 for x in xs) / len(xs)", "([.1, .1, .1], 0.0)") == [True]

CHECK = "def check(args, got, want):\n    xs, total = args\n    return sum(got) == total and all(x in xs for x in got)"

@pytest.mark.parametrize("code, right", [("def f(xs, t): return [2, 3]", True), ("def f(xs, t): yield 2; yield 3", True), ("def f(xs, t): return [t]", False),
    ("def f(xs, t): yield t", False), ("class L:\n    def __init__(s, *a): s.a = list(a)\n    def __iter__(s): return iter(s.a.pop(0))\ndef f(xs, t): return L([t], [xs[0]])", False)])
def test_a_checker_reads_an_answer_twice(box, code, right): assert passes(box, code, "([1, 2, 3], 5, None)", "f", "def f(xs, t):", rules={"checker": CHECK}) == [right]

@pytest.mark.parametrize("text", ["assert f", "def test_a(): assert bool(f) is True", "assert repr(f) == '<function f at 0x0>'", "assert Solution", "assert Solution()",
    "with pytest.raises(TypeError):\n    f + 1", "with pytest.raises(TypeError):\n    f[0]", "assert TreeNode(3).val == 3", "assert ListNode(5).next is None", ">>> bool(f)\nTrue"])
def test_a_test_that_knows_nothing_is_not_valid(box, text):
    assert passes(box, "def f(x): return x * x + 1", text, "f", "def f(x):", runs=2) == [False]

def test_tests_of_classes_know_something(box):
    code = "from enum import Enum\nclass C(Enum):\n    R = 1\n    G = 2\nclass B:\n    def __init__(s, n): s.n = n\n    def get(s): return s.n\nP = 3"
    tests = "assert C.R.value == 1\nassert len(C) == 2\nassert B(3).n == 3\nassert B(4).get() == 4\nassert P == 3\nwith pytest.raises(KeyError):\n    C['X']"
    assert all(passes(box, code, tests, "", "class B:", runs=2))

def test_tests_of_solutions_and_nodes_know_something(box):
    code = "class Solution:\n    def __init__(s, xs=()):\n        if xs == -1: raise ValueError\n        s.xs, s.seen = list(xs), {1: 2}\n        s.total = sum(xs)\n    def __len__(s): return len(s.xs)\n    def __getitem__(s, i): return s.xs[i]"
    tests = "assert Solution([1, 2, 3]).total == 6\nassert len(Solution([1, 2, 3])) == 3\nassert Solution([1, 2, 3])[2] == 3\nassert Solution().seen == {1: 2}\nwith pytest.raises(ValueError):\n    Solution(-1)"
    assert all(passes(box, code, tests, "", "class Solution:", runs=2))
    node = "class TreeNode:\n    def __init__(s, v, left=None): s.v, s.left = v, left\n    @property\n    def depth(s): return 1 + (s.left.depth if s.left else 0)"
    assert passes(box, node, "assert TreeNode(1, TreeNode(2)).depth == 2", "TreeNode", "class TreeNode:", runs=2) == [True]
    assert passes(box, "from enum import Enum\nclass C(Enum):\n    R = 1", "with pytest.raises(KeyError):\n    C['X']", "C", "class C:", runs=2) == [True]

@pytest.mark.parametrize("text", ["assert f(1) == 2\nassert f", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(1), 2)\n    def test_b(self): self.assertTrue(f)",
    "class TestA:\n    def setup_class(self): pass\n    def test_a(self): assert f(1) == 2\n    def test_b(self): assert f", ">>> f(1)\n2\n>>> bool(f)\nTrue"])
def test_what_another_test_asked_is_no_excuse(box, text): assert passes(box, "def f(x): return x + 1", text, "f", "def f(x):", runs=2) == [True, False]

def test_what_the_set_up_asked_counts(box):
    text = "import unittest\nclass T(unittest.TestCase):\n    @classmethod\n    def setUpClass(c): c.x = f(1)\n    def test_a(self): self.assertEqual(self.x, 2)\n    def test_b(self): self.assertTrue(self.x == 2)"
    assert passes(box, "def f(x): return x + 1", text, "f", "def f(x):", runs=2) == [True, True]

def test_copies_of_a_test_earn_once():
    keys = lambda text: len({o.call_key for o in parse_tests(text, "f", "def f(x):").cases})
    assert keys("assert [f(1)] == [2]\n" * 4 + "assert [f(2)] == [3]") == 2
    assert keys("def test_a():\n    assert [f(1)] == [2]\ndef test_b():\n    assert [f(1)] == [2]") == 1
    for text in ("assert len(f('a b')) == len('a b')\nassert len(f('a  b')) == len('a  b')", "x = 1\nassert [f(x)] == [x + 1]\nx = 2\nassert [f(x)] == [x + 1]"): assert keys(text) == 2, text

def test_functions_that_change_their_argument(box):
    for code, text, right in (("def f(xs): xs.sort()", "assert not f([2, 1])", True), ("def f(xs): xs.sort()", "assert f([2, 1])", False), ("def f(xs): xs.sort()", "([2, 1], [1, 2])", True)):
        assert passes(box, code, text, "f", "def f(xs: list) -> None:") == [right], text

@pytest.mark.parametrize("error", ["SystemExit", "KeyboardInterrupt", "BaseException", "ValueError"])
def test_whatever_is_raised(box, error):
    text = f"with pytest.raises({error}):\n    f(0)"
    assert passes(box, f"def f(x): raise {error}", text) == [True] and passes(box, "def f(x): return 1", text) == [False]

HONEST = {
    "a future import after set-up code": ("from __future__ import annotations\ndef f(x: Any) -> Any: return m.floor(x)", "assert f(1.5) == 1", dict(setup="import math as m")),
    "a fence in a docstring": ('count: int\ndef f(x):\n    """Example:\n    ```python\n    def f(x): return 0\n    ```\n    """\n    return x + 1\n', "assert f(1) == 2", {}),
    "no arguments": ("import sys\nN = int(sys.argv[1]) if len(sys.argv) > 1 else 1\ndef f(x): return N", "assert f(0) == 1", {}),
    "rot13": ("import codecs, configparser, html.parser\ndef f(s): return codecs.encode(s, 'rot13')", "assert f('abc') == 'nop'", {}),
    "an operator in place": ("class V:\n    def __init__(s, x): s.x = x\n    def __itruediv__(s, o):\n        s.x /= o\n        return s\ndef f(x): return V(x)",
                             "def test_a():\n    v = V(4)\n    v /= 2\n    assert v.x == 2", {})}

@pytest.mark.parametrize("code, text, more", HONEST.values(), ids=HONEST)
def test_honest_programs(box, code, text, more): assert passes(box, code, text, **more) == [True]

def test_a_suite_that_is_cut_says_so(box):
    many = "\n".join(f"assert f({i}) == {i}" for i in range(600))
    found = verdicts(box, "def f(x): return x if x < 500 else -1", many)
    assert found[-1].outcome == "rejected" and "only the first 500" in found[-1].reason and len(found) == 501
    assert len(verdicts(box, "def f(x): return x", "\n".join(many.split("\n")[:500]))) == 500
    with pytest.raises(ProblemError, match="too long .*split it"): baseline_cases(Problem("p", "", "def f(x):", (many,), "def f(x): return x"))

def test_huge_integers_are_shown(box):
    p = Problem("p", "d", "def f(x):", ("assert f(1) == 2",), "def f(x): return x + 1")
    r, = box.run_many([Job(p.reference_solution, "(10**5000, 3)", "f", "def f(x):", runs=2)])
    assert "too long" in _test_rows(p, r, r)[0]["test"]
    assert "too long" in describe_test(TestCase((), 10**5000)) and TestCase((10**5000,), 1).key

def test_arrays_that_look_alike_are_not(box):
    one, other = np.arange(5000.), np.arange(5000.)
    other[2500] += 1e-9
    assert TestCase((one,), 1).key != TestCase((other,), 1).key and TestCase((one[:9],), 1).key == TestCase((one[:9].copy(),), 1).key

@pytest.mark.parametrize("code, text, weak", [
    ("def f(x): return x * x + 1", "assert f(7)", True), ("def f(x): return [x]", "assert f(7)", True), ("def f(x): return []", "assert not f(7)", True),
    ("def f(x): return x > 3", "assert f(7)", False), ("def f(x): return x > 3", "assert not f(1)", False), ("def f(x): return x + 1", "assert f(1) == 2", False)])
def test_whether_an_answer_is_true_says_little(box, code, text, weak):
    assert [(v.passed, v.weak) for v in verdicts(box, code, text, "f", "def f(x):", runs=2)] == [(True, weak)]
    assert [(v.passed, v.reason) for v in verdicts(box, code, text, "f", "def f(x):")] == [(True, "")]

def test_that_nothing_is_returned_says_little(box):
    found = verdicts(box, "def f(xs): xs.sort()", "([3, 1], None)\nassert f([3, 1]) is None\n([3, 1], [1, 3])", "f", "def f(xs: list) -> None:", runs=2)
    assert [v.weak for v in found] == [True, True, False]

# What a second one found

SHARED = "a = ['x' * 200_000]\n    for _ in range(40): a = [a, a]\n    return a"
COLLIDING = "class I(int): __hash__ = lambda s: int(s) // (2**61 - 1)\ndef f(x):\n    s = {I(i * (2**61 - 1)) for i in range(1, 2000)}\n    return "

@pytest.mark.parametrize("code", [f"def f(x):\n    {SHARED}", "def f(x):\n    a = []\n    a.append(a)\n    return a", COLLIDING + "deque([s])", COLLIDING + "dict.fromkeys(s).keys()"])
def test_no_answer_fills_the_process_that_asked(box, code):
    found, = box.call_many([Job(code, [TestCase((1,), None)], "f", "def f(x):")])
    assert [(o.outcome, o.value) for o in found] == [("wrong_value", None)]

def test_names_of_a_program_do_not_stay_in_the_process_of_tests(box):
    code = "def f(n):\n    cls = type('X', (tuple,), dict(_fields=()))\n    cls.__name__ = 'a' * 3000\n    return cls()"
    assert [v.outcome for v in verdicts(box, code, "assert f(1)")] == ["crash"]

ROW = "class Row(list): pass\ndef f(n):\n    r = [0]\n    return [Row([1]), r, r]"
@pytest.mark.parametrize("code, text, right", [
    (ROW, "(1, [[1], [0], [0]])", True), (ROW, "(1, [[1], [0], [1]])", False),
    ("def f(n):\n    d, row = {1: 5}, [0] * n\n    return d.items(), [row] * n", "(2, ([(1, 5)], [[0, 0], [0, 0]]))", True),
    ("class C(Counter): pass\ndef f(s): return C(s)", "assert f('aab') == {'a': 2, 'b': 1}", True),
    ("def f(a):\n    x = [1]\n    a += [x, x]\n    return [2]", "def test_a():\n    a = []\n    assert f(a) == [2]\n    assert a == [[1], [1]]", True),
    ("def f(s): return '\\ud83d' + '\\ude00'", "assert f('') == '\\U0001f600'", False),
    ("def f(s):\n    d = defaultdict(lambda: 0)\n    for c in s: d[c] += 1\n    return d", "assert f('aab')['z'] == 0", True),
    ("P = namedtuple('P', 'tolist x')\ndef f(n): return P(1, n)", "assert f(1) == (1, 1)", True)])
def test_what_arrives_is_what_was_sent(box, code, text, right): assert passes(box, code, text) == [right]

@pytest.mark.parametrize("body", ["assert f", "with pytest.raises(TypeError):\n        f + 1", "assert ListNode(5).val == 5", "assert str(f)[0] == '<'", "assert not hasattr(f, 'z')"])
def test_a_call_beside_it_makes_no_test_valid(box, body):
    assert passes(box, "def f(x): return x * x + 1", f"def test_a():\n    f(7)\n    {body}", "f", "def f(x):", runs=2) == [False]

def test_an_object_may_be_false(box):
    code = "class Stack:\n    def __init__(s): s.xs = []\n    def push(s, x): s.xs.append(x)\n    def __bool__(s): return bool(s.xs)"
    text = "def test_a():\n    s = Stack()\n    assert not s\n    s.push(1)\n    assert s"
    assert passes(box, code, text, "Stack", "class Stack:", runs=2) == [True]

KEPT = "D = {}\ndef add(k, v): D[k] = v\ndef f(k): return D.get(k)"
COUNT = "n = 0\ndef reset():\n    global n\n    n = 0\ndef f():\n    global n\n    n += 1\n    return n"
@pytest.mark.parametrize("code, text, right", [
    (KEPT, "add('a', 3)\nassert f('a') == 3\nadd('a', 4)\nassert f('a') == 4", [True, True]), (COUNT, "reset()\nassert f() == 1\nreset()\nassert f() == 1", [True, True]),
    ("def f(a, b): return a + b", "g = f\nf = lambda x: g(x, 1)\nassert f(3) == 4", [True]), ("def f(x): return x", "candidate = lambda x: f(x) + 1\nassert candidate(3) == 4", [True]),
    ("def f(x): return x", "import math as solution\nassert solution.f(3) == 3", [False]), ("def f(x): return x + 1", "inf = 10**9\nassert f(inf) == 10**9 + 1", [True]),
    ("def f(x): return x * 2", "inf = 5\nassert f(inf) == inf", [False]), ("def f(x): return len(x)", "null = []\nassert f(null) == 0", [True])])
def test_asserts_mean_what_the_lines_before_them_say(box, code, text, right): assert passes(box, code, text) == right

LENGTH = "def f(s): return len(s)"
@pytest.mark.parametrize("code, text", [
    (LENGTH, 'def test_a():\n    assert f("""<p>\nx\n</p>""") == 10'), (LENGTH, 's = """\n`code` here\n"""\nassert f(s) == 13'), (LENGTH, "assert f('a\u200bb') == 3"),
    ("def f(s): return s.count('- ')", 'md = """\n- foo(x)\n- (y)\n"""\nassert f(md) == 2'), ("def f(s): return len(s.splitlines())", 'md = """| a | b |\n|---|---|\n| 1 | 2 |"""\nassert f(md) == 3'),
    ("def f(s): return len(s.splitlines())", 'def test_a():\n    s = """\n```python\nx = 1\n```\n"""\n    assert f(s) == 4'), (LENGTH, "('>>>', 3)")])
def test_strings_of_plain_python_stay_as_they_are(box, code, text): assert passes(box, code, text) == [True]

@pytest.mark.parametrize("line", ["from __future__ import annotations  # hints\n", "from __future__ import annotations\r\n", "from __future__ import (\n    annotations)\n", "'''About it'''\n# and more\nfrom __future__ import annotations\n"])
def test_future_imports_come_first(box, line): assert passes(box, line + "def f(x: Any): return m.floor(x)", "assert f(1.5) == 1", setup="import math as m") == [True]

def test_a_future_import_inside_a_string_stays(box):
    code = "S = '''\nfrom __future__ import annotations\nrest'''\ndef f(x): return len(S.split())"
    assert passes(box, code, "(1, 5)", setup="import math") == [True]

LL = "def f(head: Optional[ListNode]) -> Optional[ListNode]:"
@pytest.mark.parametrize("signature, code, text", [
    ("def f(name: str) -> Optional[GraphNode]:", "def f(name): return None", "assert f('x') is None\n('x', None)"), (LL + "  # reversed", "def f(head): return head", "([0, 1], [0, 1])"),
    (LL, "class ListNode:\n    __slots__ = ('val', 'next')\n    def __init__(self, val=0, next=None): self.val, self.next = val, next\ndef f(head): return head.next", "([1, 2, 3], [2, 3])"),
    (LL, "class ListNode:\n    def __init__(self, val=0, next=None): self.val, self.next = val, next\n    def __bool__(self): return bool(self.val)\ndef f(head): return head", "([0, 1], [0, 1])")])
def test_nodes_of_other_makes(box, signature, code, text): assert all(passes(box, code, text, "f", signature))

def test_many_items_in_any_order(box):
    assert passes(box, "def f(n): return list(range(n))[::-1]", [TestCase((20_000,), [*range(20_000)])], rules={"unordered": True}) == [True]
    assert passes(box, "def f(n): return [[2, 1], [1.0], 1, 1]", "(1, [1, [1], 1, [1, 2]])\n(1, [1, [1], 2, [1, 2]])\n(1, [1, [1], [1, 2], [1, 2]])", rules={"unordered": True}) == [True, False, False]

@pytest.mark.parametrize("code, text", [
    ("def assertEqual(a, b): pass\ndef f(x): return 0", "assertEqual(f(1), 31337)"), ("class np:\n    isclose = staticmethod(lambda *a: True)\ndef f(x): return 0", "assert np.isclose(f(1), 31337)"),
    ("def allclose(*a): return True\ndef f(x): return 0", "import sympy\nassert sympy.allclose(f(1), 31337)")])
def test_no_program_stands_in_for_a_library(box, code, text): assert not any(passes(box, code, text))

def test_three_arrows_in_a_string_are_no_doctest(box):
    assert passes(box, "def f(s): return len(s)", "x = '>>>'\nwith pytest.raises(TypeError):\n    f(len(x))") == [True]

LOOKS_UP = """
from chained_adv.judge.shapes import Places
t = type(f)._tester.__get__(f)
def told():
    for y in range(-100, 1000):
        if Places().begin(t.test, ["attr", "f", f"z{y}", [], {"d": []}]) in t.shapes: return y
def test_a():
    y = f(7)
    hasattr(f, f"z{y}")
    assert t.shapes is None or y == told()
"""

def test_a_limit_that_the_promises_name_a_later_run_can_look_up_what_the_reference_answered(box):
    reference = "def f(x): return x * x + 1"
    assert passes(box, reference, LOOKS_UP, "f", "def f(x):", runs=2) == [True]
    assert passes(box, "def f(x): return x * x + 2", LOOKS_UP, "f", "def f(x):", reference=reference) == [False]

# What somebody found who brought files of their own

def test_nodes_are_given_by_name(box):
    code = "class Solution:\n    def f(self, root: Optional[TreeNode]) -> Optional[TreeNode]:\n        if root: root.left, root.right = root.right, root.left\n        return root"
    text = "assert Solution().f(root=TreeNode(1, TreeNode(2))).right.val == 2\nassert Solution().f(root=TreeNode(1, TreeNode(2))).right.val == 3\nassert Solution().f(root=None) is None"
    assert passes(box, code, text, "f", "def f(self, root: Optional[TreeNode]) -> Optional[TreeNode]:") == [True, False, True]

@pytest.mark.parametrize("code, text", [
    ("import json\ndef f(s): return json.loads(s)", "import json\nwith pytest.raises(json.JSONDecodeError):\n    f('{')"),
    ("import json\ndef f(s): return json.loads(s)", "import json\ndef test_a():\n    try: f('{')\n    except json.JSONDecodeError as e: assert e.pos == 1\n    else: assert False"),
    ("import re\ndef f(s): return re.compile(s)", "import re, unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        with self.assertRaises(re.error): f('(')"),
    ("import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass P: x: int\ndef f(x): P(1).x = x", "import dataclasses\nwith pytest.raises(dataclasses.FrozenInstanceError):\n    f(1)")])
def test_exceptions_of_the_library_are_known(box, code, text):
    assert passes(box, code, text) == [True]
    assert passes(box, "import json\nclass JSONDecodeError(Exception): pass\ndef f(s): raise JSONDecodeError", text) == [False]

@pytest.mark.parametrize("rules, printed, wanted, right", [({"float": 1e-3}, "0.3334", "0.333333333", True), ({"float": 1e-9}, "0.3333335", "0.3333333", False), ({}, "0.33333334", "0.3333333", True),
    ({"unordered": True}, "b 2\\na 1", "a 1\nb 2", True), ({"unordered": True}, "b 2\\nb 2", "a 1\nb 2", False), ({}, "b 2\\na 1", "a 1\nb 2", False)])
def test_rules_hold_for_what_is_printed(box, rules, printed, wanted, right):
    assert passes(box, f"input()\nprint('{printed}')", prints(("x\n", wanted)), "", rules=rules) == [right]

def test_a_problem_is_not_taken_for_tests(box):
    with pytest.raises(SandboxError, match="baseline_cases"): box.execute_tests("def f(x): return x", Problem("p", "d", "def f(x):", ("assert f(1) == 1",), ""))
