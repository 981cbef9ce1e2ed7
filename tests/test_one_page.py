"""The game on one page: what it takes from this package, its prompts, and that its outputs come from a full run."""
import ast, json
from pathlib import Path

from chained_adv import stages
from chained_adv.tiny.world import tiny_problems

PAGE = Path(__file__).resolve().parent.parent / "nbs" / "00_one_page.ipynb"
CELLS = [c for c in json.loads(PAGE.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]


PROMPTS = next("".join(c["source"]) for c in CELLS if "def generator_prompt" in "".join(c["source"]))


def test_it_imports_only_the_sandbox_and_the_tiny_world():
    nodes = list(ast.walk(ast.parse("\n".join("".join(c["source"]) for c in CELLS))))
    names = [a.name for n in nodes if isinstance(n, ast.Import) for a in n.names]
    names += [f"{n.module}.{a.name}" for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names]
    ours = {name for name in names if name.split(".")[0] == "chained_adv"}
    assert ours == {"chained_adv.sandbox.Job", "chained_adv.sandbox.Sandbox", "chained_adv.tiny.world.tiny_problems"}

def test_its_prompts_are_those_that_the_base_was_trained_on():
    page, tags, texts = {}, stages.load_prompts("tags"), ["a", "b\nc", " d", "{e}", "f"]
    exec(PROMPTS, page)
    for problem in tiny_problems("train", 20):
        for stage, text in enumerate(texts, 1):
            before = texts[:stage - 1]
            assert page["generator_prompt"](problem, before) == stages.generator_prompt(tags, problem, stage, before)
            asked = stages.discriminator_prompt(tags, problem, stage, text)
            assert page["discriminator_prompt"](problem, stage, text) == asked

def test_its_outputs_come_from_a_full_run():
    "Running it with `nbdev-test --save` stores those of two steps; use `exec_nb nbs/00_one_page.ipynb --dest nbs/00_one_page.ipynb`"
    printed = "".join(t for c in CELLS for o in c["outputs"] if o["output_type"] == "stream" for t in o["text"])
    assert "after 40 steps" in printed
