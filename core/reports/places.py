"""Ranks of models by a score, and what is sure about them, as ratings have it.

Models are set against each other item by item, by what their samples add to the metric that ranks
(`Benchmark.main_values`). Where a benchmark counts the better of two passes, each model's own
better pass is set against that of the others, as in the number that is shown; that the choice is
made of the same answers is not allowed for.
"""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

from .. import statistics
from ..benchmark import Benchmark, Options, Pack
from ..guard import guard
from ..statistics.few_families import few_families, unequal_families, why_no_interval
from ..types import SampleScore, Summary
from .ratings import BoardRow, tier

if TYPE_CHECKING:
    from ..statistics.score_order import ItemTable, ScoreOrder


ItemScores = Mapping[str, Sequence[float]]
"""By item the sum over its samples, and how many they are: as a journal's cache holds it."""


class ScoredItems(NamedTuple):
    """What a board knows of its models' scores: the metric it ranks by, each model's by item.

    `clusters` has the family of each item of the pack.
    """

    metric: str
    items: Mapping[str, ItemScores | None]
    clusters: Mapping[str, str]


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
    for place in tiers:
        alike = [row for row in ranked if tier(row) == place]
        warnings |= dict.fromkeys(_place(alike, scored, above))
        above += len(alike)
    if len(tiers) > 1:
        _tie(ranked, scored)
    return list(warnings)


def _can_be_ranked(row: BoardRow, metric: str) -> bool:
    found = row["metrics"].get(metric)
    return bool(found and found["value"] is not None and found["higher_is_better"] is not None)


def _place(rows: Sequence[BoardRow], scored: ScoredItems, above: int) -> list[str]:
    for row, rank in zip(rows, _ranks(_oriented(rows, scored.metric)), strict=True):
        row["rank"] = above + rank
    found, why = _order(rows, scored)
    if found is None:
        return [why]
    names = [row["model"] for row in rows]
    for n, row in enumerate(rows):
        if found.own[n].any():
            row["rank_ci95"] = [above + int(end) for end in found.own[n]]
            row["rank_ci95_board"] = [above + int(end) for end in found.board[n]]
            row["tied_with"] = [names[other] for other in found.tied[n].nonzero()[0]]
    return _notes(found) if len(rows) > 1 else []


def _tie(rows: Sequence[BoardRow], scored: ScoredItems) -> None:
    """Add to rows those of other tiers that they cannot be told apart from."""
    found, _ = _order(rows, scored)
    known = [row for row in rows if row["tied_with"] is not None]
    if found is None:
        return
    place = {row["model"]: n for n, row in enumerate(rows)}
    tied = found.tied & found.known
    for row in known:
        own = tied[place[row["model"]]]
        others = [o for o in known if own[place[o["model"]]] and tier(o) != tier(row)]
        row["tied_with"] = [*(row["tied_with"] or ()), *(other["model"] for other in others)]


def _order(rows: Sequence[BoardRow], scored: ScoredItems) -> "tuple[ScoreOrder | None, str]":
    """What is sure about rows, or why nothing is known."""
    table, why = _table(rows, scored)
    return (statistics.score_order.order_scores(table) if table else None), why


def _notes(found: "ScoreOrder") -> list[str]:
    few = few_families(found.n_families)
    enough = not why_no_interval(found.n_families)
    return few + (unequal_families(found.n_families, found.effective) if enough else [])


def _oriented(rows: Sequence[BoardRow], metric: str) -> list[float]:
    """The metric's values, the higher the better."""
    found = [row["metrics"][metric] for row in rows]
    sign = 1.0 if found[0]["higher_is_better"] else -1.0
    return [sign * (m["value"] or 0.0) for m in found]


_ROUNDING = 1e-9  # of the largest score: differences so small are none


def _ranks(values: Sequence[float]) -> list[int]:
    """From 1, the best; equal ones have one rank."""
    least = _ROUNDING * max(map(abs, values), default=0.0)
    return [1 + sum(other - value > least for other in values) for value in values]


def _table(rows: Sequence[BoardRow], scored: ScoredItems) -> "tuple[ItemTable | None, str]":
    """The items' scores of all models, the higher the better, or why there are none."""
    import numpy as np

    found = [scored.items.get(row["model"]) for row in rows]
    made = [items for items in found if items is not None]
    if len(made) < len(rows):
        message = "is no mean of the scores of items: nothing is told apart by it"
        return None, f"{scored.metric.replace('_', ' ')} {message}"
    ids = [item for item in scored.clusters if any(item in own for own in made)]
    place = {item: n for n, item in enumerate(ids)}
    sums, counts = np.zeros((2, len(rows), len(ids)))
    for n, own in enumerate(made):
        at = [place[item] for item in own]
        sums[n, at], counts[n, at] = np.array(list(own.values())).T
    sign = 1 if rows[0]["metrics"][scored.metric]["higher_is_better"] else -1
    families = statistics.bootstrap.cluster_index([scored.clusters[item] for item in ids])
    return statistics.score_order.ItemTable(sign * sums, counts, families), ""


def item_scores(
    benchmark: Benchmark, pack: Pack, scores: Sequence[SampleScore], options: Options, made: Summary
) -> ItemScores | None:
    """The scores (`Benchmark.main_values`) that a run's main metric is the mean of, if it is."""
    found = made.metrics.get(benchmark.ranked_by or next(iter(made.metrics)))
    if found is None or found.value is None:
        return None
    items: dict[str, tuple[float, int]] = {}
    values = guard(benchmark).main_values(pack, scores, options)
    for sample, value in zip(scores, values, strict=True):
        if value is not None:
            total, n = items.get(sample.item_id, (0.0, 0))
            items[sample.item_id] = (total + value, n + 1)
    n = sum(n for _, n in items.values())
    mean = sum(total for total, _ in items.values()) / n if n else None
    is_mean = mean is not None and isclose(mean, found.value, rel_tol=1e-9, abs_tol=1e-9)
    return items if is_mean else None
