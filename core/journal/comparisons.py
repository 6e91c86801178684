"""The comparisons of a journal, planned or done."""

import json
from collections.abc import Iterator
from typing import Any

from .file import JournalFile, now
from .records import RunRecord, StoredComparison, as_json
from .runs import RUN_COLUMNS, run_of
from .schema import COMPARISONS, ComparisonRow
from .tables import quoted

_ADD = COMPARISONS.adding()
_SELECT = f"SELECT {quoted(COMPARISONS.stored)} FROM comparisons WHERE "


def comparison_row(comparison: StoredComparison, at: str) -> tuple[object, ...]:
    """The columns of a comparison with its checksum, but for its run."""
    values = comparison._asdict()
    values |= {"margins": as_json(comparison.margins), "flags": as_json(comparison.flags)}
    return COMPARISONS.sealed(ComparisonRow(**values, at=at))


def comparison_of(stored: Any) -> StoredComparison:
    """A comparison, planned or done, from all columns and the checksum.

    Raises:
        DamagedRow: It is not what was written.
    """
    row = COMPARISONS.opened(stored)
    values = row._asdict() | {"margins": json.loads(row.margins)}
    values |= {"flags": tuple(json.loads(row.flags))}
    del values["at"]
    return StoredComparison(**values)


def _pool_of(row: Any) -> tuple[RunRecord, str, str]:
    pool, judge, *run = row
    return run_of(run), pool, judge


class ComparisonStore(JournalFile):
    """The journal's comparisons."""

    def add_comparison(self, run: RunRecord, comparison: StoredComparison) -> None:
        """Store a comparison, planned or done; it is on the disk with the next group."""
        self.writer.add(_ADD, (run.n, *comparison_row(comparison, now())))

    def comparisons(
        self, pool: str | None = None, run: RunRecord | None = None
    ) -> Iterator[StoredComparison]:
        """The comparisons of a pool, of a run, or all, in an order that their contents give."""
        where, values = ["TRUE"], list[object]()
        for name, value in (("pool", pool), ("run", run and run.n)):
            if value is not None:
                where.append(f"{name} = ?")
                values.append(value)
        sql = (
            f"{_SELECT}{' AND '.join(where)}"
            " ORDER BY batch, pool, run_a, run_b, item_id, iteration, first"
        )
        return self._rows(sql, tuple(values), comparison_of)

    def pools(self, benchmark: str) -> list[tuple[RunRecord, str, str]]:
        """The pools that a benchmark's comparisons are in, by the run that asked and the judge."""
        sql = (
            f"SELECT c.pool, c.judge, {quoted(RUN_COLUMNS, 'r.')} FROM"
            " (SELECT DISTINCT run, pool, judge FROM comparisons) AS c"
            " JOIN runs AS r ON r.n = c.run WHERE r.benchmark = ? ORDER BY r.n, c.pool"
        )
        return list(self._rows(sql, (benchmark,), _pool_of))

    def compared_by(self, run: RunRecord) -> list[str]:
        """The names of models whose runs have had a comparison with a run read."""
        sql = "SELECT DISTINCT a FROM comparisons WHERE run_b = ? AND status = 'read' ORDER BY a"
        return list(self._rows(sql, (run.run_id,), lambda row: str(row[0])))

    def comparisons_but(self, pool: str, grader: str) -> Iterator[StoredComparison]:
        """The comparisons of a pool that were made, and are another grader's."""
        where = "pool = ? AND status != 'planned' AND grader IS NOT ?"
        return self._rows(_SELECT + where, (pool, grader), comparison_of)
