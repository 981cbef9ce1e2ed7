"""Write down what the rules of `hopeless` read in healthy runs, for tests/test_hopeless.py.

    python tests/healthy.py tests/healthy.jsonl.gz       adds a run for each of SEEDS (a minute each)
"""
import gzip, json, sys

import torch

from chained_adv.callbacks import Callback
from chained_adv.config import TrainingConfig
from chained_adv.hopeless import Hopeless
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

SEEDS = range(600, 610)

def rounded(figures): return {k: round(v, 4) if isinstance(v, float) and abs(v) > 1e-3 else v for k, v in figures.items()}

def main(path):
    torch.set_num_threads(1)
    for seed in SEEDS:
        # as a default run, with fewer steps at the beginning; every third trains one stage after the other or reads the whole list's reward
        more = [dict(), dict(joint=False), dict(reward="zero_sum")][seed % 3]
        config = TrainingConfig(seed=seed, first_discriminator_steps=8, n_generator_steps=2, problems_per_step=12, stages=(1, 5), **more)
        with AdversarialTrainer(config, tiny_problems("train", 240), progress=False) as trainer:
            watch = trainer.callbacks.find(Hopeless)
            steps = []
            class Note(Callback):
                def after_step(self, line, rollout, samples): steps.append((line["role"], rounded(watch.rows[line["role"]][-1])))
            trainer.callbacks.append(Note())
            for stage in config.stages: trainer.train_stage(stage)
        name = f"seed {seed} {'default' if not more else ' '.join(f'{k}={v}' for k, v in more.items())}"
        with gzip.open(path, "at") as f: f.write(json.dumps(dict(name=name, steps=steps)) + "\n")
        print(name, [o.kind for o in watch.alarms], watch.raised, flush=True)

if __name__ == "__main__": main(sys.argv[1])
