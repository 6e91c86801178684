"""The Python API: benchmarks run and answers scored by a function call (docs/api.md).

Nothing is printed and no question is asked. Settings are the arguments alone,
neither ``bench.toml`` nor ``BENCH_*``; only keys come from the environment or
``.env``. What a person may want to know goes to the logger ``eibench``.
"""

import asyncio
import contextlib
import functools
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, ParamSpec, Unpack

from .benchmark import Benchmark
from .clients.keys import process_environment
from .errors import UsageError
from .guard import no_exit
from .reading.responses import Responses, path_of
from .reports.result import Result, as_result
from .run.against import find_bases, set_against
from .run.checks import check_task, shared_addresses
from .run.run_work import run_task
from .run.score_file import score_config, scoring_config
from .run.session import Pricing, Session
from .run.task import Task, have_data
from .sample.progress import Progress
from .settings.arguments import RunArguments, described, refuse_unknown, takes_settings
from .settings.python import find_benchmark, from_python, in_python_words, python_words
from .settings.resolve import run_configs
from .settings.run_config import RunConfig
from .settings.run_settings import RunSettings

P = ParamSpec("P")
Watcher = Progress | Callable[[Progress], object]
LOOK_EVERY_S = 0.2

_log = logging.getLogger("eibench")
_log.addHandler(logging.NullHandler())  # else Python prints warnings of a program without logging


def _blocking(work: Callable[P, Coroutine[Any, Any, Result]], called: str) -> Callable[P, Result]:
    """A coroutine function as a plain one, for code without an event loop."""

    @functools.wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> Result:
        if _in_event_loop():
            raise UsageError(
                f"eibench.{called} cannot wait inside a running event loop (as in Jupyter); "
                f"write: await eibench.{called}_async(...)"
            )
        with no_exit():
            return asyncio.run(work(*args, **kwargs))

    call.__name__ = call.__qualname__ = called
    return call


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def run_async(
    benchmark: str | Path | Benchmark,
    *,
    progress: Watcher | None = None,
    **settings: Unpack[RunArguments],
) -> Result:
    """Run a benchmark on a model; the same call again goes on where it stopped.

    The arguments are the options of `bench run` (docs/commands.md), and mean the same runs.

    Args:
        benchmark: Its name, the path of a file that declares it, or an instance of a
            subclass of `Benchmark`.
        progress: A new `Progress` to look at, or what is called with one now and then. When
            it raises, nothing more is sent, and what is in flight is waited for and saved.
        **settings: How it is run.

    Returns:
        Also for a run that ended early; see `Result.status`.

    Raises:
        BenchError: One of its subclasses, with the message of `bench run`, in Python's words.
        TypeError: There is no such argument.
    """
    refuse_unknown("run", settings)
    with in_python_words():
        chosen, provided = find_benchmark(benchmark), from_python(settings)
        (config,) = run_configs(chosen, provided, lambda target: target.endpoint)
        return await _run(config, provided, progress)


vars(run_async)["__signature__"] = takes_settings(run_async)
run_async.__doc__ = described(run_async.__doc__ or "")


async def score_async(
    benchmark: str | Path | Benchmark,
    responses: Responses,
    *,
    dataset: str | os.PathLike[str] | None = None,
    options: Mapping[str, object] | None = None,
    name: str | None = None,
) -> Result:
    """Score answers made elsewhere; no model is asked and nothing is stored.

    Args:
        benchmark: Its name, the path of a file that declares it, or an instance of a
            subclass of `Benchmark`.
        responses: A file as `bench score` takes it; or its rows; or texts by item id, or by
            item id and iteration. Items without an answer are unscored, the result incomplete.
        dataset: The data that was answered: ``bundled``, ``official`` or a path.
        options: The benchmark's own options by name.
        name: What to call the model in the result.

    Raises:
        BenchError: One of its subclasses, with the message of `bench score`, in Python's words.
    """
    with in_python_words():
        provided = {"dataset": dataset, "options": options, "name": name}
        chosen, settings = find_benchmark(benchmark), from_python(provided)
        config = scoring_config(chosen, settings, path_of(responses))
        await asyncio.to_thread(have_data, config)
        return await score_config(config, responses)


async def _run(config: RunConfig, settings: RunSettings, progress: Watcher | None) -> Result:
    """The result of a run from its configuration, data fetched if need be."""
    counters, tell = (progress, None) if isinstance(progress, Progress) else (Progress(), progress)
    if counters.samples or counters.worked:
        raise UsageError("this Progress has counted another run; make a new one")
    task = Task(config)
    session = Session(process_environment(), Pricing.of(settings), _warn, progress=counters)
    check_task(task, session)
    await asyncio.to_thread(have_data, config)
    for message in shared_addresses(config):
        _log.info("%s", python_words(message))
    bases = await asyncio.to_thread(find_bases, [task], _log.info)
    source = task.pack.source
    _log.info("%s: %s pack of %s", config.display_name, source.name, config.benchmark.name)
    async with _watched(session, tell):
        result = await run_task(task, session)
    if not bases:
        return result
    (document,) = await asyncio.to_thread(set_against, {task: result.document}, bases)
    return as_result(document, result.path)


@contextlib.asynccontextmanager
async def _watched(
    session: Session, tell: Callable[[Progress], object] | None
) -> AsyncIterator[None]:
    """Call `tell` now and then while the block runs, and once at its end.

    It is called on another thread, so that no reply times out while it takes its time.
    """
    if tell is None:
        yield
        return
    over = asyncio.Event()
    watching = asyncio.create_task(_watch(session, tell, over))
    try:
        yield
    finally:
        over.set()
        (ended,) = await asyncio.gather(watching, return_exceptions=True)
    if isinstance(ended, Exception):
        raise ended
    await asyncio.to_thread(tell, session.progress)


async def _watch(session: Session, tell: Callable[[Progress], object], over: asyncio.Event) -> None:
    try:
        while not over.is_set():
            await asyncio.to_thread(tell, session.progress)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), LOOK_EVERY_S)
    except Exception:
        session.stop.interrupt()
        raise


def _warn(message: str) -> None:
    _log.warning("%s", python_words(message))


run = _blocking(run_async, "run")
score = _blocking(score_async, "score")
