"""What a reader sees of a text, what of it can be stored, and counts as a person writes them."""

import unicodedata

INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Mn", "Me"})
"""Unicode's categories of controls and marks, which show nothing by themselves."""
FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs of other names that look like blanks."""
_UNSEEN = INVISIBLE | {"Co", "Cn", "Zs", "Zl", "Zp"}


def is_blank(text: str) -> bool:
    """Whether there is nothing to see: no text, blanks, control and invisible characters alone."""
    return all(char in FILLERS or unicodedata.category(char) in _UNSEEN for char in text)


def plural(n: int, noun: str, *verb: str) -> str:
    """A count with its noun: ``1 call``, ``2 calls``, ``2 families``.

    Args:
        n: How many.
        noun: Of one, or a noun phrase whose last word changes.
        *verb: Of one and of several, which follows: ``is``, ``are``.
    """
    if n == 1:
        return " ".join([f"{n} {noun}", *verb[:1]])
    several = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
    return " ".join([f"{n:,} {several}", *verb[1:]])


def readable(text: str) -> str:
    """The text with U+FFFD for every half of a surrogate pair, which nothing can store."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
