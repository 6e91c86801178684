"""How a board's ranking hangs on who judges, where several judges have graded its runs."""

from collections import Counter
from collections.abc import Sequence

from ..errors import UsageError
from ..parties.graders import Panel
from ..parties.party import Party
from ..reports.judges import JudgesDocument, study, study_ratings
from .board_results import BoardResults
from .leaderboard import Leaderboard


def read_robustness(board: Leaderboard, results: BoardResults) -> list[JudgesDocument]:
    """A study by scores, then one by ratings; nothing where there is one judge.

    Of a panel its judges count, else those that have graded at least half of the models.
    """
    graded = Counter(judge for run in board.runs.values() for judge in results.judges_of(run))
    panel = board.board.judge if isinstance(board.board.judge, Panel) else None
    eligible = panel.judges if panel else list(graded)
    judges = [j for j, n in graded.items() if j in eligible and 2 * n >= len(board.runs)]
    ratings = {j: board.by_judge[j.label] for j in eligible if j.label in board.by_judge}
    studies = [study_ratings(board.runs, ratings)]
    if len(judges) > 1:
        studies.insert(0, _of_scores(board, results, judges))
    return [each for each in studies if each]


def _of_scores(
    board: Leaderboard, results: BoardResults, judges: Sequence[Party]
) -> JudgesDocument | None:
    runs = list(board.runs.values())
    clusters = {item.id: item.cluster for item in board.pack.items}
    with results.boards.journal.ahead(runs):
        models = [results.boards.stored(run).judged(clusters, judges) for run in runs]
    try:
        return study(board.benchmark, [model for model in models if model.by_judge], judges)
    except UsageError:  # no sample that all of them could read
        return None
