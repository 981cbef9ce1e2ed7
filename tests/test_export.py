"""What a run has trained, in folders that PEFT and transformers load: the same log-probabilities as ours."""
import json, shutil
from dataclasses import asdict, replace

import pytest, torch, yaml
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from chained_adv.checkpoints import CheckpointManager
from chained_adv.core import ConfigError
from chained_adv.export import export_run
from chained_adv.loading import TINY, load_base, quietly
from chained_adv.models import ModelConfig, Players
from chained_adv.sampling import Sample
from chained_adv.scoring import answer_logprobs
from calling import call as call_program

SAMPLES = [Sample([5, 9, 33, 40, 41], [42, 77, 30], [0.] * 3, False), Sample([9, 8], [100, 1], [0.] * 2, True)]
SUMMARY = dict(before={}, after={}, seconds=1., generated_tokens=99, seed=4)

def measured(stage, split, n, solved):
    "A line of `evaluation.jsonl`"
    rate = {"value": solved, "low": solved - .1, "high": solved + .1}
    return dict(step=stage, stage=stage, split=split, n=n, solved=rate, validity=None, by_tag={})

ROWS = [measured(0, "train", 8, .25), measured(0, "held_out", 8, .2), measured(3, "held_out", 4, .7),
        measured(5, "train", 8, .35), measured(5, "held_out", 8, .4)]

def make_run(folder, summary=True, stage=5, rows=ROWS, learners=("generator", "discriminator"), **kw):
    "A run's folder whose players have moved"
    players = Players(ModelConfig(**dict(device="cpu", adapters="stage") | kw))
    source = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for tensors in players._weights().values():
            for name, p in tensors.items():
                if "lora_B" in name or not players.generator.base.adapters:
                    p.add_(.05 * torch.randn(p.shape, generator=source) * (p.std() if p.numel() > 1 and "lora" not in name else 1.))
    CheckpointManager(folder / "checkpoints").save_checkpoint(
        players.state(), dict(step=1, stage=stage, model=asdict(players.config)), {}, f"stage_{stage}")
    if summary: (folder / "summary.json").write_text(json.dumps(SUMMARY))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(dict(step=1, role=o)) + "\n" for o in learners))
    (folder / "evaluation.jsonl").write_text("".join(json.dumps(o) + "\n" for o in rows))
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
    assert "trained against fuzz:8, which writes" in (tmp_path / "out" / "README.md").read_text()

def test_all_weights_of_a_role_that_is_none(tmp_path):
    make_run(tmp_path, adapters="full", discriminator_model="fuzz:8")
    export = lambda role, to: export_run(tmp_path, tmp_path / to, "stage_5", role, merged=True)
    for role, why in (("discriminator", "learns nothing"), ("solver", "choose generator or")):
        with pytest.raises(ConfigError, match=why): export(role, "none")
    assert export("", "out")["written"] == ["merged"]

def test_two_players_of_all_weights_are_no_merged_model(tmp_path):
    make_run(tmp_path, adapters="full")
    with pytest.raises(ConfigError, match="is one player; add --role$"): export_run(tmp_path, tmp_path / "out", "stage_5", merged=True)
    assert not (tmp_path / "out").exists()

def test_the_card_of_a_tester_that_did_not_learn_and_stages_that_were_not_played(tmp_path):
    make_run(tmp_path, learners=["generator"], chain_stages=(5,), test_stages=(5,))
    with pytest.raises(ConfigError, match="stage 2: the generator of this run writes at 5$"): export_run(tmp_path, tmp_path / "out", "stage_5", stage=2)
    export_run(tmp_path, tmp_path / "out", "stage_5")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "The discriminator was not trained." in card and "each other" not in card

@pytest.mark.parametrize("engine, words", [("local", "the bare base read the prompts"), ("vllm", "the same policy")])
def test_the_card(tmp_path, engine, words):
    make_run(tmp_path, engine=engine)
    export_run(tmp_path, tmp_path / "out", "stage_5", "generator", 5, licence="apache-2.0")
    card = (tmp_path / "out" / "README.md").read_text()
    head = yaml.safe_load(card.split("---")[1])
    assert (head["base_model"], head["license"], head["library_name"]) == ("tiny", "apache-2.0", "peft")
    assert "| train (8 samples) | solved | 0.250 (0.150 to 0.350) | 0.350 (0.250 to 0.450) |" in card
    assert "| train (8 samples) | validity | - | - |" in card and "seed 4 and generated 99 tokens" in card and words in card
    assert "quantised" not in card and "trained against each other" in card
    code, space = card.split("```")[1].removeprefix("python\n"), {}
    exec(code.replace('"generator_5"', repr(str(tmp_path / "out" / "generator_5"))), space) # it does load
    assert isinstance(space["model"], PeftModel)

def test_a_run_that_has_not_finished(tmp_path):
    make_run(tmp_path, summary=False)
    card = card_of(tmp_path, "latest")
    assert "had not finished" in card and "| held_out (8 samples) | solved | 0.200 " in card

def card_of(run, *args, **kw):
    export_run(run, run / "out", *args, **kw)
    return (run / "out" / "README.md").read_text()

def test_the_figures_are_those_of_the_checkpoint(tmp_path):
    "Not those of the last stage"
    make_run(tmp_path, stage=3)
    card = card_of(tmp_path, "stage_3")
    assert "| held_out (8 and 4 samples) | solved | 0.200 (0.100 to 0.300) | 0.700 (0.600 to 0.800) |" in card
    assert "saved after stage 3" in card and "0.400" not in card and "| train" not in card

def test_a_checkpoint_without_figures(tmp_path):
    make_run(tmp_path, stage=2)
    assert "`evaluation.jsonl` has no figures of this checkpoint." in card_of(tmp_path, "stage_2")

@pytest.mark.parametrize("role, shown", [("generator", "first"), ("discriminator", "second"), ("", ["first", "second"])])
def test_the_base_of_each_role(tmp_path, role, shown):
    names = {f"{r}_model": str(tmp_path / o) for r, o in (("generator", "first"), ("discriminator", "second"))}
    for name in names.values(): shutil.copytree(str(TINY), name)
    make_run(tmp_path, adapters="role", **names)
    card = card_of(tmp_path, "stage_5", role)
    assert yaml.safe_load(card.split("---")[1])["base_model"] == shown and str(tmp_path) not in card
    assert ("* `discriminator`, on second" in card) == (role != "generator")
    assert f'from_pretrained("{"second" if role == "discriminator" else "first"}")' in card

def test_a_base_in_a_gguf_file(tmp_path, monkeypatch):
    "No folder of this machine is named, and the code of the card loads it"
    pytest.importorskip("gguf", reason="pip install 'chained_adv[gguf]'")
    from test_gguf import write_gguf
    write_gguf(tmp_path / "small.gguf", tiny(), "qwen2")
    make_run(tmp_path, model=str(tmp_path / "small.gguf"))
    card = card_of(tmp_path, "stage_5", "generator", 5)
    config = (tmp_path / "out" / "generator_5" / "adapter_config.json").read_text()
    assert json.loads(config)["base_model_name_or_path"] == "small.gguf"
    assert "base_model: small.gguf\n" in card and str(tmp_path) not in card + config
    monkeypatch.chdir(tmp_path)
    space = {}
    exec(card.split("```")[1].removeprefix("python\n").replace('"generator_5"', '"out/generator_5"'), space)
    assert isinstance(space["model"], PeftModel)

@pytest.mark.parametrize("merged, words", [(False, "the code above does not do so"), (True, "`merged` is the unquantised")])
def test_a_base_that_was_quantised(tmp_path, merged, words):
    pytest.importorskip("bitsandbytes", reason="pip install 'chained_adv[gpu]'")
    players = make_run(tmp_path, dtype="4bit")
    card = card_of(tmp_path, "stage_5", "generator", 5, merged=merged)
    assert "the base was quantised to 4 bits" in card and words in card
    if not merged: return
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "out" / "merged") # the card tells the truth
    assert (our_logprobs(players, "generator", 5) - theirs(model)).abs().max() > 1e-3

def test_the_command(tmp_path):
    make_run(tmp_path)
    call = lambda *o: call_program("export", tmp_path, "--to", tmp_path / "out", *o)
    r = call("--checkpoint", "stage_5", "--role", "generator", "--stage", "5", "--json")
    assert r.exit_code == 0 and json.loads(r.stdout)["written"] == ["generator_5"]
    assert (tmp_path / "out" / "generator_5" / "adapter_model.safetensors").exists()
    r = call("--checkpoint", "stage_5")
    assert r.exit_code == 2 and "is not empty; choose another --to" in r.stderr
