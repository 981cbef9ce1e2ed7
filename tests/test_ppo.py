"The update against a second implementation in plain Python, over all combinations of settings; what must never change a weight; what must stop"
import itertools, math
from dataclasses import replace
import pytest, torch
from hypothesis import given, settings, strategies as st
from chained_adv.ppo import (ADVANTAGES, SCALES, Batch, PPOConfig, ValueHead, compute_advantages, compute_gae, compute_loss, compute_value_loss, create_optimizer,
    group_advantages, groups_to_draw, overlong_penalty, pretrain_value, spread_credit, train_step)

# A toy with two tokens, 0 and 1: the weight of a position is the logit of token 1 there. Answers have one or two tokens.
ANSWERS = [(1, 0), (0,), (1,), (0, 0), (1, 1), (0, 1)]
GROUPS = [0, 0, 0, 1, 1, 1]
LENGTHS = [len(a) for a in ANSWERS]
NOW, SAMPLER, REFERENCE = (.3, -.5), (-.2, .4), (.1, .1)

def log_p(w, token): return -math.log1p(math.exp(-w if token else w))
def logprobs_under(w): return [[log_p(w[i], t) for i, t in enumerate(a)] for a in ANSWERS]

def model(w, answers=ANSWERS, spoil=None):
    "Row numbers -> (log-probabilities, entropies, mask), in double precision; `spoil` changes what the padding holds"
    def f(rows):
        width = max(len(answers[r]) for r in rows)
        mask = torch.tensor([[i < len(answers[r]) for i in range(width)] for r in rows])
        sign = torch.tensor([[(1. if i < len(answers[r]) and answers[r][i] else -1.) for i in range(width)] for r in rows], dtype=torch.double)
        both = torch.nn.functional.logsigmoid(torch.stack([w, -w]))[:, :width]
        logp, entropy = torch.nn.functional.logsigmoid(sign * w[:width]), -(both.exp() * both).sum(0).expand(len(rows), width)
        if spoil is not None: logp, entropy = torch.where(mask, logp, spoil), torch.where(mask, entropy, spoil)
        return logp, entropy, mask
    return f

def tensor(w): return torch.tensor(w, dtype=torch.double)
def weights(w=NOW): return torch.nn.Parameter(tensor(w))

def make_batch(**kw):
    given = dict(lengths=LENGTHS, old_logprobs=logprobs_under(SAMPLER), rewards=[1., 0., .25, .5, .5, .9], groups=GROUPS, values=[.4, .3, .5, .6, .2, .7],
                 matches=[0, 0, 1, 2, 2, 3], turns=[1, 2, 1, 1, 2, 1], limits=[2] * 6, features=torch.eye(6))
    return Batch(**{**given, **kw})

def update(batch, config, seed=0, optimizer=None, w=None, policy=None, reference=None, **kw):
    w = weights() if w is None else w
    out = train_step(batch, policy or model(w), reference or model(tensor(REFERENCE)), optimizer or create_optimizer([w], .05), config, seed, **kw)
    return w.detach().clone(), out


# The same update a second time, without tensors

def plain_advantages(b, c, penalty):
    "row -> token -> advantage, straight from the definitions"
    n, groups = len(b.rewards), [[i for i in range(len(b.rewards)) if b.groups[i] == g] for g in b.groups]
    credit = b.credit or [[0.] * k for k in b.lengths]
    asked = [r + c.overlong_penalty * max(-1., min(0., (b.limits[i] - c.overlong_buffer - b.lengths[i]) / c.overlong_buffer)) for i, r in enumerate(b.rewards)]
    earned = [r - q for r, q in zip(asked, penalty)]
    if c.advantage == "gae":
        kept, raw = [True] * n, [0.] * n
        for m in set(b.matches):
            rows = sorted((i for i in range(n) if b.matches[i] == m), key=lambda i: b.turns[i])
            v = [b.values[i] for i in rows] + [0.]
            delta = [earned[i] + c.gamma * v[t + 1] - v[t] for t, i in enumerate(rows)]
            for t, i in enumerate(rows): raw[i] = sum((c.gamma * c.lam)**k * d for k, d in enumerate(delta[t:]))
        if c.whiten: raw = [a - sum(raw) / n for a in raw]
    else:
        kept = [max(asked[j] for j in g) - min(asked[j] for j in g) > 1e-4 or any(abs(x) > 1e-4 for j in g for x in credit[j]) for g in groups]
        if c.advantage == "group": raw = [earned[i] - sum(earned[j] for j in g) / len(g) for i, g in enumerate(groups)]
        else: raw = [earned[i] - sum(earned[j] for j in g if j != i) / (len(g) - 1) for i, g in enumerate(groups)]
    square = [sum((raw[i] + x)**2 for x in credit[i]) / b.lengths[i] for i in range(n)]
    over = {"batch": lambda i: [j for j in range(n) if kept[j]], "group": lambda i: groups[i]}
    std = [math.sqrt(sum(square[j] for j in over[c.scale](i)) / len(over[c.scale](i))) if c.scale in over else 1. for i in range(n)]
    return [[max(-c.advantage_clip, min(c.advantage_clip, (raw[i] + x) / std[i])) if kept[i] else 0. for x in credit[i]] for i in range(n)], kept

def plain_loss(w, b, c, trainer):
    "The loss of one minibatch of everything, as a number"
    sampler, ref, now = b.old_logprobs, logprobs_under(REFERENCE), logprobs_under(w)
    old = trainer if c.tis_cap else sampler
    penalty = [c.kl_coef * sum(o - r for o, r in zip(old[i], ref[i])) if c.kl == "reward" else 0. for i in range(len(old))]
    a, kept = plain_advantages(b, c, penalty)
    tokens = [x for row in sampler for x in row]
    acts, total, rows = -sum(tokens) / len(tokens) < c.entropy_floor, 0., [i for i in range(len(old)) if kept[i]]
    for i in rows:
        terms = []
        for t, p in enumerate(now[i]):
            ratio, weight = math.exp(p - old[i][t]), min(math.exp(old[i][t] - sampler[i][t]), c.tis_cap) if c.tis_cap else 1.
            gain = min(ratio * a[i][t], max(1 - c.clip_low, min(1 + c.clip_high, ratio)) * a[i][t])
            if c.dual_clip and a[i][t] < 0: gain = max(gain, c.dual_clip * a[i][t])
            term, d = -weight * gain, ref[i][t] - p
            if c.kl == "loss": term += c.kl_coef * weight * ratio * (math.exp(d) - d - 1)
            if acts: term -= c.entropy_coef * -sum(math.exp(log_p(w[t], o)) * log_p(w[t], o) for o in (0, 1))
            terms.append(term)
        total += sum(terms) if c.average == "token" else sum(terms) / len(terms)
    return total / (sum(b.lengths[i] for i in rows) if c.average == "token" else len(rows))

OPTIONS = dict(advantage=ADVANTAGES, scale=SCALES, kl=("loss", "reward"), average=("token", "answer"), dual_clip=(0., 1.1), tis_cap=(0., 1.05),
               entropy_floor=(0., 9.), overlong_penalty=(0., .5), credit=(False, True))
COMBINATIONS = [dict(zip(OPTIONS, o)) for o in itertools.product(*OPTIONS.values())]
CREDIT = [[.2, -.2], [0.], [.1], [0., 0.], [-.3, .3], [.1, -.1]]

def setting(o):
    "(batch, config) of a combination; gamma, lam, clips and weights are such that everything acts"
    o = dict(o); batch = make_batch(credit=CREDIT if o.pop("credit") else None)
    return batch, PPOConfig(epochs=1, minibatches=1, max_grad_norm=math.inf, kl_coef=.3, entropy_coef=.2, gamma=.9, lam=.5, overlong_buffer=1, advantage_clip=1.4, whiten=o["advantage"] == "gae" and o["scale"] == "batch", **o)

TRAINER = (-.1, .3) # the trainer finds the samples less or more likely than the sampler did

@pytest.mark.parametrize("advantage", ADVANTAGES)
@pytest.mark.parametrize("scale", SCALES)
def test_every_combination_is_the_plain_loss_and_its_gradient(advantage, scale):
    "Value, and gradient against central differences of the second implementation; one step of plain gradient descent shows the gradient"
    for o in COMBINATIONS:
        if (o["advantage"], o["scale"]) != (advantage, scale): continue
        batch, config = setting(o)
        batch = replace(batch, trainer_logprobs=logprobs_under(TRAINER) if config.tis_cap else None)
        w = weights()
        moved, out = update(batch, config, optimizer=torch.optim.SGD([w], lr=1.), w=w)
        f = lambda x: plain_loss(x, batch, config, logprobs_under(TRAINER))
        h, slope = 1e-5, []
        for i in range(2):
            up, down = list(NOW), list(NOW); up[i] += h; down[i] -= h
            slope.append((f(up) - f(down)) / (2 * h))
        assert (tensor(NOW) - moved - tensor(slope)).abs().max() < 1e-6, o # advantages pass through single precision
        shown = out["policy_loss"] + (config.kl_coef * out["kl"] if config.kl == "loss" else 0.) - (config.entropy_coef * out["entropy"] if config.entropy_floor else 0.)
        assert abs(shown - f(NOW)) < 1e-6, o

def test_the_combinations_make_all_settings_act():
    "Each option changes the loss of some combination, otherwise the test above shows nothing about it"
    for name, values in OPTIONS.items():
        first, second = ({**o, name: v} for o in [COMBINATIONS[-1]] for v in values[:2])
        loss = [plain_loss(NOW, *setting(o), logprobs_under(TRAINER)) for o in (first, second)]
        if name == "dual_clip": # bites where the ratio is above 1.1 and the advantage negative
            loss = [[plain_loss(NOW, *setting({**o, name: v}), logprobs_under(TRAINER)) for o in COMBINATIONS] for v in values]
        assert loss[0] != loss[1], name

@pytest.mark.parametrize("answers", ["token", "answer"])
def test_gradcheck_on_two_tokens(answers):
    "torch's own comparison with finite differences, on the logits of two tokens"
    mask, old, ref = torch.tensor([[True, True], [True, False]]), tensor([[-.9, -.4], [-.6, 7.]]), tensor([[-.5, -.9], [-.4, 7.]])
    for sign, kl, bonus, dual, corrected, per_token in itertools.product((1, -1), (0, 1), (0., .3), (0., 1.2), (0, 1), (0, 1)):
        a = sign * (tensor([[.7, -.3], [.2, 5.]]) if per_token else tensor([.7, -.4]))
        def f(logits):
            both = torch.log_softmax(logits, -1)
            return compute_loss(both[..., 0], old, a, mask, PPOConfig(average=answers, dual_clip=dual), reference=ref if kl else None,
                                entropy=-(both.exp() * both).sum(-1), bonus=bonus, correction=tensor([[.5, 2.], [1., 9.]]) if corrected else None)[0]
        logits = tensor([[[.3, -.2], [-.8, .1]], [[.2, .4], [.5, .6]]]).requires_grad_()
        assert torch.autograd.gradcheck(f, logits)
        assert f(logits).item() != 0


@pytest.mark.parametrize("clip", [0., .2])
def test_gradcheck_of_the_value_head(clip):
    head = ValueHead(3, width=4).double()
    with torch.no_grad(): head.last.weight.copy_(tensor([[.5, -.3, .2, .1]]))
    x, returns, old = tensor([[1., 2., 4.], [-1., .5, 0.]]), tensor([1., -.5]), tensor([.1, .4])
    def f(*parameters):
        values = torch.func.functional_call(head, dict(zip(dict(head.named_parameters()), parameters)), (x,))
        return compute_value_loss(values, returns, old, PPOConfig(value_clip=clip))
    assert torch.autograd.gradcheck(f, tuple(p.detach().clone().requires_grad_() for p in head.parameters()))


# What must not matter

def test_microbatches_change_nothing():
    for o in COMBINATIONS[::19]:
        batch, config = setting(o)
        config = replace(config, epochs=2, minibatches=2)
        (a, x), (b, y) = (update(batch, replace(config, microbatch_tokens=n), 5) for n in (1, 1000))
        assert (a - b).abs().max() < 1e-9, o
        assert x.keys() == y.keys() and all(x[k] == y[k] or abs(x[k] - y[k]) < 1e-9 for k in x), o

def test_padding_holds_anything():
    for o in COMBINATIONS[::41]:
        batch, config = setting(o)
        clean = update(batch, config)
        for garbage in (math.nan, math.inf, -math.inf, 1e30):
            w = weights()
            assert torch.equal(update(batch, config, w=w, policy=model(w, spoil=torch.tensor(garbage)), reference=model(tensor(REFERENCE), spoil=torch.tensor(garbage)))[0], clean[0]), (o, garbage)

def test_seeds_reproduce_bit_for_bit():
    def run(seed, o):
        batch, config = setting(o)
        head = ValueHead(6, seed=1)
        w, out = update(replace(batch, values=None), replace(config, epochs=3, minibatches=3, microbatch_tokens=2), seed, head=head, head_optimizer=create_optimizer(head.parameters(), .1))
        return w.tolist(), out, [p.tolist() for p in head.parameters()]
    for o in COMBINATIONS[::101]: assert run(3, o) == run(3, o)
    gae = next(o for o in COMBINATIONS if o["advantage"] == "gae")
    assert run(3, gae) != run(4, gae)

def test_defaults_do_what_they_did():
    "Weights after three updates, as measured before the other settings existed"
    w = weights(); optimizer = create_optimizer([w], .05)
    for seed in range(3): out = update(make_batch(), PPOConfig(), seed, optimizer, w)[1]
    assert PPOConfig() == PPOConfig(advantage="group", scale="batch", kl="loss", average="token", dual_clip=0., tis_cap=0., kl_stop=0., entropy_floor=0., overlong_penalty=0.)
    assert w.tolist() == pytest.approx([.26071122, -.01394860], abs=1e-6) and out["grad_norm"] == pytest.approx(.16485269, abs=1e-6)

def test_equal_rewards_change_no_weight():
    for o in COMBINATIONS[::5]:
        batch, config = setting({**o, "credit": False, "overlong_penalty": 0.})
        batch = replace(batch, rewards=[.7] * 6, matches=None, turns=None, values=None)
        head = ValueHead(6); before = [p.tolist() for p in head.parameters()]
        w, out = update(batch, config, head=head, head_optimizer=create_optimizer(head.parameters(), .1))
        assert w.tolist() == list(NOW) and out["rows_kept"] == 0 and out["updates"] == 0 and [p.tolist() for p in head.parameters()] == before

def test_equal_groups_are_dropped_but_not_by_a_value_head():
    batch = make_batch(rewards=[1., 0., 1., .5, .5, .5], matches=None, turns=None)
    for kind in ADVANTAGES: assert compute_advantages(batch, PPOConfig(advantage=kind)).kept.tolist() == [True] * 3 + [kind == "gae"] * 3

def test_an_empty_batch_changes_nothing():
    for kind in ADVANTAGES:
        w, out = update(Batch([], [], [], [], values=[]), PPOConfig(advantage=kind))
        assert w.tolist() == list(NOW) and out["updates"] == 0 and out["rows_kept"] == 0

def test_one_row_changes_nothing():
    "Nothing to compare with"
    for kind in ADVANTAGES:
        w, out = update(Batch([1], [[-.5]], [1.], [0], values=[.2]), PPOConfig(advantage=kind))
        assert w.tolist() == list(NOW) and out["rows_kept"] == 0


# What must stop the run, naming update, tensor and likely cause, with the weights as they were

BAD = {
    "rewards": (dict(rewards=[1., 0., math.nan, .5, .5, .9]), "before the first update: the reward of row 2 is nan.*reward scheme"),
    "old log-probabilities": (dict(old_logprobs=[[-.5, -.5], [-math.inf], [-.5], [-.5, -.5], [-.5, -.5], [-.5, -.5]]), "the sampler's log-probability of row 1, token 0 is -inf.*probability zero"),
    "trainer's log-probabilities": (dict(trainer_logprobs=[[-.5, math.nan], [-.5], [-.5], [-.5, -.5], [-.5, -.5], [-.5, -.5]]), "the trainer's old log-probability of row 0, token 1 is nan.*before this step"),
    "values": (dict(values=[.1, .1, .1, .1, math.inf, .1]), "the value of row 4 is inf.*learning rate of the value head"),
    "credit": (dict(credit=[[0., 0.], [math.nan], [0.], [0., 0.], [0., 0.], [0., 0.]]), "the credit of row 1, token 0 is nan.*divided by zero"),
    "hidden states": (dict(features=torch.full((6, 6), math.nan)), "the hidden state of row 0, channel 0 is nan.*half precision"),
}

@pytest.mark.parametrize("what", BAD)
def test_a_bad_batch_stops(what):
    given, message = BAD[what]
    w = weights()
    with pytest.raises(FloatingPointError, match=message): update(make_batch(**given), PPOConfig(advantage="gae", tis_cap=2.), w=w)
    assert w.tolist() == list(NOW)

def spoiled(f, row, part):
    "A model whose log-probabilities (0) or entropies (1) of one row are NaN"
    def g(rows):
        out = list(f(rows))
        if row in rows: out[part] = out[part] * torch.tensor([[math.nan if r == row else 1.] for r in rows])
        return tuple(out)
    return g

@pytest.mark.parametrize("kl", ["loss", "reward"])
def test_a_bad_model_stops(kl):
    w, ref = weights(), model(tensor(REFERENCE))
    config = PPOConfig(kl=kl)
    for row in range(6):
        with pytest.raises(FloatingPointError, match=rf"update \d+ \(epoch 1 of 2\): the log-probability of row {row}, token 0 is nan.*learning rate too high"):
            update(make_batch(), config, w=weights(), policy=spoiled(model(w), row, 0))
        with pytest.raises(FloatingPointError, match=rf"the entropy of row {row}, token 0 is nan"): update(make_batch(), config, w=weights(), policy=spoiled(model(w), row, 1))
        with pytest.raises(FloatingPointError, match=rf"the reference's log-probability of row {row}, token 0 is nan.*the policy's are finite"):
            update(make_batch(), config, w=weights(), reference=spoiled(ref, row, 0))
    with pytest.raises(FloatingPointError, match="before the first update: the trainer's old log-probability of row 3"):
        update(make_batch(), replace(config, tis_cap=2.), w=w, policy=spoiled(model(w), 3, 0))
    assert w.tolist() == list(NOW)

def test_a_bad_gradient_stops():
    "The loss is finite, its gradient is not"
    w, other = weights(), torch.nn.Parameter(torch.zeros(3, dtype=torch.double))
    def policy(rows):
        logp, entropy, mask = model(w)(rows)
        return logp + other.abs().sqrt().sum(), entropy, mask # the slope of a square root at zero
    with pytest.raises(FloatingPointError, match=r"update 1 .*: the gradient of parameter 1 of 2 \(shape \(3,\)\) is .*learning rate too high"):
        update(make_batch(), PPOConfig(), w=w, policy=policy, optimizer=torch.optim.SGD([w, other], lr=1.))
    assert w.tolist() == list(NOW)

def test_an_overflowing_ratio_stops():
    w = weights()
    with pytest.raises(FloatingPointError, match="the policy loss is .*the wrong log-probabilities were stored"):
        update(make_batch(old_logprobs=[[-800.] * n for n in LENGTHS]), PPOConfig(), w=w)
    assert w.tolist() == list(NOW)

def test_a_bad_value_head_stops():
    head = ValueHead(6)
    with torch.no_grad(): head.last.bias.fill_(math.nan)
    w = weights()
    with pytest.raises(FloatingPointError, match="the value of row 0 is nan"):
        update(make_batch(values=None), PPOConfig(advantage="gae"), w=w, head=head, head_optimizer=create_optimizer(head.parameters(), .1))
    assert w.tolist() == list(NOW)
    with pytest.raises(FloatingPointError, match="update 1 of the value head: the value loss is nan"):
        pretrain_value(head, create_optimizer(head.parameters(), .1), [make_batch()])

def test_lists_of_another_length_are_refused():
    with pytest.raises(ValueError, match="row 1 has 1 tokens, but 2 numbers"): update(make_batch(old_logprobs=[[-.5, -.5]] * 6), PPOConfig())
    with pytest.raises(ValueError, match="Batch.groups has 5 rows, but there are 6 rewards"): update(make_batch(groups=GROUPS[1:]), PPOConfig())
    with pytest.raises(ValueError, match="needs values"): update(make_batch(values=None), PPOConfig(advantage="gae"))


# Corrections and the value head

def test_a_sampler_that_is_the_trainer_needs_no_correction():
    w = weights(SAMPLER)
    plain, _ = update(make_batch(), PPOConfig(), w=weights(SAMPLER))
    corrected, _ = update(make_batch(), PPOConfig(tis_cap=2.), w=w)
    assert (plain - corrected).abs().max() < 1e-6
    w = weights(); out = train_step(make_batch(), model(w), model(tensor(REFERENCE)), create_optimizer([w], .05), PPOConfig(tis_cap=2., minibatches=1))
    gaps = [abs(a - b) for x, y in zip(logprobs_under(NOW), make_batch().old_logprobs) for a, b in zip(x, y)]
    assert out["sampler_gap"] == pytest.approx(sum(gaps) / len(gaps), abs=1e-6)
    assert (update(make_batch(), PPOConfig())[0] - update(make_batch(), PPOConfig(tis_cap=2.))[0]).abs().max() > 1e-3

def test_the_trainers_probabilities_are_read_once_before_the_first_update():
    reads, w = [], weights()
    def policy(rows): reads.append(torch.is_grad_enabled()); return model(w)(rows)
    update(make_batch(), PPOConfig(tis_cap=2.), w=w, policy=policy)
    assert reads == [False] + [True] * 4

def test_kl_in_the_reward_pulls_to_the_reference():
    "Tokens that the reference finds likelier get the larger advantage; which groups are kept is decided without it"
    batch = make_batch(rewards=[.5, .5, .5, .5, .5, .6])
    found = compute_advantages(batch, PPOConfig(), torch.arange(6.))
    assert found.kept.tolist() == [False] * 3 + [True] * 3 and (found.advantages[3:].diff() > 0).all()
    k1 = [a - b for x, y in list(zip(logprobs_under(SAMPLER), logprobs_under(REFERENCE)))[3:] for a, b in zip(x, y)]
    assert update(batch, PPOConfig(kl="reward"))[1]["kl"] == pytest.approx(sum(k1) / len(k1), abs=1e-6) # per token of the rows that are kept

def test_head_and_policy_do_not_touch_each_other():
    "Values from the head give the update that the same values in the batch give"
    head, config = ValueHead(6), PPOConfig(advantage="gae")
    pretrain_value(head, create_optimizer(head.parameters(), .05), [make_batch()], epochs=5)
    with torch.no_grad(): values = head(torch.eye(6)).tolist()
    given, out = update(make_batch(values=values), config)
    own, learnt = update(make_batch(values=None), config, head=head, head_optimizer=create_optimizer(head.parameters(), .05))
    assert torch.equal(given, own) and out["explained_variance"] == learnt["explained_variance"]
    with torch.no_grad(): assert head(torch.eye(6)).tolist() != values

def test_pretraining_reaches_the_returns():
    "Five turns, reward at the end: every turn's return is what the match earned"
    n = 8
    batch = Batch([1] * 5 * n, [[-.5]] * 5 * n, [float(m % 2 and t == 4) for m in range(n) for t in range(5)], [0] * 5 * n,
                  matches=[m for m in range(n) for _ in range(5)], turns=list(range(5)) * n, features=torch.tensor([[m % 2, 1 - m % 2, t] for m in range(n) for t in range(5)], dtype=torch.float))
    head = ValueHead(3)
    assert pretrain_value(head, create_optimizer(head.parameters(), .02), [batch], epochs=40)["explained_variance"] > .95
    assert (head(batch.features) - torch.tensor([float(m % 2) for m in range(n) for _ in range(5)])).abs().max() < .2


def test_the_value_head_sends_no_gradient_to_the_model():
    states = torch.ones(2, 3, requires_grad=True)
    ValueHead(3)(states).sum().backward()
    assert states.grad is None

def test_values_find_the_turn_that_decides():
    "Five turns learn together, the third alone decides the reward: its token becomes likely, the others stay where they were"
    turns, w, rng = 5, torch.nn.Parameter(torch.zeros(5)), torch.Generator().manual_seed(0)
    head = ValueHead(turns + 1); optimizer, own = torch.optim.SGD([w], lr=8.), create_optimizer(head.parameters(), .02)
    config = PPOConfig(advantage="gae", lam=0., scale="none", kl_coef=0.)
    for step in range(12):
        tokens = (torch.rand(32, turns, generator=rng) < torch.sigmoid(w.detach())).long()
        sign, at = (2 * tokens - 1).flatten(), torch.arange(turns).repeat(32)
        policy = lambda rows: (torch.nn.functional.logsigmoid(sign[rows] * w[at[rows]])[:, None], torch.zeros(len(rows), 1), torch.ones(len(rows), 1, dtype=torch.bool))
        decided = (tokens[:, 2:3] * (torch.arange(turns) > 2)).flatten()[:, None] # what the state before the turn shows of the third token
        batch = Batch([1] * 160, policy(list(range(160)))[0].tolist(), (tokens[:, 2:3] * (torch.arange(turns) == 4)).flatten().float().tolist(), [0] * 160,
                      matches=[m for m in range(32) for _ in range(turns)], turns=at.tolist(), features=torch.cat([torch.eye(turns)[at], 3. * decided], 1))
        if step == 0: pretrain_value(head, own, [batch], config, epochs=80)
        out = train_step(batch, policy, policy, optimizer, config, step, head, own)
    others = torch.sigmoid(w.detach())[[0, 1, 3, 4]]
    assert torch.sigmoid(w[2]) > .8 and (others - .5).abs().max() < .1 and out["explained_variance"] > .3, (torch.sigmoid(w), out["explained_variance"])


# Formulas over random numbers

numbers = st.floats(-1, 1, allow_nan=False, width=32)

@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6), st.sampled_from([0., .3, 1.]), st.sampled_from([0., .6, 1.]))
def test_gae_is_the_sum_of_discounted_errors(turns, gamma, lam):
    r, v = ([x[i] for x in turns] for i in (0, 1))
    delta = [r[t] + gamma * (v + [0.])[t + 1] - v[t] for t in range(len(r))]
    a, ret = compute_gae(tensor([r]), tensor([v]), gamma, lam)
    for t in range(len(r)):
        assert a[0, t].item() == pytest.approx(sum((gamma * lam)**k * d for k, d in enumerate(delta[t:])), abs=1e-9)
        assert ret[0, t].item() == pytest.approx(a[0, t].item() + v[t], abs=1e-9)
    if lam == 1: assert ret[0, 0].item() == pytest.approx(sum(gamma**k * x for k, x in enumerate(r)), abs=1e-9)

@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), numbers), min_size=1, max_size=12), st.sampled_from(["group", "rloo"]), st.sampled_from(SCALES), st.randoms())
def test_group_advantages_properties(rows, kind, scale, rng):
    config, (groups, rewards) = PPOConfig(advantage=kind, scale=scale, advantage_clip=99.), ([x[i] for x in rows] for i in (0, 1))
    a, kept = group_advantages(torch.tensor(rewards), torch.tensor(groups), config)
    assert torch.isfinite(a).all()
    for g in set(groups):
        own = [i for i, o in enumerate(groups) if o == g]
        assert abs(a[own].sum().item()) < 1e-4 and len({kept[i].item() for i in own}) == 1 # as much above as below
    order = list(range(len(rows))); rng.shuffle(order)
    again = group_advantages(torch.tensor([rewards[i] for i in order]), torch.tensor([groups[i] for i in order]), config)
    assert (a[order] - again[0]).abs().max() < 1e-4 and torch.equal(kept[order], again[1])
    if scale != "none" and kept.any() and kind == "group": # with one deviation for the batch the mean square is 1
        assert a[kept].pow(2).mean().item() == pytest.approx(1., abs=1e-3)

@given(*[st.integers(0, 40)] * 4)
def test_draws_end_at_the_cap(wanted, kept, drawn, cap):
    n = groups_to_draw(wanted, kept, drawn, cap)
    assert 0 <= n <= max(cap - drawn, 0)
    assert (n == 0) == (kept >= wanted or drawn >= cap)

@given(st.integers(0, 60), st.integers(1, 40), st.integers(1, 20))
def test_overlong_penalty_by_cases(length, limit, buffer):
    got = overlong_penalty(torch.tensor(length), torch.tensor(limit), buffer).item()
    assert got == pytest.approx(0. if length <= limit - buffer else (limit - buffer - length) / buffer if length <= limit else -1., abs=1e-6)

@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), numbers), max_size=5))
def test_spread_credit_adds_up_to_zero(parts):
    spans, end = [], 0
    for gap, width, _ in parts: spans.append((end + gap, end + gap + width)); end += gap + width
    assert abs(sum(spread_credit(end + 1, spans, [c for *_, c in parts]))) < 1e-6
