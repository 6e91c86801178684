"""`anthropic/NAME`: Claude and servers that speak Anthropic's messages.

Bodies are made and read here, and carried over aiohttp itself, or by the
anthropic SDK where that is asked for. Parameters that a model refuses are left
out from then on, and `ChatResponse.sent` shows what went.
"""

from collections.abc import Collection

from ..errors import ErrorKind, ProviderError
from ..parties.providers import CallContext, ClientConfig
from ..types import (
    ANTHROPIC,
    SAMPLING,
    ChatRequest,
    ChatResponse,
    JsonDict,
    JsonObject,
    unknown_to,
)
from .anthropic_message import conversation, read_message
from .bodies import read_json
from .failures import HttpFailure, error_parts, provider_error
from .http import HttpAnswer, HttpTransport, Transport
from .keys import refuse_reserved, with_key
from .refused import refused_parameters
from .usage import mapping

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
    """One model at one endpoint that speaks Anthropic's messages API.

    Attributes:
        asked: What messages call the endpoint.
    """

    def __init__(self, config: ClientConfig) -> None:
        self.asked = config.asked(HOST)
        self._config = config
        self._refused: set[str] = set()
        # People give the same address as for openai/; the path below begins with /v1 itself.
        self._transport = self._connect((config.base_url or BASE_URL).removesuffix("/v1"))

    def _connect(self, base_url: str) -> Transport:
        config, headers = self._config, with_key(self._config)
        if config.transfer.by == "sdk":
            from .sdk_transports import AnthropicSdk

            return AnthropicSdk(base_url, headers, config, self.asked)
        if _VERSION not in map(str.lower, headers):
            headers[_VERSION] = VERSION
        return HttpTransport(f"{base_url}/v1/messages", headers, config, self.asked)

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; once more for what the model refuses."""
        while True:
            sent = self._parameters(request)
            body = {"model": self._config.model.name, **conversation(request), **sent}
            answer = await self._transport.post(body)
            if answer.status < 300:
                return read_message(answer.text, answer.headers, sent, self.asked)
            error = self._failure(answer)
            refused = self._refusal(error, sent, request.sampling.extra_body or {})
            if not refused:
                raise error
            self._refused.update(refused)

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
        effort = sampling.reasoning_effort
        output = self._output_config(effort, sampling.json_schema)
        return sent | self._thinking(effort) | output | extra

    def _thinking(self, effort: str | None) -> JsonDict:
        if effort is None or "thinking" in self._refused:
            return {}
        return {"thinking": {"type": "disabled" if effort == "none" else "adaptive"}}

    def _output_config(self, effort: str | None, schema: JsonObject | None) -> JsonDict:
        config: JsonDict = {}
        if effort not in (None, "none") and "effort" not in self._refused:
            config["effort"] = effort
        if schema is not None and "format" not in self._refused:
            config["format"] = {"type": "json_schema", "schema": dict(schema)}
        return {"output_config": config} if config else {}

    def _failure(self, answer: HttpAnswer) -> ProviderError:
        message, code, _ = error_parts(read_json(answer.text) or answer.text)
        if "credit balance is too low" in message:  # comes with status 400
            code = "billing_error"
        failure = HttpFailure(answer.status, message, code, answer.headers)
        return provider_error(failure, self.asked)

    def _refusal(
        self, error: ProviderError, sent: JsonObject, insisted_on: Collection[str]
    ) -> list[str]:
        """What to leave out from now on; the API says so in its message only."""
        if error.kind != ErrorKind.INVALID_REQUEST:
            return []
        own = {name: value for name, value in sent.items() if name not in insisted_on}
        there = {*own, *mapping(own.get("output_config"))}
        return refused_parameters(
            str(error), {name: words for name, words in _CALLED.items() if name in there}
        )

    async def close(self) -> None:
        """Close connections."""
        await self._transport.close()
