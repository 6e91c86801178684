"""A run's progress: one live display on a terminal, a plain line now and then elsewhere."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ..engine.progress import Progress as Counters
from .safe import line

REFRESH_S = 0.2
PLAIN_EVERY_S = 10.0


@contextlib.asynccontextmanager
async def displayed(counters: Counters, title: str, console: Console) -> AsyncIterator[None]:
    """Show `counters` while the block runs."""
    show = _live if console.is_terminal else _plain
    task = asyncio.create_task(show(counters, title, console))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def describe(counters: Counters) -> str:
    """The counters as one line."""
    seconds = time.monotonic() - counters.started
    parts = [f"{counters.calls / seconds:.1f} calls/s" if seconds > 0 else ""]
    parts += [f"{counters.in_flight} in flight", f"{counters.retries} retries"]
    parts += [f"{counters.usage.input + counters.usage.output:,} tokens"]
    parts += ["cost unknown" if counters.cost_usd is None else f"${counters.cost_usd:.4f}"]
    if counters.comparisons:
        parts += [f"{counters.compared}/{counters.comparisons} comparisons"]
    if counters.failed or counters.unscored:
        parts += [f"{counters.unscored} unscored", f"{counters.failed} failed"]
    parts += [_left(counters, seconds)]
    return "  ".join(part for part in parts if part)


def _left(counters: Counters, seconds: float) -> str:
    left = counters.samples - counters.done
    if not counters.calls or not counters.done or not left:
        return ""
    return f"about {left * seconds / counters.done:.0f} s left"


async def _live(counters: Counters, title: str, console: Console) -> None:
    # Without markup: a model's name is not ours to make bold.
    name = TextColumn("{task.description}", markup=False)
    more = TextColumn("{task.fields[more]}", markup=False)
    with Progress(name, BarColumn(), MofNCompleteColumn(), more, console=console) as bars:
        bar = bars.add_task(line(title), total=None, more="")
        try:
            while True:
                bars.update(bar, total=counters.samples or None, completed=counters.done)
                bars.update(bar, more=describe(counters))
                await asyncio.sleep(REFRESH_S)
        finally:
            bars.update(bar, completed=counters.done, more=describe(counters))


async def _plain(counters: Counters, title: str, console: Console) -> None:
    while True:
        await asyncio.sleep(PLAIN_EVERY_S)
        done = f"{counters.done}/{counters.samples} samples"
        console.print(f"{line(title)}: {done}  {describe(counters)}")
