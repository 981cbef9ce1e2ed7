"""What a study found: from the runs' files to one table, one diagram and one sentence.

An arm *pays* in a cell when it beats the best control at equal generated tokens and the 95 % interval of the
paired difference over seeds is above zero. One seed has no interval, so nothing pays on one seed.
"""

import math
from collections import defaultdict
from pathlib import Path
from statistics import mean as average
from typing import Any

from chained_adv.intervals import mean_interval
from chained_adv.tracking import Plot, make_axes, png_bytes
from research.arms import STUDIES, Study
from research.limits import LEVELS
from research.runs import over_seeds
from research.steps import DEPTHS

def values_by_arm(
    results: list[dict[str, Any]], # Of `read_results`
    metric: str = "solved_greedy" # Which rate
) -> dict[str, dict[str, dict[int, float]]]: # cell -> arm -> seed -> value
    "Collect one rate of all runs"
    found: dict = defaultdict(lambda: defaultdict(dict))
    for r in results:
        if r.get(metric) is not None: found[r["cell"]][r["arm"]][r["seed"]] = r[metric]
    return found

def best_control(
    study: Study, # Whose controls
    arms: dict[str, dict[int, float]] # Arm -> seed -> value, of one cell
) -> str: # Empty when none has run
    "Name the control that others must beat: the one with the highest mean, even if it was only lucky"
    there = [o for o in study.controls if arms.get(o)]
    return max(there, key=lambda o: average(arms[o].values()), default="")

def _arm_row(cell, name, mine, control, other):
    "A row of the table"
    shared = [s for s in mine if s in other]
    gap = over_seeds([mine[s] - other[s] for s in shared]) if shared and control != name else None
    mean = over_seeds(list(mine.values()))
    return dict(cell=cell, arm=name, value=mean.value, low=mean.low, high=mean.high, seeds=len(mine),
                against=control if gap else "", difference=gap and gap.value, gap_low=gap and gap.low,
                gap_high=gap and gap.high, pays=bool(gap and gap.low > 0))

def arm_rows(
    study: Study, # The question
    results: list[dict[str, Any]], # Of `read_results`
    metric: str = "solved_greedy" # Which rate
) -> list[dict[str, Any]]: # One per cell and arm
    "Means over seeds, and differences to the best control of the cell"
    rows = []
    for cell, arms in values_by_arm(results, metric).items():
        control = best_control(study, arms)
        other = arms.get(control, {})
        rows += [_arm_row(cell, o, arms[o], control, other) for o in study.arms if arms.get(o)]
    return rows

def _rate(r):
    if r["low"] != r["low"]: return f"{r['value']:.0%} (one run)" # NaN differs from itself
    return f"{r['value']:.0%} ({max(r['low'], 0):.0%} to {min(r['high'], 1):.0%})"

def _gap(r):
    if r["difference"] is None: return ""
    known = r["gap_low"] == r["gap_low"] # NaN of a single pair
    interval = f" ({100 * r['gap_low']:+.0f} to {100 * r['gap_high']:+.0f})" if known else ""
    return f"{round(100 * r['difference']) or 0:+d}{interval}{' pays' if r['pays'] else ''}"

def study_table(
    study: Study, # The question
    results: list[dict[str, Any]] # Of `read_results`
) -> str: # Markdown
    "The study as one table, cell by cell"
    tokens: dict = defaultdict(list)
    for r in results: tokens[r["cell"], r["arm"]].append(r["tokens"])
    lines = ["| cell | arm | solved greedy | points to the best control | seeds | tokens, mean |"]
    lines.append("|---" * 6 + "|")
    for r in arm_rows(study, results):
        gap = _gap(r) + (f", {r['against']}" if r["against"] else "")
        lines.append(f"| {r['cell']} | `{r['arm']}` {study.arms[r['arm']].title} | {_rate(r)} | {gap} "
                     f"| {r['seeds']} | {average(tokens[r['cell'], r['arm']]):,.0f} |")
    return "\n".join(lines)

# The tester of the diagram is one arm, named before the study, because the best of several would look a
# little better than it is. It is the one that writes inputs, which was ahead on seed 0.
LEARNED = "learning_inputs"

def phase_rows(
    results: list[dict[str, Any]], # Of `read_results`, of the study of the adversary
    arm: str = LEARNED # Which learned tester
) -> list[dict[str, Any]]: # One per cell: its place, share and detected, and the arm's row
    "Compare a learned tester with the best control of each cell"
    study, found = STUDIES["adversary"], []
    rows = arm_rows(study, results)
    for cell in study.cells:
        share = LEVELS[cell.level].share
        found += [dict(r, place=(cell.level, cell.words), share=share, detected=cell.detected)
                  for r in rows if (r["cell"], r["arm"]) == (cell.name, arm) and r["against"]]
    return found

def plot_phases(
    results: list[dict[str, Any]], # Of `read_results`, of the study of the adversary
    arm: str = LEARNED # Which learned tester
) -> Plot: # One point per cell
    """Plot where the adversary pays.

    From left to right bugs get rarer, at the far right the constant is in words; from bottom to top baselines
    show more of the bugs. Each cell says by how many points a learned tester beats the best control: blue
    pays, red is below with its whole interval, grey is neither.
    """
    fig, (ax,) = make_axes(f"{arm} against the best control, points", 1, 1, (6, 3.2))
    places = [(o, False) for o in LEVELS] + [("rare", True)]
    for r in phase_rows(results, arm):
        x, y = places.index(r["place"]), r["detected"]
        colour = "#0072B2" if r["pays"] else "#D55E00" if r["gap_high"] < 0 else "#999999"
        ax.scatter([x], [y], s=900, color=colour)
        ax.text(x, y, f"{round(100 * r['difference']) or 0:+d}", ha="center", va="center", color="white")
    titles = [f"{100 * LEVELS[o].share:g} %" + words * "\nin words" for o, words in places]
    ax.set_xticks(range(len(places)), titles)
    ax.set_xlim(-.5, len(places) - .5)
    ax.set_ylim(-.3, 1.3)
    ax.set_yticks([0, .5, 1], ["none", "half", "all"])
    ax.set_xlabel("inputs from -999 to 999 that show a bug")
    ax.set_ylabel("bugs that baselines show")
    return fig

def answer_tokens(
    depth: int # Of a problem
) -> dict[str, int]: # Format -> tokens of a right answer, end tokens included
    "Count the tokens of an answer, by format"
    return dict(direct=depth + 3, staged=7 * depth + 5, restated=27 + 1 + depth + 3)

def samples_paid(
    depth: int # Of a problem
) -> int: # At least 1
    "Count the direct answers that cost as much as a staged one, rounded up"
    tokens = answer_tokens(depth)
    return math.ceil(tokens["staged"] / tokens["direct"])

def depth_values(
    results: list[dict[str, Any]] # Of `read_results`, of the study of stages
) -> dict[str, dict[int, dict[int, float]]]: # arm -> depth -> seed -> share; `_best` is best of N
    "Collect the shares solved by depth; `_best` is the share that some of N samples solve"
    found: dict = defaultdict(lambda: defaultdict(dict))
    for r in results:
        for depth in DEPTHS:
            at = r["by_tag"].get(f"depth-{depth}", {})
            if at.get("solved_greedy") is not None: found[r["arm"]][depth][r["seed"]] = at["solved_greedy"]
            if r["arm"] in ("direct", "warm_direct") and at.get("best_of"):
                n = min(samples_paid(depth), len(at["best_of"]))
                found[r["arm"] + "_best"][depth][r["seed"]] = at["best_of"][n - 1]
    return found

GATE = .9
RIVALS = ("direct", "direct_best", "restated", "warm_direct", "warm_direct_best", "warm_restated")

def crossing_depth(
    results: list[dict[str, Any]], # Of `read_results`, of the study of stages
    arm: str = "joint" # Which staged arm
) -> tuple[int | None, str]: # (depth, or None; why)
    """Find the depth from which on a staged arm is above all rivals.

    Rivals are direct code, its best of N and the restated control, before and after training, each with its
    paired interval above zero. No depth is reported unless direct code, trained, solves nine of ten problems
    of depth 1.
    """
    values = depth_values(results)
    first = values["direct"].get(1, {})
    if not first: return None, "direct code has not run"
    if not values["restated"]: return None, "the restated control has not run"
    share = average(first.values())
    if share < GATE: return None, f"direct code solves {share:.0%} at depth 1, and {GATE:.0%} is the gate"
    rivals, depths = [o for o in RIVALS if values[o]], sorted(values[arm])
    above = {d for d in depths if all(_above(values[arm][d], values[o].get(d, {})) for o in rivals)}
    from_here = [d for d in depths if above.issuperset(depths[depths.index(d):])]
    if from_here: return from_here[0], f"above {', '.join(rivals)} from depth {from_here[0]} on"
    return None, f"{arm} is above all of {', '.join(rivals)} at the depths {sorted(above)} alone"

def _above(mine, other):
    "True if the paired interval is above zero"
    gaps = [mine[s] - other[s] for s in mine if s in other]
    return len(gaps) > 1 and mean_interval(gaps).low > 0

_COLOURS = dict(direct="#D55E00", restated="#999999", staged="#0072B2", joint="#56B4E9",
                last_stage="#009E73")

def _line_style(arm):
    "Colour and dashes of an arm: dotted before training, dashed for best of N"
    dashes = "--" if arm.endswith("_best") else ":" if arm.startswith("warm_") else "-"
    return dict(color=_COLOURS[arm.removeprefix("warm_").removesuffix("_best")], linestyle=dashes)

def plot_depths(
    results: list[dict[str, Any]] # Of `read_results`, of the study of stages
) -> Plot: # One line per arm
    "Plot the shares solved by depth"
    fig, (ax,) = make_axes("Solved by depth", 1, 1, (7.2, 3.4))
    for arm, by_depth in depth_values(results).items():
        depths = sorted(by_depth)
        means = [average(by_depth[d].values()) for d in depths]
        line, = ax.plot(depths, means, marker="o", markersize=4, label=arm, **_line_style(arm))
        spans = [over_seeds(list(by_depth[d].values())) for d in depths]
        if spans[0].low == spans[0].low and line.get_linestyle() == "-":
            low, high = [o.low for o in spans], [o.high for o in spans]
            ax.fill_between(depths, low, high, color=line.get_color(), alpha=.15)
    ax.set_xlabel("depth")
    ax.set_ylabel("share solved")
    ax.set_ylim(-.03, 1.03)
    ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return fig

def _bar_colour(study, arm):
    if arm.startswith("warm") or arm in study.controls: return "#999999"
    return "#56B4E9" if study.arms[arm].changes.get("n_discriminator_steps") == 0 else "#0072B2"

def plot_arms(
    results: list[dict[str, Any]] # Of `read_results`
) -> Plot: # One bar per arm, cells one below the other
    "Plot the shares solved by arm: grey claims nothing, pale does not learn, dark learns"
    study = STUDIES[results[0]["study"]]
    rows = arm_rows(study, results)[::-1]
    fig, (ax,) = make_axes("Solved on held-out problems, greedy", 1, 1, (6, .8 + .25 * len(rows)))
    ax.barh(range(len(rows)), [r["value"] for r in rows], color=[_bar_colour(study, r["arm"]) for r in rows])
    for y, r in enumerate(rows):
        if r["low"] == r["low"]: ax.plot([max(r["low"], 0), min(r["high"], 1)], [y, y], color="black")
    ax.set_yticks(range(len(rows)), [f"{r['arm']} ({r['cell']})" for r in rows])
    ax.set_xlim(0, 1)
    return fig

def save_findings(
    name: str, # Key of `STUDIES`
    results: list[dict[str, Any]], # Of `read_results`
    out: str | Path # The study's folder
) -> list[Path]: # The files
    "Write `study.md` and `study.png`"
    plot = dict(stages=plot_depths, adversary=plot_phases, weak=plot_arms)[name]
    table, picture = Path(out, "study.md"), Path(out, "study.png")
    table.write_text(study_table(STUDIES[name], results) + "\n", encoding="utf-8")
    picture.write_bytes(png_bytes(plot(results), dpi=110))
    return [table, picture]
