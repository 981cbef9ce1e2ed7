"""What batches, shared reading and cached flags bring: ratios from one run, on one core.

    python benchmarks/pipeline.py [sampling] [switching] [chains] [quick] [--tokens 512]
    python benchmarks/pipeline.py sampling --models random tiny models/qwen-0.5b [--rows 1 8 64] [--written 128] [--prompt 132]

* sampling: answers of our decoder and of `generate` of transformers in one batch, in turns, from the same weights without adapters
  and the same prompts of random tokens, each row its own or eight rows to a prompt; the last column leaves out what the first
  token takes with its prompts;
* switching: an adapter on, all off, with 28 narrow layers and ten adapters, against PEFT's own calls and as a
  part of an update;
* chains: 16 chains of five stages, a list of tests about each stage of each chain, one update, against the founding
  way of doing it: one chain at a time with `generate`, every prompt read anew, the update row by row;
* quick: a step of each player as `train --quick` with 4 problems does them, judge and update included, against the
  same founding way. A chain is not the same work there: the founding way writes five lists of tests about each
  and updates its first stage; the discriminator's step writes a few lists about one chain of each problem, the generator's
  writes five about one chain of each problem and updates all stages. So tokens/s stand beside chains/s. A model that
  knows nothing fails all alike and would have nothing to learn from, so the rewards are drawn.

The model (`random`) is a Qwen2 of 4 million parameters with random weights, whose answers all run to the limit. Seconds are
processor time, so that other work on the machine counts little.
"""

import argparse, random, statistics, tempfile, time, warnings
from contextlib import contextmanager
from pathlib import Path
import torch, transformers
from transformers import AutoModelForCausalLM, Qwen2Config
from chained_adv.callbacks import Callback
from chained_adv.loading import TINY, load_base, load_tokenizer
from chained_adv.models import AdaptersOff, AdapterSwitch, ModelConfig, Players, add_adapters, make_readers, share_weights
from chained_adv.config import QUICK
from chained_adv.ppo import Batch, PPOConfig, create_optimizer, train_step
from chained_adv.rewards import REWARD_SCHEMES, RewardScheme
from chained_adv.rollout import sample_chains, sample_tests
from chained_adv.sampling import Reader, Sample, read_groups, sample_tokens
from chained_adv.scoring import answer_logprobs
from chained_adv.config import TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

COMMON = dict(
    vocab_size=768, num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=16384,
    bos_token_id=0, eos_token_id=1, pad_token_id=0,
)  # fmt: skip
FOUR_MILLION = dict(hidden_size=256, intermediate_size=704, num_hidden_layers=5)
NARROW = dict(hidden_size=64, intermediate_size=176, num_hidden_layers=28)


def make_model(shape):
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(Qwen2Config(**COMMON, **shape)).eval()


def seconds(run, rounds=3):
    "Median of the rounds, in processor seconds; a round before them warms up, unless there is only one"
    taken = []
    for i in range(rounds + (rounds > 1)):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return statistics.median(taken[rounds > 1 :])


@torch.no_grad()
def generate(model, prompts, tokens):
    "`generate` at temperature 1 on prompts padded on the left, every answer up to the limit"
    width = max(map(len, prompts))
    ids = torch.tensor([[0] * (width - len(p)) + p for p in prompts])
    mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts])
    out = model.generate(
        ids, attention_mask=mask, do_sample=True, top_k=0, top_p=1.0, max_new_tokens=tokens,
        min_new_tokens=tokens, pad_token_id=0,
    )  # fmt: skip
    return out[:, width:].tolist()


def in_turns(runs, rounds):
    "Medians in processor seconds; who begins changes from round to round, and a round before them warms up"
    taken = [[] for _ in runs]
    for i in range(rounds + 1):
        for k in [*range(len(runs))][:: 1 if i % 2 else -1]:
            start = time.process_time()
            runs[k]()
            taken[k].append(time.process_time() - start)
    return [statistics.median(o[1:]) for o in taken]


def random_prompts(rows, each, words, longest):
    "Prompts of random tokens, from half of the longest on; so many rows share one"
    draw = random.Random(0)
    texts = [[draw.randrange(5, words) for _ in range(draw.randint(longest // 2, longest))] for _ in range(-(-rows // each))]
    return [texts[i // each] for i in range(rows)]


def load_writers(name):
    "A model as `generate` reads it, and as our players do: two models of the same weights, without adapters"
    model = make_model(FOUR_MILLION) if name == "random" else load_base(name, "cpu", "float32")[0]
    ours = share_weights(model)
    read_groups(ours)
    return model, ours


def measure_sampling(args):
    print("| model | rows | answers a prompt | `generate`, tokens/s | ours, tokens/s | ratio | of the steps alone |")
    print("|---" * 7 + "|")
    for name in args.models:
        model, ours = load_writers(name)
        words, size = model.config.vocab_size, f"{model.num_parameters() / 1e6:.0f} M"
        for rows, each in [(n, k) for n in args.rows for k in args.each if n > 1 or k == 1]:
            prompts, n = random_prompts(rows, each, words, args.prompt), args.written
            runs = [lambda n=n: generate(model, prompts, n), lambda n=n: sample_tokens(ours, Reader(ours), prompts, n, set())]
            theirs, own, *first = in_turns([*runs, *(lambda run=run: run(1) for run in runs)], args.rounds)
            steps = (theirs - first[0]) / (own - first[1])
            print(f"| {Path(name).name}, {size} | {rows} | {each} | {rows * n / theirs:,.1f} | {rows * n / own:,.1f} "
                  f"| {theirs / own:.2f} | {steps:.2f} |", flush=True)  # fmt: skip


def measure_switching(adapters=10):
    names = [f"role_{i}" for i in range(adapters)]
    model = make_model(NARROW).requires_grad_(False)
    switch = AdapterSwitch(add_adapters(model, names, 16).eval(), names)
    peft = switch.model

    def activate_by_peft(name):
        peft.set_adapter(name)
        for n, p in peft.named_parameters():
            p.requires_grad_(f".{name}." in n)

    def off_by_peft():
        with peft.disable_adapter():
            pass

    def off():
        with switch.off():
            pass

    turn = iter(names * 1000)
    slow = seconds(lambda: activate_by_peft(next(turn)), 5), seconds(off_by_peft, 5)
    fast = seconds(lambda: switch.activate(next(turn)), 5), seconds(off, 5)
    again = seconds(lambda: switch.activate(switch.layers[0].active_adapters[0]), 5)
    update, calls = measure_update(switch, names[0])
    print(f"switching, 28 layers x {adapters} adapters: on {slow[0] * 1e3:.0f} -> {fast[0] * 1e3:.2f} ms "
          f"({again * 1e3:.2f} ms when it is on already), off {slow[1] * 1e3:.0f} -> {fast[1] * 1e3:.2f} ms")  # fmt: skip
    share = (calls["on"] * again + fast[0] + calls["off"] * fast[1]) / update
    print(f"  an update of 16 x 64 tokens: {update:.2f} s, {calls['on']} times on, {calls['off']} times off: "
          f"{share:.2%} of it")  # fmt: skip


def measure_update(switch, name):
    "(seconds, calls) of an update with KL to the base"
    prompts = [[5 + i, 6, 7, 8] for i in range(16)]
    reader = Reader(AdaptersOff(switch))
    answers = sample_tokens(reader.model, reader, prompts, 64, set(), 1.0)
    samples = [Sample(p, *a) for p, a in zip(prompts, answers)]
    calls = dict(on=0, off=0)

    def policy(rows):
        calls["on"] += 1
        switch.activate(name)
        return answer_logprobs(switch.model, reader, [samples[r] for r in rows])

    def reference(rows):
        calls["off"] += 1
        with torch.no_grad(), switch.off() as model:
            return answer_logprobs(model, reader, [samples[r] for r in rows])

    n = len(samples)
    batch = Batch(
        [64] * n, [s.logprobs for s in samples], [i % 2 for i in range(n)], [i // 4 for i in range(n)]
    )
    optimizer = create_optimizer(switch.parameters[name].values(), 1e-4)
    start = time.process_time()
    train_step(batch, policy, reference, optimizer, PPOConfig(microbatch_tokens=256))
    return time.process_time() - start, calls


@contextmanager
def four_million(tokens):
    "Settings of the model"
    with tempfile.TemporaryDirectory() as folder:
        make_model(FOUR_MILLION).save_pretrained(folder)
        load_tokenizer(TINY).save_pretrained(folder)
        limits = dict(max_stage_tokens=tokens, max_test_tokens=tokens)
        yield ModelConfig(model=folder, device="cpu", prompts="plain", **limits)


def run_to_the_limit(players):
    "Let no answer end by itself"
    for player in (players.generator, players.discriminator):
        player.end_ids = set()
    return players


def update_batch(player, samples):
    "One update of stage 1: policy and reference in micro-batches behind shared prompts"
    reader = player.reader()
    n = len(samples)
    batch = Batch(
        [len(s.ids) for s in samples], [s.logprobs for s in samples], [i % 2 for i in range(n)],
        [i // 4 for i in range(n)],
    )  # fmt: skip
    policy = lambda rows: player.logprobs([samples[r] for r in rows], 1, reader=reader)
    reference = lambda rows: player.logprobs([samples[r] for r in rows], 1, reference=True, reader=reader)
    train_step(batch, policy, reference, create_optimizer(player.parameters(1).values(), 1e-4), PPOConfig())


def our_step(players, problems):
    "16 chains with tests about all stages, then the update"
    readers = make_readers(players)
    chains = [p for p in problems for _ in range(4)]
    rollout = sample_chains(players, chains, seed=0, reader=readers[0])
    sample_tests(players, rollout, seed=0, reader=readers[1])
    update_batch(players.generator, [c.answers[1] for c in rollout.chains])


def founding_chain(players, problem, tokens):
    "One chain with tests about all stages, then its part of the update, alone"
    g, d, model = players.generator, players.discriminator, players.generator.base.plain
    outputs = []
    for stage in range(1, 6):
        ids = g.encode([g.prompt(problem, stage, outputs)], tokens)
        written = generate(model, ids, tokens)
        outputs.append(g.base.tokenizer.decode(written[0]))
        if stage == 1:
            sample = Sample(ids[0], written[0], [0.0] * tokens, False)
    for stage in range(1, 6):
        generate(model, d.encode([d.prompt(problem, stage, outputs[stage - 1])], tokens), tokens)
    for _ in range(2):  # epochs
        with torch.no_grad():
            answer_logprobs(model, None, [sample])  # the reference
        logp, _, mask = answer_logprobs(g.base.switch.model, None, [sample])
        (logp * mask).sum().backward()


def measure_chains(tokens):
    problems = tiny_problems("train", 4)
    with four_million(tokens) as config:
        players = run_to_the_limit(Players(config))
        players.generator.base.switch.activate(players.generator.adapter(1))
        ours = seconds(lambda: our_step(players, problems), 1) / 16
        founding = seconds(lambda: founding_chain(players, problems[0], tokens), 1)
    print(
        f"chains, 4 problems x 4 samples, {tokens} tokens a stage: {1 / ours:.3f} chains/s of processor time"
    )
    print(f"  one at a time {1 / founding:.3f} chains/s, ours / one at a time = {founding / ours:.1f}")


class Played(Callback):
    "What each step has played"

    def __init__(self):
        self.steps = []

    def after_step(self, line, rollout, samples):
        self.steps.append((len(rollout.chains), len(rollout.lists)))


def quick_trainer(config, problems, played):
    "As `train --quick` makes it, but for the rewards"
    draw = random.Random(0)
    by_lot = lambda *_: float(draw.random() < 0.5)
    REWARD_SCHEMES["drawn"] = RewardScheme("drawn", by_lot, by_lot)
    settings = TrainingConfig(model=config, reward="drawn", **QUICK)
    trainer = AdversarialTrainer(settings, problems, selection=[], progress=False, callbacks=[played])
    run_to_the_limit(trainer.players)
    return trainer


def measure_quick(tokens):
    problems, played = tiny_problems("train", 4), Played()
    with four_million(tokens) as config:
        players = run_to_the_limit(Players(config))
        players.generator.base.switch.activate(players.generator.adapter(1))
        founding = seconds(lambda: founding_chain(players, problems[0], tokens), 1)
        print(f"train --quick, 4 problems, {tokens} tokens a stage, of processor time:")
        print(f"  one at a time {1 / founding:.3f} chains/s, {10 * tokens / founding:.0f} tokens/s")
        with quick_trainer(config, problems, played) as trainer:
            for role in ("discriminator", "generator"):
                start, begun = time.process_time(), time.perf_counter()
                line = trainer.train_one(role, 1, role)
                taken = time.process_time() - start
                update = line["seconds_update"] / (time.perf_counter() - begun)
                chains, lists = played.steps[-1]
                rate = line["generated_tokens"] / taken
                print(f"  step of the {role}, {chains} chains, {lists} lists of tests: {chains / taken:.3f} chains/s "
                      f"({chains / taken * founding:.1f} times), {rate:.0f} tokens/s "
                      f"({rate * founding / 10 / tokens:.1f} times), {update:.0%} of the time in the update")  # fmt: skip


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("parts", nargs="*", help="sampling, switching, chains, quick; all without")
    parser.add_argument("--tokens", type=int, default=512, help="a stage, of the parts `chains` and `quick`")
    parser.add_argument("--models", nargs="+", default=["random", "tiny"], help="of `sampling`: random, tiny, a folder")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 8, 64], help="of `sampling`")
    parser.add_argument("--each", type=int, nargs="+", default=[1, 8], help="rows to a prompt of `sampling`")
    parser.add_argument("--written", type=int, default=128, help="tokens of an answer of `sampling`")
    parser.add_argument("--prompt", type=int, default=132, help="tokens of the longest prompt of `sampling`")
    parser.add_argument("--rounds", type=int, default=3, help="of `sampling`")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    measures = dict(
        sampling=lambda: measure_sampling(args),
        switching=measure_switching,
        chains=lambda: measure_chains(args.tokens),
        quick=lambda: measure_quick(args.tokens),
    )
    for part in args.parts or measures:
        measures[part]()


if __name__ == "__main__":
    main()
