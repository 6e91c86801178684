"""Replies that repeat themselves: small models fall into it, and go on until they are cut off."""

import re

TAIL = 8192
"""So many characters at the end are looked at."""
TIMES = 4
LEAST = 200
_DIGITS = re.compile(r"\d+")


def repeated_tail(text: str) -> int:
    """How many characters at the end of a text are one piece over and over; 0 where none are.

    At least `TIMES` times and `LEAST` characters, the piece alike in all but its numbers, as
    lists count; numbers have one digit here. The first piece may be cut off, and so may the last.
    """
    end = _DIGITS.sub("0", text[-TAIL:])[::-1]
    longest, borders = 0, [0] * len(end)  # Knuth, Morris and Pratt (1977), the failure function
    for n in range(1, len(end)):
        k = borders[n - 1]
        while k and end[n] != end[k]:
            k = borders[k - 1]
        borders[n] = k + (end[n] == end[k])
        if n + 1 >= TIMES * (n + 1 - borders[n]):
            longest = n + 1
    return longest if longest >= LEAST else 0
