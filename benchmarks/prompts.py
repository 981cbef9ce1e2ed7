"""What a chat model answers to our prompts, before any training. Each part is one command that goes on where it was stopped.

    python benchmarks/prompts.py code models/qwen-0.5b --problems HumanEval.jsonl sanitized_mbpp.jsonl
    python benchmarks/prompts.py tests models/qwen-0.5b --problems sanitized_mbpp.jsonl
    python benchmarks/prompts.py stages models/qwen-0.5b --problems sanitized_mbpp.jsonl

`code` writes programs in one go, greedily, with the prompts of this package and with a plain prompt (`plain_messages`, written by hand),
whose answers are cut in its favour (`cut_plain`). It also samples three programs a problem at temperature .8.

`tests` samples a chain of five stages at .8 and a list of tests about each stage. A test counts once, and not at all if it stands in the
prompt or if the limit of tokens cut it. A list catches a program if one of its first four tests is valid and fails on the program. The programs are the wrong ones among
the three of `code`, so run that part first.

`stages` writes chains greedily, with several choices of stages, and counts their tokens. It compares them with direct code that
is sampled N times for the same number of tokens.

Every answer is a line of `OUT/MODEL/PART.jsonl`; the tables are made from these files (`table OUT/MODEL`).
"""

import argparse
import ast
from collections import Counter, defaultdict
from pathlib import Path
from real_model import add_line, read_lines
from chained_adv.config import ModelConfig
from chained_adv.core import stable_hash
from chained_adv.intervals import rate_interval
from chained_adv.models import Players
from chained_adv.problems import load_problems
from chained_adv.rollout import distinct_verdicts, play, sample_chains
from chained_adv.rows import sample_rows
from chained_adv.sandbox import Job, Sandbox
from chained_adv.stages import discriminator_prompt
from chained_adv.testcases import baseline_cases

CHOICES = ((5,), (1, 5), (3, 5), (1, 3, 5), (3, 4, 5), (1, 2, 3, 4, 5))
T = .8


# The plain prompt, written by hand

def plain_messages(problem):
    signature = problem.function_signature.strip().rstrip(":") + ":"
    lines = problem.description.strip().replace("\r", "").replace('"""', "'''").split("\n")
    doc = "\n".join(["    " + o if o else "" for o in lines]).strip()
    text = f'{signature}\n    """{doc}\n    """'
    if problem.is_method:
        text = "class Solution:\n" + "\n".join("    " + o for o in text.split("\n"))
    ask = "Complete this Python function. Answer with the whole function and nothing else."
    return [{"role": "user", "content": f"{ask}\n\n```python\n{text}\n```"}]


def cut_plain(text):
    "The first fenced block with a function (it may lack its end), without what a program needs no more: tests and prints"
    blocks = [o.partition("\n")[2] for o in text.split("```")[1::2]] or [text]
    code = next((o for o in blocks if "def " in o), blocks[0])
    lines = code.rstrip().split("\n")
    while lines:
        try:
            tree = ast.parse("\n".join(lines))
        except SyntaxError:
            lines.pop()
            continue
        keep = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
        return ast.unparse(ast.Module([o for o in tree.body if isinstance(o, keep)], []))
    return code


def write_plain(players, problems, limit=250):
    "(text, tokens, ended) of each problem"
    base = players.generator.base
    render = lambda p: base.tokenizer.apply_chat_template(plain_messages(p), tokenize=False, add_generation_prompt=True)
    ids = base.tokenizer([render(p) for p in problems], add_special_tokens=False).input_ids
    ends, reader = players.generator.end_ids, players.generator.reader()
    answers = sample_rows(base.model, reader, ids, limit, ends, 0., None, None, base.rows)
    return [(base.tokenizer.decode([i for i in o if i not in ends]), len(o), ended) for o, _, ended in answers]


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
    for i in range(0, len(left), a.rows):
        yield left[i:i + a.rows]
        print(f"{path}, {key}: {min(i + a.rows, len(left)) + len(known)} of {len(problems)}", flush=True)


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
    players = players_of(a)
    for block in blocks(a, path, problems, "plain"):
        written = write_plain(players, block)
        codes = [cut_plain(text) for text, _, _ in written]
        for p, (text, tokens, ended), program, solved in zip(block, written, codes, solves(sandbox, block, codes)):
            add_line(path, dict(arm="plain", id=p.id, solved=solved, code=program, texts=[text], tokens={5: tokens},
                                ended={5: ended}))
    write_chains(a, path, problems, sandbox, (5,), "sampled", 3, T)


def tests(a, path, problems, sandbox):
    wrong = defaultdict(list)
    sampled = [o for o in read_lines(path.with_name("code.jsonl")) if o["arm"] == "sampled"]
    if not sampled: raise SystemExit(f"{path.parent} holds no sampled programs to catch: run the part `code` first")
    for o in sampled:
        if not o["solved"]: wrong[o["id"]].append(o["code"])
    players = players_of(a, (1, 2, 3, 4, 5))
    for block in blocks(a, path, problems, "lists"):
        chains = play(players, block, sandbox, temperature=T, seed=stable_hash("tests", block[0].id, a.seed)).chains
        for chain in chains:
            for t in chain.lists: add_line(path, list_row(chain, t, wrong[chain.problem.id], players, sandbox))


def list_row(chain, tests, wrong, players, sandbox):
    "One list of tests: what it held, and which wrong programs its first four tests catch"
    p, prompts = chain.problem, players.discriminator.prompts
    asked = discriminator_prompt(prompts, p, tests.stage, chain.outputs[tests.stage - 1])
    is_copy = lambda v: (v.text or (v.test and v.test.text) or "").removeprefix("assert ").strip() in asked
    written = distinct_verdicts(tests)
    if written and not tests.answer.finished and not written[-1].test: written.pop() # the limit cut it
    verdicts = [v for v in written if not (v.test and is_copy(v))]
    first = [v.test for v in [v for v in verdicts if v.test][:4] if v.passed]
    jobs = [Job(code, first, p.entry_point, p.function_signature) for code in wrong] if first else []
    caught = [not r.passed for r in sandbox.run_many(jobs)] if jobs else [False] * len(wrong)
    told = [dict(text=v.text or v.test.text, kind=v.test.kind if v.test else "rejected", valid=v.passed, reason=v.reason)
            for v in verdicts]
    return dict(arm="lists", id=p.id, stage=tests.stage, text=tests.answer.text, ended=tests.answer.finished,
                tokens=len(tests.answer.ids), format=tests.parsed.format, tests=told, caught=caught,
                copied=len(written) - len(verdicts), shown=chain.outputs[tests.stage - 1])


def stages(a, path, problems, sandbox):
    for choice in CHOICES:
        write_chains(a, path, problems, sandbox, choice, "".join(map(str, choice)))
    write_chains(a, path, problems, sandbox, (5,), "5 sampled", 8, T)


# Tables

def rate(values, problems=None):
    "With its 95 % interval; problems are drawn, not their lists or programs"
    if not values: return "-"
    i = rate_interval(values, problems)
    return f"{sum(values)} of {len(values)} ({i.low:.0%} to {i.high:.0%})"


def clustered(pairs):
    return rate([value for value, _ in pairs], [problem for _, problem in pairs])


def code_table(lines):
    by = defaultdict(dict)
    for o in lines: by[o["arm"]].setdefault(o["id"], []).append(o)
    yield "| arm | programs | solved | ended | tokens |\n|---|---|---|---|---|"
    for arm, of in by.items():
        rows = [o for own in of.values() for o in own]
        yield (f"| {arm} | {len(rows)} | {rate([o['solved'] for o in rows], [o['id'] for o in rows])} | {sum(o['ended']['5'] for o in rows)} | "
               f"{sum(o['tokens']['5'] for o in rows) / len(rows):.0f} |")
    both = by["ours"].keys() & by["plain"].keys()
    won = sorted(k for k in both if by["ours"][k][0]["solved"] > by["plain"][k][0]["solved"])
    lost = sorted(k for k in both if by["ours"][k][0]["solved"] < by["plain"][k][0]["solved"])
    yield f"\nOurs against plain on {len(both)} problems: {len(won)} won, {len(lost)} lost.\n"
    yield f"won: {', '.join(won)}\nlost: {', '.join(lost)}"


def tests_table(lines):
    yield "| about stage | lists | ended | read of pieces | valid of read | copied | programs caught |\n|---|---|---|---|---|---|---|"
    groups = [(str(s), [o for o in lines if o["stage"] == s]) for s in range(1, 6)] + [("all", lines)]
    for name, own in groups:
        if not own: continue
        pieces = [t for o in own for t in o["tests"]]
        read = [(t["valid"], o["id"]) for o in own for t in o["tests"] if t["kind"] != "rejected"]
        caught = [(c, o["id"]) for o in own for c in o["caught"]]
        yield (f"| {name} | {len(own)} | {sum(o['ended'] for o in own)} | {len(read)} of {len(pieces)} | {clustered(read)} | "
               f"{sum(o['copied'] for o in own)} | {clustered(caught)} |")
    yield f"\nForms: {dict(Counter(o['format'] for o in lines))}"
    why = Counter(t["reason"][:60] for o in lines for t in o["tests"] if t["kind"] == "rejected")
    yield f"Not read: {why.most_common(5)}"


def stages_table(lines):
    by = defaultdict(list)
    for o in lines: by[o["arm"]].append(o)
    tokens = lambda o: sum(o["tokens"].values())
    yield "| stages | solved | tokens a problem | by stage | ended by stage |\n|---|---|---|---|---|"
    for arm, own in by.items():
        if arm == "5 sampled": continue
        mean = lambda key: " ".join(f"{s}: {sum(o[key][s] for o in own) / len(own):.3g}" for s in own[0][key])
        yield (f"| {arm} | {rate([o['solved'] for o in own])} | {sum(map(tokens, own)) / len(own):.0f} | {mean('tokens')} | "
               f"{mean('ended')} |")
    attempts = defaultdict(list)
    for o in by["5 sampled"]: attempts[o["id"]].append(o)
    for n in range(1, 9) if attempts else ():
        spent = sum(tokens(o) for own in attempts.values() for o in own[:n]) / len(attempts)
        yield f"| 5, one of {n} solved | {rate([any(o['solved'] for o in own[:n]) for own in attempts.values()])} | {spent:.0f} | | |"


PARTS = dict(code=(code, code_table), tests=(tests, tests_table), stages=(stages, stages_table))


def show(folder):
    for part, (_, table) in PARTS.items():
        if lines := read_lines(folder / f"{part}.jsonl"):
            print(f"\n## {folder.name}, {part}\n", *table(lines), sep="\n")


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("part", choices=[*PARTS, "table"])
    o.add_argument("model", help="folder of the model; of its records with `table`")
    o.add_argument("--problems", nargs="+", default=[], help="files of problems")
    o.add_argument("--first", type=int, default=0, help="first problem of each file")
    o.add_argument("--limit", type=int, default=None, help="problems of each file")
    o.add_argument("--prompts", default="chat", help="prompt set, or a JSON file")
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
