"""The update against a second implementation in plain Python, over all combinations of settings; what must
never change a weight; what must stop."""
import itertools, math
from dataclasses import replace
from unittest.mock import patch

import pytest, torch
from hypothesis import given, settings, strategies as st

from chained_adv import ppo
from chained_adv.ppo import SCALES, Batch, PPOConfig, compute_advantages, compute_policy_loss
from chained_adv.ppo import create_optimizer, spread_credit, train_step
from chained_adv.value_heads import ValueHead, ValueHeads, compute_gae, compute_value_loss, explained_variance
from chained_adv.value_heads import fit_value, value_advantages

# A toy with two tokens, 0 and 1: the weight of a position is the logit of token 1 there.
# Answers have one or two tokens.
ANSWERS = [(1, 0), (0,), (1,), (0, 0), (1, 1), (0, 1)]
GROUPS = [0, 0, 0, 1, 1, 1]
LENGTHS = [len(a) for a in ANSWERS]
NOW, SAMPLER, REFERENCE = (.3, -.5), (-.2, .4), (.1, .1)
TRAINER = (-.1, .3) # the trainer finds the samples less or more likely than the sampler did

def log_p(w, token): return -math.log1p(math.exp(-w if token else w))
def logprobs_under(w): return [[log_p(w[i], t) for i, t in enumerate(a)] for a in ANSWERS]
def tensor(w): return torch.tensor(w, dtype=torch.double)
def weights(w=NOW): return torch.nn.Parameter(tensor(w))

def model(w, spoil=None):
    "Rows -> (log-probabilities, entropies, mask), in double precision; `spoil` is what the padding holds"
    def f(rows):
        width = max(LENGTHS[r] for r in rows)
        padded = [ANSWERS[r] + (0,) * (width - LENGTHS[r]) for r in rows]
        mask = torch.tensor([[i < LENGTHS[r] for i in range(width)] for r in rows])
        both = torch.nn.functional.logsigmoid(torch.stack([w, -w]))[:, :width]
        logp = torch.nn.functional.logsigmoid((2 * tensor(padded) - 1) * w[:width])
        entropy = -(both.exp() * both).sum(0).expand(len(rows), width)
        if spoil is None: return logp, entropy, mask
        return torch.where(mask, logp, spoil), torch.where(mask, entropy, spoil), mask
    return f

def make_batch(**kw):
    given = dict(lengths=LENGTHS, old_logprobs=logprobs_under(SAMPLER), rewards=[1., 0., .25, .5, .5, .9],
                 groups=GROUPS)
    return Batch(**{**given, **kw})

def first_trainer(policy):
    "A policy that says what `TRAINER` does where it is read without gradients, before the update"
    return lambda rows: (policy if torch.is_grad_enabled() else model(tensor(TRAINER)))(rows)

def update(batch, config, seed=0, optimizer=None, w=None, policy=None, reference=None, trainer=False, **kw):
    "One update of the toy: (its weights, statistics)"
    w = weights() if w is None else w
    policy, reference = policy or model(w), reference or model(tensor(REFERENCE))
    if trainer: policy, kw = first_trainer(policy), dict(kw, corrected=True)
    out = train_step(batch, policy, reference, optimizer or create_optimizer([w], .05), config, seed, **kw)
    return w.detach().clone(), out


# The same update a second time, without tensors

def plain_advantages(b, c):
    "(row -> token -> advantage, row: kept), straight from the definitions"
    n = len(b.rewards)
    groups = [[i for i in range(n) if b.groups[i] == g] for g in b.groups]
    credit = b.credit or [[0.] * k for k in b.lengths]
    spread = lambda g: max(b.rewards[j] for j in g) - min(b.rewards[j] for j in g)
    kept = [spread(g) > 1e-4 or any(abs(x) > 1e-4 for j in g for x in credit[j]) for g in groups]
    raw = [b.rewards[i] - sum(b.rewards[j] for j in g) / len(g) for i, g in enumerate(groups)]
    if b.advantages: kept, raw = [True] * n, b.advantages
    square = [sum((raw[i] + x)**2 for x in credit[i]) / b.lengths[i] for i in range(n)]
    whole = [j for j in range(n) if kept[j]]
    rms = lambda rows: math.sqrt(sum(square[j] for j in rows) / len(rows))
    std = [{"batch": rms(whole), "group": rms(groups[i]), "none": 1.}[c.scale] for i in range(n)]
    clip = lambda x: max(-ppo.ADVANTAGE_CLIP, min(ppo.ADVANTAGE_CLIP, x))
    return [[clip((raw[i] + x) / std[i]) if kept[i] else 0. for x in credit[i]] for i in range(n)], kept

def plain_token(c, p, old, sampler, ref, a):
    "What one token adds to the loss"
    weight = min(math.exp(old - sampler), ppo.TIS_CAP) # 1 where the two are the same
    ratio, d = math.exp(p - old), ref - p
    gain = min(ratio * a, max(1 - c.clip_low, min(1 + c.clip_high, ratio)) * a)
    return -weight * gain + c.kl_coef * weight * ratio * (math.exp(d) - d - 1)

def plain_loss(w, b, c, trainer):
    "The loss of one minibatch of everything, as a number"
    sampler, ref, now = b.old_logprobs, logprobs_under(REFERENCE), logprobs_under(w)
    old = logprobs_under(TRAINER) if trainer else sampler
    advantages, kept = plain_advantages(b, c)
    rows = [i for i in range(len(old)) if kept[i]]
    terms = [plain_token(c, *o) for i in rows for o in zip(now[i], old[i], sampler[i], ref[i], advantages[i])]
    return sum(terms) / sum(b.lengths[i] for i in rows)

OPTIONS = dict(given=(False, True), scale=SCALES, trainer=(False, True), credit=(False, True))
COMBINATIONS = [dict(zip(OPTIONS, o)) for o in itertools.product(*OPTIONS.values())]
CREDIT = [[.2, -.2], [0.], [.1], [0., 0.], [-.3, .3], [.1, -.1]]
GIVEN = [.6, -.3, -.25, -.1, .3, .2]

def setting(o):
    "(batch, config, trainer) of a combination; clips and weights are such that everything acts"
    batch = make_batch(credit=CREDIT if o["credit"] else None, advantages=GIVEN if o["given"] else None)
    config = PPOConfig(epochs=1, minibatches=1, max_grad_norm=math.inf, kl_coef=.3, scale=o["scale"])
    return batch, config, o["trainer"]

def slope(f, at, h=1e-5):
    "Central differences"
    out = []
    for i in range(len(at)):
        up, down = list(at), list(at)
        up[i] += h
        down[i] -= h
        out.append((f(up) - f(down)) / (2 * h))
    return tensor(out)

def test_every_combination_is_the_plain_loss_and_its_gradient(monkeypatch):
    "Value, and gradient against central differences: one step of plain gradient descent shows the gradient"
    monkeypatch.setattr(ppo, "ADVANTAGE_CLIP", 1.4) # so that it acts
    monkeypatch.setattr(ppo, "TIS_CAP", 1.05)
    for o in COMBINATIONS:
        batch, config, trainer = setting(o)
        w = weights()
        moved, out = update(batch, config, optimizer=torch.optim.SGD([w], lr=1.), w=w, trainer=trainer)
        f = lambda x: plain_loss(x, batch, config, trainer)
        assert (tensor(NOW) - moved - slope(f, NOW)).abs().max() < 1e-6, o # advantages are single precision
        assert abs(out["policy_loss"] + config.kl_coef * out["kl"] - f(NOW)) < 1e-6, o

def test_the_combinations_make_all_settings_act():
    "Each option changes the loss of some combination, otherwise the test above shows nothing about it"
    for name, values in OPTIONS.items():
        first, second = ({**o, name: v} for o in [COMBINATIONS[-1]] for v in values[:2])
        assert plain_loss(NOW, *setting(first)) != plain_loss(NOW, *setting(second)), name

def test_gradcheck_on_two_tokens():
    "torch's own comparison with finite differences, on the logits of two tokens"
    mask = torch.tensor([[True, True], [True, False]])
    old, ref = tensor([[-.9, -.4], [-.6, 0.]]), tensor([[-.5, -.9], [-.4, 0.]])
    sampler = old - tensor([[-.7, .9], [0., 0.]])
    start = tensor([[[.3, -.2], [-.8, .1]], [[.2, .4], [.5, .6]]]).requires_grad_()
    for sign, kl, corrected, per_token in itertools.product((1, -1), (0, 1), (0, 1), (0, 1)):
        a = sign * (tensor([[.7, -.3], [.2, 5.]]) if per_token else tensor([[.7], [-.4]]))
        def f(logits):
            both = torch.log_softmax(logits, -1)
            now = torch.where(mask, both[..., 0], 0.)
            more = dict(reference=ref if kl else None, sampler=sampler if corrected else None)
            return compute_policy_loss(now, old, a, mask, **more)[0]
        assert torch.autograd.gradcheck(f, start)
        assert f(start).item() != 0


# What must not matter

def test_microbatches_change_nothing():
    for o in COMBINATIONS[::5]:
        batch, config, trainer = setting(o)
        config = replace(config, epochs=2, minibatches=2)
        (a, x), (b, y) = (update(batch, replace(config, microbatch_tokens=n), 5, trainer=trainer) for n in (1, 1000))
        assert (a - b).abs().max() < 1e-9, o
        assert x.keys() == y.keys() and all(x[k] == y[k] or abs(x[k] - y[k]) < 1e-9 for k in x), o

def test_padding_holds_anything():
    for o in COMBINATIONS[::5]:
        batch, config, trainer = setting(o)
        clean, _ = update(batch, config, trainer=trainer)
        for garbage in (math.nan, math.inf, -math.inf, 1e30):
            w, spoil = weights(), torch.tensor(garbage)
            policy, reference = model(w, spoil), model(tensor(REFERENCE), spoil)
            assert torch.equal(update(batch, config, w=w, policy=policy, reference=reference, trainer=trainer)[0], clean)

def test_seeds_reproduce_bit_for_bit():
    def run(seed, o):
        batch, config, trainer = setting(o)
        w, out = update(batch, replace(config, epochs=3, minibatches=3, microbatch_tokens=2), seed, trainer=trainer)
        return w.tolist(), out
    for o in COMBINATIONS[::5]: assert run(3, o) == run(3, o) != run(4, o)

def test_defaults_do_what_they_did():
    "Weights after three updates, as measured before the other settings existed, with the KL weight of then"
    w = weights()
    optimizer = create_optimizer([w], .05)
    for seed in range(3): out = update(make_batch(), PPOConfig(kl_coef=.03), seed, optimizer, w)[1]
    assert PPOConfig() == PPOConfig(advantage="group", scale="batch")
    assert w.tolist() == pytest.approx([.26071122, -.01394860], abs=1e-6)
    assert out["grad_norm"] == pytest.approx(.16485269, abs=1e-6)

def test_equal_rewards_change_no_weight():
    for scale in SCALES:
        w, out = update(make_batch(rewards=[.7] * 6), PPOConfig(scale=scale))
        assert w.tolist() == list(NOW) and out == dict(rows_kept=0., updates=0)

def test_equal_groups_are_dropped_but_not_given_advantages():
    batch = make_batch(rewards=[1., 0., 1., .5, .5, .5])
    assert compute_advantages(batch)[1].tolist() == [True] * 3 + [False] * 3
    assert compute_advantages(replace(batch, advantages=GIVEN))[1].all()

def test_an_empty_batch_and_a_single_row_change_nothing():
    for batch in (Batch([], [], [], []), Batch([1], [[-.5]], [1.], [0])): # nothing to compare with
        w, out = update(batch, PPOConfig())
        assert w.tolist() == list(NOW) and out == dict(rows_kept=0., updates=0)

def test_the_kl_holds_a_group_that_agrees():
    """Two prompts with a logit each. The first group teaches; the second agrees, but its logit has drifted to 1 from the
    reference's 0. Without a KL nothing holds it"""
    signs, groups = tensor([-1., 1., 1., 1.]), torch.tensor([0, 0, 1, 1])
    def read(w):
        logp = lambda rows: torch.nn.functional.logsigmoid(signs[rows] * w[groups[rows]])[:, None]
        return lambda rows: (logp(rows), torch.zeros(len(rows), 1), torch.ones(len(rows), 1, dtype=torch.bool))
    def drifted(kl_coef):
        w = weights((0., 1.))
        old = read(w)([0, 1, 2, 3])[0].tolist()
        batch = Batch([1] * 4, old, [0., 1., 1., 1.], groups.tolist())
        update(batch, PPOConfig(kl_coef=kl_coef), 0, create_optimizer([w], .1), w, read(w), read(tensor((0., 0.))))
        return w.tolist()
    assert drifted(0.)[1] == 1 and drifted(0.)[0] > .09
    assert drifted(.1)[0] > .09 and drifted(.1)[1] < .95


# What must stop the run, naming update, tensor and likely cause, with the weights as they were

def one_bad(bad): return [[-.5, -.5], [bad], [-.5], [-.5, -.5], [-.5, -.5], [-.5, -.5]]

BAD = {
    "rewards": (dict(rewards=[1., 0., math.nan, .5, .5, .9]),
                "before the first update: the reward of row 2 is nan.*reward scheme"),
    "old log-probabilities": (dict(old_logprobs=one_bad(-math.inf)),
                              "the sampler's log-probability of row 1, token 0 is -inf.*probability zero"),
    "advantages": (dict(advantages=[.1, .1, .1, .1, math.inf, .1]), "the advantage of row 4 is inf.*divided by zero"),
    "credit": (dict(credit=one_bad(math.nan)),
               "the credit of row 1, token 0 is nan.*divided by zero"),
}

@pytest.mark.parametrize("what", BAD)
def test_a_bad_batch_stops(what):
    given, message = BAD[what]
    w = weights()
    with pytest.raises(FloatingPointError, match=message):
        update(make_batch(**given), PPOConfig(), w=w, corrected=True)
    assert w.tolist() == list(NOW)

def spoiled(f, row, part):
    "A model whose log-probabilities (0) or entropies (1) of one row are NaN"
    def g(rows):
        out = list(f(rows))
        if row in rows: out[part] = out[part] * torch.tensor([[math.nan if r == row else 1.] for r in rows])
        return tuple(out)
    return g

@pytest.mark.parametrize("row", range(6))
def test_a_bad_model_stops(row):
    w = weights()
    def stops(message, config=PPOConfig(), **kw):
        with pytest.raises(FloatingPointError, match=message): update(make_batch(), config, w=w, **kw)
    when, entry = r"update \d+ \(epoch 1 of 2\): ", f"of row {row}, token 0 is nan"
    stops(f"{when}the log-probability {entry}.*learning rate", policy=spoiled(model(weights()), row, 0))
    stops(f"the entropy {entry}", policy=spoiled(model(weights()), row, 1))
    stops(f"the reference's log-probability {entry}.*the policy's are finite",
          reference=spoiled(model(tensor(REFERENCE)), row, 0), policy=model(weights()))
    stops(f"before the first update: the trainer's old log-probability of row {row}", corrected=True,
          policy=spoiled(model(w), row, 0))

def test_a_bad_gradient_stops():
    "The loss is finite, its gradient is not"
    w, other = weights(), torch.nn.Parameter(torch.zeros(3, dtype=torch.double))
    def policy(rows):
        logp, entropy, mask = model(w)(rows)
        return logp + other.abs().sqrt().sum(), entropy, mask # the slope of a square root at zero
    message = r"update 1 .*: the gradient of parameter 1 of 2 \(shape \(3,\)\) is .*learning rate too high"
    with pytest.raises(FloatingPointError, match=message):
        update(make_batch(), PPOConfig(), w=w, policy=policy, optimizer=torch.optim.SGD([w, other], lr=1.))
    assert w.tolist() == list(NOW)

def test_an_overflowing_ratio_stops():
    w = weights()
    with pytest.raises(FloatingPointError, match="the policy loss is .*wrong log-probabilities were stored"):
        update(make_batch(old_logprobs=[[-800.] * n for n in LENGTHS]), PPOConfig(), w=w)
    assert w.tolist() == list(NOW)

@pytest.mark.parametrize("given, message", [
    (dict(old_logprobs=[[-.5, -.5]] * 6), "row 1 has 1 tokens, but 2 numbers"),
    (dict(groups=GROUPS[1:]), "Batch.groups has 5 rows, but there are 6 rewards"),
    (dict(credit=CREDIT[:1] * 6), "row 1 has 1 tokens, but 2 numbers"),
])
def test_lists_of_another_length_are_refused(given, message):
    with pytest.raises(ValueError, match=message): make_batch(**given)


# A sampler that is not the trainer

def test_a_sampler_that_is_the_trainer_needs_no_correction():
    plain, _ = update(make_batch(), PPOConfig(), w=weights(SAMPLER))
    corrected, _ = update(make_batch(), PPOConfig(), w=weights(SAMPLER), corrected=True)
    assert (plain - corrected).abs().max() < 1e-6

def test_a_sampler_that_is_not_the_trainer_is_corrected():
    _, out = update(make_batch(), PPOConfig(minibatches=1), corrected=True)
    pairs = zip(logprobs_under(NOW), logprobs_under(SAMPLER))
    gaps = [abs(a - b) for x, y in pairs for a, b in zip(x, y)]
    assert out["sampler_gap"] == pytest.approx(sum(gaps) / len(gaps), abs=1e-6)
    plain, corrected = (update(make_batch(), PPOConfig(), corrected=o)[0] for o in (False, True))
    assert (plain - corrected).abs().max() > 1e-3

def test_the_trainers_probabilities_are_read_once_before_the_first_update():
    reads, w = [], weights()
    def policy(rows):
        reads.append(torch.is_grad_enabled())
        return model(w)(rows)
    update(make_batch(), PPOConfig(), w=w, policy=policy, corrected=True)
    assert reads == [False] + [True] * 4

# Value heads

@pytest.mark.parametrize("clipped", [False, True])
def test_gradcheck_of_the_value_head(clipped):
    head = ValueHead(3, width=4).double()
    with torch.no_grad(): head.last.weight.copy_(tensor([[.5, -.3, .2, .1]]))
    x, returns, old = tensor([[1., 2., 4.], [-1., .5, 0.]]), tensor([1., -.5]), tensor([.1, .4])
    names = dict(head.named_parameters())
    def f(*parameters):
        values = torch.func.functional_call(head, dict(zip(names, parameters)), (x,))
        return compute_value_loss(values, returns, old if clipped else None)
    assert torch.autograd.gradcheck(f, tuple(p.detach().clone().requires_grad_() for p in head.parameters()))

def test_a_bad_value_head_stops():
    heads, features = ValueHeads(PPOConfig(advantage="gae")), torch.eye(6)
    with pytest.raises(FloatingPointError, match="the hidden state of row 1, channel 1 is nan.*half precision"):
        heads.predict("generator", 1, torch.where(features[1] * features > 0, math.nan, features), [1., 0.] * 3, 1)
    head, optimizer = heads.head("generator", 6)
    with torch.no_grad(): head.last.bias.fill_(math.nan)
    with pytest.raises(FloatingPointError, match="update 1 of the value head: the value loss is nan"):
        fit_value(head, optimizer, features, torch.ones(6))
    heads.fitted["generator", 1] = 0
    with pytest.raises(FloatingPointError, match="the value of row 0 is nan.*learning rate of the value head"):
        heads.predict("generator", 1, features, [1., 0.] * 3, 1)

def test_a_batch_that_taught_nothing_does_not_teach_the_head():
    heads, rewards = ValueHeads(PPOConfig(advantage="gae")), [1., 0.] * 3
    values = heads.predict("generator", 1, torch.eye(6), rewards, 1)
    before = [p.tolist() for p in heads.heads["generator"][0].parameters()]
    for taught in (False, True):
        out = heads.learn("generator", 1, torch.eye(6), rewards, values, 2, taught)
        assert (before == [p.tolist() for p in heads.heads["generator"][0].parameters()]) != taught
        assert math.isfinite(out["value_loss"]) and out["explained_variance"] <= 1

def five_turns(w, rng, n=32):
    "(batch, stages, features, policy): the third of five tokens alone decides the reward; from then on the state shows it"
    tokens = (torch.rand(n, 5, generator=rng) < torch.sigmoid(w.detach())).long()
    sign, turn = (2 * tokens - 1).flatten(), torch.arange(5).repeat(n)
    def policy(rows):
        logp = torch.nn.functional.logsigmoid(sign[rows] * w[turn[rows]])[:, None]
        return logp, torch.zeros(len(rows), 1), torch.ones(len(rows), 1, dtype=torch.bool)
    decided = (tokens[:, 2:3] * (torch.arange(5) > 2)).flatten()[:, None]
    rewards = tokens[:, 2].repeat_interleave(5).float()
    features = torch.cat([torch.eye(5)[turn], 3. * decided], 1)
    batch = Batch([1] * 5 * n, policy(list(range(5 * n)))[0].tolist(), rewards.tolist(), [0] * 5 * n)
    return batch, turn.tolist(), features, policy

def test_values_find_the_turn_that_decides():
    "The token of the third turn becomes likely, the others stay where they were"
    w, rng, head = torch.nn.Parameter(torch.zeros(5)), torch.Generator().manual_seed(0), ValueHead(6)
    optimizer, own = torch.optim.SGD([w], lr=8.), create_optimizer(head.parameters(), .02)
    config = PPOConfig(advantage="gae", lam=0., scale="none", kl_coef=0.)
    for step in range(12):
        batch, stages, features, policy = five_turns(w, rng)
        returns = torch.tensor(batch.rewards)
        if step == 0: fit_value(head, own, features, returns, config=replace(config, epochs=80))
        with torch.no_grad(): values = head(features)
        batch = replace(batch, advantages=value_advantages(batch.rewards, values, stages, config.lam))
        train_step(batch, policy, policy, optimizer, config, step)
        fit_value(head, own, features, returns, values, config, step)
    chances = torch.sigmoid(w.detach())
    assert chances[2] > .8 and (chances[[0, 1, 3, 4]] - .5).abs().max() < .1, chances
    assert explained_variance(values, returns) > .3


# Formulas over random numbers

numbers = st.floats(-1, 1, allow_nan=False, width=32)

def simple_batch(rewards, groups, credit=None):
    return Batch([1] * len(rewards), [[-.5]] * len(rewards), rewards, groups, credit)

@settings(max_examples=60)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6),
       st.sampled_from([0., .6, 1.]))
def test_gae_is_the_sum_of_errors(turns, lam):
    r, v = ([x[i] for x in turns] for i in (0, 1))
    delta = [r[t] + (v + [0.])[t + 1] - v[t] for t in range(len(r))]
    a = compute_gae(tensor([r]), tensor([v]), lam)
    for t in range(len(r)):
        assert a[0, t].item() == pytest.approx(sum(lam**k * d for k, d in enumerate(delta[t:])), abs=1e-9)
        if lam == 1: assert a[0, t].item() + v[t] == pytest.approx(sum(r[t:]), abs=1e-9)

@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), numbers), min_size=1, max_size=12),
       st.sampled_from(SCALES), st.randoms())
def test_group_advantages_properties(rows, scale, rng):
    config = PPOConfig(scale=scale)
    groups, rewards = ([x[i] for x in rows] for i in (0, 1))
    order = list(range(len(rows)))
    rng.shuffle(order)
    with patch.object(ppo, "ADVANTAGE_CLIP", 99.): # a clip on one side only would move the mean
        a, kept = compute_advantages(simple_batch(rewards, groups), config)
        again, still = compute_advantages(simple_batch([rewards[i] for i in order], [groups[i] for i in order]), config)
    assert torch.isfinite(a).all()
    for g in set(groups):
        own = [i for i, o in enumerate(groups) if o == g]
        assert abs(a[own].sum().item()) < 1e-4 # as much above as below
        assert len({kept[i].item() for i in own}) == 1
    assert (a[order] - again).abs().max() < 1e-4 and torch.equal(kept[order], still)
    if scale != "none" and kept.any(): # in units of the deviation the mean square is 1
        assert a[kept].pow(2).mean().item() == pytest.approx(1., abs=1e-3)

@given(st.lists(st.tuples(st.integers(0, 3), numbers), min_size=1, max_size=12), st.sampled_from(SCALES))
def test_no_advantage_is_above_the_clip(rows, scale):
    groups, rewards = ([x[i] for x in rows] for i in (0, 1))
    for credit in (None, [[o] for o in rewards]):
        a, _ = compute_advantages(simple_batch(rewards, groups, credit), PPOConfig(scale=scale))
        assert a.abs().max() <= ppo.ADVANTAGE_CLIP

@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), numbers), max_size=5))
def test_spread_credit_adds_up_to_zero(parts):
    spans, end = [], 0
    for gap, width, _ in parts:
        spans.append((end + gap, end + gap + width))
        end += gap + width
    assert abs(sum(spread_credit(end + 1, spans, [c for *_, c in parts]))) < 1e-6
