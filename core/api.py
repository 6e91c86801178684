"""The Python API: benchmarks run and answers scored by a function call (docs/api.md).

Nothing is printed and no question is asked. Settings are the arguments alone,
neither ``bench.toml`` nor ``BENCH_*``; only keys come from the environment or
``.env``. What comes after the arguments is `work`, which the command line uses too.
"""

import asyncio
import functools
import os
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ParamSpec, Unpack

from .benchmark import Benchmark
from .errors import UsageError
from .guard import no_exit
from .reading.responses import Responses, path_of
from .reports.result import Result
from .settings.arguments import RunArguments, described, refuse_unknown, takes_settings
from .settings.python import find_benchmark, from_python, in_python_words
from .settings.resolve import run_configs
from .work import Watcher, have_data, make_money, run_config, score_config, scoring_config

P = ParamSpec("P")


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
    benchmark: str | Benchmark,
    *,
    progress: Watcher | None = None,
    **settings: Unpack[RunArguments],
) -> Result:
    """Run a benchmark on a model; the same call again goes on where it stopped.

    The arguments are the options of `bench run` (docs/commands.md), and mean the same runs.

    Args:
        benchmark: Its name, or an instance of a subclass of `Benchmark`.
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
        chosen, made = find_benchmark(benchmark), from_python(settings)
        (config,) = run_configs(chosen, made, lambda target: target.endpoint)
        return await run_config(config, money=make_money(made), progress=progress)


vars(run_async)["__signature__"] = takes_settings(run_async)
run_async.__doc__ = described(run_async.__doc__ or "")


async def score_async(
    benchmark: str | Benchmark,
    responses: Responses,
    *,
    dataset: str | os.PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Result:
    """Score answers made elsewhere; no model is asked and nothing is stored.

    Args:
        benchmark: Its name, or an instance of a subclass of `Benchmark`.
        responses: A file as `bench score` takes it; or its rows; or texts by item id, or by
            item id and iteration. Items without an answer are unscored, the result incomplete.
        dataset: The data that was answered: ``bundled``, ``official`` or a path.
        options: The benchmark's own options by name.
        name: What to call the model in the result.

    Raises:
        BenchError: One of its subclasses, with the message of `bench score`, in Python's words.
    """
    with in_python_words():
        given = {"dataset": dataset, "options": options, "name": name}
        chosen, settings = find_benchmark(benchmark), from_python(given)
        config = scoring_config(chosen, settings, path_of(responses))
        await asyncio.to_thread(have_data, config)
        return await score_config(config, responses)


run = _blocking(run_async, "run")
score = _blocking(score_async, "score")
