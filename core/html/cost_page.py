"""Cost against score: what more money, or more work of a server, buys on each board."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..hooks.sections import Series
from ..reports.ending import dollars
from ..text import duration
from .board_numbers import number_name, number_of
from .charts.plots import Figure, scatter
from .charts.svg import figure
from .rendering import Page, page_of
from .shapes import SiteBoardDocument, SiteRow


class Spending(NamedTuple):
    """What runs are set against: money, tokens or time.

    Attributes:
        column: Its heading.
        words: What a caption calls it.
        less: What a model with less of it is.
        of: What a row took; ``None`` where that is not known.
        shown: An amount in words.
    """

    column: str
    words: str
    less: str
    of: Callable[[SiteRow], float | None]
    shown: Callable[[float], str]


SPENDINGS = (
    Spending("cost", "Dollars of a run", "cheaper", lambda row: row["cost_usd"], dollars),
    Spending("output tokens", "Tokens that were written in a run", "briefer",
             lambda row: row["output_tokens"], lambda n: f"{n:,.0f}"),
    Spending("time", "Seconds of a run", "faster", lambda row: row["seconds"], duration),
)  # fmt: skip
"""The first that is known and not nothing counts."""


class CostLine(NamedTuple):
    """A model: what it took, its number, and what is to be said of the two."""

    model: str
    partial: str
    took: str
    number: str
    remark: str


class CostOnBoard(NamedTuple):
    """The models of a board by cost; those that no cheaper one surpasses are on the frontier."""

    document: SiteBoardDocument
    spending: Spending
    number: str
    plot: Figure
    lines: Sequence[CostLine]


def cost_page(documents: Sequence[SiteBoardDocument]) -> Page:
    """The page; of boards with two whole runs of real models that took something."""
    parts = [part for document in documents if (part := _part(document))]
    return page_of("cost.html", "cost.html", title="Cost against score", parts=parts)


def _part(document: SiteBoardDocument) -> CostOnBoard | None:
    rows = [row for row in document["rows"] if number_of(row) is not None]
    whole = [row for row in rows if not row["partial"]]
    spending = next((one for one in SPENDINGS if _is_known(one, whole)), None)
    if document["demo"] or spending is None:
        return None
    amounts = {row["id"]: amount for row in rows if (amount := spending.of(row)) is not None}
    whole = [row for row in whole if row["id"] in amounts]
    # Of what it took two digits count: what costs about the same is not cheaper.
    whole.sort(key=lambda row: (float(f"{amounts[row['id']]:.2g}"), -_worth(document, row)))
    front, best = set[str](), float("-inf")
    for row in whole:
        if (worth := _worth(document, row)) > best:
            best = worth
            front.add(row["id"])
    lines = [
        CostLine(
            row["model"],
            row["completeness"] if row["partial"] else "",
            spending.shown(amounts[row["id"]]),
            figure(number_of(row)),
            "not drawn: asked less" if row["partial"] else "on it" if row["id"] in front else "",
        )
        for row in [*whole, *(row for row in rows if row["partial"] and row["id"] in amounts)]
    ]
    number = number_name(document)
    return CostOnBoard(document, spending, number, _plot(number, spending, whole, front), lines)


def _is_known(spending: Spending, rows: Sequence[SiteRow]) -> bool:
    known = [amount for row in rows if (amount := spending.of(row)) is not None]
    return len(known) > 1 and any(known)


def _worth(document: SiteBoardDocument, row: SiteRow) -> float:
    """A model's number, turned round where less is better."""
    lower = document["metric"]["higher_is_better"] is False and not document["rated"]
    return (number_of(row) or 0.0) * (-1 if lower else 1)


def _plot(number: str, spending: Spending, rows: Sequence[SiteRow], front: set[str]) -> Figure:
    series = []
    for name, is_on in ((f"no {spending.less} model has a better number", True),
                        (f"a {spending.less} one has", False)):  # fmt: skip
        shown = [row for row in rows if (row["id"] in front) is is_on]
        points = [(spending.of(row) or 0.0, number_of(row) or 0.0) for row in shown]
        series.append(Series(name, points, [row["model"] for row in shown]))
    caption = f"{spending.words} (across) and {number} (up); intervals are on the board."
    return scatter(caption, [one for one in series if one.points], ("", spending.column, number))
