"""Requests that go to a batch API instead of one by one: collected, sent, waited for, read.

A `BatchCaller` stands in the place of a `Caller`; to a sample it makes no difference but time.
Once all calls under way wait for a batch, what is new among them is submitted: first an intention
is journalled, with the `custom_id` of each request, then the batch is made, then its id is
journalled. Whatever ends the process in between, the same command finds the batch again: by its
id; else among those that the provider lists, by the name of the submission where that is kept
(OpenAI), or by time and number, and for certain by its `custom_id`s once it has ended (Anthropic).
Nothing is submitted twice: where it cannot be known whether a batch was taken, it is waited for.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from ..errors import BenchError, BudgetReached, ErrorKind, Interrupted, ProviderError, Waiting
from ..parties.providers import CallContext
from ..spending.budget import Meter, Reservation
from ..text import plural
from ..types import ChatRequest, ChatResponse, JsonDict
from .batch_services import BatchLine, BatchService, MaybeAccepted, is_passing
from .batch_settings import Batching
from .caller import Caller
from .refusals import RefusedRequest

if TYPE_CHECKING:
    from ..journal import OpenBatch

SLOWER = 10
"""So many times the first wait is the longest wait between two looks."""
GRACE = 5
"""So many times the first wait a batch may be unknown to the provider after its submission."""
_TICK_S = 0.2
_EARLIER_S = 600.0  # by so much the provider's clock may be behind ours


class BatchNotes(Protocol):
    """What keeps batches across commands: the journal, for one run."""

    async def intend(self, batch: "OpenBatch") -> None:
        """Before a submission."""
        ...

    async def submitted(self, batch: "OpenBatch", id: str) -> None:
        """After it."""
        ...

    def end(self, batch: "OpenBatch") -> None:
        """When nothing more will come of it."""
        ...

    def new(self, attempt: str, party: str, keys: Collection[str]) -> "OpenBatch":
        """A batch that is not sent yet."""
        ...


class BatchCaller(Caller):
    """A caller whose calls go to a batch API, but for trials and what fell out of a batch."""

    def __init__(
        self,
        *arguments: Any,
        desk: "BatchDesk",
        party: str,
        batch_meter: Meter,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.desk, self.party, self._batch_meter = desk, party, batch_meter
        self.service: BatchService = self.client.batches()  # type: ignore[attr-defined]
        self._live = False
        self._first = asyncio.Lock()
        self._was_answered = False

    async def send(
        self,
        request: ChatRequest,
        call: CallContext,
        shape: Callable[[ChatRequest], ChatRequest] = lambda request: request,
    ) -> ChatResponse:
        """The reply, from a batch; see `Caller.send`.

        One request goes live before the first batch, at the full price, so that no batch is
        refused as a whole for what the server does not take.
        """
        if self._live or not call.key:
            return await super().send(request, call, shape)
        if not (self._was_answered or self.desk.has_batches(self)):
            async with self._first:
                if not self._was_answered:
                    return await self._send_live(request, call, shape)
        response = await self.desk.ask(self, shape(request), call.key)
        return response or await self._send_live(request, call, shape)

    async def _send_live(
        self,
        request: ChatRequest,
        call: CallContext,
        shape: Callable[[ChatRequest], ChatRequest],
    ) -> ChatResponse:
        response = await super().send(request, call, shape)
        self._was_answered = True
        return response

    def trying(self, attempts_after: Any) -> Caller:
        """This caller for a trial, which goes live."""
        other = super().trying(attempts_after)
        assert isinstance(other, BatchCaller)
        other._live = True
        return other

    def body_of(self, request: ChatRequest) -> tuple[JsonDict, JsonDict]:
        """The body of a request, and what of it goes beside model and messages."""
        parts: tuple[JsonDict, JsonDict] = self.client.body_of(request)  # type: ignore[attr-defined]
        return parts

    def reserve(self, request: ChatRequest) -> Reservation | None:
        """Money for a request; ``None`` while others hold it."""
        return self._batch_meter.try_reserve(request)

    def hold(self, request: ChatRequest) -> Reservation:
        """Money for a request that was sent before."""
        return self._batch_meter.hold(request)

    def pay(self, reservation: Reservation, *, billed: bool) -> None:
        """Account for a request that has ended."""
        self._batch_meter.finish(reservation, billed=billed)

    def read(self, asked: "_Asked", line: BatchLine) -> ChatResponse:
        """The reply in a line.

        Raises:
            ProviderError: There is none.
        """
        assert line.answer is not None
        response: ChatResponse = self.client.take(  # type: ignore[attr-defined]
            line.answer, asked.sent
        )
        self._answered(asked.request, response)
        priced = self._batch_meter.price_of(response, asked.reservation or Reservation(0))
        return replace(response, attempts=1, **priced)

    async def close(self) -> None:
        """Close the connections of both kinds."""
        await self.desk.close()
        await self.service.close()
        await super().close()


@dataclass
class _Asked:
    """A request that waits for its answer."""

    caller: BatchCaller
    key: str
    request: ChatRequest
    sent: JsonDict
    line: bytes
    answer: "asyncio.Future[ChatResponse | None]"
    reservation: Reservation | None = None


@dataclass
class _Followed:
    """A batch that is waited for; `keys` are those without an answer yet."""

    batch: "OpenBatch"
    caller: BatchCaller
    keys: set[str]
    task: "asyncio.Task[None] | None" = None
    looked: bool = False


@dataclass
class _Part:
    """Requests of one batch."""

    asked: list[_Asked] = field(default_factory=list)
    size: int = 0


@dataclass
class BatchDesk:
    """Collects the requests of one run that go to batches.

    Attributes:
        under_way: All calls of the run that have begun; those that wait here among them.
        open: What earlier commands left.
        check: Raises what ends the run.
        is_stopping: Whether the run ends before its time.
    """

    batching: Batching
    notes: BatchNotes
    under_way: Collection[object]
    open: "Sequence[OpenBatch]"
    say: Callable[[str], None]
    check: Callable[[], None]
    sleep: Callable[[float], Awaitable[None]]
    is_stopping: Callable[[], bool]
    _asked: dict[str, _Asked] = field(default_factory=dict)
    _pending: list[_Asked] = field(default_factory=list)
    _followed: list[_Followed] = field(default_factory=list)
    _lines: dict[str, BatchLine] = field(default_factory=dict)
    _callers: dict[str, BatchCaller] = field(default_factory=dict)
    _read: "list[OpenBatch]" = field(default_factory=list)
    _others: set[str] = field(default_factory=set)
    _loop: "asyncio.Task[None] | None" = None
    _ended: BenchError | None = None
    _full: int | None = None

    def has_batches(self, caller: BatchCaller) -> bool:
        """Whether an earlier command has sent batches to this party, or meant to."""
        self._adopt(caller)
        return any(batch.party == caller.party for batch in self.open)

    async def ask(self, caller: BatchCaller, request: ChatRequest, key: str) -> ChatResponse | None:
        """The reply to a request from a batch; ``None`` where it is to be asked live.

        Raises:
            BenchError: There is none; or the run ends first, and it can be had later.
        """
        if self._ended:
            raise self._ended
        self._adopt(caller)
        body, sent = caller.body_of(request)
        line = caller.service.line(key, body)
        waiting: asyncio.Future[ChatResponse | None] = asyncio.get_running_loop().create_future()
        asked = self._asked[key] = _Asked(caller, key, request, sent, line, waiting)
        if any(key in one.keys for one in self._followed):
            asked.reservation = caller.hold(request)
        elif known := self._lines.pop(key, None):
            asked.reservation = caller.hold(request)
            self._deliver(asked, known)
        else:
            self._pending.append(asked)
        if self._loop is None:
            self._loop = asyncio.create_task(self._work())
        try:
            return await waiting
        finally:
            self._asked.pop(key, None)

    def _adopt(self, caller: BatchCaller) -> None:
        """Follow what earlier commands have sent, or meant to send, to this party."""
        if caller.party in self._callers:
            return
        self._callers[caller.party] = caller
        for batch in self.open:
            if batch.party == caller.party:
                self._follow(batch, caller)

    def _follow(self, batch: "OpenBatch", caller: BatchCaller) -> None:
        followed = _Followed(batch, caller, set(batch.keys))
        followed.task = asyncio.create_task(self._wait_for(followed))
        self._followed.append(followed)

    async def _work(self) -> None:
        """Submit what is new whenever all that is under way waits here."""
        before = -1
        try:
            while waiting := sum(not one.answer.done() for one in self._asked.values()):
                self.check()
                is_quiet = waiting == len(self.under_way)
                if is_quiet and waiting == before:
                    if self._pending and len(self._followed) != self._full:
                        await self._submit_all()
                    elif self._followed and not self.batching.waits:
                        self._stop_where_all_wait()
                before = waiting if is_quiet else -1
                await asyncio.sleep(min(_TICK_S, self.batching.poll_s))
            self._loop = None
        except BenchError as error:
            self._end(error)
        except Exception as error:  # a defect of ours must not leave samples waiting for ever
            self._end(Interrupted(f"batches cannot go on: {error!r}"))
            raise

    def _stop_where_all_wait(self) -> None:
        """Raise `Waiting` once each batch was looked at and has not ended."""
        if all(one.looked for one in self._followed):
            n = plural(len(self._followed), "batch", "batches")
            raise Waiting(f"{n} under way; the same command reads the results")

    def _end(self, error: BenchError) -> None:
        """Let nobody wait any longer."""
        self._ended = error
        for one in self._followed:
            if one.batch.id:
                self.say(f"batch {one.batch.id} goes on at {one.caller.party}; the same command "
                         "reads its results")  # fmt: skip
        for asked in list(self._asked.values()):
            if not asked.answer.done():
                asked.answer.set_exception(error)

    # Sending

    async def _submit_all(self) -> None:
        """Submit what is pending, as far as there is money for it."""
        left = list[_Asked]()
        chunks: dict[BatchCaller, list[_Part]] = {}
        for asked in self._pending:
            try:
                asked.reservation = asked.caller.reserve(asked.request)
            except BudgetReached as error:
                if self._followed or chunks:
                    asked.reservation = None  # what comes of these may leave room
                else:
                    asked.answer.set_exception(error)
                    continue
            if asked.reservation is None:
                left.append(asked)
            else:
                _into(chunks.setdefault(asked.caller, [_Part()]), asked)
        self._pending = left
        for caller, parts in chunks.items():
            for part in parts:
                await self._submit(caller, part.asked)
        self._full = len(self._followed) if left else None  # until one of them ends

    async def _submit(self, caller: BatchCaller, part: list[_Asked]) -> None:
        """Submit one batch; asked for once, whatever comes of it."""
        batch = self.notes.new(uuid4().hex, caller.party, [asked.key for asked in part])
        await self.notes.intend(batch)
        try:
            id = await caller.service.submit(batch.attempt, [asked.line for asked in part])
        except MaybeAccepted:
            self.say(f"{caller.party} did not answer whether it took a batch; it is looked for")
        except ProviderError as error:
            self.notes.end(batch)
            error.fatal = error.fatal or not is_passing(error)
            for asked in part:
                caller.pay(asked.reservation or Reservation(0), billed=False)
                if not asked.answer.done():
                    asked.answer.set_exception(error)
            return
        else:
            await self.notes.submitted(batch, id)
            batch = batch._replace(id=id)
            self.say(f"batch {id}: {plural(len(part), 'request')} to {caller.party}, to be "
                     "answered within a day; Ctrl-C leaves it there")  # fmt: skip
        self._follow(batch, caller)

    # Waiting

    async def _wait_for(self, one: _Followed) -> None:
        """Wait for the end of a batch, and read what came of it."""
        try:
            if one.batch.id is None and not await self._find(one):
                self._give_back(one)
                return
            await self._until_ended(one)
            lines = await self._patiently(one, lambda: one.caller.service.lines(str(one.batch.id)))
            for line in lines or ():
                if line.custom_id in one.keys:  # each counts once
                    one.keys.discard(line.custom_id)
                    self._arrived(line)
            for key in sorted(one.keys):
                self._arrived(BatchLine(key, None, ""))
            one.keys.clear()
            self._followed.remove(one)
            self._read.append(one.batch)
        except BenchError as error:
            for key in one.keys & self._asked.keys():
                if not self._asked[key].answer.done():
                    self._asked[key].answer.set_exception(error)

    async def _until_ended(self, one: _Followed) -> None:
        """Return when the provider says that it has ended.

        Raises:
            ProviderError: It ended without any result, or is not known there.
        """
        wait, unknown, shown = self.batching.poll_s, 0, ""
        while True:
            state = await self._patiently(one, lambda: one.caller.service.state(str(one.batch.id)))
            one.looked = state is None or not state.ended  # else its results are read next
            if state is None:
                unknown += 1  # right after a submission that is no verdict
                if unknown > GRACE:
                    raise ProviderError(
                        ErrorKind.NOT_FOUND,
                        f"{one.caller.party} does not know batch {one.batch.id} (any more)",
                    )
            elif state.failed:
                self.notes.end(one.batch)
                self._followed.remove(one)
                self._unpaid(one)
                raise ProviderError(
                    ErrorKind.INVALID_REQUEST,
                    f"{one.caller.party} refused batch {one.batch.id}: {state.failed}",
                    fatal=True,
                )
            else:
                if state.text != shown:
                    shown = state.text
                    self.say(f"batch {one.batch.id}: {shown}")
                if state.ended:
                    return
            await self.sleep(wait)
            self.check()
            wait = min(2 * wait, SLOWER * self.batching.poll_s)

    async def _patiently(self, one: _Followed, ask: Callable[[], Awaitable[Any]]) -> Any:
        """What a question that costs nothing gives, asked again while the network fails."""
        failures = 0
        while True:
            try:
                return await ask()
            except ProviderError as error:
                failures += 1
                if not is_passing(error) or failures > SLOWER * GRACE:
                    raise
            await self.sleep(self.batching.poll_s)
            self.check()

    async def _find(self, one: _Followed) -> bool:
        """Give a batch its id, whose submission was not answered; whether there is one.

        Raises:
            ProviderError: Several may be it.
        """
        intended = datetime.fromisoformat(one.batch.at).timestamp()
        end = time.time() + GRACE * self.batching.poll_s
        while True:
            listed = await self._patiently(one, lambda: self._candidates(one, intended))
            one.looked = True
            matching = [id for id in listed if await self._is_it(one, id)]
            if len(matching) > 1:
                raise ProviderError(
                    ErrorKind.INVALID_REQUEST,
                    f"any of the batches {', '.join(sorted(matching))} at {one.caller.party} may "
                    "be the one that was submitted; cancel those that are not yours, and give the "
                    "command again",
                    fatal=True,
                )
            if matching:
                await self.notes.submitted(one.batch, matching[0])
                one.batch = one.batch._replace(id=matching[0])
                self.say(f"batch {matching[0]} was taken over")
                return True
            is_late = time.time() >= max(end, intended + GRACE * self.batching.poll_s)
            if is_late and not set(listed) - self._others:
                return False
            await self.sleep(self.batching.poll_s)
            self.check()

    async def _candidates(self, one: _Followed, intended: float) -> list[str]:
        """The ids of listed batches that may be it."""
        service, ids = one.caller.service, list[str]()
        known = {other.batch.id for other in self._followed}
        async for listed in service.listed(intended - _EARLIER_S):
            if service.names_attempts:
                is_it = listed.attempt == one.batch.attempt
            else:
                is_it = listed.requests == len(one.batch.keys) and listed.id not in known
                is_it = is_it and listed.id not in self._others
            ids += [listed.id] * is_it
        return ids

    async def _is_it(self, one: _Followed, id: str) -> bool:
        """Whether a listed batch has our requests; of one without a name, once it has ended."""
        if one.caller.service.names_attempts:
            return True
        state = await self._patiently(one, lambda: one.caller.service.state(id))
        if state is None or not state.ended:
            return False  # looked at again
        lines = await self._patiently(one, lambda: one.caller.service.lines(id))
        is_ours = bool(lines) and {line.custom_id for line in lines} <= one.batch.keys
        if not is_ours:
            self._others.add(id)
        return is_ours

    # Reading

    def _arrived(self, line: BatchLine) -> None:
        """Hand on what came of a request, now or when a sample asks for it."""
        asked = self._asked.get(line.custom_id)
        if asked is None or asked.answer.done():
            self._lines[line.custom_id] = line
        else:
            self._deliver(asked, line)

    def _deliver(self, asked: _Asked, line: BatchLine) -> None:
        caller, reservation = asked.caller, asked.reservation or Reservation(0)
        if line.answer is None:
            # a line that is nowhere may have been billed; an expired or failed one is not
            caller.pay(reservation, billed=not line.why)
            self._fall_back(asked, line.why or "its result is missing")
            return
        try:
            response = caller.read(asked, line)
        except ProviderError as error:
            caller.pay(reservation, billed=False)
            if RefusedRequest.of(error):  # made otherwise it may be taken, which is tried live
                asked.answer.set_result(None)
            elif is_passing(error):
                self._fall_back(asked, str(error))
            else:
                asked.answer.set_exception(error)
            return
        caller.pay(reservation, billed=True)
        asked.answer.set_result(response)

    def _fall_back(self, asked: _Asked, why: str) -> None:
        """Send a request otherwise that a batch gave no answer to."""
        match self.batching.fallback:
            case "live":
                asked.answer.set_result(None)
            case "batch":
                self._again(asked)
            case _:
                message = f"{asked.caller.party}: no answer in the batch ({why})"
                asked.answer.set_exception(ProviderError(ErrorKind.SERVER, message))

    def _again(self, asked: _Asked) -> None:
        """Let the next batch have a request."""
        body, asked.sent = asked.caller.body_of(asked.request)
        asked.line, asked.reservation = asked.caller.service.line(asked.key, body), None
        self._pending.append(asked)

    def _give_back(self, one: _Followed) -> None:
        """Send in another batch what was never taken."""
        self.notes.end(one.batch)
        self._followed.remove(one)
        self._unpaid(one)
        self._pending += [self._asked[key] for key in one.keys if key in self._asked]

    def _unpaid(self, one: _Followed) -> None:
        for key in one.keys & self._asked.keys():
            asked = self._asked[key]
            if asked.reservation is not None:
                one.caller.pay(asked.reservation, billed=False)
                asked.reservation = None

    async def close(self) -> None:
        """End what waits; batches go on where they are, and are found again."""
        tasks = [task for task in (self._loop, *(one.task for one in self._followed)) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._ended is None and not self.is_stopping():
            for batch in self._read:
                self.notes.end(batch)
        self._read.clear()


def _into(parts: list[_Part], asked: _Asked) -> None:
    """Put a request into the last batch, or begin another where that is full."""
    service, last = asked.caller.service, parts[-1]
    if last.asked and (
        len(last.asked) >= service.most_requests or last.size + len(asked.line) > service.most_bytes
    ):
        last = _Part()
        parts.append(last)
    last.asked.append(asked)
    last.size += len(asked.line)
