"""Of several runs of a model the one that counts, for rating and scores alike.

It is the one whose comparisons are rated, else the newest whole one, else the newest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..benchmark import Benchmark, Pack
from ..errors import BenchError, DataError
from ..journal import Journal, RunRecord
from ..plugins import Catalogue
from ..reports.comparability import not_sent, told_changes
from ..reports.document import build_document
from ..reports.evidence import Evidence, read_evidence
from ..types import digest
from .boards import Board
from .config import RunConfig, grader
from .rescoring import begun_by, config_of, judge_endpoint, pack_of


@dataclass
class CountedRuns:
    """Reads the results of one board's runs: of each model that of the run that counts.

    Attributes:
        pack: The board's; ``None`` while none could be read.
        config: Of the run that was added last; ``None`` while there is none.
        documents: The result of each model by its name, once they are read.
        runs: The run of each model; some were only compared and have no scored result.
        changed: How the run of a model was asked otherwise than the pack says.
        warnings: One line each.
        error: Why the data of a run could not be read.
    """

    journal: Journal
    catalogue: Catalogue
    benchmark: Benchmark
    board: Board
    pack: Pack | None = None
    config: RunConfig | None = None
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: dict[str, RunRecord] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    error: BenchError | None = None
    _candidates: dict[str, list[RunRecord]] = field(default_factory=dict)

    def add(self, run: RunRecord) -> None:
        """Consider a run, if it was graded as this board's are."""
        if run.benchmark_version != self.benchmark.version:
            self.warnings.append(
                f"run {run.run_id} ({run.name}) is of version {run.benchmark_version} of the "
                f"benchmark and left out; this is version {self.benchmark.version}"
            )
            return
        graders = self.journal.graders(run)
        if self.board.judge not in {g.graded_by.get("judge") for g in graders}:
            return
        config = self._config(run)
        try:
            self.pack = self.pack or pack_of(run, config)
        except DataError as error:
            self.error = error
            return
        self.config = config
        self._candidates.setdefault(run.name, []).append(run)

    def read(self, pack: Pack, compared: Mapping[str, str]) -> None:
        """Read for each model the run that counts.

        Args:
            pack: The board's.
            compared: The runs whose comparisons are rated, by the model's name. One that is not
                here leaves its model without a score: that of another run is not its own.
        """
        for run_id in compared.values():
            if run := self.journal.find_run(run_id):
                self._take(pack, run)
        for name, runs in self._candidates.items():
            if name not in compared:
                self._take_newest(pack, runs)

    def _take_newest(self, pack: Pack, runs: Sequence[RunRecord]) -> None:
        """Take the newest whole run that this board's grader has scored, else the newest."""
        latest_first = runs[::-1]
        for run in latest_first:
            self._take(pack, run)
            document = self.documents.get(run.name)
            if document and _is_asked(document):
                return
            self._forget(run.name)
        scored = (run for run in latest_first if self._is_scored(run))
        self._take(pack, next(scored, latest_first[0]))

    def _take(self, pack: Pack, run: RunRecord) -> None:
        config = self._config(run)
        known_as, selection = digest(grader(config)), begun_by(self.journal, run, pack)
        evidence = read_evidence(self.journal, run, known_as, selection, judge=self.board.judge)
        self.runs[run.name] = run
        if changed := _changed(config, evidence):
            self.changed[run.name] = changed
        if self._is_scored(run):
            self.documents[run.name] = build_document(run, config, pack, selection, evidence)

    def _forget(self, name: str) -> None:
        for of_runs in (self.runs, self.changed, self.documents):
            of_runs.pop(name, None)

    def _is_scored(self, run: RunRecord) -> bool:
        """Whether this board's grader has graded it; it may only have been compared."""
        return digest(grader(self._config(run))) in {g.digest for g in self.journal.graders(run)}

    def _config(self, run: RunRecord) -> RunConfig:
        """The run's configuration with this board's judge and the default reader options."""
        judge = judge_endpoint(self.board.judge) if self.board.judge else None
        defaults = {o.name: o.default for o in self.benchmark.options if o.in_grades}
        return config_of(self.journal, run, self.catalogue, defaults, None, judge=judge)


def _changed(config: RunConfig, evidence: Evidence) -> str | None:
    """How a run was asked otherwise than its pack says."""
    spent = evidence.spent
    return told_changes(config, not_sent(config, spent), cut_off=bool(spent.truncated))


def _is_asked(document: Mapping[str, Any]) -> bool:
    """Whether each item of the pack was asked in each iteration, and none is to do."""
    items = document["items"]
    total = document["dataset"]["n_items"] * document["iterations"]
    return bool(items["total"] == total and not items["pending"])
