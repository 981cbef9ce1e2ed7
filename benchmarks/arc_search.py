"""How many official tasks the program search solves, on tasks that were drawn and on those it was built with.

    python benchmarks/arc_search.py ARC-AGI/data --built-with shared/data/arc/training --draw 100 --seed 20261122

Draws from all tasks below the first folder, without those that the search was built with (by id and by content), runs the search
on both, verifies what it finds in the sandbox, and prints solved shares with 95 % intervals. The language of the search is frozen:
whoever changes it draws anew, with another seed, and puts both numbers into RESULTS.md.
"""

import argparse, json, random
from pathlib import Path

from chained_adv.arc.bench import BenchPlan, run_bench
from chained_adv.arc.clients import make_client
from chained_adv.arc.datasets import load_tasks
from chained_adv.arc.generate import run_async, show_progress
from chained_adv.arc.grids import canonical_hash


def draw(folder: Path, known: list, n: int, seed: int) -> list:
    "Tasks that are none of those known, in the order they were drawn"
    ids, contents = {t.id for t in known}, {canonical_hash(t, True, True) for t in known}
    pool = sorted((t for t in load_tasks(folder) if t.id not in ids), key=lambda t: t.key)
    random.Random(seed).shuffle(pool)
    fresh = (t for t in pool if canonical_hash(t, True, True) not in contents)
    return [t for t, _ in zip(fresh, range(n))]


def measure(tasks: list, out: Path) -> dict:
    "A benchmark of the search, one program and its runner-up per task"

    async def run():
        with show_progress(2 * len(tasks)) as tell:
            client = make_client("search")
            return await run_bench(
                client,
                BenchPlan(tasks, "code", best_of=2),
                out,
                max_concurrent=2,
                resume=(out / "attempts.jsonl").exists(),
                tell=tell,
            )

    return run_async(run())


def describe(name: str, report: dict) -> str:
    "One line of the table"
    score, tasks = report["scores"]["all_pairs"], report["tasks"].values()
    fits = [t for t in tasks if t.get("train_fit") == 1]
    wrong = sum(not t["solved"] for t in fits)
    return (
        f"| {name} | {len(report['solved'])} of {len(report['tasks'])} | {score['value']:.1%} [{score['low']:.1%}, {score['high']:.1%}] "
        f"| {wrong} of {len(fits)} | {report['spent']['seconds']:.0f} s |"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("official", type=Path, help="folder with training/ and evaluation/")
    parser.add_argument(
        "--built-with",
        type=Path,
        required=True,
        help="folder of the tasks that were at hand when the search was written",
    )
    parser.add_argument("--draw", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--out", type=Path, default=Path("runs/arc-search"))
    args = parser.parse_args()
    known = load_tasks(args.built_with)
    drawn = draw(args.official, known, args.draw, args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "drawn.json").write_text(json.dumps([t.key for t in drawn], indent=1))
    print(
        "| tasks | solved | share | fit the demonstrations and fail the test | search |\n|---|---|---|---|---|"
    )
    for name, tasks in ((f"drawn, seed {args.seed}", drawn), ("built with", known)):
        print(describe(name, measure(tasks, args.out / name.split(",")[0].replace(" ", "-"))), flush=True)


if __name__ == "__main__":
    main()
