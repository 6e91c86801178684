"""Means of people's labels that a judge makes more precise."""

import numpy as np
import pytest

from eibench.plugins.labels.prediction_powered import PredictionPowered, prediction_powered_mean
from eibench.statistics import krippendorff_alpha, share_interval

LABELS = [3.0, 5, 4, 6, 2, 7, 5, 4, 6, 8]
JUDGED = [2.5, 4, 4.5, 5, 2, 6, 4, 4.5, 5, 6.5]
REST = [3.0, 4, 5, 2.5, 6, 7, 4, 3.5, 5, 5.5, 2, 4.5]
NONE = float("nan")


def estimate(**options: object) -> PredictionPowered:
    """Of ten labelled units of 22."""
    labels = LABELS + [NONE] * len(REST)
    return prediction_powered_mean(labels, JUDGED + REST, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weight", "mean"), [(0.0, 5.0), (0.3, 4.98), (0.5, 4.966666666667), (1.0, 4.933333333333)]
)
def test_the_mean_is_that_of_the_reference_package(weight: float, mean: float) -> None:
    """`ppi_mean_pointestimate(..., lam=weight)` of ppi-python 0.2.3, whose rest is unlabelled."""
    n, rest = len(LABELS), len(REST)
    assert estimate(weight=weight * (n + rest) / rest).mean.value == pytest.approx(mean, abs=1e-9)


def test_labels_count_by_the_inverse_of_their_probability() -> None:
    """The same package with weights 1 and 2: 5.3333."""
    drawn = [0.5] * 5 + [0.25] * 5 + [NONE] * len(REST)
    assert estimate(probabilities=drawn, weight=0).mean.value == pytest.approx(16 / 3)


def test_the_judge_alone_is_its_mean_over_all() -> None:
    """However likely items were to be drawn."""
    drawn = [0.5] * 5 + [0.25] * 5 + [NONE] * len(REST)
    found = estimate(probabilities=drawn).judge_alone
    assert found.value == pytest.approx(np.mean(JUDGED + REST))


def test_the_best_weight_is_the_slope_of_labels_on_grades() -> None:
    """As numpy fits it; and the interval is a jackknife's with n - 2 degrees of freedom."""
    found = estimate()
    slope = np.polyfit(JUDGED, LABELS, 1)[0]
    assert found.weight == pytest.approx(slope)
    assert found.correlation == pytest.approx(np.corrcoef(JUDGED, LABELS)[0, 1])
    y, f = np.array(LABELS), np.array(JUDGED + REST)
    less_one = []
    for k in range(22):
        kept = [i for i in range(10) if i != k]
        fit = np.polyfit(f[kept], y[kept], 1)[0]
        less_one.append(y[kept].mean() - fit * (f[kept].mean() - np.delete(f, k).mean()))
    error = np.sqrt(21 / 22 * ((np.array(less_one) - np.mean(less_one)) ** 2).sum())
    assert found.mean.ci95 is not None and found.mean.value is not None
    half = 2.306004135 * error  # t of 8 degrees of freedom
    assert found.mean.ci95[1] - found.mean.value == pytest.approx(half)


def test_a_judge_that_is_off_and_uses_half_of_the_scale_changes_nothing() -> None:
    """The weight takes up its scale, the difference of means its shift."""
    odd = [3 + 0.5 * grade for grade in JUDGED + REST]
    found = prediction_powered_mean(LABELS + [NONE] * len(REST), odd)
    assert found.mean.value == pytest.approx(estimate().mean.value)
    assert found.gain == pytest.approx(estimate().gain)


def test_a_judge_that_goes_against_people_gets_no_weight() -> None:
    """Then labels alone count, and it does not help."""
    against = [-grade for grade in JUDGED + REST]
    found = prediction_powered_mean(LABELS + [NONE] * len(REST), against)
    assert found.weight == 0
    assert found.mean.value == pytest.approx(5)
    assert found.gain is not None and found.gain >= 1


@pytest.mark.parametrize("n", [8, 12])
def test_yes_from_all_leaves_room_for_no(n: int) -> None:
    """The interval is that of a share of n of n; 0 of n is its mirror image."""
    low, high = share_interval([1] * n) or (0, 0)
    for label, ends in ((1.0, (low, high)), (0.0, (1 - high, 1 - low))):
        found = prediction_powered_mean(
            [label] * n + [NONE] * 30, [0.9] * (n + 30), weight=0, scale=(0.0, 1.0)
        )
        assert found.mean.ci95 == found.labels_alone.ci95 == pytest.approx(ends)


def test_yes_or_no_has_an_interval_within_its_scale() -> None:
    """Of one no among twelve: Wilson's, on whatever two numbers the labels are; never beyond."""
    yes, judged = np.array([1.0] * 11 + [0.0] + [NONE] * 30), [*[0.9] * 11, 0.1, *[0.8] * 30]
    one = prediction_powered_mean(yes, judged, scale=(0.0, 1.0))
    other = prediction_powered_mean(100 * yes, judged, scale=(0.0, 100.0))
    assert one.labels_alone.ci95 and one.mean.ci95 and other.mean.ci95
    assert 0 < one.labels_alone.ci95[0] < 0.7 and 11 / 12 < one.labels_alone.ci95[1] < 1
    assert one.mean.ci95[1] <= 1
    assert other.mean.ci95 == pytest.approx([100 * end for end in one.mean.ci95])


def test_labels_alike_on_a_coarse_scale_leave_room_to_both_ends() -> None:
    """Nine 3 of 1 to 5: 1 - .05^(1/9) of all may be at either end. Without a scale: not known."""
    labels, judged = [3.0] * 9 + [NONE] * 9, list(range(18))
    found = prediction_powered_mean(labels, judged, scale=(1.0, 5.0))
    assert found.mean.ci95 == pytest.approx((3 - 2 * 0.283130, 3 + 2 * 0.283130), abs=1e-5)
    unknown = prediction_powered_mean(labels, judged).mean
    assert (unknown.value, unknown.ci95) == (3, None)
    assert unknown.reason == "all are alike, and how far others may lie is unknown"


def test_no_end_of_an_interval_is_beyond_the_scale() -> None:
    """Labels from 2 to 8 on a scale that ends there, and a judge who thinks the rest far better."""
    better = [grade + 9 for grade in REST]
    found = prediction_powered_mean(LABELS + [NONE] * len(REST), JUDGED + better, scale=(2.0, 8.0))
    assert found.mean.value == 8
    assert found.mean.ci95 and found.mean.ci95[0] < found.mean.ci95[1] == 8


def test_raters_widen_the_interval_by_how_far_they_differ() -> None:
    """Three who differ by constants: that of families is what it was with one."""
    table = np.array(LABELS + [NONE] * len(REST))[:, None] + [-1.0, 0.0, 1.0]
    found, one = prediction_powered_mean(table, JUDGED + REST), estimate()
    assert found.variance_families == pytest.approx(one.variance_families)
    assert one.variance_raters == 0
    # The variance of a mean of three that differ by 1 is 1/3.
    assert found.variance_raters == pytest.approx(1 / 3, rel=0.05)
    assert found.df is not None and 2 <= found.df < 5


def test_units_of_a_family_are_left_out_together() -> None:
    """Ten families of two copies: the same interval as of one each, not a shorter one."""
    twice = [NONE if np.isnan(x) else x for x in LABELS + [NONE] * len(REST)] * 2
    found = prediction_powered_mean(twice, (JUDGED + REST) * 2, [*range(22), *range(22)])
    assert found.mean.ci95 == pytest.approx(estimate().mean.ci95)


def test_too_few_labels_are_refused_and_too_few_texts_have_no_interval() -> None:
    """Seven labels give nothing; eight of seven texts a mean alone."""
    few = prediction_powered_mean(LABELS[:7] + [NONE] * 3, JUDGED)
    assert (few.mean.value, few.mean.reason) == (None, "7 labels; 8 are needed")
    texts = [0, 0, *range(1, 9)]
    alike = prediction_powered_mean(LABELS[:8] + [NONE] * 2, JUDGED, texts)
    assert alike.mean.value is not None and alike.mean.ci95 is None
    assert alike.mean.reason == "labels of 8 different texts are needed for an interval, here of 7"


def test_the_labels_that_are_needed_make_the_interval_as_narrow() -> None:
    """In a large draw of a known correlation; none suffice where raters are what differs."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=4000)
    f = 0.8 * y + 0.6 * rng.normal(size=4000)

    def drawn(n: int) -> PredictionPowered:
        return prediction_powered_mean(np.where(np.arange(1500) < n, y[:1500], NONE), f[:1500])

    now = drawn(60)
    needed = now.labels_needed(0.7)
    assert needed is not None and 120 < needed < 160
    then = drawn(needed)
    assert now.mean.ci95 and then.mean.ci95
    widths = [one.mean.ci95[1] - one.mean.ci95[0] for one in (then, now)]  # type: ignore[index]
    assert widths[0] / widths[1] == pytest.approx(0.7, abs=0.1)
    ratios = []
    for _ in range(12):  # of few labels, where t and the weight's own error matter
        y, f = rng.normal(size=(2, 171))
        f = 0.8 * y + 0.6 * f
        one = prediction_powered_mean(np.where(np.arange(171) < 12, y, NONE), f)
        half = one.labels_needed() or 171
        two = prediction_powered_mean(np.where(np.arange(171) < half, y, NONE), f)
        assert one.mean.ci95 and two.mean.ci95
        ratios.append((two.mean.ci95[1] - two.mean.ci95[0]) / (one.mean.ci95[1] - one.mean.ci95[0]))
    assert np.median(ratios) == pytest.approx(0.5, abs=0.06)
    table = np.array(LABELS + [NONE] * len(REST))[:, None] + [-9.0, 9.0]
    assert prediction_powered_mean(table, JUDGED + REST).labels_needed() is None


def test_what_cannot_be_is_refused() -> None:
    """A judge's grade that lacks, a probability of 0, and unequal lengths."""
    with pytest.raises(ValueError, match="has not graded every unit"):
        prediction_powered_mean(LABELS, [*JUDGED[:9], NONE])
    with pytest.raises(ValueError, match="not above 0"):
        prediction_powered_mean(LABELS, JUDGED, probabilities=[0.0] * 10)
    with pytest.raises(ValueError, match="need a label and a grade a unit"):
        prediction_powered_mean(LABELS, JUDGED[:9])


def test_alpha_is_that_of_the_reference_package() -> None:
    """`krippendorff.alpha` 0.9.0 on its own example of four raters."""
    rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    table = np.array([[NONE if c == "." else float(c) for c in row] for row in rows]).T
    reference = {
        "nominal": 0.743421052631579, "ordinal": 0.8153875037548814, "interval": 0.8491071428571428
    }  # fmt: skip
    for metric, alpha in reference.items():
        found = krippendorff_alpha(table, metric=metric, replicates=2)  # type: ignore[arg-type]
        assert found.value == pytest.approx(alpha, abs=1e-9)
