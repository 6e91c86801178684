"""Writing prompts as upstream has them: a text with a place for a seed, and the seeds."""

from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from eibench import ChatResponse, DataError, Message, MissingCall, Model, no_answer, read_json

SEED = "<SEED>"
"""The place in a prompt for what an iteration asks for beside."""


class WritingPrompt(NamedTuple):
    """What a model is asked to write."""

    text: str
    seeds: tuple[str, ...]
    """In the order of the iterations, beginning again after the last; empty for none."""

    def asked(self, iteration: int) -> str:
        """The prompt of an iteration, counted from 1."""
        if not self.seeds:
            return self.text
        return self.text.replace(SEED, self.seeds[(iteration - 1) % len(self.seeds)])


class Piece(NamedTuple):
    """What a model wrote, and what it was asked."""

    asked: str
    reply: ChatResponse


async def ask_for_text(
    model: Model,
    messages: str | Sequence[Message],
    least: int,
    attempts: int,
    *,
    hotter: float = 0.0,
    cache_prefix: int = 0,
) -> ChatResponse:
    """The first of so many replies that is a text of `least` characters; else the last one.

    Each further attempt is `hotter` than the one before, up to a temperature of 1.
    """
    usual, reply = model.sampling.temperature, None
    for attempt in range(attempts):
        raised = None if usual is None else max(usual, min(1.0, round(usual + hotter * attempt, 6)))
        try:
            reply = await model.chat(messages, temperature=raised, cache_prefix=cache_prefix)
        except MissingCall:
            if reply is None:
                raise
            break
        lack = no_text(reply, least)
        model.mark(reply, lack)
        if lack is None:
            break
    assert reply is not None
    return reply


def no_text(reply: ChatResponse, least: int) -> str | None:
    """Why a reply is no text of `least` characters, blanks around it not counted."""
    n = len(reply.text.strip())
    short = f"the text has {n} characters; under {least} counts as none" if n < least else None
    return no_answer(reply) or short


def read_prompts(
    path: Path, *, seeded: bool = True
) -> Iterator[tuple[str, WritingPrompt, Mapping[str, Any]]]:
    """The prompts of a file by id, each with all that its row holds.

    Args:
        path: The file.
        seeded: Whether its rows list seeds.

    Raises:
        DataError: The file is not of its form; the message names the prompt.
    """
    rows = read_json(path)
    if not isinstance(rows, dict) or not rows:
        raise DataError(path, "is no object of writing prompts by id")
    for id, row in rows.items():
        if not isinstance(row, dict):
            raise DataError(path, "is no object", f"prompt {id}")
        text, seeds = str(row.get("writing_prompt") or ""), _listed(row.get("seed_modifiers"))
        seeds = seeds if seeded else []
        if wrong := _wrong(text, seeds):
            raise DataError(path, wrong, f"prompt {id}")
        yield id, WritingPrompt(text.strip(), tuple(seeds)), row


def _listed(seeds: Any) -> Any:
    """Seeds as a list, which some files have written as text."""
    try:
        return literal_eval(seeds) if isinstance(seeds, str) else seeds
    except (ValueError, SyntaxError):
        return seeds


def _wrong(text: str, seeds: object) -> str | None:
    """What is wrong with a prompt and its seeds, if anything is."""
    if not is_text(text):
        return 'needs "writing_prompt", a text'
    if not are_texts(seeds):
        return 'needs "seed_modifiers", a list of texts'
    if seeds and SEED not in text:
        return f'has "seed_modifiers" and no place {SEED} for them in its writing_prompt'
    if not seeds and SEED in text:
        return f'has the place {SEED} in its writing_prompt and no "seed_modifiers"'
    return None


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is a text that says something."""
    return isinstance(value, str) and bool(value.strip())


def are_texts(value: object) -> TypeGuard[list[str]]:
    """Whether a value is a list of such texts."""
    return isinstance(value, list) and all(map(is_text, value))
