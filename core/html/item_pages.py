"""Pages of items: the answers of all models, and how hard each is and how far it parts them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from statistics import fmean, pstdev
from typing import NamedTuple

from ..benchmark.model import MODEL
from ..statistics.correlation import pearson
from ..text import harmless
from .board_files import graded_name, part_name, parts_on
from .board_numbers import number_of
from .charts.rows import ChartRow, Mark, RowChart, ladder
from .charts.svg import figure
from .gather import SiteBoard, SiteRun
from .rendering import Page, page_of
from .shapes import SiteBoardDocument
from .slugs import Address, board_path, model_path, slug
from .words import plain_name

MOST = 500
"""Items of a board, beyond which they share pages, and the list needs its script to show all."""
SHARED = 50
"""Items that share a page then."""
WORDS = 60
"""Characters of its first words."""
LEAST = 5
"""Models, from which a correlation over them says something."""


class ItemOnBoard(NamedTuple):
    """What the models of a board made of an item.

    `values` are the mean over iterations of each model with one, the best first; `without` are the
    models that it was put to and that have none; `mean` and `spread`, the standard deviation, are
    over models; `parting` is the correlation with the models' main number (``None`` of fewer than
    five); `rank` is from 1 for the hardest; `words` are the first of what was asked.
    """

    item_id: str
    path: Address
    values: Mapping[str, float]
    without: Sequence[str]
    mean: float | None
    spread: float | None
    parting: float | None
    rank: int = 0
    words: str = ""


def items_on(
    board: SiteBoard, document: SiteBoardDocument, words: Mapping[str, str] = {}
) -> list[ItemOnBoard]:
    """The items that a model was asked, the hardest first, those without any number last.

    Each with its first words, where these are shown.
    """
    lower = document["metric"]["higher_is_better"] is False
    values: dict[str, dict[str, float | None]] = {}
    for name, run in board.runs.items():
        for row in run.items.items:
            values.setdefault(row.item_id, {})[name] = row.value
    numbers = {row["id"]: number_of(row) for row in document["rows"]}
    main = {name: numbers.get(run.run.run_id) for name, run in board.runs.items()}
    paths = item_paths(board)

    def item_of(item_id: str, asked: Mapping[str, float | None]) -> ItemOnBoard:
        of = {name: value for name, value in asked.items() if value is not None}
        order = dict(sorted(of.items(), key=lambda pair: (pair[1] if lower else -pair[1], pair[0])))
        pairs = [(value, m) for name, value in of.items() if (m := main.get(name)) is not None]
        ours, mains = [value for value, _ in pairs], [m for _, m in pairs]
        known = len(pairs) >= LEAST and len(set(ours)) > 1 < len(set(mains))
        correlation = pearson(ours, mains) if known else None
        mean, spread = fmean(of.values()) if of else None, pstdev(of.values()) if of else None
        parting = correlation and correlation.value
        without = [name for name in asked if name not in of]
        spread = spread if len(of) > 1 else None
        numbered = ItemOnBoard(item_id, paths[item_id], order, without, mean, spread, parting)
        return numbered._replace(words=words.get(item_id, ""))

    def hardest(item: ItemOnBoard) -> tuple[bool, float, str]:
        mean = item.mean or 0.0
        return item.mean is None, -mean if lower else mean, item.item_id

    items = sorted((item_of(item_id, of) for item_id, of in values.items()), key=hardest)
    return [item._replace(rank=rank) for rank, item in enumerate(items, 1)]


def first_words(board: SiteBoard) -> Mapping[str, str]:
    """Of each item those of what the oldest run was asked first, less what all items begin with."""
    lead = _lead(list(board.runs.values()))
    asked = dict[str, list[str]]()
    for call in lead.stored.journal.calls(lead.run):
        if call.key.phase == MODEL and call.messages:
            asked.setdefault(call.item_id, call.messages[-1].content.split())
    at_once = zip(*asked.values(), strict=False)
    begin = sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, at_once))
    rest = {
        item: harmless(" ".join(words[begin * (len(asked) > 1) :])) for item, words in asked.items()
    }
    return {item: f"{text[:WORDS]}{'…' * (len(text) > WORDS)}" for item, text in rest.items()}


def _lead(runs: Sequence[SiteRun]) -> SiteRun:
    """The oldest."""
    return min(runs, key=lambda run: (run.run.created_at, run.run.run_id))


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


def item_pages(
    board: SiteBoard,
    document: SiteBoardDocument,
    items: Sequence[ItemOnBoard],
    *,
    texts: bool = False,
) -> Iterator[Page]:
    """The list of a board's items, then the pages of the items, which load texts if these are."""
    common = {"board": document, "slug": slug, "broad": True,
              "board_path": board_path, "script": Address("items")}  # fmt: skip
    yield page_of("items.html", Address(f"items/{document['key']}.html"), **common, items=items,
                  title=f"{document['title']}: items", figure=figure, value=_value_of(board),
                  most=MOST, answer=lambda name, item: _transcript(board, name, item))  # fmt: skip
    pages = dict[str, list[ItemOnBoard]]()
    for item in items:
        pages.setdefault(item.path.partition("#")[0], []).append(item)
    for where, group in pages.items():
        what = group[0].item_id if "#" not in group[0].path else f"{len(group)} items"
        title = f"{document['title']}: {what}"
        yield page_of("item.html", where, **common, title=title, texts=texts,
                      items=[_shown(board, items, item) for item in group],
                      part=lambda item_id: part_name(board, item_id))  # fmt: skip


class ShownItem(NamedTuple):
    """An item as its page shows it, and the pages of those that are next in hardness."""

    item: ItemOnBoard
    sentences: Sequence[str]
    chart: RowChart
    before: Address | None
    after: Address | None


def _shown(board: SiteBoard, items: Sequence[ItemOnBoard], item: ItemOnBoard) -> ShownItem:
    before = items[item.rank - 2].path if item.rank > 1 else None
    after = items[item.rank].path if item.rank < len(items) else None
    sentences = list(_sentences(item, len(items)))
    return ShownItem(item, sentences, _chart(board, item), before, after)


def _value_of(board: SiteBoard) -> str:
    value = next((run.items.value for run in board.runs.values() if run.items.value), "score")
    return plain_name(value or "score")


def items_data(
    board: SiteBoard, document: SiteBoardDocument, items: Sequence[ItemOnBoard], *, texts: bool
) -> object:
    """What the list's script reads: models, criteria, remarks, and of each item its numbers.

    `parts` are those of each run's texts, none without; the questions are those of the `lead`, the
    oldest run, where it has them.
    An item has its id, its page, its parting, a value a model (``None`` where there is none), and
    for each model with remarks its number followed by theirs; last its first words.
    """
    remarks, runs = dict[str, int](), list(board.runs.values())
    by_item = dict[str, list[list[int]]]()
    for n, run in enumerate(runs):
        for item_id, texts_of_item in _remarks(run).items():
            numbers = [remarks.setdefault(text, len(remarks)) for text in texts_of_item]
            by_item.setdefault(item_id, []).append([n, *numbers])
    samples = (sample for run in runs for row in run.items.items for sample in row.samples)
    main = next((run.items.value for run in runs if run.items.value), None)
    criteria = dict.fromkeys(n for sample in samples for n in sample.values if n != main)
    return {
        "value": _value_of(board),
        "lower": document["metric"]["higher_is_better"] is False,
        "parts": parts_on(board) * texts,
        "lead": runs.index(_lead(runs)),
        "models": [[name, graded_name(run), run.run.run_id] for name, run in board.runs.items()],
        "criteria": [[name, plain_name(name)] for name in criteria],
        "remarks": list(remarks),
        "items": [
            [item.item_id, item.path, item.parting and round(item.parting, 4),
             [None if (value := item.values.get(name)) is None else round(value, 4)
              for name in board.runs], by_item.get(item.item_id, []), item.words]
            for item in items
        ],
    }  # fmt: skip


def _remarks(run: SiteRun) -> Mapping[str, Sequence[str]]:
    """By item what is to be remarked of its samples: how they ended, flags, and what was cut."""
    remarks = dict[str, dict[str, None]]()
    for row in run.items.items:
        for sample in row.samples:
            cut = ["cut off"] if (row.item_id, sample.iteration) in run.cut_off else []
            status = [sample.status] if sample.status != "scored" else []
            if texts := [*status, *cut, *sample.flags]:
                remarks.setdefault(row.item_id, {}).update(dict.fromkeys(texts))
    return {item_id: list(texts) for item_id, texts in remarks.items()}


def _sentences(item: ItemOnBoard, of: int) -> Iterator[str]:
    """How hard it is and how far it parts the models, in words."""
    if item.mean is None:
        yield "No model has a number for it."
        return
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
    values = [*item.values.items(), *((name, None) for name in item.without)]
    rows = [
        ChartRow(name, [Mark(value)], [figure(value)], href=_transcript(board, name, item.item_id))
        for name, value in values
    ]
    return ladder("Each model, the best first", rows, ["value"])


def _transcript(board: SiteBoard, name: str, item_id: str) -> Address:
    """Where a model's answer is."""
    run = graded_name(board.runs[name])
    return Address(f"{model_path(name)}#{run}-{slug(item_id)}")
