"""`chained-adv judge` on samples of HumanEval, next to plain execution and evalplus, in one run.

    python benchmarks/samples.py [--problems HumanEval.jsonl] [--mutants 6] [--rounds 3] [--evalplus PYTHON]

For each problem of the file there are the solution of its authors, `pass` in place of it, and up to `--mutants` programs with one bug
each, in the function that is asked for. (A bug in a helper that the prompt gives, as in HumanEval/50, is no bug for us: our tests use
the prompt's helper. In plain execution they use the program's.) Plain execution is what HumanEval's authors do: prompt, completion and `check(entry_point)` in one Python process, with a time
limit. It is right here, because none of these programs cheats. All disagreements are printed; the script fails if there is one that is
not explained by a time limit.

`--evalplus` names the Python of an environment with evalplus (0.3.1; `pip install evalplus`). Its own file has to be downloaded, so
we make one with the same fields, from the inputs in HumanEval's tests; problems whose tests state no inputs are left out there. Both
read that file and the same samples, with two workers. evalplus stops a sample at its first failure, we give a verdict for each test.
"""
import argparse, ast, json, os, statistics, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from chained_adv.core import signature_args
from chained_adv.mutants import make_mutants
from chained_adv.problems import load_problems
from chained_adv.testcases import parse_tests

HUMANEVAL = Path(__file__).resolve().parents[2] / "shared/data/humaneval/HumanEval_even.jsonl"
SECONDS = 8 # a program may take in plain execution


def write(path, rows): path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def helpers(code, row):
    "What stands in a program beside the function that is asked for"
    return [ast.dump(o) for o in ast.parse(code).body if getattr(o, "name", "") != row["entry_point"]]


def make_samples(rows, n_mutants):
    "Lines of a sample file"
    for row in rows:
        code, id = row["prompt"] + row["canonical_solution"], row["task_id"]
        yield dict(task_id=id, completion=row["canonical_solution"])
        yield dict(task_id=id, completion="    pass\n")
        found = [o.source for o in make_mutants(code, 99) if helpers(o.source, row) == helpers(code, row)]
        yield from (dict(task_id=id, solution=o) for o in found[:n_mutants])


def run_plain(row, sample):
    "passed, failed or timeout, as HumanEval's own script would say"
    code = sample.get("solution") or row["prompt"] + sample["completion"]
    text = f"{code}\n\n{row['test']}\n\ncheck({row['entry_point']})\n"
    try: done = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=SECONDS, cwd=tempfile.gettempdir())
    except subprocess.TimeoutExpired: return "timeout"
    return "failed" if done.returncode else "passed"


def run_ours(problems, samples, out):
    "Result lines, and the seconds of the command"
    words = [sys.executable, "-m", "chained_adv.cli", "judge", samples, "--problems", problems, "--out", out, "--workers", "2", "--overwrite"]
    begin = time.monotonic()
    done = subprocess.run([str(o) for o in words], capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if done.returncode: sys.exit(done.stderr)
    return [json.loads(line) for line in out.read_text().splitlines()], seconds


def run_evalplus(python, problems, samples):
    "Statuses by problem, and the seconds of the command"
    results = samples.with_name(samples.stem + "_eval_results.json")
    results.unlink(missing_ok=True) # else it asks whether it may write there
    words = [python, "-m", "evalplus.evaluate", "--dataset", "humaneval", "--samples", str(samples), "--parallel", "2", "--i-just-wanna-run"]
    begin = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | dict(HUMANEVAL_OVERRIDE_PATH=str(problems)))
    seconds = time.monotonic() - begin
    if done.returncode: sys.exit(done.stderr[-3000:])
    found = json.loads(results.read_text())["eval"]
    return {id: [o["base_status"] == "pass" == o["plus_status"] for o in each] for id, each in found.items()}, seconds


def plus_rows(rows, problems):
    "The problems in the form of EvalPlus, as far as their tests state inputs"
    for row in rows:
        signature = problems[row["task_id"]].function_signature
        asked = parse_tests(row["test"], row["entry_point"], signature).cases
        inputs = [list(o.args) for o in asked if o.kind in ("equal", "is", "exact", "io") and not o.kwargs]
        names = signature_args(signature).args.args
        if inputs and all(len(o) == len(names) for o in inputs):
            yield dict(task_id=row["task_id"], prompt=row["prompt"], entry_point=row["entry_point"], contract="", atol=0,
                       canonical_solution=row["canonical_solution"], base_input=inputs[:1], plus_input=inputs[1:] or inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, default=HUMANEVAL, help="file in the form of HumanEval")
    parser.add_argument("--mutants", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3, help="how often each command is timed, in turns")
    parser.add_argument("--evalplus", default="", help="Python of an environment with evalplus; left out: without it")
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.problems.read_text(encoding="utf-8").splitlines()]
    by_id, problems = {o["task_id"]: o for o in rows}, {p.id: p for p in load_problems(args.problems)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        samples = list(make_samples(rows, args.mutants))
        write(path / "samples.jsonl", samples)
        begin = time.monotonic()
        with ThreadPoolExecutor(2) as pool: plain = [*pool.map(lambda o: run_plain(by_id[o["task_id"]], o), samples)]
        plain_seconds = time.monotonic() - begin
        lines, seconds = run_ours(args.problems, path / "samples.jsonl", path / "ours.jsonl")
        apart = [(o, p, line) for o, p, line in zip(samples, plain, lines) if (p == "passed") != line["passed"]]
        count = {name: plain.count(name) for name in ("passed", "failed", "timeout")}
        print(f"{len(samples)} samples of {len(rows)} problems; plain execution: {count}, {plain_seconds:.0f} s")
        print(f"chained-adv judge: {sum(o['passed'] for o in lines)} passed, {seconds:.0f} s "
              f"({seconds / plain_seconds:.2f} of plain execution); {len(apart)} verdicts differ")
        for o, verdict, line in apart: print(f"  {o['task_id']}: plain {verdict}, ours {line['passed']}: {line['reason'][:200]}\n{o}")
        if args.evalplus:
            made = list(plus_rows(rows, problems))
            ids = {o["task_id"] for o in made}
            kept = [o for o in samples if o["task_id"] in ids]
            write(path / "plus.jsonl", made)
            write(path / "kept.jsonl", kept)
            times = []
            for n in range(args.rounds):
                both = [lambda: run_ours(path / "plus.jsonl", path / "kept.jsonl", path / "ours.jsonl"),
                        lambda: run_evalplus(args.evalplus, path / "plus.jsonl", path / "kept.jsonl")]
                if n % 2: (theirs, b), (ours, a) = both[1](), both[0]()
                else: (ours, a), (theirs, b) = both[0](), both[1]()
                times.append((a, b))
            a, b = map(statistics.median, zip(*times))
            known = {id: iter(each) for id, each in theirs.items()}
            pairs = [(next(known[o["task_id"]]), line, o) for o, line in zip(kept, ours)]
            other = [(o, their, line) for their, line, o in pairs if their != line["passed"]]
            print(f"next to evalplus: {len(kept)} samples of {len(made)} problems; ours {a:.1f} s, evalplus {b:.1f} s "
                  f"(medians of {args.rounds}); {len(other)} verdicts differ")
            for o, their, line in other: print(f"  {o['task_id']}: evalplus {their}, ours {line['passed']}: {line['reason'][:200]}")
    sys.exit(any(p != "timeout" for _, p, _ in apart))


if __name__ == "__main__": main()
