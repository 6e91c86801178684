"""Starts servers that others wrote, each on a free port of this machine."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest


def program(variable: str) -> str:
    """The program that an environment variable names; the test is skipped without."""
    found = os.environ.get(variable)
    if not found:
        pytest.skip(f"{variable} names no program (see the top of this file)")
    return found


@contextmanager
def serving(
    command: Sequence[str], folder: Path, ready: str, env: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The address of a server once it answers; it ends with the context.

    Args:
        command: ``{port}`` stands for the port.
        folder: Where it runs; what it prints goes into ``log`` there.
        ready: The path that answers when it is ready.
        env: Variables beside this process's.
    """
    port, log = _free_port(), folder / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [word.format(port=port) for word in command], cwd=folder,
            env={**os.environ, **(env or {})}, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        _wait_for(f"http://127.0.0.1:{port}{ready}", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(240):
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            with urlopen(url):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    raise AssertionError(f"it did not start: {log.read_text()[-2000:]}")
