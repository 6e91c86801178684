"""Contrasts of the form "not x but y", by the ten surface patterns of the slop-score board.

The patterns, and how matches are merged, are those of github.com/sam-paech/slop-score (Copyright
2025 Sam Paech, MIT licence; `LICENSE.slop-score` beside this file) in Python's notation, so that
counts are the board's. Its 35 patterns over parts of speech never ran on the board.
"""

import re
from bisect import bisect_left, bisect_right
from typing import NamedTuple

_IT = "(?:it|they|this|that)"
_BE = "(?:is|are|was|were)"
_NEGATED = r"(?:is\s+not|are\s+not|was\s+not|were\s+not|isn't|aren't|wasn't|weren't|ain't)"
_START = r"(?:(?<=^)|(?<=[.?!]\s))"
_QUOTE = "[\"']?"
_WITHIN = "[^.?!]{0,160}"
_IT_IS = rf"{_IT}\b(?:'s|'re|\s+{_BE})"
_IT_IS_SHORT = rf"{_IT}(?:'re|'s|\s+{_BE})"
_IT_OR_THEY = r"(?:(?:it|they)\s+(?:is|are)|(?:it's|they're))"
_NOT_REPORTED = (
    r"(?![^.?!]{0,80}\b(?:knew|know|thought|think|said|says|told|heard|learned)\b"
    r"[^.?!]{0,40}?\bthat\b)"
)
_NO_CLAUSE = (
    r"(?!(?:when|while|which|who|whom|whose|where|if|that|as|because|although|though|till|until"
    r"|unless|here|there|then|my|we|I|you|it\s+seems|it\s+appears|it\s+felt|it\s+looks?"
    r"|anything)\b)"
)
_SAID = r"\b(?:said|asked|whispered|muttered|replied|added|shouted|cried)\b"
_PATTERNS = {
    "not, but": rf"\b(?:{_NEGATED}|not(?!\s+(?:that|only)\b))\s+"
    rf"(?:(?!\bbut\b|[.?!]).){{1,100}}?[,;:]\s*but\s+{_NO_CLAUSE}",
    "not, dash": r"\b(?:\w+n't|not)\s+(?:just|only|merely)?\s+(?:(?![.?!]).){1,160}?"
    rf"(?:-|\s-\s|[—–])\s*{_IT}\s+"
    r"(?:(?:'re|are|'s|is|were|was)\b|(?!'re|are|'s|is|were|was)[*_~]*[a-z]\w*)",
    "it is not; it is": rf"{_START}\s*{_QUOTE}"
    rf"(?:{_IT}\s+{_BE}\s+not|{_IT}\s+{_BE}n't|(?:it's|they're|that's)\s+not)\b"
    rf"{_WITHIN}[.;:?!]\s*{_QUOTE}{_IT}\s+(?:{_BE}|(?:'s|'re))\b(?!\s+not\b)",
    "x is not; they are": rf"{_START}\s*{_NOT_REPORTED}(?!\s*not\s+without\b)"
    rf"(?![^.?!]{{0,50}}\bnot\s+put\b){_WITHIN}?\b{_NEGATED}\b{_WITHIN}[.;:?!]\s*"
    rf"{_QUOTE}{_IT}\b(?:'re|\s+{_BE})\b(?!\s+not\b)",
    "no longer": rf"{_START}\s*{_WITHIN}\bno\s+longer\b[^.;:?!]{{0,160}}"
    rf"[.;:?!]\s*{_IT}\s+{_BE}\b(?!\s+not\b)",
    "not just": rf"{_START}\s*{_QUOTE}(?:{_IT_IS}|{_IT}\b)\s+not\s+just\b{_WITHIN}[.?!]\s*"
    rf"{_QUOTE}{_IT_IS}\b(?!\s+not\b)",
    "same verb": rf"{_START}[^.?!]{{0,2000}}?\b(?:do|does|did)n't\b\s+(?:\w+\s+){{0,2}}"
    rf"([a-z]{{3,}})\b[^.?!]{{0,2000}}[.?!]\s*{_IT}\s+\1(?:ed|es|s|ing)?\b",
    "is not; it is": rf"{_START}\s*{_QUOTE}(?!(?:he|she|i|you|we)\b){_NOT_REPORTED}"
    rf"{_WITHIN}?\b{_NEGATED}\b{_WITHIN}[.;:?!]\s*{_QUOTE}it(?:'s|\s+{_BE})\b",
    "embedded not just": rf"{_START}[^.?!]{{0,80}}?\b{_IT_OR_THEY}\s+not\s+just\b"
    rf"{_WITHIN}[.?!]\s*{_IT_OR_THEY}\b",
    "spoken not just": rf"{_QUOTE}{_IT_IS_SHORT}\s+not\s+just\b[^\"']{{0,160}}{_QUOTE}\s*"
    rf"(?:[^.?!]{{0,80}}{_SAID}[^.?!]{{0,80}}[.?!]\s*)?"
    rf"{_QUOTE}{_IT_IS_SHORT}\s+[*_~]?[a-z]\w*",
}
_COMPILED = [re.compile(pattern, re.IGNORECASE | re.ASCII) for pattern in _PATTERNS.values()]
PATTERNS = tuple(_PATTERNS)
"""Short names of the ten, in the order in which they are tried."""
_PLAIN = str.maketrans("“”‘’—–\u00a0", "\"\"''-- ")
_SENTENCE_END = re.compile("[.!?]")
_BLANKS = re.compile(r"(\s{50})\s+")
"""What would take the patterns time in proportion to its square."""


class Contrast(NamedTuple):
    """One contrast: the sentences that hold it, with plain quotes and dashes, and its pattern."""

    text: str
    pattern: str


def find_contrasts(text: str) -> list[Contrast]:
    """The contrasts of a text in order; matches that share a sentence are one."""
    plain = _BLANKS.sub(r"\1", text.translate(_PLAIN))
    ends = [match.end() for match in _SENTENCE_END.finditer(plain)]
    if not ends or ends[-1] < len(plain):
        ends.append(len(plain))
    starts = [0, *ends[:-1]]
    matches = [
        (
            bisect_right(ends, match.start()),
            bisect_left(starts, match.end()) - 1,
            match.start(),
            name,
        )
        for name, pattern in zip(PATTERNS, _COMPILED, strict=True)
        for match in pattern.finditer(plain)
    ]
    blocks: list[tuple[int, int, str]] = []
    for first, last, _, name in sorted(matches, key=lambda match: match[:3]):
        if blocks and first <= blocks[-1][1]:
            start, before, first_name = blocks[-1]
            blocks[-1] = (start, max(before, last), first_name)
        else:
            blocks.append((first, last, name))
    return [
        Contrast(plain[starts[first] : ends[last]].strip(), name) for first, last, name in blocks
    ]
