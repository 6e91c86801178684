"""A stored run as one object: how it was asked, its samples, and its results."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from ..benchmark import Benchmark, Pack
from ..journal import CallTotals, Failure, Grader, Journal, RunRecord, StoredComparison
from ..plugins import Catalogue, installed
from ..reports.evidence import Selection
from ..reports.graded import GradedSamples, read_samples
from ..reports.gradings import Grading, gradings
from ..reports.transcripts import ItemDocument, item_records
from ..settings.run_config import Endpoint, RunConfig
from ..types import JsonObject
from ..types.result_document import ResultDocument
from .result_view import left_out, result_by
from .stored_config import begun_by, config_of, config_of_result, pack_of


class StoredRun:
    """A run that a journal holds.

    What is read once is kept: another object sees what was stored since.

    Args:
        journal: Holds the run.
        record: Its row.
        catalogue: Knows the benchmarks; by default what is installed.
    """

    def __init__(
        self, journal: Journal, record: RunRecord, catalogue: Catalogue | None = None
    ) -> None:
        self.journal, self.record = journal, record
        self.catalogue = catalogue or installed()

    def __repr__(self) -> str:
        return f"<StoredRun {self.id}: {self.record.benchmark}, {self.name}>"

    @property
    def id(self) -> str:
        """The run's id: 12 hexadecimal digits, or what an import calls it."""
        return self.record.run_id

    @property
    def name(self) -> str:
        """What its model is called."""
        return self.record.name

    @property
    def settings(self) -> Mapping[str, object]:
        """What it was made with."""
        return self.record.settings

    @property
    def benchmark(self) -> Benchmark:
        """Its benchmark.

        Raises:
            UsageError: It is not installed.
        """
        return self.catalogue.benchmark(self.record.benchmark)

    # How it was asked

    def config(
        self,
        changes: JsonObject | None = None,
        *,
        judge: Endpoint | str | None = None,
        dataset: str | None = None,
    ) -> RunConfig:
        """Its configuration, with other values of grading options.

        Args:
            changes: Them, as they are or as texts.
            judge: Who judges, or the label of one that has; by default that of its own result,
                else the last that has.
            dataset: Where its data is now, if it was moved.

        Raises:
            JournalError: It needs a judge, and none has replied yet.
            UsageError: It has no replies of that judge, or an option is no grading option.
        """
        about = self.journal, self.record, self.catalogue
        return config_of(*about, changes or {}, dataset, judge)

    def config_of(self, document: ResultDocument, dataset: str | None = None) -> RunConfig:
        """How one of its results was graded, which a later command may have changed."""
        return config_of_result(self.journal, self.record, self.catalogue, document, dataset)

    def pack_of(self, config: RunConfig) -> Pack:
        """Its data, read with a configuration.

        Raises:
            DataError: What is there now is not what the run was made with.
        """
        return pack_of(self.record, config)

    @cached_property
    def pack(self) -> Pack:
        """Its data.

        Raises:
            DataError: What is there now is not what the run was made with.
        """
        return self.pack_of(self.config())

    @property
    def selection(self) -> Selection:
        """All samples of the items and iterations of which the journal holds anything."""
        return self.selection_of(self.pack)

    def selection_of(self, pack: Pack) -> Selection:
        """The same of its pack, read with other options."""
        return begun_by(self.journal, self.record, pack)

    # What was asked and answered

    @cached_property
    def begun(self) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a reply of the model, or has failed."""
        return self.journal.samples_begun(self.record)

    @cached_property
    def done(self) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a grade, by whomever, or has failed."""
        return self.journal.samples_done(self.record)

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Why samples have no usable answer."""
        return tuple(self.journal.failures(self.record))

    def calls(self, judge: str | None = None) -> Iterator[CallTotals]:
        """Calls added up, a row for each sample and phase; of judges only one's, if wanted."""
        return self.journal.call_totals(self.record, judge)

    def comparisons(self) -> Iterator[StoredComparison]:
        """Its comparisons with others, whoever asked for them."""
        return self.journal.comparisons(run=self.record)

    def transcripts(self, items: Iterable[str], grader: object = None) -> Iterator[ItemDocument]:
        """All that is known about some items: calls, scores, comparisons.

        Args:
            items: Their ids.
            grader: Digest of the one whose scores count; without one that has any, the latest.

        Raises:
            UsageError: The run holds nothing about one.
        """
        return item_records(self.journal, self.record, items, grader)

    # How it was graded

    @cached_property
    def all_graders(self) -> list[Grader]:
        """Everything under which grades are kept, the latest first."""
        return self.journal.graders(self.record)

    def graders(self) -> list[Grading]:
        """How it was graded, the latest first.

        Raises:
            JournalError: It has no grades.
        """
        return gradings(self.journal, self.record)

    def samples_by(self, grading: Grading, clusters: Mapping[str, str]) -> GradedSamples:
        """Its samples as one grading left them.

        Args:
            grading: Whose grades.
            clusters: Each item's cluster, for all items of the pack.
        """
        return read_samples(self.journal, self.record, grading, clusters)

    # Results

    @cached_property
    def document(self) -> ResultDocument | None:
        """Its own result; ``None`` where it has none yet."""
        return self.journal.document(self.record)

    def result_by(self, judge: str) -> ResultDocument:
        """The result of all that it holds, by one judge, computed anew; nothing is stored.

        Raises:
            UsageError: That judge has not graded it, or more than one goes by that name.
            DataError: The run's data is not where it was.
        """
        return result_by(self.journal, self.catalogue, self.record, judge)

    def views(self) -> dict[str, ResultDocument]:
        """The results beside its own by name, the latest last."""
        return self.journal.views(self.record)

    def left_out(self, document: ResultDocument) -> Iterator[str]:
        """What a stored result does not show, each with the command that shows it."""
        return left_out(self.journal, self.catalogue, self.record, document)
