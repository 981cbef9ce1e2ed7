"""Modules and their notebooks belong together, and what must start fast loads nothing heavy. (`.ci/house.py` checks who imports whom.)"""
import ast, importlib, json, re, runpy, subprocess, sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, NOTEBOOKS = ROOT / "chained_adv", ROOT / "nbs"
GENERATED = ("__init__", "_modidx")
house = SimpleNamespace(**runpy.run_path(str(ROOT / ".ci/house.py")))
HALF = sorted(house.reached(house.named(house.JUDGE, house.read_house()), house.read_house()))


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


@pytest.mark.parametrize("modules, closed", [
    ([""], house.HEAVY), (HALF, house.HEAVY), (["cli"], {*house.HEAVY, "chained_adv.arc"})
], ids=["package", "judge", "command line"])
def test_light_modules_stay_light(modules, closed):
    "Imported one after the other in a fresh interpreter, none brings in a library that is closed to it, not even through another library"
    names = [f"chained_adv.{o}".rstrip(".") for o in modules]
    code = f"import importlib, sys\nfor o in {names}:\n    importlib.import_module(o)\n    print(o, {closed} & sys.modules.keys() or '')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()) == (0, names), done.stderr

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

SCRIPTS = sorted(p for folder in ("benchmarks", "tests", "environments", ".ci") for p in (ROOT / folder).rglob("*.py"))

@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_scripts_import_names_that_exist(path):
    "Scripts are run by hand only: a name that has gone would be noticed late"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chained_adv")): continue
        try: module = importlib.import_module(node.module)
        except ModuleNotFoundError as e:
            if e.name.partition(".")[0] == "chained_adv": raise
            continue # an extra that is not installed
        for o in node.names:
            if not hasattr(module, o.name): importlib.import_module(f"{node.module}.{o.name}")
