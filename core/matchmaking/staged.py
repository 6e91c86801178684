"""`staged` and `all`: schedules that follow the ladder, or take everything.

`staged` is the reference's: a few opponents over the whole ladder, then the neighbours with
some items each, then the neighbours with all items; the last two again until the rank is
stable, at most four times. Unlike the reference, scenarios are spread from the first batch on:
there all first opponents get the same one.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .goals import Batch, Goal, Item
from .spreading import Spreader, asked_items, spread_slots

SPARSE = 10
"""Opponents of the first stage, one item each."""
NEIGHBOURS = {1: 8, 2: 4, 3: 2}
"""Items with opponents so many places away, in the second stage."""
MOST_LOOPS = 4
_STAGES = ("neighbours", "comprehensive")


class Position(NamedTuple):
    """What is known of the ladder.

    Attributes:
        ladder: Opponents, the best first.
        rank: Of the model among them, 1 the best; None before it was compared.
    """

    ladder: tuple[str, ...]
    rank: int | None


def plan_staged(goal: Goal, position: Position, history: Sequence[Batch]) -> tuple[str, list[Item]]:
    """The next stage's name and items; no items when the schedule is through."""
    asked = asked_items(goal, history)
    if not history:
        return "sparse", _sparse(goal, position.ladder)
    stage, loop = _next_stage(history, position)
    while stage is not None:
        items = _neighbours(goal, position, asked, everything=stage == "comprehensive")
        if items:
            return f"{stage} {loop}", items
        # Nothing new with these neighbours: the rank cannot move, so the stage is done.
        stage, loop = _after(stage), 1
    return "settled", []


def _sparse(goal: Goal, ladder: Sequence[str]) -> list[Item]:
    count = min(SPARSE, len(ladder))
    places = [round(i * (len(ladder) - 1) / max(count - 1, 1)) for i in range(count)]
    spreader = Spreader(goal, ())
    return [item for place in places for item in spreader.take(ladder[place], 1)]


def _next_stage(history: Sequence[Batch], position: Position) -> tuple[str | None, int]:
    """Stage and loop after the last batch."""
    last = history[-1]
    name, _, loop = last.stage.partition(" ")
    if name == "sparse":
        return _STAGES[0], 1
    if last.rank == position.rank or int(loop) >= MOST_LOOPS:
        return _after(name), 1
    return name, int(loop) + 1


def _after(stage: str) -> str | None:
    place = _STAGES.index(stage) + 1
    return _STAGES[place] if place < len(_STAGES) else None


def _neighbours(
    goal: Goal, position: Position, asked: Sequence[Item], *, everything: bool
) -> list[Item]:
    """Items with the models next to the rank, near ones first."""
    rank = position.rank or len(position.ladder) // 2 + 1
    spreader = Spreader(goal, asked)
    items: list[Item] = []
    for distance, most in NEIGHBOURS.items():
        for place in (rank - 1 - distance, rank - 2 + distance):
            if 0 <= place < len(position.ladder):
                opponent = position.ladder[place]
                had = sum(item.opponent == opponent for item in asked)
                items += spreader.take(opponent, None if everything else max(0, most - had))
    return items


def plan_all(goal: Goal, position: Position, history: Sequence[Batch]) -> tuple[str, list[Item]]:
    """One item with each opponent, each time on other scenarios; none when all are had."""
    asked = asked_items(goal, history)
    spreader = Spreader(goal, asked)
    opponents = sorted(position.ladder)
    turn = len(history) % max(len(spread_slots(goal)), 1)
    # Who chooses first changes, so that no opponent always gets what others left.
    turned = opponents[turn % len(opponents) :] + opponents[: turn % len(opponents)]
    items = [item for opponent in turned for item in spreader.take(opponent, 1)]
    return f"all {len(history) + 1}", items
