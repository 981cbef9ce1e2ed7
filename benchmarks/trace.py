"""How much code runs in one training step: functions and modules of chained_adv that are entered, and the deepest stack.

    python benchmarks/trace.py           a table for each role: module, functions, lines of these functions
    python benchmarks/trace.py --json    the same for programs

We run one step of each role at stage 2, with the shipped tiny model, four problems and default settings otherwise.
Lambdas and comprehensions don't count as functions, but they count in the stack. We trace the trainer's thread alone:
the code of the judge's child processes isn't counted. We want these numbers to fall; no check enforces it.
"""

import argparse, json, sys, warnings
from collections import defaultdict
from pathlib import Path

import torch

import chained_adv
from chained_adv.models import ModelConfig
from chained_adv.config import TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

PACKAGE = str(Path(chained_adv.__file__).parent) + "/"
ROLES = ("generator", "discriminator")
SMALL = dict(
    first_discriminator_steps=0, n_discriminator_steps=1, n_generator_steps=1, k_alternating_steps=1,
    problems_per_step=4, n_samples=4, n_lists=4, eval_samples=4, n_mutants=0,
)


class Tracer:
    "Collect the code objects of the package that are entered, and how many of its frames are on the stack at most"

    def __init__(self):
        self.entered, self.deepest = set(), 0

    def __call__(self, frame, event, argument):
        "The function that `sys.setprofile` calls"
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        self.entered.add(frame.f_code)
        depth = 0
        while frame:
            depth += frame.f_code.co_filename.startswith(PACKAGE)
            frame = frame.f_back
        self.deepest = max(self.deepest, depth)


def lines_of(code) -> set:
    "Numbers of the lines of a function, from its first to its last"
    numbers = [number for *_, number in code.co_lines() if number]
    return set(range(min(numbers), max(numbers) + 1))


def summarize(tracer: Tracer) -> dict:
    "Totals, and for each module how many functions were entered and how many lines they have"
    functions, lines = defaultdict(set), defaultdict(set)
    for code in tracer.entered:
        module = code.co_filename.removeprefix(PACKAGE).removesuffix(".py").replace("/", ".")
        lines[module] |= lines_of(code)
        if not code.co_name.startswith("<"):
            functions[module].add(code)
    modules = {m: dict(functions=len(functions[m]), lines=len(lines[m])) for m in lines}
    modules = dict(sorted(modules.items(), key=lambda o: (-o[1]["functions"], o[0])))
    totals = {key: sum(o[key] for o in modules.values()) for key in ("functions", "lines")}
    return dict(**totals, modules=len(modules), deepest_stack=tracer.deepest, by_module=modules)


def trace_steps() -> dict:
    "Role -> what one of its steps enters"
    train, held_out = tiny_problems("train", 25), tiny_problems("held_out", 25)[:4]
    config = TrainingConfig(model=ModelConfig(device="cpu"), **SMALL)
    trainer = AdversarialTrainer(config, train, held_out, progress=False)
    found = {}
    for role in ROLES:
        tracer = Tracer()
        sys.setprofile(tracer)
        try:
            trainer.train_one(role, 2, "trace")
        finally:
            sys.setprofile(None)
        found[role] = summarize(tracer)
    trainer.close()
    return found


def print_table(role: str, found: dict):
    print(f"one {role} step enters {found['functions']} functions in {found['modules']} modules,")
    print(f"{found['lines']} lines; its stack is {found['deepest_stack']} frames of the package deep\n")
    width = max(map(len, found["by_module"]))
    print(f"{'module':{width}} functions lines")
    for module, counts in found["by_module"].items():
        print(f"{module:{width}} {counts['functions']:9} {counts['lines']:5}")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    found = trace_steps()
    if args.json:
        print(json.dumps(found, indent=1))
    else:
        for role in ROLES:
            print_table(role, found[role])


if __name__ == "__main__":
    main()
