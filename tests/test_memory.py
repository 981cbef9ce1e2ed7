"""Memory that runs out: the update goes on with smaller passes or checkpointed layers and makes the same step; what is
predicted from a config is what the passes keep."""
import importlib.util, json, warnings
from dataclasses import replace
from pathlib import Path

import pytest, torch
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig, LlamaForCausalLM

from chained_adv import loading, models, sampling, sampling as rows, scoring as memory
from chained_adv.batches import generator_batch, update_inputs
from chained_adv.core import ConfigError, TrainingError
from chained_adv.doctor import fitting_table, memory_parts
from chained_adv.loading import QUANTISED, TINY, free_memory, load_base, load_tokenizer
from chained_adv.scoring import (MicroBatches, answer_logprobs, bytes_per_token, checkpoint_layers, fit_config, fit_tokens,
                                 last_states)
from chained_adv.models import ModelConfig, Players, activate
from chained_adv.ppo import Batch, PPOConfig, create_optimizer, train_step
from chained_adv.rollout import sample_chains
from chained_adv.sampling import Reader, RowLimit, row_noise, sample_tokens
from chained_adv.config import TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer
from tracker import Tracker

spec = importlib.util.spec_from_file_location(
    "architectures", Path(__file__).resolve().parent.parent / "benchmarks" / "architectures.py")
architectures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(architectures)

CONFIG = PPOConfig(microbatch_tokens=100, epochs=1, minibatches=2)
ERRORS = [torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"), MemoryError(),
          RuntimeError("[enforce fail at alloc_cpu.cpp:116] err == 0. DefaultCPUAllocator: can't allocate memory: "
                       "you tried to allocate 1073741824 bytes. Error code 12 (Cannot allocate memory)")]

@pytest.fixture(scope="module")
def written():
    player = Players(ModelConfig(device="cpu", max_stage_tokens=24)).generator
    return player, player.sample([f"Add {i} to n.\n" for i in range(12)], 5)

def update(written, config=CONFIG, fails=lambda rows, tokens: False, where="forward", error=ERRORS[0], spare=None):
    "(weights of a fresh adapter after an update, statistics, padded tokens of the passes that were begun)"
    player, answers = written
    begun, start = [], {n: p.detach().clone() for n, p in player.parameters(5).items()}
    def read(rows, **kw):
        tokens = len(rows) * max(len(answers[r].ids) for r in rows)
        begun.append(tokens)
        failed = fails(rows, tokens)
        if failed and where == "forward": raise error
        logprobs, entropy, mask = player.logprobs([answers[r] for r in rows], 5, **kw)
        def refuse(gradient): raise error
        if failed and logprobs.requires_grad: logprobs.register_hook(refuse)
        return logprobs, entropy, mask
    batch = Batch([len(o.ids) for o in answers], [o.logprobs for o in answers], [i % 3 / 2 for i in range(12)],
                  [i // 6 for i in range(12)])
    optimizer = torch.optim.SGD(player.parameters(5).values(), .1) # Adam would make much of the last digits
    try:
        stats = train_step(batch, read, lambda rows: read(rows, reference=True), optimizer, config, 3, corrected=True,
                           passes=MicroBatches(batch.lengths, config.microbatch_tokens, spare))
        moved = {n: p.detach().clone() for n, p in player.parameters(5).items()}
    finally:
        with torch.no_grad():
            for n, p in player.parameters(5).items():
                p.copy_(start[n])
                p.grad = None
    assert all(p.grad is None or not p.grad.any() for p in player.parameters(5).values())
    return moved, stats, begun

def apart(a, b): return max((a[n] - b[n]).abs().max().item() for n in a)

@pytest.mark.parametrize("error, where", [(ERRORS[0], "backward"), (ERRORS[1], "forward"), (ERRORS[2], "backward")],
                         ids=["GPU", "Python", "CPU"])
def test_an_update_that_runs_out_of_memory_is_the_same_update(written, error, where):
    "Passes above 60 tokens fail; those before them in a minibatch have left gradients"
    whole, stats, _ = update(written)
    with pytest.warns(UserWarning, match="the same update goes on with"):
        small, again, begun = update(written, fails=lambda rows, tokens: tokens > 60, where=where, error=error)
    assert max(begun) > 60 >= begun[-1]
    assert apart(whole, small) < 1e-6
    for name in stats: assert abs(stats[name] - again[name]) < 1e-5, name

def test_a_pass_that_fails_late_counts_no_gradient_twice(written):
    "A later pass of a minibatch fails once: those before it are read again, from no gradient"
    player, config = written[0], replace(CONFIG, microbatch_tokens=50)
    whole, late = update(written, config)[0], []
    def fails(rows, tokens):
        "After other passes of the same minibatch, once"
        if late or len(rows) == 1: return False
        if any(p.grad is not None and p.grad.any() for p in player.parameters(5).values()): late.append(rows)
        return bool(late)
    with pytest.warns(UserWarning, match="out of memory"): again = update(written, config, fails, "backward")[0]
    assert late
    assert apart(whole, again) < 1e-6

def test_the_smaller_size_stays(written):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        begun = update(written, fails=lambda rows, tokens: tokens > 60)[2]
    assert sum("out of memory" in str(o.message) for o in said) == sum(o > 60 for o in begun) <= 3

def train_short(folder):
    "(metrics without seconds, adapters) of a step of each player"
    config = TrainingConfig(
        out=str(folder), model=ModelConfig(device="cpu"), stages=(5,), n_discriminator_steps=1, first_discriminator_steps=0,
        n_generator_steps=1, k_alternating_steps=0, problems_per_step=4, n_samples=4, n_lists=3, eval_samples=4, n_mutants=0,
        generator_lr=5e-5, discriminator_lr=5e-5)
    with AdversarialTrainer(config, tiny_problems("train", 24), progress=False) as trainer:
        trainer.train_full_pipeline()
        adapters = {k: p.detach().clone() for o in (trainer.players.generator, trainer.players.discriminator)
                    for k, p in o.parameters(5).items()}
    lines = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    return [{k: v for k, v in o.items() if not k.startswith("seconds")} for o in lines], adapters

def test_a_run_that_runs_out_of_memory_is_the_same_run(tmp_path, monkeypatch):
    "Rows are halved while sampling, and passes while learning, until they fit"
    lines, adapters = train_short(tmp_path / "whole")
    forward, refused = LlamaForCausalLM.forward, []
    def cramped(self, *args, **kw):
        rows, length = kw["input_ids"].shape
        if rows > 6 or torch.is_grad_enabled() and rows > 1 and rows * length > 60:
            refused.append(torch.is_grad_enabled())
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return forward(self, *args, **kw)
    monkeypatch.setattr(LlamaForCausalLM, "forward", cramped)
    with pytest.warns(UserWarning, match="memory ran out|out of memory"): again, small = train_short(tmp_path / "small")
    assert {True, False} == set(refused) and len(lines) == len(again) == 2
    for a, b in zip(lines, again): assert a == pytest.approx(b, abs=1e-5)
    assert apart(adapters, small) < 1e-5 # a fifth of one step of Adam

@pytest.mark.parametrize("room, once", [(2**20, True), (0, False)])
def test_an_update_reads_a_prompt_once_where_there_is_room(written, monkeypatch, room, once):
    "And comes to the same weights where there is none"
    player, answers = written
    read, forward, moved = [], Reader._forward, []
    monkeypatch.setattr(Reader, "_forward", lambda self, texts: read.extend(texts) or forward(self, texts))
    batch = Batch([len(o.ids) for o in answers], [o.logprobs for o in answers], [i % 3 / 2 for i in range(12)],
                  [i // 6 for i in range(12)])
    for given in (room, 2**20):
        monkeypatch.setattr(RowLimit, "room", lambda self, model: given)
        read.clear()
        start = {n: p.detach().clone() for n, p in player.parameters(5).items()}
        optimizer = torch.optim.SGD(player.parameters(5).values(), .1)
        train_step(**update_inputs(player, answers, [5] * 12, batch, optimizer, replace(CONFIG, epochs=2, microbatch_tokens=30), 1))
        if given == room: assert {*read} >= {tuple(o.prompt_ids[:-1]) for o in answers} and (len(read) == len({*read})) == once
        moved.append({n: p.detach().clone() for n, p in player.parameters(5).items()})
        with torch.no_grad():
            for n, p in player.parameters(5).items(): p.copy_(start[n])
    assert 0 <= apart(*moved) < 1e-6 and apart(moved[0], start) > 1e-4

def test_kept_prompts_are_let_go_before_a_run_fails(written, monkeypatch):
    "A pass of one answer that fits only when no prompts are kept; layers stay as they are"
    player, answers = written
    monkeypatch.setattr(RowLimit, "room", lambda self, model: 2**20)
    batch = Batch([len(o.ids) for o in answers], [o.logprobs for o in answers], [i % 3 / 2 for i in range(12)],
                  [i // 6 for i in range(12)])
    optimizer = torch.optim.SGD(player.parameters(5).values(), 0.)
    inputs = update_inputs(player, answers, [5] * 12, batch, optimizer, CONFIG, 1)
    read, kept = Reader.select, []
    def select(self, prefixes):
        kept.append(len(self.rows))
        if len(self.rows) > 10: raise ERRORS[0]
        return read(self, prefixes)
    monkeypatch.setattr(Reader, "select", select)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert train_step(**inputs)["updates"] == 2
    assert "prompts are read again in each pass from now on" in str(warned[-1].message)
    assert kept[0] == 12 and max(kept[-10:]) < 11 and "forward" not in vars(player.base.model.get_decoder().layers[0])

def test_one_answer_that_does_not_fit(written):
    "First what saves memory is switched on; then the error says what to do"
    asked = []
    def spare():
        asked.append(1)
        return "something is let go" if len(asked) == 1 else ""
    with pytest.warns(UserWarning, match="something is let go from now on"):
        one = replace(CONFIG, microbatch_tokens=1)
        update(written, one, fails=lambda rows, tokens: not asked, spare=spare)
    with pytest.raises(TrainingError, match="does not fit into memory; allow shorter answers"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            update(written, replace(CONFIG, microbatch_tokens=1), fails=lambda rows, tokens: True)

def test_other_errors_are_not_touched(written):
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        update(written, fails=lambda rows, tokens: True, error=RuntimeError("mat1 and mat2 shapes cannot be multiplied"))

@pytest.mark.parametrize("reading", [True, False])
def test_checkpointed_layers_give_the_same_gradients(reading):
    "Behind prompts that were read before, and without; the layers keep less"
    player = Players(ModelConfig(device="cpu", max_stage_tokens=24)).generator
    prompts = [f"Add {i} to n.\n" * 3 for i in range(5)]
    answers = player.sample(prompts, 5)
    model, parameters = activate(player.base, player.adapter(5)), list(player.parameters(5).values())
    def measure():
        reader = player.reader() if reading else None
        if reader: reader.read([tuple(o.prompt_ids[:-1]) for o in answers])
        run = lambda: answer_logprobs(model, reader, answers)[0]
        kept = memory.kept_bytes(run, model.parameters())
        logprobs = run()
        return kept, logprobs.detach(), torch.autograd.grad(logprobs.pow(2).sum(), parameters)
    kept, plain, gradients = measure()
    assert checkpoint_layers(model) and not checkpoint_layers(model)
    less, again, twice = measure()
    assert less < .6 * kept and torch.equal(plain, again)
    for a, b in zip(gradients, twice): assert (a - b).abs().max() <= 1e-6 * max(1., a.abs().max())

@pytest.mark.parametrize("kind, sizes", [
    (GPT2Config, dict(n_embd=16, n_layer=2, n_head=2)), # hands its cache on by position
    (LlamaConfig, dict(hidden_size=16, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2))])
def test_checkpointed_layers_of_other_models(kind, sizes):
    model = AutoModelForCausalLM.from_config(kind(vocab_size=20, **sizes)).eval()
    answers = [sampling.Sample([3, 4, 5, 6], [7, 8, 9], [], True), sampling.Sample([3, 4], [9], [], True)]
    def gradients():
        logprobs = answer_logprobs(model, Reader(model), answers)[0]
        return torch.autograd.grad(logprobs.sum(), list(model.parameters()), allow_unused=True)
    plain = gradients()
    assert checkpoint_layers(model)
    for a, b in zip(plain, gradients()): assert (a is b is None) or torch.allclose(a, b, atol=1e-6)

def test_checkpointed_layers_make_the_same_update_of_several_stages():
    "Layers that are computed again find the adapter that they were computed with"
    after = []
    for again in (False, True):
        players = Players(ModelConfig(device="cpu", max_stage_tokens=24))
        player, made = players.generator, sample_chains(players, tiny_problems("train", 12)[:2], 2, seed=1)
        for i, c in enumerate(made.chains): c.generator_reward = float(i % 2)
        if again: assert checkpoint_layers(player.base.model)
        weights = [p for s in (1, 2) for p in player.parameters(s).values()]
        for p in weights: p.data += .01 # a fresh adapter's second matrix is zero, and nothing would reach its first
        optimizer = create_optimizer(weights, 1e-3)
        samples, stages, batch = generator_batch(made, (1, 2))
        train_step(**update_inputs(player, samples, stages, batch, optimizer, CONFIG, 1))
        after.append([p.grad.clone() for p in weights])
    for a, b in zip(*after):
        assert a.abs().max() > 0 and (a - b).abs().max() <= 1e-5 * a.abs().max()

def test_gradient_checkpointing_is_a_setting():
    "The same gradients; an update's passes keep less, and the size of a pass is chosen by what they keep"
    found = []
    for again in (False, True):
        players = Players(ModelConfig(device="cpu", max_stage_tokens=24))
        player = players.generator
        answers = player.sample([f"Add {i} to n.\n" * 3 for i in range(6)], 5)
        weights = list(player.parameters(5).values())
        for p in weights: p.data += .01
        batch = Batch([len(o.ids) for o in answers], [o.logprobs for o in answers], [i % 2 for i in range(6)], [0] * 6)
        config = replace(CONFIG, microbatch_tokens=0, gradient_checkpointing=again)
        inputs = update_inputs(player, answers, [5] * 6, batch, create_optimizer(weights, 1e-3), config, 1)
        kept = memory.kept_bytes(lambda: inputs["policy"](list(range(6)))[0], player.base.model.parameters())
        train_step(**inputs)
        found.append((kept, bytes_per_token(player.base.model), [p.grad.clone() for p in weights]))
    (kept, each, plain), (less, fewer, twice) = found
    assert less < .6 * kept and less / kept < fewer / each < .8 # with the inside of one of the layers
    for a, b in zip(plain, twice): assert a.abs().max() > 0 and (a - b).abs().max() <= 1e-5 * a.abs().max()

def test_the_size_of_a_pass_goes_by_free_memory(monkeypatch):
    model = Players(ModelConfig(device="cpu")).generator.base.model
    one = bytes_per_token(model)
    assert fit_tokens(model, 2**40) == memory.NARROW and fit_tokens(model, 0) == 1
    assert fit_tokens(model, 2 * 300 * one) == 300
    monkeypatch.setattr(memory, "free_memory", lambda device: 2 * 40 * one)
    assert fit_config(PPOConfig(), model).microbatch_tokens == 40
    assert fit_config(PPOConfig(microbatch_tokens=7), model).microbatch_tokens == 7

def test_a_container_may_use_less(tmp_path, monkeypatch):
    "Version 2 and version 1 of control groups; pages of files count as free"
    for name, text in dict([("memory.max", "1000\n"), ("memory.current", "700\n"),
                            ("memory.stat", "anon 500\ninactive_file 150\n")]).items():
        (tmp_path / name).write_text(text)
    assert loading._group_room(tmp_path) == 450
    (tmp_path / "memory.max").write_text("max\n")
    assert loading._group_room(tmp_path) is None
    (tmp_path / "memory").mkdir()
    for name, text in dict([("memory.limit_in_bytes", "2000"), ("memory.usage_in_bytes", "1500"),
                            ("memory.stat", "inactive_file 9\ntotal_inactive_file 20\n")]).items():
        (tmp_path / "memory" / name).write_text(text)
    assert loading._group_room(tmp_path) == 520
    monkeypatch.setattr(loading, "_group_room", lambda: 12345)
    assert free_memory() == 12345


@pytest.mark.parametrize("wide", [384, 2048])
def test_a_run_takes_what_was_predicted(wide, tmp_path):
    "Every tensor of a real run is counted: loading, sampling, an update; the config alone predicts the peaks within 30 %"
    sizes = dict(hidden_size=128, intermediate_size=wide, num_attention_heads=4, num_key_value_heads=2)
    config = LlamaConfig(vocab_size=3000, num_hidden_layers=4, bos_token_id=0, eos_token_id=1, **sizes)
    LlamaForCausalLM(config).save_pretrained(tmp_path)
    load_tokenizer(TINY).save_pretrained(tmp_path)
    settings = ModelConfig(str(tmp_path), adapters="unified", device="cpu", max_stage_tokens=48)
    parts = memory_parts(config, settings, rows=24, tokens=48, prompt=64, micro=400)
    peaks = {}
    with Tracker() as tracker:
        player = Players(settings).generator
        player.end_ids = set()
        player.encode = lambda prompts, room, begin="": [[5 + int(p)] * 64 for p in prompts]
        held, tracker.peak = tracker.now, tracker.now
        answers = player.sample([str(i) for i in range(24)], 5)
        peaks["sampling"], tracker.peak = tracker.peak, tracker.now
        batch = Batch([48] * 24, [o.logprobs for o in answers], [i % 3 / 2 for i in range(24)], [i // 8 for i in range(24)])
        reader = player.reader()
        read = lambda rows, **kw: player.logprobs([answers[r] for r in rows], 5, reader=reader, **kw)
        optimizer = create_optimizer(player.parameters(5).values(), 1e-4)
        train_step(batch, read, lambda rows: read(rows, reference=True), optimizer, PPOConfig(microbatch_tokens=400))
        peaks["update"] = tracker.peak
    fixed = parts["weights"] + parts["adapters"]
    ratios = [(fixed + max(parts["sampling"], parts["reading"])) / peaks["sampling"],
              (fixed + parts["Adam"] + parts["update"]) / peaks["update"]]
    assert all(.7 < o < 1.3 for o in ratios), (ratios, parts, peaks)

def test_rows_hold_their_prompts_once_and_never_twice():
    "Every tensor is counted: beside what was read a batch holds a prompt for each row, not even for a moment twice"
    model = LlamaForCausalLM(LlamaConfig(vocab_size=768, hidden_size=128, intermediate_size=128, num_hidden_layers=8,
                                         num_attention_heads=4, num_key_value_heads=4)).eval()
    prompts = [[5 + i] * 600 for i in range(4) for _ in range(6)]
    one = 600 * 8 * 2 * 128 * 4 # bytes of a prompt
    with torch.no_grad(), Tracker([*model.parameters()]) as tracker:
        reader = Reader(model)
        reader.read([tuple(p[:-1]) for p in prompts])
        before = tracker.peak = tracker.now
        batch = sampling._start(model, reader, prompts, row_noise([0] * 24, 2), 1., [])
        assert tracker.peak - before < 1.1 * 24 * one
        batch.write(1)
        held = tracker.peak = tracker.now
        batch.keep([*range(0, 24, 2)])
        assert tracker.peak < held + one

def test_reading_moves_a_layer_at_a_time():
    "Beside what was read before, the new prompts and a layer or two: not all of both twice"
    model = LlamaForCausalLM(LlamaConfig(vocab_size=768, hidden_size=128, intermediate_size=128, num_hidden_layers=16,
                                         num_attention_heads=4, num_key_value_heads=4)).eval()
    texts = lambda first: [(first + i,) * 600 for i in range(16)]
    batch = 16 * 600 * 16 * 2 * 128 * 4 # bytes
    with torch.no_grad(), Tracker([*model.parameters()]) as tracker:
        reader = Reader(model)
        for n in range(3): # the first texts are kept to the end, the second give way to the third
            tracker.peak = tracker.now
            reader.read(texts(5 + 100 * n))
            assert tracker.now < 1.1 * batch * min(n + 1, 2) and tracker.peak < 1.5 * batch * (n + 1)

def test_the_head_gets_no_slice_where_nobody_needs_its_logits():
    "In bfloat16 torch copies the head's weights for each row of a batch that is not contiguous"
    model = LlamaForCausalLM(LlamaConfig(vocab_size=768, hidden_size=64, intermediate_size=64, num_hidden_layers=1,
                                         num_attention_heads=1, num_key_value_heads=1)).eval()
    seen, forward = [], model.lm_head.forward
    model.lm_head.forward = lambda states: seen.append((len(states), states.is_contiguous())) or forward(states) # after all hooks
    prompts = [(5 + i,) * 20 for i in range(16)]
    Reader(model).read(prompts)
    with torch.no_grad(): states = last_states(Reader(model), prompts)
    assert seen == [(16, True)] * 3 and len(states) == 16 and len(states.unique(dim=0)) == 16

@pytest.mark.parametrize("at", [1, 3, 7])
def test_a_reader_that_memory_runs_out_of_reads_anew(at, monkeypatch):
    "While layers move nothing is known for sure; the next try answers as if nothing had happened"
    model, _ = load_base(TINY, "cpu")
    prompts = [[5 + i] * 30 + [9] for i in range(4)]
    answers = sample_tokens(model, Reader(model), prompts, 8, set())
    reader, calls, stack = Reader(model), [], sampling._stack
    reader.read([tuple(p[:20]) for p in prompts])
    def cramped(*args):
        calls.append(args)
        if len(calls) == at: raise torch.OutOfMemoryError("CUDA out of memory")
        return stack(*args)
    monkeypatch.setattr(sampling, "_stack", cramped)
    with pytest.raises(torch.OutOfMemoryError): sample_tokens(model, reader, prompts, 8, set())
    for (ids, logps, _), (known, before, _) in zip(sample_tokens(model, reader, prompts, 8, set()), answers):
        assert ids == known and torch.allclose(torch.tensor(logps), torch.tensor(before), atol=1e-4)

def test_rows_are_counted_by_what_a_batch_holds():
    "Each row's prompt, and what was read once for rows of the same prompt; the batch that needs most decides"
    model = LlamaForCausalLM(LlamaConfig(vocab_size=768, hidden_size=128, intermediate_size=128, num_hidden_layers=8,
                                         num_attention_heads=4, num_key_value_heads=4)).eval()
    distinct, limit, reader = [[5 + i] * 600 for i in range(64)], RowLimit(), Reader(model)
    grouped = limit.needed(reader, [p for p in distinct for _ in range(8)][:64], 8)
    apart = limit.needed(reader, (distinct * 8)[:64], 8)
    token = 8 * 2 * 128 * 4
    assert apart - grouped == (64 - 8) * 600 * token
    with pytest.MonkeyPatch.context() as patch: # wherever it stands
        patch.setattr(rows, "free_memory", lambda device: 2.1 * grouped)
        many = [distinct[0]] * 64 + distinct
        assert RowLimit().choose(reader, many, 8) == RowLimit().choose(reader, many[::-1], 8) == 32
        patch.setattr(rows, "free_memory", lambda device: 10**15)
        assert RowLimit().choose(reader, many * 9, 8) == rows.BEST_ROWS == 256

@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("name", ["Qwen2", "GPT-2", "Mixtral"])
def test_the_weights_that_are_packed_are_those_predicted(name, dtype, tmp_path):
    "GPT-2 has layers of transformers' own class, Mixtral keeps its experts in one tensor"
    pytest.importorskip("bitsandbytes")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="dtype .* packs")
        model, _ = load_base(architectures.save_model(name, tmp_path, wide=True), "cpu", dtype)
    predicted = memory_parts(model.config, ModelConfig(device="cpu", dtype=dtype), 1, 1, 1, 1)["weights"]
    taken = sum(p.numel() * p.itemsize for p in model.parameters())
    assert .99 < predicted / taken < 1.02 # scales are no parameters

def test_fewer_rows_and_bits_take_less(tmp_path):
    architectures.save_model("GPT-2", tmp_path)
    table = fitting_table(str(tmp_path), tokens=64, prompt=64, device="cpu")
    by = lambda **kw: next(o["gigabytes"] for o in table if all(o[k] == v for k, v in kw.items()))
    assert [o["microbatch_tokens"] for o in table[:2]] == [1000, 64] and all(o["fits"] for o in table)
    assert by(rows=256, dtype="auto") >= by(rows=16, dtype="auto") >= by(rows=16, dtype="4bit")
