"""Supervised fine-tuning: the package's loop, which is `transformers.Trainer`, against the same loop by hand.

    python -m benchmarks.sft [--problems 60 600] [--rounds 4]

Both learn chains of the tiny world with the shipped model, all weights, one epoch: the same batches, loss,
optimizer and schedule, so their losses must be equal. Prints processor seconds (median of the rounds after
the first, one torch thread) and their ratio. Few problems make small batches, where the trainer's own work
weighs most; from about 1,600 problems on batches have their full 4,096 tokens.
"""

import argparse, statistics, time
import torch
from transformers import get_scheduler
from chained_adv.core import make_rng
from chained_adv.loading import load_base
from chained_adv.sft import (
    answer_loss,
    encode_pieces,
    fine_tune,
    make_batches,
    pad_rows,
    pick_batch_tokens,
)
from chained_adv.tiny.world import all_specs
from research.build_tiny import chain_pieces

LR = 1e-3


def by_hand(model, rows, size, seed):
    "What the trainer does, without it; it takes the batches in the same order"
    batches = make_batches(rows, size, seed)
    order = torch.randperm(len(batches), generator=torch.Generator().manual_seed(seed))
    optimizer = torch.optim.AdamW(model.parameters(), lr=LR, betas=(0.9, 0.95), weight_decay=0.0)
    warm_up = max(1, min(50, len(batches) // 10))
    schedule = get_scheduler("cosine_warmup_with_min_lr", optimizer, warm_up, len(batches), dict(min_lr_rate=0.02))
    losses = []
    model.train()
    for i in order.tolist():
        inputs = pad_rows(batches[i])
        labels = inputs.pop("labels")
        loss = answer_loss(model(**inputs), labels)
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    model.eval()
    return losses


def by_trainer(model, rows, size, seed):
    return fine_tune(model, rows, LR, batch_tokens=size, seed=seed, progress=False)


def measure(model, rows, rounds):
    "(name -> processor seconds of each round, steps, largest difference of two losses)"
    start = {k: v.clone() for k, v in model.state_dict().items()}
    size, found, worst = pick_batch_tokens(rows), {by_hand: [], by_trainer: []}, 0.0
    for seed in range(rounds):
        losses = []
        for loop in found:
            model.load_state_dict(start)
            begin = time.process_time()
            losses.append(loop(model, rows, size, seed))
            found[loop].append(time.process_time() - begin)
        worst = max(worst, *(abs(a - b) for a, b in zip(*losses)))
    seconds = {loop.__name__: statistics.median(o[1:]) for loop, o in found.items()}
    return seconds, len(losses[0]), size, worst


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--problems", type=int, nargs="+", default=[60, 600])
    parser.add_argument("--rounds", type=int, default=4)
    args = parser.parse_args()
    torch.set_num_threads(1)
    model, tokenizer = load_base("tiny", "cpu")
    rng = make_rng("benchmark")
    specs = rng.sample(all_specs(), max(args.problems))
    rows = [encode_pieces(tokenizer, chain_pieces(s, rng)) for s in specs]
    print(
        "| problems | tokens per batch | steps | by hand | `Trainer` | ratio | largest difference in loss |"
    )
    print("|---|---|---|---|---|---|---|")
    for n in args.problems:
        seconds, steps, size, worst = measure(model, rows[:n], args.rounds)
        hand, trainer = seconds["by_hand"], seconds["by_trainer"]
        print(
            f"| {n} | {size} | {steps} | {hand:.2f} s | {trainer:.2f} s | {trainer / hand:.2f} | {worst:.1e} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
