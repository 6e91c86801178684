"""Judge prompts: templates filled in one pass, with replies that cannot change their structure.

What a model wrote is put into the prompt as text. It may hold placeholders, the
prompt's own markers or lines that look like the next speaker's: placeholders are
left alone, as nothing is filled twice, and the other two are made harmless.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

_MARKER = re.compile(r"\[(/?[A-Z][A-Z0-9 _-]*)\]")
_BETWEEN = r"(?:[^\w\[\]]|_)"
_BREAK = "\n\r\x0b\x0c\x85\u2028\u2029"
"""What a reader may take for the end of a line."""
_AROUND = rf"(?:[^\w{_BREAK}:]|_)*"
_SPEAKER = re.compile(
    rf"(^|(?<=[{_BREAK}]))"
    rf"({_AROUND}(?:User|Assistant|System){_AROUND}:(?:[^\w{_BREAK}]|_)*)(?=\Z|[{_BREAK}])",
    re.IGNORECASE,
)


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


def neutralise(text: str, markers: Sequence[str]) -> str:
    """What a model wrote, so that it cannot end its part of a prompt.

    Square brackets around one of the prompt's markers become round ones, whatever the case, the
    spacing, the punctuation and a respondent's code in it; a line that is only a speaker's name
    gets a bar before it.
    """
    for marker in markers:
        text = _marker(marker).sub(r"(\1)", text)
    return _SPEAKER.sub(r"\1| \2", text)


@lru_cache
def _marker(marker: str) -> re.Pattern[str]:
    """A marker in brackets, however it is disguised.

    What may be between its letters has a limit, so that a reply full of punctuation takes no
    longer to search.
    """
    letters = rf"{_BETWEEN}{{0,4}}".join(_parts(marker))
    slash = rf"/{_BETWEEN}{{0,9}}" if marker.startswith("/") else ""
    return re.compile(rf"\[({_BETWEEN}{{0,9}}{slash}{letters}{_BETWEEN}{{0,9}})\]", re.IGNORECASE)


def _parts(marker: str) -> Iterator[str]:
    """Patterns for a marker's letters; a word with digits, a respondent's code, is any word."""
    for word in re.findall(r"[^\W_]+", marker):
        has_digit = any(letter.isdigit() for letter in word)
        yield from [r"[^\W_]{1,9}"] if has_digit else map(re.escape, word)


def display(turns: Sequence[tuple[str, str]]) -> str:
    """A conversation as judges read it: speakers and texts, with a rule between.

    Args:
        turns: Speaker (``User`` or ``Assistant``) and text.
    """
    return "---\n".join(f"{speaker}:\n{text}\n" for speaker, text in turns)
