"""The judge that a command audits: its comparisons of a file, or of the journal."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .. import ratings
from ..compare.boards import Boards
from ..compare.judge_record import read_judge
from ..compare.which_board import boards_beside
from ..ratings import auditing
from ..types import Json
from . import options
from .command import benchmark_called
from .rate import check_source, read_source
from .selectors import board_options, given_board, open_runs

if TYPE_CHECKING:
    from ..ratings.auditing.audit import JudgeAudit
    from ..reports.judges import JudgesDocument


class AuditedJudge(NamedTuple):
    """What comparisons say of the judge, or panel, that made them.

    Attributes:
        audit: All measures, and what they come to in words.
        robustness: What several judges of the same transcripts say, by scores and by ratings.
        other_boards: A line about the boards that could have been meant too, if there are any.
    """

    audit: "JudgeAudit"
    robustness: "Sequence[JudgesDocument]" = ()
    other_boards: str | None = None


audit_options = options.group(
    options.option("--benchmark", metavar="NAME",
                   help="Audit a judge of the journal's comparisons; as BENCHMARK."),
    board_options,
    options.demo_option,
    options.place_options,
)  # fmt: skip
"""The options of an `AuditCommand` that choose a judge; `chosen_audit` takes their values."""


def chosen_audit(
    source: str | None,
    benchmark: str | None,
    runs_dir: Path,
    **protocol: Json,
) -> AuditedJudge:
    """The audit of the judge that the `AuditCommand` under way is about.

    Args:
        source: A file of comparisons, or a benchmark of the journal.
        benchmark: The same benchmark, as an option.
        runs_dir: Where the journal is.
        **protocol: Those that choose a board.

    Raises:
        UsageError: No judge is meant, or several could be.
        DataError: The file is none of comparisons.
    """
    board = given_board()
    path, name = read_source(source, benchmark)
    check_source(path, name, dataset=board.dataset)
    if path is not None:
        read = ratings.reading.read_comparisons
        comparisons = board.part(read(path, judge=board.judge, by_criterion=True))
        demo = ratings.reading.has_demo(comparisons)
        of_file = auditing.audit.AuditSource(file=str(path))
        return AuditedJudge(auditing.audit.audit(comparisons, source=of_file, demo=demo))
    chosen = benchmark_called(str(name))
    with open_runs(runs_dir) as stored:
        boards = Boards(stored.journal, stored.catalogue, chosen)
        record = read_judge(boards, board.choice(chosen, protocol))
    read_board = record.board
    pack = auditing.audit.PackName(read_board.board.pack_name, read_board.board.pack_sha256)
    of_board = auditing.audit.AuditSource(benchmark=chosen.name, dataset=pack)
    parts = record.comparisons, record.asking, read_board.ratings
    audit = auditing.audit.audit(*parts, source=of_board, demo=read_board.demo)
    return AuditedJudge(audit, read_board.robustness, boards_beside(read_board.others))
