"""What a journal holds about one run, read when it is first asked for."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark
from ..datasets import find_pack
from ..errors import BenchError
from ..journal import CallTotals, Failure, GradeCount, Journal, RunRecord, StoredComparison
from ..parties.panels import Judge, is_meant
from ..plugins import Catalogue, installed
from ..reading.names import check_name
from ..reports.comparability import judge_in
from ..reports.graders import is_pack
from ..types.result_document import ResultDocument
from .finding import JUDGE, JudgeNames


class RecordedRun:
    """A run's row, and the rows about it; the arguments are those of `StoredRun`."""

    def __init__(
        self, journal: Journal, record: RunRecord, catalogue: Catalogue | None = None
    ) -> None:
        self.journal, self.record = journal, record
        self.catalogue = catalogue or installed()

    def __repr__(self) -> str:
        demo = ", DEMO" if self.record.demo else ""
        return f"<Run {self.id}: {self.benchmark}, {self.name}{demo}, {self.record.status}>"

    @property
    def id(self) -> str:
        """What commands know it by: 12 hexadecimal digits."""
        return self.record.run_id

    @property
    def benchmark(self) -> str:
        """The name of its benchmark."""
        return self.record.benchmark

    @property
    def model(self) -> str:
        """The spec of its model."""
        return self.record.model

    @property
    def name(self) -> str:
        """What tables call its model."""
        return self.record.name

    @property
    def demo(self) -> bool:
        """Whether a demo model answered: no result of a real model."""
        return self.record.demo

    @property
    def status(self) -> str:
        """How its last command ended (docs/runs.md); ``running`` where one is under way."""
        return self.record.status

    @property
    def settings(self) -> Mapping[str, Any]:
        """What it was made with, by the names of the journal (docs/storage.md)."""
        return self.record.settings

    @property
    def plugin(self) -> Benchmark:
        """Its benchmark.

        Raises:
            UsageError: It is not installed.
        """
        return self.catalogue.benchmark(self.benchmark)

    @cached_property
    def document(self) -> ResultDocument | None:
        """The run's own result; ``None`` where it has none yet."""
        return self.journal.document(self.record)

    @cached_property
    def views(self) -> dict[str, ResultDocument]:
        """The results kept beside its own by name, the latest last."""
        return self.journal.views(self.record)

    def view(self, name: str) -> ResultDocument:
        """One of its views.

        Raises:
            UsageError: It has none of that name.
        """
        check_name(name, self.views, f"run {self.id} has no view {name!r}", "there are")
        return self.views[name]

    @property
    def judge(self) -> str | None:
        """The label of who judged its own result; ``None`` where nobody did."""
        return str(self.judged_by) if self.judged_by else None

    @property
    def judged_by(self) -> Judge | None:
        """The same as a value."""
        return judge_in(self.document) if self.document else None

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

    def comparisons(self) -> list[StoredComparison]:
        """The comparisons that it asked for; margins are positive where its model, `a`, wins."""
        return list(self.journal.comparisons(run=self.record))

    def is_judged_by(self, judge: str) -> bool:
        """Whether a judge, by its label or spec, has graded it, alone or in a panel."""
        meant = JudgeNames(self.journal.asked(role=JUDGE)).named(judge)
        graders = (count.grader.judge for count in self.all_graders)
        own = [*self.journal.judges(self.record), *graders]
        return any(one in meant or is_meant(one, judge) for one in own)

    def is_on(self, dataset: str) -> bool:
        """Whether it is on a pack, or was made with data of that path, which may be gone."""
        row = self.record
        if is_pack(row.pack_name, row.pack_sha256, dataset):
            return True
        path = Path(dataset)
        if not path.exists() and self.settings.get("dataset") in (dataset, str(path.absolute())):
            return True
        benchmark = self.catalogue.benchmarks.things.get(self.benchmark)
        if benchmark is None:
            return False
        try:
            found = find_pack(benchmark, dataset, self.settings["all_options"])
        except BenchError:  # it names no data of this benchmark
            return False
        return found.sha256 == row.pack_sha256
