"""Scores of questions, baselines of a pack and the numbers of a run."""

import json
import math
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.plugins.eqbench_v1.scoring import (
    Summary,
    baselines,
    question_score,
    summarise,
)

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
RATINGS = st.lists(st.integers(0, 10), min_size=4, max_size=4).filter(any)
NAN = math.nan


def normalised(ratings: list[int]) -> list[float]:
    """Scale ratings to sum 10."""
    return [rating / sum(ratings) * 10 for rating in ratings]


def run(
    first: list[float],
    revised: list[float] | None = None,
    questions: list[int] | None = None,
    iterations: list[int] | None = None,
) -> Summary:
    """Summarise with a fixed seed and few replicates."""
    return summarise(
        first,
        revised,
        list(range(len(first))) if questions is None else questions,
        iterations=iterations,
        rng=np.random.default_rng(1),
        replicates=500,
    )


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


@given(RATINGS)
def test_the_permuted_baseline_is_the_mean_over_all_orders(ratings: list[int]) -> None:
    """It equals the plain loop over the 24 orders of the reference."""
    reference = normalised(ratings)
    scores = [question_score(order, reference) or 0.0 for order in permutations(reference)]
    assert baselines([reference]).permuted == pytest.approx(10 * sum(scores) / 24, abs=1e-9)


def test_baselines_by_hand() -> None:
    """One question with the reference 10, 0, 0, 0: each number follows from its definition."""
    found = baselines([(10, 0, 0, 0)])
    # All equal: 10 - (7.5 + 3 x 2.5) = -5.
    assert found.uniform == pytest.approx(-50)
    # (1, 0, 0, 0) is exact; 2, 3, ... in the first place are multiples of it.
    assert found.best_constant == (100.0, (1, 0, 0, 0))
    # A quarter of the orders is exact (10), the others miss wholly (-10).
    assert found.permuted == pytest.approx(-50)
    # 10 - 2 (10 - share) with an expected share of 10/4 by symmetry: -5.
    assert found.random == pytest.approx(-50, abs=1e-9)


def test_the_spread_of_a_random_run_shrinks_with_its_questions() -> None:
    """Four equal questions, answered independently, halve the standard deviation."""
    one, four = baselines([(5, 3, 2, 0)]), baselines([(5, 3, 2, 0)] * 4)
    assert four.random_sd == pytest.approx(one.random_sd / 2)
    assert four.random == pytest.approx(one.random)


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
    assert f"{found.random:.1f} {found.random_sd:.1f} {found.uniform:.1f}" == "3.4 3.9 13.8"
    assert found.best_constant.answer == (1, 2, 1, 1)
    assert found.best_constant.score == pytest.approx(18.0, abs=1e-9)
    assert found.permuted == 0


def test_importing_needs_no_numpy() -> None:
    """Every command loads the plugin, so the module leaves numpy until a score is wanted."""
    code = "import sys, eibench.plugins.eqbench_v1.scoring; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_better_pass_is_the_score() -> None:
    """Means x 10 of the readable answers; the higher one is final."""
    found = run([5, 6, NAN, 7], [6, 7, NAN, 8])
    assert (found.first_pass.value, found.first_pass.n) == (60, 3)
    assert found.revised is not None
    assert found.gain is not None
    assert (found.revised.value, found.gain.value, found.gain.n) == (70, 10, 3)
    assert (found.score.value, found.score.n, found.chosen) == (70, 3, "revised")
    # (6 + 7 + 8) / 4 samples x 10
    assert (found.zero_filled.value, found.zero_filled.n, found.total) == (52.5, 4, 4)


@pytest.mark.parametrize(
    ("n_first", "n_revised", "chosen"),
    [(20, 19, "revised"), (20, 18, "first_pass"), (18, 20, "revised"), (0, 20, "revised")],
)
def test_a_pass_with_too_few_answers_does_not_count(
    n_first: int, n_revised: int, chosen: str
) -> None:
    """95 % of the other's readable answers are enough, less is not, however good the score."""
    first = [5.0] * n_first + [NAN] * (20 - n_first)
    revised = [6.0] * n_revised + [NAN] * (20 - n_revised)
    assert run(first, revised).chosen == chosen


def test_the_rule_protects_the_revised_pass_too() -> None:
    """A better first pass with less than 95 % of the revised answers does not count either."""
    found = run([9.0] * 18 + [NAN] * 2, [6.0] * 20)
    assert (found.chosen, found.score.value) == ("revised", 60)


def test_equal_passes_choose_the_revised() -> None:
    """The published code takes the revised pass when the means are equal."""
    assert run([5, 7], [7, 5]).chosen == "revised"


@pytest.mark.parametrize(("unread", "valid"), [(10, True), (11, False)])
def test_more_than_a_sixth_unread_fails(unread: int, valid: bool) -> None:
    """Paech (2023), section 3.7: fewer than 50 of 60 parsable answers are a fail."""
    assert run([5.0] * (60 - unread) + [NAN] * unread).valid is valid


def test_without_revision_there_is_one_pass() -> None:
    """Neither revised pass nor gain exist; the score is the first pass."""
    found = run([5, 6])
    assert (found.revised, found.gain, found.chosen, found.score.value) == (
        None,
        None,
        "first_pass",
        55,
    )


@pytest.mark.parametrize("samples", [[], [NAN, NAN]])
def test_nothing_readable_is_none_not_nan(samples: list[float]) -> None:
    """Numbers that do not exist are None, and the run is not valid."""
    found = run(samples, samples)
    assert (found.score.value, found.score.interval, found.chosen) == (None, None, None)
    assert not found.valid
    assert found.iteration_sd is None


def test_iterations_have_their_own_scores() -> None:
    """Each iteration is scored by the rule alone; an empty one has no score, and is not 0."""
    found = run([5, 7, 4, 6, NAN, NAN], None, [0, 1] * 3, [1, 1, 2, 2, 3, 3])
    assert list(found.per_iteration) == [60, 50, None]
    # Of 60 and 50: sqrt(2 x 25 / 1).
    assert found.iteration_sd == pytest.approx(math.sqrt(50))


def test_one_question_has_no_interval() -> None:
    """Nothing is known about other questions, however often one is asked."""
    assert run([5, 6, 7], None, [0, 0, 0], [1, 2, 3]).score.interval is None


def test_intervals_equal_a_plain_loop() -> None:
    """Resampling questions one by one, with the choice made anew, gives the same interval."""
    data = np.random.default_rng(5)
    questions = np.repeat(np.arange(30), 2)
    first = data.normal(5, 2, 60)
    revised = first + data.normal(0, 1, 60)
    revised[[3, 8]] = NAN
    found = summarise(first, revised, questions, rng=np.random.default_rng(2), replicates=4000)
    scores = []
    loop = np.random.default_rng(3)
    for _ in range(4000):
        rows = np.concatenate([np.flatnonzero(questions == q) for q in loop.integers(0, 30, 30)])
        one, two = first[rows], revised[rows][~np.isnan(revised[rows])]
        counts = len(two) >= 0.95 * len(one)
        scores.append(10 * max(one.mean(), two.mean() if counts else -math.inf))
    assert found.score.interval is not None
    # Two seeds of 4000 replicates: the 2.5 % quantiles differ by about 0.1 here.
    assert found.score.interval == pytest.approx(np.quantile(scores, [0.025, 0.975]), abs=0.4)


def test_choosing_the_better_pass_shows_in_its_interval() -> None:
    """Two passes of equal quality: the interval of the better one sits above both of theirs."""
    data = np.random.default_rng(4)
    found = run(list(data.normal(5, 3, 60)), list(data.normal(5, 3, 60)))
    assert found.revised is not None
    lows = [e.interval.low for e in (found.score, found.first_pass, found.revised) if e.interval]
    assert lows[0] >= max(lows[1:])


def test_the_seed_decides() -> None:
    """The same generator state gives the same summary."""
    assert run([1, 5, 9, 3], [2, 5, 8, 4]) == run([1, 5, 9, 3], [2, 5, 8, 4])
