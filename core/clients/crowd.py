"""Whether a time-out can be the fault of a queue in the server, behind other calls of ours.

A server with few places answers what it was sent in turn, and may go on with what nobody waits
for any more. So a call was not alone when others were in flight during any of its time, and
neither when it began while the server may still have been busy with those that were given up:
as many as there were, each for the time that an answer took while they waited.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt among the others.

    Attributes:
        began: When it was sent.
        behind: Others were there before it.
        number: Attempts begun up to it, itself included.
        answered: Answers that had come before it began.
    """

    began: float
    behind: bool
    number: int
    answered: int


class Crowd:
    """The attempts that one endpoint has at the same time.

    Attributes:
        size: Attempts that wait for an answer.
        answers: How many have been answered.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.size = 0
        self._clock = clock
        self._begun = self.answers = 0
        self._busy_until = float("-inf")
        self._answer_s = 0.0

    def enter(self) -> Attempt:
        """The place of an attempt that is sent now."""
        now = self._clock()
        behind = self.size > 0 or now < self._busy_until
        self.size += 1
        self._begun += 1
        return Attempt(now, behind, self._begun, self.answers)

    def leave(self) -> None:
        """An attempt ended, however it did."""
        self.size -= 1

    def answered(self) -> None:
        """One of the attempts was answered."""
        self.answers += 1
        self._busy_until = max(self._busy_until, self._clock())

    def give_up(self, place: Attempt) -> bool:
        """Whether others were there while an attempt waited in vain; nobody waits for it now."""
        if answers := self.answers_since(place):
            self._answer_s = (self._clock() - place.began) / answers
        self._busy_until = max(self._busy_until, place.began) + self._answer_s
        return place.behind or self._begun > place.number

    def answers_since(self, place: Attempt) -> int:
        """How many attempts were answered since one began."""
        return self.answers - place.answered
