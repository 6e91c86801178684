"""Which scenarios to take next: all families, and all transcripts of a model, alike."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256

from .calls import FIRST, Call, First
from .goals import Batch, Goal, PairSlot, Slot
from .schedules import MIXED_BLOCK


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
        self._place = {slot: i for i, slot in enumerate(self._slots)}
        self._used = Counter(slot for _, slot in asked)
        self._taken = set(asked)

    def take(self, opponent: str, count: int | None = None) -> list[PairSlot]:
        """So many new items with an opponent, or all there are."""
        there = self._goal.pool.shared(self._goal.model, opponent)
        free = [slot for slot in there if PairSlot(opponent, slot) not in self._taken]
        free.sort(key=lambda slot: (self._used[slot], self._place[slot]))
        chosen = [PairSlot(opponent, slot) for slot in free[:count]]
        self._used.update(slot for _, slot in chosen)
        self._taken.update(chosen)
        return chosen


def as_calls(
    goal: Goal, items: Sequence[PairSlot], history: Sequence[Batch], most: int | None = None
) -> tuple[Call, ...]:
    """The calls for items, in the orders that the goal says.

    Args:
        goal: Says which.
        items: In order.
        history: The batches before.
        most: Calls to make; None for any number. Of a pair in both orders that would be one too
            many the first is made alone, unless all are to be in both.
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

    Args:
        goal: Says which orders.
        history: The batches before.
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
        block, place = divmod(number, MIXED_BLOCK)
        if self._goal.orders == "both":
            return FIRST
        if self._goal.orders == "one":
            return (FIRST[number % 2],)
        if place == _drawn(self._goal.model, block) % MIXED_BLOCK:
            return FIRST
        behind: First = "b" if self._lead > 0 else "a"
        first = behind if self._lead else FIRST[_drawn(self._goal.model, *item) % 2]
        self._lead += 1 if first == "a" else -1
        return (first,)


def _orders_of(goal: Goal, history: Iterable[Batch]) -> dict[PairSlot, set[First]]:
    """The orders that each item was asked in, as the new model has them."""
    found: dict[PairSlot, set[First]] = defaultdict(set)
    for batch in history:
        for call in batch.calls:
            own = call.a == goal.model
            first: First = call.first if own else "b" if call.first == "a" else "a"
            found[PairSlot(call.b if own else call.a, (call.item, call.iteration))].add(first)
    return found


def _drawn(*parts: object) -> int:
    """A number that depends on these alone."""
    return int.from_bytes(sha256(repr(parts).encode()).digest()[:8], "big")
