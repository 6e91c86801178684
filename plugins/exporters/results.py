"""What of a stored run may be given to others as a model's result."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eibench import (
    ExportRequest,
    ResultDocument,
    StoredRun,
    UsageError,
    __version__,
    bench,
    is_partial,
    judge_in,
)
from eibench.text import listed


class ModelResult(NamedTuple):
    """A run of a real model, and its own result."""

    run: StoredRun
    document: ResultDocument

    @property
    def date(self) -> str | None:
        """When the run was finished, or else begun: ISO 8601, UTC.

        Of an imported one, when its file says that it was begun; ``None`` where it does not.
        """
        if (imported := self.document["imported"]) is not None:
            return imported.get("started")
        return self.run.record.finished_at or self.run.record.created_at

    @property
    def judged_elsewhere(self) -> bool:
        """Whether another program asked the judge."""
        judge = judge_in(self.document)
        return judge is not None and any(one.spec.provider == "imported" for one in judge.judges)

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
            and_judged = "and judged " if self.judged_elsewhere else ""
            yield f"answered {and_judged}elsewhere, scored by eibench"
        yield f"eibench {__version__}, run {self.run.id}"


def results_of(request: ExportRequest) -> list[ModelResult]:
    """The results of some runs; one without a number is named and left out.

    Raises:
        UsageError: One is of a demo model, or none has a number.
    """
    results = list[ModelResult]()
    for run in request.runs:
        what = f"run {run.id} ({run.benchmark}, {run.name})"
        _refuse_demo(run, what)
        document = run.document
        if document is None or not document["metrics"]:
            missing = f"{what} has no result; {bench('rescore', run.id)} may make one"
        elif next(iter(document["metrics"].values()))["value"] is None:
            missing = f"{what} has no {next(iter(document['metrics']))}"
        else:
            results.append(ModelResult(run, document))
            continue
        if len(request.runs) == 1:
            raise UsageError(missing)
        request.say(f"left out: {missing}")
    if not results:
        raise UsageError("none of these runs has a score")
    return results


def _refuse_demo(run: StoredRun, what: str) -> None:
    judges = run.judged_by.judges if run.judged_by else ()
    if run.demo or any(judge.spec.provider == "demo" for judge in judges):
        by = "of a demo model" if run.demo else "judged by the demo judge"
        raise UsageError(f"{what} is {by}, which says nothing of real models; leave it out")


def check_one_model(results: Sequence[ModelResult], what: str) -> None:
    """Refuse, by `UsageError`, runs of several models; `what` begins the message."""
    models = list(dict.fromkeys(str(result.run.record.party) for result in results))
    if len(models) > 1:
        raise UsageError(f"{what} is of one model; choose with --model among {listed(models, 6)}")
