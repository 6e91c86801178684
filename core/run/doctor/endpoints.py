"""Whether a model can be asked: its key, its server, one tiny call, one item, its price.

A key is told by its variable's name only.
"""

import asyncio
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from ...benchmark import Benchmark
from ...benchmark.model import MODEL
from ...clients.caller import Caller
from ...clients.keys import Environment
from ...clients.limits import Limits, RetryPolicy
from ...errors import BenchError, ErrorKind, ProviderError
from ...guard import make_client
from ...parties.providers import (
    OF_MODEL,
    AskedParty,
    CallContext,
    Client,
    ClientConfig,
    PartyOptions,
    Provider,
    is_loopback,
)
from ...plugins import Catalogue
from ...settings.run_config import Endpoint
from ...spending.budget import Meter
from ...spending.prices import Price
from ...types import ChatRequest, ChatResponse, Item, Message, Sampling
from ..connect import client_config
from .checks import Check, CheckVerdict, fail, ok, warn
from .one_item import ask_item, plainest

TOKENS = 8
"""What the answer to the tiny call may have at most."""
REQUEST = ChatRequest((Message("user", "Say OK."),), Sampling(max_tokens=TOKENS))
CALL_S = 60.0
ITEM_S = 180.0
_REACH_S = 10.0
#: The server is there and may well answer what a run asks.
_ANSWERED = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.INVALID_REQUEST, ErrorKind.REFUSED})
_MAY_WORK = "the server answers; a run may work all the same"
_PORTS = {"https": 443, "http": 80}


class Probe(NamedTuple):
    """A model to be looked at, and whether it may be asked something.

    Its label is what the lines about it begin with, such as ``model openai/x``.
    """

    label: str
    endpoint: Endpoint
    price: Price | None
    call: bool
    party: PartyOptions = OF_MODEL


async def probe(one: Probe, catalogue: Catalogue, environment: Environment) -> AsyncIterator[Check]:
    """All checks of a model, each as soon as it is done; a later one may need an earlier."""
    try:
        provider = catalogue.provider(one.endpoint.spec.provider)
        config = client_config(one.endpoint, environment, one.party)
        client = make_client(provider, config)
    except BenchError as error:
        yield fail(f"{one.label} key", error)
    else:
        yield _key(one.label, config, provider)
        async for check in _ask(one, client, config, catalogue):
            yield check
    yield _price(one)


async def _ask(
    one: Probe, client: Client, config: ClientConfig, catalogue: Catalogue
) -> AsyncIterator[Check]:
    """Whether somebody listens and, if so and if it may be asked, what comes of one request."""
    provider = catalogue.provider(one.endpoint.spec.provider)
    try:
        reached = None
        url = config.base_url or (f"https://{provider.host}" if provider.host else None)
        if url and not provider.demo:  # else nobody but the SDK knows where that is
            yield (reached := await reach(one.label, url))
        may_answer = catalogue.benchmarks.things and not (reached and reached.code)
        if one.call and may_answer and not provider.demo:
            asked = config.asked(provider.host)
            yield (answered := await _call(one, client, catalogue, asked))
            benchmark = plainest(catalogue) if one.party is OF_MODEL else None
            if benchmark and not answered.code and answered.todo != _MAY_WORK:
                yield await _item(one, client, benchmark, asked)
    finally:
        with suppress(Exception):  # the checks are done
            await client.close()


def _key(label: str, config: ClientConfig, provider: Provider) -> Check:
    name = f"{label} key"
    if provider.demo:
        return ok(name, "needs none")
    if config.key is None:
        message = "none is named for this server, so none is sent"
        litellm = config.base_url is None
        return ok(name, "whatever litellm finds for its provider" if litellm else message)
    return ok(name, f"{config.key_name} is set")


async def reach(label: str, url: str) -> Check:
    """Whether somebody listens at an address; nothing is sent."""
    parts, name = urlsplit(url), f"{label} server"
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    if _proxied(url):
        return ok(name, f"{host}:{port} is behind the proxy of the environment, so not tried")
    try:
        async with asyncio.timeout(_REACH_S):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        message = f"{host}:{port} does not answer within {_REACH_S:g} s"
    except OSError as error:
        message = f"{host}:{port} cannot be reached ({type(error).__name__})"
    else:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        return ok(name, f"{host}:{port} accepts connections")
    return fail(name, message, "is the server running, and the address right?", 4)


def _proxied(url: str) -> bool:
    parts, proxies = urlsplit(url), urllib.request.getproxies()
    through = parts.scheme in proxies or "all" in proxies
    return through and not (is_loopback(url) or urllib.request.proxy_bypass(parts.hostname or ""))


async def _call(one: Probe, client: Client, catalogue: Catalogue, asked: AskedParty) -> Check:
    """One request, asked once."""
    name = f"{one.label} call"

    async def ask() -> Check:
        # Of no run; a client that makes up its own answers looks at it, one of a server does not.
        call = CallContext(next(iter(catalogue.benchmarks)), Item("doctor"), 1, MODEL)
        return _answered(name, one, await _caller(one, client, asked, CALL_S).send(REQUEST, call))

    return await _outcome(name, ask)


async def _item(one: Probe, client: Client, benchmark: Benchmark, asked: AskedParty) -> Check:
    """One item of a benchmark, asked once."""
    name = f"{one.label} item"
    caller = _caller(one, client, asked, ITEM_S)
    check = await _outcome(name, lambda: ask_item(name, caller, benchmark))
    # The server has answered before, so a run may have more patience with it.
    return check._replace(verdict=CheckVerdict.WARN, code=0) if check.code else check


def _caller(one: Probe, client: Client, asked: AskedParty, seconds: float) -> Caller:
    limits = Limits(1, timeout_s=seconds, retry=RetryPolicy(attempts=1))
    return Caller(client, limits, meter=Meter(one.price, None), asked=asked)


async def _outcome(name: str, ask: Callable[[], Awaitable[Check]]) -> Check:
    """What came of a request."""
    try:
        return await ask()
    except ProviderError as error:
        if error.kind in _ANSWERED:
            return warn(name, str(error), _MAY_WORK)
        return fail(name, error)
    except BenchError as error:
        return fail(name, error)
    except Exception as error:  # noqa: BLE001 - a plugin's client may raise anything
        todo = "are its packages up to date?"
        return fail(name, f"{type(error).__name__}: {error}", todo, 4)


def _answered(name: str, one: Probe, reply: ChatResponse) -> Check:
    message = f"{reply.model or one.endpoint.spec.name} answered in {reply.latency_s:.2f} s"
    message += f", {reply.usage.input} tokens in and {reply.usage.output} out"
    message += f", ${reply.cost_usd:.6f}" if reply.cost_usd else ""
    if reply.usage.output - reply.usage.reasoning <= TOKENS + 1:  # some count the end as one
        return ok(name, message)
    todo = "replies may be as long as the context, so that time and --max-cost have no bound"
    return warn(name, f"{message}, though at most {TOKENS} were asked for", todo)


def _price(one: Probe) -> Check:
    name, price = f"{one.label} price", one.price
    if price is None:
        todo = f'give --price IN,OUT, or [prices."{one.endpoint.spec}"] in bench.toml'
        return warn(name, "not known, so costs are not either, and --max-cost is refused", todo)
    if price.free:
        return ok(name, f"free: {price.source}")
    message = f"${price.input:g} in, ${price.output:g} out per million tokens"
    return ok(name, f"{message}: {price.source}")
