"""A run that is killed at random moments and resumed, next to the same run left alone: do they leave the same lines?

    python benchmarks/killed.py -- --config recipes/qwen05_mbpp.toml --quick --save-every 1
    python benchmarks/killed.py --kills 5 --seed 3 -- --quick                  the same of the tiny model, in some minutes

What follows `--` is given to `chained-adv train`. Each kill (SIGKILL, to all processes of the run) comes between no and as many seconds
after a start as the run left alone took; `--seed` draws the moments. We compare the lines of steps and evaluations, seconds left out, and
the texts that were kept. The exit status is 1 if anything differs. Run it again to go on where it was stopped.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]
from chained_adv.looking import read_episodes # noqa: E402


def start(folder, options):
    command = [sys.executable, "-m", "chained_adv.cli", "train", *options, "--resume", "--out", str(folder)]
    with open(folder.with_suffix(".log"), "a") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


def finish(folder, options):
    if not (folder / "summary.json").exists() and start(folder, options).wait():
        raise SystemExit(f"the run failed; {folder.with_suffix('.log')} says why")


def lines_of(folder):
    "File -> lines, seconds left out"
    read = lambda name: [json.loads(o) for o in (folder / name).read_text(encoding="utf-8").splitlines()]
    files = {name: read(name) for name in ("metrics.jsonl", "evaluation.jsonl")} | dict(episodes=read_episodes(folder))
    return {name: [{k: v for k, v in row.items() if "second" not in k} for row in rows] for name, rows in files.items()}


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("--kills", type=int, default=3)
    o.add_argument("--seed", type=int, default=0, help="of the moments")
    o.add_argument("--out", type=Path, default=Path("runs/killed"))
    o.add_argument("options", nargs="*", help="of `chained-adv train`")
    a = o.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    whole, killed, took = a.out / "whole", a.out / "killed", a.out / "seconds"
    began = time.perf_counter()
    finish(whole, a.options)
    if not took.exists(): took.write_text(str(time.perf_counter() - began))
    seconds = float(took.read_text())
    print(f"left alone: {seconds:.0f} s", flush=True)
    for moment in random.Random(a.seed).choices(range(1000), k=a.kills):
        if (killed / "summary.json").exists(): break
        child = start(killed, a.options)
        try: child.wait(seconds * moment / 1000)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            done = len((killed / "metrics.jsonl").read_bytes().splitlines()) if (killed / "metrics.jsonl").exists() else 0
            print(f"killed after {seconds * moment / 1000:.0f} s, {done} steps written", flush=True)
    finish(killed, a.options)
    first, second = lines_of(whole), lines_of(killed)
    for name, rows in first.items():
        same = sum(row == other for row, other in zip(rows, second[name]))
        print(f"{name}: {same} of {len(rows)} lines are the same, {len(second[name])} written")
    raise SystemExit(first != second)


if __name__ == "__main__":
    main()
