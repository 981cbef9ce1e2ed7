"Honest programs are judged right at every isolation level: odd but legitimate code, and every built-in problem's reference"
import sys
import pytest
from chained_adv.jail import ISOLATION, probe_isolation
from chained_adv.problems import load_problems
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import baseline_cases

@pytest.fixture(scope="module", params=ISOLATION)
def box(request):
    found = {o.level: o for o in probe_isolation()}[request.param]
    if not found.available: pytest.skip(f"no isolation level {found.level!r} here: {found.reason}")
    with Sandbox(timeout=3, isolation=request.param) as b: yield b

# name: (program, tests)
HONEST = {
    "memo_dict": ("memo = {}\ndef f(n):\n    if n not in memo: memo[n] = n if n < 2 else f(n - 1) + f(n - 2)\n    return memo[n]", "(10, 55)\n(90, 2880067194370816120)\n(0, 0)"),
    "memo_default": ("def f(n, seen={}):\n    if n in seen: return seen[n]\n    seen[n] = n * n\n    return seen[n]", "(3, 9)\n(3, 9)\n(4, 16)"),
    "cache_decorator": ("@cache\ndef go(n): return 1 if n < 2 else n * go(n - 1)\ndef f(n): return go(n)", "(5, 120)\n(0, 1)\n(20, 2432902008176640000)"),
    "deep_recursion": ("import sys\nsys.setrecursionlimit(20000)\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)", "(5000, 5000)\n(10, 10)"),
    "seeded": ("import random\nrandom.seed(7)\ndef f(xs):\n    ys = xs[:]\n    random.shuffle(ys)\n    return sorted(ys)", "([3, 1, 2], [1, 2, 3])\n([], [])"),
    "own_generator": ("import random\ndef f(n):\n    rng = random.Random(n)\n    return all(0 <= rng.random() < 1 for _ in range(n))", "(10, True)\n(0, True)"),
    "prints_much": ("import sys\ndef f(x):\n    print('x' * 100000)\n    print('to stderr', file=sys.stderr)\n    sys.stdout.write('more'); sys.stdout.flush()\n    return x", "(1, 1)\n(2, 2)"),
    "main_block": ("def f(x): return x + 1\nif __name__ == '__main__':\n    print(f(int(input())))", "(1, 2)\n(5, 6)"),
    "input_at_end": ("def f(x): return x\ntry: n = int(input())\nexcept (EOFError, ValueError): n = 0", "(1, 1)"),
    "argparse_main": ("import argparse\ndef f(x): return x\ndef main():\n    argparse.ArgumentParser().parse_args()\nif __name__ == '__main__': main()", "(1, 1)"),
    "dataclass": ("from dataclasses import dataclass, field\n@dataclass(order=True)\nclass Item:\n    w: int\n    name: str = field(compare=False)\ndef f(xs): return [i.name for i in sorted(Item(w, n) for w, n in xs)]", "([(2, 'b'), (1, 'a')], ['a', 'b'])\n([], [])"),
    "enum": ("from enum import Enum, auto\nclass C(Enum):\n    RED = auto()\n    BLUE = auto()\ndef f(s): return C[s].value", "('RED', 1)\n('BLUE', 2)"),
    "int_enum": ("from enum import IntEnum\nclass C(IntEnum):\n    A = 1\ndef f(x): return C.A", "(0, 1)"),
    "namedtuple": ("P = namedtuple('P', 'x y')\ndef f(x, y): return P(x, y)", "(1, 2, (1, 2))\n(3, 4, [3, 4])"),
    "typing_all": ("def f(x: Union[int, None], y: Dict[str, Tuple[int, ...]], z: Callable[[int], bool] = None) -> Iterable[Any]: return [x, y]", "(1, {'a': (1,)}, [1, {'a': (1,)}])"),
    "generics": ("from typing import TypeVar, Generic\nT = TypeVar('T')\nclass Box(Generic[T]):\n    def __init__(self, v: T): self.v = v\ndef f(x): return Box[int](x).v", "(3, 3)"),
    "generator_inside": ("def gen(n):\n    for i in range(n): yield i * i\ndef f(n): return list(gen(n))", "(3, [0, 1, 4])\n(0, [])"),
    "closure": ("def make(k):\n    def g(x):\n        nonlocal k\n        k += x\n        return k\n    return g\ndef f(x):\n    g = make(1)\n    g(x)\n    return g(x)", "(2, 5)\n(0, 1)"),
    "class_state": ("class Counter2:\n    def __init__(self): self.n = 0\n    def add(self, k): self.n += k; return self\ndef f(xs):\n    c = Counter2()\n    for x in xs: c.add(x)\n    return c.n", "([1, 2, 3], 6)\n([], 0)"),
    "slots_property": ("class A:\n    __slots__ = ('v',)\n    def __init__(self, v): self.v = v\n    @property\n    def double(self): return self.v * 2\ndef f(x): return A(x).double", "(4, 8)"),
    "abstract": ("from abc import ABC, abstractmethod\nclass Shape(ABC):\n    @abstractmethod\n    def area(self): ...\nclass Sq(Shape):\n    def __init__(self, a): self.a = a\n    def area(self): return self.a ** 2\ndef f(x): return Sq(x).area()", "(3, 9)"),
    "context_manager": ("from contextlib import contextmanager, suppress\n@contextmanager\ndef c(): yield 5\ndef f(x):\n    with c() as v, suppress(ZeroDivisionError): return v // x\n    return None", "(1, 5)\n(0, None)"),
    "operator_overload": ("class V:\n    def __init__(self, *a): self.a = a\n    def __add__(self, o): return V(*(x + y for x, y in zip(self.a, o.a)))\n    def __eq__(self, o): return self.a == o.a\ndef f(a, b): return list((V(*a) + V(*b)).a)", "([1, 2], [3, 4], [4, 6])"),
    "match": ("def f(x):\n    match x:\n        case [a, *rest]: return len(rest)\n        case {'k': v}: return v\n        case _: return -1", "([1, 2, 3], 2)\n({'k': 7}, 7)\n(5, -1)"),
    "walrus_fstring": ("def f(xs): return [f'{y:>3}' for x in xs if (y := x * 2) > 2]", "([1, 2, 3], ['  4', '  6'])"),
    "async_run": ("import asyncio\nasync def g(x):\n    await asyncio.sleep(0)\n    return x * 2\ndef f(x): return asyncio.run(g(x))", "(2, 4)\n(3, 6)"),
    "strptime": ("from datetime import datetime, timedelta\ndef f(s): return (datetime.strptime(s, '%Y-%m-%d') + timedelta(days=1)).strftime('%d.%m.%Y')", "('2024-02-28', '29.02.2024')"),
    "encodings": ("def f(s): return [s.encode('latin-1'), s.encode('utf-16-le'), 'a'.encode('idna'), s.encode('ascii', 'ignore')]", "('é', [b'\\xe9', b'\\xe9\\x00', b'a', b''])"),
    "decimal_to_str": ("from decimal import Decimal, getcontext\ndef f(a, b):\n    getcontext().prec = 30\n    return str(Decimal(a) / Decimal(b))", "('1', '3', '0.333333333333333333333333333333')"),
    "fractions": ("from fractions import Fraction\ndef f(a, b):\n    q = Fraction(a, b)\n    return q.numerator, q.denominator", "(6, 4, (3, 2))"),
    "statistics": ("import statistics\ndef f(xs): return statistics.median(xs), statistics.mean(xs), round(statistics.pstdev(xs), 3)", "([1, 2, 3, 4], (2.5, 2.5, 1.118))"),
    "hashes": ("import hashlib, zlib, base64, binascii\ndef f(s): return hashlib.sha256(s.encode()).hexdigest()[:8], zlib.crc32(s.encode()), base64.b64encode(s.encode()).decode(), binascii.hexlify(s.encode()).decode()", "('a', ('ca978112', 3904355907, 'YQ==', '61'))"),
    "struct_array": ("import struct\nfrom array import array\ndef f(x): return struct.pack('>I', x), array('i', [x]).tolist()", "(1, (b'\\0\\0\\0\\1', [1]))"),
    "json_csv_io": ("import json, csv, io\ndef f(d):\n    out = io.StringIO()\n    csv.writer(out).writerow(d.values())\n    return json.loads(json.dumps(d)), out.getvalue()", "({'a': 1, 'b': 'x'}, ({'a': 1, 'b': 'x'}, '1,x\\r\\n'))"),
    "textwrap_difflib": ("import textwrap, difflib, string\ndef f(s): return textwrap.wrap(s, 3), difflib.get_close_matches('appel', ['apple', 'pear']), string.capwords(s)", "('ab cd', (['ab', 'cd'], ['apple'], 'Ab Cd'))"),
    "calendar_time": ("import calendar, time\ndef f(y): return calendar.isleap(y), time.time() > 0, time.perf_counter() > 0", "(2024, (True, True, True))"),
    "unicode": ("import unicodedata\ndef f(s): return ''.join(c for c in unicodedata.normalize('NFD', s) if unicodedata.category(c) != 'Mn')", "('é', 'e')"),
    "copy_deepcopy": ("from copy import deepcopy\ndef f(xs):\n    ys = deepcopy(xs)\n    ys[0].append(9)\n    return xs", "([[1]], [[1]])"),
    "heap_bisect": ("def f(xs, k):\n    heapify(xs)\n    ys = [heappop(xs) for _ in range(len(xs))]\n    return ys, bisect_left(ys, k)", "([3, 1, 2], 2, ([1, 2, 3], 1))"),
    "itertools_bare": ("def f(xs): return list(permutations(xs, 2)), list(accumulate(xs)), reduce(lambda a, b: a * b, xs, 1)", "([1, 2], ([(1, 2), (2, 1)], [1, 3], 2))"),
    "lazy_import": ("def f(x):\n    import graphlib\n    return list(graphlib.TopologicalSorter({1: [2], 2: [3]}).static_order())", "(0, [3, 2, 1])"),
    "optional_import": ("try:\n    import numpy as np\nexcept ImportError:\n    np = None\ndef f(x): return x + 1", "(1, 2)"),
    "exceptions": ("class Bad(ValueError): pass\ndef f(x):\n    try:\n        if x < 0: raise Bad(x)\n        return 'ok'\n    except ValueError as e: return type(e).__name__\n    finally: pass", "(-1, 'Bad')\n(1, 'ok')"),
    "exception_group": ("def f(x):\n    if x: raise KeyError('k')\n    raise RuntimeError from ValueError()", "with pytest.raises(LookupError):\n    f(1)\nwith pytest.raises(RuntimeError):\n    f(0)"),
    "big_ints": ("def f(n): return pow(3, n), n << 200, -(10 ** n)", "(100, (3 ** 100, 100 << 200, -(10 ** 100)))"),
    "float_noise": ("def f(xs): return sum(xs) / len(xs)", "([.1, .2, .3], .2)\n([1, 2], 1.5)"),
    "complex_numbers": ("import cmath\ndef f(x): return cmath.sqrt(x)", "(-4, 2j)"),
    "large_structures": ("def f(n): return {i: [i] * 3 for i in range(n)}, set(range(n))", "(3, ({0: [0] * 3, 1: [1] * 3, 2: [2] * 3}, {0, 1, 2}))"),
    "sort_in_place": ("def f(xs):\n    xs.sort(key=lambda o: -o)\n    return xs", "([1, 3, 2], [3, 2, 1])\n([1, 3, 2], [3, 2, 1])"),
    "returns_argument": ("def f(d):\n    d['k'] = d.get('k', 0) + 1\n    return d", "({}, {'k': 1})\n({}, {'k': 1})"),
    "sieve": ("def f(n):\n    s = bytearray([1]) * (n + 1)\n    for i in range(2, int(n ** .5) + 1):\n        if s[i]: s[i*i::i] = bytes(len(s[i*i::i]))\n    return sum(s[2:])", "(100, 25)\n(1000000, 78498)"),
    "slow_but_right": ("def f(n):\n    t = 0\n    for i in range(n): t += i % 7\n    return t", "(1000000, 2999997)\n(10, 24)"),
    "global_statement": ("count = 0\ndef f(x):\n    global count\n    count += 1\n    return count >= 1", "(1, True)\n(2, True)"),
    "timer": ("import signal\ndef f(x):\n    signal.signal(signal.SIGALRM, lambda *a: None)\n    signal.alarm(0)\n    return x", "(1, 1)"),
    "inspect_self": ("import inspect\ndef f(x): return list(inspect.signature(f).parameters), f.__name__, __name__", "(1, (['x'], 'f', 'solution'))"),
    "pickle_round": ("import pickle\nclass P:\n    def __init__(self, v): self.v = v\ndef f(x): return pickle.loads(pickle.dumps(P(x))).v", "(5, 5)"),
    "temp_in_memory": ("import io, zipfile\ndef f(s):\n    b = io.BytesIO()\n    with zipfile.ZipFile(b, 'w') as z: z.writestr('a', s)\n    return zipfile.ZipFile(b).read('a').decode()", "('hi', 'hi')"),
    "comments_and_unicode_names": ("# -*- coding: utf-8 -*-\n'''Docs'''\ndef größe(ä): return ä + 1\ndef f(x): return größe(x)", "(1, 2)"),
    "fenced": ("Sure!\n```python\nfrom typing import List\n\ndef f(xs: List[int]) -> int:\n    return max(xs)\n```\nDone.", "([1, 3], 3)"),
    "bom": ("\ufefffrom typing import *\ndef f(x): return x", "(1, 1)"),
    "solution_class": ("class Solution:\n    def __init__(self): self.memo = {}\n    def f(self, n: int) -> int:\n        if n < 2: return n\n        if n not in self.memo: self.memo[n] = self.f(n - 1) + self.f(n - 2)\n        return self.memo[n]", "(30, 832040)\n(1, 1)"),
    "solution_static": ("class Solution:\n    @staticmethod\n    def f(a, b): return a + b", "(1, 2, 3)"),
    "own_tree": ("class TreeNode:\n    def __init__(self, val=0, left=None, right=None): self.val, self.left, self.right = val, left, right\nclass Solution:\n    def f(self, root: Optional[TreeNode]) -> List[List[int]]:\n        out, row = [], [root] if root else []\n        while row:\n            out.append([n.val for n in row])\n            row = [c for n in row for c in (n.left, n.right) if c]\n        return out", "([3, 9, 20, None, None, 15, 7], [[3], [9, 20], [15, 7]])\n([], [])"),
    "linked_cycle_free": ("class Solution:\n    def f(self, head: Optional[ListNode], k: int) -> Optional[ListNode]:\n        dummy = slow = fast = ListNode(0, head)\n        for _ in range(k): fast = fast.next\n        while fast.next: slow, fast = slow.next, fast.next\n        slow.next = slow.next.next\n        return dummy.next", "([1, 2, 3, 4, 5], 2, [1, 2, 3, 5])\n([1], 1, [])"),
    "list_of_lists": ("class Solution:\n    def f(self, lists: List[Optional[ListNode]]) -> Optional[ListNode]:\n        heap = [(l.val, i, l) for i, l in enumerate(lists) if l]\n        heapq.heapify(heap)\n        dummy = tail = ListNode()\n        while heap:\n            _, i, n = heapq.heappop(heap)\n            tail.next = tail = n\n            if n.next: heapq.heappush(heap, (n.next.val, i, n.next))\n        return dummy.next", "([[1, 4, 5], [1, 3, 4], [2, 6]], [1, 1, 2, 3, 4, 4, 5, 6])\n([], [])\n([[]], [])"),
}

@pytest.mark.parametrize("name", HONEST)
def test_honest(box, name):
    code, tests = HONEST[name]
    if name == "match" and sys.version_info < (3, 10): pytest.skip("match is younger")
    r = box.execute_tests(code, tests, "f")
    assert r.passed and not r.num_rejected and r.num_total, r.errors

SWAP = "class Solution:\n    def f(self, head):\n        if head and head.next: head.val, head.next.val = head.next.val, head.val"
IN_PLACE = { # code, signature, tests, what comes of them
    "nothing to change": ("def f(xs):\n    xs.sort()", "def f(xs) -> None:", "assert f([1,2]) == [1,2]\nassert f([2,1]) == [1,2]\nassert f([]) == []\nassert f([2,1]) == [2,1]\nassert f([1,2]) == [2,1]", "yyynn"),
    "named": ("def f(xs):\n    xs.sort()", "def f(xs)->None:", "assert f(xs=[2,1]) == [1,2]\nassert f(xs=[2,1]) == [2,1]", "yn"),
    "named out of order": ("def f(xs, k):\n    xs.sort()", "def f(xs, k) -> None:", "assert f(k=1, xs=[2,1]) == [1,2]\nassert f(k=1, xs=[1,2]) == 1\nassert f([2,1], k=1) == [1,2]", "yny"),
    "named nodes": (SWAP, "def f(self, head: Optional[ListNode]) -> None:", "assert f(head=[1,2]) == [2,1]\nassert f(head=[1,2]) == [1,2]", "yn"),
    "nothing that could change": ("def f(n): print(n * 2)", "def f(n) -> None:", "assert f(3) == 3\nassert f('a') == 'a'\nassert f((1,2)) == (1,2)\nassert f(3) is None", "nnny"),
    "a pair is no list of nodes": ("class Solution:\n    def f(self, h): return (h, None)", "def f(self, h: ListNode) -> Tuple[ListNode, Optional[int]]:", "assert f([1]) == ([1], None)\nassert f([1]) == ([1], [])", "yn"),
    "a list of nodes, old spelling": ("class Solution:\n    def f(self, h): return [h, None]", "def f(self, h: ListNode) -> [ListNode]:", "assert f([1]) == [[1], []]", "y"),
    "nodes": (SWAP, "def f(self, head: Optional[ListNode]) -> None:", "assert f([]) == []\nassert f([1]) == [1]\nassert f([1,2]) == [2,1]\nassert f([1,2]) == [1,2]", "yyyn"),
    "empty lists of nodes": ("class Solution:\n    def f(self, h, k): return [h] + [None] * (k - 1)", "def f(self, h: Optional[ListNode], k: int) -> List[Optional[ListNode]]:", "assert f([1,4],2) == [[1,4],[]]\nassert f([],2) == [[],[]]\nassert f([1],1) == [[]]", "yyn"),
    "a default from elsewhere": ("class Solution:\n    def f(self, head, k=1): return head", "def f(self, head: Optional[ListNode], k: int = DEFAULT) -> Optional[ListNode]:", "assert f([1,4]) == [1,4]\nassert f([1]) == [2]", "yn")}

@pytest.mark.parametrize("name", IN_PLACE)
def test_what_functions_that_return_nothing_or_nodes_leave(box, name):
    code, signature, tests, expected = IN_PLACE[name]
    assert ["ny"[v.passed] for v in box.execute_tests(code, tests, "f", signature).verdicts] == [*expected]
    right = [v.passed for v in box.validate_tests_against_solution(tests, code, "f", signature).verdicts]
    assert not any(ok and e == "n" for ok, e in zip(right, expected)), right

def test_honest_code_is_valid_as_a_reference(box):
    "Twice in fresh children, in either order"
    results = box.run_many([Job(code, tests, "f", runs=2) for code, tests in HONEST.values()])
    assert not [(name, r.errors) for name, r in zip(HONEST, results) if not r.passed]

def test_built_in_references(box):
    problems = load_problems("builtin")
    results = box.run_many([Job(p.reference_solution, baseline_cases(p), p.entry_point, p.function_signature) for p in problems])
    assert not [(p.id, r.errors) for p, r in zip(problems, results) if not r.passed]
    assert sum(r.num_total for r in results) + sum(len(t.splitlines()) for _, t in HONEST.values()) >= 200
