"""An empty place to work in, with no settings, no keys and no packs in the cache."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def empty_place(empty_place: Path) -> Path:
    """Every test here runs in it."""
    return empty_place
