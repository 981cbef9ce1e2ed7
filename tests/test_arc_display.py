"""What people look at: wide pairs in narrow terminals, labelled images that wrap, plots with names at their axes."""
import io

import pytest
from rich.console import Console

from chained_adv.arc.grids import Grid, Pair, Task, show_task, without_answers
from chained_adv.arc.forms.images import save_png

def wide(*widths, height=3): return Task("wide", [Pair(Grid([[n % 10 for n in range(a)]] * height), Grid([[n % 7 for n in range(b)]] * height)) for a, b in widths], [Pair(Grid([[1, 2]]))])

@pytest.mark.parametrize("columns", [40, 80, 100, 132])
@pytest.mark.parametrize("widths", [(30, 30), (30, 5), (20, 20), (5, 30), (16, 16)])
def test_no_pair_runs_over_the_terminal(columns, widths):
    out = io.StringIO()
    show_task(wide(widths), Console(file=out, width=columns, force_jupyter=False))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    digits = ["".join(c for c in line if c.isdigit()) for line in lines]
    rows = ["".join(str(n % k) for n in range(w)) for w, k in zip(widths, (10, 7))]
    assert sum(o in rows or o == "".join(rows) for o in digits) >= 3, "a row was broken into pieces"

def ink(image, box): return sum(o < 100 for o in image.crop(box).convert("L").tobytes())

def test_images_have_labels_and_wrap(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    task = wide(*[(20, 20)] * 7)
    image = Image.open(save_png(task, tmp_path / "a.png", width=1000))
    narrow = Image.open(save_png(task, tmp_path / "b.png", width=400))
    assert image.size[0] <= 1000 and narrow.size[0] <= 400 and narrow.size[1] > image.size[1] > 300
    assert ink(image, (0, 0, 100, 20)) > 20, "no label above the first pair"

def test_an_unknown_output_is_a_question_mark(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    known, unknown = (Image.open(save_png(t, tmp_path / f"{n}.png")) for n, t in enumerate((Task("a", [Pair(Grid([[0]]), Grid([[0]]))], [Pair(Grid([[5] * 4] * 4), Grid([[5] * 4] * 4))]), without_answers(Task("a", [Pair(Grid([[0]]), Grid([[0]]))], [Pair(Grid([[5] * 4] * 4), Grid([[5] * 4] * 4))])))))
    assert known.size == unknown.size and known.tobytes() != unknown.tobytes()

def test_plots_name_their_axes(tmp_path):
    pytest.importorskip("httpx2")
    from chained_adv.arc.bench import BenchPlan, plot_report, run_bench
    from chained_adv.arc.clients import make_client
    from chained_adv.arc.datasets import load_tasks
    from chained_adv.arc.generate import run_async
    report = run_async(run_bench(make_client("identity"), BenchPlan(load_tasks("builtin")[:2], "direct"), tmp_path))
    top, low = plot_report(report).axes
    assert (top.get_xlabel(), top.get_ylabel(), low.get_xlabel()) == ("share, with its 95 % interval", "score", "attempts, by what became of them")
