"""A model whose words are known: for testing a benchmark's coroutines without a server."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from ..benchmark.model import member
from ..errors import MissingCall
from ..sample.model import drawn
from ..types import ChatRequest, ChatResponse, Message, Sampling


class ScriptedModel:
    """Gives its replies one after the other, and remembers what it was asked.

    Args:
        *replies: Texts, or whole responses; an error among them is raised.
        sampling: What the benchmark sees as the run's sampling.
        item_id: Of the sample, which random choices depend on.
        iteration: Of the sample.
        roles: Who plays the benchmark's roles, by name.

    Attributes:
        requests: What was asked, in order.
        problems: What `mark` was told of replies, in order; ``None`` of one that could be read.
        noted: What `note` was told.
    """

    def __init__(
        self,
        *replies: str | ChatResponse | Exception,
        sampling: Sampling | None = None,
        item_id: str = "1",
        iteration: int = 1,
        roles: "Mapping[str, ScriptedModel] | None" = None,
    ) -> None:
        self.iteration = iteration
        self._roles = roles or {}
        self._item_id = item_id
        self.sampling = sampling or Sampling()
        self.requests: list[ChatRequest] = []
        self.problems: list[str | None] = []
        self.noted: dict[str, object] = {}
        self.stages: list[str] = []
        self._replies = list(replies)

    def role(self, name: str, number: int = 0) -> "ScriptedModel":
        """Who plays a role; the second of a group ``opponents`` is ``opponents_2``.

        Raises:
            ValueError: The script has none of that name.
        """
        name = member(name, number)
        if name not in self._roles:
            names = ", ".join(self._roles) or "none"
            raise ValueError(f"role: the script has no role {name!r}; there are: {names}")
        return self._roles[name]

    def mark(self, response: ChatResponse, problem: str | None = None) -> None:
        """Keep it in `problems`."""
        self.problems.append(problem)

    def note(self, **facts: object) -> None:
        """Keep it in `noted`."""
        self.noted |= facts

    def stage(self, text: str) -> None:
        """Keep it in `stages`."""
        self.stages.append(text)

    async def kept(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse | None:
        """Nothing, as no journal is there."""
        return None

    def draw(self, name: str) -> Random:
        """As in a run: by item, iteration and name."""
        return drawn(self._item_id, self.iteration, name)

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        """The next reply.

        Raises:
            MissingCall: There are no more.
        """
        conversation = (
            (Message("user", messages),) if isinstance(messages, str) else tuple(messages)
        )
        sampling = replace(self.sampling, **changes)  # type: ignore[arg-type]
        self.requests.append(ChatRequest(conversation, sampling, cache_prefix))
        if not self._replies:
            raise MissingCall(f"the script has no reply to request {len(self.requests)}")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return ChatResponse(reply) if isinstance(reply, str) else reply
