"""Reading a board from the journal, and of several runs of a model the one that counts.

It is the one whose comparisons are rated, else the newest whole one, else the newest: for rating
and scores alike.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

from ..benchmark import Options, Pack
from ..errors import BenchError, DataError, UsageError
from ..guard import guard
from ..journal import RunRecord
from ..parties.graders import Judge, Panel
from ..parties.party import Party
from ..ratings.settings import AnchorSet
from ..reading.names import left_out_of
from ..reports.judges import JudgesDocument, study, study_ratings
from ..reports.kin import KinRule
from ..reports.score_ranks import ItemScores
from ..reports.suggestions import bench
from ..runs.finding import EligibleModels
from ..runs.recorded import judged_by
from ..settings.run_config import RunConfig
from ..types import JsonObject
from ..types.result_document import ResultDocument
from .board_results import BoardResults
from .boards import Board, Boards
from .comparison_pool import counting
from .contest import Contest
from .leaderboard import Leaderboard
from .rating_summary import find_standing
from .reuse import reuse_comparisons
from .which_board import OtherBoard, Wanted, choose_board


class BoardChoice(TypedDict, total=False):
    """Which board, and who on it, as `read_leaderboard` takes it."""

    dataset: str | None
    judge: Judge | str | None
    mixed: bool
    without: Collection[str]
    models: Collection[str]
    roles: Mapping[str, str] | None
    protocol: JsonObject


@dataclass
class CountedRuns:
    """Of one board's models each the run that counts, with its result; all by the model's name.

    `config` is that of the run that was added last. `error` says why the data of a run could not be
    read; `pack` is None while none could. Some runs were only compared and have no scored result.
    """

    results: BoardResults
    without: Collection[str] = ()
    pack: Pack | None = None
    config: RunConfig | None = None
    documents: dict[str, ResultDocument] = field(default_factory=dict)
    scores: dict[str, ItemScores | None] = field(default_factory=dict)
    runs: dict[str, RunRecord] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    error: BenchError | None = None
    candidates: dict[str, list[RunRecord]] = field(default_factory=dict)
    _here: dict[str, RunRecord] = field(default_factory=dict)

    def add(self, run: RunRecord) -> None:
        """Consider a run, if it was graded as this board's are."""
        self._here[run.run_id] = run
        benchmark, board = self.results.benchmark, self.results.board
        if not board.takes(run, benchmark):
            return
        if run.benchmark_version != benchmark.version:
            self.warnings.append(
                f"run {run.run_id} ({run.name}) is of version {run.benchmark_version} of the "
                f"benchmark and left out; this is version {benchmark.version}"
            )
            return
        if not self.results.is_judged(run):
            return
        if self.results.is_outdated(run):
            self.warnings.append(
                f"run {run.run_id} ({run.name}) was graded otherwise than it would be today "
                "(grading, judge prompts or judge sampling); its command, or "
                f"{bench('rescore', run.run_id)}, grades it anew"
            )
        config = self.results.config(run)
        if self.pack is None:
            try:
                self.pack = self.results.boards.stored(run).pack_of(config)
                self.results.read_by = config.options
            except DataError as error:
                self.error = error
                return
        self.config = config
        self.candidates.setdefault(run.name, []).append(run)

    def read(self, pack: Pack, compared: Mapping[str, str]) -> None:
        """Read for each model the run that counts.

        A run whose comparisons are rated and that is not here leaves its model without a score:
        that of another run is not its own.
        """
        chosen = [self._here[run_id] for run_id in compared.values() if run_id in self._here]
        several = [
            runs[::-1]
            for name, runs in self.candidates.items()
            if name not in compared and name not in self.without
        ]
        journal = self.results.boards.journal
        with journal.ahead(run for latest_first in several for run in latest_first):
            chosen += [self._newest(pack, latest_first) for latest_first in several]
        with journal.ahead(chosen):
            for run in chosen:
                self._take(pack, run)

    def _newest(self, pack: Pack, latest_first: Sequence[RunRecord]) -> RunRecord:
        """The newest whole run that this board's grader has scored, else the newest scored."""
        if len(latest_first) == 1:
            return latest_first[0]
        scored = [run for run in latest_first if self.results.is_scored(run)]
        whole = (run for run in scored if self.results.is_whole(pack, run))
        return next(whole, (scored or latest_first)[0])

    def _take(self, pack: Pack, run: RunRecord) -> None:
        document, changed, scores = self.results.result(pack, run)
        self.runs[run.name] = run
        if changed:
            self.changed[run.name] = changed
        if document is not None:
            self.documents[run.name] = document
            self.scores[run.name] = scores


def read_leaderboard(
    boards: Boards,
    *,
    board: Board | None = None,
    dataset: str | None = None,
    judge: Judge | str | None = None,
    engine: str | None = None,
    anchors: tuple[AnchorSet, ...] = (),
    mixed: bool = False,
    without: Collection[str] = (),
    models: Collection[str] = (),
    roles: Mapping[str, str] | None = None,
    protocol: JsonObject | None = None,
    options: Options | None = None,
    exclude_kin: bool = False,
    additive: bool = False,
) -> Leaderboard:
    """The board of a benchmark: the one that is given, else the one that `which_board` chooses.

    Args:
        boards: All of the benchmark.
        board: Which one, where it is known.
        dataset: A pack's name, or the beginning of its SHA-256; any where none is named.
        judge: A judge or what it goes by, likewise.
        engine: The rating engine, if not the default.
        anchors: The user's, before the pack's.
        mixed: Let demo and real models stand on one board.
        without: Names of models that are left out before anything is rated.
        models: The only ones that are not; all where none is named.
        roles: Who plays roles, by role, likewise.
        protocol: Values of the benchmark's options that keep boards apart, likewise.
        options: The benchmark's of ratings, if not its defaults.
        exclude_kin: Leave judges out that are kin; always where the panel was asked for so.
        additive: Likewise, with each judge's strictness taken out.

    Raises:
        UsageError: There is no such board; or kin are to be left out and it is no panel's, or
            nobody remains; or a model is to be left out that is not on it, or all are.
        DataError: The data of the runs is not where it was.
    """
    journal, benchmark = boards.journal, boards.benchmark
    with journal.caching() as computed:
        named = Wanted(dataset, judge, (), roles or {}, protocol or {})
        others: Sequence[OtherBoard] = ()
        if board is None:
            board, others = choose_board(boards, named, mixed=mixed)
        counted = CountedRuns(BoardResults(boards, board, computed))
        with journal.ahead(boards.runs):
            for run in boards.runs:
                counted.add(run)
        if counted.pack is None or counted.config is None:
            raise counted.error or UsageError(
                f"{benchmark.name} has no scored run on {board.options}"
            )
        met = None
        if guard(benchmark).compares({o.name: o.default for o in benchmark.options}):
            config = judged_by(counted.config, board.judge)
            if config.panel and exclude_kin:
                config = replace(config, panel=replace(config.panel, exclude_kin=True))
            contest = Contest(journal, config, counted.pack, eligible=EligibleModels(board.demo))
            asyncio.run(reuse_comparisons(contest))
            met = contest.met()
        names = dict.fromkeys([*(met.runs if met else ()), *counted.candidates])
        left_out = counted.without = left_out_of(names, without, models)
        met = met and met.without(left_out)
        standing = met and find_standing(
            benchmark, counted.pack, met, anchors=anchors, engine=engine, options=options
        )
        counted.read(counted.pack, met.runs if met else {})
        if left_out and not (counted.runs or (standing and standing.ratings)):
            raise UsageError("--without leaves no model of the board")
        kin = _exclude_kin(counted, asked=exclude_kin, additive=additive)
        compared = counting(met) if met else None
        known = (
            counted.pack,
            counted.documents,
            counted.runs,
            standing,
            counted.warnings,
            compared,
        )
        leaderboard = Leaderboard(
            board, benchmark, *known, counted.changed, scores=counted.scores, kin=kin, others=others
        )
        leaderboard.robustness = read_robustness(leaderboard, counted.results)
        return leaderboard


def _exclude_kin(counted: CountedRuns, *, asked: bool, additive: bool) -> KinRule | None:
    """Take the results of a board without judges that are kin, where that is wanted."""
    assert counted.config is not None and counted.pack is not None
    if not (asked or (counted.config.panel and counted.config.panel.exclude_kin)):
        return None
    scored = {name: counted.runs[name] for name in counted.documents}
    try:
        without = counted.results.without_kin(counted.pack, scored, additive=additive)
    except UsageError as error:
        if asked:
            raise
        counted.warnings.append(f"scores are by all judges, also by kin: {error}")
        return None
    counted.documents, counted.scores = without.documents, without.scores
    return without.rule


def read_robustness(board: Leaderboard, results: BoardResults) -> list[JudgesDocument]:
    """By scores, then by ratings; nothing where there is one judge.

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
