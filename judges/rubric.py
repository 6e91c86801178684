"""The rubric judge: one transcript, a number per criterion."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eibench import JsonDict
from eibench.core.benchmark import Model
from eibench.core.types import ChatResponse, Message

from .asking import REASONING, Outcome, Reading, ask, object_schema, read_form
from .quoting import Quotable

_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:\s*(?:/|out of)\s*([0-9]{1,9}))?", re.ASCII)
_FORM = "Reply with the JSON object alone, each criterion once, as a number from 0 to {scale}."


@dataclass(frozen=True, slots=True)
class Rubric:
    """What a judge grades a transcript by.

    Attributes:
        criteria: In the order they are asked for.
        scale: The highest number; the lowest is 0.
        reasoning: What the form says in the place of the judge's reasoning.
    """

    criteria: tuple[str, ...]
    scale: int
    reasoning: str = "what you saw, and how it bears on each criterion"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one transcript.

    Attributes:
        scores: A number from 0 to the rubric's scale for each criterion.
        reasoning: The judge's own words, if it gave any.
        unknown: Further keys of its reply, which count for nothing.
    """

    scores: Mapping[str, float]
    reasoning: str = ""
    unknown: tuple[str, ...] = ()


def output_format(rubric: Rubric) -> str:
    """The form that a prompt shows: indented JSON, the reasoning first, ``0-20`` for numbers."""
    shown = {REASONING: rubric.reasoning, **dict.fromkeys(rubric.criteria, 0)}
    text = json.dumps(shown, indent=2, ensure_ascii=False)
    return re.sub(r": 0(,?)$", rf": 0-{rubric.scale}\1", text, flags=re.MULTILINE)


def schema(rubric: Rubric) -> JsonDict:
    """The form as a JSON schema, for providers that hold a reply to one."""
    return object_schema(REASONING, {name: {"type": "number"} for name in rubric.criteria})


def rubric_score(scores: Mapping[str, float], scored: Sequence[str], scale: int) -> float:
    """The mean of a verdict's scored criteria, from 0 to 100."""
    return 100 / scale * sum(scores[name] for name in scored) / len(scored)


async def ask_for_verdict(
    judge: Model,
    messages: Sequence[Message],
    rubric: Rubric,
    *,
    cache_prefix: int = 0,
    constrained: bool = True,
) -> Outcome[Verdict]:
    """A judge's verdict on one transcript.

    Args:
        judge: The model to ask.
        messages: The prompt, with the transcript in it.
        rubric: What it asks for.
        cache_prefix: How many leading messages many prompts share.
        constrained: Send the form as a JSON schema too, for providers that hold a reply to one.

    Raises:
        ProviderError: No reply could be had.
        MissingCall: Offline, and the journal does not hold a reply.
    """
    return await ask(
        judge,
        messages,
        lambda response: read_verdict(response, rubric, messages),
        form=_FORM.format(scale=rubric.scale),
        cache_prefix=cache_prefix,
        json_schema=schema(rubric) if constrained else None,
    )


def read_verdict(
    response: ChatResponse, rubric: Rubric, prompt: Sequence[Message] = ()
) -> Reading[Verdict]:
    """A verdict, if the reply ends with a number in range for every criterion.

    ``"15"`` and ``"15/20"`` are read, and flagged. Nothing else that is not a number is.

    Args:
        response: The judge's reply.
        rubric: What it was asked for.
        prompt: What it was sent: what it may quote from there is no verdict.
    """
    found = read_form(
        response,
        rubric.criteria,
        lambda value: _score(value, rubric.scale),
        f"a number from 0 to {rubric.scale}",
        Quotable(prompt, rubric.criteria, REASONING),
    )
    if found.value is None:
        return Reading(None, found.reason)
    filled = found.value
    as_text = any(isinstance(value, str) for value in filled.raw.values())
    verdict = Verdict(filled.values, filled.reasoning, filled.unknown)
    return Reading(verdict, None, (*found.flags, *["number as text"] * as_text))


def _score(value: object, scale: int) -> float | None:
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        if not match or (match[2] and int(match[2]) != scale):
            return None
        value = float(match[1])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= scale else None  # NaN is not in the range either
