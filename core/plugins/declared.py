"""What is wrong with what a plugin registers, by kind; ``None`` when nothing is."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from math import isfinite
from typing import Any

import click

from ..benchmark import Benchmark, Option, abilities
from ..benchmark.abilities import Pairwise
from ..benchmark.metrics import KINDS, Value
from ..benchmark.model import Role
from ..hooks.exporters import Exporter, ExportOption
from ..hooks.names import EXPORT_TAKEN, TAKEN
from ..hooks.sections import ReportPage, ReportSection
from ..parties.providers import Provider
from ..reading.rows import is_kind
from ..types import SAMPLING, Sampling
from ..types.rules import UnfitValue

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OPTION = re.compile(r"[a-z][a-z0-9_]*")
_TEXTS = ("foreign_forms", "unjudged_values")
_SWITCHES = ("judged", "single_turn", "asks_again")


def ill_named(thing: Any) -> str | None:
    """What is wrong with a thing's name."""
    if isinstance(thing.name, str) and _NAME.fullmatch(thing.name):
        return None
    return f"its name {thing.name!r} must be letters, digits, dots, dashes and underscores"


def provider(thing: Any) -> str | None:
    """What is wrong with a provider."""
    wrong = _wrong_type(thing, Provider) or _uncallable(thing, "create")
    if not wrong and thing.list_price is not None:
        wrong = _uncallable(thing, "list_price")
    return wrong or ill_named(thing)


def section(thing: Any) -> str | None:
    """What is wrong with a report section."""
    return _wrong_type(thing, ReportSection) or _wrong_build(thing)


def page(thing: Any) -> str | None:
    """What is wrong with a page."""
    if wrong := _wrong_type(thing, ReportPage):
        return wrong
    if not isinstance(thing.title, str) or not thing.title.strip():
        return f"its title is {thing.title!r}; write it as a text"
    return _wrong_build(thing)


def _wrong_build(thing: Any) -> str | None:
    if wrong := _uncallable(thing, "build"):
        return wrong
    if not isinstance(thing.benchmark, str | None):
        return f"its benchmark is {thing.benchmark!r}, neither the name of one nor None"
    return ill_named(thing)


def exporter(thing: Any) -> str | None:
    """What is wrong with an exporter."""
    wrong = _wrong_type(thing, Exporter) or _uncallable(thing, "files")
    if wrong := wrong or _no_tuple(thing, "options", ExportOption):
        return wrong
    for option in thing.options:
        if not _OPTION.fullmatch(str(option.name)):
            return f"its option {option.name!r} must be lower-case letters, digits and underscores"
        if option.name in EXPORT_TAKEN:
            return f"its option {option.name!r} clashes with one of bench export"
    return ill_named(thing)


def command(thing: object) -> str | None:
    """What is wrong with a command."""
    return ill_named(thing) if isinstance(thing, click.Command) else "it is not a click.Command"


def engine(thing: object) -> str | None:
    """What is wrong with a rating engine."""
    if isinstance(thing, type):
        return f"it is a class; pass {thing.__name__}()"
    missing = [name for name in ("name", "title", "rate") if not hasattr(thing, name)]
    return f"it has no {', '.join(missing)}" if missing else ill_named(thing)


def benchmark(thing: Any) -> str | None:
    """What is wrong with a benchmark as it declares itself."""
    if wrong := _wrong_type(thing, Benchmark):
        return wrong
    if missing := [name for name in ("name", "version", "title") if not hasattr(thing, name)]:
        return f"it has no {', '.join(missing)}"
    if hasattr(thing, "compare") and not issubclass(type(thing), Pairwise):
        own = f"class {type(thing).__name__}(Benchmark, Pairwise)"
        return f"it compares, so it derives from eibench.Pairwise too: {own}"
    return (
        _wrong_attributes(thing)
        or wrong_methods(thing)
        or _wrong_options(thing)
        or _wrong_values(thing)
        or _wrong_fields(thing)
        or _wrong_roles(thing)
        or ill_named(thing)
    )


def _wrong_roles(thing: Any) -> str | None:
    if wrong := _no_tuple(thing, "roles", Role):
        return wrong
    for name, sampling in ((role.name, role.sampling) for role in thing.roles):
        if not _OPTION.fullmatch(name):
            return f"its role {name!r} must be named in lower-case letters, digits and underscores"
        if name in ("model", "judge"):
            return f"its role {name!r} is no further party; name it otherwise"
        if not isinstance(sampling, Sampling):
            return f"its role {name!r} has a sampling that is no eibench.Sampling"
    return _twice("role", thing.roles)


def _wrong_type(thing: object, kind: type) -> str | None:
    """That a thing is not of a type, and what to do if it is the class itself."""
    if isinstance(thing, kind):
        return None
    if inspect.isclass(thing) and issubclass(thing, kind):
        return f"it is a class; pass {thing.__name__}()"
    return f"it is not an eibench.{kind.__name__}"


def _uncallable(thing: object, name: str) -> str | None:
    found = getattr(thing, name)
    return None if callable(found) else f"its {name} is {found!r}, which cannot be called"


def _no_tuple(thing: object, name: str, kind: type, holder: Any = tuple) -> str | None:
    """That an attribute does not hold things of a type."""
    found: Any = getattr(thing, name)
    if isinstance(found, holder) and all(isinstance(one, kind) for one in found):
        return None
    return f"its {name} must be a tuple of eibench.{kind.__name__}"


def _twice(what: str, things: Sequence[Any]) -> str | None:
    names = [thing.name for thing in things]
    found = (name for name in names if names.count(name) > 1)
    return next((f"its {what} {name!r} is declared twice" for name in found), None)


def _wrong_attributes(thing: Any) -> str | None:
    for name in ("version", "grading", "title"):
        if not isinstance(value := getattr(thing, name), str) or not value.strip():
            return f"its {name} is {value!r}; write it as a text, such as {str(value or 1)!r}"
    for name in ("sampling", "judge_sampling"):
        if not isinstance(getattr(thing, name), Sampling):
            return f"its {name} is not an eibench.Sampling"
    room = thing.answer_tokens
    if room is not None and (not isinstance(room, int) or isinstance(room, bool) or room < 1):
        return f"its answer_tokens must be a number from 1 on or None, not {room!r}"
    for name in _SWITCHES:
        if not isinstance(getattr(thing, name), bool):
            return f"its {name} must be True or False, not {getattr(thing, name)!r}"
    for name in _TEXTS:
        if not _are_texts(value := getattr(thing, name)):
            return f"its {name} must be a tuple of texts, not {value!r}"
    if not isinstance(thing.ranked_by, str):
        return f"its ranked_by must be the name of a metric, not {thing.ranked_by!r}"
    return None


def _wrong_values(thing: Any) -> str | None:
    if wrong := _no_tuple(thing, "values", Value):
        return wrong
    for value in thing.values:
        texts = (value.name, value.label, value.group, value.over)
        if not (all(isinstance(t, str) for t in texts) and value.name and _are_texts(value.by)):
            return f"its value {value.name!r} is not described by texts: see eibench.Value"
    names = [value.name for value in thing.values]
    if wrong := _twice("value", thing.values):
        return wrong
    for value in thing.values:
        if value.kind not in KINDS:
            return f"its value {value.name!r} is of kind {value.kind!r}; kinds: {', '.join(KINDS)}"
        if unknown := set(value.mean_of) - set(names):
            return f"its value {value.name!r} is the mean of {min(unknown)!r}, which is no value"
        low, high = value.ends
        if not low < high:
            return f"its value {value.name!r} has the range {value.range}: give low, high"
        if value.kind == "share" and not 0 <= low < high <= 1:
            return f"its value {value.name!r} is a share, so its range is within 0 and 1"
    is_plain = type(thing).summarise is Benchmark.summarise
    if is_plain and not any(v.by for v in thing.values) and thing.ranked_by not in ("", *names):
        return f"it is ranked by {thing.ranked_by!r}, and its values are {', '.join(names)}"
    if not thing.values and is_plain:
        return "it has neither values nor a summarise, so there is nothing to report"
    return None


def _wrong_fields(thing: Any) -> str | None:
    if not isinstance(thing.fields, Mapping) or not all(isinstance(f, str) for f in thing.fields):
        return "its fields must say of each field's name what it holds"
    if thing.fields and thing.fields.get("id") is not str:
        return 'its fields must hold "id": str'
    for name, kind in thing.fields.items():
        if not is_kind(kind):
            kinds = "str, int, float, bool, list, dict, such a type or None, or a tuple of texts"
            return f"its field {name!r} holds {kind!r}, which is not one of: {kinds}"
    if not thing.fields and type(thing).read_pack is Benchmark.read_pack:
        return "it has neither fields nor a read_pack, so that there are no items"
    return None


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(one, str) for one in value)


def _wrong_options(thing: Any) -> str | None:
    wrong = _no_tuple(thing, "options", Option, Sequence)
    if wrong := wrong or _twice("option", thing.options):
        return wrong
    for option in thing.options:
        if option.name in TAKEN or option.name in SAMPLING:
            return f"its option {option.name!r} clashes with one of bench run"
    return next(filter(None, map(_wrong_option, thing.options)), None)


def _wrong_option(option: Option) -> str | None:
    message, default, name = f"its option {option.name!r}", option.default, str(option.name)
    if name != option.name or not _OPTION.fullmatch(name):
        return f"{message} must be named in lower-case letters, digits and underscores"
    if default is not None and not isinstance(default, str | int | float):
        return f"{message} has the default {default!r}: not a text, a number, True, False or None"
    if not _are_texts(option.choices):
        return f"{message} has choices that are no tuple of texts: {option.choices!r}"
    if option.choices and default not in option.choices:
        return f"{message} has the default {default!r}, which is not among its choices"
    return _wrong_range(option, message)


def _wrong_range(option: Option, message: str) -> str | None:
    default, low, high = option.default, option.min, option.max
    if low is None and high is None:
        return None
    bounds = [bound for bound in (low, high) if bound is not None]
    if not all(map(_is_number, [default, *bounds])):
        return f"{message} has a range, so its default and its bounds must be finite numbers"
    try:
        option.rule.check(default)
    except UnfitValue as error:
        return f"{message} has the default {default!r}, which is not {error}"
    return None


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value)


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
