"""An endpoint may say anything, whole or in pieces: each odd reply ends as one labelled row, and the run goes on and can be resumed."""
import asyncio, gzip, json

import pytest

httpx2 = pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from chained_adv.arc.bench import BenchPlan, run_bench
from chained_adv.arc.clients import make_client
from chained_adv.arc.limits import Budget, Limits
from chained_adv.arc.protocol import FAILURES, Prices
from chained_adv.arc.generate import run_attempts
from chained_adv.arc.results.attempts import make_items, read_attempts
from test_arc_faults import make_tasks
from arc_fault_server import ANSWER

USAGE = {"prompt_tokens": 50, "completion_tokens": 30}
DEEP = "[" * 100_000 + "]" * 100_000


def body(content=ANSWER, finish="stop", usage=USAGE, **message):
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}], "usage": usage}

OK = "ok"
SURROGATE = json.dumps(body("a \ud83d b " + ANSWER))

# name -> (what stands in the body, label of the row); text, bytes, or a value that becomes JSON
WHOLE = {
    "nothing": ("", "empty_reply"), "blanks": (" \n ", "empty_reply"), "a word": ("OK", "bad_json"), "html": ("<html>502</html>", "bad_json"),
    "null": ("null", "bad_json"), "true": ("true", "bad_json"), "a number": ("5", "bad_json"), "nan": ("NaN", "bad_json"), "a text": ('"hello"', "bad_json"),
    "empty list": ("[]", "bad_json"), "a list": ([body()], "bad_json"), "empty": ({}, "bad_json"), "deep list": (DEEP, "bad_json"),
    "deep inside": ('{"choices": [{"message": {"content": ' + DEEP + "}}]}", "bad_json"), "half": (json.dumps(body())[:80], "bad_json"),
    "two": (json.dumps(body()) * 2, "bad_json"), "utf-16": (json.dumps(body()).encode("utf-16"), OK), "latin-1": (b'{"choices": "\xe4"}', "bad_json"),
    "bom": (b"\xef\xbb\xbf" + json.dumps(body()).encode(), OK), "nul bytes": (b"\0" * 50, "bad_json"), "huge number": ('{"choices": ' + "9" * 5000 + "}", "bad_json"),
    "choices number": ({"choices": 5}, "bad_json"), "choices text": ({"choices": "abc"}, "bad_json"), "choices null": ({"choices": None}, "bad_json"),
    "choices dict": ({"choices": {"0": 1}}, "bad_json"), "choice number": ({"choices": [3]}, "bad_json"), "choice list": ({"choices": [[1]]}, "bad_json"),
    "choice null": ({"choices": [None]}, "bad_json"), "no message": ({"choices": [{}]}, "bad_json"), "message text": ({"choices": [{"message": "hi"}]}, "bad_json"),
    "message list": ({"choices": [{"message": ["hi"]}]}, "bad_json"), "content null": (body(None), "empty_reply"), "content number": (body(7), "empty_reply"),
    "content dict": (body({"text": "hi"}), "empty_reply"), "content parts": (body([{"type": "text", "text": ANSWER}, {"text": None}, 5, {"text": ["x"]}]), OK),
    "content blanks": (body(" \t\n"), "empty_reply"), "content list of lists": (body([[["x"]]]), "empty_reply"), "surrogate": (SURROGATE, OK),
    "surrogates only": (json.dumps(body("\ud800\udc00\udfff")), OK), "nul text": (body("\0" + ANSWER), OK), "control signs": (body("\x1b[2J" + ANSWER), OK),
    "finish list": (body(finish=["stop"]), OK), "finish list, empty": (body("", finish=["stop"]), "empty_reply"), "finish dict, empty": (body("", finish={"a": 1}), "empty_reply"),
    "finish number": (body(finish=5), OK), "finish surrogate": (json.dumps(body(finish="\ud800")), OK), "finish long": (body(finish="x" * 100_000), OK),
    "finish length, empty": (body("", "length"), "length"), "filtered": (body("", "content_filter"), "filtered"),
    "usage list": (body(usage=[1]), OK), "usage text": (body(usage="much"), OK), "usage nested": (body(usage={"prompt_tokens": {}, "completion_tokens": []}), OK),
    "usage huge": (json.dumps(body()).replace("50", "1" + "0" * 400), OK), "cost huge": (body(usage={**USAGE, "cost": 10 ** 400}), OK), "cost nan": (body(usage={**USAGE, "cost": float("nan")}), OK),
    "cost inf": (body(usage={**USAGE, "cost": float("inf")}), OK), "cost text": (body(usage={**USAGE, "cost": "5"}), OK), "details list": (body(usage={**USAGE, "completion_tokens_details": [7]}), OK),
    "reasoning list": (body(reasoning=[{"text": 5}, 7]), OK), "reasoning surrogate": (json.dumps(body(reasoning_content="\udfff")), OK), "reasoning dict": (body(reasoning={"a": 1}), OK),
    "error text": ({"error": "out of memory"}, "server_error"), "error list": ({"error": ["x"]}, "server_error"), "error number": ({"error": 7}, "server_error"),
    "error code text": ({"error": {"code": "x", "message": {"a": 1}}}, "server_error"), "error code huge": ({"error": {"code": 10 ** 30}}, "server_error"),
    "error surrogate": ('{"error": {"message": "\\ud800"}}', "server_error"), "error 429": ({"error": {"code": 429}}, "rate_limited"),
}


def events(*pieces, done=True): return "".join(f"data: {o if isinstance(o, str) else json.dumps(o)}\n\n" for o in pieces) + "data: [DONE]\n\n" * done
def delta(content, **choice): return {"choices": [{"delta": {"content": content}, **choice}]}

A, END = delta(ANSWER), {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": USAGE}

STREAM = {
    "nothing": ("", "cut_stream"), "no end": (events(A, done=False), "cut_stream"), "end only": (events(END), "empty_reply"), "done only": (events(), "empty_reply"),
    "choices number": (events(A, {"choices": 5}, END), "bad_json"), "choices text": (events({"choices": "abc"}, END), "bad_json"), "choices dict": (events({"choices": {"a": 1}}, END), "bad_json"),
    "choice number": (events(A, {"choices": [5]}, END), OK), "choice null": (events(A, {"choices": [None]}, END), OK), "choices null": (events(A, {"choices": None}, END), OK),
    "delta text": (events(A, {"choices": [{"delta": "hi"}]}, END), OK), "delta list": (events(A, {"choices": [{"delta": [1]}]}, END), OK), "content number": (events(A, delta(5), END), OK),
    "content dict": (events(delta({"a": 1}), END), "empty_reply"), "a number": (events(A, "5", END), "bad_json"), "null": (events(A, "null", END), "bad_json"), "a list": (events("[1]", END), "bad_json"),
    "not json": (events(A, "{", END), "bad_json"), "deep": (events(A, DEEP, END), "bad_json"), "finish list": (events(A, delta("", finish_reason=["stop"])), OK),
    "finish list, empty": (events(delta("", finish_reason=["stop"])), "empty_reply"), "finish dict": (events(A, delta("", finish_reason={"a": 1}), done=False), OK),
    "surrogate": (events(delta("a \ud83d b " + ANSWER), END), OK), "pair in two pieces": (events(delta("\ud83d"), delta("\ude00" + ANSWER), END), OK), "surrogates only": (events(delta("\udfff"), END), OK),
    "usage number": (events(A, {**END, "usage": 5}), OK), "usage text": (events(A, {**END, "usage": "x"}), OK), "usage list": (events(A, {**END, "usage": [1]}), OK),
    "error text": (events(A, {"error": "gone"}), "server_error"), "error list": (events(A, {"error": [1]}), "server_error"), "error surrogate": (events('{"error": "\\ud800"}'), "server_error"),
    "bad utf-8": (b"data: \xff\xfe\n\n" + events(A, END).encode(), "bad_json"), "bad utf-8 at the end": (events(A, END).encode() + b"data: \xff\xfe\n\n", OK), "nul": (b"\0\0\0\n\n", "cut_stream"),
    "comments": (": ping\n\n" * 50 + events(A, END), OK), "other fields": ("id: 5\nretry: soon\nevent: x\n" + events(A, END), OK), "no space": (events(A, END).replace("data: ", "data:"), OK),
    "carriage returns": (events(A, END).replace("\n", "\r\n"), OK), "half an event": (events(A, END, done=False)[:-30], "cut_stream"), "huge line": ("data: " + "x" * 300_000 + "\n\n", "bad_json"),
    "done first": ("data: [DONE]\n\n" + events(A, END), "empty_reply"), "whole body": (events(body()), "empty_reply"), "two choices": (events(A, {"choices": [{"delta": {}}, {"delta": {"content": "no"}}]}, END), OK),
    "reasoning only": (events({"choices": [{"delta": {"reasoning": "hm"}}]}, END), "empty_reply"), "html": ("<html></html>", "cut_stream"), "json instead": (json.dumps(body()), "cut_stream"),
}

def frame(status="200 OK", head="", content=b"", length=True):
    return f"HTTP/1.1 {status}\r\n{head}".encode() + (f"content-length: {len(content)}\r\n".encode() if length else b"") + b"\r\n" + content

GOOD = json.dumps(body()).encode()
JSON = "content-type: application/json\r\n"
# name -> (bytes on the wire, label): they are the same for whole and streamed calls
WIRE = {
    "closed": (b"", "cut_stream"), "no http": (b"hello\r\n\r\n", "cut_stream"), "bad status": (b"HTTP/1.1 abc OK\r\n\r\n", "cut_stream"), "status 99": (frame("99 Low", JSON, GOOD), None),
    "status 204": (frame("204 No Content", length=False), "empty_reply"), "status 202": (frame("202 Accepted", JSON, GOOD), OK), "status 299": (frame("299 Odd", JSON, b"{}"), "bad_json"),
    "status 302": (frame("302 Found", "location: http://127.0.0.1:1/elsewhere\r\n"), None), "status 304": (frame("304 Not Modified", length=False), None),
    "status 418": (frame("418 Teapot", JSON, b'{"error": "\\ud800"}'), "bad_request"), "status 451": (frame("451 No", "", b"\xff\xfe"), "bad_request"), "status 599": (frame("599 Odd", "", b"\0"), "server_error"),
    "status 503": (frame("503 No", "retry-after: -5\r\n"), "server_error"), "status 429": (frame("429 No", "retry-after: 99999999999999999999\r\n"), "rate_limited"),
    "retry-after date": (frame("429 No", "retry-after: Fri, 31 Dec 9999 23:59:59 -2359\r\n"), "rate_limited"), "retry-after text": (frame("429 No", "retry-after: soon\r\n"), "rate_limited"),
    "length too long": (f"HTTP/1.1 200 OK\r\n{JSON}content-length: {len(GOOD) + 50}\r\n\r\n".encode() + GOOD, "cut_stream"), "length negative": (b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n" + GOOD, "cut_stream"),
    "length text": (b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n" + GOOD, "cut_stream"), "bad chunks": (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n" + GOOD, "cut_stream"),
    "no gzip": (frame(head=JSON + "content-encoding: gzip\r\n", content=GOOD), "cut_stream"), "gzip": (frame(head=JSON + "content-encoding: gzip\r\n", content=gzip.compress(GOOD)), OK),
    "odd charset": (frame(head="content-type: application/json; charset=klingon\r\n", content=GOOD), OK), "odd type": (frame(head="content-type: \x01\x02\r\n", content=GOOD), None),
    "no type": (frame(content=GOOD), OK), "stream type": (frame(head="content-type: Text/Event-Stream; charset=klingon\r\n", content=events(A, END).encode()), OK),
}


def on_wire(value, stream):
    "The bytes of a response around a body"
    content = value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else json.dumps(value).encode()
    return frame(head="content-type: text/event-stream\r\n" if stream else JSON, content=content)

class Oddities:
    "An endpoint on loopback that gives one response after the other, and good ones when they are used up"
    def __init__(self, responses): self.responses, self.calls = list(responses), 0

    async def serve(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().split(b"content-length:")[1].split()[0]))
            self.calls += 1
            writer.write(self.responses.pop(0) if self.responses else frame(head=JSON, content=GOOD))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError): pass
        finally: writer.close()

async def talk(endpoint, folder, stream, n, work):
    "Run against the endpoint, one call at a time, one try each"
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
    limits = Limits(call_timeout=5, tries=1, breaker_after=10_000)
    client = make_client("m", base_url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", stream=stream, params={"max_tokens": 64}, prices=Prices(1., 10.), limits=limits, budget=Budget(5.))
    client.breaker.hopeless = 10_000
    try: return await work(client)
    finally:
        await client.close()
        server.close()

def distinct(n): return [t for t in make_tasks(n)]

CASES = [(kind, name, stream) for stream in (False, True) for kind, table in (("STREAM", STREAM) if stream else ("WHOLE", WHOLE), ("WIRE", WIRE)) for name in table]

def of(case):
    kind, name, stream = case
    value, label = {"WHOLE": WHOLE, "STREAM": STREAM, "WIRE": WIRE}[kind][name]
    return (value if kind == "WIRE" else on_wire(value, stream)), label


def test_there_are_enough_kinds():
    assert len(WHOLE) + len(WIRE) >= 60 and len(STREAM) + len(WIRE) >= 60

@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_each_odd_reply_is_one_labelled_row(tmp_path, stream):
    "One attempt per odd reply: as many rows, each ok or with a label, and the run is resumed to its end"
    cases = [o for o in CASES if o[2] == stream]
    endpoint, items = Oddities([of(o)[0] for o in cases]), list(make_items(distinct(len(cases)), "code"))
    first = asyncio.run(talk(endpoint, tmp_path, stream, len(cases), lambda client: run_attempts(client, items, tmp_path, max_concurrent=1)))
    assert (first.status, first.pending, endpoint.calls) == ("finished", 0, len(cases))
    rows = {o["task_key"]: o for o in read_attempts(tmp_path)}
    for item, case in zip(items, cases):
        row, label = rows[item.task.key], of(case)[1]
        got = OK if row["status"] == "ok" else row["error"]["label"]
        assert got in (OK, *FAILURES) and (label is None or got == label), (case, row["status"], row["error"])
        assert json.dumps(row, ensure_ascii=False).encode(), "a text that no file takes"
        assert 0 <= row["cost"] <= .01, (case, row["cost"], row["usage"])
    again = asyncio.run(talk(Oddities([]), tmp_path, stream, 0, lambda client: run_attempts(client, items, tmp_path, max_concurrent=4, resume=True)))
    assert (again.status, again.ok + again.resumed, again.pending) == ("finished", len(cases), 0)

def test_a_surrogate_in_an_answer_goes_through_all_rounds(tmp_path):
    "The answer is part of the next round's question; and a line written before the repair is read"
    wrong = body("\ud83d\n```python\ndef solve_task(input_grid):\n    return '\ud83d'\n```\n")
    endpoint, tasks = Oddities([on_wire(json.dumps(wrong), False)] * 4), make_tasks(2)
    bench = lambda **more: lambda client: run_bench(client, BenchPlan(tasks, "code", rounds=2), tmp_path, max_concurrent=1, **more)
    report = asyncio.run(talk(endpoint, tmp_path, False, 4, bench()))
    assert report["status"] == "finished" and report["attempts"]["further_rounds"] >= 2
    path = tmp_path / "attempts.jsonl"
    path.write_text(path.read_text().replace("\ufffd", "\\ud83d"))
    again = asyncio.run(talk(Oddities([]), tmp_path, False, 4, bench(resume=True)))
    assert again["status"] == "finished"
