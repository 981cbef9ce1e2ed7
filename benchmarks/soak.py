"""Thousands of executions while zygotes and children are killed at random: every verdict must be right, and nothing may leak.

    python benchmarks/soak.py [--executions 20000] [--workers 2] [--isolation LEVEL] [--seed 0]

Prints descriptors, memory and processes along the way. Exit status 1 when a verdict was wrong, something grew, or fewer
than one in 200 executions saw a kill (100 kills at the default).
"""
import argparse, gc, os, random, signal, sys, threading, time
from pathlib import Path
from chained_adv.judge.host import reader
from chained_adv.sandbox import Job, Sandbox

AS_CODE = "def test_a():\n    got = [f(a) for a in range(4)]\n    assert got == [a * {k} + 1 for a in range(4)]\nassert sorted([f(9), f(8)]) == [8 * {k} + 1, 9 * {k} + 1]\nassert [f(7)] == [-1]"

def job(i):
    "The i-th program and the outcomes it must get; one in eight ends badly, a third has tests that are code. The tests repeat, so that caches are full early"
    k = i % 300
    tests = "\n".join(f"({a}, {a * k + 1})" for a in range(5)) + "\n(7, -1)"
    kinds = {7: ("    if x == 2: return 1 // 0\n", "exception"), 15: ("    if x == 2: __import__('os')._exit(0)\n", "crash"), 23: ("    if x == 2: return 'a' * 10**11\n", "memory")}
    line, outcome = kinds.get(i % 24, ("", "passed"))
    if i % 200 == 199: line, outcome = "    while x == 2: pass\n", "timeout"
    code = f"def f(x):\n{line}    return x * {k} + 1 # {i}\n"
    if i % 3: return Job(code, tests, "f"), ["passed", "passed", outcome, "passed", "passed", "wrong_value"]
    reference = f"def f(x): return 1 + {k} * x" if i % 6 else None # recorded, or run live
    return Job(code, AS_CODE.format(k=k), "f", "def f(x):", reference), [outcome, "passed", "wrong_value"]

def children(pid):
    "Process ids below a process"
    try: own = [int(o) for o in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError: return []
    return own + [o for c in own for o in children(c)]

def family(box):
    "Zygotes of a sandbox and the reader's, and what they have forked"
    zygotes = [z for z in [*list(box.zygotes.values()), reader.zygote] if z and z.process]
    return [p for z in zygotes for p in [z.process.pid, *children(z.process.pid)]]

def kill_at_random(box, stop, rng, kills):
    "Kill a zygote, or something below one, a few times each second"
    while not stop.wait(rng.uniform(.1, .5)):
        found = family(box)
        try: found and os.kill(rng.choice(found), signal.SIGKILL); kills[0] += bool(found)
        except ProcessLookupError: pass # it has just ended

def usage():
    "Descriptors, resident KiB of this process, processes below it"
    gc.collect()
    memory = int(next(o for o in Path("/proc/self/status").read_text().splitlines() if o.startswith("VmRSS")).split()[1])
    return len(os.listdir("/proc/self/fd")), memory, len(children(os.getpid()))

def soak(executions, workers=2, isolation=None, seed=0, batch=500, say=lambda line: None):
    "Run it; (wrong verdicts, usage after the first batch, usage at the end, kills)"
    wrong, kills, stop, first = [], [0], threading.Event(), None
    with Sandbox(timeout=.4, workers=workers, isolation=isolation, cache_size=0) as box:
        killer = threading.Thread(target=kill_at_random, args=(box, stop, random.Random(seed), kills)); killer.start()
        try:
            for start in range(0, executions, batch):
                jobs = [job(i) for i in range(start, min(start + batch, executions))]
                for n, ((j, want), r) in enumerate(zip(jobs, box.run_many([j for j, _ in jobs]))):
                    got = [v.outcome for v in r.verdicts]
                    if got != want: wrong.append((start + n, want, got, r.errors))
                del jobs
                now = usage(); first = first or now
                say(f"{min(start + batch, executions):>6} executions, {kills[0]} kills, {len(wrong)} wrong; descriptors {now[0]}, memory {now[1]} KiB, processes {now[2]}")
        finally: stop.set(); killer.join()
        box.run_many([job(1)[0]])
        last = usage()
    return wrong, first, last, kills[0]

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--executions", type=int, default=20_000)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--isolation", default=None, help="isolation level; the best when left out")
    p.add_argument("--seed", type=int, default=0)
    a = p.parse_args()
    start = time.perf_counter()
    wrong, first, last, kills = soak(a.executions, a.workers, a.isolation, a.seed, say=print)
    grown = last[0] > first[0] + 3 or last[1] > first[1] * 1.2 + 10_000 or last[2] > first[2] + 2
    for o in wrong[:20]: print("wrong:", *o)
    print(f"{a.executions} executions in {time.perf_counter() - start:.0f} s, {kills} kills, {len(wrong)} wrong; first {first}, last {last}{'; something grew' if grown else ''}")
    if reader.zygote: reader.zygote.close(0) # it lives as long as this process
    left = children(os.getpid())
    if left: print("processes left:", left)
    sys.exit(1 if wrong or grown or left or kills < a.executions // 200 else 0)

if __name__ == "__main__": main()
