"""What a reader finds on the pages: every public class with all its public methods and properties."""
import importlib, inspect, json, re, sys
from functools import cached_property
from pathlib import Path

import pytest
from fastcore.nbio import mk_cell, new_nb, read_nb
from nbdev.frontmatter import FrontmatterProc
from nbdev.process import NBProcessor
from nbdev.processors import add_show_docs, populate_language

from chained_adv._modidx import d

SYMBOLS = d["syms"] # what nbdev links to
ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = [p for p in sorted((ROOT / "nbs").rglob("*.ipynb")) if ".ipynb_checkpoints" not in p.parts]
PAGE = [FrontmatterProc, populate_language, add_show_docs] # what decides what a page shows
MEMBERS = (staticmethod, classmethod, property, cached_property)



def module_of(notebook) -> str | None:
    "The module that a notebook exports to; None for one that exports nothing"
    code = "\n".join(c.source for c in notebook.cells if c.cell_type == "code")
    target = re.search(r"^#\|\s*default_exp\s+(\S+)", code, re.M)
    return target[1] if target else None

def shown_on_page(notebook) -> set[str]:
    "Names that the page of a notebook documents, as `function`, `Class` or `Class.method`"
    page = NBProcessor(nb=notebook, procs=PAGE, rm_directives="quarto")
    page.process()
    code = "\n".join(c.source for c in page.nb.cells if c.cell_type == "code")
    return set(re.findall(r"^show_doc\(([\w.]+)", code, re.M))

def rows_of_tables(notebook) -> set[str]:
    "Methods and properties with a row of a table in the text: it begins with the call, | `after_step(line)` | or the name | `rates` |"
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    return set(re.findall(r"^\| `(\w+)(?:\([^`]*\))?` \|", text, re.M))

def not_shown(module, notebook) -> set[str]:
    "Public names of a module that its page lacks: neither documented nor, if it is a method, in a table"
    tables = rows_of_tables(notebook)
    return {o for o in public_names(module) - shown_on_page(notebook) if o.partition(".")[2] not in tables}

def is_member(value) -> bool:
    "Is a class attribute a method or a property?"
    return inspect.isfunction(value) or isinstance(value, MEMBERS)

def code_of(member):
    "The code of a method or property; None when it has none of its own"
    function = next((o for a in ("fget", "func", "__func__") if (o := getattr(member, a, None))), member)
    return getattr(inspect.unwrap(function), "__code__", None)

def is_shown_elsewhere(cls, name: str) -> bool:
    "Does a base class have this attribute? Then that base's page, or another package's, says what it does"
    return any(name in vars(base) for base in cls.__mro__[1:])

def own_members(cls) -> set[str]:
    "Names of the public methods and properties that are written for a class, without those of its bases"
    file, names = inspect.getsourcefile(sys.modules[cls.__module__]), set()
    for name, member in vars(cls).items():
        if name.startswith("_") or not is_member(member) or is_shown_elsewhere(cls, name): continue
        code = code_of(member)
        if code and code.co_filename == file: names.add(name) # not what `dataclass` or `NamedTuple` made
    return names

def public_names(module) -> set[str]:
    "Every public class that a module defines, as `Class`, and its own members, as `Class.member`"
    names = set()
    for name, cls in vars(module).items():
        if name.startswith("_") or not inspect.isclass(cls) or cls.__module__ != module.__name__: continue
        names |= {cls.__name__} | {f"{cls.__name__}.{o}" for o in own_members(cls)}
    return names


EXPORTING = {name: path for path in NOTEBOOKS if (name := module_of(read_nb(path)))}

@pytest.mark.parametrize("name", EXPORTING)
def test_pages_show_every_class_with_its_methods(name):
    module = importlib.import_module(f"chained_adv.{name}")
    missing = not_shown(module, read_nb(EXPORTING[name]))
    assert not missing, (f"{EXPORTING[name].name} does not show {', '.join(sorted(missing))}; write them with "
                         "@patch, add show_doc cells, or a table whose rows begin with their calls")

@pytest.mark.parametrize("name", EXPORTING)
def test_the_index_of_links_knows_them_too(name):
    module = importlib.import_module(f"chained_adv.{name}")
    known = set(SYMBOLS.get(module.__name__, {}))
    names = public_names(module)
    missing = {o for o in names if f"{module.__name__}.{o}" not in known}
    assert not missing, f"_modidx.py lacks {', '.join(sorted(missing))} of {name}; run nbdev-export"


EXAMPLES = {
    "patched": """from fastcore.basics import patch
class Box:
    "Holds one thing"
    def __init__(self, thing): self.thing = thing

@patch
def open(self: Box): return self.thing

@patch(as_prop=True)
def empty(self: Box): return self.thing is None
""",
    "assigned": """class Box:
    "Holds one thing"
    def __init__(self, thing): self.thing = thing

def _open(self): return self.thing
Box.open = _open
Box.empty = property(lambda self: self.thing is None)
"""}

@pytest.mark.parametrize("style, missing", [("patched", set()), ("assigned", {"Box.open", "Box.empty"})])
def test_a_method_that_is_assigned_afterwards_is_missed(style, missing, tmp_path, monkeypatch):
    name = f"pages_example_{style}"
    (tmp_path / f"{name}.py").write_text(EXAMPLES[style], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    page = new_nb([mk_cell(f"#| default_exp {name}"), mk_cell("#| export\n" + EXAMPLES[style])])
    found = public_names(importlib.import_module(name))
    assert found == {"Box", "Box.open", "Box.empty"}
    assert found - shown_on_page(page) == missing

def test_a_table_shows_the_methods_that_its_rows_begin_with(tmp_path, monkeypatch):
    (tmp_path / "pages_example_table.py").write_text(EXAMPLES["assigned"], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    code = mk_cell("#| default_exp pages_example_table"), mk_cell("#| export\n" + EXAMPLES["assigned"])
    table = mk_cell("| method | what |\n|---|---|\n| `open(how)` | opens it, if `empty()` |\n", "markdown")
    module = importlib.import_module("pages_example_table")
    assert not_shown(module, new_nb([*code, table])) == {"Box.empty"}

@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.relative_to(ROOT / "nbs").as_posix())
def test_links_between_pages_lead_somewhere(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    links = re.findall(r"\]\(([\w/.-]+\.(?:ipynb|html|md|png|svg))[)#]", text)
    assert not [o for o in links if not (path.parent / o).exists()] # pages by their notebook, which GitHub and the site both follow
