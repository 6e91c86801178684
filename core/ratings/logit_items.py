"""Margins on the logit scale, by call and by item."""

from typing import NamedTuple

import numpy as np

from .comparisons import Comparisons, Floats, Ints
from .items import first_of_items


def logit_margins(comparisons: Comparisons) -> Floats:
    """Z of each call, positive where `a` wins: ln((5.5 + D) / (5.5 - D)), shape (n,)."""
    margin = comparisons.margin / comparisons.criteria
    return np.asarray(np.log((5.5 + margin) / (5.5 - margin)))


class LogitItems(NamedTuple):
    """Which calls make an item: one, or two in both orders.

    Attributes:
        rows: Row of `Comparisons` that each item begins with, shape (n_items,).
        calls: How many each has, shape (n_items,).
    """

    rows: Ints
    calls: Ints

    @classmethod
    def of(cls, comparisons: Comparisons) -> "LogitItems":
        """The items of comparisons in their canonical order."""
        rows = first_of_items(comparisons)
        return cls(rows, np.diff(np.append(rows, len(comparisons))))

    @property
    def both(self) -> Floats:
        """1 where an item has both orders, else 0, shape (n_items,)."""
        return np.asarray((self.calls == 2).astype(np.float64))

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
