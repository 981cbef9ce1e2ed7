"""World B, *scrambled steps*: code that needs several look-ups.

In the tiny world each stage says the same thing again, so a stage adds errors and no computation. Here it can
compute. A description names steps in scrambled order, nine lines of three words each, and asks for one name.
The program is made of the operations on the way from the input `xs` to that name; the other lines lead
nowhere. For example, of

    b = double a
    c = odd xs
    a = flip xs
    give b

the program flips and then doubles. Code without stages must begin with the operation that is farthest from
the goal: as many look-ups as the problem is deep, before the first word. A stage can make them one at a time.
"""

from dataclasses import dataclass
from random import Random
from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from chained_adv.core import Problem, make_rng, stable_hash
from chained_adv.stages import PROMPT_SETS, generator_prompt

OPERATIONS = dict( # name: what becomes of the list xs
    double="[x * 2 for x in xs]", triple="[x * 3 for x in xs]", inc="[x + 1 for x in xs]",
    dec="[x - 1 for x in xs]", negate="[-x for x in xs]", abs="[abs(x) for x in xs]",
    half="[x // 2 for x in xs]", digit="[x % 10 for x in xs]", flip="[9 - x for x in xs]",
    even="[x for x in xs if x % 2 == 0]", odd="[x for x in xs if x % 2 == 1]",
    reverse="xs[::-1]", sort="sorted(xs)", tail="xs[1:]", init="xs[:-1]", rotate="xs[1:] + xs[:1]",
    sums="[sum(xs[:i + 1]) for i in range(len(xs))]", gaps="[y - x for x, y in zip(xs, xs[1:])]")
NAMES = "abcdefghijklmnop"
N_LINES = 9 # of a description; so many steps at most are on the way
DEPTHS = tuple(range(1, 9)) # How many steps are on the way

@dataclass(frozen=True)
class Line:
    "One named step"
    name: str # Of what comes out, of `NAMES`
    operation: str # Key of `OPERATIONS`
    source: str # What goes in: another name, or `xs`

@dataclass(frozen=True)
class Steps:
    "A description as data"
    lines: tuple[Line, ...] # As they stand in the description
    way: tuple[Line, ...] # Those that lead from `xs` to the goal, in this order

def draw_steps(
    depth: int, # How many steps are on the way
    rng: Random # Draws
) -> Steps: # With `N_LINES` lines
    "Draw a problem of a depth"
    lines, sources = [], ["xs"]
    for i, name in enumerate(rng.sample(NAMES, N_LINES)):
        source = sources[-1] if i < depth else rng.choice(sources)
        lines.append(Line(name, rng.choice(list(OPERATIONS)), source))
        sources.append(name)
    return Steps(tuple(rng.sample(lines, N_LINES)), tuple(lines[:depth]))

def say_lines(
    lines: tuple[Line, ...] # In the order in which they are said
) -> str: # One line of text each
    "Steps as text"
    return "".join(f"{o.name} = {o.operation} {o.source}\n" for o in lines)

def describe_steps(
    o: Steps # A problem
) -> str: # What the players read
    "The description of a problem"
    return f"{say_lines(o.lines)}give {o.way[-1].name}"

def steps_code(
    o: Steps # A problem
) -> str: # Python source
    "The program that it describes"
    return "def solve(xs):" + "".join(f"\n xs = {OPERATIONS[l.operation]}" for l in o.way) + "\n return xs"

# A format is the stages that are written before the code. `staged` traces the way back from the goal at stage
# 1, one look-up per line, and puts it into the order of the computation at stage 2. `restated` is the
# control: stage 3 says the nine lines again, which takes as many tokens as the two stages take on average
# over the depths, and computes nothing.
FORMATS = dict(direct=(5,), staged=(1, 2, 5), restated=(3, 5)) # name: stages that are written

def stage_text(
    o: Steps, # A problem
    stage: int # 1, 2, 3 or 5
) -> str: # Without mistakes
    "Write what a stage says of a problem"
    said = {1: lambda: say_lines(o.way[::-1]), 2: lambda: say_lines(o.way),
            3: lambda: say_lines(o.lines), 5: lambda: steps_code(o)}
    return said[stage]()

N_TESTS = 8 # with lists of ten to twelve digits; no habits and no weak baselines here

def _digit_lists(rng, n): return [[rng.randint(0, 9) for _ in range(rng.randint(10, 12))] for _ in range(n)]

def steps_inputs(
    o: Steps # A problem
) -> list[list[int]]: # Different lists of digits
    "The inputs of a problem's tests"
    return _digit_lists(make_rng("steps inputs", o), N_TESTS)

def run_steps(
    o: Steps, # A problem
    xs: list[int] # The input
) -> list[int]: # What comes out
    "Call the program that a problem describes"
    for line in o.way: xs = eval(OPERATIONS[line.operation], dict(xs=xs))
    return xs

def is_telling(
    o: Steps # A problem
) -> bool:
    """True if the tests of a problem tell programs apart.

    At least six of eight outputs keep three numbers or more, and all these differ. For example, the even ones of what
    is odd say nothing.
    """
    outputs = [tuple(run_steps(o, xs)) for xs in steps_inputs(o)]
    long = [ys for ys in outputs if len(ys) > 2]
    return len(long) >= N_TESTS - 2 and len(set(long)) == len(long)

def is_held_out_steps(
    o: Steps # A problem
) -> bool: # One in five
    "True if a problem's sequence of operations is held out; with one step, the whole problem"
    operations = [l.operation for l in o.way] if len(o.way) > 1 else o
    return stable_hash("steps", operations) % 5 == 0

def steps_problem(
    o: Steps # A problem
) -> Problem: # With its reference
    "A problem of the game"
    tests, depth = tuple([xs, run_steps(o, xs)] for xs in steps_inputs(o)), len(o.way)
    name = "-".join(l.operation for l in o.way)
    return Problem(f"{depth}-{name}-{stable_hash(o) % 10**6:06}", describe_steps(o), "def solve(xs):", tests,
                   steps_code(o), "easy" if depth < 3 else "medium", (f"depth-{depth}",))

def drawn_steps(
    split: str, # `train` or `held_out`
    n: int, # How many, evenly over the depths
    depths: tuple[int, ...] = DEPTHS, # Which
    seed: int = 0 # Chooses which
) -> list[Steps]: # All different
    "Problems of a split as data"
    if split not in ("train", "held_out"): raise ValueError(f"split {split!r}: choose train or held_out")
    rng, found = make_rng("steps", split, seed), {}
    while len(found) < n:
        o = draw_steps(depths[len(found) % len(depths)], rng)
        if is_held_out_steps(o) == (split == "held_out") and is_telling(o): found[o] = None
    return list(found)

def steps_problems(
    split: str, # `train` or `held_out`
    n: int, # How many, evenly over the depths
    depths: tuple[int, ...] = DEPTHS, # Which
    seed: int = 0 # Chooses which
) -> list[Problem]: # All different
    "Problems of world B"
    return [steps_problem(o) for o in drawn_steps(split, n, depths, seed)]

def _near_steps(o, rng):
    "A problem's way with one change"
    way = list(o.way)
    i = rng.randrange(len(way))
    kinds = [way[:i] + [Line("a", rng.choice(list(OPERATIONS)), "xs")] + way[i + 1:], way[:i] + way[i + 1:]]
    if i: kinds.append(way[:i - 1] + [way[i], way[i - 1]] + way[i + 1:])
    return Steps(o.lines, tuple(rng.choice(kinds)))

def passes_anyway(
    depth: int, # Of the problems
    n: int = 200 # How many wrong programs
) -> float: # From 0 to 1
    "Share of programs with a wrong step, which shows on 50 other inputs, that pass all tests of the problem: below 1 %"
    rng, passed, other = make_rng("near", depth), 0, _digit_lists(make_rng("other inputs"), 50)
    for o in drawn_steps("train", n, (depth,)):
        same = lambda way, inputs: all(run_steps(o, xs) == run_steps(way, xs) for xs in inputs)
        wrong = _near_steps(o, rng)
        while same(wrong, other): wrong = _near_steps(o, rng)
        passed += same(wrong, steps_inputs(o))
    return passed / n

TAGS = PROMPT_SETS["tags"]
STEPS_SPECIAL = ["<pad>", "<end>", "<unk>"] + [f"<{kind}{i}>" for kind in "st" for i in range(1, 6)]

def steps_tokenizer() -> PreTrainedTokenizerFast: # Load its files with `load_tokenizer`
    """Make the tokenizer of world B.

    A word is one token, and a name is the same token wherever it stands, so a look-up is a match of equal
    tokens. A line of the code is one token as well: direct code takes depth + 3 tokens. White space and `=`
    between words carry none.
    """
    words = STEPS_SPECIAL + [*NAMES, "xs", "give", *OPERATIONS]
    tok = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s=]+"), "removed")
    tok.add_special_tokens([AddedToken(o, special=True, normalized=False) for o in STEPS_SPECIAL])
    whole = ["def solve(xs):", *(f"\n xs = {o}" for o in OPERATIONS.values()), "\n return xs"]
    tok.add_tokens([AddedToken(o, normalized=False) for o in whole])
    return PreTrainedTokenizerFast(
        tokenizer_object=tok, eos_token="<end>", pad_token="<pad>", unk_token="<unk>",
        additional_special_tokens=STEPS_SPECIAL[3:], clean_up_tokenization_spaces=False)

def format_pieces(
    o: Steps, # A problem
    stages: tuple[int, ...] # Of `FORMATS`
) -> list[tuple[str, bool]]: # (text, is it learned?)
    "Write a training sequence of a format"
    problem = Problem("", describe_steps(o), "def solve(xs):", (), "")
    outputs, pieces, said = [], [], ""
    for stage in range(1, 6):
        outputs.append(stage_text(o, stage) if stage in stages else None)
        if outputs[-1] is None: continue
        prompt = generator_prompt(TAGS, problem, stage, outputs[:-1])
        pieces += [(prompt[len(said):], False), (outputs[-1] + "<end>", True)]
        said = prompt + outputs[-1] + "<end>"
    return pieces

def lookup_pieces(
    o: Steps, # A problem
    rng: Random, # Of the order
    n_lines: int = N_LINES # So many of its lines
) -> list[tuple[str, bool]]: # (text, is it learned?)
    """Write lines, then their names in another order, each with its operation and source; few lines again and again.

    All formats share these look-ups; without them direct code did not learn a single one in 1.6 million
    tokens. The order must be another one: when the lines were said again as they stand, two thirds of the
    words were right after 2.1 million tokens, which copying from a fixed number of words back would give
    without any look-up.
    """
    lines = o.lines[:n_lines]
    pieces = [(f"def solve(xs):\n{say_lines(lines)}<s4>", False)]
    asked = [l for _ in range(max(1, 6 // n_lines)) for l in rng.sample(lines, n_lines)]
    for l in asked: pieces += [(f"{l.name} = ", False), (f"{l.operation} {l.source}\n", True)]
    return pieces
