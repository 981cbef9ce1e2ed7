"""What a reader sees in the notebooks: outputs that say nothing of the machine they were made on."""
import json, re
from pathlib import Path
import pytest

NOTEBOOKS = sorted(p for p in (Path(__file__).resolve().parent.parent / "nbs").rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
MACHINE = re.compile(r"site-packages|/tmp/|/home/|/root/|/work/|0x[0-9a-f]{8,}|\d+it/s|[Ww]arning:")


def stored_text(output):
    if output["output_type"] == "stream": yield "".join(output["text"])
    for kind, data in output.get("data", {}).items():
        if kind.startswith("text/"): yield "".join(data)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_outputs_do_not_name_the_machine(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    found = [(i, m[0]) for i, c in enumerate(cells) for o in c.get("outputs", ()) for t in stored_text(o) for m in [MACHINE.search(t)] if m]
    assert not found, f"{path.name}: stored outputs of cells {found} name the machine; silence the cause, run nbdev-test --save again"


def test_the_check_sees_a_path():
    assert MACHINE.search("/usr/lib/python3/site-packages/x.py:3: FutureWarning") and not MACHINE.search("12 tests, 3 rejected")
