"""What the journal holds of a judge: its comparisons, and what its replies were like."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ..errors import UsageError
from ..ratings.auditing.asking import RE_ASKED, REPAIRED, Asking, Verdicts, read_asking
from ..ratings.comparisons import Comparisons
from ..reports.suggestions import bench
from ..settings.rules import comparing_words
from ..types.result_document import ResultDocument
from .board_reader import read_leaderboard
from .boards import Boards
from .comparison_pool import as_comparisons
from .leaderboard import Leaderboard
from .rating_summary import replies_of, settings_of
from .which_board import Wanted


class JudgeRecord(NamedTuple):
    """One judge on a board: its comparisons that were read, and what all its replies were like."""

    board: Leaderboard
    comparisons: Comparisons
    asking: Asking


def read_judge(boards: Boards, query: Wanted) -> JudgeRecord:
    """What a judge said about the newest run of each model.

    Raises:
        UsageError: There is no such board, or no comparison that was read.
    """
    benchmark = boards.benchmark
    if (typed := comparing_words(benchmark)) is None:
        raise UsageError(f"{benchmark.name} does not compare models, so no judge compared any")
    board = read_leaderboard(boards, query)
    rows = board.compared or []
    comparisons = as_comparisons(rows)
    if not comparisons:
        raise UsageError(
            f"no comparisons of {benchmark.name} on {board.board.options} that could be read; "
            f"{bench('run', benchmark.name, *typed)} on two models makes some"
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
