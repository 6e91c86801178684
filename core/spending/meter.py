"""One endpoint's money: what its calls cost, within what the command may spend."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ..types import ChatRequest, ChatResponse
from .budget import Budget, Reservation
from .prices import Price, input_bound, known_cost, upper_bound


@dataclass(frozen=True, slots=True)
class Meter:
    """Prices the calls of one model and keeps them within a budget.

    Attributes:
        price: ``None`` when unknown: then costs are unknown too.
        party: What messages call the model; its first call goes alone.
        trial: What is asked is short, so its answer says little of what other calls will cost.
        budget: Shared by all models of a command; ``None`` when there is no limit. A limit
            needs a price.
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

    def price_of(self, response: ChatResponse, reservation: Reservation) -> Mapping[str, Any]:
        """What a reply says of its cost, which is now known to the budget too."""
        if self.price is None:
            return {}
        cost = reservation.cost = known_cost(response, self.price)
        usage = response.usage
        reservation.counted = f"{usage.input:,} tokens in and {usage.output:,} out"
        return {"cost_usd": cost, "price_source": self.price.source}
