"""Ranks of models by a score, and what is sure about them, as ratings have it.

Each model's samples are those of the metric that the board ranks by (`item_scores`), item by item;
of several iterations the mean. Where a benchmark counts the better of two passes, each model's own
better pass is set against the others', as in the number that is shown.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..few_families import few_families, unequal_families, why_no_interval
from .item_scores import ItemScores, mean_of
from .ratings import BoardRow, tier

if TYPE_CHECKING:
    from ..statistics.differences import PairedDifference
    from ..statistics.score_order import ItemTable, ScoreOrder


class Scored(NamedTuple):
    """What a board knows of its models' scores.

    Attributes:
        metric: The name of the metric that it ranks by.
        items: The scores of each model's items by its name, where the metric is made of such.
        clusters: The family of each item of the pack.
    """

    metric: str
    items: Mapping[str, ItemScores | None]
    clusters: Mapping[str, str]


class PairOnBoard(NamedTuple):
    """What is known of two models of a board.

    Attributes:
        alone: The paired test of the two by themselves, of the means of the items that both have
            scored, first less second in the values of scores; ``None`` where the metric is not
            made of items' scores.
        told_apart: Whether the board tells them apart, all its pairs at once; ``None`` where that
            is not known.
    """

    alone: "PairedDifference | None"
    told_apart: bool | None


def place_rows(rows: Sequence[BoardRow], scored: Scored) -> list[str]:
    """Give rows their rank by a metric, the ranks that they may have, and who is tied with them.

    Whole results are ranked first, partial ones below them, and below these those of a panel of
    which some judges did not answer all, each among their like. A row without a value has no rank,
    nor has any where neither end of the metric is better. What is not known of a row is ``None``:
    of one that shares fewer than eight families of items with every other, and of all rows where
    the metric is not made of items' scores.

    Returns:
        What to know of the ranks, one line each.
    """
    above, warnings = 0, dict[str, None]()
    ranked = [row for row in rows if _can_be_ranked(row, scored.metric)]
    for place in sorted({tier(row) for row in ranked}):
        alike = [row for row in ranked if tier(row) == place]
        warnings |= dict.fromkeys(_place(alike, scored, above))
        above += len(alike)
    return list(warnings)


def verdict(rows: Sequence[BoardRow], scored: Scored, first: str, second: str) -> PairOnBoard:
    """What a board of scores says of two of its models, and what they say by themselves.

    Args:
        rows: Of the board, placed.
        scored: What it knows.
        first: The name of a model on it.
        second: Of another.
    """
    tied = next((row["tied_with"] for row in rows if row["model"] == first), None)
    tiers = {tier(row) for row in rows if row["model"] in (first, second)}
    apart = None if tied is None or len(tiers) > 1 else second not in tied
    both = [scored.items.get(name) for name in (first, second)]
    return PairOnBoard(None if None in both else _paired(scored, first, second), apart)


def _paired(scored: Scored, first: str, second: str) -> "PairedDifference":
    from ..statistics import paired_difference

    a, b = (_means(scored.items[name]) for name in (first, second))
    common = [item for item in scored.clusters if item in a and item in b]
    clusters = [scored.clusters[item] for item in common]
    return paired_difference([a[i] for i in common], [b[i] for i in common], clusters)


def _means(of: ItemScores | None) -> dict[str, float]:
    return {item: total / n for item, (total, n) in of["items"].items()} if of else {}


def _can_be_ranked(row: BoardRow, metric: str) -> bool:
    found = row["metrics"].get(metric)
    return bool(found and found["value"] is not None and found["higher_is_better"] is not None)


def _place(rows: Sequence[BoardRow], scored: Scored, above: int) -> list[str]:
    values = _oriented(rows, scored.metric)
    for row, rank in zip(rows, _ranks(values), strict=True):
        row["rank"] = above + rank
    table, why = _table(rows, values, scored)
    if table is None:
        return [why]
    from ..statistics.score_order import order_scores

    found = order_scores(table)
    names = [row["model"] for row in rows]
    for n, row in enumerate(rows):
        if found.own[n].any():
            row["rank_ci95"] = [above + int(end) for end in found.own[n]]
            row["rank_ci95_board"] = [above + int(end) for end in found.board[n]]
            row["tied_with"] = [names[other] for other in found.tied[n].nonzero()[0]]
    return _notes(found, rows)


def _notes(found: "ScoreOrder", rows: Sequence[BoardRow]) -> list[str]:
    if reason := why_no_interval(found.n_families):
        return [reason] if len(rows) > 1 else []
    rough = few_families(found.n_families) + unequal_families(found.n_families, found.effective)
    return rough if len(rows) > 1 else []


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


def _table(
    rows: Sequence[BoardRow], values: Sequence[float], scored: Scored
) -> "tuple[ItemTable | None, str]":
    """The items' scores of all models, the higher the better, or why there are none."""
    import numpy as np

    from ..statistics import cluster_index
    from ..statistics.score_order import ItemTable

    made = [scored.items.get(row["model"]) for row in rows]
    means = [mean_of(own["items"]) if own else None for own in made]
    sign = _direction(values, means)
    if sign is None:
        message = "is no mean of the scores of items: nothing is told apart by it"
        return None, f"{scored.metric.replace('_', ' ')} {message}"
    ids = [item for item in scored.clusters if any(own and item in own["items"] for own in made)]
    place = {item: n for n, item in enumerate(ids)}
    sums, counts = np.zeros((2, len(rows), len(ids)))
    for n, own in enumerate(made):
        given = own["items"] if own else {}
        at = [place[item] for item in given]
        sums[n, at], counts[n, at] = np.array(list(given.values())).T
    families = cluster_index([scored.clusters[item] for item in ids])
    return ItemTable(sign * sums, counts, families), ""


def _direction(values: Sequence[float], means: Sequence[float | None]) -> int | None:
    """1 where scores rise with what they are made of, -1 where they fall; None where neither."""
    known = [mean for mean in means if mean is not None]
    if len(known) < len(values):
        return None
    ordered = sorted(zip(values, known, strict=True))
    steps = [b[1] - a[1] for a, b in pairwise(ordered)]
    least = _ROUNDING * max(map(abs, known))
    if all(step >= -least for step in steps):
        return 1
    return -1 if all(step <= least for step in steps) else None
