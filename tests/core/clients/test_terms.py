"""What a server refuses is left out if the request is taken without it, and nothing else is."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.openai import OpenAIClient
from eibench.core.clients.patience import limit_of_attempt, off_the_clock
from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.providers import CallContext, ClientConfig, ModelSpec, of_judge
from eibench.core.types import ChatRequest, Item, JsonDict, Message, Sampling
from eibench.testing import Fault, LoopbackServer, ReceivedRequest, Reply, Response

CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "judge")
SCHEMA: JsonDict = {"type": "object", "properties": {"score": {"type": "integer"}}}
FULL = Sampling(0.0, min_p=0.1, max_tokens=8000, json_schema=SCHEMA)
TALK = (
    Message("system", "You are a careful judge."),
    Message("user", "Grade this."),
    Message("assistant", "Which scale?"),
    Message("user", "From 0 to 20."),
)
Refuses = Callable[[ReceivedRequest], str | None]


@asynccontextmanager
async def judging(
    refuses: Refuses, status: int = 400, **config: Any
) -> AsyncIterator[tuple[OpenAIClient, LoopbackServer]]:
    """A judge behind a server that answers some requests with a refusal."""

    def plan(request: ReceivedRequest) -> Fault | None:
        words = refuses(request)
        return None if words is None else Fault("400", message=words, status=status)

    async with LoopbackServer(faults=plan) as server:
        spec = ModelSpec("openai", "j")
        client = OpenAIClient(ClientConfig(spec, server.base_url, party=of_judge("j"), **config))
        try:
            yield client, server
        finally:
            await client.close()


def without_words(*names: str) -> Refuses:
    """Refuses what holds one of these fields, and does not say why."""
    return lambda request: "Bad Request" if any(n in request.body for n in names) else None


def asked(sampling: Sampling = FULL, messages: tuple[Message, ...] = TALK) -> ChatRequest:
    """What a judge is asked."""
    return ChatRequest(messages, sampling)


ALL = {"temperature", "min_p", "max_tokens", "response_format"}


@pytest.mark.parametrize(
    "refused",
    [("response_format",), ("min_p",), ("temperature",), ("min_p", "response_format"),
     ("temperature", "min_p")],
)  # fmt: skip
async def test_a_refusal_without_words(refused: tuple[str, ...]) -> None:
    """No more is left out than has to be, and the next request goes without it at once."""
    async with judging(without_words(*refused)) as (client, server):
        first = await client.complete(asked(), CALL)
        requests = len(server.requests)
        second = await client.complete(asked(), CALL)
    assert set(first.sent) == set(second.sent) == ALL - set(refused)
    assert requests <= 20 and len(server.requests) == requests + 1


async def test_what_a_refusal_names_comes_first() -> None:
    """One more request, whatever the words."""
    words = "Argument not accepted here: min_p"
    async with judging(lambda r: words if "min_p" in r.body else None) as (client, server):
        response = await client.complete(asked(), CALL)
    assert set(response.sent) == ALL - {"min_p"} and len(server.requests) == 2


async def test_a_field_that_is_named_wrongly_goes_back_in() -> None:
    """A server that blames another field than the one it refuses keeps that one."""
    words = "The value of min_p is odd"
    async with judging(lambda r: words if "response_format" in r.body else None) as (client, _):
        response = await client.complete(asked(), CALL)
    assert set(response.sent) == ALL - {"response_format"}


async def test_a_request_that_is_refused_whatever_is_left_out() -> None:
    """Everything goes back in, the error stands and says so, and the next costs one request."""
    async with judging(lambda request: "Odd request 17") as (client, server):
        with pytest.raises(ProviderError) as caught:
            await client.complete(asked(), CALL)
        requests = len(server.requests)
        with pytest.raises(ProviderError):
            await client.complete(asked(), CALL)
    assert caught.value.kind is ErrorKind.INVALID_REQUEST
    assert "Odd request 17" in str(caught.value) and "it is refused too" in str(caught.value)
    assert not client.terms.without
    assert requests <= 30 and len(server.requests) == requests + 1


async def test_a_temperature_of_zero_is_raised_before_it_is_left_out() -> None:
    """To the least that a server takes which wants a positive one."""

    def positive(request: ReceivedRequest) -> str | None:
        cold = request.body.get("temperature") == 0
        return "`temperature` must be strictly positive" if cold else None

    async with judging(positive, 422) as (client, server):
        response = await client.complete(asked(), CALL)
    assert response.sent["temperature"] == 0.01 and len(server.requests) == 2


async def test_a_server_without_a_system_role() -> None:
    """The text goes before the first user message, and the record says so."""

    def no_system(request: ReceivedRequest) -> str | None:
        roles = [message["role"] for message in request.body["messages"]]
        return "System role not supported" if "system" in roles else None

    async with judging(no_system) as (client, server):
        response = await client.complete(asked(), CALL)
    first = server.requests[-1].body["messages"][0]
    assert first == {"role": "user", "content": "You are a careful judge.\n\nGrade this."}
    assert response.sent["system"] == "in the first user message"
    assert set(response.sent) == {*ALL, "system"} and len(server.requests) == 2


async def test_a_server_that_wants_strict_turns() -> None:
    """An assistant's first message gets a user's before it, and the record says so."""

    def strict(request: ReceivedRequest) -> str | None:
        roles = [m["role"] for m in request.body["messages"] if m["role"] != "system"]
        wanted = [("user", "assistant")[n % 2] for n in range(len(roles))]
        words = "After the optional system message, roles must alternate user/assistant/..."
        return None if roles == wanted else words

    talk = (TALK[0], TALK[2], TALK[3])
    async with judging(strict) as (client, server):
        response = await client.complete(asked(messages=talk), CALL)
    assert response.sent["turns"] == "joined" and "system" not in response.sent
    assert len(server.requests) == 2


async def test_room_that_a_server_has_becomes_what_fits() -> None:
    """By its numbers, and for the prompts after it from the start."""

    def counted(request: ReceivedRequest) -> str | None:
        tokens = sum(len(m["content"]) for m in request.body["messages"])
        room = request.body["max_tokens"]
        words = f"max_tokens is too large: {room} > 6000 - {tokens}"
        return words if room + tokens > 6000 else None

    longer = (*TALK[:3], Message("user", "From 0 to 20. " * 100))
    async with judging(counted) as (client, server):
        first = await client.complete(asked(), CALL)
        second = await client.complete(asked(messages=longer), CALL)
    text = sum(len(message.content) for message in TALK)
    assert first.sent["max_tokens"] == 6000 - text
    assert 4000 < cast(int, second.sent["max_tokens"]) < 6000 - 1400
    assert len(server.requests) == 3


async def test_a_fixed_limit_of_a_reply() -> None:
    """It is what every request gets from then on."""
    words = "max_tokens is too large: 8000. This model supports at most 4096 completion tokens"
    refuses: Refuses = lambda r: words if r.body["max_tokens"] > 4096 else None  # noqa: E731
    async with judging(refuses) as (client, server):
        sent = [(await client.complete(asked(), CALL)).sent["max_tokens"] for _ in range(2)]
    assert sent == [4096, 4096] and len(server.requests) == 3


async def test_room_refused_without_numbers() -> None:
    """Half as much is tried, and half of that."""
    refuses: Refuses = lambda r: "max_tokens too large" if r.body["max_tokens"] > 2048 else None  # noqa: E731
    async with judging(refuses) as (client, _):
        response = await client.complete(asked(), CALL)
    assert response.sent["max_tokens"] == 2048 and set(response.sent) == ALL


async def test_room_that_the_server_lists() -> None:
    """Where a refusal has no number, what the list of models says comes first."""
    entry: JsonDict = {"id": "j", "object": "model", "max_model_len": 6000}
    refuses: Refuses = lambda r: "max_tokens too large" if r.body["max_tokens"] > 5990 else None  # noqa: E731
    async with judging(refuses) as (client, server):
        server._models = [entry]
        response = await client.complete(asked(), CALL)
    assert 5900 < cast(int, response.sent["max_tokens"]) <= 5990
    assert len(server.requests) == 2


async def test_no_room_for_a_verdict_is_an_error() -> None:
    """A judge is not asked where what fits would cut its verdict off."""
    words = "max_tokens is too large: 8000 > 8192 - 8000"
    async with judging(lambda request: words) as (client, server):
        with pytest.raises(ProviderError, match="8000 > 8192"):
            await client.complete(asked(), CALL)
    assert server.requests[0].body["max_tokens"] == 8000


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "no"), (402, "no"), (403, "no"), (408, "no"), (409, "no"), (413, "no"), (429, "no"),
        (404, "Not Found"), (400, "content filter: blocked"), (400, "Incorrect API key provided"),
        (400, "The prompt is too long"), (400, "The model `j` does not exist"),
        (400, "You exceeded your current quota"), (500, "min_p is not supported"),
    ],
)  # fmt: skip
async def test_what_is_never_asked_otherwise(status: int, words: str) -> None:
    """Keys, money, limits, filters, lengths and names are no matter of what is left out."""
    async with judging(lambda request: words, status) as (client, server):
        with pytest.raises(ProviderError):
            await client.complete(asked(), CALL)
    assert len(server.requests) == 1


async def test_other_requests_wait_for_the_one_that_finds_out() -> None:
    """Those under way are refused once each, and are sent again as the first was taken."""
    async with judging(without_words("response_format", "min_p")) as (client, server):
        replies = await asyncio.gather(*(client.complete(asked(), CALL) for _ in range(8)))
    assert all(set(reply.sent) == {"temperature", "max_tokens"} for reply in replies)
    assert len(server.answered) == 8
    assert len(server.requests) <= 8 + 8 + 20


async def test_a_field_that_was_taken_is_not_blamed_for_a_refusal_without_words() -> None:
    """What differs is the text, so the error stands at once."""
    refuses: Refuses = lambda r: "Bad Request" if "odd" in r.prompt else None  # noqa: E731
    odd = (*TALK[:3], Message("user", "odd"))
    async with judging(refuses) as (client, server):
        await client.complete(asked(), CALL)
        with pytest.raises(ProviderError):
            await client.complete(asked(messages=odd), CALL)
    assert len(server.requests) == 2


async def test_of_fields_that_exclude_each_other_the_one_that_was_set_stays() -> None:
    """Else the one that does more harm when it is absent."""

    def both(request: ReceivedRequest) -> str | None:
        words = "`temperature` and `top_p` cannot both be specified for this model."
        return words if {"temperature", "top_p"} <= set(request.body) else None

    for typed, left in (((), "temperature"), (("top_p",), "top_p")):
        async with judging(both, typed=frozenset(typed)) as (client, _):
            response = await client.complete(asked(Sampling(0.5, top_p=0.9)), CALL)
        assert set(response.sent) == {left}


async def test_what_is_left_out_is_told() -> None:
    """Once, with the name of the party."""
    told: list[str] = []
    async with judging(without_words("min_p"), say=told.append) as (client, _):
        for _ in range(2):
            await client.complete(asked(), CALL)
    assert len(told) == 1
    assert "does not take min_p: it is asked without from now on" in told[0]


async def test_a_server_that_knows_neither_name_of_the_token_limit() -> None:
    """Both are left out, though only the field beside its words names them; none is told."""
    told: list[str] = []

    def neither(request: ReceivedRequest) -> Reply:
        known = {"max_tokens", "max_completion_tokens"} & request.body.keys()
        error = {"message": "Unsupported parameter", "param": min(known, default="")}
        return Response(400, json.dumps({"error": error}).encode()) if known else "OK"

    async with LoopbackServer(neither) as server:
        config = ClientConfig(ModelSpec("openai", "j"), server.base_url, party=of_judge("j"))
        client = OpenAIClient(replace(config, say=told.append))
        response = await client.complete(asked(), CALL)
        await client.close()
    assert set(response.sent) == {"temperature", "min_p", "response_format"} and not told
    assert len(server.requests) == 3


async def test_another_name_of_the_token_limit_is_told_as_such() -> None:
    """The limit goes on under the name that the server knows, and nothing else is said."""
    told: list[str] = []
    async with judging(without_words("max_tokens"), say=told.append) as (client, _):
        response = await client.complete(asked(), CALL)
    assert response.sent["max_completion_tokens"] == 8000
    assert len(told) == 1
    assert told[0].endswith(
        "does not take max_tokens: the limit is sent as max_completion_tokens from now on"
    )


async def test_time_off_the_clock() -> None:
    """It does not count for the time limit of the attempt."""
    async with asyncio.timeout(0.05) as limit:
        limit_of_attempt.set(limit)
        async with off_the_clock():
            await asyncio.sleep(0.1)
    assert not limit.expired()
