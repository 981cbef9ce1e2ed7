"""A file like the founding project's `leetcode_formatted.json`, with content of our own and its kinds of dirt

720 entries with the fields `id, description, function_signature, baseline_tests, reference_solution, difficulty, tags`. The kinds
and their shares are those that were found in the real file (112 of 720 with all examples on one line, 27 without a signature, ...).

    python tests/founding_file.py leetcode_like.json
    chained-adv problems convert leetcode_like.json --to problems.json --check
"""
import json, sys

# Name, arguments with their types, type of the result, body, what it does, examples: arguments and result
TASKS = [
    ("addTo", "n: int, k: int", "int", "return n + k + {0}", "Add {0} to the sum of n and k.", [((2, 3), 5), ((0, 0), 0), ((-4, 1), -3)], lambda r, k: r + k),
    ("pairSum", "nums: List[int], target: int", "List[int]", "for i, a in enumerate(nums):\n    for j in range(i + 1, len(nums)):\n        if a + nums[j] == target: return [i, j, {0}]\nreturn [{0}]", "Find two places whose values sum to target; then comes {0}.", [(([2, 7, 11, 15], 9), [0, 1]), (([3, 3], 6), [0, 1]), (([], 1), [])], lambda r, k: [*r, k]),
    ("isEven", "s: str", "bool", "return (s.count('a') + {0}) % 2 == 0", "Is the number of letters a, plus {0}, even?", [(("banana",), False), (("",), True), (("a b, c = a",), True)], lambda r, k: r == (k % 2 == 0)),
    ("halves", "x: float", "float", "return x / 2 + {0}", "Half of x, plus {0}.", [((3.0,), 1.5), ((-1.0,), -.5), ((0.0,), 0.0)], lambda r, k: r + k),
    ("grid", "board: List[List[str]]", "List[str]", "return [''.join(row) + '{0}' for row in board]", "Join each row, and put {0} behind it.", [(([["a", "b"], ["c"]],), ["ab", "c"]), (([],), []), (([["x"]],), ["x"])], lambda r, k: [f"{o}{k}" for o in r]),
    ("firstOr", "nums: List[int]", "Optional[int]", "return nums[0] + {0} if nums else None", "The first number plus {0}; nothing of an empty list.", [(([4, 5],), 4), (([],), None), (([-1],), -1)], lambda r, k: None if r is None else r + k),
    ("total", "root: Optional[TreeNode]", "int", "return root.val + self.total(root.left) + self.total(root.right) - {0} if root else {0}", "The sum of a tree; {0} for none.", [(([1, None, 2],), 3), (([],), 0), (([5, 1, 2],), 8)], lambda r, k: r + k),
    ("lastOf", "head: Optional[ListNode]", "int", "while head and head.next: head = head.next\nreturn head.val + {0} if head else {0}", "The last value of a list plus {0}.", [(([1, 2, 3],), 3), (([],), 0), (([7],), 7)], lambda r, k: r + k),
]
DIRT = { # Kind -> a word of the reason for which it is set aside; without a solution an entry can still be used
    "another language": "solution", "a syntax error": "solution", "wrong answers": "the reference fails", "no tests": "baseline_tests", "no description": "description",
}

def entry(n, kind=""):
    "One entry: its fields, and whether it can be used"
    name, args, result, body, text, examples, shift = TASKS[n % len(TASKS)]
    k = n // len(TASKS) # each task with other numbers
    name, text, body = f"{name}{n}", text.format(k), body.format(k).replace("self.total", f"self.total{n}")
    names = [o.split(":")[0] for o in args.split(", ")]
    signature = f"def {name}(self, {args}) -> {result}:"
    lines = "\n".join(f"        {o}" for o in body.split("\n"))
    code = f"class Solution:\n    {signature}\n{lines}\n"
    rows = [(given, shift(out, k)) for given, out in examples]
    form = n // 3 % 6
    shown = [(", ".join(f"{a} = {json.dumps(v)}" for a, v in zip(names, given)), json.dumps(out)) for given, out in rows]
    tests = [[*given, out] for given, out in rows]
    is_linked = "Node" in args
    if form == 1 and not is_linked: tests = [f"assert Solution().{name}({', '.join(map(repr, given))}) == {out!r}" for given, out in rows]
    if form == 2: tests = [{"input": a, "output": b} for a, b in shown]
    if form == 3: tests = [f"Input: {a}\nOutput: {b}" for a, b in shown]
    if kind == "one line": # the tests are in the description
        tests, text = [], " ".join([text, *(f"Example {i}: Input: {a} Output: {b} Explanation: it is {b}." for i, (a, b) in enumerate(shown, 1)), "Constraints: 0 <= n <= 100"])
    if kind == "no signature": signature = "# Function signature not found"
    if kind == "fenced": code = f"```python\n{code}```"
    if kind == "no solution": code = ""
    if kind == "another language": code = f"class Solution {{\n  public int {name}(int n) {{ return n; }}\n}}"
    if kind == "a syntax error": code = code.replace("return", "retrun x", 1)
    if kind == "wrong answers": tests = [[*given, [out, "no"]] for given, out in rows]
    if kind == "no tests": tests = []
    if kind == "no description": text = ""
    return dict(id=n, description=text, function_signature=signature, baseline_tests=tests, reference_solution=code, difficulty=("Easy", "Medium", "Hard")[n % 3], tags=["Array", "Math"][:n % 3])

def kinds(n=720):
    "The kind of each entry, in the shares of the real file"
    shares = [("one line", 112), ("no signature", 27), ("fenced", 20), ("no solution", 16), ("another language", 14), ("a syntax error", 12), ("wrong answers", 12), ("no tests", 10), ("no description", 6)]
    found = [kind for kind, share in shares for _ in range(share * n // 720)]
    step = 7 # spread them
    result = [""] * n
    for i, kind in enumerate(found): result[i * step % n] = kind
    return result

def make(n=720): return [entry(i, kind) for i, kind in enumerate(kinds(n))]

if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else "leetcode_like.json", "w") as f: json.dump(make(), f, indent=1)
