"""The pairwise judge: two transcripts, and for each criterion which is stronger and by how much.

The respondents go by codes that are drawn from a hash of what is compared, so that
no model can know its own, and a replay asks the same. There are no draws; a tie can
only come of adding up. Transcripts are cut alike before, so that length alone does not win.
What is counted is declared by the pack: characters, or tokens by a counter that needs no
network and no model's vocabulary. `Pair` does all of this for two replies in one prompt.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from eibench import Model
from eibench.core.types import ChatResponse, Message

from .asking import REASONING, Outcome, Reading, ask, object_schema, read_form
from .grading import Said, messages_of, said_in
from .prompts import Template, fill
from .quoting import Quotable

MARK = "... [truncated]"
"""Stands where a text was cut."""
_TOKEN = re.compile(r"\w{1,6}|[^\w\s]")


def count_tokens(text: str) -> int:
    """Tokens by the declared counter: a run of up to six letters or digits, or one other sign.

    On English prose it counts within a few percent of what current models' tokenizers do.
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def truncate(text: str, limit: int, unit: str) -> str:
    """A text cut to a limit, with a mark where it was.

    Args:
        text: Any length.
        limit: Most characters or tokens, without the mark.
        unit: ``characters`` or ``tokens``.

    Raises:
        ValueError: There is no such unit.
    """
    if unit == "characters":
        return text if len(text) <= limit else text[:limit] + MARK
    if unit != "tokens":
        raise ValueError(f"truncation counts characters or tokens, not {unit!r}")
    for number, match in enumerate(_TOKEN.finditer(text), start=1):
        if number > limit:
            return text[: match.start()].rstrip() + MARK
    return text


MOST_PLUSES = 5
_DRAWS = 100
"""Of codes of one length: among so many there is one, unless the texts are made of numbers."""
_FORM = (
    "Reply with the JSON object alone: for each criterion the code of the stronger respondent, "
    "followed by one to five plus signs."
)
_KEY = re.compile(r'^[^\S\n]*"(\w+)"\s*:', re.MULTILINE)


class Codes(NamedTuple):
    """What two respondents are called in one comparison."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Margins:
    """How a judge compared two transcripts.

    Attributes:
        margins: For each criterion 1 to 5 where the first one wins, -1 to -5 where the second.
        reasoning: The judge's own words, if it gave any.
        unknown: Further keys of its reply, which count for nothing.
    """

    margins: Mapping[str, int]
    reasoning: str = ""
    unknown: tuple[str, ...] = ()


def draw_codes(seed: str, *taken: str) -> Codes:
    """Two codes such as ``A4711``, drawn from a hash; none occurs in the texts `taken`.

    They get longer where the texts hold so many numbers that none of four digits is left.
    """
    codes: list[str] = []
    number = 0
    while len(codes) < 2:
        least = 1000 * 10 ** (number // _DRAWS)
        drawn = hashlib.sha256(f"{seed}:{number}".encode()).digest()
        code = f"A{least + int.from_bytes(drawn[:8], 'big') % (9 * least)}"
        if code not in codes and not any(code[1:] in text for text in taken):
            codes.append(code)
        number += 1
    return Codes(*codes)


def criteria_of(template: str) -> tuple[str, ...]:
    """The criteria that a template's form asks for: its JSON keys but the reasoning."""
    keys = dict.fromkeys(_KEY.findall(template))
    return tuple(key for key in keys if key != REASONING)


def schema(criteria: Sequence[str], codes: Codes) -> dict[str, Any]:
    """The form as a JSON schema, for providers that hold a reply to one."""
    choices = [code + "+" * n for code in codes for n in range(1, MOST_PLUSES + 1)]
    return object_schema(
        REASONING, {name: {"type": "string", "enum": choices} for name in criteria}
    )


async def ask_for_margins(
    judge: Model,
    messages: Sequence[Message],
    criteria: Sequence[str],
    codes: Codes,
    *,
    cache_prefix: int = 0,
    constrained: bool = True,
) -> Outcome[Margins]:
    """A judge's comparison of two transcripts.

    Args:
        judge: The model to ask.
        messages: The prompt, with both transcripts in it.
        criteria: What it asks for.
        codes: What the respondents are called in it.
        cache_prefix: How many leading messages many prompts share.
        constrained: Send the form as a JSON schema too, for providers that hold a reply to one.

    Raises:
        ProviderError: No reply could be had.
        MissingCall: Offline, and the journal does not hold a reply.
    """
    return await ask(
        judge,
        messages,
        lambda response: read_margins(response, criteria, codes, messages),
        form=_FORM,
        cache_prefix=cache_prefix,
        json_schema=schema(criteria, codes) if constrained else None,
    )


def read_margins(
    response: ChatResponse,
    criteria: Sequence[str],
    codes: Codes,
    prompt: Sequence[Message] = (),
) -> Reading[Margins]:
    """The margins, if every criterion has exactly one of the two codes and 1 to 5 pluses.

    Args:
        response: The judge's reply, which has to end with them.
        criteria: What it was asked for.
        codes: What the respondents are called.
        prompt: What it was sent: what it may quote from there is no comparison.
    """
    reading = read_form(
        response,
        criteria,
        lambda value: _margin(value, codes),
        "one of the two codes with one to five pluses",
        Quotable(prompt, criteria, REASONING, r"\w+\s*\++"),
    )
    if reading.value is None:
        return Reading(None, reading.reason)
    filled = reading.value
    margins = Margins(filled.values, filled.reasoning, filled.unknown)
    return Reading(margins, reading.reason, reading.flags)


def _margin(value: object, codes: Codes) -> int | None:
    match = re.fullmatch(r"\s*(\w+)\s*(\++)\s*", value) if isinstance(value, str) else None
    if match is None or match[1] not in codes or len(match[2]) > MOST_PLUSES:
        return None
    return len(match[2]) if match[1] == codes.first else -len(match[2])


class ReplyPair:
    """Two replies, cut alike, each under a code that neither text holds.

    The template has the places ``{one}``, ``{other}``, ``{first}``, ``{second}``, ``{criteria}``
    and ``{form}``; `limit` is in characters.
    """

    def __init__(self, template: Template, first: Said, second: Said, limit: int | None) -> None:
        plain = [said_in(reply, Template("")) for reply in (first, second)]
        self.codes = draw_codes("\n".join(plain), *plain)
        named = {"one": self.codes.first, "other": self.codes.second}
        self.template = Template(fill(template.user, named), fill(template.system, named))
        texts = [said_in(reply, self.template) for reply in (first, second)]
        self.texts = [truncate(t, limit, "characters") if limit else t for t in texts]

    @property
    def lengths(self) -> tuple[int, int]:
        """Characters of both, as the judge sees them."""
        return len(self.texts[0]), len(self.texts[1])

    async def ask(
        self, judge: Model, criteria: Sequence[str], values: Mapping[str, str]
    ) -> Outcome[Margins]:
        """What the judge says of them, by criterion."""
        first, second = self.texts
        texts = {**values, "first": first, "second": second, "form": self._form(criteria)}
        messages = messages_of(self.template, texts)
        shared = len(messages) - 1
        return await ask_for_margins(judge, messages, criteria, self.codes, cache_prefix=shared)

    def _form(self, criteria: Sequence[str]) -> str:
        """The empty form, as the prompt shows it."""
        of_each = (
            f"{self.codes.first} or {self.codes.second}, whoever has more of it, then + to +++++"
        )
        shown = {REASONING: "what sets them apart", **dict.fromkeys(criteria, of_each)}
        return json.dumps(shown, indent=2, ensure_ascii=False)
