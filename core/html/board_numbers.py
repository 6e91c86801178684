"""What the models of a board are ranked by: a rating, else a score."""

from ..reports.statements import better_end
from .charts.rows import Ends, Mark
from .shapes import SiteBoardDocument, SiteMetric, SiteRow
from .words import ends, figure


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


def mark_of(row: SiteRow) -> Mark:
    """The same with its interval, to be drawn."""
    ci95: Ends | None = row["score_ci95"] if row["rating"] is None else row["rating_ci95"]
    return Mark(number_of(row), ci95)


def in_words(row: SiteRow) -> tuple[str, str]:
    """The same and its interval, to be read; a rating has no digits behind the point."""
    mark, digits = mark_of(row), 2 if row["rating"] is None else 0
    return figure(mark.value, digits), ends(mark.ci95, digits)
