"""Cost against score: what more money buys on each board."""

from collections.abc import Sequence
from typing import NamedTuple

from ..pages.plots import Figure, Series, scatter
from ..pages.words import figure
from ..reports.ending import dollars
from .rendering import Page, page_of
from .shapes import SiteBoardDocument, SiteRow


class CostOnBoard(NamedTuple):
    """The models of a board by cost; those that no cheaper one matches are on the frontier."""

    document: SiteBoardDocument
    plot: Figure
    rows: Sequence[tuple[str, str, str, bool]]


def cost_page(documents: Sequence[SiteBoardDocument]) -> Page:
    """The page; boards on which nothing is known to have cost money are not on it."""
    parts = [part for document in documents if (part := _part(document))]
    return page_of("cost.html", "cost.html", title="Cost against score", parts=parts,
                       demo=any(part.document["demo"] for part in parts))  # fmt: skip


def _value(row: SiteRow) -> float | None:
    return row["rating"] if row["rating"] is not None else row["score"]


def _part(document: SiteBoardDocument) -> CostOnBoard | None:
    lower = document["metric"]["higher_is_better"] is False and not document["rated"]
    known = [
        (row["cost_usd"], value, row)
        for row in document["rows"]
        if row["cost_usd"] is not None and (value := _value(row)) is not None
    ]
    if len(known) < 2 or not any(cost for cost, *_ in known):
        return None
    known.sort(key=lambda found: (found[0], found[1] if lower else -found[1]))
    best, front = None, set[str]()
    for _, value, row in known:
        worth = -value if lower else value
        if best is None or worth > best:
            best = worth
            front.add(row["id"])
    return CostOnBoard(document, _plot(document, known, front), [
        (row["model"], dollars(cost), figure(value), row["id"] in front)
        for cost, value, row in known
    ])  # fmt: skip


def _plot(
    document: SiteBoardDocument, known: Sequence[tuple[float, float, SiteRow]], front: set[str]
) -> Figure:
    first = [(cost, value) for cost, value, row in known if row["id"] in front]
    rest = [(cost, value) for cost, value, row in known if row["id"] not in front]
    series = [Series("no cheaper model is better", first), Series("a cheaper one is better", rest)]
    what = "rating" if document["rated"] else document["metric"]["label"]
    caption = f"Dollars of a run (across) and {what} (up); intervals are on the board."
    return scatter(caption, [one for one in series if one.points], ("", "dollars", what))
