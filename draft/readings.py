"""The new reading beside the old one, over the corpora"""
import sys
sys.path.insert(0, "tests/judge_data")
from salvage import SALVAGE
from .reading import read_tests
from chained_adv.testcases import parse_tests
same = 0; bad = []
for name, text, entry, signature, want in SALVAGE:
    got = [("code", "") if o["kind"] == "code" else (o["args"], o["expected"]) for o in read_tests(text, entry, signature)["items"] if o["kind"] != "rejected"]
    want = [("code", "") if o[0] == "code" else o for o in want]
    if repr(got) == repr(want): same += 1
    else: bad.append(name)
print(same, len(SALVAGE), bad)
