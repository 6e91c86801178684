"""Values of a foreign file, each held to what it must be.

JSON's types are kept apart: true is no number, 1 is no text, and null stands for what is not
there only where that may be.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eibench import DataError, JsonObject

MOST_ITERATIONS = 1000
_LONGEST_NAME = 200
_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)


class Wrong(ValueError):
    """A part of a file is of the wrong type."""


@contextmanager
def placed(origin: Path, position: str) -> Iterator[None]:
    """Tells where in the file a part of the wrong type is."""
    try:
        yield
    except Wrong as error:
        raise DataError(origin, str(error), position) from None


def object_in(owner: Any, key: str) -> JsonObject:
    """An object."""
    value = owner.get(key)
    if not isinstance(value, dict):
        raise Wrong(f'needs "{key}", an object')
    return value


def text_in(owner: JsonObject, key: str) -> str:
    """A text; it may be empty."""
    if not isinstance(value := owner.get(key), str):
        raise Wrong(f'needs "{key}", a text')
    return value


def some_text(value: object, key: str) -> str:
    """A text that is not empty, and that a file can hold."""
    if not isinstance(value, str) or not value.strip():
        raise Wrong(f'needs "{key}", a text')
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Wrong(f'"{key}" holds half of a character') from None
    return value


def optional_text(owner: JsonObject, key: str) -> str | None:
    """A text, or nothing."""
    value = owner.get(key)
    if value is not None and not isinstance(value, str):
        raise Wrong(f'"{key}" must be a text')
    return value


def flag(owner: JsonObject, key: str) -> bool | None:
    """True, false, or nothing."""
    value = owner.get(key)
    if value is not None and not isinstance(value, bool):
        raise Wrong(f'"{key}" must be true or false')
    return value


def whole_number(owner: JsonObject, key: str) -> int | None:
    """A whole number, or nothing."""
    value = owner.get(key)
    if value is not None and type(value) is not int:
        raise Wrong(f'"{key}" must be a whole number')
    return value


def model_name(value: object, what: str) -> str:
    """A name that can stand in a table and in a spec: one line of it, and not too long."""
    if not isinstance(value, str) or not value.strip():
        raise Wrong(f"needs {what}, a name")
    name = value.strip()
    if not name.isprintable() or len(name) > _LONGEST_NAME:
        raise Wrong(f"{what} is no name: at most {_LONGEST_NAME} characters, none for control")
    return name


def iteration_number(key: str) -> int:
    """An iteration, from 1."""
    if not _NUMBER.fullmatch(key) or int(key) > MOST_ITERATIONS:
        raise Wrong(f"must be a whole number from 1 to {MOST_ITERATIONS:,}")
    return int(key)
