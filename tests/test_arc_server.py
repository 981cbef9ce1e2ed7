"""The ARC server from outside: doors, bodies, code, disks, kills, other servers, files in and out."""
import http.client, json, os, random, shutil, signal, socket, subprocess, sys, threading, time
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the server's extra is not installed: pip install '.[web]'")
from arc_serving import COMMAND, ROOT, Serving
from chained_adv.arc.datasets import load_tasks, load_traces, merge_tasks, save_tasks
from chained_adv.arc.transforms import make_variation

TASKS = load_tasks("builtin")

@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("arc") / "data", "builtin", "--per-minute", 100_000) as serving: yield serving

@pytest.fixture(scope="module")
def ann(serving): return serving.join("Ann")

def contents(serving, secret):
    "Everything that a request could change"
    dataset, traces = (serving.ask("GET", f"api/export/{o}", secret=secret)[1] for o in ("dataset.json", "traces_store.json"))
    drafts = [serving.ask("GET", f"api/versions/{n}/draft", secret=secret)[1] for n in (1, 2)]
    return json.dumps([dataset, traces, drafts, serving.ask("GET", "api/tasks/1", secret=secret)[1]], sort_keys=True)

# Doors

CHANGES = [("POST", "api/people", {"name": "Eve"}), ("PUT", "api/versions/1/draft", {"rev": 0, "state": {}, "events": []}),
           ("POST", "api/versions/1/attempts", {"pair": 0, "grid": [[1]]}), ("POST", "api/versions/1/sign", {"operations": [{"op": "transpose"}]}),
           ("POST", "api/traces", {"task_id": "half_turn", "text": "x"}), ("PUT", "api/tasks/1/tags", {"tag": "x", "on": True}),
           ("POST", "arc2/execute_code", {"code": "def solve_task(g): return g", "input_grid": [[1]]})]

@pytest.mark.parametrize("head, status", [
    ({"origin": "http://evil.example"}, 403), ({"origin": "null"}, 403), ({"origin": "https://127.0.0.1.evil.example"}, 403),
    ({"host": "evil.example"}, 403), ({"host": "127.0.0.1.evil.example"}, 403), ({"host": ""}, 403),
    ({"x-arc-token": "guess"}, 401), ({"x-arc-token": ""}, 401)])
@pytest.mark.parametrize("method, path, body", CHANGES)
def test_foreign_requests_change_nothing(serving, ann, method, path, body, head, status):
    before = contents(serving, ann)
    assert serving.ask(method, path, body, ann, **head)[0] == status
    assert contents(serving, ann) == before

def raw(serving, text):
    "What the server answers to bytes as they are; the first line"
    with socket.create_connection(("127.0.0.1", serving.port), 10) as s:
        s.sendall(text)
        s.settimeout(5)
        try: return s.recv(200).split(b"\r\n")[0].decode()
        except TimeoutError: return "no answer"

@pytest.mark.parametrize("path", ["/../arc.sqlite", "/static/../../server.py", "/static/%2e%2e/%2e%2e/server.py", "/static/..%2f..%2fserver.py",
    "//etc/passwd", "/static//etc/passwd", "/static/%00", "/.git/config", "/static/..\\..\\server.py", "/%2e%2e/token", "/api/runs/..%2f..%2fdata"])
def test_tricks_with_paths_lead_nowhere(serving, path):
    head = f"Host: 127.0.0.1:{serving.port}\r\nx-arc-token: {serving.token}\r\nConnection: close\r\n\r\n"
    line = raw(serving, f"GET {path} HTTP/1.1\r\n{head}".encode())
    assert line.split()[1][0] == "4", line

@pytest.mark.parametrize("body, status", [
    (b"", 400), (b"{", 400), (b"[]", 422), (b"7", 422), (b'{"code": 1, "input_grid": [[1]]}', 422), (b'{"code": "x"}', 422),
    (b'{"code": "x", "input_grid": [[1],[1,2]]}', 400), (b'{"code": "x", "input_grid": [[10]]}', 422), (b'{"code": "x", "input_grid": []}', 422),
    (b'{"code": "x", "input_grid": [[NaN]]}', 400), (b'{"code": "x", "input_grid": [[1e400]]}', 400), (b'{"code": "\\ud800", "input_grid": [[1]]}', 400), (b"[" * 500_000, 400), (b"\xff\xfe", 400),
    (b'{"code": "x", "input_grid": [[1]], "more": 1}', 422), (b'{"code": "' + b"x" * 60_000 + b'", "input_grid": [[1]]}', 422),
    (b" " * 1_000_001, 413)])
def test_odd_bodies_are_refused(serving, ann, body, status):
    assert serving.ask("POST", "arc2/execute_code", body, ann)[0] == status

def test_a_body_without_a_length_is_cut_off_too(serving, ann):
    head = f"Host: 127.0.0.1:{serving.port}\r\nx-arc-token: {serving.token}\r\nx-arc-user: {ann}\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"".join(b"10000\r\n" + b" " * 65536 + b"\r\n" for _ in range(20)) + b"0\r\n\r\n"
    assert "413" in raw(serving, f"POST /arc2/execute_code HTTP/1.1\r\n{head}".encode() + body)

def test_pages_tell_the_browser_to_run_nothing_else(serving):
    import urllib.request
    with urllib.request.urlopen(serving.base + "solve.html") as r:
        policy = r.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
        assert r.headers["x-content-type-options"] == "nosniff" and "set-cookie" not in r.headers
        assert serving.token not in r.read().decode()

def test_no_page_asks_for_anything_outside():
    "Not one address of another server in any file of the pages, but those that a program names without calling them"
    for path in (ROOT / "chained_adv" / "arc" / "web").rglob("*.*"):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "").replace("https?:\\/\\/", "")
        assert "http://" not in text and "https://" not in text, path
        assert "innerHTML" not in text and "eval(" not in text and "insertAdjacentHTML" not in text, path

def test_votes_and_traces_belong_to_their_person(serving, ann):
    eve = serving.join()
    trace = serving.ask("POST", "api/traces", {"task_id": "rings", "text": "Mine"}, ann)[1]["id"]
    assert serving.ask("PUT", f"api/traces/{trace}", {"text": "Hers"}, eve)[0] == 403
    assert serving.ask("DELETE", f"api/traces/{trace}", None, eve)[0] == 403
    for _ in range(3): assert serving.ask("PUT", f"api/traces/{trace}/vote", {"value": 1}, eve)[0] == 200
    assert serving.ask("GET", "api/traces?task_id=rings", secret=ann)[1]["traces"][0]["score"] == 1
    assert serving.ask("PUT", f"api/traces/{trace}/vote", {"value": 2}, eve)[0] == 422
    assert serving.ask("GET", "api/chats/1", secret=eve)[0] == 404
    assert serving.ask("PUT", "api/me", {"name": "ANN"}, eve)[0] == 409

def test_a_person_cannot_guess_codes(serving):
    statuses = [serving.ask("POST", "api/people/sign-in", {"name": "Ann", "code": str(n)})[0] for n in range(3)]
    assert set(statuses) <= {403, 429}

# Code

PROGRAMS = {
    "loop": "def solve_task(g):\n    while True: pass", "sleep": "import time\ndef solve_task(g):\n    time.sleep(60)",
    "memory": "def solve_task(g):\n    return [[0] * 10**9]", "network": "import socket\ndef solve_task(g):\n    socket.create_connection(('127.0.0.1', 1))",
    "read": "def solve_task(g):\n    return open('/etc/passwd').read()", "write": "def solve_task(g):\n    open('/tmp/from_the_page', 'w')",
    "fork": "import os\ndef solve_task(g):\n    while True: os.fork()", "environment": "import os\ndef solve_task(g):\n    return dict(os.environ)",
    "ragged": "def solve_task(g):\n    return [[1], [1, 2]]", "out of range": "def solve_task(g):\n    return [[99]]", "kill": "import os\ndef solve_task(g):\n    os.kill(os.getppid(), 9)",
    "exit": "import os\ndef solve_task(g):\n    os._exit(0)", "big text": "def solve_task(g):\n    return 'x' * 10**8", "no function": "x = 1", "no Python": "def ("}

@pytest.mark.parametrize("name", PROGRAMS)
def test_code_from_the_page_is_held(serving, ann, name):
    began = time.monotonic()
    status, told = serving.ask("POST", "arc2/execute_code", {"code": PROGRAMS[name], "input_grid": [[1]]})
    assert status == 200 and told["success"] is False and told["output_grid"] is None and told["error"]
    assert time.monotonic() - began < 30
    assert not Path("/tmp/from_the_page").exists()
    assert serving.ask("POST", "arc2/execute_code", {"code": "def solve_task(g): return g", "input_grid": [[1, 2]]})[1] == \
        {"success": True, "output_grid": [[1, 2]], "error": None}

def test_one_click_has_one_limit_however_many_pairs(serving, ann):
    most = max(range(len(TASKS)), key=lambda n: len(TASKS[n].train))
    began = time.monotonic()
    told = serving.ask("POST", f"api/versions/{most + 1}/run", {"code": PROGRAMS["sleep"]}, ann)[1]
    assert time.monotonic() - began < 20
    assert {o["outcome"] for o in told["pairs"]} == {"timeout"}

def test_numpy_results_are_grids(serving, ann):
    pytest.importorskip("numpy")
    code = "import numpy as np\ndef solve_task(g): return np.array(g).T"
    assert serving.ask("POST", "arc2/execute_code", {"code": code, "input_grid": [[1, 2]]})[1]["output_grid"] == [[1], [2]]

def test_too_many_programs_are_refused(tmp_path):
    with Serving(tmp_path / "data", "--per-minute", 6) as serving:
        body = {"code": "def solve_task(g): return g", "input_grid": [[1]]}
        statuses = [serving.ask("POST", "arc2/execute_code", body)[0] for _ in range(5)]
        assert statuses[:2] == [200, 200] and 429 in statuses

# Files

def test_founding_files_come_back_equal(tmp_path):
    tasks = merge_tasks(TASKS[:5], [make_variation(TASKS[0], [{"op": "rotate_90"}], ("ann", "ben")), make_variation(TASKS[1], [{"op": "swap", "train": 0, "test": 0}])])
    save_tasks(tasks, tmp_path / "dataset.json", "dataset")
    dataset = json.loads((tmp_path / "dataset.json").read_text())
    dataset[0]["comment"] = {"kept": ["as", "it", "is"]}
    traces = {"half_turn": [{"trace_id": "t1", "task_id": "half_turn", "username": "some/model", "text": "Turn.", "score": 2, "timestamp": "2025-01-01T00:00:00", "voters": {"ann": 1}},
                            {"trace_id": "t2", "task_id": "half_turn", "username": "ann", "text": "Or so", "score": -1, "timestamp": 1736000000.5, "voters": {"ben": -1}, "lang": "en"}],
              "gone": [{"trace_id": "t3", "task_id": "gone", "username": "x", "text": "?", "score": 0, "timestamp": "", "voters": {}}]}
    with Serving(tmp_path / "data", "builtin") as serving:
        secret = serving.join()
        for name, data in (("dataset.json", dataset), ("traces_store.json", traces)):
            told = serving.ask("POST", f"api/import?name={name}", json.dumps(data).encode(), secret)[1]
            assert told["left_out"] == 0, told
        key = lambda o: (o["task_id"], o["version"])
        back = serving.ask("GET", "api/export/dataset.json?dataset=dataset", secret=secret)[1]
        plain = lambda o: {k: v for k, v in o.items() if k not in ("parent", "operations")}
        assert sorted(map(plain, back), key=key) == sorted(map(plain, dataset), key=key)
        assert {o["task_id"]: o["operations"] for o in back if o["version"]} == {TASKS[0].id: [{"op": "rotate_90"}], TASKS[1].id: [{"op": "swap", "train": 0, "test": 0}]}
        assert serving.ask("GET", "api/export/traces_store.json", secret=secret)[1] == traces
        (tmp_path / "back.json").write_text(json.dumps(back))
        (tmp_path / "traces.json").write_text(json.dumps(traces))
        told = lambda tasks: sorted((t.id, str(t.operations)) for t in tasks)
        assert told(load_tasks(tmp_path / "back.json")) == told(tasks)
        assert len(load_traces(tmp_path / "traces.json")) == 3

def test_an_import_takes_what_is_sound(serving, ann):
    pair = {"input": [[1]], "output": [[2]]}
    good = {"task_id": "sound", "version": 0, "train": [pair], "test": [pair]}
    wrong = [{**good, "task_id": "b", "train": []}, {**good, "task_id": 7}, {**good, "version": -1}, {**good, "task_id": "c", "test": [{"input": [[1, "x"]]}]},
             {**good, "task_id": "d", "operations": [{"op": "spin"}]}, "text", None]
    told = serving.ask("POST", "api/import?name=mixed.json&dataset=mixed", json.dumps([good, *wrong]).encode(), ann)[1]
    assert (told["tasks"], told["left_out"]) == (1, len(wrong))
    for n, text in enumerate(told["refused"], 1): assert f"mixed.json, entry {n}" in text
    store = {"sound": [{"text": "ok"}, {"text": ""}, {"text": "x", "voters": {"a": 5}}, {"no": 1}]}
    told = serving.ask("POST", "api/import?name=traces.json", json.dumps(store).encode(), ann)[1]
    assert told["traces"] in (0, 1) and (told["left_out"] == 3 or told["traces"] == 0)

@pytest.mark.parametrize("data", [b"", b"{", b"7", b"null", b"[]", b"{}", b"[1, 2]", b'{"a": {"train": 5}}', b"\xff\xff", b"[" * 100_000, b'[{"task_id": "x", "version": 1e400}]'])
def test_no_file_breaks_the_import(serving, ann, data):
    before = contents(serving, ann)
    status, told = serving.ask("POST", "api/import?name=odd.json", data, ann)
    assert status in (200, 400) and (status == 400 or told["tasks"] == 0)
    assert contents(serving, ann) == before

# Disks and other servers

def test_a_second_server_on_the_same_folder_is_refused(serving):
    done = subprocess.run([*COMMAND, "--data", str(serving.folder)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 2 and "another server uses" in done.stderr and "Traceback" not in done.stderr

def full_disk(folder, megabytes):
    "A small file system of its own; skips where it cannot be had"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], capture_output=True).returncode:
        pytest.skip("no right to mount a small file system here")

@pytest.mark.skipif(sys.platform != "linux", reason="needs a small file system")
def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path):
    full_disk(tmp_path / "disk", 6)
    try:
        with Serving(tmp_path / "disk" / "data", "builtin") as serving:
            ann, saved, rev = serving.join(), [], 0
            filler = tmp_path / "disk" / "filler"
            room = shutil.disk_usage(tmp_path / "disk").free
            filler.write_bytes(b"x" * max(0, room - 300_000))
            for n in range(400):
                body = {"rev": rev, "state": {"n": n, "pad": "y" * 5000}, "events": [{"stamp": f"s{n}", "pad": "z" * 5000}]}
                status, told = serving.ask("PUT", "api/versions/1/draft", body, ann)
                if status == 200: saved.append(n); rev = told["rev"]
                else: break
            assert status == 507 and "disk is full" in told["error"], (status, told)
            assert serving.ask("GET", "api/versions/1", secret=ann)[0] == 200 # reading goes on
            filler.unlink()
            status, told = serving.ask("PUT", "api/versions/1/draft", {**body, "rev": rev}, ann)
            assert status == 200
            events = serving.ask("GET", "api/versions/1/recording", secret=ann)[1]["events"]
            assert [o["stamp"] for o in events] == [f"s{n}" for n in saved] + [f"s{len(saved)}"]
    finally: subprocess.run(["umount", "-l", str(tmp_path / "disk")])

@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0 and not shutil.which("mount"), reason="needs a read-only folder")
def test_a_folder_without_the_right_to_write_is_told(tmp_path):
    full_disk(tmp_path / "disk", 4)
    try:
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path / "disk")], check=True)
        done = subprocess.run([*COMMAND, "--data", str(tmp_path / "disk" / "data")], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert done.returncode == 2 and "cannot be written" in done.stderr and "Traceback" not in done.stderr
    finally: subprocess.run(["umount", "-l", str(tmp_path / "disk")])

def test_kill_during_writes_keeps_every_acknowledged_one(tmp_path):
    "Eight people write as fast as they can; the server is killed three times; what was acknowledged is there"
    serving = Serving(tmp_path / "data", "builtin").start()
    secrets = [serving.join(f"p{n}") for n in range(8)]
    kept, stop = {n: [] for n in range(8)}, threading.Event()
    def write(n):
        for k in range(10_000):
            if stop.is_set(): return
            try: status, told = serving.ask("POST", "api/traces", {"task_id": f"t{n}", "text": f"{n}-{k}"}, secrets[n])
            except (OSError, http.client.HTTPException): time.sleep(.05); continue
            if status == 200: kept[n].append(f"{n}-{k}")
    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for t in threads: t.start()
    port = serving.port
    for _ in range(3):
        time.sleep(1 + random.random())
        serving.stop(signal.SIGKILL)
        serving.port = port
        serving.start()
    time.sleep(1)
    stop.set()
    for t in threads: t.join()
    for n in range(8):
        there = [o["text"] for o in serving.ask("GET", f"api/traces?task_id=t{n}", secret=secrets[n])[1]["traces"]]
        assert set(kept[n]) <= set(there) and len(there) == len(set(there))
    assert sum(map(len, kept.values())) > 50
    assert serving.stop() in (0, -15)

def test_a_backup_can_be_restored(tmp_path):
    with Serving(tmp_path / "data", "builtin") as serving:
        ann = serving.join()
        name = serving.ask("POST", "api/backups", secret=ann)[1]["name"]
        serving.ask("POST", "api/traces", {"task_id": "rings", "text": "after"}, ann)
    with Serving(tmp_path / "data", "--restore", tmp_path / "data" / "backups" / name) as serving:
        assert serving.ask("GET", "api/traces?task_id=rings", secret=ann)[1]["traces"] == []

def test_base_path_and_further_hosts(tmp_path):
    with Serving(tmp_path / "data", "--base-path", "/proxy/absolute/1", "--allow-host", "*.example.org") as serving:
        assert serving.base.endswith("/proxy/absolute/1/")
        assert serving.ask("GET", "api/tasks")[0] == 200 and serving.ask("GET", "solve.html")[0] == 200
        assert serving.ask("GET", "api/tasks", host="hub.example.org", origin="https://hub.example.org")[0] == 200
        assert serving.ask("GET", "api/tasks", host="example.com")[0] == 403

def test_schemathesis_finds_no_5xx(serving, ann):
    "A property-based tester reads the API document and tries what fits it, and what does not"
    tool = pytest.importorskip("schemathesis", reason="schemathesis is not installed: pip install '.[browser]'")
    command = [sys.executable, "-m", "schemathesis.cli", "run", serving.base + "api/openapi.json", "-H", f"x-arc-token: {serving.token}", "-H", f"x-arc-user: {ann}",
               "--checks", "not_a_server_error", "--max-examples", "12", "--phases", "examples,coverage,fuzzing", "--request-timeout", "40", "--exclude-path", "/api/events", "--seed", "1", "--no-color"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=560, env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")})
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
