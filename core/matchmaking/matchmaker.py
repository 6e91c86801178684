"""One placement: the next batch of calls from what is known, until a reason to stop.

Nothing here remembers anything but what follows from its inputs: the same ladder, the same
comparisons and the same batches give the same next batch. So a stop changes nothing, as long
as each batch is kept before it is sent and the next is planned from complete ones only.
"""

from collections.abc import Sequence
from functools import cached_property
from math import sqrt

import numpy as np

from ..errors import BenchError, UsageError
from ..ratings import fractional_logit
from ..ratings.arrays import Bools
from ..ratings.comparisons import Comparisons
from ..ratings.result import ModelRating, Ratings
from ..text import plural
from .adaptive import Adviser, batch_size
from .calls import Schedule
from .goals import Batch, Goal, NoMoreCalls, PairSlot
from .outlook import SURE_WIDTH, Expected, Outlook, scale_at
from .staged import Position, as_calls, asked_items, plan_all, plan_staged


class Matchmaker:
    """Plans the placement of one model on a ladder of comparisons by the same judge.

    Raises:
        UsageError: There is nobody to compare with.
    """

    def __init__(self, goal: Goal, ladder: Comparisons, schedule: Schedule) -> None:
        self.goal = goal
        self.schedule = schedule
        opponents = goal.pool.opponents(goal.model)
        if not opponents:
            message = "no other model has transcripts of the same items; run another model first"
            raise UsageError(f"{goal.model} cannot be compared: {message}")
        self._opponents = opponents
        self._ladder = _without(ladder, goal.model)

    def next_batch(self, known: Comparisons, history: Sequence[Batch]) -> Batch | NoMoreCalls:
        """What to ask next."""
        asked = asked_items(self.goal, history)
        calls = self._room(history)
        room = calls // 2 if calls is not None and self.goal.orders == "both" else calls
        if room == 0:
            return NoMoreCalls(
                "budget", _used_up(self.goal.max_comparisons or 0, self._spent(history))
            )
        if self.goal.target_ci is not None and self._is_precise(known, history):
            return NoMoreCalls("precise", f"the interval is within ±{self.goal.target_ci:g} points")
        planned = self._planned(known, history, asked, room)
        if isinstance(planned, NoMoreCalls):
            return planned
        stage, rank, items = planned
        if not items:
            return self._through()
        return Batch(stage, rank, as_calls(self.goal, items[:room], history, calls))

    def _planned(
        self,
        known: Comparisons,
        history: Sequence[Batch],
        asked: Sequence[PairSlot],
        room: int | None,
    ) -> NoMoreCalls | tuple[str, int | None, list[PairSlot]]:
        if self.schedule == "adaptive":
            return self._adaptive(known, asked, room)
        position = self._position(known, history)
        plan = plan_staged if self.schedule == "staged" else plan_all
        stage, items = plan(self.goal, position, history)
        return stage, position.rank, items

    def _adaptive(
        self, known: Comparisons, asked: Sequence[PairSlot], room: int | None
    ) -> NoMoreCalls | tuple[str, int | None, list[PairSlot]]:
        size = batch_size(len(asked)) if room is None else min(room, batch_size(len(asked)))
        placed = _only(known, self.goal.model)
        choice = self._adviser.choose(placed, asked, size)
        reached = choice.enough and not self._can_reach(known, asked)
        if choice.items and (reached or not choice.worthwhile):
            return NoMoreCalls("floor", "more comparisons of these transcripts would tell little")
        return "adaptive", self._adviser.rank(placed), choice.items

    def _can_reach(self, known: Comparisons, asked: Sequence[PairSlot]) -> bool:
        """Whether there is a target beyond what is usually enough, and more calls would meet it."""
        if self.goal.target_ci is None:
            return False
        return self._outlook(known, asked, self._rated(known)).is_in_reach()

    def advise(
        self, stop: NoMoreCalls, known: Comparisons, history: Sequence[Batch]
    ) -> NoMoreCalls:
        """The same with what more calls would do, where `adaptive` can say it."""
        if self.schedule != "adaptive":
            return stop
        ratings = self._rated_if_possible(known)
        row = _row(ratings, self.goal.model)
        outlook = self._outlook(known, asked_items(self.goal, history), ratings)
        advice = outlook.advise(self._ladder, row and row.half_width)
        message = f"{stop.message}; {advice}" if advice else stop.message
        return stop._replace(message=message, advice=advice)

    def expect(self, known: Comparisons, history: Sequence[Batch]) -> Expected | None:
        """How many more calls it will take, and the interval then; None where nobody can say."""
        if self.schedule != "adaptive":
            return None
        asked, ratings = asked_items(self.goal, history), self._rated_if_possible(known)
        return self._outlook(known, asked, ratings).expect(self._room(history))

    def _outlook(
        self, known: Comparisons, asked: Sequence[PairSlot], ratings: Ratings | None
    ) -> Outlook:
        adviser = self._adviser
        placed = _only(known, self.goal.model)
        strength = adviser.state(placed).strength
        scale = None
        if ratings is not None:
            scale = scale_at(strength, adviser.strengths(), ratings, self.goal)
        return Outlook(self.goal, adviser, placed, asked, scale)

    @cached_property
    def _adviser(self) -> Adviser:
        return Adviser(self.goal, self._ladder)

    def _through(self) -> NoMoreCalls:
        if self.schedule == "staged":
            return NoMoreCalls("settled", "the rank is stable")
        return NoMoreCalls(
            "exhausted", "everything there is has been compared; run more iterations"
        )

    def _spent(self, history: Sequence[Batch]) -> int:
        return sum(len(batch.calls) for batch in history)

    def _room(self, history: Sequence[Batch]) -> int | None:
        """How many calls may still be asked for; None for any number."""
        if self.goal.max_comparisons is None:
            return None
        return max(0, self.goal.max_comparisons - self._spent(history))

    def _position(self, known: Comparisons, history: Sequence[Batch]) -> Position:
        """The ladder by `fractional-logit`, whose strengths take the least time."""
        if not len(known):
            return Position(self._opponents, None)
        ratings = fractional_logit.strengths(known, self.goal.settings)
        middle = float(np.median(list(ratings.values())))
        ladder = sorted(self._opponents, key=lambda o: (-ratings.get(o, middle), o))
        if self.goal.model not in ratings:
            return Position(tuple(ladder), None)
        strength = ratings[self.goal.model]
        better = sum(ratings.get(opponent, middle) > strength for opponent in ladder)
        return Position(tuple(ladder), 1 + better)

    def _is_precise(self, known: Comparisons, history: Sequence[Batch]) -> bool:
        """Whether the engine's interval, and for `adaptive` the model's own, meet the target."""
        assert self.goal.target_ci is not None
        if not history:
            return False
        ratings = self._rated(known)
        row = _row(ratings, self.goal.model)
        if ratings is None or row is None:
            return False
        is_exact = row.model in [anchor.model for anchor in ratings.anchors]
        if not is_exact and (row.half_width is None or row.half_width > self.goal.target_ci):
            return False
        if self.schedule != "adaptive":
            return True
        width = self._own_width(known, ratings)
        return width is not None and width <= self.goal.target_ci

    def _rated(self, known: Comparisons) -> Ratings | None:
        return self.goal.rate(known, self.goal.settings) if len(known) else None

    def _rated_if_possible(self, known: Comparisons) -> Ratings | None:
        """The ratings; what is only told of a placement can do without them."""
        try:
            return self._rated(known)
        except BenchError:
            return None

    def _own_width(self, known: Comparisons, ratings: Ratings) -> float | None:
        """Half-width by the expected error of the calls: less noisy than the engine's early on.

        Without it a placement would stop whenever the jackknife is small by chance. None while the
        engine gives the ladder no scale.
        """
        state = self._adviser.state(_only(known, self.goal.model))
        scale = scale_at(state.strength, self._adviser.strengths(), ratings, self.goal)
        if scale is None:
            return None
        return SURE_WIDTH * sqrt(state.sums.error()) * scale.unit


def _used_up(allowed: int, spent: int) -> str:
    """That no item can be bought any more, with what is left over."""
    was = "was" if allowed == 1 else "were"
    message = f"{plural(allowed, 'comparison')} {was} allowed, {spent} made"
    return message if spent >= allowed else f"{message}; the one left is no whole pair of orders"


def _row(ratings: Ratings | None, model: str) -> ModelRating | None:
    rows = ratings.rows if ratings is not None else ()
    return next((row for row in rows if row.model == model), None)


def _involves(comparisons: Comparisons, model: str) -> Bools:
    if model not in comparisons.models:
        return np.zeros(len(comparisons), dtype=np.bool_)
    index = comparisons.models.index(model)
    return np.asarray((comparisons.a == index) | (comparisons.b == index))


def _only(comparisons: Comparisons, model: str) -> Comparisons:
    """The model's own comparisons."""
    return comparisons.only(_involves(comparisons, model)).compact()


def _without(comparisons: Comparisons, model: str) -> Comparisons:
    """Those of all others."""
    return comparisons.only(~_involves(comparisons, model)).compact()
