"""The process of one program: it answers requests with plain data or with numbers of objects, and knows no test"""
import builtins, functools, io, itertools, operator, os, random, sys, types
from typing import Any
from .nodes import NODES, call_with_nodes, hints_of, read_hints
from .wire import Builder, Channel, NotPlain, Packer, body_of, read, write

# What both sides know by name
FUNCTIONS = {f.__name__: f for f in (abs, all, any, bin, chr, divmod, hex, len, max, min, oct, ord, pow, repr,
                                     round, sorted, sum)}
TYPES = {t.__name__: t for t in (bool, bytes, complex, dict, float, frozenset, int, list, object, set, str, tuple)}
ERRORS = {n: o for n, o in vars(builtins).items() if isinstance(o, type) and issubclass(o, BaseException)}
KNOWN: dict[str, Any] = FUNCTIONS | TYPES | ERRORS | {"NotImplemented": NotImplemented, "Ellipsis": ...}
OPERATORS = frozenset("""eq ne lt le gt ge add sub mul matmul truediv floordiv mod pow and or xor lshift rshift neg
pos invert abs len bool iter next contains getitem setitem delitem hash int float complex index round divmod
reversed str repr format enter exit iadd isub imul""".split())
_WRITTEN = {"and": operator.and_, "or": operator.or_} # operators whose names are words

# What must not leave the process: ways to code and to names that are not the program's own
_INNER = (types.FrameType, types.CodeType, types.ModuleType, types.TracebackType, types.MappingProxyType,
          types.GetSetDescriptorType, types.MemberDescriptorType, types.CellType)
_SHOWN = {"__name__", "__doc__", "__cause__", "__context__", "__notes__"}

READY = """
import bisect, collections, copy, functools, heapq, itertools, json, math, operator, random, re, string, sys
import typing
from typing import *
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from bisect import bisect_left, bisect_right
from functools import cache, cmp_to_key, lru_cache, reduce
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain, combinations, groupby, permutations, product
from math import inf
from sys import exit
quit = exit
"""

@functools.cache
def ready_names() -> dict:
    "The names that programs may use without importing them"
    names = dict(NODES)
    exec(READY, names)
    del names["__builtins__"]
    return names

class Unloaded(BaseException):
    "The program cannot be loaded, or lacks what is asked for; no test may take that for an exception it expects"

class Refused(BaseException):
    "A request that no test has reason to make, or an answer that must not leave"

class Stream(io.TextIOWrapper):
    "Keeps what is printed"
    def __init__(self):
        self.kept = io.BytesIO()
        super().__init__(self.kept, "utf-8", "replace", newline="\n", write_through=True)

MAX_PRINTED = 65_536 # bytes told with one answer

class Program:
    "One program, its module, and the objects of it that tests hold"
    def __init__(self, channel: Channel, code: str, entry: str, signature: str = "", script: bool = False):
        self.channel, self.entry = channel, entry
        self.things: list = [] # objects that tests were given, by number
        self.numbers: dict[tuple, int] = {} # identity -> number
        self.error: BaseException | None = None
        self.streams: list[Stream] = []
        module = sys.modules["solution"] = types.ModuleType("solution")
        self.names: dict[str, Any] = vars(module)
        self.names["__builtins__"] = builtins
        self.printed()
        if "random" in code:
            random.seed() # the fork left it as the zygote's
            if numpy := sys.modules.get("numpy.random"): numpy.seed()
        try:
            self.hints = read_hints(signature)
            self.code = compile(code, "<solution>", "exec", dont_inherit=True)
            if not script: exec(self.code, self.names)
        except MemoryError: raise
        except BaseException as e: self.error = e

    def printed(self) -> list: # Texts of output and errors; empty where nothing was printed
        "What was printed since the last time; a program may have put anything in the place of the streams"
        if self.streams and sys.stdout is self.streams[0] and not any(o.closed or o.kept.tell() for o in self.streams): return []
        texts = ["" if o.closed else o.kept.getvalue()[:MAX_PRINTED].decode("utf-8", "replace") for o in self.streams]
        self.streams = [Stream(), Stream()]
        sys.stdout = sys.__stdout__ = self.streams[0]
        sys.stderr = sys.__stderr__ = self.streams[1]
        return texts if any(texts) else []

    # From objects to what crosses, and back

    def odd(self, v: object) -> dict:
        "The tree of what is no plain data: an exception, something that both sides know, the number of an object"
        if v is SELF: return {"S": 0}
        if isinstance(v, BaseException): return {"x": self.tell(v)}
        if isinstance(v, _INNER): raise Refused(f"a {type(v).__name__} does not leave the program")
        name = getattr(v, "__name__", None) if isinstance(v, (type, types.BuiltinFunctionType)) else repr(v) if v is NotImplemented or v is ... else None
        if type(name) is str and KNOWN.get(name) is v: return {"y": name}
        if id(v) not in self.numbers:
            self.numbers[id(v)] = len(self.things)
            self.things.append(v)
        return {"I" if hasattr(type(v), "__next__") else "h": [self.numbers[id(v)], type(v).__name__]}

    def tell(self, e: BaseException, depth: int = 0) -> list: # Names of classes, message, arguments, attributes, cause
        "An exception as a tree"
        try: message = str(e)[:1000]
        except BaseException: message = "(its message cannot be shown)"
        try: args = Packer(self.odd).series(list(e.args))
        except (Exception, Refused): args = [message]
        more = {}
        for name in [n for n in (*getattr(e, "__dict__", {}), *vars(type(e))) if n[:1] != "_"][:30]:
            try:
                if not callable(value := getattr(e, name)): more[name] = Packer(self.odd).pack(value)
            except (Exception, Refused): pass
        cause = self.tell(e.__cause__, depth + 1) if e.__cause__ is not None and depth < 3 else None
        return [lineage(type(e)), message, args, more, cause]

    def unodd(self, tag: str, body) -> Any:
        "What such a tree stands for"
        if tag in ("h", "I"): return self.find(body[0])
        if tag == "S": return SELF
        if tag == "y": return KNOWN[body]
        if tag == "k": return self.make_function(*body)
        if tag == "x": return KNOWN.get(body[0], Exception)(*Builder(self.unodd).build(body[1]))
        raise Refused(f"{tag!r} is no tag")

    def make_function(self, number: int, name: str, doc: str | None = None) -> Any:
        "Stands for a function of the test"
        def function(*args, **kwargs): return self.call_back(number, args, kwargs)
        function.__name__ = function.__qualname__ = name
        function.__doc__ = doc
        return function

    def call_back(self, number: int, args: tuple, kwargs: dict) -> Any:
        "Have a function of the test called, and answer what the test asks meanwhile"
        packer = Packer(self.odd)
        self.channel.send(write(["back", [number, packer.series(list(args)), packer.pack(kwargs)], None, self.printed()]))
        while True:
            request = read(self.channel.receive())
            if request[0] == "return": return Builder(self.unodd).build(request[1])
            if request[0] == "raise": raise Builder(self.unodd).build(request[1])
            self.serve(request)

    # What a test may use

    def find(self, which: int | str) -> Any: # Number of an object, or a name
        "A function, class or variable of the program, or an object that the test was given"
        if type(which) is int: return self.things[which]
        own, cls = self.names.get(which, self), self.names.get("Solution")
        if not is_public(which): raise Refused(f"{which!r} is not public")
        if own is not self and (which == self.entry or is_own(own)): return own
        if own is self and which in NODES: return NODES[which]
        if isinstance(cls, type) and callable(getattr(cls, which, None)):
            method = lambda *args, **kwargs: getattr(cls(), which)(*args, **kwargs)
            vars(method)["__wrapped__"] = getattr(cls, which)
            return method
        if which != "Solution": raise Unloaded(NameError(f"the code does not define `{which}`"))
        functions = {n: staticmethod(f) for n, f in self.names.items() if isinstance(f, types.FunctionType)}
        return type("Solution", (), {**functions, "__module__": "solution"})

    def about(self, name: str) -> Any: # A class's exceptions above it, `class`, `function`, `value`, or None
        "What one of the program's names is; of `*`, the names"
        if name == "*": return [n for n in self.names if n[:1] != "_" and self.about(n)]
        try: o = self.find(name)
        except (Unloaded, Refused): return None
        if isinstance(o, type): return lineage(o) if issubclass(o, BaseException) else "class"
        return "function" if callable(o) else "value"

    def perform(self, verb: str, target: Any, name: Any, args: list, kwargs: dict) -> Any:
        "Do what one request asks for"
        if verb == "about": return [self.about(n) for n in target]
        if verb == "script": return self.run_script(*args)
        o = self.find(target)
        if verb == "get": return o
        if verb == "call": return self.call(o, args, kwargs, target)
        if verb == "isa": return isinstance(args[0], o)
        if verb == "next": return self.take(o, name)
        if verb in ("attr", "set", "del", "method"):
            if not is_public(name) or type(target) is str and name[:2] == "__": raise AttributeError(name)
            if verb == "set": return setattr(o, name, *args)
            if verb == "del": return delattr(o, name)
            return getattr(o, name)(*args, **kwargs) if verb == "method" else getattr(o, name)
        if verb != "op" or name not in OPERATORS: raise Refused(f"{verb} {name} is no request")
        return operate(o, name, args)

    def call(self, f: Any, args: list, kwargs: dict, target: Any) -> Any:
        "Call a function; lists become nodes where annotations say so"
        hints = target == self.entry and self.hints or hints_of(f)
        if "Node" not in str(hints): return f(*args, **kwargs)
        classes = {n: c for n in NODES if isinstance(c := self.names.get(n, NODES[n]), type)}
        return call_with_nodes(f, args, kwargs, hints, classes)

    def take(self, iterator: Any, count: int) -> list: # Items, whether there are no more, what was raised
        "Some items of an iterator"
        found, error = [], None
        try: found.extend(itertools.islice(iterator, count))
        except Exception as e: error = e
        return [found, len(found) < count, error]

    def run_script(self, given: str) -> str: # What it printed
        "Run the program as a script with a text as its standard input"
        data = given.encode("utf-8", "replace")
        sys.stdin = io.TextIOWrapper(io.BytesIO(data), "utf-8")
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        os.write(writer, data[:65536]) # for programs that read descriptor 0
        os.dup2(reader, 0)
        for fd in (reader, writer): os.close(fd)
        self.streams = [Stream(), Stream()]
        sys.stdout = sys.__stdout__ = out = self.streams[0]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        try: exec(self.code, vars(main))
        except SystemExit as e:
            if e.code not in (None, 0): raise
        out.kept.seek(0)
        text = out.kept.read().decode("utf-8", "replace")
        self.streams = [] # what was printed is the answer
        return text

    # One request, one reply: [status, tree, what became of the arguments, what was printed]

    def serve(self, request: list):
        "Answer one request"
        try: reply = write(self.reply(*request))
        except MemoryError: raise
        except BaseException as e: reply = write(["refused", f"{type(e).__name__}: {e}"[:300], None, self.printed()])
        try: self.channel.send(reply)
        except NotPlain: self.channel.send(write(["refused", "an answer of more bytes than may cross", None, []]))

    def reply(self, verb: str, target: Any, name: Any, args: list, kwargs: Any) -> list:
        "What one request comes to"
        builder, status = Builder(self.unodd), "value"
        given = [builder.build(o) for o in args], builder.build(kwargs)
        before = builder.containers[:]
        try:
            if self.error is not None: raise Unloaded(self.error)
            value = self.perform(verb, target, name, *given)
        except MemoryError: raise
        except Unloaded as e: return ["unloaded", self.tell(e.args[0]), None, self.printed()]
        except Refused: raise
        except BaseException as e: status, value = "raise", e
        packer = Packer(self.odd)
        packer.containers, packer.numbers = before[:], {id(o): i for i, o in enumerate(before)}
        tree = packer.pack(value)
        return [status, tree, self.changes(given, args, kwargs, before), self.printed()]

    def changes(self, given: tuple, args: list, kwargs: Any, before: list) -> dict | None:
        "What the containers hold now that the test passed, by number; None if nothing changed"
        if not before: return None
        again = Packer(self.odd)
        if write([again.series(given[0]), again.pack(given[1])]) == write([args, kwargs]): return None
        now = Packer(self.odd)
        now.containers, now.numbers = before[:], {id(o): i for i, o in enumerate(before)}
        return {str(i): now.open(o) for i, o in enumerate(before)}

class SELF: "Stands for the object itself, where it is the right operand"

def operate(o: Any, name: str, args: list) -> Any:
    "Apply one of Python's operators"
    if name == "enter": return type(o).__enter__(o)
    if name == "exit":
        error = args[0] if args else None
        return bool(type(o).__exit__(o, type(error) if error else None, error, None))
    python = _WRITTEN.get(name) or getattr(builtins, name, None) or getattr(operator, name)
    return python(*[o if a is SELF else a for a in args]) if any(a is SELF for a in args) else python(o, *args)

def is_public(name: object) -> bool:
    "May a test use this name of an object?"
    return type(name) is str and (name[:2] != "__" or name in _SHOWN)

def is_own(o: object) -> bool:
    "Is it the program's own, and not imported?"
    if isinstance(o, _INNER): return False
    made = getattr(o, "__module__", "") == "solution" or type(o).__module__ in ("solution", "functools")
    return made or not callable(o)

_mro, _name = type.__dict__["__mro__"].__get__, type.__dict__["__name__"].__get__ # a metaclass may say otherwise

def lineage(cls: type) -> list[str]: # Those of the program begin with a dot
    "The names of an exception's classes"
    return [_name(c) if ERRORS.get(_name(c)) is c else "." + _name(c) for c in _mro(cls) if issubclass(c, BaseException)]

def play(channel: Channel):
    "The life of a program's process"
    about = read(channel.receive())
    program = Program(channel, about["code"], about["entry"], about["signature"], about["script"])
    while True: program.serve(read(channel.receive()))
