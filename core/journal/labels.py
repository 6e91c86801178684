"""What people gave transcripts of a journal: to rows, and back."""

from collections.abc import Iterable, Iterator

from .file import JournalFile, now
from .records import PersonLabel, RunRecord
from .schema import LABELS
from .tables import Row, quoted

_ADD = LABELS.adding()
_SELECT = f"SELECT run, {quoted(LABELS.stored)} FROM labels WHERE run {{of}}"


def label_of(stored: Row) -> PersonLabel:
    """A label as it is stored.

    Raises:
        DamagedRow: It is not what was written.
    """
    return PersonLabel._make(LABELS.opened(stored)[:-1])


class LabelStore(JournalFile):
    """The journal's labels of people."""

    def add_labels(self, labels: Iterable[tuple[RunRecord, PersonLabel]]) -> None:
        """Store labels with the run that each is of; they are on the disk once this returns."""
        at = now()
        for run, label in labels:
            self._add(_ADD, (run.n, *LABELS.sealed((*label, at))))
        self.writer.flush()

    def labels(self, run: RunRecord) -> Iterator[PersonLabel]:
        """Those of a run's transcripts, by set, entry and person."""
        order = " ORDER BY run, label_set, entry, person"
        return self._rows_of(run, _SELECT + order, (), label_of)
