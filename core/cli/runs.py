"""`bench runs`, `show` and `delete`: what the journal holds."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from .. import console
from ..errors import UsageError
from ..journal import OpenBatch, RunLock, RunRecord
from ..journal.file import demo_folder, has_journal
from ..parties.party import origin_of
from ..plugins import installed
from ..reports.columns import FitColumn, FitTable
from ..reports.comparability import is_graded, judge_in
from ..reports.suggestions import bench
from ..runs.results import document_path
from ..text import as_text, duration, line, number, plural
from ..types.result_document import ResultDocument
from . import options
from .command import command
from .options import run_ids
from .selectors import all_selectors, find, open_runs, selector


@command("runs", "bench runs --benchmark eqbench3 --model openai/gpt-4.1")
@all_selectors
@options.demo_option
@options.place_options
@options.output_options
def runs_command(runs_dir: Path, json_output: bool) -> None:
    """List all runs, or those that the options choose."""
    folder, rows = runs_dir, list[tuple[RunRecord, ResultDocument | None]]()
    batches: dict[str, list[OpenBatch]] = {}
    if has_journal(runs_dir) or has_journal(demo_folder(runs_dir)):
        with open_runs(runs_dir) as stored:
            folder = stored.journal.folder
            for run in stored.chosen(selector()):
                rows.append((run.record, run.document))
                is_over = run.record.status == "complete"
                batches[run.id] = [] if is_over else run.journal.open_batches(run.record)
    if json_output:
        listed = [_as_json(run, doc, batches[run.run_id]) for run, doc in rows]
        click.echo(as_text({"demo": any(run.demo for run, _ in rows), "runs": listed}))
        return

    if not rows:
        first = bench("run", "eqbench-v1")
        which = f"no runs with {selector()} in {folder}" if any(selector()) else ""
        click.echo(which or f"no runs in {folder} yet; start one: {first}", err=True)
        return
    title = f"{plural(len(rows), 'run')} in {folder}" + "  DEMO" * rows[0][0].demo
    table = FitTable(title, _columns(rows), unboxed=True)
    console.output.show(console.fitted.Fitted(table))
    for record, _ in rows:
        for batch in batches[record.run_id]:
            click.echo(line(_waits(record, batch)))


def _waits(run: RunRecord, batch: OpenBatch) -> str:
    """What is known of a batch that a run waits for."""
    age = duration((datetime.now(UTC) - datetime.fromisoformat(batch.at)).total_seconds())
    return f"{run.run_id} waits for {batch.words}, {age} old"


def _columns(rows: Sequence[tuple[RunRecord, ResultDocument | None]]) -> list[FitColumn]:
    """What is shown of each run; on a narrow terminal less, so that each has one line."""
    runs, documents = [run for run, _ in rows], [document for _, document in rows]
    judges = [judge_in(document) if document else None for document in documents]
    details = options.wants_details()
    named = [str(j if details else j.public) if j else "–" for j in judges]
    brief = [judge.brief if judge else "–" for judge in judges]
    least = [_own_name(judge).removesuffix(" judges") for judge in brief]
    judged = [FitColumn("judge", named, 9, brief, 3, least, 5)]
    values = [_value_and_status(*row) for row in rows]
    plain, numbers = [run.name for run in runs], list(map(_value, documents))
    models = list(map(_name, runs)) if details else plain
    short = [name if run.demo else _own_name(name) for run, name in zip(runs, plain, strict=True)]
    started = [run.created_at[:16].replace("T", " ") for run in runs]
    seen = [
        (run.benchmark, name, run.pack_name, judge)
        for run, name, judge in zip(runs, plain, brief, strict=True)
    ]
    late = 10 if len(set(seen)) < len(seen) else 1  # a date tells two rows apart that look alike
    return [
        FitColumn("run", [run.run_id for run in runs]),
        FitColumn("benchmark", [run.benchmark for run in runs]),
        FitColumn("model", models, 0, plain, 1, short, 6),
        FitColumn("pack", [run.pack_name for run in runs], 8),
        FitColumn("status", list(map(_status, runs, documents)), 4),
        FitColumn("score", list(map(main_metric, documents)), 0, values, 2, numbers, 11),
        *judged * any(d and d["judge"] for d in documents),
        FitColumn("started", started, late, [day[5:] for day in started], 1),
    ]


def _name(run: RunRecord) -> str:
    return run.name + (f" at {run.endpoint}" if run.endpoint else "")


def _own_name(spec: str) -> str:
    """A model's name without who serves it."""
    provider, slash, name = spec.partition("/")
    return name if slash and provider in installed().providers.things else spec


def _value_and_status(run: RunRecord, document: ResultDocument | None) -> str:
    """The main number alone, with how the run ended where that is not well."""
    value, status = _value(document), _status(run, document)
    if status == "complete":
        return value
    return status if value == "–" else f"{value} {status}"


def main_metric(document: ResultDocument | None) -> str:
    """The main number with its name, and how many samples of the whole pack have one."""
    if document is None or not document["metrics"]:
        return "–"

    name, scored = next(iter(document["metrics"])), document["items"]["scored"]
    return f"{name} {_value(document)}, {scored}/{_whole(document)}"


def _status(run: RunRecord, document: ResultDocument | None) -> str:
    """How a run ended; one that ended well may have asked a part of the pack alone."""
    partial = document is not None and document["items"]["total"] < _whole(document)
    return "partial" if partial and run.status == "complete" else run.status


def _whole(document: ResultDocument) -> int:
    """The samples of the whole pack, of which a run may have asked a part."""
    return document["dataset"]["n_items"] * document["iterations"]


def _value(document: ResultDocument | None) -> str:
    """The main number alone."""
    if document is None or not document["metrics"]:
        return "–"
    metric = next(iter(document["metrics"].values()))
    return number(metric["value"]) if is_graded(document) else "not graded"


def _as_json(
    run: RunRecord,
    document: ResultDocument | None,
    batches: Sequence[OpenBatch],
) -> object:
    waiting = [
        {"id": one.id, "party": one.party, "requests": len(one.keys), "at": one.at}
        for one in batches
    ]
    return {
        "run_id": run.run_id,
        "benchmark": run.benchmark,
        "model": run.model,
        "name": run.name,
        "imported": origin_of(run.model, run.settings),
        "dataset": run.pack_name,
        "status": run.status,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "judge": document["judge"] if document else None,
        "judge_endpoint": document["judge_endpoint"] if document else None,
        "metrics": document["metrics"] if document else None,
        **({"batches": waiting} if waiting else {}),
    }


@command("delete")
@click.argument("run", shell_complete=run_ids)
@options.flag("--yes", help="Do not ask.")
@options.place_options
def delete_command(run: str, yes: bool, runs_dir: Path) -> None:
    """Delete a run with all its replies.

    They cannot be had back but by asking, and paying, again.
    """
    with open_runs(runs_dir, run) as stored:
        match = find(stored, run, sure=True)
        journal, record = stored.journal, match.record
        what = f"run {match.id} ({match.benchmark}, {match.name})"
        what += f" with {plural(journal.count_calls(record), 'reply')}"
        for batch in journal.open_batches(record):
            what += f", while {batch.words} goes on and is billed"
        if not yes:
            if not sys.stdin.isatty():
                raise UsageError(f"this would delete {what}; add --yes to do it")
            click.confirm(line(f"Delete {what}?"), abort=True, err=True)
        with RunLock(journal.folder, record.run_id).acquire() as lock:
            journal.delete_run(record)
            lock.remove()
        document_path(journal.folder, record.name, record.run_id).unlink(missing_ok=True)
    click.echo(line(f"deleted {what}"), err=True)
