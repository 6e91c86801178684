"""`staged` and `all`: schedules that follow the ladder, or take everything.

`staged` is that of the published code (core/elo_config.py and core/matchup_selection.py of
EQ-bench/eqbench3): first a few opponents over the whole ladder, one item each; then stages that
zoom in on the neighbours, with more items each time (`PublishedScheme.zoom`), the last with all.
A stage is repeated until the rank is stable, at most four times. One difference: scenarios are
spread from the first batch on; there all first opponents get the same one.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from random import Random
from typing import NamedTuple

from .calls import FIRST, MIXED_BLOCK, Call, First
from .goals import Batch, Goal, PairSlot, Slot


def asked_items(goal: Goal, history: Iterable[Batch]) -> list[PairSlot]:
    """What was asked for so far, each item once, in order."""
    return list(_orders_of(goal, history))


def spread_slots(goal: Goal) -> list[Slot]:
    """The model's slots: one of each family, then the second of each, and so on."""
    by_family: dict[str, list[Slot]] = defaultdict(list)
    families = goal.pool.families
    # Iterations last, so that each family's items come before their repetitions.
    for item, iteration in sorted(goal.pool.transcripts[goal.model], key=lambda s: (s[1], s[0])):
        by_family[families.get(item, item)].append((item, iteration))
    rounds = [
        (turn, family, slot)
        for family, slots in sorted(by_family.items())
        for turn, slot in enumerate(slots)
    ]
    return [slot for _, _, slot in sorted(rounds)]


class Spreader:
    """Hands out slots for opponents: the model's least used first, none twice for one."""

    def __init__(self, goal: Goal, asked: Collection[PairSlot]) -> None:
        self._goal = goal
        self._slots = spread_slots(goal)
        self._position = {slot: i for i, slot in enumerate(self._slots)}
        self._used = Counter(slot for _, slot in asked)
        self._taken = set(asked)

    def take(self, opponent: str, count: int | None = None) -> list[PairSlot]:
        """So many new items with an opponent, or all there are."""
        shared = self._goal.pool.shared(self._goal.model, opponent)
        free = [slot for slot in shared if PairSlot(opponent, slot) not in self._taken]
        free.sort(key=lambda slot: (self._used[slot], self._position[slot]))
        chosen = [PairSlot(opponent, slot) for slot in free[:count]]
        self._used.update(slot for _, slot in chosen)
        self._taken.update(chosen)
        return chosen


def as_calls(
    goal: Goal, items: Sequence[PairSlot], history: Sequence[Batch], most: int | None = None
) -> tuple[Call, ...]:
    """The calls for items, in the orders that the goal says; `most` is None for any number.

    Of a pair in both orders that would be one too many the first is made alone, unless all are to
    be in both.
    """
    turns = Turns(goal, history)
    calls: list[Call] = []
    for item in items:
        orders = turns.take(item)
        left = len(orders) if most is None else most - len(calls)
        if left < len(orders) and goal.orders == "both":
            break
        opponent, (name, iteration) = item
        calls += [Call(name, iteration, goal.model, opponent, first) for first in orders[:left]]
    return tuple(calls)


class Turns:
    """Whose transcript is read first: ``a`` for the new model's.

    With mixed orders, of ten items one, drawn by a hash, is in both. Of the others, the new model
    is first in every second: of each two, the first's order is drawn by a hash of the comparison,
    so that no order goes with what makes an item be chosen early.
    """

    def __init__(self, goal: Goal, history: Iterable[Batch]) -> None:
        self._goal = goal
        orders = _orders_of(goal, history)
        self._n = len(orders)
        single = Counter(next(iter(each)) for each in orders.values() if len(each) == 1)
        self._lead = single["a"] - single["b"]

    def take(self, item: PairSlot) -> tuple[First, ...]:
        """The orders of the next item."""
        number, self._n = self._n, self._n + 1
        block, position = divmod(number, MIXED_BLOCK)
        if self._goal.orders == "both":
            return FIRST
        if self._goal.orders == "one":
            return (FIRST[number % 2],)
        if position == _drawn(self._goal.model, block) % MIXED_BLOCK:
            return FIRST
        behind: First = "b" if self._lead > 0 else "a"
        first = behind if self._lead else FIRST[_drawn(self._goal.model, *item) % 2]
        self._lead += 1 if first == "a" else -1
        return (first,)


def _orders_of(goal: Goal, history: Iterable[Batch]) -> dict[PairSlot, set[First]]:
    """The orders that each item was asked in, as the new model has them."""
    orders: dict[PairSlot, set[First]] = defaultdict(set)
    for batch in history:
        for call in batch.calls:
            is_a = call.a == goal.model
            first: First = call.first if is_a else "b" if call.first == "a" else "a"
            orders[PairSlot(call.b if is_a else call.a, (call.item, call.iteration))].add(first)
    return orders


def _drawn(*parts: object) -> int:
    """A number that depends on these alone."""
    return int.from_bytes(sha256(repr(parts).encode()).digest()[:8], "big")


SPARSE = 10
"""The most opponents of the first stage, one item each."""
REACH = 3
"""The farthest neighbours: of those two places away half as many items are taken, of those three
places away a quarter."""
MOST_LOOPS = 4
_JITTER_SEED = 42


class Position(NamedTuple):
    """What is known of the ladder: opponents, the best first, and the model's rank among them.

    That is None before it was compared.
    """

    ladder: tuple[str, ...]
    rank: int | None


def plan_staged(
    goal: Goal, position: Position, history: Sequence[Batch]
) -> tuple[str, list[PairSlot]]:
    """The next stage's name and items; no items when the schedule is through."""
    if not history:
        return "sparse", _sparse(goal, position.ladder)
    asked = asked_items(goal, history)
    zoom = {f"zoom-{n}" if n else "comprehensive": n for n in goal.settings.scheme.zoom}
    stages = list(zoom)
    at, loop = _next_stage(history, position, stages)
    for stage in stages[at:]:
        if items := _with_neighbours(goal, position, asked, zoom[stage]):
            return f"{stage} {loop}", items
        # Nothing new with these neighbours: the rank cannot move, so the stage is done.
        loop = 1
    return "settled", []


def _sparse(goal: Goal, ladder: Sequence[str]) -> list[PairSlot]:
    spreader = Spreader(goal, ())
    positions = sparse_places(len(ladder))
    return [item for position in positions for item in spreader.take(ladder[position], 1)]


def sparse_places(n_opponents: int) -> list[int]:
    """The places of the first opponents, 0 the best: steps outwards from one near the middle.

    The new model stands on the ladder too: at its prior mean, which is the middle.
    """
    size, middle = n_opponents + 1, n_opponents // 2  # from the lowest, as in the published code
    step = math.ceil(size / SPARSE)
    jitter = Random(_JITTER_SEED).randint(-step // 2, step // 2)
    start = min(max(0, (size - 1) // 2 + jitter), size - 1)
    picked = (position for position in range(start % step, size, step) if position != middle)
    return sorted(n_opponents - position - (position < middle) for position in picked)


def _next_stage(
    history: Sequence[Batch], position: Position, stages: Sequence[str]
) -> tuple[int, int]:
    """Which stage comes after the last batch, and its loop."""
    last = history[-1]
    name, _, loop = last.stage.partition(" ")
    if name not in stages:  # the sparse one
        return 0, 1
    at = stages.index(name)
    if last.rank == position.rank or int(loop) >= MOST_LOOPS:
        return at + 1, 1
    return at, int(loop) + 1


def _with_neighbours(
    goal: Goal, position: Position, asked: Sequence[PairSlot], count: int | None
) -> list[PairSlot]:
    """Items with the models next to the rank, near ones first; None for all with each.

    An opponent's items that were asked for before count.
    """
    rank = position.rank or len(position.ladder) // 2 + 1
    spreader = Spreader(goal, asked)
    items: list[PairSlot] = []
    for index, distance in neighbours(rank, len(position.ladder), count):
        opponent = position.ladder[index]
        had = sum(item.opponent == opponent for item in asked)
        most = None if count is None else max(0, max(1, count // 2 ** (distance - 1)) - had)
        items += spreader.take(opponent, most)
    return items


def neighbours(rank: int, n_opponents: int, nearest: int | None) -> list[tuple[int, int]]:
    """Places on the ladder next to a rank, each with its distance, near ones first.

    Of each reach the published code takes ``nearest // 2 ** (reach - 1)`` evenly spaced places;
    where that is one, only the lowest of them. None for all.
    """
    picked: set[tuple[int, int]] = set()
    for reach in range(1, REACH + 1):
        around = [
            (position, abs(distance))
            for distance in range(reach, -reach - 1, -1)  # the lowest first
            if distance and 0 <= (position := rank - 1 + distance - (distance > 0)) < n_opponents
        ]
        count = len(around) if nearest is None else nearest // 2 ** (reach - 1)
        picked.update(_evenly(around, count))
    return sorted(picked, key=lambda position: (position[1], position[0]))


def _evenly(positions: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """So many of them, evenly spaced from the first to the last; all where there are no more."""
    if count >= len(positions):
        return list(positions)
    if count <= 1:
        return list(positions[:count])
    step = (len(positions) - 1) / (count - 1)
    return [positions[round(i * step)] for i in range(count)]


def plan_all(
    goal: Goal, position: Position, history: Sequence[Batch]
) -> tuple[str, list[PairSlot]]:
    """One item with each opponent, each time on other scenarios; none when all are had."""
    asked = asked_items(goal, history)
    spreader = Spreader(goal, asked)
    opponents = sorted(position.ladder)
    turn = len(history) % max(len(spread_slots(goal)), 1)
    # Who chooses first changes, so that no opponent always gets what others left.
    reversed_items = opponents[turn % len(opponents) :] + opponents[: turn % len(opponents)]
    items = [item for opponent in reversed_items for item in spreader.take(opponent, 1)]
    return f"all {len(history) + 1}", items
