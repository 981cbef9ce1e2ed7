"""Honest programs of the old corpora under the draft"""
import ast, sys, time
sys.path.insert(0, "tests/judge_data"); sys.path.insert(0, "tests")
from innocent import INNOCENT
from kinds import KINDS
from .box import Box
from .suites import tests_in
from .verdicts import Program

def suite_of(text, entry, signature):
    if ">>>" in text and "def test" not in text and "assert" not in text:
        import doctest
        return dict(text=text, entry=entry, wanted={">>>": None} | {f">>>{i}": i for i, e in enumerate(doctest.DocTestParser().get_examples(text)) if e.want})
    tree = ast.parse(text)
    names = [n for n, _ in tests_in(tree)]
    rows = [ast.literal_eval(o.value) for o in tree.body if isinstance(o, ast.Expr) and isinstance(o.value, ast.Tuple)] if not names else []
    if rows: return None
    return dict(text=text, entry=entry, wanted={n: i for i, n in enumerate(names)})

def main(which):
    box = Box(timeout=3, workers=2)
    entries = [(n, p, t, e, s, None) for n, p, t, e, s in INNOCENT] if which == "innocent" else [(n, good, t, e, s, bad) for n, e, s, good, bad, t in KINDS]
    right = wrong = skipped = 0
    for name, code, text, entry, signature, bad in entries:
        try: suite = suite_of(text, entry, signature)
        except SyntaxError: suite = None
        if not suite or not suite["wanted"]: skipped += 1; continue
        ref = Program(code, entry or "", signature or "")
        first, good = None, None
        try: good, (same,) = box.judge(suite, [Program(code + "\n# same", entry or "", signature or "")], ref)
        except Exception as e: print(name, "HOST", type(e), e); wrong += 1; continue
        n = len([k for k in suite["wanted"] if k != ">>>"])
        bads = {i: good.get(i) for i in range(n) if good.get(i, ("none",))[0] != "passed"}
        cand = {i: same.get(i) for i in range(n) if same.get(i, ("none",))[0] != "passed"}
        caught = True
        if bad and not bads:
            _, (b,) = box.judge(suite, [Program(bad, entry or "", signature or "")], ref)
            caught = any(v[0] != "passed" for v in b.values())
        if bads or cand or not caught: wrong += 1; print(name, "valid?", bads, "cand", cand if not bads else "", "" if caught else "NOT CAUGHT", flush=True)
        else: right += 1
    print(which, "right", right, "wrong", wrong, "skipped", skipped)
    box.close()
main(sys.argv[1])
