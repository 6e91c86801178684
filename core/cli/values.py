"""From the texts of options to their values."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..endpoints.secrets import is_variable_name, shown_header
from ..errors import ConfigError, UsageError
from ..files import read_text
from ..sizes import parse_size

_LONGEST_SYSTEM = 2**20


class FiniteRange(click.FloatRange):
    """A number in a range; never NaN or an infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter:
            ends = _ends(" above" if self.min_open else " from", self.min, self.max)
            self.fail(f"{value!r} is not a number{ends}", param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


class WholeRange(click.IntRange):
    """A whole number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            ends = _ends(" from", self.min, self.max)
            self.fail(f"{value!r} is not a whole number{ends}", param, ctx)


def _ends(above: str, low: float | None, high: float | None) -> str:
    """A range in words, after what it is a range of."""
    if low is None:
        return "" if high is None else f" up to {high:,.15g}"
    return f"{above} {low:,.15g} " + ("on" if high is None else f"to {high:,.15g}")


class Size(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A number of bytes, such as ``16MiB``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The bytes."""
        try:
            return value if isinstance(value, int) else parse_size(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class VariableName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """The name of an environment variable; what is none may be a key, so it is not repeated."""

    name = "variable"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name."""
        if not is_variable_name(str(value)):
            self.fail("this is the NAME of a variable, such as MY_API_KEY", param, ctx)
        return value


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
            twice = shown_header(key.strip()) if name == "--header" else key.strip()
            raise UsageError(f"{name} {twice} is given twice")
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
        return read_text(Path(text[1:]), _LONGEST_SYSTEM)
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


WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def kind_of(type_: click.ParamType) -> type:  # type: ignore[type-arg]  # generic since click 8.4
    """What a TOML value must be for a type of click's."""
    if isinstance(type_, click.types.BoolParamType):
        return bool
    if isinstance(type_, click.types.IntParamType):
        return int
    return float if isinstance(type_, click.types.FloatParamType) else str


def is_kind(value: Any, kind: type) -> bool:
    """Whether a TOML value is of that kind; a whole number is a number, true is none."""
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float if kind is float else kind)


def checked(place: str, value: Any, type_: click.ParamType) -> Any:  # type: ignore[type-arg]  # likewise
    """A value of a settings file, converted.

    Args:
        place: The file and the key, for messages.
        value: As TOML gave it.
        type_: What it must be; that of an option, so that both are judged alike.

    Raises:
        ConfigError: It is of another kind, or out of range.
    """
    kind = kind_of(type_)
    if not is_kind(value, kind):
        shown = "" if kind is str else f", not {json.dumps(value, default=str)}"
        raise ConfigError(f"{place} must be {WORDS[kind]}{shown}")
    try:
        return type_.convert(value, None, None)
    except click.BadParameter as error:
        raise ConfigError(f"{place}: {error.message}") from None


def plain_names(place: str, table: Any) -> dict[str, Any]:
    """A table of a settings file, with underscores for dashes in its keys.

    Raises:
        ConfigError: It is no table, or two of its keys mean the same.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{place} must be a table")
    made: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in made:
            raise ConfigError(f"{place} {name} is set twice, once with dashes")
        made[name] = value
    return made
