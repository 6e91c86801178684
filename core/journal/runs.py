"""The runs of a journal, their results, and whom they have asked."""

import json
from dataclasses import fields
from typing import Any, cast

from ..errors import UsageError
from ..parties.party import Party
from ..types import digest
from ..types.result_document import ResultDocument
from .file import JournalFile, now, object_of
from .records import AskedParties, RunRecord, StoredSettings, as_json, party_in
from .schema import PARTIES, RUNS
from .tables import DamagedRow, Row, quoted
from .temporary import Reserve

RUN_COLUMNS = tuple(field.name for field in fields(RunRecord))
"""A run's number, and all that is stored of it but its result."""
_SELECT = f"SELECT {quoted(RUN_COLUMNS)} FROM runs"


def run_of(row: Row) -> RunRecord:
    """A run from its `RUN_COLUMNS`.

    Raises:
        DamagedRow: It holds what no run does.
    """
    columns = dict(zip(RUN_COLUMNS, row, strict=True))
    if wrong := RUNS.wrong_type(RUN_COLUMNS[1:], row[1:]):
        raise DamagedRow(f"run {columns['run_id']!r:.60}: {wrong}")
    settings = StoredSettings(json.loads(columns["settings"]))
    return RunRecord(**columns | {"settings": settings, "demo": bool(columns["demo"])})


def asked_of(row: Row) -> AskedParties:
    """Whom a run has asked, from the run's id and the columns of a party.

    Raises:
        DamagedRow: It holds what no party does.
    """
    run_id, *columns = row
    if wrong := PARTIES.wrong_type(PARTIES.columns, columns):
        raise DamagedRow(f"run {run_id!r:.60}, a party: {wrong}")
    role, party, addresses, entry = columns
    at = tuple(json.loads(addresses))
    return AskedParties(run_id, role, party_in(party), at, entry and json.loads(entry))


def document_of(text: str) -> ResultDocument:
    """A run's result.

    Raises:
        DamagedRow: It is none.
    """
    document = object_of(text)
    if wrong := RUNS.shapes["document"](document):
        raise DamagedRow(f"its result {wrong}")
    return cast("ResultDocument", document)


_STATES = [
    f"SELECT '{table}', count(*), max(at) FROM {table} WHERE run = ?1"
    for table in ("calls", "grades", "failures")
]
_STATE_OF_COMPARISONS = (
    "SELECT 'comparisons', count(*), max(at) FROM comparisons WHERE run_a = ?2 OR run_b = ?2"
)


class RunStore(JournalFile):
    """The journal's runs and their results."""

    def find_run(self, run_id: str) -> RunRecord | None:
        """The run of that id, if it is there."""
        sql = f"{_SELECT} WHERE run_id = ?"
        return next(self._rows(sql, (run_id,), run_of), None)

    def runs_like(self, start: str) -> list[RunRecord]:
        """The runs whose id begins so."""
        sql = f"{_SELECT} WHERE substr(run_id, 1, ?) = ? ORDER BY n"
        return list(self._rows(sql, (len(start), start), run_of))

    def runs_called(self, word: str) -> list[RunRecord]:
        """The runs of that id, and those whose benchmark, model or model's name is called so."""
        sql = f"{_SELECT} WHERE ? IN (run_id, benchmark, name, model) ORDER BY n"
        return list(self._rows(sql, (word,), run_of))

    def newest_run(self, identity: str) -> RunRecord | None:
        """The latest run of that identity, if there is one."""
        sql = f"{_SELECT} WHERE identity = ? ORDER BY ordinal DESC LIMIT 1"
        return next(self._rows(sql, (identity,), run_of), None)

    @property
    def demo(self) -> bool | None:
        """Whether its runs are demo runs, as all are or none is; ``None`` where it has no run."""
        return next(self._rows("SELECT demo FROM runs LIMIT 1", (), lambda row: bool(row[0])), None)

    def refuse_kind(self, *, demo: bool) -> None:
        """Refuse, by `UsageError`, demo runs beside real ones, or real ones beside demo runs."""
        if self.demo not in (None, demo):
            kind = "demo runs" if self.demo else "runs of real models"
            message = f"{self.folder} holds {kind}, and no folder holds both"
            raise UsageError(f"{message}; name another one with --runs-dir")

    def runs(self) -> list[RunRecord]:
        """All runs, oldest first."""
        return list(self._rows(f"{_SELECT} ORDER BY n", (), run_of))

    def state_of(self, run: RunRecord) -> str:
        """A digest that is another one whenever a row about a run has changed."""
        sql = " UNION ALL ".join(_STATES) + f" UNION ALL {_STATE_OF_COMPARISONS}"
        rows = list(self._rows(sql, (run.n, run.run_id), list))
        return digest([run.run_id, *rows])

    def kept_settings(self, name: str) -> dict[str, str]:
        """By benchmark a setting of its newest run that has it; few runs have such a one."""
        sql = (
            f"{_SELECT} WHERE n IN (SELECT max(n) FROM runs WHERE instr(settings, ?)"
            " GROUP BY benchmark) ORDER BY n"
        )
        runs = self._rows(sql, (f'"{name}": "',), run_of)
        return {run.benchmark: str(run.settings[name]) for run in runs if name in run.settings}

    def keep_setting(self, run: RunRecord, name: str, value: str) -> None:
        """Store another value of a setting that is no part of a run's identity."""
        settings = json.dumps({**run.settings, name: value})
        self._add("UPDATE runs SET settings = ? WHERE n = ?", (settings, run.n))
        self.writer.flush()

    def add_run(self, **columns: Any) -> RunRecord:
        """Add a run of these columns: all of `RunRecord` but ``n``, times and status."""
        columns |= {"settings": json.dumps(columns["settings"]), "demo": int(columns["demo"])}
        columns |= {"created_at": now(), "status": "running", "elapsed_s": 0.0}
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        self._add(f"INSERT INTO runs ({names}) VALUES ({marks})", tuple(columns.values()))
        self.writer.flush()
        run = self.find_run(columns["run_id"])
        assert run is not None
        self.add_asked(run, AskedParties(run.run_id, "model", run.party))
        return run

    def delete_run(self, run: RunRecord) -> None:
        """Forget a run with all its calls and grades, and the comparisons with it."""
        self._add("DELETE FROM runs WHERE n = ?", (run.n,))
        self._add("DELETE FROM comparisons WHERE run_b = ?", (run.run_id,))
        self.writer.flush()
        self._noted.clear()  # a later run may get its number
        self._ways.clear()

    def prepare_to_send(self, run: RunRecord, concurrency: int) -> None:
        """Make sure that replies can be kept, before any is paid for.

        Raises:
            JournalError: There is no room for them, or nothing can be written.
        """
        if self.writer.reserve is None:
            self.writer.reserve = Reserve(self.folder, run.run_id, concurrency)
        self._add("UPDATE runs SET status = 'running' WHERE n = ?", (run.n,))
        self.writer.flush()

    def asked(self, run: RunRecord | None = None, role: str | None = None) -> list[AskedParties]:
        """Whom a run, or all runs, have asked, those first that were asked first."""
        sql = (
            f"SELECT r.run_id, {quoted(PARTIES.columns, 'p.')} FROM parties AS p"
            " JOIN runs AS r ON r.n = p.run WHERE (?1 IS NULL OR p.run = ?1)"
            " AND (?2 IS NULL OR p.role = ?2) ORDER BY p.n"
        )
        return list(self._rows(sql, (run and run.n, role), asked_of))

    def addresses(self, run: RunRecord | None = None) -> dict[Party, str]:
        """Where a run, or any, asked each party last, of those that were asked at an address."""
        return {one.party: one.addresses[-1] for one in self.asked(run) if one.addresses}

    def add_asked(self, run: RunRecord, asked: AskedParties) -> None:
        """Store whom a run asks now, and where; what its server said first stays."""
        same = (one for one in self.asked(run, asked.role) if one.party == asked.party)
        before = (url for one in same for url in one.addresses if url not in asked.addresses)
        addresses, entry = [*before, *asked.addresses], asked.entry and as_json(asked.entry)
        self._add(
            f"{PARTIES.adding('INSERT')} ON CONFLICT (run, role, party) DO UPDATE SET"
            " addresses = excluded.addresses, entry = coalesce(entry, excluded.entry)",
            (run.n, asked.role, as_json(asked.party.as_json()), as_json(addresses), entry),
        )

    def spend_time(self, run: RunRecord, seconds: float) -> None:
        """Store that a command has worked so much longer on a run, in case it is killed."""
        self._add("UPDATE runs SET elapsed_s = elapsed_s + ? WHERE n = ?", (seconds, run.n))

    def end_run(
        self,
        run: RunRecord,
        status: str,
        *,
        seconds: float,
        finished: bool | None,
        document: ResultDocument | None = None,
    ) -> None:
        """Store how a command on a run ended, what it took, and the run's own result if it has one.

        `finished` is whether it has gone through all samples; ``None`` leaves that as it is.
        """
        ended = "finished_at" if finished is None else "?"
        at = [] if finished is None else [now() if finished else None]
        self._add(
            f"UPDATE runs SET status = ?, elapsed_s = elapsed_s + ?, finished_at = {ended},"
            " document = coalesce(?, document) WHERE n = ?",
            (status, seconds, *at, document and as_json(document), run.n),
        )
        self.writer.flush()

    def document(self, run: RunRecord) -> ResultDocument | None:
        """The run's last result document, if it has one."""
        sql = "SELECT n, document FROM runs WHERE n {of} AND document IS NOT NULL"
        return next(self._rows_of(run, sql, (), lambda row: document_of(row[0])), None)
