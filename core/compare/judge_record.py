"""What the journal holds of a judge: its comparisons, and what its replies were like."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Unpack

from ..errors import UsageError
from ..ratings.auditing.asking import RE_ASKED, REPAIRED, Asking, Verdicts, read_asking
from ..ratings.comparisons import Comparisons
from ..reports.hints import bench
from ..reports.judges import JudgesDocument
from ..types.result_document import RatingRow, ResultDocument
from .board import Board
from .boards import Boards
from .comparison_pool import as_comparisons
from .leaderboard import BoardChoice, read_leaderboard
from .rating_summary import replies_of, settings_of
from .which_board import OtherBoard


class JudgeRecord(NamedTuple):
    """One judge on one pack.

    Attributes:
        board: Which pack and judge.
        comparisons: Those that were read, with each criterion's margin.
        asking: What its replies were like, also those that could not be read.
        ratings: The board's, made of them.
        demo: Whether a demo model is among those compared.
        robustness: How the board's ranking hangs on who judges.
        others: The boards that could have been meant too.
    """

    board: Board
    comparisons: Comparisons
    asking: Asking
    ratings: Sequence[RatingRow]
    demo: bool
    robustness: Sequence[JudgesDocument] = ()
    others: Sequence[OtherBoard] = ()


def read_judge(boards: Boards, **choice: Unpack[BoardChoice]) -> JudgeRecord:
    """What a judge said about the newest run of each model.

    Args:
        boards: All of the benchmark whose transcripts were compared.
        **choice: As `read_leaderboard` takes it.

    Raises:
        UsageError: There is no such board, or no comparison that was read.
    """
    benchmark, found = boards.benchmark, read_leaderboard(boards, **choice)
    rows = found.compared or []
    given = as_comparisons(rows)
    if not given:
        raise UsageError(
            f"no comparisons of {benchmark.name} on {found.board.options} that could be read; "
            f"{bench('run', benchmark.name)} on two models makes some"
        )
    asking = read_asking(replies_of(rows), _verdicts(found.documents.values()))
    ratings = found.standing.ratings if found.standing else []
    weights = settings_of(benchmark, found.pack).item_weights
    weighed = [row._replace(weight=weights.get(row.item, 1.0)) for row in given]
    read = Comparisons.of(weighed, by_criterion=True)
    demo, others = found.demo, found.others
    return JudgeRecord(found.board, read, asking, ratings, demo, found.robustness, others)


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
