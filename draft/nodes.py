"""Linked lists and trees, which problems give as lists: made of lists, and made lists again"""
import ast, re
from typing import Any

class ListNode:
    "A node of a linked list"
    def __init__(self, val=0, next=None): self.val, self.next = val, next
class TreeNode:
    "A node of a binary tree"
    def __init__(self, val=0, left=None, right=None): self.val, self.left, self.right = val, left, right
NODES = {"ListNode": ListNode, "TreeNode": TreeNode}
LINKS = {"ListNode": ("next",), "TreeNode": ("left", "right")} # from a node to others

def is_node(v: object) -> bool:
    "Is this a node in the usual form? A class of the program may have the name and another form"
    links = LINKS.get(type(v).__name__)
    return bool(links) and {"val", *links} <= getattr(v, "__dict__", {}).keys()

def holds_many(hint: str) -> bool:
    "Does an annotation say list of nodes?"
    return bool(re.search(r"(?i)\b(list|sequence|iterable|tuple)\[.*Node", hint))

def grow(hint: str, v: Any, classes: dict) -> Any: # Annotation, argument, the program's own node classes
    "An argument as its annotation asks: lists become nodes"
    kind = re.search("ListNode|TreeNode", hint)
    if not kind or type(v) is not list: return v
    if holds_many(hint): return [grow(kind[0], o, classes) for o in v]
    cls = classes.get(kind[0], NODES[kind[0]])
    nodes = [None if o is None else cls(o) for o in v]
    rest = iter(nodes[1:])
    for node in filter(None, nodes):
        for link in LINKS[kind[0]]: setattr(node, link, next(rest, None))
    return nodes[0] if nodes else None

def shrink(v: Any, hint: str = "") -> Any: # Value, annotation it was given under
    "A result as plain data: nodes become lists; raises `ValueError` for a chain that does not end"
    many = holds_many(hint)
    if v is None and "Node" in hint and not many: return []
    if type(v) in (list, tuple) and (any(map(is_node, v)) or many and None in v):
        return type(v)([[] if many and o is None else shrink(o, hint) for o in v])
    if not is_node(v): return v
    nodes = [v]
    for o in nodes: # which grows meanwhile
        if o is not None: nodes += [getattr(o, link) for link in LINKS[type(v).__name__]]
        if len(nodes) > 200_000: raise ValueError("a chain of nodes that does not end")
    while nodes[-1] is None: nodes.pop()
    return [None if o is None else o.val for o in nodes]

def hints_of(f: object) -> dict: # By parameter, and for "return"
    "The annotations of a function, in the order of its parameters, as text"
    f = getattr(f, "__wrapped__", f)
    code, notes = getattr(f, "__code__", None), getattr(f, "__annotations__", {})
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount] if code else ()
    say = lambda o: o.__name__ if isinstance(o, type) else str(o)
    return {n: say(notes.get(n, "")) for n in (*names, "return") if n != "self"}

def read_hints(signature: str) -> dict: # A `def` line; empty where it names no nodes
    "The same for a signature, of which nothing is computed: what defaults are may stand nowhere"
    if "Node" not in signature or signature.lstrip().startswith("class"): return {}
    f: Any = ast.parse(f"{signature.strip().rstrip(':')}: pass").body[-1] # lines may stand before it
    takes = [*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs]
    notes = {o.arg: o.annotation for o in takes if o.arg != "self"} | {"return": f.returns}
    return {name: ast.unparse(note) if note else "" for name, note in notes.items()}

def call_with_nodes(f: Any, args: list, kwargs: dict, hints: dict, classes: dict) -> Any:
    "Call a function, with nodes made of lists and back where annotations ask for it"
    places = [*hints.values()][:-1] + [""] * len(args)
    given = [grow(h, a, classes) for h, a in zip(places, args)]
    got = f(*given, **{k: grow(hints.get(k, ""), v, classes) for k, v in kwargs.items()})
    for h, a, g in zip(places, args, given):
        if g is not a and is_node(g): a[:] = shrink(g, h) # what the program did to its nodes
    as_nodes = any(map(is_node, args)) or got is None and None in args # as tests write them
    return got if as_nodes else shrink(got, hints["return"])
