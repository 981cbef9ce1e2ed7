"""No task is lost in silence: what a file or folder holds is loaded, or the message names it with its place."""
import json

import pytest
from typer.testing import CliRunner

from chained_adv.arc.cli import app
from chained_adv.arc.datasets import load_tasks, save_tasks
from chained_adv.arc.grids import ArcError
from chained_adv.arc.transforms import make_variation

PAIR = {"input": [[1, 2]], "output": [[2, 1]]}
ONE = {"train": [PAIR, PAIR], "test": [PAIR]}
BAD_GRID = {"train": [{"input": [[1, 77]], "output": [[1]]}], "test": [PAIR]}


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else (data if isinstance(data, str) else json.dumps(data)).encode())
    return path

def ids(path): return sorted(t.id for t in load_tasks(path))

def refused(path):
    with pytest.raises(ArcError) as e: load_tasks(path)
    return str(e.value)


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_file_without_train_or_test_is_told(tmp_path, part):
    put(tmp_path / "a.json", ONE), put(tmp_path / "b.json", {part: ONE[part]})
    told = refused(tmp_path)
    assert "b.json" in told and f"'{'test' if part == 'train' else 'train'}' must be a list" in told

def test_folders_beside_files_and_large_letters(tmp_path):
    put(tmp_path / "a.json", ONE), put(tmp_path / "B.JSON", ONE), put(tmp_path / "deep" / "er" / "c.json", ONE), put(tmp_path / ".hidden" / "d.json", ONE)
    assert ids(tmp_path) == ["B", "a", "c"]

def test_the_same_name_twice(tmp_path):
    kaggle = put(tmp_path / "x_challenges.json", '{"a": %s, "b": %s, "a": %s}' % (json.dumps(ONE), json.dumps(ONE), json.dumps(ONE)))
    assert "'a' stands twice" in refused(kaggle) and str(kaggle) in refused(kaggle)
    other = {**ONE, "test": [{"input": [[3]], "output": [[3]]}]}
    put(tmp_path / "two" / "a.json", {"id": "same", **ONE}), put(tmp_path / "two" / "b.json", {"id": "same", **other})
    assert "two different tasks are called two/same" in refused(tmp_path / "two")

@pytest.mark.parametrize("bad, words", [(5, "task b: a task is a dictionary"), ({"train": [PAIR]}, "task b: 'test' must be"), (BAD_GRID, "train[0].input: row 0, column 1 holds 77"), ({"train": [], "test": [PAIR]}, "task b has no train pair"), (None, "task b")])
def test_one_bad_entry_of_a_kaggle_file_is_named(tmp_path, bad, words):
    path = put(tmp_path / "x_challenges.json", {"a": ONE, "b": bad, "c": ONE})
    put(tmp_path / "x_solutions.json", {k: [[[2, 1]]] for k in "abc"})
    told = refused(path)
    assert words in told and str(path) in told and "none of the forms" not in told

@pytest.mark.parametrize("bad, words", [(5, "entry 1: a task is a dictionary"), ({"task_id": "b"}, "entry 1: task b: 'train' must be"), ({"task_id": "b", **BAD_GRID}, "entry 1: task b, train[0].input: row 0"), ({"version": 1, **ONE}, "entry 1: it needs a 'task_id'")])
def test_one_bad_entry_of_a_list_is_named(tmp_path, bad, words):
    path = put(tmp_path / "dataset.json", [{"task_id": "a", **ONE}, bad, {"task_id": "c", **ONE}])
    told = refused(path)
    assert words in told and str(path) in told

def test_all_mistakes_are_told(tmp_path):
    for n in range(9): put(tmp_path / f"t{n}.json", BAD_GRID if n % 2 else ONE)
    told = refused(tmp_path)
    assert "4 of 9 files cannot be read" in told and all(f"t{n}.json: task t{n}, train[0].input" in told for n in (1, 3, 5, 7))
    path = put(tmp_path / "many" / "dataset.json", [{"task_id": f"t{n}", **BAD_GRID} for n in range(50)])
    assert "50 of 50 tasks" in refused(path) and "and 45 more" in refused(path)

def test_a_grid_error_names_its_file(tmp_path):
    for form, data in (("set", {"tasks": [{"id": "a", **BAD_GRID}]}), ("task", BAD_GRID), ("pairs", [PAIR, BAD_GRID["train"][0], PAIR])):
        path = put(tmp_path / form / "some.json", data)
        assert str(path) in refused(path) and "row 0, column 1" in refused(path)

@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_no_trouble(tmp_path, encoding):
    assert ids(put(tmp_path / "a.json", json.dumps(ONE).encode(encoding))) == ["a"]

def test_lines(tmp_path):
    lines = [{"id": "a", **ONE}, {"task_id": "b", **ONE}, ONE, [PAIR] * 4, {"examples": [[[[1, 2]], [[2, 1]]]] * 3, "source": "import numpy"}]
    path = put(tmp_path / "x" / "many.jsonl", b"\xef\xbb\xbf" + "".join(json.dumps(o) + "\r\n\n" for o in lines).encode())
    assert ids(path) == ["a", "b", "many-5", "many-7", "many-9"] == ids(tmp_path)
    put(tmp_path / "y.jsonl", json.dumps(ONE) + "\n{\n" + json.dumps({"id": "z", **BAD_GRID}))
    told = refused(tmp_path / "y.jsonl")
    assert "2 of 3 tasks" in told and "line 2: it is not JSON" in told and "line 3: task z, train[0].input" in told

def test_lines_of_results_in_a_folder_of_tasks_are_passed_over(tmp_path):
    put(tmp_path / "a.json", ONE), put(tmp_path / "attempts.jsonl", json.dumps({"task_key": "a", "status": "ok"}) + "\n")
    assert ids(tmp_path) == ["a"]

def test_solutions_without_challenges_are_told(tmp_path):
    put(tmp_path / "a.json", ONE), put(tmp_path / "x_solutions.json", {"a": [[[2, 1]]]})
    assert "it holds solutions; give the file of challenges" in refused(tmp_path)

def test_re_arc_becomes_tasks_on_the_command_line(tmp_path):
    put(tmp_path / "tasks" / "abc.json", [{"input": [[n % 10, 5]], "output": [[5, n % 10]]} for n in range(10)])
    run = lambda *args: CliRunner().invoke(app, list(map(str, args)))
    assert run("convert", tmp_path / "tasks", "--deal", "3:1", "--out", tmp_path / "set.json", "--form", "set").exit_code == 0
    assert [(t.id, len(t.train), len(t.test)) for t in load_tasks(tmp_path / "set.json")] == [("abc-0", 3, 1), ("abc-1", 3, 1)]
    assert run("convert", tmp_path / "tasks", "--deal", "20:1", "--out", tmp_path / "b.json", "--form", "set").exit_code == 2

def test_lines_of_tasks_are_merged_as_tasks(tmp_path):
    put(tmp_path / "many.jsonl", json.dumps({"id": "a", **ONE}))
    r = CliRunner().invoke(app, ["merge", str(tmp_path / "many.jsonl"), "builtin", "--out", str(tmp_path / "out.json"), "--json"])
    assert json.loads(r.stdout)["tasks"] == 41

def test_odd_line_ends_within_a_text_end_no_line(tmp_path):
    from chained_adv.arc.bridge import read_programs
    line = {"task_key": "pond", "code": "def solve_task(g): return g", "reasoning": "First.\u2028Second.\u2029Third.\x85"}
    (tmp_path / "lines.jsonl").write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    assert read_programs(tmp_path / "lines.jsonl") == {"pond": [line["code"]]}

@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400"])
def test_a_file_with_a_number_that_is_none_is_refused(number):
    from chained_adv.arc.exchange import parse_file
    with pytest.raises(ArcError, match="store.json is not JSON"): parse_file("store.json", f'{{"t": [{{"timestamp": {number}}}]}}'.encode())
