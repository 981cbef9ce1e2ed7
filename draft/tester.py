"""The process of one author's tests: it runs them as Python, and what the program defines is a stand-in that asks"""
import builtins, json, importlib.abc, importlib.machinery, io, itertools, os, random, signal, struct, sys, threading, time, types
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from .program import ERRORS, KNOWN, OPERATORS, ready_names
from .suites import Suite, WORDS
from .wire import Builder, Channel, NotPlain, Packer, body_of, read, write

PASSED, FAILED, RAISED, SKIPPED, UNFIT = range(5) # what a test comes to
LETTER = struct.Struct("!cIB") # to the host: `B`egins, `V`erdict, `S`hapes, `E`nd; number of the test; what it comes to
MAX_REASON = 600 # bytes

class Unfit(BaseException):
    "What this test does cannot be judged across two processes, or the program did what no program may"

class Tester:
    "The tests' end of the channel, and what has crossed it"
    def __init__(self, channel: Channel, about: dict): # `entry`, `named`, `shapes`, `write_back` of this run
        self.channel, self.entry, self.named = channel, about["entry"], set(about.get("named", ()))
        shapes = about["shapes"] # where the reference answered with objects; None while that is noted
        self.shapes = None if shapes is None else {k: v for text in shapes for k, v in json.loads(text).items()}
        self.strict = about["strict"] # is there no reference?
        self.write_back = about["write_back"]
        self.functions: list[Callable] = [] # of the tests, by number
        self.things: dict[tuple, Any] = {} # stand-ins, by tag and number
        self.errors: dict[tuple, type] = {} # exception classes of the program
        self.lock = threading.RLock()
        self.test: int | None = None # between tests: None
        self.count, self.set_up, self.unfit, self.noted, self.changed = 0, 0, "", {}, False # answers, in a test and between tests
        self.printed = [io.StringIO(), io.StringIO()]

    def begin(self, number: int):
        "A test begins"
        self.test, self.count = number, 0
        self.channel.send(LETTER.pack(b"B", number, 0))

    def report(self, number: int, outcome: int, reason: str, lasts: bool = False):
        "A test has ended; what a statement asked may matter to those after it"
        if self.unfit: outcome, reason = UNFIT, self.unfit
        if not self.count + self.set_up and outcome == PASSED: outcome, reason = FAILED, "the test asks the program nothing"
        if self.noted: self.channel.send(b"S" + write(self.noted))
        self.channel.send(LETTER.pack(b"V", number, outcome | 128 * self.changed | 64 * lasts) + reason.encode("utf-8", "replace")[:MAX_REASON])
        if lasts: self.set_up += self.count
        self.test, self.unfit, self.noted, self.changed = None, "", {}, False

    def place(self) -> str:
        "Which answer this is: of the test, or of what stands between the tests"
        return f"{self.set_up}" if self.test is None else f"{self.test} {self.count}"

    def answer(self, number: int, value: Any):
        "Tell the host what a call returned; of rows only, where no author's code is in this process"
        try: body = write(Packer().pack(value))
        except (NotPlain, RecursionError) as e: raise AssertionError(f"returned what is not plain data ({e})") from None
        if len(body) > 250_000: raise AssertionError("returned a value of more than 250,000 bytes")
        self.channel.send(LETTER.pack(b"A", number, 0) + body)

    def spoil(self, why: str):
        "The test has failed, whatever it catches"
        self.unfit = self.unfit or why
        raise Unfit(self.unfit)

    # From values of the tests to what crosses, and back

    def odd(self, v: Any) -> dict:
        "The tree of what is no plain data"
        if isinstance(v, Handle): return {"h": [which_of(v), ""]}
        if v is SELF: return {"S": 0}
        if isinstance(v, BaseException): return {"x": [type(v).__name__, Packer(self.odd).series(list(v.args))]}
        name = getattr(v, "__name__", None) if isinstance(v, (type, types.BuiltinFunctionType)) else repr(v) if v is NotImplemented or v is ... else None
        if type(name) is str and KNOWN.get(name) is v: return {"y": name}
        if hasattr(type(v), "__next__"): return Packer(self.odd).pack(list(itertools.islice(v, 100_000)))
        if not callable(v): self.spoil(f"a {type(v).__name__} of the test cannot be passed to the program")
        self.functions.append(v)
        return {"k": [len(self.functions) - 1, str(getattr(v, "__name__", "function")), getattr(v, "__doc__", None) and str(v.__doc__)[:2000]]}

    def unodd(self, tag: str, body) -> Any:
        "What such a tree stands for"
        if tag == "x": return self.make_error(*body)
        if tag == "y": return KNOWN[body]
        cls = {"h": Handle, "I": Stream}[tag]
        if type(body[0]) is not int: raise NotPlain("a number that is none")
        key = tag, body[0] # what came as an iterator does not come back as an object, nor the other way
        if key not in self.things: self.things[key] = cls(self, body[0], str(body[1])[:80])
        return self.things[key]

    def error_class(self, names: tuple) -> type: # Its classes' names, as `lineage` gives them
        "The class of an exception of the program"
        own = tuple(itertools.takewhile(lambda n: n not in ERRORS, names))
        if not own: return next((ERRORS[n] for n in names if n in ERRORS), Exception)
        if own not in self.errors:
            base = self.error_class(names[1:])
            self.errors[own] = type(str(own[0]).lstrip(".")[:80] or "Error", (base,), {"__module__": "solution", "__init__": _keep_args})
        return self.errors[own]

    def make_error(self, names: list, message: str, args: list, more: dict, cause: list | None) -> BaseException:
        "An exception of the program"
        cls, build = self.error_class(tuple(names)), Builder(self.unodd).build
        args = [build(o) for o in args]
        try: error = cls(*args)
        except Exception: error = cls.__new__(cls)
        if str(error) != message: error = type(cls.__name__, (cls,), {"__module__": cls.__module__, "__init__": _keep_args, "__str__": lambda e: message})(*args)
        vars(error).update({str(k): build(o) for k, o in more.items()})
        if cause: error.__cause__ = self.make_error(*cause)
        return error

    # One request and its answer

    def ask(self, verb: str, target: Any = None, name: Any = None, args: tuple = (), kwargs: dict = {}) -> Any:
        "The program's answer to one request; raises what the program raises"
        with self.lock:
            packer = Packer(self.odd)
            try: request = write([verb, target, name, [packer.pack(o) for o in args], packer.pack(dict(kwargs))])
            except (NotPlain, RecursionError, ValueError) as e: self.spoil(f"an argument cannot be passed to the program: {e}")
            while True:
                try: self.channel.send(b"C" + request)
                except NotPlain as e: self.spoil(str(e))
                try: status, value = self.receive(packer)
                except EOFError: raise
                except Exception as e: self.spoil(f"the program sent what is no answer ({type(e).__name__})")
                if status == "value": return value
                if status == "raise": raise value
                request = self.call_function(*value)

    def receive(self, packer: Packer) -> tuple[str, Any]: # `value`, `raise` or `back`, and what came
        "Take an answer; objects are taken only where the reference answered with some"
        status, tree, changes, printed = read(self.channel.receive())
        for stream, kept, text in zip((sys.stdout, sys.stderr), self.printed, printed):
            stream.write(str(text))
            if kept.tell() < 65_536: kept.write(str(text))
        if status == "refused": self.spoil(str(tree)[:300])
        if status == "unloaded":
            error = self.make_error(*tree)
            self.spoil(f"{type(error).__name__}: {error}")
        containers = packer.containers
        if changes and not self.may_change(): containers = [type(v)() if type(v) is not defaultdict else {} for v in containers]
        builder = Builder(self.unodd, containers)
        if status == "back":
            number, args, kwargs = tree
            return status, (int(number), [builder.build(o) for o in args], builder.build(kwargs))
        if status not in ("value", "raise"): raise NotPlain("status")
        value = builder.build(tree)
        for number, after in (changes or {}).items(): builder.refill(containers[int(number)], body_of(after))
        if status == "raise" and not isinstance(value, BaseException): raise NotPlain("raised what is no exception")
        self.check_shape(status + shape_of(tree))
        if self.test is None: self.set_up += 1
        else: self.count += 1
        return status, value

    def may_change(self) -> bool:
        "Does the test see what the program did to its arguments? Where the reference left them alone, it is run both ways"
        place = self.place() + " changes"
        if self.shapes is None: self.noted[place] = ""
        elif place not in self.shapes and not self.strict: self.changed = True
        return self.write_back or self.shapes is None or place in self.shapes

    def check_shape(self, found: str):
        "Note where the reference answers with objects; elsewhere no other program may"
        if not found.endswith("|"): return
        place = self.place()
        if self.shapes is None: self.noted[place] = found
        elif not self.strict and self.shapes.get(place) != found:
            self.spoil("answered with an object where the reference answers otherwise")

    def call_function(self, number: int, args: list, kwargs: dict) -> bytes:
        "Call a function of the tests for the program; the request that brings what it returned"
        try: return write(["return", Packer(self.odd).pack(self.functions[number](*args, **kwargs))])
        except Exception as e: return write(["raise", self.odd(e)])

def _keep_args(error, *args, **_): BaseException.__init__(error, *args)
class SELF: "Stands for the object itself, where it is the right operand"

def shape_of(tree, path: str = "") -> str: # Ends in `|` if there is any
    "Where in an answer objects are, and of which kind"
    if type(tree) is list: return "".join(shape_of(o, f"{path}.{i}") for i, o in enumerate(tree) if type(o) in (list, dict))
    if type(tree) is not dict: return ""
    (tag, body), = tree.items()
    if tag == "h": return f"{path}h|"
    if tag == "x": return shape_of([body[2], *body[3].values(), body[4] and {"x": body[4]}], path + tag)
    return f"{path}y{body}|" if tag == "y" else shape_of(body, path + tag) if type(body) in (list, dict) else ""

class Handle:
    "Stands for a function, class or object of the program: it asks"
    __slots__ = ("_tester", "_which", "_name", "__weakref__")
    def __init__(self, tester: Tester, which: int | str, name: str = ""): # Number or name; name of its class
        for slot, v in ((_put_tester, tester), (_put_which, which), (_put_name, name)): slot(self, v)

    def __call__(self, *args, **kwargs): return tester_of(self).ask("call", which_of(self), None, args, kwargs)
    def __getattr__(self, name):
        must_be_expected(self, name)
        return tester_of(self).ask("attr", which_of(self), name)

    def __setattr__(self, name, v):
        if callable(v) and not isinstance(v, Handle): tester_of(self).spoil("a test cannot replace what it tests")
        tester_of(self).ask("set", which_of(self), name, (v,))

    @property
    def __name__(self): return which_of(self) if type(which_of(self)) is str else tester_of(self).ask("attr", which_of(self), "__name__")
    @property
    def __doc__(self): return tester_of(self).ask("attr", which_of(self), "__doc__")
    def __instancecheck__(self, v): return isinstance(v, Handle) and tester_of(self).ask("isa", which_of(self), None, (v,)) is True
    def __hash__(self): return hash(which_of(self)) if type(which_of(self)) is str else tester_of(self).ask("op", which_of(self), "hash")
    def __delattr__(self, name): tester_of(self).ask("del", which_of(self), name)
    def __iter__(self):
        found = tester_of(self).ask("op", which_of(self), "iter")
        return found if isinstance(found, Stream) else iter(found) if isinstance(found, Handle) and found is not self else iter(())

_put_tester, tester_of = Handle._tester.__set__, Handle._tester.__get__
_put_which, which_of = Handle._which.__set__, Handle._which.__get__
_put_name, name_of = Handle._name.__set__, Handle._name.__get__

_OF_DATA = {n for t in (int, float, str, bytes, list, tuple, set, dict) for n in dir(t)}
_COMPARE = {"eq", "ne", "lt", "le", "gt", "ge"}

def must_be_expected(o: Handle, name: str):
    "Without a reference, an object of the program may not stand where plain data can: its class must be named in the tests"
    t = tester_of(o)
    if t.strict and name in _OF_DATA and type(which_of(o)) is int and name_of(o) not in t.named:
        t.spoil(f"a {name_of(o)} stands where the test expects plain data")

def _operation(name, reflected=False):
    def method(self, *args):
        tester, plain = tester_of(self), not all(isinstance(a, Handle) for a in args)
        if name == "exit": args = args[1:2] if args[0] else ()
        if name in _COMPARE and plain:
            if args[0] is None: return name == "ne"
            tester.spoil(f"a {name_of(self) or 'function'} of the program is compared with plain data")
        must_be_expected(self, f"__{name}__")
        return tester.ask("op", which_of(self), name, (args[0], SELF) if reflected else args)
    return method

for _name in OPERATORS - {"iter", "next", "hash"}: setattr(Handle, f"__{_name}__", _operation(_name))
for _name in "add sub mul matmul truediv floordiv mod pow and or xor".split(): setattr(Handle, f"__r{_name}__", _operation(_name, True))

class Stream(Handle):
    "An iterator of the program; its first items are fetched one by one, later ones together"
    __slots__ = ("_ahead", "_taken", "_end")
    def __init__(self, *about):
        super().__init__(*about)
        for slot, v in ((Stream._ahead, []), (Stream._taken, 0), (Stream._end, None)): slot.__set__(self, v)

    def __iter__(self): return self
    def __next__(self):
        ahead, taken, end = (slot.__get__(self) for slot in (Stream._ahead, Stream._taken, Stream._end))
        if not ahead:
            if end: raise end
            items, over, error = tester_of(self).ask("next", which_of(self), max(1, min(taken - 20, 500)))
            if over: Stream._end.__set__(self, error if isinstance(error, BaseException) else StopIteration())
            ahead.extend(items)
            if not ahead: return self.__next__()
        Stream._taken.__set__(self, taken + 1)
        return ahead.pop(0)

    def __getattr__(self, name):
        if name not in ("send", "throw", "close"): return super().__getattr__(name)
        return lambda *args: tester_of(self).ask("method", which_of(self), name, args)

# The names that tests find

class Names(dict):
    "The globals of a text of tests; a variable of the program is looked up over there each time"
    tester: Tester
    variables: frozenset = frozenset()
    def __missing__(self, name):
        if name not in self.variables: raise KeyError(name)
        return self.tester.ask("get", name)

def stand_in(tester: Tester, name: str, kind: Any) -> Any:
    "What stands for one of the program's names"
    return tester.error_class(tuple(kind)) if type(kind) is list else Handle(tester, name)

def make_names(tester: Tester, used: set) -> Names: # Names that the tests use
    "Ask what of them the program defines; the rest is ours"
    names = Names(ready_names() | WORDS | {"__name__": "tests", "__builtins__": builtins})
    names.tester = tester
    names.update(supplied(used))
    mine = {n for n in used if n[:2] != "__" and not (n in KNOWN and n not in ERRORS or n in _OURS)} | {"Solution"}
    about = tester.ask("about", sorted(mine - {tester.entry}))
    tester.set_up = 0
    for name, kind in zip(sorted(mine - {tester.entry}), about):
        if kind and kind != "value" and (name not in ERRORS or type(kind) is list): names[name] = stand_in(tester, name, kind)
    names.variables = frozenset(n for n, kind in zip(sorted(mine - {tester.entry}), about) if kind == "value")
    if tester.entry: names[tester.entry] = Handle(tester, tester.entry)
    if "candidate" in used: names.setdefault("candidate", names.get(tester.entry))
    return names

# What tests use without importing it
_MODULES = "pytest unittest math itertools collections functools random string sys re copy operator json datetime time".split()
_FROM = {"approx": "pytest", "raises": "pytest", "TestCase": "unittest", "deepcopy": "copy", "isclose": "math", "Decimal": "decimal",
         "Fraction": "fractions"}
_OURS = frozenset(dir(builtins)) - ERRORS.keys() | {*_MODULES, *_FROM}

def supplied(used: set) -> dict:
    "The modules and names that tests use, and may have forgotten to import"
    found = {}
    for name in used & {*_MODULES, *_FROM}:
        try: module = __import__(_FROM.get(name, name))
        except ImportError: continue
        found[name] = getattr(module, name) if name in _FROM else module
    return found

class Solution(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    "A module that is not there is the program"
    def __init__(self, tester: Tester): self.tester, self.made = tester, []
    def find_spec(self, name, path=None, target=None):
        if "." in name or name[:1] == "_" or name in sys.stdlib_module_names: return None
        self.made.append(name)
        return importlib.machinery.ModuleSpec(name, self)

    def exec_module(self, module): pass
    def create_module(self, spec):
        tester = self.tester
        class Module(types.ModuleType):
            def __getattr__(self, name):
                if name == "__all__": return list(map(str, tester.ask("about", ["*"])[0]))
                if name[:2] == "__": raise AttributeError(name)
                kind, = tester.ask("about", [name])
                if kind == "value": return tester.ask("get", name)
                if kind is None and name != tester.entry: raise AttributeError(name)
                return stand_in(tester, name, kind)
        return Module(spec.name)

# The life of the process

def freeze_time():
    "A clock that ticks by itself and the same random numbers each time, so that a test is the same, too"
    ticks = itertools.count(17_000_000_000_000) # of a ten-thousandth of a second
    for name in ("time", "monotonic", "perf_counter", "process_time"):
        setattr(time, name, lambda: next(ticks) / 10_000)
        setattr(time, name + "_ns", lambda: next(ticks) * 100_000)
    draw = random.Random(0).randbytes
    for o, name in ((os, "urandom"), (random, "_urandom"), (os, "getrandom")): setattr(o, name, draw)
    random.seed(0)

def state() -> tuple:
    "What a run must leave as it was, if the next one is to be in the same process"
    return (dict(vars(builtins)), set(sys.modules), dict(globals()), sys.getrecursionlimit(), threading.active_count(),
            signal.getitimer(signal.ITIMER_REAL), vars(Handle).copy(), len(sys.meta_path))

def run(channel: Channel, suite: Suite, about: dict) -> tuple[int, int, str]: # Tests, 0 broken, 1 done, 2 done and clean; why
    "Run a suite against one program"
    tester, before, finder = Tester(channel, about), state(), None
    freeze_time()
    finder = Solution(tester)
    sys.meta_path.append(finder)
    old, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), io.StringIO(), io.StringIO()
    try:
        count, code, why = suite.run(tester, lambda: make_names(tester, suite.used), about), 1, ""
    except EOFError: raise
    except BaseException as e: count, code, why = 0, 0, tester.unfit or f"{type(e).__name__}: {e}"
    finally:
        sys.stdout, sys.stderr = old
        if finder in sys.meta_path: sys.meta_path.remove(finder)
        for name in (*finder.made, "tests"): sys.modules.pop(name, None)
    for letter, stream in zip((b"1", b"2"), tester.printed):
        if text := stream.getvalue()[:20_000]: channel.send(letter + text.encode("utf-8", "replace"))
    return count, 2 if code and state() == before else code, why

def play(channel: Channel):
    "One suite, against one program after the other"
    suite = Suite(read(channel.receive()))
    while True:
        count, code, why = run(channel, suite, read(channel.receive()))
        channel.send(LETTER.pack(b"E", count, code) + why.encode("utf-8", "replace")[:MAX_REASON])
