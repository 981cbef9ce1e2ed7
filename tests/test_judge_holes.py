"""Holes that fresh eyes found in this judge while it was built, each as a kind, next to what an honest author gets."""
import pytest
from chained_adv.core import TestCase
from chained_adv.judge.tester import LETTER
from chained_adv.sandbox import Job, Sandbox

REF, RIGHT, WRONG = "def f(x): return x*x+1", "def f(x): return 1+x**2", "def f(x): return x*x+2"


@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=.3) as b: yield b


def validate(box, text, reference=REF): return box.run_many([Job(reference, text, "f", "def f(x):", runs=2)])[0]
def candidate(box, code, text, reference=REF): return box.run_many([Job(code, text, "f", "def f(x):", reference)])[0]
def last(result): return result.verdicts[-1]

# ---- tests that are valid although their author doesn't know the answer ----
FRAME = "t = type(f)._tester.__get__(f)\n"
IGNORANT = {
    "another test ran, which fails": "SEEN = []\ndef test_0(): SEEN.append(f(1)); assert False\ndef test_1(): f(7); assert SEEN",
    "its own tester knows no shapes": "def test_a(): f(7); assert type(f)._tester.__get__(f).shapes is None",
    "an answer noted for later runs": FRAME + "def test_a():\n    y = f(7)\n    if t.shapes is None: t.noted = {'answer': repr(y)}\n    else: assert repr(y) == t.shapes.get('answer')",
    "which tests are skipped": "RAN = []\n" + "".join(f"def test_{i}(): RAN.append({i}); assert f(7) >> {i} & 1\n" for i in range(8)) + "def test_9():\n    y = f(7)\n    assert len(RAN) == 8 or y == sum(1 << i for i in RAN)",
    "a request that breaks the liar": FRAME + "def test_a():\n    t.channel.send(b'C[1,2,3]'); t.channel.receive()\n    assert f(7) or True",
    "one question, two spellings": "def test_a(): assert f(x=8) == f(8) == f(8.0)",
    "of a method": "def test_a(): assert Solution().f(4) == Solution().f(4)",
}

@pytest.mark.parametrize("name", IGNORANT)
def test_no_test_is_valid_whose_author_knows_nothing(box, name):
    assert not last(validate(box, IGNORANT[name])).passed

def test_a_test_whose_author_knows_the_answer_is_valid(box):
    assert last(validate(box, "SEEN = []\ndef test_0(): SEEN.append(f(1)); assert SEEN == [2]\ndef test_1(): assert f(7) == 50")).passed

# ---- right programs that are blamed ----
TEXT = "SEEN = []\ndef test_0(): SEEN.append(f(3)); assert True\n"
BLAME = {
    "a request that takes for ever": TEXT + "def test_1():\n    if not SEEN: f(10**10)\n    assert f(5) == 26",
    "more requests than are allowed": TEXT + "def test_1():\n    if not SEEN:\n        for i in range(5000): f(i)\n    assert f(5) == 26",
    "its process ends": "import os\n" + TEXT + "".join(f"def test_{i}():\n    if not SEEN: os._exit(1)\n    assert f({i}) == {i * i + 1}\n" for i in range(1, 40)),
    "its process loops": TEXT + "".join(f"def test_{i}():\n    while not SEEN: pass\n    assert f({i}) == {i * i + 1}\n" for i in range(1, 20)),
    "names that another program has": TEXT + "def test_1():\n    if 0: dfs, helper\n    assert f(5) == 26",
}

def test_chance_and_a_slow_program_blame_nobody(box):
    slow = "def f(n):\n    t = 0\n    for i in range(1_500_000): t += i\n    return n * n + 1"
    text = lambda k: f"import datetime\ndef test_coin(): assert f(2) == 5 and datetime.datetime.__mro__[1].now().microsecond % 2 # {k}"
    k = next(k for k in range(99) if validate(box, text(k), slow).passed)
    assert all(candidate(box, slow + f" # {i}", text(k), slow).passed for i in range(12))

def test_no_test_finds_the_names_of_the_reference(box):
    reference = "def helper(x): return x*x\ndef f(x): return helper(x)+1"
    for way in ("solution.__all__", "[n for n in dir(solution) if n[0] != '_']", "vars(solution)"):
        text = f"import solution\ndef test_a():\n    for n in {way}:\n        try: getattr(solution, n)(1)\n        except Exception: pass\n    assert f(7) == 50"
        assert validate(box, text, reference).passed and candidate(box, REF, text, reference).passed
    text = "from solution import *\ndef test_a(): assert helper(3) == 9 and f(7) == 50"
    assert validate(box, text, reference).passed

@pytest.mark.parametrize("name", BLAME)
def test_no_program_is_blamed_that_answers_as_the_reference_does(box, name):
    helpers = "def helper(x): return 1 + x**2\ndef dfs(): pass\ndef f(x): return helper(x)"
    valid = validate(box, BLAME[name])
    for code in (RIGHT, helpers):
        result = candidate(box, code, BLAME[name])
        assert [v.outcome for v, w in zip(result.verdicts, valid.verdicts) if w.passed and not v.passed] == []

# ---- wrong programs that pass ----
ODD = "class L:\n    def __sub__(self, o): return 0.0\n    def __float__(self): return 4.0\n    def __radd__(self, o): return 6\n    def __next__(self): raise StopIteration\n"
FORGED = { # program, reference, tests
    "an iterator with operators": (ODD + "def f(x): return L()", "def f(x): return x*x", "def test_a(): assert abs(f(2.0) - 4.0) < 1e-9\ndef test_b():\n    import math\n    assert math.isclose(f(2.0), 4.0)"),
    "an object for a callback": (ODD + "def f(g, n): g(L())", "def f(g, n):\n    for i in range(n + 1): g(i)", "def test_a():\n    seen = []\n    f(seen.append, 3)\n    assert sum(seen) == 6"),
    "an object in an argument": (ODD + "def f(x): x[:] = [L()]", "def f(x): x.append(3)", "def test_a():\n    a = [1, 2]\n    f(a)\n    assert sum(a) == 6"),
    "a name that the test forgot to import": ("def reduce(*a): return True\ndef f(x): return []", "def f(x): return x", "def test_a(): assert reduce(lambda a, b: a and b, [f([i]) == [i] for i in range(3)])"),
}

@pytest.mark.parametrize("name", FORGED)
def test_no_wrong_program_passes(box, name):
    code, reference, tests = FORGED[name]
    assert candidate(box, code, tests, reference).num_passed == 0
    assert candidate(box, reference + " # the same", tests, reference).passed

def test_an_answer_of_one_test_counts_in_the_next(box):
    text = "import pytest\n@pytest.fixture(scope='module')\ndef e(): return f('abc')\ndef test_enc(e): assert e == 'cba'\ndef test_dec(e): assert f(e) == 'abc'\ndef test_dec2(e): assert f(e + 'x') == 'xabc'"
    reference = "def f(x): return x[::-1]"
    assert candidate(box, "def f(x): return 'nonsense'", text, reference).num_passed == 0
    assert candidate(box, reference + " # the same", text, reference).passed

def test_a_checker_sees_the_arguments_as_they_were(box):
    rules = (("checker", "def check(args, got, want): return sorted(args[0]) == got"),)
    for code, right in (("def f(x):\n    x.clear()\n    return []", False), ("def f(x): return sorted(x)", True)):
        assert box.run_many([Job(code, "([3, 1], None)", "f", "def f(x):", rules=rules)])[0].passed is right

def test_a_verdict_of_a_test_that_nobody_wanted_breaks_nothing(box):
    say = f"import os, struct\ndef say(letter):\n    os.write(3, struct.pack('!I', len(letter)) + letter)\ndef test_a(): assert f(7) == 50\ndef test_b():\n    f(8)\n    for letter in {[LETTER.pack(*o) for o in ((b'V', 1, 0), (b'B', 5000, 0), (b'V', 5000, 0))]!r}: say(letter)\n    assert f(8) == 65"
    assert not validate(box, say).num_passed # nor the test before it: who speaks out of turn may have spoken for it, too
    assert validate(box, "def test_a(): assert f(7) == 50").passed


# ---- what honest authors write ----
def test_a_job_takes_lists_and_says_what_is_wrong(box):
    from chained_adv.judge.host import SandboxError
    job = lambda **more: box.run_many([Job("def f(x): return x / 3", "(1, .3333)", "f", "def f(x):", **more)])[0].passed
    assert not job() and job(rules={"float": 1e-3}) and job(rules=[("float", 1e-3)])
    with pytest.raises(SandboxError, match="the rules are float, unordered, checker"): job(rules={"close": 1})
    assert box.run_many([Job(RIGHT, "assert f(3) == 10", "f", reference=[REF, RIGHT])])[0].passed
    assert box.run_many([Job("def f(x): return math.floor(x)", "assert f(k) == 2", "f", setup="import math; k = 2.5")])[0].passed

def test_functions_of_tests_may_be_decorated(box):
    text = "import functools\ndef twice(t):\n    @functools.wraps(t)\n    def g():\n        t()\n        t()\n    return g\n@twice\ndef test_a(): assert f(7) == 50"
    assert validate(box, text).passed

def test_a_class_that_cannot_be_subclassed_here_is_named(box):
    got = validate(box, "class B(A):\n    pass\ndef test_a(): assert B().g() == 1", "class A:\n    def g(self): return 1")
    assert not got.passed and "subclass" in got.verdicts[0].reason

def test_a_program_may_read_more_than_a_pipe_holds(box):
    assert box.run_many([Job("import os\nn = 0\nwhile piece := os.read(0, 10**6): n += len(piece)\nprint(n)", [TestCase(("x" * 100_000,), "100000", kind="io")], "")])[0].passed

def test_arguments_and_calls_back_say_which_answer_it_is(box):
    reference = "class Box:\n    def __init__(self, v): self.v = v\ndef make(kind, x): return Box(x) if kind == 'box' else x*x\ndef f(g): return [g(1)]"
    wrong = f"{ODD}def make(kind, x): return L()\ndef f(g): return [1]"
    text = "def test_a():\n    assert f(lambda x: make('box', x) and 1) == [1]\n    r = make('square', 2.0)\n    assert abs(r - 4.0) < 1e-6"
    assert validate(box, text, reference).passed and candidate(box, reference + " # the same", text, reference).passed
    assert not candidate(box, wrong, text, reference).passed
