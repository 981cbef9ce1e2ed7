"""The file of episodes: readable after a kill in the middle of a write, and `chained-adv look` on it."""
import gzip, json, os, random, subprocess, sys, time
from pathlib import Path

import pytest

from chained_adv.core import TrainingError
from chained_adv.looking import EPISODES, append_episodes, before_and_after, explore, keep_episodes_until, list_played, read_episodes
from calling import call, refused

WRITER = """import random, sys
sys.path.insert(0, sys.argv[2])
from chained_adv.looking import append_episodes
for step in range(int(sys.argv[3]), 10**6):
    noise = "".join(random.choices("abcdefghij", k=200_000))
    append_episodes(sys.argv[1], [dict(step=step, split="step", n=n, text=noise[n * 20_000:][:20_000]) for n in range(10)])
"""

def row(step, problem="double", code="def double(x): return 2 * x", solved=True, **more):
    tests = [dict(test="double(3) == 6", outcome="passed" if solved else "wrong_value", reason="" if solved else "got 5, expected 6")]
    return dict(step=step, split="held_out", phase="greedy", trained_stage=0, learner=None, problem=problem, chain=0, role="generator",
                stage=5, list=None, prompt="0", text=code, code=code, tokens=9, cut=False, solved=solved, reward=float(solved),
                advantage=None, tests=tests, seed=0) | more

def test_a_kill_in_the_middle_of_a_write_loses_no_line_before_it(tmp_path):
    seed = random.randrange(10**6)
    chosen = random.Random(seed)
    file = tmp_path / EPISODES
    size = lambda: file.stat().st_size if file.exists() else 0
    last = 0
    for _ in range(6): # each goes on where the one before was killed
        before = size()
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(Path(__file__).parents[1]), str(last + 1)])
        while size() < before + 300_000 and child.poll() is None: time.sleep(.01)
        time.sleep(chosen.uniform(0, .1))
        assert child.poll() is None
        child.kill(); child.wait()
        rows = read_episodes(tmp_path)
        assert len(rows) % 10 == 0 and all(len(o["text"]) == 20_000 for o in rows), seed
        last = rows[-1]["step"]
        keep_episodes_until(tmp_path, last)
        with gzip.open(tmp_path / EPISODES, "rt") as f: assert [json.loads(o) for o in f] == rows, seed

@pytest.mark.parametrize("cut", [1, 7, 8, 9, 20, 60])
def test_a_write_that_was_cut_anywhere_is_left_out(tmp_path, cut):
    for step in (1, 2): append_episodes(tmp_path, [row(step)])
    file = tmp_path / EPISODES
    whole = file.read_bytes()
    append_episodes(tmp_path, [row(3)])
    added = file.read_bytes()[len(whole):]
    for n in (cut, len(added) - cut):
        file.write_bytes(whole + added[:n])
        assert [o["step"] for o in read_episodes(tmp_path)] == [1, 2]
        keep_episodes_until(tmp_path, 5)
        assert file.read_bytes() == whole

def test_no_room_is_one_sentence(tmp_path):
    (tmp_path / EPISODES).symlink_to("/dev/full")
    with pytest.raises(TrainingError, match="No space left on device.*--resume"): append_episodes(tmp_path, [row(1)])

@pytest.fixture
def kept(tmp_path):
    "A run that learned `double`, and whose step 3 was played"
    rows = [row(0, solved=False, code="def double(x): return x + 2"), row(0, "easy"), row(8), row(8, "easy")]
    for o in rows: append_episodes(tmp_path, [o])
    append_episodes(tmp_path, [row(3, split="step", phase="generator", learner="generator", advantage=.5),
                               row(3, split="step", phase="generator", learner="generator", role="discriminator", list=0, code=None,
                                   text="(3, 6)\n\x1b[31m(1)", tests=[dict(test="double(3) == 6", outcome="passed", reason="", valid=True, credit=.1),
                                                              dict(test="(1)", outcome="rejected", reason="no expected value", valid=False, credit=-.1)])])
    return tmp_path

def test_before_and_after_shows_what_was_learned(kept):
    assert [(p.problem, p.solved) for p in before_and_after(kept)] == [("double", 0), ("double", 1)]
    text = call("look", kept).stdout
    assert text.index("return x + 2") < text.index("return 2 * x") and "got 5, expected 6" in text
    assert "easy" not in text and "easy" in call("look", kept, "--problem", "easy").stdout

def test_a_step_shows_tests_with_what_they_are_worth(kept):
    text = call("look", kept, "--step", 3).stdout
    assert "not valid" in text and "no expected value" in text and "\x1b" not in text
    rows = json.loads(call("look", kept, "--step", 3, "--json").stdout)
    assert [o["role"] for o in rows] == ["generator", "discriminator"] and rows[0]["advantage"] == .5

def test_a_reader_sees_the_task_and_whose_answer_it_is(tmp_path):
    "`got` is the program's answer where a test is valid, and the reference's where it isn't"
    tests = [dict(test="double(2) == 5", outcome="wrong_value", reason="got 7, expected 5", valid=False,
                  invalid="the reference got 4, expected 5", credit=-.1),
             dict(test="double(3) == 6", outcome="wrong_value", reason="got 7, expected 6", valid=True, invalid="", credit=.2)]
    append_episodes(tmp_path, [row(0, task="Return twice x.", solved=False)])
    append_episodes(tmp_path, [row(1, task="Return twice x.", split="step", phase="discriminator", learner="discriminator"),
                               row(1, split="step", phase="discriminator", learner="discriminator", role="discriminator", list=0, tests=tests)])
    text, page = call("look", tmp_path, "--step", 1).stdout, list_played(tmp_path, step=1)[0]._repr_html_()
    for shown in (text, page):
        assert "Return twice x." in shown and "the reference got 4, expected 5" in shown and "got 7, expected 5" not in shown
        assert "got 7, expected 6" in shown
    assert " · earned +0.20" in page and "Return twice x." in call("look", tmp_path).stdout

def test_equal_attempts_are_shown_once(tmp_path):
    append_episodes(tmp_path, [row(0, chain=k, code=f"def double(x): return {k // 2}", text=str(k // 2)) for k in range(3)])
    page = list_played(tmp_path)[0]._repr_html_()
    assert "attempts 1, 2: " in page and "attempt 3: " in page and page.count("return 0") == 1

def test_list_and_faults(kept):
    listed = json.loads(call("look", kept, "--list", "--json").stdout)
    assert [(o["step"], o["problem"]) for o in listed] == [(0, "double"), (0, "easy"), (8, "double"), (8, "easy"), (3, "double")]
    refused(call("look", kept, "--step", 5), "nothing kept for step 5")
    refused(call("look", kept, "--problem", "sort"), "no evaluation played sort")
    refused(call("look", kept / "nowhere"), "no such folder")
    refused(call("look", kept, "--html", kept / "no/such/page.html"), "cannot be written")

def test_looking_needs_no_torch(kept):
    code = "import sys; from chained_adv.cli import main; main(['look', sys.argv[1]]); assert 'torch' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code, str(kept)], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(Path(__file__).parents[1])))
    assert done.returncode == 0, done.stderr

def test_a_page_holds_hostile_texts_as_texts(kept):
    append_episodes(kept, [row(8, "hostile", code="</script><script>alert(1)</script><!--")])
    explore(kept, "hostile").save(kept / "page.html")
    page = (kept / "page.html").read_text()
    assert page.count("</script>") == 2 and "alert(1)" in page
    assert len(list_played(kept)) == 6
