"""What clients of HTTP APIs have in common: bodies are made and read here, and carried by others.

Parameters that a model refuses are left out from then on, and `ChatResponse.sent` shows what went.
"""

from collections.abc import Collection, Mapping

from ..parties.providers import CallContext, ClientConfig
from ..types import ChatRequest, ChatResponse, JsonDict
from .error_bodies import HttpFailure, read_failure
from .failures import provider_error
from .http import HttpAnswer, HttpTransport
from .model_list import Listing, read_listing
from .terms import ServerTerms


class ApiClient:
    """One model at one endpoint.

    Args:
        config: Where it connects.
        host: The provider's own.
        base_url: What stands before each path.
        path: That of requests.
        headers: Those of each request.
        unknown: What the server is known not to take.
    """

    def __init__(
        self,
        config: ClientConfig,
        host: str,
        base_url: str,
        path: str,
        headers: Mapping[str, str],
        unknown: Collection[str] = (),
    ) -> None:
        self.asked = config.asked(host)
        self.terms = ServerTerms.of(config, self.asked, unknown)
        self._config, self._base_url, self._path = config, base_url, path
        self._headers = headers
        self._transport = HttpTransport(base_url, headers, config, self.asked)

    async def prepare(self) -> None:
        """Get the transport ready; see `Client`."""
        await self._transport.prepare()

    async def listing(self) -> Listing | None:
        """What models the server lists; ``None`` where it does not say."""
        return await read_listing(self._config, self._base_url, self._headers)

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; again without what the server refuses, until it is taken."""
        return await self.terms.ask(request, self._send, self._optional)

    async def _send(self, request: ChatRequest) -> ChatResponse:
        body, sent = self.body_of(request)
        return self.take(await self._transport.post(self._path, body), sent)

    def body_of(self, request: ChatRequest) -> tuple[JsonDict, JsonDict]:
        """The body of a request, and what of it goes beside model and messages."""
        request, notes = self.terms.shaped(request)
        sent = self._parameters(request)
        body = {**self._messages(request), "model": self._config.model.name, **sent}
        return body, {**sent, **notes}

    def take(self, answer: HttpAnswer, sent: JsonDict) -> ChatResponse:
        """The reply in an answer.

        Raises:
            ProviderError: There is none.
        """
        if answer.status < 300:
            return self._read(answer, sent)
        failure = read_failure(answer.status, answer.text, answer.headers)
        raise provider_error(self._meant(failure), self.asked)

    def _messages(self, request: ChatRequest) -> JsonDict:
        raise NotImplementedError

    def _parameters(self, request: ChatRequest) -> JsonDict:
        raise NotImplementedError

    def _read(self, answer: HttpAnswer, sent: JsonDict) -> ChatResponse:
        raise NotImplementedError

    def _meant(self, failure: HttpFailure) -> HttpFailure:
        """What a failed answer of this API says."""
        return failure

    def _optional(self, request: ChatRequest) -> JsonDict:
        """The fields of a request that it may do without, as they would be sent."""
        extra = request.sampling.extra_body or {}
        return {k: v for k, v in self._parameters(request).items() if k not in extra}

    async def close(self) -> None:
        """Close connections."""
        await self._transport.close()
