"""Engines: the weights that a server samples with are the published ones, and its faults lose no episode.

A real vLLM is tested, too, where `CHAINED_ADV_VLLM` names one that serves the tiny model (see `REAL` below)."""
import json, os, socket, sys, threading, time
from dataclasses import replace
from pathlib import Path

import pytest, torch
from safetensors.torch import load_file, save_file
import small_server, stamina
import chained_adv.vllm as engine_vllm
from chained_adv.callbacks import Callback
from chained_adv.core import ConfigError
from chained_adv.engines import connect, disconnect
from chained_adv.vllm import EngineError
from chained_adv.inference import InferenceEngine
from chained_adv.loading import TINY
from chained_adv.models import ModelConfig, Players, adapter_parameters
from chained_adv.rollout import play
from chained_adv.sandbox import Sandbox
from chained_adv.config import TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer
from small_server import SmallServer

REAL = os.environ.get("CHAINED_ADV_VLLM", "") # of: VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve \
# chained_adv/data/tiny --dtype float32 --enable-lora --max-lora-rank 16 --max-loras 4 --logprobs-mode processed_logprobs \
# --no-enable-chunked-prefill --max-num-batched-tokens 8192
PROBLEMS = tiny_problems("train", 25)[:4]
KINDS = ("status", "cut", "stale", "ids", "nothing", "timeout", "garbage", "logprobs", "prompt", "busy")


# A server with faults

def spoil(kind, content):
    "A reply with something wrong in it; replies of other addresses than completions are replaced by an error page"
    if kind == "garbage": return b"<html>502 Bad Gateway</html>"
    body = json.loads(content)
    if "choices" not in body: return b"<html>"
    choice = body["choices"][0]
    if kind == "stale": body["model"] = "generator_1-0000-v0"
    if kind == "ids": choice["token_ids"] = [10**6] * len(choice["token_ids"])
    if kind == "logprobs": choice["logprobs"]["token_logprobs"] = [None] * len(choice["token_ids"])
    if kind == "prompt": choice["prompt_token_ids"] = [1, 2]
    return json.dumps(body).encode()

class FaultyHandler(small_server.Handler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.fault = self.server.owner.next_fault(self.path, body)
        if self.fault == "nothing": return self.hang_up()
        try: self.reply(body)
        except OSError: self.close_connection = True # the client did not wait
    def hang_up(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
    def send(self, status, content):
        fault, self.fault = self.fault, None
        if fault == "timeout": time.sleep(self.server.owner.seconds + .5)
        if fault in ("status", "busy") or (fault in KINDS[2:] and self.path != "/v1/completions"):
            return super().send(429 if fault == "busy" else 500, b'{"error": "made up"}')
        if fault == "cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[:len(content) // 2])
            return self.hang_up()
        if fault: content = spoil(fault, content)
        super().send(status, content)

class FaultyServer(SmallServer):
    "Each request fails a few times, in all ways in turn, until a number of faults is reached"
    handler = FaultyHandler
    def __init__(self, faults=0, each=3, seconds=3.):
        super().__init__()
        self.left, self.each, self.seconds = faults, each, seconds
        self.seen, self.happened, self.counting = {}, [], threading.Lock()

    def next_fault(self, path, body):
        with self.counting:
            key = path + json.dumps(body, sort_keys=True)
            n = self.seen[key] = self.seen.get(key, 0) + 1
            if n > self.each or not self.left: return None
            self.left -= 1
            kind = KINDS[len(self.happened) % len(KINDS)]
            self.happened.append(kind)
            return kind

@pytest.fixture(autouse=True)
def few_workers(monkeypatch):
    "So that rows do not wait long for a server that answers one at a time"
    torch.set_num_threads(1)
    monkeypatch.setattr(engine_vllm, "WORKERS", 3)

def move(parameters, by=.02):
    with torch.no_grad():
        for name, p in parameters.items(): p.add_(by * ("lora_B" in name))

def connected(url, tries=8):
    players = Players(ModelConfig(device="cpu", adapters="stage", engine=url, max_stage_tokens=40, max_test_tokens=40))
    connect(players)
    engine = players.generator.engine
    engine.tries, engine.retry = tries, stamina.RetryingCaller(attempts=tries, timeout=None, wait_initial=.01, wait_jitter=.01)
    return players

def answers_of(rollout):
    lists = [t.answer for t in rollout.lists]
    return [(s.ids, s.logprobs, s.finished) for c in rollout.chains for s in c.answers.values()] + [
        (s.ids, s.logprobs, s.finished) for s in lists]


# Faults

def test_forty_faults_lose_no_episode():
    "The same episodes, token by token, as from a server without faults"
    found = {}
    with Sandbox() as sandbox:
        for faults in (0, 40):
            server = FaultyServer(faults)
            with server as url:
                players = connected(url)
                players.generator.engine.http.timeout = server.seconds
                rollout = play(players, PROBLEMS, sandbox, seed=3)
                disconnect(players)
            found[faults] = answers_of(rollout), [c.generator_reward for c in rollout.chains]
            assert len(server.happened) == faults and len(rollout.chains) == len(PROBLEMS)
            assert list(server.models) == ["base"]
    assert set(server.happened) == set(KINDS)
    assert found[0] == found[40]

def test_faults_that_do_not_end_stop_with_a_reason():
    with FaultyServer(10**6, each=10**6, seconds=.2) as url:
        players = connected(url, tries=3)
        with pytest.raises(EngineError, match="3 tries failed, the last one with: .*--resume"):
            players.generator.sample(["def add(n):<s1>"], 1)

def test_what_no_try_can_heal_stops_at_once():
    server = SmallServer()
    with server as url:
        players = connected(url)
        server.load_adapter = lambda body: (_ for _ in ()).throw(small_server.Refused(404, "Not Found"))
        with pytest.raises(EngineError, match="does not load adapters .*--enable-lora"):
            players.generator.sample(["def add(n):<s1>"], 1)

def test_a_load_whose_reply_was_lost_is_done():
    server = FaultyServer(1, each=1)
    with server as url:
        players = connected(url)
        right = server.answer
        def lose(path, body):
            out = right(path, body)
            if path == "/v1/load_lora_adapter" and not server.happened:
                server.happened.append("lost")
                raise small_server.Refused(500, "lost")
            return out
        server.answer, server.left = lose, 0
        assert players.generator.sample(["def add(n):<s1>"], 1)
        disconnect(players)
    assert list(server.models) == ["base"]


# Weights

@pytest.fixture(scope="module")
def real():
    if REAL:
        yield REAL
        return
    with SmallServer() as url: yield url

def gap_of(players, seed, stage=1):
    samples = players.generator.sample(["def add(n):<s1>"] * 3 + ["def f(a, b):<s1>"], stage, seed=seed)
    ours, _, mask = players.generator.logprobs(samples, stage)
    theirs = torch.tensor([o for s in samples for o in s.logprobs])
    return (ours[mask] - theirs).abs().max().item(), [s.ids for s in samples]

def test_the_servers_logprobs_follow_the_weights(real):
    "Also those of the answers' first tokens, which depend on who has read the prompt"
    players, versions = connected(real), []
    try:
        for step in range(4):
            gap, _ = gap_of(players, seed=step)
            assert gap < 1e-4
            versions.append(players.generator.engine.names["generator_1"])
            move(players.generator.parameters(1))
        gap, _ = gap_of(players, 9, stage=2)
        assert gap < 1e-4 and len({*versions}) == 4 and len(players.generator.engine.names) == 2
    finally: disconnect(players)

def test_a_small_update_that_the_server_missed_is_found(real):
    "A thousandth of a nat, far below the gap that precision may cause"
    players = connected(real)
    engine, weights = players.generator.engine, players.generator.parameters(1)
    try:
        gap_of(players, 0)
        move(weights, 1e-4)
        gap_of(players, 0) # publishes, and the probe is content
        load = engine._load
        def load_old(name): # the folder of the new version holds the weights of the one before
            file, = (engine.folder / name).rglob("*.safetensors")
            tensors = load_file(file)
            save_file({n: p - 1e-4 * ("lora_B" in n) for n, p in tensors.items()}, file, dict(format="pt"))
            load(name)
        engine._load = load_old
        move(weights, 1e-4)
        with pytest.raises(EngineError, match="with the old weights"): gap_of(players, 0)
    finally: disconnect(players)

def test_seeds(real):
    "Equal rows give equal answers; rows of one prompt have their own seeds"
    players = connected(real)
    try:
        _, first = gap_of(players, 1)
        _, again = gap_of(players, 1)
        _, other = gap_of(players, 2)
        assert first == again != other and len({tuple(o) for o in first[:3]}) > 1
    finally: disconnect(players)

def test_another_base_is_found():
    class Other(SmallServer):
        def __init__(self):
            super().__init__()
            with torch.no_grad():
                for p in self.models["base"].parameters(): p.mul_(1.1)
    with Other() as url:
        players = connected(url)
        with pytest.raises(EngineError, match="does it serve the model of --model"):
            players.generator.sample(["def add(n):<s1>"], 1)

@pytest.mark.parametrize("moved, followed, rounding, stale", [
    (1e-3, 1e-3, 1e-6, False), (1e-3, 0., 1e-6, True), (1e-3, 1e-4, 1e-5, True), (0., 0., 1e-6, False),
    (1e-3, 0., 1e-2, False), (.1, .1, 1e-2, False), (.1, 0., 1e-2, True)])
def test_stale(moved, followed, rounding, stale):
    "Moves that rounding could hide decide nothing"
    t = lambda x: torch.full((15,), x)
    before = t(-1.), t(-1. + rounding)
    assert engine_vllm._is_stale(before, (before[0] + moved, before[1] + followed)) == stale

def test_a_server_that_was_started_anew_gets_its_adapters_back():
    server = SmallServer()
    with server as url:
        players = connected(url)
        first = gap_of(players, 1)
        for name in [o for o in server.models if o != "base"]: del server.models[name]
        assert gap_of(players, 1) == first
        disconnect(players)


def test_a_few_shot_program_ends_at_the_server():
    "At a line that begins at its margin; what the server has written is what is kept"
    with SmallServer() as url:
        players = Players(ModelConfig(device="cpu", engine=url, prompts="few_shot", max_stage_tokens=60))
        connect(players)
        try:
            answers, sample = [], players.generator.engine.sample
            players.generator.engine.sample = lambda *args: answers.extend(sample(*args)) or answers
            kept = players.generator.sample(["def add(n):\n    "] * 12, 5, temperature=2., seed=0)
        finally: disconnect(players)
    assert [ids for ids, _, _ in answers] == [s.ids for s in kept]
    ended = [s for s in kept if len(s.ids) < 60]
    assert len(ended) > 3 and all(s.finished for s in ended)


# Policy and training

def test_prompts_are_read_by_who_answers():
    "With a server's policy the adapter moves what the prompt means; without, the bare base has read it"
    scores = {}
    for engine in ("local", "vllm"):
        players = Players(ModelConfig(device="cpu", engine=engine, max_stage_tokens=20))
        move(players.generator.parameters(1))
        samples = players.generator.sample(["def add(n):<s1>"], 1, seed=0)
        ours, _, mask = players.generator.logprobs(samples, 1)
        assert (ours[mask].detach() - torch.tensor(samples[0].logprobs)).abs().max() < 1e-4
        fixed = replace(samples[0], ids=[30, 31, 32])
        scores[engine] = players.generator.logprobs([fixed], 1)[0].detach()
    assert (scores["local"] - scores["vllm"]).abs().max() > 1e-3

class Watch(Callback):
    def after_step(self, line, rollout, samples): self.lines = [*getattr(self, "lines", []), line]

def test_training_with_a_server(tmp_path):
    "Both players learn; the sampler's log-probabilities stay the trainer's; the run can be used without the server"
    server, watch, loaded = SmallServer(), Watch(), []
    load = server.load_adapter
    server.load_adapter = lambda body: (loaded.append(body["lora_name"]), load(body))[1]
    with server as url:
        model = ModelConfig(device="cpu", adapters="stage", engine=url, max_stage_tokens=40, max_test_tokens=40,
                            chain_stages=(1, 5), test_stages=(5,))
        config = TrainingConfig(
            out=str(tmp_path / "run"), model=model, stages=(5,), n_discriminator_steps=1, n_generator_steps=2,
            first_discriminator_steps=0, k_alternating_steps=0, problems_per_step=2, n_samples=3, n_lists=2,
            eval_samples=2, n_mutants=0)
        with AdversarialTrainer(config, PROBLEMS, progress=False, callbacks=[watch]) as trainer:
            trainer.train_full_pipeline()
        assert list(server.models) == ["base"] # nothing is left there
    gaps = [o["sampler_gap"] for o in watch.lines if "sampler_gap" in o]
    assert gaps and max(gaps) < 1e-4 and len({*loaded}) >= 4 and {o.split('-')[0] for o in loaded} == {'generator_1', 'generator_5', 'discriminator_5'}
    with InferenceEngine.from_checkpoint(tmp_path / "run", "latest", device="cpu") as engine:
        assert engine.players.generator.engine is None and engine.players.generator.served
        assert engine.solve_problem(PROBLEMS[0]).code

@pytest.mark.parametrize("kw, message", [
    (dict(engine="ftp://h"), "give local, vllm, or a server's address"),
    (dict(engine="vllm", adapters="full"), "trains all weights"),
    (dict(engine="vllm", discriminator_model="other"), "two players are named")])
def test_settings_that_cannot_work(kw, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        AdversarialTrainer(TrainingConfig(out=str(tmp_path), model=ModelConfig(device="cpu", **kw)), PROBLEMS)

def test_without_the_packages_of_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    players = Players(ModelConfig(device="cpu", engine="vllm"))
    with pytest.raises(ConfigError, match=r"needs the package httpx2.*chained_adv\[engine\]"): connect(players)
