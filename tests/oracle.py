"""Short fixed runs, one per mode of training, whose every figure is on record in oracle.json.

    python tests/oracle.py                 which figures differ from the record
    python tests/oracle.py --record        put today's figures on record (say in the commit why they changed)
    python tests/oracle.py --only joint

A change that should not change training (a room that moves, a function that goes) leaves all figures equal to the bit on the kind
of processor they were recorded on. Elsewhere the last digits of sums differ, so `test_oracle.py` allows 1 in 1,000 there.
"""
import argparse, hashlib, json, platform, re, tempfile
from pathlib import Path

import torch

from chained_adv.checkpoints import CheckpointManager
from chained_adv.models import ModelConfig
from chained_adv.ppo import PPOConfig
from chained_adv.config import TrainingConfig
from chained_adv.tiny.world import tiny_problems
from chained_adv.trainer import AdversarialTrainer

RECORD = Path(__file__).with_name("oracle.json")
FEW = dict(n_discriminator_steps=1, first_discriminator_steps=0, n_generator_steps=1, k_alternating_steps=1,
           problems_per_step=4, n_samples=4, n_lists=3, n_programs=3, eval_samples=6, n_mutants=1, order="uniform", seed=5)

def settings(joint=True, stages=(1, 5), ppo=None, more=None, **model):
    "Settings of a short run; what a default may change tomorrow is named"
    return dict(FEW, joint=joint, stages=stages, ppo=PPOConfig(**(ppo or {})),
                model=ModelConfig(device="cpu", **dict(dict(adapters="stage"), **model)), **(more or {}))

RUNS = {
    "joint": settings(),
    "stage by stage": settings(joint=False, stages=(4, 5)),
    "one adapter per role": settings(adapters="role"),
    "unified": settings(adapters="unified"),
    "inputs": settings(tests="inputs"),
    "value heads": settings(ppo=dict(advantage="gae")),
    "shaped": settings(more=dict(reward="shaped")),
    "direct code": settings(stages=(5,), chain_stages=(5,), more=dict(reward="baseline"))}

def machine():
    "What the last digits depend on: libraries choose their routines by the processor, not only by its vector width"
    info = dict(re.findall(r"^(cpu family|model|stepping)\s*: (\d+)$", Path("/proc/cpuinfo").read_text(), re.M)) if Path("/proc/cpuinfo").exists() else {}
    return f"torch {torch.__version__.split('+')[0]}, {platform.machine()} {' '.join(info.values())}, {torch.backends.cpu.get_cpu_capability()}"

def train(name, folder, stop_after=None, resume=False):
    "Train a run of `RUNS` in a folder, or resume it; with `stop_after` stop after so many steps, then resume"
    make = lambda: AdversarialTrainer(TrainingConfig(out=str(folder), **RUNS[name]), tiny_problems("train", 40),
                                      tiny_problems("held_out", 6), progress=False)
    if stop_after:
        with make() as trainer:
            train_one = trainer.train_one
            def stopping(*args):
                if trainer.step == stop_after: raise KeyboardInterrupt
                return train_one(*args)
            trainer.train_one = stopping
            try: trainer.train_full_pipeline()
            except KeyboardInterrupt: pass
            else: raise AssertionError("the run ended before it was stopped")
    with make() as trainer: trainer.train_full_pipeline(resume=resume or bool(stop_after))

def digest(tensors):
    "A hash of tensors, whatever they are called"
    parts = sorted(hashlib.sha256(t.detach().cpu().contiguous().numpy().tobytes()).hexdigest() for t in tensors.values())
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]

def figures(folder):
    "All that a run's folder says about learning: its steps, its evaluations and its last weights"
    read = lambda name: [json.loads(o) for o in (folder / name).read_text(encoding="utf-8").splitlines()]
    timeless = lambda rows: [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in rows]
    last = max((folder / "checkpoints").glob("stage_*"))
    adapters = CheckpointManager(last.parent).load_checkpoint(last.name).tensors
    return dict(steps=timeless(read("metrics.jsonl")), evaluations=timeless(read("evaluation.jsonl")),
                weights={name: digest(tensors) for name, tensors in sorted(adapters.items())})

def differences(a, b, path=""):
    "(place, value, other value) wherever two records differ"
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in sorted(a.keys() | b.keys()) for d in differences(a.get(k), b.get(k), f"{path}/{k}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{path}/{i}")]
    return [] if a == b else [(path, a, b)]

def is_close(a, b):
    "True for two numbers that differ by 1 in 1,000 or less"
    numbers = all(isinstance(o, (int, float)) for o in (a, b))
    return numbers and abs(a - b) <= 1e-3 * max(1, abs(a), abs(b))

def run(name, stop_after=None):
    "The figures of a run"
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        train(name, Path(folder, "run"), stop_after)
        return figures(Path(folder, "run"))

def load(): return json.loads(RECORD.read_text(encoding="utf-8"))

def save(runs):
    rows = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in runs.items())
    RECORD.write_text(f'{{"machine": {json.dumps(machine())}, "runs": {{\n{rows}}}}}\n', encoding="utf-8")

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="put today's figures on record")
    parser.add_argument("--only", choices=RUNS, action="append", help="this run only; may be given several times")
    args = parser.parse_args()
    record = load() if RECORD.exists() else dict(machine=machine(), runs={})
    for name in args.only or RUNS:
        found = run(name)
        different = differences(record["runs"].get(name), found)
        print(f"{name:22} {len(found['steps'])} steps, {len(different)} figures differ", flush=True)
        for place, was, now in different[:6]: print(f"    {place}: {str(was)[:60]} -> {str(now)[:60]}")
        if args.record: record["runs"][name] = found
    if args.record: save({k: v for k, v in record["runs"].items() if k in RUNS})

if __name__ == "__main__": main()
