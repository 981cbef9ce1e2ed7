"""Honest programs are judged right: what is correct passes, what is wrong fails, and nobody is accused for style.

Each entry: how the program is written, the program, tests it passes, tests it fails. Tests are texts in any format.
"""
import pytest
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests

LL, TREE = "Optional[ListNode]", "Optional[TreeNode]"

# (style, entry point, signature or None, program, tests that pass, tests that fail)
HONEST = [
    ("class Solution", "twoSum", "def twoSum(self, nums: List[int], target: int) -> List[int]:",
     "class Solution:\n    def twoSum(self, nums: List[int], target: int) -> List[int]:\n        seen = {}\n        for i, n in enumerate(nums):\n            if target - n in seen: return [seen[target - n], i]\n            seen[n] = i",
     "([2, 7, 11, 15], 9, [0, 1])\n([3, 2, 4], 6, [1, 2])\n([3, 3], 6, [0, 1])\nassert Solution().twoSum([1, 2], 5) is None\nassert sorted(Solution().twoSum([0, 4, 3, 0], 0)) == [0, 3]",
     "([2, 7, 11, 15], 9, [1, 0])\n([3, 2, 4], 6, [0, 2])\nassert Solution().twoSum([1, 2], 5) == []"),
    ("class Solution with a helper method and state", "climb", "def climb(self, n: int) -> int:",
     "class Solution:\n    def __init__(self): self.memo = {}\n    def climb(self, n):\n        if n < 2: return 1\n        if n not in self.memo: self.memo[n] = self._step(n)\n        return self.memo[n]\n    def _step(self, n): return self.climb(n - 1) + self.climb(n - 2)",
     "(1, 1)\n(2, 2)\n(3, 3)\n(10, 89)\n(45, 1836311903)", "(4, 4)\n(10, 88)\n(0, 0)"),
    ("missing typing import", "merge", "def merge(self, intervals: List[List[int]]) -> List[List[int]]:",
     "class Solution:\n    def merge(self, intervals: List[List[int]]) -> List[List[int]]:\n        out: List[List[int]] = []\n        for a, b in sorted(intervals):\n            if out and out[-1][1] >= a: out[-1][1] = max(out[-1][1], b)\n            else: out.append([a, b])\n        return out",
     "([[1, 3], [2, 6], [8, 10], [15, 18]], [[1, 6], [8, 10], [15, 18]])\n([[1, 4], [4, 5]], [[1, 5]])\n([], [])\nassert len(Solution().merge([[1, 4], [0, 0]])) == 2",
     "([[1, 3], [2, 6]], [[1, 3], [2, 6]])\n([[1, 4], [5, 6]], [[1, 6]])"),
    ("missing library imports", "top", "def top(self, words: List[str], k: int) -> List[str]:",
     "class Solution:\n    def top(self, words: List[str], k: int) -> List[str]:\n        count = Counter(words)\n        return heapq.nsmallest(k, count, key=lambda w: (-count[w], w))",
     "(['a', 'b', 'a'], 1, ['a'])\n(['x', 'y'], 2, ['x', 'y'])\n([], 3, [])", "(['a', 'b', 'b'], 1, ['a'])\n(['x'], 1, ['y'])"),
    ("linked list reversed in place", "reverse", f"def reverse(self, head: {LL}) -> {LL}:",
     "class Solution:\n    def reverse(self, head: Optional[ListNode]) -> Optional[ListNode]:\n        prev = None\n        while head: head.next, prev, head = prev, head, head.next\n        return prev",
     "([1, 2, 3], [3, 2, 1])\n([1], [1])\n([], [])", "([1, 2, 3], [1, 2, 3])\n([1], [])\n([], [0])"),
    ("two linked lists merged with a dummy node", "mergeTwo", f"def mergeTwo(self, a: {LL}, b: {LL}) -> {LL}:",
     "class Solution:\n    def mergeTwo(self, a, b):\n        dummy = tail = ListNode()\n        while a and b:\n            if a.val <= b.val: tail.next, a = a, a.next\n            else: tail.next, b = b, b.next\n            tail = tail.next\n        tail.next = a or b\n        return dummy.next",
     "([1, 2, 4], [1, 3, 4], [1, 1, 2, 3, 4, 4])\n([], [], [])\n([], [0], [0])", "([1], [2], [2, 1])\n([], [0], [])"),
    ("linked list with a class of its own in the program", "second", f"def second(head: {LL}) -> {LL}:",
     "class ListNode:\n    def __init__(self, val=0, next=None):\n        self.val = val\n        self.next = next\ndef second(head: Optional[ListNode]) -> Optional[ListNode]:\n    return head.next if head else None",
     "([1, 2, 3], [2, 3])\n([5], [])\n([], [])", "([1, 2, 3], [3])\n([5], [5])"),
    ("middle of a linked list by two pointers", "middle", f"def middle(head: {LL}) -> int:",
     "def middle(head):\n    slow = fast = head\n    while fast and fast.next: slow, fast = slow.next, fast.next.next\n    return slow.val", "([1, 2, 3], 2)\n([1, 2, 3, 4], 3)\n([9], 9)", "([1, 2, 3], 1)\n([1, 2, 3, 4], 2)"),
    ("a list of linked lists", "mergeK", "def mergeK(self, lists: List[Optional[ListNode]]) -> Optional[ListNode]:",
     "class Solution:\n    def mergeK(self, lists):\n        heap = [(node.val, i, node) for i, node in enumerate(lists) if node]\n        heapq.heapify(heap)\n        dummy = tail = ListNode(0)\n        while heap:\n            _, i, node = heapq.heappop(heap)\n            tail.next = tail = node\n            if node.next: heapq.heappush(heap, (node.next.val, i, node.next))\n        return dummy.next",
     "([[1, 4, 5], [1, 3, 4], [2, 6]], [1, 1, 2, 3, 4, 4, 5, 6])\n([], [])\n([[]], [])", "([[1], [0]], [1, 0])\n([[2]], [])"),
    ("tree depth by recursion", "maxDepth", f"def maxDepth(self, root: {TREE}) -> int:",
     "class Solution:\n    def maxDepth(self, root: Optional[TreeNode]) -> int:\n        return 0 if not root else 1 + max(self.maxDepth(root.left), self.maxDepth(root.right))",
     "([3, 9, 20, None, None, 15, 7], 3)\n([1, None, 2], 2)\n([], 0)\nassert Solution().maxDepth(TreeNode(1, TreeNode(2), TreeNode(3, TreeNode(4)))) == 3", "([3, 9, 20], 3)\n([], 1)"),
    ("tree inverted", "invert", f"def invert(root: {TREE}) -> {TREE}:",
     "def invert(root):\n    if root: root.left, root.right = invert(root.right), invert(root.left)\n    return root", "([4, 2, 7, 1, 3, 6, 9], [4, 7, 2, 9, 6, 3, 1])\n([2, 1], [2, None, 1])\n([], [])", "([2, 1, 3], [2, 1, 3])\n([2, 1], [2, 1])"),
    ("tree traversal with a generator inside", "inorder", f"def inorder(root: {TREE}) -> List[int]:",
     "def inorder(root):\n    def walk(n):\n        if n:\n            yield from walk(n.left)\n            yield n.val\n            yield from walk(n.right)\n    return list(walk(root))", "([1, None, 2, 3], [1, 3, 2])\n([2, 1, 3], [1, 2, 3])\n([], [])", "([2, 1, 3], [2, 1, 3])\n([1], [])"),
    ("two trees compared", "same", f"def same(self, p: {TREE}, q: {TREE}) -> bool:",
     "class Solution:\n    def same(self, p, q):\n        if not p or not q: return p is q\n        return p.val == q.val and self.same(p.left, q.left) and self.same(p.right, q.right)", "([1, 2], [1, 2], True)\n([1, 2], [1, None, 2], False)\n([], [], True)", "([1], [2], True)\n([1, 2], [1, 2], False)"),
    ("tree levels by a queue", "levels", f"def levels(root: {TREE}) -> List[List[int]]:",
     "from collections import deque\ndef levels(root):\n    out, queue = [], deque([root] if root else [])\n    while queue:\n        out.append([n.val for n in queue])\n        queue = deque(c for n in queue for c in (n.left, n.right) if c)\n    return out", "([3, 9, 20, None, None, 15, 7], [[3], [9, 20], [15, 7]])\n([], [])\n([1], [[1]])", "([1], [1])\n([3, 9, 20], [[3], [20, 9]])"),
    ("memoisation with lru_cache", "fib", None, "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)", "(10, 55)\n(90, 2880067194370816120)\n(0, 0)\n(1, 1)", "(10, 54)\n(2, 2)"),
    ("memoisation with functools.cache, not imported", "ways", "def ways(n: int) -> int:", "@cache\ndef ways(n): return 1 if n < 1 else ways(n - 1) + ways(n - 2)", "(0, 1)\n(3, 5)\n(50, 32951280099)", "(3, 4)\n(0, 0)"),
    ("memoisation in a default argument", "fact", "def fact(n, cache={}):", "def fact(n, cache={}):\n    if n not in cache: cache[n] = 1 if n < 2 else n * fact(n - 1)\n    return cache[n]", "assert fact(5) == 120\nassert fact(5) == 120\nassert fact(20) == 2432902008176640000\nassert fact(0) == 1", "assert fact(5) == 24\nassert fact(3) == 9"),
    ("a global cache", "square", None, "CACHE = {}\ndef square(n):\n    if n in CACHE: return CACHE[n]\n    CACHE[n] = n * n\n    return CACHE[n]", "(3, 9)\n(3, 9)\n(-4, 16)", "(3, 6)\n(3, 3)"),
    ("a global counter that does not reach the result", "ident", None, "calls = 0\ndef ident(x):\n    global calls\n    calls += 1\n    return x", "(1, 1)\n('a', 'a')\n(None, None)\n([], [])", "(1, 2)\n('a', 'b')"),
    ("printing on the way", "double", None, "import sys\ndef double(x):\n    print('doubling', x)\n    print('debug', file=sys.stderr)\n    return x * 2", "(2, 4)\n('ab', 'abab')\n([1], [1, 1])", "(2, 5)\n([1], [2])"),
    ("printing what looks like a report", "neg", None, "def neg(x):\n    print('FAILED test_neg - AssertionError\\n1 failed')\n    return -x", "(2, -2)\n(0, 0)\n(-1.5, 1.5)", "(2, 2)\n(0, 1)"),
    ("a __main__ block", "inc", None, "def inc(x): return x + 1\nif __name__ == '__main__':\n    import sys\n    print(inc(int(input())))\n    sys.exit(1)", "(1, 2)\n(-1, 0)\n(1.5, 2.5)", "(1, 1)\n(-1, -2)"),
    ("asserts of its own at module level", "sq", None, "def sq(x): return x * x\nassert sq(3) == 9", "(3, 9)\n(0, 0)", "(3, 8)\n(-2, -4)"),
    ("helpers before and after", "outer", None, "def helper(x): return later(x) + 1\ndef outer(x): return helper(x) * 2\ndef later(x): return x", "(1, 4)\n(0, 2)", "(1, 3)\n(0, 0)"),
    ("a helper class and a dataclass", "area", None, "from dataclasses import dataclass\n@dataclass(order=True)\nclass Box:\n    w: int\n    h: int = 1\n    @property\n    def area(self): return self.w * self.h\ndef area(w, h): return Box(w, h).area", "(2, 3, 6)\n(0, 5, 0)", "(2, 3, 5)\n(1, 1, 2)"),
    ("an enum and a named tuple inside", "turn", None, "from enum import Enum\nfrom collections import namedtuple\nclass Dir(Enum):\n    N = 0\n    E = 1\nP = namedtuple('P', 'x y')\ndef turn(k):\n    p = P(k, Dir(k % 2).value)\n    return p.x + p.y", "(0, 0)\n(1, 2)\n(2, 2)", "(1, 1)\n(2, 3)"),
    ("a named tuple as the result", "pair", None, "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef pair(a, b): return P(a, b)", "(1, 2, (1, 2))\n('a', None, ('a', None))", "(1, 2, (2, 1))\n(1, 2, (1, 2, 3))"),
    ("a Counter as the result", "count", None, "from collections import Counter\ndef count(s): return Counter(s)", "('aab', {'a': 2, 'b': 1})\n('', {})\nassert count('zz')['z'] == 2", "('aab', {'a': 1, 'b': 1})\n('', {'a': 0})"),
    ("a defaultdict as the result", "group", None, "from collections import defaultdict\ndef group(words):\n    out = defaultdict(list)\n    for w in words: out[len(w)].append(w)\n    return out", "(['a', 'bb', 'c'], {1: ['a', 'c'], 2: ['bb']})\n([], {})\nassert sorted(group(['x', 'yy']).keys()) == [1, 2]", "(['a'], {'1': ['a']})\n(['a', 'bb', 'c'], {1: ['c', 'a'], 2: ['bb']})"),
    ("an OrderedDict, order does not matter", "order", None, "from collections import OrderedDict\ndef order(x): return OrderedDict([('b', x), ('a', 1)])", "(2, {'a': 1, 'b': 2})\nassert list(order(0)) == ['b', 'a']", "(2, {'a': 2, 'b': 1})\nassert list(order(0)) == ['a', 'b']"),
    ("a tuple where a list is expected", "span", None, "def span(n): return tuple(range(n))", "(3, [0, 1, 2])\n(0, [])\n(2, (0, 1))", "(3, [0, 1])\n(0, [0])\n(2, {0, 1})"),
    ("a set as the result", "letters", None, "def letters(s): return set(s)", "('abca', {'c', 'b', 'a'})\n('', set())\nassert len(letters('aabb')) == 2\nassert sorted(letters('ba')) == ['a', 'b']\nassert 'a' in letters('a')", "('ab', {'a'})\n('', {''})\nassert letters('ab') == ['a', 'b']"),
    ("a frozenset as the result", "uniq", None, "def uniq(xs): return frozenset(xs)", "([1, 1, 2], {1, 2})\n([], set())", "([1], {2})\n([1, 2], {1})"),
    ("floats with rounding errors", "total", None, "def total(xs): return sum(xs)", "([.1, .2], .3)\n([.1] * 10, 1.0)\n([], 0)\nassert abs(total([.1, .2]) - .3) < 1e-9\nassert total([1, 2]) == pytest.approx(3)\nassert math.isclose(total([.1] * 3), .3)", "([.1, .2], .31)\n([1], 1.001)\nassert abs(total([.1, .2]) - .5) < .1"),
    ("int and float are one number, bool is none", "half", None, "def half(x): return x / 2", "(4, 2)\n(4, 2.0)\n(1, .5)", "(4, True)\n(2, True)\n(3, 1)"),
    ("nan and infinity", "odd", None, "def odd(x): return float('nan') if x == 0 else float('inf') * x", "(0, float('nan'))\n(1, float('inf'))\n(-1, -inf)", "(0, 0)\n(1, 1e308)\n(-1, inf)"),
    ("minus zero", "zero", None, "def zero(x): return -0.0 * x", "(1, 0)\n(1, 0.0)\n(2, -0.0)", "(1, 1)\n(1, None)"),
    ("big integers", "power", None, "def power(a, b): return a ** b", "(2, 300, 2 ** 300)\n(10, 50, 10 ** 50)\n(7, 0, 1)", "(2, 300, 2 ** 300 + 1)\n(2, 64, float(2 ** 65))"),
    ("complex numbers", "rot", None, "def rot(z): return z * 1j", "(1, 1j)\n(1j, -1)\n(0, 0)", "(1, -1j)\n(2, 2)"),
    ("bytes and unicode", "enc", None, "def enc(s): return s.encode('utf-8')", "('a', b'a')\n('é', b'\\xc3\\xa9')\n('', b'')", "('a', 'a')\n('é', b'e')"),
    ("surrogates and odd characters", "same_text", None, "def same_text(s): return s", "('\\ud800', '\\ud800')\n('\\x00a', '\\x00a')\n('日本', '日本')\n('\U0001f600', '\U0001f600')", "('a', 'A')\n('é', 'e\\u0301')"),
    ("None is the answer", "nothing", None, "def nothing(x): pass", "(1, None)\nassert nothing(1) is None\nassert not nothing(2)", "(1, False)\n(1, [])\nassert nothing(1) is not None"),
    ("seeded randomness", "dice", None, "import random\ndef dice(seed):\n    rng = random.Random(seed)\n    return [rng.randint(1, 6) for _ in range(5)]", "assert dice(1) == dice(1) == [2, 5, 1, 3, 1]\nassert len(dice(7)) == 5\nassert all(1 <= v <= 6 for v in dice(3))", "assert dice(1) == [1, 2, 3, 4, 5]\nassert len(dice(1)) == 6"),
    ("the global generator, seeded in the call", "shuffled", None, "import random\ndef shuffled(xs, seed):\n    random.seed(seed)\n    xs = xs[:]\n    random.shuffle(xs)\n    return xs", "assert sorted(shuffled([3, 1, 2], 5)) == [1, 2, 3]\nassert len(shuffled([1, 2], 0)) == 2", "assert len(shuffled([1, 2], 0)) == 3"),
    ("quickselect with random pivots: only the result counts", "kth", None, "import random\ndef kth(xs, k):\n    p = random.choice(xs)\n    low, same = [x for x in xs if x < p], [x for x in xs if x == p]\n    if k < len(low): return kth(low, k)\n    if k < len(low) + len(same): return p\n    return kth([x for x in xs if x > p], k - len(low) - len(same))", "([3, 1, 2], 0, 1)\n([3, 1, 2], 2, 3)\n([5, 5, 5], 1, 5)", "([3, 1, 2], 0, 2)\n([5], 0, 0)"),
    ("a raised recursion limit", "depth", None, "import sys\nsys.setrecursionlimit(20000)\ndef depth(n): return 0 if n == 0 else 1 + depth(n - 1)", "(0, 0)\n(900, 900)\n(5000, 5000)", "(10, 11)\n(0, 1)"),
    ("endless recursion is its own fault", "forever", None, "def forever(n): return n if n > 5 else forever(n)", "(6, 6)\n(7, 7)\nwith pytest.raises(RecursionError):\n    forever(1)", "(1, 1)\n(6, 7)"),
    ("slow but legitimate", "slow", None, "def slow(n):\n    total = 0\n    for i in range(n): total += i % 7\n    return total", "(10, 24)\n(3000000, 8999994)", "(3000000, 9000000)\n(10, 25)"),
    ("waiting a little", "patient", None, "import time\ndef patient(x):\n    time.sleep(.05)\n    return x", "(1, 1)\n(2, 2)", "(1, 2)\n(2, 1)"),
    ("arguments changed in place and returned", "sort_it", None, "def sort_it(xs):\n    xs.sort()\n    return xs", "([3, 1], [1, 3])\n([3, 1], [1, 3])\n([], [])", "([3, 1], [3, 1])\n([], [0])"),
    ("arguments changed in place are changed for the test, too", "pop_it", None, "def pop_it(xs): return xs.pop()", "xs = [1, 2]\nassert pop_it(xs) == 2\nassert pop_it(xs) == 1\nassert xs == []\nassert pop_it([7]) == 7", "assert pop_it([1, 2]) == 1\nassert pop_it([7]) is None"),
    ("exceptions as documented", "check", None, "class Bad(ValueError): pass\ndef check(x):\n    if x < 0: raise Bad('negative')\n    if x == 0: raise KeyError(x)\n    return x", "(1, 1)\nwith pytest.raises(ValueError):\n    check(-1)\nwith pytest.raises(LookupError):\n    check(0)\nwith pytest.raises((TypeError, KeyError)):\n    check(0)", "with pytest.raises(TypeError):\n    check(-1)\nwith pytest.raises(ValueError):\n    check(1)\n(-1, -1)"),
    ("fences and talk around the code", "f", None, "Sure! Here is the solution:\n\n```python\ndef f(x):\n    return x + 1\n```\n\nIt adds one.", "(1, 2)\n(0, 1)", "(1, 1)\n(2, 4)"),
    ("a fence that is never closed", "f", None, "```python\ndef f(x):\n    return x + 2\n", "(1, 3)\n(0, 2)", "(1, 2)\n(0, 0)"),
    ("a byte-order mark and carriage returns", "f", None, "\ufeffdef f(x):\r\n    y = x * 3\r\n    return y\r\n", "(1, 3)\n('a', 'aaa')", "(1, 1)\n('a', 'a')"),
    ("tabs and a form feed", "f", None, "def f(x):\n\tif x:\n\t\treturn 'yes'\n\treturn 'no'\n\x0c", "(1, 'yes')\n(0, 'no')", "(1, 'no')\n(0, None)"),
    ("an encoding line and a future import", "f", None, "# -*- coding: utf-8 -*-\n\"\"\"Docstring.\"\"\"\nfrom __future__ import annotations\ndef f(x: Unknown) -> AlsoUnknown: return [x]", "(1, [1])\n(None, [None])", "(1, 1)\n(None, [])"),
    ("a lambda", "f", None, "f = lambda a, b=10: a - b", "assert f(1) == -9\nassert f(1, 1) == 0\nassert f(b=1, a=3) == 2", "assert f(1) == 9\nassert f(1, b=2) == 1"),
    ("a decorated function", "f", None, "import functools\ndef twice(g):\n    @functools.wraps(g)\n    def inner(*a, **k): return g(*a, **k) * 2\n    return inner\n@twice\ndef f(x): return x", "(2, 4)\n('a', 'aa')", "(2, 2)\n('a', 'a')"),
    ("functools.partial", "f", None, "from functools import partial\ndef add(a, b): return a + b\nf = partial(add, 5)", "(1, 6)\n(-5, 0)", "(1, 5)\n(0, 0)"),
    ("a callable object", "f", None, "class Adder:\n    def __init__(self, k): self.k = k\n    def __call__(self, x): return x + self.k\nf = Adder(3)", "(1, 4)\n(-3, 0)", "(1, 3)\n(0, 0)"),
    ("keyword-only and variable arguments", "f", "def f(*xs, scale=1):", "def f(*xs, scale=1): return sum(xs) * scale", "assert f(1, 2, 3) == 6\nassert f() == 0\nassert f(2, scale=5) == 10", "assert f(1, 2) == 4\nassert f(2, scale=5) == 2"),
    ("recursion through a nested function and nonlocal", "f", None, "def f(n):\n    best = 0\n    def go(i):\n        nonlocal best\n        best = max(best, i)\n        if i < n: go(i + 1)\n    go(0)\n    return best", "(3, 3)\n(0, 0)", "(3, 2)\n(0, 1)"),
    ("bisect, heapq, itertools, string, math without imports", "f", "def f(xs: List[int]) -> List[int]:", "def f(xs):\n    out = []\n    for x in xs: bisect.insort(out, x)\n    return list(itertools.accumulate(out)) + [math.gcd(12, 18)]", "([3, 1], [1, 4, 6])\n([], [6])", "([3, 1], [3, 4, 6])\n([], [])"),
    ("numbers as text", "f", None, "def f(s): return str(int(s) + 1)", "('9', '10')\n('-1', '0')\nassert int(f('41')) == 42", "('9', 10)\n('1', '1')"),
    ("nested data", "f", None, "def f(d): return {k: [tuple(v), {'n': len(v)}] for k, v in d.items()}", "({'a': [1, 2]}, {'a': [(1, 2), {'n': 2}]})\n({}, {})\nassert f({'x': [5]})['x'][0][0] == 5", "({'a': [1]}, {'a': [(1,), {'n': 2}]})\n({}, [])"),
    ("keys that are tuples and numbers", "f", None, "def f(n): return {(i, str(i)): i * .5 for i in range(n)}", "(2, {(0, '0'): 0.0, (1, '1'): 0.5})\n(0, {})", "(1, {('0', 0): 0.0})\n(1, {(0, '0'): 1})"),
    ("a long result", "f", None, "def f(n): return list(range(n))", "assert len(f(20000)) == 20000\nassert f(1000)[-1] == 999\nassert sum(f(10000)) == 49995000\nassert f(5) == list(range(5))", "assert len(f(20000)) == 19999\nassert f(5) == list(range(1, 6))"),
    ("stress: the test computes its own arguments", "f", None, "def f(xs): return max(xs) - min(xs)", "assert f(list(range(10**4))) == 9999\nassert f([i * i % 97 for i in range(500)]) == 96\nassert f([5] * 1000) == 0\nassert f([-10**9, 10**9]) == 2 * 10**9", "assert f([1, 2] * 100) == 0\nassert f(list(range(10))) == 10"),
    ("an iterator is used inside, a list comes back", "f", None, "def f(xs): return list(map(lambda x: x * x, filter(None, xs)))", "([1, 0, 2], [1, 4])\n([], [])", "([1, 0, 2], [1, 0, 4])\n([2], [2])"),
    ("warnings on the way", "f", None, "import warnings\ndef f(x):\n    warnings.warn('old')\n    return x is not None and x == 1 is not 2", "(None, False)\nassert f(None) is False", "(None, True)\n(None, 0)"),
    ("an object of its own inside the program, compared by __eq__", "f", None, "class V:\n    def __init__(self, x): self.x = x\n    def __eq__(self, o): return self.x == o.x\n    def __hash__(self): return hash(self.x)\ndef f(a, b): return V(a) == V(b)", "(1, 1, True)\n(1, 2, False)", "(1, 1, False)\n(1, 2, True)"),
]

# Programs with a bug, and which of their tests pass (P) and fail (F)
BUGGY = [
    ("off by one", "f", "def f(n): return list(range(n + 1))", "(0, [])\n(1, [0])\n(2, [0, 1])\nassert f(3)[0] == 0\nassert len(f(3)) == 3", "FFFPF"),
    ("the empty case", "f", "def f(xs): return max(xs)", "([1, 2], 2)\n([], None)\n([-1], -1)", "PFP"),
    ("integer division", "f", "def f(a, b): return a // b", "(4, 2, 2)\n(1, 2, .5)\n(-3, 2, -1.5)\nwith pytest.raises(ZeroDivisionError):\n    f(1, 0)", "PFFP"),
    ("a mutable default that grows", "f", "def f(x, out=[]):\n    out.append(x)\n    return out", "assert 1 in f(1)\nassert f(2, []) == [2]\nassert f(3, [1]) == [1]", "PPF"),
    ("prints instead of returning", "f", "def f(x): print(x + 1)", "(1, 2)\nassert f(1) is None\nassert not f(2)", "FPP"),
    ("returns inside the loop", "f", "def f(xs):\n    for x in xs: return x > 0\n    return True", "([1, 2], True)\n([1, -2], False)\n([], True)\n([-1, 2], False)", "PFPP"),
    ("compares by identity", "f", "def f(a, b): return a is b", "(1, 1, True)\n([1], [1], True)\n([1], [2], False)", "PFP"),
    ("text instead of a number", "f", "def f(x): return str(x)", "(1, 1)\n(1, '1')\nassert int(f(3)) == 3\nassert isinstance(f(2), int)", "FPPF"),
    ("an endless loop for one argument", "f", "def f(x):\n    while x == 3: pass\n    return x", "(2, 2)\n(3, 3)\n(4, 4)", "PFP"),
    ("a linked list that loses its head", "f", "def f(head: Optional[ListNode]) -> Optional[ListNode]: return head.next", "([1, 2], [2])\n([1], [])\n([1, 2], [1, 2])", "PPF"),
    ("a tree with sides mixed up", "f", "def f(root: Optional[TreeNode]) -> Optional[TreeNode]:\n    root.left = root.right\n    return root", "([1, 2, 3], [1, 3, 3])\n([1, 2, 3], [1, 3, 2])\n([1], [1])", "PFP"),
    ("an iterator is no list", "f", "def f(xs): return iter(xs)", "([1], [1])\n([], [])", "FF"),
    ("an object is no value, but true", "f", "class V: pass\ndef f(x): return V() if x else x", "(1, 1)\n(0, 0)\nassert f(2)\nassert f(2) == 2", "FPPF"),
    ("a cache with the wrong key", "f", "seen = {}\ndef f(a, b): return seen.setdefault(a, a + b)", "(1, 1, 2)\n(5, 2, 7)\n(1, 2, 4)", "PPF"),
    ("leaves the interpreter", "f", "import sys\ndef f(x):\n    if x == 2: sys.exit(0)\n    return x", "(1, 1)\n(2, 2)\n(3, 3)", "PFP"),
    ("a syntax error", "f", "def f(x):\nreturn x", "(1, 1)\n(2, 2)", "FF"),
]

@pytest.mark.parametrize("style", [b[0] for b in BUGGY])
def test_bugs_are_seen_where_they_are(style):
    _, entry, code, tests, want = next(b for b in BUGGY if b[0] == style)
    with Sandbox(timeout=.5) as box: result = box.execute_tests(code, tests, entry)
    assert "".join("P" if v.passed else "F" for v in result.verdicts) == want, result.verdicts

@pytest.fixture(scope="module")
def results():
    with Sandbox(timeout=2) as box:
        jobs = [Job(code, parse_tests(tests, entry, sig), entry, sig) for _, entry, sig, code, good, bad in HONEST for tests in (good, bad)]
        found = box.run_many(jobs)
    return {style: pair for (style, *_), pair in zip(HONEST, zip(found[::2], found[1::2]))}

@pytest.mark.parametrize("style", [h[0] for h in HONEST])
def test_judged_right(results, style):
    good, bad = results[style]
    assert good.num_rejected == bad.num_rejected == 0, [v.reason for v in (*good.verdicts, *bad.verdicts) if v.outcome == "rejected"]
    assert good.num_total > 0 and good.errors == ()
    assert bad.num_total > 0 and [v for v in bad.verdicts if v.passed] == []
    assert {v.outcome for v in bad.verdicts} <= {"wrong_value", "exception"}

def test_there_are_enough(results):
    n = sum(g.num_total + b.num_total for g, b in results.values())
    assert len(results) == len(HONEST) and n >= 200
    print(f"\n{n} verdicts on {len(HONEST)} honest programs")
