"""What may come back from a plugin: each check refuses what is something else."""

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from functools import cache
from math import isfinite
from types import GeneratorType
from typing import Any

from ..benchmark import PLACEMENT_OPTIONS, Pack, PackSource, PlacementOptions
from ..benchmark.metrics import Value
from ..hooks.sections import Table
from ..types import (
    Baseline,
    ChatResponse,
    Item,
    JsonObject,
    Metric,
    PairScore,
    Sampling,
    Score,
    Summary,
    canonical,
)
from ..types.rules import UnfitValue
from . import parts
from .calls import Called, field_names

_MARGINS = frozenset({*range(-5, 0), *range(1, 6)})
_PLAIN = frozenset({str, int, float, bool, bytes, type(None), ChatResponse})
_DEEP = 4
"""How far a transcript's lists and fields are searched."""


def is_a(called: Called, value: object, kind: type, article: str = "a") -> None:
    """Refuse a value that is not of a type."""
    if isinstance(value, kind):
        return
    if inspect.isawaitable(value):
        _close(value)
        called.refuse("returned a coroutine: write def, not async def, or await it")
    called.refuse(f"returned {type(value).__name__}, not {article} {kind.__name__}")


def text(called: Called, value: object) -> None:
    """Refuse what is no text."""
    is_a(called, value, str)


def truth(called: Called, value: object) -> None:
    """Refuse what is neither true nor false."""
    is_a(called, value, bool)


def no_coroutine(called: Called, value: object) -> None:
    """Refuse a transcript that is, or holds, something that was not awaited."""
    if found := _unawaited(value, _DEEP):
        inside = "" if found is value else f"{type(value).__name__} that holds a "
        _close(found)
        called.refuse(f"returned a {inside}coroutine: await it")


def _unawaited(value: object, deep: int) -> object:
    kind: object = type(value)  # to mypy, some types have no hash
    if not deep or kind in _PLAIN:
        return None
    if _may_be_awaited(kind) and inspect.isawaitable(value):
        return value
    for part in _parts(value):
        if type(part) not in _PLAIN and (found := _unawaited(part, deep - 1)) is not None:
            return found
    return None


@cache
def _may_be_awaited(kind: type) -> bool:
    return issubclass(kind, Awaitable | GeneratorType)


def _parts(value: object) -> Sequence[object]:
    kind: object = type(value)
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, dict):
        return list(value.values())
    return [getattr(value, name, None) for name in field_names(kind)]


def _close(value: object) -> None:
    """End a coroutine that nobody will await, so that Python does not warn of it."""
    if inspect.iscoroutine(value):
        value.close()


def pack(called: Called, value: Any) -> None:
    """Refuse what is no pack, or one whose items cannot be told apart."""
    is_a(called, value, Pack)
    if not isinstance(value.source, PackSource):
        called.refuse("returned a Pack without the source that it was given")
    if not isinstance(value.items, Sequence) or isinstance(value.items, str):
        called.refuse(f"returned a Pack whose items are {type(value.items).__name__}, not a list")
    if not isinstance(value.comparability, str):
        called.refuse("returned a Pack whose comparability is no text")
    _texts(called, "the warnings of the Pack", value.warnings)
    places: dict[str, int] = {}
    for number, item in enumerate(value.items, start=1):
        _item(called, item, number)
        if item.id in places:
            twice = f"(items {places[item.id]} and {number})"
            called.refuse(f"returned a Pack in which id {item.id!r} stands twice {twice}")
        places[item.id] = number


def _item(called: Called, item: object, number: int) -> None:
    if not isinstance(item, Item):
        called.refuse(f"returned a Pack whose item {number} is {type(item).__name__}, not an Item")
    for name in ("id", "family"):
        value = getattr(item, name)
        if not isinstance(value, str):
            message = f"{value!r} ({type(value).__name__}), not a text"
            called.refuse(f"returned a Pack in which the {name} of item {number} is {message}")
    if not item.id.strip():
        called.refuse(f"returned a Pack in which the id of item {number} is blank")


def score(called: Called, value: Any, item: Item, declared: Sequence[Value] = ()) -> None:
    """Refuse what is no score, or holds what is no number, or what its benchmark does not declare.

    Args:
        called: Who returned it.
        value: The score.
        item: Of which item.
        declared: What the benchmark's scores hold; empty where it does not say.
    """
    is_a(called, value, Score)
    of_item = f"of item {item.id!r}"
    for name, number in mapping(called, "values", value.values).items():
        if number is None or (isinstance(number, int | float) and isfinite(number)):
            continue
        finite = "is not finite" if isinstance(number, float) else _is_no_number(number)
        called.refuse(f"returned a Score in which value {name!r} {of_item} {finite}")
    if declared:
        _declared(called, value.values, of_item, {one.name: one for one in declared})
    _reason(called, "Score", value.reason)
    _texts(called, "the flags of the Score", value.flags)
    mapping(called, "detail", value.detail)


def _declared(
    called: Called, numbers: Mapping[str, float | None], of_item: str, declared: Mapping[str, Value]
) -> None:
    """Refuse a value that is not declared, or is out of its range."""
    for name, number in numbers.items():
        if name not in declared:
            there = ", ".join(declared)
            called.refuse(f"returned a Score with value {name!r} {of_item}; declared are {there}")
        low, high = declared[name].ends
        if number is not None and not low <= number <= high:
            message = f"is {number:g}, not from {low:g} to {high:g}"
            called.refuse(f"returned a Score in which value {name!r} {of_item} {message}")


def _is_no_number(value: object) -> str:
    return f"is {type(value).__name__}, not a number (int, float or None)"


def _reason(called: Called, kind: str, reason: object) -> None:
    if reason is not None and (not isinstance(reason, str) or not reason.strip()):
        called.refuse(f"returned a {kind} whose reason is {reason!r}, neither a text nor None")


def pair_score(called: Called, value: Any) -> None:
    """Refuse what is no comparison: no margins and no reason, or a margin that there is not."""
    is_a(called, value, PairScore)
    mapping(called, "margins", value.margins)
    _reason(called, "PairScore", value.reason)
    _texts(called, "the flags of the PairScore", value.flags)
    if bool(value.margins) == bool(value.reason):
        both = "both margins and a reason" if value.reason else "neither margins nor a reason"
        called.refuse(f"returned {both}")
    for name, margin in value.margins.items():
        if not isinstance(margin, int | float) or margin not in _MARGINS:
            called.refuse(
                f"returned {margin!r} as the margin of {name!r}, which is none of 1 to 5, or -1 "
                "to -5"
            )

    for length in (value.len_first, value.len_second):
        if length is not None and not _is_whole(length):
            called.refuse(f"returned {length!r} as a length, not a number of characters or None")
    _texts(called, "the replies of the PairScore", value.replies)


def numbers(called: Called, value: object, n: int) -> None:
    """Refuse what is no list of so many finite numbers or ``None``."""
    if not isinstance(value, Sequence) or len(value) != n:
        called.refuse(f"returned {type(value).__name__}, not a list of {n} numbers, one a score")
    for number in value:
        if number is not None and not _is_finite(number):
            called.refuse(f"returned {number!r}, no finite number or None")


def summary(called: Called, value: Any, ranked_by: str) -> None:
    """Refuse what is no summary, or holds what is no metric."""
    is_a(called, value, Summary)
    metrics = mapping(called, "metrics", value.metrics)
    if not metrics:
        called.refuse("returned a Summary without a metric; one without a value is Metric(None)")
    for name, metric in metrics.items():
        _metric(called, name, metric)
    if ranked_by and ranked_by not in metrics:
        there = ", ".join(metrics)
        called.refuse(f"returned no metric {ranked_by!r}, which ranked_by names; there are {there}")
    if value.invalid is not None and not isinstance(value.invalid, str):
        called.refuse(f"returned a Summary whose invalid is {value.invalid!r}, no text")
    _texts(called, "the warnings of the Summary", value.warnings)
    json_value(called, "the notes of the Summary", mapping(called, "notes", value.notes))


def _metric(called: Called, name: str, metric: object) -> None:
    if not isinstance(metric, Metric):
        called.refuse(f"returned {type(metric).__name__} as metric {name!r}, not a Metric")
    if metric.value is not None and not _is_finite(metric.value):
        called.refuse(
            f"returned {metric.value!r} as the value of metric {name!r}: no finite number"
        )
    if not _is_whole(metric.n):
        called.refuse(f"returned {metric.n!r} as n of metric {name!r}: no number of samples")
    if metric.higher_is_better not in (True, False, None):
        called.refuse(f"returned metric {name!r} with a higher_is_better that is no bool or None")
    for field in ("over", "label", "group", "chosen"):
        if not isinstance(getattr(metric, field), str):
            called.refuse(f"returned metric {name!r} with a {field} that is no text")
    if metric.families is not None and not _is_whole(metric.families):
        called.refuse(f"returned {metric.families!r} as families of metric {name!r}: no number")
    for ci95 in (metric.ci95, metric.ci95_chosen):
        if ci95 is not None:
            _interval(called, name, ci95)


def _interval(called: Called, name: str, ci95: Any) -> None:
    is_pair = isinstance(ci95, Sequence) and len(ci95) == 2 and all(map(_is_finite, ci95))
    if not is_pair:
        called.refuse(f"returned {ci95!r} as the interval of {name!r}: no two finite numbers")
    if ci95[0] > ci95[1]:
        called.refuse(f"returned the interval {tuple(ci95)} of {name!r} the wrong way round")


def _is_finite(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def sampling(called: Called, value: object) -> None:
    """Refuse what is no sampling."""
    is_a(called, value, Sampling)


def prompts(called: Called, value: Any) -> None:
    """Refuse what is no mapping from names to texts."""
    is_a(called, value, Mapping)
    for name, template in value.items():
        if not isinstance(name, str) or not isinstance(template, str):
            called.refuse(f"returned {type(template).__name__} as {name!r}, not a text")


def baselines(called: Called, value: Any) -> None:
    """Refuse what is no mapping from names to baselines."""
    is_a(called, value, Mapping)
    for name, baseline in value.items():
        if not isinstance(name, str) or not isinstance(baseline, Baseline):
            called.refuse(f"returned {type(baseline).__name__} as {name!r}, not a Baseline")
        if not _is_finite(baseline.value) or not (baseline.sd is None or _is_finite(baseline.sd)):
            called.refuse(f"returned baseline {name!r} with a number that is not finite")


def placement(called: Called, value: object) -> None:
    """Refuse what says of no placement how it is to go."""
    is_a(called, value, PlacementOptions)
    for option in PLACEMENT_OPTIONS:
        given = getattr(value, option.name)
        try:
            option.rule.check(given)
        except UnfitValue as error:
            called.refuse(f"returned {given!r} as {option.name}, not {error}")


def calls(called: Called, value: Any, parties: Sequence[str]) -> None:
    """Refuse what are no numbers of calls by party."""
    is_a(called, value, Mapping)
    for party, n in value.items():
        if party not in parties:
            called.refuse(f"returned calls to {party!r}; parties are {', '.join(parties)}")
        if not _is_whole(n):
            called.refuse(f"returned {n!r} calls to {party!r}, not a whole number from 0 on")


def anchors(called: Called, value: Any) -> None:
    """Refuse what are no pairs of models with ratings."""
    is_a(called, value, Sequence)
    for pair in value:
        fits = isinstance(pair, Mapping) and len(pair) == 2
        if not fits or not all(map(_is_finite, pair.values())):
            called.refuse(f"returned {pair!r}, not two models with a rating each")


def caps(called: Called, value: Any) -> None:
    """Refuse what is no mapping from items to numbers of pluses."""
    is_a(called, value, Mapping)
    for item, cap in value.items():
        if not _is_whole(cap):
            called.refuse(f"returned {cap!r} as the cap of item {item!r}: no whole number")


def weights(called: Called, value: Any) -> None:
    """Refuse what is no mapping from items to numbers above 0."""
    is_a(called, value, Mapping)
    for item, weight in value.items():
        if not _is_finite(weight) or weight <= 0:
            called.refuse(f"returned {weight!r} as the weight of item {item!r}: give more than 0")


def mapping(called: Called, name: str, value: object) -> JsonObject:
    """Refuse what is no mapping, or has a key that is no text."""
    if not isinstance(value, Mapping):
        called.refuse(f"returned {type(value).__name__} as {name}, not a mapping")
    for key in value:
        if not isinstance(key, str):
            called.refuse(f"returned {name} with the key {key!r}, which is no text")
    return value


def _texts(called: Called, what: str, value: Any) -> None:
    is_list = isinstance(value, tuple | list)
    if not is_list or not all(isinstance(one, str) for one in value):
        shown = f"write ({value!r},)" if isinstance(value, str) else f"not {value!r:.60}"
        called.refuse(f"returned something else than a tuple of texts as {what}: {shown}")


def json_value(called: Called, what: str, value: Any) -> None:
    """Refuse what the journal could not hold."""
    try:
        canonical(dict(value)) if value else None
    except (TypeError, ValueError, RecursionError) as error:
        called.refuse(f"returned what JSON cannot hold as {what}: {error}")


def table(called: Called, value: object) -> None:
    """Refuse what is neither ``None`` nor a table of texts and numbers."""
    if value is not None:
        is_a(called, value, Table)
        parts.parts(called, value)
