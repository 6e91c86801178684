"""Every key of a declaration, by the JSON schema that editors read too: the reader goes by it.

Of the schema there is what `check` reads, and no more. A ``title`` says in words what a value has
to be, a ``format`` of ``template`` that it is one, and `anyOf` of a kind and a list of it that one
may stand without brackets.
"""

import math
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from eibench import read_json

from .templates import BrokenTemplate, Place, Prompt, Values

SCHEMA = Path(__file__).with_name("declared.schema.json")
"""The file of the schema."""
_TYPES = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}


class Checker(Protocol):
    """Who is told what is wrong, and reads the files that a declaration names."""

    def report(self, where: Place, message: str) -> None:
        """Say what is wrong with a value, and what to do."""
        ...

    def text_of(self, where: Place, path: str) -> str:
        """The text of a file beside the declaration; empty where it cannot be had."""
        ...


@cache
def json_schema() -> Values:
    """The schema for editors."""
    schema: Values = read_json(SCHEMA)
    return schema


def near(name: object, known: Iterable[str]) -> str:
    """The nearest known name, or all of them, as the end of a message."""
    names = list(known)
    alike = get_close_matches(str(name), names, n=1, cutoff=0.6)
    return f"; did you mean {alike[0]}?" if alike else f"; there are: {', '.join(names)}"


def resolved(rule: Values) -> Values:
    """A part of the schema with what it refers to."""
    if "$ref" not in rule:
        return rule
    name = rule["$ref"].rpartition("/")[2]
    return {**resolved(json_schema()["$defs"][name]), **rule}


def needed(rule: Values) -> str:
    """What a value has to be, in words."""
    rule = resolved(rule)
    if "title" in rule:
        return str(rule["title"])
    if "anyOf" in rule:
        return " or ".join(map(needed, rule["anyOf"]))
    if rule["type"] == "array":
        return f"a list, each {needed(rule['items'])}"
    words = {"string": "a text", "boolean": "true or false", "object": "a table"}
    if kind := words.get(rule["type"]):
        return kind
    low, high = rule.get("minimum"), rule.get("maximum")
    if low == high is not None:
        return f"{low:g}"
    ends = [f"{word} {end:g}" for word, end in (("from", low), ("to", high)) if end is not None]
    return " ".join(["a whole number" if rule["type"] == "integer" else "a number", *ends])


def check(value: Any, rule: Values, where: Place, checker: Checker) -> Any:
    """A value as it is used, with defaults and templates; what is wrong with it is reported."""
    rule = resolved(rule)
    if "oneOf" in rule:
        return _of_kind(value, rule["oneOf"], where, checker)
    rules = rule.get("anyOf", [rule])
    fitting = next((one for one in map(resolved, rules) if _is_of_type(value, one)), None)
    if fitting is None:
        name, kind = ".".join(key for key in where if isinstance(key, str)), rules[-1]["type"]
        swapped = {"array": dict, "object": list}
        is_swapped = isinstance(kind, str) and isinstance(value, swapped.get(kind, ()))
        header = f"[[{name}]]" if kind == "array" else f"[{name}]"
        instead = f"; write {header}" if is_swapped else f", not {value!r:.40}"
        checker.report(where, f"must be {needed(rule)}{instead}")
        return value
    is_single = fitting["type"] != "array" and rules[-1].get("items") == rules[0]
    checked = _looked_at(value, fitting, where, checker)
    return [checked] if is_single else checked


def _is_of_type(value: object, rule: Values) -> bool:
    names = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    return any(type(value) in _TYPES[name] for name in names)


def _looked_at(value: Any, rule: Values, where: Place, checker: Checker) -> Any:
    """The same for a value of the right type."""
    if rule.get("format") == "template":
        return _template(value, rule, where, checker)
    if isinstance(value, list):
        if len(value) < rule.get("minItems", 0):
            checker.report(where, f"needs {rule['minItems']} at least, and has {len(value)}")
        items = rule["items"]
        return [check(one, items, (*where, n), checker) for n, one in enumerate(value)]
    if isinstance(value, dict):
        is_free = "properties" not in rule
        return (_free if is_free else _table)(value, rule, where, checker)
    if value in rule.get("enum", [value]) and _is_within(value, rule):
        return value
    choices = rule.get("enum")
    what = f"cannot be {value!r:.40}{near(value, choices)}" if choices else ""
    checker.report(where, what or f"must be {needed(rule)}, not {value!r:.40}")
    return value


def _is_within(value: Any, rule: Values) -> bool:
    if isinstance(value, str):
        return re.search(rule.get("pattern", ""), value) is not None
    low, high = rule.get("minimum", -math.inf), rule.get("maximum", math.inf)
    return bool(low <= value <= high and math.isfinite(value))


def _template(value: Any, rule: Values, where: Place, checker: Checker) -> Prompt:
    text = value
    if isinstance(value, dict):
        if list(value) != ["file"] or not isinstance(value["file"], str):
            checker.report(where, f"must be {needed(rule)}")
            return Prompt("", where, ())
        text = checker.text_of(where, value["file"])
    try:
        return Prompt.parse(text, where)
    except BrokenTemplate as error:
        checker.report(where, str(error))
        return Prompt("", where, ())


def _free(value: Values, rule: Values, where: Place, checker: Checker) -> Values:
    """A table whose keys are free names."""
    if not value:
        checker.report(where, "is empty; leave it out")
    for name in value if "propertyNames" in rule else ():
        check(name, rule["propertyNames"], (*where, name), checker)
    of = rule["additionalProperties"]
    return {name: check(one, of, (*where, name), checker) for name, one in value.items()}


def _table(value: Values, rule: Values, where: Place, checker: Checker) -> Values:
    """A table of known keys, with the defaults of those that are left out."""
    keys: Mapping[str, Values] = rule["properties"]
    meant: set[str] = set()
    for name in value:
        if name not in keys:
            checker.report((*where, name), f"no such key{near(name, keys)}")
            meant.update(get_close_matches(name, keys, n=1))
    checked: Values = {}
    for name, key in keys.items():
        if name in value:
            checked[name] = check(value[name], key, (*where, name), checker)
        elif name not in rule["required"]:
            default = key.get("default")
            is_table = default == {} and "properties" in resolved(key)
            checked[name] = check({}, key, where, checker) if is_table else default
        elif name not in meant:
            checker.report((*where, name), f"is missing: {key['description']}")
    return checked


def _of_kind(value: Any, rules: list[Values], where: Place, checker: Checker) -> Any:
    """A table whose keys depend on the one that is called ``kind``."""
    by_kind = {rule["properties"]["kind"]["enum"][0]: rule for rule in rules}
    if not isinstance(value, dict):
        checker.report(where, f"must be a table, not {value!r:.40}")
        return {"kind": ""}
    kind = value.get("kind")
    if isinstance(kind, str) and kind in by_kind:
        return check(value, by_kind[kind], where, checker)
    what = f"cannot be {kind!r:.40}{near(kind, by_kind)}"
    missing = f"is missing: one of {', '.join(by_kind)}"
    checker.report((*where, "kind"), what if "kind" in value else missing)
    return {"kind": ""}
