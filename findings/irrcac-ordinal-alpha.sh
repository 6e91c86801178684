#!/usr/bin/env bash
# Is the alpha of irrCAC with ordinal weights Krippendorff's alpha of ordinal data?
#
# One would guess: yes. CAC(ratings, weights="ordinal").krippendorff() reads as what others call
# Krippendorff's alpha at the ordinal level, and with "identity" and "quadratic" it is, to the last digit,
# the nominal and the interval one.
#
# What happens (irrCAC 0.4.4, krippendorff 0.9.0): it is another coefficient. irrCAC's ordinal weights hang
# on how many categories lie between two ratings; Krippendorff's hang on how often these are used. On the
# ratings below .913 against .934.
#
# Why it matters: both are published as "ordinal alpha", and the agreement of people is the line that a
# judge is measured by. A figure cannot be made again with the other library, and the one looks like an
# error of the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet irrCAC==0.4.4 krippendorff==0.9.0 numpy==1.26.4 pandas==2.3.3
cat >ask.py <<'PY'
from importlib.metadata import version

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC

ratings = np.array([[1, 2, 3, 5, np.nan], [1, 2, 3, 4, 5], [1, 3, 3, 5, 5]])  # raters x items
print("irrCAC", version("irrCAC"), "krippendorff", version("krippendorff"))
alphas = {}
for weights, level in (("identity", "nominal"), ("ordinal", "ordinal"), ("quadratic", "interval")):
    theirs = CAC(pd.DataFrame(ratings.T), weights=weights).krippendorff()["est"]["coefficient_value"]
    other = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)
    alphas[level] = theirs, other
    print(f"{level}: irrCAC {theirs:.3f}, krippendorff {other:.3f}")
assert abs(alphas["nominal"][0] - alphas["nominal"][1]) < 1e-4
assert abs(alphas["interval"][0] - alphas["interval"][1]) < 1e-4
assert round(alphas["ordinal"][0], 3) == 0.913
assert round(alphas["ordinal"][1], 3) == 0.934
PY
env/bin/python ask.py
