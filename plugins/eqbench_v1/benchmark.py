"""EQ-Bench v1 (Paech 2023): how strongly does someone feel four emotions?

The model rates, questions its ratings, and rates again. Ratings are normalised
and compared to the authors' own. An answer that cannot be read is asked for
again at a higher temperature (section 3.10); the best one that came is kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from eibench import (
    Baseline,
    Benchmark,
    ChatRequest,
    ChatResponse,
    Finish,
    Item,
    Metric,
    MissingCall,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    SampleScore,
    Sampling,
    Score,
    Summary,
    folder,
)

from .demo import demo_answer
from .parsing_types import Answer, Reading
from .questions import Question, read_questions
from .scoring import baselines, question_score, summarise

ATTEMPTS = 5
TEMPERATURE_STEP = 0.15
SEED = 0
"""Of the bootstrap: the same data gives the same interval."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply that counts for a question, read and scored.

    Attributes:
        values: Question score of each pass asked for, -10..10; ``None`` where unread.
        reasons: Why a pass has no score.
        attempts: How many replies were read until one was whole, or no more may be asked for.
        temperature: That of the reply that counts.
    """

    answer: Answer
    values: Mapping[str, float | None]
    reasons: Mapping[str, str]
    temperature: float | None
    attempts: int

    @property
    def n_scored(self) -> int:
        """How many passes have a score."""
        return sum(value is not None for value in self.values.values())


class EQBenchV1(Benchmark):
    """The benchmark; its facts are in docs/eqbench-v1.md."""

    name = "eqbench-v1"
    version = "1"
    title = "rate four emotions after a dialogue; distance to reference ratings (Paech 2023)"
    data = folder("eqbench_v1")
    sampling = Sampling(temperature=0.01, max_tokens=4096)
    options = (
        Option(
            "parser",
            "strict",
            "How ratings are read: strict, or exactly as the published code does.",
            choices=("strict", "reference"),
            in_grades=True,
        ),
        Option("revise", True, "Ask for a critique and revised scores.", in_requests=True),
    )

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The questions, with or without the request for a revision."""
        path = next(iter(source.files.values()))
        items = read_questions(path, revise=options["revise"])
        return Pack(source, items, _comparability(source, options))

    async def generate(self, item: Item, model: Model, options: Options) -> Reply:
        """The first reply that can be read in full, or the best of five."""
        question: Question = item.content
        best: Reply | None = None
        asked = 0
        for attempt in range(ATTEMPTS):
            temperature = _temperature(model.sampling.temperature, attempt)
            try:
                response = await model.chat(question.prompt, temperature=temperature)
            except MissingCall:
                if best is None:
                    raise
                break
            asked += 1
            reply = _read(question, response, options, temperature, asked)
            if best is None or reply.n_scored > best.n_scored:
                best = reply
            if best.n_scored == len(best.values):
                break
        assert best is not None
        return replace(best, attempts=asked)

    async def grade(
        self, item: Item, transcript: Reply, judge: Model | None, options: Options
    ) -> Score:
        """The question score of each pass; no judge is asked."""
        reply = transcript
        both = {"first_pass": None, "revised": None, **reply.values}
        reasons = [f"{name.replace('_', ' ')}: {why}" for name, why in reply.reasons.items()]
        detail = {
            "temperature": reply.temperature,
            "attempts": reply.attempts,
            "ratings": _ratings(reply.answer),
            "reasons": dict(reply.reasons),
        }
        reason = None if reply.n_scored else "; ".join(reasons)
        return Score(both, reason, _flags(reply), detail)

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The better pass and all that qualifies it."""
        import numpy as np

        ordered = sorted(scores, key=lambda s: (s.item_id, s.iteration))
        summary = summarise(
            _column(ordered, "first_pass"),
            _column(ordered, "revised") if options["revise"] else None,
            [s.cluster for s in ordered],
            rng=np.random.default_rng(SEED),
            iterations=[s.iteration for s in ordered],
        )
        invalid = None if summary.valid or not ordered else _invalid(summary)
        notes = {"pass": summary.chosen, "per_iteration": list(summary.per_iteration)}
        return Summary(_metrics(summary), invalid, notes=notes)

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """Random, uniform and the best constant answer, exactly, by enumeration."""
        found = baselines([item.content.reference for item in pack.items])
        constant = found.best_constant
        answer = tuple(map(float, constant.answer))
        return {
            "random": Baseline(found.random, "random", sd=found.random_sd),
            "uniform": Baseline(found.uniform, "all equal"),
            "best_constant": Baseline(constant.score, "best constant", answer=answer),
        }

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Ratings around the reference, the further off the lower the ability."""
        revise = "Revised scores:" in request.messages[-1].content
        return demo_answer(item.content, ability, rng, revise=revise)


def _temperature(base: float | None, attempt: int) -> float | None:
    return None if base is None else round(base + TEMPERATURE_STEP * attempt, 6)


def _read(
    question: Question,
    response: ChatResponse,
    options: Options,
    temperature: float | None,
    attempts: int,
) -> Reply:
    from .parsing import PARSERS

    revise = options["revise"]
    answer = PARSERS[options["parser"]](response.text, question.emotions, revise=revise)
    why = _no_answer(response)
    passes = {"first_pass": answer.first_pass} | ({"revised": answer.revised} if revise else {})
    values = {name: _score(reading, question) for name, reading in passes.items()}
    reasons = {
        name: why or passes[name].reason or "all ratings are zero"
        for name, value in values.items()
        if value is None
    }
    return Reply(answer, values, reasons, temperature, attempts)


def _no_answer(response: ChatResponse) -> str | None:
    """Why a reply is no answer at all; ``None`` for one that there is something to read in."""
    if response.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return "the model refused"
    if response.text.strip():
        return None
    cut = response.finish == Finish.LENGTH
    return "cut off before the answer began" if cut else "the reply is empty"


def _score(reading: Reading, question: Question) -> float | None:
    if reading.values is None:
        return None
    return question_score(reading.values, question.reference)


def _ratings(answer: Answer) -> dict[str, list[float] | None]:
    passes = {"first_pass": answer.first_pass, "revised": answer.revised}
    return {name: list(r.values) if r.values else None for name, r in passes.items()}


def _flags(reply: Reply) -> tuple[str, ...]:
    passes = {"first_pass": reply.answer.first_pass, "revised": reply.answer.revised}
    flags = [f"{name}: {flag}" for name, reading in passes.items() for flag in reading.flags]
    if reply.attempts > 1:
        flags.append("asked_again")
    if 0 < reply.n_scored < len(reply.values):
        flags.append("one_section")
    return tuple(flags)


def _column(scores: Sequence[SampleScore], name: str) -> list[float]:
    values = (s.score.values.get(name) for s in scores)
    return [float("nan") if value is None else value for value in values]


def _metrics(summary: Any) -> dict[str, Metric]:
    chosen = {"first_pass": "first pass", "revised": "revised", None: "none"}[summary.chosen]
    named = {
        "score": (f"score ({chosen})", summary.score),
        "first_pass": ("first pass", summary.first_pass),
        "revised": ("revised", summary.revised),
        "revision_gain": ("revision gain", summary.gain),
        "score_unparsable_zero": ("score, unparsable as 0", summary.zero_filled),
    }
    metrics = {
        name: Metric(e.value, e.interval and tuple(e.interval), e.n, over="questions", label=label)
        for name, (label, e) in named.items()
        if e is not None
    }
    if len(summary.per_iteration) > 1:
        n = sum(value is not None for value in summary.per_iteration)
        sd = summary.iteration_sd
        label = "SD over reruns"
        metrics["rerun_sd"] = Metric(sd, None, n, higher_is_better=False, label=label)
    return metrics


def _invalid(summary: Any) -> str:
    return (
        f"only {summary.score.n} of {summary.total} answers could be read; "
        "fewer than 5/6 make no valid run"
    )


def _comparability(source: PackSource, options: Options) -> str:
    if source.name != "official":
        return "beside no published score: those are of the official pack"
    if not options["revise"]:
        return "beside no published score but Curie's and ADA's, the only ones without revision"
    return "may stand beside table 1 of Paech (2023), a now historic protocol and set of models"
