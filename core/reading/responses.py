"""Answers that somebody else had made, in any of the forms that Python code has them.

One is the batch files of the OpenAI API, requests to upload and the results that come back, as in
https://platform.openai.com/docs/guides/batch, which vLLM and others read too. A `custom_id` is
ITEM/ITERATION/REQUEST.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError
from ..types import Json, JsonDict, JsonObject
from .formats import read_jsonl
from .packs import Pack

BATCH = "openai-batch"
"""The name of that form."""


def batch_request(model: str, line: JsonObject) -> JsonDict:
    """A line of `bench prompts` as a line to upload."""
    key = (line["item_id"], line["iteration"], line.get("request", 1))
    body = {k: v for k, v in line.items() if k not in ("item_id", "iteration", "request")}
    custom_id = "/".join(map(str, key))
    upload: JsonDict = {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions"}
    return {**upload, "body": {"model": model, **body}}


def _batch_result(origin: object, position: str, row: JsonObject) -> JsonDict:
    """A result's line as a line of answers; one without an answer has an ``error``."""
    parts = str(row["custom_id"]).rsplit("/", 2)
    if len(parts) != 3 or not all(p.isdecimal() and len(p) < 5 for p in parts[1:]):
        message = f"custom_id {row['custom_id']!r:.60} is not of bench prompts --format {BATCH}"
        raise DataError(origin, message, position)
    key: JsonDict = {"item_id": parts[0], "iteration": int(parts[1]), "request": int(parts[2])}
    body = _completion(row)
    return {**key, "response": body} if body is not None else {**key, "error": _why(row)}


def _completion(row: Any) -> JsonObject | None:
    """The chat completion of a result; ``None`` where there is none."""
    try:
        if row.get("error") or row["response"]["status_code"] != 200:
            return None
        body = row["response"]["body"]
        is_message = isinstance(body["choices"][0]["message"], Mapping)
    except (AttributeError, IndexError, KeyError, TypeError):
        return None
    return body if is_message and isinstance(body, Mapping) else None


def _why(row: Any) -> str:
    """Why a result has no answer, as it says itself."""
    response = row.get("response")
    response = response if isinstance(response, Mapping) else {}
    body = response.get("body")
    body = body if isinstance(body, Mapping) else {}
    error = row.get("error") or body.get("error") or body  # vLLM's body is the error itself
    reason = error.get("message") or error.get("code") if isinstance(error, Mapping) else error
    status = response.get("status_code", 200)
    return f"{reason or 'the result has no answer'}" + (
        f" (status {status})" if status != 200 else ""
    )


Responses = (
    str
    | os.PathLike[str]
    | Mapping[str, str]
    | Mapping[tuple[str, int], str]
    | Iterable[JsonObject]
)
"""A file of lines ``{"item_id", "response"[, "iteration"][, "request"]}`` or of results of OpenAI's
batches, such rows, or texts by item id or by item id and iteration."""

MOST_ITERATIONS = 1000
"""A larger one is taken for a slip: each iteration up to it would be a row per item."""


class ResponseSet(NamedTuple):
    """Answers by item id and iteration.

    Attributes:
        replies: By the number of the request: a text, or a chat completion as a batch has it.
        failed: Why a sample has no answer, where the file says so.
    """

    replies: Mapping[tuple[str, int], Mapping[int, str | JsonObject]]
    failed: Mapping[tuple[str, int], str]


def read_responses(responses: Responses, pack: Pack, requests: Mapping[str, int]) -> ResponseSet:
    """The answers of a file, rows or texts to the items of a pack, `requests` per sample of each.

    Raises:
        DataError: One is not of the form, names an item or a request that there is not, or
            answers a request a second time; the message has its place.
    """
    origin = path_of(responses)
    first: dict[SampleKey, str] = {}
    replies: dict[tuple[str, int], dict[int, str | JsonObject]] = {}
    failed: dict[tuple[str, int], str] = {}
    for position, row in _rows(responses):
        key, reply, error = _response(origin, position, row)
        if key.item_id not in requests:
            message = f"the {pack.source.name} pack has no item {key.item_id!r}"
            raise DataError(origin, f"{message}; --dataset names another", position)
        if key.request > (most := requests[key.item_id]):
            message = f"{key.message} has no request {key.request}; it has {most}"
            raise DataError(origin, message, position)
        if key in first:
            which = f", request {key.request}," if requests[key.item_id] > 1 else ","
            message = f"{key.message}{which} is answered in {first[key]} already"
            raise DataError(origin, message, position)
        first[key] = position
        if error:
            failed[key.item_id, key.iteration] = error
        else:
            replies.setdefault((key.item_id, key.iteration), {})[key.request] = reply
    if not first:
        raise DataError(origin, "holds no responses")
    return ResponseSet({key: replies[key] for key in replies if key not in failed}, failed)


class SampleKey(NamedTuple):
    """What an answer is to."""

    item_id: str
    iteration: int
    request: int

    @property
    def message(self) -> str:
        """The sample, for messages."""
        return f"item {self.item_id!r}, iteration {self.iteration}"


def path_of(responses: Responses) -> Path:
    """The file that answers come from; ``responses``, as messages say, where there is none."""
    return Path(responses) if isinstance(responses, str | os.PathLike) else Path("responses")


def _rows(responses: object) -> Iterator[tuple[str, object]]:
    """Each row with its place, for messages."""
    if isinstance(responses, str | os.PathLike):
        yield from ((f"line {number}", row) for number, row in read_jsonl(Path(responses)))
    elif isinstance(responses, Mapping):
        for key, text in responses.items():
            yield f"key {key!r}", {**_key(key), "response": text}
    elif isinstance(responses, Iterable):
        yield from ((f"row {number}", row) for number, row in enumerate(responses, start=1))
    else:
        message = f"must be a path, a mapping or rows, not {type(responses).__name__}"
        raise DataError("responses", message)


def _key(key: Json) -> JsonDict:
    if isinstance(key, tuple) and len(key) == 2:
        return {"item_id": key[0], "iteration": key[1]}
    return {"item_id": key}


def _response(
    origin: object, position: str, row: object
) -> tuple[SampleKey, str | JsonObject, str]:
    """What a row answers, its reply, and why there is none."""
    if not isinstance(row, Mapping):
        raise DataError(origin, "not a JSON object", position)
    if is_result := "custom_id" in row:
        row = _batch_result(origin, position, row)
    key, error = sample_key(origin, position, row), row.get("error")
    reply = row.get("response", "" if error else None)
    if not (isinstance(reply, str) or (is_result and isinstance(reply, Mapping))):
        raise DataError(origin, 'needs "response", a text', position)
    return key, reply, str(error or "")


def sample_key(origin: object, position: str, row: Mapping[str, Any]) -> SampleKey:
    """Which request of which sample a row is about.

    Raises:
        DataError: It does not say so.
    """
    item_id = row.get("item_id")
    if isinstance(item_id, int) and not isinstance(item_id, bool):
        item_id = str(item_id)
    if not isinstance(item_id, str):
        raise DataError(origin, 'needs "item_id", a text', position)
    for name in ("iteration", "request"):
        number = row.get(name, 1)
        is_whole = isinstance(number, int) and not isinstance(number, bool)
        if not is_whole or not 1 <= number <= MOST_ITERATIONS:
            message = f'"{name}" must be a whole number from 1 to {MOST_ITERATIONS:,}'
            raise DataError(origin, message, position)
    return SampleKey(item_id, row.get("iteration", 1), row.get("request", 1))
