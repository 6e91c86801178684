"""What a placement will take: before a run, for its plan; and what it has to go by."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import matchmaking, ratings
from ..guard import guard
from ..journal import RunRecord, StoredComparison
from ..reports.evidence import Selection
from ..settings.run_config import grader
from .comparison_pool import Met, as_comparisons, counting
from .contest import Contest
from .opponents import Opponent, Slot, check_opponents, contestant, opponents_in
from .placement import (
    history_of,
    left_of,
    meant,
    placeable,
    settled_by,
    wanted_placement,
)
from .rating_summary import DEFAULT, rate_with, settings_of
from .reuse import reuse_comparisons

if TYPE_CHECKING:
    from ..matchmaking.matchmaker import Matchmaker
    from ..ratings.comparisons import Comparison


class Left(NamedTuple):
    """Comparisons that a run may still buy: at most, and about how many it is expected to.

    `about` is None where that is not less, or not known, as is `half_width`, that of the rating's
    interval then, in points.
    """

    most: int
    about: int | None = None
    half_width: float | None = None


NOTHING_LEFT = Left(0)


@dataclass
class Prospect:
    """A placement that is not made yet, or not to its end.

    `model` is None before the model has a run. `alike` has, by opponent, the samples that can be
    compared, or could be when the model has them.
    """

    contest: Contest
    model: Opponent | None
    opponents: list[Opponent]
    samples: frozenset[Slot]
    alike: dict[str, frozenset[Slot]] = field(default_factory=dict)
    settled: bool = False

    @property
    def _run(self) -> RunRecord | None:
        return self.model.run if self.model else None

    @property
    def most(self) -> int:
        """The most comparisons that may still be bought."""
        rows = counting(self._met, self._run) if self._run else []
        runs = {other.run.run_id for other in self.opponents}
        left = left_of(self.contest.config, self.alike, runs, self._run, rows)
        return 0 if self.settled else left

    @cached_property
    def _met(self) -> Met:
        return self.contest.met()

    def left(self) -> Left:
        """The most comparisons that may be bought, and how many it is expected to be."""
        options = meant(wanted_placement(self.contest.config), sum(map(bool, self.alike.values())))
        most = self.most
        return self._expect(most) if most and options.schedule == "adaptive" else Left(most)

    def _expect(self, most: int) -> Left:
        name = self.contest.name
        counts = counting(self._met, self._run)
        read = as_comparisons(placeable(counts, name, self.alike, self.samples))
        transcripts = {**self.alike, name: self.samples}
        models = [*([self.model] if self.model else []), *self.opponents]
        expected = make_matchmaker(self.contest, models, transcripts, read).expect(
            ratings.comparisons.Comparisons.of(read), history_of(self._planned())
        )
        if expected is None:
            return Left(most)
        return Left(most, min(expected.calls, most), expected.half_width)

    def _planned(self) -> list[StoredComparison]:
        """What the run has planned with these opponents."""
        runs = {other.name: other.run.run_id for other in self.opponents}
        rows = self.contest.rows(self._run) if self._run else []
        return [row for row in rows if runs.get(row.b) == row.run_b]


async def look_ahead(contest: Contest, run: RunRecord | None, selection: Selection) -> Prospect:
    """What a run, None before it is there, may still compare, of transcripts that say enough.

    Raises:
        UsageError: An opponent is named that the journal does not have.
    """
    check_opponents(contest)
    opponents = opponents_in(contest)
    await reuse_comparisons(contest)
    model = contestant(contest, run) if run else None
    begun = model.samples & selection.samples if model else frozenset[Slot]()
    samples = selection.samples - begun  # what is not there yet may say enough
    samples |= await model.comparable(begun) if model else frozenset()
    prospect = Prospect(contest, model, opponents, frozenset(samples))
    if run and selection.samples <= begun and settled_by(contest, run, begun):
        prospect.settled = True
        return prospect
    prospect.alike = {one.name: await one.comparable(samples) for one in opponents}
    return prospect


def make_matchmaker(
    contest: Contest,
    models: Collection[Opponent],
    transcripts: Mapping[str, frozenset[Slot]],
    read: "Iterable[Comparison]",
) -> "Matchmaker":
    """What plans the placement of a model, from all comparisons that were read.

    Both the models that have a run and, by name, what can be compared have it among them.

    Raises:
        UsageError: There is nobody to compare with.
    """
    config, pack, slots = contest.config, contest.pack, transcripts[contest.name]
    last = max((iteration for _, iteration in slots), default=1)
    items = [item for item in pack.items if (item.id, last) in slots]
    calls = guard(config.benchmark).planned_calls
    others = (one for one in models if one.name != contest.name)
    pool = matchmaking.goals.TranscriptPool(
        transcripts,
        families={item.id: item.cluster for item in pack.items},
        scores=scores_of(contest, models),
        ahead=frozenset(o.name for o in others if any(n == last + 1 for _, n in o.samples)),
    )
    options = meant(wanted_placement(config), len(pool.opponents(contest.name)))
    orders: Any = options.orders
    schedule: Any = options.schedule
    goal = matchmaking.goals.Goal(
        model=contest.name,
        pool=pool,
        rate=partial(rate_with, DEFAULT),
        settings=settings_of(config.benchmark, pack, options=config.options),
        orders=orders,
        target_ci=options.target_ci or None,
        max_comparisons=options.max_comparisons or None,
        iteration_calls=sum(calls(item, config.options)["model"] for item in items),
    )
    ladder = ratings.comparisons.Comparisons.of(read)
    return matchmaking.matchmaker.Matchmaker(goal, ladder, schedule)


def scores_of(contest: Contest, models: Collection[Opponent]) -> dict[str, float]:
    """The mean of the first number of each model's samples, by the run's own grader.

    Models of which no sample has one are left out.
    """
    by, clusters = grader(contest.config), {i.id: i.cluster for i in contest.pack.items}
    means = {}
    for one in models:
        grades = (sample.score for sample in contest.journal.grades(one.run, by, clusters))
        firsts = (next(iter(score.values.values()), None) for score in grades)
        values = [value for value in firsts if value is not None]
        if values:
            means[one.name] = sum(values) / len(values)
    return means
