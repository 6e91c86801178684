"""`openai/NAME`: OpenAI and every OpenAI-compatible server."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import ErrorKind, ProviderError
from ..parties.brokers import provider_of
from ..parties.providers import AskedParty, ClientConfig
from ..types import (
    OPENAI,
    ChatRequest,
    ChatResponse,
    Finish,
    JsonDict,
    JsonObject,
    Sampling,
    unknown_to,
)
from .api_client import ApiClient
from .errors_within import no_reply, read_body
from .http import HttpAnswer
from .keys import refuse_reserved, with_key
from .refusals import LIMITS
from .replies import finish_of, mapping, name_of, read_usage, words
from .thinking import Parts, split_thinking

if TYPE_CHECKING:
    from .batch_services import OpenAIBatches


def request_fields(
    sampling: Sampling,
    names: Sequence[str],
    refused: Collection[str],
    asked: AskedParty,
    *,
    needs_limit: bool,
) -> JsonDict:
    """Parameters under their names in a request, without those of ``--extra-body``.

    The token limit goes under the first of its `names` that the server does not refuse.

    Raises:
        ProviderError: It takes none, and one is needed, as nothing else bounds a call's cost.
    """
    sent = sampling.sent()
    for name in ("extra_body", "json_schema", "max_tokens"):
        sent.pop(name, None)
    if sampling.stop is not None:
        sent["stop"] = list(sampling.stop)
    if sampling.json_schema is not None:
        named: JsonDict = {"name": "reply", "schema": dict(sampling.json_schema), "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": named}
    if sampling.max_tokens is None:
        return sent
    limit = next((n for n in names if n not in refused), None)
    if limit is None and needs_limit:
        raise ProviderError(
            ErrorKind.INVALID_REQUEST,
            f"{asked.name} refuses {' and '.join(names)}, and without a token limit --max-cost "
            "cannot hold; ask a server that takes one, or leave --max-cost out",
            fatal=True,
        )
    return sent | ({limit: sampling.max_tokens} if limit else {})


def read_completion(
    text: str, headers: Mapping[str, str], sent: JsonObject, asked: AskedParty
) -> ChatResponse:
    """The reply in a body that came with status 200.

    Raises:
        ProviderError: There is none: of the kind that an error in the body says, else MALFORMED.
    """
    body = read_body(text, headers, asked)
    message = _choice(body).get("message")
    if not isinstance(message, dict):
        raise no_reply(text, asked)
    answer, thinking = _parts(message.get("content"))
    reasoning = _joined(message.get("reasoning_content") or message.get("reasoning"))
    refusal = _joined(message.get("refusal"))
    parts = Parts(answer, "\n".join(t for t in (reasoning, thinking) if t))
    return _response(body, headers, sent, parts, refusal)


def read_text_completion(
    text: str, headers: Mapping[str, str], sent: JsonObject, asked: AskedParty
) -> ChatResponse:
    """The same of `/v1/completions`, whose choices have a text and no message."""
    body = read_body(text, headers, asked)
    answer = _choice(body).get("text")
    if not isinstance(answer, str):
        raise no_reply(text, asked)
    return _response(body, headers, sent, split_thinking(answer))


def _choice(body: JsonObject) -> JsonObject:
    """The first choice; empty where there is none."""
    choices = body.get("choices")
    return mapping(choices[0] if isinstance(choices, list) and choices else None)


def _response(
    body: JsonObject, headers: Mapping[str, str], sent: JsonObject, parts: Parts, refusal: str = ""
) -> ChatResponse:
    finish_raw = name_of(_choice(body).get("finish_reason"))
    answer, thinking = parts
    return ChatResponse(
        text=words(answer or refusal),
        reasoning=words(thinking),
        finish=Finish.REFUSAL if refusal and not answer else finish_of(finish_raw, answer),
        finish_raw=finish_raw,
        model=name_of(body.get("model")),
        fingerprint=name_of(body.get("system_fingerprint")),
        provider=name_of(provider_of(body, headers)),
        request_id=name_of(headers.get("x-request-id")) or name_of(body.get("id")),
        usage=read_usage(body.get("usage")),
        sent=sent,
    )


def _parts(content: object) -> Parts:
    """Answer and thinking of a message's content: a text, or parts of either kind."""
    if not isinstance(content, list):
        return split_thinking(_joined(content))
    thoughts = [part for part in content if _is_thinking(part)]
    answer, thinking = split_thinking(_joined([p for p in content if not _is_thinking(p)]))
    return Parts(answer, "\n".join(t for t in (_joined(thoughts), thinking) if t))


def _is_thinking(part: object) -> bool:
    return mapping(part).get("type") in ("thinking", "reasoning")


def _joined(content: object, depth: int = 4) -> str:
    """The text in a content: itself, or that of its parts, and of their parts."""
    if isinstance(content, str) or not content or not depth:
        return content if isinstance(content, str) else ""
    if isinstance(content, list):
        return "".join(_joined(part, depth - 1) for part in content)
    part = mapping(content)
    return _joined(part.get("text") or part.get("thinking"), depth - 1)


HOST = OPENAI
BASE_URL = f"https://{HOST}/v1"


class OpenAIClient(ApiClient):
    """One model at one OpenAI-compatible endpoint."""

    def __init__(self, config: ClientConfig) -> None:
        # OpenAI's own models want max_completion_tokens; most other servers know only max_tokens.
        self._token_names = LIMITS if config.base_url else LIMITS[::-1]
        way = "completions" if config.template else "chat/completions"
        unknown = () if config.base_url else unknown_to(HOST)
        base_url = config.base_url or BASE_URL
        super().__init__(config, HOST, base_url, way, with_key(config), unknown)

    def _messages(self, request: ChatRequest) -> JsonDict:
        if template := self._config.template:
            return {"prompt": template.render(request.messages)}
        return {"messages": [{"role": m.role, "content": m.content} for m in request.messages]}

    def _read(self, answer: HttpAnswer, sent: JsonDict) -> ChatResponse:
        read = read_text_completion if self._config.template else read_completion
        return read(answer.text, answer.headers, sent, self.asked)

    def batches(self) -> "OpenAIBatches":
        """What takes requests for later, at half the price."""
        from .batch_services import OpenAIBatches

        return OpenAIBatches(self._transport, self.asked)

    def _parameters(self, request: ChatRequest) -> JsonDict:
        """What goes beside model and messages; fields of ``--extra-body`` win."""
        sampling, refused = request.sampling, self.terms.without
        extra = dict(sampling.extra_body or {})
        refuse_reserved(extra)
        needed = self._config.needs_token_limit
        sent = request_fields(sampling, self._token_names, refused, self.asked, needs_limit=needed)
        if (template := self._config.template) and template.stops:
            sent.setdefault("stop", list(template.stops))
        return {k: v for k, v in sent.items() if k not in refused} | extra
