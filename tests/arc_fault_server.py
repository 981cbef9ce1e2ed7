"""A chat endpoint on loopback that fails in every way a real one does: `python arc_fault_server.py [--faults a,b] [--share 0.3] [--seed 0]`.

Prints its port, then serves `POST /v1/chat/completions` until it is killed, and `GET /log`: one entry per call, with what it did and what it billed.
A standalone file on the standard library alone, so that its process starts fast and can be killed.
"""
import argparse, asyncio, json, random, signal

FAULTS = ("rate_limited", "hang", "empty", "cut", "bad_json", "error_500", "slow", "told_429", "reset", "no_choices", "cut_body", "bad_request")
ANSWER = "The grid is turned.\n```python\ndef solve_task(input_grid):\n    return [row[::-1] for row in input_grid]\n```\n"
REASONS = {200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error"}


class Server:
    def __init__(self, faults, share, seed, hang, retry_after, delay, moderate=""):
        self.faults, self.share, self.rng, self.hang, self.retry_after, self.delay, self.log = faults, share, random.Random(seed), hang, retry_after, delay, []
        self.moderate = moderate

    async def serve(self, reader, writer):
        try:
            while (head := await self.read_head(reader)) is not None:
                path, headers = head
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                if path == "/log": self.send(writer, 200, json.dumps(self.log).encode())
                elif not await self.answer(json.loads(body), headers, writer): break
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError): pass # the client went away
        finally: writer.close()

    async def read_head(self, reader):
        try: text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError: return None
        first, *rest = text.strip().split("\r\n")
        return first.split()[1], {k.lower(): v.strip() for k, _, v in (o.partition(":") for o in rest)}

    def send(self, writer, status, body, headers="", kind="application/json"):
        writer.write(f"HTTP/1.1 {status} {REASONS[status]}\r\ncontent-type: {kind}\r\n{headers}content-length: {len(body)}\r\n\r\n".encode() + body)

    async def answer(self, request, headers, writer):
        "Answer or fail one call; False closes the connection"
        fault = self.rng.choice(self.faults) if self.faults and self.rng.random() < self.share else "none"
        if self.moderate and any(self.moderate in o["content"] for o in request["messages"]): fault = "forbidden"
        prompt = sum(len(o["content"].split()) for o in request["messages"])
        limit = request.get("max_tokens") or request.get("max_completion_tokens") or 10**9
        billed = fault not in ("rate_limited", "error_500", "told_429", "bad_request", "reset", "forbidden")
        usage = {"prompt_tokens": prompt, "completion_tokens": 0 if fault == "empty" else min(30, limit), "completion_tokens_details": {"reasoning_tokens": 7}}
        self.log.append({"fault": fault, "seed": request.get("seed"), "tokens": usage["prompt_tokens"] + usage["completion_tokens"] if billed else 0, "authorization": headers.get("authorization"), "stream": bool(request.get("stream"))})
        if self.delay: await asyncio.sleep(self.delay)
        if fault == "hang": await asyncio.sleep(self.hang); return False
        if fault == "slow": await asyncio.sleep(self.hang / 100)
        if fault == "reset": writer.transport.abort(); return False
        if fault == "rate_limited": self.send(writer, 429, b'{"error": {"message": "slow down"}}', f"retry-after: {self.retry_after}\r\n"); return True
        if fault == "error_500": self.send(writer, 500, b"<html>oops</html>", kind="text/html"); return True
        if fault == "bad_request": self.send(writer, 400, b'{"error": {"message": "this task is not to my liking", "code": "bad"}}'); return True
        if fault == "forbidden": self.send(writer, 403, b'{"error": {"message": "this prompt was flagged by moderation"}}'); return True
        if fault == "told_429": self.send(writer, 200, b'{"error": {"code": 429, "message": "slow down"}}'); return True
        if fault == "no_choices": self.send(writer, 200, b'{"object": "chat.completion", "choices": []}'); return True
        text = "" if fault == "empty" else ANSWER
        return self.stream(fault, text, usage, writer) if request.get("stream") else self.whole(fault, text, usage, writer)

    def whole(self, fault, text, usage, writer):
        body = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": text, "reasoning_content": "Hm."}, "finish_reason": "stop"}], "usage": usage}).encode()
        if fault == "bad_json": body = body[:len(body) // 2]
        if fault in ("cut", "cut_body"): writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body[:-20]); return False
        self.send(writer, 200, body)
        return True

    def stream(self, fault, text, usage, writer):
        pieces = [{"choices": [{"delta": {"content": text[i:i + 20]}}]} for i in range(0, len(text), 20)]
        events = [json.dumps(o) for o in (*pieces, {"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage})] + ["[DONE]"]
        if fault == "bad_json": events[1] = events[1][:-5]
        if fault == "cut": events = events[:len(pieces) // 2]
        data = [f"data: {o}\n\n".encode() for o in events]
        end = b"" if fault == "cut_body" else b"0\r\n\r\n"
        if fault == "cut_body": data = data[:len(pieces) // 2]
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" + b"".join(f"{len(o):x}\r\n".encode() + o + b"\r\n" for o in data) + end)
        return fault != "cut_body"


async def main(args):
    faults = tuple(filter(None, args.faults.split(",")))
    assert set(faults) <= set(FAULTS), f"faults are {FAULTS}"
    app = Server(faults, args.share, args.seed, args.hang, args.retry_after, args.delay, args.moderate)
    server = await asyncio.start_server(app.serve, "127.0.0.1", args.port, limit=2**20, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.close)
    async with server:
        try: await server.serve_forever()
        except asyncio.CancelledError: pass

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", default="", help="comma-separated, of: " + ", ".join(FAULTS))
    parser.add_argument("--share", type=float, default=.3, help="share of the calls that fail")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--hang", type=float, default=60, help="seconds that a hanging call is held; a slow one takes a hundredth")
    parser.add_argument("--retry-after", type=float, default=.05)
    parser.add_argument("--delay", type=float, default=0, help="seconds that each call takes")
    parser.add_argument("--moderate", default="", help="prompts that hold this text get status 403")
    asyncio.run(main(parser.parse_args()))
