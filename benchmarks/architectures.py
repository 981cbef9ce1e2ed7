"""Which causal language models are sampled and trained exactly? A table over many architectures.

    python benchmarks/architectures.py [NAME ...] [--markdown]

Each model is small and has random weights (large ones, so that a wrong mask shows). It is saved with the
tokenizer of the shipped model and loaded as a user's model would be, with its check at load. Then four ways to
the log-probabilities of some tokens are compared, for each kind of attention where a model has them: the
sampler, the trainer behind a reader, the trainer alone, and a plain forward pass of transformers; and, with an
adapter that has moved, the sampler (from merged weights, and unmerged) and the trainer. `grouped_sdpa` is the
attention that our own models have. Windows are four tokens
wide meanwhile. A number is the mean difference of a token's log-probability, in nats. The last column is the
largest of the same differences of a model loaded with `dtype="4bit"`, as users load it (bitsandbytes on a CPU,
models twice as wide, because its blocks hold 64 numbers); it is never merged.
"""

import argparse, tempfile, warnings
from importlib.util import find_spec
from pathlib import Path
import torch, transformers
from transformers import AutoConfig, AutoModelForCausalLM
from chained_adv.core import ConfigError
from chained_adv.loading import TINY, load_tokenizer, quietly
from chained_adv.models import Base, ModelConfig, activate, adapter_parameters, reading_model, sampling_model
from chained_adv.scoring import path_gap

SIZES = dict(
    vocab_size=768,
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=4,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=8,
    max_position_embeddings=256,
    bos_token_id=0,
    eos_token_id=1,
    pad_token_id=0,
)
GPT = dict(vocab_size=768, n_embd=32, n_layer=3, n_head=4, n_positions=256, bos_token_id=0, eos_token_id=1)
EXPERTS = dict(
    num_experts=4,
    num_local_experts=4,
    n_routed_experts=4,
    num_experts_per_tok=2,
    moe_intermediate_size=16,
    decoder_sparse_step=1,
)
MIXED = ["sliding_attention", "full_attention"] * 2
LATENT = dict(
    q_lora_rank=16,
    kv_lora_rank=16,
    qk_rope_head_dim=8,
    qk_nope_head_dim=8,
    v_head_dim=8,
    n_shared_experts=1,
    n_group=1,
    topk_group=1,
    first_k_dense_replace=1,
    head_dim=8,
    num_key_value_heads=4,
)

# Name -> model type of transformers and what its configuration differs in (`...`: without that entry)
ARCHITECTURES = {
    "Qwen2": ("qwen2", {}),
    "Qwen2, windows": ("qwen2", dict(use_sliding_window=True, sliding_window=64, layer_types=MIXED)),
    "Qwen2-MoE": ("qwen2_moe", EXPERTS),
    "Qwen3": ("qwen3", {}),
    "Qwen3-MoE": ("qwen3_moe", EXPERTS),
    "Qwen3-Next": ("qwen3_next", EXPERTS),
    "Llama": ("llama", {}),
    "Llama 4 (text)": (
        "llama4_text",
        dict(
            EXPERTS,
            attention_chunk_size=64,
            intermediate_size_mlp=48,
            layer_types=["chunked_attention", "full_attention"] * 2,
        ),
    ),
    "Mistral": ("mistral", dict(sliding_window=None)),
    "Mistral, windows": ("mistral", dict(sliding_window=64)),
    "Ministral": ("ministral", dict(sliding_window=64, layer_types=MIXED)),
    "Mixtral": ("mixtral", EXPERTS),
    "Gemma": ("gemma", {}),
    "Gemma 2": ("gemma2", dict(sliding_window=64)),
    "Gemma 3 (text)": ("gemma3_text", dict(sliding_window=64, layer_types=MIXED)),
    "Gemma 3n (text)": (
        "gemma3n_text",
        dict(
            sliding_window=64,
            layer_types=MIXED,
            num_kv_shared_layers=0,
            hidden_size_per_layer_input=8,
            vocab_size_per_layer_input=768,
            laurel_rank=8,
            activation_sparsity_pattern=[0.0] * 4,
        ),
    ),
    "Phi": ("phi", {}),
    "Phi 3": ("phi3", dict(sliding_window=None)),
    "Phi 3, windows": ("phi3", dict(sliding_window=64)),
    "Phi-MoE": ("phimoe", dict(EXPERTS, sliding_window=None)),
    "OLMo": ("olmo", {}),
    "OLMo 2": ("olmo2", {}),
    "OLMo 3": ("olmo3", dict(sliding_window=64, layer_types=MIXED)),
    "OLMoE": ("olmoe", EXPERTS),
    "GPT-2": ("gpt2", GPT),
    "GPT-BigCode": ("gpt_bigcode", GPT),
    "GPT-J": ("gptj", dict(GPT, rotary_dim=4)),
    "GPT-Neo": (
        "gpt_neo",
        dict(num_layers=4, num_heads=4, attention_types=[[["global", "local"], 2]], window_size=4),
    ),
    "GPT-NeoX": ("gpt_neox", {}),
    "GPT-OSS": ("gpt_oss", dict(EXPERTS, sliding_window=64, layer_types=MIXED)),
    "CodeGen": ("codegen", dict(GPT, rotary_dim=4)),
    "StarCoder 2": ("starcoder2", dict(sliding_window=None)),
    "StarCoder 2, windows": ("starcoder2", dict(sliding_window=64)),
    "StableLM": ("stablelm", {}),
    "Falcon": ("falcon", dict(alibi=False, head_dim=...)),
    "Falcon, ALiBi": ("falcon", dict(alibi=True, head_dim=...)),
    "Bloom": ("bloom", dict(n_layer=3, n_head=4)),
    "MPT": ("mpt", dict(d_model=32, n_heads=4, n_layers=3, expansion_ratio=2)),
    "OPT": ("opt", dict(ffn_dim=48, word_embed_proj_dim=32)),
    "Cohere": ("cohere", {}),
    "Cohere 2": ("cohere2", dict(sliding_window=64, layer_types=MIXED)),
    "Granite": ("granite", {}),
    "Granite-MoE": ("granitemoe", EXPERTS),
    "SmolLM 3": ("smollm3", {}),
    "GLM": ("glm", {}),
    "GLM 4": ("glm4", {}),
    "GLM 4-MoE": ("glm4_moe", dict(EXPERTS, first_k_dense_replace=1)),
    "DeepSeek-V2": ("deepseek_v2", dict(EXPERTS, **LATENT)),
    "DeepSeek-V3": ("deepseek_v3", dict(EXPERTS, **LATENT)),
    "Exaone 4": ("exaone4", dict(sliding_window=64, layer_types=MIXED)),
    "Seed-OSS": ("seed_oss", {}),
    "Hunyuan": ("hunyuan_v1_dense", {}),
    "ERNIE 4.5": ("ernie4_5", {}),
    "Nemotron": ("nemotron", {}),
    "Persimmon": ("persimmon", {}),
    "Helium": ("helium", {}),
    "Apertus": ("apertus", {}),
    "Arcee": ("arcee", {}),
    "LFM 2": ("lfm2", dict(layer_types=["conv", "full_attention"] * 2)),
    "Mamba": ("mamba", {}),
    "Mamba 2": ("mamba2", dict(num_heads=8, head_dim=8, expand=2, n_groups=1)),
    "Falcon-H1": ("falcon_h1", dict(mamba_d_ssm=64, mamba_n_heads=8, mamba_d_head=8)),
    "RecurrentGemma": ("recurrent_gemma", dict(attention_window_size=4)),
}


WIDER = {8: 16, 16: 64, 32: 64, 48: 128}
WIDTHS = (
    "hidden_size n_embd d_model intermediate_size moe_intermediate_size intermediate_size_mlp ffn_dim "
    "word_embed_proj_dim head_dim qk_rope_head_dim qk_nope_head_dim v_head_dim q_lora_rank kv_lora_rank"
).split()


def make_model(name, wide=False):
    "A small model of an architecture, with random weights that are large enough for errors to show"
    kind, differs = ARCHITECTURES[name]
    sizes = {k: v for k, v in {**SIZES, **differs}.items() if v is not ...}
    if wide:
        sizes |= {k: WIDER.get(sizes[k], sizes[k]) for k in WIDTHS if k in sizes}
    config = AutoConfig.for_model(kind, **sizes)
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config).float().eval()
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                p.normal_(std=0.15)
    return model


def save_model(name, folder, wide=False):
    "Write a model and the shipped tokenizer to a folder"
    make_model(name, wide).save_pretrained(folder)
    load_tokenizer(TINY).save_pretrained(folder)
    return str(folder)


def set_attention(base, how):
    "Let all copies of a base attend in one way"
    copies = [base.model.get_base_model(), base.plain, base.merged]
    for m in copies:
        m.set_attn_implementation(how)


def gap_of(base, same):
    "Gap between reading, sampling and training; with `same` also to a plain forward pass"
    return path_gap(reading_model(base), sampling_model(base, "one"), activate(base, "one"), same)


def move(base, std):
    "Give the adapter's second matrices random numbers; 0 makes it fresh again"
    with torch.no_grad():
        for n, p in adapter_parameters(base, "one").items():
            if "lora_B" in n:
                p.normal_(std=std)


def measure(base):
    "Gap of all ways with fresh adapters; of the sampler and the trainer with a moved one, merged and unmerged"
    gaps = [gap_of(base, True)]
    move(base, 0.1)
    gaps.append(gap_of(base, False))
    merged, base.merged = base.merged, None
    gaps.append(gap_of(base, False))
    base.merged = merged
    move(base, 0)
    return gaps


def try_architecture(name, folder):
    "Attention -> gaps; or the sentence with which the model is refused"
    try:
        base = Base(save_model(name, folder), ModelConfig(device="cpu", lora_rank=4), ["one"])
    except ConfigError as e:
        return str(e).replace(str(folder), name)
    loaded = base.plain.config._attn_implementation
    found = {loaded: measure(base)}
    for other in ["sdpa", "eager"]:
        if other == loaded:
            continue
        try:
            set_attention(base, other)
        except ValueError:
            continue
        found[other] = measure(base)
    return found


def try_4bit(name, folder):
    "Largest gap of a model that is loaded in 4 bits, with a fresh and a moved adapter; or why there is none"
    config = ModelConfig(device="cpu", dtype="4bit", lora_rank=4)
    try:
        base = Base(save_model(name, folder, wide=True), config, ["one"])
    except ConfigError as e:
        return str(e).replace(str(folder), name)
    gaps = [gap_of(base, True)]
    move(base, 0.1)
    return f"{max(*gaps, gap_of(base, False)):.0e}"


def line(name, attention, cells, markdown):
    "A line of the table"
    if markdown:
        return f"| {name} | {attention} | " + " | ".join(cells) + " |"
    return f"{name:22} {attention:6} " + "  ".join(f"{c:>8}" for c in cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="architectures; all without")
    parser.add_argument("--markdown", action="store_true", help="print a table for RESULTS.md")
    args = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    warnings.filterwarnings("ignore")
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, float32")
    print(
        line("architecture", "", ["fresh", "merged", "unmerged", "4 bits"], args.markdown)
    )
    if args.markdown:
        print("|---|---|---|---|---|---|")
    exact, notes = 0, []
    for name in args.names or ARCHITECTURES:
        with tempfile.TemporaryDirectory() as folder, quietly():
            found = try_architecture(name, Path(folder))
        if isinstance(found, str):
            print(f"| {name} | {found} | | | | |" if args.markdown else f"{name:22} {found}", flush=True)
            continue
        bits = "-"
        if find_spec("bitsandbytes"):
            with tempfile.TemporaryDirectory() as folder, quietly():
                bits = try_4bit(name, Path(folder))
        if not bits[0].isdigit() and bits != "-":
            notes.append(f"{name}: {bits}")
            bits = "refused"
        exact += all(gap < 1e-5 for gaps in found.values() for gap in gaps)
        for attention, gaps in sorted(found.items()):
            print(
                line(
                    name, attention, [*(f"{o:.0e}" for o in gaps), bits], args.markdown
                ),
                flush=True,
            )
    total = len(args.names or ARCHITECTURES)
    print("", *notes, f"{exact} of {total} are exact", sep="\n")


if __name__ == "__main__":
    main()
