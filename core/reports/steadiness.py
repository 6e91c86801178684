"""The table that says how steady runs are from one iteration to the next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..hooks.sections import Table
from ..text import interval, number

if TYPE_CHECKING:
    from ..statistics.steadiness import SteadinessRow

_NOTE = "worst of k: the mean over items of the worst iteration"
_YES_NO = "; flips: items whose verdict is not always the same; pass^k: yes in all iterations"


def steadiness_table(rows: "Sequence[SteadinessRow]") -> Table:
    """A row for each number; the model is named where there are several."""
    several = len({row.model for row in rows}) > 1
    columns = (*["model"] * several, "value", "what", "k", "items", "number", "95 %")
    cells: list[tuple[str | float | None, ...]] = [
        (*[r.model] * several, r.metric, r.what, r.k, r.items, number(r.value), interval(r.ci95))
        for r in rows
    ]
    note = _NOTE + _YES_NO * any(row.what == "flips" for row in rows)
    return Table("From one iteration to the next", columns, cells, note=note)
