"""A run, or the scoring of given answers, from its configuration to its result.

The Python API and the command line both come through here. Nothing is printed:
what a person may want to know goes to the caller's `say`, else to the logger
``eibench``.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

from .benchmark import Benchmark
from .clients.keys import Environment, process_environment
from .datasets import find_pack, read_manifest
from .datasets.fetching import FetchState, OfficialPack, fetch, read_official
from .errors import UsageError
from .guard import guard
from .parties.providers import ModelSpec
from .plugins import installed
from .reading.responses import Responses
from .reports.result import Result, as_result
from .run.checks import check_stored
from .run.connect import Pricing
from .run.score_file import read_answers, score_responses
from .run.session import Session
from .run.task import Generate, Task
from .runs.views import write_document
from .sample.progress import Progress
from .settings.python import python_words
from .settings.resolve import make_config
from .settings.run_config import Endpoint, RunConfig
from .settings.run_settings import RunSettings
from .spending.book import PriceBook
from .spending.budget import Budget
from .text import readable

Watcher = Progress | Callable[[Progress], object]
LOOK_EVERY_S = 0.2

_log = logging.getLogger("eibench")
_log.addHandler(logging.NullHandler())  # else Python prints warnings of a program without logging


def _warn(message: str) -> None:
    _log.warning("%s", python_words(message))


def make_money(settings: RunSettings | None = None) -> Pricing:
    """Prices and a limit, for all runs that share them."""
    settings = settings or RunSettings()
    book, limit = PriceBook.of(installed().providers, settings.prices), settings.max_cost
    return Pricing(book, settings.price, None if limit is None else Budget(limit))


def open_session(
    task: Task,
    *,
    money: Pricing | None = None,
    progress: Progress | None = None,
    environment: Environment | None = None,
    say: Callable[[str], None] = _warn,
) -> Session:
    """A session for a run that can be: its settings are checked, nothing is made or sent.

    Raises:
        UsageError: The settings contradict each other, or `progress` was used before.
        ConfigError: A key is missing.
    """
    if progress is not None and (progress.samples or progress.worked):
        raise UsageError("this Progress has counted another run; make a new one")
    session = Session(
        task,
        environment or process_environment(),
        progress or Progress(),
        say=say,
        money=money or make_money(),
    )
    session.check()
    return session


async def run_session(session: Session) -> Result:
    """Do what is left of a session's run; its document is put beside the journal.

    Raises:
        BenchError: The run ended early for another reason than the user's wish.
    """
    document = await session.run()
    return as_result(document, write_document(session.task.config.runs_dir, document))


async def run_config(
    config: RunConfig,
    *,
    money: Pricing | None = None,
    progress: Watcher | None = None,
    environment: Environment | None = None,
) -> Result:
    """The result of a run from its configuration, data fetched if need be.

    Raises:
        BenchError: The run cannot be, or ended early for another reason than the user's wish.
    """
    own, tell = (progress, None) if isinstance(progress, Progress) else (None, progress)
    task = Generate(config)
    session = open_session(task, money=money, progress=own, environment=environment)
    await asyncio.to_thread(have_data, config)
    source = task.pack.source
    _log.info("%s: %s pack of %s", config.display_name, source.name, config.benchmark.name)
    async with _watched(session, tell):
        return await run_session(session)


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


def _fetch(pack: OfficialPack, lang: str | None) -> None:
    fetch(pack, lang=lang)


def have_data(
    config: RunConfig, get: Callable[[OfficialPack, str | None], object] = _fetch
) -> None:
    """Download the official pack if it is asked for and not in the cache.

    Args:
        config: What is asked for.
        get: Downloads what a language needs of a pack.

    Raises:
        DataError: What came is not the pack, or the cache cannot be written.
        ProviderError: The network or the server failed.
    """
    benchmark, lang = config.benchmark, config.options.get("lang")
    if config.dataset != "official" or benchmark.data is None:
        return
    if "official" in read_manifest(benchmark.data):
        pack = read_official(benchmark.name, benchmark.data)
        if any(pack.state(file) is FetchState.ABSENT for file in pack.files(lang)):
            get(pack, lang)


def needs_single_turn(benchmark: Benchmark, command: str) -> None:
    """Refuse a benchmark whose requests depend on replies.

    Raises:
        UsageError: It is one.
    """
    if not benchmark.single_turn:
        raise UsageError(
            f"bench {command} is for benchmarks of one turn; in {benchmark.name} a request "
            "depends on the reply before it, so use bench run"
        )


def scoring_config(
    benchmark: Benchmark, settings: RunSettings, responses: Path, *, saved: bool = False
) -> RunConfig:
    """What is known of answers made elsewhere.

    Args:
        benchmark: What was answered.
        settings: The user's.
        responses: Where the answers are; its name stands for that of the model.
        saved: They become a run, which may be a conversation's, or wait for a judge.

    Raises:
        UsageError: Answers alone are not enough to score this benchmark, or the name is no text.
    """
    if not saved:
        needs_single_turn(benchmark, "score")
    name = settings.name
    if name is None:
        name = readable(responses.stem) or "responses"
    model = Endpoint(ModelSpec("responses", name))
    config = make_config(benchmark, replace(settings, name=name), model)
    if not saved and guard(benchmark).needs_judge(config.options):
        raise UsageError(
            f"{benchmark.name} needs a judge, so bench score cannot score it without --judge SPEC; "
            "--save keeps the answers, for bench rejudge"
        )
    check_stored(config)
    return config


async def score_config(config: RunConfig, responses: Responses) -> Result:
    """The result of answers made elsewhere; the data has to be there.

    Raises:
        DataError: The data or the answers are broken.
    """
    source = find_pack(config.benchmark, config.dataset, config.options)
    pack = guard(config.benchmark).read_pack(source, config.options)
    answers = read_answers(config, pack, responses)
    return as_result(await score_responses(config, pack, list(pack.items), answers))
