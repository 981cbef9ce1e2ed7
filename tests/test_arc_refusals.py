"""No traceback for what a machine or a file can be like: places that cannot be written, a full disk, odd lines, files that are in the way."""
import errno, json, os

import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from typer.testing import CliRunner

import chained_adv.arc.files as files
from chained_adv.arc.cli import app
from chained_adv.arc.datasets import load_tasks, save_tasks
from chained_adv.arc.results.attempts import attempt_key, make_items, read_attempts
from chained_adv.arc.grids import ArcError
from chained_adv.arc.transforms import make_variation
from test_arc_faults import client_for, make_tasks, run, server


def call(*args): return CliRunner().invoke(app, list(map(str, args)))

def refused(*args):
    "Exit status 2, with words and without a traceback"
    r = call(*args)
    assert r.exit_code == 2 and isinstance(r.exception, SystemExit), (r.exit_code, r.exception)
    return r.output


# ---- places that cannot be written

@pytest.fixture
def blocked(tmp_path):
    "A path inside a file: nobody can write there, not even the administrator"
    (tmp_path / "file").write_text("")
    return tmp_path / "file" / "inside"

def test_every_command_refuses_a_place_that_cannot_be_written(blocked, tmp_path):
    assert call("bench", "code", "--model", "identity", "--max-tasks", 2, "--out", tmp_path / "run").exit_code == 0
    for command in (["generate", "code", "--model", "identity", "--max-tasks", 2, "--out", blocked], ["bench", "code", "--model", "identity", "--max-tasks", 2, "--out", blocked], ["verify", tmp_path / "run", "--out", blocked],
                    ["convert", "builtin", "--out", blocked], ["merge", "builtin", "--out", blocked], ["show", "rings", "--png", blocked], ["transform", "rings", "--ops", "transpose", "--out", blocked],
                    ["export", "kaggle", tmp_path / "run", "--out", f"{blocked}.json"], ["export", "arc-agi-benchmarking", tmp_path / "run", "--out", blocked]):
        assert "file" in refused(*command), command

# ---- a full disk

def full_for(names, monkeypatch):
    "No room for new files of some names"
    real = open
    def fake(path, mode="r", *args, **kwargs):
        if any(str(path).endswith(o) for o in names) and set(mode) & set("wax"): raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return real(path, mode, *args, **kwargs)
    monkeypatch.setattr(files, "open", fake, raising=False)

def test_a_resume_needs_no_second_copy(tmp_path, monkeypatch):
    "No room beside the file: failed lines are struck out where they stand, and the run goes on"
    items = list(make_items(make_tasks(20), "code"))
    with server("--faults", "bad_request", "--share", .4, "--seed", 3) as url:
        first = run(client_for(url), items, tmp_path / "run")
        with monkeypatch.context() as m:
            full_for(["attempts.jsonl.part"], m)
            parts = [run(client_for(url), items, tmp_path / "run", resume=True) for _ in range(2)]
        last = run(client_for(url), items, tmp_path / "run", resume=True)
    assert first.errors and [o.status for o in parts] == ["finished"] * 2
    keys = [attempt_key(o) for o in read_attempts(tmp_path / "run")]
    assert sorted(keys) == sorted(o.key for o in items) and last.pending == 0
    assert call("verify", tmp_path / "run", "--dataset", save_tasks(make_tasks(20), tmp_path / "t.json", "set")[0]).exit_code in (0, 1)

def test_no_room_at_all_is_told_and_loses_nothing(tmp_path, monkeypatch):
    items = list(make_items(make_tasks(20), "code"))
    with server("--faults", "bad_request", "--share", .4, "--seed", 3) as url:
        run(client_for(url), items, tmp_path / "run")
        before = (tmp_path / "run/attempts.jsonl").read_bytes()
        with monkeypatch.context() as m:
            full_for(["failures.jsonl"], m)
            with pytest.raises(ArcError, match="make room"): run(client_for(url), items, tmp_path / "run", resume=True)
        assert (tmp_path / "run/attempts.jsonl").read_bytes() == before
        again = run(client_for(url), items, tmp_path / "run", resume=True)
    assert again.status == "finished" and again.pending == 0

# ---- odd lines

def row(**more):
    return {"task_key": "builtin@1/rings", "task_id": "rings", "kind": "code", "pair": None, "attempt": 0, "round": 0, "status": "ok", "error": None, "text": "", "code": "def solve_task(g): return g", "grid": None, "trouble": "", **more}

ODD = {"code a number": row(code=5), "code a list": row(code=["x"]), "pair too large": row(kind="direct", code=None, grid=[[1]], pair=99), "pair negative": row(kind="direct", code=None, grid=[[1]], pair=-7), "pair a text": row(pair="0"),
       "pair a list": row(pair=[0]), "attempt a text": row(attempt="0"), "attempt a list": row(attempt=[]), "round a text": row(round="1"), "key a list": row(task_key=["a"]), "key null": row(task_key=None), "kind null": row(kind=None),
       "status null": row(status=None), "error a text": row(status="error", error="gone"), "error empty": row(status="error", error={}), "a number": 5, "a list": [1], "null": None, "task nowhere": row(task_key="x/y", task_id="y"), "id a list": row(task_key="x/y", task_id=["y"])}
LEGAL = {"grid a text": row(code=None, grid="[[1]]", kind="direct", pair=0), "grid a number": row(code=None, grid=7, kind="direct", pair=0), "grid ragged": row(code=None, grid=[[1], [1, 2]], kind="direct", pair=0), "trouble a number": row(code=None, trouble=7),
         "nul in the code": row(code="\0"), "surrogate in the code": row(code="x = '\ud800'\ndef solve_task(g): return g"), "deep code": row(code="x = " + "(" * 5000), "a dictionary of code": row(code="{}"), "failed": row(status="error", error={"label": "timeout"}, code=None)}

@pytest.mark.parametrize("name", ODD)
def test_an_odd_line_is_named(tmp_path, name):
    (tmp_path / "attempts.jsonl").write_text(json.dumps(row()) + "\n" + json.dumps(ODD[name]) + "\n")
    told = refused("verify", tmp_path, "--dataset", "builtin")
    assert "line 2" in told or "attempt 2" in told or "entry 2" in told

@pytest.mark.parametrize("name", LEGAL)
def test_an_odd_answer_is_judged(tmp_path, name):
    (tmp_path / "attempts.jsonl").write_text(json.dumps(LEGAL[name]) + "\n")
    r = call("verify", tmp_path, "--dataset", "builtin", "--json")
    assert r.exit_code == 1 and json.loads(r.stdout)["attempts"] == 1, r.output

@pytest.mark.parametrize("entry", [{"task_id": "rings", "python_code": 5}, {"task_id": "rings", "python_code": [None, 7, {"a": 1}]}, {"task_id": "rings", "output_grid": "x"}, {"task_id": "rings", "output_grid": [[None]]}, {"task_id": "rings", "output_grid": []},
                                   {"task_id": "rings", "output_grid": {"a": 1}}, {"task_id": ["rings"], "python_code": ""}, {"task_id": "a", "task_data": {"train": 5}, "python_code": ""}, {"task_id": "a", "task_data": 7}])
def test_odd_entries_of_the_founding_system(tmp_path, entry):
    (tmp_path / "a.jsonl").write_text(json.dumps(entry) + "\n")
    r = call("verify", tmp_path / "a.jsonl")
    assert r.exit_code in (1, 2) and isinstance(r.exception, SystemExit), r.exception

# ---- files that are in the way

@pytest.mark.parametrize("form, name", [("set", "mine.json"), ("dataset", "mine.json"), ("folder", "rings.json"), ("kaggle", "challenges.json"), ("kaggle", "solutions.json")])
def test_convert_and_merge_overwrite_nothing(tmp_path, form, name):
    mine = tmp_path / name
    mine.write_text("my notes")
    out = tmp_path if form in ("folder", "kaggle") else mine
    for command in ("convert", "merge"):
        assert f"{mine} would be overwritten" in refused(command, "builtin", "--out", out, "--form", form)
        assert mine.read_text() == "my notes" and len(list(tmp_path.iterdir())) == 1, "something was written before the refusal"
    assert call("convert", "builtin", "--out", out, "--form", form, "--force").exit_code == 0
    assert json.loads(mine.read_text())

def test_a_link_that_leads_nowhere_is_in_the_way_too(tmp_path):
    (tmp_path / "mine.json").symlink_to(tmp_path / "nowhere")
    refused("convert", "builtin", "--out", tmp_path / "mine.json", "--form", "set")

def test_traces_are_not_overwritten(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"x": [{"text": "Mirror it."}]}))
    (tmp_path / "mine.txt").write_text("my notes")
    refused("merge", tmp_path / "a.json", "--out", tmp_path / "mine.txt")
    assert (tmp_path / "mine.txt").read_text() == "my notes"

@pytest.mark.parametrize("form", ["dataset", "set", "folder"])
def test_variations_without_their_original_keep_their_story(tmp_path, form):
    base = load_tasks("builtin")[0]
    made = [make_variation(base, [{"op": o}], ("ann",)) for o in ("rotate_90", "transpose")]
    made.append(make_variation(base, [{"op": "swap", "train": 0, "test": 0}, {"op": "permute_colors", "map": [0, 2, 1, *range(3, 10)]}]))
    save_tasks(made, tmp_path / ("out" if form == "folder" else "out.json"), form)
    again = {t.key: t for t in load_tasks(f"builtin@1={tmp_path / ('out' if form == 'folder' else 'out.json')}")}
    assert {k: (t.parent, t.operations, t.signed_by, t.train, t.test) for k, t in again.items()} == {t.key: (t.parent, t.operations, t.signed_by, t.train, t.test) for t in made}

# ---- what an endpoint says, in words that help

import asyncio

from arc_fault_server import ANSWER
from test_arc_odd_replies import GOOD, JSON, Oddities, body, frame, on_wire, talk
from chained_adv.arc.clients import make_client
from chained_adv.arc.limits import Limits
from chained_adv.arc.generate import RunReport, progress_text, run_attempts, show_progress


def told_by(tmp_path, *responses, work=None):
    "The error of one attempt at an endpoint that answers so"
    go = lambda client: run_attempts(client, list(make_items(make_tasks(1), "code")), tmp_path / "run")
    asyncio.run(talk(Oddities(responses), tmp_path, False, 1, go))
    return next(read_attempts(tmp_path / "run"))["error"]

@pytest.mark.parametrize("status, message", [("413 Too Large", ""), ("400 Bad", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."), ("400 Bad", "prompt is too long: 210000 tokens > 200000 maximum"),
    ("400 Bad", "the request exceeds the available context size"), ("422 No", "Input validation error: too many input tokens"), ("400 Bad", "Please reduce the length of the messages"), ("400 Bad", "context_length_exceeded"), ("400 Bad", "Requested token count exceeds the model's maximum context window")])
def test_a_prompt_that_does_not_fit_is_too_long(tmp_path, status, message):
    assert told_by(tmp_path, frame(status, JSON, json.dumps({"error": {"message": message}}).encode()))["label"] == "too_long"

@pytest.mark.parametrize("message", ["temperature must be below 2", "no such parameter: context", "unknown model"])
def test_other_bad_requests_stay_so(tmp_path, message):
    assert told_by(tmp_path, frame("400 Bad", JSON, json.dumps({"error": {"message": message}}).encode()))["label"] == "bad_request"

@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
def test_a_redirect_tells_its_target(tmp_path, status):
    error = told_by(tmp_path, frame(status, "location: https://other.example/v1\r\n"))
    assert error["label"] == "moved" and "https://other.example/v1" in error["message"] and "--base-url" in error["message"]

def test_a_long_retry_after_is_mentioned(tmp_path):
    error = told_by(tmp_path, frame("429 Slow", JSON + "retry-after: 86400\r\n", b'{"error": {"message": "daily limit"}}'))
    assert error["label"] == "rate_limited" and "asks to wait 86400 s" in error["message"] and "--task-timeout" in error["message"]

def test_unknown_prices_are_not_printed_as_nothing(tmp_path):
    with server() as url:
        report = run(make_client("m", base_url=url, params={"max_tokens": 64}), list(make_items(make_tasks(3), "code")), tmp_path / "run")
        r = call("bench", "code", "--model", "m", "--base-url", url, "--max-tasks", 2, "--out", tmp_path / "bench")
        priced = call("bench", "code", "--model", "m", "--base-url", url, "--max-tasks", 2, "--out", tmp_path / "priced", "--price-prompt", 1, "--price-completion", 1)
    assert "cost unknown" in progress_text(report) and "USD" not in progress_text(report)
    assert "cost unknown" in r.stdout and "0.0000" not in r.stdout and "cost unknown" not in priced.stdout and " USD" in priced.stdout
    assert json.loads((tmp_path / "bench/report.json").read_text())["spent"]["priced"] is False

# ---- progress without a terminal

def test_after_a_stop_one_line_is_printed(capsys):
    with show_progress(100, every=1000) as tell:
        report = RunReport("x", 100)
        for n in range(50):
            report.ok = n
            if n == 20: report.status = "interrupted"
            tell(report)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "interrupted" in lines[0]
