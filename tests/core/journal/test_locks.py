"""Run locks: one owner at a time, and none once its process is gone."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eibench.core.errors import JournalError
from eibench.core.journal import RunLock, network_file_system
from eibench.core.journal.locks import owner_of

HOLD = """
import sys
from pathlib import Path
from eibench.core.journal import RunLock
lock = RunLock(Path(sys.argv[1]), "r1").acquire()
print("held", flush=True)
sys.stdin.read()
"""


def owner_process(folder: Path) -> "subprocess.Popen[str]":
    """Another process that owns run r1."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_is_told_who_owns_the_run(tmp_path: Path) -> None:
    """The error names run, process and what to do; other runs are free."""
    with owner_process(tmp_path) as process:
        with pytest.raises(JournalError, match=rf"r1 is owned by process {process.pid} .*--fresh"):
            RunLock(tmp_path, "r1").acquire()
        RunLock(tmp_path, "r2").acquire().release()
        process.kill()


def test_whoever_looks_for_an_owner_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds the lock for a moment; who wants the run meanwhile waits for that."""
    looking = RunLock(tmp_path, "r1").acquire()
    monkeypatch.setattr("time.sleep", lambda seconds: looking.release())
    with RunLock(tmp_path, "r1").acquire():
        assert owner_of(tmp_path, "r1")


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    """After kill -9 of the owner the run is free at once."""
    with owner_process(tmp_path) as process:
        os.kill(process.pid, signal.SIGKILL)
    with RunLock(tmp_path, "r1").acquire():
        pass


def test_a_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    """Release twice does no harm, and leaves the run free."""
    lock = RunLock(tmp_path, "r1").acquire()
    lock.release()
    lock.release()
    RunLock(tmp_path, "r1").acquire().release()


def test_a_lock_of_a_deleted_run_guards_nothing(tmp_path: Path) -> None:
    """Who waited with the removed file open does not own the run beside its next owner."""
    first = RunLock(tmp_path, "r1").acquire()
    first.remove()
    second = RunLock(tmp_path, "r1").acquire()
    first.release()
    with pytest.raises(JournalError, match="owned"):
        RunLock(tmp_path, "r1").acquire()
    second.release()


def test_a_lock_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    """A file where the folder of locks should be is named."""
    (tmp_path / "locks").write_text("x")
    with pytest.raises(JournalError, match=r"cannot lock run r1 with .*locks"):
        RunLock(tmp_path, "r1").acquire()


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"pid": 1}', "\ud83d"])
def test_an_owner_that_cannot_be_read_is_another_process(tmp_path: Path, text: str) -> None:
    """Whatever stands in the lock's file, the second gets the same error."""
    first = RunLock(tmp_path, "r1").acquire()
    (tmp_path / "locks" / "r1.lock").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(JournalError, match="owned by another process"):
        RunLock(tmp_path, "r1").acquire()
    first.release()


def make_link(path: Path, victim: Path) -> None:
    """A symbolic link to another file."""
    path.symlink_to(victim)


def make_other_name(path: Path, victim: Path) -> None:
    """Another name of the same file."""
    path.hardlink_to(victim)


def make_pipe(path: Path, victim: Path) -> None:
    """A named pipe."""
    os.mkfifo(path)


@pytest.mark.parametrize("make", [make_link, make_other_name, make_pipe])
def test_a_lock_is_never_another_file(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    """What a foreign project put at a lock's place is refused, and what it leads to stays."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "runs" / "locks").mkdir(parents=True)
    make(tmp_path / "runs" / "locks" / "r1.lock", victim)
    with pytest.raises(JournalError, match=r"cannot lock run r1 with .*remove it"):
        RunLock(tmp_path / "runs", "r1").acquire()
    assert owner_of(tmp_path / "runs", "r1") is None
    assert victim.read_text() == "precious"


def test_the_folder_of_locks_is_no_link(tmp_path: Path) -> None:
    """No file is made where a link leads."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "runs" / "locks").symlink_to(tmp_path / "home")
    with pytest.raises(JournalError, match="is a link"):
        RunLock(tmp_path / "runs", "r1").acquire()
    assert not list((tmp_path / "home").iterdir())


def test_an_owner_in_the_same_process_is_called_so(tmp_path: Path) -> None:
    """Nobody should look for another process where there is none."""
    message = rf"process {os.getpid()} .* another task or thread of this very process"
    with RunLock(tmp_path, "r1").acquire(), pytest.raises(JournalError, match=message):
        RunLock(tmp_path, "r1").acquire()


def test_a_lock_goes_with_the_event_loop_it_was_taken_in(tmp_path: Path) -> None:
    """No code of a closed loop can let go of it; one that is only stopped keeps it."""

    async def take() -> RunLock:
        return RunLock(tmp_path, "r1").acquire()

    loop = asyncio.new_event_loop()
    first = loop.run_until_complete(take())
    with pytest.raises(JournalError, match="owned"):
        RunLock(tmp_path, "r1").acquire()
    loop.close()
    with RunLock(tmp_path, "r1").acquire():
        first.release()  # comes too late to let go of the new one
        with pytest.raises(JournalError, match="owned"):
            RunLock(tmp_path, "r1").acquire()


@pytest.mark.parametrize(
    ("mount", "kind"),
    [
        ("host:/x TMP nfs4 rw 0 0", "nfs4"),
        ("//host/x TMP cifs rw 0 0", "cifs"),
        ("me@host:/ TMP fuse.sshfs rw 0 0", "fuse.sshfs"),
        ("host:/x TMP nfs4 rw 0 0\ntmpfs TMP/runs tmpfs rw 0 0", None),
        ("tmpfs TMP tmpfs rw 0 0\nhost:/x TMP/runs nfs rw 0 0", "nfs"),
        ("/dev/sda1 / ext4 rw 0 0\nhost:/x TMP/other nfs rw 0 0", None),
        ("nonsense", None),
        ("", None),
    ],
)
def test_a_network_file_system_is_known_by_the_nearest_mount(
    tmp_path: Path, mount: str, kind: str | None
) -> None:
    """The mount that is deepest on the way to the folder counts."""
    mounts = tmp_path / "mounts"
    mounts.write_text(mount.replace("TMP", str(tmp_path)) + "\n")
    assert network_file_system(tmp_path / "runs", mounts) == kind


def test_without_a_list_of_mounts_nothing_is_said(tmp_path: Path) -> None:
    """Other systems than Linux have no such file."""
    assert network_file_system(tmp_path, tmp_path / "none") is None
