"""The body of an Anthropic message: made from a request, read as servers really send it.

Only a list of content blocks is needed; any other field may be missing or of a
wrong type, and then is as if it were not there.
"""

from collections.abc import Mapping, Sequence

from ..parties.providers import AskedParty
from ..text import is_blank
from ..types import ChatRequest, ChatResponse, Finish, JsonDict, JsonObject, Usage
from .bodies import name_of, read_json, words
from .failures import malformed
from .thinking import split_thinking
from .usage import count, mapping, whole_output

_FINISH = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSAL,
    None: Finish.STOP,
}
_CACHED: JsonDict = {"cache_control": {"type": "ephemeral"}}


def conversation(request: ChatRequest) -> JsonDict:
    """System prompt and messages, with a mark where the prefix ends that requests share."""
    system: list[JsonDict] = []
    messages: list[JsonDict] = []
    for n, (role, content) in enumerate(request.messages, 1):
        marked: JsonDict = _CACHED if content and n == request.cache_prefix else {}
        block: JsonDict = {"type": "text", "text": content, **marked}
        if role == "system":
            system.append(block)
        else:
            messages.append({"role": role, "content": [block] if marked else content})
    return {"system": system, "messages": messages} if system else {"messages": messages}


def read_message(
    text: str, headers: Mapping[str, str], sent: JsonObject, asked: AskedParty
) -> ChatResponse:
    """The reply in a body that came with status 200.

    Raises:
        ProviderError: There is none; kind MALFORMED.
    """
    body = mapping(read_json(text))
    blocks = body.get("content")
    if not isinstance(blocks, list):
        raise malformed(asked, text)
    finish_raw = name_of(body.get("stop_reason"))
    answer, tagged = split_thinking(_joined(blocks, "text"))
    thinking = "\n".join(t for t in (_joined(blocks, "thinking"), tagged) if t)
    return ChatResponse(
        text=words(answer or _refusal(body)),
        reasoning=words(thinking),
        finish=_finish(finish_raw, answer),
        finish_raw=finish_raw,
        model=name_of(body.get("model")),
        request_id=name_of(headers.get("request-id") or headers.get("x-request-id"))
        or name_of(body.get("id")),
        usage=_usage(mapping(body.get("usage"))),
        sent=sent,
    )


def _joined(blocks: Sequence[object], kind: str) -> str:
    """The text of all blocks of a kind, which is also the name of the field it is in."""
    of_kind = (mapping(b).get(kind) for b in blocks if mapping(b).get("type") == kind)
    return "".join(text for text in of_kind if isinstance(text, str))


def _refusal(body: JsonObject) -> str:
    """The words of a refusal, which stand in for the answer that there is not."""
    words = mapping(body.get("stop_details")).get("explanation")
    return words if body.get("stop_reason") == "refusal" and isinstance(words, str) else ""


def _finish(raw: str | None, answer: str) -> Finish:
    finish = _FINISH.get(raw, Finish.OTHER)
    return Finish.EMPTY if finish == Finish.STOP and is_blank(answer) else finish


def _usage(raw: JsonObject) -> Usage:
    """Here, unlike elsewhere, the server's input tokens do not include those of the cache."""
    read = count(raw.get("cache_read_input_tokens"))
    written = count(raw.get("cache_creation_input_tokens"))
    thinking = count(mapping(raw.get("output_tokens_details")).get("thinking_tokens"))
    return Usage(
        input=count(raw.get("input_tokens")) + read + written,
        cached=read,
        cache_write=written,
        output=whole_output(count(raw.get("output_tokens")), thinking),
        reasoning=thinking,
    )
