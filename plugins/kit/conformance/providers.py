"""Checks of providers, at a server on this machine."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from eibench import (
    BenchError,
    CallContext,
    ChatRequest,
    ChatResponse,
    Client,
    ClientConfig,
    Item,
    Message,
    Provider,
    ProviderError,
    Sampling,
    UsageError,
)
from eibench.checking import Finding, NotChecked, Subject
from eibench.providers import ModelSpec

from ..faults import Faults
from ..gate import Gate
from ..loopback import LoopbackServer
from ..wire import ReceivedRequest
from .checks import check

_AT_A_TIME = 32
_SOON_S = 5.0
_SAMPLING = Sampling(temperature=0.3, max_tokens=64)


def _provider(subject: Subject) -> Provider:
    provider = subject.thing
    assert isinstance(provider, Provider)
    if provider.demo:
        raise NotChecked("its models are demo models, whose words are a benchmark's")
    return provider


def _request(text: str) -> ChatRequest:
    return ChatRequest((Message("user", text),), _SAMPLING)


class _Connection:
    """A client of a provider at a server on this machine."""

    def __init__(self, subject: Subject, server: LoopbackServer) -> None:
        provider = _provider(subject)
        self._subject = subject
        self._context: Any = CallContext(_NoBenchmark(), Item("1"), 1, "generate")  # type: ignore[arg-type]
        self._configs = [
            ClientConfig(ModelSpec(provider.name, name), url, key="sk-conformance")
            for name in ("conformance", "openai/conformance")
            for url in (server.base_url, server.root_url)
        ]

    async def opened(self) -> Client:
        """The first client that gets an answer.

        Raises:
            NotChecked: None does.
        """
        reason = ""
        for config in self._configs:
            try:
                client = self._subject.client(config)
            except UsageError as error:
                reason = str(error)
                continue
            with suppress(ProviderError):
                await client.complete(_request("hello"), self._context)
                return client
            await client.close()
        raise NotChecked(reason or "no answer from a server of OpenAI's or Anthropic's kind")

    async def complete(self, client: Client, text: str) -> ChatResponse:
        """One reply."""
        return await client.complete(_request(text), self._context)


class _NoBenchmark:
    """Stands for a benchmark where there is none."""

    name = "conformance"


def _echo(request: ReceivedRequest) -> str:
    """The last word of what was asked."""
    return str(request.body["messages"][-1]["content"]).split()[-1]


def _with_server(subject: Subject, work: Callable[..., Any], **more: Any) -> Any:
    """What a coroutine function comes to with a client at a server that says the last word."""
    with LoopbackServer(_echo, **more) as server:
        connection = _Connection(subject, server)

        async def whole() -> Any:
            client = await connection.opened()
            try:
                return await work(server, connection, client)
            finally:
                await client.close()

        return asyncio.run(whole())


@check("P1", "raise ProviderError(kind, message) for all that a server does", "provider")
def tells_provider_errors(subject: Subject) -> Iterator[Finding]:
    """What a server fails with is a ProviderError: errors, broken connections, garbage."""
    for fault in ("401", "500", "drop", "html"):

        async def fail(server: LoopbackServer, connection: _Connection, client: Any) -> str:
            try:
                await connection.complete(client, "hello")
            except ProviderError:
                return ""
            except BenchError as error:
                return str(error)
            return "" if len(server.requests) < 2 else "takes it for an answer"

        faults: Faults = lambda request, fault=fault: fault if request.n else None  # noqa: E731
        if message := _with_server(subject, fail, faults=faults):
            yield subject.finding("complete", f"on the fault {fault!r}: {message}")


@check("P2", "let a cancelled request end at once: catch no CancelledError", "provider")
def can_be_cancelled(subject: Subject) -> Iterator[Finding]:
    """A request that is given up ends, and the client goes on working."""

    async def give_up(server: LoopbackServer, connection: _Connection, client: Any) -> str:
        task = asyncio.ensure_future(connection.complete(client, "hello"))
        while gate.waiting < 1 and not task.done():
            await asyncio.sleep(0.01)
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=_SOON_S)
        gate.open()
        if not done:
            return f"goes on for {_SOON_S:g} s after it was cancelled"
        if not task.cancelled() and gate.waiting:
            return "catches that it was cancelled"
        again = await connection.complete(client, "say again")
        return "" if again.text == "again" or not server.requests else "is of no use afterwards"

    gate = Gate(free=1, opens_at=None)
    if message := _with_server(subject, give_up, latency=gate):
        yield subject.finding("complete", message)


@check("P3", "give request.sampling.sent(), less what you did not send, as sent", "provider")
def says_what_was_sent(subject: Subject) -> Iterator[Finding]:
    """What a reply says was sent was asked for, and is what the server received."""

    async def ask(server: LoopbackServer, connection: _Connection, client: Any) -> str:
        reply = await connection.complete(client, "hello")
        known = _SAMPLING.sent()
        for name, value in reply.sent.items():
            if known.get(name) != value:
                return f"says that {name}={value!r} was sent, which was not asked for"
        bodies = [request.body for request in server.requests]
        unsent = [n for n in reply.sent if bodies and not _holds(bodies[-1], n, reply.sent[n])]
        return f"says that {unsent[0]} was sent, which was not" if unsent else ""

    if message := _with_server(subject, ask):
        yield subject.finding("complete", message)


def _holds(body: Any, name: str, value: object) -> bool:
    """Whether a request has a parameter, by its name or, as some call it otherwise, its value."""
    return name in body or value in body.values()


@check("P4", "keep nothing of one request for another: many are made at a time", "provider")
def keeps_requests_apart(subject: Subject) -> Iterator[Finding]:
    """32 requests at a time each get their own reply."""

    async def ask(server: LoopbackServer, connection: _Connection, client: Any) -> str:
        words = [f"word{n}" for n in range(_AT_A_TIME)]
        replies = await asyncio.gather(*(connection.complete(client, f"say {w}") for w in words))
        mixed = [w for w, r in zip(words, replies, strict=True) if server.requests and r.text != w]
        return f"gives another request's reply to {len(mixed)} of {_AT_A_TIME}" if mixed else ""

    if message := _with_server(subject, ask):
        yield subject.finding("complete", message)
