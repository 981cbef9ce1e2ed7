"""Best of N over merged runs, and costs in two parts: what was read, and what was written."""
import asyncio, json

import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from chained_adv.arc.backends.baselines import Baseline
from chained_adv.arc.bench import BenchPlan, compare_runs, merge_runs, run_bench
from chained_adv.arc.clients import make_client
from chained_adv.arc.grids import ArcError, Grid, Pair, Task
from chained_adv.arc.limits import Client
from chained_adv.arc.protocol import Prices, Reply, Usage
from chained_adv.arc.results.attempts import read_attempts
from chained_adv.sandbox import Sandbox

TURNS = {"flip": "g[::-1]", "mirror": "[r[::-1] for r in g]", "same": "g"}

def turned(grid, name): return Grid(eval(TURNS[name], {"g": grid}))

def make_tasks():
    grids = [[[1, 2], [3, 0]], [[4, 0], [5, 6]], [[7, 8], [9, 1]]]
    return [Task(name, [Pair(Grid(g), turned(g, name)) for g in grids[:2]], [Pair(Grid(grids[2]), turned(grids[2], name))], "merged") for name in TURNS]

def bench(answer, folder, **settings):
    client = answer if isinstance(answer, Client) else Client(answer, Baseline(lambda request: f"```python\ndef solve_task(g): return {TURNS[answer]}\n```"))
    return asyncio.run(run_bench(client, BenchPlan(make_tasks(), **settings), folder))

@pytest.fixture
def runs(tmp_path):
    "Two runs of one attempt each; each solves another task"
    return {name: tmp_path / name for name in ("flip", "mirror")}, {name: bench(name, tmp_path / name) for name in ("flip", "mirror")}

def test_merged_runs_solve_what_either_solves(runs):
    folders, alone = runs
    assert [[o.split("/")[1] for o in r["solved"]] for r in alone.values()] == [["flip"], ["mirror"]]
    with Sandbox() as box: merged = merge_runs(folders, make_tasks(), box)
    assert sorted(o.split("/")[1] for o in merged["solved"]) == ["flip", "mirror"]
    assert (merged["settings"]["best_of"], merged["attempts"]["made"], merged["attempts"]["missing"], merged["merged"]) == (2, 6, 0, ["flip", "mirror"])
    assert merged["oracle"]["pass@1"]["value"] == pytest.approx(1 / 3, abs=1e-4) and merged["oracle"]["pass@2"]["value"] == pytest.approx(2 / 3, abs=1e-4)
    assert merged["spent"]["calls"] == sum(r["spent"]["calls"] for r in alone.values())
    assert [o["run"] for o in compare_runs(alone | {"both": merged})][0] == "both"

def test_merging_one_run_changes_nothing(runs):
    folders, alone = runs
    with Sandbox() as box: merged = merge_runs({"flip": folders["flip"]}, make_tasks(), box)
    same = lambda r: {k: r[k] for k in ("scores", "oracle", "solved", "agreement", "attempts", "settings")}
    assert same(merged) == same(alone["flip"])

def test_the_choice_does_not_see_the_test(runs):
    "Two answers at most are handed in per test input, those that fit the training pairs first"
    folders, _ = runs
    bench("same", folders["flip"].parent / "same", best_of=3)
    with Sandbox() as box: merged = merge_runs({"same": folders["flip"].parent / "same", **folders}, make_tasks(), box)
    assert len(merged["solved"]) == 3 and all(len(o) <= 2 for t in merged["tasks"].values() for o in t["answers"])
    assert merged["settings"]["best_of"] == 5 and merged["attempts"]["made"] == 15

def test_runs_that_do_not_go_together_are_refused(runs, tmp_path):
    folders, _ = runs
    bench("same", tmp_path / "views", views=2)
    with Sandbox() as box:
        with pytest.raises(ArcError, match="differ in views"): merge_runs(folders | {"views": tmp_path / "views"}, make_tasks(), box)
        with pytest.raises(ArcError, match="other tasks than those given"): merge_runs(folders, make_tasks()[:2], box)
        with pytest.raises(ArcError, match="cannot be read"): merge_runs(folders | {"none": tmp_path / "none"}, make_tasks(), box)

# ---- cost in two parts

class Paid(Baseline):
    "Answers of a known length, at a known price"
    prices = Prices(2., 8.)
    def worst_case(self, request): return Usage(1000, 500)

def paid(cost): return Client("paid", Paid(lambda request: Reply("```python\ndef solve_task(g): return g\n```", usage=Usage(1000, 500), cost=cost)), params={"max_tokens": 500})

@pytest.mark.parametrize("cost", [.006, .003], ids=["as the prices say", "half of it"])
def test_the_parts_add_up_to_the_cost(tmp_path, cost):
    "1,000 tokens at 2 USD a million and 500 at 8: one part in three is for what was read, whatever the endpoint's own sum"
    report = bench(paid(cost), tmp_path / "run")
    for row in read_attempts(tmp_path / "run"):
        assert row["prompt_cost"] == pytest.approx(cost / 3) and row["prompt_cost"] + row["completion_cost"] == pytest.approx(row["cost"]) == pytest.approx(cost)
    spent = report["spent"]
    assert spent["prompt_cost"] == pytest.approx(cost) and spent["completion_cost"] == pytest.approx(2 * cost) and spent["cost"] == pytest.approx(3 * cost)
    result = json.loads((tmp_path / "run/manifest.json").read_text())["result"]
    assert result["prompt_cost"] == pytest.approx(cost) and result["completion_cost"] == pytest.approx(2 * cost)
    row, = compare_runs({"run": report})
    assert (row["prompt_cost"], row["completion_cost"]) == (spent["prompt_cost"], spent["completion_cost"])

def test_unknown_prices_have_no_parts(tmp_path):
    client = make_client("m", base_url="http://127.0.0.1:9/v1")
    client.model.complete = Baseline(lambda request: Reply("no program", usage=Usage(10, 5), cost=.5)).complete
    spent = bench(client, tmp_path / "run")["spent"]
    assert spent["cost"] == pytest.approx(1.5) and spent["prompt_cost"] is None and spent["completion_cost"] is None

def test_older_lines_without_parts_are_read(tmp_path):
    bench(paid(.006), tmp_path / "run")
    path = tmp_path / "run/attempts.jsonl"
    rows = [{k: v for k, v in json.loads(o).items() if k not in ("prompt_cost", "completion_cost")} for o in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(o) + "\n" for o in rows))
    with Sandbox() as box: merged = merge_runs({"run": tmp_path / "run"}, make_tasks(), box)
    assert merged["spent"]["cost"] == pytest.approx(.018) and merged["spent"]["prompt_cost"] is None
