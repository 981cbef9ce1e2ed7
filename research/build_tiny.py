"""Make the model that ships with the package from nothing, and the warm starts of the studies' worlds.

    python -m research.build_tiny pretrain --out my-tiny-model
    python -m research.build_tiny world limits
    python -m research.build_tiny levels

The shipped model has 1.7 million parameters, so that a first run needs no network. A training sequence is a
list of pieces, some read and some learned: the loss counts on what a player writes, never on what it reads.
"""

from pathlib import Path
from random import Random
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from chained_adv.core import ConfigError, Problem, make_rng
from chained_adv.loading import pick_device
from chained_adv.sft import Row, encode_pieces, fine_tune
from chained_adv.stages import PROMPT_SETS, discriminator_prompt, generator_prompt
from chained_adv.tiny.world import Spec, all_specs, describe_spec, is_held_out, spec_id, spec_signature
from research.command import add_threads, make_parser, print_rows, run_command, whole
from research.writer import write_chain, write_tests

TAGS = PROMPT_SETS["tags"]

def _problem(spec, rng):
    "What a player reads of a spec, in one of its wordings"
    return Problem(spec_id(spec), describe_spec(spec, rng), spec_signature(spec), (), "")

def chain_pieces(
    spec: Spec, # A right spec of the tiny world
    rng: Random # Of wordings and mistakes
) -> list[tuple[str, bool]]: # (text, is it learned?)
    "Write a generator's training sequence"
    problem, texts, pieces, said = _problem(spec, rng), write_chain(spec, rng), [], ""
    for stage, text in enumerate(texts, 1):
        prompt = generator_prompt(TAGS, problem, stage, texts[:stage - 1])
        pieces += [(prompt[len(said):], False), (text + "<end>", True)]
        said = prompt + text + "<end>"
    return pieces

def direct_pieces(
    spec: Spec, # A right spec of the tiny world
    rng: Random # Of wordings and mistakes
) -> list[tuple[str, bool]]: # (text, is it learned?)
    "Write a generator's training sequence without the stages before code, so one can ask what the stages are worth"
    prompt = generator_prompt(TAGS, _problem(spec, rng), 5, [None] * 4)
    return [(prompt, False), (write_chain(spec, rng)[4] + "<end>", True)]

def tests_pieces(
    spec: Spec, # A right spec of the tiny world
    rng: Random # Of wordings and mistakes
) -> list[tuple[str, bool]]: # (text, is it learned?)
    "Write a discriminator's training sequence"
    problem, stage = _problem(spec, rng), rng.randint(1, 5)
    prompt = discriminator_prompt(TAGS, problem, stage, write_chain(spec, rng)[stage - 1])
    return [(prompt, False), (write_tests(spec, stage, rng) + "<end>", True)]

SPECIAL = ["<pad>", "<end>"] + [f"<{kind}{i}>" for kind in "st" for i in range(1, 6)]

def _train_bpe(texts, vocab_size):
    "Byte-level BPE whose merges cross spaces and never digits"
    tok = Tokenizer(models.BPE())
    digits = pre_tokenizers.Split(Regex(r"[ ,]?\d"), "isolated")
    tok.pre_tokenizer = pre_tokenizers.Sequence(
        [digits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tok.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tok.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False))
    return tok

def training_specs() -> list[Spec]: # In a fixed order
    "List the specs that may be shown: none of the held-out combinations"
    return [s for s in all_specs() if not is_held_out(s)]

def train_tokenizer(
    n_texts: int = 4000, # How many sequences to learn merges from
    vocab_size: int = 768, # Entries in all
    seed: int = 0 # Chooses the sequences
) -> PreTrainedTokenizerFast: # Load its files with `load_tokenizer`
    """Train the tokenizer of the tiny model: byte-level BPE with one token per tag.

    Merges may cross spaces, so that a phrase like `for x in range(` is one token: a chain takes 55 tokens
    instead of the 139 of a tokenizer that splits at words. Digits stay apart, with the space or comma before
    them, so that a number is spelled the same everywhere.
    """
    rng, specs = make_rng("tokenizer", seed), training_specs()
    kinds = (chain_pieces, tests_pieces)
    texts = ["".join(t for t, _ in rng.choice(kinds)(rng.choice(specs), rng)) for _ in range(n_texts)]
    return PreTrainedTokenizerFast(
        tokenizer_object=_train_bpe(texts, vocab_size), chat_template=TEMPLATE, eos_token="<end>", pad_token="<pad>",
        additional_special_tokens=SPECIAL[2:], clean_up_tokenization_spaces=False)

# Messages in a row; the prompts of the set `tags` are complete
TEMPLATE = "{% for m in messages %}{{ m['content'] }}{% if m['role'] == 'assistant' %}<end>{% endif %}{% endfor %}"

SIZES: dict[str, Any] = dict(
    hidden_size=192, num_hidden_layers=4, num_attention_heads=6, num_key_value_heads=2,
    intermediate_size=512, max_position_embeddings=512)

def make_model(
    tokenizer: PreTrainedTokenizerFast, # Its tokenizer
    seed: int = 0, # Of the initial weights
    **sizes # Anything of `LlamaConfig`, to make another size
) -> LlamaForCausalLM: # With random weights
    """
    Make a fresh tiny model: 1.7 million parameters by default

    A Llama, because other libraries then read its tokenizer as its files say. For Qwen they assume the rules of Qwen's own tokenizer.
    """
    torch.manual_seed(seed)
    return LlamaForCausalLM(LlamaConfig(
        vocab_size=len(tokenizer), tie_word_embeddings=True, attention_bias=True, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, bos_token_id=None, **SIZES | sizes))

SHARES = {chain_pieces: .38, direct_pieces: .06, tests_pieces: .56}

def pretraining_rows(
    tokenizer: PreTrainedTokenizerFast, # Of the model
    tokens: int, # Stop after about this many tokens
    seed: int = 0 # Chooses the sequences
) -> list[Row]: # Chains, direct code and lists of tests, by their shares
    "Write texts of the tiny world, mistakes included"
    rng, specs, rows = make_rng("warm start", seed), training_specs(), []
    while tokens > 0:
        kind, = rng.choices(list(SHARES), list(SHARES.values()))
        rows.append(encode_pieces(tokenizer, kind(rng.choice(specs), rng)))
        tokens -= len(rows[-1].ids)
    return rows

def pretrain_model(
    model: LlamaForCausalLM, # Changed in place
    tokenizer: PreTrainedTokenizerFast, # Of the model
    tokens: int = 8_000_000, # Training length
    lr: float = 3e-3, # Peak learning rate
    seed: int = 0, # Chooses the data
    progress: bool = True # False shows no bar
) -> list[float]: # Loss per step
    "Teach a fresh model the writer's texts; on a CPU plain attention and bf16 are each about twice as fast"
    model.set_attn_implementation("eager")
    rows = pretraining_rows(tokenizer, tokens, seed)
    return fine_tune(model, rows, lr, batch_tokens=2500, seed=seed, bf16=True, progress=progress)

def pretrain(
    out: str, # Folder to write; must not exist or be empty
    tokens: int = 8_000_000, # Training length
    seed: int = 0, # Of weights and data
    device: str = "cpu", # `cpu` or `cuda`
    progress: bool = True, # False shows no bar
    **sizes # Anything of `LlamaConfig`
) -> Path: # The folder
    "Make the tiny model from nothing; raises `ConfigError` rather than overwrite"
    folder = Path(out)
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty; choose another folder for the model")
    tokenizer = train_tokenizer(seed=seed)
    model = make_model(tokenizer, seed, **sizes)
    # `to` is wrapped in transformers, and the checker takes its argument for the model
    model.to(device) # pyrefly: ignore[bad-argument-type]
    pretrain_model(model, tokenizer, tokens, seed=seed, progress=progress)
    model.generation_config.update(do_sample=True, max_new_tokens=160) # servers sample, as we do
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


# The command

def _pretrain(args):
    folder = pretrain(args.out, args.tokens or 8_000_000, args.seed, str(pick_device(args.device)))
    print(f"model  {folder}\nnext   chained-adv train --model {folder} --problems tiny --lr 0.002 --out runs/mine")

def _world(args):
    from research.warm import chosen_recipe, make_world, world_model
    device = str(pick_device(args.device))
    if args.out: folder = make_world(chosen_recipe(args.name, args.tokens), args.out, args.seed, device)
    else: folder = world_model(args.name, args.tokens, args.seed, device)
    print(f"model  {folder}")

def _levels(args):
    from research.limits import level_rows
    rows = level_rows(args.problems, args.inputs, args.seed)
    print_rows(("level", "inputs that show the bug", f"bugs found by {args.inputs} inputs", "what the bug is"),
               [(r["level"], f"{r['inputs']:.2%}", f"{r['found']:.1%}", r["habit"]) for r in rows], args.json)

def main(argv: list[str] | None = None):
    "Run the command"
    parser = make_parser("Make the tiny model from nothing, or the warm start of a study's world.", """
python -m research.build_tiny pretrain --out my-tiny-model
python -m research.build_tiny pretrain --out my-tiny-model --tokens 40000000 --device cuda
python -m research.build_tiny world limits
python -m research.build_tiny world steps --out models/steps
python -m research.build_tiny levels""")
    commands = parser.add_subparsers(required=True)
    made = {}
    for name, what, run in (("pretrain", "make the tiny model from nothing", _pretrain),
                            ("world", "make the warm start of a study's world", _world),
                            ("levels", "count how many bugs of world A wide random inputs find", _levels)):
        made[name] = command = commands.add_parser(name, help=what, description=what)
        command.set_defaults(run=run)
        command.add_argument("--seed", type=int, default=0, help="of weights and data (default 0)")
        add_threads(command)
    made["pretrain"].add_argument("--out", required=True, help="folder to write the model to; must be new or empty")
    made["world"].add_argument("name", choices=("limits", "steps"), help="limits (world A) or steps (world B)")
    made["world"].add_argument("--out", default="", help="folder to write the model to; left out: the cache")
    for name in ("pretrain", "world"):
        made[name].add_argument("--tokens", type=whole(0), default=0, help="training length; 0 is the recipe's")
        made[name].add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    made["levels"].add_argument("--inputs", type=whole(1), default=32, help="random inputs per problem (default 32)")
    made["levels"].add_argument("--problems", type=whole(1), default=200, help="problems per level (default 200)")
    made["levels"].add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(argv)
    run_command(args.run, args)

if __name__ == "__main__": main()
