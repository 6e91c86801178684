"""The result document as a file beside the journal."""

import re
from pathlib import Path

from ..errors import JournalError
from ..hints import bench
from ..journal.temporary import replacing
from ..result_document import ResultDocument
from ..text import as_text


def document_path(folder: Path, name: str, run_id: str | None, view: str | None = None) -> Path:
    """Where a run's document is kept: ``NAME-ID.json``, and a view ``NAME-ID.VIEW.json``."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "run"
    return folder / f"{slug}-{run_id}{f'.{view}' if view else ''}.json"


def write_document(folder: Path, document: ResultDocument) -> Path:
    """Put a run's document beside the journal, whole or not at all.

    Raises:
        JournalError: It cannot be written.
    """
    path = document_path(folder, document["name"], document["run_id"], document.get("view"))
    try:
        with replacing(path) as file:
            file.write(as_text(document).encode() + b"\n")
    except OSError as error:
        raise JournalError(
            f"cannot write {path}: {error.strerror}; the journal holds the result, "
            f"{bench('show', document['run_id'])} prints it"
        ) from error
    return path
