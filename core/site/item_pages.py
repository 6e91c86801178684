"""Pages of items: how hard each is, how far it parts the models, and who answered it how."""

from collections.abc import Iterator, Mapping
from statistics import fmean, pstdev
from typing import NamedTuple

from ..pages.rows import ChartRow, Mark, RowChart, ladder
from ..pages.words import figure, plain_name
from ..statistics import pearson
from .gather import SiteBoard
from .rendering import render_page
from .run_files import graded_name
from .shapes import FilePart, SiteBoardDocument, SiteRow
from .slugs import slug

MOST = 500
"""Items of a board, beyond which they have a common page alone."""
LEAST = 5
"""Models, from which a correlation over them says something."""


class ItemOnBoard(NamedTuple):
    """What the models of a board made of an item.

    Attributes:
        item_id: Of which.
        values: The mean over iterations of each model with one, the best first.
        mean: Over the models.
        spread: Their standard deviation; ``None`` of one.
        parting: Correlation with the models' main number; ``None`` of fewer than five.
        place: From 1 for the hardest.
    """

    item_id: str
    values: Mapping[str, float]
    mean: float
    spread: float | None
    parting: float | None
    place: int = 0


def items_on(board: SiteBoard, document: SiteBoardDocument) -> list[ItemOnBoard]:
    """The items that a model has a number for, the hardest first."""
    lower = document["metric"]["higher_is_better"] is False
    values: dict[str, dict[str, float]] = {}
    for name, run in board.runs.items():
        for row in run.items.items:
            if row.value is not None:
                values.setdefault(row.item_id, {})[name] = row.value
    main = {row["model"]: _main(row) for row in document["rows"]}
    found = [_item(item_id, of, main, lower=lower) for item_id, of in values.items()]
    found.sort(key=lambda item: (-item.mean if lower else item.mean, item.item_id))
    return [item._replace(place=place) for place, item in enumerate(found, 1)]


def _main(row: SiteRow) -> float | None:
    return row["rating"] if row["rating"] is not None else row["score"]


def _item(
    item_id: str, of: Mapping[str, float], main: Mapping[str, float | None], *, lower: bool
) -> ItemOnBoard:
    order = dict(sorted(of.items(), key=lambda pair: (pair[1] if lower else -pair[1], pair[0])))
    pairs = [(value, m) for name, value in of.items() if (m := main.get(name)) is not None]
    known = len(pairs) >= LEAST and len({v for v, _ in pairs}) > 1 < len({m for _, m in pairs})
    found = pearson([v for v, _ in pairs], [m for _, m in pairs]) if known else None
    spread = pstdev(of.values()) if len(of) > 1 else None
    return ItemOnBoard(item_id, order, fmean(of.values()), spread, found and found.value)


def has_single_pages(board: SiteBoard) -> bool:
    """Whether each item of a board has a page of its own."""
    rows = (row for run in board.runs.values() for row in run.items.items)
    return len({row.item_id for row in rows if row.value is not None}) <= MOST


def item_path(key: str, item_id: str) -> str:
    """Where the page of an item is."""
    return f"items/{key}/{slug(item_id)}.html"


def item_pages(board: SiteBoard, document: SiteBoardDocument) -> Iterator[FilePart]:
    """The common page of a board's items, then that of each."""
    items = items_on(board, document)
    single = has_single_pages(board)
    value = next((run.items.value for run in board.runs.values() if run.items.value), "score")
    common = {"board": document, "value": plain_name(value or "score"), "demo": document["demo"]}
    yield render_page("items.html", f"items/{document['key']}.html", **common,
                      title=f"{document['title']}: items", items=items, single=single, slug=slug,
                      figure=figure)  # fmt: skip
    for item in items if single else ():
        yield render_page("item.html", item_path(document["key"], item.item_id), **common,
                          title=f"{document['title']}: {item.item_id}", item=item,
                          sentences=list(_sentences(item, len(items))),
                          chart=_chart(board, item))  # fmt: skip


def _sentences(item: ItemOnBoard, of: int) -> Iterator[str]:
    """How hard it is and how far it parts the models, in words."""
    place = "the hardest" if item.place == 1 else "the easiest" if item.place == of else ""
    place = place or f"number {item.place} of {of} from the hardest"
    yield f"By its mean over the models, {figure(item.mean)}, it is {place}."
    if item.spread is not None:
        yield f"The models differ by a standard deviation of {figure(item.spread)}."
    if item.parting is None:
        yield f"How well it parts good models from bad is not tested: needs {LEAST} models."
    else:
        yield f"Its correlation with the models' main number is {figure(item.parting)}."


def _chart(board: SiteBoard, item: ItemOnBoard) -> RowChart:
    rows = [
        ChartRow(name, [Mark(value)], (figure(value),), href=_transcript(board, name, item.item_id))
        for name, value in item.values.items()
    ]
    return ladder("Each model, the best first; the name leads to its answer", rows,
                  ("", "", "value"))  # fmt: skip


def _transcript(board: SiteBoard, name: str, item_id: str) -> str:
    run = graded_name(board.runs[name])
    return f"../../models/{slug(name)}.html#{run}-{slug(item_id)}"
