"""Controls for a run: rewards that a coin decides, and an end of the time. Both are callbacks, for the command line, too:

    chained-adv train --config recipes/qwen05_mbpp.toml --callbacks research.controls:RandomRewards
    chained-adv train --config recipes/qwen05_mbpp.toml --callbacks research.controls:StopAfter:3600
"""

import time
from statistics import mean
from chained_adv.callbacks import Callback
from chained_adv.core import ChainedAdvError, make_rng


class RandomRewards(Callback):
    """Replace every reward of both players by a coin: 0 or 1, whatever was written.

    All answers have the same distribution, so the advantages say nothing about them. Some models gain even so, because training makes
    likelier what they do anyway: what a run gains beyond this one is due to its rewards. The judge works as always, so the log still
    says how many programs were right.
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


class OutOfTime(ChainedAdvError):
    "The time of a call is over; the same command goes on"


class StopAfter(Callback):
    "Stop a run between two turns when its time is over, but not before one turn; raises `OutOfTime`"
    def __init__(self,
        seconds: float # From now on
    ):
        self.end = time.perf_counter() + seconds
        self.steps = 0 # of this process

    def after_step(self, line, rollout, samples): self.steps += 1

    def ends_phase(self, phase, turns):
        if self.steps and time.perf_counter() >= self.end:
            raise OutOfTime(f"the time is over after step {self.trainer.step}; resume the run to go on")
