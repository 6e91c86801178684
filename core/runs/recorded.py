"""How a stored run was asked, and what its journal holds about it, read when first asked for."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark, Pack
from ..datasets import find_pack
from ..errors import BenchError, DataAbsent, DataError, JournalError, UsageError
from ..guard import guard
from ..journal import (
    CallTotals,
    Failure,
    GradeCount,
    Journal,
    PersonLabel,
    RunRecord,
    StoredComparison,
)
from ..parties.graders import Grader, Judge, Panel, is_meant
from ..parties.party import Party
from ..parties.party_settings import NO_SYSTEM
from ..plugins import Catalogue, benchmark_of, catalogue_of
from ..reports.choosing import is_pack
from ..reports.comparability import judge_in
from ..reports.evidence import Selection
from ..reports.otherwise import judge_name
from ..settings.rules import fitting
from ..settings.run_config import (
    Endpoint,
    RunConfig,
    stored_role_sampling,
    stored_roles,
    stored_sampling,
    with_judges,
)
from ..types import JsonDict, JsonObject
from ..types.result_document import ResultDocument
from .asked_runs import AskedRuns


class RecordedRun:
    """A run's row, the rows about it, its configuration and its data; arguments as of `StoredRun`.

    Attributes:
        id: What commands know it by: eight hexadecimal digits, more where eight are taken, and
            ``-2`` and so on behind them for a run that was begun with ``--fresh``.
        benchmark: The name of its benchmark.
        model: The spec of its model.
        name: What tables call its model.
        demo: Whether a demo model answered: no result of a real model.
        status: How its last command ended (docs/runs.md); ``running`` where one is under way.
        settings: What it was made with, by the names of the journal (docs/storage.md).
    """

    def __init__(
        self, journal: Journal, record: RunRecord, catalogue: Catalogue | None = None
    ) -> None:
        self.journal, self.record = journal, record
        self._catalogue = catalogue
        self.id, self.benchmark, self.model = record.run_id, record.benchmark, record.model
        self.name, self.demo, self.status = record.name, record.demo, record.status
        self.settings: Mapping[str, Any] = record.settings

    def __repr__(self) -> str:
        demo = ", DEMO" if self.record.demo else ""
        return f"<Run {self.id}: {self.benchmark}, {self.name}{demo}, {self.record.status}>"

    @cached_property
    def catalogue(self) -> Catalogue:
        """What knows the benchmarks."""
        return self._catalogue or catalogue_of(self.journal)

    @property
    def plugin(self) -> Benchmark:
        """Its benchmark.

        Raises:
            UsageError: It is not installed.
        """
        return benchmark_of(self.record, self.catalogue)

    @cached_property
    def document(self) -> ResultDocument | None:
        """The run's own result; ``None`` where it has none yet."""
        return self.journal.document(self.record)

    @property
    def judge(self) -> str | None:
        """The label of who judged its own result; ``None`` where nobody did."""
        return str(self.judged_by) if self.judged_by else None

    @property
    def judged_by(self) -> Judge | None:
        """The same as a value."""
        return judge_in(self.document) if self.document else None

    @cached_property
    def _asked_runs(self) -> AskedRuns:
        return AskedRuns(self.journal)

    def called(self, judge: Judge) -> str:
        """What a judge is called, with how it was asked in this run."""
        return judge_name(judge, self._asked_runs.judge(self.id, judge))

    @cached_property
    def samples_begun(self) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a reply of the model, or has failed."""
        return self.journal.samples_begun(self.record)

    @cached_property
    def samples_done(self) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a grade, by whomever, or has failed."""
        return self.journal.samples_done(self.record)

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Why samples have no usable answer."""
        return tuple(self.journal.failures(self.record))

    @cached_property
    def calls(self) -> tuple[CallTotals, ...]:
        """Its calls added up: a row for each sample and phase, with tokens, dollars and seconds."""
        return tuple(self.journal.call_totals(self.record))

    @cached_property
    def all_graders(self) -> list[GradeCount]:
        """All that have graded it, the latest first."""
        return self.journal.graders(self.record)

    @cached_property
    def labels(self) -> tuple[PersonLabel, ...]:
        """What people gave its transcripts, of all sets of labels."""
        return tuple(self.journal.labels(self.record))

    def comparisons(self) -> list[StoredComparison]:
        """The comparisons that it asked for; margins are positive where its model, `a`, wins."""
        return list(self.journal.comparisons(run=self.record))

    def is_judged_by(self, judge: str) -> bool:
        """Whether a judge, by its label or spec, has graded it, alone or in a panel."""
        graders = (count.grader.judge for count in self.all_graders)
        judges = [*self.journal.judges(self.record), *graders]
        return any(is_meant(one, judge) for one in judges)

    def is_on(self, dataset: str) -> bool:
        """Whether it is on a pack, or was made with data of that path, which may be gone."""
        row = self.record
        if is_pack(row.pack_name, row.pack_sha256, dataset):
            return True
        path = Path(dataset)
        if not path.exists() and self.settings.get("dataset") in (dataset, str(path.absolute())):
            return True
        try:
            source = find_pack(self.plugin, dataset, self.settings["all_options"])
        except BenchError:  # it names no data of this benchmark
            return False
        return source.sha256 == row.pack_sha256

    def refuse_other_data(self, dataset: str) -> None:
        """Refuse, by `DataError`, a path with other data than the run was made with."""
        if Path(dataset).exists() and not self.is_on(dataset):
            raise self._other_data(dataset)

    def _other_data(self, dataset: object) -> DataError:
        of = f"is not the data of run {self.id} (SHA-256 {self.record.pack_sha256[:12]}…)"
        return DataError(dataset, f"{of}; name the right one with --dataset")

    @cached_property
    def addresses(self) -> Mapping[Party, str]:
        """Where it asked each party last, of those at a server with an address."""
        return self.journal.addresses(self.record)

    @property
    def asked(self) -> Endpoint:
        """Its model."""
        asked = Endpoint.of(self.record.party)
        no_system = bool(self.settings.get(NO_SYSTEM))
        return (
            replace(asked, settings=replace(asked.settings, system=False)) if no_system else asked
        )

    def config(
        self,
        changes: JsonObject | None = None,
        *,
        judge: Endpoint | Judge | str | None = None,
        dataset: str | None = None,
    ) -> RunConfig:
        """Its configuration, as a command of today would give it.

        Args:
            changes: Other values of grading options, as they are or as texts.
            judge: Who judges, or has, or its name; by default that of its own result, else
                the last that has. Nobody where its benchmark needs no judge.
            dataset: Where its data is now, if it was moved.

        Raises:
            JournalError: It needs a judge, and none has replied yet.
            UsageError: It has no replies of that judge, or an option is changed that the
                benchmark does not have, or that would change what the model was sent.
        """
        options = _changed(self.plugin, changes or {})
        config = self.unjudged(options, dataset)
        judged = guard(config.benchmark).needs_judge(config.options)
        return judged_by(config, self._judge(judge) if judged else None)

    def unjudged(self, options: JsonObject | None = None, dataset: str | None = None) -> RunConfig:
        """Its configuration without a judge, with other values of some options."""
        settings = self.settings
        return RunConfig(
            benchmark=self.plugin,
            model=self.asked,
            options={**settings["all_options"], **(options or {})},
            dataset=dataset or settings["dataset"] or self.record.pack_name,
            sampling=stored_sampling(settings),
            is_whole=True,
            system=settings["system"],
            name=settings["name"],
            checkpoint=settings.get("checkpoint"),
            roles=stored_roles(settings),
            role_sampling=stored_role_sampling(settings),
        )

    def config_of(self, document: ResultDocument, dataset: str | None = None) -> RunConfig:
        """How one of its results was graded, which a later command may have changed.

        Raises:
            BenchError: As of `config`.
        """
        judge = judge_in(document)
        config = self.config(judge=judge, dataset=dataset)
        options = {**config.options, **document["options"]}
        return judged_by(replace(config, options=options), judge)

    def _judge(self, requested: Endpoint | Judge | str | None) -> Endpoint | Judge:
        """The judge that is given, or whose replies came last."""
        if not isinstance(requested, str | None):
            return requested
        judges = sorted(self._judges(), key=lambda judge: judge != self.judged_by)
        if not judges:
            raise JournalError(f"run {self.id} has no judge's replies yet; run its command first")
        known = [judge for judge in judges if requested is None or requested in judge.names]
        if not known:
            listed = ", ".join(map(str, judges))
            raise UsageError(
                f"run {self.id} has no replies of the judge {requested}; there are: {listed}"
            )
        return known[0]

    def _judges(self) -> list[Judge]:
        """Its judges, those that have replied last first, and its panels after them."""
        graders = (count.grader.judge for count in self.all_graders)
        panels = dict.fromkeys(judge for judge in graders if isinstance(judge, Panel))
        return [*self.journal.judges(self.record), *panels]

    def pack_of(self, config: RunConfig) -> Pack:
        """Its data, from where a configuration says, and read with its options.

        Raises:
            DataError: What is there now is not what the run was made with.
        """
        record, dataset = self.record, config.dataset
        moved = dataset == self.settings["dataset"] and not Path(str(dataset)).exists()
        if moved and record.pack_name != "custom":
            dataset = record.pack_name
        try:
            source = find_pack(config.benchmark, dataset, config.options)
        except DataError as error:
            hint = f"the data of run {self.id}; if it was moved, name it with --dataset PATH"
            raise DataAbsent(error.path, f"{hint} ({error})") from None
        if source.sha256 != record.pack_sha256:
            raise self._other_data(config.dataset)
        return guard(config.benchmark).read_pack(source, config.options)

    def pack_by(self, grader: Grader, dataset: str | None = None) -> Pack:
        """Its data, read with the options of a grader; errors as of `pack_of`."""
        return self.pack_of(self.unjudged(grader.options, dataset))

    @cached_property
    def pack(self) -> Pack:
        """Its data.

        Raises:
            DataError: What is there now is not what the run was made with.
            UsageError: Its benchmark is not installed.
        """
        return self.pack_of(self.unjudged())

    @property
    def selection(self) -> Selection:
        """All samples of the items and iterations of which it holds anything."""
        return self.selection_of(self.pack)

    def selection_of(self, pack: Pack) -> Selection:
        """The same, of its data read with other options."""
        ids = {item_id for item_id, _ in self.samples_begun}
        items = [item for item in pack.items if item.id in ids]
        return Selection(items, max((n for _, n in self.samples_begun), default=1))


def judged_by(config: RunConfig, judge: Endpoint | Judge | None) -> RunConfig:
    """A configuration with a judge, or with a panel."""
    if judge is None or isinstance(judge, Endpoint):
        return with_judges(config, [judge] if judge else [])
    panel = judge if isinstance(judge, Panel) else None
    return with_judges(replace(config, panel=panel), [Endpoint.of(party) for party in judge.judges])


def _changed(benchmark: Benchmark, changes: JsonObject) -> JsonDict:
    gradable = {o.name: o for o in benchmark.options if o.in_grades}
    for name in changes:
        if name not in gradable:
            listed = ", ".join(gradable) or "none"
            raise UsageError(
                f"{benchmark.name} has no grading option {name!r}; there are: {listed}"
            )
    return {
        name: fitting(name, gradable[name].rule, value, is_text=True)
        if isinstance(value, str)
        else value
        for name, value in changes.items()
    }
