"""How a run uses batch APIs: what is set, without what it takes to do so."""

from typing import NamedTuple

BATCHED = ("auto", "all", "judge")


class Batching(NamedTuple):
    """How a run uses batches.

    Attributes:
        phases: Whose calls go that way.
        waits: Whether the command waits for results; else it ends once all is submitted.
    """

    phases: frozenset[str]
    waits: bool = True


class Pace(NamedTuple):
    """How long batches are waited for, in seconds.

    Attributes:
        tick: Between two looks at whether every sample waits.
        first: Until the second look at a batch; twice as long each time, up to `longest`.
        grace: How long after its submission a batch may be unknown to its provider.
        most: After its submission a batch has ended: the day that providers promise, and more.
    """

    tick: float = 0.2
    first: float = 1.0
    longest: float = 600.0
    grace: float = 300.0
    most: float = 30 * 3600.0


PACE = Pace()
