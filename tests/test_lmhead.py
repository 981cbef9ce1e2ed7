"""The head in pieces gives what the table of all logits gives: values and gradients, of the model that is
shipped and of a random one with a large vocabulary; and no tensor is larger than a piece."""
import pytest, torch
from transformers import AutoModelForCausalLM, CohereConfig, Gemma2Config, GraniteConfig, LlamaConfig, LlamaForCausalLM

from chained_adv import scoring as lmhead
from chained_adv.scoring import plain_head, score_targets
from chained_adv.models import ModelConfig, Players
from chained_adv.tiny.world import tiny_problems

PROBLEMS = tiny_problems("train", 25)[:4]

@pytest.fixture(scope="module")
def written():
    "(player, its answers at stage 2)"
    player = Players(ModelConfig(device="cpu")).generator
    prompts = [player.prompt(p, 2, ["Look at xs, keep odd, give min."]) for p in PROBLEMS]
    return player, player.sample(prompts, 2, seed=0)

def gradients(player, answers):
    "Of a loss that weighs every token differently, with respect to the adapter"
    logprobs, entropy, mask = player.logprobs(answers, 2)
    loss = (torch.where(mask, logprobs, 0.) * torch.linspace(-1, 1, mask.numel()).view_as(mask)).sum()
    weights = list(player.parameters(2).values())
    return [logprobs.detach(), entropy.detach()], torch.autograd.grad(loss, weights)

@pytest.mark.parametrize("piece", [1, 5_000])
def test_pieces_are_the_whole(written, monkeypatch, piece):
    "Values and gradients of the adapters of the shipped model"
    whole = gradients(*written)
    monkeypatch.setattr(lmhead, "PIECE", piece)
    parts = gradients(*written)
    for a, b in zip(whole, parts):
        for x, y in zip(a, b): assert (x - y).abs().max() <= 1e-5 * max(1., x.abs().max())

def test_one_piece_is_the_definition(written):
    "Softmax and entropy of the model's own logits; without a gradient of the entropy"
    player, answers = written
    sample = answers[0]
    logprobs, entropy, mask = player.logprobs([sample], 2)
    ids = torch.tensor([sample.prompt_ids + sample.ids])
    with torch.no_grad(): logits = player.base.model(input_ids=ids).logits[0, len(sample.prompt_ids) - 1:-1]
    logp = torch.log_softmax(logits.float(), -1)
    assert (logprobs[0] - logp.gather(1, torch.tensor(sample.ids)[:, None])[:, 0]).abs().max() < 1e-4
    assert (entropy[0] + (logp.exp() * logp).sum(-1)).abs().max() < 1e-4 and not entropy.requires_grad

WORDS = 150_000

def large(kind=LlamaConfig, **settings):
    torch.manual_seed(0)
    sizes = dict(hidden_size=16, intermediate_size=16, num_attention_heads=2, num_key_value_heads=2, head_dim=8)
    return AutoModelForCausalLM.from_config(kind(vocab_size=WORDS, num_hidden_layers=1, **sizes, **settings))

@pytest.mark.parametrize("kind, settings", [(LlamaConfig, {}), (Gemma2Config, dict(final_logit_softcapping=.3)),
    (CohereConfig, dict(logit_scale=.0625)), (GraniteConfig, dict(logits_scaling=8.))])
def test_a_large_vocabulary_is_read_in_pieces(kind, settings):
    "No tensor of the forward and the backward pass is larger than a piece, where logits are capped or scaled, too"
    model, ids = large(kind, **settings), torch.arange(2 * 65).view(2, 65)
    targets, sizes = ids[:, 1:], []
    run = lambda **kw: model(input_ids=ids[:, :-1], **kw)
    class Sizes(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            is_table = isinstance(out, torch.Tensor) and out.dim() > 1 and out.shape[-1] == WORDS
            if is_table: sizes.append(out.numel())
            return out
    with Sizes():
        logprobs, _ = score_targets(model, run, targets)
        logprobs.sum().backward()
    assert plain_head(model) is model.lm_head
    assert 128 * WORDS > lmhead.PIECE >= max(sizes)
    whole = torch.log_softmax(model(input_ids=ids[:, :-1]).logits, -1).gather(2, targets[..., None])[..., 0]
    assert (whole - logprobs).abs().max() < 1e-5

def test_a_model_that_changes_its_logits_in_an_unknown_way_is_read_whole():
    "Where the states and logits of the padding are 0, too"
    model = large(pad_token_id=0)
    assert plain_head(model) is model.lm_head
    capped, forward = large(pad_token_id=0), LlamaForCausalLM.forward
    def cap(*args, **kw):
        out = forward(capped, *args, **kw)
        out.logits = .01 * torch.tanh(out.logits / .01)
        return out
    capped.forward = cap
    assert plain_head(capped) is None
