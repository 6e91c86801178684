"""Cycles: A beats B, B beats C, and C beats A, each surely.

A rating supposes that strength is one number. An edge is sure when the direct mean margin of
two models is further from 0 than its own 95 % interval over families. A cycle by point values
alone says little: three even models make one in a quarter of cases.
"""

from typing import NamedTuple

import numpy as np

from eibench import Comparisons
from eibench.statistics import FEWEST_FAMILIES, student_quantile

from .arrays import Bools, Floats
from .scenarios import ComparedItems

MOST_LISTED = 100


class Cycle(NamedTuple):
    """Each beats the next, and the last the first; the one whose name sorts first is first.

    Margins are of each over the next, pluses per criterion.
    """

    models: tuple[str, str, str]
    margins: tuple[float, float, float]


class Cycles(NamedTuple):
    """What was looked for, and what was found.

    Of the pairs that met, `sure` have an interval that leaves out 0. A triple are three models that
    all met; in sure ones a cycle could have been seen. Apparent cycles are those by point values,
    surviving ones of three sure pairs; ``None`` where no pair has an interval, for `reason`.
    `cycles` has the clearest of them, by their smallest margin.
    """

    pairs: int
    sure: int
    triples: int
    sure_triples: int
    apparent: int
    surviving: int | None
    cycles: tuple[Cycle, ...]
    reason: str | None = None


def find_cycles(comparisons: Comparisons, items: ComparedItems) -> Cycles:
    """The cycles among models of which each met both others."""
    margin, half = _pair_margins(comparisons, items)
    met, known = ~np.isnan(margin), ~np.isnan(half)
    significant = known & (np.abs(margin) > half)
    ahead, surely = met & (margin > 1e-9), significant & (margin > 1e-9)
    cycles = [_cycle(comparisons, margin, triple) for triple in _triples(surely)]
    reason = f"no two models met in {FEWEST_FAMILIES} families of items"
    return Cycles(
        pairs=int(met.sum()) // 2,
        sure=int(significant.sum()) // 2,
        triples=_triangles(met),
        sure_triples=_triangles(significant),
        apparent=_closed(ahead),
        surviving=len(cycles) if known.any() else None,
        cycles=tuple(sorted(cycles, key=lambda c: (-min(c.margins), c.models))[:MOST_LISTED]),
        reason=None if known.any() else reason,
    )


def _pair_margins(comparisons: Comparisons, items: ComparedItems) -> tuple[Floats, Floats]:
    """Mean margin of the row's model over the column's, and half its interval; NaN if unknown."""
    n, n_families = len(comparisons.models), len(comparisons.families)
    cell, index = np.unique(
        (items.a * n + items.b) * n_families + items.family, return_inverse=True
    )
    sums, counts = (np.bincount(index, w, len(cell)) for w in (items.margin, np.ones(len(index))))
    pairs, of = np.unique(cell // n_families, return_inverse=True)
    total, number = (np.bincount(of, w, len(pairs)) for w in (sums, counts))
    families = np.bincount(of, minlength=len(pairs))
    left = number[of] - counts
    without = (total[of] - sums) / np.where(left > 0, left, 1.0)
    centre = (np.bincount(of, without, len(pairs)) / families)[of]
    squares = np.bincount(of, (without - centre) ** 2, len(pairs))
    error = np.sqrt((families - 1) / families * squares)
    wide = np.where(
        families >= FEWEST_FAMILIES,
        student_quantile(0.975, (families - 1).astype(np.float64)) * error,
        np.nan,
    )
    margin, half = np.full((n, n), np.nan), np.full((n, n), np.nan)
    a, b = pairs // n, pairs % n
    margin[a, b], half[a, b] = total / number, wide
    margin[b, a], half[b, a] = -total / number, wide
    return margin, half


def _triangles(edges: Bools) -> int:
    """Three models with all three edges, of a symmetric matrix."""
    return _closed(edges) // 2


def _closed(edges: Bools) -> int:
    """Ways to go round three models along edges, each round once."""
    met = edges.astype(np.float64)
    return round(float(((met @ met) * met.T).sum()) / 3)


def _triples(ahead: Bools) -> list[tuple[int, int, int]]:
    """Rounds of three, each with its smallest index first."""
    triples = []
    for first in range(len(ahead)):
        closing = ahead[first][:, None] & ahead & ahead[:, first][None, :]
        closing[:first], closing[:, :first] = False, False
        triples += [(first, int(j), int(k)) for j, k in np.argwhere(closing)]
    return triples


def _cycle(comparisons: Comparisons, margin: Floats, triple: tuple[int, int, int]) -> Cycle:
    i, j, k = triple
    names = comparisons.models[i], comparisons.models[j], comparisons.models[k]
    return Cycle(names, (float(margin[i, j]), float(margin[j, k]), float(margin[k, i])))
