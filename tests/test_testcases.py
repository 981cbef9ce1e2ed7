"A corpus of what models write, and properties of the reader"
import subprocess, sys, time
import pytest
from hypothesis import given, settings, strategies as st
from chained_adv.core import Problem, ProblemError, TestCase, describe_test
from chained_adv.testcases import MAX_CASES, ParsedTests, Rejected, baseline_cases, parse_tests

TWO, ONE, NONE = "def f(a, b):", "def f(self, xs: list) -> int:", "def f():"
def read(text, signature=TWO): return parse_tests(text, "f", signature)
def shown(text, signature=TWO): return [describe_test(t) for t in read(text, signature).cases]

GOOD = [
    # tuples
    ("([1, 2], 3, True)", TWO, ["f([1, 2], 3) == True"]),
    ("[([1, 2], 3, True), ([], 0, False)]", TWO, ["f([1, 2], 3) == True", "f([], 0) == False"]),
    ("# 25 64\n(3, 4, 25)\n# and\n(8, 0, 64) # eight", TWO, ["f(3, 4) == 25", "f(8, 0) == 64"]),
    ("(1, 2, 3),\n(4, 5, 6),\n", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(1, 2, 3), (4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[1, 2, 3]\n[4, 5, 6]", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[[1, 2, 3], [4, 5, 6]]", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[[2, 7], 9, [0, 1]]", TWO, ["f([2, 7], 9) == [0, 1]"]),
    ("[[[2, 7], 9], [0, 1]]", TWO, ["f([2, 7], 9) == [0, 1]"]),
    ("(([2, 7], 9), [0, 1])", TWO, ["f([2, 7], 9) == [0, 1]"]),
    ("([5], 25)", ONE, ["f([5]) == 25"]),
    ("5, 25\n6, 36", ONE, ["f(5) == 25", "f(6) == 36"]),
    ("((1, 2), (3, 4))", ONE, ["f((1, 2)) == (3, 4)"]),
    ("[[1, 2], [2, 1]]", ONE, ["f([1, 2]) == [2, 1]"]),
    ("((1, 2), 3)", None, ["f((1, 2)) == 3"]),
    ("(3,)", NONE, ["f() == 3"]),
    ("tests = [\n    (1, 2, 3),\n    (4, 5, 6),\n]", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(-1, +2, -3.5)\n('a', \"b\", 'a\\'b')\n({'k': [1]}, {1, 2}, None)", TWO, ["f(-1, 2) == -3.5", "f('a', 'b') == \"a'b\"", "f({'k': [1]}, {1, 2}) == None"]),
    ("(set(), float('inf'), [0] * 3)\n('a' * 3, 10**9, 2**10 - 1)", TWO, ["f(set(), inf) == [0, 0, 0]", "f('aaa', 1000000000) == 1023"]),
    ("(list(range(3)), [i * i for i in range(3)], true)", TWO, ["f([0, 1, 2], [0, 1, 4]) == True"]),
    ("([1,\n  2],\n 3,\n True)", TWO, ["f([1, 2], 3) == True"]),
    ("('(', ')', '# no comment')", TWO, ["f('(', ')') == '# no comment'"]),
    # asserts
    ("assert f(1, 2) == 3", TWO, ["f(1, 2) == 3"]),
    ("assert 3 == f(1, b=2), 'msg'", TWO, ["f(1, b=2) == 3"]),
    ("assert Solution().f([1]) == 1\ns = Solution()\nassert s.f([2]) == 2\nassert solution.f([3]) == 3", ONE, ["f([1]) == 1", "f([2]) == 2", "f([3]) == 3"]),
    ("assert f(1, 2)\nassert not f(1, 2)\nassert f(1, 2) is None\nassert f(1, 2) is False", TWO, ["f(1, 2)", "not f(1, 2)", "f(1, 2) == None", "f(1, 2) == False"]),
    ("assert f(1, 2) == 3 and f(2, 3) == 5", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("assert abs(f(1, 2) - 3) < 1e-6\nassert 0.1 >= abs(3 - f(1, 2))\nassert math.isclose(f(1, 2), 3.0, rel_tol=1e-3)\nassert f(1, 2) == pytest.approx(3.0)\nassert round(f(1, 2), 1) == 3.0", TWO, ["f(1, 2) ~ 3", "f(1, 2) ~ 3", "f(1, 2) ~ 3.0", "f(1, 2) ~ 3.0", "round(f(1, 2), 1) == 3.0"]),
    ("x = [1, 2]\nassert f(x, 2) == x", TWO, ["f([1, 2], 2) == [1, 2]"]),
    ("assert f(*[1, 2]) == 3\nassert f(**{'a': 1, 'b': 2}) == 3", TWO, ["f(1, 2) == 3", "f(a=1, b=2) == 3"]),
    ("f(1, 2) == 3", TWO, ["f(1, 2) == 3"]),
    # pytest
    ("def test_a():\n    '''doc'''\n    a, b = 1, 2\n    r = f(a, b)\n    assert r == 3\n    assert r is not None", TWO, ["f(1, 2) == 3", "f(1, 2) is not None"]),
    ("def test_a():\n    for a, b, e in [(1, 2, 3), (2, 3, 5)]:\n        assert f(a, b) == e", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("cases = [(1, 2, 3)]\ndef test_a():\n    for a, b, e in cases:\n        assert f(a, b) == e", TWO, ["f(1, 2) == 3"]),
    ("@pytest.mark.parametrize('a,b,e', [(1, 2, 3), pytest.param(2, 3, 5, id='x')])\ndef test_a(a, b, e):\n    assert f(a, b) == e", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("class TestF:\n    def test_a(self):\n        assert f(1, 2) == 3", TWO, ["f(1, 2) == 3"]),
    ("def test_a():\n    with pytest.raises(ValueError, match='no'):\n        f(1, 2)", TWO, ["f(1, 2) raises ValueError"]),
    ("def test_a():\n    pytest.raises(ValueError, f, 1, 2)", TWO, ["f(1, 2) raises ValueError"]),
    ("def test_a():\n    assert f(1, 2) == 3\ndef test_b():\n    assert f(2, 3) ==", TWO, ["f(1, 2) == 3"]),
    # views: what is done with the result before it is judged
    ("assert sorted(f(1, 2)) == [1, 2]\nassert len(f(1, 2)) == 2\nassert f(1, 2)[0] == 3\nassert f(1, 2)[-1][1:] == [4]\nassert set(f(1, 2)) == {1}", TWO, ["sorted(f(1, 2)) == [1, 2]", "len(f(1, 2)) == 2", "f(1, 2)[0] == 3", "f(1, 2)[-1][1:] == [4]", "set(f(1, 2)) == {1}"]),
    ("assert f(1, 2) != 3\nassert f(1, 2) > 0\nassert 1 < f(1, 2) <= 3\nassert f(1, 2) in (1, 2)\nassert 'a' not in f(1, 2)\nassert f(1, 2) is not None", TWO, ["f(1, 2) != 3", "f(1, 2) > 0", "1 < f(1, 2) <= 3", "f(1, 2) in (1, 2)", "'a' not in f(1, 2)", "f(1, 2) is not None"]),
    ("assert isinstance(f(1, 2), (int, float))\nassert type(f(1, 2)) is int\nassert type(f(1, 2)) == type(3)\nassert isinstance(f(1, 2), int | str)", TWO, ["isinstance(f(1, 2), (int, float))", "type(f(1, 2)) is int", "type(f(1, 2)) == type(3)", "isinstance(f(1, 2), int | str)"]),
    ("assert all(v > 0 for v in f(1, 2))\nassert [v * 2 for v in f(1, 2)] == [2]\nassert {k: len(k) for k in f(1, 2)} == {'a': 1}\nassert any(v for v in f(1, 2) if v)", TWO, ["all((v > 0 for v in f(1, 2)))", "[v * 2 for v in f(1, 2)] == [2]", "{k: len(k) for k in f(1, 2)} == {'a': 1}", "any((v for v in f(1, 2) if v))"]),
    ("k = 3\nr = f(1, 2)\nlow = min(r)\nassert low == k\nassert max(r) < k + 4\nassert not r[0]", TWO, ["min(f(1, 2)) == 3", "max(f(1, 2)) < 3 + 4", "not f(1, 2)[0]"]),
    ("a, b = f(1, 2)\nassert a == 3 and b == [4]\n(c, d), e = f(1, 2)\nassert d == 1", TWO, ["unpack(f(1, 2), 2)[0] == 3", "unpack(f(1, 2), 2)[1] == [4]", "unpack(unpack(f(1, 2), 2)[0], 2)[1] == 1"]),
    ("assert f(1, 2).lower().split() == ['a']\nassert f(1, 2).startswith('x')\nassert ''.join(f(1, 2)) == 'ab'\nassert list(map(str, f(1, 2))) == ['1']\nassert sorted(f(1, 2), key=len, reverse=True) == ['aa', 'b']", TWO,
        ["f(1, 2).lower().split() == ['a']", "f(1, 2).startswith('x')", "''.join(f(1, 2)) == 'ab'", "list(map(str, f(1, 2))) == ['1']", "sorted(f(1, 2), key=len, reverse=True) == ['aa', 'b']"]),
    ("assert f(1, 2) == sorted(f(1, 2))\nassert f(1, 2)[0] + f(1, 2)[1] == 3\nassert f(1, 2) % 7 == 3\nassert -f(1, 2) == 3\nassert abs(f(1, 2)[0] - .5) < 1e-3\nassert f(1, 2)['a'] == pytest.approx(1.5)", TWO,
        ["f(1, 2) == sorted(f(1, 2))", "(f(1, 2)[0] + f(1, 2)[1]) == 3", "(f(1, 2) % 7) == 3", "(-f(1, 2)) == 3", "f(1, 2)[0] ~ 0.5", "f(1, 2)['a'] ~ 1.5"]),
    ("assert [f(i, 1) for i in range(2)] == [5, 6]\nassert all(f(i, j) for i, j in [(1, 2), (3, 4)])\nassert (f(1, 2), f(3, 4)) == (5, 6)\nassert f(1, 2) == f(2, 1) == 3", TWO,
        ["f(0, 1) == 5", "f(1, 1) == 6", "f(1, 2)", "f(3, 4)", "f(1, 2) == 5", "f(3, 4) == 6", "f(1, 2) == 3", "f(2, 1) == 3"]),
    # names of the function, helpers of the text
    ("def check(candidate):\n    assert candidate(1, 2) == 3\n    x = [1]\n    assert candidate(x, b=2) == x\ncheck(f)", TWO, ["f(1, 2) == 3", "f([1], b=2) == [1]"]),
    ("candidate = f\nsol = Solution()\ng = sol.f\nassert candidate(1, 2) == 3\nassert g(2, 3) == 5", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("from solution import f as fun\nassert fun(1, 2) == 3", TWO, ["f(1, 2) == 3"]),
    ("def run_case(a, b, want=3):\n    assert f(a, b) == want\ndef test_all():\n    run_case(1, 2)\n    run_case(2, 3, want=5)\nrun_case(4, 5, 9)", TWO, ["f(1, 2) == 3", "f(2, 3) == 5", "f(4, 5) == 9"]),
    ("def test_a():\n    assert f(1, 2) == 3\nif __name__ == '__main__':\n    test_a()\n    unittest.main()", TWO, ["f(1, 2) == 3"]),
    ("@pytest.fixture\ndef sol():\n    return Solution()\n@pytest.fixture\ndef xs():\n    return [1]\ndef test_a(sol, xs):\n    assert sol.f(xs, 2) == 3", TWO, ["f([1], 2) == 3"]),
    ("def check_case(x):\n    assert f(x, 1) == x\ncheck_case(3)\ndef test_it(solution):\n    assert solution(1, 2) == 3", TWO, ["f(3, 1) == 3", "f(1, 2) == 3"]),
    ("def run(func, cases):\n    for a, b, want in cases:\n        assert func(a, b) == want\nrun(f, [(1, 2, 3), (2, 3, 5)])", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("class TestF:\n    cases = [(1, 2, 3)]\n    def setup_method(self):\n        self.sol = Solution()\n    def test_a(self):\n        for a, b, want in self.cases:\n            assert self.sol.f(a, b) == want", TWO, ["f(1, 2) == 3"]),
    # unittest
    ("class T(unittest.TestCase):\n    def setUp(self):\n        self.s = Solution()\n        self.x = [1]\n    def test_a(self):\n        self.assertEqual(self.s.f(self.x, 2), 3)\n        self.assertTrue(f(1, 2))\n        self.assertFalse(f(1, 2))\n        self.assertIsNone(f(1, 2))\n        self.assertIn(3, f(1, 2))\n        self.assertAlmostEqual(f(1, 2), 0.5, places=3)\n        self.assertRaises(ValueError, f, 1, 2)\n        with self.assertRaises(KeyError):\n            f(1, 3)\n        self.assertCountEqual(f(1, 2), [2, 1])\n        self.assertIsInstance(f(1, 2), list)\n        self.assertGreater(f(1, 2), 0)\n        for a in (1, 2):\n            with self.subTest(a=a):\n                self.assertNotEqual(f(a, 2), a)", TWO,
        ["f([1], 2) == 3", "f(1, 2)", "not f(1, 2)", "f(1, 2) == None", "3 in f(1, 2)", "f(1, 2) ~ 0.5", "f(1, 2) raises ValueError", "f(1, 3) raises KeyError", "sorted(f(1, 2)) == [1, 2]", "isinstance(f(1, 2), list)", "f(1, 2) > 0", "f(1, 2) != 1", "f(2, 2) != 2"]),
    # exceptions
    ("with pytest.raises((ValueError, TypeError)):\n    f(1, 2)\ntry:\n    f(1, 2)\n    assert False, 'no'\nexcept ValueError:\n    pass\ntry:\n    f(1, 3)\nexcept (KeyError, IndexError) as e:\n    pass\nelse:\n    raise AssertionError", TWO, ["f(1, 2) raises ValueError or TypeError", "f(1, 2) raises ValueError", "f(1, 3) raises KeyError or IndexError"]),
    ("with pytest.raises(ValueError) as e:\n    f(1, 2)\nassert 'bad' in str(e.value)\nassert f(1, 2) == 3", TWO, ["f(1, 2) raises ValueError", "f(1, 2) == 3"]),
    ("raised = False\ntry:\n    f(1, 2)\nexcept ValueError:\n    raised = True\nassert raised", TWO, ["f(1, 2) raises ValueError"]),
    ("try:\n    f(1, 2)\n    pytest.fail('no')\nexcept Exception:\n    pass\ntry:\n    assert f(1, 2) == 3\nexcept Exception as e:\n    pytest.fail(str(e))", TWO, ["f(1, 2) raises Exception", "f(1, 2) == 3"]),
    # literal arithmetic
    ("n = 3\nn += 1\nassert f([0] * n, 'ab' * 2) == 2**10\nassert f(list(range(n)), [i for i in range(5) if i % 2]) == sum([1, 2])\nassert f({k: v for k, v in zip('ab', (1, 2))}, 'a,b'.split(',')) == max(1, 2)", TWO, ["f([0, 0, 0, 0], 'abab') == 1024", "f([0, 1, 2, 3], [1, 3]) == 3", "f({'a': 1, 'b': 2}, ['a', 'b']) == 2"]),
    ("xs = [3, 1, 2]\nassert f(xs[0], xs[::-1]) == sorted(xs)\nassert f(copy.deepcopy(xs), f'{xs[1]}') == (1 if xs else 2)\nassert f(Counter('aab'), string.digits) == float('inf')", TWO, ["f(3, [2, 1, 3]) == [1, 2, 3]", "f([3, 1, 2], '1') == 1", "f({'a': 2, 'b': 1}, '0123456789') == inf"]),
    ("for i, (a, b) in enumerate(zip([1, 2], [3, 4])):\n    if i % 2 == 0:\n        assert f(a, b) == i\n    else:\n        assert f(b, a) == i", TWO, ["f(1, 3) == 0", "f(4, 2) == 1"]),
    ("for d in [{'a': 1, 'b': 2, 'want': 3}]:\n    assert f(d['a'], d['b']) == d['want'], f\"{d}\"", TWO, ["f(1, 2) == 3"]),
    ("assert f(ListNode(1, ListNode(2)), TreeNode(1, None, TreeNode(2))) == [1]\nhead = ListNode(5)\nassert f(head, TreeNode(val=3)) == ListNode(5)", TWO, ["f([1, 2], [1, None, 2]) == [1]", "f([5], [3]) == [5]"]),
    # mixed and malformed
    ("([1], 2,# working 1 + 2\n3)\n([4], 5,# 4 + 5\n9)", TWO, ["f([1], 2) == 3", "f([4], 5) == 9"]),
    ("([3, 1],# smallest first\n[1, 3])\n([], [])", ONE, ["f([3, 1]) == [1, 3]", "f([]) == []"]),
    ("(1, 2, 3)\nassert f(2, 3) == 5", TWO, ["f(1, 2) == 3", "f(2, 3) == 5"]),
    ("```python\n(1, 2, 3)\n```", TWO, ["f(1, 2) == 3"]),
    ("```\n(1, 2, 3)", TWO, ["f(1, 2) == 3"]),
    ("Here are the tests:\n\n(1, 2, 3)\n(4, 5, 6)\n\nThese cover everything.", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(1, 2, 3\n(4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(1, 2, 3))\n(4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[(1, 2, 3), (4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("[\n(1, 2, 3),\n(4, 5, 6),\n(7, 8", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("- (1, 2, 3)\n* (4, 5, 6)\n3. (7, 8, 9)\nTest 4: (1, 1, 1)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6", "f(7, 8) == 9", "f(1, 1) == 1"]),
    ("(1, 2, 3) because 1 + 2 = 3\n`(4, 5, 6)`", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("f(1, 2) -> 3\nf(4, 5) = 6", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("([1], [2]) -> 3", ONE, ["f(([1], [2])) == 3"]),
    ("1. assert f(1, 2) == 3 (simple case)\nassert f(4, 5) == 6, because.", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(“a”, ‘b’, 3)", TWO, ["f('a', 'b') == 3"]),
    ("\ufeff(1, 2, 3)\r\n(4, 5, 6)\r\n", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("    (1, 2, 3)\n    (4, 5, 6)", TWO, ["f(1, 2) == 3", "f(4, 5) == 6"]),
    ("(1, 2, 3)\nassert f(4,", TWO, ["f(1, 2) == 3"]),
]
@pytest.mark.parametrize("i", range(len(GOOD)))
def test_good(i):
    text, signature, want = GOOD[i]
    assert shown(text, signature) == want, read(text, signature)

BAD = [
    ("assert True", "calls nothing"), ("assert 1 == 1", "calls nothing"), ("assert (f(1, 2) == 3, 'm')", "cannot fail"), ("assert f(1, 2) == f(1, 2)", "cannot fail"),
    ("assert f(1, 2) or True", "cannot fail"), ("assert f(1, 2) == f(2, 1)", "two different calls"), ("assert f(f(1, 2), 2) == 3", "itself a result"), ("assert f(1, 2) is 3", "identity"),
    ("f(1, 2)", "asserts nothing"), ("def test_a():\n    f(1, 2)", "asserts nothing"), ("def test_a():\n    pass", "calls nothing"), ("def test_a():\n    try:\n        assert f(1, 2) == 3\n    except: pass", "swallowed"),
    ("def test_a():\n    if f(1, 2): assert f(1, 2) == 3", "under a condition"), ("assert f(1) == 2", "`b` is missing"), ("assert f(1, 2, 3) == 2", "takes 2"), ("assert f(1, c=3) == 2", "no parameter `c`"),
    ("assert f(1, a=3, b=2) == 2", "given twice"), ("(1, 2)", "takes 2 arguments"), ("(1, 2, 3, 4)", "takes 2 arguments"), ("5", "single value"), ("assert f(x, 2) == 3", "no literal value"),
    ("assert f(open('a'), 2) == 3", "not a literal"), ("assert f(1, 2) == 9**9**9", "13,000 bits"), ("([0] * 10**9, 1, 2)", "100,000"), ("def f(a, b): return 3", "cannot replace"),
    ("data = [3]\ndata.append(4)\nassert f(data, 1) == 2", "outside the grammar"), ("assert abs(f(1, 2) - 3) < float('inf')", "cannot fail"), ("assert abs(f(1, 2) - 3) < -1", "cannot pass"),
    ("def test_a(x):\n    assert f(x, 2) == 3", "no literal value"), ("assert f(1, 2) ==", "cannot be read"), ("hello", "no test found"), ("", None), ("   \n", None),
    ("assert f(lambda x: x, 2) == 3", "not a literal"), ("assert f(1, 2) == {[1]: 2}", "unhashable"), ("with open('x'): f(1, 2)", "pytest.raises"), ("assert g(1, 2) == 3", "`f` is not called"),
    ("r = f(1, 2)\nassert r == r", "cannot fail"), ("assert f(lambda: 1, 2) == 3", "not a literal"), ("assert sorted(f(1, 2), key=lambda v: v) == [3]", "language of views"), ("assert eval(f(1, 2)) == 3", "language of views"),
    ("assert f(1, 2).__class__ == int", "not a literal"), ("assert f(1, 2).pop() == 3", "language of views"), ("for x in range(3):\n    if x: continue\n    assert f(x, 1) == 1", "`break` or `continue`"), ("assert open(f(1, 2)) == 3", "language of views"),
    ("with pytest.raises(IndexError):\n    f(1, 2)[5]", "must call `f`"), ("def test_a(tmp_path):\n    assert f(tmp_path, 2) == 3", "no literal value"), ("x = [1]\nx += [2]\nassert f(x, 2) == 3", "in place"), ("assert False", "cannot pass"),
    ("assert f(1, 2) == 3 and False", "cannot pass"), ("assert all(f(1, 2))and f(2, 1) == f(1, 2)", "two different calls"), ("@given(st.integers())\ndef test_a(x):\n    assert f(x, 2) == 3", "decorator"), ("a, *b = f(1, 2)\nassert a == 1", "unpacked with `*`"),
    ("x = 1 + f(1, 2) if f(2, 1) else 3\nassert x == 3", "two different calls"), ("assert type(f(1, 2))", "language of views"), ("assert type(f(1, 2), 3) == int", "not a type"), ("self.fail()", "cannot pass"), ("assert [f(1, 2), f(2, 1)] == [3]", "cannot pass"), ("assert f(1, 2) == np.array([1])", "not a literal"),
    ("assert [].f(1, 2) == 3", "`f` is not called"), ("import os; os.system('rm')", "outside the grammar"), ("while True: pass", "outside the grammar"), ("assert f(1, 2) == 1/0", "ZeroDivisionError"),
]
@pytest.mark.parametrize("i", range(len(BAD)))
def test_bad(i):
    text, reason = BAD[i]
    got = read(text)
    assert got.cases == []
    if reason is None: assert got.rejected == [] and got.items == []
    else: assert any(reason in o.reason for o in got.rejected), got

def test_changed_names_lose_their_value():
    got = read("data = [3]\nalias = data\ndata.append(4)\nassert f(data, 1) == 2\nassert f(alias, 1) == 2\nassert f([3], 1) == 2")
    assert [t.args for t in got.cases] == [([3], 1)] and len(got.rejected) == 3

def test_order_texts_and_formats():
    got = read("(1, 2, 3)\nassert True\nassert f(4, 5) == 6\ndef test_x():\n    assert f(7, 8) == 9")
    assert [type(o) for o in got.items] == [TestCase, Rejected, TestCase, TestCase] and got.format == "mixed"
    assert [o.text for o in got.items] == ["(1, 2, 3)", "assert True", "assert f(4, 5) == 6", "assert f(7, 8) == 9"]
    assert [read(t).format for t in ("(1, 2, 3)", "assert f(1, 2) == 3", "def test_a():\n    assert f(1, 2) == 3", "", "nothing")] == ["tuples", "asserts", "pytest", "none", "none"]

def test_text_is_cut_by_bytes_not_characters(): assert read("('é', '中文', 1), ('ü', '', 2)").cases[1].text == "('ü', '', 2)"

def test_tolerances():
    tol = lambda t: read(t).cases[0].tolerance
    assert tol("assert abs(f(1, 2) - 3) < 1e-6") == 1e-6
    assert tol("assert math.isclose(f(1, 2), 200.0)") == pytest.approx(2e-7)
    assert tol("assert math.isclose(f(1, 2), 0.0, abs_tol=1e-3)") == 1e-3
    assert tol("assert f(1, 2) == pytest.approx(2.0)") == pytest.approx(2e-6)
    assert tol("assert f(1, 2) == pytest.approx([1.0, -3.0], abs=.5)") == .5

def test_results_are_not_shared():
    read("(1, 2, 3)").items.clear(); read("(1, 2, 3)").notes.append("x")
    assert len(read("(1, 2, 3)").cases) == 1 and read("(1, 2, 3)").notes == []

def test_too_many_tests_are_noted():
    got = read("\n".join(f"({i}, 1, 2)" for i in range(MAX_CASES + 50)))
    assert len(got.cases) == MAX_CASES and "stopped" in got.notes[-1]

def test_baselines_of_humaneval_style():
    p = Problem("p", "", "def f(a: list, b: int = 0) -> int:", ("assert f([1]) == 1", [[1], 1], [[1], 2, 3], [[[1], 2], 3]), "")
    assert [(t.args, t.expected) for t in baseline_cases(p)] == [(([1],), 1), (([1],), 1), (([1], 2), 3), (([[1], 2],), 3)]
    for bad in ([], 5, [1], "assert f(", "nothing", [1, 2, 3, 4]):
        with pytest.raises(ProblemError, match=r"problem 'p', baseline_tests\[0\]"): baseline_cases(Problem("p", "", "def f(a, b):", (bad,), ""))
    with pytest.raises(ProblemError, match="not a Python `def` line"): baseline_cases(Problem("p", "", "f(a", ([1, 2],), ""))

# ---- properties ----

values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(), lambda o: st.lists(o, max_size=4) | st.tuples(o, o) | st.dictionaries(st.text(max_size=3) | st.integers(), o, max_size=3), max_leaves=12)

@settings(max_examples=300, deadline=None)
@given(values, values, values)
def test_what_repr_writes_is_read(a, b, e):
    for text in (f"({a!r}, {b!r}, {e!r})", f"assert f({a!r}, {b!r}) == {e!r}", f"def test_a():\n    x = {a!r}\n    assert {e!r} == f(x, b={b!r})"):
        got = read(text)
        assert len(got.cases) == 1 and not got.rejected, (text, got)
        assert repr(got.cases[0].expected) == repr(e) and repr(got.cases[0].args[0]) == repr(a)

pieces = st.sampled_from(["(1, 2, 3)", "([1], 'a', None)", "assert f(1, 2) == 3", "def test_a():\n    assert f(1, 2) == 3", "[", "]", "(", ")", "'", '"', "\\", "#", "\n", "    ", "```", "assert", "def ", "f(", "==", ",", "1", "é", "\0", "\t", "lambda: 0", "Here:", "{", "}", "*", "-", "9**9", "with pytest.raises(ValueError):\n    f(1, 2)", "for i in range(3):\n    assert f(i, 1) == i", "@", ":", "\ud800", "1" * 5000, "0x" + "f" * 5000,
    "try:\n    f(1, 2)\nexcept ValueError:\n    pass\nelse:\n    assert False", "assert sorted(f(1, 2))[0] in {1}", "a, b = f(1, 2)", "assert a == b", "r = f(1, 2)", "assert r[", "r", "_", "x += 1", "x = [1]", "if x:", "else:", "class T:\n    def test_a(self):\n        self.assertEqual(f(1, 2), 3)", "def check(c):\n    assert c(1, 2)", "check(f)",
    "assert all(f(i, i) for i in x)", "return", "del f", "f = 3", "TreeNode(1, [2], TreeNode())", "ListNode(1, 5)", "{[]: 1}", "*r", "**r", "f(*x)", "f(**x)", "x[::0]", "not", "and", "or", "is None", "'a'.join(x)", "lambda f: f", "yield", "await f(1, 2)", "(y := f(1, 2))", "match f(1, 2):\n    case _: pass", "@pytest.mark.parametrize('a', [1, 2])\ndef test_b(a):\n    assert f(a, a) == a"])
@settings(max_examples=500, deadline=None)
@given(st.lists(pieces, max_size=12).map(" ".join) | st.lists(pieces, max_size=12).map("\n".join) | st.text(max_size=200))
def test_nothing_raises_and_nothing_vanishes(text):
    got = read(text)
    assert got.items or not text.replace("\ufeff", "").strip() or got.notes
    assert all(o.reason for o in got.rejected)
    got._repr_html_(); [describe_test(t) for t in got.cases]

HOSTILE = ["(" * 50_000, "[" * 50_000, "-" * 50_000 + "1", "(1, 2, 3)\n" * 20_000, "'" * 50_000, "a." * 30_000 + "b", "1+" * 30_000 + "1", "f(" * 1000 + "1" + ")" * 1000, "not " * 30_000 + "f(1, 2)",
    "x = [1] * 1000\ny = [x] * 90\nz = [y] * 90\nassert f(z, 1) == 2", "a = [1, 1]\n" + "".join(f"{chr(97 + i + 1)} = [{chr(97 + i)}, {chr(97 + i)}]\n" for i in range(24)) + "assert f(y, y) == 1",
    "def test_a():\n" + "".join("    " * (i + 1) + f"for i{i} in range(50):\n" for i in range(8)) + "    " * 9 + "assert f(1, 2) == 3", "(" + "[[1,2],3],\n" * 5000, "assert " + " ".join("f(1," for _ in range(5000)), "(1, 2, 3\n" * 5000, "`" * 50_000, "Test 1: " * 10_000,
    "([sum([i for i in range(10**5)]) for j in range(10**5)], 1, 2)", "([[0] * 90000 for j in range(10**5)], 1, 2)", "(sorted(range(10**5)) * 10**5, 1, 2)",
    "assert len(f(1, 2)) >= 0 or 99999 > 99998 > 99997\n" * 900, "assert [a for a in f(1, 2) for b in f(1, 2) for c in f(1, 2) for d in range(90000)] != 1\n" * 900, "assert len(str(f(1, 2))) >= 0\n" * 900,
    "def test_a():\n" + "    try:\n" * 90 + "        f(1, 2)\n" + "    except E: pass\n" * 3, "def a(x):\n    assert f(x, 1) == 1\n    a(x)\n" + "a(1)\n" * 5000, "x = [f(1, 2)]\n" + "x = x + x\n" * 2000 + "assert x == 1", "r = f(1, 2)\n" + "r = (r, r)\n" * 300 + "assert r == 1",
    "assert " + " == ".join(["f(1, 2)"] * 3000), "assert all(f(i, j) == k for i in range(9000) for j in range(9000) for k in range(9000))", "class T:\n" + "    def test_a(self):\n        self.assertEqual(f(1, 2), 3)\n" * 1500, "assert f(1, 2) in [" + "[" * 80 + "1" + "]" * 80 + "]"]
@pytest.mark.parametrize("i", range(len(HOSTILE)))
def test_hostile_text_costs_little(i):
    start = time.process_time()
    read(HOSTILE[i])
    assert time.process_time() - start < 3

def test_import_is_light():
    out = subprocess.run([sys.executable, "-c", "import sys, chained_adv.testcases; print([m for m in ('torch', 'transformers', 'numpy', 'rich') if m in sys.modules])"], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr
