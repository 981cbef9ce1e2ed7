"""What a piece of work costs this process, counted so that a busy machine counts the same.

Calls are those that this process makes, of Python functions and of C: about 100,000 in .1 s. Bytes are those that cross
to and from the jailed processes: about 30 MB in .1 s. What takes long inside a single call of C is neither; for that
there are `SECONDS`, ten times what the costliest work takes, so that sharing a processor does not matter.
"""
import sys, time
from chained_adv.judge.host import Child

CALLS, BYTES, SECONDS = 200_000, 20_000_000, 3.

class Work:
    "Counts in a `with` block, for so many jobs"
    def __init__(self, jobs=1): self.jobs, self.calls, self.bytes = jobs, 0, 0

    def __enter__(self):
        self.kept = send, pump_in = Child.send, Child.pump_in
        def counted_send(child, body):
            self.bytes += len(body)
            return send(child, body)
        def counted_pump_in(child):
            before = child.taken
            more = pump_in(child)
            self.bytes += child.taken - before
            return more
        def count(frame, event, arg):
            if event == "call" or event == "c_call": self.calls += 1
        Child.send, Child.pump_in, self.start = counted_send, counted_pump_in, time.process_time()
        sys.setprofile(count)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)
        Child.send, Child.pump_in = self.kept
        self.seconds = time.process_time() - self.start

    def too_much(self, calls=CALLS, size=BYTES):
        "What there is too much of, per job; empty when it is within the limits"
        found = {"calls": (self.calls, calls), "bytes": (self.bytes, size), "seconds": (self.seconds, SECONDS)}
        return {what: round(n / self.jobs, 2) for what, (n, limit) in found.items() if n > limit * self.jobs}
