"""The body of an OpenAI chat completion, read as servers really send it, and a request's format.

Only a message in the first choice is needed; any other field may be missing or
of a wrong type, and then is as if it were not there.
"""

from collections.abc import Collection, Mapping, Sequence

from ..parties.providers import AskedParty
from ..text import is_blank
from ..types import ChatResponse, Finish, JsonDict, JsonObject, Sampling
from .bodies import name_of, read_json, words
from .failures import malformed
from .refused import token_limit
from .thinking import Parts, split_thinking
from .usage import mapping, read_usage

_FINISH = {
    "stop": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "end_turn": Finish.STOP,
    "eos": Finish.STOP,
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "model_length": Finish.LENGTH,
    "content_filter": Finish.CONTENT_FILTER,
    None: Finish.STOP,
}


def response_format(schema: JsonObject) -> JsonDict:
    """The field of a request that asks for a reply of a JSON schema."""
    named: JsonDict = {"name": "reply", "schema": dict(schema), "strict": True}
    return {"type": "json_schema", "json_schema": named}


def request_fields(
    sampling: Sampling,
    names: Sequence[str],
    refused: Collection[str],
    asked: AskedParty,
    *,
    needs_limit: bool,
) -> JsonDict:
    """Parameters under their names in a request, without those of ``--extra-body``.

    Args:
        sampling: What is wanted.
        names: Of the token limit; the first that is not refused is sent.
        refused: Names that the server does not take.
        asked: The server, for messages.
        needs_limit: A request without a token limit must not be sent.

    Raises:
        ProviderError: There is none that the server takes.
    """
    sent, most = sampling.sent(), sampling.max_tokens
    for name in ("extra_body", "json_schema", "max_tokens"):
        sent.pop(name, None)
    if sampling.stop is not None:
        sent["stop"] = list(sampling.stop)
    if sampling.json_schema is not None:
        sent["response_format"] = response_format(sampling.json_schema)
    if most is not None:
        sent |= token_limit(most, names, refused, asked.name, needed=needs_limit)
    return sent


def read_completion(
    text: str, headers: Mapping[str, str], sent: JsonObject, asked: AskedParty
) -> ChatResponse:
    """The reply in a body that came with status 200.

    Raises:
        ProviderError: There is none; kind MALFORMED.
    """
    body = mapping(read_json(text))
    choices = body.get("choices")
    choice = mapping(choices[0] if isinstance(choices, list) and choices else None)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise malformed(asked, text)
    finish_raw = name_of(choice.get("finish_reason"))
    answer, thinking = _parts(message.get("content"))
    own = _joined(message.get("reasoning_content") or message.get("reasoning"))
    refusal = _joined(message.get("refusal"))
    return ChatResponse(
        text=words(answer or refusal),
        reasoning=words("\n".join(t for t in (own, thinking) if t)),
        finish=_finish(finish_raw, answer, refusal),
        finish_raw=finish_raw,
        model=name_of(body.get("model")),
        fingerprint=name_of(body.get("system_fingerprint")),
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


def _finish(raw: str | None, answer: str, refusal: str) -> Finish:
    if refusal and not answer:
        return Finish.REFUSAL
    finish = _FINISH.get(raw and raw.lower(), Finish.OTHER)
    return Finish.EMPTY if finish == Finish.STOP and is_blank(answer) else finish
