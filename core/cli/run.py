"""`bench run`: a benchmark on one or more models."""

import asyncio
from collections.abc import Mapping
from typing import Any

import click

from ..benchmark import Pack
from ..engine.config import RunConfig
from ..engine.session import Session, choose_items
from ..engine.stopping import on_signals
from ..errors import BenchError
from ..plugins import installed
from ..reports.files import as_text, write_document
from . import options
from .benchmark_command import BenchmarkCommand
from .settings import config_option

EXIT = {"complete": 0, "fail": 1, "incomplete": 1, "budget": 5, "interrupted": 130}


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
    documents: list[dict[str, Any]] = []
    code = 0
    for config in options.configs(params):
        session = Session(config, installed(), options.environment(), say=_tell)
        session.check()
        pack = session.read_pack()
        _tell_plan(config, pack)
        if params["dry_run"]:
            continue
        try:
            document = asyncio.run(_run(session, pack))
        except BenchError as error:
            if len(params["models"]) < 2:
                raise
            _tell(f"Error: {config.display_name}: {error}")
            code = max(code, error.exit_code)
            continue
        _finish(document, config, params)
        documents.append(document)
        code = max(code, EXIT[document["status"]])
        if document["status"] == "interrupted":
            break
    if params["json_output"] and not params["dry_run"]:
        several = len(params["models"]) > 1
        click.echo(as_text({"runs": documents} if several else documents[0]))
    return code


async def _run(session: Session, pack: Pack) -> dict[str, Any]:
    from ..console.live import displayed
    from ..console.output import err

    title = f"{session.config.benchmark.name} {session.config.display_name}"
    with on_signals(session.stop, lambda: _announce_stop(session)):
        async with displayed(session.progress, title, err()):
            return await session.run(pack)


def _announce_stop(session: Session) -> None:
    waiting = session.progress.in_flight
    _tell(f"stopping: waiting for {waiting} calls in flight; press Ctrl-C again to stop at once")


def _tell_plan(config: RunConfig, pack: Pack) -> None:
    items = choose_items(pack, config)
    benchmark, n = config.benchmark, config.iterations
    calls = [benchmark.calls_per_sample(item, config.options) for item in items]
    model, judge = (sum(kind) * n for kind in zip(*calls, strict=True))
    source = pack.source
    plan = f"{benchmark.name}: {len(items)} items of the {source.name} pack"
    plan += f" x {n} iterations" if n > 1 else ""
    plan += f", {model} calls to {config.model.label}"
    plan += f", {judge} to the judge {config.judge.label}" if config.judge else ""
    _tell(plan + (" (more where an answer cannot be read)" if model else ""))
    if config.dataset is None and source.name == "bundled" and benchmark.data is not None:
        _tell(f"the official data is not on this machine; see bench info {benchmark.name}")


def _finish(document: dict[str, Any], config: RunConfig, params: Mapping[str, Any]) -> None:
    path = write_document(config.runs_dir, document)
    if not params["json_output"]:
        from ..console import output, tables

        output.show(tables.result(document, sections(document)))
        _tell(f"saved in {path}; look closer with: bench show {document['run_id']}")
    if document["status"] == "interrupted":
        _tell("everything answered so far is kept; the same command goes on from here")
    elif document["items"]["failed"]:
        _tell("the same command tries the failed samples again")


def sections(document: Mapping[str, Any]) -> list[Any]:
    """The sections that plugins add to this result."""
    found = [s for s in installed().report_sections if s.benchmark == document["benchmark"]]
    return [table for section in found if (table := section.build(document))]


def _tell(line: str) -> None:
    click.echo(line, err=True)
