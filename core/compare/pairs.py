"""Two stored runs compared: by one grader of both, and by what a board of both says of them."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..benchmark import Pack
from ..errors import BenchError, UsageError
from ..journal import RunRecord
from ..parties.graders import Grader, Judge
from ..reports.choosing import chosen, own_judge, refuse_unlike, same_grader
from ..reports.comparing import RunComparison, compare
from ..reports.graded import GradedSamples, Key
from ..reports.kin import KinRule, graded_without_kin
from ..reports.otherwise import AskedOtherwise, behind
from ..reports.pairing import Compared
from ..reports.statements import OnBoard, PairStatement, pair_statement
from ..reports.suggestions import bench
from ..runs.asked_runs import AskedRuns
from ..runs.differences import changed
from ..runs.stored_run import StoredRun
from .board_reader import read_leaderboard
from .boards import Boards, graded_by


class ComparedPair(NamedTuple):
    """What two runs come to; `kin` says how judges of their families were kept from deciding."""

    document: RunComparison
    on_board: OnBoard | None
    kin: KinRule | None = None

    @property
    def statement(self) -> PairStatement:
        """The same in a sentence."""
        return pair_statement(self.document, self.on_board)


class GradersChoice(NamedTuple):
    """Which grades of two runs are set against each other: by default those of their own results.

    Attributes:
        judge: Whose.
        values: Grading options, as texts.
        exclude_kin: Leave out judges of a model's family.
        samples: Only these of the first run; all of them where there is none.
    """

    judge: Judge | str | None = None
    values: Mapping[str, str] = {}
    exclude_kin: bool = False
    samples: Collection[Key] = ()


OWN_GRADES = GradersChoice()


def compare_runs(
    two: Sequence[StoredRun], choice: GradersChoice = OWN_GRADES, dataset: str | None = None
) -> ComparedPair:
    """Two runs of a journal compared, the data at `dataset` where it was moved.

    Raises:
        BenchError: They cannot be compared.
    """
    first, other = two
    pack, both = graded_pair(two, choice, dataset)
    benchmark, kin, journal = first.plugin, None, first.journal
    if choice.exclude_kin:
        kin, both = graded_without_kin(benchmark, both)
    document = compare(
        Compared(benchmark, pack, *both), changed(journal, first.record, other.record)
    )
    if judge := both[0].grader.judge:
        document = document._replace(judge=first.called(judge))
    boards = Boards(journal, first.catalogue, benchmark)
    on_board = pair_on_board(boards, [run.record for run in two], both[0].grader)
    return ComparedPair(document, on_board, kin)


def graded_pair(
    two: Sequence[StoredRun],
    choice: GradersChoice = OWN_GRADES,
    dataset: str | None = None,
) -> tuple[Pack, list[GradedSamples]]:
    """The pack of two runs, and the samples of each by the one grader that is meant.

    Raises:
        BenchError: They cannot be compared.
    """
    refuse_unlike([run.record for run in two])
    by = choice.judge or own_judge(run.document for run in two)
    pair = same_grader(
        *(chosen(r.record, r.graders(), choice.values, by, r.journal.addresses()) for r in two)
    )
    _refuse_asked_otherwise(two, pair.first.judge)
    pack = two[0].pack_by(pair.first, dataset)
    first, other = (r.graded(grader, pack.clusters) for r, grader in zip(two, pair, strict=True))
    return pack, [first.among(choice.samples), other]


def _refuse_asked_otherwise(two: Sequence[StoredRun], judge: Judge | None) -> None:
    """Refuse two runs of which one asked its judge, or a role, otherwise than the other.

    Raises:
        UsageError: They are; the message says who was, and in which run.
    """
    runs = AskedRuns(two[0].journal)
    one, other = (AskedOtherwise((), runs.judge(run.id, judge), runs.roles(run.id)) for run in two)
    if one == other:
        return
    asked = (
        f"{who} was asked {behind(changes)} in run {run.id}"
        for run, of_run in zip(two, (one, other), strict=True)
        for who, changes in of_run.by_name()
    )
    message = f"runs {two[0].id} and {two[1].id} cannot be compared: {', '.join(asked)}"
    todo = f"{bench('rejudge', 'RUN', '--judge', 'SPEC')} on both has them judged alike"
    raise UsageError(f"{message}; {todo}" if one.judges != other.judges else message)


def pair_on_board(boards: Boards, pair: Sequence[RunRecord], grader: Grader) -> OnBoard | None:
    """Whether the board of a grader tells two runs apart.

    ``None`` where they are not both on one board that can be read, as when another run of a model
    stands for it, or where the board has no model but these; and of a run beside itself.
    """
    if len({run.run_id for run in pair}) < len(pair):
        return None
    benchmark = boards.benchmark
    with boards.journal.ahead(boards.runs):
        fitting = [
            board
            for board in boards.with_runs()
            if board.judge == grader.judge
            and board.graded == graded_by(benchmark, grader.options)
            and all(boards.takes(board, run) for run in pair)
            and all(boards.kinds(run).keys() & {board.kind} for run in pair)
        ]
    for board in fitting:
        try:
            read = read_leaderboard(boards, board=board)
        except BenchError:
            continue
        rows = read.rows()
        on_board = [row for run in pair for row in rows if row["run_id"] == run.run_id]
        if len(on_board) == len(pair) and len(rows) > len(pair):
            apart = read.told_apart(on_board[0]["model"], on_board[1]["model"])
            rated = on_board[0]["rating"] is not None
            label = read.as_json()["metric"]["label"]
            return OnBoard(len(rows), "rating" if rated else label, apart)
    return None
