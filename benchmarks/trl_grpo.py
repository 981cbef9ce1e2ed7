"""TRL's GRPOTrainer with our reward on the tiny model: direct code, 24 problems x 6 answers a step, LoRA. Needs `pip install ".[trl]"`.

    python benchmarks/trl_grpo.py trl --steps 60        held-out problems solved before and after, and what a step costs
    python benchmarks/trl_grpo.py ours --steps 60       our own trainer with the same problems, answers, rank and learning rate
    python benchmarks/trl_grpo.py stages --steps 15     TRL, all five stages in one completion
    python benchmarks/trl_grpo.py cheats --steps 40     a model that sometimes cheats, trained with a reward by `exec` and with ours

`cheats` fine-tunes the tiny model on its own answers, of which half are right, and puts in place of one in eight a program that only fools a
reward: it exits with status 0, or returns an object that equals everything. Then TRL trains it twice, with the same seed. The `exec` reward runs program and tests in a forked process and takes
exit status 0 for "all tests passed", as many public rewards do. All held-out answers are judged by both.
"""
import argparse, json, os, signal, tempfile, time
from dataclasses import replace
from pathlib import Path

import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM

from chained_adv.command import make_config
from chained_adv.config import PPOConfig
from chained_adv.evaluation import evaluate_players
from chained_adv.loading import TINY, load_tokenizer
from chained_adv.sandbox import Sandbox
from chained_adv.sft import encode_pieces, fine_tune
from chained_adv.stages import generator_prompt, load_prompts
from chained_adv.tiny.world import tiny_problems
from chained_adv.tracking import read_metrics
from chained_adv.trainer import AdversarialTrainer
from chained_adv.trl import CodeReward, generator_rows

LR, RANK, ANSWERS, TOKENS = 1e-3, 16, 6, 96
CHEATS = "import sys\nsys.exit(0)", "class Any:\n    def __eq__(self, other): return True\ndef solve(*a): return Any()"


# Rewards

class Timed(CodeReward):
    "Our reward, and the seconds that it takes"
    def __call__(self, *given, **columns):
        started = time.perf_counter()
        try: return super().__call__(*given, **columns)
        finally: self.seconds = [*getattr(self, "seconds", ()), time.perf_counter() - started]


class ExecReward:
    "What is in public use: program and tests run by `exec` in a process of their own; exit status 0 means that all tests passed"
    __name__ = "ExecReward"
    def __init__(self, problems):
        self.tests = {p.id: "".join(f"\nassert {p.entry_point}(*{tuple(args)!r}) == {value!r}" for *args, value in p.baseline_tests) for p in problems}

    def run(self, text):
        child = os.fork()
        if not child: # only the program's own status leaves this block
            status = 1
            try:
                signal.alarm(2)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                exec(text, {})
                status = 0
            except SystemExit as e: status = e.code or 0
            except BaseException: pass
            os._exit(status if isinstance(status, int) else 1)
        return float(os.waitpid(child, 0)[1] == 0)

    def __call__(self, completions, problem=None, **columns): return [self.run(text + self.tests[p]) for text, p in zip(completions, problem)]


# TRL

def train_trl(o, folder, reward, rows, rollout=None, tokens=TOKENS):
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer # `ours` runs without it
    tokenizer = load_tokenizer(str(TINY))
    args = GRPOConfig("runs/trl", max_steps=o.steps, per_device_train_batch_size=ANSWERS * o.problems, steps_per_generation=1, num_generations=ANSWERS,
                      max_completion_length=tokens, learning_rate=LR, lr_scheduler_type="constant", beta=0., seed=o.seed, logging_steps=10, report_to=[],
                      save_strategy="no", use_cpu=True, bf16=False, disable_tqdm=True)
    lora = LoraConfig(r=RANK, lora_alpha=2 * RANK, target_modules="all-linear")
    return GRPOTrainer(str(folder), reward, train_dataset=Dataset.from_list(rows), processing_class=tokenizer, peft_config=lora, args=args, rollout_func=rollout)

@torch.no_grad()
def write(model, tokenizer, rows):
    "Sample an answer to each row"
    torch.manual_seed(7)
    tokenizer.padding_side, texts = "left", []
    for i in range(0, len(rows), 100):
        batch = tokenizer([r["prompt"] for r in rows[i:i + 100]], return_tensors="pt", padding=True)
        out = model.eval().generate(**batch, max_new_tokens=TOKENS, do_sample=True, temperature=1., top_k=0, top_p=1.)
        texts += tokenizer.batch_decode(out[:, batch.input_ids.shape[1]:], skip_special_tokens=True)
    model.train()
    return texts

def measure(o, trainer, held, judges):
    "Share of the held-out answers that each reward calls solved, and of those that cheat"
    rows = [r for r in generator_rows(held, "tags") for _ in range(o.samples)]
    texts = write(trainer.model, trainer.processing_class, rows)
    share = lambda xs: round(sum(xs) / len(rows), 3)
    found = {name: share(v == 1 for v in judge(texts, problem=[r["problem"] for r in rows])) for name, judge in judges.items()}
    return found | dict(cheats=share("xit" in t or "Any" in t for t in texts))

def run_trl(o, train, held):
    reward, judges = Timed(train, "tags"), dict(solved=CodeReward(held, "tags"))
    trainer = train_trl(o, TINY, reward, generator_rows(train, "tags"))
    before, started = measure(o, trainer, held, judges)["solved"], time.perf_counter()
    trainer.train()
    wall = time.perf_counter() - started
    return dict(before=before, after=measure(o, trainer, held, judges)["solved"], seconds=round(wall), step=round(wall / o.steps, 2),
                reward=round(sorted(reward.seconds)[len(reward.seconds) // 2], 3), tokens=trainer.state.num_input_tokens_seen)

def run_cheats(o, train, held):
    with tempfile.TemporaryDirectory() as folder:
        cheating_model(Path(folder), train, o.seed)
        judges = dict(exec_says=ExecReward(held), ours_says=CodeReward(held, "tags"))
        for name, reward in dict(exec=ExecReward(train), ours=CodeReward(train, "tags")).items():
            trainer = train_trl(o, folder, reward, generator_rows(train, "tags"))
            before = measure(o, trainer, held, judges)
            trainer.train()
            yield dict(reward=name, before=before, after=measure(o, trainer, held, judges))

def cheating_model(folder, problems, seed):
    "Write a tiny model that cheats in one answer of eight, and else writes what it wrote before"
    tokenizer, model = load_tokenizer(str(TINY)), AutoModelForCausalLM.from_pretrained(str(TINY), dtype=torch.float32)
    prompts = generator_rows(problems, "tags")
    texts = [CHEATS[i // 8 % 2] if i % 8 == 0 else text for i, text in enumerate(write(model, tokenizer, prompts))]
    rows = [encode_pieces(tokenizer, [(r["prompt"], False), (text + "<end>", True)]) for r, text in zip(prompts, texts)]
    fine_tune(model, rows, lr=1e-3, epochs=8, batch_tokens=1000, seed=seed, progress=False)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


# Five stages in one completion

def write_stages(model, tokenizer, prompts):
    "Prompts and completions in tokens, 1 for each token that the model wrote and 0 for each that we put between stages, and the programs"
    ids = tokenizer(prompts).input_ids
    written, mask, end = [[] for _ in ids], [[] for _ in ids], tokenizer.eos_token_id
    for stage in range(1, 6):
        if stage > 1: # as `generator_prompt` with the prompts "tags" asks for the next stage
            for row, own in zip(written, mask):
                row.append(tokenizer.convert_tokens_to_ids(f"<s{stage}>"))
                own.append(0)
        batch = tokenizer.pad(dict(input_ids=[a + b for a, b in zip(ids, written)]), padding_side="left", return_tensors="pt")
        with torch.no_grad(): out = model.eval().generate(**batch, max_new_tokens=64, do_sample=True, temperature=1., top_k=0, top_p=1.)
        stages = [o[:o.index(end)] if end in o else o for o in out[:, batch.input_ids.shape[1]:].tolist()]
        for row, own, text in zip(written, mask, stages):
            row += [*text, end]
            own += [1] * (len(text) + 1)
    model.train()
    return ids, written, mask, tokenizer.batch_decode(stages, skip_special_tokens=True)

def staged_prompts(problems):
    "Rows that ask for stage 1"
    prompts = load_prompts("tags")
    return [dict(prompt=str(generator_prompt(prompts, p, 1, [])), problem=p.id) for p in problems]

def run_stages(o, train, held):
    code_reward = CodeReward(train, "tags")
    def reward(completions, problem, program, **columns): return code_reward(program, problem=problem)
    def rollout(prompts, trainer):
        ids, written, mask, programs = write_stages(trainer.accelerator.unwrap_model(trainer.model), trainer.processing_class, prompts)
        return dict(prompt_ids=ids, completion_ids=written, logprobs=[[0.] * len(row) for row in written], env_mask=mask, program=programs)
    trainer = train_trl(o, TINY, reward, staged_prompts(train), rollout, 5 * 66)
    rows, judge = [r for r in staged_prompts(held) for _ in range(o.samples)], CodeReward(held, "tags")
    def solved():
        torch.manual_seed(7)
        programs = [p for i in range(0, len(rows), 100) for p in write_stages(trainer.model, trainer.processing_class, [r["prompt"] for r in rows[i:i + 100]])[3]]
        return round(sum(v == 1 for v in judge(programs, problem=[r["problem"] for r in rows])) / len(rows), 3)
    before, started = solved(), time.perf_counter()
    trainer.train()
    wall = time.perf_counter() - started
    return dict(before=before, after=solved(), seconds=round(wall), step=round(wall / o.steps, 2))


# Our own trainer

def run_ours(o, train, held):
    with tempfile.TemporaryDirectory() as folder, Sandbox() as box:
        config = make_config({})
        model = replace(config.model, chain_stages=(5,), test_stages=(5,), lora_rank=RANK, max_stage_tokens=TOKENS, device="cpu")
        config = replace(config, out=folder, model=model, stages=(5,), reward="baseline", n_discriminator_steps=0, first_discriminator_steps=0,
                         n_generator_steps=o.steps, k_alternating_steps=0, problems_per_step=o.problems, n_samples=ANSWERS, generator_lr=LR, seed=o.seed,
                         ppo=PPOConfig(epochs=1, minibatches=1, kl_coef=0.), eval_samples=1, n_mutants=0, episodes=0, callbacks=())
        solved = lambda players: round(sum(v for _, v in evaluate_players(players, held, box, o.samples, tested=0, seed=7).values["solved"]) / len(held) / o.samples, 3)
        with AdversarialTrainer(config, train, held[:1], progress=False, selection=train[:1]) as t:
            before, started = solved(t.players), time.perf_counter()
            t.train_full_pipeline()
            wall, steps = time.perf_counter() - started, read_metrics(folder)
            return dict(before=before, after=solved(t.players), seconds=round(wall), step=round(wall / o.steps, 2), steps=len(steps),
                        tokens=sum(s["generated_tokens"] for s in steps))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("what", choices=("trl", "stages", "ours", "cheats"))
    for name, default in dict(steps=60, problems=24, held_out=100, samples=4, seed=0).items():
        a.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    o = a.parse_args()
    torch.set_num_threads(1)
    train, held = tiny_problems("train", 600), tiny_problems("held_out", o.held_out)
    found = dict(trl=run_trl, stages=run_stages, ours=run_ours, cheats=run_cheats)[o.what](o, train, held)
    for row in [found] if isinstance(found, dict) else found: print(json.dumps(vars(o) | row), flush=True)


if __name__ == "__main__": main()
