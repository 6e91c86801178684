"""Brokers: hosts that pass each call on to one of several others, of their choice.

Those may serve a model in another precision, with another context or template. What a broker says
of whom it has asked is kept with the call; here is how it is told to ask one only.

Sources: openrouter.ai/docs/guides/routing/provider-selection,
vercel.com/docs/ai-gateway/models-and-providers/provider-options,
huggingface.co/docs/inference-providers, docs.litellm.ai/docs/proxy/response_headers.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from ..types import JsonObject, canonical
from .providers import ModelSpec, host_of


class Broker(NamedTuple):
    """A broker that was not told whom to ask.

    Attributes:
        host: Its own.
        pinning: What in an extra body makes it ask one host only; ``None`` where the model's name
            does.
    """

    host: str
    pinning: JsonObject | None

    def how(self, option: str) -> str:
        """How it is told, with the option that sets an extra body."""
        if self.pinning is None:
            return "end the model's name in :PROVIDER"
        return option.format(canonical(self.pinning))


OPENROUTER = Broker(
    "openrouter.ai", {"provider": {"order": ["PROVIDER"], "allow_fallbacks": False}}
)
VERCEL = Broker("ai-gateway.vercel.sh", {"providerOptions": {"gateway": {"only": ["PROVIDER"]}}})
HUGGING_FACE = Broker("router.huggingface.co", None)
_AT = {broker.host: broker for broker in (OPENROUTER, VERCEL, HUGGING_FACE)}
_IN_LITELLM = {"openrouter": OPENROUTER, "vercel_ai_gateway": VERCEL}
_POLICIES = frozenset({"fastest", "cheapest", "preferred"})
"""What may follow the name of a model at Hugging Face's router and names no host."""


def unpinned(spec: ModelSpec, base_url: str | None, extra_body: JsonObject) -> Broker | None:
    """The broker that chooses who answers each call of this model; ``None`` where none does."""
    broker = _AT.get((host_of(base_url) or "").partition(":")[0]) if base_url else None
    if spec.provider == "litellm" and not broker:
        broker = _IN_LITELLM.get(spec.name.partition("/")[0])
    if broker is None or _is_pinned(broker, spec.name, extra_body):
        return None
    return broker


def _is_pinned(broker: Broker, name: str, extra_body: JsonObject) -> bool:
    if broker is HUGGING_FACE:
        _, colon, ending = name.rpartition(":")
        return bool(colon) and ending not in _POLICIES
    if broker is VERCEL:
        return len(_list(_object(extra_body.get("providerOptions")), "gateway", "only")) == 1
    routing = _object(extra_body.get("provider"))
    order = _list(extra_body, "provider", "order")
    is_ordered = len(order) == 1 and routing.get("allow_fallbacks") is False
    return is_ordered or len(_list(extra_body, "provider", "only")) == 1


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(body: JsonObject, *path: str) -> Sequence[object]:
    value: object = body
    for name in path:
        value = _object(value).get(name)
    return value if isinstance(value, list) else []


def provider_of(body: JsonObject, headers: Mapping[str, str]) -> object:
    """What a reply says of the host that a broker has asked; ``None`` where it says nothing.

    OpenRouter names it in the body, Hugging Face's router in a header; LiteLLM's proxy has the
    address of the server behind it, of which the host is told.
    """
    if isinstance(named := body.get("provider"), str) and named:
        return named
    behind = urlsplit(headers.get("x-litellm-model-api-base", "")).netloc.rpartition("@")[2]
    return headers.get("x-inference-provider") or behind or None
