"""How a run uses batch APIs: what is set, without what it takes to do so."""

from typing import NamedTuple

BATCHED = ("auto", "all", "judge")
FALLBACKS = ("live", "batch", "none")
"""Where a request goes whose batch gave no answer to it."""
POLL_S = 60.0


class Batching(NamedTuple):
    """How a run uses batches.

    Attributes:
        phases: Whose calls go that way.
        fallback: One of `FALLBACKS`.
        waits: Whether the command waits for results; else it ends once all is submitted.
        poll_s: Seconds between two looks, at first.
    """

    phases: frozenset[str]
    fallback: str = "live"
    waits: bool = True
    poll_s: float = POLL_S
