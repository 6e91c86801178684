"""Models of a board that cannot be told apart, in words and as bands of rows."""

from collections.abc import Sequence
from itertools import pairwise

from ..text import listed
from .shapes import SiteRow

LISTED = 12
"""Models that are named of those tied with one; the JSON and the CSV have all."""


def ties_in_words(rows: Sequence[SiteRow]) -> list[tuple[str, str]]:
    """Of each model the others that it cannot be told apart from."""
    return [(row["model"], listed(row["tied_with"], LISTED)) for row in rows if row["tied_with"]]


def bands(rows: Sequence[SiteRow]) -> list[int]:
    """The number of the band of each row, from 1; 0 for a row in none.

    A band begins with a model and goes on as long as the next one cannot be told apart from that
    first one. To be tied is not transitive, so a band says nothing of its other rows together.
    """
    found, first, number = [0] * len(rows), 0, 0
    for place in range(1, len(rows)):
        if rows[place]["model"] not in rows[first]["tied_with"]:
            first = place
            continue
        if not found[first]:
            number += 1
            found[first] = number
        found[place] = number
    return found


def band_classes(rows: Sequence[SiteRow]) -> list[str]:
    """How each row is drawn: neighbouring bands differ, and each shows where it begins."""
    return [
        f"tied t{band % 2}{'' if band == before else ' start'}" if band else ""
        for before, band in pairwise([0, *bands(rows)])
    ]
