"""Which failures may have cost money, and what real SDKs say of a request that never left."""

import asyncio
import socket

import pytest

from eibench.core.errors import ErrorKind, Interrupted, ProviderError
from eibench.core.spending.billing import may_be_billed, never_sent
from eibench.testing import LoopbackServer


@pytest.mark.parametrize(
    ("kind", "billed"),
    [
        (ErrorKind.RATE_LIMIT, False),
        (ErrorKind.QUOTA, False),
        (ErrorKind.AUTH, False),
        (ErrorKind.NOT_FOUND, False),
        (ErrorKind.INVALID_REQUEST, False),
        (ErrorKind.REFUSED, True),
        (ErrorKind.CONTEXT_TOO_LONG, True),
        (ErrorKind.TIMEOUT, True),
        (ErrorKind.CONNECTION, True),
        (ErrorKind.SERVER, True),
        (ErrorKind.MALFORMED, True),
    ],
)
def test_only_a_refusal_before_any_work_is_free(kind: ErrorKind, billed: bool) -> None:
    """Limits, keys and wrong requests cost nothing; silence and breakdowns may have."""
    assert may_be_billed(ProviderError(kind, "failed")) is billed


def test_every_kind_of_failure_is_decided() -> None:
    """A kind that is new and not thought about counts as billed."""
    free = [kind for kind in ErrorKind if not may_be_billed(ProviderError(kind, ""))]
    assert len(free) == 5


def test_a_request_that_never_left_is_free() -> None:
    """A connection error that says so costs nothing."""
    error = ProviderError(ErrorKind.CONNECTION, "cannot reach it")
    error.unsent = True  # type: ignore[attr-defined,unused-ignore]
    assert not may_be_billed(error)


@pytest.mark.parametrize(
    ("error", "billed"),
    [(asyncio.CancelledError(), True), (KeyError("x"), True), (Interrupted("stopped"), False)],
)
def test_what_is_no_answer_of_a_provider(error: BaseException, billed: bool) -> None:
    """A call that was cancelled may go on at the server; one stopped before sending was none."""
    assert may_be_billed(error) is billed


def _closed_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


async def _openai_error(base_url: str, aiohttp: bool) -> BaseException:
    import openai

    kind = openai.DefaultAioHttpClient if aiohttp else openai.DefaultAsyncHttpxClient
    async with openai.AsyncOpenAI(
        api_key="sk-fake-0123456789abcdef", base_url=base_url, max_retries=0, http_client=kind()
    ) as client:
        with pytest.raises(openai.APIConnectionError) as caught:
            await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "hi"}]
            )
    return caught.value


async def _anthropic_error(base_url: str) -> BaseException:
    import anthropic

    async with anthropic.AsyncAnthropic(
        api_key="sk-fake-0123456789abcdef", base_url=base_url, max_retries=0
    ) as client:
        with pytest.raises(anthropic.APIConnectionError) as caught:
            await client.messages.create(
                model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}]
            )
    return caught.value


@pytest.mark.parametrize("aiohttp", [True, False], ids=["aiohttp", "httpx"])
async def test_openai_refused_and_dropped_connections_differ(aiohttp: bool) -> None:
    """A closed port: nothing was sent. A connection dropped after the request: something was.

    The SDK's aiohttp transport calls both a failure to connect.
    """
    assert never_sent(await _openai_error(_closed_port(), aiohttp))
    with LoopbackServer(faults={"drop": 1.0}) as server:
        assert not never_sent(await _openai_error(server.base_url, aiohttp))
        assert len(server.requests) == 1


async def test_anthropic_refused_and_dropped_connections_differ() -> None:
    """The same through the other SDK."""
    assert never_sent(await _anthropic_error(_closed_port()))
    with LoopbackServer(faults={"drop": 1.0}) as server:
        url = server.base_url.removesuffix("/v1")
        assert not never_sent(await _anthropic_error(url))
        assert len(server.requests) == 1


def test_an_unknown_cause_may_have_been_sent() -> None:
    """No cause, or a foreign one, proves nothing."""
    assert not never_sent(None)
    assert not never_sent(OSError("gone"))
