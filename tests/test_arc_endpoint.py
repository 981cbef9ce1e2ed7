"""A real OpenAI-compatible server, `transformers serve`, with a small random model on loopback: whole and streamed answers, generation, a key it ignores."""
import asyncio, json, os, socket, subprocess, sys, time, urllib.error, urllib.request
from importlib.util import find_spec

import pytest

pytest.importorskip("httpx2", reason="needs the extra: pip install 'chained_adv[arc]'")
pytest.importorskip("stamina", reason="needs the extra: pip install 'chained_adv[arc]'")
lacking = [o for o in ("fastapi", "uvicorn", "openai") if find_spec(o) is None]
if lacking: pytest.skip(f"transformers serve needs {', '.join(lacking)}: pip install 'transformers[serving]'", allow_module_level=True)


from chained_adv.arc.agents import build_messages
from chained_adv.arc.clients import make_client
from chained_adv.arc.limits import Budget, Limits
from chained_adv.arc.protocol import CallError, Prices, Request
from chained_adv.arc.generate import run_attempts
from chained_adv.arc.results.attempts import make_items, read_attempts
from chained_adv.arc.grids import Grid, Pair, Task
from calling import call as call_program

TASKS = [Task(f"turn_{n}", [Pair(Grid([[1, n]]), Grid([[n, 1]]))], [Pair(Grid([[n, 5]]))]) for n in (2, 3, 4)]
ASK = Request(build_messages(TASKS[0], "direct", 0), TASKS[0], "direct", 0, seed=1, params={"max_tokens": 12})
# ChatML, as Qwen2 has it: the server finds the start of an answer by it
TEMPLATE = "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"


def make_model(folder, seed=0):
    "A Qwen2 with random weights, a byte tokenizer and a chat template"
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
    torch.manual_seed(seed)
    vocab = {o: i for i, o in enumerate(["<eos>", "\u0120", "\u010a", *map(chr, range(33, 127))])} # blank, line feed, what ASCII prints
    tokenizer = Tokenizer(models.BPE(vocab, []))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", pad_token="<eos>", chat_template=TEMPLATE).save_pretrained(folder)
    Qwen2ForCausalLM(Qwen2Config(vocab_size=len(vocab), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=16384,
                                 bos_token_id=None, eos_token_id=0, pad_token_id=0, initializer_range=.3)).save_pretrained(folder)
    return str(folder)

def free_port():
    with socket.socket() as s: s.bind(("127.0.0.1", 0)); return s.getsockname()[1]

def is_up(url):
    try: return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5).status == 200
    except (urllib.error.URLError, OSError): return False

@pytest.fixture(scope="module")
def served(tmp_path_factory):
    "(base URL, model) of a running server"
    model, port, log = make_model(tmp_path_factory.mktemp("model")), free_port(), tmp_path_factory.mktemp("log") / "log"
    program = "from transformers.cli.transformers import main; main()"
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    with open(log, "w") as out:
        process = subprocess.Popen([sys.executable, "-c", program, "serve", model, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"], stdout=out, stderr=out, env=env)
    try:
        until = time.monotonic() + 60
        while not is_up(f"http://127.0.0.1:{port}/health"):
            assert process.poll() is None and time.monotonic() < until, f"transformers serve did not start:\n{log.read_text()[-2000:]}"
            time.sleep(.2)
        yield f"http://127.0.0.1:{port}/v1", model
    finally: process.terminate(); process.wait(30)

def ask(client, *requests):
    async def go():
        try: return [await client.complete(o) for o in requests]
        finally: await client.close()
    return asyncio.run(go())


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_an_answer(served, stream):
    url, model = served
    # no seed here: transformers sets it for the whole process, so calls that overlap would disturb each other
    reply, = ask(make_client(model, base_url=url, stream=stream, prices=Prices(1., 10.), limits=Limits(tries=1)), ASK)
    assert reply.text and reply.finish_reason == "length" and reply.usage.completion == 12
    assert reply.usage.prompt > 500 and reply.cost == pytest.approx((reply.usage.prompt + 120) / 1e6)
    assert reply.usage.prompt <= make_client(model, base_url=url).model.worst_case(ASK).prompt, "more tokens than bytes"

def test_streamed_and_whole_answers_are_the_same(served):
    url, model = served
    greedy = Request(ASK.messages, TASKS[0], "direct", 0, params={"max_tokens": 24, "temperature": 0.})
    a, b = (ask(make_client(model, base_url=url, stream=o, seed=None), greedy)[0] for o in (False, True))
    assert (a.text, a.usage, a.finish_reason) == (b.text, b.usage, b.finish_reason)

def test_refusals_keep_their_words(served):
    url, model = served
    with pytest.raises(CallError, match="bad_request: status 400.*pinned") as e: ask(make_client("another", base_url=url), ASK)
    assert e.value.tries == 1
    with pytest.raises(CallError, match="bad_request: status 422.*no_such_field"): ask(make_client(model, base_url=url, params={"no_such_field": 1}), ASK)

@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_generation(served, tmp_path, stream):
    url, model = served
    client = make_client(model, base_url=url, stream=stream, params={"max_tokens": 8}, budget=Budget(max_tokens=100_000))
    async def go():
        try: return await run_attempts(client, list(make_items(TASKS, "code", 2)), tmp_path / "run", max_concurrent=3)
        finally: await client.close()
    report = asyncio.run(go())
    rows = list(read_attempts(tmp_path / "run"))
    assert (report.status, report.done, len(rows)) == ("finished", 6, 6)
    assert report.ok + report.errors["length"] + report.errors["empty_reply"] == 6 and report.ok > 0
    assert [(o["usage"], o["tries"], o["finish_reason"], o["code"]) for o in rows if o["usage"]["completion"] > 8 * o["tries"] or o["code"]] == []

def test_the_same_model_without_a_server(served):
    "`transformers:FOLDER` gives the same greedy answer as the server"
    url, model = served
    greedy = Request(ASK.messages, TASKS[0], "direct", 0, params={"max_tokens": 24, "temperature": 0.})
    a, = ask(make_client(model, base_url=url, seed=None), greedy)
    b, = ask(make_client(f"transformers:{model}", device="cpu", seed=None), greedy)
    assert (a.text, a.usage, a.finish_reason) == (b.text, b.usage, b.finish_reason)

def command(*args):
    "What an ARC command prints as JSON; 1 is the status of answers that solve nothing"
    r = call_program("arc", *args, "--json")
    assert r.exit_code in (0, 1) and r.stdout, (r.stdout, r.stderr, r.exception)
    return json.loads(r.stdout)

def test_generate_verify_and_bench_on_the_command_line(served, tmp_path, monkeypatch):
    "A random model solves nothing, and all three say so: every attempt is there, none is an infrastructure failure"
    monkeypatch.chdir(tmp_path)
    url, model = served
    asked = ("--model", model, "--base-url", url, "--answer-tokens", 12, "--tasks", "0:2", "--best-of", 2, "--max-concurrent", 2)
    made = command("generate", "code", *asked, "--stream", "--out", "run")
    assert (made["status"], made["done"], made["pending"]) == ("finished", 4, 0) and set(made["errors"]) <= {"length", "empty_reply"}
    verified = command("verify", "run")
    assert sum(verified["status"].values()) == 4 and not verified["status"].get("passed")
    for kind in ("code", "direct"):
        report = command("bench", kind, *asked, "--out", kind)
        assert report["attempts"]["missing"] == 0 and report["status"] == "finished" and (tmp_path / kind / "report.png").exists()
        assert report["model"] == model
