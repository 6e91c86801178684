"""Requests through the providers' SDKs: for Azure, and wherever ``transport = "sdk"`` asks for it.

An SDK sends, over aiohttp; bodies are made and read by us, as it passes HTML, ``{}`` and error
objects with status 200 as replies. It never sees the provider's variables, which it would send to
any host. It reads a reply whole, so one that is too large is refused only afterwards. Total time is
bounded around the client (`caller`); only connecting has a limit of its own.
"""

import gc
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import ProviderError
from ..parties.providers import AskedParty, ClientConfig, is_loopback
from ..types import JsonDict, JsonObject
from .failures import connection_error, malformed, too_large
from .http import CONNECT_S, HttpAnswer

if TYPE_CHECKING:
    import httpx


_RAW = {"X-Stainless-Raw-Response": "true"}  # what `with_raw_response` sets


class SdkTransport:
    """What the SDKs have in common, as they are made by one generator.

    Args:
        sdk: The package, imported.
        client: Its maker of clients, with what is special to it.
        path: That of requests.
        config: Where it connects.
        asked: Who is asked, for messages.
        request: What each request is made with.
    """

    def __init__(
        self,
        sdk: Any,
        client: Callable[..., Any],
        path: str,
        base_url: str,
        config: ClientConfig,
        asked: AskedParty,
        **request: object,
    ) -> None:
        self._asked, self._most = asked, config.transfer.max_reply
        self._path, self._request = path, request
        self._errors: tuple[type[Exception], ...] = (sdk.APIStatusError, sdk.APIConnectionError)
        self._sdk = client(
            api_key=config.key or "no-key",
            base_url=base_url,
            max_retries=0,
            http_client=sdk.DefaultAioHttpClient(**sdk_connections(sdk, config)),
        )

    async def prepare(self) -> None:
        """Nothing: the SDK was imported, and has read its certificates, when it was made."""

    async def post(self, body: JsonObject) -> HttpAnswer:
        """The answer to a request, of whatever status.

        The SDK's own methods for that are not used, as they take twice the time to bring into form
        what is in form already.
        """
        answer = await self.exchange(self.send_to(self._path, dict(body)))
        if len(answer.body) > self._most and answer.status < 300:
            raise too_large(self._asked, self._most)
        return answer

    async def exchange(self, sending: Awaitable[Any]) -> HttpAnswer:
        """The answer to what the SDK sends, of whatever status and size.

        Raises:
            ProviderError: There was none.
        """
        answer: HttpAnswer | ProviderError
        try:
            raw = await sending
            answer = HttpAnswer(raw.status_code, raw.headers, raw.content)
        except self._errors as error:
            answer = self._answer(error)
        if isinstance(answer, ProviderError):
            raise answer  # out here, as the SDK's error holds the request, and with it the key
        return answer

    def fetch(self, path: str) -> Awaitable[Any]:
        """What `exchange` takes to get a path."""
        sending: Awaitable[Any] = self._sdk.get(path, **self._request)
        return sending

    def send_to(self, path: str, body: JsonDict) -> Awaitable[Any]:
        """What `exchange` takes to post a body to a path."""
        sending: Awaitable[Any] = self._sdk.post(path, body=body, **self._request)
        return sending

    def _answer(self, error: Exception) -> HttpAnswer | ProviderError:
        response, cause = getattr(error, "response", None), error.__cause__
        if response is not None:
            return HttpAnswer(response.status_code, response.headers, response.content)
        if type(cause).__name__ == "DecodingError":
            return malformed(self._asked, f"(not decodable: {cause})")
        return connection_error(self._asked, cause or error)

    async def close(self) -> None:
        """Close connections."""
        await self._sdk.close()


class OpenAISdk(SdkTransport):
    """Sends chat completions to one base URL; see `HttpTransport`."""

    def __init__(
        self, base_url: str, headers: Mapping[str, str], config: ClientConfig, asked: AskedParty
    ) -> None:
        with without_variables("OPENAI_"):
            with no_collection():
                import openai

            self._left_out = _omitted(headers, openai.Omit())
            client = partial(openai.AsyncOpenAI, default_headers=dict(headers))
            options: object = {"headers": _RAW | self._left_out}
            super().__init__(
                openai, client, "/chat/completions", base_url, config, asked,
                cast_to=object, options=options,
            )  # fmt: skip

    def upload(self, name: str, content: bytes) -> Awaitable[Any]:
        """What `exchange` takes to upload a batch's file."""
        sending: Awaitable[Any] = self._sdk.files.with_raw_response.create(
            file=(name, content), purpose="batch", extra_headers=self._left_out
        )
        return sending


class AnthropicSdk(SdkTransport):
    """Sends messages to one base URL; see `HttpTransport`."""

    def __init__(
        self, base_url: str, headers: Mapping[str, str], config: ClientConfig, asked: AskedParty
    ) -> None:
        with without_variables("ANTHROPIC_"):
            with no_collection():
                import anthropic
                import httpx2

            named = {**headers, **_omitted(headers, anthropic.Omit())}
            client = partial(anthropic.AsyncAnthropic, open_telemetry=False, default_headers=named)
            super().__init__(
                anthropic, client, "/v1/messages", base_url, config, asked, cast_to=httpx2.Response
            )


def _omitted(headers: Mapping[str, str], omit: object) -> dict[str, Any]:
    """The header of the key, taken away where it is not among ours."""
    return {} if "authorization" in map(str.lower, headers) else {"Authorization": omit}


DIRECT: Any = {"http://": None, "https://": None, "all://": None}
"""For loopback: a proxy would get what is meant for this machine alone."""


async def read_as_unicode(response: "httpx.Response") -> None:
    """A hook for answers: their text is UTF-8 to the SDK, whatever charset the server names.

    It would read the text of a failed one in that charset, and some are none of texts.
    """
    response.encoding = "utf-8"


@contextmanager
def without_variables(prefix: str) -> Iterator[None]:
    """Hide environment variables that an SDK would send to any host."""
    hidden = {k: os.environ.pop(k) for k in list(os.environ) if k.startswith(prefix)}
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextmanager
def no_collection() -> Iterator[None]:
    """Import an SDK without garbage collection: its thousands of classes stay anyway.

    Saves a fifth of the time it takes; what was made is then left out of later collections.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def sdk_connections(sdk: Any, config: ClientConfig) -> dict[str, Any]:
    """How the HTTP client of an SDK made by Stainless (openai, anthropic) connects."""
    limits = type(sdk.DEFAULT_CONNECTION_LIMITS)
    return {
        "limits": limits(max_connections=config.concurrency),
        "timeout": sdk.Timeout(None, connect=CONNECT_S),
        "follow_redirects": False,
        "mounts": DIRECT if is_loopback(config.base_url) else None,
        "event_hooks": {"response": [read_as_unicode]},
    }
