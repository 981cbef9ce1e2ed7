"""Does a repair round help? Problems solved with failing tests sent back, with as many plain retries, and with as many candidates.

    python research/repair.py                                     the shipped model, untrained
    python research/repair.py --run runs/default                  a trained run

The engine gets no baseline tests: the discriminator's tests alone choose the program and are sent back. The baseline tests then
judge the chosen program. `told` sends the failing tests, `retry` asks again without a word about them, under the same conditions
(so both write equally many programs), and `candidates` writes them all at once. Differences are paired by problem.
"""
import argparse, json
from dataclasses import replace
from statistics import mean

import torch

from chained_adv.inference import InferenceEngine, find_checkpoint, load_players
from chained_adv.models import ModelConfig, Players
from chained_adv.sandbox import Sandbox, problem_job
from chained_adv.testcases import baseline_cases
from chained_adv.tiny.world import tiny_problems

def solve(players, problems, box, known, **how):
    "Chosen programs judged by the baseline tests: 1 or 0 per problem; programs per problem"
    bare = [replace(p, baseline_tests=(), reference_solution=p.reference_solution if known else "") for p in problems]
    results = InferenceEngine(players, box).solve_batch(bare, seed=1, **how)
    verdicts = box.run_many([problem_job(p, r.code, baseline_cases(p)) for p, r in zip(problems, results)])
    return [float(v.passed) for v in verdicts], mean(len(r.candidates) for r in results)

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", default="")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--problems", type=int, default=200)
    args = parser.parse_args()
    torch.set_num_threads(1)
    problems, n = tiny_problems("held_out", args.problems), args.rounds
    players = load_players(find_checkpoint(args.run), "cpu") if args.run else Players(ModelConfig(device="cpu"))
    told = players.generator.prompts
    silent = replace(told, feedback="{description}")
    with Sandbox() as box:
        for known in (True, False):
            rows = {}
            for name, prompts, how in (("first", told, {}), ("told", told, dict(repair=n)), ("retry", silent, dict(repair=n)),
                                       ("candidates", told, dict(n_candidates=n + 1))):
                players.generator.prompts = prompts
                rows[name], programs = solve(players, problems, box, known, **how)
                print(json.dumps(dict(run=args.run or "untrained", valid_tests_known=known, way=name, solved=mean(rows[name]), programs=programs)), flush=True)
            for other in ("retry", "candidates", "first"):
                won, lost = (sum(a > b for a, b in zip(x, y)) for x, y in ((rows["told"], rows[other]), (rows[other], rows["told"])))
                print(json.dumps(dict(told_against=other, won=won, lost=lost)), flush=True)

if __name__ == "__main__": main()
