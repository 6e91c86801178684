"""The journal's batches: what was meant to be sent for later, and under which id it was.

A row is written before its submission, and has its id after; so the same command finds it again,
on another day. It is no part of an export: another machine has another command.
"""

from typing import NamedTuple

from ..text import plural
from .file import JournalFile, now
from .records import RunRecord

_OF_RUN = "SELECT attempt, party, keys, id, at FROM batches WHERE run = ? ORDER BY at"


class OpenBatch(NamedTuple):
    """A batch whose replies are not all journalled.

    Attributes:
        attempt: Which submission it is.
        party: Who is asked.
        keys: The `custom_id` of each request.
        id: The provider's; ``None`` while it is not known whether there is one.
        at: When it was intended (ISO 8601, UTC).
    """

    attempt: str
    party: str
    keys: frozenset[str]
    id: str | None
    at: str

    @property
    def words(self) -> str:
        """What people are told of it."""
        what = f"batch {self.id}" if self.id else "a batch that may not have been sent"
        return f"{what} of {plural(len(self.keys), 'request')} to {self.party}"


def _batch_of(row: "tuple[str, str, str, str | None, str]") -> OpenBatch:
    attempt, party, keys, id, at = row
    return OpenBatch(attempt, party, frozenset(keys.split()), id, at)


class BatchStore(JournalFile):
    """The journal's batches."""

    async def intend_batch(self, run: RunRecord, batch: OpenBatch) -> None:
        """Store that a batch is about to be submitted; it is on the disk once this returns."""
        await self.writer.write(
            "INSERT INTO batches (attempt, run, party, keys, at) VALUES (?, ?, ?, ?, ?)",
            (batch.attempt, run.n, batch.party, " ".join(sorted(batch.keys)), now()),
        )

    async def submitted_batch(self, batch: OpenBatch, id: str) -> None:
        """Store what the provider calls it."""
        await self.writer.write("UPDATE batches SET id = ? WHERE attempt = ?", (id, batch.attempt))

    def end_batch(self, batch: OpenBatch) -> None:
        """Forget a batch, as it was never made, or all that came of it is journalled."""
        self._add("DELETE FROM batches WHERE attempt = ?", (batch.attempt,))

    def open_batches(self, run: RunRecord) -> list[OpenBatch]:
        """Those of a run, the oldest first."""
        return list(self._rows(_OF_RUN, (run.n,), _batch_of))
