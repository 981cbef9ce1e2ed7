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


def merge(source: str) -> str:
    "A module with its patched methods in their classes"
    lines, tree = source.split("\n"), ast.parse(source)
    classes = {o.name: o for o in tree.body if isinstance(o, ast.ClassDef)}
    moved = {name: [] for name in classes}
    for node in tree.body:
        decorator = patch_of(node)
        if decorator is None:
            continue
        owner = ast.unparse(node.args.args[0].annotation)
        if owner not in classes:
            continue
        moved[owner] += method_text(lines, node, decorator)
        start = min(o.lineno for o in node.decorator_list) - 1
        lines[start : node.end_lineno] = [""] * (node.end_lineno - start)
    for name in sorted(classes, key=lambda k: -classes[k].end_lineno):
        lines[classes[name].end_lineno : classes[name].end_lineno] = moved[name]
    return "\n".join(lines)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "chained_adv")
        shutil.copytree(
            ROOT / "chained_adv", copy, ignore=shutil.ignore_patterns("data", "__pycache__", "web")
        )
        shutil.copy(ROOT / "pyproject.toml", folder)
        for path in copy.rglob("*.py"):
            path.write_text(merge(path.read_text(encoding="utf-8")), encoding="utf-8")
        command = ["pyrefly", "check", "--python-interpreter-path", sys.executable, *sys.argv[1:]]
        return subprocess.run(command, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
