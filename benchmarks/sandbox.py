"""The sandbox beside other ways to run a program against ten tests, all in one run.

    python benchmarks/sandbox.py [--rounds 5] [--quick]

An execution is one program against its whole suite of ten tests. The rows of the tables:

* `python -c`: a fresh interpreter per program, which runs it and ten asserts; this is 1.0
* evalplus: its own `untrusted_check` of the same programs and tests; left out where it is not installed
  (`pip install -e ".[benchmark]"`)
* plain data: 16 different candidates against one suite of ten tests like `([1, 2], 3)`
* code, recording included: the same candidates, ten tests like `assert sorted([f([1, 2]), 7]) == [3, 7]`,
  which are recorded once with a reference; each suite is new
* code, record kept: new candidates against a suite that was recorded before
* the same where four of the 16 candidates are wrong in six tests, so that these tests must be run with them
* fork and wait: an empty process per execution, the floor under all that use one

The sandbox has one worker and the best level of this machine unless the row says otherwise; a second table
has the same suites at each level. Below it, two programs that loop for ever in two of their ten tests, plus
ten honest ones, with 1 s per test and two workers (2 s is what they must take, 2.6 s the aim), and what it
takes to judge 64 episodes of the model that comes with the package, with all their tests.

Rounds go through all rows, every second one backwards, so that the noise of a shared machine hits all alike;
medians count, and ratios more than seconds. Processor milliseconds are those of all processes that take
part, the sandbox's start included. No time makes this script fail, but a wrong verdict does.
"""

import argparse, importlib.util, json, os, resource, statistics, subprocess, sys, tempfile, time
from chained_adv.jail import probe_isolation
from chained_adv.sandbox import Job, Sandbox

# ---- programs and tests ----

BODIES = [
    "s = {i}\n    for x in xs: s += x\n    return s - {i}",
    "return sum(xs) + {i} - {i}",
    "seen = {{}}\n    for x in xs: seen[x] = seen.get(x, 0) + 1\n"
    "    return sum(k * n for k, n in seen.items()) + 0 * {i}",
    "return xs[0] + f(xs[1:]) if xs else 0 * {i}",
    "total, k = 0, {i}\n    while xs: total += xs.pop()\n    return total",
    "from collections import Counter\n    return sum(k * n for k, n in Counter(xs).items()) + {i} - {i}",
]
CASES = [([a, a + 2, 3], 2 * a + 5) for a in range(10)]
REFERENCE = "def f(xs):\n    return sum(xs)\n"
SUITE = 16  # candidates against one suite


def program(i):
    return f"def f(xs):\n    {BODIES[i % len(BODIES)].format(i=i)}\n"


def candidate(i, wrong):
    "One of a suite's candidates; the first `wrong` of them fail the six tests whose list begins above 3"
    if i % SUITE >= wrong:
        return program(i)
    return f"def f(xs):\n    return sum(xs) + {i % SUITE + 1} * (xs[0] > 3) # {i}\n"


def plain(i):
    return "\n".join(f"({a!r}, {e!r})" for a, e in CASES) + f"\n# {i}"


def code(i):
    return "\n".join(f"assert sorted([f({a!r}), {i}]) == {sorted([e, i])!r}" for a, e in CASES)


def check(ok, row):
    if not ok:
        sys.exit(f"{row}: a verdict was wrong")


# ---- rows: each gives executions and the seconds they took ----


def python_c(n):
    asserts = "".join(f"assert f({a!r}) == {e!r}\n" for a, e in CASES)
    start = time.perf_counter()
    for i in range(n):
        done = subprocess.run([sys.executable, "-c", program(i) + asserts])
        check(done.returncode == 0, "python -c")
    return n, time.perf_counter() - start


def with_evalplus(n):
    from evalplus.eval import PASS, untrusted_check

    given, want = [[a] for a, _ in CASES], [e for _, e in CASES]
    start = time.perf_counter()
    for i in range(n):
        done = untrusted_check("humaneval", program(i), given, "f", want, 0, [0.01] * 10, fast_check=False)
        check(done[0] == PASS, "evalplus")
    return n, time.perf_counter() - start


FLOOR = """import os, time, typing, json, random, dataclasses, gc
gc.freeze()
start = time.perf_counter()
for _ in range({n}):
    pid = os.fork()
    if not pid: os._exit(0)
    os.waitpid(pid, 0)
print(time.perf_counter() - start)
"""


def fork_and_wait(n):
    command = [sys.executable, "-S", "-c", FLOOR.format(n=n)]
    return n, float(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)


def judged(text, level=None, kept=False, wrong=0, workers=1):
    "A row of the sandbox: candidates against suites, 16 to a suite"

    def run(n):
        reference = REFERENCE if text is code else None
        want = [[k >= wrong or a <= 3 for a in range(10)] for k in range(SUITE)]
        with Sandbox(workers=workers, isolation=level) as box:

            def suite(s, number):
                some = [candidate(SUITE * s + k, wrong) for k in range(SUITE)]
                jobs = [Job(c, text(number), "f", "def f(xs):", reference) for c in some]
                found = [[v.passed for v in r.verdicts] for r in box.run_many(jobs)]
                check(found == want, f"sandbox, {text.__name__}, {level or box.level}")

            suite(900, 900)  # starts what is started once, and leaves a record
            start = time.perf_counter()
            for s in range(n):
                suite(s, 900 if kept else s)
            return SUITE * n, time.perf_counter() - start

    return run


# ---- other measurements: seconds ----


def loops():
    "Two programs that loop for ever in two of ten tests, among ten honest ones"
    text = "\n".join(f"({x}, {x})" for x in range(10))
    loop = "    while x % 5 == 3: pass\n"
    programs = [f"def f(x):\n{loop if k in (0, 5) else ''}    return x # {k}\n" for k in range(12)]
    want = [["timeout" if k in (0, 5) and x % 5 == 3 else "passed" for x in range(10)] for k in range(12)]
    with Sandbox(timeout=1.0, workers=2) as box:
        box.execute_tests("def f(x): return x", "(1, 1)")
        start = time.perf_counter()
        results = box.run_many([Job(p, text, "f", "def f(x):") for p in programs])
        seconds = time.perf_counter() - start
    check([[v.outcome for v in r.verdicts] for r in results] == want, "loops")
    return seconds


def make_episodes(problems, samples):
    "Chains and lists of tests of the model that comes with the package"
    import torch
    from chained_adv.models import ModelConfig, Players
    from chained_adv.rollout import sample_chains, sample_tests
    from chained_adv.tiny.world import tiny_problems

    torch.set_num_threads(1)
    players = Players(ModelConfig(device="cpu"))
    rollout = sample_chains(players, tiny_problems("train", problems), samples, seed=1)
    sample_tests(players, rollout, seed=1)
    return rollout


def judge_episodes(rollout, seen):
    "Judge all in a fresh sandbox; `seen` keeps the outcomes of the first time, and they must stay the same"
    from chained_adv.rollout import judge

    with Sandbox() as box:
        box.execute_tests("def f(x): return x", "(1, 1)\nassert sorted([f(1)]) == [1]")
        start = time.perf_counter()
        judge(rollout, box)
        seconds = time.perf_counter() - start
    results = [r for c in rollout.chains for r in (c.baseline, c.result, c.validation)]
    outcomes = [[v.outcome for v in r.verdicts] for r in results]
    if not seen:
        seen.append(outcomes)
    check(all(c.baseline.verdicts for c in rollout.chains) and outcomes == seen[0], "episodes")
    return seconds


IMPORT = "import time; t = time.process_time(); import chained_adv.sandbox; print(time.process_time() - t)"


def start_of_all(repeats):
    "Processor seconds of the import, and seconds until a sandbox's first verdict; the best of some"
    with tempfile.TemporaryDirectory() as folder:  # compiled once, as after any installation
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        how = dict(env=env | {"PYTHONPYCACHEPREFIX": folder}, stdout=subprocess.PIPE, check=True, text=True)
        took = lambda: float(subprocess.run([sys.executable, "-c", IMPORT], **how).stdout)
        imports = [took() for _ in range(repeats)]
    starts = []
    for _ in range(repeats):
        begin = time.perf_counter()
        with Sandbox() as box:
            check(box.execute_tests(program(0), plain(0), "f").passed, "first verdict")
            starts.append(time.perf_counter() - begin)
    return min(imports), min(starts)


# ---- all of it ----

KINDS = {
    "plain data": dict(text=plain),
    "code, recording included": dict(text=code),
    "code, record kept": dict(text=code, kept=True),
}


def make_rows(levels, suites):
    "Name, or kind and level -> what measures it, and how many"
    best, slow = levels[-1], max(SUITE * suites // 3, 1)
    rows = {"`python -c`": (python_c, slow), "evalplus": (with_evalplus, 2 * slow)}
    if importlib.util.find_spec("evalplus") is None:
        print("evalplus is left out: it is not installed (pip install -e '.[benchmark]')\n")
        del rows["evalplus"]
    rows |= {(k, o): (judged(level=o, **given), suites) for k, given in KINDS.items() for o in levels[::-1]}
    for k in ("code, recording included", "code, record kept"):
        rows[f"{k}, 4 of 16 wrong"] = judged(level=best, wrong=4, **KINDS[k]), suites
    rows["plain data, two workers"] = judged(plain, best, workers=2), suites
    return rows | {"fork and wait": (fork_and_wait, 500)}


def processor_seconds():
    "Of this process and of all below it that have ended"
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(o.ru_utime + o.ru_stime for o in used)


def measure(row, n):
    "Executions per second, processor ms per execution"
    if row is with_evalplus and "torch" in sys.modules:  # it forks, and that costs more from a large process
        command = [sys.executable, __file__, "--evalplus", str(n)]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
    before = processor_seconds()
    done, seconds = row(n)
    return done / seconds, (processor_seconds() - before) / done * 1000


def print_table(head, rows):
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(row)} |")
    print()


def print_rates(found, levels):
    "Both tables, of the medians"
    rate = {k: statistics.median(r for r, _ in v) for k, v in found.items()}
    cost = {k: statistics.median(c for _, c in v) for k, v in found.items()}
    ratio = lambda k, to: f"{rate[k] / rate[to]:.1f}" if to in rate else "-"
    shown = {k if isinstance(k, str) else k[0]: k for k in found if isinstance(k, str) or k[1] == levels[-1]}
    print_table(
        (f"level {levels[-1]}", "executions/s", "x `python -c`", "x evalplus", "processor ms"),
        [
            (name, f"{rate[k]:.0f}", ratio(k, "`python -c`"), ratio(k, "evalplus"), f"{cost[k]:.1f}")
            for name, k in shown.items()
        ],
    )
    cells = lambda level: (
        f"{rate[k, level]:.0f}/s, {ratio((k, level), '`python -c`')} x, {cost[k, level]:.1f} ms"
        for k in KINDS
    )
    jail = lambda level: f"{cost['plain data', level] / cost['plain data', levels[0]] - 1:+.0%}"
    print_table(
        ("level", *KINDS, f"processor time of plain data, to {levels[0]}"),
        [(level, *cells(level), jail(level)) for level in levels],
    )


def spread(seconds):
    return f"median {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, help="rounds; medians count (default 5, or 1 with --quick)")
    p.add_argument("--suites", type=int, help="suites of 16 per row and round (default 6, or 2 with --quick)")
    p.add_argument("--quick", action="store_true", help="a short look: fewer of everything")
    p.add_argument("--evalplus", type=int, help=argparse.SUPPRESS)  # measure this row alone
    a = p.parse_args()
    if a.evalplus:
        with_evalplus(1)  # imports
        print(json.dumps(measure(with_evalplus, a.evalplus)))
        return
    rounds, suites = a.rounds or (1 if a.quick else 5), a.suites or (2 if a.quick else 6)
    levels = [o.level for o in probe_isolation() if o.available]
    began, before, rows = time.perf_counter(), os.getloadavg(), make_rows(levels, suites)
    episodes, seen = make_episodes(4 if a.quick else 16, 4), []
    found, looping, judging = {name: [] for name in rows}, [], []
    for n in range(rounds):
        for name in list(rows)[:: -1 if n % 2 else 1]:
            found[name].append(measure(*rows[name]))
        looping.append(loops())
        judging.append(judge_episodes(episodes, seen))
    imports, start = start_of_all(2 if a.quick else 10)
    loads = [f"{o[0]:.1f} and {o[1]:.1f}" for o in (before, os.getloadavg())]
    print(
        f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, rounds: {rounds}, "
        f"{time.perf_counter() - began:.0f} s in all\n"
        f"load over 1 and 5 minutes: {loads[0]} at the start, {loads[1]} at the end\n"
    )
    print_rates(found, levels)
    print("two programs that loop and ten honest ones, 1 s per test, two workers:", spread(looping))
    tests = sum(len(t.parsed.items) for t in episodes.lists)
    print(
        f"{len(episodes.chains)} episodes, {len(episodes.lists)} lists with {tests} tests, all judged:",
        spread(judging),
    )
    print(
        f"import of chained_adv.sandbox: {1000 * imports:.0f} processor ms; "
        f"start to the first verdict: {1000 * start:.0f} ms"
    )


if __name__ == "__main__":
    main()
