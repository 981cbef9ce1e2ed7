"""The models that the worlds begin with: kept in a cache folder, made when missing, made anew when a recipe changes.

    python -m research.build_tiny world limits
    python -m research.build_tiny world steps

A recipe is data, so a cached model is known by it: parts in order, each with its texts, their range (lines of
look-ups, depths of the formats) and its share of the tokens.
"""

import json
import os
import shutil
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

import torch
from filelock import FileLock
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from chained_adv.core import ConfigError, make_rng, stable_hash
from chained_adv.loading import load_base
from chained_adv.sft import IGNORED, Row, encode_pieces, fine_tune, make_batches, pad_rows
from chained_adv.stages import PROMPT_SETS, discriminator_prompt, generator_prompt
from research.limits import (LEVELS, Limit, draw_limit, is_held_out_limit, limit_chain, limit_problem, limit_specs,
                             limit_tests)
from research.steps import (DEPTHS, FORMATS, N_LINES, Steps, draw_steps, drawn_steps, format_pieces, is_held_out_steps,
                            lookup_pieces, steps_tokenizer)

# World A: the embedded model knows the texts. It has to learn constants in the place of `k`, some of them in
# words, and the habits of this world: direct code, chains and lists of tests, some of these written without
# the stage's text.
TAGS = PROMPT_SETS["tags"]
BLIND = replace(TAGS, shown="") # the tester does not see what the generator wrote
LIMIT_SHARES = dict(direct=.35, chain=.05, tests=.48, blind=.12)

def _limit_stages(problem, texts, stages):
    "Prompts and texts of some stages as pieces"
    outputs, pieces, said = [], [], ""
    for stage, text in enumerate(texts, 1):
        outputs.append(text if stage in stages else None)
        if stage not in stages: continue
        prompt = generator_prompt(TAGS, problem, stage, outputs[:-1])
        pieces += [(prompt[len(said):], False), (text + "<end>", True)]
        said = prompt + text + "<end>"
    return pieces

def limit_pieces(
    o: Limit, # A right one
    kind: str, # Key of `LIMIT_SHARES`
    rng: Random # Of mistakes, and of the stage that is tested
) -> list[tuple[str, bool]]: # (text, is it learned?)
    "Write a training sequence of world A"
    words = o.level == "rare" and rng.random() < .5
    problem, texts = limit_problem(o, [], words=words), limit_chain(o, rng)
    if kind == "chain": return _limit_stages(problem, texts, (1, 2, 3, 4, 5))
    if kind == "direct": return _limit_stages(problem, texts, (5,))
    stage = rng.choice((1, 2, 3, 4, 5, 5, 5, 5, 5))
    prompts = BLIND if kind == "blind" else TAGS
    prompt = discriminator_prompt(prompts, problem, stage, texts[stage - 1])
    return [(prompt, False), (limit_tests(o, rng) + "<end>", True)]

def limit_rows(
    tokenizer: PreTrainedTokenizerFast, # Of the embedded model
    tokens: int, # Stop after about this many tokens
    seed: int = 0 # Chooses the sequences
) -> list[Row]: # Of all levels, none of the held-out combinations
    "Write texts of world A, mistakes included"
    rng, rows = make_rng("limits warm", seed), []
    pool = [s for s in limit_specs() if not is_held_out_limit(s)]
    while tokens > 0:
        kind, = rng.choices(list(LIMIT_SHARES), list(LIMIT_SHARES.values()))
        o = draw_limit(rng.choice(pool), rng.choice(list(LEVELS)), rng)
        rows.append(encode_pieces(tokenizer, limit_pieces(o, kind, rng)))
        tokens -= len(rows[-1].ids)
    return rows

# World B: one model learns all three formats, so they share weights, schedule and look-ups. Direct code has
# short answers, so equal learned tokens means many more direct sequences than staged ones, which is in its
# favour.
def lookup_rows(
    tokenizer: PreTrainedTokenizerFast, # Of world B
    tokens: int, # Stop after about this many tokens
    n_lines: tuple[int, int], # Fewest and most lines
    seed: int = 0 # Chooses the sequences
) -> list[Row]: # Without what is held out
    "Write look-ups alone"
    rng, rows = make_rng("look-ups", seed, n_lines), []
    while tokens > 0:
        o = draw_steps(rng.choice(DEPTHS), rng)
        if is_held_out_steps(o): continue
        rows.append(encode_pieces(tokenizer, lookup_pieces(o, rng, rng.randint(*n_lines))))
        tokens -= len(rows[-1].ids)
    return rows

LOOKUP_SHARE = .05 # Learned tokens of look-ups for each learned token of a format, so that they are not forgotten

def _steps_pieces(kind, o, rng):
    return lookup_pieces(o, rng) if kind == "look-ups" else format_pieces(o, FORMATS[kind])

def steps_rows(
    tokenizer: PreTrainedTokenizerFast, # Of world B
    tokens: int, # Stop after about this many tokens
    depths: tuple[int, int] = (DEPTHS[0], DEPTHS[-1]), # Shallowest and deepest
    seed: int = 0 # Chooses the sequences
) -> tuple[list[Row], dict[str, int]]: # (rows, learned tokens by format and of look-ups)
    "Write texts of world B with equal learned tokens: the next sequence is of the format that has had fewest"
    rng, rows, learned = make_rng("steps warm", seed, depths), [], dict.fromkeys([*FORMATS, "look-ups"], 0)
    while tokens > 0:
        kind = min(learned, key=lambda k: learned[k] / (LOOKUP_SHARE if k == "look-ups" else 1))
        o = draw_steps(rng.randint(*depths), rng)
        if is_held_out_steps(o): continue
        rows.append(encode_pieces(tokenizer, _steps_pieces(kind, o, rng)))
        learned[kind] += len(rows[-1].written)
        tokens -= len(rows[-1].ids)
    return rows, learned

# A fresh Qwen2 of 0.9 million parameters. A look-up is an induction head: one layer tells every word what
# stands before it, a later one finds the word before which the same name stood (Olsson et al. 2022,
# https://arxiv.org/abs/2209.11895). A model finds the two halves late, because each is worth nothing without
# the other. So the first half is there from the start: two heads of the first layer look one and two words
# back, by their biases and the rotary positions alone. A rotation by n steps turns the key's bias so that it
# meets the query's bias best at the distance n. These weights learn like any other. Words weigh more than
# usual at the start, and layers add less, so that later layers see the words.
STEPS_SIZES: dict = dict(hidden_size=128, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=4,
                         intermediate_size=384, max_position_embeddings=256, initializer_range=.08)
THETA = 10_000. # Base of the rotary positions
BACK = (1, 2) # So many words back the first heads look
STRENGTH, FREQUENCIES = 6., 5 # Of their biases; how many of the fastest rotations they use

@torch.no_grad()
def _look_back(attention, head, distance):
    "Set a head so that it looks back over a distance, whatever the words are"
    half = attention.head_dim // 2
    at = torch.arange(half)
    turn = distance * THETA ** (-at / half)
    strength = torch.where(at < FREQUENCIES, STRENGTH, 0.)
    rows = slice(2 * half * head, 2 * half * (head + 1))
    attention.q_proj.weight[rows] = 0
    attention.k_proj.weight[rows] = 0
    attention.q_proj.bias[rows] = torch.cat([strength, torch.zeros(half)])
    attention.k_proj.bias[rows] = torch.cat([strength * turn.cos(), strength * turn.sin()])

EMBEDDING, LAYER = .5, .35 # Spread of the embeddings; factor of what a layer adds

def make_steps_model(
    tokenizer: PreTrainedTokenizerFast, # Of world B
    seed: int = 0, # Of the initial weights
    **sizes # Anything of `Qwen2Config`, to make another size
) -> Qwen2ForCausalLM: # With random weights, but for the heads that look back
    "Make a fresh model for world B"
    torch.manual_seed(seed)
    model = Qwen2ForCausalLM(Qwen2Config(
        vocab_size=len(tokenizer), tie_word_embeddings=False, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, bos_token_id=None,
        rope_parameters=dict(rope_type="default", rope_theta=THETA), **STEPS_SIZES | sizes))
    model.model.embed_tokens.weight.data *= EMBEDDING / model.config.initializer_range
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight.data *= LAYER
        layer.mlp.down_proj.weight.data *= LAYER
    for head, distance in enumerate(BACK): _look_back(model.model.layers[0].self_attn, head, distance)
    return model

@dataclass(frozen=True)
class Recipe:
    "How a warm start is made"
    world: str # `limits` or `steps`
    tokens: int # Training length in all
    lr: float # Peak learning rate of each part
    batch_tokens: int # Most tokens in a batch
    course: tuple[tuple[str, int, int, float], ...] # Parts: (texts, from, to, share of the tokens)
    version: int = 2 # Raised when the texts change

# World A takes six minutes of one processor. Measured by the arm `warm` of the study with seed 0 (120
# held-out problems):
#
# | level | greedy | sampled | valid tests |
# |---|---|---|---|
# | often | .50 | .44 | .58 |
# | seldom | .53 | .53 | .71 |
# | rare | .53 | .61 | .57 |
# | rare, in words | .53 | .59 | .65 |
#
# World B takes 10.5 minutes. Share of whole answers that are right in every word (`depth_table`, 100 problems
# a depth):
#
# | depth | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
# |---|---|---|---|---|---|---|---|---|
# | direct | .96 | .41 | .27 | .09 | .10 | .09 | .03 | .02 |
# | staged | 1.0 | .96 | .95 | .94 | .72 | .66 | .09 | .05 |
# | restated | .68 | .44 | .49 | .40 | .54 | .30 | .33 | .40 |
#
# So the gate of the study holds: direct code is right at depth 1 in .96, from one model with equal learned
# tokens and one schedule. That `restated` beats direct code from depth 2 on is no error of measurement: words
# that say nothing new still give later words places to compute at. At depths 7 and 8 stages get one name
# wrong: the trace is right in every word, and the second stage takes a wrong line as its third.
RECIPES = {o.world: o for o in (
    Recipe("limits", 3_000_000, 2e-3, 2500, (("limits", 0, 0, 1.),), 5),
    Recipe("steps", 9_500_000, 2e-3, 2400, (
        ("look-ups", 2, 2, .04), ("look-ups", 2, 4, .03), ("look-ups", 2, N_LINES, .05), # lines
        ("formats", 1, 2, .07), ("formats", 1, DEPTHS[-1], .81))))} # depths

PARTS = {"limits": lambda tokenizer, tokens, span, seed: limit_rows(tokenizer, tokens, seed),
         "look-ups": lookup_rows, "formats": lambda *args: steps_rows(*args)[0]} # texts of a part

def _fresh(world, seed, device):
    "The model that a warm start begins with"
    if world == "limits": return load_base("tiny", device)
    tokenizer = steps_tokenizer()
    return make_steps_model(tokenizer, seed).to(device), tokenizer

def _make(recipe, seed, device, progress):
    "Model and tokenizer after all parts of a recipe"
    model, tokenizer = _fresh(recipe.world, seed, device)
    model.float().set_attn_implementation("eager")
    for texts, low, high, share in recipe.course:
        rows = PARTS[texts](tokenizer, round(share * recipe.tokens), (low, high), seed)
        fine_tune(model, rows, recipe.lr, batch_tokens=recipe.batch_tokens, seed=seed, bf16=True,
                  progress=progress)
    return model, tokenizer

def make_world(
    recipe: Recipe, # What to make
    out: str | Path, # Folder to write; must not exist or be empty
    seed: int = 0, # Of weights and data
    device: str = "cpu", # `cpu` or `cuda`
    progress: bool = True # False shows no bar
) -> Path: # The folder
    "Make the warm start of a world; raises `ConfigError` rather than overwrite"
    folder = Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is not an empty folder; choose another one for the model")
    folder.parent.mkdir(parents=True, exist_ok=True)
    model, tokenizer = _make(recipe, seed, device, progress)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as part:
        model.save_pretrained(part)
        tokenizer.save_pretrained(part)
        about = json.dumps(dict(recipe=asdict(recipe), seed=seed), indent=1)
        Path(part, "world.json").write_text(about + "\n", encoding="utf-8")
        shutil.copytree(part, folder, dirs_exist_ok=True)
    return folder

def cache_folder() -> Path: # Of warm starts; `CHAINED_ADV_CACHE` moves it
    "Find the folder where warm starts are kept"
    chosen = os.environ.get("CHAINED_ADV_CACHE")
    if chosen: return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "chained_adv", "worlds")

def chosen_recipe(
    world: str, # `limits` or `steps`
    tokens: int = 0 # Training length; 0 is the recipe's
) -> Recipe: # Raises `ConfigError` for another world
    "Find the recipe of a world, perhaps of another length"
    if world not in RECIPES: raise ConfigError(f"world {world!r}: choose one of {', '.join(RECIPES)}")
    return replace(RECIPES[world], tokens=tokens or RECIPES[world].tokens)

def world_folder(
    recipe: Recipe, # Of a world
    seed: int = 0 # Of weights and data
) -> Path: # It may not exist yet
    "Name the folder that the cache keeps a warm start in, by a hash of its recipe"
    return cache_folder() / f"{recipe.world}-{stable_hash(asdict(recipe), seed) % 16**8:08x}"

def world_model(
    world: str, # `limits` or `steps`
    tokens: int = 0, # Training length; 0 is the recipe's
    seed: int = 0, # Of weights and data
    device: str = "cpu", # `cpu` or `cuda`
    progress: bool = True # False shows no bar
) -> Path: # A model folder
    "Find the warm start of a world, or make it now; a folder without `world.json`, written last, does not count"
    recipe = chosen_recipe(world, tokens)
    folder = world_folder(recipe, seed)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")): # a second process finds it made
        if (folder / "world.json").is_file(): return folder
        if folder.exists(): shutil.rmtree(folder) # half written
        return make_world(recipe, folder, seed, device, progress)

@torch.no_grad()
def exact_share(
    model: Qwen2ForCausalLM, # Of world B
    tokenizer: PreTrainedTokenizerFast, # Of world B
    stages: tuple[int, ...], # Of `FORMATS`
    problems: list[Steps] # What to solve
) -> float: # From 0 to 1
    "Share of problems whose whole answer the model would write greedily"
    rows = [encode_pieces(tokenizer, format_pieces(o, stages)) for o in problems]
    right = 0
    for batch in make_batches(rows, 8000):
        inputs = {name: tensor.to(model.device) for name, tensor in pad_rows(batch).items()}
        labels = inputs.pop("labels")
        logits = model(**inputs, use_cache=False).logits
        hit = (logits.argmax(-1) == labels) | (labels == IGNORED)
        right += int(hit.all(1).sum())
    return right / len(rows)

def depth_table(
    model: Qwen2ForCausalLM, # Of world B
    tokenizer: PreTrainedTokenizerFast, # Of world B
    n: int = 50, # Held-out problems per depth
    seed: int = 0 # Chooses them
) -> dict[str, list[float]]: # format: share of right answers at each of `DEPTHS`
    "Measure what a warm start of world B can do"
    drawn = {d: drawn_steps("held_out", n, (d,), seed) for d in DEPTHS}
    return {name: [exact_share(model, tokenizer, stages, drawn[d]) for d in DEPTHS]
            for name, stages in FORMATS.items()}
