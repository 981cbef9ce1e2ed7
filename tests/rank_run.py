"""A short run on the shipped model, by one process or by several; started by test_ranks.py.

    python tests/rank_run.py FOLDER 1,2            stages 1 and 2; a third word, `nan`, breaks rank 1 in its second step
"""
import sys
from chained_adv.models import Player
from chained_adv.ranks import rank
from chained_adv.settings import TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

def break_second_step():
    "What the policy says on rank 1 is not a number in the second step"
    logprobs, calls = Player.logprobs, []
    def broken(self, *args, **more):
        calls.append(1)
        found, *rest = logprobs(self, *args, **more)
        return (found * float("nan"), *rest) if rank() == 1 and len(calls) > 6 else (found, *rest)
    Player.logprobs = broken

def main(folder, stages, *more):
    if "nan" in more: break_second_step()
    config = TrainingConfig(
        out=folder, stages=tuple(map(int, stages.split(","))),
        n_discriminator_steps=1, first_discriminator_steps=0, n_generator_steps=1, k_alternating_steps=1,
        problems_per_step=4, n_samples=4, n_lists=3, eval_samples=8, n_mutants=0,
        generator_lr=1e-4, discriminator_lr=1e-4) # as for a large model; Adam makes much of last digits at the tiny one's 3e-3
    with AdversarialTrainer(config, tiny_problems("train", 24), tiny_problems("held_out", 8), progress=False) as t:
        t.train_full_pipeline(resume=True)

if __name__ == "__main__": main(*sys.argv[1:])
