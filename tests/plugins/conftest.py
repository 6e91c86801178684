"""`bench` for the tests of plugins."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def bench(invoke: Callable[..., Any]) -> Callable[..., Any]:
    """Runs `bench` in this process, in an empty place."""
    return invoke
