"""Writes a tiny Whisper with random weights in the format of CTranslate2.

Usage: make_whisper.py DIRECTORY

The model transcribes every sound as a few English words.
"""

import pathlib
import sys

import numpy as np
from ctranslate2.specs import WhisperSpec, model_spec
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

SIZE, HEADS, LAYERS, FEED_FORWARD, MELS, FRAMES, TOKENS = 64, 2, 1, 128, 80, 1500, 448
WORDS = [f"Ġ{word}" for word in "one two three four five six seven eight nine ten and the of a red green blue".split()]
END = "<|endoftext|>"
SPECIAL = (
    [END, "<|startoftranscript|>", "<|en|>", "<|de|>", "<|translate|>", "<|transcribe|>"]
    + ["<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
    + [f"<|{index * 0.02:.2f}|>" for index in range(FRAMES + 1)]
)
# The tokenizer encodes every text as bytes. Only the model uses the words.
VOCABULARY = sorted(pre_tokenizers.ByteLevel.alphabet()) + WORDS + SPECIAL
UNUSED = -60

# Shapes of the variables outside the layers.
SHAPES = {
    "encoder/conv1/weight": (SIZE, MELS, 3),
    "encoder/conv2/weight": (SIZE, SIZE, 3),
    "encoder/position_encodings/encodings": (FRAMES, SIZE),
    "decoder/position_encodings/encodings": (TOKENS, SIZE),
    "decoder/embeddings/weight": (len(VOCABULARY), SIZE),
    "decoder/projection/weight": (len(VOCABULARY), SIZE),
}
# Shapes of the weights of each layer, by the end of their names. Others are square.
LAYER_SHAPES = {
    "self_attention/linear_0/weight": (3 * SIZE, SIZE),
    "/attention/linear_1/weight": (2 * SIZE, SIZE),
    "ffn/linear_0/weight": (FEED_FORWARD, SIZE),
    "ffn/linear_1/weight": (SIZE, FEED_FORWARD),
}


def make_value(name, value):
    last = name.split("/")[-1]
    if last in ("gamma", "beta"):
        return np.full(SIZE, last == "gamma", np.float32)
    if name == "decoder/projection/bias":
        biases = [2 if token == END else 1 if token in WORDS else UNUSED for token in VOCABULARY]
        return np.array(biases, np.float32)
    if "conv" in name and last == "bias":
        return np.zeros(SIZE, np.float32)
    if value is not None and name not in SHAPES:
        return value
    of_layer = (shape for end, shape in LAYER_SHAPES.items() if name.endswith(end))
    shape = SHAPES.get(name) or next(of_layer, (SIZE, SIZE))
    return (np.random.default_rng(len(name)).standard_normal(shape) * 0.1).astype(np.float32)


def set_variable(spec, name, value):
    setattr(spec, name.split("/")[-1], make_value(name, value))


def write_model(directory):
    directory.mkdir(parents=True, exist_ok=True)
    spec = WhisperSpec(LAYERS, HEADS, LAYERS, HEADS)
    model_spec.visit_spec(spec, set_variable)
    spec.config.lang_ids = [VOCABULARY.index(language) for language in ("<|en|>", "<|de|>")]
    spec.config.alignment_heads = [(0, 0)]
    spec.register_vocabulary(VOCABULARY)
    spec.validate()
    spec.save(str(directory))
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(VOCABULARY)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.save(str(directory / "tokenizer.json"))


write_model(pathlib.Path(sys.argv[1]))
