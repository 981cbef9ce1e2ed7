"""The command line as people and programs use it: every refusal, every shape of problem file, models of one's own, kills and resumes."""
import io, json, os, re, resource, shlex, signal, subprocess, sys, time, warnings
from pathlib import Path

import pytest
from rich.console import Console
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from chained_adv import cli, loading
from chained_adv import command as printing
from chained_adv.checkpoints import CheckpointManager
from chained_adv.command import list_settings, make_parser, parse_command, read_toml
from chained_adv.problems import load_problems
from calling import call, refused

SMALL = ("--stages", "1", "--n-discriminator-steps", "1", "--first-discriminator-steps", "0", "--n-generator-steps", "1", "--k-alternating-steps", "0",
         "--problems-per-step", "2", "--samples", "2", "--eval-samples", "1", "--n-mutants", "0", "--max-stage-tokens", "4", "--max-test-tokens", "4", "--device", "cpu")
RUN_FILES = {"config.json", "metrics.jsonl", "evaluation.jsonl", "episodes.jsonl.gz", "summary.json", "checkpoints", "plots"}
ENV = {**os.environ, "OMP_NUM_THREADS": "1"}

def program(*args): return [sys.executable, "-c", "from chained_adv.cli import main; main()", *map(str, args)]

def run_program(*args, **kwargs): return subprocess.run(program(*args), capture_output=True, text=True, env=ENV, timeout=120, **kwargs)

def problem(id="double", tests=([2, 4], [0, 0]), **changes):
    return {**dict(id=id, description=f"Return twice n ({id}).", function_signature="def double(n):", baseline_tests=list(tests), reference_solution=f"def double(n):\n    return 2 * n # {id}"), **changes}

def several(n=5): return [problem(f"times_{i}", [[1, i], [2, 2 * i]], description=f"Return n times {i}.", reference_solution=f"def double(n):\n    return n * {i}") for i in range(n)]

OWN_CLASS = "class Square:\n    def __init__(self, side): self.side = side\n    def area(self): return self.side ** 2\nassert f([Square(2), Square(3)]) == 13"

def areas(id="areas"):
    "A problem whose tests run only in one process with the program"
    return dict(id=id, description=f"Add areas ({id}).", function_signature="def f(shapes):", baseline_tests=[OWN_CLASS], reference_solution=f"def f(shapes): return sum(s.area() for s in shapes) # {id}")

def write(folder, data, name="problems.json"):
    path = Path(folder) / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path

@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path

@pytest.fixture(scope="module")
def shared(tmp_path_factory): return tmp_path_factory.mktemp("shared")

@pytest.fixture(scope="module")
def run(shared):
    "A finished run of the tiny model on five small problems"
    r = call("train", *SMALL, "--problems", write(shared, several()), "--out", shared / "run", "--json")
    assert r.exit_code == 0, (r.stderr, r.exception)
    assert json.loads(r.stdout) == {"out": str(shared / "run"), **json.loads((shared / "run/summary.json").read_text())}
    return shared / "run"

def make_model(folder, seed, hidden=16):
    "A Qwen2 with random weights and a byte tokenizer"
    import torch
    torch.manual_seed(seed)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tok = Tokenizer(models.BPE(vocab={o: i for i, o in enumerate(["<eos>", *alphabet])}, merges=[]))
    tok.pre_tokenizer, tok.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tok, eos_token="<eos>").save_pretrained(folder)
    sizes = dict(hidden_size=hidden, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1, intermediate_size=32, max_position_embeddings=4096)
    Qwen2ForCausalLM(Qwen2Config(vocab_size=1 + len(alphabet), tie_word_embeddings=True, eos_token_id=0, bos_token_id=None, **sizes)).save_pretrained(folder)
    return folder

@pytest.fixture(scope="module")
def qwen(shared): return make_model(shared / "qwen", 0)

# Verdicts that a program could forge

def test_plain_verdicts_are_counted_wherever_there_are_any(here):
    path, plain = write(here, [problem(), areas()]), "plain       1 verdict: "
    r = call("problems", path)
    assert r.exit_code == 0 and plain in r.stdout and "(see train --unguarded): areas" in r.stdout
    assert [o.get("plain_verdicts") for o in json.loads(call("problems", path, "--json").stdout)] == [None, 1]
    assert plain in call("problems", "convert", path, "--to", here / "same.json", "--check").stdout
    for command in ("show", "solve"):
        r = call(command, "areas", "--problems", path, "--model", "tiny", "--device", "cpu")
        assert "0 of 1 baseline tests pass" in r.stdout and plain in r.stdout
    assert plain in call("solve", "--problems", path, "--model", "tiny", "--device", "cpu").stdout
    quick = ("evaluate", "tiny", "--problems", path, "--n-mutants", 0, "--device", "cpu")
    assert "plain       2 verdicts: " in call(*quick).stdout # a sampled program, and the greedy one
    assert json.loads(call(*quick, "--json").stdout)[0]["plain_verdicts"] == 2

@pytest.mark.parametrize("unguarded", ["never", "trusted"])
def test_train_with_a_problem_that_needs_plain_verdicts(here, unguarded):
    path = write(here, [areas("a"), areas("b"), problem()])
    with warnings.catch_warnings(record=True) as caught:
        r = call("train", *SMALL, "--problems", path, "--out", here / "run", "--unguarded", unguarded)
    assert r.exit_code == 0, (r.stderr, r.exception)
    aside = unguarded == "never"
    assert any("2 problems set aside" in str(o.message) for o in caught) == ("set aside   2 problems" in r.stdout) == aside
    assert ("of them were rewards" in r.stdout) == (not aside)

# Help and start

def test_help_starts_without_the_heavy_libraries():
    code = "import sys\nfrom chained_adv.cli import main\ntry: main()\nfinally: print([o for o in ('torch', 'transformers', 'peft', 'matplotlib') if o in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, env=ENV)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")
    assert all(o in done.stdout for o in ("train", "show", "solve", "evaluate", "checkpoints", "doctor", "problems"))

@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_has_help_with_examples(command):
    r = call(*command.split(), "--help")
    assert r.exit_code == 0 and f"examples:\n  chained-adv {command}" in r.stdout and "--json" in r.stdout

def test_examples_are_accepted(monkeypatch):
    "Every example parses: it names a command and options that exist"
    for name, (function, examples) in cli.COMMANDS.items():
        assert examples
        for line in examples:
            words = shlex.split(line.partition(" > ")[0])
            n = len(name.split())
            assert words[:n] == name.split()
            parse_command(make_parser(name, function), words[n:])

def test_help_takes_half_a_second_of_processor_time():
    "A third on a calm machine; torch alone would take two seconds"
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    for command in ("--help", "train --help", "evaluate --help"):
        seconds = []
        for _ in range(3):
            before = used()
            subprocess.run(program(*command.split()), stdout=subprocess.DEVNULL, env=ENV, check=True)
            seconds.append(used() - before)
        assert min(seconds) < 1 / 2, (command, seconds)

def test_every_setting_is_a_flag_and_a_line_of_the_file():
    text, shown = call("config").stdout, call("train", "--help").stdout
    for name, setting in list_settings().items():
        flag = name.replace("_", "-")
        assert setting.help and f"# {setting.help}\n{name} = " in text and f"--{flag}" in shown, name
        value = {bool: "", int: "7", float: "0.5", str: "gae" if name == "advantage" else "none" if name == "scale" else "answer", tuple: "5"}[type(setting.default)]
        written = set()
        for spelt in (f"--{flag}", f"--{setting.group}.{flag}" if setting.group else f"--{flag}"):
            words = {True: [f"--no-{flag}"], False: [spelt]}.get(setting.default) if type(setting.default) is bool else [spelt, value]
            written.add(call("config", *words).stdout)
        assert len(written) == 1 and written.isdisjoint({"", text}), name

def test_version(): assert re.fullmatch(r"\d+\.\d+\.\d+\n", call("--version").stdout)

# A run

def test_run_folder_is_complete(run):
    assert {o.name for o in run.iterdir()} == RUN_FILES
    config = json.loads((run / "config.json").read_text())
    assert config["problems"] == {"source": str(run.parent / "problems.json"), "seed": 0} and config["settings"]["n_samples"] == 2
    assert [json.loads(o)["step"] for o in (run / "metrics.jsonl").read_text().splitlines()] == [1, 2]
    assert set(json.loads((run / "summary.json").read_text())["after"]) == {"train", "held_out"}

def test_a_second_run_is_refused_and_the_first_untouched(run):
    before = {o: o.stat().st_mtime_ns for o in run.rglob("*")}
    refused(call("train", *SMALL, "--out", run), "--resume", "--overwrite", str(run))
    assert {o: o.stat().st_mtime_ns for o in run.rglob("*")} == before

def test_resume_of_a_finished_run_needs_no_options(run):
    before = (run / "metrics.jsonl").read_text()
    r = call("train", "--resume", "--out", run)
    assert r.exit_code == 0, (r.stderr, r.exception)
    assert (run / "metrics.jsonl").read_text() == before and "Before and after training" in r.stdout and f"chained-adv solve --run {run}" in r.stdout

def test_resume_with_other_settings_is_refused(run): refused(call("train", "--resume", "--out", run, "--samples", 6), "other settings (n_samples)")

@pytest.mark.parametrize("words", [("--engine", "vllm", "--engine-url", "ftp://h"), ("--engine-url", "ftp://h", "--engine", "vllm")])
def test_the_address_of_an_engine(here, words):
    refused(call("train", *words, "--problems", write(here, several(6))), "engine 'ftp://h': give local, vllm, or a server's address")

def test_resume_with_other_problems_is_refused(run, here): refused(call("train", "--resume", "--out", run, "--problems", write(here, several(6))), "other problems")

def test_overwrite_starts_again_but_only_over_a_run(here):
    (here / "thesis").mkdir(); (here / "thesis/chapter.txt").write_text("years of work")
    write(here, several(3))
    refused(call("train", *SMALL, "--problems", "problems.json", "--out", "thesis", "--overwrite"), "nothing in it is touched")
    assert [o.name for o in (here / "thesis").iterdir()] == ["chapter.txt"]
    for flags in ((), ("--overwrite",)):
        r = call("train", *SMALL, "--problems", "problems.json", "--out", "r", *flags)
        assert r.exit_code == 0, (r.stderr, r.exception)
    assert "too few to hold some out" in r.stderr and set(json.loads(Path("r/summary.json").read_text())["after"]) == {"train"}

def test_killed_between_stages_and_resumed(here):
    "SIGKILL after stage 1 has been saved; the resumed run ends as complete as one that was never stopped (an alarm says that the small model is far from home)"
    write(here, several())
    args = ("train", *SMALL[2:], "--stages", "1-2", "--n-generator-steps", "2", "--problems", "problems.json", "--out", "r")
    child = subprocess.Popen(program(*args), env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 100
    while not Path("r/checkpoints/stage_1/manifest.json").exists():
        assert child.poll() is None and time.monotonic() < deadline, child.stderr.read().decode()
        time.sleep(.01)
    child.send_signal(signal.SIGKILL); child.wait(); child.stderr.close()
    assert not Path("r/summary.json").exists()
    r = call("train", "--resume", "--out", "r", "--json")
    assert r.exit_code == 0, (r.stderr, r.exception)
    assert {o.name for o in Path("r").iterdir()} - {"alarms.jsonl"} == RUN_FILES and set(json.loads(r.stdout)["after"]) == {"train", "held_out"}
    steps = [json.loads(o) for o in Path("r/metrics.jsonl").read_text().splitlines()]
    assert [(o["step"], o["stage"]) for o in steps] == [(i + 1, 1 + i // 3) for i in range(6)]
    assert [o.name for o in CheckpointManager("r/checkpoints").list_checkpoints() if o.name != "best"] == ["stage_0", "stage_1", "stage_2"]

def test_the_default_as_a_program(here):
    "`chained-adv train --quick` as a process, made as small as it gets: no option names a model or a problem"
    done = run_program("train", "--quick", *SMALL[2:6], "--stages", "1", *SMALL[6:])
    assert done.returncode == 0, done.stderr
    assert {o.name for o in Path("runs/default").iterdir()} == RUN_FILES
    assert json.loads(Path("runs/default/config.json").read_text())["problems"]["source"] == "tiny"
    assert "Before and after training" in done.stdout and "chained-adv solve --run runs/default" in done.stdout
    for noise in ("Loading weights", "FutureWarning", "\x1b", "\r"): assert noise not in done.stdout + done.stderr
    assert 0 < done.stderr.index("programs, to compare checkpoints on") < done.stderr.index("evaluating before training")

# Models and adapters

@pytest.mark.parametrize("adapters", ["unified", "role", "full"])
def test_adapters(here, adapters):
    write(here, several(2))
    r = call("train", *SMALL, "--problems", "problems.json", "--out", "r", "--adapters", adapters)
    assert r.exit_code == 0, (r.stderr, r.exception)
    tensors = CheckpointManager("r/checkpoints").load_checkpoint("stage_1").tensors
    assert set(tensors) == {"unified": {"shared.shared"}, "role": {"shared.generator", "shared.discriminator"}, "full": {"generator.full", "discriminator.full"}}[adapters]

def test_a_model_of_ones_own(here, qwen):
    write(here, several(2))
    r = call("train", *SMALL, "--model", os.path.relpath(qwen), "--problems", "problems.json", "--out", "r", "--lr", ".001")
    assert r.exit_code == 0, (r.stderr, r.exception)
    settings = json.loads(Path("r/config.json").read_text())["settings"]
    assert settings["model"]["model"] == str(qwen) and (settings["generator_lr"], settings["discriminator_lr"]) == (.001, .001)
    r = call("solve", "--run", "r", "--device", "cpu", "--json")
    d = json.loads(r.stdout)
    assert r.exit_code == 1 and d["solved"] is False and d["problem"] == "times_0" and len(d["stages"]) == 5

def test_lr_wins_over_a_file_and_its_longer_names_over_it(here):
    write(here, several(2))
    Path("my.toml").write_text(call("config", "--quick").stdout) # it has both rates, at 0
    r = call("train", *SMALL, "--config", "my.toml", "--problems", "problems.json", "--out", "r", "--lr", ".001", "--generator-lr", ".5")
    assert r.exit_code == 0, (r.stderr, r.exception)
    settings = json.loads(Path("r/config.json").read_text())["settings"]
    assert (settings["generator_lr"], settings["discriminator_lr"]) == (.5, .001)
    refused(call("train", "--resume", "--out", "r", "--lr", ".002"), "discriminator_lr")

def test_two_models(here, qwen):
    write(here, several(2))
    other = make_model(here / "other", 1, hidden=32)
    args = ("train", *SMALL, "--adapters", "stage", "--generator-model", qwen, "--discriminator-model", other, "--problems", "problems.json", "--out", "r")
    refused(call(*args, "--adapters", "unified"), "two models are named")
    assert not Path("r").exists()
    r = call(*args)
    assert r.exit_code == 0, (r.stderr, r.exception)
    tensors = CheckpointManager("r/checkpoints").load_checkpoint("stage_1").tensors
    assert len(tensors) == 10 and {k.split(".")[0] for k in tensors} == {"generator", "discriminator"}
    widths = {k: {t.shape[1] for n, t in o.items() if "q_proj.lora_A" in n} for k, o in tensors.items()}
    assert widths["generator.generator_1"] == {16} and widths["discriminator.discriminator_1"] == {32}

def test_a_broken_model_folder(here, qwen):
    (here / "empty").mkdir(); write(here, several(2))
    refused(call("train", *SMALL, "--model", "empty", "--problems", "problems.json", "--out", "r"), "model", "empty", "cannot be loaded")
    assert not Path("r").exists()

# Problem files

SHAPES = {
    "assert strings": problem("a", ["assert double(2) == 4", "assert double(0) == 0"]),
    "args, then expected": problem("b", [[2, 4], [0, 0]]),
    "pairs": problem("c", [[[2, 3], 6], [[0, 5], 0]], description="Multiply.", function_signature="def double(a, b):", reference_solution="def double(a, b):\n    return a * b"),
    "method": problem("d", [[2, 4], "assert Solution().double(1) == 2"], function_signature="def double(self, n: int) -> int:", reference_solution="class Solution:\n    def double(self, n):\n        return n + n"),
    "ListNode": problem("e", [[[1, 2], 2, [1]], [[[3], 3], []]], description="Remove k from a linked list.", function_signature="def double(head: ListNode, k: int) -> ListNode:",
                        reference_solution="def double(head, k):\n    start = ListNode(0, head)\n    at = start\n    while at.next:\n        if at.next.val == k: at.next = at.next.next\n        else: at = at.next\n    return start.next"),
}

@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_checked(here, shape):
    r = call("problems", write(here, [SHAPES[shape]]), "--json")
    assert r.exit_code == 0, (r.stderr, r.exception)
    assert json.loads(r.stdout) == [dict(id=SHAPES[shape]["id"], difficulty="medium", tags=[], baseline_tests=2)]

@pytest.mark.parametrize("wrap", [list, lambda o: {"problems": o}, lambda o: "\n".join(map(json.dumps, o))])
def test_each_wrapping_is_checked(here, wrap): assert "5 problems can be used" in call("problems", write(here, wrap(list(SHAPES.values())))).stdout

def test_all_shapes_in_one_run(here):
    r = call("train", *SMALL, "--problems-per-step", 4, "--problems", write(here, list(SHAPES.values())), "--out", "r")
    assert r.exit_code == 0, (r.stderr, r.exception)

BAD_FILES = {
    "broken JSON": ('[{"id": "a",\n  "description" "x"}]', ("broken JSON", "line 2, column 17")),
    "empty file": ("", ("broken JSON", "line 1, column 1")),
    "no problems": ("[]", ("holds no problems",)),
    "a number": ("7", ("found 7", "list of problems")),
    "not a list": ('{"tasks": []}', ("'problems'",)),
    "wrong type": ([problem(description=5)], ("double", "'description'", "found 5", "must be a text")),
    "syntax error": ([problem(reference_solution="def double(n) return n")], ("does not parse",)),
    "another function": ([problem(reference_solution="def triple(n): return n")], ("fails test 0", "triple(2) == 4")),
    "wrong reference": ([problem(reference_solution="def double(n): return n + 2")], ("'double'", "fails test 1", "double(0) == 0", "expected 0")),
    "reference that never ends": ([problem(baseline_tests=[[2, 4]], reference_solution="def double(n):\n    while True: pass")], ("'double'", "fails test 0", "double(2) == 4")),
}

@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_before_anything_is_written(here, case):
    data, words = BAD_FILES[case]
    path = write(here, data, "bad.json")
    refused(call("problems", path), *words)
    if case not in ("reference that never ends", "syntax error", "another function"): refused(call("train", *SMALL, "--problems", path, "--out", "r/s"), *words)
    assert [o.name for o in here.iterdir()] == ["bad.json"]

USABLE = {
    "tests as one text": [problem(baseline_tests="assert double(1) == 2")],
    "no reference": [{k: v for k, v in problem().items() if k != "reference_solution"}],
    "unknown difficulty": [problem(difficulty="harsh")],
}

@pytest.mark.parametrize("case", USABLE)
def test_an_odd_entry_that_can_be_used_is_used(here, case):
    r = call("problems", write(here, USABLE[case], "odd.json"))
    assert r.exit_code == 0 and "1 problem can be used" in r.stdout, (r.stderr, r.exception)

def test_a_second_entry_with_the_same_id_is_set_aside_with_a_reason(here):
    path = write(here, [problem(), problem()], "twice.json")
    r = call("problems", path)
    assert r.exit_code == 0 and "1 used, 1 set aside, see twice.set_aside.jsonl" in r.stderr
    assert "'double'" in Path("twice.set_aside.jsonl").read_text()
    Path("twice.set_aside.jsonl").unlink()
    refused(call("problems", path, "--strict"), "'double'")
    assert [o.name for o in here.iterdir()] == ["twice.json"]

@pytest.mark.parametrize("command", [("train", "--problems"), ("show", "--problems"), ("problems",), ("evaluate", "tiny", "--problems")])
def test_a_missing_file(here, command):
    refused(call(*command, "nowhere.json"), "nowhere.json: no such file", "builtin")
    assert list(here.iterdir()) == []

# Settings

BAD_OPTIONS = {
    "stage 6": (("--stages", "6"), "1 to 5"), "stage 0": (("--stages", "0-2"), "1 to 5"), "stages in words": (("--stages", "all"), "1,2,3 or 1-3"), "stages twice": (("--stages", "1,1"), "rising order"),
    "stages backwards": (("--stages", "3-1"), "stage"), "no steps": (("--n-generator-steps", "-1"), "at least 0"), "one sample": (("--samples", "1"), "at least 2"), "no problems": (("--problems-per-step", "0"), "at least 1"),
    "reward": (("--reward", "kind"), "zero_sum"), "adapters": (("--adapters", "none"), "unified"), "order": (("--order", "x"), "uniform"), "device": (("--device", "foo"), "'foo' does not exist"),
    "prompts": (("--prompts", "x.json"), "plain, chat, tags"), "timeout": (("--timeout", "0"), "above 0"), "isolation": (("--isolation", "docker"), "process, seccomp, landlock, full"), "tracker": (("--trackers", "paper"), "wandb"), "a word for a number": (("--seed", "x"), "seed is 'x'; it must be a whole number"),
    "threads": (("--threads", "-1"), "--threads"), "unknown option": (("--sages", "1"), "--sages"), "resume and overwrite": (("--resume", "--overwrite"), "one of them"), "a NaN": (("--lr", "nan"), "--lr"),
    "folder below a file": (("--out", "problems.json/r"), "cannot be made"), "folder is a file": (("--out", "problems.json"), "cannot be made"),
}

@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_a_bad_option_is_refused_before_anything_is_written(here, case):
    args, words = BAD_OPTIONS[case]
    write(here, several(2))
    refused(call("train", *SMALL, "--problems", "problems.json", "--out", "r/s", *args), words)
    assert [o.name for o in here.iterdir()] == ["problems.json"]

def test_an_unknown_model_on_a_machine_without_the_hub(here):
    "Refused at once, not after a minute of attempts"
    write(here, several(2))
    env = {k: v for k, v in ENV.items() if "proxy" not in k.lower()} | {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(here / "hf")}
    start = time.monotonic()
    done = subprocess.run(program("train", "--model", "nobody/nothing", "--problems", "problems.json", "--out", "r"), capture_output=True, text=True, env=env, timeout=100)
    assert done.returncode == 2 and done.stdout == "" and "Traceback" not in done.stderr and not Path("r").exists()
    assert "cannot be reached" in done.stderr and "model 'nobody/nothing' cannot be loaded" in done.stderr and time.monotonic() - start < 40

def test_a_bug_keeps_its_traceback(monkeypatch):
    monkeypatch.setattr("chained_adv.problems.load_problems", lambda *_, **__: 1 / 0)
    r = call("problems", "builtin")
    assert isinstance(r.exception, ZeroDivisionError) and r.exit_code == 1

# Looking at what was trained

def test_show_with_a_run(run):
    r = call("show", "--run", run, "--json", "--device", "cpu")
    assert r.exit_code == 0, (r.stderr, r.exception)
    d = json.loads(r.stdout)
    assert [o["stage"] for o in d["stages"]] == [1, 2, 3, 4, 5] and len(d["baseline"]) == 2 and None not in (d["generator_reward"], d["discriminator_reward"])
    assert d["problem"] in [p["id"] for p in several()]
    assert all(t["outcome"] == "rejected" or t["valid"] in (True, False) for t in d["tests"])

def test_show_names_what_is_near(run): refused(call("show", "times_9", "--run", run), "no problem 'times_9'", "times_")

def test_before_training_with_the_settings_of_a_run(run):
    "`--like` and `--checkpoint stage_0` show the same; the bare model writes more than the four tokens of the run"
    shown = [json.loads(call("show", *args, "--json", "--device", "cpu").stdout)
             for args in (("--like", run), ("--like", run, "--model", "tiny"), ("--run", run, "--checkpoint", "stage_0"), ("--problems", run.parent / "problems.json"))]
    assert shown[0] == shown[1] == shown[2] and shown[3]["problem"] == "times_0"
    length = lambda o: len(o["stages"][0]["text"])
    assert 0 < length(shown[0]) < length(shown[3])

def test_solve_and_evaluate_like_a_run(run, here):
    solved = [call("solve", "times_3", *args, "--json", "--device", "cpu").stdout for args in (("--like", run), ("--run", run, "--checkpoint", "stage_0"))]
    texts = [json.loads(o)["stages"] for o in solved]
    assert texts[0] == texts[1]
    measured = json.loads(call("evaluate", "tiny", run / "checkpoints/stage_0", "--like", run, "--n-mutants", 0, "--device", "cpu", "--json").stdout)
    assert [o["solved"] for o in measured][0]["value"] == measured[1]["solved"]["value"] and measured[0]["validity"]["value"] == measured[1]["validity"]["value"]

@pytest.mark.parametrize("args, words", [(("show", "--like", "nowhere"), "--like nowhere: no run's config.json"), (("solve", "--like", "nowhere"), "--like nowhere")])
def test_like_refuses(here, args, words): refused(call(*args), words)

def test_like_is_for_models(run):
    refused(call("show", "--run", run, "--like", run), "leave out --like, or --run")
    refused(call("evaluate", run, "--like", run), "--like is for models")

def test_a_reward_of_ones_own(run, here):
    "A function in the current folder; its errors name file and line"
    Path("mine.py").write_text("def half(valid, baseline, timed_out):\n    return .5\n\ndef broken(valid, baseline, timed_out):\n    return valid[99]\n")
    r = call("show", "--like", run, "--reward", "mine:half", "--device", "cpu", "--json")
    assert r.exit_code == 0 and json.loads(r.stdout)["generator_reward"] == .5, r
    train = ["train", *SMALL, "--problems", run.parent / "problems.json", "--out", "own"]
    refused(call(*train, "--reward", "mine:broken"), "reward 'mine:broken' failed: IndexError: list index out of range, in ", "mine.py, line 5")
    refused(call(*train, "--reward", "mine:nothing"), "mine.py has no nothing")
    refused(call(*train, "--reward", "nowhere:nothing"), "nowhere cannot be imported")
    assert call(*train, "--overwrite", "--reward", "mine:half").exit_code == 0 and json.loads(Path("own/config.json").read_text())["settings"]["reward"] == "mine:half"

def test_list(run):
    found = json.loads(call("solve", "--run", run, "--list", "--json").stdout)
    assert sorted(o["id"] for o in found) == [f"times_{i}" for i in range(5)] and [o["split"] for o in found] == ["held_out"] + ["train"] * 4

def test_solve_fails_with_1_when_not_solved(run):
    r = call("solve", "times_3", "--run", run, "--checkpoint", "stage_0", "--device", "cpu")
    assert r.exit_code == 1 and "not solved: 0 of 2 baseline tests pass" in r.stdout and "--- stage 5, executable code" in r.stdout and "\x1b" not in r.stdout
    r = call("solve", "--problems", run.parent / "problems.json", "--run", run, "--candidates", 2, "--device", "cpu", "--json")
    assert r.exit_code == 1 and [d["problem"] for d in json.loads(r.stdout)] == [f"times_{i}" for i in range(5)]
    assert all(len(d["candidates"]) == 2 and sum(c["chosen"] for c in d["candidates"]) == 1 for d in json.loads(r.stdout))

def test_solve_ends_with_0_when_solved(monkeypatch, run):
    "With a generator that writes the right program"
    from chained_adv import models as m
    right = "def double(n):\n    return n * 3"
    sample = m.Player.sample
    def play(self, prompts, stage, *args, **kwargs):
        out = sample(self, prompts, stage, *args, **kwargs)
        for o in out: o.text = right if (self.role, stage) == ("generator", 5) else "(1, 3)\n(2, 7)" if self.role == "discriminator" else o.text
        return out
    monkeypatch.setattr(m.Player, "sample", play)
    r = call("solve", "times_3", "--run", run, "--device", "cpu")
    assert r.exit_code == 0 and "solved: 2 of 2 baseline tests pass; 1 of 2 generated tests are valid, and the program passes 1 of these" in r.stdout, r.stdout

@pytest.mark.parametrize("args, words", [(("--run", "nowhere"), "no such run folder"), (("--checkpoint", "stage_7"), "stage_7"), (("--candidates", "-1"), "candidates"), (("a", "b"), "takes no b")])
def test_solve_refuses(run, here, args, words): refused(call("solve", *(() if "--run" in args else ("--run", run)), *args), words)

def test_a_damaged_checkpoint_is_refused_by_name(run, here):
    import shutil
    shutil.copytree(run, here / "copy")
    file = next((here / "copy/checkpoints/stage_1").glob("*.safetensors"))
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    refused(call("solve", "--run", "copy", "--checkpoint", "stage_1"), file.name)
    (here / "copy/config.json").write_text("{")
    refused(call("solve", "--run", "copy"), "config.json cannot be read")

def test_checkpoints(run):
    found = json.loads(call("checkpoints", run, "--json").stdout)
    assert {"best", "stage_0", "stage_1"} == {o["name"] for o in found} and all(o["size"] > 1000 and not o["problem"] for o in found)
    text = call("checkpoints", run)
    assert text.exit_code == 0 and "stage_1" in text.stdout and "MB" in text.stdout
    refused(call("checkpoints", run / "plots"), "holds no checkpoint")

def test_evaluate_side_by_side(run):
    r = call("evaluate", run, run / "checkpoints/stage_0", "--limit", 1, "--n-mutants", 1, "--device", "cpu", "--json")
    assert r.exit_code == 0, (r.stderr, r.exception)
    a, b = json.loads(r.stdout)
    assert (a["name"], b["name"], a["n"]) == (str(run), str(run / "checkpoints/stage_0"), 1) and set(a["solved"]) == {"value", "low", "high"} and "solved_greedy" in b

def test_evaluate_leaves_out_what_another_run_trained_on(tmp_path):
    "Two seeds hold out different problems of one file"
    write(tmp_path, several(12))
    for seed in (0, 1): call("train", *SMALL, "--problems", tmp_path / "problems.json", "--seed", seed, "--out", tmp_path / f"r{seed}")
    r = call("evaluate", tmp_path / "r0", tmp_path / "r1", "--json", "--n-mutants", 0)
    sets = [[{p.id for p in o} for o in cli.problem_pool(str(tmp_path / f"r{i}"), "")] for i in (0, 1)]
    left = sets[0][1] - sets[1][0]
    assert left != sets[0][1]
    if left: assert f"{len(sets[0][1]) - len(left)} problems held out" in r.stderr and all(o["n"] == len(left) for o in json.loads(r.stdout))
    else: refused(r, "no problem is left")

def test_evaluate_measures_on_the_problems_of_the_run_wherever_it_stands(run):
    ids = lambda *targets: [p.id for p in cli.measured_problems("", tuple(map(str, targets)))]
    assert ids("tiny", run) == ids(run, "tiny") == ids(run) and set(ids(run)) <= {p["id"] for p in several()}
    assert len(ids("tiny")) == 200

def test_the_settings_of_a_run_say_where_its_problems_came_from(run, here):
    text = call("config", "--run", run).stdout
    first = text.splitlines()[0]
    assert first.startswith("#") and first.endswith(f"--problems {run.parent / 'problems.json'}")
    assert read_toml(write(here, text, "my.toml"))["problems_per_step"] == 2

def test_a_name_of_ours_is_no_folder(here):
    from chained_adv.cli import whole_path
    for o in ("tiny", "plain", "mine"): (here / o).mkdir()
    assert [whole_path(o) for o in ("", "tiny", "plain", "mine", "org/name")] == ["", "tiny", "plain", str(here / "mine"), "org/name"]

def test_the_tiny_problems_can_be_compared(here):
    r = call("problems", "leaks", "tiny", write(here, several()))
    assert r.exit_code == 0 and "no leaks" in r.stdout, r.stderr

def test_a_fuzzer_and_an_engine_do_not_go_together(here):
    refused(call("train", *SMALL, "--discriminator-model", "fuzz:8", "--engine", "vllm", "--out", "r"), "fuzz:8", "--engine local")
    refused(call("train", *SMALL, "--callbacks", "opponents:4:near", "--out", "r"), "opponents:4:near")

def test_evaluate_refuses(run): refused(call("evaluate", "no/such/model/at/all", "--limit", 1, "--problems", run.parent / "problems.json"), "cannot be loaded")

def test_doctor():
    r = call("doctor", "--json")
    d = json.loads(r.stdout)
    assert r.exit_code == 0 and d["ready"]
    facts = {o["name"]: o for o in d["facts"]}
    assert "self-test passed" in facts["sandbox"]["value"] and facts["tiny model"]["ok"] and facts["torch"]["value"][0].isdigit()
    assert "ready: `chained-adv train` can run" in call("doctor").stdout
    unwrapped = " ".join(call("doctor", "--help").stdout.split())
    assert "Not predicted: what experts of a mixture keep" in unwrapped

def test_doctor_predicts_what_a_model_takes(here):
    r = call("doctor", "--model", "tiny", "--dtype", "float32", "--rows", "16", "--tokens", "64", "--prompt", "64", "--device", "cpu", "--json")
    found = json.loads(r.stdout)
    assert r.exit_code == 0 and found["model"] == "tiny" and [o["microbatch_tokens"] for o in found["choices"]] == [1000, 64]
    assert all(.3 < o["gigabytes"] < 2 and o["dtype"] == "float32" and o["rows"] == 16 for o in found["choices"])
    r = call("doctor", "--model", "no/such/folder")
    assert r.exit_code == 2 and "no config that can be read" in r.stderr

def test_doctor_says_what_is_missing(monkeypatch, here):
    monkeypatch.setattr(loading, "TINY", here) # an installation without the model's files
    r = call("doctor")
    assert r.exit_code == 1 and "not ready" in r.stdout and "install the package again" in r.stdout

# Text that is not to be trusted

NASTY = "[bold red]x[/] [link=http://a]\x1b]0;title\x07\x1b[2J \u202e <b>&amp;"

@pytest.mark.parametrize("terminal", [True, False])
def test_what_models_write_is_shown_not_obeyed(monkeypatch, capsys, terminal):
    out = io.StringIO()
    for module in (cli, printing): monkeypatch.setattr(module, "make_console", lambda: Console(file=out, force_terminal=terminal, width=200, highlight=False, color_system="standard" if terminal else None))
    test = dict(test=NASTY, stage=1, passed=False, outcome="wrong_value", reason=NASTY, valid=True, guarded=True)
    cli.print_episode(dict(problem=NASTY, solved=True, description=NASTY, signature="def f(x):", stages=[dict(stage=i, name="x", text=NASTY, tests=NASTY) for i in range(1, 6)], tests=[test], baseline=[test]))
    text = out.getvalue() + capsys.readouterr().out
    assert text.count("[bold red]x[/] [link=http://a]") >= 11 and "\\x1b]0;title\\x07\\x1b[2J" in text and "\u202e" not in text
    assert "\x07" not in text and "\x1b[2J" not in text and "\x1b]" not in text and ("\x1b[" in text) == terminal

def test_solve_takes_a_problem_that_somebody_types():
    words = "solve", "Return x.", "--signature", "def f(x)", "--model", "tiny", "--json"
    r = call(*words, "--examples", "f(1) == 1; f('a') == 'a'", "--candidates", "2")
    found = json.loads(r.stdout)
    assert [t["test"] for t in found["baseline"]] == ["f(1) == 1", "f('a') == 'a'"] and found["signature"] == "def f(x):" and found["description"] == "Return x."
    assert len(found["candidates"]) == 2 and found["agreement"] in (.5, 1) and r.exit_code == (not found["solved"])
    r = call(*words, "--test-lists", "0")
    found = json.loads(r.stdout)
    assert found["solved"] is None and len(found["candidates"]) == 8 and r.exit_code == 0 # nothing says whether it is right
    tests = lambda *reasons: dict(tests=[dict(outcome="rejected", reason="no test"), *(dict(outcome="exception", reason=o) for o in reasons)])
    assert cli.cannot_run(tests("NameError: the code does not define `f`", "SyntaxError: '(' was never closed")) and not cli.cannot_run(tests())
    assert not cli.cannot_run(tests("NameError: the code does not define `f`", "ValueError: 3")) # a test that runs is somebody's opinion
    r = call("solve", "Return x.", "--signature", "def f(x)", "--model", "tiny", "--candidates", "1") # it writes `solve`, whatever the name
    assert r.exit_code == 1 and "not solved: the program passes 0 of" in r.stdout and "problems of its own world" in r.stdout
    refused(call(*words, "--examples", "g("), "baseline_tests")
    refused(call("solve", "--signature", "def f(x)"), "description")
