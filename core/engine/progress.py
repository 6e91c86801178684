"""Counters of a run under way, for whoever displays them."""

import time
from dataclasses import dataclass, field

from ..clients.caller import Caller
from ..types import ChatResponse, Usage


@dataclass
class Progress:
    """What has happened in this command so far.

    Attributes:
        samples: All that were asked for.
        scored: Among them, with those that were graded by an earlier command.
        sent: Calls answered by the network, by phase.
        replayed: Calls answered from the journal.
        comparisons: Those of the batch under way.
        compared: Among them, those that are done.
        callers: Who sends; they know what is in flight and what was sent again.
        cost_usd: Of the calls sent; ``None`` once one has no known price.
    """

    samples: int = 0
    scored: int = 0
    unscored: int = 0
    failed: int = 0
    comparisons: int = 0
    compared: int = 0
    sent: dict[str, int] = field(default_factory=dict)
    replayed: int = 0
    callers: list[Caller] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    started: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Samples that need nothing more."""
        return self.scored + self.unscored + self.failed

    @property
    def calls(self) -> int:
        """Calls answered by the network in all phases."""
        return sum(self.sent.values())

    @property
    def retries(self) -> int:
        """Attempts beyond each call's first."""
        return sum(caller.retries for caller in self.callers)

    @property
    def in_flight(self) -> int:
        """Requests that wait for an answer."""
        return sum(caller.slots.in_flight for caller in self.callers)

    @property
    def worked(self) -> bool:
        """Whether this command had anything to do."""
        return bool(self.callers)

    def answered(self, phase: str, response: ChatResponse) -> None:
        """A reply came from the network."""
        self.sent[phase] = self.sent.get(phase, 0) + 1
        self.usage = self.usage + response.usage
        known = self.cost_usd is not None and response.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0) + (response.cost_usd or 0) if known else None
