"""What a result is computed from: all that the journal knows about the selected samples.

And what it says of comparisons with other models, and when that is said again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..benchmark.model import REFUSED
from ..journal import (
    CallTotals,
    CutOff,
    Failure,
    LongReply,
    OddOpening,
    OtherProviders,
    PartyAsking,
    ReplySource,
)
from ..parties.graders import Replies
from ..parties.party import Party
from ..types import Item, SampleScore, Usage
from ..types import result_document as rows
from ..types.result_document import RatingRow, ResultDocument, Status, rating_notes
from .alike import AlikeReplies
from .comparability import judge_in
from .replies import Repeating, Spell

if TYPE_CHECKING:
    from ..reading.cut_prompts import CutPrompts
    from ..settings.run_config import RunConfig


@dataclass(frozen=True, slots=True)
class Selection:
    """The samples that a result is about."""

    items: Sequence[Item]
    iterations: int

    @property
    def total(self) -> int:
        """How many samples."""
        return len(self.items) * self.iterations

    @property
    def samples(self) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample."""
        every = range(1, self.iterations + 1)
        return frozenset((item.id, n) for item in self.items for n in every)

    @property
    def clusters(self) -> dict[str, str]:
        """Each item's cluster, by its id."""
        return {item.id: item.cluster for item in self.items}


@dataclass(slots=True)
class UsageTotals:
    """What the selected samples cost so far.

    Attributes:
        calls: Answered calls by phase.
        retries: Attempts beyond each call's first; of failed samples, those of the call that
            failed.
        cost_usd: ``None`` when the price of one of them is not known.
        truncated: Samples, by item and iteration, of which the token limit cut a reply.
        sent: The parameters that one of the model's calls was sent with.
        counted: Whether tokens of one of the model's calls are known.
        askings: How its parties were asked, where one was asked otherwise than meant; in the
            whole run.
        spells: All replies by phase, and how long they took.
        repeating: Replies that repeat themselves until cut off, by phase.
        sources: Who gave the model's replies; those of the whole run.
        hosts: The same of brokers' hosts of judges and roles.
        openings: Replies that begin with a bracket.
        cut: Prompts that a server seems to have cut, by phase and party.
        alike: Replies that are word for word alike, by phase.
    """

    calls: dict[str, int] = field(default_factory=lambda: {"generate": 0, "judge": 0})
    retries: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    truncated: set[tuple[str, int]] = field(default_factory=set)
    sent: frozenset[str] = frozenset()
    counted: bool = False
    askings: Sequence[PartyAsking] = ()
    spells: dict[str, Spell] = field(default_factory=dict)
    repeating: Mapping[str, Repeating] = field(default_factory=dict)
    sources: Sequence[ReplySource] = ()
    hosts: Sequence[OtherProviders] = ()
    openings: Sequence[OddOpening] = ()
    cut: "Mapping[tuple[str, Party], CutPrompts]" = field(default_factory=dict)
    alike: Mapping[str, AlikeReplies] = field(default_factory=dict)

    def count(self, usage: Usage) -> None:
        """Count the tokens of calls to the model."""
        self.usage = self.usage + usage
        self.counted = self.counted or usage.input > 0

    def add(self, totals: CallTotals) -> None:
        """Count one sample's calls of one phase."""
        self.calls[totals.phase] = self.calls.get(totals.phase, 0) + totals.calls
        self.retries += totals.attempts - totals.calls
        if totals.phase == "generate":
            self.count(totals.usage)
        else:
            self.usage = self.usage + totals.usage
        spell = self.spells.get(totals.phase, Spell())
        self.spells[totals.phase] = Spell(
            spell.replies + totals.calls, spell.seconds + totals.seconds
        )
        known = self.cost_usd is not None and totals.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0) + (totals.cost_usd or 0) if known else None
        if totals.truncated and totals.phase == "generate":
            self.truncated.add((totals.item_id, totals.iteration))


@dataclass(frozen=True, slots=True)
class RunData:
    """All that is known about the selected samples.

    Attributes:
        sent: Calls that this command sent; the others came from the journal. ``None`` where no
            command made the result: it is read of what is stored.
        stopped: What ended this command early: ``interrupted`` or ``budget``.
        asked_now: Calls to the model that this command sent.
        again: Attempts beyond the first of this command's calls, also of those without an answer.
    """

    scores: Sequence[SampleScore]
    failures: Sequence[Failure] = ()
    spent: UsageTotals = field(default_factory=UsageTotals)
    sent: int | None = None
    stopped: Status | None = None
    again: int = 0
    asked_now: int = 0
    by_judge: Mapping[Party, Sequence[SampleScore]] = field(default_factory=dict)
    """The scores by each judge of a panel, or by each that has graded the run alike."""
    replies: Mapping[Party, Replies] = field(default_factory=dict)
    """Of a panel, how many verdicts each judge gave of those that it was to give."""


def refused_in(scores: Iterable[SampleScore]) -> int:
    """How many samples have no score as the model, or a filter before it, refused."""
    return sum(REFUSED in (one.score.reason or "") for one in scores)


def add_up(totals: Iterable[CallTotals]) -> UsageTotals:
    """What calls cost together."""
    spent = UsageTotals()
    for total in totals:
        spent.add(total)
    return spent


class Inside:
    """Whether something about a sample belongs to the selection."""

    def __init__(self, clusters: Mapping[str, str], iterations: int) -> None:
        self._clusters = clusters
        self._iterations = iterations

    def __call__(
        self, row: SampleScore | Failure | CallTotals | CutOff | OddOpening | LongReply
    ) -> bool:
        """Whether it does."""
        return self.holds(row.item_id, row.iteration)

    def holds(self, item_id: str, iteration: int) -> bool:
        """Whether a sample does."""
        return item_id in self._clusters and iteration <= self._iterations


class ModelComparisons(NamedTuple):
    """The part of a result that comparisons with other models make.

    `unread` counts those that this run has asked and could not be read; `replies` says, of a panel,
    how many each judge made of those of this run that it was to make.
    """

    counts: rows.ComparisonCounts
    ratings: Sequence[RatingRow]
    conclusions: Sequence[rows.ConclusionRow]
    notes: rows.RatingNotes
    warnings: Sequence[str] = ()
    unread: int = 0
    to_do: bool = False
    replies: Mapping[Party, Replies] = {}


def kept_comparisons(
    config: "RunConfig", earlier: ResultDocument | None
) -> ModelComparisons | None:
    """What an earlier result said of comparisons by the same judge: grading does not change it."""
    notes = rating_notes(earlier) if earlier else None
    if earlier is None or notes is None or judge_in(earlier) != config.judge:
        return None
    judges = earlier.get("judges", ())
    by_judge = {row["judge"]: row["ratings"] for row in judges if "ratings" in row}
    parties = {judge.label: judge for judge in config.judge.judges} if config.judge else {}
    if by_judge:
        notes = rows.RatingNotes(**{**notes, "by_judge": by_judge})
    conclusions = earlier.get("conclusions", ())
    replies = {
        parties[row["judge"]]: Replies(**row["comparisons"])
        for row in judges
        if "comparisons" in row
    }
    return ModelComparisons(
        earlier["comparisons"], earlier["ratings"], conclusions, notes, replies=replies
    )
