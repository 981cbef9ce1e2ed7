"""The program search: what its programs are made of, what they solve, what they never look at"""
import ast
from dataclasses import replace
from pathlib import Path
import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'") # arc.verify reads what arc.generate writes
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")

from hypothesis import given, settings, strategies as st
from chained_adv.arc import search
from chained_adv.arc.language import features, operations
from chained_adv.arc.language.candidates import compared_features, copied_features, try_operations
from chained_adv.arc.datasets import load_tasks
from chained_adv.arc.grids import Grid, Pair, Task, without_answers
from chained_adv.arc.language.features import LIBRARY, evaluate, library_source
from chained_adv.arc.search import search_program, search_programs
from chained_adv.arc.verify import Attempt, verify_attempts
from chained_adv.sandbox import Sandbox

SHARED = Path(__file__).parents[2] / "shared" / "data" / "arc" / "training"
QUICK = "1cf80156 25d8a9c8 62c24649 67a3c6ac 746b3537 810b9b61 87ab05b8 941d9a10 963e52fc c9f8e694 ce9e57f2 d0f5fe59 dae9d2b5 dc1df850 ed36ccf7 f9012d9b".split()
GRIDS = st.integers(1, 5).flatmap(lambda w: st.lists(st.lists(st.integers(0, 3), min_size=w, max_size=w).map(tuple), min_size=1, max_size=5).map(tuple))
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared ARC tasks are not beside the repository")

@needs_shared
def test_solves_official_tasks():
    "Programs are searched for without test outputs and pass all pairs in the sandbox"
    tasks = {t.id: t for t in load_tasks(str(SHARED))}
    attempts = [Attempt(tasks[i], search_program(without_answers(tasks[i]))) for i in QUICK]
    with Sandbox() as box: found = list(verify_attempts(attempts, box))
    assert [v.attempt.task.id for v in found if not v.passed] == []
    assert [(v.attempt.task.id, v.lookup) for v in found if v.lookup] == []

def test_test_outputs_are_not_looked_at():
    task = next(t for t in load_tasks("builtin") if t.id == "pond")
    lied = replace(task, test=tuple(Pair(p.input, Grid([[7]])) for p in task.test))
    assert search_programs(task) == search_programs(lied) == search_programs(without_answers(task)) != []

def test_same_answer_every_time():
    task = next(t for t in load_tasks("builtin") if t.id == "largest_shape")
    first = search_programs(task)
    for f in (operations.regions, operations.traits, operations.panels, features.about): f.cache_clear()
    assert search_programs(task) == first

def test_programs_stand_alone():
    "Only the standard library is imported, and every name is defined in the text"
    for name in LIBRARY:
        text = library_source([f"{name}()"])
        tree, space = ast.parse(text), {}
        assert {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)} <= {"collections", "functools"}
        exec(text, space)
        assert name in space
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & LIBRARY.keys()
        assert used <= space.keys(), f"{name} needs {used - space.keys()}"

@settings(max_examples=60)
@given(GRIDS, st.sampled_from(try_operations([(((1,),), ((1, 1), (1, 1)))], [0, 1, 2]) + copied_features([0, 1, 2]) + compared_features([0, 1, 2])))
def test_expressions_are_total(g, expression):
    "Every candidate has a value or none on any grid; only what is expected to fail fails"
    try: evaluate(expression, g, 0)
    except (TypeError, ZeroDivisionError, StopIteration) as e: raise AssertionError(f"{expression} on {g}: {e!r}")

@settings(max_examples=15)
@given(st.lists(GRIDS, min_size=4, max_size=4, unique=True), st.sampled_from(["flip(g)", "mirror(transpose(g))", "content(g, b)", "tile(g, 2, 2)", "gravity(g, b, 1, 0)", "squeeze(g)", "drop(g, b, 1)"]))
def test_fits_what_one_operation_makes(grids, expression):
    "A task made by one operation gets a program that fits its training pairs"
    pairs = [(g, evaluate(expression, g, 0)) for g in grids]
    if any(o is None or not search._legal(o) for _, o in pairs): return
    if not sum(c == 0 for g, _ in pairs[:3] for r in g for c in r): return # the background is another colour then
    task = Task("made", [Pair(Grid(i), Grid(o)) for i, o in pairs[:3]], [Pair(Grid(pairs[3][0]))])
    code, space = search_program(task, budget=300_000), {}
    assert code
    exec(code, space)
    assert [space["solve_task"]([list(r) for r in i]) for i, _ in pairs[:3]] == [[list(r) for r in o] for _, o in pairs[:3]]

def test_no_program_is_an_answer():
    noise = Task("noise", [Pair(Grid([[n, 1]]), Grid([[n * 3 % 10, 4], [n, n]])) for n in (2, 5, 7)], [Pair(Grid([[9, 9]]))])
    assert search_program(noise, budget=300_000) is None
