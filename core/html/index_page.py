"""Pages of a whole site: the entry, comparing by address, the glossary."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..compare.boards import Board
from ..parties.graders import Panel
from .board_numbers import in_chart, number_name
from .gather import Gathered, SiteBoard
from .plugin_parts import plugin_path
from .rendering import Page, glossary, page_of
from .shapes import SiteBoardDocument, SiteRow

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
