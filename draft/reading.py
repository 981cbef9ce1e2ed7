"""From a text that a model wrote to its tests: rows of data, or names of what is to be run; nothing of it is run here"""
import ast, re, warnings
from dataclasses import dataclass, field
from typing import Any
from chained_adv.judge.constants import Refused, Unknown, can_take, constant, nested_rows, read_parameters
from .suites import functions_of, is_main, is_test, is_test_class, names_used, tests_in

MAX_TEXT, MAX_ITEMS, MAX_REPAIRS = 100_000, 1_000, 200 # characters; tests; pieces that are left out
SEQUENCES = (ast.Tuple, ast.List)
FENCE = re.compile(r"^\s*(```|~~~)")
BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(?=assert\b|\(|\[|>>>)")

@dataclass
class View:
    "The lines that may be Python, each with its place in the text"
    lines: list[str]
    places: list[int] # of the first character of each line in the text
    def text(self) -> str: return "\n".join(self.lines)

    def place(self, line: int, column: int) -> int: # As the parser counts: from 1, and bytes
        "Where in the text a line and column are"
        if line > len(self.lines): return self.places[-1] + len(self.lines[-1])
        return self.places[line - 1] + len(self.lines[line - 1].encode()[:column].decode("utf-8", "ignore"))

    def span(self, node: ast.AST) -> tuple[int, int]:
        "First character of a node and the one after its last"
        first = min([node.lineno, *(o.lineno for o in getattr(node, "decorator_list", ()))])
        return self.place(first, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

def view_of(text: str) -> View:
    "Leave out fences, what stands outside of them, bullets and common indentation"
    lines, places, at, inside, fenced = [], [], 0, False, re.search(r"^\s*(```|~~~)", text, re.M)
    for line in text.split("\n"):
        place, at = at, at + len(line) + 1
        keep = line.rstrip("\r")
        if FENCE.match(keep): inside, keep = not inside, ""
        elif fenced and not inside: keep = ""
        if mark := BULLET.match(keep): place, keep = place + mark.end(), keep[mark.end():]
        lines.append(keep.replace("\ufeff", " "))
        places.append(place)
    margin = min((len(o) - len(o.lstrip()) for o in lines if o.strip()), default=0)
    return View([o[margin:] for o in lines], [p + margin * bool(o.strip()) for p, o in zip(places, lines)])

def parse(view: View) -> tuple[ast.Module, list[tuple[int, int]]]: # What can be parsed; lines that were left out
    "Parse a text, piece by piece without what is no Python"
    left_out = []
    for _ in range(MAX_REPAIRS):
        try: return ast.parse(view.text()), left_out
        except (SyntaxError, ValueError, RecursionError, MemoryError) as e: line = min(getattr(e, "lineno", None) or 1, len(view.lines))
        starts = [n for n, o in enumerate(view.lines, 1) if o.strip() and not o[0].isspace() and o[0] not in ")]}"]
        first = max((n for n in starts if n <= line), default=line)
        last = min((n for n in starts if n > line), default=len(view.lines) + 1) - 1
        left_out.append((first, last))
        for n in range(first, last + 1): view.lines[n - 1] = ""
    left_out.append((1, len(view.lines)))
    return ast.Module([], []), left_out

@dataclass
class Reading:
    "What is known while a text is read"
    text: str
    view: View
    entry: str
    takes: Any # what the signature takes
    calls: bool = False # are calls enough, whose answers nobody has said?
    items: list = field(default_factory=list)
    forms: set = field(default_factory=set)

    def put(self, span: tuple, kind: str, form: str = "", **more):
        "Note a test, or a piece that is none"
        self.items.append(dict(kind=kind, span=span, text=self.text[slice(*span)], **more))
        if form: self.forms.add(form)

    def reject(self, span: tuple, why: str, reason: str): self.put(span, "rejected", why=why, reason=reason)

    # Values and calls

    def call(self, node: ast.AST) -> tuple[tuple, tuple] | None: # Arguments; None if this is no call of the function with plain values
        "Read a call"
        if not isinstance(node, ast.Call) or not self.is_entry(node.func): return None
        try: args, kwargs = [constant(a) for a in node.args], [(k.arg, constant(k.value)) for k in node.keywords]
        except Unknown: return None
        if any(k is None for k, _ in kwargs): return None
        if not can_take(self.takes, len(args), [k for k, _ in kwargs]): raise Refused("wrong arguments", f"`{self.entry}` cannot be called like this")
        return tuple(args), tuple(kwargs)

    def is_entry(self, node: ast.AST) -> bool:
        "Is this the function under test? It may be a method of a new `Solution()`, or stand in a module"
        if isinstance(node, ast.Name): return node.id == self.entry or node.id == "candidate"
        if not isinstance(node, ast.Attribute) or node.attr != self.entry: return False
        owner = node.value
        return isinstance(owner, ast.Call) and not owner.args + owner.keywords and getattr(owner.func, "id", "") == "Solution" or isinstance(owner, ast.Name) and owner.id in ("solution", "Solution")

    def question(self, node: ast.stmt) -> dict | None:
        "What a statement asks, if it is one call and a plain value"
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare): node = ast.Assert(node.value)
        if isinstance(node, ast.With): return self.raising(node)
        if not isinstance(node, ast.Assert): return None
        test, negated = node.test, isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        if called := self.call(test.operand if negated else test):
            return dict(kind="falsy" if negated else "truthy", args=called[0], kwargs=called[1], expected=not negated)
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], (ast.Eq, ast.Is)): return None
        for asked, told in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
            if called := self.call(asked):
                try: expected = constant(told)
                except Unknown: return None
                is_ = isinstance(test.ops[0], ast.Is)
                if is_ and expected not in (None, True, False): return None
                return dict(kind="is" if is_ else "exact", args=called[0], kwargs=called[1], expected=expected)

    def open_question(self, node: ast.stmt) -> tuple[tuple, tuple] | None:
        "A call, or a row of arguments, whose answer nobody has said"
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "print" and len(value.args) == 1: value = value.args[0]
        if called := self.call(value): return called
        if not isinstance(value, ast.Tuple) or not self.takes.known or len(value.elts) != self.takes.most: return None
        return tuple(constant(o) for o in value.elts), ()

    def raising(self, node: ast.With) -> dict | None:
        "`with pytest.raises(...)` around one call"
        context = node.items[0].context_expr
        if len(node.items) + len(node.body) != 2 or node.items[0].optional_vars or not isinstance(context, ast.Call): return None
        name = getattr(context.func, "attr", getattr(context.func, "id", ""))
        called = self.call(getattr(node.body[0], "value", None))
        errors = [getattr(o, "id", "") for o in getattr(context.args[0], "elts", [context.args[0]])] if len(context.args) == 1 and not context.keywords else []
        import builtins
        if name not in ("raises", "assertRaises") or not called or not errors or not all(hasattr(builtins, o) for o in errors): return None
        return dict(kind="raises", args=called[0], kwargs=called[1], expected=errors[0] if len(errors) == 1 else errors)

    # Rows of values

    def rows(self, node: ast.stmt) -> list | None: # (parts, span, is it a record?)
        "The rows of a statement that is data alone"
        value = node.value if isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign)) else None
        if isinstance(value, ast.Dict): return self.records([value])
        if not isinstance(value, SEQUENCES) or not value.elts: return None
        if all(isinstance(o, ast.Dict) for o in value.elts): return self.records(value.elts)
        if all(isinstance(o, SEQUENCES) for o in value.elts) and (isinstance(value, ast.List) or not self.fits(value.elts)):
            return [(o.elts, self.view.span(o), False) for o in value.elts]
        return [(value.elts, self.view.span(value), False)] if isinstance(node, ast.Expr) else None

    def fits(self, parts: list) -> bool:
        from chained_adv.judge.constants import fit_row
        return any(fit_row(shape_of(parts), self.takes))

    def records(self, nodes: list) -> list | None:
        "Rows that are JSON objects"
        found = []
        for node in nodes:
            fields = {str(getattr(k, "value", "")).lower(): v for k, v in zip(node.keys, node.values)}
            out = next((fields[k] for k in "output expected expected_output result out answer".split() if k in fields), None)
            given = next((fields[k] for k in "input inputs args arguments".split() if k in fields), None)
            if out is None or given is None: return None
            if isinstance(given, ast.Dict):
                named = {getattr(k, "value", ""): v for k, v in zip(given.keys, given.values)}
                given = ast.Tuple([named[n] for n in self.takes.names if n in named], ast.Load())
            found.append(([given, out], self.view.span(node), True))
        return found

    def read_rows(self, rows: list):
        "Rows as tests"
        nested = nested_rows([shape_of(parts, record) for parts, _, record in rows], self.takes)
        for (parts, span, _), inside in zip(rows, nested):
            try:
                if not self.entry or not self.takes.most:
                    texts = [constant(o) for o in parts]
                    if len(texts) != 2 or not all(type(o) is str for o in texts): raise Refused("unreadable", "no function to call, and no text in and out")
                    self.put(span, "io", "io", args=(texts[0],), kwargs=(), expected=texts[1])
                    continue
                if inside is None or not parts: raise Refused("wrong arguments", f"{len(parts)} values do not fit the signature")
                given = parts[0].elts if inside else parts[:-1]
                self.put(span, "equal", "tuples", args=tuple(constant(o) for o in given), kwargs=(), expected=constant(parts[-1]))
            except Refused as e: self.reject(span, *e.args)
            except Unknown: self.reject(span, "unreadable", "its values are not known")

def shape_of(parts: list, record: bool = False) -> tuple: # See `nested_rows`
    first = parts[0] if len(parts) == 2 else None
    if not isinstance(first, SEQUENCES): return len(parts), None, False
    return 2, len(first.elts), record or isinstance(first, ast.Tuple)

def calls_program(node: ast.AST, entry: str, made: set) -> bool: # Names that the text makes and that lead to the program
    "May this ask the program anything?"
    import builtins
    names = {o.id for o in ast.walk(node) if isinstance(o, ast.Name)} | {o.attr for o in ast.walk(node) if isinstance(o, ast.Attribute)}
    return bool({entry, "candidate", "Solution"} & names or made & names or any(n[:1].isupper() and not hasattr(builtins, n) for n in names))

def read_tests(text: str, entry: str | None, signature: str | None = None, calls: bool = False) -> dict: # "items", "notes", "format", "source"
    "The tests in a text, in the order written"
    entry, whole = entry or "", text[:MAX_TEXT]
    view = view_of(whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree, left_out = parse(view)
        r = Reading(whole, view, entry, read_parameters(signature), calls)
        named = {id(node): name for name, node in tests_in(tree)}
        made = made_with(tree, entry)
        for node in tree.body:
            if len(r.items) >= MAX_ITEMS: break
            try: read_statement(r, node, named, made)
            except Refused as e: r.reject(view.span(node), *e.args)
    for first, last in left_out:
        span = view.place(first, 0), view.places[last - 1] + len(whole[view.places[last - 1]:].split("\n")[0])
        if whole[slice(*span)].strip() and re.search(r"assert|\(|>>>", whole[slice(*span)]): r.reject(span, "unreadable", "it is no Python")
    if not r.items and whole.strip(): r.reject((len(whole) - len(whole.lstrip()), len(whole.rstrip())), "unreadable", "no test was found in the text")
    r.items.sort(key=lambda o: o["span"][0])
    form = "mixed" if len(r.forms) > 1 else "".join(r.forms) or "none"
    return dict(items=r.items, notes=[], format=form, source=view.text())

def made_with(tree: ast.Module, entry: str) -> set:
    "Names that the text makes with the help of the program"
    found: set = set()
    for _ in range(3):
        for node in tree.body:
            if not calls_program(node, entry, found) or is_test(node): continue
            found |= {o.id for o in ast.walk(node) if isinstance(o, ast.Name) and isinstance(o.ctx, ast.Store)}
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[:4] not in ("test", "Test"): found.add(node.name)
            if isinstance(node, (ast.Import, ast.ImportFrom)): found |= {(a.asname or a.name).split(".")[0] for a in node.names}
    return found

def read_statement(r: Reading, node: ast.stmt, named: dict, made: set):
    "One statement at the top level"
    span = r.view.span(node)
    if id(node) in named or is_test_class(node):
        if found := r.question(node): return r.put(span, found.pop("kind"), "asserts", **found)
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Tuple): raise Refused("asserts nothing", "a tuple is always true")
        parts = [f for f in functions_of(node) if id(f) in named] if isinstance(node, ast.ClassDef) else [node]
        for part in parts:
            own = r.view.span(part)
            if not calls_program(node, r.entry, made): r.reject(own, "calls nothing", "the program is not called")
            elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and not can_fail(part): r.reject(own, "asserts nothing", "it asks nothing of the program")
            else: r.put(own, "code", "unittest" if "self" in ast.unparse(part.args if part is not node else ast.Load()) else "pytest" if isinstance(part, ast.FunctionDef) else "asserts", name=named[id(part)])
    elif r.calls and (called := r.open_question(node)): r.put(span, "equal", "inputs", args=called[0], kwargs=called[1], expected=None)
    elif isinstance(node, ast.Expr) and (found := r.question(node)): r.put(span, found.pop("kind"), "asserts", **found)
    elif rows := r.rows(node): r.read_rows(rows)

def can_fail(node: ast.AST) -> bool:
    "Is there anything in a function that makes it fail?"
    names = {getattr(o.func, "attr", getattr(o.func, "id", "")) for o in ast.walk(node) if isinstance(o, ast.Call)}
    return any(isinstance(o, (ast.Assert, ast.Raise)) for o in ast.walk(node)) or any(n[:6] in ("assert", "raises", "fail", "check", "check_") for n in names)
