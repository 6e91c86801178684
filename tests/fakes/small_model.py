"""A small model on a server of one's own, as the loopback interface can have it at any speed.

Modelled on a real one (135 million parameters, quantised, one request at a time): 4.8 seconds a
reply in the mean, ratings without the headings that were asked for, in two replies of three not
even all of them, and now and then the same words again and again until there is no room. A client
that hangs up changes nothing: its reply is computed to the end, and the next one waits.
"""

import asyncio
import json
from collections.abc import Awaitable
from random import Random
from typing import Any

from eibench.plugins.kit.loopback import LoopbackServer
from eibench.plugins.kit.replies import Answer
from eibench.plugins.kit.responders import Reply, Responder, _blocks, _lines
from eibench.plugins.kit.wire import ReceivedRequest, content_text

TOKENS_PER_S = 52.0
"""Written in the server's own time: a loop of 3,700 tokens took 70 seconds."""
CONTEXT = 4096
"""Tokens of prompt and reply together."""
_CHARACTERS_PER_TOKEN = 4


class SmallModelServer(LoopbackServer):
    """A `LoopbackServer` that needs time for each reply, and computes few at once.

    Equal requests get equal replies, whatever order they come in.

    Args:
        readable: Share of the replies to a form that name each emotion with a number.
        loops: Share of all replies that repeat themselves until the token limit, or the context
            of 4,096 tokens, ends them: 71 seconds at the most.
        reply_s: Seconds that any other reply takes; with two loops in a hundred the mean of 3.5 is
            the 4.8 of the real one.
        slots: How many it computes at the same time; the others wait, in order of arrival.
        speed: How many seconds pass on it in one of ours.
        seed: Of the draws.
        respond: What it says instead; the time is the same.
        **rest: As of `LoopbackServer`, but for `latency`.

    Attributes:
        speed: As given.
        busy_s: Seconds of its own time that it has computed, all slots together.
    """

    def __init__(
        self,
        *,
        readable: float = 0.35,
        loops: float = 0.02,
        reply_s: float = 3.5,
        slots: int = 1,
        speed: float = 1.0,
        seed: int = 0,
        respond: Responder | str | None = None,
        **rest: Any,
    ) -> None:
        super().__init__(self._compute, seed=seed, **rest)
        self.speed = speed
        self.busy_s = 0.0
        self._reply_s = reply_s
        self._says = small_model(readable, loops, seed) if respond is None else respond
        self._slots = asyncio.Semaphore(slots)

    async def _compute(self, request: ReceivedRequest) -> Reply:
        reply = self._says if isinstance(self._says, str) else self._says(request)
        if isinstance(reply, Awaitable):
            reply = await reply
        seconds = self._reply_s
        if isinstance(reply, Answer) and reply.finish == "length":
            seconds = reply.output / TOKENS_PER_S
        async with self._slots:
            await asyncio.sleep(seconds / self.speed)
            self.busy_s += seconds
        return reply


def small_model(readable: float = 0.35, loops: float = 0.02, seed: int = 0) -> Responder:
    """A responder that rates as a small model does; the arguments are those of the server."""

    def say(request: ReceivedRequest) -> Answer:
        rng = Random(f"{seed}:{json.dumps(request.body, sort_keys=True)}")
        if rng.random() < loops:
            return _loop(request)
        blocks = _blocks(_lines(request.prompt))
        labels = next((block.labels for block in blocks if len(block.labels) > 1), [])
        if not labels:
            return Answer("I am not sure what to say about that, but I hope that it helps.")
        if rng.random() >= readable:
            labels = labels[: rng.randrange(len(labels))]
        lines = [f"{label} {rng.randrange(4)}" for label in labels]
        return Answer("\n".join(lines or ["They feel what anyone would feel in their place."]))

    return say


def _loop(request: ReceivedRequest) -> Answer:
    """The same words to the end of the room."""
    texts = (content_text(message.get("content")) for message in request.messages)
    left = CONTEXT - sum(map(len, texts)) // _CHARACTERS_PER_TOKEN
    limits = [asked for asked in map(request.body.get, _LIMITS) if isinstance(asked, int)]
    tokens = max(1, min([left, *limits]))
    return Answer("I am sorry. " * (tokens // 3), finish="length", output_tokens=tokens)


_LIMITS = ("max_tokens", "max_completion_tokens")
