"""Thousands of executions while processes are killed at random: no verdict may change, nothing may leak.

    python benchmarks/soak.py [--executions 20000] [--workers 2] [--isolation LEVEL] [--seed 0]

Programs that are right, wrong, loop, run out of memory, or leave; tests that are data, and tests that are code,
with a reference, without one, or being validated. Meanwhile living processes below this one are killed: half of the
time one that forks others, else one of a program, of tests or of the reader. After three kills there is peace until
100 more programs are judged: the judge runs a suite anew six times, because it cannot tell a kill from outside from a
program that kills itself. This process adopts what a killed
one leaves, so what outlives it is seen. Prints descriptors, memory and processes along the way. Exit status 1
when a verdict was wrong, something grew, a process was left, or there were fewer kills than one in 200
executions (100 at the default).
"""

import argparse, gc, os, random, signal, sys, threading, time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from chained_adv.jail import best_isolation, prctl
from chained_adv.judge.host import reader
from chained_adv.sandbox import Job, Sandbox

# ---- programs, tests and what must come of them ----

CODE = """def test_a():
    got = [f(a) for a in range(4)]
    assert got == [a * {k} + 1 for a in range(4)]
assert sorted([f(9), f(8)]) == [8 * {k} + 1, 9 * {k} + 1]
assert [f(7)] == [-1]"""
BAD = {
    7: ("    if x == 2: return 1 // 0\n", "exception"),
    16: ("    if x == 2: __import__('os')._exit(0)\n", "crash"),
    25: ("    if x == 2: return 'a' * 10**11\n", "memory"),
}
LOOP = "    while x == 2: pass\n", "timeout"


def job(i):
    "The i-th program and the outcomes it must get; one in nine ends badly, four in ten meet code as tests"
    k = i % 300
    line, outcome = LOOP if i % 201 == 200 else BAD.get(i % 27, ("", "passed"))
    program = f"def f(x):\n{line}    return x * {k} + 1 # {i}\n"
    if i % 2 or i % 10 == 4:
        one = 1 if i % 2 else 1.0  # each text with floats is new to the reader
        tests = "\n".join(f"({a}, {a * k + one})" for a in range(5)) + "\n(7, -1)"
        if i % 2 == 0:
            tests += f" # {i}"
        want = ["passed", "passed", outcome, "passed", "passed", "wrong_value"]
        return Job(program.replace("+ 1", f"+ {one}"), tests, "f"), want
    job = Job(program, CODE.format(k=k), "f", "def f(x):")
    if i % 10 in (0, 2):
        job = replace(job, reference=f"def f(x): return 1 + {k} * x")
    if i % 10 == 8 and not line:
        job = replace(job, runs=2)  # validated
    return job, [outcome, "passed", "wrong_value"]


# ---- processes ----


def own_children(pid):
    "Process ids one below a process"
    try:
        return [int(o) for o in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def children(pid):
    "Process ids below a process"
    return [o for c in own_children(pid) for o in (c, *children(c))]


def about(pid):
    "State and time of the start, which tells it from a later one of the same number"
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "X", None
    return told[0], told[19]


def living(pid):
    return about(pid)[0] not in "ZX"  # Z: ended, but not yet waited for


def forkers(box):
    "What forks: the zygotes of a sandbox and the reader's; each is two processes at level full"
    zygotes = [(z, box.level) for z in list(box.zygotes.values())] + [(reader.zygote, best_isolation())]
    first = [(z.process.pid, level) for z, level in zygotes if z and z.process]
    return [o for pid, level in first for o in (pid, *(own_children(pid)[:1] if level == "full" else ()))]


class Killer(threading.Thread):
    "Kills three processes of a sandbox or of the reader, rests for 100 programs, and so on"

    def __init__(self, box, seed):
        super().__init__()
        self.box, self.rng, self.stop = box, random.Random(seed), threading.Event()
        self.kills, self.forkers = Counter(), set()  # what was killed; zygotes to be waited for
        self.done, self.peace = 0, 0  # programs judged; until when there is peace

    def run(self):
        while not self.stop.wait(self.rng.uniform(0.1, 0.5)):
            if self.done < self.peace:
                continue
            above = [p for p in forkers(self.box) if living(p)]
            below = [c for p in above for c in own_children(p) if c not in above]
            found = above if self.rng.random() < 0.5 or not below else below
            pid = self.rng.choice(found) if found else 0
            if not living(pid):
                continue  # it has just ended, or there is none
            self.forkers |= {(p, about(p)[1]) for p in above if p in own_children(os.getpid())}
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.kills["forkers" if pid in above else "programs, tests, readers"] += 1
            if self.kills.total() % 3 == 0:
                self.peace = self.done + 100

    def count(self, done, of):
        self.done += 1


def reap(killer):
    "Wait for what this process has adopted; a zygote that nobody waited for is left, and counts"
    for pid in own_children(os.getpid()):
        state, begun = about(pid)
        if state == "Z" and (pid, begun) not in killer.forkers and pid not in forkers(killer.box):
            os.waitpid(pid, os.WNOHANG)


def usage(killer, patience=3.0):
    "Descriptors, resident KiB of this process, processes without a use (some may be about to end)"
    gc.collect()
    until = time.monotonic() + patience
    while True:
        reap(killer)
        used = {*forkers(killer.box), *(children(reader.zygote.process.pid) if reader.zygote else ())}
        stray = set(children(os.getpid())) - used
        if not stray or time.monotonic() > until:
            break
        time.sleep(0.05)
    status = Path("/proc/self/status").read_text()
    memory = int(next(o for o in status.splitlines() if o.startswith("VmRSS")).split()[1])
    return len(os.listdir("/proc/self/fd")), memory, len(stray)


# ---- the run ----


def soak(executions, workers=2, isolation=None, seed=0, batch=500, say=lambda line: None):
    "Run it; (wrong verdicts, usage after the first batch, usage at the end, kills)"
    wrong, first, started = [], None, time.perf_counter()
    prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: adopt what a killed process leaves
    with Sandbox(timeout=0.4, workers=workers, isolation=isolation, cache_size=0) as box:
        killer = Killer(box, seed)
        killer.start()
        try:
            for start in range(0, executions, batch):
                jobs = [job(i) for i in range(start, min(start + batch, executions))]
                results = box.run_many([j for j, _ in jobs], killer.count)
                for n, ((_, want), r) in enumerate(zip(jobs, results)):
                    got = [v.outcome for v in r.verdicts]
                    if got != want:
                        wrong.append((start + n, want, got, r.errors))
                del jobs, results
                now = usage(killer)
                first = first or now
                say(
                    f"{min(start + batch, executions):>6} executions, {time.perf_counter() - started:.0f} s, "
                    f"kills {dict(killer.kills)}, {len(wrong)} wrong; "
                    f"descriptors {now[0]}, memory {now[1]} KiB, stray processes {now[2]}"
                )
        finally:
            killer.stop.set()
            killer.join()
        box.run_many([job(1)[0], job(2)[0]])
        last = usage(killer)
    reap(killer)
    prctl(36, 0)
    return wrong, first, last, killer.kills.total()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--executions", type=int, default=20_000)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--isolation", default=None, help="isolation level; the best when left out")
    p.add_argument("--seed", type=int, default=0)
    a = p.parse_args()
    start = time.perf_counter()
    say = lambda line: print(line, flush=True)
    wrong, first, last, kills = soak(a.executions, a.workers, a.isolation, a.seed, say=say)
    grown = last[0] > first[0] + 3 or last[1] > first[1] * 1.2 + 10_000 or last[2] > first[2]
    for o in wrong[:20]:
        print("wrong:", *o)
    seconds = time.perf_counter() - start
    print(
        f"{a.executions} executions in {seconds:.0f} s, {kills} kills, {len(wrong)} wrong; "
        f"first {first}, last {last}{'; something grew' * grown}"
    )
    if reader.zygote:
        reader.zygote.close(0)  # it lives as long as this process
    left = children(os.getpid())
    if left:
        print("processes left:", left)
    sys.exit(1 if wrong or grown or left or kills < a.executions // 200 else 0)


if __name__ == "__main__":
    main()
