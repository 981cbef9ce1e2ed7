"""What inputs catch: fuzz inputs against the tests of the warm tester, at equal numbers.

    python -m research.catches

A learned tester costs tokens; fuzz inputs with a reference cost none. Before a study can say whether learning
pays, we must know what the control finds. Two tables say how many wrong programs the first 1 to 16 tests
catch.

Habits of the tiny world: 45 held-out problems, nine of each habit, and of each the program that the habit
makes. The warm tester, before any training, reads the five stages of a chain that has the habit and writes
tests about each; its first distinct calls count. Read as full tests, one catches when its value is right and
the wrong program fails it; read as inputs, the reference says the value. The fuzzer's rates are means over
five seeds. What we read off: with its own values the tester loses more than half of what its inputs catch, up
to 8 tests. At 2 and 4 tests its inputs are ahead of the near fuzzer, at 16 the fuzzer has caught up. Wide
fuzz misses habits 3 and 5, which show only at a boundary: world A is made of such bugs.

Mutants of the built-in problems, each shown wrong by a baseline test: the tiny tester knows only its own
world, so the fuzzer stands alone there.
"""

from collections import defaultdict
from statistics import mean

from chained_adv.core import Chain, make_rng
from chained_adv.models import ModelConfig, Players
from chained_adv.mutants import find_live_mutants, mutation_scores
from chained_adv.opponents import fuzz_inputs, fuzz_tests, write_lists
from chained_adv.problems import load_problems
from chained_adv.sandbox import Sandbox
from chained_adv.tiny.world import Spec, habits_of, run_spec, spec_problem, tiny_specs, with_habit
from research.command import add_threads, make_parser, print_rows, run_command
from research.writer import WRITERS

NUMBERS = (1, 2, 4, 8, 16) # of tests


def _outcome(spec, args):
    "What a program does, as text, and whether it answered"
    try: return repr(run_spec(spec, args)), True
    except Exception as e: return type(e).__name__, False

def catches(
    spec: Spec, # With a habit
    args: tuple # Of a call
) -> bool:
    "True if the reference answers a call, and the program with the habit answers otherwise"
    right, answered = _outcome(spec, args)
    return answered and _outcome(with_habit(spec, habits_of(spec)[0]), args)[0] != right

def habit_chain(spec: Spec) -> Chain: # Of the spec's problem
    "Write stages 1 to 5 as they are when the habit strikes"
    habit, rng = habits_of(spec)[0], make_rng("stages")
    said = [spec if i < habit else with_habit(spec, habit) for i in range(1, 6)]
    texts = [write(o, rng) for write, o in zip(WRITERS, said)]
    return Chain(spec_problem(spec), outputs=texts, code=texts[-1])

def _fuzz_runs(specs, chains, wide, seeds):
    "Per seed, problem and input: does it catch?"
    drawn = [[fuzz_inputs(c.problem, max(NUMBERS), seed, wide) for c in chains] for seed in range(seeds)]
    return [[[catches(s, t.args) for t in tests] for s, tests in zip(specs, run)] for run in drawn]

def _tester_tests(chains, seeds):
    "Per problem the distinct tests of the warm tester, in the order of seeds and stages"
    tester, written = Players(ModelConfig(device="cpu")).discriminator, defaultdict(dict)
    for seed in range(seeds):
        for stage in range(1, 6):
            for i, (_, read) in enumerate(write_lists(tester, chains, stage, seed=10 * seed + stage)):
                for t in read.cases: written[i].setdefault(t.call_key, t)
    return [list(written[i].values()) for i in range(len(chains))]

def habit_rows(
    n: int = 75, # Held-out problems to take those with a habit from
    seeds: int = 5 # Of the fuzzer; the tester writes with at most three
) -> list[tuple]: # (habit or "all", who wrote, share caught by the first n of `NUMBERS`)
    "Share of the programs with a habit that the first tests catch"
    specs = [o for o in tiny_specs("held_out", n) if habits_of(o)]
    chains = [habit_chain(o) for o in specs]
    tests = _tester_tests(chains, min(seeds, 3))
    valid = lambda spec, t: _outcome(spec, t.args)[0] == repr(t.expected)
    runs = {"fuzz, near": _fuzz_runs(specs, chains, False, seeds), "fuzz, wide": _fuzz_runs(specs, chains, True, seeds),
            "warm tester, full": [[[valid(s, t) and catches(s, t.args) for t in o] for s, o in zip(specs, tests)]],
            "warm tester, inputs": [[[catches(s, t.args) for t in o] for s, o in zip(specs, tests)]]}
    def share(run, n, habit):
        return mean(any(o[:n]) for o, s in zip(run, specs) if habit in ("all", habits_of(s)[0]))
    return [(habit, name, *(round(mean(share(run, n, habit) for run in o), 2) for n in NUMBERS))
            for habit in (1, 2, 3, 4, 5, "all") for name, o in runs.items()]

def mutant_rows(
    every: int = 6 # Take one built-in problem of so many
) -> list[tuple]: # (fuzzer, share killed by the first n of `NUMBERS`, mean inputs that references refuse)
    "Share of the mutants of built-in problems that fuzz inputs kill; refused inputs count as drawn"
    problems, rows = load_problems("builtin")[::every], []
    with Sandbox() as box:
        mutants = find_live_mutants(problems, box, 4)
        for name in ("near", "wide"):
            tests = fuzz_tests(problems, box, max(NUMBERS), 0, name == "wide")
            items = lambda n: [(p, m, t.cases[:n]) for p, m, t in zip(problems, mutants, tests) if m]
            scores = [mutation_scores(items(n), box) for n in NUMBERS]
            rates = [round(sum(k for k, _ in o) / sum(t for _, t in o), 2) for o in scores]
            rows.append((f"fuzz, {name}", *rates, round(mean(len(o.rejected) for o in tests), 1)))
    return rows

def main(argv: list[str] | None = None):
    "Run the command"
    parser = make_parser("Count what fuzz inputs and the warm tester's tests catch.", "python -m research.catches")
    add_threads(parser)
    def run(args):
        print_rows(("habit", "who wrote", *map(str, NUMBERS)), habit_rows())
        print()
        print_rows(("mutants", *map(str, NUMBERS), "refused of 16"), mutant_rows())
    run_command(run, parser.parse_args(argv))

if __name__ == "__main__": main()
