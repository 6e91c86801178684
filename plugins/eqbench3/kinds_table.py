"""The table of how a run's kinds of scenario did."""

from collections.abc import Sequence
from typing import TypedDict

from eibench import ResultDocument, Table

COLUMNS = ("kind of scenario", "scenarios", "samples", "scored", "unscored")
_Row = tuple[str, int, int, int, int, int, float | None]


def kinds_table(document: ResultDocument) -> Table | None:
    """A row per kind of scenario; nothing for a run that asked for no verdicts."""
    notes = document["notes"]
    if not notes.get("kinds") or not document["judge"]:
        return None
    iterations = document["iterations"]
    rows = [_row(name, row, iterations) for name, row in notes["kinds"].items()]
    judge = notes["judge"]
    note = (
        f"judge: {judge['re_asked']} asked again, {judge['repaired']} repaired, "
        f"{judge['unread']} unread"
    )
    columns = (*COLUMNS, _rest(document, rows), "rubric score")
    return Table("Kinds of scenario", columns, rows, note=note)


class _KindNotes(TypedDict):
    """What a result notes of a kind of scenario."""

    items: int
    scored: int
    unscored: int
    rubric_score: float | None


def _rest(document: ResultDocument, rows: Sequence[_Row]) -> str:
    """What became of samples that are neither scored nor unscored."""
    beyond = sum(row[2] for row in rows) - document["items"]["total"]
    if beyond <= 0:
        return "failed or to do"
    out = "not asked for" if document.get("imported") is None else "not imported"
    return out if beyond == sum(row[5] for row in rows) else f"failed, to do or {out}"


def _row(name: str, row: _KindNotes, iterations: int) -> _Row:
    """A kind's row: its samples are those scored, those unscored, and the rest."""
    scenarios, scored, unscored = row["items"], row["scored"], row["unscored"]
    samples = scenarios * iterations
    rest = samples - scored - unscored
    return name, scenarios, samples, scored, unscored, rest, row["rubric_score"]
