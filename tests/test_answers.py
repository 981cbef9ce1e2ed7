"""One reader for programs and tests: what models wrap around them, and what it costs to read the worst."""
import ast, json, time
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from chained_adv.core import describe_test
from chained_adv.judge.answers import find_program, lines_with_tests, parse_pieces
from chained_adv import testcases
from chained_adv.judge.host import SandboxError
from chained_adv.sandbox import Job, Sandbox
from chained_adv.testcases import parse_tests, read_program

RIGHT, WRONG = "def f(x):\n    return x + 1", "def f(x):\n    return x"
fenced = lambda code, language="python": f"```{language}\n{code}\n```"

PROGRAMS = { # each means `RIGHT`
    "fence": fenced(RIGHT), "prose around it": f"Sure!\n\n{fenced(RIGHT)}\nThis works.", "no language": fenced(RIGHT, ""), "tildes": f"~~~py\n{RIGHT}\n~~~",
    "longer fence": f"````python\n{RIGHT}\n````", "attributes": fenced(RIGHT, 'python title="a.py"'), "braces": fenced(RIGHT, "{python}"),
    "in a list": "1. Here:\n\n   ```python\n   def f(x):\n       return x + 1\n   ```\n", "never closed": f"```python\n{RIGHT}", "closed on its last line": f"```python\n{RIGHT}```\nok",
    "one line": "Use ```def f(x): return x + 1```.", "one line with a language": "```python def f(x): return x + 1 ```", "ends where the prompt began": f"{RIGHT}\n```\nThis adds one to x.",
    "Markdown in Markdown": f"```markdown\n# Answer\n```python\n{RIGHT}\n```\n```", "a fence in a docstring": fenced('def f(x):\n    """Add.\n    ```\n    f(1)\n    ```\n    """\n    return x + 1'),
    "thoughts": f"<think>\n{fenced(WRONG)}\n</think>\n{fenced(RIGHT)}", "thoughts that the prompt began": f"maybe\n{fenced(WRONG)}\n</think>\n\n{fenced(RIGHT)}", "reasoning and answer": f"<reasoning>\n{WRONG}\n</reasoning>\n<answer>\n{RIGHT}\n</answer>",
    "wrong, then right": f"{fenced(WRONG)}\nBetter:\n{fenced(RIGHT)}", "tests after it": f"{fenced(RIGHT)}\n\nTests:\n{fenced('def test_f():' + chr(10) + '    assert f(1) == 2')}", "a copy that breaks off": f"{fenced(RIGHT)}\nAgain:\n```python\ndef f(x):\n    return (x +",
    "a stub after it": f"{fenced(RIGHT)}\nUse it like:\n{fenced('def f(x):' + chr(10) + '    ...')}", "its use": f"{fenced(RIGHT)}\nUsage:\n{fenced('print(f(1))')}\nOutput:\n{fenced('2', '')}", "its caller": f"{fenced(RIGHT)}\nvs.\n{fenced('def g(x): return f(x)')}",
    "a shell before it": f"{fenced('pip install x', 'bash')}\n{fenced(RIGHT)}", "another language": f"{fenced('function f(x) {return x}', 'javascript')}\n{fenced(RIGHT)}", "wrong in prose": f"First {WRONG}\nno.\n{fenced(RIGHT)}",
    "helper apart": f"{fenced('def g(x): return x + 1')}\nand\n{fenced('def f(x): return g(x)')}", "helper after it": f"{fenced('def f(x): return g(x)')}\nwith\n{fenced('def g(x): return x + ONE' + chr(10) + 'ONE = 1')}", "import apart": f"{fenced('import math')}\n{fenced('def f(x): return math.floor(x) + 1')}",
    "no fences": f"Here it is:\n\n{RIGHT}\n\nThis returns x plus one.\nDone", "words that are Python": f"{RIGHT}\n\nExplanation: it adds\nNote: one", "bullets": f"- imports\n- code\n{RIGHT}\n- done", "headings": f"## Solution\n\n{RIGHT}\n\n## Why\nBecause - it's one.", "a comment before it": f"# Solution\n{RIGHT}",
    "indented in prose": "Solution:\n\n    def f(x):\n        return x + 1\n\nThat is it.", "a quotation": "> ```python\n> def f(x):\n>     return x + 1\n> ```", "typed at a prompt": fenced(">>> def f(x):\n...     return x + 1\n...\n>>> f(1)\n2"), "line numbers": fenced("1 def f(x):\n2     return x + 1"),
    "a page": "<pre>\ndef f(x):\n    return x + 1 if x &lt; 100 else x + 1\n</pre>", "quotes of a page": fenced("def f(x):\n    s = &quot;a&quot;\n    return x + len(s)"), "blanks of a page": fenced("def f(x):\n\xa0\xa0\xa0\xa0return x + 1"), "quotes of a word processor": fenced("def f(x):\n    y = “a”\n    return x + len(y)"),
    "literal ends of lines": r"def f(x):\n    return x + 1", "literal ends of lines in a fence": fenced(r"def f(x):\n    return x + 1"), "Windows": "\ufeff```python\r\ndef f(x):\r\n    return x + 1\r\n```\r\n", "JSON": r'{"code": "def f(x):\n    return x + 1", "why": "adds"}', "JSON in a fence": fenced(r'{"solution": "def f(x):\n    return x + 1"}', "json"),
    "the language on a line of its own": f"```\npython\n{RIGHT}\n```", "underscores of Markdown": r"Here:" + "\n\n" + r"def f(x):" + "\n" + r"    the\_one = 1" + "\n" + r"    return x + the\_one",
    "channels": f"<|channel|>analysis<|message|>Like this?\n{fenced(WRONG)}\nNo.<|end|><|start|>assistant<|channel|>final<|message|>{fenced(RIGHT)}<|return|>", "the end of a turn": f"{RIGHT}<|im_end|>\n<|im_start|>user\nAnd g?<|im_end|>\n<|im_start|>assistant\n{WRONG}",
    "tags": f"[PYTHON]\n{RIGHT}\n[/PYTHON]", "a class": fenced("class Solution:\n    def f(self, x): return x + 1"), "a lambda": fenced("f = lambda x: x + 1"), "a decorator": fenced(f"import functools\n@functools.cache\n{RIGHT}"), "imports that may fail": fenced(f"try:\n    import numpy\nexcept ImportError:\n    numpy = None\n{RIGHT}"),
    "entities that are meant": fenced('def f(x):\n    return x + ("&lt;" == "&" + "lt;")'), "a thought that is meant": fenced('def f(x):\n    return x + len("<think>") - 6'), "main": fenced(f"{RIGHT}\n\nif __name__ == '__main__':\n    print(f(1))"),
}

def test_programs_are_read_as_they_were_meant():
    jobs = [Job(read_program(text, "f").code, "assert f(1) == 2\nassert f(-7) == -6", "f") for text in PROGRAMS.values()]
    with Sandbox(workers=2) as box: results = dict(zip(PROGRAMS, box.run_many(jobs)))
    assert not [name for name, r in results.items() if not (r.passed and r.num_total == 2)]
    assert not [name for name, text in PROGRAMS.items() if read_program(text, "f").trouble]

@pytest.mark.parametrize("text", [f"<think>\n{fenced(RIGHT)}", f"<think>{RIGHT}", "I can't.", "", "def f(x):\n    return (x", fenced(RIGHT[:-6] + "("), fenced("function f(x) {return x}", "js"), "f(x) returns x + 1", fenced("def g(x): return x + 1")])
def test_what_holds_no_program_says_so(text): assert read_program(text, "f").trouble

def test_a_mistake_is_its_authors():
    code = "def f(x):\n    return x + 1\n\nassert f(1 == 2" # the model finished it
    assert read_program(fenced(code), "f").code == code and read_program(fenced(code), "f").trouble
    assert read_program(f"```python\n{code}", "f", finished=False) == (RIGHT, "") # the limit cut it

def test_a_program_that_reads_and_prints():
    code = "n = int(input())\nprint(n + 1)"
    assert read_program(f"So:\n{fenced(code)}\nFor 1 it prints\n{fenced('2', 'text')}", "").code == code

TESTS = { # each means the two
    "fence": fenced("assert f(1) == 2\nassert f('a') == 3"), "several": f"{fenced('assert f(1) == 2')}\nand\n{fenced('assert f(' + repr('a') + ') == 3')}", "thoughts": f"<think>\nassert f(9) == 9\n</think>\nassert f(1) == 2\nassert f('a') == 3",
    "thoughts that the prompt began": "assert f(9) == 9\n</think>\nassert f(1) == 2\nassert f('a') == 3", "output after it": f"{fenced('assert f(1) == 2' + chr(10) + 'assert f(' + repr('a') + ') == 3')}\n{fenced('f(9) == 9', 'text')}", "a table": "| call | value |\n|---|---|\n| f(9) | 9 |\n\nassert f(1) == 2\nassert f('a') == 3",
    "a table without edges": "f(x) | value\n--- | ---\nf(9) | 9\n\nassert f(1) == 2\nassert f('a') == 3", "entities": "assert f(1) == 2\nassert f(&quot;a&quot;) == 3", "literal ends of lines": r"assert f(1) == 2\nassert f('a') == 3", "JSON": r'["assert f(1) == 2", "assert f(\"a\") == 3"]', "fields": r'{"tests": ["assert f(1) == 2", "assert f(\"a\") == 3"]}',
    "the end of a turn": "assert f(1) == 2\nassert f('a') == 3<|im_end|>\n<|im_start|>user\nTest g.<|im_end|>\nassert g(1) == 1", "titles": "1. **One:** `assert f(1) == 2`\n2. Then `assert f('a') == 3` - a text", "a table of tests": "| why | test |\n|---|---|\n| one | `assert f(1) == 2` |\n| text | `assert f('a') == 3` |",
    "numbers": "1. `assert f(1) == 2`\n2. `assert f('a') == 3`", "curly": "assert f(1) == 2\nassert f(“a”) == 3", "quoted": "> assert f(1) == 2\n> assert f('a') == 3", "comments": "# assert f(9) == 9\nassert f(1) == 2 # not 3\n# f(8) == 8\nassert f('a') == 3", "fences of lists": "- first\n  ```python\n  assert f(1) == 2\n  ```\n- second\n    ```python\n    assert f('a') == 3\n    ```",
    "rows": "(1, 2)\n('a', 3)", "rows that break off": "[(1, 2), ('a', 3), ('b', ", "escaped": r"assert f(1) == 2\nassert f(\"a\") == 3",
}

@pytest.mark.parametrize("name", TESTS)
def test_tests_are_read_as_they_were_meant(name):
    assert [describe_test(t) for t in parse_tests(TESTS[name], "f", "def f(x):").cases] == ["f(1) == 2", "f('a') == 3"]

# Written by people who had not seen the reader. `check`: what the program passes, empty if the answer holds none; `meant`: each test
# (in our convention: a test in a class by `Class::name`, `float('inf')` as a value). Five answers are left out:
# input at the top level, a coroutine, a thought that holds the answer, a list that repeats itself until it is cut, sets by their order
ANSWERS = [json.loads(line) for line in (Path(__file__).parent / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
name_of = lambda o: o["kind"] if isinstance(o, dict) else None

def test_programs_of_the_corpus():
    answers = [o for o in ANSWERS if o["reads"] == "program"]
    found = [read_program(o["text"], o["entry"], o["ended"]) for o in answers]
    jobs = [Job(p.code, o["check"] or "assert False", o["entry"], unguarded=True) for o, p in zip(answers, found)]
    with Sandbox(workers=2) as box: results = box.run_many(jobs)
    wrong = [o["kind"] for o, p, r in zip(answers, found, results) if (r.passed if o["check"] else p.trouble) in (False, "")]
    assert not wrong and len(answers) > 110

def as_meant(test, entry):
    "A test as the corpus writes it"
    if test.kind == "raises": return "code"
    if test.kind == "code": return "code" if test.name.startswith(("#", ">>>")) else f"code:{test.name}"
    call = ", ".join([*map(repr, test.args), *(f"{k}={v!r}" for k, v in test.kwargs)])
    return f"{entry}({call}) == {test.expected!r}"

@pytest.mark.parametrize("answer", [o for o in ANSWERS if o["reads"] == "tests"], ids=name_of)
def test_a_list_of_the_corpus(answer):
    found = parse_tests(answer["text"], answer["entry"], answer["signature"]).cases
    assert [as_meant(o, answer["entry"]) for o in found] == answer["meant"]

def test_what_is_meant_stays():
    for text in ('assert f("&lt;") == "<"', r'assert f("a\nb") == 2', 'assert f("“") == 1', "assert f('```') == 3"):
        (test,) = parse_tests(text, "f", "def f(x):").cases
        node = ast.parse(text).body[0].test
        assert (test.args, test.expected) == ((ast.literal_eval(node.left.args[0]),), ast.literal_eval(node.comparators[0]))

@pytest.mark.parametrize("name", TESTS)
def test_a_test_knows_its_place(name):
    "Rewards go to the tokens of a test"
    for test in parse_tests(TESTS[name], "f", "def f(x):").cases:
        first, last = test.span
        assert 0 <= first <= last <= len(TESTS[name]) and (name in ("JSON", "fields") or TESTS[name][first:last].strip("`").startswith(("assert f(", "(")))

@settings(max_examples=300)
@given(st.lists(st.sampled_from(["```", "```python\n", "~~~", "\n", "    ", "def f(x):", "return x", "<think>", "</think>", "&lt;", r"\n", r"\"", '"', "'", '"""', "| a |", "|---|", ">>> ", "> ", "1. ", "{", "[", "(", ")", ":", "“", "\xa0", "\0", "\ud800", "class Solution:", "lambda: 0", "\r\n"]), max_size=40).map("".join))
def test_any_text_is_read_without_an_error(text):
    found = read_program(text, "f")
    assert isinstance(found.code, str)
    if not found.trouble: ast.parse(found.code)

@pytest.mark.parametrize("piece", ["[", "1 2 3\n", "```\n", "{", "<think>", "</think>", "def f(g):\n", "[[1,2],", "> ", "```python\n", "~~~~", '"""\n```\n', "&lt;", r"\n", r"\"", "'", "```a```\n", " ", "x\n", "|---|---|\n", "- assert f(\n", "“", "(1\n"])
def test_no_text_takes_longer_than_its_length_allows(piece):
    "A reader whose time grows with the square of the length would take minutes here"
    text, begun = piece * (100_000 // len(piece)), time.process_time()
    find_program(text, "f")
    parse_pieces(lines_with_tests(text))
    assert time.process_time() - begun < 20

def test_a_broken_sandbox_is_no_rejected_text(monkeypatch):
    "Nor an answer without a program: it would teach the model"
    def broken(*_, **__): raise SandboxError("the sandbox's process did not come up")
    monkeypatch.setattr(testcases.reader, "ask", broken)
    for read in (lambda: parse_tests("assert f(1) == 987123", "f"), lambda: read_program("def f(x): return 987123", "f")):
        with pytest.raises(SandboxError): read()

def test_entities_in_a_program_that_stands_alone():
    "`n &lt; 3` is Python, too: two statements"
    assert read_program("def below(n):\n    return n &lt; 3", "below").code == "def below(n):\n    return n < 3"
    assert read_program("def text(): return '&lt;'", "text").code == "def text(): return '&lt;'"
