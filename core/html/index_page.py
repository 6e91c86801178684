"""The entry of a site, its glossary, and the page that compares models by address."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..benchmark import Benchmark
from ..compare.boards import Board
from ..parties.graders import Panel
from ..reports.ratings import ranks
from .board_numbers import in_words, number_name
from .gather import Gathered, SiteBoard
from .plugin_parts import plugin_path
from .rendering import Page, page_of
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
                   rank=lambda row: ranks(row["rank"]), number=lambda row: in_words(row)[0],
                   absent=gathered.absent, date=date, demo=False,
                   pages=gathered.pages, page_path=plugin_path)  # fmt: skip


def first_documents(
    boards: Sequence[SiteBoard], documents: Mapping[str, SiteBoardDocument]
) -> list[SiteBoardDocument]:
    """The documents of all boards but those of one judge of a panel, which stand under it."""
    below = {key for keys in _of_panels(boards).values() for key in keys}
    return [documents[board.key] for board in boards if board.key not in below]


def _of_panels(boards: Sequence[SiteBoard]) -> dict[str, list[str]]:
    """Of each panel's board the boards of its judges, each alone, by their keys."""
    alike = dict[str, list[SiteBoard]]()
    for board in boards:
        alike.setdefault(board.board.benchmark.name, []).append(board)
    found = dict[str, list[str]]()
    for board in boards:
        others = alike[board.board.benchmark.name]
        found[board.key] = [o.key for o in others if _is_of(o.board.board, board.board.board)]
    return found


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
    return page_of(
        "glossary.html",
        "glossary.html",
        title="Glossary",
        entries=[_entry(name, board) for name, board in benchmarks.items()],
        demo=False,
    )


def _entry(name: str, board: SiteBoard) -> tuple[str, str, Sequence[tuple[str, str]]]:
    benchmark: Benchmark = board.board.benchmark
    found = dict[str, str]()
    for document in board.board.documents.values():
        notes = document["metric_notes"]
        groups = document["metric_groups"]
        for metric, (label, over) in document["metric_labels"].items():
            facts = [
                groups.get(metric, ""),
                notes.get(metric, ""),
                f"interval over {over}" if over else "",
            ]
            found.setdefault(label or metric.replace("_", " "), "; ".join(filter(None, facts)))
    return name, benchmark.title, list(found.items())
