"""Damage that SQLite does not see: one checksum a row, and the types of rows that have none."""

import asyncio
import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.errors import JournalError
from eibench.core.journal import Journal, PersonLabel, RunRecord, StoredComparison
from eibench.core.journal.health import read_health
from eibench.core.journal.schema import CALLS, CHECKED
from eibench.core.journal.tables import DamagedRow, quoted
from eibench.core.types import ChatResponse, Score

from .test_journal import GRADER, JUDGE, add, new_run

TABLES = [checked.name for checked in CHECKED]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A run with a call, a grade, a comparison and a label."""
    with Journal(tmp_path) as opened:
        run = new_run(opened)
        asyncio.run(add(opened, run, 0, ChatResponse("said", cost_usd=0.5)))
        score = Score({"v": 1.0}, flags=("odd",), detail={"why": "so"})
        opened.add_grade(run, GRADER, "1", 1, score)
        opened.add_comparison(run, comparison())
        opened.add_labels([(run, label())])
        opened.writer.flush()
        yield opened


def comparison() -> StoredComparison:
    """Two models compared."""
    keys = ("pool", "1", 1, "a" * 8, "b" * 8, "A", "B", "a")
    return StoredComparison(*keys, 1, "all", None, "read", JUDGE, "1", "g", {"wit": 2})


def label() -> PersonLabel:
    """What a person gave one of a pair."""
    drawn = (0.25, "low", "e1", "t", "u", "by a notice", "hm")
    return PersonLabel("a" * 12, "e2", "p-1", "1", 1, "b" * 8, "win", 0.5, *drawn)


def read_all(journal: Journal) -> list[Any]:
    """Everything, row by row."""
    (run,) = journal.runs()
    grades = [*journal.grades(run, GRADER, {"1": "1"}), journal.score_of(run, GRADER, "1", 1)]
    return [*journal.calls(run), *grades, *journal.comparisons(run=run), *journal.labels(run)]


def columns(table: str) -> list[str]:
    """Those of a table that its checksum covers."""
    return [*next(c.columns for c in CHECKED if c.name == table)]


def change(journal: Journal, sql: str) -> None:
    """As another program would."""
    with closing(sqlite3.connect(journal.path)) as database, database:
        database.execute(sql)


ELSEWHERE = {("grades", "grader"), ("calls", "item_id")}
"""Columns by which a row is another grader's or another item's when they change."""


@pytest.mark.parametrize(
    ("table", "column"),
    [(t, c) for t in TABLES for c in columns(t) if (t, c) not in ELSEWHERE],
)
def test_a_change_of_any_column_is_seen(journal: Journal, table: str, column: str) -> None:
    """The error names the item."""
    assert len(read_all(journal)) == 5
    change(journal, f'UPDATE {table} SET "{column}" = 77')
    with pytest.raises(JournalError, match=r"damaged.*iteration .*does not fit its checksum"):
        read_all(journal)


def test_the_run_and_the_item_are_named(journal: Journal) -> None:
    """Who reads it knows what is lost."""
    change(journal, "UPDATE calls SET text = 'sald'")
    with pytest.raises(JournalError, match=r"run r1, a call of item '1', iteration 1"):
        read_all(journal)


def test_no_single_flipped_bit_of_a_reply_passes(journal: Journal) -> None:
    """CRC-32 sees every error of one bit."""
    (row,) = rows(journal, "calls")
    text = CALLS.columns.index("text")
    for n in range(8 * len(row[text])):
        data = bytearray(row[text].encode("latin-1"))
        data[n // 8] ^= 1 << n % 8
        damaged = (*row[:text], data.decode("latin-1"), *row[text + 1 :])
        with pytest.raises(DamagedRow):
            CALLS.opened(damaged)


def rows(journal: Journal, table: str) -> list[Any]:
    """Rows with all their columns and the checksum."""
    names = quoted(next(c.stored for c in CHECKED if c.name == table))
    with closing(sqlite3.connect(journal.path)) as database:
        return database.execute(f"SELECT {names} FROM {table}").fetchall()


SCALARS = st.none() | st.booleans() | st.floats() | st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(number=SCALARS, text=TEXTS)
def test_what_sqlite_gives_back_has_the_same_checksum(number: Any, text: str) -> None:
    """Whatever it makes of a number in a column of reals, whole numbers or texts."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (latency_s REAL, attempts INTEGER, text TEXT)")
        database.execute("INSERT INTO t VALUES (?, ?, ?)", (number, number, text))
        (found,) = database.execute("SELECT * FROM t").fetchall()
    blank = dict.fromkeys(CALLS.columns)
    names = ("latency_s", "attempts", "text")
    sums = [
        CALLS.sealed([(blank | dict(zip(names, values, strict=True)))[c] for c in CALLS.columns])[
            -1
        ]
        for values in ((number, number, text), found)
    ]
    assert sums[0] == sums[1]


def test_doctor_looks_at_every_row(journal: Journal) -> None:
    """Also at those that no other command reads."""
    assert read_health(journal.folder)
    change(journal, "UPDATE grades SET detail = '{}'")
    with pytest.raises(JournalError, match="a grade of item '1'"):
        read_health(journal.folder)


# What a row holds


WRONG = ["7", "7.5", "'x'", "x'ff'", "'[1]'", "'{}'", "'[[1,2]]'", '\'{"v":"x"}\'', "'['"]


@pytest.fixture
def demo(invoke: Callable[..., Any]) -> RunRecord:
    """A run that the command made."""
    arguments = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", 2)
    assert invoke(*arguments).code == 0
    with Journal(Path("runs/demo")) as journal:
        return journal.runs()[0]


COMMANDS = ("runs", "show", "show-item", "rescore", "export", "leaderboard", "run")


@pytest.mark.parametrize("table", ["runs", "parties", "calls", "grades"])
def test_a_value_of_a_wrong_type_is_a_damaged_journal(
    invoke: Callable[..., Any], demo: RunRecord, table: str
) -> None:
    """Or it does no harm; no command ends as if the fault were in the program."""
    arguments: dict[str, tuple[object, ...]] = {
        "runs": ("runs",),
        "show": ("show", demo.run_id),
        "show-item": ("show", demo.run_id, "1"),
        "rescore": ("rescore", demo.run_id),
        "export": ("export", demo.run_id, "-o", "-"),
        "leaderboard": ("leaderboard", "eqbench-v1"),
        "run": ("run", "eqbench-v1", "--dataset", "bundled", "--limit", 2),
    }
    whole = Path("runs/demo/bench.sqlite").read_bytes()
    drawn = random.Random(table)
    for column in names_of(table):
        for value in drawn.sample(WRONG, 3):
            Path("runs/demo/bench.sqlite").write_bytes(whole)
            with closing(sqlite3.connect("runs/demo/bench.sqlite")) as database, database:
                database.execute(f'UPDATE OR IGNORE {table} SET "{column}" = {value}')
            for command in drawn.sample(COMMANDS, 3):
                done = invoke(*arguments[command])
                place = f"{table}.{column} = {value}, {command}: {done.err}"
                assert "unexpected" not in done.err, place
                assert done.code in range(5), place


def names_of(table: str) -> list[str]:
    """The columns that can be changed."""
    with closing(sqlite3.connect("runs/demo/bench.sqlite")) as database:
        found = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    return [
        name for name in found if name not in ("n", "run", "crc", "detail_crc", "run_id", "ordinal")
    ]


def test_settings_that_lack_something_are_damage(
    invoke: Callable[..., Any], demo: RunRecord
) -> None:
    """What every run has is not there."""
    with closing(sqlite3.connect("runs/demo/bench.sqlite")) as database, database:
        database.execute("UPDATE runs SET settings = ?", (json.dumps({}),))
    done = invoke("rescore", demo.run_id)
    assert done.code == 4
    assert "the settings of a run hold no" in done.err
