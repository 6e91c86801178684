"""Ranks of models by a score, and what is sure about them, as ratings have it.

Models are set against each other item by item, by what their samples add to the metric that ranks
(`Benchmark.main_values`). Where a benchmark counts the better of two passes, each model's own
better pass is set against that of the others, as in the number that is shown; that the choice is
made of the same answers is not allowed for.
"""

from collections.abc import Mapping, Sequence
from math import inf, isclose
from typing import TYPE_CHECKING, NamedTuple

from .. import statistics
from ..benchmark import Benchmark, Options, Pack
from ..guard import guard
from ..statistics.few_families import few_families, unequal_families, why_no_interval
from ..types import SampleScore, Summary
from .pairing import metric_terms
from .ratings import BoardRow, tier

if TYPE_CHECKING:
    from ..statistics.score_order import ItemTable, ScoreOrder


ItemScores = Mapping[str, Sequence[float]]
"""By item the sum over its samples, and how many they are: as a journal's cache holds it."""


class ScoredItems(NamedTuple):
    """What a board knows of its models' scores: the metric it ranks by, each model's by item.

    `clusters` has the family of each item of the pack; where items do not count alike, `equal` says
    how many families that do would say as much, and `counted` how these count. `reach` is the
    largest difference that the metric has room for.
    """

    metric: str
    items: Mapping[str, ItemScores | None]
    clusters: Mapping[str, str]
    equal: int | None = None
    counted: str = ""
    reach: float = inf


def place_rows(rows: Sequence[BoardRow], scored: ScoredItems) -> list[str]:
    """Give rows their rank by a metric, the ranks that they may have, and who is tied with them.

    Whole results are ranked first, partial ones below them, and below these those of a panel of
    which some judges did not answer all, each among their like, so that no partial one makes whole
    ones less sure; ties between those that are not alike are found among all together. A row
    without a value has no rank, nor has any where neither end of the metric is better. What is not
    known of a row is ``None``: of one that shares fewer than eight families of items with every
    other, and of all rows where the metric is not made of items' scores. Gives back warnings.
    """
    ranked = [row for row in rows if _can_be_ranked(row, scored.metric)]
    tiers = sorted({tier(row) for row in ranked})
    above, warnings = 0, dict[str, None]()
    for of_tier in tiers:
        alike = [row for row in ranked if tier(row) == of_tier]
        warnings |= dict.fromkeys(_rank_tier(alike, scored, above))
        above += len(alike)
    if len(tiers) > 1:
        _tie(ranked, scored)
    return list(warnings)


def _can_be_ranked(row: BoardRow, metric: str) -> bool:
    value = row["metrics"].get(metric)
    return bool(value and value["value"] is not None and value["higher_is_better"] is not None)


def _rank_tier(rows: Sequence[BoardRow], scored: ScoredItems, above: int) -> list[str]:
    for row, rank in zip(rows, _ranks(_oriented(rows, scored.metric)), strict=True):
        row["rank"] = above + rank
    order, why = _order(rows, scored)
    if order is None:
        return [why]
    names = [row["model"] for row in rows]
    for n, row in enumerate(rows):
        if order.of_row[n].any():
            row["rank_ci95"] = [above + int(end) for end in order.of_row[n]]
            row["rank_ci95_board"] = [above + int(end) for end in order.board[n]]
            row["tied_with"] = [names[other] for other in order.tied[n].nonzero()[0]]
    return _notes(order, scored) if len(rows) > 1 or not above else []


def _tie(rows: Sequence[BoardRow], scored: ScoredItems) -> None:
    """Add to rows those of other tiers that they cannot be told apart from."""
    order, _ = _order(rows, scored)
    known = [row for row in rows if row["tied_with"] is not None]
    if order is None:
        return
    position = {row["model"]: n for n, row in enumerate(rows)}
    tied = order.tied & order.known
    for row in known:
        of_row = tied[position[row["model"]]]
        others = [o for o in known if of_row[position[o["model"]]] and tier(o) != tier(row)]
        row["tied_with"] = [*(row["tied_with"] or ()), *(other["model"] for other in others)]


def _order(rows: Sequence[BoardRow], scored: ScoredItems) -> "tuple[ScoreOrder | None, str]":
    """What is sure about rows, or why nothing is known."""
    if scored.equal is not None and (
        why := why_no_interval(scored.equal, len(set(scored.clusters.values())), scored.counted)
    ):
        return None, why
    table, why = _table(rows, scored)
    return (statistics.score_order.order_scores(table) if table else None), why


def _notes(order: "ScoreOrder", scored: ScoredItems) -> list[str]:
    n = order.n_families
    few = few_families(min(n, scored.equal or n), n, scored.counted)
    enough = not why_no_interval(order.n_families)
    return few + (unequal_families(order.n_families, order.effective) if enough else [])


def _oriented(rows: Sequence[BoardRow], metric: str) -> list[float]:
    """The metric's values, the higher the better."""
    values = [row["metrics"][metric] for row in rows]
    sign = 1.0 if values[0]["higher_is_better"] else -1.0
    return [sign * (m["value"] or 0.0) for m in values]


_ROUNDING = 1e-9  # of the largest score: differences so small are none


def _ranks(values: Sequence[float]) -> list[int]:
    """From 1, the best; equal ones have one rank."""
    least = _ROUNDING * max(map(abs, values), default=0.0)
    return [1 + sum(other - value > least for other in values) for value in values]


def _table(rows: Sequence[BoardRow], scored: ScoredItems) -> "tuple[ItemTable | None, str]":
    """The items' scores of all models, the higher the better, or why there are none."""
    import numpy as np

    by_row = [scored.items.get(row["model"]) for row in rows]
    known = [items for items in by_row if items is not None]
    if len(known) < len(rows):
        message = "is no mean of the scores of items: nothing is told apart by it"
        return None, f"{scored.metric.replace('_', ' ')} {message}"
    ids = [item for item in scored.clusters if any(item in of_row for of_row in known)]
    position = {item: n for n, item in enumerate(ids)}
    sums, counts = np.zeros((2, len(rows), len(ids)))
    for n, of_row in enumerate(known):
        at = [position[item] for item in of_row]
        sums[n, at], counts[n, at] = np.array(list(of_row.values())).T
    sign = 1 if rows[0]["metrics"][scored.metric]["higher_is_better"] else -1
    families = statistics.bootstrap.cluster_index([scored.clusters[item] for item in ids])
    table = statistics.score_order.ItemTable(
        sign * sums, counts, families, scored.reach, scored.equal or inf
    )
    return table, ""


def item_scores(
    benchmark: Benchmark,
    pack: Pack,
    scores: Sequence[SampleScore],
    options: Options,
    summary: Summary,
) -> ItemScores | None:
    """The scores (`Benchmark.main_values`) that a run's main metric is the mean of.

    ``None`` where the metric has no value or is no such mean.
    """
    name = benchmark.ranked_by or next(iter(summary.metrics))
    metric = summary.metrics.get(name)
    if metric is None or metric.value is None:
        return None
    items: dict[str, tuple[float, int]] = {}
    values = guard(benchmark).main_values(pack, scores, options)
    pairs = zip(scores, values, strict=True)
    known = {(s.item_id, s.iteration): value for s, value in pairs if value is not None}
    for (item, _), value in metric_terms(benchmark, pack, name, known).items():
        total, n = items.get(item, (0.0, 0))
        items[item] = (total + value, n + 1)
    n = sum(n for _, n in items.values())
    mean = sum(total for total, _ in items.values()) / n if n else None
    is_mean = mean is not None and isclose(mean, metric.value, rel_tol=1e-9, abs_tol=1e-9)
    return items if is_mean else None
