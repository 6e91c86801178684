"""A task whose model has a server of ours: it ends when that ends."""

import asyncio

from ..reports.result import Result
from ..served.server import ModelServer, stop_when_gone
from .run_work import run_task
from .session import Session
from .task import Task


async def run_on(server: ModelServer | None, task: Task, session: Session) -> Result:
    """Do what is left of a task; a server that ends, ends it.

    Raises:
        BenchError: As of `run_task`; a `ProviderError` where the server ended.
    """
    if server is None:
        return await run_task(task, session)
    watch = asyncio.create_task(stop_when_gone(server, session.stop.ask))
    try:
        return await run_task(task, session)
    finally:
        watch.cancel()
