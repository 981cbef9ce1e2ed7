__version__ = "0.1.0"

import logging

# The names that a first notebook needs. Each is loaded when it is first asked for, so `import chained_adv` takes
# milliseconds, and `from chained_adv import Sandbox` never loads torch.
_HOME = {
    "AdversarialTrainer": "trainer", "InferenceEngine": "inference", "Job": "sandbox", "ModelConfig": "config",
    "Players": "models", "Problem": "core", "Sandbox": "sandbox", "TrainingConfig": "config",
    "load_problems": "problems", "parse_tests": "testcases", "play": "rollout", "tiny_problems": "tiny.world"}
_RENAMED = {"learning_rate": "`learning_rate` is now `lr` (`chained-adv train --lr`), in `TrainingConfig` "
                             "`generator_lr` and `discriminator_lr`",
            "execute_tests": "`execute_tests` is a method: Sandbox().execute_tests(code, tests)",
            "validate_tests_against_solution": "`validate_tests_against_solution` is a method of `Sandbox`",
            "solve_problem": "`solve_problem` is a method: InferenceEngine.from_checkpoint(run).solve_problem(problem)",
            "get_summary_stats": "`get_summary_stats` is now the file summary.json of a run; "
                                 "`chained-adv report RUN` shows it",
            "generate_critique": "`generate_critique` does not exist: the discriminator writes tests, and running "
                                 "them is the critique"}
__all__ = ["TINY", *_HOME]

TYPE_CHECKING = False
if TYPE_CHECKING: # for editors, which do not run `__getattr__`
    from pathlib import Path
    from .config import ModelConfig, TrainingConfig
    from .core import Problem
    from .inference import InferenceEngine
    from .models import Players
    from .problems import load_problems
    from .rollout import play
    from .sandbox import Job, Sandbox
    from .testcases import parse_tests
    from .tiny.world import tiny_problems
    from .trainer import AdversarialTrainer
    TINY: Path


def _where(name):
    "Say where a name that is not here lives; empty if nobody knows"
    from ._modidx import d
    modules = d["syms"]
    if name.startswith("_") or any(f"{o}.".startswith(f"chained_adv.{name}.") for o in modules): return ""
    if name in _RENAMED: return _RENAMED[name]
    home = next((o for o, names in modules.items() if f"{o}.{name}" in names), "")
    return home and f"`{name}` lives in a module: from {home} import {name}"


def __getattr__(name):
    if name == "TINY": # the folder of the model that ships with the package
        from pathlib import Path
        value = Path(__file__).parent / "data" / "tiny"
    elif name in _HOME:
        from importlib import import_module
        value = getattr(import_module(f"chained_adv.{_HOME[name]}"), name)
    # `from chained_adv import NAME` drops the words of an `AttributeError`, so a known name gets an `ImportError`
    elif place := _where(name): raise ImportError(place, name="chained_adv")
    else: raise AttributeError(f"module 'chained_adv' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__(): return sorted({*globals(), *__all__})

# A library that is loaded with `peft` warns of a faster kernel that it lacks, and of every cast. Nobody can act on
# that, and every command would begin with it, so only its errors are shown.
logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
