"""`anthropic/NAME`: Claude and servers that speak Anthropic's messages."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..parties.brokers import provider_of
from ..parties.providers import AskedParty, ClientConfig
from ..types import ANTHROPIC, ChatRequest, ChatResponse, JsonDict, JsonObject, Usage, unknown_to
from .api_client import ApiClient
from .error_bodies import HttpFailure
from .errors_within import no_reply, read_body
from .http import HttpAnswer
from .keys import refuse_reserved, with_key
from .replies import count, finish_of, mapping, name_of, whole_output, words
from .thinking import split_thinking

if TYPE_CHECKING:
    from .batch_services import AnthropicBatches

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
    body = read_body(text, headers, asked)
    blocks = body.get("content")
    if not isinstance(blocks, list):
        raise no_reply(text, asked)
    finish_raw = name_of(body.get("stop_reason"))
    answer, tagged = split_thinking(_joined(blocks, "text"))
    thinking = "\n".join(t for t in (_joined(blocks, "thinking"), tagged) if t)
    return ChatResponse(
        text=words(answer or _refusal(body)),
        reasoning=words(thinking),
        finish=finish_of(finish_raw, answer),
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


def _headers(config: ClientConfig) -> dict[str, str]:
    """Those of each request: the key, the user's own, and the API's version."""
    headers = with_key(config)
    return headers if _VERSION in map(str.lower, headers) else {**headers, _VERSION: VERSION}


class AnthropicClient(ApiClient):
    """One model at one endpoint that speaks Anthropic's messages API."""

    def __init__(self, config: ClientConfig) -> None:
        # People give the same address as for openai/, with /v1 or without.
        base_url = f"{(config.base_url or BASE_URL).removesuffix('/v1')}/v1"
        super().__init__(config, HOST, base_url, "messages", _headers(config))

    def _messages(self, request: ChatRequest) -> JsonDict:
        return conversation(request)

    def _read(self, answer: HttpAnswer, sent: JsonDict) -> ChatResponse:
        return read_message(answer.text, answer.headers, sent, self.asked)

    def _meant(self, failure: HttpFailure) -> HttpFailure:
        # Its `param` is not documented: what is refused stands in the message.
        is_unpaid = "credit balance is too low" in failure.message  # comes with status 400
        code = "billing_error" if is_unpaid else failure.code
        return failure._replace(parameter="", code=code)

    def batches(self) -> "AnthropicBatches":
        """What takes requests for later, at half the price."""
        from .batch_services import AnthropicBatches

        return AnthropicBatches(self._transport, self.asked)

    def _parameters(self, request: ChatRequest) -> JsonDict:
        """What goes beside model and messages; fields of ``--extra-body`` win."""
        sampling, sent = request.sampling, request.sampling.sent()
        extra = dict(sampling.extra_body or {})
        refuse_reserved(extra, _RESERVED)
        without = self.terms.without
        for name in (*_UNKNOWN_THERE, *without, *_SENT_OTHERWISE):
            sent.pop(name, None)
        sent.setdefault("max_tokens", sampling.max_tokens or MAX_TOKENS)
        if sampling.stop is not None and "stop_sequences" not in without:
            sent["stop_sequences"] = list(sampling.stop)
        effort, schema, output = sampling.reasoning_effort, sampling.json_schema, JsonDict()
        if effort is not None and "thinking" not in without:
            sent["thinking"] = {"type": "disabled" if effort == "none" else "adaptive"}
        if effort not in (None, "none") and "effort" not in without:
            output["effort"] = effort
        if schema is not None and "format" not in without:
            output["format"] = {"type": "json_schema", "schema": dict(schema)}
        if output:
            sent["output_config"] = output
        return sent | extra

    def _optional(self, request: ChatRequest) -> JsonDict:
        """The fields of a request that it may do without, as they would be sent."""
        sent = super()._optional(request)
        sent.pop("max_tokens", None)  # which the API demands
        output = mapping(sent.pop("output_config", None))
        return {**sent, **output}
