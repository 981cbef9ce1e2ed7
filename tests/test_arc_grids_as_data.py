"""Grids as training data, test-time training, and several runs beside each other."""
import json

import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from typer.testing import CliRunner

from chained_adv.arc.agents import read_answer
from chained_adv.arc.cli import app
from chained_adv.arc.datasets import load_tasks, save_tasks
from chained_adv.arc.export import direct_lines, leave_one_out
from chained_adv.arc.grids import without_answers

def call(*args): return CliRunner().invoke(app, list(map(str, args)))
def lines_of(path): return [json.loads(o) for o in path.read_text().splitlines()]
TASKS = load_tasks("builtin")


def test_answers_in_the_data_are_read_as_the_right_grids():
    for task in TASKS:
        lines = direct_lines(task)
        assert [read_answer(o["messages"][-1]["content"], "direct").grid for o in lines] == [p.output for p in task.test]
        plain = direct_lines(task, "prompt-completion")
        assert [o["completion"] for o in plain] == [o["messages"][-1]["content"] for o in lines]

@pytest.mark.parametrize("task", TASKS[:10], ids=lambda t: t.id)
def test_test_time_training_sees_no_test_output(task):
    "The same data come out of the task without its answers, and each demonstration is asked for once under each view"
    full, blind = leave_one_out(task, 4), leave_one_out(without_answers(task), 4)
    assert [(t.train, t.test) for t in full] == [(t.train, t.test) for t in blind] and len(full) == 4 * len(task.train)
    for n in range(len(task.train)):
        assert full[n].test == (task.train[n],) and set(full[n].train) == set(task.train[:n] + task.train[n + 1:])

def test_the_command_line_writes_both(tmp_path):
    assert json.loads(call("export", "grids", "builtin", "--max-tasks", 3, "--views", 2, "--out", tmp_path / "g.jsonl", "--json").stdout)["tasks"] == 3
    assert call("export", "ttt", "builtin", "--max-tasks", 3, "--out", tmp_path / "t.jsonl").exit_code == 0
    assert len(lines_of(tmp_path / "g.jsonl")) == 2 * sum(len(t.test) for t in TASKS[:3]) and len(lines_of(tmp_path / "t.jsonl")) == 8 * sum(len(t.train) for t in TASKS[:3])
    assert all(o["provenance"]["license"] == "MIT" for o in lines_of(tmp_path / "g.jsonl"))
    assert call("export", "grids", "builtin", "--out", tmp_path / "g.jsonl").exit_code == 2
    assert call("export", "grids", "builtin", "--form", "x", "--out", tmp_path / "h.jsonl").exit_code == 2

def test_trainers_of_tables_read_the_lines(tmp_path):
    datasets = pytest.importorskip("datasets")
    call("export", "ttt", "builtin", "--max-tasks", 2, "--out", tmp_path / "t.jsonl")
    rows = datasets.Dataset.from_list(lines_of(tmp_path / "t.jsonl"))
    assert set(rows.column_names) == {"messages", "group", "provenance"}

def test_evaluation_answers_are_refused_and_their_demonstrations_are_not(tmp_path, monkeypatch):
    import chained_adv.arc.export as export
    marks = {"arc-agi-1/evaluation": {m: "x" for m in export.task_marks(TASKS[0])}}
    monkeypatch.setattr(export, "evaluation_marks", lambda: marks)
    assert call("export", "grids", "builtin", "--max-tasks", 1, "--out", tmp_path / "g.jsonl").exit_code == 2
    assert call("export", "ttt", "builtin", "--max-tasks", 1, "--out", tmp_path / "t.jsonl").exit_code == 0
    assert call("export", "grids", "builtin", "--max-tasks", 1, "--allow-set", "arc-agi-1/evaluation", "--out", tmp_path / "g.jsonl").exit_code == 0

def test_runs_are_compared(tmp_path):
    for model in ("identity", "search", "random"): call("bench", "code", "--model", model, "--max-tasks", 4, "--out", tmp_path / model)
    runs = [tmp_path / o for o in ("identity", "search", "random")]
    rows = json.loads(call("compare", *runs, "--json", "--png", tmp_path / "c.png").stdout)
    assert rows[0]["run"] == "search" and [o["tasks"] for o in rows] == [4] * 3 and (tmp_path / "c.png").stat().st_size > 5000
    text = call("compare", *runs).stdout
    assert "search" in text and "of 4" in text
    call("bench", "code", "--model", "identity", "--max-tasks", 5, "--out", tmp_path / "other")
    r = call("compare", tmp_path / "identity", tmp_path / "other")
    assert r.exit_code == 2 and "different tasks" in r.output
    assert call("compare", tmp_path / "nowhere").exit_code == 2
