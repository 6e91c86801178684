"""The table that says how steady runs are from one iteration to the next."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..hooks.sections import Table
from ..text import interval, number

if TYPE_CHECKING:
    from ..statistics.steadiness import SteadinessRow

ONE_TEXT = "one text"
"""What stands in the place of a spread where all repeats are one text."""
_NOTE = "worst of k: the mean over items of the worst iteration"
_YES_NO = "; flips: items whose verdict is not always the same; pass^k: yes in all iterations"


def steadiness_table(rows: "Sequence[SteadinessRow]") -> Table:
    """A row for each number, but where repeats are one text; the model is named among several."""
    several = len({row.model for row in rows}) > 1
    columns = (*["model"] * several, "value", "what", "k", "items", "number", "95 %")
    cells: list[tuple[str | float | None, ...]] = [
        (*[r.model] * several, r.metric, r.what, r.k, r.items, *steady_number(r)) for r in rows
    ]
    note = _NOTE + _YES_NO * any(row.what == "flips" for row in rows)
    note = "\n".join([note, *notes_of(rows)])
    return Table("From one iteration to the next", columns, cells, note=note)


def steady_number(row: "SteadinessRow") -> tuple[str, str]:
    """A number and its interval; `ONE_TEXT` where it is that of one text, repeated."""
    return (ONE_TEXT, "") if row.note else (number(row.value), interval(row.ci95))


def notes_of(rows: "Iterable[SteadinessRow]") -> list[str]:
    """What is to be known of rows, each thing once."""
    return list(dict.fromkeys(f"{row.model}: {row.note}" for row in rows if row.note))
