"""Both parsers and the scoring on what twelve real models answered to the official questions."""

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from eibench.plugins.emotion_ratings.parsing import PARSERS, read_strict
from eibench.plugins.emotion_ratings.parsing_reference import (
    read_reference,
    reference_pairs,
    reference_sections,
)
from eibench.plugins.emotion_ratings.parsing_types import Parser, SectionReading
from eibench.plugins.emotion_ratings.summary import PassSummary, summarise
from eibench.plugins.eqbench_v1.benchmark import question_score

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
pytestmark = pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")

ROOT = Path(OFFICIAL or ".")
RESULTS = sorted((ROOT / "eqbench-v2" / "results").glob("*.json.gz"))
V1 = "eqbench-v1/eq_bench_v1_questions_60.json"
V2 = "eqbench-v2/eq_bench_v2_questions_171.json"
DIFFERENCES = Path(__file__).with_name("strict_differences.json")
#: What the strict reading says for each reason code of the table of differences.
REASONS = {
    "calculation": "is not one number",
    "out_of_range": "is not a rating from 0 to 10",
    "several_numbers": "several numbers",
    "other_scale": "not out of 10",
}


class Run(NamedTuple):
    """The answers of one model; `revise` where it was asked to revise."""

    model: str
    revise: bool
    replies: dict[str, str]
    recorded: dict[str, dict[str, dict[str, int | str]]]


def read_run(path: Path) -> Run:
    """Read one digest of upstream's results."""
    document = json.loads(gzip.decompress(path.read_bytes()))
    iteration = document["iterations"]["1"]
    recorded = iteration["respondent_answers"]
    revise = any(answer["revised"] for answer in recorded.values())
    return Run(document["model"], revise, iteration["raw_inference"], recorded)


def read_questions(name: str) -> dict[str, dict[str, Any]]:
    """Read a pack of questions by id."""
    questions: dict[str, dict[str, Any]] = json.loads((ROOT / name).read_text(encoding="utf-8"))
    return questions


def emotions_of(question: dict[str, Any]) -> tuple[str, ...]:
    """Return the emotions a question asks for."""
    return tuple(question["reference_answer"][f"emotion{i}"] for i in range(1, 5))


def shared_questions() -> dict[str, str]:
    """Map ids of version 1 to those of version 2 with the same dialogue and emotions."""

    def key(question: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
        return question["prompt"].split("[End dialogue]")[0], emotions_of(question)

    second = {key(question): name for name, question in read_questions(V2).items()}
    first = read_questions(V1).items()
    return {name: second[key(question)] for name, question in first if key(question) in second}


def score_v1(run: Run, parser: Parser) -> PassSummary:
    """Score a model's answers to the shared questions by the rules of version 1."""
    questions, shared = read_questions(V1), shared_questions()
    passes: tuple[list[float], list[float]] = ([], [])
    for name, other in shared.items():
        reference = [questions[name]["reference_answer"][f"emotion{i}_score"] for i in range(1, 5)]
        answer = parser(run.replies.get(other, ""), emotions_of(questions[name]), revise=run.revise)
        for scores, reading in zip(passes, (answer.first_pass, answer.revised), strict=True):
            score = question_score(reading.values, reference) if reading.values else None
            scores.append(np.nan if score is None else score)
    revised = passes[1] if run.revise else None
    return summarise(passes[0], revised, list(shared), rng=np.random.default_rng(0))


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name.split(".")[0])
def test_reference_reads_what_upstream_recorded(path: Path) -> None:
    """Every pair of every reply, in both passes, is the one in upstream's result file."""
    run = read_run(path)
    for name, reply in run.replies.items():
        sections = reference_sections(reply, revise=run.revise)
        for section, key in zip(sections, ("first_pass", "revised"), strict=True):
            recorded = {word: int(number) for word, number in run.recorded[name][key].items()}
            assert reference_pairs(section or "") == recorded, (name, key)


def test_strict_differs_only_where_an_answer_is_not_plain() -> None:
    """Each difference between the parsers is in the table, with the reason for it."""
    questions = read_questions(V2)
    found: dict[tuple[str, str, str], SectionReading] = {}
    for run in map(read_run, RESULTS):
        for name, reply in run.replies.items():
            emotions = emotions_of(questions[name])
            strict = read_strict(reply, emotions, revise=run.revise)
            reference = read_reference(reply, emotions, revise=run.revise)
            for key in ("first_pass", "revised"):
                reading: SectionReading = getattr(strict, key)
                if reading.values != getattr(reference, key).values:
                    found[run.model, name, key] = reading
    listed: list[dict[str, str]] = json.loads(DIFFERENCES.read_text(encoding="utf-8"))
    whys = {(row["model"], row["question"], row["pass"]): row["why"] for row in listed}
    assert found.keys() == whys.keys()
    for place, why in whys.items():
        said = found[place].reason or " ".join(found[place].flags)
        assert REASONS.get(why, why) in said, place


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name.split(".")[0])
def test_v1_score_of_the_shared_questions(path: Path, parser: str) -> None:
    """55 of the 60 questions are shared; where version 1 has a published score, it is met.

    Published: Paech (2023), table 1. Those runs had five questions more and other answers,
    so the published score must lie within the interval over questions.
    """
    run = read_run(path)
    assert len(shared_questions()) == 55
    summary = score_v1(run, PARSERS[parser])
    assert summary.valid
    with (ROOT.parent / "published" / "eqbench_v1_scores.csv").open(encoding="utf-8") as file:
        published = {row["model"]: float(row["score"]) for row in csv.DictReader(file)}
    if run.model in published:
        assert summary.score.ci95 is not None
        assert summary.score.ci95[0] < published[run.model] < summary.score.ci95[1]
