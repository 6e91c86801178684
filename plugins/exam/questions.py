"""What a situation asks of a judge: a balanced draw of its versions, and some controls.

Over all situations every fault meets every dose, in grades and in both orders of comparisons,
equally often as far as their number allows. Any judge is asked the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from eibench import (
    Benchmark,
    ExaminesJudges,
    ExamSituation,
    Item,
    Model,
    Pack,
    Pairwise,
    SampleScore,
)

from . import controls
from .situations import DOSES, FAULTS, Canary, Versions

GRADE, PAIR = "grade", "pair"
VERSION, CANARY = "version", "canary"
CONTROLS = ("longer", "markdown", "names", "author", "injected", "again", "second")
"""The reply with sentences that say nothing, in Markdown, with other names, with the judge named
as its author, with an injected verdict; a question asked again; a pair the other way round."""
PER_SITUATION = 5
"""Controls of each situation."""


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    """One thing that a judge is asked.

    Attributes:
        form: ``grade``, or ``pair``: two replies of which `better` is the better one.
        what: ``version``, ``canary``, or one of `CONTROLS`.
        fault: Of the version that is graded, or of the worse one of a pair; of a canary its kind.
        dose: Likewise; empty for the good reply.
        better: Of a pair: the dose of the better reply.
        first: Of a pair: whether the better one is shown first.
    """

    form: str
    what: str = VERSION
    fault: str = ""
    dose: str = ""
    better: str = ""
    first: bool = True

    @property
    def key(self) -> str:
        """What names it among the values of a score."""
        return " ".join([self.form, self.what, self.fault or "-", self.dose or "-",
                         self.better or "-", "first" if self.first else "second"])  # fmt: skip

    @classmethod
    def of(cls, key: str) -> "ExamQuestion":
        """The question of a `key`."""
        form, what, *rest, shown = key.split(" ")
        fault, dose, better = ("" if one == "-" else one for one in rest)
        return cls(form, what, fault, dose, better, shown == "first")


def questions(number: int, has_pairs: bool = True) -> list[ExamQuestion]:
    """What situation `number` asks, from 0 on, without pairs where the benchmark has none."""
    block = number // len(FAULTS)

    def fault(offset: int, turn: int = 0) -> str:
        return FAULTS[(number + offset + turn * block) % len(FAULTS)]

    graded = [fault(0), fault(2, 1), fault(4, 2)]
    asked = [ExamQuestion(GRADE)]
    asked += [ExamQuestion(GRADE, fault=f, dose=d) for f, d in zip(graded, DOSES, strict=True)]
    compared = [fault(3), fault(5, 1), fault(1, 2)]
    steps = zip(compared, ("", *DOSES), DOSES, strict=False)
    pairs = [
        ExamQuestion(PAIR, fault=f, dose=dose, better=better, first=(block + number + n) % 2 == 0)
        for n, (f, better, dose) in enumerate(steps)
    ]
    drawn = [CONTROLS[(PER_SITUATION * number + n) % len(CONTROLS)] for n in range(PER_SITUATION)]
    front = block % 2 == 0
    of = {
        "longer": ExamQuestion(PAIR, "longer", first=front),
        "markdown": ExamQuestion(PAIR, "markdown", first=not front),
        "names": ExamQuestion(GRADE, "names"),
        "author": ExamQuestion(GRADE, "author"),
        "injected": ExamQuestion(GRADE, "injected", graded[2], DOSES[2]),
        "again": ExamQuestion(GRADE, "again", graded[1], DOSES[1]),
        "second": ExamQuestion(
            PAIR, "second", pairs[0].fault, pairs[0].dose, "", not pairs[0].first
        ),
    }
    asked += [*pairs, *(of[what] for what in drawn)]
    return [one for one in asked if has_pairs or one.form == GRADE]


def canary_questions(canary: Canary, has_pairs: bool = True) -> list[ExamQuestion]:
    """A grade of a situation's canary, and a comparison with the good reply."""
    pair = ExamQuestion(PAIR, CANARY, canary.kind, first=not canary.first)
    return [ExamQuestion(GRADE, CANARY, canary.kind), *[pair] * has_pairs]


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """What a judge said to a question.

    Attributes:
        value: Of a grade, the score that it comes to; of a pair, the mean margin, positive where
            the better reply wins (of a control, the reply as it was); ``None`` where the judge's
            reply could not be read.
        reason: Why it could not be.
    """

    question: ExamQuestion
    value: float | None
    reason: str | None = None


async def ask(
    benchmark: Benchmark,
    pack: Pack,
    replies: Versions,
    question: ExamQuestion,
    judge: Model,
    author: str,
) -> JudgeAnswer:
    """A judge's answer, by the benchmark's own prompts."""
    options = {one.name: one.default for one in benchmark.options}
    situation, texts = _shown(replies, question, author, judge.draw(f"{question.what} text"))
    assert isinstance(benchmark, ExaminesJudges)
    samples = [benchmark.exam_sample(pack, situation, text) for text in texts]
    item = samples[0][0]
    if question.form == GRADE:
        return await _grade(benchmark, pack, item, samples[0][1], judge, options, question)
    assert isinstance(benchmark, Pairwise)
    ordered = samples if question.first else samples[::-1]
    score = await benchmark.compare(item, ordered[0][1], ordered[1][1], judge, options)
    if not score.margins:
        return JudgeAnswer(question, None, score.reason or "no margins")
    margin = sum(score.margins.values()) / len(score.margins)
    return JudgeAnswer(question, margin if question.first else -margin)


async def _grade(
    benchmark: Benchmark, pack: Pack, item: Item, transcript: Any, judge: Model,
    options: dict[str, Any], question: ExamQuestion,
) -> JudgeAnswer:  # fmt: skip
    score = await benchmark.grade(item, transcript, judge, options)
    sample = SampleScore(item.id, item.id, 1, score)
    value = None
    if score.reason is None:
        (value,) = benchmark.main_values(Pack(pack.source, [item], ""), [sample], options)
    return JudgeAnswer(
        question, value, score.reason or ("no main value" if value is None else None)
    )


def _shown(
    replies: Versions, question: ExamQuestion, author: str, rng: Random
) -> tuple[ExamSituation, Sequence[str]]:
    """What is judged: one text, or two with the better one before the other."""
    situation = replies.situation
    text = replies.version(question.fault, question.dose)
    if question.what == "names":
        situation, text = controls.renamed(replies, text)
    elif question.what == "author":
        text = controls.signed(text, author)
    elif question.what == "injected":
        text = controls.injected(text)
    elif question.what == CANARY:
        text = replies.canary.text
    if question.form == GRADE:
        return situation, [text]
    better = replies.version(question.fault, question.better)
    if question.what == "longer":
        text = controls.longer(better, rng)
    elif question.what == "markdown":
        text = controls.marked_up(better)
    return situation, [better, text]
