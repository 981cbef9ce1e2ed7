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

def rehearse(role):
    "Do once what children will do, so that it is warm"
    pass

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
    sys.path[:] = [p for p in sys.path if p not in paths]
    enter(level)
    for name, o in ready_names().items(): vars(builtins).setdefault(name, o)
    os.environ.clear()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit(memory)
    sys.setrecursionlimit(1000)
    if hasattr(sys, "set_int_max_str_digits"): sys.set_int_max_str_digits(0)
    rehearse(role)
    gc.collect()
    gc.freeze()
    zygote, confined = os.getpid(), hold_filter(program) if program else None
    watch(socket.socket(fileno=3), lambda fd: FORK() or become(play, fd, zygote, seconds, confined))
