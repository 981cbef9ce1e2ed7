"""Memory: what the log-probabilities of an update take over a large vocabulary, and how well the prediction of
`chained-adv doctor --model` fits.

python benchmarks/memory.py [--words 152000] [--channels 256]
python benchmarks/memory.py --models

The first makes a random model with one layer, answers of random tokens, one forward and one backward pass of the
sum of the log-probabilities, by the table of all logits and by the pieces of the head, at 512 and 2,048 tokens;
it prints what each takes beyond the process before the pass, processor seconds, and the largest difference of
the gradients. The second writes three random models (Qwen2, Llama, GPT-2) to a folder, predicts their peaks from
their configs, and lets a process of its own load each, sample and make one update; it prints predicted over
measured for loading, sampling and the update. Peaks are the largest resident set of a process (VmHWM, set back
between the phases where Linux allows), or the device's own count on a GPU.
"""

import argparse, json, resource, subprocess, sys, tempfile, time, warnings
from pathlib import Path

import torch

WAYS = {"table": 2**62, "pieces": None}  # the size of a piece; None is the package's own
MIB = 2**20


def peak():
    "Bytes, of the device or of the process"
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated()
    try:
        status = Path("/proc/self/status").read_text()
        return 1024 * int(status.split("VmHWM:")[1].split()[0])
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def begin():
    "Set the peak back to what is held now; returns that"
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    else:
        try:
            Path("/proc/self/clear_refs").write_text("5")
        except OSError:
            pass
    return peak()


def child(*arguments):
    "What a process of its own prints"
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


# The head


def measure_head(way, words, tokens, channels, folder):
    "One pass, in this process; its gradients go to a file"
    from transformers import LlamaConfig, LlamaForCausalLM
    from chained_adv import lmhead

    if WAYS[way]:
        lmhead.PIECE = WAYS[way]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=words,
        hidden_size=channels,
        intermediate_size=channels,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=4,
    )
    model = LlamaForCausalLM(config).to(device)
    model.lm_head.requires_grad_(False)  # as with adapters
    model.model.embed_tokens.requires_grad_(False)
    ids = torch.randint(words, (4, tokens // 4 + 1), device=device)
    run = lambda **kw: model(input_ids=ids[:, :-1], **kw)
    before, start = begin(), time.process_time()
    lmhead.score_targets(model, run, ids[:, 1:])[0].mean().backward()
    taken = dict(bytes=peak() - before, seconds=time.process_time() - start)
    torch.save({n: p.grad for n, p in model.named_parameters() if p.grad is not None}, f"{folder}/{way}.pt")
    print(json.dumps(taken))


def compare_heads(words, channels):
    with tempfile.TemporaryDirectory() as folder:
        for tokens in (512, 2048):
            found = {way: child("--head", way, words, tokens, channels, folder) for way in WAYS}
            table, pieces = (torch.load(f"{folder}/{way}.pt") for way in WAYS)
            largest = max(g.abs().max() for g in table.values())
            apart = max((table[n] - pieces[n]).abs().max() for n in table) / largest
            for way, o in found.items():
                print(f"{tokens:5} tokens, {way:6}  {o['bytes'] / MIB:6.0f} MiB  {o['seconds']:6.2f} s")
            ratio = found["pieces"]["bytes"] / found["table"]["bytes"]
            print(f"{tokens:5} tokens: memory {ratio:.2f} of the table's, gradients {apart:.1e} apart")


# The prediction


def configs():
    "Three models that a CPU can hold; above and below the size at which copies are merged"
    from transformers import GPT2Config, LlamaConfig, Qwen2Config

    heads = dict(num_attention_heads=8, num_key_value_heads=2, bos_token_id=0, eos_token_id=1)
    return {
        "Qwen2 52 M": Qwen2Config(
            vocab_size=64_000, hidden_size=512, intermediate_size=2048, num_hidden_layers=5,
            tie_word_embeddings=True, max_position_embeddings=1024, **heads),
        "Llama 21 M": LlamaConfig(
            vocab_size=8_000, hidden_size=512, intermediate_size=1536, num_hidden_layers=4,
            max_position_embeddings=1024, **heads),
        "GPT-2 77 M": GPT2Config(
            vocab_size=50_000, n_embd=768, n_layer=5, n_head=8, n_positions=1024, bos_token_id=0, eos_token_id=1),
    }


def write_model(config, folder):
    from transformers import AutoModelForCausalLM
    from chained_adv.loading import TINY, load_tokenizer

    torch.manual_seed(0)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    load_tokenizer(TINY).save_pretrained(folder)


def measure_run(folder, dtype, rows, tokens, prompt, micro):
    "Load, sample and update in this process: bytes of the process before, and of each phase"
    from chained_adv import models, ppo
    from chained_adv.loading import loss_scale

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = dict(process=begin())
    settings = models.ModelConfig(
        model=folder, dtype=dtype, adapters="unified", device="cpu", max_stage_tokens=tokens, max_rows=rows)
    player = models.Players(settings).generator
    found["loading"], _ = peak(), begin()
    player.end_ids = set()  # no answer ends early
    player.encode = lambda prompts, room: [[5 + int(p) % 500] * prompt for p in prompts]
    samples = player.sample([str(i // 8) for i in range(rows)], 5)
    found["sampling"], _ = peak(), begin()
    optimizer = ppo.create_optimizer(player.parameters(5).values(), 1e-4)
    batch = ppo.Batch(
        [len(o.ids) for o in samples], [o.logprobs for o in samples], [i % 3 / 2 for i in range(rows)],
        [i // 8 for i in range(rows)])
    reader = player.reader()
    read = lambda which, **kw: player.logprobs([samples[r] for r in which], 5, reader=reader, **kw)
    ppo.train_step(
        batch, read, lambda which: read(which, reference=True), optimizer,
        ppo.PPOConfig(microbatch_tokens=micro, epochs=1), scale=loss_scale(player.base.model))
    found["update"] = peak()
    print(json.dumps(found))


def compare_predictions(dtype, rows, tokens, prompt, micro):
    from chained_adv.footprint import Plan, run_parts
    from chained_adv.models import ModelConfig

    for name, config in configs().items():
        settings = ModelConfig(dtype=dtype, adapters="unified", device="cpu")
        parts = run_parts(config, settings, Plan(rows, tokens, prompt, 8, micro))
        held = sum(v for k, v in parts.items() if k not in ("sampling", "update", "Adam"))
        with tempfile.TemporaryDirectory() as folder:
            write_model(config, folder)
            found = child("--run", folder, dtype, rows, tokens, prompt, micro)
        predicted = dict(sampling=held + parts["sampling"], update=held + parts["Adam"] + parts["update"])
        print(f"{name}, {dtype}, {rows} rows, {prompt} + {tokens} tokens, {micro} a pass (MiB, process included)")
        for phase, n in predicted.items():
            expected, measured = n + found["process"], found[phase]
            print(f"  {phase:8}  predicted {expected / MIB:5.0f}  measured {measured / MIB:5.0f}  "
                  f"ratio {expected / measured:.2f}, without the process {n / (measured - found['process']):.2f}")
        print(f"  loading   measured {found['loading'] / MIB:5.0f} ({found['process'] / MIB:.0f} before it)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--head", nargs=5, help=argparse.SUPPRESS)
    parser.add_argument("--run", nargs=6, help=argparse.SUPPRESS)
    parser.add_argument("--words", type=int, default=152_000)
    parser.add_argument("--channels", type=int, default=256)
    parser.add_argument("--models", action="store_true", help="predicted and measured peaks of three models")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--micro", type=int, default=512)
    args = parser.parse_args()
    if args.head:
        way, *sizes, folder = args.head
        measure_head(way, *map(int, sizes), folder)
    elif args.run:
        folder, dtype, *sizes = args.run
        measure_run(folder, dtype, *map(int, sizes))
    elif args.models:
        compare_predictions(args.dtype, args.rows, args.tokens, args.prompt, args.micro)
    else:
        compare_heads(args.words, args.channels)


if __name__ == "__main__":
    main()
