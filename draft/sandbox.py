"""Draft of the sandbox on the new judge"""
import atexit, json, math, os, re, threading, copy
from collections import OrderedDict
from chained_adv.core import TestCase
from chained_adv.judge.host import Loop, SandboxError, list_for, TRIES
from chained_adv.jail import best_isolation
from chained_adv.testcases import ParsedTests, Rejected, unfence
from .batches import Batch, Job, Known, plan_job
from .box import Zygote
from .reading import read_tests
from .verdicts import Conversation, Excused, Run

MAX_IDLE = 64 # processes of tests that wait for the next program

def parse(text, entry, signature):
    "ParsedTests of the new reading"
    found = read_tests(text, entry, signature)
    items = []
    for o in found["items"]:
        if o["kind"] == "rejected": items.append(Rejected(o["text"], o["reason"], o["why"], o["span"]))
        elif o["kind"] == "code":
            t = TestCase((), kind="code", text=o["text"], source=found["source"], span=o["span"])
            vars(t)["name"] = o["name"]
            vars(t)["_key"] = repr((found["source"], o["name"]))
            items.append(t)
        else: items.append(TestCase(o["args"], o["expected"], o["kwargs"], o["kind"], o["text"], span=o["span"]))
    return ParsedTests(items, found["notes"], found["format"])

def each_test(tests, name, signature):
    if isinstance(tests, str): yield from parse(tests, name, signature or None).items
    for t in () if isinstance(tests, str) else getattr(tests, "items", tests):
        if isinstance(t, str): yield from parse(t, name, signature or None).items
        elif isinstance(t, (TestCase, Rejected)): yield t
        else: raise SandboxError(f"{str(t)[:80]} is not a test; pass text, TestCase objects, or baseline_cases(problem)")

class Sandbox:
    def __init__(self, timeout=2., memory_mb=512, workers=1, budget=None, output_limit=65_536, cache_size=50_000, isolation=None, give_up=False):
        self.timeout, self.memory, self.limit, self.count = timeout, memory_mb << 20, output_limit, workers
        self.budget, self.isolation, self.give_up = 10 * timeout if budget is None else budget, isolation, give_up
        self.known, self.lock, self.closed = Known(cache_size), threading.RLock(), False
        self.zygotes, self.idle, self.owner = {}, OrderedDict(), os.getpid()
        self.level = isolation or best_isolation()
        self.too_late = f"not reached: the suite's {self.budget:g} s are used up"
        atexit.register(self.close)

    def __enter__(self): return self
    def __exit__(self, *_): self.close()
    def close(self):
        for z in self.zygotes.values(): z.close()
        self.zygotes, self.idle, self.closed = {}, OrderedDict(), True

    def fork(self, role, arguments, text, more=False):
        names = list_for(text)
        if more and names == "base": names = "wide"
        key = role, names, more
        z = self.zygotes.get(key)
        if z is None or not z.alive:
            if z: z.close(0)
            z = self.zygotes[key] = Zygote(role, self.level, names, self.memory, math.ceil(2 * self.budget + 4 * self.timeout) + 10, more)
        return z.fork(arguments)

    def tester(self, key, suite):
        while idle := self.idle.get(key):
            child = idle.pop()
            if not idle: del self.idle[key]
            if child.status is None and child.cpu() < self.timeout + 2: return child
            child.leave()
        text = suite.get("text") or ""
        return self.fork(b"T", suite, text, bool(re.search(r"\b(pytest|unittest|TestCase|approx|raises)\b|class Test|(setup|teardown|setUp|tearDown)_?\w*\(|def test\w*\(\s*\w", text)))

    def keep(self, key, child):
        child.mark = 0.
        self.idle.setdefault(key, []).append(child)
        while len(self.idle) > MAX_IDLE:
            for old in self.idle.popitem(last=False)[1]: old.leave()

    def run(self, suite, program, **how):
        "Generator: one suite against one program; gives a `Run`"
        key, run, excused = json.dumps(suite), Run(), 0
        for _ in range(32):
            tester = self.tester(key, suite)
            talk, end, before = Conversation(self, suite, program, run, **how), "lost", copy.copy(run)
            talk.excuses = excused < TRIES
            before.verdicts, before.letters = dict(run.verdicts), dict(run.letters)
            try: end = yield from talk.carry(tester)
            except Excused as e:
                excused, run = excused + 1, before
                if excused == TRIES and "refused to fork" in str(e):
                    raise SandboxError(f"the sandbox cannot set up a process ({e}); check memory and process limits of this machine or container") from None
                continue
            finally:
                talk.drop()
                if end == "clean": self.keep(key, tester)
                else: tester.leave()
            if end != "lost" or run.spent >= self.budget or how.get("give_up") and run.end[0] == "timeout": break
        return run

    def candidate(self, suite, program, first, only, leave=()):
        "Generator: a program beside what the reference did"
        run = yield from self.run(suite, program, known=first, only=only, leave=leave, give_up=self.give_up)
        again = sorted(n for n in run.changed if run.verdicts.get(n, ("",))[0] == "passed")
        if again: # what the program did to its arguments may be why
            other = yield from self.run(suite, program, known=first, only=again, leave=leave, write_back=False)
            run.verdicts |= {n: v for n, v in other.verdicts.items() if n in again}
        return run

    def drive(self, tasks):
        if self.closed: raise SandboxError("this Sandbox is closed; make a new one")
        Loop().drive(iter(tasks), self.count + 1, lambda: [z for z in self.zygotes.values() if z.alive])

    def run_many(self, jobs, progress=None):
        with self.lock:
            guess = lambda code, signature, text: (re.search(r"def (\w+)", signature or code) or [0, ""])[1]
            batch = Batch(self, [plan_job(j, each_test, unfence, guess) for j in jobs], progress)
            batch.validated = {}
            self.drive(batch.references())
            self.drive(batch.tasks())
            return [batch.result(p) for p in batch.plans]
