"""The comparisons of a journal, planned or done."""

import json
from collections.abc import Iterator
from typing import Any

from .file import JournalFile, now
from .records import RunRecord, StoredComparison, as_json, judge_in
from .schema import COMPARISONS
from .tables import Row, quoted

_ADD = COMPARISONS.adding()
_SELECT = f"SELECT {quoted(COMPARISONS.stored)} FROM comparisons WHERE "
_ORDER = " ORDER BY batch, pool, run_a, run_b, item_id, iteration, first"
_PLACE = ("run", *COMPARISONS.key)
"""The primary key."""
_SELECT_KEPT = f"SELECT {', '.join(_PLACE)}, {quoted(COMPARISONS.stored)} FROM comparisons WHERE "
_ONE_BY_ONE = 200
"""So many changed rows are read one by one; more of them with all the others."""
_Place = tuple[object, ...]
_Kept = tuple[object, StoredComparison]
"""A checksum, and the row that has it."""


def comparison_row(comparison: StoredComparison, at: str) -> tuple[object, ...]:
    """The columns of a comparison with its checksum, but for its run."""
    values = comparison._asdict()
    values |= {"margins": as_json(comparison.margins), "flags": as_json(comparison.flags)}
    values["judge"] = as_json(comparison.judge.as_json())
    return COMPARISONS.sealed((*values.values(), at))


def comparison_of(stored: Row) -> StoredComparison:
    """A comparison, planned or done, from all columns and the checksum.

    Raises:
        DamagedRow: It is not what was written.
    """
    *columns, _ = COMPARISONS.opened(stored)
    values: dict[str, Any] = dict(zip(COMPARISONS.columns, columns, strict=False))
    values["margins"] = json.loads(values["margins"])
    values["judge"] = judge_in(values["judge"])
    values["flags"] = tuple(json.loads(values["flags"]))
    return StoredComparison(**values)


def _kept_of(row: Row) -> tuple[_Place, _Kept]:
    key, stored = row[: len(_PLACE)], row[len(_PLACE) :]
    return key, (stored[-1], comparison_of(stored))


class ComparisonStore(JournalFile):
    """The journal's comparisons."""

    _kept: dict[str, dict[_Place, _Kept]] | None = None

    def add_comparison(self, run: RunRecord, comparison: StoredComparison) -> None:
        """Store a comparison, planned or done; it is on the disk with the next group."""
        self.writer.add(_ADD, (run.n, *comparison_row(comparison, now())))

    def keep_comparisons(self) -> None:
        """Read each comparison of a pool once from here on, and again only when it has changed.

        So what other processes write is seen as ever, and a long placement does not read all
        comparisons for each of its batches.
        """
        self._kept = {}

    def comparisons(
        self, pool: str | None = None, run: RunRecord | None = None
    ) -> Iterator[StoredComparison]:
        """The comparisons of a pool, of a run, or all, in an order that their contents give."""
        where, values = ["TRUE"], list[object]()
        for name, value in (("pool", pool), ("run", run and run.n)):
            if value is not None:
                where.append(f"{name} = ?")
                values.append(value)
        chosen, arguments = " AND ".join(where), tuple(values)
        if self._kept is None or pool is None:
            return self._rows(f"{_SELECT}{chosen}{_ORDER}", arguments, comparison_of)
        return self._changed_read(self._kept.setdefault(pool, {}), chosen, arguments)

    def _changed_read(
        self, kept: "dict[_Place, _Kept]", where: str, values: tuple[object, ...]
    ) -> Iterator[StoredComparison]:
        sql = f"SELECT {', '.join(_PLACE)}, crc FROM comparisons WHERE {where}{_ORDER}"
        present = list(self._rows(sql, values, lambda row: (row[:-1], row[-1])))
        changed = [key for key, crc in present if kept.get(key, (None,))[0] != crc]
        if len(changed) > _ONE_BY_ONE:
            kept.update(self._rows(f"{_SELECT_KEPT}{where}", values, _kept_of))
        else:
            one = " AND ".join(f"{name} = ?" for name in _PLACE)
            for key in changed:
                kept.update(self._rows(f"{_SELECT_KEPT}{one}", key, _kept_of))
        return (kept[key][1] for key, _ in present if key in kept)

    def compared_by(self, run: RunRecord) -> list[str]:
        """The names of models whose runs have had a comparison with a run read."""
        sql = "SELECT DISTINCT a FROM comparisons WHERE run_b = ? AND status = 'read' ORDER BY a"
        return list(self._rows(sql, (run.run_id,), lambda row: str(row[0])))

    def compared_names(self) -> set[str]:
        """The names of all models that are in a comparison, whether their runs are here or not."""
        sql = "SELECT a FROM comparisons UNION SELECT b FROM comparisons"
        return set(self._rows(sql, (), lambda row: str(row[0])))

    def comparisons_about(self, run_id: str, item_id: str) -> Iterator[StoredComparison]:
        """The comparisons of an item that a run is one side of, whoever asked for them."""
        where = "item_id = ? AND (run_a = ? OR run_b = ?)"
        return self._rows(_SELECT + where + _ORDER, (item_id, run_id, run_id), comparison_of)

    def comparisons_but(self, pool: str, grader: str) -> Iterator[StoredComparison]:
        """The comparisons of a pool that were made, and are another grader's."""
        where = "pool = ? AND status != 'planned' AND grader != ?"
        return self._rows(_SELECT + where, (pool, grader), comparison_of)
