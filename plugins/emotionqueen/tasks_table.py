"""The table of how a run's tasks did."""

from eibench import ResultDocument, Table

from .rates import LEAST

_KEYS = ("statements", "samples", "scored", "unscored", "pass_rate", "win_rate", "win_given_pass")


def tasks_table(document: ResultDocument) -> Table | None:
    """A row per task; nothing for a run without samples."""
    tasks = document["notes"].get("tasks")
    if not tasks:
        return None
    columns = (
        "task",
        "statements",
        "samples",
        "scored",
        "unscored",
        "PASS",
        "WIN",
        "WIN given PASS",
    )
    rows = [
        (
            name.replace("-", " "),
            *(row[key] for key in _KEYS),
        )
        for name, row in tasks.items()
    ]
    judge = document["notes"]["judge"]
    note = (
        f"No rate stands on fewer than {LEAST} statements. "
        f"judge: {judge['re_asked']} asked again, {judge['unread']} unread"
    )
    return Table("Tasks", columns, rows, note=note)
