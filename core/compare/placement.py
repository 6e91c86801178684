"""A run's placement: what it has to go by, what was done, and what it will take."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import matchmaking, ratings
from ..benchmark import PlacementOptions
from ..guard import guard
from ..journal import RunRecord, StoredComparison
from ..matchmaking.calls import MIXED_BLOCK, Call, default_orders, default_schedule
from ..reports.evidence import Selection
from ..settings.run_config import RunConfig, grader
from ..text import listed
from ..types import digest
from ..types.result_document import PlacementEnd, RatingRow, rating_notes
from .comparison_pool import Met, as_comparisons, counting
from .contest import Contest
from .opponents import Opponent, Slot, check_opponents, contestant, opponents_in, wanted_placement
from .rating_summary import DEFAULT, rate_with, settings_of
from .reuse import reuse_comparisons

if TYPE_CHECKING:
    from ..matchmaking.goals import Batch
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


_NAMED = 3


def meant(options: PlacementOptions, n_models: int) -> PlacementOptions:
    """The same with the schedule and the orders that ``auto`` means against so many opponents."""
    schedule: Any = default_schedule(n_models) if options.schedule == "auto" else options.schedule
    orders = default_orders(schedule) if options.orders == "auto" else options.orders
    return options._replace(schedule=schedule, orders=orders)


def history_of(rows: Sequence[StoredComparison]) -> "list[Batch]":
    """The batches that a run's comparisons were planned in."""
    ordered = sorted(
        rows, key=lambda row: (row.batch, row.b, row.item_id, row.iteration, row.first)
    )
    return [
        matchmaking.goals.Batch(
            group_rows[0].stage, group_rows[0].rank, tuple(call_of(row) for row in group_rows)
        )
        for _, group in groupby(ordered, key=lambda row: row.batch)
        for group_rows in [list(group)]
    ]


def call_of(row: StoredComparison) -> Call:
    """The call that a comparison is, as it was planned."""
    return Call(row.item_id, row.iteration, row.a, row.b, "a" if row.first == "a" else "b")


def placeable(
    rows: Sequence[StoredComparison],
    model: str,
    opponents: Collection[str],
    samples: Collection[tuple[str, int]],
) -> list[StoredComparison]:
    """The comparisons, without those of models or samples that are strange to a placement.

    There are such when other opponents, or another selection, were wanted before.
    """
    ladder = [row for row in rows if model not in (row.a, row.b)]
    models = {model, *opponents, *(name for row in ladder for name in (row.a, row.b))}
    slots = {*samples, *((row.item_id, row.iteration) for row in ladder)}
    mine = [row for row in rows if model in (row.a, row.b) and {row.a, row.b} <= models]
    return ladder + [row for row in mine if (row.item_id, row.iteration) in slots]


def placement_of(contest: Contest, samples: Collection[tuple[str, int]]) -> list[str]:
    """What a placement of these samples is of: one of the same is at the same end.

    Digests, its own first. Where the orders are left to the schedule, what was placed with all
    pairs in both orders is at the same end too: there is more to it.
    """
    config = contest.config
    options = wanted_placement(config)
    alike = [options, options._replace(orders="both")] if options.orders == "auto" else [options]
    end = ["mixed"] if config.mixed else []
    end += [f"without {name}" for name in sorted(config.without)]
    return [digest([contest.pool.digest, list(each), sorted(samples), *end]) for each in alike]


def settled_by(
    contest: Contest, run: RunRecord, samples: Collection[tuple[str, int]]
) -> PlacementEnd | None:
    """Why the last command on a run ended its placement, if it meant the same samples."""
    meant, journal = placement_of(contest, samples), contest.journal
    for document in (journal.document(run), *journal.views(run).values()):
        notes = rating_notes(document) if document else None
        stopped = notes.get("stopped") if notes else None
        if stopped and stopped.get("of") in meant and stopped.get("grader") == contest.pool.grader:
            return stopped
    return None


def left_of(
    config: RunConfig,
    alike: Mapping[str, frozenset[tuple[str, int]]],
    runs: Collection[str],
    run: RunRecord | None,
    rows: Sequence[StoredComparison],
) -> int:
    """The most comparisons that a run, if begun, may still make with these opponents' runs."""
    options = meant(wanted_placement(config), sum(map(bool, alike.values())))
    answered = [row for row in rows if run and row.status in ("read", "unread")]
    seen = {
        seen_from(row, config.display_name) for row in answered if run and _is_of(row, run, runs)
    }
    both, limit = options.orders == "both", options.max_comparisons
    done = seen if both else {key[:3] for key in seen}
    left = (1 + both) * sum(map(len, alike.values()))
    left -= sum((item_id, n) in alike.get(name, ()) for name, item_id, n, *_ in done)
    if options.orders == "mixed":
        left += -(-left // MIXED_BLOCK)  # those in both orders
    # No half of a pair of orders is bought.
    most = limit - limit % (1 + both) if limit else left + len(seen)
    return int(max(0, min(left, most - len(seen))))


def _is_of(row: StoredComparison, run: RunRecord, others: Collection[str]) -> bool:
    """Whether a comparison is between a run and one of others."""
    return (row.run_a == run.run_id and row.run_b in others) or (
        row.run_b == run.run_id and row.run_a in others
    )


_AT_THE_END = {
    "exhausted": "everything there is has been compared",
    "floor": "more comparisons of these transcripts would tell little",
}


def advised(stopped: PlacementEnd, rating: RatingRow | None) -> PlacementEnd:
    """Why a placement ended, with what to do now that the model's row stands as it does."""
    if stopped["kind"] not in _AT_THE_END:
        return stopped
    tied = rating["tied_with"] if rating else None
    todo = "run more iterations"
    if tied:
        todo = f"more iterations may tell it apart from {listed(tied, _NAMED)}"
    elif tied is not None:
        todo = "its rank is clear, so there is nothing left to learn"
    parts = [_AT_THE_END[stopped["kind"]], todo, stopped.get("advice")]
    return {**stopped, "told": "; ".join(filter(None, parts))}


Asked = tuple[str, str, int, str]
"""Opponent, item, iteration and order."""


def is_made(call: "Call", planned: "Collection[Call]", elsewhere: Collection[Asked]) -> bool:
    """Whether a comparison need not be made, as the opponent's run has it.

    Where one order is asked for, either will do.
    """
    reverse = call._replace(first="b" if call.first == "a" else "a")
    enough = (call,) if reverse in planned else (call, reverse)
    return any((c.b, c.item, c.iteration, c.first) in elsewhere for c in enough)


def seen_from(row: StoredComparison, model: str) -> Asked:
    """Opponent, item, iteration and order of a comparison, as one of its models has them."""
    if row.a == model:
        return row.b, row.item_id, row.iteration, row.first
    return row.a, row.item_id, row.iteration, "b" if row.first == "a" else "a"
