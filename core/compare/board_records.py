"""What else is read off a board: its judge's record, two runs on it, how its ratings came to be."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple, Unpack

from ..errors import BenchError, UsageError
from ..journal import RunRecord, StoredComparison
from ..parties.graders import Grader
from ..ratings.auditing.asking import RE_ASKED, REPAIRED, Asking, Verdicts, read_asking
from ..ratings.comparisons import Comparisons
from ..reports.statements import OnBoard
from ..reports.suggestions import bench
from ..types.result_document import ResultDocument
from .board_reader import BoardChoice, read_leaderboard
from .boards import Boards, graded_by
from .comparison_pool import as_comparisons
from .leaderboard import Leaderboard
from .rating_summary import ratings_from, replies_of, settings_of


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


STEPS = 8
"""The most that are rated."""
MOST = 6_000
"""Comparisons, beyond which rating them so often takes too long."""


class RatedStep(NamedTuple):
    """The ratings of the models that had joined when the last did, at the date of its run.

    They are shifted so that these models have, on average, their last rating, as a scale without
    anchors is centred anew with each model.
    """

    joined: str
    date: str
    ratings: Mapping[str, float]


def rating_history(board: Leaderboard) -> list[RatedStep]:
    """The ratings after each model, from the second on; of many models after some.

    Nothing where fewer than three models are rated, or there are more than 6,000 comparisons.
    """
    rows, last = board.compared or (), {row["model"]: row["rating"] for row in board.ratings}
    order = sorted((n for n in last if n in board.runs), key=lambda n: board.runs[n].created_at)
    if len(order) < 3 or len(rows) > MOST:
        return []
    steps = [_step(board, rows, order[:n], last) for n in _cuts(len(order))]
    return [step for step in steps if step.ratings]


def _cuts(models: int) -> list[int]:
    """How many models each step has: from two to all."""
    if models - 1 <= STEPS:
        return list(range(2, models + 1))
    return sorted({round(2 + (models - 2) * n / (STEPS - 1)) for n in range(STEPS)})


def _step(
    board: Leaderboard,
    rows: Sequence[StoredComparison],
    models: Sequence[str],
    last: Mapping[str, float],
) -> RatedStep:
    chosen = set(models)
    among = [row for row in rows if row.a in chosen and row.b in chosen]
    assert board.standing is not None
    engine = board.standing.details.get("engine", "")
    ratings = ratings_from(board.benchmark, board.pack, among, engine)
    shift = fmean(last[name] - rating for name, rating in ratings.items()) if ratings else 0.0
    shifted = {name: rating + shift for name, rating in ratings.items()}
    return RatedStep(models[-1], board.runs[models[-1]].created_at[:10], shifted)


class JudgeRecord(NamedTuple):
    """One judge on a board: its comparisons that were read, and what all its replies were like."""

    board: Leaderboard
    comparisons: Comparisons
    asking: Asking


def read_judge(boards: Boards, **choice: Unpack[BoardChoice]) -> JudgeRecord:
    """What a judge said about the newest run of each model.

    Raises:
        UsageError: There is no such board, or no comparison that was read.
    """
    benchmark, board = boards.benchmark, read_leaderboard(boards, **choice)
    rows = board.compared or []
    comparisons = as_comparisons(rows)
    if not comparisons:
        raise UsageError(
            f"no comparisons of {benchmark.name} on {board.board.options} that could be read; "
            f"{bench('run', benchmark.name)} on two models makes some"
        )
    asking = read_asking(replies_of(rows), _verdicts(board.documents.values()))
    weights = settings_of(benchmark, board.pack).item_weights
    weighed = [row._replace(weight=weights.get(row.item, 1.0)) for row in comparisons]
    return JudgeRecord(board, Comparisons.of(weighed, by_criterion=True), asking)


def _verdicts(documents: Iterable[ResultDocument]) -> Verdicts:
    """How the rubric's replies were read, over the results of all models."""
    documents = list(documents)
    flags = Counter[str]()
    for document in documents:
        flags.update(document["flags"])
    reasons = Counter(entry["reason"] for document in documents for entry in document["unscored"])
    scored = sum(document["items"]["scored"] for document in documents)
    return Verdicts(
        total=scored + reasons.total(),
        unscored=reasons.total(),
        re_asked=sum(flags[flag] for flag in RE_ASKED),
        repaired=flags[REPAIRED],
        reasons=dict(reasons.most_common()),
    )
