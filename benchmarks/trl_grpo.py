"""TRL's GRPOTrainer with our reward on the embedded model: direct code, 24 problems x 6 answers a step, LoRA. Needs `pip install ".[trl]"`.

    python benchmarks/trl_grpo.py --steps 60       held-out problems solved before and after, and what a step costs
"""
import argparse, json, time

import torch
from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer

from chained_adv.loading import TINY, load_tokenizer
from chained_adv.tiny.world import tiny_problems
from chained_adv.trl import CodeReward, generator_rows, to_dataset

a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name, default in dict(steps=60, problems=24, held_out=100, samples=4, seed=0).items(): a.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
o = a.parse_args()
torch.set_num_threads(1)
train, held, tokenizer, seconds = tiny_problems("train", 600), tiny_problems("held_out", o.held_out), load_tokenizer(TINY), {}

class Timed(CodeReward):
    def __call__(self, *given, **columns):
        started = time.perf_counter()
        try: return super().__call__(*given, **columns)
        finally: seconds.setdefault("reward", []).append(time.perf_counter() - started)

reward, judge = Timed(train, "tags"), CodeReward(held, "tags")
trainer = GRPOTrainer(str(TINY), reward, train_dataset=to_dataset(train, "tags"), processing_class=tokenizer,
    peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear"),
    args=GRPOConfig("runs/trl", max_steps=o.steps, per_device_train_batch_size=6 * o.problems, steps_per_generation=1, num_generations=6, max_completion_length=96, learning_rate=1e-3,
        lr_scheduler_type="constant", beta=0., seed=o.seed, logging_steps=10, report_to=[], save_strategy="no", use_cpu=True, bf16=False, disable_tqdm=True))

@torch.no_grad()
def solved():
    torch.manual_seed(7)
    tokenizer.padding_side = "left"
    rows, model, texts = [r for r in generator_rows(held, "tags") for _ in range(o.samples)], trainer.model.eval(), []
    for i in range(0, len(rows), 100):
        batch = tokenizer([r["prompt"] for r in rows[i:i + 100]], return_tensors="pt", padding=True)
        out = model.generate(**batch, max_new_tokens=96, do_sample=True, temperature=1., top_k=0, top_p=1.)
        texts += tokenizer.batch_decode(out[:, batch.input_ids.shape[1]:], skip_special_tokens=True)
    model.train()
    found = {}
    judge(texts, problem=[r["problem"] for r in rows], log_metric=found.__setitem__)
    return round(found["solved"], 3)

before, started = solved(), time.perf_counter()
trainer.train()
wall = time.perf_counter() - started
middle = lambda xs: round(sorted(xs)[len(xs) // 2], 3)
print(json.dumps(vars(o) | dict(before=before, after=solved(), seconds=round(wall), step=round(wall / o.steps, 2), reward=middle(seconds["reward"]), tokens=trainer.state.num_input_tokens_seen)))
