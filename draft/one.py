import sys
from .box import Box
from .verdicts import Program
box = Box(timeout=3)
t = "import pytest\n@pytest.fixture\ndef a(): return 1\ndef test_a(a):\n    assert f(a) == 2\n"
def show():
    run, = box.drive([box.run(dict(text=t, wanted={"test_a": 0}, entry="f"), Program("def f(x): return x + 1", "f"))])
    print(run)
show(); box.close()
