"""The rubric judge: one transcript, a number per criterion."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from eibench import (
    ChatResponse,
    JsonDict,
    Message,
    Model,
    PairScore,
    Score,
    Value,
    no_answer,
)
from eibench.core.types import Json

from .asking import REASONING, Outcome, Reading, ask, object_schema, read_form
from .grading import JudgeForm, Said, described
from .lines import CLOSING, OPENING, labelled
from .pairwise import ReplyPair
from .prompts import Template
from .quoting import MORE_FOLLOWS, Quotable, says_more

_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:\s*(?:/|out of)\s*([0-9]{1,9}))?", re.ASCII)
_NOT_APPLICABLE = re.compile(r"\s*(?:n\s*/\s*a|not applicable)\W*", re.IGNORECASE)
_LINES = "Reply with a line for each criterion, NAME: NUMBER, from 0 to {scale}, and nothing after."
_TYPES: tuple[Json, Json] = ("number", ["number", "null"])
RUBRIC_SCORE = "rubric_score"
"""The mean of the criteria that count, from 0 to 100."""
_FORM = "Reply with the JSON object alone, each criterion once, as a number from 0 to {scale}."


@dataclass(frozen=True, slots=True)
class Rubric(JudgeForm["Verdict"]):
    """What a judge grades a reply by, and what becomes of its grades.

    Attributes:
        criteria: Their names in the order they are asked for, or a mapping from names to what
            each means, which the prompt then says.
        scale: The highest number; the lowest is 0.
        reasoning: What the form says in the place of the judge's reasoning.
        lower_is_better: Criteria of which less is better; they count the other way round.
        neutral: Criteria that are reported and not counted: neither end is better.
        optional: Criteria that a judge may leave out where they do not apply.
        form: ``json``, or ``lines`` such as ``Tact: 7``.

    Raises:
        ValueError: One of the others names what is no criterion, or there is no such form.
    """

    criteria: Collection[str]
    scale: int
    reasoning: str = "what you saw, and how it bears on each criterion"
    lower_is_better: Collection[str] = field(default=(), kw_only=True)
    neutral: Collection[str] = field(default=(), kw_only=True)
    optional: Collection[str] = field(default=(), kw_only=True)
    form: Literal["json", "lines"] = field(default="json", kw_only=True)

    def __post_init__(self) -> None:
        for name in (*self.lower_is_better, *self.neutral, *self.optional):
            if name not in self.criteria:
                raise ValueError(f"{name!r} is no criterion of the rubric")
        if self.form not in ("json", "lines"):
            raise ValueError(f"a rubric's form is json or lines, not {self.form!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """The criteria's names."""
        return tuple(self.criteria)

    @property
    def counted(self) -> tuple[str, ...]:
        """The criteria that make the score."""
        return tuple(name for name in self.criteria if name not in self.neutral)

    @property
    def described(self) -> str:
        """The criteria, a line each."""
        return described(self.names, self.criteria)

    @property
    def shown(self) -> str:
        """The empty form, as a prompt shows it."""
        return output_format(self)

    async def ask(
        self,
        judge: Model,
        messages: Sequence[Message],
        *,
        cache_prefix: int = 0,
        constrained: bool = True,
    ) -> "Outcome[Verdict]":
        """A judge's verdict, as `ask_for_verdict` has it."""
        shared = {"cache_prefix": cache_prefix}
        return await ask_for_verdict(judge, messages, self, **shared, constrained=constrained)

    def total(self, grades: Mapping[str, float]) -> float:
        """The mean of the criteria that count, from 0 to 100, as far as they are graded."""
        counted = [name for name in self.counted if name in grades]
        mirrored = {
            n: self.scale - g if n in self.lower_is_better else g for n, g in grades.items()
        }
        return rubric_score(mirrored, counted, self.scale)

    def score_of(self, filled: "Verdict") -> Score:
        """The rubric score, and the grade of each criterion."""
        return Score({RUBRIC_SCORE: self.total(filled.scores), **filled.scores})

    def values(self, *, over: str = "items", by: tuple[str, ...] = ()) -> tuple[Value, ...]:
        """What such a score holds: the rubric score (0-100), and each criterion on its scale."""
        label, ends = "rubric score (0-100)", (0.0, 100.0)
        return (
            Value(RUBRIC_SCORE, label, range=ends, over=over, by=by),
            *(self._value(name, over) for name in self.criteria),
        )

    def _value(self, name: str, over: str) -> Value:
        kind, better = "quality criteria", True if name in self.counted else None
        if better is None:
            kind = "style criteria, neither end better"
        elif name in self.lower_is_better:
            kind, better = "quality criteria, less is better", False
        group, ends = f"{kind} (0-{self.scale})", (0, self.scale)
        return Value(name, range=ends, higher_is_better=better, group=group, over=over)

    async def compare(
        self,
        judge: Model,
        template: Template,
        first: Said,
        second: Said,
        *,
        limit: int | None = None,
        **values: str,
    ) -> PairScore:
        """Which of two replies has more of each criterion that counts; turned where less is better.

        Args:
            judge: The one that `Pairwise.compare` was given.
            template: Its prompt, with the places ``{one}`` and ``{other}`` (what the two are
                called), ``{first}`` and ``{second}`` (what they said), ``{criteria}``, ``{form}``.
            first: What was said by the one that is shown first.
            second: By the other.
            limit: Most characters of each; what is longer is cut.
            **values: What goes into the template's other places.

        Raises:
            ProviderError: The judge gave no reply.
            MissingCall: Offline, and the journal does not hold a reply.
        """
        counted = dict.fromkeys(self.counted)
        meanings = (
            {n: self.criteria[n] for n in counted} if isinstance(self.criteria, Mapping) else ()
        )
        pair = ReplyPair(template, first, second, limit)
        texts = {**values, "criteria": described(self.counted, meanings)}
        outcome = await pair.ask(judge, self.counted, texts)
        margins = outcome.value.margins if outcome.value else {}
        mirrored = {n: -m if n in self.lower_is_better else m for n, m in margins.items()}
        return PairScore(mirrored, outcome.reason, outcome.flags, *pair.lengths, outcome.replies)


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
    """The form that a prompt shows: the reasoning first, ``0-20`` for numbers."""
    if rubric.form == "lines":
        return "\n".join(
            [f"({rubric.reasoning})", *(f"{n}: 0-{rubric.scale}" for n in rubric.names)]
        )
    shown = {REASONING: rubric.reasoning, **dict.fromkeys(rubric.criteria, 0)}
    text = json.dumps(shown, indent=2, ensure_ascii=False)
    return re.sub(r": 0(,?)$", rf": 0-{rubric.scale}\1", text, flags=re.MULTILINE)


def schema(rubric: Rubric) -> JsonDict:
    """The form as a JSON schema, for providers that hold a reply to one."""
    fields = {n: {"type": _TYPES[n in rubric.optional]} for n in rubric.criteria}
    return object_schema(REASONING, fields)


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
    outcome = await ask(
        judge,
        messages,
        lambda response: read_verdict(response, rubric, messages),
        form=(_LINES if rubric.form == "lines" else _FORM).format(scale=rubric.scale),
        cache_prefix=cache_prefix,
        json_schema=schema(rubric) if constrained and rubric.form == "json" else None,
    )
    if outcome.value and outcome.value.unknown:
        judge.note(unknown_keys=list(outcome.value.unknown))
    return outcome


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
    quotable = Quotable(prompt, rubric.names, REASONING)
    if rubric.form == "lines":
        return _read_lines(response, rubric, quotable)
    reading = read_form(
        response,
        rubric.names,
        lambda value: _score(value, rubric.scale),
        f"a number from 0 to {rubric.scale}",
        quotable,
        rubric.optional,
    )
    if reading.value is None:
        return Reading(None, reading.reason)
    filled = reading.value
    if rubric.counted and not any(name in filled.values for name in rubric.counted):
        return Reading(None, "it grades nothing that counts")
    as_text = any(isinstance(value, str) for value in filled.raw.values())
    verdict = Verdict(filled.values, filled.reasoning, filled.unknown)
    return Reading(verdict, None, (*reading.flags, *["number as text"] * as_text))


def _read_lines(response: ChatResponse, rubric: Rubric, quotable: Quotable) -> Reading[Verdict]:
    """A verdict, if the reply ends with a line for every criterion."""
    if reason := no_answer(response):
        return Reading(None, reason.replace("the model", "the judge"))
    if response.truncated:
        return Reading(None, "cut off by the token limit")
    if quotable.holds_part:
        return Reading(None, quotable.why)
    grades: dict[str, set[float | None]] = {}
    rest: list[str] = []
    for line in response.text.splitlines():
        rest.append(line)
        for name, answer in labelled(line, rubric.names, mentioned="[0-9]"):
            rest.clear()
            value = re.sub(rf"^{OPENING}|{CLOSING}$", "", answer)
            if name in rubric.optional and _NOT_APPLICABLE.fullmatch(value):
                continue
            grade = _score(value, rubric.scale)
            grades.setdefault(name, set()).add(grade)
    return _of_lines(grades, "\n".join(rest), rubric)


def _of_lines(
    answers: Mapping[str, set[float | None]], rest: str, rubric: Rubric
) -> Reading[Verdict]:
    if says_more(rest):
        return Reading(None, MORE_FOLLOWS)
    grades: dict[str, float] = {}
    for name in rubric.names:
        of_name = answers.get(name, set())
        if not of_name and name in rubric.optional:
            continue
        grade = next(iter(of_name), None)
        if grade is None or len(of_name) > 1:
            wrong = f"{name}: not one number from 0 to {rubric.scale}"
            return Reading(None, wrong if of_name else f"it lacks {name}")
        grades[name] = grade
    if not any(name in grades for name in rubric.counted):
        return Reading(None, "it grades nothing that counts")
    return Reading(Verdict(grades), None, ("lines",))


def _score(value: object, scale: int) -> float | None:
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        if not match or (match[2] and int(match[2]) != scale):
            return None
        value = float(match[1])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= scale else None  # NaN is not in the range either
