"""`bench runs`, `show` and `delete`: what the journal holds."""

import sys
from pathlib import Path
from shlex import quote
from typing import Any

import click

from ..console.safe import line
from ..engine.showing import left_out, result_by
from ..errors import UsageError
from ..imported import origin_of
from ..journal import Journal, RunLock, RunRecord
from ..journal.store import FILE
from ..plugins import installed
from ..reports.files import as_text, document_path
from ..reports.sections import Table
from . import options
from .completion import run_ids
from .results import print_result
from .settings import config_option
from .stored import as_given


def find(journal: Journal, start: str) -> RunRecord:
    """The one run whose id begins so.

    Raises:
        UsageError: There is none, or more than one.
    """
    if not start.strip():
        raise UsageError("name a run; bench runs lists them")
    found = journal.runs_like(start)
    exact = [run for run in found if run.run_id == start]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if not found:
        raise UsageError(f"no run {start!r} in {journal.folder}; bench runs lists them")
    raise UsageError(f"{start!r} could be {', '.join(run.run_id for run in found)}")


@click.command("runs")
@options.runs_dir_option
@options.json_option
@config_option
def runs_command(runs_dir: Path, json_output: bool) -> None:
    """List all runs."""
    rows: list[tuple[RunRecord, dict[str, Any] | None]] = []
    if (runs_dir / FILE).exists():
        with Journal(runs_dir, create=False) as journal:
            rows = [(run, journal.document(run)) for run in journal.runs()]
    if json_output:
        click.echo(as_text({"runs": [_as_json(run, doc) for run, doc in rows]}))
        return
    from ..console import output, tables

    if not rows:
        click.echo(f"no runs in {runs_dir} yet; start one: bench run eqbench-v1", err=True)
        return
    columns = ("run", "benchmark", "model", "pack", "status", "score", "started")
    cells = [(*_cells(run), _main_metric(doc), _minute(run)) for run, doc in rows]
    output.show(
        tables.table(
            Table(f"{len(cells)} run{'s' * (len(cells) != 1)} in {runs_dir}", columns, cells)
        )
    )


def _cells(run: RunRecord) -> tuple[str, ...]:
    name = run.name + (" DEMO" if run.demo else "")
    name += f" at {run.endpoint}" if run.endpoint else ""
    return run.run_id, run.benchmark, name, run.pack_name, run.status


def _minute(run: RunRecord) -> str:
    """When a run was started, UTC."""
    return run.created_at[:16].replace("T", " ")


def _main_metric(document: dict[str, Any] | None) -> str:
    if document is None or not document["metrics"]:
        return "–"
    from ..console.safe import number

    name, metric = next(iter(document["metrics"].items()))

    items = document["items"]
    return f"{name} {number(metric['value'])}, {items['scored']}/{items['total']}"


def _as_json(run: RunRecord, document: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "benchmark": run.benchmark,
        "model": run.model,
        "name": run.name,
        "demo": run.demo,
        "imported": origin_of(run.model, run.settings),
        "dataset": run.pack_name,
        "status": run.status,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "metrics": document["metrics"] if document else None,
    }


@click.command("show")
@click.argument("run", shell_complete=run_ids)
@click.argument("item", required=False)
@click.option("--full", is_flag=True, help="Show judges' prompts as they were sent.")
@click.option("--judge", metavar="SPEC", help="The result by this judge, of all samples.")
@options.runs_dir_option
@options.json_option
@config_option
def show_command(
    run: str,
    item: str | None,
    full: bool,
    judge: str | None,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Show a run's result, or all that was said about one ITEM."""
    judge = as_given("judge", judge)
    if item is not None and judge:
        raise UsageError("--judge chooses a run's result; of an ITEM all judges are shown")
    with Journal(runs_dir, create=False) as journal:
        record = find(journal, run)
        if judge:
            document = result_by(journal, installed(), record, judge)
            print_result(document, json_output=json_output)
        elif item is None:
            _show_run(journal, record, json_output)
        else:
            _show_item(journal, record, item, json_output=json_output, full=full)


def _show_run(journal: Journal, run: RunRecord, json_output: bool) -> None:
    document = journal.document(run)
    if document is None:
        raise UsageError(
            f"run {run.run_id} has no result yet ({journal.count_calls(run)} replies are kept); "
            "the command that started it goes on with it"
        )
    print_result(document, json_output=json_output)
    if not json_output:
        where = (
            "" if journal.folder == Path("runs") else f" --runs-dir {quote(str(journal.folder))}"
        )
        for told in left_out(journal, run, document, where):
            click.echo(line(f"note: {told}"))


def _show_item(
    journal: Journal, run: RunRecord, item: str, *, json_output: bool, full: bool
) -> None:
    from ..reports.transcripts import item_record

    record = item_record(journal, run, item)
    if json_output:
        click.echo(as_text(record))
        return
    from ..console import output, transcripts

    output.show(transcripts.item(record, full=full))


@click.command("delete")
@click.argument("run", shell_complete=run_ids)
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.runs_dir_option
@config_option
def delete_command(run: str, yes: bool, runs_dir: Path) -> None:
    """Delete a run with all its replies.

    They cannot be had back but by asking, and paying, again.
    """
    with Journal(runs_dir, create=False) as journal:
        record = find(journal, run)
        what = f"run {record.run_id} ({record.benchmark}, {record.name})"
        what += f" with {journal.count_calls(record)} replies"
        if not yes:
            if not sys.stdin.isatty():
                raise UsageError(f"this would delete {what}; add --yes to do it")
            click.confirm(line(f"Delete {what}?"), abort=True, err=True)
        with RunLock(journal.folder, record.run_id).acquire() as lock:
            journal.delete_run(record)
            lock.remove()
        named = {"name": record.name, "run_id": record.run_id}
        document_path(runs_dir, named).unlink(missing_ok=True)
    click.echo(line(f"deleted {what}"), err=True)
