'''Every form of test that people write: the right program passes all of it, the wrong program fails at least one.

KINDS holds (name, entry, signature or None, right program, wrong program, tests).'''

ADD = "def add(a, b):\n    return a + b\n"
ADD_WRONG = "def add(a, b):\n    return a - b\n"
TOTAL = "def total(xs):\n    return sum(xs)\n"
TOTAL_WRONG = "def total(xs):\n    return sum(xs[1:])\n"
ROOT = "def root(x):\n    if x < 0:\n        raise ValueError('x must not be negative')\n    return x ** 0.5\n"
ROOT_SILENT = "def root(x):\n    return abs(x) ** 0.5\n"
ROOT_WRONG_KIND = "def root(x):\n    if x < 0:\n        raise TypeError('x must not be negative')\n    return x ** 0.5\n"
ROOT_WRONG_TEXT = "def root(x):\n    if x < 0:\n        raise ValueError('bad')\n    return x ** 0.5\n"
REV = "def rev(s):\n    return s[::-1]\n"
REV_WRONG = "def rev(s):\n    return s\n"
UNIQ = "def uniq(xs):\n    return list(dict.fromkeys(xs))\n"
UNIQ_WRONG = "def uniq(xs):\n    return xs\n"

KINDS = [
    # ---- bare asserts ----
    ("assert_plain", "add", "def add(a, b):", ADD, ADD_WRONG, "assert add(1, 2) == 3\nassert add(0, 0) == 0\nassert add(-1, 1) == 0\n"),
    ("assert_last_fails", "total", "def total(xs):", TOTAL, "def total(xs):\n"
     "    return sum(set(xs))\n", "assert total([]) == 0\nassert total([1, 2]) == 3\nassert total([2, 2]) == 4\n"),
    ("assert_messages", "add", "def add(a, b):", ADD, ADD_WRONG, "assert add(1, 2) == 3, f\"add(1, 2) is {add(1, 2)}, not 3\"\n"
     "assert add(0, 0) == 0, 'zeros'\n"),
    ("assert_approx", "mean", "def mean(xs):", "def mean(xs):\n    return sum(xs) / len(xs)\n", "def mean(xs):\n    return sum(xs) // len(xs)\n",
     "import pytest\nassert mean([0.1, 0.2]) == pytest.approx(0.15)\nassert mean([1, 2]) == pytest.approx(1.5, abs=1e-3)\nassert mean([2]) == 2\n"),
    ("assert_approx_list", "scale", "def scale(xs, k):", "def scale(xs, k):\n"
     "    return [x * k for x in xs]\n", "def scale(xs, k):\n    return [round(x * k) for x in xs]\n",
     "from pytest import approx\nassert scale([0.1, 0.2], 3) == approx([0.3, 0.6])\nassert scale([], 2) == []\n"),
    ("assert_isclose", "root", "def root(x):", ROOT, "def root(x):\n"
     "    return x / 2\n", "import math\nassert math.isclose(root(2), 1.4142135623730951)\nassert math.isclose(root(0), 0, abs_tol=1e-9)\n"),
    ("assert_tolerance", "root", "def root(x):", ROOT, "def root(x):\n"
     "    return x ** 0.499\n", "assert abs(root(2) - 1.41421356) < 1e-6\nassert abs(root(4) - 2) <= 1e-9\n"),
    ("assert_round", "root", "def root(x):", ROOT, "def root(x):\n"
     "    return x ** 0.49\n", "assert round(root(2), 3) == 1.414\nassert round(root(3), 2) == 1.73\n"),
    ("assert_sorted", "uniq", "def uniq(xs):", UNIQ, UNIQ_WRONG, "assert sorted(uniq([3, 1, 3])) == [1, 3]\nassert sorted(uniq([])) == []\n"),
    ("assert_set_of_result", "uniq", "def uniq(xs):", UNIQ, "def uniq(xs):\n"
     "    return xs[:1]\n", "assert set(uniq([1, 2, 1])) == {1, 2}\nassert len(uniq([1, 2, 1])) == 2\n"),
    ("assert_isinstance", "half", "def half(n):", "def half(n):\n"
     "    return n // 2\n", "def half(n):\n    return n / 2\n", "assert isinstance(half(4), int)\nassert half(4) == 2\n"),
    ("assert_type_is", "half", "def half(n):", "def half(n):\n"
     "    return n // 2\n", "def half(n):\n    return n / 2\n", "assert type(half(4)) is int\nassert type(half(5)) == int\n"),
    ("assert_all_any", "evens", "def evens(xs):", "def evens(xs):\n"
     "    return [x for x in xs if x % 2 == 0]\n", "def evens(xs):\n    return [x for x in xs if x % 2]\n",
     "xs = [1, 2, 3, 4]\nassert all(x % 2 == 0 for x in evens(xs))\nassert not any(x % 2 for x in evens(xs))\nassert len(evens(xs)) == 2\n"),
    ("assert_truth", "even", "def even(n):", "def even(n):\n    return n % 2 == 0\n", "def even(n):\n"
     "    return n % 2 == 1\n", "assert even(2)\nassert not even(3)\nassert even(0)\n"),
    ("assert_is_words", "even", "def even(n):", "def even(n):\n"
     "    return n % 2 == 0\n", "def even(n):\n    return 1 - n % 2\n", "assert even(2) is True\nassert even(3) is False\n"),
    ("assert_is_none", "first", "def first(xs):", "def first(xs):\n"
     "    return xs[0] if xs else None\n", "def first(xs):\n    return xs[0] if xs else 0\n", "assert first([]) is None\nassert first([0]) is not None\n"
     "assert first([5]) == 5\n"),
    ("assert_in", "anagrams", "def anagrams(s):", "from itertools import permutations\ndef anagrams(s):\n"
     "    return {''.join(p) for p in permutations(s)}\n", "def anagrams(s):\n    return {s}\n",
     "assert 'cba' in anagrams('abc')\nassert 'abd' not in anagrams('abc')\nassert 'abc' in anagrams('abc')\n"),
    ("assert_chain_and_order", "clamp", "def clamp(x, lo, hi):", "def clamp(x, lo, hi):\n"
     "    return max(lo, min(x, hi))\n", "def clamp(x, lo, hi):\n    return min(lo, max(x, hi))\n",
     "assert 0 <= clamp(5, 0, 3) <= 3\nassert clamp(-1, 0, 3) >= 0\nassert clamp(2, 0, 3) != 0\nassert clamp(1, 0, 3) < clamp(2, 0, 3)\n"),
    ("assert_and", "add", "def add(a, b):", ADD, ADD_WRONG, "assert add(1, 2) == 3 and add(2, 1) == 3\nassert (add(1, 1), add(2, 2)) == (2, 4)\n"),
    ("assert_two_calls_agree", "add", "def add(a, b):", ADD, ADD_WRONG, "assert add(1, 2) == add(2, 1)\nassert add(add(1, 2), 3) == add(1, add(2, 3))\n"
     "assert add(5, 0) == 5\n"),
    ("assert_round_trip", "encode", "def encode(s):", "def encode(s):\n    return ''.join(chr(ord(c) + 1) for c in s)\ndef decode(s):\n"
     "    return ''.join(chr(ord(c) - 1) for c in s)\n",
     "def encode(s):\n    return ''.join(chr(ord(c) + 1) for c in s)\ndef decode(s):\n    return ''.join(chr(ord(c) + 1) for c in s)\n",
     "for s in ['', 'abc', 'Zz 9']:\n    assert decode(encode(s)) == s\nassert encode('abc') == 'bcd'\n"),
    ("assert_helper", "uniq", "def uniq(xs):", UNIQ, UNIQ_WRONG, "def same(a, b):\n    return sorted(map(str, a)) == sorted(map(str, b))\n"
     "assert same(uniq([1, 'a', 1]), ['a', 1])\nassert same(uniq([]), [])\n"),
    ("assert_helper_checks", "add", "def add(a, b):", ADD, ADD_WRONG, "def check(a, b, want):\n    got = add(a, b)\n"
     "    assert got == want, f'{a} + {b}: {got} instead of {want}'\n\ncheck(1, 2, 3)\ncheck(-1, 1, 0)\n"),
    ("assert_loop", "add", "def add(a, b):", ADD, ADD_WRONG, "for a in range(5):\n    for b in range(5):\n        assert add(a, b) == a + b\n"),
    ("assert_loop_cases", "rev", "def rev(s):", REV, REV_WRONG, "cases = [('', ''), ('a', 'a'), ('ab', 'ba')]\nfor i, (text, want) in enumerate(cases):\n"
     "    assert rev(text) == want, f'case {i}'\n"),
    ("assert_loop_dict", "rev", "def rev(s):", REV, REV_WRONG, "for text, want in {'': '', 'ab': 'ba'}.items():\n    assert rev(text) == want\n"),
    ("assert_zip", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "inputs = [[], [1], [1, 2]]\nresults = [0, 1, 3]\nfor i, r in zip(inputs, results):\n"
     "    assert total(i) == r\n"),
    ("assert_set_up", "merge", "def merge(a, b):", "def merge(a, b):\n    return {**a, **b}\n", "def merge(a, b):\n    return {**b, **a}\n",
     "base = {'x': 1}\nextra = dict(base, y=2)\nextra['x'] = 5\nassert merge(base, extra) == {'x': 5, 'y': 2}\nassert base == {'x': 1}\n"),
    ("assert_constants", "area", "def area(r):", "import math\ndef area(r):\n    return math.pi * r * r\n", "def area(r):\n    return 3 * r * r\n",
     "import math\nTOLERANCE = 1e-9\nUNIT = math.pi\nassert abs(area(1) - UNIT) < TOLERANCE\nassert abs(area(2) - 4 * UNIT) < TOLERANCE\n"),
    ("assert_comprehension", "square", "def square(x):", "def square(x):\n"
     "    return x * x\n", "def square(x):\n    return x * 2\n", "assert [square(x) for x in range(4)] == [0, 1, 4, 9]\n"
     "assert {x: square(x) for x in (2, 3)} == {2: 4, 3: 9}\n"),
    ("assert_unpacking", "divide", "def divide(a, b):", "def divide(a, b):\n"
     "    return divmod(a, b)\n", "def divide(a, b):\n    return a % b, a // b\n", "q, r = divide(7, 2)\nassert q == 3\nassert r == 1\n"),
    ("assert_methods_of_result", "words", "def words(s):", "def words(s):\n    return s.lower().split()\n", "def words(s):\n    return s.split()\n",
     "assert words('A b').count('a') == 1\nassert ' '.join(words('A  B')) == 'a b'\nassert words('Ab')[0].islower()\n"),
    ("assert_index_and_slice", "primes", "def primes(n):", "def primes(n):\n"
     "    return [p for p in range(2, n) if all(p % d for d in range(2, p))]\n", "def primes(n):\n"
     "    return [p for p in range(1, n) if all(p % d for d in range(2, p))]\n",
     "ps = primes(20)\nassert ps[0] == 2\nassert ps[-1] == 19\nassert ps[1:4] == [3, 5, 7]\nassert len(ps) == 8\n"),
    ("assert_lambda", "apply", "def apply(g, xs):", "def apply(g, xs):\n"
     "    return [g(x) for x in xs]\n", "def apply(g, xs):\n    return [g(xs[0]) for x in xs]\n",
     "assert apply(lambda x: x + 1, [1, 2]) == [2, 3]\nassert apply(str, [1]) == ['1']\nassert apply(len, ['ab', '']) == [2, 0]\n"),
    ("assert_function_recorded", "each", "def each(g, xs):", "def each(g, xs):\n    for x in xs:\n"
     "        g(x)\n", "def each(g, xs):\n    for x in xs[:-1]:\n        g(x)\n",
     "seen = []\neach(seen.append, [1, 2, 3])\nassert seen == [1, 2, 3]\nassert each(print, []) is None\n"),
    ("assert_function_returned", "multiplier", "def multiplier(n):", "def multiplier(n):\n"
     "    return lambda x: x * n\n", "def multiplier(n):\n    return lambda x: x + n\n",
     "double = multiplier(2)\nassert double(2) == 4\nassert double(5) == 10\nassert multiplier(3)('ab') == 'ababab'\nassert callable(double)\n"),
    ("assert_decorator", "twice", "def twice(g):", "import functools\ndef twice(g):\n    @functools.wraps(g)\n    def inner(x):\n        return g(g(x))\n"
     "    return inner\n",
     "def twice(g):\n    def inner(x):\n        return g(g(x))\n"
     "    return inner\n", "@twice\ndef up(x):\n    return x + 1\nassert up(1) == 3\nassert up.__name__ == 'up'\n"),
    ("assert_keyword_arguments", "greet", "def greet(name, *, polite=False, mark='!'):", "def greet(name, *, polite=False, mark='!'):\n"
     "    return ('Dear ' if polite else 'Hi ') + name + mark\n",
     "def greet(name, *, polite=False, mark='!'):\n    return 'Hi ' + name + mark\n", "assert greet('Bo') == 'Hi Bo!'\n"
     "assert greet('Bo', polite=True) == 'Dear Bo!'\nassert greet(name='Bo', mark='?') == 'Hi Bo?'\n"),
    ("assert_star_arguments", "most", "def most(*xs, start=0):", "def most(*xs, start=0):\n"
     "    return max((start, *xs))\n", "def most(*xs, start=0):\n    return max(xs, default=start)\n",
     "args = [1, 5, 2]\nassert most(*args) == 5\nassert most(*args, **{'start': 9}) == 9\nassert most() == 0\n"),
    ("assert_random_seeded", "sort", "def sort(xs):", "def sort(xs):\n    return sorted(xs)\n", "def sort(xs):\n    return sorted(set(xs))\n",
     "import random\nrandom.seed(0)\nfor _ in range(50):\n    xs = [random.randint(-5, 5) for _ in range(random.randint(0, 20))]\n"
     "    assert sort(xs) == sorted(xs)\n"),
    ("assert_brute_force", "subarray", "def subarray(xs):", "def subarray(xs):\n    best = run = xs[0]\n    for x in xs[1:]:\n        run = max(x, run + x)\n"
     "        best = max(best, run)\n    return best\n",
     "def subarray(xs):\n    best = run = 0\n    for x in xs:\n        run = max(0, run + x)\n        best = max(best, run)\n    return best\n",
     "import itertools\n\ndef slow(xs):\n    return max(sum(xs[i:j]) for i in range(len(xs)) for j in range(i + 1, len(xs) + 1))\n\n"
     "for xs in itertools.product([-2, 1, 3], repeat=4):\n    assert subarray(list(xs)) == slow(list(xs))\n"),
    ("assert_modules", "letters", "def letters(s):", "from collections import Counter\nimport string\ndef letters(s):\n"
     "    return Counter(c for c in s.lower() if c in string.ascii_lowercase)\n",
     "from collections import Counter\ndef letters(s):\n    return Counter(s)\n", "import string\nfrom collections import Counter\n"
     "assert letters('Aab!') == Counter('aab')\nassert letters(string.ascii_uppercase) == Counter(string.ascii_lowercase)\n"
     "assert letters('Aa').most_common(1) == [('a', 2)]\n"),
    ("assert_math", "gcd", "def gcd(a, b):", "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n", "def gcd(a, b):\n    return min(a, b)\n",
     "import math\nfor a in range(1, 15):\n    for b in range(1, 15):\n        assert gcd(a, b) == math.gcd(a, b)\n"),
    ("assert_nan_inf", "best", "def best(xs):", "import math\ndef best(xs):\n"
     "    return max((x for x in xs if x == x), default=math.nan)\n", "def best(xs):\n    return max(xs, default=0)\n",
     "import math\nassert math.isnan(best([]))\nassert best([float('inf'), 1]) == math.inf\nassert best([1, float('nan')]) == 1\n"),
    ("assert_try_expected", "root", "def root(x):", ROOT, ROOT_SILENT, "try:\n    root(-1)\n    assert False, 'should have raised'\nexcept ValueError:\n"
     "    pass\nassert root(4) == 2\n"),
    ("assert_try_else", "root", "def root(x):", ROOT, ROOT_SILENT, "try:\n    root(-1)\nexcept ValueError as e:\n    assert 'negative' in str(e)\nelse:\n"
     "    raise AssertionError('no exception')\n"),
    ("assert_try_flag", "root", "def root(x):", ROOT, ROOT_SILENT, "raised = False\ntry:\n    root(-1)\nexcept ValueError:\n    raised = True\nassert raised\n"
     "assert root(9) == 3\n"),
    ("assert_raises_bare", "root", "def root(x):", ROOT, ROOT_SILENT, "import pytest\nwith pytest.raises(ValueError):\n    root(-1)\nassert root(1) == 1\n"),
    ("assert_in_place", "rotate", "def rotate(xs, k):", "def rotate(xs, k):\n    k %= len(xs)\n"
     "    xs[:] = xs[-k:] + xs[:-k]\n", "def rotate(xs, k):\n    k %= len(xs)\n    xs = xs[-k:] + xs[:-k]\n",
     "xs = [1, 2, 3]\nrotate(xs, 1)\nassert xs == [3, 1, 2]\nassert rotate([1], 0) is None\n"),
    ("assert_argument_kept", "smallest", "def smallest(xs):", "def smallest(xs):\n"
     "    return sorted(xs)[0]\n", "def smallest(xs):\n    xs.sort()\n    return xs[0]\n",
     "xs = [3, 1, 2]\nassert smallest(xs) == 1\nassert xs == [3, 1, 2]\n"),
    ("assert_argument_copied", "smallest", "def smallest(xs):", "def smallest(xs):\n"
     "    return sorted(xs)[0]\n", "def smallest(xs):\n    return xs.pop(xs.index(min(xs)))\n",
     "import copy\nxs = [[3], [1], [2]]\nbefore = copy.deepcopy(xs)\nassert smallest(xs) == [1]\nassert xs == before\nassert smallest(xs[:]) == [1]\n"),
    ("assert_generator", "fib", "def fib():", "def fib():\n    a, b = 0, 1\n    while True:\n        yield a\n"
     "        a, b = b, a + b\n", "def fib():\n    a, b = 1, 1\n    while True:\n        yield a\n        a, b = b, a + b\n",
     "from itertools import islice\nassert list(islice(fib(), 6)) == [0, 1, 1, 2, 3, 5]\ng = fib()\nassert [next(g), next(g)] == [0, 1]\n"
     "assert iter(g) == g\n"),
    ("assert_generator_ends", "chunks", "def chunks(xs, n):", "def chunks(xs, n):\n    for i in range(0, len(xs), n):\n"
     "        yield xs[i:i + n]\n", "def chunks(xs, n):\n    for i in range(0, len(xs) - n + 1, n):\n        yield xs[i:i + n]\n",
     "assert list(chunks([1, 2, 3], 2)) == [[1, 2], [3]]\nassert next(chunks([], 2), None) is None\nassert sum(map(len, chunks('abcde', 2))) == 5\n"),
    ("assert_if_main", "add", "def add(a, b):", ADD, ADD_WRONG, "def test_add():\n    assert add(1, 2) == 3\n\nif __name__ == '__main__':\n    import pytest\n"
     "    pytest.main([__file__])\n"),
    ("assert_print_between", "add", "def add(a, b):", ADD, ADD_WRONG, "print('testing add')\nassert add(1, 2) == 3\nprint('first passed')\n"
     "assert add(2, 2) == 4\nprint('All tests passed!')\n"),
    ("assert_function_called", "add", "def add(a, b):", ADD, ADD_WRONG, "def run_tests():\n    assert add(1, 2) == 3\n    assert add(0, 0) == 0\n"
     "    print('ok')\n\nrun_tests()\n"),

    # ---- imports in the text ----
    ("import_from_solution", "add", "def add(a, b):", ADD, ADD_WRONG, "from solution import add\n\nassert add(1, 2) == 3\n"),
    ("import_solution", "add", "def add(a, b):", ADD, ADD_WRONG, "import solution\n\ndef test_add():\n    assert solution.add(1, 2) == 3\n"),
    ("import_your_module", "add", "def add(a, b):", ADD, ADD_WRONG, "import pytest\nfrom your_module import add  # replace with the name of your module\n\n"
     "def test_add():\n    assert add(1, 2) == 3\n"),
    ("import_star_main", "add", "def add(a, b):", ADD, ADD_WRONG, "from main import *\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
    ("import_as", "add", "def add(a, b):", ADD, ADD_WRONG, "from solution import add as plus\n\ndef test_add():\n    assert plus(1, 2) == 3\n"
     "    assert plus('a', 'b') == 'ab'\n"),
    ("import_solution_as", "add", "def add(a, b):", ADD, ADD_WRONG, "import solution as s\nassert s.add(2, 2) == 4\n"),
    ("import_class", "twoSum", "def twoSum(self, nums, target):",
     "class Solution:\n    def twoSum(self, nums, target):\n        for i in range(len(nums)):\n            for j in range(i):\n"
     "                if nums[i] + nums[j] == target:\n                    return [j, i]\n",
     "class Solution:\n    def twoSum(self, nums, target):\n        for i in range(len(nums)):\n            for j in range(i + 1):\n"
     "                if nums[i] + nums[j] == target:\n                    return [j, i]\n",
     "from solution import Solution\n\ndef test_two_sum():\n    s = Solution()\n    assert s.twoSum([2, 7, 11, 15], 9) == [0, 1]\n"
     "    assert s.twoSum([3, 2, 4], 6) == [1, 2]\n"),

    # ---- pytest ----
    ("pytest_function", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "def test_empty():\n    assert total([]) == 0\n\ndef test_many():\n"
     "    assert total([1, 2, 3]) == 6\n"),
    ("pytest_locals", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "def test_total():\n    xs = [4, 5]\n    expected = 9\n    result = total(xs)\n"
     "    assert result == expected, 'wrong sum'\n"),
    ("pytest_class", "rev", "def rev(s):", REV, REV_WRONG, "class TestRev:\n    word = 'abc'\n\n    def test_empty(self):\n        assert rev('') == ''\n\n"
     "    def test_word(self):\n        assert rev(self.word) == 'cba'\n"),
    ("pytest_class_setup_method", "rev", "def rev(s):", REV, REV_WRONG,
     "class TestRev:\n    def setup_method(self):\n        self.word = 'ab'\n\n    def teardown_method(self):\n        self.word = None\n\n"
     "    def test_word(self):\n        assert rev(self.word) == 'ba'\n"),
    ("pytest_class_setup_class", "rev", "def rev(s):", REV, REV_WRONG, "class TestRev:\n    @classmethod\n    def setup_class(cls):\n"
     "        cls.words = ['ab', 'xyz']\n\n    def test_words(self):\n        for w in self.words:\n            assert rev(rev(w)) == w\n"
     "        assert [rev(w) for w in self.words] == ['ba', 'zyx']\n"),
    ("pytest_class_helper", "rev", "def rev(s):", REV, REV_WRONG, "class TestRev:\n    def check(self, s):\n        assert rev(s) == ''.join(reversed(s))\n\n"
     "    def test_all(self):\n        for s in ('', 'a', 'ab'):\n            self.check(s)\n"),
    ("pytest_class_static", "rev", "def rev(s):", REV, REV_WRONG, "class TestRev:\n    @staticmethod\n    def test_static():\n"
     "        assert rev('ab') == 'ba'\n"),
    ("pytest_parametrize", "add", "def add(a, b):", ADD, ADD_WRONG, "import pytest\n\n"
     "@pytest.mark.parametrize('a, b, want', [(1, 2, 3), (0, 0, 0), (-1, 1, 0)])\ndef test_add(a, b, want):\n    assert add(a, b) == want\n"),
    ("pytest_parametrize_ids", "rev", "def rev(s):", REV, REV_WRONG, "import pytest\n\n"
     "@pytest.mark.parametrize(('s', 'want'), [('', ''), ('ab', 'ba')], ids=['empty', 'two'])\ndef test_rev(s, want):\n    assert rev(s) == want\n"),
    ("pytest_parametrize_ids_function", "total", "def total(xs):", TOTAL, TOTAL_WRONG,
     "import pytest\n\n@pytest.mark.parametrize('xs', [[], [1], [1, 2]], ids=lambda xs: f'{len(xs)} numbers')\ndef test_total(xs):\n"
     "    assert total(xs) == sum(xs)\n"),
    ("pytest_parametrize_stacked", "add", "def add(a, b):", ADD, ADD_WRONG, "import pytest\n\n@pytest.mark.parametrize('a', [0, 1, 2])\n"
     "@pytest.mark.parametrize('b', [0, 5])\ndef test_add(a, b):\n    assert add(a, b) == a + b\n"),
    ("pytest_param_objects", "rev", "def rev(s):", REV, REV_WRONG, "import pytest\n\nCASES = [\n    pytest.param('', '', id='empty'),\n"
     "    pytest.param('ab', 'ba', id='two'),\n    ('abc', 'cba'),\n]\n\n"
     "@pytest.mark.parametrize('s, want', CASES)\ndef test_rev(s, want):\n    assert rev(s) == want\n"),
    ("pytest_parametrize_class", "rev", "def rev(s):", REV, REV_WRONG, "import pytest\n\n@pytest.mark.parametrize('s', ['', 'ab'])\nclass TestRev:\n"
     "    def test_twice(self, s):\n        assert rev(rev(s)) == s\n\n"
     "    def test_first(self, s):\n        assert rev(s)[:1] == s[-1:]\n"),
    ("pytest_parametrize_in_class", "add", "def add(a, b):", ADD, ADD_WRONG, "import pytest\n\nclass TestAdd:\n    @pytest.mark.parametrize('a,b,want', [\n"
     "        (1, 2, 3),\n        ('a', 'b', 'ab'),\n    ])\n    def test_add(self, a, b, want):\n"
     "        assert add(a, b) == want\n"),
    ("pytest_parametrize_exceptions", "root", "def root(x):", ROOT, ROOT_SILENT, "import pytest\n\n"
     "@pytest.mark.parametrize('x, error', [(-1, ValueError), ('a', TypeError)])\ndef test_errors(x, error):\n    with pytest.raises(error):\n"
     "        root(x)\n"),
    ("pytest_parametrize_comprehension", "square", "def square(x):", "def square(x):\n    return x * x\n", "def square(x):\n    return x ** 3\n",
     "import pytest\n\n@pytest.mark.parametrize('x, want', [(i, i ** 2) for i in range(5)])\ndef test_square(x, want):\n    assert square(x) == want\n"),
    ("pytest_many_marks", "add", "def add(a, b):", ADD, ADD_WRONG, "import pytest\nimport sys\n\n@pytest.mark.skipif(sys.version_info < (3, 0), reason='old')\n"
     "@pytest.mark.filterwarnings('ignore')\ndef test_add():\n    assert add(1, 2) == 3\n"),
    ("pytest_raises_match", "root", "def root(x):", ROOT, ROOT_WRONG_TEXT, "import pytest\n\ndef test_negative():\n"
     "    with pytest.raises(ValueError, match=r'must not be\\s+negative'):\n        root(-1)\n"),
    ("pytest_raises_kind", "root", "def root(x):", ROOT, ROOT_WRONG_KIND, "import pytest\n\ndef test_negative():\n    with pytest.raises(ValueError):\n"
     "        root(-1)\n\ndef test_root():\n    assert root(4) == 2\n"),
    ("pytest_raises_value", "root", "def root(x):", ROOT, ROOT_WRONG_TEXT, "import pytest\n\ndef test_negative():\n    with pytest.raises(ValueError) as e:\n"
     "        root(-1)\n    assert 'negative' in str(e.value)\n    assert e.type is ValueError\n"),
    ("pytest_raises_excinfo", "root", "def root(x):", ROOT, ROOT_WRONG_TEXT, "import pytest\n\ndef test_negative():\n"
     "    with pytest.raises(Exception) as excinfo:\n        root(-1)\n    assert str(excinfo.value) == 'x must not be negative'\n"),
    ("pytest_raises_several", "root", "def root(x):", ROOT, ROOT_SILENT, "import pytest\n\ndef test_negative():\n"
     "    with pytest.raises((ValueError, ArithmeticError)):\n        root(-1)\n"),
    ("pytest_raises_call", "root", "def root(x):", ROOT, ROOT_SILENT, "import pytest\n\ndef test_negative():\n    pytest.raises(ValueError, root, -1)\n"
     "    assert root(0) == 0\n"),
    ("pytest_raises_own_class", "parse", "def parse(s):", "class ParseError(Exception):\n    pass\ndef parse(s):\n    if not s.isdigit():\n"
     "        raise ParseError(s)\n    return int(s)\n",
     "class ParseError(Exception):\n    pass\ndef parse(s):\n"
     "    return int(s)\n", "import pytest\nfrom solution import ParseError, parse\n\ndef test_bad():\n    with pytest.raises(ParseError) as e:\n"
     "        parse('x')\n"
     "    assert e.value.args == ('x',)\n    assert isinstance(e.value, ParseError)\n\ndef test_good():\n    assert parse('12') == 12\n"),
    ("pytest_raises_exact_class", "lookup", "def lookup(d, k):", "def lookup(d, k):\n    if k not in d:\n        raise LookupError(k)\n"
     "    return d[k]\n", "def lookup(d, k):\n    return d[k]\n",
     "import pytest\n\ndef test_missing():\n    with pytest.raises(LookupError) as e:\n        lookup({}, 'a')\n    assert type(e.value) is LookupError\n"
     "    assert lookup({'a': 1}, 'a') == 1\n"),
    ("pytest_fail_in_try", "root", "def root(x):", ROOT, ROOT_SILENT, "import pytest\n\ndef test_negative():\n    try:\n        root(-1)\n"
     "    except ValueError:\n        return\n    pytest.fail('no ValueError')\n"),
    ("pytest_fixture", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "import pytest\n\n@pytest.fixture\ndef numbers():\n    return [1, 2, 3]\n\n"
     "def test_total(numbers):\n    assert total(numbers) == 6\n\ndef test_more(numbers):\n"
     "    numbers.append(4)\n    assert total(numbers) == 10\n"),
    ("pytest_fixture_of_fixture", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "import pytest\n\n@pytest.fixture\ndef small():\n    return [1, 2]\n\n"
     "@pytest.fixture()\ndef large(small):\n    return small * 10\n\n"
     "def test_total(small, large):\n    assert total(small) == 3\n    assert total(large) == 30\n"),
    ("pytest_fixture_yield", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "import pytest\n\nopen_now = []\n\n@pytest.fixture\ndef numbers():\n"
     "    open_now.append('numbers')\n"
     "    yield [5, 5]\n    open_now.remove('numbers')\n\n@pytest.fixture\ndef more(numbers):\n    yield numbers + [1]\n\ndef test_total(numbers):\n"
     "    assert open_now == ['numbers']\n"
     "    assert total(numbers) == 10\n\ndef test_more(more):\n    assert open_now == ['numbers']\n    assert total(more) == 11\n"),
    ("pytest_fixture_scope", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "import pytest\n\n@pytest.fixture(scope='module')\ndef primes():\n"
     "    return (2, 3, 5)\n\n"
     "@pytest.fixture(scope='session', name='evens')\ndef even_numbers():\n    return (2, 4)\n\ndef test_primes(primes):\n    assert total(primes) == 10\n\n"
     "def test_both(primes, evens):\n    assert total(primes + evens) == 16\n"),
    ("pytest_fixture_params", "rev", "def rev(s):", REV, REV_WRONG, "import pytest\n\n@pytest.fixture(params=[('', ''), ('ab', 'ba')])\ndef case(request):\n"
     "    return request.param\n\ndef test_rev(case):\n    text, want = case\n    assert rev(text) == want\n"),
    ("pytest_fixture_autouse", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "import pytest\n\nclass TestTotal:\n    @pytest.fixture(autouse=True)\n"
     "    def prepare(self):\n        self.xs = [2, 2]\n\n    def test_total(self):\n        assert total(self.xs) == 4\n"),
    ("pytest_fixture_and_parametrize", "add", "def add(a, b):", ADD, ADD_WRONG, "import pytest\n\n@pytest.fixture\ndef base():\n    return 10\n\n"
     "@pytest.mark.parametrize('k', [0, 1, 2])\ndef test_add(base, k):\n    assert add(base, k) == 10 + k\n"),
    ("pytest_fixture_returns_function", "add", "def add(a, b):", ADD, ADD_WRONG, "import pytest\n\n@pytest.fixture\ndef plus_one():\n"
     "    return lambda x: add(x, 1)\n\ndef test_add(plus_one):\n    assert plus_one(2) == 3\n"),
    ("pytest_setup_function", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "state = {}\n\ndef setup_function(function):\n    state['xs'] = [1, 1]\n\n"
     "def teardown_function(function):\n    state.clear()\n\ndef test_total():\n    assert total(state['xs']) == 2\n"),
    ("pytest_constants_and_helpers", "rev", "def rev(s):", REV, REV_WRONG, "WORDS = ('ab', 'level', '')\n\ndef expected(w):\n    return ''.join(reversed(w))\n"
     "\ndef test_words():\n    def one(w):\n        assert rev(w) == expected(w)\n    for w in WORDS:\n        one(w)\n"),
    ("pytest_sections", "add", "def add(a, b):", ADD, ADD_WRONG, "# Arrange, act, assert\nimport pytest\n\ndef test_add():\n    '''add(1, 2) gives 3'''\n"
     "    # Arrange\n    a, b = 1, 2\n    # Act\n    result = add(a, b)\n    # Assert\n    assert result == 3\n\n"
     "if __name__ == \"__main__\":\n    pytest.main([__file__, '-v'])\n"),
    ("pytest_test_calls_at_end", "add", "def add(a, b):", ADD, ADD_WRONG, "def test_add():\n    assert add(1, 2) == 3\n\ndef test_zero():\n"
     "    assert add(0, 0) == 0\n\ntest_add()\ntest_zero()\nprint('All tests passed')\n"),
    ("pytest_approx_inside", "mean", "def mean(xs):", "def mean(xs):\n    return sum(xs) / len(xs)\n", "def mean(xs):\n    return sum(xs) / (len(xs) + 1)\n",
     "import pytest\n\nclass TestMean:\n    def test_thirds(self):\n        assert mean([1, 1, 2]) == pytest.approx(1.3333, rel=1e-3)\n"
     "        assert {'m': mean([0.1] * 3)} == pytest.approx({'m': 0.1})\n"),
    ("pytest_capsys", "shout", "def shout(s):", "def shout(s):\n"
     "    print(s.upper() + '!')\n", "def shout(s):\n    print(s.upper())\n", "def test_shout(capsys):\n    shout('ab')\n"
     "    assert capsys.readouterr().out == 'AB!\\n'\n"),
    ("pytest_warns", "old", "def old(x):", "import warnings\ndef old(x):\n    warnings.warn('old', DeprecationWarning)\n"
     "    return x\n", "def old(x):\n    return x\n",
     "import pytest\n\ndef test_old():\n    with pytest.warns(DeprecationWarning):\n        assert old(1) == 1\n"),
    ("pytest_own_class_in_test", "area_sum", "def area_sum(shapes):", "def area_sum(shapes):\n"
     "    return sum(s.area() for s in shapes)\n", "def area_sum(shapes):\n    return max(s.area() for s in shapes)\n",
     "class Square:\n    def __init__(self, a):\n        self.a = a\n    def area(self):\n        return self.a ** 2\n\ndef test_sum():\n"
     "    assert area_sum([Square(1), Square(2)]) == 5\n"),

    # ---- unittest ----
    ("unittest_plain", "add", "def add(a, b):", ADD, ADD_WRONG, "import unittest\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n"
     "        self.assertEqual(add(1, 2), 3)\n        self.assertEqual(add(-1, 1), 0, 'zero')\n\n"
     "if __name__ == '__main__':\n    unittest.main()\n"),
    ("unittest_main_bare", "add", "def add(a, b):", ADD, ADD_WRONG, "import unittest\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n"
     "        self.assertEqual(add(1, 2), 3)\n\nunittest.main()\n"),
    ("unittest_main_arguments", "add", "def add(a, b):", ADD, ADD_WRONG, "import unittest\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n"
     "        self.assertEqual(add(1, 2), 3)\n\nif __name__ == '__main__':\n"
     "    unittest.main(argv=[''], verbosity=2, exit=False)\n"),
    ("unittest_set_up", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "import unittest\n\nclass TestTotal(unittest.TestCase):\n    def setUp(self):\n"
     "        self.xs = [1, 2, 3]\n\n    def tearDown(self):\n        self.xs = None\n\n"
     "    def test_total(self):\n        self.assertEqual(total(self.xs), 6)\n\n    def test_changed(self):\n        self.xs.append(4)\n"
     "        self.assertEqual(total(self.xs), 10)\n"),
    ("unittest_set_up_class", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "from unittest import TestCase, main\n\nclass TestTotal(TestCase):\n"
     "    @classmethod\n    def setUpClass(cls):\n        cls.cases = [([], 0), ([1, 2], 3)]\n\n"
     "    def test_cases(self):\n        for xs, want in self.cases:\n            self.assertEqual(total(xs), want)\n\nif __name__ == '__main__':\n"
     "    main()\n"),
    ("unittest_truth", "even", "def even(n):", "def even(n):\n"
     "    return n % 2 == 0\n", "def even(n):\n    return n % 4 == 0\n", "import unittest\n\nclass TestEven(unittest.TestCase):\n    def test_even(self):\n"
     "        self.assertTrue(even(2))\n"
     "        self.assertFalse(even(3))\n        self.assertIs(even(4), True)\n        self.assertIsNotNone(even(0))\n"),
    ("unittest_membership", "uniq", "def uniq(xs):", UNIQ, UNIQ_WRONG, "import unittest\n\nclass TestUniq(unittest.TestCase):\n    def test_uniq(self):\n"
     "        got = uniq([1, 2, 1])\n        self.assertIn(1, got)\n        self.assertNotIn(3, got)\n"
     "        self.assertCountEqual(got, [2, 1])\n        self.assertListEqual(got, [1, 2])\n        self.assertIsInstance(got, list)\n"
     "        self.assertEqual(len(got), 2)\n"),
    ("unittest_raises_context", "root", "def root(x):", ROOT, ROOT_SILENT, "import unittest\n\nclass TestRoot(unittest.TestCase):\n"
     "    def test_negative(self):\n        with self.assertRaises(ValueError) as cm:\n            root(-1)\n"
     "        self.assertIn('negative', str(cm.exception))\n"),
    ("unittest_raises_call", "root", "def root(x):", ROOT, ROOT_WRONG_KIND, "import unittest\n\nclass TestRoot(unittest.TestCase):\n"
     "    def test_negative(self):\n        self.assertRaises(ValueError, root, -1)\n        self.assertEqual(root(4), 2)\n"),
    ("unittest_raises_regex", "root", "def root(x):", ROOT, ROOT_WRONG_TEXT, "import unittest\n\nclass TestRoot(unittest.TestCase):\n"
     "    def test_negative(self):\n        with self.assertRaisesRegex(ValueError, 'not be negative'):\n            root(-1)\n"),
    ("unittest_almost", "root", "def root(x):", ROOT, "def root(x):\n"
     "    return round(x ** 0.5, 1)\n", "import unittest\n\nclass TestRoot(unittest.TestCase):\n    def test_two(self):\n"
     "        self.assertAlmostEqual(root(2), 1.4142136, places=5)\n"
     "        self.assertAlmostEqual(root(2), 1.41, delta=0.01)\n        self.assertNotAlmostEqual(root(2), 1.5)\n"),
    ("unittest_order", "clamp", "def clamp(x, lo, hi):", "def clamp(x, lo, hi):\n"
     "    return max(lo, min(x, hi))\n", "def clamp(x, lo, hi):\n    return min(x, hi)\n", "import unittest\n\nclass TestClamp(unittest.TestCase):\n"
     "    def test_clamp(self):\n        self.assertGreaterEqual(clamp(-5, 0, 3), 0)\n        self.assertLess(clamp(5, 0, 3), 4)\n"
     "        self.assertNotEqual(clamp(5, 0, 3), 5)\n"),
    ("unittest_sub_tests", "rev", "def rev(s):", REV, REV_WRONG, "import unittest\n\nclass TestRev(unittest.TestCase):\n    def test_all(self):\n"
     "        for text, want in [('', ''), ('ab', 'ba')]:\n            with self.subTest(text=text):\n"
     "                self.assertEqual(rev(text), want)\n"),
    ("unittest_plain_asserts", "rev", "def rev(s):", REV, REV_WRONG, "import unittest\n\nclass TestRev(unittest.TestCase):\n    def test_rev(self):\n"
     "        assert rev('ab') == 'ba'\n\n    def helper(self, s):\n        return rev(rev(s))\n\n"
     "    def test_helper(self):\n        self.assertEqual(self.helper('abc'), 'abc')\n"),
    ("unittest_collections", "group", "def group(words):", "def group(words):\n    out = {}\n    for w in words:\n"
     "        out.setdefault(len(w), set()).add(w)\n    return out\n", "def group(words):\n    return {len(w): {w} for w in words}\n",
     "import unittest\n\nclass TestGroup(unittest.TestCase):\n    maxDiff = None\n\n    def test_group(self):\n"
     "        self.assertDictEqual(group(['a', 'b', 'cc']), {1: {'a', 'b'}, 2: {'cc'}})\n        self.assertSetEqual(group(['x', 'y'])[1], {'x', 'y'})\n"
     "        self.assertTupleEqual(tuple(group([])), ())\n"),
    ("unittest_fail", "root", "def root(x):", ROOT, ROOT_SILENT, "import unittest\n\nclass TestRoot(unittest.TestCase):\n    def test_negative(self):\n"
     "        try:\n            root(-1)\n            self.fail('no ValueError')\n        except ValueError:\n            pass\n"),
    ("unittest_suite", "add", "def add(a, b):", ADD, ADD_WRONG, "import unittest\n\nclass Base(unittest.TestCase):\n    value = 1\n\n    def test_add(self):\n"
     "        self.assertEqual(add(self.value, 2), self.value + 2)\n\nclass Other(Base):\n    value = 5\n"),
    ("unittest_solution", "climb", "def climb(self, n):", "class Solution:\n    def climb(self, n):\n        a, b = 1, 1\n        for _ in range(n):\n"
     "            a, b = b, a + b\n        return a\n",
     "class Solution:\n    def climb(self, n):\n        return n\n", "import unittest\n\nclass TestSolution(unittest.TestCase):\n    def setUp(self):\n"
     "        self.solution = Solution()\n\n    def test_climb(self):\n"
     "        self.assertEqual(self.solution.climb(2), 2)\n        self.assertEqual(self.solution.climb(5), 8)\n"),

    # ---- doctest, check, tuples ----
    ("doctest_lines", "add", "def add(a, b):", ADD, ADD_WRONG, ">>> add(1, 2)\n3\n>>> add('a', 'b')\n'ab'\n"),
    ("doctest_many_kinds", "uniq", "def uniq(xs):", UNIQ, UNIQ_WRONG, ">>> uniq([1, 2, 1])\n[1, 2]\n>>> xs = ['b', 'a', 'b']\n>>> uniq(xs)\n['b', 'a']\n"
     ">>> len(uniq([0] * 5))\n1\n>>> uniq([]) == []\nTrue\n"),
    ("doctest_prose", "rev", "def rev(s):", REV, REV_WRONG, "The function turns a text around:\n\n>>> rev('ab')\n'ba'\n\nAn empty text stays empty:\n\n"
     ">>> rev('')\n''\n"),
    ("doctest_raises", "root", "def root(x):", ROOT, ROOT_SILENT, ">>> root(4)\n2.0\n>>> root(-1)\nTraceback (most recent call last):\n    ...\n"
     "ValueError: x must not be negative\n"),
    ("doctest_loop", "square", "def square(x):", "def square(x):\n"
     "    return x * x\n", "def square(x):\n    return x + x\n", ">>> for i in range(4):\n...     print(square(i))\n0\n1\n4\n9\n"),
    ("check_called", "add", "def add(a, b):", ADD, ADD_WRONG, "def check(candidate):\n    assert candidate(1, 2) == 3\n"
     "    assert candidate(0, 0) == 0, 'zeros'\n\ncheck(add)\n"),
    ("check_not_called", "add", "def add(a, b):", ADD, ADD_WRONG, "METADATA = {'author': 'jt', 'dataset': 'test'}\n\n\ndef check(candidate):\n"
     "    assert candidate(1, 2) == 3\n    assert candidate(-5, 5) == 0\n"),
    ("check_loops", "root", "def root(x):", ROOT, "def root(x):\n"
     "    return x / 2\n", "import math\nimport random\n\ndef check(candidate):\n    rng = random.Random(1)\n    for _ in range(100):\n"
     "        x = rng.uniform(0, 1000)\n"
     "        assert math.isclose(candidate(x) ** 2, x, rel_tol=1e-6)\n    assert abs(candidate(2.0) - 1.4142) < 1e-3\n"
     "    assert True, 'This prints if this assert fails'\n"),
    ("tuples_flat", "add", "def add(a, b):", ADD, ADD_WRONG, "[(1, 2, 3), (0, 0, 0), (-1, 1, 0)]"),
    ("tuples_nested", "add", "def add(a, b):", ADD, ADD_WRONG, "[((1, 2), 3), ((0, 0), 0)]"),
    ("tuples_nested_one", "square", "def square(x):", "def square(x):\n    return x * x\n", "def square(x):\n    return x * 2\n", "[((3,), 9), ((0,), 0)]"),
    ("tuples_lines", "total", "def total(xs):", TOTAL, TOTAL_WRONG, "([1, 2], 3)\n([], 0)\n([5], 5)\n"),
    ("tuples_named", "rev", "def rev(s):", REV, REV_WRONG, "test_cases = [\n    ('ab', 'ba'),\n    ('', ''),\n    ('(,)', '),('),\n]\n"),
    ("tuples_and_loop", "add", "def add(a, b):", ADD, ADD_WRONG, "tests = [((1, 2), 3), ((4, 5), 9)]\nfor args, want in tests:\n"
     "    assert add(*args) == want, (args, want)\n"),
    ("lists_flat", "add", "def add(a, b):", ADD, ADD_WRONG, "[[1, 2, 3], [0, 0, 0], [4, 5, 9], [-1, 1, 0]]"),
    ("lists_json", "add", "def add(a, b):", ADD, ADD_WRONG, "[{\"input\": [1, 2], \"output\": 3}, {\"input\": [0, 5], \"output\": 5}]"),
    ("dicts_and_loop", "add", "def add(a, b):", ADD, ADD_WRONG, "tests = [{'a': 1, 'b': 2, 'want': 3}, {'a': 0, 'b': 0, 'want': 0}]\nfor t in tests:\n"
     "    assert add(t['a'], t['b']) == t['want'], t\n"),

    # ---- classes with sequences of calls ----
    ("class_min_stack", "MinStack", None,
     "class MinStack:\n    def __init__(self):\n        self.xs = []\n    def push(self, x):\n"
     "        self.xs.append((x, min(x, self.xs[-1][1]) if self.xs else x))\n    def pop(self):\n        self.xs.pop()\n"
     "    def top(self):\n        return self.xs[-1][0]\n    def getMin(self):\n        return self.xs[-1][1]\n",
     "class MinStack:\n    def __init__(self):\n        self.xs, self.low = [], None\n    def push(self, x):\n        self.xs.append(x)\n"
     "        self.low = x if self.low is None else min(x, self.low)\n    def pop(self):\n        self.xs.pop()\n"
     "    def top(self):\n        return self.xs[-1]\n    def getMin(self):\n        return self.low\n",
     "s = MinStack()\ns.push(-2)\ns.push(0)\ns.push(-3)\nassert s.getMin() == -3\ns.pop()\nassert s.top() == 0\nassert s.getMin() == -2\n"),
    ("class_lru_cache", "LRUCache", None,
     "from collections import OrderedDict\nclass LRUCache:\n    def __init__(self, n):\n        self.n, self.d = n, OrderedDict()\n    def get(self, k):\n"
     "        if k not in self.d:\n            return -1\n        self.d.move_to_end(k)\n"
     "        return self.d[k]\n    def put(self, k, v):\n        self.d[k] = v\n        self.d.move_to_end(k)\n        if len(self.d) > self.n:\n"
     "            self.d.popitem(last=False)\n",
     "from collections import OrderedDict\nclass LRUCache:\n    def __init__(self, n):\n        self.n, self.d = n, OrderedDict()\n    def get(self, k):\n"
     "        return self.d.get(k, -1)\n    def put(self, k, v):\n        self.d[k] = v\n"
     "        if len(self.d) > self.n:\n            self.d.popitem(last=False)\n",
     "def test_lru():\n    c = LRUCache(2)\n    c.put(1, 1)\n    c.put(2, 2)\n    assert c.get(1) == 1\n    c.put(3, 3)\n    assert c.get(2) == -1\n"
     "    assert c.get(1) == 1\n    assert c.get(3) == 3\n"),
    ("class_trie", "Trie", None,
     "class Trie:\n    def __init__(self):\n        self.words = set()\n    def insert(self, w):\n        self.words.add(w)\n    def search(self, w):\n"
     "        return w in self.words\n"
     "    def startsWith(self, p):\n        return any(w.startswith(p) for w in self.words)\n",
     "class Trie:\n    def __init__(self):\n        self.words = set()\n    def insert(self, w):\n        self.words.add(w)\n    def search(self, w):\n"
     "        return any(o.startswith(w) for o in self.words)\n"
     "    def startsWith(self, p):\n        return any(w.startswith(p) for w in self.words)\n",
     "import unittest\n\nclass TestTrie(unittest.TestCase):\n    def test_trie(self):\n        trie = Trie()\n        trie.insert('apple')\n"
     "        self.assertTrue(trie.search('apple'))\n        self.assertFalse(trie.search('app'))\n"
     "        self.assertTrue(trie.startsWith('app'))\n        trie.insert('app')\n        self.assertTrue(trie.search('app'))\n"),
    ("class_calls_as_lists", "Counter2", None, "class Counter2:\n    def __init__(self, start):\n        self.n = start\n    def up(self, k):\n"
     "        self.n += k\n        return self.n\n    def value(self):\n        return self.n\n",
     "class Counter2:\n    def __init__(self, start):\n        self.n = 0\n    def up(self, k):\n        self.n += k\n        return self.n\n"
     "    def value(self):\n        return self.n\n",
     "names = ['up', 'up', 'value']\nargs = [[1], [2], []]\nwant = [6, 8, 8]\nc = Counter2(5)\n"
     "assert [getattr(c, n)(*a) for n, a in zip(names, args)] == want\n"),
    ("class_iterator", "Zigzag", None, "class Zigzag:\n    def __init__(self, a, b):\n        self.rows = [list(a), list(b)]\n    def __iter__(self):\n"
     "        return self\n    def __next__(self):\n        rows = [r for r in self.rows if r]\n"
     "        if not rows:\n            raise StopIteration\n        first = rows[0]\n        x = first.pop(0)\n"
     "        self.rows = [r for r in self.rows if r is not first] + [first]\n        return x\n",
     "class Zigzag:\n    def __init__(self, a, b):\n        self.xs = list(a) + list(b)\n    def __iter__(self):\n        return iter(self.xs)\n",
     "import pytest\n\ndef test_zigzag():\n    assert list(Zigzag([1, 2], [3, 4, 5])) == [1, 3, 2, 4, 5]\n\ndef test_next():\n    z = Zigzag([1], [])\n"
     "    assert next(z) == 1\n    with pytest.raises(StopIteration):\n        next(z)\n"),
    ("class_queue_by_stacks", "MyQueue", None, "class MyQueue:\n    def __init__(self):\n        self.a, self.b = [], []\n    def push(self, x):\n"
     "        self.a.append(x)\n    def peek(self):\n        if not self.b:\n            while self.a:\n                self.b.append(self.a.pop())\n"
     "        return self.b[-1]\n    def pop(self):\n        self.peek()\n        return self.b.pop()\n    def empty(self):\n"
     "        return not (self.a or self.b)\n",
     "class MyQueue:\n    def __init__(self):\n        self.a = []\n    def push(self, x):\n        self.a.append(x)\n    def peek(self):\n"
     "        return self.a[-1]\n    def pop(self):\n        return self.a.pop()\n    def empty(self):\n        return not self.a\n",
     "q = MyQueue()\nq.push(1)\nq.push(2)\nassert q.peek() == 1\nassert q.pop() == 1\nassert q.empty() is False\nassert q.pop() == 2\nassert q.empty()\n"),
    ("class_operators", "Money", None, "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n    def __add__(self, o):\n"
     "        return Money(self.cents + o.cents)\n    def __eq__(self, o):\n        return self.cents == o.cents\n"
     "    def __lt__(self, o):\n        return self.cents < o.cents\n    def __str__(self):\n        return f'{self.cents // 100}.{self.cents % 100:02d}'\n",
     "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n    def __add__(self, o):\n        return Money(self.cents + o.cents)\n"
     "    def __eq__(self, o):\n        return self.cents == o.cents\n"
     "    def __lt__(self, o):\n        return self.cents < o.cents\n    def __str__(self):\n        return f'{self.cents // 100}.{self.cents % 100}'\n",
     "assert Money(1) + Money(2) == Money(3)\nassert Money(1) < Money(2)\nassert str(Money(150)) == '1.50'\nassert str(Money(105)) == '1.05'\n"
     "assert sorted([Money(2), Money(1)])[0].cents == 1\n"),
    ("class_property_and_error", "Account", None, "class Account:\n    def __init__(self):\n        self._n = 0\n    @property\n    def balance(self):\n"
     "        return self._n\n    def pay(self, k):\n        if k <= 0:\n            raise ValueError('amount')\n        self._n += k\n",
     "class Account:\n    def __init__(self):\n        self._n = 0\n    @property\n    def balance(self):\n        return self._n\n    def pay(self, k):\n"
     "        self._n += k\n",
     "import pytest\n\n@pytest.fixture\ndef account():\n    return Account()\n\ndef test_pay(account):\n    account.pay(5)\n    account.pay(1)\n"
     "    assert account.balance == 6\n\n@pytest.mark.parametrize('bad', [0, -1])\n"
     "def test_bad(account, bad):\n    with pytest.raises(ValueError):\n        account.pay(bad)\n    assert account.balance == 0\n"),
    ("class_context_manager", "Timer", None, "class Timer:\n    def __init__(self, log):\n        self.log = log\n    def __enter__(self):\n"
     "        self.log.append('start')\n        return self\n    def __exit__(self, *a):\n        self.log.append('stop')\n        return False\n",
     "class Timer:\n    def __init__(self, log):\n        self.log = log\n    def __enter__(self):\n        self.log.append('start')\n        return self\n"
     "    def __exit__(self, *a):\n        self.log.append('stop')\n        return True\n",
     "import pytest\nlog = []\nwith Timer(log) as t:\n    log.append('work')\nassert log == ['start', 'work', 'stop']\nwith pytest.raises(KeyError):\n"
     "    with Timer(log):\n        raise KeyError('k')\nassert log[-1] == 'stop'\n"),
    ("class_static_and_class_methods", "Temperature", None,
     "class Temperature:\n    def __init__(self, c):\n        self.c = c\n    @classmethod\n    def from_f(cls, f):\n        return cls((f - 32) * 5 / 9)\n"
     "    @staticmethod\n    def valid(c):\n        return c >= -273.15\n",
     "class Temperature:\n    def __init__(self, c):\n        self.c = c\n    @classmethod\n    def from_f(cls, f):\n        return cls(f - 32 * 5 / 9)\n"
     "    @staticmethod\n    def valid(c):\n        return c >= -273.15\n",
     "assert Temperature.from_f(212).c == 100\nassert Temperature.from_f(32).c == 0\nassert Temperature.valid(0)\nassert not Temperature.valid(-300)\n"
     "assert isinstance(Temperature.from_f(0), Temperature)\n"),
    ("class_instances_apart", "Bag", None, "class Bag:\n    def __init__(self, xs=None):\n        self.xs = list(xs or [])\n    def add(self, x):\n"
     "        self.xs.append(x)\n    def __len__(self):\n        return len(self.xs)\n",
     "class Bag:\n    def __init__(self, xs=[]):\n        self.xs = xs\n    def add(self, x):\n        self.xs.append(x)\n    def __len__(self):\n"
     "        return len(self.xs)\n",
     "def test_apart():\n    a, b = Bag(), Bag()\n    a.add(1)\n    assert len(a) == 1\n    assert len(b) == 0\n"),
    ("class_tests_without_self", "Stack", None, "class Stack:\n    def __init__(self):\n        self.xs = []\n    def push(self, x):\n"
     "        self.xs.append(x)\n        return self\n    def pop(self):\n        return self.xs.pop()\n",
     "class Stack:\n    def __init__(self):\n        self.xs = []\n    def push(self, x):\n        self.xs.append(x)\n        return self\n    def pop(self):\n"
     "        return self.xs.pop(0)\n",
     "class TestStack:\n    def test_chain(self):\n        s = Stack().push(1).push(2)\n        assert s.pop() == 2\n\n    def test_empty(self):\n"
     "        try:\n            Stack().pop()\n        except IndexError:\n            pass\n        else:\n            assert False\n"),
    ("solution_in_place", "moveZeroes", "def moveZeroes(self, nums):", "class Solution:\n    def moveZeroes(self, nums):\n"
     "        nums.sort(key=lambda x: x == 0)\n", "class Solution:\n    def moveZeroes(self, nums):\n        nums.sort(reverse=True)\n",
     "nums = [0, 1, 0, 3, 12]\nSolution().moveZeroes(nums)\nassert nums == [1, 3, 12, 0, 0]\n"),
    ("solution_linked_list", "merge", "def merge(self, a, b):",
     "class ListNode:\n    def __init__(self, val=0, next=None):\n        self.val, self.next = val, next\nclass Solution:\n    def merge(self, a, b):\n"
     "        if not a or not b:\n            return a or b\n"
     "        if a.val > b.val:\n            a, b = b, a\n        a.next = self.merge(a.next, b)\n        return a\n",
     "class ListNode:\n    def __init__(self, val=0, next=None):\n        self.val, self.next = val, next\nclass Solution:\n    def merge(self, a, b):\n"
     "        if not a or not b:\n            return None\n"
     "        if a.val > b.val:\n            a, b = b, a\n        a.next = self.merge(a.next, b)\n        return a\n",
     "from solution import ListNode, Solution\n\ndef build(xs):\n    head = None\n    for x in reversed(xs):\n        head = ListNode(x, head)\n"
     "    return head\n\ndef values(node):\n    out = []\n    while node:\n        out.append(node.val)\n"
     "        node = node.next\n    return out\n\ndef test_merge():\n    assert values(Solution().merge(build([1, 4]), build([2, 3]))) == [1, 2, 3, 4]\n"
     "    assert Solution().merge(None, None) is None\n    assert values(Solution().merge(build([]), build([1]))) == [1]\n"),
    ("solution_tree", "depth", "def depth(self, root):",
     "class TreeNode:\n    def __init__(self, val=0, left=None, right=None):\n        self.val, self.left, self.right = val, left, right\nclass Solution:\n"
     "    def depth(self, root):\n"
     "        return 1 + max(self.depth(root.left), self.depth(root.right)) if root else 0\n",
     "class TreeNode:\n    def __init__(self, val=0, left=None, right=None):\n        self.val, self.left, self.right = val, left, right\nclass Solution:\n"
     "    def depth(self, root):\n"
     "        return 1 + self.depth(root.left) if root else 0\n",
     "root = TreeNode(1)\nroot.right = TreeNode(2, TreeNode(3))\nassert Solution().depth(root) == 3\nassert Solution().depth(None) == 0\n"
     "assert Solution().depth(TreeNode(5)) == 1\n"),

    # ---- larger mixtures ----
    ("mixed_asserts_and_functions", "add", "def add(a, b):", ADD, ADD_WRONG, "assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(0, 0) == 0\n\n"
     "class TestMore:\n    def test_negative(self):\n        assert add(-1, -1) == -2\n"),
    ("mixed_unittest_and_pytest", "root", "def root(x):", ROOT, ROOT_SILENT, "import unittest\nimport pytest\n\ndef test_plain():\n    assert root(4) == 2\n\n"
     "class T(unittest.TestCase):\n    def test_negative(self):\n        with pytest.raises(ValueError):\n            root(-1)\n"),
    ("mixed_mock", "fetch_all", "def fetch_all(get, names):", "def fetch_all(get, names):\n"
     "    return {n: get(n) for n in names}\n", "def fetch_all(get, names):\n    return {n: get(n) or get(n) for n in names}\n",
     "from unittest.mock import Mock\n\ndef test_calls():\n    get = Mock(side_effect=[1, 0])\n    assert fetch_all(get, ['a', 'b']) == {'a': 1, 'b': 0}\n"
     "    assert get.call_count == 2\n"),
    ("mixed_properties", "sort", "def sort(xs):", "def sort(xs):\n    return sorted(xs)\n", "def sort(xs):\n    return list(reversed(xs))\n",
     "import random\nfrom collections import Counter\n\ndef test_properties():\n    rng = random.Random(3)\n    for n in range(20):\n"
     "        xs = [rng.randrange(10) for _ in range(n)]\n        ys = sort(xs)\n        assert Counter(ys) == Counter(xs)\n"
     "        assert all(a <= b for a, b in zip(ys, ys[1:]))\n        assert sort(ys) == ys\n"),
    ("mixed_time_limit", "fib", "def fib(n):", "def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n"
     "    return a\n", "def fib(n):\n    a, b = 1, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n",
     "import time\n\ndef test_fast():\n    start = time.time()\n    assert fib(1000) % 10 == 5\n    assert time.time() - start < 5\n\ndef test_small():\n"
     "    assert [fib(i) for i in range(6)] == [0, 1, 1, 2, 3, 5]\n"),
    ("mixed_stdout_redirected", "shout", "def shout(s):", "def shout(s):\n    print(s.upper())\n", "def shout(s):\n    return s.upper()\n",
     "import io\nfrom contextlib import redirect_stdout\n\nout = io.StringIO()\nwith redirect_stdout(out):\n    shout('ab')\n"
     "assert out.getvalue() == 'AB\\n'\n"),
    ("mixed_typing_and_main", "add", "def add(a, b):", ADD, ADD_WRONG, "from typing import List, Tuple\n\n"
     "CASES: List[Tuple[int, int, int]] = [(1, 2, 3), (0, 0, 0)]\n\ndef test_cases() -> None:\n    for a, b, want in CASES:\n        assert add(a, b) == want\n"
     "\n\n"
     "def main() -> None:\n    test_cases()\n    print('done')\n\n\nif __name__ == '__main__':\n    main()\n"),
    ("mixed_recursion_helper", "flatten", "def flatten(xs):", "def flatten(xs):\n    out = []\n    for x in xs:\n"
     "        out += flatten(x) if isinstance(x, list) else [x]\n"
     "    return out\n", "def flatten(xs):\n    out = []\n    for x in xs:\n        out += x if isinstance(x, list) else [x]\n    return out\n",
     "def nest(n):\n    return [n, nest(n - 1)] if n else []\n\ndef test_flatten():\n    assert flatten(nest(3)) == [3, 2, 1]\n    assert flatten([]) == []\n"
     "    assert flatten([[['a']], 'b']) == ['a', 'b']\n"),
    ("mixed_generator_functions", "running", "def running(xs):", "def running(xs):\n    t = 0\n    for x in xs:\n        t += x\n"
     "        yield t\n", "def running(xs):\n    t = 0\n    for x in xs:\n        yield t\n        t += x\n",
     "def numbers(n):\n    for i in range(1, n + 1):\n        yield i\n\ndef test_running():\n    assert list(running(numbers(4))) == [1, 3, 6, 10]\n"
     "    it = running([5])\n    assert next(it) == 5\n    assert next(it, None) is None\n"),
]
