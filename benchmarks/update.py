"""How long does an update take? The update of another revision and today's, or TRL's GRPO and ours, side by side
in one process.

python benchmarks/update.py [--before REV] [--rounds 9] [--rows 48]
python benchmarks/update.py --trl [--rounds 3] [--rows 32] [--tokens 128 --prompt 256]
python benchmarks/update.py --room [--rounds 3] [--rows 32] [--tokens 128 --prompt 256]

Samples one batch of the shipped model, then lets both packages make the same update of a fresh adapter in
turns, and prints processor seconds (medians) and their ratio. Weights after the update are compared, too: a
ratio says something only when both did the same. Without --before it compares today's update with itself,
which shows how far apart two equal things are measured on this machine.

With --trl a random Qwen2 of 4 million parameters learns by a LoRA adapter of rank 16 from the same random answers
in groups of eight, in both: KL to the reference, two epochs of two minibatches, no generation counted. TRL's
GRPOTrainer gets the answers by its `rollout_func`; what is timed is everything after that, up to the end of its
fourth optimizer step, in its second round. TRL needs the old log-probabilities, too, which our sampler gives.
Both run in processes of their own, twice, in turns: in one process each slows the other. Two shapes are compared: a
prompt twice as long as an answer, which lies between MBPP (three times) and HumanEval (1.4 times; with the references as
answers, the few-shot prompts of stage 5 without earlier stages, tokens of Gemma), and one half as long.

With --room our update of that work reads its prompts once, as it does where memory allows, and in turns those of
each pass again: for prompts of eight answers each, and of one.
"""

import argparse, importlib, io, json, os, statistics, subprocess, sys, tarfile, tempfile, time, warnings
from importlib.util import find_spec
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


def update(package, answers):
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
    )
    with torch.no_grad():
        policy(list(range(n)))  # the reader has read the prompts
    start = time.process_time()
    ppo.train_step(batch, policy, reference, optimizer, ppo.PPOConfig())
    return time.process_time() - start, [p.detach().clone() for p in player.parameters(1).values()]


# Beside TRL

WORK = ("--rows", "--tokens", "--prompt", "--rounds")
SHAPES = ((128, 256), (256, 128))  # tokens of an answer, of its prompt


def write_model(folder):
    "A random Qwen2 of 4 million parameters with the shipped tokenizer"
    from transformers import Qwen2Config, Qwen2ForCausalLM
    from chained_adv.loading import TINY, load_tokenizer

    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=2048, hidden_size=256, intermediate_size=768, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=2048, tie_word_embeddings=True, bos_token_id=0,
        eos_token_id=1, pad_token_id=0)
    Qwen2ForCausalLM(config).save_pretrained(folder)
    load_tokenizer(TINY).save_pretrained(folder)


def random_answers(rows, tokens, prompt, each=8):
    "(prompt ids, answer ids) of each row; so many rows share a prompt"
    source = torch.Generator().manual_seed(0)
    draw = lambda n: torch.randint(5, 700, (n,), generator=source).tolist()
    prompts = [draw(prompt) for _ in range(-(-rows // each))]
    return [(prompts[i // each], draw(tokens)) for i in range(rows)]


def our_updates(folder, answers):
    "A function that makes one of our updates, as the trainer makes them, and gives its processor seconds"
    from chained_adv import models, ppo
    from chained_adv.batches import update_inputs

    player = models.Players(models.ModelConfig(model=folder, device="cpu", adapters="unified")).generator
    samples, n = [models.Sample(p, ids, [], True) for p, ids in answers], len(answers)
    with torch.no_grad():
        logprobs = [player.logprobs([o], 5)[0][0].tolist() for o in samples]
    batch = ppo.Batch(
        [len(o.ids) for o in samples], logprobs, [i % 3 / 2 for i in range(n)], [i // 8 for i in range(n)])
    limit = player.base.rows
    own = limit.room

    def update(room=True):
        limit.room = own if room else lambda model: 0
        optimizer = ppo.create_optimizer(player.parameters(5).values(), 1e-5)
        start = time.process_time()
        ppo.train_step(**update_inputs(player, samples, [5] * n, batch, optimizer, ppo.PPOConfig(), 1))
        return time.process_time() - start

    return update


def trl_updates(folder, answers, rounds):
    "Processor seconds of TRL's updates"
    from datasets import Dataset
    from peft import LoraConfig
    from trl import GRPOConfig, GRPOTrainer

    rows, marks, seconds = len(answers), [], []

    def rollout(prompts, *_):
        if marks:
            seconds.append(time.process_time() - marks[-1])
        found = dict(
            prompt_ids=[p for p, _ in answers], completion_ids=[ids for _, ids in answers],
            logprobs=[[0.0] * len(ids) for _, ids in answers])
        marks.append(time.process_time())
        return found

    with tempfile.TemporaryDirectory() as out:
        config = GRPOConfig(
            out, per_device_train_batch_size=rows // 2, steps_per_generation=2, num_generations=8,
            num_iterations=2, beta=0.03, learning_rate=1e-5, max_completion_length=len(answers[0][1]),
            max_steps=4 * (rounds + 2), use_cpu=True, report_to=[], save_strategy="no", logging_strategy="no",
            disable_tqdm=True, bf16=False, gradient_checkpointing=False)
        rewards = lambda completions, **_: [i % 3 / 2 for i in range(len(completions))]
        trainer = GRPOTrainer(
            folder, rewards, config, Dataset.from_list([dict(prompt=str(i)) for i in range(64)]),
            peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear"), rollout_func=rollout)
        trainer.train()
    return seconds[1:]


def time_alone(who, rows, tokens, prompt, rounds):
    "Print the processor seconds of our updates or of TRL's, the first left out"
    warnings.simplefilter("ignore")
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    answers = random_answers(rows, tokens, prompt)
    with tempfile.TemporaryDirectory() as folder:
        write_model(folder)
        if who == "trl":
            seconds = trl_updates(folder, answers, rounds)
        else:
            update = our_updates(folder, answers)
            seconds = [update() for _ in range(rounds + 1)][1:]
    print(json.dumps(seconds))


def beside_trl(rows, tokens, prompt, rounds):
    if lacking := [o for o in ("trl", "datasets") if not find_spec(o)]:
        sys.exit(f"--trl needs {' and '.join(lacking)}, not installed here: pip install 'trl>=1.16'")
    seconds, work = {"ours": [], "trl": []}, map(str, (rows, tokens, prompt, rounds))
    command = [sys.executable, __file__, *(w for pair in zip(WORK, work) for w in pair), "--alone"]
    for who in ("ours", "trl", "trl", "ours"):
        done = subprocess.run([*command, who], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        seconds[who] += json.loads(done.stdout.splitlines()[-1])
    ours, theirs = map(statistics.median, seconds.values())
    n = 2 * rows * tokens  # two epochs
    print(f"{rows} answers of {tokens} tokens to {rows // 8} prompts of {prompt}, two epochs")
    print(
        f"TRL {n / theirs:.0f} tokens/s, ours {n / ours:.0f} tokens/s (processor time), "
        f"ratio {theirs / ours:.2f}"
    )


def with_room(rows, tokens, prompt, rounds):
    for each in (8, 1):
        answers = random_answers(rows, tokens, prompt, each)
        with tempfile.TemporaryDirectory() as folder:
            write_model(folder)
            update = our_updates(folder, answers)
            found = [(update(True), update(False)) for _ in range(rounds + 1)]
        kept, forgotten = map(statistics.median, zip(*found[1:]))
        print(
            f"{rows} answers of {tokens} tokens, {each} to a prompt of {prompt}: prompts kept {kept:.2f} s, "
            f"read again {forgotten:.2f} s, ratio {forgotten / kept:.2f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--before", metavar="REV", help="a git revision")
    parser.add_argument("--trl", action="store_true", help="beside TRL's GRPO")
    parser.add_argument("--room", action="store_true", help="with and without room for prompts")
    parser.add_argument("--alone", choices=["ours", "trl"], help="a process of --trl")
    parser.add_argument("--rounds", type=int, default=0, help="9, or 3 of a random model")
    parser.add_argument("--rows", type=int, default=0, help="48, or 32 of a random model")
    parser.add_argument("--tokens", type=int, default=0, help="of a random answer; two shapes when left out")
    parser.add_argument("--prompt", type=int, default=256, help="tokens of a random prompt")
    args = parser.parse_args()
    torch.set_num_threads(1)
    made_up = args.trl or args.room or args.alone
    rows, rounds = args.rows or (32 if made_up else 48), args.rounds or (3 if made_up else 9)
    if args.alone:
        return time_alone(args.alone, rows, args.tokens, args.prompt, rounds)
    if made_up:
        for tokens, prompt in [(args.tokens, args.prompt)] if args.tokens else SHAPES:
            (beside_trl if args.trl else with_room)(rows, tokens, prompt, rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        packages = [load_before(args.before, folder) if args.before else "chained_adv", "chained_adv"]
        answers, seconds, weights = sample(rows), ([], []), [None, None]
        for k in range(rounds + 1):  # the first round warms up
            for i in (0, 1) if k % 2 else (1, 0):
                taken, weights[i] = update(packages[i], answers)
                if k:
                    seconds[i].append(taken)
    before, after = map(statistics.median, seconds)
    apart = max((a - b).abs().max().item() for a, b in zip(*weights))
    print(f"{rows} answers, {sum(len(o.ids) for o in answers)} tokens")
    print(
        f"before {before:.3f} s, after {after:.3f} s, ratio {after / before:.2f}; "
        f"weights at most {apart:.1e} apart"
    )


if __name__ == "__main__":
    main()
