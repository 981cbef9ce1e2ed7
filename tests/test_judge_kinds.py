"""What people and models really write is read and judged right: broken answers, unusual but innocent programs, every kind of test.

The corpora are `judge_data/{salvage,innocent,kinds}.py`. What is not right is in a list here, by name and with a reason, and exactly that.
"""
import sys
from pathlib import Path
import pytest
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests

sys.path.insert(0, str(Path(__file__).parent / "judge_data"))
from innocent import INNOCENT
from kinds import KINDS
from salvage import SALVAGE

INNOCENT_LIMITS = { # name -> why this innocent program is not judged right
    "returns_defaultdict": "a defaultdict arrives as a dict: its factory stays with the program",
    "returns_itself_inside": "a value that holds itself has no text",
    "returns_ellipsis_and_types": "a returned type arrives for the pure built-in ones alone",
    "str_subclass": "an object that is a text, too, arrives as the text alone",
    "dict_subclass_missing": "an object that is a dict, too, arrives as the dict alone",
    "list_subclass": "an object that is a list, too, arrives as the list alone",
    "decorator_returned": "documentation strings do not cross",
    "class_context_manager": "what a context manager returns for an exception of the test is not waited for",
    "class_singleton": "an attribute set on an object nobody named before is no set-up of a later assert",
    "class_getattr_hooks": "`del` of an attribute does not cross",
    "class_diamond": "the bases of a stand-in for a class are stand-ins, and one of ours",
    "raises_from": "the cause of an exception does not cross",
    "raises_group": "an exception group arrives without its exceptions",
    "simple_namespace": "a read-only dict arrives as a dict",
    "tests_make_objects": "objects of a class of the test cannot be passed to the program",
}
KIND_LIMITS = { # name -> why this kind of test is not judged right
    "pytest_warns": "warnings do not cross",
    "pytest_own_class_in_test": "objects of a class of the test cannot be passed to the program",
    "class_context_manager": "a list that the program keeps is not the test's list",
    "doctest_loop": "a doctest that prints several lines in a loop is cut at the first",
    "check_loops": "an assert of a constant is refused, which is counted here as trouble",
    "mixed_time_limit": "an assert about time alone is refused, which is counted here as trouble",
}

def reading(text, entry, signature):
    "What is read, in the form of the corpus"
    return [("code", t.source) if t.kind == "code" else (t.args, t.expected) for t in parse_tests(text, entry, signature).cases]

def test_salvage_is_read_exactly():
    "At least 95 of 100; the names of the rest are printed"
    wrong = [name for name, text, entry, signature, want in SALVAGE if repr(reading(text, entry, signature)) != repr(list(want))]
    share = 1 - len(wrong) / len(SALVAGE)
    print(f"\n{len(SALVAGE) - len(wrong)} of {len(SALVAGE)} read exactly ({share:.1%}); not: {wrong}")
    assert len(SALVAGE) >= 200 and share >= .95, wrong

@pytest.mark.parametrize("entry", SALVAGE, ids=lambda o: o[0])
def test_salvage_never_invents(entry):
    "Even where a reading is not exact: no exception, and each piece says where in the text it stood"
    _, text, name, signature, _ = entry
    got = parse_tests(text, name, signature)
    for o in got.items: assert o.span and 0 <= o.span[0] <= o.span[1] <= len(text), (o, len(text))

def troubles(result):
    "Why a result is not what an honest program should have; empty where it is"
    if not result.verdicts: return ["no test was read"]
    return [(v.outcome, v.reason, (v.test.source or v.test.text) if v.test else v.text) for v in result.verdicts if not v.passed]

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=3, workers=2) as b: yield b

def test_innocent_programs_pass(box):
    results = box.run_many([Job(program, tests, entry, signature) for _, program, tests, entry, signature in INNOCENT])
    wrong = {name: troubles(r) for (name, *_), r in zip(INNOCENT, results) if troubles(r)}
    print(f"\n{len(INNOCENT) - len(wrong)} of {len(INNOCENT)} innocent programs right, {sum(r.num_total for r in results)} verdicts")
    assert len(INNOCENT) >= 120
    assert {k: v for k, v in wrong.items() if k not in INNOCENT_LIMITS} == {}
    assert set(INNOCENT_LIMITS) == set(wrong), f"no longer limits: {set(INNOCENT_LIMITS) - set(wrong)}"

def test_innocent_programs_pass_with_themselves_as_reference(box):
    "Recorded and compared: a program answers as itself"
    entries = [o for o in INNOCENT if o[0] not in INNOCENT_LIMITS]
    results = box.run_many([Job(program + "\n# the same", tests, entry, signature, program) for _, program, tests, entry, signature in entries])
    assert {name: troubles(r) for (name, *_), r in zip(entries, results) if troubles(r)} == {}

def test_every_kind_of_test(box):
    "The right program passes all, the wrong one fails at least one, and the tests are valid"
    right = box.run_many([Job(good, text, entry, signature) for _, entry, signature, good, _, text in KINDS])
    wrong = box.run_many([Job(bad, text, entry, signature, good) for _, entry, signature, good, bad, text in KINDS])
    alone = box.run_many([Job(bad, text, entry, signature) for _, entry, signature, good, bad, text in KINDS])
    valid = box.run_many([Job(good, text, entry, signature, runs=2) for _, entry, signature, good, _, text in KINDS])
    found = {}
    for (name, *_), r, w, a, v in zip(KINDS, right, wrong, alone, valid):
        if troubles(r): found[name] = "right", troubles(r)
        elif w.num_passed == w.num_total: found[name] = "the wrong program passes",
        elif a.num_passed == a.num_total: found[name] = "the wrong program passes without a reference",
        elif troubles(v): found[name] = "valid", troubles(v)
    print(f"\n{len(KINDS) - len(found)} of {len(KINDS)} kinds right, {sum(r.num_total for r in right)} tests")
    assert len(KINDS) >= 40
    assert {k: v for k, v in found.items() if k not in KIND_LIMITS} == {}
    assert set(KIND_LIMITS) == set(found), f"no longer limits: {set(KIND_LIMITS) - set(found)}"

ARRAYS = "assert f(3).reshape(3, 1).shape == (3, 1) and f(3).std() < 1", "import math\nr = f(3)\nassert r == [0, 1, 2] and math.prod(r) == 0", "assert f(3).tolist() == [0, 1, 2]", "assert f(3).sum() == 3", "assert (f(3) == [0, 1, 2]).all()", "assert list(f(3)) == [0, 1, 2]", "assert f(3) == [0, 1, 2]"

@pytest.mark.parametrize("test", ARRAYS)
def test_a_returned_array_is_used_without_naming_numpy(box, test):
    pytest.importorskip("numpy")
    cases = parse_tests(test, "f", "def f(n):").cases
    job = lambda result: Job(f"import numpy as np\ndef f(n): return {result}", cases, "f", "def f(n):")
    right, wrong = box.run_many([job("np.arange(n)"), job("np.arange(n) * 2")])
    assert right.pass_rate == 1 and wrong.pass_rate == 0

@pytest.mark.parametrize("default", ["LIMITS[0]", "math.inf", "-LIMIT"])
def test_defaults_of_a_signature_with_nodes(box, default):
    signature = f"def f(head: Optional[ListNode], k: int = {default}) -> int:"
    code = "def f(head, k=1):\n    return head.val + k"
    result, = box.run_many([Job(code, parse_tests("([3, 1], 4)\n([3], 4, 7)", "f", signature).cases, "f", signature)])
    assert result.pass_rate == 1, result.verdicts

def test_numpys_random_numbers_are_others_in_each_run(box):
    pytest.importorskip("numpy")
    job = Job("import numpy as np\ndef f(n): return float(np.random.rand())", parse_tests("(3, 0)", "f", "def f(n):").cases, "f", "def f(n):")
    assert len({box.call_many([job])[0][0].value for _ in range(3)}) == 3

@pytest.mark.parametrize("before", ["import math\n", "def g(): pass\n"])
def test_lines_before_a_signature_with_nodes(box, before):
    signature = f"{before}def f(head: Optional[ListNode]) -> int:"
    result, = box.run_many([Job("def f(head): return head.val", parse_tests("([3, 1], 3)", "f", "def f(head):").cases, "f", signature)])
    assert result.pass_rate == 1, result.verdicts
