"""What Newton's method needs in every engine: when it is done, and what holds the centre."""

import numpy as np

from .comparisons import Floats, Ints

STEP = 1e-12
"""Largest last step, natural units: 2e-10 points. Convergence is quadratic."""
ROUNDING = 1e-6
"""A step below this that does not shrink any more is rounding."""
MOST = 100
"""Steps after which a maximum is given up."""


def is_done(size: float, before: float) -> bool:
    """Whether a step is nothing but rounding, given the size of the step before."""
    return size <= STEP or (size <= ROUNDING and size > before / 2)


def centring(component: Ints) -> Floats:
    """The symmetric matrix that takes the mean of its component from each model."""
    same = component[:, None] == component[None, :]
    return np.asarray(np.eye(len(component)) - same / same.sum(axis=1))
