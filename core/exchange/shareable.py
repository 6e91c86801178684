"""What of a stored run may be given to others as a model's result."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .. import __version__
from ..errors import UsageError
from ..journal import RunRecord
from ..parties.party import origin_of
from ..reports.comparability import is_partial, judge_in
from ..reports.hints import bench
from ..runs.stored_run import StoredRun
from ..types.result_document import MetricRow, ResultDocument


class ModelResult(NamedTuple):
    """A run of a real model, and its own result."""

    run: RunRecord
    document: ResultDocument

    @property
    def date(self) -> str:
        """When the run was finished, or else begun: ISO 8601, UTC."""
        return self.run.finished_at or self.run.created_at

    @property
    def main(self) -> tuple[str, MetricRow]:
        """The name of the main metric, and what it is."""
        return next(iter(self.document["metrics"].items()))

    def notes(self) -> Iterator[str]:
        """What has to be known of the numbers, in short sentences."""
        document, counts = self.document, self.document["items"]
        judge = judge_in(document)
        note = document["comparability"]
        yield note.replace(judge.label, judge.public.label) if judge else note
        if is_partial(document):
            whole = document["dataset"]["n_items"] * document["iterations"]
            yield f"PARTIAL: {counts['scored']} of {whole} samples have a score"
        if counts["unscored"]:
            yield f"{counts['unscored']} answers could not be read and have no score"
        if document["invalid"]:
            yield f"NOT VALID: {document['invalid']}"
        if origin_of(self.run.model, self.run.settings):
            yield "answered elsewhere, scored by eibench"
        yield f"eibench {__version__}, run {self.run.run_id}"


def results_of(runs: Iterable[StoredRun]) -> list[ModelResult]:
    """The results of some runs.

    Raises:
        UsageError: One is of a demo model, or has no result with a number.
    """
    found = []
    for stored in runs:
        run, document = stored.record, stored.document
        what = f"run {run.run_id} ({run.benchmark}, {run.name})"
        judge = judge_in(document) if document else None
        judges = judge.judges if judge else ()
        if run.demo or any(one.spec.provider == "demo" for one in judges):
            by = "of a demo model" if run.demo else "judged by the demo judge"
            raise UsageError(f"{what} is {by}, which says nothing of real models; leave it out")
        if document is None or not document["metrics"]:
            raise UsageError(f"{what} has no result; {bench('rescore', run.run_id)} may make one")
        result = ModelResult(run, document)
        if result.main[1]["value"] is None:
            raise UsageError(f"{what} has no {result.main[0]}; leave it out")
        found.append(result)
    return found
