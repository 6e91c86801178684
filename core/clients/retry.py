"""When a call is tried again, and how long to wait before: the one place that decides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf

from ..errors import ErrorKind, ProviderError

RETRIES = 15
"""Times that a call is tried again, unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Jittered exponential back-off, or what the server asks for.

    Attributes:
        attempts: The most requests for one call.
        timeouts: The most attempts after one that timed out.
        attempts_after: Fewer, after errors of some kinds.
        base_s: The first wait is up to this long; each next one up to twice as long.
        cap_s: No wait of ours is longer.
        connection_cap_s: Nor, after a failed connection, longer than this: so that an
            endpoint that is down is known to be so within a minute.
        down_after_s: An endpoint that for this long refused or dropped every connection is
            down, and the run ends. Late enough for ten attempts of one call (the ninth is 39.5 s
            after the first at most), early enough for the minute.
        absent_after_s: The same for one that no connection was ever made to.
    """

    attempts: int = 1 + RETRIES
    timeouts: int = 3
    attempts_after: Mapping[ErrorKind, int] = field(default_factory=dict)
    base_s: float = 0.5
    cap_s: float = 30.0
    connection_cap_s: float = 8.0
    down_after_s: float = 40.0
    absent_after_s: float = 5.0

    def wait(
        self, error: ProviderError, tries: int, random: Callable[[], float], left: float = inf
    ) -> float | None:
        """Seconds to wait before the next attempt; ``None`` when there shall be none.

        Args:
            error: What the last attempt ended with.
            tries: Attempts so far, at least 1.
            random: Uniform in [0, 1).
            left: Seconds that the call may still take. A server that asks for a longer wait is
                asked again as if it had said nothing, as there is no later for this call.
        """
        most = self.attempts_after.get(error.kind, self.attempts)
        if not error.retryable or tries >= most:
            return None
        cap = self.connection_cap_s if error.kind == ErrorKind.CONNECTION else self.cap_s
        ceiling = min(cap, self.base_s * 2.0 ** (tries - 1))
        own = ceiling * (0.5 + 0.5 * random())
        asked = error.retry_after
        return own if asked is None or asked + own * 0.1 >= left else max(asked, 0.0) + own * 0.1
