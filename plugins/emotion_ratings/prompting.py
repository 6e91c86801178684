"""The prompt without critique and revision, cut out of the full prompt.

The published code cuts its own sentences by their wording. This does the same by structure,
so that it holds for every pack whose prompts have the same headings, and no upstream text
is needed here.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from .forms import ENGLISH, Form


class Parts(NamedTuple):
    """A prompt from its dialogue's end to its answer form.

    Attributes:
        dialogue: All up to the mark of the dialogue's end, with it and the blank line after it.
        question: The paragraph that asks and lists the emotions.
        instructions: The paragraph that says how to rate.
        layout: All that comes after.
    """

    dialogue: str
    question: str
    instructions: str
    layout: str


def without_revision(prompt: str, form: Form = ENGLISH, *, sentence: str | None = None) -> str:
    """Return the simplified prompt: one set of ratings, no critique, no revision.

    Of the paragraph of instructions (the second one after the dialogue) the first sentence
    stays; the heading of the first pass goes, and everything from the critique to the mark
    of the answer's end; a call for the answer is added.

    Args:
        prompt: The full prompt.
        form: What its marks are.
        sentence: What takes the place of the instructions, if not their own first sentence.

    Raises:
        ValueError: The prompt lacks one of these marks; the message names it.
    """
    parts = split_prompt(prompt, form)
    head, answer = _cut(parts.layout, f"{form.first}\n")
    ratings, rest = _cut(answer, f"\n{form.critique}")
    _, end = _cut(rest, form.answer_end)
    return (
        f"{parts.dialogue}{parts.question}\n\n{sentence or _first_sentence(parts.instructions)}"
        f"\n\n{head}{ratings}\n\n{form.answer_end}{end}\n{form.call}\n"
    )


def split_prompt(prompt: str, form: Form = ENGLISH) -> Parts:
    """Return the parts of a prompt.

    Raises:
        ValueError: The prompt lacks a mark or a paragraph; the message names it.
    """
    mark = next((mark for mark in form.dialogue_ends if mark in prompt), form.dialogue_ends[0])
    dialogue, after = _cut(prompt, mark)
    question, rest = _cut(after.lstrip("\n"), "\n\n", "a paragraph of instructions")
    lead = after[: len(after) - len(after.lstrip("\n"))]
    instructions, layout = _cut(rest, "\n\n", "a paragraph after the instructions")
    return Parts(f"{dialogue}{mark}{lead}", question, instructions, layout)


def usual_sentence(prompts: Iterable[str], form: Form) -> str:
    """Return the first sentence of the instructions that most prompts have.

    Raises:
        ValueError: There is no prompt, or one lacks a mark.
    """
    sentences = (_first_sentence(split_prompt(prompt, form).instructions) for prompt in prompts)
    return max(Counter(sentences).items(), key=lambda entry: entry[1])[0]


def listed_emotions(prompt: str, form: Form) -> tuple[str, ...]:
    """Return the names below the question, a line each; none when the prompt has no such list.

    The answer form has names too, and they need not be the same.
    """
    try:
        question = split_prompt(prompt, form).question
    except ValueError:
        return ()
    return tuple(line.strip() for line in question.split("\n")[1:])


def _cut(text: str, mark: str, name: str | None = None) -> tuple[str, str]:
    before, found, after = text.partition(mark)
    if not found:
        raise ValueError(f"the prompt cannot be simplified: it lacks {name or mark.strip()!r}")
    return before, after


def _first_sentence(paragraph: str) -> str:
    return re.split(r"(?<=[.!?])\s", paragraph, maxsplit=1)[0]
