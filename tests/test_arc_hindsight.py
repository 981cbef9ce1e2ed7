"""Wrong programs as training data for the tasks that they do solve: labelled, verified again, gated; and nothing of an evaluation set gets out."""
import json

import pytest

from chained_adv.arc.datasets import load_tasks
from chained_adv.arc.export import export_hindsight, export_sft, relabel
from chained_adv.arc.grids import ArcError, without_answers
from chained_adv.arc.verify import Attempt, verify_attempts
from chained_adv.sandbox import Sandbox

TASKS = {t.id: t for t in load_tasks("builtin")}
FLIP = "def solve_task(g): return g[::-1]"
TURN = "def solve_task(g): return [r[::-1] for r in g]"
SAME = "def solve_task(g): return g"


@pytest.fixture(scope="module")
def box():
    with Sandbox() as box: yield box

def verified(box, *pairs): return list(verify_attempts([Attempt(t, c, number=n, row=dict(reasoning="Fall.", prompt_version="2")) for n, (t, c) in enumerate(pairs)], box))

def read(path): return [json.loads(o) for o in path.read_text().splitlines()]

def test_a_wrong_program_is_right_for_what_it_computes(box, tmp_path):
    pond = TASKS["pond"]
    wrong, = verified(box, (pond, FLIP))
    assert not wrong.passed
    task = relabel(wrong)
    assert [p.input for p in task.train + task.test] == [p.input for p in pond.train + pond.test]
    assert all(p.output.rows == p.input.rows[::-1] for p in task.train + task.test)
    again, = verified(box, (task, FLIP))
    assert again.passed and not verified(box, (task, TURN))[0].passed
    found = export_hindsight([wrong], box, tmp_path / "a.jsonl")
    line, = read(tmp_path / "a.jsonl")
    assert found["exported"] == 1 and line["provenance"]["hindsight"] == pond.key and "-hindsight-" in line["provenance"]["task_key"]
    assert set(line["provenance"]["verdicts"]) == {"passed"}
    assert "Fall." not in json.dumps(line), "words about another rule"
    for p in pond.train: assert str(p.output) not in line["messages"][-2]["content"], "an output of the original task"

def test_lines_that_are_no_hindsight_say_so(box, tmp_path):
    mirror = relabel(verified(box, (TASKS["pond"], TURN))[0])
    export_sft(verified(box, (mirror, TURN)), box, tmp_path / "a.jsonl")
    assert read(tmp_path / "a.jsonl")[0]["provenance"]["hindsight"] == ""

@pytest.mark.parametrize("code", [SAME, "def solve_task(g): return [[1]]", "def solve_task(g): return 1", "def solve_task(g): return [[11]]", "def solve_task(g): raise ValueError", None,
                                  "def solve_task(g):\n    while len(g) > 2: pass\n    return g"])
def test_what_teaches_nothing_is_left_out(box, tmp_path, code):
    "The input again, one grid for all, no grid, no answer"
    with Sandbox(timeout=.2) as quick: found = verified(quick, (TASKS["pond"], code))
    assert relabel(found[0]) is None
    with pytest.raises(ArcError, match="none of 0 attempts"): export_hindsight(found, box, tmp_path / "a.jsonl")
    assert not (tmp_path / "a.jsonl").exists()

def test_right_programs_are_not_relabelled(box):
    pond = TASKS["pond"]
    flipped = relabel(verified(box, (pond, FLIP))[0])
    assert relabel(verified(box, (flipped, FLIP))[0]) is None

def test_programs_that_compute_the_same_count_as_one_task(box, tmp_path):
    "Three programs with one result: one task; of equal programs one line, and at most so many per task"
    other = "def solve_task(grid):\n    rows = list(grid)\n    rows.reverse()\n    return rows"
    wrong = verified(box, (TASKS["pond"], FLIP), (TASKS["pond"], FLIP.replace("g", "grid")), (TASKS["pond"], other))
    assert len({relabel(v).key for v in wrong}) == 1
    found = export_hindsight(wrong, box, tmp_path / "a.jsonl")
    assert (found["exported"], found["tasks"], found["left_out"]) == (2, 1, {"duplicate": 1})
    assert export_hindsight(wrong, box, tmp_path / "b.jsonl", per_task=1)["exported"] == 1

def test_the_original_task_decides_whether_it_may_get_out(box, tmp_path):
    "The new task is in no set; its inputs are those of a hidden task"
    wrong = verified(box, (TASKS["pond"], FLIP), (TASKS["falling_sand"], FLIP))
    for hidden in ([TASKS["pond"]], [without_answers(TASKS["pond"])]):
        with pytest.raises(ArcError, match="must not become training data"): export_hindsight(wrong, box, tmp_path / "a.jsonl", hidden=hidden)
        assert not (tmp_path / "a.jsonl").exists()
    found = export_hindsight(wrong, box, tmp_path / "a.jsonl", hidden=[TASKS["pond"]], skip_forbidden=True)
    assert found["left_out"]["forbidden"] == 1 and {o["provenance"]["hindsight"] for o in read(tmp_path / "a.jsonl")} == {TASKS["falling_sand"].key}

def test_a_program_that_answers_otherwise_the_second_time_is_left_out(box, tmp_path):
    code = "import random\ndef solve_task(g): return [[random.SystemRandom().randrange(10) for _ in r] for r in g]"
    with pytest.raises(ArcError, match="wrong_value"): export_hindsight(verified(box, (TASKS["pond"], code)), box, tmp_path / "a.jsonl")
