"""The calls of one sample: answered from the journal, or asked for and journalled.

Each call is a task of its own and outlives the plugin's interest in it: when
one of several concurrent calls fails, the others have been sent and paid for,
so their replies are saved for the next command. And what ends the run is
remembered here, as a plugin may catch whatever it likes.
"""

import asyncio
from dataclasses import replace

from ..clients.base import CallContext
from ..clients.caller import Caller
from ..errors import BenchError, BudgetReached, Interrupted, JournalError, ProviderError
from ..journal import CallKey
from ..types import ChatRequest, ChatResponse
from .handles import Answer, Handle, known_replies
from .workshop import COMPARE, Party, Sample, Workshop


class SampleCalls:
    """Makes the handles of one sample.

    Attributes:
        ended: What one of the calls met that ends the run; the sample is then neither
            scored nor failed, whatever the plugin made of it.
    """

    def __init__(self, shop: Workshop, sample: Sample) -> None:
        self.ended: BenchError | None = None
        self._shop = shop
        self._sample = sample
        self._known = self._read_known() if shop.replays else {}

    def _read_known(self) -> dict[CallKey, ChatResponse]:
        item, iteration = self._sample
        return self._shop.journal.replies(self._shop.run, item.id, iteration)

    def _find(self, key: CallKey) -> ChatResponse | None:
        """The reply in the journal; those of comparisons are many, so each is looked up."""
        if key.phase != COMPARE:
            return self._known.get(key)
        item, iteration = self._sample
        return self._shop.journal.reply(self._shop.run, item.id, iteration, key)

    def handle(self, party: Party) -> Handle:
        """What the plugin's coroutine holds as this party."""
        caller = party.caller
        return Handle(
            self._asking(party, caller) if caller else known_replies(self._known),
            phase=party.phase,
            asked=party.asked,
            sampling=party.sampling,
            system=party.system,
            iteration=self._sample.iteration,
        )

    def _asking(self, party: Party, caller: Caller) -> Answer:
        async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
            if known := self._find(key):
                self._shop.progress.replayed += 1
                return known
            call = asyncio.create_task(self._ask(party, caller, request, key))
            self._shop.under_way.add(call)
            call.add_done_callback(self._shop.under_way.discard)
            await asyncio.wait([call])  # unlike await, does not cancel the call with its waiter
            return call.result()

        return answer

    async def _ask(
        self, party: Party, caller: Caller, request: ChatRequest, key: CallKey
    ) -> ChatResponse:
        try:
            return await self._send_and_keep(party, caller, request, key)
        except (BudgetReached, Interrupted, JournalError, ProviderError) as error:
            if not isinstance(error, ProviderError) or error.fatal:
                self.ended = self.ended or error
                self._shop.stop.ask(error)
            raise

    async def _send_and_keep(
        self, party: Party, caller: Caller, request: ChatRequest, key: CallKey
    ) -> ChatResponse:
        shop, (item, iteration) = self._shop, self._sample
        context = CallContext(shop.benchmark, item, iteration, party.phase)
        response = await caller.send(request, context)
        # A comparison's prompt is made of two transcripts that are in the journal already.
        kept = replace(request, messages=()) if party.phase == COMPARE else request
        response = await shop.journal.add_call(
            shop.run, item.id, iteration, key, party.asked, kept, response
        )
        shop.progress.answered(party.phase, response)
        return response
