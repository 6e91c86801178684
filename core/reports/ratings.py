"""Ratings as columns, the same in `bench rate`, `bench run` and `bench leaderboard`.

And in sentences: which models have a rank that is sure.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from ..text import listed, middle, plural
from ..types.result_document import (
    Facts,
    MetricRow,
    OpenInterval,
    Ordinal,
    Ranks,
    RatingRow,
    SampleCounts,
)
from .columns import NAME, FitColumn, Span


class WholeJudges(TypedDict):
    """How many judges of a panel answered all that they were asked, where not all did."""

    whole: int
    judges: int


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
    changed: str | None
    run_id: str | None
    status: str | None
    partial: bool | None
    iterations: int | None
    metrics: Mapping[str, MetricRow]
    not_above: Sequence[str] | None
    items: SampleCounts | None
    cost_usd: float | None
    short_panel: NotRequired[WholeJudges | None]


def tier(row: BoardRow) -> int:
    """The group that a row is ranked in: 0 whole results, 1 partial ones, 2 short panels."""
    return 2 if row.get("short_panel") else int(bool(row["partial"]))


NAMED = 3
"""How many models a cell or a line names."""


def rating_columns(
    rows: "Sequence[RatingRow | BoardRow]", names: Sequence[str], *, details: bool = False
) -> list[FitColumn]:
    """Rank, model and rating with its interval; of scores alone rank and model.

    With details each rank by itself too, the rating with length taken off, who is tied, and how
    many comparisons there are.
    """
    columns = [
        FitColumn("rank", [ranks(row.get("rank_ci95_board")) for row in rows]),
        FitColumn("model", names, 0, [middle(name, NAME) for name in names], 6),
    ]
    if not any(row["rating"] is not None for row in rows):
        return [*columns, *(_details(rows) if details else [])]
    columns += [
        FitColumn("rating", [_whole(row["rating"]) for row in rows]),
        FitColumn("95 % interval", [points(row["ci95"]) for row in rows]),
    ]
    return [*columns, *(_details(rows) if details else [])]


def _details(rows: "Sequence[RatingRow | BoardRow]") -> list[FitColumn]:
    columns = [FitColumn("rank alone", [ranks(row["rank_ci95"]) for row in rows], 3)]
    if any(row.get("rating_length_adjusted") is not None for row in rows):
        alone = [_whole(row.get("rating_length_adjusted")) for row in rows]
        columns += [FitColumn(LENGTH, [_adjusted(row) for row in rows], 11, alone, 2)]
    tied = FitColumn("tied with", [_tied(row) for row in rows], 8, [_ties(r) for r in rows], 4)
    columns += [tied]
    if any(row["comparisons"] for row in rows):
        columns += [FitColumn("comparisons", [row["comparisons"] for row in rows], 1)]
    return columns


LENGTH = "length adjusted"


def spans(rows: "Sequence[RatingRow | BoardRow]") -> list[Span]:
    """Ratings with their intervals, to be drawn."""
    rated = any(row["rating"] is not None for row in rows)
    return [Span(row["rating"], row["ci95"]) for row in rows] if rated else []


def note_of(rows: "Sequence[RatingRow | BoardRow]") -> list[str]:
    """What the columns of the details mean, in a line or two."""
    lines = []
    if any(row["rank_ci95"] for row in rows):
        lines = [
            "rank: the ranks that a model may have (95 %), all models of the board at once, and "
            "tied with: likewise; rank alone: of that model by itself"
        ]
    if any(row.get("rating_length_adjusted") is not None for row in rows):
        lines.append(
            "length adjusted: with what the judge likes of length taken off; models are told apart "
            "only if both ratings say so, and * marks those that one alone would tell apart"
        )
    return lines


def rating_cell(row: RatingRow | None) -> str:
    """A rating with its interval; a dash where there is none."""
    return f"{row['rating']:.0f} ({points(row['ci95'])})" if row else "–"


def points(ci95: Sequence[float | None] | None) -> str:
    """An interval in whole points; with one end open it is a bound."""
    if ci95 is None:
        return "–"
    low, high = ci95
    if low is None or high is None:
        ends = [f"≥ {low:z.0f}" if low is not None else ""]
        ends += [f"≤ {high:z.0f}" if high is not None else ""]
        return "".join(ends) or "open"
    return f"{low:z.0f} … {high:z.0f}"


def ranks(ends: Sequence[int] | None) -> str:
    """The interval of a rank; one number where there is but one."""
    if ends is None:
        return "–"
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _adjusted(row: "RatingRow | BoardRow") -> str:
    rating = row.get("rating_length_adjusted")
    if rating is None:
        return "–"
    ci95 = row.get("ci95_length_adjusted")
    return f"{rating:z.0f}" + (f" ({points(ci95)})" if ci95 else "")


def _tied(row: "RatingRow | BoardRow") -> str:
    if row["tied_with"] is None:
        return "not known"
    marked = set(row.get("depends_on_length") or ())
    names = [name + "*" * (name in marked) for name in row["tied_with"]]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more if names else "none"


def _ties(row: "RatingRow | BoardRow") -> str:
    """With how many models it is tied, marked where length decides one of these."""
    tied = row["tied_with"]
    return "–" if tied is None else f"{len(tied)}" + "*" * bool(row.get("depends_on_length"))


Ends = Mapping[str, Sequence[int] | None]


def significant_ranks(rows: Sequence[RatingRow], diagnostics: Facts) -> list[str]:
    """Which models have a rank that is one number (95 %), and who may be the first.

    Nothing is said where no row has an interval of its rank.
    """
    if not any(row["rank_ci95"] for row in rows):
        return []
    own_ends, board = _ends(rows, "rank_ci95"), _ends(rows, "rank_ci95_board")
    alone: Ends | None = diagnostics.get("rank_ci95_without_length")
    families = own_ends if alone is None else {model: alone.get(model) for model in own_ends}
    lines = [f"over families of items: {_significant(families)}"]
    if alone is None:
        lines.append("with length taken off: no such analysis was made")
    else:
        lines.append(f"with length taken off too: {_significant(own_ends)}")
    lines.append(f"and for all models at once: {_significant(board)}")
    first = [model for model, ends in board.items() if ends and ends[0] == 1]
    first_place = [f"first place may be that of {listed(first, 5)}"] if first else []
    return [f"ranks that are sure (95 %), of {plural(len(rows), 'model')}:", *lines, *first_place]


def _ends(rows: Sequence[RatingRow], key: Literal["rank_ci95", "rank_ci95_board"]) -> Ends:
    return {row["model"]: row.get(key) for row in rows}


def _significant(ends: Ends) -> str:
    names = [model for model, rank in ends.items() if rank and rank[0] == rank[1]]
    return f"{len(names)} ({listed(names, NAMED)})" if names else "none"
