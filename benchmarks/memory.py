"""Memory: what the log-probabilities of an update take over a large vocabulary, and how well the prediction of
`chained-adv doctor --model` fits.

python benchmarks/memory.py [--words 152000] [--channels 256]
python benchmarks/memory.py --models

The first makes a random model with one layer, answers of random tokens, one forward and one backward pass of the
sum of the log-probabilities, by the table of all logits and by the pieces of the head, at 512 and 2,048 tokens;
it prints what each takes beyond the process before the pass, processor seconds, and the largest difference of
the gradients. The second writes three random models (Qwen2, Llama, GPT-2) to a folder, takes the number that the
table of `chained-adv doctor --model` prints for each, and lets a process of its own load it, sample at all stages as
both players, each prompt once, and make the updates of a step, with ten adapters; it prints predicted over measured
peak, and the peaks of the phases. Peaks are the largest resident set of a process (VmHWM, set back between the phases
where Linux allows), or the device's own count on a GPU.
"""

import argparse, json, resource, subprocess, sys, tempfile, time, warnings
from pathlib import Path

import torch

WAYS = ("table", "pieces")
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
    from chained_adv import scoring

    if way == "table":
        scoring.plain_head = lambda model: None  # then the model's own logits are taken
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
    scoring.score_targets(model, run, ids[:, 1:])[0].mean().backward()
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
    "Three models that a CPU can hold, above and below the size at which copies are merged, and a line of the table"
    from transformers import GPT2Config, LlamaConfig, Qwen2Config

    heads = dict(num_attention_heads=8, num_key_value_heads=2, bos_token_id=0, eos_token_id=1)
    return {
        "Qwen2 52 M": (Qwen2Config(
            vocab_size=64_000, hidden_size=512, intermediate_size=2048, num_hidden_layers=5,
            tie_word_embeddings=True, max_position_embeddings=1024, **heads), 0),
        "Llama 21 M": (LlamaConfig(
            vocab_size=8_000, hidden_size=512, intermediate_size=1536, num_hidden_layers=4,
            max_position_embeddings=1024, **heads), 0),
        "GPT-2 77 M": (GPT2Config(
            vocab_size=50_000, n_embd=768, n_layer=5, n_head=8, n_positions=1024, bos_token_id=0, eos_token_id=1),
            -1),  # the narrowest passes: sampling, from merged layers, is the peak
    }


def write_model(config, folder):
    from transformers import AutoModelForCausalLM
    from chained_adv.loading import TINY, load_tokenizer

    torch.manual_seed(0)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    load_tokenizer(TINY).save_pretrained(folder)


def make_players(folder, dtype, rows, tokens, prompt):
    "Players whose prompts and answers all have so many tokens"
    from chained_adv import models

    settings = models.ModelConfig(
        model=folder, dtype=dtype, device="cpu", max_stage_tokens=tokens, max_test_tokens=tokens, max_rows=rows)
    players = models.Players(settings)
    for player in (players.generator, players.discriminator):
        player.end_ids = set()  # no answer ends early
        player.encode = lambda prompts, room: [[5 + int(p)] * prompt for p in prompts]
    return players


def make_update(player, answers, optimizer, micro):
    "One update by answers of several stages together, as the trainer makes it; stage -> answers"
    from chained_adv import ppo
    from chained_adv.batches import update_inputs

    samples = [o for found in answers.values() for o in found]
    batch = ppo.Batch(
        [len(o.ids) for o in samples], [o.logprobs for o in samples], [i % 3 / 2 for i in range(len(samples))],
        [i // 8 for i in range(len(samples))])
    config = ppo.PPOConfig(microbatch_tokens=micro, epochs=1)
    stages = [s for s, found in answers.items() for _ in found]
    ppo.train_step(**update_inputs(player, samples, stages, batch, optimizer, config, 1))


def measure_run(folder, dtype, rows, tokens, prompt, micro):
    "Load, let both players sample at all stages and learn, in this process: bytes at the peak of each phase"
    from chained_adv import cli, ppo, trainer  # noqa: F401 - what `chained-adv train` imports

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = dict(process=begin())
    players = make_players(folder, dtype, rows, tokens, prompt)
    found["loading"], _ = peak(), begin()
    found |= dict(sampling=0, update=0, after=0)
    kept = []  # optimizers stay for the whole run
    for player, turns in ((players.generator, [range(1, 6)]), (players.discriminator, [[s] for s in range(1, 6)])):
        for stages in turns:
            answers = {s: player.sample([str(i) for i in range(rows)], s) for s in stages}
            found["sampling"] = found["sampling"] or peak()  # later ones find what the allocator kept of an update
            found["after"], _ = max(found["after"], peak()), begin()
            learning = [p for s in stages for p in player.parameters(s).values()]
            kept.append(ppo.create_optimizer(learning, 1e-4))
            make_update(player, answers, kept[-1], micro)
            found["update"], _ = max(found["update"], peak()), begin()
    print(json.dumps(found))


def compare_predictions(dtype, rows, tokens, prompt):
    "What `chained-adv doctor --model` prints beside the peak of such a run"
    from chained_adv.doctor import fitting_table, memory_parts
    from chained_adv.loading import read_config
    from chained_adv.models import ModelConfig

    for name, (config, which) in configs().items():
        with tempfile.TemporaryDirectory() as folder:
            write_model(config, folder)
            line = fitting_table(folder, dtype, rows, tokens, prompt, "cpu")[which]
            micro, expected = line["microbatch_tokens"], line["gigabytes"] * 2**30
            settings = ModelConfig(model=folder, dtype=dtype, device="cpu")
            parts = memory_parts(read_config(folder), settings, rows, tokens, prompt, micro)
            found = child("--run", folder, dtype, rows, tokens, prompt, micro)
        measured = max(found.values())
        print(f"{name}, {dtype}, {rows} rows, {prompt} + {tokens} tokens, {micro} a pass, ten adapters: doctor says "
              f"{expected / MIB:.0f} MiB, measured {measured / MIB:.0f}, ratio {expected / measured:.2f}")
        print("  parts predicted:", ", ".join(f"{k} {v / MIB:.0f}" for k, v in parts.items()))
        print("  peaks measured: ", ", ".join(f"{k} {v / MIB:.0f}" for k, v in found.items()), flush=True)


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
    args = parser.parse_args()
    if args.head:
        way, *sizes, folder = args.head
        measure_head(way, *map(int, sizes), folder)
    elif args.run:
        folder, dtype, *sizes = args.run
        measure_run(folder, dtype, *map(int, sizes))
    elif args.models:
        compare_predictions(args.dtype, args.rows, args.tokens, args.prompt)
    else:
        compare_heads(args.words, args.channels)


if __name__ == "__main__":
    main()
