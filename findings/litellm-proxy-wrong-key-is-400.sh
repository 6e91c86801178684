#!/usr/bin/env bash
# What does LiteLLM's proxy answer to a key that it does not know?
#
# One would guess: 401, with or without a key in the request, as the protocol has it and as each SDK's
# AuthenticationError needs it.
#
# What happens (litellm 1.106.2, installed as litellm[proxy], a master key and no database): a wrong key
# is answered 400, "No connected db.", of type `no_db_connection`. The words are about the proxy's own
# set-up; that the key is wrong is nowhere said. A request without a key is answered 500, "Internal
# Server Error"; the proxy's own log says "No module named 'prisma'". The proxy goes on.
#
# Why it matters: 400 is what a request is answered that the server cannot take, and 500 what passes if
# one waits. A program that tells "mend your key" from these by the status counts each sample as failed
# in the first case, and asks again and again in the second.
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet 'litellm[proxy]==1.106.2'
cat >proxy.yaml <<'YAML'
model_list:
  - model_name: kind
    litellm_params: {model: openai/kind, api_key: not-a-key, mock_response: "I am here."}
general_settings: {master_key: sk-not-a-real-key-of-a-test}
YAML
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export LITELLM_LOCAL_MODEL_COST_MAP=True
env/bin/litellm --config proxy.yaml --host 127.0.0.1 --port "$port" >log 2>&1 &
server=$!
until curl -s -o /dev/null "http://127.0.0.1:$port/health/liveliness"; do kill -0 "$server" || { tail -5 log; exit 1; }; sleep 1; done
ask() { # prints body and status; arguments go to curl
    curl -s -w ' %{http_code}\n' "http://127.0.0.1:$port/v1/chat/completions" -H 'Content-Type: application/json' "$@" \
        -d '{"model": "kind", "messages": [{"role": "user", "content": "hi"}]}'
}
env/bin/pip list 2>/dev/null | grep '^litellm '
ask -H 'Authorization: Bearer sk-not-a-real-key-of-a-test' | tee right
ask | tee none
ask -H 'Authorization: Bearer sk-another-fake-key' | tee wrong
grep -q ' 200$' right
grep -q 'Internal Server Error 500$' none
grep -q 'No connected db.* 400$' wrong
