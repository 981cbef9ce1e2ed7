"""The sandbox at each isolation level beside other ways to run a program against its tests, in the same run.

    python benchmarks/sandbox.py [--programs 200] [--rounds 3]

One execution is one program against its 10 tests. Contestants: the sandbox at each level that this machine has, a fresh
interpreter (`python -c`), pytest in a process, evalplus' checker (`pip install -e ".[benchmark]"`; left out when it is not there),
and a bare fork and wait, the floor under all that use a process per execution. Rounds alternate between the contestants,
medians count, and figures are given as ratios too, because machines and their loads differ. Processor milliseconds (of all
processes that an execution takes part in, start-up included) depend less on the load than rates do. The cache is off.
One worker uses more than one core when there are free ones (programs are forked ahead while another runs), so
two workers are also compared to one worker that is held to one core. Sixteen candidates against one suite of ten tests that
are code are timed apart, with a reference: with its record made in the same call, and with the record kept from before; all
right, and four of them wrong in six tests (their answers must be judged anew). Two programs that loop in six of their ten tests are timed apart: with .2 s per test, 2.4 s is what they must take.
"""
import argparse, os, resource, statistics, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from chained_adv.jail import probe_isolation
from chained_adv.sandbox import Job, Sandbox

BODIES = ("s = {i}\n    for x in xs: s += x\n    return s - {i}", "return sum(xs) + {i} - {i}", "seen = {{}}\n    for x in xs: seen[x] = seen.get(x, 0) + 1\n    return sum(k * v for k, v in seen.items()) + 0 * {i}",
          "return xs[0] + f(xs[1:]) if xs else 0 * {i}", "total, k = 0, {i}\n    while xs: total += xs.pop()\n    return total", "from collections import Counter\n    return sum(k * n for k, n in Counter(xs).items()) + {i} - {i}")
CASES = [([a, a + 2, 3], 2 * a + 5) for a in range(10)]
TESTS = "\n".join(f"({a!r}, {e!r})" for a, e in CASES)
def program(i): return f"def f(xs):\n    {BODIES[i % len(BODIES)].format(i=i)}\n"
def asserts(i): return program(i) + "".join(f"assert f({a!r}) == {e!r}\n" for a, e in CASES)
def silent(argv, **kw): return subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw).returncode == 0

def spread(work, n, workers):
    "Executions per second, and were all verdicts right?"
    start = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool: ok = all(pool.map(work, range(n)))
    return n / (time.perf_counter() - start), ok

def time_interpreter(n, workers): return spread(lambda i: silent([sys.executable, "-c", asserts(i)]), n, workers)

def time_pytest(n, workers):
    with tempfile.TemporaryDirectory() as folder:
        for i in range(n): Path(folder, f"test_{i}.py").write_text(program(i) + "".join(f"def test_{k}(): assert f({a!r}) == {e!r}\n" for k, (a, e) in enumerate(CASES)))
        return spread(lambda i: silent([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_{i}.py"], cwd=folder), n, workers)

def time_evalplus(n, workers):
    from evalplus.eval import PASS, untrusted_check
    check = lambda i: untrusted_check("humaneval", program(i), [[a] for a, _ in CASES], "f", [e for _, e in CASES], 0, [.01] * len(CASES), fast_check=False)[0] == PASS
    return spread(check, n, workers)

FLOOR = "import os, time, typing, json, random, dataclasses, gc; gc.freeze(); n = {n}; t = time.perf_counter()\nfor _ in range(n):\n    p = os.fork()\n    if not p: os._exit(0)\n    os.waitpid(p, 0)\nprint(n / (time.perf_counter() - t))"
def time_floor(n, workers):
    running = [subprocess.Popen([sys.executable, "-S", "-c", FLOOR.format(n=n)], stdout=subprocess.PIPE, text=True) for _ in range(workers)]
    return sum(float(p.communicate()[0]) for p in running), True

def time_sandbox(level):
    def run(n, workers):
        with Sandbox(workers=workers, cache_size=0, isolation=level) as box:
            box.run_many([Job(program(0), TESTS)] * workers)
            start = time.perf_counter()
            results = box.run_many([Job(program(i), TESTS) for i in range(n)])
            return n / (time.perf_counter() - start), all(r.passed and r.num_total == 10 for r in results)
    return run

def suite(i):
    "Ten tests that are code"
    return "".join(f"assert sorted([f({a!r}), {i}]) == {sorted([e, i])!r}\n" for a, e in CASES)
REFERENCE = "def f(xs):\n    return sum(xs)\n"
def candidates(i, wrong): return [program(16 * i + k) if k >= wrong else f"def f(xs):\n    return sum(xs) + {k + 1} * (xs[0] > 3) # {i}\n" for k in range(16)]

def time_suite(level, kept, wrong, repeats=6):
    "Candidates per second against a suite with a reference, and were all verdicts right? `kept`: the record is there already; `wrong`: how many of 16 are"
    want = [[k >= wrong or a <= 3 for a in range(10)] for k in range(16)]
    with Sandbox(isolation=level) as box:
        jobs = lambda i, text: [Job(c, text, "f", "def f(xs):", REFERENCE) for c in candidates(i, wrong)]
        box.run_many(jobs(900, suite(900))) # starts what is started once, and leaves the record of this suite
        texts, ok = [suite(900 if kept else i) for i in range(repeats)], True
        start = time.perf_counter()
        for i, text in enumerate(texts): ok = ok and [[v.passed for v in r.verdicts] for r in box.run_many(jobs(i, text))] == want
        return 16 * repeats / (time.perf_counter() - start), ok

def time_one_core(level, n):
    "Executions per second of one worker that has one core, as do the host and the programs"
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try: return time_sandbox(level)(n, 1)
    finally: os.sched_setaffinity(0, cores)

def time_loops(level):
    "Seconds for two programs of which each loops in six of ten tests, and were the verdicts right?"
    tests, want = "\n".join(f"({x}, {x})" for x in range(10)), ["timeout" if x % 5 > 1 else "passed" for x in range(10)]
    with Sandbox(timeout=.2, cache_size=0, isolation=level) as box:
        box.execute_tests(program(0), TESTS)
        start = time.perf_counter()
        results = box.run_many([Job(f"def f(x):\n    while x % 5 > 1: pass\n    return x # {i}\n", tests) for i in range(2)])
        return time.perf_counter() - start, all([v.outcome for v in r.verdicts] == want for r in results)

IMPORT = "import time; t = time.process_time(); import chained_adv.sandbox; print(time.process_time() - t)"
def time_start():
    "Processor seconds of the import, and seconds until the first verdict; the best of ten each"
    with tempfile.TemporaryDirectory() as folder: # compiled once, as after any installation
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPYCACHEPREFIX": folder}
        imports = [float(subprocess.run([sys.executable, "-c", IMPORT], env=env, capture_output=True, text=True, check=True).stdout) for _ in range(10)]
    starts = []
    for _ in range(10):
        begin = time.perf_counter()
        with Sandbox() as box: box.execute_tests(program(0), TESTS); starts.append(time.perf_counter() - begin)
    return min(imports), min(starts)

def processor_seconds():
    "Of this process and of all below it that have ended"
    return sum(o.ru_utime + o.ru_stime for o in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--programs", type=int, default=200, help="programs per round in the sandbox; fewer for the slow contestants")
    p.add_argument("--rounds", type=int, default=3, help="rounds; the median counts")
    a = p.parse_args()
    levels = [o.level for o in probe_isolation() if o.available]
    entries = [("python -c", time_interpreter, max(a.programs // 5, 1)), ("pytest", time_pytest, max(a.programs // 50, 1)), ("fork and wait", time_floor, 2 * a.programs)]
    try: import evalplus.eval; entries.insert(2, ("evalplus", time_evalplus, max(a.programs // 3, 1)))
    except ImportError as e: print(f"evalplus is left out: {e} (pip install -e '.[benchmark]')")
    entries += [(f"sandbox, {level}", time_sandbox(level), a.programs) for level in levels]
    rates, loops = {(name, w): [] for w in (1, 2) for name, _, _ in entries}, {level: [] for level in levels}
    suites = {(kept, wrong): [] for kept in (False, True) for wrong in (0, 4)}
    spent, alone = {name: [] for name, _, _ in entries}, []
    for _ in range(a.rounds):
        for name, f, n in entries:
            for w in (1, 2):
                before = processor_seconds()
                rate, ok = f(n, w)
                if w == 1: spent[name].append((processor_seconds() - before) / n * 1000)
                if not ok: sys.exit(f"{name} with {w} worker(s): a verdict was wrong")
                rates[name, w].append(rate)
        rate, ok = time_one_core(levels[-1], a.programs)
        if not ok: sys.exit("one worker on one core: a verdict was wrong")
        alone.append(rate)
        for how in suites:
            rate, ok = time_suite(levels[-1], *how)
            if not ok: sys.exit("sixteen candidates: a verdict was wrong")
            suites[how].append(rate)
        for level in levels:
            seconds, ok = time_loops(level)
            if not ok: sys.exit(f"loops at level {level}: a verdict was wrong")
            loops[level].append(seconds)
    median = {k: statistics.median(v) for k, v in rates.items()}
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}, {a.rounds} rounds\n")
    print("| contestant | 1 worker, executions/s | x python -c | 2 workers | x python -c | 2 workers / 1 | processor ms, 1 worker | python -c in these |\n|---|---|---|---|---|---|---|---|")
    cost = {name: statistics.median(v) for name, v in spent.items()}
    for name, _, _ in entries:
        one, two = median[name, 1], median[name, 2]
        print(f"| {name} | {one:.0f} | {one / median['python -c', 1]:.1f} | {two:.0f} | {two / median['python -c', 2]:.1f} | {two / one:.2f} | {cost[name]:.1f} | {cost['python -c'] / cost[name]:.1f} |")
    best = levels[-1]
    print(f"\nat level {best}: jail overhead {median['sandbox, process', 1] / median[f'sandbox, {best}', 1] - 1:+.0%} against the level process", end="")
    print(f", {median[f'sandbox, {best}', 1] / median['evalplus', 1]:.1f} x evalplus" if ("evalplus", 1) in median else "")
    for (kept, wrong), found in suites.items():
        rate, name = statistics.median(found), "with the record kept" if kept else "recording included"
        print(f"16 candidates ({wrong} wrong) against one suite of ten tests that are code, {name}: {rate:.0f} candidates/s, {rate / median['python -c', 1]:.1f} x python -c", end="")
        print(f", {rate / median['evalplus', 1]:.1f} x evalplus" if ("evalplus", 1) in median else "")
    print(f"one worker held to one core: {statistics.median(alone):.0f} executions/s; two workers on two cores do {median[f'sandbox, {best}', 2] / statistics.median(alone):.2f} times that")
    print("import of chained_adv.sandbox {:.0f} processor ms, start to the first verdict {:.0f} ms".format(*(1000 * o for o in time_start())))
    print("two looping programs: " + ", ".join(f"{level} {statistics.median(s):.2f} s" for level, s in loops.items()))

if __name__ == "__main__": main()
