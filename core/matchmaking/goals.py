"""What is wanted of a placement, what there is to compare, and what a schedule answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..ratings.comparisons import Comparisons
from ..ratings.result import Ratings
from ..ratings.settings import RatingSettings
from .calls import Call

Slot = tuple[str, int]
"""An item in one iteration: what a transcript is of."""
Orders = Literal["one", "both"]
Rate = Callable[[Comparisons, RatingSettings], Ratings]


FLOOR = 0.002
"""Smallest share of the squared error that one more item is worth, unless a goal says otherwise."""


@dataclass(frozen=True)
class Pool:
    """Transcripts that can be compared.

    Attributes:
        transcripts: By model, what it has transcripts of.
        families: By item; an item that is not there is its own family.
    """

    transcripts: Mapping[str, frozenset[Slot]]
    families: Mapping[str, str] = field(default_factory=dict)

    @property
    def slots(self) -> frozenset[Slot]:
        """What there is a transcript of."""
        return frozenset[Slot]().union(*self.transcripts.values())

    def shared(self, model: str, other: str) -> frozenset[Slot]:
        """What both models have transcripts of."""
        return self.transcripts[model] & self.transcripts[other]

    def opponents(self, model: str) -> tuple[str, ...]:
        """Models that can be compared with it, sorted."""
        return tuple(sorted(o for o in self.transcripts if o != model and self.shared(model, o)))


@dataclass(frozen=True)
class Goal:
    """The placement of one model on a ladder.

    Attributes:
        model: Who is to be placed.
        pool: All transcripts, the model's own among them.
        rate: The engine whose interval decides; one that can do with one order if `orders`
            is ``one``.
        settings: Anchors: the target is on their scale.
        orders: ``both``: every item is bought in both orders.
        target_ci: Half-width of the 95 % interval to stop at, points; None for none.
        max_comparisons: Most calls to ask for; None for no limit.
        floor: `adaptive` stops when an item is expected to take less than this share off the
            squared error that is left; 0 to go on to the end.
    """

    model: str
    pool: Pool
    rate: Rate
    settings: RatingSettings = RatingSettings()  # noqa: RUF009 - frozen, so shared by right
    orders: Orders = "both"
    target_ci: float | None = None
    max_comparisons: int | None = None
    floor: float = FLOOR

    @property
    def calls_per_item(self) -> int:
        """2 with both orders."""
        return 2 if self.orders == "both" else 1


class Item(NamedTuple):
    """An opponent and what to compare on."""

    opponent: str
    slot: Slot


class Batch(NamedTuple):
    """Calls to make next, all of them before the next batch is planned.

    Attributes:
        stage: What the schedule was doing, such as ``neighbours 2``.
        rank: Where the model stood when the batch was planned, 1 the best; None before it
            was compared.
        calls: At least one, none that was asked for before.
    """

    stage: str
    rank: int | None
    calls: tuple[Call, ...]


class Stop(NamedTuple):
    """No more calls.

    Attributes:
        kind: ``precise``: the target is met; ``budget``: no call is left of it; ``settled``:
            the schedule is through; ``exhausted``: everything is compared; ``floor``: more
            calls on these transcripts would tell next to nothing.
        told: For people, with what to do.
    """

    kind: Literal["precise", "budget", "settled", "exhausted", "floor"]
    told: str
