"""`bench compare`: two runs side by side, their paired differences, and both texts of an item."""

from collections.abc import Sequence
from pathlib import Path

import click

from .. import console
from ..compare.pairs import ComparedPair, GradersChoice, compare_runs
from ..errors import BenchError, UsageError
from ..reports.comparing import items_csv, items_table
from ..reports.suggestions import bench, with_options
from ..runs.selectors import place_of
from ..runs.stored_run import StoredRun
from ..text import as_text, line
from . import options
from .command import command, named_anywhere
from .options import run_ids
from .selectors import (
    find_alike,
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
@click.argument("runs", metavar="[BENCHMARK] RUN_A RUN_B [ITEM]", nargs=-1, shell_complete=run_ids)
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

    A model means its newest run of a benchmark that both have; of several benchmarks each is a
    line. With ITEM, what both said about it is shown. The difference A - B over the samples that
    both runs have; the criteria that surely differ; what else is not the same; the items won and
    lost most; last, which is better, if that can be told, and what the board of both says. Runs on
    different packs, or graded by different judges, are refused with the command that makes them
    alike.
    """
    if csv_output and not items:
        raise UsageError("--csv is for --items")
    by = selector()
    words, item = _named(runs, by.models)
    alone = item is not None or items or json_output or options.wants_details()
    with open_runs(runs_dir, *words) as stored:
        *others, two = find_alike(stored, words, by._replace(models=()), each=not alone)
        if item is not None:
            if items:
                raise UsageError("ITEM and --items are for one at a time")
            _show_item(two, item, full=full, json_output=json_output)
            return
        choice = GradersChoice(by.judge, pairs(changes, "--set"), exclude_kin)
        if others and not alone:
            _show_each([*others, two], choice, place_of(by.dataset))
            return
        pair = compare_runs(two, choice, place_of(by.dataset))
    if items:
        document = pair.document
        table, csv = items_table(document), items_csv(document)
        print_listed(document, table, csv, json_output=json_output, csv_output=csv_output)
        return
    _print(pair, json_output=json_output)


def _show_each(
    each: Sequence[Sequence[StoredRun]], choice: GradersChoice, dataset: str | None
) -> None:
    """What two models come to in each benchmark that both have runs of, the newest last."""
    lines = list[str]()
    for two in each:
        try:
            statement = compare_runs(two, choice, dataset).statement.text
        except BenchError as error:
            statement = str(error)
        shown_by = bench("compare", *(run.id for run in two))
        lines.append(line(f"{two[0].benchmark}: {statement}  ({shown_by})"))
    for text in lines:
        click.echo(text)


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


def _named(words: Sequence[str], models: Sequence[str]) -> tuple[list[str], str | None]:
    """The words that mean the runs, those of --model last, and the item if there is one."""
    known = {one.name for one in named_anywhere(words, click.get_current_context())}
    benchmarks = [word for word in words if word in known]
    names = [word for word in words if word not in known]
    left = 2 - len(models)
    if not 0 <= left <= len(names) <= left + 1:
        message = "name two runs, by their ids or their models' names"
        raise UsageError(f"{message}; {bench('runs')} lists them")
    return [*benchmarks, *names[:left], *models], next(iter(names[left:]), None)


def _show_item(two: Sequence[StoredRun], item: str, *, full: bool, json_output: bool) -> None:
    """All that both runs said about an item, the one below the other."""
    records = [run.item(item) for run in two]
    if json_output:
        click.echo(as_text(dict(zip("ab", records, strict=True))))
        return

    views = [run.transcript_views(one) for run, one in zip(two, records, strict=True)]
    console.output.show(console.transcripts.both(records, full=full, views=views))
