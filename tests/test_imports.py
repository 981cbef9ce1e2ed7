"""Who may import whom: number order is import order, and every exported module has its notebook."""
import ast, importlib, json, re, subprocess, sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, NOTEBOOKS = ROOT / "chained_adv", ROOT / "nbs"

# Module -> the modules of this package it may import. The rows stand in import order; CONTRIBUTING.md shows the same table.
ALLOWED = {module: tuple(names.split()) for module, names in {
    "core": "",
    "stages": "core",
    "jail": "",
    "judge.constants": "",
    "judge.repair": "judge.constants",
    "judge.wire": "",
    "judge.syntax": "judge.constants judge.repair",
    "judge.following": "judge.constants judge.repair judge.syntax",
    "judge.reading": "judge.constants judge.repair judge.syntax judge.following",
    "judge.solution": "judge.wire",
    "judge.minipytest": "",
    "judge.tester": "judge.wire judge.solution judge.minipytest",
    "judge.reader": "judge.wire judge.reading",
    "judge.zygote": "jail judge.wire judge.solution",
    "judge.host": "core jail",
    "judge.verdicts": "core judge.wire judge.host",
    "testcases": "core judge.constants judge.wire judge.host",
    "judge.batches": "core judge.wire judge.host judge.verdicts testcases",
    "sandbox": "core jail judge.host judge.verdicts testcases judge.batches",
    "opponents.inputs": "core judge.wire judge.verdicts testcases sandbox",
    "opponents.fuzz": "core testcases",
    "opponents.oracles": "core",
    "formats.entries": "core",
    "formats.entry_tests": "core judge.constants formats.entries",
    "formats.converters": "core formats.entries formats.entry_tests",
    "problem_files": "core testcases formats.entries formats.converters",
    "problems": "core formats.entries formats.entry_tests problem_files",
    "references": "core testcases sandbox problem_files",
    "rewards": "core",
    "loading": "core",
    "lmhead": "",
    "caches": "core",
    "sharing": "caches",
    "sampling": "caches lmhead sharing",
    "pathcheck": "core sampling",
    "memory": "core",
    "engines.base": "core",
    "adapters": "core loading",
    "rows": "caches sampling memory",
    "opponents.player": "core stages testcases opponents.inputs opponents.fuzz sampling",
    "arc.grids": "core",
    "arc.transforms": "core arc.grids",
    "arc.files": "arc.grids",
    "arc.forms.reading": "arc.grids arc.transforms arc.files",
    "arc.forms.writing": "arc.grids",
    "arc.forms.images": "arc.grids",
    "arc.datasets": "arc.grids arc.transforms arc.files arc.forms.reading arc.forms.writing",
    "arc.language.operations": "",
    "arc.language.features": "arc.language.operations",
    "arc.language.candidates": "",
    "arc.search": "arc.grids arc.language.features arc.language.candidates",
    "arc.protocol": "arc.grids arc.files",
    "arc.limits": "core arc.grids arc.protocol",
    "arc.backends.endpoint": "core arc.protocol",
    "arc.backends.baselines": "core arc.grids arc.search arc.protocol",
    "arc.backends.local": "core loading sampling arc.protocol",
    "arc.clients": "core arc.protocol arc.limits arc.backends.endpoint arc.backends.baselines arc.backends.local",
    "arc.agents": "core arc.grids",
    "arc.results.attempts": "core arc.grids arc.files arc.protocol arc.limits arc.agents",
    "arc.results.lookup": "arc.grids",
    "arc.generate": "core arc.grids arc.files arc.protocol arc.limits arc.backends.endpoint arc.agents arc.results.attempts",
    "arc.verify": "core sandbox arc.grids arc.transforms arc.results.lookup",
    "ranks": "core loading memory",
    "models": "core stages opponents.inputs opponents.fuzz opponents.oracles loading sharing sampling pathcheck memory engines.base adapters rows opponents.player ranks",
    "engines.local": "engines.base models",
    "engines.folders": "models",
    "engines.server": "core loading sampling",
    "engines.vllm": "engines.base models engines.folders",
    "engines.connect": "core opponents.fuzz engines.base models engines.vllm",
    "footprint": "core loading lmhead caches memory adapters models",
    "ppo_options": "",
    "ppo": "memory ranks ppo_options",
    "rollout": "core stages testcases sandbox opponents.inputs opponents.oracles rewards sampling opponents.player ranks models",
    "opponents.accuracy": "core testcases sandbox opponents.inputs engines.base models",
    "intervals": "core",
    "plots": "",
    "tracking": "core plots",
    "mutants": "core judge.verdicts testcases sandbox ranks",
    "measures.fixed_bugs": "core sandbox rollout intervals mutants",
    "evaluation": "core sandbox ranks models rollout opponents.accuracy intervals plots tracking mutants measures.fixed_bugs",
    "sft": "core loading",
    "tiny.world": "core",
    "tiny.pretrain": "core stages sft tiny.world",
    "worlds.limits": "core tiny.world",
    "worlds.steps": "core stages",
    "worlds.weak": "core tiny.world",
    "worlds.warm": "core stages loading sft worlds.limits worlds.steps",
    "checkpoints": "core",
    "callbacks.base": "core sampling rollout",
    "opponents.training": "core sandbox opponents.inputs opponents.fuzz callbacks.base",
    "callbacks.log": "tracking callbacks.base",
    "callbacks.guard": "core ranks rollout tracking mutants measures.fixed_bugs callbacks.base",
    "callbacks.past": "core testcases models rollout callbacks.base",
    "batches": "core loading sampling memory opponents.player models ppo_options ppo rollout",
    "settings": "core stages jail sandbox opponents.fuzz problems rewards models engines.connect ppo tracking callbacks.base opponents.training callbacks.guard callbacks.past",
    "training.episodes": "core sandbox opponents.oracles problems rewards models rollout settings",
    "training.selection": "core sandbox models rollout",
    "trainer": "core jail sandbox problems rewards sampling ranks models engines.connect ppo rollout tracking mutants evaluation checkpoints callbacks.base callbacks.log callbacks.guard callbacks.past batches settings training.episodes training.selection",
    "inference": "core stages sandbox models rollout evaluation checkpoints",
    "export": "core opponents.fuzz loading models engines.folders tracking checkpoints inference",
    "ablation": "core sandbox models intervals plots tracking mutants evaluation settings trainer",
    "worlds.arms": "core models worlds.limits worlds.steps worlds.weak settings ablation",
    "worlds.study": "core sandbox models intervals tracking evaluation worlds.warm trainer ablation worlds.arms",
    "worlds.findings": "intervals plots worlds.limits worlds.steps worlds.arms",
    "terminal": "core",
    "arc.results.scores": "arc.grids arc.files intervals",
    "arc.results.submissions": "arc.grids arc.files",
    "arc.results.answers": "arc.grids arc.transforms arc.agents arc.results.attempts arc.verify",
    "arc.bench": "core sandbox arc.grids arc.transforms arc.files arc.datasets arc.limits arc.agents arc.results.attempts arc.generate arc.verify intervals arc.results.scores",
    "arc.export": "core sandbox problems arc.grids arc.transforms arc.files arc.agents arc.verify arc.results.submissions",
    "arc.bridge": "core stages testcases sandbox problems arc.grids arc.transforms arc.datasets arc.search arc.agents arc.results.lookup arc.verify arc.export",
    "arc.commands.shared": "core arc.grids arc.datasets arc.protocol arc.limits arc.clients terminal arc.results.submissions",
    "arc.commands.export": "sandbox arc.grids arc.datasets arc.agents arc.verify terminal arc.results.scores arc.results.submissions arc.results.answers arc.export arc.bridge arc.commands.shared",
    "arc.commands.printing": "arc.generate terminal",
    "arc.store": "arc.grids arc.transforms",
    "arc.work": "arc.grids arc.store",
    "arc.exchange": "arc.grids arc.transforms arc.forms.reading arc.datasets arc.store",
    "arc.viewer": "sandbox arc.grids arc.transforms arc.datasets arc.verify arc.bench arc.store",
    "arc.chat": "core arc.grids arc.protocol arc.limits arc.backends.endpoint arc.clients arc.agents arc.store",
    "arc.api": "core arc.store",
    "arc.runner": "core sandbox problems arc.grids arc.verify arc.export arc.store",
    "arc.handlers": "arc.grids arc.transforms arc.store arc.work arc.exchange arc.viewer arc.chat arc.api arc.runner",
    "arc.server": "arc.grids arc.datasets arc.store arc.viewer arc.chat arc.api arc.runner arc.handlers",
    "arc.serve": "core arc.datasets arc.protocol terminal arc.store arc.exchange arc.chat arc.server",
    "arc.cli": "core sandbox arc.grids arc.transforms arc.forms.images arc.datasets arc.agents arc.results.attempts arc.generate arc.verify terminal arc.results.scores arc.results.submissions arc.results.answers arc.bench arc.commands.shared arc.commands.export arc.commands.printing arc.serve",
    "options": "core stages settings",
    "sources": "core problems tiny.world worlds.arms terminal arc.bridge",
    "doctor": "core jail sandbox loading models footprint terminal",
    "reports": "core stages plots tracking evaluation terminal",
    "problems_cli": "core sandbox problem_files problems references terminal sources",
    "training_cli": "core stages opponents.fuzz loading sft tiny.pretrain worlds.limits worlds.warm settings trainer ablation worlds.arms worlds.study worlds.findings terminal options sources reports",
    "cli": "core sandbox opponents.fuzz problems loading opponents.player models rollout mutants evaluation checkpoints inference export terminal arc.cli sources doctor reports problems_cli training_cli",
}.items()}

HEAVY = ("torch", "transformers", "numpy")
LIGHT = ("core", "stages", "problem_files", "problems", "testcases", "jail", "sandbox", "rewards") # import none of `HEAVY`, not even through another module
TENSORS = ("lmhead", "ppo_options", "ppo") # import torch, the standard library and one another
GENERATED = ("__init__", "_modidx")


def module_name(path: Path, top: Path = PACKAGE) -> str:
    return ".".join(path.relative_to(top).with_suffix("").parts)

def exported() -> dict:
    "Module name -> file, of everything in the package that a notebook should have exported"
    return {module_name(p): p for p in sorted(PACKAGE.rglob("*.py")) if p.stem not in GENERATED}

def notebook_targets() -> dict:
    "Notebook -> the module it exports to, for the notebooks that export"
    found = {}
    for path in sorted(NOTEBOOKS.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts: continue
        code = ["".join(c["source"]) for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
        targets = re.findall(r"^#\|\s*default_exp\s+(\S+)", "\n".join(code), re.M)
        assert len(targets) <= 1, f"{path.relative_to(ROOT)} names {len(targets)} modules"
        if targets: found[path] = targets[0]
    return found

def imports(module: str, source: str):
    "(line, dotted name, is it a star import) of each import in a module, relative ones made absolute, also those inside functions"
    package = ["chained_adv", *module.split(".")][:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for a in node.names: yield node.lineno, a.name, False
        if isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else []
            stem = ".".join(base + ([node.module] if node.module else []))
            for a in node.names: yield node.lineno, f"{stem}.{a.name}", a.name == "*"

def inside(name: str):
    "The module of this package that an imported name lies in; '' for the package itself, None for other packages"
    top, _, rest = name.partition(".")
    if top != "chained_adv": return None
    parts = rest.split(".") if rest else []
    for n in range(len(parts), 0, -1):
        if ".".join(parts[:n]) in ALLOWED: return ".".join(parts[:n])
    return "" if rest in ("", "__version__") else rest

def violations(module: str, source: str) -> list:
    "What a module imports against the rules, one line each"
    if module not in ALLOWED: return [f"{module}: not in the table (left over from a rename, or a row is missing)"]
    found = []
    for line, name, star in imports(module, source):
        target, top = inside(name), name.partition(".")[0]
        if star: found.append(f"{module}:{line}: star import of {name}")
        if target and target != module and target not in ALLOWED[module]: found.append(f"{module}:{line}: may not import {target}")
        if target == module: found.append(f"{module}:{line}: imports itself")
        if module in LIGHT and top in HEAVY: found.append(f"{module}:{line}: may not import {top}")
        if module in TENSORS and top not in (*sys.stdlib_module_names, "torch", "chained_adv"):
            found.append(f"{module}:{line}: knows torch only, imports {top}")
    return found


def test_the_table_is_in_import_order():
    rows = list(ALLOWED)
    for i, (module, allowed) in enumerate(ALLOWED.items()):
        assert not [o for o in allowed if o not in rows[:i]], f"{module} may import only modules above its row"

@pytest.mark.parametrize("module", exported())
def test_imports_follow_the_table(module):
    assert not violations(module, exported()[module].read_text(encoding="utf-8"))

@pytest.mark.parametrize("module, source, complaint", [
    ("core", "from .stages import get_stage", "may not import stages"),
    ("core", "def f():\n    from chained_adv.trainer import x", "may not import trainer"),
    ("stages", "import chained_adv.problems", "may not import problems"),
    ("stages", "from . import sandbox", "may not import sandbox"),
    ("stages", "from .core import *", "star import"),
    ("tiny.world", "from ..trainer import x", "may not import trainer"),
    ("tiny.world", "from .pretrain import x", "may not import tiny.pretrain"),
    ("rollout", "from .arc.grids import Grid", "may not import arc.grids"),
    ("rewards", "import numpy as np", "may not import numpy"),
    ("sandbox", "from torch.nn import Module", "may not import torch"),
    ("ppo", "import transformers", "knows torch only"),
    ("ppo_options", "from fastcore.basics import patch", "knows torch only"),
    ("ppo_options", "from .ppo import Batch", "may not import ppo"),
    ("ppo", "from .core import Problem", "may not import core"),
    ("core", "from chained_adv.core import Problem", "imports itself"),
    ("old_name", "", "not in the table"),
])
def test_the_check_catches(module, source, complaint):
    assert complaint in "\n".join(violations(module, source))

@pytest.mark.parametrize("module, source", [
    ("stages", "import json, re\nfrom .core import Problem"),
    ("sandbox", "from chained_adv.testcases import parse_tests"),
    ("tiny.pretrain", "from .world import x\nfrom ..core import Problem\nimport torch"),
    ("training_cli", "from . import __version__\nfrom .trainer import AdversarialTrainer"),
    ("ppo", "import math\nimport torch.nn.functional as F\nfrom .ppo_options import ValueHead"),
])
def test_the_check_lets_pass(module, source): assert violations(module, source) == []

@pytest.mark.parametrize("module", [m for m in ("", *LIGHT) if not m or m in exported()])
def test_light_modules_stay_light(module):
    "Importing one in a fresh interpreter brings in no heavy library"
    code = f"import sys, {'.'.join(filter(None, ['chained_adv', module]))}; print([o for o in {HEAVY!r} if o in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr

def test_each_module_has_its_notebook():
    targets = list(notebook_targets().values())
    assert sorted(targets) == sorted(exported()), "a notebook that was never exported, or a module whose notebook is gone"

def test_notebooks_are_named_and_numbered_like_their_modules():
    numbers = {}
    for path, module in notebook_targets().items():
        *folder, stem = module_name(path, NOTEBOOKS).split(".")
        number, _, name = stem.partition("_")
        whole = "_".join(module.split(".")[len(folder):])
        found = re.fullmatch(r"(\d+)([a-z]?)", number)
        assert found and name == whole, f"{path.relative_to(ROOT)} exports to {module}"
        numbers.setdefault(tuple(folder), {})[module] = int(found[1]), found[2]
    for folder in numbers.values():
        assert len(set(folder.values())) == len(folder), f"two notebooks share a number: {folder}"
        assert [m for m in ALLOWED if m in folder] == sorted(folder, key=folder.get)

def test_contributing_shows_the_same_table():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `[\w/]+` \| `([\w.]+)` \| [^|]* \| ([^|]*) \|$", text, re.M)
    assert [m for m, _ in rows] == list(ALLOWED)
    assert {m: tuple(re.findall(r"[\w.]+", o)) for m, o in rows} == ALLOWED

SCRIPTS = sorted(p for folder in ("benchmarks", "tests", ".ci") for p in (ROOT / folder).rglob("*.py"))

@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_scripts_import_names_that_exist(path):
    "Scripts are run by hand only: a name that has gone would be noticed late"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chained_adv")): continue
        try: module = importlib.import_module(node.module)
        except ModuleNotFoundError as e:
            if e.name.startswith("chained_adv"): raise
            continue # an extra that is not installed
        for o in node.names:
            if not hasattr(module, o.name): importlib.import_module(f"{node.module}.{o.name}")
