"""Which judges of a panel a command asks nothing more, so that the others' work goes on.

One rule for every cause: a key that is refused, a quota that is used up, a wrong address, a server
that never answers. A judge that fails for good leaves the command and no verdict of the others
waits for it; the run stays incomplete, and the same command asks what is missing. Only where no
judge is left does the command end, as it does with one judge.
"""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from ..errors import RETRYABLE, ErrorKind, ProviderError
from ..parties.party import Party

SILENT_AT_FIRST = 3
"""So many calls of a judge that were given up, before it has replied to any, are enough."""
_OF_THE_SERVER = RETRYABLE | {ErrorKind.TIMEOUT}
"""Errors that say nothing of the one request."""


@dataclass
class Absences:
    """The judges of a panel that are asked nothing more.

    Attributes:
        judges: All of them; none where there is no panel.
        say: Tells the user of one that leaves.
        reasons: By judge, the error with which a judge left.
        first: By judge, the first error of a judge that gave no reply, whether it left or not.
    """

    judges: Collection[Party] = ()
    say: Callable[[str], None] = lambda line: None
    reasons: dict[Party, ProviderError] = field(default_factory=dict)
    first: dict[Party, ProviderError] = field(default_factory=dict)
    _given_up: Counter[Party] = field(default_factory=Counter)
    _failed: set[Party] = field(default_factory=set)

    def settle(self, judge: Party, error: ProviderError, *, silent: bool) -> None:
        """Let a judge leave where an error says that it will not reply; the run goes on.

        The error is fatal afterwards only if no judge is left. A judge is `silent` that has not
        replied to anything in this command.
        """
        self.first.setdefault(judge, error)
        self._given_up[judge] += silent and error.kind in _OF_THE_SERVER
        self._failed |= {judge} if error.fatal else set()
        if error.fatal or (silent and self._given_up[judge] >= SILENT_AT_FIRST):
            is_news = judge not in self.reasons
            self.reasons.setdefault(judge, error)
            error.fatal = len(self._failed) == len(self.judges)
            if is_news and not error.fatal:
                self.say(f"{error}; the others go on without this judge, and its part is left")

    def check(self, judge: Party) -> None:
        """Raise the error with which a judge left, if it did."""
        if judge in self.reasons:
            raise self.reasons[judge]
