"""The schedules and orders that there are, and which of them is the default when."""

from typing import Literal

Schedule = Literal["staged", "all", "adaptive"]
SCHEDULES: tuple[Schedule, ...] = ("staged", "all", "adaptive")
ADAPTIVE_FROM = 8
"""Models on the ladder from which `adaptive` is the default."""
Orders = Literal["one", "both", "mixed"]
MIXED_BLOCK = 10
"""With mixed orders, one item of so many is in both."""


def default_schedule(n_models: int) -> Schedule:
    """`adaptive` from 8 models on, below that `all`.

    Args:
        n_models: On the ladder, the new one not counted.
    """
    return "adaptive" if n_models >= ADAPTIVE_FROM else "all"


def default_orders(schedule: Schedule) -> Orders:
    """`mixed` for `adaptive`; `both`, the published protocol, for the others."""
    return "mixed" if schedule == "adaptive" else "both"
