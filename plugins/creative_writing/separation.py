"""How far a judge's grades tell writers apart: the parts of Judgemark, and its score.

Paech's Judgemark v2 (github.com/EQ-bench/Judgemark-v2, MIT): separability from the Kruskal-Wallis
statistic and from adjacent intervals, stability from rankings of repeats, agreement with a given
order; docs/judgemark.md has the formulas. The intervals are ours.
"""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench.statistics import FEWEST_FAMILIES, mean_ranks, student_quantile

Floats = npt.NDArray[np.float64]
KRUSKAL, OVERLAP, STABILITY, AGREEMENT = (100, 1300), (0.85, 0.4), (0.6, 1), (0.15, 0.75)
"""Between which values a part goes from 0 to 1 (v2.0 and v2.1, from the boards' own pages)."""
LANDMARKS = (0.0, 3.0, 5.0, 7.0, 10.0)
"""Where calibration puts the least grade, the quartiles and the highest."""
_Z99 = 2.5758293035489004
DRAWS = 500
GRADES = 2_040
"""Of the published files: 17 writers, 24 prompts, 5 repeats."""


class SeparationParts(NamedTuple):
    """The parts of a judge's score, each from 0 to 1, ``None`` where it cannot be had.

    Attributes:
        kruskal: The Kruskal-Wallis statistic H of grades by writer, as for `GRADES` grades: it
            grows with their number.
        overlap: Share of neighbours in the order of means whose 99 % intervals overlap.
        tau: Kendall's tau of the rankings of two repeats drawn at random, on average.
        order: Kendall's tau of the writers' means in a repeat with the given order, on average.
    """

    kruskal: float
    overlap: float
    tau: float | None
    order: float | None

    @property
    def separability(self) -> float:
        """The mean of both parts."""
        return (norm(self.kruskal, KRUSKAL) + norm(self.overlap, OVERLAP)) / 2

    @property
    def stability(self) -> float | None:
        """From 0 to 1."""
        return None if self.tau is None else norm(self.tau, STABILITY)

    @property
    def agreement(self) -> float | None:
        """From 0 to 1."""
        return None if self.order is None else norm(self.order, AGREEMENT)

    @property
    def score(self) -> float | None:
        """From 0 to 100: (stability + agreement + 4 x separability) / 6."""
        if self.stability is None or self.agreement is None:
            return None
        return published_score(self.stability, self.separability, self.agreement)


def norm(value: float, ends: tuple[float, float]) -> float:
    """Where a value lies between two ends, from 0 to 1."""
    low, high = ends
    return min(1.0, max(0.0, (value - low) / (high - low)))


def published_score(stability: float, separability: float, agreement: float) -> float:
    """The score of the boards v2.0 and v2.1, from 0 to 100."""
    return 100 * (stability + agreement + 4 * separability) / 6


def calibrated(grades: npt.ArrayLike) -> Floats:
    """Grades on a scale by landmarks: least, quartiles and highest at 0, 3, 5, 7 and 10."""
    array = np.asarray(grades, dtype=float)
    marks = np.quantile(array, (0, 0.25, 0.5, 0.75, 1))
    scaled: Floats = np.interp(array, marks, LANDMARKS)
    return scaled


def kruskal_wallis(grades: Sequence[Floats]) -> float:
    """H of groups, corrected for ties (Kruskal and Wallis 1952, JASA 47, 583-621)."""
    every = np.concatenate(list(grades))
    n, ranks = len(every), mean_ranks(every)
    ends = np.cumsum([len(group) for group in grades])[:-1]
    sums = sum(float(part.sum()) ** 2 / len(part) for part in np.split(ranks, ends))
    _, counts = np.unique(every, return_counts=True)
    ties = 1 - float((counts**3 - counts).sum()) / (n**3 - n)
    return (12 / (n * (n + 1)) * sums - 3 * (n + 1)) / ties if ties else 0.0


def adjacent_overlap(grades: Sequence[Floats]) -> float:
    """Share of neighbours, in the order of their means, whose 99 % intervals of means overlap."""
    means = np.array([group.mean() for group in grades])
    arms = np.array([_Z99 * group.std(ddof=1) / sqrt(len(group)) for group in grades])
    order = np.argsort(-means)
    low, high = (means - arms)[order], (means + arms)[order]
    return float(np.mean(low[:-1] <= high[1:]))


def kendall_tau(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Kendall's tau-b (1945, Biometrika 33, 239-251); 0 where one is the same throughout."""
    one, two = (np.sign(np.subtract.outer(x, x)) for x in map(np.asarray, (first, second)))
    bottom = sqrt(float((one**2).sum()) * float((two**2).sum()))
    return float((one * two).sum()) / bottom if bottom else 0.0


Table = Floats
"""Grades, shape (n_writers, n_items, n_repeats); NaN where there is none."""


def parts(table: Table, order: Sequence[float] | None = None, *, seed: int = 0) -> SeparationParts:
    """The parts from grades.

    Args:
        table: Of at least two writers with two grades each; writers in the order of `order`.
        order: What each writer is worth by somebody else, NaN where that is not known.
        seed: Of the draws of repeats.
    """
    groups = [row[~np.isnan(row)] for row in table.reshape(len(table), -1)]
    agreed = None if order is None else order_tau(table, order)
    h = kruskal_wallis(groups) * GRADES / sum(map(len, groups))
    return SeparationParts(h, adjacent_overlap(groups), repeats_tau(table, seed), agreed)


def order_tau(table: Table, order: Sequence[float]) -> float | None:
    """Kendall's tau of the writers' means in one repeat with an order, the mean over repeats.

    As upstream has it: means over all repeats have less noise, and would agree more than its boards
    say. A repeat with grades of fewer than three writers of the order is left out; ``None`` where
    all are.
    """
    worth, taus = np.asarray(order, dtype=float), []
    for grades in np.moveaxis(table, 2, 0):
        known = ~np.isnan(worth) & ~np.isnan(grades).all(axis=1)
        if known.sum() > 2:
            taus.append(kendall_tau(np.nanmean(grades[known], axis=1), worth[known]))
    return float(np.mean(taus)) if taus else None


def repeats_tau(table: Table, seed: int = 0) -> float | None:
    """Kendall's tau of two rankings, each of one grade drawn for every text; ``None`` for one.

    The two take different repeats of a text. Texts with one grade, and writers with none but
    such, are left out; ``None`` where fewer than three writers are left.
    """
    known = (~np.isnan(table)).sum(axis=2) > 1
    writers = known.any(axis=1)
    if writers.sum() < 3:
        return None
    of, weights = table[writers], known[writers]
    rng, taus = np.random.default_rng(seed), []
    for _ in range(DRAWS):
        drawn = rng.permuted(of, axis=2)
        first = np.argsort(np.isnan(drawn), axis=2, kind="stable")[..., :2]
        pairs = np.nan_to_num(np.take_along_axis(drawn, first, axis=2)) * weights[..., None]
        one, two = (pairs.sum(axis=1) / weights.sum(axis=1)[:, None]).T
        taus.append(kendall_tau(one, two))
    return float(np.mean(taus))


def interval(
    table: Table, statistic: Callable[[Table], float | None]
) -> tuple[float, float] | None:
    """The 95 % interval of a statistic over items: delete-one jackknife, Student's t.

    A bootstrap would draw items twice, which makes writers look further apart than they are, so
    that the point lies low in its interval. ``None`` with fewer than eight items.
    """
    n = table.shape[1]
    point = statistic(table)
    if n < FEWEST_FAMILIES or point is None:
        return None
    without = [statistic(np.delete(table, k, axis=1)) for k in range(n)]
    known = np.array([value for value in without if value is not None])
    if len(known) < n:
        return None
    error = sqrt((n - 1) / n * float(((known - known.mean()) ** 2).sum()))
    arm = float(student_quantile(0.975, np.array([float(n - 1)]))[0]) * error
    return point - arm, point + arm


def table_of(grades: Mapping[tuple[str, str, int], float], writers: Sequence[str]) -> Table:
    """Grades by writer, item and repeat, as an array with these writers."""
    items = sorted({item for _, item, _ in grades})
    repeats = sorted({repeat for *_, repeat in grades})
    table = np.full((len(writers), len(items), len(repeats)), np.nan)
    for (writer, item, repeat), grade in grades.items():
        table[writers.index(writer), items.index(item), repeats.index(repeat)] = grade
    return table
