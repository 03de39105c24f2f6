"""Writes a tiny Llama with random weights, as a Hugging Face directory or as a GGUF file.

Usage: make_llama.py DIRECTORY | make_llama.py FILE.gguf

The model generates English words and never ends a completion, so that only the server bounds its length. The first
dimension of the hidden state is constant, so the first column of the output matrix acts as a bias of each token.
"""

import json
import pathlib
import sys

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

HIDDEN, HEADS, LAYERS, FEED_FORWARD, CONTEXT = 64, 2, 2, 128, 4096
SPECIAL = ["<|bos|>", "<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]
# The tokenizer encodes every text as bytes. Only the model uses the words.
BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())
WORDS = [f"Ġ{word}" for word in "one two three four five six seven eight nine ten and the of a red green blue".split()]
VOCABULARY = SPECIAL + BYTES + ["Ġt"] + WORDS
MERGES = [("Ġ", "t")]
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] if m['role'] in ['system', 'user', 'assistant'] else 'user' }}|>"
    "{{ m['content'] if m['content'] is string else '' }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
UNUSED, CONSTANT = -60, 8.0


def make_weights():
    random = np.random.default_rng(7)

    def draw(*shape, scale=0.15):
        return (random.standard_normal(shape) * scale).astype(np.float32)

    embedding, head = draw(len(VOCABULARY), HIDDEN, scale=1), draw(len(VOCABULARY), HIDDEN, scale=0.12)
    embedding[:, 0] = CONSTANT
    normalized = CONSTANT / np.sqrt((CONSTANT**2 + HIDDEN) / HIDDEN)
    head[:, 0] = [0 if token in WORDS else UNUSED / normalized for token in VOCABULARY]
    weights = {"model.embed_tokens": embedding, "lm_head": head, "model.norm": np.ones(HIDDEN, np.float32)}
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        for name in "qkvo":
            weights[f"{prefix}self_attn.{name}_proj"] = draw(HIDDEN, HIDDEN)
        for name in ("gate", "up"):
            weights[f"{prefix}mlp.{name}_proj"] = draw(FEED_FORWARD, HIDDEN)
        weights[f"{prefix}mlp.down_proj"] = draw(HIDDEN, FEED_FORWARD)
        for name in ("input_layernorm", "post_attention_layernorm"):
            weights[prefix + name] = np.ones(HIDDEN, np.float32)
        # Keeps the first dimension constant.
        weights[f"{prefix}self_attn.o_proj"][0] = weights[f"{prefix}mlp.down_proj"][0] = 0
    return {f"{name}.weight": value for name, value in weights.items()}


def write_directory(directory):
    from safetensors.numpy import save_file

    directory.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(VOCABULARY)}, MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.save(str(directory / "tokenizer.json"))
    ids = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": HIDDEN,
        "intermediate_size": FEED_FORWARD,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "vocab_size": len(VOCABULARY),
        "max_position_embeddings": CONTEXT,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
        "torch_dtype": "float32",
        **ids,
    }
    tokens = {f"{name}_token": f"<|{token}|>" for name, token in (("bos", "bos"), ("eos", "end"), ("pad", "pad"))}
    files = {
        "config.json": config,
        "generation_config.json": {"do_sample": True, **ids},
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "chat_template": TEMPLATE,
            "model_max_length": CONTEXT,
            **tokens,
        },
    }
    for name, value in files.items():
        (directory / name).write_text(json.dumps(value))
    save_file(make_weights(), directory / "model.safetensors", metadata={"format": "pt"})


GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "lm_head": "output",
    "model.norm": "output_norm",
    "model.layers": "blk",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def write_gguf(file):
    import gguf

    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_vocab_size(len(VOCABULARY))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(VOCABULARY)
    kinds = gguf.TokenType
    writer.add_token_types([kinds.CONTROL if token in SPECIAL else kinds.NORMAL for token in VOCABULARY])
    writer.add_token_merges([" ".join(pair) for pair in MERGES])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_pad_token_id(2)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    for name, value in make_weights().items():
        for long, short in GGUF_NAMES.items():
            name = name.replace(long, short)
        if "attn_q" in name or "attn_k" in name:
            # GGML stores the halves of the rotated pairs next to each other.
            value = value.reshape(HEADS, 2, -1, HIDDEN).swapaxes(1, 2).reshape(HIDDEN, HIDDEN)
        writer.add_tensor(name, np.ascontiguousarray(value))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


target = pathlib.Path(sys.argv[1])
write_gguf(target) if target.suffix == ".gguf" else write_directory(target)
