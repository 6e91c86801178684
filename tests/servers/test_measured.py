"""What docs/servers.md says of servers is what they do."""

from collections.abc import Callable

import pytest

from tests.servers.behaviours import ROWS
from tests.servers.started import SERVERS, Pair
from tests.servers.table import PAGE, keep, measure_server, page, read

ANEW = "pytest tests/servers --measure-servers makes them anew"


def measuring(request: pytest.FixtureRequest) -> bool:
    """Whether what servers do is written down; the option is only known in this folder."""
    return bool(request.config.getoption("measure_servers", default=False))


@pytest.mark.servers
@pytest.mark.parametrize("name", SERVERS)
def test_a_server_does_what_is_kept(
    name: str, running: Callable[[str], Pair], request: pytest.FixtureRequest
) -> None:
    """Row by row, in the version that `install.py` names."""
    now = measure_server(name, running(name))
    if measuring(request):
        keep(name, now)
    assert now == read()[name], ANEW


def test_each_row_is_measured_of_each_server() -> None:
    """No server of the table lacks a row, and no row is left of an older table."""
    keys = {row.key for row in ROWS}
    assert {name: set(one.facts) for name, one in read().items()} == dict.fromkeys(SERVERS, keys)


def test_page_is_what_was_measured(request: pytest.FixtureRequest) -> None:
    """docs/servers.md holds the tables of `measured.json`."""
    if measuring(request):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), ANEW
