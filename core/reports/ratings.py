"""Ratings as table cells, the same in `bench rate`, `bench run` and wherever a table of them is."""

from collections.abc import Sequence

from ..result_document import RatingRow
from .placing import BoardRow

NAMED = 3
"""How many tied models a cell names."""
_COLUMNS = ("rank", "model", "rating", "95 % interval", "rank interval / board")
_LENGTH = "length-adjusted"


def columns_of(rows: Sequence[RatingRow]) -> tuple[str, ...]:
    """The columns for rows of `bench rate --json`: with lengths where there is such a rating."""
    beside = any(row.get("rating_length_adjusted") is not None for row in rows)
    return (*_COLUMNS, *[_LENGTH] * beside, "tied with", "comparisons")


def row_of(row: RatingRow, columns: Sequence[str]) -> list[str | float | None]:
    """The cells of one model."""
    return [
        row["rank"],
        row["model"] + " DEMO" * bool(row.get("demo")),
        round(row["rating"]),
        points(row["ci95"]),
        f"{ranks(row['rank_ci95'])} / {ranks(row.get('rank_ci95_board'))}",
        *[_adjusted(row)] * (_LENGTH in columns),
        _tied(row),
        row["comparisons"],
    ]


def note_of(rows: "Sequence[RatingRow | BoardRow]") -> list[str]:
    """What the columns mean, in a line or two."""
    lines = ["rank interval: of this model alone / of all models of the board together"]
    if any(row.get("rating_length_adjusted") is not None for row in rows):
        lines.append(
            "length-adjusted: with what the judge likes of length taken off; models are told apart "
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


def _adjusted(row: RatingRow) -> str:
    rating = row.get("rating_length_adjusted")
    if rating is None:
        return "–"
    ci95 = row.get("ci95_length_adjusted")
    return f"{rating:z.0f}" + (f" ({points(ci95)})" if ci95 else "")


def _tied(row: RatingRow) -> str:
    if row["tied_with"] is None:
        return "not known"
    marked = set(row.get("depends_on_length") or ())
    names = [name + "*" * (name in marked) for name in row["tied_with"]]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more if names else "none"
