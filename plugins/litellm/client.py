"""`litellm/PROVIDER/NAME`: every provider that has no client of its own, through litellm.

litellm renames, drops and invents; what is recorded here is what it was seen
to send and to receive. A parameter that it or the model refuses is left out
from then on, and `ChatResponse.sent` shows what went. One attempt is one
request. Keys: with ``--base-url``, the one named for it or none; without, the
one named, or else whatever variables litellm documents for the provider.
"""

import os
import re
import urllib.request
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from eibench import (
    CallContext,
    ChatRequest,
    ChatResponse,
    ClientConfig,
    ConfigError,
    ErrorKind,
    JsonDict,
    JsonObject,
    ProviderError,
    UsageError,
)
from eibench.providers import (
    HttpFailure,
    is_loopback,
    read_as_unicode,
    redact,
    refuse_reserved,
    refused_parameter,
    refused_parameters,
    request_fields,
    sdk_connections,
    too_large,
    without_variables,
)

from .loading import load
from .replies import Wire, failure_of, is_http_failure, read_reply, read_wire, unreadable

if TYPE_CHECKING:
    import httpx

_CONNECT_S = 15.0
_A_DAY_S = 86_400.0  # none at all would mean litellm's ten minutes
_TOKEN_NAMES = ("max_tokens", "max_completion_tokens")
_ABOUT_A_REPLY = (ErrorKind.MALFORMED, ErrorKind.INVALID_REQUEST)
"""What litellm's errors look like when it cannot read a reply with status 200."""
_KEY_HEADER_OF_THEIR_OWN = frozenset({"anthropic", "gemini"})  # survives a redirect elsewhere
_HOLDS_A_KEY = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")


class LiteLLMClient:
    """One model of one of litellm's providers.

    Attributes:
        asked: What messages call the endpoint.
    """

    _open: ClassVar[int] = 0

    def __init__(self, config: ClientConfig) -> None:
        if config.base_url is not None and is_loopback(config.base_url):
            _refuse_proxy(config.base_url)
        self._litellm = load()
        self._config = config
        self._provider = self._find_provider()
        self.asked = config.asked()
        self._refused: set[str] = set()
        self._connection = self._connect(config.base_url) if config.base_url else None
        if config.base_url is None and config.key is None:
            _hide_keys_in(os.environ)
        LiteLLMClient._open += 1

    def _find_provider(self) -> str:
        name = self._config.model.name
        try:
            return str(self._litellm.get_llm_provider(model=name)[1])
        except self._litellm.BadRequestError:
            raise UsageError(
                f"litellm knows no provider for {name!r}; write litellm/PROVIDER/NAME, "
                "such as litellm/gemini/gemini-2.5-pro"
            ) from None

    def _connect(self, base_url: str) -> Any:
        """Connections of our own where litellm's would leak; ``None`` lets it make its own.

        Its OpenAI client sends OPENAI_ORG_ID and the like to any host, and its others follow
        redirects with the key.
        """
        compatible = {"openai", "custom_openai", *self._litellm.openai_compatible_providers}
        if self._provider in compatible:
            return self._connect_openai(base_url)
        if self._provider not in _KEY_HEADER_OF_THEIR_OWN:
            return None
        from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

        handler = AsyncHTTPHandler(timeout=self._timeout)
        handler.client.follow_redirects = False
        handler.client.event_hooks = {"response": [read_as_unicode]}
        return handler

    def _connect_openai(self, base_url: str) -> object:
        with without_variables("OPENAI_"):
            import openai

            # litellm sets an organisation on the client, from the environment.
            omitted: Any = {"OpenAI-Organization": openai.Omit()}
            return openai.AsyncOpenAI(
                api_key=self._config.key or "no-key",
                base_url=base_url,
                max_retries=0,
                default_headers=omitted | dict(self._config.headers),
                http_client=openai.DefaultAioHttpClient(**sdk_connections(openai, self._config)),
            )

    @property
    def _timeout(self) -> "httpx.Timeout":
        import httpx

        return httpx.Timeout(_A_DAY_S, connect=_CONNECT_S)

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; once more for what litellm or the model refuses."""
        extra = dict(request.sampling.extra_body or {})
        refuse_reserved(extra)
        while True:
            sent, wire = self._parameters(request, extra), Wire()
            try:
                reply = await self._ask(request, sent, extra, wire)
            except Exception as error:  # noqa: BLE001 - raises its own, others' and builtin ones
                failed, answer = failure_of(error, self.asked, wire.reply)
                if failed.kind in _ABOUT_A_REPLY and wire.reply and not is_http_failure(error):
                    self._check_size(wire.reply)
                    if read := read_wire(wire, sent | extra, self.asked):
                        return read
                    failed = unreadable(wire, error, self.asked)
            else:
                self._check_size(wire.reply)
                return read_reply(reply, wire, sent | extra, self.asked)
            refused = _refusal(failed, answer, sent)
            if not refused:
                raise failed  # out here, as litellm's error holds the request, and so the key
            self._refused.update(refused)

    def _check_size(self, reply: str) -> None:
        """Refuse a reply that is too large; only now, as litellm reads all of it."""
        most = self._config.transfer.max_reply
        if 4 * len(reply) > most and len(reply.encode(errors="replace")) > most:
            raise too_large(self.asked, most)

    def _parameters(self, request: ChatRequest, extra: Collection[str]) -> JsonDict:
        needed = self._config.needs_token_limit
        sent = request_fields(
            request.sampling, _TOKEN_NAMES, self._refused, self.asked, needs_limit=needed
        )
        return {k: v for k, v in sent.items() if k not in self._refused and k not in extra}

    async def _ask(
        self,
        request: ChatRequest,
        sent: JsonObject,
        extra: JsonObject,
        wire: Wire,
    ) -> object:
        config = self._config
        given: JsonDict = {
            "api_base": config.base_url,
            # Without a key it would look for one in the environment, whatever the host.
            "api_key": config.key or ("no-key" if config.base_url else None),
            "client": self._connection,
            "extra_headers": dict(config.headers) or None,
            "extra_body": dict(extra) or None,
        }
        return await self._litellm.acompletion(
            model=config.model.name,
            messages=[{"role": m.role, "content": m.content} for m in request.messages],
            num_retries=0,
            max_retries=0,
            timeout=self._timeout,
            logger_fn=wire.see,
            **{name: value for name, value in given.items() if value is not None},
            **sent,
        )

    async def close(self) -> None:
        """Close connections: our own, and with the last client those that litellm keeps."""
        if self._connection is not None:
            await self._connection.close()
        LiteLLMClient._open -= 1
        if not LiteLLMClient._open:
            await self._litellm.close_litellm_async_clients()
            self._litellm.in_memory_llm_clients_cache.flush_cache()


def _refusal(failed: ProviderError, answer: HttpFailure, sent: JsonObject) -> list[str]:
    """What to leave out from now on."""
    if failed.kind != ErrorKind.INVALID_REQUEST:
        return []
    if named := refused_parameter(answer, sent):
        return [named]
    return refused_parameters(answer.message, {name: (name,) for name in sent})


def _refuse_proxy(base_url: str) -> None:
    """A proxy would get what is meant for this machine; litellm can be told so only by NO_PROXY.

    Raises:
        ConfigError: The environment sends these requests through one.
    """
    parts = urlsplit(base_url)
    proxies, host = urllib.request.getproxies(), parts.hostname or ""
    if (parts.scheme in proxies or "all" in proxies) and not urllib.request.proxy_bypass(host):
        raise ConfigError(
            f"litellm would send what is for {host} to the proxy of your environment; "
            f"set NO_PROXY={host}, or use openai/NAME or anthropic/NAME, which go there directly"
        )


def _hide_keys_in(environment: Mapping[str, str]) -> None:
    """Let no key be shown that litellm may pick up by itself."""
    for name, value in environment.items():
        if _HOLDS_A_KEY.search(name):
            redact.add(value)
