"""What a parser gives back: an `Answer` of two `Reading`s.

Both parsers share these, so that scoring never needs to know which one read a reply.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reading:
    """The ratings read in one section of a reply, or why there are none.

    Attributes:
        values: One rating per emotion, in the order in which they were asked; None when the
            section cannot be read. `strict` gives 0-10, `reference` any number from 0.
        reason: Why there are no values, for a person; None when there are.
        flags: How the reading departs from the plain form, in the order of
            `parsing.FLAGS`; empty for the plain form and when nothing was read.
    """

    values: tuple[float, ...] | None
    reason: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The two passes of one reply; without revision only the first is asked for."""

    first_pass: Reading
    revised: Reading


class Parser(Protocol):
    """Reads a reply; never raises, whatever the text."""

    def __call__(self, text: str, emotions: Sequence[str], *, revise: bool) -> Answer:
        """Return what the reply says about each of the emotions."""
        ...


NOT_ASKED = Reading(None, "no revised scores were asked for")


def unread(reason: str) -> Reading:
    """Return a reading without values."""
    return Reading(None, reason)


def read_passes(
    first: str | None, revised: str | None, read: Callable[[str], Reading], *, revise: bool
) -> Answer:
    """Return the answer whose sections are given; None is a section without its heading."""
    return Answer(
        unread("no section 'First pass scores'") if first is None else read(first),
        NOT_ASKED
        if not revise
        else unread("no section 'Revised scores'")
        if revised is None
        else read(revised),
    )
