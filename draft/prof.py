import time, collections
from .sandbox import Sandbox
from .batches import Job
from chained_adv.judge import host
with Sandbox(timeout=1, workers=2) as box:
    ref = "def f(x): return x * 1.5"; n = 40
    code = "\n".join(f"def test_{k}():\n    r = f({k})\n    assert r == {k * 1.5}" for k in range(10))
    forks = collections.Counter(); old = box.fork
    def fork(role, *a, **k): forks[role] += 1; return old(role, *a, **k)
    box.fork = fork
    box.run_many([Job(ref, code, "f", "def f(x):", runs=2)])
    print(forks); forks.clear()
    s, c = time.time(), time.process_time()
    box.run_many([Job(f"def f(x): return x * 1.5 # {i}", code, "f", "def f(x):", ref) for i in range(n)])
    print((time.time() - s) / n * 1e3, (time.process_time() - c) / n * 1e3, forks)
