"""The shipped tasks and their reference programs, and the facts of the official tasks where these are at hand."""
import csv, json
from collections import Counter
from pathlib import Path

import pytest

from chained_adv.arc.datasets import builtin_programs, load_tasks, merge_tasks, save_tasks, select_tasks, set_hash, set_stats
from chained_adv.arc.forms.reading import file_form
from chained_adv.arc.transforms import find_overlaps, recover_operations
from chained_adv.arc.grids import ArcError, Grid, Task, canonical_hash, without_answers
from chained_adv.arc.transforms import apply_operations, conjugate_program, make_variation, parse_operations, pick_views
from chained_adv.core import TestCase
from chained_adv.sandbox import Job, Sandbox

OFFICIAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "arc"
official_only = pytest.mark.skipif(not (OFFICIAL / "training").is_dir(), reason="the official tasks are not at hand (../shared/data/arc beside the repository)")

@pytest.fixture(scope="module")
def builtin(): return load_tasks("builtin")

@pytest.fixture(scope="module")
def official(): return load_tasks(OFFICIAL / "training", "official")

@pytest.fixture(scope="module")
def box():
    with Sandbox() as o: yield o

def job(code, task):
    return Job(code, [TestCase((p.input.to_lists(),), p.output.to_lists()) for p in task.train + task.test], "solve_task")


# ---- the shipped tasks

def test_there_are_enough_and_they_are_all_different(builtin):
    assert len(builtin) >= 24 and len({t.id for t in builtin}) == len(builtin)
    assert len({canonical_hash(t, symmetries=True, colors=True) for t in builtin}) == len(builtin) and find_overlaps(builtin) == []
    assert all(t.dataset == "builtin" and t.revision and t.name for t in builtin)

def test_every_reference_program_solves_all_pairs_in_the_sandbox(builtin, box):
    programs = builtin_programs()
    assert list(programs) == [t.id for t in builtin]
    for task, result in zip(builtin, box.run_many([job(programs[t.id], t) for t in builtin])):
        assert result.passed and result.num_total == len(task.train) + len(task.test), (task.id, result.errors)

def test_every_reference_program_solves_the_task_from_other_sides(builtin, box):
    view = {t.id: pick_views(2, seed=i)[1] for i, t in enumerate(builtin)}
    jobs = [job(conjugate_program(code, view[t.id]), apply_operations(t, view[t.id])) for t, code in zip(builtin, builtin_programs().values())]
    for task, result in zip(builtin, box.run_many(jobs)): assert result.passed, (task.id, result.errors)

def test_a_wrong_program_fails(builtin, box):
    for task, result in zip(builtin, box.run_many([job("def solve_task(input_grid):\n    return input_grid", t) for t in builtin])):
        assert result.num_passed == 0, f"{task.id}: an input is its own output"

def test_the_tasks_vary(builtin):
    stats = set_stats(builtin)
    assert stats["several_tests"] >= 6 and 10 <= stats["same_size"] <= len(builtin) - 10
    assert all(len(t.train) >= 3 for t in builtin) and all(p.output for t in builtin for p in t.test)
    tags = Counter(tag for o in json.loads((Path(__file__).resolve().parents[1] / "chained_adv" / "data" / "arc" / "builtin.json").read_text())["tasks"] for tag in o["tags"])
    assert {"symmetry", "size", "colour", "object", "counting", "gravity", "fill", "crop", "pattern", "logic", "line", "sorting", "topology"} <= set(tags)

def test_no_shipped_task_is_an_official_one(builtin, request):
    if not OFFICIAL.is_dir(): pytest.skip("the official tasks are not at hand")
    assert find_overlaps(builtin, request.getfixturevalue("official")) == []


# ---- the official tasks

@official_only
def test_the_official_folder_is_read_whole(official):
    rows = list(csv.DictReader((OFFICIAL / "INDEX.tsv").open(), delimiter="\t"))
    found = {t.id: t for t in official}
    assert set(found) == {r["task_id"] for r in rows} and len(official) == 60
    for r in rows:
        t = found[r["task_id"]]
        cells = [g.height * g.width for p in t.train + t.test for g in (p.input, p.output)]
        same = all((p.input.height, p.input.width) == (p.output.height, p.output.width) for p in t.train + t.test)
        assert (len(t.train), len(t.test), min(cells), max(cells), int(same)) == tuple(int(r[k]) for k in ("train_pairs", "test_pairs", "min_cells", "max_cells", "same_size")), t.id

@official_only
def test_the_official_folder_survives_every_form(official, tmp_path):
    raw = {p.stem: json.loads(p.read_text()) for p in (OFFICIAL / "training").glob("*.json")}
    assert all(t.to_json() == raw[t.id] for t in official)
    assert {t.id for t in official if t.name} == {id for id, o in raw.items() if o.get("name")}
    for form, name in (("folder", "a"), ("kaggle", "b"), ("dataset", "c.json"), ("set", "d.json")):
        save_tasks(official, tmp_path / name, form)
        assert sorted((t.id, t.train, t.test) for t in load_tasks(tmp_path / name)) == sorted((t.id, t.train, t.test) for t in official)
        assert set_hash(load_tasks(tmp_path / name, "official")) == set_hash(official)

@official_only
def test_official_tasks_do_not_overlap_and_a_disguised_leak_is_found(official):
    assert find_overlaps(official) == []
    leaked = [make_variation(t, parse_operations("anti_transpose,permute_colors:0987654321,swap:0:0")) for t in official[:5]]
    leaked = [Task(f"unknown_{i}", t.train, t.test) for i, t in enumerate(leaked)]
    found = find_overlaps(leaked, official)
    assert [(o.first, o.second, o.degree) for o in found] == [(f"unknown_{i}", t.key, "disguised") for i, t in enumerate(official[:5])]

@official_only
def test_a_train_order_changed_is_found_as_reordered(official):
    "As between ARC-AGI-1 and 2, where 391 tasks hold the same pairs in another order"
    some = [t for t in official if len(set(t.train)) > 1][:10]
    shuffled = [Task(t.id, t.train[::-1], t.test, "v2") for t in some]
    assert [o.degree for o in find_overlaps(shuffled, some)] == ["reordered"] * 10

@official_only
def test_operations_are_found_again_on_official_tasks(official):
    for i, t in enumerate(official[:20]):
        ops = pick_views(3, seed=i)[2] + parse_operations("swap:0:0,swap:1:0")
        child = make_variation(t, ops)
        again = apply_operations(t, recover_operations(t, child))
        assert (again.train, again.test) == (child.train, child.test)


# ---- the founding system's list, in the cases its own tools stumble over

ONE = {"train": [{"input": [[1, 2, 0]], "output": [[0, 2, 1]]}, {"input": [[3, 0]], "output": [[0, 3]]}], "test": [{"input": [[4, 5]], "output": [[5, 4]]}]}

def dataset_file(tmp_path, *records):
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps(list(records)))
    return path

def test_docs_say_id_and_the_code_says_task_id(tmp_path):
    assert [t.id for t in load_tasks(dataset_file(tmp_path, {"id": "a", **ONE}, {"task_id": "b", "version": 0, "signed_by": None, **ONE}))] == ["a", "b"]

def test_twenty_one_tasks_stay_twenty_one(builtin, tmp_path):
    for form in ("folder", "dataset", "set"):
        target = tmp_path / (form if form == "folder" else f"{form}.json")
        save_tasks(builtin[:21], target, form)
        assert len(load_tasks(target)) == 21

def test_a_range_is_obeyed(builtin):
    assert [t.id for t in select_tasks(builtin, tasks="[2:9]")] == [t.id for t in builtin[2:9]]

def test_merging_warns_by_refusing(tmp_path, builtin):
    changed = Task(builtin[0].id, builtin[0].train[::-1], builtin[0].test, "builtin", "1")
    with pytest.raises(ArcError, match="two different tasks are called builtin@1/half_turn"): merge_tasks(builtin, [changed])
    assert len(merge_tasks(builtin, [Task(builtin[0].id, changed.train, changed.test, "mine")])) == len(builtin) + 1

@pytest.mark.parametrize("grid", [[[0, 1], [2]], [[10]], [[-1]], [[True]], [[1.0]], [["1"]], [[]], [], [[0] * 31], [[0]] * 31, None, "0"])
def test_a_bad_grid_in_any_form_is_refused_with_its_place(tmp_path, grid):
    bad = {**ONE, "train": [ONE["train"][0], {"input": [[1]], "output": grid}]} if grid is not None else {**ONE, "train": [{"input": None, "output": [[1]]}, ONE["train"][0]]}
    for name, data in (("task.json", bad), ("x_challenges.json", {"t": bad}), ("dataset.json", [{"task_id": "t", **bad}]), ("set.json", {"tasks": [{"id": "t", **bad}]})):
        (tmp_path / name).write_text(json.dumps(data))
        assert file_form(data)
        with pytest.raises(ArcError, match=r"train\[[01]\]"): load_tasks(tmp_path / name)

def test_hidden_answers_stay_hidden_in_every_form(tmp_path, builtin):
    blind = [without_answers(t) for t in builtin[:3]]
    for form, name in (("folder", "a"), ("kaggle", "b"), ("dataset", "c.json"), ("set", "d.json")):
        written = save_tasks(blind, tmp_path / name, form)
        assert all("solutions" not in o.name for o in written)
        assert all(p.output is None for t in load_tasks(tmp_path / name) for p in t.test)

def test_a_solutions_file_that_belongs_elsewhere_is_refused(tmp_path, builtin):
    save_tasks(builtin[:2], tmp_path, "kaggle")
    (tmp_path / "solutions.json").write_text(json.dumps({t.id: [[[0]]] * 5 for t in builtin[:2]}))
    with pytest.raises(ArcError, match="do not belong together"): load_tasks(tmp_path)

def test_a_grid_is_its_rows_and_nothing_else():
    assert Grid([[1, 2]]) == Grid(((1, 2),)) and hash(Grid([[1, 2]])) == hash(Grid(((1, 2),))) and Grid([[1, 2]]) != Grid([[1], [2]])

def test_a_folder_called_builtin_can_be_reached(tmp_path, builtin, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_tasks(builtin[3:5], "builtin")
    assert len(load_tasks("./builtin")) == 2 and len(load_tasks("builtin")) == len(builtin)
