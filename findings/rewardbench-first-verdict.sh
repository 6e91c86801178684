#!/usr/bin/env bash
# Which verdict does RewardBench take from a judge that names both?
#
# One would guess: the last, as its own prompt asks for an explanation first and the final verdict after it.
#
# What happens (rewardbench 0.1.4): it looks for [[A]] anywhere in the reply, and for [[B]] only where there
# is no [[A]]. A judge that repeats its instructions, weighs both, or takes back a first verdict, has chosen A.
#
# Why it matters: it is a liking for the first place that the judge does not have. It grows with the length
# of the explanation, so that a judge that thinks aloud looks more biased than one that does not, and a swap
# of places counts as a contradiction. The rule came from FastChat, and others copied it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --no-deps rewardbench==0.1.4
cat >ask.py <<'PY'
import ast
from glob import glob
from importlib.metadata import version

# The function alone: its module imports the SDKs of five providers.
text = open(glob("env/lib/python*/site-packages/rewardbench/generative.py")[0]).read()
functions = [node for node in ast.parse(text).body if getattr(node, "name", "") == "process_judgement"]
scope = {}
exec(ast.unparse(functions[0]), scope)
read = scope["process_judgement"]

print("rewardbench", version("rewardbench"))
for reply in (
    "B hears what is behind the question. [[B]]",
    "I was asked to say [[A]] or [[B]]. B hears what is behind the question. [[B]]",
    "At first sight [[A]]. Read again, A only flatters. My final verdict: [[B]]",
):
    print(repr(reply), "->", read(reply, None))
assert read("[[B]]", None) == "B"
assert read("I was asked to say [[A]] or [[B]]. [[B]]", None) == "A"
PY
env/bin/python ask.py
