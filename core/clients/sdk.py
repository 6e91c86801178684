"""What all clients do alike to an SDK: hide the environment, connect directly, never time out.

Total time is bounded around the client (`caller`); only connecting has a limit
of its own.
"""

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

CONNECT_S = 15.0
"""Three of these fit into the minute in which a dead host has to be noticed."""
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


@contextmanager
def with_variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables; afterwards the environment is what it was before."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)
