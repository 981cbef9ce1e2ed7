"""From a teacher to a trained generator, over the command line: generate with the program search, verify, export, warm-start, train and solve."""
import json
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("stamina", reason="pip install 'chained_adv[arc]'")

from chained_adv.arc.bridge import arc_problems, load_arc_problems
from chained_adv.arc.datasets import load_tasks, save_tasks
from chained_adv.arc.grids import Grid, Pair, Task
from chained_adv.models import ModelConfig, Players
from chained_adv.sandbox import Sandbox, check_problem
from calling import call
from test_sft import make_model

SMALL = ("--quick", "--stages", "1", "--problems-per-step", "2", "--samples", "2", "--eval-samples", "2", "--n-mutants", "0", "--max-stage-tokens", "4", "--max-test-tokens", "4", "--device", "cpu")


def ok(*args):
    r = call(*args, "--json")
    assert r.exit_code == 0, (r.stderr, r.exception)
    return json.loads(r.stdout)

@pytest.fixture(scope="module")
def top(tmp_path_factory): return tmp_path_factory.mktemp("roundtrip")

@pytest.fixture(scope="module")
def run(top):
    "Programs of the search for six shipped tasks"
    report = ok("arc", "generate", "code", "--model", "search", "--task-ids", "half_turn,count_red,kaleidoscope,largest_shape,closed_rooms,pond", "--out", top / "run")
    assert (report["done"], report["pending"]) == (6, 0)
    return top / "run"

@pytest.fixture(scope="module")
def solved(run):
    "Keys of the tasks that the search solved, test pairs included, as `arc verify` says"
    found = ok("arc", "verify", run)
    assert found["attempts"] == 6 and len(found["solved_tasks"]) >= 3 and not found["lookups"]
    return set(found["solved_tasks"])

@pytest.mark.parametrize("form", ["messages", "prompt-completion"])
def test_teacher_to_student(top, run, solved, form):
    found = ok("arc", "export", "sft", run, "--form", form, "--out", top / f"{form}.jsonl")
    lines = [json.loads(o) for o in (top / f"{form}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {o["provenance"]["task_key"] for o in lines} == solved and found["exported"] == len(lines)
    assert found["attempts"] == 6 == found["exported"] + sum(found["left_out"].values())
    assert all(set(o["provenance"]["verdicts"]) == {"passed"} and o["provenance"]["license"] == "MIT" and o["provenance"]["model"] == "search" for o in lines)
    record = ok("warm-start", top / f"{form}.jsonl", "--model", make_model(top / f"random-{form}", window=16384), "--max-tokens", "0", "--lr", "0.01", "--epochs", "2", "--held-out", "0", "--out", top / f"student-{form}", "--device", "cpu")
    assert record["lines"] == len(lines) and record["prompts_cut"] == record["lines_left_out"] == 0
    assert record["loss_after"] < record["loss_before"] - 1

def test_the_tiny_model_learns_the_words_of_the_game(top, run, solved):
    ok("arc", "export", "sft", run, "--form", "stages", "--prompt-set", "tags", "--out", top / "tags.jsonl")
    record = ok("warm-start", top / "tags.jsonl", "--epochs", "2", "--held-out", "0", "--out", top / "tiny", "--device", "cpu")
    assert record["loss_after"] < record["loss_before"] - .5 and record["lines"] + record["lines_left_out"] >= len(solved)
    players = Players(ModelConfig(model=str(top / "tiny"), device="cpu"))
    assert players.generator.prompts.name == "tags"
    players.generator.window = 8192 # tasks are too long for it, and it says so
    line = json.loads((top / "tags.jsonl").read_text().splitlines()[-1])
    problem = next(p for p in arc_problems("arc:builtin,search=no")[0] if p.id == f"arc:{line['provenance']['task_key']}")
    asked = line["prompt"].count("<s1>")
    assert line["prompt"] == players.generator.prompt(problem, 5, [None] * 4) if not asked else line["prompt"].endswith("<s5>")

def test_training_and_solving_on_tasks(top, run):
    model = make_model(top / "m", window=8192)
    summary = ok("train", "--problems", f"arc:builtin,search=no,views=1,programs={run}", "--model", model, "--out", top / "trained", *SMALL)
    assert set(summary["after"]) == {"train", "held_out"}
    origin = json.loads((top / "trained" / "config.json").read_text())["problems"]
    assert origin["source"] == f"arc:builtin,programs={run.resolve()},views=1,search=no"
    r = call("solve", "arc:builtin@1/half_turn", "--problems", "arc:builtin,search=no", "--run", top / "trained", "--device", "cpu", "--json")
    assert r.exit_code == 1 and json.loads(r.stdout)["problem"] == "arc:builtin@1/half_turn", r.stderr
    listed = ok("solve", "--run", top / "trained", "--list")
    assert Counter(o["split"] for o in listed) == {"train": 64, "held_out": 8}

def test_a_task_without_a_program_can_be_solved_and_not_trained_on(top):
    task = load_tasks("builtin")[0]
    save_tasks([task], top / "alone.json", "set")
    save_tasks([Task("odd", [Pair(Grid([[1, 2, 3]]), Grid([[7, 9]])), Pair(Grid([[5, 3, 3]]), Grid([[4, 1]]))], [Pair(Grid([[3]]), Grid([[6, 0, 2]]))])], top / "odd.json", "set")
    r = call("train", "--problems", f"arc:{top / 'odd.json'}", "--out", top / "never", *SMALL)
    assert r.exit_code == 2 and "none of its 1 tasks has a program" in r.stderr and not (top / "never").exists()
    r = call("solve", "--problems", f"arc:{top / 'odd.json'}", "--model", make_model(top / "m2", window=4096), "--device", "cpu", "--json")
    assert r.exit_code == 1 and json.loads(r.stdout)["solved"] is False, r.stderr
    assert ok("problems", f"arc:{top / 'alone.json'}")[0]["baseline_tests"] == len(task.train + task.test)

@pytest.mark.parametrize("source, words", [("arc:", "write arc:builtin"), ("arc:nowhere", "no such file or folder"), ("arc:builtin,views=x", "views=NUMBER"), ("arc:builtin,programs=nowhere", "no programs here")])
def test_refusals(source, words, tmp_path):
    r = call("train", "--problems", source, "--out", tmp_path / "never", *SMALL)
    assert r.exit_code == 2 and words in r.stderr and "Traceback" not in r.stderr and not (tmp_path / "never").exists()

def test_official_tasks_become_problems():
    folder = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "arc" / "training"
    if not folder.is_dir(): pytest.skip("the official tasks are not here")
    problems, remarks = arc_problems(f"arc:{folder},search=no", references=False)
    assert len(problems) == 60 and not remarks
    for p, t in zip(problems, load_tasks(folder)):
        assert len(p.baseline_tests) == len(t.train + t.test) and p.id == f"arc:{t.key}"
        outputs = ["\n".join("".join(map(str, r)) for r in o.output.rows) for o in t.test if o.output.height > 2]
        shown = ["\n".join("".join(map(str, r)) for r in g.rows) for o in t.train for g in (o.input, o.output)] + ["\n".join("".join(map(str, r)) for r in o.input.rows) for o in t.test]
        assert not [o for o in outputs if o in p.description and not any(o in s for s in shown)]

def test_views_are_labelled_right_and_only_of_training_tasks():
    train, held, _ = load_arc_problems("arc:builtin,views=3,search=no", seed=1)
    assert len(train) == 32 * 4 and len(held) == 8
    with Sandbox() as box:
        for p in train: check_problem(p, box)
    assert not {p.id.partition("~")[0] for p in train} & {p.id for p in held}
    assert len({p.id for p in train}) == len(train)
