"""Many people on one ARC server: each edits, votes, reads and runs code. Says how long answers took and what was lost.

    python benchmarks/arc_server_load.py --users 50 --seconds 60
    python benchmarks/arc_server_load.py --users 50 --seconds 60 --kill 2

With `--kill N` the server is killed (SIGKILL) N times on the way and started again; requests that meet no server are
made again by the next round, and every write that was acknowledged must be there in the end.
"""

import argparse, asyncio, json, os, random, signal, sys, tempfile, time
from collections import Counter, defaultdict
from pathlib import Path
import httpx2

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from arc_serving import Serving

CODE = "def solve_task(grid):\n    return [row[::-1] for row in grid]"


class User:
    "One person: what they do, and what the server has acknowledged"

    def __init__(self, n, client, times, wrong):
        self.n, self.client, self.times, self.wrong = n, client, times, wrong
        self.version, self.rev, self.count = 1 + n % 40, 0, 0
        self.stamps, self.vote, self.unsure = [], None, set()

    async def ask(self, kind, method, path, body=None):
        began = time.perf_counter()
        try:
            r = await self.client.request(method, path, json=body)
        except httpx2.TransportError:
            return None
        self.times[kind].append(time.perf_counter() - began)
        if r.status_code >= 400:
            self.wrong[f"{kind} {r.status_code} {r.text[:100]}"] += 1
        return r

    async def join(self):
        r = await self.ask("join", "POST", "api/people", {"name": f"user {self.n}"})
        self.client.headers["x-arc-user"] = r.json()["secret"]
        r = await self.ask(
            "trace", "POST", "api/traces", {"task_id": f"load-{self.n}", "text": "To be voted for"}
        )
        self.trace = r.json()["id"]

    async def page(self):
        for path in ("solve.html", f"api/versions/{self.version}"):
            await self.ask("page", "GET", path)

    async def edit(self):
        self.count += 1
        stamp = f"{self.n}-{self.count}"
        grid = [[random.randrange(10) for _ in range(10)] for _ in range(10)]
        body = {
            "rev": self.rev,
            "state": {"pairs": [{"grid": grid, "undo": [], "redo": []}]},
            "events": [{"stamp": stamp, "cells": [[0, 0, 1]]}],
        }
        r = await self.ask("save", "PUT", f"api/versions/{self.version}/draft", body)
        if r is None:
            return await self.again()
        if r.status_code == 200:
            self.rev = r.json()["rev"]
            self.stamps.append(stamp)

    async def again(self):
        "After a kill: which revision does the server have?"
        r = await self.ask("save", "GET", f"api/versions/{self.version}/draft")
        if r is not None:
            self.rev = r.json()["rev"]

    async def cast(self):
        value = random.choice((1, -1))
        r = await self.ask("vote", "PUT", f"api/traces/{self.trace}/vote", {"value": value})
        if r is None:
            self.vote = None  # may or may not have been counted
        elif r.status_code == 200:
            self.vote = value

    async def run(self):
        await self.ask("code", "POST", f"api/versions/{self.version}/run", {"code": CODE})

    async def live(self, end):
        while time.monotonic() < end:
            await random.choices((self.edit, self.cast, self.page, self.run), (6, 2, 1, 1))[0]()
            await asyncio.sleep(random.uniform(0.2, 0.8))

    async def check(self):
        "What is missing of what was acknowledged"
        events = (await self.client.get(f"api/versions/{self.version}/recording")).json()["events"]
        lost = set(self.stamps) - {o["stamp"] for o in events}
        [trace] = (await self.client.get(f"api/traces?task_id=load-{self.n}")).json()["traces"]
        return len(lost) + (self.vote is not None and trace["mine"] != self.vote)


async def killer(serving, times, seconds, end):
    port = serving.port
    for _ in range(times):
        await asyncio.sleep(seconds / (times + 1))
        await asyncio.to_thread(serving.stop, signal.SIGKILL)
        serving.port = port
        await asyncio.to_thread(serving.start)


def processor_seconds(pid):
    "What a process has used; None where that cannot be read"
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else None


async def measure(users, seconds, kills):
    times, wrong = defaultdict(list), Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        Serving(Path(folder) / "data", "builtin", "--per-minute", 100_000) as serving,
    ):
        client = lambda: httpx2.AsyncClient(
            base_url=serving.base, headers={"x-arc-token": serving.token}, trust_env=False, timeout=60
        )
        people = [User(n, client(), times, wrong) for n in range(users)]
        for o in people:
            await o.join()
        times.clear()
        used = processor_seconds(serving.process.pid)
        end = time.monotonic() + seconds
        await asyncio.gather(*(o.live(end) for o in people), killer(serving, kills, seconds, end))
        used = None if kills or used is None else round(processor_seconds(serving.process.pid) - used, 1)
        lost = sum([await o.check() for o in people])
        for o in people:
            await o.client.aclose()
        rows = {
            k: dict(
                requests=len(v),
                p50=round(1000 * percentile(v, 0.5), 1),
                p95=round(1000 * percentile(v, 0.95), 1),
                worst=round(1000 * max(v), 1),
            )
            for k, v in sorted(times.items())
        }
        load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
        return dict(
            users=users,
            seconds=seconds,
            kills=kills,
            processors=os.cpu_count(),
            load_average=load,
            server_processor_seconds=used,
            milliseconds=rows,
            errors=dict(wrong),
            acknowledged=sum(len(o.stamps) for o in people),
            lost=lost,
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kill", type=int, default=0, metavar="N")
    args = parser.parse_args()
    found = asyncio.run(measure(args.users, args.seconds, args.kill))
    print(json.dumps(found, indent=1))
    sys.exit(bool(found["errors"] or found["lost"]))


if __name__ == "__main__":
    main()
