"""Sections and pages that plugins add, and the parts that they are made of."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from ...types.result_document import ResultDocument


class Table(NamedTuple):
    """A small table with a note under it.

    Attributes:
        title: One line above it.
        columns: Their headings; a column of numbers is set to the right.
        rows: Cells as text or numbers, as many as there are columns.
        marked: Index of the row that is the reader's own, if there is one.
        note: What a reader must know to read it rightly.
        right: Indices of columns of text that are set to the right too, such as intervals.
        item_columns: Indices of columns of item ids, which the page of a run links.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]
    marked: int | None = None
    note: str = ""
    right: Collection[int] = ()
    item_columns: Collection[int] = ()


class Paragraph(NamedTuple):
    """A text: no markup, a blank line between paragraphs; the note as that of a `Table`."""

    text: str
    title: str = ""
    note: str = ""


class Series(NamedTuple):
    """Points that belong together, as x and y, and the names that stand beside them."""

    name: str
    points: Sequence[tuple[float, float]]
    names: Sequence[str] = ()


class Plot(NamedTuple):
    """Series of points over a plane; a terminal shows their numbers as a table.

    Attributes:
        title: One line above it.
        series: At most six.
        x: What is across.
        y: What is up.
        kind: Whether a line goes through the points of a series.
        note: What a reader must know to read it rightly.
    """

    title: str
    series: Sequence[Series]
    x: str
    y: str
    kind: Literal["lines", "points"] = "points"
    note: str = ""


class Drawing(NamedTuple):
    """A drawing of a plugin's own; a terminal shows its title and note.

    Attributes:
        title: What is to be seen, for those who cannot see it.
        svg: Shapes, texts and their attributes; see `sections.drawings` for what is allowed.
        note: What a reader must know to read it rightly.
    """

    title: str
    svg: str
    note: str = ""


class Control(NamedTuple):
    """A number that the reader of a page can change.

    Attributes:
        name: How formulas call it.
        label: What stands beside it.
        default: Its value at first, and in a terminal.
        low: Its lowest value.
        high: Its highest.
        step: From one value to the next.
    """

    name: str
    label: str
    default: float
    low: float
    high: float
    step: float


class Output(NamedTuple):
    """A number that follows from controls and columns.

    Attributes:
        label: What it is called.
        formula: Names of controls and columns, numbers, ``+ - * / **``, brackets, ``abs``,
            ``sqrt``, ``log`` and ``exp``, of columns also ``sum``, ``mean``, ``min``, ``max`` and
            ``count``; arithmetic of columns is row by row.
        digits: After the decimal point.
    """

    label: str
    formula: str
    digits: int = 2


class Controls(NamedTuple):
    """Numbers to change, and what follows from them: computed on the page, as in a terminal.

    Attributes:
        title: One line above them.
        controls: By what a reader changes the outputs.
        outputs: What is computed.
        columns: Numbers by name, equally many in each.
        note: What a reader must know to read it rightly.
    """

    title: str
    controls: Sequence[Control]
    outputs: Sequence[Output]
    columns: Mapping[str, Sequence[float]] = {}
    note: str = ""


Part = Table | Paragraph | Plot | Drawing | Controls
"""What sections and pages are made of."""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """What `register_report_sections` takes.

    Attributes:
        name: Unique among all plugins.
        benchmark: Whose results it belongs to; ``None`` for those of all.
        build: From a result document (docs/results.md) to a part or several, or ``None`` when it
            has nothing to say about that result.
        reads_runs: `build` also takes runs (`StoredRun`): that of the result, then those that
            stand beside it on its board. Only the report of one run and models' pages of a site
            of at most 500 samples, where texts may be shown, have such a section.
    """

    name: str
    benchmark: str | None
    build: "Callable[..., Part | Sequence[Part] | None]"
    reads_runs: bool = False


@dataclass(frozen=True, slots=True)
class ReportPage:
    """What `register_pages` takes: a page of `bench view` and `bench site`.

    Attributes:
        name: Unique among all plugins, and the name of its file.
        title: Its heading.
        build: From the result documents of all runs on the site, or of one benchmark, to its
            parts; ``None`` for no page.
        benchmark: Whose results it is given; ``None`` for those of all.
    """

    name: str
    title: str
    build: "Callable[[Sequence[ResultDocument]], Part | Sequence[Part] | None]"
    benchmark: str | None = None
