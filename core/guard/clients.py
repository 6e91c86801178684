"""A provider's clients, guarded: what goes wrong in one is told with the model's spec.

And what may come back from a rating engine.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from functools import partial
from math import isfinite, isnan
from operator import attrgetter
from types import NoneType
from typing import Any

from .. import ratings
from ..parties.providers import (
    MOST_TOKENS,
    CallContext,
    Client,
    ClientConfig,
    ModelSpec,
    Provider,
)
from ..spending.book import PriceList
from ..spending.budget import MOST
from ..spending.prices import Price
from ..types import ChatRequest, ChatResponse, Finish, Usage
from . import values
from .calls import PluginCall, call, call_async


def make_client(provider: Provider, config: ClientConfig) -> "GuardedClient":
    """A client of a provider."""
    called = PluginCall(provider, "create")
    client = call(called, provider.create, config)
    for method in ("complete", "close"):
        if not callable(getattr(client, method, None)):
            called.refuse(f"returned {type(client).__name__}, which has no {method}")
    return GuardedClient(client, PluginCall(provider, "", config.model))


def price_lists(providers: Iterable[Provider]) -> list[PriceList]:
    """What providers know of prices, guarded."""
    return [partial(_listed, provider) for provider in providers if provider.list_price]


def _listed(provider: Provider, spec: ModelSpec) -> Price | None:
    called = PluginCall(provider, "list_price")
    price: object = call(called, provider.list_price, spec) if provider.list_price else None
    if not isinstance(price, Price | None):
        called.refuse(f"returned {type(price).__name__}, which is no eibench.providers.Price")
    return price


_counts = attrgetter(*(field.name for field in fields(Usage)))


class GuardedClient:
    """A client that looks at what it returns. Implements `endpoints.providers.Client`."""

    def __init__(self, client: Client, called: PluginCall) -> None:
        self.client = client
        self._called = called

    async def prepare(self) -> None:
        """Get ready what takes time in this process; see `Client`."""
        if prepare := getattr(self.client, "prepare", None):
            await call_async(self._called._replace(method="prepare"), prepare)

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The model's reply; see `Client.complete`."""
        response = await call_async(self._called, self.client.complete, request, call)
        _check(self._called, response)
        return response

    async def close(self) -> None:
        """Close connections."""
        await call_async(self._called._replace(method="close"), self.client.close)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)


_RESPONSE: Mapping[str, values.FieldRule] = {
    "text": values.TEXT,
    "reasoning": values.TEXT,
    "finish": values.FieldRule(
        lambda value: isinstance(value, Finish), f"a Finish: {', '.join(Finish)}"
    ),
    "usage": values.FieldRule(
        lambda value: isinstance(value, Usage) and all(map(_is_count, _counts(value))),
        f"a Usage with whole numbers from 0 to {MOST_TOKENS:,}",
    ),
    "cost_usd": values.FieldRule(
        lambda value: value is None or (isinstance(value, (int, float)) and 0 <= value <= MOST),
        f"a number of dollars from 0 to {MOST:,.0f} or None",
    ),
    **dict.fromkeys(
        ("finish_raw", "model", "fingerprint", "provider", "request_id", "price_source"),
        values.TEXT_OR_NONE,
    ),
    "sent": values.MAPPING,
}


def _check(called: PluginCall, response: object) -> None:
    """Refuse what is no reply, or what the journal could not hold of how it came about."""
    if not isinstance(response, ChatResponse):
        called.refuse(f"returned {type(response).__name__}, not a ChatResponse")
    values.fields(called, "a ChatResponse", response, _RESPONSE)
    if not all(map(_is_plain, response.sent.values())):
        values.json_value(called, "sent", response.sent)


def _is_count(count: object) -> bool:
    return type(count) is int and 0 <= count <= MOST_TOKENS


def _is_plain(value: Any) -> bool:
    """Whether JSON can hold a value, as seen at a glance: it is looked at in each reply."""
    kind = type(value)
    return kind in (str, int, bool, NoneType) or (kind is float and isfinite(value))


def check_ratings(called: PluginCall, value: object, models: Collection[str]) -> None:
    """Refuse what are no ratings of these models, or of some of them."""
    if not isinstance(value, ratings.result.Ratings):
        called.refuse(f"returned {type(value).__name__}, not eibench.Ratings")
    rows: list[Any] = list(value.rows)
    rated = [row.model if isinstance(row, ratings.result.ModelRating) else None for row in rows]
    if len(set(rated)) < len(rated) or not set(models).issuperset(rated):
        called.refuse(f"rated {rated!r:.200}, not each of {sorted(models)!r:.200} at most once")
    for row in rows:
        if not _is_number(row.rating) or not isfinite(row.rating):
            called.refuse(f"returned {row.rating!r} as the rating of {row.model!r}")
        if row.ci95 is not None and not _is_interval(row.ci95):
            called.refuse(f"returned {row.ci95!r} as the interval of {row.model!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isnan(value)


def _is_interval(value: Any) -> bool:
    """Two numbers in order; an end may be open."""
    is_pair = isinstance(value, tuple | list) and len(value) == 2
    if not is_pair or not all(end is None or _is_number(end) for end in value):
        return False
    return None in value or bool(value[0] <= value[1])
