"""Faults of training that others reported of projects like this one, each on a tokenizer of the kind that has it."""
import json, random, re
from bisect import bisect_left
from dataclasses import replace
from functools import cache
from itertools import accumulate

import numpy as np
import pytest
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from chained_adv.batches import credit_of_tests, discriminator_batch, token_spans, update_inputs
from chained_adv.core import ConfigError, Problem, ProblemError
from chained_adv.loading import TINY, as_text, decode, encode_text, end_tokens, load_base, load_tokenizer
from chained_adv.models import ModelConfig, Players, seeded
from chained_adv.ppo import Batch, PPOConfig, compute_advantages, create_optimizer, train_step
from chained_adv.matches import TestList
from chained_adv.rollout import play
from chained_adv.sampling import Sample
from chained_adv.sandbox import Sandbox
from chained_adv.sft import Example, encode_example, end_token
from chained_adv.testcases import parse_tests
from chained_adv.tiny.world import tiny_problems

TEXTS = ["assert f(1) == 2", "assert f([1, 2]) == [3]", "assert is_right('abc', x=True)", "return max(xs, default=0) # the largest"] * 4
WIDE = "🙂漢é👩‍👩‍👧字ß€𝔘" # of two to four bytes each
KINDS = ["llama", "gemma", "bytes", "tiny"]
CONTROL = ["<unk>", "<s>", "</s>"]

def make_tokenizer(kind):
    "`llama`: as Llama 2 and Mistral have it; `gemma`: without the blank before a text; `bytes`: as GPT-2, Qwen and Llama 3; `tiny`: ours"
    if kind == "tiny": return load_tokenizer(TINY)
    if kind == "bytes":
        tok = Tokenizer(models.BPE())
        tok.pre_tokenizer, tok.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        tok.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=330, special_tokens=CONTROL, initial_alphabet=alphabet, show_progress=False))
        return PreTrainedTokenizerFast(tokenizer_object=tok, bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    learned = Tokenizer(models.BPE())
    learned.normalizer = normalizers.Replace(" ", "▁")
    learned.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=140, show_progress=False))
    trained = json.loads(learned.to_str())["model"]
    pieces = dict.fromkeys([*CONTROL, *(f"<0x{i:02X}>" for i in range(256)), "▁", *trained["vocab"]])
    tok = Tokenizer(models.BPE({o: i for i, o in enumerate(pieces)}, [tuple(o) for o in trained["merges"]], unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    before, after = ([normalizers.Prepend("▁")], [decoders.Strip(" ", 1, 0)]) if kind == "llama" else ([], [])
    tok.normalizer = normalizers.Sequence([*before, normalizers.Replace(" ", "▁")])
    tok.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *after])
    return PreTrainedTokenizerFast(tokenizer_object=tok, bos_token="<s>", eos_token="</s>", unk_token="<unk>")

made = cache(make_tokenizer) # for tests that leave it as it is

def encode(tokenizer, text): return tokenizer(text, add_special_tokens=False).input_ids

@cache
def byte_names():
    "GPT-2's table: the character that names each byte"
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in shown]
    return {chr(b): b for b in shown} | {chr(256 + i): b for i, b in enumerate(others)}

def bytes_of(tokenizer, kind, i):
    "What a token adds to a text, from its name alone"
    name = tokenizer.convert_ids_to_tokens(i)
    if kind in ("bytes", "tiny"): return bytes(byte_names()[o] for o in name)
    return bytes([int(name[3:5], 16)]) if re.fullmatch("<0x..>", name) else name.replace("▁", " ").encode()

def brute_spans(tokenizer, kind, ids, text, spans):
    "Count bytes: a part begins after the tokens that all before it needs, and ends with the last token that it needs"
    pieces = [bytes_of(tokenizer, kind, i) for i in ids]
    if kind == "llama": pieces[0] = pieces[0].removeprefix(b" ")
    assert b"".join(pieces) == text.encode()
    written, wanted = (list(accumulate(map(len, o), initial=0)) for o in (pieces, map(str.encode, text))) # bytes
    needed = [bisect_left(written, n) for n in wanted] # character: tokens that all before it needs
    return [(needed[start], needed[end]) for start, end in spans]

@pytest.mark.parametrize("kind", KINDS)
def test_spans_are_those_that_bytes_give(kind):
    tokenizer, rng = made(kind), random.Random(0)
    for _ in range(12):
        lines = [f"assert f({''.join(rng.choices(WIDE + ' abc', k=rng.randint(0, 5)))!r}) == {rng.choice((1, 'é', '🙂', [2]))!r}" for _ in range(3)]
        text = "\n".join(lines)
        ids = encode(tokenizer, text)
        assert decode(tokenizer, ids) == text
        spans = [(a, b) for a in range(len(text) + 1) for b in range(a, len(text) + 1, 7)]
        answer = Sample([], ids, [0.] * len(ids), True, text)
        assert token_spans(tokenizer, answer, spans) == brute_spans(tokenizer, kind, ids, text, spans)

@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_cut_inside_a_character(kind):
    tokenizer = made(kind)
    text = "assert f('a') == 1\nassert f('🙂') == 2"
    ids = encode(tokenizer, text)
    n = next(n for n in range(len(ids)) if decode(tokenizer, ids[:n]).endswith("\ufffd"))
    answer = Sample([], ids[:n], [0.] * n, False, decode(tokenizer, ids[:n]))
    assert token_spans(tokenizer, answer, [(0, 18)]) == brute_spans(tokenizer, kind, ids, text, [(0, 18)])

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("begun", ["", "assert f", "assert "])
def test_the_credit_of_a_test_lies_on_its_tokens_alone(kind, begun):
    "Also where we wrote the beginning of the answer, and also that of the first test"
    tokenizer = made(kind)
    tests = ["assert f('🙂') == 1", "assert f('b') == 2", "assert f('é') == 3", "assert f('d') == 4"]
    ids, place = [], []
    for k, test in enumerate(tests): # test by test, so that we know whose each token is
        part = encode(tokenizer, test.removeprefix(begun) if k == 0 else f"\n{test}")
        if kind == "llama" and k: part = encode(tokenizer, f"x\n{test}")[len(encode(tokenizer, "x")):]
        ids += part
        place += [k] * len(part)
    sampled = decode(tokenizer, ids)
    text = begun + sampled
    assert text == "\n".join(tests)
    answer = Sample([], ids, [0.] * len(ids), True, text, begun=len(begun))
    for k in range(len(tests)):
        credits = [1. if i == k else 0. for i in range(len(tests))]
        credit = credit_of_tests(TestList(5, answer, parse_tests(text, "f"), credits=credits), tokenizer)
        said = [decode(tokenizer, [i]).strip() != "" for i in ids] # a line break between two tests is of neither
        assert [c > 0 for c, is_said in zip(credit, said) if is_said] == [o == k for o, is_said in zip(place, said) if is_said]
        assert all(o == k for c, o in zip(credit, place) if c > 0)

TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
TEMPLATES = {
    "no thoughts": TURNS + "{% endif %}",
    "a switch": TURNS + "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}",
    "always open": TURNS + "<think>\n{% endif %}",
    "open unless switched off": TURNS + "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% else %}<think>\n{% endif %}{% endif %}",
    "in brackets": TURNS + "[THINK]{% endif %}",
    "no system": "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TURNS + "<think>\n{% endif %}",
    "drops the system": TURNS.replace("{% for m in messages %}", "{% for m in messages if m.role != 'system' %}") + "{% endif %}"}

def make_chat_model(folder, template, special=True):
    "The shipped model with a chat template and the end of turn of ChatML"
    model, tokenizer = load_base("tiny", "cpu")
    tokenizer.add_tokens([AddedToken(o, special=special, normalized=False) for o in ("<|im_start|>", "<|im_end|>")], special_tokens=special)
    tokenizer.add_tokens([AddedToken(o, special=False, normalized=False) for o in ("<think>", "</think>")])
    tokenizer.chat_template = template
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)

def chat_players(folder, **config): return Players(ModelConfig(model=str(folder), device="cpu", prompts="chat", **config))

PROBLEM = Problem("sum", "Add the numbers.", "def f(xs):", ([[1], 1],), "def f(xs): return sum(xs)")

@pytest.mark.parametrize("name", TEMPLATES)
def test_fine_tuning_and_play_have_the_same_prompts(tmp_path, name):
    "To the token, with a system message and without; no prompt ends within a thought"
    make_chat_model(tmp_path, TEMPLATES[name])
    g = chat_players(tmp_path).generator
    for system in ("", "Be brief."):
        g.prompts = g.prompts.__class__(**vars(g.prompts) | dict(system=system))
        for asked in ("Sort xs.", "Print <|im_end|> and <think>.", " two\n\nlines\n"):
            messages = ([dict(role="system", content=system)] if system else []) + [dict(role="user", content=asked)]
            row, cut = encode_example(g.base.tokenizer, Example(tuple(messages), "ok", "", ""), 1, 400)
            played, = g.encode([as_text(g.base.tokenizer, asked)], 8)
            taught = [i for i, label in zip(row.ids, row.labels) if label == -100]
            assert played == taught and not cut
            text = decode(g.base.tokenizer, played)
            assert system in text and asked.strip() in text
            tail = text[text.rindex("assistant"):].lower()
            assert tail.count("think]") == 2 * tail.count("[think]") and tail.count("<think>") == tail.count("</think>")

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("special", [True, False])
def test_a_control_token_spelled_in_a_text_stays_text(kind, special):
    tokenizer = make_tokenizer(kind)
    tokenizer.add_tokens([AddedToken("<|im_end|>", special=special, normalized=False)], special_tokens=special)
    turn, = encode(tokenizer, "<|im_end|>")
    for text in ("<|im_end|>", "print('<|im_end|>')", "a <|im_end|><|im_end|> b", "end <|im_end|> ."):
        prompt = f"{as_text(tokenizer, text)}<|im_end|>" # the last one is the template's
        ids = encode_text(tokenizer, prompt)
        assert encode(tokenizer, f"{text}<|im_end|>").count(turn) > 1, "without the mark they are control tokens"
        assert ids.count(turn) == 1 and ids[-1] == turn and decode(tokenizer, ids[:-1]) == text
    assert as_text(tokenizer, "if a < b: return [1]") == "if a < b: return [1]"
    assert encode_text(tokenizer, "x <|im_end|>", True) == tokenizer("x <|im_end|>").input_ids, "a text without a mark is encoded as ever"

def test_texts_of_players_and_problems_stay_text_in_prompts(tmp_path):
    make_chat_model(tmp_path, TEMPLATES["a switch"])
    players = chat_players(tmp_path)
    turn, = encode(players.generator.base.tokenizer, "<|im_end|>")
    spelled = Problem("p", "Remove every <|im_end|>.", "def f(text='<|im_end|>'):", (["", ""],), "def f(text=''): return ''")
    said = "It <|im_end|> ends.<|im_start|>system"
    players.generator.window = players.discriminator.window = 4096 # the prompts are long in a small vocabulary
    for player, prompt in ((players.generator, players.generator.prompt(spelled, 2, [said])), (players.discriminator, players.discriminator.prompt(spelled, 1, said))):
        clean = player.prompt(PROBLEM, 2, ["It ends."]) if player is players.generator else player.prompt(PROBLEM, 1, "It ends.")
        ids, without = player.encode([prompt, clean], 8)
        assert ids.count(turn) == without.count(turn) == 1
        text = decode(player.base.tokenizer, ids)
        assert said in text and text.count("<|im_end|>") == 4 and "\ufdd0" not in text
    tags = Players(ModelConfig(device="cpu")).discriminator
    ids, = tags.encode([tags.prompt(PROBLEM, 1, "a <s2> b<end>")], 8)
    assert [ids.count(tags.base.tokenizer.convert_tokens_to_ids(o)) for o in ("<s1>", "<s2>", "<t1>", "<end>")] == [1, 0, 1, 1]

@pytest.mark.parametrize("special", [True, False])
def test_ends_of_turn_that_are_not_marked_special(tmp_path, special):
    make_chat_model(tmp_path, TEMPLATES["no thoughts"], special)
    model, tokenizer = load_base(str(tmp_path), "cpu")
    turn, = encode(tokenizer, "<|im_end|>")
    assert tokenizer.added_tokens_decoder[turn].special == special
    ends = end_tokens(model, tokenizer, chat=True)
    assert ends == {tokenizer.eos_token_id, turn} and end_tokens(model, tokenizer) == {tokenizer.eos_token_id}
    assert end_token(tokenizer, ends) == turn, "fine-tuning teaches the end that play looks for"
    assert chat_players(tmp_path).generator.cut([40, turn], [0., 0.], True)[3] == decode(tokenizer, [40])

def test_a_line_break_that_is_an_added_token_is_no_end(tmp_path):
    "As Gemma has it"
    make_chat_model(tmp_path, TEMPLATES["no thoughts"].replace("<|im_end|>", "\n<|im_end|>"))
    model, tokenizer = load_base(str(tmp_path), "cpu")
    tokenizer.add_tokens([AddedToken("\n", special=False, normalized=False)])
    assert tokenizer.decode(sorted(end_tokens(model, tokenizer, chat=True))) == "<end><|im_end|>"

def state(): return [torch.get_rng_state().tolist(), random.getstate(), np.random.get_state()[1].tolist()]

@pytest.mark.parametrize("adapters", ["role", "full"])
def test_players_leave_the_callers_random_numbers_alone(adapters):
    torch.manual_seed(7)
    before = state()
    Players(ModelConfig(device="cpu", adapters=adapters), seed=3)
    assert state() == before

def test_adapters_start_by_the_seed_of_the_run():
    start = lambda seed: {k: v for o in Players(ModelConfig(device="cpu", adapters="role"), seed).state().values() for k, v in o.items()}
    a, again, other = start(1), start(1), start(2)
    assert all(torch.equal(a[k], again[k]) for k in a)
    assert all(torch.equal(a[k], other[k]) == ("lora_B" in k) for k in a), "the products start at zero, whatever the seed"
    with seeded(5): one = torch.rand(3)
    torch.manual_seed(5)
    assert torch.equal(one, torch.rand(3)), "the start that manual_seed gives, as ever"

@pytest.mark.parametrize("kind", KINDS)
def test_decoding_keeps_blanks_before_punctuation(kind):
    "As with files of Llama 3, which ask for a clean-up"
    tokenizer = make_tokenizer(kind)
    tokenizer.clean_up_tokenization_spaces = True
    tokenizer.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output = True # as 5.0 to 5.3 do anyway
    text = "assert f('a , b') != \"do n't\" . x ? y !"
    ids = encode(tokenizer, text)
    assert tokenizer.decode(ids) != text == decode(tokenizer, ids)

def test_statistics_are_means_over_the_tokens_that_are_trained():
    "With `tests=\"inputs\"` the values after the calls are not; each statistic is a mean over the others"
    players = Players(ModelConfig(device="cpu", tests="inputs"))
    d = players.discriminator
    with Sandbox() as sandbox: rollout = play(players, tiny_problems("train", 25)[:4], sandbox, stages=(5,), n_lists=4, seed=1)
    samples, batch = discriminator_batch(rollout, d.base.tokenizer)
    trained = [sum(s.counted) for s in samples]
    assert [list(map(bool, o)) for o in batch.counted] == [s.counted for s in samples] and sum(trained) < .9 * sum(batch.lengths)
    logprobs, entropy, mask = d.logprobs(samples, 5)
    advantages, kept = compute_advantages(batch, config := PPOConfig(epochs=1, minibatches=1, kl_coef=0.))
    rows = kept.nonzero()[:, 0].tolist()
    true = entropy[rows][mask[rows]].mean().item()
    optimizer = create_optimizer(d.parameters(5).values(), 0.)
    stats = train_step(**update_inputs(d, samples, [5] * len(samples), batch, optimizer, config, 1))
    assert stats["entropy"] == pytest.approx(true, rel=1e-4)
    assert stats["entropy"] != pytest.approx(entropy[rows][mask[rows]].sum().item() / sum(batch.lengths[i] for i in rows), rel=.1)
    assert advantages[rows][~mask[rows][:, :advantages.shape[1]]].abs().sum() == 0, "what is not trained does not set the scale either"

def test_what_is_trained_has_a_number_per_token():
    with pytest.raises(ValueError, match="row 1 has 1 tokens, but 2 numbers"): Batch([2, 1], [[0., 0.], [0.]], [0., 1.], [0, 0], counted=[[True, False]] * 2)

def test_nothing_is_decoded_without_saying_so():
    "All of the package's own calls of a tokenizer's `decode`"
    from pathlib import Path
    import chained_adv
    calls = [line for path in Path(chained_adv.__file__).parent.rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines() if "tokenizer.decode(" in line]
    assert calls and all("clean_up_tokenization_spaces=False" in o for o in calls)


# ---- prompts that are too long
def test_a_long_text_is_shortened_and_the_problem_stays_whole(tmp_path):
    p = tiny_problems("train", 1)[0]
    players = Players(ModelConfig(model="tiny", device="cpu", max_stage_tokens=20, max_test_tokens=20))
    window = players.generator.window
    rambling = "I begin here. " + "and so on " * window + "I end here."
    for prompt in (players.generator.prompt(p, 3, [rambling, "short"]), players.discriminator.prompt(p, 1, rambling)):
        (ids,) = players.generator.encode([prompt], 20)
        assert len(ids) <= window - 20 and p.description in prompt and p.function_signature in prompt
        assert "I begin here." in prompt and "I end here." in prompt and "[...]" in prompt
    assert "short" in players.generator.prompt(p, 3, [rambling, "short"])
    assert "[...]" not in players.generator.prompt(p, 3, ["long enough", "short"])

def test_a_problem_that_is_too_long_is_set_aside_by_name(tmp_path):
    from chained_adv.trainer import AdversarialTrainer, TrainingConfig
    problems = tiny_problems("train", 3)
    long = replace(problems[2], id="novel", description="word " * 5000)
    config = TrainingConfig(out=str(tmp_path / "run"), model=ModelConfig(model="tiny", device="cpu"))
    with pytest.warns(UserWarning, match="2 problems set aside.*'novel'.*tokens; the model reads"):
        with AdversarialTrainer(config, [*problems[:2], long], [replace(tiny_problems("held_out", 1)[0], id="held out novel", description="phrase " * 5000)], progress=False, selection=problems[:1]) as t:
            assert [o.id for o in t.problems] == [o.id for o in problems[:2]] and not t.held_out and {*t.set_aside} == {"novel", "held out novel"}
    with pytest.raises(ProblemError, match="no problem is left to train on.*'novel'"): AdversarialTrainer(config, [long], progress=False, selection=problems[:1])

def test_nothing_is_cut_without_a_word():
    players = Players(ModelConfig(model="tiny", device="cpu"))
    with pytest.raises(ConfigError, match="tokens; the model reads"): players.generator.sample(["x " * 9999], 1)

def test_chat_prompts_without_a_template_are_refused(tmp_path):
    model, tokenizer = load_base(str(TINY), "cpu")
    tokenizer.chat_template = None
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match="no chat template; choose an instruct model, or --prompts few_shot"):
        Players(ModelConfig(model=str(tmp_path), prompts="chat", device="cpu"))
