"""The prompt without critique and revision, cut out of the full prompt.

The published code cuts its own sentences by their wording. This does the same by structure,
so that it holds for every pack whose prompts have the same headings, and no upstream text
is needed here.
"""

import re

_END_OF_DIALOGUE = "[End dialogue]"
_FIRST_HEADING = "First pass scores:\n"
_CRITIQUE = "\nCritique:"
_END_OF_ANSWER = "[End of answer]"
_CALL = "\nYour answer:\n"


def without_revision(prompt: str) -> str:
    """Return the simplified prompt: one set of ratings, no critique, no revision.

    Of the paragraph of instructions (the second one after the dialogue) the first sentence
    stays; the heading of the first pass goes, and everything from the critique to the mark
    of the answer's end; a call for the answer is added.

    Raises:
        ValueError: The prompt lacks one of these marks; the message names it.
    """
    dialogue, after = _cut(prompt, _END_OF_DIALOGUE)
    question, after = _cut(after.lstrip("\n"), "\n\n", "a paragraph of instructions")
    lead = prompt[len(dialogue) + len(_END_OF_DIALOGUE) : -len(question) - len(after) - 2]
    instructions, layout = _cut(after, "\n\n", "a paragraph after the instructions")
    head, answer = _cut(layout, _FIRST_HEADING)
    ratings, rest = _cut(answer, _CRITIQUE)
    _, end = _cut(rest, _END_OF_ANSWER)
    return (
        f"{dialogue}{_END_OF_DIALOGUE}{lead}{question}\n\n{_first_sentence(instructions)}"
        f"\n\n{head}{ratings}\n\n{_END_OF_ANSWER}{end}{_CALL}"
    )


def _cut(text: str, mark: str, name: str | None = None) -> tuple[str, str]:
    before, found, after = text.partition(mark)
    if not found:
        raise ValueError(f"the prompt cannot be simplified: it lacks {name or mark.strip()!r}")
    return before, after


def _first_sentence(paragraph: str) -> str:
    return re.split(r"(?<=[.!?])\s", paragraph, maxsplit=1)[0]
