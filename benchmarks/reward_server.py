"""The reward server under load: requests of one program each, next to the same programs in this process.

    python benchmarks/reward_server.py                     10,000 requests from 32 clients; then 1 and 8, and calls in process
    python benchmarks/reward_server.py --kills 1           kill -9 of the server in the middle; clients go on with the next one

Every request has a program of its own, and three of four programs are right. We check that each request is answered, once, and rightly.
"""
import argparse, http.client, json, os, queue, signal, subprocess, sys, tempfile, threading, time
from pathlib import Path

from chained_adv.sandbox import Sandbox, problem_job
from chained_adv.problems import save_problems
from chained_adv.testcases import baseline_cases
from chained_adv.tiny.world import tiny_problems

ROOT, TOKEN = Path(__file__).resolve().parent.parent, "a token of the load test"
COMMAND = [sys.executable, "-c", "from chained_adv.cli import main; main()", "serve"]

def tree(pid):
    "A process and all its descendants that live: the numbers in /proc"
    parents = {}
    for o in Path("/proc").iterdir():
        if not o.name.isdigit(): continue
        try: state, parent = o.joinpath("stat").read_text().rpartition(")")[2].split()[:2]
        except OSError: continue
        if state != "Z": parents[int(o.name)] = int(parent)
    found, new = set(), {pid} & parents.keys()
    while new:
        found |= new
        new = {k for k, v in parents.items() if v in new} - found
    return found

class Served:
    "`chained-adv serve` in a process of its own"
    def __init__(self, *options, port=0): self.options, self.port = options, port
    def __enter__(self):
        command = [*COMMAND, "--port", str(self.port), *map(str, self.options)]
        env = dict(os.environ, CHAINED_ADV_TOKEN=TOKEN, PYTHONPATH=str(ROOT))
        self.process, self.said = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env), ""
        for line in self.process.stderr:
            self.said += line
            if line.startswith("stop"): break
        else: raise AssertionError(self.said)
        self.port = int(self.said.split("/judge")[0].rpartition(":")[2])
        while self.ask("GET", "/health")[0] != 200: time.sleep(.05) # listens before it is ready: the request waits
        return self
    def __exit__(self, *_):
        if self.process.poll() is None: self.stop()
        self.process.stderr.close()
    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(60)
    def ask(self, method, path, body=None, token=TOKEN, connection=None):
        "(status, what came back)"
        own = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
            own.request(method, path, data, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            answer = own.getresponse()
            text = answer.read()
        finally:
            if not connection: own.close()
        try: return answer.status, json.loads(text)
        except ValueError: return answer.status, text.decode()

def programs(count):
    "Programs, and whether they are right: (problem, code, right)"
    problems = tiny_problems("train", 1000)
    for n in range(count):
        p = problems[n % len(problems)]
        code = p.reference_solution if n % 4 else f"{p.function_signature}\n return 'wrong'"
        yield p, f"{code}\n# {n}\n", bool(n % 4)

def ask_all(served, count, clients, progress=lambda done: None):
    "Send requests from some clients, each with a connection of its own; clients retry what was refused or cut off"
    todo, answers, times, errors, retries = queue.SimpleQueue(), {}, [], [], [0]
    for n, o in enumerate(programs(count)): todo.put((n, *o))
    def client():
        connection = None
        while True:
            try: n, p, code, right = todo.get_nowait()
            except queue.Empty: return
            body, started = dict(items=[dict(id=str(n), code=code, problem=p.id)]), time.perf_counter()
            while True:
                connection = connection or http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
                try: status, got = served.ask("POST", "/judge", body, connection=connection)
                except (OSError, http.client.HTTPException):
                    connection.close()
                    connection, retries[0] = None, retries[0] + 1
                    time.sleep(.2)
                    continue
                if status != 429: break
                retries[0] += 1
                time.sleep(.5)
            times.append(time.perf_counter() - started)
            if status != 200 or [(o["id"], o["passed"]) for o in got["results"]] != [(str(n), right)]: errors.append((n, status, got))
            if n in answers: errors.append((n, "answered twice"))
            answers[n] = True
            progress(len(answers))
    started = time.perf_counter()
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for o in threads: o.start()
    for o in threads: o.join()
    seconds, times = time.perf_counter() - started, sorted(times)
    at = lambda q: round(1e3 * times[int(q * (len(times) - 1))])
    return dict(clients=clients, requests=count, answered=len(answers), errors=errors[:3], retries=retries[0],
                per_second=round(count / seconds), median_ms=at(.5), p99_ms=at(.99), longest_ms=at(1))

def measure(requests=10_000, clients=32, kills=0, options=()):
    "One load; with `kills`, the server is killed at even distances and started anew on its port"
    with tempfile.TemporaryDirectory() as folder:
        options = ("--problems", save_problems(tiny_problems("train", 1000), f"{folder}/problems.json"), *options)
        served, left, at = Served(*options).__enter__(), [], [requests * (i + 1) // (kills + 1) for i in range(kills)]
        lock = threading.Lock()
        def progress(done):
            nonlocal served
            with lock:
                if not at or done < at[0]: return
                at.pop(0)
                family = tree(served.process.pid)
                served.stop(signal.SIGKILL)
                end = time.monotonic() + 5
                while time.monotonic() < end and any(map(lambda o: tree(o), family)): time.sleep(.02)
                left.extend(o for o in family if tree(o))
                served.process.stderr.close()
                served = Served(*options, port=served.port).__enter__()
        try:
            found = ask_all(served, requests, clients, progress)
            found["metrics"] = served.ask("GET", "/metrics")[1]
            return found | dict(left=left, status=served.stop())
        finally: served.__exit__()

def in_process(count):
    "The same programs with `run_many`: one by one, and in batches of 64"
    jobs = [problem_job(p, code, baseline_cases(p), reference=p.reference_solution) for p, code, _ in programs(2 * count)]
    with Sandbox(give_up=True) as box:
        box.run_many(jobs[:1])
        for name, part, size in (("one by one", jobs[:count], 1), ("batches of 64", jobs[count:], 64)):
            started = time.perf_counter()
            for i in range(0, count, size): box.run_many(part[i:i + size])
            yield name, round(count / (time.perf_counter() - started))

def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in dict(requests=10_000, clients=32, kills=0).items(): a.add_argument(f"--{name}", type=int, default=default)
    o = a.parse_args()
    print(json.dumps(measure(o.requests, o.clients, o.kills), indent=1))
    if o.kills: return
    for clients in (1, 8): print(json.dumps({k: v for k, v in measure(1000, clients).items() if k != "metrics"}))
    for name, rate in in_process(1000): print(f"in process, {name}: {rate} programs/s")

if __name__ == "__main__": main()
