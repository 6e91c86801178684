"""Which comparisons to buy next, from what is known."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..journal import StoredComparison

ADAPTIVE_FROM = 8
"""Models, the new one included, from which on `adaptive` is the default schedule."""


class Pairing(NamedTuple):
    """A comparison of the run's model, `a`, with an opponent."""

    opponent: str
    item_id: str
    iteration: int
    first: str


class Knowledge(NamedTuple):
    """All that a schedule may look at.

    Attributes:
        own: Name of the model that is placed.
        common: By opponent, the samples that both have a transcript of, in pack order.
        families: By item.
        done: Comparisons with its opponents, read or unread.
        everyone: All comparisons of the pool that were read.
        batch: Number of the batch that is planned.
    """

    own: str
    common: Mapping[str, Sequence[tuple[str, int]]]
    families: Mapping[str, str]
    done: Sequence[StoredComparison]
    everyone: Sequence[StoredComparison]
    batch: int


def make_schedule(options: Mapping[str, Any], known: Knowledge) -> list[Pairing]:
    """The next batch; empty when there is nothing more to buy."""
    made = {_key(row, known.own) for row in known.done}
    pairings = [p for p in _all(options, known) if tuple(p) not in made]
    if most := options["max_comparisons"]:
        pairings = pairings[: max(0, most - len(known.done))]
    return pairings


def _key(row: StoredComparison, own: str) -> tuple[str, str, int, str]:
    """A comparison as the run's model sees it, whichever run it was bought for."""
    if row.a == own:
        return row.b, row.item_id, row.iteration, row.first
    return row.a, row.item_id, row.iteration, "b" if row.first == "a" else "a"


def _all(options: Mapping[str, Any], known: Knowledge) -> list[Pairing]:
    both = options["orders"] == "both"
    return [
        Pairing(opponent, item_id, iteration, first)
        for opponent, samples in known.common.items()
        for place, (item_id, iteration) in enumerate(samples)
        for first in (("a", "b") if both else ("ab"[place % 2],))
    ]
