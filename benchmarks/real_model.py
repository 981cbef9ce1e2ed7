"""A real pretrained model: what it solves, and whether training moves it. Both commands go on where they were stopped.

    python benchmarks/real_model.py evaluate --model models/gemma_cut --problems HumanEval.jsonl \
        --out runs/real/humaneval_direct.jsonl [--stages 1,2,3,4,5] [--samples 4] [--tests] [--prompts plain]
    python benchmarks/real_model.py curve --model models/gemma_cut --seed 1 --out runs/real/curve_1 [--turns 75] \
        [--start benchmarks/curve]
    python benchmarks/real_model.py table runs/real/*.jsonl runs/real/curve_*

`evaluate` writes a line per problem: a greedy episode and some sampled ones (temperature .8), each solved or not, read
by Python or not, ended or cut; with `--tests` also the tests written about the greedy episode. `--stages 5` is direct
code.

`curve` trains generator and tester on direct code for problems of `easy`. A third of them, those whose
id has `stable_hash("held out", id) % 3 == 0`, is never trained on. Of the others it keeps those of which the untrained
model solves 1 to 7 of 8 samples (`selection.jsonl`): only there do a group's rewards differ. It trains the model whose
last norm is divided by `--temperature` (`model/`): the trainer samples at temperature 1, and a small model says too much
that is wrong there. The held-out problems are sampled from that model, too. A turn is a step of the
generator and one of the tester. It writes `metrics.jsonl` (a line per step), `evaluation.jsonl` (the held-out problems
before, now and then, and at the end) and `state.pt`, from which the same command goes on. With `--start` a run takes the
choice of problems and the first evaluation from another run's folder: they are the untrained model's, whatever the seed.

`table` prints what the files hold, with 95 % intervals (bootstrap over problems), in Markdown.
"""

import argparse
import json
import resource
import shutil
import time
from pathlib import Path
import torch
from chained_adv import models, trainer
from chained_adv.core import stable_hash
from chained_adv.evaluation import compare_evaluations, evaluate_players, evaluation_from_dict, has_syntax_error
from chained_adv.intervals import rate_interval
from chained_adv.loading import load_base
from chained_adv.models import ModelConfig, Players
from chained_adv.problems import load_problems
from chained_adv.rollout import distinct_verdicts, play
from chained_adv.sandbox import Sandbox
from chained_adv.config import TrainingConfig

RATES = ("solved_greedy", "solved", "syntax_error_rate", "truncation_rate", "validity", "bug_catch_rate")


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


def held_out(problem):
    return stable_hash("held out", problem.id) % 3 == 0


def training_config(a):
    model = ModelConfig(model=a.model, device="cpu", adapters="role", chain_stages=(5,), test_stages=(5,),
                        max_stage_tokens=80, max_test_tokens=80, max_rows=32)
    return TrainingConfig(out=str(a.out), model=model, stages=(5,), generator_lr=a.lr, discriminator_lr=a.lr,
                          problems_per_step=8, n_samples=8, n_lists=6, n_programs=3, order="uniform",
                          n_mutants=0, seed=a.seed)


def save_state(t, path, turn):
    "Everything that the next turn needs; written whole or not at all"
    state = dict(turn=turn, step=t.step, players=t.players.state(), sampler=t.sampler.state(),
                 callbacks=t.callbacks.state(), # programs of earlier steps, for tests to catch
                 optimizers=[[*key, o.state_dict()] for key, o in t.optimizers.items()])
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def load_state(t, path):
    "Go back to a saved state; returns the number of turns done"
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=False)
    t.step = state["step"]
    t.players.load_state(state["players"])
    t.sampler.restore(state["sampler"])
    t.callbacks.restore(state["callbacks"])
    for role, stage, saved in state["optimizers"]:
        t.optimizer(role, stage).load_state_dict(saved)
    return state["turn"]


def drop_after(path, name, last):
    "Forget lines that were written after the saved state"
    lines = [o for o in read_lines(path) if o[name] <= last]
    if path.exists():
        path.write_text("".join(json.dumps(o) + "\n" for o in lines))


@torch.no_grad()
def divide_logits(model, temperature):
    "Divide a model's logits in its last norm, whose weight some models keep as what is added to 1"
    norm, ids = model.get_decoder().norm.weight, torch.tensor([[2, 3, 4]])
    kept, wanted = norm.clone(), model(ids).logits / temperature
    for added in (0, 1):
        norm.copy_((added + kept) / temperature - added)
        if torch.allclose(model(ids).logits, wanted, atol=1e-3):
            return model
    raise SystemExit("the logits of this model cannot be divided in its last norm: use --temperature 1")


def model_of(a):
    "The folder of the model to train"
    if a.temperature == 1:
        return a.model
    folder = a.out / "model"
    if not (folder / "tokenizer_config.json").exists():
        model, tokenizer = load_base(a.model, "cpu", "float32")
        divide_logits(model, a.temperature).save_pretrained(folder)
        tokenizer.save_pretrained(folder) # the last file to be written
    return str(folder)


def begin(a):
    "What another run measured of the untrained model, where it is not there yet"
    for name in ("selection.jsonl", "evaluation.jsonl") if a.start else ():
        if not (a.out / name).exists():
            shutil.copy(Path(a.start) / name, a.out)


def select(a, easy, sandbox):
    "Training problems that the untrained model solves now and then"
    free = [p for p in easy if not held_out(p)]
    path = a.out / "selection.jsonl"
    settings = dict(model=a.name, of_model=a.temperature, samples=8, temperature=1., tests=False, seed=0)
    if len(read_lines(path)) <= len(free):
        players = Players(training_config(a).model)
        measure(players, free, sandbox, path, settings)
    rows = {o["id"]: sum(s["solved"] for s in o["samples"]) for o in same_settings(path, settings)}
    return [p for p in free if 1 <= rows[p.id] <= 7]


def curve(a):
    a.out = Path(a.out)
    a.out.mkdir(parents=True, exist_ok=True)
    begin(a)
    a.name = Path(a.model).name
    a.model = model_of(a)
    easy = load_problems("easy")
    with Sandbox() as sandbox:
        chosen, kept_out = select(a, easy, sandbox), [p for p in easy if held_out(p)]
        print(f"{len(chosen)} problems to train on, {len(kept_out)} held out", flush=True)
        with trainer.AdversarialTrainer(training_config(a), chosen, kept_out, sandbox, progress=False, selection=[]) as t:
            run_turns(a, t, kept_out, sandbox)


def run_turns(a, t, kept_out, sandbox):
    "Train from the saved state on, with evaluations on the way"
    done = load_state(t, a.out / "state.pt")
    drop_after(a.out / "metrics.jsonl", "step", t.step)
    drop_after(a.out / "evaluation.jsonl", "turn", done)
    for turn in range(done, a.turns + 1):
        if turn > done:
            for role in ("generator", "discriminator"):
                add_line(a.out / "metrics.jsonl", t.train_one(role, 5, "alternating") | dict(turn=turn))
        evaluated = {o["turn"] for o in read_lines(a.out / "evaluation.jsonl")}
        if turn % a.evaluate_every == 0 and turn not in evaluated:
            e = evaluate_players(t.players, kept_out, sandbox, a.samples, seed=stable_hash("evaluation"))
            save_state(t, a.out / "state.pt", turn)
            add_line(a.out / "evaluation.jsonl", dict(turn=turn, **e.as_dict()))
        elif turn % a.save_every == 0:
            save_state(t, a.out / "state.pt", turn)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"turn {turn} of {a.turns}, {time.process_time():.0f} s of processor time, {peak:.0f} MB", flush=True)


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


def curve_rows(folder):
    "Lines of the table about a run of `curve`"
    found = [(o.pop("turn"), evaluation_from_dict(o)) for o in read_lines(folder / "evaluation.jsonl")]
    for turn, e in found:
        rates = [e.rate(k) for k in RATES]
        cells = [f"{100 * r.value:.1f} ({100 * r.low:.1f} to {100 * r.high:.1f})" if r else "" for r in rates]
        yield f"| {folder.name} | {turn} | {' | '.join(cells)} |"
    if len(found) > 1:
        compared = compare_evaluations(found[-1][1], found[0][1])
        for k in RATES:
            if c := compared.get(k):
                d = c.difference
                yield (f"\n{k}: {100 * d.value:+.1f} points ({100 * d.low:+.1f} to {100 * d.high:+.1f}), "
                       f"p = {c.p_value:.3f}")


def table(a):
    files, folders = [o for o in a.paths if Path(o).is_file()], [Path(o) for o in a.paths if Path(o).is_dir()]
    if files:
        print("| problems | model | prompts | stages | solved, greedy | solved, sampled, % | solved by any sample "
              "| not Python, % | valid tests, % |\n" + "|---" * 9 + "|")
        for o in files:
            print(file_row(o))
    if folders:
        print(f"\n| run | turn | {' | '.join(f'{o}, %' for o in RATES)} |\n" + "|---" * (len(RATES) + 2) + "|")
        for folder in folders:
            for line in curve_rows(folder):
                print(line)


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
    c = commands.add_parser("curve")
    c.set_defaults(run=curve)
    c.add_argument("--lr", type=float, default=1e-4)
    c.add_argument("--temperature", type=float, default=.5, help="of the samples, to train and to evaluate")
    c.add_argument("--turns", type=int, default=75)
    c.add_argument("--evaluate-every", type=int, default=75)
    c.add_argument("--start", default="", help="folder of a run whose choice of problems and first evaluation are taken")
    c.add_argument("--save-every", type=int, default=3)
    for p in (e, c):
        p.add_argument("--model", required=True)
        p.add_argument("--out", required=True)
        p.add_argument("--seed", type=int, default=0)
        p.add_argument("--samples", type=int, default=4, help="sampled episodes per problem")
        p.add_argument("--threads", type=int, default=1, help="CPU threads of torch")
        p.add_argument("--unmerged", action="store_true", help="sample with the adapters beside the weights")
    t = commands.add_parser("table")
    t.set_defaults(run=table)
    t.add_argument("paths", nargs="+")
    a = o.parse_args()
    if hasattr(a, "threads"):
        torch.set_num_threads(a.threads)
    if not getattr(a, "unmerged", True):
        models.MERGED_BELOW = 10**9 # a copy of the weights per adapter: faster on a CPU, where they fit
    a.run(a)


if __name__ == "__main__":
    main()
