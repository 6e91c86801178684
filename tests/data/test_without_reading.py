"""What the bundled packs of emotion ratings yield to one who never reads them.

Where `EIBENCH_OFFICIAL_DATA` says where the official packs are, their values are printed beside
(`pytest -s`).
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import eibench.data
from eibench.plugins.emotion_ratings.guessing import RULES, ScoreAnswers, ScoredPack, chances
from eibench.plugins.emotion_ratings.word_classes import class_of
from eibench.plugins.eqbench_v1.benchmark import score_answers as by_proportions
from eibench.plugins.eqbench_v2.benchmark import score_answers as by_height

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
SHARES, HEIGHTS = "reference_answer", "reference_answer_fullscale"


def read(path: Path, field: str, score: ScoreAnswers) -> ScoredPack:
    """A pack as a rule sees it."""
    answers = [row[field] for row in json.loads(path.read_text(encoding="utf-8")).values()]
    words = [[str(answer[f"emotion{i}"]) for i in range(1, 5)] for answer in answers]
    ratings = [[float(answer[f"emotion{i}_score"]) for i in range(1, 5)] for answer in answers]
    return ScoredPack(words, np.array(ratings), score)


def bundled(folder: str, file: str, field: str, score: ScoreAnswers) -> ScoredPack:
    """One of ours."""
    return read(eibench.data.folder(folder) / "bundled" / file, field, score)


PACKS = {
    "v1": bundled("eqbench_v1", "questions.json", SHARES, by_proportions),
    "v2 en": bundled("eqbench_v2", "questions.json", HEIGHTS, by_height),
    "v2 de": bundled("eqbench_v2", "questions_de.json", HEIGHTS, by_height),
}
each = pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS.keys())


def strongest(pack: ScoredPack) -> list[str]:
    """The word of the strongest emotion of each question, the first of equals."""
    places = pack.references.argmax(axis=1)
    return [words[place] for words, place in zip(pack.words, places, strict=True)]


def shown(pack: ScoredPack) -> str:
    """All rules' scores in a line."""
    return ", ".join(f"{name} {rule(pack):.1f}" for name, rule in RULES.items())


@each
def test_word_classes_gain_little(pack: ScoredPack) -> None:
    """At most 12 points over the best constant, with the two numbers that fit the pack best."""
    assert RULES["word class"](pack) <= RULES["best constant"](pack) + 12


@each
def test_class_means_gain_little(pack: ScoredPack) -> None:
    """At most 15 points over all equal."""
    assert RULES["class means, leave one out"](pack) <= RULES["all equal"](pack) + 15


@each
def test_one_shape_does_not_serve_all(pack: ScoredPack) -> None:
    """Who is shown the lowest and the strongest still has to read for the rest."""
    assert RULES["shown lowest and strongest"](pack) <= 85
    assert RULES["shown the order"](pack) <= 95


@each
def test_neither_place_nor_length_nor_alphabet_tells(pack: ScoredPack) -> None:
    """No dependence that chance would not have in one of twenty packs."""
    found = chances(pack)
    assert all(p > 0.05 for p in found.values()), found


@each
def test_anger_or_contempt_is_often_strongest(pack: ScoredPack) -> None:
    """In 25 to 50 % of the questions."""
    hostile = [class_of(word) == "hostile" for word in strongest(pack)]
    assert 0.25 <= sum(hostile) / len(hostile) <= 0.5


@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
@pytest.mark.parametrize(
    ("name", "path", "field", "score", "constant"),
    [
        ("v1", "eqbench-v1/eq_bench_v1_questions_60.json", SHARES, by_proportions, 18.0),
        ("v2 en", "eqbench-v2/eq_bench_v2_questions_171.json", HEIGHTS, by_height, 43.4),
    ],
)
def test_official_packs_beside(
    name: str, path: str, field: str, score: ScoreAnswers, constant: float
) -> None:
    """Their values are printed beside ours, and their best constants are as published in docs."""
    official = read(Path(str(OFFICIAL), path), field, score)
    print(f"\n{name} bundled: {shown(PACKS[name])}\n{name} official: {shown(official)}")
    assert RULES["best constant"](official) == pytest.approx(constant, abs=0.05)
