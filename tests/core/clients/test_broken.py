"""Answers whose connections break: what is whole is taken, and the rest is told for what it is."""

import asyncio
import gzip
import re
from collections.abc import Callable
from typing import Any

import pytest

from eibench.core.clients import http
from eibench.core.clients.bodies import Body
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.providers import ClientConfig, ModelSpec
from tests.core.clients.test_http import ASKED, BODY, CALL

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
PACKED = gzip.compress(BODY)
Serve = Callable[[asyncio.StreamWriter], Any]


def sized(body: bytes, length: int, more: bytes = b"") -> bytes:
    """An answer that says how long it is, rightly or not."""
    return OK + more + b"Content-Length: %d\r\n\r\n%s" % (length, body)


def chunk(body: bytes, end: bytes = b"\r\n") -> bytes:
    """A part of a body, and what is in the place of its end."""
    return b"%x\r\n%s%s" % (len(body), body, end)


async def asked(serve: Serve) -> str:
    """What a client makes of a server that does so with one request, and closes."""
    requests = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        requests.append(head)
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length))
        await serve(writer)
        writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    client = OpenAIClient(ClientConfig(ModelSpec("openai", "m"), f"http://127.0.0.1:{port}/v1"))
    try:
        async with listening, asyncio.timeout(60):
            return (await client.complete(ASKED, CALL)).text
    finally:
        await client.close()
        assert len(requests) == 1


def at_once(data: bytes) -> Serve:
    """Send all of it in one piece."""

    async def serve(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return serve


@pytest.fixture
def in_two(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes, bytes], Serve]:
    """Send the second piece once the first one has been read."""
    arrived = asyncio.Event()

    class Noticed(Body):
        def add(self, piece: bytes) -> None:
            super().add(piece)
            arrived.set()

    monkeypatch.setattr(http, "Body", Noticed)

    def made(first: bytes, second: bytes) -> Serve:
        async def serve(writer: asyncio.StreamWriter) -> None:
            writer.write(first)
            await arrived.wait()
            writer.write(second)
            await writer.drain()

        return serve

    return made


@pytest.mark.parametrize(
    "answer",
    [
        sized(BODY, len(BODY) + 5),
        sized(PACKED, len(PACKED) + 5, b"Content-Encoding: gzip\r\n"),
        sized(PACKED[:-4], len(PACKED), b"Content-Encoding: gzip\r\n"),
        CHUNKED + chunk(BODY),
        CHUNKED + chunk(BODY[:9]) + chunk(BODY[9:], b""),
    ],
)
async def test_a_whole_reply_is_taken_however_it_ends(answer: bytes) -> None:
    """It is paid for, and nothing of it is missing."""
    assert await asked(at_once(answer)) == "Yes."


@pytest.mark.parametrize("end", [b"\r\nzz\r\n", b"XX0\r\n\r\n"])
async def test_a_whole_reply_before_a_bad_chunk_is_taken(
    in_two: Callable[[bytes, bytes], Serve], end: bytes
) -> None:
    """At once: the client does not wait for more."""
    serve = in_two(CHUNKED + chunk(BODY[:9]), chunk(BODY[9:], end))
    assert await asked(serve) == "Yes."


async def test_half_a_reply_before_a_bad_chunk_is_none(
    in_two: Callable[[bytes, bytes], Serve],
) -> None:
    """It is told at once, as the server's doing; it may be billed."""
    with pytest.raises(ProviderError, match="broke off its answer: ") as caught:
        await asked(in_two(CHUNKED + chunk(BODY[:9]), b"zz\r\n"))
    assert (caught.value.kind, caught.value.unsent) == (ErrorKind.CONNECTION, False)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (sized(BODY[:20], len(BODY)), r"broke off its answer: .*\(received 20 of 47 bytes\)"),
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", r"sent what is no HTTP answer: .*SSH-2\.0-OpenSSH_9"),
        (b"HTTP/1.1 abc\r\n\r\n", "sent what is no HTTP answer: .*Invalid status code"),
    ],
)
async def test_what_is_no_answer_is_told_as_it_came(answer: bytes, text: str) -> None:
    """The server was reached; no status of its own is claimed."""
    with pytest.raises(ProviderError, match=text) as caught:
        await asked(at_once(answer))
    message = str(caught.value)
    assert message.startswith("openai/m at 127.0.0.1:") and "check --base-url" in message
    assert "cannot reach" not in message and not re.search(r"\b400\b", message)
    assert caught.value.kind == ErrorKind.CONNECTION


async def test_an_error_is_judged_by_its_status_though_its_body_breaks_off() -> None:
    """A key that is refused is not asked with again."""
    answer = b"HTTP/1.1 401 No\r\nContent-Length: 50\r\n\r\n" + b'{"error": {"message": "wrong'
    with pytest.raises(ProviderError, match="answered 401") as caught:
        await asked(at_once(answer))
    assert caught.value.kind == ErrorKind.AUTH
