"""Agreement of raters: published examples, derivations by hand, and laws."""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from eibench import Estimate
from eibench.core.statistics.bootstrap import tail
from eibench.statistics import (
    NO_SPREAD,
    icc_agreement,
    mean_disagreement,
    order_agreement,
    rank_agreement,
)

# Six targets by four judges: Shrout and Fleiss (1979), Psychological Bulletin 86, table 2.
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
GRADES = st.integers(0, 40).map(lambda n: n / 2)
ROWS = st.lists(st.tuples(GRADES, GRADES, st.integers(0, 11)), min_size=3, max_size=30)
quick = settings(max_examples=60, deadline=None)


def plain_icc(rows: Sequence[Sequence[float]]) -> float | None:
    """ICC(A,1) by its definition, sum by sum."""
    n, k = len(rows), len(rows[0])
    grand = sum(map(sum, rows)) / (n * k)
    targets = [sum(row) / k for row in rows]
    raters = [sum(row[j] for row in rows) / n for j in range(k)]
    ms_r = k * sum((t - grand) ** 2 for t in targets) / (n - 1)
    ms_c = n * sum((r - grand) ** 2 for r in raters) / (k - 1)
    left = [(rows[i][j] - targets[i] - raters[j] + grand) ** 2 for i in range(n) for j in range(k)]
    ms_e = sum(left) / ((n - 1) * (k - 1))
    if any(len({row[j] for row in rows}) == 1 for j in range(k)):  # of two judges
        return None
    return (ms_r - ms_e) / (ms_r + (k - 1) * ms_e + k * (ms_c - ms_e) / n)


def plain_rho(one: Sequence[float], two: Sequence[float]) -> float | None:
    """Pearson's r of mean ranks, each counted out."""
    ranked = [
        [sum(w < v for w in s) + (s.count(v) + 1) / 2 for v in s] for s in (list(one), list(two))
    ]
    middle = (len(one) + 1) / 2
    a, b = ([rank - middle for rank in ranks] for ranks in ranked)
    squares = sum(x * x for x in a) * sum(y * y for y in b)
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(squares) if squares else None


def plain_interval(
    rows: Sequence[tuple[float, float, int]], statistic: object
) -> tuple[float, float]:
    """A bootstrap over clusters that makes each resample a list of its own."""
    by_cluster: dict[int, list[tuple[float, float]]] = {}
    for one, two, cluster in rows:
        by_cluster.setdefault(cluster, []).append((one, two))
    groups, drawing, values = list(by_cluster.values()), random.Random(1), []
    for _ in range(4000):
        drawn = [pair for g in drawing.choices(groups, k=len(groups)) for pair in g]
        values.append(statistic(drawn))  # type: ignore[operator]  # takes pairs
    values = sorted(v for v in values if v is not None)
    below = tail(len(groups))
    return values[int(below * len(values))], values[int((1 - below) * len(values))]


def noisy_rows() -> list[tuple[float, float, int]]:
    """Ten families of four targets, graded in halves by two judges."""
    draws = random.Random(4)
    rows = []
    for cluster in range(10):
        level = draws.gauss(10, 3)
        for _ in range(4):
            quality = level + draws.gauss(0, 2)
            one, two = quality + draws.gauss(0, 1.5), quality - 1 + draws.gauss(0, 1.5)
            rows.append((round(2 * one) / 2, round(2 * two) / 2, cluster))
    return rows


def test_icc_of_shrout_and_fleiss() -> None:
    """Their ICC(2,1), .29 in table 4; from BMS 11.24, JMS 32.49, EMS 1.02 of table 3."""
    found = icc_agreement(SHROUT_FLEISS).value
    assert found == pytest.approx(0.29, abs=0.005)
    exact = (11.2417 - 1.0194) / (11.2417 + 3 * 1.0194 + 4 * (32.4861 - 1.0194) / 6)
    assert found == pytest.approx(exact, abs=1e-4)


def test_icc_of_a_judge_that_is_stricter_by_hand() -> None:
    """Grades 1, 2, 3 and 2, 3, 4: MSR 2, MSC 1.5, MSE 0, so 2 / (2 + 2 x 1.5 / 3) = 2/3."""
    assert icc_agreement([[1, 2], [2, 3], [3, 4]]).value == pytest.approx(2 / 3)


def test_icc_of_judges_who_contradict_each_other_is_negative() -> None:
    """Grades 1, 2, 3 and 3, 2, 1: MSR 0, MSC 0, MSE 2, so -2 / (0 + 2 - 4/3) = -3."""
    assert icc_agreement([[1, 3], [2, 2], [3, 1]]).value == pytest.approx(-3)


def test_icc_with_one_judge_alone_who_varies_has_no_value() -> None:
    """MSR = MSE whatever the other's grades are, so a 0 would measure nothing."""
    grades = np.arange(9) / 10
    found = icc_agreement(np.column_stack([grades, np.full(9, 0.3)]))
    assert found == Estimate(None, None, "only one rater tells any two apart")
    both = np.column_stack([grades, grades + 0.1, np.full(9, 0.3)])
    assert icc_agreement(both).value is not None


def test_rho_and_tau_by_hand() -> None:
    """Two neighbours change places in 1..5: rho = 1 - 6 x 4 / 120 = 0.8, tau = (8 - 2) / 10."""
    one, two = [1.0, 2, 3, 4, 5], [2.0, 1, 4, 3, 5]
    assert rank_agreement(one, two).value == pytest.approx(0.8)
    order = order_agreement(one, two, list("abcde"))
    assert order.spearman.value == pytest.approx(0.8)
    assert order.kendall.value == pytest.approx(0.6)


def test_rho_and_tau_with_ties_by_hand() -> None:
    """1, 1, 2 and 1, 2, 3.

    Ranks 1.5, 1.5, 3 and 1, 2, 3: rho = 1.5 / sqrt(1.5 x 2). Of three pairs two agree and one
    is tied in one series: tau-b = 2 / sqrt(2 x 3).
    """
    assert rank_agreement([1, 1, 2], [1, 2, 3]).value == pytest.approx(1.5 / math.sqrt(3))
    kendall = order_agreement([1, 1, 2], [1, 2, 3], list("abc")).kendall
    assert kendall.value == pytest.approx(2 / math.sqrt(6))


def test_intervals_are_those_of_a_plain_bootstrap() -> None:
    """Ranks and variances are made anew from each resample of families."""
    rows = noisy_rows()
    one, two, clusters = zip(*rows, strict=True)
    rho, icc = (
        rank_agreement(one, two, clusters),
        icc_agreement(list(zip(one, two, strict=True)), clusters),
    )
    plain = plain_interval(rows, lambda drawn: plain_rho(*zip(*drawn, strict=True)))
    # 4,000 plain draws: so far out, a quantile is sure to about 0.02.
    assert rho.ci95 == pytest.approx(plain, abs=0.06)
    assert icc.ci95 == pytest.approx(plain_interval(rows, plain_icc), abs=0.06)


def test_families_are_kept_together() -> None:
    """Ten copies of each target, kept in its family, are worth no more than one."""
    one, two, _ = (np.array(column) for column in zip(*noisy_rows(), strict=True))
    families = np.arange(one.size)
    for measure in (rank_agreement, mean_disagreement):
        single = measure(one, two, families)
        copied = measure(np.repeat(one, 10), np.repeat(two, 10), np.repeat(families, 10))
        assert copied.value == pytest.approx(single.value)
        assert copied.ci95 == pytest.approx(single.ci95, abs=1e-9)


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        ([1, 2], [1, 2], "2 pairs that both rated; 3 are needed"),
        ([1, 2, 3], [1, math.nan, 3], "2 pairs that both rated; 3 are needed"),
        ([1], [2], "1 pair that both rated; 3 are needed"),
        ([4, 4, 4], [1, 2, 3], "a rater tells no two apart"),
    ],
)
def test_rho_that_is_undefined_has_a_reason(
    one: list[float], two: list[float], message: str
) -> None:
    """None and never NaN."""
    assert rank_agreement(one, two) == Estimate(None, None, message)


def test_icc_that_is_undefined_has_a_reason() -> None:
    """Too few targets, or judges who give everything one grade each."""
    assert icc_agreement([[1, 2], [2, 3]]).reason == "2 pairs that both rated; 3 are needed"
    assert icc_agreement([[7.3, 7.3]] * 5) == Estimate(None, None, "no rater tells any two apart")
    assert icc_agreement([[7.3, 0.1]] * 5) == Estimate(None, None, "no rater tells any two apart")


def test_seven_families_have_values_without_interval() -> None:
    """They say too little about other families; the reason says how many are needed."""
    one, two, family = range(14), [1, 0, *range(2, 14)], [n // 2 for n in range(14)]
    message = "an interval needs items with 8 different texts, here are 7"
    found = [
        rank_agreement(one, two, family),
        icc_agreement(list(zip(one, two, strict=True)), family),
        mean_disagreement(one, two, family),
    ]
    assert [(e.ci95, e.reason) for e in found] == [(None, message)] * 3
    assert None not in [e.value for e in found]


def test_a_value_that_most_resamples_lack_has_no_interval() -> None:
    """Each judge sets one of ten targets apart; rho needs both drawn, which 41 % of draws have.

    1 - 2 x 0.9^10 + 0.8^10 = 0.41. The value is that of two yes-no series: -1/9.
    """
    found = rank_agreement([0.0] * 8 + [1, 0], [0.0] * 8 + [0, 1])
    assert found.value == pytest.approx(-1 / 9)
    assert found[1:] == (None, NO_SPREAD)


def test_no_pair_has_no_mean_difference() -> None:
    """None with a reason."""
    found = mean_disagreement([math.nan], [1.0])
    assert found == Estimate(None, None, "no pair that both rated")


def test_ratings_that_are_no_matrix_are_refused() -> None:
    """One rater agrees with nobody; series of two lengths are no pairs."""
    with pytest.raises(ValueError, match="two raters or more"):
        icc_agreement([[1], [2], [3]])
    with pytest.raises(ValueError, match="one length"):
        rank_agreement([1, 2, 3], [1, 2])


def test_two_models_have_no_order_to_compare() -> None:
    """Two are always in the same or in the opposite order; the means are there."""
    found = order_agreement([1, 2, 5], [4, 4, 1], ["m", "m", "n"])
    assert found.models == ("m", "n")
    assert (found.first_means, found.second_means) == ((1.5, 5.0), (4.0, 1.0))
    assert found.spearman == found.kendall
    assert found.spearman.value is None
    assert found.spearman.reason == "2 models that both rated; an order needs 3"


def test_an_order_that_hangs_on_one_family_has_a_wide_interval() -> None:
    """Three models; one of eight families alone puts them in the opposite order for judge 2."""
    models, families = ["m", "n", "o"] * 8, np.repeat(np.arange(8), 3)
    first, second = [1.0, 2, 3] * 8, [1.0, 2, 3] * 7 + [90, 60, 30]
    found = order_agreement(first, second, models, families)
    assert found.spearman.value == -1
    assert found.kendall.ci95 == (-1, 1)


def test_a_model_that_a_resample_lacks_leaves_that_resample_out() -> None:
    """Model o is rated in one family only: resamples without it have no order, all others one."""
    models, families = [*["m", "n"] * 8, "o"], [*np.repeat(np.arange(8), 2), 0]
    grades = [*[1, 2] * 8, 3]
    found = order_agreement(grades, grades, models, families)
    assert found.spearman == (1.0, None, NO_SPREAD)


def test_models_without_a_complete_pair_are_left_out() -> None:
    """A mean of nothing is no mean."""
    nan = math.nan
    found = order_agreement([1, 2, 3, nan], [1, 2, 3, 4], ["m", "n", "o", "p"])
    assert found.models == ("m", "n", "o")


def test_equal_means_are_tied_despite_rounding() -> None:
    """Thirds that are summed in another order are still thirds."""
    parts = [0.1, 0.2, 0.3]
    first = [*parts, *reversed(parts), 0.5, 0.5, 0.5]
    models = ["m"] * 3 + ["n"] * 3 + ["o"] * 3
    found = order_agreement(first, [*[1.0] * 6, 2.0, 2.0, 2.0], models)
    assert found.kendall.value == pytest.approx(1)


@quick
@given(ROWS)
def test_values_are_those_of_the_plain_formulas(rows: list[tuple[float, float, int]]) -> None:
    """Whatever the ties."""
    one, two, clusters = zip(*rows, strict=True)
    pairs = list(zip(one, two, strict=True))
    found = icc_agreement(pairs, clusters, replicates=20).value
    assert found == pytest.approx(plain_icc(pairs), abs=1e-9)
    found = rank_agreement(one, two, clusters, replicates=20).value
    assert found == pytest.approx(plain_rho(one, two), abs=1e-9)


@quick
@given(ROWS)
def test_swapping_judges_turns_only_the_mean_difference(
    rows: list[tuple[float, float, int]],
) -> None:
    """ICC and rho are the same, with their intervals."""
    one, two, clusters = zip(*rows, strict=True)
    there = mean_disagreement(one, two, clusters, replicates=50)
    back = mean_disagreement(two, one, clusters, replicates=50)
    assert there.value == -(back.value or 0)
    for measure in (rank_agreement, _icc_of):
        swapped = [measure(*pair, clusters, replicates=50) for pair in ((one, two), (two, one))]
        _assert_alike(*swapped)


def _icc_of(
    one: Sequence[float], two: Sequence[float], clusters: Sequence[int], *, replicates: int
) -> Estimate:
    return icc_agreement(np.column_stack([one, two]), clusters, replicates=replicates)


def _assert_alike(one: Estimate, two: Estimate) -> None:
    assert one.value == pytest.approx(two.value, abs=1e-9)
    assert one.ci95 == pytest.approx(two.ci95, abs=1e-9)
    assert one.reason == two.reason


@quick
@given(ROWS, st.integers(-30, 30))
def test_a_constant_added_to_one_judge_is_the_mean_difference_it_makes(
    rows: list[tuple[float, float, int]], shift: int
) -> None:
    """The interval moves with it, rho does not change."""
    one, two, clusters = (np.array(column) for column in zip(*rows, strict=True))
    before = mean_disagreement(one, two, clusters, replicates=50)
    after = mean_disagreement(one + shift, two, clusters, replicates=50)
    assert after.value == pytest.approx((before.value or 0) + shift)
    if before.ci95:
        assert after.ci95 == pytest.approx([end + shift for end in before.ci95])
    _assert_alike(
        rank_agreement(one, two, clusters, replicates=50),
        rank_agreement(one + shift, two, clusters, replicates=50),
    )


@quick
@given(ROWS, st.integers(1, 30))
def test_a_judge_who_only_shifts_lowers_the_icc(
    rows: list[tuple[float, float, int]], shift: int
) -> None:
    """Absolute agreement: 1 with itself, below 1 with itself plus a constant."""
    one = np.array([row[0] for row in rows])
    assume(np.unique(one).size > 1)
    same = icc_agreement(np.column_stack([one, one]), replicates=1)
    shifted = icc_agreement(np.column_stack([one, one + shift]), replicates=1)
    assert same.value == pytest.approx(1)
    assert shifted.value is not None
    assert shifted.value < 1


@quick
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_targets_does_not_matter(
    rows: list[tuple[float, float, int]], shuffler: random.Random
) -> None:
    """The same value, the same interval, the same order of models."""
    mixed = list(rows)
    shuffler.shuffle(mixed)
    (one, two, clusters), other = zip(*rows, strict=True), list(zip(*mixed, strict=True))
    for measure in (rank_agreement, _icc_of, mean_disagreement):
        _assert_alike(
            measure(one, two, clusters, replicates=50),
            measure(*other, replicates=50),
        )
    orders = [
        order_agreement(a, b, [str(c % 3) for c in k], k, replicates=50)
        for a, b, k in ((one, two, clusters), other)
    ]
    _assert_alike(orders[0].kendall, orders[1].kendall)
    _assert_alike(orders[0].spearman, orders[1].spearman)


@quick
@given(ROWS)
def test_the_same_order_agrees_in_full(rows: list[tuple[float, float, int]]) -> None:
    """A judge whose grades are a growing function of the other's has rho and tau 1."""
    one = np.array([row[0] for row in rows])
    assume(np.unique(one).size > 1)
    names = [str(n) for n in range(one.size)]
    assert rank_agreement(one, one**3, replicates=1).value == pytest.approx(1)
    assert order_agreement(one, one**3, names, replicates=1).kendall.value == pytest.approx(1)
