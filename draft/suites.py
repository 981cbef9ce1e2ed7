"""A suite of one author: what in a text is a test, and how the tests of a text, of rows of data, of a doctest are run"""
import ast, builtins, doctest, io, math, re, sys, types
from collections import deque
from collections.abc import Callable
from typing import Any
from .wire import Builder, Channel, brief, body_of

WORDS = {"true": True, "false": False, "null": None, "inf": math.inf, "nan": math.nan, "NaN": math.nan, "Infinity": math.inf}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SETS_UP = (*DEFINITIONS, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign)

def is_test(node: ast.stmt) -> bool:
    "Is a statement at the top level a test?"
    if isinstance(node, ast.Assert): return True
    if isinstance(node, _SETS_UP) or is_main(node): return False
    inside = list(ast.walk(node))
    if any(isinstance(o, ast.Assert) for o in inside): return True
    calls = [getattr(o.func, "attr", getattr(o.func, "id", "")) for o in inside if isinstance(o, ast.Call)]
    return any(name[:6] in ("assert", "raises", "check", "check_") or name[:5] == "test_" or name == "raises" for name in calls)

def is_main(node: ast.stmt) -> bool:
    "Is this `if __name__ == ...`, or a call that would run all tests?"
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    if call is not None and ast.unparse(call.func) in ("unittest.main", "pytest.main", "doctest.testmod", "main"): return True
    return isinstance(node, ast.If) and any(isinstance(o, ast.Name) and o.id == "__name__" for o in ast.walk(node.test))

def is_test_class(node: ast.AST) -> bool:
    "Is this a class of tests?"
    bases = [ast.unparse(o) for o in getattr(node, "bases", ())]
    return isinstance(node, ast.ClassDef) and (node.name[:4] == "Test" or any("TestCase" in o for o in bases))

def functions_of(tree: ast.AST) -> list:
    "The functions in a body, each name's last one"
    found = {o.name: o for o in getattr(tree, "body", ()) if isinstance(o, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return list(found.values())

_OF_PYTEST = {"setup_module", "setup_function", "setUpModule", "teardown_function", "teardown_module", "tearDownModule"}

def needs_pytest(tree: ast.Module) -> bool:
    "Is there something in it that only pytest itself can run?"
    functions = functions_of(tree)
    if any(is_test_class(o) for o in tree.body) or any(f.name in _OF_PYTEST for f in functions): return True
    return any(f.name[:4] == "test" and (f.args.args or f.decorator_list or isinstance(f, ast.AsyncFunctionDef)) for f in functions)

def tests_in(tree: ast.Module) -> list[tuple[str, ast.AST]]: # Name and node: `#3` is the third statement that is a test
    "The tests of a text, in the order written"
    found, n = [], 0
    for node in tree.body:
        if is_test(node):
            found.append((f"#{n}", node))
            n += 1
        elif is_test_class(node): found += [(f"{node.name}::{f.name}", f) for f in functions_of(node) if f.name[:4] == "test"]
        elif node in functions_of(tree) and node.name[:4] == "test": found.append((node.name, node))
    return found

def names_used(code: types.CodeType) -> set:
    "All names that a piece of code may look up"
    inside = [o for o in code.co_consts if isinstance(o, types.CodeType)]
    return set(code.co_names).union(*map(names_used, inside))

class Suite:
    "The tests of one text, or rows of data, as they are run against one program after the other"
    def __init__(self, about: dict): # `rows`, or `text` and the number of each wanted test by name; `entry`
        self.entry, self.wanted, self.used = about["entry"], about.get("wanted") or {}, set()
        self.examples: list = []
        if about.get("rows"): return # they come with each run
        text = (about.get("setup") or "") + about["text"]
        if ">>>" in self.wanted: self.examples = doctest.DocTestParser().get_examples(text)
        else: self.tree = ast.parse(text)
        source = "\n".join(o.source for o in self.examples) if self.examples else text
        self.used = names_used(compile(source, "<tests>", "exec", dont_inherit=True)) | set(self.wanted)
        self.compiled: dict[int, types.CodeType] = {}

    def code(self, nodes: list) -> types.CodeType:
        "Statements, compiled once"
        key = hash(tuple(map(id, nodes)))
        if key not in self.compiled: self.compiled[key] = compile(ast.Module(nodes, []), "<tests>", "exec", dont_inherit=True)
        return self.compiled[key]

    def run(self, tester, make_names: Callable, about: dict) -> int: # How many tests there are
        "Run what is wanted; the tester is told of each test's begin and end"
        skip, only = set(about["skip"]), None if about["only"] is None else set(about["only"])
        def one(number: int | None, do: Callable, lasts: bool = False):
            "Run a test if it is wanted; a statement that is not wanted now is run, too, for those after it"
            is_wanted = number is not None and (only is None or number in only)
            if number in skip or not is_wanted and not lasts: return
            if not is_wanted: return outcome_of(do)
            tester.begin(number)
            tester.report(number, *outcome_of(do), lasts)
        if "rows" in about:
            check = Rows(self.entry, about)
            for number, row in enumerate(about["rows"]): one(number, lambda: check.ask(tester, number, *row))
            return len(about["rows"])
        names = make_names()
        if self.examples: self.run_examples(names, one)
        else:
            pytest = needs_pytest(self.tree)
            self.run_statements(names, one, [] if pytest else functions_of(self.tree))
            if pytest: self.run_pytest(names, tester, skip, only)
        return len(self.wanted)

    # Statements and functions of a text

    def run_statements(self, names: dict, one: Callable, functions: list):
        "Statements at the top level in order, then the functions"
        n, block = 0, []
        for node in self.tree.body:
            if not is_test(node):
                if not is_main(node): block.append(node)
                continue
            if block: exec(self.code(block), names)
            block = []
            one(self.wanted.get(f"#{n}"), lambda: exec(self.code([node]), names), True)
            n += 1
        if block: exec(self.code(block), names)
        for f in functions: one(self.wanted.get(f.name), lambda: names[f.name]())

    def run_examples(self, names: dict, one: Callable):
        "The examples of a doctest"
        for n, example in enumerate(self.examples):
            one(self.wanted.get(f">>>{n}"), lambda: run_example(example, names), True)

    def run_pytest(self, names: dict, tester, skip: set, only: set | None):
        "Functions and classes under the real pytest, in this process"
        from .session import run_session
        module = types.ModuleType("tests")
        vars(module).update(names)
        own = {k: n for k, n in self.wanted.items() if k[:1] != "#"}
        run_session(module, {k: n for k, n in own.items() if n not in skip and (only is None or n in only)}, tester)

class Rows:
    "Rows of data: how a program is called, and what it must return"
    def __init__(self, entry: str, about: dict): # `rules`, `in_place`, `answers`: are the answers wanted, and no verdicts?
        self.entry, self.rules, self.in_place, self.answers = entry, about["rules"], about["in_place"], about.get("answers")
        if "checker" in self.rules: exec(compile(self.rules["checker"], "<checker>", "exec"), names := {})
        self.check = names["check"] if "checker" in self.rules else None

    def ask(self, tester, number: int, kind: str, args, kwargs, expected):
        "One row: call the program, compare"
        build = Builder().build
        args, kwargs, want = build(args), build(kwargs), build(expected)
        try: got = tester.ask("script", None, None, args) if kind == "io" else tester.ask("call", self.entry, None, args, kwargs)
        except Exception as e:
            if kind != "raises" or self.answers: raise
            names = [want] if type(want) is str else want
            if {c.__name__ for c in type(e).__mro__ if c.__module__ == "builtins"} & set(names): return
            raise AssertionError(f"raised {type(e).__name__}: {e}, expected {' or '.join(names)}") from None
        first = args[0] if args else next(iter(kwargs.values()), None)
        if self.in_place and got is None and hasattr(first, "__len__"): got = first
        if self.answers: return tester.answer(number, got)
        if kind == "raises": raise AssertionError(f"got {brief(got)}, expected {want} to be raised")
        if not self.is_right(kind, args, got, want): raise AssertionError(f"got {brief(got)}, expected {brief(want)}")

    def is_right(self, kind, args, got, want) -> bool:
        "Is this what a row of a kind wants?"
        if self.check: return self.check(args, got, want) is True
        if kind == "truthy": return bool(got)
        if kind == "falsy": return not got
        if kind == "is": return got is want
        if kind == "io": return same_output(got, want)
        return same(got, want, kind == "equal", self.rules)

def outcome_of(do: Callable) -> tuple[int, str]: # What it comes to, and why
    "Run a test"
    from .tester import FAILED, PASSED, RAISED, SKIPPED, UNFIT, Unfit
    try: do()
    except EOFError: raise
    except Unfit as e: return UNFIT, str(e)
    except AssertionError as e: return FAILED, str(e) or "an assert failed"
    except BaseException as e:
        is_skip = type(e).__name__ in ("Skipped", "SkipTest") and type(e).__module__ != "solution"
        return SKIPPED if is_skip else RAISED, f"{type(e).__name__}: {e}"
    return PASSED, ""

def run_example(example: doctest.Example, names: dict):
    "One example of a doctest, by its own rules"
    test, told = doctest.DocTest([example], names, "tests", None, 0, None), io.StringIO()
    old, sys.stdout = sys.stdout, io.StringIO()
    try: failed = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=told.write, clear_globs=False).failed
    finally: sys.stdout = old
    if failed: raise AssertionError(told.getvalue()[-300:])

# When an answer is the wanted one

def near(a: complex, b: complex, close: float) -> bool:
    "Numbers that differ in the last digits, or are both not a number"
    return a == b or a != a and b != b or abs(a - b) <= max(close * max(abs(a), abs(b)), 1e-12) and abs(a - b) < math.inf

def same(got: Any, want: Any, loose: bool = False, rules: dict = {}) -> bool: # `loose`: a row, in which lists and tuples are alike
    "Is what a program answered what a test wants?"
    if hasattr(got, "tolist") or hasattr(want, "tolist"):
        got, want, loose = getattr(got, "tolist", lambda: got)(), getattr(want, "tolist", lambda: want)(), True
    if type(want) in (float, complex) and type(got) in (int, float, complex): return near(got, want, rules.get("float", 1e-9))
    rows = (list, tuple, range, deque) if loose else (list, tuple)
    if isinstance(got, rows) and isinstance(want, rows):
        alike = loose or isinstance(got, type(want)) or isinstance(want, type(got))
        if not alike or len(got) != len(want): return False
        if rules.get("unordered"): return same_unordered(list(got), list(want), loose, rules)
        return all(same(a, b, loose, rules) for a, b in zip(got, want))
    if isinstance(got, dict) and isinstance(want, dict):
        return got.keys() == want.keys() and all(same(got[k], want[k], loose, rules) for k in want)
    if loose and bool in (type(got), type(want)): return type(got) is type(want) and got == want
    return bool(got == want)

def same_unordered(got: list, want: list, loose: bool, rules: dict) -> bool:
    "The same items in any order"
    for o in want:
        found = next((i for i, g in enumerate(got) if same(g, o, loose, rules)), None)
        if found is None: return False
        del got[found]
    return True

def same_output(got: str, want: str) -> bool:
    "The same words in the same lines; numbers may differ in the last digits"
    lines = [[o.split() for o in text.split("\n") if o.strip()] for text in (got, want)]
    return len(lines[0]) == len(lines[1]) and all(len(a) == len(b) and all(map(same_word, a, b)) for a, b in zip(*lines))

def same_word(a: str, b: str) -> bool:
    if a == b or "." not in a + b: return a == b
    try: return near(float(a), float(b), 1e-6)
    except ValueError: return False
