"""What of a stored run may be given to others as a model's result."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from eibench import (
    ResultDocument,
    StoredRun,
    UsageError,
    __version__,
    bench,
    is_partial,
    judge_in,
)


class ModelResult(NamedTuple):
    """A run of a real model, and its own result."""

    run: StoredRun
    document: ResultDocument

    @property
    def date(self) -> str:
        """When the run was finished, or else begun: ISO 8601, UTC."""
        return self.run.record.finished_at or self.run.record.created_at

    def notes(self) -> Iterator[str]:
        """What has to be known of the numbers, in short sentences."""
        document, counts = self.document, self.document["items"]
        judge, note = judge_in(document), document["comparability"]
        yield note.replace(judge.label, judge.public.label) if judge else note
        if is_partial(document):
            whole = document["dataset"]["n_items"] * document["iterations"]
            yield f"PARTIAL: {counts['scored']} of {whole} samples have a score"
        if counts["unscored"]:
            yield f"{counts['unscored']} answers could not be read and have no score"
        if document["invalid"]:
            yield f"NOT VALID: {document['invalid']}"
        if document["imported"]:
            yield "answered elsewhere, scored by eibench"
        yield f"eibench {__version__}, run {self.run.id}"


def results_of(runs: Iterable[StoredRun]) -> list[ModelResult]:
    """The results of some runs; `UsageError` for one of a demo model, or without a number."""
    return [ModelResult(run, _result(run)) for run in runs]


def _result(run: StoredRun) -> ResultDocument:
    what, document = f"run {run.id} ({run.benchmark}, {run.name})", run.document
    judges = run.judged_by.judges if run.judged_by else ()
    if run.demo or any(judge.spec.provider == "demo" for judge in judges):
        by = "of a demo model" if run.demo else "judged by the demo judge"
        raise UsageError(f"{what} is {by}, which says nothing of real models; leave it out")
    if document is None or not document["metrics"]:
        raise UsageError(f"{what} has no result; {bench('rescore', run.id)} may make one")
    metric, row = next(iter(document["metrics"].items()))
    if row["value"] is None:
        raise UsageError(f"{what} has no {metric}; leave it out")
    return document
