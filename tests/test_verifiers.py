"""Our problems and our game as environments of verifiers, with a real model behind a local server

They need `pip install -e environments/verifiers` and Python 3.11, in an environment of their own.
"""
import json, os, subprocess, sys, threading, time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
import pytest
vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed")
pytest.importorskip("chained_adv_game", reason="environments/verifiers is not installed")
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from chained_adv.core import Chain
from chained_adv.loading import TINY
from chained_adv.matches import Match, list_of_tests
from chained_adv.rollout import Rollout, judge
from chained_adv.sampling import Sample
from chained_adv.sandbox import Sandbox
from chained_adv.stages import PROMPT_SETS, discriminator_prompt, generator_prompt
from chained_adv.testcases import parse_tests, read_program
from chained_adv.tiny.world import tiny_problems
from chained_adv_code import CodeEnv, problems_of
from chained_adv_game import GameEnv

FOLDER = Path(__file__).parent.parent / "environments/verifiers"
STAGES = ["1", "2", "3", "4", "5"]

class Handler(BaseHTTPRequestHandler):
    "Chat completions of the tiny model, sampled; one of `server.fail` requests is refused"
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def send(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        asked, server = json.loads(self.rfile.read(int(self.headers["Content-Length"]))), self.server
        server.asked.append(asked)
        if server.fails(asked): return self.send(400, dict(error=dict(message="refused for the test", type="invalid_request_error")))
        with server.lock:
            prompt = server.tokenizer.apply_chat_template(asked["messages"], return_tensors="pt", return_dict=True)
            n = prompt["input_ids"].shape[1]
            ids = server.model.generate(**prompt, max_new_tokens=120, do_sample=True)[0, n:]
        ended = ids[-1] == server.tokenizer.eos_token_id
        choice = dict(index=0, finish_reason="stop" if ended else "length", message=dict(role="assistant", content=server.tokenizer.decode(ids, skip_special_tokens=True)))
        self.send(200, dict(id="x", object="chat.completion", created=int(time.time()), model=asked["model"], choices=[choice],
                            usage=dict(prompt_tokens=n, completion_tokens=len(ids), total_tokens=n + len(ids))))

class Server(ThreadingHTTPServer):
    request_queue_size = 128 # five connections by default; the others would be refused

@pytest.fixture(scope="module")
def server():
    torch.manual_seed(0)
    made = Server(("127.0.0.1", 0), Handler)
    made.model, made.tokenizer = AutoModelForCausalLM.from_pretrained(str(TINY), dtype=torch.float32).eval(), AutoTokenizer.from_pretrained(str(TINY))
    made.lock, made.asked, made.fails = threading.Lock(), [], lambda asked: False
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()

def evaluate(server, out, *words):
    "Run `vf-eval`; returns the episodes on record"
    command = [Path(sys.executable).parent / "vf-eval", *words, "--client.base-url", f"http://127.0.0.1:{server.server_port}/v1", "--no-rich", "-o", out]
    env = {k: v for k, v in os.environ.items() if k != "PRIME_API_KEY"} | dict(OMP_NUM_THREADS="1")
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    path, = out.glob("*/traces.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()], path.read_text()

def replies(trace): return [n["message"] for n in trace["nodes"] if n["message"]["role"] == "assistant"]
def reply(trace): return (replies(trace)[-1]["content"] or "").strip()
def finished(trace): return trace["calls"][-1]["finish_reason"] != "length"
def prompt(trace): return [n["message"]["content"] for n in trace["nodes"] if n["message"]["role"] == "user"][0]

@pytest.fixture(scope="module")
def game(server, tmp_path_factory):
    return evaluate(server, tmp_path_factory.mktemp("game"), "@", "game.toml", "-n", "5", "--env.chains", "3")

def test_rewards_are_those_of_our_own_rollout(game):
    "The same texts through `rollout.judge`, episode by episode: rewards, credits, and what each prompt was"
    episodes, _ = game
    assert len(episodes) == 5 and all(o["ok"] and len(o["traces"]) == 3 * 10 for o in episodes)
    problems, prompts, seen = {p.id: p for p in tiny_problems("held_out", 200)}, PROMPT_SETS["tags"], defaultdict(set)
    for episode in episodes:
        p = problems[episode["task"]["data"]["problem"]]
        at = {(t["agent"]["name"], t["task"]["data"]["chain"], t["task"]["data"]["stage"]): t for t in episode["traces"]}
        chains = []
        for i in range(3):
            outputs = []
            for stage in range(1, 6):
                t, tests = at["generator", i, stage], at["discriminator", i, stage]
                assert prompt(t) == generator_prompt(prompts, p, stage, outputs)
                outputs.append(reply(t))
                assert prompt(tests) == discriminator_prompt(prompts, p, stage, outputs[-1])
            c = Chain(p, outputs, read_program(outputs[-1], p.entry_point, finished(at["generator", i, 5])).code)
            for stage in range(1, 6):
                text = reply(at["discriminator", i, stage])
                c.lists.append(list_of_tests(stage, Sample([], [], [], True, text), parse_tests(text, p.entry_point, p.function_signature)))
            chains.append(c)
        rollout = Rollout([Match(p, chains)])
        with Sandbox() as box: judge(rollout, box)
        for i, c in enumerate(chains):
            for stage in range(1, 6):
                t, tests, own = at["generator", i, stage], at["discriminator", i, stage], c.lists[stage - 1]
                assert t["rewards"]["generator"]["score"] == pytest.approx(c.generator_reward) and t["metrics"]["solved"] == c.solved
                assert tests["rewards"]["discriminator"]["score"] == pytest.approx(own.reward)
                credits = [tests["metrics"][f"credit_{k}"] for k in range(len(own.credits))]
                assert credits == pytest.approx(own.credits) and f"credit_{len(credits)}" not in tests["metrics"]
                seen["generator"].add(c.generator_reward); seen["discriminator"].add(own.reward)
    assert len(seen["generator"]) > 1 and len(seen["discriminator"]) > 3 # not all the same

def test_no_reference_is_in_the_traces(game):
    _, text = game
    problems = {p.id: p for p in tiny_problems("held_out", 5)}
    assert all(repr(p.reference_solution)[1:-1] not in text and json.dumps(p.reference_solution)[1:-1] not in text for p in problems.values())

def test_one_agent_earns_what_training_on_baseline_tests_pays(server, tmp_path):
    episodes, _ = evaluate(server, tmp_path, "chained-adv-code", "--env.taskset.problems", "tiny", "--env.taskset.split", "held_out",
                           "--env.taskset.task.prompts", "tags", "--model", "tiny", "--no-push", "-n", "12", "-r", "2", "--client.api-key-var", "NONE")
    problems, rewards = {p.id: p for p in tiny_problems("held_out", 200)}, set()
    assert len(episodes) == 24
    for episode in episodes:
        assert episode["ok"], episode["errors"]
        t, = episode["traces"]
        p = problems[t["task"]["data"]["problem"]]
        rollout = Rollout([Match(p, [Chain(p, code=read_program(reply(t), p.entry_point, finished(t)).code)])])
        with Sandbox() as box: judge(rollout, box, reward="baseline")
        c, = rollout.chains
        assert t["rewards"]["passed"]["score"] == pytest.approx(c.generator_reward) and t["metrics"]["solved"] == c.solved
        rewards.add(c.generator_reward)
    assert len(rewards) > 1

def test_an_agent_that_fails_fails_the_episode(server, tmp_path):
    "Rewards of half a match would be wrong: there are none, and the episode says what is missing"
    server.fails = lambda asked: "<t3>" in asked["messages"][-1]["content"]
    try: episodes, _ = evaluate(server, tmp_path, "@", "game.toml", "-n", "1", "--env.chains", "1")
    finally: server.fails = lambda asked: False
    episode, = episodes
    assert not episode["ok"] and "discriminator did not answer at stage 3" in (said := episode["errors"][-1]["message"]) and "refused for the test" in said
    assert not any(t.get("rewards", {}).get("generator") for t in episode["traces"])

def test_the_loader_finds_both_and_they_stay_here():
    load = lambda **o: vf.load_environment(vf.resolve_env_config(dict(taskset=dict(id="chained-adv-code", problems="tiny")) | o))
    code, game = load(), load(id="chained-adv-game")
    assert type(code) is CodeEnv and type(game) is GameEnv
    agents = [code.config.agent, game.config.generator, game.config.discriminator]
    assert {type(o.runtime) for o in agents} == {vf.SubprocessConfig} and {o.harness.id for o in agents} == {"chained-adv-code"}
    assert len(list(code.taskset)) == 240 == len(problems_of("tiny", "train")) and len(problems_of("tiny", "all")) == 440
    assert len({t.key for t in code.taskset}) == 240

@pytest.mark.parametrize("more, said", [(dict(stages=[1, 3]), "the last one 5"), (dict(test_stages=[3]), "at least one of them in chain_stages"),
                                        (dict(reward="nice"), "reward scheme 'nice' does not exist"), (dict(chains=0), "at least 1")])
def test_what_cannot_be_played_is_refused_before_any_request(more, said):
    with pytest.raises(ValueError, match=said):
        vf.resolve_env_config(dict(id="chained-adv-game", taskset=dict(id="chained-adv-code", problems="tiny")) | more)

def test_a_part_that_is_none_is_refused():
    with pytest.raises(ValueError, match="'train', 'held_out' or 'all'"):
        vf.resolve_env_config(dict(taskset=dict(id="chained-adv-code", problems="tiny", split="test")))

def test_a_problem_file_of_your_own(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(dict(id=f"p{i}", description="Double x.", function_signature="def f(x):", baseline_tests=[[1, 2], [i, 2 * i]], reference_solution="def f(x): return 2 * x")) + "\n" for i in range(6)))
    assert set(problems_of(str(path), "all")) == {f"p{i}" for i in range(6)}

def test_no_model_library_is_loaded():
    code = "import sys, chained_adv_code, chained_adv_game; list(chained_adv_code.problems_of('tiny', 'train')); print('torch' in sys.modules, 'peft' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == ["False", "False"]
