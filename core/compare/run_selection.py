"""Of several runs of a model the one that counts, for rating and scores alike.

It is the one whose comparisons are rated, else the newest whole one, else the newest.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ..benchmark import Pack
from ..errors import BenchError, DataError
from ..journal import RunRecord
from ..reports.score_ranks import ItemScores
from ..reports.suggestions import bench
from ..runs.words import model_names, model_of
from ..settings.run_config import RunConfig
from ..types.result_document import ResultDocument
from .board_results import BoardResults

NAMESAKES = "is the name of several models"
"""In the warning of two models of one name."""


@dataclass
class CountedRuns:
    """Of one board's models each the run that counts, with its result; all by the model's name.

    Attributes:
        without: Names of models that are left out.
        pack: The board's; None while that of no run could be read.
        config: That of the run that was added last; None while there is none.
        runs: Some were only compared: of these there is no document.
        changed: How a run was asked otherwise than its pack says.
        error: Why the data of a run could not be read.
        candidates: The runs among which one counts, in their order.
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
        if not self.results.boards.takes(board, run):
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
        for name, runs in self.candidates.items():
            models = {model_of(run): run.run_id for run in runs}
            if len(models) > 1 and name not in self.without:
                called = model_names(runs)
                which = ", ".join(f"{called[i]} (run {i})" for i in models.values())
                message = f"{name} {NAMESAKES}, of which one run counts: {which}"
                self.warnings.append(f"{message}; a --name of its own tells each apart")
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
