"""Call `chained-adv` without a new process, and catch what it prints."""
import contextlib, io
from types import SimpleNamespace

from chained_adv.cli import main


def call(*args):
    "Exit status, standard output and error of a command; `exception` is a bug's, and then the status is 1"
    out, err, status, bug = io.StringIO(), io.StringIO(), 0, None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try: main([str(o) for o in args])
        except SystemExit as e: status = int(e.code or 0)
        except Exception as e: status, bug = 1, e
    return SimpleNamespace(exit_code=status, stdout=out.getvalue(), stderr=err.getvalue(), exception=bug)

def refused(result, *words):
    "One clear message on standard error, status 2, nothing else"
    assert (result.exit_code, result.stdout) == (2, ""), (result.exit_code, result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    for o in words: assert o in result.stderr, (o, result.stderr)
