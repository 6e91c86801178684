"""What a board says of two runs that are both on it."""

from collections.abc import Sequence

from ..errors import BenchError
from ..journal import RunRecord
from ..parties.graders import Grader
from ..reports.statements import OnBoard
from .board_reader import read_leaderboard
from .boards import Boards, graded_by


def pair_on_board(boards: Boards, pair: Sequence[RunRecord], grader: Grader) -> OnBoard | None:
    """Whether the board of a grader tells two runs apart.

    ``None`` where they are not both on one board that can be read, as when another run of a model
    stands for it, or where the board has no model but these.
    """
    benchmark = boards.benchmark
    with boards.journal.ahead(boards.runs):
        fitting = [
            board
            for board in boards.with_runs()
            if board.judge == boards.judges.first(grader.judge)
            and board.graded == graded_by(benchmark, grader.options)
            and all(board.takes(run, benchmark) for run in pair)
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
