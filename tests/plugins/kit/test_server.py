"""The loopback server: what the SDKs and plain HTTP clients see of it."""

import asyncio
import gc
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import eibench.testing
from eibench.testing import (
    FAULT_KINDS,
    Answer,
    Fault,
    Gate,
    LoopbackServer,
    ReceivedRequest,
    Reply,
    Responder,
    fail_first,
    uniform_ratings,
)

pytestmark = pytest.mark.usefixtures("no_certificates")
KEY = "sk-test-1234567890"
CHAT = "/v1/chat/completions"
FORM = """Alice: Fine.
[End dialogue]

How strongly does Alice feel each of these now?
Calm
Deeply Hurt

First pass scores:
Calm: <score>
Deeply Hurt: <score>

Critique: <your critique here>

Revised scores:
Calm: <revised score>
Deeply Hurt: <revised score>

[End of answer]

A feeling that is not there gets zero."""


async def ask_openai(server: LoopbackServer, prompt: str = "Hi", timeout: float = 60.0) -> Any:
    """One chat completion through the real SDK, without its retries."""
    import openai

    async with openai.AsyncOpenAI(
        api_key=KEY, base_url=server.base_url, max_retries=0, timeout=timeout
    ) as client:
        return await client.chat.completions.create(
            model="m-1", messages=[{"role": "user", "content": prompt}], temperature=0.0
        )


async def ask_anthropic(server: LoopbackServer, prompt: str = "Hi", timeout: float = 60.0) -> Any:
    """One message through the real SDK, without its retries."""
    import anthropic

    async with anthropic.AsyncAnthropic(
        api_key=KEY,
        base_url=server.root_url,
        max_retries=0,
        timeout=timeout,
        open_telemetry=False,
    ) as client:
        return await client.messages.create(
            model="m-1", max_tokens=100, messages=[{"role": "user", "content": prompt}]
        )


def post(
    connection: http.client.HTTPConnection, prompt: str = "Hi", path: str = CHAT, **kwargs: Any
) -> tuple[int, Any]:
    """Status and parsed body of one chat request."""
    body = json.dumps({"model": "m-1", "messages": [{"role": "user", "content": prompt}]})
    connection.request("POST", path, body, **kwargs)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def text_of(reply: tuple[int, Any]) -> str:
    """The text in a good OpenAI reply."""
    assert reply[0] == 200, reply
    return str(reply[1]["choices"][0]["message"]["content"])


def connect(server: LoopbackServer) -> http.client.HTTPConnection:
    """A plain keep-alive client; the caller closes it."""
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)


def eventually(holds: Any) -> None:
    """Wait for what another thread is about to do."""
    end = time.monotonic() + 60
    while not holds() and time.monotonic() < end:
        time.sleep(0.005)
    assert holds()


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """A server that echoes the prompt."""
    with LoopbackServer(lambda request: f"You said: {request.prompt}") as server:
        yield server


@pytest.fixture
def client(server: LoopbackServer) -> Iterator[http.client.HTTPConnection]:
    """A connection to that server."""
    connection = connect(server)
    yield connection
    connection.close()


# --- good answers ---


async def test_openai_sdk_reads_every_field() -> None:
    """The openai SDK finds each field of an answer where OpenAI puts it."""
    answer = Answer(
        "Yes.",
        reasoning="Hm.",
        finish="length",
        input_tokens=100,
        cached_tokens=60,
        output_tokens=20,
        reasoning_tokens=15,
        model="m-1-2026",
        fingerprint="fp_x",
    )
    with LoopbackServer(lambda request: answer) as server:
        reply = await ask_openai(server)
    choice, usage = reply.choices[0], reply.usage
    assert (choice.message.content, choice.finish_reason) == ("Yes.", "length")
    assert choice.message.model_extra["reasoning_content"] == "Hm."
    assert (usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens) == (100, 60)
    assert (usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens) == (20, 15)
    assert (reply.model, reply.system_fingerprint) == ("m-1-2026", "fp_x")
    assert reply._request_id == "req_0"


async def test_anthropic_sdk_reads_every_field() -> None:
    """The anthropic SDK finds the same answer in its own form: input without the cached part."""
    answer = Answer("Yes.", reasoning="Hm.", input_tokens=100, cached_tokens=60, reasoning_tokens=3)
    with LoopbackServer(lambda request: answer) as server:
        reply = await ask_anthropic(server)
    assert [block.type for block in reply.content] == ["thinking", "text"]
    assert (reply.content[0].thinking, reply.content[1].text) == ("Hm.", "Yes.")
    assert reply.stop_reason == "end_turn"
    assert (reply.usage.input_tokens, reply.usage.cache_read_input_tokens) == (40, 60)
    assert reply.usage.output_tokens_details.thinking_tokens == 3
    assert reply._request_id == "req_0"


async def test_received_request_shows_what_was_sent(server: LoopbackServer) -> None:
    """A request gives prompt, model, key and parameters, the key from either dialect's header."""
    await ask_openai(server, "One")
    await ask_anthropic(server, "Two")
    first, second = server.requests
    assert (first.n, first.prompt, first.model, first.api_key) == (0, "One", "m-1", KEY)
    assert first.body["temperature"] == 0.0
    assert (second.n, second.prompt, second.api_key) == (1, "Two", KEY)
    assert server.answered == server.requests
    assert server.counts == {"ok": 2}


@pytest.mark.parametrize(
    ("messages", "prompt"),
    [
        ([], ""),
        ([{"role": "system", "content": "S"}], ""),
        ([{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}], "A"),
        ([{"role": "user", "content": "A"}, {"role": "user", "content": "B"}], "B"),
        ([{"role": "user", "content": [{"type": "text", "text": t} for t in "AB"]}], "AB"),
    ],
)
def test_prompt_is_the_last_user_message(messages: list[Any], prompt: str) -> None:
    """The prompt is the text of the last user message, parts joined, "" without one."""
    assert ReceivedRequest(0, CHAT, {}, {"messages": messages}, 0.0).prompt == prompt


def test_dict_reply_is_sent_as_it_is() -> None:
    """A dict of the responder becomes the body, untouched."""
    with LoopbackServer(lambda request: {"odd": [1]}) as server:
        connection = connect(server)
        assert post(connection) == (200, {"odd": [1]})
        connection.close()


def test_responder_may_be_async() -> None:
    """A coroutine function is awaited."""

    async def respond(request: ReceivedRequest) -> str:
        await asyncio.sleep(0)
        return "later"

    with LoopbackServer(respond) as server:
        connection = connect(server)
        assert text_of(post(connection)) == "later"
        connection.close()


async def test_latency_delays_each_answer_not_the_sum() -> None:
    """Concurrent requests wait side by side, each for the latency or longer."""
    async with LoopbackServer("OK", latency=Gate(opens_at=5)) as server:
        await asyncio.gather(*(asyncio.to_thread(_one_post, server) for _ in range(5)))
    assert server.peak_in_flight == 5
    async with LoopbackServer("OK", latency=0.2) as server:
        start = time.monotonic()
        _one_post(server)
        assert time.monotonic() - start >= 0.2


def _one_post(server: LoopbackServer) -> None:
    connection = connect(server)
    assert post(connection)[0] == 200
    connection.close()


def test_wrong_key_is_refused() -> None:
    """With accepted keys given, another key gets 401 and never reaches the responder."""
    with LoopbackServer("in", accept_keys={KEY}) as server:
        connection = connect(server)
        assert post(connection, headers={"Authorization": "Bearer sk-wrong"})[0] == 401
        assert post(connection, headers={"X-Api-Key": KEY})[0] == 200
        connection.close()
    assert server.counts == {"401": 1, "ok": 1}


# --- faults ---

OPENAI_RAISES: dict[str, tuple[str, int | None, str | None]] = {
    "429": ("RateLimitError", 429, "rate_limit_exceeded"),
    "429-retry-after": ("RateLimitError", 429, "rate_limit_exceeded"),
    "429-retry-after-ms": ("RateLimitError", 429, "rate_limit_exceeded"),
    "quota": ("RateLimitError", 429, "insufficient_quota"),
    "500": ("InternalServerError", 500, None),
    "502": ("InternalServerError", 502, None),
    "529": ("InternalServerError", 529, None),
    "401": ("AuthenticationError", 401, "invalid_api_key"),
    "403": ("PermissionDeniedError", 403, None),
    "404": ("NotFoundError", 404, "model_not_found"),
    "400": ("BadRequestError", 400, None),
    "400-temperature": ("BadRequestError", 400, "unsupported_value"),
    "context": ("BadRequestError", 400, "context_length_exceeded"),
    "400-content-filter": ("BadRequestError", 400, "content_filter"),
    "hang": ("APITimeoutError", None, None),
    "drop": ("APIConnectionError", None, None),
    "drop-mid": ("APIConnectionError", None, None),
    "truncated": ("JSONDecodeError", None, None),
}
ANTHROPIC_RAISES: dict[str, tuple[str, int | None, str | None]] = {
    "429": ("RateLimitError", 429, "rate_limit_error"),
    "429-retry-after": ("RateLimitError", 429, "rate_limit_error"),
    "429-retry-after-ms": ("RateLimitError", 429, "rate_limit_error"),
    "quota": ("PaymentRequiredError", 402, "billing_error"),
    "500": ("InternalServerError", 500, "api_error"),
    "502": ("InternalServerError", 502, "api_error"),
    "529": ("OverloadedError", 529, "overloaded_error"),
    "401": ("AuthenticationError", 401, "authentication_error"),
    "403": ("PermissionDeniedError", 403, "permission_error"),
    "404": ("NotFoundError", 404, "not_found_error"),
    "400": ("BadRequestError", 400, "invalid_request_error"),
    "400-temperature": ("BadRequestError", 400, "invalid_request_error"),
    "context": ("BadRequestError", 400, "invalid_request_error"),
    "400-content-filter": ("BadRequestError", 400, "invalid_request_error"),
    "hang": ("APITimeoutError", None, None),
    "drop": ("APIConnectionError", None, None),
    "drop-mid": ("APIConnectionError", None, None),
    "truncated": ("JSONDecodeError", None, None),
}


@pytest.mark.parametrize("kind", OPENAI_RAISES)
async def test_openai_sdk_raises(kind: str) -> None:
    """Each fault is the exception that the openai SDK has for it, and no good answer."""
    import openai

    name, status, code = OPENAI_RAISES[kind]
    exception = getattr(openai, name, json.JSONDecodeError)
    with LoopbackServer(faults={kind: 1.0}) as server:
        with pytest.raises(exception) as caught:
            await ask_openai(server, timeout=2.0 if kind == "hang" else 60)
        assert getattr(caught.value, "status_code", None) == status
        assert getattr(caught.value, "code", None) == code
        assert (server.counts, server.answered) == ({kind: 1}, [])


@pytest.mark.parametrize("kind", ANTHROPIC_RAISES)
async def test_anthropic_sdk_raises(kind: str) -> None:
    """Each fault is the exception that the anthropic SDK has for it, and no good answer."""
    import anthropic

    name, status, error_type = ANTHROPIC_RAISES[kind]
    exception = getattr(anthropic, name, json.JSONDecodeError)
    with LoopbackServer(faults={kind: 1.0}) as server:
        with pytest.raises(exception) as caught:
            await ask_anthropic(server, timeout=2.0 if kind == "hang" else 60)
        assert getattr(caught.value, "status_code", None) == status
        assert getattr(caught.value, "type", None) == error_type
        assert (server.counts, server.answered) == ({kind: 1}, [])


QUIET_KINDS = ["html", "empty-object", "error-200", "empty", "null-content", "length", "refusal"]


def openai_sees(reply: Any) -> object:
    """A fault of status 200 as the openai SDK shows it."""
    if isinstance(reply, str):
        return "a string"
    if reply.choices is None:
        return dict(reply.model_extra)
    choice = reply.choices[0]
    return (choice.message.content, choice.finish_reason, choice.message.refusal)


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("html", "a string"),
        ("empty-object", {}),
        ("error-200", {"error": {"message": "Upstream failed.", "code": 502}}),
        ("empty", ("", "stop", None)),
        ("null-content", (None, "stop", None)),
        ("length", ("An answer that ran out of", "length", None)),
        ("refusal", (None, "stop", "I can't help with that.")),
    ],
)
async def test_openai_sdk_does_not_raise(kind: str, seen: object) -> None:
    """A fault behind status 200 passes the openai SDK and is not counted as answered."""
    with LoopbackServer(faults={kind: 1.0}) as server:
        assert openai_sees(await ask_openai(server)) == seen
        assert (server.counts, server.answered) == ({kind: 1}, [])


def anthropic_sees(reply: Any) -> object:
    """A fault of status 200 as the anthropic SDK shows it."""
    if isinstance(reply, str):
        return "a string"
    if reply.content is None:
        return dict(reply.model_extra)
    return ("".join(block.text for block in reply.content), reply.stop_reason)


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("html", "a string"),
        ("empty-object", {}),
        ("error-200", {"error": {"message": "Upstream failed.", "code": 502}}),
        ("empty", ("", "end_turn")),
        ("null-content", ("", "end_turn")),
        ("length", ("An answer that ran out of", "max_tokens")),
        ("refusal", ("", "refusal")),
    ],
)
async def test_anthropic_sdk_does_not_raise(kind: str, seen: object) -> None:
    """A fault behind status 200 passes the anthropic SDK and is not counted as answered."""
    with LoopbackServer(faults={kind: 1.0}) as server:
        assert anthropic_sees(await ask_anthropic(server)) == seen
        assert (server.counts, server.answered) == ({kind: 1}, [])


async def test_trickle_outlives_the_read_timeout() -> None:
    """A trickle is slower than any total timeout, though each byte comes in time."""
    with LoopbackServer(faults={Fault("trickle", pause=0.05): 1.0}) as server:
        asking = asyncio.create_task(ask_openai(server, timeout=2.0))
        await asyncio.to_thread(eventually, lambda: server.counts["trickle"])
        done, _ = await asyncio.wait([asking], timeout=3.0)
        asking.cancel()
        assert not done and server.counts == {"trickle": 1}


def receive(server: LoopbackServer, most: int) -> bytes:
    """The first bytes of an answer, as they come over the wire."""
    body = json.dumps({"model": "m", "messages": []}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
    received = b""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(head.encode() + body)
        while len(received) < most and (piece := connection.recv(2**16)):
            received += piece
    return received


def test_an_endless_answer() -> None:
    """It names no length and goes on for as long as the client reads."""
    with LoopbackServer(faults={"endless": 1.0}) as server:
        received = receive(server, 10_000_000)
    assert len(received) >= 10_000_000
    assert b"content-length" not in received.partition(b"\r\n\r\n")[0].lower()


def test_a_small_answer_that_unpacks_to_a_large_one() -> None:
    """200 MB of text come as 200 KB."""
    with LoopbackServer(faults={"gzip-bomb": 1.0}) as server:
        head, _, packed = receive(server, 150_000).partition(b"\r\n\r\n")
    assert b" 200 " in head and b"Content-Encoding: gzip" in head
    assert int(head.lower().partition(b"content-length: ")[2].split()[0]) < 250_000
    unpacked = zlib.decompressobj(31).decompress(packed, 50_000_000)
    assert len(unpacked) == 50_000_000


LARGE_KINDS = {"endless", "gzip-bomb"}


def test_every_fault_is_in_the_tables() -> None:
    """No fault kind is without a test of what either SDK makes of it."""
    rest = {*QUIET_KINDS, *LARGE_KINDS, "trickle"}
    assert {*OPENAI_RAISES} | rest == set(FAULT_KINDS) == {*ANTHROPIC_RAISES} | rest


@pytest.mark.parametrize(
    ("fault", "headers"),
    [
        (Fault("429"), {}),
        (Fault("429-retry-after"), {"retry-after": "1"}),
        (Fault("429-retry-after", retry_after=0.05), {"retry-after": "0.05"}),
        (Fault("429-retry-after-ms", retry_after=0.05), {"retry-after-ms": "50"}),
    ],
)
async def test_retry_after(fault: Fault, headers: dict[str, str]) -> None:
    """A rate limit says how long to wait in the header of its kind, or not at all."""
    import openai

    with LoopbackServer(faults={fault: 1.0}) as server, pytest.raises(openai.APIError) as caught:
        await ask_openai(server)
    assert isinstance(caught.value, openai.RateLimitError)
    sent = caught.value.response.headers
    assert {name: value for name, value in sent.items() if name.startswith("retry")} == headers


@pytest.mark.parametrize("ask", [ask_openai, ask_anthropic])
async def test_401_echoes_the_key(ask: Any) -> None:
    """The body of a 401 holds the key that was sent, to test redaction with."""
    with LoopbackServer(faults={"401": 1.0}) as server, pytest.raises(Exception, match=KEY):
        await ask(server)


async def test_temperature_fault_names_the_parameter() -> None:
    """The error of a refused temperature says which parameter; without it the call succeeds."""
    import openai

    with LoopbackServer(
        faults=lambda r: "400-temperature" if "temperature" in r.body else None
    ) as server:
        with pytest.raises(openai.BadRequestError) as caught:
            await ask_openai(server)
        assert caught.value.param == "temperature"
        connection = connect(server)
        assert post(connection)[0] == 200
        connection.close()


def outcomes(server: LoopbackServer, count: int) -> list[int]:
    """Statuses of that many requests, one after the other."""
    connection = connect(server)
    statuses = [post(connection, f"p{i}")[0] for i in range(count)]
    connection.close()
    return statuses


def test_faults_are_drawn_from_the_seed() -> None:
    """The same seed gives the same faults, another seed others, at about their probability."""
    runs = []
    for seed in (1, 1, 2):
        with LoopbackServer(faults={"429": 0.3, "500": 0.2}, seed=seed) as server:
            runs.append(outcomes(server, 100))
    assert runs[0] == runs[1] != runs[2]
    # 3 SD of a binomial of 100: 30 +- 14, 20 +- 12
    assert 16 <= runs[0].count(429) <= 44
    assert 8 <= runs[0].count(500) <= 32


def test_fail_first_is_per_prompt() -> None:
    """The first attempts of each prompt fail, later ones do not."""
    with LoopbackServer(faults=fail_first("500", attempts=2)) as server:
        connection = connect(server)
        statuses = [post(connection, prompt)[0] for prompt in "aabaabbb"]
        connection.close()
    assert statuses == [500, 500, 500, 200, 200, 500, 200, 200]


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ({"418": 1.0}, "no fault '418'"),
        ({"429": -0.1}, "not probabilities"),
        ({"429": 0.7, "500": 0.7}, "more than 1"),
        ({"429": float("nan")}, "not probabilities"),
    ],
)
def test_wrong_faults_are_refused(faults: dict[str, float], message: str) -> None:
    """An unknown kind or a number that is no probability fails before anything starts."""
    with pytest.raises(ValueError, match=message):
        LoopbackServer(faults=faults)


# --- responders ---


def test_a_fault_that_a_responder_gives_fails_that_request_alone() -> None:
    """The replies after it come as they would."""
    script: list[Reply] = ["a", Fault("500"), Answer("b")]
    replies = iter(script)
    with LoopbackServer(lambda request: next(replies)) as server:
        connection = connect(server)
        assert text_of(post(connection)) == "a"
        assert post(connection)[0] == 500
        assert text_of(post(connection)) == "b"
        connection.close()


def test_an_error_of_a_responder_is_told_and_kept() -> None:
    """The client gets a 400 that names the cause, which is kept in `errors`."""

    def fail(request: ReceivedRequest) -> str:
        raise LookupError("nothing left to say")

    with LoopbackServer(fail) as server:
        connection = connect(server)
        status, body = post(connection)
        connection.close()
    assert (status, server.counts) == (400, {"responder-error": 1})
    assert "nothing left to say" in body["error"]["message"]
    assert isinstance(server.errors[0], LookupError)


def say(responder: Responder, prompt: str) -> str:
    """The text that a plain responder gives to a prompt."""
    messages = [{"role": "user", "content": prompt}]
    reply = responder(ReceivedRequest(0, CHAT, {}, {"messages": messages}, 0.0))
    assert isinstance(reply, str)
    return reply


def numbers(text: str) -> list[int]:
    """The ratings in a filled form."""
    return [int(line.rpartition(": ")[2]) for line in text.splitlines() if line[-1:].isdigit()]


def test_uniform_ratings_fill_the_form() -> None:
    """Only the form comes back, with headings, labels and end marker as in the prompt."""
    text = say(uniform_ratings(1), FORM)
    first, last = FORM.index("First pass"), FORM.index("\n\nA feeling")
    form = FORM[first:last].replace("<your critique here>", "none.").replace("<revised ", "<")
    assert len(numbers(text)) == 4
    for number in numbers(text):
        form = form.replace("<score>", str(number), 1)
    assert text == form


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Hello", "I see no form to fill in."),
        ("Give scores.\nA: <s>\nB: <s>", "A: #\nB: #"),
        (
            "Erste Bewertung:\nÄrger: <P>\nNeid: <P>\n\n[Ende]",
            "Erste Bewertung:\nÄrger: #\nNeid: #\n\n[Ende]",
        ),
    ],
)
def test_uniform_ratings_follow_the_prompt(prompt: str, expected: str) -> None:
    """Other languages, single sections and prompts without a form are answered in kind."""
    text = say(uniform_ratings(1), prompt)
    for number in numbers(text):
        text = text.replace(f": {number}", ": #", 1)
    assert text == expected


def test_uniform_ratings_depend_on_seed_and_prompt_only() -> None:
    """A retry gets the same answer, in whatever order; another seed or prompt another."""
    first = say(uniform_ratings(1), FORM)
    later = uniform_ratings(1)
    assert say(later, f"{FORM} Again.") != first
    assert say(later, FORM) == first
    assert say(uniform_ratings(2), FORM) != first


def test_uniform_ratings_are_uniform() -> None:
    """Each integer from 0 to 10 comes equally often: chi-square within its 99.9 % bound."""
    responder = uniform_ratings(3)
    ratings = [
        n
        for i in range(1000)
        for n in numbers(say(responder, f"{i}\nA: <s>\nB: <s>\nC: <s>\nD: <s>"))
    ]
    expected = len(ratings) / 11
    counts = [ratings.count(value) for value in range(11)]
    # 99.9 % point of chi-square with 10 degrees of freedom: 29.6
    assert sum((count - expected) ** 2 / expected for count in counts) < 29.6
    assert sum(counts) == 4000


# --- HTTP ---


def test_keep_alive_serves_many_requests(
    server: LoopbackServer, client: http.client.HTTPConnection
) -> None:
    """One connection serves request after request, errors among them."""
    client.connect()
    used = client.sock
    assert text_of(post(client, "a")) == "You said: a"
    client.request("GET", "/nowhere")
    client.getresponse().read()
    assert text_of(post(client, "b")) == "You said: b"
    assert client.sock is used


def test_connection_close_is_honoured(client: http.client.HTTPConnection) -> None:
    """A client that asks for it gets its connection closed after the answer."""
    assert post(client, headers={"Connection": "close"})[0] == 200
    assert client.sock is None


@pytest.mark.parametrize("size", [200_000, 5_000_000])
def test_large_bodies_both_ways(client: http.client.HTTPConnection, size: int) -> None:
    """Bodies far over any buffer arrive whole, in and out."""
    prompt = "x" * size
    assert text_of(post(client, prompt)) == f"You said: {prompt}"


def test_chunked_request_body(client: http.client.HTTPConnection) -> None:
    """A body in chunks is put together."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "chunks"}]}).encode()
    chunks = (body[i : i + 7] for i in range(0, len(body), 7))
    client.request("POST", CHAT, chunks, encode_chunked=True)
    response = client.getresponse()
    assert text_of((response.status, json.loads(response.read()))) == "You said: chunks"


def test_expect_continue(server: LoopbackServer) -> None:
    """A client that asks before it sends its body is told to go on."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as raw:
        raw.sendall(
            f"POST {CHAT} HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n".encode()
        )
        assert raw.recv(1000).startswith(b"HTTP/1.1 100 ")
        raw.sendall(b"{}")
        assert raw.recv(1000).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), ("GET", CHAT), ("POST", "/v1/embeddings"), ("PUT", "/x?y=1")]
)
def test_unknown_path(
    server: LoopbackServer, client: http.client.HTTPConnection, method: str, path: str
) -> None:
    """What is not served gets 404 with a JSON error, and is no chat request."""
    client.request(method, path)
    response = client.getresponse()
    assert (response.status, response.headers["Content-Type"]) == (404, "application/json")
    assert "Unknown request URL" in json.loads(response.read())["error"]["message"]
    assert (server.counts, server.requests) == ({"unknown-path": 1}, [])


def test_head_gets_no_body(client: http.client.HTTPConnection) -> None:
    """HEAD gets the head of the 404 alone, and the connection stays usable."""
    client.request("HEAD", "/v1")
    response = client.getresponse()
    assert (response.status, response.read()) == (404, b"")
    assert post(client)[0] == 200


async def test_both_sdks_list_the_models(server: LoopbackServer) -> None:
    """`GET /v1/models` reads as a list of one model in both SDKs."""
    import anthropic
    import openai

    async with openai.AsyncOpenAI(api_key=KEY, base_url=server.base_url, max_retries=0) as client:
        ids = [model.id async for model in client.models.list()]
    async with anthropic.AsyncAnthropic(
        api_key=KEY, base_url=server.root_url, max_retries=0, open_telemetry=False
    ) as other:
        ids += [model.id async for model in other.models.list()]
    assert ids == ["loopback-model"] * 2


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/messages HTTP/1.1\r\nContent-Length: 3\r\n\r\n{1}",
        b"POST /v1/messages HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]",
        b'POST /v1/messages HTTP/1.1\r\nContent-Length: 15\r\n\r\n{"stream": true}',
        b"GET / HTTP/1.1\r\nx: " + b"y" * 2_000_000,
    ],
    ids=["no-http", "length", "chunks", "json", "array", "stream", "long-header"],
)
def test_malformed_request_gets_400(server: LoopbackServer, sent: bytes) -> None:
    """What is no chat request gets a 400 (or a reset while it still sends), and is counted."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as raw:
        try:
            raw.sendall(sent)
            assert raw.recv(20).startswith(b"HTTP/1.1 400 ")
        except ConnectionError:
            assert len(sent) > 1_000_000
    assert server.counts == {"malformed": 1}


# --- clients that leave ---


def leave_early(server: LoopbackServer, *, reset: bool) -> None:
    """Send a request and close the socket without reading the answer."""
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    if reset:  # linger of 0 s: close sends RST, as for a killed client with unread data
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    raw.sendall(f"POST {CHAT} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    eventually(lambda: server.requests)
    raw.close()


@pytest.mark.parametrize("reset", [False, True])
def test_client_that_left_was_not_answered(reset: bool) -> None:
    """A client that leaves while it waits is counted as gone; the server goes on."""
    gate = Gate(holds=lambda r: r.n == 0)
    with LoopbackServer("OK", latency=gate) as server:
        leave_early(server, reset=reset)
        gate.open()
        eventually(lambda: server.counts["client-gone"])
        assert server.answered == []
        assert outcomes(server, 1) == [200]
        assert server.counts == {"client-gone": 1, "ok": 1}


def test_client_that_stops_reading_was_not_answered() -> None:
    """An answer that does not leave the server whole is taken back from the tally."""
    with LoopbackServer("x" * 20_000_000) as server:
        raw = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        raw.sendall(f"POST {CHAT} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        raw.recv(1000)
        raw.close()
        eventually(lambda: server.counts["client-gone"])
        assert (server.answered, server.counts["ok"]) == ([], 0)


def test_client_that_leaves_inside_its_body(server: LoopbackServer) -> None:
    """Half a request is no request, and harms nothing."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as raw:
        raw.sendall(f"POST {CHAT} HTTP/1.1\r\nContent-Length: 100\r\n\r\n{{".encode())
    assert outcomes(server, 1) == [200]
    assert len(server.requests) == 1


# --- life cycle ---


def test_close_is_quick_with_hanging_connections() -> None:
    """Closing cuts hanging, trickling, held and idle connections, and ends the thread."""
    before = threading.active_count()
    kinds = iter(["hang", "trickle", None, None])
    server = LoopbackServer(
        "OK", latency=Gate(holds=lambda r: r.n == 2), faults=lambda r: next(kinds)
    )
    server.start()
    sockets = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(5)]
    for i, raw in enumerate(sockets[:4]):
        raw.sendall(f"POST {CHAT} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        eventually(lambda count=i: len(server.requests) > count)
    closing = threading.Thread(target=server.close)
    closing.start()
    closing.join(60)
    assert not closing.is_alive()
    server.close()
    assert threading.active_count() == before
    for raw in sockets:
        raw.close()


def test_close_in_a_burst_of_connections_leaks_no_socket() -> None:
    """Connections that arrive while the server closes are closed too (else: ResourceWarning)."""
    for _ in range(20):
        server = LoopbackServer("OK")
        server.start()
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(9)]
        server.close()
        for raw in clients:
            raw.close()
    gc.collect()


def test_port_can_be_taken_again() -> None:
    """A server that went away may come back at its address; two at once may not."""
    with LoopbackServer("first") as server:
        connection = connect(server)
        assert text_of(post(connection)) == "first"
        with pytest.raises(OSError, match="address already in use"):
            LoopbackServer(port=server.port).start()
    connection.close()
    with LoopbackServer("second", port=server.port) as again:
        assert again.base_url == server.base_url
        assert text_of(post(connection)) == "second"
    connection.close()


def test_a_server_starts_once(server: LoopbackServer) -> None:
    """Starting a running server is an error, not a second server."""
    with pytest.raises(RuntimeError, match="starts once"):
        server.start()


def test_record_off_keeps_counts_only() -> None:
    """Without records a long benchmark leaves nothing but numbers."""
    with LoopbackServer("OK", record=False) as server:
        outcomes(server, 3)
    assert (server.requests, server.answered, server.counts) == ([], [], {"ok": 3})


def test_public_names() -> None:
    """`eibench.testing` is the public door to all of it."""
    assert all(getattr(eibench.testing, name) for name in eibench.testing.__all__)


# --- the program ---


def start_program(*options: str, **kwargs: Any) -> tuple[subprocess.Popen[str], int]:
    """The server in another process, and its port."""
    command = [sys.executable, "-m", "eibench.plugins.kit.server", *options]
    program = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs
    )
    assert program.stdout is not None
    return program, int(program.stdout.readline().rpartition(":")[2].removesuffix("/v1\n"))


def test_program_logs_and_stops_on_sigterm(tmp_path: Path) -> None:
    """Every request is a flushed line of the log, and SIGTERM ends it with exit code 0."""
    log = tmp_path / "log.jsonl"
    options = ("--uniform-ratings", "--fault", "429=0.5", "--requests-log", str(log))
    program, port = start_program(*options, stdin=subprocess.DEVNULL)
    with program:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        statuses = [post(connection, FORM)[0] for _ in range(20)]
        connection.close()
        program.send_signal(signal.SIGTERM)
        assert program.wait(5) == 0
        assert program.stderr is not None
        assert program.stderr.read() == ""
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [line["n"] for line in lines] == list(range(20))
    assert [line["outcome"] for line in lines] == ["ok" if s == 200 else "429" for s in statuses]
    assert set(statuses) == {200, 429}
    assert len({line["digest"] for line in lines}) == 1
    assert {line["prompt"] for line in lines} == {FORM[:80]}


def test_program_stops_when_its_input_ends() -> None:
    """A server on a pipe does not outlive its parent."""
    program, port = start_program("--reply", "Hello", "--accept-key", KEY, stdin=subprocess.PIPE)
    with program:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        assert post(connection)[0] == 401
        assert text_of(post(connection, headers={"X-Api-Key": KEY})) == "Hello"
        connection.close()
        assert program.stdin is not None
        program.stdin.close()
        assert program.wait(5) == 0


def test_program_refuses_unknown_faults() -> None:
    """A fault that does not exist is a usage error that names it."""
    command = [sys.executable, "-m", "eibench.plugins.kit.server", "--fault", "418=1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "no fault '418'" in done.stderr) == (2, True)
