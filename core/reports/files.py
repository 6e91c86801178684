"""The result document as a file beside the journal."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import JournalError


def as_text(document: Mapping[str, Any]) -> str:
    """The document as JSON; NaN cannot be in it."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def document_path(folder: Path, document: Mapping[str, Any]) -> Path:
    """Where a run's document is kept: ``NAME-ID.json``."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", document["name"]).strip("-.")[:80] or "run"
    return folder / f"{slug}-{document['run_id']}.json"


def write_document(folder: Path, document: Mapping[str, Any]) -> Path:
    """Put a run's document beside the journal, whole or not at all.

    Raises:
        JournalError: It cannot be written.
    """
    path = document_path(folder, document)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(as_text(document) + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise JournalError(
            f"cannot write {path}: {error.strerror}; the journal holds the result, "
            f"bench show {document['run_id']} prints it"
        ) from error
    return path
