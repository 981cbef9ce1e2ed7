"""Evaluation: properties over many inputs, and mutants that share a process against the plain way."""
import ast, os, subprocess, sys
from math import isclose, sqrt
from statistics import NormalDist, mean
from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

from chained_adv.core import TestCase, make_rng
from chained_adv.evaluation import (bootstrap_interval, compute_reasoning_coherence, compute_test_diversity, find_live_mutants, make_mutants,
                                    mutation_scores, pass_at_k, wilson_interval)
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests
from chained_adv.tiny.world import spec_problem, tiny_specs, write_tests

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda o: st.lists(o, max_size=4) | st.dictionaries(st.text(max_size=2), o, max_size=3), max_leaves=8)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([.5, .9, .95, .99]))
def test_wilson_solves_the_score_equation(sn, confidence):
    "Each end is the rate whose own standard error puts the estimate z of them away"
    (s, n), z = sn, NormalDist().inv_cdf(.5 + confidence / 2)
    value, low, high = wilson_interval(s, n, confidence)
    assert 0 <= low <= value <= high <= 1
    for end in (low, high):
        if 0 < end < 1: assert isclose(abs(value - end), z * sqrt(end * (1 - end) / n), rel_tol=1e-6, abs_tol=1e-9)

def test_pass_at_k_is_the_mean_over_all_subsets():
    for n, c, k in ((n, c, k) for n in range(1, 7) for c in range(n + 1) for k in range(1, n + 1)):
        assert isclose(pass_at_k(n, c, k), mean(map(any, combinations([True] * c + [False] * (n - c), k))))

@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20), st.integers(0, 3))
@settings(max_examples=25)
def test_bootstrap_lies_within_the_values(values, seed):
    got = bootstrap_interval(values, seed=seed, resamples=100)
    assert min(values) - 1e-9 <= got.low <= got.high <= max(values) + 1e-9 and got == bootstrap_interval(values, seed=seed, resamples=100)

def test_bootstrap_covers_the_mean_of_dependent_values():
    "Ten values per problem move together: drawn by problem the interval holds the true mean about as often as promised, drawn singly it does not"
    rng, by_problem, singly = make_rng("coverage"), 0, 0
    for run in range(150):
        means, names = [rng.gauss(0, 1) for _ in range(30)], [i for i in range(30) for _ in range(10)]
        values = [means[i] + rng.gauss(0, .3) for i in names]
        holds = lambda o: o.low <= 0 <= o.high
        by_problem += holds(bootstrap_interval(values, names, run, 200)); singly += holds(bootstrap_interval(values, None, run, 200))
    assert by_problem / 150 > .86 > .6 > singly / 150

@given(st.lists(st.lists(VALUES, max_size=3), max_size=6))
def test_diversity_is_a_share_and_copies_lower_it(calls):
    tests = [TestCase(tuple(o)) for o in calls]
    score = compute_test_diversity(tests)
    assert 0 <= score <= 1
    if len(tests) > 1: assert compute_test_diversity(tests * 2) <= score + 1e-12

@given(st.lists(st.text(max_size=30), max_size=5))
def test_coherence_is_a_share(texts): assert 0 <= compute_reasoning_coherence(texts) <= 1


SPECS = tiny_specs("held_out", 25, seed=3)
PROBLEMS = [spec_problem(o) for o in SPECS]

@pytest.mark.parametrize("problem", PROBLEMS[:10], ids=lambda p: p.id)
def test_mutants_are_distinct_programs(problem):
    mutants = make_mutants(problem, 1000)
    texts = {m.source for m in mutants}
    assert len(texts) == len(mutants) > 4 and ast.unparse(ast.parse(problem.reference_solution)) not in texts
    lines = problem.reference_solution.splitlines()
    for m in mutants: compile(m.source, "mutant", "exec"); assert 1 <= m.line <= len(lines)
    assert make_mutants(problem, 7) == make_mutants(problem, 1000)[:7]

def test_mutants_do_not_depend_on_the_process():
    source = "def f(a, b):\n    return [o for o in a if o < b and o in {1, 2}][:b]"
    code = f"from chained_adv.evaluation import make_mutants; print([m.source for m in make_mutants({source!r}, 12)])"
    other = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True)
    assert ast.literal_eval(other.stdout) == [m.source for m in make_mutants(source, 12)]

def test_sharing_a_process_changes_no_score():
    "The same numbers as with one job per mutant, on suites with wrong tests in them"
    rng = make_rng("suites")
    suites = [[t for stage in range(1, 6) for t in parse_tests(write_tests(s, stage, rng), p.entry_point, p.function_signature).cases] for s, p in zip(SPECS, PROBLEMS)]
    with Sandbox(timeout=2) as box:
        live = find_live_mutants(PROBLEMS, box, limit=5)
        fast = mutation_scores(list(zip(PROBLEMS, live, suites)), box)
        plain = []
        for p, ms, tests in zip(PROBLEMS, live, suites):
            reference, *rest = box.run_many([Job(o, tests, p.entry_point, p.function_signature) for o in (p.reference_solution, *(m.source for m in ms))])
            plain.append((sum(any(a.passed and not b.passed for a, b in zip(reference.verdicts, r.verdicts)) for r in rest), len(ms)))
    assert fast == plain and 0 < sum(k for k, _ in fast) < sum(n for _, n in fast)
