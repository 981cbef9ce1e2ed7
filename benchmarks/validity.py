"""What limits the tests? The tester of runs, at several temperatures, by stage and by what the input leaves to compute.

    python -m benchmarks.validity tiny runs/default [--temperatures 1 .8 .6] [--problems 200]
    python -m benchmarks.validity tiny taught:500000

For each run (`tiny`: the model before training; `taught:N`: the same after N more tokens of supervised
fine-tuning on right tests only, which shows how well a model of this size computes expected values when
nothing but right ones was asked of it): one sampled chain per held-out problem, a list of tests
per stage at each temperature, all on the same chains. Prints tables in Markdown: the share of valid tests (each test of
a list once, and with copies) and of mutants that the valid ones catch, tests per list, validity by stage; then, for the first
temperature, by how many items of the input the problem's filter leaves, by the place in the list and by the type of
the input. Tests that are code have no number of items.
"""

import argparse
import tempfile
from collections import defaultdict
from statistics import mean
import torch
from chained_adv.core import Problem, make_rng
from chained_adv.loading import load_base
from chained_adv.mutants import find_live_mutants, mutation_scores
from chained_adv.inference import find_checkpoint, load_players
from chained_adv.models import ModelConfig, Players
from chained_adv.matches import distinct_verdicts
from chained_adv.rollout import judge, sample_chains, sample_tests
from chained_adv.sandbox import Sandbox
from chained_adv.sft import encode_pieces, fine_tune
from chained_adv.stages import PROMPT_SETS, discriminator_prompt
from chained_adv.tiny.world import (
    describe_spec,
    kept_items,
    spec_id,
    spec_problem,
    spec_signature,
    tiny_specs,
)
from research.build_tiny import training_specs
from research.writer import write_chain, write_tests

STAGES = (1, 2, 3, 4, 5)


def right_tests(spec, rng):
    "A tester's training sequence without mistakes"
    problem = Problem(spec_id(spec), describe_spec(spec, rng), spec_signature(spec), (), "")
    stage = rng.randint(1, 5)
    prompt = discriminator_prompt(PROMPT_SETS["tags"], problem, stage, write_chain(spec, rng)[stage - 1])
    return [(prompt, False), (write_tests(spec, stage, rng, 0.0) + "<end>", True)]


def taught(tokens):
    "The shipped model after more tokens, of right tests only"
    model, tokenizer = load_base("tiny", "cpu", "float32")
    rng, specs, rows = make_rng("right tests"), training_specs(), []
    while tokens > 0:
        rows.append(encode_pieces(tokenizer, right_tests(rng.choice(specs), rng)))
        tokens -= len(rows[-1].ids)
    fine_tune(model, rows, 1e-3, batch_tokens=2500, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return Players(ModelConfig(model=folder, prompts="tags", device="cpu"))


def load(name):
    if name == "tiny":
        return Players(ModelConfig(device="cpu"))
    if name.startswith("taught:"):
        return taught(int(name.removeprefix("taught:")))
    return load_players(find_checkpoint(name, "latest"), "cpu")


def share(verdicts):
    return f"{mean(v.passed for v in verdicts):.2f}" if verdicts else ""


def kept(spec, test):
    "How many items of a test's input the problem's filter leaves; None when the call is not one"
    try:
        return len(kept_items(spec, test.args))
    except Exception:  # any number of arguments, of any type
        return None


def match(players, problems, sandbox, temperature):
    rollout = sample_chains(players, problems, seed=0)
    sample_tests(players, rollout, temperature=temperature, seed=0)
    judge(rollout, sandbox)
    return rollout


def row(name, temperature, rollout, mutants, sandbox):
    "A line of the first table"
    by_stage = {s: [v for t in rollout.lists if t.stage == s for v in distinct_verdicts(t)] for s in STAGES}
    once, written = sum(by_stage.values(), []), [v for t in rollout.lists for v in t.validation.verdicts]
    valid = lambda c: [v.test for v in c.validation.verdicts if v.passed]
    given = [(c.problem, m, valid(c)) for c, m in zip(rollout.chains, mutants) if m]
    scores = mutation_scores(given, sandbox)
    killed = sum(k for k, _ in scores) / sum(n for _, n in scores)
    lengths = [f"{len(o) / len(rollout.lists):.1f}" for o in (once, written)]
    cells = [name, f"{temperature:g}", share(once), share(written), f"{killed:.2f}", *lengths]
    return f"| {' | '.join(cells + [share(o) for o in by_stage.values()])} |"


def split(rollout, specs):
    "What the table calls it, value -> verdicts of the reference"
    found = defaultdict(list)
    for spec, t in ((spec, t) for spec, m in zip(specs, rollout.matches) for c in m.chains for t in c.lists):
        for place, v in enumerate(distinct_verdicts(t), 1):
            found["place in the list", f"{place}" if place < 9 else "later"].append(v)
            found["type of the input", spec.source].append(v)
            if v.test and (n := kept(spec, v.test)) is not None:
                found["items that the filter leaves", f"{n}"].append(v)
    return found


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("runs", nargs="+", help="run folders, tiny, or taught:N")
    ap.add_argument("--temperatures", type=float, nargs="+", default=[1.0, 0.8, 0.6])
    ap.add_argument("--problems", type=int, default=200)
    a = ap.parse_args()
    torch.set_num_threads(1)
    specs, later = tiny_specs("held_out", a.problems), []
    problems = [spec_problem(o) for o in specs]
    with Sandbox() as sandbox:
        mutants = find_live_mutants(problems, sandbox, 6, 0)
        head = ["run", "temperature of the tests", "valid tests", "valid, copies counted", "mutants caught"]
        head += ["tests per list", "with copies"]
        head += [f"valid, stage {s}" for s in STAGES]
        print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
        for name in a.runs:
            players = load(name)
            for temperature in a.temperatures:
                rollout = match(players, problems, sandbox, temperature)
                print(row(name, temperature, rollout, mutants, sandbox), flush=True)
                if temperature == a.temperatures[0]:
                    later.append((name, split(rollout, specs)))
    head = ["run, first temperature", "by", "", "tests", "valid"]
    print(f"\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for name, found in later:
        for (by, value), verdicts in sorted(found.items()):
            if len(verdicts) >= 20:
                print(f"| {name} | {by} | {value} | {len(verdicts)} | {share(verdicts)} |")
