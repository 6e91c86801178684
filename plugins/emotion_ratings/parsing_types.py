"""What a parser gives back: a `ParsedReply` of two `SectionReading`s.

Both parsers share these, so that scoring never needs to know which one read a reply.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .forms import ENGLISH, Form


@dataclass(frozen=True, slots=True)
class SectionReading:
    """The ratings read in one section of a reply, in the order asked, or why there are none.

    Attributes:
        values: `strict` gives 0-10, `reference` any number from 0.
        flags: How the reading departs from the plain form, in the order of `parsing.FLAGS`.
        named: Emotions with a number where there are no values, whether or not it is a rating.
        fault: The reason without names and numbers of the question, so that it can be counted.
    """

    values: tuple[float, ...] | None
    reason: str | None = None
    flags: tuple[str, ...] = ()
    named: int = field(default=0, compare=False)
    fault: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The two passes of one reply; without revision only the first is asked for."""

    first_pass: SectionReading
    revised: SectionReading


class Parser(Protocol):
    """Reads a reply; never raises, whatever the text."""

    def __call__(
        self,
        text: str,
        emotions: Sequence[str],
        *,
        revise: bool,
        form: Form = ENGLISH,
        others: Sequence[str] = (),
    ) -> ParsedReply:
        """Return what the reply says about each of the emotions, whose names are distinct.

        Without revision the whole reply is the first pass, headings or none. `others` are the names
        that the question has beside those in the answer form; none for questions of one mind.
        """
        ...


NOT_ASKED = SectionReading(None, "no revised scores were asked for")


def unread(reason: str, fault: str | None = None, *, named: int = 0) -> SectionReading:
    """Return a reading without values; the reason is the fault where none is given."""
    return SectionReading(None, reason, named=named, fault=fault or reason)


def no_section(heading: str) -> SectionReading:
    """Return the reading of a section whose heading is not there."""
    return unread(f"no section {heading.rstrip(':：')!r}")


def read_passes(
    sections: tuple[str | None, str | None],
    read: Callable[[str], SectionReading],
    *,
    revise: bool,
    form: Form = ENGLISH,
) -> ParsedReply:
    """Return the answer whose first and revised sections are given; None is a missing heading."""
    first, revised = (
        no_section(heading) if text is None else read(text)
        for text, heading in zip(sections, (form.first, form.revised), strict=True)
    )
    return ParsedReply(first, revised if revise else NOT_ASKED)


def each_pair(
    section: str, number: re.Pattern[str], is_of_name: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    """Yield each name with the number after it, as written.

    In linear time: a name is what stands between the pair before and the colon that a `number`
    begins with, from there back as far as its characters go. A pattern for both is quadratic on a
    long run of letters without a colon.
    """
    last = 0
    for match in number.finditer(section):
        start = match.start()
        while start > last and is_of_name(section[start - 1]):
            start -= 1
        if start < match.start():
            last = match.end()
            yield section[start : match.start()], match[1]
