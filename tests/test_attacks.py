"The corpus of hostile programs: every verdict right at every isolation level, and nothing is left behind"
import gc, os, sys
from pathlib import Path
import pytest
from ordinary_user import run_as_ordinary_user
from chained_adv.jail import ISOLATION, probe_isolation
from chained_adv.sandbox import Job, Sandbox

sys.path.insert(0, str(Path(__file__).parent / "attacks"))
from solutions import ATTACKS, SECRET

LINUX = sys.platform == "linux"
PLACES = [p for p in ("/tmp", "/var/tmp", "/dev/shm", "/", os.path.expanduser("~"), os.getcwd()) if os.access(p, os.R_OK)]
PROBE = "import builtins, collections, gc, math, os, sys\ndef f(x): return [math.sqrt(x), sum([x, x]), hasattr(collections, 'MARK'), len(os.environ), sys.getrecursionlimit(), sys.gettrace(), gc.isenabled(), len(sys.meta_path)]"
CLEAN = Job(PROBE, "(16, [4.0, 32, False, 0, 1000, None, True, 3])", "f")

@pytest.fixture(scope="module", params=ISOLATION)
def box(request):
    found = {o.level: o for o in probe_isolation()}[request.param]
    if not found.available: pytest.skip(f"no isolation level {found.level!r} here: {found.reason}")
    with Sandbox(timeout=.25, memory_mb=256, isolation=request.param, cache_size=0) as b: yield b

def wrong(result, attack):
    "The verdicts that are not right"
    return [(v.outcome, v.reason) for v, right in zip(result.verdicts, attack.outcomes) if v.outcome not in right.split("|")]

def descriptors(pid="self"): return len(os.listdir(f"/proc/{pid}/fd"))
def litter(): return [n for p in PLACES for n in os.listdir(p) if "chained_adv_attack" in n]
def shared(): return sum(len(Path(f"/proc/sysvipc/{o}").read_text().splitlines()) for o in ("shm", "msg", "sem") if os.path.exists(f"/proc/sysvipc/{o}"))
def lineage(box):
    "Processes of this sandbox: whatever was forked from a zygote has its command line"
    mine = {Path(f"/proc/{w.process.pid}/cmdline").read_bytes() for w in box.zygotes.values()}
    found = []
    for p in Path("/proc").iterdir():
        try: p.name.isdigit() and p.joinpath("cmdline").read_bytes() in mine and p.joinpath("stat").read_text().rsplit(")", 1)[1].split()[0] != "Z" and found.append(int(p.name))
        except OSError: pass # ended meanwhile
    return sorted(found)

def test_the_corpus_is_large_and_said_to_what_end():
    assert len(ATTACKS) >= 199 and len({a.name for a in ATTACKS}) == len(ATTACKS)
    for a in ATTACKS: assert a.intent and "\n" not in a.intent and a.since in ISOLATION and len(a.outcomes) in (1, 2, 3, 4), a.name

@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
def test_attack(box, attack):
    if ISOLATION.index(box.level) < ISOLATION.index(attack.since): pytest.skip(f"level {box.level!r} does not promise this")
    result, after = box.run_many([Job(attack.code, attack.tests, "f"), CLEAN])
    assert len(result.verdicts) == len(attack.outcomes) and not wrong(result, attack), (attack.intent, wrong(result, attack))
    assert after.passed, ("the next execution", after.errors)

# The same secrets, asked by tests that are code, with a right solution at hand to record them with and without one
AS_CODE = "def test_a():\n    assert [f(1)] == [424242]\nassert sorted([f(2), 0]) == [0, 424243]\nassert f(1) + 1 == 424243\nassert f(2) in {424243, 424244}"
REFERENCE = "def f(x): return x + 424241"

def test_no_secret_is_guessed_by_tests_that_are_code(box):
    attacks = [a for a in ATTACKS if a.tests == SECRET and ISOLATION.index(box.level) >= ISOLATION.index(a.since)]
    jobs = [Job(a.code, AS_CODE, "f", "def f(x):", r) for a in attacks for r in (REFERENCE, None)]
    right = Job("def f(x): return 424241 - -x", AS_CODE, "f", "def f(x):", REFERENCE)
    results = box.run_many([o for j in jobs for o in (j, right)])
    assert len(attacks) >= 50 and all(r.num_total == 4 for r in results)
    assert not [(attacks[i // 2].name, r.verdicts) for i, r in enumerate(results[::2]) if r.num_passed]
    assert all(r.passed for r in results[1::2])

def test_an_attacker_as_reference_validates_nothing_that_it_does_not_return(box):
    "With a hostile program as the reference no test of the secrets comes out valid, and right ones after it do"
    attacks = [a for a in ATTACKS if a.tests == SECRET and ISOLATION.index(box.level) >= ISOLATION.index(a.since) and "timeout" not in str(a.outcomes)]
    results = box.run_many([Job(a.code, AS_CODE, "f", "def f(x):", runs=2) for a in attacks] + [Job(REFERENCE, AS_CODE, "f", "def f(x):", runs=2)])
    assert not [(a.name, r.verdicts) for a, r in zip(attacks, results) if r.num_passed]
    assert results[-1].passed, results[-1].errors

@pytest.mark.skipif(not LINUX, reason="looks into /proc")
def test_nothing_is_left_behind(box):
    attacks = [a for a in ATTACKS if ISOLATION.index(box.level) >= ISOLATION.index(a.since) and a.outcomes != ("timeout",)]
    box.run_many([CLEAN] + [Job(f"import {name}\n{PROBE}", CLEAN.tests, "f") for name in ("heapq", "threading", "numpy")] + [Job(REFERENCE, AS_CODE, "f", "def f(x):", runs=2)]) # starts every zygote there is
    gc.collect()
    before = descriptors(), litter(), shared(), lineage(box)
    results = box.run_many([o for a in attacks for o in (Job(a.code, a.tests, "f"), CLEAN)])
    box.run_many([Job(a.code, AS_CODE, "f", "def f(x):", REFERENCE) for a in attacks if a.tests == SECRET])
    assert not [(a.name, wrong(r, a)) for a, r in zip(attacks, results[::2]) if wrong(r, a)]
    assert all(r.passed for r in results[1::2])
    gc.collect()
    assert (descriptors(), litter(), shared(), lineage(box)) == before

@pytest.mark.skipif(not LINUX or os.geteuid() != 0, reason="already an ordinary user")
def test_as_an_ordinary_user():
    "The same corpus, when root starts it as somebody else"
    run_as_ordinary_user(__file__, "-k", "full or landlock or seccomp")
