"""The tiny model in plain transformers: the same tokens, the same logits, and answers to a chat"""
import pytest, torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from chained_adv.loading import TINY, load_base, load_tokenizer
from chained_adv.sandbox import Sandbox, problem_job
from chained_adv.stages import discriminator_prompt, generator_prompt, load_prompts
from chained_adv.testcases import baseline_cases, read_program
from chained_adv.tiny.world import tiny_problems

PROBLEMS, PROMPTS = tiny_problems("held_out", 40), load_prompts("tags")

@pytest.fixture(scope="module")
def plain():
    torch.set_num_threads(1)
    return AutoModelForCausalLM.from_pretrained(str(TINY), dtype=torch.float32).eval(), AutoTokenizer.from_pretrained(str(TINY))

def texts():
    for p in PROBLEMS:
        yield generator_prompt(PROMPTS, p, 5, [None] * 4)
        yield generator_prompt(PROMPTS, p, 3, ["Go over the numbers.", "list -> int"])
        yield discriminator_prompt(PROMPTS, p, 5, p.reference_solution)

def test_tokens_are_the_same(plain):
    ours = load_tokenizer(str(TINY))
    for text in texts():
        ids = ours(text, add_special_tokens=False).input_ids
        assert plain[1](text).input_ids == ids and plain[1].decode(ids) == text
        chat = plain[1].apply_chat_template([dict(role="user", content=str(text))], add_generation_prompt=True, return_dict=False)
        assert chat == ids

def test_logits_are_the_same(plain):
    (model, tokenizer), (ours, _) = plain, load_base(str(TINY), "cpu")
    for text in list(texts())[:30]:
        ids = tokenizer(text, return_tensors="pt").input_ids
        with torch.no_grad(): assert torch.equal(model(ids).logits, ours(ids).logits)

def test_its_programs_solve_problems(plain):
    "Greedy code by `generate`, without anything of ours but prompt and judge"
    (model, tokenizer), jobs = plain, []
    for p in PROBLEMS:
        prompt = tokenizer.apply_chat_template([dict(role="user", content=str(generator_prompt(PROMPTS, p, 5, [None] * 4)))], return_tensors="pt", return_dict=True)
        ids = model.generate(**prompt, max_new_tokens=80, do_sample=False)[0, prompt["input_ids"].shape[1]:]
        text = tokenizer.decode(ids, skip_special_tokens=True)
        jobs.append(problem_job(p, read_program(text, p.entry_point).code, baseline_cases(p)))
    with Sandbox() as box: solved = [r.passed for r in box.run_many(jobs)]
    assert .2 < sum(solved) / len(solved) < .7 # our own trainer reports .40 before training
