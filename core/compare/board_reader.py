"""Reading a board from the journal: which one, its runs, their ratings and results."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from ..benchmark import Options
from ..errors import UsageError
from ..parties.graders import Panel
from ..ratings.settings import AnchorSet
from ..reading.names import left_out_of
from ..reports.kin import KinRule
from ..runs.recorded import judged_by
from ..settings.rules import comparing_words
from ..types.result_document import MetricRow
from .board_results import BoardResults
from .boards import Board, Boards
from .comparison_pool import counting
from .contest import AskedSo, Contest
from .judge_exams import judge_exams
from .judge_robustness import read_robustness
from .leaderboard import Leaderboard
from .rating_summary import find_standing
from .reuse import reuse_comparisons
from .run_selection import CountedRuns
from .which_board import ANY_BOARD, OtherBoard, Wanted, choose_board


def read_leaderboard(
    boards: Boards,
    query: Wanted = ANY_BOARD,
    *,
    board: Board | None = None,
    engine: str | None = None,
    anchors: tuple[AnchorSet, ...] = (),
    options: Options | None = None,
    exclude_kin: bool = False,
    by_judge: bool = False,
) -> Leaderboard:
    """The board of a benchmark: the one that is given, else the one that `which_board` chooses.

    Args:
        boards: All of the benchmark.
        query: What is named of it, and which models count.
        board: Which one, where it is known.
        engine: The rating engine, if not the default.
        anchors: The user's, before the pack's.
        options: The benchmark's of ratings, if not its defaults.
        exclude_kin: Leave judges out that are kin; always where the panel was asked for so.
        by_judge: Of a panel that rated nobody, say what each judge alone comes to.

    Raises:
        UsageError: There is no such board; or kin are to be left out and it is no panel's, or
            nobody remains; or a model is to be left out that is not on it, or all are.
        DataError: The data of the runs is not where it was.
    """
    journal, benchmark = boards.journal, boards.benchmark
    with journal.caching() as computed:
        others: Sequence[OtherBoard] = ()
        if board is None:
            board, others = choose_board(boards, query)
        counted = CountedRuns(BoardResults(boards, board, computed))
        with journal.ahead(boards.runs):
            for run in boards.runs:
                counted.add(run)
        if counted.pack is None or counted.config is None:
            raise counted.error or UsageError(
                f"{benchmark.name} has no scored run on {board.options}"
            )
        met, typed = None, comparing_words(benchmark)
        if typed is not None:
            config = judged_by(counted.config, board.judge)
            if config.panel and exclude_kin:
                config = replace(config, panel=replace(config.panel, exclude_kin=True))
            asked = AskedSo(board.judge_asked, board.roles_asked)
            contest = Contest(journal, config, counted.pack, without=boards.without, asked=asked)
            asyncio.run(reuse_comparisons(contest))
            met = contest.met()
            met = None if typed and not met.rows else met
        names = dict.fromkeys([*(met.runs if met else ()), *counted.candidates])
        specs = {name: runs[-1].model for name, runs in counted.candidates.items()}
        left_out = left_out_of(names, query.without, query.models, specs)
        counted.without = left_out
        met = met and met.without(left_out)
        standing = met and find_standing(
            benchmark, counted.pack, met, anchors=anchors, engine=engine, options=options
        )
        counted.read(counted.pack, met.runs if met else {})
        if left_out and not (counted.runs or (standing and standing.ratings)):
            raise UsageError("--without leaves no model of the board")
        kin = _exclude_kin(counted, asked=exclude_kin)
        compared = counting(met) if met else None
        known = counted.pack, counted.documents, counted.runs, standing, counted.warnings, compared
        leaderboard = Leaderboard(
            board, benchmark, *known, counted.changed, scores=counted.scores, kin=kin, others=others
        )
        if not leaderboard.demo:
            leaderboard.judge_exams = judge_exams(journal, board.judge, benchmark.name)
        leaderboard.robustness = read_robustness(leaderboard, counted.results)
        if by_judge and isinstance(board.judge, Panel) and not leaderboard.ratings:
            leaderboard.judge_scores = _scores_by_judge(leaderboard, counted.results)
        return leaderboard


def _scores_by_judge(
    leaderboard: Leaderboard, results: BoardResults
) -> dict[str, dict[str, MetricRow]]:
    """The main metric of each model by each judge of the panel alone, by judge and model."""
    scores: dict[str, dict[str, MetricRow]] = {}
    for name in leaderboard.documents:
        run = leaderboard.runs[name]
        rows = results.by_each_judge(leaderboard.pack, run, leaderboard.metric)
        for judge, row in rows.items():
            scores.setdefault(judge, {})[name] = row
    return dict(sorted(scores.items()))


def _exclude_kin(counted: CountedRuns, *, asked: bool) -> KinRule | None:
    """Take the results of a board without judges that are kin, where that is wanted."""
    assert counted.config is not None and counted.pack is not None
    if not (asked or (counted.config.panel and counted.config.panel.exclude_kin)):
        return None
    scored = {name: counted.runs[name] for name in counted.documents}
    try:
        without = counted.results.without_kin(counted.pack, scored)
    except UsageError as error:
        if asked:
            raise
        counted.warnings.append(f"scores are by all judges, also by kin: {error}")
        return None
    counted.documents, counted.scores = without.documents, without.scores
    return without.rule
