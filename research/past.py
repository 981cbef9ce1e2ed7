"""Past opponents and past tests: what was beaten once can be met again.

A player that only ever meets the latest version of the other side can forget what beat the earlier ones
(fictitious self-play, Heinrich et al. 2015, https://proceedings.mlr.press/v37/heinrich15.html). Two callbacks
keep something of the past in the game. No study has shown yet that they pay, so they are off unless a script
hands them over:

    AdversarialTrainer(config, problems, held_out, callbacks=[PastTests(8), PastOpponents(4)])
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from random import Random

import torch

from chained_adv.callbacks import Callback
from chained_adv.core import ConfigError, Problem, TestCase, make_rng, stable_hash
from chained_adv.models import Player
from chained_adv.matches import catching_tests
from chained_adv.rollout import Rollout
from chained_adv.testcases import parse_tests


# Past opponents

def _copy_into(parameters, tensors):
    with torch.no_grad():
        for p, t in zip(parameters, tensors): p.copy_(t)

@contextmanager
def play_as(
    player: Player, # Whose weights are exchanged
    weights: dict[int, dict[str, torch.Tensor]] # stage -> what plays there, of this or another of its stages
) -> Iterator[None]:
    "Let a player play some stages with other weights; its present ones are put back afterwards"
    parameters = [p for stage in weights for p in player.parameters(stage).values()]
    present = [p.detach().clone() for p in parameters]
    _copy_into(parameters, [t for tensors in weights.values() for t in tensors.values()])
    try: yield
    finally: _copy_into(parameters, present)

class PastOpponents(Callback):
    """Let players meet past versions of each other.

    A version is the adapters that a phase has trained: one, or all of a generator whose stages learn
    together. It is kept after each phase. A discriminator's version plays at every stage, because writing
    tests is one skill; a generator's only at the stages it comes from.
    """
    def __init__(self,
        size: int = 4, # Versions of each player to keep
        share: float = .25 # Share of the steps that are sampled against one of them
    ):
        if type(size) is not int or size < 1: raise ConfigError(f"past opponents, {size}: keep at least 1 version")
        if not 0 <= share <= 1: raise ConfigError(f"past opponents, {share}: the share of the steps is from 0 to 1")
        self.size = size
        self.share = share
        self.kept = [] # Dicts of role, step, and weights: stage -> tensors; oldest first

    def add(self,
        player: Player, # Whose weights to keep
        stages: tuple[int, ...], # Of which stages
        step: int # Training step at which they are kept
    ):
        "Keep a player's weights of some stages, as they are"
        copied = lambda stage: {n: p.detach().cpu().clone() for n, p in player.parameters(stage).items()}
        same = [o for o in self.kept if o["role"] == player.role]
        others = [o for o in self.kept if o["role"] != player.role]
        same.append(dict(role=player.role, step=step, weights={s: copied(s) for s in stages}))
        self.kept = sorted(others + same[-self.size:], key=lambda o: o["step"])

    def pick(self,
        role: str, # Of the opponent
        stages: tuple[int, ...], # At which it has to play
        rng: Random # Source of randomness
    ) -> dict[int, dict] | None: # stage -> weights, for `play_as`; None when there is none
        "Draw a past version of a role that can play at some stages"
        known = [o["weights"] for o in self.kept if o["role"] == role]
        if role == "discriminator": known = [dict.fromkeys(stages, t) for o in known for t in o.values()]
        fitting = [o for o in known if set(stages) <= set(o)]
        return rng.choice(fitting) if fitting else None

    def attach(self, trainer):
        "Refuse players that share their weights: one adapter for both roles has no opponent to keep"
        if trainer.config.model.adapters == "unified":
            raise ConfigError("past opponents need players with weights of their own, not adapters 'unified'")
        self.trainer = trainer

    def after_phase(self, phase):
        "Keep the present version of the players that have learned"
        for role in phase.roles:
            stages = self.trainer.learning_stages(role, phase.stage)
            self.add(self.trainer.players.role(role), stages, self.trainer.step)

    def during_rollout(self, role, stage):
        "Now and then let a past version of the other role play"
        trainer = self.trainer
        other = "discriminator" if role == "generator" else "generator"
        rng = make_rng(trainer.config.seed, "opponent", trainer.step)
        if rng.random() >= self.share: return nullcontext()
        at = trainer.players.test_stages if other == "discriminator" else (stage,)
        version = self.pick(other, at, rng)
        return play_as(trainer.players.role(other), version) if version else nullcontext()

    def state(self):
        "The versions kept"
        return dict(kept=self.kept) if self.kept else {}

    def restore(self, state):
        "Keep these versions"
        self.kept = state["kept"]


# Past tests

@dataclass
class BankedTest:
    "A test that caught something, and where it comes from"
    text: str # As it was written
    stage: int | None # Stage of the discriminator that wrote it; None for a test of no stage
    step: int # Training step at which it was banked
    news: int # Step at which it last caught a program that no step before had shown it
    killed: list[int] # Hashes of the programs that it caught, oldest first

def _read_alone(banked, problem):
    "The tests of a banked text, read with nothing around it"
    parsed = parse_tests(banked.text, problem.entry_point, problem.function_signature)
    return [replace(o, stage=banked.stage) for o in parsed.cases]

class TestBank:
    """Keep for each problem a few tests that caught wrong programs.

    A tester that has moved on no longer writes the tests that caught the mistakes of before, and a generator
    may take them up again. When there are too many, the test goes whose last catch of a new program is
    longest ago: it has done its work. A test is kept as its text, so that the bank is plain data; one whose
    text cannot be read alone as the same test is not kept.
    """
    __test__ = False # not a pytest class
    def __init__(self, size: int): # Tests to keep per problem
        self.size, self.kept = size, defaultdict(dict) # problem id -> key of the test -> `BankedTest`

    def replay(self,
        problem: Problem # Whose programs are judged
    ) -> list[TestCase]: # What the bank holds about it
        "Read the tests to judge a problem's programs with"
        return [o for banked in self.kept.get(problem.id, {}).values() for o in _read_alone(banked, problem)]

    def learn(self,
        rollout: Rollout, # After judging
        step: int # Its number
    ):
        "Bank the tests that caught something, and drop those that have found nothing new for longest"
        for c in rollout.chains:
            tests, code = self.kept[c.problem.id], stable_hash(c.code)
            for test in catching_tests(c):
                key, new = test.key, BankedTest(test.text, test.stage, step, step, [])
                if key not in tests and [o.key for o in _read_alone(new, c.problem)] == [key]: tests[key] = new
                if key in tests and code not in tests[key].killed:
                    tests[key].news = step
                    tests[key].killed = tests[key].killed[-19:] + [code]
            while len(tests) > self.size:
                stalest = min(tests, key=lambda k: (tests[k].news, len(tests[k].killed), k))
                del tests[stalest]

    def state(self) -> dict: # Plain values, for JSON
        "What the bank holds"
        return {id: {k: asdict(o) for k, o in tests.items()} for id, tests in self.kept.items()}

    def restore(self, state: dict): # What `state` returned
        "Hold what another bank held"
        banked = {id: {k: BankedTest(**o) for k, o in tests.items()} for id, tests in state.items()}
        self.kept = defaultdict(dict, banked)

class PastTests(Callback):
    """Let tests that caught something join the suites of later matches of the same problem.

    Programs are judged by them and `pass_rate` counts them, but nobody earns anything for writing them.
    """
    def __init__(self, size: int = 8): # Tests to remember per problem
        if type(size) is not int or size < 1: raise ConfigError(f"past tests, {size}: keep at least 1 test per problem")
        self.bank = TestBank(size)

    def attach(self, trainer):
        "Let the trainer judge with the bank"
        self.trainer = trainer
        trainer.earlier_tests = self.bank.replay

    def after_step(self, line, rollout, samples):
        "Remember the tests that caught something"
        self.bank.learn(rollout, line["step"])

    def state(self):
        "The tests remembered"
        tests = self.bank.state()
        return dict(tests=tests) if tests else {}

    def restore(self, state):
        "Remember these tests"
        self.bank.restore(state["tests"])
