"Checkpoints that cost little, runs that go on from any of them, and disks that are full"
import builtins, errno, io, json, os, shutil
from dataclasses import replace
from pathlib import Path

import pytest, torch

from chained_adv import trainer as training
from chained_adv.checkpoints import CheckpointError, CheckpointManager
from chained_adv.config import ModelConfig, TrainingConfig
from chained_adv.core import ConfigError, TrainingError
from chained_adv.looking import read_episodes
from chained_adv.tiny.world import tiny_problems
from chained_adv.tracking import read_evaluations, read_metrics
from chained_adv.trainer import AdversarialTrainer
from calling import call, refused

FEW = dict(stages=(1, 2), n_discriminator_steps=1, first_discriminator_steps=0, n_generator_steps=1, k_alternating_steps=0,
           problems_per_step=3, n_samples=3, n_lists=2, n_programs=2, eval_samples=4, n_mutants=0, seed=3)

def make(out, adapters="stage", **more):
    config = TrainingConfig(out=str(out), model=ModelConfig(device="cpu", adapters=adapters), **FEW | more)
    return AdversarialTrainer(config, tiny_problems("train", 30), tiny_problems("held_out", 4), progress=False)

def timeless(rows): return [{k: v for k, v in o.items() if not k.startswith("seconds")} for o in rows]

def facts(folder):
    "All that a run's folder says, but for the clock"
    weights = CheckpointManager(folder / "checkpoints").load_checkpoint("stage_2").tensors
    return timeless(read_metrics(folder)), read_evaluations(folder), read_episodes(folder), {f"{k} {n}": t for k, o in weights.items() for n, t in o.items()}

def assert_same(a, b):
    (*texts, weights), (*others, more) = facts(a), facts(b)
    assert texts == others and weights.keys() == more.keys() and all(torch.equal(weights[k], more[k]) for k in weights)

@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    "A run that nothing disturbed"
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("runs") / "whole"
    with make(folder) as t: t.train_full_pipeline()
    return folder

@pytest.mark.parametrize("name", ["stage_1", "best"])
def test_a_run_goes_on_from_any_checkpoint_to_the_same_end(whole, tmp_path, capsys, name):
    import shutil
    run = shutil.copytree(whole, tmp_path / "run")
    started = next(o.step for o in CheckpointManager(run / "checkpoints").list_checkpoints() if o.name == name)
    with make(run) as t:
        t.show = True
        t.train_full_pipeline(resume=name)
    assert_same(whole, run)
    said = capsys.readouterr().err
    if started == read_metrics(whole)[-1]["step"]: assert not (run / "later_1").exists()
    else:
        assert f"goes on from {name} (step {started})" in said and "later_1" in said
        assert timeless(read_metrics(run / "later_1")) == timeless(read_metrics(whole))
        assert CheckpointManager(run / "later_1/checkpoints").load_checkpoint("stage_2").state["step"] == 4
    orders = [o.order for o in CheckpointManager(run / "checkpoints").list_checkpoints() if o.name != "best"]
    assert orders == sorted(set(orders))

def test_the_command_names_run_and_checkpoint(whole, tmp_path):
    for name in ("none@stage_1", "none"): refused(call("train", "--resume", tmp_path / name), "holds no run")
    refused(call("train", "--resume", f"{whole}@stage_7"), "no checkpoint 'stage_7'", "stage_1")
    refused(call("train", "--resume", f"{whole}@stage_1", "--seed", 8), "other settings (seed)")
    refused(call("train", "--resume", f"{whole}@stage_1", "--out", tmp_path), "are two runs")
    assert not (whole / "later_1").exists()

def test_a_checkpoint_is_due_after_a_quarter_or_five_minutes(tmp_path):
    "Whichever comes first since the last one; `save_every` counts steps instead"
    def due(step, ago=0., **more):
        t = make(tmp_path / "run", n_generator_steps=20, **more)
        with t:
            assert t.total_steps == 42
            t.start = training.time.perf_counter() - 1000
            t.step, t.saved = step, (5, 1000 - ago)
            return t._is_save_due()
    assert [due(5), due(15), due(16), due(6, 299), due(6, 301)] == [False, False, True, False, True]
    assert [due(9, 10**4, save_every=6), due(12, save_every=6)] == [False, True]

def test_keep_leaves_the_first_the_best_and_the_last(tmp_path):
    with make(tmp_path / "run", keep=1) as t: t.train_full_pipeline()
    assert {o.name for o in CheckpointManager(tmp_path / "run/checkpoints").list_checkpoints()} == {"stage_0", "stage_2", "best"}

def test_ten_adapters_are_stored_once_each(whole):
    manager = CheckpointManager(whole / "checkpoints")
    adapters = {o.stat().st_ino: o.stat().st_size for o in manager.folder.glob("*/*.safetensors")}
    count = len([*manager.folder.glob("*/*.safetensors")])
    # 10 before training; after each stage two of the generator and one of the discriminator, which its later stages share
    assert (count, len(adapters)) == (40, 16)
    rows = json.loads(call("checkpoints", whole, "--json").stdout)
    assert all(o["time"] and {"generator_reward", "discriminator_reward"} <= o["metrics"].keys() for o in rows)
    shown = call("checkpoints", whole).stdout
    assert "discriminator reward" in shown and f"{manager.bytes_on_disk() / 1e6:.1f} MB, because" in shown
    assert manager.bytes_on_disk() < .7 * sum(o.size for o in manager.list_checkpoints())

class Full(io.RawIOBase):
    "A file on a disk without room, where half of a line still fits"
    def __init__(self, file): self.file = file
    def write(self, text):
        self.file.write(text[:len(text) // 2])
        self.file.flush()
        raise OSError(errno.ENOSPC, "No space left on device")
    def __enter__(self): return self
    def __exit__(self, *_): self.file.close()
    def fileno(self): return self.file.fileno()
    def flush(self): self.file.flush()

@pytest.mark.parametrize("name", ["metrics.jsonl", "episodes.jsonl.gz", ".tmp"])
def test_a_full_disk_is_a_sentence_and_the_run_goes_on(whole, tmp_path, monkeypatch, name):
    run, seen, real = tmp_path / "run", [], builtins.open
    def open_(path, mode="r", *args, **kwargs):
        file = real(path, mode, *args, **kwargs)
        if name in str(path) and str(tmp_path) in str(path) and mode[0] in "wa":
            seen.append(path)
            if len(seen) == 2: return Full(file)
        return file
    with monkeypatch.context() as m:
        m.setattr(builtins, "open", open_)
        with make(run) as t, pytest.raises(Exception, match="No space left on device.*--resume") as raised: t.train_full_pipeline()
    assert isinstance(raised.value, TrainingError) or "could not be written" in str(raised.value)
    assert seen
    with pytest.warns(match="cut off") if name in ("metrics.jsonl",) else nothing():
        with make(run) as t: t.train_full_pipeline(resume=True)
    assert_same(whole, run)

def nothing():
    from contextlib import nullcontext
    return nullcontext()

def test_other_problems_are_noticed(whole, tmp_path):
    "Other held-out problems would make before and after figures of two sets; changed texts may be meant"
    run = shutil.copytree(whole, tmp_path / "run")
    with make(run) as t: config = t.config
    train, held_out = tiny_problems("train", 30), tiny_problems("held_out", 4)
    with AdversarialTrainer(config, train, held_out[1:], progress=False) as t:
        with pytest.raises(ConfigError, match="held-out problems, .* are others than"): t.train_full_pipeline(resume="stage_1")
    with AdversarialTrainer(config, [replace(train[0], setup="import math"), *train[1:]], held_out, progress=False) as t:
        with pytest.warns(UserWarning, match="problems have changed since the run was stopped"): t.train_full_pipeline(resume="stage_1")

def test_damaged_checkpoints_are_said_and_no_run_is_begun_over_them(whole, tmp_path):
    run = shutil.copytree(whole, tmp_path / "run")
    manifests = list((run / "checkpoints").glob("*/manifest.json"))
    for o in manifests:
        if o.parent.name != "stage_1": o.write_text("{")
    with make(run) as t, pytest.warns(UserWarning, match="goes on from stage_1: .* can't be loaded"): t.train_full_pipeline(resume=True)
    assert_same(whole, run)
    for o in manifests: o.write_text("{")
    logs = {o: (run / o).read_bytes() for o in ("metrics.jsonl", "evaluation.jsonl", "episodes.jsonl.gz", "summary.json")}
    with make(run) as t, pytest.raises(CheckpointError, match="no other; start again with --overwrite"): t.train_full_pipeline(resume=True)
    assert logs == {o: (run / o).read_bytes() for o in logs}
