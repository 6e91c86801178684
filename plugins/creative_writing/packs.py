"""A pack of Creative Writing v3 in upstream's layout: prompts, criteria and judge's prompts."""

from pathlib import Path
from typing import NamedTuple

from eibench import DataError, Item, PackSource, read_text
from eibench.judges import Rubric, Template, criteria_of, fill, read_criteria, with_places

from .grading import WritingRubric
from .prompts import WritingPrompt, read_prompts

PROMPTS = "creative_writing_prompts_v3.json"
CRITERIA, NEGATIVE = "creative_writing_criteria.txt", "negative_criteria.txt"
JUDGE, PAIR = "creative_writing_judging_prompt.txt", "pairwise_prompt.txt"
SCALE = 20
_PLACES = {"{test_model_response}": "reply"}
_PAIR_PLACES = {
    "{model_a_analysis}": "first",
    "{model_b_analysis}": "second",
    "A0493": "one",
    "A0488": "other",
}
_MAY_NOT_APPLY = (
    "Weak Dialogue", "Incongruent Ending Positivity", "Unearned Transformations",
    "Well-earned Lightness or Darkness", "Sentences Flow Naturally",
)  # fmt: skip
"""The criteria that published verdicts leave out, as the judge may where one does not apply."""
_NOT_COMPARED = ("5", "16", "20", "21", "26", "28", "30")
"""Ids of the official prompts that the published code makes no pairs of."""


class WritingProtocol(NamedTuple):
    """How the pieces of a pack are judged.

    Attributes:
        rubric, judge: What the judge grades a piece by, and its prompt.
        pair_rubric, pair: The same of a comparison.
    """

    rubric: WritingRubric
    judge: Template
    pair_rubric: Rubric
    pair: Template


class WritingItem(NamedTuple):
    """What an item of Creative Writing v3 holds."""

    prompt: WritingPrompt
    protocol: WritingProtocol
    official: bool
    """Whether it is treated as in the published code."""
    compared: bool
    """Whether pairs are made of its pieces."""

    def shown(self, asked: str) -> str:
        """What a judge is shown as the task; on the official pack without the seed."""
        return self.prompt.text if self.official else asked


def read_items(source: PackSource) -> list[Item[WritingItem]]:
    """The items of a pack in its order.

    Raises:
        DataError: A file is missing or not of its form.
    """
    require_files(source, PROMPTS, CRITERIA, NEGATIVE, JUDGE, PAIR)
    protocol = _protocol(source)
    official = source.name == "official"
    left_out = _NOT_COMPARED if official else ()
    return [
        Item(id, WritingItem(prompt, protocol, official, id not in left_out))
        for id, prompt, _ in read_prompts(source.files[PROMPTS])
    ]


def require_files(source: PackSource, *names: str) -> None:
    """Refuse a pack without one of these files."""
    if missing := [name for name in names if name not in source.files]:
        path = next(iter(source.files.values()))
        raise DataError(path, f"is no whole pack; beside it belong {', '.join(missing)}")


def _protocol(source: PackSource) -> WritingProtocol:
    rubric = read_rubric(source.files[CRITERIA], source.files[NEGATIVE])
    judge = read_judge(source.files[JUDGE], rubric, _PLACES)
    pair = _template(source.files[PAIR], _PAIR_PLACES)
    if not (pair_criteria := criteria_of(pair.user)):
        raise DataError(source.files[PAIR], 'asks for no criterion: no line begins with "NAME":')
    return WritingProtocol(rubric, judge, Rubric(pair_criteria, SCALE), pair)


def read_rubric(path: Path, negative_path: Path) -> WritingRubric:
    """The criteria of a file, with those of another counted the other way round.

    Raises:
        DataError: A line is no criterion, or there is none.
    """
    criteria, negative = _criteria(path), _criteria(negative_path)
    if not criteria:
        raise DataError(path, "names no criterion")
    if unknown := [name for name in negative if name not in criteria]:
        message = f"names {unknown[0]!r}, which is no line of {path.name}"
        raise DataError(negative_path, message)
    optional = tuple(name for name in _MAY_NOT_APPLY if name in criteria)
    return WritingRubric(criteria, SCALE, lower_is_better=negative, optional=optional, form="lines")


def read_judge(path: Path, rubric: WritingRubric, slots: dict[str, str], *more: str) -> Template:
    """The prompt that asks for a rubric, with its criteria in their places.

    Args:
        path: Its file.
        rubric: What it asks for.
        slots: By the places that upstream has, our names for them.
        more: Names of further places, which it must have.

    Raises:
        DataError: It lacks a place.
    """
    listed = {
        "creative_writing_criteria": rubric.described,
        "lower_is_better_criteria": ", ".join(rubric.lower_is_better),
    }
    return Template(fill(_template(path, slots, *listed, *more).user, listed))


def _criteria(path: Path) -> tuple[str, ...]:
    """The criteria of a file, one a line."""
    names = read_criteria(read_text(path))
    for name in names:
        if names.count(name) > 1:
            raise DataError(path, "stands twice", name)
        if ":" in name:
            raise DataError(path, "is no criterion: a name has no colon", name)
    return names


def _template(path: Path, slots: dict[str, str], *more: str) -> Template:
    """A judge's prompt, with our names for upstream's places."""
    text = read_text(path)
    for slot in ("{writing_prompt}", *slots, *(f"{{{name}}}" for name in more)):
        if slot not in text:
            raise DataError(path, f"lacks {slot}")
    return Template(with_places(text, slots).strip())
