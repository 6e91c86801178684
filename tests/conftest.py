"""For all tests: nothing leaves this machine; and `bench` in this process, in an empty place."""

import gc
import ipaddress
import json
import os
import shutil
import socket
import ssl
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from eibench.core.cli import options
from eibench.core.cli.app import app

pytest_plugins = ["tests.slow"]

_MEMORY, _ROOM = Path("/dev/shm"), 4 << 30
"""Where temporary folders are, with so many bytes free: a test waits for no disk to be flushed."""


def pytest_configure() -> None:
    """Let all processes keep compiled modules, and let examples take their time."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False  # compiling tests takes twice as long as collecting them
    if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
    # How long an example takes to be drawn says how busy the machine is.
    settings.register_profile("tests", suppress_health_check=[HealthCheck.too_slow], deadline=None)
    settings.load_profile("tests")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """What ``-n auto`` means: half as many again as cores, as long tests wait for processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ((cores or 1) * 3 + 1) // 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that only a command of their own runs (CONTRIBUTING.md)."""
    for marker in ("kills", "ray"):
        if marker not in config.option.markexpr:
            left_out = [item for item in items if item.get_closest_marker(marker)]
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """Let no collection of garbage walk through eleven thousand tests: a tenth of all time."""
    gc.collect()
    gc.freeze()


def _is_local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a path: AF_UNIX
    host = str(address[0])
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every connection to anywhere but this machine raises."""
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))


@pytest.fixture
def no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests without TLS: an SDK reads all certificates for each client, 0.1 s each."""
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)


def _guarded(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        if not _is_local(address):
            raise AssertionError(f"a test connects to {address}")
        return connect(self, address)

    return guarded


class Result(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output, without NaN."""
        return json.loads(self.out, parse_constant=_refuse)


TERMINAL = {"COLUMNS": "80", "LINES": "24", "FORCE_COLOR": "1", "TERM": "dumb"}
"""Variables that make a process print as on a terminal, one without colours."""


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} in JSON")


@pytest.fixture
def empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory and an empty cache; no variable of ours or of a provider."""
    return enter_empty_place(tmp_path, monkeypatch)


def enter_empty_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make and enter the working directory `work` of a folder."""
    for name in list(os.environ):
        if name.startswith("BENCH_") or name.endswith(("_API_KEY", "_TOKEN")):
            monkeypatch.delenv(name)
    work = folder / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("LINES", raising=False)  # some workers of tests have it
    monkeypatch.setenv("BENCH_DETAILS", "1")  # most tests look at numbers, wherever they stand
    monkeypatch.setattr(options, "wants_details", _wants_details)
    return work


_plain = options.wants_details


def _wants_details() -> bool:
    return _plain() or "BENCH_DETAILS" in os.environ


@pytest.fixture
def invoke(empty_place: Path) -> Callable[..., Result]:
    """Runs `bench` in this process with arguments, variables and what it reads."""
    return run_here


def run_here(*args: object, env: Mapping[str, str] | None = None, stdin: str = "") -> Result:
    """Run `bench` in this process."""
    done = CliRunner().invoke(app, [str(a) for a in args], input=stdin, env=env)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Result(done.exit_code, done.stdout, done.stderr)
