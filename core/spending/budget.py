"""``--max-cost``: a limit that many calls at a time cannot exceed together.

Before each attempt, an upper bound of its cost is reserved. What is spent plus
what is reserved never exceeds the limit, so neither does what the provider
bills, however the attempts end. An attempt that fits only if others turn out
cheaper than their bounds waits for them; one that would not fit even if all
others turned out free cannot ever be sent, and the command ends.

A bound is only as good as the server that keeps to it. So the first attempt of
each party goes alone, until one is answered; and after a reply that cost more
than was reserved for it, nothing more is sent.

No deadlock: whoever waits holds no reservation (a rule for callers), so each
reservation ends with its attempt, and each end lets all who wait look again;
when nothing is reserved, an amount either fits or raises.

Amounts are whole numbers of picodollars, so that adding and giving back a
million of them leaves no rest. Not thread-safe: one event loop at a time, and
one budget may serve several loops one after the other.

A `Meter` prices the calls of one party and keeps them within the command's budget.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import isfinite
from typing import TypedDict

from ..errors import BudgetReached
from ..types import ChatRequest, ChatResponse
from .billing import may_be_billed
from .prices import (
    Price,
    Range,
    cost_range,
    dollars,
    exact_dollars,
    input_bound,
    known_cost,
    plan_calls,
    upper_bound,
)

_PICO = 10**12
MOST = 1e12
"""Dollars that a limit may be."""


class Priced(TypedDict, total=False):
    """What a reply cost, as fields of `ChatResponse`; nothing where there is no price."""

    cost_usd: float | None
    price_source: str | None


@dataclass(eq=False, slots=True)
class Reservation:
    """A part of the budget that is kept for one attempt.

    Attributes:
        party: Who is asked; ``None`` when no attempt has to go alone.
        cost: Dollars that the attempt cost; ``None`` when unknown, which counts as the whole
            amount.
        most: Tokens in and out that it can have, for the message when they are more.
    """

    amount: int
    party: str | None = None
    cost: float | None = None
    most: str = ""
    counted: str = ""
    open: bool = True


class Budget:
    """What a command may spend, all its models and judges together: up to `MOST` dollars.

    `excess` says which reply cost more than was reserved, and what to do.
    """

    def __init__(self, limit: float) -> None:
        self._limit = _pico(limit)
        self._settled = self._forfeited = self._held = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._alone: set[str] = set()
        self._known: set[str | None] = {None}
        self._refused: int | None = None
        self.excess = ""

    @property
    def limit(self) -> float:
        """The most that may be spent, dollars."""
        return self._limit / _PICO

    @property
    def spent(self) -> float:
        """Dollars that are gone: known costs, and in full what may have been billed."""
        return self._gone / _PICO

    @property
    def forfeited(self) -> float:
        """The part of `spent` that stands for attempts whose true cost is unknown."""
        return self._forfeited / _PICO

    @property
    def reserved(self) -> float:
        """Dollars kept for attempts under way."""
        return self._held / _PICO

    @property
    def reached(self) -> str:
        """Why nothing more is sent, with what is spent by now; empty while something may be."""
        if self.excess or self._refused is None:
            return self.excess
        return self._explain(self._refused / _PICO)

    @property
    def _gone(self) -> int:
        return self._settled + self._forfeited

    @asynccontextmanager
    async def attempt(
        self, amount: float, party: str | None = None, *, trial: bool = False
    ) -> AsyncIterator[Reservation]:
        """One attempt, which costs at most `amount` dollars; sets aside, and afterwards accounts.

        Set the reservation's `cost` when the reply is there. An attempt that fails in a way that
        may have been billed counts in full, and so does one that is cancelled. The first attempts
        of a party go alone until one is answered that is no `trial`.

        Raises:
            BudgetReached: It may exceed the limit, or a reply has cost more than it could.
        """
        reservation = await self.reserve(amount, party)
        try:
            yield reservation
        except BaseException as error:
            self._account(reservation, may_be_billed(error))
            raise
        if not trial:
            self._known.add(party)
        self._account(reservation, billed=True)

    async def reserve(self, amount: float, party: str | None = None) -> Reservation:
        """A reservation; waits while attempts under way may leave room for it.

        Whoever calls this must not hold another one. Raises BudgetReached when there would be no
        room even if all that is under way cost nothing.
        """
        amount_pico = _pico(amount)
        while not self._has_room(amount_pico, party):
            await self._change()
        self._held += amount_pico
        if party is not None and party not in self._known:
            self._alone.add(party)
        return Reservation(amount_pico, party)

    def try_reserve(self, amount: float) -> Reservation | None:
        """A reservation; ``None`` while there is no room for it. Raises as `reserve` does."""
        amount_pico = _pico(amount)
        return self.hold(amount) if self._has_room(amount_pico, None) else None

    def holds(self, amount: float) -> bool:
        """Whether there is room for so many dollars now."""
        return not self.excess and self._gone + self._held + _pico(amount) <= self._limit

    def hold(self, amount: float) -> Reservation:
        """A reservation for what was sent already, whether there is room or not."""
        self._held += _pico(amount)
        return Reservation(_pico(amount))

    def _has_room(self, amount: int, party: str | None) -> bool:
        """Whether an attempt may be sent now."""
        if self.excess:
            raise BudgetReached(self.excess)
        if self._gone + amount > self._limit:
            self._refused = amount
            raise BudgetReached(self._explain(amount / _PICO))
        return party not in self._alone and self._gone + self._held + amount <= self._limit

    def settle(self, reservation: Reservation, cost: float) -> None:
        """The attempt is over and cost so much; if more than its bound, it is the last one."""
        self._settled += _pico(cost)
        self.release(reservation)
        if _pico(cost) > reservation.amount + 1 and not self.excess:  # 1 is for rounding
            self.excess = self._explain_excess(reservation, cost)

    def finish(self, reservation: Reservation, *, billed: bool) -> None:
        """What was reserved for has ended; in full, where it was billed and its cost is unknown."""
        self._account(reservation, billed)

    def _account(self, reservation: Reservation, billed: bool) -> None:
        if reservation.cost is not None:
            self.settle(reservation, reservation.cost)
            return
        if billed:
            self._forfeited += reservation.amount
        self.release(reservation)

    def release(self, reservation: Reservation) -> None:
        """The attempt is over, and no more of what was reserved for it is counted."""
        if not reservation.open:
            raise ValueError("this reservation has ended before")
        reservation.open = False
        self._held -= reservation.amount
        self._alone.discard(reservation.party or "")
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def _change(self) -> None:
        """Wait until an attempt ends."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            await waiter
        finally:
            self._waiting.remove(waiter)

    def _explain(self, amount: float) -> str:
        limit, spent = dollars(self.limit), exact_dollars(self.spent)
        if not self._gone:
            return (
                f"--max-cost {limit} does not allow a single call, which may cost up to "
                f"{dollars(amount)}; raise it, or lower --max-tokens"
            )
        unsure = (
            f", {exact_dollars(self.forfeited)} of it for attempts of unknown cost"
            if self._forfeited
            else ""
        )
        return (
            f"--max-cost {limit} is reached: {spent} spent{unsure}, and the next call may cost "
            f"up to {dollars(amount)}; the same command with a larger --max-cost goes on"
        )

    def _explain_excess(self, reservation: Reservation, cost: float) -> str:
        who, most = reservation.party or "the server", dollars(reservation.amount / _PICO)
        spent = exact_dollars(self.spent)
        tokens = f" ({reservation.counted}, where {reservation.most} were the most)"
        return (
            f"{who} billed {dollars(cost)} for a reply that was to cost {most} at most"
            f"{tokens if reservation.most else ''}, so --max-cost cannot hold there: nothing more "
            f"is sent; {spent} of {dollars(self.limit)} is spent. Look at what it "
            "bills; the same command without --max-cost goes on"
        )


def _pico(amount: float) -> int:
    if not (isfinite(amount) and amount >= 0):
        raise ValueError(f"an amount of money is a finite number from 0 on, not {amount!r}")
    return round(amount * _PICO)


@dataclass(frozen=True, slots=True)
class Meter:
    """Prices the calls of one model and keeps them within a budget.

    Without a price costs are unknown; a limit needs one. What is asked in a `trial` is short, so
    its answer says little of what other calls will cost.
    """

    price: Price | None = None
    budget: Budget | None = None
    party: str = "the server"
    trial: bool = False

    @property
    def limited(self) -> bool:
        """Whether what a call costs has to be bounded."""
        return self.budget is not None and self.price is not None and not self.price.free

    @asynccontextmanager
    async def attempt(self, request: ChatRequest) -> AsyncIterator[Reservation]:
        """One attempt; while it runs, the most it can cost is set aside.

        Raises:
            BudgetReached: It might exceed the limit, or a reply has cost more than it could.
            UsageError: Nothing bounds its cost.
        """
        if self.budget is None or self.price is None:
            yield Reservation(0)
            return
        party, most = self.party if self.limited else None, upper_bound(request, self.price)
        async with self.budget.attempt(most, party, trial=self.trial) as reservation:
            reservation.most = f"{input_bound(request):,} and {request.sampling.max_tokens or 0:,}"
            yield reservation

    def try_reserve(self, request: ChatRequest) -> Reservation | None:
        """The most that a request can cost, set aside; ``None`` while there is no room for it.

        Raises:
            BudgetReached, UsageError: As `attempt` does.
        """
        if self.budget is None or self.price is None:
            return Reservation(0)
        return self.budget.try_reserve(upper_bound(request, self.price))

    def hold(self, request: ChatRequest) -> Reservation:
        """The same for a request that was sent before, whether there is room or not."""
        if self.budget is None or self.price is None:
            return Reservation(0)
        return self.budget.hold(upper_bound(request, self.price))

    def holds(self, requests: Sequence[ChatRequest]) -> bool:
        """Whether the budget has room for the most that all of them can cost."""
        if self.budget is None or self.price is None:
            return True
        return self.budget.holds(sum(upper_bound(one, self.price) for one in requests))

    def cost_of(self, requests: Sequence[ChatRequest]) -> Range | None:
        """About what requests cost together; ``None`` where the price is not known."""
        if self.price is None:
            return None
        return cost_range([plan_calls(requests, len(requests))], self.price)

    def finish(self, reservation: Reservation, *, billed: bool) -> None:
        """A request has ended that money was set aside for."""
        if self.budget is not None and self.price is not None and reservation.open:
            self.budget.finish(reservation, billed=billed)

    def price_of(self, response: ChatResponse, reservation: Reservation) -> Priced:
        """What a reply says of its cost, which is now known to the budget too."""
        if self.price is None:
            return {}
        cost = reservation.cost = known_cost(response, self.price)
        usage = response.usage
        reservation.counted = f"{usage.input:,} tokens in and {usage.output:,} out"
        return {"cost_usd": cost, "price_source": self.price.source}
