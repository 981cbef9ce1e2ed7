"""The measurements of a real model on the tiny one: stopped and gone on with, they say the same as in one go."""
import sys
from argparse import Namespace
from pathlib import Path

import pytest
import torch
from transformers import Gemma3ForCausalLM, Gemma3TextConfig

from chained_adv import models, trainer
from chained_adv.loading import load_base
from chained_adv.tiny.world import tiny_problems

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import real_model  # noqa: E402

STEADY = ("step", "role", "generator_reward", "validity", "policy_loss", "grad_norm", "generated_tokens")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    "A few problems of the tiny model's world, and nothing that outlives a test"
    problems = tiny_problems("train", 30)
    monkeypatch.setattr(real_model, "load_problems", lambda _: problems)
    monkeypatch.setattr(models, "MERGED_BELOW", models.MERGED_BELOW)


def options(out, **more):
    common = dict(model="tiny", out=str(out), seed=0, samples=1, lr=1e-3, evaluate_every=2, save_every=1, temperature=1.,
                  start="", at_once=16)
    return Namespace(**common | more)


def test_a_curve_goes_on_where_it_was_stopped(tmp_path, monkeypatch, capsys):
    real_model.curve(options(tmp_path / "whole", turns=2))
    whole = real_model.read_lines(tmp_path / "whole/metrics.jsonl")
    train_one = trainer.AdversarialTrainer.train_one
    def stopped(self, role, stage, phase):
        if self.step == 3:
            raise KeyboardInterrupt
        return train_one(self, role, stage, phase)
    monkeypatch.setattr(trainer.AdversarialTrainer, "train_one", stopped)
    with pytest.raises(KeyboardInterrupt):
        real_model.curve(options(tmp_path / "parts", turns=2))
    assert len(real_model.read_lines(tmp_path / "parts/metrics.jsonl")) == 3
    monkeypatch.setattr(trainer.AdversarialTrainer, "train_one", train_one)
    real_model.curve(options(tmp_path / "parts", turns=2))
    parts = real_model.read_lines(tmp_path / "parts/metrics.jsonl")
    pick = lambda rows: [{k: o.get(k) for k in STEADY} for o in rows]
    assert pick(parts) == pick(whole) and len(whole) == 4
    evaluations = [real_model.read_lines(tmp_path / o / "evaluation.jsonl") for o in ("whole", "parts")]
    assert [o["turn"] for o in evaluations[0]] == [0, 2]
    assert [o["values"] for o in evaluations[0]] == [o["values"] for o in evaluations[1]]
    real_model.table(Namespace(paths=[str(tmp_path / "whole")]))
    assert "| whole | 2 |" in capsys.readouterr().out


def test_trained_and_held_out_problems_are_apart(tmp_path, monkeypatch):
    problems = real_model.load_problems("easy")
    kept_out = [p for p in problems if real_model.held_out(p)]
    assert 5 <= len(kept_out) <= 15
    real_model.curve(options(tmp_path / "run", turns=0))
    rows = real_model.read_lines(tmp_path / "run/selection.jsonl")[1:]
    assert {o["id"] for o in rows} == {p.id for p in problems} - {p.id for p in kept_out}
    assert all(len(o["samples"]) == 8 for o in rows)
    monkeypatch.setattr(real_model, "evaluate_players", None) # a run that starts from this one measures nothing again
    monkeypatch.setattr(real_model, "play", None)
    real_model.curve(options(tmp_path / "next", turns=0, start=tmp_path / "run", seed=1))
    same = [[(tmp_path / run / o).read_text() for o in ("selection.jsonl", "evaluation.jsonl")] for run in ("run", "next")]
    assert same[0] == same[1]


def test_a_begun_line_is_dropped(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1}\n{"ste')
    assert real_model.read_lines(path) == [{"step": 1}] and path.read_text() == '{"step": 1}\n'


def test_the_logits_of_the_model_to_train_are_divided(tmp_path):
    a = options(tmp_path, temperature=.5)
    a.out = tmp_path
    (model, tokenizer), (divided, again) = (load_base(o, "cpu", "float32") for o in ("tiny", real_model.model_of(a)))
    ids = torch.tensor([[5, 9, 2, 30, 7]])
    with torch.no_grad():
        assert torch.allclose(divided(ids).logits, 2 * model(ids).logits, atol=1e-4)
    assert again("<s5>return x").input_ids == tokenizer("<s5>return x").input_ids
    sizes = dict(vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
                 num_key_value_heads=1, head_dim=8)
    gemma = Gemma3ForCausalLM(Gemma3TextConfig(**sizes)).eval()
    gemma.model.norm.weight.data.normal_()
    with torch.no_grad():
        before = gemma(ids).logits
        assert torch.allclose(real_model.divide_logits(gemma, .4)(ids).logits, before / .4, atol=1e-4)


def test_an_evaluation_goes_on_and_refuses_other_settings(tmp_path, capsys):
    a = options(tmp_path / "e.jsonl", problems="easy", stages="5", temperature=.8, prompts="auto", tests=True, every=1)
    real_model.evaluate(a)
    path = tmp_path / "e.jsonl"
    lines = path.read_text().splitlines()
    assert len(lines) == 31
    path.write_text("\n".join(lines[:17]) + "\n")
    real_model.evaluate(a)
    assert path.read_text().splitlines() == lines
    real_model.table(Namespace(paths=[str(path)]))
    assert f"{sum(o['greedy']['solved'] for o in real_model.read_lines(path)[1:])} of 30" in capsys.readouterr().out
    a.temperature = 1.
    with pytest.raises(SystemExit, match="other settings"):
        real_model.evaluate(a)
