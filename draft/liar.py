"""Stands between tests and program while tests are validated, and falsifies answers; it never builds what they stand for"""
import json
from .wire import Channel, read, write

MODES = ("near", "none", "zero", "echo", "once", "arguments") # kinds of wrong answers

def near(o):
    "A value next to this one, as a tree"
    if o is None: return 0
    if type(o) is bool: return not o
    if type(o) in (int, float): return o + 1
    if type(o) is str: return o + (o[-1:] or "x")
    if type(o) is list: return o + (o[-1:] or [0])
    (tag, body), = o.items()
    if tag in ("t", "q"): return {tag: near(body)}
    if tag in ("s", "z", "K"): return {tag: [*body, "spoiled"]}
    if tag in ("d", "C", "O"): return {tag: [*body, ["spoiled", 1]]}
    if tag == "n" and body[2]: return {tag: [*body[:2], [near(body[2][0]), *body[2][1:]]]}
    if tag == "N": return {tag: [*body[:2], _near_numbers(body[2])]}
    if tag in ("b", "B"): return {tag: body + "00"}
    wrong = {"f": "0.5", "i": "7", "D": "123.5", "Fraction": [7, 3], "c": ["7.5", "0.0"], "timedelta": [7, 7, 7]}
    return {tag: wrong[tag]} if tag in wrong else o

def _near_numbers(o): return [_near_numbers(i) for i in o] if type(o) is list else near(o)

def zero(o):
    "The empty value of the same type, as a tree"
    if type(o) is float: return 0 # of another type
    if type(o) in (int, str, list): return type(o)()
    if type(o) is not dict: return near(o)
    (tag, _), = o.items()
    return {tag: []} if tag in ("t", "s", "z", "d", "q", "C", "O", "K") else near(o)

def falsify(mode: str, request: list, reply: list, first: list) -> list:
    "A reply that is wrong in the way of a mode; `first` is the first request of the run"
    verb, _, _, args, _ = request if len(request) == 5 else (*request, None, None, [])
    status, tree, changes, printed = reply
    if printed: printed = [o and near(o) for o in printed] if mode != "none" else []
    if status in ("back", "refused", "unloaded") or verb == "about": return [status, tree, changes, printed]
    if mode == "once" and request == first: return reply
    if mode == "arguments":
        place = next((i for i, o in enumerate(args) if type(o) is list), None)
        return [status, tree, None if changes or place is None else {"0": near(args[place])}, printed]
    if status == "raise": return ["value", None, changes, printed]
    if verb == "next":
        items, *end = tree
        return [status, [[] if mode == "none" else [near(o) for o in items], *end], changes, printed]
    if mode == "none": tree = None
    elif mode == "zero": tree = zero(tree)
    elif mode == "echo" and args and type(args[0]) is not dict: tree = args[0]
    else: tree = near(tree)
    return [status, tree, changes, printed]

def play(channel: Channel):
    "Letters come in pairs, a request and its reply; what goes out is the reply"
    mode, first = read(channel.receive())["mode"], None
    while True:
        request, reply = read(channel.receive()), read(channel.receive())
        if first is None and request[0] not in ("about", "return", "raise"): first = request
        channel.send(write(falsify(mode, request, reply, first)))
