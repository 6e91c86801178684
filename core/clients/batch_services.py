"""The batch APIs of OpenAI and Anthropic: many requests at once, at half the price, within a day.

What they have in common is here a `BatchService`; how it is used is in `batching`. Sources:
developers.openai.com/api/docs/guides/batch and platform.claude.com/docs/en/build-with-claude/
batch-processing, read 2026-11-23.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from datetime import datetime
from email.utils import mktime_tz, parsedate_tz
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty
from ..types import JsonDict, JsonObject
from .failures import malformed, provider_error, read_failure, shown
from .http import HttpAnswer
from .replies import count, json_object, mapping
from .sdk import AnthropicSdk, OpenAISdk, SdkTransport

_LISTED = 100
_PAGES = 1000
"""More pages of a list are no list of batches but one that has no end."""
_ANSWER_S = 600.0
_WINDOW = "24h"
_STATUSES = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402,
    "permission_error": 403, "not_found_error": 404, "rate_limit_error": 429, "api_error": 500,
    "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip
"""Of Anthropic's types of errors, the status that each has in a live answer."""


class MaybeAccepted(Exception):
    """Whether a batch was taken is not known: its submission was not answered."""


class BatchState(NamedTuple):
    """How far a batch is.

    Attributes:
        age_s: Seconds since it was made, by its provider's clock; ``None`` where that is not shown.
        failed: Why it ended without any result.
    """

    ended: bool
    text: str
    age_s: float | None
    failed: str | None = None


class ListedBatch(NamedTuple):
    """A batch as the provider lists it.

    Attributes:
        attempt: Which submission of ours it is, where the provider keeps that.
        age_s: As of a `BatchState`.
    """

    id: str
    attempt: str | None
    requests: int
    age_s: float | None


class BatchLine(NamedTuple):
    """What came of a request: an answer, or why there is none; it may be `billed` all the same."""

    custom_id: str
    answer: HttpAnswer | None
    why: str = ""
    billed: bool = False


class BatchService(Protocol):
    """A batch API.

    Attributes:
        most_requests, most_bytes: Of one batch.
        names_attempts: Whether a listed batch says which submission it is.
    """

    most_requests: int
    most_bytes: int
    names_attempts: bool

    def line(self, custom_id: str, body: JsonObject) -> bytes:
        """A request as it counts towards `most_bytes`."""
        ...

    async def submit(self, attempt: str, lines: Sequence[bytes]) -> str:
        """The id of a new batch; asked for once.

        Raises:
            MaybeAccepted: No answer came.
            ProviderError: It was refused.
        """
        ...

    async def state(self, id: str) -> BatchState | None:
        """How far it is; ``None`` where the provider does not know it (yet).

        Raises:
            ProviderError: The answer is no batch, or in a state that is not known here.
        """
        ...

    def listed(self) -> AsyncIterator[ListedBatch]:
        """All batches that the provider lists; clocks that differ hide none."""
        ...

    async def lines(self, id: str) -> Sequence[BatchLine]:
        """What came of its requests, in any order; some may be missing, or there twice."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


class OpenAIBatches:
    """Files of requests to `/v1/chat/completions`, of one model each."""

    most_requests, most_bytes = 50_000, 200 * 10**6
    names_attempts = True

    def __init__(self, sdk: OpenAISdk, asked: AskedParty) -> None:
        self._sdk, self._asked = sdk, asked

    def line(self, custom_id: str, body: JsonObject) -> bytes:
        """A line of the file."""
        row = {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions"}
        return _line({**row, "body": body})

    async def submit(self, attempt: str, lines: Sequence[bytes]) -> str:
        """The id of a new batch; an upload without a batch costs nothing."""
        name = f"eibench-{attempt}.jsonl"
        uploaded = await _exchange(self._sdk, self._sdk.upload(name, b"".join(lines)))
        file = _object(uploaded, self._asked, "id")
        body: JsonDict = {
            "input_file_id": str(file["id"]), "endpoint": "/v1/chat/completions",
            "completion_window": _WINDOW, "metadata": {"eibench": attempt},
        }  # fmt: skip
        return await _created(self._sdk, "/batches", body, self._asked)

    async def _batch(self, id: str) -> "_DatedObject | None":
        return await _looked_up(self._sdk, f"/batches/{quote(id, safe='')}", self._asked, "id")

    async def state(self, id: str) -> BatchState | None:
        """How far it is."""
        answered = await self._batch(id)
        if answered is None:
            return None
        batch, age_s = answered.row, answered.age_s
        status, counts = str(batch.get("status")), mapping(batch.get("request_counts"))
        if status not in _OPENAI_STATES:
            raise _no_batch(self._asked, f"a batch that is {status}")
        done = count(counts.get("completed")) + count(counts.get("failed"))
        text = f"{status}, {done:,} of {count(counts.get('total')):,}"
        if status == "failed":
            rows = _objects(mapping(batch.get("errors")).get("data"))
            messages = [str(row.get("message")) for row in rows]
            return BatchState(
                ended=True, text=text, age_s=age_s, failed="; ".join(messages[:3]) or "no reason"
            )
        return BatchState(_OPENAI_STATES[status], text, age_s)

    async def listed(self) -> AsyncIterator[ListedBatch]:
        """All batches that are listed."""
        async for row, age_s in _listed(self._sdk, "/batches", "after", self._asked):
            attempt = mapping(row.get("metadata")).get("eibench")
            total = count(mapping(row.get("request_counts")).get("total"))
            yield ListedBatch(str(row.get("id")), str(attempt), total, age_s)

    async def lines(self, id: str) -> Sequence[BatchLine]:
        """What its files hold, of answers and of errors."""
        answered, lines = await self._batch(id), list[BatchLine]()
        for name in ("output_file_id", "error_file_id"):
            if file := answered and answered.row.get(name):
                answer = await _exchange(self._sdk, self._sdk.fetch(_content_of(str(file))))
                if answer.status != 404:  # it is kept for 30 days
                    _refuse(answer, self._asked)
                    lines += map(_openai_line, _rows(answer, self._asked))
        return lines

    async def close(self) -> None:
        """Close connections."""
        await self._sdk.close()


_OPENAI_STATES = {
    "validating": False, "in_progress": False, "finalizing": False, "cancelling": False,
    "completed": True, "expired": True, "cancelled": True, "failed": True,
}  # fmt: skip
"""Its states, and whether a batch has ended with each."""
_ANTHROPIC_STATES = {"in_progress": False, "canceling": False, "ended": True}


def _content_of(file: str) -> str:
    return f"/files/{quote(file, safe='')}/content"


def _openai_line(row: JsonObject) -> BatchLine:
    response, error = mapping(row.get("response")), mapping(row.get("error"))
    if status := count(response.get("status_code")):
        headers = {"x-request-id": str(response.get("request_id") or "")}
        answer = HttpAnswer(status, headers, json.dumps(response.get("body")).encode())
        return BatchLine(str(row.get("custom_id")), answer)
    why = error.get("message") or error.get("code") or "it has no answer"
    return BatchLine(str(row.get("custom_id")), None, str(why))


class AnthropicBatches:
    """Message batches: all requests in one body; results when the whole batch has ended."""

    most_requests, most_bytes = 100_000, 256 * 10**6
    names_attempts = False
    _PATH = "/v1/messages/batches"

    def __init__(self, sdk: AnthropicSdk, asked: AskedParty) -> None:
        self._sdk, self._asked = sdk, asked

    def line(self, custom_id: str, body: JsonObject) -> bytes:
        """A request as JSON."""
        return _line({"custom_id": custom_id, "params": body})

    async def submit(self, attempt: str, lines: Sequence[bytes]) -> str:
        """The id of a new batch."""
        body: JsonDict = {"requests": [json.loads(line) for line in lines]}
        return await _created(self._sdk, self._PATH, body, self._asked)

    async def state(self, id: str) -> BatchState | None:
        """How far it is."""
        answered = await _looked_up(self._sdk, self._path_of(id), self._asked, "id")
        if answered is None:
            return None
        batch = answered.row
        status = str(batch.get("processing_status"))
        if status not in _ANTHROPIC_STATES:
            raise _no_batch(self._asked, f"a batch that is {status}")
        counts = ", ".join(
            f"{name} {n:,}"
            for name, n in mapping(batch.get("request_counts")).items()
            if isinstance(n, int) and n
        )
        return BatchState(_ANTHROPIC_STATES[status], f"{status} ({counts})", answered.age_s)

    def _path_of(self, id: str) -> str:
        return f"{self._PATH}/{quote(id, safe='')}"

    async def listed(self) -> AsyncIterator[ListedBatch]:
        """All batches that are listed."""
        async for row, age_s in _listed(self._sdk, self._PATH, "after_id", self._asked):
            total = sum(map(count, mapping(row.get("request_counts")).values()))
            yield ListedBatch(str(row.get("id")), None, total, age_s)

    async def lines(self, id: str) -> Sequence[BatchLine]:
        """What came of its requests; nothing of one whose results are no longer kept."""
        answer = await _exchange(self._sdk, self._sdk.fetch(f"{self._path_of(id)}/results"))
        if answer.status == 404:  # they are kept for 29 days
            return []
        _refuse(answer, self._asked)
        return list(map(_anthropic_line, _rows(answer, self._asked)))

    async def close(self) -> None:
        """Close connections."""
        await self._sdk.close()


def _anthropic_line(row: JsonObject) -> BatchLine:
    custom_id, result = str(row.get("custom_id")), mapping(row.get("result"))
    kind = str(result.get("type"))
    if kind == "succeeded":
        body = json.dumps(result.get("message")).encode()
        return BatchLine(custom_id, HttpAnswer(200, {}, body))
    if kind == "errored":
        error = mapping(mapping(result.get("error")).get("error") or result.get("error"))
        status = _STATUSES.get(str(error.get("type")), 500)
        return BatchLine(custom_id, HttpAnswer(status, {}, json.dumps({"error": error}).encode()))
    return BatchLine(custom_id, None, kind)


def _line(row: JsonObject) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


async def _exchange(sdk: SdkTransport, sending: Awaitable[Any]) -> HttpAnswer:
    """The answer to one request, within a time."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            return await sdk.exchange(sending)
    except TimeoutError:
        message = f"no answer about a batch within {_ANSWER_S:g} s"
        raise ProviderError(ErrorKind.TIMEOUT, message) from None


async def _created(sdk: SdkTransport, path: str, body: JsonDict, asked: AskedParty) -> str:
    """The id of what a single request has made; never asked for again by itself."""
    try:
        answer = await _exchange(sdk, sdk.send_to(path, body))
    except ProviderError as error:
        if error.unsent:
            raise
        raise MaybeAccepted from error
    if answer.status >= 500:
        raise MaybeAccepted
    _refuse(answer, asked)
    if not isinstance(id := json_object(answer.text).get("id"), str):
        raise MaybeAccepted
    return id


class _DatedObject(NamedTuple):
    """An object of a provider's, and the time by its clock, in seconds since 1970."""

    row: JsonObject
    now: float | None

    @property
    def age_s(self) -> float | None:
        """Seconds since the object was made, where both times are shown."""
        created = _time_of(self.row.get("created_at"))
        return None if created is None or self.now is None else self.now - created


def _time_of(shown: object) -> float | None:
    """A time as one of the providers writes it, in seconds since 1970; ``None`` for none."""
    if isinstance(shown, int | float):
        return float(shown)
    try:
        return datetime.fromisoformat(str(shown)).timestamp()
    except (ValueError, OverflowError):
        return None


async def _looked_up(
    sdk: SdkTransport, path: str, asked: AskedParty, key: str
) -> _DatedObject | None:
    """The object at a path, which has this key; ``None`` where there is nothing."""
    answer = await _exchange(sdk, sdk.fetch(path))
    if answer.status == 404:
        return None
    date = parsedate_tz(answer.headers.get("date", ""))
    return _DatedObject(_object(answer, asked, key), mktime_tz(date) if date else None)


async def _listed(
    sdk: SdkTransport, path: str, after: str, asked: AskedParty
) -> AsyncIterator[tuple[JsonObject, float | None]]:
    """The rows of all pages of a list, each with its age in seconds.

    `after` is what the list calls the last id of the page before.
    """
    start = f"{path}?limit={_LISTED}"
    for _ in range(_PAGES):
        page = await _looked_up(sdk, start, asked, "data")
        rows = _objects(page.row.get("data")) if page else []
        for row in rows:
            yield row, page._replace(row=row).age_s if page else None
        if not (rows and page and page.row.get("has_more")):
            return
        start = f"{path}?limit={_LISTED}&{after}={quote(str(rows[-1].get('id')), safe='')}"
    raise _no_batch(asked, f"a list of more than {_PAGES:,} pages")


def _refuse(answer: HttpAnswer, asked: AskedParty) -> None:
    if answer.status >= 300:
        raise provider_error(read_failure(answer.status, answer.text, answer.headers), asked)


def _objects(value: object) -> list[JsonObject]:
    return [mapping(one) for one in value] if isinstance(value, list) else []


def _object(answer: HttpAnswer, asked: AskedParty, key: str) -> JsonObject:
    """The object in an answer; one without this key, or a page, is something else."""
    _refuse(answer, asked)
    read = json_object(answer.text)
    if key not in read:
        raise _no_batch(asked, shown(answer.text) or "an empty body")
    return read


def _no_batch(asked: AskedParty, what: str) -> ProviderError:
    message = f"{asked.name} answers a question about a batch with what is not understood: {what}"
    return ProviderError(ErrorKind.MALFORMED, message)


def _rows(answer: HttpAnswer, asked: AskedParty) -> Iterator[JsonObject]:
    """The objects of a file of JSON lines, in whose texts other line breaks may stand."""
    for line in answer.text.split("\n"):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError:
                raise malformed(asked, line) from None
            yield mapping(row)


def is_passing(error: ProviderError) -> bool:
    """Whether the same request may be answered at another time."""
    return error.kind in (
        ErrorKind.RATE_LIMIT, ErrorKind.SERVER, ErrorKind.CONNECTION, ErrorKind.TIMEOUT,
        ErrorKind.MALFORMED,
    )  # fmt: skip
