"Problems from anywhere: 720 entries of which a third is damaged, real collections in whole, and JSON of any shape"
import json, time, warnings
from collections import Counter
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from chained_adv.core import ConfigError, ProblemError
from chained_adv.formats.converters import GUESSED
from chained_adv.formats.entries import Refused
from chained_adv.problem_files import convert_problems, read_problem
from chained_adv.problems import check_references, find_leaks, load_problems, save_problems
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import baseline_cases, parse_tests
from research.references import find_same_behaviour
from calling import call

SHARED = next((p / "shared/data" for p in Path(__file__).resolve().parents if (p / "shared/data").is_dir()), None)

@pytest.fixture(scope="module")
def box():
    with Sandbox(timeout=4, workers=2) as b: yield b

# ---------------------------------------------------------------- healthy entries of every kind; `k` makes them differ
def two_sum(k):
    return f"class Solution:\n    def pair{k}(self, nums, target):\n        seen = {{}}\n        for i, n in enumerate(nums):\n            if target - n in seen: return [seen[target - n], i]\n            seen[n] = i\n"

def stack(k):
    return f"class Stack{k}:\n    def __init__(self, size):\n        self.size, self.items = size, []\n    def push(self, x):\n        if len(self.items) < self.size: self.items.append(x)\n    def pop(self): return self.items.pop() if self.items else -1\n"

def leet(k, **fields): return {"title": f"Problem {k}", "titleSlug": f"problem-{k}", "difficulty": ("Easy", "Medium", "Hard")[k % 3],
                               "topicTags": [{"name": "Array", "slug": "array"}], "content": f"<p>Do <code>{k}</code> things, 1 &lt; 2.</p>", **fields}

HEALTHY = {
    "own": lambda k: dict(id=f"own-{k}", description=f"Add {k}.", function_signature=f"def add{k}(n: int) -> int:", baseline_tests=[[1, 1 + k], f"assert add{k}(0) == {k}"],
                          reference_solution=f"def add{k}(n): return n + {k}", difficulty="easy", tags=["math"]),
    "own, pairs": lambda k: dict(id=f"pairs-{k}", description=f"Add a, b and {k}.", function_signature="def add(a, b):", baseline_tests=[[[1, 2], 3 + k], [[0, 0], k]],
                                 reference_solution=f"def add(a, b): return a + b + {k}"),
    "own, dirty": lambda k: dict(id=f"dirty-{k}", description=f"Add {k}.", function_signature="", baseline_tests=f"assert add{k}(0) == {k}", reference_solution=f"```python\ndef add{k}(n):\n    return n + {k}\n```",
                                 difficulty="Easy", tags="math, adding"),
    "humaneval": lambda k: dict(task_id=f"HumanEval/{k}", entry_point=f"times{k}", prompt=f'from typing import List\n\n\ndef times{k}(xs: List[int]) -> List[int]:\n    """ Multiply by {k}.\n    >>> times{k}([])\n    []\n    """\n',
                                canonical_solution=f"    return [{k} * x for x in xs]\n", test=f"METADATA = {{}}\n\ndef check(candidate):\n    assert candidate([1]) == [{k}]\n    assert candidate([]) == []\n    for i in range(3): assert candidate([i]) == [{k} * i]\n"),
    "mbpp, sanitized": lambda k: dict(source_file="x", task_id=10_000 + k, prompt=f"Write a function to find the {k} largest.", code=f"import heapq\ndef largest{k}(xs):\n  return heapq.nlargest({k}, xs)", test_imports=[], test_list=[f"assert largest{k}([2, 1]) == {[2, 1][:k]}"]),
    "mbpp, full": lambda k: dict(task_id=20_000 + k, text=f"Write a function to add {k}.", code=f"def plus{k}(x):\r\n  return x + {k}\r\n", test_list=[f"assert plus{k}(1) == {1 + k}"], test_setup_code="", challenge_test_list=[f"assert plus{k}(-1) == {k - 1}"]),
    "apps, program": lambda k: dict(problem_id=30_000 + k, question=f"Read n, print n + {k}.\n\n-----Input-----\n\nn\n", solutions=json.dumps(["print(oops", f"n = int(input())\nprint(n + {k})"]),
                                    input_output=json.dumps(dict(inputs=["1\n", "5\n"], outputs=[f"{1 + k}\n", f"{5 + k}\n"])), difficulty="interview", url="", starter_code=""),
    "apps, function": lambda k: dict(problem_id=40_000 + k, question=f"Take {k} from the sum.", solutions=json.dumps([f"def less(a, b):\n    return a + b - {k}"]), difficulty="introductory",
                                     input_output=json.dumps(dict(fn_name="less", inputs=[[1, 2], [3, 4]], outputs=[[3 - k], [7 - k]])), starter_code="def less(a, b):\n\t"),
    "codecontests": lambda k: dict(name=f"{k}_A. Lines", description=f"Print {k} times the sum of a line.", public_tests=dict(input=["1 2\n"], output=[f"{3 * k}\n"]), private_tests=dict(input=["4 4\n"], output=[f"{8 * k}\n"]),
                                   generated_tests=dict(input=[], output=[]), difficulty=1, solutions=dict(language=[2, 1, 3], solution=["int main() {}", "print sum(map(int, raw_input().split()))", f"import sys\nprint({k} * sum(map(int, sys.stdin.readline().split())))"])),
    "leetcode, examples as text": lambda k: leet(k, solution=two_sum(k), starter_code=f"class Solution:\n    def pair{k}(self, nums: List[int], target: int) -> List[int]:\n        ",
                                                 examples=[{"input": "nums = [2,7,11,15], target = 9", "output": "[0,1]"}, {"example_text": "Input: nums = [3,3], target = 6\nOutput: [0,1]\nExplanation: 3 + 3 = 6"}]),
    "leetcode, no signature": lambda k: leet(k, python3=two_sum(k), test_cases=[{"input": {"nums": [2, 7], "target": 9}, "expected": [0, 1]}, {"nums": [3, 3], "target": 6, "expected": [0, 1]}]),
    "leetcode, lines": lambda k: leet(k, code=two_sum(k), tests=[{"input": "[2,7,11,15]\n9", "output": "[0,1]"}], signature=f"def pair{k}(self, nums: List[int], target: int) -> List[int]"),
    "leetcode, one per language": lambda k: leet(k, codeSnippets=[{"lang": "Java", "code": "class Solution {}"}, {"lang": "Python3", "code": f"class Solution:\n    def pair{k}(self, nums: List[int], target: int) -> List[int]:\n        "}],
                                                 solutions={"java": "class Solution {}", "python3": two_sum(k)}, testCases=[{"args": [[3, 3], 6], "expected": [0, 1]}]),
    "leetcode, tree": lambda k: leet(k, solution=f"class Solution:\n    def total(self, root: Optional[TreeNode]) -> int:\n        return {k} + (root.val + self.total(root.left) + self.total(root.right) - {2 * k} if root else 0)\n", tests=[{"input": {"root": "[1,null,2]"}, "output": str(3 + k)}, {"input": "root = []", "output": str(k)}]),
    "inputs and outputs": lambda k: dict(slug=f"columns-{k}", question=f"Add {k} to n.", solution=f"def shift(n: int) -> int:\n    return n + {k}", tests=dict(inputs=[[1], [2]], outputs=[1 + k, 2 + k])),
    "leetcode, cyclic list": lambda k: leet(k, solution=f"class Solution:\n    def hasCycle(self, head: Optional[ListNode]) -> bool:\n        seen = set() # {k}\n        while head and id(head) not in seen:\n            seen.add(id(head))\n            head = head.next\n        return head is not None\n",
                                            tests=[{"input": {"head": [3, 2, 0, -4], "pos": 1}, "output": True}, {"input": "head = [1,2], pos = 0", "output": "true"}]),
    "leetcode, class": lambda k: leet(k, solution=stack(k), tests=[{"input": [[f"Stack{k}", "push", "pop", "pop"], [[2], [1], [], []]], "output": [None, None, 1, -1]}]),
    "leetcode, class as text": lambda k: leet(k, solution=stack(k), examples=[{"input": f'["Stack{k}","push","push","pop"]\n[[1],[1],[2],[]]', "output": "[null,null,null,1]"}]),
    "leetcode, in place": lambda k: leet(k, solution=f"class Solution:\n    def turn(self, s):\n        s[:] = [x + {k} for x in s[::-1]]\n", test_cases=[{"input": [[1, 2, 3]], "output": [3 + k, 2 + k, 1 + k]}]),
    "examples in the description": lambda k: dict(slug=f"told-{k}", description=f"<p>Add {k} to n.</p><pre><strong>Input:</strong> n = 1\n<strong>Output:</strong> {1 + k}\n</pre>", tests=[], solution=f"def told(n: int) -> int:\n    return n + {k}"),
    "pytest": lambda k: dict(id=k, prompt=f"Add {k}.", canonical_solution=f"def inc{k}(n): return n + {k}", test=f"import pytest\n@pytest.mark.parametrize('n,want', [(0, {k}), (1, {1 + k})])\ndef test_inc(n, want):\n    assert inc{k}(n) == want\n"),
    "unittest": lambda k: dict(name=f"unit-{k}", content=f"Add {k}.", code=f"def inc{k}(n): return n + {k}", test_code=f"import unittest\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(inc{k}(0), {k})\n"),
    "doctest": lambda k: dict(name=f"doc-{k}", content=f"Add {k}.", code=f"def inc{k}(n): return n + {k}", tests=f">>> inc{k}(0)\n{k}\n>>> inc{k}(1)\n{1 + k}\n"),
    "entities in the code": lambda k: dict(slug=f"entity-{k}", question=f"Is n below {k}?", solution=f"def below(n):\n    return n &lt; {k}", tests=[f"assert below({k - 1}) == True", f"assert below({k}) == False"]),
    "only a body": lambda k: dict(slug=f"body-{k}", description=f"Add {k}.", starter_code=f"def inc{k}(n: int) -> int:\n", solution=f"m = n + {k}\nreturn m", tests=[[1, 1 + k]]),
}

# ---------------------------------------------------------------- damages: what is done to an entry, and what the report must say
def base(k, **fields): return {**dict(slug=f"damaged-{k}", description=f"Add {k}.", solution=f"def inc{k}(n): return n + {k}", tests=[f"assert inc{k}(0) == {k}"]), **fields}

DAMAGES = {
    "no solution": (lambda k: {f: v for f, v in base(k, tests=["It adds."]).items() if f != "solution"}, "no solution, and no signature"),
    "solution null": (lambda k: base(k, solution=None, tests=[]), "no solution, no tests"),
    "solution blank": (lambda k: base(k, solution="  \n", tests=[]), "no solution, no tests"),
    "solution a number": (lambda k: base(k, solution=k, tests=[]), "no solution, no tests"),
    "Java": (lambda k: base(k, solution="class Solution { public int inc(int n) { return n + 1; } }"), "looks like Java"),
    "C++": (lambda k: base(k, solution="#include <vector>\nint inc(int n) { return n + 1; }"), "looks like C++"),
    "JavaScript": (lambda k: base(k, solution="var inc = function inc(n) { return n + 1 }"), "looks like JavaScript"),
    "Python 2": (lambda k: base(k, solution=f"def inc{k}(n):\n    print n\n    return n + {k}"), "looks like Python 2"),
    "cut off": (lambda k: base(k, solution=f"def inc{k}(n):\n    return (n + "), "does not parse"),
    "prose as solution": (lambda k: base(k, solution="Just add the number to it."), "does not parse"),
    "no function": (lambda k: base(k, solution="x = 1"), "defines no function"),
    "tests empty": (lambda k: base(k, tests=[]), "no tests"),
    "tests null": (lambda k: base(k, tests=None), "no tests"),
    "tests missing": (lambda k: {f: v for f, v in base(k).items() if f != "tests"}, "no tests"),
    "no description": (lambda k: base(k, description=""), "no description"),
    "only a picture": (lambda k: base(k, description="<img src='x.png'>"), "no description"),
    "tests of another function": (lambda k: base(k, tests=["assert other(0) == 1"]), "no test can be used"),
    "too many arguments": (lambda k: base(k, tests=[f"assert inc{k}(0, 1) == 1"]), "no test can be used"),
    "too many values": (lambda k: base(k, tests=[[1, 2, 3]]), "does not fit"),
    "unknown arguments": (lambda k: base(k, tests=[{"input": {"a": 1, "b": 2}, "output": 3}], solution=f"def inc(n, m, o): return {k}"), "gives a, b to inc(n, m, o)"),
    "tests as prose": (lambda k: base(k, tests=["It must add."]), "no test can be used"),
    "tests that ask nothing": (lambda k: base(k, tests=["assert True"]), "no test can be used"),
    "a test without an answer": (lambda k: base(k, tests=[{"input": [1]}]), "is no test"),
    "unknown method": (lambda k: base(k, solution=stack(k), tests=[{"input": [[f"Stack{k}", "peek"], [[1], []]], "output": [None, 1]}]), "calls peek, which"),
    "fewer results than calls": (lambda k: base(k, solution=stack(k), tests=[{"input": [[f"Stack{k}", "pop"], [[1], []]], "output": [None]}]), "2 calls, but 1 results"),
    "an empty object": (lambda k: {}, "no solution"),
    "a number": (lambda k: k, f"found "),
    "a text": (lambda k: f"problem {k}", "found "),
    "null": (lambda k: None, "found None"),
    "a list": (lambda k: [base(k)], "found [{"),
    "own, wrong type": (lambda k: dict(HEALTHY["own"](k), id=f"bad-{k}", reference_solution=["x"] * 2), "field 'reference_solution'"),
    "twice": (lambda k: HEALTHY["mbpp, full"](1 + k % 20), "is used before"),
}

def make_file():
    "20 healthy entries of each kind, and half as many damaged ones among them; with what is known of each"
    healthy = [(kind, "", make(k)) for kind, make in HEALTHY.items() for k in range(1, 21)]
    names = list(DAMAGES)
    damaged = [(names[i % len(names)], DAMAGES[names[i % len(names)]][1], DAMAGES[names[i % len(names)]][0](i)) for i in range(len(healthy) // 2)]
    both = [o for i, entry in enumerate(healthy) for o in ([entry, damaged[i // 2]] if i % 2 else [entry])]
    both.sort(key=lambda o: o[0] == "twice") # what repeats must come after what it repeats
    return both

@pytest.fixture(scope="module")
def made(tmp_path_factory):
    both, path = make_file(), tmp_path_factory.mktemp("mixed") / "mixed.json"
    path.write_text(json.dumps([entry for *_, entry in both]))
    started = time.process_time()
    done = convert_problems(path)
    return both, done, time.process_time() - started, path

def test_the_file_is_as_it_should_be(made):
    both, *_ = made
    assert len(both) == 30 * len(HEALTHY) >= 720 and len({k for k, why, _ in both if why}) == len(DAMAGES) >= 20 and len(HEALTHY) >= 20

def test_every_healthy_entry_loads(made):
    both, done, seconds, _ = made
    wrong = [(kind, e.id, e.reasons) for (kind, why, _), e in zip(both, done.entries) if not why and e.status == "refused"]
    assert wrong == [] and len(done.problems) == 20 * len(HEALTHY)
    print(f"\n{done.summary()} in {seconds:.1f} s")
    assert seconds < 15 # of processor time of this process; it takes about one

def test_every_damaged_entry_is_listed_with_its_reason(made):
    both, done, *_ = made
    assert [e.position for e in done.entries] == list(range(30 * len(HEALTHY)))
    wrong = [(kind, e.status, e.reasons) for (kind, why, _), e in zip(both, done.entries) if why and not (e.status == "refused" and why in " ".join(e.reasons))]
    assert wrong == []

def test_what_loads_is_what_was_meant(made, box):
    "Every reference passes its tests; of each kind, a wrong program fails them; and all can be written and read again"
    both, done, _, path = made
    checked = check_references(done, box)
    assert [(e.id, e.reasons) for e in checked.entries if e.status == "refused" and e not in done.entries] == []
    kinds = [kind for (kind, why, _), e in zip(both, done.entries) if e.status != "refused"]
    first = dict(reversed(list(zip(kinds, done.problems))))
    wrong = {kind: p.reference_solution.replace("return", "return None and").replace("print(", "print(7, ") for kind, p in first.items()}
    wrong["leetcode, in place"] = first["leetcode, in place"].reference_solution.replace("s[:] =", "s =")
    jobs = [Job(wrong[kind], baseline_cases(p), p.entry_point, p.function_signature, p.reference_solution) for kind, p in first.items()]
    assert [kind for kind, r in zip(first, box.run_many(jobs)) if r.passed] == []
    again = path.with_name("again.json")
    assert load_problems(save_problems(done.problems, again), strict=True) == done.problems

def test_kinds_are_recognised(made):
    both, done, *_ = made
    formats = {kind: e.format for (kind, why, _), e in zip(both, done.entries) if not why}
    assert all(formats[k] == k.split(",")[0] for k in formats if k.split(",")[0] in ("own", "humaneval", "mbpp", "apps", "codecontests"))
    assert {formats[k] for k in formats if k.startswith("leetcode")} == {"unknown"}
    repaired = Counter(kind for (kind, why, _), e in zip(both, done.entries) if e.status == "repaired")
    assert not {"own", "own, pairs", "humaneval", "mbpp, sanitized", "mbpp, full", "codecontests", "apps, function"} & set(repaired) and repaired["own, dirty"] == 20

def test_strict_refuses_the_file(made):
    with pytest.raises(ProblemError, match="faults, the first 10|faults"): convert_problems(made[3], strict=True)

def test_load_warns_of_what_is_refused(made):
    with pytest.warns(UserWarning, match=f"{10 * len(HEALTHY)} refused"): assert len(load_problems(made[3])) == 20 * len(HEALTHY)

# ---------------------------------------------------------------- single points
def one(entry, **kwargs):
    done = convert_problems([entry], **kwargs)
    assert done.problems, done.entries
    return done.problems[0]

@pytest.mark.parametrize("given, signature, row", [
    ([[1, 2]], "def f(a: list[int]):", [[1, 2], 0]), ([1, 2], "def f(a: list[int]):", [[1, 2], 0]), ([5], "def f(a: list[int]):", [[5], 0]), ([[5]], "def f(a: list[list[int]]):", [[[5]], 0]),
    ("[1, 2]", "def f(a: list[int]):", [[1, 2], 0]), ("[]", "def f(a: str):", ["[]", 0]), ('"ab"', "def f(a: str):", ["ab", 0]), ("ab", "def f(a: str):", ["ab", 0]), ("s = \"x\"", "def f(s: str):", ["x", 0]),
    ({"a": [3]}, "def f(a):", [[3], 0]), ({"k": 3}, "def f(a: dict):", [{"k": 3}, 0]), (7, "def f(a: int):", [7, 0]), ("true", "def f(a: bool):", [True, 0]), ("null", "def f(a: ListNode):", [None, 0])])
def test_arguments_of_a_single_parameter(given, signature, row):
    p = one(dict(description="d", signature=signature, solution=f"{signature} return 0", tests=[dict(input=given, output=0)]))
    args = baseline_cases(p)[0].args
    assert (list(args), 0) == (row[:-1], row[-1])

@pytest.mark.parametrize("text", ["[[1, 2]", "{", "]", "[", '{"a": 1}', "[1,2]"])
def test_a_text_that_is_no_list(text, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ProblemError): load_problems(path)

def test_a_broken_line_is_one_entry(tmp_path):
    good, path = HEALTHY["own"](1), tmp_path / "x.jsonl"
    path.write_text(json.dumps(good) + '\n{"id": }\n' + json.dumps(dict(good, id="b")) + "\n")
    done = convert_problems(path)
    assert [e.status for e in done.entries] == ["taken", "refused", "taken"] and "broken JSON at line 2, column 8" in done.entries[1].reasons[0]

def test_a_download_that_broke_off_says_where(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([HEALTHY["own"](k) for k in range(1, 5)])[:-40])
    with pytest.raises(ProblemError, match="broken JSON at line 1, column"): load_problems(path)

def test_wrappings(tmp_path):
    a, b = HEALTHY["own"](1), HEALTHY["own"](2)
    without = {k: v for k, v in a.items() if k != "id"}
    for data in ([a, b], {"problems": [a, b]}, {"data": [a, b]}, {"rows": [{"row_idx": 0, "row": a}, {"row_idx": 1, "row": b}]}, {"own-1": without, "own-2": {k: v for k, v in b.items() if k != "id"}}):
        path = tmp_path / "x.json"
        path.write_text(json.dumps(data))
        assert [p.id for p in load_problems(path)] == ["own-1", "own-2"], data

def test_results_of_apps_are_wrapped_all_or_none(box):
    entry = lambda outputs: dict(HEALTHY["apps, function"](1), question="Count up.", solutions=json.dumps(["def less(n):\n    return list(range(n))"]), starter_code="def less(n):\n\t",
                                 input_output=json.dumps(dict(fn_name="less", inputs=[[2], [1], [3]], outputs=outputs)))
    for outputs in ([[0, 1], [0], [0, 1, 2]], [[[0, 1]], [[0]], [[0, 1, 2]]]):
        p = one(entry(outputs))
        assert [o[-1] for o in p.baseline_tests] == [[0, 1], [0], [0, 1, 2]]
        assert box.execute_tests(p.reference_solution, baseline_cases(p), "less").passed

def test_rows_with_arrays():
    import numpy
    row = HEALTHY["mbpp, sanitized"](1)
    assert one({**row, "test_imports": numpy.array([], dtype=object), "test_list": numpy.array(row["test_list"], dtype=object), "task_id": numpy.int64(row["task_id"])}) == one(row)

def test_ids():
    a = HEALTHY["own"](1)
    done = convert_problems([a, dict(a, description="Other."), dict(a), {k: v for k, v in a.items() if k != "id"}])
    assert [e.status for e in done.entries] == ["taken", "repaired", "refused", "repaired"]
    assert [p.id for p in done.problems] == ["own-1", "own-1-2", "problem-3"]

def test_mapping():
    rows = ({"q": f"Add {k}.", "py": f"def inc(n): return n + {k}", "checks": [[1, 1 + k]], "prompt": "unrelated"} for k in range(3))
    mapping = {"description": "q", "reference_solution": "py", "tests": "checks"}
    assert [p.description for p in load_problems(rows, mapping=mapping)] == ["Add 0.", "Add 1.", "Add 2."]
    assert convert_problems([{"q": "x"}], mapping).entries[0].reasons[0].startswith("has no column 'py'")
    with pytest.raises(ConfigError, match="'decription' is no field"): convert_problems([{}], {"decription": "q"})

ITERATOR = """class BSTIterator:
    def __init__(self, root: Optional[TreeNode]):
        self.values = []
        self.walk(root)
    def walk(self, node):
        if node: self.walk(node.left); self.values.append(node.val); self.walk(node.right)
    def next(self) -> int: return self.values.pop(0)
    def hasNext(self) -> bool: return bool(self.values)
"""
DETECT = """class Solution:
    def detectCycle(self, head: Optional[ListNode]) -> Optional[ListNode]:
        seen = set()
        while head and id(head) not in seen:
            seen.add(id(head))
            head = head.next
        return head
"""

@pytest.mark.parametrize("entry", [
    dict(title="BST Iterator", content="Walk a tree.", solution=ITERATOR, tests=[{"input": [["BSTIterator", "next", "hasNext", "next", "hasNext"], [["[2,1]"], [], [], [], []]], "output": [None, 1, True, 2, False]}]),
    dict(title="Detect", content="Where does the cycle begin?", solution=DETECT, tests=[{"input": "head = [3,2,0,-4], pos = 1", "output": "tail connects to node index 1"}, {"input": "head = [1], pos = -1", "output": "no cycle"}, {"input": {"head": [2, 1], "pos": -1}, "output": None}]),
    dict(title="Counter", content="Count up.", solution="class Counter:\n    def __init__(self): self.n = 0\n    def up(self):\n        self.n += 1\n        return self.n / 2", tests=[{"input": [["Counter", "up"], [[], []]], "output": [None, 0.5]}]),
], ids=lambda e: e["title"])
def test_nodes_cycles_and_clashing_names(entry, box):
    p = one(entry)
    result = box.run_many([Job(p.reference_solution, baseline_cases(p), p.entry_point, p.function_signature, runs=2)])[0]
    assert result.passed, result.errors

def test_tests_of_a_program_as_a_model_writes_them(box):
    "Rows of two texts for `def main()`, which takes nothing, are what it reads and prints"
    p = one(HEALTHY["apps, program"](3))
    read = parse_tests('("1\\n", "4\\n")\n("5\\n", "9\\n")', p.entry_point, p.function_signature)
    assert [t.kind for t in read.cases] == ["io", "io"] and not read.rejected
    assert [v.passed for v in box.run_many([Job(p.reference_solution, read, p.entry_point, p.function_signature)])[0].verdicts] == [True, False]

# ---------------------------------------------------------------- nothing is dropped in silence
TWO = "Input: n = 1\nOutput: 2\n\nInput: n = 5\nOutput: 6"
INC = dict(description="Add one.", solution="def inc(n): return n + 1", signature="def inc(n: int) -> int:")

@pytest.mark.parametrize("tests", [TWO, [TWO], {"example_text": TWO}, [{"example_text": TWO}], json.dumps([TWO]), [{"example_text": TWO}, [7, 8]]], ids=str)
def test_a_text_with_two_examples_gives_two_tests(tests):
    assert one(dict(INC, tests=tests)).baseline_tests[:2] == ([1, 2], [5, 6])

@pytest.mark.parametrize("fields, left", [
    (dict(INC, id="a", tests=[[1, 2]], examples=[{"input": "n = 5", "output": "6"}]), "examples"),
    (dict(INC, id="a", test_list=["assert inc(1) == 2"], sample_tests="assert inc(2) == 3"), "sample_tests"),
], ids=str)
def test_fields_with_tests_that_are_left_out_are_noted(fields, left):
    entry, unused = convert_problems([fields]).entries[0], convert_problems([fields]).unused
    assert entry.status == "repaired" and [r.split(",")[0] for r in entry.reasons if "left out" in r] == [f"{left}: left out"] and unused[left] == 1

def test_what_a_good_entry_has_besides_is_counted():
    done = convert_problems([dict(HEALTHY["own"](1), tests=["assert add1(2) == 3"])])
    assert done.entries[0].status == "taken" and done.unused == {"tests": 1}

@pytest.mark.parametrize("blank", [[], "", None, " ", {}, [""], [{"input": "", "output": ""}]], ids=str)
def test_fields_without_tests_are_not_noted(blank):
    assert convert_problems([dict(INC, id="a", tests=[[1, 2]], examples=blank)]).entries[0].status == "taken"

def test_the_table_names_the_fields_that_were_not_read(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps([dict(INC, id=f"p{k}", description=f"Add one, {k}.", tests=[[1, 2]], hints=["+"], **{"a\x1bb": 1} if k else {}) for k in range(2)]))
    run = lambda *more: call("problems", "convert", tmp_path / "x.json", "--to", tmp_path / "y.json", *more).stdout
    assert "fields that were not read: 'hints' (in 2), 'a\\x1bb' (in 1)\n" in run() and json.loads(run("--json"))["unused"] == {"hints": 2, "a\x1bb": 1}

# ---------------------------------------------------------------- real collections
@pytest.mark.parametrize("name, n", [("humaneval/HumanEval_even.jsonl", 82), ("mbpp/sanitized_mbpp_even.jsonl", 219)])
def test_real_collections_load_whole_and_pass(name, n, box, tmp_path):
    if SHARED is None or not (SHARED / name).is_file(): pytest.skip(f"no shared/data/{name} beside or above the repository")
    done = convert_problems(SHARED / name)
    assert len(done.problems) == n and not done.refused
    checked = check_references(done, box)
    assert [(e.id, e.reasons) for e in checked.refused] == []
    print(f"\n{name}: {checked.summary()}, {sum(len(baseline_cases(p)) for p in checked.problems)} tests")
    assert load_problems(save_problems(checked.problems, tmp_path / "x.json"), strict=True) == checked.problems

# ---------------------------------------------------------------- the easy set
def test_the_easy_set(box):
    easy = load_problems("easy", strict=True)
    assert len(easy) >= 100 and {p.difficulty for p in easy} == {"easy"}
    assert {t for p in easy for t in p.tags} == {"integers", "strings", "lists", "dicts"}
    assert all(len(p.baseline_tests) >= 8 and len(set(p.baseline_tests)) == len(p.baseline_tests) for p in easy)
    assert all(len(p.reference_solution.strip().split("\n")) <= 6 for p in easy)
    results = box.run_many([Job(p.reference_solution, baseline_cases(p), p.entry_point, p.function_signature, runs=2) for p in easy])
    assert [(p.id, r.errors) for p, r in zip(easy, results) if not r.passed or r.num_rejected] == []
    assert [o for o in find_leaks(easy, easy + load_problems("builtin")) if o[0] != o[1]] == []

EQUIVALENT = { # mutants of the easy set that no test can catch, by problem: what the mutant does
    "distance": 1, # |b - a|
    "middle-of-three": 1, # the same three in another order
    "exactly-one-even": 1, # the difference is odd when the sum is
    "hide-middle": 2, # words of two characters come out alike on both ways
    "list-of-items": 1, # without `list(...)`: the view of a dict is judged as the list of what it shows
    "list-of-values": 1, # the same
    "sum-of-positive": 2, # zeros add nothing
}

def test_the_tests_of_the_easy_set_catch_every_wrong_mutant():
    from chained_adv.mutants import make_mutants
    easy = load_problems("easy")
    pairs = [(p, m.source) for p in easy for m in make_mutants(p, 60)]
    with Sandbox(timeout=.5, budget=1, workers=2) as box: # some never end
        results = box.run_many([Job(code, baseline_cases(p), p.entry_point, p.function_signature) for p, code in pairs])
    alive = Counter(p.id for (p, _), r in zip(pairs, results) if r.passed)
    print(f"\n{len(pairs) - sum(alive.values())} of {len(pairs)} mutants caught, {sum(alive.values())} are equivalent")
    assert dict(alive) == EQUIVALENT

@pytest.mark.parametrize("name", ["humaneval/HumanEval_even.jsonl", "mbpp/sanitized_mbpp_even.jsonl"])
def test_the_easy_set_copies_nothing(name, box):
    if SHARED is None or not (SHARED / name).is_file(): pytest.skip(f"no shared/data/{name} beside or above the repository")
    easy, others = load_problems("easy"), load_problems(SHARED / name)
    assert find_leaks(easy, others) == []
    if "mbpp" not in name: assert find_same_behaviour(easy, others, box) == [] # a minute for MBPP, whose texts are compared above

# ---------------------------------------------------------------- JSON of any shape
KEYS = sorted({n for names in GUESSED.values() for n in names.split()} | {"input", "output", "inputs", "outputs", "expected", "fn_name", "language", "head", "pos", "x"})
TEXTS = st.sampled_from(["", "f", "def f(a):", "def f(a): return a", "class A:\n    def g(self): return 1", "class Solution:\n    def f(self, a): return a", "assert f(1) == 1", "def check(c):\n    assert c(1) == 1",
                         '["A","g"]\n[[],[]]', "[1,null,2]", "[[", '{"inputs": [1], "outputs": [2]}', "Input: a = 1\nOutput: 2", "<p>&lt;</p>", "print(input())", "f(", "\x00", "tail connects to node index 9", "(" * 300, "def f(a: ListNode) -> ListNode: return a"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(max_size=6)
SHAPES = st.recursive(LEAVES, lambda o: st.lists(o, max_size=4) | st.dictionaries(st.sampled_from(KEYS), o, max_size=4), max_leaves=12)
ENTRIES = SHAPES | st.dictionaries(st.sampled_from(KEYS), SHAPES, max_size=6)
LIKELY = st.fixed_dictionaries({"description": TEXTS, "solution": TEXTS | SHAPES, "tests": SHAPES}, optional={k: SHAPES for k in ("signature", "id", "difficulty", "tags", "test_setup_code", "input_output")})

@settings(max_examples=400)
@given(ENTRIES | LIKELY)
def test_no_entry_makes_the_converter_crash(entry):
    "Called without the net that `convert_problems` spreads below it"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try: draft = read_problem(entry, "x")
        except Refused as e: assert str(e)
        else: assert draft.fields["baseline_tests"] and draft.fields["description"]

@settings(max_examples=60)
@given(st.lists(ENTRIES | LIKELY, min_size=1, max_size=6))
def test_no_file_makes_the_report_crash(entries):
    "What is taken can be written and read again; what is not has a reason"
    done = convert_problems(entries)
    assert len(done.entries) == len(entries) and all(e.reasons for e in done.refused)
    assert not [e for e in done.refused if any("cannot be read (" in r for r in e.reasons)], done.refused
    json.dumps(done.to_json())
    for p in done.problems: baseline_cases(p)

def test_values_under_older_names_go_in_order(box):
    "A description may keep names that its signature no longer has; the reference tells whether the order is right"
    p = one(dict(title="Shift", content="Add.", solution="class Solution:\n    def shift(self, nums: List[int], k: int) -> List[int]:\n        return [n + k for n in nums]",
                 tests=[{"input": "A = [1, 2], B = 3", "output": "[4, 5]"}, {"input": {"nums": [0], "k": 1}, "output": [1]}]))
    assert [t.args for t in baseline_cases(p)] == [([1, 2], 3), ([0], 1)]
    result = box.run_many([Job(p.reference_solution, baseline_cases(p), p.entry_point, p.function_signature)])[0]
    assert result.passed, result.errors
