"""What a refused request could go without, and which part of it a refusal is about.

Servers refuse what they do not know in hundreds of wordings, or in none. So a name in a refusal
says what to leave out first, and nothing else follows from it: what is left out for good is
decided by whether the request is taken without it (`terms`).
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..errors import ErrorKind, ProviderError
from .error_bodies import HttpFailure

SYSTEM, TURNS, WARM, ROOM = "system", "turns", "warm", "room:"
"""Steps that change a request: see `terms.ServerTerms`."""
LIMITS = ("max_tokens", "max_completion_tokens")
_CALLED = {
    "response_format": r"response[ _.]?format|json[ _]?(schema|mode|object|output)|schema"
    r"|structured[ _]?(output|decoding|response)|guided|grammar",
    "seed": r"seed",
    "min_p": r"min[ _-]?p",
    "top_k": r"top[ _-]?k",
    "top_p": r"top[ _-]?p|nucleus",
    "stop": r"stop[ _]?(sequences?|strings?|words?|tokens?)?",
    TURNS: r"alternat\w+|consecutive|interleav\w+|roles? must"
    r"|(first|last|final) (message|turn|role)"
    r"|(begin|start|end)s? with (a |an |the )?['\"`]?(user|human|assistant)"
    r"|conversation (roles|must|should)|same role",
    SYSTEM: r"system|developer (message|instruction|role)",
    "temperature": r"temperature",
    "reasoning_effort": r"reasoning([ _.]?effort)?|effort|thinking",
    "thinking": r"thinking|reasoning",
    "effort": r"effort|output[ _]?config",
}
"""What refusals call each step, from the one that does least harm to a result to the worst."""
_ALIKE = {"format": "response_format", "stop_sequences": "stop"}
HARM = (
    "response_format", "format", "seed", "min_p", "top_k", "top_p", "stop", "stop_sequences",
    TURNS, SYSTEM, WARM, "temperature", "reasoning_effort", "effort", "thinking",
)  # fmt: skip
"""All steps, likewise; rooms come after them."""
_REFUSES = re.compile(
    r"(not|n't|no longer) (be )?(support|allow|accept|permit|available|recogni[sz]|implement|used)"
    r"|(not|n't) (be )?usable|unsupported|deprecated|replaced|renamed|unrecogni[sz]ed|unknown"
    r"|unexpected|extraneous|extra_forbidden|extra inputs|may only be set|must be unset|disabled"
    r"|unavailable|removed|cannot (both )?be (used|set|specified)",
    re.IGNORECASE,
)
_TOO_COLD = re.compile(
    r"positive|greater|above|> ?=? ?0|larger|at least|non-?zero|(not|n't|cannot) (be )?(0|zero)"
    r"|between|range",
    re.IGNORECASE,
)
"""How a server asks for another temperature than 0."""
_ONE_OF_THEM = re.compile(r"\bboth\b|\bonly one\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:when|if|unless|while|instead)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!;])\s+")
_READ = 2000
"""Characters of a refusal in which a name is looked for."""
_VARYING = re.compile(r"[0-9a-f]{8,}|\d+", re.IGNORECASE)


class RefusedRequest(NamedTuple):
    """A refused request: the error, what the server said, and what it says each time alike."""

    error: ProviderError
    failure: HttpFailure
    same: str

    @classmethod
    def of(cls, error: ProviderError) -> "RefusedRequest | None":
        """That of an error; ``None`` for one that says nothing of how a request may be."""
        failure = error.answer
        if error.kind is not ErrorKind.INVALID_REQUEST or not isinstance(failure, HttpFailure):
            return None
        words = f"{failure.status} {failure.code} {failure.parameter} {failure.message}"
        return cls(error, failure, _VARYING.sub("#", words))


def names(step: str, text: str) -> bool:
    """Whether a text speaks of a step; letters of other scripts may stand right beside it."""
    words = _CALLED.get(_ALIKE.get(step, step)) or re.escape(step).replace("_", "_?")
    return re.search(rf"(?<![^\W_])(?:{words})(?![^\W_])", text, re.I | re.ASCII) is not None


def named_steps(failure: HttpFailure, steps: Sequence[str], typed: Collection[str]) -> list[str]:
    """The steps that a refusal is about, the surest first; none where it names nothing.

    What it says is not taken at all comes before what it only speaks of. Of fields that exclude
    each other, the one that a person has set stays, else the one whose absence does more harm.
    A field that a person has set is left out where the server does not know it; a value of it
    that is wrong is theirs to mend.
    """
    message, code, parameter = failure.message[:_READ], failure.code[:99], failure.parameter[:99]
    failure = failure._replace(message=message, code=code, parameter=parameter)
    refused = [step for step in steps if _is_refused(step, failure, steps, typed)]
    text = f"{failure.parameter} {failure.code} {failure.message}"
    spoken = [s for s in steps if s not in typed and s not in LIMITS and names(s, text)]
    if WARM in steps and "temperature" in spoken:
        at = [WARM] if _TOO_COLD.search(text) or "temperature" not in refused else []
        return list(dict.fromkeys([*at, *refused, *spoken]))
    return list(dict.fromkeys([*refused, *spoken]))


def speaks_of_typed(failure: HttpFailure, typed: Collection[str]) -> bool:
    """Whether a refusal is about what a person has set, and insists on."""
    text = f"{failure.parameter} {failure.message}"
    return any(names(step, text) for step in typed)


def speaks_of_another_name(failure: HttpFailure) -> bool:
    """Whether a refusal names the token limit in both ways."""
    return all(names(limit, failure.message) for limit in LIMITS)


def _is_refused(
    step: str, failure: HttpFailure, steps: Sequence[str], typed: Collection[str]
) -> bool:
    """Whether a server says that it does not take a step at all."""
    is_wrong_value = step in LIMITS and "value" in failure.code
    words = failure.code
    if failure.parameter and not any(names(other, failure.message) for other in steps):
        words += f" {failure.message}"  # "Unsupported parameter", and the field beside it alone
    if failure.parameter and names(step, failure.parameter) and _REFUSES.search(words):
        return not is_wrong_value
    for sentence in _SENTENCE.split(failure.message):
        # "temperature may only be set to 1 when thinking is enabled" is about temperature.
        clause = _CONDITION.split(sentence)[0]
        if not (_REFUSES.search(f"{failure.code} {clause}") and names(step, clause)):
            continue
        if not _ONE_OF_THEM.search(clause):
            return True
        named = [other for other in steps if names(other, clause)]
        named.sort(key=lambda other: (other in typed, HARM.index(other) if other in HARM else 99))
        return len(named) < 2 or step != named[-1]
    return False
