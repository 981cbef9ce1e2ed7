"""Attacks on the three processes: programs on tests, tests on programs, both on the host, jobs on each other; no verdict but the right one.

The corpus is `judge_data/attacks.py`. What does not hold is in `LIMITS`, by name, with a sentence; a limit that is gone must leave that list.
"""
import sys
from pathlib import Path
import pytest
from chained_adv.jail import ISOLATION, probe_isolation
from chained_adv.sandbox import Job, Sandbox

sys.path.insert(0, str(Path(__file__).parent / "judge_data"))
from attacks import ANY, BAD, CROSS_ATTACKS, SOLUTION_ATTACKS, TEST_ATTACKS
from host_work import BYTES, CALLS, Work

# Entries whose verdicts are not what their `allowed` says, each with the reason; exactly these
LIMITS = {
    # answers cross as data: that two of them are one object over there cannot be seen
    "alias_memo": "a cached list that is handed out itself arrives as a copy",
    "alias_later": "an earlier answer that changes at a later call does not change here",
    "alias_inside": "the inner list of an object arrives as a copy",
    "alias_kept_argument": "a list that an object keeps is a copy of the caller's",
    # one process for all items of a program
    "leak_arguments": "arguments of earlier items can be kept by a program that patches what outlives a module",
}
TEST_LIMITS = {
    # valid, as they fail for some wrong answer; `weak` where answers near the right one pass
    "cheat_length": "fails for an answer without a length only; marked as weak",
    "cheat_any_type": "fails for None only; marked as weak",
    "cheat_not_none": "fails for None only; marked as weak",
    "cheat_wrong_arguments": "every program with the signature raises; only a look at the signature would show it",
    "cheat_only_isinstance": "fails where an object is of no class; every program with the class passes",
    "inside_class_shape": "asks for a public name that the reference has, and another right class need not have",
    "send_callback_loop": "the limit of recursion is reached at another depth",
    "cheat_raises_anything": "nearly every program raises something for this argument",
    "cheat_knows_perturbations": "lists the wrong answers that validation tries; only other wrong programs show that it tells nothing",
    "cheat_knows_perturbed_type": "tells the type and length of the answer, not the answer",
    "chance_order": "random numbers of a test are the same in each run, so the order is, too",
}
# By right either way: these draw from what the jail does not freeze (two looks agree once in four) or from what it does (they always agree)
EITHER = {a.name for a in TEST_ATTACKS if a.name.startswith("chance_") and a.arguable}
# Entries that may cost this process more than others, with the calls and bytes that they may take: suites that send all the requests or bytes they may
# `time_iterator`: three tests that may ask a thousand times each, some 135 calls a request; a quick machine gets there
COSTLY = {"time_iterator": (3 * 1000 * 150, 2 * BYTES), "lie_getattr": (400_000, BYTES), "frame_almost_big_answers": (CALLS, 100_000_000),
          "bomb_doctest": (300_000, BYTES), "bomb_functions": (300_000, BYTES)} # five hundred tests each

def misses(verdicts, allowed):
    "Verdicts that are not allowed. The reader may make several tests of one function: then what is allowed anywhere counts, and not all may pass where one must not"
    if len(verdicts) == len(allowed): return [(v.outcome, v.reason) for v, right in zip(verdicts, allowed) if v.outcome not in (right or ANY)]
    sets = [right or ANY for right in allowed]
    wrong = [(v.outcome, v.reason) for v in verdicts if v.outcome not in set().union(*sets)]
    forged = any("passed" not in right for right in sets) and verdicts and all(v.passed for v in verdicts)
    return wrong + ["all of them pass"] * bool(forged)

def too_costly(work): return {name: found for name, w in work.items() if (found := w.too_much(*COSTLY.get(name, ())))}

def test_the_comparison_can_fail():
    from chained_adv.core import Verdict
    good, bad, no = Verdict(True, "passed"), Verdict(False, "crash"), frozenset({"crash"})
    yes = frozenset({"passed"})
    assert misses([good], [no]) and misses([bad, good], [yes]) and misses([good, good, good], [yes, no]) and misses([bad], [yes, yes])
    assert not misses([good, bad], [yes, no]) and not misses([good, bad, bad], [yes, no]) and not misses([good] * 3, [yes])

def test_costs_are_counted_and_can_be_too_much():
    "A test that asks a thousand times costs more than one that asks twice, alike in two runs; what is over a limit is named"
    def cost(n):
        with Sandbox(cache_size=0) as box:
            job = Job("def f(x): return x", f"for i in range({n}):\n    assert f(i) in (i,)", "f")
            box.run_many([job])
            with Work() as work: box.run_many([job])
        return work
    few, many, again = cost(2), cost(900), cost(900)
    assert many.calls > 30 * few.calls and many.bytes > 40 * few.bytes and abs(many.calls - again.calls) < .2 * many.calls
    assert not many.too_much() and set(many.too_much(1000, 1000)) == {"calls", "bytes"}

@pytest.fixture(scope="module", params=ISOLATION)
def box(request):
    found = {o.level: o for o in probe_isolation()}[request.param]
    if not found.available: pytest.skip(f"no isolation level {found.level!r} here: {found.reason}")
    with Sandbox(timeout=.1, memory_mb=256, isolation=request.param, workers=2, cache_size=0) as b: yield b

def promised(entries, box): return [a for a in entries if ISOLATION.index(a.since) <= ISOLATION.index(box.level)]
def jobs_of(a, live=True): return [Job(a.code, a.tests, a.entry, a.signature, r) for r in [a.reference] + [None] * bool(live and a.live and a.reference)]

def test_programs(box):
    "With a reference, at the highest level also without one: nothing passes that must not, the right ones do, and the host has little to do"
    entries, full = promised(SOLUTION_ATTACKS, box), box.level == ISOLATION[-1]
    wrong, work = {}, {}
    if full:
        for a in entries:
            jobs = jobs_of(a)
            with Work(len(jobs)) as work[a.name]: results = box.run_many(jobs)
            if found := [m for r in results for m in misses(r.verdicts, a.allowed)]: wrong[a.name] = found
    else:
        for a, r in zip(entries, box.run_many([jobs_of(a, live=False)[0] for a in entries])):
            if found := misses(r.verdicts, a.allowed): wrong[a.name] = found
    assert {k: v for k, v in wrong.items() if k not in LIMITS} == {}
    assert set(LIMITS) == set(wrong), f"no longer limits: {set(LIMITS) - set(wrong)}"
    assert too_costly(work) == {}

def what_is_allowed(job, box):
    "A test that the reference fails judges nobody: its verdict is the reference's"
    if job[4] is None or job[5] is None: return job[5]
    right = box.run_many([Job(job[4], *job[1:4])])[0].verdicts
    return tuple(o if v.passed else BAD for o, v in zip(job[5], right)) if len(right) == len(job[5]) else job[5]

@pytest.mark.parametrize("box", ["full", "process"], indirect=True) # the best level, and the least: each takes a minute
def test_jobs_on_each_other(box):
    wrong, work = {}, {}
    for a in promised(CROSS_ATTACKS, box):
        with Work(len(a.jobs)) as work[a.name]: results = box.run_many([Job(*j[:5]) for j in a.jobs])
        allowed = [what_is_allowed(j, box) for j in a.jobs]
        found = [(i, *misses(r.verdicts, o)) for i, (o, r) in enumerate(zip(allowed, results)) if o is not None and misses(r.verdicts, o)]
        if found: wrong[a.name] = found
    assert wrong == {}
    assert too_costly(work) == {}

@pytest.fixture(scope="module")
def best():
    with Sandbox(timeout=.15, memory_mb=256, workers=2, cache_size=0) as b: yield b

def test_texts(best):
    "A candidate that answers as the reference does has its verdicts, whatever the test; what tells nothing is not valid"
    wrong, work = {}, {}
    for a in TEST_ATTACKS:
        jobs = [Job(p, a.text, a.entry, a.signature, a.reference) for p in (a.reference, a.candidate)]
        with Work(3) as work[a.name]:
            valid, reference, candidate = best.run_many([Job(a.reference, a.text, a.entry, a.signature, runs=2), *jobs])
        bad = best.run_many([Job(a.wrong, a.text, a.entry, a.signature, a.reference)]) if a.wrong and valid.num_passed else []
        found = [("differs", x.outcome, y.outcome, y.reason) for x, y in zip(reference.verdicts, candidate.verdicts) if x.outcome != y.outcome]
        if a.must_not_validate and valid.num_passed and a.name not in EITHER: found.append(("validates", valid.num_passed))
        caught = [v for v, w in zip(valid.verdicts, bad[0].verdicts) if v.passed and not w.passed] if bad else []
        if bad and not caught and a.name not in EITHER and not all(v.weak for v in valid.verdicts if v.passed): found.append(("a wrong program passes all that is valid",))
        if found: wrong[a.name] = found
    assert {k: v for k, v in wrong.items() if k not in TEST_LIMITS} == {}
    assert set(TEST_LIMITS) == set(wrong), f"no longer limits: {set(TEST_LIMITS) - set(wrong)}"
    assert too_costly(work) == {}

def test_the_corpus_is_large():
    assert len(SOLUTION_ATTACKS) >= 330 and len(TEST_ATTACKS) >= 330 and len(CROSS_ATTACKS) >= 70
    for entries in (SOLUTION_ATTACKS, TEST_ATTACKS, CROSS_ATTACKS): assert len({a.name for a in entries}) == len(entries)
    assert all(a.intent and "\n" not in a.intent for a in (*SOLUTION_ATTACKS, *TEST_ATTACKS, *CROSS_ATTACKS))
    assert all(LIMITS.values()) and all(TEST_LIMITS.values()) and len(EITHER) <= 25
