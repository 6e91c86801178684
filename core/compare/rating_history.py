"""How ratings came to be: those after each model that joined a board."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from ..journal import StoredComparison
from .leaderboard import Leaderboard
from .rating_summary import ratings_from

STEPS = 8
"""The most that are rated."""
MOST = 6_000
"""Comparisons, beyond which rating them so often takes too long."""


class RatedStep(NamedTuple):
    """The ratings once a model had joined, by model, with the date of its run.

    They are shifted so that the models of the step have, on average, their last rating, as a scale
    without anchors is centred anew with each model.
    """

    joined: str
    date: str
    ratings: Mapping[str, float]


def rating_history(board: Leaderboard) -> list[RatedStep]:
    """The ratings after each model, from the second on; of many models after some.

    Nothing where fewer than three models are rated, or there are more than 6,000 comparisons.
    """
    rows, last = board.compared or (), {row["model"]: row["rating"] for row in board.ratings}
    order = sorted((n for n in last if n in board.runs), key=lambda n: board.runs[n].created_at)
    if len(order) < 3 or len(rows) > MOST:
        return []
    steps = [_step(board, rows, order[:n], last) for n in _cuts(len(order))]
    return [step for step in steps if step.ratings]


def _cuts(models: int) -> list[int]:
    """How many models each step has: from two to all."""
    if models - 1 <= STEPS:
        return list(range(2, models + 1))
    return sorted({round(2 + (models - 2) * n / (STEPS - 1)) for n in range(STEPS)})


def _step(
    board: Leaderboard,
    rows: Sequence[StoredComparison],
    models: Sequence[str],
    last: Mapping[str, float],
) -> RatedStep:
    chosen = set(models)
    among = [row for row in rows if row.a in chosen and row.b in chosen]
    assert board.standing is not None
    engine = board.standing.details.get("engine", "")
    ratings = ratings_from(board.benchmark, board.pack, among, engine)
    shift = fmean(last[name] - rating for name, rating in ratings.items()) if ratings else 0.0
    shifted = {name: rating + shift for name, rating in ratings.items()}
    return RatedStep(models[-1], board.runs[models[-1]].created_at[:10], shifted)
