"""The part of vLLM's protocol that training uses, for small models on a CPU.

It is slow and answers one request at a time, but its weights are real: PEFT loads an adapter from its folder and
merges it into a copy of the base, so its answers follow the published weights, in a way that the trainer does not use.
"""
import copy, json, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import torch
from peft import PeftModel
from chained_adv.loading import end_tokens, load_base, quietly
from chained_adv.sampling import Reader, sample_tokens

class Refused(Exception):
    "A request that the server answers with an error"
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status

class Handler(BaseHTTPRequestHandler):
    "Read requests and write replies"
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *args): pass

    def do_POST(self): self.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def reply(self, body):
        try: status, found = 200, self.server.owner.answer(self.path, body)
        except Refused as e: status, found = e.status, dict(error=dict(message=str(e), code=e.status))
        self.send(status, json.dumps(found).encode())

    def send(self, status, content):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

class SmallServer:
    "The tiny model and its adapters behind an address; a context manager that gives the address"
    handler = Handler

    def __init__(self):
        self.models = {}
        self.models["base"], self.tokenizer = load_base("tiny", "cpu")
        self.end_ids = end_tokens(self.models["base"], self.tokenizer)
        self.lock = threading.Lock() # one request is computed at a time

    def __enter__(self):
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        self.http.owner = self
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()
        return f"http://127.0.0.1:{self.http.server_port}"

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()

    def answer(self, path, body):
        ways = {"/v1/completions": self.complete, "/v1/load_lora_adapter": self.load_adapter,
                "/v1/unload_lora_adapter": self.unload_adapter}
        if path not in ways: raise Refused(404, f"{path}: not found")
        with self.lock: return ways[path](body)

    def load_adapter(self, body):
        "A name that is taken is refused, as vLLM does"
        name = body["lora_name"]
        if name in self.models: raise Refused(400, f"The lora adapter '{name}' has already been loaded.")
        try:
            with quietly(): model = PeftModel.from_pretrained(copy.deepcopy(self.models["base"]), body["lora_path"])
        except (OSError, ValueError) as e: raise Refused(400, f"{body['lora_path']}: {e}") from None
        self.models[name] = model.merge_and_unload().eval()
        return dict(message=f"Success: LoRA adapter '{name}' added successfully.")

    def unload_adapter(self, body):
        name = body["lora_name"]
        if name not in self.models: raise Refused(404, f"The lora adapter '{name}' cannot be found.")
        del self.models[name]
        return dict(message=f"Success: LoRA adapter '{name}' removed successfully.")

    @torch.no_grad()
    def complete(self, body):
        "The model that answers also reads the prompt"
        name, ids = body["model"], body["prompt"]
        if name not in self.models: raise Refused(404, f"The model `{name}` does not exist.")
        model, stops = self.models[name], body.get("stop") or ()
        written, logprobs, finished = sample_tokens(
            model, Reader(model), [ids], body["max_tokens"], self.end_ids | set(body["stop_token_ids"]),
            body["temperature"], [body["seed"]],
            lambda ids: any(o in self.tokenizer.decode(ids) for o in stops))[0]
        choice = dict(finish_reason="stop" if finished else "length", logprobs=dict(token_logprobs=logprobs),
                      token_ids=written, prompt_token_ids=ids)
        if "prompt_logprobs" in body: # in vLLM's form: the first token has none
            logp = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
            choice["prompt_logprobs"] = [None] + [{str(o): dict(logprob=logp[i, o].item())} for i, o in enumerate(ids[1:])]
        return dict(model=name, choices=[choice])
