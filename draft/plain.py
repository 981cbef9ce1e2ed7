"""Program and tests in one process, as people wrote them: under pytest, unittest or doctest. A program can forge what is said here"""
import builtins, importlib.abc, importlib.machinery, io, sys, types
from .program import Program
from .suites import Suite, WORDS
from .program import ready_names
from .tester import LETTER, MAX_REASON
from .wire import Channel, read

class Together(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    "What a suite is run with, where nothing stands between it and the program"
    def __init__(self, channel: Channel, about: dict):
        self.channel, self.program = channel, Program(channel, about["code"], about["entry"], about["signature"], about["script"])
        if self.program.error is not None: raise self.program.error

    def begin(self, number: int): self.channel.send(LETTER.pack(b"B", number, 0))
    def report(self, number: int, outcome: int, reason: str, lasts: bool = False):
        "A test has ended"
        self.channel.send(LETTER.pack(b"V", number, outcome) + reason.encode("utf-8", "replace")[:MAX_REASON])

    def ask(self, verb, target, name, args, kwargs={}):
        "Call the program"
        if verb == "script": return self.program.run_script(*args)
        return self.program.call(self.program.find(target), args, kwargs, target)

    def names(self) -> dict:
        "The names that tests find: ours, and the program's"
        own = {n: o for n, o in self.program.names.items() if n[:2] != "__"}
        found = ready_names() | WORDS | own | {"__name__": "tests", "__builtins__": builtins}
        if self.program.entry and self.program.entry not in own: found[self.program.entry] = self.program.find(self.program.entry)
        return {"candidate": found.get(self.program.entry)} | found

    def find_spec(self, name, path=None, target=None):
        if "." in name or name[:1] == "_" or name in sys.stdlib_module_names: return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec): return sys.modules["solution"]
    def exec_module(self, module): pass

def play(channel: Channel):
    "One suite against one program"
    suite, about = read(channel.receive()), read(channel.receive())
    count, code, why = 0, 0, ""
    try:
        sys.stdout = sys.stderr = io.StringIO()
        together = Together(channel, about["program"])
        sys.meta_path.append(together)
        count, code = Suite(suite).run(together, together.names, about), 1
    except BaseException as e: why = f"{type(e).__name__}: {e}"
    channel.send(LETTER.pack(b"E", count, code) + why.encode("utf-8", "replace")[:MAX_REASON])
    channel.receive()
