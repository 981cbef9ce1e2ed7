"""What was spent is known: usage that says nothing costs, usage that boasts does not, and a kill loses nothing."""
import asyncio, json, signal, time

import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from chained_adv.arc.limits import Budget
from chained_adv.arc.generate import run_attempts
from chained_adv.arc.results.attempts import make_items, read_attempts
from test_arc_faults import client_for, log_of, make_tasks, run, server, start, wait_for_lines
from test_arc_odd_replies import Oddities, body, on_wire, talk


def odd_run(folder, usage, n, calls, max_cost, stream=False):
    "A run against an endpoint that says this of every call's usage"
    responses = [on_wire(json.dumps(body(usage=usage)), False)] * calls
    async def work(client):
        client.budget = Budget(max_cost)
        return await run_attempts(client, list(make_items(make_tasks(n), "code")), folder, max_concurrent=4)
    return asyncio.run(talk(Oddities(responses), folder, stream, n, work))


SILENT = {"none": None, "empty": {}, "zeros": {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0}, "strings": {"prompt_tokens": "50", "completion_tokens": "30"},
          "negative": {"prompt_tokens": -50, "completion_tokens": -30, "cost": -1}, "booleans": {"prompt_tokens": True, "completion_tokens": True}, "list": [50, 30]}

@pytest.mark.parametrize("name", list(SILENT))
def test_usage_that_says_nothing_is_estimated_and_the_cap_holds(tmp_path, name):
    report = odd_run(tmp_path, SILENT[name], 200, 200, .05)
    assert report.status == "budget" and 0 < report.ok < 100
    assert .02 < report.cost <= .05 and all(o["usage"]["prompt"] > 0 and o["usage"]["completion"] > 0 for o in read_attempts(tmp_path))

def test_a_boast_costs_at_most_the_worst_case(tmp_path):
    usage = {"prompt_tokens": 10_000_000, "completion_tokens": 10_000_000, "cost": 20}
    report = odd_run(tmp_path, usage, 5, 5, 5.)
    assert report.ok == 5 and report.cost < .02

def test_half_a_usage_is_completed(tmp_path):
    report = odd_run(tmp_path, {"prompt_tokens": 50}, 3, 3, 5.)
    assert all(o["usage"]["prompt"] == 50 and o["usage"]["completion"] > 20 for o in read_attempts(tmp_path)) and report.ok == 3

@pytest.mark.parametrize("faults", ["", "rate_limited,error_500,empty"], ids=["no faults", "faults"])
def test_recorded_spend_is_the_bill_over_kills(tmp_path, start, faults):
    "Killed three times with 16 calls under way: at the end what is recorded differs by less than 1 % from what the server billed"
    with server("--faults", faults, "--share", .2 if faults else 0, "--delay", .02) as url:
        for i, mode in enumerate(("new", "resume", "resume")):
            process = start(url, tmp_path / "run", mode)
            wait_for_lines(tmp_path / "run", 60 + 120 * i, process)
            time.sleep(.01) # so that the next calls are on their way
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert start(url, tmp_path / "run", "resume").communicate(timeout=120)[0].split()[0] == "finished"
        billed = sum(o["tokens"] for o in log_of(url))
    result = json.loads((tmp_path / "run/manifest.json").read_text())["result"]
    recorded = result["usage"]["prompt"] + result["usage"]["completion"]
    assert 0 <= result["lost_calls"] <= 48 and len(list(read_attempts(tmp_path / "run"))) == 500
    in_lines = sum(o["usage"]["prompt"] + o["usage"]["completion"] for o in read_attempts(tmp_path / "run"))
    assert abs(recorded - billed) <= .01 * billed, (recorded, billed)
    assert in_lines <= recorded

def test_a_cap_assumes_the_worst_of_killed_calls(tmp_path, start):
    with server("--delay", .05) as url:
        process = start(url, tmp_path / "run", "new")
        wait_for_lines(tmp_path / "run", 30, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        lines = [json.loads(o) for o in (tmp_path / "run/calls.jsonl").read_text().splitlines()]
        took = {o["call"]: o["took"] for o in lines if "took" in o}
        most = sum(sum(took.get(o["call"], o["may"])[:2]) for o in lines if "may" in o)
        client = client_for(url, budget=Budget(max_tokens=most + 1))
        report = run(client, list(make_items(make_tasks(100), "code", 5)), tmp_path / "run", resume=True)
    assert report.status == "budget" and report.ok == 0

def test_runs_from_before_the_ledger_are_counted_by_their_lines(tmp_path):
    items = list(make_items(make_tasks(20), "code"))
    with server() as url:
        first = run(client_for(url), items[:10], tmp_path / "run")
        (tmp_path / "run/calls.jsonl").unlink()
        second = run(client_for(url), items, tmp_path / "run", resume=True)
        third = run(client_for(url), items, tmp_path / "run", resume=True)
        billed = sum(o["tokens"] for o in log_of(url))
    assert 0 < first.usage.total < second.usage.total == third.usage.total == billed
