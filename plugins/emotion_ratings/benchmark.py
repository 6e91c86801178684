"""The benchmark that all of this form are: a subclass brings its pack and its scale.

The model reads a dialogue and rates how strongly one person feels each of four emotions, and
may be asked to criticise and revise its ratings. What is the same for all lives here: asking
again, reading, choosing the better pass, intervals, baselines and demo models.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from eibench import (
    Baseline,
    Benchmark,
    Metric,
    Option,
    PeopleQuestion,
    SampleScore,
    Score,
    Summary,
    Table,
)

from .parsing import PARSERS
from .prompting import split_prompt
from .questions import demo_answer
from .replies import WITHOUT_HEADINGS, RatedReply, ask, lacks_headings, read_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from random import Random

    from eibench import ChatRequest, Item, Model, Options, Pack

    from . import summary as numbers
    from .questions import Question
    from .summary import Floats

PASSES = ("first_pass", "revised")
SEED = 0
"""Of the bootstrap: the same data gives the same interval."""

SAME_FAULT = 2
"""So often may a question's replies show the same fault, unless it is asked as published."""

PARSER = Option(
    "parser",
    "strict",
    "How ratings are read: strict, or exactly as the published code does.",
    choices=("strict", "reference"),
    in_grades=True,
)


class EmotionRatings(Benchmark):
    """A benchmark whose items hold `Question`; it needs the options ``parser`` and ``revise``.

    Attributes:
        attempts: How often a question is asked until its answer can be read.
        proportional: Only the proportions of ratings count: then four zeros are no answer, and
            four equal ratings are one, whatever their height.
    """

    asks_again = True
    value_scales = dict.fromkeys(PASSES, 10.0)
    attempts: int
    proportional: bool

    @abstractmethod
    def question_score(self, ratings: Sequence[float], reference: Sequence[float]) -> float | None:
        """The score of an answer, 10 the best; ``None`` for four zeros where those are none."""

    @abstractmethod
    def score_answers(
        self, answers: Floats, references: Sequence[Sequence[float]]
    ) -> Iterable[Floats]:
        """The scores of many answers, shape (n, 4), to each question in turn, shape (n,)."""

    @property
    def most_attempts(self) -> int:  # type: ignore[override]  # a benchmark's own number
        """How often a question is asked at most."""
        return self.attempts

    async def generate(self, item: Item, model: Model, options: Options) -> RatedReply:
        """The first reply that can be read in full, or the best there is."""
        question: Question = item.content
        return await ask(
            question.prompt,
            model,
            lambda response: read_reply(
                response,
                question,
                PARSERS[options["parser"]],
                lambda ratings: self.question_score(ratings, question.reference),
                revise=options["revise"],
            ),
            self.attempts,
            enough=None if options["parser"] == "reference" else SAME_FAULT,
        )

    async def grade(
        self, item: Item, transcript: RatedReply, judge: Model | None, options: Options
    ) -> Score:
        """The question score of each pass; no judge is asked."""
        reply = transcript
        both = {"first_pass": None, "revised": None, **reply.values}
        reasons = [f"{name.replace('_', ' ')}: {why}" for name, why in reply.reasons.items()]
        detail = {
            "temperature": reply.temperature,
            "attempts": reply.attempts,
            "ratings": reply.ratings(),
            "reasons": dict(reply.reasons),
        }
        reason = None if reply.n_scored else "; ".join(reasons)
        return Score(both, reason, reply.flags, detail)

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The better pass and all that qualifies it."""
        import numpy as np

        from .summary import summarise

        ordered = sorted(scores, key=lambda s: (s.item_id, s.iteration))
        summary = summarise(
            _column(ordered, "first_pass"),
            _column(ordered, "revised") if options["revise"] else None,
            [s.cluster for s in ordered],
            rng=np.random.default_rng(SEED),
            iterations=[s.iteration for s in ordered],
        )
        invalid = None if summary.valid or not ordered else _invalid(summary, ordered)
        notes = {"pass": summary.chosen, "per_iteration": list(summary.per_iteration)}
        return Summary(_metrics(summary), invalid, notes=notes)

    def main_values(
        self, pack: Pack, scores: Sequence[SampleScore], options: Options
    ) -> Sequence[float | None]:
        """The score of each sample in the pass that the run's score comes from."""
        from .summary import SCALE, better_pass

        first, revised = (_column(scores, name) for name in PASSES)
        numbers_of_pass = revised if better_pass(first, revised) == "revised" else first
        return [None if number != number else SCALE * number for number in numbers_of_pass]

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """Random, uniform and the best constant answer, exactly, by enumeration."""
        from .summary import find_baselines

        references = [item.content.reference for item in pack.items]
        return find_baselines(references, self.score_answers, proportional=self.proportional)

    def beside_reference(self, item: Item, score: Score) -> Table:
        """The ratings of each pass beside the reference."""
        question: Question = item.content
        by_pass = score.detail.get("ratings", {})
        rows: list[list[str | float | None]] = [["reference", *question.reference]]
        rows += [[name.replace("_", " "), *ratings] for name, ratings in by_pass.items() if ratings]
        return Table("Answer and reference", ("", *question.emotions), rows)

    def without_reading(self, pack: Pack) -> Table:
        """What rules score that never read a scene."""
        questions = [item.content for item in pack.items]
        title = f"{self.name}, pack {pack.source.name}, {len(questions)} questions"
        words = [question.emotions for question in questions]
        references = [question.reference for question in questions]
        return without_reading(words, references, self.score_answers, title)

    def people_question(self, item: Item) -> PeopleQuestion:
        """The dialogue with its question, and a rating of each emotion."""
        question: Question = item.content
        parts = split_prompt(question.prompt, question.form)
        text = f"{parts.dialogue.rstrip()}\n\n{parts.question.splitlines()[0]}"
        return PeopleQuestion(text, question.emotions, 0, 10)

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Ratings around the reference, the further off the lower the ability."""
        question: Question = item.content
        revise = question.form.revised in request.messages[-1].content
        return demo_answer(question, ability, rng, revise=revise)


def without_reading(
    words: Sequence[Sequence[str]],
    references: Sequence[Sequence[float]],
    score: Callable[[Floats, Sequence[Sequence[float]]], Iterable[Floats]],
    title: str,
    *,
    unit: str = "score",
    scale: float = 10.0,
) -> Table:
    """What rules score on four emotions a question that never read a scene.

    Args:
        words: The emotions of each question, in the order of its prompt.
        references: Their ratings.
        score: The scores of answers to each question, the higher the better.
        title: Of the table.
        unit: What the numbers are.
        scale: From a question's score to that of a run.
    """
    import numpy as np

    from .guessing import ScoredPack, report

    return report(ScoredPack(words, np.array(references), score, scale), title, unit)


_TWO_INTERVALS = (
    "The score is the better of two passes, here the {0}. Its interval picks the better one anew "
    "in each draw, which moves it up; against baselines the {0}'s own interval counts, which "
    "allows for the choice."
)


def _column(scores: Sequence[SampleScore], name: str) -> list[float]:
    values = (s.score.values.get(name) for s in scores)
    return [float("nan") if value is None else value for value in values]


def _metrics(summary: numbers.PassSummary) -> dict[str, Metric]:
    named = {
        "score": ("score", summary.score),
        "first_pass": ("first pass", summary.first_pass),
        "revised": ("revised pass", summary.revised),
        "revision_gain": ("revision gain", summary.gain),
        "score_unparsable_zero": ("score, unparsable as 0", summary.zero_filled),
    }
    metrics = {n: replace(m, label=label) for n, (label, m) in named.items() if m is not None}
    if summary.chosen and summary.revised:
        label_of_pass, estimate = named[summary.chosen]
        differ = estimate is not None and estimate.ci95 != summary.score.ci95
        note = _TWO_INTERVALS.format(label_of_pass) if differ else ""
        metrics["score"] = replace(
            metrics["score"],
            chosen=summary.chosen,
            ci95_chosen=summary.chosen_interval,
            note=note,
        )
    if len(summary.per_iteration) > 1:
        n = sum(value is not None for value in summary.per_iteration)
        sd = summary.iteration_sd
        label = "SD over reruns"
        metrics["rerun_sd"] = Metric(
            sd, None, n, higher_is_better=False, label=label, of_iterations=True
        )
    return metrics


def _invalid(summary: numbers.PassSummary, scores: Sequence[SampleScore]) -> str:
    unread = [reason for s in scores if (reason := s.score.reason)]
    lack = sum(map(lacks_headings, unread))
    return (
        f"only {summary.score.n} of {summary.total} answers could be read; "
        f"fewer than 5/6 make no valid run{WITHOUT_HEADINGS * (2 * lack > len(unread))}"
    )
