"""The calls of one sample: answered from the journal, or asked for and journalled.

Each call is a task of its own and outlives the plugin's interest in it: when
one of several concurrent calls fails, the others have been sent and paid for,
so their replies are saved for the next command. And what ends the run is
remembered here, as a plugin may catch whatever it likes.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from ..clients.caller import Caller
from ..endpoints.providers import CallContext
from ..errors import (
    BenchError,
    BudgetReached,
    ErrorKind,
    Interrupted,
    JournalError,
    ProviderError,
)
from ..journal import CallKey
from ..types import ChatRequest, ChatResponse
from .context import ConnectedParty, RunContext, Sample
from .model import Answer, JournaledModel, known_replies
from .phases import COMPARE, SampleProgress

REFUSED_AT_FIRST = 3
"""When the first so many requests are all refused as invalid, the others will be too.

The first that are sent, and not the first to come back: a refusal is quicker than an answer.
"""


class CallReplayer:
    """Makes the handles of one sample.

    Args:
        context: What all samples share.
        sample: Whose calls they are.
        steps: Is told of each call, for the progress.

    Attributes:
        ended: What one of the calls met that ends the run; the sample is then neither
            scored nor failed, whatever the plugin made of it.
    """

    def __init__(
        self, context: RunContext, sample: Sample, steps: SampleProgress | None = None
    ) -> None:
        self.ended: BenchError | None = None
        self._steps = steps or SampleProgress({}, {})
        self._context = context
        self._sample = sample
        self._known = self._read_known() if context.replays else {}

    def _read_known(self) -> dict[CallKey, ChatResponse]:
        item, iteration = self._sample
        return self._context.journal.replies(self._context.run, item.id, iteration)

    def _find(self, key: CallKey) -> ChatResponse | None:
        """The reply in the journal; those of comparisons are many, so each is looked up."""
        if key.phase != COMPARE:
            return self._known.get(key)
        item, iteration = self._sample
        return self._context.journal.reply(self._context.run, item.id, iteration, key)

    def handle(self, party: ConnectedParty) -> JournaledModel:
        """What the plugin's coroutine holds as this party."""
        caller = party.caller
        others = self._context.roles if party is self._context.model else {}
        return JournaledModel(
            self._asking(party, caller) if caller else known_replies(self._known),
            phase=party.phase,
            asked=party.asked,
            item_id=self._sample.item.id,
            sampling=party.sampling,
            system=party.system,
            iteration=self._sample.iteration,
            roles={name: self.handle(role) for name, role in others.items()},
        )

    def _asking(self, party: ConnectedParty, caller: Caller) -> Answer:
        async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
            self._steps.begin(party.phase)
            if known := self._find(key):
                self._context.progress.replayed += 1
                self._steps.advance(party.phase, spared=True)
                return known
            asking = self._under_way(key)
            call = asking or self._begin(self._ask(party, caller, request, key), key, caller)
            await _ended(call)
            if isinstance(error := call.exception(), BenchError):
                self._note(error)  # the call may be another sample's
            response = call.result()
            self._steps.advance(party.phase, spared=False)
            return response

        return answer

    def _under_way(self, key: CallKey) -> "asyncio.Task[ChatResponse] | None":
        """The call that asks the same already, if there is one."""
        item, iteration = self._sample
        return self._context.shared.get((item.id, iteration, key))

    def _begin(
        self, asking: Coroutine[Any, Any, ChatResponse], key: CallKey, caller: Caller
    ) -> "asyncio.Task[ChatResponse]":
        context, (item, iteration) = self._context, self._sample
        call = asyncio.create_task(asking)
        context.under_way[call] = caller
        call.add_done_callback(context.under_way.pop)
        # The plugin may have lost its interest, and asyncio prints errors that nobody looked at.
        call.add_done_callback(lambda done: done.cancelled() or done.exception())
        if key.phase == COMPARE:
            place = (item.id, iteration, key)
            context.shared[place] = call
            call.add_done_callback(lambda _: context.shared.pop(place))
        return call

    async def _ask(
        self, party: ConnectedParty, caller: Caller, request: ChatRequest, key: CallKey
    ) -> ChatResponse:
        context = self._context
        try:
            if party is context.model:
                for trial in context.trials:
                    await trial.passed(self.handle)
        except BenchError as error:
            self._note(error)
            raise
        context.tell_address(party)
        place = context.begun[party.phase]
        context.begun[party.phase] += 1
        try:
            return await self._send_and_keep(party, caller, request, key)
        except BenchError as error:
            if place < REFUSED_AT_FIRST:
                self._note_refusal(party, error)
            self._note(error)
            raise

    def _note_refusal(self, party: ConnectedParty, error: BenchError) -> None:
        """Make an invalid request fatal when the first ones all were."""
        if not isinstance(error, ProviderError) or error.kind != ErrorKind.INVALID_REQUEST:
            return
        context, phase = self._context, party.phase
        context.refused[phase] += 1
        if context.refused[phase] >= REFUSED_AT_FIRST and not self._was_answered(party):
            error.fatal = True

    def _was_answered(self, party: ConnectedParty) -> bool:
        """Whether this party has replied to anything in the run, in this command or before."""
        context = self._context
        if context.progress.sent.get(party.phase):
            return True
        totals = context.journal.call_totals(context.run, party.asked) if context.replays else ()
        return any(total.phase == party.phase for total in totals)

    def _note(self, error: BenchError) -> None:
        """Remember what ends the run."""
        is_fatal = isinstance(error, ProviderError) and error.fatal
        if is_fatal or isinstance(error, BudgetReached | Interrupted | JournalError):
            self.ended = self.ended or error
            self._context.stop.ask(error)

    async def _send_and_keep(
        self, party: ConnectedParty, caller: Caller, request: ChatRequest, key: CallKey
    ) -> ChatResponse:
        context, (item, iteration) = self._context, self._sample
        if context.journal.trouble:
            raise context.journal.trouble
        call = CallContext(context.benchmark, item, iteration, party.phase)
        response = await caller.send(request, call)
        # A comparison's prompt is made of two transcripts that are in the journal already.
        kept = replace(request, messages=()) if party.phase == COMPARE else request
        response = await context.journal.add_call(
            context.run, item.id, iteration, key, party.asked, kept, response, party.address
        )
        context.progress.answered(party.phase, response)
        if context.journal.trouble:
            self._note(context.journal.trouble)  # this reply is saved; no other may be sent
        return response


async def _ended(call: "asyncio.Task[ChatResponse]") -> None:
    """Wait for the end of a call, which is not cancelled with whoever waits for it."""
    ended = asyncio.Event()
    call.add_done_callback(lambda _: ended.set())
    await ended.wait()
