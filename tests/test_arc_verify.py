"""Verification: hostile programs, tables of answers, files of both systems (defects 3, 4 and 5 of the founding system)"""
import json, os, random, time
import pytest
from typer.testing import CliRunner

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from chained_adv.arc.cli import app
from chained_adv.arc.datasets import builtin_programs, load_tasks
from chained_adv.arc.grids import ArcError, Grid, Pair, Task
from chained_adv.arc.search import search_program
from chained_adv.arc.results.answers import read_answers
from chained_adv.arc.results.lookup import find_lookup
from chained_adv.arc.verify import Attempt, recheck_views, verify_attempts
from chained_adv.sandbox import Sandbox

TASKS = {t.id: t for t in load_tasks("builtin")}
PROGRAMS = builtin_programs()
COPY = Task("copy", [Pair(Grid([[n, 1]]), Grid([[n, 1]])) for n in (1, 2)], [Pair(Grid([[n, 1]]), Grid([[n, 1]])) for n in (3, 4)])

def outcomes(code, task=COPY, **limits):
    with Sandbox(**{"timeout": .3, **limits}) as box: return next(verify_attempts([Attempt(task, code)], box)).outcomes

# Defect 4: code ran in the server's process, without limits; ragged and out-of-range grids were "success"

def test_an_endless_loop_ends_and_leaves_the_pairs_before_it():
    assert outcomes("def solve_task(g):\n    while g[0][0] == 2: pass\n    return g") == ("passed", "timeout", "timeout", "timeout")

def test_another_process_and_an_empty_environment(monkeypatch):
    monkeypatch.setenv("ARC_TEST_SECRET", "1234")
    code = f"import os\ndef solve_task(g):\n    assert os.getpid() != {os.getpid()} and 'ARC_TEST_SECRET' not in os.environ\n    return g"
    assert outcomes(code) == ("passed",) * 4

@pytest.mark.parametrize("value", ["[[1, 2], [3]]", "[[10]]", "[[-1]]", "[]", "[[]]", "[[True, 1]]", "[[1.0, 1]]", "None", "'11'", "[['1', 1]]", "[[1] * 31]", "[[1]] * 31", "{(0, 0): 1}", "((1, None),)"])
def test_what_is_no_grid_is_no_success(value): assert outcomes(f"def solve_task(g): return {value}") == ("illegal_grid",) * 4

def test_tuples_are_rows_and_values_that_are_no_data_are_wrong():
    assert outcomes("def solve_task(g): return tuple(map(tuple, g))") == ("passed",) * 4
    assert outcomes("class N(int): pass\ndef solve_task(g): return [[object() for c in r] for r in g]") == ("wrong_value",) * 4

@pytest.mark.parametrize("code, outcome", [("def solve_task(g): raise KeyError(g)", "exception"), ("def solve_task(g)", "exception"), ("x = 1", "exception"), ("import nowhere", "exception"),
    ("import os\ndef solve_task(g): os._exit(0)", "crash"), ("def solve_task(g): return [[1] * 10 ** 9]", "memory"), ("while True: pass", "timeout")])
def test_no_program_goes_unjudged(code, outcome): assert outcomes(code, memory_mb=128) == (outcome,) * 4

# Defect 5: only test[0] counted, training pairs were never checked

def test_every_test_pair_counts():
    first_only = "def solve_task(g): return g if g[0][0] < 4 else [[0]]"
    with Sandbox() as box: v = next(verify_attempts([Attempt(COPY, first_only)], box))
    assert (v.outcomes, v.train_passed, v.test_passed, v.passed) == (("passed", "passed", "passed", "wrong_value"), True, False, False)

def test_training_pairs_count():
    with Sandbox() as box: v = next(verify_attempts([Attempt(COPY, "def solve_task(g): return g if g[0][0] > 2 else [[0]]")], box))
    assert (v.train_passed, v.test_passed, v.passed, v.status) == (False, True, False, "wrong_value")

def test_pairs_do_not_share_a_program():
    "Each pair finds a fresh program: one that counts its calls sees the first each time"
    assert outcomes("n = []\ndef solve_task(g):\n    n.append(g)\n    return g if len(n) == 1 else [[0]]") == ("passed",) * 4

def test_numpy_where_it_is_installed():
    pytest.importorskip("numpy")
    assert outcomes("import numpy as np\ndef solve_task(g): return np.array(g)") == ("passed",) * 4

NUMPY = {
    "flips": "import numpy as np\ndef solve_task(g): return np.fliplr(np.flipud(np.array(g)))[::-1, ::-1]",
    "a float array": "import numpy as np\ndef solve_task(g):\n    out = np.zeros(np.shape(g))\n    out[:] = g\n    return out",
    "small whole numbers": "import numpy as np\ndef solve_task(g): return np.array(g, dtype=np.uint8)",
    "rows that are arrays": "import numpy as np\ndef solve_task(g): return list(np.array(g))",
    "cells that are numpy's": "import numpy as np\ndef solve_task(g): return [[c for c in r] for r in np.array(g)]",
    "parts that load late": "import numpy as np\nfrom numpy.lib.stride_tricks import sliding_window_view\ndef solve_task(g):\n    np.random.seed(0); np.linalg.inv(np.eye(2)); np.fft.fft([1, 2]); np.testing.assert_equal(1, 1); np.ma.array([1])\n"
        "    np.unique(g, return_counts=True); np.pad(np.array(g), 1, mode='edge'); np.rot90(g); np.kron(g, [[1]]); np.einsum('ij->ji', np.array(g)); np.polynomial.Polynomial([1])\n    return sliding_window_view(np.array(g), (1, 1))[:, :, 0, 0]",
    "as the founding prompts have it": "from typing import List\nimport numpy as np\n\ndef solve_task(input_grid: List[List[int]]) -> List[List[int]]:\n    grid = np.array(input_grid)\n    return np.where(grid > 0, grid, 0).tolist()",
    "as BARC has it": "import numpy as np\nfrom typing import *\n\ndef solve_task(input_grid: np.ndarray) -> np.ndarray:\n    output_grid = np.copy(np.asarray(input_grid))\n    return output_grid",
}

@pytest.mark.parametrize("name", NUMPY)
def test_numpy_in_all_ways_that_programs_use_it(name):
    pytest.importorskip("numpy")
    assert outcomes(NUMPY[name]) == ("passed",) * 4

@pytest.mark.parametrize("value", ["np.array(g) + .5", "np.array(g) > 0", "np.array([g])", "np.array(3)", "np.zeros((0, 3))", "np.full((31, 31), 1)", "np.array(g) * np.nan", "np.array([['a']])"])
def test_arrays_that_are_no_grids(value):
    pytest.importorskip("numpy")
    assert set(outcomes(f"import numpy as np\ndef solve_task(g): return {value}")) <= {"illegal_grid", "wrong_value"}

# One program that sleeps

def test_a_program_that_sleeps_holds_up_the_others_once(tmp_path):
    "Eight pairs of a program that sleeps take as long as one"
    pairs = [Pair(Grid([[n]]), Grid([[n]])) for n in range(1, 9)]
    task = Task("many", pairs[:7], pairs[7:])
    sleeper, good = "import time\ndef solve_task(g):\n    time.sleep(100)\n    return g", "def solve_task(g): return g"
    with Sandbox(timeout=.2) as box:
        started = time.monotonic()
        slow, fast = verify_attempts([Attempt(task, sleeper), Attempt(task, good)], box)
        took = time.monotonic() - started
    assert slow.outcomes == ("timeout",) * 8 and fast.passed and took < 8, took
    assert {v.reason for v in slow.verdicts[1:]} == {"not run: an earlier call took too long"}

def test_an_exception_in_one_pair_leaves_the_others_their_verdicts():
    assert outcomes("def solve_task(g): return g if g[0][0] != 2 else 1 / 0") == ("passed", "exception", "passed", "passed")

# Streaming

def test_attempts_are_drawn_batch_by_batch():
    drawn = []
    def attempts():
        for n in range(1000): drawn.append(n); yield Attempt(COPY, "def solve_task(g): return g", number=n)
    with Sandbox() as box:
        stream = verify_attempts(attempts(), box, batch=32)
        first = next(stream)
        assert (first.attempt.number, len(drawn)) == (0, 32)
        assert [v.attempt.number for v in stream] == list(range(1, 1000))

def test_order_holds_with_answers_that_are_no_programs():
    some = [Attempt(COPY, number=0, trouble="none"), Attempt(COPY, "def solve_task(g): return g", number=1), Attempt(COPY, grid=[[4, 1]], pair=1, number=2), Attempt(COPY, number=3, failed=True), Attempt(COPY, grid=[[3, 1]], pair=1, number=4)]
    with Sandbox() as box: found = list(verify_attempts(some, box, batch=2))
    assert [(v.attempt.number, v.status) for v in found] == [(0, "no_program"), (1, "passed"), (2, "passed"), (3, "no_answer"), (4, "wrong_value")]

# Tables of answers, in many disguises, for every shipped task

def tables(task):
    "Programs that hold the answers of a task"
    grids = [(p.input.to_lists(), p.output.to_lists()) for p in task.train + task.test]
    flat = lambda g: "".join(str(c) for r in g for c in r)
    yield "literal", "T = " + repr(grids) + "\ndef solve_task(g):\n    return next(o for i, o in T if i == g)\n"
    yield "strings", "T = " + repr({flat(i): (flat(o), len(o[0])) for i, o in grids}) + "\ndef solve_task(g):\n    s, w = T[''.join(str(c) for r in g for c in r)]\n    return [[int(c) for c in s[k:k + w]] for k in range(0, len(s), w)]\n"
    yield "tuples", "T = {" + ", ".join(f"{tuple(map(tuple, i))!r}: {o!r}" for i, o in grids) + "}\ndef solve_task(g): return T[tuple(map(tuple, g))]\n"
    yield "joined", "T = {}\n" + "".join(f"A{n} = {flat(i)!r}\nB{n} = {json.dumps(o)!r}\nT[A{n}] = B{n}\n" for n, (i, o) in enumerate(grids)) + "import json\ndef solve_task(g): return json.loads(T[''.join(str(c) for r in g for c in r)])\n"
    if all(len(o) * len(o[0]) >= 9 for _, o in grids): # outputs of a few cells are no proof
        yield "by sums", "T = " + repr({sum(map(sum, i)): o for i, o in grids}) + "\ndef solve_task(g): return T[sum(map(sum, g))]\n"

def encoded_tables(task):
    "Programs that hold the answers under keys and in signs that hide the cells"
    import hashlib, zlib
    grids = [(p.input.to_lists(), p.output.to_lists()) for p in task.train + task.test]
    flat = lambda g: "".join(str(c) for r in g for c in r)
    key = lambda g: hashlib.md5(repr(g).encode()).hexdigest()[:8]
    shape = lambda o: (len(o), len(o[0]))
    letters = lambda o: "".join("qwertyuiop"[int(c)] for c in flat(o))
    read = "\ndef solve_task(g):\n    s, w = T[key(g)]\n    return [[D(c) for c in s[k:k + w]] for k in range(0, len(s), w)]\n"
    hashed = "import hashlib\nkey = lambda g: hashlib.md5(repr(g).encode()).hexdigest()[:8]\n"
    yield "hashed keys", hashed + "D = int\nT = " + repr({key(i): (flat(o), len(o[0])) for i, o in grids}) + read
    yield "letters", hashed + "D = 'qwertyuiop'.index\nT = " + repr({key(i): (letters(o), len(o[0])) for i, o in grids}) + read
    yield "mixed alphabets", hashed + "D = lambda c: ord(c) % 10\nT = " + repr({key(i): ("".join(chr(40 + (int(c) - 40) % 10 + 10 * (n % 5)) for n, c in enumerate(flat(o))), len(o[0])) for i, o in grids}) + read
    number = lambda o: int("1" + flat(o), 11)
    unpack = "\ndef solve_task(g):\n    n, w = T[key(g)]\n    s = []\n    while n > 1: n, c = divmod(n, 11); s.insert(0, c)\n    return [s[k:k + w] for k in range(0, len(s), w)]\n"
    yield "numbers", hashed + "T = " + repr({key(i): (number(o), len(o[0])) for i, o in grids}) + unpack

@pytest.mark.parametrize("id", TASKS)
def test_encoded_tables_of_answers_are_told(id):
    task = TASKS[id]
    cells = sum(p.output.height * p.output.width for p in task.train + task.test)
    for name, code in encoded_tables(task):
        compile(code, name, "exec")
        if cells >= 80: assert find_lookup(code, task), f"{name}: not told" # the outputs of smaller tasks are shorter than some rules

def test_the_encoded_tables_do_what_they_say():
    task = TASKS["pond"]
    with Sandbox() as box: assert all(v.passed for v in verify_attempts([Attempt(task, c) for _, c in encoded_tables(task)], box))

def test_honest_programs_hold_under_some_view_and_tables_under_none():
    "The views that mixed symmetry and colour were held by none"
    ids = list(TASKS)[:12]
    tables_of = [Attempt(TASKS[i], next(tables(TASKS[i]))[1]) for i in ids]
    with Sandbox() as box: found = list(verify_attempts([Attempt(TASKS[i], PROGRAMS[i]) for i in ids] + tables_of, box, recheck_views(14)))
    assert all(v.passed for v in found)
    assert [v.steady for v in found] == [True] * 12 + [False] * 12

@pytest.mark.parametrize("id", TASKS)
def test_tables_of_answers_are_told(id):
    task = TASKS[id]
    for name, code in tables(task): assert find_lookup(code, task), f"{name}: not told"

@pytest.mark.parametrize("id", TASKS)
def test_rules_are_not_called_tables(id): assert find_lookup(PROGRAMS[id], TASKS[id]) == ""

def test_odd_constants_are_no_table_and_no_error():
    task = TASKS["pond"]
    assert find_lookup("UNITS = ['m²', '①']\n" + PROGRAMS["pond"], task) == ""
    odd = f"X = 0x{'f' * 3700}\nY = [[1, X], [2, 3]]\nZ = [X, 1]\nW = {{(0, 0): X}}\n" # cannot be written in decimal
    for code in (PROGRAMS["pond"], next(tables(task))[1]): assert find_lookup(odd + code, task)

@pytest.mark.parametrize("id", ["pond", "half_turn", "fullest_quarter", "bar_chart"])
def test_learned_rules_are_not_called_tables(id):
    code = search_program(TASKS[id])
    assert code and find_lookup(code, TASKS[id]) == ""

def test_packed_tables_are_told():
    import base64, zlib
    packed = base64.b64encode(random.Random(0).randbytes(200)).decode()
    assert "unpacks" in find_lookup(f"import base64, zlib\nT = zlib.decompress(base64.b64decode({packed!r}))\ndef solve_task(g): return T", COPY)

@pytest.mark.parametrize("code", ["", "def f(:", "x = " + "(" * 500, "x = [[0] * 10**9] * 10**9", "x = {**{}, 1: 2}", "x = 'a' * 10**12", "a = [a0]\n" * 3, "\0"])
def test_the_detector_takes_any_text(code): assert find_lookup(code, COPY) == ""

# Defect 3: the verifier could not read what the generator writes

def test_reads_what_generation_writes(tmp_path):
    call = lambda *args: CliRunner().invoke(app, [str(o) for o in args])
    assert call("generate", "code", "--model", "search", "--task-ids", "half_turn,pond", "--best-of", 2, "--out", tmp_path / "run").exit_code == 0
    for source in (tmp_path / "run", tmp_path / "run" / "attempts.jsonl"):
        r = call("verify", source, "--json")
        assert (r.exit_code, json.loads(r.stdout)["status"]) == (0, {"passed": 4})

def test_reads_the_founding_systems_files(tmp_path):
    "All three kinds, as lines and as a list; the task from the line, or from the set when it is given"
    base = {"task_id": "copy", "task_data": COPY.to_json()}
    right = [[3, 1]]
    kinds = {"reasoning": ([{**base, "prompt_messages": [{"role": "user", "content": "?"}], "reasoning": "it stays"}], ["no_program"]),
             "code": ([{**base, "prompt_messages": [], "reasoning": "r", "python_code": "def solve_task(g): return g"}, {**base, "python_code": ""}], ["passed", "no_program"]),
             "code_bench": ([{**base, "reasoning": ["a", "b"], "python_code": ["def solve_task(g): return g", "def solve_task(g): return [[0]]"], "best_of": 2, "verification_success": [True, False], "generation_time_seconds": [1., 2.]}], ["passed", "wrong_value"]),
             "direct": ([{**base, "output_grid": [right, [[0]], None], "answer_correct": [True, False, False], "comparison_details": ["", "", ""]}, {**base, "output_grid": right}], ["passed", "wrong_value", "no_grid", "passed"])}
    meta = {"entry_type": "metadata", "status": "completed", "solved": []}
    with Sandbox() as box:
        for name, (rows, wanted) in kinds.items():
            lines, listed = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.json"
            lines.write_text("".join(json.dumps(o) + "\n" for o in [*rows, meta])); listed.write_text(json.dumps([*rows, meta]))
            for path in (lines, listed):
                for known in ((), [COPY]): assert [v.status for v in verify_attempts(read_answers(path, known), box)] == wanted, (name, path)

def test_a_line_without_its_task_is_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"task_id": "nowhere", "python_code": "x"}) + "\n")
    with pytest.raises(ArcError, match="nowhere is not in the set"): list(read_answers(tmp_path / "a.jsonl"))
    r = CliRunner().invoke(app, ["verify", str(tmp_path / "a.jsonl")])
    assert r.exit_code == 2

def test_nothing_passed_is_status_1(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"task_id": "copy", "task_data": COPY.to_json(), "python_code": "def solve_task(g): return [[0]]"}) + "\n")
    r = CliRunner().invoke(app, ["verify", str(tmp_path / "a.jsonl"), "--json"])
    assert (r.exit_code, json.loads(r.stdout)["status"]) == (1, {"wrong_value": 1})
