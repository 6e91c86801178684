"""`bench data generate`: more items for a benchmark, written by a model, into a file of their own.

The work is a run like any other (`core.making`): its replies are journalled, it
goes on after a stop, and it keeps to ``--max-cost``. Only a whole set becomes a
file, with its provenance beside it, and never where a bundled pack lies.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from .. import __version__
from ..benchmark import Benchmark, Pack
from ..benchmark.making import ATTEMPTS, COUNT, DataMaker, Made, MakesData
from ..errors import DataError, UsageError
from ..guard import guard, no_exit
from ..journal import Journal, RunRecord
from ..journal.temporary import replacing
from ..plugins import installed
from ..reports.hints import bench
from ..reports.result import Result
from ..run.plan import make_plan
from ..run.task import Task
from ..settings.resolve import run_configs
from ..settings.run_config import RunConfig, grader
from ..settings.run_settings import RunSettings
from ..text import as_text
from ..types import Json, JsonDict, JsonObject, Score
from . import options
from .command import Command
from .session import (
    EXIT,
    PlannedRun,
    allow,
    ask_to_spend,
    begin,
    check,
    describe_plan,
    plan_as_json,
    tell,
    work,
)
from .settings import click_type


def provenance_path(output: Path) -> Path:
    """Where it is said how the items of a file came to be."""
    return output.with_name(f"{output.name}.provenance.json")


def check_place(output: Path, packs: Path | None) -> None:
    """Refuse a place where generated items may not go.

    Raises:
        UsageError: Something is there, or it is among the packs.
    """
    if packs is not None and output.resolve().is_relative_to(packs.resolve()):
        raise UsageError(f"{output} is among bundled packs; generated data is kept apart")
    for path in (output, provenance_path(output)):
        if path.exists() or path.is_symlink():
            raise UsageError(f"{path} is there already; remove it, or name another file with -o")


def write_generated(output: Path, lines: Sequence[JsonObject], provenance: JsonObject) -> str:
    """The SHA-256 of the items' file, once it and its provenance are written.

    Raises:
        DataError: They cannot be written.
    """
    rows = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in lines]
    data = "".join(f"{row}\n" for row in rows).encode()
    sha256 = hashlib.sha256(data).hexdigest()
    file = {"name": output.name, "sha256": sha256, "items": len(rows)}
    _put(provenance_path(output), (as_text({**provenance, "file": file}) + "\n").encode())
    _put(output, data)
    return sha256


def _put(path: Path, data: bytes) -> None:
    """A file, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(data)
    except OSError as error:
        message = f"cannot be written: {error.strerror}; the journal holds what it would say"
        raise DataError(path, message) from None


class GenerationRequest(NamedTuple):
    """What is to be made: the run that makes it, and where it goes."""

    benchmark: Benchmark
    maker: DataMaker
    config: RunConfig
    output: Path


_GENERATE_EXAMPLES = (
    "\b\nExamples:\n  bench data generate emotionqueen --model openai/NAME -n 50 -o more.jsonl\n"
)


@click.command("generate", cls=Command, epilog=_GENERATE_EXAMPLES)
@options.benchmark_argument
@options.option("--model", "models", multiple=True, metavar="SPEC",
                help="Who writes: PROVIDER/NAME, such as openai/gpt-4.1.")  # fmt: skip
@options.server_options
@click.option("-n", "--count", type=click_type(COUNT.rule), default=COUNT.default,
              show_default=True, metavar="N",
              help="How many items; more later go on from these.")  # fmt: skip
@click.option("--attempts", type=click_type(ATTEMPTS.rule), default=ATTEMPTS.default,
              show_default=True, metavar="N",
              help="How often to ask for an item until one fits.")  # fmt: skip
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path),
              metavar="FILE", help="Where the items go; it must not exist.")  # fmt: skip
@options.sampling_options
@options.limit_options
@options.money_options
@options.fresh_option
@options.place_options
@options.dry_run_option
@options.json_option
def generate_command(
    benchmark: Benchmark,
    *,
    count: int,
    attempts: int,
    output: Path,
    dry_run: bool,
    yes: bool,
    json_output: bool,
    **params: Json,
) -> int:
    """Have a model write more items for BENCHMARK; the same command again resumes it.

    Every reply is saved before it is used. Items that do not fit, or that say again what
    another one says, are refused and asked for again.
    """
    settings = replace(
        options.run_settings(params),
        dataset="bundled",
        options={"count": count, "attempts": attempts},
    )
    order, session = _order(benchmark, settings, output), begin(settings)
    task = Task(order.config)
    check(task, session, dry=dry_run)
    run = PlannedRun(task, session, make_plan(task, session))
    tell(_description(order, run))
    if dry_run:
        if json_output:
            click.echo(as_text({"dry_run": True, "runs": [plan_as_json(run)]}))
        return 0
    ask_to_spend([run], sure=yes or settings.by_user("max_cost"))
    with no_exit():
        result = asyncio.run(work(task, session))
    return _finish(order, task.pack, result, json_output=json_output)


def _order(benchmark: Benchmark, settings: RunSettings, output: Path) -> GenerationRequest:
    if not isinstance(benchmark, MakesData):
        able = [b.name for b in installed().benchmarks if isinstance(b, MakesData)]
        raise UsageError(f"{benchmark.name} cannot make data; those that can: {', '.join(able)}")
    if len(settings.models) != 1:
        raise UsageError("name the one model that writes, such as --model openai/gpt-4.1")
    maker = benchmark.data_maker
    (config,) = run_configs(maker, settings, allow)
    check_place(output, benchmark.data)
    return GenerationRequest(benchmark, maker, config, output)


def _description(order: GenerationRequest, run: PlannedRun) -> str:
    """The plan as one line; it is not samples that the user thinks of here."""
    _, _, rest = describe_plan(run).partition("; ")
    return f"{order.benchmark.name}: {order.config.options['count']} new items; {rest}"


def _finish(order: GenerationRequest, pack: Pack, result: Result, *, json_output: bool) -> int:
    """Write the file if the set is whole; the exit code."""
    found = _stored(order, pack, result)
    made = found and guard(order.maker).made(found[1], order.config.model.label)
    written = None
    if found and made and made.missing is None:
        about = _provenance(order, pack, found[0], made)
        written = write_generated(order.output, made.lines, about)
    if json_output:
        click.echo(as_text(_as_json(order, result, made, written)))
    if written:
        tell(f"{len(made.lines) if made else 0} items in {order.output} (run {result.run_id})")
        words = ("run", order.benchmark.name, "--dataset", order.output, "--model", "SPEC")
        tell(f"next: {bench(*words)}")
    else:
        tell(f"no file was written: {_why(result, made)}")
    return EXIT[result.status]


def _stored(order: GenerationRequest, pack: Pack, result: Result) -> tuple[RunRecord, Score] | None:
    """The run and what it gave, if it got so far."""
    with Journal(order.config.runs_dir, create=False) as journal:
        run = journal.find_run(str(result.run_id))
        score = run and journal.score_of(run, grader(order.config), pack.items[0].id, 1)
        return (run, score) if run and score else None


def _why(result: Result, made: Made | None) -> str:
    if result.status == "budget":
        return "the same command goes on from here with a larger --max-cost, or without"
    if made is not None and made.missing:
        return f"{made.missing}; the same command with larger --attempts asks on"
    if failed := result.document["failed"]:
        return f"{failed[0]['reason']}; the same command goes on from here"
    return "the same command goes on from here; everything answered so far is kept"


def _provenance(order: GenerationRequest, pack: Pack, run: RunRecord, made: Made) -> JsonDict:
    settings = run.settings
    return {
        "made_for": order.benchmark.name,
        "made_by": order.config.model.label,
        "maker": {"name": order.maker.name, "version": order.maker.version},
        "run_id": run.run_id,
        "started_at": run.created_at,
        "sampling": settings["sampling"],
        "system": settings["system"],
        "prompts": settings["prompts"],
        "options": dict(order.config.options),
        "kept_apart_from": {"pack": pack.source.name, "sha256": pack.source.sha256},
        "eibench": __version__,
        **made.about,
    }


def _as_json(
    order: GenerationRequest, result: Result, made: Made | None, sha256: str | None
) -> object:
    return {
        "output": str(order.output) if sha256 else None,
        "sha256": sha256,
        "asked_for": order.config.options["count"],
        "made": len(made.lines) if made else 0,
        "missing": made.missing if made else None,
        "run": result.document,
    }
