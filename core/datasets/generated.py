"""Files of generated items: never over another file, never among bundled packs, with provenance."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from ..errors import DataError, UsageError
from ..journal.temporary import replacing
from ..text import as_text
from ..types import JsonObject


def provenance_path(output: Path) -> Path:
    """Where it is said how the items of a file came to be."""
    return output.with_name(f"{output.name}.provenance.json")


def check_place(output: Path, packs: Path | None) -> None:
    """Refuse a place where generated items may not go.

    Raises:
        UsageError: Something is there, or it is among the packs.
    """
    if packs is not None and output.resolve().is_relative_to(packs.resolve()):
        raise UsageError(f"{output} is among bundled packs; generated data is kept apart")
    for path in (output, provenance_path(output)):
        if path.exists() or path.is_symlink():
            raise UsageError(f"{path} is there already; remove it, or name another file with -o")


def write_generated(output: Path, lines: Sequence[JsonObject], provenance: JsonObject) -> str:
    """The SHA-256 of the items' file, once it and its provenance are written.

    Raises:
        DataError: They cannot be written.
    """
    rows = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in lines]
    data = "".join(f"{row}\n" for row in rows).encode()
    sha256 = hashlib.sha256(data).hexdigest()
    file = {"name": output.name, "sha256": sha256, "items": len(rows)}
    _put(provenance_path(output), (as_text({**provenance, "file": file}) + "\n").encode())
    _put(output, data)
    return sha256


def _put(path: Path, data: bytes) -> None:
    """A file, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(data)
    except OSError as error:
        message = f"cannot be written: {error.strerror}; the journal holds what it would say"
        raise DataError(path, message) from None
