"""What a placement will take: before a run, for its plan; and what it has to go by."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from .. import matchmaking
from ..benchmark import Pack, PlacementOptions
from ..guard import guard
from ..journal import Journal, RunRecord, StoredComparison
from ..reports.evidence import Selection
from ..runs.finding import Company
from ..settings.run_config import RunConfig, grader, identity
from ..types import digest
from .comparison_pool import (
    ComparisonPool,
    Met,
    as_comparisons,
    counting,
    pool_of,
    read_met,
    rows_of,
)
from .opponents import (
    Opponent,
    Slot,
    TranscriptCache,
    check_opponents,
    contestant,
    opponents_of,
)
from .placement import (
    Field,
    history_of,
    left_of,
    make_matchmaker,
    meant,
    placeable,
    placement_of,
    settled_by,
    wanted_placement,
)
from .rating_summary import settings_of
from .reuse import bring_back

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparison


class Left(NamedTuple):
    """Comparisons that a run may still buy.

    Attributes:
        most: However it turns out.
        about: That it is expected to buy; None where that is not less, or not known.
        half_width: Of the rating's interval then, points; None where it is not known.
    """

    most: int
    about: int | None = None
    half_width: float | None = None


NOTHING_LEFT = Left(0)


@dataclass
class Prospect:
    """A placement that is not made yet, or not to its end.

    Attributes:
        own: The model; None before it has a run.
        opponents: Those that there are.
        alike: By opponent, the samples that can be compared, or could be when the model has them.
        settled: Whether the placement is at its end.
    """

    journal: Journal
    config: RunConfig
    pack: Pack
    own: Opponent | None
    opponents: list[Opponent]
    wanted: frozenset[Slot]
    alike: dict[str, frozenset[Slot]] = field(default_factory=dict)
    settled: bool = False

    @property
    def _run(self) -> RunRecord | None:
        return self.own.run if self.own else None

    @property
    def most(self) -> int:
        """The most comparisons that may still be bought."""
        rows = counting(self._met, self._run) if self._run else []
        runs = {other.run.run_id for other in self.opponents}
        left = left_of(self.config, self.alike, runs, self._run, rows)
        return 0 if self.settled else left

    @cached_property
    def _met(self) -> Met:
        return read_met(self.journal, self._pool, self.pack, Company.of(self.config))

    def left(self) -> Left:
        """The most comparisons that may be bought, and how many it is expected to be."""
        wanted = meant(wanted_placement(self.config), sum(map(bool, self.alike.values())))
        most = self.most
        return self._expect(wanted, most) if most and wanted.schedule == "adaptive" else Left(most)

    def _expect(self, wanted: PlacementOptions, most: int) -> Left:
        from ..ratings.comparisons import Comparisons

        name = self.config.display_name
        counts = counting(self._met, self._run)
        read = as_comparisons(placeable(counts, name, self.alike, self.wanted))
        transcripts = {**self.alike, name: self.wanted}
        found = field_of(
            self.journal,
            self.config,
            self.pack,
            own=self.own,
            opponents=self.opponents,
            transcripts=transcripts,
            ladder=read,
        )
        history = history_of(self._planned())
        expected = make_matchmaker(name, wanted, found).expect(Comparisons.of(read), history)
        if expected is None:
            return Left(most)
        return Left(most, min(expected.calls, most), expected.half_width)

    def _planned(self) -> list[StoredComparison]:
        """What the run has planned with these opponents."""
        runs = {other.name: other.run.run_id for other in self.opponents}
        rows = rows_of(self.journal, self._pool, self._run) if self._run else []
        return [row for row in rows if runs.get(row.b) == row.run_b]

    @cached_property
    def _pool(self) -> ComparisonPool:
        return pool_of(self.journal, self.config, self.pack)


async def look_ahead(
    journal: Journal, run: RunRecord | None, config: RunConfig, pack: Pack, selection: Selection
) -> Prospect:
    """What a run may still compare, of transcripts that say enough.

    Args:
        journal: Holds the opponents.
        run: The run; ``None`` before it is there.
        config: How it is asked for.
        pack: Its data.
        selection: Its samples.

    Raises:
        UsageError: An opponent is named that the journal does not have.
    """
    meant = identity(config, pack)
    check_opponents(journal, config, pack, meant, config.display_name)
    others = opponents_of(journal, config, pack, meant, config.display_name)
    pool, shelf = pool_of(journal, config, pack), TranscriptCache.of(journal, config, pack)
    await bring_back(journal, config, pack)
    own = contestant(journal, pack, config, run) if run else None
    begun = own.samples & selection.samples if own else frozenset[Slot]()
    wanted = selection.samples - begun  # what is not there yet may say enough
    wanted |= await own.comparable(begun, shelf) if own else frozenset()
    there = [contestant(journal, pack, config, others[name]) for name in sorted(others)]
    found = Prospect(journal, config, pack, own, there, frozenset(wanted))
    of = placement_of(pool.digest, config, begun)
    if run and selection.samples <= begun and settled_by(journal, run, of, pool.grader):
        found.settled = True
        return found
    found.alike = {one.name: await one.comparable(wanted, shelf) for one in there}
    return found


def field_of(
    journal: Journal,
    config: RunConfig,
    pack: Pack,
    *,
    own: Opponent | None,
    opponents: Iterable[Opponent],
    transcripts: Mapping[str, frozenset[Slot]],
    ladder: "Iterable[Comparison]",
) -> Field:
    """What there is to place a model with.

    Args:
        journal: Holds grades.
        config: Of the model's run.
        pack: Its data.
        own: The model; None before it has a run.
        opponents: The others.
        transcripts: By name, what can be compared, the model's among them.
        ladder: All comparisons that were read.
    """
    name, there = config.display_name, list(opponents)
    slots = transcripts[name]
    last = max((iteration for _, iteration in slots), default=1)
    items = [item for item in pack.items if (item.id, last) in slots]
    calls = guard(config.benchmark).planned_calls
    settings = settings_of(config.benchmark, pack, options=config.options)
    pool = matchmaking.goals.TranscriptPool(
        transcripts,
        families={item.id: item.cluster for item in pack.items},
        scores=scores_of(journal, config, pack, [*([own] if own else []), *there]),
        ahead=frozenset(c.name for c in there if any(n == last + 1 for _, n in c.samples)),
    )
    needed = sum(calls(item, config.options)["model"] for item in items)
    return Field(pool, ladder, settings, needed)


def scores_of(
    journal: Journal, config: RunConfig, pack: Pack, contestants: Collection[Opponent]
) -> dict[str, float]:
    """The mean of the first number of each model's samples, by the run's own grader.

    Models of which no sample has one are left out.

    Args:
        journal: Holds the grades.
        config: Says how samples are graded.
        pack: Its data.
        contestants: The models.
    """
    grader_digest, clusters = digest(grader(config)), {item.id: item.cluster for item in pack.items}
    found = {}
    for one in contestants:
        grades = (sample.score for sample in journal.grades(one.run, grader_digest, clusters))
        firsts = (next(iter(score.values.values()), None) for score in grades)
        values = [value for value in firsts if value is not None]
        if values:
            found[one.name] = sum(values) / len(values)
    return found
