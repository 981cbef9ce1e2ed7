"""How often a tester says the right value, for inputs that are fixed.

A tester of inputs (`tests="inputs"`) writes calls only, and the reference fills in the values. So the
validity of its tests no longer says whether it could have said the values itself. To measure that, the tester
is given a call and goes on from there, greedy: where an answer with its row of arguments ends, the value must
follow.
"""

from chained_adv.core import Problem, TestCase
from chained_adv.models import Discriminator, Players
from chained_adv.opponents import can_fill
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import baseline_cases, parse_tests


def _beginning(player, problem, test):
    "The first characters of an answer that asks about a call"
    args = [repr(a) for a in test.args]
    if player.prompts.name == "tags":
        row = f"({','.join(args)}".replace(", ", ",")
        return row + ",#" * row.endswith("]") # its tokens join the end of a list with what follows
    return f"assert {problem.entry_point}({', '.join(args)}) == "

def fixed_inputs(
    problem: Problem, # With baseline tests
    n: int = 4 # How many calls
) -> list[TestCase]: # Of plain positional arguments; none where no reference can say the value
    "Choose the calls that a tester is asked about"
    plain = [t for t in baseline_cases(problem) if t.kind in ("equal", "exact") and not t.kwargs]
    return list({t.call_key: t for t in plain}.values())[:n] if can_fill(problem) else []

def continue_tests(
    player: Discriminator, # The discriminator
    asked: list[tuple[Problem, TestCase]], # Calls to go on from
    stage: int, # Whose adapter writes
    limit: int = 64 # Tokens
) -> list[str]: # The whole answers: beginning and what was added
    "Let a tester go on from calls, greedy"
    prompts = [str(player.prompt(p, stage, p.reference_solution)) for p, _ in asked] # we begin the answer here
    beginnings = [_beginning(player, p, t) for p, t in asked]
    begun = player.base.tokenizer(beginnings, add_special_tokens=False).input_ids
    begun = [o[:player.window // 2] for o in begun] # a longer call counts as not answered
    ids = player.encode(prompts, limit + max(limit, *map(len, begun)))
    answers = player._answer([(a + b, 0) for a, b in zip(ids, begun)], stage, limit, temperature=0.)
    return [a + player.cut(*b, stage)[3] for a, b in zip(beginnings, answers)]

def _first_test(problem, test, text):
    "The test that an answer begins with; None when it asks about another call"
    read = parse_tests(text, problem.entry_point, problem.function_signature).cases[:1]
    return read[0] if read and read[0].call_key == test.call_key else None

def value_accuracy(
    players: Players, # Whose discriminator is asked
    problems: list[Problem], # With references; others are left out
    sandbox: Sandbox, # Where the references run
    n_inputs: int = 4 # Calls per problem
) -> list[tuple[int, float]]: # (position of the problem, 1 if the value is right) per call; none of a fuzzer
    "Ask a tester for the values of fixed inputs: the first test of its answer counts, and the reference judges it"
    player, stage = players.discriminator, players.test_stages[-1]
    if not hasattr(player, "adapter"): return [] # the fuzzer says no values
    asked = [(g, p, t) for g, p in enumerate(problems) for t in fixed_inputs(p, n_inputs)]
    texts = continue_tests(player, [(p, t) for _, p, t in asked], stage) if asked else []
    tests = [_first_test(p, t, text) for (_, p, t), text in zip(asked, texts)]
    jobs = [Job(p.reference_solution, [t] if t else [], p.entry_point, p.function_signature)
            for (_, p, _), t in zip(asked, tests)]
    return [(g, float(r.passed)) for (g, _, _), r in zip(asked, sandbox.run_many(jobs))]
