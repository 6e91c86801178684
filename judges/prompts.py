"""Judge prompts: templates filled in one pass, with replies that cannot change their structure.

What a model wrote is put into the prompt as text. It may hold placeholders, the
prompt's own markers or lines that look like the next speaker's: placeholders are
left alone, as nothing is filled twice, and the other two are made harmless.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .quoting import letters, origins, skeleton

_MARKER = re.compile(r"\[(/?[A-Z][A-Z0-9 _-]*)\]")
_BREAK = re.compile("(\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])")
"""What a reader may take for the end of a line."""
_SPEAKERS = ("user", "assistant", "system")
_COLONS = ":：﹕︓꞉։"
_BETWEEN = r"(?:/++|\[[^\[\]]{0,40}\]){0,4}"
"""What is passed over within a marker: slashes, and whatever stands in brackets of its own."""


@dataclass(frozen=True)
class Template:
    """A judge prompt with places to fill.

    Attributes:
        user: The text that holds the transcript.
        system: Instructions that all prompts share, so that a provider can cache them; empty
            where the template is one text.
    """

    user: str
    system: str = ""

    @cached_property
    def markers(self) -> tuple[str, ...]:
        """What stands in square brackets and capitals, such as ``TRANSCRIPT END``."""
        return tuple(dict.fromkeys(_MARKER.findall(self.user + self.system)))


def fill(template: str, values: Mapping[str, str]) -> str:
    """A template with its ``{name}`` places filled, in one pass.

    Braces in a value, and places that `values` does not name, stay as they are.
    """
    names = "|".join(map(re.escape, values))
    if not names:
        return template
    return re.sub(rf"\{{({names})\}}", lambda match: values[match[1]], template)


def with_places(text: str, slots: Mapping[str, str]) -> str:
    """A prompt as it was published, with our places for what it has there.

    Args:
        text: Such as ``[WRITER A0493]``.
        slots: By what stands there, the name of the place: ``{"A0493": "one"}``.
    """
    for published, name in slots.items():
        text = text.replace(published, f"{{{name}}}")
    return text


def places_in(template: str, text: str) -> dict[str, str]:
    """What stands at the places of a template that was filled; nothing where a text is no such."""
    parts = re.split(r"\{(\w+)\}", template)
    pattern, names = "", set[str]()
    for number, part in enumerate(parts):
        if number % 2 == 0:
            pattern += re.escape(part)
        else:
            pattern += f"(?P={part})" if part in names else f"(?P<{part}>.*?)"
            names.add(part)
    match = re.fullmatch(pattern, text, re.DOTALL)
    return match.groupdict() if match else {}


def read_criteria(text: str) -> tuple[str, ...]:
    """The criteria of a text that has one a line; empty lines and those with ``#`` are none."""
    names = map(str.strip, text.splitlines())
    return tuple(name for name in names if name and not name.startswith("#"))


def neutralise(text: str, markers: Sequence[str]) -> str:
    """What a model wrote, so that it cannot end its part of a prompt.

    Brackets of any kind around one of the prompt's markers become round ones, in whatever
    letters, spacing and punctuation it is written and whatever the respondent's code in it; a
    line that is only a speaker's name gets a bar before it.
    """
    bones = skeleton(text)
    spans = [span for marker in markers for span in _brackets(bones, marker)]
    if spans:
        where, chars = origins(text), list(text)
        for start, end, bracket in spans:
            for at in range(start, end):
                chars[where[at]] = bracket
        text = "".join(chars)
    return "".join(map(_barred, _BREAK.split(text)))


def _brackets(bones: str, marker: str) -> Iterator[tuple[int, int, str]]:
    """Where in a skeleton brackets around a marker stand, and what they become."""
    for match in _marker(marker).finditer(bones):
        yield (*match.span(1), "(")
        yield (*match.span(2), ")")


@lru_cache
def _marker(marker: str) -> re.Pattern[str]:
    """A marker in brackets, in a skeleton.

    What is passed over has a limit, so that a reply full of brackets takes no longer to search.
    """
    name = _BETWEEN.join(_parts(marker))
    slash = rf"{_BETWEEN}/" if marker.startswith("/") else ""
    return re.compile(rf"(?<!\[)(\[+){slash}{_BETWEEN}{name}{_BETWEEN}(\]++)")


def _parts(marker: str) -> Iterator[str]:
    """Patterns for a marker's letters; a word with digits, a respondent's code, is any word."""
    for word in re.findall(r"[^\W_]+", marker):
        has_digit = any(letter.isdigit() for letter in word)
        yield from ["[^/\\[\\]]{1,9}"] if has_digit else word.lower()


def _barred(line: str) -> str:
    """A line, with a bar before it where it is only a speaker's name."""
    is_speaker = letters(line) in _SPEAKERS and any(colon in line for colon in _COLONS)
    return f"| {line}" if is_speaker else line


def display(turns: Sequence[tuple[str, str]]) -> str:
    """A conversation as judges read it: speakers and texts, with a rule between.

    Args:
        turns: Speaker (``User`` or ``Assistant``) and text.
    """
    return "---\n".join(f"{speaker}:\n{text}\n" for speaker, text in turns)
