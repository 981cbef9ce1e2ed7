"Kills at every file operation of a save, readers beside a writer, damage at every byte"
import json, os, shutil, signal, subprocess, sys, time
from pathlib import Path
import pytest, torch
from chained_adv.checkpoints import CheckpointError, CheckpointManager

METRICS = dict(generator_reward=.5, validity=.5)

def save(manager, value, name="latest"):
    return manager.save_checkpoint({"a": {"w": torch.full((8,), float(value))}, "b": {"w": torch.full((8,), float(value))}}, dict(step=value), METRICS, name, dict(adam=torch.full((4,), float(value))))

def files_of(path):
    "The manifest and the files that it lists"
    return {"manifest.json", *json.loads((path / "manifest.json").read_text())["files"]}

def value_of(checkpoint):
    "The one value that all parts of a consistent checkpoint share"
    values = {checkpoint.state["step"], checkpoint.tensors["a"]["w"][0].item(), checkpoint.tensors["b"]["w"][0].item(), checkpoint.optimizers["adam"][0].item()}
    assert len(values) == 1, values
    return values.pop()

def die_at(count, monkeypatched=("rename", "replace", "fsync", "mkdir", "unlink", "rmdir", "open", "link")):
    "In a child: SIGKILL itself just before the `count`-th file operation of this process"
    left = [count]
    def killer(real):
        def call(*args, **kwargs):
            left[0] -= 1
            if left[0] <= 0: os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)
        return call
    for name in monkeypatched: setattr(os, name, killer(getattr(os, name)))
    import builtins
    builtins.open = killer(builtins.open)

def in_child(action):
    "Run `action` in a forked child; True when it was killed, False when it finished"
    pid = os.fork()
    if pid == 0:
        try: action()
        except BaseException: os._exit(3)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status): return True
    assert os.WEXITSTATUS(status) == 0, "the child failed by itself"
    return False

@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("action", ["save", "best"])
def test_a_kill_at_any_file_operation_leaves_a_loadable_checkpoint(tmp_path, action):
    def act(folder):
        if action == "save": save(CheckpointManager(folder), 2)
        if action == "best": CheckpointManager(folder).save_as_best("latest")
    kills = 0
    for count in range(1, 200):
        folder = tmp_path / str(count)
        manager = CheckpointManager(folder)
        save(manager, 0, "older"); save(manager, 1, "best"); save(manager, 1)
        killed = in_child(lambda: (die_at(count), act(folder)))
        for name in ("latest", "best"):
            assert value_of(manager.load_checkpoint(name)) in (1, 2)
        assert not any(o.problem for o in manager.list_checkpoints())
        assert value_of(manager.load_checkpoint(manager.get_latest_checkpoint().name)) in (1, 2)
        save(manager, 3) # goes on after the kill, and leaves no rubbish
        assert value_of(manager.load_checkpoint("latest")) == 3
        assert not list(folder.glob("*/*.tmp")) and not [p for p in folder.glob("latest/*") if p.name not in files_of(folder / "latest")]
        shutil.rmtree(folder)
        if not killed: break
        kills += 1
    assert not killed and kills > 10, f"{kills} kills, last one killed: {killed}"

WRITER = """
import sys, torch
sys.path.insert(0, sys.argv[2])
from test_checkpoints import save
from chained_adv.checkpoints import CheckpointManager
manager, i = CheckpointManager(sys.argv[1]), 1
while True:
    save(manager, i); i += 1
    print(i, flush=True)
"""

def start(folder):
    env = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(Path(__file__).parent)], stdout=subprocess.PIPE, text=True, env=env)
    assert child.stdout.readline(), "the writer did not start"
    return child

def test_readers_beside_a_writer_see_whole_checkpoints_only(tmp_path):
    child = start(tmp_path)
    try:
        manager, seen, end = CheckpointManager(tmp_path), [], time.monotonic() + 4
        while time.monotonic() < end:
            seen.append(value_of(manager.load_checkpoint("latest")))
            assert [o.name for o in manager.list_checkpoints()] == ["latest"]
    finally: child.kill(); child.wait()
    assert seen == sorted(seen) and len(set(seen)) > 5, f"{len(seen)} loads, {len(set(seen))} versions"

def test_kill_nine_at_random_moments(tmp_path):
    for i in range(4):
        child = start(tmp_path)
        time.sleep(.05 + .037 * i)
        child.send_signal(signal.SIGKILL); child.wait()
        assert value_of(CheckpointManager(tmp_path).load_checkpoint("latest")) >= 1

def test_writers_in_several_processes_take_turns(tmp_path):
    "Two processes and this one save under names of their own, at the same time; nothing is lost, nothing is left over"
    children = [start(tmp_path) for _ in range(2)]
    try:
        manager = CheckpointManager(tmp_path)
        for i in range(20): save(manager, i, f"mine-{i % 5}")
        names = {o.name for o in manager.list_checkpoints()}
    finally:
        for o in children: o.kill(); o.wait()
    assert names == {"latest", *(f"mine-{i}" for i in range(5))}
    assert [value_of(manager.load_checkpoint(f"mine-{i}")) for i in range(5)] == list(range(15, 20))
    orders = [o.order for o in manager.list_checkpoints()]
    assert len(set(orders)) == len(orders)

def test_every_flipped_byte_is_noticed(tmp_path):
    manager = CheckpointManager(tmp_path)
    path = save(manager, 1)
    for file in sorted(path.iterdir()):
        good = file.read_bytes()
        content = file.name.split(".")[1] # other names may share it
        for i in range(0, len(good), max(1, len(good) // 150)):
            bad = bytearray(good); bad[i] ^= 4
            file.write_bytes(bad)
            try: loaded = manager.load_checkpoint("latest")
            except CheckpointError as e: assert content in str(e) or file.name == "manifest.json"
            else: pytest.fail(f"{file.name}: byte {i} of {len(good)} flipped from {good[i:i + 1]} to {bytes(bad[i:i + 1])}, and loaded {loaded.state}")
        file.write_bytes(good)
    assert value_of(manager.load_checkpoint("latest")) == 1

def test_a_full_disk_leaves_the_old_one(tmp_path, monkeypatch):
    manager = CheckpointManager(tmp_path)
    save(manager, 1)
    def full(fd): raise OSError(28, "No space left on device")
    with monkeypatch.context() as m:
        m.setattr(os, "fsync", full)
        with pytest.raises(CheckpointError, match="No space left on device.*untouched"): save(manager, 2)
    assert value_of(manager.load_checkpoint("latest")) == 1
    assert [p.name for p in tmp_path.iterdir() if p.is_dir()] == ["latest"]

@pytest.mark.filterwarnings("ignore:Detected pickle protocol:UserWarning")
def test_no_code_is_run_from_a_file(tmp_path):
    import hashlib, pickle
    from chained_adv.checkpoints import _seal
    class Evil:
        def __reduce__(self): return (Path.touch, (tmp_path / "owned",))
    manager = CheckpointManager(tmp_path / "c")
    path = save(manager, 1)
    data = pickle.dumps(Evil())
    file = next(path.glob("optimizers.*"))
    file.write_bytes(data)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["files"][file.name] = dict(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
    (path / "manifest.json").write_text(json.dumps(dict(manifest, seal=_seal(manifest)))) # an attacker who knows the format
    with pytest.raises(CheckpointError, match="optimizers.pt holds objects that would run code"): manager.load_checkpoint("latest")
    assert not (tmp_path / "owned").exists()

def test_a_checkpoint_of_the_format_before_is_read(tmp_path):
    "Format 1 had no hashes in its file names"
    from chained_adv.checkpoints import _HASH, _seal
    path = save(CheckpointManager(tmp_path), 7)
    manifest = json.loads((path / "manifest.json").read_text())
    for file in manifest["files"]: (path / file).rename(path / _HASH.sub("", file))
    manifest |= dict(format=1, files={_HASH.sub("", file): entry for file, entry in manifest["files"].items()})
    (path / "manifest.json").write_text(json.dumps(dict(manifest, seal=_seal(manifest))))
    assert value_of(CheckpointManager(tmp_path).load_checkpoint("latest")) == 7
    save(CheckpointManager(tmp_path), 8)
    assert value_of(CheckpointManager(tmp_path).load_checkpoint("latest")) == 8 and {p.name for p in path.iterdir()} == files_of(path)

def test_no_content_is_written_twice_and_none_is_lost(tmp_path):
    "Under any name, in any checkpoint; damage in an old file does not spread"
    manager = CheckpointManager(tmp_path)
    weights = lambda *values: {f"adapter_{i}": {"w": torch.full((1000,), float(v))} for i, v in enumerate(values)}
    inodes = lambda: len({o.stat().st_ino for o in tmp_path.glob("*/*.safetensors")})
    manager.save_checkpoint(weights(1, 2, 3), dict(step=0), {}, "a")
    manager.save_checkpoint(weights(1, 2, 4), dict(step=1), {}, "b")
    assert inodes() == 4
    manager.save_checkpoint(weights(4, 4, 4), dict(step=2), {}, "a") # replaced
    assert inodes() == 3 and not list(tmp_path.glob("*/*.tmp"))
    manager.drop_checkpoint("a")
    assert {k: o["w"][0].item() for k, o in manager.load_checkpoint("b").tensors.items()} == dict(adapter_0=1, adapter_1=2, adapter_2=4)
    file = next((tmp_path / "b").glob("adapter_0.*"))
    file.write_bytes(b"x" + file.read_bytes()[1:])
    manager.save_checkpoint(weights(1, 2, 4), dict(step=3), {}, "c")
    with pytest.raises(CheckpointError, match="adapter_0.*checksum"): manager.load_checkpoint("b")
    assert manager.load_checkpoint("c").tensors["adapter_0"]["w"][0] == 1

def test_a_file_system_without_links_gets_copies(tmp_path, monkeypatch):
    def refuse(*_): raise OSError(95, "Operation not supported")
    monkeypatch.setattr(os, "link", refuse)
    manager = CheckpointManager(tmp_path)
    for i in (1, 2): save(manager, 7, f"c{i}")
    manager.drop_checkpoint("c1")
    assert value_of(manager.load_checkpoint("c2")) == 7
