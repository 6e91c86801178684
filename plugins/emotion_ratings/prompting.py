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


class PromptParts(NamedTuple):
    """A prompt in parts: to the mark of the dialogue's end, the question, how to rate, the rest."""

    dialogue: str
    question: str
    instructions: str
    layout: str


def without_revision(prompt: str, form: Form = ENGLISH, *, sentence: str | None = None) -> str:
    """Return the simplified prompt: one set of ratings, no critique, no revision.

    Of the paragraph of instructions (the second one after the dialogue) the first sentence stays,
    or `sentence` takes its place; the heading of the first pass goes, and everything from the
    critique to the mark of the answer's end; the form's call for the answer is added.

    Raises:
        ValueError: The prompt lacks one of these marks; the message names it.
    """
    parts = split_prompt(prompt, form)
    heading = re.compile(rf"^({re.escape(form.first)})[ \t]+$", re.MULTILINE)
    head, answer = _split_at(heading.sub(r"\1", parts.layout), f"{form.first}\n")
    ratings, rest = _split_at(answer, f"\n{form.critique}")
    _, end = _split_at(rest, form.answer_end)
    call = f"\n{form.call}\n" if form.call else ""
    return (
        f"{parts.dialogue}{parts.question}\n\n{sentence or _first_sentence(parts.instructions)}"
        f"\n\n{head}{ratings}\n\n{form.answer_end}{end}{call}"
    )


def split_prompt(prompt: str, form: Form = ENGLISH) -> PromptParts:
    """Return the parts of a prompt; ``ValueError`` names the mark or paragraph that it lacks."""
    mark = next((mark for mark in form.dialogue_ends if mark in prompt), form.dialogue_ends[0])
    dialogue, after = _split_at(prompt, mark)
    question, rest = _split_at(after.lstrip("\n"), "\n\n", "a paragraph of instructions")
    lead = after[: len(after) - len(after.lstrip("\n"))]
    instructions, layout = _split_at(rest, "\n\n", "a paragraph after the instructions")
    return PromptParts(f"{dialogue}{mark}{lead}", question, instructions, layout)


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


def _split_at(text: str, mark: str, name: str | None = None) -> tuple[str, str]:
    before, marker, after = text.partition(mark)
    if not marker:
        raise ValueError(f"the prompt cannot be simplified: it lacks {name or mark.strip()!r}")
    return before, after


def _first_sentence(paragraph: str) -> str:
    return re.split(r"(?<=[.!?])\s|(?<=[。！？])", paragraph, maxsplit=1)[0]
