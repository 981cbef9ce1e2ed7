"""The studies in `research/`: what they promise about problems, texts and runs, one short run of each kind."""
import ast, csv, json, re, shlex
from dataclasses import replace
from pathlib import Path

import pytest, torch
from setuptools import find_packages

from chained_adv.core import Chain, ConfigError, Problem, make_rng
from chained_adv.evaluation import Evaluation
from chained_adv.models import ModelConfig, Players
from chained_adv.opponents import find_hints
from chained_adv.problems import find_leaks, save_problems
from chained_adv.matches import Match, TestList
from chained_adv.rollout import Rollout, judge
from chained_adv.sampling import Sample
from chained_adv.sandbox import Job, Sandbox
from chained_adv.config import TrainingConfig
from chained_adv.trainer import stage_phases
from chained_adv.testcases import baseline_cases, parse_tests
from chained_adv.tiny.world import Spec, habits_of, run_spec, spec_code, spec_id, spec_problem, tiny_problems, tiny_specs, with_habit
from chained_adv.trainer import AdversarialTrainer
from research import ablate, ablation, accuracy, arms, build_tiny, catches, defaults, findings, limits, oracles, past, references, runs, steps, study, warm, writer

ROOT = Path(__file__).resolve().parent.parent

@pytest.fixture(scope="module")
def box():
    with Sandbox() as b: yield b

SHORT = dict(device="cpu", max_stage_tokens=40, max_test_tokens=24)
CODE = dict(chain_stages=(5,), test_stages=(5,)) # without the stages before
FEW = runs.STUDY_STEPS | dict(problems_per_step=3, n_samples=2, n_lists=2, n_programs=2, first_discriminator_steps=0)

@pytest.fixture
def small_worlds(monkeypatch):
    "Few problems in every world, small steps, short answers"
    monkeypatch.setattr(arms, "N_TRAIN", dict.fromkeys(arms.N_TRAIN, 13))
    monkeypatch.setattr(arms, "N_HELD_OUT", dict(limits=4, tiny=4, steps=8)) # a problem of each depth
    monkeypatch.setattr(arms, "STUDY_STEPS", FEW)
    monkeypatch.setattr(study, "TESTED", 4)
    monkeypatch.setattr(arms, "ModelConfig", lambda **kw: ModelConfig(**kw, **SHORT | dict(max_stage_tokens=30)))
    monkeypatch.setattr(study.Run.__init__, "__defaults__", (1,)) # sampled answers per held-out problem


def test_the_package_neither_imports_nor_ships_the_studies():
    for path in (ROOT / "chained_adv").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [o.name for o in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [o for o in names if o.split(".")[0] == "research"], path
    assert "research" not in find_packages(str(ROOT), include=["chained_adv*"])


# World A

def drawn_limits(level, n=20):
    rng = make_rng("test", level)
    return [limits.draw_limit(rng.choice(limits.limit_specs()), level, rng) for _ in range(n)]

def test_the_hard_end_of_world_a_hides_its_bugs_from_32_random_inputs():
    rows = {r["level"]: r for r in limits.level_rows(40, seed=1)}
    assert rows["rare"]["found"] < .2 and rows["often"]["found"] > .9
    for name, level in limits.LEVELS.items(): assert level.share / 2 < rows[name]["inputs"] < level.share * 2

@pytest.mark.parametrize("level", limits.LEVELS)
def test_the_bug_is_a_program_and_the_tests_show_it_or_not(level):
    for o in drawn_limits(level):
        wrong = limits.with_bug(o)
        assert limits.limit_code(o) != limits.limit_code(wrong) and str(o.limit) in limits.limit_code(o)
        exec(limits.limit_code(o), space := {})
        assert all(space["solve"](xs) == limits.run_limit(o, xs) for xs in limits.hidden_inputs(o))
        assert [sum(limits.shows_bug(o, xs) for xs in limits.baseline_inputs(o, d)) for d in (False, True)] == [0, 1]

@pytest.mark.parametrize("detected, count", [(0., 0), (.5, 10), (1., 20), (.25, 5)])
def test_baselines_show_the_share_of_bugs_that_is_asked_for(detected, count):
    assert sum("baseline-shows" in p.tags for p in limits.limit_problems("train", 20, "rare", detected)) == count

@pytest.mark.parametrize("level", limits.LEVELS)
def test_no_held_out_combination_is_trained_on_in_world_a(level):
    parts = lambda p: (p.id.split("-")[1], *p.id.split("-")[3:5])
    train, held_out = limits.limit_problems("train", 60, level), limits.limit_problems("held_out", 60, level)
    assert not {parts(p) for p in train} & {parts(p) for p in held_out} and not find_leaks(train, held_out)

@pytest.mark.parametrize("habit, low, high", [(True, .65, .85), (False, 0, .1)])
def test_three_of_four_chains_of_half_of_the_problems_have_the_habit(habit, low, high):
    chosen = [o for level in limits.LEVELS for o in drawn_limits(level, 100) if limits.has_habit(o) == habit]
    wrong = [limits.limit_chain(o, make_rng(i))[4] != limits.limit_code(o) for i, o in enumerate(chosen)]
    assert 100 < len(wrong) < 200 and low <= sum(wrong) / len(wrong) < high

def test_tests_of_the_writer_are_read_by_the_game():
    for i, o in enumerate(drawn_limits("rare", 5)):
        parsed = parse_tests(limits.limit_tests(o, make_rng(i)), "solve", "def solve(xs):")
        assert parsed.cases and not parsed.rejected

def test_a_fuzzer_reads_digits_and_no_words():
    for words in (False, True):
        for p in limits.limit_problems("train", 40, words=words):
            assert (int(p.id.split("-")[2]) in find_hints(p).numbers) != words, p.description


# World B

@pytest.mark.parametrize("depth", steps.DEPTHS)
def test_programs_of_world_b_do_what_the_lines_say(depth):
    for o in steps.drawn_steps("train", 5, (depth,)):
        exec(steps.steps_code(o), space := {})
        xs = list(range(11))
        assert space["solve"](xs) == steps.run_steps(o, xs) and len(o.way) == depth and set(o.way) <= set(o.lines)
        assert steps.stage_text(o, 1).splitlines() == steps.stage_text(o, 2).splitlines()[::-1]
    assert steps.passes_anyway(depth, 20) == 0

def test_no_held_out_sequence_is_trained_on_in_world_b():
    train, held_out = steps.steps_problems("train", 80), steps.steps_problems("held_out", 80)
    name = lambda p: p.reference_solution if p.tags[0] != "depth-1" else p.description
    assert not {name(p) for p in train} & {name(p) for p in held_out}

@pytest.mark.parametrize("name", steps.FORMATS)
def test_answers_are_as_long_as_the_findings_say(name):
    tokenizer = steps.steps_tokenizer()
    for depth in steps.DEPTHS:
        pieces = steps.format_pieces(steps.drawn_steps("train", 1, (depth,))[0], steps.FORMATS[name])
        assert sum(len(tokenizer(t).input_ids) for t, learned in pieces if learned) == findings.answer_tokens(depth)[name]

def test_names_are_asked_in_another_order_than_they_stand():
    o, orders, tokenizer = steps.drawn_steps("train", 1, (3,))[0], set(), steps.steps_tokenizer()
    for i in range(20):
        asked = steps.lookup_pieces(o, make_rng(i), 3)[1:]
        assert [learned for _, learned in asked] == [False, True] * 6
        answers = {f"{l.name} = ": f"{l.operation} {l.source}\n" for l in o.lines[:3]}
        assert all(answers[name] == said for (name, _), (said, _) in zip(asked[::2], asked[1::2]))
        orders.add(tuple(name for name, _ in asked[::2]))
    assert len(orders) > 10
    assert tokenizer.unk_token_id not in tokenizer("".join(t for t, _ in steps.lookup_pieces(o, make_rng(0)))).input_ids


# Warm starts

def test_two_heads_of_world_b_begin_by_looking_back():
    model = warm.make_steps_model(steps.steps_tokenizer())
    model.set_attn_implementation("eager")
    with torch.no_grad(): seen = model(torch.randint(13, 60, (1, 60)), output_attentions=True).attentions[0][0]
    for head, distance in ((0, 1), (1, 2)): assert seen[head].diagonal(-distance)[3:].min() > .9

def test_formats_get_equal_learned_tokens():
    learned = warm.steps_rows(steps.steps_tokenizer(), 30_000)[1]
    formats = [learned[o] for o in steps.FORMATS]
    assert max(formats) - min(formats) <= 62 and abs(learned["look-ups"] - formats[0] * warm.LOOKUP_SHARE) < 62

def test_warm_starts_never_show_what_is_held_out(monkeypatch):
    seen, tokenizer = [], steps.steps_tokenizer()
    monkeypatch.setattr(warm, "limit_pieces", lambda o, kind, rng: seen.append(o.spec) or [("x", True)])
    monkeypatch.setattr(warm, "format_pieces", lambda o, stages: seen.append(o) or [("x", True)])
    monkeypatch.setattr(warm, "lookup_pieces", lambda o, *a: seen.append(o) or [("x", True)])
    warm.limit_rows(tokenizer, 200), warm.steps_rows(tokenizer, 200), warm.lookup_rows(tokenizer, 100, (2, 3))
    held = [limits.is_held_out_limit(o) if hasattr(o, "filter") else steps.is_held_out_steps(o) for o in seen]
    assert len(seen) > 300 and not any(held)

@pytest.fixture
def cached(tmp_path, monkeypatch):
    "Where warm starts are kept: fresh models, without their training"
    monkeypatch.setenv("CHAINED_ADV_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(warm, "fine_tune", lambda *args, **kw: [])
    return tmp_path

def test_a_half_written_warm_start_is_made_again(cached):
    folder = warm.world_model("steps", 2000, progress=False)
    before = (folder / "world.json").read_text()
    (folder / "world.json").unlink()
    assert warm.world_model("steps", 2000, progress=False) == folder and (folder / "world.json").read_text() == before
    assert warm.world_model("steps", 2500, progress=False) != folder
    with pytest.raises(ConfigError, match="not an empty folder"): warm.make_world(warm.RECIPES["steps"], folder)


# The tiny model

def test_the_writer_is_right_without_mistakes_and_has_its_habits_with_them():
    spec, = [o for o in tiny_specs("train", 40) if habits_of(o) == [3]][:1]
    for i in range(20):
        args, expected = writer.write_test(spec, 3, make_rng(i), mistakes=0).rsplit("\n", 1)
        assert eval(expected[:-1]) == run_spec(spec, eval(args.partition("#")[0] + ")"))
    said = [writer.written_specs(spec, make_rng(i)) for i in range(200)]
    assert sum(o[1] != spec for o in said) < 20 < 100 < sum(o[2] == with_habit(spec, 3) for o in said) < 180

def test_a_tiny_model_is_made_from_nothing(tmp_path, monkeypatch):
    small = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1, intermediate_size=32)
    monkeypatch.setattr(build_tiny, "train_tokenizer", lambda seed, make=build_tiny.train_tokenizer: make(200, seed=seed))
    folder = build_tiny.pretrain(str(tmp_path / "m"), tokens=2000, progress=False, **small)
    players = Players(ModelConfig(model=str(folder), device="cpu"))
    tokenizer, text = players.generator.base.tokenizer, "".join(t for t, _ in build_tiny.chain_pieces(tiny_specs("train", 25)[0], make_rng(1)))
    assert players.generator.prompts.name == "tags" and tokenizer.decode(tokenizer(text).input_ids) == text
    assert tokenizer("<s1>").input_ids == [build_tiny.SPECIAL.index("<s1>")]
    with pytest.raises(ConfigError, match="not empty"): build_tiny.pretrain(str(folder))
    learned = [sum(len(o.written) for o in build_tiny.pretraining_rows(tokenizer, n)) for n in (3000, 6000)]
    assert .3 < learned[0] / 3000 < .8 and learned[1] > learned[0]


def test_an_input_catches_a_habit_where_programs_differ():
    spec = Spec("list", "gt", "same", "count", "-1") # whose habit is `x >= k`
    assert catches.catches(spec, ([3], 3)) and not catches.catches(spec, ([4, 1], 3))
    chain = catches.habit_chain(spec)
    assert "x >= k" in chain.code and "above k" in chain.outputs[1] and chain.problem == spec_problem(spec)


# Weak baselines

def test_the_bug_passes_the_two_tests_and_not_the_ten(box):
    specs = [o for o in tiny_specs("train", 40) if habits_of(o)][::4]
    weak = {p.id: p for p in arms.weak_problems("train", 40)}
    for o in specs:
        wrong = spec_code(with_habit(o, habits_of(o)[0]))
        passed = [box.execute_tests(wrong, baseline_cases(p), p.entry_point).passed for p in (weak[spec_id(o)], spec_problem(o))]
        assert passed == [True, False]
    assert {len(p.baseline_tests) for p in weak.values()} <= {1, arms.N_WEAK}


# Studies

def test_arms_and_cells_of_the_studies_exist():
    for s in arms.STUDIES.values():
        assert {*s.controls, *s.small} <= set(s.arms) and set(s.small_cells) <= {c.name for c in s.cells}
    chosen = {c.name: [o.name for o in arms.cell_arms(arms.ADVERSARY, c)] for c in arms.ADVERSARY_CELLS}
    assert chosen["rare-0-none"] == ["warm", "baseline", "trusted", "vote", "agreement"] and chosen["rare-0"] == list(arms.ADVERSARY_ARMS)
    assert set(chosen["rare-0"]) - set(chosen["often-0"]) == {"frozen_inputs", "blind", "unified"}
    with pytest.raises(ConfigError, match="choose one of adversary, stages, weak"): arms.get_study("hard")

def test_variants_are_settings():
    base = TrainingConfig(token_budget=60_000, **runs.STUDY_STEPS)
    configs = {k: runs.variant_config(base, v, 3, "x") for k, v in ablation.VARIANTS.items()}
    assert (configs["direct_baseline"].model.chain_stages, configs["direct_baseline"].reward, configs["gae"].ppo.advantage) == ((5,), "baseline", "gae")
    assert [round(o.share, 2) for o in stage_phases(configs["direct_adversarial"], 5)] == [.46, .85, 1]
    assert arms.study_config(arms.WEAK, arms.WEAK_ARMS["default"], 0, "x", "tiny") == TrainingConfig(out="x", eval_samples=8, n_mutants=0, model=ModelConfig(adapters="stage"))
    with pytest.raises(ConfigError, match="variant x: speed is no setting"):
        runs.variant_config(base, runs.Variant("x", "", dict(speed=1)), 0, "x")

@pytest.mark.parametrize("name", arms.STUDIES)
def test_the_trainer_takes_the_problems_of_a_study(name, monkeypatch):
    monkeypatch.setattr(arms, "N_TRAIN", {k: n // 4 for k, n in arms.N_TRAIN.items()})
    monkeypatch.setattr(arms, "N_HELD_OUT", {k: n // 4 for k, n in arms.N_HELD_OUT.items()})
    of = arms.STUDIES[name]
    for cell in of.cells:
        train, held_out = arms.study_problems(of, cell, 0)
        kept = study.unshared_problems(held_out, train)
        assert not find_leaks(train, kept) and len(kept) >= .85 * len(held_out)

def test_each_seed_has_a_warm_start_of_its_own_which_comes_first(cached):
    tasks = study.study_tasks(arms.STAGES, study.study_runs(arms.STAGES, (4, 5), cached, chosen=("direct",)))
    assert list(tasks) == [("warm start", 4), ("warm start", 5), ("all direct", 4), ("all direct", 5)]
    assert warm.world_folder(warm.RECIPES["steps"], 4) != warm.world_folder(warm.RECIPES["steps"], 5)

def test_runs_come_seed_by_seed():
    order = study.study_runs(arms.STAGES, (0, 1), "s", small=True)
    assert len(order) == 14 and order[0].path.as_posix() == "s/all/warm_direct/seed_0.json"
    assert [(o.seed, o.arm.name) for o in order[6:8]] == [(0, "restated"), (1, "warm_direct")]
    some = study.study_runs(arms.WEAK, (7,), "w", chosen=("warm", "default"))
    assert [o.path.parts[-3:-1] for o in some] == [("weak", "warm"), ("weak", "default"), ("weak-none", "warm")]
    for chosen, small, words in ((("x",), False, "study weak has warm,"), (("trusted",), True, "weak --small has no run of trusted")):
        with pytest.raises(ConfigError, match=words): study.study_runs(arms.WEAK, (7,), "w", small=small, chosen=chosen)

def test_a_study_of_stages_goes_on_with_what_is_missing(cached, small_worlds, monkeypatch):
    "With a warm start of the seed's own, an arm that trains and one that does not"
    monkeypatch.setitem(warm.RECIPES, "steps", replace(warm.RECIPES["steps"], tokens=2000))
    folder, heard = cached / "s", []
    run = lambda **kw: study.run_study("stages", folder, (4,), budget=500, chosen=("warm_direct", "joint"),
                                       progress=lambda n, total, name: heard.append(name), **kw)
    done = run()
    assert heard == ["warm start, seed 4", "all warm_direct, seed 4", "all joint, seed 4"]
    assert {r["model"] for r in done} == {warm.world_folder(warm.RECIPES["steps"], 4).name} and [r["arm"] for r in done] == ["warm_direct", "joint"]
    assert done[0]["tokens"] == 0 < done[1]["tokens"] and set(done[1]["by_tag"]) == {f"depth-{d}" for d in steps.DEPTHS}
    assert study.read_results(folder) == done
    (folder / "all/joint/seed_4.json").write_text(json.dumps(dict(done[1], solved=.123)))
    (folder / "all/warm_direct/seed_4.json").unlink()
    again = run()
    same = lambda r: {k: v for k, v in r.items() if k != "seconds"}
    assert again[1]["solved"] == .123 and same(again[0]) == same(done[0])
    with pytest.raises(ConfigError, match="other settings .model"): run(model="tiny")
    with pytest.raises(ConfigError, match="no study.json"): study.run_study("weak", cached, (0,))
    table = findings.study_table(arms.STAGES, done)
    assert "`joint`" in table and "pays" not in table and findings.crossing_depth(done)[0] is None

@pytest.mark.parametrize("name, cell, arm", [("adversary", "rare-0-words", "learning_inputs"), ("weak", "weak-none", "vote")])
def test_one_run_of_a_study(tmp_path, small_worlds, name, cell, arm):
    of = arms.STUDIES[name]
    run = study.Run(name, next(c for c in of.cells if c.name == cell), of.arms[arm], 0, "tiny", 700, str(tmp_path))
    facts = study.do_run(run)
    assert facts["tokens"] > 300 and facts["problems"] == 4 and 0 <= facts["solved"] <= 1 and not run.work.exists()
    assert study.do_run(run) == facts and findings.save_findings("weak", [dict(facts, study="weak", cell="weak")], tmp_path)


# Which tests count without a reference

DOUBLE = Problem("double", "Return twice n.", "def double(n: int):", ([2, 4],), "def double(n): return 2 * n")
PROGRAMS = [f"def double(n): return {o}" for o in ("2 * n", "n + n", "n * 2", "n ** 2")]

def test_oracles_by_hand(box):
    "Three right programs and one that squares; the last test is wrong, and of two programs one is half"
    results = box.run_many([Job(c, "(1, 2)\n(0, 0)\n(3, 6)\n(3, 9)", "double", DOUBLE.function_signature) for c in PROGRAMS])
    counts = lambda results, name: [v.passed for v in oracles.validate_by_programs(results, name).verdicts]
    assert counts(results, "trusted") == [True] * 4
    assert counts(results, "vote") == counts(results, "agreement") == [True, True, True, False]
    assert counts(results[2:], "vote") == [True] * 4 and counts(results[3:], "agreement") == [False, True, False, True]
    most = [results[3], results[3], results[0]] # wrong together: the right tests are thrown away
    assert counts(most, "vote") == counts(most, "agreement") == [False, True, False, True]
    odd = box.run_many([Job(c, "(1, 2)\nassert double(", "double", DOUBLE.function_signature) for c in PROGRAMS[:2]])
    for name in oracles.ORACLES: # what cannot be read is no test for any of them
        assert [v.outcome for v in oracles.validate_by_programs(odd, name).verdicts] == ["passed", "rejected"]

def a_trainer(tmp_path, callbacks, **kw):
    settings = FEW | dict(stages=(5,), eval_samples=1, n_mutants=0, out=str(tmp_path / "run")) | kw
    config = TrainingConfig(model=ModelConfig(**SHORT | CODE | settings.pop("model", {})), **settings)
    return AdversarialTrainer(config, tiny_problems("train", 25)[:4], tiny_problems("held_out", 25)[:1], progress=False,
                              callbacks=callbacks, selection=tiny_problems("train", 25)[:1])

def test_an_oracle_takes_the_place_of_the_reference(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(oracles, "validate_by_programs", lambda results, oracle, real=oracles.validate_by_programs: seen.append(len(results)) or real(results, oracle))
    with a_trainer(tmp_path, [oracles.Oracle("vote")]) as t:
        rollout = t.sample_rollout("discriminator", 5)
    assert seen == [2] * 3 and all("without a reference (vote)" in v.reason for c in rollout.chains for v in c.validation.verdicts if v.test and not v.passed)
    with pytest.raises(ConfigError, match="n_programs must be at least 2"): a_trainer(tmp_path, [oracles.Oracle("vote")], n_programs=1)
    with pytest.raises(ConfigError, match="choose one of trusted"): oracles.Oracle("loud")


# The values that a tester of inputs would say

def test_a_tester_is_asked_for_values(box):
    players, problems = Players(ModelConfig(device="cpu")), tiny_problems("held_out", 25)[:4]
    asked = [(p, t) for p in problems for t in accuracy.fixed_inputs(p)]
    texts = accuracy.continue_tests(players.discriminator, asked, 5)
    read = [parse_tests(o, p.entry_point, p.function_signature).cases[0] for o, (p, _) in zip(texts, asked)]
    assert [o.args for o in read] == [t.args for _, t in asked] # the call is kept
    measured = accuracy.value_accuracy(players, problems, box)
    assert measured == [(i // 4, float(o.expected == t.expected)) for i, (o, (_, t)) in enumerate(zip(read, asked))]
    assert 0 < sum(v for _, v in measured) < len(measured)
    assert accuracy.value_accuracy(Players(ModelConfig(device="cpu", discriminator_model="fuzz")), [DOUBLE], box) == []
    assert accuracy.fixed_inputs(replace(DOUBLE, reference_solution="")) == []


# Past tests and past opponents

def test_a_bank_of_one_test_by_hand(box):
    """(3, 6) catches n + 2 and is replayed against 6, which (2, 4) catches: then (3, 6) has found nothing new for longer"""
    bank = past.TestBank(1)
    def match(code, tests, step):
        chain = Chain(DOUBLE, outputs=[""] * 5, code=code)
        chain.lists = [TestList(3, Sample([], [], [], True, tests), parse_tests(tests, "double"))]
        r = Rollout([Match(DOUBLE, [chain])])
        judge(r, box, earlier_tests={DOUBLE.id: bank.replay(DOUBLE)})
        bank.learn(r, step)
        return [(v.test.text, v.passed) for v in r.chains[0].result.verdicts]
    match("def double(n): return n + 2", "(2, 4)\n(3, 6)\n(1, 7)", 1)
    assert [(o.text, o.step, len(o.killed)) for o in bank.kept["double"].values()] == [("(3, 6)", 1, 1)] # (1, 7) is wrong
    assert match("def double(n): return 6", "(2, 4)", 2) == [("(2, 4)", False), ("(3, 6)", True)]
    assert [o.text for o in bank.kept["double"].values()] == ["(2, 4)"]
    again = past.TestBank(1)
    again.restore(json.loads(json.dumps(bank.state())))
    assert again.kept == bank.kept and [o.key for o in again.replay(DOUBLE)] == [o.key for o in bank.replay(DOUBLE)]

def test_banked_tests_judge_later_programs_and_go_with_the_checkpoint(tmp_path):
    settings = dict(n_generator_steps=0, k_alternating_steps=0, n_discriminator_steps=1, problems_per_step=4)
    with a_trainer(tmp_path, [past.PastTests(2)], model=dict(max_test_tokens=48), **settings) as t:
        t.train_full_pipeline()
        bank = t.callbacks.find(past.PastTests).bank
        assert any(bank.kept.values()) and all(len(o) <= 2 for o in bank.kept.values())
        rollout = t.sample_rollout("discriminator", 5)
        for c in rollout.chains:
            assert {o.key for o in bank.replay(c.problem)} <= {v.test.key for v in c.result.verdicts if v.test}
    with a_trainer(tmp_path, [again := past.PastTests(2)], model=dict(max_test_tokens=48), **settings) as t:
        t.train_full_pipeline(resume=True)
        assert again.bank.kept == bank.kept

def test_versions_are_kept_and_picked_by_stage():
    players, kept = Players(ModelConfig(device="cpu", adapters="stage")), past.PastOpponents(2)
    discriminator = players.discriminator
    for step in (1, 2, 3):
        with torch.no_grad():
            for p in discriminator.parameters(step).values(): p.add_(1.)
        kept.add(discriminator, (step,), step)
    kept.add(players.generator, (1, 2), 4) # stages that learn together
    assert [(o["role"], o["step"]) for o in kept.kept] == [("discriminator", 2), ("discriminator", 3), ("generator", 4)]
    assert list(kept.pick("discriminator", (4, 5), make_rng(0))) == [4, 5] and list(kept.pick("generator", (2,), make_rng(0))) == [1, 2]
    assert kept.pick("generator", (3,), make_rng(0)) is None
    total = lambda stage: sum(float(p.detach().sum()) for p in discriminator.parameters(stage).values())
    before = total(4)
    with past.play_as(discriminator, {4: kept.kept[0]["weights"][2]}): assert total(4) == pytest.approx(total(2))
    assert total(4) == before

def test_a_step_against_a_past_opponent_moves_the_learner_alone(tmp_path):
    "The present weights of the other side are back when its past version has played"
    moved = lambda before, after: {k for k in before for n in before[k] if not torch.equal(before[k][n], after[k][n])}
    with a_trainer(tmp_path, [past.PastOpponents(1, share=1.)], n_discriminator_steps=1, n_generator_steps=1, n_samples=4, model=dict(adapters="stage")) as t:
        t.train_stage(5)
        before = t.players.state()
        t.train_generator_epoch(5, 1)
        trained = t.players.state()
        t.train_discriminator_epoch(5, 1)
        assert moved(before, trained) <= {"shared.generator_5"} and moved(trained, t.players.state()) <= {"shared.discriminator_5"}
    with pytest.raises(ConfigError, match="weights of their own"): a_trainer(tmp_path, [past.PastOpponents()], model=dict(adapters="unified"))
    for wrong in (dict(size=0), dict(size=2.5), dict(share=2)):
        with pytest.raises(ConfigError, match="past opponents"): past.PastOpponents(**wrong)


# Problems that ask the same

def test_two_references_that_do_the_same_are_found(box, tmp_path, capsys):
    "A sum told in two ways; a problem with one test is named, not passed over"
    def added(id, code, *values): return Problem(id, f"{id}: {code}", code.partition(":")[0] + ":", tuple([a, b, a + b] for a, b in values), code)
    ours = [added("sum", "def plus(a, b): return a + b", (1, 2), (3, 4), (0, 0)), added("few", "def plus(a, b): return b + a", (1, 2))]
    theirs = [added("total", "def total(x, y): return sum([x, y])", (5, 2), (3, 1), (9, 9)),
              Problem("product", "Multiply.", "def f(a, b):", ([2, 2, 4], [0, 0, 0], [3, 3, 9]), "def f(a, b): return a * b")]
    assert find_leaks(ours, theirs) == [] and references.find_same_behaviour(ours, theirs, box) == [("sum", "total")]
    files = [str(save_problems(o, tmp_path / name)) for name, o in (("train.json", ours), ("held_out.json", theirs))]
    found = json.loads(called(capsys, references.main, shlex.join([*files, "--json"]))[1])
    assert found == {"same": [{"train": "sum", "held_out": "total"}], "not_compared": {"train": ["few"], "held_out": []}}
    assert "1 pairs do the same" in called(capsys, references.main, shlex.join(files))[1]


# Statistics by hand

def rows(name, *values): return [dict(variant=name, seed=i, metric="solved", value=v, tokens=500) for i, v in enumerate(values)]

def test_an_ablations_interval_by_hand():
    "Gaps -.30, -.32, -.29: mean -.3033, deviation .01528, Student's factor 4.303: plus or minus 4.303 x .01528 / sqrt(3) = .0379"
    plain, worse, shaped = ablation.ablation_rows(rows("per_test", .8, .9, .85) + rows("warm", .5, .58, .56) + rows("shaped", .8, .95, .8))
    assert [r["verdict"] for r in (plain, worse, shaped)] == ["", "lower", "within noise"]
    assert [worse[k] for k in ("difference", "difference_low", "difference_high")] == pytest.approx([-.3033, -.3413, -.2654], abs=1e-4)
    line = "| `warm` | the model before training | 55% (44% to 65%) | -30 (-34 to -27) lower | 3 | 500 |"
    assert line in ablation.ablation_table([plain, worse, shaped]).splitlines()

def made(cell, arm, *values): return [dict(study="adversary", cell=cell, arm=arm, seed=s, solved_greedy=v, tokens=9) for s, v in enumerate(values)]

def test_what_pays_by_hand():
    "Three seeds .1, .2, .3 better: mean .2, standard error .0577, factor 4.303: -.048 to .448 does not pay; .18, .20, .22 does"
    weak, strong = made("rare-0", "baseline", .4, .4, .4), made("rare-0", "fuzz_wide", .5, .5, .5)
    at = {r["arm"]: r for r in findings.arm_rows(arms.ADVERSARY, weak + strong + made("rare-0", "learning", .6, .7, .8) + made("rare-0", "frozen", .68, .7, .72))}
    assert [at["learning"][k] for k in ("difference", "gap_low", "gap_high")] == pytest.approx([.2, -.048, .448], abs=1e-3)
    assert (at["learning"]["against"], at["learning"]["pays"], at["frozen"]["pays"]) == ("fuzz_wide", False, True)
    one = findings.arm_rows(arms.ADVERSARY, made("rare-0", "baseline", .1) + made("rare-0", "learning", .9))
    assert [r["pays"] for r in one] == [False, False]
    table = findings.study_table(arms.ADVERSARY, made("rare-0", "baseline", .5) + made("rare-0", "learning", .6, .7))
    assert "| +10, baseline |" in table and "nan" not in table, table

def test_the_phase_diagram_by_hand():
    three = made("rare-0", "fuzz_wide", .5, .5, .5) + made("rare-0", "learning_inputs", .68, .70, .72)
    three += made("rare-0-words", "fuzz_wide", .5, .5, .5) + made("rare-0-words", "learning_inputs", .3, .3, .3)
    assert [(*r["place"], r["pays"]) for r in findings.phase_rows(three)] == [("rare", False, True), ("rare", True, False)]
    assert [o.get_text() for o in findings.plot_phases(three).axes[0].texts] == ["+20", "-20"]

def depth_run(arm, seed, *shares):
    return dict(cell="all", arm=arm, seed=seed, by_tag={f"depth-{i}": dict(solved_greedy=v, best_of=[v] * 6) for i, v in enumerate(shares, 1)})

def test_the_crossing_by_hand():
    "Direct code is right at depth 1 and fails at depth 2, stages are right at both; below the gate nothing is said"
    two = [depth_run("joint", s, 1., 1.) for s in (0, 1)] + [depth_run("restated", s, .9, .1) for s in (0, 1)]
    direct = [depth_run("direct", 0, 1., .1), depth_run("direct", 1, .9, .12)]
    assert findings.crossing_depth(two + direct)[0] == 2
    better = [depth_run("warm_direct", s, 1., 1.) for s in (0, 1)] # training alone made direct code worse
    assert findings.crossing_depth(two + direct + better)[0] is None
    assert findings.crossing_depth(two + [depth_run("direct", s, .5, 0.) for s in (0, 1)])[0] is None
    assert findings.crossing_depth(two) == (None, "direct code has not run")
    assert [findings.samples_paid(d) for d in (1, 4, 8)] == [3, 5, 6]

def test_best_of_n_by_hand():
    values = dict(solved=[(0, 1.), (0, 0.), (1, 0.), (1, 0.)], solved_greedy=[(0, 1.), (1, 0.)])
    two = Evaluation("", ["a", "b"], [("x",), ("y",)], 4, values, dict(generated_tokens=40))
    assert study.best_of(two, 2) == [.25, .5]
    facts = study.measured_facts(two, [replace(p, tags=(t,)) for p, t in zip(limits.limit_problems("train", 2), "xy")], 2)
    assert (facts["solved"], facts["answer_tokens"], facts["by_tag"]["x"]["best_of"]) == (.25, 10, [.5, 1.])


# The committed results

@pytest.mark.parametrize("name", arms.STUDIES)
def test_committed_runs_give_the_committed_table(name):
    folder = ROOT / "research/data" / name
    table = findings.study_table(arms.STUDIES[name], study.read_results(folder))
    assert table.splitlines() == (folder / "study.md").read_text(encoding="utf-8").splitlines()

def test_committed_seeds_of_the_ablation_give_its_rates():
    "Solved ones, to a point: seeds are rounded. Validity is by problem in the table, and by test in the seeds"
    folder = ROOT / "research/data/ablation"
    number = lambda r: r | dict(seed=int(r["seed"]), value=float(r["value"]), tokens=int(r["tokens"]))
    with open(folder / "seeds.csv", encoding="utf-8") as f: table = ablation.ablation_table(ablation.ablation_rows([number(r) for r in csv.DictReader(f)]))
    rates = lambda text: [int(cell.split("%")[0]) for line in text.splitlines()[2:] for cell in line.split(" | ")[2:4]]
    ours, theirs = rates(table), rates((folder / "ablation.md").read_text(encoding="utf-8"))
    assert len(ours) == len(theirs) == 30 and all(abs(a - b) <= 1 for a, b in zip(ours, theirs))


# An ablation

def test_an_ablation_in_miniature(tmp_path):
    base = TrainingConfig(model=ModelConfig(**SHORT | CODE), token_budget=700, stages=(5,), eval_samples=2, n_mutants=0, **FEW)
    train, held, out = tiny_problems("train", 20), tiny_problems("held_out", 20)[:2], tmp_path / "study"
    run = lambda variants=("per_test", "warm"), n_mutants=2, base=base: ablation.run_ablation(base, train, held, out, variants, (0,), n_mutants=n_mutants)
    first = run()
    assert set(first) == {("per_test", 0), ("warm", 0)} and abs(first["per_test", 0].metrics["trained_tokens"] - 700) < 300
    (out / "warm/seed_0/measurement.json").unlink()
    (out / "failed_warm_0.txt").write_text("an earlier failure") # goes when the run succeeds
    again = run()
    assert all(again[k].values == first[k].values for k in first) # every observation, whether read or made anew
    ablation.save_ablation(first, out)
    assert sorted(p.name for p in out.iterdir() if p.is_file()) == ["ablation.csv", "ablation.json", "ablation.md", "ablation.png", "seeds.csv"]
    with pytest.raises(ConfigError, match="other settings .n_mutants"): run(n_mutants=3)
    with pytest.raises(ConfigError, match="choose from per_test"): run(["nothing"])
    with pytest.raises(ConfigError, match="token_budget"): run(base=TrainingConfig())

def test_a_failed_run_leaves_a_note_and_the_others_end(tmp_path):
    def fail(): raise ValueError("no luck")
    with pytest.raises(runs.ChainedAdvError, match="1 of 2 runs failed; the first, a with seed 0: no luck"):
        runs.finish_runs({("a", 0): fail, ("b", 0): lambda: 1}, 1, tmp_path, lambda *_: None)
    assert "no luck" in (tmp_path / "failed_a_0.txt").read_text()


# Commands

def called(capsys, main, line):
    "(exit status, output, errors)"
    try: main(shlex.split(line))
    except SystemExit as e: return e.code, *capsys.readouterr()
    return 0, *capsys.readouterr()

COMMANDS = dict(ablate=ablate, build_tiny=build_tiny, catches=catches, references=references)

@pytest.mark.parametrize("module", COMMANDS)
def test_examples_in_the_help_are_accepted(capsys, monkeypatch, module):
    ran, main = [], COMMANDS[module].main
    for o in COMMANDS.values(): monkeypatch.setattr(o, "run_command", lambda command, args, models=(): ran.append(command))
    examples = [o for o in called(capsys, main, "--help")[1].splitlines() if o.strip().startswith(f"python -m research.{module}")]
    for o in examples: assert called(capsys, main, o.partition(module)[2])[0] == 0, o
    assert len(ran) == len(examples) > 0

def test_the_readme_names_commands_that_exist(capsys, monkeypatch):
    for o in COMMANDS.values(): monkeypatch.setattr(o, "run_command", lambda command, args, models=(): None)
    monkeypatch.setattr(defaults, "train", lambda arm, seed: None)
    lines = re.findall(r"`python -m research\.(\w+)([^`]*)`", (ROOT / "research/README.md").read_text(encoding="utf-8"))
    assert len(lines) > 6
    for module, options in lines: assert called(capsys, (COMMANDS | dict(defaults=defaults))[module].main, options)[0] == 0, (module, options)

def test_commands(capsys):
    status, out, _ = called(capsys, ablate.main, "--list --json")
    assert status == 0 and [o["name"] for o in json.loads(out)] == list(ablation.VARIANTS)
    assert "trusted_frozen" in called(capsys, ablate.main, "--study weak --list")[1]
    assert called(capsys, ablate.main, "--small")[::2] == (2, "research: --small is about a study; name it: --study adversary --small\n")
    assert called(capsys, ablate.main, "--study weak --set lora_rank=8 --samples 1")[2].endswith("leave out --samples, --set\n")
    assert called(capsys, ablate.main, "--set speed=1")[2].startswith("research: --set: speed is no setting of a run")
    assert [r["level"] for r in json.loads(called(capsys, build_tiny.main, "levels --problems 5 --json")[1])] == list(limits.LEVELS)

def test_settings_are_read_from_the_command_line():
    assert ablate.read_assignments(["lora_rank=8", "prompts=tags-blind", "stages=(1, 2)"]) == dict(lora_rank=8, prompts="tags-blind", stages=(1, 2))
    with pytest.raises(ConfigError, match="write NAME=VALUE"): ablate.read_assignments(["x"])

def test_intervals_over_runs_and_problems():
    "Runs that agree leave the doubt about the problems; runs that differ alike on all problems leave that about the runs"
    agree = {run: dict(a=1., b=1., c=0., d=0.) for run in range(3)}
    assert ablation.two_level_interval(agree) == (.5, 0., 1.)
    differ = {run: dict.fromkeys("abcd", v) for run, v in enumerate((.2, .5, .8))}
    half = 1.5 ** .5 * .3 # all three draws are the best run; rarer than 2.5 in 100 times is nothing beyond it
    assert ablation.two_level_interval(differ) == pytest.approx((.5, .5 - half, .5 + half))
    assert ablation.two_level_interval({0: dict(a=.9), 1: dict(b=.5)}).value == pytest.approx(.7) # not every run has every problem
    with pytest.raises(ValueError, match="of 2 runs have values"): ablation.two_level_interval({0: dict(a=1.), 1: {}})
