"""How far each phase of a run is: replies of the model, verdicts and comparisons of the judge."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass
class Phase:
    """One kind of call of a run, and how far it is.

    Attributes:
        total: Calls when nothing is asked again; of comparisons, the most that this command
            may make.
        done: Among them, those that need nothing more.
        spared: Among those done, the ones that this command had no need to send.
        began: When the first was asked for (monotonic); ``None`` before.
    """

    total: int = 0
    done: int = 0
    spared: int = 0
    began: float | None = None

    def begin(self) -> None:
        """A call is asked for."""
        self.began = time.monotonic() if self.began is None else self.began

    def advance(self, calls: int = 1, *, spared: bool = False) -> None:
        """So many calls more need nothing more."""
        self.done += calls
        self.spared += calls * spared

    def end(self) -> None:
        """No more calls are needed, even if more were planned."""
        self.total = self.done

    @property
    def seconds_left(self) -> float | None:
        """At the pace of this command so far; ``None`` while that is not known."""
        if self.began is None or self.done == self.spared:
            return None
        seconds = time.monotonic() - self.began
        return (self.total - self.done) * seconds / (self.done - self.spared)


class SampleSteps:
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
