"""The methods of a benchmark, looked at when it registers: names, parameters, coroutines."""

import inspect
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache
from typing import Any

from ..benchmark import Benchmark, abilities

_ALIKE = 0.8
"""How much two names have in common, from 0 to 1, where one may be meant for the other."""
_RENAMED = {"calls_per_sample": "planned_calls"}
"""Methods of earlier versions, by the name that they have now."""


def wrong_methods(thing: Benchmark) -> Iterator[str]:
    """Methods that would not be called as they are written."""
    known = _known()
    for name, function in inspect.getmembers(type(thing), inspect.isfunction):
        if function is known.get(name) or name.startswith("_"):
            continue
        bound = getattr(thing, name)  # unless it is a staticmethod
        wrong = _wrong(bound, known[name]) if name in known else _misspelt(name, function)
        if wrong:
            yield f"its method {name} {wrong}"


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
    awaited = inspect.iscoroutinefunction(function) or hasattr(function, "__wrapped__")
    if inspect.iscoroutinefunction(base) and not awaited:
        return "is no coroutine function: write async def"
    _, *parameters = inspect.signature(base).parameters
    try:
        inspect.signature(function).bind(*parameters)
    except TypeError:
        return f"is called as {base.__name__}({', '.join(parameters)}), which it cannot be"
    return None


def _misspelt(name: str, function: Callable[..., Any]) -> str | None:
    """What a method was meant to be: nearly its name, and just its parameters."""
    if name in _RENAMED:
        return f"is never called; it is {_RENAMED[name]} now"
    alike = get_close_matches(name, _known(), n=1, cutoff=_ALIKE)
    parameters = list(inspect.signature(function).parameters)
    if alike and parameters == list(inspect.signature(_known()[alike[0]]).parameters):
        return f"is never called; did you mean {alike[0]}?"
    return None
