"""Counters of a run under way, and how far each kind of its calls is, for whoever displays them."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..clients.caller import Caller
from ..clients.concurrency import AdaptiveLimit
from ..types import ChatResponse, Usage

COMPARE = "compare"
"""The phase of calls that compare transcripts."""
TRIAL = "trial"
"""The phase of the call that only finds out whether the judge answers."""
TRIAL_QUESTION = "Say OK."
RETRIES_SHOWN = 3
"""From so many on the server's words are shown."""
LONG_S = 20.0
"""After so long without an answer it is shown who is waited for."""


@dataclass
class Phase:
    """One kind of call of a run, and how far it is.

    Attributes:
        total: Calls when nothing is asked again.
        done: Among them, those that need nothing more.
        spared: Among those done, the ones that this command had no need to send.
        began: When the first was asked for (monotonic); ``None`` before.
        at_most: The total is only the most that this command may make, as of comparisons,
            which begin when all samples are done.
    """

    total: int = 0
    done: int = 0
    spared: int = 0
    began: float | None = None
    at_most: bool = False

    def begin(self) -> None:
        """A call is asked for."""
        self.began = time.monotonic() if self.began is None else self.began

    def advance(self, calls: int = 1, *, spared: bool = False) -> None:
        """So many calls more need nothing more."""
        self.done += calls
        self.spared += calls * spared

    def end(self) -> None:
        """No more calls are needed, even if more were planned."""
        self.total, self.at_most = self.done, False

    @property
    def left(self) -> int:
        """Calls that are still needed."""
        return self.total - self.done

    @property
    def pace(self) -> float | None:
        """Seconds per call of this command so far; ``None`` while that is not known."""
        if self.began is None or self.done == self.spared:
            return None
        return (time.monotonic() - self.began) / (self.done - self.spared)

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; ``None`` while that is not known."""
        return None if (pace := self.pace) is None else self.left * pace


class SampleProgress:
    """The part of one sample in the phases of the run, call by call.

    A sample may take more calls than were planned, or fewer: it counts as those planned.
    """

    def __init__(self, phases: Mapping[str, Phase], planned: Mapping[str, int]) -> None:
        self._phases = phases
        self._left = {phase: n for phase, n in planned.items() if n and phase in phases}

    def begin(self, phase: str) -> None:
        """A call is asked for."""
        if phase in self._left:
            self._phases[phase].begin()

    def advance(self, phase: str, *, spared: bool) -> None:
        """A call is answered."""
        if self._left.get(phase):
            self._left[phase] -= 1
            self._phases[phase].advance(spared=spared)

    def finish(self, phases: Iterable[str] | None = None) -> None:
        """The sample needs no more calls in these phases, or in any."""
        for phase in self._left.keys() & set(self._left if phases is None else phases):
            self._phases[phase].advance(self._left.pop(phase), spared=True)


@dataclass
class Progress:
    """What has happened in this command so far.

    Attributes:
        samples: All that were asked for.
        scored: Among them, with those that were graded by an earlier command.
        sent: Calls answered by the network, by phase.
        replayed: Calls answered from the journal.
        unanswered: Calls that were given up, by phase.
        phases: How far each kind of call is: ``generate``, ``judge``, ``compare``. One that the
            run does not have is not there.
        replies_read: Replies of the model that could be read, as far as the benchmark says so.
        replies_unread: Those that could not be.
        unread: Comparisons of this command that could not be read.
        callers: Who sends; they know what is in flight and what was sent again.
        cost_usd: Of the calls sent; ``None`` once one has no known price.
        stages: How far samples under way are in the words of their benchmark, by item and
            iteration.
    """

    samples: int = 0
    scored: int = 0
    unscored: int = 0
    failed: int = 0
    replies_read: int = 0
    replies_unread: int = 0
    unread: int = 0
    phases: dict[str, Phase] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)
    replayed: int = 0
    unanswered: Counter[str] = field(default_factory=Counter)
    callers: list[Caller] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    started: float = field(default_factory=time.monotonic)
    stages: dict[tuple[str, int], str] = field(default_factory=dict)

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
        """Attempts beyond each call's first, those of failed calls too."""
        return sum(caller.retries for caller in self.callers)

    @property
    def retried(self) -> Counter[str]:
        """Retries by what went wrong before: an HTTP status, or ``timeout`` and the like."""
        return sum((caller.retried for caller in self.callers), Counter[str]())

    @property
    def words(self) -> dict[str, str]:
        """What servers said with their last error, by who is asked, from the third retry on."""
        return {
            caller.name: caller.words
            for caller in self.callers
            if caller.retries >= RETRIES_SHOWN and caller.words
        }

    @property
    def waits(self) -> dict[str, float]:
        """For how many seconds who is asked has said nothing, where that is long."""
        waits = {caller.name: caller.silent_s for caller in self.callers}
        return {name: seconds for name, seconds in waits.items() if seconds >= LONG_S}

    @property
    def awaited(self) -> list[str]:
        """Who is asked and has not answered yet."""
        return [caller.name for caller in self.callers if caller.silent_s > 0]

    @property
    def reduced(self) -> tuple[int, int] | None:
        """Requests that may be in flight now, and that the user allows, where that is more."""
        slots = [slots for slots in self._slots if slots.is_reduced]
        return (
            (sum(int(s.limit) for s in slots), sum(s.configured for s in slots)) if slots else None
        )

    @property
    def in_flight(self) -> int:
        """Requests that wait for an answer."""
        return sum(slots.in_flight for slots in self._slots)

    @property
    def _slots(self) -> list[AdaptiveLimit]:
        """Those of all callers, some of whom share theirs."""
        return list({id(caller.slots): caller.slots for caller in self.callers}.values())

    @property
    def worked(self) -> bool:
        """Whether this command had anything to do."""
        return bool(self.callers)

    @property
    def seconds_left(self) -> float | None:
        """Until all phases are done; ``None`` while not known.

        Replies and verdicts go on side by side, comparisons when those are done. Before the
        first comparison it is taken to last as long as a verdict, or else a reply.
        """
        phases = list(self.phases.values())
        first = [phase for phase in phases if not phase.at_most]
        left = [seconds for phase in first if (seconds := phase.seconds_left) is not None]
        paces = [phase.pace for phase in reversed(phases)]
        pace = next((seconds for seconds in paces if seconds is not None), None)
        if pace is None:
            return None
        return max(left, default=0.0) + pace * sum(phase.left for phase in phases if phase.at_most)

    def plan(self, phase: str, calls: int) -> Phase:
        """So many calls of a phase are to be made, or were made by earlier commands."""
        if calls:
            if phase not in self.phases:  # replaced, as another thread may be looking at it
                self.phases = {**self.phases, phase: Phase()}
            self.phases[phase].total += calls
        return self.phases.get(phase, Phase())

    def expect_comparisons(self, most: int) -> None:
        """So many comparisons may follow when the samples are done."""
        if most or COMPARE in self.phases:
            phase = self.phases.setdefault(COMPARE, Phase(at_most=True))
            phase.total = phase.done + most

    def compare(self, calls: int) -> None:
        """So many comparisons are to be made now, of those expected or beyond them."""
        phase = self.phases.setdefault(COMPARE, Phase(at_most=True))
        phase.total = max(phase.total, phase.done + calls)
        phase.begin()

    def plan_sample(self, calls: Mapping[str, int], *, done: bool) -> None:
        """A sample belongs to the run, with so many calls by phase.

        Args:
            calls: When nothing is asked again.
            done: Earlier commands have made it.
        """
        for phase, n in calls.items():
            self.plan(phase, n).advance(n * done, spared=True)

    def answered(self, phase: str, response: ChatResponse) -> None:
        """A reply came from the network."""
        self.sent[phase] = self.sent.get(phase, 0) + 1
        self.usage = self.usage + response.usage
        known = self.cost_usd is not None and response.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0) + (response.cost_usd or 0) if known else None
