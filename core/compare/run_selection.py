"""Of several runs of a model the one that counts, for rating and scores alike.

It is the one whose comparisons are rated, else the newest whole one, else the newest.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ..benchmark import Benchmark, Pack
from ..errors import BenchError, DataError
from ..guard import guard
from ..hints import bench
from ..journal import Journal, RunRecord
from ..lookup.runs import JudgeNames
from ..lookup.stored_config import begun_by, config_of, pack_of
from ..plugins import Catalogue
from ..reports.comparability import not_sent, told_changes
from ..reports.document import build_document
from ..reports.evidence import Evidence, Selection, read_evidence
from ..result_document import ResultDocument
from ..settings.run_config import RunConfig, grader, judge_endpoint
from ..types import Baseline, canonical, digest
from .board import Board


@dataclass
class CountedRuns:
    """Reads the results of one board's runs: of each model that of the run that counts.

    Attributes:
        judges: Which labels mean one judge.
        without: Names of models that are left out.
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
    judges: JudgeNames
    without: Collection[str] = ()
    pack: Pack | None = None
    config: RunConfig | None = None
    documents: dict[str, ResultDocument] = field(default_factory=dict)
    runs: dict[str, RunRecord] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    error: BenchError | None = None
    _candidates: dict[str, list[RunRecord]] = field(default_factory=dict)
    _here: dict[str, RunRecord] = field(default_factory=dict)
    _known_baselines: dict[str, Mapping[str, Baseline]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Those of the models that were considered, also of those that are left out."""
        return list(self._candidates)

    def add(self, run: RunRecord) -> None:
        """Consider a run, if it was graded as this board's are."""
        self._here[run.run_id] = run
        if not self.board.takes(run):
            return
        if run.benchmark_version != self.benchmark.version:
            self.warnings.append(
                f"run {run.run_id} ({run.name}) is of version {run.benchmark_version} of the "
                f"benchmark and left out; this is version {self.benchmark.version}"
            )
            return
        labels = {g.graded_by.get("judge") for g in self.journal.graders(run)}
        if self.board.judge not in map(self.judges.first, labels):
            return
        if self._is_outdated(run):
            self.warnings.append(
                f"run {run.run_id} ({run.name}) was graded otherwise than it would be today "
                "(grading, judge prompts or judge sampling); its command, or "
                f"{bench('rescore', run.run_id)}, grades it anew"
            )
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
        chosen = [self._here[run_id] for run_id in compared.values() if run_id in self._here]
        several = [
            runs[::-1]
            for name, runs in self._candidates.items()
            if name not in compared and name not in self.without
        ]
        with self.journal.ahead(run for latest_first in several for run in latest_first):
            chosen += [self._newest(pack, latest_first) for latest_first in several]
        with self.journal.ahead(chosen):
            for run in chosen:
                self._take(pack, run)

    def _newest(self, pack: Pack, latest_first: Sequence[RunRecord]) -> RunRecord:
        """The newest whole run that this board's grader has scored, else the newest scored."""
        if len(latest_first) == 1:
            return latest_first[0]
        scored = [run for run in latest_first if self._is_scored(run)]
        whole = (run for run in scored if self._is_whole(pack, run))
        return next(whole, (scored or latest_first)[0])

    def _is_whole(self, pack: Pack, run: RunRecord) -> bool:
        """Whether each item of the pack was asked in each iteration, and none is to do."""
        asked, evidence = self._evidence(pack, run)
        done = len(evidence.scores) + len(evidence.failures)
        return done == len(pack.items) * asked.iterations

    def _evidence(self, pack: Pack, run: RunRecord) -> tuple[Selection, Evidence]:
        config, selection = self._config(run), begun_by(self.journal, run, pack)
        grader_digest = self._grader(run, config) or digest(grader(config))
        judge = config.judge.stored_label if config.judge else None
        return selection, read_evidence(self.journal, run, grader_digest, selection, judge=judge)

    def _take(self, pack: Pack, run: RunRecord) -> None:
        config, (selection, evidence) = self._config(run), self._evidence(pack, run)
        self.runs[run.name] = run
        if changed := _changed(config, evidence):
            self.changed[run.name] = changed
        if self._is_scored(run):
            about = (run, config, pack, selection, evidence)
            document = build_document(*about, baselines=self._baselines(pack, config))
            self.documents[run.name] = document

    def _baselines(self, pack: Pack, config: RunConfig) -> Mapping[str, Baseline]:
        """Those of the pack, which are the same for all runs with these options."""
        meant = canonical(dict(config.options))
        if meant not in self._known_baselines:
            found = guard(config.benchmark).baselines(pack, config.options)
            self._known_baselines[meant] = found
        return self._known_baselines[meant]

    def _is_scored(self, run: RunRecord) -> bool:
        """Whether this board's grader has graded it; it may only have been compared."""
        return self._grader(run, self._config(run)) is not None

    def _is_outdated(self, run: RunRecord) -> bool:
        """Whether this board's judge has graded it, with these options, but not as today."""
        config = self._config(run)
        facts = {name: grader(config)[name] for name in ("version", "judge", "options")}
        alike = (
            all(g.graded_by.get(name) == value for name, value in facts.items())
            for g in self.journal.graders(run)
        )
        return any(alike) and self._grader(run, config) is None

    def _grader(self, run: RunRecord, config: RunConfig) -> str | None:
        """What the run's grades are kept under; by `bench rescore` where that made more."""
        facts, there = grader(config), {g.digest: g.grades for g in self.journal.graders(run)}
        found = [d for d in (digest(facts), digest({**facts, "offline": True})) if d in there]
        return max(found, key=there.__getitem__, default=None)

    def _label(self, run: RunRecord) -> str | None:
        """The label by which the run knows this board's judge."""
        if self.board.judge is None:
            return None
        there = {g.graded_by.get("judge") for g in self.journal.graders(run)}
        labels = self.judges.all_of(self.board.judge)
        return next((label for label in labels if label in there), labels[0])

    def _config(self, run: RunRecord) -> RunConfig:
        """The run's configuration with this board's judge and the default reader options."""
        label = self._label(run)
        judge = judge_endpoint(label) if label else None
        defaults = {o.name: o.default for o in self.benchmark.options if o.in_grades}
        return config_of(self.journal, run, self.catalogue, defaults, None, judge=judge)


def _changed(config: RunConfig, evidence: Evidence) -> str | None:
    """How a run was asked otherwise than its pack says."""
    spent = evidence.spent
    return told_changes(config, not_sent(config, spent), cut_off=bool(spent.truncated))
