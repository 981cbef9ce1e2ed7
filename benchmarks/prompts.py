"""What a real model answers to our prompts, before any training. Each part is one command that goes on where it was stopped.

    python benchmarks/prompts.py code models/qwen-0.5b --problems HumanEval.jsonl sanitized_mbpp.jsonl
    python benchmarks/prompts.py tests models/qwen-0.5b --problems sanitized_mbpp.jsonl --first 104
    python benchmarks/prompts.py stages models/qwen-0.5b --problems sanitized_mbpp.jsonl --first 104
    python benchmarks/prompts.py table runs/prompts/qwen-0.5b

`code` writes programs in one go, greedily, with the prompts of this package and with a plain prompt (`plain_code`, written by hand),
whose answers are cut in its favour (`cut_plain`). It also samples programs at temperature .8 with our prompts.

`tests` samples a chain of stages at .8 and a list of tests about each stage, and a list with a plain prompt (`plain_tests`). A test
counts once, and not at all if it stands in the prompt or if the limit of tokens cut it. A list catches a program if one of its first
four tests is valid and fails on the program. The programs are the wrong ones among the first three of `code`, so run that part first.

`stages` writes chains greedily, with several choices of stages, and counts their tokens. The table compares them with the direct
program of `code`, and with the best of its N samples at the same number of tokens.

Every answer is a line of `OUT/MODEL/PART.jsonl`, from which the tables are made.
"""

import argparse
import ast
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace
from real_model import add_line, read_lines
from chained_adv.config import ModelConfig
from chained_adv.core import stable_hash
from chained_adv.intervals import rate_interval
from chained_adv.models import Players, render_chat
from chained_adv.problems import load_problems
from chained_adv.matches import distinct_verdicts
from chained_adv.rollout import play, sample_chains
from chained_adv.sampling import sample_rows
from chained_adv.sandbox import Job, Sandbox
from chained_adv.stages import discriminator_prompt
from chained_adv.testcases import baseline_cases, parse_tests

CHOICES = ((1, 5), (3, 4, 5), (1, 2, 3, 4, 5))
N_WRONG = 3 # sampled programs a problem that lists should catch, if they are wrong
T = .8


# The plain prompts, written by hand

def plain_function(problem):
    signature = problem.function_signature.strip().rstrip(":") + ":"
    lines = problem.description.strip().replace("\r", "").replace('"""', "'''").split("\n")
    doc = "\n".join(["    " + o if o else "" for o in lines]).strip()
    text = f'{signature}\n    """{doc}\n    """'
    if problem.is_method:
        text = "class Solution:\n" + "\n".join("    " + o for o in text.split("\n"))
    return text


def plain_code(problem, is_chat):
    text = plain_function(problem)
    if not is_chat: return text + "\n"
    return f"Complete this Python function. Answer with the whole function and nothing else.\n\n```python\n{text}\n```"


def plain_tests(problem, is_chat):
    text = plain_function(problem)
    if not is_chat: return f"{text}\n    ...\n\n\n# Tests\nassert {problem.entry_point}"
    return f"Write four assert statements that test this function, one per line. Nothing else.\n\n```python\n{text}\n```"


def cut_plain(text):
    "The first fenced block with a function (it may lack its end), without what a program needs no more: tests and prints"
    blocks = [o.partition("\n")[2] for o in text.split("```")[1::2]] or [text]
    code = next((o for o in blocks if "def " in o), blocks[0])
    lines = code.rstrip().split("\n")
    while lines:
        try: tree = ast.parse("\n".join(lines))
        except SyntaxError: lines.pop()
        else:
            keep = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
            return ast.unparse(ast.Module([o for o in tree.body if isinstance(o, keep)], []))
    return code


def write_plain(player, problems, ask, limit, temperature=0., seed=0):
    "Answers to a plain prompt: (what the text continues, text, tokens, ended) of each problem"
    base, is_chat = player.base, bool(player.base.tokenizer.chat_template)
    asked = [ask(p, is_chat) for p in problems]
    texts = [render_chat(base.tokenizer, o, "") for o in asked] if is_chat else asked
    ids = base.tokenizer(texts, add_special_tokens=not is_chat).input_ids
    seeds = [seed + i for i in range(len(ids))]
    stops = None if is_chat else lambda o: "\n\n\n" in base.tokenizer.decode(o[-6:]) # a base model never ends
    answers = sample_rows(base.model, player.reader(), ids, limit, player.end_ids, temperature, seeds, stops, base.rows)
    for o, (written, _, ended) in zip(asked, answers):
        text = base.tokenizer.decode([i for i in written if i not in player.end_ids])
        yield "" if is_chat else o, text, len(written), ended


# Records

def solves(sandbox, problems, codes):
    jobs = [Job(code, baseline_cases(p), p.entry_point, p.function_signature) for p, code in zip(problems, codes)]
    return [bool(r.num_total) and r.passed for r in sandbox.run_many(jobs)]


def players_of(a, stages=(5,)):
    return Players(ModelConfig(model=a.model, device=a.device, dtype=a.dtype, adapters="unified", prompts=a.prompts,
                               chain_stages=stages, test_stages=stages, max_rows=a.rows))


def blocks(a, path, problems, key):
    "Blocks of problems without a line under this key"
    known = {o["id"] for o in read_lines(path) if o["arm"] == key}
    left = [p for p in problems if p.id not in known]
    done = len(problems) - len(left)
    for i in range(0, len(left), a.rows):
        yield left[i:i + a.rows]
        print(f"{path}, {key}: {min(i + a.rows, len(left)) + done} of {len(problems)}", flush=True)


def chain_row(arm, chain, solved, **more):
    return dict(arm=arm, id=chain.problem.id, solved=solved, code=chain.code, texts=chain.outputs,
                tokens={s: len(o.ids) for s, o in chain.answers.items()},
                ended={s: o.finished for s, o in chain.answers.items()}, **more)


def write_chains(a, path, problems, sandbox, stages, arm, n=1, temperature=0.):
    players = players_of(a, stages)
    for block in blocks(a, path, problems, arm):
        seed = stable_hash(arm, block[0].id, a.seed)
        chains = sample_chains(players, block, n, temperature=temperature, seed=seed).chains
        done = solves(sandbox, [c.problem for c in chains], [c.code for c in chains])
        for c, solved in zip(chains, done):
            add_line(path, chain_row(arm, c, solved))


# Parts

def code(a, path, problems, sandbox):
    write_chains(a, path, problems, sandbox, (5,), "ours")
    g = players_of(a).generator
    for block in blocks(a, path, problems, "plain"):
        written = list(write_plain(g, block, plain_code, g.max_tokens(5)))
        codes = [cut_plain(before + text) for before, text, _, _ in written]
        for p, (_, text, tokens, ended), program, solved in zip(block, written, codes, solves(sandbox, block, codes)):
            add_line(path, dict(arm="plain", id=p.id, solved=solved, code=program, texts=[text], tokens={5: tokens},
                                ended={5: ended}))
    if a.samples: write_chains(a, path, problems, sandbox, (5,), "sampled", a.samples, T)


def wrong_programs(path):
    "problem -> the wrong ones among its first samples"
    found = defaultdict(list)
    for o in read_lines(path):
        if o["arm"] == "sampled": found[o["id"]].append(o)
    if not found: raise SystemExit(f"{path} holds no sampled programs to catch: run the part `code` first")
    return {k: [o["code"] for o in own[:N_WRONG] if not o["solved"]] for k, own in found.items()}


def tests(a, path, problems, sandbox):
    wrong = wrong_programs(path.with_name("code.jsonl"))
    if lacking := [p.id for p in problems if p.id not in wrong]:
        raise SystemExit(f"no sampled programs of {len(lacking)} problems, for example {lacking[0]}: run the part `code` on them first")
    players = players_of(a, tuple(a.stages))
    for block in blocks(a, path, problems, "ours"):
        chains = play(players, block, sandbox, temperature=T, seed=stable_hash("tests", block[0].id, a.seed)).chains
        for chain in chains:
            for t in chain.lists:
                shown = chain.outputs[t.stage - 1]
                asked = discriminator_prompt(players.discriminator.prompts, chain.problem, t.stage, shown)
                row = list_row(chain.problem, t.answer.text, t.parsed, t.answer.finished, asked, wrong, sandbox)
                add_line(path, row | dict(arm="ours", stage=t.stage, tokens=len(t.answer.ids), shown=shown))
    d = players.discriminator
    for block in blocks(a, path, problems, "plain"):
        seed = stable_hash("plain", block[0].id, a.seed) % 2**62
        for p, (before, text, tokens, ended) in zip(block, write_plain(d, block, plain_tests, d.max_tokens(), T, seed)):
            text = before[before.rfind("assert"):] + text if before else text
            parsed = parse_tests(text, p.entry_point, p.function_signature)
            row = list_row(p, text, parsed, ended, plain_tests(p, not before), wrong, sandbox)
            add_line(path, row | dict(arm="plain", stage=0, tokens=tokens, shown=""))


def list_row(p, text, parsed, ended, asked, wrong, sandbox):
    "One list of tests: what it held, and which wrong programs its first four tests catch"
    validation = sandbox.validate_tests_against_solution(parsed, p.reference_solution, p.entry_point, p.function_signature)
    written = distinct_verdicts(SimpleNamespace(validation=validation))
    if written and not ended and not written[-1].test: written.pop() # the limit cut it
    is_copy = lambda v: (v.text or (v.test and v.test.text) or "").removeprefix("assert ").strip() in asked
    verdicts = [v for v in written if not (v.test and is_copy(v))]
    first = [v.test for v in [v for v in verdicts if v.test][:4] if v.passed]
    jobs = [Job(code, first, p.entry_point, p.function_signature) for code in wrong[p.id]] if first else []
    caught = [not r.passed for r in sandbox.run_many(jobs)] if jobs else [False] * len(wrong[p.id])
    told = [dict(text=v.text or v.test.text, kind=v.test.kind if v.test else "rejected", valid=v.passed, reason=v.reason)
            for v in verdicts]
    return dict(id=p.id, text=text, ended=ended, format=parsed.format, tests=told, caught=caught,
                copied=len(written) - len(verdicts))


def stages(a, path, problems, sandbox):
    for choice in CHOICES:
        write_chains(a, path, problems, sandbox, choice, "".join(map(str, choice)))


# Tables

def rate(values, problems=None):
    "With its 95 % interval; problems are drawn, not their lists or programs"
    if not values: return "-"
    i = rate_interval(values, problems)
    return f"{sum(values)} of {len(values)} ({i.low:.0%} to {i.high:.0%})"


def clustered(pairs):
    return rate([value for value, _ in pairs], [problem for _, problem in pairs])


def code_table(folder):
    by = defaultdict(dict)
    for o in read_lines(folder / "code.jsonl"): by[o["arm"]].setdefault(o["id"], []).append(o)
    yield "| arm | programs | solved | ended | tokens |\n|---|---|---|---|---|"
    for arm, of in by.items():
        rows = [o for own in of.values() for o in own]
        yield (f"| {arm} | {len(rows)} | {rate([o['solved'] for o in rows], [o['id'] for o in rows])} | "
               f"{sum(o['ended']['5'] for o in rows)} | {sum(o['tokens']['5'] for o in rows) / len(rows):.0f} |")
    both = by["ours"].keys() & by["plain"].keys()
    differ = {k: by["ours"][k][0]["solved"] - by["plain"][k][0]["solved"] for k in both}
    won, lost = [sorted(k for k in both if differ[k] == sign) for sign in (1, -1)]
    yield f"\nOurs against plain on {len(both)} problems: {len(won)} won, {len(lost)} lost.\n"
    yield f"won: {', '.join(won)}\nlost: {', '.join(lost)}"


def tests_table(folder):
    lines = read_lines(folder / "tests.jsonl")
    yield ("| about stage | lists | ended | read of pieces | valid of pieces | copied | programs caught |\n"
           "|---|---|---|---|---|---|---|")
    ours, plain = [[o for o in lines if o["arm"] == arm] for arm in ("ours", "plain")]
    groups = {str(s): [o for o in ours if o["stage"] == s] for s in range(1, 6)} | dict(all=ours, plain=plain)
    for name, own in groups.items():
        if not own: continue
        pieces = [(t["valid"], o["id"]) for o in own for t in o["tests"]]
        n_read = sum(t["kind"] != "rejected" for o in own for t in o["tests"])
        caught = [(c, o["id"]) for o in own for c in o["caught"]]
        yield (f"| {name} | {len(own)} | {sum(o['ended'] for o in own)} | {n_read} of {len(pieces)} | {clustered(pieces)} | "
               f"{sum(o['copied'] for o in own)} | {clustered(caught)} |")
    yield "\n| form of a test | ours | valid | plain | valid |\n|---|---|---|---|---|"
    forms = [defaultdict(list), defaultdict(list)]
    for form, own in zip(forms, (ours, plain)):
        for t in [t for o in own for t in o["tests"]]: form[t["kind"]].append(t["valid"])
    for kind in sorted({*forms[0], *forms[1]}):
        yield f"| {kind} | " + " | ".join(f"{len(form[kind])} | {sum(form[kind])}" for form in forms) + " |"
    why = Counter(t["reason"][:60] for o in ours for t in o["tests"] if t["kind"] == "rejected")
    yield f"\nNot read: {why.most_common(5)}"


def stages_table(folder):
    by, attempts = defaultdict(list), defaultdict(list)
    for o in read_lines(folder / "stages.jsonl"): by[o["arm"]].append(o)
    whole = set.intersection(*[{o["id"] for o in own} for own in by.values()])
    for o in read_lines(folder / "code.jsonl"):
        if o["id"] in whole and o["arm"] == "ours": by["5"].append(o)
        if o["id"] in whole and o["arm"] == "sampled": attempts[o["id"]].append(o)
    tokens = lambda o: sum(o["tokens"].values())
    yield "| stages | problems | solved | tokens a problem | by stage | ended by stage |\n|---|---|---|---|---|---|"
    for arm, own in by.items():
        mean = lambda key: " ".join(f"{s}: {sum(o[key][s] for o in own) / len(own):.3g}" for s in own[0][key])
        yield (f"| {arm} | {len(own)} | {rate([o['solved'] for o in own])} | {sum(map(tokens, own)) / len(own):.0f} | "
               f"{mean('tokens')} | {mean('ended')} |")
    for n in range(1, min(map(len, attempts.values()), default=0) + 1):
        spent = sum(tokens(o) for own in attempts.values() for o in own[:n]) / len(attempts)
        solved = [any(o["solved"] for o in own[:n]) for own in attempts.values()]
        yield f"| 5, one of {n} samples | {len(solved)} | {rate(solved)} | {spent:.0f} | | |"


PARTS = dict(code=(code, code_table), tests=(tests, tests_table), stages=(stages, stages_table))


def show(folder):
    for part, (_, table) in PARTS.items():
        if read_lines(folder / f"{part}.jsonl"): print(f"\n## {folder.name}, {part}\n", *table(folder), sep="\n")


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("part", choices=[*PARTS, "table"])
    o.add_argument("model", help="folder of the model; of its records with `table`")
    o.add_argument("--problems", nargs="+", default=[], help="files of problems")
    o.add_argument("--first", type=int, default=0, help="first problem of each file")
    o.add_argument("--limit", type=int, default=None, help="problems of each file")
    o.add_argument("--prompts", default="auto", help="prompt set, or a JSON file")
    o.add_argument("--samples", type=int, default=5, help="programs that `code` samples a problem")
    o.add_argument("--stages", type=int, nargs="+", default=[1, 2, 3, 4, 5], help="stages of the chains of `tests`")
    o.add_argument("--out", type=Path, default=Path("runs/prompts"))
    o.add_argument("--rows", type=int, default=48, help="rows at a time")
    o.add_argument("--device", default="cpu")
    o.add_argument("--dtype", default="float32")
    o.add_argument("--seed", type=int, default=0)
    a = o.parse_args()
    if a.part == "table": return show(Path(a.model))
    folder = a.out / Path(a.model).name
    folder.mkdir(parents=True, exist_ok=True)
    problems = [p for f in a.problems for p in load_problems(f)[a.first:][:a.limit]]
    with Sandbox() as sandbox:
        PARTS[a.part][0](a, folder / f"{a.part}.jsonl", problems, sandbox)
    show(folder)


if __name__ == "__main__":
    main()
