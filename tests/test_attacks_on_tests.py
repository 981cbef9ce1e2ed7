"Attacks written as tests: each has the verdict it must get, costs little to read and runs nothing"
import builtins, os, sys, time
from pathlib import Path
import pytest
sys.path.insert(0, str(Path(__file__).parent / "attacks_on_tests"))
from attacks_written_as_tests import ATTACKS, MARK, REFERENCE, UNSTABLE, WRONG
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import REJECTIONS, parse_tests

SIGNATURE = "def f(xs):"
TWICE = True # does `validate_tests_against_solution` look at the reference twice, in fresh children?

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=1) as b: yield b

def read(attack, mark): return parse_tests(attack.text.replace(MARK, str(mark)), "f", SIGNATURE)

@pytest.mark.parametrize("name", ATTACKS)
def test_attack(name, box, tmp_path):
    attack, mark, before = ATTACKS[name], tmp_path / "mark", dict(vars(builtins))
    start = time.process_time()
    got = read(attack, mark)
    assert time.process_time() - start < 3
    verdict, _, why = attack.verdict.partition(": ")
    if verdict == "refused":
        assert got.cases == [] and got.rejected and got.rejected[0].why == why, got
        assert box.execute_tests(REFERENCE, got, "f").num_total == 0
    else:
        right, wrong = box.run_many([Job(REFERENCE, got, "f", SIGNATURE), Job(WRONG, got, "f", SIGNATURE)])
        assert got.cases
        if verdict == "invalid": assert right.num_passed == 0, right
        if verdict == "honest": assert right.passed and wrong.num_passed == 0, (right, wrong)
    assert not mark.exists() and dict(vars(builtins)) == before

@pytest.mark.skipif(not TWICE, reason="validation looks at the reference once")
@pytest.mark.parametrize("name", UNSTABLE)
def test_unstable_reference(name, box):
    _, reference, line = UNSTABLE[name]
    result = box.validate_tests_against_solution("\n".join(line.format(i=i) for i in range(200)), reference, "f", SIGNATURE)
    assert result.num_total == 200 and result.num_passed < 75 # 50 expected, 6 the standard deviation; 100 at a single look

def test_the_corpus_is_one():
    assert len(ATTACKS) >= 40 and all(a.intent for a in ATTACKS.values()) and len({a.text for a in ATTACKS.values()}) == len(ATTACKS)
    verdicts = [a.verdict.partition(": ") for a in ATTACKS.values()]
    assert {v[0] for v in verdicts} <= {"refused", "invalid", "honest"} and {v[2] for v in verdicts} - {""} <= set(REJECTIONS)
    assert {v[2] for v in verdicts} - {""} == set(REJECTIONS) - {"wrong arguments"} # that class is about mistakes, not attacks
