#!/usr/bin/env bash
# Can agreement of people and prediction-powered scores be computed in one environment?
#
# One would guess: a library for agreement and one for prediction-powered inference have nothing to do with
# each other; where pip installs both without a conflict, both can be imported.
#
# What happens (irrCAC 0.4.4, ppi-python 0.2.3): irrCAC requires `coverage` below 7, a tool for tests that it
# does not import. ppi-python imports numba, and numba 0.68.1, where any `coverage` is installed, uses parts
# of it that came with 7. pip reports no conflict; `import ppi_py` raises AttributeError: module 'coverage'
# has no attribute 'types'. Alone, each works.
#
# Why it matters: whoever labels replies computes both, agreement of the raters and the corrected score. The
# message names neither library.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet ppi-python==0.2.3 numba==0.68.1 numpy==1.26.4 scipy==1.12.0 'pandas<3'
env/bin/python -c 'import ppi_py; print("ppi-python alone: imported")'
env/bin/pip install --quiet irrCAC==0.4.4
env/bin/pip check
env/bin/pip list 2>/dev/null | grep -i -E '^(irrCAC|ppi-python|numba|coverage) '
env/bin/python -c 'from irrCAC.raw import CAC; print("irrCAC: imported")'
if env/bin/python -c 'import ppi_py' 2>log; then
    echo "ppi-python beside irrCAC: imported"
    exit 1
fi
tail -1 log
grep -q "module 'coverage' has no attribute" log
