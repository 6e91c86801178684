"""What keeps a run from paying in vain.

`Absences`: a judge of a panel that fails for good is asked nothing more, so that no verdict of the
others waits for it. The run stays incomplete, and the same command asks what is missing. Only
where no judge is left does the command end, as it does with one judge.

`Room`: small models go on and on, and thinking ones need much. A benchmark says in how many tokens
an answer fits (`Benchmark.answer_tokens`). A server of one's own is asked with that limit first. A
reply that did not fit is asked for again with all the room that was meant, unless it only repeats
itself; and once a reply shows that the model thinks, or needed the room, all others get it at
once. Answers that fit are the same with either limit. Call keys hold what was meant, so that a
replay finds each reply whatever it was asked with.

`CallBound`: a plugin's loop that does not end must not cost without end.

`FirstReplies`: a model that never keeps to the form would else be asked for hundreds of replies, as
many at a time as it is allowed. The first readable reply lets all others go.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace

from ..benchmark import Benchmark
from ..benchmark.model import is_generating
from ..errors import ErrorKind, ProviderError, Unreadable
from ..guard import PluginCall
from ..parties.party import Party
from ..reading.repetition import repeated_tail
from ..text import is_blank, line
from ..types import ChatRequest, ChatResponse, Finish
from .progress import COMPARE, TRIAL, Progress
from .workers import Stop

SILENT_AT_FIRST = 3
"""So many calls of a judge that were given up, before it has replied to any, are enough."""
_OF_THE_SERVER = frozenset(
    {
        ErrorKind.SERVER,
        ErrorKind.RATE_LIMIT,
        ErrorKind.TIMEOUT,
        ErrorKind.CONNECTION,
        ErrorKind.MALFORMED,
    }
)
"""Errors that say nothing of the one request."""


@dataclass
class Absences:
    """The judges of a panel that are asked nothing more, and the error with which each left.

    Of judges that gave no reply, whether they left or not, `first` has the first error. There are
    no judges where there is no panel.
    """

    judges: Collection[Party] = ()
    say: Callable[[str], None] = lambda line: None
    reasons: dict[Party, ProviderError] = field(default_factory=dict)
    first: dict[Party, ProviderError] = field(default_factory=dict)
    _given_up: Counter[Party] = field(default_factory=Counter)
    _failed: set[Party] = field(default_factory=set)

    def settle(self, judge: Party, error: ProviderError, *, silent: bool) -> None:
        """Let a judge leave where an error says that it will not reply; the run goes on.

        A silent one has not replied to anything in this command. The error is fatal afterwards only
        if no judge is left.
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


Shape = Callable[[ChatRequest], ChatRequest]
Send = Callable[[ChatRequest, Shape], Awaitable[ChatResponse]]
"""Sends what the second makes of the first, at the moment when it is sent."""


@dataclass
class Room:
    """The room in tokens that a run's model gets at first; ``None`` for all that is meant."""

    tokens: int | None = None

    async def ask(self, send: Send, request: ChatRequest) -> ChatResponse:
        """The reply to a request, asked a second time where it was cut off too early.

        Where that fails, what was cut off before is paid for in vain.
        """
        sent: list[ChatRequest] = []

        def shape(asked: ChatRequest) -> ChatRequest:
            sent.append(self._shape(asked))
            return sent[-1]

        first = await send(request, shape)
        if first.reasoning or first.usage.reasoning:
            self.tokens = None
        had_all = sent[-1] is request
        if had_all or not first.truncated or repeated_tail(first.text or first.reasoning):
            return first
        second = await send(request, _as_meant)
        if not second.truncated:
            self.tokens = None
        return _together(first, second)

    def _shape(self, request: ChatRequest) -> ChatRequest:
        meant, tokens = request.sampling, self.tokens
        if tokens is None or (meant.max_tokens or 0) <= tokens:
            return request
        return replace(request, sampling=replace(meant, max_tokens=tokens))


def _as_meant(request: ChatRequest) -> ChatRequest:
    return request


def _together(first: ChatResponse, second: ChatResponse) -> ChatResponse:
    """A reply with what the one that was cut off before it took, too."""
    costs = (first.cost_usd, second.cost_usd)
    return replace(
        second,
        usage=first.usage + second.usage,
        attempts=first.attempts + second.attempts,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
    )


FREE = 10
"""Calls that every method may make for a sample, whatever is planned."""
SLACK = 3
"""How many times the planned calls a sample may make."""
ATTEMPTS = 3
"""How often a question is asked at most where a benchmark asks again and does not say how often."""


def method_of(phase: str) -> str:
    """The method of a benchmark that makes the calls of a phase."""
    return "generate" if is_generating(phase) else "compare" if phase == COMPARE else "grade"


class CallBound:
    """Counts the calls of one sample, and refuses those beyond its bound.

    The bound of a method is the larger of `FREE` and `SLACK` times the planned calls times the
    most attempts of each. Calls that are answered from the journal count too, so that a run that
    was stopped meets the same bound.
    """

    def __init__(self, benchmark: Benchmark, item_id: str, planned: Mapping[str, int]) -> None:
        self._benchmark, self._item_id = benchmark, item_id
        self._planned = Counter[str]()
        for phase, calls in planned.items():
            self._planned[method_of(phase)] += calls
        again = ATTEMPTS if benchmark.asks_again else 1
        self._attempts = max(benchmark.most_attempts, again)
        self._counts = Counter[tuple[str, object]]()
        self._over: dict[str, str] = {}

    @property
    def is_over(self) -> bool:
        """Whether a call was refused."""
        return bool(self._over)

    def limit(self, method: str) -> int:
        """The most calls that a method may make, with each judge its own."""
        return max(FREE, SLACK * max(1, self._planned[method]) * self._attempts)

    def count(self, phase: str, asked: object) -> None:
        """Count a call; a `PluginError` if it is beyond the bound; each judge has its own."""
        if phase == TRIAL:
            return
        method = method_of(phase)
        key = (method, "" if method == "generate" else asked)
        self._counts[key] += 1
        if self._counts[key] > self.limit(method):
            self._over[method] = (
                f"asked more than {self.limit(method)} times for item {self._item_id!r} (planned: "
                f"{self._planned[method]}): it has no end, or planned_calls says too little"
            )
        self.check(method)

    def check(self, method: str) -> None:
        """Refuse what a method came to beyond its bound, where the plugin caught the refusal."""
        if message := self._over.get(method):
            PluginCall(self._benchmark, method).refuse(message)


ENOUGH = 10
"""Replies of which none can be read, after which no more are asked for."""


class FirstReplies:
    """Lets a run's requests to the model go, ten at first, the others when one reply was read.

    Args:
        stop: Of the run; is asked when ten replies could not be read.
        progress: Counts what is read.
        say: Tells the user something.
        holds: No reply of the model was ever read, and the user has not said to go on all the same.
        at_once: Whether a reply can be read tells itself, soon after it came; else the end of its
            sample tells, and only that is waited for.
        unread: Replies that earlier commands could not read.
    """

    def __init__(
        self,
        stop: Stop,
        progress: Progress,
        say: Callable[[str], None],
        *,
        holds: bool,
        at_once: bool = True,
        unread: int = 0,
    ) -> None:
        self._stop = stop
        self._progress = progress
        self._say = say
        self._holds = holds
        self._at_once = at_once
        self._unread = unread
        self._faults = Counter[str]()
        self._first: tuple[str, str] | None = None
        self._sending: set[Hashable] = set()
        self._changed = asyncio.Event()

    async def enter(self, call: Hashable) -> None:
        """Return when a request may be sent; `Interrupted` when nothing more shall be."""
        while self._holds and self._unread + self._at_once * len(self._sending) >= ENOUGH:
            if self._unread >= ENOUGH:
                self._give_up()
            self._stop.check()
            await self._stop.or_event(self._changed)
        self._sending.add(call)

    def leave(self, call: Hashable) -> None:
        """A request has ended, and whoever sent it has looked at the reply."""
        self._sending.discard(call)
        self._wake()

    def count(self, item_id: str, response: ChatResponse | None, problem: str | None) -> None:
        """A reply was read, or could not be for the problem that it has."""
        if problem is None:
            self._progress.replies_read += 1
            self._holds = False
        else:
            self._progress.replies_unread += 1
            self._unread += 1
            self._faults[_cause(response, line(problem))] += 1
            self._first = self._first or (item_id, line(problem))
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _give_up(self) -> None:
        """Send nothing more, and say why and what to do."""
        if self._stop.asked:
            return
        message = f"none of the first {self._unread} replies could be read"
        causes = [f"{n} x {cause}" for cause, n in self._faults.most_common(2)]
        message += f" ({'; '.join(causes)})" if causes else ""
        self._say(f"{message}, so nothing more is sent; --keep-going asks on all the same")
        self._stop.ask(Unreadable(message, *(self._first or ())))


def _cause(response: ChatResponse | None, problem: str) -> str:
    """Why a reply could not be read, with what may help where that is known."""
    if response is None or response.finish != Finish.LENGTH:
        return problem
    limits = [response.sent.get(name) for name in ("max_tokens", "max_completion_tokens")]
    now = next((f" (now {limit:,})" for limit in limits if isinstance(limit, int)), "")
    only_thought = response.reasoning and is_blank(response.text)
    spent = "thinking took all the room" if only_thought else problem
    spent += "" if only_thought or "cut off" in problem else " (cut off by the token limit)"
    return f"{spent}; raise --max-tokens{now}"
