"""What litellm received, read past what litellm made of it.

litellm gives every reply the form of an OpenAI chat completion, so that it is
read as one. On the way it turns finish reasons that it does not know into
"stop" and moves refusals; both are put back.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..types import ChatResponse, Finish
from .chat_completion import read_completion

_FINISH = {  # providers' own words
    "refusal": Finish.REFUSAL,
    "model_context_window_exceeded": Finish.LENGTH,
    "complete": Finish.STOP,
    "eos_token": Finish.STOP,
}
_CONVERSATION = frozenset({"messages", "contents", "system", "prompt"})


class Wire:
    """What went out and came in, as litellm tells its loggers.

    Attributes:
        body: The request's body.
        reply: The reply's body; empty until there is one.
    """

    def __init__(self) -> None:
        self.body: Mapping[str, Any] = {}
        self.reply = ""

    def see(self, told: Mapping[str, Any]) -> None:
        """Take note; litellm calls this before and after the request."""
        body = (told.get("additional_args") or {}).get("complete_input_dict")
        if isinstance(body, str):
            body = _json(body)
        if isinstance(body, dict):
            self.body = body
        reply = told.get("original_response")
        if isinstance(reply, str):
            self.reply = reply

    def sent(self, name: str) -> bool:
        """Whether a parameter was in the body, at whatever depth."""
        return _holds({k: v for k, v in self.body.items() if k not in _CONVERSATION}, name)


def read_reply(reply: Any, wire: Wire, sent: dict[str, Any], host: str) -> ChatResponse:
    """The reply in what `acompletion` gave.

    Raises:
        ProviderError: There is none; kind MALFORMED.
    """
    body = reply.model_dump()
    hidden = getattr(reply, "_hidden_params", None) or {}
    body["model"] = hidden.get("provider_response_model") or body.get("model")
    _put_back_cache_writes(body.get("usage") or {})
    finish_raw, native = None, _anthropic_part(wire.reply)
    for choice in (body.get("choices") or [])[:1]:
        _put_back_refusal(choice.get("message") or {}, native)
        finish_raw = _put_back_finish(choice, native)
    text = json.dumps(body, default=str)
    response = read_completion(text, _headers(hidden), _really_sent(sent, wire), host)
    finish = _FINISH.get((finish_raw or "").lower(), response.finish)
    if finish == Finish.STOP and not response.text.strip():
        finish = Finish.EMPTY
    return replace(response, finish=finish, finish_raw=finish_raw)


def _anthropic_part(raw_reply: str) -> Mapping[str, Any]:
    """Of a message of Anthropic's, all; litellm keeps its finish reason nowhere."""
    found = _json(raw_reply) if '"stop_reason"' in raw_reply else None
    return found if isinstance(found, dict) else {}


def _put_back_finish(choice: dict[str, Any], native: Mapping[str, Any]) -> str | None:
    """The provider's own finish reason, put in place of a "stop" that litellm made of it."""
    fields = choice.get("provider_specific_fields") or {}
    mapped = choice.get("finish_reason")
    own = fields.get("native_finish_reason") or native.get("stop_reason") or mapped
    if mapped == "stop":
        choice["finish_reason"] = own
    return str(own) if own else None


def _put_back_refusal(message: dict[str, Any], native: Mapping[str, Any]) -> None:
    fields = message.get("provider_specific_fields") or {}
    details = native.get("stop_details") or {}
    refusal = message.get("refusal") or fields.get("refusal") or details.get("explanation")
    message["refusal"] = refusal


def _put_back_cache_writes(usage: dict[str, Any]) -> None:
    details = usage.get("prompt_tokens_details") or {}
    written = details.get("cache_creation_tokens") or usage.get("cache_creation_input_tokens")
    if written:
        usage["prompt_tokens_details"] = {**details, "cache_write_tokens": written}


def _really_sent(sent: dict[str, Any], wire: Wire) -> dict[str, Any]:
    """What was sent, without `min_p`, which litellm drops in silence for some providers.

    Of other parameters it says so. A limit that it added of its own accord is there too.
    """
    gone = {"min_p"} if wire.body and not (wire.sent("min_p") or wire.sent("minP")) else set()
    own = {k: v for k, v in sent.items() if k not in gone}
    limited = "max_tokens" in wire.body and not {"max_tokens", "max_completion_tokens"} & own.keys()
    return own | ({"max_tokens": wire.body["max_tokens"]} if limited else {})


def _headers(hidden: Mapping[str, Any]) -> dict[str, str]:
    """The request's id under the name that a chat completion has it under."""
    headers = hidden.get("additional_headers") or {}
    names = ("llm_provider-x-request-id", "llm_provider-request-id")
    found = next((headers[name] for name in names if headers.get(name)), None)
    return {"x-request-id": str(found)} if found else {}


def _holds(value: Any, name: str) -> bool:
    if isinstance(value, dict):
        return name in value or any(_holds(v, name) for v in value.values())
    return False


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
