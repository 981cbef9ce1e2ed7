"""The measurements of a real model on the tiny one: stopped and resumed, they say the same as in one go."""
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from chained_adv.tiny.world import tiny_problems

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import real_model  # noqa: E402


@pytest.fixture(autouse=True)
def small(monkeypatch):
    "A few problems of the tiny model's world"
    problems = tiny_problems("train", 30)
    monkeypatch.setattr(real_model, "load_problems", lambda _: problems)


def options(out, **more):
    return Namespace(**dict(model="tiny", out=str(out), seed=0, samples=1, at_once=16) | more)


def test_a_begun_line_is_dropped(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1}\n{"ste')
    assert real_model.read_lines(path) == [{"step": 1}] and path.read_text() == '{"step": 1}\n'


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
