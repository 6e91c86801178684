"""One comparison of a results file: what each judge said of a pair, in one order."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from eibench import JsonObject

from .foreign_values import Wrong, object_in, some_text

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
    """The replies in a comparison, one for each judge; `judge` is who it is where it does not say.

    Raises:
        Wrong: A part is of the wrong type.
        UnreadableComparison: It cannot be used.
    """
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
