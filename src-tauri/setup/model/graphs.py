"""The two models as ONNX graphs, written node by node from their weights.

Both are BERT, hence one encoder. Nothing in them may depend on the order in which a processor adds up: their results are
kept in vaults, and vaults are carried between machines.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20  # the first operator set with Gelu; LayerNormalization is there since 17
IR_VERSION = 9  # what belongs to opset 20, so that older runtimes read the file too

# Each int64 [batch, tokens].
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# As a word's bias it leaves none of its logits above 0.
NEVER = -1e9
DECODER_PARTS = 16


class BuildError(Exception):
    """A step failed for a reason that a person can act on."""


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


class Bert(Graph):
    """A graph over the weights of one BERT.

    `prefix` stands before the encoder's tensor names; `norm` is how the two tensors of a LayerNorm are called.
    """

    def __init__(self, weights, config, prefix="", norm=("weight", "bias")):
        super().__init__()
        if config["hidden_act"] != "gelu":
            raise BuildError(f"the model uses the activation {config['hidden_act']}, only gelu is known here")
        self.weights = weights
        self.config = config
        self.prefix = prefix
        self.norm = norm

    def weight(self, name):
        try:
            return self.weights[name].astype(np.float32)
        except KeyError:
            raise BuildError(f"the weights have no tensor {name}") from None

    def linear(self, x, name, prefix=""):
        # Stored as [out, in]; MatMul wants [in, out].
        product = self.node("MatMul", x, self.constant(f"{name}.matrix", self.weight(f"{prefix}{name}.weight").T))
        return self.node("Add", product, self.constant(f"{name}.bias", self.weight(f"{prefix}{name}.bias")))

    def layer_norm(self, x, name, prefix="", output=None):
        scale, shift = (self.weight(f"{prefix}{name}.{part}") for part in self.norm)
        return self.node(
            "LayerNormalization",
            x,
            self.constant(f"{name}.scale", scale),
            self.constant(f"{name}.shift", shift),
            output=output,
            axis=-1,
            epsilon=self.config["layer_norm_eps"],
        )

    def model(self, name, output, shape):
        """The finished model: BERT's three inputs and the one output."""
        ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in INPUTS]
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, name, ids, [result], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        return model


def encode(g, output=None):
    """Adds BERT's encoder: token, position and segment embeddings, then the transformer layers.

    Returns the token states, float32 [batch, tokens, hidden], under the name `output` when it is given.
    """
    config = g.config
    hidden = config["hidden_size"]
    heads = config["num_attention_heads"]
    per_head = hidden // heads

    def weight(name):
        return g.weight(g.prefix + name)

    def linear(x, name):
        return g.linear(x, name, g.prefix)

    def layer_norm(x, name, output=None):
        return g.layer_norm(x, name, g.prefix, output)

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
        x = layer_norm(inner, f"{layer}.output.LayerNorm", output if last else None)
    return x


def embedder(weights, config):
    """The embedding model. Output: last_hidden_state, float32 [batch, tokens, hidden]."""
    g = Bert(weights, config)
    encode(g, "last_hidden_state")
    return g.model("encoder", "last_hidden_state", ["batch", "tokens", config["hidden_size"]])


def expander(weights, config, special):
    """The learned sparse model. Output: weights, float32 [batch, words of the vocabulary].

    A word's weight is log(1 + max(0, its highest logit over the text's tokens)), a token's logits being those of BERT's
    head for masked words. Tokens that the attention mask leaves out have no part in it, as long as one remains; the
    words `special` weigh nothing.
    """
    g = Bert(weights, config, prefix="bert.", norm=("gamma", "beta"))
    states = encode(g)
    head = "cls.predictions.transform"
    states = g.layer_norm(g.node("Gelu", g.linear(states, f"{head}.dense")), f"{head}.LayerNorm")

    # A masked token takes the state of the text's first one that is not, so that the maximum stays what it is. To lower
    # its logits instead would be one more pass over 30,522 numbers a token.
    first = g.node("Unsqueeze", g.node("ArgMax", "attention_mask", axis=1, keepdims=0), "axis.last")
    tokens = g.constant("axis.tokens", np.array([1], np.int64))
    first = g.node("Unsqueeze", g.node("GatherND", states, first, batch_dims=1), tokens)
    seen = g.node("Unsqueeze", g.node("Cast", "attention_mask", to=TensorProto.BOOL), "axis.last")
    states = g.node("Where", seen, states, first)

    # The matrix is the table of words, tied. In parts, because all logits of a long text are 31 MB: a part's are still
    # at hand when their maximum is taken, which saves a sixth of the time.
    words = np.array_split(g.weight("bert.embeddings.word_embeddings.weight"), DECODER_PARTS)
    highest = []
    for number, part in enumerate(words):
        logits = g.node("MatMul", states, g.constant(f"decoder.{number}.matrix", part.T))
        highest.append(g.node("ReduceMax", logits, tokens, keepdims=0))
    # The bias of a word is the same for every token, so it can wait until after the maximum.
    bias = g.weight("cls.predictions.bias")
    bias[list(special)] = NEVER
    lifted = g.node("Add", g.node("Concat", *highest, axis=-1), g.constant("decoder.bias", bias))
    lifted = g.node("Relu", lifted)
    g.node("Log", g.node("Add", lifted, "one"), output="weights")
    return g.model("expander", "weights", ["batch", len(bias)])
