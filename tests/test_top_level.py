"`from chained_adv import NAME`: what a first notebook needs, lazily, and where everything else is"
import ast, subprocess, sys
from pathlib import Path

import pytest

import chained_adv
from calling import call
from chained_adv.loading import TINY

ROOT = Path(__file__).resolve().parent.parent
LIGHT = "Sandbox, Job, Problem, TINY, TrainingConfig, ModelConfig, load_problems, parse_tests, tiny_problems"

def run(code):
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()

def test_the_judge_comes_without_torch():
    assert run(f"import sys\nfrom chained_adv import {LIGHT}\nwith Sandbox() as b: print(b.run_many([Job('def f(x): return x', '(1, 1)')])[0].passed)\n"
               "print([m for m in ('torch', 'transformers', 'numpy', 'scipy') if m in sys.modules])") == ["True", "[]"]

def test_nothing_is_loaded_before_it_is_asked_for():
    assert run("import sys, chained_adv\nprint([m for m in sys.modules if m.startswith('chained_adv.')], 'pathlib' in dir(chained_adv))") == ["[]", "False"]

def test_all_names_are_there():
    assert 10 <= len(chained_adv.__all__) <= 14
    for name in chained_adv.__all__:
        value = getattr(chained_adv, name)
        assert name in dir(chained_adv) and vars(chained_adv)[name] is value
        if name != "TINY": assert value.__module__ == f"chained_adv.{chained_adv._HOME[name]}" or value.__module__.startswith("chained_adv."), name
    assert chained_adv.TINY == TINY and (chained_adv.TINY / "config.json").is_file()

def test_editors_see_the_same_names():
    block = next(o for o in ast.parse(Path(chained_adv.__file__).read_text()).body if isinstance(o, ast.If))
    seen = {a.name: o.module for o in block.body if isinstance(o, ast.ImportFrom) and o.level for a in o.names}
    assert seen == chained_adv._HOME

@pytest.mark.parametrize("name, words", [
    ("learning_rate", "`learning_rate` is now `lr`"), ("compute_policy_loss", "from chained_adv.ppo import compute_policy_loss"),
    ("CheckpointManager", "from chained_adv.checkpoints import CheckpointManager"), ("TestCase", "from chained_adv.core import TestCase"),
    ("execute_tests", r"Sandbox\(\).execute_tests"), ("solve_problem", "InferenceEngine.from_checkpoint"), ("get_summary_stats", "summary.json"), ("generate_critique", "does not exist"),
    ("validate_tests_against_solution", "method of `Sandbox`")])
def test_other_names_are_pointed_at(name, words):
    with pytest.raises(ImportError, match=words): exec(f"from chained_adv import {name}")
    with pytest.raises(ImportError, match=words): getattr(chained_adv, name)

def test_unknown_names_and_modules():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"): chained_adv.nonsense
    assert not hasattr(chained_adv, "__wrapped__") and not hasattr(chained_adv, "_nonsense")
    assert run("from chained_adv import command, evaluation, judge, tiny\nprint(*(type(o).__name__ for o in (command, evaluation, judge, tiny)))") == ["module"] * 4

@pytest.mark.parametrize("words, answer", [
    (["--set", "learning_rate=1e-4"], "`learning_rate` is now `lr`: write --lr VALUE"), (["--set=learning_rate=1e-4"], "`learning_rate` is now `lr`"),
    (["--learning-rate", "1"], "`learning_rate` is now `lr`"), (["--learning_rate=1"], "`learning_rate` is now `lr`"),
    (["--set", "n_samples=3"], "every setting is a flag: write --n-samples VALUE"), (["--set", "nonsense=3"], "train takes no --set; did you mean"),
    (["--setting", "1"], "train takes no --setting"), (["--n-sample", "1"], "did you mean --n-samples")])
def test_options_of_the_first_documents(words, answer):
    done = call("train", *words)
    assert done.exit_code == 2 and answer in done.stderr, done.stderr
