"""Which stored results would have other numbers today, and having them.

A change that moves a number raises a benchmark's `grading` or a rating engine's `version`. Here
each run's own result is made anew from the journal, in memory, and set beside the stored one.
"""

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import BenchError
from ..journal import Journal, RunRecord
from ..plugins import Catalogue
from ..reports.changes import Change, changes_of
from ..runs.stored_run import StoredRun
from ..types.result_document import ResultDocument
from .rescore import regrade, rescore

_OTHER_SAMPLES = (
    "the journal holds samples that its result does not have, or not any more: its own command "
    "sums them up"
)


class CheckedRun(NamedTuple):
    """What became of one run.

    Attributes:
        changes: Its numbers that are others today.
        reason: Why nothing could be said, or may be changed; else ``None``.
        rescored: The result that is stored instead; ``None`` where it was left as it is.
    """

    run: RunRecord
    changes: tuple[Change, ...] = ()
    reason: str | None = None
    rescored: ResultDocument | None = None

    def as_json(self) -> object:
        """The fields of the document."""
        return {
            "run_id": self.run.run_id,
            "benchmark": self.run.benchmark,
            "model": self.run.name,
            "changes": self.changes,
            "reason": self.reason,
            "rescored": self.rescored is not None,
        }


def check_all(journal: Journal, catalogue: Catalogue, *, dry: bool) -> Iterator[CheckedRun]:
    """Each run that has a result of its own, the oldest first; nothing is stored if `dry`."""
    for run in journal.runs():
        stored = StoredRun(journal, run, catalogue)
        if stored.document is not None:
            yield _check(stored, stored.document, dry=dry)


def _check(stored: StoredRun, document: ResultDocument, *, dry: bool) -> CheckedRun:
    run = stored.record
    try:
        config = stored.config_of(document)
        pack = stored.pack_of(config)
        regraded = asyncio.run(regrade(stored, config, pack))
        if document["items"]["total"] != regraded.document["items"]["total"]:
            return CheckedRun(run, reason=_OTHER_SAMPLES)
        changes = tuple(changes_of(document, regraded.document))
        if changes and regraded.missing:
            are = "a sample needs" if regraded.missing == 1 else f"{regraded.missing} samples need"
            message = f"{are} replies that were never made: its own command asks for them"
            return CheckedRun(run, reason=message)
        if dry or not changes:
            return CheckedRun(run, changes)
        return CheckedRun(run, changes, rescored=asyncio.run(rescore(stored, config, pack)))
    except BenchError as error:
        return CheckedRun(run, reason=str(error))
