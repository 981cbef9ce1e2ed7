"""What CONTRIBUTING.md says about the code is true: names exist, files and tests that the guides touch are there."""
import importlib, re, runpy
from functools import reduce
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    "The text under a heading, up to the next one of its level"
    level = re.search(rf"^(#+) {re.escape(title)}$", TEXT, re.M)
    assert level, f"CONTRIBUTING.md has no heading {title!r}"
    rest = TEXT[level.end() :]
    return re.split(rf"^#{{1,{len(level[1])}}} ", rest, maxsplit=1, flags=re.M)[0]


PATH = section("The path of a problem")
NAMES = re.findall(r"`((?:[a-z_]+\.)+[A-Za-z_.]+)`", PATH)


def test_the_path_is_a_path():
    assert len(NAMES) >= 12


@pytest.mark.parametrize("name", dict.fromkeys(NAMES))
def test_names_on_the_path_exist(name):
    parts = name.split(".")
    for n in range(len(parts) - 1, 0, -1):
        try:
            module = importlib.import_module("chained_adv." + ".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        assert reduce(getattr, parts[n:], module) is not None
        return
    raise AssertionError(f"{name}: no such module")


@pytest.mark.parametrize("title", ["Add a reward scheme", "Add a set of prompts for the stages", "Add a collection of problems",
                                   "Add a kind of problem", "Add a command", "Support a model family"])
def test_guides_name_files_that_exist(title):
    files = re.findall(r"`((?:nbs|tests)/[\w./]+)`", section(title))
    assert any(o.startswith("nbs/") for o in files) and any(o.startswith("tests/") for o in files)
    missing = [o for o in files if not (ROOT / o).exists()]
    assert not missing


def test_the_table_of_rooms_names_rooms_that_exist():
    rows = re.findall(r"^\| (`[^|]*`) \|", section("The rooms"), re.M)
    rooms = [o for row in rows for o in re.findall(r"`([\w.]+)`", row)]
    house = runpy.run_path(str(ROOT / ".ci/house.py"))
    modules = house["read_house"]()
    assert len(rows) > 5 and len(set(rooms)) == len(rooms)
    assert not [o for o in rooms if not house["named"](o, modules)]
