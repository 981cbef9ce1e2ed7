"""A run that is killed at random moments and resumed each time leaves the figures on record in oracle.json."""
import os, random, signal, subprocess, sys, time
from pathlib import Path

import torch

from chained_adv.looking import read_episodes
from oracle import differences, figures, is_close, load, machine, train

KILLS = 3
START = """import sys, torch
sys.path.insert(0, sys.argv[1])
import oracle
torch.set_num_threads(1)
oracle.train("joint", oracle.Path(sys.argv[2]), resume=True)"""

def lines_of(folder):
    path = folder / "metrics.jsonl"
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0

def run_until_killed(folder, lines, wait):
    "Train in a process of its own; kill it `wait` seconds after the log has so many lines. True if it was killed in time"
    env = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    child = subprocess.Popen([sys.executable, "-c", START, str(Path(__file__).parent), str(folder)], env=env, start_new_session=True)
    while child.poll() is None and lines_of(folder) < lines: time.sleep(.05)
    time.sleep(wait)
    if child.poll() is None: os.killpg(child.pid, signal.SIGKILL)
    assert child.wait() in (-signal.SIGKILL, 0) # 0: it ended in the last moment
    return child.returncode != 0

def test_a_run_that_is_killed_at_random_moments_ends_as_if_it_had_not_been(tmp_path):
    folder, record, seed = tmp_path / "run", load(), random.randrange(10**6)
    chosen, total = random.Random(seed), len(record["runs"]["joint"]["steps"])
    killed = [run_until_killed(folder, chosen.randint(0, total - 1), chosen.uniform(0, 3)) for _ in range(KILLS)]
    assert any(killed), f"seed {seed}: every run ended before it was killed"
    torch.set_num_threads(1)
    train("joint", folder, resume=True)
    different = differences(record["runs"]["joint"], figures(folder))
    if record["machine"] != machine(): different = [d for d in different if not is_close(*d[1:]) and not d[0].startswith("/weights")]
    assert not different, f"seed {seed}, killed {killed}: {len(different)} figures differ, the first {different[0]}"
    kept = read_episodes(folder)
    keys = [tuple(row[k] for k in ("step", "split", "phase", "problem", "chain", "role", "stage", "list")) for row in kept]
    assert len(keys) == len(set(keys)), f"seed {seed}: lines of episodes are doubled"
    assert {row["step"] for row in kept if row["split"] == "step"} == set(range(1, total + 1)), f"seed {seed}: steps are missing"
