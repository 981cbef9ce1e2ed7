"""Does every notebook run alone, in a fresh kernel, from the top folder too? (nbdev-test runs them from their own folder.)

    python .ci/alone.py                     all of them, one process each
    python .ci/alone.py nbs/09_rewards.ipynb
"""

import os, subprocess, sys
from contextlib import nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["notest", "slow", "cuda"]


def run_one(path: str) -> int:
    "Run a notebook where this process is"
    import nbdev.test

    nbdev.test.working_directory = lambda folder: nullcontext()
    return 0 if nbdev.test.test_nb(Path(path).resolve(), skip_flags=FLAGS)[0] else 1


def main() -> int:
    os.chdir(ROOT)
    if sys.argv[1:2] == ["--here"]:
        return run_one(sys.argv[2])
    found = sys.argv[1:] or sorted(str(p.relative_to(ROOT)) for p in (ROOT / "nbs").rglob("[!.]*.ipynb"))
    failed = [p for p in found if subprocess.run([sys.executable, __file__, "--here", p]).returncode]
    print(f"{len(found) - len(failed)} of {len(found)} run from the top folder", *failed, sep="\n  ")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
