"""A real code model, trained on MBPP, with the controls of a reviewer. Every command goes on where it was stopped.

    python benchmarks/mbpp.py problems                      which problems the untrained model solves now and then
    python benchmarks/mbpp.py arm learning --seed 1         before, training, after; the other arms: random, baseline, frozen, fuzz
    python benchmarks/mbpp.py arm learning --seed 1 --humaneval ../shared/data/humaneval/HumanEval_even.jsonl
    python benchmarks/mbpp.py arm stages --seed 1 --set token_budget=125874 n_generator_steps=100 generator_lr=2e-4
    python benchmarks/mbpp.py table                         all that is there, with 95 % intervals, also to OUT/report.md

| arm | the generator learns from | the discriminator |
|---|---|---|
| learning | the discriminator's tests and the baseline ones | learns |
| random | a coin | learns from a coin |
| baseline | baseline tests alone | writes none in training |
| frozen | the discriminator's tests and the baseline ones | is the untrained model |
| fuzz | eight random inputs and the baseline tests | writes none in training |
| stages | baseline tests alone; it explains each problem before it writes the program, and both are trained | writes none in training |

All arms have the settings of `--config` and the same problems (`OUT/probe.jsonl`). With the recipe the generator takes the same number of
steps in each arm; an arm whose discriminator doesn't learn leaves its steps out. `--set` changes settings, for example
`--set token_budget=160000 device=cuda`: with a budget, arms end after so many tokens of both players instead.

A program with an explanation takes more tokens. So `stages` gets as many as `baseline` took (125,874 on record; `table` shows them), in as
many steps as they make, of 8 x 8 programs each. The second half of its training has half the rate: 2e-4 is 1.5e-4 on average.

A measurement has a line for each held-out problem: a greedy program, `--samples` sampled ones, and a list of tests about each of the first
`--lists` of these. Programs may be longer than in training (`--tokens`), so that programs which merely got shorter don't count as a gain.
The untrained model is measured once (`OUT/before`; with an explanation `OUT/before_stages`), and each arm after its training
(`OUT/ARM_SEED/after`). Random numbers depend on the problems alone. So before and after differ by the training, if the same version and
machine measure both: another processor rounds otherwise. The files' own tests decide. Those that can't run apart from the program run
beside it, where it could forge a pass: none of MBPP's do.

`--seconds` bounds a call: each phase (probe, before, training, after) stops at its next block or turn. A kill at any moment costs a block
of sixteen problems, or the turns since the last checkpoint. Run the same command again.
"""

import argparse
import sys
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import mean
import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
from chained_adv.checkpoints import CheckpointManager, check_same_settings # noqa: E402
from chained_adv.cli import gather_settings, problem_origin, problem_sets # noqa: E402
from chained_adv.command import make_config, read_settings # noqa: E402
from chained_adv.core import ChainedAdvError, ConfigError, stable_hash # noqa: E402
from chained_adv.evaluation import (chains_in_turn, observe_best_of, observe_discriminator, observe_generator, # noqa: E402
                                    observe_mutants)
from chained_adv.intervals import compare_paired, rate_interval # noqa: E402
from chained_adv.models import Players # noqa: E402
from chained_adv.mutants import find_live_mutants # noqa: E402
from chained_adv.problems import load_problems # noqa: E402
from chained_adv.rollout import judge, play, sample_chains, sample_tests # noqa: E402
from chained_adv.sandbox import Sandbox # noqa: E402
from chained_adv.tracking import describe_seconds, read_metrics # noqa: E402
from chained_adv.trainer import AdversarialTrainer, is_mixed, probe_problems # noqa: E402
from real_model import add_line, read_lines, same_settings # noqa: E402
from research.controls import StopAfter # noqa: E402

ARMS = dict(learning={}, random=dict(callbacks=("research.controls:RandomRewards",)), baseline=dict(reward="baseline"),
            frozen=dict(n_discriminator_steps=0), fuzz=dict(discriminator_model="fuzz:8"),
            stages=dict(reward="baseline", n_discriminator_steps=0, stages=(1, 5), chain_stages=(1, 5)))
BEFORE = {name: "before_stages" if name == "stages" else "before" for name in ARMS} # arm -> folder of its untrained model
AT_ONCE = 16 # problems measured at once
N_MUTANTS = 6 # of a problem
SHOWN = dict( # metric -> how the table calls it
    solved_greedy="solved, greedy", solved="solved, sampled", best_of="best of N by its tests", any_of="any of N",
    solved_ended="solved, of answers that end", truncation_rate="programs cut", validity="tests that are valid",
    bug_catch_rate="own wrong programs caught", mutation_score="mutants caught", test_truncation_rate="lists of tests cut")


class OutOfTime(ChainedAdvError):
    "The time of a call is over; the same command goes on"


class Clock:
    "The time of a call, and what it is spent on"
    def __init__(self, seconds): self.start, self.seconds = time.perf_counter(), seconds or float("inf")

    @property
    def left(self): return self.seconds - (time.perf_counter() - self.start)

    def check(self, text):
        "Print how far a phase is; raises `OutOfTime`"
        print(text, flush=True)
        if self.left <= 0: raise OutOfTime(f"the time is over ({text}); run the same command again to go on")


# Settings and problems

def config_of(a, arm="learning", seed=0):
    "Settings of an arm"
    if odd := [o for o in a.set if "=" not in o]: raise ConfigError(f"--set {odd[0]}: write NAME=VALUE")
    changed = read_settings(dict(o.split("=", 1) for o in a.set), "--set")
    own = dict(seed=seed, out=str(a.out / f"{arm}_{seed}"), eval_samples=AT_ONCE, n_mutants=0)
    return make_config(gather_settings(False, a.config, changed | ARMS[arm] | own))


def problems_of(a, config):
    "(to train on, held out)"
    train, held_out = problem_sets(**problem_origin(config.problems, config.model.model, {}, 0, config.held_out))
    return train, held_out[:a.held_out] if a.held_out else held_out


def untrained(config):
    "The model that both players start from, whatever the arm"
    return Players(replace(config.model, discriminator_model=""))


def probe(a, clock):
    "Count how often the untrained model solves each problem; returns the ids of those solved now and then"
    config = config_of(a)
    train, _ = problems_of(a, config)
    path, n = a.out / "probe.jsonl", config.probe_samples
    with Sandbox(timeout=config.timeout) as sandbox:
        rows = probe_problems(untrained(config), train, sandbox, n, path, clock.check, config.probe_enough)
    (a.out / "probe.done").write_text(f"{len(rows)}\n")
    return rows


def kept_problems(a, config, clock):
    "(to train on, held out): the problems to train on are those that the untrained model solves now and then, in direct code"
    train, held_out = problems_of(a, config)
    if not config.probe_samples: return train, held_out
    if not (a.out / "probe.done").exists(): probe(a, clock)
    kept = {o["id"] for o in read_lines(a.out / "probe.jsonl") if is_mixed(o)}
    return [p for p in train if p.id in kept], held_out


def problems(a):
    config = config_of(a)
    rows, n = probe(a, Clock(a.seconds)), config.probe_samples
    print(f"{len(rows)} problems probed, {n} samples each; solved by {mean(o['solved'] for o in rows) / n:.1%} of all samples; "
          f"{sum(o['cut'] for o in rows) / n / len(rows):.1%} of the answers cut; solved now and then, and so trained on: "
          f"{sum(map(is_mixed, rows))}")


# A measurement

def measure_block(players, block, sandbox, a):
    "Problem's position -> metric -> observations"
    seed = stable_hash("mbpp", block[0].id)
    greedy = play(players, block, sandbox, stages=(), temperature=0, unguarded=True)
    rollout = sample_chains(players, block, a.samples, seed=seed)
    tested = chains_in_turn(rollout, a.lists * len(block))
    sample_tests(players, rollout, chains=[c for _, c in tested], seed=seed)
    judge(rollout, sandbox, unguarded=True)
    observed = observe_generator(rollout, greedy) | observe_discriminator(tested)
    observed |= observe_mutants(rollout, tested, find_live_mutants(block, sandbox, N_MUTANTS), sandbox)
    observed["best_of"] = observe_best_of(rollout, a.samples, sandbox)[f"best_of_{a.samples}"]
    observed["any_of"] = [(i, float(any(c.solved for c in m.chains))) for i, m in enumerate(rollout.matches)]
    observed["solved_ended"] = [(i, float(c.solved)) for i, m in enumerate(rollout.matches) for c in m.chains
                                if c.answers[5].finished]
    rows = defaultdict(lambda: defaultdict(list))
    for name in SHOWN:
        for i, value in observed[name]: rows[i][name].append(round(value, 4))
    return rows, sum(rollout.tokens.values()) + sum(greedy.tokens.values())


def is_measured(path, problems): return {o["id"] for o in read_lines(path)[1:]} >= {p.id for p in problems}


def measure(make_players, config, held_out, path, a, clock):
    "Measure players on problems, a line each. A block that a kill interrupted is measured again"
    m = config.model
    settings = dict(model=Path(m.model).name, stages=list(m.chain_stages), prompts=m.prompts, dtype=m.dtype, temperature=m.temperature, tokens=m.max_stage_tokens,
                    samples=a.samples, lists=a.lists, problems=stable_hash([p.id for p in held_out]))
    known = {o["id"] for o in same_settings(path, settings)}
    if is_measured(path, held_out): return
    players, start, fresh = make_players(), time.perf_counter(), 0
    with Sandbox(timeout=config.timeout) as sandbox:
        for i in range(0, len(held_out), AT_ONCE):
            block = held_out[i:i + AT_ONCE]
            if all(p.id in known for p in block): continue
            rows, tokens = measure_block(players, block, sandbox, a)
            for k, p in enumerate(block):
                if p.id not in known: add_line(path, dict(id=p.id, values=rows[k]))
            fresh += len(block)
            left = (time.perf_counter() - start) / fresh * (len(held_out) - i - len(block))
            clock.check(f"{path}: {i + len(block)} of {len(held_out)} problems, {tokens} tokens, about {describe_seconds(left)} left")


def measure_sets(make_players, config, held_out, folder, a, clock):
    "Measure players on the held-out problems, and on HumanEval if it is given"
    sets = dict(mbpp=held_out) | (dict(humaneval=load_problems(a.humaneval)) if a.humaneval else {})
    kept = [] # the model is loaded once, and only if something is missing
    def players():
        if not kept: kept.append(make_players())
        return kept[0]
    for name, problems in sets.items(): measure(players, config, problems, folder / f"{name}.jsonl", a, clock)


# An arm

def train(a, config, train_set, held_out, clock):
    "Train an arm to its end"
    folder, config = Path(config.out), replace(config, probe_samples=0) # `train_set` is chosen
    if (folder / "config.json").exists(): check_same_settings(folder, config)
    if (folder / "summary.json").exists(): return
    stop = [StopAfter(clock.left)] if a.seconds else []
    with AdversarialTrainer(config, train_set, held_out, callbacks=stop, selection=train_set[:AT_ONCE]) as t:
        try: t.train_full_pipeline(resume=True)
        except KeyboardInterrupt:
            clock.check(f"{folder.name}: step {t.step}")
            raise


def trained(config):
    "The players after the last step; a player that did not learn is the untrained model"
    players = untrained(config)
    saved = CheckpointManager(Path(config.out, "checkpoints")).load_checkpoint("stage_5").tensors
    fresh = players.state()
    players.load_state(fresh | {k: v for k, v in saved.items() if k in fresh})
    return players


def arm(a):
    clock, config = Clock(a.seconds), config_of(a, a.arm, a.seed)
    train_set, held_out = kept_problems(a, config, clock)
    wide = replace(config, model=replace(config.model, max_stage_tokens=a.tokens or config.model.max_stage_tokens))
    measure_sets(lambda: untrained(wide), wide, held_out, a.out / BEFORE[a.arm], a, clock)
    train(a, config, train_set, held_out, clock)
    measure_sets(lambda: trained(wide), wide, held_out, Path(config.out, "after"), a, clock)
    table(a)


# The report

def by_problem(path):
    "Metric -> problem -> observations"
    found = defaultdict(dict)
    for row in read_lines(path)[1:]:
        for name, values in row["values"].items(): found[name][row["id"]] = values
    return found


def pooled(runs, name):
    "Problem -> mean over the seeds of its mean"
    means = [{id: mean(values) for id, values in run[name].items()} for run in runs]
    ids = {id for o in means for id in o}
    return {id: mean(o[id] for o in means if id in o) for id in sorted(ids)}


def rate(runs, name):
    each = [(id, float(v)) for run in runs for id, values in sorted(run[name].items()) for v in values]
    i = rate_interval([v for _, v in each], [id for id, _ in each]) if each else None
    return f"{i.value:.1%} ({i.low:.1%} to {i.high:.1%})" if i else ""


def change(runs, before, name):
    "Change in points, problem by problem, with its interval"
    first, second = pooled(runs, name), pooled(before, name)
    if not first.keys() & second.keys(): return ""
    d = compare_paired(first, second).difference
    return f"{100 * d.value:+.1f} ({100 * d.low:+.1f} to {100 * d.high:+.1f})"


def markdown(head, rows):
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (head, ["---"] * len(head), *rows))


def set_tables(out, name):
    "Tables of a set of problems: an arm's rates and changes, and its changes beyond those of the controls"
    untrained = {folder: by_problem(path) for folder in dict.fromkeys(BEFORE.values()) if (path := out / folder / f"{name}.jsonl").exists()}
    arms = {arm: {p.parts[-3].rpartition("_")[2]: by_problem(p) for p in sorted(out.glob(f"{arm}_*/after/{name}.jsonl"))} for arm in ARMS}
    arms = {arm: runs for arm, runs in arms.items() if runs}
    for arm, runs in arms.items():
        seeds = [f"seed {seed}" for seed in runs] if len(runs) > 1 else []
        before = untrained[BEFORE[arm]]
        ids = {id for run in runs.values() for id in run["solved"]} # not yet all of them, if a call was stopped
        first = defaultdict(dict, {key: {id: o for id, o in found.items() if id in ids} for key, found in before.items()})
        yield f"\n### {arm}, {name}, {len(ids)} problems, seeds {', '.join(runs)}\n"
        yield markdown(["", "before", "after", "change, points", *seeds],
                       [[label, rate([first], key), rate(runs.values(), key), change(list(runs.values()), [before], key),
                         *(change([o], [before], key) for o in runs.values() if seeds)] for key, label in SHOWN.items()])
    if len(untrained) == 2:
        first, second = untrained.values()
        yield f"\n### untrained, {name}, {len(second['solved'])} problems: an explanation first, beyond direct code\n"
        yield markdown(["", "direct", "with an explanation", "change, points"],
                       [[label, rate([first], key), rate([second], key), change([second], [first], key)] for key, label in SHOWN.items()])
    for control, label in dict(random="random rewards", baseline="baseline tests alone").items():
        compared = list(arms.pop(control, {}).values())
        if not compared or not arms: continue
        yield f"\n### {name}: beyond {label}, points\n"
        yield markdown(["", *arms], [[text, *(change(list(runs.values()), compared, key) for runs in arms.values())] for key, text in SHOWN.items()])


def cost_table(out):
    "What the training of each arm took"
    for folder in sorted(o.parent for o in out.glob("*/metrics.jsonl")):
        steps = read_metrics(folder)
        count = lambda role: sum(o["role"] == role for o in steps)
        seconds = lambda *names: sum(o.get(f"seconds_{k}", 0) for o in steps for k in names)
        yield [folder.name, count("generator"), count("discriminator"), sum(o["generated_tokens"] for o in steps),
               *(describe_seconds(seconds(k)) for k in ("generate", "execute", "update"))]


def table(a):
    parts = [text for name in ("mbpp", "humaneval") for text in set_tables(a.out, name)]
    costs = list(cost_table(a.out))
    if costs:
        head = ["arm", "generator steps", "discriminator steps", "tokens", "sampling", "judge", "updates"]
        parts += ["\n### Training\n", markdown(head, costs)]
    notes = ("Rates with 95 % intervals, a bootstrap over problems. A change is the mean over problems of after minus before, each the mean over the "
             "seeds: its interval is one over problems, for these seeds. One measurement of the untrained model serves all arms.")
    report = f"# Before and after\n\n{notes}\n" + "\n".join(parts) + "\n"
    if a.out.exists(): (a.out / "report.md").write_text(report)
    print(report)


def main(argv=None):
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = o.add_subparsers(required=True)
    parts = {name: commands.add_parser(name) for name in ("problems", "arm", "table")}
    for name, run in dict(problems=problems, arm=arm, table=table).items(): parts[name].set_defaults(run=run)
    parts["arm"].add_argument("arm", choices=ARMS)
    parts["arm"].add_argument("--seed", type=int, required=True, help="of the training")
    parts["arm"].add_argument("--humaneval", default="", help="a problem file to measure, too")
    parts["arm"].add_argument("--samples", type=int, default=8, help="programs of each problem")
    parts["arm"].add_argument("--tokens", type=int, default=320,
                              help="of a program that is measured, at most; 0 takes the limit of the training")
    parts["arm"].add_argument("--lists", type=int, default=4, help="of these programs, how many get a list of tests")
    for p in parts.values(): p.add_argument("--out", type=Path, default=Path("runs/mbpp"), help="folder of all arms")
    for name in ("problems", "arm"):
        p = parts[name]
        p.add_argument("--config", default=str(ROOT / "recipes/qwen05_mbpp.toml"))
        p.add_argument("--set", nargs="*", action="extend", default=[], metavar="NAME=VALUE", help="settings of all arms")
        p.add_argument("--held-out", type=int, default=0, help="measure so many held-out problems; 0 is all of them")
        p.add_argument("--seconds", type=float, default=0, help="of this call; 0 is no limit")
        p.add_argument("--threads", type=int, default=1, help="of torch on a CPU")
    a = o.parse_args(argv)
    a.out = a.out.resolve()
    torch.set_num_threads(getattr(a, "threads", 1))
    if a.run is not table: a.out.mkdir(parents=True, exist_ok=True)
    try: a.run(a)
    except (OutOfTime, ConfigError) as e: raise SystemExit(str(e)) from None


if __name__ == "__main__":
    main()
