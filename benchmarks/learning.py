"""Does the default run learn? Train with several seeds and tell what changed, with the picture.

python benchmarks/learning.py [--seeds 0 1 2] [--out runs/learning] [--picture nbs/images/five_steps.png] [-- TRAIN OPTIONS]

Each seed is one `chained-adv train` in a process of its own, as a user would start it; a finished run folder
is not trained again (its seconds are then those of its own summary). Prints a table in Markdown: before and after on problems never seen, the greedy rate
after each stage, by habit, wall seconds and peak memory.
"""

import argparse, json, resource, subprocess, sys, time
from pathlib import Path
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from chained_adv.tracking import read_evaluations

RATES = {
    "solved_greedy": "solved, greedy",
    "solved": "solved, sampled",
    "validity": "valid tests",
    "bug_catch_rate": "bugs caught",
    "mutation_score": "mutants caught",
}


def train(folder, seed, options):
    if (folder / "summary.json").exists():
        return
    start = time.perf_counter()
    subprocess.run(
        [
            Path(sys.executable).with_name("chained-adv"),
            "train",
            "--seed",
            str(seed),
            "--out",
            str(folder),
            "--overwrite",
            *options,
        ],
        check=True,
    )
    usage = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    (folder / "process.json").write_text(
        json.dumps({"wall_seconds": round(time.perf_counter() - start), "peak_mb_so_far": round(usage)})
    )


def stage_rows(folder, split="held_out"):
    return {r["stage"]: r for r in read_evaluations(folder) if r["split"] == split}


def table(folders):
    out = [
        "| seed | split | " + " | ".join(RATES.values()) + " | seconds | peak MB |",
        "|" + "---|" * (len(RATES) + 4),
    ]
    for seed, folder in folders.items():
        s, process = json.loads((folder / "summary.json").read_text()), folder / "process.json"
        p = (
            json.loads(process.read_text())
            if process.exists()
            else {"wall_seconds": round(s["seconds"]), "peak_mb_so_far": "-"}
        )
        for split in ("held_out", "train"):
            b, a = s["before"][split], s["after"][split]
            cells = [
                f"{b[k]['value']:.2f} -> {a[k]['value']:.2f} ({a[k]['low']:.2f}-{a[k]['high']:.2f})"
                for k in RATES
            ]
            out.append(
                f"| {seed} | {split.replace('_', '-')} | "
                + " | ".join(cells)
                + f" | {p['wall_seconds']} | {p['peak_mb_so_far']} |"
            )
    return "\n".join(out)


def stages_table(folders):
    rows = [stage_rows(f) for f in folders.values()]
    mean = lambda f: sum(map(f, rows)) / len(rows)
    habits = sorted(t for t in rows[0][0]["by_tag"] if t.startswith("habit-"))
    out = [
        "| after stage | greedy, mean of seeds | "
        + " | ".join(t.replace("habit-0", "no habit").replace("habit-", "habit of stage ") for t in habits)
        + " |",
        "|" + "---|" * (len(habits) + 2),
    ]
    for stage in sorted(rows[0]):
        cells = [f"{mean(lambda r: r[stage]['by_tag'][t]['solved_greedy']):.2f}" for t in habits]
        out.append(
            f"| {stage or 'before'} | {mean(lambda r: r[stage]['solved_greedy']['value']):.3f} | "
            + " | ".join(cells)
            + " |"
        )
    return "\n".join(out)


def picture(folders, path):
    fig = Figure(figsize=(8, 3.8), layout="constrained")
    ax = fig.subplots()
    rows = [stage_rows(f) for f in folders.values()]
    stages = sorted(rows[0])
    for key, colour, label in (
        ("solved_greedy", "#009E73", "solved, greedy"),
        ("solved", "#0072B2", "solved, sampled"),
    ):
        for r in rows:
            ax.plot(stages, [r[s][key]["value"] for s in stages], color=colour, alpha=0.3, linewidth=1)
        ax.plot(
            stages,
            [sum(r[s][key]["value"] for r in rows) / len(rows) for s in stages],
            color=colour,
            marker="o",
            linewidth=2.5,
            label=label,
        )
    ax.set_xticks(stages, ["before"] + [f"after {s}" for s in stages[1:]])
    ax.set_title(
        f"Problems never seen in training ({len(rows)} seeds, mean in bold)"
        if len(rows) > 1
        else "Problems never seen in training (one seed)",
        loc="left",
        fontweight="bold",
    )
    ax.set_ylim(0, 1.02)
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#e6e6e6")
    ax.legend(frameon=False, loc="lower right")
    path.parent.mkdir(parents=True, exist_ok=True)
    fig.savefig(path, dpi=120, metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--out", type=Path, default=Path("runs/learning"))
    parser.add_argument("--picture", type=Path, default=Path("nbs/images/five_steps.png"))
    parser.add_argument("options", nargs="*", help="handed to chained-adv train, after --")
    args = parser.parse_args()
    folders = {s: args.out / f"seed_{s}" for s in args.seeds}
    for seed, folder in folders.items():
        train(folder, seed, args.options)
    print(table(folders))
    print()
    print(stages_table(folders))
    picture(folders, args.picture)


if __name__ == "__main__":
    main()
