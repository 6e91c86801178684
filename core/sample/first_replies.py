"""Whether a model's replies can be read at all: until one could be, few are asked for.

A model that never keeps to the form would else be asked for hundreds of replies in vain, as many
at a time as it is allowed. The first readable reply lets all others go.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable

from ..benchmark.model import ONLY_THOUGHT, TOOK_FOR_THINKING
from ..errors import Unreadable
from ..reading.base_models import ASK_BASE_MODEL, base_model_sign
from ..text import is_blank, line
from ..types import ChatResponse, Finish
from .progress import Progress
from .workers import Stop

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

    def count(
        self, item_id: str, response: ChatResponse | None, problem: str | None, question: str = ""
    ) -> None:
        """A reply about an item was read (`problem` is ``None``), or why it could not be.

        The response is ``None`` where it is not known, and `question`, the last message that was
        sent, is empty.
        """
        if problem is None:
            self._progress.replies_read += 1
            self._holds = False
        else:
            self._progress.replies_unread += 1
            self._unread += 1
            self._faults[_cause(response, line(problem), question)] += 1
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


def _cause(response: ChatResponse | None, problem: str, question: str) -> str:
    """Why a reply could not be read, with what may help where that is known."""
    if response and question and (sign := base_model_sign(question, response.text)):
        return f"the reply {sign}: {ASK_BASE_MODEL}"
    if problem == ONLY_THOUGHT:
        return f"{problem}; {TOOK_FOR_THINKING}"
    if response is None or response.finish != Finish.LENGTH:
        return problem
    limits = [response.sent.get(name) for name in ("max_tokens", "max_completion_tokens")]
    now = next((f" (now {limit:,})" for limit in limits if isinstance(limit, int)), "")
    only_thought = response.reasoning and is_blank(response.text)
    spent = "thinking took all the room" if only_thought else problem
    spent += "" if only_thought or "cut off" in problem else " (cut off by the token limit)"
    return f"{spent}; raise --max-tokens{now}"
