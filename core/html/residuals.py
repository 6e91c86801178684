"""Criteria set against what a model's score foretells: what is special, and not merely good."""

from collections.abc import Sequence

from .board_numbers import number_of
from .shapes import SiteMetric, SiteRow

LEAST = 5
"""Models of a board, from which a line through them says something."""


def residuals(rows: Sequence[SiteRow], criteria: Sequence[SiteMetric]) -> list[SiteRow]:
    """The rows, each with by how much its criteria are above the line through all models.

    The line is of least squares of the criterion on the main number (rating, else score), over
    the models of the board; nothing where there are fewer than five, or no two numbers differ.
    """
    found = [dict[str, float | None]() for _ in rows]
    for criterion in criteria:
        name = criterion["name"]
        points = [(number_of(row), row["criteria"].get(name)) for row in rows]
        for residual, value in zip(found, _above_line(points), strict=True):
            if value is not None:
                residual[name] = value
    return [{**row, "residual": of_row} for row, of_row in zip(rows, found, strict=True)]


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
