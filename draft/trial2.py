import time
from .sandbox import Sandbox
from .batches import Job
with Sandbox(timeout=1, workers=2) as box:
    t = "assert f(2) == 3.0\nassert abs(f(4) - 6.0) < 1e-6\ndef test_a():\n    r = f(1)\n    assert r == 1.5\n(4, 6.0)\n"
    ref = "def f(x): return x * 1.5"
    jobs = [Job(ref, t, "f", "def f(x):", runs=2), Job(ref + "#", t, "f", "def f(x):", ref), Job("def f(x):\n    print('hi')\n    return 3.0", t, "f", "def f(x):", ref), Job(ref, t, "f", "def f(x):"), Job("def f(x):\n    while 1: pass", t, "f", "def f(x):", ref)]
    for r in box.run_many(jobs): print([(v.outcome, v.reason) for v in r.verdicts], r.stdout)
    s = time.time(); n = 60
    box.run_many([Job(f"def f(x): return x * 1.5 # {i}", "\n".join(f"assert f({k}) == {k * 1.5}" for k in range(10)), "f", "def f(x):", ref) for i in range(n)])
    print("data", (time.time() - s) / n * 1e3)
    s = time.time()
    code = "\n".join(f"def test_{k}():\n    r = f({k})\n    assert r == {k * 1.5}" for k in range(10))
    box.run_many([Job(f"def f(x): return x * 1.5 # {i}", code, "f", "def f(x):", ref) for i in range(n)])
    print("agrees", (time.time() - s) / n * 1e3)
    s = time.time()
    box.run_many([Job(f"def f(x): return x * 2.5 # {i}", code, "f", "def f(x):", ref) for i in range(n)])
    print("differs", (time.time() - s) / n * 1e3)
