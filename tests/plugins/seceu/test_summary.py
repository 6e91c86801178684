"""The metrics of a run: what counts, what is undefined, what is said."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from eibench import Item, SampleScore, Score, Summary
from eibench.plugins.seceu.norms import MeanAndSD, Norm
from eibench.plugins.seceu.patterns import similarity
from eibench.plugins.seceu.stories import POINT_NAMES, AskedStory
from eibench.plugins.seceu.summary import summarise

NAMES = ("a", "b", "c", "d")
N = 20
NORM = Norm(
    "test people",
    mean=3.0,
    sd=0.6,
    template=tuple(2.0 + n / 10 for n in range(N)),
    people=100,
    best=1.5,
    similarity=MeanAndSD(0.2, 0.15),
)
ITEMS = [
    Item(str(n), AskedStory("", NAMES, (4, 3, 2, 1), (0, 1, 2, 3), "direct", 2.0 + n / 10))
    for n in range(N)
]
NULL = 30**0.5  # of (0, 0, 0, 0) to (4, 3, 2, 1)


def sample(n: int, distance: float | None, *flags: str, iteration: int = 1) -> SampleScore:
    """A sample of item n."""
    points = dict.fromkeys(POINT_NAMES, None if distance is None else 2.5)
    reason = "unread" if distance is None else None
    score = Score({"distance": distance, **points}, reason, flags)
    return SampleScore(str(n), str(n), iteration, score)


def summary(distances: Sequence[float | None], norm: Norm | None = NORM) -> Summary:
    """Of one distance per item, as many as there are."""
    return summarise(ITEMS, norm, [sample(n, d) for n, d in enumerate(distances)])


def value(found: Summary, name: str) -> Any:
    """A metric's value."""
    return found.metrics[name].value


def test_score_eq_and_percentile_are_of_the_mean_distance() -> None:
    """Mean 2.7: half an SD (0.6) better than 3.0 is EQ 107.5."""
    found = summary([2.3, 3.1] * 10)
    assert value(found, "seceu_score") == pytest.approx(2.7)
    assert value(found, "eq") == pytest.approx(107.5)
    assert value(found, "percentile") == pytest.approx(NORM.percentile(2.7))
    assert found.notes["band"] == "normal"
    assert list(found.metrics)[:2] == ["eq", "seceu_score"]


def test_interval_of_the_eq_is_that_of_the_distance_turned_round() -> None:
    """A larger distance is a lower EQ; the value lies within."""
    found = summary([float(d) for d in np.linspace(1.6, 3.2, N)])
    score, eq, percentile = (found.metrics[n] for n in ("seceu_score", "eq", "percentile"))
    assert score.ci95 is not None
    assert eq.ci95 == pytest.approx((NORM.eq(score.ci95[1]), NORM.eq(score.ci95[0])))
    assert eq.ci95 is not None
    assert eq.ci95[0] < (eq.value or 0) < eq.ci95[1]
    assert percentile.ci95 is not None
    assert percentile.ci95[0] < (percentile.value or 0) < percentile.ci95[1]
    # SD of 20 even steps from 1.6 to 3.2 is .4856 (n): half-width about t(19) = 2.093 times
    # .4856 / sqrt(19).
    assert score.ci95[1] - score.ci95[0] == pytest.approx(2 * 0.2332, rel=0.06)


def test_beyond_the_best_human_is_said() -> None:
    """Where nobody of the norm is, a percentile says little."""
    found = summary([1.4] * 10 + [1.5] * 10)
    assert found.notes["beyond_best_human"] is True
    assert "beyond the best human of the norm" in found.metrics["percentile"].label
    assert summary([1.6] * 20).notes["beyond_best_human"] is False


def test_unread_answers_are_left_out_and_counted_as_null_beside_it() -> None:
    """As the paper counts them: the null vector, whose distance is the root of 30."""
    found = summary([2.4] * 16 + [None] * 4)
    assert value(found, "seceu_score") == pytest.approx(2.4)
    assert found.metrics["seceu_score"].n == 16
    assert value(found, "seceu_score_unread_null") == pytest.approx((16 * 2.4 + 4 * NULL) / 20)
    assert value(found, "eq_unread_null") == pytest.approx(NORM.eq((16 * 2.4 + 4 * NULL) / 20))
    assert found.notes["counts"]["unread"] == 4


@pytest.mark.parametrize(("unread", "fails"), [(10, False), (11, True)])
def test_a_run_fails_without_meaningful_answers_to_the_majority(unread: int, fails: bool) -> None:
    """Half is no majority; the value is kept all the same."""
    found = summary([2.4] * (20 - unread) + [None] * unread)
    assert (found.invalid is not None) == fails
    assert value(found, "seceu_score") == pytest.approx(2.4)
    assert f"{unread} of 20 answers could not be read" in found.warnings[0]
    if fails:
        assert found.invalid == "no meaningful answer to 11 of 20, which is the majority"


def test_replies_that_were_ended_say_if_that_cost_an_answer() -> None:
    """Only where one could not be read for it may a larger token limit help."""
    scores = [sample(n, 2.4, *(["cut_off"] if n < 3 else [])) for n in range(N)]
    (warning,) = summarise(ITEMS, NORM, scores).warnings
    assert warning == "3 of the replies were ended by the token limit, after their answer"
    scores[0] = sample(0, None, "cut_off")
    warning = summarise(ITEMS, NORM, scores).warnings[1]
    assert warning.endswith("ended by the token limit, 1 of them unread: raise --max-tokens")


def test_a_failed_run_stands_nowhere_among_people() -> None:
    """Neither a band nor "beyond the best human" for nine good answers of twenty."""
    found, whole = summary([0.5] * 9 + [None] * 11), summary([0.5] * 20)
    assert (whole.notes["band"], whole.notes["beyond_best_human"]) == ("expert", True)
    assert whole.metrics["eq"].label == "EQ (expert)"
    assert (found.notes["band"], found.notes["beyond_best_human"]) == (None, None)
    assert found.metrics["eq"].label == "EQ"
    assert found.metrics["percentile"].label == "percentile (in the norm)"


def test_null_vectors_are_no_meaningful_answers() -> None:
    """Scored as they are, but eleven of twenty fail the run; they are told in a warning."""
    scores = [sample(n, NULL, "null") if n < 11 else sample(n, 2.4) for n in range(N)]
    found = summarise(ITEMS, NORM, scores)
    assert found.invalid is not None
    assert value(found, "seceu_score") == pytest.approx((11 * NULL + 9 * 2.4) / 20)
    assert "11 of the answers are four zeros" in found.warnings[0]


def test_nothing_read_gives_nothing() -> None:
    """No value anywhere but where unread answers are counted as null; no NaN."""
    found = summary([None] * 20)
    for name in ("eq", "seceu_score", "percentile", "pattern_r", "sum_violations"):
        metric = found.metrics[name]
        assert (metric.value, metric.ci95) == (None, None), name
    assert value(found, "seceu_score_unread_null") == pytest.approx(NULL)
    assert found.invalid is not None


def test_no_scores_at_all_are_no_failure() -> None:
    """A run that was stopped before its first answer."""
    found = summarise(ITEMS, NORM, [])
    assert found.invalid is None
    assert value(found, "eq") is None


def test_sums_other_than_ten_are_counted() -> None:
    """As a share of the answers that were read, and as a number."""
    scores = [sample(n, 2.0, *(["sum"] if n < 5 else [])) for n in range(16)]
    scores += [sample(n, None) for n in range(16, N)]
    found = summarise(ITEMS, NORM, scores)
    assert value(found, "sum_violations") == pytest.approx(5 / 16)
    assert found.notes["counts"]["sum_violations"] == 5
    assert not found.metrics["sum_violations"].higher_is_better


def test_no_wrong_sum_has_an_interval_all_the_same() -> None:
    """Twenty stories without one: up to t^2 / (20 + t^2) with t(19) = 2.093 may have one."""
    found = summary([2.0] * N).metrics["sum_violations"]
    assert found.value == 0
    assert found.ci95 == pytest.approx((0, 2.093**2 / (20 + 2.093**2)), abs=1e-4)


def test_a_pattern_of_seven_stories_has_no_interval() -> None:
    """Few families, as anywhere; the similarity is there, and is not called unlike for sure."""
    distances = [3.0 - n / 10 + (n % 3) / 5 for n in range(7)]
    found = summary([*distances, *[None] * (N - 7)]).metrics["pattern_r"]
    assert found.value is not None
    assert found.ci95 is None
    eight = summary([*distances, 2.2, *[None] * (N - 8)]).metrics["pattern_r"]
    assert eight.ci95 is not None


def test_without_a_norm_there_are_distances_only() -> None:
    """EQ is null, and the distance is the main metric."""
    found = summary([2.0] * 20, norm=None)
    assert list(found.metrics) == [
        "seceu_score",
        "eq",
        "seceu_score_unread_null",
        "sum_violations",
    ]
    assert value(found, "eq") is None
    assert found.notes["pattern"]["undefined"] == "the pack has no pattern template"


def test_pattern_similarity_follows_the_template() -> None:
    """The template itself, shifted: r = 1; turned round: -1 and below the mark."""
    same = summary([t - 0.5 for t in NORM.template])
    turned = summary([5 - t for t in NORM.template])
    assert value(same, "pattern_r") == pytest.approx(1)
    assert value(turned, "pattern_r") == pytest.approx(-1)
    assert turned.notes["pattern"]["below_mark"] is True


def test_pattern_similarity_is_undefined_without_variance() -> None:
    """All distances equal, but for rounding: no r, and it is said why."""
    found = summary([2.0 + (n % 2) * 1e-14 for n in range(N)])
    assert value(found, "pattern_r") is None
    assert found.notes["pattern"]["undefined"] == "the distances do not vary"


def test_pattern_similarity_needs_three_stories() -> None:
    """With two, every r is 1 or -1."""
    found = summary([2.0, 3.0])
    assert value(found, "pattern_r") is None
    assert found.notes["pattern"]["undefined"] == "fewer than three stories have an answer"


def test_a_pattern_is_called_different_only_with_its_interval() -> None:
    """Below 0.05, but the interval reaches over it, and that is said."""
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(400, N))
    found = [similarity(NORM, list(row), NORM.template) for row in noise]
    unsure = next(p for p in found if p.unlike and not p.shown)
    sure = next(p for p in found if p.shown)
    assert unsure.r is not None
    assert unsure.interval is not None
    assert unsure.r < 0.05 < unsure.interval[1]
    assert sure.interval is not None
    assert sure.interval[1] < 0.05
    row = noise[found.index(unsure)]
    message = summary(list(row - row.min() + 1)).warnings
    assert any("but its interval reaches over it" in warning for warning in message)
    row = noise[found.index(sure)]
    message = summary(list(row - row.min() + 1)).warnings
    assert any("and so is its whole interval" in warning for warning in message)


def test_place_of_a_similarity_is_among_people() -> None:
    """An r equal to the mean of people's: the middle."""
    rng = np.random.default_rng(0)
    template = np.array(NORM.template)
    noise = rng.normal(size=N)
    noise -= noise.mean() + template * (noise @ (template - template.mean())) / (
        template @ (template - template.mean())
    )
    found = similarity(NORM, list(template + noise / 5), NORM.template)
    assert found.r is not None
    assert found.percentile == pytest.approx(NORM.similarity_place(found.r))
    middle = replace(NORM, similarity=MeanAndSD(found.r, 0.1))
    assert similarity(
        middle, list(template + noise / 5), NORM.template
    ).percentile == pytest.approx(50)


def test_iterations_of_a_story_stay_together() -> None:
    """The mean is over all samples; pattern and interval are over stories; reruns have an SD."""
    scores = [sample(n, 2.0 + n / 10, iteration=1) for n in range(N)]
    scores += [sample(n, 3.0 + n / 10, iteration=2) for n in range(N)]
    found = summarise(ITEMS, NORM, scores)
    once = summarise(ITEMS, NORM, scores[:N])
    assert found.metrics["pattern_r"].n == N
    assert value(found, "seceu_score") == pytest.approx(value(once, "seceu_score") + 0.5)
    assert found.notes["per_iteration"] == pytest.approx([2.95, 3.95])
    # EQ 15 / 0.6 points per unit: iterations 25 apart, SD 25 / sqrt(2).
    assert value(found, "rerun_sd") == pytest.approx(25 / 2**0.5)
    assert found.metrics["seceu_score"].ci95 is not None
    low, high = found.metrics["seceu_score"].ci95
    assert once.metrics["seceu_score"].ci95 is not None
    alone = once.metrics["seceu_score"].ci95
    assert high - low == pytest.approx(alone[1] - alone[0], rel=0.02)


def test_per_item_distances_are_in_the_notes() -> None:
    """Each story's mean distance and answer, with the reference and people's distance."""
    found = summary([2.0, None, 3.0]).notes["items"]
    assert list(found) == ["0", "2"]
    assert found["2"] == {
        "distance": 3.0,
        "answer": [2.5] * 4,
        "reference": [4, 3, 2, 1],
        "human_distance": pytest.approx(2.2),
    }


def test_a_part_of_the_stories_is_said_to_be_one() -> None:
    """The norm is of all."""
    assert any("an EQ from 3 of them is a rough one" in w for w in summary([2.0] * 3).warnings)
    assert not any("rough" in w for w in summary([2.0] * N).warnings)


def test_cut_replies_are_told_with_what_to_do() -> None:
    """512 tokens are few for a model that thinks."""
    scores = [sample(n, None, "cut_off") for n in range(3)] + [sample(n, 2.0) for n in range(3, N)]
    message = summarise(ITEMS, NORM, scores).warnings
    assert any("3 of the replies were ended by the token limit" in w for w in message)
    assert any("--max-tokens" in w for w in message)


def test_summary_does_not_depend_on_order() -> None:
    """The same samples in any order give the same numbers, intervals too."""
    rng = Random(2)
    scores = [sample(n, rng.uniform(1, 4), iteration=i) for n in range(N) for i in (1, 2)]
    shuffled = Random(3).sample(scores, len(scores))
    assert summarise(ITEMS, NORM, scores) == summarise(ITEMS, NORM, shuffled)
