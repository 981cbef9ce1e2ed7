"""What hostile programs, hostile test texts and hostile neighbours try against the judge, as data; importing this runs nothing of it.

SOLUTION_ATTACKS: a program that does not solve the problem, against honest tests. `allowed` names for each test the outcomes that are right.
    The reference passes every test of its entry. Run each with the reference and, where `live` is true, without one.
TEST_ATTACKS: a hostile test text, an honest reference, a candidate that answers as the reference does but is written otherwise, and a wrong one.
    Nothing raises; the candidate gets the reference's verdict on every item; where `must_not_validate`, no item comes out valid.
CROSS_ATTACKS: jobs of one batch, one of which wants to change another's verdicts; the innocent ones come out as `allowed` says.

`since` names the weakest isolation level that promises to hold against the attack. `arguable` says why an entry that fails may be no hole of the
judge but of the test or of Python itself. A ceiling on the time of each entry is the harness's business: a few seconds for each hostile job.
"""
from typing import NamedTuple
from chained_adv.judge.tester import LETTER
from chained_adv.judge.wire import write

PASS = frozenset({"passed"})
BAD = frozenset({"wrong_value", "exception", "timeout", "memory", "crash", "rejected"}) # whatever is no pass
ANY = PASS | BAD
SLOW = frozenset({"timeout", "memory", "crash", "exception", "rejected"}) # whatever ends what would not end
_WORDS = {"pass": PASS, "bad": BAD, "any": ANY, "slow": SLOW}

class SolutionAttack(NamedTuple):
    name: str
    intent: str # One line: what it is after
    code: str # The hostile program
    tests: str # Honest tests
    entry: str
    signature: str | None
    reference: str | None # An honest solution, which passes all the tests
    allowed: tuple # For each test the set of outcomes that are right
    since: str = "process"
    live: bool = True # Do the outcomes hold without a reference, too?
    arguable: str = ""

class TestAttack(NamedTuple):
    __test__ = False # not a pytest class
    name: str
    intent: str
    text: str # The hostile test text
    entry: str
    signature: str | None
    reference: str # Honest
    candidate: str # Answers exactly as the reference does
    wrong: str | None # Really wrong; where items validate, it fails at least one of them
    must_not_validate: bool
    arguable: str = ""

class CrossAttack(NamedTuple):
    name: str
    intent: str
    jobs: tuple # (code, tests, entry, signature, reference, for each verdict the outcomes that are right or None for anything)
    since: str = "process"
    arguable: str = ""

SOLUTION_ATTACKS, TEST_ATTACKS, CROSS_ATTACKS = [], [], []

def count_items(text):
    "How many tests a simple honest text has: tuple lines, asserts and `with` blocks at the margin, test functions and methods"
    return sum(o.startswith(("(", "assert ", "with ", "check(")) or o.lstrip().startswith("def test") for o in text.splitlines())

SECRET = "(1, 424242)\n(2, 424243)" # values that the program cannot know
SECRET_REF = "def f(x): return x + 424241"

def solution(name, intent, code, tests=SECRET, reference=SECRET_REF, allowed="", entry="f", signature="def f(x):", since="process", live=True, arguable=""):
    right = tuple(_WORDS[o] for o in allowed.split()) or (BAD,) * count_items(tests)
    if len(right) == 1: right *= count_items(tests)
    SOLUTION_ATTACKS.append(SolutionAttack(name, intent, code.strip("\n") + "\n", tests.strip("\n"), entry, signature, reference, right, since, live, arguable))

# ======== A. Programs ========
# ---- lie: answers that say what they are not; an object of the program's own class reaches the test as a handle ----

LIAR = """class V:
    def __eq__(self, o): return True
    def __ne__(self, o): return False
    def __lt__(self, o): return True
    __le__ = __gt__ = __ge__ = __contains__ = __lt__
    def __hash__(self): return 0
    def __bool__(self): return True
    def __sub__(self, o): return 0.0
    __rsub__ = __add__ = __radd__ = __mul__ = __rmul__ = __mod__ = __floordiv__ = __truediv__ = __rtruediv__ = __pow__ = __sub__
    def __abs__(self): return 0.0
    def __round__(self, n=0): return self
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        return lambda *a, **k: True
def f(x, *more): return V()
"""
solution("lie_equal", "a handle that equals everything, from the left, the right, in a list, in a set, negated", LIAR, "assert f(1) == 424242\nassert 424242 == f(1)\nassert [f(1)] == [424242]\nassert f(1) in (424242, 0)\nassert not f(1) != 424242\nassert {f(1)} == {424242}\nassert {'a': f(1)} == {'a': 424242}")
solution("lie_equal_data", "the same as plain data that needs no test process", LIAR)
solution("lie_difference", "the expected value is told to a handle's __sub__, which answers 0", LIAR, "assert abs(f(1) - 424242) < 1e-6\nassert abs(424242 - f(1)) < 1e-6\nassert -1 < f(1) - 424242 < 1")
solution("lie_difference_in_list", "the same with handles inside a list", LIAR + "def f(x): return [V(), V()]", "def test_near():\n    got = f(1)\n    assert len(got) == 2 and all(abs(a - b) < 1e-9 for a, b in zip(got, [1.5, 2.5]))", "def f(x): return [x + .5, x + 1.5]")
solution("lie_order", "a handle below and above everything", LIAR, "assert 424242 <= f(1) <= 424242\nassert f(1) >= 424242 and not f(1) > 424242", allowed="bad any", arguable="the second may be told apart only by the reference's plain answer")
solution("lie_contains", "a handle that contains everything", LIAR, "assert 3 in f(3)\nassert all(o in f(3) for o in (1, 2, 3))", "def f(x): return list(range(1, x + 1))")
solution("lie_methods", "a handle whose every method says True", LIAR, "assert f('ab').startswith('AB')\nassert f('ab').isupper()", "def f(s): return s.upper()", signature="def f(s):")
solution("lie_set_methods", "a handle that stands for a set", "class V:\n    def __sub__(self, o): return set()\n    __xor__ = __rsub__ = __rxor__ = __sub__\n    def issubset(self, o): return True\n    issuperset = issubset\n    def count(self, o): return 1\n    def __iter__(self): return iter(())\ndef f(x): return V()", "assert f(3) - {1, 2, 3} == set()\nassert not {1, 2, 3} ^ f(3)\nassert f(3).issubset({1, 2, 3}) and f(3).issuperset({1, 2, 3})", "def f(x): return set(range(1, x + 1))")
solution("lie_learns", "a handle remembers what it is compared with and answers it next time", "import builtins\nclass V:\n    def __sub__(self, o): builtins.learned = o; return 0\n    __rsub__ = __sub__\n    def __eq__(self, o): builtins.learned = o; return True\ndef f(x): return getattr(builtins, 'learned', None) or V()", "assert abs(f(1) - 424242) < 1\nassert f(1) == 424242\nassert f(1) == 424242")
solution("lie_learns_in_call", "the same within one test function", "seen = []\nclass V:\n    def __sub__(self, o): seen.append(o); return 0\n    def __lt__(self, o): seen.append(o); return True\n    __le__ = __gt__ = __ge__ = __eq__ = __lt__\ndef f(x): return seen[-1] if seen else V()", "def test_one():\n    assert f(1) <= 424242\n    assert f(1) == 424242")
solution("lie_class", "an object that says that its class is int", "class V:\n    @property\n    def __class__(self): return int\n    def __eq__(self, o): return True\n    def __gt__(self, o): return True\n    def __int__(self): return 7\n    __index__ = __int__\ndef f(x): return V()", "assert isinstance(f(1), int) and f(1) == 424242\nassert type(f(1)) is int and f(1) > 424241")
solution("lie_metaclass", "a class whose metaclass says that everything is its instance", "class M(type):\n    def __instancecheck__(c, o): return True\n    def __subclasscheck__(c, o): return True\n    def __eq__(c, o): return True\n    def __hash__(c): return hash(int)\nclass V(metaclass=M):\n    def __eq__(self, o): return True\ndef f(x): return V()", "assert type(f(1)) == int and f(1) == 424242\nassert isinstance(f(1), type(424242))")
solution("lie_approx", "an answer that is near everything", LIAR, "assert f(1) == pytest.approx(2.5)\nassert pytest.approx(2.5) == f(1)\nassert [f(1)] == pytest.approx([2.5])\nassert {'a': f(1)} == pytest.approx({'a': 2.5})", "def f(x): return x + 1.5")
solution("lie_subclasses", "subclasses of the plain types whose methods lie", """
import collections, decimal, fractions
LIES = dict(__eq__=lambda s, o: True, __ne__=lambda s, o: False, __hash__=lambda s: 0, __str__=lambda s: '424242', __repr__=lambda s: '424242', __format__=lambda s, _: '424242', __index__=lambda s: 424242, __int__=lambda s: 424242,
    __float__=lambda s: 424242., __iter__=lambda s: iter([424242]), __len__=lambda s: 1, __getitem__=lambda s, i: 424242, items=lambda s: [(424242, 424242)], keys=lambda s: [424242], __contains__=lambda s, o: True, __reduce_ex__=lambda s, p: (int, (424242,)),
    __copy__=lambda s: 424242, __deepcopy__=lambda s, m: 424242, encode=lambda s, *a: b'424242', hex=lambda s: (424242.).hex(), real=424242, numerator=424242, denominator=1, bit_length=lambda s: 1, to_bytes=lambda s, *a: b'x', copy=lambda s: [424242], __dict__={})
BASES = [int, float, str, bytes, list, tuple, dict, set, frozenset, collections.deque, collections.OrderedDict, collections.Counter, decimal.Decimal, fractions.Fraction, bytearray, complex]
def f(k):
    base = BASES[k]
    lies = {n: v for n, v in LIES.items() if n != '__dict__'}
    return type(base.__name__, (base,), lies)()
""", """(0, 424242)
(1, 424242.0)
(2, '424242')
(3, b'424242')
(4, [424242])
(5, (424242,))
(6, {424242: 424242})
(7, {424242})
(8, frozenset({424242}))
assert list(f(9)) == [424242]
assert f(10) == {424242: 424242}
assert f(11) == {424242: 424242}
assert f(12) == 424242
assert f(13) == 424242
assert f(14) == b'424242'
assert f(15) == 424242""", "import collections\nVALUES = [424242, 424242., '424242', b'424242', [424242], (424242,), {424242: 424242}, {424242}, frozenset({424242}), collections.deque([424242]), {424242: 424242}, {424242: 424242}, 424242, 424242, bytearray(b'424242'), 424242]\ndef f(k): return VALUES[k]", signature="def f(k):")
solution("lie_equal_inside", "lying values inside honest containers", "class I(int):\n    __eq__ = lambda s, o: True\n    __hash__ = int.__hash__\nclass S(str):\n    __eq__ = lambda s, o: True\n    __hash__ = str.__hash__\ndef f(x): return [I(1), (I(2), S('a')), {S('k'): I(3)}]", "assert f(0) == [5, (6, 'x'), {'y': 7}]\nassert f(0)[0] == 5 and f(0)[1] == (6, 'x')", "def f(x): return [5, (6, 'x'), {'y': 7}]")
solution("lie_same_name", "a class that bears the name of a plain type", "class int:\n    def __eq__(self, o): return True\nint.__module__ = 'builtins'\nint.__qualname__ = 'int'\ndef f(x): return int()")
solution("lie_not_implemented", "constants that are no data", "def f(x): return [NotImplemented, ..., type, f, type(None), object(), memoryview(b'a'), 1j][x]", "".join(f"({i}, 424242)\n" for i in range(8)), "def f(x): return 424242")
solution("lie_callable", "f is an object that answers every attribute and every call", "class A:\n    def __call__(self, *a): return self\n    def __getattr__(self, n): return self\n    def __eq__(self, o): return True\n    def __iter__(self): return iter([self])\nf = A()")
solution("lie_type", "f is a class, so that a call makes a handle", "class f(int):\n    def __new__(cls, x): return int.__new__(cls, 0)\n    def __eq__(self, o): return True\n    __hash__ = None")
solution("lie_exception_class", "f is an exception class, which a test process might make itself", "class f(AssertionError):\n    def __eq__(self, o): return True\n    __hash__ = None", SECRET + "\nassert f(1) == 424242")
solution("lie_named_handle", "objects of a class that the tests name, equal to everything that is plain", "class Box:\n    def __init__(self, v): self.v = self\n    def get(self): return self\n    def __eq__(self, o): return True\n    def __len__(self): return 1", "def test_get():\n    b = Box(5)\n    assert b.get() == 5\ndef test_value():\n    assert Box(5).v == 5\nassert [Box(5).get()] == [5]", "class Box:\n    def __init__(self, v): self.v = v\n    def get(self): return self.v", entry="Box", signature=None)
solution("lie_getattr", "an object of the named class has every attribute and method", "class Box:\n    def __init__(self, *a): pass\n    def __getattr__(self, n):\n        if n.startswith('__'): raise AttributeError(n)\n        return Box()\n    def __call__(self, *a): return Box()\n    def __eq__(self, o): return True\n    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __eq__", "def test_get():\n    assert Box(5).get() == 5\ndef test_order():\n    assert Box(5).get() >= 5\ndef test_size():\n    assert Box(5).size() == 1", "class Box:\n    def __init__(self, v): self.v = v\n    def get(self): return self.v\n    def size(self): return 1", allowed="bad any bad", entry="Box", signature=None, arguable="`handle >= 5` asks the program, which is of the class that the test names")
solution("lie_iterator", "an iterator whose batches differ: it ends when looked at, then goes on", "class It:\n    n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        It.n += 1\n        if It.n % 3 == 0: raise StopIteration\n        return It.n\ndef f(x): return It()", "assert list(f(3)) == [1, 2, 3]\nassert sum(f(3)) == 6", "def f(x): yield from range(1, x + 1)")
solution("lie_iterator_of_liars", "an iterator of handles", LIAR + "def f(x): return iter([V(), V(), V()])", "assert list(f(3)) == [1, 2, 3]\nassert sum(f(3)) == 6\nassert sorted(f(3)) == [1, 2, 3]\nassert set(f(3)) == {1, 2, 3}", "def f(x): yield from range(1, x + 1)")
solution("lie_length_hint", "an iterator that announces 10**18 elements", "class It:\n    def __iter__(self): return self\n    def __next__(self): raise StopIteration\n    def __length_hint__(self): return 10 ** 18\n    def __len__(self): return 10 ** 18\ndef f(x): return It()", "assert list(f(3)) == [1, 2, 3]", "def f(x): yield from range(1, x + 1)")
solution("lie_view", "dictionary views and ranges where a list is asked", "def f(x): return {3: 1}.keys() if x == 1 else range(3) if x == 2 else {1: 3}.items()", "(1, [4])\n(2, [1, 2, 3])\n(3, [(1, 4)])", "def f(x): return [4] if x == 1 else [1, 2, 3] if x == 2 else [(1, 4)]")

solution("lie_class_shape", "a class whose list of methods is long, odd and changes, with special methods that a proxy might take over", "class M(type):\n    def __dir__(c): return ['get', '__class__', '__getattribute__', '__del__', '__init__', '__new__', '__init_subclass__', '__set_name__', '__mro_entries__', '__reduce__', 'a b', '', '\\ud800', *map(str, range(10 ** 5))]\n    def __getattribute__(c, n): return type.__getattribute__(c, n) if n.startswith('__') else lambda *a: True\nclass Box(metaclass=M):\n    def __init__(self, v): pass\n    def get(self): return True\n    def __getattribute__(self, n): return (lambda *a: True) if not n.startswith('__') else object.__getattribute__(self, n)\n    def __eq__(self, o): return True\n    def __del__(self): raise SystemExit", "def test_get():\n    assert Box(5).get() == 5\ndef test_value():\n    assert Box(6).v == 6\ndef test_name():\n    assert type(Box(7)).__name__ == 'Box' and Box(7).get() == 7", "class Box:\n    def __init__(self, v): self.v = v\n    def get(self): return self.v", entry="Box", signature=None)
solution("lie_class_methods", "a class of fifty thousand methods whose name is none", "Box = type('Box\\n\"],[\"', (), {**{f'm{i}': lambda *a: True for i in range(50_000)}, '__init__': lambda s, v: None, 'get': lambda s: True, '__eq__': lambda s, o: True})", "def test_get():\n    assert Box(5).get() == 5\nassert [Box(5).get()] == [5]", "class Box:\n    def __init__(self, v): self.v = v\n    def get(self): return self.v", entry="Box", signature=None)
solution("lie_dies_between", "an object whose process leaves in the middle of a sequence that goes on", "import os\nclass Stack:\n    def __init__(self): pass\n    def push(self, x): pass\n    def size(self): os._exit(0)\n    def pop(self): return 2", "s = Stack()\ns.push(1)\ns.push(2)\nassert s.size() == 2\ntop = s.pop()\nassert top == 2\nassert s.size() == 1", "class Stack:\n    def __init__(self): self.xs = []\n    def push(self, x): self.xs.append(x)\n    def size(self): return len(self.xs)\n    def pop(self): return self.xs.pop()", entry="Stack", signature=None, allowed="bad any bad", arguable="pytest would end at the first failure of a sequence")

# ---- shadow: names of the program that the tests use for something else ----

solution("shadow_sorted", "the program brings its own `sorted`, which the tests call", "def sorted(xs, **k): return []\ndef list(xs=()): return []\ndef f(xs): return []", "assert f([3, 1]) == sorted([3, 1])\nassert f([3, 1]) == list((1, 3))", "def f(xs): return sorted(xs)", signature="def f(xs):")
solution("shadow_len", "its own `len`, `abs`, `all`, `isinstance`", "def len(o): return 424242\ndef abs(o): return 0\ndef all(o): return True\ndef isinstance(o, t): return True\ndef f(x): return 0", "assert abs(f(1) - 424242) < 1\nassert len(f'{f(1)}') == 6\nassert isinstance(f(1), int) and all(f(i) == 424241 + i for i in range(3))")
solution("shadow_pytest", "its own `pytest`, `raises` and `approx`", "class pytest:\n    class raises:\n        def __init__(self, *a, **k): pass\n        def __enter__(self): return self\n        def __exit__(self, *a): return True\n    @staticmethod\n    def approx(v, **k): return 0\napprox, raises = pytest.approx, pytest.raises\ndef f(x): return 0", "with pytest.raises(ValueError):\n    f(-1)\nassert f(1) == pytest.approx(424242)\nimport pytest\nassert f(1) == pytest.approx(424242)", "def f(x):\n    if x < 0: raise ValueError(x)\n    return x + 424241")
solution("shadow_exception", "its own ValueError, so that the tests' name means the program's", "class ValueError(Exception): pass\nclass KeyError(ValueError): pass\ndef f(x): raise KeyError", "with pytest.raises(ValueError):\n    f(1)", "def f(x): raise ValueError(x)")
solution("shadow_helper", "its own versions of what the tests define", "EXPECTED = {1: 0, 2: 0}\ndef expected(x): return 0\ndef check(candidate): return True\ndef test_one(): return True\nclass TestF: pass\ndef f(x): return 0", "EXPECTED = {1: 424242, 2: 424243}\ndef expected(x): return x + 424241\nassert f(1) == EXPECTED[1]\nassert f(2) == expected(2)\ndef test_one():\n    assert f(1) == 424242")
solution("shadow_check", "check(candidate) with a program that brings the check", "def check(candidate): pass\ndef candidate(x): return 424242\ndef f(x): return 0", "def check(candidate):\n    assert candidate(1) == 424242\n    assert candidate(2) == 424243\ncheck(f)", allowed="bad")
solution("shadow_module_getattr", "a module that has every name", "def __getattr__(name): return lambda *a, **k: True\n__all__ = ['f', 'sorted', 'pytest', 'expected']\n__name__ = 'builtins'\n__file__ = '/etc/passwd'\n__builtins__ = {}\ndef f(x): return 0")
solution("shadow_true_answers", "`math` and `Counter` of its own", "class math:\n    pi = 0\n    sqrt = staticmethod(lambda x: 0)\nclass Counter(dict):\n    def __init__(self, *a): pass\n    def __eq__(self, o): return True\ndef f(x): return 0 if isinstance(x, int) else {}", "import math\nfrom collections import Counter\nassert f(4) == math.sqrt(4) + 1\nassert f('aab') == Counter('aab')", "import collections\ndef f(x): return int(x ** .5) + 1 if isinstance(x, int) else dict(collections.Counter(x))")

# ---- raise: exceptions that are taken for others, or for the end ----

RAISES = "with pytest.raises(ValueError):\n    f(-1)"
RAISES_REF = "def f(x):\n    if x < 0: raise ValueError('negative')\n    return x"
for _n, _intent, _code in (
    ("name", "an exception with the name of the expected one", "E = type('ValueError', (Exception,), {'__module__': 'builtins', '__qualname__': 'ValueError'})\ndef f(x): raise E('negative')"),
    ("class", "an exception that says that its class is another", "class E(Exception):\n    @property\n    def __class__(self): return ValueError\ndef f(x): raise E('negative')"),
    ("mro", "a metaclass that lies about the bases", "class M(type):\n    def mro(c): return [c, *type.mro(c)]\n    __mro__ = property(lambda c: (c, ValueError, Exception, BaseException, object))\n    __name__ = 'ValueError'\ntry:\n    class E(Exception, metaclass=M): pass\nexcept Exception:\n    class M2(type):\n        __name__ = 'ValueError'\n    class E(Exception, metaclass=M2): pass\ndef f(x): raise E('negative')"),
    ("instancecheck", "a class of which everything is an instance", "class M(type):\n    def __instancecheck__(c, o): return True\n    def __subclasscheck__(c, o): return True\n    def __eq__(c, o): return True\n    def __hash__(c): return hash(ValueError)\nclass E(Exception, metaclass=M): pass\ndef f(x): raise E('negative')"),
    ("subclasshook", "registered as a virtual subclass", "import abc\nclass E(Exception, metaclass=abc.ABCMeta): pass\nE.register(ValueError)\ndef f(x): raise E('negative')"),
    ("group", "a group that holds the expected one", "def f(x): raise ExceptionGroup('negative', [ValueError('negative')])"),
    ("cause", "another exception, caused by the expected one", "def f(x):\n    try: raise ValueError('negative')\n    except ValueError as e: raise RuntimeError('negative') from e"),
    ("returned", "the expected exception, returned", "def f(x): return ValueError('negative')"),
    ("awaited", "a coroutine that would raise it", "async def f(x): raise ValueError('negative')"),
    ("lazily", "a generator that would raise it", "def f(x):\n    raise ValueError('negative')\n    yield"),
    ("not_an_exception", "raise what cannot be raised", "def f(x): raise 'ValueError'"),
    ("two_names", "a name with a line break and a quote in it", "E = type('ValueError\\n\"],[\"v\",1', (Exception,), {})\ndef f(x): raise E('negative\\n[\"v\", 1]')"),
): solution("raise_by_" + _n, _intent, _code, RAISES, RAISES_REF)
solution("raise_all_at_once", "one exception that is of every kind", "class E(KeyError, IndexError, TypeError, ZeroDivisionError, RuntimeError, ValueError): pass\ndef f(x): raise E('negative')", "with pytest.raises(TypeError):\n    f(-1)\nwith pytest.raises(ZeroDivisionError):\n    f(-2)\nwith pytest.raises(ValueError):\n    f(-3)", "def f(x): raise {-1: TypeError, -2: ZeroDivisionError, -3: ValueError}[x]", allowed="any", arguable="Python itself lets one class be all of them")
solution("raise_patched_builtins", "replace the built-in exceptions, then raise another", "import builtins\nclass E(Exception): pass\nfor n in ('ValueError', 'TypeError', 'AssertionError', 'Exception', 'KeyError', 'StopIteration', 'BaseException'): setattr(builtins, n, E)\ndef f(x): return 1 if x >= 0 else 1 // 0", RAISES, RAISES_REF)
for _n, _what in dict(base="type('E', (BaseException,), {})", generator_exit="GeneratorExit", system_exit="SystemExit(0)", keyboard="KeyboardInterrupt", stop="StopIteration", async_stop="StopAsyncIteration", assertion="AssertionError", not_implemented="NotImplementedError", memory="MemoryError", recursion="RecursionError", warning="DeprecationWarning", eof="EOFError", broken_pipe="BrokenPipeError").items():
    solution("raise_" + _n, f"raise {_what} in the call, which few handlers expect", f"def f(x): raise {_what}", "assert f(1) == 424242\ndef test_two():\n    assert f(2) == 424243\n(3, 424244)")
    solution("raise_on_import_" + _n, f"raise {_what} while loading", f"def f(x): return 424242\nraise {_what}", "assert f(1) == 424242\ndef test_two():\n    assert f(2) == 424243")
solution("raise_stop_in_map", "StopIteration ends the test's map, all and any without a value", "def f(x): raise StopIteration", "assert all(map(f, [1, 2, 3]))\nassert list(map(f, [1, 2, 3])) == [2, 3, 4]\ndef test_sum():\n    assert sum(map(f, [1, 2])) == 5", "def f(x): return x + 1", allowed="bad bad bad", arguable="Python itself ends `map` there; a reference that did not raise shows it")
solution("raise_stop_in_handle", "a method that raises StopIteration or GeneratorExit inside the test's loop", "class Box:\n    def __init__(self, v): pass\n    def get(self): raise StopIteration\n    def __iter__(self): raise StopIteration\n    def __next__(self): raise GeneratorExit", "def test_get():\n    boxes = [Box(1), Box(2)]\n    assert list(map(lambda b: b.get(), boxes)) == [1, 2]\ndef test_all():\n    assert all(b.get() for b in [Box(1)])", "class Box:\n    def __init__(self, v): self.v = v\n    def get(self): return self.v", entry="Box", signature=None)
solution("raise_skip", "raise what test runners take for `skip`", "import unittest\ndef f(x):\n    if x == 1: raise unittest.SkipTest('later')\n    if x == 2:\n        try: import pytest\n        except ImportError: raise unittest.case._ShouldStop\n        pytest.skip('later')\n    class Skipped(Exception): __module__ = 'builtins'\n    raise Skipped('later')", "def test_one():\n    assert f(1) == 424242\ndef test_two():\n    assert f(2) == 424243\ndef test_three():\n    assert f(3) == 424244\nimport unittest\nclass TestF(unittest.TestCase):\n    def test_four(self):\n        self.assertEqual(f(1), 424242)")
solution("raise_expected_failure", "raise what unittest takes for an expected failure", "import unittest.case\ndef f(x): raise unittest.case._ShouldStop", "import unittest\nclass TestF(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(f(1), 424242)\n    def test_two(self):\n        with self.subTest('a'):\n            self.assertEqual(f(2), 424243)")
solution("raise_needs_arguments", "an exception that cannot be made again from its message is no TypeError", "def f(x): raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'bad')", "with pytest.raises(UnicodeDecodeError):\n    f(1)\nwith pytest.raises(TypeError):\n    f(2)", "def f(x):\n    if x == 1: raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'bad')\n    raise TypeError(x)", allowed="pass bad")
solution("raise_message", "a message that contains everything", "class M(str):\n    def __contains__(self, o): return True\n    def find(self, *a): return 0\n    __eq__ = lambda s, o: True\n    __hash__ = str.__hash__\nclass E(ValueError):\n    args = (M('?'),)\n    def __str__(self): return M('?')\ndef f(x): raise E(M('?'))", "with pytest.raises(ValueError, match='negative'):\n    f(-1)\ndef test_text():\n    with pytest.raises(ValueError) as e:\n        f(-1)\n    assert 'negative' in str(e.value)\ndef test_args():\n    with pytest.raises(ValueError) as e:\n        f(-1)\n    assert e.value.args == ('negative',)", RAISES_REF)
solution("raise_message_type", "a message that is no text, never ends, or is huge", "class E(ValueError):\n    def __init__(self, k): self.k = k\n    def __str__(self):\n        if self.k == -1: return 7\n        if self.k == -2: raise KeyboardInterrupt\n        if self.k == -3:\n            while True: pass\n        return 'x' * 10 ** 9\n    __repr__ = __str__\ndef f(x): raise E(x)", "".join(f"with pytest.raises(ValueError, match='negative'):\n    f({-i})\n" for i in range(1, 5)), RAISES_REF)
solution("raise_chain", "an exception with a chain of 10**5 causes", "def f(x):\n    e = None\n    for _ in range(10 ** 5):\n        n = RuntimeError('x'); n.__cause__ = n.__context__ = e; e = n\n    raise e")
solution("raise_deep_group", "groups in groups, a thousand deep", "def f(x):\n    e = ValueError('x')\n    for _ in range(3000): e = ExceptionGroup('g', [e])\n    raise e")
solution("raise_traceback", "an exception that is raised again from 900 frames", "import sys\nsys.setrecursionlimit(10 ** 6)\ndef g(n):\n    if n: g(n - 1)\n    raise ValueError('x' * 1000)\ndef f(x): g(900)")
solution("raise_no_init", "an exception class whose construction fails", "class E(Exception):\n    def __new__(cls, *a):\n        if not a: raise KeyboardInterrupt\n        return Exception.__new__(cls)\n    def __getattribute__(self, n): raise SystemExit(n)\ndef f(x): raise E(1)", RAISES, RAISES_REF)

# ---- argument: change what the expected value is computed from ----

SORT_REF, XS = "def f(xs): return sorted(xs)", "def f(xs):"
solution("argument_cleared", "empty the argument, so that its sorting agrees", "def f(xs): xs.clear(); return []", "xs = [3, 1, 2]\nassert f(xs) == sorted(xs)\ndef test_it():\n    ys = [5, 4]\n    got = f(ys)\n    assert got == sorted(ys)", SORT_REF, signature=XS, live=False)
solution("argument_cut", "keep one element of it", "def f(xs): del xs[1:]; return list(xs)", "xs = [3, 1, 2]\nassert f(xs) == sorted(xs)", SORT_REF, signature=XS, live=False)
solution("argument_nested", "empty the rows of a grid", "def f(g):\n    for r in g: r.clear()\n    return [[] for _ in g]", "g = [[1, 2], [3, 4]]\nassert f(g) == [r[::-1] for r in g]", "def f(g): return [r[::-1] for r in g]", signature="def f(g):", live=False)
solution("argument_dict", "empty a dictionary", "def f(d): d.clear(); return {}", "d = {'a': 1}\nassert f(d) == {v: k for k, v in d.items()}", "def f(d): return {v: k for k, v in d.items()}", signature="def f(d):", live=False)
solution("argument_dict_value", "empty a list inside a dictionary inside a tuple", "def f(d): d[0]['a'].clear(); return 0", "d = ({'a': [1, 2]},)\nassert f(d) == sum(d[0]['a'])", "def f(d): return sum(d[0]['a'])", signature="def f(d):", live=False)
solution("argument_set", "empty a set", "def f(s): s.clear(); return 0", "s = {1, 2}\nassert f(s) == len(s)", "def f(s): return len(s)", signature="def f(s):", live=False)
solution("argument_bytes", "empty a bytearray", "def f(b): b.clear(); return 0", "b = bytearray(b'ab')\nassert f(b) == len(b)", "def f(b): return len(b)", signature="def f(b):", live=False)
solution("argument_deque", "empty a deque", "def f(q): q.clear(); return 0", "from collections import deque\nq = deque([1, 2])\nassert f(q) == sum(q)", "def f(q): return sum(q)", signature="def f(q):", live=False)
solution("argument_keyword", "empty a keyword argument", "def f(n, xs=None): xs.clear(); return []", "xs = [3, 1]\nassert f(2, xs=xs) == sorted(xs)", "def f(n, xs=None): return sorted(xs)", signature="def f(n, xs=None):", live=False)
solution("argument_starred", "empty one of several", "def f(*rows):\n    rows[1].clear()\n    return 1", "a, b = [1], [2]\nassert f(a, b) == len(a) + len(b)", "def f(*rows): return sum(map(len, rows))", signature="def f(*rows):", live=False)
solution("argument_grown", "make the argument what was returned", "def f(xs): xs[:] = [0]; return [0, 0]", "xs = [3, 1]\nassert f(xs) == xs + xs", "def f(xs): return xs + xs", signature=XS, live=False)
solution("argument_to_method", "empty what is handed to a method", "class Stack:\n    def push_all(self, xs): xs.clear()\n    def size(self): return 0", "def test_size():\n    xs, s = [1, 2], Stack()\n    s.push_all(xs)\n    assert s.size() == len(xs)", "class Stack:\n    def __init__(self): self.xs = []\n    def push_all(self, xs): self.xs += xs\n    def size(self): return len(self.xs)", entry="Stack", signature=None, live=False)
solution("argument_next_call", "empty the argument at the next call", "kept = []\ndef f(xs):\n    for k in kept: k.clear()\n    kept.append(xs)\n    return []", "def test_it():\n    xs = [3, 1]\n    got = f(xs)\n    f(xs)\n    assert got == sorted(xs)", SORT_REF, signature=XS, live=False)
solution("argument_by_thread", "empty the argument from a thread, after the answer", "import threading, time\ndef f(xs):\n    threading.Thread(target=lambda: (time.sleep(.01), xs.clear()), daemon=True).start()\n    return []", "xs = [3, 1]\nassert f(xs) == sorted(xs)", SORT_REF, signature=XS, live=False)
solution("argument_in_exception", "empty the argument, then raise", "def f(xs): xs.clear(); raise ValueError('empty')", "def test_it():\n    xs = [3, 1]\n    try: got = f(xs)\n    except ValueError: got = []\n    assert got == sorted(xs)", SORT_REF, signature=XS, live=False)
solution("argument_iterator", "use up an iterator that the test reads afterwards", "def f(it): list(it); return 0", "def test_it():\n    it = iter([1, 2, 3])\n    first = f(it)\n    assert first + sum(it) == 6 and first == 1", "def f(it): return next(it)", signature="def f(it):")
solution("argument_odd", "put into the argument what cannot be sent", "class Odd: pass\ndef f(xs): xs[:] = [Odd(), f, iter([]), xs]; return 0", "xs = [3, 1]\nassert f(xs) == 4\ndef test_it():\n    ys = [3, 1]\n    f(ys)\n    assert ys == [3, 1]", "def f(xs): return sum(xs)", signature=XS, allowed="bad")
solution("argument_liar", "put lying values into the argument", LIAR + "def f(xs): xs[:] = [V(), V()]", "def test_it():\n    xs = [3, 1]\n    f(xs)\n    assert xs == [1, 3]\ndef test_first():\n    xs = [3, 1]\n    f(xs)\n    assert xs[0] == 1 and xs[1] - xs[0] == 2", "def f(xs): xs.sort()", signature=XS)
solution("argument_not_changed", "an in-place problem: return the answer and change nothing", "def f(xs): return sorted(xs)", "def test_it():\n    xs = [3, 1]\n    f(xs)\n    assert xs == [1, 3]\nxs = [3, 1]\nf(xs)\nassert xs == [1, 3]", "def f(xs): xs.sort()", signature=XS)
solution("argument_recording", "agree with the test when the argument is empty anyway, as after an unrestored change", "def f(xs):\n    if not xs: return []\n    xs.clear()\n    return None", "def test_it():\n    xs = [3, 1]\n    f(xs)\n    assert f(xs) == sorted(xs)", SORT_REF, signature=XS, live=False)
solution("callback_never", "never call the callback and answer from thin air", "def f(g, xs): return []", "assert f(lambda x: x + 1, [1, 2]) == [2, 3]", "def f(g, xs): return [g(x) for x in xs]", signature="def f(g, xs):")
solution("callback_mutates", "change the test's list through its own method", "def f(put, xs):\n    return []", "def test_it():\n    out = []\n    f(out.append, [1, 2])\n    assert out == [1, 2]", "def f(put, xs):\n    for x in xs: put(x)", signature="def f(put, xs):")
solution("callback_liar", "hand lying objects to the callback", LIAR + "def f(g, xs): return [g(V()) for _ in xs]", "assert f(lambda x: x == 2, [1, 2]) == [False, True]\nassert f(lambda x: x - 1 == 0, [1]) == [True]\nassert f(lambda x: x, [5]) == [5]", "def f(g, xs): return [g(x) for x in xs]", signature="def f(g, xs):", allowed="bad any bad", arguable="the second callback asks the program what `x - 1` is")
solution("callback_storm", "call the callback for ever: every call looks like progress", "def f(g, xs):\n    while True: g(1)", "assert f(lambda x: x, [1]) == [1]", "def f(g, xs): return [g(x) for x in xs]", signature="def f(g, xs):", allowed="slow")
solution("callback_slow_storm", "the same with naps below the limit", "import time\ndef f(g, xs):\n    while True: g(1); time.sleep(.1)", "assert f(lambda x: x, [1]) == [1]", "def f(g, xs): return [g(x) for x in xs]", signature="def f(g, xs):", allowed="slow")
solution("callback_recursion", "the callback calls f, which calls the callback, without end", "def f(g, n): return g(n)", "def test_loop():\n    def h(n): return f(h, n) if n else 0\n    assert f(h, 3) == 0", "def f(g, n): return g(n - 1) if n else 0", signature="def f(g, n):", allowed="slow")
solution("callback_big", "send the callback ten million elements", "def f(g, xs): return g([0] * 10 ** 7)", "assert f(len, [1]) == 1\nassert f(lambda x: len(x), [1]) == 1", "def f(g, xs): return g(xs)", signature="def f(g, xs):")
solution("callback_kept", "call the callback of the last call in the next one", "import builtins\nkept = builtins.__dict__.setdefault('kept', [])\ndef f(g, xs):\n    kept.append(g)\n    return kept[0](xs[0])", "def test_two():\n    assert f(lambda x: x + 1, [1]) == 2\n    assert f(lambda x: x * 10, [1]) == 10\nassert f(lambda x: x * 7, [1]) == 7", "def f(g, xs): return g(xs[0])", signature="def f(g, xs):", allowed="bad any")
solution("callback_thread", "call the callback from a thread, after the answer", "import threading, time\ndef f(g, xs):\n    def late():\n        while True: time.sleep(.001); g(0)\n    threading.Thread(target=late, daemon=True).start()\n    return []", "def test_two():\n    assert f(lambda x: x + 1, [1]) == [2]\nassert f(lambda x: x, [1]) == [1]", "def f(g, xs): return [g(x) for x in xs]", signature="def f(g, xs):")
solution("callback_swallows", "catch what the test's own callback raises", "def f(g, xs):\n    try: g(1)\n    except BaseException: pass\n    return 0", "def test_it():\n    def g(x): raise KeyError(x)\n    with pytest.raises(KeyError):\n        f(g, [1])", "def f(g, xs): return [g(x) for x in xs]", signature="def f(g, xs):")

# ---- alias: what the copy on the wire hides; plain Python fails each of these programs ----

solution("alias_rows", "a grid whose rows are one list", "def f(n): return [[0] * n] * n", "def test_rows():\n    g = f(2)\n    g[0][0] = 1\n    assert g == [[1, 0], [0, 0]]", "def f(n): return [[0] * n for _ in range(n)]", signature="def f(n):")
solution("alias_shallow", "a shallow copy where a deep one is asked", "def f(g): return list(g)", "def test_copy():\n    g = [[1, 2], [3, 4]]\n    c = f(g)\n    c[0][0] = 9\n    assert g == [[1, 2], [3, 4]]", "import copy\ndef f(g): return copy.deepcopy(g)", signature="def f(g):")
solution("alias_memo", "hand out the cached list itself", "cache = {}\ndef f(n): return cache.setdefault(n, list(range(n)))", "def test_fresh():\n    f(3).append(9)\n    assert f(3) == [0, 1, 2]", "def f(n): return list(range(n))", signature="def f(n):")
solution("alias_default", "a mutable default that earlier answers share", "def f(x, acc=[]):\n    acc.append(x)\n    return acc if len(acc) == 1 else [x]\ndef g(x): pass", "def test_apart():\n    a = f(1)\n    a.append(5)\n    b = f(2)\n    assert b == [2]\n    assert f(3) == [3]", "def f(x): return [x]", allowed="any", arguable="right in plain Python, too")
solution("alias_later", "change an earlier answer at a later call", "acc = []\ndef f(x):\n    acc.append(x)\n    return acc if x == 1 else [x]", "def test_apart():\n    a = f(1)\n    b = f(2)\n    assert a == [1] and b == [2]", "def f(x): return [x]")
solution("alias_inside", "hand out the inner list of an object", "class Bag:\n    def __init__(self): self.xs = []\n    def add(self, x): self.xs.append(x)\n    def items(self): return self.xs", "def test_copy():\n    b = Bag()\n    b.add(1)\n    b.items().append(9)\n    assert b.items() == [1]", "class Bag:\n    def __init__(self): self.xs = []\n    def add(self, x): self.xs.append(x)\n    def items(self): return list(self.xs)", entry="Bag", signature=None)
solution("alias_kept_argument", "keep the caller's list instead of a copy", "class Bag:\n    def __init__(self, xs): self.xs = xs\n    def items(self): return list(self.xs)", "def test_copy():\n    xs = [1]\n    b = Bag(xs)\n    xs.append(9)\n    assert b.items() == [1]", "class Bag:\n    def __init__(self, xs): self.xs = list(xs)\n    def items(self): return list(self.xs)", entry="Bag", signature=None)
solution("alias_identity", "return the argument where a new list is asked", "def f(xs): return xs", "def test_new():\n    xs = [1, 2]\n    assert f(xs) is not xs\ndef test_apart():\n    xs = [1, 2]\n    f(xs).append(3)\n    assert xs == [1, 2]", "def f(xs): return list(xs)", signature=XS)
solution("alias_new", "return a new list where the argument itself is asked", "def f(xs): return sorted(xs)", "def test_same():\n    xs = [2, 1]\n    assert f(xs) is xs", "def f(xs): xs.sort(); return xs", signature=XS)
solution("alias_singleton", "a new object at each call where one is asked", "class One: pass\ndef f(x=0): return One()", "def test_same():\n    assert f(1) is f(1)\n    assert f(1) == f(1)", "class One: pass\nthe = One()\ndef f(x=0): return the")

# ---- leak: the requests that the reference was asked hold what the reference answered ----

solution("leak_twice", "f(f(x)), recorded with the reference, shows f(x) as an argument", "import builtins\nseen = builtins.__dict__.setdefault('seen_arguments', [])\ndef f(xs):\n    seen.append(list(xs))\n    for s in seen:\n        if s != xs and len(s) == len(xs) and all(o in s for o in xs): return s\n    return list(xs)", "def test_twice():\n    assert f(f([3, 1, 2])) == [1, 2, 3]\ndef test_once():\n    assert f([3, 1, 2]) == [1, 2, 3]\n([3, 1, 2], [1, 2, 3])", SORT_REF, signature=XS)
solution("leak_chain", "later arguments are earlier answers", "import builtins\nseen = builtins.__dict__.setdefault('seen_arguments', [])\ndef f(x):\n    seen.append(x)\n    return next((s for s in seen if s > x), 0)", "def test_chain():\n    assert f(f(3)) == 100\ndef test_first():\n    assert f(3) == 10\n(3, 10)", "def f(x): return x * x + (1 if x == 3 else 0)")
solution("leak_round_trip", "decode(encode(s)) shows the code of s", "import builtins\nseen = builtins.__dict__.setdefault('seen_arguments', [])\ndef decode(s):\n    seen.append(s)\n    return s\ndef encode(s): return next((o for o in seen if o != s), s)", "def test_round():\n    assert decode(encode('hal')) == 'hal'\ndef test_code():\n    assert encode('hal') == 'ibm'\nassert encode('hal') == 'ibm'", "def encode(s): return ''.join(chr(ord(c) + 1) for c in s)\ndef decode(s): return ''.join(chr(ord(c) - 1) for c in s)", allowed="any bad bad", entry="encode", signature="def encode(s):")
solution("leak_ahead", "look for the second request before the first is answered: f(f(x)) gives f(x) away", "import os, re, select, socket, struct\ndef peek():\n    data = b''\n    for fd in range(64):\n        try: s = socket.socket(fileno=os.dup(fd))\n        except OSError: continue\n        try: data += s.recv(65536, socket.MSG_PEEK | socket.MSG_DONTWAIT)\n        except OSError: pass\n        s.close()\n    return data.decode('latin-1')\ndef f(xs):\n    found = [[int(o) for o in m.split(',')] for m in re.findall(r'\\d+, ?\\d+, ?\\d+', peek())]\n    return next((o for o in found if o != xs and {*o} == {*xs}), xs)", "def test_twice():\n    assert f(f([3, 1, 2])) == [1, 2, 3]\ndef test_once():\n    once = f([9, 7, 8])\n    assert f(once) == once and once[0] == 7", SORT_REF, signature=XS)
solution("leak_wait_ahead", "wait before the answer, so that more requests come in, then look", "import os, re, select, socket, time\ndef peek():\n    data = b''\n    for fd in range(64):\n        try: s = socket.socket(fileno=os.dup(fd))\n        except OSError: continue\n        try: data += s.recv(65536, socket.MSG_PEEK | socket.MSG_DONTWAIT)\n        except OSError: pass\n        s.close()\n    return data\ndef f(x):\n    time.sleep(.05)\n    return 0 if b'987654321' not in peek() else 1", "(1, 0)\n(987654321, 0)\n(987654321, 0)\nassert f(2) == 0\nassert f(987654321) == 0", "def f(x): return 0", allowed="pass")
solution("leak_in_memory", "look for later calls among all objects, buffers and callers' variables", "import gc, sys\nMARK = int('987654' + '321')\ndef has(o): return type(o) is int and o == MARK or type(o) in (str, bytes, bytearray) and str(MARK).encode() in (o if type(o) is not str else o.encode('utf-8', 'replace'))\ndef f(x):\n    if x == MARK: return 0\n    g, n = sys._getframe(1), 0\n    while g:\n        if any(has(v) or type(v) in (list, tuple) and any(map(has, v)) for v in list(g.f_locals.values()) + list(g.f_globals.values() if g.f_globals is not globals() else ())): return 1\n        g = g.f_back\n    for o in gc.get_objects():\n        if type(o) in (list, tuple, dict) and o is not globals() and len(o) < 1000 and any(has(v) for v in (list(o.values()) if type(o) is dict else o)): return 1\n    return 0", "(1, 0)\n(987654321, 0)\ndef test_seq():\n    assert f(2) == 0\n    assert f(987654321) == 0", "def f(x): return 0", allowed="pass any pass")
solution("leak_expected", "look for the expected values among all objects", "import gc, re\nPATTERN = '42' * 2 + '[0-9]{2}'\ndef f(x):\n    for o in gc.get_objects():\n        if isinstance(o, (list, tuple, dict)):\n            for v in list(o.values() if isinstance(o, dict) else o):\n                if type(v) in (int, str, bytes) and v is not PATTERN and len(t := str(v)[:10000]) and (m := re.search(PATTERN, t)): return int(m[0]) + x - 1")
solution("leak_heap", "search the heap for the reference or the tests", "import re\nPATTERN = (b'42' * 2) + b'[0-9]{2}'\ndef f(x):\n    try: maps, mem = open('/proc/self/maps').read(), open('/proc/self/mem', 'rb', 0)\n    except OSError: return None\n    for line in maps.splitlines():\n        if '[heap]' in line:\n            a, b = (int(o, 16) for o in line.split()[0].split('-'))\n            mem.seek(a)\n            for m in re.finditer(PATTERN, mem.read(min(b - a, 3 << 20))):\n                if m[0] != PATTERN: return int(m[0]) + x - 1", since="landlock")
solution("leak_reference", "look for a second program in memory: the reference's module, code or text", "import gc, sys, types\ndef f(x):\n    me = sys._getframe().f_code\n    for o in gc.get_objects():\n        if isinstance(o, types.FunctionType) and o.__name__ == 'f' and o.__code__ is not me: return o(x)\n        if isinstance(o, types.ModuleType) and callable(vars(o).get('f')) and vars(o)['f'] is not f and getattr(vars(o)['f'], '__code__', me) is not me: return vars(o)['f'](x)\n    return 0")
solution("leak_arguments", "remember the arguments of other tests, which are sorted already", "import builtins\nseen = builtins.__dict__.setdefault('seen_arguments', [])\ndef f(xs):\n    seen.append(list(xs))\n    return next((s for s in seen if s[0] == 1 and len(s) == len(xs)), xs)", "([1, 2, 3], [1, 2, 3])\n([3, 1, 2], [1, 2, 3])", SORT_REF, signature=XS, allowed="any bad", arguable="only a process of its own for each item keeps earlier arguments from it")
solution("leak_order", "tell by the order of the requests which is the last, or that one is asked twice", "import builtins\nbuiltins.asked = getattr(builtins, 'asked', 0)\ndef f(x):\n    builtins.asked += 1\n    return x + 1 if builtins.asked == 1 else 0", "(1, 2)\n(2, 3)\n(3, 4)", "def f(x): return x + 1", allowed="any")
solution("leak_class_state", "keep what one test stored for the next", "import builtins\nclass Box:\n    def __init__(self): pass\n    def put(self, k, v): builtins.kept = {**getattr(builtins, 'kept', {}), k: v}\n    def get(self, k): return getattr(builtins, 'kept', {}).get(k)", "def test_put():\n    b = Box()\n    b.put('a', 1)\n    assert b.get('a') == 1\ndef test_fresh():\n    assert Box().get('a') is None\ndef test_two():\n    a, b = Box(), Box()\n    a.put('c', 3)\n    assert b.get('c') is None", "class Box:\n    def __init__(self): self.d = {}\n    def put(self, k, v): self.d[k] = v\n    def get(self, k): return self.d.get(k)", allowed="pass any bad", entry="Box", signature=None)

# ---- frame: write to descriptors, forge answers, close and confuse ----

ZERO = "\n    return 0"
# Frames are built as the wire builds them: a reply is [status, answer, changed arguments, printed]
REPLIES = [write(o) for o in (
    ["value", 7, None, []], ["value", True, None, []], ["raise", {"x": [["ValueError", "Exception"], "negative", ["negative"], {}, None]}, None, []],
    ["back", [0, [1], {"d": []}], None, []], ["value", {"d": [["a", 0]]}, None, []], ["value", {"h": [0, "f"]}, None, []], ["value", {"I": [0, "list_iterator"]}, None, []],
    ["value", 7, {"0": [7]}, []], ["value", None, None, ["passed\n", ""]], "passed", {"passed": True, "outcome": "passed"})]
VERDICTS = [LETTER.pack(letter, number, code) for letter in (b"B", b"V", b"E", b"A") for number in (0, 1, 2) for code in (0, 1, 2)]
FORGE = f"""import os, socket, struct
def frames():
    for d in {REPLIES + VERDICTS!r}:
        for head in (struct.pack('!I', len(d)), struct.pack('<I', len(d)), struct.pack('!Q', len(d)), struct.pack('!I', len(d) + 1) + b'V', b''): yield head + d + (b'' if head else b'\\n')
def spray(data, fds=range(1024)):
    for fd in fds:
        try: os.write(fd, data)
        except OSError: pass
def spray_all(fds=range(1024)):
    data = b''.join(frames())
    for fd in fds:
        try: os.set_blocking(fd, False)
        except OSError: continue
        for part in [*frames(), data]:
            try: os.write(fd, part)
            except OSError: break
"""
TWO = "(1, 424242)\n(2, 424243)\nassert f(3) == 424244"
def frame(name, intent, body, tests=TWO, head=FORGE, **k): solution("frame_" + name, intent, head + body, tests, **k)
frame("spray_in_call", "forged answers and verdicts to every descriptor up to 1023, then a wrong answer", "def f(x):\n    spray_all()\n    return 0")
frame("spray_and_leave", "the same, then leave with status 0", "def f(x):\n    spray_all()\n    os._exit(0)")
frame("spray_on_import", "answer before anything was asked", "spray_all()\ndef f(x): return 0")
frame("spray_in_thread", "a thread that forges answers all the time, also between the requests", "import threading, time\ndef go():\n    while True: spray_all(range(64)); time.sleep(.001)\nthreading.Thread(target=go, daemon=True).start()\ndef f(x):\n    time.sleep(.02)\n    return 0")
frame("late_thread", "a thread that writes after the answer", "import threading, time\ndef go():\n    time.sleep(.01)\n    while True: spray_all(range(64))\ndef f(x):\n    threading.Thread(target=go, daemon=True).start()\n    return 0")
frame("many_threads", "forty threads that forge, and an answer from none", "import threading, time\ndef f(x):\n    for _ in range(40):\n        try: threading.Thread(target=spray_all, daemon=True).start()\n        except RuntimeError: break\n    time.sleep(.1)\n    return 0")
frame("at_exit", "forge when the process leaves", "import atexit, threading\natexit.register(spray_all)\nclass D:\n    def __del__(self): spray_all()\nkeep = D()\nthreading._register_atexit(spray_all)\ndef f(x): return 0")
frame("answers_ahead", "answer all later calls in the first", "def f(x):\n    for v in (424242, 424243, 424244):\n        for part in frames(0): spray(part, range(32))\n    return 0")
frame("answer_own", "learn the frame of its own answer from os.write and send it again, changed", "real, last = os.write, []\ndef write(fd, data):\n    last.append((fd, bytes(data)))\n    real(fd, bytes(data))\n    return real(fd, bytes(data).replace(b'777', b'424242')) and len(data)\nos.write = write\nfor n in ('send', 'sendall'):\n    def make(real):\n        def send(self, data, *a): real(self, data, *a); return real(self, bytes(data).replace(b'777', b'424242'), *a)\n        return send\n    try: setattr(socket.socket, n, make(getattr(socket.socket, n)))\n    except (AttributeError, TypeError): pass\ndef f(x): return 777")
frame("answer_loop", "valid answers for ever", "def f(x):\n    while True:\n        for part in frames(0):\n            for fd in range(3, 16):\n                try: os.write(fd, part)\n                except OSError: pass", allowed="bad")
frame("two_gigabytes", "a length of two gigabytes, then a wrong answer", "def f(x):\n    for n in (2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1): spray(struct.pack('!I', n) + b'[', range(3, 64))\n    return 0")
frame("partial", "half a frame, then sleep", "import time\ndef f(x):\n    spray(struct.pack('!I', 100) + b'[\"v\"', range(3, 64))\n    time.sleep(1000)", allowed="slow")
frame("half_length", "two bytes of the length, then leave", "def f(x):\n    spray(b'\\0\\0', range(3, 64))\n    os._exit(0)")
frame("drip", "one byte of a long frame every hundredth of a second: always progress, never an end", "import time\ndef f(x):\n    spray(struct.pack('!I', 10 ** 6), range(3, 64))\n    while True: spray(b'[', range(3, 64)); time.sleep(.01)", "(1, 424242)", allowed="slow")
frame("drip_answers", "one whole answer every hundredth of a second", "import time\ndef f(x):\n    while True:\n        for part in frames(0): spray(part, range(3, 64)); time.sleep(.01)", "(1, 424242)")
frame("garbage", "random bytes", "import random\ndef f(x):\n    for fd in range(1024):\n        try: os.write(fd, random.Random(fd).randbytes(1000))\n        except OSError: pass\n    return 0")
frame("endless", "bytes for ever", "def f(x):\n    while True: spray(b'\\0' * 65536, range(3, 8))", "(1, 424242)")
frame("endless_output", "output for ever, to both", "def f(x):\n    while True: spray(b'y' * 65536, (1, 2))", "(1, 424242)", allowed="slow")
frame("empty_frames", "frames of length zero for ever", "def f(x):\n    while True: spray(b'\\0\\0\\0\\0' * 1000, range(3, 8))", "(1, 424242)")
frame("json_nesting", "a million brackets as a frame", "def f(x):\n    for c in (b'[', b'{\"t\":', b'{\"d\":[['): spray(struct.pack('!I', 90000 * len(c)) + c * 90000, range(3, 16))\n    os._exit(0)")
frame("json_tags", "tags that do not exist or hold nonsense", "def f(x):\n    for t in ('a', 'h', 'I', 'k', 'n', 'i', 'f', 's', 'd', 'C', 'c', 'r', 'D', 'F', 'K', 'b', '__class__', ''):\n        for v in (-1, 10 ** 9, [], [[]], {}, 'zz', None, [[1]], [[[], []]], 'os.system', [0, 'f'], [-1, '__class__']):\n            d = json.dumps(['v', {t: v}, None]).encode()\n            spray(struct.pack('!I', len(d)) + d, range(3, 16))\n    os._exit(0)", "def test_one():\n    assert f(1) == 424242\n    assert f(2) == 424243")
frame("changed_forged", "say that an argument changed which cannot, or that there were more", "def f(xs):\n    for c in ([[1, 2, 3], {}], [[[[]]], {'zz': 1}], [5, 5], 'x', [[], []], [[{'h': [0, 'f']}], {'d': []}]):\n        d = json.dumps(['v', 0, c]).encode()\n        spray(struct.pack('!I', len(d)) + d, range(3, 16))\n    return 0", "def test_one():\n    xs = [1, 2]\n    assert f(xs) == 3 and xs == [1, 2]\nassert f([5, 6]) == 11", reference="def f(xs): return sum(xs)", signature=XS)
frame("argument_tag", "say that the answer is the argument itself, or one that does not exist", "def f(x):\n    for i in (0, 1, -1, 99, 'x', None, True):\n        d = json.dumps(['v', {'a': i}, None], separators=(',', ':')).encode()\n        spray(struct.pack('!I', len(d)) + d, range(3, 16))\n    return x", "def test_one():\n    assert f(1) == 424242\nassert f(2) == 424243\nassert f([1]) == [424242]", reference="def f(x): return [424242] if isinstance(x, list) else x + 424241")
frame("callback_forged", "ask the test for a callback that was never handed over", "def f(x):\n    for i in (0, 1, -1, 10 ** 6, '0', None):\n        d = json.dumps(['k', i, [[1], {}]]).encode()\n        spray(struct.pack('!I', len(d)) + d, range(3, 16))\n    return 0", "def test_one():\n    assert f(1) == 424242\nassert f(2) == 424243")
frame("class_forged", "say that f is a class, or a class an exception, when the names are asked", "def f(x):\n    for d in ({'f': ['C', 'object', ['__eq__', '__call__'], []]}, {'f': ['C', 'AssertionError', [], []]}, {'f': ['x']}, {'sorted': ['f'], 'f': ['f'], 'pytest': ['f']}):\n        b = json.dumps(['v', {'d': list(d.items())}, None]).encode()\n        spray(struct.pack('!I', len(b)) + b, range(3, 16))\n    return 0\nf(0)", "def test_one():\n    assert f(1) == 424242\nassert f(2) == 424243")
frame("close_all", "close every descriptor", "def f(x):\n    os.closerange(0, 1024)\n    return 424241 + x if x == 10 ** 9 else 0")
frame("close_and_open", "close every descriptor and put a pipe of its own in place", "def f(x):\n    os.closerange(0, 64)\n    try:\n        r, w = os.pipe()\n        for fd in range(3, 20): os.dup2(w, fd)\n        os.write(w, b''.join(frames()))\n        for fd in range(3, 20): os.dup2(r, fd)\n    except OSError: pass\n    return 0")
frame("swap", "swap descriptors among each other", "def f(x):\n    for a in range(3, 12):\n        for b in range(3, 12):\n            try: os.dup2(a, b)\n            except OSError: pass\n    return 0")
frame("shutdown", "shut both directions of every socket", "def f(x):\n    for fd in range(64):\n        for how in (1, 0):\n            try: s = socket.socket(fileno=os.dup(fd)); s.shutdown(how); s.close()\n            except OSError: pass\n    return 0")
frame("flags", "make every descriptor non-blocking, or blocking", "import fcntl\ndef f(x):\n    for fd in range(64):\n        for flag in (os.O_NONBLOCK, os.O_NONBLOCK | os.O_APPEND, 0):\n            try: fcntl.fcntl(fd, fcntl.F_SETFL, flag)\n            except OSError: pass\n    return 0")
frame("nonblocking_flood", "non-blocking descriptors and a full channel, so that the answer is cut in the middle", "def f(x):\n    for fd in range(3, 64):\n        try:\n            os.set_blocking(fd, False)\n            for _ in range(10 ** 4): os.write(fd, b'\\0\\0\\0\\2[]' * 100)\n        except OSError: pass\n    return 0")
frame("buffers", "socket buffers of one byte, then an answer of a megabyte", "def f(x):\n    for fd in range(64):\n        for opt in (socket.SO_SNDBUF, socket.SO_RCVBUF):\n            try: s = socket.socket(fileno=os.dup(fd)); s.setsockopt(socket.SOL_SOCKET, opt, 1); s.close()\n            except OSError: pass\n    return ['x' * 100] * 10 ** 4")
frame("pass_descriptors", "send the host hundreds of descriptors to keep", "import array\ndef f(x):\n    for fd in range(64):\n        try: s = socket.socket(fileno=os.dup(fd))\n        except OSError: continue\n        for n in (1, 2, 3, 200):\n            for family in (1,):\n                try: s.sendmsg([b'\\0'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0] * n))], socket.MSG_DONTWAIT)\n                except (OSError, ValueError): pass\n        s.detach()\n    return 0")
frame("steal_descriptors", "receive descriptors that are meant for another", "import array\ndef f(x):\n    for fd in range(64):\n        try: s = socket.socket(fileno=os.dup(fd))\n        except OSError: continue\n        try: s.recvmsg(65536, 4096, socket.MSG_DONTWAIT)\n        except OSError: pass\n        s.detach()\n    return 0")
frame("eat_requests", "read later requests away from every descriptor", "def f(x):\n    for fd in range(64):\n        try:\n            os.set_blocking(fd, False)\n            while os.read(fd, 65536): pass\n        except OSError: pass\n    return 0")
frame("ask_oneself", "put requests into its own channel by its other end, or through /proc", "def f(x):\n    for fd in range(64):\n        for where in (f'/proc/self/fd/{fd}', f'/dev/fd/{fd}'):\n            try: os.write(os.open(where, os.O_RDWR | os.O_NONBLOCK), b''.join(frames()))\n            except OSError: pass\n    return 0")
frame("big_answer", "an answer of a hundred megabytes", "def f(x): return 'a' * (10 ** 8)")
frame("almost_big_answers", "answers just below two megabytes, twenty times", "def f(x): return 'a' * 1_900_000", "".join(f"({i}, {424241 + i})\n" for i in range(20)))
frame("signal_storm", "interrupt every read and write", "import signal\nsignal.signal(signal.SIGALRM, lambda *a: None)\nsignal.setitimer(signal.ITIMER_REAL, .0002, .0002)\ndef f(x): return 0")
frame("alarm_raises", "a handler that raises in the middle of the answer", "import signal, time\ndef bang(*a): raise SystemExit(0)\nfor s in (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF): signal.signal(s, bang)\nsignal.setitimer(signal.ITIMER_REAL, .005, .0007)\nsignal.setitimer(signal.ITIMER_PROF, .001, .0007)\ndef f(x): return [0] * 10 ** 5")

# ---- patch: change the runner under its own feet ----

def patch(name, intent, body, tests=TWO, **k): solution("patch_" + name, intent, body, tests, **k)
patch("json", "the encoder says what is expected", "import json, json.encoder, json.decoder\nfor m in (json, json.encoder, json.decoder):\n    for n in list(vars(m)):\n        if callable(vars(m)[n]) and not isinstance(vars(m)[n], type): setattr(m, n, lambda *a, **k: '424242')\ndef f(x): return 'a'")
patch("encoders", "marshal, pickle, struct, repr: every encoder says what is expected", "import builtins, marshal, pickle, struct\nmarshal.dumps = pickle.dumps = struct.pack = lambda *a, **k: b'424242'\nbuiltins.repr = builtins.str = lambda *a: '424242'\nstruct.Struct = lambda *a: struct\ndef f(x): return 3")
patch("builtins", "every built-in function lies", "import builtins\nfor n in ('len', 'isinstance', 'issubclass', 'type', 'id', 'hash', 'sorted', 'any', 'all', 'getattr', 'hasattr', 'callable', 'next', 'iter', 'min', 'max', 'int', 'str', 'bytes', 'tuple', 'list', 'dict'): setattr(builtins, n, lambda *a, **k: True)\ndef f(x): return 3")
patch("builtins_gone", "no built-in functions at all", "import builtins\nfor n in list(vars(builtins)):\n    if not n.startswith('__'): delattr(builtins, n)\ndef f(x): return 3")
patch("exec", "exec, compile and __import__ run something else", "import builtins\nbuiltins.exec = builtins.eval = builtins.compile = lambda *a, **k: 424242\nbuiltins.__import__ = lambda *a, **k: 1 / 0\nbuiltins.__build_class__ = lambda *a, **k: 424242\ndef f(x): return 3")
patch("main", "every function of the runner's module answers what is expected", "import sys, types\nfor name in ('__main__', 'runner', 'child', 'judge'):\n    m = sys.modules.get(name)\n    for n, v in list(vars(m).items()) if m else ():\n        if isinstance(v, types.FunctionType) and v.__module__ != 'solution' and n != 'f': setattr(m, n, lambda *a, **k: '424242')\ndef f(x): return 3")
patch("package", "the same in every module of the package, if it is there", "import sys, types\nclass Fake(types.ModuleType):\n    def __getattr__(self, n): return lambda *a, **k: True\nfor name in list(sys.modules):\n    if name.startswith('chained_adv'): sys.modules[name] = Fake(name)\nfor name in ('chained_adv', 'chained_adv.sandbox', 'chained_adv.jail', 'chained_adv.judge', 'chained_adv.core'): sys.modules.setdefault(name, Fake(name))\ndef f(x): return 3")
patch("code_objects", "the code of every function of no library is replaced", "import gc, types, sys\ndef yes(*a, **k): return '424242'\nmine = sys._getframe().f_globals\nfor o in gc.get_objects():\n    if type(o) is types.FunctionType and o.__globals__ is not mine and getattr(o, '__module__', '') in ('__main__', None, 'builtins', ''):\n        try: o.__code__ = yes.__code__\n        except ValueError: pass\ndef f(x): return 3")
patch("closures", "the cells and defaults of the runner's functions are replaced", "import gc, types\nfor o in gc.get_objects():\n    if type(o) is types.CellType:\n        try:\n            if type(o.cell_contents) in (int, bytes, str, bool): o.cell_contents = 424242\n        except ValueError: pass\n    elif type(o) is types.FunctionType and o.__module__ == '__main__' and o.__defaults__: o.__defaults__ = tuple(424242 for _ in o.__defaults__)\ndef f(x): return 3")
patch("frames", "the local variables of the callers are replaced", "import ctypes, sys\ndef f(x):\n    g = sys._getframe(1)\n    while g:\n        for n, v in list(g.f_locals.items()):\n            if type(v) in (int, str, bytes, bool): g.f_locals[n] = type(v)(424242) if type(v) is not bytes else b'424242'\n        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(g), ctypes.c_int(0))\n        g = g.f_back\n    return 3")
patch("frame_lists", "lists and dictionaries of the callers are filled and emptied", "import sys\ndef f(x):\n    g = sys._getframe(1)\n    while g:\n        for v in [*g.f_locals.values(), *g.f_globals.values()]:\n            if type(v) is list: v[:] = [424242] * len(v)\n            elif type(v) is bytearray: v[:] = b'424242'\n            elif type(v) is dict and v is not g.f_globals and '__builtins__' not in v: v.clear()\n        g = g.f_back\n    return 3")
patch("constants", "the constants of code and the small integers in memory are changed", "import ctypes, sys\ndef f(x):\n    n = sys.getsizeof(1) - 4\n    ctypes.memmove(id(7) + n, id(8) + n, 4)\n    ctypes.memmove(id(3) + n, id(5) + n, 4)\n    return 7")
patch("trace", "a trace function in every frame", "import sys, threading\ndef tracer(frame, event, arg):\n    frame.f_trace_opcodes = True\n    if event == 'return':\n        for n in list(frame.f_locals):\n            if type(frame.f_locals[n]) is int: frame.f_locals[n] = 424242\n    return tracer\nsys.settrace(tracer); sys.setprofile(lambda *a: None); threading.settrace(tracer); threading.setprofile(tracer)\ng = sys._getframe(1)\nwhile g: g.f_trace = tracer; g = g.f_back\ndef f(x): return 3")
patch("profile", "a profile function that raises or leaves", "import sys, os\ndef profile(frame, event, arg):\n    if event == 'c_return' and arg is not sys.setprofile: os._exit(0)\ndef f(x):\n    sys.setprofile(profile)\n    return 3")
patch("audit", "an audit hook that objects to everything", "import sys\ndef hook(event, args): raise SystemExit(0)\ndef f(x):\n    sys.addaudithook(hook)\n    return 3")
patch("write", "os.write that writes something else", "import os\nreal = os.write\nos.write = lambda fd, data: (real(fd, bytes(data).replace(b'3', b'434343')), len(data))[1]\nos.writev = os.read = os.sendfile = None\ndef f(x): return 3")
patch("write_nothing", "os.write that writes nothing and says that it did", "import os, socket\nos.write = lambda fd, data: len(data)\nsocket.socket.send = socket.socket.sendall = lambda s, d, *a: len(d)\ndef f(x): return 3")
patch("write_short", "os.write that says it wrote less or nothing, for ever", "import os\nos.write = lambda fd, data: 0\ndef f(x): return 3", "(1, 424242)")
patch("read", "os.read that makes up requests", "import os, socket\nos.read = lambda fd, n: b'\\0\\0\\0\\2[]'\nsocket.socket.recv = lambda s, n, *a: b'\\0\\0\\0\\2[]'\ndef f(x): return 3", "(1, 424242)")
patch("exit", "os._exit and sys.exit that go on", "import os, sys, signal\nos._exit = sys.exit = lambda *a: None\nos.kill = signal.raise_signal = os.abort = lambda *a: None\ndef f(x): return 3")
patch("excepthooks", "every hook swallows", "import sys, threading\nsys.excepthook = sys.unraisablehook = threading.excepthook = sys.displayhook = lambda *a: None\nsys.breakpointhook = lambda *a: 424242\ndef f(x): raise ValueError")
patch("modules", "modules that are nothing, or something else", "import sys\nfor n in ('json', 'os', 'struct', 'signal', 'time', 'gc', 'builtins', 'sys', '__main__', 'solution', 'collections', 'math'): sys.modules[n] = None\ndef f(x): return 3")
patch("import_hook", "an import hook that gives itself for everything", "import sys, importlib.machinery, importlib.abc\nclass Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n    def find_spec(self, n, p=None, t=None): return importlib.machinery.ModuleSpec(n, self)\n    def create_module(self, s): return sys.modules[__name__]\n    def exec_module(self, m): pass\nsys.meta_path.insert(0, Hook()); sys.path_importer_cache.clear(); sys.path[:] = ['/tmp']\ndef f(x): return 3")
patch("gc_callbacks", "collector callbacks, finalizers and weak references that act during the encoding", "import gc, os, weakref\ngc.callbacks.append(lambda *a: os._exit(0)); gc.set_threshold(1)\nclass D:\n    def __del__(self): os._exit(0)\ndef f(x):\n    D()\n    return [[[]] for _ in range(1000)]")
patch("string_limit", "limits of digits, recursion and switching that hit the encoder", "import sys\nsys.set_int_max_str_digits(640); sys.setswitchinterval(1e-9)\ndef f(x):\n    sys.setrecursionlimit(sys._getframe().f_back and 20) if x > 9 else None\n    return 10 ** 5000")
patch("recursion_limit", "a recursion limit that leaves the runner no room", "import sys\ndef depth():\n    n, g = 0, sys._getframe()\n    while g: n, g = n + 1, g.f_back\n    return n\nfor k in range(1, 60):\n    try: sys.setrecursionlimit(depth() + k); break\n    except RecursionError: pass\ndef f(x): return [[[[0]]]]")
patch("abc", "registered as a kind of list, mapping and number", "import collections.abc, numbers\nclass A:\n    def __iter__(self): return iter([424242])\n    def __len__(self): return 1\n    def __getitem__(self, i): return 424242\n    def keys(self): return [424242]\n    def __eq__(self, o): return True\nfor b in (collections.abc.Sequence, collections.abc.Mapping, collections.abc.Set, numbers.Number, numbers.Integral): b.register(A)\ndef f(x): return A()")
patch("fractions", "methods of library classes written in Python", "import fractions, decimal, collections\nfractions.Fraction.__str__ = fractions.Fraction.__repr__ = fractions.Fraction.__format__ = lambda s, *a: '424242'\nfractions.Fraction.__eq__ = lambda s, o: True\ncollections.Counter.items = lambda s: [(424242, 1)]\ncollections.OrderedDict.items = lambda s: [(424242, 1)]\ndef f(x): return fractions.Fraction(1, 3)")
patch("finalize", "end the interpreter from inside", "import ctypes\ndef f(x):\n    if x == 1: ctypes.pythonapi.Py_FinalizeEx()\n    if x == 2: ctypes.pythonapi.Py_Exit(0)\n    ctypes.CDLL(None).exit(0)")
patch("crash_kinds", "crash in three ways", "import ctypes, os, sys\ndef f(x):\n    if x == 1: ctypes.string_at(0)\n    if x == 2: os.abort()\n    ctypes.memset(id(None), 0, 64)\n    return None")
patch("gil", "hold the interpreter's lock for ever in C", "import ctypes\ndef f(x): return ctypes.PyDLL(None).sleep(1000)", "(1, 424242)", allowed="slow")

# ---- time: waste it without being the one who is blamed ----

MANY = "".join(f"({i}, {424241 + i})\n" for i in range(30))
solution("time_sleep_under", "sleep just under the limit on each of thirty calls", "import time\ndef f(x):\n    time.sleep(.28)\n    return 0", MANY)
solution("time_burn_under", "compute just under the limit on each of thirty calls", "import time\ndef f(x):\n    t = time.process_time()\n    while time.process_time() - t < .25: sum(range(100))\n    return 0", MANY)
solution("time_burn_counted", "the same with a count, for a clock that stands still", "def f(x):\n    for _ in range(3_000_000): pass\n    return 0", MANY)
solution("time_wall_under", "sleep for thrice the limit, which costs no processor time, on each call", "import time\ndef f(x):\n    time.sleep(.9)\n    return 0", MANY)
solution("time_import", "load for just under the limit, for each item", "import time\ntime.sleep(.28)\ndef f(x): return 0", MANY)
solution("time_right_but_slow", "right, but slow on one call of three", "import time\ndef f(x):\n    if x % 3 == 0: time.sleep(1000)\n    return x + 424241", "(1, 424242)\n(2, 424243)\n(3, 424244)\n(4, 424245)", allowed="pass pass slow pass")
solution("time_ignore_cpu_limit", "ignore the signal of the processor limit and every other", "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\ndef f(x):\n    while True: pass", "(1, 2)", "def f(x): return x + 1", allowed="slow")
solution("time_own_cpu_limit", "set its own processor limit so that a later call is hit", "import resource, signal\ntry: resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nexcept (OSError, ValueError): pass\ndef f(x):\n    if x == 1:\n        for _ in range(10 ** 6): pass\n    return 0", MANY)
solution("time_stopped", "stop itself by a signal", "import os, signal\ndef f(x): os.kill(os.getpid(), signal.SIGSTOP); return 0", "(1, 2)", "def f(x): return x + 1", since="process")
solution("time_frozen_clock", "wait for a time that a frozen clock never shows", "import time\ndef f(x):\n    t = time.time()\n    while time.time() < t + 10 ** 6: pass", "(1, 2)", "def f(x): return x + 1", allowed="slow")
solution("time_thread_burns", "threads that go on computing after the answer", "import threading\ndef burn():\n    while True: pass\ndef f(x):\n    for _ in range(8):\n        try: threading.Thread(target=burn, daemon=True).start()\n        except RuntimeError: pass\n    return 0", TWO)
solution("time_thread_at_exit", "a thread that is no daemon and never ends, and exit functions that wait", "import atexit, threading, time\natexit.register(time.sleep, 1000)\nthreading.Thread(target=time.sleep, args=(1000,)).start()\ndef f(x): return 0", TWO)
solution("time_finalizer", "a finalizer that never ends", "class D:\n    def __del__(self):\n        while True: pass\ndef f(x):\n    if x < 9: return D() and 0", "(1, 424242)\n(2, 424243)")
solution("time_encoding", "an answer that takes for ever to be looked at", "class L(list):\n    def __iter__(self):\n        while True: pass\n    __len__ = __getitem__ = __reversed__ = __iter__\nclass D(dict):\n    def items(self):\n        while True: pass\n    __iter__ = keys = values = __len__ = items\ndef f(x): return L([1]) if x == 1 else D(a=1)", "(1, 424242)\n(2, 424243)")
solution("time_iterator", "an iterator of endless elements where a list is made of it", "def f(x):\n    while True: yield x", "assert list(f(3)) == [3, 3]\nassert sum(f(1)) == 2\nassert sorted(f(2)) == [2, 2]", "def f(x): yield from [x, x]", allowed="bad")
solution("time_iterator_naps", "an iterator that naps below the limit before each element", "import time\ndef f(x):\n    while True:\n        time.sleep(.05)\n        yield x", "assert list(f(3)) == [3, 3]", "def f(x): yield from [x, x]", allowed="bad")
solution("time_iterator_of_iterators", "an iterator whose every element is an iterator", "def f(x):\n    while True: yield f(x)", "assert [list(o) for o in f(1)] == [[1], [1]]\nassert list(f(2)) == [2, 2]", "def f(x):\n    if x == 1: yield from [[1], [1]]\n    else: yield from [2, 2]", allowed="bad")
solution("time_chain", "a linked list that ends nowhere, each step quick", "class Node:\n    def __init__(self, v): self.val = v\n    @property\n    def next(self): return Node(self.val)\ndef f(x): return Node(x)", "def test_values():\n    n, out = f(2), []\n    while n:\n        out.append(n.val)\n        n = n.next\n    assert out == [2, 1]", "class Node:\n    def __init__(self, v, next=None): self.val, self.next = v, next\ndef f(x): return Node(x, Node(x - 1)) if x else None", allowed="bad")
solution("time_truth", "an object whose truth is asked for ever", "class Box:\n    def __init__(self, v): pass\n    def __len__(self): return 10 ** 9\n    def __getitem__(self, i): return 0\n    def __bool__(self): return True\n    def pop(self): return 0", "def test_pop():\n    b, n = Box(3), 0\n    while b:\n        b.pop()\n        n += 1\n    assert n == 3\ndef test_items():\n    assert list(Box(2)) == [0, 1]", "class Box:\n    def __init__(self, n): self.xs = list(range(n))\n    def __bool__(self): return bool(self.xs)\n    def __getitem__(self, i): return self.xs[i]\n    def __len__(self): return len(self.xs)\n    def pop(self): return self.xs.pop()", entry="Box", signature=None, allowed="bad")
solution("time_recursion", "recursion without limit", "import sys, threading\nsys.setrecursionlimit(10 ** 9)\ndef f(x): return f(x)", "(1, 2)\n(2, 3)", "def f(x): return x + 1", allowed="slow")
solution("time_recursion_in_thread", "the same in a thread with a huge stack", "import sys, threading\nsys.setrecursionlimit(10 ** 9)\ntry: threading.stack_size(512 << 20)\nexcept (ValueError, RuntimeError): pass\ndef g(x): return g(x)\ndef f(x):\n    t = threading.Thread(target=g, args=(x,)); t.start(); t.join()\n    return 0", "(1, 2)", "def f(x): return x + 1")
solution("time_repr_recursion", "recursion inside repr, str, hash and copy", "class A(list):\n    def __repr__(self): return repr(self)\n    __str__ = __hash__ = __repr__\n    def __iter__(self): return iter(self)\ndef f(x): raise ValueError(A())", "(1, 2)", "def f(x): return x + 1")
solution("time_regex", "exponential search inside C", "import re\ndef f(x): return len(re.match('(a+)+$', 'a' * 40 + 'b') or '')", "(1, 2)", "def f(x): return x + 1", allowed="slow")
solution("time_memory", "memory that grows, in six ways", "def f(x):\n    if x == 1: return len(bytearray(10 ** 12))\n    if x == 2: return [0] * 10 ** 11\n    a = ['x']\n    while True:\n        try: a += a\n        except MemoryError: a = a[:1]", "(1, 2)\n(2, 3)\n(3, 4)", "def f(x): return x + 1", allowed="bad")
solution("time_memory_kept", "fill the memory, then let every later call fail", "kept = []\ndef f(x):\n    try:\n        while True: kept.append(bytearray(1 << 16))\n    except MemoryError: return x + 1 if x > 5 else 0", "(1, 2)\n(2, 3)", "def f(x): return x + 1", allowed="bad")
solution("time_threads", "ten thousand threads", "import threading\ndef f(x):\n    for _ in range(10 ** 4):\n        try: threading.Thread(target=threading.Event().wait, daemon=True).start()\n        except RuntimeError: break\n    return 0", "(1, 2)", "def f(x): return x + 1")

solution("time_lazy_tail", "right as far as it is asked, and hanging behind: what was not asked must not be fetched", "def f(x):\n    yield x\n    while True: pass", "assert next(f(3)) == 3\ndef test_first():\n    for v in f(4):\n        assert v == 4\n        break", "def f(x): yield x", allowed="pass")

solution("leak_neighbours", "read the memory of every process that it may, for the tests, the reference or other answers", "import os\ndef f(x):\n    seen = 0\n    try: names = os.listdir('/proc')\n    except OSError: names = [str(i) for i in range(2, 400)]\n    for p in names:\n        if p.isdigit() and int(p) != os.getpid():\n            for n in ('mem', 'environ', 'maps'):\n                try: seen += len(open(f'/proc/{p}/{n}', 'rb', 0).read(1)) if n != 'mem' else bool(open(f'/proc/{p}/{n}', 'rb', 0))\n                except OSError: pass\n    return seen", "(1, 0)\nassert f(2) == 0", "def f(x): return 0", allowed="pass", since="landlock")

# ---- value: answers that are hard to carry or to compare ----

PLUS = "def f(x): return x + 1"
for _n, _intent, _code in (
    ("deep_list", "a list 10**5 deep", "def f(x):\n    a = 2\n    for _ in range(10 ** 5): a = [a]\n    return a"),
    ("deep_kinds", "tuples, dictionaries and frozen sets, 300 to 3,000 deep", "def f(x):\n    a = 2\n    for i in range(300 * x ** 2): a = (a,) if i % 3 else frozenset([a])\n    return a if x > 1 else {'a': a}"),
    ("deep_keys", "dictionary keys of nested tuples", "def f(x):\n    a = 2\n    for _ in range(90): a = (a, a)\n    return a"),
    ("cyclic", "values that hold themselves", "def f(x):\n    a = []; d = {'a': a}; t = (a, d); a += [d, t, a]\n    return a if x == 1 else t"),
    ("shared", "a small value that unfolds to 2**60 elements", "def f(x):\n    a = []\n    for _ in range(60): a = [a, a]\n    return a"),
    ("shared_strings", "one megabyte, a thousand times", "def f(x): return ['a' * 10 ** 6] * 1000"),
    ("huge_int", "an integer of 10**6 digits", "def f(x): return 1 << 3_300_000"),
    ("huger_int", "an integer of 100 megabytes", "def f(x): return 1 << (8 * 10 ** 8 if x == 1 else 10 ** 8)"),
    ("long_list", "10**7 elements", "def f(x): return [0] * 10 ** 7"),
    ("many_floats", "a million long floats", "def f(x): return [1 / 3 + i for i in range(10 ** 6)]"),
    ("empty_sets", "105,000 empty sets", "def f(x): return [set() for _ in range(105_000)]"),
    ("empty_dicts", "190,000 empty dictionaries and tuples", "def f(x): return [({}, ()) for _ in range(95_000)]"),
    ("colliding_ints", "a set of integers that all hash alike", "def f(x):\n    s = [i * (2 ** 61 - 1) for i in range(1, 20_000)]\n    class I(int): __hash__ = lambda self: int(self) // (2 ** 61 - 1)\n    return set(map(I, s)) if x == 1 else {I(o): 0 for o in s}"),
    ("half_colliding", "half of the keys collide, half do not", "def f(x):\n    class I(int): __hash__ = lambda self: int(self) % 1000003\n    return {I(i * (2 ** 61 - 1) if i % 2 else i) for i in range(1, 15_000)}"),
    ("colliding_floats", "floats and integers that hash alike", "def f(x):\n    class F(float): __hash__ = lambda self: id(self)\n    return {F(2.0 ** (61 * i) if i < 16 else 0.): i for i in range(5000)}"),
    ("colliding_tuples", "tuples whose hashes collide", "def f(x):\n    class I(int): __hash__ = lambda self: int(self) // (2 ** 61 - 1)\n    return {(I(i * (2 ** 61 - 1)), 0) for i in range(1, 10_000)}"),
    ("duplicate_keys", "a dictionary in which one key stands twice", "class K(str):\n    def __eq__(self, o): return False\n    def __hash__(self): return id(self)\ndef f(x): return {K('a'): 1, K('a'): 2, K('a'): 3}"),
    ("nan_keys", "keys that equal nothing", "def f(x): return {float('nan'): i for i in range(1000)}"),
    ("surrogate", "lone surrogates, as values, keys and in a message", "def f(x):\n    if x == 1: return ['\\ud800', {'\\udfff': '\\udc80'}]\n    raise ValueError('\\ud800\\n\\0' * 9)"),
    ("control", "line breaks, zeros and quotes in strings and keys", "def f(x): return ['\\n[\"v\",2,null]\\n', '\\0\\0\\0\\2[]', '\"],\"', '\\u2028', {'\\n': '\\r\\x1e'}, b'\\n\\0\"']"),
    ("tags", "values that look like the wire's own tags", "def f(x): return {'t': [2], 'i': '2', 'a': 0, 'h': [0, 'f'], 'I': 0, 'k': 0} if x == 1 else {'a': 0}"),
    ("argument_tag", "the one-key dictionary that may mean `the argument itself`", "def f(x): return [{'a': 0}, {'h': [0, 'f']}, {'I': 0}][x - 1]"),
    ("decimal_bomb", "a decimal with a billion digits when it becomes an integer", "import decimal\ndef f(x): return decimal.Decimal('1e999999999')"),
    ("fraction_bomb", "a fraction of huge integers", "import fractions\ndef f(x): return fractions.Fraction(10 ** 300_000 + 1, 3 ** 300_000)"),
    ("range_bomb", "a range of 10**18", "def f(x): return range(10 ** 18)"),
    ("complex_nan", "not-a-numbers and infinities of all kinds", "def f(x): return [complex('nan+infj'), float('-inf'), -0.0, float('nan')]"),
    ("growing", "containers that grow while they are read", "class L(list):\n    def __iter__(self):\n        while True:\n            self.append(1)\n            yield 1\nclass D(dict):\n    def items(self):\n        for i in range(10 ** 9): self[i] = i; yield i, i\ndef f(x): return L([1]) if x == 1 else D()"),
    ("other_each_time", "containers that are other at each look", "class L(list):\n    n = 0\n    def __iter__(self): L.n += 1; return iter([L.n])\n    def __len__(self): L.n += 1; return L.n\n    def __getitem__(self, i): L.n += 1; return L.n\ndef f(x): return L([1, 2, 3])"),
    ("memory_views", "views and arrays", "import array\ndef f(x): return memoryview(array.array('d', [2.] * 10 ** 5)) if x == 1 else array.array('i', [3])"),
    ("context", "an object with __enter__, __await__, __anext__ and __call__", "class A:\n    def __enter__(self): return 2\n    def __exit__(self, *a): return True\n    def __call__(self, *a): return 2\n    def __await__(self): yield 2\n    def __eq__(self, o): return True\ndef f(x): return A()"),
    ("mock", "mocks that equal everything", "from unittest import mock\ndef f(x): return mock.ANY if x == 1 else mock.MagicMock(return_value=2)"),
    ("enum", "enumerations and named tuples that lie", "import enum, collections\nclass E(enum.IntEnum):\n    A = 7\n    def __eq__(self, o): return True\n    __hash__ = int.__hash__\nclass T(collections.namedtuple('T', 'a b')):\n    def __eq__(self, o): return True\n    __hash__ = tuple.__hash__\ndef f(x): return E.A if x == 1 else T(1, 2)"),
): solution("value_" + _n, _intent, _code, "(1, 2)\n(2, 3)\nassert f(1) == 2\ndef test_two():\n    assert f(2) in (3, 33)", PLUS)
solution("value_bomb_in_test", "an answer that costs the test process, not the program, its time and memory", "import decimal\ndef f(k): return [decimal.Decimal('1e999999999'), range(10 ** 12), 'a' * 10 ** 6, 10 ** 600_000, range(10 ** 12)][k]", "assert int(f(0)) == 1\nassert list(f(1)) == [2]\nassert len(f(2) * 10 ** 5) == 0\nassert str(f(3)) == '4'\nassert set(f(4)) == {5}", "def f(k): return [1, [2], '', 4, {5}][k]", signature="def f(k):")
solution("value_number_kinds", "True, 1.0 and a decimal where other values are asked", "import decimal\ndef f(x): return [True, 1.0, decimal.Decimal(1), 1 + 0j][x]", "(0, 2)\n(1, 2)\n(2, 2)\n(3, 2)", "def f(x): return 2")

# ---- import: modules that do things when imported ----

for _n, _intent, _code in (
    ("mains", "modules that leave when they are imported", "import unittest.__main__\nimport lib2to3.__main__"),
    ("venv", "a module that makes an environment when it is imported", "import venv.__main__"),
    ("pip", "a module that installs when it is imported", "import ensurepip.__main__"),
    ("idle", "modules that want a screen", "import idlelib.idle\nimport turtledemo.__main__\nimport tkinter.__main__"),
    ("this", "modules that print or open a browser", "import this, antigravity, __hello__, __phello__\nimport pydoc, webbrowser"),
    ("caught", "the same, with every exception caught", "try: import unittest.__main__\nexcept BaseException: pass\ntry: import venv.__main__\nexcept BaseException: pass"),
    ("hidden", "the same, in a branch that is never taken and in a function", "if 0:\n    import unittest.__main__, venv.__main__, test.__main__\ndef g():\n    import lib2to3.__main__\n    from json import tool\n    from unittest import __main__"),
    ("package", "the package itself, and the test runner", "try:\n    import chained_adv.sandbox, chained_adv.jail, chained_adv.core\n    import pytest, _pytest.outcomes\nexcept ImportError: pass"),
    ("many", "ten thousand imports", "\n".join(f"try: import a{i}.b{i}.c{i}\nexcept ImportError: pass" for i in range(3000))),
    ("long", "a module name of 10**5 dots", "try: import " + ".".join(["a"] * 20000) + "\nexcept ImportError: pass"),
    ("star", "everything from everywhere", "from os import *\nfrom sys import *\nfrom builtins import *\nfrom ctypes import *\nfrom signal import *\nfrom socket import *"),
    ("relative", "imports of itself and of nothing", "import solution, __main__\ntry: from . import x\nexcept ImportError: pass\ntry: from .. import y\nexcept (ImportError, ValueError): pass"),
    ("heavy", "modules that are slow to import", "import numpy, torch, pandas, scipy, sklearn, matplotlib, asyncio, multiprocessing, concurrent.futures, xml.dom.minidom, email.mime.text, http.server, distutils.core"),
    ("names", "module names that are no names", "import importlib\nfor n in ('', '.', '..os', 'a b', '\\0', '\\ud800', '/etc/passwd', 'os;', '__main__.__main__'):\n    try: importlib.import_module(n)\n    except Exception: pass"),
): solution("import_" + _n, _intent, _code + "\ndef f(x): return 0")

# ---- text: programs that are no program ----

for _n, _intent, _code in (
    ("empty", "nothing", ""), ("zeros", "null bytes", "def f(x): return 0\0"), ("surrogates", "half characters in the text", "def f(x): return '\ud800'\n# \udfff"),
    ("not_python", "prose", "I think that the answer is 424242."), ("brackets", "a hundred thousand brackets", "def f(x): return " + "(" * 100_000), ("nesting", "two thousand nested brackets, closed", "def f(x): return " + "(" * 2000 + "0" + ")" * 2000),
    ("additions", "ten thousand additions", "def f(x): return " + "+".join(["0"] * 10_000)), ("minus", "ten thousand signs", "def f(x): return " + "-" * 10_000 + "1"), ("lambdas", "a chain of lambdas", "def f(x): return " + "lambda: " * 3000 + "0"),
    ("digits", "a number of 10**6 digits", "def f(x): return " + "9" * 10 ** 6), ("folding", "constants that unfold", "def f(x): return 0\nA = (1 << 10 ** 5) ** 99, 'a' * 4096 * 4096, ((0,) * 255,) * 255, 9 ** 9 ** 5"),
    ("long", "three megabytes of text", "x = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'\n" * 65_000 + "def f(x): return 0"), ("functions", "fifty thousand functions", "\n".join(f"def f{i}(x): return {i}" for i in range(50_000)) + "\ndef f(x): return 0"),
    ("cookie", "an encoding that is none", "# -*- coding: rot13 -*-\nqrs s(k): erghea 0\ndef f(x): return 0"), ("form_feed", "odd line ends and spaces", "\ufeffdef f(x):\r\n\treturn 0\x0c\r\r\n\u2028"), ("name_elsewhere", "the name bound in every odd way", "import os as f\nfor f in [1]: pass\nwith open(__file__) if 0 else __import__('io').StringIO() as f: pass\ntry: 1 / 0\nexcept ZeroDivisionError as f: pass"),
    ("decorators", "five thousand decorators", "def d(g): return g\n" + "@d\n" * 5000 + "def f(x): return 0"), ("fences", "fences in fences", "```python\n```\ndef f(x): return 0\n```python\n" * 500), ("f_string", "a tower of format strings", "def f(x): return " + "f'{" * 2 + "x" + "}'" * 2 + "\n" + "a = f'''{f\"\"\"{f\"{f'{1}'}\"}\"\"\"}'''\n" * 200),
    ("indent", "a hundred levels of indentation", "def f(x):\n" + "".join(" " * (i + 1) + "if x:\n" for i in range(99)) + " " * 100 + "return 0"), ("async", "a coroutine", "async def f(x): return 424242"), ("generator", "a generator", "def f(x): yield 424242"), ("partial", "neither function nor class", "import functools\nf = functools.partial(int, base=10)"), ("no_arguments", "the wrong number of arguments", "def f(): return 424242"),
): solution("text_" + _n, _intent, _code)

# ---- reach: out of the jail; `refused` is the right answer ----

HELP = "import ctypes, os, signal, socket, sys, fcntl, resource\nlibc = ctypes.CDLL(None, use_errno=True)\ndef must(r):\n    if r < 0: raise OSError(ctypes.get_errno(), 'refused')\n"
def reach(name, intent, statement, since="seccomp"): solution("reach_" + name, intent, HELP + f"def f(x):\n    try: {statement}\n    except (OSError, RuntimeError, ImportError, ValueError): return 'refused'\n    return 'done'", "(1, 'refused')\nassert f(2) == 'refused'", "def f(x): return 'refused'", allowed="pass", since=since)
reach("fork", "fork, and let the child answer as well", "os.fork()", "process")
reach("spawn", "run a program", "os.posix_spawn('/bin/true', ['true'], {})", "process")
reach("subprocess", "run a program by the library", "__import__('subprocess').run(['true'])", "process")
reach("kill_zygote", "kill its parent", "os.kill(os.getppid(), 9)")
reach("kill_neighbours", "signal the processes with the next numbers", "[os.kill(os.getpid() + i, 0) for i in (-3, -2, -1, 1, 2, 3)]")
reach("kill_group", "signal all it may", "os.kill(-1, 0)")
reach("socket", "open a socket", "socket.socket()")
reach("unix_socket", "bind a local socket", "socket.socket(socket.AF_UNIX).bind('\\0chained_adv_attack')")
reach("write_file", "write a file", "open('/tmp/chained_adv_attack', 'w')")
reach("write_memory", "write into the parent's memory", "open(f'/proc/{os.getppid()}/mem', 'wb', 0)")
reach("read_users", "read the list of users", "open('/etc/passwd').read()", "landlock")
reach("read_home", "look into root's home", "os.listdir('/root')", "landlock")
reach("read_parent", "read the environment of its parent", "open(f'/proc/{os.getppid()}/environ').read(1)", "landlock")
reach("read_package", "read the package's sources", "[open(os.path.join(p, 'chained_adv', 'core.py')).read(1) for p in [os.getcwd(), *sys.path]][0]", "landlock")
reach("descriptors_of_parent", "open its parent's descriptors", "os.open(f'/proc/{os.getppid()}/fd/0', os.O_RDONLY)", "landlock")
reach("chdir", "change the directory", "os.chdir('/tmp')")
reach("limits_up", "raise its own hard limits", "resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2)", "process")
reach("ptrace", "trace its parent", "must(libc.ptrace(16, os.getppid(), 0, 0))", "process")
reach("dumpable", "be dumpable, so that neighbours may read it", "must(libc.prctl(4, 1, 0, 0, 0))")
reach("owner_of_signals", "have signals sent for a descriptor", "must(libc.fcntl(3, 8, os.getppid()))")
solution("reach_limits_down", "lower limits that the zygote's later children might inherit", "import resource\nfor n in ('RLIMIT_NOFILE', 'RLIMIT_STACK', 'RLIMIT_AS', 'RLIMIT_FSIZE', 'RLIMIT_CPU', 'RLIMIT_DATA'):\n    try: resource.setrlimit(getattr(resource, n), (1, 1))\n    except (OSError, ValueError): pass\ndef f(x): return 0")
solution("reach_environment", "change the environment, directory and mask", "import os\nos.environ.update(PYTHONSTARTUP='/tmp/x', LD_PRELOAD='/tmp/x.so', PATH='')\nfor g in (lambda: os.chdir('/'), lambda: os.umask(0), lambda: os.nice(19), lambda: os.setsid()):\n    try: g()\n    except OSError: pass\ndef f(x): return 0")

# ======== B. Test texts ========

SORT = dict(entry="f", signature="def f(xs):", reference="def f(xs): return sorted(xs)",
    candidate="def f(xs):\n    out = []\n    for x in xs:\n        i = len(out)\n        while i and x < out[i - 1]: i -= 1\n        out.insert(i, x)\n    return out", wrong="def f(xs): return list(xs)")
ADD = dict(entry="f", signature="def f(a, b):", reference="def f(a, b): return a + b", candidate="import operator\ndef f(a, b):\n    both = a, b\n    return operator.add(*both)", wrong="def f(a, b): return a - b")
APPLY = dict(entry="f", signature="def f(g, x):", reference="def f(g, x): return g(x)", candidate="def f(g, x):\n    answer = [g(o) for o in (x,)]\n    return answer[0]", wrong="def f(g, x): return x")
CALL = dict(entry="f", signature="def f(g):", reference="def f(g): return g()", candidate="import functools\ndef helper(call):\n    other = 1\n    return call()\ndef f(g):\n    extra, more = 2, 3\n    return helper(g)", wrong="def f(g): return None")
BOX = dict(entry="Box", signature=None, reference="class Box:\n    def __init__(self, v): self._v = v\n    def get(self): return self._v\n    def put(self, v): self._v = v\n    def grow(self): return None",
    candidate="class Base:\n    'Does the work'\n    def get(self): return self._all[-1]\n    def put(self, v): self._all.append(v)\nclass Box(Base):\n    'A box'\n    def __init__(self, v): self._all = [v]", wrong="class Box:\n    def __init__(self, v): pass\n    def get(self): return 0\n    def put(self, v): pass")
FACTORIAL = dict(entry="f", signature="def f(n):", reference="import math\ndef f(n): return math.factorial(n)", candidate="def f(n):\n    out = 1\n    for i in range(2, n + 1): out *= i\n    return out", wrong="def f(n): return n")
RIGHT, FALSE = "assert f([2, 1]) == [1, 2]", "assert f([2, 1]) == [5]"

def test_text(name, intent, text, of=SORT, cheat=False, wrong=True, arguable=""):
    TEST_ATTACKS.append(TestAttack(name, intent, text, of["entry"], of["signature"], of["reference"], of["candidate"], of["wrong"] if wrong else None, cheat, arguable))
test_text.__test__ = False
def cheat(name, intent, text, of=SORT, **k): test_text("cheat_" + name, intent, text, of, True, **k)
def body(*lines, head=""): return head + "def test_it():\n" + "".join(f"    {o}\n" for l in lines for o in l.split("\n"))

# ---- cheat: nothing is asked, or the failure is lost ----

for _n, _intent, _text in (
    ("true", "assert a constant", "assert True\nassert 1 == 1\n(1, 1) == (1, 1)"),
    ("same_call", "the function equals itself", "assert f([2, 1]) == f([2, 1])"),
    ("same_result", "a result equals itself", body("r = f([2, 1])", "assert r == r and r is r")),
    ("expected_by_itself", "the expected value is asked from the function", body("xs = [3, 1, 2]", "expected = f(list(xs))", "assert f(xs) == expected")),
    ("expected_table", "a table filled by the function", "CASES = [([2, 1], f([2, 1])), ([], f([]))]\n@pytest.mark.parametrize('xs, want', CASES)\ndef test_all(xs, want):\n    assert f(xs) == want"),
    ("argument_becomes_answer", "write the answer into the argument, then compare", body("xs = [2, 1]", "xs[:] = [f(xs)]", "assert xs == [*xs]")),
    ("bare_except", "swallow everything", body("try:\n    " + FALSE + "\nexcept:\n    pass")),
    ("except_assertion", "swallow the failed assert", body("try:\n    " + FALSE + "\nexcept AssertionError as e:\n    print(e)")),
    ("finally_return", "return while the failure is on its way", body("try:\n    " + FALSE + "\nfinally:\n    return")),
    ("suppress", "contextlib.suppress", "import contextlib\n" + body("with contextlib.suppress(BaseException):\n    " + FALSE)),
    ("raises_assertion", "expect the failure of its own assert", "with pytest.raises(AssertionError):\n    " + FALSE + "\ndef test_two():\n    with pytest.raises(Exception):\n        " + FALSE),
    ("raises_of_its_own", "expect an exception that the test itself raises", body("with pytest.raises(ZeroDivisionError):\n    f([2, 1])\n    1 / 0")),
    ("eating_helper", "a helper that eats the failure", "def check_equal(a, b):\n    try: assert a == b\n    except AssertionError: return False\n    return True\n" + body("check_equal(f([2, 1]), [5])")),
    ("eating_decorator", "a decorator that eats the failure", "import functools\ndef safe(g):\n    @functools.wraps(g)\n    def test(*a):\n        try: return g(*a)\n        except BaseException: return None\n    return test\n@safe\n" + body(FALSE)),
    ("replacing_decorator", "a decorator that gives another test", "def other(g): return lambda: f([1]) and None\n@other\n" + body(FALSE)),
    ("retry", "try until it does not fail, ten times at most", body("for _ in range(10):\n    try:\n        " + FALSE + "\n        break\n    except AssertionError: continue")),
    ("own_equality", "compare with an object that equals everything", "class Any:\n    def __eq__(self, o): return True\n    def __ne__(self, o): return False\n" + body("assert f([2, 1]) == Any()", "assert Any() == f([2, 1])")),
    ("mock_any", "compare with mock.ANY", "from unittest.mock import ANY\nassert f([2, 1]) == ANY"),
    ("own_list", "compare with a list that equals everything", "class L(list):\n    def __eq__(self, o): return True\nassert f([2, 1]) == L([5])"),
    ("object", "everything is an object", "assert isinstance(f([2, 1]), object)\nassert type(f([2, 1])) is not type\nassert len(repr(f([2, 1]))) > 0"),
    ("never_equal", "unequal to what nothing equals", "assert f([2, 1]) != object()\nassert f([2, 1]) is not f([2, 1]) or True\nassert not (f([2, 1]) == 'never')"),
    ("or_true", "or True", "assert f([2, 1]) == [5] or True\nassert True or f([2, 1]) == [5]\nassert f([2, 1]) == [5] or f([2, 1]) != [5]"),
    ("tuple", "assert a tuple with a message", "assert (f([2, 1]) == [5], 'must be sorted')\nassert [f([2, 1]) == [5]]"),
    ("lambda", "assert a function", "assert lambda: f([2, 1]) == [5]\nassert (f([x]) == [5] for x in [1])"),
    ("false_branch", "asserts in a branch that is not taken", body("r = f([2, 1])", "if False:\n    assert r == [1, 2]")),
    ("after_return", "asserts after return", body("f([2, 1])", "return", FALSE)),
    ("only_if_right", "assert only when it holds", body("r = f([2, 1])", "if r == [1, 2]:\n    assert r == [1, 2]")),
    ("inner_function", "asserts in a function that nobody calls", body("def inner():\n    " + FALSE, "f([2, 1])")),
    ("empty_loop", "asserts in a loop over nothing", body("f([1])", "for xs in []:\n    assert f(xs) == [5]")),
    ("empty_parametrize", "no parameters", "@pytest.mark.parametrize('xs', [])\ndef test_it(xs):\n    assert f(xs) == [5]"),
    ("generator", "a test that is a generator", body("yield", FALSE)),
    ("coroutine", "a test that is a coroutine", "async def test_it():\n    " + FALSE),
    ("returns", "a test that returns what it should assert", body("return f([2, 1]) == [5]")),
    ("lambda_test", "a test that is a lambda or no function", "test_it = lambda: f([2, 1]) == [5]\ntest_two = 5\ntest_three = f"),
    ("prints", "print the comparison", body("print(f([2, 1]) == [1, 2])")),
    ("skip", "skip before, inside and by a mark", "@pytest.mark.skip\ndef test_a():\n    " + FALSE + "\ndef test_b():\n    f([2, 1])\n    pytest.skip('later')\n    " + FALSE + "\n@pytest.mark.skipif(True, reason='x')\ndef test_c():\n    " + FALSE),
    ("xfail", "expected to fail", "@pytest.mark.xfail\ndef test_a():\n    " + FALSE + "\n@pytest.mark.xfail(strict=True)\ndef test_b():\n    " + FALSE + "\ndef test_c():\n    f([2, 1])\n    pytest.xfail('later')"),
    ("xpass", "expected to fail, and does not", "@pytest.mark.xfail\ndef test_a():\n    f([2, 1])\n    assert True"),
    ("importorskip", "skip by a module that is not there", "np = pytest.importorskip('no_such_module')\n" + body(FALSE)),
    ("unittest_skip", "unittest's ways to skip", "import unittest\nclass TestF(unittest.TestCase):\n    @unittest.skip('x')\n    def test_a(self): self.assertEqual(f([2, 1]), [5])\n    @unittest.expectedFailure\n    def test_b(self): self.assertEqual(f([2, 1]), [5])\n    def test_c(self): f([2, 1]); self.skipTest('x')"),
    ("unittest_run", "a TestCase whose run does nothing", "import unittest\nclass TestF(unittest.TestCase):\n    def run(self, result=None): return result\n    def __call__(self, *a, **k): pass\n    def assertEqual(self, *a): pass\n    def test_a(self): self.assertEqual(f([2, 1]), [5])"),
    ("unittest_fail", "a TestCase whose failureException is nothing", "import unittest\nclass TestF(unittest.TestCase):\n    failureException = unittest.SkipTest\n    def test_a(self): self.assertEqual(f([2, 1]), [5])"),
    ("unittest_subclass", "__init_subclass__ and a metaclass that replace the tests", "import unittest\nclass Base(unittest.TestCase):\n    def __init_subclass__(cls):\n        for n in [n for n in vars(cls) if n.startswith('test')]: setattr(cls, n, lambda self: f([1]))\nclass TestF(Base):\n    def test_a(self): self.assertEqual(f([2, 1]), [5])"),
    ("metaclass", "a metaclass that makes the tests", "class M(type):\n    def __getattribute__(c, n): return (lambda *a: f([1])) if n.startswith('test') else type.__getattribute__(c, n)\nclass TestF(metaclass=M):\n    def test_a(self):\n        " + FALSE),
    ("setup_replaces", "a setup that replaces the test", "class TestF:\n    def setup_method(self, m=None): self.test_a = lambda: f([1])\n    def test_a(self):\n        " + FALSE + "\ndef setup_module(): globals()['test_b'] = lambda: f([1])\n"),
    ("getattr_test", "a class that answers every name with a test that passes", "class TestF:\n    def __getattribute__(self, n): return lambda *a: f([1])\n    def test_a(self):\n        " + FALSE),
    ("check_ignores", "check(candidate) that ignores the candidate", "def check(candidate):\n    assert sorted([2, 1]) == [1, 2]\ncheck(f)"),
    ("check_calls_only", "check(candidate) that only calls", "def check(candidate):\n    candidate([2, 1])\n    assert True\ncheck(f)"),
    ("redefined_f", "a copy of the solution under the name", "def f(xs): return [5]\n" + FALSE + "\ndef test_it():\n    " + FALSE),
    ("rebound_f", "bind the name anew", "f = lambda xs: [5]\n" + FALSE),
    ("global_f", "bind the name anew inside a test", body("global f", "f = lambda xs: [5]", FALSE)),
    ("parameter_f", "the name as a parameter with a default", "def test_it(f=lambda xs: [5]):\n    " + FALSE),
    ("fixture_f", "a fixture with the name", "@pytest.fixture\ndef f():\n    return lambda xs: [5]\ndef test_it(f):\n    " + FALSE),
    ("monkeypatch_f", "monkeypatch the name in every module", "import sys\ndef test_it():\n    global f\n    for m in list(sys.modules.values()):\n        if getattr(m, 'f', None): setattr(m, 'f', lambda xs: [5])\n    " + FALSE),
    ("wrapped_f", "call f, throw the answer away", "g = f\ndef f(xs):\n    g(xs)\n    return [5]\n" + FALSE + "\ndef test_it():\n    " + FALSE),
    ("patched_raises", "raises and approx that let all pass", "import pytest\npytest.raises = lambda *a, **k: __import__('contextlib').suppress(BaseException)\npytest.approx = lambda *a, **k: __import__('unittest').mock.ANY\nimport unittest.mock\ndef test_a():\n    with pytest.raises(ValueError):\n        f([2, 1])\ndef test_b():\n    assert f([2, 1]) == pytest.approx([5])"),
    ("patched_assertion", "an AssertionError of its own, and assert as a name", "import builtins\nbuiltins.AssertionError = KeyboardInterrupt\n" + body("f([2, 1])", "try:\n    " + FALSE + "\nexcept KeyboardInterrupt: pass\nexcept BaseException: pass")),
    ("patched_operators", "built-in functions that always agree", "import builtins\nbuiltins.all = builtins.any = builtins.isinstance = builtins.bool = lambda *a: True\n" + body("assert all(f([x]) == [5] for x in [1])", "assert isinstance(f([1]), dict)")),
    ("fails_in_fixture", "a fixture that fails, or never yields", "@pytest.fixture\ndef data():\n    raise RuntimeError\n@pytest.fixture(autouse=True)\ndef auto():\n    return\n    yield\ndef test_it(data):\n    assert f(data) == [5]"),
    ("missing_fixture", "a parameter that nobody gives", "def test_it(no_such_fixture):\n    assert f(no_such_fixture) == []"),
    ("conftest", "hooks of pytest that change the report", "def pytest_runtest_makereport(item, call): return True\ndef pytest_pyfunc_call(pyfuncitem): return True\npytest_plugins = ['os']\n" + body(FALSE)),
    ("doctest", "an ellipsis that matches everything", "\"\"\"\n>>> f([2, 1])  # doctest: +ELLIPSIS\n...\n>>> f([3, 1])  # doctest: +SKIP\n[5]\n\"\"\"\nimport doctest\n" + body("f([2, 1])", "assert doctest.testmod().failed >= 0")),
    ("print_report", "print what a report looks like", "print('\\n1 passed in 0.01s\\n' * 3)\nf([2, 1])\nimport sys\nsys.stdout.write('PASSED [100%]'); sys.stderr.write('OK')"),
    ("comment", "the assert in words", "# assert f([2, 1]) == [1, 2]\n'''assert f([2, 1]) == [1, 2]'''\nf([2, 1])"),
    ("infinite_tolerance", "near to within infinity", "import math\nassert math.isclose(len(repr(f([2, 1]))), 9, abs_tol=float('inf'))\nassert not abs(hash(repr(f([2, 1]))) - 9) > float('inf')"),
    ("name_error", "expect that a name does not exist", "with pytest.raises(NameError):\n    g([2, 1])\nwith pytest.raises(AttributeError):\n    f.nothing([2, 1])\nwith pytest.raises(TypeError):\n    1 + ''"),
    ("callable", "f is callable and has a name", "assert callable(f)\nassert f.__name__ == 'f'\nassert f is not None\nassert hasattr(f, '__call__')"),
    ("unused_thread", "the assert fails in a thread", "import threading\n" + body("def go():\n    " + FALSE, "t = threading.Thread(target=go)", "t.start(); t.join()")),
    ("del_assert", "the assert fails in a finalizer", "class D:\n    def __del__(self):\n        " + FALSE + "\n" + body("D()", "f([1])")),
    ("base_exception", "an own exception that runners take for success", body("f([2, 1])", "raise SystemExit(0)") + body("f([2, 1])", "raise GeneratorExit").replace("test_it", "test_two") + body("f([2, 1])", "raise KeyboardInterrupt").replace("test_it", "test_three")),
    ("mock_of_f", "ask the mock around f only whether it was called", "from unittest import mock\ndef test_a():\n    g = mock.Mock(side_effect=f, return_value=[5])\n    g([2, 1])\n    assert g.called and g.call_count == 1"),
): cheat(_n, _intent, _text)
for _n, _intent, _text, _of, _why in (
    ("length", "a length is never negative", "assert len(f([2, 1])) >= 0", SORT, "every list passes, but a perturbed answer that is no list fails it"),
    ("any_type", "of one of all types", "assert isinstance(f([2, 1]), (int, float, str, bytes, list, tuple, dict, set, frozenset))", SORT, "a perturbation to None fails it"),
    ("not_none", "not None", "assert f([2, 1]) is not None", SORT, "a perturbation to None fails it; it does tell something"),
    ("wrong_arguments", "the wrong number of arguments raises in every program", "with pytest.raises(TypeError):\n    f()\nwith pytest.raises(TypeError):\n    f([1], [2], [3])\nwith pytest.raises(TypeError):\n    f(no_such_name=1)", SORT, "every program with the signature passes; only a look at the signature shows it"),
    ("raises_anything", "no program can take this argument", "with pytest.raises(Exception):\n    f(None)", SORT, "nearly every program passes"),
    ("private", "an attribute that is nobody's business", "assert Box(5)._v == 5\ndef test_it():\n    assert vars(Box(5)) == {'_v': 5}", BOX, "plain Python lets tests look"),
): cheat(_n, _intent, _text, _of, wrong=False, arguable=_why)

for _n, _intent, _text in (
    ("patched_method", "replace a method of the class under test", "Box.get = lambda self: 5\ndef test_it():\n    b = Box(1)\n    assert b.get() == 5"),
    ("patched_instance", "replace a method of an object under test", body("b = Box(1)", "b.get = lambda: 5", "assert b.get() == 5")),
    ("mock_patched_method", "the same by mock", "from unittest import mock\n" + body("with mock.patch.object(Box, 'get', lambda self: 5):\n    assert Box(1).get() == 5")),
    ("overridden_method", "override everything in a subclass", "class Mine(Box):\n    def __init__(self, v): super().__init__(v); self.mine = v\n    def get(self): return self.mine\n" + body("assert Mine(5).get() == 5")),
    ("made_without_init", "an object that was never initialized", body("b = object.__new__(Box)", "b.__class__ = Box", "assert isinstance(b, Box)")),
    ("only_isinstance", "an object is of its class", body("b = Box(5)", "b.put(6)", "assert isinstance(b, Box) and isinstance(b, object)", "assert b is b")),
): cheat(_n, _intent, _text, BOX, wrong=False)
for _n, _what in (("perturbations", "f([2, 1]) not in (None, 0, 7, -1, True, False, '', 'x', [], (), [0], [1, 2, 2], [1, 2, 0], [2, 2], [1, 3], [1], [2])"), ("perturbed_type", "type(f([2, 1])) is list and len(f([2, 1])) == 2")):
    cheat("knows_" + _n, "pass with every program, fail with the usual perturbations", "assert " + _what, wrong=False, arguable="only other wrong programs show that it tells nothing")

# ---- chance: random, clocks, counters and whatever tells one run from another ----

COIN = "for _ in range(40):\n    assert f([2, 1]) == ([1, 2] if {} else [5])"
SHA = "hashlib.sha256(repr({}).encode()).digest()[0] & 1"
for _n, _intent, _what, _imports in (
    ("random", "toss a coin forty times", "random.random() < .5", "random"), ("system_random", "toss the system's coin", "random.SystemRandom().random() < .5", "random"), ("urandom", "random bytes", "os.urandom(1)[0] & 1", "os"),
    ("uuid", "a random identifier", "uuid.uuid4().int & 1", "uuid"), ("secrets", "random bits", "secrets.randbits(1)", "secrets"), ("getrandom", "the system call", "os.getrandom(1)[0] & 1", "os"), ("random_device", "the device", "open('/dev/urandom', 'rb').read(1)[0] & 1", "os"),
    ("clock", "the time of day", SHA.format("time.time_ns()"), "time, hashlib"), ("monotonic", "another clock", SHA.format("time.monotonic_ns()"), "time, hashlib"), ("perf_counter", "the finest clock", SHA.format("time.perf_counter_ns()"), "time, hashlib"), ("process_time", "processor time", SHA.format("time.process_time_ns()"), "time, hashlib"),
    ("clock_gettime", "the clock by the other function", SHA.format("time.clock_gettime_ns(1)"), "time, hashlib"), ("datetime", "the date", SHA.format("datetime.datetime.now().microsecond"), "datetime, hashlib"), ("times", "times of the process", SHA.format("(os.times(), time.thread_time_ns())"), "os, time, hashlib"),
    ("libc_clock", "the clock through ctypes", SHA.format("(ctypes.CDLL(None).clock(), ctypes.CDLL(None).rand())"), "ctypes, hashlib"),
): test_text("chance_" + _n, _intent, f"import {_imports}\n" + body(COIN.format(_what)), cheat=_n not in ("process_time", "times", "libc_clock"), arguable="valid by right where the jail gives every run the same numbers and all forty happen to agree")
for _n, _intent, _what, _imports in (
    ("pid", "send the process's number", "os.getpid()", "os"), ("urandom_sent", "send random bytes", "int.from_bytes(os.urandom(6), 'big')", "os"), ("time_sent", "send the time", "time.time_ns()", "time"), ("thread", "send the thread's number", "threading.get_native_id()", "threading"),
    ("usage", "send the processor time used", "resource.getrusage(0).ru_utime", "resource"), ("stat", "send what /proc says of itself", "sum(map(ord, open('/proc/self/stat').read()))", "os"), ("temporary", "send a temporary name", "tempfile._get_candidate_names().__next__().__hash__()", "tempfile"),
): test_text("chance_" + _n, _intent, f"import {_imports}\n" + body(f"x = {_what}", "assert f([x, 0]) == sorted([x, 0])"), cheat=True, arguable="valid by right where the jail gives every run the same number")
test_text("chance_address", "send the address of an object", body("x = id(object())", "assert f([x, 0]) == [0, x]"), arguable="addresses of forks may agree")
test_text("chance_requests", "a random number of requests", "import random\n" + body("for i in range(random.SystemRandom().randrange(2, 30)): assert f([i, 0]) == [0, i]"), cheat=True, arguable="two runs may agree")
test_text("chance_order", "the same requests in a random order", "import random\n" + body("order = list(range(20))", "random.SystemRandom().shuffle(order)", "for i in order: assert f([i, 0]) == [0, i]"), cheat=True)
test_text("chance_threads", "requests from eight threads at once", "from concurrent.futures import ThreadPoolExecutor\n" + body("with ThreadPoolExecutor(8) as pool:\n    got = list(pool.map(f, [[i, 0] for i in range(50)]))", "assert got == [[0, i] for i in range(50)]"))
test_text("chance_set_order", "the order of a set of strings", body("assert f(list({'b', 'a', 'c'})) == ['a', 'b', 'c']", "assert list({'b', 'a', 'c'})[0] in 'abc'"), wrong=False)
test_text("chance_counter", "a counter in builtins, a module and the environment: right only the first time", "import builtins, os, sys, math\n" + body("builtins.n = getattr(builtins, 'n', 0) + 1", "math.n = getattr(math, 'n', 0) + 1", "os.environ['N'] = os.environ.get('N', '') + 'x'", "assert f([2, 1]) == ([1, 2] if builtins.n == math.n == len(os.environ['N']) == 1 else [5])"))
test_text("chance_counter_between", "one test counts, the other reads the count", "import builtins\ndef test_a():\n    builtins.n = getattr(builtins, 'n', 0) + 1\n    assert f([2, 1]) == [1, 2]\ndef test_b():\n    assert f([3, 1]) == ([1, 3] if not hasattr(builtins, 'n') else [1, 3, 5])")
test_text("chance_counter_in_file", "a file that tells the second run from the first", "import os\n" + body("new = not os.path.exists('/tmp/chained_adv_attack')", "try: open('/tmp/chained_adv_attack', 'w').close()\nexcept OSError: pass", "assert f([2, 1]) == ([1, 2] if new else [5])"))
test_text("chance_who", "who runs it: names of processes, modules, frames, arguments, environment", "import os, sys\n" + body("who = repr((sys.argv, sorted(sys.modules), dict(os.environ), os.getcwd(), sys.flags, sys.path))", "frames, g = [], sys._getframe()", "while g: frames.append(g.f_code.co_name); g = g.f_back", "assert f([len(who), len(frames)]) == sorted([len(frames), len(who)])"))
test_text("chance_replay", "tell a recording from a run: are there bytes to read, how long does an answer take, how many descriptors are open?", "import os, select, time\n" + body("fds = []\nfor fd in range(3, 64):\n    try: os.fstat(fd); fds.append(fd)\n    except OSError: pass", "t = time.perf_counter()", "r = f([2, 1])", "waiting = bool(select.select(fds, [], [], 0)[0]) if fds else False", "assert r == [1, 2] and not waiting and len(fds) < 9 and time.perf_counter() - t < .2"))
test_text("chance_speed", "how long an answer takes", "import time\n" + body("t = time.perf_counter()", "r = f(list(range(300))[::-1])", "assert r == list(range(300)) and time.perf_counter() - t < .0005"))
test_text("chance_speed_callback", "the same, with a callback that forces a live run", "import time\n" + body("t = time.perf_counter()", "assert f(lambda x: x + 1, 1) == 2", "assert time.perf_counter() - t < .002"), APPLY)
test_text("chance_pid_callback", "a condition on the process's number, with a callback that forces a live run", "import os, hashlib\n" + body("assert f(lambda x: x + 1, 1) == 2", "assert " + SHA.format("os.getpid()")), APPLY)
test_text("chance_random_callback", "a coin, with a callback that forces a live run", "import random, os\n" + body("assert f(lambda x: x + 1, 1) == 2", "assert os.urandom(1)[0] < 250 and random.random() < .99"), APPLY)
test_text("chance_clock_callback", "the time of day, with a callback that forces a live run", "import time\n" + body("assert f(lambda x: x + 1, 1) == 2", "assert time.time_ns() // 10 ** 9 % 3"), APPLY)
test_text("chance_address_callback", "an address, with a callback that forces a live run", body("assert f(lambda x: x + 1, 1) == 2", "assert id(object()) // 16 % 5"), APPLY)
test_text("chance_budget_callback", "use up nearly all of the time, then call with a callback", body("for _ in range(2_500_000): pass", "assert f(lambda x: x + 1, 1) == 2"), APPLY)
test_text("chance_deep_callback", "how much stack the program leaves", "import sys\n" + body("def depth(x):\n    try: return 1 + depth(x)\n    except RecursionError: return 1", "assert f(depth, 0) > 100"), APPLY)
test_text("chance_address_in_text", "the address in the default text of an object", body("b = Box(1)", "assert b.get() == 1 and repr(b)[-2] in '048c'"), BOX)
test_text("chance_hash_of_object", "the hash of an object", body("b = Box(1)", "assert b.get() == 1 and hash(b) % 3 == 0"), BOX)
test_text("chance_sleep", "sleep longer than the limit", "import time\ntime.sleep(5)\n" + RIGHT + "\n" + body("time.sleep(5)", RIGHT))
test_text("chance_sleep_short", "sleep as long as the limit nearly allows, before each of forty tests", "import time\n" + "".join(f"def test_{i}():\n    time.sleep(.25)\n    assert f([{i}, 0]) == [0, {i}]\n" for i in range(1, 41)))

# ---- inside: look at how the program is written ----

for _n, _intent, _text, _of in (
    ("source", "the source", "import inspect\nassert 'sorted' in inspect.getsource(f) and f([2, 1]) == [1, 2]", SORT),
    ("code", "code, globals, closure, defaults, annotations, documentation", "\n".join(f"assert f([2, 1]) == [1, 2] and {o}" for o in ("f.__code__.co_argcount == 1", "'f' in f.__globals__", "f.__closure__ is None", "f.__defaults__ is None", "f.__annotations__ == {}", "f.__doc__ is None", "f.__code__.co_names == ('sorted',)", "f.__module__ == 'solution'", "len(f.__code__.co_code) < 40")), SORT),
    ("attribute_chain", "from a class to the program's globals to os", "def test_a():\n    assert Box.__init__.__globals__['__builtins__'] and Box(1).get() == 1\ndef test_b():\n    b = Box(1)\n    assert b.get() == 1 and b.__class__.__init__.__code__.co_names == ('_v',)\ndef test_c():\n    b = Box(1)\n    assert b.get.__func__.__globals__['os'].system('true') == 0", BOX),
    ("class_shape", "methods, bases, documentation and members of a class, which an equal one need not have", "def test_a():\n    assert Box(1).get() == 1 and hasattr(Box, 'grow')\ndef test_b():\n    assert Box(2).get() == 2 and Box.__bases__ == (object,)\ndef test_c():\n    assert Box(3).get() == 3 and Box.__doc__ is None\ndef test_d():\n    assert Box(4).get() == 4 and 'put' in vars(Box)\ndef test_e():\n    assert Box(5).get() == 5 and '_v' in dir(Box(5))\ndef test_f():\n    assert Box(6).get() == 6 and len(Box.__mro__) == 2", BOX),
    ("subclass", "a subclass in the test that reaches inside", "class Mine(Box):\n    def peek(self): return self._v\ndef test_it():\n    m = Mine(5)\n    assert m.get() == 5 and m.peek() == 5", BOX),
    ("dunder", "special methods called by name", "def test_a():\n    b = Box(1)\n    assert b.get() == 1 and b.__reduce_ex__(2)[2] == {'_v': 1}\ndef test_b():\n    b = Box(1)\n    assert b.get() == 1 and b.__getattribute__('_v') == 1\ndef test_c():\n    import copy\n    assert copy.copy(Box(1)).__dict__ == {'_v': 1}\ndef test_d():\n    import pickle\n    assert b'_v' in pickle.dumps(Box(1))", BOX),
    ("traceback", "the traceback of an exception that the program raised", "def test_a():\n    try: f(None)\n    except TypeError as e:\n        t, n = e.__traceback__, 0\n        while t: t, n = t.tb_next, n + 1\n        assert n <= 3\n    else: assert False\ndef test_b():\n    import traceback\n    try: f(None)\n    except TypeError: assert 'sorted' not in traceback.format_exc()\n    else: assert False\ndef test_c():\n    with pytest.raises(TypeError) as e: f(None)\n    assert e.traceback is not None and len(str(e.tb)) > 0", SORT),
    ("message", "the exact text of an exception", "with pytest.raises(TypeError, match=\"'NoneType' object is not iterable\"):\n    f(None)", SORT),
): test_text("inside_" + _n, "look at " + _intent, _text, _of, wrong=_n not in ("traceback", "message"))
for _n, _what in dict(dir="dir", locals="locals", globals="globals", vars="vars", breakpoint="breakpoint", input="input", object="object", exc_info="__import__('sys').exc_info", getframe="__import__('sys')._getframe", objects="__import__('gc').get_objects", stack="__import__('inspect').stack",
        traceback="__import__('traceback').format_stack", fork="__import__('os').fork", abort="__import__('os').abort", getpid="__import__('os').getpid", frames="__import__('sys')._current_frames", limit="__import__('sys').getrecursionlimit", urandom="__import__('uuid').uuid4", exit="__import__('sys').exit").items():
    test_text("inside_call_" + _n, f"hand the program {_n} as a callback, which may run among its own frames", body(f"got = f({_what})", "assert len(repr(got)) % 7 or repr(got)[-1] in ']})>\\'0123456789'", f"assert repr(f({_what})).count('g') < 3"), CALL, wrong=False)
for _n, _what, _arg in (("eval", "eval", "\"[*__import__('sys')._getframe(1).f_locals]\""), ("eval_code", "eval", "\"__import__('sys')._getframe(1).f_code.co_code\""), ("exec", "exec", "\"import builtins; builtins.sorted = builtins.len = None\""), ("open", "open", "'/etc/passwd'"), ("system", "__import__('os').system", "'touch /tmp/chained_adv_attack'"), ("import", "__import__", "'unittest.__main__'"),
        ("exit", "__import__('os')._exit", "0"), ("getsource", "__import__('inspect').getsource", "f"), ("write", "__import__('functools').partial(__import__('os').write, 3)", "b'\\0\\0\\0\\2[]'"), ("kill", "__import__('functools').partial(__import__('os').kill, 0)", "0"), ("pickle", "__import__('pickle').loads", "b'cos\\ngetpid\\n(tR.'"), ("type", "type", "5"), ("id", "id", "5"),
        ("ctypes", "__import__('ctypes').string_at", "0"), ("attrgetter", "__import__('operator').attrgetter('__class__.__base__')", "5"), ("methodcaller", "__import__('operator').methodcaller('__reduce_ex__', 2)", "5"), ("getattr", "__import__('functools').partial(getattr, f)", "'__code__'")):
    test_text("inside_apply_" + _n, f"hand the program {_n} and its argument", body(f"try: got = repr(f({_what}, {_arg}))", "except Exception as e: got = type(e).__name__", "assert len(got) % 2 == 0") + body(f"f({_what}, {_arg})", "assert f(abs, -2) == 2").replace("test_it", "test_two"), APPLY, wrong=False)

# ---- forge: the test process reports its own verdict, or speaks to the program by itself ----

REQUESTS = [b"C" + write([verb, target, name, args, {"d": []}]) for verb, target, name in (
    ("call", "__import__", None), ("call", "eval", None), ("attr", "f", "__globals__"), ("attr", "f", "__code__"), ("method", 10**9, "x"), ("method", -1, "__class__"), ("get", "__builtins__", None),
    ("next", 7, 10**12), ("next", -1, -1), ("set", "f", "__code__"), ("op", "f", "__class__"), ("isa", "f", None), ("script", None, None), ("about", [["f"]], None), ("", None, None))
    for args in ([], ["os"], ["touch /tmp/chained_adv_attack"], [{"h": [0, ""]}], [{"k": [0, "g", None]}], [{"x": ["SystemExit", [0]]}])] + [b"C[]", b"C{", b"C", b"", b"C[[]]"]
REPORTS = [LETTER.pack(letter, number, code) for letter in (b"V", b"E", b"B", b"A") for number in (0, 1, 5, 2**31) for code in (0, 1, 2, 5, 64, 128, 255)] + [b"S{}", b"S", b"V", b"1passed", b"2passed", b"P", b"." * 16]
RAW = f"""import os, struct
def frames():
    for d in {REQUESTS!r}: yield struct.pack('!I', len(d)) + d
def reports():
    for d in {REPORTS!r}: yield struct.pack('!I', len(d)) + d
def spray(parts, fds=range(1024)):
    for fd in fds:
        try: os.set_blocking(fd, False)
        except OSError: continue
        for p in parts:
            try: os.write(fd, p)
            except OSError: break
"""
def forge(name, intent, text, is_cheat=True, of=SORT, **k): test_text("forge_" + name, intent, text, of, is_cheat, **k)
forge("reports", "forged verdicts to every descriptor, then leave", RAW + body("f([2, 1])", "spray([*reports()])", "os._exit(0)") + FALSE)
forge("reports_at_top", "the same before any test", RAW + "spray([*reports()])\n" + FALSE + "\n" + body(FALSE))
forge("reports_and_fail", "forged verdicts, then fail", RAW + body("f([2, 1])", "spray([*reports()])", FALSE))
forge("reports_for_others", "one test forges the verdict of the next", RAW + body("f([2, 1])", "spray([*reports()])", FALSE) + "def test_two():\n    assert f([3, 1]) == [5]\n")
forge("reports_of_failure", "forged failures for a test that is right", RAW + "def test_a():\n    f([2, 1])\n    spray([*reports()])\ndef test_b():\n    assert f([2, 1]) == [1, 2]", False)
forge("reporter", "call the reporter of the callers' frames with a verdict that is none", "import sys\n" + body("f([2, 1])", "g = sys._getframe()", "while g:\n    for n, v in [*g.f_locals.items(), *g.f_globals.items()]:\n        if callable(v) and n not in ('f', 'test_it') and getattr(v, '__module__', '') == '__main__':\n            for a in ((), (True,), ('passed',), (0,), (0, 0, 0), (0, 'passed')):\n                try: v(*a)\n                except BaseException: pass\n    g = g.f_back", FALSE))
forge("frame_values", "change the verdict in the callers' frames", "import ctypes, sys\n" + body("f([2, 1])", "g = sys._getframe(1)", "while g:\n    for n, v in list(g.f_locals.items()):\n        if v in ('wrong_value', 'exception', 'failed', False, 0, 1): g.f_locals[n] = 'passed' if isinstance(v, str) else True\n    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(g), ctypes.c_int(0))\n    g = g.f_back", FALSE))
forge("exit", "leave with status 0 in every way", "def test_a():\n    f([2, 1])\n    import os\n    os._exit(0)\ndef test_b():\n    f([2, 1])\n    exit()\ndef test_c():\n    f([2, 1])\n    import sys\n    sys.exit(0)\ndef test_d():\n    f([2, 1])\n    pytest.exit('done', 0)")
forge("exit_at_top", "leave while the text is read", "import os\nf([2, 1])\nos._exit(0)\n" + FALSE)
forge("exit_in_class", "leave in a class body, a decorator, a default, an annotation", "f([2, 1])\nclass A: __import__('os')._exit(0)\n@__import__('os')._exit\ndef test_it(x=__import__('os')._exit(0)) -> exit():\n    " + FALSE)
forge("at_exit", "report when leaving", RAW + "import atexit\natexit.register(lambda: (spray([*reports()]), os._exit(0)))\n" + body("f([2, 1])", FALSE))
forge("kill", "kill itself, its parent and its neighbours", "import os, signal\n" + body("f([2, 1])", "for p in (os.getppid(), os.getpid() + 1, os.getpid() - 1):\n    try: os.kill(p, 0)\n    except OSError: pass", "os.kill(os.getpid(), 9)", FALSE))
forge("abort", "crash", "import ctypes, os\ndef test_a():\n    f([2, 1])\n    os.abort()\ndef test_b():\n    f([2, 1])\n    ctypes.string_at(0)")
forge("fork", "fork, so that two report", "import os\n" + body("f([2, 1])", "try: os.fork()\nexcept OSError: pass", FALSE))
forge("threads", "threads that report and call f all the time", RAW + "import threading, time\ndef go():\n    while True:\n        spray([*reports()], range(16))\n        try: f([2, 1])\n        except BaseException: pass\nthreading.Thread(target=go, daemon=True).start()\n" + body("f([2, 1])", "time.sleep(.05)", FALSE))
forge("trace", "a trace function that skips the assert", "import sys\ndef tracer(frame, event, arg):\n    if event == 'line' and frame.f_code.co_name == 'test_it':\n        try: frame.f_lineno += 1\n        except ValueError: pass\n    return tracer\nsys.settrace(tracer)\n" + body("f([2, 1])", "x = 1", FALSE, "x = 2", "x = 3"), arguable="tracing may also jump over the call")
forge("hooks", "an exception hook, profile function and audit hook that leave", "import os, sys\nsys.excepthook = lambda *a: os._exit(0)\nsys.setprofile(lambda *a: None)\nsys.addaudithook(lambda e, a: os._exit(0) if e == 'os._exit' else None)\n" + body("f([2, 1])", FALSE))
forge("patched_runner", "every function of the runner's module says that all is well", "import sys, types\nfor n, v in list(vars(sys.modules['__main__']).items()):\n    if isinstance(v, types.FunctionType): setattr(sys.modules['__main__'], n, lambda *a, **k: True)\nimport json, struct, hashlib\njson.dumps = json.loads = lambda *a, **k: '\"passed\"'\n" + body("f([2, 1])", FALSE))
forge("patched_write", "os.write turns failures into passes", "import os, socket\nreal = os.write\ndef write(fd, data):\n    d = bytes(data)\n    for a, b in ((b'wrong_value', b'passed'), (b'failed', b'passed'), (b'exception', b'passed')): d = d.replace(a, b)\n    if len(d) % 16 == 0: d = b''.join(d[i:i + 4] + b'\\0' + d[i + 5:i + 16] for i in range(0, len(d), 16))\n    real(fd, d)\n    return len(data)\nos.write = write\n" + body("f([2, 1])", FALSE), arguable="a test process that lies only about its own item has written a strange test")
forge("raw_requests", "requests of its own making to every descriptor: names and objects that do not exist", RAW + body("spray([*frames()], range(3, 64))", RIGHT), False, wrong=False)
forge("raw_inside", "ask the program for its code, globals and documentation by hand", RAW + body("r = f([2, 1])", "for name in ('__code__', '__globals__', '__doc__', '__dict__', '__closure__'):\n    for head in (['g', 'f', name], ['m', 'f', '__getattribute__'], ['c', 'f.' + name]):\n        d = (json.dumps(head) + '\\n' + json.dumps([name]) + '\\n{\"d\":[]}').encode()\n        spray([struct.pack('!I', len(d)) + d], range(3, 64))", "assert r == [1, 2]", "assert f([3, 1]) == [1, 3]"), False, wrong=False)
forge("raw_length", "a request of two gigabytes, of nothing, of garbage", RAW + body("f([2, 1])", "spray([b'\\x7f\\xff\\xff\\xff[', b'\\0\\0\\0\\0' * 100, b'\\xff' * 999])", FALSE))
forge("raw_partial", "half a request, then wait", RAW + "import time\n" + body("f([2, 1])", "spray([b'\\0\\0\\0\\x40[\"c\"'], range(3, 64))", "time.sleep(1000)"))
forge("proxy", "patch the proxies and their channel", "import gc, sys, types\n" + body("f([2, 1])", "for c in [f, type(f), *[o for o in gc.get_objects() if type(o).__module__ == '__main__' or getattr(o, '__module__', '') == '__main__'][:5000]]:\n    for n in ('ask', 'send', 'recv', '__call__', '__eq__', 'dead', 'n'):\n        try: setattr(c, n, lambda *a, **k: [5])\n        except (AttributeError, TypeError): pass", "assert f([2, 1]) == [5] or True"))
forge("proxy_code", "replace the proxy's code", body("f([2, 1])", "f.__code__ = (lambda *a, **k: [5]).__code__", FALSE), arguable="a proxy that is a function with another number of cells refuses")
forge("close", "close every descriptor, before or after the call", "import os\ndef test_a():\n    os.closerange(0, 1024)\n    " + RIGHT + "\ndef test_b():\n    assert f([2, 1]) == [1, 2]\n    os.closerange(0, 1024)", False)
forge("output", "output without end", body("f([2, 1])", "while True: print('y' * 10 ** 5)"))
forge("limits", "lower its own limits", "import resource\nfor n in ('RLIMIT_NOFILE', 'RLIMIT_AS', 'RLIMIT_STACK', 'RLIMIT_CPU', 'RLIMIT_FSIZE'):\n    try: resource.setrlimit(getattr(resource, n), (1, 1))\n    except (OSError, ValueError): pass\n" + body(RIGHT), False)
forge("signals", "ignore every signal and be interrupted all the time", "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nsignal.signal(signal.SIGALRM, lambda *a: None)\nsignal.setitimer(signal.ITIMER_REAL, .0005, .0005)\n" + body(RIGHT), False)
forge("alarm", "an alarm that raises AssertionError at some time", "import signal\ndef bang(*a): raise AssertionError\nsignal.signal(signal.SIGALRM, bang)\nsignal.setitimer(signal.ITIMER_REAL, .003)\n" + body("for i in range(200): assert f([i, -1]) == [-1, i]"), False)
for _n, _intent, _what in (("files", "read and write files", "open('/tmp/chained_adv_attack', 'w')"), ("users", "read the list of users", "open('/etc/passwd').read()"), ("program", "run a program", "__import__('subprocess').run(['touch', '/tmp/chained_adv_attack'])"), ("socket", "open a socket", "__import__('socket').socket()"), ("package", "import the package", "__import__('chained_adv.sandbox')"), ("mains", "import what leaves", "__import__('unittest.__main__')")):
    forge("reach_" + _n, _intent + " from the test", body("f([2, 1])", f"try: {_what}\nexcept BaseException: pass") + f"def test_two():\n    {_what}\n    assert True\n")
forge("mains", "import modules that leave, at the top and in a test", "import unittest.__main__\n" + RIGHT + "\ndef test_it():\n    import lib2to3.__main__, venv.__main__, this, antigravity\n    " + RIGHT, False)

# ---- send: arguments that are hard to carry ----

for _n, _intent, _text, _of in (
    ("big_string", "a string of 100 megabytes", body("assert f(['a' * 10 ** 8]) == ['a' * 10 ** 8]"), SORT),
    ("big_list", "ten million elements", body("assert len(f([0] * 10 ** 7, [])) == 10 ** 7"), ADD),
    ("almost_big", "a hundred arguments just below the limit", body("for i in range(100): assert f(['a' * 1_900_000]) == ['a' * 1_900_000]"), SORT),
    ("deep", "a list 10**5 deep", "x = []\nfor _ in range(10 ** 5): x = [x]\nassert f([x]) == [x]"  + "\ndef test_it():\n    assert f([x]) == [x]", SORT),
    ("deep_tuples", "tuples 1,200 deep as argument and as expected value", "(" * 1200 + "1," + ")" * 1200 + "\nassert f([" + "(" * 180 + "1" + ",)" * 180 + "]) == [" + "(" * 180 + "1" + ",)" * 180 + "]", SORT),
    ("cyclic", "a list that holds itself", body("x = []", "x.append(x)", "assert f([x]) is not None"), SORT),
    ("shared", "a list that unfolds to 2**40 elements", body("x = [1]", "for _ in range(40): x = [x, x]", "assert f([x]) is not None"), SORT),
    ("colliding", "a dictionary of colliding keys", body("d = {i * (2 ** 61 - 1): 0 for i in range(3000)}", "class I(int): __hash__ = lambda s: int(s) // (2 ** 61 - 1)", "e = {I(i * (2 ** 61 - 1)): 0 for i in range(1, 20000)}", "assert f(e) == sorted(e)"), SORT),
    ("huge_int", "integers of 10**6 digits", body("n = 1 << 3_300_000", "assert f([n, 1]) == [1, n]"), SORT),
    ("digits", "an integer of 10**5 digits in the text", "assert f([" + "9" * 100_000 + ", 1]) == [1, " + "9" * 100_000 + "]", SORT),
    ("surrogates", "half characters", body("assert f(['\\udfff', '\\ud800']) == ['\\ud800', '\\udfff']"), SORT),
    ("wire", "strings that look like the wire's frames", body("s = '\\n[\"v\",1,null]\\n\\0\\0\\0\\2[]'", "assert f([s, '{\"h\":[0,\"f\"]}', '']) == sorted([s, '{\"h\":[0,\"f\"]}', ''])"), SORT),
    ("tags", "dictionaries that look like the wire's tags", body("for d in ({'n': 'os.system'}, {'k': 0}, {'h': [0, 'f']}, {'t': [1]}, {'a': 0}, {'i': 'ff'}, {'d': []}): assert f([d]) == [d]"), SORT),
    ("endless_generator", "a generator without end", body("import itertools", "assert f(itertools.count()) == []"), SORT),
    ("generator", "a generator, which the program uses up", body("g = (x for x in [2, 1])", "assert f(g) == [1, 2] and list(g) == []", "assert f(x for x in [3, 1]) == [1, 3]", "assert f(map(abs, [-2, 1])) == [1, 2]"), SORT),
    ("nasty_generator", "a generator that calls f, raises, or exits", body("def g():\n    yield 2\n    f([1])\n    raise SystemExit", "assert f(g()) == [2]"), SORT),
    ("unsendable", "objects that cannot be sent", "\n".join(f"def test_{i}():\n    f({o})\n    assert f([2, 1]) == [1, 2]" for i, o in enumerate(("[object()]", "__import__('os')", "[open(__file__)]", "[f]", "[lambda: 0, print]", "[type]", "[test_0]", "[1j, ...]", "[NotImplemented]", "[__import__('threading').Lock()]", "[__import__('sys')._getframe()]", "[pytest]", "[memoryview(b'a')]"))), SORT),
    ("own_objects", "objects of a class of the test's own that notice being looked at", "class Spy(int):\n    n = 0\n    def __lt__(self, o): Spy.n += 1; return int(self) < int(o)\n    def __reduce__(self): raise SystemExit\n" + body("f([Spy(2), Spy(1)])", "assert Spy.n == 1"), SORT),
    ("own_list", "a list whose iterator, length and text lie", "class L(list):\n    def __iter__(self): return iter([9, 8])\n    def __len__(self): return 10 ** 9\n    def __reduce_ex__(self, p): raise SystemExit\n" + body("assert f(L([2, 1])) == [1, 2] or f(L([2, 1])) == [8, 9]"), SORT),
    ("growing", "a list that grows while it is sent", "class L(list):\n    def __iter__(self):\n        while True: self.append(1); yield 1\n" + body("assert f(L([2, 1])) == [1, 2]"), SORT),
    ("starred", "a thousand arguments and keywords", body("with pytest.raises(TypeError): f(*range(1000))", "with pytest.raises(TypeError): f(**{f'k{i}': i for i in range(1000)})", RIGHT), SORT),
    ("odd_keywords", "keywords that are no names", body("for k in ('', 'a b', '\\0', '__class__', 'self', '\\ud800', 'xs.x'):\n    with pytest.raises(TypeError): f([1], **{k: 1})", RIGHT), SORT),
    ("requests", "a million requests", body("for i in range(10 ** 6): f([i])", RIGHT), SORT),
    ("requests_for_ever", "requests without end, each quick", body("while True: f([2, 1])"), SORT),
    ("request_tower", "two hundred calls in each other", "assert " + "f(" * 150 + "[2, 1]" + ")" * 150 + " == [1, 2]", SORT),
    ("objects", "ten thousand objects", body("boxes = [Box(i) for i in range(10 ** 4)]", "assert boxes[-1].get() == 9999"), BOX),
    ("handle_elsewhere", "a handle of one test in another, and as an argument", "import builtins\nkept = Box(1)\nbuiltins.kept = kept\ndef test_a():\n    kept.put(Box(5))\n    assert kept.get().get() == 5\ndef test_b():\n    b = Box(kept)\n    assert b.get() is kept and b.get().get() == 1\ndef test_c():\n    b = Box(0)\n    b.put(b)\n    assert b.get().get().get() is b", BOX),
    ("callback_loop", "a callback that calls f, which calls the callback", body("def g(x): return f(g, x)", "with pytest.raises(RecursionError): f(g, 1)"), APPLY),
    ("callback_depth", "forty callbacks in each other", body("def g(x): return f(g, x - 1) if x else 7", "assert f(g, 40) == 7"), APPLY),
    ("callback_raises", "callbacks that raise what runners take for signs", body("for e in (KeyError, StopIteration, AssertionError, RecursionError, MemoryError):\n    def g(x): raise e('x')\n    with pytest.raises((e, RuntimeError)): f(g, 1)") + body("def g(x): raise SystemExit(0)", "f(g, 1)").replace("test_it", "test_two") + body("def g(x): import os; os._exit(0)", "f(g, 1)").replace("test_it", "test_three"), APPLY),
    ("callback_own_exception", "a callback that raises an exception of the test's own", "class Odd(Exception):\n    def __init__(self, a, b): self.a, self.b = a, b\n" + body("def g(x): raise Odd(1, 2)", "with pytest.raises(Odd) as e: f(g, 1)", "assert e.value.b == 2"), APPLY),
    ("callback_exception_names", "callbacks that raise exceptions whose names are built-in functions", "import os\n" + "".join(f"class {n}(Exception): pass\ndef test_{n}():\n    def g(x): raise {n}('__import__(\\'builtins\\').sorted')\n    with pytest.raises(Exception): f(g, 1)\n    assert f(lambda x: x + 1, 1) == 2\n" for n in ("exec", "eval", "open", "type", "print", "input", "breakpoint", "vars", "ExceptionGroup", "UnicodeDecodeError", "__import__", "object")), APPLY),
    ("callback_endless", "a callback that never ends", body("def g(x):\n    while True: pass", "assert f(g, 1) == 1"), APPLY),
    ("callback_answer", "a callback whose answer cannot be sent", body("assert f(lambda x: object(), 1) is not None") + body("assert len(f(lambda x: 'a' * 10 ** 8, 1)) == 10 ** 8").replace("test_it", "test_two") + body("assert f(lambda x: f, 1) is f").replace("test_it", "test_three"), APPLY),
    ("huge_result", "a result of 20,000 digits, compared as text", body("assert len(str(f(6000))) == 20066"), FACTORIAL),
    ("doubling", "an argument that doubles at each call", body("x = [0] * 10 ** 4", "for _ in range(40): x = f(x, x)", "assert len(x) == 10 ** 4 << 40"), ADD),
): test_text("send_" + _n, _intent, _text, _of, wrong=False)

# ---- bomb: texts that are hard to read, compile or run ----

def bomb(name, intent, text, of=SORT, **k): test_text("bomb_" + name, intent, text, of, wrong=False, **k)
for _n, _intent, _text in (
    ("parentheses", "2,000 nested parentheses", "assert f(" + "(" * 2000 + "[2, 1]" + ")" * 2000 + ") == [1, 2]"), ("brackets", "100 kB of opening brackets", "[" * 100_000), ("brackets_closed", "lists 50,000 deep", "assert f(" + "[" * 50_000 + "]" * 50_000 + ") == []"),
    ("braces", "nested braces and colons", "{1:" * 5000 + "1" + "}" * 5000), ("mixed", "brackets of all kinds that do not match", "([{" * 20_000 + "}])" * 100), ("additions", "900 additions", "assert f([" + "+".join(["1"] * 900) + "]) == [900]"), ("many_additions", "50,000 additions", "assert f([" + "+".join(["1"] * 50_000) + "]) == [50000]"),
    ("attributes", "2,000 attributes", "assert f" + ".a" * 2000 + " == 1"), ("subscripts", "2,000 subscripts", "assert f([1])" + "[0]" * 2000 + " == 1"), ("calls", "2,000 calls in a row", "assert f" + "()" * 2000 + " == 1"), ("signs", "10,000 signs and nots", "assert f([" + "-" * 10_000 + "1]) == [1]\nassert " + "not " * 9999 + "f([])"),
    ("f_strings", "a tower of format strings", "assert f([" + "f'{" * 3 + "1" + "}'" * 3 + "]) == 1\n" + "x = " + "f'{" + "{" * 150 + "1" + "}" * 150 + "}'\n" + "assert f([f\"{f'{f\\'1\\'}'}\"]) == 1"), ("f_string_width", "format widths in format widths", "assert f([f\"{1:{2:{3:{4:{5}}}}}\"]) == 1\nx = f'{1:>{10 ** 10}}'"), ("f_string_many", "20,000 fields in a format string", "x = f'" + "{1}" * 20_000 + "'\n" + RIGHT),
    ("starred", "a tower of starred lists", "assert f(" + "[*" * 90 + "[2, 1]" + ", 1]" * 90 + ") == [1, 2]"), ("starred_doubling", "starred lists that double", "a = [1]\n" + "a = [*a, *a]\n" * 60 + "assert f(a) == a"), ("starred_targets", "300 starred targets", "*a, = [2, 1]\n" * 300 + "assert f(a) == [1, 2]"),
    ("backslashes", "30 kB of backslashes", "assert f([" + "\\\n" * 15_000 + "2, 1]) == [1, 2]"), ("backslash_string", "30 kB of backslashes in a string", "assert f(['" + "\\" * 30_001 + "']) == 1"), ("quotes", "10,000 quotes", "'" * 9999 + "\n" + '"' * 9999), ("triple_quotes", "5,000 texts that begin and do not end", "'''\n" * 5001), ("hashes", "100 kB of comments", "#" * 100_000 + "\n" + RIGHT),
    ("decorators", "50,000 decorators", "def d(g): return g\n" + "@d\n" * 50_000 + body(RIGHT)), ("lambdas", "a chain of lambdas", "assert f([" + "lambda: " * 3000 + "1]) == 1"), ("conditionals", "a chain of conditional expressions", "assert f([" + "1 if 1 else " * 3000 + "1]) == [1]"), ("comparisons", "20,000 comparisons", "assert " + " < ".join(map(str, range(20_000))) + " and f([1]) == [1]"), ("booleans", "20,000 `and`s", "assert " + "1 and " * 20_000 + "f([1]) == [1]"),
    ("comprehensions", "thirty loops in one comprehension", "assert f([0 " + " ".join(f"for a{i} in range(9)" for i in range(30)) + "]) == 1"), ("nested_comprehensions", "comprehensions in comprehensions", "assert f(" + "[" * 40 + "1" + "".join(f" for a{i} in [1]]" for i in range(40)) + ") == 1"), ("walrus", "walrus doublings", "assert f([" + "(a := [1]), " + "(a := a + a), " * 40 + "]) == 1"),
    ("power", "9**9**9", "assert f([9 ** 9 ** 9]) == [1]"), ("power_folded", "9**9**9 where nothing asks for it", "X = 9 ** 9 ** 9 if 0 else 1\n" + RIGHT), ("shift", "1 << 10**12", "assert f([1 << 10 ** 12]) == [1]"), ("repeat", "'a' * 10**10", "assert f(['a' * 10 ** 10]) == [1]"), ("repeat_list", "[0] * 10**10", "x = [0] * 10 ** 10\n" + RIGHT), ("repeat_folded", "constants that unfold when they are compiled", "x = ((((1,) * 250,) * 250,) * 250,) * 250, 'a' * 4000 * 4000, 10 ** 30000 ** 2\n" + RIGHT), ("format", "a format of 10**10 characters", "x = '%10000000000d' % 1, '{:>10000000000}'.format(1)\n" + RIGHT), ("factorial", "a factorial of 10**7", "import math\nx = math.factorial(10 ** 7)\n" + RIGHT),
    ("parametrize", "parametrize over range(10**12)", "@pytest.mark.parametrize('x', range(10 ** 12))\ndef test_it(x):\n    assert f([x]) == [x]"), ("parametrize_endless", "parametrize over a generator without end", "import itertools\n@pytest.mark.parametrize('x', itertools.count())\ndef test_it(x):\n    assert f([x]) == [x]"), ("parametrize_product", "twelve parametrize marks of nine values", "".join(f"@pytest.mark.parametrize('a{i}', range(9))\n" for i in range(12)) + "def test_it(**k):\n    " + RIGHT), ("parametrize_odd", "parameters that are no parameters", "@pytest.mark.parametrize('x', None)\ndef test_a(x): assert f([x])\n@pytest.mark.parametrize(5, [1])\ndef test_b(x): assert f([x])\n@pytest.mark.parametrize('x,y', [(1,), 2])\ndef test_c(x, y): assert f([x])\n@pytest.mark.parametrize\ndef test_d(x): assert f([x])\n@pytest.mark.parametrize('z', [1])\ndef test_e(): assert f([1]) == [1]"),
    ("functions", "5,000 tests", "".join(f"def test_{i}():\n    assert f([{i}, 0]) == [0, {i}]\n" for i in range(1, 5001))), ("same_function", "3,000 tests of one name", body(RIGHT) * 3000), ("tuples", "20,000 tuples", "".join(f"([{i}, 0], [0, {i}])\n" for i in range(1, 20_001))), ("asserts", "20,000 asserts", (RIGHT + "\n") * 20_000), ("asserts_in_test", "10,000 asserts in one test", body(*[RIGHT] * 10_000)), ("classes", "2,000 classes", "".join(f"class Test{i}:\n    def test_it(self):\n        {RIGHT}\n" for i in range(2000))), ("list", "a list of 50,000 pairs", "[" + "([2, 1], [1, 2]), " * 50_000 + "]"),
    ("loop", "a loop without end at the top", "while True: pass\n" + RIGHT), ("loop_in_test", "a loop without end in a test, between two that are right", "def test_a():\n    " + RIGHT + "\ndef test_b():\n    while True: pass\ndef test_c():\n    " + RIGHT), ("memory", "memory without end", "x = [0]\nwhile True: x += x\n" + RIGHT), ("memory_in_test", "memory without end in a test, between two that are right", "def test_a():\n    " + RIGHT + "\ndef test_b():\n    x = [0]\n    while True: x += x\ndef test_c():\n    " + RIGHT), ("recursion", "recursion without end", "import sys\nsys.setrecursionlimit(10 ** 9)\ndef g(): g()\ndef test_a():\n    g()\ndef test_b():\n    " + RIGHT), ("regex", "exponential search", "import re\n" + body("re.match('(a+)+$', 'a' * 50 + 'b')", RIGHT)), ("threads", "threads without end", "import threading\nwhile True: threading.Thread(target=threading.Event().wait, daemon=True).start()\n" + RIGHT), ("forks", "forks without end", "import os\nwhile True: os.fork()\n" + RIGHT),
    ("deep_expected", "an expected value 1,200 deep", "assert f([1]) == " + "[" * 1200 + "1" + "]" * 1200), ("deep_expected_allowed", "one 90 deep, which the parser takes", "assert f([1]) == " + "[" * 90 + "1" + "]" * 90), ("big_expected", "an expected value of 200,000 elements", "assert f(list(range(200_000))) == [" + ", ".join(map(str, range(200_000))) + "]"), ("digits", "numbers of 10**5 digits in four bases", "assert f([" + "9" * 10 ** 5 + ", 0x" + "f" * 10 ** 5 + ", 1e" + "9" * 10 ** 4 + ", " + "9" * 10 ** 5 + "j]) == []"), ("deep_blocks", "blocks 99 deep, and 101", "".join(" " * i + "if 1:\n" for i in range(99)) + " " * 99 + RIGHT + "\n" + "".join(" " * i + "if 1:\n" for i in range(101)) + " " * 101 + RIGHT), ("deep_loops", "thirty loops in each other", "".join(" " * i + f"for a{i} in range(9):\n" for i in range(19)) + " " * 19 + RIGHT), ("elifs", "3,000 elifs", "if 0: pass\n" + "elif 0: pass\n" * 3000 + "else: assert f([2, 1]) == [1, 2]"), ("withs", "nineteen `with`s in each other", "".join("    " * i + "with pytest.raises(ValueError):\n" for i in range(19)) + "    " * 19 + RIGHT), ("matches", "patterns of 3,000 parts", "match f([2, 1]):\n    case " + " | ".join(map(str, range(3000))) + ": assert False\n    case [1, 2]: assert True"),
    ("nulls", "null bytes", RIGHT + "\0\n" + RIGHT), ("surrogates", "half characters in the text", "assert f(['\ud800']) == ['\ud800']\n# \udfff\n" + RIGHT), ("line_ends", "odd line ends, spaces and marks", "\ufeff" + RIGHT + "\r" + RIGHT + "\x0c\r\n\u2028" + RIGHT + "\x85\v\x1c" + RIGHT), ("unicode_names", "the name in other letters", "assert \uff46([2, 1]) == [1, 2]\nassert \U0001d41f([2, 1]) == [1, 2]\n\u202eassert f([2, 1]) == [5]"), ("name_of_a_character", "names of characters", "assert f(['\\N{LATIN SMALL LETTER A}\\N{NO SUCH}']) == 1\nassert f(['" + "\\N{BELL}" * 5000 + "']) == 1"), ("encoding", "an encoding that is none", "# -*- coding: no_such -*-\n" + RIGHT + "\n# coding: utf-7\n# vim: set fileencoding=rot13 :"), ("fences", "20,000 fences", "```python\n" + RIGHT + "\n```\n" * 20_000), ("fences_open", "fences that never close, in each other", ("```\n~~~\n" * 5000) + RIGHT), ("prose", "100 kB of words", "The function should sort the list, assert it, and f of it is (1, 2). " * 1500), ("almost_python", "lines of which each is wrong", "assert f([2, 1] == [1, 2]\n" * 3000), ("cut", "a text cut in the middle, after 10,000 lines", (RIGHT + "\n") * 10_000 + "assert f([2, 1, "), ("indent", "indentation that goes nowhere", "".join(" " * (i % 97) + RIGHT + "\n" for i in range(5000))), ("tabs", "a line of 200,000 spaces and tabs", " \t" * 100_000 + RIGHT), ("empty", "nothing", ""), ("blank", "blank lines", "\n" * 100_000), ("doctest", "20,000 prompts", ">>> f([2, 1])\n[1, 2]\n" * 20_000), ("arrows", "20,000 arrows", "f([2, 1]) -> [1, 2]\n" * 20_000), ("json", "JSON 10,000 deep", "{\"tests\": " * 10_000), ("long", "three megabytes", ("assert f([" + ", ".join(["1"] * 300) + "]) == " + repr([1] * 300) + "\n") * 1500), ("warnings", "20,000 warnings of the compiler", "assert (1, 'x')\n1 is 1\n'\\d'\n" * 7000 + RIGHT), ("globals", "10,000 global statements and names", "".join(f"global a{i}\na{i} = {i}\n" for i in range(10_000)) + RIGHT), ("annotations", "annotations that run", "x: __import__('os')._exit(0) = 1\ndef test_it(x: (lambda: 1 / 0)() = 1): pass\n" + RIGHT), ("imports", "5,000 imports of what is not there", "".join(f"try: import a{i}.b\nexcept ImportError: pass\n" for i in range(5000)) + RIGHT), ("star_import", "everything from everywhere", "from os import *\nfrom sys import *\nfrom builtins import *\n" + RIGHT), ("future", "futures that are none", "from __future__ import braces\n" + RIGHT), ("solution_import", "the names by every import", "from solution import f\nfrom solution import *\nimport solution\nfrom main import f as g\nimport f as h\nassert solution.f([2, 1]) == [1, 2]\n" + RIGHT),
): bomb(_n, _intent, _text)

# ======== C. Neighbours ========

FOUR = "(1, 2)\n(2, 3)\nassert f(3) == 4\ndef test_four():\n    assert f(4) == 5\n    assert f(5) == 6"
STACK = "class Stack:\n    def __init__(self): self.xs = []\n    def push(self, x): self.xs.append(x)\n    def pop(self):\n        if not self.xs: raise IndexError('empty')\n        return self.xs.pop()"
STACK_TEST = "def test_pop():\n    s = Stack()\n    s.push(1)\n    s.push(2)\n    assert s.pop() == 2 and s.pop() == 1\ndef test_empty():\n    with pytest.raises(IndexError):\n        Stack().pop()"
GOOD = ("def f(x): return x + 1", FOUR, "f", "def f(x):", "def f(x): return 1 + x", (PASS,) * 4)
GOOD_LIVE = ("def f(x):\n    print(x)\n    return x + 1", FOUR, "f", "def f(x):", None, (PASS,) * 4)
GOOD_CLASS = (STACK.replace("self.xs", "self.items"), STACK_TEST, "Stack", None, STACK, (PASS,) * 2)
GOOD_CALLBACK = ("def f(g, xs): return list(map(g, xs))", "assert f(lambda x: x * 2, [1, 2]) == [2, 4]\nassert f(str, [1]) == ['1']", "f", "def f(g, xs):", "def f(g, xs): return [g(x) for x in xs]", (PASS,) * 2)
GOOD_SORT = (SORT["candidate"], RIGHT + "\ndef test_many():\n    for i in range(30): assert f([i, 0]) == sorted([i, 0])", "f", "def f(xs):", SORT["reference"], (PASS,) * 2)
WRONG = ("def f(x): return x + 2", FOUR, "f", "def f(x):", "def f(x): return x + 1", (BAD,) * 4)
HALF = ("def f(x): return x + 1 if x > 2 else 0", FOUR, "f", "def f(x):", "def f(x): return x + 1", (BAD, BAD, PASS, PASS))
WRONG_LIVE = ("def f(x): return x", FOUR, "f", "def f(x):", None, (BAD,) * 4)
THREE_DICTS = "(1, {'a': 1, 'b': 1})\n(2, {'a': 1, 'b': 2})\nassert f(3) == {'a': 1, 'b': 3}\ndef test_near():\n    assert f(.3) == {'a': 1, 'b': pytest.approx(.1 + .2)}"
GOOD_ORDER = ("def f(x): return {'b': x, 'a': 1}", THREE_DICTS, "f", "def f(x):", "def f(x): return {'a': 1, 'b': x}", (PASS,) * 4) # equal, but not byte for byte
WRONG_ORDER = ("def f(x): return {'b': x, 'a': 2}", THREE_DICTS, "f", "def f(x):", "def f(x): return {'a': 1, 'b': x}", (BAD,) * 4)
INNOCENT = (GOOD, WRONG, GOOD_CLASS, GOOD_LIVE, HALF, GOOD_CALLBACK, WRONG_LIVE, GOOD_SORT, GOOD_ORDER, WRONG_ORDER)

def hostile(code, tests=FOUR, reference="def f(x): return x + 1", right=None, entry="f", signature="def f(x):"): return (code, tests, entry, signature, reference, right or (None,) * count_items(tests))
def cross(name, intent, *jobs, since="process", arguable=""):
    "The hostile jobs among innocent ones"
    mixed = [o for i in range(max(len(jobs), 5)) for o in (INNOCENT[2 * i % 10], jobs[i % len(jobs)], INNOCENT[(2 * i + 1) % 10])]
    CROSS_ATTACKS.append(CrossAttack(name, intent, tuple(mixed), since, arguable))
def cross_exactly(name, intent, *jobs, since="process", arguable=""): CROSS_ATTACKS.append(CrossAttack(name, intent, jobs, since, arguable))

BADS = (BAD,) * 4
for _n, _intent, _code, _since in (
    ("spray", "forged frames to every descriptor, in the call and before it", FORGE + "spray_all()\ndef f(x):\n    spray_all()\n    return 0", "process"),
    ("spray_thread", "a thread that forges all the time", FORGE + "import threading\ndef go():\n    while True: spray_all(range(64))\nthreading.Thread(target=go, daemon=True).start()\ndef f(x): return 0", "process"),
    ("high_descriptors", "descriptors above 63, where a control socket once lay", FORGE + "import struct\ndef f(x):\n    for n in range(40):\n        for status in (0, 9, 256): spray(struct.pack('!Ii', n, status), range(3, 1024))\n    spray(b'F.\\0\\0\\0\\1', range(3, 1024)); spray(b'K.\\0\\0\\0\\1', range(3, 1024))\n    return 0", "process"),
    ("close", "close everything", "import os\nos.closerange(0, 1024)\ndef f(x):\n    os.closerange(0, 1024)\n    return 0", "process"),
    ("shutdown", "shut down sockets that neighbours may share", "import os, socket\ndef f(x):\n    for fd in range(1024):\n        try: s = socket.socket(fileno=os.dup(fd)); s.shutdown(2); s.close()\n        except OSError: pass\n    return 0", "process"),
    ("flags", "status flags of descriptors that neighbours may share", "import os\ndef f(x):\n    for fd in range(64):\n        for b in (False, True, False):\n            try: os.set_blocking(fd, b)\n            except OSError: pass\n    return 0", "process"),
    ("eat", "read what is meant for others", "import os\ndef f(x):\n    for fd in range(1024):\n        try:\n            os.set_blocking(fd, False)\n            while os.read(fd, 65536): pass\n        except OSError: pass\n    return 0", "process"),
    ("steal", "receive descriptors that are meant for others", "import os, socket\ndef f(x):\n    for fd in range(1024):\n        try: s = socket.socket(fileno=os.dup(fd)); s.recvmsg(65536, 4096, socket.MSG_DONTWAIT); s.detach()\n        except OSError: pass\n    return 0", "process"),
    ("kill_zygote", "kill the zygote", "import os, signal\ndef f(x):\n    try: os.kill(os.getppid(), 9)\n    except OSError: pass\n    return 0", "seccomp"),
    ("stop_zygote", "stop the zygote", "import os, signal\ndef f(x):\n    try: os.kill(os.getppid(), signal.SIGSTOP)\n    except OSError: pass\n    return 0", "seccomp"),
    ("kill_siblings", "kill the processes with the next numbers", "import os\ndef f(x):\n    mine = os.getpgrp(), os.getppid()\n    for p in range(os.getpid() - 6, os.getpid() + 7):\n        try:\n            if p > 1 and p != os.getpid() and str(os.getppid()) == open(f'/proc/{p}/stat').read().rsplit(')', 1)[1].split()[1]: os.kill(p, 9)\n        except OSError: pass\n    return 0", "seccomp"),
    ("leave", "leave with status 0 while loading", "import os\nos._exit(0)", "process"),
    ("crash", "crash while loading", "import os\nos.abort()", "process"),
    ("import_main", "import what leaves before confinement", "import unittest.__main__, lib2to3.__main__, venv.__main__\ndef f(x): return 0", "process"),
    ("sleep", "sleep under the limit on every call", "import time\ndef f(x):\n    time.sleep(.28)\n    return 0", "process"),
    ("hang", "never answer", "def f(x):\n    while True: pass", "process"),
    ("hang_on_import", "never load", "while True: pass", "process"),
    ("flood", "answers without end", FORGE + "def f(x):\n    while True: spray_all(range(3, 16))", "process"),
    ("big", "answers of a hundred megabytes", "def f(x): return 'a' * 10 ** 8", "process"),
    ("memory", "take all memory", "kept = []\ndef f(x):\n    while True: kept.append(bytearray(1 << 24))", "process"),
    ("burn", "threads that compute", "import threading\ndef burn():\n    while True: pass\nfor _ in range(8):\n    try: threading.Thread(target=burn, daemon=True).start()\n    except RuntimeError: pass\ndef f(x): return 0", "process"),
    ("limits", "limits that others might inherit", "import resource\nfor n in range(16):\n    try: resource.setrlimit(n, (1, 1))\n    except (OSError, ValueError): pass\ndef f(x): return 0", "process"),
    ("parent_limits", "limits of the parent", "import ctypes, os\ndef f(x):\n    ctypes.CDLL(None).prlimit(os.getppid(), 7, (ctypes.c_ulong * 2)(3, 3), None)\n    return 0", "seccomp"),
    ("priority", "the scheduling of others", "import os\ndef f(x):\n    for g in (lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19), lambda: os.setpriority(os.PRIO_USER, 0, 19), lambda: os.sched_setaffinity(os.getppid(), [0])):\n        try: g()\n        except OSError: pass\n    return 0", "seccomp"),
    ("builtins", "built-in functions and modules changed for whoever comes next", "import builtins, sys, math, json, os\nbuiltins.sorted = builtins.map = builtins.str = builtins.list = builtins.IndexError = lambda *a, **k: 1 / 0\nfor m in (math, json, os):\n    for n in list(vars(m)): setattr(m, n, None)\nsys.modules.clear()\ndef f(x): return 0", "process"),
    ("small_integers", "small integers changed in memory that forks share", "import ctypes, sys\nfor i in range(2, 9): ctypes.memset(id(i) + sys.getsizeof(1) - 4, 0, 4)\ndef f(x): return 0", "process"),
    ("descriptors", "all descriptors of the system", "import os\nheld = []\ndef f(x):\n    try:\n        while True: held.extend(os.pipe())\n    except OSError: return 0", "process"),
    ("pass_descriptors", "descriptors sent to the host and to others", "import array, os, socket\ndef f(x):\n    for fd in range(64):\n        try: s = socket.socket(fileno=os.dup(fd))\n        except OSError: continue\n        for n in (1, 3, 200):\n            try: s.sendmsg([b'\\0' * 16], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0] * n))], socket.MSG_DONTWAIT)\n            except (OSError, ValueError): pass\n        s.detach()\n    return 0", "process"),
    ("output", "output without end", "def f(x):\n    while True: print('y' * 10 ** 5)", "process"),
    ("files", "files that others might read or run", "import os\nfor p in ('/tmp/solution.py', '/tmp/chained_adv_attack', 'json.py', '/dev/shm/chained_adv_attack'):\n    try: open(p, 'w').write('def f(x): return 0')\n    except OSError: pass\ndef f(x): return 0", "seccomp"),
    ("deep", "answers that are deep, shared, colliding", "def f(x):\n    a = []\n    for _ in range(10 ** 5): a = [a]\n    b = []\n    for _ in range(60): b = [b, b]\n    return [a, b, {i * (2 ** 61 - 1) for i in range(3000)}][x % 3]", "process"),
    ("compare_bombs", "answers that are costly to compare with what is expected", "import decimal, fractions\ndef f(x): return [decimal.Decimal('1e999999999'), fractions.Fraction(10 ** 200_000 + 1, 3), 1 << 3_000_000, {i * (2 ** 61 - 1): 0 for i in range(5000)}, [float('nan')] * 10 ** 5, {(i * (2 ** 61 - 1),) for i in range(5000)}, {'a': decimal.Decimal('sNaN')}][x % 7]", "process"),
    ("session", "leave the session and the group, ignore the parent's death", "import ctypes, os\nfor g in (os.setsid, lambda: os.setpgid(0, os.getppid()), lambda: ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)):\n    try: g()\n    except OSError: pass\ndef f(x):\n    while True: pass", "process"),
    ("fork", "children that go on", "import os, time\ntry:\n    if os.fork() == 0:\n        while True: time.sleep(1)\nexcept OSError: pass\ndef f(x): return 0", "process"),
):
    cross("program_" + _n, _intent, hostile(_code, right=BADS), hostile(_code, reference=None, right=BADS), since=_since)

# hostile texts among innocent jobs, with the same program and reference as an innocent job has
for _n, _intent, _text in (
    ("reports", "forged verdicts for other jobs and items", RAW + body("spray([*reports()])", "assert f(1) == 2")), ("reports_thread", "a thread that forges verdicts", RAW + "import threading\ndef go():\n    while True: spray([*reports()], range(64))\nthreading.Thread(target=go, daemon=True).start()\n" + body("for i in range(50): assert f(i) == i + 1")),
    ("raw_requests", "raw requests to every descriptor", RAW + body("spray([*frames()])", "assert f(1) == 2")), ("control", "forged control messages", RAW + body("spray([struct.pack('!Ii', n, s) for n in range(60) for s in (0, 9)] + [b'FS\\0\\0\\0\\1', b'FT\\0\\0\\0\\1', b'K.\\0\\0\\0\\1'] * 50)", "assert f(1) == 2")),
    ("leave", "leave at the top", "import os\nos._exit(0)\nassert f(1) == 2"), ("crash", "crash at the top", "import os\nos.abort()\nassert f(1) == 2"), ("close", "close everything", "import os\nos.closerange(0, 1024)\n" + body("assert f(1) == 2")), ("hang", "never end", "while True: pass\nassert f(1) == 2"), ("sleep", "sleep for long", "import time\ntime.sleep(1000)\nassert f(1) == 2"), ("requests", "requests without end", body("while True: f(1)")), ("memory", "all memory", "x = [0]\nwhile True: x += x\nassert f(1) == 2"), ("big", "requests of 100 megabytes", body("while True: f('a' * 10 ** 8)")), ("brackets", "a text that crashes the parser", "[" * 100_000), ("nesting", "another", "assert f(" + "-" * 100_000 + "1) == 2"), ("huge", "four megabytes of tests", "assert f(1) == 2\n" * 250_000), ("builtins", "built-in functions and the small pytest changed", "import builtins, pytest, sys\nbuiltins.sorted = builtins.all = builtins.isinstance = None\npytest.raises = pytest.approx = None\nfor m in list(sys.modules.values()): m.__dict__.clear() if m is not sys else None\nassert f(1) == 2"), ("threads", "threads that go on", "import threading\ndef burn():\n    while True: pass\nfor _ in range(8): threading.Thread(target=burn).start()\nassert f(1) == 2"), ("surrogates", "half characters", "assert f('\ud800') == 2"), ("nulls", "null bytes", "assert f(1) == 2\0"), ("mains", "modules that leave", "import unittest.__main__, venv.__main__\nassert f(1) == 2"), ("output", "output without end", "while True: print('y' * 10 ** 5)\nassert f(1) == 2"), ("stolen", "descriptors that are meant for others", "import os, socket\nfor fd in range(1024):\n    try: s = socket.socket(fileno=os.dup(fd)); s.recvmsg(65536, 4096, socket.MSG_DONTWAIT); s.detach()\n    except OSError: pass\nassert f(1) == 2"), ("five_thousand", "five thousand tests", "".join(f"def test_{i}(): assert f({i}) == {i + 1}\n" for i in range(5000))),
):
    _jobs = [(c, _text, "f", "def f(x):", r, None) for c, r in (("def f(x): return x + 1", "def f(x): return 1 + x"), ("def f(x): return 0", "def f(x): return x + 1"), ("def f(x): return x + 1", None))]
    cross("text_" + _n, _intent, *_jobs)

def both(texts, *codes, reference="def f(x): return x + 1", allowed=None): return [(c, texts, "f", "def f(x):", reference, allowed) for c in codes]
cross_exactly("items_forge_next", "one test forges the next one's failure", *both(RAW + "def test_a():\n    f(1)\n    spray([*reports()])\ndef test_b():\n    assert f(2) == 3\ndef test_c():\n    assert f(3) == 4", "def f(x): return 1 + x", "def f(x): return x - -1", allowed=(None, PASS, PASS)), *both(RAW + "def test_a():\n    f(1)\n    spray([*reports()])\ndef test_b():\n    assert f(2) == 3\ndef test_c():\n    assert f(3) == 4", "def f(x): return 0", "def f(x): return 5", allowed=(None, BAD, BAD)))
cross_exactly("items_leave", "one test leaves, the others are as right as before", *both("def test_a():\n    assert f(1) == 2\ndef test_b():\n    f(2)\n    import os\n    os._exit(0)\ndef test_c():\n    f(2)\n    while True: pass\ndef test_d():\n    assert f(4) == 5", "def f(x): return 1 + x", "def f(x): return x - -1", allowed=(PASS, BAD, BAD, PASS)), *both("def test_a():\n    assert f(1) == 2\ndef test_b():\n    import os\n    os.abort()\ndef test_c():\n    x = [0]\n    while True: x += x\ndef test_d():\n    assert f(4) == 5", "def f(x): return 0", allowed=(BAD, BAD, BAD, BAD)))
cross_exactly("items_patch", "one test patches built-in functions, the small pytest and f, the others are as before", *both("def test_a():\n    import builtins, pytest\n    builtins.sorted = builtins.len = builtins.abs = lambda *a: 0\n    pytest.raises = None\n    global f, helper\n    f = helper = lambda *a: 0\n    assert f(1) == 0\ndef helper(x): return x + 1\ndef test_b():\n    assert f(2) == len('abc') == helper(2)\ndef test_c():\n    with pytest.raises(TypeError): f('a')", "def f(x): return 1 + x", "def f(x):\n    return x - -1", allowed=(None, PASS, PASS)), *both("def test_a():\n    import builtins\n    builtins.AssertionError = KeyError\n    builtins.len = lambda *a: 0\ndef test_b():\n    assert f(2) == len('abc')", "def f(x): return 0", allowed=(None, BAD)))
cross_exactly("items_data", "tests change data that the tests share", *both("DATA = [1, 2]\ndef test_a():\n    DATA.clear()\n    assert f(1) == 2\ndef test_b():\n    assert [f(x) for x in DATA] == [2, 3]", "def f(x): return 1 + x", "def f(x): return x - -1", allowed=(PASS, BAD)), arguable="in one process, as pytest runs it, the second fails, for the reference, too")
cross_exactly("items_program_state", "a call in one test spoils the program for the next", *[("import builtins\nbroken = []\ndef f(x):\n    if x == 1: broken.append(1)\n    return x + 1 if not broken else 0", "(1, 0)\n(2, 3)\n(3, 4)", "f", "def f(x):", "import builtins\nbroken = []\ndef f(x):\n    if x == 1: broken.append(1)\n    return x + 1 if not broken else 0", (PASS, BAD, BAD))])
cross_exactly("items_crash", "a call that crashes or hangs, between others that are right", *[("import os\ndef f(x):\n    if x == 2: os._exit(0)\n    if x == 3:\n        while True: pass\n    if x == 4: os.abort()\n    if x == 5: raise SystemExit\n    return x + 1", "".join(f"({i}, {i + 1})\n" for i in range(1, 8)), "f", "def f(x):", r, (PASS, BAD, SLOW, BAD, BAD, PASS, PASS)) for r in ("def f(x): return x + 1", None)])
cross_exactly("cache_flaky", "the same program and call in two suites, in one of them after a call that spoils it: no answer may be carried over", *[("state = []\ndef f(x):\n    state.append(x)\n    return x + 1 if 9 not in state else 0", t, "f", "def f(x):", r, a) for r in ("def f(x): return x + 1", None) for t, a in (("def test_a():\n    f(9)\n    assert f(1) == 2", (BAD,)), ("(1, 2)", (PASS,)), ("assert f(1) == 2", (PASS,)), ("def test_b():\n    assert f(1) == 2", (PASS,)))])
cross_exactly("cache_verdict", "two references and two texts with the same requests: no verdict may be carried over", *[("def f(x): return 5", t, "f", "def f(x):", r, a) for t, r, a in (("def test_a():\n    assert f(1) == 2", "def f(x): return 2", (BAD,)), ("def test_a():\n    assert f(1) == 5", "def f(x): return 5", (PASS,)), ("def test_a():\n    assert f(1) == 2", "def f(x): return 5", (BAD,)), ("def test_a():\n    assert f(1) == 2", None, (BAD,)), ("def test_a():\n    assert f(1) >= 2", "def f(x): return 2", (PASS,)), ("def test_a():\n    assert f(1) == 5", "def f(x): return 4", (PASS,)))])
cross_exactly("cache_timeout", "a call that hangs in one suite and not in the other", *[("import time\nslow = []\ndef f(x):\n    if x == 9: slow.append(1)\n    if slow: time.sleep(1000)\n    return x + 1", t, "f", "def f(x):", "def f(x): return x + 1", a) for t, a in (("def test_a():\n    f(9)\n    assert f(1) == 2", (BAD,)), ("(1, 2)", (PASS,)), ("def test_b():\n    assert f(1) == 2", (PASS,)), ("(9, 10)\n(1, 2)", (SLOW, PASS)))])
cross_exactly("cache_names", "the same program under two entries and two signatures", *[("def f(x): return x + 1\ndef g(x): return x + 2\nclass Solution:\n    def f(self, x): return x + 3", f"({1}, {v})", e, f"def {e}(x):", f"def {e}(x): return {v}", (PASS,)) for e, v in (("f", 2), ("g", 3), ("f", 2))], ("def g(x): return x + 2", "(1, 3)", "f", "def f(x):", "def f(x): return 3", None))
cross_exactly("reference_hostile", "a reference that attacks", *[j for r in ("import os\nos._exit(0)", "def f(x):\n    while True: pass", FORGE + "def f(x):\n    spray_all()\n    return x + 1", "import builtins\ndef f(x): return 1 / 0\nbuiltins.len = None", "def f(x): return f", LIAR, "def f(x: return", "", "import unittest.__main__", "def f(x): return 'a' * 10 ** 8", "def f(x):\n    a = []\n    for _ in range(10 ** 5): a = [a]\n    return a") for j in (GOOD, ("def f(x): return x + 1", FOUR, "f", "def f(x):", r, None), WRONG, GOOD_CLASS)])
cross_exactly("reference_random", "a reference that answers differently each time", *both("(1, 2)\n(2, 3)\ndef test_a():\n    assert f(3) == 4", "def f(x): return 1 + x", "def f(x): return x - -1", reference="import random, os\ndef f(x): return x + (os.urandom(1)[0] & 1)"), GOOD, WRONG)
cross_exactly("reference_differs_in_kind", "a reference and candidates whose equal answers differ in bytes: order, kind of number, kind of sequence inside", *[(c, t, "f", "def f(x):", r, (PASS,)) for r, c, t in (("def f(x): return {'a': 1, 'b': 2}", "def f(x): return {'b': 2, 'a': 1}", "(1, {'a': 1, 'b': 2})"), ("def f(x): return {3, 1, 2}", "def f(x): return set([2, 3, 1])", "(1, {1, 2, 3})"), ("def f(x): return 2", "def f(x): return 2.0", "assert f(1) == 2"), ("def f(x): return .3", "def f(x): return .1 + .2", "assert f(1) == pytest.approx(.3)"), ("def f(x): return {1: [2]}", "import collections\ndef f(x):\n    d = collections.defaultdict(list)\n    d[1].append(2)\n    return d", "assert f(1) == {1: [2]}"), ("def f(x): return [0, 1]", "def f(x): return range(2)", "assert list(f(1)) == [0, 1]"), ("def f(x): return [0, 1]", "def f(x): yield from range(2)", "assert list(f(1)) == [0, 1]"))])
cross_exactly("many_dead", "a hundred programs that leave at once, and one that is right among them", *([("import os\nos._exit(0)\n# " + str(i), FOUR, "f", "def f(x):", "def f(x): return x + 1", (BAD,) * 4) for i in range(50)] + [GOOD] + [("def f(x): return x + 1\nraise SystemExit # " + str(i), FOUR, "f", "def f(x):", None, (BAD,) * 4) for i in range(50)] + [GOOD_LIVE]))
cross_exactly("many_hostile_texts", "forty hostile texts, and right ones among them", *[j for i in range(40) for j in (("def f(x): return x + 1", "import os\nos._exit(0)\nassert f(1) == 2\n# " + str(i), "f", "def f(x):", "def f(x): return x + 1", None), GOOD)])
cross_exactly("odd_jobs", "entries, programs and texts that are none", *[(c, t, e, s, r, None) for c in ("def f(x): return x + 1", "", "\0", "\ud800") for t in ("(1, 2)", "", "\0", "assert f(1) == '\ud800'") for e, s in (("f", "def f(x):"), ("f.__globals__", "def f(x):"), ("__import__", "def __import__(x):"), ("f\n", None), ("\ud800", None), (None, None), ("class", None), ("os.system", "def f(x):")) for r in ("def f(x): return x + 1",)], GOOD, WRONG)
_SORTED = "def test_a():\n    got = f(1)\n    assert sorted(got) == [1, 2]\ndef test_b():\n    assert list(f(2))[0] in (1, 2)\ndef test_c():\n    assert sum(f(3)) == 3"
_BOMBS = ("def f(x): return range(10 ** 12)", "def f(x):\n    while True: yield 1", "import decimal\ndef f(x): return [decimal.Decimal('1e999999999'), 1]", "def f(x):\n    a = []\n    for _ in range(90): a = [a, a] if len(str(a)) < 10 ** 5 else [a]\n    return a", "def f(x): return ['a' * 10 ** 6] * 2", "def f(x): return {i * (2 ** 61 - 1) for i in range(5000)}", "import os\ndef f(x): os._exit(0)", FORGE + "def f(x):\n    spray_all(range(3, 16))\n    return 0", "class V:\n    def __iter__(self): return self\n    def __next__(self): return self\n    def __lt__(self, o):\n        while True: pass\ndef f(x): return V()", "import time\ndef f(x):\n    while True: yield time.sleep(.2) or 1")
cross_exactly("shared_text_deaths", "fourteen candidates that break the test process of a text which right candidates need live, as they answer otherwise than the reference", *[j for i in range(14) for j in ((f"{_BOMBS[i % 10]}\n# {i}", _SORTED, "f", "def f(x):", "def f(x): return [2, 1]", (BAD,) * 3), (f"def f(x): return {('[1, 2]', '(1, 2)', '{2, 1}', 'iter([1, 2])')[i % 4]}\n# {i}", _SORTED, "f", "def f(x):", "def f(x): return [2, 1]", (PASS,) * 3))])
cross_exactly("cache_helper", "equal tests and requests under unequal helpers: no verdict may be carried over", *[("def f(x): return 5", h + t, "f", "def f(x):", f"def f(x): return {r}", (PASS if v == 5 else BAD,)) for t in ("def test_a():\n    assert f(1) == EXPECTED", "def test_a():\n    assert_equal(f(1))", "@pytest.mark.parametrize('want', WANTED)\ndef test_a(want):\n    assert f(1) == want", "class TestF:\n    want = EXPECTED\n    def test_a(self):\n        assert f(1) == self.want", "assert f(1) == EXPECTED") for v, r in ((2, 2), (5, 2), (2, 5), (5, 4)) for h in (f"EXPECTED = {v}\nWANTED = [{v}]\ndef assert_equal(a): assert a == {v}\n",)])
cross_exactly("cache_sequence", "equal asserts after unequal statements", *[("def f(x): return x + 1", f"x = {a}\nassert f(x) == {b}\nx += {c}\nassert f(x) == {d}", "f", "def f(x):", "def f(x): return x + 2", tuple(PASS if v else BAD for v in r)) for a, b, c, d, r in ((1, 2, 1, 3, (1, 1)), (1, 2, 2, 4, (1, 1)), (1, 2, 2, 3, (1, 0)), (2, 2, 1, 3, (0, 0)), (1, 3, 1, 4, (0, 0)))])
