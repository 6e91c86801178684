"""Answers of models in upstream's result files of EQ-Bench v2, with what it read in them."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import eibench
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
    read_whole,
)

if TYPE_CHECKING:
    from eibench import ReplayedRun

_SOURCE = PublishedSource("EQ-bench/EQ-Bench", "MIT", "d28c60c514fe6667dc5818114ed10088f91f09f3")
_V2, _END = "eqbench-v2", "[End dialogue]"
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


def _items(name: str, data: PublishedData) -> list[Item]:
    benchmark = eibench.benchmarks()[name]
    options = {option.name: option.default for option in benchmark.options} | {"revise": True}
    source = eibench.find_pack(benchmark, data.datasets[name], options)
    return list(benchmark.read_pack(source, options).items)


def _key(item: Item) -> tuple[str, tuple[str, ...]]:
    """What tells a question in both versions: its dialogue and its emotions."""
    return item.content.prompt.partition(_END)[0], item.content.emotions


def _replayed(
    name: str, data: PublishedData
) -> "Iterator[tuple[StoredAnswers, list[tuple[Item, str]], ReplayedRun]]":
    """Each model's answers, the questions of a pack with their ids upstream, and the run."""
    items, theirs = _items(name, data), {_key(item): item.id for item in _items(_V2, data)}
    ids = {item.id: theirs[_key(item)] for item in items if _key(item) in theirs}
    for answers in map(read_answers, data.files):
        run = eibench.replayed(name, answers.run(ids), data.datasets[name])
        yield answers, [(item, ids[item.id]) for item in items if item.id in ids], run


def _scores(data: PublishedData) -> Iterator[PublishedNumber]:
    for answers, _, run in _replayed(_V2, data):
        yield PublishedNumber(answers.model, answers.score, run.metrics["score"].value)


def _ratings(name: str, data: PublishedData) -> Iterator[PublishedNumber]:
    """Each that upstream read; of its own questions, also how many answers it read."""
    for answers, items, run in _replayed(name, data):
        if name == _V2:
            n = run.metrics["score"].n
            yield PublishedNumber(f"{answers.model}, answers read", answers.readable, n)
        for item, theirs in items:
            emotions, score = item.content.emotions, run.scores.get((item.id, 1))
            for part, recorded in answers.ratings.get(theirs, {}).items():
                if recorded.keys() == set(emotions):
                    read = score and score.detail["ratings"][part]
                    for emotion, ours in zip(emotions, read or [None] * len(emotions), strict=True):
                        label = f"{answers.model}, question {item.id}, {part}, {emotion}"
                        yield PublishedNumber(label, float(recorded[emotion]), ours)


def stored_row(name: str, compared: str, *, lacks: str = "") -> PublishedRow:
    """The row of `bench reproduce` of what upstream read in answers to a benchmark's questions."""
    packs, numbers = tuple(dict.fromkeys((name, _V2))), partial(_ratings, name)
    return PublishedRow(compared, _SOURCE, 0, numbers, _FILES, _V2, packs, "", lacks)


def stored_score_row() -> PublishedRow:
    """The row of the scores of these answers, which are those of version 2."""
    return PublishedRow(
        "a model's score, from its stored answers", _SOURCE, 0.025, _scores, _FILES, _V2, (_V2,),
        "printed to .01; with a weight of .74785 in place of the published code's .7477 it would "
        "be .006, so the scores seem to be of earlier code",
    )  # fmt: skip
