"""How much room a reply is given at first: small models go on and on, and thinking ones need much.

A benchmark says in how many tokens an answer fits (`Benchmark.answer_tokens`). A server of one's
own is asked with that limit first. A reply that did not fit is asked for again with all the room
that was meant, unless it only repeats itself; and once a reply shows that the model thinks, or
needed the room, all others get it at once. Answers that fit are the same with either limit. Call
keys hold what was meant, so that a replay finds each reply whatever it was asked with.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from ..clients.caller import TOKEN_LIMITS
from ..reading.repetition import repeated_tail
from ..types import ChatRequest, ChatResponse

Shape = Callable[[ChatRequest], ChatRequest]
Send = Callable[[ChatRequest, Shape], Awaitable[ChatResponse]]
"""Sends what the second makes of the first, at the moment when it is sent."""


@dataclass
class Room:
    """The room in tokens that a run's model gets at first; ``None`` for all that is meant."""

    tokens: int | None = None

    async def ask(self, send: Send, request: ChatRequest) -> ChatResponse:
        """The reply to a request, asked a second time where it was cut off too early.

        Raises:
            ProviderError: As `send`; what was cut off before is then paid for in vain.
        """
        sent: list[ChatRequest] = []

        def shape(asked: ChatRequest) -> ChatRequest:
            sent.append(self._shape(asked))
            return sent[-1]

        first = await send(request, shape)
        if first.reasoning or first.usage.reasoning:
            self.tokens = None
        limit = sent[-1].sampling.max_tokens or 0
        has_no_more = any(value < limit for value in _limits(first))
        had_all = sent[-1] is request or has_no_more
        if had_all or not first.truncated or repeated_tail(first.text or first.reasoning):
            return first
        second = await send(request, lambda asked: asked)
        if not second.truncated:
            self.tokens = None
        return _together(first, second)

    def _shape(self, request: ChatRequest) -> ChatRequest:
        meant, tokens = request.sampling, self.tokens
        if tokens is None or (meant.max_tokens or 0) <= tokens:
            return request
        return replace(request, sampling=replace(meant, max_tokens=tokens))


def _limits(response: ChatResponse) -> list[int]:
    """The token limit that was sent, which is smaller where the server has less room."""
    values = (response.sent.get(name) for name in TOKEN_LIMITS)
    return [value for value in values if isinstance(value, int)]


def _together(first: ChatResponse, second: ChatResponse) -> ChatResponse:
    """A reply with what the one that was cut off before it took, too."""
    costs = (first.cost_usd, second.cost_usd)
    return replace(
        second,
        usage=first.usage + second.usage,
        attempts=first.attempts + second.attempts,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
    )
