"""A model whose words are known: for testing a benchmark's coroutines without a server."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import MissingCall
from ..types import ChatRequest, ChatResponse, Message, Sampling


class ScriptedModel:
    """Gives its replies one after the other, and remembers what it was asked.

    Args:
        *replies: Texts, or whole responses; an error among them is raised.
        sampling: What the benchmark sees as the run's sampling.

    Attributes:
        requests: What was asked, in order.
    """

    def __init__(
        self, *replies: str | ChatResponse | Exception, sampling: Sampling | None = None
    ) -> None:
        self.sampling = sampling or Sampling()
        self.requests: list[ChatRequest] = []
        self._replies = list(replies)

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        """The next reply.

        Raises:
            MissingCall: There are no more.
        """
        given = (Message("user", messages),) if isinstance(messages, str) else tuple(messages)
        sampling = replace(self.sampling, **changes)  # type: ignore[arg-type]
        self.requests.append(ChatRequest(given, sampling, cache_prefix))
        if not self._replies:
            raise MissingCall(f"the script has no reply to request {len(self.requests)}")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return ChatResponse(reply) if isinstance(reply, str) else reply
