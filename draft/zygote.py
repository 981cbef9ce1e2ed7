"""Draft: the old zygote with the new roles"""
import builtins, ctypes, gc, importlib, json, os, signal, socket, sys
from chained_adv.jail import drop_rights, enter, hold_filter, limit, prctl
from chained_adv.judge.zygote import FORK, become as _become, watch
from .program import ready_names
from .wire import Channel, read, write
import resource

ROLES = {b"P": "program", b"T": "tester", b"L": "liar", b"R": "reader"}

def become(play, fd, zygote, seconds, confined):
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        os.setsid()
        os.dup2(fd, 3)
        null = os.open("/dev/null", os.O_RDWR)
        for o in (0, 1, 2): os.dup2(null, o)
        os.closerange(4, 64)
        os.write(3, b"!")
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        drop_rights(zygote, confined)
        play(Channel(3))
        code = 0
    except EOFError: code = 0
    except MemoryError: code = 71
    finally: os._exit(code)

class _Script:
    "A channel whose frames were written before"
    def __init__(self, *frames): self.frames = [write(o) for o in frames]
    def send(self, body): pass
    def receive(self):
        if not self.frames: raise EOFError
        return self.frames.pop(0)

_CODE = "def f(x, k=1):\n    x.sort()\n    return [sum(x) * k, 1.5, {1: ('a',)}]\n"
_TEXT = "def test_a():\n    assert sorted(f([3, 1])) == 1\nfor i in (1, 2): assert f([i]) is not None\n"
_SESSION = "import pytest, unittest\n@pytest.fixture\ndef a(): return 1\n@pytest.mark.parametrize('b', [1, 2])\ndef test_a(a, b, capsys, monkeypatch):\n    with pytest.raises(ValueError): raise ValueError\n    assert f(a) == pytest.approx(b)\nclass TestB(unittest.TestCase):\n    def setUp(self): self.x = 1\n    def test_b(self):\n        with self.assertRaises(ValueError): raise ValueError\n        self.assertEqual(f(1), 2)\n"

def rehearse(role, play, more):
    "Do once what children will do, so that it is warm"
    request = ["call", "f", None, [[3, 1, 2]], {"d": []}]
    answer = ["value", [6, 1.5, {"d": [[1, {"t": ["a"]}]]}], {"0": [1, 2, 3]}, []]
    about = dict(entry="f", named=[], shapes=None, strict=False, write_back=True, skip=[], only=None)
    wanted = {"test_a": 0, "#0": 1}
    frames = {b"P": [[dict(code=_CODE, entry="f", signature="", script=False)] + [request] * 6],
              b"T": [[dict(text=_TEXT, entry="f", wanted=wanted), about, ["value", [None], None, []], answer, answer, answer],
                     [dict(rows=[["equal", [[3, 1]], {"d": []}, 3]] * 2, entry="f"), about, answer, answer]], b"L": [], b"R": []}[role]
    if more: frames += [[dict(text=_SESSION, entry="f", wanted={"test_a": 0, "TestB::test_b": 1}), about, ["value", [None] * 2, None, []]] + [["value", 2, None, []]] * 4] * 2
    for script in frames:
        try: play(_Script(*script)) # the script may be longer than what is played
        except (EOFError, TypeError): pass
    for name in ("solution", "tests"): sys.modules.pop(name, None)

def main(role, level, names, paths, memory, seconds, program):
    prctl(1, signal.SIGKILL)
    control = int(sys.argv[1])
    os.dup2(control, 3)
    os.closerange(4, max(control + 1, 256))
    for m in names.split():
        try: importlib.import_module(m)
        except Exception: pass
    play = importlib.import_module("draft." + ROLES[role]).play
    if role == b"T" and "pytest" in names:
        importlib.import_module("draft.session")
    old = sys.stdout, sys.stderr
    rehearse(role, play, 'pytest' in names)
    sys.stdout, sys.stderr = old
    sys.path[:] = [p for p in sys.path if p not in paths]
    enter(level)
    for name, o in ready_names().items(): vars(builtins).setdefault(name, o)
    os.environ.clear()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit(memory)
    sys.setrecursionlimit(1000)
    if hasattr(sys, "set_int_max_str_digits"): sys.set_int_max_str_digits(0)
    gc.collect()
    gc.freeze()
    zygote, confined = os.getpid(), hold_filter(program) if program else None
    watch(socket.socket(fileno=3), lambda fd: FORK() or become(play, fd, zygote, seconds, confined))
