"""What litellm received, read past what litellm made of it.

A chat completion of OpenAI's form, or a message of Anthropic's, is read as it
came, also where litellm stumbles over something beside the answer. Any other
reply is read in the form of a chat completion that litellm gives it. On the way
litellm turns finish reasons that it does not know into "stop" and moves
refusals; both are put back.

Its errors give a dropped connection, a garbled body and an overloaded server the
same status 500, and lose headers. The exceptions that it was handling hold the
truth: the HTTP answer, the network's error, or neither, and then the answer
could not be read.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from eibench import (
    ChatResponse,
    ErrorKind,
    Finish,
    JsonDict,
    JsonObject,
    ProviderError,
    is_blank,
    providers,
)

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
        body: object = providers.mapping(message.get("additional_args")).get("complete_input_dict")
        self.body = (
            providers.json_object(body) if isinstance(body, str) else providers.mapping(body)
        ) or self.body
        reply = message.get("original_response")
        if isinstance(reply, str):
            self.reply = reply

    def sent(self, name: str) -> bool:
        """Whether a parameter was in the body, at whatever depth."""
        return _holds({k: v for k, v in self.body.items() if k not in _CONVERSATION}, name)


def read_wire(
    wire: Wire,
    sent: JsonObject,
    asked: providers.AskedParty,
    headers: Mapping[str, str] | None = None,
) -> ChatResponse | None:
    """The reply as it came; ``None`` when it is in no form that is known here.

    Raises:
        ProviderError: It is an error that came with status 200.
    """
    body = providers.json_object(wire.reply)
    is_message = body.get("type") == "message"
    if not ("choices" in body or is_message):
        return None
    read = providers.read_message if is_message else providers.read_completion
    try:
        response = read(wire.reply, headers or {}, _really_sent(sent, wire), asked)
    except ProviderError as error:
        if error.kind != ErrorKind.MALFORMED:
            raise
        return None
    return _finished(response, response.finish_raw)


def unreadable(wire: Wire, error: Exception, asked: providers.AskedParty) -> ProviderError:
    """The error to raise when neither litellm nor `read_wire` can read what came.

    What may be an answer in another form is paid for, and the next one would be like it, so
    nothing is asked again.
    """
    body = providers.json_object(wire.reply)
    has_more = any(value for name, value in body.items() if name not in _KNOWN)
    if not has_more or _KNOWN & body.keys():
        return providers.no_reply(wire.reply, asked)
    message = providers.shown(f"{type(error).__name__}: {error}")
    failed = ProviderError(
        ErrorKind.MALFORMED,
        f"litellm cannot read the reply of {asked.name} ({message}), which may be billed; ask it "
        "with openai/NAME or anthropic/NAME and --base-url if it speaks one of their APIs",
    )
    failed.final = True
    return failed


def read_reply(reply: Any, wire: Wire, sent: JsonDict, asked: providers.AskedParty) -> ChatResponse:
    """The reply in what `acompletion` gave; a `ProviderError` where there is none."""
    hidden = getattr(reply, "_hidden_params", None) or {}
    headers = _headers(hidden)
    if read := read_wire(wire, sent, asked, headers):
        return read
    body = reply.model_dump(warnings=False)
    body["model"] = hidden.get("provider_response_model") or body.get("model")
    body["usage"] = _with_cache_writes(providers.mapping(body.get("usage")))
    finish_raw = None
    for choice in (body.get("choices") or [])[:1]:
        message = choice.get("message") or {}
        fields = providers.mapping(message.get("provider_specific_fields"))
        message["refusal"] = message.get("refusal") or fields.get("refusal")
        finish_raw = _put_back_finish(choice)
    text = json.dumps(body, default=str)
    response = providers.read_completion(text, headers, _really_sent(sent, wire), asked)
    return _finished(response, finish_raw)


def _finished(response: ChatResponse, finish_raw: str | None) -> ChatResponse:
    """The reply with its finish reason in the provider's own words, and what they mean."""
    finish = _FINISH.get((finish_raw or "").lower(), response.finish)
    if finish == Finish.STOP and is_blank(response.text):
        finish = Finish.EMPTY
    return replace(response, finish=finish, finish_raw=finish_raw)


def _put_back_finish(choice: JsonDict) -> str | None:
    """The provider's own finish reason, put in place of a "stop" that litellm made of it."""
    fields = providers.mapping(choice.get("provider_specific_fields"))
    mapped = choice.get("finish_reason")
    raw = fields.get("native_finish_reason") or mapped
    if mapped == "stop":
        choice["finish_reason"] = raw
    return str(raw) if raw else None


def _with_cache_writes(usage: JsonObject) -> JsonDict:
    details = providers.mapping(usage.get("prompt_tokens_details"))
    written = details.get("cache_creation_tokens") or usage.get("cache_creation_input_tokens")
    more = {"prompt_tokens_details": {**details, "cache_write_tokens": written}} if written else {}
    return {**usage, **more}


def _really_sent(sent: JsonObject, wire: Wire) -> JsonDict:
    """What was sent, without what litellm drops in silence for some providers.

    That is what OpenAI's API does not know; of other parameters it says so. A limit that it added
    of its own accord is there too.
    """
    extra = providers.unknown_to("api.openai.com") if wire.body else ()
    gone = {name for name in extra if not (wire.sent(name) or wire.sent(_camel_case(name)))}
    went = {k: v for k, v in sent.items() if k not in gone}
    if "max_tokens" in wire.body and not {"max_tokens", "max_completion_tokens"} & went.keys():
        went["max_tokens"] = wire.body["max_tokens"]
    return went


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _headers(hidden: JsonObject) -> dict[str, str]:
    """What matters of the answer's headers, under the names that a server sends them under."""
    headers = providers.mapping(hidden.get("additional_headers"))
    names = {
        "x-request-id": ("x-request-id", "request-id"),
        "x-inference-provider": ("x-inference-provider",),
        "x-litellm-model-api-base": ("x-litellm-model-api-base",),
    }
    sent_on = {
        name: next(filter(None, (headers.get(f"llm_provider-{sent}") for sent in each)), None)
        for name, each in names.items()
    }
    return {name: str(value) for name, value in sent_on.items() if value}


def _holds(value: object, name: str) -> bool:
    if isinstance(value, dict):
        return name in value or any(_holds(v, name) for v in value.values())
    return False


_PREFIX = re.compile(r"^(?:\S*(?:litellm\.\w+|Error|Exception)(?::| -) +)+")
_NETWORK = {"httpx", "httpx2", "httpcore", "aiohttp", "ssl", "socket"}
_KINDS = {
    "ContextWindowExceededError": ErrorKind.CONTEXT_TOO_LONG,
    "ContentPolicyViolationError": ErrorKind.REFUSED,
}


def failure_of(error: Exception, asked: providers.AskedParty, body: str = "") -> ProviderError:
    """The error to raise, with what the server said."""
    chain = list(providers.causes(error))
    answer = next(filter(None, map(_http_answer, chain)), None)
    if body and not is_http_failure(error):
        within = providers.failure_within(body, providers.json_object(body))
        if within:
            return providers.provider_error(within, asked)
    failure = answer or _in_its_words(error)
    if answer is None and (lost := next(filter(_is_network, reversed(chain)), None)):
        return _lost(lost, asked)
    if failure.status < 300 or (answer is None and failure.status >= 500):
        return providers.no_reply(body or failure.message, asked)
    raised = providers.provider_error(failure, asked)
    if kind := _KINDS.get(type(error).__name__):
        raised.kind, raised.fatal = kind, False
    return raised


def is_within(error: ProviderError) -> bool:
    """Whether an error came in the body of a reply with status 200."""
    return isinstance(error.answer, providers.HttpFailure) and error.answer.within


def is_http_failure(error: Exception) -> bool:
    """Whether the server answered with an error status; those of litellm's own are made up."""
    others = (e for e in providers.causes(error) if not type(e).__module__.startswith("litellm"))
    statuses = (getattr(getattr(e, "response", None), "status_code", 0) for e in others)
    return any(isinstance(status, int) and status >= 300 for status in statuses)


def _http_answer(error: BaseException) -> providers.HttpFailure | None:
    """The HTTP answer that an exception of an HTTP library holds."""
    response = getattr(error, "response", None)
    if type(error).__name__ != "HTTPStatusError" or response is None:
        return None
    try:
        text = response.text
    except Exception:  # noqa: BLE001 - a stream that nobody has read, in any HTTP library
        text = ""
    return providers.read_failure(response.status_code, text, response.headers)


def _in_its_words(error: object) -> providers.HttpFailure:
    """The failure in litellm's words, for what never became an HTTP answer."""
    body = getattr(error, "body", None) or _PREFIX.sub("", str(error).split("\nTraceback")[0])
    headers = getattr(error, "litellm_response_headers", None) or {}
    status = getattr(error, "status_code", None)
    return providers.read_failure(status if isinstance(status, int) else 500, body, headers)


def _is_network(error: BaseException) -> bool:
    module = type(error).__module__.partition(".")[0]
    return module in _NETWORK or isinstance(error, OSError)


def _lost(error: BaseException, asked: providers.AskedParty) -> ProviderError:
    if isinstance(error, TimeoutError) and "connect" not in str(error).lower():
        return ProviderError(ErrorKind.TIMEOUT, f"{asked.name} gave no complete answer in time")
    return providers.connection_error(asked, error)
