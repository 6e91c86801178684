"""The sections of a reply, by the headings that its prompt asked for.

A heading is read with curly or straight apostrophes, in bold, numbered, with any
number of ``#`` or none, and with a colon; text may follow on its line when it is
marked as a heading. What stands under a heading that comes twice is joined.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_SPACE = r"[^\S\n]*+"  # possessive, so that a line of spaces is gone over once
_BOLD = r"(?:\*{1,3}|_{1,3})?"
_MARKS = (
    rf"{_SPACE}{_BOLD}{_SPACE}(?:\#{{1,6}}{_SPACE})?{_BOLD}{_SPACE}"
    rf"(?:\d{{1,3}}[.)]{_SPACE})?{_BOLD}{_SPACE}"
)
_SET_OFF = re.compile(r":|#|\*\*|__")
_END = re.compile(r"^--[^\S\n]*$", re.MULTILINE)
_RULE = re.compile(r"[-_*]{2,}")


class Sections(NamedTuple):
    """A reply in its sections.

    Attributes:
        texts: In the order of the headings; empty for one that is missing.
        missing: The headings that were not found.
        repeated: The headings that were found more than once.
        outside: Characters of the reply that stand under no heading.
    """

    texts: tuple[str, ...]
    missing: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    outside: int = 0


class _Found(NamedTuple):
    heading: int
    start: int
    end: int


def read_sections(reply: str, headings: Sequence[str]) -> Sections | None:
    """The sections of a reply; ``None`` where it has none of the headings."""
    found = sorted(_find(reply, headings), key=lambda f: f.start)
    if not found:
        return None
    texts: list[list[str]] = [[] for _ in headings]
    outside = len(reply[: found[0].start].strip())
    for here, after in zip(found, [*found[1:], None], strict=True):
        text = reply[here.end : after.start if after else len(reply)]
        text, _, rest = _cut(text) if after is None else (text, "", "")
        outside += len(rest.strip())
        texts[here.heading].append(_without_rules(text))
    counts = [len(parts) for parts in texts]
    return Sections(
        texts=tuple("\n\n".join(part for part in parts if part) for parts in texts),
        missing=tuple(h for h, n in zip(headings, counts, strict=True) if not n),
        repeated=tuple(h for h, n in zip(headings, counts, strict=True) if n > 1),
        outside=outside,
    )


def _without_rules(text: str) -> str:
    """A section's text without the rules that divide it from the next one."""
    lines = text.strip().split("\n")
    while lines and (not lines[-1].strip() or _RULE.fullmatch(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines).strip()


def _cut(text: str) -> tuple[str, str, str]:
    """A last section up to the line of two dashes that closes it in the prompt's own form."""
    match = _END.search(text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _find(reply: str, headings: Sequence[str]) -> list[_Found]:
    found = []
    for index, heading in enumerate(headings):
        for match in _pattern(heading).finditer(reply):
            if not match["rest"].strip() or _is_heading(match):
                found.append(_Found(index, match.start(), match.start("rest")))
    return found


def _is_heading(match: re.Match[str]) -> bool:
    """Whether a line with more text on it is a heading: marked as one, and set off."""
    marked = match[0].lstrip().startswith(("#", "*", "_"))
    return marked and bool(_SET_OFF.search(match["closing"]))


@lru_cache
def _pattern(heading: str) -> re.Pattern[str]:
    words = re.escape(heading.replace("’", "'"))
    words = words.replace("'", "['’‘`´ʼ]?").replace("\\ ", r"[^\S\n]+").replace("\\&", "(?:&|and)")
    words = words.replace("\\-", "[-‐‑– ]")
    closing = rf"(?P<closing>{_BOLD}{_SPACE}:?{_SPACE}{_BOLD}{_SPACE}\#*+{_BOLD})"
    return re.compile(
        rf"^{_MARKS}{words}(?![^\W_]|['’]){_SPACE}{closing}(?P<rest>[^\n]*)$",
        re.MULTILINE | re.IGNORECASE,
    )
