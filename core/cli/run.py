"""`bench run`: a benchmark on one or more models."""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from ..benchmark import Pack
from ..console.safe import line
from ..engine.config import RunConfig
from ..engine.session import Session, choose_items
from ..engine.stopping import on_signals
from ..errors import BenchError
from ..plugins import installed
from ..reports.files import as_text, document_path, write_document
from . import options
from .benchmark_command import BenchmarkCommand
from .data import get_data
from .results import EXIT, print_result
from .settings import config_option


class Planned(NamedTuple):
    """A run that may begin: its settings are checked and its data read."""

    config: RunConfig
    session: Session
    pack: Pack


@click.command("run", cls=BenchmarkCommand)
@options.benchmark_argument
@options.endpoint_options
@options.data_options
@options.sampling_options
@options.limit_options
@options.run_options
@options.option("--dry-run", is_flag=True, help="Print the plan and stop.")
@options.json_option
@config_option
def run_command(**params: Any) -> int:
    """Run a benchmark; the same command again goes on where it stopped."""
    runs = [_planned(config) for config in options.configs(params)]
    plans = [plan(run) for run in runs]
    for planned in plans:
        _tell(_plan_line(planned))
    _tell_pack(runs[0])
    if params["dry_run"]:
        if params["json_output"]:
            click.echo(as_text({"dry_run": True, "runs": plans}))
        return 0
    return _run_all(runs, json_output=params["json_output"])


def _planned(config: RunConfig) -> Planned:
    session = Session(config, installed(), options.environment(), say=_tell)
    session.check()
    get_data(config)
    return Planned(config, session, session.read_pack())


def _run_all(runs: list[Planned], *, json_output: bool) -> int:
    """Run one after the other; one that cannot go on does not stop the next."""
    documents: list[dict[str, Any]] = []
    code = 0
    for run in runs:
        try:
            document = asyncio.run(_run(run))
        except BenchError as error:
            if len(runs) == 1:
                raise
            _tell(f"Error: {run.config.display_name}: {error}")
            code = max(code, error.exit_code)
            continue
        _finish(document, run, json_output=json_output)
        documents.append(document)
        code = max(code, EXIT[document["status"]])
        if document["status"] == "interrupted":
            break
    if json_output:
        click.echo(as_text({"runs": documents} if len(runs) > 1 else documents[0]))
    return code


async def _run(run: Planned) -> dict[str, Any]:
    from ..console.live import displayed
    from ..console.output import err

    session = run.session
    title = f"{run.config.benchmark.name} {run.config.display_name}"
    with on_signals(session.stop, lambda: _announce_stop(session)):
        async with displayed(session.progress, title, err()):
            return await session.run(run.pack)


def _announce_stop(session: Session) -> None:
    waiting = session.progress.in_flight
    _tell(f"stopping: waiting for {waiting} calls in flight; press Ctrl-C again to stop at once")


def plan(run: Planned) -> dict[str, Any]:
    """What a run will do when nothing fails and nothing is in the journal yet."""
    config, pack = run.config, run.pack
    items = choose_items(pack, config)
    calls = [config.benchmark.calls_per_sample(item, config.options) for item in items]
    model, judge = (sum(kind) * config.iterations for kind in zip(*calls, strict=True))
    return {
        "benchmark": config.benchmark.name,
        "model": config.model.label,
        "judge": config.judge.label if config.judge else None,
        "dataset": {"name": pack.source.name, "sha256": pack.source.sha256},
        "items": len(items),
        "iterations": config.iterations,
        "calls": {"model": model, "judge": judge},
    }


def _plan_line(planned: Mapping[str, Any]) -> str:
    calls, n = planned["calls"], planned["iterations"]
    told = f"{planned['benchmark']}: {planned['items']} items of the {planned['dataset']['name']}"
    told += f" pack{f' x {n} iterations' if n > 1 else ''}, {calls['model']} calls to "
    told += planned["model"]
    told += f", {calls['judge']} to the judge {planned['judge']}" if planned["judge"] else ""
    return f"{told} (more where an answer cannot be read)"


def _tell_pack(run: Planned) -> None:
    benchmark, source = run.config.benchmark, run.pack.source
    if run.config.dataset is None and source.name == "bundled":
        _tell(
            "using the bundled pack: the official data is not on this machine "
            f"(bench data fetch {benchmark.name} gets it)"
        )


def _finish(document: dict[str, Any], run: Planned, *, json_output: bool) -> None:
    path = document_path(run.config.runs_dir, document)
    if run.session.is_news or not path.exists():
        write_document(run.config.runs_dir, document)
    if not json_output:
        print_result(document)
        _tell(f"saved in {path}")
    _tell(f"next: {_next(document)}")


def _next(document: Mapping[str, Any]) -> str:
    """The most useful thing to do with a result."""
    if document["status"] == "interrupted":
        return "the same command goes on from here; everything answered so far is kept"
    if document["items"]["failed"] or document["items"]["pending"]:
        return "the same command tries again what failed, and keeps the rest"
    if document["unscored"]:
        item = document["unscored"][0]["item_id"]
        return f"bench show {document['run_id']} {item} shows an answer that could not be read"
    if document["demo"]:
        return (
            f"a real model: bench run {document['benchmark']} --model openai/NAME "
            "(with --base-url URL for your own server)"
        )
    return f"bench show {document['run_id']} ITEM shows what was said about an item"


def _tell(text: str) -> None:
    click.echo(line(text), err=True)
