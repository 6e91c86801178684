"""What a board says of two runs that are both on it."""

from collections.abc import Sequence

from ..errors import BenchError
from ..journal import RunRecord
from ..parties.graders import Grader
from ..reports.statements import OnBoard
from .board import graded_by
from .boards import Boards
from .leaderboard import read_leaderboard


def pair_on_board(boards: Boards, pair: Sequence[RunRecord], grader: Grader) -> OnBoard | None:
    """Whether the board tells two runs apart.

    Args:
        boards: All of their benchmark.
        pair: The two.
        grader: By which they are compared, so whose board and with which options.

    Returns:
        ``None`` where they are not both on one board that can be read, as when another run of a
        model stands for it, or where the board has no model but these.
    """
    benchmark = boards.benchmark
    with boards.journal.ahead(boards.runs):
        fitting = [
            board
            for board in boards.found()
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
        found = [row for run in pair for row in rows if row["run_id"] == run.run_id]
        if len(found) == len(pair) and len(rows) > len(pair):
            apart = read.told_apart(found[0]["model"], found[1]["model"])
            rated = found[0]["rating"] is not None
            label = read.as_json()["metric"]["label"]
            return OnBoard(len(rows), "rating" if rated else label, apart)
    return None
