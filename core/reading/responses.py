"""Answers that somebody else had made, in any of the forms that Python code has them.

One is the batch files of the OpenAI API, requests to upload and the results that come back, as in
https://platform.openai.com/docs/guides/batch, which vLLM and others read too. A `custom_id` is
ITEM/ITERATION/REQUEST. Results of Anthropic's message batches are read like them.
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
    body = _in_known_form(_body(row))
    if any(isinstance(body.get(answer), list) for answer in ("choices", "content")):
        return {**key, "response": body}
    why = _why(row)
    if not why and body:
        message = "its answer has none of the forms of chat completions, completions, responses"
        raise DataError(origin, f"{message} and Anthropic's messages", position)
    return {**key, "error": why or "the result has no answer"}


def _object(value: object) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _body(row: JsonObject) -> JsonObject:
    """The body of a result's response, or its message; empty where it was refused."""
    if row.get("result") is not None:
        return _object(_object(row["result"]).get("message"))
    response = _object(row.get("response"))
    is_answer = response.get("status_code", 200) == 200 and not row.get("error")
    return _object(response.get("body", response)) if is_answer else {}


_ENDED = {"completed": "stop", "max_output_tokens": "length"}
"""How a response ended, in the words of chat completions; others are alike."""


def _in_known_form(body: JsonObject) -> JsonObject:
    """A body of `/v1/responses` or `/v1/completions` as that of a chat completion."""
    output, choices = body.get("output"), body.get("choices")
    if isinstance(choices, list) and choices and "text" in (first := _object(choices[0])):
        return {**body, "choices": [{**first, "message": {"content": first["text"]}}]}
    if not isinstance(output, list) or body.get("error"):
        return body
    items, contents = list(map(_object, output)), list[JsonObject]()
    for one in items:
        content = one.get("content")
        contents += map(_object, content if "role" in one and isinstance(content, list) else ())
    message: JsonDict = {
        "content": contents,
        "refusal": "".join(str(part.get("refusal") or "") for part in contents),
        "reasoning": [one.get("summary") or one.get("content") for one in items
                      if "role" not in one],
    }  # fmt: skip
    why = _object(body.get("incomplete_details")).get("reason")
    ended = str(why or body.get("status"))
    choice: JsonDict = {"message": message, "finish_reason": _ENDED.get(ended, ended)}
    usage = _object(body.get("usage"))
    counts = {f"{to}_{what}": usage.get(f"{of}_{what}")
              for of, to in (("input", "prompt"), ("output", "completion"))
              for what in ("tokens", "tokens_details")}  # fmt: skip
    return {**body, "choices": [choice], "usage": counts}


def _why(row: JsonObject) -> str:
    """Why a result has no answer, as it says itself; empty where it does not."""
    result, response = _object(row.get("result")), _object(row.get("response"))
    status, body = response.get("status_code", 200), _object(response.get("body", response))
    error: Any = row.get("error") or result.get("error") or body.get("error")
    error = error or (body if status != 200 else None)  # vLLM's body is the error itself
    while isinstance(error, Mapping) and isinstance(error.get("error"), Mapping):
        error = error["error"]
    reason = error.get("message") or error.get("code") if isinstance(error, Mapping) else error
    if not reason and result.get("type") != "succeeded":
        reason = result.get("type")
    if status == 200:
        return str(reason or "")
    return f"{reason or 'the result has no answer'} (status {status})"


Responses = (
    str
    | os.PathLike[str]
    | Mapping[str, str]
    | Mapping[tuple[str, int], str]
    | Iterable[JsonObject]
)
"""A file of lines ``{"item_id", "response"[, "iteration"][, "request"]}`` or of results of batches,
such rows, or texts by item id or by item id and iteration."""

MOST_ITERATIONS = 1000
"""A larger one is taken for a slip: each iteration up to it would be a row per item."""


class ResponseSet(NamedTuple):
    """Answers by item id and iteration.

    Attributes:
        replies: By the number of the request: a text, or the body that a batch has.
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
