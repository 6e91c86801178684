"""Comparisons of one item as people read them: against whom, in which order, who won, by what."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from ..journal import StoredComparison
from .columns import FitColumn, FitTable


class ItemComparison(TypedDict):
    """A comparison of a run's transcript; margins are positive where this run's model wins."""

    iteration: int
    opponent: str
    opponent_run: str
    asked_by: str
    judge: str
    first: bool
    status: str
    winner: str | None
    margins: Mapping[str, int]
    reason: str | None


def decoded(row: StoredComparison, run_id: str, *, public: bool = False) -> ItemComparison:
    """A comparison as the run of an id sees it; if it is public, without the host of its judge."""
    own = "a" if row.run_a == run_id else "b"
    sign = 1 if own == "a" else -1
    margins = {name: sign * margin for name, margin in row.margins.items()}
    return {
        "iteration": row.iteration,
        "opponent": row.b if own == "a" else row.a,
        "opponent_run": row.run_b if own == "a" else row.run_a,
        "asked_by": row.run_a,
        "judge": (row.judge.public if public else row.judge).label,
        "first": row.first == own,
        "status": row.status,
        "winner": _winner(margins) if row.status == "read" else None,
        "margins": margins,
        "reason": row.reason,
    }


def _winner(margins: Mapping[str, int]) -> str:
    """Who has more of all pluses."""
    total = sum(margins.values())
    return "draw" if not total else "this" if total > 0 else "opponent"


def comparisons_table(rows: Sequence[ItemComparison], name: str) -> FitTable:
    """A row a comparison; on a narrow terminal without the criteria and the judge."""
    shown = {"this": name, "draw": "draw", None: "not read"}
    winners = [shown.get(r["winner"], r["opponent"]) for r in rows]
    columns = [
        FitColumn("against", [row["opponent"] for row in rows]),
        FitColumn("shown", ["first" if row["first"] else "second" for row in rows]),
        FitColumn("winner", winners),
        FitColumn("pluses", [_pluses(row["margins"].values()) for row in rows]),
        FitColumn("by criterion", [row["reason"] or _criteria(row["margins"]) for row in rows], 1),
        FitColumn("judge", [row["judge"] for row in rows], 2),
    ]
    if len({row["iteration"] for row in rows}) > 1:
        columns.insert(0, FitColumn("iteration", [row["iteration"] for row in rows], 3))
    note = (
        f"pluses: of {name}, then of the other, over all criteria; with those of other runs; "
        "a wide terminal, a file and --json have the criteria"
    )
    return FitTable("Comparisons", columns, None, note)


def _pluses(margins: Iterable[int]) -> str:
    found = list(margins)
    return f"{sum(m for m in found if m > 0)} : {-sum(m for m in found if m < 0)}"


def _criteria(margins: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {margin:+d}" for name, margin in margins.items())
