"""What real models wrote is read as they meant it: `real_answers.jsonl.gz`, collected by `benchmarks/answers.py`"""
import ast
import gzip
import json
from pathlib import Path
from chained_adv.core import Problem
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import baseline_cases, parse_tests, read_program

with gzip.open(Path(__file__).with_name("real_answers.jsonl.gz"), "rt", encoding="utf-8") as f: LINES = [json.loads(line) for line in f]
PROBLEMS = {o["id"]: Problem(**{k: v for k, v in o.items() if k != "kind"}) for o in LINES if o["kind"] == "problem"}
# Answers to the plain prompt that are no programs until they are cut in its favour (`cut_plain`), as the recorded verdict was
CUT = {("gemma-270m", "plain", id) for id in ("mbpp/432", "mbpp/458", "mbpp/576")}
PROGRAMS, LISTS = [[o for o in LINES if o["kind"] == kind] for kind in ("program", "tests")]


def as_read(test, name):
    "A test as `meant` tells it"
    if test.kind == "code": return [ast.unparse(ast.parse(test.text))]
    call = f"{name}({', '.join([*map(repr, test.args), *(f'{k}={v!r}' for k, v in test.kwargs)])})"
    if test.kind in ("equal", "exact"): return [call, repr(test.expected)]
    return [{"is": f"assert {call} is {test.expected!r}", "truthy": f"assert {call}", "falsy": f"assert not {call}"}[test.kind]]


def asked(told):
    "The call of a test that is a statement, if it is compared with a value that has to be computed"
    node = ast.parse(told[0]).body[0]
    test = node.test if isinstance(node, ast.Assert) else None
    return ast.unparse(test.left) if isinstance(test, ast.Compare) else told[0]


def differences(o):
    "Tests that were meant and neither read nor refused with a reason, and tests that were read and not meant"
    p = PROBLEMS[o["id"]]
    parsed = parse_tests(o["text"], p.entry_point, p.function_signature)
    read, refused = [as_read(t, p.entry_point) for t in parsed.cases], "".join("".join(r.text.split()) for r in parsed.rejected)
    lacking = [m for m in o["meant"] if m not in read and asked(m) not in [r[0] for r in read]
               and "".join(asked(m).split()) not in refused]
    return lacking, [r for r in read if r not in o["meant"] and r[0] not in map(asked, o["meant"])]


def test_programs_are_read_as_they_were_meant():
    "The verdict on the program that we take from an answer is the recorded one"
    jobs = []
    for o in PROGRAMS:
        p = PROBLEMS[o["id"]]
        jobs.append(Job(read_program(o["text"], p.entry_point, o["ended"]).code, baseline_cases(p), p.entry_point, p.function_signature))
    with Sandbox(workers=2) as box: results = box.run_many(jobs)
    wrong = {(o["model"], o["prompts"], o["id"]) for o, r in zip(PROGRAMS, results) if o["solved"] != (bool(r.num_total) and r.passed)}
    assert CUT <= wrong
    assert len(PROGRAMS) > 800 and len(wrong - CUT) <= 2, wrong # none when this was written; a program may come close to its time limit


def test_lists_are_read_as_they_were_meant():
    found = {(o["model"], o["prompts"], o["id"], o["stage"]): differences(o) for o in LISTS}
    wrong = {k: v for k, v in found.items() if any(v)}
    n = sum(len(o["meant"]) for o in LISTS)
    assert n > 1300 and sum(len(a) + len(b) for a, b in wrong.values()) <= .03 * n, wrong # 33 when this was written, 12 of them in lists of the 1.5 billion model
