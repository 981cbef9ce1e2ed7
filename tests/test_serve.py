"The reward server: load, kill -9, clients that vanish, bodies and tokens that are wrong, back pressure, and a graceful end."
import json, re, signal, socket, subprocess, sys, threading, time
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the server's extra is not installed: pip install '.[serve]'")
pytest.importorskip("uvicorn", reason="the server's extra is not installed: pip install '.[serve]'")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import chained_adv.serve as module
from calling import call
from chained_adv.core import ConfigError, Problem
from chained_adv.sandbox import Job, Sandbox, SandboxError, problem_job
from chained_adv.serve import RewardServer
from chained_adv.testcases import baseline_cases
from chained_adv.tiny.world import tiny_problems
from reward_server import Served, ask_all, measure, tree

LOOPER = "def f(x):\n    while True: pass"
RIGHT = dict(code="def f(x): return x", tests="assert f(1) == 1")
TWICE = Problem("twice", "Twice n.", "def twice(n):", ([1, 2], [3, 6]), "def twice(n): return 2 * n", setup="K = 2", rules={"float": 1e-6})

@pytest.fixture(scope="module")
def server():
    with Sandbox(timeout=.5, give_up=True) as box, RewardServer(box, [TWICE, *tiny_problems("train", 40)], max_bytes=300_000) as s: yield s

def ask(server, *items, body=None, token=None, path="/judge"):
    "(status, answer)"
    shim = Served(port=server.port)
    data = body if body is not None else dict(items=list(items))
    return shim.ask("POST" if path == "/judge" else "GET", path, data if path == "/judge" else None, server.token if token is None else token)

def judged(server, *items):
    status, answer = ask(server, *items)
    assert status == 200, answer
    return answer["results"]

def raw(server, head, body=b"", wait=20):
    "What comes back on a connection of our own; empty if it is cut"
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait) as s:
        s.sendall(head.replace(b"TOKEN", server.token.encode()))
        got = b""
        try:
            s.sendall(body)
            while piece := s.recv(65536): got += piece
        except OSError: pass
        return got

def metric(server, name):
    found = re.search(rf"^chained_adv_{re.escape(name)} (\S+)$", ask(server, path="/metrics")[1], re.M)
    return float(found[1]) if found else 0

def until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(.02)

# what is judged
def test_verdicts_are_those_of_the_sandbox(server):
    problems = tiny_problems("train", 40)
    codes = [p.reference_solution if n % 3 else f"{p.function_signature}\n return 3" for n, p in enumerate(problems)]
    rows = [dict(code=c, problem=p.id, id=f"n{n}") for n, (p, c) in enumerate(zip(problems, codes))]
    own = [dict(code=c, tests=[list(t) for t in p.baseline_tests], signature=p.function_signature) for p, c in zip(problems, codes)]
    texts = [dict(code=c, tests=[f"assert solve({', '.join(map(repr, t[:-1]))}) == {t[-1]!r}" for t in p.baseline_tests], signature=p.function_signature) for p, c in zip(problems, codes)]
    with Sandbox(timeout=.5, give_up=True) as box: wanted = box.run_many([problem_job(p, c, baseline_cases(p), reference=p.reference_solution) for p, c in zip(problems, codes)])
    assert 0 < sum(o.passed for o in wanted) < 40
    for items in (rows, own, texts):
        got = judged(server, *items)
        assert [o["id"] for o in got] == [o.get("id", "") for o in items]
        assert [[(v["outcome"], v["reason"]) for v in o["verdicts"]] for o in got] == [[(v.outcome, v.reason) for v in o.verdicts] for o in wanted]
        assert [(o["passed"], o["pass_rate"], o["num_passed"], o["num_total"], o["timed_out"]) for o in got] == [(o.passed, o.pass_rate, o.num_passed, o.num_total, o.timed_out) for o in wanted]

def test_forms_of_tests(server):
    for tests in ("assert f(1) == 1", ["assert f(1) == 1", "(2, 2)"], "import pytest\ndef test_a(): assert f(1) == 1", "(1, 1)"):
        assert judged(server, dict(code="```python\ndef f(x): return x\n```", tests=tests))[0]["passed"], tests
    got, = judged(server, dict(code="def f(x): return x", tests=["assert f(1) == 2", "no test at all", "assert f(2) == 2"]))
    assert [o["outcome"] for o in got["verdicts"]] == ["wrong_value", "rejected", "passed"] and (got["num_passed"], got["num_total"]) == (1, 2)

def test_tests_that_a_model_wrote(server):
    "With the server's reference they can be validated, and invalid ones count for nothing"
    tests = "assert twice(2) == 4\nassert twice(2) == 5\nassert twice(n=1) == twice(1)"
    valid, = judged(server, dict(problem="twice", code=TWICE.reference_solution, tests=tests, runs=2))
    assert [o["outcome"] == "passed" for o in valid["verdicts"]] == [True, False, False], valid
    close, = judged(server, dict(problem="twice", code="def twice(n): return K * n + (n == 7)", tests=tests))
    assert [o["outcome"] for o in close["verdicts"]] == ["passed", "rejected", "rejected"] and (close["passed"], close["pass_rate"], close["num_total"]) == (True, 1, 1) and "not valid" in close["verdicts"][1]["reason"]
    wrong, = judged(server, dict(problem="twice", code="def twice(n): return n + 1", tests=tests))
    assert (wrong["passed"], wrong["num_passed"], wrong["num_total"]) == (False, 0, 1)
    own, late = judged(server, dict(code="def f(x): return x", reference="def f(x): return x or 1", tests="(1, 1)\n(0, 0)\n(0, 1)"), dict(code=LOOPER, reference="def f(x): return x", tests="(1, 3)"))
    assert [o["outcome"] for o in own["verdicts"]] == ["passed", "rejected", "wrong_value"] and own["pass_rate"] == .5
    assert (late["num_total"], late["passed"], late["pass_rate"], late["timed_out"]) == (0, False, 0, False)

def test_a_problem_whose_tests_cannot_be_guarded_blames_no_program(server):
    "Its test needs the program's own process, so it judges nobody"
    code = "import sys\ndef f(x): return x"
    tests = ("assert f(1) == 1", "def test_module():\n    import inspect\n    assert 'return x' in inspect.getsource(f) and f(1) == 1")
    with Sandbox(timeout=.5) as box, RewardServer(box, [Problem("inside", "x", "def f(x):", tests, code)]) as s:
        right, wrong = judged(s, dict(problem="inside", code="def f(x): return +x"), dict(problem="inside", code="def f(x): return 2"))
    assert [o["outcome"] for o in right["verdicts"]] == ["passed", "rejected"] and right["passed"] and not wrong["passed"], right

CHEATS = ["import os\nos._exit(0)", "import sys\nsys.exit()", "class A:\n    def __eq__(self, o): return True\ndef f(x): return A()",
          "import builtins\nbuiltins.abs = lambda x: 1\ndef f(x): return None", LOOPER, "def f(x): raise SystemExit(0)"]

@pytest.mark.parametrize("code", CHEATS)
def test_cheats_earn_nothing(server, code):
    assert [(o["passed"], o["pass_rate"]) for o in judged(server, dict(code=code, tests="assert f(1) == 1\nassert abs(f(-1)) == 1", signature="def f(x):"))] == [(False, 0)]

def test_texts_of_any_kind_come_back_as_json(server):
    got = judged(server, dict(code="def f(x): return '\\ud800\\x00\\u2028'", tests="assert f(1) == 1"), dict(code="def f(x): raise ValueError('\\udfff')", tests="assert f(1) == 1", id="ü\u0000"))
    assert [o["passed"] for o in got] == [False, False] and got[1]["id"] == "ü\u0000"

# refusals
@pytest.mark.parametrize("body, status, words", [
    (b"{", 400, "JSON"), (b"", 422, "Field required"), (b"\xff\xfe", 400, ""), (b"[" * 100_000, 400, ""),
    (b"[]", 422, ""), ({}, 422, "items"), (dict(items=[]), 413, "0 items"), (dict(items=[{}]), 422, "items.0.code"), (dict(items=[RIGHT | dict(code=3)]), 422, "items.0.code"),
    (dict(items=[RIGHT], more=1), 422, "more"), (dict(items=[RIGHT | dict(test="x")]), 422, "items.0.test"), (dict(items=[RIGHT, dict(code="x")]), 422, "items[1]: give tests"),
    (dict(items=[RIGHT | dict(runs=3)]), 422, "items[0]: runs"), (dict(items=[RIGHT | dict(tests=[3])]), 422, "neither text nor list"), (dict(items=[RIGHT | dict(tests=[[1, 1]])]), 422, "need a signature"),
    (dict(items=[RIGHT | dict(tests=[[1, 1], []], signature="def f(x):")]), 422, "does not fit"), (dict(items=[RIGHT | dict(tests=["x"] * 1001)]), 422, "at most 1000"),
    (dict(items=[RIGHT | dict(code="#" * 200_001)]), 422, "200,000 characters"), (dict(items=[RIGHT | dict(problem="none")]), 422, "no problem 'none'"),
    (dict(items=[RIGHT | dict(problem="twice", signature="def f():")]), 422, "leave them out"), (dict(items=[RIGHT | dict(signature="class")]), 422, "signature"),
    (dict(items=[RIGHT | dict(signature="def f(x=" + "(" * 5000)]), 422, "items[0]"), (dict(items=[RIGHT | dict(signature="def f(x\0):")]), 422, "items[0]"), (dict(items=[RIGHT] * 1025), 413, "1025 items")])
def test_malformed_bodies(server, body, status, words):
    got, answer = ask(server, body=body)
    assert got == status and words in answer["detail"] and set(answer) == {"detail"}, answer
    assert judged(server, RIGHT)[0]["passed"] # and the server goes on

@pytest.mark.parametrize("field", ["code", "tests", "id", "problem", "entry_point", "signature", "reference", "other"])
def test_half_characters(server, field):
    status, answer = ask(server, body=json.dumps(dict(items=[RIGHT | {field: "def f(x): '\ud800'"}])).encode())
    assert status == 200 and len(answer["results"]) == 1 or status == 422 and answer["detail"], answer

@pytest.mark.parametrize("token", ["", "x", "Bearer", "tökén".encode().decode("latin-1"), "a" * 5000])
def test_wrong_tokens(server, token):
    before = metric(server, "programs_total")
    for path in ("/judge", "/metrics"): assert ask(server, RIGHT, token=token, path=path)[0] == 401
    assert metric(server, "programs_total") == before

def test_other_ways_to_ask(server):
    head = b"POST /judge HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
    for more in (b"", b"Authorization: Basic TOKEN\r\n", b"Authorization: bearer TOKEN\r\n", b"Authorization: TOKEN\r\n"):
        assert b" 401 " in raw(server, head + more + b"\r\n", b"{}").split(b"\r\n")[0]
    assert ask(server, path="/health", token="")[1]["status"] == "ok" and ask(server, path="/openapi.json", token="")[0] == 200
    assert ask(server, path="/docs")[0] == 404 and ask(server, path="/none")[0] == 404 and ask(server, path="/none", token="")[0] == 401
    assert b" 405 " in raw(server, b"GET /judge HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer TOKEN\r\n\r\n").split(b"\r\n")[0]
    assert raw(server, b"\x16\x03\x01 nonsense\r\n\r\n").startswith(b"HTTP/1.1 400")

def test_requests_and_answers_are_described(server):
    about = ask(server, path="/openapi.json")[1]["components"]["schemas"]
    assert {"code", "tests", "problem", "id"} <= set(about["JudgeItem"]["properties"]) and about["JudgeItem"]["required"] == ["code"] and "pass_rate" in about["ItemResult"]["properties"]

AUTH = b"POST /judge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\n"
def test_oversized_bodies(server):
    assert ask(server, RIGHT | dict(code="#" * 100_000))[0] == 200
    with pytest.raises(AssertionError): judged(server, *[RIGHT | dict(code="#" * 100_000)] * 4)
    got = raw(server, AUTH + b"Content-Length: 300001\r\n\r\n")
    assert b" 413 " in got.split(b"\r\n")[0] and b"300,000 bytes" in got # before a byte of it was read
    assert b" 413 " in raw(server, AUTH + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n" + (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 4).split(b"\r\n")[0]
    for length in (b"-1", b"1e3", b"9" * 40): assert b"200 OK" not in raw(server, AUTH + b"Content-Length: " + length + b"\r\n\r\n", b"{}")
    assert judged(server, RIGHT)[0]["passed"]

def test_a_body_that_never_ends_is_given_up(server, monkeypatch):
    monkeypatch.setattr(module, "BODY_SECONDS", .3)
    started = time.monotonic()
    assert b" 408 " in raw(server, AUTH + b"Content-Length: 100\r\n\r\n", b"{").split(b"\r\n")[0] and time.monotonic() - started < 5

# clients that vanish, full queues, and time
def looping(n): return dict(code=f"{LOOPER}\n# {n}", tests="assert f(1) == 1")

def test_what_nobody_waits_for_is_not_run(server):
    before, body = metric(server, "programs_total"), lambda n: json.dumps(dict(items=[looping(f"gone {n}")] * 1)).encode()
    for n in range(40):
        with socket.create_connection(("127.0.0.1", server.port)) as s:
            s.sendall(AUTH.replace(b"TOKEN", server.token.encode()) + f"Content-Length: {len(body(n))}\r\nContent-Type: application/json\r\n\r\n".encode() + body(n))
    started = time.monotonic()
    assert judged(server, RIGHT)[0]["passed"] and time.monotonic() - started < 8 # 40 of them take 20 seconds of processor time
    until(lambda: metric(server, "waiting_programs") == 0)
    assert metric(server, "programs_total") - before < 20 and metric(server, 'requests_total{status="499"}') > 0

def test_clients_that_leave_in_the_middle_of_a_body(server):
    for n in range(30):
        with socket.create_connection(("127.0.0.1", server.port)) as s: s.sendall(AUTH.replace(b"TOKEN", server.token.encode()) + b"Content-Length: 1000\r\n\r\n{")
    assert judged(server, RIGHT)[0]["passed"]

def test_a_full_queue_refuses_and_says_when_to_come_back():
    with Sandbox(timeout=.3, workers=1, give_up=True) as box, RewardServer(box, room=8) as s:
        answers, waits = [], []
        def client(n):
            while True:
                connection = __import__("http.client").client.HTTPConnection("127.0.0.1", s.port, timeout=60)
                connection.request("POST", "/judge", json.dumps(dict(items=[looping(f"{n} {i}") for i in range(2)])), {"Authorization": f"Bearer {s.token}", "Content-Type": "application/json"})
                answer = connection.getresponse(); text = answer.read(); connection.close()
                if answer.status != 429: return answers.append((answer.status, len(json.loads(text)["results"])))
                waits.append(int(answer.headers["Retry-After"])); time.sleep(.2)
        threads = [threading.Thread(target=client, args=(n,)) for n in range(10)]
        for t in threads: t.start()
        while any(t.is_alive() for t in threads):
            assert metric(s, "waiting_programs") <= 8
            time.sleep(.05)
        assert answers == [(200, 2)] * 10 and waits and all(1 <= o <= 60 for o in waits)
        assert metric(s, 'requests_total{status="429"}') == len(waits)
        assert ask(s, *[RIGHT] * 9)[0] == 413 and len(judged(s, *[RIGHT] * 8)) == 8

def test_a_result_that_takes_too_long():
    with Sandbox(timeout=3, give_up=True) as box, RewardServer(box, max_wait=.5) as s:
        status, answer = ask(s, looping(0))
        assert (status, answer) == (503, dict(detail="no result within 0.5 seconds"))
        until(lambda: metric(s, "waiting_programs") == 0)

def test_a_broken_sandbox_is_no_verdict(server, monkeypatch):
    def broken(self, plans, progress=None): raise SandboxError("no processes left")
    with monkeypatch.context() as m:
        m.setattr(Sandbox, "run_plans", broken)
        assert ask(server, RIGHT) == (503, dict(detail="the sandbox failed: no processes left"))
    with monkeypatch.context() as m:
        m.setattr(Sandbox, "plan", lambda self, job: broken(self, job))
        assert ask(server, RIGHT)[0] == 503
    assert judged(server, RIGHT)[0]["passed"]

def test_any_other_fault_reaches_the_client_too(server, monkeypatch):
    with monkeypatch.context() as m:
        m.setattr(Sandbox, "run_plans", lambda self, plans, progress=None: 1 / 0)
        assert ask(server, RIGHT)[0] == 500
    assert judged(server, RIGHT)[0]["passed"]

# a process of its own
def test_load():
    found = measure(400, 32)
    assert not found["errors"] and found["answered"] == 400 and not found["retries"] and found["status"] == 0, found
    for line in ('requests_total{status="200"} 400', "programs_total 400", "items_passed_total 300", "waiting_programs 0"): assert line in found["metrics"]

def test_kill_in_the_middle_of_a_load():
    "No process is left, and with a new server on the same port every request is answered, once and rightly"
    found = measure(300, 16, kills=1)
    assert not found["errors"] and found["answered"] == 300 and found["retries"] and not found["left"] and found["status"] == 0, found

@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_graceful_end_answers_what_waits(how):
    with Served("--timeout", "1") as s:
        assert "127.0.0.1" in s.said and "the load test" not in s.said and "isolation" in s.said
        got, family = [], tree(s.process.pid)
        threads = [threading.Thread(target=lambda n=n: got.append(s.ask("POST", "/judge", dict(items=[looping(n)])))) for n in range(4)]
        for t in threads: t.start()
        until(lambda: "waiting_programs 4" in s.ask("GET", "/metrics")[1])
        assert s.stop(how) == 0
        for t in threads: t.join()
        assert [(status, o["results"][0]["timed_out"]) for status, o in got] == [(200, True)] * 4
        with pytest.raises(OSError): s.ask("GET", "/health")
        until(lambda: not any(map(tree, family)))

@pytest.mark.parametrize("form", ["lines", "json"])
def test_a_new_token_is_printed_and_long(form):
    command = [sys.executable, "-c", "from chained_adv.cli import main; main()", "serve", "--port", "0", *["--json"] * (form == "json")]
    p = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    said = [next(p.stdout if form == "json" else p.stderr) for _ in range(5 + (form == "json"))]
    facts = json.loads("".join(said)) if form == "json" else dict(o.split(None, 1) for o in said)
    p.terminate() # stopped right after its first words
    assert p.wait(30) == 0 and len(facts["token"].strip()) >= 32 and facts["address"].startswith("http://127.0.0.1:") and facts["problems"] in (0, "0\n")
    p.stderr.close(); p.stdout.close()

def test_wrong_settings(monkeypatch):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0)); s.listen()
        done = call("serve", "--port", s.getsockname()[1])
        assert done.exit_code == 2 and "cannot be used" in done.stderr and "--port" in done.stderr
    for words in (["--port", "99999"], ["--host", "nowhere.invalid"], ["--problems", "none.json"], ["--timeout", "0"], ["--tokens", "x"]):
        done = call("serve", *words)
        assert done.exit_code == 2 and done.stderr and "Traceback" not in done.stderr, done.stderr
    monkeypatch.setitem(sys.modules, "fastapi", None)
    done = call("serve")
    assert done.exit_code == 2 and "pip install 'chained_adv[serve]'" in done.stderr

def test_help_and_imports_are_light():
    code = "import sys, chained_adv.serve\nfrom chained_adv.cli import main\ntry: main(['serve', '--help'])\nexcept SystemExit: pass\nprint([m for m in ('torch', 'fastapi', 'uvicorn', 'pydantic', 'starlette') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]" and "chained-adv serve --problems HumanEval.jsonl" in done.stdout
