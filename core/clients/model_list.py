"""What a server says of a model in its own list, ``GET /models``; it may well say nothing.

One short request that never fails a run: whatever goes wrong, the server says nothing.
"""

import asyncio
import json
import time
import urllib.request
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from http.client import HTTPException
from typing import NamedTuple, cast

from ..parties.providers import ClientConfig, is_loopback
from ..text import readable
from ..types import JsonDict, JsonObject
from .keys import redact, with_key

LIST_S = 3.0
"""How long a server may take to begin, and to go on."""
_MOST = 2**20
_SHOWN = 3
_WHICH = ("id", "root", "meta")
"""What of an entry says which model it is; ``root`` of vLLM, ``meta`` of llama.cpp."""
ROOM = "max_model_len"
"""Tokens that vLLM has for a prompt and its reply; the same model may be served with others."""
BUILT = "created"
"""When a model was pulled or made, which may be the same one once more."""


class Listing(NamedTuple):
    """What a server lists, and whether a model is there.

    Attributes:
        model: The name that was looked for.
        names: Of all models that are listed.
        entry: What is said of this model; ``None`` where it says nothing.
    """

    model: str
    names: Sequence[str]
    entry: JsonDict | None

    @property
    def has_it(self) -> bool:
        """Whether the model is listed, under a name that a server may give it."""
        ways = {self.model, f"{self.model}:latest", f"models/{self.model}"}
        return any(name in ways or name.endswith(f"/{self.model}") for name in self.names)

    @property
    def is_doubtful(self) -> bool:
        """Whether others are listed; one alone may well answer to any name, if not to a slip."""
        return not self.has_it and (len(self.names) > 1 or bool(self.closest))

    @property
    def closest(self) -> list[str]:
        """The listed names that the model's may be a slip for."""
        return get_close_matches(self.model, self.names, n=1)

    def __str__(self) -> str:
        if not self.names:
            return "its list of models is empty"
        if self.has_it:
            return f"its list of models has {self.model!r}"
        first = list(dict.fromkeys([*self.closest, *sorted(self.names)]))
        shown = ", ".join(map(repr, first[:_SHOWN]))
        more = f" and {len(first) - _SHOWN} more" if len(first) > _SHOWN else ""
        return f"its list of models has {shown}{more}, not {self.model!r}"


async def listing_of(client: object) -> Listing | None:
    """What models a client's server lists; ``None`` where it does not say, or has no such list."""
    ask: Callable[[], Awaitable[Listing | None]] | None = getattr(client, "listing", None)
    return await ask() if ask else None


async def read_entry(config: ClientConfig) -> JsonDict | None:
    """What the server says of the model; ``None`` where it has no such list, or not this model."""
    listing = await read_listing(config)
    return listing and listing.entry


async def read_listing(
    config: ClientConfig, base_url: str | None = None, headers: Mapping[str, str] | None = None
) -> Listing | None:
    """What the server lists; ``None`` where it has no list.

    Args:
        config: Of the model.
        base_url: What stands before ``/models``, if it is not the model's own.
        headers: What is sent, if it is not the model's own.
    """
    url, sent = base_url or f"{config.base_url}", headers or with_key(config)
    return await asyncio.to_thread(_read, f"{url}/models", sent, config.model.name)


def _read(url: str, headers: Mapping[str, str], model: str) -> Listing | None:
    # A redirect is not followed, as the key would go with it.
    ways: list[urllib.request.BaseHandler] = [_NoRedirect()]
    if is_loopback(url):
        ways.append(urllib.request.ProxyHandler({}))
    with suppress(OSError, ValueError, HTTPException, RecursionError):
        request = urllib.request.Request(url, headers=dict(headers))
        body, end = b"", time.monotonic() + LIST_S
        with urllib.request.build_opener(*ways).open(request, timeout=LIST_S) as response:
            while len(body) < _MOST and time.monotonic() < end and (more := response.read1(_MOST)):
                body += more
        return _listing(json.loads(body), model)
    return None


def _listing(listed: object, model: str) -> Listing | None:
    if (known := _entries(listed)) is None:
        return None
    entry = entry_of(listed, model)
    text = json.dumps(entry, ensure_ascii=False, allow_nan=False)
    names = [" ".join(redact.reply(readable(str(one["id"]))).split()) for one in known]
    # Without keys, and as it comes back from the journal, so without NaN.
    kept = cast("JsonDict | None", json.loads(redact.reply(readable(text))))
    return Listing(model, names, kept)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object, **named: object) -> None:
        return None


def entry_of(listed: object, name: str) -> JsonDict | None:
    """The entry of a model: of its name, or the only one, as some servers answer to any name."""
    if (known := _entries(listed)) is None:
        return None
    matches = [entry for entry in known if entry["id"] == name] or (
        known if len(known) == 1 else []
    )
    if not matches:
        return None
    # Ollama's time is that of the model; other servers say when they were asked, or started.
    kept = (*_WHICH, ROOM, *([BUILT] if matches[0].get("owned_by") == "library" else []))
    return {name: matches[0][name] for name in kept if matches[0].get(name) is not None}


def _entries(listed: object) -> list[JsonDict] | None:
    """Those that have a name; ``None`` where this is no list of models."""
    entries = listed.get("data") if isinstance(listed, dict) else None
    if not isinstance(entries, list):
        return None
    return [e for e in entries if isinstance(e, dict) and isinstance(e.get("id"), str)]


def same_model(stored: JsonObject, now: JsonObject) -> bool:
    """Whether two entries may be of one model: what both of them say is the same."""
    both = (name for name in _WHICH if name in stored and name in now)
    return all(_same(stored[name], now[name]) for name in both)


async def read_context(config: ClientConfig) -> int | None:
    """The tokens that prompt and reply may have together, as far as the server says so.

    vLLM and SGLang say ``max_model_len``, llama.cpp ``meta.n_ctx``.
    """
    return context_of(await read_entry(config) or {})


def context_of(entry: JsonObject) -> int | None:
    """The same, as a model's entry has it."""
    meta = entry.get("meta")
    length = entry.get(ROOM) or (meta.get("n_ctx") if isinstance(meta, dict) else None)
    return length if isinstance(length, int) and length > 0 else None


def same_build(stored: JsonObject, now: JsonObject) -> bool:
    """Whether a model was neither pulled nor made again since, as far as both entries say."""
    return BUILT not in stored or BUILT not in now or stored[BUILT] == now[BUILT]


def _same(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return all(one[name] == other[name] for name in one.keys() & other.keys())
    return bool(one == other)
