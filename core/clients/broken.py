"""Answers that break off: what of them can be used, and what is said of the others.

A reply that is whole is taken, however its connection ended, as it is paid for. aiohttp gives
nobody what it holds of a body once that is broken, and leaves a reader waiting after a bad
chunk; both are made up for here.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from weakref import WeakSet

import aiohttp

from ..errors import ProviderError
from ..parties.providers import AskedParty
from .bodies import Body, read_json, text_of
from .failures import connection_error, shown

_known: "WeakSet[asyncio.Future[None]]" = WeakSet()
"""The ends of connections that somebody looks at, so that asyncio warns of none."""


@contextlib.contextmanager
def ending_with_its_connection(response: aiohttp.ClientResponse) -> Iterator[None]:
    """A block in which a body that is read breaks off when its connection ends."""
    stream, connection = response.content, response.connection
    protocol = None if connection is None else connection.protocol
    if protocol is None:  # all of it is here
        yield
        return

    def end(_: object = None) -> None:
        if not stream.is_eof() and stream.exception() is None:
            stream.set_exception(aiohttp.ClientPayloadError(_words(protocol.exception())))

    closed = protocol.closed
    if closed is None:  # it has ended already
        end()
        yield
        return
    if closed not in _known:
        _known.add(closed)
        closed.add_done_callback(_look_at)
    closed.add_done_callback(end)
    try:
        yield
    finally:
        closed.remove_done_callback(end)


def _look_at(closed: "asyncio.Future[None]") -> None:
    if not closed.cancelled():
        closed.exception()


def add_rest(body: Body, stream: aiohttp.StreamReader) -> None:
    """Add what had arrived of a body before it broke off."""
    held: Callable[[int], bytes] | None = getattr(stream, "_read_nowait", None)
    if held is not None:
        body.add(held(-1))


def is_whole(body: Body, content_type: str | None) -> bool:
    """Whether a body holds a JSON object to its last brace, so that nothing is missing."""
    return isinstance(read_json(text_of(bytes(body), content_type)), dict)


def lost(asked: AskedParty, error: Exception) -> ProviderError:
    """The error to raise when a connection gave no answer, or no whole one."""
    made = connection_error(asked, error)
    message = ""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        made.unsent = True
        message = (
            f"cannot reach {asked.name}: the proxy answered {error.status} {shown(error.message)}"
        )
    elif isinstance(error, aiohttp.ClientResponseError):
        message = f"{asked.name} sent what is no HTTP answer: {_words(error)}"
    elif isinstance(error, aiohttp.ClientPayloadError):
        message = f"{asked.name} broke off its answer: {_words(error.__cause__ or error)}"
    if message:
        made.args = (f"{message}; check {asked.options.base_url}, and the server",)
    return made


def _words(error: BaseException | None) -> str:
    """What aiohttp's parser says is wrong, without its marks below the place."""
    message = shown(str(getattr(error, "message", None) or error or "the connection ended"))
    return message.removesuffix(" ^")
