"""The yes/no judge: a few questions about one reply, each answered with 1 or 0.

The prompt asks for a JSON object. Lines such as ``PASS: 1`` are read as well,
where they leave no doubt: every question has a line, and every place that
answers a question answers it alike. A bare "Yes." counts only where a single
question was asked. Nothing is ever taken from running text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eibench import ChatResponse, JsonObject, Message, Model
from eibench.core.types import Finish

from .asking import Outcome, Reading, ask, object_schema
from .lines import CLOSING, OPENING, labelled
from .quoting import MORE_FOLLOWS, Quotable, says_more
from .replies import read_object
from .rewriting import takes_leave

REASON = "reason"
"""The key for what the judge thinks before it decides; asked for, not required."""
_FORM = "Reply with the JSON object alone: {names}, each once, as 1 for yes or 0 for no."
_YES, _NO = ("1", "yes", "true"), ("0", "no", "false")
_WORD = r"(?<![\w.,/-])({})(?![\w/%-]|[.,]\d)"
_ANSWER = _WORD.format("|".join((*_YES, *_NO)))


@dataclass(frozen=True, slots=True)
class Questions:
    """What a judge is asked about a reply.

    Attributes:
        names: Of the questions, in the order they are asked.
        needs: Questions that can be answered with yes only where another one is, and which.
    """

    names: tuple[str, ...]
    needs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answers:
    """What a judge says of one reply.

    Attributes:
        values: 1 or 0 for each question.
        reason: The judge's own words, if it gave any.
    """

    values: Mapping[str, int]
    reason: str = ""


def answer_form(questions: Questions, reason: str) -> str:
    """The form that a prompt shows.

    Args:
        questions: What is asked.
        reason: What stands in the place of the judge's reason.
    """
    shown = "".join(f',\n  "{name}": 0 or 1' for name in questions.names)
    return f'{{\n  "{REASON}": "{reason}"{shown}\n}}'


def schema(questions: Questions) -> dict[str, Any]:
    """The form as a JSON schema, for providers that hold a reply to one."""
    bits = {name: {"type": "integer", "enum": [0, 1]} for name in questions.names}
    return object_schema(REASON, bits)


async def ask_yes_no(
    judge: Model, messages: Sequence[Message], questions: Questions, *, cache_prefix: int = 0
) -> Outcome[Answers]:
    """A judge's answers about one reply.

    Args:
        judge: The model to ask.
        messages: The prompt, with the reply in it.
        questions: What it asks.
        cache_prefix: How many leading messages many prompts share.

    Raises:
        ProviderError: No reply could be had.
        MissingCall: Offline, and the journal does not hold a reply.
    """
    return await ask(
        judge,
        messages,
        lambda response: read_answers(response, questions, messages),
        form=_FORM.format(names=", ".join(questions.names)),
        cache_prefix=cache_prefix,
        json_schema=schema(questions),
    )


def read_answers(
    response: ChatResponse, questions: Questions, prompt: Sequence[Message] = ()
) -> Reading[Answers]:
    """The answers, if the reply ends with one to every question and they go together.

    With a reason beside them they are read with tolerance. Flags: those of `read_object`;
    ``answer as text`` for ``"1"`` or ``yes``; ``lines`` where they stand in lines; ``comment``
    where more follows on such a line; ``bare`` for "Yes.".

    Args:
        response: The judge's reply.
        questions: What it was asked.
        prompt: What it was sent: what it may quote from there is no answer.
    """
    quotable = Quotable(prompt, questions.names, REASON)
    reading = _going_together(_stated(response, questions, quotable), questions)
    if reading.value is not None:
        return reading
    otherwise = read_object(response, questions.names, quotable, tolerant=True)
    if otherwise.value is None:
        return reading
    answers = _of_object(otherwise.value, questions, otherwise.flags)
    if answers.value is not None:
        answers = _agreeing(answers, response.text, questions, quotable)
    answers = _going_together(answers, questions)
    return reading if answers.value is None else answers._replace(reason=reading.reason)


def _going_together(reading: Reading[Answers], questions: Questions) -> Reading[Answers]:
    """The same, unless one answer contradicts another."""
    if reading.value is None:
        return Reading(None, reading.reason)
    values = reading.value.values
    for name, other in questions.needs.items():
        if values[name] and not values[other]:
            return Reading(None, f"{name} is 1 although {other} is 0")
    return reading


def _stated(response: ChatResponse, questions: Questions, quotable: Quotable) -> Reading[Answers]:
    """What the reply says, before it is asked whether it makes sense."""
    text = response.text
    keys = [key for name in questions.names for key in dict.fromkeys(_spellings(name))]
    read = read_object(response, keys, quotable)
    if read.value is not None:
        answers = _of_object(read.value, questions, read.flags)
        return answers if answers.value is None else _agreeing(answers, text, questions, quotable)
    lines = _read_lines(text, questions)
    if lines.bits and "{" not in text and not _unusable(response):
        return _of_lines(lines, questions, quotable)
    if not _unusable(response) and (bare := _bare(text, questions)) is not None:
        return Reading(Answers({questions.names[0]: bare}), None, ("bare",))
    if read.reason == "no JSON in the reply":
        return Reading(None, "neither JSON nor a line for each question")
    return Reading(None, read.reason)


def _unusable(response: ChatResponse) -> bool:
    """Whether it is a refusal, or was cut off: of ``WIN: 0`` the rest may be missing."""
    return response.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER, Finish.LENGTH)


def _spellings(name: str) -> tuple[str, str, str]:
    return name, name.lower(), name.capitalize()


def _of_object(reply: JsonObject, questions: Questions, flags: tuple[str, ...]) -> Reading[Answers]:
    values: dict[str, int] = {}
    as_text = False
    for name in questions.names:
        raw = [reply[key] for key in dict.fromkeys(_spellings(name)) if key in reply]
        if not raw:
            return Reading(None, f"it lacks {name}")
        bits = {_bit(value) for value in raw}
        bit = bits.pop()
        if bit is None or bits:
            return Reading(None, f"{name}: not 1 or 0")
        values[name] = bit
        as_text |= any(isinstance(value, str) for value in raw)
    own_words = reply.get(REASON)
    reason = own_words if isinstance(own_words, str) else ""
    return Reading(Answers(values, reason), None, (*flags, *["answer as text"] * as_text))


def _bit(value: object) -> int | None:
    if isinstance(value, str):
        word = value.strip().lower().removesuffix(".")
        return 1 if word in _YES else 0 if word in _NO else None
    if isinstance(value, bool | int | float) and value in (0, 1):
        return int(value)
    return None


class _Lines(NamedTuple):
    """What the lines of a reply say.

    Attributes:
        bits: By question every answer to it; ``None`` among them for one that could not be read.
        as_text: Whether one is a word.
        comment: Whether more stands on the line of one.
        rest: What follows the last of those lines.
    """

    bits: Mapping[str, set[int | None]]
    as_text: bool
    comment: bool
    rest: str


def _read_lines(text: str, questions: Questions) -> _Lines:
    answers: dict[str, set[int | None]] = {}
    as_text = comment = False
    after: list[str] = []
    for line in text.splitlines():
        after.append(line)
        for name, rest in labelled(line, questions.names):
            after.clear()
            match = re.match(f"{OPENING}{_ANSWER}{CLOSING}", rest, re.IGNORECASE)
            more = rest[match.end() :] if match else ""
            word = match[1].lower() if match and _leaves_as_is(match[1], more) else ""
            answers.setdefault(name, set()).add(_bit(word))
            as_text |= word.isalpha()
            comment |= bool(re.search(r"\w", more))
    return _Lines(answers, as_text, comment, "\n".join(after))


def _leaves_as_is(answer: str, more: str) -> bool:
    """Whether what follows an answer on its line is nothing, or a comment on it.

    A comment is set off by a mark, and holds no further answer of the same kind.
    """
    if not re.search(r"\w", more):
        return "?" not in more
    same_kind = ("1", "0") if answer.isdigit() else [w for w in (*_YES, *_NO) if w.isalpha()]
    again = re.search(_WORD.format("|".join(same_kind)), more, re.IGNORECASE)
    return bool(re.match(r"\s*(?:[(,;.:–—]|--?\s)", more)) and not again


def _of_lines(lines: _Lines, questions: Questions, quotable: Quotable) -> Reading[Answers]:
    if quotable.holds_part:
        return Reading(None, quotable.why)
    more = says_more(lines.rest)
    if more and not takes_leave(lines.rest, questions.names):
        return Reading(None, MORE_FOLLOWS)
    values: dict[str, int] = {}
    for name in questions.names:
        bits = lines.bits.get(name, set())
        if len(bits) > 1:
            return Reading(None, MORE_FOLLOWS if more else f"{name} is answered in two ways")
        bit = next(iter(bits), None)
        if bit is None:
            wrong = f"{name}: not 1 or 0" if bits else f"it lacks {name}"
            return Reading(None, MORE_FOLLOWS if more else wrong)
        values[name] = bit
    flags = ["lines", *["answer as text"] * lines.as_text, *["comment"] * lines.comment]
    flags += ["closing words"] * more
    return Reading(Answers(values), MORE_FOLLOWS if more else None, tuple(flags))


def _agreeing(
    reading: Reading[Answers], text: str, questions: Questions, quotable: Quotable
) -> Reading[Answers]:
    """An object's answers, unless lines before it say something else.

    Where they may be quoted, they say nothing.
    """
    assert reading.value is not None
    before = "" if quotable.holds_part else text[: text.find("{")]
    lines = _read_lines(before, questions)
    for name, bits in lines.bits.items():
        if bits - {reading.value.values[name], None}:
            return Reading(None, f"{name} is answered in two ways")
    return reading._replace(flags=(*reading.flags, *["lines"] * bool(lines.bits)))


def _bare(text: str, questions: Questions) -> int | None:
    """The answer to the only question, where the reply is a single word."""
    return _bit(re.sub(r"[*_`!\s]", "", text)) if len(questions.names) == 1 else None
