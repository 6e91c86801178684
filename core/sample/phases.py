"""How far each phase of a run is: replies of the model, verdicts and comparisons of the judge."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

COMPARE = "compare"
"""The phase of calls that compare transcripts."""
TRIAL = "trial"
"""The phase of the call that only finds out whether the judge answers."""
TRIAL_QUESTION = "Say OK."


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
    """The part of one sample in the phases, call by call.

    A sample may take more calls than were planned, or fewer: it counts as those planned.

    Args:
        phases: Those of the run.
        planned: Calls of the sample by phase.
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
