"Logs cut at every byte, and the live view on a terminal and in a pipe"
import io, json, os, warnings
import pytest
from accelerate.tracking import LOGGER_TYPE_TO_CLASS
from chained_adv import tracking
from chained_adv.core import ConfigError, TrainingError
from chained_adv.tracking import (METRICS, TrainingLogger, TrainingProgress, check_tracker, read_evaluations, read_metrics, save_plots,
                                  start_tracker)

@pytest.mark.filterwarnings("ignore:.*cut off")
def test_a_log_cut_at_any_byte_is_read_and_continued(tmp_path):
    log = TrainingLogger(tmp_path / "run")
    for i in range(1, 4): log.log_step(step=i, stage=1, generator_reward=i / 10)
    path, whole = tmp_path / "run" / "metrics.jsonl", (tmp_path / "run" / "metrics.jsonl").read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        complete = whole[:cut].count(b"\n") + (cut < len(whole) and whole[cut:cut + 1] == b"\n") # a whole line that only lacks its end counts
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            assert [o["step"] for o in read_metrics(tmp_path / "run")] == list(range(1, complete + 1))
        assert bool(seen) == (cut > 0 and whole[cut - 1:cut] != b"\n" and whole[cut:cut + 1] not in (b"\n", b"")), cut
        TrainingLogger(tmp_path / "run").log_step(step=complete + 1, stage=1)
        assert [o["step"] for o in read_metrics(tmp_path / "run")] == list(range(1, complete + 2))

def test_resume_drops_later_lines_of_both_logs(tmp_path):
    log = TrainingLogger(tmp_path)
    for i in range(1, 9):
        log.log_step(step=i, stage=1, role="generator", kl=.1); log.log_step(step=i, stage=1, role="discriminator", kl=.2)
        log.log_evaluation(step=i, stage=1, split="train", n=3)
    log.resume(5)
    assert [o["step"] for o in read_metrics(tmp_path)] == [i for i in range(1, 6) for _ in range(2)]
    assert [o["step"] for o in read_evaluations(tmp_path)] == [1, 2, 3, 4, 5]
    log.log_step(step=6, stage=2)
    assert not [p for p in tmp_path.iterdir() if ".tmp-" in p.name]

@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_every_metric_refuses_what_is_not_a_number(tmp_path, bad):
    for name in METRICS[1:]:
        with pytest.raises(TrainingError, match=f"{name} is .* at step 7"): TrainingLogger(tmp_path).log_step(step=7, **{name: bad})
    assert read_metrics(tmp_path) == []

def test_tensors_are_written_as_numbers(tmp_path):
    import torch
    TrainingLogger(tmp_path).log_step(step=1, kl=torch.tensor(.5))
    assert json.loads((tmp_path / "metrics.jsonl").read_text()) == {"step": 1, "kl": .5}
    with pytest.raises(TrainingError, match="kl is nan"): TrainingLogger(tmp_path).log_step(step=2, kl=torch.tensor(float("nan")))

def show(progress):
    for i in range(40): progress.update(1 + i // 20, "generator", dict(generator_reward=.5, solved=None))
    progress.stage_table([dict(step=0, stage=0, split="held_out", n=200, solved=dict(value=.5, low=.43, high=.57))])
    progress.close()

def test_a_pipe_gets_plain_lines(tmp_path):
    out = io.StringIO()
    show(TrainingProgress(40, stream=out))
    assert not set("\x1b\r\b") & set(out.getvalue())
    assert 15 <= out.getvalue().count("step ") <= 25 and "step 40/40, stage 2, generator, generator 0.50" in out.getvalue()
    assert "50% (43% to 57%)" in out.getvalue()

@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
def test_a_terminal_gets_a_bar_and_a_table(tmp_path):
    import fcntl, pty, struct, termios, threading
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    got = []
    def read():
        while True:
            try: data = os.read(parent, 4096)
            except OSError: return
            if not data: return
            got.append(data)
    reader = threading.Thread(target=read, daemon=True); reader.start()
    with open(child, "w", encoding="utf-8") as stream: show(TrainingProgress(40, stream=stream))
    reader.join(5); os.close(parent)
    text = b"".join(got).decode()
    assert "40/40" in text and "stage 2, generator" in text and "50% (43% to 57%)" in text

def test_plots_of_a_run_that_was_killed_early(tmp_path):
    TrainingLogger(tmp_path).log_evaluation(step=0, stage=0, split="held_out", n=20, solved=dict(value=.5, low=.3, high=.7))
    assert [p.name for p in save_plots(tmp_path)] == ["stages.png"]
    TrainingLogger(tmp_path).log_step(step=1, stage=1, phase="discriminator", role="discriminator", discriminator_reward=.1, kl=0.)
    assert [p.name for p in save_plots(tmp_path)] == ["rewards.png", "rates.png", "diagnostics.png", "stages.png"]

def test_tensorboard_draws_what_the_files_hold(tmp_path):
    pytest.importorskip("tensorboard", reason="tensorboard is not installed: pip install '.[dev]'")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    tracker = start_tracker("tensorboard", tmp_path / "a run", dict(seed=3, stages=(1, 2), model=dict(device=None)))
    log = TrainingLogger(tmp_path / "a run", (tracker,))
    for i in (1, 2): log.log_step(step=i, stage=1, phase="generator", kl=i / 4, value_loss=None)
    log.log_evaluation(step=2, stage=1, split="held_out", n=9, solved=dict(value=.5, low=.25, high=.75))
    log.close()
    events = EventAccumulator(str(tmp_path / "a run" / "tensorboard" / "a run")).Reload()
    drawn = {k: [(o.step, o.value) for o in events.Scalars(k)] for k in events.Tags()["scalars"]}
    assert drawn == {"stage": [(1, 1), (2, 1)], "kl": [(1, .25), (2, .5)], "held_out/stage": [(2, 1)], "held_out/n": [(2, 9)],
                     "held_out/solved": [(2, .5)]}
    settings, = (tmp_path / "a run" / "tensorboard").rglob("hparams.yml")
    assert settings.read_text().splitlines() == ["model.device: None", "seed: 3", "stages: (1, 2)"]

def test_a_tracker_whose_package_is_missing_is_refused(monkeypatch):
    monkeypatch.setattr(tracking, "find_spec", lambda name: None)
    for name in LOGGER_TYPE_TO_CLASS:
        with pytest.raises(ConfigError, match=f"pip install {name}"): check_tracker(name)

def test_a_resumed_run_goes_on_in_tensorboard(tmp_path):
    pytest.importorskip("tensorboard", reason="tensorboard is not installed: pip install '.[dev]'")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    for step, value in ((0, .25), (2, .5)): # killed after step 4, and resumed from step 2
        log = TrainingLogger(tmp_path / "run", (start_tracker("tensorboard", tmp_path / "run", dict(seed=3), step),))
        log.resume(step)
        for i in range(step + 1, 5): log.log_step(step=i, kl=value)
        log.close()
    events = EventAccumulator(str(tmp_path / "run/tensorboard/run")).Reload()
    assert [(o.step, o.value) for o in events.Scalars("kl")] == [(1, .25), (2, .25), (3, .5), (4, .5)]

class FakeWandb:
    "What accelerate's tracker of W&B does, without its package"
    requires_logging_directory, started = False, []
    def __init__(self, project, **options): self.options = options
    def start(self):
        if self.options["id"] == "broken": raise RuntimeError("permission denied\nand 70 more lines")
        self.started.append(self.options)
    def store_init_configuration(self, values): pass

def test_a_resumed_run_goes_on_in_wandb(tmp_path, monkeypatch):
    monkeypatch.setitem(LOGGER_TYPE_TO_CLASS, "wandb", FakeWandb)
    monkeypatch.setattr(FakeWandb, "started", [])
    for step in (0, 3): start_tracker("wandb", tmp_path, {}, step)
    (first, second), = [FakeWandb.started]
    assert first == second and first["resume"] == "allow" and len(first["id"]) == 8
    (tmp_path / "wandb_id").write_text("broken")
    with pytest.raises(ConfigError, match=r"could not start \(permission denied\); check its login"): start_tracker("wandb", tmp_path, {}, 3)

def test_wandb_without_a_login_is_refused_at_once(tmp_path, monkeypatch):
    from types import SimpleNamespace
    settings = SimpleNamespace(base_url="https://wandb.example")
    monkeypatch.setattr(tracking, "find_spec", lambda name: True)
    monkeypatch.setattr(tracking, "import_module", lambda name: SimpleNamespace(Settings=lambda: settings))
    for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_BASE_URL", "WANDB_IDENTITY_TOKEN_FILE"): monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with pytest.raises(ConfigError, match="`wandb login`.*WANDB_MODE=offline"): check_tracker("wandb")
    with monkeypatch.context() as m:
        m.setenv("WANDB_MODE", "offline")
        check_tracker("wandb")
    for host, fine in (("elsewhere.example", False), ("wandb.example", True), ("api.wandb.ai", True)):
        (tmp_path / "netrc").write_text(f"machine {host} login user password secret")
        if fine: check_tracker("wandb")
        else:
            with pytest.raises(ConfigError): check_tracker("wandb")
