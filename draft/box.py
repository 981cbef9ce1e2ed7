"""Draft of the sandbox: forks, validates, judges"""
import json, math, os, re, socket, sys
from chained_adv.judge import host
from chained_adv.judge.host import Loop, Zygote as _Zygote, list_for, LISTS, Ended, _folder_of
from chained_adv.jail import PACKAGE, best_isolation, child_python, filter_for
from .verdicts import Conversation, Program, Run
from .liar import MODES
host.MAX_ANSWER = 17_000_000
PYTEST = " pytest _pytest.unittest _pytest.python_api unittest.async_case unittest._log unittest.mock"

class Zygote(_Zygote):
    def __init__(self, role, level, names="base", memory=512 << 20, seconds=60, more=False):
        self.children, self.number, self.alive = {}, 0, True
        paths = (PACKAGE, *_folder_of("numpy" if names == "numpy" else ""), *(_folder_of("pytest") if more else ()))
        given = (role, level, LISTS[names] + PYTEST * more, paths, memory, seconds, filter_for(level))
        command = child_python(f"from draft.zygote import main; main(*{given!r})", paths)
        self.control, theirs = socket.socketpair()
        self.start([*command, str(theirs.fileno())], theirs)

class Box:
    def __init__(self, timeout=2., memory_mb=512, workers=1, budget=None, isolation=None):
        self.timeout, self.memory, self.count, self.budget = timeout, memory_mb << 20, workers, budget or 10 * timeout
        self.level, self.zygotes, self.idle, self.known = isolation or best_isolation(), {}, {}, {}
        self.too_late = f"not reached: the suite's {self.budget:g} s are used up"

    def fork(self, role, arguments, text, more=False):
        names = list_for(text)
        if more and names == "base": names = "wide"
        key = role, names, more
        z = self.zygotes.get(key)
        if z is None or not z.alive:
            z = self.zygotes[key] = Zygote(role, self.level, names, self.memory, math.ceil(2 * self.budget + 4 * self.timeout) + 10, more)
        return z.fork(arguments)

    def tester(self, suite):
        key = json.dumps(suite, sort_keys=True)
        while idle := self.idle.get(key):
            child = idle.pop()
            if child.status is None and child.cpu() < self.timeout + 2: return child
            child.leave()
        text = suite.get("text") or ""
        return self.fork(b"T", suite, text, bool(re.search(r"\b(pytest|unittest|TestCase)\b|class Test|(setup|teardown|setUp|tearDown)_?\w*\(|def test\w*\(\s*\w", text)))

    def run(self, suite, program, **how):
        "Generator: one suite against one program"
        run = Run()
        for _ in range(32):
            tester = self.tester(suite)
            talk = Conversation(self, suite, program, run, **how)
            end = "lost"
            try: end = yield from talk.carry(tester)
            finally:
                talk.drop()
                if end == "clean":
                    tester.mark = 0.
                    self.idle.setdefault(json.dumps(suite, sort_keys=True), []).append(tester)
                else: tester.leave()
            if end != "lost" or run.spent >= self.budget or (how.get("give_up") and run.end[0] == "timeout"): break
        return run

    def validate(self, suite, reference):
        first = yield from self.run(suite, reference)
        again = yield from self.run(suite, reference, known=first)
        good = {}
        for n, (outcome, reason) in first.verdicts.items():
            if outcome == "passed" and again.verdicts.get(n, ("", ""))[0] != "passed": outcome, reason = again.verdicts.get(n, again.end)
            elif outcome == "passed" and first.letters[n] != again.letters.get(n): outcome, reason = "wrong_value", "not the same in two runs"
            good[n] = outcome, reason
        left, weak = {n for n, v in good.items() if v[0] == "passed"}, set()
        for mode in MODES:
            if not left: break
            run = yield from self.run(suite, reference, known=first, mode=mode, only=sorted(left))
            passed = {n for n in left if run.verdicts.get(n, ("", ""))[0] == "passed"}
            if mode == "near": weak = passed
            left = passed
        for n in left: good[n] = "wrong_value", "cannot fail: it passes with wrong answers, too"
        for n in weak - left: good[n] = "passed", "weak: it passes with answers near the right one, too"
        return first, good

    def drive(self, tasks):
        out = {}
        def task(i, t): out[i] = yield from t
        Loop().drive((task(i, t) for i, t in enumerate(tasks)), self.count + 1, lambda: [z for z in self.zygotes.values() if z.alive])
        return [out[i] for i in sorted(out)]

    def judge(self, suite, programs, reference=None):
        "Verdicts of several programs"
        if reference is None: return [r.verdicts for r in self.drive([self.run(suite, p, strict=True) for p in programs])]
        (first, good), = self.drive([self.validate(suite, reference)])
        runs = self.drive([self.candidate(suite, p, first) for p in programs])
        return good, [r.verdicts for r in runs]

    def candidate(self, suite, program, first):
        run = yield from self.run(suite, program, known=first)
        again = sorted(n for n in run.changed if run.verdicts.get(n, ("",))[0] == "passed")
        if again: # what the program did to its arguments may be why
            other = yield from self.run(suite, program, known=first, only=again, write_back=False)
            run.verdicts |= {n: v for n, v in other.verdicts.items() if n in again}
        return run

    def close(self):
        for z in self.zygotes.values(): z.close()
