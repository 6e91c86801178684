"""The body of an OpenAI chat completion, read as servers really send it.

Only a message in the first choice is needed; any other field may be missing or
of a wrong type, and then is as if it were not there.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..types import ChatResponse, Finish, Usage
from .failures import malformed, readable
from .keys import redact
from .thinking import Parts, split_thinking

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
_MOST_TOKENS = 2**53
_LONGEST_NAME = 200


def read_completion(
    text: str, headers: Mapping[str, str], sent: Mapping[str, Any], host: str
) -> ChatResponse:
    """The reply in a body that came with status 200.

    Raises:
        ProviderError: There is none; kind MALFORMED.
    """
    body = _mapping(_json(text))
    choices = body.get("choices")
    choice = _mapping(choices[0] if isinstance(choices, list) and choices else None)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise malformed(host, text)
    finish_raw = _name(choice.get("finish_reason"))
    answer, thinking = _parts(message.get("content"))
    own = _joined(message.get("reasoning_content") or message.get("reasoning"))
    refusal = _joined(message.get("refusal"))
    return ChatResponse(
        text=_words(answer or refusal),
        reasoning=_words("\n".join(t for t in (own, thinking) if t)),
        finish=_finish(finish_raw, answer, refusal),
        finish_raw=finish_raw,
        model=_name(body.get("model")),
        fingerprint=_name(body.get("system_fingerprint")),
        request_id=_name(headers.get("x-request-id")) or _name(body.get("id")),
        usage=_usage(_mapping(body.get("usage"))),
        sent=sent,
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _words(text: str) -> str:
    return redact.reply(readable(text))


def _name(value: Any) -> str | None:
    """An identifier of the server's; ``None`` when it sent none."""
    return _words(value)[:_LONGEST_NAME] if isinstance(value, str) and value else None


def _parts(content: Any) -> Parts:
    """Answer and thinking of a message's content: a text, or parts of either kind."""
    if not isinstance(content, list):
        return split_thinking(_joined(content))
    thoughts = [part for part in content if _is_thinking(part)]
    answer, thinking = split_thinking(_joined([p for p in content if not _is_thinking(p)]))
    return Parts(answer, "\n".join(t for t in (_joined(thoughts), thinking) if t))


def _is_thinking(part: Any) -> bool:
    return _mapping(part).get("type") in ("thinking", "reasoning")


def _joined(content: Any, depth: int = 4) -> str:
    """The text in a content: itself, or that of its parts, and of their parts."""
    if isinstance(content, str) or not content or not depth:
        return content if isinstance(content, str) else ""
    if isinstance(content, list):
        return "".join(_joined(part, depth - 1) for part in content)
    part = _mapping(content)
    return _joined(part.get("text") or part.get("thinking"), depth - 1)


def _finish(raw: str | None, answer: str, refusal: str) -> Finish:
    if refusal and not answer:
        return Finish.REFUSAL
    finish = _FINISH.get(raw and raw.lower(), Finish.OTHER)
    return Finish.EMPTY if finish == Finish.STOP and not answer.strip() else finish


def _usage(raw: Mapping[str, Any]) -> Usage:
    prompt = _mapping(raw.get("prompt_tokens_details"))
    completion = _mapping(raw.get("completion_tokens_details"))
    return Usage(
        input=_count(raw.get("prompt_tokens")),
        cached=_count(prompt.get("cached_tokens")),
        cache_write=_count(prompt.get("cache_write_tokens")),
        output=_count(raw.get("completion_tokens")),
        reasoning=_count(completion.get("reasoning_tokens")),
    )


def _count(value: Any) -> int:
    is_one = isinstance(value, int | float) and 0 <= value < _MOST_TOKENS
    return int(value) if is_one else 0
