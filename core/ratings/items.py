"""Compared items: the two orders of a comparison taken together.

An item here is one (models, item, iteration). Its margin D is the sum of all pluses, positive
for `a`, over the number of criteria that were read in both calls: -5 to 5.
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

    @classmethod
    def at(cls, comparisons: Comparisons, rows: Ints, margin: Floats) -> "ComparedItems":
        """The items that begin with these rows, with these margins."""
        return cls(
            a=comparisons.a[rows],
            b=comparisons.b[rows],
            item=comparisons.item[rows],
            iteration=comparisons.iteration[rows],
            family=comparisons.family[rows],
            margin=margin,
            rows=rows,
        )


class ItemCalls(NamedTuple):
    """Which calls make an item: one, or two in both orders.

    Attributes:
        rows: Row of `Comparisons` that each item begins with, shape (n_items,).
        calls: How many each has, shape (n_items,).
    """

    rows: Ints
    calls: Ints

    @classmethod
    def of(cls, comparisons: Comparisons) -> "ItemCalls":
        """The items of comparisons in their canonical order."""
        rows = first_of_items(comparisons)
        return cls(rows, np.diff(np.append(rows, len(comparisons))))

    @property
    def both(self) -> Floats:
        """1 where an item has both orders, else 0, shape (n_items,)."""
        return np.asarray((self.calls == 2).astype(np.float64))

    @property
    def calls_of_rows(self) -> Ints:
        """How many calls the item of each row has, shape (n,)."""
        return np.repeat(self.calls, self.calls)

    @property
    def twice(self) -> Ints:
        """First rows of those with both orders, shape (m,)."""
        return np.asarray(self.rows[self.calls == 2])

    def mean(self, values: Floats) -> Floats:
        """Of the values of each item's calls; shape (..., n) becomes (..., n_items)."""
        if not len(self.rows):
            return values
        return np.asarray(np.add.reduceat(values, self.rows, axis=-1) / self.calls)

    def half(self, values: Floats) -> Floats:
        """Half the difference between the two orders, shape (..., m)."""
        return np.asarray((values[..., self.twice] - values[..., self.twice + 1]) / 2)


def pair_orders(comparisons: Comparisons) -> ComparedItems:
    """The items that were read in both orders."""
    second = _is_second_order(comparisons)
    rows = np.flatnonzero(second) - 1
    total = comparisons.margin[rows] + comparisons.margin[rows + 1]
    criteria = comparisons.criteria[rows] + comparisons.criteria[rows + 1]
    return ComparedItems.at(comparisons, rows, total / criteria)


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
