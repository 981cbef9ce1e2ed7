"""Grids and tasks: what is refused, what is kept, and how it is shown."""
import io, json, pickle, re, subprocess, sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from rich.console import Console

from chained_adv.arc.datasets import load_tasks
from chained_adv.arc.grids import PALETTE, ArcError, Grid, Pair, Task, canonical_hash, cell_distance, grid_svg, show_task, without_answers
from chained_adv.arc.forms.images import save_png

ROOT = Path(__file__).resolve().parents[1]
LAWS = settings(max_examples=100, derandomize=True)
rows = st.tuples(st.integers(1, 30), st.integers(1, 30)).flatmap(lambda o: st.lists(st.lists(st.integers(0, 9), min_size=o[1], max_size=o[1]), min_size=o[0], max_size=o[0]))
anything = st.recursive(st.none() | st.booleans() | st.integers(-2, 12) | st.floats() | st.text(max_size=3), lambda o: st.lists(o, max_size=4) | st.dictionaries(st.text(max_size=2), o, max_size=2), max_leaves=12)

def legal(value):
    "The definition of a grid, written a second time"
    return (isinstance(value, list) and 1 <= len(value) <= 30 and all(isinstance(r, list) for r in value) and len({len(r) for r in value}) == 1
            and 1 <= len(value[0]) <= 30 and all(type(c) is int and c in range(10) for r in value for c in r))

@LAWS
@given(rows)
def test_a_legal_grid_comes_back_as_it_was(value):
    grid = Grid(value)
    assert grid.to_lists() == value and (grid.height, grid.width) == (len(value), len(value[0])) and grid.colors == {c for r in value for c in r}
    assert eval(repr(grid)) == grid == pickle.loads(pickle.dumps(grid)) and [[int(c) for c in line.split()] for line in str(grid).split("\n")] == value

@settings(LAWS, max_examples=500)
@given(anything)
def test_everything_else_is_refused_and_nothing_else_is_raised(value):
    if legal(value): assert Grid(value).to_lists() == value
    else:
        with pytest.raises(ArcError): Grid(value)

@settings(LAWS, max_examples=300)
@given(anything, anything)
def test_no_json_breaks_the_reader_of_tasks(a, b):
    for data in (a, {"train": a, "test": b}, {"train": [{"input": a, "output": b}], "test": [{"input": [[0]]}]}, {"train": [{"input": [[0]], "output": [[0]]}], "test": [{"input": [[0]]}], "name": a, "signed_by": b, "operations": a, "parent": b, "dataset": a}):
        try: assert isinstance(Task.from_json(data, "t").key, str)
        except ArcError as e: assert "t" in str(e)

def test_a_grid_shares_nothing_with_what_it_was_made_from():
    source = [[1, 2], [3, 4]]
    grid = Grid(source)
    source[0][0] = 9
    grid.to_lists()[0][0] = 9
    assert grid == Grid([[1, 2], [3, 4]])

class Sneaky(int): "A whole number that is not quite one"

@pytest.mark.parametrize("cell", [Sneaky(3), 3 + 0j, "3", b"3", 10**30, float("nan")])
def test_look_alikes_are_refused(cell):
    with pytest.raises(ArcError, match="row 1, column 0"): Grid([[0], [cell]])

def test_numpy_is_refused_with_the_remedy():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(ArcError, match=r"\.tolist\(\)"): Grid(numpy.zeros((2, 2), int))
    with pytest.raises(ArcError, match="int64"): Grid([[numpy.int64(3)]])
    assert Grid(numpy.zeros((2, 2), int).tolist()) == Grid([[0, 0], [0, 0]])

@LAWS
@given(rows, rows)
def test_distance_is_a_distance(a, b):
    a, b = Grid(a), Grid(b)
    assert cell_distance(a, a) == 0 and cell_distance(a, b) == cell_distance(b, a) and (cell_distance(a, b) == 0) == (a == b)

def task_of(*grids, **more): return Task("t", [Pair(g, g) for g in grids[1:]], [Pair(grids[0], grids[0])], **more)

@LAWS
@given(st.lists(rows.map(Grid), min_size=2, max_size=3))
def test_json_keeps_a_task(grids):
    task = task_of(*grids, dataset="d", revision="1", name="A name")
    assert Task.from_json(json.loads(json.dumps(task.to_json(full=True))), "t") == task
    assert all("output" not in p for p in without_answers(task).to_json()["test"])

@LAWS
@given(rows)
def test_every_cell_is_drawn(value):
    cells = {}
    for x, y, n, color in re.findall(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="1" fill="(#\w+)"', grid_svg(Grid(value))):
        for i in range(int(n)): assert cells.setdefault((int(y), int(x) + i), color) == color
    assert cells == {(y, x): PALETTE[c] for y, row in enumerate(value) for x, c in enumerate(row)}

@pytest.mark.parametrize("value", [[[0]], [[1, 2, 3], [4, 5, 6]], [[c % 10] for c in range(30)], [[(y * x) % 10 for x in range(30)] for y in range(30)]])
def test_every_cell_is_in_the_image(tmp_path, value):
    Image = pytest.importorskip("PIL.Image")
    image = Image.open(save_png(Grid(value), tmp_path / "grid.png", 4)).convert("RGB")
    at = lambda y, x: "#%02X%02X%02X" % image.getpixel((4 + 4 * x + 2, 4 + 4 * y + 2))
    assert [[at(y, x) for x in range(len(value[0]))] for y in range(len(value))] == [[PALETTE[c] for c in row] for row in value]

def test_a_pipe_gets_digits_and_no_colours():
    out = io.StringIO()
    show_task(task_of(Grid([[7]]), Grid([[1, 2], [3, 4]]), name="[red]Name"), Console(file=out, width=80, force_jupyter=False))
    assert "\x1b" not in out.getvalue() and "[red]Name" in out.getvalue()
    assert [line.split() for line in out.getvalue().split("\n") if line[:1].isdigit()] == [["1", "2", "->", "1", "2"], ["3", "4", "3", "4"], ["7", "->", "7"]]

def test_the_largest_grids_fit_side_by_side_where_there_is_room():
    out = io.StringIO()
    big = Grid([[5] * 30] * 30)
    show_task(task_of(big, big), Console(file=out, width=160, force_jupyter=False))
    assert out.getvalue().count("\n") < 70

@pytest.mark.parametrize("module", ["grids", "transforms", "datasets", "cli"])
def test_arc_modules_import_without_torch_and_numpy(module):
    code = f"import sys, chained_adv.arc.{module}; print([o for o in ('torch', 'transformers', 'numpy', 'PIL') if o in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr

def test_pillow_is_asked_for_by_name():
    code = "import sys; sys.modules['PIL'] = None\nfrom chained_adv.arc.grids import ArcError, Grid\nfrom chained_adv.arc.forms.images import save_png\ntry: save_png(Grid([[1]]), 'never.png')\nexcept ArcError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "pip install 'chained_adv[arc]'" in done.stdout and not (ROOT / "never.png").exists()

def test_hard_ties_of_colours_stay_quick_to_hash():
    "Ten colours that only a cycle exchanges, so that no two of them can simply be swapped"
    cycle = lambda shift: [Pair(Grid([[(c + shift) % 10, (c + 1 + shift) % 10]]), Grid([[(c + shift) % 10]])) for c in range(10)]
    one, other = (Task("t", pairs[1:], pairs[:1]) for pairs in (cycle(0), cycle(3)[::-1]))
    backwards = Task("t", [Pair(Grid([p.input.rows[0][::-1]]), p.output) for p in cycle(0)[1:]], [Pair(Grid([[1, 0]]), Grid([[0]]))])
    assert canonical_hash(one, colors=True) == canonical_hash(other, colors=True) != canonical_hash(backwards, colors=True)

@pytest.mark.parametrize("id, symmetries, colors, value", [
    ('half_turn', False, False, '5a090bedcc992ba637745b87657ddeba'),
    ('half_turn', False, True, '4aa22eccf5a57d2f13105af447694999'),
    ('half_turn', True, False, '049a4925b5b0a7c8c88e7d1dd9e8b354'),
    ('half_turn', True, True, '4099dd7f0b27c1b89f907098f7334a52'),
    ('legend', False, False, '7a7ad5bf99311028eb9d0deea52bc560'),
    ('legend', False, True, 'edaa11af8e9821a1de136d6d1443f15d'),
    ('legend', True, False, '410b1c63b69ddb3b902ad19bbf40ee53'),
    ('legend', True, True, '3d02af06e120cc89a17947dfe826a3a8'),
])
def test_hashes_stay_as_they_are_stored(id, symmetries, colors, value):
    "evaluation_marks.json holds such hashes: whoever changes them makes that file anew"
    (task,) = (t for t in load_tasks("builtin") if t.id == id)
    assert canonical_hash(task, symmetries, colors) == value
