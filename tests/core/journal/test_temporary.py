"""Files that are half made: removed when their maker is stopped, or by the next one."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eibench.core.journal.temporary import make_held, remove_left_over, replacing
from tests.processes import Process

if TYPE_CHECKING:
    from tests.core.conftest import Bench

HOLD = """
import os, sys
from pathlib import Path
from eibench.core.journal.temporary import make_held
make_held(Path(sys.argv[1]), ".x.", ".partial")
print("held", flush=True)
sys.stdin.read()
"""


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """The new bytes, and nothing beside them."""
    (tmp_path / "x").write_text("old")
    with replacing(tmp_path / "x") as file:
        file.write(b"new")
        assert (tmp_path / "x").read_text() == "old"
    assert (tmp_path / "x").read_text() == "new"
    assert names(tmp_path) == ["x"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_was_there_stays_when_it_goes_wrong(
    tmp_path: Path, error: type[BaseException]
) -> None:
    """The half-made file goes."""
    (tmp_path / "x").write_text("old")
    with pytest.raises(error), replacing(tmp_path / "x") as file:
        file.write(b"new")
        raise error
    assert (tmp_path / "x").read_text() == "old"
    assert names(tmp_path) == ["x"]


def test_only_what_nobody_holds_is_left_over(tmp_path: Path) -> None:
    """A file of a living process stays; once it is killed, the next one removes it."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        held = names(tmp_path)
        remove_left_over(tmp_path, ".x.", ".partial")
        assert names(tmp_path) == held != []
        process.kill()
    remove_left_over(tmp_path, ".x.", ".partial")
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", [".x.1", ".y.1-1.partial", "x.1-1.partial", ".x.1-1.partial.gz"])
def test_files_of_other_names_are_left_alone(tmp_path: Path, name: str) -> None:
    """Only what could be ours is removed; a folder or a link never is."""
    (tmp_path / name).write_text("mine")
    (tmp_path / ".x.folder.partial").mkdir()
    (tmp_path / ".x.link.partial").symlink_to(tmp_path / name)
    before = names(tmp_path)
    remove_left_over(tmp_path, ".x.", ".partial")
    assert names(tmp_path) == before


def test_two_of_one_process_have_names_of_their_own(tmp_path: Path) -> None:
    """And neither takes the other for left over."""
    made = [make_held(tmp_path, ".x.", ".partial") for _ in "ab"]
    remove_left_over(tmp_path, ".x.", ".partial")
    assert names(tmp_path) == sorted(path.name for path, _ in made)
    for _, descriptor in made:
        os.close(descriptor)


@pytest.fixture
def run_id(bench: "Bench") -> str:
    """A run of 900 replies."""
    command = ("run", "eqbench-v1", "--dataset", "bundled", "--iterations", "30", "--json")
    return str(json.loads(bench(*command).stdout)["run_id"])


def is_stopped(pid: int) -> bool:
    """Whether a process does nothing any more until it is told to go on."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "TZ"


def start_export(bench: "Bench", run_id: str) -> Process:
    """An export that is stopped (SIGSTOP) in its middle."""
    while True:
        process = bench.start("export", run_id, "-o", "out.jsonl.gz")
        while process.poll() is None and not list(bench.folder.glob(".out*")):
            pass
        process.send_signal(signal.SIGSTOP)
        while process.poll() is None and not is_stopped(process.pid):
            pass  # what the system was doing for it, such as naming the file, is done first
        if list(bench.folder.glob(".out*")):
            return process
        process.kill()
        _, err = process.communicate()
        assert not err or " in out.jsonl.gz" in err, err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stopped_export_leaves_nothing(
    bench: "Bench", run_id: str, number: signal.Signals
) -> None:
    """Exit 130; neither the file nor a part of it is there."""
    process = start_export(bench, run_id)
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert [path.name for path in bench.folder.iterdir()] == ["runs"]


def test_a_killed_export_is_cleaned_up_by_the_next(bench: "Bench", run_id: str) -> None:
    """After kill -9 a part is left, until the same file is written again."""
    process = start_export(bench, run_id)
    process.kill()
    process.communicate()
    assert len(names(bench.folder)) == 2
    assert bench("export", run_id, "-o", "out.jsonl.gz").returncode == 0
    assert names(bench.folder) == ["out.jsonl.gz", "runs"]
