"""Several processes make the run that one makes; a failure of one ends all; a run goes on with another number of them."""
import json, os, re, shutil, subprocess, sys, time
from pathlib import Path

import pytest
import torch
from chained_adv.checkpoints import CheckpointManager

HERE = Path(__file__).resolve().parent
SCRIPT = str(HERE / "rank_run.py")
LAUNCH = {
    "torchrun": [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"],
    "accelerate": [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2", "--num_machines", "1"]}

def run(*words, by=None, spread=False):
    "A finished run; `spread` is what `accelerate launch --use_fsdp` says to the ranks"
    more = dict(ACCELERATE_USE_FSDP="true") if spread else {}
    return subprocess.run([*(LAUNCH[by] if by else [sys.executable]), SCRIPT, *map(str, words)], capture_output=True, text=True, timeout=900,
                          env=os.environ | more)

def lines(folder):
    "Metrics without what a clock says"
    rows = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    return [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in rows]

def weights(folder, stage):
    "(adapter, parameter) -> tensor of a checkpoint"
    adapters = CheckpointManager(folder / "checkpoints").load_checkpoint(f"stage_{stage}").tensors
    return {(adapter, name): tensor for adapter, o in adapters.items() for name, tensor in o.items()}

def gap(a, b):
    assert a.keys() == b.keys()
    return max((a[k].float() - b[k].float()).abs().max().item() for k in a)

def same_lines(a, b):
    assert len(a) == len(b)
    for one, other in zip(a, b):
        assert one.keys() == other.keys()
        for k in one: assert one[k] == pytest.approx(other[k], abs=1e-5), (one["step"], k)

@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone") / "run"
    done = run(folder, "1,2")
    assert done.returncode == 0, done.stderr[-3000:]
    return folder

@pytest.mark.parametrize("by", LAUNCH)
def test_two_ranks_make_the_run_of_one(alone, tmp_path, by):
    done = run(tmp_path / "run", "1,2", by=by)
    assert done.returncode == 0, done.stderr[-3000:]
    same_lines(lines(alone), lines(tmp_path / "run"))
    assert gap(weights(alone, 2), weights(tmp_path / "run", 2)) < 1e-5 # a fifth of one step of Adam
    assert {p.name for p in (tmp_path / "run").iterdir()} == {p.name for p in alone.iterdir()}

def test_a_run_goes_on_with_another_number_of_ranks(alone, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(alone, folder)
    shutil.rmtree(folder / "checkpoints" / "stage_2")
    done = run(folder, "1,2", by="torchrun")
    assert done.returncode == 0, done.stderr[-3000:]
    same_lines(lines(alone), lines(folder))
    assert gap(weights(alone, 2), weights(folder, 2)) < 1e-5

def test_what_is_not_a_number_on_one_rank_stops_all(tmp_path):
    done = run(tmp_path / "run", "1,2", "nan", by="torchrun")
    began = float(re.search("not a number at (.*)\\.", done.stderr)[1])
    print(f"{time.time() - began:.1f} s from what is not a number to the end of both ranks and their launcher")
    assert done.returncode != 0
    assert "not finite" in done.stderr or "nan" in done.stderr.lower()
    assert "rank 1 of 2 failed" in done.stderr # what rank 0 says

def test_a_base_spread_over_two_ranks_makes_the_run_of_one(alone, tmp_path):
    done = run(tmp_path / "run", "1,2", "large", by="torchrun", spread=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert [f"rank {i} holds 0.50" in done.stdout for i in range(2)] == [True, True]
    same_lines(lines(alone), lines(tmp_path / "run"))
    assert gap(weights(alone, 2), weights(tmp_path / "run", 2)) < 1e-5

@pytest.mark.parametrize("how, words", [("oom", "memory ran out: the other ranks wait")])
def test_a_failure_with_a_spread_base_stops_all(tmp_path, how, words):
    "In the middle of a pass: the others wait in their own one"
    done = run(tmp_path / "run", "1,2", how, by="torchrun", spread=True)
    assert done.returncode != 0 and words in done.stderr

def test_rank_0_reads_the_problems_for_all(tmp_path):
    "A refused entry is found once, and both ranks stop; whoever is first to say so ends the other"
    add = dict(id="add", description="Add two numbers.", function_signature="def add(a, b):", baseline_tests=["assert add(1, 2) == 3"])
    rows = [add | dict(reference_solution="def add(a, b): return a + b"), add | dict(id="wrong", reference_solution="def add(a, b): return a")]
    (tmp_path / "two.jsonl").write_text("\n".join(map(json.dumps, rows)))
    words = "-m chained_adv.cli train --strict --problems two.jsonl --out run".split()
    done = subprocess.run([*LAUNCH["torchrun"], *words], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode and "the reference fails test 0, add(1, 2) == 3: got 1" in done.stderr, done.stderr[-3000:]
    assert done.stderr.count("chained-adv: ") - done.stderr.count("chained-adv: rank 0 of 2 failed, so all stop") <= 1
