"""Which result is a run's own, and what others beside it are called (docs/runs.md).

A run's own result is that of all its samples by the first grader of the whole run. A result of
a part that was asked for, or by another judge or other grading options, is a view: it is kept
beside, under a name that says what it is, and replaces nothing. When what the judge is sent or
how its words are read has changed, the new result is the run's own, and the old one a view.

`write_document` puts a result as a file beside the journal.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import JournalError
from ..journal.temporary import replacing
from ..parties.party import is_imported
from ..reports.comparability import judge_in
from ..reports.evidence import Selection
from ..reports.suggestions import bench
from ..settings.run_config import RunConfig
from ..text import as_text, plain
from ..types import digest
from ..types.result_document import ResultDocument
from .recorded import RecordedRun

_LONGEST = 40
"""Characters of the items' ids that stand in a name; more of them are counted."""
_LONGEST_SLUG = 60


def view_of(
    run: RecordedRun, config: RunConfig, selection: Selection, *, whole: bool = False
) -> str | None:
    """What a result is called beside the run's own; ``None`` where it is the run's own.

    Args:
        run: The run.
        config: How the result was asked for.
        selection: Its samples.
        whole: They count as the whole run, whatever else the journal holds of it.
    """
    parts = [] if whole else [*_part_of(run, config, selection)]
    document = run.document
    if document is not None and not _may_replace(document, config, selection, partial=bool(parts)):
        parts = [*_graded_otherwise(document, config), *parts]
    return _joined(parts)


def view_by(run: RecordedRun, config: RunConfig) -> str | None:
    """What a result by another judge, or with other options, is called beside a run's own."""
    return _joined(_graded_otherwise(run.document, config)) if run.document else None


def _joined(parts: Iterable[str]) -> str | None:
    return ".".join(map(_slug, parts)) or None


def _part_of(run: RecordedRun, config: RunConfig, selection: Selection) -> Iterator[str]:
    """Names of the part of the run's samples that was asked for; none where it is all of them."""
    held = run.samples_begun | run.samples_done
    if held <= selection.samples:
        return
    if config.limit:
        yield f"limit-{config.limit}"
    elif config.items:
        message = "-".join(config.items)
        short = len(message) <= _LONGEST
        yield f"items-{message if short else f'{len(config.items)}-{digest(config.items)[:6]}'}"
    if any(iteration > selection.iterations for _, iteration in held):
        yield f"iterations-{selection.iterations}"


def _may_replace(
    document: ResultDocument, config: RunConfig, selection: Selection, *, partial: bool
) -> bool:
    """Whether any grader's result takes the place of the stored one.

    That is where nobody has graded the whole run yet, and this one is of no fewer samples or no
    more can come, as the run was imported; or where it was graded only without the judge that it
    needs.
    """
    if partial:
        return False
    unjudged = document["judge"] is None and config.judge is not None
    whole = selection.total >= document["items"]["total"] or is_imported(config.model.spec)
    return bool(unjudged or (document["items"]["pending"] and whole))


def _graded_otherwise(document: ResultDocument, config: RunConfig) -> Iterator[str]:
    """Names of the judge and of the grading options that are not those of a run's own result."""
    judge, theirs = config.judge, judge_in(document)
    if judge != theirs:
        alike = judge and theirs and judge.short == theirs.short
        yield "no-judge" if judge is None else f"judge-{judge if alike else judge.short}"
    for name, value in config.benchmark.grade_options(config.options).items():
        if document["options"].get(name, value) != value:
            yield f"{name}-{plain(value)}"


def _slug(text: str) -> str:
    """A part of a view's name; with a digest where another text could come to the same."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-")
    if len(slug) <= _LONGEST_SLUG and re.fullmatch(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)?", text):
        return slug
    return f"{slug[:_LONGEST_SLUG]}-{digest(text)[:6]}".strip("-")


def keep_result(
    run: RecordedRun,
    document: ResultDocument,
    *,
    seconds: float = 0.0,
    finished: bool,
    status: str | None = None,
) -> None:
    """Store a result, as the run's own or as the view of it that the document says.

    Args:
        run: The run, as it was before the command.
        document: The result.
        seconds: How long the command has worked.
        finished: Whether the run is, after the command.
        status: Of the run, where it is not that of its result.
    """
    journal, record = run.journal, run.record
    if view := document["view"]:
        journal.add_view(record, view, document)
        journal.end_run(record, run.status, seconds=seconds, finished=None)
        return
    _keep_earlier(run, document)
    status = status or document["status"]
    journal.end_run(record, status, seconds=seconds, finished=finished, document=document)


def _keep_earlier(run: RecordedRun, document: ResultDocument) -> None:
    """Keep the run's own result as a view, where this one is of the same judge asked otherwise."""
    journal, earlier_result = run.journal, run.document
    if (
        earlier_result is None
        or earlier_result["items"]["pending"]
        or judge_in(earlier_result) != judge_in(document)
    ):
        return
    if (before := earlier_result["grader"]) is None or before == document["grader"]:
        return
    view = f"grader-{before[:6]}"
    earlier: ResultDocument = {**earlier_result, "view": view}
    journal.add_view(run.record, view, earlier)
    write_document(journal.folder, earlier)


def plain_file_name(name: str) -> str:
    """A model's name as a file may have it anywhere."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "run"


def document_path(folder: Path, name: str, run_id: str | None, view: str | None = None) -> Path:
    """Where a run's document is kept: ``NAME-ID.json``, and a view ``NAME-ID.VIEW.json``."""
    return folder / f"{plain_file_name(name)}-{run_id}{f'.{view}' if view else ''}.json"


def write_document(folder: Path, document: ResultDocument) -> Path:
    """Put a run's document beside the journal, whole or not at all.

    Raises:
        JournalError: It cannot be written.
    """
    path = document_path(folder, document["name"], document["run_id"], document["view"])
    try:
        with replacing(path) as file:
            file.write(as_text(document).encode() + b"\n")
    except OSError as error:
        raise JournalError(
            f"cannot write {path}: {error.strerror}; the journal holds the result, "
            f"{bench('show', document['run_id'])} prints it"
        ) from error
    return path
