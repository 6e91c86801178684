"""Requests that go to a batch API instead of one by one: collected, sent, waited for, read.

A `BatchCaller` stands in the place of a `Caller`; to a sample it makes no difference but time.
Once all calls under way wait for a batch, what is new among them is submitted: first an intention
is journalled, with the `custom_id` of each request, then the batch is made, then its id is
journalled. Whatever ends the process in between, the same command finds the batch again: by its
id; else among those that the provider lists, by the name of the submission where that is kept
(OpenAI), or by the number of its requests, and for certain by its `custom_id`s once it has ended
(Anthropic). Nothing is submitted twice: where it cannot be known whether a batch was taken, it is
waited for. What a batch gave no answer to is asked live, once, and never in another batch.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from uuid import uuid4

from ..errors import BenchError, BudgetReached, ErrorKind, ProviderError, Waiting
from ..parties.providers import CallContext
from ..spending.budget import Meter, Reservation
from ..spending.prices import format_range
from ..text import plural
from ..types import ChatRequest, ChatResponse, JsonDict
from . import batch_settings
from .batch_services import BatchLine, BatchService, MaybeAccepted, is_passing
from .batch_settings import Batching, Pace
from .batch_waiting import BatchWatch, FollowedBatch
from .caller import Caller
from .refusals import RefusedRequest

if TYPE_CHECKING:
    from ..journal import OpenBatch

TURNS = 20
"""So many more turns every sample has to go on, however slow the machine is."""
ROUNDS = 2
"""So many batches, one after the other, may have no room for a request before it is given up."""


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

    def holds(self, requests: Sequence[ChatRequest]) -> bool:
        """Whether the budget has room for all of them live."""
        return self._meter.holds(requests)

    def cost_of(self, requests: Sequence[ChatRequest]) -> str:
        """About what they cost live."""
        return format_range(self._meter.cost_of(requests))

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
        priced = self._batch_meter.price_of(response, asked.reservation)
        return replace(response, attempts=1, **priced)

    async def close(self) -> None:
        """Close the connections of both kinds."""
        await self.desk.close()
        await self.service.close()
        await super().close()


@dataclass
class _Asked:
    """A request that waits for its answer; `rounds` counts the batches that it was meant for."""

    caller: BatchCaller
    key: str
    request: ChatRequest
    sent: JsonDict
    line: bytes
    answer: "asyncio.Future[ChatResponse | None]"
    reservation: Reservation = field(default_factory=lambda: Reservation(0, open=False))
    rounds: int = 0
    no_room: BudgetReached = field(
        default_factory=lambda: BudgetReached(
            f"--max-cost had no room in {ROUNDS} batches for what is left; the same command goes on"
        )
    )


@dataclass
class _Part:
    """Requests of one batch."""

    asked: list[_Asked] = field(default_factory=list)
    size: int = 0


class _Unanswered(NamedTuple):
    """A request that a batch gave no answer to, and why."""

    asked: _Asked
    why: str


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
    pace: Pace = field(default_factory=lambda: batch_settings.PACE)
    _asked: dict[str, _Asked] = field(default_factory=dict)
    _pending: list[_Asked] = field(default_factory=list)
    _left_out: list[_Asked] = field(default_factory=list)
    _unanswered: list[_Unanswered] = field(default_factory=list)
    _followed: list[FollowedBatch] = field(default_factory=list)
    _lines: dict[str, BatchLine] = field(default_factory=dict)
    _parties: set[str] = field(default_factory=set)
    _read: "list[OpenBatch]" = field(default_factory=list)
    _loop: "asyncio.Task[None] | None" = None
    _ended: BenchError | None = None

    def __post_init__(self) -> None:
        self._watch = BatchWatch(self.pace, self.say, self._pause)

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
        known = self._lines.pop(key, None)
        followed = next((one for one in self._followed if key in one.keys), None)
        if known or followed:
            asked.reservation = caller.hold(request)
        else:
            self._pending.append(asked)
        if known:
            self._deliver(asked, known)
        elif followed and followed.error:
            waiting.set_exception(followed.error)
        if self._loop is None:
            self._loop = asyncio.create_task(self._work())
            self._loop.add_done_callback(self._after_work)
        try:
            return await waiting
        finally:
            self._asked.pop(key, None)

    def _adopt(self, caller: BatchCaller) -> None:
        """Follow what earlier commands have sent, or meant to send, to this party."""
        if caller.party in self._parties:
            return
        self._parties.add(caller.party)
        for batch in self.open:
            if batch.party == caller.party:
                self._follow(batch, caller)

    def _follow(self, batch: "OpenBatch", caller: BatchCaller) -> None:
        followed = FollowedBatch(batch, caller.service, caller.party, set(batch.keys))
        followed.task = asyncio.create_task(self._wait_for(followed))
        followed.task.add_done_callback(lambda task: self._after_waiting(followed, task))
        self._followed.append(followed)

    async def _work(self) -> None:
        """Send what is to be sent whenever all that is under way waits here."""
        before = -1
        while waiting := sum(not one.answer.done() for one in self._asked.values()):
            self.check()
            is_quiet = waiting == len(self.under_way)
            if is_quiet and waiting == before:
                if self._unanswered:
                    self._ask_live()
                elif self._pending or (self._left_out and not self._is_waiting):
                    await self._submit_all()
                elif self._followed and not self.batching.waits:
                    self._stop_where_all_wait()
            before = waiting if is_quiet else -1
            await asyncio.sleep(self.pace.tick)
            for _ in range(TURNS):
                await asyncio.sleep(0)
        self._loop = None

    @property
    def _is_waiting(self) -> bool:
        """Whether a batch may still free money."""
        return any(one.error is None for one in self._followed)

    def _stop_where_all_wait(self) -> None:
        """Raise `Waiting` once each batch was looked at and has not ended."""
        if all(one.looked for one in self._followed):
            n = plural(len(self._followed), "batch", "batches")
            raise Waiting(f"{n} under way; the same command reads the results")

    def _after_work(self, task: "asyncio.Task[None]") -> None:
        """Let nobody wait any longer, where what sends has ended by an error of any kind."""
        if task.cancelled() or not (error := task.exception()):
            return
        wrong = error if isinstance(error, BenchError) else _defect(error)
        self._ended = wrong
        for one in self._followed:
            if one.batch.id:
                self.say(f"batch {one.batch.id} goes on at {one.party}; the same command "
                         "reads its results")  # fmt: skip
        self._refuse(self._asked, wrong)

    def _after_waiting(self, one: FollowedBatch, task: "asyncio.Task[None]") -> None:
        """Hand on an error, of whatever kind, to those who wait for this batch."""
        if not task.cancelled() and (error := task.exception()):
            one.error = error if isinstance(error, BenchError) else _defect(error)
            self._refuse(one.keys, one.error)

    def _refuse(self, keys: Collection[str], error: BenchError) -> None:
        for key in list(keys):
            if (asked := self._asked.get(key)) and not asked.answer.done():
                asked.answer.set_exception(error)

    # Sending

    async def _submit_all(self) -> None:
        """Submit what is pending, as far as there is money for it."""
        pending, self._pending = self._pending + self._left_out, []
        self._left_out.clear()
        chunks: dict[BatchCaller, list[_Part]] = {}
        for asked in pending:
            if self._reserve(asked):
                _into(chunks.setdefault(asked.caller, [_Part()]), asked)
        if not (chunks or self._is_waiting):
            for asked in self._left_out:
                asked.answer.set_exception(asked.no_room)
            self._left_out.clear()
        for caller, parts in chunks.items():
            for part in parts:
                await self._submit(caller, part.asked)

    def _reserve(self, asked: _Asked) -> bool:
        """Whether there is money for a request; else the next batch may have room, or none."""
        reservation = None
        asked.rounds += 1
        if asked.rounds > ROUNDS:
            asked.answer.set_exception(asked.no_room)
            return False
        try:
            reservation = asked.caller.reserve(asked.request)
        except BudgetReached as error:
            asked.no_room = error
        if reservation is None:
            self._left_out.append(asked)
            return False
        asked.reservation = reservation
        return True

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
            self._unpaid(part)
            self._refuse(batch.keys, error)
            return
        else:
            await self.notes.submitted(batch, id)
            batch = batch._replace(id=id)
            self.say(f"batch {id}: {plural(len(part), 'request')} to {caller.party}, to be "
                     "answered within a day; Ctrl-C leaves it there")  # fmt: skip
        self._follow(batch, caller)

    # Waiting

    async def _wait_for(self, one: FollowedBatch) -> None:
        """Wait for the end of a batch, and read what came of it."""
        if one.batch.id is None and not await self._took_over(one):
            self._give_back(one)
            return
        lines: Sequence[BatchLine] = ()
        why = "the provider does not know the batch any more"
        state = await self._watch.until_ended(one)
        if state and state.failed:
            self._forget(one)
            raise ProviderError(
                ErrorKind.INVALID_REQUEST,
                f"{one.party} refused batch {one.batch.id}: {state.failed}",
                fatal=True,
            )
        if state:
            lines = await self._watch.patiently(lambda: one.service.lines(str(one.batch.id)))
            why = "the results lack it"
        for line in lines:
            if line.custom_id in one.keys:  # each counts once
                one.keys.discard(line.custom_id)
                self._arrived(line)
        for key in sorted(one.keys):
            self._arrived(BatchLine(key, None, why, billed=True))
        one.keys.clear()
        self._followed.remove(one)
        self._read.append(one.batch)

    async def _took_over(self, one: FollowedBatch) -> bool:
        """Whether a batch whose submission was not answered is there; it has its id then."""
        id = await self._watch.find(one, self._followed)
        if id is not None:
            await self.notes.submitted(one.batch, id)
            one.batch = one.batch._replace(id=id)
            self.say(f"batch {id} was taken over")
        return id is not None

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the run ends."""
        await self.sleep(seconds)
        self.check()

    # Reading

    def _arrived(self, line: BatchLine) -> None:
        """Hand on what came of a request, now or when a sample asks for it."""
        asked = self._asked.get(line.custom_id)
        if asked is None or asked.answer.done():
            self._lines[line.custom_id] = line
        else:
            self._deliver(asked, line)

    def _deliver(self, asked: _Asked, line: BatchLine) -> None:
        caller = asked.caller
        if line.answer is None:
            caller.pay(asked.reservation, billed=line.billed)
            self._unanswered.append(_Unanswered(asked, line.why))
            return
        try:
            response = caller.read(asked, line)
        except ProviderError as error:
            caller.pay(asked.reservation, billed=False)
            # what is refused as it was made may be taken otherwise, which is tried live
            if RefusedRequest.of(error) or is_passing(error):
                self._unanswered.append(_Unanswered(asked, str(error)))
            else:
                asked.answer.set_exception(error)
            return
        caller.pay(asked.reservation, billed=True)
        asked.answer.set_result(response)

    def _ask_live(self) -> None:
        """Let requests go live that batches gave no answer to, where the budget holds them all."""
        unanswered, self._unanswered = self._unanswered, []
        for caller in dict.fromkeys(one.asked.caller for one in unanswered):
            mine = [one for one in unanswered if one.asked.caller is caller]
            requests, n = [one.asked.request for one in mine], plural(len(mine), "request")
            why = "; ".join(list(dict.fromkeys(one.why for one in mine))[:3])
            what = f"{caller.party}: no answer in the batch to {n} ({why})"
            if caller.holds(requests):
                self.say(f"{what}; asked live, at the full price: {caller.cost_of(requests)}")
                for one in mine:
                    one.asked.answer.set_result(None)
                continue
            message = (
                f"{what}; --max-cost does not hold the {caller.cost_of(requests)} of "
                "asking live: the same command sends another batch"
            )
            self.say(message)
            self._refuse([one.asked.key for one in mine], ProviderError(ErrorKind.SERVER, message))

    def _give_back(self, one: FollowedBatch) -> None:
        """Send in another batch what was never taken."""
        self._forget(one)
        again = [self._asked[key] for key in one.keys if key in self._asked]
        for asked in again:
            asked.rounds = 0
        self._pending += again

    def _forget(self, one: FollowedBatch) -> None:
        """Let go of a batch that was never worked on."""
        self.notes.end(one.batch)
        self._followed.remove(one)
        self._unpaid([self._asked[key] for key in one.keys if key in self._asked])

    def _unpaid(self, asked: Sequence[_Asked]) -> None:
        for one in asked:
            one.caller.pay(one.reservation, billed=False)

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


def _defect(error: BaseException) -> BenchError:
    """What those get who wait, where something failed that should not."""
    return ProviderError(ErrorKind.MALFORMED, f"batches cannot go on: {error!r}", fatal=True)


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
