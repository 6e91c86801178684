"""What litellm received, read past what litellm made of it.

A chat completion of OpenAI's form, or a message of Anthropic's, is read as it
came, also where litellm stumbles over something beside the answer. Any other
reply is read in the form of a chat completion that litellm gives it. On the way
litellm turns finish reasons that it does not know into "stop" and moves
refusals; both are put back.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty
from ..text import is_blank
from ..types import OPENAI, ChatResponse, Finish, JsonDict, JsonObject, unknown_to
from .anthropic import read_message
from .bodies import read_json
from .failures import malformed, shown
from .openai import read_completion
from .replies import mapping

_FINISH = {  # providers' own words
    "refusal": Finish.REFUSAL,
    "model_context_window_exceeded": Finish.LENGTH,
    "complete": Finish.STOP,
    "eos_token": Finish.STOP,
}
_KNOWN = frozenset({"choices", "content", "error"})
"""Fields of replies that are read here, and of what is no reply."""
_CONVERSATION = frozenset({"messages", "contents", "system", "prompt"})


class Wire:
    """What went out and came in, as litellm tells its loggers.

    Attributes:
        body: The request's body.
        reply: The reply's body; empty until there is one.
    """

    def __init__(self) -> None:
        self.body: JsonObject = {}
        self.reply = ""

    def see(self, message: JsonObject) -> None:
        """Take note; litellm calls this before and after the request."""
        body: object = mapping(message.get("additional_args")).get("complete_input_dict")
        if isinstance(body, str):
            body = read_json(body)
        if isinstance(body, dict):
            self.body = body
        reply = message.get("original_response")
        if isinstance(reply, str):
            self.reply = reply

    def sent(self, name: str) -> bool:
        """Whether a parameter was in the body, at whatever depth."""
        return _holds({k: v for k, v in self.body.items() if k not in _CONVERSATION}, name)


def read_wire(
    wire: Wire, sent: JsonObject, asked: AskedParty, headers: Mapping[str, str] | None = None
) -> ChatResponse | None:
    """The reply as it came; ``None`` when it is in no form that is known here."""
    body = mapping(read_json(wire.reply))
    is_message = body.get("type") == "message"
    if not ("choices" in body or is_message):
        return None
    read = read_message if is_message else read_completion
    try:
        response = read(wire.reply, headers or {}, _really_sent(sent, wire), asked)
    except ProviderError:
        return None
    return _finished(response, response.finish_raw)


def unreadable(wire: Wire, error: Exception, asked: AskedParty) -> ProviderError:
    """The error to raise when neither litellm nor `read_wire` can read what came.

    What may be an answer in another form is paid for, and the next one would be like it, so
    nothing is asked again.
    """
    body = mapping(read_json(wire.reply))
    has_more = any(value for name, value in body.items() if name not in _KNOWN)
    if not has_more or _KNOWN & body.keys():
        return malformed(asked, wire.reply)
    message = shown(f"{type(error).__name__}: {error}")
    failed = ProviderError(
        ErrorKind.MALFORMED,
        f"litellm cannot read the reply of {asked.name} ({message}), which may be billed; ask it "
        "with openai/NAME or anthropic/NAME and --base-url if it speaks one of their APIs",
    )
    failed.final = True
    return failed


def read_reply(reply: Any, wire: Wire, sent: JsonDict, asked: AskedParty) -> ChatResponse:
    """The reply in what `acompletion` gave.

    Raises:
        ProviderError: There is none; kind MALFORMED.
    """
    hidden = getattr(reply, "_hidden_params", None) or {}
    headers = _headers(hidden)
    if read := read_wire(wire, sent, asked, headers):
        return read
    body = reply.model_dump(warnings=False)
    body["model"] = hidden.get("provider_response_model") or body.get("model")
    body["usage"] = _with_cache_writes(mapping(body.get("usage")))
    finish_raw = None
    for choice in (body.get("choices") or [])[:1]:
        _put_back_refusal(choice.get("message") or {})
        finish_raw = _put_back_finish(choice)
    text = json.dumps(body, default=str)
    response = read_completion(text, headers, _really_sent(sent, wire), asked)
    return _finished(response, finish_raw)


def _finished(response: ChatResponse, finish_raw: str | None) -> ChatResponse:
    """The reply with its finish reason in the provider's own words, and what they mean."""
    finish = _FINISH.get((finish_raw or "").lower(), response.finish)
    if finish == Finish.STOP and is_blank(response.text):
        finish = Finish.EMPTY
    return replace(response, finish=finish, finish_raw=finish_raw)


def _put_back_finish(choice: JsonDict) -> str | None:
    """The provider's own finish reason, put in place of a "stop" that litellm made of it."""
    fields = mapping(choice.get("provider_specific_fields"))
    mapped = choice.get("finish_reason")
    own = fields.get("native_finish_reason") or mapped
    if mapped == "stop":
        choice["finish_reason"] = own
    return str(own) if own else None


def _put_back_refusal(message: JsonDict) -> None:
    fields = mapping(message.get("provider_specific_fields"))
    message["refusal"] = message.get("refusal") or fields.get("refusal")


def _with_cache_writes(usage: JsonObject) -> JsonDict:
    details = mapping(usage.get("prompt_tokens_details"))
    written = details.get("cache_creation_tokens") or usage.get("cache_creation_input_tokens")
    more = {"prompt_tokens_details": {**details, "cache_write_tokens": written}} if written else {}
    return {**usage, **more}


def _really_sent(sent: JsonObject, wire: Wire) -> JsonDict:
    """What was sent, without what litellm drops in silence for some providers.

    That is what OpenAI's API does not know; of other parameters it says so. A limit that it added
    of its own accord is there too.
    """
    extra = unknown_to(OPENAI) if wire.body else ()
    gone = {name for name in extra if not (wire.sent(name) or wire.sent(_camel_case(name)))}
    own = {k: v for k, v in sent.items() if k not in gone}
    limited = "max_tokens" in wire.body and not {"max_tokens", "max_completion_tokens"} & own.keys()
    return own | ({"max_tokens": wire.body["max_tokens"]} if limited else {})


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _headers(hidden: JsonObject) -> dict[str, str]:
    """The request's id under the name that a chat completion has it under."""
    headers = mapping(hidden.get("additional_headers"))
    names = ("llm_provider-x-request-id", "llm_provider-request-id")
    found = next((headers[name] for name in names if headers.get(name)), None)
    return {"x-request-id": str(found)} if found else {}


def _holds(value: object, name: str) -> bool:
    if isinstance(value, dict):
        return name in value or any(_holds(v, name) for v in value.values())
    return False
