"""Reading about many runs with few statements, in the order in which they will be asked about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Fetch = Callable[[str, tuple[object, ...]], Iterable[Sequence[Any]]]
AT_ONCE = 100
"""Runs that one statement reads: what it brings is held until the next one."""


class ReadAhead:
    """Rows about runs, read for those that follow too.

    Args:
        runs: Their numbers, in the order in which they will be asked about.
    """

    def __init__(self, runs: Sequence[int]) -> None:
        self._runs = list(dict.fromkeys(runs))
        self._places = {run: place for place, run in enumerate(self._runs)}
        self._read: dict[tuple[str, tuple[object, ...]], Mapping[int, list[Sequence[object]]]] = {}

    def rows(
        self, run: int, sql: str, values: tuple[object, ...], fetch: Fetch
    ) -> list[Sequence[object]]:
        """The rows about a run.

        Args:
            run: Its number.
            sql: Gives the run's number first; ``{of}`` stands where the runs are chosen.
            values: Of its other parameters.
            fetch: Executes a statement.
        """
        known = self._read.get((sql, values), {})
        if run not in known:
            known = self._fetch(run, sql, values, fetch)
            self._read[sql, values] = known
        return known[run]

    def _fetch(
        self, run: int, sql: str, values: tuple[object, ...], fetch: Fetch
    ) -> Mapping[int, list[Sequence[object]]]:
        place = self._places.get(run)
        batch = [run] if place is None else self._runs[place : place + AT_ONCE]
        found: dict[int, list[Sequence[object]]] = {n: [] for n in batch}
        for row in fetch(sql.format(of=f"IN ({', '.join(map(str, batch))})"), values):
            found[row[0]].append(row)
        return found
