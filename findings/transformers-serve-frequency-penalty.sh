#!/usr/bin/env bash
# What does `frequency_penalty` do at transformers serve?
#
# One would guess: what the protocol says. A token that stands in the reply so far n times loses n times
# the penalty from its logit; the prompt does not count, so the first token of a reply cannot change.
#
# What happens (transformers 5.24.0): it becomes a repetition penalty of 1 + frequency_penalty, which
# divides the logit (or multiplies it, if negative) of each token of the prompt and of the reply, once,
# however often it stands there. The first token changes, and a reply is the same as with
# `repetition_penalty` 2 for a penalty of 1.
#
# Why it matters: the same request punishes a model for using the words of its question at this server,
# and for repeating itself at others. Replies of two servers of one model are not of one distribution.
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


import string

changed = []
for letter in string.ascii_lowercase:
    prompt = letter * 3
    (_, plain), (_, less) = ask(prompt, max_tokens=1), ask(prompt, max_tokens=1, frequency_penalty=1)
    if plain["message"]["content"] != less["message"]["content"]:
        changed.append(letter)
print("prompts with another first token:", changed)
assert changed
end = {"eos_token_id": 0, "max_new_tokens": 20, "repetition_penalty": 2.0}
(_, less), (_, other) = ask("hello", frequency_penalty=1), ask("hello", generation_config=json.dumps(end))
assert less["message"]["content"] == other["message"]["content"]
PY
env/bin/pip list 2>/dev/null | grep '^transformers '
env/bin/python ask.py "$port"
