"""Controls for a run: rewards that a coin decides, and an end of the time. Both are callbacks, for the command line, too:

    chained-adv train --config recipes/qwen05_mbpp.toml --callbacks research.controls:RandomRewards
    chained-adv train --config recipes/qwen05_mbpp.toml --callbacks research.controls:StopAfter:3600
"""

import time
from statistics import mean
from chained_adv.callbacks import Callback
from chained_adv.core import make_rng


class RandomRewards(Callback):
    """Replace every reward of both players by a coin: 0 or 1, whatever was written.

    The coin doesn't look at the answer, so the advantages say nothing about it. Some models gain even so, because training makes likelier
    what they do anyway. So a run must gain more than this one before its rewards can be the reason. The updates are no smaller: eight coins
    nearly always differ, while a group of programs that are all right, or all wrong, teaches nothing. The judge works as always, so the log
    still says how many programs were right.
    """
    def attach(self, trainer):
        self.trainer, play = trainer, trainer.sample_rollout
        trainer.sample_rollout = lambda role, stage: self.toss(play(role, stage))

    def toss(self, rollout):
        "Toss the coin for each program and each list of tests"
        rng = make_rng(self.trainer.config.seed, "coin", self.trainer.step)
        coin = lambda: float(rng.random() < .5)
        for chain in rollout.chains:
            chain.generator_reward = coin()
            for tests in chain.lists: tests.reward, tests.credits = coin(), None
            if chain.lists: chain.discriminator_reward = mean(t.reward for t in chain.lists)
        return rollout


class StopAfter(Callback):
    "Stop a run when its time is over, as Ctrl-C does: the step that is under way ends and is saved"
    def __init__(self,
        seconds: float # From now on
    ):
        self.end = time.perf_counter() + seconds

    def attach(self, trainer): self.trainer = trainer

    def after_step(self, line, rollout, samples):
        if time.perf_counter() >= self.end: self.trainer.interrupted = True
