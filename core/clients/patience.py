"""Time that does not count for the time limit of an attempt."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

limit_of_attempt: ContextVar["asyncio.Timeout | None"] = ContextVar(
    "limit_of_attempt", default=None
)
"""The time limit of the attempt that is made in this context."""


@asynccontextmanager
async def off_the_clock() -> AsyncIterator[None]:
    """A block during which the time limit of the attempt around it stands still."""
    limit, loop = limit_of_attempt.get(), asyncio.get_running_loop()
    end = limit.when() if limit else None
    if limit is None or end is None or limit.expired():
        yield
        return
    began = loop.time()
    limit.reschedule(None)
    try:
        yield
    finally:
        limit.reschedule(end + loop.time() - began)
