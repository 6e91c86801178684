"""Pages of a whole site: the entry, cost against score, comparing by address, the glossary."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..compare.boards import Board
from ..hooks.sections import Series
from ..parties.graders import Panel
from ..reports.ending import dollars
from ..text import duration
from .board_numbers import in_chart, number_name, number_of
from .charts.plots import Figure, scatter
from .charts.svg import figure
from .gather import Gathered, SiteBoard
from .plugin_parts import plugin_path
from .rendering import Page, glossary, page_of
from .shapes import SiteBoardDocument, SiteRow


class Spending(NamedTuple):
    """What runs are set against: its heading, it in a caption, what a model with less of it is.

    `of` is what a row took; ``None`` where that is not known.
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
    return page_of("cost.html", "cost.html", title="Cost against score", parts=parts, demo=False)


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


SHOWN = 8
"""Models of a board that the entry names."""


class BoardOnIndex(NamedTuple):
    """A board: its first models, what their numbers are, and the boards of its panel's judges."""

    document: SiteBoardDocument
    rows: Sequence[SiteRow]
    number: str
    by_judge: Sequence[SiteBoardDocument]


def index_page(gathered: Gathered, documents: Mapping[str, SiteBoardDocument], date: str) -> Page:
    """The entry: all boards with their first models, and what could not be shown."""
    of_panels = _of_panels(gathered.boards)
    boards = [
        BoardOnIndex(document, document["rows"][:SHOWN], number_name(document),
                     [documents[one] for one in of_panels.get(document["key"], ())])
        for document in first_documents(gathered.boards, documents)
    ]  # fmt: skip
    return page_of("index.html", "index.html", title="Boards", boards=boards,
                   number=lambda row: in_chart(row).cells[0], absent=gathered.absent, date=date,
                   demo=False, pages=gathered.pages, page_path=plugin_path)  # fmt: skip


def first_documents(
    boards: Sequence[SiteBoard], documents: Mapping[str, SiteBoardDocument]
) -> list[SiteBoardDocument]:
    """The documents of all boards but those of one judge of a panel, which stand under it."""
    below = {key for keys in _of_panels(boards).values() for key in keys}
    return [documents[board.key] for board in boards if board.key not in below]


def _of_panels(boards: Sequence[SiteBoard]) -> dict[str, list[str]]:
    """Of each panel's board the boards of its judges, each alone, by their keys."""
    return {
        panel.key: [
            board.key
            for board in boards
            if board.board.benchmark.name == panel.board.benchmark.name
            and _is_of(board.board.board, panel.board.board)
        ]
        for panel in boards
        if isinstance(panel.board.board.judge, Panel)
    }


def _is_of(one: Board, panel: Board) -> bool:
    """Whether a board is that of one judge of a panel, and otherwise like the panel's."""
    members = panel.judge.judges if isinstance(panel.judge, Panel) else ()
    return one.judge in members and one._replace(judge=panel.judge) == panel


def compare_page() -> Page:
    """The page whose script compares any two models that its address names."""
    return page_of("compare.html", "compare.html", title="Compare models", demo=False)


def glossary_page(boards: Sequence[SiteBoard]) -> Page:
    """What benchmarks and metrics are, in the words of their plugins."""
    benchmarks = {board.board.benchmark.name: board for board in boards}
    entries = [
        (name, board.board.benchmark.title, _terms(board)) for name, board in benchmarks.items()
    ]
    return page_of("glossary.html", "glossary.html", title="Glossary", general=glossary(),
                   entries=entries, demo=False)  # fmt: skip


def _terms(board: SiteBoard) -> Sequence[tuple[str, str]]:
    terms = dict[str, str]()
    for document in board.board.documents.values():
        groups, notes = document["metric_groups"], document["metric_notes"]
        for metric, (label, over) in document["metric_labels"].items():
            interval = f"interval over {over}" if over else ""
            facts = [groups.get(metric, ""), notes.get(metric, ""), interval]
            terms.setdefault(label or metric.replace("_", " "), "; ".join(filter(None, facts)))
    return list(terms.items())
