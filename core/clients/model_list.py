"""What a server says of a model in its own list, ``GET /models``; it may well say nothing.

One short request that never fails a run: whatever goes wrong, the server says nothing.
"""

import asyncio
import json
import time
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from typing import cast

from ..parties.providers import ClientConfig, is_loopback
from ..text import readable
from ..types import JsonDict, JsonObject
from .keys import redact, with_key

LIST_S = 3.0
"""How long a server may take to begin, and to go on."""
_MOST = 2**20
_WHICH = ("id", "root", "meta")
"""What of an entry says which model it is; ``root`` of vLLM, ``meta`` of llama.cpp."""
_KEPT = (*_WHICH, "max_model_len")
BUILT = "created"
"""When a model was pulled or made, which may be the same one once more."""


async def read_entry(config: ClientConfig) -> JsonDict | None:
    """What the server says of the model; ``None`` where it has no such list, or not this model."""
    return await asyncio.to_thread(_read, config)


def _read(config: ClientConfig) -> JsonDict | None:
    # A redirect is not followed, as the key would go with it.
    ways: list[urllib.request.BaseHandler] = [_NoRedirect()]
    if is_loopback(config.base_url):
        ways.append(urllib.request.ProxyHandler({}))
    with suppress(OSError, ValueError, HTTPException, RecursionError):
        request = urllib.request.Request(f"{config.base_url}/models", headers=with_key(config))
        body, end = b"", time.monotonic() + LIST_S
        with urllib.request.build_opener(*ways).open(request, timeout=LIST_S) as response:
            while len(body) < _MOST and time.monotonic() < end and (more := response.read1(_MOST)):
                body += more
        entry = entry_of(json.loads(body), config.model.name)
        text = json.dumps(entry, ensure_ascii=False, allow_nan=False)
        # Without keys, and as it comes back from the journal, so without NaN.
        return cast("JsonDict | None", json.loads(redact.reply(readable(text))))
    return None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object, **named: object) -> None:
        return None


def entry_of(listed: object, name: str) -> JsonDict | None:
    """The entry of a model: of its name, or the only one, as some servers answer to any name."""
    entries = listed.get("data") if isinstance(listed, dict) else None
    if not isinstance(entries, list):
        return None
    known = [e for e in entries if isinstance(e, dict) and isinstance(e.get("id"), str)]
    matches = [entry for entry in known if entry["id"] == name] or (
        known if len(known) == 1 else []
    )
    if not matches:
        return None
    # Ollama's time is that of the model; other servers say when they were asked, or started.
    kept = (*_KEPT, BUILT) if matches[0].get("owned_by") == "library" else _KEPT
    return {name: matches[0][name] for name in kept if matches[0].get(name) is not None}


def same_model(stored: JsonObject, now: JsonObject) -> bool:
    """Whether two entries may be of one model: what both of them say is the same."""
    both = (name for name in _WHICH if name in stored and name in now)
    return all(_same(stored[name], now[name]) for name in both)


async def read_context(config: ClientConfig) -> int | None:
    """The tokens that prompt and reply may have together, as far as the server says so.

    vLLM and SGLang say ``max_model_len``, llama.cpp ``meta.n_ctx``.
    """
    entry = await read_entry(config) or {}
    meta = entry.get("meta")
    length = entry.get("max_model_len") or (meta.get("n_ctx") if isinstance(meta, dict) else None)
    return length if isinstance(length, int) and length > 0 else None


def same_build(stored: JsonObject, now: JsonObject) -> bool:
    """Whether a model was neither pulled nor made again since, as far as both entries say."""
    return BUILT not in stored or BUILT not in now or stored[BUILT] == now[BUILT]


def _same(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return all(one[name] == other[name] for name in one.keys() & other.keys())
    return bool(one == other)
