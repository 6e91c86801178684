"""What a judge was asked and could not be read, or was asked in vain: what is asked anew.

It is found by doing samples again from the journal, as they are read today.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ..benchmark.model import JUDGE
from ..compare.contest import Contest
from ..guard import guard
from ..journal import Journal, RunRecord, StoredComparison
from ..parties.graders import Grader
from ..parties.party import Party
from ..reports.evidence import Selection
from ..runs.replay import replay_sample
from ..sample.bounds import ATTEMPTS
from ..settings.run_config import RunConfig, grader, graders_of
from .task import Task


class WholeGrades(NamedTuple):
    """The samples of a run that need no verdict any more, and of a panel those of each judge.

    `scored` is whether they have a score, and no reason why there is none.
    """

    scored: Mapping[tuple[str, int], bool] = {}
    by_judge: Mapping[Party, frozenset[tuple[str, int]]] = {}


def read_graded(
    journal: Journal, run: RunRecord, config: RunConfig, selection: Selection
) -> WholeGrades:
    """The samples that today's grader has graded; of a panel, each judge whose turn it was."""

    def graded(grader: Grader) -> dict[tuple[str, int], bool]:
        grades = journal.grades(run, grader, selection.clusters)
        counted = (g for g in grades if g.iteration <= selection.iterations)
        return {(g.item_id, g.iteration): g.score.reason is None for g in counted}

    scored = graded(grader(config))
    if config.panel is None:
        return WholeGrades(scored)
    each = {judge: frozenset(graded(by)) for judge, by in graders_of(config).items()}
    whole = {
        s: ok for s, ok in scored.items() if all(s in each[j] for j in config.assigned_judges(*s))
    }
    return WholeGrades(whole, each)


class UnreadVerdicts(NamedTuple):
    """What is asked anew of one judge.

    Attributes:
        samples: How many questions of each sample; 0 where the journal's replies can be read today.
        comparisons: Those of the run.
    """

    samples: Mapping[tuple[str, int], int] = {}
    comparisons: tuple[StoredComparison, ...] = ()


async def unread_verdicts(journal: Journal, run: RunRecord, task: Task) -> UnreadVerdicts:
    """What a task asks anew of its judge; nothing where it does not.

    Raises:
        JournalError: The journal cannot be read.
    """
    if not task.asks_anew or task.config.panel:
        return UnreadVerdicts()
    samples = await _samples(journal, run, task)
    contest = Contest(journal, task.config, task.pack)
    compares = guard(task.config.benchmark).compares(task.config.options)
    rows = contest.rows(run) if compares else []
    return UnreadVerdicts(samples, tuple(row for row in rows if row.status == "unread"))


async def _samples(journal: Journal, run: RunRecord, task: Task) -> dict[tuple[str, int], int]:
    config, selection = task.config, task.selection
    asked = {
        (total.item_id, total.iteration): total.calls
        for total in journal.call_totals(run, config.judge)
        if total.phase == JUDGE
    }
    items = {item.id: item for item in selection.items}
    unread = dict[tuple[str, int], int]()
    for sample, is_scored in read_graded(journal, run, config, selection).scored.items():
        if is_scored and asked.get(sample, 0) < ATTEMPTS:
            continue  # a question that cannot be read is asked so often
        if not task.may_do(*sample):
            continue
        item, iteration = items[sample[0]], sample[1]
        replayed = await replay_sample(journal, run, config, item, iteration)
        left = replayed.unread
        if replayed.score is None:  # a reply is missing
            planned = task.planned_calls(item, iteration)[JUDGE]
            left = max(1, left, planned - replayed.replies_used)
        is_read = replayed.score is not None and replayed.score.reason is None
        if left or (is_read and not is_scored):
            unread[sample] = left
    return unread
