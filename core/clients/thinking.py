"""Thinking in the text of a reply, told from the answer by the marks that models put around it.

`FORMS` are the marks that are documented, with whose they are. Beside them stands one rule for
marks that nobody has listed: a pair of tags at the very start whose name says that it is thinking.
Only thinking at the start counts: a mark in the middle of an answer is part of it. An unclosed one
at the start means that the reply was cut off, or ended, while still thinking: then there is no
answer. A closing mark alone means that the chat template opened it.

OpenAI's harmony has channels instead: `analysis`, `commentary`, and `final`, which is the answer.
A server that strips its special tokens leaves ``analysis...assistantfinal...``.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..types import Message
from .thinking_forms import FORMS, ThinkingForm


class Parts(NamedTuple):
    """A reply's answer and its thinking."""

    answer: str
    thinking: str


class _Thought(NamedTuple):
    """Where thinking begins and ends, where what follows begins, and by which form, if by one."""

    start: int
    end: int
    rest: int
    form: ThinkingForm | None


def _compiled(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


def _any(patterns: Iterable[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)


_KIN = frozenset(("think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "cot"))
"""Words in the name of a tag that say that it is thinking."""
_LIKE_KIN = frozenset(
    (
        "analysis",
        "reflection",
        "plan",
        "planning",
        "internal",
        "inner",
        "rationale",
        "monologue",
        "reason",
    )
)
"""Words that may say so."""
_BLANKS = re.compile(r"\s*")
_BEGINS = frozenset("<[◁/Ht")
"""The first characters of all openings."""
_OPENINGS = [(form, _compiled(form.opening), _compiled(form.closing)) for form in FORMS]
_ALONE = [form for form in FORMS if form.alone]
_MARK = _compiled(
    f"(?P<alone>{_any(form.closing for form in _ALONE)})"
    f"|{_any(form.opening for form in _ALONE if not form.must_close)}"
)
_MARK_BEGINS = re.compile(r"[<\[◁]")  # looked for first: texts are long, and marks are few
_AROUND = {form.around: tuple(map(_compiled, form.around)) for form in FORMS if form.around}
_SPECIAL_AROUND = [around for around in _AROUND if r"\|" in around[0]]
_TAG = re.compile(r"<([A-Za-z][\w:.|-]{1,40})>|\[([A-Z][A-Z_ ]{1,40})\]", re.ASCII)
_TOKEN = re.compile(
    r"<\|[^|>\s]{1,40}\|?>|<｜[^｜>\s]{1,40}｜>|◁[^◁▷\s]{1,20}▷|[<\[]unused\d{1,3}[>\]]"
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_HEADER = re.compile(
    r"(?:<\|start\|>(?:assistant)?|(?<![^\s>])assistant)?<\|channel\|>\s*([a-z]+)[^<]{0,100}"
    r"(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
)
_MESSAGE_ENDS = re.compile(r"<\|(?:end|return|call)\|>")
_GLUED = re.compile(r"\s*(?:assistant)?(?:analysis|commentary)")
_GLUED_ALONE = re.compile(r"\s*analysis(?=[A-Z][a-z' ])")
_FINAL = "assistantfinal"


def split_thinking(text: str) -> Parts:
    """The answer and the thinking of a reply."""
    if parts := _split_channels(text) or _split_glued(text):
        return parts
    thoughts: list[_Thought] = []
    at = 0
    while thought := _thought_at(text, at):
        thoughts.append(thought)
        at = thought.rest
    if not thoughts and (thought := _thought_before(text)):
        thoughts.append(thought)
        at = thought.rest
    thinking = (text[one.start : one.end].strip() for one in thoughts)
    form = thoughts[-1].form if thoughts else None
    return Parts(
        _unwrapped(text[at:].lstrip() if thoughts else text, form),
        "\n".join(filter(None, thinking)),
    )


def _thought_at(text: str, at: int) -> _Thought | None:
    """The thinking that opens there, blanks aside."""
    matched = _BLANKS.match(text, at)
    start = matched.end() if matched else at
    if text[start : start + 1] not in _BEGINS or start == len(text):
        return None
    for form, opening, closing in _OPENINGS:
        if opened := opening.match(text, start):
            closed = closing.search(text, opened.end())
            if closed:
                return _Thought(opened.end(), closed.start(), closed.end(), form)
            if not form.must_close:
                return _Thought(opened.end(), len(text), len(text), form)
    return _thought_in_tags(text, start)


def _thought_in_tags(text: str, start: int) -> _Thought | None:
    """The same of a pair of tags that is in no table, by its name."""
    opened = _TAG.match(text, start)
    if opened is None or not _KIN & _words_of(opened):
        return None
    closing = _closing_of(opened)
    end = text.find(closing, opened.end())
    if end < 0:
        return _Thought(opened.end(), len(text), len(text), None) if opened[1] else None
    return _Thought(opened.end(), end, end + len(closing), None)


def _words_of(tag: "re.Match[str]") -> set[str]:
    return {word.lower() for word in _WORD.findall(tag[1] or tag[2])}


def _closing_of(tag: "re.Match[str]") -> str:
    return f"</{tag[1]}>" if tag[1] else f"[/{tag[2]}]"


def _thought_before(text: str) -> _Thought | None:
    """Thinking from the start to a closing mark that no opening one came before."""
    marks = (_MARK.match(text, begins.start()) for begins in _MARK_BEGINS.finditer(text))
    mark = next(filter(None, marks), None)
    if mark is None or mark["alone"] is None:
        return None
    form = next(form for form in _ALONE if _compiled(form.closing).fullmatch(mark["alone"]))
    return _Thought(0, mark.start(), mark.end(), form)


def _unwrapped(answer: str, form: ThinkingForm | None) -> str:
    """An answer without the marks around it that go with its thinking's."""
    arounds = _SPECIAL_AROUND if form is None else [form.around] if form.around else []
    for around in arounds:
        opening, closing = _AROUND[around]
        if opened := opening.match(answer):
            inner = answer[opened.end() :]
            closed = closing.search(inner)
            if closed and not inner[closed.end() :].strip():
                inner = inner[: closed.start()]
            return inner.lstrip() if opened.end() else inner
    return answer


# OpenAI's channels


def _split_channels(text: str) -> Parts | None:
    """The messages of harmony's channels; ``None`` for any other text."""
    if "<|message|>" not in text:
        return None
    headers = list(_HEADER.finditer(text))
    before = _MESSAGE_ENDS.sub("", text[: headers[0].start()]).strip() if headers else ""
    if not headers or (before and headers[0][1] != "final"):
        return None
    ends = [*(header.start() for header in headers[1:]), len(text)]
    bodies: dict[bool, list[str]] = {True: [], False: [before]}
    for header, end in zip(headers, ends, strict=True):
        body = _MESSAGE_ENDS.sub("", text[header.end() : end])
        bodies[header[1] == "final"].append(body.strip())
    return Parts(*("\n".join(filter(None, bodies[is_final])) for is_final in (True, False)))


def _split_glued(text: str) -> Parts | None:
    """The same where the special tokens were stripped; ``None`` for any other text."""
    final, opened = text.find(_FINAL), _GLUED.match(text)
    if final < 0:
        alone = _GLUED_ALONE.match(text)
        return Parts("", text[alone.end() :].strip()) if alone else None
    if opened is None and text[max(0, final - 1) : final].isalnum():
        return None
    thinking = text[opened.end() if opened and opened.end() <= final else 0 : final]
    for glue in ("assistantanalysis", "assistantcommentary"):
        thinking = thinking.replace(glue, "\n")
    return Parts(text[final + len(_FINAL) :].lstrip(), thinking.strip())


# Marks that nobody knows


def unknown_mark(answer: str, asked: Sequence[Message]) -> str | None:
    """What looks like a mark of thinking at the start of an answer, and was not asked for.

    A special token that the server did not take out, or a pair of tags or brackets whose name may
    be one of thinking.
    """
    matched = _BLANKS.match(answer)
    start = matched.end() if matched else 0
    mark = _TOKEN.match(answer, start)
    if mark is None:
        mark = _TAG.match(answer, start)
        if mark is None or not _LIKE_KIN & _words_of(mark):
            return None
        if _closing_of(mark) not in answer:
            return None
    return None if any(mark[0] in message.content for message in asked) else mark[0]
