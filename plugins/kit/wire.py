"""HTTP/1.1 as the loopback server speaks it: requests in, responses out.

Only what JSON clients use: keep-alive, `Content-Length` and chunked request
bodies, `Expect: 100-continue`. A response goes out in one write with an honest
length, unless its `Delivery` says how the connection has to misbehave.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from http import HTTPStatus
from typing import Any, Literal, NamedTuple

from eibench import JsonDict

PHRASES = {status.value: status.phrase for status in HTTPStatus} | {529: "Overloaded"}

_TRIAL = "Say OK."
"""What a run asks a judge before it has anything judged."""
Dialect = Literal["openai", "anthropic"]
DIALECTS: Mapping[str, Dialect] = {
    "/v1/chat/completions": "openai",
    "/v1/completions": "openai",
    "/v1/messages": "anthropic",
}


class MalformedRequest(ValueError):
    """What came is not a request that the server understands."""


class RawRequest(NamedTuple):
    """An HTTP request before anything was made of its body; header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    query: str = ""

    def json(self) -> JsonDict:
        """The JSON object in the body of a chat request.

        Raises:
            MalformedRequest: It is not one, or it asks for a stream.
        """
        try:
            body = json.loads(self.body)
        except ValueError as error:
            raise MalformedRequest(f"the body is not JSON: {error}") from error
        if not isinstance(body, dict):
            raise MalformedRequest("the body is not a JSON object")
        if body.get("stream"):
            raise MalformedRequest("the loopback server does not stream")
        return body


@dataclass(frozen=True, eq=False)
class ReceivedRequest:
    """A chat request as it arrived; equal only to itself.

    Attributes:
        n: Serial number in order of arrival, from 0, over both dialects.
        path: Path without the query.
        headers: By lower-cased name.
        body: The parsed JSON object.
        received_at: `time.monotonic()` when its last byte had been read.
    """

    n: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    received_at: float

    @property
    def dialect(self) -> Dialect:
        """Whose API was called: decides the form of the answer."""
        return DIALECTS[self.path]

    @property
    def keep_alive(self) -> bool:
        """Whether the client wants to go on using the connection."""
        return keeps_alive(self.headers)

    @property
    def model(self) -> str:
        """Model asked for, "" if the body names none."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, as sent (Anthropic's system prompt is in `body["system"]`)."""
        return list(self.body.get("messages") or ())

    @cached_property
    def prompt(self) -> str:
        """Text of the last user message, "" without one."""
        if isinstance(self.body.get("prompt"), str):  # of /v1/completions
            return str(self.body["prompt"])
        users = (m for m in reversed(self.messages) if m.get("role") == "user")
        return next((content_text(message.get("content")) for message in users), "")

    @property
    def is_trial(self) -> bool:
        """Whether a run only finds out with it that the judge answers."""
        return self.prompt == _TRIAL

    @property
    def api_key(self) -> str | None:
        """The key in `Authorization: Bearer` or `x-api-key`, None without one."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token if scheme.lower() == "bearer" else self.headers.get("x-api-key")


class Delivery(Enum):
    """How a response goes out."""

    WHOLE = auto()
    HALF = auto()  # the head, half of the body, then the connection is closed
    TRICKLE = auto()  # the head at once, then the body a byte at a time
    NEVER = auto()  # nothing, and the connection stays open
    DROP = auto()  # nothing, and the connection is closed
    ENDLESS = auto()  # the head, then the body again and again until the client leaves


class Response(NamedTuple):
    """What to send, and how."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"
    delivery: Delivery = Delivery.WHOLE

    def head(self, *, keep_alive: bool = True) -> bytes:
        """Status line and headers, with the length of the whole body if it ends."""
        length = f"Content-Length: {len(self.body)}\r\n"
        if self.delivery is Delivery.ENDLESS:
            length, keep_alive = "", False
        extra = "".join(f"{name}: {value}\r\n" for name, value in self.headers)
        return (
            f"HTTP/1.1 {self.status} {PHRASES.get(self.status, 'Unknown')}\r\n"
            f"Content-Type: {self.content_type}\r\n{length}"
            f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n{extra}\r\n"
        ).encode("latin-1", "replace")


def content_text(content: object) -> str:
    """Text of a message's content: a string, or the text parts of a list, joined."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def keeps_alive(headers: Mapping[str, str]) -> bool:
    """Whether the client wants to go on using the connection."""
    return headers.get("connection", "").lower() != "close"


class Connection:
    """One client's connection: requests come out of it, responses go in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.set_write_buffer_limits(0)  # so that drained means: in the kernel
        self._reader = reader
        self._writer = writer

    @property
    def client_left(self) -> bool:
        """Whether the client has closed its end (no JSON client does so and listens on)."""
        return self._reader.at_eof() or self._writer.is_closing()

    async def read(self) -> RawRequest | None:
        """The next request, None when the client has closed the connection.

        Raises:
            MalformedRequest: It is not HTTP/1.x, or its headers are too long.
            asyncio.IncompleteReadError: The client left inside the body.
        """
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        except asyncio.LimitOverrunError as error:
            raise MalformedRequest("the headers are too long") from error
        method, target, headers = _parse_head(head)
        path, _, query = target.partition("?")
        if headers.get("expect", "").lower() == "100-continue":
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return RawRequest(method, path, headers, await _read_body(self._reader, headers), query)

    async def send(self, response: Response, *, keep_alive: bool, body: bool = True) -> None:
        """Returns when the kernel has taken the response (HEAD gets no body).

        Raises:
            OSError: The client is known to be gone.
        """
        head = response.head(keep_alive=keep_alive)
        self._writer.write(head + response.body if body else head)
        await self._writer.drain()

    async def misbehave(self, response: Response, pause: float) -> None:
        """Deliver what is not to arrive whole, with pauses of so many seconds in a trickle.

        Returns when the connection is to be cut; raises OSError when the client is gone.
        """
        if response.delivery is Delivery.HALF:
            self._writer.write(response.head() + response.body[: len(response.body) // 2])
            await self._writer.drain()
        elif response.delivery is Delivery.TRICKLE:
            self._writer.write(response.head())
            for byte in response.body:
                if self.client_left:
                    return
                self._writer.write(bytes((byte,)))
                await self._writer.drain()
                await asyncio.sleep(pause)
        elif response.delivery is Delivery.ENDLESS:
            self._writer.write(response.head())
            while not self.client_left:
                self._writer.write(response.body)
                await self._writer.drain()
                await asyncio.sleep(0)  # others are served meanwhile
        elif response.delivery is Delivery.NEVER:
            while await self._reader.read(4096):
                pass  # until the client leaves

    def cut(self) -> None:
        """Close at once; what `send` returned for is delivered nevertheless."""
        self._writer.transport.abort()


def _parse_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    try:
        method, target, version = first.split(" ")
    except ValueError:
        raise MalformedRequest(f"not a request line: {first[:80]!r}") from None
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    if version == "HTTP/1.0":
        headers.setdefault("connection", "close")
    return method, target, headers


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    try:
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return await _read_chunks(reader)
        return await reader.readexactly(int(headers.get("content-length", "0")))
    except ValueError as error:
        raise MalformedRequest(f"cannot read the body: {error}") from error


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    chunks = []
    while size := int((await reader.readline()).partition(b";")[0], 16):
        chunks.append(await reader.readexactly(size))
        await reader.readexactly(2)
    while (await reader.readline()).strip():
        pass  # trailers mean nothing to this server
    return b"".join(chunks)
