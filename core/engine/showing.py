"""A stored run's result by any judge that has graded it, and what its stored result leaves out."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import UsageError
from ..journal import Journal, RunRecord
from ..plugins import Catalogue
from ..reports.document import build_document
from ..reports.evidence import read_evidence
from ..reports.gradings import Grading, gradings, is_judge
from ..reports.protocols import Outcome, judge_of
from .rescoring import begun_by, config_of, judge_endpoint, pack_of


def result_by(journal: Journal, catalogue: Catalogue, run: RunRecord, judge: str) -> dict[str, Any]:
    """The result document of all that a run holds, by one judge; nothing is stored.

    Args:
        journal: Holds the run.
        catalogue: Knows its benchmark.
        run: The run.
        judge: The judge's label or spec.

    Raises:
        UsageError: That judge has not graded it, or more than one goes by that name.
        DataError: The run's data is not where it was.
    """
    grading = _by_judge(journal, run, judge)
    stored = run.settings["all_options"]
    changes = {k: v for k, v in grading.options.items() if stored.get(k) != v}
    own = judge_endpoint(str(grading.judge))
    config = config_of(journal, run, catalogue, changes, None, judge=own)
    pack = pack_of(run, config)
    selection = begun_by(journal, run, pack)
    evidence = read_evidence(journal, run, grading.digest, selection, judge=grading.judge)
    return build_document(run, config, pack, selection, evidence)


def _by_judge(journal: Journal, run: RunRecord, judge: str) -> Grading:
    """The latest grading by a judge."""
    there = [g for g in gradings(journal, run) if g.judge]
    fitting = [g for g in there if is_judge(g.judge, judge)]
    labels = sorted({str(g.judge) for g in fitting})
    if len(labels) > 1 and judge not in labels:
        raise UsageError(f"the judge {judge} could be {' or '.join(labels)}; give the whole label")
    if not fitting:
        listed = ", ".join(sorted({str(g.judge) for g in there})) or "none"
        raise UsageError(
            f"run {run.run_id} has no grades by the judge {judge}; there are: {listed}"
        )
    return next((g for g in fitting if g.judge == judge), fitting[0])


def left_out(
    journal: Journal, run: RunRecord, document: Mapping[str, Any], where: str = ""
) -> Iterator[str]:
    """What a stored result does not show of its run, each with the command that shows it.

    Args:
        journal: Holds the run.
        run: The run.
        document: Its stored result.
        where: The ``--runs-dir`` that commands need.
    """
    held, shown = len(journal.samples_done(run)), document["items"]["total"]
    own = judge_of(Outcome(run, document))
    show = f"bench show {run.run_id}{where} --judge"
    if held > shown:
        more = f"{show} {shlex.quote(own)}" if own else f"bench rescore {run.run_id}{where}"
        yield f"this is the result of {shown} of the {held} samples that the journal holds: {more}"
    judges = {g.graded_by.get("judge") for g in journal.graders(run)} - {None, own}
    for judge in sorted(map(str, judges)):
        yield f"the judge {judge} has graded this run too: {show} {shlex.quote(judge)}"
