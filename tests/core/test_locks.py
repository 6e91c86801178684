"""Run locks: one owner at a time, and none once its process is gone."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eibench.core.errors import JournalError
from eibench.core.journal import RunLock, network_file_system

HOLD = """
import sys, time
from pathlib import Path
from eibench.core.journal import RunLock
lock = RunLock(Path(sys.argv[1]), "r1").acquire()
print("held", flush=True)
time.sleep(60)
"""


def owner_process(folder: Path) -> "subprocess.Popen[str]":
    """Another process that owns run r1."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True
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
