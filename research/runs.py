"""What all studies share: a run with something changed, several runs side by side, a folder that can be gone on with.

A study compares variants of the same trainer. A variant is a name and a few changed settings (and an oracle,
where a study has no reference): the trainer knows nothing of studies. All variants may generate the same
number of tokens while they train, counted over both players. A variant that saves tokens (no tests, no
stages) may spend them on more steps.
"""

import json
import os
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, fields, replace
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

import torch

from chained_adv.callbacks import Callback
from chained_adv.core import ChainedAdvError, ConfigError
from chained_adv.intervals import Interval, mean_interval
from chained_adv.config import TrainingConfig
from chained_adv.trainer import check_config
from chained_adv.tracking import write_json
from research.oracles import Oracle

# Steps of the phases and samples of a step, the same in all studies. A token budget turns the steps into
# shares. By default most discriminator steps come before five stages; here a run may have one stage, so they
# are shared evenly.
STUDY_STEPS = dict(
    first_discriminator_steps=3, n_discriminator_steps=3, n_generator_steps=5, k_alternating_steps=1,
    problems_per_step=24, n_samples=8, n_lists=4, n_programs=3)

Key = tuple[str, int] # name of a variant, and seed


@dataclass(frozen=True)
class Variant:
    "A run with something changed"
    name: str # In folders and tables
    title: str # What it is, in words
    changes: dict[str, Any] = field(default_factory=dict) # Name of a setting -> value
    trained: bool = True # False: measured as it is, before training
    oracle: str = "" # Key of `oracles.ORACLES`; empty: the reference says which tests count in training

    @property
    def callbacks(self) -> list[Callback]: # New ones
        "What the trainer of the variant gets in addition to its settings"
        return [Oracle(self.oracle)] if self.oracle else []


def change_settings(
    config: TrainingConfig, # Where to begin
    changes: dict[str, Any], # Name of a setting -> value
    whose: str # Who asks for it, for the message
) -> TrainingConfig: # With the changes
    "Change settings of a run, of its model or of its update, by the names of their fields; raises `ConfigError`"
    parts = dict(run=config, model=config.model, ppo=config.ppo)
    names = {k: {f.name for f in fields(o)} for k, o in parts.items()}
    if unknown := [k for k in changes if not any(k in o for o in names.values())]:
        raise ConfigError(f"{whose}: {', '.join(unknown)} is no setting of a run, its model or its update")
    new = {k: replace(o, **{n: v for n, v in changes.items() if n in names[k]}) for k, o in parts.items()}
    return replace(new["run"], model=new["model"], ppo=new["ppo"])


def variant_config(
    base: TrainingConfig, # Settings that all share
    variant: Variant, # What is changed
    seed: int, # Of this run
    out: str | Path # Its folder
) -> TrainingConfig: # Its settings
    "Build the settings of one run; raises `ConfigError` when they cannot work"
    changed = change_settings(base, variant.changes, f"variant {variant.name}")
    config = replace(changed, out=str(out), seed=seed)
    if variant.trained: check_config(config)
    return config


def over_seeds(
    values: list[float] # One per run; at least one
) -> Interval: # Bounds are NaN for a single run
    "Mean over runs with Student's interval: three runs are few, so the interval is wide, and means what it says"
    return mean_interval(values) if len(values) > 1 else Interval(values[0], float("nan"), float("nan"))


# Runs side by side

def _begin_job():
    "One thread for torch; the job ends when the process that started it is killed"
    torch.set_num_threads(1)
    if parent := parent_process(): Thread(target=_end_after, args=(parent,), daemon=True).start()

def _end_after(parent):
    parent.join()
    os._exit(1)

def run_tasks(
    tasks: dict[Key, Callable], # Key of a run -> what does it; with several jobs it must pickle
    jobs: int # Runs at the same time, each in a process of its own
) -> Iterator[tuple[Key, Callable]]: # (key, call that gives the result or raises), as runs end
    "Do runs, side by side with several jobs"
    if jobs == 1:
        yield from tasks.items()
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin_job) as pool:
        waiting = {pool.submit(run): key for key, run in tasks.items()}
        try:
            for future in as_completed(waiting): yield waiting[future], future.result
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise

def finish_runs(
    tasks: dict[Key, Callable], # Key of a run -> what does it
    jobs: int, # Runs at the same time
    out: str | Path, # Where notes about failed runs go
    progress: Callable[[int, int, str], None] # Called with (runs ended, all runs, name) as runs end
) -> dict[Key, Any]: # Results by key
    "Do all runs; when some fail, leave notes, finish the others, then raise `ChainedAdvError`"
    done, failed = {}, {}
    for key, result in run_tasks(tasks, jobs):
        note = Path(out, f"failed_{key[0]}_{key[1]}.txt")
        try:
            done[key] = result()
            note.unlink(missing_ok=True)
        except Exception as e:
            failed[key] = e
            note.write_text("".join(traceback.format_exception(e)), encoding="utf-8")
        name = f"{key[0]}, seed {key[1]}" + (" failed" if key in failed else "")
        progress(len(done) + len(failed), len(tasks), name)
    if not failed: return done
    (name, seed), error = next(iter(failed.items()))
    raise ChainedAdvError(f"{len(failed)} of {len(tasks)} runs failed; the first, {name} with seed {seed}: {error}. "
                          f"The others are kept in {out}; the same command goes on with what is missing")


def claim_folder(
    out: str | Path, # The study's folder
    facts: dict[str, Any], # Settings that its runs share, as plain values
    name: str # The file that holds them
):
    "Take a folder for a study, or go on with the same study in it; raises `ConfigError` when it holds something else"
    path = Path(out) / name
    if Path(out).exists() and any(Path(out).iterdir()) and not path.exists():
        raise ConfigError(f"{out} holds files but no {name}, so nothing in it is touched; choose another folder")
    facts = json.loads(json.dumps(facts))
    saved = json.loads(path.read_text(encoding="utf-8")) if path.exists() else facts
    if changed := [k for k in facts if saved.get(k) != facts[k]]:
        raise ConfigError(f"{out} was started with other settings ({', '.join(changed)}); "
                          "go on with the same ones, or choose another folder")
    write_json(path, saved)
