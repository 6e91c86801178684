# mypy: ignore-errors
"""Writes a tiny LLaMA with random weights as GGUF: `python tiny_model.py FILE`.

For a Python with the package `gguf`, which llama.cpp's authors publish. It says nothing that
makes sense; what matters is that a real server speaks for it.
"""

import sys

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT = 32, 2, 4, 64, 4096
SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
LETTERS = ["▁", *"abcdefghijklmnopqrstuvwxyz0123456789:.,"]
TOKENS = SPECIAL + BYTES + LETTERS
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


def write(path: str) -> None:
    """The whole file: what it is, its tokens, its weights."""
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    _name_tokens(writer)
    for name, shape in _shapes().items():
        writer.add_tensor(name, _weights(name, shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: gguf.GGUFWriter) -> None:
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(TOKENS))


def _name_tokens(writer: gguf.GGUFWriter) -> None:
    kinds = [2, 3, 3] + [6] * len(BYTES) + [1] * len(LETTERS)  # unknown, control, byte, normal
    writer.add_tokenizer_model("llama")
    writer.add_token_list(TOKENS)
    writer.add_token_scores([0.0] * len(TOKENS))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)


def _shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (len(TOKENS), WIDTH),
        "output_norm.weight": (WIDTH,),
        "output.weight": (len(TOKENS), WIDTH),
    }
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shapes[f"blk.{layer}.{name}.weight"] = (WIDTH, WIDTH)
        for name in ("attn_norm", "ffn_norm"):
            shapes[f"blk.{layer}.{name}.weight"] = (WIDTH,)
        for name in ("ffn_gate", "ffn_up"):
            shapes[f"blk.{layer}.{name}.weight"] = (HIDDEN, WIDTH)
        shapes[f"blk.{layer}.ffn_down.weight"] = (WIDTH, HIDDEN)
    return shapes


_RANDOM = np.random.default_rng(1)


def _weights(name: str, shape: tuple[int, ...]) -> np.ndarray:
    if len(shape) == 1:
        return np.ones(shape, np.float32)
    weights = _RANDOM.normal(0, 0.3, shape).astype(np.float32)
    if name == "output.weight":
        weights[: len(SPECIAL) + len(BYTES)] -= 1.0  # letters come out rather than bytes
    return weights


if __name__ == "__main__":
    write(sys.argv[1])
