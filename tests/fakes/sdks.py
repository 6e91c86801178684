"""Transports that send through the providers' own packages: what ours is compared with.

An SDK sends, over aiohttp; bodies are made and read by our clients. It reads a reply whole, so one
that is too large is refused only afterwards.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from eibench.core.clients.failures import connection_error, malformed, too_large
from eibench.core.clients.http import HttpAnswer
from eibench.core.errors import ProviderError
from eibench.core.parties.providers import AskedParty, ClientConfig
from eibench.core.types import JsonObject
from eibench.plugins.litellm.sdk import no_collection, sdk_connections, without_variables

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
        self._asked, self._most = asked, config.max_reply
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

    async def post(self, path: str, body: JsonObject) -> HttpAnswer:
        """The answer to a request, of whatever status.

        The SDK's own methods for that are not used, as they take twice the time to bring into form
        what is in form already.
        """
        sending = self._sdk.post(self._path, body=dict(body), **self._request)
        answer = await self.exchange(sending)
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

            left_out = _omitted(headers, openai.Omit())
            client = partial(openai.AsyncOpenAI, default_headers=dict(headers))
            options: object = {"headers": _RAW | left_out}
            super().__init__(
                openai, client, "/chat/completions", base_url, config, asked,
                cast_to=object, options=options,
            )  # fmt: skip


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
