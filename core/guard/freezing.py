"""Whether a plugin has changed an item: what it holds, in a form that cannot change."""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from ..types import Item

_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})


def frozen(item: Item) -> Any:
    """An item's parts, as nested tuples that are equal while nothing in it changes.

    Texts are shared and not copied, so it is quick whatever they hold. What is neither a
    container nor a dataclass is taken for one thing.
    """
    return _frozen(item.content if type(item) is Item else item)


def _frozen(value: object) -> object:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, dict):
        return kind, tuple(value), _all(value.values())
    if isinstance(value, list | tuple):
        return kind, _all(value)
    if isinstance(value, set):
        return kind, frozenset(value)
    if names := field_names(kind):  # type: ignore[arg-type]  # mypy: some classes have no hash
        return kind, _all([getattr(value, name, None) for name in names])
    return kind, id(value)


def _all(values: Any) -> tuple[object, ...]:
    if _PLAIN.issuperset(map(type, values)):
        return tuple(values)
    return tuple(map(_frozen, values))


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass; none of any other type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
