"""`chained-adv arc show, transform, stats, convert, merge` as programs: output, exit status, refusals."""
import json, subprocess, sys
from pathlib import Path

import pytest

from chained_adv.arc.datasets import load_tasks, load_traces, save_tasks
from chained_adv.arc.grids import Grid, canonical_hash
from chained_adv.arc.transforms import apply_operations
from calling import call as call_program

ROOT = Path(__file__).resolve().parents[1]
OFFICIAL = ROOT.parent / "shared" / "data" / "arc" / "training"
official_only = pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the official tasks are not at hand (../shared/data/arc beside the repository)")

def call(*args): return call_program("arc", *args)
def good(*args):
    r = call(*args)
    assert r.exit_code == 0, r.stderr or r.exception
    return r.stdout
def data(*args): return json.loads(good(*args, "--json"))

COMMANDS = {"show": ["show", "rings"], "transform": ["transform", "rings", "--ops", "transpose"], "stats": ["stats", "builtin"], "convert": ["convert", "builtin", "--out", "OUT"], "merge": ["merge", "builtin", "--out", "OUT/all.json"]}

@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples_and_json(name, tmp_path):
    shown = good(name, "--help")
    assert f"Examples:\n    chained-adv arc {name}" in shown and "--json" in shown
    assert data(*[o.replace("OUT", str(tmp_path)) for o in COMMANDS[name]])

@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_in_the_help_are_understood(name, tmp_path, monkeypatch):
    "Those that need no files of the reader run; the others are refused because the file is not there"
    monkeypatch.chdir(tmp_path)
    lines = [line.split("chained-adv arc ")[1] for line in good(name, "--help").split("Examples:")[1].split("\n") if "chained-adv arc " in line]
    for line in lines:
        r = call(*line.split())
        missing = r.exit_code == 2 and ("no such file or folder" in r.stderr or "cannot be read" in r.stderr)
        assert r.exit_code == 0 or missing and any(o in line for o in ("ARC-AGI", ".json")), (line, r.stderr, r.exception)

BAD = [(["show", "ring"], "nearest are rings"), (["show", "--dataset", "nowhere"], "no such file or folder"), (["show", "--tasks", "2-9"], "2:9"), (["show", "--tasks", "90:"], "no task is selected"), (["show", "--max-tasks", "-1"], "max-tasks"),
       (["show", "rings", "--task-ids", "bars"], "either as arguments"), (["show", "--tasks", "0:2", "--png", "x.png"], "an image holds one"), (["show", "rings", "--png", "no/folder/x.png"], "cannot be written"),
       (["transform", "rings"], "either --ops or --random"), (["transform", "rings", "--ops", "spin"], "write one of"), (["transform", "rings", "--ops", "swap:9:0"], "cannot swap"), (["transform", "rings", "--ops", "transpose", "--program", "nowhere.py"], "cannot be read"),
       (["transform"], "Missing argument"), (["stats", "nowhere"], "no such file"), (["convert", "builtin", "--out", "x", "--form", "zip"], "there are folder"), (["convert", "builtin"], "Missing option"), (["merge", "builtin", "nowhere", "--out", "x"], "no such file"), (["nothing"], "No such command"), (["show", "--nothing"], "No such option")]

@pytest.mark.parametrize("args, words", BAD, ids=[" ".join(a) for a, _ in BAD])
def test_bad_usage_is_one_message_and_status_2(args, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    r = call(*args)
    assert (r.exit_code, r.stdout) == (2, "") and words in " ".join(r.stderr.split()) and "Traceback" not in r.stderr
    assert not list(tmp_path.iterdir()), "something was left behind"

@pytest.mark.parametrize("spelling", [["--task_ids", '["bars", "rings"]'], ["--task-ids", "bars,rings"], ["--task-ids", '["bars","rings"]'], ["bars", "rings"], ["builtin@1/bars", "rings"]])
def test_ids_in_the_founding_systems_spelling_and_ours(spelling): assert [t["id"] for t in data("show", *spelling)] == ["bars", "rings"]

@pytest.mark.parametrize("spelling", [["--tasks", "[2:9]"], ["--tasks", "2:9"], ["--tasks", "2:", "--max_tasks", "7"], ["--tasks", "[2:30]", "--max-tasks", "7"]])
def test_a_range_is_obeyed(spelling): assert [t["id"] for t in data("show", *spelling)] == [t.id for t in load_tasks("builtin")[2:9]]

def test_the_directory_option_of_the_founding_system(tmp_path):
    save_tasks(load_tasks("builtin")[:3], tmp_path)
    assert len(data("show", "--dataset_directory", tmp_path, "--list")) == 3

def test_show_prints_what_json_says():
    (task,) = data("show", "staircase")
    text = good("show", "staircase")
    for p in task["train"] + task["test"]:
        assert all(" ".join(map(str, row)) in " ".join(text.split()) for row in p["input"])
    assert "?" in good("show", "staircase", "--hide-answers") and "?" not in text

def test_variations_chain_and_survive_the_file(tmp_path):
    file = tmp_path / "mine.json"
    good("transform", "pond", "--ops", "rotate_90", "--sign", "ann", "--out", file)
    good("transform", "pond~rotate_90".replace("pond", "builtin@1/pond"), "--dataset", file, "--ops", "permute_colors:0213456789", "--sign", "bob", "--out", file)
    good("transform", "pond", "--ops", "rotate_90", "--sign", "eve", "--out", file)
    found = load_tasks(file)
    assert [(t.key, t.parent, t.signed_by) for t in found] == [("builtin@1/pond~rotate_90", "builtin@1/pond", ("ann", "eve")), ("builtin@1/pond~rotate_90,permute_colors:0213456789", "builtin@1/pond", ("bob",))]
    pond = next(t for t in load_tasks("builtin") if t.id == "pond")
    assert all(apply_operations(pond, t.operations).train == t.train for t in found)

def test_random_variations_are_repeatable_and_keep_black():
    one, two, other = (data("transform", "bars", "--random", 4, "--seed", s) for s in (1, 1, 2))
    assert one == two != other
    assert all(o["map"][0] == 0 for t in one for o in t["operations"] if o["op"] == "permute_colors")

def test_the_program_of_a_variation_solves_it(tmp_path):
    (made,) = data("transform", "falling_sand", "--ops", "rotate_270,permute_colors:1032547698,swap:0:0", "--program", "reference")
    exec(made["program"], names := {})
    assert all(names["solve_task"](p["input"]) == p["output"] for p in made["train"] + made["test"])
    (tmp_path / "own.py").write_text("def solve_task(input_grid):\n    return input_grid\n")
    assert "solve_task_0(grid)" in good("transform", "rings", "--ops", "transpose", "--program", tmp_path / "own.py")

def test_a_leak_is_status_1_and_none_is_0(tmp_path):
    good("transform", "rings", "--random", 1, "--out", tmp_path / "leak.json")
    (tmp_path / "other").mkdir()
    save_tasks([t for t in load_tasks("builtin") if t.id == "bars"], tmp_path / "bars.json", "set")
    r = call("stats", f"train={tmp_path / 'leak.json'}", "--against", "builtin")
    assert r.exit_code == 1 and "also in builtin: 1" in r.stdout and "disguised" in r.stdout
    assert call("stats", tmp_path / "leak.json", "--against", tmp_path / "bars.json").exit_code == 0

@pytest.mark.parametrize("form, name", [("folder", "a"), ("kaggle", "b"), ("dataset", "c.json"), ("set", "d.json")])
def test_converting_there_and_back_keeps_every_pair(form, name, tmp_path):
    good("convert", "builtin", "--out", tmp_path / name, "--form", form)
    good("convert", tmp_path / name, "--out", tmp_path / "back.json", "--form", "set")
    content = lambda tasks: sorted((t.id, canonical_hash(t), t.train, t.test) for t in tasks)
    assert content(load_tasks(tmp_path / "back.json")) == content(load_tasks("builtin"))

def test_two_sets_with_the_same_ids_are_kept_apart_by_their_names(tmp_path):
    first, *_ = load_tasks("builtin")
    save_tasks([first], tmp_path / "a" / "training")
    (tmp_path / "b" / "training").mkdir(parents=True)
    changed = first.to_json() | {"train": first.to_json()["train"][::-1]}
    (tmp_path / "b" / "training" / f"{first.id}.json").write_text(json.dumps(changed))
    r = call("merge", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "x.json")
    assert r.exit_code == 2 and "NAME=PATH" in r.stderr and not (tmp_path / "x.json").exists()
    assert data("merge", f"v1={tmp_path / 'a' / 'training'}", f"v2@2025={tmp_path / 'b' / 'training'}", "--out", tmp_path / "x.json")["tasks"] == 2
    assert [t.key for t in load_tasks(tmp_path / "x.json")] == [f"v1/{first.id}", f"v2@2025/{first.id}"]
    assert [o["degree"] for o in data("stats", tmp_path / "x.json")["twice"]] == ["reordered"]

def test_stores_of_traces_merge(tmp_path):
    trace = lambda id, voters: dict(trace_id=id, task_id="abc", username="ann", text="Mirror it.", score=9, timestamp="2025-05-09 10:00", voters=voters)
    for name, traces in (("a", [trace("1", {"bob": 1})]), ("b", [trace("1", {"eve": -1}), trace("2", {})])): (tmp_path / f"{name}.json").write_text(json.dumps({"abc": traces}))
    assert data("merge", tmp_path / "a.json", tmp_path / "b.json", "--out", tmp_path / "c.json")["traces"] == 2
    assert [(t.trace_id, t.score, t.voters) for t in load_traces(tmp_path / "c.json")] == [("1", 0, {"bob": 1, "eve": -1}), ("2", 9, {})]

def test_reasoning_in_files_of_results_becomes_traces(tmp_path):
    "What the founding system's merge_reasoning does: results into a store, twice over adds nothing"
    store, out = tmp_path / "traces_store.json", tmp_path / "out.json"
    store.write_text(json.dumps({"rings": [dict(trace_id="1", task_id="rings", username="ann", text="Rings.", score=2, timestamp="", voters={})], "bars": []}))
    lines = [{"task_id": "rings", "model": "some/model", "reasoning": "From outside to inside.\x1b[2J"}, {"task_id": "bars", "reasoning": ["", "Tallest red."]}, {"task_id": "pond", "reasoning": None, "status": "error"}, {"entry_type": "metadata"}]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(o) + "\n" for o in lines))
    assert data("merge", store, tmp_path / "results.jsonl", "--out", out)["traces"] == 3
    assert data("merge", out, tmp_path / "results.jsonl", "--out", out)["traces"] == 3
    shown = good("show", "rings", "--traces", out)
    assert shown.index("ann, score 2") < shown.index("some/model, score 0") and "\x1b" not in shown
    assert [t["text"] for t in data("show", "bars", "--traces", out)[0]["traces"]] == ["Tallest red."]

def test_a_name_from_a_file_cannot_command_the_terminal(tmp_path):
    task = load_tasks("builtin")[0].to_json()
    (tmp_path / "t.json").write_text(json.dumps(task | {"name": "\x1b[2Jgone"}))
    r = call("show", "--dataset", tmp_path)
    assert r.exit_code == 2 and "\x1b" not in r.stderr + r.stdout
    (tmp_path / "t.json").write_text(json.dumps(task | {"name": "[bold]as it is[/bold]"}))
    assert "[bold]as it is[/bold]" in good("show", "--dataset", tmp_path)

@official_only
def test_the_official_tasks_work_in_each_command(tmp_path):
    assert len(data("show", "--dataset", OFFICIAL, "--list")) == 60
    stats = data("stats", OFFICIAL, "--against", "builtin")
    assert (stats["tasks"], stats["twice"], stats["overlaps"]) == (60, [], [])
    assert data("convert", OFFICIAL, "--out", tmp_path, "--form", "kaggle")["tasks"] == 60
    first = data("show", "--dataset", OFFICIAL)[0]
    assert data("transform", first["id"], "--dataset", OFFICIAL, "--ops", "transpose")[0]["train"][0]["input"] == [list(o) for o in zip(*first["train"][0]["input"])]
    assert Grid(first["train"][0]["input"])

def run(code): return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)

@pytest.mark.parametrize("missing", ["httpx2", "stamina", "PIL"])
def test_without_the_extra_there_is_a_message_and_the_rest_works(missing):
    start = f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['chained-adv', %s]\nfrom chained_adv.cli import main; main()"
    assert "arc " in run(start % "'--help'").stdout
    done = run(start % "'arc', 'show', '--list'")
    assert done.returncode == 0 or (done.returncode, done.stdout) == (2, "") and "pip install 'chained_adv[arc]'" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr

def test_a_bug_in_an_arc_module_keeps_its_traceback():
    done = run("import sys; sys.modules['chained_adv.arc.grids'] = None; sys.argv = ['chained-adv', 'arc', 'show']\nfrom chained_adv.cli import main; main()")
    assert done.returncode == 1 and "Traceback" in done.stderr and "pip install" not in done.stderr.split("\n")[-2]

def test_the_top_help_does_not_load_arc():
    done = run("import sys\nfrom chained_adv.cli import main\nsys.argv = ['chained-adv', '--help']\ntry: main()\nfinally: print([o for o in sys.modules if o.startswith('chained_adv.arc')], file=sys.stderr)")
    assert done.stderr.strip().endswith("[]") and "arc " in done.stdout
