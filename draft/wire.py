"""Plain data as text, and whole frames over a socket"""
import collections, datetime, functools, json, math, os, struct, sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

MAX_FRAME = 16_000_000 # bytes of one frame: a list of a million numbers fits
LENGTH = struct.Struct("!I") # stands before each frame

class NotPlain(TypeError):
    "A value that cannot cross, or a text that stands for none"

# How a type is written: tag, what is inside of it, how it is made again. What is inside is text or numbers.
def _attributes(names): return lambda v: [getattr(v, name) for name in names.split()]
def _spread(cls): return lambda body: cls(*body)

ATOMS: dict[type, tuple[str, Callable, Callable]] = {
    int: ("i", "{:x}".format, lambda body: int(body, 16)), # beyond 2**62
    float: ("f", repr, float), # inf and nan
    bytes: ("b", bytes.hex, bytes.fromhex),
    complex: ("c", lambda v: [repr(v.real), repr(v.imag)], lambda body: complex(*map(float, body))),
    Decimal: ("D", str, Decimal)}
ATOMS |= {cls: (cls.__name__, _attributes(names), _spread(cls)) for cls, names in (
    (range, "start stop step"), (slice, "start stop step"), (Fraction, "numerator denominator"),
    (datetime.date, "year month day"), (datetime.time, "hour minute second microsecond"),
    (datetime.datetime, "year month day hour minute second microsecond"),
    (datetime.timedelta, "days seconds microseconds"))}
SERIES = {list: "", tuple: "t", set: "s", frozenset: "z",
          type({}.keys()): "K", type({}.values()): "", type({}.items()): ""}
DICTS = {dict: "d", Counter: "C", OrderedDict: "O"}
_FACTORIES = {t.__name__: t for t in (list, dict, set, int, float, str, bool, tuple)} # of a defaultdict; others stay behind
MUTABLE = {list, set, deque, dict, Counter, OrderedDict, defaultdict, bytearray}
_ATOM_OF = {tag: make for tag, _, make in ATOMS.values()} | {"B": bytearray.fromhex}
_FROZEN_OF = {"t": tuple, "z": frozenset, "K": lambda body: dict.fromkeys(body).keys()}
_MUTABLE_OF = {"s": set, "d": dict, "C": Counter, "O": OrderedDict}
_named = functools.lru_cache(200)(collections.namedtuple) # making one takes long
_write = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

def refuse(v: object):
    "Refuse a value that is no plain data"
    raise NotPlain(f"a {type(v).__name__} is not plain data")

_BASES = (int, float, str, list, tuple, set, frozenset, Counter, OrderedDict, dict) # of subclasses
def plain_base(t: type) -> type | None: # None: an instance is no plain data
    "The builtin type that a subclass adds no public name to: its values cross as plain ones"
    mro = type.__dict__["__mro__"].__get__(t)
    base = next((b for b in mro if b in _BASES), None)
    if base is None or base is t or any(n[:1] != "_" for c in mro[:mro.index(base)] for n in vars(c)): return None
    return None if "__eq__" in {n for c in mro[:mro.index(base)] for n in vars(c)} else base

class Packer:
    "Makes of values what JSON can write. A mutable container has a number, so that it stays one object"
    def __init__(self, odd: Callable = refuse): # Makes a tree of a value that is no plain data
        self.odd = odd
        self.numbers: dict[int, int] = {} # identity of a container -> its number
        self.containers: list = [] # by number; held, so that no identity is used twice

    def pack(self, v: object): # Of exact builtin types; a subclass is no plain data
        "The tree of a value"
        t = type(v)
        if t is str or t is bool or v is None or t is float and math.isfinite(v): return v
        if t is int and -2**62 < v < 2**62: return v
        if t in MUTABLE:
            if id(v) in self.numbers: return {"@": self.numbers[id(v)]}
            self.numbers[id(v)] = len(self.containers)
            self.containers.append(v)
        return self.open(v)

    def open(self, v: object):
        "The tree of a value, its container not numbered"
        t = type(v)
        if t in SERIES: return self.series(list(v), SERIES[t])
        if t in DICTS: return {DICTS[t]: [[self.pack(k), self.pack(o)] for k, o in v.items()]}
        if t is bytearray: return {"B": v.hex()}
        if t is deque: return {"q": [v.maxlen, self.series(list(v))]}
        if t is defaultdict: return {"e": [getattr(v.default_factory, "__name__", None), [[self.pack(k), self.pack(o)] for k, o in v.items()]]}
        if t in ATOMS and not getattr(v, "tzinfo", None): return {ATOMS[t][0]: ATOMS[t][1](v)}
        fields = getattr(t, "_fields", None)
        if t.__base__ is tuple and type(fields) is tuple:
            return {"n": [t.__name__, list(fields), self.series(list(tuple.__iter__(v)))]}
        if t.__module__ == "numpy" and hasattr(t, "tolist") and v.dtype.kind in "biufcSU":
            return {"N": [v.dtype.str, hasattr(t, "item") and not v.ndim, Packer(self.odd).pack(v.tolist())]}
        base = plain_base(t)
        return self.odd(v) if base is None else self.open(base(v)) if base not in (int, float, str) else self.pack(base.__getnewargs__(v)[0])

    def series(self, items: list, tag: str = ""):
        "The tree of what a container holds; sets in an order of their own"
        kinds = set(map(type, items))
        if kinds == {int} and -2**62 < min(items) and max(items) < 2**62 or kinds <= {str, bool}: body = items
        else: body = [self.pack(o) for o in items]
        if tag == "s" or tag == "z": body = sorted(body, key=_write)
        return {tag: body} if tag else body

class Builder:
    "The way back"
    def __init__(self,
        odd: Callable | None = None, # Makes a value of another tag and its body
        containers: list | None = None # What the numbers stand for that were given before
    ):
        self.odd, self.containers = odd, list(containers or [])

    def build(self, tree):
        "The value of a tree; raises `NotPlain`, or what Python raises for a text that stands for none"
        if type(tree) is list: return self.fill([], tree)
        if type(tree) is not dict: return tree
        (tag, body), = tree.items()
        if tag == "@": return self.containers[body]
        if tag == "q": return self.refill(self.keep(deque(maxlen=body[0])), tree)
        if tag == "e": return self.refill(self.keep(defaultdict(_FACTORIES.get(body[0]))), tree)
        if tag in _MUTABLE_OF: return self.fill(_MUTABLE_OF[tag](), body)
        if tag in _FROZEN_OF: return _FROZEN_OF[tag]([self.build(o) for o in body])
        if tag in _ATOM_OF: return self.keep(_ATOM_OF[tag](body)) if tag == "B" else _ATOM_OF[tag](body)
        if tag == "n": return _named(body[0], tuple(body[1]))(*map(self.build, body[2]))
        if tag == "N" and "numpy" in sys.modules:
            array = sys.modules["numpy"].array(Builder(self.odd).build(body[2]), body[0])
            return array[()] if body[1] else array
        if self.odd: return self.odd(tag, body)
        raise NotPlain(f"{tag!r} is no tag of plain data")

    def keep(self, v):
        "Give a container its number"
        self.containers.append(v)
        return v

    def fill(self, v, body):
        "Fill a new container; it has its number before what is in it, as when it was packed"
        return self.refill(self.keep(v), body)

    def refill(self, v, body):
        "Give a container what a tree's body holds instead of what is in it"
        if type(body) is dict: (tag, (_, body)), = body.items() # a deque's or a defaultdict's whole tree
        if isinstance(v, (dict, set)):
            new = [self.build(o) for o in body] if isinstance(v, set) else [(self.build(k), self.build(o)) for k, o in body]
            v.clear()
            v.update(dict(new) if isinstance(v, dict) else new)
        elif type(v) is bytearray: v[:] = bytearray.fromhex(body)
        else:
            new = body if not {list, dict} & set(map(type, body)) else [self.build(o) for o in body]
            v.clear()
            v.extend(new)
        return v

def body_of(tree):
    "What stands inside of a container's tree"
    if type(tree) is list: return tree
    (tag, body), = tree.items()
    return tree if tag in ("q", "e") else body

def write(tree) -> bytes: return _write(tree).encode("utf-8", "surrogatepass")
def read(data: bytes): return json.loads(data.decode("utf-8", "surrogatepass"))

class Channel:
    "One end of a socket in a jailed process: whole frames out and in"
    def __init__(self, fd: int): # The descriptor
        self.fd = fd

    def send(self, body: bytes, write=os.write): # bound before any program runs, which may change the module
        "Send one frame"
        if len(body) > MAX_FRAME: raise NotPlain("more than one frame may hold")
        data = memoryview(LENGTH.pack(len(body)) + body)
        while data: data = data[write(self.fd, data):]

    def receive(self, read=os.read) -> bytes:
        "Wait for one frame; raises `EOFError` when the other end is closed"
        def take(n):
            pieces = []
            while n:
                piece = read(self.fd, min(n, 1 << 20))
                if not piece: raise EOFError("the channel was closed")
                pieces.append(piece)
                n -= len(piece)
            return b"".join(pieces)
        return take(*LENGTH.unpack(take(4)))

def brief(v: object) -> str:
    "A value in at most 120 characters"
    try: text = repr(v)
    except Exception: text = f"a {type(v).__name__} that cannot be shown"
    return text if len(text) <= 120 else text[:117] + "..."
