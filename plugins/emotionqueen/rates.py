"""Rates of PASS and WIN with their intervals.

A rate is a mean of zeros and ones over samples; statements are resampled with
all their iterations. Where every sample says the same, a resample cannot say
anything else, so a plain rate has Wilson's interval over statements instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Interval = tuple[float, float]

SEED = 0
"""Of the bootstrap: the same data gives the same interval."""
LEAST = 20
"""Statements that a part of the pack needs before its rate is shown."""
Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


class Verdict(NamedTuple):
    """What the judge said of one sample."""

    statement: str
    passed: float
    won: float


class Estimate(NamedTuple):
    """A number with its 95 % interval over statements.

    Attributes:
        value: ``None`` when there is nothing to make it of.
        ci95: ``None`` with fewer than two statements.
        n: Samples it stands on.
        wilson: The interval is Wilson's.
    """

    value: float | None
    ci95: Interval | None
    n: int
    wilson: bool = False


class Rates(NamedTuple):
    """The rates of some samples.

    Attributes:
        both: Mean of PASS and WIN rate, by which the paper ranks.
        given_pass: WIN rate among the samples that pass.
    """

    statements: int
    passed: Estimate
    won: Estimate
    both: Estimate
    given_pass: Estimate


def rates(verdicts: Sequence[Verdict]) -> Rates:
    """The rates of all these samples, in whatever order they come."""
    import numpy as np

    from eibench.statistics import cluster_bootstrap, cluster_index, cluster_sums

    ordered = sorted(verdicts)
    if not ordered:
        return Rates(0, *[Estimate(None, None, 0)] * 4)
    columns = np.array([[v.passed, v.won, 1.0] for v in ordered])
    sums = cluster_sums(columns, cluster_index([v.statement for v in ordered]))
    intervals = cluster_bootstrap(sums, _ratios, rng=np.random.default_rng(SEED))
    values = _ratios(columns.sum(axis=0, keepdims=True))[0]
    n, n_passed = len(ordered), round(float(columns[:, 0].sum()))
    made = [
        Estimate(None if np.isnan(value) else float(value), interval, size)
        for value, interval, size in zip(values, intervals, (n, n, n, n_passed), strict=True)
    ]
    passed, won = (_plain_rate(estimate, len(sums)) for estimate in made[:2])
    return Rates(len(sums), passed, won, *made[2:])


def _ratios(totals: Floats) -> Floats:
    """PASS rate, WIN rate, their mean, and WIN given PASS of each row; NaN if there is none."""
    import numpy as np

    passed, won, n = totals.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.column_stack([passed / n, won / n, (passed + won) / (2 * n), won / passed])


def _plain_rate(estimate: Estimate, statements: int) -> Estimate:
    """A rate whose interval is Wilson's where resampling cannot make one."""
    if estimate.value not in (0.0, 1.0) or statements < 2:
        return estimate
    return estimate._replace(ci95=wilson(estimate.value, statements), wilson=True)


def wilson(share: float, n: int) -> Interval:
    """The 95 % score interval of a share of n independent trials, 0 to 1.

    Wilson (1927), Journal of the American Statistical Association 22, 209-212:
    (p + z^2/2n +- z sqrt(p (1 - p) / n + z^2/4n^2)) / (1 + z^2/n).

    Raises:
        ValueError: There are no trials.
    """
    if n < 1:
        raise ValueError("a share of no trials has no interval")
    centre, spread = (
        share + Z**2 / (2 * n),
        Z * (share * (1 - share) / n + (Z / (2 * n)) ** 2) ** 0.5,
    )
    scale = 1 + Z**2 / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
