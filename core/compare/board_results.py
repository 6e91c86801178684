"""The results of one board's runs: of its judge, read with its options.

What was computed before is taken from the journal's cache, where neither the run's rows, nor how
they are read, nor any code (`code_digest`) has changed since.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..benchmark import Benchmark, Options, Pack
from ..benchmark.options import option_words
from ..clients.families import stated
from ..errors import UsageError
from ..guard import guard
from ..journal import CachedResult, RunRecord
from ..parties.graders import Grader
from ..parties.party import Party
from ..plugins.code_digest import code_digest
from ..reports.comparability import otherwise_of, told_changes
from ..reports.document import build_document
from ..reports.evidence import RunData, Selection
from ..reports.judge_replies import short_panel
from ..reports.kin import KinRule, without_kin
from ..reports.score_ranks import ItemScores, item_scores
from ..settings.run_config import RunConfig, grader, graders_of
from ..types import Baseline, canonical, digest
from ..types.result_document import MetricRow, ResultDocument
from .boards import Board, Boards, unusual


class BoardResult(NamedTuple):
    """What a board shows of one run.

    The result, how it was asked otherwise than its pack says, and the scores of its items in the
    metric that the board ranks by; ``None`` where there are none, as of one that was only compared.
    """

    document: ResultDocument | None
    changed: str | None
    scores: ItemScores | None


NO_PANEL = "choose the board of one, such as --judge mean"


class BoardWithoutKin(NamedTuple):
    """The results of a panel's board without the judges that are kin of its models."""

    rule: KinRule
    documents: dict[str, ResultDocument]
    scores: dict[str, ItemScores | None]


class _Reading(NamedTuple):
    """How a run's grades are read: its configuration with this board's judge and readers' options.

    `today` is how its samples are graded today; `grader` is that, or the same offline, ``None``
    where it has graded nothing.
    """

    config: RunConfig
    today: Grader
    grader: Grader | None
    graders: Sequence[Grader]


class _Samples(NamedTuple):
    """Samples of a run, and what is known of them."""

    selection: Selection
    evidence: RunData


@dataclass
class BoardResults:
    """Reads the results of one board's runs.

    `computed` has what was not cached, by the run's number; `read_by` are the options with which
    the board's pack was read.
    """

    boards: Boards
    board: Board
    computed: dict[int, CachedResult]
    read_by: Options = field(default_factory=dict)
    _readings: dict[int, _Reading] = field(default_factory=dict)
    _today: dict[object, Grader] = field(default_factory=dict)
    _baselines: dict[str, Mapping[str, Baseline]] = field(default_factory=dict)

    @property
    def benchmark(self) -> Benchmark:
        """Whose board it is."""
        return self.boards.benchmark

    def result(self, pack: Pack, run: RunRecord) -> BoardResult:
        """A run's result."""
        if known := self._cached(pack, run):
            return known
        samples = self._samples(pack, run)
        result = BoardResult(None, _changed(self.config(run), samples.evidence), None)
        if self.is_scored(run):
            document, scores = self._built(pack, run, samples)
            result = result._replace(document=document, scores=scores)
        if key := self._key(pack, run):
            self.computed[run.n] = CachedResult(key, result._asdict())
        return result

    def _built(
        self, pack: Pack, run: RunRecord, samples: _Samples
    ) -> tuple[ResultDocument, ItemScores | None]:
        """A result, and the scores of its items."""
        # What each judge says alone is shown of a run, and not of all on a board.
        config, evidence = self.config(run), replace(samples.evidence, by_judge={})
        benchmark, scores = config.benchmark, evidence.scores
        summary = guard(benchmark).summarise(pack, scores, config.options)
        document = build_document(
            run,
            config,
            pack,
            samples.selection,
            evidence,
            summary=summary,
            baselines=self._baselines_of(pack, config),
        )
        return document, item_scores(benchmark, pack, scores, config.options, summary)

    def without_kin(self, pack: Pack, runs: Mapping[str, RunRecord]) -> BoardWithoutKin:
        """The results of a panel's runs, by their models' names, without judges that are kin.

        Raises:
            UsageError: The board is not a panel's, or too few judges are no kin.
        """
        panel = next((self.config(run).panel for run in runs.values()), None)
        if panel is None:
            raise UsageError(f"kin are left out of panels; {NO_PANEL}")
        read = {name: self._samples(pack, run) for name, run in runs.items()}
        models = {name: run.party.spec for name, run in runs.items()}
        verdicts = {name: samples.evidence.by_judge for name, samples in read.items()}
        rule, scores = without_kin(self.benchmark, panel, models, verdicts)
        results = BoardWithoutKin(rule, {}, {})
        for name, run in runs.items():
            evidence = replace(read[name].evidence, scores=scores[name])
            built = self._built(pack, run, read[name]._replace(evidence=evidence))
            results.documents[name], results.scores[name] = built
        return results

    def by_each_judge(self, pack: Pack, run: RunRecord, metric: str) -> dict[str, MetricRow]:
        """A metric of a panel's run by each of its judges alone, by the judge's label."""
        samples, config = self._samples(pack, run), self.config(run)
        summarise = guard(config.benchmark).summarise
        rows = {}
        for judge, scores in samples.evidence.by_judge.items():
            metrics = summarise(pack, scores, config.options).metrics
            if metric in metrics:
                rows[judge.label] = metrics[metric].as_json()
        return rows

    def is_whole(self, pack: Pack, run: RunRecord) -> bool:
        """Whether each item of the pack was asked in each iteration, and none is to do.

        Of a panel each of its judges has answered all.
        """
        if (known := self._cached(pack, run)) and known.document:
            items, iterations = known.document["items"], known.document["iterations"]
            done = items["total"] - items["pending"] == len(pack.items) * iterations
            return done and short_panel(known.document) is None
        asked, evidence = self._samples(pack, run)
        done = len(evidence.scores) + len(evidence.failures) == len(pack.items) * asked.iterations
        return done and all(replies.whole for replies in evidence.replies.values())

    def is_judged(self, run: RunRecord) -> bool:
        """Whether this board's judge has graded it so, or nobody where none is asked."""
        return self.board.kind in self.boards.kinds(run)

    def is_scored(self, run: RunRecord) -> bool:
        """Whether this board's grader, asked as here, has graded it; it may only be compared."""
        asked = self.boards.asked.judge(run.run_id, self.board.judge)
        return self._reading(run).grader is not None and asked == self.board.judge_asked

    def is_outdated(self, run: RunRecord) -> bool:
        """Whether this board's judge has graded it, with these options, but not as today."""
        _, today, scored_by, graders = self._reading(run)
        same = today.version, today.judge, canonical(today.options)
        return scored_by is None and any(
            (g.version, g.judge, canonical(g.options)) == same for g in graders
        )

    def judges_of(self, run: RunRecord) -> set[Party]:
        """The judges that have graded a run, each by itself."""
        return {g.judge for g in self._reading(run).graders if isinstance(g.judge, Party)}

    def config(self, run: RunRecord) -> RunConfig:
        """The run's configuration with this board's judge and options of readers."""
        return self._reading(run).config

    def _cached(self, pack: Pack, run: RunRecord) -> BoardResult | None:
        key = self._key(pack, run)
        known = self.boards.journal.cached(run, key) if key else None
        return BoardResult(**known) if known else None

    def _key(self, pack: Pack, run: RunRecord) -> str | None:
        """A digest of what a run's result depends on beside its rows; ``None``: not known."""
        if (code := code_digest(self.benchmark)) is None:
            return None
        _, today, scored_by, _ = self._reading(run)
        read = [pack.source.name, pack.source.sha256, dict(self.read_by), dict(stated.get())]
        graded = scored_by.digest if scored_by and self.is_scored(run) else None
        return digest([code, run.run_id, graded, today.as_json(), *read])

    def _samples(self, pack: Pack, run: RunRecord) -> _Samples:
        """A run's samples; of a panel's, what each of its judges says too."""
        stored = self.boards.stored(run)
        selection = stored.selection_of(pack)
        config, today, scored_by, _ = self._reading(run)
        by = scored_by or today
        members = graders_of(config, offline=by.offline) if config.panel else None
        return _Samples(selection, stored.evidence(by, selection, members=members))

    def _baselines_of(self, pack: Pack, config: RunConfig) -> Mapping[str, Baseline]:
        """Those of the pack, which are the same for all runs with these options."""
        meant = canonical(dict(config.options))
        if meant not in self._baselines:
            self._baselines[meant] = guard(config.benchmark).baselines(pack, config.options)
        return self._baselines[meant]

    def _reading(self, run: RunRecord) -> _Reading:
        """How a run is read; by `bench rescore` where that graded more."""
        if run.n not in self._readings:
            counts = {count.grader: count.grades for count in self.boards.journal.graders(run)}
            read = {o.name: o.default for o in self.benchmark.options if o.in_grades}
            read |= dict(self.board.graded)
            config = self.boards.stored(run).config(read, judge=self.board.judge)
            today = self._today_of(config)
            same = [g for g in (today, replace(today, offline=True)) if g in counts]
            most = max(same, key=counts.__getitem__, default=None)
            self._readings[run.n] = _Reading(config, today, most, list(counts))
        return self._readings[run.n]

    def _today_of(self, config: RunConfig) -> Grader:
        """How samples are graded: the same for all runs with these options and this judge."""
        meant = canonical(dict(config.options)), config.judge
        if meant not in self._today:
            self._today[meant] = grader(config)
        return self._today[meant]


def _changed(config: RunConfig, evidence: RunData) -> str | None:
    """How a run was asked otherwise than its pack says."""
    spent = evidence.spent
    otherwise = otherwise_of(config, spent).model
    changes = told_changes(config, otherwise, cut_off=bool(spent.truncated))
    meeting = [o for o in config.benchmark.options if o.in_requests and o.may_meet]
    asked = [" ".join(option_words(*chosen)) for chosen in unusual(config.options, meeting)]
    return ", ".join([*asked, *([changes] if changes else [])]) or None
