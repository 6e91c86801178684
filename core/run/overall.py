"""How far all runs of a command are together: calls, dollars, and the time that is left."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..benchmark.model import is_generating
from ..reports.ending import dollars
from ..sample.progress import Progress
from ..text import duration, plural
from ..types import JsonDict
from .plan import Plan


class Member(NamedTuple):
    """One of the runs, with its counters so far."""

    plan: Plan
    progress: Progress
    ended: bool


@dataclass
class Overall:
    """All runs of a command.

    Attributes:
        members: Gives them as they are now.
        progresses: The counters of all of them, of each attempt at one.
    """

    members: Callable[[], Sequence[Member]]
    progresses: Sequence[Progress]
    started: float = field(default_factory=time.monotonic)

    @property
    def cost_usd(self) -> float | None:
        """Dollars spent by this command; ``None`` where a price is not known."""
        costs = [progress.cost_usd for progress in self.progresses]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first began."""
        return time.monotonic() - self.started

    @property
    def answered(self) -> int:
        """Calls that were answered."""
        return sum(progress.calls for progress in self.progresses)

    def describe(self) -> str:
        """How far they are, as one line."""
        members = self.members()
        ahead = [one for one in members if not one.ended]
        left = sum(max(0, one.plan.calls - one.progress.calls) for one in ahead)
        bound = "≤ " if any(one.plan.comparisons.most for one in ahead) else ""
        facts = [f"{len(members) - len(ahead)} of {plural(len(members), 'run')} done"]
        facts.append(f"{plural(self.answered, 'call')} made, {bound}{left:,} left")
        facts += [dollars(self.cost_usd)] if self.answered else []
        if self.answered and left:
            seconds = duration(self.elapsed_s / self.answered * left)
            facts.append(f"{'at most' if bound else 'about'} {seconds} left")
        return f"in all: {'  '.join(facts)}"

    def describe_end(self) -> str:
        """What they came to, as the end of a line."""
        calls, seconds = plural(self.answered, "call"), duration(self.elapsed_s)
        return f"in all {calls}, {dollars(self.cost_usd)}, {seconds}"

    def as_json(self) -> JsonDict:
        """What they came to, as plain values."""
        sent = [pair for progress in self.progresses for pair in progress.sent.items()]
        models = sum(calls for phase, calls in sent if is_generating(phase))
        return {
            "calls": {"models": models, "judges": self.answered - models},
            "cost_usd": self.cost_usd,
            "elapsed_s": round(self.elapsed_s, 3),
        }
