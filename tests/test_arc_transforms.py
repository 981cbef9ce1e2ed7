"""The laws of the transformations: a group, acting on grids, tasks, programs and scores."""
import json

import pytest
from hypothesis import given, settings, strategies as st

from chained_adv.arc.grids import SYMMETRIES, Grid, Pair, Task, canonical_hash, cell_distance, operations_text, turn_grid
from chained_adv.arc.transforms import apply_operations, compose, conjugate_program, invert, make_variation, parse_operations, pick_views

LAWS = settings(max_examples=60, derandomize=True)

def grids_of(height, width): return st.lists(st.lists(st.integers(0, 9), min_size=width, max_size=width), min_size=height, max_size=height).map(Grid)
sizes = st.tuples(st.integers(1, 6), st.integers(1, 6))
grids = sizes.flatmap(lambda o: grids_of(*o))
pairs = st.builds(Pair, grids, grids)
tasks = st.builds(Task, st.just("task"), st.lists(pairs, min_size=2, max_size=4), st.lists(pairs, min_size=2, max_size=3), st.just("demo"), st.just("1"))

turns = st.sampled_from(SYMMETRIES).map(lambda s: {"op": s})
renamings = st.permutations(range(10)).map(lambda m: {"op": "permute_colors", "map": list(m)})
swaps = st.builds(lambda i, j: {"op": "swap", "train": i, "test": j}, st.integers(0, 1), st.integers(0, 1))
views = st.lists(turns | renamings, max_size=4)
operations = st.lists(turns | renamings | swaps, max_size=6)


@LAWS
@given(tasks, operations, operations)
def test_composition_is_doing_one_after_the_other(task, a, b):
    assert apply_operations(task, compose(a, b)) == apply_operations(apply_operations(task, a), b)

@LAWS
@given(operations, operations, operations)
def test_composition_is_associative_on_turns_and_colours(a, b, c):
    a, b, c = ([o for o in p if o["op"] != "swap"] for p in (a, b, c))
    assert compose(compose(a, b), c) == compose(a, compose(b, c)) == compose(a, b, c)

@LAWS
@given(tasks, operations)
def test_the_inverse_undoes_from_both_sides(task, a):
    assert apply_operations(apply_operations(task, a), invert(a)) == task == apply_operations(apply_operations(task, invert(a)), a)
    assert compose(a, invert(a)) == compose(invert(a), a) == compose() == ()
    assert invert(invert(a)) == compose(a)

@LAWS
@given(operations)
def test_the_normal_form_is_short_and_stays(a):
    normal = compose(a)
    assert compose(normal) == normal
    kinds = ["turn" if o["op"] in SYMMETRIES else o["op"] for o in normal]
    assert kinds.count("turn") <= 1 and kinds.count("permute_colors") <= 1 and kinds == sorted(kinds, key=["turn", "permute_colors", "swap"].index)

@LAWS
@given(operations)
def test_text_and_json_hold_everything(a):
    assert parse_operations(operations_text(a)) == tuple(a)
    assert json.loads(json.dumps(a)) == a

def test_the_symmetries_are_a_group_of_eight():
    probe = Grid([[1, 2, 3], [4, 5, 6]])
    assert len({turn_grid(probe, s) for s in SYMMETRIES}) == 8
    names = lambda *s: operations_text(compose([{"op": o} for o in s])) or "identity"
    table = {(s, t): names(s, t) for s in SYMMETRIES for t in SYMMETRIES}
    for s in SYMMETRIES: # a Latin square: each element once in every row and column
        assert {table[s, t] for t in SYMMETRIES} == set(SYMMETRIES) == {table[t, s] for t in SYMMETRIES}
    assert names(*["rotate_90"] * 4) == names("transpose", "transpose") == "identity" and names("rotate_90", "transpose") != names("transpose", "rotate_90")

def test_the_three_boxes_of_the_founding_system_reach_all_eight():
    boxes = ("transpose", "flip_left_right", "flip_top_bottom")
    reached = {operations_text(compose([{"op": o} for i, o in enumerate(boxes) if n >> i & 1])) or "identity" for n in range(8)}
    assert reached == set(SYMMETRIES)


@LAWS
@given(tasks, operations)
def test_grids_tasks_and_pairs_change_alike(task, a):
    a = [o for o in a if o["op"] != "swap"]
    changed = apply_operations(task, a)
    for p, q in zip(task.train + task.test, changed.train + changed.test):
        assert q == apply_operations(p, a) == Pair(apply_operations(p.input, a), apply_operations(p.output, a))

@LAWS
@given(sizes.flatmap(lambda o: st.tuples(grids_of(*o), grids_of(*o))), views)
def test_distance_does_not_change(two, a):
    assert cell_distance(*two) == cell_distance(*(apply_operations(g, a) for g in two))

@LAWS
@given(tasks, operations, st.randoms(use_true_random=False))
def test_the_hash_knows_a_task_in_any_disguise(task, a, rng):
    changed = apply_operations(task, a)
    everything = list(changed.train + changed.test)
    rng.shuffle(everything)
    disguised = Task("other", everything[1:], everything[:1])
    assert canonical_hash(disguised, symmetries=True, colors=True) == canonical_hash(task, symmetries=True, colors=True)

@LAWS
@given(tasks, tasks, views)
def test_the_hash_tells_different_tasks_apart(task, other, a):
    "Two tasks with the same hash are the same up to what the hash ignores: here checked by trying all symmetries"
    forms = lambda t: {canonical_hash(apply_operations(t, [{"op": s}])) for s in SYMMETRIES}
    for o in (other, apply_operations(task, a)):
        assert (canonical_hash(task, symmetries=True) == canonical_hash(o, symmetries=True)) == bool(forms(task) & forms(o))

def brute_force(task):
    "The smallest form under all renamings of three colours, by trying them all"
    from itertools import permutations
    form = lambda m: tuple(sorted(tuple(tuple(tuple(m[c] for c in row) for row in g.rows) for g in (p.input, p.output)) for p in task.train + task.test))
    return min(form(m) for m in permutations(range(3)))

few = st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=1, max_size=2).map(Grid))
small = st.builds(lambda p: Task("small", p[1:], p[:1]), st.lists(st.builds(Pair, few, few), min_size=2, max_size=3))

def every_colour(task): return {c for p in task.train + task.test for g in (p.input, p.output) for row in g.rows for c in row} == {0, 1, 2}

@settings(LAWS, max_examples=300)
@given(small.filter(every_colour), small.filter(every_colour), st.permutations(range(3)))
def test_the_hash_up_to_colours_agrees_with_trying_all(task, other, m):
    renamed = apply_operations(task, [{"op": "permute_colors", "map": [*m, *range(3, 10)]}])
    for o in (other, renamed):
        assert (canonical_hash(task, colors=True) == canonical_hash(o, colors=True)) == (brute_force(task) == brute_force(o))


@LAWS
@given(tasks, operations, operations)
def test_variations_can_be_made_again_from_their_parent(task, a, b):
    varied = make_variation(make_variation(task, a), b)
    if varied.operations: assert varied.parent == task.key
    else: assert varied.parent is None
    again = apply_operations(task, varied.operations)
    assert (again.train, again.test) == (varied.train, varied.test)
    assert make_variation(varied, invert(varied.operations)) == task


PROGRAMS = {
    "plain": "def solve_task(input_grid):\n    return [row[::-1] for row in input_grid]",
    "recursive": "def solve_task(input_grid):\n    if len(input_grid) == 1: return [[c] for c in input_grid[0]]\n    return solve_task(input_grid[1:]) + solve_task(input_grid[:1])",
    "helper and constant": "KEEP = {0, 5}\ndef inner(c): return c if c in KEEP else 5\ndef solve_task(input_grid):\n    'solve_task is named here'\n    return [[inner(c) for c in row] for row in input_grid]\n# solve_task ends",
    "assigned": "def other(g):\n    return g + g\nsolve_task = other",
    "clashing names": "solve_task_0 = names = grid = 3\ndef solve_task(input_grid): return [[names]] + [[c] for row in input_grid for c in row[:grid][:solve_task_0]]",
    "tuples": "def solve_task(input_grid):\n    return tuple(zip(*input_grid))",
    "multi-line text": 'TEXT = """\n  solve_task\n"""\ndef solve_task(input_grid):\n    return [[len(TEXT) % 10]]',
}

def run(code, grid):
    names = {}
    exec(code, names)
    return Grid(list(names["solve_task"](grid.to_lists())))

@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
@settings(LAWS, max_examples=30)
@given(grid=grids, a=views, b=views)
def test_a_conjugated_program_does_the_same_on_the_changed_grid(code, grid, a, b):
    wanted = run(code, grid)
    changed = conjugate_program(code, a)
    assert run(changed, apply_operations(grid, a)) == apply_operations(wanted, a)
    assert run(conjugate_program(changed, b), apply_operations(grid, compose(a, b))) == apply_operations(wanted, compose(a, b))

def test_views_are_different_and_repeatable():
    for n in (1, 8, 40):
        found = pick_views(n, seed=3)
        assert found == pick_views(n, seed=3) and found[0] == () and len({operations_text(o) for o in found}) == n
    assert pick_views(40, seed=3) != pick_views(40, seed=4)
