"""Pages of items: how hard each is, how far it parts the models, and who answered it how."""

from collections.abc import Iterator, Mapping
from statistics import fmean, pstdev
from typing import NamedTuple

from ..statistics.correlation import pearson
from .board_files import graded_name
from .board_numbers import number_of
from .charts.rows import ChartRow, Mark, RowChart, ladder
from .charts.svg import figure
from .gather import SiteBoard
from .rendering import Page, page_of
from .shapes import SiteBoardDocument
from .slugs import Address, board_path, model_path, slug
from .words import plain_name

MOST = 500
"""Items of a board, beyond which neither their list nor a page for each stays handy."""
SHARED = 50
"""Items that share a page then."""
LEAST = 5
"""Models, from which a correlation over them says something."""


class ItemOnBoard(NamedTuple):
    """What the models of a board made of an item.

    `values` are the mean over iterations of each model with one, the best first; `spread` is their
    standard deviation over models; `parting` the correlation with the models' main number (``None``
    of fewer than five); `rank` is from 1 for the hardest.
    """

    item_id: str
    path: Address
    values: Mapping[str, float]
    mean: float
    spread: float | None
    parting: float | None
    rank: int = 0


def items_on(board: SiteBoard, document: SiteBoardDocument) -> list[ItemOnBoard]:
    """The items that a model has a number for, the hardest first."""
    lower = document["metric"]["higher_is_better"] is False
    values: dict[str, dict[str, float]] = {}
    for name, run in board.runs.items():
        for row in run.items.items:
            if row.value is not None:
                values.setdefault(row.item_id, {})[name] = row.value
    numbers = {row["id"]: number_of(row) for row in document["rows"]}
    main = {name: numbers.get(run.run.run_id) for name, run in board.runs.items()}
    paths = item_paths(board)

    def item_of(item_id: str, of: Mapping[str, float]) -> ItemOnBoard:
        order = dict(sorted(of.items(), key=lambda pair: (pair[1] if lower else -pair[1], pair[0])))
        pairs = [(value, m) for name, value in of.items() if (m := main.get(name)) is not None]
        ours, mains = [value for value, _ in pairs], [m for _, m in pairs]
        known = len(pairs) >= LEAST and len(set(ours)) > 1 < len(set(mains))
        correlation = pearson(ours, mains) if known else None
        spread = pstdev(of.values()) if len(of) > 1 else None
        parting = correlation and correlation.value
        return ItemOnBoard(item_id, paths[item_id], order, fmean(of.values()), spread, parting)

    items = [item_of(item_id, of) for item_id, of in values.items()]
    items.sort(key=lambda item: (-item.mean if lower else item.mean, item.item_id))
    return [item._replace(rank=rank) for rank, item in enumerate(items, 1)]


def item_paths(board: SiteBoard) -> Mapping[str, Address]:
    """Where each item of a board has its page; of more than 500, a part of a page, in pack order.

    So a page keeps its items whoever joins the board.
    """
    ran = (row.item_id for run in board.runs.values() for row in run.items.items)
    ids = list(dict.fromkeys([*(item.id for item in board.board.pack.items), *ran]))
    folder = f"items/{board.key}"
    if len(ids) <= MOST:
        return {item_id: Address(f"{folder}/{slug(item_id)}.html") for item_id in ids}
    return {item_id: Address(f"{folder}/part-{n // SHARED + 1}.html#{slug(item_id)}")
            for n, item_id in enumerate(ids)}  # fmt: skip


def item_pages(board: SiteBoard, document: SiteBoardDocument) -> Iterator[Page]:
    """The list of a board's items, in parts where it is long, then the pages of the items."""
    items = items_on(board, document)
    value = next((run.items.value for run in board.runs.values() if run.items.value), "score")
    common = {"board": document, "demo": document["demo"], "slug": slug,
              "board_path": board_path}  # fmt: skip
    parts = [items[n : n + MOST] for n in range(0, len(items), MOST)] or [[]]
    paths = [Address(f"items/{document['key']}{f'-{n}' if n > 1 else ''}.html")
             for n in range(1, len(parts) + 1)]  # fmt: skip
    for path, part in zip(paths, parts, strict=True):
        yield page_of("items.html", path, **common, title=f"{document['title']}: items", items=part,
                      paths=paths if len(paths) > 1 else (), current=path, figure=figure,
                      value=plain_name(value or "score"),
                      answer=lambda name, item: _transcript(board, name, item))  # fmt: skip
    pages = dict[str, list[ItemOnBoard]]()
    for item in items:
        pages.setdefault(item.path.partition("#")[0], []).append(item)
    for where, group in pages.items():
        alone = f": {group[0].item_id}" if "#" not in group[0].path else f": {len(group)} items"
        yield page_of("item.html", where, **common, title=f"{document['title']}{alone}", items=[
            (item, list(_sentences(item, len(items))), _chart(board, item)) for item in group
        ])  # fmt: skip


def _sentences(item: ItemOnBoard, of: int) -> Iterator[str]:
    """How hard it is and how far it parts the models, in words."""
    rank = "the hardest" if item.rank == 1 else "the easiest" if item.rank == of else ""
    rank = rank or f"number {item.rank} of {of} from the hardest"
    yield f"By its mean over the models, {figure(item.mean)}, it is {rank}."
    if item.spread is not None:
        yield f"The models differ by a standard deviation of {figure(item.spread)}."
    if item.parting is None:
        yield f"How well it parts good models from bad is not tested: needs {LEAST} models."
    else:
        yield f"Its correlation with the models' main number is {figure(item.parting)}."


def _chart(board: SiteBoard, item: ItemOnBoard) -> RowChart:
    rows = [
        ChartRow(name, [Mark(value)], [figure(value)], href=_transcript(board, name, item.item_id))
        for name, value in item.values.items()
    ]
    return ladder("Each model, the best first", rows, ["value"])


def _transcript(board: SiteBoard, name: str, item_id: str) -> Address:
    """Where a model's answer is."""
    run = graded_name(board.runs[name])
    return Address(f"{model_path(name)}#{run}-{slug(item_id)}")
