"""The questions of a pack in one language, with what each prompt itself says."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from eibench import DataError, Item
from eibench.emotion_ratings import (
    FORMS,
    Form,
    Question,
    ReferenceField,
    listed_emotions,
    read_questions,
)

REFERENCE = ReferenceField("reference_answer_fullscale", as_text=True)


def read_in_language(path: Path, form: Form) -> list[Item]:
    """The items of a pack with their full prompts, each with its own headings and names.

    Raises:
        DataError: The file is not of that form, or is in another language.
    """
    items = read_questions(path, REFERENCE, form)
    for item in items:
        if form.first not in item.content.prompt:
            raise DataError(path, _why_not(item.content.prompt, form), f'item "{item.id}"')
    return [replace(item, content=_as_written(item.content)) for item in items]


def odd_names(items: Sequence[Item]) -> tuple[str, ...]:
    """A warning for each question that lists an emotion by another name than its form has."""
    return tuple(
        f'question {item.id} lists "{other}", but its answer form and reference say "{name}": '
        "parser strict reads either name, reference only the latter"
        for item in items
        for name, other in zip(item.content.emotions, item.content.others, strict=False)
        if name != other
    )


def _why_not(prompt: str, form: Form) -> str:
    for other in FORMS.values():
        if other.first in prompt:
            return f"its prompt is not in the language asked for; use --lang {other.language}"
    return f'its prompt lacks the heading "{form.first}"'


def _as_written(question: Question) -> Question:
    form = question.form.as_written_in(question.prompt)
    return question._replace(form=form, others=_other_names(question))


def _other_names(question: Question) -> tuple[str, ...]:
    """What the prompt lists in place of each name of the form; empty where all are the same."""
    names, listed = question.emotions, listed_emotions(question.prompt, question.form)
    if len(listed) != len(names) or set(listed) == set(names):
        return ()
    pairs = zip(names, listed, strict=True)
    return tuple(
        other if name not in listed and other not in names else name for name, other in pairs
    )
