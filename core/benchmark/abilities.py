"""What a benchmark may be able to do beside asking and grading, each with a class of its own.

One that has a method of `DemoModel`, `DemoJudge`, `DemoRoles`, `ExaminesJudges`, `HasHumanRatings`,
`HasPublished`, `HasReference`, `ReadsForeign`, `ReadsForeignParts`, `ReproducesPublished`,
`TakenByPeople` or `WithoutReading` has the ability; one that compares models is a subclass of
`Pairwise` too, which has defaults for what is rarely needed.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, runtime_checkable

from ..reading.packs import Pack
from ..text import is_blank
from ..types import ChatRequest, ChatResponse, Content, Item, PairScore, Score, Transcript
from .foreign import ForeignPart, ForeignResults
from .model import Model, no_answer
from .options import PLACEMENT_OPTIONS, Option, Options, PlacementOptions
from .published import PublishedRow, PublishedScheme

if TYPE_CHECKING:
    from random import Random

    from ..hooks.sections import RecordedCall, Table, TranscriptView


@runtime_checkable
class DemoModel(Protocol):
    """A benchmark that demo models can take."""

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: "Random") -> str:
        """Words for a demo model of a known ability, from 0 (random) to 1 (perfect)."""
        ...


@runtime_checkable
class DemoJudge(Protocol):
    """A benchmark that the demo judge can grade; or whose model under test is a judge.

    The latter is not `judged`, and a demo judge can be its model.
    """

    def demo_verdict(self, item: Item, request: ChatRequest, rng: "Random") -> str:
        """What the demo judge replies, by rules that the benchmark's page declares."""
        ...


@runtime_checkable
class DemoRoles(Protocol):
    """A benchmark whose roles demo players can take."""

    def demo_role(self, role: str, item: Item, request: ChatRequest, rng: "Random") -> str:
        """Words for the demo player of a role, ``demo/ROLE``, by fixed rules."""
        ...


@runtime_checkable
class ReadsForeign(Protocol):
    """A benchmark that reads files of other programs.

    Attributes:
        foreign_forms: Names of their forms, which `bench import --format` takes.
    """

    foreign_forms: tuple[str, ...]

    def read_foreign(self, form: str, value: object, origin: Path, judge: str) -> ForeignResults:
        """What can be had of a file that another program wrote: comparisons, or runs.

        Nothing in it is to be trusted.

        Args:
            form: One of `foreign_forms`.
            value: The object that the file holds: checked to be JSON, and no more.
            origin: The file, for messages.
            judge: Who judged, where the file does not say; empty where that is not known.

        Raises:
            DataError: It is not of that form; the message names the place.
        """
        ...


@runtime_checkable
class ReadsForeignParts(Protocol):
    """A benchmark that reads large files of other programs, part by part.

    Attributes:
        foreign_forms: Names of their forms, which `bench import --format` takes.
        foreign_lists: The keys that lead to each list of a file that comes element by element.
            All else comes by the keys of the file's object.
    """

    foreign_forms: tuple[str, ...]
    foreign_lists: tuple[tuple[str, ...], ...]

    def read_foreign_parts(
        self, form: str, parts: Iterable[ForeignPart], origin: Path, judge: str
    ) -> ForeignResults:
        """As `ReadsForeign.read_foreign`, of the parts of a file in their order."""
        ...


@runtime_checkable
class HasPublished(Protocol):
    """A benchmark of which there are published results."""

    def published(self, pack: Pack) -> "Table | None":
        """Those that results on this pack may be seen beside, never among; ``None`` for none."""
        ...


@runtime_checkable
class ReproducesPublished(Protocol):
    """A benchmark of which published numbers can be computed again."""

    def published_rows(self) -> Sequence[PublishedRow]:
        """What `bench reproduce` computes, a row for each source and kind of number."""
        ...


@runtime_checkable
class HasReference(Protocol):
    """A benchmark that knows what answers are held against."""

    def beside_reference(self, item: Item, score: Score) -> "Table | None":
        """A model's answer beside the reference, for `bench show RUN ITEM`."""
        ...


@dataclass(frozen=True, slots=True)
class HumanRatedReply:
    """A reply that people rated, to an item of a pack.

    Attributes:
        item_id: Of the item. Several replies to it are its iterations, in their order.
        text: The whole reply, as a model gave it.
        source: Who gave it, such as a model's name.
        ratings: By the name of a value, then by rater: what that person gave, on its scale.
    """

    item_id: str
    text: str
    source: str
    ratings: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class ExamSituation:
    """What the replies of a judge's exam answer.

    Attributes:
        id: Of the situation.
        text: What the model was told, before the benchmark's prompt is put around it.
        note: For the judge, where the benchmark shows one.
        kind: What the benchmark calls such an item, where it has several kinds.
    """

    id: str
    text: str
    note: str = ""
    kind: str = ""


@runtime_checkable
class ExaminesJudges(Protocol):
    """A judged benchmark whose judges `bench exam` can examine with its own prompts."""

    def exam_sample(self, pack: Pack, situation: ExamSituation, reply: str) -> tuple[Item, object]:
        """An item of this situation by the protocol of `pack`, and its transcript.

        Args:
            pack: One of the benchmark's own.
            situation: What is answered.
            reply: The whole of what a model said.

        Returns:
            What `grade`, and `compare` where the benchmark has it, take.
        """
        ...


@runtime_checkable
class HasHumanRatings(Protocol):
    """A benchmark with packs of which people rated replies, so that judges can be held to them."""

    def human_ratings(self, pack: Pack) -> Sequence[HumanRatedReply]:
        """The replies that people rated; none where this pack has none."""
        ...


@dataclass(frozen=True, slots=True)
class PeopleQuestion:
    """An item as people answer it, without the words that tell a model its form.

    Attributes:
        text: What they read.
        options: What they give a number each.
        low, high: The smallest and the largest number.
        total: What the numbers sum to; ``None`` for anything.
    """

    text: str
    options: tuple[str, ...]
    low: float
    high: float
    total: float | None = None


@runtime_checkable
class TakenByPeople(Protocol):
    """A benchmark that people can take, so that there is a norm."""

    def people_question(self, item: Item) -> PeopleQuestion:
        """An item as people answer it."""
        ...


@runtime_checkable
class HasTranscriptView(Protocol):
    """A benchmark that shows transcripts in a way of its own."""

    def transcript_view(
        self, item: Item, calls: "Sequence[RecordedCall]", score: Score | None
    ) -> "TranscriptView | None":
        """A sample's transcript, for `bench show RUN ITEM` and pages; ``None`` for the messages.

        Args:
            item: Of the pack.
            calls: What was asked and answered for it, judges among them.
            score: What came of it; ``None`` where it has none yet.
        """
        ...


@runtime_checkable
class WithoutReading(Protocol):
    """A benchmark that can be answered by rules that read nothing."""

    def without_reading(self, pack: Pack) -> "Table | None":
        """What such rules score on this pack; ``None`` where that is not known."""
        ...


class Pairwise(ABC, Generic[Content, Transcript]):
    """A benchmark whose transcripts are compared in pairs: ``class Mine(Benchmark, Pairwise)``."""

    options: tuple[Option, ...]

    @abstractmethod
    async def compare(
        self,
        item: Item[Content],
        first: Transcript,
        second: Transcript,
        judge: Model,
        options: Options,
    ) -> PairScore:
        """What a judge says of two transcripts of an item, the first one shown first.

        Both are what `generate` returned. The same two in the same order must ask the same.
        """

    def compares(self, options: Options) -> bool:
        """Whether transcripts of different models are compared, with these options."""
        return True

    def is_comparable(self, item: Item[Content], transcript: Transcript) -> bool:
        """Whether a transcript says enough to be compared: a refusal and nothing do not."""
        if isinstance(transcript, ChatResponse):
            return no_answer(transcript) is None
        return not (isinstance(transcript, str) and is_blank(transcript))

    def placement(self, options: Options) -> PlacementOptions:
        """Which comparisons place a model: what those of `PLACEMENT_OPTIONS` that it has say."""
        provided = {o.name: options[o.name] for o in PLACEMENT_OPTIONS if o.name in options}
        return PlacementOptions(**provided)

    def anchor_sets(self, pack: Pack) -> Sequence[Mapping[str, float]]:
        """Sets of two models with their ratings; the first that is present fixes the scale."""
        return ()

    def published_scheme(self, pack: Pack) -> PublishedScheme:
        """What the engine ``trueskill`` and the schedule ``staged`` go by: EQ-Bench 3's."""
        return PublishedScheme()

    def item_weights(self, pack: Pack, options: Options) -> Mapping[str, float]:
        """By item, what a comparison on it weighs in ratings; 1 for an item that is not there.

        By default the items' own weights.
        """
        return {item.id: item.weight for item in pack.items if item.weight != 1}
