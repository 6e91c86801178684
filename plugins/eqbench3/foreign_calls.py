"""One comparison of a results file: what each judge said of a pair, in one order."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from eibench import DataError, JsonObject

MOST_ITERATIONS = 1000
_LONGEST_NAME = 200
_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)


T = TypeVar("T", str, bool, int)


class Wrong(ValueError):
    """A part of a file is of the wrong type."""


@contextmanager
def placed(origin: Path, position: str) -> Iterator[None]:
    """Tells where in the file a part of the wrong type is."""
    try:
        yield
    except Wrong as error:
        raise DataError(origin, str(error), position) from None


def object_in(owner: Any, key: str) -> JsonObject:
    """An object."""
    value = owner.get(key)
    if not isinstance(value, dict):
        raise Wrong(f'needs "{key}", an object')
    return value


def text_in(owner: JsonObject, key: str) -> str:
    """A text; it may be empty."""
    if not isinstance(value := owner.get(key), str):
        raise Wrong(f'needs "{key}", a text')
    return value


def some_text(value: object, key: str) -> str:
    """A text that is not empty, and that a file can hold."""
    if not isinstance(value, str) or not value.strip():
        raise Wrong(f'needs "{key}", a text')
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Wrong(f'"{key}" holds half of a character') from None
    return value


_WORDS: Mapping[type, str] = {str: "a text", bool: "true or false", int: "a whole number"}


def optional(owner: JsonObject, key: str, kind: type[T]) -> T | None:
    """A text, a truth or a whole number, or nothing."""
    value = owner.get(key)
    if value is None or type(value) is kind:
        return value
    raise Wrong(f'"{key}" must be {_WORDS[kind]}')


def model_name(value: object, what: str) -> str:
    """A name that can stand in a table and in a spec: one line of it, and not too long."""
    if not isinstance(value, str) or not value.strip():
        raise Wrong(f"needs {what}, a name")
    name = value.strip()
    if not name.isprintable() or len(name) > _LONGEST_NAME:
        raise Wrong(f"{what} is no name: at most {_LONGEST_NAME} characters, none for control")
    return name


def iteration_number(key: str) -> int:
    """An iteration, from 1."""
    if not _NUMBER.fullmatch(key) or int(key) > MOST_ITERATIONS:
        raise Wrong(f"must be a whole number from 1 to {MOST_ITERATIONS:,}")
    return int(key)


_ORDERS: Mapping[str, Literal["a", "b"]] = {
    "A0493:test / A0488:other": "a",
    "A0493:other / A0488:test": "b",
    "forward": "a",  # so where the published code could not read the reply
    "reversed": "b",
}
_DIGITS = re.compile(r"[0-9]{1,9}", re.ASCII)


class JudgedPair(NamedTuple):
    """One reply of one judge to one pair in one order."""

    scenario: str
    iteration: int
    test: str
    other: str
    first: Literal["a", "b"]
    judge: str
    reply: str
    outcome: object
    """Who won, as the file says."""
    len_test: float | None = None
    len_other: float | None = None
    """Mean length of a model's replies in the conversation; ``None`` where it is not told."""


class UnreadableComparison(ValueError):
    """A comparison is left out, and why."""


def read_calls(row: object, judge: str) -> Iterator[JudgedPair]:
    """The replies in a comparison, one for each judge; `judge`, where it does not say who."""
    if not isinstance(row, dict):
        raise Wrong("is no JSON object")
    pair = object_in(row, "pair")
    test, other = (some_text(pair.get(key), key) for key in ("test_model", "neighbor_model"))
    scenario, iteration = _scenario(row), _iteration(pair)
    replies = list(_replies(row, judge))
    outcome = row.get("outcome_for_test_model")
    lengths = [_length(row, f"{who}_model_avg_response_length") for who in ("test", "neighbor")]
    if test == other:
        raise UnreadableComparison("it compares a model with itself")
    order = row.get("order")
    if not isinstance(order, str) or (first := _ORDERS.get(" ".join(order.split()))) is None:
        raise UnreadableComparison("its order is unknown")
    for named, reply in replies:
        yield JudgedPair(scenario, iteration, test, other, first, named, reply, outcome, *lengths)


def _replies(row: JsonObject, judge: str) -> Iterator[tuple[str, str]]:
    """Judges, and what they said."""
    if "judge_responses" in row:  # several judges were asked; the single reply is the first's
        names, replies = row.get("judge_models"), row["judge_responses"]
        if (
            not isinstance(names, list)
            or not isinstance(replies, list)
            or len(names) != len(replies)
        ):
            raise Wrong('needs "judge_models" and "judge_responses", two lists of one length')
        for name, one in zip(names, replies, strict=True):
            yield some_text(name, "judge_models"), _reply({"judge_response": one})
    elif "error" in row:
        raw = row.get("raw_judge_response")
        if not isinstance(raw, str) or not raw.strip():
            raise UnreadableComparison("the judge did not reply")
        yield judge, raw
    else:
        yield judge, _reply(row)


def _reply(row: JsonObject) -> str:
    """What the judge said, as text again; the file has it read already."""
    if row.get("judge_response") is None:
        raise UnreadableComparison("what the judge said is not there")
    return json.dumps(object_in(row, "judge_response"))


def _length(row: JsonObject, key: str) -> float | None:
    """A number above 0; nothing was said where it is 0."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float | None):
        raise Wrong(f'"{key}" must be a number')
    return float(value) if value and value > 0 else None


def _scenario(row: JsonObject) -> str:
    value = row.get("scenario_id")
    if type(value) is int:
        return str(value)
    return some_text(value, "scenario_id")


def _iteration(pair: JsonObject) -> int:
    """The iteration as the file counts; older files do not name it."""
    value = pair.get("iteration_index", 1)
    if type(value) is int and 0 <= value < 10**9:
        return value
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    raise Wrong('"iteration_index" must be a whole number from 0')
