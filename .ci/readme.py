"""Render nbs/index.ipynb to README.md without Quarto; with --check only say whether README.md is up to date."""

import difflib, re, sys
from pathlib import Path

import nbformat
from nbconvert import MarkdownExporter

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS, README = ROOT / "nbs", ROOT / "README.md"
_DIRECTIVE = re.compile(r"^#\|\s*(\w[\w-]*):?[ \t]*(.*)$", re.M)
_LINK = re.compile(r'(\]\(|\b(?:src|href)=")([^)\s"#]+)')
_FENCED = re.compile(r"(^```.*?^```[ \t]*$)", re.M | re.S)


def apply_directives(cell):
    "The cell as a reader should see it, by nbdev's and Quarto's directives; None when it is hidden"
    cell.metadata = nbformat.NotebookNode()
    if cell.cell_type != "code":
        return None if cell.cell_type == "raw" else cell
    flags = {k: v.strip() for k, v in _DIRECTIVE.findall(cell.source)}
    if {"hide", "default_exp"} & set(flags) or flags.get("include") == "false":
        return None
    cell.source = re.sub(r"^#\|.*\n?", "", cell.source, flags=re.M).strip()
    if flags.get("output") == "false":
        cell.outputs = []
    if flags.get("echo") == "false":
        cell.metadata["transient"] = {"remove_source": True}
    return cell if cell.source or cell.outputs else None


def relocate(text):
    "Links in markdown as seen from the top folder, where README.md lies, instead of from nbs/"

    def fix(match):
        target = NOTEBOOKS / match[2]
        if re.match(r"[a-z]+:|/", match[2]) or not target.exists():
            return match[0]
        return match[1] + target.resolve().relative_to(ROOT).as_posix()

    return "".join(o if i % 2 else _LINK.sub(fix, o) for i, o in enumerate(_FENCED.split(text)))


def render(path=NOTEBOOKS / "index.ipynb"):
    "The notebook as markdown"
    nb = nbformat.read(path, as_version=4)
    nb.cells = [o for o in map(apply_directives, nb.cells) if o is not None]
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = relocate(cell.source)
    nb.metadata["language_info"] = {"name": "python"}
    body, resources = MarkdownExporter().from_notebook_node(nb)
    if resources.get("outputs"):
        sys.exit(
            f"{path}: a cell's output holds an image; save it under nbs/images and link it from a markdown cell"
        )
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", body, flags=re.M)).strip() + "\n"


def main():
    "Write README.md, or compare it"
    new, old = render(), README.read_text(encoding="utf-8") if README.exists() else ""
    if "--check" not in sys.argv[1:]:
        README.write_text(new, encoding="utf-8")
    elif new != old:
        sys.stderr.writelines(
            difflib.unified_diff(
                old.splitlines(True), new.splitlines(True), "README.md", "nbs/index.ipynb rendered"
            )
        )
        sys.exit("README.md is stale: run python .ci/readme.py and commit it")


if __name__ == "__main__":
    main()
