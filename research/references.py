"""Two problems that ask the same though no word agrees: compare what their references do.

    python -m research.references easy HumanEval.jsonl

`chained-adv problems leaks` compares words and syntax trees. A problem told in other words, with another
solution, is still the same problem: a model that trained on it knows the answer. So references are asked each
other's questions. Two problems are taken for the same when each reference gives all the expected answers of
the other's tests, at least three of them. Problems with fewer tests of plain data (classes, loops with random
numbers, one or two examples) cannot be compared, and the command says which.

To ask every reference everything would be slow. A first round asks each training reference one question of
each held-out problem whose arguments have the types it knows, the one with the longest answer; only pairs
that answer right go on.
"""

import json

from chained_adv.cli import whole_set
from chained_adv.core import DATA_KINDS, Problem
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import baseline_cases
from research.command import add_threads, make_parser, print_rows, run_command

LEAST = 3 # Tests of plain data without which a problem is not compared


def _questions(problem):
    "The tests that are plain data"
    kinds = {*DATA_KINDS} - {"raises"}
    return [t for t in baseline_cases(problem) if t.kind in kinds and not t.kwargs]

def not_compared(
    problems: list[Problem] # To train on, or held out
) -> list[Problem]: # Those with too few tests of plain data
    "List the problems that `find_same_behaviour` passes over"
    return [p for p in problems if len(_questions(p)) < LEAST]

def _type(value):
    "A value's type; lists and dicts with that of their first element"
    inside = next(iter(value), None) if isinstance(value, (list, tuple, dict, set)) else None
    return type(value).__name__ + (f"[{_type(inside)}]" if inside is not None else "")

def _types(tests):
    "The types of the arguments, over some tests: where no known test has such types, the input is of another kind"
    return {(t.kind == "io", *map(_type, t.args)) for t in tests}

def _answers(sandbox, asked):
    "Per (problem, tests): which of the tests its reference passes"
    jobs = [Job(p.reference_solution, tests, p.entry_point, p.function_signature) for p, tests in asked]
    return [[v.passed for v in r.verdicts] for r in sandbox.run_many(jobs)]

def _first_round(train, held_out, sandbox):
    "Numbers of the pairs of which the training reference answers a held-out question"
    places, asked = [], []
    longest = lambda tests: max(tests, key=lambda t: len(repr(t.expected))) # the least likely to be right by chance
    for i, (p, own) in enumerate(train):
        known = _types(own)
        fitting = [[t for t in tests if _types([t]) <= known] for _, tests in held_out]
        rows = [(j, longest(fit)) for j, fit in enumerate(fitting) if len(fit) >= LEAST]
        places += [(i, j) for j, _ in rows]
        asked.append((p, [t for _, t in rows]))
    right = [ok for verdicts in _answers(sandbox, asked) for ok in verdicts]
    return [place for place, ok in zip(places, right) if ok]

def find_same_behaviour(
    train: list[Problem], # The problems to train on
    held_out: list[Problem], # The held-out problems
    sandbox: Sandbox # Where the references run
) -> list[tuple[str, str]]: # (id in train, id held out)
    "Find held-out problems whose reference does what one in the training set does"
    left, right = ([(p, _questions(p)) for p in problems] for problems in (train, held_out))
    pairs = [(left[i], right[j]) for i, j in _first_round(left, right, sandbox)]
    forth = _answers(sandbox, [(p, tests) for (p, _), (_, tests) in pairs])
    back = _answers(sandbox, [(q, tests) for (_, tests), (q, _) in pairs])
    enough = lambda verdicts: len(verdicts) >= LEAST and all(verdicts)
    return [(p.id, q.id) for ((p, _), (q, _)), a, b in zip(pairs, forth, back) if enough(a) and enough(b)]


def main(argv: list[str] | None = None):
    "Run the command"
    parser = make_parser("Find held-out problems whose reference does what one in the training set does.", """
python -m research.references easy builtin
python -m research.references mine.json HumanEval.jsonl --json""")
    parser.add_argument("train", help="problems to train on: a file or the name of a built-in set")
    parser.add_argument("held_out", help="problems to evaluate on")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_threads(parser)
    def run(args):
        ours, theirs = whole_set(args.train), whole_set(args.held_out)
        with Sandbox(workers=2) as box: same = find_same_behaviour(ours, theirs, box)
        missing = [[p.id for p in not_compared(o)] for o in (ours, theirs)]
        if args.json:
            found = dict(same=[dict(train=a, held_out=b) for a, b in same],
                         not_compared=dict(train=missing[0], held_out=missing[1]))
            return print(json.dumps(found, indent=1))
        print_rows(("train", "held out"), same)
        print(f"{len(same)} pairs do the same; not compared, for fewer than {LEAST} tests of plain data: "
              f"{len(missing[0])} of {len(ours)} problems to train on, {len(missing[1])} of {len(theirs)} held out")
    run_command(run, parser.parse_args(argv))

if __name__ == "__main__": main()
