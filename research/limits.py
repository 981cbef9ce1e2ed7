"""World A, *limits*: bugs that random inputs seldom find.

In the tiny world ten baseline tests tell a right program from all of its wrong neighbours, and so do sixteen
random inputs. Nothing is left for an adversary to find. Here a description holds a constant, "Keep numbers
above 700.", and the writer's habit gets it slightly wrong. How slightly is the axis: three levels of how many
random inputs show the bug.

A problem is one of the tiny world's with its parameter `k` made a constant, so the embedded model knows its
texts. Constants of the rare level are whole hundreds, because a tester of this size learns to copy one digit
into its tests and not three. Numbers of one digit will not do: a fuzzer with wide ranges draws small numbers
often enough to find them all. A description may also say the constant in words, "Keep numbers above seven
hundred.", which no fuzzer reads.
"""

import re
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

from chained_adv.core import Problem, make_rng, stable_hash
from chained_adv.tiny.world import Spec, describe_spec, kept_items, run_spec, spec_code
from research.writer import WRITERS

@dataclass(frozen=True)
class Level:
    "How easily random inputs show the bugs of a problem"
    name: str # As it is chosen
    share: float # About so many wide random inputs show the bug
    habit: str # What the writer gets wrong
    stage: int # From which stage on
    hundreds: tuple[int, int] # First and last hundred of the constants
    rest: tuple[int, int] # Their smallest and largest remainder by 100

LEVELS = {o.name: o for o in (
    Level("often", .3, "drops the first digit: 247 becomes 47", 1, (2, 2), (11, 99)),
    Level("seldom", .03, "rounds down to hundreds: 317 becomes 300", 2, (3, 9), (10, 25)),
    Level("rare", .002, "takes `above` for `at least`, and the other way round", 3, (2, 9), (0, 0)),
)}

@dataclass(frozen=True)
class Limit:
    "What a text or a program says: a spec of the tiny world, and the number that stands for its k"
    spec: Spec # With one of the filters `gt`, `lt`, `ge`, `le`
    limit: int # The constant
    level: str # Key of `LEVELS`

def say_limit(
    text: str, # About a `k`
    limit: int | str # The constant
) -> str: # About the constant
    "Put a constant in the place of the parameter k"
    return re.sub(r"\bk\b", str(limit), text.replace("xs, k)", "xs)"))

def limit_code(
    o: Limit # Right or wrong
) -> str: # Python source
    "The program that it describes"
    return say_limit(spec_code(o.spec), o.limit)

def run_limit(
    o: Limit, # Right or wrong
    xs: list[int] # The input
) -> Any: # What comes back
    "Call the program that it describes"
    return run_spec(o.spec, (xs, o.limit))

_STRICTNESS = {"gt": "ge", "ge": "gt", "lt": "le", "le": "lt"}

def with_bug(
    o: Limit # A right one
) -> Limit: # With the bug of its level
    "Make the mistake of the level"
    if o.level == "often": return replace(o, limit=o.limit % 100)
    if o.level == "seldom": return replace(o, limit=o.limit // 100 * 100)
    return replace(o, spec=replace(o.spec, filter=_STRICTNESS[o.spec.filter]))

# An aggregate must let the bug through: the largest of the numbers above 700 is the same whether 700 counts
# or not (unless nothing else is left), the smallest is not.
_SHOWS = {"gt": ("min", "last"), "ge": ("min", "last"), "lt": ("max", "first"), "le": ("max", "first")}

def _is_blind(s):
    "True if a part of the spec would hide the bug, or change nothing"
    if s.aggregate == "count": return s.map != "same" or s.empty == "0"
    return s.map == "negate" and s.aggregate in ("min", "max")

def limit_specs() -> list[Spec]: # In a fixed order
    "The specs that problems of this world are made of"
    found = []
    for filter, map, empty in product(_SHOWS, ("same", "add1", "negate", "double"), ("0", "-1", "None")):
        for aggregate in ("count", "items", "sorted", "reversed", *_SHOWS[filter]):
            found.append(Spec("list", filter, map, aggregate, empty))
    return [s for s in found if not _is_blind(s)]

def is_held_out_limit(
    spec: Spec # Of `limit_specs`
) -> bool: # One in five
    "True if the combination of filter, map and aggregate is held out: its parts are seen in training, it never is"
    return stable_hash("limits", spec.filter, spec.map, spec.aggregate) % 5 == 0

def draw_limit(
    spec: Spec, # Of `limit_specs`
    level: str, # Key of `LEVELS`
    rng: Random # Draws the constant
) -> Limit: # A right one
    "A problem of a level"
    o = LEVELS[level]
    return Limit(spec, 100 * rng.randint(*o.hundreds) + rng.randint(*o.rest), level)

def wide_input(
    rng: Random # Draws
) -> list[int]: # One to six numbers
    "Draw what a fuzzer draws that knows the type only"
    return [rng.randint(-999, 999) for _ in range(rng.randint(1, 6))]

def near_input(
    o: Limit, # A right one
    rng: Random # Draws
) -> list[int]: # Up to three numbers, half of them about the constant
    "Draw what somebody writes who has read the description"
    low, high = sorted((o.limit, with_bug(o).limit))
    about = lambda: rng.choice((o.limit - 1, o.limit, o.limit, o.limit + 1, rng.randint(low, high)))
    far = lambda: rng.randint(0, 999)
    return [about() if rng.random() < .5 else far() for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]

def shows_bug(
    o: Limit, # A right one
    xs: list[int] # An input
) -> bool:
    "True if the right program and the wrong one differ on an input"
    return run_limit(o, xs) != run_limit(with_bug(o), xs)

def trigger_share(
    o: Limit, # A right one
    n: int = 1000, # How many inputs to draw
    seed: int = 0 # Of the inputs
) -> float: # From 0 to 1
    "Share of wide inputs that show the bug of a problem"
    rng = make_rng("trigger", seed, o)
    return sum(shows_bug(o, wide_input(rng)) for _ in range(n)) / n

def found_by_wide(
    o: Limit, # A right one
    n: int = 32, # How many inputs to draw
    seed: int = 0 # Of the inputs
) -> bool:
    "True if one of n wide inputs shows the bug of a problem"
    rng = make_rng("wide", seed, o)
    return any(shows_bug(o, wide_input(rng)) for _ in range(n))

def level_rows(
    n: int = 200, # Problems per level
    n_inputs: int = 32, # Wide inputs per problem
    seed: int = 0 # Of all draws
) -> list[dict]: # One per level
    "Count what wide inputs find at each level: at the rare one 32 inputs find fewer than one bug in ten"
    rows = []
    for name, level in LEVELS.items():
        rng = make_rng("levels", seed, name)
        drawn = [draw_limit(rng.choice(limit_specs()), name, rng) for _ in range(n)]
        shares = [trigger_share(o, seed=seed) for o in drawn]
        found = [found_by_wide(o, n_inputs, seed) for o in drawn]
        rows.append(dict(level=name, habit=level.habit, inputs=sum(shares) / n, found=sum(found) / n))
    return rows

# A training problem has few baseline tests, of which one shows the bug in the share of problems asked for. A
# held-out problem has many hidden tests, half of which do: `solved` on held-out problems is their verdict.
N_BASELINE, N_HIDDEN = 4, 40

def _inputs(o, near, shows, n, rng):
    "Different inputs that show the bug, or that do not"
    found = {}
    while len(found) < n:
        xs = near_input(o, rng) if near else wide_input(rng)
        if shows_bug(o, xs) == shows: found[repr(xs)] = xs
    return list(found.values())

def baseline_inputs(
    o: Limit, # A right one
    detected: bool # True if one of them shows the bug
) -> list[list[int]]: # Different ones
    "The inputs of a training problem's baseline tests"
    rng = make_rng("baseline", o)
    return _inputs(o, True, True, int(detected), rng) + _inputs(o, False, False, N_BASELINE - detected, rng)

def hidden_inputs(
    o: Limit # A right one
) -> list[list[int]]: # Different ones
    "The inputs of a held-out problem's tests"
    rng, half = make_rng("hidden", o), N_HIDDEN // 2
    return [[], *_inputs(o, True, True, half, rng), *_inputs(o, False, False, half - 1, rng)]

_DIGITS = "zero one two three four five six seven eight nine".split()

def in_words(
    limit: int # Whole hundreds
) -> str: # For example `seven hundred`
    "Say a constant in words, which no fuzzer reads"
    return f"{_DIGITS[limit // 100]} hundred"

def limit_id(
    o: Limit # A right one
) -> str: # For example `rare-gt-700-double-count-or--1`
    "The unique name of a problem"
    s = o.spec
    return f"{o.level}-{s.filter}-{o.limit}-{s.map}-{s.aggregate}-or-{s.empty}"

def limit_problem(
    o: Limit, # A right one
    inputs: list[list[int]], # Of its tests
    tags: tuple[str, ...] = (), # After the level
    words: bool = False # True if the description says the constant in words; for the level `rare`
) -> Problem: # With its reference
    "A problem of the game"
    tests = tuple([xs, run_limit(o, xs)] for xs in inputs)
    said = in_words(o.limit) if words else o.limit
    description = say_limit(describe_spec(o.spec, make_rng("wording", o)), said)
    return Problem(limit_id(o), description, "def solve(xs):", tests, limit_code(o), "medium",
                   (o.level, *tags))

def _draw_different(split, n, level, seed):
    "Right ones of a split, all different"
    rng, found = make_rng("limits", split, level, seed), {}
    pool = [s for s in limit_specs() if is_held_out_limit(s) == (split == "held_out")]
    while len(found) < n:
        o = draw_limit(rng.choice(pool), level, rng)
        found[limit_id(o)] = o
    return list(found.values())

def limit_problems(
    split: str, # `train` (baseline tests) or `held_out` (hidden tests)
    n: int, # How many problems
    level: str = "rare", # Key of `LEVELS`
    detected: float = 0., # Share of the training problems whose baseline tests show the bug
    seed: int = 0, # Chooses which
    words: bool = False # True if descriptions say the constant in words; for the level `rare`
) -> list[Problem]: # All different
    "Problems of world A"
    if words and level != "rare": raise ValueError(f"level {level!r}: the constants of `rare` have words")
    if split not in ("train", "held_out") or level not in LEVELS:
        raise ValueError(f"split {split!r} and level {level!r}: choose train or held_out, "
                         f"and one of {', '.join(LEVELS)}")
    drawn = _draw_different(split, n, level, seed)
    if split == "held_out": return [limit_problem(o, hidden_inputs(o), ("held-out",), words) for o in drawn]
    shows = [int((i + 1) * detected) > int(i * detected) for i in range(n)]
    return [limit_problem(o, baseline_inputs(o, d), (f"baseline-{'shows' if d else 'misses'}",), words)
            for o, d in zip(drawn, shows)]

# What the writer of the warm-start texts writes. He makes the bug of the level three times out of four where
# a problem says "greater", "above", "less" or "below", and writes the other half as it should be. So a model
# starts with about half of the problems right, and there is something to lose. Now and then he forgets the
# case of nothing left.
HABIT, SLIP = .75, .03

def has_habit(
    o: Limit # A right one
) -> bool:
    "True if the writer tends to get this problem wrong"
    return o.spec.filter in ("gt", "lt")

def limit_chain(
    o: Limit, # The right one
    rng: Random # Of what goes wrong
) -> list[str]: # The texts of stages 1..5
    "Write a chain as the warm-start writer does"
    start = LEVELS[o.level].stage if has_habit(o) and rng.random() < HABIT else 6
    slip = rng.randint(1, 5) if rng.random() < SLIP else 6
    texts = []
    for stage, write in enumerate(WRITERS, 1):
        said = with_bug(o) if stage >= start else o
        spec = replace(said.spec, guard=stage < slip)
        texts.append(say_limit(write(spec, rng), said.limit))
    return texts

# Tests show their working, the numbers that are left, before the value. One test in ten has a wrong value,
# and one number in seven is the constant or the one before it: enough to be found by training, too few to do
# its work. Lists are short, because a model of this size goes wrong when it compares two numbers of three
# digits.
NEAR_SHARE, LIMIT_MISTAKES = .15, .1
SIZES = (0, 1, 1, 1, 1, 2) # Lengths of the writer's lists

def written_input(
    o: Limit, # A right one
    rng: Random # Draws
) -> list[int]: # Up to two numbers
    "Choose an input as the warm-start writer does"
    number = lambda: o.limit - (rng.random() < .2) if rng.random() < NEAR_SHARE else rng.randint(0, 999)
    return [number() for _ in range(rng.choice(SIZES))]

def _wrong_value(value, rng):
    if type(value) is int: return value + rng.choice((-1, 1))
    return value[:-1] if value else 0

def limit_test(
    o: Limit, # The right one
    rng: Random # Of inputs and mistakes
) -> str: # Two lines
    "Write one test as the warm-start writer does"
    xs = written_input(o, rng)
    items, value = kept_items(o.spec, (xs, o.limit)), run_limit(o, xs)
    if rng.random() < LIMIT_MISTAKES: value = _wrong_value(value, rng)
    working = " ".join(["#", *map(str, items)])
    said = [repr(v).replace(", ", ",") for v in (xs, value)]
    return f"({said[0]},{working}\n{said[1]})"

def limit_tests(
    o: Limit, # The right one
    rng: Random # Of number, inputs and mistakes
) -> str: # One to four tests
    "Write a list of tests as the warm-start writer does"
    n = rng.choices(range(1, 5), (.4, .3, .2, .1))[0]
    return "\n".join(limit_test(o, rng) for _ in range(n))
