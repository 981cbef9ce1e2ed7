"""All three corpora of attacks through the draft's Sandbox: python -m draft.attacks2 programs|texts|cross [level]"""
import sys, time
sys.path.insert(0, "tests/judge_data"); sys.path.insert(0, "tests")
from attacks import ANY, CROSS_ATTACKS, SOLUTION_ATTACKS, TEST_ATTACKS
from chained_adv.jail import ISOLATION
from .batches import Job
from .sandbox import Sandbox

def misses(verdicts, allowed):
    if len(verdicts) == len(allowed): return [(v.outcome, v.reason[:90]) for v, right in zip(verdicts, allowed) if v.outcome not in (right or ANY)]
    sets = [right or ANY for right in allowed]
    wrong = [(v.outcome, v.reason[:90]) for v in verdicts if v.outcome not in set().union(*sets)]
    forged = any("passed" not in right for right in sets) and verdicts and all(v.passed for v in verdicts)
    return wrong + ["all of them pass"] * bool(forged)

class Work:
    def __enter__(self): self.c, self.w = time.process_time(), time.time(); return self
    def __exit__(self, *_): self.c, self.w = time.process_time() - self.c, time.time() - self.w

def main(which, level=None):
    wrong, host, cost = {}, {}, {}
    with Sandbox(timeout=.15, memory_mb=256, workers=2, isolation=level, cache_size=0) as box:
        if which == "programs":
            for a in SOLUTION_ATTACKS:
                if level and ISOLATION.index(a.since) > ISOLATION.index(level): continue
                jobs = [Job(a.code, a.tests, a.entry, a.signature, r) for r in [a.reference] + [None] * bool(a.live and a.reference)]
                try:
                    with Work() as w: results = box.run_many(jobs)
                except Exception as e: host[a.name] = repr(e)[:200]; continue
                if w.c > .12 * len(jobs) or w.w > 10: cost[a.name] = round(w.c, 2), round(w.w, 1)
                if found := [(k, m) for k, r in enumerate(results) for m in misses(r.verdicts, a.allowed)]: wrong[a.name] = found
        if which == "texts":
            for a in TEST_ATTACKS:
                jobs = [Job(p, a.text, a.entry, a.signature, a.reference) for p in (a.reference, a.candidate)]
                try:
                    with Work() as w: valid, reference, candidate = box.run_many([Job(a.reference, a.text, a.entry, a.signature, runs=2), *jobs])
                    bad = box.run_many([Job(a.wrong, a.text, a.entry, a.signature, a.reference)]) if a.wrong and valid.num_passed else []
                except Exception as e: host[a.name] = repr(e)[:200]; continue
                if w.c > .3 or w.w > 10: cost[a.name] = round(w.c, 2), round(w.w, 1)
                found = [("differs", x.outcome, x.reason[:80], y.outcome, y.reason[:80]) for x, y in zip(reference.verdicts, candidate.verdicts) if x.outcome != y.outcome]
                if a.must_not_validate and valid.num_passed: found.append(("validates", valid.num_passed))
                caught = [v for v, w2 in zip(valid.verdicts, bad[0].verdicts) if v.passed and not w2.passed] if bad else []
                if bad and not caught and not all(v.weak for v in valid.verdicts if v.passed): found.append(("a wrong program passes all that is valid",))
                if found: wrong[a.name] = found
        if which == "cross":
            for a in CROSS_ATTACKS:
                try:
                    with Work() as w: results = box.run_many([Job(*j[:5]) for j in a.jobs])
                except Exception as e: host[a.name] = repr(e)[:200]; continue
                if w.c > .15 * len(a.jobs) or w.w > 10: cost[a.name] = round(w.c, 2), round(w.w, 1)
                found = [(i, *misses(r.verdicts, j[5])) for i, (j, r) in enumerate(zip(a.jobs, results)) if j[5] is not None and misses(r.verdicts, j[5])]
                if found: wrong[a.name] = found
    print(which, "wrong", len(wrong)); [print("  ", k, v) for k, v in wrong.items()]
    print("host", host); print("cost", cost)
main(*sys.argv[1:])
