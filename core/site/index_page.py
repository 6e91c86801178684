"""The entry of a site, its glossary, and the page that compares models by address."""

from collections.abc import Mapping, Sequence

from ..benchmark import Benchmark
from ..pages.words import figure
from ..reports.ratings import ranks
from .gather import Gathered, SiteBoard
from .rendering import Page, page_of
from .shapes import SiteBoardDocument, SiteRow

SHOWN = 8
"""Models of a board that the entry names."""


def index_page(
    gathered: Gathered, documents: Mapping[str, SiteBoardDocument], date: str
) -> Page:  # fmt: skip
    """The entry: all boards with their first models, and what could not be shown."""
    boards = [(document, document["rows"][:SHOWN]) for document in documents.values()]
    return page_of(
        "index.html",
        "index.html",
        title="Boards",
        boards=boards,
        rank=_rank,
        number=_number,
        absent=gathered.absent,
        date=date,
        demo=any(document["demo"] for document in documents.values()),
    )


def _rank(row: SiteRow) -> str:
    return ranks(row["rank"])


def compare_page() -> Page:
    """The page whose script compares any two models that its address names."""
    return page_of("compare.html", "compare.html", title="Compare models", demo=False)


def _number(row: SiteRow) -> str:
    """What a model is ranked by."""
    return figure(row["score"]) if row["rating"] is None else figure(row["rating"], 0)


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
        notes = document.get("metric_notes", {})
        groups = document.get("metric_groups", {})
        for metric, (label, over) in document["metric_labels"].items():
            facts = [
                groups.get(metric, ""),
                notes.get(metric, ""),
                f"interval over {over}" if over else "",
            ]
            found.setdefault(label or metric.replace("_", " "), "; ".join(filter(None, facts)))
    return name, benchmark.title, list(found.items())
