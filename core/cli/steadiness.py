"""`bench leaderboard --steadiness`: what iterations say of each model, beside its score."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..compare.boards import Boards
from ..compare.leaderboard import Leaderboard, LeaderboardDocument
from ..hooks.sections import Table
from ..reports.steadiness import notes_of, steady_number

if TYPE_CHECKING:
    from ..statistics.steadiness import SteadinessRow

Steady = Mapping[str, "Sequence[SteadinessRow]"]
"""Of each model the rows of the value that stands first; empty with one iteration."""


def steadiness_on(boards: Boards, board: Leaderboard) -> Steady:
    """Of the runs of a board, by its judge."""
    rows = {
        name: boards.stored(run).steadiness(judge=board.board.judge)
        for name, run in board.runs.items()
    }
    return {name: [r for r in each if r.metric == each[0].metric] for name, each in rows.items()}


def steady_table(document: LeaderboardDocument, steady: Steady) -> Table:
    """A row for each model of the board, in its order; a dash for what one iteration cannot say."""
    models = [row["model"] for row in document["rows"]]
    by_model = {model: {row.what: row for row in steady.get(model, ())} for model in models}
    headings = list(dict.fromkeys(what for rows in by_model.values() for what in rows))
    cells: list[tuple[str | float | None, ...]] = [
        (model, _iterations(rows), *(_cell(rows.get(what)) for what in headings))
        for model, rows in by_model.items()
    ]
    names = sorted({row.metric for rows in by_model.values() for row in rows.values()})
    note = f"of {', '.join(names)}" if names else "no model was asked twice: --iterations 2 or more"
    note = "\n".join([note, *notes_of([row for rows in steady.values() for row in rows])])
    return Table("From one iteration to the next", ("model", "k", *headings), cells, note=note)


def _iterations(rows: "Mapping[str, SteadinessRow]") -> int:
    return next((row.k for row in rows.values()), 1)


def _cell(row: "SteadinessRow | None") -> str:
    if row is None:
        return "–"
    value, ends = steady_number(row)
    return f"{value} ({ends})" if row.ci95 and ends else value
