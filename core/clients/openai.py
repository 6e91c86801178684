"""`openai/NAME`: OpenAI and every OpenAI-compatible server.

Bodies are made and read here. They are carried over aiohttp itself, or by the openai SDK for
Azure and where that is asked for; it makes no difference to what is sent and read. Parameters
that a model refuses are left out from then on, and `ChatResponse.sent` shows what went.
"""

from collections.abc import Collection
from urllib.parse import urlsplit

from ..errors import ErrorKind, ProviderError
from ..parties.providers import CallContext, ClientConfig
from ..types import OPENAI, ChatRequest, ChatResponse, JsonDict, unknown_to
from .bodies import read_json
from .chat_completion import read_completion, request_fields
from .failures import HttpFailure, error_parts, provider_error, refused_parameter
from .http import HttpAnswer, HttpTransport, Transport
from .keys import OURS, refuse_reserved, with_key

HOST = OPENAI
BASE_URL = f"https://{HOST}/v1"
_AZURE = ".azure.com"


class OpenAIClient:
    """One model at one OpenAI-compatible endpoint.

    Attributes:
        asked: What messages call the endpoint.
    """

    def __init__(self, config: ClientConfig) -> None:
        self.asked = config.asked(HOST)
        self._config = config
        # OpenAI's own models want max_completion_tokens; most other servers know only max_tokens.
        names = ("max_tokens", "max_completion_tokens")
        self._token_names = names if config.base_url else names[::-1]
        self._refused = set[str]() if config.base_url else set(unknown_to(HOST))
        self._transport = self._connect(config.base_url or BASE_URL)

    def _connect(self, base_url: str) -> Transport:
        config, headers = self._config, with_key(self._config)
        is_azure = (urlsplit(base_url).hostname or "").endswith(_AZURE)
        if is_azure or config.transfer.by == "sdk":
            from .sdk_transports import OpenAISdk

            return OpenAISdk(base_url, headers, config, self.asked)
        return HttpTransport(f"{base_url}/chat/completions", headers, config, self.asked)

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; once more for each parameter the model refuses."""
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        while True:
            sent = self._parameters(request)
            body = {"messages": messages, "model": self._config.model.name, **sent}
            answer = await self._transport.post(body)
            if answer.status < 300:
                return read_completion(answer.text, answer.headers, sent, self.asked)
            insisted_on = request.sampling.extra_body or {}
            error = self._failure(answer, [n for n in sent if n not in insisted_on])
            if not error.parameter:
                raise error
            self._refused.add(error.parameter)

    def _parameters(self, request: ChatRequest) -> JsonDict:
        """What goes beside model and messages; fields of ``--extra-body`` win."""
        sampling = request.sampling
        extra = dict(sampling.extra_body or {})
        refuse_reserved(extra, OURS)
        names, refused, needed = self._token_names, self._refused, self._config.needs_token_limit
        sent = request_fields(sampling, names, refused, self.asked, needs_limit=needed)
        return {k: v for k, v in sent.items() if k not in refused} | extra

    def _failure(self, answer: HttpAnswer, optional: Collection[str]) -> ProviderError:
        message, code, parameter = error_parts(read_json(answer.text) or answer.text)
        failure = HttpFailure(answer.status, message, code, answer.headers, parameter)
        made = provider_error(failure, self.asked)
        if made.kind == ErrorKind.INVALID_REQUEST:
            made.parameter = refused_parameter(failure, optional)
        return made

    async def close(self) -> None:
        """Close connections."""
        await self._transport.close()
