"""Generation against an instant endpoint on loopback: `python benchmarks/arc_generate.py [--attempts 3000] [--concurrent 64] [--stream]`.

The endpoint answers at once, so what is measured is the workbench: prompt, HTTP call, guards, reading the answer, one line on disk (`fsync`) per
attempt before it counts. The generating process is held to one core; the endpoint runs on another where there is one (`--same-core`: on the same).
"""

import argparse, asyncio, json, os, subprocess, sys, tempfile, time
from pathlib import Path

from chained_adv.arc.clients import make_client
from chained_adv.arc.limits import Budget
from chained_adv.arc.protocol import Prices
from chained_adv.arc.datasets import load_tasks
from chained_adv.arc.generate import run_attempts
from chained_adv.arc.results.attempts import make_items, read_attempts

SERVER = Path(__file__).resolve().parent.parent / "tests" / "arc_fault_server.py"


async def measure(url, items, folder, concurrent, stream):
    client = make_client(
        "instant",
        base_url=url,
        stream=stream,
        params={"max_tokens": 64},
        prices=Prices(1.0, 1.0),
        budget=Budget(max_cost=1e6),
    )
    try:
        return await run_attempts(client, items, folder, max_concurrent=concurrent)
    finally:
        await client.close()


def main(args):
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    server = subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        if cores:
            os.sched_setaffinity(0, cores[:1])
            os.sched_setaffinity(server.pid, cores[:1] if args.same_core else cores[1:] or cores)
        tasks = load_tasks(args.data)
        items = list(make_items(tasks, "code", -(-args.attempts // len(tasks))))[: args.attempts]
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            cpu = time.process_time()
            report = asyncio.run(measure(url, items, Path(folder) / "run", args.concurrent, args.stream))
            cpu = time.process_time() - cpu
            assert (report.status, report.ok, len(list(read_attempts(Path(folder) / "run")))) == (
                "finished",
                len(items),
                len(items),
            )
    finally:
        server.kill()
        server.wait()
    print(
        json.dumps(
            dict(
                attempts=len(items),
                concurrent=args.concurrent,
                stream=args.stream,
                same_core=args.same_core,
                seconds=round(report.seconds, 2),
                attempts_per_second=round(len(items) / report.seconds, 1),
                cpu_milliseconds_per_attempt=round(1000 * cpu / len(items), 2),
            )
        )
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--attempts", type=int, default=3000)
    parser.add_argument("--concurrent", type=int, default=64)
    parser.add_argument("--data", default="builtin", help="tasks, as `load_tasks` takes them")
    parser.add_argument(
        "--folder", default=None, help="where the lines are written; a temporary folder when left out"
    )
    parser.add_argument("--stream", action="store_true", help="take answers in pieces")
    parser.add_argument("--same-core", action="store_true", help="the endpoint shares the core")
    main(parser.parse_args())
