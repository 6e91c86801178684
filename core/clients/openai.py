"""`openai/NAME`: OpenAI and every OpenAI-compatible server, through the openai SDK.

The SDK sends (over aiohttp, four times cheaper than its default here) and
raises; bodies are read by us, as the SDK passes HTML, ``{}`` and error objects
with status 200 as replies. It never sees ``OPENAI_*`` variables, which it would
send to any host. Parameters that a model refuses are left out from then on,
and `ChatResponse.sent` shows what went.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..errors import ErrorKind, ProviderError
from ..types import ChatRequest, ChatResponse, Finish, Usage
from .base import CallContext, ClientConfig, host_of
from .failures import Failure, connection_error, error_parts, malformed, provider_error
from .keys import redact
from .thinking import split_thinking

HOST = "api.openai.com"
_FINISH = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "content_filter": Finish.CONTENT_FILTER,
    None: Finish.STOP,
}
_BODY_ONLY = ("min_p",)  # known to servers, not to the SDK's signature
_CONNECT_S = 20.0


@contextmanager
def _without_variables(prefix: str) -> Iterator[None]:
    hidden = {k: os.environ.pop(k) for k in list(os.environ) if k.startswith(prefix)}
    try:
        yield
    finally:
        os.environ.update(hidden)


class OpenAIClient:
    """One model at one OpenAI-compatible endpoint."""

    def __init__(self, config: ClientConfig) -> None:
        import openai

        self._config = config
        self._host = host_of(config.base_url) if config.base_url else HOST
        # OpenAI's own models want max_completion_tokens; most other servers know only max_tokens.
        self._tokens_name = "max_tokens" if config.base_url else "max_completion_tokens"
        self._refused: set[str] = set()
        self._errors = (openai.APIStatusError, openai.APIConnectionError)
        limits = type(openai.DEFAULT_CONNECTION_LIMITS)
        with _without_variables("OPENAI_"):
            self._sdk = openai.AsyncOpenAI(
                api_key=config.key or "no-key",
                base_url=config.base_url or f"https://{HOST}/v1",
                max_retries=0,
                default_headers=dict(config.headers),
                http_client=openai.DefaultAioHttpClient(
                    limits=limits(max_connections=config.concurrency),
                    timeout=openai.Timeout(None, connect=_CONNECT_S),
                    follow_redirects=False,
                ),
            )

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply, asked once; once more for each parameter the model refuses."""
        while True:
            sent = self._parameters(request)
            try:
                raw = await self._post(request, sent)
            except ProviderError as error:
                if not self._leave_out(error, sent):
                    raise
                continue
            return self._read(raw.text, dict(raw.headers), sent)

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        sent = request.sampling.sent()
        if "max_tokens" in sent:
            sent[self._tokens_name] = sent.pop("max_tokens")
        if schema := sent.pop("json_schema", None):
            sent["response_format"] = _response_format(schema)
        return {k: v for k, v in sent.items() if k not in self._refused}

    async def _post(self, request: ChatRequest, sent: Mapping[str, Any]) -> Any:
        named = dict(sent)
        body = dict(named.pop("extra_body", None) or {})
        body.update({k: named.pop(k) for k in _BODY_ONLY if k in named})
        if "stop" in named:
            named["stop"] = list(named["stop"])
        messages: Any = [{"role": m.role, "content": m.content} for m in request.messages]
        try:
            return await self._sdk.chat.completions.with_raw_response.create(
                model=self._config.model.name,
                messages=messages,
                extra_body=body or None,
                **named,
            )
        except self._errors as error:
            failed = self._failure(error)
        except json.JSONDecodeError as error:
            failed = malformed(self._host, error.doc)
        raise failed from None  # the SDK's error holds the request, and with it the key

    def _failure(self, error: Any) -> ProviderError:
        response = getattr(error, "response", None)
        if response is None:
            return connection_error(self._host, error.__cause__ or error)
        message, code, parameter = error_parts(error.body or response.text)
        failure = Failure(response.status_code, message, code, response.headers)
        made = provider_error(failure, self._host, self._config.key_name)
        made.parameter = parameter
        return made

    def _leave_out(self, error: ProviderError, sent: Mapping[str, Any]) -> bool:
        """Whether the request is worth sending again without the parameter it failed on."""
        name = error.parameter
        if error.kind != ErrorKind.INVALID_REQUEST or name not in sent:
            return False
        if name == "max_tokens":
            self._tokens_name = "max_completion_tokens"
        else:
            self._refused.add(name)
        return True

    def _read(self, text: str, headers: Mapping[str, str], sent: dict[str, Any]) -> ChatResponse:
        body = _json_object(text)
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict) or not isinstance(choice, dict):
            raise malformed(self._host, text)
        finish_raw = choice.get("finish_reason")
        answer, thinking = split_thinking(_text(message.get("content")))
        own = _text(message.get("reasoning_content") or message.get("reasoning"))
        refusal = _text(message.get("refusal"))
        return ChatResponse(
            text=redact.literal(answer or refusal),
            reasoning=redact.literal("\n".join(t for t in (own, thinking) if t)),
            finish=_finish(finish_raw, answer, refusal),
            finish_raw=finish_raw,
            model=body.get("model"),
            fingerprint=body.get("system_fingerprint"),
            request_id=headers.get("x-request-id") or body.get("id"),
            usage=_usage(body.get("usage")),
            sent=sent,
        )

    async def close(self) -> None:
        """Close connections."""
        await self._sdk.close()


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": "reply", "schema": schema, "strict": True}
    return {"type": "json_schema", "json_schema": named}


def _json_object(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _text(content: Any) -> str:
    """The text of a message's content, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(str(p.get("text", "")) for p in content if isinstance(p, dict))
    return content if isinstance(content, str) else ""


def _finish(raw: str | None, answer: str, refusal: str) -> Finish:
    if refusal and not answer:
        return Finish.REFUSAL
    finish = _FINISH.get(raw, Finish.OTHER)
    return Finish.EMPTY if finish == Finish.STOP and not answer.strip() else finish


def _usage(raw: Any) -> Usage:
    if not isinstance(raw, dict):
        return Usage()
    prompt = raw.get("prompt_tokens_details") or {}
    completion = raw.get("completion_tokens_details") or {}
    return Usage(
        input=raw.get("prompt_tokens") or 0,
        cached=prompt.get("cached_tokens") or 0,
        cache_write=prompt.get("cache_write_tokens") or 0,
        output=raw.get("completion_tokens") or 0,
        reasoning=completion.get("reasoning_tokens") or 0,
    )
