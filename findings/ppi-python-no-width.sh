#!/usr/bin/env bash
# How wide is ppi-python's interval when all labels agree?
#
# One would guess: eight people's labels that are all "yes" leave a doubt, as eight tosses of a coin do, and
# an interval for 95 % holds the truth in about 95 of 100 cases.
#
# What happens (ppi-python 0.2.3): its width is 0. The variance is that of the labels, without a term for
# what was not seen, so labels that agree beside a judge that grades them alike are taken for certainty, and
# so is a constant difference. With 8 labels of 45 replies, 90 % of them good in truth, and a judge that is
# right in 85 %, the interval for 95 % holds the truth in half of the cases.
#
# Why it matters: the few labels that a project can pay for agree most where models are good. The corrected
# score is then printed as exact when it is least known.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet ppi-python==0.2.3 numba==0.68.1 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 scikit-learn==1.9.1 statsmodels==0.15.0
cat >ask.py <<'PY'
from importlib.metadata import version

import numpy as np
from ppi_py import ppi_mean_ci

print("ppi-python", version("ppi-python"))
low, high = ppi_mean_ci(np.ones(8), np.full(8, 0.9), np.full(37, 0.9), alpha=0.05)
print("eight of eight, the judge says .9 of all:", float(low[0]), float(high[0]))
assert low[0] == high[0] == 1.0

draw, worlds, held, flat = np.random.default_rng(7), 500, 0, 0
for _ in range(worlds):
    truth = (draw.random(45) < 0.9).astype(float)
    judge = np.where(draw.random(45) < 0.85, truth, 1 - truth)
    low, high = ppi_mean_ci(truth[:8], judge[:8], judge[8:], alpha=0.05)
    held += low[0] <= 0.9 <= high[0]
    flat += high[0] - low[0] < 1e-9
print(f"8 labels of 45, share .9: the interval for 95 % holds it in {100 * held / worlds:.0f} %")
print(f"of width 0: {100 * flat / worlds:.0f} %")
assert held / worlds < 0.7
PY
env/bin/python ask.py
