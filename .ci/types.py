"""Type-check the package. Type checkers do not see methods that are added with fastcore's @patch, so a copy is checked in which each
such method stands in its class. Prints what pyrefly finds; exit status 1 when it finds anything. Settings: pyproject.toml.

    python .ci/types.py            needs `pip install pyrefly`; arguments are passed on to it
"""

import ast, re, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def patch_of(node: ast.stmt) -> ast.expr | None:
    "The decorator `@patch` or `@patch(...)` of a function"
    for o in getattr(node, "decorator_list", []):
        if ast.unparse(o).split("(")[0] == "patch":
            return o
    return None


def method_text(lines: list[str], node: ast.FunctionDef, decorator: ast.expr) -> list[str]:
    "A patched function as a method: indented, its first parameter bare, `@property` or `@classmethod` for `@patch`"
    given = ast.unparse(decorator)
    kind = "@property" if "as_prop=True" in given else "@classmethod" if "cls_method=True" in given else ""
    head = min(o.lineno for o in node.decorator_list) - 1
    text = [l for i, l in enumerate(lines[head : node.end_lineno], head) if i != decorator.lineno - 1]
    first = node.args.args[0].arg
    text = "\n".join(text)
    text = re.sub(rf"(\(\s*{first}): [\w.\"']+", r"\1", text, count=1)
    return ["    " + l for l in ([kind] if kind else []) + text.split("\n")]


def plain_options(source: str) -> str:
    "`opt(int, ...)`, an option of a command, as the `Annotated[int, ...]` that it returns: checkers take no call as a type"
    lines = source.split("\n")
    calls = [o for o in ast.walk(ast.parse(source)) if isinstance(o, ast.Call) and ast.unparse(o.func) == "opt"]
    for node in sorted(calls, key=lambda o: -o.lineno * 1000 - o.col_offset):
        first, last = node.lineno - 1, node.end_lineno - 1
        after = lines[last].encode()[node.end_col_offset :].decode()
        before = lines[first].encode()[: node.col_offset].decode()
        lines[last] = after
        for i in range(first, last):
            lines[i] = ""
        lines[first] = f"{before}Annotated[{ast.unparse(node.args[0])}, 'an option'" + "\n" * (last - first) + "]" + after
        lines[first + 1 : last + 1] = []
        lines = "\n".join(lines).split("\n")
    if calls and not re.search(r"^from typing import .*\bAnnotated\b", source, re.M):
        first = next(i for i, o in enumerate(lines) if o.startswith(("import ", "from ")))
        lines[first] = "from typing import Annotated; " + lines[first]
    return "\n".join(lines)


def patches(source: str) -> list[tuple[ast.FunctionDef, ast.expr, str]]:
    "The patched methods of a module: function, decorator, class"
    found = [(o, patch_of(o)) for o in ast.parse(source).body]
    return [(o, by, ast.unparse(o.args.args[0].annotation)) for o, by in found if by is not None]


def merge(source: str) -> str:
    "A module with its patched methods in their classes"
    lines, tree = source.split("\n"), ast.parse(source)
    classes = {o.name: o for o in tree.body if isinstance(o, ast.ClassDef)}
    moved = {name: [] for name in classes}
    for node, decorator, owner in patches(source):
        if owner not in classes:
            lines[decorator.lineno - 1] = ""  # a plain function here; `lend` gives it to its class
            continue
        moved[owner] += method_text(lines, node, decorator)
        start = min(o.lineno for o in node.decorator_list) - 1
        lines[start : node.end_lineno] = [""] * (node.end_lineno - start)
    for name in sorted(classes, key=lambda k: -classes[k].end_lineno):
        lines[classes[name].end_lineno : classes[name].end_lineno] = moved[name]
    return "\n".join(lines)


def lend(name: str, source: str, modules: dict[str, str]):
    "Methods that a module patches into another module's class: imported in that class's body"
    classes = {o.name for o in ast.parse(source).body if isinstance(o, ast.ClassDef)}
    for node, decorator, owner in patches(source):
        if owner in classes:
            continue
        home = next(k for k, text in modules.items() if re.search(rf"^class {owner}\b", text, re.M))
        text = f"    from {name} import {node.name}"
        if "as_prop=True" in ast.unparse(decorator):
            text = f"    from {name} import {node.name} as _{node.name}\n    {node.name} = property(_{node.name})"
        lines = modules[home].split("\n")
        found = next(o for o in ast.parse(modules[home]).body if isinstance(o, ast.ClassDef) and o.name == owner)
        lines[found.end_lineno : found.end_lineno] = [text]
        modules[home] = "\n".join(lines)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "chained_adv")
        shutil.copytree(
            ROOT / "chained_adv", copy, ignore=shutil.ignore_patterns("data", "__pycache__", "web")
        )
        shutil.copy(ROOT / "pyproject.toml", folder)
        name = lambda path: ".".join(path.relative_to(folder).with_suffix("").parts)
        sources = {name(o): o.read_text(encoding="utf-8") for o in sorted(copy.rglob("*.py"))}
        modules = {k: plain_options(merge(v)) for k, v in sources.items()}
        for k, v in sources.items():
            lend(k, v, modules)
        for k, v in modules.items():
            Path(folder, *k.split(".")).with_suffix(".py").write_text(v, encoding="utf-8")
        command = ["pyrefly", "check", "--python-interpreter-path", sys.executable, *sys.argv[1:]]
        return subprocess.run(command, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
