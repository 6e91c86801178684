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
from .context import RunContext, Sample
from .panel import panel_score
from .phases import SampleProgress
from .replay import CallReplayer
from .stopping import Stop

T = TypeVar("T")
GRACE_S = 5.0
"""How long calls in flight may go on once their endpoint is known to be down; others may end."""


async def run_workers(
    context: RunContext,
    jobs: Iterator[T],
    workers: int,
    work: "Callable[[RunContext, T], Awaitable[None]]",
) -> None:
    """Work on all jobs, `workers` at a time.

    Args:
        context: What they share.
        jobs: Samples, or whatever `work` takes.
        workers: At least 1.
        work: Brings one to its end; raises only what ends the run.

    Raises:
        BenchError: What ended the run early, after calls in flight were saved.
    """
    context.stop.begin()
    tasks = {asyncio.create_task(_worker(context, jobs, work)) for _ in range(workers)}
    context.stop.when_at_once(lambda: _cancel(tasks | context.under_way.keys()))
    try:
        await _until_done(context, tasks)
    finally:
        everything = tasks | context.under_way.keys()
        _cancel(everything)
        await asyncio.gather(*everything, return_exceptions=True)
    if context.stop.reason:
        raise context.stop.reason


async def _worker(
    context: RunContext, jobs: Iterator[T], work: "Callable[[RunContext, T], Awaitable[None]]"
) -> None:
    for job in jobs:
        if context.stop.asked:
            return
        try:
            await work(context, job)
        except BenchError as error:
            context.stop.ask(error)
            return


async def run_sample(context: RunContext, sample: Sample) -> None:
    """Bring one sample to a score or to a failure, and journal that.

    Raises:
        BenchError: The run cannot go on.
    """
    steps = SampleProgress(context.progress.phases, context.planned(*sample))
    calls = CallReplayer(context, sample, steps)
    try:
        score = await _score(context, sample, calls, steps)
        if calls.ended is None:
            context.keep_score(sample, score)
    except JournalError:
        raise
    except BenchError as error:
        if calls.ended is None:
            _keep_error(context, sample, error)
    if calls.ended is not None:
        raise calls.ended
    steps.finish()


async def _score(
    context: RunContext, sample: Sample, calls: CallReplayer, steps: SampleProgress
) -> Score:
    model = calls.handle(context.model)
    judge = calls.handle(context.judge) if context.judge else None
    transcript = await context.plugin.generate(sample.item, model, context.options)
    steps.finish([context.model.phase, *(role.phase for role in context.roles.values())])
    if context.panel:
        return await panel_score(context, sample, calls, transcript)
    return await context.plugin.grade(sample.item, transcript, judge, context.options)


def _keep_error(context: RunContext, sample: Sample, error: Exception) -> None:
    if isinstance(error, MissingCall):
        if context.only_judges:
            return  # the model's part is left to the run's own command
        context.keep_score(sample, Score.unscored(str(error)))
    elif isinstance(error, ProviderError):
        context.keep_failure(sample, str(error.kind), str(error), error.attempts)
    elif isinstance(error, JudgeError):
        context.keep_failure(sample, "judge", redact(str(error)))
    else:
        message = str(error) if isinstance(error, PluginError) else _raised(context, error)
        context.keep_failure(sample, "plugin", redact(message))


def _raised(context: RunContext, error: Exception) -> str:
    """An error of ours that a benchmark raises of its own accord, and that ends no run."""
    return f"{context.benchmark.name} raised {described(error)}"


async def _until_done(context: RunContext, workers: "set[asyncio.Task[None]]") -> None:
    """Wait for the workers, then for calls that nobody waits for any more."""
    working = set(workers)
    while working and not _is_endpoint_down(context.stop):
        done, working = await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            if not task.cancelled():
                task.result()
    context.stop.send_no_more()
    if left := working | context.under_way.keys():
        await asyncio.wait(left, timeout=GRACE_S if _is_endpoint_down(context.stop) else None)
    if left := {call for call, caller in context.under_way.items() if not caller.is_down}:
        await asyncio.wait(left)


def _is_endpoint_down(stop: Stop) -> bool:
    return isinstance(stop.reason, ProviderError) and stop.reason.kind == ErrorKind.CONNECTION


def _cancel(tasks: "Iterable[asyncio.Task[None]]") -> None:
    for task in tasks:
        task.cancel()
