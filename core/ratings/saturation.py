"""Where margins are saturated: ratings that the comparisons bound on one side only.

A model that wins every criterion by five pluses might be better still by any amount. In general,
j is held down by i when i got something against j, or against somebody whom j is held down by: then
the likelihood falls as j rises above i. A rating has an upper end when the reference holds it
down, and a lower end when it holds the reference down. The reference are the anchors where
they hold each other, else the largest set of models that do, else everybody.

An interval is open too where one family of items alone keeps it closed, as a jackknife leaves each
family out. The closed end of an open interval comes from the families: of n that all show the
full margin, the mean share of points is above .05^(1/n), with 95 % confidence.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..text import listed
from .arrays import Bools, Floats, Ints, sum_by
from .columns import MAX_MARGIN
from .comparisons import Comparisons
from .intervals import Scale

MISSED = 0.05


class Ends(NamedTuple):
    """Which end each model's interval lacks, each of shape (n_models,).

    `below` and `above` are how much further the ends may be than errors say, natural units.
    """

    no_low: Bools
    no_high: Bools
    below: Floats
    above: Floats


def find_ends(comparisons: Comparisons, theta: Floats, component: Ints, scale: Scale) -> Ends:
    """Which intervals are open; the anchors of the scale are the reference."""
    n = len(theta)
    closed = np.zeros(n, dtype=np.bool_)
    ends = Ends(closed, closed.copy(), np.zeros(n), np.zeros(n))
    for got in _tables(comparisons):
        for members in (np.flatnonzero(component == c) for c in range(int(component.max()) + 1)):
            if len(members) > 1 and not _hold_each_other(part := got[np.ix_(members, members)] > 0):
                holds = _closure(part)
                reference = _reference(holds, members, scale)
                ends.no_high[members] |= ~holds[reference].all(axis=0)
                ends.no_low[members] |= ~holds[:, reference].all(axis=1)
    fixed = [i for i in (scale.first, scale.second) if i is not None]
    ends.no_high[fixed] = ends.no_low[fixed] = False
    if (ends.no_high | ends.no_low).any():
        _widen(ends, comparisons, theta, component, scale)
    return ends


def open_warnings(models: tuple[str, ...], ends: Ends, known: Bools) -> list[str]:
    """Which models have open intervals, in words; not of those without `known` intervals."""
    messages = []
    for which, word, who in ((ends.no_high, "upper", "win"), (ends.no_low, "lower", "lose")):
        names = [model for model, is_open in zip(models, which & known, strict=True) if is_open]
        if names:
            messages.append(
                f"no {word} end for {listed(names, 5)}: but for one family of items at "
                f"most, they {who} by full margins, and nothing says by how much more they would"
            )
    return messages


def _tables(comparisons: Comparisons) -> Iterator[Floats]:
    """What each model got of each, over all families, then without each."""
    n, n_families = len(comparisons.models), len(comparisons.families)
    most = MAX_MARGIN * comparisons.criteria
    pair = comparisons.a * n + comparisons.b
    whole = np.zeros((n, n))
    parts = []
    for family in range(n_families):
        rows = np.flatnonzero(comparisons.family == family)
        points = (most[rows] + comparisons.margin[rows], most[rows] - comparisons.margin[rows])
        won, lost = (sum_by(pair[rows], p.astype(np.float64), n * n) for p in points)
        parts.append(won.reshape(n, n) + lost.reshape(n, n).T)
        whole += parts[-1]
    yield whole
    yield from (whole - part for part in parts)


def _hold_each_other(got: Bools) -> bool:
    """Whether everybody is held down by everybody: the first model by all, and all by it."""
    for edges in (got, got.T):
        reached = edges[0].copy()
        while not reached.all():
            further = reached | edges[reached].any(axis=0)
            if (further == reached).all():
                return False
            reached = further
    return True


def _closure(got: Bools) -> Bools:
    """Whether the row's model holds the column's down, itself included."""
    holds = got | np.eye(len(got), dtype=np.bool_)
    while True:
        further = holds.astype(np.float32) @ holds.astype(np.float32) > 0
        if (further == holds).all():
            return holds
        holds = further


def _reference(holds: Bools, members: Ints, scale: Scale) -> Ints:
    """Whose ratings stay where they are, as indices among the members."""
    mutual = holds & holds.T
    if scale.first in members and scale.second in members:
        first, second = (int(np.flatnonzero(members == i)[0]) for i in (scale.first, scale.second))
        if mutual[first, second]:
            return np.flatnonzero(mutual[first])
    sizes = mutual.sum(axis=1)
    largest = np.flatnonzero(sizes == sizes.max())
    together = mutual[largest[0]]
    return np.flatnonzero(together) if together[largest].all() else np.arange(len(members))


def _widen(
    ends: Ends, comparisons: Comparisons, theta: Floats, component: Ints, scale: Scale
) -> None:
    """Let the closed end of an open interval be as far as full margins allow."""
    whole = next(_tables(comparisons))
    for i in np.flatnonzero(ends.no_high != ends.no_low):
        same = component == component[i]
        got = whole if ends.no_high[i] else whole.T
        block = same & _closure(got > 0)[:, i]
        others = same & ~block
        if not others.any() or got[np.ix_(others, block)].any():
            continue  # one family keeps it closed: its errors say how far
        # Without anchors the centre is the mean of all, and moves with the block.
        share = 1.0 if scale.first is not None else 1 - block.sum() / same.sum()
        side = theta if ends.no_high[i] else -theta
        slack = share * _slack(comparisons, side, got, block, others)
        (ends.below if ends.no_high[i] else ends.above)[i] = slack


def _slack(
    comparisons: Comparisons, theta: Floats, got: Floats, block: Bools, others: Bools
) -> float:
    """How much less the gap may be, so that full margins in all families were no wonder."""
    across = block[comparisons.a] & others[comparisons.b]
    across |= others[comparisons.a] & block[comparisons.b]
    n_families = len(np.unique(comparisons.family[across]))
    weight = got[np.ix_(block, others)]
    gap = theta[block][:, None] - theta[others][None, :]
    share = MISSED ** (1 / n_families)
    low, high = 0.0, float(gap.max()) + 50
    for _ in range(60):
        middle = (low + high) / 2
        mean = (weight / (1 + np.exp(middle - gap))).sum() / weight.sum()
        low, high = (middle, high) if mean > share else (low, middle)
    return low
