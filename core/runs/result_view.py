"""A stored run's result by any judge that has graded it, and what its stored result leaves out."""

from collections.abc import Iterator

from ..errors import BenchError, UsageError
from ..journal import Journal, RunRecord
from ..plugins import Catalogue
from ..reports.comparability import judge_label
from ..reports.document import build_document
from ..reports.evidence import read_evidence
from ..reports.gradings import Grading, gradings, is_judge
from ..reports.hints import bench
from ..settings.run_config import grader, graders_of, judge_endpoint
from ..text import plural
from ..types import digest
from ..types.result_document import ResultDocument
from .stored_config import begun_by, config_of, config_of_result, pack_of
from .views import view_by


def result_by(journal: Journal, catalogue: Catalogue, run: RunRecord, judge: str) -> ResultDocument:
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
    about = (journal, run, grading.digest, selection)
    members, panel = graders_of(config, offline=grading.offline), config.panel
    evidence = read_evidence(*about, judge=grading.judge, members=members, panel=panel)
    own_result = journal.document(run)
    view = view_by(journal, own_result, config) if own_result else None
    return build_document(run, config, pack, selection, evidence, view=view)


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
    journal: Journal, catalogue: Catalogue, run: RunRecord, document: ResultDocument
) -> Iterator[str]:
    """What a stored result does not show of its run, each with the command that shows it.

    Args:
        journal: Holds the run.
        catalogue: Knows its benchmark, or does not.
        run: The run.
        document: Its stored result.
    """

    def by(judge: str) -> str:
        return bench("show", run.run_id, "--judge", judge)

    held, shown = len(journal.samples_done(run)), document["items"]["total"]
    own = judge_label(document)
    if held > shown:
        more = by(own) if own else bench("rescore", run.run_id)
        of = f"{shown} of the {plural(held, 'sample')}"
        yield f"this is the result of {of} that the journal holds: {more}"
    if _is_outdated(journal, catalogue, run, document):
        yield (
            "it was graded otherwise than it would be today (grading, judge prompts or judge "
            f"sampling): {bench('rescore', run.run_id)}, or its own command, grades it anew"
        )
    if views := len(journal.views(run)):
        kept = f"{plural(views, 'other result', 'of it is', 'of it are')} kept"
        yield f"{kept}: {bench('show', run.run_id, '--views')}"
    judges = {g.graded_by.get("judge") for g in journal.graders(run)} - {None, own}
    for judge in sorted(map(str, judges)):
        yield f"the judge {judge} has graded this run too: {by(judge)}"


def _is_outdated(
    journal: Journal, catalogue: Catalogue, run: RunRecord, document: ResultDocument
) -> bool:
    """Whether the grader of a stored result is another one today; not where nobody can tell."""
    grader_digest = document["grader"]
    if grader_digest is None or run.benchmark_version != document["benchmark_version"]:
        return False
    try:
        today = config_of_result(journal, run, catalogue, document)
    except BenchError:
        return False
    return bool(digest(grader(today)) != grader_digest)
