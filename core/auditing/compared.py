"""Compared items with the judge's liking for a place taken out, and strengths from them.

Where both orders were read the liking cancels; where one was, its estimate is taken away. So
items in one order count too. The strengths are those of the engine `glicko2` on these items.
"""

from typing import NamedTuple

import numpy as np

from ..ratings.comparisons import MAX_MARGIN, Comparisons, Floats, Ints
from ..ratings.connectivity import components
from ..ratings.item_results import VARIANCE, Results, collect, leave_one_out
from ..ratings.items import ComparedItems, ItemCalls
from ..ratings.newton import maximise


class Strengths(NamedTuple):
    """How strong models are.

    Attributes:
        results: What models got against each other, by family.
        component: Of each model, shape (n_models,).
        theta: Natural units, shape (n_models,).
        replicates: Without one family each, shape (n_families, n_models).
    """

    results: Results
    component: Ints
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


def find_strengths(comparisons: Comparisons, items: ComparedItems) -> Strengths:
    """The fixed point over all families, and without each."""
    results = collect(comparisons, items)
    component = components(results.n_models, items.a, items.b)
    theta = maximise(results.table(), 1 / VARIANCE, component).mu
    return Strengths(results, component, theta, leave_one_out(results, theta, component))
