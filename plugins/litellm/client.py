"""`litellm/PROVIDER/NAME`: every provider that has no client of its own, through litellm.

litellm renames, drops and invents; what is recorded here is what it was seen
to send and to receive. A parameter that it or the model refuses is left out
from then on, and `ChatResponse.sent` shows what went. One attempt is one
request. Keys: with ``--base-url``, the one named for it or none; without, the
one named, or else whatever variables litellm documents for the provider.

As it comes, its import fetches a price list, reads the next ``.env`` into the
environment and adds log handlers; its first Anthropic call fetches a list of
headers; an error prints banners; counting tokens asks Hugging Face. All of
that is off here. What stays: `TIKTOKEN_CACHE_DIR`, which litellm sets with the
first call, as without it tiktoken would go to the network.
"""

import asyncio
import contextlib
import logging
import os
import re
import sys
import urllib.request
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    UsageError,
    providers,
)

from .rehearsal import NOWHERE, rehearse_openai
from .replies import (
    Wire,
    failure_of,
    is_http_failure,
    is_within,
    read_reply,
    read_wire,
    unreadable,
)
from .sdk import CONNECT_S, no_collection, read_as_unicode, sdk_connections, without_variables

if TYPE_CHECKING:
    import httpx

_A_DAY_S = 86_400.0  # none at all would mean litellm's ten minutes
_ABOUT_A_REPLY = (ErrorKind.MALFORMED, ErrorKind.INVALID_REQUEST)
"""What litellm's errors look like when it cannot read a reply with status 200."""
_KEY_HEADER_OF_THEIR_OWN = frozenset({"anthropic", "gemini"})  # survives a redirect elsewhere
_HOLDS_A_KEY = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")
_OFFLINE = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_OFFLINE_MODE": "true",
}
_NOISE = (
    ".*`ReadOnly` qualifier.*",
    ".*conflict with protected namespace.*",
    "Pydantic serializer warnings",
)
"""What pydantic says of litellm's models, and of replies whose fields have odd types."""
_LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router")


def load() -> Any:
    """The module, with its traps closed; imported once, in about three seconds of CPU."""
    for message in _NOISE:
        warnings.filterwarnings("ignore", message=message)
    if "litellm" in sys.modules and "eibench" in vars(sys.modules["litellm"]):
        return sys.modules["litellm"]
    with _with_variables(_OFFLINE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with no_collection():
            import litellm
            from litellm import anthropic_beta_headers_manager as manager

        # The list of its headers, while the environment says to take the local one.
        vars(manager).get("_load_beta_headers_config", lambda: None)()
    for name in _LOGGERS:  # warns of what we handle, and at DEBUG level would log prompts
        logging.getLogger(name).setLevel(logging.ERROR)
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    litellm.drop_params = False  # silently dropped parameters would be recorded as sent
    litellm.modify_params = False
    litellm.__dict__["eibench"] = True
    return litellm


@contextmanager
def _with_variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables; afterwards the environment is what it was before."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)


class LiteLLMClient:
    """One model of one of litellm's providers.

    Attributes:
        asked: What messages call the endpoint.
    """

    _open: ClassVar[int] = 0

    def __init__(self, config: ClientConfig) -> None:
        if config.base_url is not None and providers.is_loopback(config.base_url):
            _refuse_proxy(config.base_url)
        self._litellm = load()
        self._config = config
        self._provider = self._find_provider()
        self.asked = config.asked()
        self.terms = providers.ServerTerms.of(config, self.asked)
        self._connection = self._connect(config.base_url) if config.base_url else None
        self._preparing, self._is_ready = asyncio.Lock(), False
        if config.base_url is None and config.key is None:  # litellm may pick one up by itself
            for name in filter(_HOLDS_A_KEY.search, os.environ):
                providers.redact.add(os.environ[name])
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

        return httpx.Timeout(_A_DAY_S, connect=CONNECT_S)

    async def prepare(self) -> None:
        """Let litellm import what it leaves to the first call of a process, which takes seconds.

        It is asked for a reply that never leaves it, in this model's name and in that of OpenAI's
        client. What fails here would fail in a call, which says so.
        """
        async with self._preparing:
            if self._is_ready:
                return
            with contextlib.suppress(Exception):
                await self._rehearse(self._config.model.name, mock_response="OK")
            with contextlib.suppress(Exception):
                await rehearse_openai(self._rehearse)
            self._is_ready = True

    async def _rehearse(self, model: str, **more: object) -> object:
        """A reply that takes litellm's whole way but for the network."""
        _ = self._litellm.encoding  # counts tokens; read from a file with the first reply
        return await self._litellm.acompletion(
            model=model,
            messages=[{"role": "user", "content": "OK?"}],
            api_base=self._config.base_url or NOWHERE,
            api_key="no-key",
            num_retries=0,
            max_retries=0,
            logger_fn=Wire().see,
            **more,
        )

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; again without what litellm or the model refuses."""
        providers.refuse_reserved(request.sampling.extra_body or {})
        return await self.terms.ask(request, self._send, self._parameters)

    async def _send(self, request: ChatRequest) -> ChatResponse:
        request, notes = self.terms.shaped(request)
        extra = dict(request.sampling.extra_body or {})
        sent, wire = self._parameters(request), Wire()
        recorded = {**sent, **extra, **notes}
        try:
            reply = await self._ask(request, sent, extra, wire)
        except Exception as error:  # noqa: BLE001 - raises its own, others' and builtin ones
            failed = failure_of(error, self.asked, wire.reply)
            came = wire.reply and not (is_within(failed) or is_http_failure(error))
            if came and failed.kind in _ABOUT_A_REPLY:
                self._check_size(wire.reply)
                if read := read_wire(wire, recorded, self.asked):
                    return read
                failed = unreadable(wire, error, self.asked)
        else:
            self._check_size(wire.reply)
            return read_reply(reply, wire, recorded, self.asked)
        raise failed  # out here, as litellm's error holds the request, and so the key

    def _check_size(self, reply: str) -> None:
        """Refuse a reply that is too large; only now, as litellm reads all of it."""
        most = self._config.max_reply
        if 4 * len(reply) > most and len(reply.encode(errors="replace")) > most:
            raise providers.too_large(self.asked, most)

    def _parameters(self, request: ChatRequest) -> JsonDict:
        needed, without = self._config.needs_token_limit, self.terms.without
        sent = providers.request_fields(
            request.sampling, providers.LIMITS, without, self.asked, needs_limit=needed
        )
        extra = request.sampling.extra_body or {}
        return {k: v for k, v in sent.items() if k not in without and k not in extra}

    async def _ask(
        self, request: ChatRequest, sent: JsonObject, extra: JsonObject, wire: Wire
    ) -> object:
        config = self._config
        optional: JsonDict = {
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
            **{name: value for name, value in optional.items() if value is not None},
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


def _refuse_proxy(base_url: str) -> None:
    """Raise `ConfigError` where a proxy would get what is for this machine.

    litellm knows only NO_PROXY.
    """
    parts = urlsplit(base_url)
    proxies, host = urllib.request.getproxies(), parts.hostname or ""
    if (parts.scheme in proxies or "all" in proxies) and not urllib.request.proxy_bypass(host):
        raise ConfigError(
            f"litellm would send what is for {host} to the proxy of your environment; "
            f"set NO_PROXY={host}, or use openai/NAME or anthropic/NAME, which go there directly"
        )
