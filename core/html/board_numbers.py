"""What is computed from the rows of a board, as pages and charts show it.

What models are ranked by, which cannot be told apart, and what is special of each: criteria
set against what the model's main number foretells, and not merely good.
"""

from collections.abc import Sequence
from itertools import pairwise

from ..reports.statements import better_end
from ..text import listed
from .charts.rows import ChartRow, measured
from .charts.svg import Ends
from .shapes import SiteBoardDocument, SiteMetric, SiteRow

LEAST = 5
"""Models of a board, from which a line through them says something."""


def residuals(rows: Sequence[SiteRow], criteria: Sequence[SiteMetric]) -> list[SiteRow]:
    """The rows, each with by how much its criteria are above the line through all models.

    The line is of least squares of the criterion on the main number (rating, else score), over
    the models of the board; nothing where there are fewer than five, or no two numbers differ.
    """
    of_rows = [dict[str, float | None]() for _ in rows]
    for criterion in criteria:
        name = criterion["name"]
        points = [(number_of(row), row["criteria"].get(name)) for row in rows]
        for residual, value in zip(of_rows, _above_line(points), strict=True):
            if value is not None:
                residual[name] = value
    return [{**row, "residual": of_row} for row, of_row in zip(rows, of_rows, strict=True)]


def _above_line(points: Sequence[tuple[float | None, float | None]]) -> list[float | None]:
    known = [(x, y) for x, y in points if x is not None and y is not None]
    if len(known) < LEAST:
        return [None] * len(points)
    mean_x = sum(x for x, _ in known) / len(known)
    mean_y = sum(y for _, y in known) / len(known)
    spread = sum((x - mean_x) ** 2 for x, _ in known)
    if not spread:
        return [None] * len(points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in known) / spread
    return [
        None if x is None or y is None else y - mean_y - slope * (x - mean_x) for x, y in points
    ]


LISTED = 12
"""Models that are named of those tied with one; the JSON and the CSV have all."""


def ties_in_words(rows: Sequence[SiteRow]) -> list[tuple[str, str]]:
    """Of each model the others that it cannot be told apart from."""
    return [(row["model"], listed(row["tied_with"], LISTED)) for row in rows if row["tied_with"]]


def bands(rows: Sequence[SiteRow]) -> list[int]:
    """The number of the band of each row, from 1; 0 for a row in none.

    A band begins with a model and goes on as long as the next one cannot be told apart from that
    first one. To be tied is not transitive, so a band says nothing of its other rows together.
    """
    numbers, first, number = [0] * len(rows), 0, 0
    for n in range(1, len(rows)):
        if rows[n]["model"] not in rows[first]["tied_with"]:
            first = n
            continue
        if not numbers[first]:
            number += 1
            numbers[first] = number
        numbers[n] = number
    return numbers


def band_classes(rows: Sequence[SiteRow]) -> list[str]:
    """How each row is drawn: neighbouring bands differ, and each shows where it begins."""
    return [
        f"tied t{band % 2}{'' if band == before else ' start'}" if band else ""
        for before, band in pairwise([0, *bands(rows)])
    ]


def number_name(document: SiteBoardDocument) -> str:
    """What models are ranked by, and which end is better where that is the lower one."""
    return "rating" if document["rated"] else metric_name(document["metric"])


def metric_name(metric: SiteMetric) -> str:
    """What a metric is called, and which end is better where that is the lower one."""
    end = better_end(metric["higher_is_better"])
    return metric["label"] + (f" ({end})" if end else "")


def number_of(row: SiteRow) -> float | None:
    """A model's rating, else its score."""
    return row["score"] if row["rating"] is None else row["rating"]


def in_chart(row: SiteRow) -> ChartRow:
    """The same with its interval; a rating has no digits behind the point."""
    is_rated = row["rating"] is not None
    ci95: Ends | None = row["rating_ci95"] if is_rated else row["score_ci95"]
    return measured(row["model"], number_of(row), ci95, digits=0 if is_rated else 2)
