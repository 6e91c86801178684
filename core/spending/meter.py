"""One endpoint's money: what its calls cost, within what the command may spend."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from ..types import ChatRequest, ChatResponse
from .budget import Budget, Reservation
from .prices import Price, known_cost, upper_bound


@dataclass(frozen=True, slots=True)
class Meter:
    """Prices the calls of one model and keeps them within a budget.

    Attributes:
        price: ``None`` when unknown: then costs are unknown too.
        budget: Shared by all models of a command; ``None`` when there is no limit. A limit
            needs a price.
    """

    price: Price | None = None
    budget: Budget | None = None

    @asynccontextmanager
    async def attempt(self, request: ChatRequest) -> AsyncIterator[Reservation]:
        """One attempt; while it runs, the most it can cost is set aside.

        Raises:
            BudgetReached: It might exceed the limit.
            UsageError: Nothing bounds its cost.
        """
        if self.budget is None or self.price is None:
            yield Reservation(0)
            return
        async with self.budget.attempt(upper_bound(request, self.price)) as reservation:
            yield reservation

    def priced(self, response: ChatResponse, reservation: Reservation) -> ChatResponse:
        """The reply with its cost, which is now known to the budget too."""
        if self.price is None:
            return response
        cost = reservation.cost = known_cost(response, self.price)
        return replace(response, cost_usd=cost, price_source=self.price.source)
