"""Every rule of `.ci/house.py` catches a small house that breaks it, and lets the same house pass without the fault."""
import json, runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

rules = SimpleNamespace(**runpy.run_path(str(Path(__file__).resolve().parent.parent / ".ci/house.py")))

CODE = { # notebook without its ending: source of the module that it exports
    "00_core": "import json",
    "01_stages": "from chained_adv.core import Problem",
    "02_jail": "",
    "judge/00_wire": "from ..core import Verdict\nfrom ..jail import confine",
    "judge/01_host": "from .wire import Frame",
    "03_testcases": "import chained_adv.judge.host",
    "04_sandbox": "def run():\n    from .testcases import parse_tests",
    "05_problems": "from .core import Problem",
    "06_rewards": "from . import core",
    "07_matches": "from .rewards import score\nfrom .sandbox import run",
    "10_sampling": "import torch",
    "10a_memory": "import torch\nfrom .sampling import read",
    "11_ppo": "import torch\nfrom .memory import split",
    "12_rollout": "from .sampling import read\nfrom .sandbox import run",
    "arc/forms/00_reading": "from ...core import Problem",
    "arc/00_grids": "from .forms.reading import read_grid",
    "13_cli": "from . import __version__\ndef pick():\n    from .arc.grids import Grid",
}

def build(root, **changes):
    "Write a house of notebooks and modules and read it; changes replace or add sources, `None` removes one"
    found = {k: v for k, v in {**CODE, **{k.replace("__", "/"): v for k, v in changes.items()}}.items() if v is not None}
    for name, source in found.items():
        folder, _, stem = name.rpartition("/")
        module = "/".join(filter(None, [folder, stem.partition("_")[2]]))
        for path, text in ((root / "chained_adv" / f"{module}.py", source), (root / "nbs" / f"{name}.ipynb", json.dumps({"cells": [
                {"cell_type": "code", "source": f"#| default_exp {module.replace('/', '.')}"}, {"cell_type": "code", "source": source}]}))):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return rules.read_house(root)

def imports_of(house): return [*rules.circular(house), *rules.upward(house, {}), *rules.crossing(house)]


def test_a_house_in_order_passes(tmp_path):
    assert imports_of(build(tmp_path)) == []

def test_folders_are_read_before_the_first_notebook_that_needs_them(tmp_path):
    assert rules.reading_order(build(tmp_path)) == [
        "core", "stages", "jail", "judge.wire", "judge.host", "testcases", "sandbox", "problems", "rewards", "matches", "sampling", "memory", "ppo",
        "rollout", "arc.forms.reading", "arc.grids", "cli"]

@pytest.mark.parametrize("notebook, source, complaint", [
    ("00_core", "from .stages import prompt", "circular import: core < stages < core"),
    ("00_core", "from .jail import confine", "core imports jail, which is read after it (nbs/02_jail.ipynb)"),
    ("00_core", "def late():\n    import chained_adv.jail", "core imports jail"),
    ("10_sampling", "from .memory import split", "circular import"),
    ("judge__00_wire", "from .host import Child", "judge.wire imports judge.host"),
    ("judge__01_host", "from ..problems import load", "judge.host imports problems"),
    ("03_testcases", "import torch.nn", "testcases imports torch, which is closed to the judge's half"),
    ("judge__00_wire", "def f(): import numpy as np", "judge.wire imports numpy"),
    ("06_rewards", "from torch import tensor", "rewards imports torch"),
    ("07_matches", "import torch", "matches imports torch"),
    ("05_problems", "from transformers import AutoTokenizer", "problems imports transformers"),
    ("11_ppo", "from .stages import prompt", "ppo imports stages, which is closed to `ppo` and all that it imports"),
    ("10a_memory", "from .testcases import parse_tests", "memory imports testcases, which is closed to `ppo`"),
    ("11_ppo", "import transformers", "ppo imports transformers"),
    ("12_rollout", "from .arc.grids import Grid", "rollout imports arc.grids"),
    ("11_ppo", None, "a rule about `ppo`, but no module has this name"),
])
def test_a_wrong_import_is_caught(tmp_path, notebook, source, complaint):
    assert complaint in "\n".join(imports_of(build(tmp_path, **{notebook: source})))

def test_the_first_page_imports_anything(tmp_path):
    assert imports_of(build(tmp_path, **{"00_one_page": "from .rollout import judge"})) == []

def test_the_list_of_upward_imports_may_only_shrink(tmp_path):
    house = build(tmp_path, **{"00_core": "from .jail import confine"})
    assert list(rules.upward(house, {"core": "jail"})) == []
    assert list(rules.upward(house, {"core": "jail rollout"})) == ["UPWARD: core no longer imports rollout upwards: remove it"]

TWICE = {"01_stages": "def show(): pass\nclass Row: pass", "02_jail": "class Row: pass\nclass Box:\n    def show(self): pass\ndef _hidden(): pass",
         "05_problems": "from fastcore.basics import patch\n@patch\ndef show(self: list): pass\n@patch(as_prop=True)\ndef Row(self: list): pass\ndef _hidden(): pass"}

@pytest.mark.parametrize("listed, complaints", [
    ("Row 2", []), # `show` is a function once and a method twice
    ("", ["`Row` is defined in jail, stages: rename one"]),
    ("# comment\nRow 3", ["doubled.txt: `Row 3`: write 2"]),
    ("Row 2\nshow 2\ngone 2", ["doubled.txt: `gone` is no longer doubled: remove it", "doubled.txt: `show` is no longer doubled: remove it"]),
])
def test_the_list_of_doubled_names_may_only_shrink(tmp_path, listed, complaints):
    assert list(rules.doubled(build(tmp_path, **TWICE), listed)) == complaints

def test_a_third_module_of_a_doubled_name_is_caught(tmp_path):
    house = build(tmp_path, **TWICE, **{"11_ppo": "class Row: pass"})
    assert list(rules.doubled(house, "Row 2")) == ["`Row` is defined in jail, ppo, stages: rename one"]

def test_wide_code_is_caught_and_wide_prose_is_not():
    cells = lambda kind, columns: {Path("x.ipynb"): [{"cell_type": kind, "source": ["short\n", "w" * columns]}]}
    assert [len(list(rules.wide(cells(*o)))) for o in (("code", 110), ("code", 111), ("markdown", 500))] == [0, 1, 0]

def test_every_entry_of_the_list_of_doubled_names_is_read():
    lines = (rules.ROOT / ".ci/doubled.txt").read_text(encoding="utf-8").splitlines()
    assert not [o for o in lines if not o.startswith("#") and not rules.re.fullmatch(r"\w+ \d+", o)]
