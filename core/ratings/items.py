"""Compared items: the two orders of a comparison taken together.

An item here is one (models, item, iteration). Its margin D is the sum of all pluses, positive
for `a`, over the number of criteria that were read in both calls: -5 to 5. An item that was
read in one order only waits for the other, so that the judge's liking for a place cancels.
"""

from typing import NamedTuple

import numpy as np

from .comparisons import Bools, Comparisons, Floats, Ints


class ComparedItems(NamedTuple):
    """Items read in both orders, in canonical order.

    Attributes:
        a: Model index, shape (n_items,).
        b: Model index, shape (n_items,).
        item: Shape (n_items,).
        iteration: Shape (n_items,).
        family: Shape (n_items,).
        margin: D, shape (n_items,).
        rows: Row of `Comparisons` that each item begins with; its second order is the next.
    """

    a: Ints
    b: Ints
    item: Ints
    iteration: Ints
    family: Ints
    margin: Floats
    rows: Ints


def pair_orders(comparisons: Comparisons) -> ComparedItems:
    """The items that were read in both orders."""
    second = _is_second_order(comparisons)
    rows = np.flatnonzero(second) - 1
    total = comparisons.margin[rows] + comparisons.margin[rows + 1]
    criteria = comparisons.criteria[rows] + comparisons.criteria[rows + 1]
    return ComparedItems(
        a=comparisons.a[rows],
        b=comparisons.b[rows],
        item=comparisons.item[rows],
        iteration=comparisons.iteration[rows],
        family=comparisons.family[rows],
        margin=total / criteria,
        rows=rows,
    )


def _is_second_order(comparisons: Comparisons) -> Bools:
    """Whether each row is the other order of the row before it, shape (n,)."""
    second = np.zeros(len(comparisons), dtype=np.bool_)
    second[1:] = True
    for name in ("a", "b", "item", "iteration"):
        column = getattr(comparisons, name)
        second[1:] &= column[1:] == column[:-1]
    return second


def first_of_items(comparisons: Comparisons) -> Ints:
    """The row that each item begins with, whether it has both orders or one."""
    return np.flatnonzero(~_is_second_order(comparisons))


def waiting(comparisons: Comparisons, items: ComparedItems) -> int:
    """How many items wait for their other order."""
    return len(comparisons) - 2 * len(items.a)
