"""What the methods of plugins may return: declared field by field, refused with what to do."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from math import inf, isfinite
from types import GeneratorType
from typing import Any, NamedTuple

from ..benchmark import PLACEMENT_OPTIONS, Pack, PackSource, PlacementOptions
from ..benchmark.abilities import HumanRatedReply
from ..benchmark.published import PublishedScheme
from ..benchmark.values import Derived, Value
from ..types import (
    Baseline,
    ChatResponse,
    Item,
    JsonObject,
    Metric,
    PairScore,
    Score,
    Summary,
    canonical,
)
from ..types.rules import UnfitValue
from .calls import PluginCall, field_names

Check = Callable[[PluginCall, Any], None]
"""Refuses what a method may not return."""


def _no_hint(value: object) -> str:
    return ""


class FieldRule(NamedTuple):
    """Which values fit, what messages call these, and a hint there for one that does not fit."""

    fits: Callable[[Any], bool]
    words: str
    hint: Callable[[Any], str] = _no_hint

    def fault(self, value: object) -> str | None:
        """What is wanted in place of a value; None where it fits."""
        return None if self.fits(value) else self.words + self.hint(value)


def is_text(value: object) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_text_or_none(value: object) -> bool:
    """Whether a value is a text or None."""
    return value is None or isinstance(value, str)


def is_finite(value: Any) -> bool:
    """Whether a value is a finite number; a bool is none."""
    return isinstance(value, _NUMBERS) and not isinstance(value, bool) and isfinite(value)


def is_whole(value: object) -> bool:
    """Whether a value is a whole number from 0 on; a bool is none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def are_texts(value: object) -> bool:
    """Whether a value is a tuple or a list of texts."""
    return isinstance(value, _LISTS) and (not value or all(map(is_text, value)))


def is_mapping(value: object) -> bool:
    """Whether a value is a mapping whose keys are texts."""
    return isinstance(value, Mapping) and (not value or all(map(is_text, value)))


def _is_interval(value: Any) -> bool:
    is_pair = isinstance(value, Sequence) and len(value) == 2
    return is_pair and all(map(is_finite, value)) and value[0] <= value[1]


# Tuples: each reply and each score is looked at, and to make a union of types takes longer.
_NUMBERS, _LISTS = (int, float), (tuple, list)

TEXT = FieldRule(is_text, "a text")
TEXT_OR_NONE = FieldRule(is_text_or_none, "a text or None")
TEXTS = FieldRule(
    are_texts,
    "a tuple of texts",
    lambda value: f": write ({value!r},)" if isinstance(value, str) else "",
)
MAPPING = FieldRule(is_mapping, "a mapping whose keys are texts")
_REASON = FieldRule(
    lambda value: value is None or (isinstance(value, str) and bool(value.strip())),
    "a text that says something, or None",
)
_NUMBER = FieldRule(is_finite, "a finite number")
_NUMBER_OR_NONE = FieldRule(lambda v: v is None or is_finite(v), "a finite number or None")
_COUNT = FieldRule(is_whole, "a whole number from 0 on")
_COUNT_OR_NONE = FieldRule(lambda v: v is None or is_whole(v), "a whole number from 0 on or None")
_INTERVAL = FieldRule(
    lambda v: v is None or _is_interval(v), "two finite numbers, the lower one first, or None"
)
_SEQUENCE = FieldRule(
    lambda v: isinstance(v, Sequence) and not isinstance(v, str), "a list of items"
)

_PACK = {
    "source": FieldRule(lambda v: isinstance(v, PackSource), "the source that was given"),
    "items": _SEQUENCE,
    "comparability": TEXT,
    "warnings": TEXTS,
}
_SCORE = {"values": MAPPING, "reason": _REASON, "flags": TEXTS, "detail": MAPPING}
_PAIR_SCORE = {
    "margins": MAPPING, "reason": _REASON, "flags": TEXTS, "replies": TEXTS,
    "len_first": _COUNT_OR_NONE, "len_second": _COUNT_OR_NONE,
}  # fmt: skip
_SUMMARY = {"metrics": MAPPING, "invalid": TEXT_OR_NONE, "warnings": TEXTS, "notes": MAPPING}
_METRIC = {
    "value": _NUMBER_OR_NONE, "n": _COUNT, "families": _COUNT_OR_NONE,
    "over": TEXT, "label": TEXT, "group": TEXT, "chosen": TEXT,
    "ci95": _INTERVAL, "ci95_chosen": _INTERVAL,
    "higher_is_better": FieldRule(
        lambda v: v is None or isinstance(v, bool), "True, False or None"
    ),
}  # fmt: skip
_SCHEME = {"twice": TEXTS, **dict.fromkeys(("pluses", "wins", "rough_wins"), _COUNT),
           **dict.fromkeys(("sigma", "tau"), _NUMBER), "zoom": _SEQUENCE}  # fmt: skip
_BASELINE = {"value": _NUMBER, "sd": _NUMBER_OR_NONE, "n": _COUNT_OR_NONE, "ci": _INTERVAL}


def fields(called: PluginCall, what: str, value: object, rules: Mapping[str, FieldRule]) -> None:
    """Refuse a value of which a field is not as its rule wants it."""
    for name, rule in rules.items():
        if not rule.fits(field := getattr(value, name)):
            called.refuse(f"returned {what} with {field!r:.120} as {name}, not {rule.fault(field)}")


def an(kind: type, rules: Mapping[str, FieldRule] | None = None) -> Check:
    """The check of values of a type, and of their fields."""

    def check(called: PluginCall, value: object) -> None:
        if not isinstance(value, kind):
            if inspect.isawaitable(value):
                _close(value)
                called.refuse("returned a coroutine: write def, not async def, or await it")
            called.refuse(f"returned {type(value).__name__}, not a {kind.__name__}")
        fields(called, f"a {kind.__name__}", value, rules or {})

    return check


_is_pack, _is_score, _is_pair_score = an(Pack, _PACK), an(Score, _SCORE), an(PairScore, _PAIR_SCORE)
_is_summary, _is_mapping, _is_sequence = an(Summary, _SUMMARY), an(Mapping), an(Sequence)
_is_placement = an(PlacementOptions)


def _each(rule: FieldRule) -> Check:
    """The check of mappings from names to values that are as a rule wants them."""

    def check(called: PluginCall, value: Any) -> None:
        _is_mapping(called, value)
        for name, one in value.items():
            if not is_text(name):
                called.refuse(f"returned the name {name!r:.60}, not a text")
            if not rule.fits(one):
                called.refuse(f"returned {one!r:.60} as {name!r}, not {rule.words}")

    return check


prompts = _each(TEXT)
_caps, _is_scheme = _each(_COUNT), an(PublishedScheme, _SCHEME)
weights = _each(FieldRule(lambda value: is_finite(value) and value > 0, "a number above 0"))
_baselines = _each(FieldRule(lambda value: isinstance(value, Baseline), "a Baseline"))


def scheme(called: PluginCall, value: PublishedScheme) -> None:
    """Refuse what does not say how comparisons are counted."""
    _is_scheme(called, value)
    _caps(called, value.caps)


def baselines(called: PluginCall, value: Mapping[str, Baseline]) -> None:
    """Refuse what is no mapping from names to baselines."""
    _baselines(called, value)
    for name, baseline in value.items():
        fields(called, f"baseline {name!r}", baseline, _BASELINE)


def rated_replies(called: PluginCall, value: Any) -> None:
    """Refuse what are no replies with ratings of values that the benchmark declares."""
    _is_sequence(called, value)
    declared = {one.name: one.ends for one in getattr(called.thing, "values", ())}
    for reply in value:
        if not isinstance(reply, HumanRatedReply):
            called.refuse(f"returned {type(reply).__name__}, not an eibench.HumanRatedReply")
        fields(
            called, "a HumanRatedReply", reply, dict.fromkeys(("item_id", "text", "source"), TEXT)
        )
        start = f"returned a reply to {reply.item_id!r}"
        if not reply.ratings or not all(map(is_mapping, (reply.ratings, *reply.ratings.values()))):
            called.refuse(f"{start} without ratings by value and rater: {reply.ratings!r:.80}")
        for name, by_rater in reply.ratings.items():
            if declared and name not in declared:
                called.refuse(f"{start} with ratings of {name!r}; there are {', '.join(declared)}")
            low, high = declared.get(name, (-inf, inf))
            for rater, number in by_rater.items():
                if not (is_finite(number) and low <= number <= high):
                    wrong = f"in which {rater!r} gave {name!r} {number!r}, not {low:g} to {high:g}"
                    called.refuse(f"{start} {wrong}")


def no_coroutine(called: PluginCall, value: object) -> None:
    """Refuse a transcript that is, or holds, something that was not awaited."""
    if (coroutine := _unawaited(value, _DEEP)) is not None:
        inside = "" if coroutine is value else f"{type(value).__name__} that holds a "
        _close(coroutine)
        called.refuse(f"returned a {inside}coroutine: await it")


_PLAIN = frozenset({str, int, float, bool, bytes, type(None), ChatResponse})
_DEEP = 4
"""How far a transcript's lists and fields are searched."""


def _unawaited(value: object, deep: int) -> object:
    kind: object = type(value)  # to mypy, some types have no hash
    if not deep or kind in _PLAIN:
        return None
    if _may_be_awaited(kind) and inspect.isawaitable(value):
        return value
    for part in _parts(value):
        if type(part) not in _PLAIN and (inner := _unawaited(part, deep - 1)) is not None:
            return inner
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


def pack(called: PluginCall, value: Pack) -> None:
    """Refuse what is no pack, or one whose items cannot be told apart."""
    _is_pack(called, value)
    numbers: dict[str, int] = {}
    for number, item in enumerate(value.items, start=1):
        _item(called, item, number)
        if item.id in numbers:
            twice = f"(items {numbers[item.id]} and {number})"
            called.refuse(f"returned a Pack in which id {item.id!r} stands twice {twice}")
        numbers[item.id] = number
        if not (is_finite(item.weight) and item.weight > 0):
            weight = f"{item.weight!r} as its weight, not a number above 0"
            called.refuse(f"returned a Pack in which item {item.id!r} has {weight}")
        for one in getattr(called.thing, "values", ()):
            if one.macro and one.macro not in item.tags:
                lacks = f"has no tag {one.macro!r}, by which {one.name!r} is a mean of means"
                called.refuse(f"returned a Pack in which item {item.id!r} {lacks}")


def _item(called: PluginCall, item: object, number: int) -> None:
    if not isinstance(item, Item):
        called.refuse(f"returned a Pack whose item {number} is {type(item).__name__}, not an Item")
    for name in ("id", "family"):
        value = getattr(item, name)
        if not isinstance(value, str):
            message = f"{value!r} ({type(value).__name__}), not a text"
            called.refuse(f"returned a Pack in which the {name} of item {number} is {message}")
    if not item.id.strip():
        called.refuse(f"returned a Pack in which the id of item {number} is blank")


def score(called: PluginCall, value: Any, item: Item, declared: Sequence[Value] = ()) -> None:
    """Refuse what is no score, or holds what is no number, or what its benchmark does not declare.

    Of a benchmark that declares no values, any is accepted.
    """
    _is_score(called, value)
    ends = {one.name: one.ends for one in declared if not isinstance(one, Derived)}
    for name, number in value.values.items():
        start = f"returned a Score in which value {name!r} of item {item.id!r}"
        if number is not None and not (isinstance(number, int | float) and isfinite(number)):
            is_text = f"is {type(number).__name__}, not a number (int, float or None)"
            called.refuse(f"{start} {'is not finite' if isinstance(number, float) else is_text}")
        if not ends:
            continue
        if name not in ends:
            message = f"with value {name!r} of item {item.id!r}; declared are {', '.join(ends)}"
            called.refuse(f"returned a Score {message}")
        low, high = ends[name]
        if number is not None and not low <= number <= high:
            called.refuse(f"{start} is {number:g}, not from {low:g} to {high:g}")


_MARGINS = frozenset(range(-5, 6))


def pair_score(called: PluginCall, value: Any) -> None:
    """Refuse what is no comparison: no margins and no reason, or a margin that there is not."""
    _is_pair_score(called, value)
    if bool(value.margins) == bool(value.reason):
        both = "both margins and a reason" if value.reason else "neither margins nor a reason"
        called.refuse(f"returned {both}")
    for name, margin in value.margins.items():
        if not isinstance(margin, int | float) or margin not in _MARGINS:
            ranges = "which is no whole number from -5 to 5"
            called.refuse(f"returned {margin!r} as the margin of {name!r}, {ranges}")


def numbers(called: PluginCall, value: object, n: int) -> None:
    """Refuse what is no list of so many finite numbers or ``None``."""
    if not isinstance(value, Sequence) or len(value) != n:
        called.refuse(f"returned {type(value).__name__}, not a list of {n} numbers, one a score")
    for number in value:
        if not _NUMBER_OR_NONE.fits(number):
            called.refuse(f"returned {number!r}, not {_NUMBER_OR_NONE.words}")


def summary(called: PluginCall, value: Any) -> None:
    """Refuse what is no summary, or holds what is no metric."""
    _is_summary(called, value)
    if not value.metrics:
        called.refuse("returned a Summary without a metric; one without a value is Metric(None)")
    for name, metric in value.metrics.items():
        if not isinstance(metric, Metric):
            called.refuse(f"returned {type(metric).__name__} as metric {name!r}, not a Metric")
        fields(called, f"metric {name!r}", metric, _METRIC)
    ranked_by = getattr(called.thing, "ranked_by", "")
    if ranked_by and ranked_by not in value.metrics:
        names = ", ".join(value.metrics)
        message = f"returned no metric {ranked_by!r}, which ranked_by names; there are {names}"
        called.refuse(message)
    json_value(called, "the notes of the Summary", value.notes)


def placement(called: PluginCall, value: PlacementOptions) -> None:
    """Refuse what says of no placement how it is to go."""
    _is_placement(called, value)
    for option in PLACEMENT_OPTIONS:
        chosen = getattr(value, option.name)
        try:
            option.rule.check(chosen)
        except UnfitValue as error:
            called.refuse(f"returned {chosen!r} as {option.name}, not {error}")


def parties(benchmark: Any) -> tuple[str, ...]:
    """Whom a sample may call."""
    return ("model", "judge", *(role.name for role in benchmark.roles))


def groups(benchmark: Any) -> dict[str, None]:
    """The groups that its roles are in."""
    return dict.fromkeys(role.group for role in benchmark.roles if role.group)


def calls(called: PluginCall, value: Mapping[str, int]) -> None:
    """Refuse what are no numbers of calls by party."""
    _is_mapping(called, value)
    known = (*parties(called.thing), *groups(called.thing))
    for party, n in value.items():
        if party not in known:
            called.refuse(f"returned calls to {party!r}; parties are {', '.join(known)}")
        if not is_whole(n):
            called.refuse(f"returned {n!r} calls to {party!r}, not {_COUNT.words}")


def anchors(called: PluginCall, value: Sequence[Any]) -> None:
    """Refuse what are no pairs of models with ratings."""
    _is_sequence(called, value)
    for pair in value:
        fits = isinstance(pair, Mapping) and len(pair) == 2
        if not fits or not all(map(is_finite, pair.values())):
            called.refuse(f"returned {pair!r}, not two models with a rating each")


def json_value(called: PluginCall, what: str, value: JsonObject) -> None:
    """Refuse what the journal could not hold."""
    try:
        canonical(dict(value)) if value else None
    except (TypeError, ValueError, RecursionError) as error:
        called.refuse(f"returned what JSON cannot hold as {what}: {error}")
