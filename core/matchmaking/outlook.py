"""What a placement may expect of its calls: how many it will take, and what more would do.

Half-widths here are those that the rating's interval is expected to have. The interval of a rating
holds two errors: that of the model's place on the ladder, which calls make smaller (the expected
error), and that of the ladder's scale at this place, which is the anchors' and stays.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..ratings.comparisons import Comparisons
from ..ratings.intervals import jackknife_error
from ..ratings.result import Ratings
from ..statistics.few_families import FEWEST_FAMILIES
from ..statistics.student import quantile
from ..text import plural
from .adaptive import Adviser
from .goals import Goal, PairSlot, Slot, TranscriptPool

_SURE = 0.975
SURE_WIDTH = 1.96 * 1.15
"""Half an interval by the expected error alone, in standard errors that are taken to be 15 % too
small."""


class PointScale(NamedTuple):
    """Points at one place of the ladder.

    Attributes:
        unit: Points in a natural unit of the logit.
        variance: Of the scale there, points squared.
        t: How many standard errors half an interval is; None with too few families for one.
    """

    unit: float
    variance: float
    t: float | None

    def half_width(self, error: float) -> float | None:
        """Of the interval at an expected squared error, natural units.

        None where there is no interval.
        """
        return self.t and self.t * sqrt(self.unit**2 * error + self.variance)

    def error_at(self, target: float) -> float:
        """The expected squared error at which a placement stops for a half-width, natural units.

        Below 0 where the scale alone makes the interval wider, or where there is none.
        """
        if self.t is None:
            return -1.0
        printed = ((target / self.t) ** 2 - self.variance) / self.unit**2
        return min(printed, (target / (self.unit * SURE_WIDTH)) ** 2)

    def narrowed(self, half_width: float, before: float, after: float) -> float:
        """What a half-width becomes when the expected squared error falls from one to another."""
        scale, unit = self.variance, self.unit**2
        return half_width * sqrt((unit * after + scale) / (unit * before + scale))


def scale_at(
    strength: float, strengths: Mapping[str, float], ratings: Ratings, goal: Goal
) -> PointScale | None:
    """The scale of ratings where a model stands: a line through the ratings on the strengths.

    `strength` is the model's, `strengths` are those of the ladder's models. None where less than
    two of these have a rating too, or all are equal.
    """
    indices = [n for n, row in enumerate(ratings.rows) if row.model in strengths]
    rows = [ratings.rows[n] for n in indices]
    x = np.array([strengths[row.model] for row in rows])
    if len(rows) < 2 or float(x.std()) == 0:
        return None
    at = np.array([row.rating for row in rows])
    unit = abs(float(np.polyfit(x, at, 1)[0]))
    variance = 0.0
    if ratings.replicates is not None and len(ratings.replicates) > 1:
        slope, start = np.polyfit(x, ratings.replicates[:, indices].T, 1)
        variance = float(jackknife_error((start + slope * strength)[:, None])[0]) ** 2
    return PointScale(unit, variance, _t_of(goal))


def _t_of(goal: Goal) -> float | None:
    pool = goal.pool
    slots = frozenset[Slot]().union(
        *(pool.shared(goal.model, o) for o in pool.opponents(goal.model))
    )
    n = len({pool.families.get(item, item) for item, _ in slots})
    return quantile(_SURE, n - 1) if n >= FEWEST_FAMILIES else None


class Expected(NamedTuple):
    """How many more calls a placement is expected to take.

    `half_width` is that of the interval then, in points; None where it is not known.
    """

    calls: int
    half_width: float | None


@dataclass(frozen=True)
class Outlook:
    """A placement by `adaptive`, and what more of it would do.

    `scale` is that where the model stands; None where it is not known.
    """

    goal: Goal
    adviser: Adviser
    placed: Comparisons
    asked: Collection[PairSlot]
    scale: PointScale | None

    def expect(self, most: int | None = None) -> Expected:
        """When it is expected to stop."""
        goal, state = self.goal, self.adviser.state(self.placed)
        error, items, target = state.sums.error(), 0, self._target()
        for _, after in self.adviser.course(state, self.asked):
            if error <= target or (most is not None and (items + 1) * goal.calls_per_item > most):
                break
            error, items = after, items + 1
        return Expected(round(items * goal.calls_per_item), self._half_width(error))

    def _target(self) -> float:
        """The squared error to stop at: the target's where it can be had, else the usual."""
        target = self.goal.target_ci
        if target is not None and self.scale is not None and self.is_in_reach():
            return self.scale.error_at(target)
        return self.goal.enough**2 * self.adviser.floor

    def _half_width(self, error: float) -> float | None:
        return self.scale.half_width(error) if self.scale is not None else None

    def is_in_reach(self) -> bool:
        """Whether the target could be met if everything were compared."""
        if self.goal.target_ci is None or self.scale is None:
            return False
        smallest = self.adviser.smallest_error(self.adviser.state(self.placed), self.asked)
        return smallest <= self.scale.error_at(self.goal.target_ci)

    def advise(self, ladder: Comparisons, half_width: float | None) -> str:
        """What as many comparisons again would do to the interval, and another iteration.

        A clause for people; empty where the interval is not known.
        """
        if self.scale is None or half_width is None or self.scale.t is None or not self.asked:
            return ""
        goal = replace(self.goal, pool=with_iteration(self.goal))
        larger = replace(self, goal=goal, adviser=Adviser(goal, ladder))
        n, width = self._go_on(len(self.asked), half_width)
        more, with_more = larger._go_on(n or len(self.asked), half_width)
        calls = plural(round((n or more) * goal.calls_per_item), "more comparison")
        message = _named(self.goal)
        would = f"would take the half-width from {half_width:.0f} to"
        if not n:
            return f"{message} and {calls} {would} {with_more:.0f}"
        return f"{calls} {would} {width:.0f}, with {message} to {with_more:.0f}"

    def _go_on(self, most: int, half_width: float) -> tuple[int, float]:
        """How many items there are, at most so many, and what they would make of a half-width."""
        assert self.scale is not None
        state = self.adviser.state(self.placed)
        before = state.sums.error()
        errors = [error for _, error in islice(self.adviser.course(state, self.asked), most)]
        width = self.scale.narrowed(half_width, before, errors[-1] if errors else before)
        return len(errors), width


def _named(goal: Goal) -> str:
    message = "another iteration"
    if goal.iteration_calls:
        message += f" of it ({plural(goal.iteration_calls, 'call')} to the model)"
    return message if goal.pool.ahead else f"{message} and of its opponents"


def with_iteration(goal: Goal) -> TranscriptPool:
    """The pool with another iteration of the model and of those opponents who have it.

    Where nobody has it, all opponents are taken to get it too.
    """
    pool = goal.pool
    slots_of_model = pool.transcripts[goal.model]
    last = max(iteration for _, iteration in slots_of_model)
    more = frozenset((item, last + 1) for item, iteration in slots_of_model if iteration == last)
    meant = {goal.model, *(pool.ahead or pool.opponents(goal.model))}
    transcripts = {m: s | more if m in meant else s for m, s in pool.transcripts.items()}
    return replace(pool, transcripts=transcripts, ahead=frozenset())
