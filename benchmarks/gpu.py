"""What a GPU makes of sampling and updates: one table in five minutes, with random weights that are made on the device.

    python benchmarks/gpu.py [--models 0.5B 1.5B 7B 1.5B:4bit] [--rows 64] [--tokens 512] [--prompt 512] [--seconds 300]
    python benchmarks/gpu.py --vllm           also with vLLM, if it is installed; its start takes a minute or more a model
    python benchmarks/gpu.py --small          the same with small models, to rehearse it on a machine without a GPU

What random weights write is noise that never ends early, which is the largest load. Eight rows have the same prompt.
`of the bound`: each step must read all weights, and the keys and values of all rows, once; how fast memory is read is
measured in the same run, by copying. `generate` is that of transformers, without an adapter where the base has a second
model, with the prompt read anew. Peaks are the device's own count (on a CPU the largest resident set). Each part is run
once before it is measured, but for the update. A part that fails says so, and none begins when the seconds are over.
"""

import argparse, sys, tempfile, time, warnings
from pathlib import Path

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM
from chained_adv import models, ppo
from chained_adv.batches import update_inputs
from chained_adv.loading import TINY, load_tokenizer, pick_device

sys.path.insert(0, str(Path(__file__).resolve().parent))
from memory import begin, peak

GB = 1e9
WORDS = 151_936
SHAPES = {  # as Qwen2.5-Coder
    "0.5B": dict(hidden_size=896, intermediate_size=4864, num_hidden_layers=24, num_attention_heads=14, num_key_value_heads=2),
    "1.5B": dict(hidden_size=1536, intermediate_size=8960, num_hidden_layers=28, num_attention_heads=12, num_key_value_heads=2),
    "7B": dict(hidden_size=3584, intermediate_size=18944, num_hidden_layers=28, num_attention_heads=28, num_key_value_heads=4),
    "small": dict(hidden_size=128, intermediate_size=256, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2),
}  # fmt: skip
HEAD = ["model", "sampling, tokens/s", "of the bound", "ms a step", "peak GB", "generate, tokens/s", "update, tokens/s",
        "peak GB", "gap, nats"]  # fmt: skip
load_base = models.load_base


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def clock(device, run):
    "(result, seconds)"
    wait(device)
    start = time.perf_counter()
    out = run()
    wait(device)
    return out, time.perf_counter() - start


def bandwidth(device):
    "Bytes a second that a copy reads and writes, the best of five"
    n = 2**30 if device.type == "cuda" else 2**27
    source, target = (torch.empty(n, dtype=torch.uint8, device=device) for _ in range(2))
    return max(2 * n / clock(device, lambda: target.copy_(source))[1] for _ in range(5))


def config_of(shape):
    return Qwen2Config(
        **SHAPES[shape], vocab_size=2_048 if shape == "small" else WORDS, max_position_embeddings=4096,
        tie_word_embeddings=shape != "7B", bos_token_id=0, eos_token_id=1, architectures=["Qwen2ForCausalLM"])  # fmt: skip


def make_model(shape, device, dtype):
    "Random weights of a shape, made where they compute"
    torch.manual_seed(0)
    torch.set_default_dtype(dtype)
    try:
        with device:
            return Qwen2ForCausalLM(config_of(shape)).eval()
    finally:
        torch.set_default_dtype(torch.float32)


def make_player(shape, dtype, args, device):
    "A generator that never ends early; its prompts are numbers of texts"
    whole = make_model(shape, device, torch.bfloat16 if dtype == "4bit" else getattr(torch, dtype))
    settings = models.ModelConfig(
        model="random", dtype=dtype, device=str(device), adapters="unified", max_stage_tokens=args.tokens, max_rows=args.rows)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        if dtype == "4bit":  # packed while it is loaded
            whole.save_pretrained(folder)
            load_tokenizer(TINY).save_pretrained(folder)
            del whole
            made = load_base(folder, str(device), dtype)
        else:
            made = whole, load_tokenizer(TINY)
    models.load_base = lambda *_: made
    player = models.Players(settings).generator
    models.load_base = load_base
    player.end_ids = set()
    texts = make_texts(args)
    player.encode = lambda prompts, room: [texts[int(p)] for p in prompts]
    return player


def make_texts(args):
    "Prompts of random tokens"
    return torch.randint(5, 700, (args.rows, args.prompt), generator=torch.Generator().manual_seed(0)).tolist()


def cache_bytes(model):
    "Of the keys and values of a token"
    config = model.config.get_text_config()
    head = config.hidden_size // config.num_attention_heads
    return 2 * config.num_hidden_layers * config.num_key_value_heads * head * model.dtype.itemsize


def time_sampling(player, args, speed):
    "The answers, and cells of the table"
    model, prompts = player.base.model, [str(i // 8) for i in range(args.rows)]
    reader = player.reader()
    player.sample(prompts, 5, reader=reader)  # reads the prompts, records the graph
    begin()
    samples, seconds = clock(model.device, lambda: player.sample(prompts, 5, reader=reader))
    read = model.get_base_model().get_memory_footprint()
    read += args.rows * (args.prompt + args.tokens / 2) * cache_bytes(model)
    written = args.rows * args.tokens / seconds
    cells = [f"{written:.0f}", f"{written * read / args.rows / speed:.1%}", f"{1000 * seconds / args.tokens:.1f}", f"{peak() / GB:.1f}"]  # fmt: skip
    return samples, cells


@torch.no_grad()
def time_generate(player, args):
    "Cell of the table: at most 128 tokens"
    model, n = player.base.plain or player.base.model, min(args.tokens, 128)
    ids = torch.tensor(player.encode([str(i // 8) for i in range(args.rows)], n), device=model.device)
    how = dict(attention_mask=torch.ones_like(ids), do_sample=True, top_k=0, pad_token_id=0, eos_token_id=None)
    model.generate(input_ids=ids, max_new_tokens=2, **how)
    _, seconds = clock(model.device, lambda: model.generate(input_ids=ids, max_new_tokens=n, **how))
    return [f"{args.rows * n / seconds:.0f}"]


def time_vllm(shape, args, end):
    "A line about vLLM with random weights of a shape, in bfloat16 and in a process of its own, with graphs"
    try:
        if time.perf_counter() > end:
            raise TimeoutError("the seconds are over")
        import vllm
        with tempfile.TemporaryDirectory() as folder:
            config_of(shape).save_pretrained(folder)
            engine = vllm.LLM(
                folder, load_format="dummy", skip_tokenizer_init=True, dtype="bfloat16",
                max_model_len=args.prompt + args.tokens + 1, gpu_memory_utilization=0.6)  # fmt: skip
        texts = make_texts(args)
        prompts = [dict(prompt_token_ids=texts[i // 8]) for i in range(args.rows)]
        how = vllm.SamplingParams(max_tokens=args.tokens, ignore_eos=True, detokenize=False, logprobs=0)
        engine.generate(prompts, how, use_tqdm=False)
        start = time.perf_counter()
        engine.generate(prompts, how, use_tqdm=False)
        return f"{args.rows * args.tokens / (time.perf_counter() - start):.0f} tokens/s with vLLM {vllm.__version__}"
    except Exception as e:
        return f"vLLM: {type(e).__name__}: {str(e)[:200]}"


def time_update(player, samples, args):
    "Cells of the table: one update of the answers"
    n = len(samples)
    batch = ppo.Batch(
        [len(o.ids) for o in samples], [o.logprobs for o in samples], [i % 3 / 2 for i in range(n)],
        [i // 8 for i in range(n)])  # fmt: skip
    optimizer = ppo.create_optimizer(player.parameters(5).values(), 1e-5)
    config = ppo.PPOConfig(epochs=1, microbatch_tokens=args.micro)
    begin()
    inputs = update_inputs(player, samples, [5] * n, batch, optimizer, config, 1)
    stats, seconds = clock(player.base.model.device, lambda: ppo.train_step(**inputs | dict(corrected=True)))
    return [f"{sum(batch.lengths) / seconds:.0f}", f"{peak() / GB:.1f}", f"{stats['sampler_gap']:.1g}"]


def measure(name, args, device, speed, end):
    "A line of the table; what does not fit into the time or the memory is `-`, with a word about it"
    shape, _, dtype = name.partition(":")
    cells, samples = [], None
    parts = [(4, lambda: time_sampling(player, args, speed)), (1, lambda: time_generate(player, args)),
             (3, lambda: time_update(player, samples, args))]  # fmt: skip
    try:
        player = make_player(shape, dtype or ("bfloat16" if device.type == "cuda" else "float32"), args, device)
    except Exception as e:
        print(f"{name}: {type(e).__name__}: {str(e)[:200]}", file=sys.stderr)
        return [name] + ["-"] * 8
    for width, run in parts:
        try:
            if time.perf_counter() > end:
                raise TimeoutError("the seconds are over")
            found = run()
            if width == 4:
                samples, found = found
        except Exception as e:
            print(f"{name}: {type(e).__name__}: {str(e)[:200]}", file=sys.stderr)
            found = ["-"] * width
        cells += found
    return [name, *cells]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="small models, a few tokens")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--models", nargs="+", help="a shape, or shape:dtype")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--tokens", type=int, default=0)
    parser.add_argument("--prompt", type=int, default=0)
    parser.add_argument("--micro", type=int, default=4_096, help="tokens of a pass of the update")
    parser.add_argument("--vllm", action="store_true", help="measure vLLM, too")
    parser.add_argument("--seconds", type=float, default=300, help="after these no part begins")
    args = parser.parse_args()
    end = time.perf_counter() + args.seconds
    warnings.simplefilter("ignore")
    device = pick_device(args.device)
    if device.type == "cpu":
        torch.set_num_threads(1)
    if device.type == "cpu" and not args.small:
        sys.exit("there is no GPU here; add --small to try the script on small models")
    args.rows = args.rows or (8 if args.small else 64)
    args.tokens = args.tokens or (16 if args.small else 512)
    args.prompt = args.prompt or (32 if args.small else 512)
    speed = bandwidth(device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    print(f"{name}, {speed / GB:.0f} GB/s read and written by a copy; {args.rows} rows of {args.tokens} tokens "
          f"behind {args.prompt}, {args.micro} tokens a pass")  # fmt: skip
    print(f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|", sep="\n")
    names = args.models or (["small", "small:bfloat16", "small:4bit"] if args.small else ["0.5B", "1.5B", "7B", "1.5B:4bit"])
    for model in names:
        print(f"| {' | '.join(measure(model, args, device, speed, end))} |", flush=True)
        if device.type == "cuda":
            torch.cuda.empty_cache()
    for shape in dict.fromkeys(o.partition(":")[0] for o in names) if args.vllm else ():
        print(f"{shape}: {time_vllm(shape, args, end)}", flush=True)


if __name__ == "__main__":
    main()
