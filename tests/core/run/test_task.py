"""What a command is to do, where the journal has changed meanwhile."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import JournalError
from eibench.core.journal import Journal
from eibench.core.run.task import Regrade
from eibench.core.runs.stored_run import StoredRun


def test_a_run_that_was_deleted_is_not_begun_anew_to_judge_it(invoke: Callable[..., Any]) -> None:
    """It is said which run is gone, and none is made."""
    invoke("run", "eqbench3", "--limit", 1, "--no-elo", "--model", "demo/medium")
    with Journal(Path("runs/demo")) as journal:
        (record,) = journal.runs()
        stored = StoredRun(journal, record)
        task = Regrade(stored.config(), stored.pack, record)
        assert task.find(journal).run == record
        journal.delete_run(record)
        with pytest.raises(JournalError, match=f"run {record.run_id} was deleted"):
            task.find(journal)
        assert journal.runs() == []
