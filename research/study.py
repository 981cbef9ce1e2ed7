"""Running a study: every arm, cell and seed leaves one small file, `CELL/ARM/seed_N.json`, meant to be committed.

What is there is not done again, so a stopped study goes on. Cells come in the study's order and within a cell
seed by seed, so that a stopped study has whole comparisons. Warm starts that are missing are made first, side
by side like the runs. A run's own folder, with its checkpoints, is in `.work` and goes when its file is
written.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean as average
from typing import Any

from chained_adv.core import ConfigError, Problem, stable_hash
from chained_adv.evaluation import Evaluation, evaluate_players
from chained_adv.intervals import pass_at_k
from chained_adv.models import Players
from chained_adv.sandbox import Sandbox
from chained_adv.tracking import write_json
from chained_adv.trainer import AdversarialTrainer
from research.accuracy import value_accuracy
from research.arms import STUDIES, Cell, Study, cell_arms, get_study, study_config, study_problems
from research.runs import Variant, claim_folder, finish_runs
from research.warm import chosen_recipe, world_folder, world_model


@dataclass(frozen=True)
class Run:
    "One arm in one cell with one seed"
    study: str # Key of `STUDIES`
    cell: Cell # The world's setting
    arm: Variant # What is changed
    seed: int # Of problems and training
    model: str # Warm start; empty takes the seed's own of the world, and makes it when it is missing
    budget: int # Generated tokens
    out: str # The study's folder
    samples: int = 6 # Sampled answers per held-out problem

    @property
    def path(self) -> Path:
        "The file that the run leaves"
        return Path(self.out, self.cell.name, self.arm.name, f"seed_{self.seed}.json")

    @property
    def work(self) -> Path:
        "The run's folder while it trains"
        return Path(self.out, ".work", f"{self.cell.name}-{self.arm.name}-{self.seed}")


# What is measured

def best_of(
    measured: Evaluation, # With several samples per problem
    samples: int # Per problem
) -> list[float]: # For N from 1 to the number of samples
    "Estimate without bias the share of problems that some of N answers solve"
    right = defaultdict(float)
    for g, v in measured.values["solved"]: right[g] += v
    if not right: return []
    return [sum(pass_at_k(samples, int(c), n) for c in right.values()) / len(right) for n in range(1, samples + 1)]

def _share(measured, metric):
    values = [v for _, v in measured.values.get(metric, ())]
    return sum(values) / len(values) if values else None

METRICS = ("solved_greedy", "solved", "validity", "bug_catch_rate")

def measured_facts(
    measured: Evaluation, # On the held-out problems
    problems: list[Problem], # These
    samples: int # Sampled answers per problem
) -> dict[str, Any]: # For the run's file
    "Sum up rates in all and by tag, best of N, and the tokens of an answer"
    by_tag = {}
    for tag in sorted({p.tags[0] for p in problems}):
        part = measured.with_tag(tag)
        by_tag[tag] = {k: _share(part, k) for k in METRICS[:2]} | dict(best_of=best_of(part, samples))
    rates = {k: _share(measured, k) for k in METRICS}
    tokens = measured.metrics["generated_tokens"] / (samples * len(problems))
    return rates | dict(best_of=best_of(measured, samples), by_tag=by_tag, answer_tokens=tokens, problems=len(problems))

TESTED = 40 # Sampled answers that get tests when an adversary is measured

def _measure(players, run, held_out):
    "Greedy and sampled answers on the held-out problems, tests about some where an adversary is studied"
    tested = 0 if run.study == "stages" else TESTED
    with Sandbox() as box:
        measured = evaluate_players(players, held_out, box, run.samples, tested=tested,
                                    seed=stable_hash("study", run.seed))
        of_inputs = value_accuracy(players, held_out, box) if players.config.tests == "inputs" else ()
    facts = measured_facts(measured, held_out, run.samples)
    return facts | dict(value_accuracy=average(v for _, v in of_inputs) if of_inputs else None)


# One run

def unshared_problems(
    held_out: list[Problem], # All of them
    train: list[Problem] # What is trained on
) -> list[Problem]: # Those whose reference no training problem has
    """Choose the held-out problems that the trainer takes.

    The trainer refuses a held-out problem that has the program of a training problem. With one step there are
    eighteen programs and no more, so there only the description is held out: the look-up is what is asked
    for. The trainer only reports on held-out problems; the study measures all.
    """
    known = {p.reference_solution for p in train}
    return [p for p in held_out if p.reference_solution not in known]

def _trained(run, config, train, held_out):
    "(players after training, tokens, seconds)"
    unshared = unshared_problems(held_out, train)
    with AdversarialTrainer(config, train, unshared, progress=False, callbacks=run.arm.callbacks) as trainer:
        summary = trainer.train_full_pipeline(resume=run.work.exists())
        return trainer.players, trainer.tokens, summary["seconds"]

def do_run(
    run: Run # What to do
) -> dict[str, Any]: # What its file holds
    "Train and measure, or read what is there"
    if run.path.exists(): return json.loads(run.path.read_text(encoding="utf-8"))
    study = STUDIES[run.study]
    model = run.model or str(world_model(study.world, seed=run.seed, progress=False))
    train, held_out = study_problems(study, run.cell, run.seed)
    config = study_config(study, run.arm, run.seed, run.work, model, run.budget)
    if run.arm.trained: players, tokens, seconds = _trained(run, config, train, held_out)
    else: players, tokens, seconds = Players(config.model), 0, 0.
    facts = dict(study=run.study, cell=run.cell.name, arm=run.arm.name, seed=run.seed, model=Path(model).name,
                 budget=run.budget, tokens=tokens, seconds=round(seconds, 1))
    facts |= _measure(players, run, held_out)
    run.path.parent.mkdir(parents=True, exist_ok=True)
    write_json(run.path, facts)
    shutil.rmtree(run.work, ignore_errors=True)
    return facts


# All runs

def study_runs(
    study: Study, # The question
    seeds: tuple[int, ...], # One run of each arm and cell per seed
    out: str | Path, # The study's folder
    small: bool = False, # True for the main arms in the cells that decide
    model: str | Path = "", # Warm start of all; empty: each seed has its own
    budget: int = 0, # Generated tokens of a run; 0 is the study's
    chosen: tuple[str, ...] = () # Names of arms; none: all
) -> list[Run]: # In the order in which they are done
    "List the runs of a study"
    if odd := [o for o in chosen if o not in study.arms]:
        raise ConfigError(f"arms {', '.join(odd)}: study {study.name} has {', '.join(study.arms)}")
    cells = [o for o in study.cells if not small or o.name in study.small_cells]
    tokens = budget or study.budget
    runs = [Run(study.name, cell, arm, seed, str(model), tokens, str(out))
            for cell in cells for seed in seeds for arm in cell_arms(study, cell, small)
            if not chosen or arm.name in chosen]
    if not runs: raise ConfigError(f"study {study.name}{' --small' * small} has no run of {', '.join(chosen)}")
    return runs

def study_tasks(
    study: Study, # The question
    runs: list[Run] # From `study_runs`
) -> dict[tuple[str, int], Callable]: # For `finish_runs`, under the run's name and seed
    "List what is to be done: warm starts that runs still need, then the runs"
    needed = dict.fromkeys(o.seed for o in runs if not o.model and not o.path.exists())
    starts = {("warm start", s): partial(world_model, study.world, seed=s, progress=False) for s in needed}
    return starts | {(f"{o.cell.name} {o.arm.name}", o.seed): partial(do_run, o) for o in runs}

def run_study(
    name: str, # Key of `STUDIES`
    out: str | Path, # The study's folder
    seeds: tuple[int, ...], # One run of each arm and cell per seed
    jobs: int = 1, # Runs at the same time
    small: bool = False, # True for the main arms in the cells that decide
    model: str | Path = "", # Warm start; empty takes that of the world, and makes it when it is missing
    budget: int = 0, # Generated tokens of a run; 0 is the study's
    chosen: tuple[str, ...] = (), # Names of arms; none: all
    progress: Callable[[int, int, str], None] = lambda done, total, name: None # Called as runs end
) -> list[dict[str, Any]]: # What the runs' files hold
    "Do what is missing of a study; raises `ChainedAdvError` when a run failed"
    study = get_study(name)
    if jobs < 1 or not seeds or len(set(seeds)) < len(seeds):
        raise ConfigError(f"jobs {jobs} and seeds {list(seeds)}: at least one job, and seeds, each once")
    if model and Path(model).is_dir(): model = Path(model).resolve()
    if not model and study.world == "tiny": model = "tiny"
    known = model or world_folder(chosen_recipe(study.world))
    claim_folder(out, dict(study=name, model=Path(known).name, budget=budget or study.budget), "study.json")
    tasks = study_tasks(study, study_runs(study, seeds, out, small, model, budget, chosen))
    done = finish_runs(tasks, jobs, out, progress)
    return [done[key] for key in tasks if key[0] != "warm start"]

def read_results(
    out: str | Path # A study's folder
) -> list[dict[str, Any]]: # What the runs' files hold, in the order of cells, arms and seeds
    "Read what a study's folder holds so far"
    results = [json.loads(o.read_text(encoding="utf-8")) for o in sorted(Path(out).glob("*/*/seed_*.json"))]
    cells = {c.name: i for s in STUDIES.values() for i, c in enumerate(s.cells)}
    arms = {name: i for s in STUDIES.values() for i, name in enumerate(s.arms)}
    return sorted(results, key=lambda r: (cells[r["cell"]], arms[r["arm"]], r["seed"]))
