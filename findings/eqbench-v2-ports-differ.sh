#!/usr/bin/env bash
# Do two evaluation harnesses give one EQ-Bench v2 score for the same replies?
#
# One would guess: yes. Task `eq_bench` of lm-evaluation-harness and benchmark `eq_bench` of EvalScope both
# state EQ-Bench v2 and its formula, on the same prompts.
#
# What happens (lm-eval 0.4.13, evalscope 1.14.1): the formula is the same, what counts is not.
#  - Emotions in bold (**Angry**: 8) are read by EvalScope. lm-eval does not read them and gives 0.
#  - A reply that cannot be read is a 0 in lm-eval's mean. EvalScope leaves it out of the mean.
#  - A grade above 10 is scored by lm-eval (96 in place of 6 below gives -573), and refused by EvalScope.
# Four replies, of which two hold the reference answers, have the mean 50 here and 100 there.
# (Of both: 8.9 is read as 8.)
#
# Why it matters: "EQ-Bench" in two model cards can be two numbers of one model. A model that likes Markdown
# loses in one of them only, and a model that refuses gains in the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --no-deps lm_eval==0.4.13 evalscope==1.14.1
cat >ask.py <<'PY'
import importlib.util
import logging
import sys
import types
from glob import glob
from importlib.metadata import version


def load(name, path):
    """The module of one file, without the packages that the rest of its distribution needs."""
    spec = importlib.util.spec_from_file_location(name, glob(f"env/lib/python*/site-packages/{path}")[0])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


logger = types.ModuleType("evalscope.utils.logger")
logger.get_logger = logging.getLogger
sys.modules["evalscope"] = types.ModuleType("evalscope")
sys.modules["evalscope.utils"] = types.ModuleType("evalscope.utils")
sys.modules["evalscope.utils.logger"] = logger
logging.disable()
harness = load("harness", "lm_eval/tasks/eq_bench/utils.py")
scope = load("scope", "evalscope/benchmarks/eq_bench/answer_validation.py")

names = ["Relieved", "Ashamed", "Proud", "Bored"]
reference = {f"emotion{i}": name for i, name in enumerate(names, 1)}
reference |= {f"emotion{i}_score": score for i, score in enumerate((6, 8, 3, 0), 1)}


def of_harness(reply):
    return harness.calculate_score_fullscale({"reference_answer_fullscale": str(reference)}, [reply])["eqbench"]


def of_scope(reply):
    answers, _ = scope.parse_answers(reply, False)
    if not scope.validate_answer_format(answers, names)[0]:
        return None
    return 10 * scope.calculate_score_fullscale(reference, answers)


replies = {
    "plain": "Relieved: 6\nAshamed: 8\nProud: 3\nBored: 0",
    "plain again": "Relieved: 6\nAshamed: 8\nProud: 3\nBored: 0",
    "bold": "**Relieved**: 6\n**Ashamed**: 8\n**Proud**: 3\n**Bored**: 0",
    "refused": "I would rather not guess what others feel.",
    "96 of 10": "Relieved: 96\nAshamed: 8\nProud: 3\nBored: 0",
    "8.9": "Relieved: 6\nAshamed: 8.9\nProud: 3\nBored: 0",
}
print("lm_eval", version("lm_eval"), "evalscope", version("evalscope"))
scores = {name: (of_harness(reply), of_scope(reply)) for name, reply in replies.items()}
for name, pair in scores.items():
    print(f"{name}: lm-eval {pair[0]:.1f}, EvalScope", "left out" if pair[1] is None else f"{pair[1]:.1f}")
four = [scores[name] for name in ("plain", "plain again", "bold", "refused")]
means = sum(a for a, _ in four) / 4, sum(b for _, b in four if b is not None) / 3
print("mean of the first four: lm-eval", means[0], "EvalScope", means[1])
assert means == (50, 100)
assert scores["96 of 10"][0] < -500 and scores["96 of 10"][1] is None
assert scores["8.9"] == (100, 100)
PY
env/bin/python ask.py
