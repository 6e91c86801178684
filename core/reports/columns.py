"""Columns that know how to be narrower: which are shortened or left out first."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

Cell = str | float | None
T = TypeVar("T")


NAME = 30
"""Characters of a model's name where there is little room."""


class FitColumn(NamedTuple):
    """A column of a table that must fit: left out at step `drop` (1 first, 0 never).

    Its cells give way to the `brief` ones at step `shorten`, to `least`, shorter still, at `again`.
    """

    heading: str
    cells: Sequence[Cell]
    drop: int = 0
    brief: Sequence[Cell] | None = None
    shorten: int = 0
    least: Sequence[Cell] | None = None
    again: int = 0


class Span(NamedTuple):
    """A value and the ends of its interval; an end may be open."""

    value: float | None
    ends: Sequence[float | None] | None


class FitTable(NamedTuple):
    """A table of such columns.

    Attributes:
        marked: Index of the reader's own row.
        spans: Values with their intervals, one for each row, drawn where there is room.
        drawn_after: The heading of the column that the drawing follows.
        unboxed: Whether its box goes before columns that are left out late, after `SPARED`.
    """

    title: str
    columns: Sequence[FitColumn]
    marked: int | None = None
    note: str = ""
    spans: Sequence[Span] = ()
    drawn_after: str = ""
    unboxed: bool = False

    def of(self, most: int) -> "FitTable":
        """The same of so many rows: the first ones, and the marked one in place of the last."""
        kept = list(range(most))
        if self.marked is not None and self.marked >= most:
            kept[-1] = self.marked

        def chosen(cells: Sequence[T]) -> list[T]:
            return [cells[n] for n in kept if n < len(cells)]

        columns = [
            c._replace(
                cells=chosen(c.cells), brief=c.brief and chosen(c.brief),
                least=c.least and chosen(c.least),
            )
            for c in self.columns
        ]  # fmt: skip
        marked = None if self.marked is None else kept.index(self.marked)
        return self._replace(columns=columns, spans=chosen(self.spans), marked=marked)


SPARED = 6
"""Up to this step a drawing is worth more than what is left out."""


def narrowings(columns: Sequence[FitColumn]) -> list[tuple[int, list[FitColumn]]]:
    """The columns as they are, then ever narrower ones, each with its step."""
    steps = [(c.shorten, n, c.brief) for n, c in enumerate(columns) if c.shorten]
    steps += [(c.again, n, c.least) for n, c in enumerate(columns) if c.again]
    steps += [(c.drop, n, None) for n, c in enumerate(columns) if c.drop]
    left: dict[int, FitColumn] = dict(enumerate(columns))
    steps_done = [(0, list(columns))]
    for step, n, cells in sorted(steps, key=lambda step: step[:2]):
        if cells is None:
            left.pop(n, None)
        elif n in left:
            left[n] = left[n]._replace(cells=cells)
        steps_done.append((step, list(left.values())))
    return steps_done
