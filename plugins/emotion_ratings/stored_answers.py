"""Answers of models in upstream's result files of EQ-Bench v2, with what it read in them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eibench import (
    DataError,
    ForeignRun,
    ForeignSample,
    Item,
    JsonDict,
    PublishedData,
    PublishedNumber,
    PublishedRow,
    PublishedSource,
    Score,
    read_whole,
)

_SOURCE = PublishedSource("EQ-bench/EQ-Bench", "MIT", "d28c60c514fe6667dc5818114ed10088f91f09f3")
_FILES = ("results/*.json.gz", "results/eq-bench/*_eqbench_v2_results.json")


class StoredAnswers(NamedTuple):
    """What one model answered.

    Attributes:
        model: Its name.
        score: As published.
        readable: How many answers upstream could read.
        replies: By the id of the question.
        ratings: By id and pass, the words that upstream took for an emotion and a rating.
    """

    model: str
    score: float
    readable: float
    replies: Mapping[str, str]
    ratings: Mapping[str, Mapping[str, Mapping[str, str]]]

    @property
    def revise(self) -> bool:
        """Whether it was asked to revise."""
        return any(row["revised"] for row in self.ratings.values())

    def run(self, ids: Mapping[str, str]) -> ForeignRun:
        """The answers as a run, read as upstream reads them; `ids` are upstream's by ours."""
        samples = [
            ForeignSample(ours, 1, (), replies={1: self.replies[theirs]})
            for ours, theirs in ids.items()
            if theirs in self.replies
        ]
        options: JsonDict = {"parser": "reference", "revise": self.revise}
        return ForeignRun(self.model, self.model, self.model, samples, options=options)


def read_answers(path: Path) -> StoredAnswers:
    """The answers of a result file, as it is upstream or as a digest of it.

    Raises:
        DataError: It is not of that form.
    """
    try:
        raw: dict[str, Any] = json.loads(read_whole(path))
        (iteration,) = (raw.get("iterations") or raw["raw_results"]).values()
        score = raw["published_score" if "published_score" in raw else "benchmark_score"]
        model = str(raw.get("model") or raw["model_path"])
        readable = float(raw["n_questions_parseable"])
        replies, ratings = iteration["raw_inference"], iteration["respondent_answers"]
        return StoredAnswers(model, float(score), readable, replies, ratings)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(path, f"is no result file of one iteration: {error!r}") from None


def rating_numbers(
    answers: StoredAnswers,
    items: Sequence[Item],
    ids: Mapping[str, str],
    scores: Mapping[tuple[str, int], Score],
) -> Iterator[PublishedNumber]:
    """Each rating that upstream read in answers, beside what was read here."""
    for item in items:
        emotions, theirs = item.content.emotions, answers.ratings.get(ids.get(item.id, ""), {})
        score = scores.get((item.id, 1))
        read = score.detail["ratings"] if score else {}
        for name, recorded in theirs.items():
            if recorded.keys() == set(emotions):
                ours = read.get(name) or [None] * len(emotions)
                for emotion, rating in zip(emotions, ours, strict=True):
                    label = f"{answers.model}, question {item.id}, {name}, {emotion}"
                    yield PublishedNumber(label, float(recorded[emotion]), rating)


def stored_row(
    compared: str,
    numbers: Callable[[PublishedData], Iterator[PublishedNumber]],
    packs: tuple[str, ...],
    *,
    within: float = 0,
    rounding: str = "",
    lacks: str = "",
) -> PublishedRow:
    """A row of `bench reproduce` that is computed from these files."""
    return PublishedRow(
        compared, _SOURCE, within, numbers, _FILES, "eqbench-v2", packs, rounding, lacks
    )
