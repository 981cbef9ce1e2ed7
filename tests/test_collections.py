"Collections that people use: each small file of `collections/` has the exact schema of one, with content of our own"
import gzip, json, warnings
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from chained_adv.core import ConfigError, ProblemError
from chained_adv.formats.converters import COLLECTIONS, convert_entry
from chained_adv.formats.entries import Refused, clean_text
from chained_adv.problem_files import convert_problems, read_entries
from chained_adv.problems import check_references, load_problems, save_problems
from chained_adv.sandbox import Sandbox, check_problem, problem_job
from chained_adv.stages import discriminator_prompt, generator_prompt, load_prompts
from chained_adv.testcases import baseline_cases, parse_tests, read_ahead
from founding_file import DIRT, kinds, make

HERE = Path(__file__).parent / "collections"
FILES = sorted(HERE.iterdir())
SHARED = next((p / "shared/data" for p in Path(__file__).resolve().parents if (p / "shared/data").is_dir()), None)

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=4, workers=2) as b: yield b

def stub(p):
    "A program that defines what is asked for and does nothing"
    if p.function_signature == "def main() -> None:": return "pass"
    return f"class Solution:\n    def {p.entry_point}(self, *args, **named): return None\n" if p.is_method else f"def {p.entry_point}(*args, **named): return None\n"

def test_every_collection_has_its_file():
    assert {f.stem for f in FILES} == {*COLLECTIONS} and len(COLLECTIONS) >= 20

NO_REFERENCE = {"acecode-testcase": ["a1"], "acecode": ["oss_2"], "arc": ["turn"], "livecodebench": ["abc_a", "9003"], "verl": ["verl/3"]}

@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_collection_loads_whole_passes_and_fails_stubs(file, box, tmp_path):
    done = convert_problems(file)
    assert not done.refused and {e.format for e in done.entries} == {file.stem}
    checked = check_references(done, box)
    assert not checked.refused and [p.id for p in checked.problems if not p.reference_solution] == NO_REFERENCE.get(file.stem, [])
    for p in checked.problems:
        assert len(p.description) > 10 and "def " not in p.description
        assert check_problem(p, box, unguarded=True).passed == bool(p.reference_solution)
        assert not box.run_many([problem_job(p, stub(p), baseline_cases(p), unguarded=True)])[0].passed
    assert load_problems(save_problems(checked.problems, tmp_path / "x.json"), strict=True) == checked.problems
    assert [e.format for e in convert_problems(file, format=file.stem).entries] == [e.format for e in done.entries]

def found(file, id): return next(p for p in load_problems(HERE / file) if p.id == id)

def test_what_the_adapters_keep():
    assert "def half_up" in found("humaneval.jsonl", "HumanEval/0").setup and "import math" in found("humaneval.jsonl", "HumanEval/0").setup
    assert found("mbpp.jsonl", "mbpp/11").setup == "import math\n" and len(found("mbpp.jsonl", "mbpp/11").baseline_tests) == 3
    assert "def tree_node" in found("leetcodedataset.jsonl", "left-depth").setup
    assert found("leetcodedataset.jsonl", "gap-sum").description == "Given nums, return the sum of the gaps between neighbours."
    assert found("humaneval+.jsonl", "HumanEval/7").rules == {"float": 1e-6} and found("taco.jsonl", "Greater").timeout == 3
    assert found("codecontests.jsonl", "1_A. Apples").timeout == 3.5 and len(found("codecontests.jsonl", "1_A. Apples").baseline_tests) == 3
    assert len(found("apps.jsonl", "apps/5").references) == 1 and len(found("livecodebench.jsonl", "abc_a").baseline_tests) == 2
    assert found("apps.jsonl", "apps/6").baseline_tests == (['"12"', '"12""12"'], ["12", "1212"]) # texts stay as they stand
    assert found("deepcoder.jsonl", "problem-1").baseline_tests == ([[1, 2], 5], [[], 0]) # results out of their lists
    assert found("folder", "rotate").description == "Turn a list to the left by k places."

def test_setup_stands_in_every_prompt():
    p, prompts = found("humaneval.jsonl", "HumanEval/0"), [load_prompts(o) for o in ("plain", "tags", "few_shot")]
    for o in prompts:
        assert "def half_up" in generator_prompt(o, p, 5, [None] * 4) and "def half_up" in discriminator_prompt(o, p, 5, "x")

# ---------------------------------------------------------------- nonsense in any field
ROWS = [(file.stem, o) for file in FILES for _, o in read_entries(file)]
NONSENSE = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["[", "[1]", "{}", '{"inputs": 3}', "def f(", "\x00", "eJwDAAAAAAE="]),
                        lambda o: st.lists(o, max_size=3) | st.dictionaries(st.sampled_from(["input", "output", "inputs", "outputs", "fn_name", "ground_truth", "function_name", "completion", "x"]), o, max_size=3), max_leaves=8)

def test_an_entry_point_that_is_no_name_is_refused():
    row = next(o for name, o in ROWS if name == "humaneval+") | dict(entry_point="{", atol=1e-6)
    with pytest.raises(Refused, match="no entry point"): convert_entry(row, "x", COLLECTIONS["humaneval+"])

@settings(max_examples=300, deadline=None)
@given(st.data())
def test_nonsense_in_a_field_is_a_reason_and_no_traceback(data):
    "Called without the net that `convert_problems` spreads below it"
    name, row = data.draw(st.sampled_from(ROWS))
    fields = data.draw(st.lists(st.sampled_from([*row]), min_size=1, max_size=3, unique=True))
    row = row | {f: data.draw(NONSENSE) for f in fields}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try: draft = convert_entry(row, "x", COLLECTIONS[name])
        except Refused as e: assert str(e)
        else: assert draft.fields["baseline_tests"] and draft.fields["description"]

@settings(max_examples=40, deadline=None)
@given(st.data())
def test_nonsense_in_a_file_is_set_aside(data):
    rows = [row | {data.draw(st.sampled_from([*row])): data.draw(NONSENSE)} for _, row in data.draw(st.lists(st.sampled_from(ROWS), min_size=1, max_size=4))]
    done = convert_problems(rows)
    assert len(done.entries) == len(rows) and not [e for e in done.refused if any("cannot be read (" in o for o in e.reasons)]
    for p in done.problems: baseline_cases(p)

@pytest.mark.parametrize("name", [*COLLECTIONS])
@pytest.mark.parametrize("value", [False, None, 0, 7, 1.5, "", "x", [], {}, [None], [[]], {"input": 1}])
def test_every_field_may_be_anything(name, value):
    row = next(o for n, o in ROWS if n == name)
    for field in row:
        try: assert convert_entry(row | {field: value}, "x", COLLECTIONS[name]).fields["baseline_tests"]
        except Refused as e: assert str(e)

# ---------------------------------------------------------------- format, map, guesses
def test_format_and_map():
    with pytest.raises(ConfigError, match="'mbbp' is none of ours; the formats are own, unknown, humaneval"): convert_problems([{}], format="mbbp")
    row = {"a": {"b": "Add one."}, "code": '{"py": "def inc(n): return n + 1"}', "t": [{"x": "assert inc(1) == 2"}]}
    p, = load_problems([row], mapping={"description": "a.b", "reference_solution": "code.py", "tests": "t.x"})
    assert (p.description, p.baseline_tests) == ("Add one.", ("assert inc(1) == 2",))

def test_guesses_are_named():
    done = convert_problems([dict(slug="s", question="Add one.", solution="def inc(n): return n + 1", cases=[], test_cases=[[1, 2]])])
    assert done.entries[0].format == "unknown" and {"baseline_tests = test_cases", "description = question", "reference_solution = solution"} <= {*done.guessed}
    assert not convert_problems(HERE / "mbpp.jsonl").guessed

# ---------------------------------------------------------------- files
ROW = dict(id="inc", description="Add one, please.", function_signature="def inc(n):", reference_solution="def inc(n): return n + 1", baseline_tests=[[1, 2]])

def test_files_of_many_kinds(tmp_path):
    write = lambda name, data: (tmp_path / name).write_bytes(data) and tmp_path / name
    text = json.dumps(ROW).encode()
    for path in (write("a.json", b"[" + text + b"]"), write("b.jsonl", b"[" + text + b"]"), write("c.jsonl", text), write("d.jsonl.gz", gzip.compress(text)), write("e.json.gz", gzip.compress(b"[" + text + b"]")),
                 write("f.csv", b'id,description,solution,tests\ninc,"Add one, please.","def inc(n): return n + 1","[[1, 2]]"\n')):
        p, = load_problems(path)
        assert (p.id, p.description, baseline_cases(p)[0].args) == ("inc", "Add one, please.", (1,))
    with pytest.raises(ProblemError, match="no whole gzip"): load_problems(write("g.jsonl.gz", gzip.compress(text)[:-9]))

def test_parquet_and_the_hub_say_what_is_missing(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(ProblemError, match=r"chained_adv\[data\]|cannot be had"): load_problems(tmp_path / "x.parquet")
    with pytest.raises(ProblemError, match=r"chained_adv\[data\]|without a network"): load_problems("nobody-at-all/nothing-here")

# ---------------------------------------------------------------- nothing changes meaning without a word
INC = dict(id="inc", description="Add one.", solution="def inc(n): return n + 1")
def one(**fields): return convert_problems([{**INC, **fields}])

def test_comments_are_no_expectations(box):
    p, = check_references(one(tests=["# Input: 1\n# Output: 3 (not 2)\nassert inc(1) == 2"]), box).problems
    assert [(t.args, t.expected) for t in baseline_cases(p)] == [((1,), 2)]

def test_two_texts_on_two_lines_are_two_arguments():
    p, = one(solution="def join(a, b): return a + b", tests=[dict(input='"a"\n"b"', output='"ab"')]).problems
    assert p.baseline_tests == (["a", "b", "ab"],)

def test_all_splits_of_a_file_are_read(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps({"train": [ROW], "test": [dict(ROW, id="two", description="Other.")]}))
    assert [p.id for p in load_problems(tmp_path / "x.json")] == ["inc", "two"]

def test_limits_and_second_references_are_kept():
    p, = one(timeout=7, solution=["def inc(n): return n + 1", "def inc(n): return 1 + n"], tests=[[1, 2]]).problems
    assert p.timeout == 7 and p.references == ("def inc(n): return 1 + n",)

def test_less_than_is_no_tag():
    assert clean_text("If a<b and b>c") == "If a<b and b>c" and clean_text("<p class='x'>a <b>c</b></p>") == "a c"

def test_a_count_is_no_test():
    assert one(generated_tests=5, tests=[[1, 2]]).entries[0].status == "repaired" # no signature is stated
    assert one(generated_tests=5).entries[0].reasons == ("no tests, and no examples in the description",)

def test_examples_on_one_line():
    text = "Add one. Example 1: Input: n = 2 Output: 3 Explanation: 2 + 1. Example 2: Input: n = 5 Output: 6 Constraints: 0 <= n"
    assert one(description=text).problems[0].baseline_tests == ([2, 3], [5, 6])

def test_no_signature_found_is_no_crash():
    p, = one(function_signature="# Function signature not found", tests=[[1, 2]]).problems
    assert p.function_signature == "def inc(n):"

# ---------------------------------------------------------------- what a problem may have
def test_a_second_reference_is_tried(box):
    done = check_references(one(solution=["def inc(n): return n", "def inc(n): return n + 1"], tests=[[1, 2], [0, 1]]), box)
    assert done.problems[0].reference_solution == "def inc(n): return n + 1" and "1 of 2 references fail" in done.entries[0].reasons[-1]

def test_rules_and_setup_reach_the_judge(box):
    run = lambda code, **fields: box.run_many([problem_job(p := load_problems([{**ROW, **fields}], strict=True)[0], code, baseline_cases(p))])[0].passed
    assert run("def inc(n): return 2.0001", rules={"float": 1e-3}, baseline_tests=[[1, 2.0]]) and not run("def inc(n): return 2.0001", baseline_tests=[[1, 2.0]])
    assert run("def inc(n): return [2, 1]", rules={"unordered": True}, baseline_tests=[[1, [1, 2]]])
    assert run("def inc(n): return 12", rules={"checker": "def check(args, got, want):\n    return got % 3 == want"}, baseline_tests=[[1, 0]])
    assert run("def inc(n): return more(n)", setup="def more(n): return n + 1", baseline_tests=["assert inc(more(0)) == more(1)"])

@pytest.mark.parametrize("field, value, says", [
    ("rules", {"close": 1}, "the rules are float"), ("rules", {"float": "x"}, "give the relative difference"), ("rules", {"checker": "def check("}, "give Python that defines"), ("rules", {"unordered": 1}, "give true or false"),
    ("timeout", 0, "give seconds above 0"), ("timeout", True, "give seconds"), ("references", [1], "every reference must be a text"), ("references", ["def other(n): pass"], "does not define the entry point"), ("setup", "def (", "does not parse")])
def test_faults_of_the_new_fields(field, value, says):
    with pytest.raises(ProblemError, match=says): load_problems([{**ROW, field: value}], strict=True)

# ---------------------------------------------------------------- many texts at once
def test_texts_read_ahead_are_what_they_are_alone():
    texts = [f"assert inc({i}) == {i + 1}" for i in range(500)] + ["assert inc(", "x = inc(1)", "assert inc(1) == 2; assert inc(2) == 3", "inc(4) == 5", "# no test", "assert inc(9) in (1, 10)"]
    alone = [parse_tests(t, "inc", "def inc(m):") for t in texts]
    read_ahead(texts, "inc", "def inc(n):")
    plain = lambda read: [(type(o).__name__, getattr(o, "args", None), getattr(o, "expected", None), getattr(o, "kind", o.text), o.span) for o in read.items]
    assert [plain(parse_tests(t, "inc", "def inc(n):")) for t in texts] == [plain(o) for o in alone]

@pytest.mark.parametrize("number, helper", [(32, "def poly"), (38, "def encode_cyclic"), (50, "def encode_shift")])
def test_helpers_of_humaneval(number, helper, box):
    if SHARED is None: pytest.skip("no shared/data beside or above the repository")
    p = next(o for o in load_problems(SHARED / "humaneval/HumanEval_even.jsonl") if o.id == f"HumanEval/{number}")
    assert helper in p.setup and helper in generator_prompt(load_prompts("plain"), p, 5, [None] * 4)
    body = p.reference_solution.replace(p.setup, "")
    alone = f"def {p.entry_point}{p.reference_solution.rpartition('def ' + p.entry_point)[2]}"
    assert box.run_many([problem_job(p, alone, baseline_cases(p), unguarded=True)])[0].passed, body

# ---------------------------------------------------------------- the founding project's file
def test_a_file_like_the_founding_one(box):
    "Every healthy entry loads and passes; every other is set aside, and the reason names what is wrong with it"
    entries, wrong = make(144), kinds(144)
    done = check_references(convert_problems(entries), box)
    for entry, kind in zip(done.entries, wrong):
        assert (entry.status == "refused") == (kind in DIRT), (kind, entry)
        if kind in DIRT: assert DIRT[kind] in " ".join(entry.reasons) and "field 'id'" not in " ".join(entry.reasons)
    assert len(done.problems) == sum(kind not in DIRT for kind in wrong) and {*wrong} >= {*DIRT, "one line", "no signature", "no solution"}
