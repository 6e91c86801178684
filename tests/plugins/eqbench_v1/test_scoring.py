"""Scores of questions and baselines of a pack, by proportions."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import Baseline
from eibench.plugins.emotion_ratings.summary import find_baselines
from eibench.plugins.eqbench_v1.benchmark import question_score, score_answers

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
RATINGS = st.lists(st.integers(0, 10), min_size=4, max_size=4).filter(any)


def normalised(ratings: list[int]) -> list[float]:
    """Scale ratings to sum 10."""
    return [rating / sum(ratings) * 10 for rating in ratings]


def baselines(references: Sequence[Sequence[float]]) -> Mapping[str, Baseline]:
    """Those of a pack, by the rules of version 1."""
    return find_baselines(references, score_answers, proportional=True)


def test_the_example_of_the_paper() -> None:
    """Paech (2023), section 3.6: ratings 6, 0, 7, 7 against 1, 0, 4, 5 score 6."""
    assert question_score((6, 0, 7, 7), (1, 0, 4, 5)) == pytest.approx(6, abs=1e-12)


def test_all_zero_has_no_score() -> None:
    """Without proportions there is nothing to compare."""
    assert question_score((0, 0, 0, 0), (1, 0, 4, 5)) is None


def test_lengths_must_agree() -> None:
    """A reference of another question's size is refused."""
    with pytest.raises(ValueError, match=r"shorter|longer"):
        question_score((1, 2, 3), (1, 0, 4, 5))


@given(RATINGS, RATINGS, st.floats(0.01, 100))
def test_only_proportions_count(ratings: list[int], other: list[int], scale: float) -> None:
    """Ratings scaled by a factor score the same."""
    reference = normalised(other)
    scaled = question_score([scale * rating for rating in ratings], reference)
    assert scaled == pytest.approx(question_score(ratings, reference), abs=1e-9)


@given(RATINGS, RATINGS)
def test_scores_are_bounded_and_ten_is_perfect(ratings: list[int], other: list[int]) -> None:
    """The reference's own proportions score 10; nothing is above it or below -10."""
    reference = normalised(other)
    assert question_score(other, reference) == pytest.approx(10, abs=1e-9)
    score = question_score(ratings, reference)
    assert score is not None
    assert -10 - 1e-9 <= score <= 10 + 1e-9


def test_baselines_by_hand() -> None:
    """One question with the reference 10, 0, 0, 0: each number follows from its definition."""
    found = baselines([(10, 0, 0, 0)])
    # All equal: 10 - (7.5 + 3 x 2.5) = -5.
    assert found["uniform"].value == pytest.approx(-50)
    # (1, 0, 0, 0) is exact; 2, 3, ... in the first place are multiples of it.
    best = found["best_constant"]
    assert (best.value, best.answer) == (100.0, (1, 0, 0, 0))
    # 10 - 2 (10 - share) with an expected share of 10/4 by symmetry: -5.
    assert found["random"].value == pytest.approx(-50, abs=1e-9)


def test_the_spread_of_a_random_run_shrinks_with_its_questions() -> None:
    """Four equal questions, answered independently, halve the standard deviation."""
    one, four = (baselines([(5, 3, 2, 0)] * n)["random"] for n in (1, 4))
    assert one.sd is not None
    assert four.sd == pytest.approx(one.sd / 2)
    assert four.value == pytest.approx(one.value)


def test_baselines_need_questions() -> None:
    """An empty pack has no baselines."""
    with pytest.raises(ValueError, match="no references"):
        baselines([])


@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
def test_baselines_of_the_official_pack() -> None:
    """The known values, to the printed digit (design, section 7, eqbench-v1)."""
    path = Path(OFFICIAL or "") / "eqbench-v1" / "eq_bench_v1_questions_60.json"
    answers = [q["reference_answer"] for q in json.loads(path.read_text("utf-8")).values()]
    found = baselines([[answer[f"emotion{i}_score"] for i in range(1, 5)] for answer in answers])
    random, best = found["random"], found["best_constant"]
    assert f"{random.value:.1f} {random.sd:.1f} {found['uniform'].value:.1f}" == "3.4 3.9 13.8"
    assert best.value == pytest.approx(18.0, abs=1e-9)
    assert best.answer == (1, 2, 1, 1)
