"""What it costs to keep episodes: time in the callback, and the size of its file, of a run with default settings.

    python benchmarks/episodes.py             the default run, about eight minutes of one core
    python benchmarks/episodes.py --short     a run of two stages and few steps, with a second one that keeps none in turns

A run does the same with and without the callback, apart from the callback's own work. So we time that work within the run, as
processor time, where nothing else can disturb it. `--short` compares whole steps as well: two trainers with the same seed, one
with and one without episodes, take each step one after the other, and change who is first.
"""
import argparse, tempfile, time
from pathlib import Path

import torch

from chained_adv.config import ModelConfig, TrainingConfig
from chained_adv.episodes import KeepEpisodes
from chained_adv.looking import EPISODES, read_episodes
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

TARGET = .02 # share of a run's time

class Timed(KeepEpisodes):
    "The same callback; sums up its processor time"
    spent = 0.

    def after_step(self, *args): self.timed(super().after_step, *args)
    def after_play(self, *args): self.timed(super().after_play, *args)

    def timed(self, hook, *args):
        start = time.process_time()
        hook(*args)
        self.spent += time.process_time() - start

def trainer(out, **settings):
    "A run on the small world, with the callback that sums up"
    config = TrainingConfig(out=str(out), model=ModelConfig(device="cpu"), **settings)
    made = AdversarialTrainer(config, tiny_problems("train", 240), tiny_problems("held_out", 200), progress=False)
    place = next(i for i, o in enumerate(made.callbacks) if isinstance(o, KeepEpisodes))
    made.callbacks[place] = Timed()
    made.callbacks[place].attach(made)
    return made, made.callbacks[place]

def whole(out):
    "One default run: the callback's share of it"
    run, kept = trainer(out)
    start = time.process_time()
    with run: run.train_full_pipeline()
    return kept.spent, time.process_time() - start

def in_turns(out, rounds):
    "Steps of two runs in turns: seconds with and without episodes"
    both = [trainer(out / str(n), episodes=n) for n in (2, 0)]
    seconds = [0., 0.]
    for o, kept in both: kept.before_run()
    for i in range(rounds):
        for role in ("discriminator", "generator"):
            for k in ((0, 1), (1, 0))[i % 2]:
                start = time.process_time()
                both[k][0].train_one(role, 1, role)
                seconds[k] += time.process_time() - start
    for o, _ in both: o.close()
    return seconds

def main():
    e = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    e.add_argument("--short", action="store_true")
    options = e.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if options.short:
            kept, none = in_turns(folder, 8)
            print(f"16 steps in turns: {kept:.2f} s with episodes, {none:.2f} s without: {kept / none - 1:+.2%}")
            return
        spent, total = whole(folder / "run")
        size, rows = (folder / "run" / EPISODES).stat().st_size, read_episodes(folder / "run")
        print(f"callback: {spent:.2f} of {total:.0f} s of processor time, {spent / total:.2%} (target {TARGET:.0%})")
        print(f"file: {size / 1e6:.2f} MB, {len(rows)} lines, {size / len(rows):.0f} bytes each")

if __name__ == "__main__": main()
