"""Where a model stands among those it was compared with: ratings from the journal's comparisons."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .. import ratings
from ..benchmark import Benchmark, Options, Pack
from ..errors import BenchError, PluginError
from ..guard import PluginCall, call, check_ratings, guard
from ..journal import RunRecord, StoredComparison
from ..parties.graders import Panel
from ..parties.party import Party
from ..plugins import installed
from ..ratings import auditing
from ..ratings.settings import Anchor, AnchorSet, RatingSettings
from ..types.result_document import ComparisonCounts, ConclusionRow, RatingNotes, RatingRow
from .comparison_pool import Met, as_comparisons, counted, counting
from .panel_rows import of_judge

if TYPE_CHECKING:
    from ..ratings.auditing.asking import Reply
    from ..ratings.comparisons import Comparisons
    from ..ratings.result import Ratings


DEFAULT = "glicko2"
"""The default engine."""


class RatingSummary(NamedTuple):
    """What a result document says of comparisons."""

    comparisons: ComparisonCounts
    ratings: list[RatingRow]
    warnings: list[str]
    details: RatingNotes
    """Engine, anchors and diagnostics."""
    unread: int = 0
    """Comparisons that the run this is for has asked and that could not be read."""
    conclusions: Sequence[ConclusionRow] = ()
    """What the comparisons say of their judge, in words."""
    rated: "Ratings | None" = None
    """As the engine made them."""


def find_standing(
    benchmark: Benchmark,
    pack: Pack,
    met: Met,
    *,
    run: RunRecord | None = None,
    anchors: tuple[AnchorSet, ...] = (),
    engine: str | None = None,
    options: Options | None = None,
) -> RatingSummary:
    """The ratings of all models of a pool.

    The `run` that this is for counts for its model, and what it plans is told. The user's
    anchors go before the benchmark's. Engine and options are the defaults where none are given.
    """
    rows = counting(met, run)
    counts = counted(rows, run)
    chosen = engine or DEFAULT
    made_by: RatingNotes = {"engine": chosen, "engine_version": engine_version(chosen)}
    settings, by_judge = settings_of(benchmark, pack, anchors, options), {}
    try:
        ratings, warnings = _rate(rows, chosen, settings)
        by_judge = _by_judge(rows, chosen, settings) if ratings else {}
    except PluginError as error:
        if run is None:
            raise
        ratings, warnings = None, [f"no rating: {error}"]  # the run's own result stands
    unread = sum(run is not None and _is_unread(row, run) for row in rows)
    if ratings is None:
        conclusions = conclusions_from(rows, [])
        return RatingSummary(counts, [], warnings, made_by, unread, conclusions)
    document = ratings.as_json()
    details: RatingNotes = {
        **made_by,
        "anchors": document["anchors"],
        "diagnostics": document["diagnostics"],
    }
    details = {**details, "by_judge": by_judge} if by_judge else details
    messages = [*warnings, *document["warnings"]]
    rated = list(document["ratings"])
    conclusions = conclusions_from(rows, rated)
    return RatingSummary(counts, rated, messages, details, unread, conclusions, ratings)


def _by_judge(
    rows: Sequence[StoredComparison], engine: str, settings: RatingSettings
) -> dict[str, list[RatingRow]]:
    """The ratings by each judge of a panel alone, of those that have any; none of one judge."""
    panel = next((row.judge for row in rows), None)
    judges = panel.judges if isinstance(panel, Panel) else ()
    alone = {j: [_by(j, n, row) for row in rows] for n, j in enumerate(judges)}
    rated = {
        judge.label: _rate(rows_of_judge, engine, settings)[0]
        for judge, rows_of_judge in alone.items()
    }
    return {
        judge: list(ratings_of_judge.as_json()["ratings"])
        for judge, ratings_of_judge in rated.items()
        if ratings_of_judge
    }


def _by(judge: Party, n: int, row: StoredComparison) -> StoredComparison:
    """What one judge of a panel, the n-th, says of a comparison."""
    end = of_judge("", n)
    margins = {n.removesuffix(end): m for n, m in row.margins.items() if n.endswith(end)}
    status = row.status if margins or row.status != "read" else "known"
    return row._replace(judge=judge, margins=margins, status=status)


def _is_unread(row: StoredComparison, run: RunRecord) -> bool:
    return row.status == "unread" and row.run_a == run.run_id


_OF_ONE_JUDGE = "trueskill"


def _rate(
    rows: Sequence[StoredComparison], engine: str, settings: RatingSettings
) -> "tuple[Ratings | None, list[str]]":
    """The ratings, or why there are none yet."""
    comparisons = as_comparisons(rows)
    if not comparisons:
        return None, []
    if engine == _OF_ONE_JUDGE and isinstance(rows[0].judge, Panel):
        message = f"{engine} counts the pluses of one judge, which a panel does not have"
        return None, [f"no rating: {message}; take another engine, or one judge"]
    try:
        read = ratings.comparisons.Comparisons.of(comparisons, by_criterion=True)
        return rate_with(engine, read, settings), []
    except PluginError:
        raise
    except BenchError as error:
        return None, [f"no rating yet: {error}"]


def ratings_from(
    benchmark: Benchmark, pack: Pack, rows: Sequence[StoredComparison], engine: str
) -> dict[str, float]:
    """The ratings that some comparisons alone give, by model; none where they are too few."""
    rated, _ = _rate(rows, engine or DEFAULT, settings_of(benchmark, pack))
    return {row["model"]: row["rating"] for row in rated.as_json()["ratings"]} if rated else {}


def engine_version(name: str) -> str | None:
    """The version of an engine's numbers; ``None`` where it is not installed."""
    engine = installed().rating_engines.things.get(name)
    return None if engine is None else getattr(engine, "version", "1")


def settings_of(
    benchmark: Benchmark,
    pack: Pack,
    anchors: tuple[AnchorSet, ...] = (),
    options: Options | None = None,
) -> RatingSettings:
    """The user's anchors, then those of the pack; its published scheme, and weights of items."""
    chosen = {o.name: o.default for o in benchmark.options} | dict(options or {})
    of_pack = (_anchor_set(pair) for pair in guard(benchmark).anchor_sets(pack))
    scheme, weights = (
        guard(benchmark).published_scheme(pack),
        guard(benchmark).item_weights(pack, chosen),
    )
    return RatingSettings((*anchors, *of_pack), scheme, weights)


def _anchor_set(pair: Mapping[str, float]) -> AnchorSet:
    first, second = (Anchor(model, float(rating)) for model, rating in pair.items())
    return AnchorSet(first, second)


def rate_with(name: str, comparisons: "Comparisons", settings: RatingSettings) -> "Ratings":
    """The ratings by the engine of that name.

    Raises:
        BenchError: The engine refuses the comparisons.
        PluginError: The engine failed, or returned something else.
    """
    engine = installed().rating_engines.things[name]
    called = PluginCall(engine, "rate")
    rated = call(called, engine.rate, comparisons, settings)
    check_ratings(called, rated, comparisons.models)
    return rated


def replies_of(rows: Iterable[StoredComparison]) -> "list[Reply]":
    """The comparisons that were answered, read or not."""
    answered = (row for row in rows if row.status in ("read", "unread"))
    return [auditing.asking.Reply(row.family, row.status == "read", row.flags) for row in answered]


def conclusions_from(
    rows: Sequence[StoredComparison], rated: Sequence[RatingRow]
) -> list[ConclusionRow]:
    """The conclusions of one judge as a document has them; none where nothing was answered."""
    if not (replies := replies_of(rows)):
        return []
    comparisons = ratings.comparisons.Comparisons.of(as_comparisons(rows))
    unread = auditing.asking.unread_share(replies)
    return auditing.conclusions.conclude(comparisons, unread, rated)
