"""`bench show`: a run's result, what came of its items, and all that was said about one."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from .. import console
from ..analysis.csv_tables import csv_text
from ..errors import BenchError, PluginError, UsageError
from ..guard import guard
from ..journal import Journal, RunRecord
from ..parties.imported import is_imported
from ..plugins import installed
from ..reading.names import check_name
from ..reports.comparability import judge_label
from ..reports.ending import result_line
from ..reports.hints import another_run, bench, judge_words, pack_of
from ..reports.items import SORTS, Items, items_csv, items_of, items_table
from ..reports.transcripts import ItemDocument, ItemScore, item_record
from ..runs.differences import differences
from ..runs.result_view import left_out, result_by
from ..runs.stored_config import config_of
from ..runs.stored_config import pack_of as stored_pack
from ..sections import Table
from ..text import as_text, line, listed
from ..types import Item, Score
from ..types.result_document import ResultDocument
from . import options
from .command import Command
from .completion import item_ids, judge_labels, run_ids
from .runs import judge_of, main_metric
from .selectors import (
    check_named,
    dataset_option,
    find_fitting,
    find_one,
    model_and_benchmark,
    selector,
)
from .session import print_result
from .settings import config_option
from .stored import as_given

_SHOW_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench show 7a3c --items --sort worst\n"
    "  bench show 7a3c 12\n"
    "  bench show 7a3c --judge openai/gpt-4.1\n"
)


@click.command("show", cls=Command, epilog=_SHOW_EXAMPLES)
@click.argument("run", required=False, shell_complete=run_ids)
@click.argument("item", required=False, shell_complete=item_ids)
@click.option(
    "--items", is_flag=True, help="List what came of each item: its value, their spread, flags."
)
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="worst",
    show_default=True,
    help="The order of --items.",
)
@click.option(
    "--csv",
    "csv_output",
    is_flag=True,
    help="Print --items as comma-separated values, a row a sample.",
)
@click.option(
    "--full",
    is_flag=True,
    help="Show judges' prompts, and replies about comparisons, as they were sent.",
)
@click.option("--judge", metavar="SPEC", shell_complete=judge_labels,
              help="The result by this judge, of all samples.")  # fmt: skip
@model_and_benchmark
@dataset_option
@click.option("--views", is_flag=True, help="List the results that are kept beside the run's own.")
@click.option("--view", metavar="NAME", help="One of them.")
@options.runs_dir_option
@options.details_option
@options.json_option
@config_option
def show_command(
    run: str | None,
    item: str | None,
    items: bool,
    sort: str,
    csv_output: bool,
    full: bool,
    judge: str | None,
    views: bool,
    view: str | None,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Show a run's result, or all that was said about one ITEM.

    RUN is a run's id or the beginning of it, or a model's name or its end; or --model and its like
    choose it. Of several runs of a model, the last line of each is shown.
    """
    judge = as_given("judge", judge)
    if item is not None and judge:
        raise UsageError("--judge chooses a run's result; of an ITEM all judges are shown")
    if sum(map(bool, (item, items, judge, views, view))) > 1:
        raise UsageError("ITEM, --items, --judge, --views and --view are for one at a time")
    if csv_output and not items:
        raise UsageError("--csv is for --items")
    chosen = selector(judge=judge)
    check_named(run, chosen)
    with Journal(runs_dir, create=False) as journal:
        one = any((item, items, judge, views, view, json_output))
        if run and not (one or journal.runs_like(run)):
            fitting = find_fitting(journal, run, chosen)
            if len(fitting) > 1:
                _show_each(journal, fitting)
                return
        record = find_one(journal, run, chosen)
        if views:
            _list_views(journal, record, json_output)
        elif items:
            found = items_of(journal, record, journal.document(record), sort)
            _print_items(found, json_output=json_output, csv_output=csv_output)
        elif view:
            print_result(_view(journal, record, view), json_output=json_output)
        elif judge:
            document = result_by(journal, installed(), record, judge)
            print_result(document, json_output=json_output)
        elif item is None:
            _show_run(journal, record, json_output)
        else:
            _show_item(journal, record, item, json_output=json_output, full=full)


def _show_each(journal: Journal, runs: Sequence[RunRecord]) -> None:
    """The last line of each of several runs, with what sets it apart and the command for it."""
    for run, apart in zip(runs, differences(runs), strict=True):
        document = journal.document(run)
        about = f"{run.benchmark} on {run.pack_name}" + (f", {apart}" if apart else "")
        ended = result_line(document) if document else f"{run.name}: no result yet ({run.status})"
        click.echo(line(f"{bench('show', run.run_id)}  {about}; {ended}"))


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
    notes = [] if json_output else list(left_out(journal, installed(), run, document))
    print_result(document, json_output=json_output, another=another, later=later, notes=notes)


def _print_items(found: Items, *, json_output: bool, csv_output: bool) -> None:
    if json_output:
        click.echo(as_text(found))
    elif csv_output:
        click.echo(csv_text(items_csv(found)), nl=False)
    else:
        console.output.show(console.fitted.Fitted(items_table(found)))


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
        [name or "(the run's own)", judge_of(doc), doc["status"], main_metric(doc)]
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

    beside = beside_reference(journal, run)(record)
    console.output.show(console.transcripts.item(record, full=full, beside=beside))


Beside = Callable[[ItemDocument], Mapping[int, Table | None]]
"""From all that is known of an item, by iteration, to the answer beside the reference."""


def beside_reference(journal: Journal, run: RunRecord) -> Beside:
    """What sets a run's answers beside the reference; nothing where the data is not here."""
    with contextlib.suppress(BenchError):
        config = config_of(journal, run, installed(), {}, None)
        items = {item.id: item for item in stored_pack(run, config).items}
        shown = guard(config.benchmark).beside_reference
        return lambda record: {
            row["iteration"]: _beside(shown, items[record["item_id"]], _score(found))
            for row in record["iterations"]
            if (found := row["score"]) and record["item_id"] in items
        }
    return lambda record: {}


def _beside(shown: Callable[[Item, Score], Table | None], item: Item, score: Score) -> Table | None:
    """The answer beside the reference, or why it cannot be: a grade may be an import's."""
    try:
        return shown(item, score)
    except PluginError as error:
        return Table("The answer cannot be set beside the reference", ("why",), [(str(error),)])


def _score(found: ItemScore) -> Score:
    return Score(found["values"], found["reason"], tuple(found["flags"]), found["detail"])
