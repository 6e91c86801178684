"""For tests of pages: a browser."""

from collections.abc import Iterator
from typing import Any

import pytest

from .browsing import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for all tests of a file."""
    with chromium() as started:
        yield started
