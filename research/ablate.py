"""Run an ablation of the default run, or one of the studies in a world of its own.

    python -m research.ablate --variants per_test,warm,baseline --seeds 0,1
    python -m research.ablate --study adversary --small --jobs 2

Both take long, so they can be stopped at any time, and the same command goes on.
"""

import ast
import json
from pathlib import Path

from chained_adv.cli import problem_sets
from chained_adv.core import ConfigError
from chained_adv.models import ModelConfig
from chained_adv.config import TrainingConfig
from research.ablation import VARIANTS, run_ablation, save_ablation
from research.arms import STUDIES, get_study
from research.command import (add_threads, make_parser, names, numbers, print_rows, run_command, show_progress,
                              whole)
from research.findings import save_findings, study_table
from research.runs import STUDY_STEPS, change_settings
from research.study import read_results, run_study

ALONE = ("problems", "samples", "n_mutants", "set", "device") # options of ablations, which studies do not take


def read_assignments(
    written: list[str] # Like `lora_rank=8`
) -> dict: # Name of a setting -> value
    "Read settings from the command line; raises `ConfigError`"
    found = {}
    for o in written:
        name, equals, text = o.partition("=")
        if not equals: raise ConfigError(f"--set {o}: write NAME=VALUE, like lora_rank=8")
        try: found[name.strip()] = ast.literal_eval(text)
        except (ValueError, SyntaxError): found[name.strip()] = text
    return found

def _list(args):
    "Print the variants of the ablation, or the arms of a study"
    known = get_study(args.study).arms if args.study else VARIANTS
    text = lambda o: ", ".join(f"{k}={v}" for k, v in (o.changes | dict(oracle=o.oracle)).items() if v != "")
    print_rows(("name", "what it is", "what it changes"), [(o.name, o.title, text(o)) for o in known.values()],
               args.json)

def _study(args):
    "Run what is missing of a study in its own world, and write its table and its diagram"
    if not args.study: raise ConfigError("--small is about a study; name it: --study adversary --small")
    if odd := [o for o in ALONE if getattr(args, o)]:
        raise ConfigError("--study has problems and a measure of its own: leave out "
                          + ", ".join("--" + o.replace("_", "-") for o in odd))
    study, out = get_study(args.study), args.out or f"runs/study_{args.study}"
    seeds = args.seeds or tuple(range(100, 103 if args.small else 105))
    run_study(args.study, out, seeds, args.jobs, args.small, args.model, args.token_budget, args.variants,
              show_progress)
    results = read_results(out)
    files = save_findings(args.study, results, out)
    if args.json: return print(json.dumps(dict(out=out, runs=results), indent=1))
    print(study_table(study, results), "", *files, sep="\n")

def _ablation(args):
    "Run what is missing of an ablation, and write its table and its figure"
    model, out = args.model or "tiny", args.out or "runs/ablation"
    path = Path(model)
    base = TrainingConfig(model=ModelConfig(model=str(path.resolve()) if path.exists() else model,
                                            device=args.device or "auto", adapters="stage"),
                          token_budget=args.token_budget or 60_000, eval_samples=8, **STUDY_STEPS)
    base = change_settings(base, read_assignments(args.set), "--set")
    train, held_out = problem_sets(args.problems or ("tiny" if model == "tiny" else "builtin"))
    measured = run_ablation(base, train, held_out, out, args.variants or None, args.seeds or (0, 1, 2), args.jobs,
                            args.samples or 1, 6 if args.n_mutants is None else args.n_mutants, show_progress)
    rows = save_ablation(measured, out)
    if args.json: return print(json.dumps(dict(out=out, rows=rows), indent=1))
    table = Path(out, "ablation.md").read_text(encoding="utf-8")
    print(f"{table}\ntable   {Path(out, 'ablation.csv')}\nfigure  {Path(out, 'ablation.png')}")

def main(argv: list[str] | None = None):
    "Run the command"
    parser = make_parser("Measure what each part is worth: runs with one thing changed, at equal tokens, on several "
                         "seeds. What a folder holds already is not done again.", """
python -m research.ablate --list
python -m research.ablate --jobs 2
python -m research.ablate --variants per_test,warm,baseline --seeds 0,1 --token-budget 20000 --out runs/small_study
python -m research.ablate --problems my.json --model Qwen/Qwen2.5-Coder-0.5B-Instruct --device cuda --out runs/study
python -m research.ablate --study weak --list
python -m research.ablate --study adversary --small --jobs 2
python -m research.ablate --study stages --seeds 100,101,102,103,104 --out runs/study_stages
python -m research.ablate --study weak --variants warm_staged,default --seeds 115,116 --out runs/default_weak""")
    add = parser.add_argument
    add("--study", choices=tuple(STUDIES), default="", help="a study in a world of its own: adversary (when does a "
        "tester pay?), stages (when do they pay?) or weak (what helps where baseline tests are weak?)")
    add("--small", action="store_true", help="of a study: the main arms in the cells that decide")
    add("--list", action="store_true", help="list the variants, with --study its arms")
    add("--variants", type=names, default=(), help="names of variants or arms, with commas; left out: all")
    add("--seeds", type=numbers, default=(), help="one run of each variant per seed, with commas; left out: 0,1,2, "
        "and of a study 100 to 104 (--small: to 102)")
    add("--jobs", type=whole(1), default=1, help="runs at the same time, each in a process of its own (default 1)")
    add("--out", default="", help="the study's folder; left out: runs/ablation or runs/study_NAME")
    add("--token-budget", type=whole(0), default=0, help="tokens that each run may generate while it trains, both "
        "players together; 0 is the study's own, 60,000 for ablations")
    add("--model", default="", help="model of both players: tiny, a folder, or a name on the Hugging Face hub; left "
        "out: tiny, and for a study the warm start of its world")
    add("--problems", default="", help="ablations: a problem file, builtin or tiny; left out: tiny for the tiny model")
    add("--samples", type=whole(1), help="ablations: sampled chains per held-out problem (default 1)")
    add("--n-mutants", type=whole(0), help="ablations: mutants per held-out problem; 0 leaves them out (default 6)")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="ablations: any other setting; repeatable")
    add("--device", default="", help="ablations: auto, cpu, cuda or cuda:N (default auto)")
    add("--json", action="store_true", help="print JSON")
    add_threads(parser)
    args = parser.parse_args(argv)
    run_command(_list if args.list else _study if args.study or args.small else _ablation, args, (args.model,))

if __name__ == "__main__": main()
