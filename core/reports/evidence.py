"""What a result is computed from: all that the journal knows about the selected samples.

And what it says of comparisons with other models, and when that is said again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..benchmark.model import role_in
from ..journal import CallTotals, CutOff, Failure, ReplySource
from ..parties.graders import Replies
from ..parties.party import Party, is_local
from ..reading.repetition import repeated_tail
from ..text import plural
from ..types import Item, SampleScore, Usage
from ..types import result_document as rows
from ..types.result_document import RatingRow, ResultDocument, Status, rating_notes
from .comparability import judge_in

if TYPE_CHECKING:
    from ..settings.run_config import RunConfig


@dataclass
class Repeating:
    """The replies of a party that repeat themselves until they are cut off, and their seconds."""

    samples: set[tuple[str, int]] = field(default_factory=set)
    replies: int = 0
    seconds: float = 0.0


class Spell(NamedTuple):
    """All replies of a party: how many, and the seconds that they took."""

    replies: int = 0
    seconds: float = 0.0


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
        sources: Who gave the model's replies; those of the whole run.
    """

    calls: dict[str, int] = field(default_factory=lambda: {"generate": 0, "judge": 0})
    retries: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    truncated: set[tuple[str, int]] = field(default_factory=set)
    sent: frozenset[str] = frozenset()
    spells: dict[str, Spell] = field(default_factory=dict)
    repeating: Mapping[str, Repeating] = field(default_factory=dict)
    sources: Sequence[ReplySource] = ()

    def add(self, totals: CallTotals) -> None:
        """Count one sample's calls of one phase."""
        self.calls[totals.phase] = self.calls.get(totals.phase, 0) + totals.calls
        self.retries += totals.attempts - totals.calls
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

    def __call__(self, row: SampleScore | Failure | CallTotals | CutOff) -> bool:
        """Whether it does."""
        return row.item_id in self._clusters and row.iteration <= self._iterations


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


REPEATS = "repeats itself until cut off"
"""The flag of a sample."""


def find_repeating(cut_off: Iterable[CutOff]) -> dict[str, Repeating]:
    """The replies that repeat themselves among those that were cut off, by phase."""
    by_phase: dict[str, Repeating] = {}
    for reply in cut_off:
        if repeated_tail(reply.text or reply.reasoning):
            repeating = by_phase.setdefault(reply.phase, Repeating())
            repeating.samples.add((reply.item_id, reply.iteration))
            repeating.replies += 1
            repeating.seconds += reply.latency_s
    return by_phase


def repeating_warnings(
    repeating: Mapping[str, Repeating], spells: Mapping[str, Spell]
) -> list[str]:
    """One line for each party some of whose replies repeat themselves."""
    warnings = []
    for phase, one in repeating.items():
        role, spell = role_in(phase), spells.get(phase, Spell(one.replies, one.seconds))
        whose = f" of {role}" if role else ""
        verb = "repeats itself" if one.replies == 1 else "repeat themselves"
        share = f", {one.seconds / spell.seconds:.0%} of the time" if spell.seconds else ""
        option = f"--role-max-tokens {role}=N" if role else "--max-tokens N"
        warnings.append(
            f"{one.replies:,} of {plural(spell.replies, 'reply')}{whose} {verb} until cut off"
            f"{share}; {option} ends such replies sooner"
        )
    return warnings


def asked_part(sources: Sequence[ReplySource], now: int) -> rows.AskedPart:
    """When and where the model was asked for a result's replies; `now`: how many calls just now."""
    return {
        "now": now,
        "first": min(source.first for source in sources),
        "last": max(source.last for source in sources),
        "addresses": list(dict.fromkeys(s.address for s in sources if s.address)),
    }


def source_warnings(sources: Sequence[ReplySource]) -> list[str]:
    """A line where replies of one run name several models, or a local server several builds."""
    warnings = []
    for what, name in (("models", "model"), ("system fingerprints", "fingerprint")):
        counts: dict[str, int] = {}
        for source in sources:
            named = getattr(source, name)
            # Providers change fingerprints by the day and have several at a time.
            if named and (name == "model" or is_local(f"http://{source.address or ''}")):
                counts[named] = counts.get(named, 0) + source.calls
        if len(counts) > 1:
            each = ", ".join(f"{named} in {n:,}" for named, n in counts.items())
            warnings.append(
                f"the replies name {len(counts)} {what} ({each}), so they may not be of one model; "
                "--fresh asks all anew"
            )
    return warnings
