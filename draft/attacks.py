"""The old attacks on the draft: what passes that must not"""
import sys, time
sys.path.insert(0, "tests/judge_data")
from attacks import SOLUTION_ATTACKS, ANY
from .box import Box
from .reading import read_tests
from .verdicts import Program
from .wire import Packer

def suites(text, entry, signature):
    "(suite, items) of data and of code"
    read = read_tests(text, entry, signature)
    items = [o for o in read["items"]]
    pack = lambda v: Packer().pack(v)
    rows, code = [], {}
    place = {}
    for n, o in enumerate(items):
        if o["kind"] == "rejected": continue
        if o["kind"] == "code": place[n] = ("text", len(code)); code[o["name"]] = len(code)
        else: place[n] = ("rows", len(rows)); rows.append([o["kind"], pack(list(o["args"])), pack(dict(o["kwargs"])), pack(o["expected"])])
    import re
    out = {}
    if rows: out["rows"] = dict(rows=rows, entry=entry or "", in_place=bool(re.search(r"->\s*None\s*:?\s*$", signature or "")))
    if code: out["text"] = dict(text=read["source"], entry=entry or "", wanted=code)
    return items, out, place

def main():
    level = sys.argv[1] if len(sys.argv) > 1 else None
    box = Box(timeout=.15, memory_mb=256, workers=2, isolation=level)
    forged, accused, host, n = [], [], [], 0
    for a in SOLUTION_ATTACKS:
        items, ss, place = suites(a.tests, a.entry, a.signature)
        script = not a.entry
        program = Program(a.code, a.entry or "", a.signature or "", script)
        ref = Program(a.reference, a.entry or "", a.signature or "", script) if a.reference else None
        got = {}
        c, w = time.process_time(), time.time()
        try:
            for kind, suite in ss.items():
                got[kind] = box.judge(suite, [program], ref)[1][0] if ref else box.judge(suite, [program])[0]
        except Exception as e: host.append((a.name, repr(e)[:200])); continue
        took = time.process_time() - c, time.time() - w
        if took[0] > .15 or took[1] > 8: print("COST", a.name, f"host {took[0]:.2f} wall {took[1]:.1f}", flush=True)
        verdicts = ["rejected" if o["kind"] == "rejected" else got[place[i][0]].get(place[i][1], ("none", ""))[0] for i, o in enumerate(items)]
        n += 1
        if len(verdicts) == len(a.allowed):
            for i, (v, right) in enumerate(zip(verdicts, a.allowed)):
                right = right or ANY
                if v in right: continue
                if v == "passed": forged.append((a.name, i))
                elif "passed" in right and len(right) == 1: accused.append((a.name, i, v, got[place[i][0]].get(place[i][1]) if i in place else items[i]))
        elif any("passed" not in (r or ANY) for r in a.allowed) and verdicts and all(v == "passed" for v in verdicts): forged.append((a.name, "all"))
    print(n, "attacks; forged", len(forged), forged, "\naccused", len(accused)); [print("   ", *o) for o in accused]; print("host", host)
    box.close()
main()
