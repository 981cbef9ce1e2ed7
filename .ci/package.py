"""Build the package as others get it, install it, and use it outside the repository.

    python .ci/package.py                 needs `pip install build`
    python .ci/package.py --keep dist     also keep the sdist and the wheel there

We build an sdist from the tracked files, and the wheel from that sdist. The wheel must hold every tracked file of the
package and nothing else. We install it into a new virtual environment that sees the requirements installed here, but not
the repository, and run the command line there.
"""

import argparse, os, shutil, subprocess, sys, sysconfig, tarfile, tempfile, zipfile
from pathlib import Path

ROOT, PACKAGE = Path(__file__).resolve().parent.parent, "chained_adv"
NEEDED = ("settings.ini", "setup.py", "pyproject.toml", "README.md", "LICENSE")  # to build a wheel from the sdist
USES = (
    ["chained-adv", "--help"],
    ["chained-adv", "doctor"],  # loads the tiny model
    ["chained-adv", "arc", "stats", "builtin"],
    ["python", "-c", "from chained_adv.tiny.world import tiny_problems; assert len(tiny_problems('train', 3)) == 3"],
    ["python", "-c", "import sys, chained_adv; assert chained_adv.__file__.startswith(sys.prefix), chained_adv.__file__"],
)


def tracked_files() -> list[str]:
    "What git knows and is there, new files that it does not ignore too"
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return [o for o in listed if o and (ROOT / o).is_file()]


def build(folder: Path) -> tuple[Path, Path]:
    "The sdist and the wheel, built from a copy of the tracked files"
    for name in tracked_files():
        (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "source" / name)
    run([sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(folder / "source")], folder)
    return next((folder / "dist").glob("*.tar.gz")), next((folder / "dist").glob("*.whl"))


def run(command: list[str], folder: Path):
    "Run a command in a folder; show what it prints and stop if it fails"
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{' '.join(command)}: exit status {done.returncode}")


def check_contents(sdist: Path, wheel: Path):
    "Stop if a file is missing from the sdist or the wheel, or if the wheel holds more than the package"
    with tarfile.open(sdist) as tar:
        in_sdist = {o.partition("/")[2] for o in tar.getnames()}
    names = zipfile.ZipFile(wheel).namelist()
    in_wheel = {o for o in names if ".dist-info/" not in o}
    package = {o for o in tracked_files() if o.startswith(f"{PACKAGE}/")}
    problems = [f"the sdist lacks {o}" for o in sorted({*NEEDED, *package} - in_sdist)]
    problems += [f"the wheel lacks {o}" for o in sorted(package - in_wheel)]
    problems += [f"the wheel should not hold {o}" for o in sorted(in_wheel - package)]
    problems += [] if any(o.endswith("licenses/LICENSE") for o in names) else ["the wheel lacks LICENSE"]
    if problems:
        sys.exit("\n".join(problems))


def install(wheel: Path, folder: Path) -> Path:
    "A new environment with the wheel; the requirements are borrowed from this one. Gives its folder of commands"
    run([sys.executable, "-m", "venv", str(folder)], folder.parent)
    paths = sysconfig.get_paths(vars=dict(base=str(folder), platbase=str(folder)))
    python = Path(paths["scripts"], "python")
    run([str(python), "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)], folder)
    Path(paths["purelib"], "requirements.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--keep", metavar="FOLDER", help="copy the sdist and the wheel into this folder")
    args = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)  # would show the repository
    with tempfile.TemporaryDirectory() as folder:
        sdist, wheel = build(Path(folder))
        check_contents(sdist, wheel)
        commands = install(wheel, Path(folder, "venv"))
        for name, *rest in USES:
            run([str(commands / name), *rest], Path(folder))
        if args.keep:
            Path(args.keep).mkdir(parents=True, exist_ok=True)
            for path in (sdist, wheel):
                shutil.copy(path, args.keep)
        print(f"{sdist.name} and {wheel.name} are complete, and {len(USES)} commands ran outside the repository")


if __name__ == "__main__":
    main()
