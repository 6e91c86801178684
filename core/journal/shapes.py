"""What a value from a foreign file has to be, told strictly.

A shape looks at a value and says what is wrong with it, or `None`. JSON's types are kept
apart: 1 is no text, `true` is no number, and a whole number is one that SQLite can hold.
"""

import re
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any

from ..types.result_document import AtLeast, Length

Shape = Callable[[object], str | None]

_MOST = 2**63 - 1
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", re.ASCII)


def _where(fits: Callable[[Any], object], wrong: str) -> Shape:
    """What a test accepts, and what is said of all else."""
    return lambda value: None if fits(value) else wrong


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


text = _where(lambda value: isinstance(value, str), "must be a text")
boolean = _where(lambda value: isinstance(value, bool), "must be true or false")
number = _where(_is_number, "must be a number")
numeric = _where(lambda value: isinstance(value, int | float), "must be a number")
"""A number, or true or false, which count as 1 and 0."""
positive = _where(lambda n: _is_number(n) and 0 <= n <= _MOST, "must be a number from 0")
"""A number that SQLite can hold and that is not below zero."""


def whole(least: int, most: int = _MOST) -> Shape:
    """A whole number in a range."""
    up_to = "" if most == _MOST else f" to {most}"
    return _where(
        lambda value: (
            isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        ),
        f"must be a whole number from {least}{up_to}",
    )


def matching(pattern: str, what: str) -> Shape:
    """A text that a pattern describes in full."""
    full = re.compile(pattern, re.ASCII).fullmatch
    return _where(lambda value: isinstance(value, str) and full(value), f"must be {what}")


def one_of(values: frozenset[str]) -> Shape:
    """One of some texts."""
    listed = f"must be one of {', '.join(sorted(values))}"
    return _where(lambda value: isinstance(value, str) and value in values, listed)


def time(value: object) -> str | None:
    """A time as the journal writes it, so that the later one is the larger text."""
    if isinstance(value, str) and _TIME.fullmatch(value):
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return "is no time that there is"
        return None
    return "must be a time like 2025-01-31T12:00:00.000+00:00"


def optional(shape: Shape) -> Shape:
    """What a shape describes, or null."""
    return lambda value: None if value is None else shape(value)


def list_of(shape: Shape) -> Shape:
    """A list in which each is of a shape."""

    def message(value: object) -> str | None:
        if not isinstance(value, list):
            return "must be a list"
        return next((f"holds one that {wrong}" for one in value if (wrong := shape(one))), None)

    return message


def row_of(*shapes: Shape) -> Shape:
    """A list with one value of each shape."""

    def message(value: object) -> str | None:
        if not isinstance(value, list) or len(value) != len(shapes):
            return f"must be a list of {len(shapes)}"
        pairs = zip(shapes, value, strict=True)
        return next((f"holds one that {wrong}" for s, v in pairs if (wrong := s(v))), None)

    return message


def object_of(shape: Shape) -> Shape:
    """An object whose values are all of a shape, whatever their names."""

    def message(value: object) -> str | None:
        if not isinstance(value, dict):
            return "must be an object"
        pairs = value.items()
        return next((f'"{name:.40}" {wrong}' for name, v in pairs if (wrong := shape(v))), None)

    return message


def anything(value: object) -> str | None:
    """Whatever JSON can say."""
    return None


def record(
    fields: Mapping[str, Shape], *, more: bool = False, required: frozenset[str] | None = None
) -> Shape:
    """An object with these fields, all or those required, and others if there may be `more`."""
    known, needed = fields.keys(), [n for n in fields if required is None or n in required]

    def message(value: object) -> str | None:
        if not isinstance(value, dict):
            return "must be an object"
        # Every line of a file comes through here; a generator each would take twice the time.
        for name in needed:
            if name not in value:
                return f'needs "{name}"'
        if not (more or value.keys() <= known):
            strange = next(name for name in value if name not in fields)
            return f'has an unknown field "{strange:.40}"'
        for name, shape in fields.items():
            if name in value and (wrong := shape(value[name])):
                return f'"{name}" {wrong}'
        return None

    return message


@cache
def shape_of(hint: Any) -> Shape:
    """The shape of a JSON type; objects may hold more than their typed dict says."""
    if typing.is_typeddict(hint):
        types = typing.get_type_hints(hint, include_extras=True)
        fields = {name: shape_of(each) for name, each in types.items()}
        return record(fields, more=True, required=hint.__required_keys__)
    if isinstance(hint, typing.ForwardRef):  # `Json`, which is made of itself
        return anything
    kind, args = typing.get_origin(hint), typing.get_args(hint)
    if kind is typing.Annotated:
        return _limited(*args)
    if kind is typing.Literal:
        return one_of(frozenset(args))
    return _PLAIN[hint] if kind is None else _AROUND[kind](*map(shape_of, args))


def _limited(inner: object, limit: AtLeast | Length) -> Shape:
    if isinstance(limit, Length):
        return row_of(*map(shape_of, typing.get_args(inner) * limit.n))
    return whole(limit.least) if inner is int else positive


def _either(shape: Shape, *others: Shape) -> Shape:
    """That of a shape or null; what may be of more shapes is whatever JSON can say."""
    return optional(shape) if len(others) == 1 else anything


_PLAIN: Mapping[Any, Shape] = {
    **dict.fromkeys((Any, NoneType, ...), anything),
    str: text,
    bool: boolean,
    float: number,
    int: whole(-(2**63)),
}
_AROUND: Mapping[Any, Callable[..., Shape]] = {
    typing.Union: _either,
    UnionType: _either,
    typing.NotRequired: lambda shape: shape,
    Sequence: list_of,
    tuple: lambda shape, _: list_of(shape),
    Mapping: lambda _, shape: object_of(shape),
}
