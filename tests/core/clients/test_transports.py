"""Our transport beside the providers' own packages: the same goes out, and the same is read.

A table of answers as servers really give them: all of them are read by this program, and through
both what a transport could spoil, one for each field of a reply and each sort of error.
"""

import asyncio
import gzip
import json
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.anthropic import AnthropicClient
from eibench.core.clients.api_client import ApiClient
from eibench.core.clients.bodies import Body
from eibench.core.clients.http import HttpTransport
from eibench.core.clients.keys import with_key
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ProviderError
from eibench.core.parties.providers import CallContext, Client, ClientConfig, ModelSpec
from eibench.core.types import ChatRequest, ChatResponse, Item, Message, Sampling
from eibench.testing import (
    FAULT_KINDS,
    Answer,
    Delivery,
    Fault,
    LoopbackServer,
    ReceivedRequest,
    Reply,
    Response,
)
from tests.fakes.sdks import AnthropicSdk, OpenAISdk

pytestmark = pytest.mark.usefixtures("no_certificates")
TRANSPORTS = ("http", "sdk")
CLIENTS: Mapping[str, Callable[[ClientConfig], ApiClient]] = {
    "openai": OpenAIClient,
    "anthropic": AnthropicClient,
}
SDKS = {"openai": OpenAISdk, "anthropic": AnthropicSdk}
KEY = "sk-fake-0123456789abcdef"
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")


@asynccontextmanager
async def connected(
    url: str, transport: str, *, provider: str = "openai", **config: Any
) -> AsyncIterator[Client]:
    """A client that is closed in the end."""
    most = config.pop("max_reply", 100_000)
    given = {"key": KEY, "key_name": "SOME_KEY"} | config
    made = ClientConfig(ModelSpec(provider, "m"), url, max_reply=most, **given)
    client = CLIENTS[provider](made)
    if transport == "sdk":
        at = url if provider == "openai" else url.removesuffix("/v1")  # which that package adds
        sdk = SDKS[provider](at, with_key(made), made, client.asked)
        client._transport = cast(HttpTransport, sdk)
    try:
        yield client
    finally:
        await client.close()


def asking(prompt: str = "Hi", **sampling: Any) -> ChatRequest:
    """A request of one message."""
    return ChatRequest((Message("user", prompt),), Sampling(**sampling))


# What goes out

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
EXTRA = {"top_k": 40, "chat_template_kwargs": {"enable_thinking": False}, "temperature": 1.5}
REQUESTS: Mapping[str, ChatRequest] = {
    "plain": asking(),
    "system": ChatRequest((Message("system", "Be kind."), Message("user", "Hi"))),
    "talk": ChatRequest(tuple(Message(r, r) for r in ("user", "assistant", "user"))),
    "words": asking('Grüße, 你好, 😀, \u2028, \x00, \\ and "'),
    "numbers": asking(temperature=0.01, top_p=1.0, min_p=0.1, max_tokens=64, seed=-7),
    "lists": asking(stop=("END", "\n"), reasoning_effort="low", json_schema=SCHEMA),
    "extra": asking(temperature=0.5, seed=3, extra_body=EXTRA),
}


async def sent_by(transport: str, provider: str) -> list[ReceivedRequest]:
    """What goes out for each request of the table."""
    async with LoopbackServer() as server:
        url = server.base_url if provider == "openai" else server.root_url
        async with connected(url, transport, provider=provider) as client:
            for request in REQUESTS.values():
                await client.complete(request, CALL)
    return server.requests


@pytest.mark.parametrize("provider", CLIENTS)
async def test_the_same_body_goes_out(provider: str) -> None:
    """Whatever the request, both send the same but for the order of its fields."""
    by_us, by_sdk = [await sent_by(transport, provider) for transport in TRANSPORTS]
    for ours, theirs in zip(by_us, by_sdk, strict=True):
        assert (ours.body, ours.path) == (theirs.body, theirs.path)
        assert ours.api_key == theirs.api_key == KEY
        version = "anthropic-version"
        assert ours.headers.get(version) == theirs.headers.get(version)


@pytest.mark.parametrize(
    ("key", "headers"),
    [
        (None, {}),
        (KEY, {"X-Team": "blue", "User-Agent": "mine"}),
        (None, {"Authorization": "Basic fake"}),
        (KEY, {"Authorization": "Basic fake"}),
        (None, {"api-key": "fake"}),
        (None, {"X-API-Key": "fake"}),
    ],
)
async def test_the_same_headers_go_out(key: str | None, headers: Mapping[str, str]) -> None:
    """The key and the user's own; a gateway with its own key header gets no other beside it."""
    names = {"authorization", "content-type", *(name.lower() for name in headers)}
    async with LoopbackServer() as server:
        for transport in TRANSPORTS:
            async with connected(server.base_url, transport, key=key, headers=headers) as client:
                await client.complete(asking(), CALL)
    by_us, by_sdk = ({n: r.headers.get(n) for n in names} for r in server.requests)
    assert by_us == by_sdk
    own = {name.lower(): value for name, value in headers.items()}
    assert {n: by_us[n] for n in own} == own
    if key is None and {"api-key", "x-api-key"} & own.keys():
        assert by_us["authorization"] is None


# What comes back


class Read(NamedTuple):
    """What a client makes of an answer: a reply, or an error."""

    reply: ChatResponse | None
    kind: str = ""
    status: int | None = None
    retryable: bool = False
    fatal: bool = False
    retry_after: float | None = None
    unsent: bool = False
    message: str = ""
    requests: int = 1


async def read_all(
    replies: Mapping[str, Reply], transport: str, provider: str = "openai"
) -> dict[str, Read]:
    """What a client makes of a server's replies, one after the other."""
    current: Reply = ""
    made: dict[str, Read] = {}
    async with (
        LoopbackServer(lambda request: current) as server,
        connected(server.base_url, transport, provider=provider) as client,
    ):
        for name, reply in replies.items():
            current, before = reply, len(server.requests)
            try:
                one = Read(await client.complete(asking(temperature=0.5, seed=1), CALL))
            except ProviderError as error:
                assert error.__cause__ is None and error.__context__ is None, name
                message = str(error).replace(f"127.0.0.1:{server.port}", "HOST")
                what = (str(error.kind), error.status, error.retryable, error.fatal)
                one = Read(None, *what, error.retry_after, error.unsent, message)
            made[name] = one._replace(requests=len(server.requests) - before)
    assert not server.errors
    return made


async def read(reply: Reply) -> Read:
    """What this program makes of one."""
    return (await read_all({"": reply}, "http"))[""]


def said(message: Any, **rest: Any) -> dict[str, Any]:
    """A chat completion with this message."""
    choice = {"index": 0, "message": message, "finish_reason": rest.pop("finish", "stop")}
    return {"id": "c-1", "model": "m-1", "choices": [choice], **rest}


def http(body: bytes | str | Mapping[str, Any], *headers: str, status: int = 200) -> Response:
    """An HTTP answer; ``Content-Type: ...`` among the headers replaces that of JSON."""
    data = json.dumps(body) if isinstance(body, Mapping) else body
    pairs = [(name, value.strip()) for name, _, value in (h.partition(":") for h in headers)]
    kinds = [value for name, value in pairs if name == "Content-Type"]
    rest = tuple((name, value) for name, value in pairs if name != "Content-Type")
    raw = data if isinstance(data, bytes) else data.encode()
    return Response(status, raw, rest, kinds[0] if kinds else "application/json")


def error(status: int, body: Any, *headers: str) -> Response:
    """An answer that is none."""
    return http(
        body if isinstance(body, bytes | str) else json.dumps(body), *headers, status=status
    )


GOOD = said({"content": "Ja, schön."})
RAW = json.dumps(GOOD, ensure_ascii=False)
COUNTS = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
OAI = {"message": "No.", "type": "invalid_request_error", "param": None, "code": None}
LATE = "Wed, 21 Oct 99999999999999999999 07:28:00 GMT"

ODD: tuple[Any, ...] = (None, 3, ["stop"], {})
REPLIES: Mapping[str, Reply] = {
    "plain": GOOD,
    "a request id": http(GOOD, "x-request-id: req-7"),
    "a long request id": http(GOOD, "X-Request-Id: " + "q" * 5000),
    **{
        f"finish {word}": Answer("A", finish=word)
        for word in ("stop", "length", "content_filter", "tool_calls", "function_call", "eos", "x")
    },
    **{f"finish {odd!r}": said({"content": "A"}, finish=odd) for odd in ODD},
    "empty": Answer(""),
    "null": Answer(None),
    "blank": Answer(" \n"),
    "refusal": Answer(None, finish="refusal", refusal="I cannot."),
    "reasoning_content": Answer("A", reasoning="R"),
    "reasoning": said({"content": "A", "reasoning": "R"}),
    "thinking in the text": Answer("<think>R</think>A"),
    "thinking without end": Answer("<think>R", finish="length"),
    "parts": said({"content": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]}),
    "parts with thinking": said(
        {"content": [{"type": "thinking", "thinking": "R"}, {"text": "A"}]}
    ),
    "tool calls": said(
        {
            "content": None,
            "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": "{}"}}],
        },
        finish="tool_calls",
    ),
    "several choices": {"choices": [*GOOD["choices"], *said({"content": "B"})["choices"]]},
    "half a surrogate pair": http('{"choices":[{"message":{"content":"a\\ud83d"}}]}'),
    "usage": said({"content": "A"}, usage=COUNTS),
    "usage in detail": Answer(
        "A", input_tokens=9, cached_tokens=4, output_tokens=5, reasoning_tokens=3
    ),
    "usage with reasoning beside": said(
        {"content": "A"},
        usage=COUNTS | {"completion_tokens_details": {"reasoning_tokens": 50}, "total_tokens": 64},
    ),
    "usage as a total": said({"content": "A"}, usage={"total_tokens": 64}),
    "usage of odd types": said({"content": "A"}, usage={"prompt_tokens": "9", "total_tokens": [1]}),
    "usage as a list": said({"content": "A"}, usage=[1]),
    "a number with 5,000 digits": http(RAW[:-1] + ',"usage":{"prompt_tokens":' + "9" * 5000 + "}}"),
    "odd fields": said({"content": "A"}, model=7, id=["x"], system_fingerprint={}),
    "gzip": http(gzip.compress(RAW.encode()), "Content-Encoding: gzip"),
    "deflate": http(zlib.compress(RAW.encode()), "Content-Encoding: deflate"),
    "a 201": http(GOOD, status=201),
    "a byte-order mark": http(b"\xef\xbb\xbf" + RAW.encode()),
    "UTF-16": http(RAW.encode("utf-16"), "Content-Type: application/json; charset=utf-16"),
    "Latin-1": http(RAW.encode("latin-1"), "Content-Type: application/json; charset=iso-8859-1"),
    "bytes of no charset": http(b'{"choices":[{"message":{"content":"a\xff"}}]}'),
    **{
        f"charset={name}": http(RAW, f"Content-Type: application/json; charset={name}")
        for name in (
            *("rot13", "base64", "zlib", "undefined", "idna", "utf-16", "utf-7", "quopri"),
            *("latin-1", "punycode", "none-such", '"', "unicode_escape"),
        )
    },
    "no content type": http(GOOD, "Content-Type:"),
    "HTML as its type": http(GOOD, "Content-Type: text/html"),
    # none of these is a reply
    "no body": http(b""),
    "a 204": http(b"", status=204),
    "HTML": http("<html>Hello</html>", "Content-Type: text/html"),
    "an empty object": {},
    "an error with status 200": {"error": {"message": f"Upstream failed with {KEY}.", "code": 502}},
    "null for an object": http(b"null"),
    "a list": http(b"[]"),
    "no choices": {"choices": []},
    "null choices": {"choices": None},
    "choices as an object": {"choices": {}},
    "a choice that is null": {"choices": [None]},
    "a message that is a text": {"choices": [{"message": "A"}]},
    "cut off": http(RAW[:-9]),
    "two objects": http(RAW + RAW),
    "deep": http(b"[" * 100_000),
    "NaN": http('{"choices": NaN}'),
    "an event stream": http("data: {}\n\n", "Content-Type: text/event-stream"),
    "no gzip": http(b"not gzip", "Content-Encoding: gzip"),
    "no deflate": http(b"\x78not deflate", "Content-Encoding: deflate"),
    "too large": said({"content": "x" * 100_001}),
    # errors
    **{
        f"status {code}": error(code, {"error": OAI})
        for code in (400, 401, 402, 403, 404, 405, 408, 409, 413, 422, 429, 500, 502, 503, 529, 599)
    },
    "a redirect": error(307, b"", "Location: /v1/elsewhere"),
    "a redirect to nowhere": error(302, b""),
    "a key repeated": error(401, {"error": OAI | {"message": f"Incorrect API key: {KEY}"}}),
    "a bad key as 400": error(400, {"error": OAI | {"message": "API key not valid."}}),
    "a quota": error(429, {"error": OAI | {"code": "insufficient_quota"}}),
    "a quota by its type": error(429, {"error": {"type": "insufficient_quota", "message": "x"}}),
    "too long a context": error(400, {"error": OAI | {"code": "context_length_exceeded"}}),
    "a filter": error(400, {"error": OAI | {"code": "content_filter", "message": "Blocked."}}),
    "a filter as 403": error(403, {"error": {"message": "flagged by moderation"}}),
    "a wrong value": error(400, {"error": OAI | {"message": "max_tokens is too large: 99999"}}),
    "an error as a text": error(503, {"error": "out of memory"}),
    "an error as a list": error(500, [{"error": {"message": "in a list"}}]),
    "a message alone": error(500, {"message": "alone", "code": 7}),
    "a detail": error(404, {"detail": "Not found"}),
    "a validation": error(
        422, {"detail": [{"loc": ["body", "top_p"], "msg": "<= 1", "type": "less_than_equal"}]}
    ),
    "an error in words": error(500, "Internal Server Error", "Content-Type: text/plain"),
    "an error in HTML": error(502, "<html>Bad gateway</html>", "Content-Type: text/html"),
    "an error without a body": error(500, b""),
    "an error of odd bytes": error(500, b"\xff\xfe\x00"),
    "an error cut off": error(500, b'{"error": {"mess'),
    "an error in rot13": error(500, {"error": OAI}, "Content-Type: text/plain; charset=rot13"),
    "an error in undefined": error(400, {"error": OAI}, "Content-Type: x/y; charset=undefined"),
    "an error in gzip": error(
        429, gzip.compress(json.dumps({"error": OAI}).encode()), "Content-Encoding: gzip"
    ),
    "control characters": error(500, {"error": OAI | {"message": "\x1b[31mred\n\ud83d"}}),
    "an HTTP date": error(429, {"error": OAI}, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"),
    **{
        f"Retry-After: {value[:20]}": error(429, {"error": OAI}, f"Retry-After: {value}")
        for value in ("7", "0.5", "-3", "nan", "inf", "1e400", "soon", LATE, "9" * 5000, "86400000")
    },
    "Retry-After in ms": error(429, {"error": OAI}, "Retry-After-Ms: 250", "Retry-After: 9"),
    # what the server of tests has besides
    **{
        f"fault {kind}": Fault(kind)
        for kind in FAULT_KINDS
        if kind not in ("hang", "trickle", "endless", "gzip-bomb")
    },
}
#: What comes of these is the network's word and not the server's, and each library has its own.
IN_OTHER_WORDS = ("fault drop", "fault drop-mid", "no gzip", "no deflate")


#: What a transport has a part in, one for each field of a reply and each sort of error.
OF_TRANSPORTS = (
    *("plain", "a long request id", "finish length", "refusal", "reasoning_content", "odd fields"),
    *("usage in detail", "gzip", "deflate", "a 201", "a 204", "UTF-16", "charset=rot13"),
    *("no content type", "HTML as its type", "an error with status 200", "cut off", "too large"),
    *("no gzip", "no deflate", "status 401", "status 529", "a redirect", "a key repeated"),
    *("Retry-After: 7", "Retry-After in ms", "an HTTP date", "an error in words"),
    *("an error without a body", "an error of odd bytes", "an error in rot13"),
    *("an error in gzip", "control characters", "fault drop", "fault drop-mid"),
    "fault 400-temperature",
)


def differences(by_us: Mapping[str, Read], by_sdk: Mapping[str, Read]) -> dict[str, Any]:
    """What was not read alike; of some no words are compared."""
    found = {}
    for name, ours in by_us.items():
        theirs = by_sdk[name]
        if name in IN_OTHER_WORDS:
            assert ours.message and theirs.message
            ours, theirs = ours._replace(message=""), theirs._replace(message="")
        if ours != theirs:
            found[name] = (ours, theirs)
    return found


async def test_the_same_is_read() -> None:
    """Every field of a reply and of an error is the same through both."""
    replies = {name: REPLIES[name] for name in OF_TRANSPORTS}
    by_us, by_sdk = [await read_all(replies, transport) for transport in TRANSPORTS]
    assert not differences(by_us, by_sdk)


@pytest.mark.parametrize("provider", CLIENTS)
async def test_whatever_a_server_answers(provider: str) -> None:
    """It is a reply that can be stored, or an error of ours in one line; no key is in either."""
    table = REPLIES if provider == "openai" else MESSAGES
    for name, one in (await read_all(table, "http", provider)).items():
        assert (one.reply is None) == bool(one.kind and one.message), name
        assert KEY not in repr(one), name
        assert one.message.isprintable(), name
        if one.reply:
            json.dumps(one.reply.as_json(), ensure_ascii=False).encode()


def test_the_table_is_long() -> None:
    """There are answers of every sort in it."""
    assert len(REPLIES) > 120


READABLE = [
    "a byte-order mark", "UTF-16", "Latin-1", "no content type", "HTML as its type", "gzip",
    "deflate", *(name for name in REPLIES if name.startswith("charset=")),
]  # fmt: skip


async def test_whatever_charset_is_named() -> None:
    """A reply is read in the charset that it is in, not in one that it is said to be in."""
    made = await read_all({name: REPLIES[name] for name in READABLE}, "http")
    assert {name: one.reply and one.reply.text for name, one in made.items()} == dict.fromkeys(
        READABLE, "Ja, schön."
    )


async def test_an_odd_retry_after() -> None:
    """It is read where it says something and passed over where not; the call is tried again."""
    seconds = {
        "Retry-After: 7": 7.0,
        "Retry-After: -3": 0.0,
        "Retry-After: nan": None,
        "Retry-After: inf": None,
        "Retry-After: 1e400": None,
        f"Retry-After: {LATE[:20]}": None,
        "Retry-After: 86400000": 86_400_000.0,
    }
    made = await read_all({name: REPLIES[name] for name in seconds}, "http")
    assert {name: one.retry_after for name, one in made.items()} == seconds
    assert {(one.kind, one.retryable) for one in made.values()} == {("rate_limit", True)}


@pytest.mark.parametrize("size", [1, 1000, 70_000, 3_000_000])
@pytest.mark.parametrize("packing", ["", "gzip", "deflate"])
async def test_no_more_is_read_than_is_wanted(packing: str, size: int) -> None:
    """A reply of exactly the most is read, packed or not; one byte less room, and it fails."""
    body = json.dumps(said({"content": "x" * size})).encode()
    packings: Mapping[str, Callable[[bytes], bytes]]
    packings = {"": bytes, "gzip": gzip.compress, "deflate": zlib.compress}
    packed = packings[packing](body)
    reply = http(packed, *([f"Content-Encoding: {packing}"] if packing else []))
    async with LoopbackServer(lambda request: reply) as server:
        async with connected(server.base_url, "http", max_reply=len(body)) as client:
            assert len((await client.complete(asking(), CALL)).text) == size
        async with connected(server.base_url, "http", max_reply=len(body) - 1) as client:
            with pytest.raises(ProviderError, match="max_reply") as caught:
                await client.complete(asking(), CALL)
    assert (caught.value.kind, caught.value.retryable) == ("too_large", False)
    assert len(server.requests) == 2


@pytest.mark.parametrize("kind", ["endless", "gzip-bomb"])
async def test_a_reply_without_end_is_cut_off(kind: str) -> None:
    """It fails with its reason, and the client goes on with the next request."""
    faults = iter([kind, None])
    async with (
        LoopbackServer(faults=lambda request: next(faults)) as server,
        connected(server.base_url, "http", max_reply=2**21) as client,
    ):
        with pytest.raises(ProviderError, match="more than 2 MiB") as caught:
            await client.complete(asking(), CALL)
        assert (await client.complete(asking(), CALL)).text == "OK"
    assert (caught.value.kind, caught.value.retryable, caught.value.fatal) == (
        "too_large", False, False,
    )  # fmt: skip


async def test_many_replies_without_end_share_little_memory() -> None:
    """Of many large replies few are read at a time, and all of them fail."""
    async with (
        LoopbackServer(faults={"endless": 1.0}) as server,
        connected(server.base_url, "http", max_reply=2**23, concurrency=16) as client,
    ):
        tracemalloc.start()
        try:
            made = await asyncio.gather(
                *(client.complete(asking(), CALL) for _ in range(16)), return_exceptions=True
            )
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert [str(e.kind) for e in made if isinstance(e, ProviderError)] == ["too_large"] * 16
    assert peak < 16 * 2**23 * 0.7


async def test_an_error_without_end_is_an_error() -> None:
    """Of the body of an error as much is read as its message may take."""
    body = b'{"error": {"message": "Slow down. ' + b"." * 100_000
    reply = Response(429, body, (("Retry-After", "7"),), delivery=Delivery.ENDLESS)
    made = await read(reply)
    assert (made.kind, made.retry_after) == ("rate_limit", 7.0)
    assert "Slow down" in made.message and len(made.message) < 500


async def test_a_packing_that_was_not_asked_for() -> None:
    """What cannot be unpacked is no reply, and the message names it."""
    made = await read(http(b"x", "Content-Encoding: br"))
    assert made.kind == "malformed" and "br" in made.message and made.retryable is False


@pytest.mark.parametrize("packing", ["br", "gzip"])
async def test_an_error_that_cannot_be_unpacked(packing: str) -> None:
    """Its status says what matters: it is no reply that is asked for again and again."""
    made = await read(error(401, b"not packed so", f"Content-Encoding: {packing}"))
    assert made.kind == "auth" and "answered 401" in made.message


async def test_gzip_in_parts() -> None:
    """A packed body may be made of several, and may come byte by byte."""
    data = RAW.encode()
    body = b"".join(gzip.compress(data[i : i + 5]) for i in range(0, len(data), 5))
    made = await read(http(body, "Content-Encoding: gzip"))
    assert made.reply and made.reply.text == "Ja, schön."
    slow = Body("gzip", 10_000)
    for n in range(len(body)):
        slow.add(body[n : n + 1])
    assert bytes(slow) == data


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
async def test_padding_after_a_packed_body(packing: str) -> None:
    """Bytes that follow the end cost no reply."""
    packed = (gzip if packing == "gzip" else zlib).compress(RAW.encode())
    made = await read(http(packed + bytes(8), f"Content-Encoding: {packing}"))
    assert made.reply and made.reply.text == "Ja, schön."


async def test_deflate_without_its_header() -> None:
    """Some servers send the bare stream."""
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    body = packing.compress(RAW.encode()) + packing.flush()
    made = await read(http(body, "Content-Encoding: deflate"))
    assert made.reply and made.reply.text == "Ja, schön."


# anthropic/

WORDS = {"type": "text", "text": "A"}
MESSAGES: Mapping[str, Reply] = {
    **{
        f"finish {word}": Answer("A", finish=word)
        for word in ("stop", "length", "content_filter", "tool_use", "pause_turn", "x")
    },
    "empty": Answer(""),
    "null": Answer(None),
    "refusal": Answer(None, finish="refusal", refusal="I cannot."),
    "thinking": Answer("A", reasoning="R", output_tokens=9, reasoning_tokens=4),
    "a cache": Answer("A", input_tokens=9, cached_tokens=4),
    "two blocks": {"content": [WORDS, WORDS]},
    "odd blocks": {"content": [None, 3, {"type": "image"}, WORDS]},
    "odd fields": {"content": [WORDS], "model": 7, "usage": [1], "stop_reason": 3},
    "content as a text": {"content": "A"},
    "no content": {},
    "an error with status 200": {"type": "error", "error": {"message": f"Failed with {KEY}."}},
    "HTML": http("<html>Hello</html>", "Content-Type: text/html"),
    "cut off": http(b'{"content": [{"type":'),
    "a byte-order mark": http(b'\xef\xbb\xbf{"content": []}'),
    "rot13": http({"content": [WORDS]}, "Content-Type: application/json; charset=rot13"),
    "gzip": http(gzip.compress(b'{"content": []}'), "Content-Encoding: gzip"),
    "too large": {"content": [{"type": "text", "text": "x" * 100_001}]},
    "a date too late": error(429, {"error": OAI}, f"Retry-After: {LATE}"),
    "an error in rot13": error(500, {"error": OAI}, "Content-Type: text/plain; charset=rot13"),
    "a redirect": error(307, b"", "Location: /v1/elsewhere"),
    **{name: reply for name, reply in REPLIES.items() if name.startswith("fault ")},
}


async def test_the_same_is_read_of_messages() -> None:
    """As of chat completions."""
    names = (
        *("finish length", "refusal", "thinking", "a cache", "odd fields", "cut off", "rot13"),
        *("gzip", "too large", "a date too late", "an error in rot13", "a redirect"),
        *("an error with status 200", "fault 429-retry-after", "fault quota", "fault drop"),
        *("fault drop-mid", "fault 400-temperature"),
    )
    replies = {name: MESSAGES[name] for name in names}
    by_us, by_sdk = [await read_all(replies, by, "anthropic") for by in TRANSPORTS]
    assert not differences(by_us, by_sdk)
