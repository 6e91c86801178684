"""Pages of a whole site: the entry, comparing by address, the glossary."""

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from markupsafe import Markup

from ..compare.boards import Board
from ..parties.graders import Panel
from ..reports.ratings import ranks
from ..reports.statements import which_end
from .charts.rows import in_small
from .charts.svg import Axis, Ends, axis_over, figure
from .gather import Gathered, SiteBoard
from .plugin_parts import plugin_path
from .rendering import Page, glossary, page_of
from .shapes import SiteBoardDocument, SiteRow

OPEN = 4
"""Sentences of benchmarks that are shown at first; more are folded."""


class IndexCell(NamedTuple):
    """A model on a board: its row there, its number with the ranks it may have, and marks.

    `unlike` says what the number is where it is not that of its column.
    """

    row: SiteRow
    number: str
    rank: str
    drawn: Markup | str
    marks: Sequence[str]
    unlike: str = ""


class IndexColumn(NamedTuple):
    """A board: what its numbers are, which end is better, its axis, and cells by model."""

    document: SiteBoardDocument
    number: str
    end: str
    lower: bool
    axis: Axis
    cells: Mapping[str, IndexCell]

    @property
    def positions(self) -> Mapping[str, tuple[float, int]]:
        """Of models with a number the middle of the ranks they may have, and the place by it."""
        ranked = {model: cell.row for model, cell in self.cells.items() if cell.drawn}
        return {
            model: (fmean(row["rank"] or (n, n)), n)
            for n, (model, row) in enumerate(ranked.items(), 1)
        }


class IndexRow(NamedTuple):
    """A model: a cell for each column, and the other boards where it stands, if it has none."""

    model: str
    href: str | None
    cells: Sequence[IndexCell | None]
    elsewhere: Sequence[SiteBoardDocument]


class IndexBoards(NamedTuple):
    """The boards of a site: of each benchmark the one that is meant first, and the others.

    `of_judges` are the keys of those of one judge of a panel.
    """

    meant: Sequence[SiteBoardDocument]
    others: Sequence[SiteBoardDocument]
    of_judges: Collection[str] = ()


def index_boards(
    boards: Sequence[SiteBoard], documents: Mapping[str, SiteBoardDocument]
) -> IndexBoards:
    """The boards of a site, as its entry has them."""
    first = dict[str, SiteBoardDocument]()
    for board in boards:
        first.setdefault(board.board.benchmark.name, documents[board.key])
    meant = [*first.values()]
    of_judges = {key for keys in _of_panels(boards).values() for key in keys}
    return IndexBoards(meant, [d for d in documents.values() if d not in meant], of_judges)


def index_page(boards: IndexBoards, gathered: Gathered, date: str) -> Page:
    """The entry: models by benchmarks, the other boards, and what could not be shown."""
    columns = [_column(document) for document in boards.meant]
    return page_of("index.html", "index.html", title="Results", columns=columns,
                   rows=_rows(columns, boards.others), boards=boards, absent=gathered.absent,
                   date=date, broad=True, open=OPEN, pages=gathered.pages,
                   left_out=bool(gathered.selection.left_out), page_path=plugin_path)  # fmt: skip


def first_documents(
    boards: Sequence[SiteBoard], documents: Mapping[str, SiteBoardDocument]
) -> list[SiteBoardDocument]:
    """The documents of all boards but those of one judge of a panel."""
    below = {key for keys in _of_panels(boards).values() for key in keys}
    return [documents[board.key] for board in boards if board.key not in below]


def _column(document: SiteBoardDocument) -> IndexColumn:
    rows = [(row, *_number(document, row)) for row in document["rows"]]
    axis = axis_over([n for _, value, ci95 in rows for n in (value, *(ci95 or ()))])
    rated, metric = document["rated"], document["metric"]
    higher = rated or metric["higher_is_better"]
    cells = {_model(row): _cell(document, row, axis) for row in document["rows"]}
    name = "rating" if rated else metric["label"]
    return IndexColumn(document, name, which_end(higher), higher is False, axis, cells)


def _model(row: SiteRow) -> str:
    """What rows of several boards have in common where they are of one model."""
    return row["href"] or row["model"]


def _number(board: SiteBoardDocument, row: SiteRow) -> tuple[float | None, Ends | None]:
    """What the board ranks by; nothing of a model without a rating among rated ones."""
    rating, score = (row["rating"], row["rating_ci95"]), (row["score"], row["score_ci95"])
    return rating if board["rated"] else score


def _cell(board: SiteBoardDocument, row: SiteRow, axis: Axis) -> IndexCell:
    value, ci95 = _number(board, row)
    digits = 0 if board["rated"] else 2
    marks = [row["first"], row["short_of"], "partial" if row["partial"] else ""]
    marks += [row["status"]] if row["status"] not in (None, "complete") else []
    marks += ["asked otherwise"] if row["changed"] else []
    drawn = "" if value is None else in_small(axis, value, ci95, digits)
    number, unlike = figure(value, digits), ""
    if value is None and row["score"] is not None:
        number, unlike = figure(row["score"]), f"{board['metric']['label']}, not rated"
    return IndexCell(row, number, ranks(row["rank"]), drawn, [*filter(None, marks)], unlike)


def _rows(columns: Sequence[IndexColumn], others: Sequence[SiteBoardDocument]) -> list[IndexRow]:
    """The models: those of most benchmarks first, then by mean rank, mean place and name.

    Of a model without a column's number, the other boards.
    """
    rows = dict[str, SiteRow]()
    elsewhere = dict[str, list[SiteBoardDocument]]()
    for column in columns:
        rows |= {model: cell.row for model, cell in column.cells.items()}
    for document in others:
        for row in document["rows"]:
            rows.setdefault(_model(row), row)
            elsewhere.setdefault(_model(row), []).append(document)

    positions = [column.positions for column in columns]

    def order(model: str) -> tuple[int, float, float, str]:
        known = [of[model] for of in positions if model in of]
        middle, number = (fmean(values) for values in zip(*known or [(0.0, 0)], strict=True))
        return -len(known), middle, number, rows[model]["model"]

    return [
        IndexRow(
            rows[model]["model"],
            rows[model]["href"],
            cells := [column.cells.get(model) for column in columns],
            [] if any(cells) else elsewhere[model],
        )
        for model in sorted(rows, key=order)
    ]


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
    asked = tuple(pair for pair in panel.judge_asked if pair[0] == one.judge)
    like = one._replace(judge=panel.judge, judge_asked=panel.judge_asked)
    return one.judge in members and one.judge_asked == asked and like == panel


def compare_page() -> Page:
    """The page whose script compares any two models that its address names."""
    return page_of("compare.html", "compare.html", title="Compare models")


def glossary_page(boards: Sequence[SiteBoard]) -> Page:
    """What benchmarks and metrics are, in the words of their plugins."""
    benchmarks = {board.board.benchmark.name: board for board in boards}
    entries = [
        (name, board.board.benchmark.title, _terms(board)) for name, board in benchmarks.items()
    ]
    return page_of("glossary.html", "glossary.html", title="Glossary", general=glossary(),
                   entries=entries)  # fmt: skip


def _terms(board: SiteBoard) -> Sequence[tuple[str, str]]:
    terms = dict[str, str]()
    for document in board.board.documents.values():
        groups, notes = document["metric_groups"], document["metric_notes"]
        for metric, (label, over) in document["metric_labels"].items():
            interval = f"interval over {over}" if over else ""
            facts = [groups.get(metric, ""), notes.get(metric, ""), interval]
            terms.setdefault(label or metric.replace("_", " "), "; ".join(filter(None, facts)))
    return list(terms.items())
