"""Where scores stand on a board without ratings, and above which baselines they are."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from ..result_document import (
    MetricRow,
    OpenInterval,
    Ordinal,
    Ranks,
    ResultDocument,
    SampleCounts,
)


class BoardRow(TypedDict):
    """A model on a leaderboard; ``None`` where it has no rating, or no scored result."""

    model: str
    rating: float | None
    rd: float | None
    ci95: OpenInterval | None
    rank: Ordinal | None
    rank_ci95: Ranks | None
    tied_with: Sequence[str] | None
    rank_ci95_board: Ranks | None
    rating_length_adjusted: float | None
    ci95_length_adjusted: OpenInterval | None
    depends_on_length: Sequence[str] | None
    comparisons: int
    demo: bool
    changed: str | None
    run_id: str | None
    status: str | None
    partial: bool | None
    iterations: int | None
    metrics: Mapping[str, MetricRow]
    not_above: Sequence[str] | None
    items: SampleCounts | None
    cost_usd: float | None


def place_rows(rows: Sequence[BoardRow], metric: str) -> None:
    """Give rows their rank by a metric, the ranks that they may have, and who is tied with them.

    Whole results are ranked first and partial ones below them, each among their like. A row
    without a value has no rank, nor has any where neither end of the metric is better.
    """
    above = 0
    for partial in (False, True):
        alike = [row for row in rows if row["partial"] is partial and _can_be_ranked(row, metric)]
        if alike:
            _place(alike, metric, above)
        above += len(alike)


def _can_be_ranked(row: BoardRow, metric: str) -> bool:
    found = row["metrics"].get(metric)
    return bool(found and found["value"] is not None and found["higher_is_better"] is not None)


def _place(rows: Sequence[BoardRow], metric: str, above: int) -> None:
    from ..statistics import places

    found = [row["metrics"][metric] for row in rows]
    ends = [m["ci95"] or (float("nan"),) * 2 for m in found]
    lows, highs = zip(*ends, strict=True)
    values = [float("nan") if m["value"] is None else m["value"] for m in found]
    higher = bool(found[0]["higher_is_better"])
    names = [row["model"] for row in rows]
    for row, place in zip(rows, places(values, lows, highs, higher_is_better=higher), strict=True):
        row["rank"] = above + place.rank
        row["rank_ci95"] = [above + place.low, above + place.high]
        row["tied_with"] = [names[other] for other in place.tied]


def not_above(document: ResultDocument) -> list[str]:
    """The names of the baselines that a result's interval does not lie above."""
    main = next(iter(document["metrics"].values()), None)
    if main is None or main["value"] is None or main["higher_is_better"] is None:
        return []
    sign = 1 if main["higher_is_better"] else -1
    ends = [sign * end for end in main["ci95"] or ()]
    lowest = min(ends, default=float("-inf"))
    return [n for n, b in document["baselines"].items() if lowest <= sign * b["value"]]
