"""What a reply holds beside its words, and the tokens of a call as servers count them.

In a chat completion's ``usage`` `completion_tokens` is not always all that was written and billed:
some servers (xAI's, several gateways to Gemini) count reasoning beside it, and it stands in the
total alone. A count may be missing or of any type; then it is as if it were not there.
"""

import json
from collections.abc import Mapping

from ..parties.providers import MOST_TOKENS
from ..text import is_blank, readable
from ..types import Finish, JsonObject, Usage
from .keys import redact

_DIGITS = 16  # of MOST_TOKENS
_LONGEST_NAME = 200
_FINISH: Mapping[str | None, Finish] = {
    **dict.fromkeys((None, "stop", "stop_sequence", "end_turn", "eos"), Finish.STOP),
    **dict.fromkeys(("length", "max_tokens", "model_length"), Finish.LENGTH),
    "model_context_window_exceeded": Finish.LENGTH,
    "content_filter": Finish.CONTENT_FILTER,
    "refusal": Finish.REFUSAL,
}
"""What servers say of how a reply ended."""


def words(text: str) -> str:
    """A model's words as they can be stored, without known keys."""
    return redact.reply(readable(text))


def name_of(value: object) -> str | None:
    """An identifier of the server's; ``None`` when it sent none."""
    return words(value)[:_LONGEST_NAME] if isinstance(value, str) and value else None


def finish_of(raw: str | None, answer: str) -> Finish:
    """How a reply ended whose answer is this, by the server's word for it."""
    finish = _FINISH.get(raw and raw.lower(), Finish.OTHER)
    return Finish.EMPTY if finish == Finish.STOP and is_blank(answer) else finish


def read_json(text: str) -> object:
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


def json_object(text: str) -> JsonObject:
    """The JSON object in a text; an empty one when there is none."""
    return mapping(read_json(text))


def _readable_int(digits: str) -> float | int:
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def read_usage(raw: object) -> Usage:
    """Tokens by kind: thinking is part of the output, what came from a cache of the input.

    Output is whatever the total leaves beside the prompt, where that is more than
    `completion_tokens`, and reasoning that does not fit into `completion_tokens` stands beside it.
    """
    usage = mapping(raw)
    asked, written = (mapping(usage.get(f"{of}_tokens_details")) for of in ("prompt", "completion"))
    reasoning = count(written.get("reasoning_tokens")) or count(usage.get("reasoning_tokens"))
    completion, total = count(usage.get("completion_tokens")), count(usage.get("total_tokens"))
    output = whole_output(completion, reasoning)
    taken = count(usage.get("prompt_tokens"))
    if completion and not taken:
        taken = max(0, total - output)
    cached = min(count(asked.get("cached_tokens")), taken)
    return Usage(
        input=taken,
        cached=cached,
        cache_write=min(count(asked.get("cache_write_tokens")), taken - cached),
        output=max(output, total - taken),
        reasoning=reasoning,
    )


def whole_output(output: int, reasoning: int) -> int:
    """All that was written: `output` itself, and the reasoning too if it cannot be part of it."""
    return output + reasoning if reasoning > output else output


def mapping(value: object) -> JsonObject:
    """A JSON object; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def count(value: object) -> int:
    """A number of tokens, from 0 on; 0 for whatever is none."""
    if type(value) is int:
        return value if 0 <= value < MOST_TOKENS else 0
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _DIGITS:
        return count(int(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value < MOST_TOKENS else 0
