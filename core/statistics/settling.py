"""What would tell two runs apart: how many more items, or how many iterations, and how surely.

A difference of two runs varies with the items that were drawn, and with each rerun of an item. More
items like these take both down, more iterations of these items the second alone. How often a plan
tells two runs apart is by noncentral t, and averaged over how much larger or smaller than it seems
the spread may be, which few families leave open (docs/statistics.md has how often plans held).
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import Floats, standard_error
from .few_families import FEWEST_FAMILIES, unequal_families, why_no_interval
from .joint import effective_clusters
from .student import power_of, root_chi_square

POWER = 0.8
"""How often a plan tells two runs apart, if their true difference is the planned one."""
MOST_TIMES = 100
"""More items than so many times those there are, or iterations in all, are no usual number."""
ONE_ITERATION = "each item has one iteration, so what a rerun changes is not known"
ALIKE = "all items differ alike"
NO_DIFFERENCE = "there is no difference to plan for"
NO_USUAL_NUMBER = f"not with {MOST_TIMES} times as many items, or {MOST_TIMES} iterations"
_STEPS = 200  # of a smallest difference, in one standard error
_OF_RERUNS = 8  # variances of reruns that are looked at
_LEAST = 1e-9  # probability of what is possible at all
_MOST_ITEMS = 10**9

Values = Mapping[tuple[str, int], float]
"""A run's values by item and iteration."""


class Settling(NamedTuple):
    """What would tell two runs apart.

    Attributes:
        difference: The true one that is planned for; None without a pair.
        power: How often the plan tells them apart, if that is the true one.
        items: Items that both have.
        iterations_now: Iterations of them that both have, on average.
        families: How many families of equal size would say as much as theirs.
        more_items: How many items like these beyond those both have, in as many iterations, whole
            families alike; 0 if those there are do. None where no usual number does.
        iterations: How many of the same items in all, by both; None likewise, and where no item has
            two iterations, as then nothing says what a rerun changes.
        floor: The difference from which on iterations of these items can do; None as `iterations`.
        share_by_items: How often more items do, if the true difference may be any from which the
            observed one came by chance; None without `more_items`.
        share_by_iterations: Likewise of `iterations`.
        error: The standard error of the observed difference; None where nothing can be planned.
        rerun_error: What reruns have in it: error^2 = between^2 + rerun_error^2, and r times as
            many iterations take rerun_error^2 / r; None where no item has two.
        reason: Why something is None; None where nothing is.
    """

    difference: float | None
    power: float
    items: int
    iterations_now: int
    families: float
    more_items: int | None = None
    iterations: int | None = None
    floor: float | None = None
    share_by_items: float | None = None
    share_by_iterations: float | None = None
    error: float | None = None
    rerun_error: float | None = None
    reason: str | None = None


class _Known(NamedTuple):
    """What pairs say: their mean, its standard error, and what reruns add to its variance."""

    error: float
    rerun: float | None
    mean: float
    items: int
    iterations: float
    families: float
    clusters: int

    @property
    def variance(self) -> float:
        """The error squared."""
        return self.error**2

    @property
    def unequal(self) -> bool:
        """Whether families are of very unequal size."""
        return bool(unequal_families(self.clusters, self.families))

    def smallest(self, more: float, iterations: float) -> float | None:
        """The smallest difference that is told apart in 80 %; None where no usual one is."""
        step, chance = self.error / _STEPS, self.told_apart(more, iterations)
        n = _first(range(_STEPS * MOST_TIMES), POWER, lambda n: chance(n * step))
        return None if n is None else n * step

    def told_apart(self, more: float, iterations: float) -> Callable[[float], float]:
        """How often a true difference is."""
        weight, _, then, df = self._spread(more, iterations)
        errors = np.sqrt(np.maximum(then, 1e-300))
        return lambda difference: float(weight @ power_of(difference / errors, df))

    def share(self, more: float, iterations: float) -> float:
        """How often, if the mean came by chance from any true difference, each as likely.

        What the pairs there are say of the next ones is in it, as these are kept.
        """
        weight, now, then, df = self._spread(more, iterations)
        unknown = np.sqrt(np.maximum(now / then - 1, 1e-12))
        return float(weight @ power_of(abs(self.mean) / np.sqrt(then), df, unknown))

    def _spread(self, more: float, iterations: float) -> tuple[Floats, Floats, Floats, int]:
        """What the true variance of the mean may be, now and then, and how likely; then the df."""
        root, weight = root_chi_square(max(self.families - 1, 1.0))
        variance, rerun = self.variance / root**2, np.zeros(root.size)
        if self.rerun is not None:
            of_reruns, likely = root_chi_square(self.items * (self.iterations - 1), _OF_RERUNS)
            variance, weight = np.repeat(variance, _OF_RERUNS), np.outer(weight, likely).ravel()
            rerun = np.tile(self.rerun / of_reruns**2, root.size)
            if (kept := weight * (variance >= rerun)).sum() > _LEAST:  # reruns are a part of all
                weight = kept / kept.sum()
        rerun, times = np.minimum(rerun, variance), 1 + more / self.items
        then = (variance - rerun * (1 - self.iterations / iterations)) / times
        return weight, variance, then, max(int(self.families * times) - 1, 1)


def settling(
    first: Values,
    second: Values,
    families: Mapping[str, str],
    *,
    difference: float | None = None,
) -> Settling:
    """How many more items, or iterations in all, tell two runs apart at 5 %, two-sided.

    Args:
        first: Values of one run.
        second: Of the other; samples that only one has are left out.
        families: The family of each item.
        difference: The true one to plan for; by default the observed one.
    """
    known, reason = _known(first, second, families)
    observed = known.mean if known.items else None
    planned = observed if difference is None else difference
    none = Settling(planned, POWER, known.items, round(known.iterations), known.families)
    reason = reason if planned else NO_DIFFERENCE
    return none._replace(reason=reason) if reason else _planned(none, known)


def smallest_difference(
    first: Values,
    second: Values,
    families: Mapping[str, str],
    *,
    items: int | None = None,
    iterations: int | None = None,
) -> float | None:
    """The smallest true difference that runs like these two tell apart in 80 %, at 5 %, two-sided.

    None where nothing can be planned with these, as `settling` says why; where the items are of too
    few texts; and where families are so unequal that it is told apart less often than that.

    Args:
        first: Values of one run.
        second: Of the other; samples that only one has are left out.
        families: The family of each item.
        items: How many the runs have; by default as these.
        iterations: In how many each; as these by default, and where no item here has two.
    """
    known, reason = _known(first, second, families)
    n = known.items if items is None else items
    if reason or known.unequal or why_no_interval(int(known.clusters * n / known.items)):
        return None
    asked = known.iterations if iterations is None or known.rerun is None else iterations
    return known.smallest(n - known.items, asked)


class SpreadPlan(NamedTuple):
    """What it takes by a standard deviation that is stated, so that it is exact.

    Attributes:
        needed: The fewest items, eight or more; ``None`` where a thousand million are too few.
        shows: The smallest difference that the items at hand show; ``None`` below eight of them.
    """

    needed: int | None
    shows: float | None


def spread_plan(difference: float, sd: float, items: int) -> SpreadPlan:
    """The plan where two runs' difference varies by `sd` from item to item, by noncentral t.

    Args:
        difference: The true one to plan for.
        sd: The standard deviation of the difference over items, each of a text of its own.
        items: How many are at hand.
    """

    def chance(gap: float, n: int) -> float:
        return float(power_of(np.array([gap / sd * sqrt(n)]), n - 1)[0])

    needed = _first(range(FEWEST_FAMILIES, _MOST_ITEMS), POWER, lambda n: chance(difference, n))
    if why_no_interval(items):
        return SpreadPlan(needed, None)
    step = sd / sqrt(items) / _STEPS
    n = _first(range(_STEPS * MOST_TIMES), POWER, lambda n: chance(n * step, items))
    return SpreadPlan(needed, None if n is None else n * step)


def _known(first: Values, second: Values, families: Mapping[str, str]) -> tuple[_Known, str | None]:
    """What the pairs of two runs say, or why that is too little to plan with."""
    keys = sorted(first.keys() & second.keys())
    pairs = np.array([first[key] - second[key] for key in keys], dtype=np.float64)
    items = np.unique([item for item, _ in keys], return_inverse=True)[1]
    ids = np.array([families[item] for item, _ in keys])
    sizes = np.unique(ids, return_counts=True)[1]
    if not keys:
        return _Known(0.0, None, 0.0, 0, 0.0, 0.0, 0), why_no_interval(0)
    n_items, mean = np.unique(items).size, float(pairs.mean())
    effective = float(effective_clusters(sizes))
    known = _Known(0.0, None, mean, n_items, len(keys) / n_items, effective, sizes.size)
    if reason := why_no_interval(sizes.size):
        return known, reason
    error, rerun = standard_error(pairs, ids) or 0.0, _rerun(pairs, items)
    known = known._replace(error=error, rerun=rerun)
    return known, None if error else ALIKE


def more_items(difference: float, error: float, items: int, families: float) -> Settling:
    """The plan for a difference of which only the standard error is known: items, no iterations.

    Args:
        difference: The observed one, which is planned for.
        error: Its standard error.
        items: How many it stands on.
        families: How many families of equal size would say as much as theirs.
    """
    none = Settling(difference, POWER, items, 1, families)
    if not difference or not error:
        return none._replace(reason=ALIKE if difference else NO_DIFFERENCE)
    known = _Known(error, None, difference, items, 1, families, round(families))
    return _planned(none, known)


def _planned(none: Settling, known: _Known) -> Settling:
    power, difference = none.power, abs(none.difference or 0.0)

    def chance(more: float, iterations: float) -> float:
        return known.told_apart(more, iterations)(difference)

    now = none.iterations_now
    items = _first(range(MOST_TIMES * known.items + 1), power, lambda n: chance(n, now))
    plan = none._replace(
        more_items=items,
        share_by_items=None if items is None else known.share(items, now),
        error=known.error,
    )
    if known.rerun is None:
        return plan._replace(reason=ONE_ITERATION)
    iterations = _first(range(now, MOST_TIMES + 1), power, lambda n: chance(0, n))
    missing = None if items is not None and iterations is not None else NO_USUAL_NUMBER
    return plan._replace(
        iterations=iterations,
        floor=known.smallest(0, inf),
        rerun_error=sqrt(known.rerun),
        share_by_iterations=None if iterations is None else known.share(0, iterations),
        reason=missing,
    )


def _first(numbers: range, power: float, chance: Callable[[int], float]) -> int | None:
    """The first number from which on two runs are told apart often enough."""
    at = bisect_left(numbers, power, key=chance)
    return numbers[at] if at < len(numbers) else None


def _rerun(pairs: Floats, items: npt.NDArray[np.intp]) -> float | None:
    """What reruns add to the variance of the mean of all pairs: that within items."""
    sizes = np.bincount(items)
    if (free := pairs.size - sizes.size) <= 0:
        return None
    within = pairs - (np.bincount(items, pairs) / sizes)[items]
    return float(np.sum(within**2)) / free / pairs.size
