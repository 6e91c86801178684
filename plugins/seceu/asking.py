"""From what a pack holds to what is asked: the template, the order of the options, the prompt."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from eibench import DataError, Item

from .stories import N_OPTIONS, Asked, Contents, Story
from .wording import WORDING

_PLACE = re.compile(r"\{(story|options)\}")


class Template(NamedTuple):
    """How a prompting is worded, and by whom."""

    text: str
    own: bool
    """It is eibench's wording, not the pack's."""


def template(path: Path, contents: Contents, prompting: str) -> Template:
    """The pack's own wording of a prompting, else eibench's in the pack's language.

    Raises:
        DataError: There is neither.
    """
    if prompting in contents.prompts:
        return Template(contents.prompts[prompting], own=False)
    ours = WORDING.get(contents.lang)
    if ours is None:
        message = f"its language is {contents.lang!r}, for which eibench has no prompts"
        raise DataError(path, f'{message}; add "prompts" with {prompting!r} to it')
    return Template(ours[prompting], own=True)


def items(
    path: Path, contents: Contents, text: str, prompting: str, *, shuffle: bool
) -> Iterator[Item]:
    """The items of a pack, each with its whole prompt.

    Args:
        path: The file of the stories, for messages.
        contents: What it holds.
        text: The template.
        prompting: Its name.
        shuffle: Show the options in an order drawn per item, the same in every run.

    Raises:
        DataError: A story has no reference.
    """
    template_of = contents.norm.template if contents.norm else (None,) * len(contents.stories)
    for story, human in zip(contents.stories, template_of, strict=True):
        if story.reference is None:
            message = 'has no "reference"; bench norm seceu makes one of people\'s answers'
            raise DataError(path, message, f'item "{story.id}"')
        order = shuffled(story) if shuffle else tuple(range(N_OPTIONS))
        prompt = _fill(text, story, order)
        asked = Asked(prompt, story.options, story.reference, order, prompting, human)
        yield Item(story.id, asked)


def shuffled(story: Story) -> tuple[int, ...]:
    """An order of the options, drawn by their names and the story: any of the 24 alike."""

    def draw(index: int) -> bytes:
        drawn = f"{story.text}\n{story.options[index]}".encode()
        return hashlib.sha256(drawn).digest()

    return tuple(sorted(range(len(story.options)), key=draw))


def _fill(text: str, story: Story, order: tuple[int, ...]) -> str:
    """The template filled in one pass, so that a story cannot be a template itself."""
    full_width = any("\u4e00" <= c <= "\u9fff" for c in "".join(story.options))
    shown = [f"({n}) {story.options[i]}" for n, i in enumerate(order, start=1)]
    values: Mapping[str, str] = {
        "story": story.text,
        "options": ("；" if full_width else "; ").join(shown),
    }
    return _PLACE.sub(lambda place: values[place[1]], text)
