"""What a reader sees of a text."""

import unicodedata

_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp", "Mn", "Me"}
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs of other names that look like blanks."""


def is_blank(text: str) -> bool:
    """Whether there is nothing to see: no text, blanks, control and invisible characters alone."""
    return all(char in _FILLERS or unicodedata.category(char) in _UNSEEN for char in text)
