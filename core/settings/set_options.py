"""What ``--judge-set`` and ``--role-set`` say: one setting of one judge or role, or of all.

A judge's name may hold slashes, colons and dots, so those that are known are looked for first.
Endpoints, judges and roles of bench.toml have the same settings, as keys of their tables.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import UsageError
from ..parties.party_settings import SCHEMA, SYSTEM
from ..reading.formats import without_repeats
from ..reading.names import nearest
from ..types import SAMPLING
from ..types.rules import Rule, SwitchRule, UnfitValue, UnsettableRule
from .rules import RULES

JUDGE_SET, ROLE_SET = "--judge-set", "--role-set"


class ObjectRule:
    """A JSON object."""

    words = "a JSON object"

    def check(self, value: object) -> dict[str, Any]:
        """The object, from one of Python or TOML."""
        if not isinstance(value, Mapping):
            raise UnfitValue(self.words)
        return dict(value)

    def read(self, text: str) -> dict[str, Any]:
        """The object of a text, in which no key stands twice and nothing is NaN."""
        try:
            value = json.loads(text, object_pairs_hook=without_repeats, parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            raise UnfitValue(f"{self.words}: {error}") from None
        return self.check(value)


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


KEYS: Mapping[str, Rule] = {
    **{name: RULES.get(name) or UnsettableRule(ObjectRule(), one.unset)
       for name, one in SAMPLING.items()},
    SYSTEM: SwitchRule(),
    SCHEMA: SwitchRule(),
}  # fmt: skip
"""What can be set of a judge, a role or whoever is asked at an endpoint."""
LISTED = ", ".join(KEYS)


class SetOption(NamedTuple):
    """One of the two options with its text taken apart; `target` is empty for all parties."""

    target: str
    key: str
    value: Any


def read_sets(texts: Iterable[str], option: str, targets: Iterable[str]) -> list[SetOption]:
    """What texts of the form ``[TARGET:]KEY=VALUE`` say.

    Raises:
        UsageError: One is not of that form, names no known target or setting, stands twice, or
            its value is not what that setting may be.
    """
    known, sets = sorted(targets, key=len, reverse=True), dict[tuple[str, str], SetOption]()
    for text in texts:
        one = _read(text, option, known)
        if (one.target, one.key) in sets:
            of = f"{one.target}:" if one.target else ""
            raise UsageError(f"{option} {of}{one.key} is given twice")
        sets[one.target, one.key] = one
    return list(sets.values())


def _read(text: str, option: str, targets: list[str]) -> SetOption:
    target = next((one for one in targets if text.startswith(f"{one}:")), "")
    rest = text[len(target) + 1 :] if target else text
    written, equals, value = rest.partition("=")
    key = written.strip().replace("-", "_")
    if not equals:
        raise UsageError(f"{option} {written!r:.60} is not of the form {_FORMS[option]}")
    if key not in KEYS:
        raise UsageError(f"{option} {written}: {_unknown(option, key, targets)}")
    try:
        return SetOption(target, key, KEYS[key].read(value.strip()))
    except UnfitValue as error:
        shown = "" if key == "extra_body" else f", not {value!r:.40}"
        raise UsageError(f"{option} {written.strip()} must be {error}{shown}") from None


_FORMS = {JUDGE_SET: "[JUDGE:]KEY=VALUE", ROLE_SET: "[ROLE:]KEY=VALUE"}


def _unknown(option: str, key: str, targets: list[str]) -> str:
    """Why a key is none: it begins with a judge or a role that there is not, or is misspelled."""
    name, colon, rest = key.rpartition(":")
    if colon and rest in KEYS:
        kind = "judge" if option == JUDGE_SET else "role"
        choices = sorted(set(targets))
        listed = ", ".join(choices) or "none"
        return f"there is no such {kind} here{nearest(name, choices)}; there are: {listed}"
    return f"there is no such setting{nearest(key, KEYS)}; there are: {LISTED}"


def values_of(sets: Iterable[SetOption], *targets: str) -> dict[str, Any]:
    """Settings by key, of all parties and then of these targets, the later going before."""
    rows = list(sets)
    return {s.key: s.value for target in ("", *targets) for s in rows if s.target == target}


def as_texts(name: str, value: object) -> tuple[str, ...]:
    """The texts of an option from Python or TOML: a text, several, or a mapping.

    The mapping is of values by key, or of such mappings by judge or role.

    Raises:
        UsageError: It is nothing of that kind, or holds what JSON cannot.
    """
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping):
        return tuple(_texts(name, value))
    several = list(value) if isinstance(value, Iterable) else [value]
    texts = [one for one in several if isinstance(one, str)]
    if len(texts) == len(several):
        return tuple(texts)
    raise UsageError(f"{name} must be a mapping, such as {{'temperature': 0.2}}")


def _texts(name: str, values: Mapping[Any, Any]) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, Mapping) and str(key).replace("-", "_") not in KEYS:
            yield from (f"{key}:{text}" for text in _texts(name, value))
        else:
            yield f"{key}={_text(name, str(key), value)}"


def _text(name: str, key: str, value: object) -> str:
    if value is None:
        return SAMPLING[key].unset if key in SAMPLING else "none"
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{name} {key} holds what JSON cannot: {error}") from None


def texts_about(texts: Iterable[str], targets: Iterable[str]) -> tuple[str, ...]:
    """The texts that are about all parties, or about one of these."""
    names = {*targets, ""}
    return tuple(text for text in texts if _target(text) in names)


def _target(text: str) -> str:
    """The role that a text names before its key, as roles have no colon in their names."""
    return text.partition("=")[0].rpartition(":")[0]
