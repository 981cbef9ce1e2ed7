"""Collect real answers of real models, as `benchmarks/prompts.py` recorded them, into one small file for tests and pages.

    python benchmarks/answers.py runs/prompts --problems HumanEval.jsonl sanitized_mbpp.jsonl --out tests/real_answers.jsonl.gz

Each line is a problem, a program or a list of tests:

    {"kind": "problem", "id", "description", "function_signature", "baseline_tests", "reference_solution"}
    {"kind": "program", "model", "prompts", "id", "sampled", "text", "ended", "solved"}
    {"kind": "tests", "model", "prompts", "id", "stage", "shown", "text", "ended", "meant"}

`prompts` is `ours` or `plain`. `solved` says whether the program that was meant passes the problem's tests. `meant` lists the tests
that a reader finds in the text: [call, expected value] where both are literals, else [statement]. It is found with Python's own parser
(`meant_tests`), not with the reader of this package.
"""

import argparse
import ast
import gzip
import json
import random
from pathlib import Path
from real_model import read_lines
from chained_adv.problems import load_problems

PROGRAMS, LISTS, CHAINS = 100, 48, 48 # of a model and a way to ask


def statements(text):
    "Statements of a text that may lack its end, or hold lines that are no Python"
    lines = text.split("\n")
    while lines:
        try: return ast.parse("\n".join(lines)).body
        except SyntaxError as e: del lines[min(e.lineno or len(lines), len(lines)) - 1]
    return []


def is_literal(node):
    try: ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError): return False
    return True


def written(call, name):
    "A call with plain values"
    args = [repr(ast.literal_eval(o)) for o in call.args] + [f"{k.arg}={ast.literal_eval(k.value)!r}" for k in call.keywords]
    return f"{name}({', '.join(args)})"


def meant_tests(text, name):
    "The assertions of a text that call the function"
    blocks = [o.partition("\n")[2] for o in text.split("```")[1::2]]
    found = []
    for node in [o for block in blocks or [text] for o in statements(block)]:
        if not isinstance(node, ast.Assert) or name not in {o.id for o in ast.walk(node) if isinstance(o, ast.Name)}: continue
        test = node.test
        plain = (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
                 and isinstance(test.left, ast.Call) and ast.unparse(test.left.func) == name
                 and all(map(is_literal, [*test.left.args, *[k.value for k in test.left.keywords], *test.comparators])))
        told = [written(test.left, name), repr(ast.literal_eval(test.comparators[0]))] if plain else [ast.unparse(node)]
        if told not in found: found.append(told)
    return found


def choose(lines, n, seed):
    "Some of the lines, in their order; the same each time"
    return [lines[i] for i in sorted(random.Random(seed).sample(range(len(lines)), min(n, len(lines))))]


def programs(folder):
    lines = read_lines(folder / "code.jsonl")
    for prompts, arms in (("ours", ("ours", "sampled")), ("plain", ("plain",))):
        for o in choose([o for o in lines if o["arm"] in arms], PROGRAMS * len(arms), folder.name):
            yield dict(kind="program", model=folder.name, prompts=prompts, id=o["id"], sampled=o["arm"] == "sampled",
                       text=o["texts"][-1], ended=o["ended"]["5"], solved=o["solved"])


def lists(folder, names):
    lines = read_lines(folder / "tests.jsonl")
    for prompts in ("ours", "plain"):
        own = [o for o in lines if o["arm"] == prompts]
        chosen = choose(sorted({o["id"] for o in own}), LISTS if prompts == "plain" else CHAINS, folder.name)
        for o in [o for o in own if o["id"] in chosen]: # all lists about a chain, so that it is whole
            yield dict(kind="tests", model=folder.name, prompts=prompts, id=o["id"], stage=o["stage"], shown=o["shown"],
                       text=o["text"], ended=o["ended"], meant=meant_tests(o["text"], names[o["id"]]))


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("runs", type=Path, help="folder with one folder of records per model")
    o.add_argument("--problems", nargs="+", required=True, help="files of problems")
    o.add_argument("--out", type=Path, default=Path("tests/real_answers.jsonl.gz"))
    a = o.parse_args()
    problems = {p.id: p for f in a.problems for p in load_problems(f)}
    names = {k: p.entry_point for k, p in problems.items()}
    answers = [o for folder in sorted(a.runs.iterdir()) if (folder / "tests.jsonl").exists() for o in (*programs(folder), *lists(folder, names))]
    used = {o["id"] for o in answers}
    fields = "id description function_signature baseline_tests reference_solution".split()
    told = [dict(kind="problem") | {k: getattr(p, k) for k in fields} for p in problems.values() if p.id in used]
    text = "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in told + answers)
    a.out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{a.out}: {len(told)} problems, {len(answers)} answers, {a.out.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
