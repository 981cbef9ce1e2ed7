"Properties of the rewards over random suites"
from dataclasses import replace
from hypothesis import given, settings, strategies as st
from chained_adv.core import ExecutionResult, TestCase, Verdict
from chained_adv.rewards import REWARD_SCHEMES, compute_discriminator_reward, compute_generator_reward, per_test_credits, tally_tests

OUTCOMES = {".": "passed", "x": "wrong_value", "T": "timeout", "e": "exception"}
names = st.sampled_from(list(REWARD_SCHEMES))
# one test: (call, candidate's mark, another candidate's mark, reference's mark), or None when it could not be read
one_test = st.one_of(st.none(), st.tuples(st.integers(0, 6), *[st.sampled_from(".xTe")] * 3))
suites = st.lists(one_test, max_size=12)

def verdict(test, column):
    if test is None: return Verdict(False, "rejected", text="?")
    return Verdict(test[column] == ".", OUTCOMES[test[column]], test=TestCase((test[0],), test[0]))

def result(tests, column):
    verdicts = tuple(verdict(t, column) for t in tests)
    return ExecutionResult(verdicts, timed_out=any(v.outcome == "timeout" for v in verdicts))

def discriminator(tests, name): return compute_discriminator_reward(result(tests, 1), result(tests, 3), name, others=(result(tests, 2),))

@given(suites, names)
def test_rewards_are_in_range(tests, name):
    s, g, v = REWARD_SCHEMES[name], result(tests, 1), result(tests, 3)
    for o in (compute_generator_reward(g, name, validation=v), compute_generator_reward(g, name, baseline=v), compute_discriminator_reward(g, v, name)):
        assert s.low <= o <= s.high

@given(suites, names)
def test_invalid_tests_never_count_against_the_generator(tests, name):
    g, v = result(tests, 1), result(tests, 3)
    valid = [t for t in tests if t and t[3] == "."]
    assert compute_generator_reward(g, name, validation=v) == compute_generator_reward(result(valid, 1), name)

@given(suites, names)
def test_writing_nothing_never_beats_writing_something(tests, name):
    empty = ExecutionResult()
    assert compute_discriminator_reward(empty, empty, name) <= discriminator(tests, name)

@given(suites, st.integers(7, 20), st.sampled_from(".xTe"), st.sampled_from(".xTe"))
@settings(max_examples=400)
def test_one_more_valid_test_never_lowers_per_test(tests, call, mark, other):
    more = tests + [(call, mark, other, ".")]
    assert discriminator(more, "per_test") >= discriminator(tests, "per_test") - 1e-12

@given(suites)
def test_one_more_unreadable_test_never_raises_any_but_lists_of_nothing(tests):
    for name in REWARD_SCHEMES:
        if tests: assert discriminator(tests + [None], name) <= discriminator(tests, name) + 1e-12

@given(suites)
def test_credits_match_the_scalar_and_the_signs(tests):
    g, v, o = result(tests, 1), result(tests, 3), (result(tests, 2),)
    credits = per_test_credits(g, v, others=o)
    assert len(credits) == len(tests)
    for c, r in zip(credits, v.verdicts): assert c >= 0 if r.passed else c < 0
    if tests: assert abs(max(-1, min(1, sum(credits))) - discriminator(tests, "per_test")) < 1e-12

@given(suites)
def test_no_call_earns_twice_and_at_most_four_earn(tests):
    credits = per_test_credits(result(tests, 1), result(tests, 3))
    earning = [t[0] for t, c in zip(tests, credits) if c > 0]
    assert len(earning) == len(set(earning)) <= 4

@given(suites)
def test_shaped_is_the_founding_formula(tests):
    g, v = result(tests, 1), result(tests, 3)
    t = tally_tests(g, v)
    if not t.written: return
    invalid = t.written - t.valid
    assert abs(compute_discriminator_reward(g, v, "shaped") - (.4 * t.valid - .6 * invalid + .6 * t.caught) / t.written) < 1e-12

def test_a_scheme_travels_between_processes():
    import pickle
    scheme = replace(REWARD_SCHEMES["per_test"], invalid_cost=.5)
    assert pickle.loads(pickle.dumps(scheme)) == scheme

def test_rewards_import_no_tensors():
    import subprocess, sys
    code = "import sys, chained_adv.rewards; sys.exit(bool({'torch', 'transformers', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
