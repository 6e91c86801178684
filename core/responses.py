"""Answers that somebody else had made, in any of the forms that Python code has them."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .benchmark import Pack
from .datasets import read_jsonl
from .errors import DataError

Responses = (
    str
    | os.PathLike[str]
    | Mapping[str, str]
    | Mapping[tuple[str, int], str]
    | Iterable[Mapping[str, Any]]
)
"""A file of lines ``{"item_id", "response"[, "iteration"]}``, such rows, or texts by item id
or by item id and iteration."""

MOST_ITERATIONS = 1000
"""A larger one is taken for a slip: each iteration up to it would be a row per item."""


def read_responses(responses: Responses, pack: Pack) -> dict[tuple[str, int], str]:
    """The replies by item id and iteration.

    Raises:
        DataError: One is not of the form, names an item that the pack does not have, or
            answers a sample a second time; the message has its place.
    """
    origin = path_of(responses)
    known = {item.id for item in pack.items}
    first: dict[tuple[str, int], str] = {}
    replies: dict[tuple[str, int], str] = {}
    for place, row in _rows(responses):
        key, text = _response(origin, place, row)
        if key[0] not in known:
            told = f"the {pack.source.name} pack has no item {key[0]!r}"
            raise DataError(origin, f"{told}; --dataset names another", place)
        if key in replies:
            told = f"item {key[0]!r}, iteration {key[1]}, is answered in {first[key]} already"
            raise DataError(origin, told, place)
        replies[key], first[key] = text, place
    if not replies:
        raise DataError(origin, "holds no responses")
    return replies


def path_of(responses: Responses) -> Path:
    """The file that answers come from; ``responses``, as messages say, where there is none."""
    return Path(responses) if isinstance(responses, str | os.PathLike) else Path("responses")


def _rows(responses: Any) -> Iterator[tuple[str, Any]]:
    """Each row with its place, for messages."""
    if isinstance(responses, str | os.PathLike):
        yield from ((f"line {number}", row) for number, row in read_jsonl(Path(responses)))
    elif isinstance(responses, Mapping):
        for key, text in responses.items():
            yield f"key {key!r}", {**_key(key), "response": text}
    elif isinstance(responses, Iterable):
        yield from ((f"row {number}", row) for number, row in enumerate(responses, start=1))
    else:
        told = f"must be a path, a mapping or rows, not {type(responses).__name__}"
        raise DataError("responses", told)


def _key(key: Any) -> dict[str, Any]:
    if isinstance(key, tuple) and len(key) == 2:
        return {"item_id": key[0], "iteration": key[1]}
    return {"item_id": key}


def _response(origin: object, place: str, row: Any) -> tuple[tuple[str, int], str]:
    if not isinstance(row, Mapping):
        raise DataError(origin, "not a JSON object", place)
    item_id, text, iteration = row.get("item_id"), row.get("response"), row.get("iteration", 1)
    if isinstance(item_id, int) and not isinstance(item_id, bool):
        item_id = str(item_id)
    if not isinstance(item_id, str):
        raise DataError(origin, 'needs "item_id", a text', place)
    if not isinstance(text, str):
        raise DataError(origin, 'needs "response", a text', place)
    is_whole = isinstance(iteration, int) and not isinstance(iteration, bool)
    if not is_whole or not 1 <= iteration <= MOST_ITERATIONS:
        told = f'"iteration" must be a whole number from 1 to {MOST_ITERATIONS:,}'
        raise DataError(origin, told, place)
    return (item_id, iteration), text
