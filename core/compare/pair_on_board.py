"""What a board says of two runs that are both on it."""

from collections.abc import Sequence

from ..benchmark import Benchmark
from ..errors import BenchError
from ..journal import Journal, RunRecord
from ..parties.graders import Grader
from ..plugins import Catalogue
from ..reports.statements import OnBoard
from ..runs.finding import JUDGE, JudgeNames
from .board import boards_of, graded_by
from .leaderboard import read_leaderboard


def pair_on_board(
    journal: Journal,
    catalogue: Catalogue,
    benchmark: Benchmark,
    pair: Sequence[RunRecord],
    grader: Grader,
) -> OnBoard | None:
    """Whether the board tells two runs apart.

    Args:
        journal: Holds them.
        catalogue: Has the benchmark.
        benchmark: Theirs.
        pair: The two.
        grader: By which they are compared, so whose board and with which options.

    Returns:
        ``None`` where they are not both on one board that can be read, as when another run of a
        model stands for it, or where the board has no model but these.
    """
    runs = [run for run in journal.runs() if run.benchmark == benchmark.name]
    names = JudgeNames(journal.asked(role=JUDGE))
    with journal.ahead(runs):
        boards = boards_of(journal, benchmark, runs, names)
        fitting = [
            board
            for board in boards
            if board.judge == names.first(grader.judge)
            and board.graded == graded_by(benchmark, grader.options)
            and all(board.takes(run, benchmark) for run in pair)
        ]
    for board in fitting:
        try:
            read = read_leaderboard(journal, catalogue, benchmark, board=board)
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
