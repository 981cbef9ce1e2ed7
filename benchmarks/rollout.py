"""A batch of matches with all their tests, against `transformers`' generate, side by side on one core.

python benchmarks/rollout.py [--chains 64] [--rounds 3]

Both sample the five stages of the same problems at temperature 1 from the shipped model, then tests about
all five stages of all chains. Ours reads every text once and shares it; `generate` is called stage by stage.
What it takes to judge all of that (every program, every list of tests) is timed apart, in a sandbox whose cache is off.
Prints seconds (minimum and median of the rounds) and the ratio of the medians.
"""
import argparse, statistics, time, warnings
import torch, transformers
from chained_adv.models import ModelConfig, Players
from chained_adv.rollout import judge, make_readers, sample_chains, sample_tests
from chained_adv.sandbox import Sandbox
from chained_adv.tiny.world import tiny_problems


JUDGED = [] # seconds, chains

def ours(players, problems, seed):
    start, readers = time.perf_counter(), make_readers(players)
    rollout = sample_chains(players, problems, seed=seed, reader=readers[0])
    middle = time.perf_counter()
    sample_tests(players, rollout, seed=seed, reader=readers[1])
    end = time.perf_counter()
    with Sandbox(cache_size=0) as sandbox:
        sandbox.execute_tests("def f(x): return x", "(1, 1)\nassert sorted([f(1)]) == [1]") # starts what is started once
        begin = time.perf_counter()
        judge(rollout, sandbox)
        JUDGED.append((time.perf_counter() - begin, len(rollout.chains)))
    return middle - start, end - middle


def generate(player, prompts):
    tokenizer, model = player.base.tokenizer, player.base.plain
    batch = tokenizer(prompts, padding=True, padding_side="left", add_special_tokens=False, return_tensors="pt")
    batch.pop("token_type_ids", None)
    with torch.no_grad():
        out = model.generate(**batch, do_sample=True, temperature=1., top_p=1., top_k=0, max_new_tokens=player.max_tokens(), pad_token_id=player.pad_id)
    return [tokenizer.decode(o, skip_special_tokens=False).replace("<end>", "").replace("<pad>", "") for o in out[:, batch.input_ids.shape[1]:]]


def theirs(players, problems, seed):
    torch.manual_seed(seed)
    g, d, start, outputs = players.generator, players.discriminator, time.perf_counter(), [[] for _ in problems]
    for stage in range(1, 6):
        for o, text in zip(outputs, generate(g, [g.prompt(p, stage, o) for p, o in zip(problems, outputs)])): o.append(text)
    middle = time.perf_counter()
    generate(d, [d.prompt(p, stage, o[stage - 1]) for stage in range(1, 6) for p, o in zip(problems, outputs)])
    return middle - start, time.perf_counter() - middle


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chains", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    warnings.simplefilter("ignore"); transformers.logging.set_verbosity_error(); transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    players, problems = Players(ModelConfig(device="cpu")), tiny_problems("train", args.chains)
    times = {f.__name__: [f(players, problems, i) for i in range(args.rounds + 1)][1:] for f in (ours, theirs)}
    for name, rows in times.items():
        total = [a + b for a, b in rows]
        print(f"{name:7} chains {statistics.median(a for a, _ in rows):6.2f} s   tests {statistics.median(b for _, b in rows):6.2f} s   "
              f"together {statistics.median(total):6.2f} s (min {min(total):.2f})")
    ratio = statistics.median(map(sum, times["theirs"])) / statistics.median(map(sum, times["ours"]))
    print(f"generate / ours = {ratio:.1f}")
    seconds = statistics.median(s for s, _ in JUDGED[1:])
    print(f"judging {JUDGED[-1][1]} episodes with all their tests: {seconds:.2f} s")


if __name__ == "__main__": main()
