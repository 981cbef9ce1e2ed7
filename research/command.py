"""What the commands of the studies share: help with examples, a quiet start, errors as exit status."""

import argparse
import json
import sys
from collections.abc import Callable

from chained_adv.command import say, start_quietly
from chained_adv.core import ChainedAdvError, ConfigError


def make_parser(
    about: str, # What the command does
    examples: str # Commands, one per line
) -> argparse.ArgumentParser: # For a command of `python -m research.X`
    "Make a parser whose help ends with examples"
    lines = examples.strip().splitlines()
    return argparse.ArgumentParser(prog=" ".join(lines[0].split()[:3]), description=about,
                                   epilog="\n".join(["examples:", *(f"  {o}" for o in lines)]),
                                   formatter_class=argparse.RawDescriptionHelpFormatter)

def add_threads(parser: argparse.ArgumentParser):
    "Add the option that all commands have"
    parser.add_argument("--threads", type=whole(0), default=1, help="CPU threads; 0 leaves it to torch (default 1)")

def whole(least: int) -> Callable[[str], int]: # For `type=`
    "Read a whole number of at least so many"
    def number(text):
        if (value := int(text)) < least: raise argparse.ArgumentTypeError(f"{value} is below {least}")
        return value
    return number

def numbers(text: str) -> tuple[int, ...]: # For `type=`
    "Read whole numbers with commas between them"
    return tuple(int(o) for o in text.split(",") if o.strip())

def names(text: str) -> tuple[str, ...]: # For `type=`
    "Read names with commas between them"
    return tuple(o.strip() for o in text.split(",") if o.strip())

def show_progress(done: int, total: int, name: str):
    "Say that a run of a study has ended"
    say(f"run {done} of {total}: {name}")

def print_rows(
    head: tuple[str, ...], # Names of the columns
    rows: list[tuple], # Of cells
    as_json: bool = False # True for a list of objects
):
    "Print a table, its columns aligned, or JSON"
    if as_json: return print(json.dumps([dict(zip(head, r)) for r in rows], indent=1))
    table = [head, *[tuple(map(str, r)) for r in rows]]
    widths = [max(len(r[i]) for r in table) for i in range(len(head))]
    for r in table: print("  ".join(f"{o:{w}}" for o, w in zip(r, widths)).rstrip())

def run_command(
    main: Callable[[argparse.Namespace], None], # What the command does
    args: argparse.Namespace, # Its options, with `threads`
    models: tuple[str, ...] = () # Names of models that will be loaded
):
    "Run a command: 2 for what cannot work, 1 for what failed, 130 when it is stopped"
    start_quietly(args.threads, models)
    try: main(args)
    except ChainedAdvError as e:
        say(f"research: {e}")
        sys.exit(2 if isinstance(e, ConfigError) else 1)
    except KeyboardInterrupt:
        say("stopped; the same command goes on")
        sys.exit(130)
