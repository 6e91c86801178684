"""The batch APIs of OpenAI and Anthropic: many requests at once, at half the price, within a day.

What they have in common is here a `BatchService`; how it is used is in `batching`. Sources:
developers.openai.com/api/docs/guides/batch and platform.claude.com/docs/en/build-with-claude/
batch-processing, read 2026-11-23.
"""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import datetime
from email.utils import mktime_tz, parsedate_tz
from typing import NamedTuple
from urllib.parse import quote

from aiohttp import FormData

from ..errors import RETRYABLE, ErrorKind, ProviderError
from ..parties.providers import AskedParty
from ..types import JsonDict, JsonObject
from .error_bodies import read_failure, shown
from .errors_within import status_named
from .failures import malformed, provider_error
from .http import HttpAnswer, HttpTransport
from .replies import count, json_object, mapping

_LISTED = 100
_PAGES = 1000
"""More pages of a list are no list of batches but one that has no end."""
_ANSWER_S = 600.0
_MOST = 2**30
"""Bytes of a file of results."""
_WINDOW = "24h"


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


class BatchService(ABC):
    """A batch API.

    Attributes:
        most_requests, most_bytes: Of one batch.
        names_attempts: Whether a listed batch says which submission it is.
    """

    most_requests: int
    most_bytes: int
    names_attempts = False
    _path: str
    _after: str
    """What a list calls the last id of the page before."""
    _status: str
    """Where a batch has its state."""
    _states: Mapping[str, bool]
    """Its states, and whether a batch has ended with each."""

    def __init__(self, transport: HttpTransport, asked: AskedParty) -> None:
        self._transport, self._asked = transport, asked

    @abstractmethod
    def line(self, custom_id: str, body: JsonObject) -> bytes:
        """A request as it counts towards `most_bytes`."""

    @abstractmethod
    async def submit(self, attempt: str, lines: Sequence[bytes]) -> str:
        """The id of a new batch; asked for once.

        Raises:
            MaybeAccepted: No answer came.
            ProviderError: It was refused.
        """

    async def state(self, id: str) -> BatchState | None:
        """How far it is; ``None`` where the provider does not know it (yet).

        Raises:
            ProviderError: The answer is no batch, or in a state that is not known here.
        """
        if (answered := await self._batch(id)) is None:
            return None
        batch = answered.row
        status = str(batch.get(self._status))
        if status not in self._states:
            raise self._odd(f"a batch that is {status}")
        text, failed = self._progress(status, batch)
        return BatchState(self._states[status], text, answered.age_of(batch), failed)

    async def listed(self) -> AsyncIterator[ListedBatch]:
        """All batches that the provider lists; clocks that differ hide none."""
        start = f"{self._path}?limit={_LISTED}"
        for _ in range(_PAGES):
            page = await self._looked_up(start, "data") or _Dated({}, None)
            rows = _objects(page.row.get("data"))
            for row in rows:
                yield ListedBatch(str(row.get("id")), *self._listed(row), page.age_of(row))
            if not (rows and page.row.get("has_more")):
                return
            last = quote(str(rows[-1].get("id")), safe="")
            start = f"{self._path}?limit={_LISTED}&{self._after}={last}"
        raise self._odd(f"a list of more than {_PAGES:,} pages")

    @abstractmethod
    async def lines(self, id: str) -> Sequence[BatchLine]:
        """What came of its requests, in any order; some may be missing, or there twice."""

    async def close(self) -> None:
        """Close connections."""
        await self._transport.close()

    @abstractmethod
    def _progress(self, status: str, batch: JsonObject) -> tuple[str, str | None]:
        """How far a batch is, in words, and why it ended without any result."""

    @abstractmethod
    def _listed(self, row: JsonObject) -> tuple[str | None, int]:
        """Which submission a listed batch is, and how many requests it has."""

    def _path_of(self, id: str) -> str:
        return f"{self._path}/{quote(id, safe='')}"

    async def _batch(self, id: str) -> "_Dated | None":
        return await self._looked_up(self._path_of(id), "id")

    async def _rows_at(self, path: str) -> Sequence[JsonObject]:
        """The rows of a file of results; none where it is kept no longer, which is for a month."""
        answer = await self._exchange("GET", path)
        if answer.status == 404:
            return []
        self._refuse(answer)
        return list(_rows(answer, self._asked))

    async def _exchange(
        self, method: str, path: str, data: bytes | FormData | None = None
    ) -> HttpAnswer:
        """The answer to one request, within a time."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await self._transport.send(method, path, data, _MOST)
        except TimeoutError:
            message = f"no answer about a batch within {_ANSWER_S:g} s"
            raise ProviderError(ErrorKind.TIMEOUT, message) from None

    async def _created(self, body: JsonDict) -> str:
        """The id of what a single request has made; never asked for again by itself."""
        try:
            answer = await self._exchange("POST", self._path, _line(body))
        except ProviderError as error:
            if error.unsent:
                raise
            raise MaybeAccepted from error
        if answer.status >= 500:
            raise MaybeAccepted
        self._refuse(answer)
        if not isinstance(id := json_object(answer.text).get("id"), str):
            raise MaybeAccepted
        return id

    async def _looked_up(self, path: str, key: str) -> "_Dated | None":
        """The object at a path, which has this key; ``None`` where there is nothing."""
        answer = await self._exchange("GET", path)
        if answer.status == 404:
            return None
        date = parsedate_tz(answer.headers.get("date", ""))
        return _Dated(self._object(answer, key), mktime_tz(date) if date else None)

    def _object(self, answer: HttpAnswer, key: str) -> JsonObject:
        """The object in an answer; one without this key, or a page, is something else."""
        self._refuse(answer)
        read = json_object(answer.text)
        if key not in read:
            raise self._odd(shown(answer.text) or "an empty body")
        return read

    def _refuse(self, answer: HttpAnswer) -> None:
        if answer.status >= 300:
            failure = read_failure(answer.status, answer.text, answer.headers)
            raise provider_error(failure, self._asked)

    def _odd(self, what: str) -> ProviderError:
        message = f"{self._asked.name} answers a question about a batch with what is not understood"
        return ProviderError(ErrorKind.MALFORMED, f"{message}: {what}")


class OpenAIBatches(BatchService):
    """Files of requests to `/v1/chat/completions`, of one model each."""

    most_requests, most_bytes = 50_000, 200 * 10**6
    names_attempts = True
    _path, _after, _status = "batches", "after", "status"
    _states: Mapping[str, bool] = {
        **dict.fromkeys(("validating", "in_progress", "finalizing", "cancelling"), False),
        **dict.fromkeys(("completed", "expired", "cancelled", "failed"), True),
    }

    def line(self, custom_id: str, body: JsonObject) -> bytes:
        """A line of the file."""
        row = {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions"}
        return _line({**row, "body": body})

    async def submit(self, attempt: str, lines: Sequence[bytes]) -> str:
        """The id of a new batch; an upload without a batch costs nothing."""
        form = FormData({"purpose": "batch"})
        form.add_field("file", b"".join(lines), filename=f"eibench-{attempt}.jsonl")
        file = self._object(await self._exchange("POST", "files", form), "id")
        body: JsonDict = {
            "input_file_id": str(file["id"]), "endpoint": "/v1/chat/completions",
            "completion_window": _WINDOW, "metadata": {"eibench": attempt},
        }  # fmt: skip
        return await self._created(body)

    def _progress(self, status: str, batch: JsonObject) -> tuple[str, str | None]:
        counts = mapping(batch.get("request_counts"))
        done = count(counts.get("completed")) + count(counts.get("failed"))
        rows = _objects(mapping(batch.get("errors")).get("data"))
        why = "; ".join(str(row.get("message")) for row in rows[:3]) or "no reason"
        failed = why if status == "failed" else None
        return f"{status}, {done:,} of {count(counts.get('total')):,}", failed

    def _listed(self, row: JsonObject) -> tuple[str | None, int]:
        attempt = mapping(row.get("metadata")).get("eibench")
        return str(attempt), count(mapping(row.get("request_counts")).get("total"))

    async def lines(self, id: str) -> Sequence[BatchLine]:
        """What its files hold, of answers and of errors."""
        batch, rows = await self._batch(id), list[JsonObject]()
        for name in ("output_file_id", "error_file_id"):
            if file := batch and batch.row.get(name):
                rows += await self._rows_at(f"files/{quote(str(file), safe='')}/content")
        return list(map(_openai_line, rows))


def _openai_line(row: JsonObject) -> BatchLine:
    response, error = mapping(row.get("response")), mapping(row.get("error"))
    if status := count(response.get("status_code")):
        headers = {"x-request-id": str(response.get("request_id") or "")}
        answer = HttpAnswer(status, headers, json.dumps(response.get("body")).encode())
        return BatchLine(str(row.get("custom_id")), answer)
    why = error.get("message") or error.get("code") or "it has no answer"
    return BatchLine(str(row.get("custom_id")), None, str(why))


class AnthropicBatches(BatchService):
    """Message batches: all requests in one body; results when the whole batch has ended."""

    most_requests, most_bytes = 100_000, 256 * 10**6
    _path, _after, _status = "messages/batches", "after_id", "processing_status"
    _states: Mapping[str, bool] = {"in_progress": False, "canceling": False, "ended": True}

    def line(self, custom_id: str, body: JsonObject) -> bytes:
        """A request as JSON."""
        return _line({"custom_id": custom_id, "params": body})

    async def submit(self, attempt: str, lines: Sequence[bytes]) -> str:
        """The id of a new batch."""
        return await self._created({"requests": [json.loads(line) for line in lines]})

    def _progress(self, status: str, batch: JsonObject) -> tuple[str, str | None]:
        counts = mapping(batch.get("request_counts")).items()
        text = ", ".join(f"{name} {n:,}" for name, n in counts if isinstance(n, int) and n)
        return f"{status} ({text})", None

    def _listed(self, row: JsonObject) -> tuple[str | None, int]:
        return None, sum(map(count, mapping(row.get("request_counts")).values()))

    async def lines(self, id: str) -> Sequence[BatchLine]:
        """What came of its requests."""
        return list(map(_anthropic_line, await self._rows_at(f"{self._path_of(id)}/results")))


def _anthropic_line(row: JsonObject) -> BatchLine:
    custom_id, result = str(row.get("custom_id")), mapping(row.get("result"))
    kind = str(result.get("type"))
    if kind == "succeeded":
        body = json.dumps(result.get("message")).encode()
        return BatchLine(custom_id, HttpAnswer(200, {}, body))
    if kind == "errored":
        error = mapping(mapping(result.get("error")).get("error") or result.get("error"))
        status = status_named(str(error.get("type"))) or 500
        return BatchLine(custom_id, HttpAnswer(status, {}, json.dumps({"error": error}).encode()))
    return BatchLine(custom_id, None, kind)


def _line(row: JsonObject) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class _Dated(NamedTuple):
    """An object of a provider's, and the time by its clock, in seconds since 1970."""

    row: JsonObject
    now: float | None

    def age_of(self, row: JsonObject) -> float | None:
        """Seconds since an object in it was made, where both times are shown."""
        made_at = _time_of(row.get("created_at"))
        return None if made_at is None or self.now is None else self.now - made_at


def _time_of(shown: object) -> float | None:
    """A time as one of the providers writes it, in seconds since 1970; ``None`` for none."""
    if isinstance(shown, int | float):
        return float(shown)
    try:
        return datetime.fromisoformat(str(shown)).timestamp()
    except (ValueError, OverflowError):
        return None


def _objects(value: object) -> list[JsonObject]:
    return [mapping(one) for one in value] if isinstance(value, list) else []


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
    return error.kind in RETRYABLE | {ErrorKind.TIMEOUT}
