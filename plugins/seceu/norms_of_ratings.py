"""People's scores on EQ-Bench v1 or v2: a scale on which their mean is 100, and models on it.

The future work of Paech (2023): people answer the same questions, in one pass, and are scored by
the same formula. A model is set beside them on the questions that they answered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eibench import (
    DataError,
    JsonDict,
    Pack,
    Paragraph,
    PeopleQuestion,
    StoredRun,
    Table,
    UsageError,
    read_csv_rows,
)
from eibench.emotion_ratings import EmotionRatings
from eibench.statistics import mean_interval
from eibench.text import interval, number

from .norms import EQ_MEAN, EQ_SD, percentage_below
from .people import People, read_people
from .psychometrics import cronbach_alpha
from .stories import Story

_SCALE = 10.0
"""From a question's score to that of a run."""
Ends = tuple[float, float] | None


class RatingsNorm(NamedTuple):
    """What people got.

    Attributes:
        scores: Of each person, ascending: the mean over questions, 100 the best.
        mean, sd: Of those.
        alpha: Cronbach's, of the questions; ``None`` where it is undefined.
        questions: The mean of people on each, by id, 10 the best.
    """

    scores: tuple[float, ...]
    mean: float
    sd: float
    alpha: float | None
    questions: Mapping[str, float]

    @property
    def people(self) -> int:
        """How many there are."""
        return len(self.scores)

    def eq(self, score: float) -> float:
        """A score on the scale on which people have mean 100 and standard deviation 15."""
        return EQ_MEAN + EQ_SD * (score - self.mean) / self.sd

    def percentile(self, score: float) -> float:
        """The percentage of people who got less, those with as much as half."""
        return percentage_below(self.scores, score)

    def as_json(self) -> JsonDict:
        """The norm as plain values."""
        return {
            "people": self.people,
            "mean": self.mean,
            "sd": self.sd,
            "alpha": self.alpha,
            "scores": list(self.scores),
            "questions": dict(self.questions),
        }


class NormedModel(NamedTuple):
    """A run among people; intervals are over questions, these people being as they are."""

    run_id: str
    model: str
    n: int
    score: float
    eq: float
    eq_ci95: Ends
    percentile: float
    percentile_ci95: Ends


def ratings_norm(
    benchmark: EmotionRatings,
    pack: Pack,
    questions: Mapping[str, PeopleQuestion],
    humans: Path,
    *,
    leave_out: bool,
) -> tuple[RatingsNorm, People]:
    """The norm of people who all answered the same questions of a pack.

    Raises:
        DataError: The file is broken, or its people make no scale.
    """
    answered = {row.get("item", "").strip() for _, row in read_csv_rows(humans)}
    stories = [
        Story(item_id, question.text, question.options, None)
        for item_id, question in questions.items()
        if item_id in answered
    ]
    people = read_people(humans, stories, leave_out=leave_out, shared=False)
    references = {item.id: item.content.reference for item in pack.items}
    rows, unscored = list[list[float]](), list[str]()
    for person in people.points.tolist():
        each = [
            benchmark.question_score(ratings, references[story.id])
            for story, ratings in zip(stories, person, strict=True)
        ]
        known = [score for score in each if score is not None]
        if len(known) == len(each):
            rows.append(known)
        else:
            story = stories[each.index(None)]
            unscored.append(f'somebody rated all of item "{story.id}" 0, which has no proportions')
    if unscored and not leave_out:
        raise DataError(humans, f"{unscored[0]}; --leave-out goes on without them")
    if len(rows) < 2:
        raise DataError(humans, f"holds {len(rows)} people who can be scored; a norm needs more")
    people = replace(people, left_out=(*people.left_out, *unscored))
    table = np.array(rows)
    scores = _SCALE * table.mean(axis=1)
    sd = float(scores.std(ddof=1))
    if sd <= 1e-9 * max(1.0, abs(float(scores.mean()))):
        raise DataError(humans, "all people have the same score, which makes no scale")
    means = dict(zip((s.id for s in stories), table.mean(axis=0).tolist(), strict=True))
    ascending = tuple(sorted(scores.tolist()))
    norm = RatingsNorm(ascending, float(scores.mean()), sd, cronbach_alpha(table), means)
    return norm, people


def normed_model(norm: RatingsNorm, pack: Pack, run: StoredRun) -> NormedModel:
    """A run on the scale of people, by the questions that they answered.

    Raises:
        UsageError: It is of other data, or lacks answers to these questions.
    """
    if run.record.pack_sha256 != pack.source.sha256:
        message = f"run {run.id} is on another pack than people answered"
        raise UsageError(f"{message}; --dataset names the pack of both")
    main = run.main_values().values
    rows = {key: value for key, value in main.items() if key[0] in norm.questions}
    if missing := norm.questions.keys() - {item_id for item_id, _ in rows}:
        raise UsageError(
            f"run {run.id} has no score on {len(missing)} of the {len(norm.questions)} questions "
            "that people answered"
        )
    values = list(rows.values())
    clusters = [pack.clusters[item_id] for item_id, _ in rows]
    score = float(np.mean(values))
    ends = mean_interval(values, clusters, rng=np.random.default_rng(0))
    eq_ends = ends and (norm.eq(ends[0]), norm.eq(ends[1]))
    among = ends and (norm.percentile(ends[0]), norm.percentile(ends[1]))
    return NormedModel(
        run.id, run.name, len(rows), score, norm.eq(score), eq_ends, norm.percentile(score), among
    )


def norm_shown(
    name: str, norm: RatingsNorm, models: Sequence[NormedModel]
) -> list[Paragraph | Table]:
    """Everything `bench norm` prints of it."""
    lines = [
        f"people            {norm.people} on {len(norm.questions)} questions",
        f"score             M {norm.mean:.2f}  SD {norm.sd:.2f}  "
        f"range {norm.scores[0]:.2f} … {norm.scores[-1]:.2f}",
        f"Cronbach's alpha  {number(norm.alpha, 3)}",
    ]
    parts: list[Paragraph | Table] = [Paragraph("\n".join(lines), f"{name}  norm of people")]
    if models:
        rows = [
            (m.model, m.run_id, m.score, number(m.eq, 1), interval(m.eq_ci95, 1),
             number(m.percentile, 0), interval(m.percentile_ci95, 0), m.n)
            for m in models
        ]  # fmt: skip
        columns = ("model", "run", "score", "EQ", "95 %", "percentile", "95 %", "answers")
        note = (
            "EQ: people have a mean of 100 and a standard deviation of 15. Percentile: of people "
            "who got less. Intervals are over questions; people are those that there are."
        )
        parts.append(Table("Models among people", columns, rows, note=note))
    return parts
