"""Resume always finishes: what failed comes last, a refused prompt does not close the endpoint, a full disk and odd files are told."""
import json

import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from typer.testing import CliRunner

from chained_adv.arc.cli import app
from chained_adv.arc.results.attempts import attempt_key, make_items, read_attempts
from chained_adv.arc.grids import Grid, Pair, Task
from test_arc_faults import check_rows, client_for, log_of, make_tasks, run, server

FLAGGED = "8 8 8 8 8"


def make_flagged(n):
    "Tasks whose prompts the server's moderation refuses, each with another text"
    pair = lambda i: Pair(Grid([[8] * 5, [i % 10] * 5]), Grid([[i % 10] * 5, [8] * 5]))
    return [Task(f"flagged_{i}", [pair(i)], [Pair(Grid([[i % 10] * 5]))], dataset="faults") for i in range(n)]


@pytest.mark.parametrize("concurrent", [1, 8])
def test_refused_prompts_at_the_front_do_not_hold_up_a_resume(tmp_path, concurrent):
    "The first prompts are refused and stop the first part; each later part gets through all others, and ends"
    items = list(make_items(make_flagged(6) + make_tasks(30), "code"))
    with server("--moderate", FLAGGED) as url:
        first = run(client_for(url), items, tmp_path / "run", max_concurrent=concurrent)
        parts = [run(client_for(url), items, tmp_path / "run", max_concurrent=concurrent, resume=True) for _ in range(2)]
    assert first.status in ("circuit_open", "finished")
    for part in parts:
        assert (part.status, part.pending, dict(part.errors)) == ("finished", 0, {"forbidden": 6})
    rows = check_rows(tmp_path / "run", parts[-1], 36)
    assert sum(o["status"] == "ok" for o in rows) == 30


def test_what_failed_comes_last(tmp_path):
    "After a part with failures, everything that was never asked is asked before anything is asked again"
    with server("--moderate", FLAGGED) as url:
        run(client_for(url), list(make_items(make_tasks(5) + make_flagged(2), "code")), tmp_path / "run", max_concurrent=1)
        asked = len(log_of(url))
        more = list(make_items(make_tasks(5) + make_flagged(2) + make_tasks(9)[5:], "code"))
        report = run(client_for(url), more, tmp_path / "run", max_concurrent=1, resume=True)
        faults = [o["fault"] for o in log_of(url)][asked:]
    assert faults == ["none"] * 4 + ["forbidden"] * 2 and report.status == "finished"


def test_a_key_that_is_refused_everywhere_still_stops_the_run(tmp_path):
    with server("--moderate", "a") as url: # every prompt holds one
        report = run(client_for(url), list(make_items(make_tasks(200), "code")), tmp_path / "run", max_concurrent=4)
        assert len(log_of(url)) < 40
    assert report.status == "circuit_open" and report.errors["forbidden"] < 40


def test_no_retry_failed_leaves_failures(tmp_path):
    items = list(make_items(make_tasks(9) + make_flagged(2), "code"))
    with server("--moderate", FLAGGED) as url:
        run(client_for(url), items, tmp_path / "run", max_concurrent=1)
        asked = len(log_of(url))
        report = run(client_for(url), items, tmp_path / "run", resume=True, retry_failed=False)
        assert len(log_of(url)) == asked
    assert (report.status, report.pending, report.resumed) == ("finished", 0, 11)
    keys = [attempt_key(o) for o in read_attempts(tmp_path / "run")]
    assert sorted(keys) == sorted(o.key for o in items)


def test_no_retry_failed_on_the_command_line(tmp_path):
    with server("--faults", "bad_request", "--share", 1) as url:
        command = ["generate", "code", "--model", "m", "--base-url", url, "--max-tasks", "3", "--out", str(tmp_path / "run"), "--json"]
        first = CliRunner().invoke(app, command)
        again = CliRunner().invoke(app, [*command, "--resume", "--no-retry-failed"])
        assert len(log_of(url)) == 3
    assert first.exit_code == 1 and json.loads(first.stdout)["errors"] == {"bad_request": 3}
    assert json.loads(again.stdout)["status"] == "finished"
