"""Times and dates: seconds are those of the calls, waits are counted apart, a shared search counts once, nothing is from 1970."""
import asyncio, json, time
from datetime import datetime, timezone

import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from typer.testing import CliRunner

from chained_adv.arc.cli import app
from chained_adv.arc.backends.baselines import Baseline
from chained_adv.arc.clients import make_client
from chained_adv.arc.limits import Client, Limits
from chained_adv.arc.datasets import load_tasks
from chained_adv.arc.results.attempts import make_items, read_attempts
from test_arc_faults import client_for, make_tasks, run, server


def test_seconds_are_those_of_the_calls(tmp_path):
    "Twenty calls of 0.05 s at a pace of one in 0.1 s: about 1 s of calls, the rest is waiting"
    async def slow(request):
        await asyncio.sleep(.05)
        return "x"
    client = Client("slow", Baseline(slow), Limits(per_minute=600))
    run(client, list(make_items(make_tasks(20), "code")), tmp_path / "run", max_concurrent=20)
    rows = list(read_attempts(tmp_path / "run"))
    assert all(.04 < o["seconds"] < .5 for o in rows) and sum(o["seconds"] for o in rows) < 4
    assert max(o["waited"] for o in rows) > 1.

def test_waits_between_tries_are_no_calls(tmp_path):
    with server("--faults", "rate_limited", "--share", .5, "--retry-after", .3, "--seed", 1) as url:
        run(client_for(url), list(make_items(make_tasks(10), "code")), tmp_path / "run", max_concurrent=2)
    rows = [o for o in read_attempts(tmp_path / "run") if o["tries"] > 1]
    assert rows and all(o["waited"] >= .29 for o in rows) and sorted(o["seconds"] for o in rows)[0] < .25 # a first call also opens connections

def test_a_shared_search_counts_once(tmp_path):
    "Four attempts at a task share one search: together they cannot report more than passed"
    tasks, started = load_tasks("builtin")[:6], time.monotonic()
    run(make_client("search"), list(make_items(tasks, "code", 4)), tmp_path / "run", max_concurrent=24)
    passed, rows = time.monotonic() - started, list(read_attempts(tmp_path / "run"))
    assert sum(o["seconds"] for o in rows) <= passed + .1
    per_task = [sorted(o["seconds"] for o in rows if o["task_id"] == t.id) for t in tasks]
    assert all(o[:3] == [0, 0, 0] and o[3] >= 0 for o in per_task) and max(o[3] for o in per_task) > 0

def recent(text):
    date = datetime.fromisoformat(text)
    return date.tzinfo is not None and abs((datetime.now(timezone.utc) - date).total_seconds()) < 600

def test_dates_of_rows_manifests_and_exports(tmp_path):
    call = lambda *args: CliRunner().invoke(app, list(map(str, args)))
    assert call("bench", "code", "--model", "identity", "--max-tasks", 3, "--out", tmp_path / "run").exit_code == 0
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert recent(manifest["created"]) and recent(manifest["updated"]) and manifest["created"] <= manifest["updated"]
    assert all(recent(o["started"]) for o in read_attempts(tmp_path / "run"))
    assert call("export", "arc-agi-benchmarking", tmp_path / "run", "--out", tmp_path / "out").exit_code == 0
    for path in (tmp_path / "out").glob("*.json"):
        for entry in json.loads(path.read_text()):
            about = [o["metadata"] for o in entry.values() if o]
            assert all(recent(o["start_timestamp"]) and o["start_timestamp"] <= o["end_timestamp"] for o in about)
    call("bench", "code", "--model", "identity", "--max-tasks", 3, "--out", tmp_path / "run", "--resume")
    again = json.loads((tmp_path / "run/manifest.json").read_text())
    assert again["created"] == manifest["created"] and again["updated"] > manifest["updated"]
