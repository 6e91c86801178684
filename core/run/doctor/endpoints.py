"""Whether a model, a judge or a role can be asked: its key, its server, what it answers, its price.

A key is told by its variable's name only.
"""

import asyncio
import urllib.request
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

from ...clients.keys import Environment
from ...clients.model_list import Listing, context_of, listing_of
from ...clients.terms import FLOOR
from ...errors import BenchError
from ...guard import make_client
from ...parties.providers import Client, ClientConfig, Provider, is_loopback
from ...plugins import Catalogue
from ...reading.prompt_tokens import about_tokens
from ..connect import client_config
from .calls import MAY_WORK, QUESTION, TOKENS, VERDICT_QUESTION, PartyQuestions
from .checks import Check, fail, ok, warn
from .one_item import check_item, item_of
from .probe import Probe

_REACH_S = 10.0
_PORTS = {"https": 443, "http": 80}


def announced(one: Probe, catalogue: Catalogue) -> str:
    """What a party is about to be asked, and what that may cost at most."""
    room = one.form.request.sampling.max_tokens
    sent = [one.form.tiny(QUESTION, TOKENS)]
    length = f"of at most {room:,} tokens" if room else "of any length"
    message = f"one question, for an answer of at most {TOKENS} tokens"
    if not one.is_model:
        what = "for one tiny verdict" if one.party.judge else "one question, for an answer"
        question = VERDICT_QUESTION if one.party.judge else QUESTION
        message, sent = f"{what} {length}", [one.form.short(question)]
    benchmark = item_of(one, catalogue)
    if benchmark:
        message += f", and one item of {benchmark.name}"
        sent.append(one.form.long())
    if one.config and one.asks_long:
        message += f", and one prompt as long as the longest of {one.whose}"
        sent.append(one.form.long())
    elif one.config and one.is_model and not benchmark:
        message += f", and one more, for an answer {length}"
        sent.append(one.form.short(QUESTION))
    cost = one.most(sent) if one.config or not one.is_model else ""
    return f"{one.label} is now asked {message}{cost}"


async def probe(one: Probe, catalogue: Catalogue, environment: Environment) -> AsyncIterator[Check]:
    """All checks of a party, each as soon as it is done; a later one may need an earlier."""
    try:
        provider = catalogue.provider(one.endpoint.spec.provider)
        config = replace(
            client_config(one.endpoint, environment, one.party),
            template=one.template,
            typed=frozenset(one.endpoint.settings.values),
        )
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
    """Whether somebody listens and, if so and if it may be asked, what comes of requests."""
    provider = catalogue.provider(one.endpoint.spec.provider)
    may_call = one.call and bool(catalogue.benchmarks.things) and not provider.demo
    try:
        reached = None
        url = config.base_url or (f"https://{provider.host}" if provider.host else None)
        if url and not provider.demo:  # else nobody but the SDK knows where that is
            reached = await reach(one.label, url)
            if may_call and not reached.code and (listing := await listing_of(client)):
                one = one._replace(context=context_of(listing.entry or {}))
                reached = _listed(one, reached, listing)
            yield reached
        if may_call and not (reached and reached.code):
            asked, anything = config.asked(provider.host), next(iter(catalogue.benchmarks))
            async for check in _questions(PartyQuestions(one, client, asked, anything), catalogue):
                yield check
    finally:
        with suppress(Exception):  # the checks are done
            await client.close()


def _listed(one: Probe, reached: Check, listing: Listing) -> Check:
    """The check of a server with what it lists, and what fits beside the benchmark's prompts."""
    message = f"{reached.message}; {listing}"
    room = one.form.request.sampling.max_tokens
    if one.context:
        message += f", with room for {one.context:,} tokens"
        fits = one.context - (prompt := about_tokens(one.form.longest))
        if fits < FLOOR:
            message += f", where prompts of {one.whose} have about {prompt:,}"
        elif room and fits < room:
            message += f": replies get what fits, about {fits:,} in place of {room:,}"
    if listing.is_doubtful:
        return warn(reached.name, message, f"is the name right? see {one.party.spec}")
    return reached._replace(message=message)


async def _questions(questions: PartyQuestions, catalogue: Catalogue) -> AsyncIterator[Check]:
    """What comes of the requests to one party, in order; none after one that is not answered."""
    one = questions.one
    if one.party.judge:
        yield (answered := await questions.check_verdict())
    elif one.party.role:
        yield (answered := await questions.check_words())
    else:
        yield (answered := await questions.check_call())
    if answered.code or answered.todo == MAY_WORK:
        return
    benchmark = item_of(one, catalogue)
    if benchmark:
        yield await check_item(questions, benchmark)
    if one.config and (one.asks_long or (one.is_model and not benchmark)):
        yield (answered := await questions.check_room())
    if questions.may_draw and not answered.code:
        yield await questions.check_draws()


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


def _price(one: Probe) -> Check:
    name, price = f"{one.label} price", one.price
    if price is None:
        todo = f'give --price IN,OUT, or [prices."{one.endpoint.spec}"] in bench.toml'
        return warn(name, "not known, so costs are not either, and --max-cost is refused", todo)
    if price.free:
        return ok(name, f"free: {price.source}")
    message = f"${price.input:g} in, ${price.output:g} out per million tokens"
    return ok(name, f"{message}: {price.source}")
