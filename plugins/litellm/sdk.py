"""What keeps the openai package, and imports of others, to what they are asked to do.

The package does not see OpenAI's variables, which it would send to any host, follows no redirect,
and uses no proxy to reach this machine. Only connecting has a time limit here; the total time of a
call is bounded around the client.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from eibench import ClientConfig, providers

if TYPE_CHECKING:
    import httpx


CONNECT_S = 15.0
DIRECT: Any = {"http://": None, "https://": None, "all://": None}
"""For loopback: a proxy would get what is meant for this machine alone."""


async def read_as_unicode(response: "httpx.Response") -> None:
    """A hook for answers: their text is UTF-8 to the SDK, whatever charset the server names.

    It would read the text of a failed one in that charset, and some are none of texts.
    """
    response.encoding = "utf-8"


@contextmanager
def without_variables(prefix: str) -> Iterator[None]:
    """Hide environment variables that an SDK would send to any host."""
    hidden = {k: os.environ.pop(k) for k in list(os.environ) if k.startswith(prefix)}
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextmanager
def no_collection() -> Iterator[None]:
    """Import an SDK without garbage collection: its thousands of classes stay anyway.

    Saves a fifth of the time it takes; what was made is then left out of later collections.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def sdk_connections(sdk: Any, config: ClientConfig) -> dict[str, Any]:
    """How the HTTP client of an SDK made by Stainless (openai, anthropic) connects."""
    limits = type(sdk.DEFAULT_CONNECTION_LIMITS)
    return {
        "limits": limits(max_connections=config.concurrency),
        "timeout": sdk.Timeout(None, connect=CONNECT_S),
        "follow_redirects": False,
        "mounts": DIRECT if providers.is_loopback(config.base_url) else None,
        "event_hooks": {"response": [read_as_unicode]},
    }
