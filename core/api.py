"""The Python API: benchmarks run and answers scored by a function call (docs/api.md).

Nothing is printed and no question is asked. Settings are the arguments alone,
neither ``bench.toml`` nor ``BENCH_*``; only keys come from the environment or
``.env``. What comes after the arguments is `work`, which the command line uses too.
"""

import asyncio
import functools
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, ParamSpec

from .benchmark import Benchmark
from .clients.retry import RETRIES
from .endpoints.providers import MAX_REPLY
from .errors import UsageError
from .guard import no_exit
from .responses import Responses, path_of
from .results import Result
from .settings.python import find_benchmark, from_python, in_python_words
from .settings.resolve import run_configs
from .types import Sampling
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
    model: str = "demo/medium",
    judge: str | Iterable[str] | None = None,
    panel: str | None = None,
    quorum: int | None = None,
    exclude_kin: bool = False,
    overlap: float | None = None,
    dataset: str | os.PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
    base_url: str | None = None,
    judge_base_url: str | Mapping[str, str] | None = None,
    api_key_env: str | None = None,
    judge_api_key_env: str | Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    role_base_url: Mapping[str, str] | None = None,
    role_api_key_env: Mapping[str, str] | None = None,
    role_max_tokens: int | Mapping[str, int] | None = None,
    headers: Mapping[str, str] | None = None,
    sampling: Sampling | None = None,
    temperature: float | None = None,
    top_p: float | None = None,
    top_k: int | None = None,
    min_p: float | None = None,
    max_tokens: int | None = None,
    reasoning_effort: str | None = None,
    extra_body: Mapping[str, Any] | None = None,
    seed: int | None = None,
    system: str | None = None,
    iterations: int = 1,
    limit: int | None = None,
    items: Iterable[str] = (),
    concurrency: int | None = None,
    rpm: float | None = None,
    tpm: float | None = None,
    timeout: float = 600.0,
    max_retries: int = RETRIES,
    max_reply: int | str = MAX_REPLY,
    transport: str = "http",
    max_cost: float | None = None,
    prices: Mapping[str, Mapping[str, float]] | None = None,
    name: str | None = None,
    notes: Mapping[str, str] | None = None,
    fresh: bool = False,
    keep_going: bool = False,
    demo: bool = False,
    without: Iterable[str] = (),
    runs_dir: str | os.PathLike[str] = "runs",
    progress: Watcher | None = None,
) -> Result:
    """Run a benchmark on a model; the same call again goes on where it stopped.

    The arguments are the options of `bench run` (docs/commands.md), and mean the same runs.

    Args:
        benchmark: Its name, or an instance of a subclass of `Benchmark`.
        model: ``PROVIDER/NAME``.
        judge: Likewise, for benchmarks that need one (default for a demo model: demo/judge);
            several are a panel.
        panel: What a panel's verdicts become: ``mean`` (the default), ``median``, ``majority``,
            or ``rotate``: one judge a sample.
        quorum: How many verdicts a score needs (default: more than half).
        exclude_kin: In comparisons, leave judges of either model's family out.
        overlap: With ``rotate``, the share of samples that all judges grade (default: 0.1).
        dataset: ``bundled``, ``official`` (downloaded if it is not there), or a path.
        options: The benchmark's own options by name.
        base_url: Endpoint of the model, usually ending in ``/v1``.
        judge_base_url: Endpoint of all judges, or endpoints by judge.
        api_key_env: The variable that holds the model's key.
        judge_api_key_env: The variable that holds their key, or variables by judge.
        roles: Who plays the benchmark's roles, ``{"user": "PROVIDER/NAME"}``.
        role_base_url: Their endpoints, likewise.
        role_api_key_env: The variables that hold their keys.
        role_max_tokens: Room for a reply of theirs: for all roles, or by role.
        headers: Extra HTTP headers for the model; never stored.
        sampling: How replies are drawn, where the benchmark's own way shall not hold.
        temperature: This field of `sampling`; so are the next seven.
        top_p: From 0 to 1.
        top_k: From 1.
        min_p: From 0 to 1.
        max_tokens: Room for a reply, thinking included.
        reasoning_effort: Such as ``low``.
        extra_body: More fields for each request.
        seed: Sent to the model; iteration N gets SEED + N - 1.
        system: The system prompt.
        iterations: How often each item is asked.
        limit: Only the first so many items.
        items: Only the items with these ids.
        concurrency: Most requests at a time (default: 32; a local server is asked one at a time
            first, and more while that gets more done).
        rpm: Most requests per minute.
        tpm: Most tokens per minute.
        timeout: Seconds that an attempt of a call may take.
        max_retries: Times that a call is tried again.
        max_reply: Longest reply that is read: bytes, or a text such as ``16MiB``.
        transport: ``http``, or ``sdk`` for the provider's package.
        max_cost: Hard limit in dollars.
        prices: By model spec, as in ``bench.toml``: ``{"openai/x": {"input": 2, "output": 8}}``.
        name: A name for the model; another name is another run.
        notes: Kept with the run.
        fresh: Start another run instead of going on.
        keep_going: Go on where none of the first ten replies or verdicts can be read.
        demo: Let demo and real models be compared with each other.
        without: Names of models that this one is not compared with.
        runs_dir: Where runs are kept.
        progress: A new `Progress` to look at, or what is called with one now and then. When
            it raises, nothing more is sent, and what is in flight is waited for and saved.

    Returns:
        Also for a run that ended early; see `Result.status`.

    Raises:
        BenchError: One of its subclasses, with the message of `bench run`, in Python's words.
    """
    given = dict(locals())
    with in_python_words():
        chosen, settings = find_benchmark(benchmark), from_python(given)
        (config,) = run_configs(chosen, settings, lambda target: target.endpoint)
        return await run_config(config, money=make_money(settings), progress=progress)


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
