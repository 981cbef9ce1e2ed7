"Attacks written as tests: each has the verdict it must get, costs this process little and leaves nothing behind"
import builtins, os, sys
from pathlib import Path
import pytest
sys.path[:0] = [str(Path(__file__).parent / "attacks_on_tests"), str(Path(__file__).parent / "judge_data")]
from host_work import BYTES, CALLS, Work
from attacks_written_as_tests import ATTACKS, MARK, REFERENCE, UNSTABLE, WRONG, WRONG_FOR
from chained_adv.core import TestCase
from chained_adv.jail import probe_isolation
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import REJECTIONS, Rejected, parse_tests

SIGNATURE = "def f(xs):"

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=1) as b:
        b.validate_tests_against_solution("([2, 1], [1, 2])\nassert sorted(f([1])) == [1]", REFERENCE, "f", SIGNATURE) # starts what is started once
        yield b

def outcomes(result):
    "What takes time and memory without end runs out of the one or the other first, as the machine is busy or not"
    return ["exhausted" if v.outcome in ("timeout", "memory") else v.outcome for v in result.verdicts]

@pytest.mark.parametrize("name", ATTACKS)
def test_attack(name, box, tmp_path):
    attack, mark, before = ATTACKS[name], tmp_path / "mark", dict(vars(builtins))
    text = attack.text.replace(MARK, str(mark))
    with Work() as work:
        got = parse_tests(text, "f", SIGNATURE)
        validity = box.validate_tests_against_solution(text, REFERENCE, "f", SIGNATURE)
    assert not work.too_much(1.3 * CALLS + 1000 * len(got.items), 1.3 * BYTES), f"for {len(got.items)} pieces" # many honest verdicts cost what they cost, and a thousand requests of four kB are allowed
    assert all(isinstance(o, TestCase) or isinstance(o, Rejected) and o.why in REJECTIONS and o.reason for o in got.items)
    wrong_one = WRONG_FOR.get(name, WRONG)
    right, same, wrong = box.run_many([Job(REFERENCE, text, "f", SIGNATURE, REFERENCE), Job(REFERENCE + " # the same", text, "f", SIGNATURE, REFERENCE), Job(wrong_one, text, "f", SIGNATURE, REFERENCE)])
    assert outcomes(right) == outcomes(same)
    if attack.verdict == "refused": assert validity.num_passed == 0, validity.verdicts
    if attack.verdict == "invalid": assert right.num_passed == validity.num_passed == 0, validity.verdicts
    if attack.verdict == "weak": assert validity.num_passed and all(v.weak for v in validity.verdicts if v.passed), validity.verdicts
    if attack.verdict == "honest": assert right.passed and validity.passed and wrong.num_passed == 0, (right, wrong)
    assert not mark.exists() and dict(vars(builtins)) == before

def test_no_code_of_a_test_runs_unconfined(tmp_path):
    "Where files may be written to at all (no level but the first lets that happen), a test's own code leaves no mark"
    mark = tmp_path / "mark"
    for level in (o.level for o in probe_isolation() if o.available):
        with Sandbox(timeout=1, isolation=level) as b:
            b.execute_tests(REFERENCE, f"import os\nopen('{mark}', 'w').write('x')\nassert f([2, 1]) == [1, 2]\ndef test_a():\n    os.system('touch {mark}')\n    assert f([2, 1])[0] == 1", "f", SIGNATURE)
            assert not mark.exists(), level

@pytest.mark.parametrize("name", UNSTABLE)
def test_unstable_reference(name, box):
    _, reference, line = UNSTABLE[name]
    result = box.validate_tests_against_solution("\n".join(line.format(i=i) for i in range(200)), reference, "f", SIGNATURE)
    assert result.num_total == 200 and result.num_passed < 75 # 50 expected, 6 the standard deviation; 100 at a single look

def test_the_corpus_is_one():
    assert len(ATTACKS) >= 112 and all(a.intent for a in ATTACKS.values()) and len({a.text for a in ATTACKS.values()}) == len(ATTACKS)
    verdicts = [a.verdict for a in ATTACKS.values()]
    assert set(verdicts) == {"refused", "invalid", "weak", "honest"} and verdicts.count("refused") >= 75 and verdicts.count("weak") <= 3
