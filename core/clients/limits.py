"""How fast requests may go, when a call is tried again, and what the user is told meanwhile.

The rates spread a minute's allowance evenly over the minute: a request of n units is followed by
n units' time. `Notices` says each thing once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty
from ..types import ChatRequest
from .concurrency import CHARACTERS_PER_TOKEN, Clock

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
        connection_cap_s: The longest wait after a failed connection, so that an endpoint that is
            down is known to be so within a minute.
        down_after_s: So long an endpoint refuses or drops every connection until it is down. Late
            enough for ten attempts of one call (the ninth is 39.5 s after the first at most), early
            enough for the minute.
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

        `random` is uniform in [0, 1), `left` the seconds that the call may still take. A server
        that asks for a longer wait is asked again as if it had said nothing, as there is no later
        for this call.
        """
        most = self.attempts_after.get(error.kind, self.attempts)
        if not error.retryable or tries >= most:
            return None
        cap = self.connection_cap_s if error.kind == ErrorKind.CONNECTION else self.cap_s
        ceiling = min(cap, self.base_s * 2.0 ** (tries - 1))
        backoff = ceiling * (0.5 + 0.5 * random())
        asked = error.retry_after
        return (
            backoff
            if asked is None or asked + backoff * 0.1 >= left
            else max(asked, 0.0) + backoff * 0.1
        )


_HALF_AN_HOUR_S = 1800.0


@dataclass
class Limits:
    """What the user allows one endpoint; with `ramps` no concurrency was stated for this server."""

    concurrency: int = 32
    ramps: bool = False
    rpm: float | None = None
    tpm: float | None = None
    timeout_s: float = 600.0
    retry: RetryPolicy = field(default_factory=RetryPolicy)

    @property
    def call_s(self) -> float:
        """The most seconds from a call's first attempt to its end."""
        return max(_HALF_AN_HOUR_S, 3 * self.timeout_s)


def text_tokens(request: ChatRequest) -> int:
    """Tokens of a request's text, about."""
    return sum(len(m.content) for m in request.messages) // CHARACTERS_PER_TOKEN


def reserved_tokens(request: ChatRequest) -> int:
    """The share of a per-minute limit that a request takes before it is sent."""
    return text_tokens(request) + (request.sampling.max_tokens or 0)


class Rate:
    """At most `per_minute` units a minute, spread evenly; ``None`` means no limit."""

    def __init__(self, per_minute: float | None, clock: Clock) -> None:
        self._per_second = per_minute / 60 if per_minute else None
        self._clock = clock
        self._free_at = clock()

    @property
    def delay(self) -> float:
        """Seconds until the next request may go; 0 when it may go now."""
        return 0.0 if self._per_second is None else max(0.0, self._free_at - self._clock())

    def take(self, units: float = 1.0) -> None:
        """Count `units` as used from now on."""
        if self._per_second is not None:
            self._free_at = max(self._clock(), self._free_at) + units / self._per_second

    def give_back(self, units: float) -> None:
        """Of what was taken, `units` were not used (or more were, when negative)."""
        if self._per_second is not None:
            self._free_at -= units / self._per_second


class Notices:
    """Says each thing once; the callers of a run share one.

    What a server does not take is said once in all runs that share what was `announced`.
    """

    def __init__(
        self, say: Callable[[str], None] = lambda text: None, announced: set[object] | None = None
    ) -> None:
        self._say = say
        self._shown: set[object] = set()
        self._announced = set[object]() if announced is None else announced

    def _once(self, key: object, text: str) -> None:
        if key not in self._shown:
            self._shown.add(key)
            self._say(text)

    def refused(self, text: str) -> None:
        """What a server does not take, and what it is sent from now on."""
        if text not in self._announced:
            self._announced.add(text)
            self._say(text)

    def closing(self, error: Exception) -> None:
        """A client could not be closed, which costs no result."""
        self._once(str(error), f"warning: {error}")

    def beyond_tpm(self, request: ChatRequest, tpm: float, asked: AskedParty) -> None:
        """A request reserves more tokens than a minute allows.

        It is sent all the same, as the server may count fewer; but those after it wait.
        """
        tokens, text = reserved_tokens(request), text_tokens(request)
        room = tokens - text
        shorter = " or a smaller --max-tokens" if text <= tpm and asked.options.sampling else ""
        self._once(
            asked.name,
            f"a request to {asked.name} reserves {tokens:,} tokens "
            f"({text:,} for its text, {room:,} for the reply), more than the {tpm:,.15g} of tpm: "
            f"after each, the next waits up to {tokens / tpm * 60:,.0f} s, less when fewer are "
            f"used; give a larger tpm{shorter}",
        )

    def no_token_limit(self, asked: AskedParty) -> None:
        """A server takes none."""
        self._once(
            ("no token limit", asked.name),
            f"{asked.name} refuses a token limit, so replies are as long as the model likes",
        )

    def shared_context(self, error: ProviderError, asked: AskedParty) -> None:
        """A server had no room for as many at a time."""
        self._once(
            ("shared context", asked.name),
            f"{asked.name} answered {error.status}: {error.words}; the server's context is shared "
            "by its slots, so fewer are asked at a time; --concurrency 1, or a larger context of "
            "the server, loses no work",
        )

    def unknown_mark(self, mark: str, asked: AskedParty) -> None:
        """A reply begins with what may be a mark of thinking, and is read as part of the answer."""
        self._once(
            ("mark", asked.name, mark),
            f"warning: a reply of {asked.name} begins with {mark}, which looks like a mark of "
            "thinking or of a template; it is not known here, and is read as part of the answer",
        )

    def unreachable(self, error: ProviderError, asked: AskedParty, seconds: float) -> None:
        """An endpoint refuses or drops every connection, and the run ends in so many seconds."""
        todo = f"trying again for up to {seconds:.0f} s before the run ends"
        self._once((asked.name, str(error)), f"{error}; {todo}")
