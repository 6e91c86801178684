"""What is wrong with what a plugin registers, by kind; ``None`` when nothing is."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..benchmark import Benchmark, Option
from ..benchmark.abilities import Pairwise
from ..benchmark.board_controls import BoardControl
from ..benchmark.model import Role
from ..benchmark.published import PublishedWith
from ..benchmark.values import KINDS, Derived, Value
from ..guard.values import TEXT, TEXT_OR_NONE, TEXTS, FieldRule, are_texts, is_finite, is_mapping
from ..hooks.benchmark_files import BenchmarkFiles
from ..hooks.exporters import Exporter, ExportOption
from ..hooks.names import EXPORT_TAKEN, TAKEN
from ..hooks.sections import ReportPage, ReportSection
from ..parties.graders import RULES
from ..parties.providers import Provider
from ..reading.bibtex import cited
from ..reading.rows import is_kind
from ..types import SAMPLING, Sampling
from ..types.rules import UnfitValue
from .methods import wrong_methods

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OPTION = re.compile(r"[a-z][a-z0-9_]*")
_LOWER = "must be named in lower-case letters, digits and underscores"


def _is_bibtex(text: str) -> bool:
    try:
        cited(text)
    except ValueError:
        return False
    return True


def _tuple_of(kind: type, holder: Any = tuple) -> FieldRule:
    return FieldRule(
        lambda value: isinstance(value, holder) and all(isinstance(one, kind) for one in value),
        f"a tuple of eibench.{kind.__name__}",
    )


_FILLED = FieldRule(
    lambda value: isinstance(value, str) and bool(value.strip()),
    "a text",
    lambda value: f", such as {str(value)!r}" if value else "",
)
_CALLED = FieldRule(callable, "something that can be called")
_SWITCH = FieldRule(lambda value: isinstance(value, bool), "True or False")
_SAMPLING = FieldRule(lambda value: isinstance(value, Sampling), "an eibench.Sampling")
_TOKENS = FieldRule(
    lambda v: v is None or (isinstance(v, int) and not isinstance(v, bool) and v >= 1),
    "a number from 1 on or None",
)
_COUNT = FieldRule(lambda v: type(v) is int and v >= 1, "a whole number from 1 on")
_FIELDS = FieldRule(is_mapping, "a mapping that says of each field's name what it holds")
_CITE = FieldRule(
    lambda value: isinstance(value, Path) or (isinstance(value, str) and _is_bibtex(value)),
    "BibTeX, such as '@misc{key, title = {...}}', or the path of a file of it",
)
_PACKS = FieldRule(is_mapping, "a mapping that says of each pack's name what a manifest would")
_BENCHMARK_OR_ALL = FieldRule(TEXT_OR_NONE.fits, "the name of a benchmark or None")
_BUILT: Mapping[str, FieldRule] = {"build": _CALLED, "benchmark": _BENCHMARK_OR_ALL}
_ATTRIBUTES: Mapping[str, FieldRule] = {
    **dict.fromkeys(("version", "grading", "title"), _FILLED),
    **dict.fromkeys(("sampling", "judge_sampling"), _SAMPLING),
    **dict.fromkeys(("judged", "single_turn", "model_judges", "asks_again"), _SWITCH),
    **dict.fromkeys(("foreign_forms", "unjudged_values", "languages"), TEXTS),
    "kind": TEXT,
    "limit_over": TEXT,
    "published_with": FieldRule(
        lambda value: value is None or isinstance(value, PublishedWith), "an eibench.PublishedWith"
    ),
    "cite": _CITE,
    "answer_tokens": _TOKENS,
    "iterations": _COUNT,
    "ranked_by": TEXT,
    "options": _tuple_of(Option, Sequence),
    "values": _tuple_of(Value),
    "roles": _tuple_of(Role),
    "board_controls": _tuple_of(BoardControl),
    "fields": _FIELDS,
    "packs": _PACKS,
}


def ill_named(thing: Any) -> str | None:
    """What is wrong with a thing's name."""
    if isinstance(thing.name, str) and _NAME.fullmatch(thing.name):
        return None
    return f"its name {thing.name!r} must be letters, digits, dots, dashes and underscores"


def _unfit(thing: object, kind: type, rules: Mapping[str, FieldRule]) -> str | None:
    """That a thing is not of a type, or an attribute of it not as its rule wants it."""
    if not isinstance(thing, kind):
        if inspect.isclass(thing) and issubclass(thing, kind):
            return f"it is a class; pass {thing.__name__}()"
        return f"it is not an eibench.{kind.__name__}"
    for name, rule in rules.items():
        if fault := rule.fault(value := getattr(thing, name)):
            return f"it has {value!r} as {name}, not {fault}"
    return None


def provider(thing: Any) -> str | None:
    """What is wrong with a provider."""
    return _unfit(thing, Provider, {"create": _CALLED}) or ill_named(thing)


def benchmark_files(thing: Any) -> str | None:
    """What is wrong with a form of files that declare benchmarks."""
    texts = dict.fromkeys(("title", "suffix", "in_folder"), _FILLED)
    return _unfit(thing, BenchmarkFiles, {**texts, "read": _CALLED}) or ill_named(thing)


def section(thing: Any) -> str | None:
    """What is wrong with a report section."""
    return _unfit(thing, ReportSection, _BUILT) or ill_named(thing)


def page(thing: Any) -> str | None:
    """What is wrong with a page."""
    return _unfit(thing, ReportPage, {"title": _FILLED, **_BUILT}) or ill_named(thing)


def exporter(thing: Any) -> str | None:
    """What is wrong with an exporter."""
    rules = {"files": _CALLED, "options": _tuple_of(ExportOption)}
    if wrong := _unfit(thing, Exporter, rules):
        return wrong
    for option in thing.options:
        if not _OPTION.fullmatch(str(option.name)):
            return f"its option {option.name!r} {_LOWER}"
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
    return _lacking(thing, "name", "title", "rate") or ill_named(thing)


def _lacking(thing: object, *names: str) -> str | None:
    missing = [name for name in names if not hasattr(thing, name)]
    return f"it has no {', '.join(missing)}" if missing else None


def benchmark(thing: Any) -> str | None:
    """What is wrong with a benchmark as it declares itself."""
    if wrong := _unfit(thing, Benchmark, {}) or _lacking(thing, "name", "version", "title"):
        return wrong
    if hasattr(thing, "compare") and not issubclass(type(thing), Pairwise):
        bases = f"class {type(thing).__name__}(Benchmark, Pairwise)"
        return f"it compares, so it derives from eibench.Pairwise too: {bases}"
    if wrong := _unfit(thing, Benchmark, _ATTRIBUTES):
        return wrong
    parts = (wrong_methods, _options, _values, _fields, _roles, _published, _controls)
    return next((wrong for part in parts for wrong in part(thing)), None) or ill_named(thing)


def _roles(thing: Any) -> Iterator[str]:
    for name, sampling in ((role.name, role.sampling) for role in thing.roles):
        if not _OPTION.fullmatch(name):
            yield f"its role {name!r} {_LOWER}"
        if name in ("model", "judge"):
            yield f"its role {name!r} is no further party; name it otherwise"
        if not isinstance(sampling, Sampling):
            yield f"its role {name!r} has a sampling that is no eibench.Sampling"
    yield from _twice("role", thing.roles)


def _published(thing: Any) -> Iterator[str]:
    if (published := thing.published_with) is None:
        return
    known = {name for role in thing.roles for name in (role.name, role.group)}
    if unknown := published.roles.keys() - known:
        yield f"its published_with names a player of {min(unknown)!r}, which is no role"
    if published.rule not in ("", *RULES):
        yield f"its published_with has the rule {published.rule!r}; rules: {', '.join(RULES)}"


def _controls(thing: Any) -> Iterator[str]:
    for control in thing.board_controls:
        message = f"its board control {control.name!r}"
        if not (are_texts((control.name, control.value)) and _OPTION.fullmatch(control.name)):
            yield f"{message} {_LOWER}"
        if not (is_finite(control.scale) and 0 < control.scale < 1):
            yield f"{message} has the scale {control.scale!r}: between 0 and 1"
    yield from _twice("board control", thing.board_controls)


def _twice(what: str, things: Iterable[Any]) -> Iterator[str]:
    names = [thing.name for thing in things]
    return (f"its {what} {name!r} is declared twice" for name in names if names.count(name) > 1)


def _values(thing: Any) -> Iterator[str]:
    for value in thing.values:
        described = (value.name, value.label, value.group, value.over, value.macro, *value.by)
        if not (are_texts(described) and value.name and isinstance(value.by, tuple | list)):
            yield f"its value {value.name!r} is not described by texts: see eibench.Value"
    yield from _twice("value", thing.values)
    names = [value.name for value in thing.values]
    for value in thing.values:
        message = f"its value {value.name!r}"
        if value.kind not in KINDS:
            yield f"{message} is of kind {value.kind!r}; kinds: {', '.join(KINDS)}"
        if unknown := set(value.mean_of) - set(names):
            yield f"{message} is the mean of {min(unknown)!r}, which is no value"
        if value.macro and thing.fields and value.macro not in thing.fields:
            yield f"{message} is a mean by {value.macro!r}, which is none of its fields"
        for name, some in value.when.items():
            options = {o.name: o.choices for o in thing.options}
            if name not in options:
                yield f"{message} exists by {name!r}, which is none of its options"
            elif options[name] and not {*(some if isinstance(some, tuple) else (some,))} <= {
                *options[name]
            }:
                yield f"{message} exists by {name} = {some!r}, of {', '.join(options[name])}"
        if isinstance(value, Derived):
            yield from _derived(message, value, thing.values)
        low, high = value.ends
        if not low < high:
            yield f"{message} has the range {value.range}: give low, high"
        if value.kind == "share" and not 0 <= low < high <= 1:
            yield f"{message} is a share, so its range is within 0 and 1"
    if type(thing).summarise is not Benchmark.summarise:
        return
    if not any(v.by for v in thing.values) and thing.ranked_by not in ("", *names):
        yield f"it is ranked by {thing.ranked_by!r}, and its values are {', '.join(names)}"
    if not thing.values:
        yield "it has neither values nor a summarise, so there is nothing to report"


def _derived(message: str, value: Derived, values: Sequence[Value]) -> Iterator[str]:
    plain = [one.name for one in values if not isinstance(one, Derived)]
    if not (are_texts(value.of) and value.of and callable(value.formula)):
        yield f"{message} needs a formula, and a tuple of the values whose means it is of"
    elif unknown := [name for name in value.of if name not in plain]:
        yield f"{message} is derived from {unknown[0]!r}, which is no value with a mean of its own"
    if value.macro or value.mean_of or value.kind != "number":
        yield f"{message} is derived: macro, mean_of and kind are for the values it is of"


def _fields(thing: Any) -> Iterator[str]:
    if thing.fields and thing.fields.get("id") is not str:
        yield 'its fields must hold "id": str'
    for name, kind in thing.fields.items():
        if not is_kind(kind):
            kinds = "str, int, float, bool, list, dict, such a type or None, or a tuple of texts"
            yield f"its field {name!r} holds {kind!r}, which is not one of: {kinds}"
    if not thing.fields and type(thing).read_pack is Benchmark.read_pack:
        yield "it has neither fields nor a read_pack, so that there are no items"


def _options(thing: Any) -> Iterator[str]:
    yield from _twice("option", thing.options)
    for option in thing.options:
        if option.name in TAKEN or option.name in SAMPLING:
            yield f"its option {option.name!r} clashes with one of bench run"
    for option in thing.options:
        message, default, name = f"its option {option.name!r}", option.default, str(option.name)
        if name != option.name or not _OPTION.fullmatch(name):
            yield f"{message} {_LOWER}"
        message = f"{message} has"
        if default is not None and not isinstance(default, str | int | float):
            none = "not a text, a number, True, False or None"
            yield f"{message} the default {default!r}: {none}"
        if not are_texts(option.choices):
            yield f"{message} choices that are no tuple of texts: {option.choices!r}"
        if option.choices and default not in option.choices:
            yield f"{message} the default {default!r}, which is not among its choices"
        bounds = [bound for bound in (option.min, option.max) if bound is not None]
        if bounds and not all(map(is_finite, [default, *bounds])):
            yield f"{message} a range, so its default and its bounds must be finite numbers"
        try:
            option.rule.check(default) if bounds else None
        except UnfitValue as error:
            yield f"{message} the default {default!r}, which is not {error}"
