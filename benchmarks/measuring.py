"""A command as a whole process: wall time, CPU, peak memory, bytes written; tables of them.

The operating system's own accounting of the finished process is used, so
start-up, threads and clean-up are included. The programs here run on one noisy
machine, so each prints minimum, median and maximum of several runs, ours and
its peers in turn, and quotes ratios of the same run.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from threading import Timer
from typing import IO, NamedTuple

BENCH = str(Path(sys.executable).with_name("bench"))
ROOT = Path(__file__).resolve().parent.parent
_COMPILED = tempfile.TemporaryDirectory(prefix="eibench-compiled-")  # goes with this process
_KIB = 1024 if sys.platform != "darwin" else 1  # what ru_maxrss counts in


class Cost(NamedTuple):
    """What one run of a command took.

    Attributes:
        wall_s: From before its start to its end.
        cpu_s: User and system time of all its threads.
        peak_mb: Most resident memory, in 10^6 bytes. Linux counts the parent's at the fork
            in, so a program that measures must stay smaller than what it measures.
        written: Bytes that went to the disk's cache; 0 where there is no ``/proc``.
        output: What it printed.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float
    written: int
    output: str


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout_s: float = 300.0,
) -> Cost:
    """Run a command to its end and say what it took.

    Raises:
        RuntimeError: It failed, or took longer than `timeout_s`.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=cwd
        )
        bound = Timer(timeout_s, process.kill)
        bound.start()
        # The end is waited for without reaping, as /proc/PID goes with that.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall_s = time.perf_counter() - began
        bound.cancel()
        written = _written(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(_failure(command, process.returncode, _text(err)))
        cpu_s = used.ru_utime + used.ru_stime
        return Cost(wall_s, cpu_s, used.ru_maxrss * _KIB / 1e6, written, _text(out))


def _written(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return 0
    return int(next(line for line in lines if line.startswith("write_bytes")).split()[1])


def _text(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _failure(command: Sequence[str], code: int, err: str) -> str:
    ended = "took too long" if code == -signal.SIGKILL else f"ended with {code}"
    return f"{' '.join(command)[:200]} {ended}: {err.strip()[-400:]}"


def clean_environment(home: Path) -> dict[str, str]:
    """This process's variables without those of ``bench``, its caches in a folder of ours.

    So that no setting and no downloaded pack of this machine changes what is measured, and
    modules are compiled once, by the run that warms up, as they are where Python is used.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept | {"XDG_CACHE_HOME": str(home / "cache"), "PYTHONPYCACHEPREFIX": _COMPILED.name}


class Spread(NamedTuple):
    """Smallest, middle and largest of several measurements."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """The spread of at least one value."""
        return cls(min(values), median(values), max(values))

    def text(self, places: int = 2) -> str:
        """The three as ``low / middle / high``."""
        return " / ".join(f"{value:.{places}f}" for value in self)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, aligned for reading as plain text too."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    lines = [head, rule, *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |"
        for line in lines
    )
