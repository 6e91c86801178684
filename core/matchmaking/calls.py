"""A comparison that is not made yet, and the schedules and orders in which they may be made."""

from typing import Literal, NamedTuple

First = Literal["a", "b"]
FIRST: tuple[First, First] = ("a", "b")


class Call(NamedTuple):
    """One call of a judge on two transcripts of the same item and iteration."""

    item: str
    iteration: int
    a: str
    b: str
    first: First


Schedule = Literal["staged", "all", "adaptive"]
SCHEDULES: tuple[Schedule, ...] = ("staged", "all", "adaptive")
ADAPTIVE_FROM = 8
"""Models on the ladder from which `adaptive` is the default."""
Orders = Literal["one", "both", "mixed"]
MIXED_BLOCK = 10
"""With mixed orders, one item of so many is in both."""


def default_schedule(n_models: int) -> Schedule:
    """`adaptive` from 8 models on, below that `all`."""
    return "adaptive" if n_models >= ADAPTIVE_FROM else "all"


def default_orders(schedule: Schedule) -> Orders:
    """`mixed` for `adaptive`; `both`, the published protocol, for the others."""
    return "mixed" if schedule == "adaptive" else "both"
