"""The warm start with models of other kinds than the tiny one: chat templates, prompts too long, adapters, a kill in the middle, the command line."""
import json, os, re, signal, subprocess, sys

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from chained_adv.core import ConfigError
from chained_adv.loading import load_base
from chained_adv.models import ModelConfig, Players
from chained_adv.sft import DataError, Example, encode_example, end_token, mean_loss, read_examples, warm_start
from calling import call

TEMPLATE = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<eot>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
STRICT = "{% for m in messages if m.role == 'tool' %}{{ raise_exception('no tools') }}{% endfor %}" + TEMPLATE

def make_model(folder, template=None, window=512, dtype=torch.float32, hidden=32):
    "A Qwen2 with random weights and a byte tokenizer, with two tokens that end an answer"
    torch.manual_seed(0)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tok = Tokenizer(models.BPE(vocab={o: i for i, o in enumerate(["<eos>", "<eot>", *alphabet])}, merges=[]))
    tok.pre_tokenizer, tok.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tok, eos_token="<eos>", additional_special_tokens=["<eot>"], chat_template=template).save_pretrained(folder)
    sizes = dict(hidden_size=hidden, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, intermediate_size=64, max_position_embeddings=window)
    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=2 + len(alphabet), tie_word_embeddings=True, eos_token_id=[0, 1], bos_token_id=None, **sizes))
    model.to(dtype).save_pretrained(folder)
    return str(folder)

def line(i, **more): return dict(messages=[dict(role="user", content=f"Add {i} to n."), dict(role="assistant", content=f"def f(n): return n + {i}")], **more)

def write(path, lines):
    path.write_text("".join(json.dumps(o) + "\n" for o in lines), encoding="utf-8")
    return path

@pytest.fixture
def data(tmp_path): return write(tmp_path / "data.jsonl", [line(i) for i in range(24)])

def test_a_random_model_learns_and_plays(tmp_path, data):
    record = warm_start(data, tmp_path / "out", make_model(tmp_path / "m"), lr=1e-2, epochs=5, device="cpu", progress=False)
    assert (record["lines"], record["held_out"], record["measured_on"]) == (22, 2, "held_out")
    assert record["loss_after"] < record["loss_before"] - 2
    assert Players(ModelConfig(model=str(tmp_path / "out"), device="cpu")).generator.prompts.name == "few_shot"

def test_same_seed_same_weights(tmp_path, data):
    model = make_model(tmp_path / "m")
    for o in "ab": warm_start(data, tmp_path / o, model, device="cpu", progress=False)
    warm_start(data, tmp_path / "c", model, device="cpu", progress=False, seed=1)
    a, b, c = ((tmp_path / o / "model.safetensors").read_bytes() for o in "abc")
    assert a == b != c

def test_precision_of_the_source_is_kept(tmp_path, data):
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        warm_start(data, tmp_path / f"out-{dtype}", make_model(tmp_path / f"m-{dtype}", dtype=dtype), device="cpu", progress=False)
        saved = json.loads((tmp_path / f"out-{dtype}" / "config.json").read_text())["dtype"]
        assert saved == str(dtype).removeprefix("torch.")

def test_adapters_are_merged_and_the_merged_model_is_the_learned_one(tmp_path, data):
    record = warm_start(data, tmp_path / "out", make_model(tmp_path / "m"), method="lora", lr=1e-2, epochs=3, device="cpu", held_out=0, progress=False)
    assert record["measured_on"] == "train" and record["loss_after"] < record["loss_before"]
    model, tok = load_base(str(tmp_path / "out"), "cpu")
    rows = [encode_example(tok, o, 0, 512)[0] for o in read_examples([data])]
    assert abs(mean_loss(model, rows) - record["loss_after"]) < 1e-3
    assert not list((tmp_path / "out").glob("*adapter*"))

def test_chat_models_learn_the_turn_as_their_template_writes_it(tmp_path):
    tok = load_base(make_model(tmp_path / "m", TEMPLATE), "cpu")[1]
    example = Example((dict(role="system", content="S"), dict(role="user", content="U")), "A", "", "")
    row, cut = encode_example(tok, example, end_token(tok, {0, 1}), 512)
    assert (tok.decode(row.ids), tok.decode(row.written), cut) == ("<|system|>S<eot><|user|>U<eot><|assistant|>A<eot>", "A<eot>", False)
    player = Players(ModelConfig(model=str(tmp_path / "m"), device="cpu")).generator
    assert row.ids[-1] in player.end_ids and player.prompts.name == "chat"
    asked = Example((dict(role="user", content="U"),), "A", "", "")
    assert player.encode(["U"], 8)[0] == encode_example(tok, asked, 1, 512)[0].ids[:-2] # without the answer: A and <eot>

def test_a_template_that_refuses_names_the_line(tmp_path):
    data = write(tmp_path / "d.jsonl", [line(1), dict(messages=[dict(role="tool", content="S"), *line(2)["messages"]])])
    with pytest.raises(DataError, match=r"d\.jsonl, line 2: the model's chat template refuses these messages: no tools"):
        warm_start(data, tmp_path / "out", make_model(tmp_path / "m", STRICT), device="cpu", progress=False)
    assert not (tmp_path / "out").exists()

def test_long_prompts_are_cut_and_long_answers_left_out(tmp_path):
    lines = [line(i) for i in range(4)] + [dict(prompt="x" * 300, completion="y"), dict(prompt="x", completion="y" * 300)]
    record = warm_start(write(tmp_path / "d.jsonl", lines), tmp_path / "out", make_model(tmp_path / "m", window=128), device="cpu", progress=False)
    assert (record["lines"], record["prompts_cut"], record["lines_left_out"]) == (5, 1, 1)
    with pytest.raises(ConfigError, match="none of the 6 answers fits"): warm_start(tmp_path / "d.jsonl", tmp_path / "other", str(tmp_path / "m"), max_tokens=1, device="cpu")

@pytest.mark.parametrize("text, words", [
    ('{"messages": "hello"}\n', "line 1: its messages must be a list"), ("[1, 2]\n", "line 1: is not a JSON object"), ('\n\n{"messages": []}\n', "line 3: its prompt: is empty"),
    ('{"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}, {"role": "assistant", "content": "a"}]}\n', "message 0 is not an object with the texts"),
    ('{"prompt": "a", "completion": null}\n', "its answer must be"), ('{"prompt": "a", "completion": []}\n', "its answer: is empty"), ("nan\n", "line 1: broken JSON"),
])
def test_bad_lines_are_named(tmp_path, text, words):
    (tmp_path / "d.jsonl").write_text(text)
    with pytest.raises(DataError) as e: read_examples([tmp_path / "d.jsonl"])
    assert words in str(e.value) and "d.jsonl" in str(e.value)

def test_all_faults_of_all_files_at_once(tmp_path):
    for name in "ab": write(tmp_path / f"{name}.jsonl", [line(1), {}, dict(text="x")])
    with pytest.raises(DataError) as e: read_examples([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert str(e.value).startswith("4 lines cannot be used") and "a.jsonl, line 2" in str(e.value) and "b.jsonl, line 3" in str(e.value)

def program(*args): return [sys.executable, "-c", "from chained_adv.cli import main; main()", *map(str, args)]

def test_a_kill_leaves_no_folder_with_that_name(tmp_path):
    data, model = write(tmp_path / "d.jsonl", [line(i) for i in range(200)]), make_model(tmp_path / "m")
    p = subprocess.Popen(program("warm-start", data, "--model", model, "--out", tmp_path / "out", "--epochs", "100000", "--device", "cpu"), stderr=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        said = b""
        while not re.search(rb"\b[1-9]\d*/\d+ \[", said) and p.poll() is None: said += p.stderr.read1() # until the bar shows that it learns
        p.send_signal(signal.SIGKILL)
    finally: p.kill(); p.wait()
    assert p.returncode == -signal.SIGKILL and not (tmp_path / "out").exists()

def test_the_command_says_what_it_did_and_never_overwrites(tmp_path, data):
    args = ("warm-start", data, "--model", make_model(tmp_path / "m"), "--out", tmp_path / "models/out", "--lr", "0.01", "--device", "cpu", "--json")
    r = call(*args)
    assert r.exit_code == 0, (r.stderr, r.exception)
    said = json.loads(r.stdout)
    assert said == {"out": str(tmp_path / "models/out"), **json.loads((tmp_path / "models/out/warm_start.json").read_text())}
    again = call(*args)
    assert again.exit_code == 2 and "not an empty folder" in again.stderr and not again.stdout
    assert [o.name for o in (tmp_path / "models").iterdir()] == ["out"]

@pytest.mark.parametrize("odd, kept", [(dict(temperature=.6), dict(temperature=.6, do_sample=True)), (dict(early_stopping=True), {}), (dict(output_scores=True), {})])
def test_a_model_with_odd_generation_settings_can_be_saved(tmp_path, data, odd, kept):
    make_model(tmp_path / "m")
    settings = tmp_path / "m" / "generation_config.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **odd}))
    ends = json.loads(settings.read_text())["eos_token_id"]
    r = call("warm-start", data, "--model", tmp_path / "m", "--out", tmp_path / "out", "--device", "cpu")
    assert r.exit_code == 0, (r.stderr, r.exception)
    made = json.loads((tmp_path / "out" / "generation_config.json").read_text())
    assert made["eos_token_id"] == ends and {k: made.get(k) for k in kept} == kept

def test_a_link_to_an_empty_folder_is_one_and_the_current_folder_is_refused(tmp_path, data, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path / "real")
    here = call("warm-start", data, "--model", make_model(tmp_path / "m"), "--out", ".", "--device", "cpu")
    assert here.exit_code == 2 and "current one" in here.stderr
    monkeypatch.chdir(tmp_path)
    assert call("warm-start", data, "--model", tmp_path / "m", "--out", "link", "--device", "cpu").exit_code == 0
    assert (tmp_path / "real" / "config.json").exists()

def test_half_a_character_is_refused_and_a_group_of_zero_is_a_group(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({**line(1), "group": 0}) + "\n" + json.dumps({**line(2), "group": 0}) + "\n")
    assert {o.group for o in read_examples([path])} == {"0"}
    path.write_text('{"prompt": "a \\ud83d b", "completion": "c"}\n')
    with pytest.raises(DataError, match="d.jsonl, line 1: .*surrogates"): read_examples([path])

def test_the_command_refuses_without_leaving_anything(tmp_path, data):
    write(tmp_path / "bad.jsonl", [line(1), dict(answer="x")])
    for args, words in ((("bad.jsonl",), "bad.jsonl, line 2"), (("nowhere.jsonl",), "cannot be read"), ((data.name, "--method", "qlora"), "choose one of"), ((data.name, "--model", "./nowhere"), "cannot be loaded")):
        r = call("warm-start", tmp_path / args[0], *args[1:], "--out", tmp_path / "models/out", "--device", "cpu")
        assert r.exit_code == 2 and words in r.stderr and "Traceback" not in r.stderr, r.stderr
        assert not (tmp_path / "models").exists()
