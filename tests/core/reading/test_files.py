"""Reading a file that a person names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eibench.core.reading.files import blob_id, exists, read_text

READ = """
import sys
from pathlib import Path
from eibench.core.reading.files import read_text
print(read_text(Path(sys.argv[1]), 10**6, pipes=sys.argv[2] == "pipes"))
"""


def read_elsewhere(path: Path, pipes: str = "") -> "subprocess.CompletedProcess[str]":
    """Read in a process that can be ended, should it wait for ever."""
    return subprocess.run(
        [sys.executable, "-c", READ, str(path), pipes],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_text(tmp_path: Path) -> None:
    """As Python reads it: line breaks of all systems are one."""
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(tmp_path / "text", 20, encoding="utf-8-sig") == "a\nb\nc\n"


def test_a_file_of_just_the_size(tmp_path: Path) -> None:
    """One more byte is too many."""
    (tmp_path / "text").write_text("12345")
    assert read_text(tmp_path / "text", 5) == "12345"
    with pytest.raises(OSError, match="it has more than 4 bytes"):
        read_text(tmp_path / "text", 4)


@pytest.mark.parametrize("pipes", [False, True])
def test_a_device(pipes: bool) -> None:
    """No device is read, as some have no end."""
    with pytest.raises(OSError, match="it is a device or a pipe; put what it gives into a file"):
        read_text(Path(os.devnull), 5, pipes=pipes)


def test_a_pipe_that_nobody_writes_to(tmp_path: Path) -> None:
    """It is refused where it could only be waited for."""
    os.mkfifo(tmp_path / "pipe")
    done = read_elsewhere(tmp_path / "pipe")
    assert "it is a device or a pipe" in done.stderr


def test_a_pipe_that_somebody_writes_to(tmp_path: Path) -> None:
    """It is read to its end where pipes may be."""
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", f"echo hello > '{tmp_path / 'pipe'}'"]):
        assert read_elsewhere(tmp_path / "pipe", "pipes").stdout == "hello\n\n"


def test_a_folder(tmp_path: Path) -> None:
    """The system's own words for it."""
    with pytest.raises(IsADirectoryError):
        read_text(tmp_path, 5)


def test_what_is_there(tmp_path: Path) -> None:
    """A file, a folder; not what is in no folder, or below a file."""
    (tmp_path / "file").touch()
    assert exists(tmp_path) and exists(tmp_path / "file")
    assert not exists(tmp_path / "none") and not exists(tmp_path / "file" / "none")


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "\ud800"])
def test_what_can_be_no_name(name: str) -> None:
    """Neither there nor absent: an error that says why."""
    with pytest.raises(OSError) as caught:
        exists(Path(name))
    assert caught.value.strerror


def test_a_blob_id_is_that_of_git() -> None:
    """`printf hello | git hash-object --stdin` gives this."""
    assert blob_id(b"hello") == "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"
