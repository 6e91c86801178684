"""Comparisons by hand, and what a simulated judge's margins are on average."""

from collections.abc import Callable, Mapping
from typing import Literal

import pytest

from eibench import Comparison, Comparisons

Add = Callable[..., None]


class Table:
    """Comparisons that a test writes down; each has a family of its own unless told."""

    def __init__(self) -> None:
        self.rows: list[Comparison] = []

    def add(
        self,
        a: str,
        b: str,
        margin: int | Mapping[str, int],
        *,
        item: object = 1,
        first: Literal["a", "b"] = "a",
        **more: object,
    ) -> None:
        """One call."""
        margins = {"c": margin} if isinstance(margin, int) else margin
        self.rows.append(Comparison(str(item), 1, a, b, first, margins, **more))  # type: ignore[arg-type]

    def both(self, a: str, b: str, margin: int, **more: object) -> None:
        """Both orders, with the same margin."""
        for first in ("a", "b"):
            self.add(a, b, margin, first=first, **more)

    def read(self) -> Comparisons:
        """The container, with each criterion's margin."""
        return Comparisons.of(self.rows, by_criterion=True)


@pytest.fixture
def table() -> Table:
    """An empty one."""
    return Table()
