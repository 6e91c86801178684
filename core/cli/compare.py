"""`bench compare`: two runs side by side, their paired differences, and both texts of an item."""

from pathlib import Path

import click

from .. import console
from ..compare.pairs import ComparedPair, GradersChoice, compare_runs
from ..errors import UsageError
from ..reports.comparing import items_csv, items_table
from ..reports.suggestions import bench, with_options
from ..runs.run_set import RunSet
from ..runs.selectors import Selector, place_of
from ..runs.stored_run import StoredRun
from ..text import as_text, line
from . import options
from .command import command
from .options import run_ids
from .selectors import (
    find,
    grades_option,
    model_and_benchmark,
    open_runs,
    selector,
    stored_options,
)
from .settings import pairs
from .show import print_listed


@command(
    "compare",
    "bench compare 7a3c d239",
    "bench compare 7a3c d239 12",
    "bench compare openai/gpt-4.1 openai/gpt-4o --benchmark eqbench3 --dataset official",
)
@click.argument("runs", metavar="RUN_A RUN_B [ITEM]", nargs=-1, shell_complete=run_ids)
@options.flag("--items", help="List the items that both have, the largest difference first.")
@options.flag("--csv", "csv_output", help="Print --items as comma-separated values.")
@options.flag("--full", help="With ITEM, show messages as they were sent, to judges too.")
@model_and_benchmark
@grades_option("Whose grades, where several judges graded both.")
@options.kin_option
@options.details_option
@stored_options
def compare_command(
    runs: tuple[str, ...],
    items: bool,
    csv_output: bool,
    full: bool,
    changes: tuple[str, ...],
    runs_dir: Path,
    exclude_kin: bool,
    json_output: bool,
) -> None:
    """Compare two runs of a benchmark, sample by sample.

    Each is named by its id or its model's name, or by --model; with ITEM, what both said about it
    is shown. The difference A - B over the samples that both runs have; the criteria that surely
    differ; what else is not the same; the items won and lost most; last, which is better, if that
    can be told, and what the board of both says. Runs on different packs, or graded by different
    judges, are refused with the command that makes them alike.
    """
    if csv_output and not items:
        raise UsageError("--csv is for --items")
    by = selector()
    with open_runs(runs_dir, *runs[: 2 - len(by.models)]) as stored:
        two, item = _named(stored, runs, by)
        if item is not None:
            if items:
                raise UsageError("ITEM and --items are for one at a time")
            _show_item(two, item, full=full, json_output=json_output)
            return
        choice = GradersChoice(by.judge, pairs(changes, "--set"), exclude_kin)
        pair = compare_runs(two, choice, place_of(by.dataset))
    if items:
        document = pair.document
        table, csv = items_table(document), items_csv(document)
        print_listed(document, table, csv, json_output=json_output, csv_output=csv_output)
        return
    _print(pair, json_output=json_output)


def _print(pair: ComparedPair, *, json_output: bool) -> None:
    document, board, kin = pair
    statement = pair.statement.text
    if json_output:
        more = {"board": board, "statement": statement, **({"kin": kin} if kin else {})}
        click.echo(as_text({**document._asdict(), **more}))
        return

    if kin:
        click.echo(line(f"scores {kin.text}"))
    ids, whole = (document.a.run_id, document.b.run_id), ""
    if options.wants_details():
        parts = [console.screen.ScreenPart(console.differences.all_differences(document))]
    else:
        parts = console.differences.comparison(document, bench("compare", *ids, "ITEM"))
        whole = with_options("--details")
    console.screen.show(parts, console.short.bold(statement), whole)


_Named = tuple[list[StoredRun], str | None]


def _named(stored: RunSet, words: tuple[str, ...], chosen: Selector) -> _Named:
    """The two runs, those of --model after those that are named, and the item if there is one."""
    left = 2 - len(chosen.models)
    if not 0 <= left <= len(words) <= left + 1:
        message = "name two runs, by their ids or their models' names"
        raise UsageError(f"{message}; {bench('runs')} lists them")
    names = (*words[:left], *chosen.models)
    two = [find(stored, name, chosen._replace(models=())) for name in names]
    return two, next(iter(words[left:]), None)


def _show_item(two: list[StoredRun], item: str, *, full: bool, json_output: bool) -> None:
    """All that both runs said about an item, the one below the other."""
    records = [run.item(item) for run in two]
    if json_output:
        click.echo(as_text(dict(zip("ab", records, strict=True))))
        return

    views = [run.transcript_views(one) for run, one in zip(two, records, strict=True)]
    console.output.show(console.transcripts.both(records, full=full, views=views))
