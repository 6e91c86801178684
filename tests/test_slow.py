"""The list of slow tests."""

from functools import cache
from pathlib import Path

from tests.slow import read_list

ROOT = Path(__file__).parent.parent


def test_each_that_is_listed_exists() -> None:
    """A test that went or has another name leaves no line in the list."""
    stale = [test for test in read_list() if not _exists(*test.rsplit("::", 1))]
    assert not stale


def _exists(file: str, function: str) -> bool:
    return f"def {function}(" in _text(file)


@cache
def _text(file: str) -> str:
    path = ROOT / file.partition("::")[0]
    return path.read_text(encoding="utf-8") if path.exists() else ""
