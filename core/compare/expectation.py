"""What a placement will take, before it is made; and what plans it: the matchmaker of a contest."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import matchmaking, ratings
from ..benchmark import PlacementOptions
from ..guard import guard
from ..journal import RunRecord, StoredComparison
from ..parties.party import Party
from ..reports.evidence import Selection
from ..settings.run_config import grader
from .coming import Coming, expected_in
from .comparison_pool import Met, as_comparisons, counting
from .contest import Contest
from .opponents import Opponent, Slot, check_opponents, contestant, opponents_in, wanted_placement
from .panel_rows import judges_of
from .placement import Pairing, Unmade, history_of, placeable, resolved, settled_by, unmade_of
from .rating_summary import DEFAULT, rate_with, settings_of
from .reuse import reuse_comparisons

if TYPE_CHECKING:
    from ..matchmaking.goals import TranscriptPool
    from ..matchmaking.matchmaker import Matchmaker
    from ..ratings.comparisons import Comparison


class Left(NamedTuple):
    """Comparisons that a run may still buy.

    Attributes:
        most: A panel's once, however many judges make it.
        about: How many of them it is expected to buy, None where that is not fewer, or not known.
        half_width: That of the rating's interval then, in points; None where it is not known.
        by_judge: The least and the most that each judge makes, if nothing fails.
    """

    most: int
    about: int | None = None
    half_width: float | None = None
    by_judge: Mapping[Party, tuple[int, int]] = {}


NOTHING_LEFT = Left(0)


@dataclass
class Prospect:
    """A placement that is not made yet, or not to its end.

    Attributes:
        model: None before the model has a run.
        samples: Those of the model that can be compared, or may be once they are finished.
        alike: By opponent, those of `samples` of which it has a transcript that says enough.
        settled: Whether the placement is at its end.
    """

    contest: Contest
    model: Opponent | None
    opponents: list[Opponent]
    samples: frozenset[Slot]
    alike: dict[str, frozenset[Slot]] = field(default_factory=dict)
    settled: bool = False
    coming: Mapping[str, Coming] = field(default_factory=dict)

    @property
    def _run(self) -> RunRecord | None:
        return self.model.run if self.model else None

    @cached_property
    def unmade(self) -> Unmade:
        """The comparisons that are not made."""
        if self.settled:
            return Unmade({})
        rows = counting(self._met, self._run) if self._run else []
        runs = {other.run.run_id for other in self.opponents}
        return unmade_of(self.contest.config, self.alike, runs, self._run, rows)

    @cached_property
    def _met(self) -> Met:
        return self.contest.met()

    @cached_property
    def _options(self) -> PlacementOptions:
        return resolved(wanted_placement(self.contest.config), sum(map(bool, self.alike.values())))

    @property
    def makes_all(self) -> bool:
        """Whether it compares whatever it may, if nothing fails."""
        options = self._options
        return options.schedule == "all" and not (options.target_ci or self.settled)

    def left(self) -> Left:
        """The most comparisons that may be bought, and how many it is expected to be."""
        most = self.unmade.most
        adaptive = most and self._options.schedule == "adaptive"
        left = self._expect(most) if adaptive else Left(most)
        return left._replace(by_judge=self._by_judge())

    def _by_judge(self) -> dict[Party, tuple[int, int]]:
        """The least and the most that each judge makes."""
        config, unmade = self.contest.config, self.unmade
        one_by_one = any(self.contest.name in c.met and not c.sure for c in self.coming.values())
        sure = self.makes_all and not one_by_one
        if (panel := config.panel) is None:
            judges = config.judge.judges if config.judge else ()
            fewest = min(unmade.most, sum(unmade.orders.values()))
            return dict.fromkeys(judges, (fewest * sure, unmade.most))
        specs = {other.name: other.run.party.spec for other in self.opponents}
        specs |= {name: one.config.model.spec for name, one in self.coming.items()}
        mine, answered = config.model.spec, self._answered()
        least, most = Counter[Party](), Counter[Party]()
        for pairing, orders in unmade.orders.items():
            name, item, iteration = pairing
            for judge in judges_of(panel, item, iteration, (mine, specs[name])):
                done = min(orders, answered[judge, pairing])
                least[judge] += orders - done
                most[judge] += orders - done * (self._options.orders == "both")
        sure = sure and unmade.most == unmade.all
        return {
            judge: (least[judge] * sure, min(unmade.most, most[judge] + unmade.more))
            for judge in panel.judges
        }

    def _answered(self) -> Counter[tuple[Party, Pairing]]:
        """How often each judge of a panel has compared the model with an opponent."""
        panel, run, answered = self.contest.asked_panel(), self._run, Counter[Any]()
        if panel is None or run is None:
            return answered
        names = {other.run.run_id: other.name for other in self.opponents}
        for judge, (one, other, item, iteration, _) in panel.answered:
            opponent = names.get(other if one == run.run_id else one)
            if run.run_id in (one, other) and opponent:
                answered[judge, (opponent, item, iteration)] += 1
        return answered

    def _expect(self, most: int) -> Left:
        name = self.contest.name
        counts = counting(self._met, self._run)
        read = as_comparisons(placeable(counts, name, self.alike, self.samples))
        transcripts = {**self.alike, name: self.samples}
        models = [*([self.model] if self.model else []), *self.opponents]
        pool = transcript_pool(self.contest, models, transcripts)
        expected = make_matchmaker(self.contest, pool, read).expect(
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


async def look_ahead(
    contest: Contest,
    run: RunRecord | None,
    selection: Selection,
    coming: Sequence[Coming] = (),
) -> Prospect:
    """What a run may still compare, of transcripts that say enough.

    Args:
        contest: Under whose configuration it is asked.
        run: None before it is begun.
        selection: Its samples.
        coming: What the same command does before it.

    Raises:
        UsageError: An opponent is named that the journal does not have.
    """
    check_opponents(contest)
    expected = expected_in(contest, coming)
    opponents = [
        one
        for one in opponents_in(contest)
        if one.name not in expected or expected[one.name].run is not None
    ]
    await reuse_comparisons(contest)
    model = contestant(contest, run) if run else None
    begun = model.samples & selection.samples if model else frozenset[Slot]()
    samples = selection.samples - begun  # what is not there yet may say enough
    samples |= await model.comparable(begun) if model else frozenset()
    prospect = Prospect(contest, model, opponents, frozenset(samples), coming=expected)
    if run and selection.samples <= begun and settled_by(contest, run, begun):
        prospect.settled = True
        return prospect
    prospect.alike = {one.name: await one.comparable(samples) for one in opponents}
    begun_of = {one.name: one.samples for one in opponents}
    for name, one in expected.items():
        more = (one.samples - begun_of.get(name, frozenset())) & samples
        met = one.met.get(contest.name, frozenset()) if one.sure else frozenset[Slot]()
        prospect.alike[name] = (prospect.alike.get(name, frozenset()) | more) - met
    return prospect


def transcript_pool(
    contest: Contest, models: Collection[Opponent], transcripts: Mapping[str, frozenset[Slot]]
) -> "TranscriptPool":
    """The transcripts that a model is placed by.

    Args:
        contest: That of the model.
        models: Those that have a run, it and its opponents.
        transcripts: By name, what can be compared; the model's own too, run or not.
    """
    last = _last_iteration(transcripts[contest.name])
    others = (one for one in models if one.name != contest.name)
    return matchmaking.goals.TranscriptPool(
        transcripts,
        families={item.id: item.cluster for item in contest.pack.items},
        scores=scores_of(contest, models),
        ahead=frozenset(o.name for o in others if any(n == last + 1 for _, n in o.samples)),
    )


def make_matchmaker(
    contest: Contest, pool: "TranscriptPool", read: "Iterable[Comparison]"
) -> "Matchmaker":
    """What plans the placement of a contest's model.

    Args:
        contest: Its configuration says how it is to be placed.
        pool: The transcripts that it is placed by.
        read: All comparisons that were read.

    Raises:
        UsageError: There is nobody to compare with.
    """
    config, slots = contest.config, pool.transcripts[contest.name]
    last, calls = _last_iteration(slots), guard(config.benchmark).planned_calls
    items = [item for item in contest.pack.items if (item.id, last) in slots]
    options = resolved(wanted_placement(config), len(pool.opponents(contest.name)))
    orders: Any = options.orders
    schedule: Any = options.schedule
    goal = matchmaking.goals.Goal(
        model=contest.name,
        pool=pool,
        rate=partial(rate_with, DEFAULT),
        settings=settings_of(config.benchmark, contest.pack, options=config.options),
        orders=orders,
        target_ci=options.target_ci or None,  # 0 means none, here and in the next line
        max_comparisons=options.max_comparisons or None,
        iteration_calls=sum(calls(item, config.options)["model"] for item in items),
    )
    ladder = ratings.comparisons.Comparisons.of(read)
    return matchmaking.matchmaker.Matchmaker(goal, ladder, schedule)


def _last_iteration(slots: Collection[Slot]) -> int:
    """1 where there are no samples."""
    return max((iteration for _, iteration in slots), default=1)


def scores_of(contest: Contest, models: Collection[Opponent]) -> dict[str, float]:
    """The mean of the first number of each model's samples, by the run's own grader.

    Models of which no sample has one are left out.
    """
    reader, clusters = grader(contest.config), {i.id: i.cluster for i in contest.pack.items}
    means = {}
    for one in models:
        grades = (sample.score for sample in contest.journal.grades(one.run, reader, clusters))
        firsts = (next(iter(score.values.values()), None) for score in grades)
        values = [value for value in firsts if value is not None]
        if values:
            means[one.name] = sum(values) / len(values)
    return means
