"""One sample after the other, many at a time: generate, grade, journal.

Workers pull from one iterator, so memory does not grow with the number of
samples. A provider's or a plugin's failure ends its sample, which is recorded
as failed with the reason and tried again by the next command; what makes all
further work vain ends the run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

from ..clients.keys import redact
from ..errors import (
    BenchError,
    ErrorKind,
    JournalError,
    JudgeError,
    MissingCall,
    PluginError,
    ProviderError,
)
from ..guard import described
from ..types import Score
from .calls import SampleCalls
from .phases import SampleSteps
from .stopping import Stop
from .workshop import Sample, Workshop

T = TypeVar("T")
GRACE_S = 5.0
"""How long calls in flight may go on once their endpoint is known to be down; others may end."""


async def work_through(
    shop: Workshop,
    jobs: Iterator[T],
    workers: int,
    work: "Callable[[Workshop, T], Awaitable[None]]",
) -> None:
    """Work on all jobs, `workers` at a time.

    Args:
        shop: What they share.
        jobs: Samples, or whatever `work` takes.
        workers: At least 1.
        work: Brings one to its end; raises only what ends the run.

    Raises:
        BenchError: What ended the run early, after calls in flight were saved.
    """
    shop.stop.begin()
    tasks = {asyncio.create_task(_worker(shop, jobs, work)) for _ in range(workers)}
    shop.stop.when_at_once(lambda: _cancel(tasks | shop.under_way.keys()))
    try:
        await _until_done(shop, tasks)
    finally:
        everything = tasks | shop.under_way.keys()
        _cancel(everything)
        await asyncio.gather(*everything, return_exceptions=True)
    if shop.stop.reason:
        raise shop.stop.reason


async def _worker(
    shop: Workshop, jobs: Iterator[T], work: "Callable[[Workshop, T], Awaitable[None]]"
) -> None:
    for job in jobs:
        if shop.stop.asked:
            return
        try:
            await work(shop, job)
        except BenchError as error:
            shop.stop.ask(error)
            return


async def work_on(shop: Workshop, sample: Sample) -> None:
    """Bring one sample to a score or to a failure, and journal that.

    Raises:
        BenchError: The run cannot go on.
    """
    steps = SampleSteps(shop.progress.phases, shop.planned(sample.item))
    calls = SampleCalls(shop, sample, steps)
    try:
        score = await _score(shop, sample, calls, steps)
        if calls.ended is None:
            shop.keep_score(sample, score)
    except JournalError:
        raise
    except BenchError as error:
        if calls.ended is None:
            _keep_error(shop, sample, error)
    if calls.ended is not None:
        raise calls.ended
    steps.finish()


async def _score(shop: Workshop, sample: Sample, calls: SampleCalls, steps: SampleSteps) -> Score:
    model = calls.handle(shop.model)
    judge = calls.handle(shop.judge) if shop.judge else None
    transcript = await shop.plugin.generate(sample.item, model, shop.options)
    steps.finish([shop.model.phase])
    return await shop.plugin.grade(sample.item, transcript, judge, shop.options)


def _keep_error(shop: Workshop, sample: Sample, error: Exception) -> None:
    if isinstance(error, MissingCall):
        if shop.only_judges:
            return  # the model's part is left to the run's own command
        shop.keep_score(sample, Score.unscored(str(error)))
    elif isinstance(error, ProviderError):
        shop.keep_failure(sample, str(error.kind), str(error), error.attempts)
    elif isinstance(error, JudgeError):
        shop.keep_failure(sample, "judge", redact(str(error)))
    else:
        told = str(error) if isinstance(error, PluginError) else _raised(shop, error)
        shop.keep_failure(sample, "plugin", redact(told))


def _raised(shop: Workshop, error: Exception) -> str:
    """An error of ours that a benchmark raises of its own accord, and that ends no run."""
    return f"{shop.benchmark.name} raised {described(error)}"


async def _until_done(shop: Workshop, workers: "set[asyncio.Task[None]]") -> None:
    """Wait for the workers, then for calls that nobody waits for any more."""
    working = set(workers)
    while working and not _is_endpoint_down(shop.stop):
        done, working = await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            if not task.cancelled():
                task.result()
    shop.stop.send_no_more()
    if left := working | shop.under_way.keys():
        await asyncio.wait(left, timeout=GRACE_S if _is_endpoint_down(shop.stop) else None)
    if left := {call for call, caller in shop.under_way.items() if not caller.is_down}:
        await asyncio.wait(left)


def _is_endpoint_down(stop: Stop) -> bool:
    return isinstance(stop.reason, ProviderError) and stop.reason.kind == ErrorKind.CONNECTION


def _cancel(tasks: "Iterable[asyncio.Task[None]]") -> None:
    for task in tasks:
        task.cancel()
