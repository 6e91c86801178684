"""Whole runs: in this process, or as processes that take long, started early and seen late."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from os import environ
from pathlib import Path
from typing import ClassVar, NamedTuple

import pytest

from eibench.core.clients.keys import redact
from eibench.testing import LoopbackServer
from tests.conftest import Result
from tests.processes import Done, run

KEY = "sk-fake-0123456789abcdef-KEY"
HEADER = "fake-header-secret-0123456789"


class Bench:
    """The command, in an environment that has one key and nothing else that it looks for."""

    key = KEY
    header = HEADER

    def __call__(self, folder: Path, base_url: str, *more: str, **variables: str) -> Done:
        """`bench run eqbench-v1`, in a folder of its own."""
        ours = ("OPENAI_", "BENCH_")
        env = {k: v for k, v in environ.items() if not k.startswith(ours)} | variables
        folder.mkdir(exist_ok=True)
        model = ("--model", "openai/m", "--base-url", base_url)
        return run(["run", "eqbench-v1", *model, *more], folder, env)

    secretly = ("--debug", "--limit", "2")
    """A short run, errors in full."""
    secret: ClassVar = {"BENCH_HEADERS": f"X-Secret=Bearer {HEADER}"}
    """With a secret header."""

    def with_secrets(self, folder: Path, base_url: str) -> Done:
        """The same with a key."""
        return self(folder, base_url, *self.secretly, **self.secret, OPENAI_API_KEY=KEY)


Here = Callable[..., Result]


@pytest.fixture
def here(invoke: Here, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Here:
    """The same in this process, which knows no key yet; with all that is written past it."""
    monkeypatch.setattr(redact, "_forms", [])

    def run(base_url: str, *args: str, **variables: str) -> Result:
        model = ("--model", "openai/m", "--base-url", base_url)
        done = invoke("run", "eqbench-v1", *model, *args, env=variables)
        past = capfd.readouterr()
        return done._replace(out=done.out + past.out, err=done.err + past.err)

    return run


class ClosedPort(NamedTuple):
    """A run against a port where nobody listens."""

    folder: Path
    address: str
    done: Done
    seconds: float


@pytest.fixture(scope="session")
def bench() -> Bench:
    """The command."""
    return Bench()


@pytest.fixture(scope="session")
def closed_port(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> Iterator["Future[ClosedPort]"]:
    """A run that ends when the endpoint is known to be down; other tests go on meanwhile."""
    folder = tmp_path_factory.mktemp("closed")
    with LoopbackServer() as server:
        pass

    def run() -> ClosedPort:
        began = time.monotonic()
        done = bench.with_secrets(folder, server.base_url)
        return ClosedPort(folder, f"127.0.0.1:{server.port}", done, time.monotonic() - began)

    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(run)
