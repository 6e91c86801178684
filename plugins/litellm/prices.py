"""Prices from the map that litellm's distribution holds, without importing litellm.

Importing it takes seconds and 160 MB; the map is one JSON file. It is parsed when
a price is asked for that is nowhere else, and only the price is kept. Where the
map does not tell the whole price of a call (a fee per request, thinking at
another rate, no figure, or a zero, which it also writes for subscriptions and
for what it does not know), there is no price rather than a wrong one.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata, util
from pathlib import Path

from eibench import DataError, JsonObject
from eibench.providers import Beyond, ModelSpec, Price

FILE = "model_prices_and_context_window_backup.json"
_IN, _OUT = "input_cost_per_token", "output_cost_per_token"
_READ, _WRITE = "cache_read_input_token_cost", "cache_creation_input_token_cost"
_LONGER = re.compile(rf"{_IN}_above_(\d+)k_tokens")
#: Models that search on their own, for a fee per search that tokens do not tell.
_SEARCHES = re.compile(r"-search-(preview|api)|deep-research|\bpreset/|-online\b")
_MODES = {"chat", "completion", "responses"}
_FEES = {"input_cost_per_request", "citation_cost_per_token", "tiered_pricing"}
#: Its names of a provider's models that are written with another provider prefix.
_ALSO = {"bedrock": ("bedrock_converse",), "vertex_ai": ("vertex_ai-language-models",)}


def map_file() -> Path | None:
    """The installed map; ``None`` where litellm is not installed or has none."""
    package = util.find_spec("litellm")
    folders = (package.submodule_search_locations if package else None) or []
    return next((path for folder in folders if (path := Path(folder) / FILE).is_file()), None)


@cache
def listed_price(spec: ModelSpec) -> Price | None:
    """What the map says a model costs at its provider; ``None`` when it does not say."""
    path = None if _SEARCHES.search(spec.name) else map_file()
    if path is None:
        return None
    content = path.read_bytes()
    try:
        entries = json.loads(content)
    except ValueError as error:
        raise DataError(path, f"not JSON ({error}); install litellm again") from None
    source = f"litellm {metadata.version('litellm')} offline map, blob {_blob_id(content)}"
    for entry in _entries(spec, entries):
        return price_of(entry, source)
    return None


def _blob_id(content: bytes) -> str:
    """Git's id of a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _entries(spec: ModelSpec, entries: JsonObject) -> Iterator[JsonObject]:
    """What the map holds of a model, under the names that it may have there."""
    provider, name = spec
    if provider == "litellm":
        provider, _, name = name.partition("/")
    elif provider not in ("openai", "anthropic"):
        return
    if name.startswith("ft:"):
        name = ":".join(name.split(":")[:2])  # a fine-tune costs what its base's tunes do
    names = {provider, *_ALSO.get(provider, ())}
    full, bare = entries.get(f"{provider}/{name}"), entries.get(name)
    if full and isinstance(full, Mapping):
        yield full
    if isinstance(bare, Mapping) and bare.get("litellm_provider") in names:
        yield bare


def price_of(entry: JsonObject, source: str) -> Price | None:
    """The price that an entry of the map states, if it is the whole price."""
    thinking = entry.get("output_cost_per_reasoning_token") or entry.get(_OUT)
    fee = _FEES & set(entry) or _always_searches(entry)
    if fee or entry.get("mode") not in _MODES or thinking != entry.get(_OUT):
        return None
    # The dearer steps for long inputs, from the last one down.
    steps = sorted((int(m[1]) for name in entry if (m := _LONGER.fullmatch(name))), reverse=True)
    beyond = None
    for thousands in steps:
        if rates := _rates(entry, f"_above_{thousands}k_tokens", source, beyond):
            beyond = Beyond(thousands * 1000, rates)
    return _rates(entry, "", source, beyond)


def _always_searches(entry: JsonObject) -> bool:
    """Whether each request pays for a search; elsewhere only a tool that we never send does."""
    offers = "search_context_cost_per_query" in entry
    return offers and not entry.get("supports_function_calling")


def _rates(entry: JsonObject, step: str, source: str, beyond: Beyond | None) -> Price | None:
    """The figures of one step; a cache rate that is absent or 0 counts as the input's."""
    names = (_IN, _OUT, _READ, _WRITE)
    dollars_in, dollars_out, cached, written = (_per_million(entry, name + step) for name in names)
    dollars_out = dollars_out or _per_million(entry, _OUT)
    if not (dollars_in and dollars_out):
        return None
    if written and written < dollars_in:
        written = None  # a storage fee, or an error: writing never costs less than reading
    return Price(dollars_in, dollars_out, cached, written, source, beyond=beyond)


def _per_million(entry: JsonObject, name: str) -> float | None:
    rate = entry.get(name)
    if not (rate and isinstance(rate, int | float)):
        return None
    return round(rate * 1_000_000, 9)  # without the noise of 2.8e-08 * 1e6
