"""How demo models judge in an exam: by what was done to each paragraph of a reply."""

from collections.abc import Callable
from random import Random

from .controls import marked_up
from .situations import DOSES, FAULTS, Versions

_WORTH = {"": 0.9, "small": 0.6, "medium": 0.4, "coarse": 0.05}
"""What a paragraph is worth by the dose that changed it, from 0 to 1."""


def with_worth(
    replies: Versions, prompt: str, rng: Random, words: Callable[[Versions, float, Random], str]
) -> str:
    """A judge's prompt in which each paragraph of a reply is as good as its dose says.

    Args:
        replies: Of the situation.
        prompt: What a judge is asked.
        rng: Where the words come from.
        words: Those of a demo model, for a worth from 0 to 1.
    """
    for name, other in replies.names.items():
        prompt = prompt.replace(other, name)
    worth: dict[str, float] = {}
    for dose in ("", *DOSES):
        for fault in FAULTS:
            text = replies.version(fault, dose)
            for shown in (text, marked_up(text)):
                for paragraph in shown.split("\n\n"):
                    worth.setdefault(paragraph, _WORTH[dose])
    for paragraph in sorted(worth, key=len, reverse=True):
        if paragraph in prompt and not paragraph.startswith("#"):
            prompt = prompt.replace(paragraph, words(replies, worth[paragraph], rng))
    return prompt
