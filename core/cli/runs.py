"""`bench runs`, `show` and `delete`: what the journal holds."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from .. import console
from ..errors import UsageError
from ..hints import another_run, bench, judge_words, pack_of
from ..imported import is_imported, origin_of
from ..journal import Journal, RunLock, RunRecord
from ..journal.file import has_journal
from ..lookup.result_view import left_out, result_by
from ..lookup.views import document_path
from ..names import check_name
from ..plugins import installed
from ..reports.columns import FitColumn, FitTable
from ..reports.comparability import is_graded, judge_label
from ..reports.transcripts import item_record
from ..result_document import ResultDocument
from ..sections import Table
from ..text import as_text, line, listed, number, plural
from . import options
from .command import Command
from .completion import run_ids
from .session import print_result
from .settings import config_option
from .stored import as_given


def find(journal: Journal, start: str) -> RunRecord:
    """The one run whose id begins so.

    Raises:
        UsageError: There is none, or more than one.
    """
    if not start.strip():
        raise UsageError(f"name a run; {bench('runs')} lists them")
    found = journal.runs_like(start)
    exact = [run for run in found if run.run_id == start]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if not found:
        raise UsageError(f"no run {start!r} in {journal.folder}; {bench('runs')} lists them")
    raise UsageError(f"{start!r} could be {', '.join(run.run_id for run in found)}")


@click.command("runs", cls=Command)
@options.runs_dir_option
@options.json_option
@config_option
def runs_command(runs_dir: Path, json_output: bool) -> None:
    """List all runs."""
    rows: list[tuple[RunRecord, ResultDocument | None]] = []
    views: dict[str, list[str]] = {}
    if has_journal(runs_dir):
        with Journal(runs_dir, create=False) as journal:
            runs = journal.runs()
            with journal.ahead(runs):
                rows = [(run, journal.document(run)) for run in runs]
                views = {run.run_id: list(journal.views(run)) for run in runs}
    if json_output:
        listed = [_as_json(run, doc, views[run.run_id]) for run, doc in rows]
        click.echo(as_text({"runs": listed}))
        return

    if not rows:
        first = bench("run", "eqbench-v1")
        click.echo(f"no runs in {runs_dir} yet; start one: {first}", err=True)
        return
    title = f"{plural(len(rows), 'run')} in {runs_dir}"
    console.output.show(console.fitted.Fitted(FitTable(title, _columns(rows))))


def _columns(rows: Sequence[tuple[RunRecord, ResultDocument | None]]) -> list[FitColumn]:
    """What is shown of each run; on a narrow terminal less, so that each has one line."""
    runs, documents = [run for run, _ in rows], [document for _, document in rows]
    judges, shown = list(map(_judge, documents)), list(map(_main_metric, documents))
    short = list(map(_value, documents))
    judged = [FitColumn("judge", judges, 5)] * any(d and d["judge"] for d in documents)
    return [
        FitColumn("run", [run.run_id for run in runs]),
        FitColumn("benchmark", [run.benchmark for run in runs]),
        FitColumn("model", list(map(_name, runs))),
        FitColumn("pack", [run.pack_name for run in runs], 3),
        FitColumn("status", [run.status for run in runs], 6),
        FitColumn("score", shown, 0, short, 4),
        *judged,
        FitColumn("started", list(map(_minute, runs)), 1),
    ]


def _name(run: RunRecord) -> str:
    name = run.name + (" DEMO" if run.demo else "")
    return name + (f" at {run.endpoint}" if run.endpoint else "")


def _judge(document: ResultDocument | None) -> str:
    """Whose verdicts the score is made of."""
    return (judge_label(document) if document else None) or "–"


def _minute(run: RunRecord) -> str:
    """When a run was started, UTC."""
    return run.created_at[:16].replace("T", " ")


def _main_metric(document: ResultDocument | None) -> str:
    if document is None or not document["metrics"]:
        return "–"

    name, items = next(iter(document["metrics"])), document["items"]
    return f"{name} {_value(document)}, {items['scored']}/{items['total']}"


def _value(document: ResultDocument | None) -> str:
    """The main number alone."""
    if document is None or not document["metrics"]:
        return "–"
    metric = next(iter(document["metrics"].values()))
    return number(metric["value"]) if is_graded(document) else "not graded"


def _as_json(run: RunRecord, document: ResultDocument | None, views: Sequence[str]) -> object:
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
        "judge": document["judge"] if document else None,
        "judge_endpoint": document.get("judge_endpoint") if document else None,
        "metrics": document["metrics"] if document else None,
        "views": views,
    }


@click.command("show", cls=Command)
@click.argument("run", shell_complete=run_ids)
@click.argument("item", required=False)
@click.option("--full", is_flag=True, help="Show judges' prompts as they were sent.")
@click.option("--judge", metavar="SPEC", help="The result by this judge, of all samples.")
@click.option("--views", is_flag=True, help="List the results that are kept beside the run's own.")
@click.option("--view", metavar="NAME", help="One of them.")
@options.runs_dir_option
@options.details_option
@options.json_option
@config_option
def show_command(
    run: str,
    item: str | None,
    full: bool,
    judge: str | None,
    views: bool,
    view: str | None,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Show a run's result, or all that was said about one ITEM."""
    judge = as_given("judge", judge)
    if item is not None and judge:
        raise UsageError("--judge chooses a run's result; of an ITEM all judges are shown")
    if sum(map(bool, (item, judge, views, view))) > 1:
        raise UsageError("an ITEM, --judge, --views and --view contradict each other; use one")
    with Journal(runs_dir, create=False) as journal:
        record = find(journal, run)
        if views:
            _list_views(journal, record, json_output)
        elif view:
            print_result(_view(journal, record, view), json_output=json_output)
        elif judge:
            document = result_by(journal, installed(), record, judge)
            print_result(document, json_output=json_output)
        elif item is None:
            _show_run(journal, record, json_output)
        else:
            _show_item(journal, record, item, json_output=json_output, full=full)


def _show_run(journal: Journal, run: RunRecord, json_output: bool) -> None:
    document = journal.document(run)
    if document is None and (views := journal.views(run)):
        raise UsageError(
            f"run {run.run_id} has no result of its own yet, but views: {', '.join(views)}; "
            f"{bench('show', run.run_id, '--view', 'NAME')} prints one, the command that started "
            "the run goes on with it"
        )
    if document is None:
        raise UsageError(
            f"run {run.run_id} has no result yet ({journal.count_calls(run)} replies are kept); "
            "the command that started it goes on with it"
        )
    later = "" if json_output or document["ratings"] else _compared_later(journal, run)
    another = _another(journal, run, document)
    print_result(document, json_output=json_output, another=another, later=later)
    if not json_output:
        for message in left_out(journal, installed(), run, document):
            click.echo(line(f"note: {message}"))


def _compared_later(journal: Journal, run: RunRecord) -> str:
    """Where the rating is of a run that others were compared with after its own result."""
    names = journal.compared_by(run)
    if not names:
        return ""
    by = listed(names, _LISTED)
    return f"compared since by {by}: {bench('leaderboard', run.benchmark)} has the rating"


_LISTED = 3


def _another(journal: Journal, run: RunRecord, document: ResultDocument) -> str:
    """The command that asks another model the same; nothing where its benchmark is gone."""
    benchmark = installed().benchmarks.things.get(run.benchmark)
    if benchmark is None or is_imported(run.model):
        return ""
    judge = judge_words(judge_label(document))
    about = (document, benchmark, run.settings)
    pack = pack_of(document, run.settings.get("dataset"))
    return another_run(*about, dataset=pack, judge=judge)


def _view(journal: Journal, run: RunRecord, name: str) -> ResultDocument:
    """A view of a run by its name."""
    views = journal.views(run)
    check_name(name, views, f"run {run.run_id} has no view {name!r}", "there are")
    return views[name]


def _list_views(journal: Journal, run: RunRecord, json_output: bool) -> None:
    """The results that are kept beside a run's own, which stands first."""
    own = journal.document(run)
    found = {**({"": own} if own else {}), **journal.views(run)}
    if json_output:
        rows = [_view_as_json(name, doc) for name, doc in found.items()]
        click.echo(as_text({"run_id": run.run_id, "views": rows}))
        return

    cells = [
        [name or "(the run's own)", _judge(doc), doc["status"], _main_metric(doc)]
        for name, doc in found.items()
    ]
    note = f"{bench('show', run.run_id, '--view')} NAME prints one"
    columns = ("view", "judge", "status", "score")
    console.output.show(
        console.tables.table(Table(f"results of run {run.run_id}", columns, cells, note=note))
    )


def _view_as_json(name: str, document: ResultDocument) -> object:
    names = ("judge", "judge_endpoint", "grader", "options", "status", "iterations", "items")
    return {"view": name or None} | {n: document.get(n) for n in (*names, "metrics")}


def _show_item(
    journal: Journal, run: RunRecord, item: str, *, json_output: bool, full: bool
) -> None:
    record = item_record(journal, run, item)
    if json_output:
        click.echo(as_text(record))
        return

    console.output.show(console.transcripts.item(record, full=full))


@click.command("delete", cls=Command)
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
            views = list(journal.views(record))
            journal.delete_run(record)
            lock.remove()
        for view in (None, *views):
            document_path(runs_dir, record.name, record.run_id, view).unlink(missing_ok=True)
    click.echo(line(f"deleted {what}"), err=True)
