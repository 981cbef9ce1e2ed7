"""The sandbox beside one fresh interpreter per execution (`python -c`), in the same run.

    python benchmarks/sandbox.py [--programs 300] [--rounds 3]

One execution is one program against its 10 tests. Rounds alternate between the contestants, the median counts,
and figures are given as ratios too, because machines and their loads differ. The cache is off.
"""
import argparse, os, statistics, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from chained_adv.sandbox import Job, Sandbox

BODIES = ("s = {i}\n    for x in xs: s += x\n    return s - {i}", "return sum(xs) + {i} - {i}", "seen = {{}}\n    for x in xs: seen[x] = seen.get(x, 0) + 1\n    return sum(k * v for k, v in seen.items()) + 0 * {i}")
CASES = [([a, a + 2, 3], 2 * a + 5) for a in range(10)]
def program(i): return f"def f(xs):\n    {BODIES[i % len(BODIES)].format(i=i)}\n"

def interpreter(i):
    "What `python -c` does with it: program and asserts in one text, judged by the exit status"
    code = program(i) + "".join(f"assert f({a!r}) == {e!r}\n" for a, e in CASES)
    return subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

def time_interpreter(n, workers):
    start = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool: ok = all(pool.map(interpreter, range(n)))
    return n / (time.perf_counter() - start), ok

def time_sandbox(n, workers):
    tests = "\n".join(f"({a!r}, {e!r})" for a, e in CASES)
    with Sandbox(workers=workers, cache_size=0) as box:
        box.run_many([Job(program(0), tests)] * workers)
        start = time.perf_counter()
        results = box.run_many([Job(program(i), tests) for i in range(n)])
        return n / (time.perf_counter() - start), all(r.passed and r.num_total == 10 for r in results)

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--programs", type=int, default=300, help="programs per round in the sandbox; a fifth as many for python -c")
    p.add_argument("--rounds", type=int, default=3, help="rounds; the median counts")
    a = p.parse_args()
    contestants = {(name, w): (f, n) for w in (1, 2) for name, f, n in (("python -c", time_interpreter, max(a.programs // 5, 1)), ("sandbox", time_sandbox, a.programs))}
    rates = {k: [] for k in contestants}
    for _ in range(a.rounds):
        for k, (f, n) in contestants.items():
            rate, ok = f(n, k[1])
            if not ok: sys.exit(f"{k[0]} with {k[1]} worker(s): a verdict was wrong")
            rates[k].append(rate)
    median = {k: statistics.median(v) for k, v in rates.items()}
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}, {a.rounds} rounds\n")
    print("| workers | contestant | executions/s | x python -c | verdicts |\n|---|---|---|---|---|")
    for (name, w), r in median.items(): print(f"| {w} | {name} | {r:.0f} | {r / median['python -c', w]:.1f} | {'per test' if name == 'sandbox' else 'one bit'} |")

if __name__ == "__main__": main()
