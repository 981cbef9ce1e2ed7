"""One suite against one program: who may speak, for how long, and what the letters come to"""
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from chained_adv.judge.host import Child, Ended, SandboxError, Wait
from .tester import LETTER

OUTCOMES = ("passed", "wrong_value", "exception", "skipped", "wrong_value") # by what the tests' process says
MAX_TESTS = 2_000 # of a suite
MAX_LETTERS = 15_000 # of a run: requests and what else a tests' process sends; each costs this process a little
MAX_LOSSES = 32 # programs of one run that end before they answer

@dataclass
class Run:
    "What a suite came to against one program"
    verdicts: dict[int, tuple[str, str]] = field(default_factory=dict) # test -> outcome, reason
    letters: dict[int, list[bytes]] = field(default_factory=dict) # test -> hashes of requests and answers, in turn
    shapes: list[bytes] = field(default_factory=list) # where the reference answered with objects, as its tests noted it
    changed: set[int] = field(default_factory=set) # tests whose arguments this program changed and the reference did not
    end: tuple[str, str] = ("", "") # why tests that have no verdict have none: outcome, reason
    spent: float = 0. # processor seconds
    answers: int = 0 # of the program
    left: int = MAX_LETTERS
    values: dict[int, bytes] = field(default_factory=dict) # what calls returned, where that is asked for
    printed: list = field(default_factory=lambda: ["", ""]) # as the tests' process tells it

@dataclass(frozen=True)
class Program:
    "What a program's process is given"
    code: str
    entry: str = ""
    signature: str = ""
    script: bool = False # does it read and print?

def digest(data: bytes) -> bytes: return blake2b(data, digest_size=12).digest()

def differ(a: list, b: list) -> int: # Even numbers are requests
    "Where two transcripts differ first"
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))

class Excused(Exception):
    "A process was killed from outside: do it again"

class Conversation:
    "The tests' process, the program's process, perhaps a liar between them, and whose turn it is"
    def __init__(self, box, suite, program: Program, run: Run, *, known: Run | None = None, mode: str = "",
                 only: list | None = None, leave: list = [], write_back: bool = True, strict: bool = False, give_up: bool = False,
                 budget: float | None = None, **more): # `rows`, `rules`, `in_place`, `answers`
        self.box, self.suite, self.program, self.run, self.known = box, suite, program, run, known
        self.mode, self.only, self.leave, self.write_back, self.strict = mode, only, leave, write_back, strict
        self.give_up, self.budget = give_up, box.budget if budget is None else budget
        self.test: int | None = None
        self.more, self.excuses = more, True
        self.used, self.losses = [0., 0.], 0 # seconds of tests and program in this test
        self.set_up: list[bytes] = [] # transcript of what was asked between tests
        self.steps = self.set_up # and with it that of this test
        self.child: Child | None = None
        self.liar: Child | None = None

    # Processes

    def answerer(self) -> Child:
        "The program's process; a fresh one where it has none"
        if self.child is None: self.child = self.box.fork(b"P", vars(self.program), self.program.code)
        return self.child

    def drop(self):
        "End the processes of the program's side"
        for child in (self.child, self.liar):
            if child: child.leave()
        self.child = self.liar = None

    # Turns

    def wait(self, child: Child, side: int) -> Iterator:
        "Wait for a frame of one side; what it takes is charged to it, in this test and in the suite"
        seconds = min(self.box.timeout - self.used[side], self.budget - self.run.spent)
        if seconds <= 0: return Ended("timeout", f"no end after {self.box.timeout:g} s" if self.run.spent < self.budget else self.box.too_late)
        wait = Wait(child, seconds)
        got = yield wait
        if isinstance(got, Ended) and got.excused and self.excuses: raise Excused(got.reason)
        self.used[side] += wait.used
        self.run.spent += wait.used
        return got

    def close(self, outcome: str, reason: str, by_test: bool):
        "A test has its verdict, unless it has one"
        number = self.test
        if number is None or number in self.run.verdicts or number >= MAX_TESTS: return
        want = self.known and self.known.letters.get(number)
        if want is not None and outcome != "passed": # is it the test's doing?
            place = differ(self.steps, want)
            if self.steps == want or by_test and place % 2 == 0: outcome, reason = self.known.verdicts[number]
        self.run.verdicts[number], self.run.letters[number] = (outcome, reason), self.steps
        self.steps = self.steps[:] # the test may go on

    def begin(self, number: int | None, lasts: bool = False):
        "A test begins, or has ended; what is asked between tests belongs to all that follow"
        if number is None: self.steps = self.steps if lasts else self.set_up
        else: self.set_up, self.steps = self.steps, self.steps[:]
        self.test, self.used = number, [0., 0.]

    def start(self, tester: Child):
        shapes = [o.decode("latin-1") for o in self.known.shapes] if self.known else [] if self.strict else None # not read here
        about = dict(entry=self.program.entry, shapes=shapes, strict=self.strict, write_back=self.write_back,
                     skip=sorted({*self.run.verdicts, *self.leave}), only=self.only, **self.more)
        tester.send(json.dumps(about).encode())
        if self.mode: self.liar = self.box.fork(b"L", dict(mode=self.mode), "")

    def carry(self, tester: Child) -> Iterator: # Gives "clean", "dirty" or "lost"
        "Carry letters until the tests end"
        run = self.run
        self.start(tester)
        while True:
            got = yield from self.wait(tester, 0)
            if isinstance(got, Ended):
                self.close(got.outcome, f"the test's process: {got.reason}", True)
                run.end = got.outcome, got.reason
                return "lost"
            letter, run.left = got[:1], run.left - 1
            if run.left < 0: got = letter = b""
            if letter == b"C":
                answer = yield from self.pass_on(got[1:])
                if answer is None: return "lost"
                tester.send(answer)
            elif letter in (b"B", b"V", b"E") and len(got) >= LETTER.size:
                _, number, code = LETTER.unpack(got[:LETTER.size])
                reason = got[LETTER.size:LETTER.size + 600].decode("utf-8", "replace")
                if letter == b"B" and self.test is None and number not in run.verdicts: self.begin(number)
                elif letter == b"V" and number == self.test:
                    self.close(OUTCOMES[min(code & 63, 4)], reason, True)
                    if code & 128: run.changed.add(number)
                    self.begin(None, bool(code & 64))
                elif letter == b"E":
                    run.end = "exception", reason or "the tests ended before this one"
                    return "clean" if code == 2 else "dirty"
            elif letter == b"A" and self.more.get("answers"): run.values[LETTER.unpack(got[:LETTER.size])[1]] = got[LETTER.size:]
            elif letter == b"S" and len(got) < 100_000 and len(run.shapes) < 500: run.shapes.append(got[1:])
            elif letter in (b"1", b"2") and len(got) < 100_000: run.printed[letter == b"2"] += got[1:].decode("utf-8", "replace")
            else:
                self.close("crash", "the test asks too much, or sent what is no letter", True)
                run.end = "crash", "the test asks too much, or sent what is no letter"
                return "lost"

    def pass_on(self, request: bytes) -> Iterator: # Gives the answer, or None to give up
        "Put one request to the program"
        self.steps.append(digest(request))
        child = self.answerer()
        if child.held: child.kill("crash", "answered before it was asked")
        child.send(request)
        got = yield from self.wait(child, 1)
        if isinstance(got, Ended):
            self.close(got.outcome, got.reason, False)
            self.drop()
            self.losses += 1
            if self.give_up and got.outcome == "timeout": 
                self.run.end = "timeout", "not run: an earlier call took too long"
                return None
            if self.losses > MAX_LOSSES or self.losses > 1 and not self.run.answers or self.run.spent >= self.budget:
                self.run.end = got.outcome, got.reason
                return None
            return b'["refused","the program has ended",null,[]]'
        self.run.answers += 1
        if self.liar:
            self.liar.send(request)
            self.liar.send(got)
            got = yield from self.wait(self.liar, 1)
            if isinstance(got, Ended): got = b'["refused","",null,[]]'
        else: self.steps.append(digest(got))
        return got
