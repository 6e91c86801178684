"""`bench judge-report`: what comparisons say of the judge that made them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import auditing, console, ratings
from ..compare.judge_record import read_judge
from ..journal import Journal
from ..plugins import installed
from ..text import as_text
from . import options
from .command import Command
from .rate import check_source
from .settings import config_option
from .stored import as_given

if TYPE_CHECKING:
    from ..auditing.audit import JudgeAudit


@click.command("judge-report", cls=Command)
@click.argument("comparisons", required=False, type=click.Path(path_type=Path))
@options.option("--benchmark", metavar="NAME",
                help="Audit a judge of the journal's comparisons, instead of a file.")  # fmt: skip
@options.option("--dataset", metavar="NAME|SHA",
                help="Of the journal's, those on this pack.")  # fmt: skip
@click.option("--judge", metavar="NAME", help="Which judge, where there are several.")
@click.option("--dedupe", is_flag=True, help="Ignore exact duplicates.")
@options.without_option
@options.demo_option
@options.runs_dir_option
@options.json_option
@config_option
def judge_report_command(
    comparisons: Path | None,
    benchmark: str | None,
    dataset: str | None,
    judge: str | None,
    dedupe: bool,
    without: tuple[str, ...],
    demo: bool,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Audit a judge on its comparisons: of a file, or of the journal.

    Order flips, position and length bias, unread replies, criteria, scenarios, cycles, and how
    ranks hang on one family or one opponent. docs/judge-report.md says how to read it.
    """
    dataset, judge = as_given("dataset", dataset), as_given("judge", judge)
    check_source(comparisons, benchmark, dataset=dataset, dedupe=dedupe)
    who: dict[str, Any] = {"mixed": demo, "without": without}
    if comparisons is not None:
        document = _of_file(comparisons, dedupe=dedupe, judge=judge, **who)
    else:
        choice = {"dataset": dataset, "judge": judge, **who}
        document = _of_journal(str(benchmark), choice, runs_dir)
    if json_output:
        click.echo(as_text(document))
        return

    console.output.show(console.judge_report.judge_report(document))


def _of_file(path: Path, *, dedupe: bool, judge: str | None, **who: Any) -> dict[str, Any]:
    there = ratings.reading.read_comparisons(path, dedupe=dedupe, judge=judge, by_criterion=True)
    given = ratings.parting.part(there, **who)
    return _document(auditing.audit.audit(given), ratings.parting.has_demo(given), file=str(path))


def _of_journal(name: str, choice: Mapping[str, Any], runs_dir: Path) -> dict[str, Any]:
    chosen = installed().benchmark(name)
    with Journal(runs_dir, create=False) as journal:
        found = read_judge(journal, installed(), chosen, **choice)
    made, board = auditing.audit.audit(found.comparisons, found.asking, found.ratings), found.board
    pack = {"name": board.pack_name, "sha256": board.pack_sha256}
    return _document(made, found.demo, benchmark=name, dataset=pack)


def _document(made: "JudgeAudit", demo: bool, **source: Any) -> dict[str, Any]:
    """The audit with where it comes from, and whether a demo model is in it."""
    known = {"file": None, "benchmark": None, "dataset": None, **source}
    document = {"source": known, "demo": demo, **made.as_json()}
    for row in document["stability"]["models"]:
        row["demo"] = demo
    return document
