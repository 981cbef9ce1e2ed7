"""GGUF files, written here with the package `gguf` from a small model and its tokenizer, load like the model itself."""
import json

import pytest, torch
gguf = pytest.importorskip("gguf", reason="pip install 'chained_adv[gguf]'")
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

from chained_adv.cli import check_target
from chained_adv.core import ConfigError
from chained_adv.doctor import fitting_table
from chained_adv.loading import TINY, load_base
from chained_adv.models import ModelConfig, Players
from chained_adv.sft import warm_start

SMALL = dict(vocab_size=768, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=512, eos_token_id=1, bos_token_id=1)
NAMES = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
         "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}

def small_model(arch):
    torch.manual_seed(0)
    if arch == "qwen2": return Qwen2ForCausalLM(Qwen2Config(**SMALL)).eval()
    return LlamaForCausalLM(LlamaConfig(**SMALL)).eval()

def gguf_name(name):
    "The tensor's name in a GGUF file"
    fixed = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
             "lm_head.weight": "output.weight"}
    if name in fixed: return fixed[name]
    _, _, layer, rest = name.split(".", 3)
    module, _, kind = rest.rpartition(".")
    return f"blk.{layer}.{NAMES[module]}.{kind}"

def rotary(w, heads):
    "Llama's order of query and key rows in GGUF files (llama.cpp's convert_hf_to_gguf)"
    return w.reshape(heads, 2, len(w) // heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)

def write_gguf(path, model, arch, kind=None):
    "A model with the tiny model's tokenizer as one GGUF file; `kind` quantises what is wide enough"
    c, w = model.config, gguf.GGUFWriter(str(path), arch)
    w.add_context_length(c.max_position_embeddings)
    w.add_embedding_length(c.hidden_size)
    w.add_block_count(c.num_hidden_layers)
    w.add_feed_forward_length(c.intermediate_size)
    w.add_head_count(c.num_attention_heads)
    w.add_head_count_kv(c.num_key_value_heads)
    w.add_layer_norm_rms_eps(c.rms_norm_eps)
    w.add_rope_freq_base(c.rope_parameters["rope_theta"])
    w.add_vocab_size(c.vocab_size)
    tokenizer = json.loads((TINY / "tokenizer.json").read_text())
    vocab, special = tokenizer["model"]["vocab"], {o["id"]: o["content"] for o in tokenizer["added_tokens"]}
    tokens = sorted({**{i: t for t, i in vocab.items()}, **special}.items())
    w.add_tokenizer_model("gpt2")
    w.add_token_list([t for _, t in tokens])
    w.add_token_types([gguf.TokenType.CONTROL if i in special else gguf.TokenType.NORMAL for i, _ in tokens])
    w.add_token_merges([" ".join(o) if isinstance(o, list) else o for o in tokenizer["model"]["merges"]])
    w.add_eos_token_id(1)
    w.add_pad_token_id(0)
    for name, p in model.state_dict().items():
        if name == "lm_head.weight" and c.tie_word_embeddings: continue
        a = p.detach().float().numpy()
        if arch == "llama" and "q_proj" in name: a = rotary(a, c.num_attention_heads)
        if arch == "llama" and "k_proj" in name: a = rotary(a, c.num_key_value_heads)
        if kind and a.ndim == 2 and a.shape[1] % 32 == 0:
            w.add_tensor(gguf_name(name), gguf.quants.quantize(a, kind), raw_dtype=kind)
        else: w.add_tensor(gguf_name(name), a.copy())
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    return path

IDS = torch.tensor([[5, 9, 33, 40, 41, 42, 77]])

def logits(model):
    with torch.no_grad(): return model(input_ids=IDS).logits.log_softmax(-1)

@pytest.mark.parametrize("arch", ["qwen2", "llama"])
def test_a_file_is_its_model(tmp_path, arch):
    model = small_model(arch)
    path = write_gguf(tmp_path / "small.gguf", model, arch)
    loaded, tokenizer = load_base(str(path), "cpu")
    assert (logits(loaded) - logits(model)).abs().max() < 1e-5
    assert loaded.dtype == torch.float32 and type(loaded).__name__ == type(model).__name__
    assert tokenizer.eos_token_id == 1

@pytest.mark.parametrize("kind, limit", [("Q8_0", .02), ("Q4_0", .3)])
def test_quantised_blocks_become_plain_weights(tmp_path, kind, limit):
    model = small_model("qwen2")
    kind = getattr(gguf.GGMLQuantizationType, kind)
    loaded, _ = load_base(str(write_gguf(tmp_path / "small.gguf", model, "qwen2", kind)), "cpu")
    gap = (logits(loaded) - logits(model)).abs().mean()
    assert 1e-5 < gap < limit
    assert all(p.is_floating_point() for p in loaded.parameters())

def test_a_folder_with_one_file(tmp_path):
    model = small_model("qwen2")
    write_gguf(tmp_path / "small.gguf", model, "qwen2")
    assert (logits(load_base(str(tmp_path), "cpu")[0]) - logits(model)).abs().max() < 1e-5

def test_its_memory_is_predicted_like_its_models(tmp_path):
    "From the config in the file, which is not packed again"
    model = small_model("qwen2")
    path, sizes = write_gguf(tmp_path / "small.gguf", model, "qwen2"), dict(tokens=16, prompt=16, device="cpu")
    model.save_pretrained(tmp_path / "whole")
    expected = fitting_table(str(tmp_path / "whole"), "auto", **sizes)
    for name in (path, tmp_path): assert fitting_table(str(name), **sizes) == expected
    with pytest.raises(ConfigError, match="not quantised a second time"): fitting_table(str(path), "4bit", **sizes)
    path.write_bytes(b"GGUF but no more")
    with pytest.raises(ConfigError, match="no config that can be read: its GGUF file"): fitting_table(str(path), **sizes)

@pytest.mark.parametrize("lora", [False, True])
def test_a_warm_start_and_an_evaluation_take_it(tmp_path, lora):
    path = write_gguf(tmp_path / "small.gguf", small_model("qwen2"), "qwen2")
    check_target(str(path), "best")
    (tmp_path / "data.jsonl").write_text('{"prompt": "2 + 2 =", "completion": " 4"}\n' * 4)
    warm_start(str(tmp_path / "data.jsonl"), str(tmp_path / "out"), str(path), "lora" if lora else "full", device="cpu", held_out=0., progress=False)
    check_target(str(tmp_path / "out"), "best")

def test_refusals(tmp_path):
    with pytest.raises(ConfigError, match="no such file"): load_base(str(tmp_path / "none.gguf"), "cpu")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF but no more")
    with pytest.raises(ConfigError, match="cannot be loaded"): load_base(str(tmp_path / "broken.gguf"), "cpu")
    (tmp_path / "second.gguf").write_bytes(b"")
    with pytest.raises(ConfigError, match="name one of its files"): load_base(str(tmp_path), "cpu")

def test_the_tokenizer_and_the_players(tmp_path):
    "The tiny model itself as a file: the same tokens, players that sample, an adapter on every linear layer"
    model, own = load_base("tiny", "cpu")
    path = write_gguf(tmp_path / "tiny.gguf", model, "qwen2")
    players = Players(ModelConfig(model=str(path), device="cpu", max_stage_tokens=16))
    g = players.generator
    text = "def add(n):\n    return n + 1<end>"
    assert g.base.tokenizer.decode(g.base.tokenizer(text).input_ids) == text
    assert g.prompts.name == "tags" and g.end_ids == {1}
    assert (logits(g.base.plain) - logits(model)).abs().max() < 1e-5
    samples = g.sample(["def add(n):<s1>"], 1)
    ours, _, mask = g.logprobs(samples, 1)
    assert (ours[mask].detach() - torch.tensor(samples[0].logprobs)).abs().max() < 1e-4
    g.base.plain.save_pretrained(tmp_path / "saved") # as `sft` and `export` do
    assert (logits(load_base_of(tmp_path / "saved", own)) - logits(model)).abs().max() < 1e-5

def load_base_of(folder, tokenizer):
    tokenizer.save_pretrained(folder)
    return load_base(str(folder), "cpu")[0]
