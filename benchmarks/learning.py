"""Does the default run learn? Train with several seeds and tell what changed, with the picture.

python benchmarks/learning.py [--seeds 500 501 ...] [--out runs/learning] [--picture nbs/images/five_steps.png] [-- TRAIN OPTIONS]

Each seed is one `chained-adv train` in a process of its own, as a user would start it; a finished run folder
is not trained again, so `--out benchmarks/default` shows the committed runs. Prints tables in Markdown: before and after
on problems never seen and on those trained on, and the greedy rate after each stage, by habit.
"""

import argparse, json, subprocess, sys
from pathlib import Path
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from chained_adv.intervals import mean_interval
from chained_adv.tracking import read_evaluations

RATES = {
    "solved_greedy": "solved, greedy",
    "solved": "solved, sampled",
    "validity": "valid tests",
    "mutation_score": "mutants caught",
}


def train(folder, seed, options):
    if (folder / "summary.json").exists():
        return
    command = [Path(sys.executable).with_name("chained-adv"), "train", "--seed", str(seed), "--out", str(folder)]
    subprocess.run([*command, "--overwrite", *options], check=True)


def stage_rows(folder, split="held_out"):
    return {r["stage"]: r for r in read_evaluations(folder) if r["split"] == split}


def habit_rates(row):
    return {t: r["solved_greedy"] for t, r in sorted(row["by_tag"].items()) if t.startswith("habit-")}


def values_of(folder, split):
    "Name of a column -> (before, after)"
    summary, rows = json.loads((folder / "summary.json").read_text()), stage_rows(folder, split)
    ends = [habit_rates(rows[s]) for s in (min(rows), max(rows))]
    found = {
        name: tuple(summary[end][split][key]["value"] for end in ("before", "after"))
        for key, name in RATES.items()
    }
    found["no habit, greedy"] = tuple(o["habit-0"] for o in ends)
    found["lowest of the five habits, greedy"] = tuple(min(v for t, v in o.items() if t[-1] != "0") for o in ends)
    return found


def mean_pair(before, after):
    "Means over seeds, with the interval of the second"
    i = mean_interval(list(after))
    return f"{sum(before) / len(before):.2f} -> {i.value:.2f} ({i.low:.2f}-{i.high:.2f})"


def table(folders, split="held_out"):
    "One row per seed; their mean, with Student's 95 % interval over seeds after training; the lowest after training"
    values = {seed: values_of(folder, split) for seed, folder in folders.items()}
    names = list(next(iter(values.values())))
    out = [f"| seed | {' | '.join(names)} | seconds |", "|" + "---|" * (len(names) + 2)]
    pair = lambda before, after: f"{before:.2f} -> {after:.2f}"
    for seed, found in values.items():
        seconds = json.loads((folders[seed] / "summary.json").read_text())["seconds"]
        out.append(f"| {seed} | {' | '.join(pair(*found[k]) for k in names)} | {seconds:.0f} |")
    columns = {k: list(zip(*(found[k] for found in values.values()))) for k in names}
    out.append(f"| mean | {' | '.join(mean_pair(*both) for both in columns.values())} | |")
    out.append(f"| lowest | {' | '.join(f'{min(after):.2f}' for _, after in columns.values())} | |")
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
    parser.add_argument("--seeds", type=int, nargs="+", default=range(500, 508))
    parser.add_argument("--out", type=Path, default=Path("runs/learning"))
    parser.add_argument("--picture", type=Path, default=Path("nbs/images/five_steps.png"))
    parser.add_argument("options", nargs="*", help="handed to chained-adv train, after --")
    args = parser.parse_args()
    folders = {s: args.out / f"seed_{s}" for s in args.seeds}
    for seed, folder in folders.items():
        train(folder, seed, args.options)
    for split in ("held_out", "train"):
        print(f"{split}\n\n{table(folders, split)}\n")
    print(stages_table(folders))
    picture(folders, args.picture)


if __name__ == "__main__":
    main()
