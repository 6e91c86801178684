"""Which tests are slow: those that a measurement found to be, listed in `slow.txt`.

`pytest -n auto --dist worksteal --measure-slow` writes the list anew; a test that was not run, or
is skipped on this machine, stays as it is, and what is there no more goes.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("slow.txt")
SLOW = 0.25
"""Seconds, from which a test is slow; the longest of its parameters counts."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that measures."""
    parser.addoption("--measure-slow", action="store_true", help=f"write {LIST.name} anew")


def pytest_configure(config: pytest.Config) -> None:
    """Measure where the reports arrive: not in a worker."""
    if config.getoption("--measure-slow") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Durations(), "durations")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark what is listed."""
    listed = set(read_list())
    for item in items:
        if _function(item.nodeid) in listed:
            item.add_marker(pytest.mark.slow)


def read_list() -> list[str]:
    """The tests that are listed, as `FILE::FUNCTION`."""
    return LIST.read_text(encoding="utf-8").split()


def exists(test: str) -> bool:
    """Whether there is such a test."""
    file, _, function = test.rpartition("::")
    return f"def {function}(" in _text(file.partition("::")[0])


@cache
def _text(file: str) -> str:
    path = LIST.parent.parent / file
    return path.read_text(encoding="utf-8") if path.exists() else ""


class _Durations:
    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._called: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.when == "call" and not report.skipped:
            self._called.add(_function(report.nodeid))

    def pytest_sessionfinish(self) -> None:
        slow = {_function(test) for test, seconds in self._seconds.items() if seconds >= SLOW}
        slow |= {test for test in read_list() if test not in self._called and exists(test)}
        LIST.write_text("".join(f"{test}\n" for test in sorted(slow)), encoding="utf-8")


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]
