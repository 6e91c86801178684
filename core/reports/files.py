"""The result document as a file beside the journal."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import JournalError
from ..hints import bench
from ..journal.temporary import replacing


def as_text(document: Mapping[str, Any]) -> str:
    """The document as JSON, safe for a terminal; NaN cannot be in it."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return _UNSAFE.sub(lambda m: _escaped(ord(m.group())), text)


# What a terminal would obey, or UTF-8 cannot hold. JSON has them in strings only.
_UNSAFE = re.compile(
    r"[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)


def _escaped(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


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
