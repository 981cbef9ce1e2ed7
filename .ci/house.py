"""The house table: how long, how wide and how well shown the notebooks and their modules are.

    python .ci/house.py                  the table
    python .ci/house.py --json           the same for programs
    python .ci/house.py --compare REV    totals and modules of a git revision beside today's
    python .ci/house.py --check          also exit with 1 when a limit below is broken

It reads files only; nothing of the package is imported. Whether a cell is over 25 lines is
counted with nbdev's directives, everything else without them.
"""

import argparse, ast, builtins, io, json, re, subprocess, sys, tarfile, tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parent.parent
LONG_MODULE, LONG_CELL, WIDE, BLOCK = 450, 25, 110, 6  # lines, lines, columns, lines
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SETTINGS = re.compile(r"(Config|Settings)$")  # dataclasses of these names hold settings
GENERATED = ("__init__", "_modidx")
PLAIN_BASES = {
    "NamedTuple",
    "Protocol",
    *dir(builtins),
}  # other bases from outside bring methods of their own

# What --check holds: total -> ("at most" or "at least", figure). Where the aim is not reached, today's figure.
LIMITS = {
    "modules over 450 lines": ("at most", 0),
    "cells over 25 lines": ("at most", 0),
    "lines over 110 columns": ("at most", 0),
    "defining cells: median": ("at most", 10),
    "defining cells: 90th percentile": ("at most", 20),
    "code cells with output, %": ("at least", 25),
    "plain examples, %": ("at least", 12),
    "settings": ("at most", 50),
    "methods not on their page": ("at most", 0),
    "duplicated blocks": ("at most", 0),
}


# Reading


def read_cells(path: Path) -> list[dict]:
    "The cells of a notebook: id, type, source without directives, flags, and whether output is stored"
    cells = []
    for c in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        lines = "".join(c["source"]).split("\n")
        flags = [l.split()[1].rstrip(":") for l in lines if re.match(r"#\|\s*\w", l) and len(l.split()) > 1]
        source = "\n".join(l for l in lines if not l.startswith("#|")).strip("\n")
        cells.append(
            dict(
                id=c["id"],
                code=c["cell_type"] == "code",
                source=source,
                flags=flags,
                output=bool(c.get("outputs")),
                text="\n".join(lines),
            )
        )
    return cells


def parse(source: str) -> list:
    "The statements of a cell; none for one with magics"
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


def read_house(folder: Path) -> dict[str, dict]:
    "Module -> its notebook's cells and its exported text"
    house = {}
    for path in sorted((folder / "nbs").rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts:
            continue
        cells = read_cells(path)
        target = re.search(r"^#\|\s*default_exp\s+(\S+)", "\n".join(c["text"] for c in cells), re.M)
        name = target[1] if target else path.relative_to(folder / "nbs").as_posix()
        module = folder / "chained_adv" / f"{name.replace('.', '/')}.py" if target else None
        text = module.read_text(encoding="utf-8") if module and module.exists() else ""
        house[name] = dict(cells=cells, text=text, exports=bool(target))
    return house


def revision(rev: str, folder: str) -> Path:
    "Unpack the notebooks and the package of a git revision"
    command = ["git", "-C", str(ROOT), "archive", rev, "nbs", "chained_adv"]
    packed = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        tar.extractall(folder, filter="data")
    return Path(folder)


# Kinds of cells


def is_exported(cell: dict) -> bool:
    return bool({"export", "exports", "exporti"} & set(cell["flags"]))


def is_defining(cell: dict) -> bool:
    "Is it exported, and does it define a function or a class?"
    return is_exported(cell) and any(isinstance(o, (*FUNCTIONS, ast.ClassDef)) for o in parse(cell["source"]))


def has_test(body: list) -> bool:
    "Does it assert, or call one of fastcore's tests?"
    for node in (n for o in body for n in ast.walk(o)):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Name) and re.match(r"test_|expect_fail$", node.id):
            return True
    return False


def is_example(cell: dict) -> bool:
    "Does it show something and test nothing? The last line is a value or a call, or an output is stored"
    if is_exported(cell) or {"hide", "default_exp"} & set(cell["flags"]):
        return False
    body = parse(cell["source"])
    if not body or has_test(body) or "show_doc" in cell["source"]:
        return False
    return cell["output"] or isinstance(body[-1], ast.Expr)


# Classes and pages


def package_classes(house: dict) -> dict[str, tuple[set, list]]:
    "Class -> (names written in its body, names of its bases), over the whole package"
    found = {}
    for part in house.values():
        for node in parse(part["text"]):
            if not isinstance(node, ast.ClassDef):
                continue
            bases = [ast.unparse(b).split(".")[-1].split("[")[0] for b in node.bases]
            found[node.name] = {o.name for o in node.body if isinstance(o, FUNCTIONS)}, bases
    return found


def is_inherited(cls: str, name: str, classes: dict) -> bool:
    "Does a base in the package have this method, or may one from outside have it?"
    for base in classes[cls][1]:
        if base in classes:
            if name in classes[base][0] or is_inherited(base, name, classes):
                return True
        elif base not in PLAIN_BASES:
            return True
    return False


def hidden_methods(part: dict, classes: dict) -> list[str]:
    "Public methods that nbdev's page of a module does not show: in the class's body, or assigned afterwards"
    shown = set(re.findall(r"^show_doc\(([\w.]+)", "\n".join(c["source"] for c in part["cells"]), re.M))
    found = []
    for node in parse(part["text"]):
        if isinstance(node, ast.ClassDef):  # `gain = property(...)` in a body counts as well
            names = [o.name for o in node.body if isinstance(o, FUNCTIONS)]
            calls = [o for o in node.body if isinstance(o, ast.Assign) and isinstance(o.value, ast.Call)]
            names += [o.targets[0].id for o in calls if ast.unparse(o.value.func) == "property"]
            found += [(node.name, o) for o in names if not is_inherited(node.name, o, classes)]
        if isinstance(node, ast.Assign):  # `Class.method = _method`
            targets = [t for o in node.targets for t in (o.elts if isinstance(o, ast.Tuple) else [o])]
            targets = [t for t in targets if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name)]
            found += [(t.value.id, t.attr) for t in targets]
    public = {f"{c}.{m}" for c, m in found if c in classes and "_" not in (c[0], m[0])}
    return sorted(public - shown)


def settings_of(part: dict) -> dict[str, int]:
    "Configuration dataclass -> number of its fields"
    found = {}
    for node in parse(part["text"]):
        if not (isinstance(node, ast.ClassDef) and SETTINGS.search(node.name)):
            continue
        if not any("dataclass" in ast.unparse(d) for d in node.decorator_list):
            continue
        fields = [o for o in node.body if isinstance(o, ast.AnnAssign)]
        nested = [
            o for o in fields if SETTINGS.search(ast.unparse(o.annotation))
        ]  # their fields are counted below
        found[node.name] = len(fields) - len(nested)
    return found


# Duplicates


def normal_lines(cell: dict) -> list[str]:
    "The lines of a cell with single spaces, without blank lines and imports"
    lines = [" ".join(l.split()) for l in cell["source"].split("\n")]
    return [l for l in lines if l and not l.startswith(("import ", "from ", "#"))]


def duplicates(house: dict) -> list[dict]:
    "Blocks of at least `BLOCK` lines that stand twice in exported code"
    exported = [(name, c) for name, part in house.items() for c in part["cells"] if is_exported(c)]
    cells = [(name, c["id"], normal_lines(c)) for name, c in exported]
    places = defaultdict(list)
    for k, (_, _, lines) in enumerate(cells):
        for i in range(len(lines) - BLOCK + 1):
            places[tuple(lines[i : i + BLOCK])].append((k, i))
    pairs = {(a, b) for found in places.values() for n, a in enumerate(found) for b in found[n + 1 :]}
    back = lambda place: (place[0], place[1] - 1)
    blocks = []
    for a, b in sorted(pairs):
        if (back(a), back(b)) in pairs:
            continue  # not where it begins
        size = BLOCK
        while ((a[0], a[1] + size - BLOCK + 1), (b[0], b[1] + size - BLOCK + 1)) in pairs:
            size += 1
        where = [f"{cells[k][0]}#{cells[k][1]}" for k, _ in (a, b)]
        blocks.append(dict(lines=size, where=where, begins=cells[a[0]][2][a[1]]))
    return blocks


# The table


def share(part: list, whole: list) -> float:
    return round(100 * len(part) / len(whole), 1) if whole else 0.0


def sizes(cells: list[dict]) -> list[int]:
    return [len(c["source"].split("\n")) for c in cells]


def ninetieth(values: list[int]) -> float:
    if len(values) < 2:
        return max(values, default=0)
    return round(quantiles(values, n=10, method="inclusive")[-1], 1)


def measure_cells(cells: list[dict]) -> dict:
    "Figures of some cells"
    code = [c for c in cells if c["code"] and c["source"]]
    defining = [c for c in code if is_defining(c)]
    wide = [l for c in code for l in c["source"].split("\n") if len(l) > WIDE]
    return {
        "cells over 25 lines": sum(len(c["text"].split("\n")) > LONG_CELL for c in code),
        "lines over 110 columns": len(wide),
        "defining cells: median": median(sizes(defining)) if defining else 0,
        "defining cells: 90th percentile": ninetieth(sizes(defining)),
        "code cells with output, %": share([c for c in code if c["output"]], code),
        "plain examples, %": share([c for c in code if is_example(c)], code),
    }


def measure(folder: Path) -> dict:
    "The whole table as plain values"
    house = read_house(folder)
    classes, modules, settings = package_classes(house), {}, {}
    for name, part in house.items():
        hidden, own = hidden_methods(part, classes), settings_of(part)
        settings |= own
        lines = part["text"].count("\n") if part["exports"] else 0
        modules[name] = {"lines": lines} | measure_cells(part["cells"]) | {"methods not on the page": hidden}
    blocks = duplicates(house)
    totals = {
        "modules": sum(part["exports"] for part in house.values()),
        "lines": sum(o["lines"] for o in modules.values()),
        "modules over 450 lines": sum(o["lines"] > LONG_MODULE for o in modules.values()),
        **measure_cells([c for part in house.values() for c in part["cells"]]),
        "settings": sum(settings.values()),
        "methods not on their page": sum(len(o["methods not on the page"]) for o in modules.values()),
        "duplicated blocks": len(blocks),
    }
    return dict(totals=totals, modules=modules, settings=settings, duplicates=blocks)


# Printing

COLUMNS = {
    "lines": "lines",
    "cells over 25 lines": "cells>25",
    "lines over 110 columns": "cols>110",
    "defining cells: median": "median",
    "defining cells: 90th percentile": "90th",
    "code cells with output, %": "output%",
    "plain examples, %": "example%",
    "methods not on the page": "hidden",
}


def print_table(found: dict):
    "Modules, totals, settings and duplicates"
    width = max(map(len, found["modules"]))
    print(" ".join([f"{'module':{width}}", *(f"{o:>8}" for o in COLUMNS.values())]))
    for name, figures in found["modules"].items():
        row = [len(v) if isinstance(v := figures[k], list) else v for k in COLUMNS]
        flag = "  over 450" if figures["lines"] > LONG_MODULE else ""
        print(" ".join([f"{name:{width}}", *(f"{v:>8g}" for v in row)]) + flag)
    print()
    for name, value in found["totals"].items():
        print(f"{name:32} {value:>8g}")
    print(f"\nsettings counted: {', '.join(f'{k} {n}' for k, n in found['settings'].items())}")
    hidden = [o for figures in found["modules"].values() for o in figures["methods not on the page"]]
    print(f"methods not on their page: {', '.join(hidden) or 'none'}")
    for o in found["duplicates"]:
        print(f"duplicate, {o['lines']} lines: {' and '.join(o['where'])}: {o['begins'][:60]}")


def print_comparison(old: dict, new: dict, rev: str):
    "Totals before and after, then the modules that changed in length or width"
    print(f"{'':32} {rev[:12]:>12} {'now':>8}")
    for name, value in new["totals"].items():
        print(f"{name:32} {old['totals'].get(name, 0):>12g} {value:>8g}")
    keys = ("lines", "cells over 25 lines", "lines over 110 columns")
    print("\nmodule: lines, cells over 25 lines, lines over 110 columns")
    for name in sorted(old["modules"].keys() | new["modules"].keys()):
        before, after = ([o["modules"].get(name, {}).get(k, 0) for k in keys] for o in (old, new))
        if before != after:
            print(f"{name}: {before} -> {after}")


def broken_limits(totals: dict) -> list[str]:
    "The limits that do not hold, one line each"
    found = []
    for name, (sense, limit) in LIMITS.items():
        value = totals[name]
        if value > limit if sense == "at most" else value < limit:
            found.append(f"{name}: {value:g}, {sense} {limit:g}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--compare", metavar="REV", help="print a git revision's figures beside today's")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a limit is broken")
    args = parser.parse_args()
    found = measure(ROOT)
    old = None
    if args.compare:
        with tempfile.TemporaryDirectory() as folder:
            old = measure(revision(args.compare, folder))
    if args.json:
        print(json.dumps(found | ({"before": old} if old else {}), indent=1))
    elif old:
        print_comparison(old, found, args.compare)
    else:
        print_table(found)
    broken = broken_limits(found["totals"]) if args.check else []
    for o in broken:
        print(f"limit broken: {o}", file=sys.stderr)
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
