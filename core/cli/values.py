"""From the texts of options to their values."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError


class FiniteRange(click.FloatRange):
    """A number in a range; never NaN or an infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def pairs(texts: tuple[str, ...], name: str) -> dict[str, str]:
    """``K=V`` texts as a mapping.

    Raises:
        UsageError: A text has no ``=``, or a key stands twice.
    """
    made: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (equals and key.strip()):
            raise UsageError(f"{name} {_shown(name, text)!r} is not of the form K=V")
        if key.strip() in made:
            raise UsageError(f"{name} {key.strip()} is given twice")
        made[key.strip()] = value
    return made


def _shown(name: str, text: str) -> str:
    return text[:4] + "…" if name == "--header" and len(text) > 4 else text  # may be a secret


def read_system(text: str | None) -> str | None:
    """The system prompt, from a file when it is ``@FILE``.

    Raises:
        UsageError: The file cannot be read.
    """
    if text is None or not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--system {text}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--system {text}: not UTF-8 text") from None


def json_object(text: str | None, name: str) -> Mapping[str, Any] | None:
    """A JSON object given as an option.

    Raises:
        UsageError: It is not one, has a key twice, or holds NaN.
    """
    if text is None:
        return None
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{name} must be a JSON object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"the key {twice!r} stands twice")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def item_list(text: str) -> tuple[str, ...]:
    """The ids in ``ID,ID``.

    Raises:
        UsageError: There is none, or one stands twice.
    """
    ids = tuple(part.strip() for part in text.split(",") if part.strip())
    if not ids:
        raise UsageError("--items names no item")
    if twice := next((i for i in ids if ids.count(i) > 1), None):
        raise UsageError(f"--items names {twice} twice")
    return ids
