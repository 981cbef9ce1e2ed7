"""`chained-adv arc generate` as people and programs use it, and what the founding system got wrong there: crashes at start, lost results, empty replies taken for wrong answers, no resume."""
import asyncio, json, os, signal, subprocess, sys, time
from pathlib import Path

import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from chained_adv.arc.backends.baselines import Baseline, Replay
from chained_adv.arc.backends.endpoint import Endpoint, Provider
from chained_adv.arc.clients import make_client
from chained_adv.arc.limits import Breaker, Client, Limits
from chained_adv.arc.protocol import CallError, Request, Usage
from chained_adv.arc.datasets import load_tasks, save_tasks
from chained_adv.arc.generate import run_attempts
from chained_adv.arc.results.attempts import attempt_key, make_items, read_attempts
from calling import call as call_program
from test_arc_faults import KEY, log_of, make_tasks, server, wait_for_lines

ENV = {**os.environ, "OMP_NUM_THREADS": "1"}

def call(*args): return call_program("arc", "generate", *args)

def program(*args): return [sys.executable, "-c", "from chained_adv.cli import main; main()", "arc", "generate", *map(str, args)]

def refused(result, *words):
    "One clear message on standard error, status 2"
    assert result.exit_code == 2 and result.stdout == "" and "Traceback" not in result.stderr, (result.stdout, result.stderr, result.exception)
    for o in words: assert o in result.stderr, (o, result.stderr)

@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path

@pytest.fixture
def many(tmp_path):
    "A file of 21 tasks"
    return save_tasks(make_tasks(21), tmp_path / "tasks.json", "set")[0]


@pytest.mark.parametrize("kind", ["reasoning", "code"])
@pytest.mark.parametrize("choice", [(), ("--tasks", "2:9"), ("--tasks", "[2:9]"), ("--task-ids", "task_003,task_005"), ("--task_ids", '["task_003"]'), ("--max_tasks", 4), ("--tasks", ":5", "--max-tasks", 2)], ids=str)
def test_both_generators_run_with_every_choice_of_tasks(here, many, kind, choice):
    "Defect 1: both crashed at start over the range of tasks; defect 3: a range was parsed and ignored"
    count = {(): 21, "2:9": 7, "[2:9]": 7, "task_003,task_005": 2, '["task_003"]': 1, 4: 4, ":5": 2}[choice[1] if choice else ()]
    r = call(kind, "--model", "identity", "--dataset", many, *choice, "--out", "run", "--json")
    assert r.exit_code == 0, (r.stderr, r.exception)
    assert json.loads(r.stdout)["ok"] == count == len(list(read_attempts("run")))

@pytest.mark.parametrize("n, best_of", [(1, 1), (3, 1), (10, 1), (11, 2), (21, 1), (21, 3)])
def test_every_result_is_saved(here, many, n, best_of):
    "Defect 2: results after the last full batch of ten were lost"
    r = call("code", "--model", "random", "--dataset", many, "--max-tasks", n, "--best-of", best_of, "--out", "run")
    assert r.exit_code == 0 and len((here / "run/attempts.jsonl").read_text().splitlines()) == n * best_of

def test_an_interrupted_run_loses_nothing_and_is_not_called_complete(here, many):
    "Defect 2: Ctrl+C lost results and added a second, 'completed' line of metadata"
    with server("--delay", .3) as url:
        process = subprocess.Popen(program("code", "--model", "m", "--base-url", url, "--dataset", many, "--best-of", 10, "--max-concurrent", 4, "--out", "run", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV)
        wait_for_lines(here / "run", 8, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        answered = len(log_of(url))
        report, manifest, rows = json.loads(out), json.loads((here / "run/manifest.json").read_text()), list(read_attempts("run"))
        assert (process.returncode, report["status"], manifest["result"]["status"]) == (1, "interrupted", "interrupted") and "Traceback" not in err
        assert len(rows) == report["done"] == answered == 210 - report["pending"] and all("entry_type" not in o for o in rows)
        rest = call("code", "--model", "m", "--base-url", url, "--dataset", many, "--best-of", 10, "--max-concurrent", 64, "--out", "run", "--resume", "--json")
        assert rest.exit_code == 0 and json.loads(rest.stdout)["resumed"] == answered
        assert len(log_of(url)) == 210, "an attempt was made twice"

def test_an_empty_reply_is_a_failure_with_its_cost_and_not_a_wrong_answer(here, many):
    "Defect 6: 30 of 30 empty replies were reported as 0.00 %"
    with server("--faults", "empty", "--share", 1) as url: r = call("code", "--model", "m", "--base-url", url, "--dataset", many, "--max-tasks", 10, "--tries", 1, "--out", "run", "--json")
    report, rows = json.loads(r.stdout), list(read_attempts("run"))
    assert (r.exit_code, report["ok"], report["errors"]) == (1, 0, {"empty_reply": 10})
    for o in rows: assert o["status"] == "error" and o["usage"]["prompt"] > 0 and o["code"] is None and o["error"]["message"]

def test_an_empty_reply_is_asked_for_again(here, many):
    "Defect 6: they were final"
    with server("--faults", "empty", "--share", .3, "--seed", 5) as url: r = call("code", "--model", "m", "--base-url", url, "--dataset", many, "--max-concurrent", 21, "--out", "run", "--json")
    assert r.exit_code == 0 and max(o["tries"] for o in read_attempts("run")) > 1

def test_a_line_says_what_was_asked_and_what_it_took(here, many):
    "Defect 6: no finish reason, tokens, cost, seed"
    with server() as url: call("code", "--model", "m", "--base-url", url, "--dataset", many, "--max-tasks", 1, "--temperature", .5, "--param", "top_p=0.9", "--price-prompt", 1, "--price-completion", 10, "--out", "run"); seed = log_of(url)[0]["seed"]
    row, = read_attempts("run")
    assert (row["finish_reason"], row["model"], row["params"], row["prompt_version"], row["seed"]) == ("stop", "m", {"max_tokens": 8192, "temperature": .5, "top_p": .9}, "2", seed)
    assert row["usage"]["completion"] == 30 and row["usage"]["reasoning"] == 7 and row["cost"] == pytest.approx((row["usage"]["prompt"] + 300) / 1e6) and row["seconds"] > 0 and row["model_reasoning"] == "Hm."

def test_a_run_has_its_place_and_its_lines_are_short(here, many):
    "Defect 7: a random file per run; the whole task and prompt in each line"
    r = call("code", "--model", "identity", "--dataset", many)
    assert r.exit_code == 0 and sorted(o.name for o in (here / "runs/arc-code-identity").iterdir()) == ["attempts.jsonl", "manifest.json", "run.lock"]
    rows = list(read_attempts("runs/arc-code-identity"))
    assert not {"task_data", "prompt_messages", "messages", "train"} & set(rows[0])
    refused(call("code", "--model", "identity", "--dataset", many), "holds attempts already", "--resume")
    again = call("code", "--model", "identity", "--dataset", many, "--resume", "--json")
    assert (again.exit_code, json.loads(again.stdout)["resumed"]) == (0, 21)
    assert list(read_attempts("runs/arc-code-identity")) == rows

def test_seeds_differ_by_attempt_and_repeat_by_run(here, many):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)): assert call("code", "--model", "random", "--dataset", many, "--best-of", 2, "--seed", seed, "--max-concurrent", 3, "--out", name).exit_code == 0
    a, b, c = ({attempt_key(o): (o["seed"], o["text"]) for o in read_attempts(n)} for n in "abc")
    assert a == b != c and len({s for s, _ in a.values()}) == 42

@pytest.mark.parametrize("args, words", [
    (("grids",), ("reasoning or code", "bench direct")), (("code", "--model", "gpt-9"), ("no model 'gpt-9'", "PROVIDER/MODEL")), (("code", "--model", "openruter/x"), ("did you mean openrouter/",)),
    (("code", "--model", "openrouter/x", "--max-cost", 1), ("OPENROUTER_API_KEY",)), (("code", "--model", "m", "--base-url", "localhost:8000"), ("http://127.0.0.1:8000/v1",)), (("code", "--model", "m", "--base-url", f"http://me:{KEY}@host/v1"), ("no user name",)),
    (("code", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--max-cost", 1), ("needs the prices",)), (("code", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--max-total-tokens", 100, "--answer-tokens", 0), ("limit on the length",)),
    (("code", "--task-ids", "nothing"), ("no task 'nothing'",)), (("code", "--tasks", "900:"), ("no task is selected",)), (("code", "--dataset", "nowhere"), ("nowhere",)), (("code", "--param", "top_p"), ("top_p=0.9",)), (("code", "--price-prompt", 1), ("both --price-prompt",)),
    (("code", "--prompts", "nowhere.toml"), ("nowhere.toml cannot be read",)), (("code", "--providers", "nowhere.toml"), ("nowhere.toml cannot be read",)), (("code", "--model", "replay:nowhere.jsonl"), ("nowhere.jsonl cannot be read",)),
    (("code", "--max-cost", 0), ("allows nothing",)), (("code", "--call-timeout", 0), ("call_timeout is 0",)),
], ids=str)
def test_refusals(here, monkeypatch, args, words):
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    if args[1:2] == ("--providers",): args = (*args, "--model", "mine/m")
    r = call(*args)
    refused(r, *words)
    assert KEY not in r.stderr and not list(here.rglob("attempts.jsonl"))

def test_another_model_cannot_go_on_with_a_run(here, many):
    assert call("code", "--model", "random", "--dataset", many, "--out", "run").exit_code == 0
    refused(call("code", "--model", "identity", "--dataset", many, "--out", "run", "--resume"), "other settings", "'random'", "'identity'")
    prompts = (Path(__file__).resolve().parent.parent / "chained_adv/data/arc/prompts.toml").read_text()
    (here / "mine.toml").write_text(prompts.replace("grid puzzles", "puzzles of grids"))
    refused(call("code", "--model", "random", "--dataset", many, "--out", "run", "--resume", "--prompts", "mine.toml"), "prompt_hash")

def test_a_dry_run_asks_nothing_and_needs_no_key(here, many, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with server() as url:
        r = call("code", "--model", "m", "--base-url", url, "--key-env", "OPENAI_API_KEY", "--dataset", many, "--best-of", 2, "--answer-tokens", 100, "--price-prompt", 1, "--price-completion", 10, "--dry-run", "--json")
        assert log_of(url) == []
        plan = json.loads(r.stdout)
        real = call("code", "--model", "m", "--base-url", url, "--dataset", many, "--best-of", 2, "--answer-tokens", 100, "--price-prompt", 1, "--price-completion", 10, "--out", "run", "--json")
    took = json.loads(real.stdout)
    assert (plan["attempts"], plan["answer_tokens_at_most"]) == (42, 4200) and took["usage"]["prompt"] <= plan["prompt_tokens_at_most"] and took["cost"] <= plan["cost_at_most"]
    assert list(here.glob("run*")) == [here / "run"] and "not known" in call("code", "--model", "openai/x", "--dry-run").stdout

def test_a_key_from_dot_env_reaches_the_endpoint_and_no_file(here, many):
    (here / ".env").write_text(f"ARC_TEST_KEY='{KEY}'\n")
    with server("--faults", "error_500", "--share", .3) as url:
        process = subprocess.run(program("code", "--model", "m", "--base-url", url, "--key-env", "ARC_TEST_KEY", "--dataset", many, "--max-tasks", 5, "--out", "run"), capture_output=True, text=True, env=ENV, timeout=120)
        assert {o["authorization"] for o in log_of(url)} == {f"Bearer {KEY}"}
    assert process.returncode == 0 and KEY not in process.stdout + process.stderr + "".join(o.read_text() for o in (here / "run").iterdir())
    assert "5 of 5 attempts" in process.stdout

def test_a_provider_of_ones_own(here, many):
    with server() as url:
        (here / "mine.toml").write_text(f'[mine]\nbase_url = "{url}"\nmax_tokens = "max_completion_tokens"\nprices = {{prompt = 1, completion = 2}}\n[mine.models."big/one"]\nprices = {{prompt = 10, completion = 20}}\n')
        costs = [json.loads(call("code", "--providers", "mine.toml", "--model", f"mine/{m}", "--dataset", many, "--out", f"run{i}", "--max-cost", 5, "--json").stdout)["cost"] for i, m in enumerate(("small", "big/one"))]
    assert costs[1] == pytest.approx(10 * costs[0]) and costs[0] > 0

def test_the_endpoint_is_obeyed_when_it_says_how_long_to_wait():
    "No try comes before the time that Retry-After names, for none of the callers"
    with server("--faults", "rate_limited", "--share", .5, "--retry-after", .4, "--seed", 1) as url:
        async def go():
            client, waits = make_client("m", base_url=url, limits=Limits(first_wait=.001)), []
            hold = client.pace.hold
            def held(seconds): waits.append((time.monotonic(), seconds)); hold(seconds)
            client.pace.hold = held
            try: replies = await asyncio.gather(*(client.complete(Request(({"role": "user", "content": "x"},), attempt=i)) for i in range(8)))
            finally: await client.close()
            return waits, replies
        waits, replies = asyncio.run(go())
    assert waits and {s for _, s in waits} == {.4} and all(o.waited >= .39 for o in replies if o.tries > 1)

def test_an_endpoint_that_asks_to_wait_too_long_is_not_waited_for():
    with server("--faults", "rate_limited", "--share", 1, "--retry-after", 99999) as url:
        with pytest.raises(CallError, match="rate_limited") as e: asyncio.run(make_client("m", base_url=url).complete(Request(({"role": "user", "content": "x"},))))
    assert e.value.tries == 1

def test_an_attempt_has_its_time_whatever_the_tries():
    with server("--faults", "hang", "--share", 1) as url:
        with pytest.raises(CallError, match="task_timeout") as e: asyncio.run(make_client("m", base_url=url, limits=Limits(call_timeout=.2, task_timeout=.7, first_wait=.01, tries=100)).complete(Request(({"role": "user", "content": "x"},))))
    assert 1 < e.value.tries < 10 and e.value.seconds < 30

def test_a_wrong_key_stops_a_run_at_once(tmp_path):
    "500 attempts, a few calls"
    calls = 0
    class Refuses:
        def worst_case(self, request): return Usage()
        async def close(self): pass
        async def complete(self, request):
            nonlocal calls
            calls += 1
            raise CallError("refused_key", "status 401")
    report = asyncio.run(run_attempts(Client("m", Refuses()), make_items(make_tasks(500), "code"), tmp_path / "run", max_concurrent=2))
    assert report.status == "circuit_open" and calls <= 4 and dict(report.errors) == {"refused_key": calls} and "status 401" not in str(report.usage)

def test_the_breaker_lets_one_through_and_closes_again():
    "An endpoint that fails for a while: all attempts get their answer, and not everybody calls while it is down"
    down, calls = True, 0
    class Flaky:
        def worst_case(self, request): return Usage()
        async def close(self): pass
        async def complete(self, request):
            nonlocal calls, down
            calls += down
            if calls > 12: down = False
            if down: raise CallError("server_error")
            return await Baseline(lambda request: "x").complete(request)
    async def go():
        client = Client("m", Flaky(), Limits(tries=50, first_wait=.001, longest_wait=.002, breaker_after=10, breaker_cooldown=.05))
        return await asyncio.gather(*(client.complete(Request((), attempt=i)) for i in range(30)))
    assert len(asyncio.run(go())) == 30

def test_a_cancelled_probe_does_not_block_the_others():
    async def go():
        breaker = Breaker(after=1, cooldown=.01)
        breaker.failed(CallError("timeout"))
        await breaker.ready(); breaker.gave_up()
        await asyncio.wait_for(breaker.ready(), 10)
    asyncio.run(go())

def test_a_key_that_the_endpoint_repeats_is_not_passed_on():
    async def app(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
        writer.write(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body) + body); await writer.drain(); writer.close()
    async def go():
        listening = await asyncio.start_server(app, "127.0.0.1", 0)
        endpoint = Endpoint(Provider("x", f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"), "m", KEY)
        try: await endpoint.complete(Request(({"role": "user", "content": "x"},)))
        finally: await endpoint.close(); listening.close()
    with pytest.raises(CallError, match="refused_key.*Incorrect API key provided: \\*\\*\\*") as e: asyncio.run(go())
    assert KEY not in str(e.value) + e.value.message

def test_a_full_disk_stops_the_run_and_what_was_saved_stays_whole(tmp_path):
    "A file-size limit stands for the full disk"
    code = """
import asyncio, resource, signal, sys
from chained_adv.arc.clients import make_client
from chained_adv.arc.generate import run_attempts
from chained_adv.arc.results.attempts import make_items
sys.path.insert(0, sys.argv[1])
from test_arc_faults import make_tasks
signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
asyncio.run(run_attempts(make_client("identity"), list(make_items(make_tasks(100), "code")), sys.argv[2]))
"""
    if sys.platform == "win32": pytest.skip("no such limits there")
    done = subprocess.run([sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path / "run")], capture_output=True, text=True, env=ENV, timeout=120)
    assert done.returncode == 1 and "cannot be written (File too large)" in done.stderr
    text = (tmp_path / "run/attempts.jsonl").read_text()
    assert 0 < len(list(read_attempts(tmp_path / "run"))) == text.count("\n") and text.endswith("\n")
    report = asyncio.run(run_attempts(make_client("identity"), list(make_items(make_tasks(100), "code")), tmp_path / "run", resume=True))
    assert report.done == 100 == len({attempt_key(o) for o in read_attempts(tmp_path / "run")})

def test_the_shipped_set_with_the_search(here):
    "Out of the box: some tasks are solved for real, none of the answers is a failure"
    r = call("code", "--max-tasks", 6, "--json")
    assert r.exit_code == 0 and json.loads(r.stdout)["ok"] == 6
    solved = 0
    tasks = {t.key: t for t in load_tasks("builtin")}
    for row in read_attempts("runs/arc-code-search"):
        if row["code"]: space = {}; exec(row["code"], space); solved += all([list(o) for o in space["solve_task"](p.input.to_lists())] == p.output.to_lists() for p in tasks[row["task_key"]].test)
    assert solved > 0
