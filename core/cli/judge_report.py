"""`bench judge-report`: what comparisons say of the judge that made them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import console, ratings
from ..compare.board_records import JudgeRecord, read_judge
from ..compare.boards import Boards
from ..compare.which_board import OtherBoard, boards_beside
from ..journal import Journal
from ..plugins import installed
from ..ratings import auditing
from ..text import as_text, line
from ..types import Json
from . import options
from .options import benchmarks_and_files
from .rate import check_source, read_source
from .selectors import AuditCommand, GivenBoard, board_options, given_board

if TYPE_CHECKING:
    from ..ratings.auditing.audit import JudgeAudit
    from ..reports.judges import JudgesDocument


_JUDGE_REPORT_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench judge-report comparisons.jsonl\n"
    "  bench judge-report eqbench3 --judge anthropic/NAME\n"
)


@click.command("judge-report", cls=AuditCommand, epilog=_JUDGE_REPORT_EXAMPLES)
@click.argument("source", metavar="[BENCHMARK|FILE]", required=False,
                shell_complete=benchmarks_and_files)  # fmt: skip
@options.option("--benchmark", metavar="NAME",
                help="Audit a judge of the journal's comparisons; as BENCHMARK.")  # fmt: skip
@board_options
@click.option("--dedupe", is_flag=True, help="Ignore exact duplicates.")
@options.place_options
@options.output_options
def judge_report_command(
    source: str | None,
    benchmark: str | None,
    dedupe: bool,
    runs_dir: Path,
    json_output: bool,
    **own: Json,
) -> None:
    """Audit a judge on its comparisons: of a file, or of the journal.

    Order flips, position and length bias, unread replies, criteria, scenarios, cycles, and how
    ranks hang on one family or one opponent. docs/judge-report.md says how to read it.
    """
    given = given_board()
    comparisons, benchmark = read_source(source, benchmark)
    check_source(comparisons, benchmark, dataset=given.dataset, dedupe=dedupe)
    judges: Sequence[JudgesDocument] = ()
    others: Sequence[OtherBoard] = ()
    if comparisons is not None:
        made = _of_file(comparisons, dedupe, given)
    else:
        chosen = installed().benchmark(str(benchmark))
        which = given.choice(chosen, own)
        with Journal(runs_dir, create=False) as journal:
            found = read_judge(Boards(journal, installed(), chosen), **which)
        made, judges, others = _audit(chosen.name, found), found.robustness, found.others
    if json_output:
        click.echo(as_text({**made._asdict(), **({"robustness": judges} if judges else {})}))
        return

    details = options.wants_details()
    console.output.show(console.judge_report.judge_report(made, judges, details=details))
    if message := boards_beside(others):
        console.output.show(line(message))


def _of_file(path: Path, dedupe: bool, board: GivenBoard) -> "JudgeAudit":
    read = ratings.reading.read_comparisons
    given = board.part(read(path, dedupe=dedupe, judge=board.judge, by_criterion=True))
    source = auditing.audit.AuditSource(file=str(path))
    return auditing.audit.audit(given, source=source, demo=ratings.reading.has_demo(given))


def _audit(name: str, found: JudgeRecord) -> "JudgeAudit":
    pack = auditing.audit.PackName(found.board.pack_name, found.board.pack_sha256)
    source = auditing.audit.AuditSource(benchmark=name, dataset=pack)
    parts = found.comparisons, found.asking, found.ratings
    return auditing.audit.audit(*parts, source=source, demo=found.demo)
