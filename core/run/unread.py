"""What a judge was asked and could not be read, or was asked in vain: what is asked anew.

It is found by doing samples again from the journal, as they are read today.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ..benchmark.model import JUDGE
from ..compare.contest import Contest
from ..guard import guard
from ..journal import Journal, RunRecord, StoredComparison
from ..reports.evidence import Selection
from ..runs.replay import replay_sample
from ..sample.bounds import ATTEMPTS
from ..settings.run_config import RunConfig, grader
from .task import Task


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
    for scored in _graded(journal, run, config, selection):
        sample, calls = scored[:2], asked.get(scored[:2], 0)
        if scored.is_scored and calls < ATTEMPTS:
            continue  # a question that cannot be read is asked so often
        if not task.may_do(*sample):
            continue
        item = items[scored.item_id]
        replayed = await replay_sample(journal, run, config, item, scored.iteration)
        left = replayed.unread
        if replayed.score is None:  # a reply is missing
            planned = task.planned_calls(item, scored.iteration)[JUDGE]
            left = max(1, left, planned - replayed.replies_used)
        is_read = replayed.score is not None and replayed.score.reason is None
        if left or (is_read and not scored.is_scored):
            unread[sample] = left
    return unread


class _Graded(NamedTuple):
    item_id: str
    iteration: int
    is_scored: bool


def _graded(
    journal: Journal, run: RunRecord, config: RunConfig, selection: Selection
) -> list[_Graded]:
    grades = journal.grades(run, grader(config), selection.clusters)
    return [
        _Graded(g.item_id, g.iteration, g.score.reason is None)
        for g in grades
        if g.iteration <= selection.iterations
    ]
