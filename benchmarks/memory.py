"""How much memory do the log-probabilities of an update take over a large vocabulary? The table of all logits
and the pieces of the head, each in a process of its own.

python benchmarks/memory.py [--words 150000] [--tokens 512] [--channels 256]

A random model with one layer, answers of random tokens, one forward and one backward pass of the sum of the
log-probabilities, by the device's own count on a GPU and by the largest resident set of the process on a CPU,
less what it was before the pass. Prints megabytes, processor seconds and their ratios.
"""

import argparse, json, resource, subprocess, sys, time

import torch

WAYS = {"table": 2**62, "pieces": None}  # the size of a piece; None is the package's own


def peak(device):
    "Megabytes"
    if device == "cuda":
        return torch.cuda.max_memory_allocated() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)


def measure(way, words, tokens, channels):
    "One pass, in this process"
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
    before, start = peak(device), time.process_time()
    lmhead.score_targets(model, run, ids[:, 1:])[0].sum().backward()
    print(json.dumps(dict(megabytes=peak(device) - before, seconds=time.process_time() - start)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--words", type=int, default=150_000)
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--channels", type=int, default=256)
    args = parser.parse_args()
    sizes = [args.words, args.tokens, args.channels]
    if args.way:
        return measure(args.way, *sizes)
    found = {}
    for way in WAYS:
        command = [sys.executable, __file__, "--way", way]
        for name, n in zip(("words", "tokens", "channels"), sizes):
            command += [f"--{name}", str(n)]
        found[way] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"{way:6}  {found[way]['megabytes']:6.0f} MB  {found[way]['seconds']:5.2f} s")
    ratio = lambda key: found["pieces"][key] / found["table"][key]
    print(f"pieces / table: memory {ratio('megabytes'):.2f}, processor time {ratio('seconds'):.2f}")


if __name__ == "__main__":
    main()
