"""The journal: what is in it stays in it, and failures are told."""

import asyncio
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.core.errors import JournalError
from eibench.core.journal import CallKey, Failure, Journal, RunRecord, StoredComparison
from eibench.core.journal.schema import FORM
from eibench.core.journal.writer import GroupWriter
from eibench.core.parties.graders import Grader
from eibench.core.parties.party import Party
from eibench.core.types import ChatRequest, ChatResponse, Finish, Message, Score, Usage

REQUEST = ChatRequest((Message("user", "Hello"),))


def new_run(journal: Journal, run_id: str = "r1") -> RunRecord:
    """A run with the least that it needs."""
    return journal.add_run(
        run_id=run_id,
        identity=run_id * 4,
        ordinal=1,
        benchmark="talk",
        benchmark_version="1",
        model="openai/model",
        name="openai/model",
        demo=False,
        pack_name="custom",
        pack_sha256="a" * 64,
        endpoint=None,
        settings={},
    )


JUDGE = Party.of("openai/judge")
GRADER = Grader("1", JUDGE)


async def add(journal: Journal, run: RunRecord, n: int, response: ChatResponse) -> ChatResponse:
    """One more call of item 1."""
    key = CallKey("generate", "d", n)
    return await journal.add_call(run, "1", 1, key, Party.of("openai/model"), REQUEST, response)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A new journal."""
    with Journal(tmp_path / "runs") as opened:
        yield opened


# What comes back


async def test_a_call_comes_back_as_it_was_stored(journal: Journal) -> None:
    """Every field of a response survives."""
    response = ChatResponse(
        text="words",
        reasoning="thoughts",
        finish=Finish.LENGTH,
        finish_raw="max_tokens",
        model="model-1",
        fingerprint="fp",
        request_id="req",
        usage=Usage(1, 2, 3, 4, 5),
        latency_s=0.25,
        attempts=3,
        sent={"temperature": 0.5},
        cost_usd=0.001,
        price_source="table",
    )
    run = new_run(journal)
    await add(journal, run, 0, response)
    (call,) = journal.calls(run)
    assert (call.key, call.messages) == (CallKey("generate", "d", 0), REQUEST.messages)
    assert call.response == response


@settings(max_examples=30, deadline=None)
@given(texts=st.lists(st.text(st.characters(exclude_categories=())), min_size=1, max_size=5))
def test_what_the_plugin_sees_is_what_is_read_back(texts: list[str], tmp_path_factory: Any) -> None:
    """Whatever code points a reply has, NUL and lone surrogates too, both are the same."""

    async def check() -> None:
        with Journal(tmp_path_factory.mktemp("runs")) as journal:
            run = new_run(journal)
            seen = [await add(journal, run, n, ChatResponse(t)) for n, t in enumerate(texts)]
            assert [call.response.text for call in journal.calls(run)] == [r.text for r in seen]

    asyncio.run(check())


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("half \ud83d of a smile", "half \ufffd of a smile"),
        ("\ude00", "\ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("nul \0 in it", "nul \0 in it"),
        ("é\r\n\t\x1b[31m", "é\r\n\t\x1b[31m"),
        ("x" * 2**20, "x" * 2**20),
    ],
    ids=["lone high", "lone low", "pair", "nul", "controls", "1 MB"],
)
async def test_odd_texts_are_kept(journal: Journal, text: str, kept: str) -> None:
    """What UTF-8 can hold is kept as it is; half of a surrogate pair becomes U+FFFD."""
    run = new_run(journal)
    seen = await add(journal, run, 0, ChatResponse(text, reasoning=text))
    (call,) = journal.calls(run)
    assert (call.response.text, call.response.reasoning) == (kept, kept)
    assert seen == call.response


def test_a_score_that_json_cannot_hold_is_refused_alone(journal: Journal) -> None:
    """NaN raises for its caller; the journal goes on."""
    run = new_run(journal)
    with pytest.raises(ValueError, match="JSON"):
        journal.add_grade(run, GRADER, "1", 1, Score({"v": float("nan")}))
    journal.add_grade(run, GRADER, "1", 1, Score({"v": 1.0}))
    journal.writer.flush()
    assert [s.score.values for s in journal.grades(run, GRADER, {"1": "1"})] == [{"v": 1.0}]


def test_a_score_takes_the_place_of_a_failure(journal: Journal) -> None:
    """A sample that failed and then was graded is not among the failures."""
    run = new_run(journal)
    journal.add_failure(run, Failure("1", 1, "server", "500", 3))
    journal.add_grade(run, GRADER, "1", 1, Score({"v": 1.0}))
    journal.writer.flush()
    assert list(journal.failures(run)) == []


def test_deleting_a_run_takes_all_that_was_its(journal: Journal) -> None:
    """Calls, grades and failures of a deleted run are gone; another run's stay."""
    runs = [new_run(journal, "r1"), new_run(journal, "r2")]
    for run in runs:
        asyncio.run(add(journal, run, 0, ChatResponse("x")))
        journal.add_grade(run, GRADER, "1", 1, Score({"v": 1.0}))
        journal.add_failure(run, Failure("2", 1, "server", "500", 3))
    journal.delete_run(runs[0])
    assert [run.run_id for run in journal.runs()] == ["r2"]
    assert [journal.count_calls(run) for run in runs] == [0, 1]
    assert [len(list(journal.failures(run))) for run in runs] == [0, 1]
    assert [[g for g, _ in journal.graders(run)] for run in runs] == [[], [GRADER]]


# On the disk


async def test_many_writers_share_transactions(journal: Journal) -> None:
    """A thousand replies at a time take far fewer commits, and all are there."""
    run = new_run(journal)
    before = journal.writer.commits
    await asyncio.gather(*(add(journal, run, n, ChatResponse("x")) for n in range(1000)))
    assert journal.count_calls(run) == 1000
    assert journal.writer.commits - before <= 20


@pytest.mark.parametrize("others", [3, 300])
def test_kept_comparisons_are_those_that_are_there(journal: Journal, others: int) -> None:
    """What another process adds, changes or takes away is seen, however much it is."""
    run = new_run(journal)
    with Journal(journal.folder) as other:
        journal.keep_comparisons()
        planned = [a_comparison(f"item {n}") for n in range(others)]
        for row in planned:
            other.add_comparison(run, row)
        other.writer.flush()
        assert list(journal.comparisons("pool")) == list(other.comparisons("pool"))
        journal.add_comparison(run, planned[0]._replace(status="read", margins={"wit": 2}))
        other.add_comparison(run, a_comparison("one more"))
        journal.writer.flush()
        other.writer.flush()
        there = list(journal.comparisons("pool", run))
        assert there == list(other.comparisons("pool", run)) and len(there) == others + 1
        assert [row.status for row in there].count("read") == 1
        journal.delete_run(run)
        assert list(journal.comparisons("pool")) == []


def a_comparison(item_id: str) -> StoredComparison:
    """One that is planned."""
    who = ("run 1", "run 2", "model a", "model b", "a")
    return StoredComparison(
        "pool", item_id, 1, *who, 1, "all", None, "planned", JUDGE, "family", "g"
    )


def test_a_reply_is_on_the_disk_before_anyone_sees_it(tmp_path: Path) -> None:
    """A process that is killed the moment it has the reply loses nothing."""
    program = f"""
        import asyncio, os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from test_journal import Journal, ChatResponse, add, new_run

        async def main():
            journal = Journal(Path({str(tmp_path)!r}))
            await add(journal, new_run(journal), 0, ChatResponse("kept"))
            os.kill(os.getpid(), signal.SIGKILL)

        asyncio.run(main())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    assert done.returncode == -signal.SIGKILL
    with Journal(tmp_path) as journal:
        (run,) = journal.runs()
        assert [call.response.text for call in journal.calls(run)] == ["kept"]


async def test_reading_goes_on_while_another_writes(tmp_path: Path) -> None:
    """A second opening sees each committed call at once and is never blocked."""
    with Journal(tmp_path) as writing, Journal(tmp_path) as reading:
        run = new_run(writing)
        for n in range(20):
            await add(writing, run, n, ChatResponse("x"))
            assert reading.count_calls(run) == n + 1


async def test_two_writers_use_one_file(tmp_path: Path) -> None:
    """Two journals on one file write at the same time, each its own run, and lose nothing."""
    with Journal(tmp_path) as one, Journal(tmp_path) as other:
        runs = [(one, new_run(one, "r1")), (other, new_run(other, "r2"))]
        await asyncio.gather(
            *(add(j, run, n, ChatResponse("x")) for n in range(300) for j, run in runs)
        )
        assert [one.count_calls(run) for _, run in runs] == [300, 300]


def test_processes_that_create_it_at_once_share_one(tmp_path: Path) -> None:
    """Many processes that find no journal make one, and each one's run is in it."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_journal import *\n"
        "with Journal(Path(sys.argv[2])) as j: new_run(j, sys.argv[3])"
    )
    here = str(Path(__file__).parent)
    processes = [
        subprocess.Popen([sys.executable, "-c", program, here, str(tmp_path), f"r{n}"])
        for n in range(4)
    ]
    assert [process.wait(30) for process in processes] == [0] * 4
    with Journal(tmp_path) as journal:
        assert sorted(run.run_id for run in journal.runs()) == ["r0", "r1", "r2", "r3"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bench.sqlite"]


def test_another_opening_in_the_process_keeps_the_first_one_safe(tmp_path: Path) -> None:
    """What a later process does at its end leaves the log of the first to it.

    A POSIX lock goes when its process closes any descriptor of the file, so a second look at
    the file's header would leave the first opening without its lock.
    """
    program = "import sys; sys.path.insert(0, sys.argv[1]); from test_journal import *\n"
    program += "with Journal(Path(sys.argv[2])) as j: print(*map(j.count_calls, j.runs()))"
    command = [sys.executable, "-c", program, str(Path(__file__).parent), str(tmp_path)]
    with Journal(tmp_path) as journal:
        run = new_run(journal)
        asyncio.run(add(journal, run, 0, ChatResponse("x")))
        Journal(tmp_path).close()
        said = []
        for n in (1, 2):
            said.append(subprocess.run(command, check=True, capture_output=True).stdout)
            asyncio.run(add(journal, run, n, ChatResponse("x")))
    assert said == [b"1\n", b"2\n"]


@pytest.mark.parametrize("name", ["bench.sqlite", "bench.sqlite-wal", "bench.sqlite-shm"])
@pytest.mark.parametrize("command", ["runs", "doctor"])
def test_a_pipe_in_place_of_a_file_is_refused(tmp_path: Path, name: str, command: str) -> None:
    """Opening it would wait for ever."""
    if name != "bench.sqlite":
        whole(tmp_path / "runs")
    (tmp_path / "runs").mkdir(exist_ok=True)
    os.mkfifo(tmp_path / "runs" / name)
    bench = [sys.executable, "-c", "from eibench.core.cli import main; main()", command]
    done = subprocess.run(bench, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 4
    assert f"{name} is no plain file" in done.stdout + done.stderr


# The writer's failures


def break_writer(journal: Journal) -> None:
    """Make the next write fail."""
    journal.writer.add("INSERT INTO nowhere VALUES (1)", ())


@pytest.mark.parametrize(
    "values",
    [(object(),), (2**70,), (1, 2)],
    ids=["no SQLite type", "too large", "too many"],
)
async def test_any_error_of_the_writer_reaches_who_waits(
    journal: Journal, values: tuple[Any, ...]
) -> None:
    """Not only SQLite's errors: whoever waits for a row hears of it, and none waits for ever."""
    async with asyncio.timeout(60):
        with pytest.raises(JournalError, match="cannot write to"):
            await journal.writer.write("INSERT INTO failures (run) VALUES (?)", values)


async def test_after_a_failure_every_write_is_refused(journal: Journal) -> None:
    """Later rows, waited for or not, and flushes raise; nothing is written half."""
    run = new_run(journal)
    waiting = asyncio.create_task(add(journal, run, 0, ChatResponse("x")))
    await asyncio.sleep(0)
    break_writer(journal)
    with pytest.raises(JournalError):
        await waiting
    with pytest.raises(JournalError):
        await add(journal, run, 1, ChatResponse("x"))
    with pytest.raises(JournalError):
        journal.add_failure(run, Failure("1", 1, "server", "x", 1))
    with pytest.raises(JournalError):
        journal.writer.flush()
    assert journal.count_calls(run) == 0


async def test_a_closed_writer_refuses(journal: Journal) -> None:
    """A row given after the end is an error, not a wait without end."""
    writer = journal.writer
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        await writer.write("SELECT 1", ())
    with pytest.raises(JournalError, match="closed"):
        writer.flush()


def test_the_writer_outlives_the_loop_of_who_waited(tmp_path: Path) -> None:
    """A loop that closed before its row was written does not end the thread."""
    before = set(threading.enumerate())
    with closing(sqlite3.connect(tmp_path / "db", check_same_thread=False)) as connection:
        connection.execute("CREATE TABLE t (x)")
        writer = GroupWriter(connection, "db")

        async def leave() -> None:
            writing = asyncio.create_task(writer.write("INSERT INTO t VALUES (?)", (1,)))
            await asyncio.sleep(0)
            writing.cancel()

        for _ in range(5):
            asyncio.run(leave())
        writer.flush()
        writer.close()
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (5,)
    assert not [t for t in threading.enumerate() if t.name == "journal" and t not in before]


# Files that are no journal


def whole(tmp_path: Path) -> Path:
    """A journal with some pages of calls, closed."""

    async def fill() -> None:
        with Journal(tmp_path) as journal:
            run = new_run(journal)
            await asyncio.gather(
                *(add(journal, run, n, ChatResponse("x" * 500)) for n in range(200))
            )

    asyncio.run(fill())
    return tmp_path / "bench.sqlite"


def overwrite(path: Path, at: int, with_: bytes) -> None:
    """Put other bytes into a file."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(with_)


def foreign(path: Path) -> None:
    """Put a database of somebody else there, with a log that is not merged yet."""
    path.unlink()
    program = (
        "import sqlite3, os, sys; c = sqlite3.connect(sys.argv[1]);"
        "c.execute('PRAGMA journal_mode=WAL'); c.execute('CREATE TABLE t (x)');"
        "c.execute('INSERT INTO t VALUES (1)'); c.commit(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)


def newer(path: Path) -> None:
    """Raise the schema's number."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORM + 1}")


DAMAGE = {
    "header": lambda path: overwrite(path, 0, os.urandom(100)),
    "page in the middle": lambda path: overwrite(path, 4096 * 5, os.urandom(4096)),
    "schema": lambda path: overwrite(path, 100, b"\xff" * 2000),
    "cut in the middle": lambda path: os.truncate(path, 4096 * 6),
    "cut in the header": lambda path: os.truncate(path, 50),
    "empty": lambda path: os.truncate(path, 0),
    "text": lambda path: path.write_text("These are my notes.\n" * 50),
    "foreign": foreign,
    "newer": newer,
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("create", [True, False], ids=["bench run", "bench show"])
def test_a_file_that_is_no_journal_is_refused_as_it_is(
    tmp_path: Path, damage: str, create: bool
) -> None:
    """One clear error; not a byte of the file changes, and it is never read as empty."""
    path = whole(tmp_path)
    DAMAGE[damage](path)
    before = path.read_bytes()
    with pytest.raises(JournalError) as error:
        Journal(tmp_path, create=create)
    message = str(error.value)
    assert str(path) in message
    assert ("newer" if damage == "newer" else "nothing was changed") in message
    assert "--runs-dir" in message
    assert path.read_bytes() == before


def test_a_damaged_file_with_an_unmerged_log_is_not_touched(tmp_path: Path) -> None:
    """Opening must not merge the log of a killed process into a file that is damaged."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_journal import *\n"
        "j = Journal(Path(sys.argv[2])); r = new_run(j)\n"
        "asyncio.run(add(j, r, 10**6, ChatResponse('x' * 9000))); os._exit(0)"
    )
    whole(tmp_path / "runs")
    path = tmp_path / "runs" / "bench.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM runs")  # so that the new run has room for its id
    here = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", program, here, str(path.parent)], check=True)
    overwrite(path, 4096 * 5, b"\xff" * 4096 * 4)
    files = {name: (path.parent / name).read_bytes() for name in (path.name, f"{path.name}-wal")}
    with pytest.raises(JournalError, match="damaged"):
        Journal(path.parent)
    assert {name: (path.parent / name).read_bytes() for name in files} == files


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("UPDATE runs SET settings = '{'", lambda j, r: j.find_run("r1")),
        ("UPDATE runs SET document = 'x'", lambda j, r: j.document(r)),
        ("UPDATE calls SET messages = '[1]'", lambda j, r: list(j.calls(r))),
        ("UPDATE calls SET finish = 'odd'", lambda j, r: list(j.calls(r))),
        ("UPDATE calls SET text = CAST(x'ff' AS TEXT)", lambda j, r: list(j.calls(r))),
        (
            "UPDATE grades SET \"values\" = 'nan!'",
            lambda j, r: list(j.grades(r, GRADER, {"1": "1"})),
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_a_damaged_journal(
    journal: Journal, sql: str, read: Any
) -> None:
    """Contents that are not what we write are told as one error, not a traceback."""
    run = new_run(journal)
    asyncio.run(add(journal, run, 0, ChatResponse("x")))
    journal.add_grade(run, GRADER, "1", 1, Score({"v": 1.0}))
    journal.writer.add(sql, ())
    journal.writer.flush()
    with pytest.raises(JournalError, match=r"bench\.sqlite"):
        read(journal, run)


# Folders


@pytest.mark.parametrize("below", ["", "runs"], ids=["is a file", "under a file"])
def test_a_folder_that_cannot_be_is_refused(tmp_path: Path, below: str) -> None:
    """The message names the folder, the reason and the option."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(JournalError, match=r"cannot keep runs in .*file.*--runs-dir"):
        Journal(tmp_path / "file" / below)


def test_a_folder_without_a_journal_is_not_made_by_reading(tmp_path: Path) -> None:
    """Looking for runs where there are none says so, and leaves nothing behind."""
    with pytest.raises(JournalError, match="no runs in"):
        Journal(tmp_path / "none", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path: Path) -> None:
    """The message says why."""
    tmp_path.chmod(0o500)
    with pytest.raises(JournalError, match="Permission denied"):
        Journal(tmp_path / "runs")


# The disk is full


def limited(limit: int) -> Any:
    """What makes a child process unable to write files longer than `limit` bytes."""

    def apply() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return apply


def test_when_the_disk_is_full_all_committed_replies_are_kept(tmp_path: Path) -> None:
    """The failing write raises; what was told to be on the disk is there afterwards."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_journal import *\n"
        "async def main():\n"
        "    with Journal(Path(sys.argv[2])) as j:\n"
        "        r = new_run(j)\n"
        "        for n in range(10**4):\n"
        "            await add(j, r, n, ChatResponse('x' * 5000))\n"
        "            print(n, flush=True)\n"
        "asyncio.run(main())\n"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", program, here, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited(300_000),
    )
    message = len(done.stdout.split())
    assert "JournalError: cannot write to" in done.stderr
    assert message > 10
    with Journal(tmp_path) as journal:
        (run,) = journal.runs()
        assert journal.count_calls(run) == message


@pytest.mark.skipif(
    not shutil.which("unshare")
    or subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode != 0,
    reason="needs a mount namespace of its own (root on Linux)",
)
@pytest.mark.parametrize(
    ("size", "kept"),
    [("32k", "0"), ("2500k", "[1-9][0-9]+")],  # 2 MiB are kept for replies in flight
    ids=["no room to begin", "full half-way"],
)
def test_a_run_on_a_full_disk_ends_with_one_line(tmp_path: Path, size: str, kept: str) -> None:
    """Exit 4 and one line; with room the same command goes on with what was kept."""
    bench = f"{sys.executable} -c 'from eibench.core.cli import main; main()'"
    run = f"{bench} run eqbench-v1 --iterations 20 --runs-dir runs --details"
    script = f"""
        mount -t tmpfs -o size={size} none runs
        {run}; echo "exit $?"
        mount -o remount,size=100m runs
        {run}; echo "exit $?"
    """
    (tmp_path / "runs").mkdir()
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert re.findall(r"^exit (\d+)", done.stdout, re.M) == ["4", "0"], done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error")]
    assert len(errors) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert re.search(rf"calls +600 to the model \({kept} of them answered from", done.stdout)


# Its end


def test_a_row_that_was_never_written_is_told_when_the_journal_closes(tmp_path: Path) -> None:
    """Its files are let go all the same."""
    journal = Journal(tmp_path)
    journal.writer.add("INSERT INTO nowhere VALUES (1)", ())
    with pytest.raises(JournalError, match="no such table: nowhere"):
        journal.close()
    with Journal(tmp_path) as again:
        assert list(again.runs()) == []
