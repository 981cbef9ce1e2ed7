"""Programs that try to pass without solving, to escape, or to leave something behind, with the verdicts they must get.

The tests ask for values that no program can know (`SECRET`), so a pass is a hole. Probes try one thing and say whether
the system refused it. `since` names the weakest isolation level that must hold against the attack.
"""
from typing import NamedTuple
from chained_adv.judge.tester import LETTER
from chained_adv.judge.wire import write

class Attack(NamedTuple):
    name: str
    group: str # equality, exit, forging, reading, limits, values, reach, state
    intent: str # One line: what it is after
    code: str # A program that defines f
    tests: str # Text of its tests
    outcomes: tuple # For each test the outcomes that are right, separated by |
    since: str = "process"

SECRET = "(1, 424242)\n(2, 424243)"
ATTACKS = []

def attack(group, name, intent, code, tests=SECRET, outcomes="", since="process"):
    ATTACKS.append(Attack(name, group, intent, code.strip("\n") + "\n", tests, tuple(outcomes.split() or ["wrong_value"] * len(tests.splitlines())), since))

# ---- equality: be equal to whatever is expected ----

attack("equality", "eq_object", "an object that equals everything", "class A:\n    def __eq__(self, o): return True\n    def __ne__(self, o): return False\n    def __hash__(self): return 0\ndef f(x): return A()")
attack("equality", "eq_int", "an int that equals everything", "class A(int):\n    def __eq__(self, o): return True\n    def __hash__(self): return 0\ndef f(x): return A(7)")
attack("equality", "eq_float", "a float near everything", "class A(float):\n    def __sub__(self, o): return 0.\n    __rsub__ = __sub__\n    def __eq__(self, o): return True\n    def hex(self): return (424242.).hex()\n    def __float__(self): return 424242.\ndef f(x): return A(7)")
attack("equality", "eq_str", "a string that equals everything", "class A(str):\n    def __eq__(self, o): return True\n    def __str__(self): return 'a'\n    def __hash__(self): return 0\ndef f(x): return A('b')", "(1, 'a')\n(2, 'c')")
attack("equality", "eq_list", "a list whose iterator lies", "class A(list):\n    def __eq__(self, o): return True\n    def __iter__(self): return iter([2])\n    def __len__(self): return 1\ndef f(x): return A([9])", "(1, [2])\n(2, [3])")
attack("equality", "eq_dict", "a dict whose items lie", "class A(dict):\n    def __eq__(self, o): return True\n    def items(self): return [('a', 1)]\n    def __getitem__(self, k): return 1\ndef f(x): return A(b=2)", "(1, {'a': 1})\n(2, {'c': 1})")
attack("equality", "eq_set", "a set that contains everything", "class A(set):\n    def __contains__(self, o): return True\n    def __eq__(self, o): return True\n    __hash__ = None\n    def __iter__(self): return iter([1])\ndef f(x): return A([5])", "(1, {1})\n(2, {2})")
attack("equality", "int_lies", "an int whose conversion lies", "class A(int):\n    def __int__(self): return 2\n    __index__ = __int__\n    def __repr__(self): return '2'\n    __str__ = __repr__\ndef f(x): return A(3)", "(1, 2)")
attack("equality", "class_lies", "an object that says its class is int", "class A:\n    __class__ = int\n    def __eq__(self, o): return True\n    def __int__(self): return 424242\n    __index__ = __int__\ndef f(x): return A()")
attack("equality", "class_lies_list", "an object that says its class is list", "class A:\n    __class__ = list\n    def __len__(self): return 1\n    def __iter__(self): return iter([2])\ndef f(x): return A()", "(1, [2])")
attack("equality", "mock_any", "unittest.mock.ANY equals everything", "from unittest.mock import ANY\ndef f(x): return ANY")
attack("equality", "magic_mock", "a mock that answers everything", "from unittest.mock import MagicMock\ndef f(x): return MagicMock()", "assert f(1)\n(1, 1)", "passed wrong_value") # a mock is true, as Python sees it; `return True` would do as well
attack("equality", "truth", "an object that is true, where truth is asked, and where its contrary is", "class A:\n    def __bool__(self): return True\ndef f(x): return A()", "assert f(1)\nassert not f(2)", "passed wrong_value")
attack("equality", "nan", "not a number, which compares oddly", "def f(x): return float('nan')")
attack("equality", "bool_for_int", "True where 1 is asked", "def f(x): return True", "(1, 1)\n(2, 424243)")
attack("equality", "metaclass", "a metaclass that is an instance of everything", "class M(type):\n    def __instancecheck__(c, o): return True\n    def __eq__(c, o): return True\n    __hash__ = type.__hash__\nclass A(metaclass=M): pass\ndef f(x): return A")

# ---- exit: end with success ----

BOTH = "crash crash"
attack("exit", "os_exit_on_import", "leave with status 0 while loading", "import os\nos._exit(0)\ndef f(x): return 2", outcomes=BOTH)
attack("exit", "os_exit", "leave with status 0 in a call", "import os\ndef f(x): os._exit(0)", outcomes=BOTH)
attack("exit", "sys_exit", "SystemExit in a call", "import sys\ndef f(x): sys.exit(0)", outcomes="exception exception")
attack("exit", "sys_exit_on_import", "SystemExit while loading", "import sys\nsys.exit(0)\ndef f(x): ...", outcomes="exception exception")
attack("exit", "exit_builtin", "exit() without an import", "def f(x): exit()", outcomes="exception exception")
attack("exit", "keyboard_interrupt", "an exception that few handlers catch", "def f(x): raise KeyboardInterrupt", outcomes="exception exception")
attack("exit", "base_exception", "a BaseException of its own", "class E(BaseException): pass\ndef f(x): raise E('passed')", outcomes="exception exception")
attack("exit", "excepthook", "swallow what is raised", "import sys\nsys.excepthook = sys.unraisablehook = lambda *a: None\ndef f(x): raise ValueError", outcomes="exception exception")
attack("exit", "atexit", "print a report when leaving", "import atexit, os\natexit.register(lambda: print('2 passed'))\ndef f(x): os._exit(0)", outcomes=BOTH)
attack("exit", "abort", "crash on purpose", "import os\ndef f(x): os.abort()", outcomes=BOTH)
attack("exit", "segfault", "crash by reading address 0", "import ctypes\ndef f(x): ctypes.string_at(0)", outcomes=BOTH)
attack("exit", "del_exit", "leave while an object is taken down", "import os\nclass A:\n    def __del__(self): os._exit(0)\ndef f(x): A(); return 1", outcomes=BOTH)
attack("exit", "exit_after_answer", "leave right after one answer", "import os\nclass A(list):\n    def __del__(self): os._exit(0)\ndef f(x): return A([1])", "(1, [1])\n(2, [2])", "passed|crash wrong_value|crash")
attack("exit", "print_passed", "print what a report looks like", "def f(x): print('passed'); print('=== 2 passed in 0.01s ==='); print('{\"passed\": true}')")

# ---- forging: write verdicts, frames, results ----

# Frames are built as the wire builds them: a reply is [status, answer, changed arguments, printed]
def reply(tree, status="value", changed=None, printed=()): return write([status, tree, changed, list(printed)])
FRAMES = "import os, struct\ndef say(body, fd=3):\n    try: os.write(fd, struct.pack('!I', len(body)) + body)\n    except OSError: pass\n"
def says(*bodies, end="return 0", times=1): return FRAMES + f"def f(x):\n    for body in {list(bodies)!r} * {times}: say(body)\n    {end}"
LEAVES, FORGED = "os._exit(0)", (reply(True), LETTER.pack(b"V", 0, 0), LETTER.pack(b"V", 1, 0) + b"passed", reply(7), b"S{}", b"")
attack("forging", "spray_verdicts", "write replies and verdicts into every descriptor", FRAMES + f"def f(x):\n    for fd in range(64):\n        for body in {FORGED!r}: say(body, fd)\n    os._exit(0)", outcomes="wrong_value|crash wrong_value|crash")
attack("forging", "spray_garbage", "write garbage into every descriptor", "import os\ndef f(x):\n    for fd in range(64):\n        try: os.write(fd, b'passed' * 1000)\n        except OSError: pass\n    return 0", outcomes=BOTH)
attack("forging", "answers_ahead", "answer later calls too", says(reply(5), times=3, end=LEAVES), "(1, 5)\n(2, 6)\n(3, 7)", "passed wrong_value|crash wrong_value|crash")
attack("forging", "too_many_answers", "more answers than calls", says(reply(5), times=9, end="return 5"), "(1, 6)\n(2, 6)", "wrong_value wrong_value|crash")
attack("forging", "unknown_frame", "a status that does not exist", says(reply(424242, "passed")), outcomes="crash crash|wrong_value")
attack("forging", "verdict_frame", "the letter with which a test closes: passed", says(LETTER.pack(b"V", 0, 0)), outcomes="crash crash|wrong_value")
attack("forging", "call_back_frame", "ask for a call of a function of the test", says(reply([0, [], {"d": []}], "back")), outcomes="crash|wrong_value crash|wrong_value")
attack("forging", "object_with_space", "an object that looks for a byte search like none", says(b'["value",{ "h":[0,"int"]},null,[]]', b'["value",{"\\u0068":[0,"int"]},null,[]]', end=LEAVES), "assert abs(f(1) - 3) < 1e-6\nassert 4 < f(2) < 5", "wrong_value|crash wrong_value|crash")
attack("forging", "empty_frames", "frames of no bytes", "import os\ndef f(x):\n    os.write(3, bytes(4000))\n    return 0", outcomes=BOTH)
attack("forging", "printed_without_end", "say for ever that something was printed", FRAMES + f"def f(x):\n    while True: say({reply([], 'back', printed=['passed', ''])!r})", outcomes=BOTH)
attack("forging", "endless_frame", "announce four gigabytes", "import os\ndef f(x):\n    os.write(3, b'\\xff' * 4 + b'V' * 1000)\n    return 0", outcomes=BOTH)
attack("forging", "half_frame", "announce more than is sent, then wait", "import os\ndef f(x):\n    os.write(3, b'\\0\\0\\1\\0[')\n    while True: pass", outcomes="timeout timeout")
attack("forging", "json_nesting", "JSON nested a million deep", FRAMES + "def f(x):\n    say(b'[\"value\",' + b'[' * 900000 + b',null,[]]')\n    os._exit(0)", outcomes="wrong_value|crash wrong_value|crash")
attack("forging", "json_nan", "a bare NaN in JSON", says(b'["value",[NaN],null,[]]', end=LEAVES), outcomes="wrong_value wrong_value|crash")
attack("forging", "json_number", "a number of a million digits", FRAMES + "def f(x):\n    say(b'[\"value\",[' + b'9' * 900000 + b'],null,[]]')\n    os._exit(0)", outcomes="wrong_value|crash|timeout wrong_value|crash|timeout")
attack("forging", "bad_tag", "an encoded value that cannot be", says(reply({"s": [[1]]}), end=LEAVES), outcomes="crash crash|wrong_value")
attack("forging", "tag_collision", "a dict that looks like an encoded tuple", "def f(x): return {'t': [1]}", "(1, (1,))")
attack("forging", "odd_exception_frame", "an exception with a body that is none", says(reply({"x": [[], 3, {}]}, "raise"), end=LEAVES), outcomes="crash|exception exception|crash")
ODD = [reply(o, "raise") for o in ({}, ["ValueError"], {"x": [["ValueError"]]}, None)]
attack("forging", "odd_exception_for_raises", "the same where an exception is asked, with names that are none", FRAMES + f"def f(x):\n    say({ODD!r}[x])\n    os._exit(0)", "".join(f"with pytest.raises(ValueError):\n    f({i})\n" for i in range(4)), " ".join(["wrong_value|crash|exception"] * 4))
attack("forging", "colliding_keys", "keys that all hash alike, to keep the judge busy", "def f(x): return {i * (2**61 - 1) for i in range(3000)}", outcomes="wrong_value wrong_value")
attack("forging", "patched_builtins", "change built-in functions under the caller", "import builtins\nbuiltins.len = lambda *a: 424242\nbuiltins.isinstance = lambda *a: True\nbuiltins.type = lambda *a: int\nbuiltins.str = lambda *a: '424242'\ndef f(x): return 3", outcomes="wrong_value|crash wrong_value|crash")
attack("forging", "patched_json", "change the encoder under the caller", "import json\njson.dumps = lambda *a, **k: '[424242]'\njson.encoder.encode_basestring_ascii = lambda s: '424242'\ndef f(x): return 'a'", outcomes="wrong_value|crash wrong_value|crash")
attack("forging", "patched_runner", "change the functions that serve its own process", "import sys\nfor name in ('wire', 'solution', 'tester', 'zygote', 'reading'):\n    m = sys.modules['chained_adv.judge.' + name]\n    for k in ('encode', 'same', 'compare', 'answer', 'vouch', '_near'):\n        if hasattr(m, k): setattr(m, k, lambda *a, **k: 'Vtrue\\nnull')\ndef f(x): return 3", outcomes="wrong_value|exception|crash wrong_value|exception|crash")
attack("forging", "patched_write", "change os.write under the caller", "import os\nreal = os.write\ndef write(fd, data): real(fd, bytes(data).replace(b'[3]', b'[4]')); return len(data)\nos.write = write\ndef f(x): return 3")
attack("forging", "answer_memory", "say that memory ran out for the right reason", "def f(x): raise MemoryError", "with pytest.raises(MemoryError):\n    f(1)", "memory")
attack("forging", "raises_by_broken_code", "fulfil `raises` by not compiling", "def f(x: return", "with pytest.raises(SyntaxError):\n    f(1)", "exception")
attack("forging", "raises_by_missing_name", "fulfil `raises` by not defining the function", "def g(x): return", "with pytest.raises(NameError):\n    f(1)", "exception")
attack("forging", "exception_name", "an exception that bears the expected name and is no subclass", "def f(x): raise type('Other', (Exception,), {})('ValueError')", "with pytest.raises(ValueError):\n    f(1)", "exception")

# ---- reading: find the expected value ----

def hunt(name, intent, body): attack("reading", name, intent, "import re\nPATTERN = '42' * 2 + '[0-9]{2}'\ndef look(text):\n    found = re.search(PATTERN, text)\n    return int(found[0]) if found else None\n" + body)
hunt("frames", "look through the callers' variables", "import sys\ndef f(x):\n    frame = sys._getframe(1)\n    while frame:\n        if found := look(repr(dict(frame.f_locals)) + repr([v for v in frame.f_globals.values() if type(v) in (int, str, list, tuple, dict)])): return found\n        frame = frame.f_back")
hunt("gc", "look through all objects", "import gc\ndef f(x):\n    for o in gc.get_objects():\n        if isinstance(o, (list, tuple, dict)):\n            for v in (o.values() if isinstance(o, dict) else o):\n                if type(v) in (int, str, bytes) and v is not PATTERN and len(str(v)) < 100000 and (found := look(str(v))): return found")
hunt("main", "look into the runner's module", "import __main__\ndef f(x): return look(' '.join(str(v) for v in vars(__main__).values() if isinstance(v, (int, str, bytes, list, dict))))")
hunt("argv", "look at the command line", "import sys\ndef f(x): return look(' '.join(sys.orig_argv + sys.argv))")
hunt("environment", "look at the environment", "import os\ndef f(x): return look(str(dict(os.environ)))")
hunt("stdin", "read the standard input", "import sys, os\ndef f(x): return look(sys.stdin.read() + os.read(0, 1000).decode())")
hunt("channel", "read what else lies in the channel", "import os, socket\nchannel = socket.socket(fileno=os.dup(3))\ndef f(x):\n    try: return look(channel.recv(100000, socket.MSG_DONTWAIT | socket.MSG_PEEK).decode('latin-1'))\n    except OSError: return None")
hunt("proc", "look through /proc of oneself, the parent and the rest", "import os\ndef f(x):\n    for p in ['self', str(os.getppid())] + [str(i) for i in range(1, 3000, 7)]:\n        for name in ('cmdline', 'environ', 'stack', 'maps'):\n            try:\n                if found := look(open(f'/proc/{p}/{name}', 'rb').read().decode('latin-1')): return found\n            except OSError: pass")
hunt("memory", "read the whole of its own memory", "import os\ndef f(x):\n    try: maps, mem = open('/proc/self/maps').read(), open('/proc/self/mem', 'rb', 0)\n    except OSError: return None\n    for line in maps.splitlines():\n        if 'heap' in line:\n            a, b = (int(o, 16) for o in line.split()[0].split('-'))\n            mem.seek(a)\n            for m in re.finditer(PATTERN.encode(), mem.read(b - a)): return int(m[0])")
hunt("sources", "look for the tests' file", "import os\ndef f(x):\n    for folder in ('.', '/tmp', '/work', os.path.expanduser('~')):\n        try: names = os.listdir(folder)\n        except OSError: continue\n        for n in names:\n            try:\n                if n.endswith(('.py', '.json', '.txt')) and (found := look(open(os.path.join(folder, n)).read(100000))): return found\n            except (OSError, ValueError): pass")
hunt("inspect", "ask inspect for the callers' sources", "import inspect\ndef f(x):\n    try: return look(''.join(map(str, inspect.stack(5))))\n    except Exception: return None")
hunt("modules", "look through all loaded modules", "import sys\ndef f(x): return look(' '.join(repr(v) for m in list(sys.modules.values()) for k, v in list(vars(m).items()) if k not in ('PATTERN', 'digits') and type(v) in (int, str) and len(repr(v)) < 200 and m is not sys.modules.get('solution')))")
attack("reading", "package_data", "read the problems that come with the package, solutions included", "import os, sys\ndef f(x):\n    for root in sys.path + ['/usr/lib/python3/dist-packages', '/usr/local/lib/python3.11/dist-packages', sys.prefix + '/lib/python%d.%d/site-packages' % sys.version_info[:2]]:\n        for folder in (root, os.path.join(root, 'site-packages')):\n            try:\n                for n in os.listdir(folder):\n                    try: open(os.path.join(folder, n, '__init__.py')).read(); found = True\n                    except OSError: found = False\n                    if found and folder.endswith('-packages'): return n\n            except OSError: pass\n    return 'nothing'", "(1, 'nothing')", "passed", "seccomp")

# ---- limits: time, memory, output ----

SLOW = "timeout"
attack("limits", "loop", "never answer", "def f(x):\n    while True: pass", "(1, 2)", SLOW)
attack("limits", "loop_on_import", "never load", "while True: pass\ndef f(x): return 2", outcomes="timeout timeout")
attack("limits", "one_loop", "never answer one of four calls", "def f(x):\n    while x == 2: pass\n    return x + 1", "(1, 2)\n(2, 3)\n(3, 4)\n(4, 0)", "passed timeout passed wrong_value")
attack("limits", "c_loop", "a loop inside one C function", "def f(x): return sum(range(10**14))", "(1, 2)", SLOW)
attack("limits", "c_search", "a search inside one C function", "import itertools, collections\ndef f(x): return collections.deque(itertools.repeat(1), 0)", "(1, 2)", SLOW)
attack("limits", "regex", "exponential backtracking", "import re\ndef f(x): return re.match('(a+)+$', 'a' * 40 + 'b')", "(1, 2)", SLOW)
attack("limits", "power", "a number with too many digits", "def f(x): return 9 ** 9 ** 9", "(1, 2)", "timeout|memory")
attack("limits", "sleep", "wait without using the processor", "import time\ndef f(x): time.sleep(1000)", "(1, 2)", SLOW)
attack("limits", "naps", "wait in small pieces", "import time\ndef f(x):\n    while True: time.sleep(.001)", "(1, 2)", SLOW)
attack("limits", "wait_forever", "wait for a lock that nobody frees", "import threading\ndef f(x):\n    l = threading.Lock(); l.acquire(); l.acquire()", "(1, 2)", SLOW)
attack("limits", "catch_all", "catch whatever would end it", "def f(x):\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass", "(1, 2)", SLOW)
attack("limits", "ignore_signals", "ignore all signals", "import signal\ndef f(x):\n    for s in range(1, 65):\n        try: signal.signal(s, signal.SIG_IGN)\n        except (OSError, ValueError): pass\n    while True: pass", "(1, 2)", SLOW)
attack("limits", "raise_limits", "lift its own limits", "import resource\ndef f(x):\n    done = []\n    for name in ('RLIMIT_CPU', 'RLIMIT_AS', 'RLIMIT_NOFILE', 'RLIMIT_FSIZE', 'RLIMIT_NPROC'):\n        try: resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY,) * 2); done.append(name)\n        except (ValueError, OSError): pass\n    return done", "(1, [])", "passed")
attack("limits", "slow_equality", "an answer that takes for ever to look at", "class M(type):\n    @property\n    def __module__(cls):\n        while True: pass\nclass A(metaclass=M): pass\ndef f(x): return A()", "(1, [1])", SLOW)
attack("limits", "slow_message", "an exception whose message never comes", "class E(Exception):\n    def __str__(self):\n        while True: pass\ndef f(x): raise E", "(1, 2)", SLOW)
attack("limits", "recursion", "recursion without end", "def f(x): return f(x)", "(1, 2)", "exception")
attack("limits", "deep_recursion", "recursion without end or limit", "import sys\nsys.setrecursionlimit(10**9)\ndef f(x): return f(x) if x == 1 else 2", "(1, 2)\n(5, 2)", "crash|memory|timeout|exception passed")
attack("limits", "memory_string", "a string of 100 gigabytes", "def f(x): return 'a' * 10**11 if x == 1 else 2", "(1, 2)\n(3, 2)", "memory passed")
attack("limits", "memory_list", "a list that grows without end", "def f(x):\n    a = [0]\n    while x == 1: a += a\n    return 2", "(1, 2)\n(3, 2)", "memory|timeout passed")
attack("limits", "memory_swallowed", "catch MemoryError and go on", "def f(x):\n    a = []\n    while True:\n        try: a.append(bytearray(10**8))\n        except MemoryError: pass", "(1, 2)", SLOW)
attack("limits", "memory_map", "memory by mmap", "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.mmap.restype = ctypes.c_void_p\nlibc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]\ndef f(x): return 'refused' if libc.mmap(None, 10**12, 3, 0x22, -1, 0) in (None, 2**64 - 1) else 'done'", "(1, 'refused')", "passed")
attack("limits", "output", "print for ever", "def f(x):\n    while True: print('y' * 1000)", "(1, 2)", SLOW + "|memory") # a quick machine fills its memory first
attack("limits", "output_one_line", "print one endless line", "import sys\ndef f(x):\n    while True: sys.stderr.write('y' * 1000)", "(1, 2)", "timeout|memory")
attack("limits", "output_raw", "write past the capture", "import os\ndef f(x):\n    for _ in range(10000): os.write(1, b'y' * 10000); os.write(2, b'y' * 10000)\n    return 2", "(1, 2)", "passed")
attack("limits", "descriptors", "open all descriptors", "import os\ndef f(x):\n    held = []\n    try:\n        while True: held.append(os.dup(0))\n    except OSError: return len(held) < 100", "(1, True)", "passed")
attack("limits", "big_message", "an exception with a huge message", "def f(x): raise ValueError('a' * 10**8)", "(1, 2)", "exception|memory|timeout")
attack("limits", "timer_storm", "a timer that fires all the time", "import signal\nsignal.signal(signal.SIGALRM, lambda *a: None)\nsignal.setitimer(signal.ITIMER_REAL, .0001, .0001)\ndef f(x):\n    while True: pass", "(1, 2)", SLOW)

# ---- values: answers that are no data ----

ONE = "(1, 2)"
for name, intent, expression in (
    ("generator", "an iterator instead of its values", "iter([2])"), ("function", "the function itself", "f"), ("module", "a module", "__import__('math')"), ("range", "a range", "range(2)"),
    ("memoryview", "a window on memory", "memoryview(b'a')"), ("exception", "an exception, returned", "ValueError(2)"), ("ellipsis", "a constant that is no data", "..."), ("type", "a class", "int"),
    ("string_of_number", "the text of a number", "'2'"), ("none", "nothing", "None"), ("big_string", "ten megabytes", "'a' * 10**7"), ("big_list", "a million elements", "list(range(10**6))"),
    ("big_number", "a number of 20,000 digits", "10 ** 20000"), ("deep", "a list in a list, ten thousand times", "__import__('functools').reduce(lambda a, _: [a], range(10**4), 2)"), ("surrogate", "half a character", "'\\ud800'"), ("infinity", "infinity", "float('inf')")):
    attack("values", name, "return " + intent, f"def f(x): return {expression}", ONE, "wrong_value|timeout" if "big" in name else "wrong_value")
attack("values", "own_element", "a list that contains itself", "def f(x):\n    a = []\n    a.append(a)\n    return a", ONE, "wrong_value")
attack("values", "shared_elements", "a small object that unfolds to 2**60 elements", "def f(x):\n    a = []\n    for _ in range(60): a = [a, a]\n    return a", ONE, "wrong_value|timeout")
attack("values", "growing", "a list that grows while it is read", "class A(list):\n    def __iter__(self):\n        while True: self.append(1); yield 1\ndef f(x): return A([1])", ONE, "wrong_value|timeout")
attack("values", "endless_chain", "a linked list that ends nowhere", "def f(x):\n    a = ListNode(1)\n    a.next = a\n    return a", ONE, "wrong_value")
attack("values", "endless_tree", "a tree that is its own child", "def f(x):\n    a = TreeNode(1)\n    a.left = a.right = a\n    return a", ONE, "wrong_value")
attack("values", "fake_node", "a class that calls itself ListNode and misbehaves", "class ListNode:\n    @property\n    def val(self): raise SystemExit\n    next = None\ndef f(x): return ListNode()", ONE, "wrong_value|exception")
attack("values", "mutated_argument", "change the arguments of later calls", "kept = []\ndef f(x):\n    for k in kept: k.clear()\n    kept.append(x)\n    return len(x)", "([1, 2], 2)\n([3], 1)\n([1, 2], 2)", "passed passed passed")

# ---- reach: get out ----

HELP = """import ctypes, os, signal, socket, sys
libc, X86 = ctypes.CDLL(None, use_errno=True), os.uname().machine == 'x86_64'
def must(r):
    if r < 0: raise OSError(ctypes.get_errno(), 'refused')
def call(x86, arm, *args): must(libc.syscall(x86 if X86 else arm, *args))
"""
PLACE = "/tmp/chained_adv_attack"
def probe(name, intent, statement, since="seccomp", outcomes="passed", imports=""):
    attack("reach", name, intent, imports + HELP + f"def f(x):\n    try: {statement}\n    except (OSError, RuntimeError, ImportError): return 'refused'\n    return 'done'", "(1, 'refused')", outcomes, since)

probe("socket", "open a network socket", "socket.socket()")
probe("socket_udp", "send a packet", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))")
probe("socket_unix", "talk to a local service", "socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')")
probe("socket_raw", "listen to the network", "socket.socket(17, socket.SOCK_RAW)", "process")
probe("netlink", "talk to the kernel about the network", "socket.socket(16, socket.SOCK_RAW)")
probe("resolve", "ask for an address", "socket.create_connection((b'example.com', 80), .2)")
probe("fork", "fork", "os.fork() or os._exit(0)", "process")
probe("fork_bomb", "fork without end", "[os.fork() for _ in range(10**6)]", "process")
probe("double_fork", "leave a daemon behind", "os.fork() or (os.setsid(), os.fork() or __import__('time').sleep(1000))", "process")
probe("clone", "make a process by the bare system call", "call(56, 220, 17, 0, 0, 0, 0)", "process")
probe("vfork", "make a process as posix_spawn does", "os.posix_spawn('/bin/true', ['true'], {})", "process")
probe("subprocess", "run a program", "subprocess.run(['true'])", "process", imports="import subprocess\n")
probe("system", "run a shell", "must(-(os.system('true') != 0))", "process")
probe("exec", "become another program", "os.execv('/bin/true', ['true'])")
probe("threads", "start threads without end", "[threading.Thread(target=threading.Event().wait, daemon=True).start() for _ in range(10**4)]", "process", "passed|timeout|memory", "import threading\n") # memory ends first; `start` waits for ever for a thread that finds none
probe("multiprocessing", "use a pool of processes", "__import__('multiprocessing').Process(target=print).start()", "process")
probe("kill_parent", "kill the zygote", "os.kill(os.getppid(), 0)")
probe("kill_all", "kill everything it may", "os.kill(-1, 0)")
probe("kill_group", "kill its process group", "os.killpg(os.getpgrp(), 0)")
probe("queue_signal", "send a signal by another call", "call(129, 138, os.getppid(), 9, 0)")
probe("signal_by_file", "have the kernel send signals to others", "must(libc.fcntl(3, 8, os.getppid()))")
probe("new_session", "leave its session", "os.setsid()", "process")
probe("new_group", "leave its process group", "os.setpgid(0, os.getppid())", "process")
probe("ptrace", "trace another process", "must(libc.ptrace(16, os.getppid(), 0, 0))", "process")
probe("read_process", "read another process's memory", "must(libc.process_vm_readv(os.getppid(), (ctypes.c_void_p * 2)(), 1, (ctypes.c_void_p * 2)(), 1, 0))")
probe("be_dumpable", "let others read its memory", "must(libc.prctl(4, 1, 0, 0, 0))")
probe("outlive_parent", "not die with the zygote", "must(libc.prctl(1, 0, 0, 0, 0))")
probe("root", "become root", "os.setuid(0) if os.getuid() else must(-1)", "process")
probe("unshare", "make namespaces to be root in", "must(libc.unshare(0x10000000))")
probe("mount", "mount something", "must(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))", "process")
probe("chroot", "change the root directory", "os.chroot('/tmp')", "process")
probe("chdir", "change the directory", "os.chdir('/tmp')")
probe("memfd", "keep data in a nameless file", "os.memfd_create('a')")
probe("io_uring", "have the kernel do forbidden things later", "call(425, 425, 1, ctypes.create_string_buffer(256))")
probe("bpf", "load a program into the kernel", "call(321, 280, 0, 0, 0)", "process")
probe("userfaultfd", "handle page faults", "call(323, 282, 0)")
probe("perf", "count events of others", "call(298, 241, ctypes.create_string_buffer(128), 0, -1, -1, 0)")
probe("keyctl", "use the kernel's key store", "call(248, 217, b'user', b'chained_adv_attack', b'x', 1, -3)")
probe("shared_memory", "keep data in System V memory", "must(libc.shmget(4242, 4096, 0o1600))")
probe("message_queue", "keep data in a message queue", "must(libc.msgget(4242, 0o1600))")
probe("semaphore", "keep data in a semaphore", "must(libc.semget(4242, 1, 0o1600))")
probe("posix_shared_memory", "keep data in /dev/shm", "os.open('/dev/shm/chained_adv_attack', os.O_CREAT | os.O_RDWR)")
probe("write_tmp", "write a file", f"open('{PLACE}', 'w').write('x')")
probe("create_empty", "create an empty file", f"os.close(os.open('{PLACE}', os.O_CREAT | os.O_WRONLY))")
probe("create_nameless", "create a file without a name", "os.open('/tmp', os.O_TMPFILE | os.O_RDWR)")
probe("append", "append to a file", "open('/tmp/chained_adv_attack_log', 'a')")
probe("fill_disk", "fill the disk", f"open('{PLACE}', 'wb').write(bytes(10**7))")
probe("mkdir", "make a directory", f"os.mkdir('{PLACE}')")
probe("symlink", "make a link", f"os.symlink('/etc/passwd', '{PLACE}')")
probe("hardlink", "make a hard link", f"os.link(os.__file__, '{PLACE}')")
probe("fifo", "make a pipe with a name", f"os.mkfifo('{PLACE}')")
probe("device", "make a device", f"os.mknod('{PLACE}', 0o20666, 259)", "process")
probe("unlink", "remove a file", "os.unlink(os.__file__)")
probe("rename", "rename a file", "os.rename(os.__file__, os.__file__ + '.x')")
probe("chmod", "change rights", "os.chmod('/tmp', 0o777)")
probe("truncate", "empty a file", "os.truncate(os.__file__, 0)")
probe("touch", "change times", "os.utime('/tmp')")
probe("attribute", "keep data in a file's attributes", "os.setxattr('/tmp', b'user.chained_adv_attack', b'x')")
probe("read_users", "read the list of users", "open('/etc/passwd').read()")
probe("read_home", "look into a home directory", "os.listdir(os.path.expanduser('~root'))")
probe("list_root", "look around", "os.listdir('/')")
probe("read_secret", "read a process's environment", "open(f'/proc/{os.getppid()}/environ').read(1)")
probe("read_memory", "read the machine's memory", "os.open('/dev/mem', os.O_RDONLY)", "process")
probe("terminal", "type into the user's terminal", "os.open('/dev/tty', os.O_RDWR)", "process")
probe("priority", "take the processor from others", "os.nice(-5)", "process")
probe("affinity", "leave its processor", "os.sched_setaffinity(0, [0])")
probe("limits_of_parent", "change the limits of its parent", "must(libc.prlimit(os.getppid(), 7, ctypes.create_string_buffer(16), None))")
attack("reach", "import_read", "read a file by importing it", "import sys\nsys.path.insert(0, '/etc')\ndef f(x):\n    import _frozen_importlib_external as loaders\n    try: loaders.SourceFileLoader('p', '/etc/passwd').get_data('/etc/passwd')\n    except OSError: return 'refused'\n    return 'done'", "(1, 'refused')", "passed", "seccomp")

# ---- state: spoil the next execution (the runner looks after each attack, too) ----

for name, intent, statement in (
    ("patch_math", "a library function", "import math; math.sqrt = lambda x: 3"), ("patch_sum", "a built-in function", "import builtins; builtins.sum = lambda x: 3"), ("mark_module", "a mark in a module", "import collections; collections.MARK = 1"),
    ("environment_mark", "a mark in the environment", "import os; os.environ['MARK'] = '1'"), ("recursion_limit", "a recursion limit", "import sys; sys.setrecursionlimit(60)"), ("seed", "a seeded generator", "import random; random.seed(0)"),
    ("modules_gone", "no modules", "import sys; [sys.modules.pop(m) for m in list(sys.modules) if m not in ('sys', 'builtins')]"), ("no_stdout", "no output", "import sys; sys.stdout = sys.stderr = None"), ("closed_channel", "a closed channel", "import os; os.closerange(0, 64)"),
    ("int_limit", "a limit on digits", "import sys; sys.set_int_max_str_digits(640)"), ("hook", "an audit hook that objects", "import sys; sys.addaudithook(lambda *a: 1 / 0)"), ("trace", "a trace function that objects", "import sys; sys.settrace(lambda *a: 1 / 0)"),
    ("meta_path", "an import hook that objects", "import sys; sys.meta_path.clear()"), ("locale", "another locale", "import locale; locale.setlocale(locale.LC_ALL, 'C')"), ("switch", "a collector that never runs", "import gc; gc.disable(); gc.set_threshold(1)")):
    attack("state", name, f"leave {intent} to the next execution", f"{statement}\ndef f(x): return 7", outcomes="wrong_value|crash|exception wrong_value|crash|exception")
