"""A mean of people's labels, made more precise by a judge that has graded everything.

Prediction-powered inference: people label a part, drawn at random, of what a judge has graded in
full. What the judge says of the rest replaces none of the labels: it only takes out the luck of
the draw, as far as the judge goes with people. A judge that is off by a constant, or uses half of
the scale, biases nothing; one that says nothing of people's labels gets the weight 0.

Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Science 382, 669-674; with the weight that
makes the variance least: Angelopoulos, Duchi and Zrnic (2023), "PPI++", arXiv:2311.01453.

Nothing here returns NaN: what does not exist is None, with a reason.
"""

from bisect import bisect_left
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench import Estimate
from eibench.statistics import (
    FEWEST_FAMILIES,
    Interval,
    cluster_index,
    cluster_sums,
    student_quantile,
    wilson,
)

Floats = npt.NDArray[np.float64]

FEWEST_LABELS = 8
"""With fewer labels nothing is corrected."""
_EPSILON = 1e-12


class PredictionPowered(NamedTuple):
    """A mean of labels, corrected by a judge.

    Attributes:
        mean: By labels and judge together, with its interval.
        labels_alone: The mean of the labels, with its interval by the same method.
        judge_alone: The mean of the judge over all, with its interval by the same method.
        weight: Of the judge, from 0 on; ``None`` where nothing is estimated.
        correlation: Of judge and labels, each the mean of a unit's raters, -1 to 1; ``None`` where
            either does not vary.
        n: Units that people labelled.
        n_judged: Units in all, labelled or not.
        raters: How many people there are.
        gain: The interval's width over that of labels alone; ``None`` without intervals.
        variance_families, variance_raters: What families and raters add to the squared standard
            error of `mean`; ``None`` without.
        df: Degrees of freedom of the interval of `mean`.
    """

    mean: Estimate
    labels_alone: Estimate
    judge_alone: Estimate
    weight: float | None
    correlation: float | None
    n: int
    n_judged: int
    raters: int
    gain: float | None
    variance_families: float | None
    variance_raters: float | None
    df: float | None

    def labels_needed(self, share: float = 0.5) -> int | None:
        """How many labels make the interval `share` times as wide, with as many judged units.

        By the same people, and by Student's t with the degrees of freedom of as many. ``None``
        where labels of all judged units would not, as families or raters are too few, or where
        there is no interval.
        """
        families, raters, df = self.variance_families, self.variance_raters, self.df
        if families is None or raters is None or df is None:
            return None
        slope = 2 * (self.weight != 0)
        judged = (self.correlation or 0) ** 2 * (slope > 0)

        def variance(n: int) -> float:  # over families, but for a factor
            return (1 - judged) / (n - slope) + judged / self.n_judged

        def width(n: int) -> float:
            of_families = families * variance(n) / variance(self.n)
            return _t(df if raters else df * n / self.n) * sqrt(of_families + raters)

        enough, more = share * width(self.n), range(self.n, self.n_judged + 1)
        at = bisect_left(more, True, key=lambda n: width(n) <= enough)
        return more[at] if enough > 0 and at < len(more) else None


class _Units(NamedTuple):
    """What is known: labels (n, raters), judge (n,), the weight of a draw (n,), families (n,)."""

    labels: Floats
    judged: Floats
    weights: Floats
    families: npt.NDArray[np.intp]


def prediction_powered_mean(
    labels: npt.ArrayLike,
    judged: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    probabilities: npt.ArrayLike | None = None,
    weight: float | None = None,
    scale: Interval | None = None,
) -> PredictionPowered:
    """The mean of people's labels over all that a judge has graded.

    theta = mean(y) - weight * (mean(f) - mean of f over all), where means of labelled units are
    weighted by the inverse of their probability, and weight = max(0, cov(y, f) / var(f)) over
    labelled units. With m units that nobody labelled, this is the PPI++ estimate of weight
    ``weight * m / (n + m)``.

    The variance is that of a jackknife that deletes one family at a time, labelled or not, and
    estimates the weight anew; with two raters or more, that over raters is added, less what is
    in both (two-way clustering: Cameron, Gelbach and Miller 2011, Journal of Business & Economic
    Statistics 29, 238-249). Student's t has n - 2 degrees of freedom for families, n
    counting labelled families by their size, and raters - 1 for raters, together by Satterthwaite.

    Where every label is at an end of the scale, the interval is Wilson's of T trials, with which
    1 / T is the variance in units of p (1 - p), plus 1 / K^2 for K labelled families: a judge that
    was right about few of them may be wrong about the next. Where all are alike, T is K. Other
    labels that are all alike do not say how far the rest lies: with 95 % confidence up to
    1 - 0.05^(1 / K) of all families are unlike these, and may be at either end of the scale.

    Args:
        labels: Shape (n_units,) or (n_units, n_raters); NaN where a person labelled nothing.
        judged: Shape (n_units,), without NaN.
        clusters: Family of each unit, shape (n_units,); without it each unit is its own.
        probabilities: With which each unit was to be drawn, shape (n_units,), above 0, up to a
            common factor; without it all alike. Those of units without labels do not matter.
        weight: The judge's weight, in place of the best one.
        scale: The least and the most that a label can be, which no estimate goes beyond.

    Returns:
        No value with fewer than 8 labelled units; no interval with fewer than 8 labelled families,
        nor of labels all alike without a scale.

    Raises:
        ValueError: Shapes differ, a judge's grade is NaN, or a probability is not above 0.
    """
    units = _checked(labels, judged, clusters, probabilities)
    is_labelled = ~np.isnan(units.labels).all(axis=1)
    raters = int((~np.isnan(units.labels)).any(axis=0).sum())
    n, n_judged = int(is_labelled.sum()), len(units.judged)
    if n < FEWEST_LABELS:
        none = Estimate(None, None, f"{n} labels; {FEWEST_LABELS} are needed")
        return PredictionPowered(
            *(none, none, none, None, None, n, n_judged, raters), None, None, None, None
        )
    powered, alone = _Jackknife.of(units, weight), _Jackknife.of(units, 0.0)
    everything = units._replace(labels=units.judged[:, None], weights=np.ones(n_judged))
    judge = _Jackknife.of(everything, 0.0)
    share, known = None, units.labels[~np.isnan(units.labels)]
    if scale and np.isin(known, scale).all():
        share = (alone.theta - scale[0]) / (scale[1] - scale[0])
    mean, labels_alone = powered.estimate(scale, share), alone.estimate(scale, share)
    gain = None
    if mean.ci95 and labels_alone.ci95:
        gain = _width(mean.ci95) / _width(labels_alone.ci95)
    has = mean.ci95 is not None
    return PredictionPowered(
        mean=mean,
        labels_alone=labels_alone,
        judge_alone=judge.estimate(),
        weight=powered.weight,
        correlation=powered.correlation,
        n=n,
        n_judged=n_judged,
        raters=raters,
        gain=gain,
        variance_families=powered.families if has else None,
        variance_raters=powered.raters if has else None,
        df=powered.df if has else None,
    )


def _checked(
    labels: npt.ArrayLike,
    judged: npt.ArrayLike,
    clusters: npt.ArrayLike | None,
    probabilities: npt.ArrayLike | None,
) -> _Units:
    rows = np.asarray(labels, dtype=np.float64)
    table = rows[:, None] if rows.ndim == 1 else rows
    grades = np.asarray(judged, dtype=np.float64)
    if table.ndim != 2 or grades.ndim != 1 or len(table) != len(grades):
        raise ValueError(f"need a label and a grade a unit, got {table.shape} and {grades.shape}")
    if np.isnan(grades).any():
        raise ValueError("the judge has not graded every unit")
    drawn = (
        np.ones(len(grades)) if probabilities is None else np.asarray(probabilities, dtype=float)
    )
    if drawn.shape != grades.shape:
        raise ValueError(f"need a probability a unit, got {drawn.shape} for {grades.shape}")
    is_labelled = ~np.isnan(table).all(axis=1)
    if not (drawn[is_labelled] > 0).all():
        raise ValueError("a labelled unit has a probability that is not above 0")
    weights = np.where(is_labelled, 1 / np.where(is_labelled, drawn, 1.0), 0.0)
    families = cluster_index(np.arange(len(grades)) if clusters is None else clusters)
    return _Units(table, grades, weights, families)


def _family_sums(units: _Units, labels: Floats) -> Floats:
    """What each family adds to each sum, shape (n_families, 8).

    The weights w of labelled units, wy, wf, wyf, wff, wyy; and of all units their number and f.
    """
    known = ~np.isnan(labels)
    counts = known.sum(axis=1)
    y = np.where(known, labels, 0.0).sum(axis=1) / np.maximum(counts, 1)
    w, f = np.where(counts > 0, units.weights, 0.0), units.judged
    columns = (w, w * y, w * f, w * y * f, w * f * f, w * y * y, np.ones(len(f)), f)
    return cluster_sums(np.column_stack(columns), units.families)


def _width(ci95: Interval) -> float:
    return ci95[1] - ci95[0]


class _Moments(NamedTuple):
    """Of totals, shape (n, 8): the estimate, the judge's weight and its correlation with labels.

    NaN where nothing is labelled, or one of the two does not vary.
    """

    theta: Floats
    weight: Floats
    correlation: Floats


def _moments(totals: Floats, weight: float | None) -> _Moments:
    w, wy, wf, wyf, wff, wyy, n, f = totals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        labelled = w > _EPSILON
        size = np.where(labelled, w, np.nan)
        mean_y, mean_f, mean_all = wy / size, wf / size, f / n
        cov = wyf / size - mean_y * mean_f
        var_y, var_f = wyy / size - mean_y**2, wff / size - mean_f**2
        y_varies, f_varies = var_y > _EPSILON * wyy / size, var_f > _EPSILON * wff / size
        slope = np.where(f_varies, np.maximum(0.0, cov / var_f), 0.0)
        rho = np.where(y_varies & f_varies, cov / np.sqrt(var_y * var_f), np.nan)
    fitted = slope if weight is None else np.full_like(slope, weight)
    return _Moments(mean_y - fitted * (mean_f - mean_all), fitted, rho)


class _Jackknife(NamedTuple):
    """An estimate, and what deleting families, raters and both says of its variance."""

    theta: float
    families: float
    raters: float
    df: float
    labelled: int
    weight: float
    correlation: float | None

    @property
    def error(self) -> float:
        """The standard error."""
        return sqrt(self.families + self.raters)

    def estimate(self, scale: Interval | None = None, share: float | None = None) -> Estimate:
        """With its interval, where there is one; both on the scale.

        `share` is that of labels at the upper end of the scale where none is between its ends.
        """
        if self.labelled < FEWEST_FAMILIES:
            reason = f"labels of {FEWEST_FAMILIES} different texts are needed for an interval, "
            return Estimate(self.theta, None, f"{reason}here of {self.labelled}")
        least, most = scale or (-np.inf, np.inf)
        theta, t = min(max(self.theta, least), most), _t(self.df)
        if share is not None:
            trials, room = float(self.labelled), most - least
            if 0 < share < 1:
                trials = 1 / (self.error**2 / (share * (1 - share) * room**2) + 1 / trials**2)
            low, high = wilson((theta - least) / room, trials, t)
            return Estimate(theta, (least + room * low, least + room * high))
        low, high = max(self.theta - t * self.error, least), min(self.theta + t * self.error, most)
        if high - low <= _EPSILON * max(1.0, abs(theta)):
            if scale is None:
                return Estimate(theta, None, "all are alike, and how far others may lie is unknown")
            unlike = 1 - 0.05 ** (1 / self.labelled)
            low, high = theta - unlike * (theta - least), theta + unlike * (most - theta)
        return Estimate(theta, (low, high))

    @classmethod
    def of(cls, units: _Units, weight: float | None) -> "_Jackknife":
        """By these units, with a weight or the best one."""
        shift_y, shift_f = float(np.nanmean(units.labels)), float(units.judged.mean())
        units = units._replace(labels=units.labels - shift_y, judged=units.judged - shift_f)
        sums = _family_sums(units, units.labels)
        total = sums.sum(axis=0)
        everything = _moments(total[None], weight)
        theta, rho = float(everything.theta[0]), float(everything.correlation[0])
        v_families = _spread(_moments(total - sums, weight).theta)
        is_labelled = ~np.isnan(units.labels).all(axis=1)
        sizes = np.bincount(units.families[is_labelled])
        effective = float(sizes.sum() ** 2 / (sizes**2).sum())
        df = max(1.0, effective - (2 if weight is None else 1))
        v_raters, raters = _over_raters(units, sums, weight, theta)
        if v_raters > 0:
            both = v_families + v_raters
            df = both**2 / (v_families**2 / df + v_raters**2 / (raters - 1))
        correlation = None if np.isnan(rho) else rho
        n_labelled, fitted = int((sizes > 0).sum()), float(everything.weight[0])
        return cls(theta + shift_y, v_families, v_raters, df, n_labelled, fitted, correlation)


def _t(df: float) -> float:
    return float(student_quantile(0.975, np.array(df)))


def _spread(less_one: Floats) -> float:
    """The jackknife's variance from estimates that leave one out."""
    known = less_one[~np.isnan(less_one)]
    k = len(known)
    return (k - 1) / k * float(((known - known.mean()) ** 2).sum()) if k else 0.0


def _over_raters(
    units: _Units, sums: Floats, weight: float | None, theta: float
) -> tuple[float, int]:
    """What raters add to the variance beyond families, at least 0; and how many there are.

    What a person adds to one family is in both variances: it is taken out once, measured by
    leaving out single labels, from which a person's own strictness is taken first.
    """
    known = ~np.isnan(units.labels)
    columns = np.flatnonzero(known.any(axis=0))
    if len(columns) < 2:
        return 0.0, len(columns)
    less_one, both = [], 0.0
    for column in columns:
        labels = units.labels.copy()
        labels[:, column] = np.nan
        without = _family_sums(units, labels)
        less_one.append(_moments(without.sum(axis=0)[None], weight).theta[0])
        rated = np.unique(units.families[known[:, column]])
        cells = sums.sum(axis=0) - sums[rated] + without[rated]
        shifts = _moments(cells, weight).theta - theta
        both += float(np.nansum((shifts - np.nanmean(shifts)) ** 2))
    by_rater = np.array(less_one)
    raters = int((~np.isnan(by_rater)).sum())
    if raters < 2:
        return 0.0, raters
    return max(0.0, _spread(by_rater) - (raters - 1) / raters * both), raters
