"A corpus of what models write, and properties of the reader"
import subprocess, sys, time
import pytest
from hypothesis import given, settings, strategies as st
from chained_adv.core import Problem, ProblemError, TestCase, describe_test
from chained_adv.sandbox import Sandbox
from chained_adv.judge.reading import MAX_TEXT
from chained_adv.testcases import _read, REJECTIONS, ParsedTests, Rejected, baseline_cases, parse_tests

TWO, ONE, NONE = "def f(a, b):", "def f(self, xs: list) -> int:", "def f():"
def read(text, signature=TWO): return parse_tests(text, "f", signature)
def shown(text, signature=TWO): return [f"<{t.name}>" if t.kind == "code" else describe_test(t) for t in read(text, signature).cases]

GOOD = [ # text, signature, its tests: data, or the name of a piece of code
    ('([1, 2], 3, True)', TWO, ['f([1, 2], 3) == True']),
    ('[([1, 2], 3, True), ([], 0, False)]', TWO, ['f([1, 2], 3) == True', 'f([], 0) == False']),
    ('# 25 64\n(3, 4, 25)\n# and\n(8, 0, 64) # eight', TWO, ['f(3, 4) == 25', 'f(8, 0) == 64']),
    ('(1, 2, 3),\n(4, 5, 6),\n', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('(1, 2, 3), (4, 5, 6)', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('[1, 2, 3]\n[4, 5, 6]', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('[[1, 2, 3], [4, 5, 6]]', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('[[2, 7], 9, [0, 1]]', TWO, ['f([2, 7], 9) == [0, 1]']),
    ('[[[2, 7], 9], [0, 1]]', TWO, ['f([2, 7], 9) == [0, 1]']),
    ('(([2, 7], 9), [0, 1])', TWO, ['f([2, 7], 9) == [0, 1]']),
    ('([5], 25)', ONE, ['f([5]) == 25']),
    ('5, 25\n6, 36', ONE, ['f(5) == 25', 'f(6) == 36']),
    ('((1, 2), (3, 4))', ONE, ['f((1, 2)) == (3, 4)']),
    ('[[1, 2], [2, 1]]', ONE, ['f([1, 2]) == [2, 1]']),
    ('((1, 2), 3)', None, ['f(1, 2) == 3']),
    ('(3,)', NONE, ['f() == 3']),
    ('tests = [\n    (1, 2, 3),\n    (4, 5, 6),\n]', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('(-1, +2, -3.5)\n(\'a\', "b", \'a\\\'b\')\n({\'k\': [1]}, {1, 2}, None)', TWO, ['f(-1, 2) == -3.5', 'f(\'a\', \'b\') == "a\'b"', "f({'k': [1]}, {1, 2}) == None"]),
    ("(set(), float('inf'), [0] * 3)\n('a' * 3, 10**9, 2**10 - 1)", TWO, ['f(set(), inf) == [0, 0, 0]', "f('aaa', 1000000000) == 1023"]),
    ('(list(range(3)), [i * i for i in range(3)], true)', TWO, []),
    ('([1,\n  2],\n 3,\n True)', TWO, ['f([1, 2], 3) == True']),
    ("('(', ')', '# no comment')", TWO, ["f('(', ')') == '# no comment'"]),
    ('assert f(1, 2) == 3', TWO, ['f(1, 2) == 3']),
    ("assert 3 == f(1, b=2), 'msg'", TWO, ['f(1, b=2) == 3']),
    ('assert Solution().f([1]) == 1\ns = Solution()\nassert s.f([2]) == 2\nassert solution.f([3]) == 3', ONE, ['f([1]) == 1', '<#1>', 'f([3]) == 3']),
    ('assert f(1, 2)\nassert not f(1, 2)\nassert f(1, 2) is None\nassert f(1, 2) is False', TWO, ['f(1, 2)', 'not f(1, 2)', 'f(1, 2) is None', 'f(1, 2) is False']),
    ('assert f(1, 2) == 3 and f(2, 3) == 5', TWO, ['<#0>']),
    ('assert abs(f(1, 2) - 3) < 1e-6\nassert 0.1 >= abs(3 - f(1, 2))\nassert math.isclose(f(1, 2), 3.0, rel_tol=1e-3)\nassert f(1, 2) == pytest.approx(3.0)\nassert round(f(1, 2), 1) == 3.0', TWO, ['<#0>', '<#1>', '<#2>', '<#3>', '<#4>']),
    ('x = [1, 2]\nassert f(x, 2) == x', TWO, ['<#0>']),
    ("assert f(*[1, 2]) == 3\nassert f(**{'a': 1, 'b': 2}) == 3", TWO, ['<#0>', '<#1>']),
    ('f(1, 2) == 3', TWO, ['f(1, 2) == 3']),
    ("def test_a():\n    '''doc'''\n    a, b = 1, 2\n    r = f(a, b)\n    assert r == 3\n    assert r is not None", TWO, ['<test_a>']),
    ('def test_a():\n    for a, b, e in [(1, 2, 3), (2, 3, 5)]:\n        assert f(a, b) == e', TWO, ['<test_a>']),
    ('cases = [(1, 2, 3)]\ndef test_a():\n    for a, b, e in cases:\n        assert f(a, b) == e', TWO, ['<test_a>']),
    ("@pytest.mark.parametrize('a,b,e', [(1, 2, 3), pytest.param(2, 3, 5, id='x')])\ndef test_a(a, b, e):\n    assert f(a, b) == e", TWO, ['<test_a>']),
    ('class TestF:\n    def test_a(self):\n        assert f(1, 2) == 3', TWO, ['<TestF::test_a>']),
    ("def test_a():\n    with pytest.raises(ValueError, match='no'):\n        f(1, 2)", TWO, ['<test_a>']),
    ('def test_a():\n    pytest.raises(ValueError, f, 1, 2)', TWO, ['<test_a>']),
    ('def test_a():\n    assert f(1, 2) == 3\ndef test_b():\n    assert f(2, 3) ==', TWO, ['<test_a>']),
    ('assert sorted(f(1, 2)) == [1, 2]\nassert len(f(1, 2)) == 2\nassert f(1, 2)[0] == 3\nassert f(1, 2)[-1][1:] == [4]\nassert set(f(1, 2)) == {1}', TWO, ['<#0>', '<#1>', '<#2>', '<#3>', '<#4>']),
    ("assert f(1, 2) != 3\nassert f(1, 2) > 0\nassert 1 < f(1, 2) <= 3\nassert f(1, 2) in (1, 2)\nassert 'a' not in f(1, 2)\nassert f(1, 2) is not None", TWO, ['<#0>', '<#1>', '<#2>', '<#3>', '<#4>', '<#5>']),
    ('assert isinstance(f(1, 2), (int, float))\nassert type(f(1, 2)) is int\nassert type(f(1, 2)) == type(3)\nassert isinstance(f(1, 2), int | str)', TWO, ['<#0>', '<#1>', '<#2>', '<#3>']),
    ("assert all(v > 0 for v in f(1, 2))\nassert [v * 2 for v in f(1, 2)] == [2]\nassert {k: len(k) for k in f(1, 2)} == {'a': 1}\nassert any(v for v in f(1, 2) if v)", TWO, ['<#0>', '<#1>', '<#2>', '<#3>']),
    ('k = 3\nr = f(1, 2)\nlow = min(r)\nassert low == k\nassert max(r) < k + 4\nassert not r[0]', TWO, ['<#0>', '<#1>', '<#2>']),
    ('a, b = f(1, 2)\nassert a == 3 and b == [4]\n(c, d), e = f(1, 2)\nassert d == 1', TWO, ['<#0>', '<#1>']),
    ("assert f(1, 2).lower().split() == ['a']\nassert f(1, 2).startswith('x')\nassert ''.join(f(1, 2)) == 'ab'\nassert list(map(str, f(1, 2))) == ['1']\nassert sorted(f(1, 2), key=len, reverse=True) == ['aa', 'b']", TWO, ['<#0>', '<#1>', '<#2>', '<#3>', '<#4>']),
    ("assert f(1, 2) == sorted(f(1, 2))\nassert f(1, 2)[0] + f(1, 2)[1] == 3\nassert f(1, 2) % 7 == 3\nassert -f(1, 2) == 3\nassert abs(f(1, 2)[0] - .5) < 1e-3\nassert f(1, 2)['a'] == pytest.approx(1.5)", TWO, ['<#0>', '<#1>', '<#2>', '<#3>', '<#4>', '<#5>']),
    ('assert [f(i, 1) for i in range(2)] == [5, 6]\nassert all(f(i, j) for i, j in [(1, 2), (3, 4)])\nassert (f(1, 2), f(3, 4)) == (5, 6)\nassert f(1, 2) == f(2, 1) == 3', TWO, ['<#0>', '<#1>', '<#2>', '<#3>']),
    ('def check(candidate):\n    assert candidate(1, 2) == 3\n    x = [1]\n    assert candidate(x, b=2) == x\ncheck(f)', TWO, ['f(1, 2) == 3', '<#1>']),
    ('candidate = f\nsol = Solution()\ng = sol.f\nassert candidate(1, 2) == 3\nassert g(2, 3) == 5', TWO, ['f(1, 2) == 3', '<#1>']),
    ('from solution import f as fun\nassert fun(1, 2) == 3', TWO, ['<#0>']),
    ('def run_case(a, b, want=3):\n    assert f(a, b) == want\ndef test_all():\n    run_case(1, 2)\n    run_case(2, 3, want=5)\nrun_case(4, 5, 9)', TWO, ['<test_all>', '<#0>']),
    ("def test_a():\n    assert f(1, 2) == 3\nif __name__ == '__main__':\n    test_a()\n    unittest.main()", TWO, ['<test_a>']),
    ('@pytest.fixture\ndef sol():\n    return Solution()\n@pytest.fixture\ndef xs():\n    return [1]\ndef test_a(sol, xs):\n    assert sol.f(xs, 2) == 3', TWO, ['<test_a>']),
    ('def check_case(x):\n    assert f(x, 1) == x\ncheck_case(3)\ndef test_it(solution):\n    assert solution(1, 2) == 3', TWO, ['<#0>']),
    ('def run(func, cases):\n    for a, b, want in cases:\n        assert func(a, b) == want\nrun(f, [(1, 2, 3), (2, 3, 5)])', TWO, ['<#0>']),
    ('class TestF:\n    cases = [(1, 2, 3)]\n    def setup_method(self):\n        self.sol = Solution()\n    def test_a(self):\n        for a, b, want in self.cases:\n            assert self.sol.f(a, b) == want', TWO, ['<TestF::test_a>']),
    ('class T(unittest.TestCase):\n    def setUp(self):\n        self.s = Solution()\n        self.x = [1]\n    def test_a(self):\n        self.assertEqual(self.s.f(self.x, 2), 3)\n        self.assertTrue(f(1, 2))\n        self.assertFalse(f(1, 2))\n        self.assertIsNone(f(1, 2))\n        self.assertIn(3, f(1, 2))\n        self.assertAlmostEqual(f(1, 2), 0.5, places=3)\n        self.assertRaises(ValueError, f, 1, 2)\n        with self.assertRaises(KeyError):\n            f(1, 3)\n        self.assertCountEqual(f(1, 2), [2, 1])\n        self.assertIsInstance(f(1, 2), list)\n        self.assertGreater(f(1, 2), 0)\n        for a in (1, 2):\n            with self.subTest(a=a):\n                self.assertNotEqual(f(a, 2), a)', TWO, ['<T::test_a>']),
    ("with pytest.raises((ValueError, TypeError)):\n    f(1, 2)\ntry:\n    f(1, 2)\n    assert False, 'no'\nexcept ValueError:\n    pass\ntry:\n    f(1, 3)\nexcept (KeyError, IndexError) as e:\n    pass\nelse:\n    raise AssertionError", TWO, ['f(1, 2) raises ValueError or TypeError', '<#1>']),
    ("with pytest.raises(ValueError) as e:\n    f(1, 2)\nassert 'bad' in str(e.value)\nassert f(1, 2) == 3", TWO, ['<#0>', '<#1>', 'f(1, 2) == 3']),
    ('raised = False\ntry:\n    f(1, 2)\nexcept ValueError:\n    raised = True\nassert raised', TWO, ['<#0>']),
    ("try:\n    f(1, 2)\n    pytest.fail('no')\nexcept Exception:\n    pass\ntry:\n    assert f(1, 2) == 3\nexcept Exception as e:\n    pytest.fail(str(e))", TWO, ['<#0>', '<#1>']),
    ("n = 3\nn += 1\nassert f([0] * n, 'ab' * 2) == 2**10\nassert f(list(range(n)), [i for i in range(5) if i % 2]) == sum([1, 2])\nassert f({k: v for k, v in zip('ab', (1, 2))}, 'a,b'.split(',')) == max(1, 2)", TWO, ['<#0>', '<#1>', '<#2>']),
    ("xs = [3, 1, 2]\nassert f(xs[0], xs[::-1]) == sorted(xs)\nassert f(copy.deepcopy(xs), f'{xs[1]}') == (1 if xs else 2)\nassert f(Counter('aab'), string.digits) == float('inf')", TWO, ['<#0>', '<#1>', '<#2>']),
    ('for i, (a, b) in enumerate(zip([1, 2], [3, 4])):\n    if i % 2 == 0:\n        assert f(a, b) == i\n    else:\n        assert f(b, a) == i', TWO, ['<#0>']),
    ('for d in [{\'a\': 1, \'b\': 2, \'want\': 3}]:\n    assert f(d[\'a\'], d[\'b\']) == d[\'want\'], f"{d}"', TWO, ['<#0>']),
    ('assert f(ListNode(1, ListNode(2)), TreeNode(1, None, TreeNode(2))) == [1]\nhead = ListNode(5)\nassert f(head, TreeNode(val=3)) == ListNode(5)', TWO, ['<#0>', '<#1>']),
    ('([1], 2,# working 1 + 2\n3)\n([4], 5,# 4 + 5\n9)', TWO, ['f([1], 2) == 3', 'f([4], 5) == 9']),
    ('([3, 1],# smallest first\n[1, 3])\n([], [])', ONE, ['f([3, 1]) == [1, 3]', 'f([]) == []']),
    ('(1, 2, 3)\nassert f(2, 3) == 5', TWO, ['f(1, 2) == 3', 'f(2, 3) == 5']),
    ('```python\n(1, 2, 3)\n```', TWO, ['f(1, 2) == 3']),
    ('```\n(1, 2, 3)', TWO, ['f(1, 2) == 3']),
    ('Here are the tests:\n\n(1, 2, 3)\n(4, 5, 6)\n\nThese cover everything.', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('[(1, 2, 3), (4, 5, 6)', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('[\n(1, 2, 3),\n(4, 5, 6),\n(7, 8', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('\ufeff(1, 2, 3)\r\n(4, 5, 6)\r\n', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('    (1, 2, 3)\n    (4, 5, 6)', TWO, ['f(1, 2) == 3', 'f(4, 5) == 6']),
    ('(1, 2, 3)\nassert f(4,', TWO, ['f(1, 2) == 3']),
]
@pytest.mark.parametrize("i", range(len(GOOD)))
def test_good(i):
    text, signature, want = GOOD[i]
    assert shown(text, signature) == want, read(text, signature)

BAD = [ # what is no test, and the class of reasons
    ('assert True', 'calls nothing'),
    ('assert 1 == 1', 'calls nothing'),
    ("assert (f(1, 2) == 3, 'm')", 'asserts nothing'),
    ('f(1, 2)', 'unreadable'),
    ('def test_a():\n    f(1, 2)', 'asserts nothing'),
    ('def test_a():\n    pass', 'calls nothing'),
    ('assert f(1) == 2', 'wrong arguments'),
    ('assert f(1, 2, 3) == 2', 'wrong arguments'),
    ('assert f(1, c=3) == 2', 'wrong arguments'),
    ('assert f(1, a=3, b=2) == 2', 'wrong arguments'),
    ('(1, 2)', 'wrong arguments'),
    ('(1, 2, 3, 4)', 'wrong arguments'),
    ('5', 'unreadable'),
    ('assert f(1, 2) == 9**9**9', 'too large'),
    ('([0] * 10**9, 1, 2)', 'too large'),
    ('assert f(1, 2) ==', 'unreadable'),
    ('hello', 'unreadable'),
    ('', None),
    ('   \n', None),
    ("with open('x'): f(1, 2)", 'unreadable'),
    ('assert False', 'calls nothing'),
    ("import os; os.system('rm')", 'unreadable'),
    ('while True: pass', 'unreadable'),
]
@pytest.mark.parametrize("i", range(len(BAD)))
def test_bad(i):
    text, why = BAD[i]
    got = read(text)
    assert got.cases == []
    if why is None: assert got.rejected == [] and got.items == []
    else: assert any(o.why == why and o.reason for o in got.rejected), got

JUDGED = [ # what is read as code, and what validation with `def f(a, b): return 3` says of it
    ('def f(a, b): return 3\nassert f(1, 2) + 0 == 3', 'invalid'), # asks nothing of the program
    ('def test_a(x):\n    assert f(x, 2) == 3', 'invalid'),
    ('def test_a():\n    return\n    assert f(1, 2) == 3', 'invalid'),
    ('assert g(1, 2) == 3', 'invalid'),
    ('assert f(1, 2) == f(1, 2)', 'invalid'),
    ('assert f(1, 2) or True', 'invalid'),
    ('assert f(1, 2) == f(2, 1)', 'invalid'), # it asks for the same answer twice, and no lie tells them apart
    ('assert f(f(1, 2), 2) == 3', 'valid'),
    ('assert f(1, 2) is 3', 'valid'),
    ('def test_a():\n    try:\n        assert f(1, 2) == 3\n    except: pass', 'invalid'),
    ('def test_a():\n    if f(1, 2): assert f(1, 2) == 3', 'valid'),
    ('assert f(x, 2) == 3', 'invalid'),
    ("assert f(open('a'), 2) == 3", 'invalid'),
    ('data = [3]\ndata.append(4)\nassert f(data, 1) == 2', 'invalid'),
    ("assert abs(f(1, 2) - 3) < float('inf')", 'weak'),
    ('assert abs(f(1, 2) - 3) < -1', 'invalid'),
    ('assert f(lambda x: x, 2) == 3', 'valid'),
    ('assert f(1, 2) == {[1]: 2}', 'invalid'),
    ('r = f(1, 2)\nassert r == r', 'invalid'),
    ('assert f(lambda: 1, 2) == 3', 'valid'),
    ('assert sorted(f(1, 2), key=lambda v: v) == [3]', 'invalid'),
    ('assert eval(f(1, 2)) == 3', 'invalid'),
    ('assert f(1, 2).__class__ == int', 'weak'),
    ('assert f(1, 2).pop() == 3', 'invalid'),
    ('for x in range(3):\n    if x: continue\n    assert f(x, 1) == 1', 'invalid'),
    ('assert open(f(1, 2)) == 3', 'invalid'),
    ('with pytest.raises(IndexError):\n    f(1, 2)[5]', 'invalid'),
    ('def test_a(tmp_path):\n    assert f(tmp_path, 2) == 3', 'invalid'),
    ('x = [1]\nx += [2]\nassert f(x, 2) == 3', 'valid'),
    ('assert f(1, 2) == 3 and False', 'invalid'),
    ('assert all(f(1, 2))and f(2, 1) == f(1, 2)', 'invalid'),
    ('a, *b = f(1, 2)\nassert a == 1', 'invalid'),
    ('x = 1 + f(1, 2) if f(2, 1) else 3\nassert x == 3', 'invalid'),
    ('assert type(f(1, 2))', 'invalid'),
    ('assert type(f(1, 2), 3) == int', 'invalid'),
    ('assert [f(1, 2), f(2, 1)] == [3]', 'invalid'),
    ('assert f(1, 2) == np.array([1])', 'invalid'),
    ('assert f(1, 2) == 1/0', 'invalid'),
]
@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=.5) as b: yield b

@pytest.mark.parametrize("i", range(len(JUDGED)))
def test_judged(box, i):
    text, verdict = JUDGED[i]
    result = box.validate_tests_against_solution(text, "def f(a, b): return 3", "f", TWO)
    assert result.num_total == 1 and result.num_rejected == 0
    v = result.verdicts[0]
    assert (v.passed, v.weak) == {"valid": (True, False), "weak": (True, True), "invalid": (False, False)}[verdict], v

def test_every_class_of_reasons_is_met():
    large = [o.why for t in ("assert f([0] * 10**9, 1) == 1",) for o in read(t).rejected]
    of_inputs = {"not one call", "no answer"} # tests/test_opponents.py
    assert {why for _, why in BAD if why} | set(large) | of_inputs == set(REJECTIONS)

def test_changed_names_keep_up():
    "Set-up lines before an assert run with it, in order"
    got = read("data = [3]\nalias = data\ndata.append(4)\nassert f(data, 1) == 2\nassert f(alias, 1) == 2\nassert f([3], 1) == 2")
    assert len(got.cases) == 3 and not got.rejected
    with Sandbox() as box: assert [v.passed for v in box.execute_tests("def f(a, b): return len(a)", got, "f", TWO).verdicts] == [True, True, False]

def test_spans_are_where_the_text_is():
    text = "Here:\n```python\n(1, 2, 3)\nassert f(4, 5) == 9 # é\ndef test_a():\n    assert f(7, 8) == 15\n```\nassert True"
    for o in read(text).items: assert text[o.span[0]:o.span[1]].strip() == o.text.strip(), o

def test_order_texts_and_formats():
    got = read("(1, 2, 3)\nassert True\nassert f(4, 5) == 6\ndef test_x():\n    assert f(7, 8) == 9")
    assert [type(o) for o in got.items] == [TestCase, Rejected, TestCase, TestCase] and got.format == "mixed"
    assert [o.text for o in got.items] == ["(1, 2, 3)", "assert True", "assert f(4, 5) == 6", "def test_x():\n    assert f(7, 8) == 9"]
    assert [read(t).format for t in ("(1, 2, 3)", "assert f(1, 2) == 3", "def test_a():\n    assert f(1, 2) == 3", "", "nothing")] == ["tuples", "asserts", "pytest", "none", "none"]

def test_text_is_cut_by_bytes_not_characters(): assert read("('é', '中文', 1), ('ü', '', 2)").cases[1].text == "('ü', '', 2)"

def test_tolerances(box):
    "As Python, pytest and unittest have them; a float is never near an int"
    close = "assert abs(f(1, 2) - 3) < 1e-6\nassert math.isclose(f(1, 2), 3.0)\nassert f(1, 2) == pytest.approx(3.0)\nassert f(1, 2) == pytest.approx(3)\n(1, 2, 3.0)\nassert round(f(1, 2), 3) == 3"
    passes = lambda value: [v.passed for v in box.execute_tests(f"def f(a, b): return {value}", close, "f", TWO).verdicts]
    assert passes("3") == passes("3.0") == [True] * 6
    assert passes("3 + 1e-10") == [True] * 6 and passes("3 + 1e-7") == [True, False, True, True, False, True] and passes("3.1") == [False] * 6
    apart = "assert f(1, 2) == pytest.approx([1.0, -3e9], abs=.5)\nassert f(1, 2) == pytest.approx([1.0, -3e9])"
    assert [v.passed for v in box.execute_tests("def f(a, b): return [1.4, -3e9]", apart, "f", TWO).verdicts] == [True, False]

def test_results_are_not_shared():
    read("(1, 2, 3)").items.clear(); read("(1, 2, 3)").notes.append("x")
    assert len(read("(1, 2, 3)").cases) == 1 and read("(1, 2, 3)").notes == []

def test_too_much_is_noted():
    got = read("\n".join(f"({i}, 1, 2)" for i in range(20_000)))
    assert 500 <= len(got.cases) <= 2_000 and got.notes
    long = read("(1, 1, 2)\n" + "# nothing\n" * MAX_TEXT)
    assert any("only the first" in n for n in long.notes) and len(long.cases) == 1

def test_baselines_of_humaneval_style():
    p = Problem("p", "", "def f(a: list, b: int = 0) -> int:", ("assert f([1]) == 1", [[1], 1], [[1], 2, 3], [[[1], 2], 3]), "")
    assert [(t.args, t.expected) for t in baseline_cases(p)] == [(([1],), 1), (([1],), 1), (([1], 2), 3), (([[1], 2],), 3)]
    for bad in ([], 5, [1], "assert f(", "nothing", [1, 2, 3, 4]):
        with pytest.raises(ProblemError, match=r"problem 'p', baseline_tests\[0\]"): baseline_cases(Problem("p", "", "def f(a, b):", (bad,), ""))
    with pytest.raises(ProblemError, match="not a Python `def` line"): baseline_cases(Problem("p", "", "f(a", ([1, 2],), ""))

# ---- properties ----

values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(), lambda o: st.lists(o, max_size=4) | st.tuples(o, o) | st.dictionaries(st.text(max_size=3) | st.integers(), o, max_size=3), max_leaves=12)

@settings(max_examples=300)
@given(values, values, values)
def test_what_repr_writes_is_read(a, b, e):
    for text in (f"({a!r}, {b!r}, {e!r})", f"assert f({a!r}, {b!r}) == {e!r}", f"assert {e!r} == f({a!r}, b={b!r})"):
        got = read(text)
        assert len(got.cases) == 1 and not got.rejected, (text, got)
        assert repr(got.cases[0].expected) == repr(e) and repr(got.cases[0].args[0]) == repr(a)

pieces = st.sampled_from(["(1, 2, 3)", "([1], 'a', None)", "assert f(1, 2) == 3", "def test_a():\n    assert f(1, 2) == 3", "[", "]", "(", ")", "'", '"', "\\", "#", "\n", "    ", "```", "assert", "def ", "f(", "==", ",", "1", "é", "\0", "\t", "lambda: 0", "Here:", "{", "}", "*", "-", "9**9", "with pytest.raises(ValueError):\n    f(1, 2)", "for i in range(3):\n    assert f(i, 1) == i", "@", ":", "\ud800", "1" * 5000, "0x" + "f" * 5000,
    "try:\n    f(1, 2)\nexcept ValueError:\n    pass\nelse:\n    assert False", "assert sorted(f(1, 2))[0] in {1}", "a, b = f(1, 2)", "assert a == b", "r = f(1, 2)", "assert r[", "r", "_", "x += 1", "x = [1]", "if x:", "else:", "class T:\n    def test_a(self):\n        self.assertEqual(f(1, 2), 3)", "def check(c):\n    assert c(1, 2)", "check(f)",
    "assert all(f(i, i) for i in x)", "return", "del f", "f = 3", "TreeNode(1, [2], TreeNode())", "ListNode(1, 5)", "{[]: 1}", "*r", "**r", "f(*x)", "f(**x)", "x[::0]", "not", "and", "or", "is None", "'a'.join(x)", "lambda f: f", "yield", "await f(1, 2)", "(y := f(1, 2))", "match f(1, 2):\n    case _: pass", "@pytest.mark.parametrize('a', [1, 2])\ndef test_b(a):\n    assert f(a, a) == a"])
@settings(max_examples=500)
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
    def cost():
        start = time.process_time()
        _read(HOSTILE[i], "f", TWO)
        return time.process_time() - start
    assert min(cost(), cost()) < .1 # the better of two: a collection of garbage may fall into one

def test_import_is_light():
    out = subprocess.run([sys.executable, "-c", "import sys, chained_adv.testcases; print([m for m in ('torch', 'transformers', 'numpy', 'rich') if m in sys.modules])"], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr

@pytest.mark.parametrize("name", ["ª", "º", "ﬁve", "é"])
def test_names_that_python_normalises_are_read(name):
    "The parser imports a module for them, which a jailed reader cannot do any more"
    parsed = parse_tests(f"{name} = 2\nassert f({name}) == 4", "f")
    assert not parsed.rejected and len(parsed.cases) == 1
    assert "ModuleNotFoundError" not in parse_tests(name, "f").rejected[0].reason
