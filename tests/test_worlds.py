"""The worlds of the studies: what they promise about problems, training texts and runs."""
import json, shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from chained_adv.core import ConfigError, make_rng
from chained_adv.opponents.fuzz import read_hints
from chained_adv.problems import find_leaks
from chained_adv.worlds import arms, study
from chained_adv.worlds.findings import answer_tokens, arm_rows, crossing_depth, study_table
from chained_adv.worlds.limits import (LEVELS, baseline_inputs, draw_limit, has_habit, hidden_inputs, is_held_out_limit,
                                       level_rows, limit_chain, limit_code, limit_problems, limit_specs, limit_tests, run_limit, shows_bug,
                                       with_bug)
from chained_adv.worlds.steps import (DEPTHS, FORMATS, drawn_steps, format_pieces, is_held_out_steps, lookup_pieces, run_steps,
                                      stage_text, steps_code, steps_problems, steps_tokenizer)
from chained_adv.worlds.warm import LOOKUP_SHARE, limit_rows, lookup_rows, make_steps_model, steps_rows, world_model


def limits(level, n=20):
    rng = make_rng("test", level)
    return [draw_limit(rng.choice(limit_specs()), level, rng) for _ in range(n)]

def test_the_hard_end_of_world_a_hides_its_bugs_from_32_random_inputs():
    rows = {r["level"]: r for r in level_rows(150, seed=1)}
    assert rows["rare"]["found"] < .1 and rows["often"]["found"] > .9
    for name, level in LEVELS.items(): assert level.share / 2 < rows[name]["inputs"] < level.share * 2

@pytest.mark.parametrize("level", LEVELS)
def test_the_bug_is_a_program_and_the_tests_show_it_or_not(level):
    for o in limits(level):
        assert limit_code(o) != limit_code(with_bug(o)) and str(o.limit) in limit_code(o)
        exec(limit_code(o), space := {})
        assert all(space["solve"](xs) == run_limit(o, xs) for xs in hidden_inputs(o))
        assert [sum(shows_bug(o, xs) for xs in baseline_inputs(o, d)) for d in (False, True)] == [0, 1]

@pytest.mark.parametrize("detected, count", [(0., 0), (.5, 10), (1., 20), (.25, 5)])
def test_baselines_show_the_share_of_bugs_that_is_asked_for(detected, count):
    assert sum("baseline-shows" in p.tags for p in limit_problems("train", 20, "rare", detected)) == count

@pytest.mark.parametrize("level", LEVELS)
def test_no_held_out_combination_is_trained_on_in_world_a(level):
    parts = lambda p: (p.id.split("-")[1], *p.id.split("-")[3:5])
    train, held_out = limit_problems("train", 60, level), limit_problems("held_out", 60, level)
    assert not {parts(p) for p in train} & {parts(p) for p in held_out} and not find_leaks(train, held_out)

@pytest.mark.parametrize("habit, low, high", [(True, .65, .85), (False, 0, .1)])
def test_three_of_four_chains_of_half_of_the_problems_have_the_habit(habit, low, high):
    chosen = [o for level in LEVELS for o in limits(level, 100) if has_habit(o) == habit]
    wrong = [limit_chain(o, make_rng(i))[4] != limit_code(o) for i, o in enumerate(chosen)]
    assert 100 < len(wrong) < 200 and low <= sum(wrong) / len(wrong) < high

def test_tests_of_the_writer_are_read_by_the_game():
    from chained_adv.testcases import parse_tests
    for i, o in enumerate(limits("rare")):
        parsed = parse_tests(limit_tests(o, make_rng(i)), "solve", "def solve(xs):")
        assert parsed.cases and not parsed.rejected

@pytest.mark.parametrize("depth", DEPTHS)
def test_programs_of_world_b_do_what_the_lines_say(depth):
    for o in drawn_steps("train", 5, (depth,)):
        exec(steps_code(o), space := {})
        xs = list(range(11))
        assert space["solve"](xs) == run_steps(o, xs) and len(o.way) == depth and set(o.way) <= set(o.lines)
        assert stage_text(o, 1).splitlines() == stage_text(o, 2).splitlines()[::-1]

def test_no_held_out_sequence_is_trained_on_in_world_b():
    train, held_out = steps_problems("train", 80), steps_problems("held_out", 80)
    name = lambda p: p.reference_solution if p.tags[0] != "depth-1" else p.description
    assert not {name(p) for p in train} & {name(p) for p in held_out}

@pytest.mark.parametrize("name", FORMATS)
def test_answers_are_as_long_as_the_page_says(name):
    tokenizer = steps_tokenizer()
    for depth in DEPTHS:
        pieces = format_pieces(drawn_steps("train", 1, (depth,))[0], FORMATS[name])
        assert sum(len(tokenizer(t).input_ids) for t, learned in pieces if learned) == answer_tokens(depth)[name]

def test_a_token_is_the_same_wherever_a_name_stands():
    tokenizer, o = steps_tokenizer(), drawn_steps("train", 1, (3,))[0]
    ids = tokenizer(format_pieces(o, FORMATS["direct"])[0][0]).input_ids
    name = tokenizer.convert_tokens_to_ids(o.way[0].name)
    assert ids.count(name) >= 2 and tokenizer.unk_token_id not in ids
    assert tokenizer.unk_token_id not in tokenizer("".join(t for t, _ in lookup_pieces(o, make_rng(0)))).input_ids

def test_names_are_asked_in_another_order_than_they_stand():
    o, orders = drawn_steps("train", 1, (3,))[0], set()
    for i in range(20):
        asked = lookup_pieces(o, make_rng(i), 3)[1:]
        assert [learned for _, learned in asked] == [False, True] * 6
        answers = {f"{l.name} = ": f"{l.operation} {l.source}\n" for l in o.lines[:3]}
        assert all(answers[name] == said for (name, _), (said, _) in zip(asked[::2], asked[1::2]))
        orders.add(tuple(name for name, _ in asked[::2]))
    assert len(orders) > 10

@pytest.mark.parametrize("seed", [0, 1])
def test_two_heads_of_world_b_begin_by_looking_back(seed):
    import torch
    model = make_steps_model(steps_tokenizer(), seed)
    model.set_attn_implementation("eager")
    with torch.no_grad(): seen = model(torch.randint(13, 60, (1, 60)), output_attentions=True).attentions[0][0]
    for head, distance in ((0, 1), (1, 2)): assert seen[head].diagonal(-distance)[3:].min() > .9

def test_formats_get_equal_learned_tokens():
    learned = steps_rows(steps_tokenizer(), 30_000)[1]
    formats = [learned[o] for o in FORMATS]
    assert max(formats) - min(formats) <= 62 and abs(learned["look-ups"] - formats[0] * LOOKUP_SHARE) < 62

def test_warm_starts_never_show_what_is_held_out(monkeypatch):
    from chained_adv.worlds import warm
    seen = []
    monkeypatch.setattr(warm, "limit_pieces", lambda o, kind, rng: seen.append(o.spec) or [("x", True)])
    monkeypatch.setattr(warm, "format_pieces", lambda o, stages: seen.append(o) or [("x", True)])
    monkeypatch.setattr(warm, "lookup_pieces", lambda o, *a: seen.append(o) or [("x", True)])
    limit_rows(steps_tokenizer(), 200), steps_rows(steps_tokenizer(), 200), lookup_rows(steps_tokenizer(), 100, (2, 3))
    held = [is_held_out_limit(o) if hasattr(o, "filter") else is_held_out_steps(o) for o in seen]
    assert len(seen) > 300 and not any(held)

def test_a_half_written_warm_start_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAINED_ADV_CACHE", str(tmp_path))
    folder = world_model("steps", 2000, progress=False)
    before = (folder / "world.json").read_text()
    (folder / "world.json").unlink()
    assert world_model("steps", 2000, progress=False) == folder and (folder / "world.json").read_text() == before
    assert world_model("steps", 2500, progress=False) != folder


@pytest.mark.parametrize("name", arms.STUDIES)
def test_the_trainer_takes_the_problems_of_a_study(name):
    of = arms.STUDIES[name]
    for seed in (0, 1):
        for cell in of.cells:
            train, held_out = arms.study_problems(of, cell, seed)
            kept = study.unshared_problems(held_out, train)
            assert not find_leaks(train, kept) and len(kept) >= .85 * len(held_out)

@pytest.fixture(scope="module")
def small_study(tmp_path_factory):
    "Two arms of the study of stages with a model that knows nothing, on few problems"
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAINED_ADV_CACHE", str(folder / "cache"))
        patch.setattr(arms, "N_TRAIN", dict.fromkeys(arms.N_TRAIN, 16))
        patch.setattr(arms, "N_HELD_OUT", dict.fromkeys(arms.N_HELD_OUT, 8))
        model = world_model("steps", 2000, progress=False)
        small = arms.STAGES
        patch.setattr(study, "cell_arms", lambda s, cell, small=False: [s.arms[o] for o in ("warm_direct", "direct", "joint")])
        done = study.run_study("stages", folder / "s", (0,), model=model, budget=1500)
        yield folder / "s", done, small, model

def test_a_study_leaves_one_file_per_run(small_study):
    folder, done, _, _ = small_study
    assert [r["arm"] for r in done] == ["warm_direct", "direct", "joint"] and study.read_results(folder) == done
    assert done[0]["tokens"] == 0 < done[1]["tokens"] and set(done[2]["by_tag"]) == {f"depth-{d}" for d in DEPTHS}
    assert sorted(o.name for o in folder.iterdir()) in (["all", "study.json"], [".work", "all", "study.json"])

def test_a_study_goes_on_with_what_is_missing(small_study):
    folder, done, _, model = small_study
    kept = folder / "all" / "joint" / "seed_0.json"
    kept.write_text(json.dumps(dict(done[2], solved=.123)))
    (folder / "all" / "warm_direct" / "seed_0.json").unlink()
    again = study.run_study("stages", folder, (0,), model=model, budget=1500)
    assert again[2]["solved"] == .123
    assert {k: v for k, v in again[0].items() if k != "seconds"} == {k: v for k, v in done[0].items() if k != "seconds"}
    with pytest.raises(ConfigError, match="other settings .budget"):
        study.run_study("stages", folder, (0,), model=model, budget=1600)

def test_each_seed_of_a_study_has_a_warm_start_of_its_own(tmp_path, monkeypatch):
    from chained_adv.worlds import warm
    monkeypatch.setenv("CHAINED_ADV_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(warm.RECIPES, "steps", replace(warm.RECIPES["steps"], tokens=2000))
    monkeypatch.setattr(arms, "N_HELD_OUT", dict.fromkeys(arms.N_HELD_OUT, 8))
    monkeypatch.setattr(study, "cell_arms", lambda s, cell, small=False: [s.arms["warm_direct"]])
    heard = []
    done = study.run_study("stages", tmp_path / "s", (4, 5), progress=lambda n, total, name: heard.append(name))
    folders = [warm.world_folder(warm.RECIPES["steps"], s) for s in (4, 5)]
    assert [r["model"] for r in done] == [o.name for o in folders] and folders[0] != folders[1]
    assert [json.loads((o / "world.json").read_text())["seed"] for o in folders] == [4, 5]
    assert heard[:2] == ["warm start, seed 4", "warm start, seed 5"]
    shutil.rmtree(tmp_path / "cache") # another machine, which has the files: nothing is made
    assert study.run_study("stages", tmp_path / "s", (4, 5)) == done and not (tmp_path / "cache").exists()
    with pytest.raises(ConfigError, match="other settings .model"):
        study.run_study("stages", tmp_path / "s", (4, 5), model=folders[1])

def test_findings_read_a_real_study(small_study):
    folder, done, small, _ = small_study
    table = study_table(small, study.read_results(folder))
    assert table.count("(one run)") == 3 and "pays" not in table
    assert crossing_depth(done)[0] is None and not any(r["pays"] for r in arm_rows(small, done))

def test_a_gap_of_one_shared_seed_has_no_interval():
    row = lambda arm, seed, rate: dict(cell="weak", arm=arm, seed=seed, solved_greedy=rate, tokens=9)
    table = study_table(arms.STUDIES["weak"], [row("baseline", 0, .5), row("learning", 0, .6), row("learning", 1, .7)])
    assert "| +10, baseline |" in table and "nan" not in table, table

def test_a_fuzzer_reads_digits_and_no_words():
    for words in (False, True):
        for p in limit_problems("train", 40, words=words):
            assert (int(p.id.split("-")[2]) in read_hints(p).numbers) != words, p.description

JOBS = """
import time
from functools import partial
from chained_adv.ablation import run_tasks
if __name__ == "__main__":
    for key, result in run_tasks({("sleep", i): partial(time.sleep, .01 if i < 2 else 120) for i in range(6)}, 2):
        print(key, flush=True)
"""

@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")
def test_runs_end_when_their_study_is_killed(tmp_path):
    script = tmp_path / "jobs.py"
    script.write_text(JOBS)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        try:
            parent.stdout.readline(), parent.stdout.readline() # both jobs are at work
            threads = Path(f"/proc/{parent.pid}/task").iterdir()
            jobs = [Path("/proc", o) for t in threads for o in (t / "children").read_text().split()]
            assert len(jobs) >= 2 and all(o.exists() for o in jobs)
        finally:
            parent.kill()
        parent.wait()
    end = time.monotonic() + 30
    while any(o.exists() for o in jobs) and time.monotonic() < end:
        time.sleep(.1)
    assert not any(o.exists() for o in jobs)
