"""Other models than the shipped one: architectures, windows, attention, chat templates, ends, stop texts.

The table over all architectures is `benchmarks/architectures.py`; here are ten of them, and what must be refused.
"""
import importlib.util, re, warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AttentionInterface, AutoConfig, AutoModelForCausalLM
from transformers.integrations.sdpa_attention import sdpa_attention_forward

import chained_adv.sampling as caches
import chained_adv.sampling as sampling
from chained_adv.core import ConfigError, Problem
from chained_adv.loading import QUANTISED, end_tokens, is_packable, load_base, load_tokenizer, packed_share
from chained_adv.loading import render_chat
from chained_adv.models import Base, ModelConfig, Players, activate, adapter_parameters, give_back, reading_model
from chained_adv.models import sampling_model
from chained_adv.sampling import Reader, RowLimit, Sample, attend, layer_states, sample_tokens
from chained_adv.scoring import answer_logprobs, path_gap, _plain_logprobs
from chained_adv.stages import PROMPT_SETS

spec = importlib.util.spec_from_file_location(
    "architectures", Path(__file__).resolve().parent.parent / "benchmarks" / "architectures.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

# Full attention, windows in all and in some layers, chunks, ALiBi, learned positions, experts, only eager
EXACT = ["Llama", "Qwen3", "Mistral, windows", "Gemma 3 (text)", "GPT-OSS", "Mixtral", "Bloom", "GPT-2", "OPT",
         "Llama 4 (text)"]


@pytest.mark.parametrize("name", EXACT)
def test_sampler_trainer_and_plain_forward_agree(name, tmp_path):
    "With our attention, sdpa and eager, fresh adapters, and one that has moved, merged and unmerged"
    found = bench.try_architecture(name, tmp_path)
    assert not isinstance(found, str), found
    own = {"GPT-OSS": set(), "Bloom": {"sdpa"}}.get(name, {"sdpa", caches.GROUPED})
    assert set(found) == own | {"eager"}
    assert all(gap < 1e-5 for gaps in found.values() for gap in gaps), found

@pytest.mark.parametrize("name, words", [
    ("LFM 2", "Lfm2ForCausalLM, sdpa attention): it has layers (LinearAttentionLayer)"),
    ("Mamba", "cannot be shared between prompts"),
    ("GPT-Neo", "local windows"),
    ("MPT", "sampler, trainer and a plain forward pass differ by"),
])
def test_a_model_that_differs_is_refused_in_one_sentence(name, words, tmp_path):
    found = bench.try_architecture(name, tmp_path)
    assert isinstance(found, str) and words in found and "; choose a" in found and "\n" not in found

@pytest.mark.filterwarnings("ignore:dtype '4bit' packs") # experts
@pytest.mark.parametrize("name", EXACT)
def test_sampler_and_trainer_agree_in_four_bits(name, tmp_path):
    "Loaded as users load it, and not merged"
    pytest.importorskip("bitsandbytes")
    assert float(bench.try_4bit(name, tmp_path)) < 1e-5

@pytest.mark.parametrize("name, words", [
    ("Falcon", "dtype '4bit' saves nothing with model 'Falcon': .* besides its head this model has none; choose float32"),
    ("Mamba", r"model 'Mamba' cannot compute in 4bit \(RuntimeError: .*\); choose --dtype float32"),
])
def test_what_cannot_work_in_four_bits_is_refused(name, words, tmp_path):
    pytest.importorskip("bitsandbytes")
    said = bench.try_4bit(name, tmp_path)
    assert re.match(words, said) and "\n" not in said, said

@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("name, low, high", [("GPT-2", .9, 1), ("Mixtral", .05, .2), ("GLM 4-MoE", .4, .5)])
def test_what_is_packed_is_told_before_and_after_the_load(name, low, high, dtype, tmp_path):
    "Layers of GPT-2's own class are packed, experts in one tensor are not: then a warning says how much is"
    pytest.importorskip("bitsandbytes")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model, _ = load_base(bench.save_model(name, tmp_path, wide=True), "cpu", dtype)
    share = packed_share(model)
    assert low < share < high and share == packed_share(bench.make_model(name, wide=True), is_packable)
    warned = [str(o.message) for o in said if "of the weights of model" in str(o.message)]
    assert [f"packs {share:.0%} of the weights" in o for o in warned] == [True] * (share < .5)


# Windows

def columns(config, seen, n):
    "Masks whose windows count columns, as transformers' own do"
    place = torch.arange(seen.shape[1])[None]
    back = place[:, -n:, None] - place[:, None, :]
    full = seen[:, None, :].bool() & (back >= 0)
    return {"full_attention": full, "sliding_attention": full & (back < config.sliding_window)}

@pytest.mark.parametrize("name", ["Mistral, windows", "Gemma 3 (text)", "GPT-OSS"])
def test_the_check_sees_windows_that_count_columns(name, monkeypatch):
    model = bench.make_model(name)
    assert path_gap(model, model, model) < 1e-5
    monkeypatch.setattr(caches, "_window_masks", columns)
    with pytest.raises(ConfigError, match="differ by"): path_gap(model, model, model)

def test_the_check_sees_a_mask_that_eager_attention_adds(monkeypatch):
    "What was wrong before: booleans are added as 0 and 1"
    model = bench.make_model("Qwen2")
    model.set_attn_implementation("eager")
    assert path_gap(model, model, model) < 1e-5
    def booleans(model, seen, n):
        found = attend(model, seen, n)
        return found | ({"attention_mask": seen[:, None, None, :].bool()} if n == 1 else {})
    monkeypatch.setattr(sampling, "attend", booleans)
    with pytest.raises(ConfigError, match="differ by"): path_gap(model, model, model)

def test_the_check_leaves_windows_as_they_were():
    model = bench.make_model("Mistral, windows")
    path_gap(model, model, model)
    assert model.config.sliding_window == 64

@pytest.mark.parametrize("window", [3, 7, 64])
@pytest.mark.parametrize("name", ["Mistral, windows", "Gemma 2", "OLMo 3"])
def test_windows_of_any_width_over_ragged_prompts(name, window):
    "Against one forward pass of transformers per row, without a cache"
    model = bench.make_model(name)
    model.config.sliding_window = window
    rows = torch.randint(700, (4, 30), generator=torch.Generator().manual_seed(window)).tolist()
    prompts = [row[:n] for row, n in zip(rows, (5, 12, 23, 30))]
    reader = Reader(model, chunk=2)
    reader.read([tuple(p[:4]) for p in prompts])
    answers = sample_tokens(model, reader, prompts, 9, {8, 9, 10})
    samples = [Sample(p, *answer) for p, answer in zip(prompts, answers)]
    logp, _, mask = answer_logprobs(model, reader, samples)
    for s, now, m in zip(samples, logp, mask):
        plain = _plain_logprobs(model, s)
        assert (plain - torch.tensor(s.logprobs)).abs().max() < 1e-4
        assert (plain - now[m]).abs().max() < 1e-4

# What a graph does, rehearsed without one

def ragged_prompts():
    "Ten rows: prompts with one, two and four rows, in no order"
    texts = torch.randint(700, (5, 40), generator=torch.Generator().manual_seed(1)).tolist()
    prompts = [texts[4] + row[:n] for row, n in zip(texts, (3, 12, 25, 40))]
    return [prompts[i] for i in (0, 1, 1, 2, 3, 2, 2, 2, 3, 0)]

def rehearse(monkeypatch):
    "Steps over all rows and columns of a bucket, as in a graph; recording writes tokens that are no answers"
    def capture(step):
        for _ in range(3): step()
        captured.append(step)
        return step
    captured = []
    monkeypatch.setattr(sampling, "uses_graph", lambda model: True)
    monkeypatch.setattr(sampling, "capture", capture)
    return captured

@pytest.mark.parametrize("temperature", [0., 1.])
@pytest.mark.parametrize("name", ["Qwen2", "Mistral, windows", "Gemma 3 (text)", "GPT-2", "OPT", "Mixtral", "Bloom", "GPT-OSS",
                                  "DeepSeek-V3", "Falcon"])
def test_what_a_graph_replays_gives_the_same_answers(name, temperature, monkeypatch):
    "Answers end early, so that without a graph rows leave; a plain pass of transformers agrees"
    model, prompts, ends = bench.make_model(name), ragged_prompts(), {*range(60)}
    if getattr(model.config, "sliding_window", None): model.config.sliding_window = 17
    caches.read_groups(model)
    usual = sample_tokens(model, Reader(model), prompts, 30, ends, temperature)
    captured = rehearse(monkeypatch)
    replayed = sample_tokens(model, Reader(model), prompts, 30, ends, temperature)
    assert len(captured) == 1 and len({len(ids) for ids, _, _ in usual}) > (3 if temperature else 0)
    for prompt, (ids, logps, ended), other in zip(prompts, replayed, usual):
        assert (ids, ended) == (other[0], other[2])
        plain = _plain_logprobs(model, Sample(prompt, ids, logps, ended))
        for got in (logps, other[1]): assert (plain - torch.tensor(got)).abs().max() < 1e-4

def test_the_rows_of_a_graph_need_what_they_are_rounded_up_to(monkeypatch):
    "129 rows take the place of 256"
    model, limit, kept = bench.make_model("Qwen2"), RowLimit(), []
    prompts = [[5 + i % 4] * 20 for i in range(129)]
    plain = limit.needed(Reader(model), prompts, 40)
    rehearse(monkeypatch)
    sample_tokens(model, Reader(model), prompts, 40, set(), kept=kept)
    held = sum(o.numel() * o.element_size() for states in layer_states(kept[0].cache) for o in states)
    assert held == 256 * 128 * limit.token and plain < held < limit.needed(Reader(model), prompts, 40)

def test_a_graph_is_kept_for_batches_that_fit(monkeypatch):
    "Fewer rows, shorter answers, a stop text; not another adapter, temperature or much smaller batch"
    model, prompts = bench.make_model("Qwen2"), ragged_prompts()
    tries = [(prompts, 30, 1.), (prompts[:9], 20, 1.), (prompts[3:], 30, 1.), (prompts[:1], 30, 1.), (prompts, 30, 0.),
             (prompts, 300, 0.)]
    stops = lambda ids: len(ids) > 18 or ids[-1] < 40
    answers = lambda kept: [sample_tokens(model, Reader(model), rows, n, set(), t, None, stops, kept) for rows, n, t in tries]
    usual, captured, kept, made = answers(None), rehearse(monkeypatch), [], []
    for i, (rows, n, t) in enumerate(tries):
        got = sample_tokens(model, Reader(model), rows, n, set(), t, None, stops, kept)
        made.append(len(captured))
        for (ids, logps, ended), other in zip(got, usual[i]):
            assert (ids, ended) == (other[0], other[2]) and logps == pytest.approx(other[1], abs=1e-5)
    assert made == [1, 1, 2, 2, 3, 4] and len(kept) == 1
    vars(model)["active_adapter"] = "another"
    assert not kept[0].fits(model, 10, 80, 300, 0.) and len(kept[0].token) == 16

def test_a_model_that_cannot_be_recorded_samples_without_a_graph(monkeypatch):
    model, prompts = bench.make_model("Qwen2"), ragged_prompts()
    usual = sample_tokens(model, Reader(model), prompts, 12, set())
    rehearse(monkeypatch)
    def refuse(step):
        step()
        raise RuntimeError("operation not permitted when stream is capturing")
    monkeypatch.setattr(sampling, "capture", refuse)
    with pytest.warns(UserWarning, match="no CUDA graph of Qwen2ForCausalLM .operation not permitted"):
        got = sample_tokens(model, Reader(model), prompts, 12, set())
    assert [o[0] for o in got] == [o[0] for o in usual]

def test_a_model_that_asks_how_long_its_past_is_is_told_rightly():
    "Llama 4 scales queries by the length of the cache, in its layers without positions; here every 16 tokens"
    sizes = bench.SIZES | bench.EXPERTS | bench.ARCHITECTURES["Llama 4 (text)"][1]
    config = AutoConfig.for_model("llama4_text", **sizes | dict(
        floor_scale=16, layer_types=["full_attention"] * 4, no_rope_layers=[0] * 4))
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for p in model.parameters(): p.normal_(std=.15) if p.dim() > 1 else None
    prompt = ragged_prompts()[4]
    for answer in sample_tokens(model, Reader(model), [prompt] * 3, 20, set()):
        plain = _plain_logprobs(model, Sample(prompt, *answer))
        assert (plain - torch.tensor(answer[1])).abs().max() < 1e-4
    assert model.config.attn_temperature_tuning # so that no graph of it is made

def test_threads_may_share_a_model():
    "Two at the same time: the answers of one after the other"
    model, prompts = bench.make_model("Qwen2"), ragged_prompts()
    run = lambda n: sample_tokens(model, Reader(model), prompts[:n], 30, set())
    alone = [run(n) for n in (10, 7)]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(5): assert [*pool.map(run, (10, 7))] == alone

def test_attention_is_ours_in_our_models_alone():
    base = Base("tiny", ModelConfig(device="cpu"), ["one"])
    assert {m.config._attn_implementation for m in (base.model, base.plain, base.merged)} == {caches.GROUPED}
    assert AttentionInterface()["sdpa"] is sdpa_attention_forward
    assert load_base("tiny", "cpu")[0].config._attn_implementation == "sdpa"

def test_gradients_reach_the_adapter_through_windows():
    model = bench.make_model("Gemma 3 (text)")
    s = [Sample([3, 4, 5, 6, 7, 8], [9, 10, 11], [], True)]
    for p in model.parameters(): p.requires_grad_(True)
    logp, _, mask = answer_logprobs(model, Reader(model), s)
    (logp * mask).sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)
    assert model.model.layers[0].self_attn.q_proj.weight.grad.abs().sum() > 0


# Merged and unmerged bases

def test_the_unmerged_path_gives_the_same_log_probabilities():
    base = Base("tiny", ModelConfig(device="cpu"), ["one"])
    with torch.no_grad():
        for p in adapter_parameters(base, "one").values(): p.normal_(std=.03)
    ways = lambda: (reading_model(base), sampling_model(base, "one"), activate(base, "one"))
    assert ways()[1] is not ways()[2] and path_gap(*ways(), same=False) < 1e-5
    base.merged = None
    assert ways()[1] is ways()[2] and path_gap(*ways(), same=False) < 1e-5
    base.plain = None
    assert path_gap(*ways(), same=False) < 1e-5

def test_the_base_is_the_same_after_a_hundred_merges():
    "To the bit, and what was merged is given back"
    base, x = Base("tiny", ModelConfig(device="cpu"), ["one", "two"]), torch.tensor([[5, 6, 7, 8]])
    with torch.no_grad():
        for name in base.adapters:
            for p in adapter_parameters(base, name).values(): p.normal_(std=.03)
        own, logits = {n: p.clone() for n, p in base.model.named_parameters()}, base.plain(x).logits
        said = [sampling_model(base, name)(x).logits for name in base.adapters]
        places = [p.data_ptr() for p in base.switch.merged[1]]
        for _ in range(50):
            for name in base.adapters: merged = sampling_model(base, name)
        assert torch.equal(merged(x).logits, said[1]) and not torch.equal(*said)
        assert [p.data_ptr() for p in base.switch.merged[1]] == places
        give_back(base)
        assert torch.equal(merged(x).logits, logits) and torch.equal(base.plain(x).logits, logits)
    assert all(torch.equal(p, own[n]) for n, p in base.model.named_parameters())
    assert sum(p.numel() for p in {*base.plain.parameters(), *merged.parameters(), *base.model.get_base_model().parameters()}
               if not p.requires_grad) < 1.4 * sum(p.numel() for p in base.plain.parameters()) # with the idle adapter

def test_players_play_unmerged(monkeypatch):
    "The same episodes, but for rounding, from merged weights and from adapters next to their layers"
    import chained_adv.models as models
    problem = Problem("sum", "Take the list xs. Return the sum.", "def solve(xs):", ([[1], 1],),
                      "def solve(xs): return sum(xs)")
    texts = []
    for free in (10**12, 0):
        monkeypatch.setattr(models, "free_memory", lambda device, free=free: free)
        g = Players(ModelConfig(device="cpu", max_rows=8)).generator
        assert (g.base.merged is None) == (free == 0)
        with torch.no_grad():
            for p in g.parameters(1).values(): p.add_(.01)
        samples = g.sample([g.prompt(problem, 1, [])] * 2, 1, 0.)
        logp, _, mask = g.logprobs(samples, 1)
        assert (logp[0][mask[0]].detach() - torch.tensor(samples[0].logprobs)).abs().max() < 1e-4
        texts.append([s.text for s in samples])
    assert texts[0] == texts[1]

def test_adapters_are_switched_like_pefts_own():
    "Which is active, what learns, and what the layers compute; also after PEFT itself has switched"
    base = Base("tiny", ModelConfig(device="cpu"), ["one", "two"])
    x = torch.tensor([[5, 6, 7, 8]])
    with torch.no_grad():
        for name in base.adapters:
            for p in adapter_parameters(base, name).values(): p.normal_(std=.03)
    learning = lambda: {n for n, p in base.model.named_parameters() if p.requires_grad}
    def found(): return base.model(input_ids=x).logits.detach(), learning(), base.model.active_adapter
    for name in ("two", "one", "two"):
        base.model.set_adapter(name)
        logits, names, active = found()
        base.switch.activate("one" if name == "two" else "two")
        activate(base, name)
        again, same, now = found()
        assert torch.equal(logits, again) and names == same and active == now == name
        with base.model.disable_adapter(): off = base.model(input_ids=x).logits.detach()
        assert torch.equal(reading_model(base)(input_ids=x).logits.detach(), off)
        with base.switch.off() as model: assert torch.equal(model(input_ids=x).logits.detach(), off)
        assert found()[1:] == (names, name)
    base.model.set_adapter("one") # from outside
    assert torch.equal(activate(base, "two")(input_ids=x).logits.detach(), again)

def test_a_switch_survives_an_error_in_the_pass():
    base = Base("tiny", ModelConfig(device="cpu"), ["one"])
    own = {n: p.clone() for n, p in base.model.named_parameters()}
    with pytest.raises(KeyError), base.switch.off(): raise KeyError("in the pass")
    assert not any(layer.disable_adapters for layer in base.switch.layers)
    assert all(torch.equal(p, own[n]) for n, p in base.model.named_parameters())


# Rows and memory

class Cramped(torch.nn.Module):
    "A model that runs out of memory at the n-th token of batches of more than some rows"
    def __init__(self, model, most, token):
        super().__init__()
        self.inner, self.most, self.token = model, most, token
        self.passes = []
    device = property(lambda self: self.inner.device)
    config = property(lambda self: self.inner.config)

    def forward(self, input_ids, **kwargs):
        new = not self.passes or self.passes[-1][0] != len(input_ids)
        self.passes.append((len(input_ids), 1 if new else self.passes[-1][1] + 1))
        if len(input_ids) > self.most and self.passes[-1][1] == self.token:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return self.inner(input_ids=input_ids, **kwargs)

@pytest.mark.parametrize("token", [1, 5])
def test_out_of_memory_halves_the_rows_and_loses_none(token, monkeypatch):
    "All rows come back, in order, and they are those of a run with so many rows from the start"
    import chained_adv.models as models
    def play(most, **how):
        players = Players(ModelConfig(device="cpu", **how))
        g = players.generator
        problem = Problem("sum", "Take the list xs. Return the sum.", "def solve(xs):", ([[1], 1],),
                          "def solve(xs): return sum(xs)")
        prompts = [g.prompt(problem, 1, []), g.prompt(problem, 2, ["Look at xs."])] * 8
        plain = models.sampling_model
        cramped = []
        def sampling_model(base, adapter):
            cramped.append(Cramped(plain(base, adapter), most, token))
            return cramped[-1]
        with monkeypatch.context() as m:
            m.setattr(models, "sampling_model", sampling_model)
            samples = g.sample(prompts, 1, seed=3, temperature=1.5)
        return samples, g.base.rows.most, {rows for rows, _ in cramped[0].passes}
    with pytest.warns(UserWarning, match="memory ran out with 16 rows: 8"): got, most, tried = play(5)
    expected, _, _ = play(99, max_rows=4)
    assert most == 4 and max(tried) == 16 and len(got) == 16
    assert [(s.prompt_ids, s.ids, s.finished) for s in got] == [(s.prompt_ids, s.ids, s.finished) for s in expected]
    for a, b in zip(got, expected): assert a.logprobs == pytest.approx(b.logprobs, abs=1e-4)

def test_another_error_is_not_taken_for_lack_of_memory(monkeypatch):
    import chained_adv.sampling as rows
    def broken(*args): raise RuntimeError("shapes do not match")
    monkeypatch.setattr(rows, "sample_tokens", broken)
    g = Players(ModelConfig(device="cpu")).generator
    problem = Problem("sum", "Add.", "def f(xs):", ([[1], 1],), "def f(xs): return sum(xs)")
    with pytest.raises(RuntimeError, match="shapes do not match"): g.sample([g.prompt(problem, 1, [])] * 4, 1)
    assert g.base.rows.most == 0

def test_prompts_are_read_once_per_group_and_nothing_moves_while_rows_are_written():
    model, _ = load_base("tiny", "cpu")
    reader, prompt = Reader(model), [*range(5, 66)]
    decoder = sampling._start(model, reader, [prompt] * 8, torch.rand(8, 20), 1., [])
    places = [o.data_ptr() for layer in decoder.cache.layers for o in layer.room]
    assert len(reader.rows) == 1 and len(reader.layers[0][0]) == 1
    with torch.no_grad(): decoder.write(20)
    for layer in decoder.cache.layers: assert layer.keys.shape[:3] == (8, 2, 60 + 20) == layer.room[0].shape[:3]
    assert places == [o.data_ptr() for layer in decoder.cache.layers for o in (layer.keys, layer.values)]
    assert decoder.keep([0, 2, 3, 6, 7]) == [0, 6, 2, 3, 7] and len(decoder.token) == 5


# Chat templates and ends

CHATML = ("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
          "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
NO_SYSTEM = ("{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
             "{% for m in messages %}<turn>{{ m.role }}\n{{ m.content }}<end_of_turn>\n{% endfor %}")
SILENT = "{% for m in messages %}{% if m.role == 'user' %}[{{ m.content }}]{% endif %}{% endfor %}"

def test_templates_with_without_and_deaf_to_a_system_role():
    tokenizer = load_tokenizer(bench.TINY)
    expected = {CHATML: "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nSort.<|im_end|>\n"
                        "<|im_start|>assistant\n",
                NO_SYSTEM: "<turn>user\nBe brief.\n\nSort.<end_of_turn>\n", SILENT: "[Be brief.\n\nSort.]"}
    for template, text in expected.items():
        tokenizer.chat_template = template
        assert render_chat(tokenizer, "Sort.", "Be brief.") == text
    assert render_chat(tokenizer, "Sort.") == "[Sort.]"
    tokenizer.chat_template = "hello"
    with pytest.raises(ConfigError, match="drops the message.*--prompts plain"): render_chat(tokenizer, "Sort.")

def test_thinking_is_switched_off():
    tokenizer = load_tokenizer(bench.TINY)
    tokenizer.chat_template = SILENT + "{% if enable_thinking is false %}<think></think>{% endif %}"
    assert render_chat(tokenizer, "Sort.") == "[Sort.]<think></think>"

def make_chat_model(folder, template, special=(), ends=None):
    "The shipped model in a folder of its own, with a chat template"
    model, tokenizer = load_base("tiny", "cpu")
    tokenizer.add_special_tokens({"additional_special_tokens": list(special)})
    tokenizer.chat_template = template
    model.resize_token_embeddings(len(tokenizer))
    model.generation_config.eos_token_id = ends or model.generation_config.eos_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)

def test_a_turn_ends_where_the_template_says(tmp_path):
    "Of a base model whose files declare another end only"
    folder = make_chat_model(tmp_path, CHATML, ["<|im_start|>", "<|im_end|>"])
    model, tokenizer = load_base(folder, "cpu")
    (turn,) = tokenizer("<|im_end|>", add_special_tokens=False).input_ids
    assert end_tokens(model, tokenizer) == {tokenizer.eos_token_id}
    assert end_tokens(model, tokenizer, chat=True) == {tokenizer.eos_token_id, turn}
    g = Players(ModelConfig(model=folder, device="cpu", prompts="chat", max_stage_tokens=4)).generator
    assert turn in g.end_ids
    ids, logps, finished, text = g.cut([7, turn], [0., 0.], True)
    assert finished and text == g.base.tokenizer.decode([7])

def test_several_ends_that_the_files_declare(tmp_path):
    folder = make_chat_model(tmp_path, CHATML, ends=[1, 40, 41])
    g = Players(ModelConfig(model=folder, device="cpu", prompts="plain")).generator
    assert g.end_ids == {1, 40, 41}

def test_a_chat_model_without_system_role_plays(tmp_path):
    folder = make_chat_model(tmp_path, NO_SYSTEM)
    players = Players(ModelConfig(model=folder, device="cpu", prompts="chat", max_stage_tokens=3))
    problem = Problem("sum", "Add.", "def f(xs):", ([[1], 1],), "def f(xs): return sum(xs)")
    g = players.generator
    g.prompts = replace(g.prompts, system="You are a careful programmer.")
    (ids,) = g.encode([g.prompt(problem, 1, [])], 3)
    assert "careful programmer" in g.base.tokenizer.decode(ids)
    assert len(g.sample([g.prompt(problem, 1, [])], 1)[0].ids) <= 3


def test_we_begin_the_answers_of_a_chat_model(tmp_path):
    "The beginning stands in the prompt; what of it is no fence belongs to the text"
    folder = make_chat_model(tmp_path, CHATML, ["<|im_start|>", "<|im_end|>"])
    players = Players(ModelConfig(model=folder, device="cpu", prompts="chat", max_stage_tokens=3, max_test_tokens=3))
    g, d, decode = players.generator, players.discriminator, players.generator.base.tokenizer.decode
    g.window = d.window = 2048 # its words are letters
    problem = Problem("sum", "Add.", "def f(xs):", ([[1], 1],), "def f(xs): return sum(xs)")
    words, = g.sample([g.prompt(problem, 1, [])], 1)
    code, = g.sample([g.prompt(problem, 5, [None] * 4)], 5)
    tests, = d.sample([d.prompt(problem, 5, code.text)], 5)
    steps, = g.sample([g.prompt(problem, 3, [words.text, None])], 3)
    assert decode(words.prompt_ids).endswith("<|im_start|>assistant\nThe function") and words.text.startswith("The function")
    assert decode(steps.prompt_ids).endswith("<|im_start|>assistant\n1.") and steps.text.startswith("1.")
    assert decode(code.prompt_ids).endswith("assistant\n```python\n") and code.text in decode(code.ids)
    assert decode(tests.prompt_ids).endswith("assistant\n```python\nassert f") and tests.text.startswith("assert f")
    inputs = Players(ModelConfig(model=folder, device="cpu", prompts="chat", tests="inputs", max_test_tokens=3)).discriminator
    calls, = inputs.sample([inputs.prompt(problem, 5, code.text)], 5)
    assert decode(calls.prompt_ids).endswith("assistant\n```python\nf") and calls.text.startswith("f")


def test_who_watches_an_answer_changes_nothing_of_it():
    "A single answer is told token by token, its last text is the whole one; several answers are not told"
    players = Players(ModelConfig(device="cpu"))
    g, told = players.generator, []
    problem = Problem("sum", "Take the list xs. Return the sum.", "def solve(xs):", ([[1], 1],), "def solve(xs): return sum(xs)")
    prompt = g.prompt(problem, 1, [])
    alone, = g.sample([prompt], 1, seed=3)
    g.watch = lambda *o: told.append(o)
    watched, = g.sample([prompt], 1, seed=3)
    assert (watched.ids, watched.logprobs, watched.text) == (alone.ids, alone.logprobs, alone.text)
    assert told[-1] == ("generator", 1, alone.text) and len(told) == len(alone.ids) - 1 > 3 # all but the end token
    assert all(b[2].startswith(a[2]) for a, b in zip(told, told[1:]))
    told.clear()
    g.sample([prompt] * 2, 1, seed=3)
    assert not told


# Stop texts

def test_lines_end_a_row_while_sampling_too():
    players = Players(ModelConfig(device="cpu"))
    g = players.generator
    problem = Problem("sum", "Take the list xs. Return the sum.", "def solve(xs):", ([[1], 1],), "def solve(xs): return sum(xs)")
    prompts = [g.prompt(problem, 5, ["a", "b", "c", "d"])]
    whole = g.sample(prompts, 5, 0.)[0].text
    assert whole.count("\n") > 0
    g.prompts = replace(g.prompts, answer_lines=(0, 0, 0, 0, 1))
    assert g.max_lines(5) == 0 and g.sample(prompts, 5, 0.)[0].text == whole, "a program is never counted"
    d = players.discriminator
    asked = [d.prompt(problem, 5, whole)]
    tests = d.sample(asked, 5, 0.)[0]
    d.prompts = replace(d.prompts, tests_lines=1)
    cut = d.sample(asked, 5, 0.)[0]
    assert "\n" in tests.text and cut.finished and cut.text == tests.text.split("\n")[0] and len(cut.ids) < len(tests.ids)

def test_a_stop_text_ends_a_row_while_sampling(monkeypatch):
    "The same answers as those cut afterwards, but fewer tokens are sampled"
    players = Players(ModelConfig(device="cpu"))
    g = players.generator
    problem = Problem("sum", "Take the list xs. Return the sum.", "def solve(xs):", ([[1], 1],),
                      "def solve(xs): return sum(xs)")
    prompts = [g.prompt(problem, 3, ["Look at xs.", "in: xs"])]
    whole = g.sample(prompts, 3, 0.)[0]
    stop = whole.text[4:7]
    g.prompts = replace(g.prompts, stop=stop)
    widths, write = [], sampling.Decoder.write
    def counted(self, *args):
        widths.append(len(self.token))
        return write(self, *args)
    monkeypatch.setattr(sampling.Decoder, "write", counted)
    cut = g.sample(prompts, 3, 0.)[0]
    assert cut.finished and cut.text == whole.text[:whole.text.index(stop)]
    assert cut.ids == whole.ids[:len(cut.ids)] and len(widths) == len(cut.ids) < len(whole.ids)

def test_rows_that_met_the_stop_text_leave_the_batch(monkeypatch):
    model, tokenizer = load_base("tiny", "cpu")
    prompts = [tokenizer(t).input_ids for t in ("def f(xs):\nTake xs.<s1>", "def f(n):\nTake n.<s5>")] * 2
    free = sample_tokens(model, Reader(model), prompts, 12, set(), 0.)
    last = tokenizer.decode(free[0][0][:3])
    widths, write = [], sampling.Decoder.write
    def counted(self, *args):
        widths.append(len(self.token))
        return write(self, *args)
    monkeypatch.setattr(sampling.Decoder, "write", counted)
    stopped = sample_tokens(model, Reader(model), prompts, 12, set(), 0.,
                            stops=lambda ids: tokenizer.decode(ids).startswith(last))
    assert [len(ids) for ids, _, _ in stopped] == [3, 12, 3, 12] and widths == [4] * 3 + [2] * 9
    for (a, _, _), (b, _, _) in zip(stopped, free): assert a == b[:len(a)]

def test_plain_prompts_stop_at_the_next_heading():
    players = Players(ModelConfig(device="cpu", prompts="plain", max_stage_tokens=4))
    g = players.generator
    heading = g.base.tokenizer("Look at xs.\n## ", add_special_tokens=False).input_ids
    assert PROMPT_SETS["plain"].stop == "\n## " and g.stops(heading) and not g.stops(heading[:-3])
    ids, _, finished, text = g.cut(heading + [7, 8], [0.] * (len(heading) + 2), False)
    assert finished and text == "Look at xs." and ids == heading
