"""Replies in lines, such as ``Tact: 7``: which of what was asked for a line names."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

OPENING, CLOSING = r"[\s*_`\"'\[({]*", r"[\s*_`\"'\])}]*"
_SEPARATOR = r"(?::|=|->|→|[-–—](?=\s))"
_BULLET = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,2}[.)]\s+)?")


def labelled(
    line: str, names: Sequence[str], mentioned: str | None = None
) -> Iterator[tuple[str, str]]:
    """What a line names with a separator, and what follows up to the next.

    A line of running text that holds such a label gives the label without an answer; with
    `mentioned`, a pattern of how an answer begins, a label that something else follows is a mention
    there and not given: "... close to purple prose: the sound".
    """
    start = _BULLET.sub("", line)
    matches = list(_label(tuple(names)).finditer(start))
    is_prose = bool(matches) and bool(re.search(r"\w", start[: matches[0].start()]))
    ends = [match.start() for match in matches[1:]] + [len(start)]
    for match, end in zip(matches, ends[: len(matches)], strict=True):
        rest = start[match.end() : end]
        if is_prose and mentioned and not re.match(OPENING + mentioned, rest):
            continue
        yield names[(match.lastindex or 1) - 1], "" if is_prose else rest


@lru_cache
def _label(names: tuple[str, ...]) -> re.Pattern[str]:
    """Any of these names with a separator, each in a group of its own."""
    each = "|".join(f"({_spelled(name)})" for name in names)
    return re.compile(rf"(?<!\w)(?:{each}){CLOSING}{_SEPARATOR}", re.IGNORECASE)


def _spelled(name: str) -> str:
    """A pattern for a name: a judge may write a hyphen as a blank, and any apostrophe."""
    parts = (re.escape(part) for part in re.split(r"[\s\-‐‑–]+", name))
    return r"[\s\-‐‑–]".join(re.sub("['’]", "['’]", part) for part in parts)
