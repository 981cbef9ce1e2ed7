"""An interrupt finishes the step, saves it and says how to go on; the run that goes on makes the same figures."""
import json, signal
from pathlib import Path

import pytest, torch

from chained_adv.callbacks import Callback
from chained_adv.config import ModelConfig, TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

class Interrupt(Callback):
    "Interrupts within a step, so many times"
    def __init__(self, step, times): self.step, self.times = step, times
    def during_rollout(self, role, stage):
        if self.trainer.step == self.step:
            for _ in range(self.times): signal.raise_signal(signal.SIGINT)
        return super().during_rollout(role, stage)

def train(out, *callbacks, resume=False):
    few = dict(first_discriminator_steps=0, n_discriminator_steps=2, n_generator_steps=2, k_alternating_steps=0, problems_per_step=3, n_samples=3, n_lists=2, eval_samples=2)
    config = TrainingConfig(out=str(out), model=ModelConfig(device="cpu", chain_stages=(1, 5)), stages=(5,), n_mutants=0, **few)
    with AdversarialTrainer(config, tiny_problems("train", 12), progress=False, callbacks=callbacks) as trainer: return trainer.train_full_pipeline(resume)

def lines(out): return [{k: v for k, v in json.loads(o).items() if "seconds" not in k} for o in Path(out, "metrics.jsonl").read_text().splitlines()]

@pytest.fixture(autouse=True)
def usual_interrupt():
    "A shell lets what it runs in the background ignore interrupts"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)

@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)

def test_an_interrupt_finishes_the_step_and_the_run_goes_on(tmp_path):
    whole, parts, before = tmp_path / "whole", tmp_path / "parts", signal.getsignal(signal.SIGINT)
    train(whole)
    with pytest.raises(KeyboardInterrupt, match="stopped after step 3, which is saved; go on with .*resume=True"): train(parts, Interrupt(3, 1))
    assert lines(parts) == lines(whole)[:3] and signal.getsignal(signal.SIGINT) is before
    summary = train(parts, resume=True)
    assert lines(parts) == lines(whole) and len(lines(whole)) == 4
    assert summary["after"] == json.loads((whole / "summary.json").read_text())["after"]

def test_a_second_interrupt_stops_at_once(tmp_path):
    with pytest.raises(KeyboardInterrupt) as caught: train(tmp_path / "run", Interrupt(3, 2))
    assert "saved" not in str(caught.value) and len(lines(tmp_path / "run")) == 2
