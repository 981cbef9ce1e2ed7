"""Generation against an endpoint that fails in every way: nothing lost, nothing twice, every failure with its name, spending within the cap; kills and signals."""
import asyncio, json, signal, subprocess, sys, time, urllib.request
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

httpx2 = pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from chained_adv.arc.clients import make_client
from chained_adv.arc.limits import Budget, Limits
from chained_adv.arc.protocol import FAILURES, Prices
from chained_adv.arc.generate import run_attempts
from chained_adv.arc.results.attempts import attempt_key, make_items, read_attempts
from chained_adv.arc.grids import Grid, Pair, Task

HERE = Path(__file__).resolve().parent
RETRIED = "rate_limited,hang,empty,cut,bad_json,error_500,slow,told_429,reset,no_choices,cut_body"
KEY = "sk-very-secret-0123456789"


def make_tasks(n): return [Task(f"task_{i:03}", [Pair(Grid([[1, i % 10]]), Grid([[i % 10, 1]]))], [Pair(Grid([[i % 10, 5]]))], dataset="faults") for i in range(n)]

@contextmanager
def server(*args):
    "The fault server in a process of its own; gives its base URL"
    process = subprocess.Popen([sys.executable, str(HERE / "arc_fault_server.py"), *map(str, args)], stdout=subprocess.PIPE, text=True)
    try: yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally: process.kill(); process.wait(); process.stdout.close()

def log_of(url): return json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url.replace("/v1", "/log")))

FAST = dict(call_timeout=1.5, first_wait=.01, longest_wait=.05, breaker_cooldown=.05)

def client_for(url, **options):
    limits = Limits(**{**FAST, **options.pop("limits", {})})
    return make_client("m", base_url=url, params={"max_tokens": 64}, prices=Prices(1., 10.), limits=limits, **options)

def run(client, items, folder, **options):
    async def go():
        try: return await run_attempts(client, items, folder, **options)
        finally: await client.close()
    return asyncio.run(go())

def check_rows(folder, report, requested):
    "What must hold of every run; returns its lines"
    rows = list(read_attempts(folder))
    assert len({attempt_key(o) for o in rows}) == len(rows) == report.done, "an attempt is there twice"
    assert report.done + report.pending == requested
    for o in rows:
        if o["status"] == "ok": assert o["error"] is None and o["text"].strip() and o["code"]
        else: assert o["error"]["label"] in FAILURES and o["error"]["message"] and not o["text"], o
    return rows


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_500_attempts_through_all_faults(tmp_path, stream):
    "A third of the calls fail: with tries enough, all 500 attempts get their answer"
    with server("--faults", RETRIED, "--share", .3, "--seed", 1) as url:
        report = run(client_for(url, stream=stream, budget=Budget(max_cost=5.)), list(make_items(make_tasks(100), "code", 5)), tmp_path / "run", max_concurrent=64)
        rows, log = check_rows(tmp_path / "run", report, 500), log_of(url)
    assert report.status == "finished" and len(rows) == 500
    unread = sum(o["tries"] for o in rows) - len(log) # calls that ended before a busy server had read them
    assert 0 <= unread <= 20
    assert {o["fault"] for o in log} == {"none", *RETRIED.split(",")}, "a kind of fault never came"
    assert report.ok >= 490 and report.cost <= 5
    assert sum(o["tokens"] for o in log) <= report.usage.total, "the endpoint billed more than was booked"

def test_every_failure_has_its_label(tmp_path):
    "One try each, so each fault shows under its own name"
    expected = {"rate_limited": "rate_limited", "hang": "timeout", "empty": "empty_reply", "cut": "cut_stream", "cut_body": "cut_stream", "bad_json": "bad_json", "error_500": "server_error", "told_429": "rate_limited",
                "reset": "cut_stream", "no_choices": "bad_json", "bad_request": "bad_request"}
    for stream in (False, True):
        for fault, label in expected.items():
            with server("--faults", fault, "--share", 1) as url:
                report = run(client_for(url, stream=stream, limits={"tries": 1, "call_timeout": .2 if fault == "hang" else 5, "breaker_after": 1000}), list(make_items(make_tasks(3), "code")), tmp_path / f"{fault}{stream}")
            rows = check_rows(tmp_path / f"{fault}{stream}", report, 3)
            assert dict(report.errors) == {label: 3}, (fault, stream, [o["error"] for o in rows])

def test_spending_stays_within_the_cap(tmp_path):
    "The server's own bill, faults included, never exceeds the cap, and the run says why it ended"
    cap = 20_000
    with server("--faults", RETRIED, "--share", .3, "--seed", 2) as url:
        report = run(client_for(url, budget=Budget(max_tokens=cap)), list(make_items(make_tasks(500), "code")), tmp_path / "run", max_concurrent=64)
        rows, billed = check_rows(tmp_path / "run", report, 500), sum(o["tokens"] for o in log_of(url))
    assert report.status == "budget" and 0 < len(rows) < 500 and report.pending == 500 - len(rows)
    assert billed <= report.usage.total <= cap
    assert report.usage.total == sum(o["usage"]["prompt"] + o["usage"]["completion"] for o in rows)

def test_the_cap_counts_what_was_spent_before_a_resume(tmp_path):
    with server() as url:
        items = list(make_items(make_tasks(100), "code"))
        first = run(client_for(url, budget=Budget(max_cost=.02)), items, tmp_path / "run", max_concurrent=8)
        again = run(client_for(url, budget=Budget(max_cost=.02)), items, tmp_path / "run", max_concurrent=8, resume=True)
        assert (first.status, again.status, again.ok) == ("budget", "budget", 0)
        more = run(client_for(url, budget=Budget(max_cost=5.)), items, tmp_path / "run", max_concurrent=8, resume=True)
    assert (more.status, more.done, more.pending) == ("finished", 100, 0) and len(check_rows(tmp_path / "run", more, 100)) == 100

def test_no_retry_on_other_4xx_and_the_run_stops_when_the_key_is_wrong(tmp_path):
    with server("--faults", "bad_request", "--share", 1) as url:
        report = run(client_for(url), list(make_items(make_tasks(5), "code")), tmp_path / "a")
        assert len(log_of(url)) == 5 and dict(report.errors) == {"bad_request": 5}
    with server() as url: # this address does not exist there: status 404 from the path
        report = run(make_client("m", base_url="http://127.0.0.1:9/v1", limits=Limits(**FAST, tries=2, breaker_after=3)), list(make_items(make_tasks(500), "code")), tmp_path / "b", max_concurrent=4)
    assert report.status == "circuit_open" and report.done < 60 and set(report.errors) <= {"connection", "circuit_open"}

def test_failed_attempts_are_made_again_on_resume(tmp_path):
    items = list(make_items(make_tasks(21), "code"))
    with server("--faults", "bad_request", "--share", .5, "--seed", 3) as url:
        first = run(client_for(url), items, tmp_path / "run")
        assert 0 < sum(first.errors.values()) < 21 and first.done == 21
        rest = run(client_for(url), items, tmp_path / "run", resume=True)
    assert rest.resumed == first.ok and rest.ok + sum(rest.errors.values()) == sum(first.errors.values())
    assert len(check_rows(tmp_path / "run", rest, 21)) == 21
    assert len((tmp_path / "run/failures.jsonl").read_text().splitlines()) == sum(first.errors.values())

def test_21_tasks_give_21_rows(tmp_path):
    "The founding system saved every tenth success and lost the rest: 21 tasks, 20 rows"
    with server() as url: report = run(client_for(url), list(make_items(make_tasks(21), "reasoning")), tmp_path / "run")
    assert report.ok == len(list(read_attempts(tmp_path / "run"))) == 21

def test_the_key_is_in_the_header_and_nowhere_else(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("ARC_TEST_KEY", KEY)
    with server("--faults", "error_500,bad_request", "--share", .5) as url:
        client = client_for(url, key_env="ARC_TEST_KEY")
        report = run(client, list(make_items(make_tasks(10), "code")), tmp_path / "run", notes={"client": repr(client.model)})
        assert {o["authorization"] for o in log_of(url)} == {f"Bearer {KEY}"}
    assert report.done == 10
    written = "".join(o.read_text() for o in (tmp_path / "run").iterdir()) + caplog.text + repr(client) + repr(client.model)
    assert "sk-very" not in written

def test_max_concurrent_is_kept_and_items_are_read_as_needed(tmp_path):
    read = []
    def items():
        for o in make_items(make_tasks(50), "code"): read.append(o.key); yield o
    most = 0
    async def complete(request):
        nonlocal running, most
        running += 1; most = max(most, running)
        assert len(read) <= done + 7, "items were read ahead"
        await asyncio.sleep(.001)
        running -= 1
        return "x"
    from chained_adv.arc.backends.baselines import Baseline
    from chained_adv.arc.limits import Client
    running = done = 0
    def tell(report):
        nonlocal done
        done = report.done
    report = run(Client("count", Baseline(complete)), items(), tmp_path / "run", max_concurrent=7, tell=tell)
    assert (report.ok, most) == (50, 7)


# What runs in a process of its own, to be killed: the command line without its parsing
PROGRAM = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_arc_faults import client_for, make_tasks
from chained_adv.arc.generate import run_attempts
from chained_adv.arc.results.attempts import make_items
async def main(url, folder, resume):
    client = client_for(url, limits={"call_timeout": 30})
    report = await run_attempts(client, list(make_items(make_tasks(100), "code", 5)), folder, max_concurrent=16, resume=resume)
    print(report.status, report.done, report.resumed, report.pending)
asyncio.run(main(sys.argv[2], sys.argv[3], sys.argv[4] == "resume"))
"""

@pytest.fixture
def start():
    "Starts a run in a process; none outlives its test"
    running = []
    def begin(url, folder, mode): running.append(subprocess.Popen([sys.executable, "-c", PROGRAM, str(HERE), url, str(folder), mode], stdout=subprocess.PIPE, text=True)); return running[-1]
    yield begin
    for o in running: o.kill(); o.wait(); o.stdout.close()

def wait_for_lines(folder, n, process):
    "Until the file holds n lines; fails when the process ends before"
    path = Path(folder) / "attempts.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < n:
        assert process.poll() is None, "the run ended before it could be stopped"
        time.sleep(.005)

def test_kill_9_and_resume(tmp_path, start):
    "Killed three times in the middle, each time with half a line added as a power cut could leave it: at the end each of 500 attempts is there once"
    with server("--faults", "rate_limited,error_500,empty,cut", "--share", .1, "--delay", .02) as url:
        lines = []
        for i, mode in enumerate(("new", "resume", "resume")):
            process = start(url, tmp_path / "run", mode)
            wait_for_lines(tmp_path / "run", 60 + 120 * i, process)
            process.send_signal(signal.SIGKILL); process.wait()
            lines.append(len(list(read_attempts(tmp_path / "run"))))
            with open(tmp_path / "run/attempts.jsonl", "a") as f: f.write('{"task_key": "faults/task_0')
        process = start(url, tmp_path / "run", "resume")
        told = process.communicate(timeout=120)[0].split()
        answered = Counter(o["seed"] for o in log_of(url) if o["fault"] == "none")
    rows = list(read_attempts(tmp_path / "run"))
    keys = [attempt_key(o) for o in rows]
    assert sorted(keys) == sorted(o.key for o in make_items(make_tasks(100), "code", 5)) and len(set(keys)) == 500
    assert told == ["finished", "500", told[2], "0"] and int(told[2]) >= lines[-1] - 50 > 0
    assert lines == sorted(lines) and sum(n > 1 for n in answered.values()) <= 3 * 16, "more than the calls under way at a kill were made again"

@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_drains_and_saves(tmp_path, start, name):
    with server("--delay", .1) as url:
        process = start(url, tmp_path / "run", "new")
        wait_for_lines(tmp_path / "run", 32, process)
        process.send_signal(getattr(signal, name))
        status, done, _, pending = process.communicate(timeout=60)[0].split()
        calls = len(log_of(url))
    rows = list(read_attempts(tmp_path / "run"))
    assert status == "interrupted" and int(done) == len(rows) == calls < 500, "a call that was made has no line"
    assert int(pending) == 500 - len(rows) and json.loads((tmp_path / "run/manifest.json").read_text())["result"]["status"] == "interrupted"

def test_the_second_signal_aborts(tmp_path, start):
    with server("--faults", "hang", "--share", .2) as url:
        process = start(url, tmp_path / "run", "new")
        wait_for_lines(tmp_path / "run", 10, process)
        while "hang" not in {o["fault"] for o in log_of(url)}:
            assert process.poll() is None, "the run ended before a call hung"
            time.sleep(.05)
        process.send_signal(signal.SIGINT)
        time.sleep(.5)
        assert process.poll() is None, "it did not wait for the call that hangs"
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=20)[0].split() # far less than the 30 s of a call
    assert told[0] == "aborted" and int(told[1]) == len(list(read_attempts(tmp_path / "run")))

def test_two_runs_cannot_share_a_folder(tmp_path, start):
    if sys.platform == "win32": pytest.skip("no file locks there")
    with server("--delay", .1) as url:
        process = start(url, tmp_path / "run", "new")
        wait_for_lines(tmp_path / "run", 1, process)
        with pytest.raises(Exception, match="another run is writing"): run(client_for(url), list(make_items(make_tasks(100), "code", 5)), tmp_path / "run", resume=True)
