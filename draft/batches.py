"""Many programs against many tests: what is known is looked up, what is alike is run once"""
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from chained_adv.core import DATA_KINDS, ExecutionResult, TestCase, Verdict
from chained_adv.judge.host import SandboxError
from .liar import MODES
from .verdicts import Conversation, Program, Run, digest
from .wire import NotPlain, Packer, write

@dataclass(frozen=True)
class Job:
    "One program and the tests to run against it"
    code: str # Python source; fences are taken off
    tests: Any # Text in any format, a `ParsedTests`, or a list of `TestCase`s
    entry_point: str | None = None # Name to call; None means find it
    signature: str | None = None # `def` line: how tests give arguments, and which are linked lists or trees
    reference: str | tuple[str, ...] | None = None # A right solution, or several that must agree
    runs: int = 1 # 2 validates: each test runs twice and must be able to fail
    setup: str = "" # Code that runs before the program and before tests that are code
    rules: tuple = () # How answers are compared: `("float", 1e-6)`, `("unordered", True)`, `("checker", source)`

class Known:
    "Verdicts and records; the least recently used go first"
    def __init__(self, entries: int, size: int = 8_000_000): # How many, and how many bytes, at most
        self.entries, self.size, self.held, self.data = entries, size, 0, OrderedDict()

    def get(self, key: object) -> Any:
        "What is known; None when it is not"
        if key not in self.data: return None
        self.data.move_to_end(key)
        return self.data[key][0]

    def put(self, key: object, value: object, cost: int): # Bytes
        "Keep what is known now"
        if not self.entries: return
        if key in self.data: self.held -= self.data.pop(key)[1]
        self.data[key] = value, cost
        self.held += cost
        while len(self.data) > self.entries or self.held > self.size: self.held -= self.data.popitem(last=False)[1][1]

@dataclass
class Plan:
    "A job on its way to a result"
    job: Job
    program: Program
    tests: list # `TestCase`s and `Rejected`s in order
    rows: dict[int, tuple] = field(default_factory=dict) # place in `tests` -> row
    texts: dict[str, dict[str, int]] = field(default_factory=dict) # text of tests -> name of a test in it -> place
    verdicts: dict[int, Verdict] = field(default_factory=dict) # by place
    printed: list = field(default_factory=lambda: ["", ""])

ROW_KINDS = DATA_KINDS

def row_of(test: TestCase) -> tuple: # What the tests' process is given; raises `NotPlain`
    "A test of plain data as a row"
    pack = Packer().pack
    return test.kind, pack(list(test.args)), pack(dict(test.kwargs)), pack(test.expected)

def plan_job(job: Job, read: Callable, unfence: Callable, guess: Callable) -> Plan:
    "Read a job's tests"
    code, signature = unfence(job.code), job.signature or ""
    tests = list(read(job.tests, job.entry_point, signature))
    entry = job.entry_point or guess(code, signature, "\n".join(t.text for t in tests))
    script = not entry or all(getattr(t, "kind", "") == "io" for t in tests)
    plan = Plan(replace(job, code=code), Program(job.setup + code, entry, signature, script), tests)
    for n, t in enumerate(tests):
        if not isinstance(t, TestCase): plan.verdicts[n] = Verdict(False, "rejected", t.reason, text=t.text)
        elif t.kind == "code": plan.texts.setdefault(t.source, {})[t.name] = n
        elif not entry and t.kind != "io": plan.verdicts[n] = Verdict(False, "exception", "the code defines no function, or several; say which with entry_point", t)
        else:
            try: plan.rows[n] = row_of(t)
            except (NotPlain, RecursionError) as e: plan.verdicts[n] = Verdict(False, "rejected", f"the test holds {e or 'a value nested too deep'}", t, t.text)
    return plan

@dataclass
class Validated:
    "What a text of tests came to with the reference"
    run: Run # its first run: shapes, transcripts
    verdicts: dict[int, tuple[str, str]] # number -> outcome, reason; after two runs and, if it was lied to, those
    numbers: dict[str, int] # name -> number
    lied_to: bool = False

class Batch:
    "Jobs that run together"
    def __init__(self, box, plans: list[Plan], progress: Callable | None = None):
        self.box, self.plans, self.progress, self.done = box, plans, progress, 0
        self.same: dict[tuple, list[Plan]] = OrderedDict()
        for p in plans: self.same.setdefault(self.key(p), []).append(p)

    def key(self, p: Plan) -> tuple:
        "What a job's verdicts depend on"
        return p.program, p.job.reference, p.job.runs, p.job.setup, p.job.rules, tuple(getattr(t, "key", id(t)) for t in p.tests)

    # Texts of tests with a reference

    def references(self) -> Iterator:
        "A task for each text of tests and its reference, unless it is known"
        wanted: dict[tuple, tuple] = OrderedDict()
        for p in self.plans:
            source = p.job.code if p.job.runs > 1 else p.job.reference
            if source is None: continue
            for text, names in p.texts.items():
                key = self.text_key(p, text, source)
                own, lies = wanted.get(key, (set(), False))
                wanted[key] = own | set(names), lies or p.job.runs > 1
        for key, (names, lies) in wanted.items():
            known = self.box.known.get(key)
            if known and names <= known.numbers.keys() and known.lied_to >= lies: continue
            yield self.validate(key, sorted(names | (known.numbers.keys() if known else set())), lies)

    def text_key(self, p: Plan, text: str, source: str) -> tuple: return text, source, p.program.entry, p.program.signature, p.job.setup

    def validate(self, key: tuple, names: list[str], lies: bool) -> Iterator:
        "Run the reference twice, and behind lies: a valid test passes both times, alike, and fails with some wrong answer"
        text, source, entry, signature, setup = key
        suite = dict(text=text, entry=entry, setup=setup, wanted={n: i for i, n in enumerate(names)})
        program = Program(setup + source, entry, signature)
        first = yield from self.box.run(suite, program)
        good = {i: first.verdicts.get(i, first.end) for i in range(len(names))}
        leave = [i for i, v in good.items() if v[0] != "passed"] # these are not run again
        again = (yield from self.box.run(suite, program, known=first, leave=leave)) if len(leave) < len(good) else first
        for i, (outcome, reason) in good.items():
            other = again.verdicts.get(i, again.end)
            if outcome == "passed" and other[0] != "passed": outcome, reason = "wrong_value", f"not the same in two runs: {other[1]}"
            elif outcome == "passed" and first.letters[i] != again.letters[i]: outcome, reason = "wrong_value", "not the same in two runs"
            good[i] = outcome, reason
        if lies: yield from self.lie(suite, program, first, good)
        found = Validated(first, good, suite["wanted"], lies)
        self.box.known.put(key, found, 1000 + len(text) + 30 * sum(map(len, first.letters.values())))
        self.validated[key] = found

    def lie(self, suite: dict, program: Program, first: Run, good: dict) -> Iterator:
        "What no wrong answer makes fail is no test"
        left, budget, weak = {i for i, v in good.items() if v[0] == "passed"}, self.box.budget / 2, set()
        for mode in MODES:
            if not left or budget <= 0: break
            leave = [i for i, v in good.items() if v[0] != "passed"]
            run = yield from self.box.run(suite, program, known=first, mode=mode, only=sorted(left), leave=leave, budget=budget)
            budget -= run.spent
            left = {i for i in left if run.verdicts.get(i, ("", ""))[0] == "passed"}
            if mode == "near": weak = left
        for i in weak: good[i] = "passed", "weak: it passes with answers near the right one, too"
        for i in left: good[i] = "wrong_value", "cannot fail: it passes with wrong answers, too"

    # Programs

    validated: dict = {}

    def tasks(self) -> Iterator:
        "A task for each program"
        for plans in self.same.values(): yield self.judge(plans)

    def judge(self, plans: list[Plan]) -> Iterator:
        "One program against its tests"
        p, give_up = plans[0], False
        if p.rows: give_up = yield from self.judge_rows(p)
        for text, names in p.texts.items():
            if give_up: self.note_all(p, names, ("timeout", "not run: an earlier call took too long"))
            else: give_up = yield from self.judge_text(p, text, names)
        for other in plans[1:]: other.verdicts, other.printed = p.verdicts, p.printed
        self.done += len(plans)
        if self.progress: self.progress(self.done, len(self.plans))

    def note(self, p: Plan, place: int, verdict: tuple[str, str]):
        p.verdicts[place] = Verdict(verdict[0] == "passed", verdict[0], verdict[1], p.tests[place])

    def note_all(self, p: Plan, names: dict, verdict: tuple[str, str]):
        for place in names.values(): self.note(p, place, verdict)

    def judge_rows(self, p: Plan) -> Iterator: # Gives True if the program is given up
        "The tests that are plain data"
        about = p.program, p.job.rules, p.job.runs
        left = {}
        for place in p.rows:
            if known := self.box.known.get((about, p.tests[place].key)): self.note(p, place, known)
            else: left[place] = p.rows[place]
        if not left: return False
        places, in_place = list(left), bool(re.search(r"->\s*None\s*:?\s*$", p.program.signature))
        suite = dict(rows=True, entry=p.program.entry)
        how = dict(rows=list(left.values()), in_place=in_place, rules=dict(p.job.rules), strict=True, give_up=self.box.give_up)
        run = yield from self.box.run(suite, p.program, **how)
        again = (yield from self.box.run(suite, p.program, **how)) if p.job.runs > 1 else run
        for i, place in enumerate(places):
            verdict = run.verdicts.get(i, run.end)
            if verdict[0] == "passed" and again.letters.get(i) != run.letters[i]: verdict = "wrong_value", "not the same in two runs"
            self.note(p, place, verdict)
            self.box.known.put((about, p.tests[place].key), verdict, 300 + len(verdict[1]))
        self.keep_printed(p, run)
        return self.box.give_up and run.end[0] == "timeout"

    def judge_text(self, p: Plan, text: str, names: dict) -> Iterator: # Gives True if the program is given up
        "The tests of one text"
        source = p.job.code if p.job.runs > 1 else p.job.reference
        if source is None:
            suite = dict(text=text, entry=p.program.entry, setup=p.job.setup, wanted={n: i for i, n in enumerate(sorted(names))})
            run, numbers = (yield from self.box.run(suite, p.program, strict=True, give_up=self.box.give_up)), suite["wanted"]
        else:
            found = self.validated.get(self.text_key(p, text, source)) or self.box.known.get(self.text_key(p, text, source))
            numbers = found.numbers
            if p.job.runs > 1:
                for name, place in names.items(): self.note(p, place, found.verdicts[numbers[name]])
                return False
            suite = dict(text=text, entry=p.program.entry, setup=p.job.setup, wanted=numbers)
            bad = [i for i, v in found.verdicts.items() if v[0] != "passed"] # nobody is judged by these
            run = yield from self.box.candidate(suite, p.program, found.run, sorted(numbers[n] for n in names), bad)
            run.verdicts |= {i: found.verdicts[i] for i in bad}
        for name, place in names.items(): self.note(p, place, run.verdicts.get(numbers[name], run.end))
        self.keep_printed(p, run)
        return self.box.give_up and run.end[0] == "timeout"

    def keep_printed(self, p: Plan, run: Run):
        "Keep what the program printed, as the tests' process tells it"
        for i, text in enumerate(run.printed): p.printed[i] = (p.printed[i] + text)[:self.box.limit]

    def result(self, p: Plan) -> ExecutionResult:
        "The result of a job whose verdicts are all there"
        verdicts = tuple(p.verdicts[n] for n in range(len(p.tests)))
        reasons = tuple(dict.fromkeys(v.reason for v in verdicts if not v.passed))
        return ExecutionResult(verdicts, *p.printed, any(v.outcome == "timeout" for v in verdicts), reasons)
