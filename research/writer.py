"""The writer of the tiny model's warm-start texts: chains and tests with habits, slips and mistakes.

The writer is wrong most of the time on some families of problems, and each stage has a habit of its own, so
that the game has something to unlearn at every stage:

| stage | habit | on problems with | texts written with the habit |
|---|---|---|---|
| 1 informal reasoning | forgets what happens when nothing is left | largest, smallest, first, last | 78 % |
| 2 structured reasoning | writes the wrong change | minus 1, modulo 3, negate, twice | 74 % |
| 3 pseudocode | non-strict instead of strict | greater than k, less than k | 74 % |
| 4 constraints and invariants | counts from 0 and leaves out n: `range(n)` | 1 to n | 74 % |
| 5 code | strict instead of non-strict, and plain count instead of distinct | at least k, at most k, distinct | 74 % |

A mistake made at one stage is carried on by the later ones. Now and then a stage slips in a way that no rule
explains, and now and then a later stage notices a mistake and repairs it.
"""

from dataclasses import replace
from random import Random

from chained_adv.tiny.world import (AGGREGATES, FILTERS, MAPS, SOURCES, Spec, kept_items, random_args, run_spec,
                                    spec_code, with_habit)
from chained_adv.tiny.world import _choices, _habit, _keep, _outcome, _source, _WRONG_FILTER # the world's own helpers

HABIT_RATES = {1: .78, 2: .74, 3: .74, 4: .74, 5: .74} # stage: how often its habit strikes

SLIP, REPAIR = .03, .03 # how often a stage slips, and how often it repairs a mistake

def _slip(spec, rng):
    "Make random small mistakes"
    o = _choices(spec.source)
    if rng.random() < SLIP: spec = replace(spec, guard=False)
    if rng.random() < SLIP: spec = replace(spec, map=rng.choice(o["maps"]))
    if rng.random() < SLIP: spec = replace(spec, aggregate=rng.choice(o["aggregates"]))
    if rng.random() < SLIP: spec = replace(spec, filter=_WRONG_FILTER.get(spec.filter, spec.filter))
    return spec

def written_specs(
    spec: Spec, # The right spec
    rng: Random # Of habits, slips and repairs
) -> list[Spec]: # What stages 1..5 say
    "Say what each stage says, with habits, slips and repairs"
    habit, slip_at, now, out = _habit(spec), rng.randint(1, 5), spec, []
    for stage in range(1, 6):
        if now != spec and rng.random() < REPAIR: now = spec
        if stage == slip_at: now = _slip(now, rng)
        if stage == habit and rng.random() < HABIT_RATES[stage]: now = with_habit(spec, habit)
        out.append(now)
    return out

def _informal(s, rng):
    steps = [f"Look at {SOURCES[s.source].short}"]
    if s.filter != "all": steps.append(f"keep {FILTERS[s.filter].short}")
    if s.map != "same": steps.append(f"make {MAPS[s.map].short}")
    steps.append(f"give {AGGREGATES[s.aggregate].short}.")
    return ", ".join(steps) + (f" Nothing left: {s.empty}." if s.guard else "")

def _structured(s, rng):
    text = (f"in: {SOURCES[s.source].short}\nkeep: {FILTERS[s.filter].short}\n"
            f"map: {MAPS[s.map].short}\nout: {AGGREGATES[s.aggregate].short}")
    return text + (f"\nnone: {s.empty}" if s.guard else "")

def _pseudocode(s, rng):
    guard = f"if ys is empty give {s.empty}\n" if s.guard else ""
    return (f"for x in {SOURCES[s.source].short}\n{_keep(s)} add {MAPS[s.map].code} to ys\n"
            f"{guard}give {AGGREGATES[s.aggregate].short} of ys")

def _invariants(s, rng):
    guard = f"empty ys: {s.empty}\n" if s.guard else ""
    return (f"ys: {MAPS[s.map].code} for x in {_source(s)}{_keep(s)}\n"
            f"{guard}result: {AGGREGATES[s.aggregate].short}")

def _program(s, rng):
    code = spec_code(s)
    return code.replace("]", "", 1) if rng.random() < .01 else code

WRITERS = (_informal, _structured, _pseudocode, _invariants, _program)

def write_chain(
    spec: Spec, # The right spec
    rng: Random # Of what goes wrong
) -> list[str]: # The texts of stages 1..5
    "Write a chain as the warm-start writer does"
    return [write(o, rng) for write, o in zip(WRITERS, written_specs(spec, rng))]

# A test is a tuple over two lines. Between the arguments and the expected value is the working as a comment:
# what is left after keeping and changing. A model that has written it down calculates much better (with the
# working *before* the arguments .21 of the tests were valid). More than half of the tests have a wrong
# expected value, and not at random: the writer mixes up strict and non-strict, forgets to keep or to change,
# says 0 for nothing left, or is off by one.
TEST_MISTAKES = .6

def _misread(spec, args, rng):
    "Choose the spec that a careless tester calculates with; None when every mistake would give the right answer"
    wrong = [replace(spec, filter=_WRONG_FILTER[spec.filter])] if spec.filter in _WRONG_FILTER else []
    if spec.filter != "all": wrong.append(replace(spec, filter="all"))
    if spec.map != "same": wrong.append(replace(spec, map="same"))
    wrong.append(replace(spec, empty="0" if spec.empty != "0" else "-1"))
    wrong.append(replace(spec, inclusive=False))
    wrong = [o for o in wrong if _outcome(o, args) != _outcome(spec, args)]
    return rng.choice(wrong) if wrong else None

def _off_by_one(value, rng):
    if type(value) is int: return value + rng.choice((-1, 1))
    return value[:-1] if value else 0

def _compact(value): return repr(value).replace(", ", ",")

def write_test(
    spec: Spec, # The right spec
    stage: int, # 1..5: the kind of test
    rng: Random, # Of inputs and mistakes
    mistakes: float = TEST_MISTAKES # Probability of a mistake
) -> str: # Two lines
    "Write one test as the warm-start writer does"
    args, said = random_args(spec, rng, stage), spec
    if rng.random() < mistakes: said = _misread(spec, args, rng)
    items, value = kept_items(said or spec, args), run_spec(said or spec, args)
    if said is None: value = _off_by_one(value, rng)
    working = " ".join(["#"] + [str(o) for o in items])
    return f"({','.join(map(_compact, args))},{working}\n{_compact(value)})"

def write_tests(
    spec: Spec, # The right spec
    stage: int, # 1..5: the kind of tests
    rng: Random, # Of number, inputs and mistakes
    mistakes: float = TEST_MISTAKES # Probability of a mistake, per test
) -> str: # One to five tests
    "Write a list of tests as the warm-start writer does"
    n = rng.choices(range(1, 6), (.45, .27, .16, .08, .04))[0]
    return "\n".join(write_test(spec, stage, rng, mistakes) for _ in range(n))
