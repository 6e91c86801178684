"""What each comparison weighs in a likelihood: every scenario of a model alike.

A rating is meant to be of the whole pack, every item alike, as the rubric score is. A schedule may
ask one item more often than another. So comparisons are weighed until each model has, on every item
that it was compared on, the same weight in all. A comparison belongs to two models: factors of both
are fitted in turn (iterative proportional fitting, damped), which where it cannot be exact for
both ends half-way. In a full round robin all weights are 1. Nothing depends on who won, so the
intervals take weights as given.

What the user or the pack says of a comparison or an item is multiplied in after that.

Only models that comparisons connect share a scale: `components` says which do.

The two orders of a comparison taken together are one item: (models, item, iteration).
"""

from typing import NamedTuple

import numpy as np

from .arrays import Bools, Floats, Ints, present, sum_by
from .comparisons import Comparisons
from .settings import RatingSettings


class ItemCalls(NamedTuple):
    """Which calls make an item: one, or two in both orders.

    `rows` is the row of `Comparisons` that each item begins with, `calls` how many calls it has;
    both of shape (n_items,).
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


SWEEPS = 30
LARGEST = 4.0
"""No comparison counts more than so many times another for levelling alone, or less than a part."""


def weigh(comparisons: Comparisons, settings: RatingSettings, games: Floats) -> Floats:
    """What each comparison counts, shape (n,).

    `games` is what each counts before anything is weighed, such as a half for one of two orders.
    """
    return np.asarray(games * level(comparisons, games) * own_weights(comparisons, settings))


def own_weights(comparisons: Comparisons, settings: RatingSettings) -> Floats:
    """What the user or the pack says that each comparison weighs, shape (n,)."""
    named = [settings.item_weights.get(item, 1.0) for item in comparisons.items]
    weight = np.array(named)[comparisons.item]
    return np.asarray(weight if comparisons.weight is None else weight * comparisons.weight)


def level(comparisons: Comparisons, games: Floats) -> Floats:
    """The factors by which every item counts alike for each model, shape (n,)."""
    n_models, n_items = len(comparisons.models), len(comparisons.items)
    pair = comparisons.a * n_models + comparisons.b
    cells, cell = np.unique(pair * n_items + comparisons.item, return_inverse=True)
    played = sum_by(cell, games, len(cells))
    item, pair = cells % n_items, cells // n_items
    ends = [model * n_items + item for model in (pair // n_models, pair % n_models)]
    size = n_models * n_items

    def totals(weight: Floats) -> Floats:
        return sum_by(ends[0], weight, size) + sum_by(ends[1], weight, size)

    met = totals(played).reshape(n_models, n_items)
    targets = met.sum(axis=1) / np.maximum((met > 0).sum(axis=1), 1)
    targets = np.repeat(targets, n_items)
    factor = np.ones(size)
    for _ in range(SWEEPS):
        got = totals(played * factor[ends[0]] * factor[ends[1]])
        factor *= np.sqrt(np.where(got > 0, targets / np.where(got > 0, got, 1.0), 1.0))
    both = np.clip(factor[ends[0]] * factor[ends[1]], 1 / LARGEST, LARGEST)
    return np.asarray(both[cell])


def components(n_models: int, a: Ints, b: Ints) -> Ints:
    """Number of each model's component, shape (n_models,), from 0 by its smallest member.

    A model without comparisons is its own component.
    """
    edges = present(a * n_models + b, n_models * n_models)
    one, other = edges // max(n_models, 1), edges % max(n_models, 1)
    label = np.arange(n_models)
    while True:
        smaller = label.copy()
        np.minimum.at(smaller, one, label[other])
        np.minimum.at(smaller, other, label[one])
        smaller = smaller[smaller]
        if np.array_equal(smaller, label):
            return np.unique(label, return_inverse=True)[1].astype(np.int64)
        label = smaller
