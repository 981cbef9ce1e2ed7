"""Start `chained-adv arc serve` in a process of its own, as tests and measurements need it."""
import http.client, json, os, re, signal, subprocess, sys, time, urllib.error, urllib.request
from pathlib import Path
from socket import socket

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-c", "from chained_adv.cli import main; main()", "arc", "serve"]

def free_port():
    "A port that nobody listens on; tests beside this one start their own servers"
    with socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

class Patient(http.client.HTTPConnection):
    "Reads what a server says that refuses a body before all of it was sent"
    def send(self, data):
        try: super().send(data)
        except (BrokenPipeError, ConnectionResetError): pass

class Handler(urllib.request.HTTPHandler):
    def http_open(self, request): return self.do_open(Patient, request)

class Serving:
    "A server in a process: start, stop, kill, ask"
    def __init__(self, folder, *options, port=0, env=None):
        self.folder, self.options, self.port, self.env, self.process = Path(folder), options, port or free_port(), env or {}, None

    def start(self):
        more = ["--data", str(self.folder), "--port", str(self.port), "--runs", str(self.folder.parent / "runs")]
        env = {**os.environ, "PYTHONPATH": str(ROOT), **self.env}
        self.process = subprocess.Popen([*COMMAND, *more, *map(str, self.options)], stderr=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, text=True, env=env, cwd=self.folder.parent)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line)
            if line.startswith("open"): break
        found = re.search(r"(http://\S+?)\?token=(\S+)", "".join(self.said))
        assert found, "".join(self.said)
        self.base, self.token = found.groups()
        self.port = int(re.search(r":(\d+)/", self.base)[1])
        for _ in range(200):
            try: return self if self.ask("GET", "api/openapi.json")[0] == 200 else self
            except OSError: time.sleep(.05)
        raise AssertionError("the server does not answer")

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(20)
        self.process.stderr.close()
        return code

    def ask(self, method, path, body=None, secret="", **headers):
        "(status, what came back)"
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        head = {"x-arc-token": self.token, **({"x-arc-user": secret} if secret else {}), **headers}
        request = urllib.request.Request(self.base + path, data, head, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Handler)
        try:
            with opener.open(request, timeout=60) as r: status, text = r.status, r.read()
        except urllib.error.HTTPError as e: status, text = e.code, e.read()
        try: return status, json.loads(text)
        except ValueError: return status, text

    def join(self, name=""):
        status, made = self.ask("POST", "api/people", {"name": name})
        assert status == 200, made
        return made["secret"]

    def __enter__(self): return self.start()
    def __exit__(self, *_):
        if self.process.poll() is None: self.stop()
