"""Line 8 of what a GPU must show: a model of the shape of Qwen2.5-Coder-1.5B with random weights, 4 bits, 64 rows of
512 new tokens; a pipeline of 2 + 2 + 2 steps; the path of a T4 in float16.

python benchmarks/gpu.py [--dtype 4bit] [--rows 64] [--tokens 512] [--prompt 512] [--parts sample update pipeline half]
python benchmarks/gpu.py --small          the same with a small model, for a machine without a GPU

The weights are random, so nothing is downloaded; what is sampled is noise that never ends early, which is the
largest load. Printed are gigabytes at the peak (the device's own count; on a CPU the largest resident set),
tokens per second while decoding, and their share of what the memory's bandwidth allows: each step must read all
weights and the keys and values of all rows once. The bandwidth is measured in the same run, by copying.
"""

import argparse, sys, tempfile, time, warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from memory import begin, peak

GB = 1e9
SHAPES = {
    "1.5B": dict(
        vocab_size=151_936, hidden_size=1536, intermediate_size=8960, num_hidden_layers=28,
        num_attention_heads=12, num_key_value_heads=2),
    "small": dict(
        vocab_size=2_048, hidden_size=128, intermediate_size=256, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=2),
}


def write_model(shape, folder, device):
    "Random weights of a shape, made on the device, with the shipped tokenizer"
    from transformers import Qwen2Config, Qwen2ForCausalLM
    from chained_adv.loading import TINY, load_tokenizer

    torch.manual_seed(0)
    config = Qwen2Config(
        **SHAPES[shape], max_position_embeddings=4096, tie_word_embeddings=True, bos_token_id=0, eos_token_id=1)
    half = shape == "1.5B"
    torch.set_default_dtype(torch.bfloat16 if half else torch.float32)
    with device:
        model = Qwen2ForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    model.save_pretrained(folder)
    load_tokenizer(TINY).save_pretrained(folder)
    return sum(p.numel() for p in model.parameters())


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def bandwidth(device):
    "Bytes a second that a copy reads and writes, the best of five"
    n = 2**30 if device.type == "cuda" else 2**27
    source, target = (torch.empty(n, dtype=torch.uint8, device=device) for _ in range(2))
    best = 0.0
    for _ in range(5):
        wait(device)
        start = time.perf_counter()
        target.copy_(source)
        wait(device)
        best = max(best, 2 * n / (time.perf_counter() - start))
    return best


def make_player(folder, args, dtype):
    "A generator that never ends early, and prompts of a fixed length, eight rows for each"
    from chained_adv import models

    settings = models.ModelConfig(
        model=folder, dtype=dtype, device=args.device, adapters="unified", max_stage_tokens=args.tokens,
        max_rows=args.rows)
    player = models.Players(settings).generator
    player.end_ids = set()
    source = torch.Generator().manual_seed(0)
    groups = torch.randint(5, 700, (args.rows, args.prompt), generator=source).tolist()
    player.encode = lambda prompts, room: [groups[int(p)] for p in prompts]
    return player


def cache_bytes(player):
    "Of the keys and values of a token"
    config = player.base.model.config.get_text_config()
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return 2 * config.num_hidden_layers * config.num_key_value_heads * head * player.base.model.dtype.itemsize


def show_sampling(player, args, speed, name="sample"):
    "Sample; tokens a second against the bound"
    device = player.base.model.device
    prompts = [str(i // 8) for i in range(args.rows)]
    reader = player.reader()
    reader.read([tuple(p[:-1]) for p in player.encode(prompts, args.tokens)])
    player.sample(prompts[:8], 5, reader=reader) # a warm-up: kernels are chosen at the first call
    begin()
    wait(device)
    start = time.perf_counter()
    samples = player.sample(prompts, 5, reader=reader)
    wait(device)
    seconds = time.perf_counter() - start
    written = sum(len(o.ids) for o in samples) / seconds
    weights = player.base.model.get_base_model().get_memory_footprint()
    read = weights + args.rows * (args.prompt + args.tokens / 2) * cache_bytes(player)
    bound = args.rows * speed / read
    print(
        f"{name:9} {args.rows} x {args.tokens}: peak {peak() / GB:.2f} GB, {written:.0f} tokens/s, "
        f"{written / bound:.1%} of the bound ({bound:.0f}), {seconds:.1f} s")
    return samples


def show_update(player, samples, name="update"):
    "One update of the sampled answers"
    from chained_adv import ppo
    from chained_adv.batches import update_inputs

    model, n = player.base.model, len(samples)
    batch = ppo.Batch(
        [len(o.ids) for o in samples], [o.logprobs for o in samples], [i % 3 / 2 for i in range(n)],
        [i // 8 for i in range(n)])
    optimizer = ppo.create_optimizer(player.parameters(5).values(), 1e-5)
    begin()
    start = time.perf_counter()
    inputs = update_inputs(player, samples, [5] * n, batch, optimizer, ppo.PPOConfig(epochs=1), 1)
    config = inputs["config"]
    stats = ppo.train_step(**inputs | dict(corrected=True))
    wait(model.device)
    seconds = time.perf_counter() - start
    print(
        f"{name:9} peak {peak() / GB:.2f} GB, {sum(batch.lengths) / seconds:.0f} tokens/s, "
        f"{config.microbatch_tokens} tokens a pass, gradient norm {stats['grad_norm']:.3g}, "
        f"sampler and trainer {stats['sampler_gap']:.2g} nats apart")


def show_pipeline(folder, args):
    "2 + 2 + 2 steps of the whole game: sampling, the judge, updates of both players"
    from chained_adv.models import ModelConfig
    from chained_adv.problems import load_problems
    from chained_adv.config import TrainingConfig
    from chained_adv.trainer import AdversarialTrainer

    tokens = min(args.tokens, 128)
    with tempfile.TemporaryDirectory() as out:
        config = TrainingConfig(
            out=f"{out}/run", stages=(4, 5), n_discriminator_steps=2, first_discriminator_steps=0,
            n_generator_steps=2, k_alternating_steps=2, problems_per_step=2, n_samples=4, eval_samples=2,
            n_mutants=0, n_programs=3, model=ModelConfig(
                model=folder, chain_stages=(4, 5), dtype=args.dtype, device=args.device, prompts="plain",
                max_stage_tokens=tokens, max_test_tokens=tokens))
        start = time.perf_counter()
        begin()
        with AdversarialTrainer(config, load_problems("builtin")[:4], progress=False) as trainer:
            lines = trainer.train_stage(5)
        print(f"pipeline  {len(lines)} steps in {time.perf_counter() - start:.1f} s, peak {peak() / GB:.2f} GB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true", help="a small model, a few tokens")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="4bit")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--tokens", type=int, default=0)
    parser.add_argument("--prompt", type=int, default=0)
    parser.add_argument("--parts", nargs="+", default=["sample", "update", "pipeline", "half"])
    args = parser.parse_args()
    from chained_adv.loading import pick_device

    warnings.simplefilter("ignore")
    device = pick_device(args.device)
    if device.type == "cpu":
        torch.set_num_threads(1)
    if device.type == "cpu" and not args.small:
        sys.exit("there is no GPU here; add --small to try the script on a small model")
    args.rows = args.rows or (8 if args.small else 64)
    args.tokens = args.tokens or (16 if args.small else 512)
    args.prompt = args.prompt or (32 if args.small else 512)
    speed = bandwidth(device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    print(f"{name}, {speed / GB:.0f} GB/s read and written by a copy")
    with tempfile.TemporaryDirectory() as folder:
        n = write_model("small" if args.small else "1.5B", folder, device)
        print(f"{n / 1e6:.0f} M random weights, {args.dtype}")
        if {"sample", "update"} & {*args.parts}:
            player = make_player(folder, args, args.dtype)
            samples = show_sampling(player, args, speed)
            if "update" in args.parts:
                show_update(player, samples)
            del player
        if "pipeline" in args.parts:
            show_pipeline(folder, args)
        if "half" in args.parts:
            player = make_player(folder, args, "float16")
            show_update(player, player.sample([str(i // 8) for i in range(min(args.rows, 16))], 5), "float16")


if __name__ == "__main__":
    main()
