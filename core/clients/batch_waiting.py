"""Batches that are waited for: looked at until they end, and found again where that takes a search.

How old a batch is, is told by its provider's clock where that says so, as this machine's may be
wrong, or be set while a run waits.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from ..errors import BenchError, ErrorKind, ProviderError
from .batch_services import BatchService, BatchState, ListedBatch, is_passing
from .batch_settings import Pace

if TYPE_CHECKING:
    from ..journal import OpenBatch

T = TypeVar("T")
FAILURES = 20
"""So many questions about a batch may fail one after the other."""


@dataclass(eq=False)
class FollowedBatch:
    """A batch that is waited for.

    Attributes:
        keys: Those without an answer yet.
        looked: Whether it was looked at and has not ended.
    """

    batch: "OpenBatch"
    service: BatchService
    party: str
    keys: set[str]
    task: "asyncio.Task[None] | None" = None
    looked: bool = False
    error: BenchError | None = None

    def age_s(self, shown: BatchState | ListedBatch) -> float:
        """Seconds since it was made; where its provider does not say that, since it was meant."""
        if shown.age_s is not None:
            return shown.age_s
        return time.time() - datetime.fromisoformat(self.batch.at).timestamp()


@dataclass
class BatchWatch:
    """Looks at batches, at first often.

    Attributes:
        pause: Waits for some seconds, unless the run ends.
        others: Listed batches that proved to be somebody else's.
    """

    pace: Pace
    say: Callable[[str], None]
    pause: Callable[[float], Awaitable[None]]
    others: set[str] = field(default_factory=set)

    async def until_ended(self, one: FollowedBatch) -> BatchState | None:
        """How it ended; ``None`` where the provider does not know it.

        Raises:
            ProviderError: It does not end.
        """
        waits, unknown_s, shown = self._waits(), 0.0, ""
        while True:
            state = await self.patiently(lambda: one.service.state(str(one.batch.id)))
            one.looked = state is None or not state.ended  # else its results are read next
            wait = next(waits)
            if state is None:
                if unknown_s > self.pace.grace:  # right after a submission it is no verdict
                    return None
                unknown_s += wait
            else:
                if state.text != shown and not state.failed:
                    shown = state.text
                    self.say(f"batch {one.batch.id}: {shown}")
                if state.ended:
                    return state
                self._check_age(one, state)
            await self.pause(wait)

    def _check_age(self, one: FollowedBatch, state: BatchState) -> None:
        """Raise `ProviderError` where a batch should have ended long ago."""
        if (age_s := one.age_s(state)) > self.pace.most:
            raise ProviderError(
                ErrorKind.TIMEOUT,
                f"batch {one.batch.id} at {one.party} has not ended "
                f"{age_s / 3600:.0f} hours after its submission; cancel it there, and the same "
                "command asks live what it did not answer",
                fatal=True,
            )

    def _waits(self) -> Iterator[float]:
        """Seconds between looks, each twice as long as the one before."""
        wait = self.pace.first
        while True:
            yield wait
            wait = min(2 * wait, self.pace.longest)

    async def patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """What a question that costs nothing gives, asked again while it fails in passing."""
        waits, last = list(islice(self._waits(), FAILURES)), ""
        while True:
            try:
                return await ask()
            except ProviderError as error:
                if not (is_passing(error) and waits):
                    raise
                if str(error) != last:
                    last = str(error)
                    self.say(f"{last}; it is asked again")
            await self.pause(waits.pop(0))

    async def find(self, one: FollowedBatch, followed: Sequence[FollowedBatch]) -> str | None:
        """The id of a batch whose submission was not answered; ``None`` where there is none.

        Raises:
            ProviderError: Several may be it, or one that may be it does not end.
        """
        waits, looked_s = self._waits(), 0.0
        while True:
            known = {other.batch.id for other in followed}
            listed = await self.patiently(partial(self._candidates, one, known))
            one.looked = True
            matching = [batch.id for batch in listed if await self._is_it(one, batch.id)]
            undecided = [batch for batch in listed if batch.id not in self.others]
            late = [b for b in undecided if one.age_s(b) > self.pace.most]
            if len(matching) > 1 or any(batch.id not in matching for batch in late):
                raise ProviderError(
                    ErrorKind.INVALID_REQUEST,
                    f"any of the batches {', '.join(sorted(b.id for b in undecided))} at "
                    f"{one.party} may be the one that was submitted; cancel those that are not "
                    "yours, and give the command again",
                    fatal=True,
                )
            if matching:
                return matching[0]
            if looked_s > self.pace.grace and not undecided:
                return None
            looked_s += (wait := next(waits))
            await self.pause(wait)

    async def _candidates(self, one: FollowedBatch, known: set[str | None]) -> list[ListedBatch]:
        """Listed batches that may be it."""

        def may_be(listed: ListedBatch) -> bool:
            if one.service.names_attempts:
                return listed.attempt == one.batch.attempt
            unknown = listed.id not in known and listed.id not in self.others
            return unknown and listed.requests == len(one.batch.keys)

        return [listed async for listed in one.service.listed() if may_be(listed)]

    async def _is_it(self, one: FollowedBatch, id: str) -> bool:
        """Whether a listed batch has our requests; of one without a name, once it has ended."""
        if one.service.names_attempts:
            return True
        state = await self.patiently(lambda: one.service.state(id))
        if state is None or not state.ended:
            return False  # looked at again
        lines = await self.patiently(lambda: one.service.lines(id))
        is_ours = bool(lines) and {line.custom_id for line in lines} <= one.batch.keys
        if not is_ours:
            self.others.add(id)
        return is_ours
