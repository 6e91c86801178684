"""The body of an OpenAI chat completion, read as servers really send it.

Only a message in the first choice is needed; any other field may be missing or
of a wrong type, and then is as if it were not there.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..text import is_blank, readable
from ..types import ChatResponse, Finish
from .failures import malformed
from .keys import redact
from .parties import Asked
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
_LONGEST_NAME = 200


def read_completion(
    text: str, headers: Mapping[str, str], sent: Mapping[str, Any], asked: Asked
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
        usage=read_usage(body.get("usage")),
        sent=sent,
    )


def read_json(text: str) -> Any:
    """The value in a text; ``None`` when it is no JSON.

    A byte-order mark before it is no part of it, and a number with more digits than Python reads
    is none of ours and spoils no reply.
    """
    text = text.removeprefix("\ufeff")
    for parse_int in (None, _readable_int):
        try:
            return json.loads(text, parse_int=parse_int)
        except (ValueError, RecursionError):
            continue
    return None


def _readable_int(digits: str) -> float | int:
    try:
        return int(digits)
    except ValueError:
        return float(digits)


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
    return mapping(part).get("type") in ("thinking", "reasoning")


def _joined(content: Any, depth: int = 4) -> str:
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
