"""The numbers of a run: the better pass, its interval, and what qualifies it."""

import math

import numpy as np
import pytest

from eibench.core.statistics.bootstrap import tail
from eibench.plugins.emotion_ratings.summary import PassSummary, summarise

NAN = math.nan


def run(
    first: list[float],
    revised: list[float] | None = None,
    questions: list[int] | None = None,
    iterations: list[int] | None = None,
) -> PassSummary:
    """Summarise with a fixed seed and few replicates."""
    return summarise(
        first,
        revised,
        list(range(len(first))) if questions is None else questions,
        iterations=iterations,
        rng=np.random.default_rng(1),
        replicates=500,
    )


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
    assert (found.score.value, found.score.ci95, found.chosen) == (None, None, None)
    assert not found.valid
    assert found.iteration_sd is None


def test_iterations_have_their_own_scores() -> None:
    """Each iteration is scored by the rule alone; an empty one has no score, and is not 0."""
    found = run([5, 7, 4, 6, NAN, NAN], None, [0, 1] * 3, [1, 1, 2, 2, 3, 3])
    assert list(found.per_iteration) == [60, 50, None]
    # Of 60 and 50: sqrt(2 x 25 / 1).
    assert found.iteration_sd == pytest.approx(math.sqrt(50))


def test_a_pass_that_few_questions_have_has_no_interval() -> None:
    """Of ten questions seven have a readable revised pass; all have a first one."""
    revised = [*range(1, 8), NAN, NAN, NAN]
    found = run(list(range(10)), revised)
    assert found.revised is not None
    assert found.first_pass.ci95 is not None
    assert (found.revised.ci95, found.revised.families) == (None, 7)
    assert found.first_pass.families == 10


def test_one_question_has_no_interval() -> None:
    """Nothing is known about other questions, however often one is asked."""
    assert run([5, 6, 7], None, [0, 0, 0], [1, 2, 3]).score.ci95 is None


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
    assert found.score.ci95 is not None
    # Two seeds of 4000 replicates: the outer quantiles differ by about 0.1 here.
    below = tail(30)
    expected = np.quantile(scores, [below, 1 - below])
    assert found.score.ci95 == pytest.approx(expected, abs=0.4)


def test_choosing_the_better_pass_shows_in_its_interval() -> None:
    """Two passes of equal quality: the interval of the better one sits above both of theirs."""
    data = np.random.default_rng(4)
    found = run(list(data.normal(5, 3, 60)), list(data.normal(5, 3, 60)))
    assert found.revised is not None
    lows = [e.ci95[0] for e in (found.score, found.first_pass, found.revised) if e.ci95]
    assert lows[0] >= max(lows[1:])


def test_the_seed_decides() -> None:
    """The same generator state gives the same summary."""
    assert run([1, 5, 9, 3], [2, 5, 8, 4]) == run([1, 5, 9, 3], [2, 5, 8, 4])
