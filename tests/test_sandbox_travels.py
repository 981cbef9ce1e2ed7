"Sandboxes that are pickled, forked under running threads, awaited, and shared by many threads."
import asyncio, multiprocessing, os, pickle, signal, sys, threading, time
from concurrent.futures import ProcessPoolExecutor

import pytest

from chained_adv.judge import host
from chained_adv.sandbox import Batch, Job, Sandbox, SandboxError
import chained_adv.sandbox as module

LINUX = sys.platform == "linux"
LOOPER = "def f(x):\n    while True: pass"

def job(n): return Job(f"def f(x): return x + {n}", f"(1, {n + 1})\n(1, 0)")

def right(results): return [(r.num_passed, r.num_total) for r in results] == [(1, 2)] * len(results)

class Reward:
    "What an asynchronous trainer pickles"
    def __init__(self): self.sandbox = Sandbox(timeout=1, memory_mb=256, workers=1, give_up=True)
    def __call__(self, n): return self.sandbox.run_many([job(n)])[0].num_passed

def in_child(function):
    "The exit status of a forked child that runs a function; it is killed, and the test fails, when it hangs"
    pid = os.fork()
    if not pid:
        status = 1
        try: status = 0 if function() else 2
        finally: os._exit(status)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done: return os.waitstatus_to_exitcode(status)
        time.sleep(.02)
    os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)
    pytest.fail("the child hangs")

@pytest.fixture
def box():
    with Sandbox(timeout=1) as b: yield b

@pytest.fixture
def batches(monkeypatch):
    "The number of jobs of each batch"
    sizes = []
    class Counted(Batch):
        def __init__(self, box, plans, progress=None):
            sizes.append(len(plans)); super().__init__(box, plans, progress)
    monkeypatch.setattr(module, "Batch", Counted)
    return sizes


# pickles
def test_only_settings_are_pickled():
    with Sandbox(timeout=.7, memory_mb=128, workers=3, budget=4, output_limit=99, cache_size=7, isolation="process") as b:
        b.give_up = True
        assert right(b.run_many([job(1)])) and b.zygotes
        with pickle.loads(pickle.dumps(b)) as c:
            same = "timeout memory limit count budget isolation give_up cache_size settings level".split()
            assert [getattr(c, o) for o in same[:-2]] == [getattr(b, o) for o in same[:-2]] and repr(c) == repr(b)
            assert not c.zygotes and not c.known.data and c.lock is not b.lock
            assert right(c.run_many([job(1)]))
        assert c.closed and not b.closed and right(b.run_many([job(2)]))

def test_a_closed_sandbox_comes_out_open():
    b = Sandbox(); b.close()
    with pickle.loads(pickle.dumps(b)) as c: assert right(c.run_many([job(1)]))

def test_a_level_that_is_missing_elsewhere_is_refused_there():
    with Sandbox(isolation="process") as b: state = b.__getstate__() | dict(isolation="of tomorrow")
    with pytest.raises(SandboxError, match="of tomorrow"): Sandbox.__new__(Sandbox).__setstate__(state)

@pytest.mark.parametrize("way", ["spawn", pytest.param("fork", marks=pytest.mark.skipif(not LINUX, reason="fork"))])
def test_a_reward_goes_to_other_processes(way):
    reward = Reward()
    with reward.sandbox:
        assert reward(1) == 1
        with ProcessPoolExecutor(2, multiprocessing.get_context(way)) as pool: assert [*pool.map(reward, range(4))] == [1] * 4
        assert reward(2) == 1


# forks
@pytest.mark.skipif(not LINUX, reason="fork")
def test_a_fork_while_threads_run_in_it(box):
    "Locks that another thread holds at that moment are held for ever in the child, unless it has its own"
    stop, faults, rounds = threading.Event(), [], [0]
    def run(k):
        n = 0
        while not stop.is_set():
            try: n += 1; assert right(box.run_many([job(1000 * k + n), job(1000 * k + n + 500)])); rounds[0] += 1
            except BaseException as e: faults.append(repr(e)); return
    threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
    for t in threads: t.start()
    try:
        for n in range(12):
            time.sleep(.013 * (n % 5))
            child = lambda: right(box.run_many([job(n)])) and right([box.submit(job(n + 1)).result()])
            assert in_child(child) == 0
    finally:
        stop.set()
        for t in threads: t.join()
    assert not faults and rounds[0] > 3

@pytest.mark.skipif(not LINUX, reason="fork")
def test_a_child_that_only_leaves_does_so(box):
    "Its exit closes the sandbox, and must not wait for a lock of the parent"
    thread = threading.Thread(target=box.run_many, args=([Job(LOOPER, "(1, 1)\n(2, 2)\n(3, 3)")],))
    thread.start(); time.sleep(.3)
    pid = os.fork()
    if not pid: module.atexit._run_exitfuncs(); os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    thread.join()
    assert right(box.run_many([job(1)]))

@pytest.mark.skipif(not LINUX, reason="fork")
def test_a_child_keeps_no_channel_and_asks_nothing_twice(box):
    "An open copy would hide the end of a zygote from the parent; what waits in the parent's queue is the parent's"
    box.run_many([job(1)])
    old, waits = [z.control for z in box.zygotes.values()], box.submit(Job(LOOPER, "(1, 1)"))
    more = box.submit(job(2))
    fresh = lambda: (old and all(o.fileno() == -1 for o in old) and not host._channels and not box.asked and not box.zygotes
                     and host.reader.zygote is None)
    assert in_child(fresh) == 0
    assert not any(o.fileno() == -1 for o in old)
    assert waits.result(30).verdicts[0].outcome == "timeout" and right([more.result(30)])

@pytest.mark.skipif(not LINUX, reason="fork")
def test_a_fork_while_channels_are_made():
    stop = threading.Event()
    def make():
        while not stop.is_set():
            for o in host.make_channel(): o.close()
    threads = [threading.Thread(target=make) for _ in range(3)]
    for t in threads: t.start()
    try: assert [in_child(lambda: not host._channels and host.make_channel()) for _ in range(30)] == [0] * 30
    finally:
        stop.set()
        for t in threads: t.join()


# awaits
def test_calls_that_wait_together_are_one_batch(box, batches):
    async def main(): return await asyncio.gather(*(box.run_many_async([job(n), job(n)]) for n in range(30)))
    results = asyncio.run(main())
    assert all(map(right, results)) and sum(batches) == 60 and len(batches) <= 4, batches

def test_the_event_loop_goes_on(box):
    async def main():
        task, ticks = asyncio.ensure_future(box.run_many_async([Job(LOOPER, "(1, 1)")])), 0
        while not task.done(): await asyncio.sleep(.01); ticks += 1
        return ticks, task.result()
    ticks, result = asyncio.run(main())
    assert ticks >= 10 and result[0].verdicts[0].outcome == "timeout"

def test_futures_come_in_order_from_many_threads(box):
    futures, lock = {}, threading.Lock()
    def ask(k):
        for n in range(20):
            with lock: futures[k, n] = box.submit(Job(f"def f(x): return {100 * k + n}", f"(0, {100 * k + n})"))
    threads = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert all(o.result(60).passed for o in futures.values()) and len(futures) == 80
    end = time.monotonic() + 10
    while box.serving and time.monotonic() < end: time.sleep(.01)
    assert not box.serving and not [t for t in threading.enumerate() if t.name == "sandbox"]

def test_a_cancelled_await_is_dropped(box, batches):
    async def main():
        first = asyncio.ensure_future(box.run_many_async([Job(LOOPER, "(1, 1)")]))
        while not batches: await asyncio.sleep(.01)
        waiting = asyncio.ensure_future(box.run_many_async([job(n) for n in range(9)]))
        kept = asyncio.ensure_future(box.run_many_async([job(50)]))
        await asyncio.sleep(.05)
        waiting.cancel()
        with pytest.raises(asyncio.TimeoutError): await asyncio.wait_for(first, .05) # its batch has begun: its result is dropped
        with pytest.raises(asyncio.CancelledError): await waiting
        return await kept
    assert right(asyncio.run(main())) and batches == [1, 1]
    assert right([box.submit(job(3)).result(30)])

def test_what_cannot_be_read_fails_alone(box):
    async def main(): return await asyncio.gather(box.run_many_async([job(1)]), box.run_many_async([Job("def f(x): return x", 7)]),
                                                  box.run_many_async([]), box.run_many_async([job(2)]), return_exceptions=True)
    good, bad, none, more = asyncio.run(main())
    assert right(good) and isinstance(bad, (TypeError, SandboxError)) and none == [] and right(more)

def test_a_closed_sandbox_says_so():
    b = Sandbox()
    began, late = b.submit(Job(LOOPER, "(1, 1)")), None
    while not b.lock._is_owned() and began.running() is False: time.sleep(.01)
    late = b.submit(job(1))
    b.close()
    assert began.exception(30) is None or "closed" in str(began.exception())
    with pytest.raises(SandboxError, match="closed"): late.result(30)
    with pytest.raises(SandboxError, match="closed"): b.submit(job(1))
    with pytest.raises(SandboxError, match="closed"): asyncio.run(b.run_many_async([job(1)]))


# many threads
def test_many_threads_with_thousands_of_jobs(box):
    "Eight threads read signatures and tests at once; sandboxes of their own, and a shared one"
    faults = []
    def run(k):
        own = Sandbox() if k % 2 else box
        try:
            for n in range(6):
                jobs = [Job(f"def f(x, k={i % 9}): return x + {i % 9}", f"assert f({i}) == {i + i % 9}" if i % 40 == 0 else f"({i}, {i + i % 9})", "f",
                            f"def f(x: int, k: int = {i % 9}) -> int:") for i in range(n, n + 60)]
                results = own.run_many(jobs)
                if not all(r.passed for r in results): faults.append([v for r in results if not r.passed for v in r.verdicts][:1])
        except BaseException as e: faults.append(repr(e))
        finally:
            if own is not box: own.close()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
        for t in threads: t.start()
        for t in threads: t.join()
    finally: sys.setswitchinterval(before)
    assert not faults, faults[:3]
