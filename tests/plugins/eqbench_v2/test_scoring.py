"""Scores of questions and baselines of packs, on the full scale."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.plugins.emotion_ratings.summary import find_baselines
from eibench.plugins.eqbench_v2.benchmark import penalty, question_score, score_answers

RATINGS = st.lists(st.integers(0, 10), min_size=4, max_size=4)


@pytest.mark.parametrize(
    ("distance", "value"),
    [(0, 0), (1, 0.1729), (2, 0.5406), (3, 1.5046), (4, 3.25), (5, 4.9954), (6, 6), (10, 10)],
)
def test_penalties(distance: float, value: float) -> None:
    """Whole distances, to the printed digit (design, section 7, eqbench-v2)."""
    assert round(penalty(distance), 4) == value


def test_the_curve_begins_above_nothing_and_ends_at_five() -> None:
    """As upstream's: 6.5 / (1 + e^4.8) = 0.0531 just above 0, and the step of 0.0046 after 5."""
    assert penalty(1e-9) == pytest.approx(0.0531, abs=5e-5)
    assert penalty(5.0) == pytest.approx(4.9954, abs=5e-5)
    assert penalty(5.0 + 1e-9) == pytest.approx(5.0)


def test_a_question_by_hand() -> None:
    """Ratings 8, 3, 0, 10 against 7, 3, 4, 4 are 1, 0, 4 and 6 off."""
    # 6.5 / (1 + e^3.6) = 6.5 / 37.5982 = 0.17288; 6.5 / (1 + e^0) = 3.25
    # 10 - 0.7477 x (0.17288 + 0 + 3.25 + 6) = 10 - 0.7477 x 9.42288 = 2.95451
    assert question_score((8, 3, 0, 10), (7, 3, 4, 4)) == pytest.approx(2.95451, abs=5e-5)


def test_four_zeros_are_an_answer() -> None:
    """Against four zeros they are perfect; against 5, 0, 0, 0 they are 5 off once."""
    assert question_score((0, 0, 0, 0), (0, 0, 0, 0)) == 10
    assert question_score((0, 0, 0, 0), (5, 0, 0, 0)) == pytest.approx(10 - 0.7477 * penalty(5))


def test_lengths_must_agree() -> None:
    """A reference of another question's size is refused."""
    with pytest.raises(ValueError, match=r"shorter|longer"):
        question_score((1, 2, 3), (1, 0, 4, 5))


@given(RATINGS, RATINGS)
def test_ten_is_perfect_and_no_answer_is_below_the_worst(ratings: list[int], r: list[int]) -> None:
    """The reference scores 10, all else less; the worst is 10 - 0.7477 x 40 = -19.908."""
    score = question_score(ratings, r)
    assert -19.908 - 1e-9 <= score <= 10
    assert (score == 10) == (ratings == r)


@given(RATINGS, RATINGS, st.integers(0, 3))
def test_further_off_is_never_better(ratings: list[int], r: list[int], place: int) -> None:
    """Moving one rating a step away from its reference lowers the score."""
    step = 1 if ratings[place] >= r[place] else -1
    further = [*ratings[:place], ratings[place] + step, *ratings[place + 1 :]]
    assert question_score(further, r) < question_score(ratings, r)


@given(RATINGS, st.permutations(range(4)), RATINGS)
def test_the_order_of_emotions_does_not_matter(
    ratings: list[int], order: list[int], r: list[int]
) -> None:
    """Each emotion is rated for itself."""
    moved = question_score([ratings[i] for i in order], [r[i] for i in order])
    assert moved == pytest.approx(question_score(ratings, r), abs=1e-9)


@given(RATINGS, st.lists(st.lists(st.floats(0, 10), min_size=4, max_size=4), min_size=1))
def test_many_answers_score_as_each_by_itself(r: list[int], answers: list[list[float]]) -> None:
    """The array form is the plain form."""
    expected = [question_score(answer, r) for answer in answers]
    (found,) = score_answers(np.array(answers), [r])
    assert found == pytest.approx(expected, abs=1e-9)


def test_baselines_by_a_plain_loop() -> None:
    """Two questions: every whole answer, one by one."""
    references = [(7.0, 0.0, 3.0, 0.0), (9.0, 1.0, 0.0, 6.0)]
    found = find_baselines(references, score_answers, proportional=False)
    every = list(product(range(11), repeat=4))
    means = {a: 5 * sum(question_score(a, r) for r in references) for a in every}
    best = max(means, key=lambda answer: means[answer])
    equal = max(((n,) * 4 for n in range(11)), key=lambda answer: means[answer])
    variances = [np.var([question_score(a, r) for a in every]) for r in references]
    assert found["random"].value == pytest.approx(np.mean(list(means.values())), abs=1e-9)
    # Half of ten times the sum of two independent questions.
    assert found["random"].sd == pytest.approx(5 * sum(variances) ** 0.5, abs=1e-9)
    assert found["best_constant"].value == pytest.approx(means[best])
    assert found["best_constant"].answer == best
    assert found["uniform"].value == pytest.approx(means[equal])
    assert found["uniform"].answer == equal
