"""A run that is killed at random moments and resumed, next to the same run left alone: do they leave the same lines?

    python benchmarks/killed.py -- --config recipes/qwen05_mbpp.toml --quick --save-every 1
    python benchmarks/killed.py --kills 5 --seed 3 -- --quick                  the same of the tiny model, in some minutes

What follows `--` is given to `chained-adv train`. Each kill (SIGKILL, to all processes of the run) comes between no and as many seconds
after a start as the run left alone took; `--seed` draws the moments. We compare the lines of steps and evaluations, seconds left out, and
the texts that were kept. The exit status is 1 if anything differs. Run it again, with the same options, to go on where it was stopped;
only the run left alone begins anew, because its time counts.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]
from chained_adv.looking import read_episodes # noqa: E402


def run(folder, options, seconds=None):
    "Start or resume a run, and kill it after some seconds (None: never). True if it was killed"
    command = [sys.executable, "-m", "chained_adv.cli", "train", *options, "--resume", "--out", str(folder)]
    with open(folder.with_suffix(".log"), "a") as log:
        child = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try: status = child.wait(seconds)
    except subprocess.TimeoutExpired: return True
    finally: # also when we are interrupted
        if child.poll() is None: os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    if status: raise SystemExit(f"the run failed with status {status}; {folder.with_suffix('.log')} says why")
    return False


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
    whole, killed, took, asked = a.out / "whole", a.out / "killed", a.out / "seconds", a.out / "options.json"
    options = dict(options=a.options, kills=a.kills, seed=a.seed)
    if asked.exists() and json.loads(asked.read_text()) != options:
        raise SystemExit(f"{a.out} holds runs with other options: {asked.read_text()}; name another folder with --out")
    asked.write_text(json.dumps(options))
    if not took.exists():
        shutil.rmtree(whole, ignore_errors=True) # its time counts from its beginning
        began = time.perf_counter()
        run(whole, a.options)
        took.write_text(str(time.perf_counter() - began))
    seconds, kills = float(took.read_text()), a.out / "kills"
    print(f"left alone: {seconds:.0f} s", flush=True)
    moments = random.Random(a.seed).choices(range(1000), k=a.kills)
    while not (killed / "summary.json").exists():
        past = len(kills.read_text().splitlines()) if kills.exists() else 0
        wait = seconds * moments[past] / 1000 if past < a.kills else None
        if not run(killed, a.options, wait): continue
        done = len((killed / "metrics.jsonl").read_bytes().splitlines()) if (killed / "metrics.jsonl").exists() else 0
        line = f"killed after {wait:.0f} s, {done} steps written"
        print(line, flush=True)
        with open(kills, "a") as f: f.write(line + "\n")
    if not kills.exists(): raise SystemExit("no kill came before the run ended; take another --seed")
    first, second = lines_of(whole), lines_of(killed)
    for name, rows in first.items():
        same = sum(row == other for row, other in zip(rows, second[name]))
        print(f"{name}: {same} of {len(rows)} lines are the same, {len(second[name])} written")
    raise SystemExit(first != second)


if __name__ == "__main__":
    main()
