"""Sections that plugins add to a report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.result_document import ResultDocument


@dataclass(frozen=True, slots=True)
class Table:
    """A small table with a note under it.

    Attributes:
        title: One line above it.
        columns: Their headings; a column of numbers is set to the right.
        rows: Cells as text or numbers, as many as there are columns.
        marked: Index of the row that is the reader's own, if there is one.
        note: What a reader must know to read it rightly.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]
    marked: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """What `register_report_sections` takes.

    Attributes:
        name: Unique among all plugins.
        benchmark: Whose results it belongs to.
        build: From a result document (docs/results.md) to a table, or ``None`` when it has
            nothing to say about that result.
    """

    name: str
    benchmark: str
    build: "Callable[[ResultDocument], Table | None]"
