"""Does the tester's critique help a real model? A second program with and without it, on MBPP.

    python research/critique.py --model Qwen/Qwen2.5-Coder-0.5B-Instruct --problems sanitized_mbpp.jsonl --limit 40 --out critique.jsonl

The model writes a program (greedily, without the other stages), then reads its own program as the tester and writes a critique, then
a second program: `told` sees the first program and the critique, `asked` sees the first program and is only asked to check it. All
answers are greedy and no test is seen. The file has a line per problem; what is there is not done again.
"""
import argparse, json
from pathlib import Path

from chained_adv.feedback import generate_critique, with_feedback
from chained_adv.intervals import sign_test
from chained_adv.models import ModelConfig, Players
from chained_adv.problems import load_problems
from chained_adv.rollout import play
from chained_adv.sandbox import Sandbox

CHECK = "Check it and write it correctly."

def solve(players, problems, box):
    "Greedy programs, and whether they pass"
    chains = play(players, problems, box, stages=(), temperature=0, reward="baseline", unguarded=True).chains
    return [c.code for c in chains], [c.solved for c in chains]

def rows_of(players, problems, box):
    codes, first = solve(players, problems, box)
    critiques = generate_critique(players, problems, 5, codes)
    again = lambda remarks: solve(players, [with_feedback(players.generator.prompts, p, c, r) for p, c, r in zip(problems, codes, remarks)], box)
    (told_codes, told), (asked_codes, asked) = again([f"{o}\n{CHECK}" for o in critiques]), again([CHECK] * len(problems))
    for p, *o in zip(problems, first, told, asked, critiques, codes, told_codes, asked_codes):
        yield dict(problem=p.id, **dict(zip(("first", "told", "asked", "critique", "code", "told_code", "asked_code"), o)))

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--model", "--problems", "--out"): parser.add_argument(flag, required=True)
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--device", default="auto")
    args = parser.parse_args()
    problems, out = load_problems(args.problems)[:args.limit], Path(args.out)
    rows = [json.loads(o) for o in out.read_text().splitlines()] if out.exists() else []
    left = [p for p in problems if p.id not in {o["problem"] for o in rows}]
    with Sandbox() as box:
        players = left and Players(ModelConfig(model=args.model, device=args.device, chain_stages=(5,), test_stages=(5,)))
        for i in range(0, len(left), args.batch):
            rows += rows_of(players, left[i:i + args.batch], box)
            out.write_text("".join(json.dumps(o) + "\n" for o in rows))
            print(f"{len(rows)} of {len(problems)}", flush=True)
    count = {k: sum(o[k] for o in rows) for k in ("first", "told", "asked")}
    won, lost = (sum(o[a] > o[b] for o in rows) for a, b in (("told", "asked"), ("asked", "told")))
    print(json.dumps(dict(n=len(rows), **count, told_won=won, told_lost=lost, p=round(sign_test(won, lost), 3))))

if __name__ == "__main__": main()
