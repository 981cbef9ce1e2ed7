"Rewards for TRL: what a trainer may hand over, cheats, processes and event loops; with TRL installed, GRPOTrainer on the embedded model."
import asyncio, json, multiprocessing, os, pickle, subprocess, sys, time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from chained_adv.core import ConfigError, Problem
from chained_adv.rewards import compute_discriminator_reward
from chained_adv.sandbox import Sandbox, SandboxError, problem_job
from chained_adv.stages import load_prompts
from chained_adv.testcases import baseline_cases
from chained_adv.tiny.world import tiny_problems
from chained_adv.trl import BackgroundReward, CodeReward, TesterReward, generator_rows, completed_program, discriminator_rows, to_dataset

ROOT = Path(__file__).resolve().parent.parent
needs_trl = pytest.mark.skipif(not find_spec("trl"), reason="TRL is not installed: pip install '.[trl]'")
PROBLEMS = tiny_problems("train", 40)
TWICE = Problem("twice", "Twice n.", "def twice(n):", ([1, 2], [3, 6], "assert twice(5) == 10"), "def twice(n): return 2 * n")
BARE = replace(TWICE, id="bare", reference_solution="")
LOOPER = "def twice(n):\n    while True: pass"
LISTS = ["assert twice(2) == 4\nassert twice(7) == 14", "assert twice(2) == 5", "no tests here", "", "assert twice(0) is not None", "```python\nassert twice(2) == 4\n```"]

def said(text): return [dict(role="assistant", content=text)]

@pytest.fixture(scope="module")
def reward():
    r = CodeReward([TWICE, BARE, *PROBLEMS], "tags", timeout=.5)
    yield r
    r.sandbox.close()

@pytest.fixture(scope="module")
def tester():
    r = TesterReward([TWICE, BARE], {"twice": ["def twice(n): return n + 2"]}, timeout=.5)
    yield r
    r.sandbox.close()

# the generator's
def test_it_is_the_share_that_the_sandbox_says(reward):
    codes = [p.reference_solution if n % 2 else f"{p.function_signature}\n return {p.baseline_tests[0][-1]!r}" for n, p in enumerate(PROBLEMS)]
    with Sandbox(timeout=.5) as box: wanted = box.run_many([problem_job(p, c, baseline_cases(p)) for p, c in zip(PROBLEMS, codes)])
    logged = {}
    got = reward(prompts=["p"] * 40, completions=codes, completion_ids=[[1]] * 40, problem=[p.id for p in PROBLEMS], trainer_state=object(), environments=None,
                 log_extra=lambda *a: None, log_metric=logged.__setitem__, any_column=[1] * 40)
    assert got == [o.pass_rate for o in wanted] and got[1::2] == [1.] * 20 and 0 < sum(got[::2]) < 20
    assert logged == dict(solved=sum(o.passed for o in wanted) / 40)
    assert reward([said(f"So:\n\n```python\n{c}\n```\nDone.") for c in codes], problem=[p.id for p in PROBLEMS]) == got

@pytest.mark.parametrize("completion", [
    "def twice(n): return 2 * n", "```python\ndef twice(n): return 2 * n\n```", said("def twice(n): return 2 * n"), said("First:\n```\nx = 1\n```\nthen\n```python\ndef twice(n):\n    return n + n\n```\nThat is it."),
    said("```py\ndef twice(n):\n  return n+n"), [dict(role="assistant", content="a plan"), dict(role="tool", content="?"), *said("def twice(n): return 2 * n")],
    [dict(role="assistant", content=[dict(type="text", text="def twice(n):"), dict(type="text", text=" return 2 * n")], reasoning_content="hm")]])
def test_forms_of_completions(reward, completion): assert reward([completion], problem=["twice"]) == [1.]

@pytest.mark.parametrize("completion", ["", "   ", "hello", "def twice(n):", "\ud800", "\x00", "def other(n): return 2 * n", [], [dict(role="assistant", content=None)], [dict(role="user", content="def twice(n): return 2 * n")], said([])])
def test_what_is_no_program_earns_nothing(reward, completion): assert reward([completion], problem=["twice"]) == [0.]

@pytest.mark.parametrize("code", ["import os\nos._exit(0)", "import sys\nsys.exit(0)", "class A:\n    def __eq__(self, o): return True\n    __hash__ = None\ndef twice(n): return A()", "def twice(n):\n    import os\n    os._exit(0)",
    "import atexit, os\natexit.register(os._exit, 0)\ndef twice(n): return None", "import builtins\nbuiltins.AssertionError = Warning\ndef twice(n): return None", LOOPER])
def test_cheats_earn_nothing(reward, code):
    got = reward([code, said(f"```python\n{code}\n```"), "def twice(n): return 2 * n"], problem=["twice"] * 3, tests=[None, "assert twice(9) == 18", None])
    assert got == [0., 0., 1.]

def test_rows_of_other_tasks_are_not_counted(reward):
    logged = {}
    assert reward(["x", "def twice(n): return 2 * n", "y"], problem=[None, "twice", ""], log_metric=logged.__setitem__) == [None, 1., None] and logged == dict(solved=1.)
    assert reward(["x"], problem=[None], log_metric=logged.__setitem__) == [None] and reward([], problem=[]) == []

def test_a_data_set_that_does_not_fit_is_refused(reward):
    with pytest.raises(ConfigError, match="no column `problem`"): reward(["x"])
    with pytest.raises(ConfigError, match="names 'nobody'"): reward(["x", "y"], problem=["twice", "nobody"])
    with pytest.raises(ConfigError, match="prompts 'none'"): CodeReward([TWICE], "none")
    with pytest.raises(SandboxError): CodeReward([TWICE], timeout=0)

def test_generated_tests_count_where_the_reference_passes_them(reward):
    only_small = "def twice(n): return 2 * n if n < 8 else 0"
    tests = "assert twice(8) == 16\nassert twice(9) == 18\nassert twice(9) == 1\nnonsense"
    assert reward([only_small, "def twice(n): return 2 * n"], problem=["twice"] * 2, tests=[tests] * 2) == [3 / 5, 1.]
    assert reward([only_small] * 3, problem=["twice"] * 3, tests=["assert twice(9) == 1", "", None]) == [1.] * 3
    assert reward([only_small], problem=["bare"], tests=[tests]) == [1.] # nobody can say which are valid

def test_tests_that_cannot_be_guarded_judge_nobody():
    tests = ("def test_module():\n    import inspect\n    assert 'return x' in inspect.getsource(f) and f(1) == 1",)
    inside = Problem("inside", "x", "def f(x):", tests, "import sys\ndef f(x): return x")
    r, logged = CodeReward([inside, replace(inside, id="mixed", baseline_tests=("assert f(1) == 1", *tests))], timeout=.5), {}
    assert r(["def f(x): return +x", "def f(x): return +x", "def f(x): return 0"], problem=["inside", "mixed", "mixed"], log_metric=logged.__setitem__) == [None, 1., 0.]
    assert logged == dict(solved=1 / 3)
    r.sandbox.close()

def test_a_broken_sandbox_stops_the_run_instead_of_a_zero(reward, monkeypatch):
    def broken(*_): raise SandboxError("no processes left")
    monkeypatch.setattr(Sandbox, "run_plans", broken)
    with pytest.raises(SandboxError): reward(["x"], problem=["twice"])
    with pytest.raises(SandboxError): asyncio.run(BackgroundReward(reward)(["x"], problem=["twice"]))

def test_endless_programs_cost_little():
    r = CodeReward([TWICE], timeout=.3, workers=2)
    started = time.monotonic()
    got = r([f"{LOOPER}\n# {n}" if n < 4 else f"def twice(n): return 2 * n # {n}" for n in range(60)], problem=["twice"] * 60)
    r.sandbox.close()
    assert got == [0.] * 4 + [1.] * 56 and time.monotonic() - started < 20

# the tester's
def test_valid_and_catching_tests_earn(tester):
    logged = {}
    wrong = "def twice(n): return n * n"
    got = tester(LISTS, problem=["twice"] * 6, code=[wrong] * 6, log_metric=logged.__setitem__)
    assert got[0] > got[5] > 0 > got[1] and got[2] < 0 and got[3] == -1 and got[0] > got[4]
    assert [tester([o], problem=["twice"], code=[wrong]) for o in LISTS] == [[o] for o in got]
    assert 0 < logged["caught"] <= logged["valid"] < 1

def test_it_is_the_reward_of_the_game(tester):
    wrong, tests = ["def twice(n): return n * n", "def twice(n): return n + 2"], LISTS[0]
    with Sandbox(timeout=.5) as box:
        valid, *programs = box.run_many([problem_job(TWICE, TWICE.reference_solution, tests, reference=TWICE.reference_solution, runs=2), *(problem_job(TWICE, o, tests, reference=TWICE.reference_solution) for o in wrong)])
    assert tester([tests], problem=["twice"], code=wrong[:1]) == [compute_discriminator_reward(programs[0], valid, "per_test", (programs[1],))]
    r = TesterReward([TWICE], {"twice": wrong[1:]}, scheme="shaped", timeout=.5)
    assert r([tests], problem=["twice"], code=wrong[:1]) == [compute_discriminator_reward(programs[0], valid, "shaped", (programs[1],))]
    r.sandbox.close()

def test_each_reward_leaves_the_rows_of_the_other_alone(reward, tester):
    code, rows = "def twice(n): return 2 * n", dict(problem=["twice", "twice", None, "bare"], code=["def twice(n): return 1", None, "x", "def twice(n): return 1"])
    assert [o is None for o in tester([LISTS[0]] * 4, **rows)] == [False, True, True, True] and reward([code] * 4, **rows) == [None, 1., None, None]

def test_tests_that_know_nothing_earn_nothing(tester):
    "They pass with every answer, or attack the programs' process"
    for text in ("assert twice(1) == twice(1)", "twice(1)\nassert True", "import os\ntwice(1)\nos._exit(1)", "def test_a():\n    try: assert twice(1) == 3\n    except AssertionError: pass"):
        assert tester([text], problem=["twice"], code=["def twice(n): return 0"])[0] <= 0, text

# prompts
@pytest.mark.parametrize("prompts", ["plain", "chat", "tags", "few_shot"])
def test_rows_and_how_they_are_read_back(prompts):
    rows, chosen = generator_rows(PROBLEMS[:3], prompts), load_prompts(prompts)
    assert [o["problem"] for o in rows] == [p.id for p in PROBLEMS[:3]] and all(isinstance(o["prompt"], list) == chosen.chat for o in rows)
    shown = [o["prompt"] if not chosen.chat else o["prompt"][-1]["content"] for o in rows]
    assert all(type(o) is str and p.description in o for o, p in zip(shown, PROBLEMS))
    body = "    return 2 * n"
    answer = {"plain": f"def twice(n):\n{body}\n\n## Tests\nx", "chat": said(f"```python\ndef twice(n):\n{body}\n```"), "tags": f"def twice(n):\n{body}", "few_shot": f"{body}\n\n\ndef other(x):"}[prompts]
    assert completed_program(chosen, TWICE, answer).split("#")[0].rstrip().endswith("return 2 * n") and "other" not in completed_program(chosen, TWICE, answer)
    r = CodeReward([TWICE], prompts)
    assert r([answer], problem=["twice"]) == [1.]
    r.sandbox.close()
    tests = discriminator_rows([TWICE, BARE], {"twice": ["A = 1", "B = 2"]}, prompts)
    assert [(o["problem"], o["code"]) for o in tests] == [("twice", "A = 1"), ("twice", "B = 2")] and all(o["code"] in str(o["prompt"]) for o in tests)

def test_without_the_library_a_data_set_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ConfigError, match=r"pip install 'chained_adv\[trl\]'"): to_dataset([TWICE])

def test_data_sets_hold_no_answers():
    pytest.importorskip("datasets", reason="the library datasets is not installed: pip install '.[trl]'")
    for made in (to_dataset([TWICE, *PROBLEMS]), to_dataset([TWICE], "chat")):
        assert set(made.column_names) == {"prompt", "problem"} and "return 2 * n" not in str(made[:])
    assert set(to_dataset([TWICE], "plain", {"twice": ["x = 1"]}).column_names) == {"prompt", "problem", "code"}

def test_the_module_is_light():
    code = "import sys, chained_adv.trl\nprint([m for m in ('torch', 'transformers', 'trl', 'datasets', 'numpy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True).stdout == "[]\n"

# processes and event loops
def earn(r): return r(["def twice(n): return 2 * n", "x"], problem=["twice"] * 2)

@pytest.mark.parametrize("way", ["spawn", pytest.param("fork", marks=pytest.mark.skipif(sys.platform != "linux", reason="fork"))])
def test_in_other_processes(reward, way):
    assert earn(reward) == [1., 0.]
    with ProcessPoolExecutor(2, multiprocessing.get_context(way)) as pool: assert [*pool.map(earn, [reward] * 4)] == [[1., 0.]] * 4
    assert earn(pickle.loads(pickle.dumps(reward))) == [1., 0.]

def test_processes_share_the_cores(monkeypatch):
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    for processes in (1, 2, 64):
        monkeypatch.setenv("LOCAL_WORLD_SIZE", str(processes))
        assert CodeReward([TWICE]).sandbox.count == max(1, cores // processes)
    assert CodeReward([TWICE], workers=3).sandbox.count == 3 and CodeReward([TWICE]).sandbox.give_up and not CodeReward([TWICE], give_up=False).sandbox.give_up

def test_the_event_loop_stays_free(reward, tester):
    async def main():
        ticks, done = 0, asyncio.gather(BackgroundReward(reward)(completions=[LOOPER, "def twice(n): return 2 * n"], problem=["twice"] * 2),
                                        BackgroundReward(tester)(completions=LISTS[:2], problem=["twice"] * 2, code=["def twice(n): return n * n"] * 2))
        while not done.done():
            await asyncio.sleep(.02); ticks += 1
        return ticks, await done
    ticks, (first, second) = asyncio.run(main())
    assert first == [0., 1.] and second == tester(LISTS[:2], problem=["twice"] * 2, code=["def twice(n): return n * n"] * 2) and ticks >= 5
    assert asyncio.iscoroutinefunction(BackgroundReward(reward).__call__) and BackgroundReward(reward).__name__ == "CodeReward" and pickle.loads(pickle.dumps(BackgroundReward(reward))).reward.problems

# with TRL
def page_example(**changes):
    "The example of the page, with some texts changed"
    cells = json.loads((ROOT / "nbs/38c_trl.ipynb").read_text())["cells"]
    text, = ("".join(o["source"]) for o in cells if "GRPOTrainer(\n" in "".join(o["source"]))
    for old, new in changes.items():
        old = {"steps": "max_steps=10", "folder": '"runs/trl"', "rewards": 'CodeReward(problems, prompts="tags")', "data": 'to_dataset(problems, prompts="tags")', "log": "logging_steps=5", "size": "per_device_train_batch_size=72"}[old]
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text

@needs_trl
def test_the_example_of_the_page_trains(tmp_path):
    space = {}
    exec(page_example(steps="max_steps=3", folder=repr(str(tmp_path)), log="logging_steps=1"), space)
    log = [o for o in space["trainer"].state.log_history if "reward" in o]
    assert len(log) == 3 and all(0 < float(o["reward"]) < 1 and 0 < float(o["solved"]) < 1 and float(o["reward_std"]) > 0 for o in log) and "rewards/CodeReward/mean" in log[0]
    assert any(float(o["grad_norm"]) > 0 for o in log) and float(log[0]["reward"]) >= float(log[0]["solved"])

MIXED = """[BackgroundReward(CodeReward(problems, prompts="tags")), BackgroundReward(TesterReward(problems, prompts="tags"))]"""
ROWS = """__import__("datasets").Dataset.from_list(
    [o | dict(code=None, extra=[1, 2]) for o in generator_rows(problems[:200], "tags")]
    + [o | dict(extra=None) for o in discriminator_rows(problems, {p.id: [f"{p.function_signature}\\n return 0"] for p in problems[:200]}, "tags")]
    + [dict(prompt="def solve(n):\\nhello<s5>", problem=None, code=None, extra=None)] * 20)"""

@needs_trl
def test_two_async_rewards_on_rows_of_three_kinds(tmp_path):
    "A program's row has no reward as a tester's, and rows of neither have none at all"
    text = page_example(steps="max_steps=2", folder=repr(str(tmp_path)), log="logging_steps=1", rewards=MIXED, data=ROWS)
    space = {}
    exec(f"from chained_adv.trl import *\nfrom chained_adv.trl import BackgroundReward, TesterReward, generator_rows, discriminator_rows\n{text}", space)
    log = [o for o in space["trainer"].state.log_history if "reward" in o]
    assert len(log) == 2 and all("rewards/TesterReward/mean" in o and "rewards/CodeReward/mean" in o and "valid" in o for o in log)

CHAT = """__import__("datasets").Dataset.from_list([o | dict(prompt=[dict(role="user", content=o["prompt"])]) for o in generator_rows(problems, "tags")])"""
@needs_trl
def test_messages(tmp_path):
    "With prompts that are messages, TRL hands over messages; the rewards are those of the texts"
    text = page_example(steps="max_steps=1", folder=repr(str(tmp_path)), log="logging_steps=1", data=CHAT, rewards="Noting(problems, prompts='tags')")
    text = text.replace("load_tokenizer(TINY),", "tokenizer,").replace("trainer = ", "tokenizer = load_tokenizer(TINY)\ntokenizer.chat_template = \"{% for m in messages %}{{ m['content'] }}{% endfor %}\"\ntrainer = ")
    seen = []
    class Noting(CodeReward):
        def __call__(self, completions, problem, **columns):
            seen.append((completions, problem, super().__call__(completions, problem, **columns)))
            return seen[-1][2]
    exec(text, space := dict(Noting=Noting, generator_rows=generator_rows))
    (completions, ids, values), = seen
    assert all(isinstance(o, list) and o[-1]["role"] == "assistant" for o in completions) and 0 < sum(values) < len(values)
    assert values == CodeReward(space["problems"], "tags")([o[-1]["content"] for o in completions], problem=ids)

@needs_trl
def test_two_processes(tmp_path):
    "Each has a sandbox of its own, and the log is the mean of both"
    text = page_example(steps="max_steps=1", folder=repr(str(tmp_path)), log="logging_steps=1", size="per_device_train_batch_size=12")
    text += "\nimport os\nif os.environ['RANK'] == '0': print('solved', trainer.state.log_history[0]['solved'], flush=True)\nassert trainer.reward_funcs[0].sandbox.count == max(1, len(os.sched_getaffinity(0)) // 2) and trainer.reward_funcs[0].sandbox.zygotes"
    (tmp_path / "run.py").write_text(text)
    done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(tmp_path / "run.py")], cwd=tmp_path, capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1"), timeout=300)
    assert done.returncode == 0 and "solved 0." in done.stdout, done.stderr[-3000:]
