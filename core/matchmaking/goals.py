"""What is wanted of a placement, what there is to compare, and what a schedule answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..ratings.comparisons import Comparisons
from ..ratings.result import Ratings
from ..ratings.settings import RatingSettings
from ..types.result_document import PlacementEnd
from .calls import MIXED_BLOCK, Call, Orders

Slot = tuple[str, int]
"""An item in one iteration: what a transcript is of."""
Rate = Callable[[Comparisons, RatingSettings], Ratings]


FLOOR = 0.0005
"""Smallest share of the squared error that one more call is worth, unless a goal says otherwise."""
ENOUGH = 1.2
"""How many times what the transcripts leave the expected error may be, likewise."""


@dataclass(frozen=True)
class TranscriptPool:
    """Transcripts that can be compared, by model.

    An item that has no family is its own. `scores` are mean scores of models' samples by one
    grader, where they are known: they say where on the ladder to begin. `ahead` are opponents that
    have the iteration after the last one of the model that is placed.
    """

    transcripts: Mapping[str, frozenset[Slot]]
    families: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    ahead: frozenset[str] = frozenset()

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
        pool: All transcripts, the model's own among them.
        rate: The engine whose interval decides.
        settings: Anchors: the target is on their scale.
        orders: ``both``: every item is bought in both orders; ``one``: in one, by turns;
            ``mixed``: in one that is drawn, and one item of ten in both.
        target_ci: Half-width of the 95 % interval to stop at, points; None for none.
        max_comparisons: Most calls to ask for; None for no limit.
        floor: `adaptive` stops when a call is expected to take less than this share off the
            squared error that is left; 0 to go on.
        enough: `adaptive` stops when the expected error is within so many times of what the
            model's transcripts leave; 0 to go on.
        iteration_calls: Calls to the model that another iteration of it takes; 0: not known.
    """

    model: str
    pool: TranscriptPool
    rate: Rate
    settings: RatingSettings = RatingSettings()  # noqa: RUF009 - frozen, so shared by right
    orders: Orders = "both"
    target_ci: float | None = None
    max_comparisons: int | None = None
    floor: float = FLOOR
    enough: float = ENOUGH
    iteration_calls: int = 0

    @property
    def calls_per_item(self) -> float:
        """On average: 2 with both orders, and a tenth more than one with mixed ones."""
        return {"one": 1.0, "mixed": 1 + 1 / MIXED_BLOCK, "both": 2.0}[self.orders]


class PairSlot(NamedTuple):
    """An opponent and what to compare on."""

    opponent: str
    slot: Slot


class Batch(NamedTuple):
    """Calls to make next, at least one, all of them before the next batch is planned.

    `stage` is what the schedule was doing, such as ``neighbours 2``; `rank` where the model stood
    when it was planned, 1 the best, None before it was compared.
    """

    stage: str
    rank: int | None
    calls: tuple[Call, ...]


class NoMoreCalls(NamedTuple):
    """No more calls.

    Attributes:
        kind: ``precise``: the target is met; ``budget``: no call is left of it; ``settled``:
            the schedule is through; ``exhausted``: everything is compared; ``floor``: most of
            the error that is left is that of the transcripts.
        message: For people, with what to do.
        advice: What more comparisons, or another iteration, would do to the interval; empty
            where it is not known.
    """

    kind: Literal["precise", "budget", "settled", "exhausted", "floor"]
    message: str
    advice: str = ""

    def as_json(self) -> PlacementEnd:
        """As result documents have it."""
        return {"kind": self.kind, "told": self.message, "advice": self.advice}
