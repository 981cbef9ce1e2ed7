"""A batch of matches with all their tests, against `transformers`' generate, side by side on one core.

    python benchmarks/rollout.py [--chains 64] [--rounds 3] [--alone 4]

Both sample the five stages of the same problems at temperature 1 from the shipped model, then tests about
all five stages of all chains. Ours reads every text once and shares it; `generate` is called stage by stage.
One chain at a time with `generate`, tests included, is timed for a few chains (`--alone`). What it takes to
judge all of that (every program, every list of tests) is timed apart, in a sandbox whose cache is off. Prints processor seconds (minimum and median of the rounds) and the ratio of the medians.
"""

import argparse, statistics, time, warnings
import torch, transformers
from chained_adv.models import ModelConfig, Players, make_readers
from chained_adv.rollout import judge, sample_chains, sample_tests
from chained_adv.sandbox import Sandbox
from chained_adv.tiny.world import tiny_problems


JUDGED = []  # seconds, chains


def ours(players, problems, seed):
    start, readers = time.process_time(), make_readers(players)
    rollout = sample_chains(players, problems, seed=seed, reader=readers[0])
    middle = time.process_time()
    sample_tests(players, rollout, seed=seed, reader=readers[1])
    end = time.process_time()
    with Sandbox(cache_size=0) as sandbox:
        sandbox.execute_tests(
            "def f(x): return x", "(1, 1)\nassert sorted([f(1)]) == [1]"
        )  # starts all of it
        begin = time.perf_counter()
        judge(rollout, sandbox)
        JUDGED.append((time.perf_counter() - begin, len(rollout.chains)))
    return middle - start, end - middle


def generate(player, prompts):
    tokenizer, model = player.base.tokenizer, player.base.plain
    how = dict(padding=True, padding_side="left", add_special_tokens=False, return_tensors="pt")
    batch = tokenizer(prompts, **how)
    batch.pop("token_type_ids", None)
    with torch.no_grad():
        out = model.generate(
            **batch,
            do_sample=True,
            temperature=1.0,
            top_p=1.0,
            top_k=0,
            max_new_tokens=player.max_tokens(),
            pad_token_id=player.pad_id,
        )
    written = out[:, batch.input_ids.shape[1] :]
    texts = [tokenizer.decode(o, skip_special_tokens=False) for o in written]
    return [t.replace("<end>", "").replace("<pad>", "") for t in texts]


def one_by_one(players, problems, seed):
    "Seconds for each of some problems, alone"
    return [sum(theirs(players, [p], seed)) for p in problems]


def theirs(players, problems, seed):
    torch.manual_seed(seed)
    g, d, outputs = players.generator, players.discriminator, [[] for _ in problems]
    start = time.process_time()
    for stage in range(1, 6):
        texts = generate(g, [g.prompt(p, stage, o) for p, o in zip(problems, outputs)])
        for o, text in zip(outputs, texts):
            o.append(text)
    middle = time.process_time()
    generate(d, [d.prompt(p, k, o[k - 1]) for k in range(1, 6) for p, o in zip(problems, outputs)])
    return middle - start, time.process_time() - middle


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--chains", type=int, default=64)
    parser.add_argument("--alone", type=int, default=4, help="chains that are timed one at a time")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    players, problems = Players(ModelConfig(device="cpu")), tiny_problems("train", args.chains)
    times = {ours: [], theirs: []}
    for i in range(args.rounds + 1):  # the first round warms up
        for f in times:
            times[f].append(f(players, problems, i))
    times = {f.__name__: rows[1:] for f, rows in times.items()}
    for name, rows in times.items():
        total = [a + b for a, b in rows]
        chains, tests = (statistics.median(column) for column in zip(*rows))
        print(
            f"{name:7} chains {chains:6.2f} s   tests {tests:6.2f} s   "
            f"together {statistics.median(total):6.2f} s (min {min(total):.2f})"
        )
    both = {name: statistics.median(map(sum, rows)) for name, rows in times.items()}
    print(f"generate / ours = {both['theirs'] / both['ours']:.1f}")
    alone = statistics.mean(one_by_one(players, problems[: args.alone], 0))
    ratio = alone * args.chains / both["ours"]
    print(f"one chain at a time ({args.alone} of {args.chains} measured) / ours = {ratio:.1f}")
    seconds = statistics.median(s for s, _ in JUDGED[1:])
    print(f"judging {JUDGED[-1][1]} episodes with all their tests: {seconds:.2f} s")


if __name__ == "__main__":
    main()
