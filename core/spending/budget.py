"""``--max-cost``: a limit that many calls at a time cannot exceed together.

Before each attempt, an upper bound of its cost is reserved. What is spent plus
what is reserved never exceeds the limit, so neither does what the provider
bills, however the attempts end. An attempt that fits only if others turn out
cheaper than their bounds waits for them; one that would not fit even if all
others turned out free cannot ever be sent, and the command ends.

No deadlock: whoever waits holds no reservation (a rule for callers), so each
reservation ends with its attempt, and each end lets all who wait look again;
when nothing is reserved, an amount either fits or raises.

Amounts are whole numbers of picodollars, so that adding and giving back a
million of them leaves no rest. Not thread-safe: one event loop at a time, and
one budget may serve several loops one after the other.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import isfinite

from ..errors import BudgetReached
from .billing import may_be_billed
from .estimate import dollars

_PICO = 10**12


@dataclass(eq=False, slots=True)
class Reservation:
    """A part of the budget that is kept for one attempt.

    Attributes:
        cost: Dollars that the attempt cost, set inside `Budget.attempt`; ``None`` when
            unknown, which counts as the whole amount.
    """

    amount: int
    cost: float | None = None
    open: bool = True


class Budget:
    """What a command may spend, all its models and judges together.

    Args:
        limit: Dollars, from 0 on.
    """

    def __init__(self, limit: float) -> None:
        self._limit = _pico(limit)
        self._settled = self._forfeited = self._held = 0
        self._waiting: list[asyncio.Future[None]] = []

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
    def _gone(self) -> int:
        return self._settled + self._forfeited

    @asynccontextmanager
    async def attempt(self, amount: float) -> AsyncIterator[Reservation]:
        """One attempt, which costs at most `amount`; sets aside, and afterwards accounts.

        Set the reservation's `cost` when the reply is there. An attempt that fails in a way
        that may have been billed counts in full, and so does one that is cancelled.

        Raises:
            BudgetReached: It may exceed the limit.
        """
        reservation = await self.reserve(amount)
        try:
            yield reservation
        except BaseException as error:
            self._account(reservation, may_be_billed(error))
            raise
        self._account(reservation, billed=True)

    async def reserve(self, amount: float) -> Reservation:
        """A reservation; waits while attempts under way may leave room for it.

        Whoever calls this must not hold another reservation.

        Raises:
            BudgetReached: Not even if all that is under way cost nothing.
        """
        wanted = _pico(amount)
        while self._gone + self._held + wanted > self._limit:
            if self._gone + wanted > self._limit:
                raise BudgetReached(self._explain(amount))
            await self._change()
        self._held += wanted
        return Reservation(wanted)

    def settle(self, reservation: Reservation, cost: float) -> None:
        """The attempt is over and cost so much (more than its bound counts too)."""
        self._settled += _pico(cost)
        self._end(reservation)

    def release(self, reservation: Reservation) -> None:
        """The attempt is over and surely cost nothing."""
        self._end(reservation)

    def forfeit(self, reservation: Reservation) -> None:
        """The attempt is over and may have cost all that was reserved."""
        self._forfeited += reservation.amount
        self._end(reservation)

    def _account(self, reservation: Reservation, billed: bool) -> None:
        if reservation.cost is not None:
            self.settle(reservation, reservation.cost)
        elif billed:
            self.forfeit(reservation)
        else:
            self.release(reservation)

    def _end(self, reservation: Reservation) -> None:
        if not reservation.open:
            raise ValueError("this reservation has ended before")
        reservation.open = False
        self._held -= reservation.amount
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
        limit, spent = dollars(self.limit), dollars(self.spent)
        if not self._gone:
            return (
                f"--max-cost {limit} does not allow a single call, which may cost up to "
                f"{dollars(amount)}; raise it, or lower --max-tokens"
            )
        unsure = f", {dollars(self.forfeited)} of it by failed attempts" if self._forfeited else ""
        return (
            f"--max-cost {limit} is reached: {spent} spent{unsure}, and the next call may cost "
            f"up to {dollars(amount)}; the same command with a larger --max-cost goes on"
        )


def _pico(amount: float) -> int:
    if not (isfinite(amount) and amount >= 0):
        raise ValueError(f"an amount of money is a finite number from 0 on, not {amount!r}")
    return round(amount * _PICO)
