#!/usr/bin/env bash
# What is the score of a verdict that flow-judge cannot read?
#
# One would guess: None, which the type of `EvalOutput.score` allows ("int | None"), or an error.
#
# What happens (flow-judge 0.1.2): -1, a number like any other, with the feedback "Error". "4/5" and "4.5"
# between the tags are not read either. Only a line in the log tells.
#
# Why it matters: on a scale of 1 to 5 a mean over the scores sinks by one unread verdict as by a reply that
# is two points worse than the worst. One unread verdict in ten costs half a point, as much as lies between
# models.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet pydantic==2.14.4
env/bin/pip install --quiet --no-deps flow-judge==0.1.2
cat >ask.py <<'PY'
import importlib.util
import logging
from glob import glob
from importlib.metadata import version

# One file: the package imports what it serves models with.
path = glob("env/lib/python*/site-packages/flow_judge/eval_data_types.py")[0]
spec = importlib.util.spec_from_file_location("eval_data_types", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
logging.disable()

print("flow-judge", version("flow-judge"))
for score in ("4", "4/5", "4.5", "four"):
    verdict = module.EvalOutput.parse(f"<feedback>Warm and exact.</feedback>\n<score>{score}</score>")
    print(f"<score>{score}</score> ->", verdict)
    assert verdict.score == (4 if score == "4" else -1)
PY
env/bin/python ask.py
