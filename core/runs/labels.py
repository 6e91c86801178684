"""Labels of people into a journal: all of them, or none."""

from collections.abc import Iterable
from pathlib import Path

from ..errors import UsageError
from ..journal import Journal, PersonLabel


def keep_labels(folder: str | Path, labels: Iterable[tuple[str, PersonLabel]]) -> int:
    """Store what people gave transcripts, each with the id of the run that it is of; how many.

    Raises:
        JournalError: There is no journal, or it cannot be written.
        UsageError: The journal does not have one of the runs, or has an answer of that person to
            that entry already; nothing is stored then.
    """
    rows = list(labels)
    with Journal(Path(folder), create=False) as journal:
        runs = {run.run_id: run for run in journal.runs()}
        if missing := sorted({run_id for run_id, _ in rows} - runs.keys()):
            raise UsageError(f"{folder} has no run {', '.join(missing)}, which labels are of")
        known = {
            (one.label_set, one.entry, one.person)
            for run_id in {run_id for run_id, _ in rows}
            for one in journal.labels(runs[run_id])
        }
        for _, row in rows:
            if (row.label_set, row.entry, row.person) in known:
                raise UsageError(f"{row.person} has answered {row.entry} of this set already")
            known.add((row.label_set, row.entry, row.person))
        journal.add_labels((runs[run_id], row) for run_id, row in rows)
    return len(rows)
