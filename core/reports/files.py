"""The result document as a file beside the journal."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import JournalError
from ..hints import bench
from ..journal.temporary import replacing
from ..text import as_text


def document_path(folder: Path, document: Mapping[str, Any]) -> Path:
    """Where a run's document is kept: ``NAME-ID.json``, and a view ``NAME-ID.VIEW.json``."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", document["name"]).strip("-.")[:80] or "run"
    view = f".{document['view']}" if document.get("view") else ""
    return folder / f"{slug}-{document['run_id']}{view}.json"


def write_document(folder: Path, document: Mapping[str, Any]) -> Path:
    """Put a run's document beside the journal, whole or not at all.

    Raises:
        JournalError: It cannot be written.
    """
    path = document_path(folder, document)
    try:
        with replacing(path) as file:
            file.write(as_text(document).encode() + b"\n")
    except OSError as error:
        raise JournalError(
            f"cannot write {path}: {error.strerror}; the journal holds the result, "
            f"{bench('show', document['run_id'])} prints it"
        ) from error
    return path
