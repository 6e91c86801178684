"""A full disk: what was answered is saved, and nothing is paid for that could not be."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eibench.core.errors import JournalError
from eibench.core.journal import Journal
from eibench.core.journal.temporary import LEAST, PER_CALL, Reserve
from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings
from tests.core.conftest import BENCH

from .test_journal import new_run

if TYPE_CHECKING:
    from tests.core.conftest import Bench

CONCURRENCY = 16
ROOM = 3 * 2**20
ONE_LINE = 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "none", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def long_answer(request: ReceivedRequest) -> str:
    """A readable answer of 60 KB."""
    return str(uniform_ratings(1)(request)) + "\n" + "x" * 60_000


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """Answers at length."""
    with LoopbackServer(long_answer) as made:
        yield made


def arguments(server: LoopbackServer) -> list[str]:
    """60 requests, of which a disk of 3 MiB cannot hold the answers."""
    model = ["--model", "openai/m", "--base-url", server.base_url, "--runs-dir", "small/runs"]
    rest = ["--iterations", "2", "--concurrency", str(CONCURRENCY), "--json"]
    return ["run", "eqbench-v1", "--dataset", "bundled", *model, *rest]


def kept(folder: Path) -> int:
    """How many replies are in the journal."""
    with Journal(folder / "runs", create=False) as journal:
        return sum(journal.count_calls(run) for run in journal.runs())


def test_a_full_disk_loses_nothing_and_is_not_paid_for_twice(
    bench: "Bench", server: LoopbackServer, small_disk: Path
) -> None:
    """All that was answered is saved; reruns send nothing until there is room, then the rest."""
    first = bench(*arguments(server))
    assert first.returncode == 4
    assert "no room to write" in first.stderr
    answered = len(server.answered)
    assert 0 < kept(small_disk) == answered < 60
    for _ in "23":
        again = bench(*arguments(server))
        assert again.returncode == 4
        assert again.stderr.count("Error: ") == ONE_LINE
        assert len(server.requests) == answered
    grown = f"remount,size={10 * ROOM}"
    subprocess.run(["mount", "-o", grown, str(small_disk)], check=True)
    last = bench(*arguments(server))
    assert last.returncode == 0, last.stderr
    assert len(server.requests) == kept(small_disk) == 60
    assert sorted(p.suffix for p in (small_disk / "runs" / "locks").iterdir()) == [".lock"]


def limited(size: int) -> Any:
    """What limits the files of a process to so many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_without_the_reserve_nothing_is_sent(bench: "Bench", server: LoopbackServer) -> None:
    """A quota that is too small is told before a reply is paid for."""
    done = subprocess.run(
        [*BENCH, *arguments(server)],
        cwd=bench.folder,
        capture_output=True,
        text=True,
        preexec_fn=limited(LEAST // 2),
        timeout=60,
    )
    assert done.returncode == 4
    assert "Error: cannot keep 1.0 MiB of small/runs free for replies in flight" in done.stderr
    assert not server.requests


# The reserve


@pytest.mark.parametrize(("concurrency", "size"), [(1, LEAST), (64, 64 * PER_CALL)])
def test_the_reserve_is_really_there(tmp_path: Path, concurrency: int, size: int) -> None:
    """Its blocks are allocated, and gone once it is released."""
    (tmp_path / "locks").mkdir()
    reserve = Reserve(tmp_path, "r1", concurrency)
    found = reserve.path.stat()
    assert found.st_size == size
    assert found.st_blocks * 512 >= size
    assert [reserve.release(), reserve.release()] == [True, False]
    assert not list((tmp_path / "locks").iterdir())


def test_the_reserve_is_there_where_nothing_can_be_allocated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On systems without that call, it is written."""
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    (tmp_path / "locks").mkdir()
    reserve = Reserve(tmp_path, "r1", 32)
    assert reserve.path.stat().st_blocks * 512 >= 32 * PER_CALL
    reserve.release()


def test_a_reserve_of_a_killed_process_goes_with_the_next(tmp_path: Path) -> None:
    """Whatever run the next one is for; that of a living process stays."""
    program = (
        "import os, sys; from pathlib import Path\n"
        "from eibench.core.journal.temporary import Reserve\n"
        "r = Reserve(Path(sys.argv[1]), 'r1', 1); os._exit(0)"
    )
    (tmp_path / "locks").mkdir()
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert len(list((tmp_path / "locks").iterdir())) == 1
    mine = [Reserve(tmp_path, run_id, 1) for run_id in ("r2", "r3")]
    assert sorted((tmp_path / "locks").iterdir()) == sorted(r.path for r in mine)
    for reserve in mine:
        reserve.release()


def test_a_run_that_goes_on_is_called_running(tmp_path: Path) -> None:
    """The write that comes before the first request says something true."""
    with Journal(tmp_path) as journal:
        run = new_run(journal)
        journal.end_run(run, "interrupted", seconds=1.0, finished=False)
        (tmp_path / "locks").mkdir()
        journal.prepare_to_send(run, 1)
        (found,) = journal.runs()
        assert found.status == "running"
    assert not list((tmp_path / "locks").iterdir())


def test_a_folder_that_cannot_hold_a_reserve_is_told(tmp_path: Path) -> None:
    """One line with what to do."""
    with pytest.raises(JournalError, match=r"nothing was sent\. Make room"):
        Reserve(tmp_path / "nowhere", "r1", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_result_that_finds_no_room(tmp_path: Path, more: list[str]) -> None:
    """Standard output on a full disk is told on one line, and the result is there to be shown."""
    run = [*BENCH, "run", "eqbench-v1", "--limit", "1", *more]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(run, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4
    assert "Error: cannot write: No space left on device; make room" in done.stderr
    with Journal(tmp_path / "runs" / "demo") as journal:
        (stored,) = journal.runs()
        assert stored.status == "complete"
