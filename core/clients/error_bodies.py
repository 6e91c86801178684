"""What the body of a failed answer says: words, a code, and the field that it is about."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..text import readable
from .keys import redact
from .replies import mapping, read_json

_UNSUPPORTED = re.compile(
    r"not support|unsupported|unrecogni[sz]ed|unknown|unexpected|not permitted|extra_forbidden",
    re.I,
)
_SHOWN = 300
_MESSAGES = ("message", "detail", "msg", "status_msg", "error_msg", "error_message", "title")
"""Where error bodies have their words."""


class HttpFailure(NamedTuple):
    """A failed HTTP answer, as much of it as matters.

    Attributes:
        within: It came with status 200, and `status` is what the error in its body stands for.
    """

    status: int
    message: str
    code: str = ""
    headers: Mapping[str, str] = {}
    parameter: str = ""
    within: bool = False


def read_failure(status: int, body: object, headers: Mapping[str, str]) -> HttpFailure:
    """What a failed HTTP answer says; its body may be a text, or JSON that is read already."""
    if isinstance(body, str):
        body = read_json(body) or body
    message, code, parameter = error_parts(body)
    return HttpFailure(status, message, code, headers, parameter)


def error_parts(body: object) -> tuple[str, str, str]:
    """Message, code (or type) and offending parameter of an error body, as far as it has them."""
    body = _first_object(body)
    if not isinstance(body, Mapping):
        return str(body or ""), "", ""
    inner = _first_object(body.get("error") or body.get("errors") or body)
    if not isinstance(inner, Mapping):
        return str(inner), "", ""
    code = inner.get("code") or inner.get("type") or ""
    message = next(filter(None, map(inner.get, _MESSAGES)), "")
    if isinstance(message, list):
        return _validation_parts(message)
    if isinstance(message, Mapping):
        return error_parts(message)
    return f"{message}{said_behind(inner)}", str(code), str(inner.get("param") or "")


def said_behind(error: Mapping[str, Any]) -> str:
    """What the host behind a broker said, in brackets; the broker's own words tell nothing of it.

    As OpenRouter has it: ``{"metadata": {"provider_name": "Together", "raw": "..."}}``.
    """
    metadata = mapping(error.get("metadata"))
    raw = metadata.get("raw")
    if not raw:
        return ""
    words = raw if isinstance(raw, str) else json.dumps(raw)
    behind = error_parts(read_json(words) or words)[0]
    return f" ({metadata.get('provider_name') or 'behind it'}: {behind or words})"


def _first_object(body: object) -> object:
    """The first of a list of objects, as Gemini and Cloudflare have it; else the body itself."""
    return body[0] if isinstance(body, list) and body and isinstance(body[0], Mapping) else body


def _validation_parts(errors: list[object]) -> tuple[str, str, str]:
    """As `error_parts`, of a list as FastAPI makes it: ``{"loc": [...], "msg", "type"}``."""
    first = errors[0] if errors and isinstance(errors[0], Mapping) else {}
    location = [str(part) for part in first.get("loc") or () if part != "body"]
    code = str(first.get("type") or "")
    parameter = location[0] if location and _UNSUPPORTED.search(code) else ""
    message = f"{'.'.join(location)}: {first.get('msg') or errors}"
    return message, code, parameter


def shown(text: str, most: int = _SHOWN) -> str:
    """A server's words for one line: without keys and control characters, and not too long."""
    plain = "".join(c if c.isprintable() else " " for c in readable(redact(text)))
    return " ".join(plain.split())[:most]
