"""What models got against each other on whole items, by family; strengths without each."""

from typing import NamedTuple

import numpy as np

from .anchors import Q
from .comparisons import Comparisons, Floats, Ints, sum_by
from .items import ComparedItems
from .newton import maximise

VARIANCE = (350 / Q) ** 2 + 0.06**2
"""Of the prior of a strength, as in `glicko2`."""
_CHUNK = 4_000_000  # elements of one array: replicates are solved so many at a time


class Results(NamedTuple):
    """What models got against each other in each family, only where they met.

    Attributes:
        n_models: How many models there are.
        n_families: How many families there are.
        family: Shape (n_entries,), sorted.
        model: Who got it, shape (n_entries,).
        opponent: From whom, shape (n_entries,).
        won: Sum of scores, shape (n_entries,).
    """

    n_models: int
    n_families: int
    family: Ints
    model: Ints
    opponent: Ints
    won: Floats

    def table(self) -> Floats:
        """W over all families, shape (n_models, n_models)."""
        n = self.n_models
        return sum_by(self.model * n + self.opponent, self.won, n * n).reshape(n, n)

    def tables_without(self, first: int, last: int) -> Floats:
        """W without one family each, for families `first` to `last` - 1."""
        tables = np.repeat(self.table()[None], last - first, axis=0)
        rows = slice(*np.searchsorted(self.family, [first, last]))
        place = (self.family[rows] - first, self.model[rows], self.opponent[rows])
        tables[place] -= self.won[rows]
        return np.maximum(tables, 0.0)  # what is left of a difference of equals


def collect(comparisons: Comparisons, items: ComparedItems) -> Results:
    """Scores by family and pair: an item of margin D gives its `a` 1/2 + D/10."""
    score = 0.5 + items.margin / 10
    n_models, n_families = len(comparisons.models), len(comparisons.families)
    model = np.concatenate([items.a, items.b])
    opponent = np.concatenate([items.b, items.a])
    family = np.concatenate([items.family, items.family])
    won = np.concatenate([score, 1 - score])
    key = (family * n_models + model) * n_models + opponent
    found, entry = np.unique(key, return_inverse=True)
    return Results(
        n_models=n_models,
        n_families=n_families,
        family=found // (n_models * n_models),
        model=found // n_models % n_models,
        opponent=found % n_models,
        won=sum_by(entry, won, len(found)),
    )


def leave_one_out(results: Results, mu: Floats, component: Ints) -> Floats:
    """The fixed points without one family each, shape (n_families, n_models)."""
    at_once = max(1, _CHUNK // results.n_models**2)
    found = [
        maximise(
            results.tables_without(first, min(first + at_once, results.n_families)),
            1 / VARIANCE,
            component,
            mu,
        ).mu
        for first in range(0, results.n_families, at_once)
    ]
    return np.concatenate(found)
