"""Which scenarios to take next: all families, and all transcripts of a model, alike."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from .calls import Call
from .goals import Batch, Goal, Item, Slot


def asked_items(goal: Goal, history: Iterable[Batch]) -> list[Item]:
    """What was asked for so far, each item once, in order."""
    found: dict[Item, None] = {}
    for batch in history:
        for call in batch.calls:
            opponent = call.b if call.a == goal.model else call.a
            found[Item(opponent, (call.item, call.iteration))] = None
    return list(found)


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

    def __init__(self, goal: Goal, asked: Collection[Item]) -> None:
        self._goal = goal
        self._slots = spread_slots(goal)
        self._place = {slot: i for i, slot in enumerate(self._slots)}
        self._used = Counter(slot for _, slot in asked)
        self._taken = set(asked)

    def take(self, opponent: str, count: int | None = None) -> list[Item]:
        """So many new items with an opponent, or all there are."""
        there = self._goal.pool.shared(self._goal.model, opponent)
        free = [slot for slot in there if Item(opponent, slot) not in self._taken]
        free.sort(key=lambda slot: (self._used[slot], self._place[slot]))
        chosen = [Item(opponent, slot) for slot in free[:count]]
        self._used.update(slot for _, slot in chosen)
        self._taken.update(chosen)
        return chosen


def as_calls(goal: Goal, items: Sequence[Item], n_before: int) -> tuple[Call, ...]:
    """The calls for items: both orders, or one that alternates.

    Args:
        goal: Says which.
        items: In order.
        n_before: How many items were asked for before.
    """
    calls: list[Call] = []
    for number, (opponent, (item, iteration)) in enumerate(items, start=n_before):
        forward = Call(item, iteration, goal.model, opponent, "a")
        back = forward._replace(first="b")
        calls += [forward, back] if goal.orders == "both" else [(forward, back)[number % 2]]
    return tuple(calls)
