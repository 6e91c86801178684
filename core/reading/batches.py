"""Batch files of the OpenAI API: requests to upload, and the results that come back.

The form is that of https://platform.openai.com/docs/guides/batch, which vLLM and others read too.
A `custom_id` is ITEM/ITERATION/REQUEST.
"""

from collections.abc import Mapping
from typing import Any

from ..errors import DataError
from ..types import JsonDict, JsonObject

FORM = "openai-batch"
URL = "/v1/chat/completions"


def request(model: str, line: JsonObject) -> JsonDict:
    """A line of `bench prompts` as a line to upload."""
    place = (line["item_id"], line["iteration"], line.get("request", 1))
    body = {k: v for k, v in line.items() if k not in ("item_id", "iteration", "request")}
    custom_id = "/".join(map(str, place))
    return {"custom_id": custom_id, "method": "POST", "url": URL, "body": {"model": model, **body}}


def result(origin: object, place: str, row: JsonObject) -> JsonDict:
    """A result's line as a line of answers; one without an answer has an ``error``.

    Args:
        origin: The file, for messages.
        place: The line, for messages.
        row: The line.

    Raises:
        DataError: Its `custom_id` is not one of `bench prompts`.
    """
    parts = str(row["custom_id"]).rsplit("/", 2)
    if len(parts) != 3 or not all(p.isdecimal() and len(p) < 5 for p in parts[1:]):
        message = f"custom_id {row['custom_id']!r:.60} is not of bench prompts --format {FORM}"
        raise DataError(origin, message, place)
    key: JsonDict = {"item_id": parts[0], "iteration": int(parts[1]), "request": int(parts[2])}
    text = _text(row)
    return {**key, "response": text} if text is not None else {**key, "error": _why(row)}


def _text(row: Any) -> str | None:
    """The answer of a result; ``None`` where there is none."""
    try:
        if row.get("error") or row["response"]["status_code"] != 200:
            return None
        message = row["response"]["body"]["choices"][0]["message"]
        text = message.get("content") or message.get("refusal") or ""
    except (AttributeError, IndexError, KeyError, TypeError):
        return None
    return text if isinstance(text, str) else None


def _why(row: Any) -> str:
    """Why a result has no answer, as it says itself."""
    response = row.get("response")
    response = response if isinstance(response, Mapping) else {}
    body = response.get("body")
    error = row.get("error") or (body.get("error") if isinstance(body, Mapping) else None)
    said = error.get("message") or error.get("code") if isinstance(error, Mapping) else error
    status = response.get("status_code", 200)
    return f"{said or 'the result has no answer'}" + (
        f" (status {status})" if status != 200 else ""
    )
