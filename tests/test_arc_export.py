"""Exported training data and submissions as other programs read them."""
import json, random
from dataclasses import replace
from pathlib import Path

import pytest

from chained_adv.arc.agents import build_messages, read_answer
from chained_adv.arc.bridge import stage_lines, vary_labelled
from chained_adv.arc.datasets import builtin_programs, load_tasks
from chained_adv.arc.export import evaluation_marks, find_forbidden, gate, save_lines, sft_line, task_marks
from chained_adv.arc.results.submissions import benchmarking_submission, kaggle_submission, save_submission
from chained_adv.arc.grids import ArcError, Grid, without_answers
from chained_adv.arc.transforms import apply_operations, make_variation, random_operations
from chained_adv.arc.verify import Attempt, PairVerdict, verify_attempts
from chained_adv.core import make_rng
from chained_adv.sandbox import Sandbox

ROOT = Path(__file__).resolve().parent.parent
OFFICIAL = ROOT.parent / "shared" / "data" / "arc" / "training"
TASKS, PROGRAMS = load_tasks("builtin"), builtin_programs()

def row(task, code, **more):
    base = dict(task_key=task.key, task_id=task.id, kind="code", pair=None, attempt=0, round=0, status="ok", error=None, text="", reasoning=f"The rule of {task.name}.", code=code, grid=None, trouble="", prompt_version="2", model="m", params={}, seed=0,
                finish_reason="stop", model_reasoning="", usage=dict(prompt=0, completion=0, reasoning=0, cached=0), cost=0., tries=1, seconds=0., config="c")
    return {**base, **more}

def verified(pairs):
    "(task, program) pairs as verifications"
    with Sandbox() as box: return list(verify_attempts([Attempt(t, c, row=row(t, c)) for t, c in pairs], box))

@pytest.fixture(scope="module")
def solved(): return verified([(t, PROGRAMS[t.id]) for t in TASKS])

# The gate

def test_all_reference_programs_pass_the_gate(solved):
    kept, reasons = gate(solved)
    assert (len(kept), sum(reasons.values())) == (len(TASKS), 0)

def test_the_gate_does_not_depend_on_the_order():
    more = verified([(t, PROGRAMS[t.id] + extra) for t in TASKS[:8] for extra in ("", "\na = 1\n", "\nb = 1\n", "\nc = 2\n", "\n# words\n")] + [(t, "def solve_task(g): return g") for t in TASKS])
    expected = gate(more, 2)
    for seed in range(5):
        random.Random(seed).shuffle(more)
        kept, reasons = gate(iter(more), 2)
        assert ([v.attempt.code for v in kept], reasons) == ([v.attempt.code for v in expected[0]], expected[1])
    assert sum(expected[1].values()) + len(expected[0]) == len(more) and expected[1]["wrong_value"] > 30

@pytest.mark.parametrize("outcomes, reason", [((), "no_program"), (("passed",), "incomplete"), (("passed",) * 99, "incomplete"), (("passed", "wrong_value", "passed", "passed"), "wrong_value"), (("illegal_grid",) * 4, "illegal_grid"), (("passed",) * 3 + ("unknown",), "unknown")])
def test_anything_but_one_pass_per_pair_stays_behind(solved, outcomes, reason):
    verdicts = tuple(PairVerdict("train", i, o) for i, o in enumerate(outcomes))
    assert gate([replace(solved[0], verdicts=verdicts)]) == ([], {reason: 1})

def test_grids_and_tables_of_answers_stay_behind(solved):
    t = TASKS[0]
    assert gate([replace(solved[0], lookup="holds an output")])[1] == {"lookup_table": 1}
    with Sandbox() as box: found = gate(verify_attempts([Attempt(t, grid=t.test[0].output, pair=0, row=dict(kind="direct"))], box))
    assert found == ([], {"no_program": 1})

# Evaluation sets

def test_marks_survive_symmetry_colours_and_order():
    rng = make_rng("marks")
    for t in TASKS[:6]:
        changed = apply_operations(t, random_operations(rng))
        changed = replace(changed, id="x", train=changed.train[::-1])
        assert task_marks(changed) == task_marks(t)

def test_forbidden_tasks_are_found_in_any_disguise():
    rng = make_rng("hidden")
    hidden = [without_answers(t) for t in TASKS[:5]]
    disguised = [replace(make_variation(t, random_operations(rng)), id=f"new_{t.id}") for t in TASKS[:10]]
    assert [k for k, name, _ in find_forbidden(disguised, hidden) if name == "hidden"] == [t.key for t in disguised[:5]]

def test_official_training_tasks_are_not_refused_but_the_one_that_is_an_evaluation_task():
    if not OFFICIAL.is_dir(): pytest.skip("the official tasks are not here")
    assert {k.partition("/")[2] for k, _, _ in find_forbidden(load_tasks(OFFICIAL))} <= {"40853293"}

def test_marks_hold_no_task():
    text = json.dumps(evaluation_marks())
    assert "[[" not in text and len(text) < 60_000

# Lines

def lines_of(solved, form, box): return [sft_line(o, box, form, license="MIT") for o in gate(solved)[0]]

@pytest.mark.parametrize("form", ["messages", "prompt-completion"])
def test_lines_are_flat_uniform_and_hold_what_was_asked(solved, form, tmp_path):
    with Sandbox() as box: path = save_lines(lines_of(solved, form, box), tmp_path / "sft.jsonl")
    lines = [json.loads(o) for o in path.read_text(encoding="utf-8").splitlines()]
    kinds = lambda d: {k: type(v).__name__ for k, v in d.items()}
    assert len({json.dumps([kinds(o), kinds(o["provenance"])]) for o in lines}) == 1
    assert not any(isinstance(v, dict) for o in lines for v in o["provenance"].values())
    for o in lines:
        task = next(t for t in TASKS if t.key == o["provenance"]["task_key"])
        answer = o["messages"][-1]["content"] if form == "messages" else o["completion"]
        assert read_answer(answer, "code").code == PROGRAMS[task.id].strip()
        asked = o["messages"][:-1] if form == "messages" else o["prompt"]
        assert all(m["content"] in str(asked) or m in asked for m in build_messages(task, "code"))

def test_no_answer_of_a_test_pair_stands_in_a_question(solved):
    with Sandbox() as box: lines = lines_of(solved, "prompt-completion", box) + [o for c in solved for s in ("plain", "tags") for o in stage_lines(c, box, s)]
    for o in lines:
        task = next(t for t in TASKS if t.key == o["provenance"]["task_key"])
        shown = {str(p.input) for p in task.train + task.test} | {str(p.output) for p in task.train}
        for p in task.test:
            if p.output.height > 1 and not any(str(p.output) in s for s in shown): assert str(p.output) not in o["prompt"] and "\n".join("".join(map(str, r)) for r in p.output.rows) not in o["prompt"]

def test_reasoning_of_variations_is_left_out(solved):
    v, = verified(vary_labelled(TASKS[0], PROGRAMS[TASKS[0].id], 1))
    with Sandbox() as box: lines = [sft_line(v, box, keep_reasoning=o) for o in ("all", "originals", "none")]
    assert v.passed
    assert [o["messages"][-1]["content"].startswith("The rule") for o in lines] == [True, False, False]
    assert all(o["provenance"]["parent"] == TASKS[0].key and o["group"] == sft_line(solved[0], Sandbox())["group"] for o in lines)

# TRL

@pytest.mark.parametrize("form", ["messages", "prompt-completion"])
def test_trl_trains_on_the_exported_file(solved, form, tmp_path):
    "The file loads with datasets, and TRL's SFT trainer makes steps on it"
    datasets = pytest.importorskip("datasets", reason="pip install trl to check that TRL reads the exported file")
    trl = pytest.importorskip("trl", reason="pip install trl to check that TRL reads the exported file")
    from test_sft import TEMPLATE, make_model
    from chained_adv.loading import load_tokenizer
    from transformers import AutoModelForCausalLM
    with Sandbox() as box: path = save_lines(lines_of(solved, form, box), tmp_path / "sft.jsonl")
    data = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(data) == len(TASKS) and ("messages" if form == "messages" else "completion") in data.column_names
    folder = make_model(tmp_path / "model", TEMPLATE, window=4096)
    args = trl.SFTConfig(output_dir=str(tmp_path / "out"), max_steps=2, per_device_train_batch_size=1, max_length=4096, report_to=[], use_cpu=True, bf16=False, save_strategy="no", logging_steps=1, disable_tqdm=True, dataloader_pin_memory=False)
    trainer = trl.SFTTrainer(model=AutoModelForCausalLM.from_pretrained(folder), args=args, train_dataset=data, processing_class=load_tokenizer(folder))
    trainer.train()
    losses = [o["loss"] for o in trainer.state.log_history if "loss" in o]
    assert len(losses) == 2 and all(0 < o < 20 for o in losses)
    row = trainer.train_dataset[0]
    assert len(row["input_ids"]) > 100
    learned = load_tokenizer(folder).decode([i for i in row["labels"] if i != -100])
    if form == "prompt-completion": assert learned.startswith(data[0]["completion"]) and data[0]["prompt"] not in learned

# Submissions

def test_a_kaggle_file_scores_as_it_should(tmp_path):
    answers = {t.key: [[Grid([[9]]), p.output] for p in t.test] for t in TASKS[:7]} | {t.key: [[p.output] for p in t.test[:1]] for t in TASKS[7:9]}
    path, = save_submission(kaggle_submission(TASKS, answers), tmp_path / "submission.json")
    given = json.loads(path.read_text())
    right = sum(p.output.to_lists() in o.values() for t in TASKS for p, o in zip(t.test, given[t.id]))
    assert list(given) == [t.id for t in TASKS] and all(len(given[t.id]) == len(t.test) for t in TASKS)
    assert right == sum(len(t.test) for t in TASKS[:7]) + 2
    assert all(set(o) == {"attempt_1", "attempt_2"} and all(isinstance(Grid(g), Grid) for g in o.values()) for pairs in given.values() for o in pairs)

@pytest.mark.parametrize("usage, cost", [(dict(prompt=0, completion=0, reasoning=0, cached=0), 0.), (dict(prompt=7, completion=5, reasoning=3, cached=1), .1), (dict(prompt=10**9 + 1, completion=1, reasoning=0, cached=0), 12.34)])
def test_what_was_spent_is_spread_without_loss(usage, cost):
    for t in TASKS[:8]:
        content = benchmarking_submission([t], {t.key: [[p.output] for p in t.test]}, {t.key: dict(model="m", usage=usage, cost=cost, seconds=3.)})[f"{t.id}.json"]
        entries = [o["metadata"] for pair in content for o in pair.values()]
        assert sum(o["usage"]["prompt_tokens"] for o in entries) == usage["prompt"]
        assert sum(o["usage"]["completion_tokens"] for o in entries) == usage["completion"]
        assert abs(sum(o["cost"]["total_cost"] for o in entries) - cost) < 1e-9
        assert all(o["usage"]["total_tokens"] == o["usage"]["prompt_tokens"] + o["usage"]["completion_tokens"] for o in entries)

def test_nothing_is_overwritten_and_nothing_empty_written(tmp_path):
    (tmp_path / "there.json").write_text("mine")
    with pytest.raises(ArcError, match="exists; remove it"): save_submission(kaggle_submission(TASKS, {}), tmp_path / "there.json")
    with pytest.raises(ArcError, match="nothing to write"): save_lines([], tmp_path / "none.jsonl")
    assert (tmp_path / "there.json").read_text() == "mine" and [o.name for o in tmp_path.iterdir()] == ["there.json"]
