"""`bench data generate`: more items for a benchmark, written by a model, into a file of their own.

The work is a run like any other (`benchmark.generators`): its replies are journalled, it
goes on after a stop, and it keeps to ``--max-cost``. Only a whole set becomes a
file, with its provenance beside it, and never where a bundled pack lies.
"""

import asyncio
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from .. import __version__
from ..benchmark import Benchmark, Pack
from ..benchmark.generators import ATTEMPTS, COUNT, Generated, MakesData
from ..errors import DataError, UsageError
from ..guard import guard, no_exit
from ..journal import Journal, RunRecord
from ..journal.temporary import replacing
from ..plugins import installed
from ..reports.result import Result
from ..reports.suggestions import bench
from ..run.plan import make_plan
from ..run.task import Task
from ..settings.resolve import run_configs
from ..settings.run_config import RunConfig, grader
from ..settings.run_settings import RunSettings
from ..text import as_text
from ..types import Json, JsonDict, JsonObject
from . import options
from .command import command
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


class GenerationRequest(NamedTuple):
    """What is to be made: the run of the benchmark's maker, and where its items go."""

    benchmark: Benchmark
    config: RunConfig
    output: Path

    @property
    def provenance(self) -> Path:
        """Where it is said how the items came to be."""
        return self.output.with_name(f"{self.output.name}.provenance.json")

    def check_output(self) -> None:
        """Refuse a path where something is, or that is among the packs."""
        output, packs = self.output, self.benchmark.data
        if packs is not None and output.resolve().is_relative_to(packs.resolve()):
            raise UsageError(f"{output} is among bundled packs; generated data is kept apart")
        for path in (output, self.provenance):
            if path.exists() or path.is_symlink():
                message = f"{path} is there already; remove it, or name another file with -o"
                raise UsageError(message)

    def write(self, items: Generated, facts: JsonObject) -> str:
        """The SHA-256 of the items' file, once it and its provenance are written."""
        rows = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in items.lines]
        data = "".join(f"{row}\n" for row in rows).encode()
        sha256 = hashlib.sha256(data).hexdigest()
        file = {"name": self.output.name, "sha256": sha256, "items": len(rows)}
        provenance = (as_text({**facts, "file": file}) + "\n").encode()
        for path, content in ((self.provenance, provenance), (self.output, data)):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path) as out:
                    out.write(content)
            except OSError as error:
                what = f"cannot be written: {error.strerror}; the journal holds what it would say"
                raise DataError(path, what) from None
        return sha256


@command("generate", "bench data generate emotionqueen --model openai/NAME -n 50 -o more.jsonl")
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
    _, _, plan = describe_plan(run).partition("; ")  # it is not samples that the user thinks of
    tell(f"{benchmark.name}: {count} new items; {plan}")
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
    if len(settings.systems) > 1:
        raise UsageError("--system is given twice; one model writes with one system prompt")
    (config,) = run_configs(benchmark.data_maker, settings, allow)
    order = GenerationRequest(benchmark, config, output)
    order.check_output()
    return order


def _finish(order: GenerationRequest, pack: Pack, result: Result, *, json_output: bool) -> int:
    """Write the file if the set is whole; the exit code."""
    config, items, written = order.config, Generated(()), None
    with Journal(config.runs_dir, create=False) as journal:
        run = journal.find_run(str(result.run_id))
        score = run and journal.score_of(run, grader(config), pack.items[0].id, 1)
    if run and score:
        items = guard(config.benchmark).generated(score, config.model.label)
        if items.missing is None:
            written = order.write(items, _provenance(order, pack, run, items))
    if json_output:
        click.echo(as_text(_as_json(order, result, items, written)))
    if written:
        tell(f"{len(items.lines)} items in {order.output} (run {result.run_id})")
        words = ("run", order.benchmark.name, "--dataset", order.output, "--model", "SPEC")
        tell(f"next: {bench(*words)}")
    else:
        tell(f"no file was written: {_why(result, items.missing)}")
    return EXIT[result.status]


def _why(result: Result, missing: str | None) -> str:
    if result.status == "budget":
        return "the same command goes on from here with a larger --max-cost, or without"
    if missing:
        return f"{missing}; the same command with larger --attempts asks on"
    if failed := result.document["failed"]:
        return f"{failed[0]['reason']}; the same command goes on from here"
    return "the same command goes on from here; everything answered so far is kept"


def _provenance(order: GenerationRequest, pack: Pack, run: RunRecord, items: Generated) -> JsonDict:
    settings, maker = run.settings, order.config.benchmark
    return {
        "made_for": order.benchmark.name,
        "made_by": order.config.model.label,
        "maker": {"name": maker.name, "version": maker.version},
        "run_id": run.run_id,
        "started_at": run.created_at,
        "sampling": settings["sampling"],
        "system": settings["system"],
        "prompts": settings["prompts"],
        "options": dict(order.config.options),
        "kept_apart_from": {"pack": pack.source.name, "sha256": pack.source.sha256},
        "eibench": __version__,
        **items.details,
    }


def _as_json(
    order: GenerationRequest, result: Result, items: Generated, sha256: str | None
) -> object:
    return {
        "output": str(order.output) if sha256 else None,
        "sha256": sha256,
        "asked_for": order.config.options["count"],
        "made": len(items.lines),
        "missing": items.missing,
        "run": result.document,
    }
