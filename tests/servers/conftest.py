"""Servers that others wrote, each started once for all tests that ask for it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.servers.started import SERVERS, Pair, environment


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run write down what the servers do (`table.py`)."""
    parser.addoption("--measure-servers", action="store_true", help="write down what they do")


def need(name: str) -> None:
    """Skip the test where a server is not installed."""
    if environment(name) is None:
        pytest.skip(
            f"EIBENCH_SERVERS names no folder with {name}: python tests/servers/install.py {name}"
        )


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Pair]]:
    """Gives both models of a server, which runs until the tests end."""
    pairs: dict[str, Pair] = {}
    with ExitStack() as ends:

        def start(name: str) -> Pair:
            need(name)
            if name not in pairs:
                folder = tmp_path_factory.mktemp(name)
                pairs[name] = ends.enter_context(SERVERS[name].start(folder))
            return pairs[name]

        yield start
