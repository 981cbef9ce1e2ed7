"""What each part of the game is worth on its own problems: the default run with one thing changed at a time.

Every variant has the same problems, the same seeds and the same budget of generated tokens. What it is
compared with is `per_test`: the run as it is by default, but with an adapter per stage, which was the default
then, and with the steps of a study (`runs.STUDY_STEPS`).
The results are in `research/data/ablation`.
"""

import json, math
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from statistics import mean as average

from chained_adv.core import ConfigError, Problem, make_rng, stable_hash
from chained_adv.evaluation import Evaluation, evaluate_players, evaluation_from_dict, rows_as_csv
from chained_adv.intervals import Interval
from chained_adv.models import Players
from chained_adv.mutants import find_live_mutants
from chained_adv.sandbox import Sandbox
from chained_adv.config import TrainingConfig
from chained_adv.tracking import Plot, label_of, make_axes, png_bytes, write_json
from chained_adv.trainer import AdversarialTrainer
from research.runs import Key, Variant, claim_folder, finish_runs, over_seeds, variant_config

REFERENCE = "per_test" # what all others are compared with

_DIRECT = dict(chain_stages=(5,), stages=(5,))

VARIANTS = {o.name: o for o in (
    Variant(REFERENCE, "stages together, adversarial, reward per_test, an adapter per stage"),
    Variant("warm", "the model before training", trained=False),
    Variant("warm_direct", "the model before training, code without stages", dict(chain_stages=(5,)), trained=False),
    Variant("direct_baseline", "code without stages, baseline tests as reward", dict(_DIRECT, reward="baseline")),
    Variant("direct_adversarial", "code without stages, tests at the code", _DIRECT),
    Variant("baseline", "staged, no discriminator: baseline tests as reward", dict(reward="baseline")),
    Variant("frozen", "staged, a discriminator that does not learn", dict(n_discriminator_steps=0)),
    Variant("zero_sum", "staged, adversarial, reward zero_sum", dict(reward="zero_sum")),
    Variant("shaped", "staged, adversarial, reward shaped", dict(reward="shaped")),
    Variant("tests_last", "tests at the last stage only", dict(test_stages=(5,))),
    Variant("adapter_per_role", "one adapter per role", dict(adapters="role")),
    Variant("unified", "one adapter for both roles", dict(adapters="unified")),
    Variant("one_by_one", "stages trained one after the other", dict(joint=False)),
    Variant("gae", "a value head and GAE over five turns", dict(advantage="gae")),
    Variant("uniform", "problems drawn uniformly, not by learnability", dict(order="uniform")),
)}

# One run

def run_variant(
    config: TrainingConfig, # Settings of the run
    variant: Variant, # What it is
    problems: list[Problem], # To train on
    held_out: list[Problem], # To measure on
    n_samples: int = 1, # Sampled chains per held-out problem
    n_mutants: int = 6 # Mutants per held-out problem; 0 leaves the mutation score out
) -> Evaluation: # Every observation on the held-out problems
    """Train and measure one variant with one seed, or read what is there.

    A run that was cut off goes on after its last finished stage.
    """
    folder = Path(config.out)
    path = folder / "measurement.json"
    if path.exists(): return evaluation_from_dict(json.loads(path.read_text(encoding="utf-8")))
    with _trained(config, variant, problems, held_out) as trainer:
        if trainer: trainer.train_full_pipeline(resume=folder.exists())
        players = trainer.players if trainer else Players(config.model)
        measured = _measure(players, config, variant.name, held_out, n_samples, n_mutants)
        measured.metrics["trained_tokens"] = trainer.tokens if trainer else 0 # all that was sampled to learn
    write_json(path, measured.as_dict())
    return measured

def _trained(config, variant, problems, held_out):
    "A trainer, or None for a variant that is measured as it is"
    if not variant.trained: return nullcontext()
    return AdversarialTrainer(config, problems, held_out, progress=False, callbacks=variant.callbacks)

def _measure(players, config, name, held_out, n_samples, n_mutants):
    "Measure with mutants and seeds that all variants share"
    with Sandbox(timeout=config.timeout, isolation=config.isolation or None) as box:
        seed = stable_hash("ablation") % 2**32
        mutants = find_live_mutants(held_out, box, n_mutants, seed) if n_mutants else None
        return evaluate_players(players, held_out, box, n_samples, mutants, name=name,
                                seed=stable_hash("ablation", config.seed))

# All runs

def _find_variants(variants):
    "Variants, those given by name among them"
    names = [o for o in variants if isinstance(o, str)]
    if unknown := [o for o in names if o not in VARIANTS]:
        raise ConfigError(f"variant {unknown[0]!r}: choose from {', '.join(VARIANTS)}")
    chosen = [VARIANTS[o] if isinstance(o, str) else o for o in variants]
    if len({o.name for o in chosen}) < len(chosen): raise ConfigError("two variants have the same name")
    return chosen

def _check_study(base, held_out, seeds, jobs):
    if not held_out:
        raise ConfigError("an ablation needs held-out problems to measure on; give at least 5 problems")
    if base.token_budget < 1:
        raise ConfigError("an ablation compares at equal generated tokens: token_budget must be at least 1")
    if jobs < 1 or not seeds or len(set(seeds)) < len(seeds):
        raise ConfigError(f"jobs {jobs} and seeds {list(seeds)}: at least one job, and at least one seed, each once")

def run_ablation(
    base: TrainingConfig, # Settings that all runs share; its `token_budget` must be set
    problems: list[Problem], # To train on
    held_out: list[Problem], # To measure on
    out: str | Path, # The study's folder, with one folder per variant and seed
    variants: Sequence[str | Variant] | None = None, # Their names, or your own; None is all that have names
    seeds: tuple[int, ...] = (0, 1, 2), # One run of each variant per seed
    jobs: int = 1, # Runs at the same time
    n_samples: int = 1, # Sampled chains per held-out problem
    n_mutants: int = 6, # Mutants per held-out problem; 0 leaves the mutation score out
    progress: Callable[[int, int, str], None] = lambda done, total, name: None # Called as runs end
) -> dict[Key, Evaluation]: # One per variant and seed
    "Run all variants with all seeds, or go on with that; raises `ChainedAdvError` when a run failed"
    chosen = _find_variants(VARIANTS if variants is None else variants)
    _check_study(base, held_out, seeds, jobs)
    ids = {k: stable_hash([p.id for p in o]) for k, o in (("problems", problems), ("held_out", held_out))}
    settings = asdict(replace(base, out="", seed=0))
    claim_folder(out, dict(settings=settings, n_samples=n_samples, n_mutants=n_mutants, **ids), "ablation.json")
    tasks: dict[Key, Callable] = {}
    for variant, seed in ((v, s) for s in seeds for v in chosen): # a stopped study has whole comparisons
        config = variant_config(base, variant, seed, Path(out, variant.name, f"seed_{seed}"))
        tasks[variant.name, seed] = partial(run_variant, config, variant, problems, held_out, n_samples, n_mutants)
    done = finish_runs(tasks, jobs, out, progress)
    return {key: done[key] for key in tasks}

# The table

METRICS = ("solved_greedy", "solved", "validity", "fixed_catch_rate")

def seed_rows(
    evaluations: dict[Key, Evaluation] # By variant and seed
) -> list[dict]: # One per variant, seed and metric, as in `seeds.csv`
    "List what each run reached"
    rows = []
    for (name, seed), e in evaluations.items():
        tokens = e.metrics["trained_tokens"]
        for k in METRICS:
            if not e.values.get(k): continue
            value = average(v for _, v in e.values[k])
            rows.append(dict(variant=name, seed=seed, metric=k, value=value, tokens=tokens))
    return rows

def cell_values(
    evaluations: dict[Key, Evaluation] # By variant and seed
) -> dict[tuple[str, str], dict[int, dict[str, float]]]: # (variant, metric) -> seed -> problem -> value
    "Every run's figures, problem by problem"
    found = {}
    for (name, seed), e in evaluations.items():
        for k in METRICS:
            if e.values.get(k): found.setdefault((name, k), {})[seed] = e.by_problem(k)
    return found

def _verdict(gap):
    if gap is None: return ""
    if not (gap.low > 0 or gap.high < 0): return "within noise"
    return "higher" if gap.value > 0 else "lower"

def _known(name): return VARIANTS.get(name, Variant(name, "a variant of its own study"))

def _row(name, metric, at, tokens, cells):
    "Mean and difference of one variant in one metric; None without observations"
    mine = at.get((name, metric))
    if not mine: return None
    other = at.get((REFERENCE, metric), {}) if name != REFERENCE else {}
    gaps = [mine[s] - other[s] for s in mine if s in other] # a seed fixes problems and samples: paired
    mean, gap = over_seeds(list(mine.values())), over_seeds(gaps) if gaps else None
    if (name, metric) in cells:
        mean = _over_cells(cells[name, metric])
        gap = _over_cells(cells[name, metric], cells.get((REFERENCE, metric))) if other else None
    if mean is None: return None
    value, low, high = gap or (None, None, None)
    return dict(variant=name, metric=metric, value=mean.value, low=mean.low, high=mean.high, seeds=len(mine),
                against=REFERENCE if gap else "", difference=value, difference_low=low, difference_high=high,
                verdict=_verdict(gap), tokens=round(average(tokens.values())))

def two_level_interval(
    cells: dict[Hashable, dict[Hashable, float]], # Run -> problem -> value, or difference of two variants
    seed: int = 0, # Seed of the resampling
    resamples: int = 1000 # Number of resampled means
) -> Interval: # The mean over runs and problems, and its 95 % interval
    """Bootstrap a mean over runs and problems, both drawn with replacement.

    Another study would have other seeds and other problems, and an interval over the runs' means ignores the
    second. So we draw both and take the mean over what they share (a crossed bootstrap, Owen 2007,
    https://arxiv.org/abs/0710.0282, section 2). Means of n runs drawn from n vary less than the runs do, by the
    factor (n - 1)/n, so we widen their deviations accordingly.
    """
    problems, rows = list(dict.fromkeys(p for row in cells.values() for p in row)), list(cells.values())
    if not problems or not all(rows): raise ValueError(f"not all of {len(rows)} runs have values; omit those")
    rng, n, means, whole = make_rng(seed, "two levels"), len(rows), [], [average(r.values()) for r in rows]
    wider = math.sqrt(n / (n - 1)) if n > 1 else 1.
    for _ in range(resamples):
        drawn_problems = rng.choices(problems, k=len(problems))
        there = [[row[p] for p in drawn_problems if p in row] for row in rows]
        by_run = [sum(o) / len(o) if o else mean for o, mean in zip(there, whole)]
        centre = sum(by_run) / n
        drawn = rng.choices(by_run, k=n)
        means.append(centre + wider * (sum(drawn) / n - centre))
    means.sort()
    cut = resamples // 40 # 2.5 % at each end
    return Interval(average(whole), means[cut], means[-1 - cut])

def _over_cells(mine, other=None):
    "Mean and interval over runs and problems of a variant, or of its differences to another"
    if other is None: return two_level_interval(mine)
    both = {s: mine[s].keys() & other[s].keys() for s in mine if s in other}
    gaps = {s: {p: mine[s][p] - other[s][p] for p in sorted(shared)} for s, shared in both.items() if shared}
    return two_level_interval(gaps) if gaps else None

def ablation_rows(
    seeds: list[dict], # Of `seed_rows`
    cells: dict | None = None # Of `cell_values`; with them intervals are over runs and problems
) -> list[dict]: # One per variant and metric, as in `ablation.csv`
    """Means over seeds, and differences to the variant that each is compared with.

    Differences are taken seed by seed, because a seed fixes the order of the problems and the samples of the
    evaluation. A difference whose interval holds 0 is within noise. With all observations at hand
    (`cell_values`), the intervals are over runs and problems, because other problems would have given other
    rates; of a CSV file only the runs are known.
    """
    at, tokens = {}, {}
    for r in seeds:
        at.setdefault((r["variant"], r["metric"]), {})[r["seed"]] = r["value"]
        tokens.setdefault(r["variant"], {})[r["seed"]] = r["tokens"]
    pairs = [(name, metric) for name in tokens for metric in METRICS]
    rows = [_row(name, metric, at, tokens[name], cells or {}) for name, metric in pairs]
    return [r for r in rows if r]

def _percent(value, low, high):
    if low != low: return f"{value:.0%} (one run)" # NaN differs from itself
    return f"{value:.0%} ({max(low, 0):.0%} to {min(high, 1):.0%})"

def _points(r):
    if r["difference"] is None: return ""
    value, low, high = (100 * r[k] for k in ("difference", "difference_low", "difference_high"))
    interval = f" ({low:+.0f} to {high:+.0f})" if low == low else ""
    clear = f" {r['verdict']}" if r["verdict"] in ("higher", "lower") else ""
    return f"{value:+.0f}{interval}{clear}"

def _line(cells): return "| " + " | ".join(cells) + " |"

def ablation_table(
    rows: list[dict] # Of `ablation_rows`
) -> str: # Markdown
    "The study as one table"
    at = {(r["variant"], r["metric"]): r for r in rows}
    shown = [m for m in METRICS if any(r["metric"] == m for r in rows)]
    gap = f"{shown[0].replace('_', ' ')}, points to {REFERENCE}"
    head = ["variant", "what it is", *map(label_of, shown), gap, "seeds", "tokens"]
    lines = [_line(head), "|" + "---|" * len(head)]
    for name in dict.fromkeys(r["variant"] for r in rows):
        cells = [at.get((name, m)) for m in shown]
        rates = [_percent(c["value"], c["low"], c["high"]) if c else "" for c in cells]
        any_cell = next(c for c in cells if c)
        lines.append(_line([f"`{name}`", _known(name).title, *rates, _points(cells[0]) if cells[0] else "",
                            str(any_cell["seeds"]), f"{any_cell['tokens']:,}"]))
    return "\n".join(lines)

_CLEAR = {"higher": "#0072B2", "lower": "#D55E00"}

def _panel(ax, rows, seeds, names):
    "One metric of all variants"
    for r in rows:
        y, colour = names.index(r["variant"]), _CLEAR.get(r["verdict"], "#444444")
        low, high = max(r["low"], 0), min(r["high"], 1)
        if r["low"] == r["low"]: ax.plot((low, high), (y, y), color=colour, linewidth=1.6)
        runs = [o["value"] for o in seeds if (o["variant"], o["metric"]) == (r["variant"], r["metric"])]
        ax.plot(runs, [y + .22] * len(runs), ".", color="#999999", markersize=4)
        ax.plot([r["value"]], [y], "o", color=colour, markersize=5)
        if r["variant"] == REFERENCE: ax.axvline(r["value"], color="#bbbbbb", linewidth=1, zorder=0)
    ax.set_title(label_of(rows[0]["metric"]), fontsize=10)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color="#eeeeee")

def plot_ablation(
    rows: list[dict], # Of `ablation_rows`
    seeds: list[dict], # Of `seed_rows`
    metrics: tuple[str, ...] = METRICS # One panel each
) -> Plot: # Variants from top to bottom
    "Plot every variant's mean with its interval, its runs as small dots, and the default as a line; blue is higher"
    names = list(dict.fromkeys(r["variant"] for r in seeds))
    shown = [m for m in metrics if any(r["metric"] == m for r in rows)]
    size = (2.3 + 2.5 * len(shown), 1.2 + .32 * len(names))
    fig, axes = make_axes("Ablation, 95 % intervals", 1, len(shown), size, sharey=True)
    for ax, metric in zip(axes, shown): _panel(ax, [r for r in rows if r["metric"] == metric], seeds, names)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - .5, -.5)
    return fig

def save_ablation(
    evaluations: dict[Key, Evaluation], # By variant and seed
    out: str | Path # The study's folder
) -> list[dict]: # Of `ablation_rows`, with intervals over runs and problems
    "Write `ablation.csv`, `ablation.md`, `ablation.png` and `seeds.csv`"
    out, seeds = Path(out), seed_rows(evaluations)
    rows = ablation_rows(seeds, cell_values(evaluations))
    short = lambda rows: [{k: round(v, 4) if isinstance(v, float) else v for k, v in r.items()} for r in rows]
    (out / "ablation.csv").write_text(rows_as_csv(short(rows)), encoding="utf-8")
    (out / "seeds.csv").write_text(rows_as_csv(short(seeds)), encoding="utf-8")
    (out / "ablation.md").write_text(ablation_table(rows) + "\n", encoding="utf-8")
    (out / "ablation.png").write_bytes(png_bytes(plot_ablation(rows, seeds), dpi=150))
    return rows
