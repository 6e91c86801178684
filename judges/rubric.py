"""The rubric judge: one transcript, a number per criterion."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
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
from .rewriting import takes_leave

_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:\s*(?:/|out of)\s*([0-9]{1,9}))?", re.ASCII)
_STEP = re.compile(r"[-+−]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)", re.ASCII)
_NOT_APPLICABLE = re.compile(r"\s*(?:n\s*/\s*a|not applicable)\b\D*", re.IGNORECASE)
_WORD = re.compile(rf"{OPENING}[^\W\d_]")
_LINES = "Reply with a line for each criterion, NAME: NUMBER, {range}, and nothing after."
_TYPES: tuple[Json, Json] = ("number", ["number", "null"])
RUBRIC_SCORE = "rubric_score"
"""The mean of the criteria that count, from 0 to 100, or on the scale of the steps."""
_FORM = "Reply with the JSON object alone, each criterion once, as {number}."


@dataclass(frozen=True, slots=True)
class Rubric(JudgeForm["Verdict"]):
    """What a judge grades a reply by, and what becomes of its grades.

    Attributes:
        criteria: Their names in the order they are asked for, or a mapping from names to what
            each means, which the prompt then says.
        scale: The highest number; the lowest is 0. 0 where there are `steps`.
        reasoning: What the form says in the place of the judge's reasoning.
        lower_is_better: Criteria of which less is better; they count the other way round.
        neutral: Criteria that are reported and not counted: neither end is better.
        optional: Criteria that a judge may leave out where they do not apply. Where it gives null
            for all that count, the reply cannot be graded, and is unscored.
        form: ``json``, or ``lines`` such as ``Tact: 7``.
        steps: The only numbers there are, such as ``(-1, -0.5, 0.5, 1)``, in place of a scale; the
            score is on their scale.
        weights: What criteria count in the score; 1 where nothing is said.

    Raises:
        ValueError: One of the others names what is no criterion, or there is no such form, scale,
            step or weight.
    """

    criteria: Collection[str]
    scale: int = 0
    reasoning: str = "what you saw, and how it bears on each criterion"
    lower_is_better: Collection[str] = field(default=(), kw_only=True)
    neutral: Collection[str] = field(default=(), kw_only=True)
    optional: Collection[str] = field(default=(), kw_only=True)
    form: Literal["json", "lines"] = field(default="json", kw_only=True)
    steps: tuple[float, ...] = field(default=(), kw_only=True)
    weights: Mapping[str, float] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        for name in (*self.lower_is_better, *self.neutral, *self.optional, *self.weights):
            if name not in self.criteria:
                raise ValueError(f"{name!r} is no criterion of the rubric")
        if self.form not in ("json", "lines"):
            raise ValueError(f"a rubric's form is json or lines, not {self.form!r}")
        if self.steps and (
            self.scale or len(set(self.steps)) < 2 or not all(map(isfinite, self.steps))
        ):
            raise ValueError(f"a rubric has a scale, or at least two steps: {self.steps}")
        if not self.steps and not self.scale > 0:
            raise ValueError(f"a rubric's scale is a number above 0, not {self.scale!r}")
        for name, weight in self.weights.items():
            if name in self.neutral or not 0 < weight < inf:
                raise ValueError(
                    f"{name!r} does not count with the weight {weight!r}: above 0, and not neutral"
                )

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number."""
        return (min(self.steps), max(self.steps)) if self.steps else (0, self.scale)

    @property
    def number(self) -> str:
        """What a grade is, in words."""
        if self.steps:
            return f"one of {', '.join(f'{step:g}' for step in self.steps)}"
        return f"a number from 0 to {self.scale}"

    @property
    def blank(self) -> str:
        """What a form shows in the place of a number."""
        return " | ".join(f"{s:g}" for s in self.steps) if self.steps else f"0-{self.scale}"

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
        """The mean of the criteria that count, by weight, as far as they are graded.

        From 0 to 100, or between the ends of the steps.
        """
        low, high = self.ends
        weights = {name: self.weights.get(name, 1) for name in self.counted if name in grades}
        mirrored = {
            n: low + high - g if n in self.lower_is_better else g for n, g in grades.items()
        }
        weighted = sum(weight * mirrored[name] for name, weight in weights.items())
        return (1 if self.steps else 100 / high) * weighted / sum(weights.values())

    def score_of(self, filled: "Verdict") -> Score:
        """The rubric score, and the grade of each criterion."""
        if not any(name in filled.scores for name in self.counted):
            return Score.unscored("the judge says that the reply cannot be graded")
        return Score({RUBRIC_SCORE: self.total(filled.scores), **filled.scores})

    def values(self, *, over: str = "items", by: tuple[str, ...] = ()) -> tuple[Value, ...]:
        """What such a score holds: the rubric score, and each criterion on its scale."""
        ends = self.ends if self.steps else (0.0, 100.0)
        label = f"rubric score ({ranged(ends)})"
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
        group = f"{kind} ({ranged(self.ends)})"
        return Value(name, range=self.ends, higher_is_better=better, group=group, over=over)

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
        scores: A number on the rubric's scale, or one of its steps, for each criterion.
        reasoning: The judge's own words, if it gave any.
        unknown: Further keys of its reply, which count for nothing.
    """

    scores: Mapping[str, float]
    reasoning: str = ""
    unknown: tuple[str, ...] = ()


def output_format(rubric: Rubric) -> str:
    """The form that a prompt shows: the reasoning first, ``0-20`` for numbers."""
    if rubric.form == "lines":
        return "\n".join([f"({rubric.reasoning})", *(f"{n}: {rubric.blank}" for n in rubric.names)])
    shown = {REASONING: rubric.reasoning, **dict.fromkeys(rubric.criteria, 0)}
    text = json.dumps(shown, indent=2, ensure_ascii=False)
    return re.sub(r": 0(,?)$", rf": {rubric.blank}\1", text, flags=re.MULTILINE)


def ranged(ends: tuple[float, float]) -> str:
    """``0-10``, or ``-1 to 1`` where a dash would be read as a sign."""
    low, high = ends
    return f"{low:g}-{high:g}" if low >= 0 else f"{low:g} to {high:g}"


def schema(rubric: Rubric) -> JsonDict:
    """The form as a JSON schema, for providers that hold a reply to one."""
    fields: dict[str, JsonDict] = {
        n: {"type": _TYPES[n in rubric.optional]} for n in rubric.criteria
    }
    for name, rule in fields.items() if rubric.steps else ():
        rule["enum"] = [*rubric.steps, *[None] * (name in rubric.optional)]
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
        form=_LINES.format(range=rubric.number.removeprefix("a number "))
        if rubric.form == "lines"
        else _FORM.format(number=rubric.number),
        cache_prefix=cache_prefix,
        json_schema=schema(rubric) if constrained and rubric.form == "json" else None,
    )
    if outcome.value and outcome.value.unknown:
        judge.note(unknown_keys=list(outcome.value.unknown))
    return outcome


def read_verdict(
    response: ChatResponse, rubric: Rubric, prompt: Sequence[Message] = ()
) -> Reading[Verdict]:
    """A verdict, if the reply ends with a number in range, or a step, for every criterion.

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
        lambda value: _score(value, rubric),
        rubric.number,
        quotable,
        rubric.optional,
    )
    if reading.value is None:
        return Reading(None, reading.reason)
    filled = reading.value
    if rubric.counted and all(filled.raw.get(name, 0) is None for name in rubric.counted):
        return Reading(Verdict({}, filled.reasoning, filled.unknown), reading.reason, reading.flags)
    if rubric.counted and not any(name in filled.values for name in rubric.counted):
        return Reading(None, "it grades nothing that counts")
    as_text = any(isinstance(value, str) for value in filled.raw.values())
    verdict = Verdict(filled.values, filled.reasoning, filled.unknown)
    return Reading(verdict, reading.reason, (*reading.flags, *["number as text"] * as_text))


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
        start = "[-+−.0-9]" if rubric.steps else "[0-9]"
        for name, answer in labelled(line, rubric.names, mentioned=start):
            value = re.sub(rf"^{OPENING}(?:score\b{OPENING})?|{CLOSING}$", "", answer, flags=re.I)
            applies = name not in rubric.optional or not _NOT_APPLICABLE.fullmatch(value)
            if applies and _WORD.match(value):  # the analysis, perhaps: it gives no grade
                grades.setdefault(name, set())
                continue
            rest.clear()
            if applies:
                grades.setdefault(name, set()).add(_score(value, rubric))
    return _of_lines(grades, "\n".join(rest), rubric)


def _of_lines(
    answers: Mapping[str, set[float | None]], rest: str, rubric: Rubric
) -> Reading[Verdict]:
    grades: dict[str, float] = {}
    for name in rubric.names:
        of_name = answers.get(name)
        if of_name is None and name in rubric.optional:
            continue
        grade = next(iter(of_name or ()), None)
        if grade is None or len(of_name or ()) > 1:
            wrong = f"{name}: not {rubric.number.replace('a number', 'one number')}"
            return Reading(None, f"it lacks {name}" if of_name is None else wrong)
        grades[name] = grade
    more = says_more(rest)
    if more and not takes_leave(rest, rubric.names):
        return Reading(None, MORE_FOLLOWS)
    if not any(name in grades for name in rubric.counted):
        return Reading(None, MORE_FOLLOWS if more else "it grades nothing that counts")
    if more:
        return Reading(Verdict(grades), MORE_FOLLOWS, ("closing words",))
    return Reading(Verdict(grades))


def _score(value: object, rubric: Rubric) -> float | None:
    if isinstance(value, str):
        text = value.strip()
        match = (_STEP if rubric.steps else _NUMBER).fullmatch(text)
        if not match or (not rubric.steps and match[2] and int(match[2]) != rubric.scale):
            return None
        value = float(text.replace("−", "-") if rubric.steps else match[1])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    low, high = rubric.ends
    fits = value in rubric.steps if rubric.steps else low <= value <= high
    return float(value) if fits else None  # NaN is not in the range either
