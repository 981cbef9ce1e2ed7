"""Evaluation: properties over many inputs, and mutants that share a process against the plain way."""
import ast, csv, io, json, os, subprocess, sys
from fractions import Fraction
from math import comb, isclose, prod, sqrt
from pathlib import Path
from statistics import NormalDist, mean
from itertools import combinations, product

import pytest
import scipy.stats # noqa: F401 the first use of an interval loads it, which takes longer than hypothesis waits
from hypothesis import given, settings, strategies as st

from chained_adv.core import Chain, Problem, TestCase, make_rng
from chained_adv.evaluation import (SELECTIONS, Evaluation, compare_evaluations, comparison_rows, compute_reasoning_coherence,
                                    compute_test_diversity, evaluate_choices, evaluate_players, evaluation_from_dict, has_syntax_error,
                                    select_best, select_candidates)
from chained_adv.intervals import bootstrap_interval, compare_paired, pass_at_k, rate_interval, sign_test, wilson_interval
from chained_adv.mutants import find_live_mutants, make_mutants, mutation_scores, sort_mutants
from chained_adv.tracking import plot_comparison
from chained_adv.models import ModelConfig, Players
from chained_adv.problems import load_problems
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import baseline_cases, parse_tests
from chained_adv.tiny.world import random_args, run_spec, spec_problem, tiny_problems, tiny_specs
from calling import call

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda o: st.lists(o, max_size=4) | st.dictionaries(st.text(max_size=2), o, max_size=3), max_leaves=8)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_solves_the_score_equation(sn):
    "Each end is the rate whose own standard error puts the estimate z of them away"
    (s, n), z = sn, NormalDist().inv_cdf(.975)
    value, low, high = wilson_interval(s, n)
    assert 0 <= low <= value <= high <= 1
    for end in (low, high):
        if 0 < end < 1: assert isclose(abs(value - end), z * sqrt(end * (1 - end) / n), rel_tol=1e-6, abs_tol=1e-9)

def test_pass_at_k_is_the_mean_over_all_subsets():
    for n, c, k in ((n, c, k) for n in range(1, 7) for c in range(n + 1) for k in range(1, n + 1)):
        assert isclose(pass_at_k(n, c, k), mean(map(any, combinations([True] * c + [False] * (n - c), k))))

@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_exact(nck):
    "The nearest float to the paper's product of ratios, taken over fractions; it never falls as k grows"
    n, c, k = nck
    exact = 1 - prod((Fraction(n - c - i, n - i) for i in range(k)), start=Fraction(1)) if n - c >= k else Fraction(1)
    assert pass_at_k(n, c, k) == float(exact) and (k == n or pass_at_k(n, c, k) <= pass_at_k(n, c, k + 1))

@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0., 1., .5])), min_size=1, max_size=40))
def test_a_rate_lies_in_its_interval(rows):
    groups, values = zip(*rows)
    got = rate_interval(list(values), list(groups))
    assert 0 <= got.low <= got.high <= 1 and isclose(got.value, mean(values))
    if set(values) in ({0.}, {1.}): assert got.high - got.low >= .3 # six problems at most: never certain

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

@pytest.mark.parametrize("signature, tests", [("def f(xs: list[int]) -> int:", ([[1, 2], 4], "y = f([1])\nassert y == 2")), ("def f(xs: list[int])->None:", ([[1, 2], [4, 5]],))])
def test_mutants_of_a_reference_from_the_future(signature, tests):
    "Run in processes of their own: its first line must stay the first; and it counts rounds while it is loaded"
    body = "    i = 0\n    while i < len(xs):\n        xs[i] += 3\n        i += 1" if "None" in signature else "    return sum(xs) + 1"
    p = Problem("future", "Add.", signature, tests, f"from __future__ import annotations\nn = 3\nwhile n > 0: n -= 1\ndef f(xs):\n{body}")
    with Sandbox() as box: found, = sort_mutants([p], box)
    assert len(found.kept) >= 2, found

@pytest.mark.parametrize("problem", PROBLEMS[:10], ids=lambda p: p.id)
def test_mutants_are_distinct_programs(problem):
    mutants = make_mutants(problem, 1000)
    texts = {m.source for m in mutants}
    assert len(texts) == len(mutants) > 4 and ast.unparse(ast.parse(problem.reference_solution)) not in texts
    for m in mutants: compile(m.source, "mutant", "exec")
    assert make_mutants(problem, 7) == make_mutants(problem, 1000)[:7]

def test_mutants_do_not_depend_on_the_process():
    source = "def f(a, b):\n    return [o for o in a if o < b and o in {1, 2}][:b]"
    code = f"from chained_adv.mutants import make_mutants; print([m.source for m in make_mutants({source!r}, 12)])"
    other = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True)
    assert ast.literal_eval(other.stdout) == [m.source for m in make_mutants(source, 12)]

# Mutants

def changed_node(a, b):
    "The smallest pair of nodes that holds all differences of two trees"
    if type(a) is not type(b): return a, b
    pairs = [(x, y) for (name, x), (_, y) in zip(ast.iter_fields(a), ast.iter_fields(b)) if (ast.dump(x) if isinstance(x, ast.AST) else [ast.dump(o) if isinstance(o, ast.AST) else o for o in x] if isinstance(x, list) else x)
             != (ast.dump(y) if isinstance(y, ast.AST) else [ast.dump(o) if isinstance(o, ast.AST) else o for o in y] if isinstance(y, list) else y)]
    if len(pairs) != 1: return a, b
    x, y = pairs[0]
    if isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
        different = [(i, j) for i, j in zip(x, y) if not (isinstance(i, ast.AST) and isinstance(j, ast.AST)) or ast.dump(i) != ast.dump(j)]
        x, y = different[0] if len(different) == 1 else (None, None)
    return changed_node(x, y) if isinstance(x, ast.AST) and isinstance(y, ast.AST) else (a, b)

@pytest.mark.parametrize("problem", PROBLEMS[:6] + load_problems("builtin")[::12], ids=lambda p: p.id)
def test_mutants_are_mechanical(problem):
    "One node is exchanged; signature, imports and everything outside the function's body stay"
    reference = ast.parse(ast.unparse(ast.parse(problem.reference_solution)))
    mutants = make_mutants(problem, 12)
    assert mutants
    for m in mutants:
        old, new = changed_node(reference, ast.parse(m.source))
        assert not isinstance(old, (ast.Module, ast.ClassDef, ast.Import, ast.ImportFrom)), m
        assert ast.dump(old) != ast.dump(new)

def test_kept_mutants_are_never_equivalent():
    "Each kept mutant, run the plain way in a process of its own, fails a baseline test that the reference passes; the undecided ones fail none"
    problems = PROBLEMS[:8] + load_problems("builtin")[::20]
    with Sandbox(timeout=1) as box:
        sets = sort_mutants(problems, box, 3)
        for p, o in zip(problems, sets):
            job = lambda source: Job(source, baseline_cases(p), p.entry_point, p.function_signature)
            kept, spare, undecided = (box.run_many([job(m.source) for m in ms]) for ms in (o.kept, o.spare, o.undecided))
            assert box.run_many([job(p.reference_solution)])[0].passed
            assert not any(r.passed for r in kept + spare) and all(r.passed for r in undecided)
            assert len(o.kept) <= 3 and (not o.spare or len(o.kept) == 3)
        assert find_live_mutants(problems, box, 3) == [o.kept for o in sets]
        assert sum(len(o.undecided) for o in sets) > 0 # there is something to leave out

# Best of N

TABLES = st.integers(0, 5).flatmap(lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=6))

@given(TABLES, st.sampled_from(list(SELECTIONS)), st.randoms(use_true_random=False))
def test_the_choice_depends_on_no_order(table, method, rng):
    chosen = {tuple(table[i]) for i in select_candidates(table, method)}
    rows, columns = list(range(len(table))), list(range(len(table[0])))
    rng.shuffle(rows); rng.shuffle(columns)
    mixed = [[table[i][j] for j in columns] for i in rows]
    assert sorted(rows[i] for i in select_candidates(mixed, method)) == select_candidates(table, method)
    assert chosen and all(i in select_candidates(table, method) for i, row in enumerate(table) if tuple(row) in chosen)

@given(TABLES)
def test_consensus_by_its_definition(table):
    score = lambda row: sum(r == row for r in table) * sum(row)
    assert select_candidates(table) == [i for i, row in enumerate(table) if score(row) == max(map(score, table))]

class Secret(Problem):
    "A problem that must not be asked for its answer"
    def __getattribute__(self, name):
        if name in ("reference_solution", "baseline_tests"): raise AssertionError(f"the selection looked at {name}")
        return super().__getattribute__(name)

class SecretChain(Chain):
    "A chain that must not be asked whether it is right"
    def __getattribute__(self, name):
        if name in ("baseline", "validation", "result", "solved", "generator_reward"): raise AssertionError(f"the selection looked at {name}")
        return super().__getattribute__(name)

@pytest.mark.parametrize("method", SELECTIONS)
def test_the_selection_never_looks_at_the_answer(method):
    problem = Secret("double", "Return twice n.", "def double(n):", ([2, 4],), "def double(n): return 2 * n")
    chains = [SecretChain(problem, code=f"def double(n): return {o}") for o in ("n * 2", "n ** 2", "n + n", "n", "loop(")]
    tests = [TestCase((0,), 0), TestCase((5,), 10), TestCase((3,), 9)]
    with pytest.raises(AssertionError, match="looked at baseline_tests"): baseline_cases(problem) # the trap works
    with Sandbox(timeout=2) as box: chosen, = select_best([chains], [tests], box, method)
    found = [next(i for i, c in enumerate(chains) if c is o) for o in chosen]
    assert found == {"consensus": [0, 2], "passed": [0, 1, 2]}[method] # squaring passes two tests as well, but alone

@pytest.mark.parametrize("code,wrong", [("def f():\n    pass", False), ("async def f():\n    await g()", False), ("await g()", True), ("yield 1", True), ("x = 08", True), ("\ud800", True), ("if 1:\n\tx = 1\n        y = 2", True)])
def test_syntax_errors(code, wrong): assert has_syntax_error(code) is wrong

# Paired comparison

def test_sign_test_by_counting():
    "Over all outcomes of n fair coins: the share at least as uneven as what was seen"
    for n in range(9):
        coins = [sum(o) for o in product((0, 1), repeat=n)]
        for wins in range(n + 1): assert isclose(sign_test(wins, n - wins), mean(abs(2 * o - n) >= abs(2 * wins - n) for o in coins))

def draws(rng, n, shift):
    "Two runs on n problems of very different difficulty, 4 samples each; the first is better by `shift`"
    hard = [rng.random() for _ in range(n)]
    rate = lambda up: {str(i): mean(rng.random() < min(1, max(0, h + up)) for _ in range(4)) for i, h in enumerate(hard)}
    return rate(shift), rate(0)

def test_noise_is_seldom_called_a_difference_and_differences_are_found():
    rng = make_rng("paired")
    nothing = [compare_paired(*draws(rng, 40, 0.), seed=i).verdict for i in range(200)]
    better = [compare_paired(*draws(rng, 40, .25), seed=i).verdict for i in range(40)]
    assert sum(o != "within noise" for o in nothing) <= 12 and better.count("higher") >= 34 and "lower" not in better

@given(st.dictionaries(st.integers(0, 30), st.tuples(st.sampled_from([0., .5, 1.]), st.sampled_from([0., .5, 1.])), min_size=1))
@settings(max_examples=40)
def test_comparison_is_antisymmetric(values):
    a, b = ({k: v[i] for k, v in values.items()} for i in (0, 1))
    x, y = compare_paired(a, b), compare_paired(b, a)
    assert (x.n, x.wins, x.losses, x.ties, x.p_value) == (y.n, y.losses, y.wins, y.ties, y.p_value) and isclose(x.difference.value, -y.difference.value, abs_tol=1e-12)
    assert {x.verdict, y.verdict} in ({"within noise"}, {"higher", "lower"})

# Players

HELD = tiny_problems("held_out", 3)

@pytest.fixture(scope="module")
def measured():
    "The tiny model on three problems, one answer of which is wrong; the untrained tester is loaded anew"
    players, other = (Players(ModelConfig(device="cpu")) for _ in range(2))
    with Sandbox() as box:
        mutants = find_live_mutants(HELD, box, 2)
        more = dict(name="tiny", ks=(1, 2), best_of=2, untrained=other)
        full = [evaluate_choices(players, HELD, box, 2, mutants=mutants, seed=4, **more) for _ in range(2)]
        return *full, evaluate_players(players, HELD, box, 2, mutants, seed=4)

def test_same_seed_same_evaluation(measured):
    a, b, _ = measured
    assert a.values == b.values and a.problems == [p.id for p in HELD] and a.n == 6

def test_what_else_is_asked_for_changes_no_rate(measured):
    full, _, plain = measured
    assert plain.rates == full.rates and len(plain.rates) == 6 and plain.by_tag == full.by_tag
    for k in plain.values: assert plain.values[k] == full.values[k], k

def test_by_tag_is_the_mean_over_the_problems_with_that_tag(measured):
    e = measured[0]
    for tag, rates in e.by_tag.items():
        assert rates["solved"] == mean(v for g, v in e.values["solved"] if tag in HELD[g].tags)
        assert e.with_tag(tag).rate("solved_greedy").value == rates["solved_greedy"]
    assert set(e.by_tag) == {t for p in HELD for t in p.tags}

def test_an_evaluation_comes_back_from_its_file(measured):
    again = evaluation_from_dict(json.loads(json.dumps(measured[0].as_dict())))
    assert again == measured[0] and again.rates == measured[0].rates

def test_an_untrained_tester_chooses_as_one(measured):
    for method in ("", "_passed"): assert measured[0].values[f"best_of_2{method}"] == measured[0].values[f"best_of_2{method}_untrained"]

def test_rows_of_three_runs(measured):
    m = measured[0]
    none = Evaluation("none", m.problems, m.tags, 3, {"solved": [(i, 0.) for i in range(3)]}, {})
    n = sum(map(bool, m.values.values()))
    rows = comparison_rows([m, none, Evaluation("again", m.problems, m.tags, m.n, m.values, {})])
    assert [r["name"] for r in rows] == ["tiny"] * n + ["none"] + ["again"] * n
    assert all(r["difference"] is None for r in rows[:n]) and all(r["difference"] == 0 and r["p_value"] == 1 for r in rows if r["name"] == "again")
    assert compare_evaluations(none, m).keys() == {"solved"}
    fig = plot_comparison(rows)
    assert len(fig.axes) == 2 and [o.get_text() for o in fig.legends[0].get_texts()] == ["tiny", "none", "again"]

# The command

def refused(result, *words):
    assert (result.exit_code, result.stdout) == (2, ""), (result.exit_code, result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr and all(o in result.stderr for o in words), result.stderr

@pytest.fixture(scope="module")
def run(tmp_path_factory):
    "A run of the tiny model, hardly trained"
    folder = tmp_path_factory.mktemp("evaluate") / "run"
    r = call("train", "--stages", "1", "--n-discriminator-steps", 1, "--first-discriminator-steps", 0, "--n-generator-steps", 1, "--k-alternating-steps", 0, "--problems-per-step", 2, "--samples", 2, "--eval-samples", 1, "--n-mutants", 0,
             "--max-stage-tokens", 4, "--max-test-tokens", 4, "--device", "cpu", "--out", folder, "--json")
    assert r.exit_code == 0, (r.stderr, r.exception)
    return folder

def test_evaluate_writes_everything(run, tmp_path):
    r = call("evaluate", "tiny", run, run / "checkpoints/stage_0", "--limit", 2, "--best-of", 2, "--k", "1,2", "--n-mutants", 1, "--device", "cpu", "--out", tmp_path / "new/out", "--json")
    assert r.exit_code == 0, (r.stderr, r.exception)
    out, printed = tmp_path / "new/out", json.loads(r.stdout)
    assert {o.name for o in out.iterdir()} == {"evaluation.json", "evaluation.csv", "evaluation.png", "problems.csv"}
    saved = json.loads((out / "evaluation.json").read_text())
    assert saved["results"] == printed and saved["mutants"]["kept"] == 2 == len(saved["problems"])
    assert saved["settings"]["samples"] == 2 and saved["settings"]["k"] == [1, 2]
    assert [o["name"] for o in printed] == ["tiny", str(run), str(run / "checkpoints/stage_0")] and "difference" not in printed[0]["solved"] and printed[0]["n"] == 4
    for o in printed:
        for k in ("solved", "solved_greedy", "pass@1", "pass@2", "best_of_2", "best_of_2_untrained", "best_of_2_passed", "baseline_pass_rate", "truncation_rate", "syntax_error_rate"): assert o[k]["low"] <= o[k]["value"] <= o[k]["high"], k
        assert o["by_tag"]
    assert printed[1]["truncation_rate"]["value"] == 1 and printed[1]["solved"]["verdict"] in ("within noise", "lower")
    rows = list(csv.DictReader((out / "evaluation.csv").open()))
    assert {o["name"] for o in rows} == {o["name"] for o in printed}
    assert {o["problem"] for o in csv.DictReader((out / "problems.csv").open())} == set(saved["problems"])
    assert (out / "evaluation.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert f"evaluating {run} (2 of 3)" in r.stderr

def test_evaluate_as_text(run):
    r = call("evaluate", run, "tiny", run, "--limit", 1, "--n-mutants", 1, "--device", "cpu")
    assert r.exit_code == 0, (r.stderr, r.exception)
    said = "".join(r.stdout.split()) # a long path is folded
    assert all("".join(o.split()) in said for o in ("1 problem, 1 sample each", f"Differences to {run} in points", "sign test", "1 kept of 2 made"))
    assert "best of" not in r.stdout and "written" not in r.stdout

BAD = {"k of zero": (("--k", "0"), "like 1,5"), "k in words": (("--k", "all"), "like 1,2,3"), "k beyond the samples": (("--k", "1,5", "--samples", "4"), "need 5 samples", "at least 5"),
    "more to choose from than samples": (("--best-of", "3", "--samples", "2"), "need 3 samples"), "negative samples": (("--samples", "-1"), "--samples"),
    "out is a file": (("--out", "file"), "file: File exists"), "out below a file": (("--out", "file/x"), "Not a directory"),
    "no such run": (("./none",), "'./none' is no run"), "no such run in the folder of one": (("{run}_2",), "is no run"), "neither run nor model": (("no/such/model",), "'no/such/model' is no run", "cannot be loaded"), "a folder that is neither": ((".",), "'.' is no run", "cannot be loaded"), "no such checkpoint": (("{run}", "--checkpoint", "stage_9"), "stage_9"), "no such device": (("--device", "foo"), "foo")}

@pytest.mark.parametrize("case", BAD)
def test_evaluate_refuses_before_anything_is_written(run, tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine")
    options, *words = BAD[case]
    refused(call("evaluate", "tiny", *(o.format(run=run) for o in options), "--limit", 1), *words)
    assert [(o.name, o.read_text()) for o in tmp_path.iterdir()] == [("file", "mine")]
