"""Who imports whom, and the house rules that a script can check. It reads files and imports nothing of the package.

    python .ci/house.py            every module in reading order: its lines, its cells, its imports
    python .ci/house.py --trace    the same, and what one training step enters (runs benchmarks/trace.py)
    python .ci/house.py --check    one line for each broken rule, and exit status 1 if there is one

1. No circular imports.
2. A module imports only what is read before it. Number order is reading order; we read a folder right before
   the first notebook next to it that imports from it.
3. The judge's half reaches no torch, `ppo` reaches no text, and only the command line imports `arc`.
4. Code in notebooks has at most 110 columns.
5. A public name means one thing: no two modules define a function or class of the same name.

`UPWARD` and `doubled.txt` list today's exceptions to 2 and 5. They may only shrink: a stale entry is a fault.
"""

import argparse, ast, json, re, subprocess, sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import SimpleNamespace

ROOT, PACKAGE, WIDE = Path(__file__).resolve().parent.parent, "chained_adv", 110
UPWARD = {  # importer: modules that are read after it
    "arc.results.answers": "arc.verify",
}
READ_FIRST = "one_page"  # tells the whole game, so it may import anything
JUDGE, HEAVY = "jail judge sandbox problems rewards stages matches", {"torch", "transformers", "numpy"}
TEXT, COMMANDS = "stages testcases sandbox matches rollout", "cli"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

def read_notebooks(root=ROOT) -> dict:
    "Notebook, as a path under nbs/ -> its cells"
    paths = [p for p in sorted((root / "nbs").rglob("*.ipynb")) if ".ipynb_checkpoints" not in p.parts]
    return {p.relative_to(root / "nbs"): json.loads(p.read_text(encoding="utf-8"))["cells"] for p in paths}

def code_lines(cells) -> list:
    return [line for c in cells if c["cell_type"] == "code" for line in "".join(c["source"]).split("\n")]

def imported_names(module, tree):
    "Dotted name of each import, also those inside functions; relative ones made absolute"
    for node in ast.walk(tree):
        if isinstance(node, ast.Import): yield from (a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [PACKAGE, *module.split(".")][: -node.level] if node.level else []
            yield from (".".join(filter(None, [*base, node.module, a.name])) for a in node.names)

def read_house(root=ROOT) -> dict:
    "Name of each exported module -> its notebook, cells, lines, public names, and imports inside and outside"
    house = {}
    for path, cells in read_notebooks(root).items():
        target = re.search(r"^#\|\s*default_exp\s+(\S+)", "\n".join(code_lines(cells)), re.M)
        if not target: continue
        text = (root / PACKAGE / f"{target[1].replace('.', '/')}.py").read_text(encoding="utf-8")
        body, names = ast.parse(text).body, set(imported_names(target[1], ast.parse(text)))
        found = [o for o in body if isinstance(o, DEFINITIONS) and "patch" not in map(decorator, o.decorator_list)]
        house[target[1]] = SimpleNamespace(
            notebook=path, cells=len(cells), lines=text.count("\n"), names=names,
            public={o.name for o in found if not o.name.startswith("_")},
            outside={o.split(".")[0] for o in names} - {PACKAGE})
    for module in house.values():  # `chained_adv.core.Problem` is in `core`, `chained_adv.judge.wire` is `judge.wire`
        inside = [o.removeprefix(f"{PACKAGE}.") for o in module.names if o.startswith(f"{PACKAGE}.")]
        module.inside = {o if o in house else o.rpartition(".")[0] for o in inside} & house.keys()
    return house

def decorator(node) -> str:
    "`@patch` and `@patch(as_prop=True)` are both `patch`"
    return ast.unparse(node).split("(")[0]

def reading_order(house) -> list:
    "Names of the modules as rule 2 reads them"
    number = lambda path: [int(o) if o.isdigit() else o for o in re.split(r"(\d+)", path.name)]
    first = {}  # folder -> number of the first notebook next to it that imports from it
    for module in house.values():
        for folder in {p for o in module.inside for p in house[o].notebook.parents}:
            if folder.parent == module.notebook.parent and folder != Path():
                first[folder] = min(first.get(folder, ["~"]), number(module.notebook))
    def place(name):
        path = house[name].notebook
        folders = [(first.get(o, ["~"]), 0, o.name) for o in reversed(path.parents[:-1])]
        return [*folders, (number(path), 1, path.name)]
    return sorted(house, key=place)

def named(names, house) -> set:
    "The modules of these names and those in folders of these names"
    return {m for m in house for o in names.split() if f"{m}.".startswith(f"{o}.")}

def reached(modules, house) -> set:
    "These modules and all that they import, directly or through others"
    found, new = set(), set(modules)
    while new:
        found |= new
        new = {o for m in new for o in house[m].inside} - found
    return found

def circular(house):
    try:
        TopologicalSorter({m: o.inside for m, o in house.items()}).prepare()
    except CycleError as e: yield f"circular import: {' < '.join(e.args[1])}"

def upward(house, listed):
    place = {m: i for i, m in enumerate(reading_order(house))}
    arrows = {(m, o) for m in house for o in house[m].inside if m != READ_FIRST and place[o] > place[m]}
    known = {(m, o) for m in listed for o in listed[m].split()}
    for m, o in sorted(arrows - known):
        yield f"{m} imports {o}, which is read after it (nbs/{house[o].notebook})"
    for m, o in sorted(known - arrows):
        yield f"UPWARD: {m} no longer imports {o} upwards: remove it"

def crossing(house):
    for o in f"{JUDGE} {TEXT} {COMMANDS} ppo arc".split():
        if not named(o, house): yield f"house.py has a rule about `{o}`, but no module has this name"
    judge, update, arc = reached(named(JUDGE, house), house), named("ppo", house), named("arc", house)
    for who, modules, closed in (
        ("the judge's half", judge, HEAVY),
        ("`ppo` and all that it imports", reached(update, house), named(TEXT, house)),
        ("`ppo`", update, {"transformers"}),
        ("all but the command line", house.keys() - arc - named(COMMANDS, house), arc),
    ):
        for m in sorted(modules):
            for o in sorted(closed & (house[m].inside | house[m].outside)):
                yield f"{m} imports {o}, which is closed to {who}"

def wide(notebooks):
    for path, cells in notebooks.items():
        for line in code_lines(cells):
            if len(line) > WIDE:
                yield f"nbs/{path}: {len(line)} columns, at most {WIDE}: {line.strip()[:50]}..."

def doubled(house, listed):
    "`listed` has lines of a name and the number of modules that define it"
    known = {name: int(n) for name, n in re.findall(r"^(\w+) (\d+)$", listed, re.M)}
    homes = defaultdict(list)
    for m in sorted(house):
        for name in house[m].public: homes[name].append(m)
    for name in sorted(homes.keys() | known):
        now, before = len(homes[name]), known.get(name, 1)
        if now > before: yield f"`{name}` is defined in {', '.join(homes[name])}: rename one"
        elif name in known and now < 2: yield f"doubled.txt: `{name}` is no longer doubled: remove it"
        elif now < before: yield f"doubled.txt: `{name} {before}`: write {now}"

def faults() -> list:
    "One line for each broken rule"
    house, listed = read_house(), (ROOT / ".ci/doubled.txt").read_text(encoding="utf-8")
    return [*circular(house), *upward(house, UPWARD), *crossing(house), *wide(read_notebooks()),
            *doubled(house, listed)]

def print_table(house):
    width = max(map(len, house))
    print(f"{'module':{width}}  lines  cells  imports")
    for m in reading_order(house):
        print(f"{m:{width}} {house[m].lines:6} {house[m].cells:6}  {', '.join(sorted(house[m].inside))}")
    sums = [sum(o) for o in zip(*((m.lines, m.cells, len(m.inside)) for m in house.values()))]
    print(f"\n{len(house)} modules, {sums[0]} lines, {sums[1]} cells, {sums[2]} imports")

def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="check the rules instead of printing the table")
    parser.add_argument("--trace", action="store_true", help="also trace one training step of each role")
    args = parser.parse_args()
    if args.check:
        found = faults()
        print(*found, sep="\n", end="\n" * bool(found), file=sys.stderr)
        return bool(found)
    print_table(read_house())
    return subprocess.run([sys.executable, ROOT / "benchmarks/trace.py"]).returncode if args.trace else 0


if __name__ == "__main__":
    sys.exit(main())
