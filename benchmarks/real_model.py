"""What a real pretrained model solves. `evaluate` goes on where it was stopped; `benchmarks/mbpp.py` trains one.

    python benchmarks/real_model.py evaluate --model models/gemma_cut --problems HumanEval.jsonl \
        --out runs/real/humaneval_direct.jsonl [--stages 1,2,3,4,5] [--samples 4] [--tests] [--prompts plain]
    python benchmarks/real_model.py table runs/real/*.jsonl

`evaluate` writes a line per problem: a greedy episode and some sampled ones (temperature .8), each solved or not, read
by Python or not, ended or cut; with `--tests` also the tests written about the greedy episode. `--stages 5` is direct
code.

`table` prints what the files hold, with 95 % intervals (bootstrap over problems), in Markdown.
"""

import argparse
import json
import time
from pathlib import Path
import torch
from chained_adv.core import stable_hash
from chained_adv.evaluation import has_syntax_error
from chained_adv.intervals import rate_interval
from chained_adv.models import ModelConfig, Players
from chained_adv.problems import load_problems
from chained_adv.matches import distinct_verdicts
from chained_adv.rollout import play
from chained_adv.sandbox import Sandbox


def read_lines(path):
    "Lines of a file; one that a killed process had only begun is dropped, in the file, too"
    if not Path(path).exists():
        return []
    text = Path(path).read_text()
    whole = text[:text.rfind("\n") + 1]
    if whole != text:
        Path(path).write_text(whole)
    return [json.loads(o) for o in whole.splitlines()]


def add_line(path, row):
    with open(path, "a") as file:
        file.write(json.dumps(row) + "\n")


def same_settings(path, settings):
    "The lines that are there; refuses a file that was written with other settings"
    lines = read_lines(path)
    if not lines:
        path.parent.mkdir(parents=True, exist_ok=True)
        add_line(path, dict(settings=settings))
    elif lines[0]["settings"] != settings:
        raise SystemExit(f"{path} was written with other settings: {lines[0]['settings']}")
    return lines[1:]


def describe(chain, sample):
    "What became of one episode"
    return dict(solved=chain.solved, syntax_error=has_syntax_error(chain.code), baseline=chain.baseline.pass_rate,
                ended=sample.finished, tokens=len(sample.ids))


def measure(players, problems, sandbox, path, settings, at_once=16):
    "A line per problem; those that are there are kept. An interruption costs the problems that are played at once"
    known = {o["id"] for o in same_settings(path, settings)}
    left = [p for p in problems if p.id not in known]
    for i in range(0, len(left), at_once):
        block, start = left[i:i + at_once], time.process_time()
        tested = players.test_stages if settings["tests"] else ()
        greedy = play(players, block, sandbox, stages=tested, temperature=0)
        seed = stable_hash("real model", settings["seed"], block[0].id)
        sampled = play(players, block, sandbox, settings["samples"], stages=(), temperature=settings["temperature"],
                       seed=seed) if settings["samples"] else None
        seconds = time.process_time() - start
        for g, p in enumerate(block):
            chain, more = greedy.chains[g], sampled.matches[g].chains if sampled else []
            verdicts = [v.passed for t in chain.lists for v in distinct_verdicts(t)]
            row = dict(id=p.id, greedy=describe(chain, chain.answers[5]),
                       samples=[describe(c, c.answers[5]) for c in more],
                       tests=len(verdicts), valid=sum(verdicts), code=chain.code,
                       tokens=sum(len(s.ids) for s in chain.answers.values()))
            add_line(path, row)
        print(f"{path}: {len(known) + i + len(block)} of {len(problems)}, {seconds:.0f} s of processor time", flush=True)


def evaluate(a):
    stages = tuple(map(int, a.stages.split(",")))
    settings = dict(model=Path(a.model).name, problems=Path(a.problems).name, stages=list(stages), samples=a.samples,
                    temperature=a.temperature, prompts=a.prompts, tests=a.tests, seed=a.seed)
    problems = load_problems(a.problems)
    if a.every > 1:
        problems = [p for p in problems if stable_hash("part", p.id) % a.every == 0]
        settings["every"] = a.every
    players = Players(ModelConfig(model=a.model, device="cpu", adapters="unified", chain_stages=stages,
                                  test_stages=stages, prompts=a.prompts, max_rows=64,
                                  max_stage_tokens=160, max_test_tokens=120)) # those of `few_shot`, for any prompts
    with Sandbox() as sandbox:
        measure(players, problems, sandbox, Path(a.out), settings, a.at_once)


def shown(values, groups):
    i = rate_interval(values, groups)
    return f"{100 * i.value:.1f} ({100 * i.low:.1f} to {100 * i.high:.1f})" if i else ""


def file_row(path):
    "A line of the table about a file of `evaluate`"
    (head, *rows) = read_lines(path)
    s = head["settings"]
    ids = [o["id"] for o in rows]
    each = [(o["id"], c) for o in rows for c in o["samples"]]
    tests = [(o["id"], i < o["valid"]) for o in rows for i in range(o["tests"])]
    greedy = sum(o["greedy"]["solved"] for o in rows)
    part = lambda name: shown([float(c[name]) for _, c in each], [g for g, _ in each])
    valid = shown([float(v) for _, v in tests], [g for g, _ in tests])
    return (f"| {s['problems']} | {s['model']} | {s['prompts']} | {','.join(map(str, s['stages']))} | {greedy} of {len(ids)} "
            f"| {part('solved')} | {sum(any(c['solved'] for c in o['samples']) for o in rows)} "
            f"| {part('syntax_error')} | {valid} |")


def table(a):
    print("| problems | model | prompts | stages | solved, greedy | solved, sampled, % | solved by any sample "
          "| not Python, % | valid tests, % |\n" + "|---" * 9 + "|")
    for path in a.paths: print(file_row(path))


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = o.add_subparsers(required=True)
    e = commands.add_parser("evaluate")
    e.set_defaults(run=evaluate)
    e.add_argument("--problems", required=True, help="a problem file or `easy`")
    e.add_argument("--stages", default="5", help="stages that are written: 5 is direct code")
    e.add_argument("--temperature", type=float, default=.8)
    e.add_argument("--prompts", default="auto")
    e.add_argument("--tests", action="store_true", help="tests about the greedy episode, too")
    e.add_argument("--at-once", type=int, default=48, help="problems; more take more memory and less time")
    e.add_argument("--every", type=int, default=1, help="take one in so many problems, by a hash of the id")
    e.add_argument("--model", required=True)
    e.add_argument("--out", required=True)
    e.add_argument("--seed", type=int, default=0)
    e.add_argument("--samples", type=int, default=4, help="sampled episodes per problem")
    e.add_argument("--threads", type=int, default=1, help="CPU threads of torch")
    t = commands.add_parser("table")
    t.set_defaults(run=table)
    t.add_argument("paths", nargs="+")
    a = o.parse_args()
    if hasattr(a, "threads"):
        torch.set_num_threads(a.threads)
    a.run(a)


if __name__ == "__main__":
    main()
