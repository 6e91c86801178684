"""What is looked for among all rows of a journal is found by an index."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from eibench.core.journal import Journal
from eibench.core.journal.opening import FILE

LOOKED_FOR = {
    "SELECT 1 FROM calls WHERE phase = 'trial' AND digest = ? LIMIT 1": "calls_of_trials",
    "SELECT DISTINCT a FROM comparisons WHERE run_b = ?": "comparisons_by_run_b",
    "SELECT count(*) FROM comparisons WHERE run_a = ?1 OR run_b = ?1": "comparisons_by_run_a",
    "DELETE FROM comparisons WHERE run_b = ?": "comparisons_by_run_b",
}


@pytest.mark.parametrize(("sql", "index"), LOOKED_FOR.items())
def test_index_is_used(tmp_path: Path, sql: str, index: str) -> None:
    """Neither replies nor comparisons are read from the first to the last."""
    with Journal(tmp_path), closing(sqlite3.connect(tmp_path / FILE)) as database:
        plan = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {sql}", ("x",))]
    assert any(f"{index} (" in step for step in plan), plan
    assert not any(step.startswith("SCAN") for step in plan), plan
