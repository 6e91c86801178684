# mypy: ignore-errors
"""Writes a tiny LLaMA that says a known text, for the servers that these tests start.

    python tiny_model.py gguf FILE [--strict]
    python tiny_model.py folder FOLDER [--strict]

A GGUF file needs the package `gguf`, which llama.cpp's authors publish; a folder as transformers
and vLLM read it needs `safetensors`.

Attention and feed-forward weights are zero, so the next token depends on the last one alone: an
embedding is a row of the unit matrix, and the last matrix holds the logits. Each byte of a prompt
is a token, so a server's count of tokens can be compared with the text. A reply is `PLACES` made-up
words; each place has `WAYS` of them, so greedy replies are always the same and drawn ones never.
Held to a JSON schema it says the shortest JSON that fits.

With `--strict` its chat template takes no system text and no two turns of one speaker in a row,
as those of Gemma and Mistral do, and it thinks before it speaks.
"""

import json
import sys
from itertools import product
from pathlib import Path

import numpy as np

WIDTH, HEADS, HIDDEN, CONTEXT = 512, 8, 64, 32768
PLACES, WAYS = 40, 3
MARKS = ["<|begin|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<think>", "</think>"]
HIDDEN_MARKS = 5  # the others are text, as those of real models are
SYLLABLES = [a + b for a, b in product("bdfgklmnprst", "aeiou")]
WORDS = [f" {a}{b}" for a, b in zip(SYLLABLES * 4, SYLLABLES[7:] * 4, strict=False)][
    : PLACES * WAYS + WAYS
]
ROOM = np.sqrt(WIDTH)
"""What the last norm makes of the one in an embedding."""
TEMPLATE = (
    "{%- for m in messages %}{{ '<|' + m['role'] + '|>' }}"
    "{%- if m['reasoning_content'] %}{{ '<think>' + m['reasoning_content'] + '</think>' }}"
    "{%- endif %}{{ m['content'] + '<|end|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{ '<|assistant|>' }}{%- endif %}"
)
STRICT = (
    "{%- for m in messages %}"
    "{%- if m['role'] == 'system' %}{{ raise_exception('System role not supported') }}{%- endif %}"
    "{%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception("
    "'Conversation roles must alternate user/assistant/user/assistant/...') }}{%- endif %}"
    "{%- endfor %}" + TEMPLATE
)


def printable_bytes() -> list[str]:
    """How byte-level BPE writes each byte: as GPT-2's `bytes_to_unicode`."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    names = {byte: chr(byte) for byte in plain}
    names |= {byte: chr(256 + place) for place, byte in enumerate(others)}
    return [names[byte] for byte in range(256)]


BYTES = printable_bytes()
MERGED = BYTES[0] + BYTES[1]  # a list of merges must not be empty
TOKENS = [*BYTES, MERGED, *(word.replace(" ", BYTES[32]) for word in WORDS), *MARKS]
FIRST_WORD, FIRST_MARK = 257, 257 + len(WORDS)
END, ASSISTANT, THINK, THOUGHT = (FIRST_MARK + place for place in (1, 4, 5, 6))


def logits(strict: bool) -> np.ndarray:
    """Of each token (row) after each token (column)."""
    after = np.zeros((len(TOKENS), WIDTH), np.float32)
    for text, logit in (('"', 14), ("}", 13), ("]", 13), (",", 12), (":", 11), ("{", 5), ("1", 9)):
        after[ord(text), : len(TOKENS)] = logit
    after[:, FIRST_WORD : len(TOKENS)] *= 0.3  # what a reply holds goes before JSON, if it may
    for place in range(PLACES + 1):
        words = FIRST_WORD + np.arange(WAYS) + (place - 1) * WAYS
        before = words if place else THOUGHT if strict else ASSISTANT
        follow(after, before, FIRST_WORD + place * WAYS if place < PLACES else END)
    thoughts = FIRST_WORD + PLACES * WAYS
    if strict:
        after[:, ASSISTANT] = 0
        after[THINK, ASSISTANT] = 20
        follow(after, THINK, thoughts)
        after[THOUGHT, thoughts : thoughts + WAYS] = 20
    return after


def follow(after: np.ndarray, before: object, first: int) -> None:
    """Let the words of the next place come after those of this one, or the end."""
    ways = 1 if first == END else WAYS
    for way in range(ways):
        after[first + way, before] = 20 - 0.5 * way


def tensors(strict: bool) -> dict[str, np.ndarray]:
    """All weights, under the names of transformers."""
    layer, ones, zeros = "model.layers.0.", np.ones, np.zeros
    square = zeros((WIDTH, WIDTH), np.float32)
    return {
        "model.embed_tokens.weight": np.eye(len(TOKENS), WIDTH, dtype=np.float32),
        "model.norm.weight": ones(WIDTH, np.float32),
        "lm_head.weight": (logits(strict) / ROOM).astype(np.float32),
        f"{layer}input_layernorm.weight": ones(WIDTH, np.float32),
        f"{layer}post_attention_layernorm.weight": ones(WIDTH, np.float32),
        **{f"{layer}self_attn.{name}_proj.weight": square for name in "qkvo"},
        **{
            f"{layer}mlp.{name}_proj.weight": zeros((HIDDEN, WIDTH), np.float32)
            for name in ("gate", "up")
        },
        f"{layer}mlp.down_proj.weight": zeros((WIDTH, HIDDEN), np.float32),
    }


GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "model.layers.0.": "blk.0.",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def write_gguf(path: str, strict: bool) -> None:
    """The model as llama.cpp reads it."""
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    _name_tokens(writer, gguf.TokenType)
    writer.add_chat_template(STRICT if strict else TEMPLATE)
    for name, weights in tensors(strict).items():
        for theirs, its in GGUF_NAMES.items():
            name = name.replace(theirs, its)
        writer.add_tensor(name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer) -> None:
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(TOKENS))


def _name_tokens(writer, kinds) -> None:
    marks = [kinds.CONTROL] * HIDDEN_MARKS + [kinds.USER_DEFINED] * (len(MARKS) - HIDDEN_MARKS)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([kinds.NORMAL] * FIRST_MARK + marks)
    writer.add_token_merges([f"{BYTES[0]} {BYTES[1]}"])
    writer.add_bos_token_id(FIRST_MARK)
    writer.add_eos_token_id(END)
    writer.add_add_bos_token(False)


def write_folder(path: str, strict: bool) -> None:
    """The model as transformers and vLLM read it."""
    from safetensors.numpy import save_file

    folder = Path(path)
    folder.mkdir(parents=True)
    save_file(tensors(strict), folder / "model.safetensors", metadata={"format": "pt"})
    files = {
        "config.json": _config(),
        "generation_config.json": {"bos_token_id": FIRST_MARK, "eos_token_id": END},
        "tokenizer.json": _tokenizer(),
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": MARKS[0],
            "eos_token": MARKS[1],
            "pad_token": MARKS[1],
            "chat_template": STRICT if strict else TEMPLATE,
        },
    }
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value), encoding="utf-8")


def _config() -> dict:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": len(TOKENS),
        "hidden_size": WIDTH,
        "intermediate_size": HIDDEN,
        "num_hidden_layers": 1,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "max_position_embeddings": CONTEXT,
        "rms_norm_eps": 1e-6,
        "bos_token_id": FIRST_MARK,
        "eos_token_id": END,
        "tie_word_embeddings": False,
        "dtype": "float32",
    }


def _tokenizer() -> dict:
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    byte_level |= {"trim_offsets": True}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "normalizer": None,
        "post_processor": None,
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "added_tokens": [
            {"id": FIRST_MARK + place, "content": mark, "special": place < HIDDEN_MARKS, **added}
            for place, mark in enumerate(MARKS)
        ],
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: place for place, token in enumerate(TOKENS[:FIRST_MARK])},
            "merges": [[BYTES[0], BYTES[1]]],
        },
    }


if __name__ == "__main__":
    kind, where, *more = sys.argv[1:]
    {"gguf": write_gguf, "folder": write_folder}[kind](where, "--strict" in more)
