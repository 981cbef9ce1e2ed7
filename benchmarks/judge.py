"""What the judge costs, next to plain Python, real pytest and evalplus, all in one run.

    python benchmarks/judge.py [--rounds 5] [--quick]

Five questions, each with the figure we want:

* How many programs of ten tests does one worker judge in the time of one `python -c` that runs the same program
  and ten asserts? Data tests 7; tests that are code 6, whether the candidates agree with the reference or not.
* How long does a new suite of ten tests take until it is validated? 25 ms.
* Is a pytest file of 30 tests no slower than under real pytest (third-party plugins off)?
* 128 programs, of which ten loop, all judged within how many time limits? One more than the loops of one worker.
* How many tests of new texts are validated in a second? 200, which is 23,000 in two minutes.

Rows of the first table: 32 different candidates against one suite that was validated before. *differs*: every
candidate answers wrongly in all ten tests. *plain*: tests and program in one process, which needs tests that
can't be judged guarded. evalplus is left out where it is not installed (`pip install -e ".[benchmark]"`).

Rounds go through all rows, every second one backwards, so that the noise of a shared machine hits all alike. Medians
count, and ratios more than seconds. Processor time is that of all processes that take part, without the sandbox's
start. No time makes this script fail, but a wrong verdict does.
"""

import argparse, importlib.util, math, os, resource, statistics, subprocess, sys, tempfile, time
from dataclasses import replace
from pathlib import Path
from chained_adv.jail import probe_isolation
from chained_adv.judge.host import reader
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests

# ---- programs and tests ----

BODIES = [
    "s = {i}\n    for x in xs: s += x\n    return s - {i}",
    "return sum(xs) + {i} - {i}",
    "seen = {{}}\n    for x in xs: seen[x] = seen.get(x, 0) + 1\n"
    "    return sum(k * n for k, n in seen.items()) + 0 * {i}",
    "return xs[0] + f(xs[1:]) if xs else 0 * {i}",
    "total, k = 0, {i}\n    for x in list(xs): total += x\n    return total",
    "from collections import Counter\n    return sum(k * n for k, n in Counter(xs).items()) + {i} - {i}",
]
CASES = [([a, a + 2, 3], 2 * a + 5) for a in range(10)]
SIGNATURE, REFERENCE = "def f(xs):", "def f(xs):\n    return sum(xs)\n"
CANDIDATES = 32


def right(i):
    return f"def f(xs):\n    {BODIES[i % len(BODIES)].format(i=i)}\n"


def wrong(i):
    return (
        right(i)
        .replace("def f(xs):", f"def f(xs): return g(xs) + {1 + i}\ndef g(xs):")
        .replace("f(xs[1:])", "g(xs[1:])")
    )


def data(mark=""):
    return "\n".join(f"assert f({a!r}) == {e!r}" for a, e in CASES) + f"\n# {mark}"


def code(mark="", look=""):
    tests = (
        f"def test_{k}():\n    r = f({a!r})\n    assert r == {e!r}{look}" for k, (a, e) in enumerate(CASES)
    )
    return "\n".join(tests) + f"\n# {mark}"


PLAIN = [
    replace(t, trusted=True) for t in parse_tests(code(look=" and type(f).__name__ == 'function'"), "f").cases
]
PYTEST = "import pytest\nfrom solution import f\n" + "\n".join(
    f"@pytest.mark.parametrize('a', [{a}])\ndef test_{a}(a):\n    r = f([a, 1])\n    assert r == {a + 1}"
    for a in range(30)
)


def check(ok, row):
    if not ok:
        sys.exit(f"{row}: a verdict was wrong")


# ---- clocks ----


def used_by(pid):
    "Processor seconds of a process and of all below it (at some levels a zygote is a child of what was started)"
    folder = Path(f"/proc/{pid}")
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    below = (folder / f"task/{pid}/children").read_text().split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(used_by, below))


def processor_seconds(box=None):
    "Of this process, of all below it that have ended, and of a sandbox's zygotes"
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(o.ru_utime + o.ru_stime for o in used) + (reader.child.cpu() if reader.child else 0.0)
    for zygote in box.zygotes.values() if box else ():
        while zygote.children:  # killed, and not yet told of
            zygote.poll()
        seconds += used_by(zygote.process.pid)
    return seconds


def timed(run, n, box=None):
    "Seconds and processor seconds for each of n"
    cpu, wall = processor_seconds(box), time.perf_counter()
    run()
    wall = time.perf_counter() - wall
    return wall / n, (processor_seconds(box) - cpu) / n


# ---- programs of ten tests ----


def python_c(_):
    for i in range(10):
        done = subprocess.run([sys.executable, "-c", right(i) + data()])
        check(done.returncode == 0, "python -c")


def with_evalplus(_):
    from evalplus.eval import PASS, untrusted_check

    given, want = [[a] for a, _ in CASES], [e for _, e in CASES]
    for i in range(10):
        done = untrusted_check("humaneval", right(i), given, "f", want, 0, [0.01] * 10, fast_check=False)
        check(done[0] == PASS, "evalplus")


def judged(box, name, tests, make, passes, guarded=True):
    "A row: candidates against one suite; its own number makes each round's programs new"
    round_ = iter(range(10**6))
    reference = None if tests == data() else REFERENCE

    def run(_):
        n = CANDIDATES * next(round_)
        jobs = [
            Job(make(n + k), tests, "f", SIGNATURE, reference, unguarded=not guarded)
            for k in range(CANDIDATES)
        ]
        for r in box.run_many(jobs):
            check(
                [(v.passed, v.guarded) for v in r.verdicts] == [(passes, guarded)] * 10,
                f"{name}, {box.level}",
            )

    run(0)  # starts zygotes, validates the suite
    return run


def make_rows(boxes):
    "Row -> what runs it, for how many programs, in which sandbox"
    rows = {"`python -c`": (python_c, 10, None), "evalplus": (with_evalplus, 10, None)}
    if importlib.util.find_spec("evalplus") is None:
        print("evalplus is left out: it is not installed (pip install -e '.[benchmark]')\n")
        del rows["evalplus"]
    kinds = {
        "data": (data(), right, True),
        "code, agrees": (code(), right, True),
        "code, differs": (code(), wrong, False),
        "plain": (PLAIN, right, True, False),
        "plain, differs": (PLAIN, wrong, False, False),
    }
    best = list(boxes)[-1]
    for level, box in boxes.items():
        for name, how in kinds.items():
            if level == best or name in ("data", "code, differs"):
                shown = name if level == best else f"{name}, level {level}"
                rows[shown] = judged(box, shown, *how), CANDIDATES, box
    return rows


# ---- other questions ----


def validation(box, mark):
    "Seconds until a new suite of ten tests is validated"
    start = time.perf_counter()
    result = box.validate_tests_against_solution(code(f"new {mark}"), REFERENCE, "f", SIGNATURE)
    check(result.num_passed == 10, "validation")
    return time.perf_counter() - start


def pytest_file(box, folder, mark):
    "Seconds for 30 tests: real pytest, ours with a suite that is known, ours with a new one"
    (folder / "solution.py").write_text(REFERENCE)
    (folder / "test_them.py").write_text(PYTEST)
    env = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_them.py"]

    def ours(text, program, reference):
        start = time.perf_counter()
        (result,) = box.run_many([Job(program, text, "f", SIGNATURE, reference)])
        check(result.num_passed == 30, "pytest file")
        return time.perf_counter() - start

    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
    took = {"real pytest": time.perf_counter() - start}
    check("30 passed" in done.stdout, "real pytest")
    ours(PYTEST, right(900), REFERENCE)
    took["judged, suite known"] = ours(PYTEST, right(1000 + mark), REFERENCE)
    took["validated and judged, suite new"] = ours(PYTEST + f"\n# {mark}", right(1000 + mark), REFERENCE)
    return took


def loops(text, workers, limit=1.0):
    "Time limits that 128 programs take, of which ten loop for ever; the same of a core that nobody else uses"
    loop = "def f(xs):\n    while True: pass\n"
    programs = [loop + f"# {k}" if k % 12 == 5 and k < 120 else right(k) for k in range(128)]
    want = [p[: len(loop)] != loop for p in programs]
    with Sandbox(timeout=limit, workers=workers, give_up=True) as box:
        box.run_many([Job(REFERENCE, text, "f", SIGNATURE, REFERENCE)])
        jobs, results = [Job(p, text, "f", SIGNATURE, REFERENCE) for p in programs], []
        wall, cpu = timed(lambda: results.extend(box.run_many(jobs)), limit, box)
    check([r.passed for r in results] == want and want.count(False) == 10, "loops")
    return wall, cpu / workers


def throughput(box, mark, texts, per_text):
    "Tests of new texts that are validated in a second"
    some = [
        "\n".join(f"def test_{k}():\n    assert f([{k}, {n}]) == {k + n}" for k in range(per_text))
        for n in range(texts)
    ]
    jobs = [Job(REFERENCE, f"{t}\n# {mark}", "f", SIGNATURE, runs=2) for t in some]
    start = time.perf_counter()
    results = box.run_many(jobs)
    seconds = time.perf_counter() - start
    check(all(r.passed for r in results), "validation of texts")
    return texts * per_text / seconds


IMPORT = "import time; t = time.process_time(); import chained_adv.sandbox; print(time.process_time() - t)"


def start_of_all(repeats):
    "Processor seconds of the import, and seconds until a sandbox's first verdict; the best of some"
    with tempfile.TemporaryDirectory() as folder:  # compiled once, as after any installation
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        how = dict(env=env | {"PYTHONPYCACHEPREFIX": folder}, stdout=subprocess.PIPE, check=True, text=True)
        imports = [
            float(subprocess.run([sys.executable, "-c", IMPORT], **how).stdout) for _ in range(repeats)
        ]
    starts = []
    for _ in range(repeats):
        begin = time.perf_counter()
        with Sandbox() as box:
            check(box.execute_tests(right(0), data(), "f").passed, "first verdict")
            starts.append(time.perf_counter() - begin)
    return min(imports), min(starts)


# ---- all of it ----


def print_table(head, rows):
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(row)} |")
    print()


def spread(values, unit):
    return f"median {statistics.median(values):.3g} {unit} ({min(values):.3g} to {max(values):.3g})"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, help="rounds; medians count (default 5, or 1 with --quick)")
    p.add_argument("--quick", action="store_true", help="a short look: one round, and less of everything")
    a = p.parse_args()
    rounds, texts = a.rounds or (1 if a.quick else 5), 20 if a.quick else 60
    levels = [o.level for o in probe_isolation() if o.available]
    began, before, cores = time.perf_counter(), os.getloadavg(), len(os.sched_getaffinity(0))
    boxes = {level: Sandbox(timeout=1, workers=1, isolation=level) for level in levels}
    one, several = boxes[levels[-1]], Sandbox(timeout=1, workers=cores)
    rows = make_rows(boxes)
    found, suites, files, looping = {name: [] for name in rows}, [], [], {}
    tests = {f"{n} texts of {k}": (n, k) for n, k in ((texts, 10), (4 * texts, 1), (texts // 4, 100))}
    rates = {name: [] for name in tests}
    with tempfile.TemporaryDirectory() as folder:
        for n in range(rounds):
            for name in list(rows)[:: -1 if n % 2 else 1]:
                run, count, box = rows[name]
                found[name].append(timed(lambda: run(n), count, box))
            suites += [validation(one, f"{n} {k}") for k in range(8)]
            files.append(pytest_file(one, Path(folder), n))
            for name, (count, per_text) in tests.items():
                rates[name].append(throughput(several, n, count, per_text))
            for kind, text in (("data", data()), ("code", code())):
                looping.setdefault(kind, []).append(loops(text, cores, 0.5 if a.quick else 1.0))
    for box in (*boxes.values(), several):
        box.close()
    imports, start = start_of_all(2 if a.quick else 5)
    loads = [f"{o[0]:.1f} and {o[1]:.1f}" for o in (before, os.getloadavg())]
    print(
        f"{cores} cores, Python {sys.version.split()[0]}, rounds: {rounds}, "
        f"{time.perf_counter() - began:.0f} s in all, level {levels[-1]}\n"
        f"load over 1 and 5 minutes: {loads[0]} at the start, {loads[1]} at the end\n"
    )
    base = found["`python -c`"]
    ratio = lambda name, i: statistics.median(b[i] / o[i] for b, o in zip(base, found[name]))
    ms = lambda name, i: f"{1000 * statistics.median(o[i] for o in found[name]):.1f}"
    print_table(
        (
            "programs of ten tests",
            "ms",
            "processor ms",
            "in the time of a `python -c`",
            "in its processor time",
        ),
        [(k, ms(k, 0), ms(k, 1), f"{ratio(k, 0):.1f}", f"{ratio(k, 1):.1f}") for k in found],
    )
    print("a new suite of ten tests validated:", spread([1000 * o for o in suites], "ms"))
    for name in files[0]:
        part = statistics.median(f[name] / f["real pytest"] for f in files)
        print(
            f"a pytest file of 30 tests, {name}:",
            spread([1000 * f[name] for f in files], "ms") + f", ratio {part:.2f}",
        )
    for kind, values in looping.items():
        print(
            f"128 programs of which 10 loop, {kind}, {cores} workers:",
            spread([o for o, _ in values], "time limits"),
            f"(of processor time on each core: {statistics.median(o for _, o in values):.2f});",
            f"wanted {math.ceil(10 / cores) + 1}",
        )
    for name, values in rates.items():
        print(
            f"validated, {name} tests, {cores} workers:",
            spread(values, "tests a second") + f"; in two minutes {120 * statistics.median(values):,.0f}",
        )
    print(
        f"import of chained_adv.sandbox: {1000 * imports:.0f} processor ms; start to the first verdict: {1000 * start:.0f} ms"
    )


if __name__ == "__main__":
    main()
