'''Innocent but unusual programs that pass every test of theirs, and that a naive sandbox accuses.

INNOCENT holds (name, program, tests, entry or None, signature or None).'''

INNOCENT = [
    # ---- competition boilerplate ----
    ("fast_input_alias", '''\
import sys
input = sys.stdin.readline
def f(a, b):
    return a + b
if __name__ == "__main__":
    a, b = map(int, input().split())
    print(f(a, b))
''', "assert f(1, 2) == 3\nassert f(-1, 1) == 0", "f", "def f(a, b):"),
    ("stdin_buffer_read", '''\
import sys
data = sys.stdin.buffer.read().split()
def f(xs):
    return max(xs) - min(xs)
if data:
    print(f([int(o) for o in data]))
''', "([3, 1, 8], 7)\n([4], 0)", "f", "def f(xs):"),
    ("stdout_buffer", '''\
import sys
def f(xs):
    sys.stdout.buffer.write(b"".join(b"%d\\n" % x for x in xs))
    sys.stdout.buffer.flush()
    return len(xs)
''', "assert f([1, 2, 3]) == 3\nassert f([]) == 0", "f", "def f(xs):"),
    ("stdout_reconfigure", '''\
import sys
try:
    sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)
except AttributeError:
    pass
def f(s):
    print("h\\u00e9llo", s)
    return s.upper()
''', "('ab', 'AB')\n('', '')", "f", "def f(s):"),
    ("recursion_limit_million", '''\
import sys
sys.setrecursionlimit(10**6)
def f(n):
    return 1 if n <= 1 else n * f(n - 1)
''', "[((5,), 120), ((0,), 1), ((20,), 2432902008176640000)]", "f", "def f(n):"),
    ("recursion_five_thousand", '''\
import sys
sys.setrecursionlimit(20000)
def f(xs, i=0):
    if i == len(xs):
        return 0
    return xs[i] + f(xs, i + 1)
''', "assert f(list(range(5000))) == 12497500\nassert f([]) == 0", "f", "def f(xs, i=0):"),
    ("big_stack_thread", '''\
import sys, threading
sys.setrecursionlimit(10**6)
threading.stack_size(2**26)
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
def f(n):
    out = []
    t = threading.Thread(target=lambda: out.append(depth(n)))
    t.start()
    t.join()
    return out[0]
''', "assert f(10) == 10\nassert f(8000) == 8000", "f", "def f(n):"),
    ("main_in_thread", '''\
import sys, threading
def main():
    n = int(sys.stdin.readline())
    print(f(n))
def f(n):
    return n * (n + 1) // 2
if __name__ == "__main__":
    sys.setrecursionlimit(1 << 25)
    threading.stack_size(1 << 26)
    t = threading.Thread(target=main)
    t.start()
    t.join()
''', "(10, 55)\n(0, 0)", "f", "def f(n):"),
    ("print_flush", '''\
def f(n):
    for i in range(n):
        print(i, end=" ", flush=True)
    print(flush=True)
    return n
''', "assert f(5) == 5", "f", "def f(n):"),
    ("stdout_swapped", '''\
import io, sys
def f(words):
    old = sys.stdout
    sys.stdout = io.StringIO()
    try:
        for w in words:
            print(w, end="|")
        return sys.stdout.getvalue()
    finally:
        sys.stdout = old
''', "assert f(['a', 'b']) == 'a|b|'\nassert f([]) == ''", "f", "def f(words):"),
    ("redirect_stdout", '''\
import io
from contextlib import redirect_stdout
def f(x):
    out = io.StringIO()
    with redirect_stdout(out):
        print("value", x)
    return out.getvalue().strip()
''', "(3, 'value 3')\n('a', 'value a')", "f", "def f(x):"),
    ("stdin_swapped", '''\
import io, sys
def solve():
    n = int(input())
    return sum(int(input()) for _ in range(n))
def f(text):
    old, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        return solve()
    finally:
        sys.stdin = old
''', "assert f('2\\n3\\n4\\n') == 7\nassert f('0\\n') == 0", "f", "def f(text):"),
    ("print_replaced", '''\
import functools
lines = []
print = functools.partial(lines.append)
def f(x):
    print(x)
    return lines[-1]
''', "assert f(4) == 4\nassert f('a') == 'a'", "f", "def f(x):"),
    ("fast_io_class", '''\
import os, sys
from io import BytesIO, IOBase
BUFSIZE = 8192
class FastIO(IOBase):
    newlines = 0
    def __init__(self):
        self.buffer = BytesIO()
        self.write = self.buffer.write
    def flush(self):
        self.buffer.truncate(0), self.buffer.seek(0)
out = FastIO()
def f(n):
    out.write(b"%d" % n)
    return out.buffer.getvalue()[-1:] == b"%d" % (n % 10)
''', "(12, True)\n(7, True)", "f", "def f(n):"),
    ("exit_not_called", '''\
import sys
def usage():
    print("usage: prog N")
    sys.exit(2)
def f(n):
    if n is None:
        usage()
    return n + 1
''', "assert f(1) == 2", "f", "def f(n):"),
    ("exit_caught", '''\
import sys
def f(code):
    try:
        sys.exit(code)
    except SystemExit as e:
        return e.code
''', "(3, 3)\n('bye', 'bye')", "f", "def f(code):"),
    ("argv_ignored", '''\
import sys
LOCAL = len(sys.argv) > 1 and sys.argv[1] == "local"
def f(x):
    return x * 2 if not LOCAL else None
''', "(2, 4)", "f", "def f(x):"),
    ("much_printing", '''\
import sys
def f(n):
    for i in range(n):
        print("line", i, "x" * 90)
    sys.stderr.write("y" * 100000)
    return n
''', "assert f(10000) == 10000", "f", "def f(n):"),
    ("prints_like_a_report", '''\
print('{"passed": false}')
print("FAILED test_f - assert 1 == 2")
def f(x):
    print("Traceback (most recent call last):")
    print("\\x00\\x1b[31mnot ok\\x1b[0m")
    return x
''', "(1, 1)\n('a', 'a')", "f", "def f(x):"),
    ("main_block_tests_itself", '''\
def f(x):
    return x ** 2
def test_f():
    assert f(3) == 9
    print("All tests passed!")
if __name__ == "__main__":
    test_f()
''', "assert f(3) == 9\nassert f(-2) == 4", "f", "def f(x):"),
    ("asserts_at_module_level", '''\
def f(x):
    return x + 1
assert f(1) == 2
assert f(-1) == 0, "negative"
print("ok")
''', "(1, 2)\n(-1, 0)", "f", "def f(x):"),

    # ---- threads, processes of thought, time ----
    ("threads_with_lock", '''\
import threading
def f(n):
    total, lock = [0], threading.Lock()
    def work():
        for _ in range(100):
            with lock:
                total[0] += 1
    ts = [threading.Thread(target=work) for _ in range(n)]
    for t in ts: t.start()
    for t in ts: t.join()
    return total[0]
''', "(4, 400)\n(0, 0)", "f", "def f(n):"),
    ("thread_pool", '''\
from concurrent.futures import ThreadPoolExecutor
def f(xs):
    with ThreadPoolExecutor(max_workers=4) as pool:
        return list(pool.map(lambda x: x * x, xs))
''', "assert f([1, 2, 3]) == [1, 4, 9]\nassert f([]) == []", "f", "def f(xs):"),
    ("queue_workers", '''\
import queue, threading
def f(xs):
    todo, done = queue.Queue(), queue.Queue()
    for x in xs: todo.put(x)
    def work():
        while True:
            try: x = todo.get_nowait()
            except queue.Empty: return
            done.put(x + 1)
            todo.task_done()
    ts = [threading.Thread(target=work, daemon=True) for _ in range(3)]
    for t in ts: t.start()
    for t in ts: t.join()
    return sorted(done.queue)
''', "([3, 1, 2], [2, 3, 4])", "f", "def f(xs):"),
    ("asyncio_gather", '''\
import asyncio
async def one(x):
    await asyncio.sleep(0.001)
    return x * 2
async def every(xs):
    return await asyncio.gather(*(one(x) for x in xs))
def f(xs):
    return asyncio.run(every(xs))
''', "assert f([1, 2]) == [2, 4]\nassert f([]) == []", "f", "def f(xs):"),
    ("asyncio_loop_by_hand", '''\
import asyncio
async def add(a, b):
    return a + b
def f(a, b):
    loop = asyncio.new_event_loop()
    try: return loop.run_until_complete(add(a, b))
    finally: loop.close()
''', "(1, 2, 3)", "f", "def f(a, b):"),
    ("condition_print_in_order", '''\
import threading
class Foo:
    def __init__(self):
        self.a, self.b = threading.Event(), threading.Event()
    def first(self, out): out.append("first"); self.a.set()
    def second(self, out): self.a.wait(); out.append("second"); self.b.set()
    def third(self, out): self.b.wait(); out.append("third")
def f(order):
    foo, out = Foo(), []
    ts = [threading.Thread(target=(foo.first, foo.second, foo.third)[i], args=(out,)) for i in order]
    for t in ts: t.start()
    for t in ts: t.join(5)
    return out
''', "assert f([2, 1, 0]) == ['first', 'second', 'third']\nassert f([0, 1, 2]) == ['first', 'second', 'third']", "f", "def f(order):"),
    ("thread_local", '''\
import threading
local = threading.local()
def f(x):
    local.x = x
    return local.x
''', "(5, 5)", "f", "def f(x):"),
    ("timer_thread", '''\
import threading
def f(x):
    box = []
    t = threading.Timer(0.01, box.append, [x])
    t.start()
    t.join()
    return box
''', "(1, [1])", "f", "def f(x):"),
    ("time_measured", '''\
import time
def timed(fn):
    def inner(*a):
        start = time.perf_counter()
        out = fn(*a)
        inner.seconds = time.perf_counter() - start
        return out
    return inner
@timed
def f(n):
    return sum(range(n))
start_time = time.time()
''', "assert f(10) == 45\nassert f(100) == 4950", "f", "def f(n):"),
    ("short_sleep", '''\
import time
def f(x):
    time.sleep(0.05)
    return x
''', "(1, 1)\n(2, 2)", "f", "def f(x):"),
    ("a_third_of_a_second", '''\
def f(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total
''', "assert f(2000000) == 3999997\nassert f(8) == 14", "f", "def f(n):"),
    ("sieve_million", '''\
def f(n):
    s = bytearray([1]) * (n + 1)
    s[:2] = b"\\0\\0"
    for i in range(2, int(n ** 0.5) + 1):
        if s[i]:
            s[i * i::i] = bytes(len(range(i * i, n + 1, i)))
    return sum(s)
''', "(100, 25)\n(1000000, 78498)", "f", "def f(n):"),
    ("random_seeded", '''\
import random
random.seed(42)
def f(xs):
    if len(xs) < 2:
        return xs
    p = random.choice(xs)
    return f([x for x in xs if x < p]) + [x for x in xs if x == p] + f([x for x in xs if x > p])
''', "([3, 1, 2, 3], [1, 2, 3, 3])\n([], [])", "f", "def f(xs):"),
    ("random_own_generator", '''\
import random
def f(seed):
    a, b = random.Random(seed), random.Random(seed)
    return [a.randint(1, 6) for _ in range(5)] == [b.randint(1, 6) for _ in range(5)]
''', "(1, True)\n('text', True)", "f", "def f(seed):"),

    # ---- what comes back ----
    ("forty_thousand_floats", '''\
def f(n):
    return [i / 7 for i in range(n)]
''', "assert f(40000) == [i / 7 for i in range(40000)]\nassert len(f(40000)) == 40000", "f", "def f(n):"),
    ("large_string", '''\
def f(n):
    return "ab" * n
''', "assert f(300000) == 'ab' * 300000\nassert len(f(500000)) == 1000000", "f", "def f(n):"),
    ("returns_range", '''\
def f(n):
    return range(n)
''', "assert list(f(3)) == [0, 1, 2]\nassert f(3) == range(3)\nassert len(f(10**12)) == 10**12\nassert 5 in f(6)", "f", "def f(n):"),
    ("returns_deque", '''\
from collections import deque
def f(xs, k):
    d = deque(xs, maxlen=k)
    d.rotate(1)
    return d
''', "from collections import deque\nassert f([1, 2, 3], 3) == deque([3, 1, 2])\nassert list(f([1, 2, 3], 2)) == [3, 2]\nassert f([1], 5).maxlen == 5",
     "f", "def f(xs, k):"),
    ("returns_generator", '''\
def f(n):
    i = 0
    while i < n:
        yield i
        i += 1
''', "assert list(f(3)) == [0, 1, 2]\ng = f(2)\nassert next(g) == 0\nassert next(g) == 1\nassert next(g, 'end') == 'end'", "f", "def f(n):"),
    ("endless_generator", '''\
from itertools import count
def f():
    a, b = 0, 1
    for _ in count():
        yield a
        a, b = b, a + b
''', "from itertools import islice\nassert list(islice(f(), 7)) == [0, 1, 1, 2, 3, 5, 8]\ng = f()\n"
     "assert [next(g) for _ in range(3)] == [0, 1, 1]", "f", "def f():"),
    ("returns_map_filter_zip", '''\
def f(kind, xs):
    return {"map": map(str, xs), "filter": filter(None, xs), "zip": zip(xs, xs), "reversed": reversed(xs), "enumerate": enumerate(xs)}[kind]
''', "assert list(f('map', [1, 0])) == ['1', '0']\nassert list(f('filter', [1, 0])) == [1]\nassert dict(f('zip', [1])) == {1: 1}\n"
     "assert next(f('reversed', [1, 2])) == 2\nassert list(f('enumerate', 'a')) == [(0, 'a')]", "f", "def f(kind, xs):"),
    ("returns_views", '''\
def f(d):
    return d.keys(), d.values(), d.items()
''', "k, v, i = f({'a': 1, 'b': 2})\nassert list(k) == ['a', 'b']\nassert sorted(v) == [1, 2]\nassert ('a', 1) in i\nassert k == {'a', 'b'}", "f", "def f(d):"),
    ("returns_counter", '''\
from collections import Counter
def f(s):
    return Counter(s)
''', "assert f('aab') == {'a': 2, 'b': 1}\nassert f('aab')['z'] == 0\nassert f('aab').most_common(1) == [('a', 2)]\nassert f('') == {}", "f", "def f(s):"),
    ("returns_defaultdict", '''\
from collections import defaultdict
def f(words):
    out = defaultdict(list)
    for w in words:
        out[len(w)].append(w)
    return out
''', "assert f(['a', 'bb', 'c']) == {1: ['a', 'c'], 2: ['bb']}\nassert f([]) == {}\nassert f(['a'])[9] == []", "f", "def f(words):"),
    ("returns_ordered_dict", '''\
from collections import OrderedDict
def f(s):
    d = OrderedDict.fromkeys(s)
    d.move_to_end(s[0])
    return d
''', "assert list(f('abca')) == ['b', 'c', 'a']\nassert f('ab') == {'a': None, 'b': None}", "f", "def f(s):"),
    ("returns_namedtuple", '''\
from collections import namedtuple
Point = namedtuple("Point", "x y")
def f(a, b):
    return Point(a, b)
''', "assert f(1, 2) == (1, 2)\nassert f(1, 2).x == 1\nassert f(3, 4)._asdict() == {'x': 3, 'y': 4}\nassert f(1, 2) == Point(1, 2)", "f", "def f(a, b):"),
    ("returns_dataclass", '''\
from dataclasses import dataclass, field
@dataclass
class Person:
    name: str
    age: int = 0
    tags: list = field(default_factory=list)
    def older(self): return Person(self.name, self.age + 1, self.tags)
def f(name, age):
    return Person(name, age)
''', "p = f('Ann', 3)\nassert p.name == 'Ann' and p.age == 3\nassert p.older().age == 4\nassert f('a', 1) == f('a', 1)\nassert p.tags == []\n"
     "assert repr(f('Bo', 2)) == \"Person(name='Bo', age=2, tags=[])\"", "f", "def f(name, age):"),
    ("dataclass_slots_frozen", '''\
from dataclasses import dataclass, replace
@dataclass(frozen=True, slots=True, order=True)
class V:
    x: int
    y: int = 0
def f(x):
    return replace(V(x), y=x * 2)
''', "import pytest\nassert f(2).y == 4\nassert f(1) < f(2)\nassert len({f(1), f(1)}) == 1\nwith pytest.raises(AttributeError):\n"
     "    f(1).x = 5", "f", "def f(x):"),
    ("returns_fraction", '''\
from fractions import Fraction
def f(a, b):
    return Fraction(a, b) + Fraction(1, 3)
''', "from fractions import Fraction\nassert f(1, 3) == Fraction(2, 3)\nassert f(2, 3) == 1\nassert f(1, 6) == 0.5\n"
     "assert str(f(1, 3)) == '2/3'", "f", "def f(a, b):"),
    ("returns_decimal", '''\
from decimal import Decimal, ROUND_HALF_UP
def f(text):
    return Decimal(text).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
''', "from decimal import Decimal\nassert f('2.345') == Decimal('2.35')\nassert str(f('1')) == '1.00'\nassert f('2.5') == 2.5", "f", "def f(text):"),
    ("decimal_context", '''\
from decimal import Decimal, getcontext, localcontext
getcontext().prec = 50
def f(n):
    with localcontext() as c:
        c.prec = 30
        return str(Decimal(n).sqrt())
''', "(2, '1.41421356237309504880168872421')\n(9, '3')", "f", "def f(n):"),
    ("returns_dates", '''\
from datetime import date, datetime, timedelta
def f(text, days):
    return datetime.strptime(text, "%Y-%m-%d").date() + timedelta(days=days)
''', "from datetime import date\nassert f('2024-02-28', 2) == date(2024, 3, 1)\nassert f('2023-12-31', 1).isoformat() == '2024-01-01'\n"
     "assert (f('2024-01-10', 0) - date(2024, 1, 1)).days == 9", "f", "def f(text, days):"),
    ("returns_complex", '''\
import cmath
def f(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    return (-b + d) / (2 * a), (-b - d) / (2 * a)
''', "assert f(1, 0, 1) == (1j, -1j)\nassert f(1, -3, 2) == (2, 1)\nassert f(1, 0, 1)[0].imag == 1.0", "f", "def f(a, b, c):"),
    ("big_integers", '''\
def f(n):
    return 10 ** n
''', "assert f(5000) == 10 ** 5000\nassert f(5000) > f(4999)\nassert f(3) == 1000\nassert f(5000) % 7 == pow(10, 5000, 7)", "f", "def f(n):"),
    ("big_integer_digits", '''\
import sys
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
def f(n):
    return len(str(2 ** n))
''', "(10, 4)\n(20000, 6021)", "f", "def f(n):"),
    ("returns_bytes", '''\
def f(s):
    return s.encode("utf-8"), bytearray(s, "ascii", "ignore"), memoryview(b"ab").tobytes()
''', "assert f('h\u00e9') == (b'h\\xc3\\xa9', bytearray(b'h'), b'ab')\nassert isinstance(f('a')[1], bytearray)", "f", "def f(s):"),
    ("returns_frozenset", '''\
def f(xs):
    return {frozenset(x) for x in xs}
''', "assert f(['ab', 'ba', 'c']) == {frozenset('ab'), frozenset('c')}\nassert f([]) == set()", "f", "def f(xs):"),
    ("set_of_mixed_types", '''\
def f(*xs):
    return set(xs)
''', "assert f(1, 'a', None, (2,), 1.5, b'x') == {None, 'a', 1, (2,), b'x', 1.5}\nassert f() == set()\nassert f(1, True, 1.0) == {1}", "f", "def f(*xs):"),
    ("not_a_number", '''\
def f(x):
    return [float("nan"), float("inf"), -float("inf")][x]
''', "import math\nassert math.isnan(f(0))\nassert f(1) == float('inf')\nassert f(2) == -math.inf\nassert f(0) != f(0)", "f", "def f(x):"),
    ("minus_zero", '''\
import math
def f(x):
    return math.copysign(0.0, x)
''', "import math\nassert f(-1) == 0\nassert str(f(-1)) == '-0.0'\nassert math.copysign(1, f(-3)) == -1.0\nassert str(f(1)) == '0.0'", "f", "def f(x):"),
    ("nested_empties", '''\
def f(n):
    return [[], {}, (), set(), "", [[[]]], {"": {}}, [()]][n]
''', "[(0, []), (1, {}), (2, ()), (3, set()), (4, ''), (5, [[[]]]), (6, {'': {}}), (7, [()])]", "f", "def f(n):"),
    ("odd_strings", '''\
def f(n):
    return ["\\ud800", "a\\x00b", "\\U0001f600", "\\u202eabc", "e\\u0301", "\\n\\r\\t\\x0b", "\\x7f\\x9f"][n]
''', "assert f(0) == '\\ud800'\nassert f(1) == 'a\\x00b'\nassert len(f(2)) == 1\nassert f(3) == '\\u202eabc'\nassert len(f(4)) == 2\n"
     "assert f(5).strip() == ''\n"
     "assert f(6) == '\\x7f\\x9f'", "f", "def f(n):"),
    ("deep_nesting", '''\
def f(n):
    out = []
    for _ in range(n):
        out = [out]
    return out
''', "x = []\nfor _ in range(90):\n    x = [x]\nassert f(90) == x\nassert f(1) == [[]]\nassert f(0) == []", "f", "def f(n):"),
    ("shared_rows", '''\
def f(n):
    row = [0] * n
    return [row] * n
''', "assert f(2) == [[0, 0], [0, 0]]\nassert f(0) == []", "f", "def f(n):"),
    ("returns_itself_inside", '''\
def f(x):
    out = [x]
    out.append(out)
    return out
''', "r = f(1)\nassert r[0] == 1\nassert len(r) == 2\nassert len(r[1]) == 2\nassert r[1][1][0] == 1", "f", "def f(x):"),
    ("returns_none", '''\
def f(x):
    if x > 0:
        return x
''', "assert f(-1) is None\nassert f(0) is None\nassert f(2) == 2", "f", "def f(x):"),
    ("returns_ellipsis_and_types", '''\
def f(x):
    return {0: ..., 1: NotImplemented, 2: int, 3: type(None), 4: len}[x]
''', "assert f(0) == ...\nassert f(1) == NotImplemented\nassert f(2) == int\nassert f(3)() is None\nassert f(4)([1, 2]) == 2", "f", "def f(x):"),
    ("bool_is_bool", '''\
def f(x):
    return x % 2 == 0
''', "assert f(2) is True\nassert f(3) is False\nassert type(f(2)) is bool\nassert isinstance(f(1), int)\nassert f(2) == 1", "f", "def f(x):"),
    ("types_compared", '''\
def f(x):
    return x + 1
''', "assert isinstance(f(1), int)\nassert type(f(1)) is int\nassert type(f(1.0)) == float\nassert not isinstance(f(1.0), int)", "f", "def f(x):"),
    ("str_subclass", '''\
class Name(str):
    def shout(self): return self.upper() + "!"
class Even(int):
    def __new__(cls, v): return super().__new__(cls, v - v % 2)
def f(s):
    return Name(s), Even(len(s))
''', "n, e = f('abc')\nassert n == 'abc'\nassert n.shout() == 'ABC!'\nassert e == 2\nassert isinstance(n, str)", "f", "def f(s):"),
    ("dict_subclass_missing", '''\
class Tally(dict):
    def __missing__(self, key): return 0
    def __getattr__(self, key): return self[key]
def f(s):
    t = Tally()
    for c in s: t[c] += 1
    return t
''', "assert f('aab') == {'a': 2, 'b': 1}\nassert f('aab')['z'] == 0\nassert f('aab').a == 2", "f", "def f(s):"),
    ("list_subclass", '''\
class Stack(list):
    push = list.append
    @property
    def top(self): return self[-1]
def f(xs):
    s = Stack()
    for x in xs: s.push(x)
    return s
''', "assert f([1, 2]) == [1, 2]\nassert f([1, 2]).top == 2\nassert f([]) == []", "f", "def f(xs):"),

    # ---- functions that are values ----
    ("closure_add", '''\
def f(n):
    return lambda k: n + k
''', "assert f(2)(3) == 5\nassert f(0)(0) == 0", "f", "def f(n):"),
    ("curry_multiply", '''\
def f(a):
    def times(b):
        return a * b
    return times
''', "assert f(2)(3) == 6\ndouble = f(2)\nassert [double(x) for x in (1, 2)] == [2, 4]", "f", "def f(a):"),
    ("counter_closure", '''\
def f():
    n = 0
    def up():
        nonlocal n
        n += 1
        return n
    return up
''', "c = f()\nassert c() == 1\nassert c() == 2\nd = f()\nassert d() == 1\nassert c() == 3", "f", "def f():"),
    ("compose", '''\
from functools import reduce
def f(*fs):
    return lambda x: reduce(lambda acc, g: g(acc), fs, x)
''', "assert f(lambda x: x + 1, lambda x: x * 2)(3) == 8\nassert f()(5) == 5\nassert f(str, len)(1234) == 4", "f", "def f(*fs):"),
    ("callback", '''\
def f(g, xs):
    return [g(x) for x in xs]
''', "assert f(lambda x: x + 1, [1, 2]) == [2, 3]\nassert f(str, [1]) == ['1']\ndef twice(x):\n    return x * 2\nassert f(twice, 'ab') == ['aa', 'bb']",
     "f", "def f(g, xs):"),
    ("key_function", '''\
def f(xs, key=None, reverse=False):
    return sorted(xs, key=key, reverse=reverse)
''', "assert f(['bb', 'a'], key=len) == ['a', 'bb']\nassert f([1, -2], key=abs, reverse=True) == [-2, 1]\n"
     "assert f([2, 1]) == [1, 2]", "f", "def f(xs, key=None, reverse=False):"),
    ("decorator_returned", '''\
import functools
def f(times):
    def wrap(g):
        @functools.wraps(g)
        def inner(*a, **k):
            return [g(*a, **k) for _ in range(times)]
        return inner
    return wrap
''', "@f(2)\ndef hi(name):\n    'Greets'\n    return 'hi ' + name\nassert hi('x') == ['hi x', 'hi x']\nassert hi.__name__ == 'hi'\n"
     "assert hi.__doc__ == 'Greets'",
     "f", "def f(times):"),
    ("lru_cache", '''\
from functools import lru_cache
@lru_cache(maxsize=None)
def f(n):
    return n if n < 2 else f(n - 1) + f(n - 2)
''', "assert f(90) == 2880067194370816120\nassert f(10) == 55\nassert f.cache_info().currsize > 0\nf.cache_clear()\nassert f(1) == 1", "f", "def f(n):"),
    ("memo_default_argument", '''\
def f(n, memo={0: 0, 1: 1}):
    if n not in memo:
        memo[n] = f(n - 1) + f(n - 2)
    return memo[n]
''', "[(10, 55), (50, 12586269025), (0, 0)]", "f", "def f(n, memo={0: 0, 1: 1}):"),
    ("global_memo", '''\
memo = {}
calls = 0
def f(n):
    global calls
    calls += 1
    if n in memo: return memo[n]
    memo[n] = 1 if n < 2 else n * f(n - 1)
    return memo[n]
''', "assert f(5) == 120\nassert f(5) == 120\nassert memo[3] == 6", "f", "def f(n):"),
    ("function_is_object", '''\
class Adder:
    def __init__(self): self.calls = 0
    def __call__(self, a, b):
        self.calls += 1
        return a + b
f = Adder()
''', "assert f(1, 2) == 3\nassert f('a', 'b') == 'ab'\nassert f.calls >= 2", "f", "def f(a, b):"),
    ("function_is_lambda", "f = lambda a, b=2: a ** b\n", "(3, 9)\n(2, 3, 8)", "f", "def f(a, b=2):"),
    ("function_is_partial", "from functools import partial\nf = partial(int, base=2)\n", "assert f('101') == 5\nassert f('0') == 0", "f", "def f(s):"),
    ("function_is_builtin", "f = sorted\ng = max\n", "([3, 1, 2], [1, 2, 3])\n('ba', ['a', 'b'])", "f", "def f(xs):"),
    ("function_is_bound_method", "class Solution:\n    def f(self, x): return x + 1\nf = Solution().f\n", "(1, 2)\n(-1, 0)", "f", "def f(x):"),
    ("singledispatch", '''\
from functools import singledispatch
@singledispatch
def f(x): return "other"
@f.register
def _(x: int): return "int"
@f.register(list)
def _(x): return "list of " + (f(x[0]) if x else "nothing")
''', "assert f(1) == 'int'\nassert f([1]) == 'list of int'\nassert f([]) == 'list of nothing'\nassert f(1.5) == 'other'", "f", "def f(x):"),
    ("overloads", '''\
from typing import overload, Union
@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x: Union[int, str]): return x * 2
''', "(2, 4)\n('a', 'aa')", "f", "def f(x):"),
    ("operators_by_name", '''\
import operator
OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
def f(text):
    stack = []
    for t in text.split():
        if t in OPS:
            b, a = stack.pop(), stack.pop()
            stack.append(OPS[t](a, b))
        else:
            stack.append(int(t))
    return stack.pop()
''', "('1 2 +', 3)\n('3 4 * 2 -', 10)\n('1 2 /', 0.5)", "f", "def f(text):"),

    # ---- classes ----
    ("class_stack", '''\
class Stack:
    def __init__(self): self._items = []
    def push(self, x): self._items.append(x)
    def pop(self): return self._items.pop()
    def __len__(self): return len(self._items)
    @property
    def empty(self): return not self._items
''', "s = Stack()\ns.push(1)\ns.push(2)\nassert s.pop() == 2\nassert len(s) == 1\nassert s.pop() == 1\nassert len(s) == 0\nassert s.empty", "Stack", None),
    ("class_account", '''\
class InsufficientFunds(Exception):
    def __init__(self, need):
        super().__init__(f"{need} missing")
        self.need = need
class Account:
    rate = 0.1
    def __init__(self, owner, balance=0): self.owner, self._balance = owner, balance
    @property
    def balance(self): return self._balance
    @balance.setter
    def balance(self, v):
        if v < 0: raise ValueError("negative")
        self._balance = v
    @classmethod
    def free(cls, owner): return cls(owner, 10)
    @staticmethod
    def valid(n): return n > 0
    def withdraw(self, n):
        if n > self._balance: raise InsufficientFunds(n - self._balance)
        self._balance -= n
        return self
''', '''\
import pytest
def test_withdraw():
    a = Account("Ann", 5)
    assert a.withdraw(2).balance == 3
    with pytest.raises(InsufficientFunds, match="1 missing") as e:
        a.withdraw(4)
    assert e.value.need == 1
def test_setter():
    a = Account.free("Bo")
    a.balance = 7
    assert a.balance == 7 and a.owner == "Bo" and Account.rate == 0.1
    with pytest.raises(ValueError):
        a.balance = -1
    assert Account.valid(1) and not Account.valid(0)
''', "Account", None),
    ("class_vector", '''\
import math
class Vector:
    def __init__(self, *xs): self.xs = xs
    def __add__(self, o): return Vector(*(a + b for a, b in zip(self.xs, o.xs)))
    def __mul__(self, k): return Vector(*(a * k for a in self.xs))
    __rmul__ = __mul__
    def __neg__(self): return self * -1
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.xs, o.xs))
    def __eq__(self, o): return isinstance(o, Vector) and self.xs == o.xs
    def __hash__(self): return hash(self.xs)
    def __abs__(self): return math.hypot(*self.xs)
    def __getitem__(self, i): return self.xs[i]
    def __iter__(self): return iter(self.xs)
    def __bool__(self): return any(self.xs)
    def __repr__(self): return f"Vector{self.xs}"
    def __contains__(self, x): return x in self.xs
''', "assert Vector(1, 2) + Vector(3, 4) == Vector(4, 6)\nassert 2 * Vector(1, 2) == Vector(2, 4)\nassert -Vector(1) == Vector(-1)\n"
     "assert Vector(1, 2) @ Vector(3, 4) == 11\n"
     "assert abs(Vector(3, 4)) == 5.0\nassert Vector(1, 2)[1] == 2\nassert list(Vector(1, 2)) == [1, 2]\nassert not Vector(0, 0)\n"
     "assert repr(Vector(1, 2)) == 'Vector(1, 2)'\n"
     "assert 2 in Vector(1, 2)\nassert len({Vector(1), Vector(1)}) == 1\nassert Vector(1) != 1", "Vector", None),
    ("class_total_ordering", '''\
from functools import total_ordering
@total_ordering
class Version:
    def __init__(self, text): self.parts = tuple(map(int, text.split(".")))
    def __eq__(self, o): return self.parts == o.parts
    def __lt__(self, o): return self.parts < o.parts
def f(texts):
    return max(texts, key=Version)
''', "assert f(['1.9', '1.10']) == '1.10'\nassert Version('1.0') >= Version('0.9')\n"
     "assert sorted([Version('2'), Version('1')])[0].parts == (1,)", "f", "def f(texts):"),
    ("class_iterator", '''\
class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n + 1
''', "import pytest\nassert list(Countdown(3)) == [3, 2, 1]\nit = iter(Countdown(1))\nassert next(it) == 1\nwith pytest.raises(StopIteration):\n    next(it)\n"
     "assert sum(Countdown(4)) == 10", "Countdown", None),
    ("class_context_manager", '''\
class Log:
    def __init__(self): self.lines = []
    def __enter__(self): self.lines.append("in"); return self
    def __exit__(self, kind, value, tb):
        self.lines.append("out" if kind is None else kind.__name__)
        return kind is KeyError
''', "log = Log()\nwith log as l:\n    assert l.lines == ['in']\nwith log:\n    raise KeyError('swallowed')\n"
     "assert log.lines == ['in', 'out', 'in', 'KeyError']", "Log", None),
    ("contextlib_manager", '''\
from contextlib import contextmanager, ExitStack, suppress, nullcontext
trace = []
@contextmanager
def tag(name):
    trace.append("<" + name)
    try: yield name
    finally: trace.append(name + ">")
def f(names):
    trace.clear()
    with ExitStack() as stack, suppress(ZeroDivisionError), nullcontext():
        for n in names: stack.enter_context(tag(n))
        1 / 0
    return trace[:]
''', "(['a', 'b'], ['<a', '<b', 'b>', 'a>'])\n([], [])", "f", "def f(names):"),
    ("class_metaclass", '''\
class Registry(type):
    known = {}
    def __new__(mcs, name, bases, ns, **kw):
        cls = super().__new__(mcs, name, bases, ns)
        mcs.known[name.lower()] = cls
        return cls
    def __len__(cls): return len(cls.known)
class Base(metaclass=Registry): pass
class Dog(Base):
    def speak(self): return "woof"
class Cat(Base):
    def speak(self): return "meow"
def f(name):
    return Registry.known[name]().speak()
''', "assert f('dog') == 'woof'\nassert f('cat') == 'meow'\nassert len(Base) == 3", "f", "def f(name):"),
    ("class_singleton", '''\
class Config:
    _one = None
    def __new__(cls, *a):
        if cls._one is None: cls._one = super().__new__(cls)
        return cls._one
''', "a = Config()\na.x = 5\nassert Config().x == 5\nassert Config() == a", "Config", None),
    ("class_slots", '''\
class P:
    __slots__ = ("x", "__weakref__")
    def __init__(self, x): self.x = x
''', "import pytest\nassert P(3).x == 3\nwith pytest.raises(AttributeError):\n    P(1).y = 2", "P", None),
    ("class_descriptor", '''\
class Positive:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None): return self if obj is None else getattr(obj, self.name)
    def __set__(self, obj, v):
        if v <= 0: raise ValueError(f"{self.name[1:]} must be positive")
        setattr(obj, self.name, v)
class Box:
    w, h = Positive(), Positive()
    def __init__(self, w, h): self.w, self.h = w, h
    def area(self): return self.w * self.h
''', "import pytest\nassert Box(2, 3).area() == 6\nwith pytest.raises(ValueError, match='h must be positive'):\n    Box(1, 0)", "Box", None),
    ("class_getattr_hooks", '''\
class Lazy:
    def __init__(self, **kw): self.__dict__.update(kw)
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return f"no {name}"
    def __setattr__(self, name, v): object.__setattr__(self, name, v * 2)
    def __delattr__(self, name): object.__delattr__(self, name)
''', "l = Lazy(a=1)\nassert l.a == 1\nassert l.b == 'no b'\nl.b = 4\nassert l.b == 8\ndel l.b\nassert l.b == 'no b'", "Lazy", None),
    ("class_abstract", '''\
from abc import ABC, abstractmethod
import math
class Shape(ABC):
    @property
    @abstractmethod
    def area(self): ...
class Circle(Shape):
    def __init__(self, r): self.r = r
    @property
    def area(self): return math.pi * self.r ** 2
''', "import pytest\nassert Circle(1).area == pytest.approx(3.14159265)\nwith pytest.raises(TypeError):\n    Shape()\n"
     "assert isinstance(Circle(2), Shape)", "Circle", None),
    ("class_diamond", '''\
class A:
    def go(self): return ["A"]
class B(A):
    def go(self): return ["B"] + super().go()
class C(A):
    def go(self): return ["C"] + super().go()
class D(B, C):
    def go(self): return ["D"] + super().go()
def f():
    return D().go()
''', "assert f() == ['D', 'B', 'C', 'A']\nassert [k.__name__ for k in D.mro()] == ['D', 'B', 'C', 'A', 'object']", "f", "def f():"),
    ("class_lru_cache", '''\
from collections import OrderedDict
class LRUCache:
    def __init__(self, capacity: int): self.d, self.n = OrderedDict(), capacity
    def get(self, key: int) -> int:
        if key not in self.d: return -1
        self.d.move_to_end(key)
        return self.d[key]
    def put(self, key: int, value: int) -> None:
        self.d[key] = value
        self.d.move_to_end(key)
        if len(self.d) > self.n: self.d.popitem(last=False)
''', "c = LRUCache(2)\nc.put(1, 1)\nc.put(2, 2)\nassert c.get(1) == 1\nc.put(3, 3)\nassert c.get(2) == -1\nc.put(4, 4)\nassert c.get(1) == -1\n"
     "assert c.get(3) == 3\nassert c.get(4) == 4",
     "LRUCache", None),
    ("class_trie", '''\
class Trie:
    def __init__(self): self.root = {}
    def insert(self, word):
        node = self.root
        for c in word: node = node.setdefault(c, {})
        node["$"] = True
    def search(self, word): return "$" in (self._walk(word) or {})
    def startsWith(self, prefix): return self._walk(prefix) is not None
    def _walk(self, s):
        node = self.root
        for c in s:
            if c not in node: return None
            node = node[c]
        return node
''', "t = Trie()\nt.insert('apple')\nassert t.search('apple') is True\nassert t.search('app') is False\nassert t.startsWith('app') is True\nt.insert('app')\n"
     "assert t.search('app') is True",
     "Trie", None),
    ("class_del_and_weakref", '''\
import gc, weakref
class Node:
    alive = 0
    def __init__(self): Node.alive += 1; self.me = self
    def __del__(self): Node.alive -= 1
def f(n):
    xs = [Node() for _ in range(n)]
    refs = [weakref.ref(x) for x in xs]
    before = sum(r() is not None for r in refs)
    del xs
    gc.collect()
    return before, sum(r() is not None for r in refs)
''', "(3, (3, 0))\n(0, (0, 0))", "f", "def f(n):"),
    ("linked_list", '''\
from typing import Optional
class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next
def f(head: Optional[ListNode]) -> Optional[ListNode]:
    prev = None
    while head:
        head.next, prev, head = prev, head, head.next
    return prev
''', "n = f(ListNode(1, ListNode(2, ListNode(3))))\nassert n.val == 3\nassert n.next.val == 2\nassert n.next.next.val == 1\nassert n.next.next.next is None\n"
     "assert f(None) is None",
     "f", "def f(head: Optional[ListNode]) -> Optional[ListNode]:"),
    ("tree", '''\
from typing import List, Optional
class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val, self.left, self.right = val, left, right
def f(root: Optional[TreeNode]) -> List[int]:
    return f(root.left) + [root.val] + f(root.right) if root else []
''', "assert f(TreeNode(2, TreeNode(1), TreeNode(3))) == [1, 2, 3]\nassert f(None) == []\nassert f(TreeNode(1, None, TreeNode(2))) == [1, 2]",
     "f", "def f(root: Optional[TreeNode]) -> List[int]:"),
    ("tree_is_built", '''\
class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val, self.left, self.right = val, left, right
def f(xs):
    if not xs: return None
    m = len(xs) // 2
    return TreeNode(xs[m], f(xs[:m]), f(xs[m + 1:]))
''', "t = f([1, 2, 3])\nassert t.val == 2\nassert t.left.val == 1\nassert t.right.val == 3\nassert t.left.left is None\n"
     "assert f([]) is None", "f", "def f(xs):"),
    ("graph_with_cycles", '''\
class Node:
    def __init__(self, val=0, neighbors=None): self.val, self.neighbors = val, neighbors or []
def f(node):
    seen = {}
    def go(n):
        if n in seen: return seen[n]
        seen[n] = c = Node(n.val)
        c.neighbors = [go(o) for o in n.neighbors]
        return c
    return go(node) if node else None
''', "a, b = Node(1), Node(2)\na.neighbors, b.neighbors = [b], [a]\nc = f(a)\nassert c.val == 1 and c.neighbors[0].val == 2\n"
     "assert c.neighbors[0].neighbors[0].val == 1\nc.val = 7\nassert a.val == 1\n"
     "assert f(None) is None", "f", "def f(node):"),
    ("solution_class", '''\
from typing import List
class Solution:
    def twoSum(self, nums: List[int], target: int) -> List[int]:
        seen = {}
        for i, n in enumerate(nums):
            if target - n in seen: return [seen[target - n], i]
            seen[n] = i
        return []
''', "s = Solution()\nassert s.twoSum([2, 7, 11, 15], 9) == [0, 1]\nassert Solution().twoSum([3, 3], 6) == [0, 1]\nassert Solution().twoSum([], 1) == []",
     "twoSum", "def twoSum(self, nums: List[int], target: int) -> List[int]:"),
    ("solution_with_state", '''\
class Solution:
    def __init__(self): self.best = 0
    def f(self, xs):
        self.best = 0
        run = 0
        for x in xs:
            run = max(0, run + x)
            self.best = max(self.best, run)
        return self.best
''', "assert Solution().f([1, -2, 3, 4]) == 7\nassert Solution().f([-1]) == 0", "f", "def f(self, xs):"),

    # ---- exceptions and changes in place ----
    ("raises_value_error", '''\
def f(n):
    if n < 0: raise ValueError("n must not be negative")
    return n ** 0.5
''', "import pytest\ndef test_raises():\n    with pytest.raises(ValueError):\n        f(-1)\ndef test_message():\n"
     "    with pytest.raises(ValueError, match='must not'):\n        f(-4)\n"
     "def test_value():\n    assert f(9) == 3.0", "f", "def f(n):"),
    ("raises_own_class", '''\
class ParseError(ValueError):
    def __init__(self, at): super().__init__(f"bad character at {at}"); self.at = at
def f(s):
    for i, c in enumerate(s):
        if not c.isdigit(): raise ParseError(i)
    return int(s or 0)
''', "import pytest\nwith pytest.raises(ParseError) as e:\n    f('12x')\nassert e.value.at == 2\nwith pytest.raises(ValueError):\n    f('x')\n"
     "assert f('12') == 12\n"
     "try:\n    f('1-')\n    assert False\nexcept ParseError as err:\n    assert err.args == ('bad character at 1',)", "f", "def f(s):"),
    ("raises_from", '''\
def f(d, k):
    try: return d[k]
    except KeyError as e: raise LookupError("no " + k) from e
''', "import pytest\nwith pytest.raises(LookupError) as e:\n    f({}, 'a')\nassert isinstance(e.value.__cause__, KeyError)\n"
     "assert f({'a': 1}, 'a') == 1", "f", "def f(d, k):"),
    ("raises_group", '''\
def f(xs):
    errors = []
    for x in xs:
        try: int(x)
        except ValueError as e: errors.append(e)
    if errors: raise ExceptionGroup("bad", errors)
    return len(xs)
''', "import pytest\nassert f(['1']) == 1\nwith pytest.raises(ExceptionGroup) as e:\n    f(['a', 'b', '1'])\n"
     "assert len(e.value.exceptions) == 2", "f", "def f(xs):"),
    ("raises_assertion_error", '''\
def f(x):
    assert x > 0, "x must be positive"
    return x
''', "import pytest\nwith pytest.raises(AssertionError):\n    f(0)\nassert f(1) == 1", "f", "def f(x):"),
    ("raises_zero_division", "def f(a, b):\n    return a / b\n", "import pytest\nwith pytest.raises(ZeroDivisionError):\n    f(1, 0)\n"
     "assert f(1, 2) == 0.5", "f", "def f(a, b):"),
    ("raises_many_inside", '''\
def f(xs):
    out = []
    for x in xs:
        try:
            if x is None: raise KeyError
            out.append(1 / x)
        except (KeyError, ZeroDivisionError): out.append(None)
        except TypeError: out.append("type")
        else: out[-1] = round(out[-1], 2)
        finally: pass
    return out
''', "([1, 0, None, 'a', 3], [1.0, None, None, 'type', 0.33])", "f", "def f(xs):"),
    ("bare_except", '''\
def f(s):
    try:
        return int(s)
    except:
        return None
''', "assert f('5') == 5\nassert f('x') is None\nassert f(None) is None", "f", "def f(s):"),
    ("recursion_error_caught", '''\
def f(n):
    def go(): return go() + 1
    try: return go()
    except RecursionError: return n
''', "(4, 4)\n(5, 5)", "f", "def f(n):"),
    ("in_place_sort", '''\
def f(xs):
    xs.sort()
''', "xs = [3, 1]\nf(xs)\nassert xs == [1, 3]\nassert f([]) is None", "f", "def f(xs):"),
    ("in_place_matrix", '''\
class Solution:
    def rotate(self, matrix) -> None:
        matrix[:] = [list(r) for r in zip(*matrix[::-1])]
''', "m = [[1, 2], [3, 4]]\nSolution().rotate(m)\nassert m == [[3, 1], [4, 2]]\nm = []\nassert Solution().rotate(m) is None\n"
     "assert m == []", "rotate", "def rotate(self, matrix) -> None:"),
    ("in_place_and_result", '''\
def f(xs, k):
    i = 0
    for x in xs:
        if x != k:
            xs[i] = x
            i += 1
    return i
''', "xs = [3, 2, 2, 3]\nassert f(xs, 3) == 2\nassert xs[:2] == [2, 2]\nys = [1]\nn = f(ys, 1)\nassert n == 0", "f", "def f(xs, k):"),
    ("argument_not_changed", '''\
def f(xs):
    ys = xs[:]
    ys.reverse()
    return ys
''', "xs = [1, 2]\nassert f(xs) == [2, 1]\nassert xs == [1, 2]", "f", "def f(xs):"),
    ("fills_a_dict", '''\
def f(d, *pairs, **more):
    for k, v in pairs: d[k] = v
    d.update(more)
    return d
''', "d = {}\nassert f(d, ('a', 1), b=2) == {'a': 1, 'b': 2}\nassert d == {'a': 1, 'b': 2}", "f", "def f(d, *pairs, **more):"),

    # ---- the language ----
    ("match_statement", '''\
def f(x):
    match x:
        case {"type": "circle", "r": r}: return 3 * r * r
        case [a, b, *rest] if not rest: return a * b
        case str() as s: return len(s)
        case int() | float(): return x
        case None: return "none"
        case _: return "unknown"
''', "assert f({'type': 'circle', 'r': 2}) == 12\nassert f([3, 4]) == 12\nassert f('abc') == 3\nassert f(1.5) == 1.5\nassert f(None) == 'none'\n"
     "assert f([1, 2, 3]) == 'unknown'",
     "f", "def f(x):"),
    ("walrus", '''\
def f(xs):
    return [y for x in xs if (y := x * x) > 4], (n := len(xs)) + n
''', "([1, 3], ([9], 4))\n([], ([], 0))", "f", "def f(xs):"),
    ("arguments_of_every_kind", '''\
def f(a, /, b, *args, c=3, **kw):
    return a, b, args, c, kw
''', "assert f(1, 2) == (1, 2, (), 3, {})\nassert f(1, b=2, c=4, d=5) == (1, 2, (), 4, {'d': 5})\nassert f(*[1, 2, 3], **{'c': 0}) == (1, 2, (3,), 0, {})",
     "f", "def f(a, /, b, *args, c=3, **kw):"),
    ("keyword_only", "def f(x, *, scale=1):\n    return x * scale\n", "import pytest\nassert f(2, scale=3) == 6\nassert f(2) == 2\n"
     "with pytest.raises(TypeError):\n    f(2, 3)",
     "f", "def f(x, *, scale=1):"),
    ("generator_send", '''\
def f():
    total = 0
    while True:
        x = yield total
        if x is None: return total
        total += x
''', "import pytest\ng = f()\nassert next(g) == 0\nassert g.send(3) == 3\nassert g.send(4) == 7\nwith pytest.raises(StopIteration) as e:\n    g.send(None)\n"
     "assert e.value.value == 7",
     "f", "def f():"),
    ("generator_close_and_throw", '''\
log = []
def f():
    try:
        while True:
            try: yield 1
            except ValueError: yield "caught"
    finally: log.append("closed")
''', "g = f()\nassert next(g) == 1\nassert g.throw(ValueError('x')) == 'caught'\ng.close()\nassert log[-1] == 'closed'", "f", "def f():"),
    ("yield_from_flatten", '''\
def flat(x):
    if isinstance(x, list):
        for o in x: yield from flat(o)
    else: yield x
def f(x):
    return [*flat(x)]
''', "([1, [2, [3, []]]], [1, 2, 3])\n([], [])", "f", "def f(x):"),
    ("exec_and_eval", '''\
def f(expr, **names):
    space = {}
    exec("def g(x):\\n    return x + 1", space)
    return space["g"](eval(expr, {"__builtins__": {}}, names))
''', "assert f('a * 2', a=3) == 7\nassert f('1 + 1') == 3", "f", "def f(expr, **names):"),
    ("compile_and_ast", '''\
import ast
def f(text):
    tree = ast.parse(text, mode="eval")
    names = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)})
    return names, eval(compile(tree, "<expr>", "eval"), {n: 2 for n in names})
''', "('a + b * c', (['a', 'b', 'c'], 6))\n('1', ([], 1))", "f", "def f(text):"),
    ("globals_and_locals", '''\
LIMIT = 5
def helper_double(x): return x * 2
def f(x):
    y = x + LIMIT
    assert "y" in locals() and "LIMIT" in globals()
    return globals()["helper_double"](y)
''', "(1, 12)\n(-5, 0)", "f", "def f(x):"),
    ("inspect_honestly", '''\
import inspect
def f(x, y=2, *z):
    frame = inspect.currentframe()
    return list(inspect.signature(f).parameters), frame.f_code.co_name, f.__defaults__
''', "assert f(1) == (['x', 'y', 'z'], 'f', (2,))", "f", "def f(x, y=2, *z):"),
    ("typing_heavy", '''\
from __future__ import annotations
from typing import Any, Callable, Dict, Generic, Iterable, List, Literal, NamedTuple, Optional, Protocol, Tuple, TypedDict, TypeVar, Union
T = TypeVar("T", bound="Comparable")
class Comparable(Protocol):
    def __lt__(self, other: Any) -> bool: ...
class Movie(TypedDict):
    name: str
    year: int
class Pair(NamedTuple):
    a: int
    b: str = "x"
class Box(Generic[T]):
    def __init__(self, v: T) -> None: self.v: T = v
def f(xs: List[T], mode: Literal["min", "max"] = "min") -> Optional[T]:
    pick: Callable[[Iterable[T]], T] = min if mode == "min" else max
    return Box(pick(xs)).v if xs else None
''', "assert f([2, 1]) == 1\nassert f(['a', 'b'], 'max') == 'b'\nassert f([]) is None\nassert Pair(1) == (1, 'x')\nassert Movie(name='m', year=1)['year'] == 1",
     "f", "def f(xs: List[T], mode: Literal[\"min\", \"max\"] = \"min\") -> Optional[T]:"),
    ("enums", '''\
from enum import Enum, Flag, IntEnum, auto
class Color(Enum):
    RED = "r"
    GREEN = "g"
    @property
    def nice(self): return self.name.title()
class Perm(Flag):
    R = auto()
    W = auto()
class Level(IntEnum):
    LOW = 1
    HIGH = 2
def f(s):
    return Color(s)
''', "import pytest\nassert f('r') == Color.RED\nassert f('g').nice == 'Green'\nassert [c.name for c in Color] == ['RED', 'GREEN']\n"
     "with pytest.raises(ValueError):\n    f('x')\n"
     "assert Perm.R | Perm.W != Perm.R\nassert Level.LOW < 2\nassert max(Level) == Level.HIGH", "f", "def f(s):"),
    ("unicode_names", "# -*- coding: utf-8 -*-\ndef gr\u00f6\u00dfe(\u00e4):\n    return \u00e4 + 1\n\u03c0 = 3\ndef f(x):\n"
     "    return gr\u00f6\u00dfe(x) * \u03c0\n", "(1, 6)\n(0, 3)", "f", "def f(x):"),
    ("nested_functions_and_del", '''\
def f(n):
    def even(k): return True if k == 0 else odd(k - 1)
    def odd(k): return False if k == 0 else even(k - 1)
    out = even(n)
    del even, odd
    return out
''', "(10, True)\n(7, False)", "f", "def f(n):"),
    ("for_else_and_while_else", '''\
def f(n):
    for i in range(2, n):
        if n % i == 0: break
    else:
        return n > 1
    while n: n -= 1
    else: return bool(n)
''', "(7, True)\n(8, False)\n(1, False)", "f", "def f(n):"),
    ("builtin_names_shadowed", '''\
def f(list, max):
    sum = 0
    for id in list:
        sum += id if id <= max else max
    type = "total"
    return {type: sum}
''', "([1, 5], 3, {'total': 4})", "f", "def f(list, max):"),
    ("builtins_wrapped", '''\
import builtins
_sum, _open = sum, open
def sum(xs, start=0): return builtins.sum(xs, start)
def sorted(xs): return builtins.sorted(xs, reverse=True)
def f(xs):
    return sum(xs), sorted(xs)
''', "assert f([1, 2, 3]) == (6, [3, 2, 1])", "f", "def f(xs):"),
    ("fstrings", '''\
def f(x, w=8):
    return f"{x:>{w}.2f}|{x!r}|{x=}|{{}}|{'yes' if x else 'no'}"
''', "assert f(1.5) == '    1.50|1.5|x=1.5|{}|yes'\nassert f(0, 4) == '0.00|0|x=0|{}|no'", "f", "def f(x, w=8):"),
    ("crlf_source", "def f(x):\r\n    if x:\r\n        return 1\r\n    return 0\r\n", "(5, 1)\n(0, 0)", "f", "def f(x):"),
    ("tabs_in_source", "def f(x):\n\tif x:\n\t\treturn 1\n\treturn 0\n", "(5, 1)\n(0, 0)", "f", "def f(x):"),
    ("long_source", "def f(x):\n    table = {\n" + "".join(f"        {i}: {i * i},\n" for i in range(2000)) + "    }\n    return table[x]\n", "(3, 9)\n"
     "(1999, 3996001)", "f", "def f(x):"),
    ("thousand_functions", "".join(f"def g{i}(x): return x + {i}\n" for i in range(1000)) + "def f(x): return g999(g1(x))\n", "(0, 1000)", "f", "def f(x):"),

    # ---- the standard library ----
    ("logging_and_warnings", '''\
import logging, warnings
logging.basicConfig(level=logging.DEBUG)
log = logging.getLogger(__name__)
def f(x):
    log.debug("called with %r", x)
    log.warning("careful")
    warnings.warn("old function", DeprecationWarning, stacklevel=2)
    return x + 1
''', "import pytest\nassert f(1) == 2\nwith pytest.warns(DeprecationWarning):\n    f(2)", "f", "def f(x):"),
    ("paths_are_text", '''\
import os, os.path
from pathlib import PurePosixPath, PureWindowsPath
def f(p):
    here = os.getcwd()
    assert os.path.isabs(here)
    return os.path.splitext(os.path.basename(p)), str(PurePosixPath(p).parent), PureWindowsPath("C:/a").name
''', "('/a/b.txt', (('b', '.txt'), '/a', 'a'))", "f", "def f(p):"),
    ("environment_asked", '''\
import os, platform, sys
DEBUG = os.environ.get("DEBUG", "") == "yes-really"
def f(x):
    assert sys.version_info >= (3, 8) and platform.python_version()
    return (x, os.sep) if not DEBUG else None
''', "(1, (1, '/'))", "f", "def f(x):"),
    ("files_in_memory", '''\
import csv, io, json
def f(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    out = io.StringIO()
    csv.writer(out).writerow(rows[0].values())
    return json.loads(json.dumps(rows)), out.getvalue(), io.BytesIO(b"ab").read(1)
''', "assert f('a,b\\n1,\"x, y\"\\n') == ([{'a': '1', 'b': 'x, y'}], '1,\"x, y\"\\r\\n', b'a')", "f", "def f(text):"),
    ("json_round_trip", '''\
import json
def f(x):
    return json.dumps(x, sort_keys=True, separators=(",", ":"), ensure_ascii=False), json.loads(json.dumps(x)) == x
''', "assert f({'b': [1, None], 'a': 'h\u00e9'}) == ('{\"a\":\"h\u00e9\",\"b\":[1,null]}', True)\nassert f([]) == ('[]', True)", "f", "def f(x):"),
    ("pickle_own_class", '''\
import copy, pickle
class Card:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __reduce__(self): return (Card, (self.n,))
def f(n):
    a = Card(n)
    return pickle.loads(pickle.dumps(a)) == a == copy.deepcopy(a) == copy.copy(a)
''', "(5, True)\n('a', True)", "f", "def f(n):"),
    ("hashes_and_codes", '''\
import base64, binascii, hashlib, hmac, zlib
def f(s):
    b = s.encode()
    assert zlib.decompress(zlib.compress(b)) == b and hmac.new(b"k", b, "sha1").digest()
    return hashlib.sha256(b).hexdigest()[:8], hashlib.md5(b).hexdigest()[:6], zlib.crc32(b), base64.b64encode(b).decode(), binascii.hexlify(b).decode()
''', "('a', ('ca978112', '0cc175', 3904355907, 'YQ==', '61'))", "f", "def f(s):"),
    ("struct_and_array", '''\
import struct
from array import array
def f(x):
    a = array("i", [x, -x])
    a.append(0)
    return struct.unpack("<I", struct.pack(">I", x))[0], a.tolist(), struct.calcsize("=hq")
''', "(1, (16777216, [1, -1, 0], 10))", "f", "def f(x):"),
    ("array_returned", "from array import array\ndef f(xs):\n"
     "    return array('d', xs)\n", "from array import array\nassert f([1, 2]) == array('d', [1.0, 2.0])\nassert f([1, 2]).tolist() == [1.0, 2.0]\n"
     "assert sum(f([1, 2])) == 3.0", "f", "def f(xs):"),
    ("regular_expressions", '''\
import re
TOKEN = re.compile(r"(?P<num>\\d+(?:\\.\\d+)?)|(?P<op>[-+*/()])|\\s+")
def f(text):
    return [(m.lastgroup, m.group()) for m in TOKEN.finditer(text) if m.lastgroup]
''', "assert f('1 + 2.5*(3)') == [('num', '1'), ('op', '+'), ('num', '2.5'), ('op', '*'), ('op', '('), ('num', '3'), ('op', ')')]\n"
     "assert f('') == []", "f", "def f(text):"),
    ("match_object_returned", "import re\ndef f(s):\n    return re.match(r'(\\w+)@(\\w+)', s)\n", "assert f('a@b').group(1) == 'a'\n"
     "assert f('a@b').groups() == ('a', 'b')\nassert f('x') is None\nassert f('a@b')",
     "f", "def f(s):"),
    ("text_tools", '''\
import difflib, string, textwrap
def f(s):
    t = string.Template("$a-${b}").substitute(a=1, b=2)
    return textwrap.wrap(s, 3), difflib.get_close_matches("appel", ["apple", "pear"]), string.capwords(s), t, s.translate(str.maketrans("ab", "ba"))
''', "('ab cd', (['ab', 'cd'], ['apple'], 'Ab Cd', '1-2', 'ba cd'))", "f", "def f(s):"),
    ("itertools_zoo", '''\
from itertools import accumulate, chain, combinations, cycle, groupby, islice, pairwise, permutations, product, starmap, takewhile, tee, zip_longest
def f(s):
    a, b = tee(s)
    return (["".join(p) for p in permutations(s, 2)], [(k, len(list(g))) for k, g in groupby(sorted(s))], list(pairwise(s)), list(islice(cycle(s), 4)),
            list(accumulate(range(4))), list(zip_longest(a, "x")), sum(1 for _ in product(s, repeat=2)), list(takewhile(str.isalpha, b)),
            list(starmap(pow, [(2, 3)])))
''', "assert f('ab') == (['ab', 'ba'], [('a', 1), ('b', 1)], [('a', 'b')], ['a', 'b', 'a', 'b'], [0, 1, 3, 6], [('a', 'x'), ('b', None)], 4, ['a', 'b'], [8])",
     "f", "def f(s):"),
    ("heaps_and_bisection", '''\
import bisect, heapq
def f(xs, k):
    h = [(-x, i) for i, x in enumerate(xs)]
    heapq.heapify(h)
    top = [-heapq.heappop(h)[0] for _ in range(min(k, len(xs)))]
    s = sorted(xs)
    bisect.insort(s, k)
    return top, heapq.nsmallest(2, xs), bisect.bisect_left(s, k), list(heapq.merge([1, 3], [2]))
''', "([5, 1, 4], 2, ([5, 4], [1, 4], 1, [1, 2, 3]))", "f", "def f(xs, k):"),
    ("heap_of_own_objects", '''\
import heapq
class Task:
    def __init__(self, cost, name): self.cost, self.name = cost, name
    def __lt__(self, o): return self.cost < o.cost
def f(pairs):
    h = [Task(*p) for p in pairs]
    heapq.heapify(h)
    return [heapq.heappop(h).name for _ in range(len(h))]
''', "([(2, 'b'), (1, 'a')], ['a', 'b'])\n([], [])", "f", "def f(pairs):"),
    ("statistics_module", '''\
import statistics
def f(xs):
    return statistics.mean(xs), statistics.median(xs), statistics.mode(xs), statistics.pstdev(xs)
''', "import pytest\nassert f([1, 2, 2, 3]) == pytest.approx((2, 2, 2, 0.70710678))\nm = f([4, 4])\nassert m[3] == 0", "f", "def f(xs):"),
    ("unicode_data", '''\
import unicodedata
def f(s):
    return "".join(c for c in unicodedata.normalize("NFD", s) if unicodedata.category(c) != "Mn"), unicodedata.name(s[0])
''', "('\u00e9t\u00e9', ('ete', 'LATIN SMALL LETTER E WITH ACUTE'))", "f", "def f(s):"),
    ("number_formats", '''\
def f(x):
    return f"{x:,}", format(x, "08.3f"), "%5.1e" % x, f"{x:+d}" if isinstance(x, int) else "", hex(int(x)), "{:%}".format(0.25)
''', "(1234567, ('1,234,567', '1234567.000', '1.2e+06', '+1234567', '0x12d687', '25.000000%'))", "f", "def f(x):"),
    ("simple_namespace", '''\
from types import MappingProxyType, SimpleNamespace
def f(**kw):
    return SimpleNamespace(**kw, frozen=MappingProxyType(kw))
''', "import pytest\nr = f(a=1)\nassert r.a == 1\nassert r.frozen['a'] == 1\nassert dict(r.frozen) == {'a': 1}\nwith pytest.raises(TypeError):\n"
     "    r.frozen['a'] = 2", "f", "def f(**kw):"),
    ("uuid_and_ipaddress", '''\
import ipaddress, uuid
def f(n):
    net = ipaddress.ip_network("10.0.0.0/30")
    return str(uuid.UUID(int=n)), uuid.uuid5(uuid.NAMESPACE_DNS, "a.b").version, [str(h) for h in net.hosts()], ipaddress.ip_address("::1").is_loopback
''', "(1, ('00000000-0000-0000-0000-000000000001', 5, ['10.0.0.1', '10.0.0.2'], True))", "f", "def f(n):"),
    ("random_uuid_and_secrets", '''\
import secrets, uuid
def f(n):
    return len({uuid.uuid4() for _ in range(n)}), len(secrets.token_hex(n)), 0 <= secrets.randbelow(5) < 5
''', "(4, (4, 8, True))", "f", "def f(n):"),
    ("calendar_and_zones", '''\
import calendar
from datetime import datetime, timedelta, timezone
def f(y, m):
    t = datetime(y, m, 1, tzinfo=timezone(timedelta(hours=2)))
    return calendar.isleap(y), calendar.monthrange(y, m)[1], t.astimezone(timezone.utc).isoformat(), t.strftime("%A")
''', "(2024, 2, (True, 29, '2024-01-31T22:00:00+00:00', 'Thursday'))", "f", "def f(y, m):"),
    ("numbers_and_math", '''\
import math, numbers
def f(x):
    return isinstance(x, numbers.Number), math.gcd(x, 12), math.lcm(x, 4), math.comb(x, 2), math.isqrt(x), math.prod(range(1, x + 1)), math.perm(x, 2)
''', "(6, (True, 6, 12, 15, 2, 720, 30))", "f", "def f(x):"),
    ("floats_with_tolerance", '''\
def f(x):
    lo, hi = 0.0, max(1.0, x)
    for _ in range(100):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if mid * mid < x else (lo, mid)
    return lo
''', "import math\nimport pytest\nassert abs(f(2) - 1.41421356) < 1e-6\nassert math.isclose(f(9), 3.0, rel_tol=1e-9)\nassert f(0.25) == pytest.approx(0.5)\n"
     "assert round(f(2), 3) == 1.414",
     "f", "def f(x):"),
    ("float_noise", "def f(xs):\n    return sum(xs) / len(xs)\n", "assert f([0.1, 0.2, 0.3]) == 0.20000000000000004\n"
     "assert abs(f([0.1, 0.2]) - 0.15) < 1e-9", "f", "def f(xs):"),
    ("fractions_and_limits", '''\
from fractions import Fraction
import sys
def f(x):
    return Fraction(x).limit_denominator(100), sys.maxsize > 2**32, x < sys.float_info.max, (0.1).as_integer_ratio()[1].bit_length()
''', "from fractions import Fraction\nassert f(0.3333333) == (Fraction(1, 3), True, True, 56)", "f", "def f(x):"),
    ("graphlib_and_chainmap", '''\
from collections import ChainMap, UserDict
from graphlib import CycleError, TopologicalSorter
def f(deps):
    try: return list(TopologicalSorter(deps).static_order()), ChainMap({"a": 1}, {"a": 2})["a"]
    except CycleError: return None
''', "({1: [2], 2: [3]}, ([3, 2, 1], 1))\n({1: [2], 2: [1]}, None)", "f", "def f(deps):"),
    ("optional_numpy", '''\
try:
    import numpy as np
except ImportError:
    np = None
def f(xs):
    return sum(xs)
''', "([1, 2], 3)", "f", "def f(xs):"),
    ("import_inside", '''\
def f(x):
    import importlib
    math = importlib.import_module("math")
    from collections import Counter as C
    return math.floor(x), C([x])[x]
''', "(2.7, (2, 1))", "f", "def f(x):"),
    ("zip_in_memory", '''\
import gzip, io, zipfile
def f(s):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w") as z: z.writestr("a.txt", s)
    return zipfile.ZipFile(b).read("a.txt").decode(), gzip.decompress(gzip.compress(s.encode())) == s.encode()
''', "('hi', ('hi', True))", "f", "def f(s):"),
    ("atexit_and_signal", '''\
import atexit, signal, sys
atexit.register(lambda: None)
def f(x):
    old = signal.getsignal(signal.SIGINT)
    sys.setswitchinterval(0.005)
    return x if old is not Ellipsis else None
''', "(3, 3)", "f", "def f(x):"),
    ("trace_hooks_untouched", '''\
import sys, traceback
def f(x):
    assert sys.getrecursionlimit() > 50 and sys.getsizeof([]) > 0
    try: 1 / x
    except ZeroDivisionError: return traceback.format_exc().splitlines()[-1]
    return x
''', "(0, 'ZeroDivisionError: division by zero')\n(1, 1)", "f", "def f(x):"),
    ("doctests_in_docstring", '''\
def f(x):
    """Add one.

    >>> f(1)
    2
    """
    return x + 1
if __name__ == "__main__":
    import doctest
    doctest.testmod()
''', "(1, 2)\n(2, 3)", "f", "def f(x):"),
    ("unittest_in_program", '''\
import unittest
def f(x):
    return x * 3
class TestF(unittest.TestCase):
    def test_f(self): self.assertEqual(f(2), 6)
if __name__ == "__main__":
    unittest.main()
''', "(2, 6)\n('a', 'aaa')", "f", "def f(x):"),
    ("mocks_in_tests", "def f(fetch, key):\n    return fetch(key).upper()\n", "from unittest.mock import Mock\nm = Mock(return_value='ab')\n"
     "assert f(m, 'k') == 'AB'\nm.assert_called_once_with('k')",
     "f", "def f(fetch, key):"),
    ("tests_make_objects", '''\
def f(shapes):
    return sum(s.area() for s in shapes)
''', "class Square:\n    def __init__(self, a): self.a = a\n    def area(self): return self.a ** 2\nassert f([Square(2), Square(3)]) == 13\n"
     "assert f([]) == 0", "f", "def f(shapes):"),
    ("tests_pass_generators", "def f(xs):\n    return max(xs, default=None)\n", "assert f(x * x for x in range(4)) == 9\nassert f(iter([])) is None\n"
     "assert f({1, 5}) == 5\nassert f({'a': 1}) == 'a'",
     "f", "def f(xs):"),
    ("tests_with_loops", "def f(n):\n    return n * (n + 1) // 2\n", "for n in range(200):\n    assert f(n) == sum(range(n + 1)), n", "f", "def f(n):"),
    ("tests_parametrized", "def f(a, b):\n    return a % b\n", "import pytest\n"
     "@pytest.mark.parametrize('a, b, want', [(7, 3, 1), (-7, 3, 2), (0, 5, 0)], ids=['plus', 'minus', 'zero'])\n"
     "def test_f(a, b, want):\n    assert f(a, b) == want", "f", "def f(a, b):"),
    ("equality_without_hash", '''\
class Poly:
    def __init__(self, *c): self.c = c
    def __eq__(self, o): return self.c == o.c
    def __call__(self, x): return sum(k * x ** i for i, k in enumerate(self.c))
def f(*c):
    return Poly(*c)
''', "import pytest\nassert f(1, 2) == Poly(1, 2)\nassert f(1, 2)(3) == 7\nassert f(1) != Poly(2)\nwith pytest.raises(TypeError):\n"
     "    hash(f(1))", "f", "def f(*c):"),
    ("equality_returns_a_list", '''\
class Arr:
    def __init__(self, xs): self.xs = list(xs)
    def __eq__(self, o): return Arr(a == b for a, b in zip(self.xs, o.xs))
    def all(self): return all(self.xs)
def f(xs):
    return Arr(xs)
''', "assert (f([1, 2]) == f([1, 2])).all()\nassert (f([1, 2]) == f([1, 3])).xs == [True, False]", "f", "def f(xs):"),
    ("infix_pipe", '''\
class Pipe:
    def __init__(self, g): self.g = g
    def __ror__(self, x): return self.g(x)
    def __rshift__(self, o): return Pipe(lambda x: o.g(self.g(x)))
double, show = Pipe(lambda x: x * 2), Pipe(str)
def f(x):
    return x | double >> show
''', "(4, '8')\n(0, '0')", "f", "def f(x):"),
    ("union_find", '''\
class DSU:
    def __init__(self, n): self.p = list(range(n))
    def find(self, x):
        while self.p[x] != x:
            self.p[x] = self.p[self.p[x]]
            x = self.p[x]
        return x
    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        self.p[a] = b
        return a != b
def f(n, edges):
    d = DSU(n)
    return n - sum(d.union(*e) for e in edges)
''', "(5, [(0, 1), (1, 2)], 3)\n(2, [], 2)\n(3, [(0, 1), (0, 1)], 2)", "f", "def f(n, edges):"),
    ("modular_power_table", '''\
MOD = 10**9 + 7
N = 20000
fact = [1] * N
for i in range(1, N): fact[i] = fact[i - 1] * i % MOD
inv = [pow(x, MOD - 2, MOD) for x in fact[:100]]
def f(n, k):
    return fact[n] * inv[k] * pow(fact[n - k], -1, MOD) % MOD
''', "(5, 2, 10)\n(50, 25, 605552882)\n(100, 0, 1)", "f", "def f(n, k):"),
]
