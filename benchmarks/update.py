"""How long does an update take? The update of another revision and today's, side by side in one process.

python benchmarks/update.py [--before REV] [--rounds 9] [--rows 48] [--advantage group]

Samples one batch of the shipped model, then lets both packages make the same update of a fresh adapter in
turns, and prints processor seconds (medians) and their ratio. Weights after the update are compared, too: a
ratio says something only when both did the same. Without --before it compares today's update with itself,
which shows how far apart two equal things are measured on this machine.
"""

import argparse, importlib, io, statistics, subprocess, sys, tarfile, tempfile, time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent


def load_before(rev, folder):
    "The package of a revision under the name `before`"
    command = ["git", "-C", str(ROOT), "archive", rev, "chained_adv"]
    packed = subprocess.run(command, check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as tar:
        tar.extractall(folder, filter="data")
    (Path(folder) / "chained_adv").rename(Path(folder) / "before")
    sys.path.insert(0, folder)
    return "before"


def modules(package):
    "(models, ppo) of a package"
    return tuple(importlib.import_module(f"{package}.{o}") for o in ("models", "ppo"))


def sample(rows):
    "(prompt ids, ids, log-probabilities) of answers to real problems, a group of eight for each"
    models, _ = modules("chained_adv")
    problems = importlib.import_module("chained_adv.tiny.world").tiny_problems("train", 25)
    player = models.Players(models.ModelConfig(device="cpu")).generator
    prompts = [player.prompt(p, 1, []) for p in problems[: -(-rows // 8)] for _ in range(8)]
    return player.sample(prompts[:rows], 1, seed=0)


def update(package, answers, advantage):
    "(processor seconds, adapter's weights) of one update of a fresh adapter"
    models, ppo = modules(package)
    player = models.Players(models.ModelConfig(device="cpu")).generator
    samples = [models.Sample(o.prompt_ids, o.ids, o.logprobs, o.finished) for o in answers]
    optimizer = ppo.create_optimizer(player.parameters(1).values(), 2e-3)
    reader = player.reader()
    policy = lambda rows: player.logprobs([samples[r] for r in rows], 1, reader=reader)
    reference = lambda rows: player.logprobs([samples[r] for r in rows], 1, reference=True, reader=reader)
    n = len(samples)
    batch = ppo.Batch(
        [len(o.ids) for o in samples],
        [o.logprobs for o in samples],
        rewards=[i % 3 / 2 for i in range(n)],
        groups=[i // 8 for i in range(n)],
        values=[0.5] * n,
    )
    with torch.no_grad():
        policy(list(range(n)))  # the reader has read the prompts
    start = time.process_time()
    ppo.train_step(batch, policy, reference, optimizer, ppo.PPOConfig(advantage=advantage))
    return time.process_time() - start, [p.detach().clone() for p in player.parameters(1).values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--before", metavar="REV", help="a git revision")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=48)
    parser.add_argument("--advantage", default="group", choices=["group", "rloo", "gae"])
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        packages = [load_before(args.before, folder) if args.before else "chained_adv", "chained_adv"]
        answers, seconds, weights = sample(args.rows), ([], []), [None, None]
        for k in range(args.rounds + 1):  # the first round warms up
            for i in (0, 1) if k % 2 else (1, 0):
                taken, weights[i] = update(packages[i], answers, args.advantage)
                if k:
                    seconds[i].append(taken)
    before, after = map(statistics.median, seconds)
    apart = max((a - b).abs().max().item() for a, b in zip(*weights))
    print(f"{args.rows} answers, {sum(len(o.ids) for o in answers)} tokens, advantage {args.advantage}")
    print(
        f"before {before:.3f} s, after {after:.3f} s, ratio {after / before:.2f}; "
        f"weights at most {apart:.1e} apart"
    )


if __name__ == "__main__":
    main()
