"""The base in every precision on a CPU: sampler and trainer agree, adapters learn in single precision, small gradients survive
in half precision, and what cannot work is refused in a sentence."""
import warnings
from importlib.util import find_spec
from types import SimpleNamespace

import pytest, torch
from transformers import GPT2Config

from chained_adv import loading, scoring
from chained_adv.config import QUICK, TrainingConfig
from chained_adv.core import ConfigError
from chained_adv.loading import DTYPES, LOSS_SCALE, QUANTISED, load_base, loss_scale, overflows, pick_dtype, pick_place
from chained_adv.models import ModelConfig, Players
from chained_adv.scoring import path_gap, refusing
from chained_adv.ppo import Batch, PPOConfig, create_optimizer, train_step
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

needs_bitsandbytes = pytest.mark.skipif(not find_spec("bitsandbytes"), reason="bitsandbytes is not installed")
MOST = dict(float32=1e-5, bfloat16=.1, float16=2e-3) | {"8bit": .03, "4bit": 5e-3} # nats per token, in the mean
ALL = [pytest.param(o, marks=needs_bitsandbytes if o in QUANTISED else ()) for o in DTYPES[1:]]

def written(dtype):
    "(player, its answers): an adapter that has moved"
    player = Players(ModelConfig(dtype=dtype, device="cpu", max_stage_tokens=24)).generator
    source = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, p in player.parameters(5).items():
            if "lora_B" in name: p.normal_(std=.02, generator=source)
    return player, player.sample([f"Add {i} to n.\n" for i in range(6)], 5)

def gap(player, answers):
    "Mean distance of the trainer's log-probabilities from the sampler's"
    logprobs, _, mask = player.logprobs(answers, 5)
    sampled = torch.zeros_like(logprobs)
    for i, o in enumerate(answers): sampled[i, :len(o.ids)] = torch.tensor(o.logprobs)
    return ((logprobs - sampled).abs() * mask).sum() / mask.sum()

@pytest.mark.parametrize("dtype", ALL)
def test_sampler_and_trainer_agree(dtype):
    player, answers = written(dtype)
    for _ in range(2): # once more after sampling, when a packed layer would have changed its form
        assert gap(player, answers) < MOST[dtype]
    assert {p.dtype for p in player.parameters(5).values()} == {torch.float32}

def batch_of(answers):
    return Batch([len(o.ids) for o in answers], [o.logprobs for o in answers],
                 [i % 2 for i in range(len(answers))], [0] * len(answers))

@pytest.mark.parametrize("dtype", ALL[:-1])
def test_an_update_moves_the_adapter_like_in_single_precision(dtype):
    "The same answers, one step of gradient descent: the direction is that of float32"
    def step(dtype, answers=None):
        player, own = written(dtype)
        answers = answers or own
        before = {n: p.detach().clone() for n, p in player.parameters(5).items()}
        train_step(batch_of(answers), lambda rows: player.logprobs([answers[r] for r in rows], 5),
                   lambda rows: player.logprobs([answers[r] for r in rows], 5, reference=True),
                   torch.optim.SGD(player.parameters(5).values(), 1.), PPOConfig(epochs=1, minibatches=1),
                   scale=loss_scale(player.base.model))
        return torch.cat([(p - before[n]).flatten() for n, p in player.parameters(5).items()]), answers
    whole, answers = step("float32")
    other, _ = step(dtype, answers)
    assert torch.cosine_similarity(whole, other, 0) > .97
    assert .9 < other.norm() / whole.norm() < 1.1

@needs_bitsandbytes
def test_gradients_of_packed_weights_are_those_of_the_unpacked():
    "4-bit weights, and plain linear layers that hold the same numbers"
    from bitsandbytes.functional import dequantize_4bit
    player, answers = written("4bit")
    def gradients():
        logprobs, _, mask = player.logprobs(answers, 5)
        return torch.autograd.grad((logprobs * mask).sum(), list(player.parameters(5).values()))
    packed, layers = gradients(), 0
    for module in list(player.base.model.modules()):
        inner = getattr(module, "base_layer", None)
        if type(inner).__name__ != "Linear4bit": continue
        plain = torch.nn.Linear(inner.in_features, inner.out_features, inner.bias is not None).requires_grad_(False)
        plain.weight.copy_(dequantize_4bit(inner.weight.data, inner.weight.quant_state))
        if inner.bias is not None: plain.bias.copy_(inner.bias)
        module.base_layer, layers = plain, layers + 1
    assert layers > 10
    for a, b in zip(packed, gradients()): assert (a - b).abs().max() <= 1e-4 * max(1., b.abs().max())

def test_the_scale_saves_small_gradients():
    "A loss of a millionth: float16 loses its gradients without the scale, and keeps them with it"
    player, answers = written("float16")
    def gradients(scale):
        logprobs, _, mask = player.logprobs(answers, 5)
        loss = (logprobs * mask).sum() * 1e-6
        found = torch.autograd.grad(loss * scale, list(player.parameters(5).values()))
        return torch.cat([o.flatten() for o in found]) / scale / 1e-6
    exact, answers32 = written("float32")[0], answers
    logprobs, _, mask = exact.logprobs(answers32, 5)
    wanted = torch.cat([o.flatten() for o in torch.autograd.grad((logprobs * mask).sum(),
                                                                  list(exact.parameters(5).values()))])
    off = lambda found: ((found - wanted).norm() / wanted.norm()).item()
    assert off(gradients(LOSS_SCALE)) < .02 < .2 < off(gradients(1.))

@pytest.mark.parametrize("capability, dtype", [((7, 5), torch.float16), ((8, 0), torch.bfloat16), ((9, 0), torch.bfloat16)])
def test_auto_on_a_gpu_goes_by_the_card(monkeypatch, capability, dtype):
    "A T4 (7.5) emulates bfloat16 and gets float16"
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: capability)
    for name in ("auto", *QUANTISED): assert pick_dtype(name, torch.device("cuda")) is dtype
    assert pick_dtype("bfloat16", torch.device("cuda")) is torch.bfloat16

@pytest.fixture
def wide(tmp_path):
    "A folder with a model that leaves the range of float16"
    model, tokenizer = load_base("tiny", "cpu")
    with torch.no_grad(): model.model.layers[1].mlp.down_proj.weight.mul_(1e6)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return str(tmp_path)

def test_what_overflows_is_refused_or_falls_back(wide, monkeypatch):
    with pytest.raises(ConfigError, match="overflows in float16 .* choose --dtype float32"): load_base(wide, "cpu", "float16")
    monkeypatch.setattr(loading, "pick_dtype", lambda dtype, device: torch.float32 if dtype == "float32" else torch.float16)
    with pytest.warns(UserWarning, match="it is loaded in float32 instead"): model, tokenizer = load_base(wide, "cpu")
    assert model.dtype is torch.float32 and not overflows(model, tokenizer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_base("tiny", "cpu")[0].dtype is torch.float16 # what does not overflow stays

def test_refusals():
    with pytest.raises(ConfigError, match="dtype 'int4': choose one of auto, float32"): load_base("tiny", "cpu", "int4")
    for dtype in ("float16", "bfloat16", "4bit"): # bfloat16 would round small steps away
        with pytest.raises(ConfigError, match=f"{dtype} rounds .* choose --dtype float32"):
            Players(ModelConfig(adapters="full", dtype=dtype, device="cpu"))

def test_without_bitsandbytes(monkeypatch):
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="needs the package bitsandbytes"): load_base("tiny", "cpu", "4bit")

@pytest.mark.parametrize("dtype, words", [
    ("float32", r"nats a token in float32, where 0.0001 is allowed; choose another model$"),
    ("bfloat16", r"nats a token in bfloat16, where 0.1 is allowed; choose --dtype float32, or another model$"),
    pytest.param("4bit", r"in 4 bits, computed in float32, where .* choose --dtype float32, or another model$", marks=needs_bitsandbytes)])
def test_a_check_that_fails_names_the_precision_and_the_remedy(dtype, words):
    "A sampler with a head that is half as sure"
    model, other = (load_base("tiny", "cpu", dtype)[0] for _ in range(2))
    other.model.norm.weight.data *= .3
    with torch.no_grad(), pytest.raises(ConfigError, match=words): path_gap(model, other, model)

def test_the_prompts_of_a_run_are_tried_too(monkeypatch):
    "Made-up tokens agree in bfloat16 to the last digit; the prompts of a problem don't"
    monkeypatch.setitem(scoring.LIMITS, torch.bfloat16, 1e-4)
    config = TrainingConfig(model=ModelConfig(device="cpu", dtype="bfloat16"), **QUICK)
    with pytest.raises(ConfigError, match=r"^model 'tiny' .* in bfloat16, where 0.0001 .* choose --dtype float32"):
        AdversarialTrainer(config, tiny_problems("train", 4)[2:], selection=[], progress=False)

@pytest.mark.parametrize("capability, device, dtype, tf32", [
    ((8, 0), "cuda", torch.float32, True), ((7, 5), "cuda", torch.float32, False),
    ((9, 0), "cuda", torch.bfloat16, False), ((8, 0), "cpu", torch.float32, False)])
def test_single_precision_in_tf32(capability, device, dtype, tf32, monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: capability)
    model = SimpleNamespace(device=torch.device(device), dtype=dtype)
    assert not loading.uses_tf32(model) # as torch starts
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "high")
    assert loading.uses_tf32(model) is tf32
    if tf32: assert scoring.precision(model) == ("float32 (TF32)", "choose another model")

def test_what_does_not_go_at_all_names_them_too():
    model = load_base("tiny", "cpu", "bfloat16")[0]
    with pytest.raises(ConfigError, match=r"masks in bfloat16 \(RuntimeError: no kernel\); choose --dtype float32, or"), \
            refusing("mine", model): raise RuntimeError("no kernel")
    with pytest.raises(RuntimeError, match="^DefaultCPUAllocator: not enough memory"), refusing("mine", model): # no fault of the model
        raise RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 8 bytes")

def test_small_models_stay_on_the_cpu_and_say_so(tmp_path, monkeypatch):
    "Only where nobody has chosen, and no other rank waits on its GPU"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.warns(UserWarning, match="'tiny' has 1.7 million parameters and computes on the CPU.*--device cuda"):
        model, _ = load_base("tiny")
    assert model.device.type == "cpu" and model.dtype == torch.float32
    GPT2Config(n_embd=512, n_layer=4).save_pretrained(tmp_path)
    assert pick_place(str(tmp_path)).type == "cuda" == pick_place(str(tmp_path / "nothing")).type
    assert pick_place("tiny", "cuda").type == "cuda"
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert pick_place("tiny").type == "cuda"
