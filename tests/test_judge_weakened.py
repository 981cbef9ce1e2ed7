"""Attacks on the judge, each with the guard that it meets: the judge withstands it, and without that one guard it succeeds.

An attack that could not succeed would prove nothing, so each is run twice. `test_the_judge_withstands` runs it against the real judge,
at all isolation levels; `test_it_succeeds_without_its_guard` against a judge from which one guard is patched away: in this process by
`host`, or in the jailed processes by `child`, code that a zygote runs before it starts. An attack returns True if it succeeded.
Where each of two guards holds an attack alone, both are patched away, and a comment says so.

Not shown this way:
* the seed of the liar: whoever knows it knows how far a lie is from an answer, and needs the answer to use that;
* what the jail guards (files, network, signals): `test_attacks` and `test_jail` try each level against what only the next one holds.
"""
import itertools, os, sys, time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
import pytest
from ordinary_user import run_as_ordinary_user
from chained_adv import jail, sandbox, testcases
from chained_adv.jail import ISOLATION, probe_isolation
from chained_adv.judge import batches, host, verdicts
from chained_adv.judge.host import Child, Wait, Zygote
from chained_adv.judge.program import Program
from chained_adv.judge.suites import FAILED, PASSED
from chained_adv.judge.tester import LETTER
from chained_adv.judge.verdicts import Conversation, SuiteRun
from chained_adv.judge.wire import LENGTH, write
from chained_adv.sandbox import Job, Sandbox

sys.path.insert(0, str(Path(__file__).parent / "judge_data"))
from host_work import CALLS, Work

REF, RIGHT = "def f(x): return x*x+1", "def f(x): return 1+x**2"
HONEST = "def test_a(): assert f(7) == 50"

# ---- what an attack may want ----

def run(box, code, tests, reference=None, **more): return box.run_many([Job(code, tests, "f", "", reference, **more)])[0]
def passes(box, code, tests, reference=None): return run(box, code, tests, reference).num_passed > 0
def validates(box, tests, reference=REF, weak=False):
    "True if its last test is valid, and not said to be weak, unless `weak`"
    last = run(box, reference, tests, runs=2).verdicts[-1]
    return last.passed and last.weak <= weak
def blames(box, tests, reference=REF, code=RIGHT):
    "True if a right program fails a test that is valid"
    right, other = run(box, reference, tests, runs=2), run(box, code, tests, reference)
    return any(v.passed and not w.passed for v, w in zip(right.verdicts, other.verdicts))

@contextmanager
def counting(cls, name, what):
    "Collect what a method came to, call by call"
    found, method = [], getattr(cls, name)
    def counted(self, *args, **kwargs):
        got = method(self, *args, **kwargs)
        found.append(what(self, got))
        return got
    with pytest.MonkeyPatch.context() as m:
        m.setattr(cls, name, counted)
        yield found

# ---- what attacks are made of: a text finds the tests' end of the wire, raw frames are what the wire itself makes ----

TESTER = "t, which = type(f)._tester.__get__(f), type(f)._which.__get__\n"
BUSY = "import resource\ndef busy(seconds):\n    end = sum(resource.getrusage(0)[:2]) + seconds\n    while sum(resource.getrusage(0)[:2]) < end: pass\n" # no clock of `time` goes
ODD = "class L:\n    def __sub__(self, o): return 0.0\n    def __radd__(self, o): return 6\n"
OWNED = "import sys; sys.modules['solution'].f = lambda x: 424242" # run in the program's process, it changes the program
FRAMES = f"import os, struct\nHEAD = struct.Struct({LENGTH.format!r})\ndef send(body): os.write(3, HEAD.pack(len(body)) + body)\ndef take(n):\n    found = b''\n    while len(found) < n: found += os.read(3, n - len(found))\n    return found\n"

def answer(tree): return write(["value", tree, None, []])
def letter(kind, number, code=0): return LETTER.pack(kind, number, code)
HANDLE = Program.odd(SimpleNamespace(numbers={}, things=[]), object())
HIDDEN = answer(HANDLE).replace(b"h", b"\\u0068") # the same for a reader of JSON, other bytes

class Hole(NamedTuple):
    attack: Callable # Takes a sandbox; True if it succeeds
    host: Callable | None = None # Takes a `MonkeyPatch`: removes a guard of this process
    child: str = "" # Removes one of the jailed processes
    settings: dict = {} # Of the sandbox

HOLES: dict[str, Hole] = {}
CACHE, PATIENT = dict(cache_size=1000), dict(timeout=1)

# ---- 1. An object where plain data is expected ----

NO_SHAPES = "import chained_adv.judge.tester as t; t.Tester.check_shape = lambda *_: None"
NEAR = "def test_a(): assert abs(f(2.0) - 4.0) < 1e-6"
SQUARE = "def f(x): return x*x"
HOLES["an object with operators"] = Hole(lambda box: passes(box, f"{ODD}def f(x): return L()", NEAR, SQUARE), child=NO_SHAPES)
HOLES["its own frame, which hides the object"] = Hole(
    lambda box: passes(box, f"{FRAMES}def f(x):\n    send({HIDDEN!r})\n    while True:\n        take(*HEAD.unpack(take({LENGTH.size})))\n        send({answer(0.0)!r})", NEAR, SQUARE), child=NO_SHAPES)
HOLES["an object, and no reference is there"] = Hole(
    lambda box: passes(box, f"{ODD}def f(x): return L()", NEAR), child="import chained_adv.judge.handles as h; h.must_be_expected = lambda *_: None")
HOLES["an iterator with operators"] = Hole(
    lambda box: passes(box, f"{ODD}    def __next__(self): raise StopIteration\ndef f(x): return L()", NEAR, SQUARE),
    child="import chained_adv.judge.handles as h\nfor n, m in list(vars(h.Stream).items()):\n    if getattr(m, '__qualname__', '').startswith('_no_value'): delattr(h.Stream, n)")
NOTE = "import chained_adv.judge.tester as t\nnote = t.note_of\nt.note_of = lambda request, reply: "
HOLES["an object for a callback"] = Hole(
    lambda box: passes(box, f"{ODD}def f(g, n): g(L())", "def test_a():\n    seen = []\n    f(seen.append, 3)\n    assert sum(seen) == 6", "def f(g, n):\n    for i in range(n + 1): g(i)"),
    child=NOTE + "'' if reply[0] == 'back' else note(request, reply)")
HOLES["an object in an argument"] = Hole(
    lambda box: passes(box, f"{ODD}def f(x): x[:] = [L()]", "def test_a():\n    a = [1, 2]\n    f(a)\n    assert sum(a) == 6", "def f(x): x.append(3)"),
    child=NOTE + "note(request, [*reply[:2], None, reply[3]])")

# ---- 2. A text that reaches code in the program's process ----

HOLES["a name with underscores"] = Hole(
    lambda box: passes(box, "def f(x, k=1): return x*x+k", TESTER + "def test_a():\n    t.ask('set', which(t.ask('get', 'f')), '__defaults__', [(424241,)])\n    assert f(1) == 424242"),
    child="import chained_adv.judge.program as p; p.is_public = lambda name: True")
HOLES["a generator's frame"] = Hole(
    lambda box: passes(box, "def f(n): yield from range(n)", TESTER + f"def test_a():\n    frame = t.ask('attr', which(f(3)), 'gi_frame')\n    t.ask('attr', which(frame), 'f_builtins')['exec']({OWNED!r}, {{}})\n    assert f(1) == 424242"),
    child="import chained_adv.judge.program as p; p._INNER = ()")
HOLES["what the program imported"] = Hole(
    lambda box: passes(box, f"from timeit import timeit\n{REF}", TESTER + f"def test_a():\n    t.ask('call', 'timeit', None, [{OWNED!r}], {{'number': 1}})\n    assert f(1) == 424242"),
    child="import chained_adv.judge.program as p; p.is_own = lambda o: True")

# ---- 3. to 5. Time ----

def forget_time(m):
    wait = Conversation.wait
    def forgetful(self, child, side):
        got = yield from wait(self, child, side)
        self.used = [0., 0.]
        return got
    m.setattr(Conversation, "wait", forgetful)

HOLES["letters that restart the time limit"] = Hole( # .7 seconds of work where .2 are allowed
    lambda box: passes(box, REF, TESTER + BUSY + f"def test_a():\n    for _ in range(7):\n        t.channel.send(b'1')\n        busy(.1)\n    assert f(7) == 50"), forget_time)

def one_purse(m):
    runs = []
    def carried(**kept):
        if kept: return SuiteRun(**kept) # of the same suite
        runs.append(SuiteRun(spent=max([o.spent for o in runs], default=0.)))
        return runs[-1]
    m.setattr(verdicts, "SuiteRun", carried)

def spends(box):
    with pytest.MonkeyPatch.context() as m:
        m.setattr(box, "budget", .25)
        return not run(box, REF, [BUSY + f"def test_{name}():\n    busy({long})\n    assert f(7) == 50" for name, long in (("a", 9), ("b", .1))]).verdicts[-1].passed

HOLES["one text's time charged to another's tests"] = Hole(spends, one_purse)

def takes_long(box):
    with counting(Wait, "finish", lambda wait, _: wait.used) as used:
        run(box, REF, BUSY + "".join(f"def test_{i}():\n    if f({i}) != {i * i + 1}: busy(.09)\n" + "    assert True\n" for i in range(5)), runs=2)
    return sum(used) > 12 * box.timeout

def no_budget_for_lies(m):
    run_suite = batches.run_suite
    def unbounded(box, suite, program, budget=None, **how):
        found = yield from run_suite(box, suite, program, **how)
        if budget: found.spent = 0.
        return found
    m.setattr(batches, "run_suite", unbounded)

HOLES["validation that goes on and on"] = Hole(takes_long, no_budget_for_lies)

# ---- 6. What an item costs this process ----

def asks_much(box):
    with Work() as work: run(box, REF, TESTER + "def test_a():\n    for _ in range(4000): t.ask('about', ['f'])\n    assert f(7) == 50")
    return work.calls > CALLS

HOLES["requests of information without end"] = Hole(asks_much, lambda m: m.setattr(verdicts, "MAX_LETTERS", 10**9), settings=PATIENT)

def answers_much(box, text, most):
    with Work() as work: run(box, "A = 'x' * 2_000_000\ndef f(x): return A", text)
    return work.bytes > 2.2 * most # they come, and go on to the tests

def any_size(m):
    for module in (host, verdicts): m.setattr(module, "MAX_BYTES", 10**12)

HOLES["big answers"] = Hole(
    lambda box: answers_much(box, "def test_a():\n    for i in range(50): assert len(f(i)) == 2_000_000", 18_000_000), lambda m: m.setattr(verdicts, "MAX_SENT", 10**12), settings=PATIENT)
HOLES["big answers to many tests"] = Hole(
    lambda box: answers_much(box, "".join(f"def test_{i}(): assert len(f({i})) == 2_000_000\n" for i in range(100)), 64_000_000), any_size, settings=PATIENT)

ROWS = "\n".join(f"({i}, 1)" for i in range(30))
def call_many(box, code, tests=ROWS): return box.call_many([Job(code, tests, "f", "def f(x):")])[0]
HOLES["classes that this process makes"] = Hole(
    lambda box: any(type(o.value) not in (tuple, type(None)) for o in call_many(box, "from collections import namedtuple\ndef f(x): return namedtuple(f'A{x}', 'a')(x)")),
    child="import chained_adv.judge.tester as t; t.unnamed = lambda tree: tree")
HOLES["many large values"] = Hole(
    lambda box: sum(len(o.value or "") for o in call_many(box, "def f(x): return 'x' * 200_000")) > 2_000_000,
    lambda m: m.setattr(verdicts, "MAX_VALUES", 10**12))

def fills_cache(box):
    "With a cache of a sixteenth of its size, which takes a sixteenth of the time"
    with pytest.MonkeyPatch.context() as m:
        m.setattr(box.known, "size", box.known.size >> 4)
        for i in range(20): run(box, REF, f"def test_a():\n    assert f({i}) != '''{'x' * 90_000}'''")
        return sum(len(str(o)) for o in [*box.known.data, *box.known.data.values()]) > 3_000_000
def any_cache(m): m.setattr(batches.Known, "__init__", lambda self, entries, size=10**12, init=batches.Known.__init__: init(self, entries, size))

HOLES["large texts in the cache"] = Hole(fills_cache, any_cache, settings=CACHE)

NUMBERS = itertools.count(10_000) # what was read before is known
def reads_long(box):
    with counting(Wait, "finish", lambda wait, _: wait.used) as used: run(box, REF, f"assert f({next(NUMBERS)}) == 2\n" * 3900 + "assert f(1) == = 2\n" * 300)
    return max(used) > 6 # a text of this length has four seconds

HOLES["a text that takes the reader long"] = Hole(reads_long, lambda m: m.setattr(testcases, "_seconds", lambda text: 60.))

# ---- 7. What a terminal obeys ----

HOLES["reasons with escape codes"] = Hole(
    lambda box: "\x1b" in run(box, REF, "def test_a(): assert f(7) == 1, '\\x1b[2J'").verdicts[0].reason,
    lambda m: m.setattr(verdicts, "text_of", lambda letter, start, most=600: bytes(letter[start:start + most]).decode("utf-8", "replace")))

# ---- 8. Fingerprints of the reference: right programs that are blamed for what no task asks ----

DOCUMENTED = "def f(x):\n    'Square, and one'\n    print('so its answers are not the reference\\'s')\n    return 1+x**2\nf.memo = {}\ndef helper(): pass"
HOLES["a function's text"] = Hole(
    lambda box: blames(box, "def test_a(): assert f.__doc__ is None and f(7) == 50", code=DOCUMENTED), child="import chained_adv.judge.program as p; p.may_see = lambda o, name: True")
HOLES["a function's attributes"] = Hole(lambda box: blames(box, "def test_a(): assert not hasattr(f, 'memo') and f(7) == 50", code=DOCUMENTED), child=NO_SHAPES)

def own_names(m):
    start = Conversation.start
    def forgetful(self, tester):
        start(self, tester)
        if self.like: self.like.about.clear()
    m.setattr(Conversation, "start", forgetful)

HOLES["names of helpers"] = Hole(lambda box: blames(box, "asks = lambda: helper\ndef test_a(): assert f(7) == 50 and 'helper' not in globals()", code=DOCUMENTED), own_names)

# ---- 9. and 13. Tests that are valid although their author doesn't know the answer ----

HOLES["the list of lies is known"] = Hole(
    lambda box: validates(box, "def test_a(): assert f(7) not in (None, 0)"), lambda m: m.setattr(batches, "MODES", ("none", "zero")))
HOLES["one question, two spellings"] = Hole(
    lambda box: validates(box, "def test_a(): assert f(x=8) == f(8) == f(8.0)"),
    child="import chained_adv.judge.liar as l\nfalsify = l.Liar.falsify\ndef forgetful(self, *args):\n    self.told.clear()\n    return falsify(self, *args)\nl.Liar.falsify = forgetful")

def lie_to_the_good(m):
    run_suite = batches.run_suite
    def selecting(box, suite, program, mode="", **how):
        if mode: suite = suite | {"wanted": {n: i for n, i in suite["wanted"].items() if how["like"].verdicts[i][0] == "passed"}}
        return run_suite(box, suite, program, mode=mode, **how)
    m.setattr(batches, "run_suite", selecting)

HOLES["which tests ran before"] = Hole(lambda box: validates(box, "SEEN = []\ndef test_0(): SEEN.append(f(1)); assert False\ndef test_1(): f(7); assert SEEN"), lie_to_the_good)
HOLES["which tests are skipped"] = Hole(
    lambda box: validates(box, "RAN = []\n" + "".join(f"def test_{i}(): RAN.append({i}); assert f(7) >> {i} & 1\n" for i in range(8)) + "def test_9():\n    y = f(7)\n    assert len(RAN) == 8 or y == sum(1 << i for i in RAN)"), lie_to_the_good)

def count_the_lost(m):
    lose = Conversation.lose
    def losing(self, outcome, reason):
        if self.test is not None: self.run.told.add(self.test)
        return lose(self, outcome, reason)
    m.setattr(Conversation, "lose", losing)

HOLES["a process that ends when it is lied to"] = Hole(
    lambda box: validates(box, "import os\ndef test_a():\n    if f(7) is None: os._exit(1)\n    assert f(7) or True", weak=True), count_the_lost)

def run_once(m):
    run_suite, first = batches.run_suite, []
    def all_but_the_second(box, suite, program, **how):
        if not how.get("notes") and not how.get("mode") and first: return first[0]
        found = yield from run_suite(box, suite, program, **how)
        if how.get("notes"): first[:] = [found]
        return found
    m.setattr(batches, "run_suite", all_but_the_second)

HOLES["a text that knows which run it is in"] = Hole(lambda box: validates(box, TESTER + "def test_a(): f(7); assert t.shapes is None"), run_once)
HOLES["a reference that answers by chance"] = Hole(
    lambda box: validates(box, "def test_a(): assert f(7) >= 0", "import random\ndef f(x): return random.randrange(10**6)", weak=True), lambda m: m.setattr(SuiteRun, "transcript", lambda self, number: []))

def notes_of_the_text(m):
    note = Conversation.note
    def noting(self, kind, got):
        if kind != b"S": return note(self, kind, got)
        self.run.shapes = {"text": bytes(got).decode()}
        return True
    m.setattr(Conversation, "note", noting)
    finish = Conversation.finish
    def keep(self):
        kept = self.run.shapes
        yield from finish(self)
        self.run.shapes = kept or self.run.shapes
    m.setattr(Conversation, "finish", keep)

HOLES["an answer noted for later runs"] = Hole(
    lambda box: validates(box, TESTER + f"def test_a():\n    y = f(7)\n    if t.shapes is None: t.channel.send(b'S' + repr(y).encode())\n    else: assert 'S' + repr(y) == t.shapes['text']"), notes_of_the_text)

# ---- 11. Children that flood, or stay ----

FLOOD = f"{FRAMES}def f(x):\n    os.write(3, HEAD.pack(10**9))\n    while True: os.write(3, b'x' * 100_000)"
def floods(box):
    with counting(Child, "pump_in", lambda child, _: child.taken) as taken: run(box, FLOOD, HONEST)
    return max(taken) > 20_000_000

HOLES["a frame that does not end"] = Hole(floods, lambda m: m.setattr(host, "MAX_ANSWER", 10**12))

def stays(box):
    run(box, REF, TESTER + f"def test_a():\n    assert f(7) == 50\n    for o in {[letter(b'V', 0, PASSED), letter(b'E', 1, 1)]!r}: t.channel.send(o)\n    while True: pass")
    end = time.monotonic() + .5
    while any(z.children for z in box.zygotes.values()) and time.monotonic() < end:
        for z in box.zygotes.values(): z.poll()
        time.sleep(.01)
    return any(z.children for z in box.zygotes.values())

HOLES["a process that goes on when the work is done"] = Hole(stays, lambda m: m.setattr(Zygote, "end_all", lambda self: None))

# ---- 12. Processes that order sets in their own way ----

HOLES["seeds of hashes that differ"] = Hole(
    lambda box: not run(box, "def f(x): return list(set(x))", "def test_a(): assert f('abcdefghijklmnop') == list(set('abcdefghijklmnop'))").passed,
    lambda m: m.setattr(host, "CHILD_ENV", {k: v for k, v in host.CHILD_ENV.items() if k != "PYTHONHASHSEED"}))

# ---- 13. What fresh eyes found ----

def never_alike(m):
    init = Conversation.__init__
    def suspicious(self, *args, **how):
        init(self, *args, **how)
        self.alike = False
    m.setattr(Conversation, "__init__", suspicious)

def thawed(*names): # as `os.getpid`
    "Code that removes what makes texts do the same in each run"
    both = "".join(f"{n}, " for n in names)
    return f"import contextlib, datetime, os, random, chained_adv.judge.tester as t\nfreeze, kept = t.freeze_time, ({both})\n@contextlib.contextmanager\ndef thaw():\n    with freeze():\n        {both}= kept\n        yield\nt.freeze_time = thaw"

SLOW_TEST = "import datetime\nnow = datetime.datetime.now\ndef test_a():\n    start, y = now(), f(7)\n    slow = (now() - start).total_seconds() > .15\n    {}\n    assert y == 50"
SLEEPY = "import time\ndef f(x):\n    time.sleep(.2)\n    return x*x+1"
# A program that answers as the reference does has its verdicts, and no clock of the tests goes: both are away
HOLES["blame by a clock"] = Hole(lambda box: blames(box, SLOW_TEST.format("assert not slow"), code=SLEEPY), never_alike, thawed("datetime.datetime"), settings=PATIENT)

def lose_anyway(m):
    lose = Conversation.lose
    def accusing(self, outcome, reason):
        self.alike = False
        return lose(self, outcome, reason)
    m.setattr(Conversation, "lose", accusing)

HOLES["blame by a process that ends"] = Hole(
    lambda box: blames(box, SLOW_TEST.format("if slow: __import__('os')._exit(1)"), code=SLEEPY), lose_anyway, thawed("datetime.datetime"), settings=PATIENT) # the same two

def alike_anew(m):
    begin = Conversation.begin
    def forgiving(self, number):
        begin(self, number)
        self.alike = self.known is not None
    m.setattr(Conversation, "begin", forgiving)

HOLES["an answer that counts in the next test"] = Hole(
    lambda box: passes(box, "def f(x): return 'nonsense'", "E = f('abc')\ndef test_enc(): assert E == 'cba'\ndef test_dec(): assert f(E) == 'abc'", "def f(x): return x[::-1]"), alike_anew)
HOLES["a name that the test forgot to import"] = Hole(
    lambda box: passes(box, "def reduce(*a): return True\ndef f(x): return []", "def test_a(): assert reduce(lambda a, b: a and b, [f([i]) == [i] for i in range(3)])"),
    child="import chained_adv.judge.tester as t; t._OURS = t._OURS - set(t.ready_names())")
HOLES["a checker that sees changed arguments"] = Hole(
    lambda box: box.run_many([Job("def f(x):\n    x.clear()\n    return []", "([3, 1], None)", "f", "def f(x):", rules=(("checker", "def check(args, got, want): return sorted(args[0]) == got"),))])[0].passed,
    child="""import chained_adv.judge.suites as s, chained_adv.judge.tester as t
ask, is_right, given = t.Tester.ask, s.Rows.is_right, []
def noting(self, verb, target, name=None, args=(), kwargs={}):
    given[:] = args
    return ask(self, verb, target, name, args, kwargs)
t.Tester.ask = noting
s.Rows.is_right = lambda self, kind, args, got, want: is_right(self, kind, given, got, want)""")

def breaks_the_host(box):
    try: blames(box, TESTER + f"def test_a():\n    if t.shapes is not None:\n        for o in {[letter(b'B', 5000), letter(b'V', 5000, FAILED), letter(b'B', 0)]!r}: t.channel.send(o)\n    assert f(7) == 50")
    except KeyError: return True

def any_number(m):
    note = Conversation.note
    def noting(self, kind, got):
        if kind == b"B": return self.begin(LETTER.unpack(got[:LETTER.size])[1]) or True
        return note(self, kind, got)
    m.setattr(Conversation, "note", noting)

HOLES["a verdict that nobody wanted"] = Hole(breaks_the_host, any_number)

# ---- 14. A program that speaks out of turn ----

def patient_with_frames(m):
    kill = Child.kill
    m.setattr(Child, "kill", lambda self, outcome="crash", reason="": None if "before it was asked" in reason else kill(self, outcome, reason))

EAGER = f"{FRAMES}BODY = {answer(2)!r}\ndef f(x):\n    os.write(3, 3 * (HEAD.pack(len(BODY)) + BODY))\n    while True: pass" # has all the time in the world now
HOLES["answers before it is asked"] = Hole(lambda box: run(box, EAGER, "def test_a():\n    assert f(1) == 2\n    assert f(2) == 2\n    assert f(3) == 2").passed, patient_with_frames)

def listen_to_all(m):
    step = Conversation.step
    def trusting(self, data, is_answer):
        if is_answer: self.note(bytes(data[:1]), data)
        return step(self, data, is_answer)
    m.setattr(Conversation, "step", trusting)
    note = Conversation.note
    m.setattr(Conversation, "note", lambda self, *got: note(self, *got) or True) # the test's own verdict comes later

HOLES["a program's verdict"] = Hole(lambda box: passes(box, f"{FRAMES}def f(x): send({letter(b'V', 0, PASSED)!r})", HONEST, REF), listen_to_all)

# ---- 15. What others found later ----

BOXES = "def gen(n): yield from range(n)\ndef f(x): return x*x\nclass Box:\n    def __init__(self, v): self.v = v\n"
BOX = "from collections import namedtuple\nBox = lambda v: namedtuple('Box', 'v')(v)\n"
BY_NUMBER = """import chained_adv.judge.shapes as s
def end(self, place, reply):
    self.counts[0] += 1
    return str(self.counts[0])
s.Places.end = end""" # a reply's place is how many came before it, and not what was asked
HOLES["one item more, and an object"] = Hole(
    lambda box: passes(box, f"{ODD}{BOX}import sys\np = sys.modules['chained_adv.judge.program']\np.take_items = lambda o, n, take=p.take_items: [[], False, setattr(p, 'take_items', take)]\ndef gen(n): yield from range(n)\ndef f(x): return L()",
                       "def test_a():\n    assert list(gen(2)) == [0, 1]\n    r, a = f(2.0), Box(1)\n    assert abs(r - 4.0) < 1e-6 and a.v == 1", BOXES), child=BY_NUMBER)
HOLES["one callback more, and an object"] = Hole(
    lambda box: passes(box, f"{ODD}{BOX}def f(g, x):\n    g(1)\n    g(2)\n    return L()",
                       "def test_a():\n    seen = []\n    r, a = f(seen.append, 2.0), Box(1)\n    assert abs(r - 4.0) < 1e-6 and a.v == 1 and seen", BOXES.replace("f(x): ", "f(g, x):\n    g(1)\n    ")), child=BY_NUMBER)
HOLES["a class with the name of a function"] = Hole(
    lambda box: passes(box, "L = type('abs', (), {'__sub__': lambda s, o: 0.0})\ndef f(x): return L()", NEAR),
    child="import chained_adv.judge.tester as t\nmake = t.make_names\ndef generous(tester, suite):\n    names = make(tester, suite)\n    tester.classes = tester.named\n    return names\nt.make_names = generous")
HOLES["a request that the liar can't read"] = Hole(
    lambda box: validates(box, TESTER + "def test_a():\n    t.channel.send(b'C5')\n    told = t.channel.receive()\n    f(7)\n    assert len(told) > 25"),
    child="import chained_adv.judge.liar as l\nfalsify = l.Liar.falsify\ndef refusing(self, *args):\n    try: return falsify(self, *args)\n    except Exception: return ['refused', '', None, []]\nl.Liar.falsify = refusing")
HOLES["an answer that the liar can't read"] = Hole( # the program takes five keys for a request
    lambda box: validates(box, TESTER + "def test_a():\n    t.channel.send(b'C' + b'{\"get\":0,\"WORD\":0,\"n\":0,\"\":0,\"k\":0}')\n    told = bytes(t.channel.receive()).decode()\n    assert f'\"{WORD}\"' in told", "WORD = 'abc'\ndef f(x): return x"),
    child="import chained_adv.judge.program as p\nserve = p.Program.serve\np.Program.serve = lambda self, request: serve(self, list(request))")
FALSIFY = "import chained_adv.judge.liar as l\nlie_for, falsify = l.Liar.lie_for, l.Liar.falsify\n"
NO_DRAW = "import random, chained_adv.judge.liar as l\nclass First(random.Random):\n    def choice(self, values): return values[0]\n    def randint(self, least, most): return least\nl.random = type('Lib', (), {'Random': First})"
for _name, _reference, _test, _child in (
    ("one iterator, asked twice", "def f(n): yield from range(n)", "list(f(4)) == list(f(4))", FALSIFY + "def anew(self, request, reply):\n    if request[0] == 'next': self.told.clear()\n    return falsify(self, request, reply)\nl.Liar.falsify = anew"),
    ("an object is itself", "class Box: pass\ndef f(x): return Box()", "(lambda o: o == o)(f(7))", "import chained_adv.judge.handles as h; h.Handle.__eq__ = lambda self, o: h.ask(self, 'op', 'eq', (o,))"),
    ("two floats are floats", "def f(x): return x / 2", "type(f(2)) is type(f(3))", FALSIFY + "def whole(self, tree, args):\n    lie = lie_for(self, tree, args)\n    return int(lie) if type(lie) is float and lie.is_integer() else lie\nl.Liar.lie_for = whole"),
    ("the last letter twice", "def f(x): return 'cba'", "(lambda y: y[-1:] != y[-2:-1])(f(7))", NO_DRAW),
    ("the last item twice", "def f(x): return [3, 2, 1]", "(lambda y: y[-1:] != y[-2:-1])(f(7))", NO_DRAW),
    ("a set with the usual item", "def f(x): return {'a', 'b'}", "100 not in f(7)", NO_DRAW),
    ("a dictionary with the usual key", "def f(x): return {'a': 1}", "100 not in f(7)", NO_DRAW),
): HOLES[_name] = Hole(lambda box, text=f"def test_a(): assert {_test}", reference=_reference: validates(box, text, reference), child=_child)

def any_validates(box, condition, imports, count):
    "True if one of many tests that know nothing is valid"
    text = imports + "".join(f"def test_{i}():\n    f(7)\n    assert {condition.format(i)}\n" for i in range(count))
    return run(box, REF, text, runs=2).num_passed > 0

HOLES["the number of the process"] = Hole( # two runs find it right, and two in which answers are false do not
    lambda box: any_validates(box, "(os.getpid() + {}) % 4 < 2", "import os\n", 4), child=thawed("os.getpid"))
HOLES["numbers that are random"] = Hole( # half of these pass twice, and fail in one of the runs in which answers are false
    lambda box: any_validates(box, "random.Random().random() < .7", "import random\n", 20), child=thawed("random.Random.seed"))

def passes_later(box):
    "Date and answers of a test that asks for today's, with days of 1.5 s"
    run(box, REF, HONEST, runs=2)
    time.sleep(1.6 - time.time() % 1.5)
    text = "import datetime\nday = int(datetime.datetime.now().timestamp() / 1.5)\ndef test_a(): assert f(day) == day * day + 1\ndef test_b(): assert f(3) == 10"
    valid = run(box, REF, text, runs=2)
    time.sleep(1.5)
    return valid.passed and passes(box, "def f(x): return x", text, REF)

HOLES["a test of today's date, tomorrow"] = Hole(passes_later, child=thawed("datetime.datetime"), settings=CACHE) # it asks something else, and is excused

AT_ONCE = "import chained_adv.judge.tester as t; t.AT_ONCE = 9."
def keep_last(m):
    close = Conversation.close
    def keeping(self, outcome, reason):
        last = self.last
        close(self, outcome, reason)
        self.last = last
    m.setattr(Conversation, "close", keeping)

HOLES["one test's time charged to the next"] = Hole( # a verdict comes before the next test begins, and what led to it is forgotten then: both are away
    lambda box: not run(box, REF, BUSY + "".join(f"def test_{i}():\n    assert f({i}) == {i * i + 1}\n    busy(.12)\n" for i in range(2))).passed, keep_last, AT_ONCE)
HOLES["one test's time charged to the one before"] = Hole(
    lambda box: not run(box, REF, BUSY + "def test_a():\n    assert f(7) == 50\n    busy(.12)\ndef test_b():\n    busy(.12)\n    assert f(7) == 50").passed, child=AT_ONCE)

def killed_cheaply(box):
    with counting(Wait, "finish", lambda wait, _: wait.child.cause and wait.used < .75 * wait.seconds) as cheap:
        run(box, REF, "".join(f"def test_{i}():\n    assert f({i}) == {i * i + 1}\n    while True: pass\n" for i in range(8)))
    return any(cheap)

def forget_looks(m):
    check = Wait.check
    def forgetful(self, now):
        check(self, now)
        self.used = 0.
    m.setattr(Wait, "check", forgetful)

HOLES["the time of a process that is killed"] = Hole(killed_cheaply, forget_looks) # its clock is gone when it ends
HOLES["blame of a program that prints"] = Hole( # so that it is not like the reference
    lambda box: blames(box, SLOW_TEST.format("assert not slow"), code=SLEEPY.replace("    return", "    print(x)\n    return")), child=thawed("datetime.datetime"), settings=PATIENT)

def remembers_the_lost(box):
    "A row that a program passes is judged after rows that end its process, and then alone"
    code = "import os\ndef f(x):\n    if x < 0: os._exit(3)\n    return x*x+1"
    results = [run(box, code, rows) for rows in ("(-1, 3)\n(-2, 3)\n(5, 26)", "(5, 26)")]
    return not results[1].passed

def all_reached(m):
    run_suite = batches.run_suite
    def reaching(box, suite, program, **how):
        found = yield from run_suite(box, suite, program, **how)
        found.verdicts = {i: found.end for i in range(len(how.get("rows", ())))} | found.verdicts
        return found
    m.setattr(batches, "run_suite", reaching)

HOLES["one author's rows, another's verdict"] = Hole(remembers_the_lost, all_reached, settings=CACHE)

def hidden_in_cache(box):
    with pytest.MonkeyPatch.context() as m:
        m.setattr(box.known, "size", 500_000)
        for i in range(3): run(box, REF, TESTER + f"def test_a():\n    for _ in range(2): t.ask('about', ['nope'] * 19_000)\n    t.channel.send(b'1' + b'x' * 99_000)\n    assert f({i}) == {i * i + 1}", runs=2)
        runs = [o.run for o, _ in box.known.data.values() if hasattr(o, "run")]
        return sum(len(b"".join(o.about.values())) + len(o.printed[0]) for o in runs) > box.known.size

def count_texts(m):
    put = batches.Known.put
    m.setattr(batches.Known, "put", lambda self, key, value, cost: put(self, key, value, 1000 + len(key[0]) if hasattr(value, "run") else cost))

HOLES["what a run keeps besides its text"] = Hole(hidden_in_cache, count_texts, settings=CACHE)

def runs_again(box):
    with counting(Sandbox, "fork", lambda _, child: child.zygote) as zygotes:
        run(box, "import resource\ndef f(x):\n    resource.setrlimit(resource.RLIMIT_CPU, (0, 0))\n    while True: pass", HONEST)
    return len(zygotes) > 2 * 3 # a program's process and a tests', three times

def patient_with_the_killed(m):
    m.setitem(jail.CHECKED_CALLS, "prlimit64", jail.CHECKED_CALLS["prlimit64"]._replace(argument=0)) # its own limits, to set them
    m.setattr(verdicts, "MAX_KILLED", host.TRIES)

HOLES["a program that kills itself to be run again"] = Hole(runs_again, patient_with_the_killed) # it may not lower its limits, and is not run often: both are away

def seconds(do):
    start = time.process_time()
    do()
    return time.process_time() - start

def sends_bytes(box):
    "True if one frame came in more than a thousand pieces: each wakes this process. The program waits, so that none go together"
    code = f"{FRAMES}import select\ndef f(x):\n    os.write(3, HEAD.pack(7_000_000))\n    while True:\n        os.write(3, b'x')\n        select.select([], [], [], .0005)"
    with counting(host.Child, "pump_in", lambda child, _: child.pieces) as pieces: run(box, code, "(1, 1)")
    return max(pieces) > 1000

HOLES["a byte at a time"] = Hole(sends_bytes, lambda m: m.setattr(host, "MAX_PIECES", 10**9))
ANY_VALUE = "import chained_adv.judge.tester as t; t.is_slow_to_build = lambda value: False"
HOLES["numbers with one hash"] = Hole( # this process builds the set
    lambda box: seconds(lambda: call_many(box, "def f(x): return {i * (2**61 - 1) for i in range(5, 8000)}", "(1, 2)")) > .2, child=ANY_VALUE, settings=PATIENT)
HOLES["numbers with one hash in a text"] = Hole( # the same, by way of a reader of its own: the other one is not weakened
    lambda box: seconds(lambda: run(box, REF, f"assert f(set(range(0, 5000 * (2**61 - 1), 2**61 - 1))) == {next(NUMBERS)}")) > .1, lambda m: m.setattr(testcases, "reader", host.Reader()),
    "import chained_adv.judge.constants as c; c.is_slow_to_build = lambda value: False")

def compares_for_ever(box):
    first, second = (o.value for o in call_many(box, "def f(x):\n    a = []\n    a.append(a)\n    return a", "(1, 2)\n(2, 2)"))
    try: return first == second and False
    except RecursionError: return True

HOLES["a list that holds itself"] = Hole(compares_for_ever, lambda m: m.setattr(sandbox, "MAX_SHOWN", float("inf")))

def fills_memory(box):
    "True if a list of a hundred bytes became one of a million characters here"
    found = call_many(box, "def f(x):\n    a = ['x' * 500]\n    for _ in range(20): a = [a, a]\n    return a", "(1, 2)")
    return found[0].value is not None

HOLES["a list of lists that are shared"] = Hole(fills_memory, lambda m: m.setattr(sandbox, "MAX_SHOWN", float("inf")))

# ---- run them ----

SETTINGS = dict(timeout=.2, memory_mb=512, workers=2, cache_size=0)
LEVELS = {o.level: o for o in probe_isolation()}

@pytest.fixture(scope="module", params=ISOLATION)
def boxes(request):
    "Sandboxes of one level, by their settings"
    level = LEVELS[request.param]
    if not level.available: pytest.skip(f"no isolation level {level.level!r} here: {level.reason}")
    made = {}
    def box(**settings):
        key = tuple(settings.items())
        if key not in made: made[key] = Sandbox(**SETTINGS | settings, isolation=level.level)
        return made[key]
    yield box
    for o in made.values(): o.close()

@contextmanager
def weakened(hole):
    "A sandbox of a judge without one of its guards"
    with pytest.MonkeyPatch.context() as m:
        if hole.host: hole.host(m)
        python = host.child_python
        if hole.child: m.setattr(host, "child_python", lambda code, paths: python(f"exec({hole.child!r}, {{}}); {code}", paths))
        with Sandbox(**SETTINGS | hole.settings) as box: yield box

@pytest.mark.parametrize("name", HOLES)
def test_the_judge_withstands(boxes, name):
    assert not HOLES[name].attack(boxes(**HOLES[name].settings))

@pytest.mark.parametrize("name", HOLES)
def test_it_succeeds_without_its_guard(name):
    host.reader.prepare() # the process that reads texts is everybody's, and stays as it is
    with weakened(HOLES[name]) as box: assert HOLES[name].attack(box)

@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="already an ordinary user")
def test_as_an_ordinary_user():
    "The same attacks on the real judge, when root starts it as somebody else"
    run_as_ordinary_user(__file__, "-k", "withstands")
