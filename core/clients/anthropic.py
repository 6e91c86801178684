"""`anthropic/NAME`: Claude and servers that speak Anthropic's messages, through its SDK.

The SDK sends (over aiohttp, at half the CPU of its default here) and raises;
bodies are made and read by us, as its own method takes no sampling parameters
and passes HTML and ``{}`` with status 200 as replies. It never sees
``ANTHROPIC_*`` variables, which it would send to any host. Parameters that a
model refuses are left out from then on, and `ChatResponse.sent` shows what
went.
"""

from collections.abc import Collection, Mapping
from typing import Any

from ..errors import ErrorKind, ProviderError, UsageError
from ..types import ChatRequest, ChatResponse
from .anthropic_message import conversation, read_message
from .base import CallContext, ClientConfig, host_of, is_loopback
from .failures import Failure, connection_error, error_parts, malformed, provider_error
from .refused import refused_parameters
from .sdk import CONNECT_S, DIRECT, no_collection, without_variables

HOST = "api.anthropic.com"
MAX_TOKENS = 4096
"""Sent when the request sets no limit, as the API demands one."""
_OURS = frozenset({"model", "messages", "system", "stream"})
_UNKNOWN_THERE = ("min_p", "seed")
_CALLED = {  # what refusals call the parameters that may be refused
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "thinking": ("thinking", "thinking.type"),
    "effort": ("effort", "output_config"),
    "format": ("format", "output_config", "structured outputs"),
}


class AnthropicClient:
    """One model at one endpoint that speaks Anthropic's messages API.

    Attributes:
        host: What messages call the endpoint.
    """

    def __init__(self, config: ClientConfig) -> None:
        self.host = host_of(config.base_url) if config.base_url else HOST
        self._config = config
        self._refused: set[str] = set()
        # People give the same address as for openai/; the path below begins with /v1 itself.
        base_url = (config.base_url or f"https://{HOST}").removesuffix("/v1")
        with without_variables("ANTHROPIC_"):
            with no_collection():
                import anthropic
                import httpx2

            self._raw = httpx2.Response
            self._errors = (anthropic.APIStatusError, anthropic.APIConnectionError)
            limits = type(anthropic.DEFAULT_CONNECTION_LIMITS)
            self._sdk = anthropic.AsyncAnthropic(
                api_key=config.key or "no-key",
                base_url=base_url,
                max_retries=0,
                open_telemetry=False,
                default_headers=_headers(config, anthropic.Omit()),
                http_client=anthropic.DefaultAioHttpClient(
                    limits=limits(max_connections=config.concurrency),
                    timeout=anthropic.Timeout(None, connect=CONNECT_S),
                    follow_redirects=False,
                    mounts=DIRECT if is_loopback(config.base_url) else None,
                ),
            )

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; once more for what the model refuses."""
        while True:
            sent = self._parameters(request)
            try:
                raw = await self._post(request, sent)
            except ProviderError as error:
                refused = self._refusal(error, sent, request.sampling.extra_body or {})
                if not refused:
                    raise
                self._refused.update(refused)
                continue
            return read_message(raw.text, raw.headers, sent, self.host)

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        """What goes beside model and messages; fields of ``--extra-body`` win."""
        sent = request.sampling.sent()
        extra = dict(sent.pop("extra_body", {}))
        if reserved := sorted(_OURS & extra.keys()):
            raise UsageError(f"--extra-body may not set {', '.join(reserved)}: the program does")
        for name in (*_UNKNOWN_THERE, *(self._refused & {"temperature", "top_p"})):
            sent.pop(name, None)
        sent.setdefault("max_tokens", MAX_TOKENS)
        if "stop" in sent:
            sent["stop_sequences"] = list(sent.pop("stop"))
        effort, schema = sent.pop("reasoning_effort", None), sent.pop("json_schema", None)
        return sent | self._thinking(effort) | self._output_config(effort, schema) | extra

    def _thinking(self, effort: str | None) -> dict[str, Any]:
        if effort is None or "thinking" in self._refused:
            return {}
        return {"thinking": {"type": "disabled" if effort == "none" else "adaptive"}}

    def _output_config(
        self, effort: str | None, schema: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        config: dict[str, Any] = {}
        if effort not in (None, "none") and "effort" not in self._refused:
            config["effort"] = effort
        if schema is not None and "format" not in self._refused:
            config["format"] = {"type": "json_schema", "schema": dict(schema)}
        return {"output_config": config} if config else {}

    async def _post(self, request: ChatRequest, sent: Mapping[str, Any]) -> Any:
        body = {"model": self._config.model.name, **conversation(request), **sent}
        try:
            return await self._sdk.post("/v1/messages", cast_to=self._raw, body=body)
        except self._errors as error:
            failed = self._failure(error)
        raise failed from None  # the SDK's error holds the request, and with it the key

    def _failure(self, error: Any) -> ProviderError:
        response, cause = getattr(error, "response", None), error.__cause__
        if response is None and type(cause).__name__ == "DecodingError":
            return malformed(self.host, f"(not decodable: {cause})")
        if response is None:
            return connection_error(self.host, cause or error)
        message, code, _ = error_parts(error.body or response.text)
        if "credit balance is too low" in message:  # comes with status 400
            code = "billing_error"
        failure = Failure(response.status_code, message, code, response.headers)
        return provider_error(failure, self.host, self._config.key_name)

    def _refusal(
        self, error: ProviderError, sent: Mapping[str, Any], insisted_on: Collection[str]
    ) -> list[str]:
        """What to leave out from now on; the API says so in its message only."""
        if error.kind != ErrorKind.INVALID_REQUEST:
            return []
        own = {name: value for name, value in sent.items() if name not in insisted_on}
        there = {*own, *own.get("output_config", ())}
        return refused_parameters(
            str(error), {name: words for name, words in _CALLED.items() if name in there}
        )

    async def close(self) -> None:
        """Close connections."""
        await self._sdk.close()


def _headers(config: ClientConfig, omitted: Any) -> dict[str, Any]:
    """The user's headers; a gateway that is given its own key header gets no other beside it."""
    headers: dict[str, Any] = dict(config.headers)
    named = {name.lower() for name in headers}
    if "x-api-key" in named and "authorization" not in named and config.key is None:
        headers["Authorization"] = omitted
    return headers
