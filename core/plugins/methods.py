"""The methods of a benchmark, looked at when it registers: names, parameters, coroutines."""

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from typing import Any

from ..benchmark import Benchmark, abilities

_ALIKE = 0.8
"""How much two names have in common, from 0 to 1, where one may be meant for the other."""


def wrong_methods(thing: Benchmark) -> str | None:
    """A method that would not be called as it is written; ``None`` when there is none."""
    known = _known()
    for name, function in inspect.getmembers(type(thing), inspect.isfunction):
        if function is known.get(name) or name.startswith("_"):
            continue
        own = getattr(thing, name)  # bound, unless it is a staticmethod
        wrong = _wrong(own, known[name]) if name in known else _misspelt(name, function)
        if wrong:
            return f"its method {name} {wrong}"
    return None


@cache
def _known() -> dict[str, Callable[..., Any]]:
    """The methods that the framework calls, by name."""
    parts = [part for _, part in inspect.getmembers(abilities, inspect.isclass)]
    ours = [part for part in parts if part.__module__ == abilities.__name__]
    return {
        name: function
        for part in (Benchmark, *ours)
        for name, function in inspect.getmembers(part, inspect.isfunction)
        if not name.startswith("_")
    }


def _wrong(function: Callable[..., Any], base: Callable[..., Any]) -> str | None:
    if inspect.iscoroutinefunction(base) and not _may_be_awaited(function):
        return "is no coroutine function: write async def"
    _, *wanted = inspect.signature(base).parameters
    try:
        inspect.signature(function).bind(*wanted)
    except TypeError:
        return f"is called as {base.__name__}({', '.join(wanted)}), which it cannot be"
    return None


def _may_be_awaited(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or hasattr(function, "__wrapped__")


def _misspelt(name: str, function: Callable[..., Any]) -> str | None:
    """What a method was meant to be: nearly its name, and just its parameters."""
    taken = list(inspect.signature(function).parameters)
    alike = get_close_matches(name, _known(), n=1, cutoff=_ALIKE)
    if alike and taken == list(inspect.signature(_known()[alike[0]]).parameters):
        return f"is never called; did you mean {alike[0]}?"
    return None
