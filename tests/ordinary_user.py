"Run a file of tests once more as a user who is not root."
import os, subprocess, sys
from pathlib import Path
import pytest

WHO = dict(user=12345, group=12345, extra_groups=[])


def run_as_ordinary_user(file, *options):
    "The tests of a file, chosen by pytest's options, must pass as somebody else; skips where that user cannot import what they need"
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parent.parent), "HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"}
    how = dict(env=env, cwd="/", capture_output=True, text=True, **WHO)
    try: can = subprocess.run([sys.executable, "-c", "import pytest, chained_adv.sandbox"], **how)
    except PermissionError: pytest.skip(f"{sys.executable} lies in a directory that other users cannot enter")
    if can.returncode: pytest.skip(f"another user cannot import what this needs: {can.stderr.strip()[-200:]}")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, file], **how)
    assert done.returncode == 0, done.stdout[-3000:]
