"""The jailed process that reads test texts and vouches for values; it runs only our own code"""
import ast, re
import unicodedata # noqa: F401 - Python's parser needs it for names like ª, and imports nothing in a jail
from .reading import read_tests
from .wire import Builder, Channel, Packer, read, write

def read_text(text: str, entry: str, signature: str | None, calls: bool = False) -> dict:
    "Read tests from a text; their values as trees"
    found = read_tests(text, entry, signature, calls)
    for item in found["items"]:
        if calls and item["kind"] == "code":
            item |= dict(kind="rejected", why="not one call", reason="it is not a single call with plain values")
        if "args" in item:
            if calls: item |= dict(kind="io" if item["kind"] == "io" else "equal", expected="" if item["kind"] == "io" else None)
            pack = Packer().pack
            item |= dict(args=pack(list(item["args"])), kwargs=pack(dict(item["kwargs"])), expected=pack(item["expected"]))
    return found

def guess_entry(code: str, text: str) -> str: # Empty where there is none, or more than one
    "The function of a program that its tests call"
    body = ast.parse(code).body
    cls = next((n for n in body if isinstance(n, ast.ClassDef) and n.name == "Solution"), None)
    names = lambda nodes: [n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.name[:1] != "_"]
    methods, functions = names(cls.body) if cls else [], names(body)
    called = [n for n in dict.fromkeys(methods + functions) if re.search(rf"\b{n}\s*\(", text)]
    return next((group[0] for group in (called, methods, functions) if len(group) == 1), "")

READERS = {"read": read_text, "guess": guess_entry}

def play(channel: Channel):
    "Answer questions until the channel closes: what is asked, and the arguments"
    while True:
        what, *args = read(channel.receive())
        try: answer = [True, READERS[what](*args)]
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, ArithmeticError, SyntaxError, MemoryError) as e: answer = [False, type(e).__name__]
        channel.send(write(answer))
