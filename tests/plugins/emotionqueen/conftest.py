"""`bench` in this process, in an empty folder, with no settings but those a test makes."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from eibench.core.cli.app import app


class Result(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output, without NaN."""
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} in JSON")


@pytest.fixture
def empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory and an empty cache; no variable of ours or of a provider."""
    for name in list(os.environ):
        if name.startswith("BENCH_") or name.endswith(("_API_KEY", "_TOKEN")):
            monkeypatch.delenv(name)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return work


@pytest.fixture
def bench(empty_place: Path) -> Callable[..., Result]:
    """Runs `bench` with arguments."""

    def run(*args: object) -> Result:
        done = CliRunner().invoke(app, [str(a) for a in args])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Result(done.exit_code, done.stdout, done.stderr)

    return run
