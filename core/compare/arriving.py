"""Runs of a file into a folder's journal, each with a result that follows from what it holds."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

from ..errors import BenchError
from ..journal import Journal
from ..journal.archives import read_lines
from ..journal.file import demo_folder, has_journal
from ..journal.merging import Imported
from ..journal.transfer import StagedResult, import_lines
from ..reports.changes import Change, changes_of
from ..runs.results import write_document
from ..runs.stored_run import StoredRun
from ..text import number
from ..types.result_document import ResultDocument
from .rerating import rated_again

AS_SAID = "its numbers are those of the file that it was imported from, and were not computed again"
"""A warning of a result whose benchmark or data was not here."""


class Arrival(NamedTuple):
    """What became of a run of a file, and what to know of its numbers; empty for nothing."""

    imported: Imported
    note: str


def import_runs(
    folder: Path, path: Path, lines: Iterable[tuple[int, bytes]] | None = None
) -> list[Arrival]:
    """Add the runs of a file that `bench export` wrote; what became of each.

    A result whose numbers do not follow from the run's grades and comparisons is made anew.
    `lines` are those of the file with their numbers, if it has to be read otherwise.

    Raises:
        DataError: The file is not as it must be, or a run does not continue what is here.
        JournalError: The journal cannot be used, or another process owns one of the runs.
    """
    notes = dict[str, str]()

    def results(journal: Journal) -> Iterator[StagedResult]:
        for run in journal.runs():
            stored = StoredRun(journal, run)
            if stored.document is not None:
                document, notes[run.run_id] = _checked(stored, stored.document)
                yield StagedResult(run, document, run.status, run.finished_at is not None)

    done = import_lines(folder, path, lines or read_lines(path), results)
    put_results(folder, done)
    return [Arrival(one, one.changed * notes.get(one.run_id, "")) for one in done]


def put_results(folder: Path, done: Iterable[Imported]) -> None:
    """Put the results of runs that an import has changed beside the journal."""
    changed = [imported.run_id for imported in done if imported.changed]
    for runs_dir in filter(has_journal, dict.fromkeys((folder, demo_folder(folder)))):
        with Journal(runs_dir, create=False) as journal:
            for run_id in changed:
                run = journal.find_run(run_id)  # of the other kind, or deleted since, it is none
                if run and (document := journal.document(run)):
                    write_document(runs_dir, document)


def _checked(stored: StoredRun, document: ResultDocument) -> tuple[ResultDocument, str]:
    """A run's result with the numbers that its grades and comparisons come to, and why."""
    warnings = [text for text in document["warnings"] if text != AS_SAID]
    try:
        today = stored.computed(document, partial(rated_again, stored.journal, stored.record))
    except BenchError as error:
        note = f"its numbers are those of the file, as they cannot be computed here: {error}"
        rated = " and its ratings are left out" * bool(document["ratings"])
        return _unrated({**document, "warnings": [*warnings, AS_SAID]}), note + rated
    changes = [_in_words(change) for change in changes_of(document, today)]
    if not changes and document["ratings"] != today["ratings"]:
        changes = ["other ratings"]
    if not changes and document["items"] == today["items"]:
        return {**document, "warnings": warnings}, ""
    listed = ", ".join(changes) or "other counts of samples"
    note = f"its numbers are those of its grades and comparisons: {listed}"
    return today, note


def _unrated(document: ResultDocument) -> ResultDocument:
    """A result without ratings, nor what follows from them."""
    judges = [
        {k: v for k, v in row.items() if k != "ratings"} for row in document.get("judges", ())
    ]
    judged = {"judges": judges} if judges else {}
    return cast(ResultDocument, {**document, "ratings": [], "conclusions": [], **judged})


def _in_words(change: Change) -> str:
    return f"{change.metric} {number(change.new.value)} instead of {number(change.old.value)}"
