"""The table of how a run's kinds of scenario did."""

from collections.abc import Mapping
from typing import Any

from eibench import ReportSection, Table


def kinds_table(document: Mapping[str, Any]) -> Table | None:
    """A row per kind of scenario; nothing for a run that asked for no verdicts."""
    notes = document["notes"]
    if not notes.get("kinds") or not document["judge"]:
        return None
    columns = ("kind of scenario", "items", "scored", "unscored", "rubric score")
    rows = [
        (name, row["items"], row["scored"], row["unscored"], row["rubric_score"])
        for name, row in notes["kinds"].items()
    ]
    judge = notes["judge"]
    note = (
        f"judge: {judge['re_asked']} asked again, {judge['repaired']} repaired, "
        f"{judge['unread']} unread"
    )
    return Table("Kinds of scenario", columns, rows, note=note)


SECTION = ReportSection("eqbench3-kinds", "eqbench3", kinds_table)
