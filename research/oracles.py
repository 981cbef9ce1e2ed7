"""Which tests count where no reference can say it.

In training a reference solution says which of the tester's tests are right. Many problems have none. Then the
programs and the tests themselves are all there is:

| oracle | a test counts if |
|---|---|
| `trusted` | it can be read |
| `vote` | at least half of the problem's sampled programs pass it |
| `agreement` | it is in the set that we believe (CodeT, Chen et al. 2022, https://arxiv.org/abs/2207.10397) |

For `agreement`, programs that pass the same tests form a set with these tests, and we believe the set with the largest
product of programs and tests.

All three can be wrong together with the programs: where most samples share a bug, `vote` and `agreement`
throw away the test that shows it. How much that costs is a row of the studies. Held-out figures are by the
reference all the same.

    AdversarialTrainer(config, problems, held_out, callbacks=[Oracle("vote")])
"""

from collections import Counter
from collections.abc import Sequence

from chained_adv.callbacks import Callback
from chained_adv.core import ConfigError, ExecutionResult, Verdict


def _votes(results):
    "For each test: True if half of the programs pass it"
    rows = zip(*(r.verdicts for r in results))
    return [2 * sum(v.passed for v in row) >= len(results) for row in rows]

def _agreement(results):
    "For each test: True if the set of programs that is believed passes it"
    sets = Counter(tuple(v.passed for v in r.verdicts) for r in results)
    return list(max(sets, key=lambda passed: sets[passed] * sum(passed)))

ORACLES = {"trusted": lambda results: [True] * len(results[0].verdicts), "vote": _votes, "agreement": _agreement}

def validate_by_programs(
    results: Sequence[ExecutionResult], # Of a problem's programs on the same suite; at least one
    oracle: str # A key of `ORACLES`
) -> ExecutionResult: # Of the suite: a test that counts has passed, one that cannot be read stays rejected
    "Decide which tests count by what programs did with them, in the form of a validation by the reference"
    why = f"does not count without a reference ({oracle})"
    counts = {True: ("passed", ""), False: ("wrong_value", why)}
    verdicts = [Verdict(ok, *counts[ok], v.test) if v.test else v
                for v, ok in zip(results[0].verdicts, ORACLES[oracle](results))]
    refused = any(v.test and not v.passed for v in verdicts)
    return ExecutionResult(tuple(verdicts), errors=(why,) if refused else ())

class Oracle(Callback):
    "Let the programs of a match say which of its tests count in training"
    def __init__(self, name: str): # A key of `ORACLES`
        if name not in ORACLES: raise ConfigError(f"oracle {name!r}: choose one of {', '.join(ORACLES)}")
        self.name = name

    def attach(self, trainer):
        "Put this oracle in the place of the reference"
        if self.name != "trusted" and trainer.config.n_programs < 2:
            raise ConfigError(f"oracle {self.name!r} asks several programs: n_programs must be at least 2")
        self.trainer = trainer
        trainer.validate = self.validate

    def validate(self, results: Sequence[ExecutionResult]) -> ExecutionResult: # For `rollout.judge`
        "Decide which tests of a match count, by its programs' results"
        return validate_by_programs(results, self.name)
