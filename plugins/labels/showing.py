"""What people see of a transcript: who said what, without the names of models."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from eibench import StoredRun

HIDDEN = "[a model]"
_VENDORS = (
    r"chat ?gpt|gpt-?\d[\w.-]*|claude|gemini|llama|qwen|deepseek|mistral|mixtral|gemma|grok|kimi"
    r"|openai|anthropic|google deepmind|meta ai|alibaba cloud|moonshot ai"
)


class ShownTurn(NamedTuple):
    """One turn: ``user`` or ``assistant``, and the text."""

    who: str
    text: str


def turns_of(run: StoredRun, item_id: str, iteration: int) -> list[ShownTurn]:
    """The talk of a sample in its order, without system messages and hidden thought.

    Of calls whose talk a later one goes on with, the later one has it all.
    """
    calls = [
        call for call in run.transcript(item_id, iteration)["calls"] if call["phase"] == "generate"
    ]
    talks = [
        [ShownTurn(role, text) for role, text in call["messages"] or () if role != "system"]
        + [ShownTurn("assistant", call["text"])]
        for call in calls
    ]
    whole = [
        talk
        for n, talk in enumerate(talks)
        if not any(later[: len(talk)] == talk for later in talks[n + 1 :])
    ]
    # Of an answer that was asked for again only the last counts.
    return [turn for talk in _last_of_each(whole) for turn in talk]


def _last_of_each(talks: Sequence[list[ShownTurn]]) -> list[list[ShownTurn]]:
    return list({json.dumps(talk[:-1]): talk for talk in talks}.values())


def blinded(turns: Sequence[ShownTurn], names: Iterable[str]) -> list[ShownTurn]:
    """Turns of models without models' names; a name that the prompt has too is nobody's there."""
    asked = " ".join(turn.text for turn in turns if turn.who != "assistant").casefold()
    words = {part for name in names for part in (name, name.rpartition("/")[2]) if len(part) > 2}
    wanting = sorted((re.escape(w) for w in words if w.casefold() not in asked), key=len)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join([*wanting[::-1], _VENDORS])})(?!\w)", re.I)

    def hide(match: re.Match[str]) -> str:
        return match[0] if match[0].casefold() in asked else HIDDEN

    return [
        ShownTurn(turn.who, pattern.sub(hide, turn.text) if turn.who == "assistant" else turn.text)
        for turn in turns
    ]


def digest(value: object) -> str:
    """Of what is shown: 16 hexadecimal digits."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
