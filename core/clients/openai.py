"""`openai/NAME`: OpenAI and every OpenAI-compatible server, through the openai SDK.

The SDK sends (over aiohttp, four times cheaper than its default here) and
raises; bodies are made and read by us, as the SDK passes HTML, ``{}`` and error
objects with status 200 as replies. It never sees ``OPENAI_*`` variables, which
it would send to any host. Parameters that a model refuses are left out from
then on, and `ChatResponse.sent` shows what went.
"""

from collections.abc import Collection, Mapping
from typing import Any

from ..errors import ErrorKind, ProviderError, UsageError
from ..types import ChatRequest, ChatResponse
from .base import CallContext, ClientConfig, host_of, is_loopback
from .chat_completion import read_completion
from .failures import (
    Failure,
    connection_error,
    error_parts,
    malformed,
    provider_error,
    refused_parameter,
)
from .sdk import CONNECT_S, DIRECT, no_collection, without_variables

HOST = "api.openai.com"
_RAW: Any = {"headers": {"X-Stainless-Raw-Response": "true"}}  # what `with_raw_response` sets
_OURS = frozenset({"model", "messages", "stream", "n"})


class OpenAIClient:
    """One model at one OpenAI-compatible endpoint.

    Attributes:
        host: What messages call the endpoint.
    """

    def __init__(self, config: ClientConfig) -> None:
        self.host = host_of(config.base_url) if config.base_url else HOST
        self._config = config
        # OpenAI's own models want max_completion_tokens; most other servers know only max_tokens.
        names = ("max_tokens", "max_completion_tokens")
        self._token_names = names if config.base_url else names[::-1]
        self._refused: set[str] = set()
        with without_variables("OPENAI_"):
            with no_collection():
                import openai

            self._errors = (openai.APIStatusError, openai.APIConnectionError)
            limits = type(openai.DEFAULT_CONNECTION_LIMITS)
            self._sdk = openai.AsyncOpenAI(
                api_key=config.key or "no-key",
                base_url=config.base_url or f"https://{HOST}/v1",
                max_retries=0,
                default_headers=dict(config.headers),
                http_client=openai.DefaultAioHttpClient(
                    limits=limits(max_connections=config.concurrency),
                    timeout=openai.Timeout(None, connect=CONNECT_S),
                    follow_redirects=False,
                    mounts=DIRECT if is_loopback(config.base_url) else None,
                ),
            )

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; once more for each parameter the model refuses."""
        while True:
            sent = self._parameters(request)
            try:
                raw = await self._post(request, sent)
            except ProviderError as error:
                if not error.parameter:
                    raise
                self._refused.add(error.parameter)
                continue
            return read_completion(raw.text, raw.headers, sent, self.host)

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        """What goes beside model and messages; fields of ``--extra-body`` win."""
        sent = request.sampling.sent()
        extra = dict(sent.pop("extra_body", {}))
        if reserved := sorted(_OURS & extra.keys()):
            raise UsageError(f"--extra-body may not set {', '.join(reserved)}: the program does")
        if "stop" in sent:
            sent["stop"] = list(sent["stop"])
        if "json_schema" in sent:
            sent["response_format"] = _response_format(sent.pop("json_schema"))
        if "max_tokens" in sent:
            most = sent.pop("max_tokens")
            name = next((n for n in self._token_names if n not in self._refused), None)
            sent |= {name: most} if name else {}
        return {k: v for k, v in sent.items() if k not in self._refused} | extra

    async def _post(self, request: ChatRequest, sent: Mapping[str, Any]) -> Any:
        """The SDK's raw response.

        The SDK's own method for chat completions is not used, as it takes twice the time to
        bring into form what is in form already.
        """
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        body = {"messages": messages, "model": self._config.model.name, **sent}
        try:
            return await self._sdk.post(
                "/chat/completions", cast_to=object, body=body, options=_RAW
            )
        except self._errors as error:
            insisted_on = request.sampling.extra_body or {}
            failed = self._failure(error, [n for n in sent if n not in insisted_on])
        raise failed from None  # the SDK's error holds the request, and with it the key

    def _failure(self, error: Any, optional: Collection[str]) -> ProviderError:
        response, cause = getattr(error, "response", None), error.__cause__
        if response is None and type(cause).__name__ == "DecodingError":
            return malformed(self.host, f"(not decodable: {cause})")
        if response is None:
            return connection_error(self.host, cause or error)
        message, code, parameter = error_parts(error.body or response.text)
        failure = Failure(response.status_code, message, code, response.headers, parameter)
        made = provider_error(failure, self.host, self._config.key_name)
        if made.kind == ErrorKind.INVALID_REQUEST:
            made.parameter = refused_parameter(failure, optional)
        return made

    async def close(self) -> None:
        """Close connections."""
        await self._sdk.close()


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": "reply", "schema": schema, "strict": True}
    return {"type": "json_schema", "json_schema": named}
