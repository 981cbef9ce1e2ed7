"""Reading answers: a corpus of what models write, and anything at all; prompts that never hold a test output."""
import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from chained_adv.arc.agents import KINDS, Answer, build_feedback, build_messages, load_prompts, read_answer, read_code, read_grid, write_grid
from chained_adv.arc.datasets import load_tasks
from chained_adv.arc.grids import Grid, Pair, Task

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "arc"
A, B = [[1, 2], [3, 4]], [[8, 3, 0], [4, 3, 7]]
PROGRAM = "def solve_task(input_grid):\n    return [row[::-1] for row in input_grid]"
grids = st.integers(1, 30).flatmap(lambda w: st.lists(st.lists(st.integers(0, 9), min_size=w, max_size=w), min_size=1, max_size=30))


@pytest.mark.parametrize("text, expected", [
    ("Example 1 has [[1, 2], [3, 4]].\nFinal: [[8, 3, 0], [4, 3, 7]]", B), # the founding system took the first
    ("[[1, 2], [3, 4]]\n\n8 3 0\n4 3 7", B),
    ("8 3 0\n4 3 7\n\nor, as JSON:\n[[1, 2], [3, 4]]", A),
    ("```json\n[[8, 3, 0],\n [4, 3, 7]]\n```\nThis has 2 rows and 3 columns.", B),
    ("```\n8 3 0\n4 3 7\n```", B), ("```text\n830\n437\n```", B), ("8,3,0\n4,3,7", B), ("| 8 | 3 | 0 |\n| 4 | 3 | 7 |", B), ("  8 3 0\r\n  4 3 7\r\n", B), ("> 8 3 0\n> 4 3 7", B),
    ("**Output**\n\n8 3 0  \n4 3 7  \n\nDone", B), ("array([[8, 3, 0],\n       [4, 3, 7]])", B), ("[[8 3 0]\n [4 3 7]]", B), ("output = [[8, 3, 0], [4, 3, 7],]", B), ('{"output": [[8, 3, 0], [4, 3, 7]]}', B),
    (r"\boxed{[[8, 3, 0], [4, 3, 7]]} which is not [[1, 2], [3, 4]]", B), (r"$\boxed{\begin{bmatrix} 8 & 3 & 0 \\ 4 & 3 & 7 \end{bmatrix}}$", B), ("\\boxed{\n8 3 0\n4 3 7\n}", B), (r"\boxed{7}, no: \boxed{[[8, 3, 0], [4, 3, 7]]}", B),
    ("[[[1, 2], [3, 4]], [[8, 3, 0], [4, 3, 7]]]", B), ("[[8, 3, 0], [4, 3, 7]]\n[[1, 2], [3]]", B), ("[[8, 3, 0], [4, 3, 7]] [[10, 11], [12, 13]]", B), ("[[5]]", [[5]]), ("```json\n[[5]]\n```", [[5]]), ("```\n5\n```", [[5]]),
    ("1. First\n2. Second\n3. Third", None), ("The grid is 3x3.", None), ("12", None), ("[1, 2, 3]", None), ("[[]]", None), ("", None), ("[[1, 2], [3, 4", None), ("[[1, 2], [3]]", None), ("[[1.0, 2.5]]", None), ("[[-1, 2]]", None), ("[[true, false]]", None), (str([[0] * 31]), None),
], ids=str)
def test_a_corpus_of_grids(text, expected):
    grid, trouble = read_grid(text)
    assert (grid and grid.to_lists(), bool(trouble)) == (expected, expected is None)

@settings(max_examples=150)
@given(grids, grids, st.sampled_from(["rows", "json", "fenced", "pretty", "boxed"]))
def test_every_grid_is_read_back(quoted, answer, form):
    "Whatever the size, and whatever was quoted before"
    g = Grid(answer)
    text = {"rows": f"\n{write_grid(g)}\n", "json": write_grid(g, "json"), "fenced": f"```json\n{write_grid(g, 'json')}\n```", "pretty": json.dumps(answer, indent=2), "boxed": f"\\boxed{{{write_grid(g, 'json')}}}"}[form]
    if form == "rows" and g.height == 1: text = f"```\n{text.strip()}\n```"
    assert read_grid(f"The example {quoted} is turned.\n\nSo:\n\n{text}\n\nThat is my answer.") == (g, "")

@settings(max_examples=300)
@given(st.text(alphabet="0123456789[], \n\t{}\\boxed`|json<think/>def solve_task(:)", max_size=300), st.sampled_from(KINDS))
@example("```python\ndef solve_task(\x00):\n```", "code")
@example("<think>" * 50, "direct")
@example("```python\n" + "(" * 500 + "solve_task" + "\n```", "code")
@example("[[" + "9" * 5000 + "]]", "direct")
def test_any_text_is_read_without_an_error(text, kind):
    answer = read_answer(text, kind)
    assert isinstance(answer, Answer)
    if kind != "reasoning": assert (answer.code is None and answer.grid is None) <= bool(answer.trouble)

@pytest.mark.parametrize("piece", ["[", "[[", "[[1", "[ ", "[[1]", "1 2 3\n", "```\n", "\\boxed{", "{", "<think>", "</think>", "def solve_task(g):\n", "[[1,2],", "| 1 "])
def test_long_answers_are_read(piece):
    "A reader whose time grows with the square of the length would take minutes here"
    for kind in KINDS: assert isinstance(read_answer(piece * (200_000 // len(piece)), kind), Answer)

@pytest.mark.parametrize("text, found", [
    (f"```python\n{PROGRAM}\n```", True), (f"```py\n{PROGRAM}\n```", True), (f"```\n{PROGRAM}\n```", True), (f"~~~python\n{PROGRAM}\n~~~", True), (f"```python\n{PROGRAM}", True), (f"````python\n{PROGRAM}\n````", True),
    (f"1. Step\n   ```python\n" + "\n".join("   " + o for o in PROGRAM.splitlines()) + "\n   ```", True), (PROGRAM, True), (f"Here it is:\n{PROGRAM}\nThat is all.", True),
    ("```python\ndef other(g): return g\n```", False), ("solve_task(grid) turns the rows.", False), ("", False), (f"```python\n{PROGRAM[:-10]}", False), ("```python\nclass A:\n    def solve_task(self, g): return g\n```", False),
], ids=str)
def test_a_corpus_of_programs(text, found):
    code, trouble = read_code(text)
    assert (code == PROGRAM, bool(trouble)) == (found, not found)

def test_a_lambda_is_a_program(): assert read_code("```python\nsolve_task = lambda g: g\n```") == ("solve_task = lambda g: g", "")

def test_the_last_program_counts_even_when_a_usage_example_follows():
    assert read_code(f"```python\ndef solve_task(g): return g\n```\nBetter:\n```python\n{PROGRAM}\n```\nTry it:\n```python\nprint([[1]])\n```\n```text\nsolve_task prints [[1]]\n```") == (PROGRAM, "")

def test_thoughts_are_no_answer():
    answer = read_answer(f"<think>Is it [[1, 2]]?\n```python\ndef solve_task(g): return g\n```</think>\nNo.\n```python\n{PROGRAM}\n```", "code")
    assert answer.code == PROGRAM and "Is it [[1, 2]]?" in answer.reasoning
    assert read_answer("<think>[[1]]", "direct").grid is None
    assert read_answer("It is [[2]].", "direct", reasoning="Or [[1]]?").grid == Grid([[2]])


def answers_in(messages, task):
    "Test outputs that stand in a question and nowhere else in the task"
    text = "\n".join(o["content"] for o in messages)
    known = {p.input for p in task.train + task.test} | {p.output for p in task.train}
    return [p.output for p in task.test if p.output and p.output not in known and p.output.height * p.output.width > 8 and (write_grid(p.output) in text or write_grid(p.output, "json") in text)]

@pytest.mark.parametrize("source", ["builtin", str(SHARED / "training")], ids=["shipped", "official"])
@pytest.mark.parametrize("form", ["rows", "json"])
def test_no_question_holds_a_test_output(source, form, tmp_path):
    if source != "builtin" and not SHARED.exists(): pytest.skip("the official tasks are not beside the repository")
    shipped = (Path(__file__).resolve().parent.parent / "chained_adv/data/arc/prompts.toml").read_text()
    (tmp_path / "prompts.toml").write_text(shipped.replace('grids = "rows"', f'grids = "{form}"'))
    prompts = load_prompts(tmp_path / "prompts.toml")
    for task in load_tasks(source):
        for kind in KINDS:
            for pair in range(len(task.test)) if kind == "direct" else (None,): assert not answers_in(build_messages(task, kind, pair, prompts), task), task.key

def test_the_check_would_see_one():
    task = Task("t", [Pair(Grid(A), Grid(A))], [Pair(Grid(A), Grid([[8, 3, 0], [4, 3, 7], [1, 1, 1]]))])
    assert answers_in(({"role": "user", "content": "8 3 0\n4 3 7\n1 1 1"},), task)

def test_marks_in_a_grid_or_answer_are_not_filled_in():
    task = Task("t", [Pair(Grid(A), Grid(A))], [Pair(Grid(A))])
    again = build_feedback(build_messages(task, "code"), "{train} {tests}", "{failures} {test}")
    assert again[-2]["content"] == "{train} {tests}" and "{failures} {test}" in again[-1]["content"]
