"""Checksums of changed rows and lines, for tests that change them behind the program's back."""

import json
import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from eibench.core.journal.tables import Checked


def add_functions(table: Checked, database: sqlite3.Connection) -> None:
    """Let SQL make the checksums of a table's rows, such as ``calls_crc(...)`` of all columns."""
    for n, name in enumerate(table.stored[len(table.columns) :], len(table.columns)):

        def checksum(*row: object, n: int = n) -> Any:
            return table.sealed(row)[n]

        database.create_function(f"{table.name}_{name}", -1, checksum)


def bundle(lines: Sequence[Any], *, recount: bool = True) -> str:
    """The text of an export of these lines, whose end fits the others; or only its digest."""
    text = ""
    for line in lines:
        if isinstance(line, dict) and line.get("kind") == "end":
            count = {"lines": len(lines)} if recount else {}
            line = {**line, **count, "sha256": sha256(text.encode()).hexdigest()}
        text += f"{json.dumps(line)}\n"
    return text
