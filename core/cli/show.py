"""`bench show`: a run's result, what came of its items, and all that was said about one."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from .. import console
from ..errors import BenchError, UsageError
from ..parties.party import is_imported
from ..reports.columns import Cell, FitTable
from ..reports.comparability import judge_in
from ..reports.ending import result_line
from ..reports.items import SORTS, items_csv, items_table
from ..reports.suggestions import another_run, bench, judge_words, pack_of
from ..runs.differences import differences
from ..runs.run_set import RunSet
from ..runs.steadiness import steadiness_tables
from ..runs.stored_run import StoredRun
from ..text import as_text, csv_text, line, listed
from ..types.result_document import ResultDocument
from . import options, selectors
from .command import command
from .options import item_ids, run_ids
from .session import print_result


@command(
    "show",
    "bench show 7a3c --items --sort worst",
    "bench show 7a3c 12",
    "bench show 7a3c --judge openai/gpt-4.1",
)
@click.argument("run", required=False, shell_complete=run_ids)
@click.argument("item", required=False, shell_complete=item_ids)
@options.flag("--items", help="List what came of each item: its value, their spread, flags.")
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="worst",
    show_default=True,
    help="The order of --items.",
)
@options.flag(
    "--csv", "csv_output", help="Print --items as comma-separated values, a row a sample."
)
@options.flag(
    "--full",
    help="Show messages as they were sent, judges' prompts and replies about comparisons too.",
)
@selectors.grades_option("The result by this judge, of all samples.")
@selectors.model_and_benchmark
@selectors.dataset_option
@options.place_options
@options.output_options
def show_command(
    run: str | None,
    item: str | None,
    items: bool,
    sort: str,
    csv_output: bool,
    full: bool,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Show a run's result, or all that was said about one ITEM.

    RUN is a run's id or the beginning of it, a model's name or its end, or a benchmark; or --model
    and its like choose it. Of several runs, the last line of each is shown.
    """
    judge = selectors.selector().judge
    if item is not None and judge:
        raise UsageError("--judge chooses a run's result; of an ITEM all judges are shown")
    if sum(map(bool, (item, items, judge))) > 1:
        raise UsageError("ITEM, --items and --judge are for one at a time")
    if csv_output and not items:
        raise UsageError("--csv is for --items")
    selectors.check_named(run)
    with selectors.open_runs(runs_dir, run) as kept:
        one = any((item, items, judge, json_output))
        if not one and len(matches := selectors.find_matching(kept, run)) > 1:
            _show_each(matches)
            return
        stored = selectors.find(kept, run, item=item or "")
        if items:
            rows = stored.items(sort)
            table, csv = items_table(rows), items_csv(rows)
            print_listed(rows, table, csv, json_output=json_output, csv_output=csv_output)
        elif judge:
            print_result(stored.result(judge), json_output=json_output)
        elif item is None:
            _show_run(stored, json_output)
        else:
            _show_item(stored, item, json_output=json_output, full=full)


def _show_each(runs: RunSet) -> None:
    """The last line of each of several runs, with what sets it apart and the command for it.

    The newest is last; on a terminal the oldest may be left out.
    """
    lines = list[str]()
    for run, apart in zip(runs, differences(runs.records), strict=True):
        what = f"{run.benchmark} on {run.record.pack_name}" + (f", {apart}" if apart else "")
        none = f"{run.name}: no result yet ({run.status})"
        ended = result_line(run.document) if run.document else none
        lines.append(line(f"{bench('show', run.id)}  {what}; {ended}"))
    *older, newest = lines
    parts = [console.screen.sentence(text, len(lines) - n, "run") for n, text in enumerate(older)]
    name, *others = dict.fromkeys(run.name for run in runs)
    demo = runs.journal.demo
    more = bench("runs", demo=demo) if others else bench("runs", "--model", name)
    console.screen.show(parts, console.short.bold(newest), more)


def _show_run(run: StoredRun, json_output: bool) -> None:
    document = run.document
    if document is None:
        replies = run.journal.count_calls(run.record)
        raise UsageError(
            f"run {run.id} has no result yet ({replies} replies are kept); "
            "the command that started it goes on with it"
        )
    if json_output:
        click.echo(as_text(document))
        return
    later = "" if document["ratings"] else compared_later(run)
    print_result(
        document,
        another=_another(run, document),
        later=later,
        notes=list(run.left_out()),
        tables=partial(steadiness_tables, run),
    )


def print_listed(
    document: object,
    table: FitTable,
    csv: Sequence[Sequence[Cell]],
    *,
    json_output: bool,
    csv_output: bool,
) -> None:
    """Print a list of items: as a document, as comma-separated values, or for people."""
    if json_output:
        click.echo(as_text(document))
    elif csv_output:
        click.echo(csv_text(csv), nl=False)
    else:
        console.output.show(console.fitted.Fitted(table))


def compared_later(run: StoredRun) -> str:
    """Where the rating is of a run that others were compared with after its own result."""
    names = run.journal.compared_by(run.record)
    if not names:
        return ""
    board = bench("leaderboard", run.benchmark, demo=run.demo)
    return f"compared since by {listed(names, 3)}: {board} has the rating"


def _another(run: StoredRun, document: ResultDocument) -> str:
    """The command that asks another model the same; nothing where its benchmark is gone."""
    if is_imported(run.model):
        return ""
    try:
        benchmark = run.plugin
    except BenchError:  # it is not installed any more
        return ""
    judge, known = judge_words(judge_in(document), run.addresses), run.addresses
    pack = pack_of(document, run.settings.get("dataset"))
    return another_run(document, benchmark, run.settings, dataset=pack, judge=judge, known=known)


def _show_item(run: StoredRun, item: str, *, json_output: bool, full: bool) -> None:
    record = run.item(item)
    if json_output:
        click.echo(as_text(record))
        return

    views = run.transcript_views(record)
    console.output.show(console.transcripts.item(record, full=full, views=views))
