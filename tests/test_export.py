"""What a run has trained, in folders that PEFT and transformers load: the same log-probabilities as ours."""
import json
from dataclasses import asdict, replace

import pytest, torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from typer.testing import CliRunner
from chained_adv.checkpoints import CheckpointManager
from chained_adv.cli import app
from chained_adv.core import ConfigError
from chained_adv.export import export_run
from chained_adv.loading import load_base, quietly
from chained_adv.models import ModelConfig, Players
from chained_adv.sampling import Sample, answer_logprobs

SAMPLES = [Sample([5, 9, 33, 40, 41], [42, 77, 30], [0.] * 3, False), Sample([9, 8], [100, 1], [0.] * 2, True)]
RATES = {"solved": {"value": .25, "low": .1, "high": .4}, "validity": None, "n": 8}
SUMMARY = dict(before={"train": RATES}, after={"train": RATES}, seconds=1., generated_tokens=99, seed=4)

def make_run(folder, summary=True, **kw):
    "A run's folder whose players have moved"
    players = Players(ModelConfig(device="cpu", **kw))
    source = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for tensors in players._weights().values():
            for name, p in tensors.items():
                if "lora_B" in name or not players.generator.base.adapters:
                    p.add_(.05 * torch.randn(p.shape, generator=source) * (p.std() if p.numel() > 1 and "lora" not in name else 1.))
    CheckpointManager(folder / "checkpoints").save_checkpoint(
        players.state(), dict(step=1, stage=5, model=asdict(players.config)), {}, "stage_5")
    if summary: (folder / "summary.json").write_text(json.dumps(SUMMARY))
    return players

def our_logprobs(players, role, stage):
    player = players.role(role)
    player.served = True # prompts are read by who answers
    lp, _, mask = player.logprobs(SAMPLES, stage)
    return lp[mask].detach()

def theirs(model):
    with torch.no_grad(): lp, _, mask = answer_logprobs(model.eval(), None, SAMPLES)
    return lp[mask]

def tiny(): return load_base("tiny", "cpu")[0]

@pytest.mark.parametrize("adapters, names", [
    ("stage", {f"{r}_{s}" for r in ("generator", "discriminator") for s in range(1, 6)}),
    ("role", {"generator", "discriminator"}), ("unified", {"shared"})])
def test_peft_loads_every_adapter(tmp_path, adapters, names):
    players = make_run(tmp_path, adapters=adapters)
    out = export_run(tmp_path, tmp_path / "out", "stage_5")
    assert set(out["written"]) == names
    bare = theirs(tiny())
    for role, stage in (("generator", 1), ("generator", 5), ("discriminator", 3)):
        folder = tmp_path / "out" / players.role(role).adapter(stage)
        with quietly(): model = PeftModel.from_pretrained(tiny(), folder)
        ours = our_logprobs(players, role, stage)
        assert (ours - theirs(model)).abs().max() < 1e-5 and (ours - bare).abs().max() > 1e-3
        assert json.loads((folder / "adapter_config.json").read_text())["base_model_name_or_path"] == "tiny"

def test_only_stages_that_were_written(tmp_path):
    make_run(tmp_path, chain_stages=(2, 5), test_stages=(5,))
    out = export_run(tmp_path, tmp_path / "out", "stage_5")
    assert out["written"] == ["generator_2", "generator_5", "discriminator_5"]

def test_a_merged_model_is_loaded_by_all(tmp_path):
    players = make_run(tmp_path)
    out = export_run(tmp_path, tmp_path / "out", "stage_5", "discriminator", 2, merged=True)
    assert out["written"] == ["discriminator_2", "merged"]
    ours, folder = our_logprobs(players, "discriminator", 2), tmp_path / "out" / "merged"
    assert (ours - theirs(AutoModelForCausalLM.from_pretrained(folder))).abs().max() < 1e-5
    base, tokenizer = load_base(str(folder), "cpu")
    assert (ours - theirs(base)).abs().max() < 1e-5
    assert tokenizer("def add(n):<s1>").input_ids == players.generator.base.tokenizer("def add(n):<s1>").input_ids
    assert Players(ModelConfig(model=str(folder), device="cpu")).generator.prompts.name == "tags"

def test_all_weights(tmp_path):
    players = make_run(tmp_path, adapters="full")
    with pytest.raises(ConfigError, match="--merged"): export_run(tmp_path, tmp_path / "out", "stage_5")
    export_run(tmp_path, tmp_path / "out", "stage_5", "generator", merged=True)
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "out" / "merged")
    assert (our_logprobs(players, "generator", 5) - theirs(model)).abs().max() < 1e-5
    assert (theirs(tiny()) - theirs(model)).abs().max() > 1e-3

@pytest.mark.parametrize("adapters", ["stage", "role", "unified"])
def test_a_run_against_a_fuzzer(tmp_path, adapters):
    "Only the generator has adapters"
    make_run(tmp_path, adapters=adapters, discriminator_model="fuzz:8")
    out = export_run(tmp_path, tmp_path / "out", "stage_5")
    assert {o.split("_")[0] for o in out["written"]} == {"shared" if adapters == "unified" else "generator"}
    with pytest.raises(ConfigError, match="discriminator of this run is fuzz:8, which learns nothing"):
        export_run(tmp_path, tmp_path / "other", "stage_5", "discriminator")
    assert not (tmp_path / "other").exists()

def test_all_weights_of_a_role_that_is_none(tmp_path):
    make_run(tmp_path, adapters="full", discriminator_model="fuzz:8")
    export = lambda role, to: export_run(tmp_path, tmp_path / to, "stage_5", role, merged=True)
    for role, why in (("discriminator", "learns nothing"), ("solver", "choose generator or")):
        with pytest.raises(ConfigError, match=why): export(role, "none")
    assert export("", "out")["written"] == ["merged"]

@pytest.mark.parametrize("engine, words", [("local", "the bare base read the prompts"), ("http://h:1", "the same policy")])
def test_the_card(tmp_path, engine, words):
    make_run(tmp_path, engine=engine)
    export_run(tmp_path, tmp_path / "out", "stage_5", "generator", 5, licence="apache-2.0")
    card = (tmp_path / "out" / "README.md").read_text()
    head = dict(o.split(": ") for o in card.split("---")[1].strip().splitlines())
    assert (head["base_model"], head["license"], head["library_name"]) == ("tiny", "apache-2.0", "peft")
    assert "| train (8 samples) | solved | 0.250 (0.100 to 0.400) | 0.250 (0.100 to 0.400) |" in card
    assert "| train (8 samples) | validity | - | - |" in card and "seed 4, 99 tokens" in card and words in card
    code, space = card.split("```")[1].removeprefix("python\n"), {}
    exec(code.replace('"generator_5"', repr(str(tmp_path / "out" / "generator_5"))), space) # it does load
    assert isinstance(space["model"], PeftModel)

def test_a_run_that_has_not_finished(tmp_path):
    make_run(tmp_path, summary=False)
    export_run(tmp_path, tmp_path / "out", "latest")
    assert "had not finished" in (tmp_path / "out" / "README.md").read_text()

def test_the_command(tmp_path):
    make_run(tmp_path)
    call = lambda *o: CliRunner().invoke(app, ["export", str(tmp_path), "--to", str(tmp_path / "out"), *o])
    r = call("--checkpoint", "stage_5", "--role", "generator", "--stage", "5", "--json")
    assert r.exit_code == 0 and json.loads(r.stdout)["written"] == ["generator_5"]
    assert (tmp_path / "out" / "generator_5" / "adapter_model.safetensors").exists()
    r = call("--checkpoint", "stage_5")
    assert r.exit_code == 2 and "is not empty; choose another --to" in r.stderr
