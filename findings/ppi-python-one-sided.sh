#!/usr/bin/env bash
# Does ppi-python's interval of a mean know which side was asked for?
#
# One would guess: `alternative="larger"` gives a lower end at 5 % and no upper end, as the docstring says.
#
# What happens (ppi-python 0.2.3): with the default `lam=None`, which tunes the weight of the predictions,
# `ppi_mean_ci` calls itself again without `alternative`. "larger", "smaller" and "two-sided" all give the
# two-sided interval, without a word. With `lam` given the side counts. `ppi_mean_pval` is right.
#
# Why it matters: who corrects a judge's score by what people say and asks "at least how much" gets an end
# at 2.5 % in place of 5 %: a model that passes the threshold is called not shown to pass it.
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

draw = np.random.default_rng(1)
people = draw.normal(60, 10, 40)
judge = people + draw.normal(0, 5, 40)
others = draw.normal(60, 11, 200)


def ends(side, lam):
    low, high = ppi_mean_ci(people, judge, others, alpha=0.05, alternative=side, lam=lam)
    return round(np.ravel(low)[0], 3), round(np.ravel(high)[0], 3)


print("ppi-python", version("ppi-python"))
for lam in (None, 1):
    for side in ("two-sided", "larger", "smaller"):
        print(f"lam={lam} {side}:", *ends(side, lam))
assert ends("two-sided", None) == ends("larger", None) == ends("smaller", None)
assert ends("larger", 1)[1] == np.inf
assert ends("smaller", 1)[0] == -np.inf
PY
env/bin/python ask.py
