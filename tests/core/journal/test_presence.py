"""A journal that is removed, replaced or cut off while a run goes on: the run stops and says so."""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eibench.core.errors import JournalError
from eibench.core.journal import Journal, RunRecord
from eibench.core.types import ChatResponse
from eibench.testing import Gate, LoopbackServer, uniform_ratings
from tests.core.sample.test_engine_stopping import CONCURRENCY, arguments, finish

from .test_journal import add, new_run

if TYPE_CHECKING:
    from tests.core.conftest import Bench


def remove(folder: Path) -> None:
    """``rm runs/bench.sqlite*``."""
    for path in folder.glob("bench.sqlite*"):
        path.unlink()


def remove_all(folder: Path) -> None:
    """``rm -rf runs``."""
    shutil.rmtree(folder)


def remove_log(folder: Path) -> None:
    """``rm runs/bench.sqlite-wal``."""
    (folder / "bench.sqlite-wal").unlink()


def replace(folder: Path) -> None:
    """Another journal in its place, made elsewhere by a process that was killed."""
    other = folder.with_name("other")
    program = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); from test_journal import *\n"
        "j = Journal(Path(sys.argv[2])); r = new_run(j, 'other')\n"
        "asyncio.run(add(j, r, 0, ChatResponse('theirs'))); os._exit(0)"
    )
    here = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", program, here, str(other)], check=True)
    for path in sorted(other.iterdir()):
        path.replace(folder / path.name)
    other.rmdir()


def texts(folder: Path) -> list[str]:
    """The replies in a journal."""
    with Journal(folder, create=False) as journal:
        return [call.response.text for run in journal.runs() for call in journal.calls(run)]


# The journal alone


def written(folder: Path) -> tuple[Journal, RunRecord]:
    """A journal that holds a reply which cost a quarter of a dollar, and its run."""
    journal = Journal(folder)
    run = new_run(journal)
    asyncio.run(add(journal, run, 0, ChatResponse("before", cost_usd=0.25)))
    return journal, run


@pytest.mark.parametrize("harm", [remove, remove_all, replace])
def test_what_is_lost_is_said_and_nothing_more_is_written(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """Whoever writes is told, and whoever closes; nothing is sent from then on."""
    folder = tmp_path / "runs"
    journal, run = written(folder)
    harm(folder)
    lost = r"was re\w+ while it was in use; nothing more .* 1 reply that it held \(\$0\.25\)"
    with pytest.raises(JournalError, match=lost):
        asyncio.run(add(journal, run, 1, ChatResponse("after")))
    assert str(journal.trouble).startswith(f"{journal.path} was re")
    with pytest.raises(JournalError, match=lost):
        journal.close()


def test_of_a_log_that_was_removed_nothing_is_lost(tmp_path: Path) -> None:
    """It is still open, so what it holds is brought into the file."""
    journal, run = written(tmp_path)
    remove_log(tmp_path)
    with pytest.raises(JournalError, match=r"-wal was removed .* What it held is in the journal"):
        asyncio.run(add(journal, run, 1, ChatResponse("after")))
    with pytest.raises(JournalError, match="-wal was removed"):
        journal.close()
    assert texts(tmp_path) == ["before"]


def test_harm_that_is_seen_only_at_the_end_is_told(tmp_path: Path) -> None:
    """Nothing has to be written for it."""
    journal, _ = written(tmp_path)
    remove(tmp_path)
    with pytest.raises(JournalError, match=r"the 1 reply that it held .* restore it from a copy"):
        journal.close()


def test_a_journal_that_took_the_place_is_left_alone(tmp_path: Path) -> None:
    """Not a row of it is touched, nor its log."""
    folder = tmp_path / "runs"
    journal, _ = written(folder)
    replace(folder)
    log = (folder / "bench.sqlite-wal").read_bytes()
    with pytest.raises(JournalError, match=r"bench\.sqlite was replaced"):
        journal.close()
    assert (folder / "bench.sqlite-wal").read_bytes() == log != b""
    assert texts(folder) == ["theirs"]


def test_a_place_that_cannot_be_looked_at_is_none(tmp_path: Path) -> None:
    """As when its folder may not be entered any more."""
    journal, run = written(tmp_path)
    journal.path.unlink()
    journal.path.symlink_to(journal.path.name)
    with pytest.raises(JournalError, match="was removed"):
        asyncio.run(add(journal, run, 1, ChatResponse("after")))
    with pytest.raises(JournalError, match="was removed"):
        journal.close()


def test_a_log_that_was_cut_off_is_told_and_what_is_in_the_file_stays(tmp_path: Path) -> None:
    """The journal is whole up to what the log held, instead of damaged."""
    with Journal(tmp_path) as journal:
        run = new_run(journal)
        asyncio.run(add(journal, run, 0, ChatResponse("in the file")))
    journal = Journal(tmp_path)
    for n in range(1, 30):
        asyncio.run(add(journal, run, n, ChatResponse("in the log" * 500)))
    os.truncate(tmp_path / "bench.sqlite-wal", 0)
    with pytest.raises(JournalError, match="was cut off"):
        asyncio.run(add(journal, run, 30, ChatResponse("x")))
    with pytest.raises(JournalError, match=r"was cut off .*the same command asks for them again"):
        journal.close()
    assert texts(tmp_path) == ["in the file"]


def test_a_log_that_was_emptied_in_good_order_is_no_harm(tmp_path: Path) -> None:
    """Another program may bring it into the file."""
    with Journal(tmp_path) as journal:
        run = new_run(journal)
        for n in range(10):
            asyncio.run(add(journal, run, n, ChatResponse("x" * 5000)))
        with closing(sqlite3.connect(journal.path)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert (tmp_path / "bench.sqlite-wal").stat().st_size == 0
        asyncio.run(add(journal, run, 10, ChatResponse("y")))
        assert journal.trouble is None
    assert len(texts(tmp_path)) == 11


# In a run


@pytest.fixture
def gate() -> Gate:
    """Lets six answers through."""
    return Gate(free=6)


@pytest.fixture
def server(gate: Gate) -> Iterator[LoopbackServer]:
    """Answers like a uniform rater, through the gate."""
    with LoopbackServer(uniform_ratings(1), latency=gate) as made:
        yield made


@pytest.mark.parametrize("harm", [remove, remove_all, remove_log, replace])
def test_a_run_whose_journal_went_ends_with_the_truth(
    bench: "Bench", server: LoopbackServer, gate: Gate, harm: Callable[[Path], None]
) -> None:
    """Exit 4 and one line; nothing more is sent, and what is lost is said."""
    runs = bench.folder / "runs"
    process = bench.start(*arguments(server, "--json"))
    gate.wait_for(CONCURRENCY)
    harm(runs)
    gate.open()
    out, err = finish(process)
    assert (process.returncode, json.loads(out)["error"]["kind"]) == (4, "journal"), err
    assert err.count("Error: ") == 1
    answered = len(server.answered)
    assert answered < 30
    assert "nothing more is sent" in err
    if harm is replace:
        assert texts(runs) == ["theirs"]
        return
    assert ("What it held is in the journal" in err) == (harm is remove_log)
    assert ("those in flight are lost" in err) == (harm is not remove_log)
    again = json.loads(bench(*arguments(server, "--json")).stdout)
    assert again["status"] == "complete"
    assert (again["calls"]["replayed"] > 0) == (harm is remove_log)
