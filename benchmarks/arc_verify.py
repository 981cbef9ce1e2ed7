"""Verification of ARC programs beside the bare sandbox, in the same run, and the memory it takes.

    python benchmarks/arc_verify.py [--programs 10000] [--rounds 3] [--workers 1]

Short programs, all different, against the pairs of small tasks. Contestants: `Sandbox.run_many` with the same calls as tests, all in one list, and `verify_attempts` reading the attempts from a
generator. Rounds alternate between them, medians count, the cache is off. The aim is a ratio of at least 0.8. Memory is the largest that this process and the processes it has ended have held,
read after a tenth of a stream and at its end: it must not grow with the number of programs.
"""
import argparse, resource, statistics, time
from chained_adv.arc.grids import Grid, Pair, Task
from chained_adv.arc.verify import Attempt, verify_attempts
from chained_adv.core import TestCase
from chained_adv.sandbox import Job, Sandbox

BODIES = ("[row[::-1] for row in g]", "[[row[len(row) - 1 - j] for j in range(len(row))] for row in g]", "[list(reversed(row)) for row in g]")
def program(n): return f"def solve_task(g):\n    k = {n}\n    return {BODIES[n % 3]}\n"
def pair(n, size): g = [[(n + i * j) % 10 for j in range(size)] for i in range(size)]; return Pair(Grid(g), Grid([r[::-1] for r in g]))
TASKS = [Task(f"mirror{n}", [pair(n + k, 3 + n % 5) for k in range(3)], [pair(n + 9, 3 + n % 5)]) for n in range(20)]

def attempts(n): return (Attempt(TASKS[i % len(TASKS)], program(i), number=i) for i in range(n))
def job(a): return Job(a.code, [TestCase((p.input.to_lists(),), p.output.to_lists()) for p in a.task.train + a.task.test], "solve_task")
def megabytes(): return sum(resource.getrusage(o).ru_maxrss for o in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024

def time_bare(n, workers):
    with Sandbox(workers=workers, cache_size=0) as box:
        box.run_many([job(a) for a in attempts(20)])
        jobs = [job(a) for a in attempts(n)]
        start = time.perf_counter()
        ok = all(r.passed and r.num_total == 4 for r in box.run_many(jobs))
        return n / (time.perf_counter() - start), ok

def time_verify(n, workers):
    with Sandbox(workers=workers, cache_size=0) as box:
        list(verify_attempts(attempts(20), box))
        start, right, early = time.perf_counter(), 0, 0.
        for i, v in enumerate(verify_attempts(attempts(n), box)):
            right += v.passed and len(v.verdicts) == 4
            if i == n // 10: early = megabytes()
        return n / (time.perf_counter() - start), right == n, early, megabytes()

if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("programs", 10_000), ("rounds", 3), ("workers", 1)): p.add_argument(f"--{name}", type=int, default=default)
    a = p.parse_args()
    first = time_verify(a.programs, a.workers) # before anything else has used memory
    print(f"memory      {first[2]:.1f} MB after {a.programs // 10} programs, {first[3]:.1f} MB after {a.programs}")
    verify, bare = [first[0]], []
    for _ in range(a.rounds):
        rate, ok = time_bare(a.programs, a.workers); bare.append(rate); assert ok
        if len(verify) < a.rounds: rate, ok, *_ = time_verify(a.programs, a.workers); verify.append(rate); assert ok
    assert first[1]
    b, v = statistics.median(bare), statistics.median(verify)
    print(f"run_many    {b:.0f} programs/s\nverify      {v:.0f} programs/s\nratio       {v / b:.2f}")
