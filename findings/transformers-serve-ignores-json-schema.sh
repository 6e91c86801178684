#!/usr/bin/env bash
# What does transformers serve do with a JSON schema?
#
# One would guess: a server that refuses each field that it does not know with 422, as this one does,
# refuses `response_format` or keeps to it.
#
# What happens (transformers 5.24.0): status 200 and free text. `response_format` is known to the
# check of fields and read by nothing.
#
# Why it matters: a judge that is asked for a verdict in a schema answers in any form, and the caller,
# who saw no refusal, does not ask in words instead. Whoever reads the reply strictly has no verdicts.
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet torch==2.13.0 'transformers[serving]==5.24.0'
export HF_HUB_OFFLINE=1
cat >model.py <<'PY'
"""A tiny LLaMA with random weights that writes small letters."""

import string

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

torch.manual_seed(1)
names = ["<end>", *string.ascii_lowercase]
tokens = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, "<end>"))
tokens.pre_tokenizer = pre_tokenizers.Split("", "isolated")
tokens.decoder = decoders.Fuse()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, eos_token="<end>", pad_token="<end>")
tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
tokenizer.save_pretrained("tiny")
config = LlamaConfig(
    vocab_size=len(names), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
    num_attention_heads=2, max_position_embeddings=256, eos_token_id=0, pad_token_id=0,
    initializer_range=0.5,
)
model = LlamaForCausalLM(config)
model.lm_head.weight.data[0] = 0  # it does not end by itself
model.save_pretrained("tiny")
PY
env/bin/python model.py >/dev/null 2>log || { tail -5 log; exit 1; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
env/bin/transformers serve --host 127.0.0.1 --port "$port" --device cpu >log 2>&1 &
server=$!
until curl -s -o /dev/null "http://127.0.0.1:$port/health"; do kill -0 "$server" || { tail -5 log; exit 1; }; sleep 1; done
cat >ask.py <<'PY'
import json
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def ask(text, **fields):
    messages = [{"role": "user", "content": text}]
    body = {"model": "tiny", "messages": messages, "temperature": 0, "max_tokens": 20, **fields}
    url = f"http://127.0.0.1:{sys.argv[1]}/v1/chat/completions"
    sent = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urlopen(sent) as response:
            status, answer = response.status, json.load(response)
    except HTTPError as error:
        status, answer = error.code, error.read().decode()
    said = answer["choices"][0] if status == 200 else answer
    print(fields or "no other field", "->", status, json.dumps(said))
    return status, said


schema = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
wanted = {"type": "json_schema", "json_schema": {"name": "v", "strict": True, "schema": schema}}
status, refused = ask("hello", field_of_nobody=1)
assert status == 422
status, said = ask("hello", response_format=wanted)
assert status == 200
assert "{" not in said["message"]["content"]
status, said = ask("hello", response_format={"type": "json_object"})
assert status == 200
assert "{" not in said["message"]["content"]
PY
env/bin/pip list 2>/dev/null | grep '^transformers '
env/bin/python ask.py "$port"
