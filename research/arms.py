"""Three questions as data: when does an adversary pay, when do stages, and what helps where baseline tests are weak?

The ablations (`research/ablation.py`) compare everything in a world that cannot show whether an adversary or
stages help. The studies here compare few things in worlds where they can. An *arm* is a variant of the
trainer, a *cell* a setting of the world. All arms of a cell have the same problems, seeds and budget of
generated tokens, and must beat the best of the cell's *controls*, the arms that claim nothing.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from chained_adv.core import ConfigError, Problem, make_rng
from chained_adv.models import ModelConfig
from chained_adv.config import TrainingConfig
from chained_adv.tiny.world import (Spec, habits_of, random_args, run_spec, spec_problem, tiny_problems, tiny_specs,
                                    with_habit)
from research.limits import limit_problems
from research.runs import STUDY_STEPS, Variant, variant_config
from research.steps import FORMATS, steps_problems


@dataclass(frozen=True)
class Cell:
    "A setting of a world"
    name: str # In folders and tables
    title: str # In words
    level: str = "" # World A: key of `LEVELS`
    detected: float = 0. # World A: share of the training problems whose baseline tests show the bug
    words: bool = False # World A: True if descriptions say the constant in words
    reference: bool = True # False if nothing tells valid tests from invalid ones
    without: tuple[str, ...] = () # Arms that are left out here

@dataclass(frozen=True)
class Study:
    "A question, and the runs that answer it"
    name: str # As it is chosen
    world: str # Key of `RECIPES`, or `tiny` for the world and model that come with the package
    cells: tuple[Cell, ...] # Those that decide
    arms: dict[str, Variant] # By name
    controls: tuple[str, ...] # Arms that claim nothing: the best of them is what others must beat
    budget: int # Tokens that each run generates
    small: tuple[str, ...] # Arms of `--small`
    small_cells: tuple[str, ...] # Cells of `--small`
    lr: tuple[float, float] = (2e-3, 3e-3) # Learning rates of generator and discriminator

def _arms(*rows): return {o.name: o for o in rows}


# When does an adversary pay?
#
# Code without stages, on problems whose baseline tests miss the bug. Controls are the baseline tests alone,
# two fuzzers with the reference, and the model before training: an arm that training made worse is no rival.
# The *wide* fuzzer knows the types alone, the *narrow* one reads the problem, numbers in it included. A
# fuzzer costs no tokens, so its generator gets more steps. Two arms have both a fuzzer and a learning tester:
# what a user would take who does not know which of the two his problems need. Tests are not equal in number:
# a fuzzer writes eight a problem, a tester one or two a program at first, and as many as pay later.

_CODE = dict(chain_stages=(5,), stages=(5,), test_stages=(5,))
_FROZEN = dict(n_discriminator_steps=0)

ADVERSARY_ARMS = _arms(
    Variant("warm", "before training", _CODE, trained=False),
    Variant("baseline", "baseline tests alone", dict(_CODE, reward="baseline")),
    Variant("fuzz_narrow", "a fuzzer that reads the problem, numbers in it included",
            dict(_CODE, **_FROZEN, discriminator_model="fuzz:8")),
    Variant("fuzz_wide", "a fuzzer that knows the types alone, with wide inputs",
            dict(_CODE, **_FROZEN, discriminator_model="fuzz:8:wide")),
    Variant("frozen", "a tester that does not learn", dict(_CODE, **_FROZEN)),
    Variant("frozen_inputs", "the same, writes inputs only", dict(_CODE, **_FROZEN, tests="inputs")),
    Variant("learning", "a tester that learns", _CODE),
    Variant("learning_inputs", "the same, writes inputs only", dict(_CODE, tests="inputs")),
    Variant("fuzz_learning", "wide fuzzer and a tester that learns", dict(_CODE, callbacks=("fuzz:8:wide",))),
    Variant("fuzz_inputs", "narrow fuzzer and a tester of inputs that learns",
            dict(_CODE, tests="inputs", callbacks=("fuzz:8",))),
    Variant("blind", "a tester that learns and does not see the code", dict(_CODE, prompts="tags-blind")),
    Variant("unified", "one adapter for both roles", dict(_CODE, adapters="unified")))

# Without a reference nobody knows which tests are valid. A test counts because its writer is trusted, because
# half of the programs pass it, or because tests and programs agree in groups. All writers begin with the warm
# start and go on learning by the tests that count, here of their own word; one does not (`trusted_frozen`).
BLIND_ORACLES = _arms(
    Variant("trusted", "no reference: tests are trusted", _CODE, oracle="trusted"),
    Variant("trusted_frozen", "the same, of a tester that does not learn",
            dict(_CODE, **_FROZEN), oracle="trusted"),
    Variant("vote", "no reference: tests that half of the programs pass", _CODE, oracle="vote"),
    Variant("agreement", "no reference: tests and programs that agree", _CODE, oracle="agreement"))

# Cells are the three levels of world A with baselines that never show the bug; one with the number in words,
# where a fuzzer does not find it; two where baselines show half or all of the bugs; one without a reference.
# Left out of the full grid of eighteen: half and all detected at the two easier levels, where fuzzing already
# finds the bugs. `blind` and `unified` are asked in one cell, the hardest with a reference.
_ASIDE = "frozen_inputs", "blind", "unified"

ADVERSARY_CELLS = (
    Cell("often-0", "30 % of inputs show a bug, baselines none", "often", without=_ASIDE),
    Cell("seldom-0", "3 % of inputs, baselines none", "seldom", without=_ASIDE),
    Cell("rare-0", "0.2 % of inputs, baselines none", "rare"),
    Cell("rare-0-words", "the same, the constant in words", "rare", words=True,
         without=("fuzz_learning", "blind", "unified")),
    Cell("rare-50", "0.2 % of inputs, baselines half of the bugs", "rare", .5, without=_ASIDE),
    Cell("rare-100", "0.2 % of inputs, baselines all bugs", "rare", 1., without=_ASIDE),
    Cell("rare-0-none", "0.2 % of inputs, baselines none, no reference", "rare", reference=False,
         without=("trusted_frozen",)))

ADVERSARY = Study(
    "adversary", "limits", ADVERSARY_CELLS, ADVERSARY_ARMS | BLIND_ORACLES,
    ("warm", "baseline", "fuzz_narrow", "fuzz_wide"), 60_000,
    ("baseline", "fuzz_narrow", "fuzz_wide", "learning", "learning_inputs"), ("seldom-0", "rare-0-words"))


# When do stages pay?
#
# One warm start writes all three formats. Direct code also gets as many samples as the tokens of a staged
# answer pay for (best of N, the best that a choice among them could do). The learning rate is a tenth of the
# other worlds': with 2e-3 direct code lost what the warm start had taught.

def _format(name, **changes):
    return dict(chain_stages=FORMATS[name], test_stages=(5,), reward="baseline", **changes)

STAGES_ARMS = _arms(
    Variant("warm_direct", "direct code before training", _format("direct"), trained=False),
    Variant("warm_staged", "stages before training", _format("staged"), trained=False),
    Variant("warm_restated", "restated before training", _format("restated"), trained=False),
    Variant("direct", "direct code", _format("direct", stages=(5,))),
    Variant("staged", "stages, trained one after the other", _format("staged", stages=(1, 2, 5), joint=False)),
    Variant("joint", "stages, trained together", _format("staged", stages=(1, 2, 5), joint=True)),
    Variant("restated", "as many words that compute nothing, trained together",
            _format("restated", stages=(3, 5), joint=True)),
    Variant("last_stage", "stages, only the code is trained", _format("staged", stages=(5,))))

STAGES = Study(
    "stages", "steps", (Cell("all", "depths 1 to 8"),), STAGES_ARMS,
    ("direct", "restated", "warm_direct", "warm_restated"), 80_000,
    ("warm_direct", "warm_staged", "warm_restated", "direct", "staged", "joint", "restated"), ("all",), lr=(2e-4, 2e-4))


# What helps when baseline tests are weak?
#
# The tiny world with two tests for each training problem, which its model's bugs pass. Arms write code
# without stages and have equal tokens, but for the last: five stages by the default settings, with which
# somebody whose own problems have few tests would begin.

_AS_BY_DEFAULT = (*STUDY_STEPS, "token_budget", "generator_lr", "discriminator_lr")
_WHOLE_RUN = {o: getattr(TrainingConfig, o) for o in _AS_BY_DEFAULT}
_SHARED = ("warm", "baseline", "fuzz_narrow", "fuzz_wide", "frozen", "frozen_inputs", "learning", "learning_inputs",
           "fuzz_learning", "fuzz_inputs")

WEAK_CELLS = (Cell("weak", "two baseline tests, which bugs pass"),
              Cell("weak-none", "the same, no reference", reference=False))
WEAK_ARMS = {o: ADVERSARY_ARMS[o] for o in _SHARED} | BLIND_ORACLES | _arms(
    Variant("warm_staged", "stages before training", trained=False),
    Variant("default", "five stages by the default settings, not at equal tokens", _WHOLE_RUN))
WEAK = Study("weak", "tiny", WEAK_CELLS, WEAK_ARMS, ADVERSARY.controls, 60_000,
             ("baseline", "fuzz_wide", "frozen", "learning", "learning_inputs"), ("weak",))

STUDIES = {o.name: o for o in (ADVERSARY, STAGES, WEAK)}

def get_study(
    name: str # Key of `STUDIES`
) -> Study: # The study
    "Find a study by name; raises `ConfigError`"
    if name not in STUDIES: raise ConfigError(f"study {name!r}: choose one of {', '.join(STUDIES)}")
    return STUDIES[name]


# The arms of a cell

NEED_NO_TESTS = ("warm", "baseline")

def cell_arms(
    study: Study, # Whose arms
    cell: Cell, # Where
    small: bool = False # True for those of `--small` alone
) -> list[Variant]: # That belong there
    "List the arms of a cell: with a reference all but the blind oracles, without one these and two controls"
    names = [o for o in (study.small if small else study.arms) if o not in cell.without]
    return [study.arms[o] for o in names if (o in BLIND_ORACLES) != cell.reference or o in NEED_NO_TESTS]


# Problems with weak baselines

N_WEAK, TRIES = 2, 200 # Tests of a problem; random calls among which they are looked for

def _outcome(spec, args):
    try: return run_spec(spec, args)
    except Exception as e: return type(e)

def weak_args(
    spec: Spec # A right spec
) -> list[tuple]: # Arguments, all different; of one problem in twenty there is only one
    """Find calls on which the programs with a habit do what the right one does.

    Ten baseline tests of a tiny problem reject every wrong program that its model writes, so no tester can
    add anything. Real problems come with two or three examples, which seldom show the mistake that a model
    tends to make. A generator that is rewarded by these two alone cannot tell its bug from a right program:
    what unlearns it are other tests.
    """
    rng, found = make_rng("weak", spec), {}
    wrong = [with_habit(spec, h) for h in habits_of(spec)]
    for _ in range(TRIES):
        args = random_args(spec, rng, rng.randrange(6))
        alike = all(_outcome(o, args) == run_spec(spec, args) for o in wrong)
        if alike and len(found) < N_WEAK: found[repr(args)] = args
    return list(found.values())

def weak_problems(
    split: str, # `train` (two tests that miss the habit) or `held_out` (all ten)
    n: int, # How many problems
    seed: int = 0 # Chooses which
) -> list[Problem]: # All different
    "Draw problems of the tiny world with weak baselines to train on"
    if split == "held_out": return tiny_problems(split, n, seed)
    tests = lambda o: tuple([*a, run_spec(o, a)] for a in weak_args(o))
    return [replace(spec_problem(o), baseline_tests=tests(o)) for o in tiny_specs(split, n, seed)]


# Problems and settings of a run
#
# The seed of a run chooses its problems and the warm start of its world, too, so an interval over seeds is
# one over problems and warm starts. Only the tiny world has one model, the one that comes with the package.
# Direct code in the world of steps needs many problems: with 160 it learned those by heart and lost depth 1
# on the way.

N_TRAIN = dict(limits=160, tiny=160, steps=1000)
N_HELD_OUT = dict(limits=120, tiny=120, steps=240)

def study_problems(
    study: Study, # The question
    cell: Cell, # The world's setting
    seed: int # Of the run
) -> tuple[list[Problem], list[Problem]]: # (to train on, held out)
    "Draw the problems of all arms of a cell"
    n_train, n = N_TRAIN[study.world], N_HELD_OUT[study.world]
    if study.world == "steps":
        return steps_problems("train", n_train, seed=seed), steps_problems("held_out", n, seed=seed)
    if study.world == "tiny":
        return weak_problems("train", n_train, seed=seed), weak_problems("held_out", n, seed=seed)
    train = limit_problems("train", n_train, cell.level, cell.detected, seed, cell.words)
    return train, limit_problems("held_out", n, cell.level, seed=seed, words=cell.words)

def study_config(
    study: Study, # The question
    arm: Variant, # What is changed
    seed: int, # Of the run
    out: str | Path, # The run's folder
    model: str | Path, # Warm start of the world
    budget: int = 0 # Generated tokens; 0 is the study's
) -> TrainingConfig: # Settings of the run
    "Build the settings of an arm"
    base = TrainingConfig(model=ModelConfig(model=str(model), adapters="stage"), token_budget=budget or study.budget,
                          generator_lr=study.lr[0], discriminator_lr=study.lr[1], eval_samples=8, n_mutants=0,
                          **STUDY_STEPS)
    return variant_config(base, arm, seed, out)
