"The benchmark for GPUs, rehearsed with a small model on a CPU: a whole table, and one whose time is over."
import ast, re, sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import gpu  # noqa: E402


def table(capsys, monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["gpu.py", "--small", "--device", "cpu", *words])
    gpu.main()
    out, err = capsys.readouterr()
    return [[o.strip() for o in line.strip("| ").split("|")] for line in out.splitlines() if line.startswith("| ")], err


def test_a_table_of_a_small_model(capsys, monkeypatch):
    (head, *lines), err = table(capsys, monkeypatch, "--models", "small", "small:bfloat16")
    assert head == gpu.HEAD and [o[0] for o in lines] == ["small", "small:bfloat16"]
    assert all(len(o) == len(head) and "-" not in o for o in lines) and "Error" not in err
    for line in lines: assert all(float(line[i]) > 0 for i in (1, 3, 4, 5, 6, 7))
    assert float(lines[0][8]) < 1e-5 and gpu.models.load_base is gpu.load_base


def test_no_part_begins_when_the_time_is_over_and_what_fails_says_so(capsys, monkeypatch):
    (_, *lines), err = table(capsys, monkeypatch, "--models", "small", "small:int4", "--seconds", "0")
    assert lines == [["small"] + ["-"] * 8, ["small:int4"] + ["-"] * 8]
    assert err.count("small: TimeoutError: the seconds are over") == 3 and "small:int4: " in err


def test_vllm_is_measured_where_it_is(capsys, monkeypatch):
    "A stand-in writes what it is asked for; without one, the line says so, after a whole table"
    class Engine:
        def __init__(self, folder, **how):
            self.config = gpu.Qwen2Config.from_pretrained(folder)
            assert how["load_format"] == "dummy" and how["max_model_len"] == 32 + 16 + 1
        def generate(self, prompts, how, use_tqdm):
            assert self.config.architectures == ["Qwen2ForCausalLM"] and self.config.vocab_size == 2_048
            assert [o["prompt_token_ids"] for o in prompts] == gpu.make_texts(SimpleNamespace(rows=16, prompt=32))[:1] * 8 + gpu.make_texts(
                SimpleNamespace(rows=16, prompt=32))[1:2] * 8 and how["max_tokens"] == 16
    said = []
    for module, seconds in (SimpleNamespace(LLM=Engine, SamplingParams=dict, __version__="0"), "300"), (None, "300"), (None, "0"):
        monkeypatch.setitem(sys.modules, "vllm", module)
        monkeypatch.setattr(sys, "argv", ["gpu.py", "--small", "--device", "cpu", "--models", "small", "--rows", "16", "--seconds", seconds, "--vllm"])
        gpu.main()
        said.append(capsys.readouterr().out.splitlines()[-1])
    assert said[0].startswith("small: ") and said[0].endswith("tokens/s with vLLM 0") and "ModuleNotFoundError" in said[1] and "TimeoutError" in said[2]


def of_a_gpu(node):
    "True for what asks torch about a GPU, or compares with `cuda`"
    if isinstance(node, ast.Attribute): return ast.unparse(node).startswith("torch.cuda.")
    return isinstance(node, ast.Constant) and node.value == "cuda"


def test_what_only_a_gpu_runs_is_named():
    root, found = Path(__file__).parents[1], set()
    for path in (root / "chained_adv").glob("[a-z]*.py"):
        for f in (o for o in ast.walk(ast.parse(path.read_text())) if isinstance(o, ast.FunctionDef)):
            if any(of_a_gpu(o) for part in f.body for o in ast.walk(part)): found.add(f.name)
    section = (root / "CONTRIBUTING.md").read_text().split("## What only a GPU runs")[1].split("\n## ")[0]
    named = [row.split("|")[2] for row in section.splitlines() if row.startswith("|")]
    assert found == set(re.findall(r"`(\w+)`", "".join(named)))
