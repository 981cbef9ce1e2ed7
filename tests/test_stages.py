"""Every prompt set asks every stage of both players in full. A new set in `PROMPT_SETS` is tested here as soon as it is there."""
import re

import pytest

from chained_adv.core import Problem
from chained_adv.stages import PROMPT_SETS, discriminator_prompt, generator_prompt, get_all_stages

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
