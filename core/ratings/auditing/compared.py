"""Compared items with the judge's liking for a place taken out, and the strengths of models.

Where both orders were read the liking cancels; where one was, its estimate is taken away. So
items in one order count too. The strengths are those of the engine `glicko2`.
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..columns import MAX_MARGIN
from ..comparisons import Comparisons
from ..fractional_logit import Calls
from ..glicko2 import FixedPoint, weights_of
from ..settings import RatingSettings
from ..weighing import ComparedItems, ItemCalls


class Strengths(NamedTuple):
    """How strong models are.

    Attributes:
        calls: What the strengths are made of, a row for each comparison.
        theta: Natural units, shape (n_models,).
        replicates: Without one family each, shape (n_families, n_models).
    """

    calls: Calls
    theta: Floats
    replicates: Floats


def compare_items(comparisons: Comparisons, lean: float) -> ComparedItems:
    """All items, with margins -5 to 5.

    Args:
        comparisons: At least one.
        lean: What being read first is worth, pluses per criterion.
    """
    each = comparisons.margin / comparisons.criteria
    each = each - np.where(comparisons.a_first, lean, -lean)
    calls = ItemCalls.of(comparisons)
    margin = np.clip(calls.mean(each), -MAX_MARGIN, MAX_MARGIN)
    return ComparedItems.at(comparisons, calls.rows, margin)


def find_strengths(comparisons: Comparisons) -> Strengths:
    """The strengths over all families, and without each.

    Args:
        comparisons: At least one; each model in one.
    """
    found = FixedPoint(comparisons, weights_of(comparisons, RatingSettings()))
    n = found.calls.n_models
    return Strengths(found.calls, found.fit.theta, found.replicates[:, :n])
