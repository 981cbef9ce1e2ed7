"""Every prompt set asks every stage of both players in full. A new set in `PROMPT_SETS` is tested here as soon as it is there."""
import ast
import json
import re
import warnings
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from chained_adv.core import Problem
from chained_adv.problems import find_leaks, load_problems
from research.references import find_same_behaviour
from chained_adv.sandbox import Job, Sandbox
from chained_adv.stages import PROMPT_SETS, answer_kind, complete_output, discriminator_prompt, end_texts
from chained_adv.stages import find_end, generator_prompt, get_all_stages, load_prompts
from chained_adv.testcases import baseline_cases, parse_tests

SHARED = next((p / "shared/data" for p in Path(__file__).resolve().parents if (p / "shared/data").is_dir()), None)

PROBLEM = Problem("add", "Return a plus b, as {braces} and %s are text.", "def add(a: int, b: int) -> int:",
                  ("assert add(1, 2) == 3",), "def add(a, b): return a + b")
WRITTEN = [f"what was written at stage {s.id}" for s in get_all_stages()]


@pytest.fixture(params=PROMPT_SETS)
def prompts(request):
    return PROMPT_SETS[request.param]


def test_the_generator_reads_the_problem_and_all_it_has_written(prompts):
    for stage in get_all_stages():
        text = generator_prompt(prompts, PROBLEM, stage.id, WRITTEN[: stage.id - 1])
        assert PROBLEM.description in text and PROBLEM.function_signature in text
        assert all(o in text for o in WRITTEN[: stage.id - 1])
        assert not any(o in text for o in WRITTEN[stage.id - 1 :])


def test_a_stage_that_is_not_written_is_not_in_the_prompt(prompts):
    text = generator_prompt(prompts, PROBLEM, 5, [None, None, WRITTEN[2], None])
    assert WRITTEN[2] in text and "None" not in text


def test_the_discriminator_reads_the_problem_and_the_stage(prompts):
    for stage in get_all_stages():
        text = discriminator_prompt(prompts, PROBLEM, stage.id, WRITTEN[stage.id - 1])
        assert PROBLEM.description in text and WRITTEN[stage.id - 1] in text


def test_stages_are_told_apart(prompts):
    asked = [generator_prompt(prompts, PROBLEM, s.id, [None] * (s.id - 1)) for s in get_all_stages()]
    tested = [discriminator_prompt(prompts, PROBLEM, s.id, "x") for s in get_all_stages()]
    assert len(set(asked)) == len(set(tested)) == 5
    assert not set(asked) & set(tested)


def test_no_field_is_left_unfilled(prompts):
    for stage in get_all_stages():
        text = generator_prompt(prompts, PROBLEM, stage.id, WRITTEN[: stage.id - 1])
        text += discriminator_prompt(prompts, PROBLEM, stage.id, "x")
        left = re.findall(r"\{(?:id|title|task|test_task|output|description|signature|name)\}", text)
        assert not left


# Chat models

CHAT, FEW = PROMPT_SETS["chat"], PROMPT_SETS["few_shot"]


def test_a_chat_model_reads_the_problem_as_a_function():
    "With its docstring, and a method in its class"
    asked = generator_prompt(CHAT, PROBLEM, 5, [None] * 4)
    assert asked.startswith(f'```python\n{PROBLEM.function_signature}\n    """{PROBLEM.description}"""\n```\n')
    method = Problem("f", "Add 1.\n\n>>> f(1)\n2", "def f(self, a):", ([1, 2],), "")
    (block,) = re.findall(r"```python\n(.*?)```", generator_prompt(CHAT, method, 5, [None] * 4), re.S)
    (owner,) = ast.parse(block).body
    assert owner.name == "Solution" and ast.get_docstring(owner.body[0]) == "Add 1.\n\n>>> f(1)\n2"


def test_where_the_answers_of_a_chat_model_end():
    "A stage in words at the first fence; a program and a list of tests where their fence is closed"
    assert find_end(CHAT, "Add them. ```python\ndef", "stage") == (10, 13)
    for kind in ("code", "tests", "inputs"):
        assert find_end(CHAT, "def f(a):\n    return a\n```\nThis adds", kind) == (22, 26)
        assert find_end(CHAT, "```python\nf(1)", kind) is None
        assert end_texts(CHAT, kind) == ("\n```",)
    assert [answer_kind("generator", 5), answer_kind("generator", 4), answer_kind("discriminator", 5)] == ["code", "stage", "tests"]


def test_an_answer_ends_after_so_many_lines():
    "What of it we began counts as its first line; a line that is not over yet goes on"
    assert find_end(CHAT, " the list\n- n, a number\n- none", "stage", 3) is None
    assert find_end(CHAT, " the list\n- n, a number\n- none\n- more", "stage", 3) == (30, 31)
    assert find_end(CHAT, "(1) == 2\n" * 9, "tests", CHAT.tests_lines) == (35, 36)
    assert find_end(CHAT, "(1) == 2\n```\n\n\n", "tests", CHAT.tests_lines) == (8, 12), "what comes first"
    assert len(CHAT.answer_lines) == 5 and CHAT.answer_lines[4] == 0, "a program has any number"


def test_a_list_of_a_chat_model_is_read_with_what_we_began():
    "A test that is cut is left out, the whole ones count"
    asked = discriminator_prompt(CHAT, PROBLEM, 5, "def f(a): return a")
    assert (asked.begin, asked.kept) == (f"```python\nassert {PROBLEM.entry_point}", f"assert {PROBLEM.entry_point}")
    begin = asked.kept.replace(PROBLEM.entry_point, "add")
    read = parse_tests(begin + "(1, 2) == 3\nassert add(0, 0) == 0\nassert add(5, ", "add", PROBLEM.function_signature)
    assert [t.args for t in read.cases] == [(1, 2), (0, 0)]


@pytest.mark.parametrize("example, shown", list(zip((FEW.examples[2], FEW.examples[1]), CHAT.tester.split("you write")[1:])))
def test_the_tests_of_an_example_are_right_and_of_no_problem_set(example, shown):
    "They are about examples of `few_shot`, which are compared with the problem sets below"
    assert example.signature in CHAT.tester and example.description in CHAT.tester
    name = example.signature.split("(")[0].removeprefix("def ")
    code = complete_output(FEW, Problem("e", example.description, example.signature, (), ""), 5, example.outputs[4])
    with Sandbox() as box:
        result = box.execute_tests(code, shown.split("```")[1].removeprefix("python"), name, example.signature)
    assert result.passed and result.num_total == 4


# Few-shot prompts, for base models



def solved_examples():
    "The examples as problems, with all tests of theirs"
    for e in FEW.examples:
        problem = Problem(e.signature.split("(")[0], e.description, e.signature, (), "")
        code = complete_output(FEW, problem, 5, e.outputs[4])
        tests = tuple(line for text in e.tests for line in text.split("\n"))
        yield Problem(problem.id, e.description, e.signature, tests, code)


def test_the_examples_are_right_and_of_the_form_that_is_asked_for():
    with Sandbox() as box:
        for e, p in zip(FEW.examples, solved_examples()):
            (result,) = box.run_many([Job(p.reference_solution, baseline_cases(p), p.entry_point, p.function_signature)])
            assert result.passed and result.num_total >= 10
            for text in (*e.outputs, *e.tests):
                assert find_end(FEW, text) is None
            for text in e.tests:
                parsed = parse_tests(text, p.entry_point, p.function_signature)
                assert len(parsed.cases) == text.count("\n") + 1 >= 2 and not parsed.rejected
            assert find_end(FEW, e.outputs[4], "code") is None


def test_the_examples_have_no_statement_that_a_small_model_would_copy():
    for e in FEW.examples:
        (function,) = ast.parse(f"{e.signature}\n{e.outputs[4]}").body
        assert [type(o) for o in function.body] == [ast.Return]


@pytest.mark.parametrize("name", ["easy", "builtin", "humaneval/HumanEval_even.jsonl",
                                  "mbpp/sanitized_mbpp_even.jsonl"])
def test_no_example_is_a_problem_of_a_set(name):
    if "/" in name and not SHARED:
        pytest.skip("the shared data is not here")
    others = load_problems(SHARED / name if "/" in name else name)
    examples = list(solved_examples())
    with Sandbox() as box:
        assert find_leaks(examples, others) == [] and find_same_behaviour(examples, others, box) == []


def test_a_prompt_shows_the_stages_that_are_played_in_all_examples():
    asked = generator_prompt(FEW, PROBLEM, 5, [None, "Add.", None, None])
    assert asked.count("# Structured reasoning: ") == 4 and "Pseudocode" not in asked
    assert asked.count("Informal") == 0 and asked.endswith("# Structured reasoning: Add.\n\n")
    direct = generator_prompt(FEW, PROBLEM, 5, [None] * 4)
    assert direct.count("def ") == 4 and "#" not in direct
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ast.parse(direct + "    return a + b")


@pytest.mark.parametrize("text", ['Say """no""" and "yes"', "a \\ b \\n \\x \\N", "one\r\n\r\n    two\n>>> f(1)\n'x'", "ends with \\"])
def test_any_description_makes_a_docstring(text):
    problem = Problem("f", text, "def f(a)", (), "")
    code = complete_output(FEW, problem, 5, "    return a\n\n")
    assert code.endswith("    return a\n") and code.startswith("def f(a):\n")
    (function,) = ast.parse(code).body
    read = ast.get_docstring(function)
    assert " ".join(read.split()) == " ".join(text.replace('"""', "'''").split())


def test_where_code_ends():
    assert find_end(FEW, "    return 1\n\n    # more\n", "code") is None
    end, behind = find_end(FEW, "    x = 1\n\n    return x\n\nprint(f(1))", "code")
    assert "    x = 1\n\n    return x\n\nprint(f(1))"[:end].strip() == "x = 1\n\n    return x"
    assert find_end(FEW, "assert f(1) == 1\nassert f(2) == 2\n\n\ndef g") == (33, 35)


def test_examples_from_a_file(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(asdict(FEW) | {"name": "mine"}))
    mine = load_prompts(str(path))
    assert mine.name == "mine" and len(mine.examples) == 3
    asked = [generator_prompt(o, PROBLEM, 5, ["a", "b", "c", "d"]) for o in (mine, FEW)]
    assert asked[0] == asked[1]


def test_the_whole_program_is_judged(tmp_path):
    "A method and a plain function, each gone on with from its signature"
    for signature, body in (("def f(a):", "    return a + 1"), ("def f(self, a):", "    return a + 1")):
        p = Problem("f", "Add 1.", signature, ([1, 2],), "")
        code = complete_output(FEW, p, 5, body)
        with Sandbox() as box:
            (result,) = box.run_many([Job(code, baseline_cases(p), p.entry_point, p.function_signature)])
        assert result.passed
