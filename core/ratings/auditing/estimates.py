"""Numbers with intervals over families of items, or the reason why there is none.

Comparisons of a family share transcripts and a text, so families are what was sampled: each is
left out in turn, as for ratings (docs/ratings.md).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...statistics.few_families import why_no_interval
from ...statistics.shares import share_interval
from ...statistics.student import quantile
from ..arrays import Bools, Floats, Ints, sum_by
from ..intervals import jackknife_error


class AuditEstimate(NamedTuple):
    """A number that data give, with its 95 % interval over families, or why they do not.

    It stands on `n` observations of so many families.
    """

    value: float | None
    ci95: tuple[float, float] | None = None
    n: int = 0
    families: int = 0
    reason: str | None = None

    @classmethod
    def of_replicates(cls, value: float, replicates: Floats, n: int) -> "AuditEstimate":
        """A value with the interval that leaving out one family each gives it.

        `replicates` are values without one family each, shape (n_families,); `n` is how many
        observations there are.
        """
        families = len(replicates)
        if reason := why_no_interval(families):
            return cls(value, None, n, families, reason)
        half = quantile(0.975, families - 1) * float(jackknife_error(replicates))
        return cls(value, (value - half, value + half), n, families)

    def mapped(self, function: Callable[[float], float]) -> "AuditEstimate":
        """The estimate of a rising function of the value."""
        if self.value is None:
            return self
        ends = None if self.ci95 is None else (function(self.ci95[0]), function(self.ci95[1]))
        return self._replace(value=function(self.value), ci95=ends)


def unknown(reason: str) -> AuditEstimate:
    """No value, and why."""
    return AuditEstimate(None, reason=reason)


def mean(values: Floats, family: Ints) -> AuditEstimate:
    """The mean of values, each of a family; both of shape (n,)."""
    if not len(values):
        return unknown("no comparisons")
    sums, counts = _by_family(values, family)
    return AuditEstimate.of_replicates(
        float(values.mean()), _without_one(sums, counts), len(values)
    )


def share(hits: Bools, family: Ints) -> AuditEstimate:
    """The share of hits, each of a family, with `share_interval`."""
    if not len(hits):
        return unknown("no comparisons")
    families = np.unique(family).size
    ci95 = share_interval(hits, family)
    return AuditEstimate(float(hits.mean()), ci95, len(hits), families, why_no_interval(families))


def _by_family(values: Floats, family: Ints) -> tuple[Floats, Floats]:
    """Sum and number of the values of each family that has one."""
    n = int(family.max()) + 1
    counts = sum_by(family, np.ones(len(values)), n)
    present = counts > 0
    return sum_by(family, values, n)[present], counts[present]


def _without_one(sums: Floats, counts: Floats) -> Floats:
    """Means without one family each; the mean itself where there is one family only."""
    if len(sums) < 2:
        return np.asarray(sums / counts)
    return np.asarray((sums.sum() - sums) / (counts.sum() - counts))
