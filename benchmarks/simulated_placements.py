"""A simulated placement: a new model on a ladder that is known, batch by batch."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from eibench.core.errors import UsageError
from eibench.core.matchmaking.calls import Call, Orders, Schedule
from eibench.core.matchmaking.goals import (
    ENOUGH,
    FLOOR,
    Batch,
    Goal,
    NoMoreCalls,
    Rate,
    TranscriptPool,
)
from eibench.core.matchmaking.matchmaker import Matchmaker
from eibench.core.ratings.comparisons import Comparison, Comparisons
from eibench.core.ratings.settings import RatingSettings
from eibench.plugins.kit.simulator import Tournament


class Step(NamedTuple):
    """What a placement knew after a batch.

    The half width is that of the 95 % interval; ``None`` where there is none yet.
    """

    calls: int
    rating: float
    half_width: float | None
    stage: str


class Placed(NamedTuple):
    """A whole placement; without `stop` it was cut off."""

    steps: tuple[Step, ...]
    batches: tuple[Batch, ...]
    stop: NoMoreCalls | None


def pool_of(tournament: Tournament) -> TranscriptPool:
    """All transcripts of all its models."""
    slots = frozenset(tournament.slots)
    return TranscriptPool(dict.fromkeys(tournament.models, slots), tournament.families)


def place(
    tournament: Tournament,
    model: str,
    ladder: Sequence[Call],
    schedule: Schedule,
    *,
    rate: Rate,
    settings: RatingSettings = RatingSettings(),  # noqa: B008 - frozen
    orders: Orders = "one",
    target_ci: float | None = None,
    max_comparisons: int | None = None,
    floor: float = FLOOR,
    enough: float = ENOUGH,
    steps: bool = True,
) -> Placed:
    """Place a model and rate it after every batch, or only at the end.

    Args:
        tournament: Who judges.
        model: Who is placed.
        ladder: Calls among the others, made before; who is in them is on the ladder.
        schedule: How calls are chosen.
        rate: The engine, for the goal and for the steps.
        settings: Anchors.
        orders: Whether items are bought in both orders.
        target_ci: As of a goal.
        max_comparisons: As of a goal.
        floor: As of a goal.
        enough: As of a goal.
        steps: Whether to rate after every batch.
    """
    names = {name for call in ladder for name in (call.a, call.b)} | {model}
    pool = pool_of(tournament)
    pool = replace(pool, transcripts={m: s for m, s in pool.transcripts.items() if m in names})
    goal = Goal(model, pool, rate, settings, orders, target_ci, max_comparisons, floor, enough)
    rows: list[Comparison] = list(tournament.rows(ladder))
    maker = Matchmaker(goal, Comparisons.of(rows), schedule)
    history: list[Batch] = []
    steps_taken: list[Step] = []
    while True:
        known = Comparisons.of(rows)
        batch = maker.next_batch(known, history)
        if history and (steps or isinstance(batch, NoMoreCalls)):
            steps_taken += _step(goal, known, history)
        if isinstance(batch, NoMoreCalls):
            return Placed(tuple(steps_taken), tuple(history), batch)
        history.append(batch)
        rows += tournament.rows(batch.calls)


def _step(goal: Goal, known: Comparisons, history: Sequence[Batch]) -> list[Step]:
    try:
        row = goal.rate(known, goal.settings)[goal.model]
    except (KeyError, UsageError):
        return []  # nothing of it could be read, or the engine waits for second orders
    calls = sum(len(batch.calls) for batch in history)
    return [Step(calls, row.rating, row.half_width, history[-1].stage)]
