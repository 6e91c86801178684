"""Whether an endpoint is there, and whether it answers anything but errors of its own.

One that for some time refused or dropped every connection is down. One whose first answers are all
the same error will say it to every request, unless it is a server that starts.
"""

import asyncio
from collections.abc import Callable, MutableSet

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty, Client
from .limits import Notices, RetryPolicy
from .model_list import Listing, listing_of
from .server_errors import gist, may_pass

NO_ACCIDENT_S = 1.0
"""An endpoint that could not be reached for so long is told of; some drops are an accident."""
TRIES_AT_FIRST = 5
"""Without an answer so far, so many times the same 5xx to one call are enough to say so."""


class EndpointHealth:
    """What is known of one endpoint so far.

    Attributes:
        is_down: It refused or dropped every connection for so long that the run ends.
        has_answered: It gave a good answer.
        words: Of its last error; empty after an answer.
        heard_at: When its last answer came, be it an error.
    """

    def __init__(
        self,
        retry: RetryPolicy,
        clock: Callable[[], float],
        notices: Notices,
        asked: AskedParty,
        absent: MutableSet[str],
    ) -> None:
        self.is_down = self.has_answered = False
        self.words, self.heard_at = "", float("-inf")
        self._retry, self._clock, self._notices, self._asked = retry, clock, notices, asked
        self._absent, self._host = absent, asked.host or asked.name
        self._down_since: float | None = None
        self._refusals = 0
        self._was_there = False
        self._errors = set[object]()
        self._looking, self._looked = asyncio.Lock(), False
        self._listing: Listing | None = None

    def answered(self) -> None:
        """A good answer came."""
        self.has_answered, self.words = True, ""
        self.is_there()

    def is_there(self) -> None:
        """An answer came, be it an error."""
        self._down_since, self._refusals = None, 0
        self._was_there, self.heard_at = True, self._clock()
        self._absent.discard(self._host)

    def not_connected(self, error: ProviderError, began: float, in_flight: int) -> None:
        """Say that the endpoint is down, and make the error fatal when it was so for long enough.

        One call that fails while others wait for slow answers is no outage, hence the
        comparison with the number of requests that wait for an answer.
        """
        self._was_there = self._was_there or not error.unsent
        self._refusals += 1
        if self._down_since is None:
            self._down_since = began
        is_known = self._host in self._absent
        if self._refusals < max(3, in_flight) and not is_known:
            return
        seconds, retry = self._clock() - self._down_since, self._retry
        left = min(retry.absent_after_s, retry.down_after_s) - seconds
        if self._was_there:
            left = retry.down_after_s - seconds
        elif is_known or left <= 0:
            left = 0.0
            self._absent.add(self._host)
        if left <= 0:
            error.fatal = self.is_down = True
        elif seconds >= NO_ACCIDENT_S:
            self._notices.unreachable(error, self._asked, left)

    def failed(self, error: ProviderError, times: int, *, alone: bool) -> None:
        """Make a 5xx fatal that is all the server says, so many times to one call.

        Beside other calls it may be their number, which is halved meanwhile.
        """
        if self.has_answered:
            return
        self._errors.add(gist(error))
        enough = TRIES_AT_FIRST if alone else 2 * TRIES_AT_FIRST
        if times >= enough and len(self._errors) == 1 and not may_pass(error):
            words = error.words or "no message"
            error.args = (
                f"{self._asked.name} answered {error.status}: {words}, {times} times, and nothing "
                "else so far",
            )
            error.fatal = error.is_all = True

    async def look_up(self, error: ProviderError, client: Client) -> None:
        """Add what models the server lists to an error that a wrong name may be the cause of."""
        is_unknown = error.kind == ErrorKind.NOT_FOUND and (error.status or 0) >= 400
        if not (is_unknown or error.is_all):
            return
        async with self._looking:
            if not self._looked:
                self._listing, self._looked = await listing_of(client), True
        listing, todo = self._listing, ""
        if error.is_all and listing and listing.names and not listing.has_it:
            todo = f"check {self._asked.options.spec}"
        elif error.is_all:
            todo = "its own log may say why, and the same command tries again"
        error.args = ("; ".join(filter(None, (f"{error}", listing and f"{listing}", todo))),)
