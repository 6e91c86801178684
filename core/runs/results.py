"""Which result is a run's own, and where it is kept (docs/runs.md).

A run's own result is that of all its samples by the first grader of the whole run. One of a part
that was asked for, or by another judge or other grading options, replaces nothing: it is computed
from the grades when it is asked for. When what the judge is sent or how its words are read has
changed, the new result is the run's own.

`write_document` puts a result as a file beside the journal.
"""

import re
from pathlib import Path

from ..errors import JournalError
from ..journal.temporary import replacing
from ..parties.party import is_imported
from ..reports.comparability import judge_in
from ..reports.evidence import Selection
from ..reports.suggestions import bench
from ..settings.run_config import RunConfig
from ..text import as_text
from ..types.result_document import ResultDocument
from .recorded import RecordedRun


def is_main(
    run: RecordedRun, config: RunConfig, selection: Selection, *, whole: bool = False
) -> bool:
    """Whether a result is the run's own.

    Args:
        run: The run.
        config: How the result was asked for.
        selection: Its samples.
        whole: They count as the whole run, whatever else the journal holds of it.
    """
    if not (whole or run.samples_begun | run.samples_done <= selection.samples):
        return False
    return (
        run.document is None
        or _may_replace(run.document, config, selection)
        or is_graded_alike(run.document, config)
    )


def _may_replace(document: ResultDocument, config: RunConfig, selection: Selection) -> bool:
    """Whether any grader's result takes the place of the stored one.

    That is where nobody has graded the whole run yet, and this one is of no fewer samples or no
    more can come, as the run was imported; or where it was graded only without the judge that it
    needs.
    """
    unjudged = document["judge"] is None and config.judge is not None
    whole = selection.total >= document["items"]["total"] or is_imported(config.model.spec)
    return bool(unjudged or (document["items"]["pending"] and whole))


def is_graded_alike(document: ResultDocument, config: RunConfig) -> bool:
    """Whether a run's own result has the judge and the grading options of a configuration."""
    options, stored = config.benchmark.grade_options(config.options), document["options"]
    same_judge = config.judge == judge_in(document)
    return same_judge and all(stored.get(name, value) == value for name, value in options.items())


def keep_result(
    run: RecordedRun,
    document: ResultDocument,
    *,
    seconds: float = 0.0,
    finished: bool,
    status: str | None = None,
) -> None:
    """Store a result where it is the run's own, and how the command ended.

    Args:
        run: The run, as it was before the command.
        document: The result.
        seconds: How long the command has worked.
        finished: Whether the run is, after the command.
        status: Of the run, where it is not that of its result.
    """
    journal, record = run.journal, run.record
    if not document["main"]:
        journal.end_run(record, run.status, seconds=seconds, finished=None)
        return
    status = status or document["status"]
    journal.end_run(record, status, seconds=seconds, finished=finished, document=document)


def plain_file_name(name: str) -> str:
    """A model's name as a file may have it anywhere."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "run"


def document_path(folder: Path, name: str, run_id: str | None) -> Path:
    """Where a run's document is kept: ``NAME-ID.json``."""
    return folder / f"{plain_file_name(name)}-{run_id}.json"


def write_document(folder: Path, document: ResultDocument) -> Path | None:
    """Put a run's own result beside the journal, whole or not at all; of another one no file is.

    Raises:
        JournalError: It cannot be written.
    """
    if not document["main"]:
        return None
    path = document_path(folder, document["name"], document["run_id"])
    try:
        with replacing(path) as file:
            file.write(as_text(document).encode() + b"\n")
    except OSError as error:
        raise JournalError(
            f"cannot write {path}: {error.strerror}; the journal holds the result, "
            f"{bench('show', document['run_id'])} prints it"
        ) from error
    return path
