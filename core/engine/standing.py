"""Where a model stands among those it was compared with: ratings from the journal's comparisons."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..benchmark import Benchmark, Pack
from ..errors import BenchError, PluginError
from ..journal import Journal, RunRecord, StoredComparison
from ..plugins import installed
from ..ratings.settings import Anchor, AnchorSet, RatingSettings
from .pools import as_comparisons, counted, read_pool

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparisons
    from ..ratings.result import Ratings

DEFAULT, BESIDE = "glicko2", "fractional-logit"
"""The default engine, and the one whose ratings stand beside it."""


class Standing(NamedTuple):
    """What a result document says of comparisons."""

    comparisons: dict[str, Any]
    ratings: list[dict[str, Any]]
    warnings: list[str]
    details: dict[str, Any]
    """Engine, anchors and diagnostics."""
    unread: int = 0
    """Comparisons that the run this is for has asked and that could not be read."""


def read_standing(
    journal: Journal,
    benchmark: Benchmark,
    pack: Pack,
    pool: str,
    *,
    own: RunRecord | None = None,
    orders: str | None = None,
    anchors: tuple[AnchorSet, ...] = (),
    engine: str | None = None,
) -> Standing:
    """The ratings of all models of a pool.

    Args:
        journal: Holds the comparisons.
        benchmark: Says which models fix the scale, and what caps margins.
        pack: Its data.
        pool: Which comparisons may meet.
        own: The run that this is for: it counts for its model, and what it plans is told.
        orders: ``both``, or ``one`` where each pair is judged once; by default what most are.
        anchors: The user's, before the benchmark's.
        engine: Its name, if not the default for these orders.
    """
    rows = read_pool(journal, pool, pack, own)
    counts = counted(rows, own)
    chosen = engine or default_engine(rows, orders)
    ratings, warnings = _rate(rows, chosen, settings_of(benchmark, pack, anchors))
    unread = sum(own is not None and _is_unread(row, own) for row in rows)
    if ratings is None:
        return Standing(counts, [], warnings, {"engine": chosen}, unread)
    document = ratings.as_json()
    details = {"engine": chosen, **{k: document[k] for k in ("anchors", "diagnostics")}}
    told = [*warnings, *document["warnings"]]
    return Standing(counts, document["ratings"], told, details, unread)


def _is_unread(row: StoredComparison, own: RunRecord) -> bool:
    return row.status == "unread" and row.run_a == own.run_id


def default_engine(rows: Sequence[StoredComparison], orders: str | None = None) -> str:
    """The engine for comparisons in both orders, or in one; by default as most of them are."""
    return DEFAULT if (orders or _orders(rows)) == "both" else BESIDE


def _orders(rows: Sequence[StoredComparison]) -> str:
    """Whether most pairs were judged in both orders, or in one."""
    seen: dict[object, set[bool]] = {}
    for row in rows:
        pair = frozenset({row.a, row.b})
        first = (row.a if row.first == "a" else row.b) == min(pair)
        seen.setdefault((pair, row.item_id, row.iteration), set()).add(first)
    both = sum(len(orders) == 2 for orders in seen.values())
    return "both" if 2 * both >= len(seen) else "one"


def _rate(
    rows: Sequence[StoredComparison], engine: str, settings: RatingSettings
) -> "tuple[Ratings | None, list[str]]":
    """The ratings, or why there are none yet."""
    from ..ratings.comparisons import Comparisons

    given = as_comparisons(rows)
    if not given:
        return None, []
    try:
        return rate_with(engine, Comparisons.of(given), settings), []
    except PluginError:
        raise
    except BenchError as error:
        return None, [f"no rating yet: {error}"]


def settings_of(
    benchmark: Benchmark, pack: Pack, anchors: tuple[AnchorSet, ...] = ()
) -> RatingSettings:
    """The user's anchors, then those of the pack, and its caps of margins."""
    own = (_anchor_set(given) for given in benchmark.anchor_sets(pack))
    return RatingSettings((*anchors, *own), benchmark.margin_caps(pack))


def _anchor_set(given: Mapping[str, float]) -> AnchorSet:
    first, second = (Anchor(model, float(rating)) for model, rating in given.items())
    return AnchorSet(first, second)


def rate_with(name: str, comparisons: "Comparisons", settings: RatingSettings) -> "Ratings":
    """The ratings by the engine of that name.

    Raises:
        BenchError: The engine refuses the comparisons.
        PluginError: The engine failed, or returned something else.
    """
    from ..ratings.result import Ratings

    registry = installed().rating_engines
    origin = f"rating engine {name!r} of {registry.origins[name]}"
    try:
        made = registry.things[name].rate(comparisons, settings)
    except BenchError:
        raise
    except Exception as error:
        raise PluginError(f"{origin} failed: {type(error).__name__}: {error}") from error
    if not isinstance(made, Ratings):
        raise PluginError(f"{origin} returned {type(made).__name__}, not eibench.Ratings")
    return made
