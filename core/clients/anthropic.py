"""`anthropic/NAME`: Claude and servers that speak Anthropic's messages.

Bodies are made and read here, and carried over aiohttp itself, or by the
anthropic SDK where that is asked for. Parameters that a model refuses are left
out from then on, and `ChatResponse.sent` shows what went.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import ErrorKind, ProviderError
from ..parties.brokers import provider_of
from ..parties.providers import AskedParty, CallContext, ClientConfig
from ..text import is_blank
from ..types import (
    ANTHROPIC,
    SAMPLING,
    ChatRequest,
    ChatResponse,
    Finish,
    JsonDict,
    JsonObject,
    Usage,
    unknown_to,
)
from .errors_within import failure_within, no_reply
from .failures import provider_error, read_failure, refused_parameters
from .http import HttpAnswer, HttpTransport
from .keys import refuse_reserved, with_key
from .replies import count, json_object, mapping, name_of, whole_output, words
from .thinking import split_thinking

if TYPE_CHECKING:
    from .batch_services import AnthropicBatches
    from .sdk import SdkTransport

_FINISH = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSAL,
    None: Finish.STOP,
}
_CACHED: JsonDict = {"cache_control": {"type": "ephemeral"}}


def conversation(request: ChatRequest) -> JsonDict:
    """System prompt and messages, with a mark where the prefix ends that requests share."""
    system: list[JsonDict] = []
    messages: list[JsonDict] = []
    for n, (role, content) in enumerate(request.messages, 1):
        marked: JsonDict = _CACHED if content and n == request.cache_prefix else {}
        block: JsonDict = {"type": "text", "text": content, **marked}
        if role == "system":
            system.append(block)
        else:
            messages.append({"role": role, "content": [block] if marked else content})
    return {"system": system, "messages": messages} if system else {"messages": messages}


def read_message(
    text: str, headers: Mapping[str, str], sent: JsonObject, asked: AskedParty
) -> ChatResponse:
    """The reply in a body that came with status 200.

    Raises:
        ProviderError: There is none: of the kind that an error in the body says, else MALFORMED.
    """
    body = json_object(text)
    if failure := failure_within(text, body, headers):
        raise provider_error(failure, asked)
    blocks = body.get("content")
    if not isinstance(blocks, list):
        raise no_reply(text, asked)
    finish_raw = name_of(body.get("stop_reason"))
    answer, tagged = split_thinking(_joined(blocks, "text"))
    thinking = "\n".join(t for t in (_joined(blocks, "thinking"), tagged) if t)
    return ChatResponse(
        text=words(answer or _refusal(body)),
        reasoning=words(thinking),
        finish=_finish(finish_raw, answer),
        finish_raw=finish_raw,
        model=name_of(body.get("model")),
        provider=name_of(provider_of(body, headers)),
        request_id=name_of(headers.get("request-id") or headers.get("x-request-id"))
        or name_of(body.get("id")),
        usage=_usage(mapping(body.get("usage"))),
        sent=sent,
    )


def _joined(blocks: Sequence[object], kind: str) -> str:
    """The text of all blocks of a kind, which is also the name of the field it is in."""
    of_kind = (mapping(b).get(kind) for b in blocks if mapping(b).get("type") == kind)
    return "".join(text for text in of_kind if isinstance(text, str))


def _refusal(body: JsonObject) -> str:
    """The words of a refusal, which stand in for the answer that there is not."""
    words = mapping(body.get("stop_details")).get("explanation")
    return words if body.get("stop_reason") == "refusal" and isinstance(words, str) else ""


def _finish(raw: str | None, answer: str) -> Finish:
    finish = _FINISH.get(raw, Finish.OTHER)
    return Finish.EMPTY if finish == Finish.STOP and is_blank(answer) else finish


def _usage(raw: JsonObject) -> Usage:
    """Here, unlike elsewhere, the server's input tokens do not include those of the cache."""
    read = count(raw.get("cache_read_input_tokens"))
    written = count(raw.get("cache_creation_input_tokens"))
    thinking = count(mapping(raw.get("output_tokens_details")).get("thinking_tokens"))
    return Usage(
        input=count(raw.get("input_tokens")) + read + written,
        cached=read,
        cache_write=written,
        output=whole_output(count(raw.get("output_tokens")), thinking),
        reasoning=thinking,
    )


HOST = ANTHROPIC
BASE_URL = f"https://{HOST}"
VERSION = "2026-10-21"
"""Of the API, which goes with bearer tokens."""
_VERSION = "anthropic-version"
MAX_TOKENS = 4096
"""Sent when the request sets no limit, as the API demands one."""
_RESERVED = frozenset({"model", "messages", "system", "stream"})
_SENT_OTHERWISE = ("extra_body", "stop", "reasoning_effort", "json_schema")
_UNKNOWN_THERE = unknown_to(HOST)
_CALLED = {  # what refusals call the parameters that may be refused
    **{n: (n,) for n, one in SAMPLING.items() if one.draws and n not in _UNKNOWN_THERE},
    "thinking": ("thinking", "thinking.type"),
    "effort": ("effort", "output_config"),
    "format": ("format", "output_config", "structured outputs"),
}


class AnthropicClient:
    """One model at one endpoint that speaks Anthropic's messages API."""

    def __init__(self, config: ClientConfig) -> None:
        self.asked = config.asked(HOST)
        self._config = config
        self._refused: set[str] = set()
        # People give the same address as for openai/; the path below begins with /v1 itself.
        self._transport = self._connect((config.base_url or BASE_URL).removesuffix("/v1"))

    def _connect(self, base_url: str) -> "HttpTransport | SdkTransport":
        config, headers = self._config, with_key(self._config)
        if config.transfer.by == "sdk":
            from .sdk import AnthropicSdk

            return AnthropicSdk(base_url, headers, config, self.asked)
        if _VERSION not in map(str.lower, headers):
            headers[_VERSION] = VERSION
        return HttpTransport(f"{base_url}/v1/messages", headers, config, self.asked)

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; once more for what the model refuses."""
        while True:
            body, sent = self.body_of(request)
            if response := self.take(await self._transport.post(body), request, sent):
                return response

    def body_of(self, request: ChatRequest) -> tuple[JsonDict, JsonDict]:
        """The body of a request, and what of it goes beside model and messages."""
        sent = self._parameters(request)
        return {"model": self._config.model.name, **conversation(request), **sent}, sent

    def take(self, answer: HttpAnswer, request: ChatRequest, sent: JsonDict) -> ChatResponse | None:
        """The reply; ``None`` where something was refused that is left out from now on.

        Raises:
            ProviderError: There is no reply.
        """
        if answer.status < 300:
            return read_message(answer.text, answer.headers, sent, self.asked)
        error = self._failure(answer)
        refused = self._refusal(error, sent, request.sampling.extra_body or {})
        if not refused:
            raise error
        self._refused.update(refused)
        return None

    def batches(self) -> "AnthropicBatches":
        """What takes requests for later, at half the price."""
        from .batch_services import AnthropicBatches
        from .sdk import AnthropicSdk

        config, base_url = self._config, (self._config.base_url or BASE_URL).removesuffix("/v1")
        return AnthropicBatches(
            AnthropicSdk(base_url, with_key(config), config, self.asked), self.asked
        )

    def _parameters(self, request: ChatRequest) -> JsonDict:
        """What goes beside model and messages; fields of ``--extra-body`` win."""
        sampling, sent = request.sampling, request.sampling.sent()
        extra = dict(sampling.extra_body or {})
        refuse_reserved(extra, _RESERVED)
        for name in (*_UNKNOWN_THERE, *self._refused, *_SENT_OTHERWISE):
            sent.pop(name, None)
        sent.setdefault("max_tokens", MAX_TOKENS)
        if sampling.stop is not None:
            sent["stop_sequences"] = list(sampling.stop)
        effort, schema, output = sampling.reasoning_effort, sampling.json_schema, JsonDict()
        if effort is not None and "thinking" not in self._refused:
            sent["thinking"] = {"type": "disabled" if effort == "none" else "adaptive"}
        if effort not in (None, "none") and "effort" not in self._refused:
            output["effort"] = effort
        if schema is not None and "format" not in self._refused:
            output["format"] = {"type": "json_schema", "schema": dict(schema)}
        if output:
            sent["output_config"] = output
        return sent | extra

    def _failure(self, answer: HttpAnswer) -> ProviderError:
        failure = read_failure(answer.status, answer.text, answer.headers)._replace(parameter="")
        if "credit balance is too low" in failure.message:  # comes with status 400
            failure = failure._replace(code="billing_error")
        return provider_error(failure, self.asked)

    def _refusal(
        self, error: ProviderError, sent: JsonObject, insisted_on: Collection[str]
    ) -> list[str]:
        """What to leave out from now on; the API says so in its message only."""
        if error.kind != ErrorKind.INVALID_REQUEST:
            return []
        optional = {name: value for name, value in sent.items() if name not in insisted_on}
        names = {*optional, *mapping(optional.get("output_config"))}
        return refused_parameters(
            str(error), {name: words for name, words in _CALLED.items() if name in names}
        )

    async def close(self) -> None:
        """Close connections."""
        await self._transport.close()
