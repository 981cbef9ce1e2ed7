"""Verification of ARC programs beside the bare sandbox, in the same run, and the memory it takes.

    python benchmarks/arc_verify.py [--programs 10000] [--rounds 10] [--workers 1]

Short programs, all different, against the pairs of small tasks. Contestants: `Sandbox.run_many` with the same calls as tests, all in one list, and `verify_attempts` reading the attempts from a
generator. Rounds alternate between them and each gives a ratio; the median counts, because the load of a machine changes while this runs. The cache is off.
Processor seconds (of all processes that took part) depend less on the load. The aim is a ratio of at least 0.8. Memory is the largest that this process and the processes it has ended have held,
read after a tenth of a stream and at its end: it must not grow with the number of programs.
"""

import argparse, resource, statistics, time
from chained_adv.arc.grids import Grid, Pair, Task
from chained_adv.arc.verify import Attempt, verify_attempts
from chained_adv.core import TestCase
from chained_adv.sandbox import Job, Sandbox

BODIES = (
    "[row[::-1] for row in g]",
    "[[row[len(row) - 1 - j] for j in range(len(row))] for row in g]",
    "[list(reversed(row)) for row in g]",
)


def program(n):
    return f"def solve_task(g):\n    k = {n}\n    return {BODIES[n % 3]}\n"


def pair(n, size):
    g = [[(n + i * j) % 10 for j in range(size)] for i in range(size)]
    return Pair(Grid(g), Grid([r[::-1] for r in g]))


TASKS = [
    Task(f"mirror{n}", [pair(n + k, 3 + n % 5) for k in range(3)], [pair(n + 9, 3 + n % 5)])
    for n in range(20)
]


def attempts(n):
    return (Attempt(TASKS[i % len(TASKS)], program(i), number=i) for i in range(n))


def job(a):
    return Job(
        a.code,
        [TestCase((p.input.to_lists(),), p.output.to_lists()) for p in a.task.train + a.task.test],
        "solve_task",
    )


def megabytes():
    return (
        sum(resource.getrusage(o).ru_maxrss for o in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    )


def processor_seconds():
    return sum(
        o.ru_utime + o.ru_stime
        for o in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measured(work, n, workers):
    "Programs per second, right?, and programs per processor second of all processes that took part"
    start = processor_seconds()
    rate, ok, *_ = work(n, workers)
    return rate, ok, n / (processor_seconds() - start)


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
        start, right, early = time.perf_counter(), 0, 0.0
        for i, v in enumerate(verify_attempts(attempts(n), box)):
            right += v.passed and len(v.verdicts) == 4
            if i == n // 10:
                early = megabytes()
        return n / (time.perf_counter() - start), right == n, early, megabytes()


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("programs", 10_000), ("rounds", 10), ("workers", 1)):
        p.add_argument(f"--{name}", type=int, default=default)
    a = p.parse_args()
    rate, ok, early, late = time_verify(a.programs, a.workers)  # before anything else has used memory
    print(
        f"stream      {a.programs} programs at {rate:.0f}/s, all right: {ok}; memory {early:.1f} MB after a tenth, {late:.1f} MB at the end",
        flush=True,
    )
    n, pairs = max(a.programs // a.rounds, 1), []
    for k in range(a.rounds):
        one, two = ((time_bare, time_verify), (time_verify, time_bare))[k % 2]
        first, second = measured(one, n, a.workers), measured(two, n, a.workers)
        assert ok and first[1] and second[1]
        pairs.append((first, second) if one is time_bare else (second, first))
    for name, at in (("second", 0), ("processor second", 2)):
        bare, verify = (statistics.median(o[at] for o in each) for each in zip(*pairs))
        ratios = sorted(v[at] / b[at] for b, v in pairs)
        print(
            f"programs per {name}: run_many {bare:.0f}, verify {verify:.0f}, ratio {statistics.median(ratios):.2f} (rounds from {ratios[0]:.2f} to {ratios[-1]:.2f})"
        )
