import time
from .box import Box
from .verdicts import Program
box = Box(timeout=1)
t = "def test_a():\n    assert f(2) == 3.0\ndef test_b():\n    assert abs(f(4) - 6.0) < 1e-6\nassert f(0) == 0\n"
wanted = {"test_a": 0, "test_b": 1, "#0": 2}
ref = Program("def f(x): return x * 1.5", "f")
print(box.judge(dict(text=t, wanted=wanted, entry="f"), [ref, Program("def f(x): return 3.0", "f"), Program("def f(x):\n    while 1: pass", "f")], ref))
rows = [["equal", [i], {"d": []}, {"f": repr(i*1.5)} if 0 else i * 1.5] for i in range(10)]
print(box.judge(dict(rows=rows, entry="f"), [ref, Program("def f(x): return 3.0", "f")], ref))
s = time.time(); c = time.process_time()
n = 50
box.judge(dict(rows=rows, entry="f"), [Program(f"def f(x): return x * 1.5 # {i}", "f") for i in range(n)], ref)
print((time.time() - s) / n * 1e3, "ms each")
box.close()
