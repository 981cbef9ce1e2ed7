"""A short run on the shipped model, by one process or by several; started by test_ranks.py.

    python tests/rank_run.py FOLDER 1,2            stages 1 and 2; a third word breaks rank 1: `nan` in its second
                                                   step, `oom` when it samples; `large` takes the shipped
                                                   vocabulary for a large one, which is read in pieces
"""
import sys, time
import torch
from chained_adv import sampling as rows, scoring as lmhead
from chained_adv.models import Player
from chained_adv.ranks import rank, wants_spread
from chained_adv.config import TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

def break_second_step():
    "What the policy says on rank 1 is not a number in the second step"
    logprobs, calls = Player.logprobs, []
    def broken(self, *args, **more):
        calls.append(1)
        found, *rest = logprobs(self, *args, **more)
        if rank() != 1 or len(calls) <= 6: return found, *rest
        print(f"not a number at {time.time():.2f}.", file=sys.stderr, flush=True)
        return found * float("nan"), *rest
    Player.logprobs = broken

def break_sampling():
    "Memory runs out on rank 1 when it samples"
    sample = rows.sample_tokens
    def broken(*args):
        if rank() == 1: raise torch.OutOfMemoryError("CUDA out of memory")
        return sample(*args)
    rows.sample_tokens = broken

def held(model):
    "Share of the numbers of its frozen layers that this rank holds"
    layers = [p for n, p in model.named_parameters() if ".layers." in n and "lora_" not in n]
    return sum(getattr(p, "to_local", lambda: p)().numel() for p in layers) / sum(p.numel() for p in layers)

def main(folder, stages, *more):
    if "nan" in more: break_second_step()
    if "oom" in more: break_sampling()
    if "large" in more: lmhead.PIECE = 20_000
    config = TrainingConfig(
        out=folder, stages=tuple(map(int, stages.split(","))),
        n_discriminator_steps=1, first_discriminator_steps=0, n_generator_steps=1, k_alternating_steps=1,
        problems_per_step=4, n_samples=4, n_lists=3, eval_samples=8, n_mutants=0,
        generator_lr=5e-5, discriminator_lr=5e-5) # as for a large model; Adam makes much of last digits at the tiny one's 3e-3
    with AdversarialTrainer(config, tiny_problems("train", 24), tiny_problems("held_out", 8), progress=False) as t:
        if wants_spread(): print(f"rank {rank()} holds {held(t.players.generator.base.model):.2f}")
        t.train_full_pipeline(resume=True)

if __name__ == "__main__": main(*sys.argv[1:])
